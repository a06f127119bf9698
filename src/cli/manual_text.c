/* What manual pages say beside options. */
#include "manual.h"

static const struct {
    enum command_bit bit;
    const char *text;
} texts[] = {
    {COMMAND_INIT, "Reads the code and writes a launch file in YAML next to it, FILE.yaml, with the kernel's "
                   "parameters and blanks for grid, block and arguments. `analyze` and others then take that "
                   "file instead of the code.\n"
                   "Only `--force` replaces an existing launch file."},
    {COMMAND_ANALYZE,
     "Bounds the execution time of a kernel: all its thread blocks on all SMs of the machine, or with `-i` "
     "one isolated block. The operand is code (PTX, or machine code in a cubin), a launch file that names "
     "the code, or a handwritten block or grid.\n"
     "Prints a verdict, the least bound and its breakdown, the slowest execution found, and all assumptions. "
     "Each number has a kind: `exact` and `upper` are proven bounds, `lower` is an execution that was found, "
     "`simulated` is an execution under one scheduler, and an `estimate` is unproven.\n"
     "With `--deadline` the exit status is 0 only if a proven bound is within it."},
    {COMMAND_FACTS, "Data decide how often some loops run. Flow facts, in a text file, limit that, so that a "
                    "kernel can be bounded for all data. This command prints such a file for a kernel, with "
                    "a question mark for each bound to fill in; `analyze --facts` and others read it."},
    {COMMAND_SIMULATE, "Executes a kernel with the data of its launch and simulates all its thread blocks on "
                       "the machine, or one block with `-i`, under one or several policies of warp "
                       "schedulers. The result is one execution, not a bound."},
    {COMMAND_PATH,
     "Executes thread blocks with the data of the launch, without timing, and prints the instructions that "
     "each warp executes, run-length encoded. If paths depend on unknown data, it names them."},
    {COMMAND_CFG, "Prints basic blocks with dominators, post-dominators and loops, and the branches that can "
                  "divide a warp; `--why` explains why a branch can, or cannot."},
    {COMMAND_OCCUPANCY, "Prints how many thread blocks of a kernel an SM of the machine holds at a time, by "
                        "each of its limits: warps, blocks, registers, shared memory. Registers come from "
                        "machine code, `--registers` or `--ptxas-info`."},
    {COMMAND_CACHE,
     "Prints for each load of a kernel how many of its accesses at least hit the first-level cache of its SM "
     "in any order of warps, and how many do if warps access in a fixed order; for machines with caches."},
    {COMMAND_MAKESPAN, "A kernel instruction string, such as LLC, has a letter for each instruction of a "
                       "warp: its functional unit. This command bounds or computes the makespan of several "
                       "warps (`-w`) on given units (`-u`) by published methods. The operand is a string, a "
                       "file with one, a problem file, or code, which is executed to get its string."},
    {COMMAND_SWEEP,
     "`sweep` FILE.yaml runs an analysis for each combination of code, machines, values and options in the "
     "file, several at a time, each in its own process, and stores the results in the database of `-o`. Run "
     "again, it continues where it stopped and skips units whose inputs did not change.\n"
     "`sweep show` prints results, `sweep plot` draws a picture (SVG), `sweep diff` compares two databases, "
     "for gates in CI, and `sweep merge` combines several."},
    {COMMAND_MACHINE, "`machine list` prints the names of all presets, `machine show` prints one of them, or "
                      "a file, as YAML with all its keys. `machine check` lists the machine figures that "
                      "bounds of some machine code rest on, and their sources. `machine calibrate` has ptxas "
                      "assemble small kernels and writes a machine file with what their stall counts show. "
                      "`machine import` converts the configuration of a simulator to a machine."},
    {COMMAND_PRINT, "Prints code: PTX in one canonical form, machine code as a list of instructions with "
                    "addresses and control fields."},
};

const char *manual_text(const struct command *command) {
    for (size_t i = 0; command != NULL && i < sizeof texts / sizeof *texts; i++)
        if (texts[i].bit == command->bit) return texts[i].text;
    return command != NULL
               ? command->summary
               : "Bounds the worst-case execution time of GPU kernels. It reads PTX or machine code, a "
                 "launch (grid, block, arguments) and the description of a machine, and needs neither a GPU "
                 "nor CUDA. Every number says what it is: exact, a proven upper bound, an execution that was "
                 "found, a simulation, or an unproven estimate.\n"
                 "FILE may be `-`: standard input or standard output. A cubin (machine code) may replace "
                 "FILE.ptx. Options may stand before or after files; after `--` everything is a file.";
}
