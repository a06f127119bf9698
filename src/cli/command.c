#include "command.h"

#include <string.h>

static const struct command commands[] = {
    {"init", COMMAND_INIT, "FILE.ptx", "write a launch file to be completed by hand",
     "describes a launch and executes nothing", command_init,
     .examples = {"init k.ptx", "init k.ptx -k saxpy -o saxpy.yaml", "init k.ptx -o -"}},
    {"analyze", COMMAND_ANALYZE, "FILE.ptx | LAUNCH.yaml | BLOCK.yaml",
     "bound and simulate a kernel, or one thread block", "bounds what is executed", command_analyze,
     .examples = {"analyze kernels/stencil5.yaml -m ecrts2025-orin",
                  "analyze k.ptx -g 64 -b 256 -a buf:f32[16384] -a i32:16384",
                  "analyze k.ptx -l k.yaml --facts k.facts --json -o k.json",
                  "analyze k.ptx -l k.yaml --method k-area,k-bal --policy gto"}},
    {"facts", COMMAND_FACTS, "FILE.ptx | LAUNCH.yaml",
     "print a template of flow facts: the loops and their bounds", "lists the loop bounds that must be known",
     command_facts,
     .examples = {"facts k.ptx -l k.yaml > k.facts", "facts k.ptx -k saxpy -g 64 -b 256 -a i32:?"}},
    {"simulate", COMMAND_SIMULATE, "FILE.ptx | LAUNCH.yaml | BLOCK.yaml",
     "simulate a kernel on a whole GPU, or one thread block", "simulates the execution of given data",
     command_simulate,
     .examples = {"simulate kernels/reduce.ptx -l kernels/reduce.yaml --policy lrr,gto",
                  "simulate kernels/reduce.yaml -m jcse2017 --scheme reorder",
                  "simulate kernels/reduce.ptx -l kernels/reduce.yaml --schedule"}},
    {"path", COMMAND_PATH, "FILE.ptx | LAUNCH.yaml", "print what each warp executes",
     "executes but times nothing", command_path,
     .examples = {"path kernels/reduce.ptx -l kernels/reduce.yaml -i 1",
                  "path kernels/reduce.ptx -l kernels/reduce.yaml --accesses --json"}},
    {"cfg", COMMAND_CFG, "FILE.ptx | LAUNCH.yaml", "print control flow: blocks, dominators, loops",
     "reads the code and executes nothing", command_cfg,
     .examples = {"cfg kernels/reduce.ptx", "cfg kernels/reduce.ptx --format dot | dot -Tsvg > reduce.svg",
                  "cfg kernels/reduce.ptx --why '$L__BB0_2'"}},
    {"occupancy", COMMAND_OCCUPANCY, "FILE.ptx | LAUNCH.yaml",
     "print how many blocks an SM holds, and what limits them",
     "counts the resources of blocks and executes nothing", command_occupancy,
     .examples = {"occupancy kernels/sgemm_tiled.ptx -b 32,32 --registers 40",
                  "occupancy k.ptx -b 256 --registers 64 --shared 16384 -m jcse2017"}},
    {"cache", COMMAND_CACHE, "FILE.ptx | LAUNCH.yaml", "print hits and misses of the first-level caches",
     "analyses accesses on machines with caches", command_cache,
     .examples = {"cache kernels/stencil5.ptx -l kernels/stencil5.yaml",
                  "cache kernels/reduce.ptx -l kernels/reduce.yaml --order --first 9"}},
    {"makespan", COMMAND_MAKESPAN, "STRING | FILE", "bound the makespan of kernel instruction strings",
     "solves strings and uses no machine", command_makespan,
     .examples = {"makespan LLC -w 12 -u L=1,C=1", "makespan LLC -w 4 -u L=1,C=1 --method exact --schedule",
                  "makespan k.ptx -l k.yaml -u L=1,C=4 --method closed,exact"}},
    {"sweep", COMMAND_SWEEP, "FILE.yaml | show|plot DATABASE | diff|merge DATABASES",
     "run many analyses and store their results", "runs the analyses that its file names", command_sweep,
     .examples = {"sweep docs/examples/latencies.yaml --dry-run",
                  "sweep docs/examples/latencies.yaml -o latencies.db", "sweep show latencies.db",
                  "sweep show latencies.db --csv -o latencies.csv",
                  "sweep plot latencies.db --x mem_latency -o latencies.svg",
                  "sweep diff baseline.db latencies.db --fail-above 5%"}},
    {"machine", COMMAND_MACHINE,
     "list | show MACHINE | check FILE.cubin | calibrate sm_XX | import FILE.config",
     "list, print, check, calibrate or import machines", "handles machines and takes no kernel",
     command_machine,
     .examples = {"machine list", "machine show ecrts2025-orin > mine.yaml",
                  "machine show ecrts2025-orin --set mem_latency=300", "machine import gpgpusim.config",
                  "machine check kernels/sgemm_tiled.sm_86.cubin -m rtx-a6000"}},
    {"print", COMMAND_PRINT, "FILE.ptx", "print PTX in canonical form, or machine code",
     "only reads the code", command_print,
     .examples = {"print kernels/reduce.ptx", "print - < kernels/reduce.ptx",
                  "print kernels/reduce.sm_86.cubin"}},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

const struct command *command_at(size_t index) {
    return index < COMMAND_COUNT ? &commands[index] : NULL;
}

const struct command *command_of(enum command_bit bit) {
    size_t i = 0;
    while (commands[i].bit != bit)
        i++;
    return &commands[i];
}

const struct command *command_named(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i].name) == 0) return &commands[i];
    return NULL;
}
