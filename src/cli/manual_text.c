/* What manual pages say beside options. */
#include "manual.h"

static const struct {
    enum command_bit bit;
    const char *text;
} texts[] = {
    {COMMAND_INIT,
     "Reads the code and writes a launch file in YAML beside it, FILE.yaml, with the kernel's parameters and "
     "what has to be filled in by hand: grid, block, arguments. `analyze` and others then take that file in "
     "place of the code.\n"
     "A launch file that exists is replaced only with `--force`."},
    {COMMAND_ANALYZE,
     "Bounds the execution time of a kernel from above, with all its thread blocks on all SMs of the "
     "machine; with `-i` that of one block alone on an SM. The operand is code (PTX, or machine code in a "
     "cubin), a launch file, which names the code, or a block or a grid written by hand.\n"
     "Prints a verdict, the least bound and how it is made up, the slowest execution found, and what all of "
     "it takes for granted. Each number has a kind: `exact` and `upper` are proven bounds, `lower` is an "
     "execution that was found, `simulated` that of one scheduler; an `estimate` is proven by nothing.\n"
     "With `--deadline` the exit status is 0 only when a proven bound is within it."},
    {COMMAND_FACTS,
     "Some loops run as often as data say. Flow facts, in a text file, say how often at most, so that a "
     "kernel can be bounded for all data. This command prints such a file for a kernel, with a question mark "
     "for each bound that is to be filled in; `analyze --facts` and others read it."},
    {COMMAND_SIMULATE,
     "Executes a kernel with the data of its launch and simulates all its thread blocks on the machine, "
     "under one or several policies of warp schedulers; or one block, with `-i`. What is simulated is one "
     "execution and no bound."},
    {COMMAND_PATH,
     "Executes thread blocks with the data of the launch, without any time, and prints for each warp which "
     "instructions it executes, run-length encoded. Of code whose paths depend on data that are not known it "
     "says which."},
    {COMMAND_CFG, "Prints basic blocks with dominators, post-dominators and loops, and which branches can "
                  "divide a warp; with `--why` the reason why a branch can, or cannot."},
    {COMMAND_OCCUPANCY,
     "Prints how many thread blocks of a kernel an SM of the machine holds at a time by each of its limits: "
     "warps, blocks, registers, shared memory. Registers are those of machine code, or are given by "
     "`--registers` or `--ptxas-info`."},
    {COMMAND_CACHE,
     "Prints for each load of a kernel how many of its accesses hit the first-level cache of its SM at "
     "least, whatever the order of warps, and how many do when warps access in a fixed order; for machines "
     "with caches."},
    {COMMAND_MAKESPAN,
     "A kernel instruction string, such as LLC, has a letter for the functional unit of each instruction of "
     "a warp. This command bounds the makespan of so many warps (`-w`) on these units (`-u`) by the methods "
     "of papers, or computes it. The operand is a string, a file with one, a problem file, or code, whose "
     "string is made by executing it."},
    {COMMAND_SWEEP,
     "`sweep` FILE.yaml runs an analysis for each combination of the code, machines, values and options that "
     "the file names, several at a time, each in a process of its own, and keeps the results in the "
     "database of `-o`. Run again it goes on where it was stopped, and repeats nothing whose inputs did not "
     "change.\n"
     "`sweep show` prints results, `sweep plot` a picture (SVG), `sweep diff` compares two databases, for "
     "gates in CI, and `sweep merge` puts several into one."},
    {COMMAND_MACHINE,
     "`machine list` prints the names of the machines that the program has, `machine show` one of them, or a "
     "file, as YAML with all its keys. `machine check` lists which figures of a machine bounds of some "
     "machine code rest on, and where they come from. `machine calibrate` has ptxas assemble small kernels "
     "and writes a machine file with what their stall counts show. `machine import` makes a machine of the "
     "configuration of a simulator."},
    {COMMAND_PRINT, "Reads code and prints it: PTX in one canonical form, machine code as a list of "
                    "instructions with addresses and control fields."},
};

const char *manual_text(const struct command *command) {
    for (size_t i = 0; command != NULL && i < sizeof texts / sizeof *texts; i++)
        if (texts[i].bit == command->bit) return texts[i].text;
    return command != NULL
               ? command->summary
               : "Bounds the worst-case execution time of GPU kernels. It reads PTX or machine code, a "
                 "launch "
                 "(grid, block, arguments) and the description of a machine, and needs no GPU and no CUDA. "
                 "Every number says what it is: exact, a proven upper bound, an execution that was found, a "
                 "simulation, or an estimate that is proven by nothing.\n"
                 "A FILE may be `-`: standard input where it is read, standard output where it is written. "
                 "Where FILE.ptx is expected, a cubin (machine code) does, too. Options may stand before and "
                 "behind files; behind `--` everything is a file.";
}
