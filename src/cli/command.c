#include "command.h"

#include <assert.h>
#include <string.h>

#include "command_line.h"
#include "wing.h"

static const struct command commands[] = {
    {"init", COMMAND_INIT, "FILE.ptx", "write a launch file to be completed by hand",
     "describes a launch and executes nothing", command_init,
     .manual = "Reads the code and writes a launch file in YAML next to it, FILE.yaml, with the kernel's "
               "parameters and blanks for grid, block and arguments. `analyze` and others then take that "
               "file instead of the code.\nOnly `--force` replaces an existing launch file.",
     .examples = {"init k.ptx", "init k.ptx -k saxpy -o saxpy.yaml", "init k.ptx -o -"}},
    {"analyze", COMMAND_ANALYZE, "FILE.ptx | LAUNCH.yaml | BLOCK.yaml",
     "bound and simulate a kernel, or one thread block", "bounds what is executed", command_analyze,
     .manual =
         "Bounds the execution time of a kernel: all its thread blocks on all SMs of the machine, or "
         "with `-i` one isolated block. The operand is code (PTX, a cubin, or a program with either), a "
         "launch file that names the code, or a handwritten block or grid.\nPrints a verdict, the "
         "least bound and its breakdown, the slowest execution found, and all assumptions. Each number "
         "has a kind: `exact` and `upper` are proven bounds, `lower` is an execution that was found, "
         "`simulated` is an execution under one scheduler, and an `estimate` is unproven.\nWith "
         "`--deadline` the exit status is 0 only if a proven bound is within it.",
     .examples = {"analyze kernels/stencil5.yaml -m ecrts2025-orin",
                  "analyze k.ptx -g 64 -b 256 -a buf:f32[16384] -a i32:16384",
                  "analyze k.ptx -l k.yaml --facts k.facts --json -o k.json",
                  "analyze k.ptx -l k.yaml --method k-area,k-bal --policy gto"}},
    {"facts", COMMAND_FACTS, "FILE.ptx | LAUNCH.yaml",
     "print a template of flow facts: the loops and their bounds", "lists the loop bounds that must be known",
     command_facts,
     .manual = "Data decide how often some loops run. Flow facts, in a text file, limit that, so that a "
               "kernel can be bounded for all data. This command prints such a file for a kernel, with a "
               "question mark for each bound to fill in; `analyze --facts` and others read it.",
     .examples = {"facts k.ptx -l k.yaml > k.facts", "facts k.ptx -k saxpy -g 64 -b 256 -a i32:?"}},
    {"simulate", COMMAND_SIMULATE, "FILE.ptx | LAUNCH.yaml | BLOCK.yaml",
     "simulate a kernel on a whole GPU, or one thread block", "simulates the execution of given data",
     command_simulate,
     .manual = "Executes a kernel with the data of its launch and simulates all its thread blocks on the "
               "machine, or one block with `-i`, under one or several policies of warp schedulers. The "
               "result is one execution, not a bound.",
     .examples = {"simulate kernels/reduce.ptx -l kernels/reduce.yaml --policy lrr,gto",
                  "simulate kernels/reduce.yaml -m jcse2017 --scheme reorder",
                  "simulate kernels/reduce.ptx -l kernels/reduce.yaml --schedule"}},
    {"path", COMMAND_PATH, "FILE.ptx | LAUNCH.yaml", "print what each warp executes",
     "executes but times nothing", command_path,
     .manual =
         "Executes thread blocks with the data of the launch, without timing, and prints the instructions "
         "that each warp executes, run-length encoded. If paths depend on unknown data, it names them.",
     .examples = {"path kernels/reduce.ptx -l kernels/reduce.yaml -i 1",
                  "path kernels/reduce.ptx -l kernels/reduce.yaml --accesses --json"}},
    {"cfg", COMMAND_CFG, "FILE.ptx | LAUNCH.yaml", "print control flow: blocks, dominators, loops",
     "reads the code and executes nothing", command_cfg,
     .manual = "Prints basic blocks with dominators, post-dominators and loops, and the branches that can "
               "divide a warp; `--why` explains why a branch can, or cannot.",
     .examples = {"cfg kernels/reduce.ptx", "cfg kernels/reduce.ptx --format dot | dot -Tsvg > reduce.svg",
                  "cfg kernels/reduce.ptx --why '$L__BB0_2'"}},
    {"occupancy", COMMAND_OCCUPANCY, "FILE.ptx | LAUNCH.yaml",
     "print how many blocks an SM holds, and what limits them",
     "counts the resources of blocks and executes nothing", command_occupancy,
     .manual = "Prints how many thread blocks of a kernel an SM of the machine holds at a time, by each of "
               "its limits: warps, blocks, registers, shared memory. Registers come from machine code, "
               "`--registers` or `--ptxas-info`.",
     .examples = {"occupancy kernels/sgemm_tiled.ptx -b 32,32 --registers 40",
                  "occupancy k.ptx -b 256 --registers 64 --shared 16384 -m jcse2017"}},
    {"cache", COMMAND_CACHE, "FILE.ptx | LAUNCH.yaml", "print hits and misses of the first-level caches",
     "analyses accesses on machines with caches", command_cache,
     .manual = "Prints for each load of a kernel how many of its accesses at least hit the first-level cache "
               "of its SM in any order of warps, and how many do if warps access in a fixed order; for "
               "machines with caches.",
     .examples = {"cache kernels/stencil5.ptx -l kernels/stencil5.yaml"}},
    {"machine", COMMAND_MACHINE, "list | show MACHINE | check FILE.cubin | calibrate sm_XX",
     "list, print, check or make machines", "handles machines and takes no kernel", command_machine,
     .manual = "`machine list` prints the names of all presets, `machine show` prints one of them, or a "
               "file, as YAML with all its keys. `machine check` lists the machine figures that bounds of "
               "some machine code rest on, and their sources. `machine calibrate` has ptxas assemble small "
               "kernels and writes a machine file with what their stall counts show.",
     .examples = {"machine list", "machine show ecrts2025-orin > mine.yaml",
                  "machine show ecrts2025-orin --set mem_latency=300",
                  "machine check kernels/cubin/sgemm_tiled.sm_86.cubin -m rtx-a6000"}},
    {"print", COMMAND_PRINT, "FILE.ptx",
     "print PTX in canonical form, machine code, or what code a program has", "only reads the code",
     command_print,
     .manual = "Prints code: PTX in one canonical form, machine code as a list of instructions with "
               "addresses and control fields; of a program what code it has, with the kernels, or with "
               "`--image` that code.",
     .examples = {"print kernels/reduce.ptx", "print - < kernels/reduce.ptx",
                  "print kernels/cubin/reduce.sm_86.cubin"}},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

/* Whether a wing's command, if it has one, stands in front of number `place` of the core's, or behind all. */
static bool is_before(const struct command *command, size_t place) {
    if (command == NULL || command->before == NULL) return command != NULL && place == COMMAND_COUNT;
    return place < COMMAND_COUNT && strcmp(command->before, commands[place].name) == 0;
}

const struct command *command_at(size_t index) {
    const struct cli_wing *wing;
    for (size_t place = 0; place <= COMMAND_COUNT; place++) {
        for (size_t i = 0; (wing = cli_wing_at(i)) != NULL; i++)
            if (is_before(wing->command, place) && index-- == 0) return wing->command;
        if (place < COMMAND_COUNT && index-- == 0) return &commands[place];
    }
    return NULL;
}

const struct machine_source *machine_source_at(size_t index) {
    const struct cli_wing *wing;
    for (size_t i = 0; (wing = cli_wing_at(i)) != NULL; i++)
        if (wing->machine_source != NULL && index-- == 0) return wing->machine_source;
    return NULL;
}

const struct cli_wing *settings_wing_of(const char *setting) {
    const struct cli_wing *wing;
    for (size_t i = 0; (wing = cli_wing_at(i)) != NULL; i++)
        if (wing->settings != NULL && strncmp(setting, wing->settings, strlen(wing->settings)) == 0) break;
    return wing;
}

void command_operands(const struct command *command, char *line, size_t size) {
    const struct machine_source *source;
    int length = snprintf(line, size, "%s", command->operands);
    for (size_t i = 0; command->bit == COMMAND_MACHINE && (source = machine_source_at(i)) != NULL; i++) {
        assert(length >= 0 && (size_t)length < size);
        length += snprintf(line + length, size - (size_t)length, " | %s %s", source->verb, source->operand);
    }
}

const struct command *command_of(unsigned bit) {
    size_t i = 0;
    while (command_at(i)->bit != bit)
        i++;
    return command_at(i);
}

const struct command *command_named(const char *name) {
    const struct command *command;
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        if (strcmp(name, command->name) == 0) return command;
    return NULL;
}

wb_status deadline_cycles(const char *deadline, const wb_machine *machine, wb_diagnostics *diagnostics,
                          uint64_t *cycles) {
    char about[ABOUT_MAX];
    about_option("deadline", deadline, about, diagnostics);
    const wb_status status = wb_deadline_cycles(machine, deadline, diagnostics, cycles);
    wb_diagnostics_about(diagnostics, NULL);
    return status;
}
