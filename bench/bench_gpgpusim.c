/* Speed of the simulator that follows GPGPU-Sim, on kernels that load its parts differently. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "bench_support.h"
#include "sim/gpu/gpu.h"
#include "warp/path/path.h"
#include "warp/timed/timed.h"

#define ARGUMENTS_MAX 4

/* One launch of a kernel of tests/data/gpgpusim/basic.ptx. */
struct launch {
    const char *kernel;
    uint32_t threads;
    const char *arguments[ARGUMENTS_MAX];
};

static const struct launch launches[] = {
    {"saxpy_loop", 32, {"i32:32768", "f32:2.0", "buf:f32[32768]=iota", "buf:f32[32768]=1.0"}},
    {"saxpy_loop", 1024, {"i32:1048576", "f32:2.0", "buf:f32[1048576]=iota", "buf:f32[1048576]=1.0"}},
    {"alu_chain", 256, {"buf:i32[256]=zero", "i32:8192"}},
    {"fp_mix", 1024, {"buf:f32[1024]=zero", "i32:1024"}},
    {"diverge_loop", 1024, {"buf:i32[1024]=iota", "buf:i32[4096]=zero", "i32:5"}},
};

static wb_block *trace(const wb_module *module, const struct launch *launch, wb_diagnostics *diagnostics) {
    wb_launch *given = wb_launch_new();
    const wb_kernel *kernel;
    wb_block *block;
    if (given == NULL) exit(1);
    require(wb_module_find_kernel(module, launch->kernel, diagnostics, &kernel), diagnostics);
    require(wb_launch_set_grid(given, (const uint32_t[3]){1, 1, 1}, diagnostics), diagnostics);
    require(wb_launch_set_block(given, (const uint32_t[3]){launch->threads, 1, 1}, diagnostics), diagnostics);
    for (size_t i = 0; i < ARGUMENTS_MAX && launch->arguments[i] != NULL; i++)
        require(wb_launch_add_argument(given, launch->arguments[i], diagnostics), diagnostics);
    const wb_trace_options options = {.size = sizeof options, .record_accesses = true};
    require(wb_block_trace(kernel, given, &options, diagnostics, &block), diagnostics);
    wb_launch_free(given);
    return block;
}

static void bench(const wb_block *block, const struct launch *launch, const char *machine_name,
                  const char *policy, wb_diagnostics *diagnostics) {
    wb_machine *machine;
    struct timed_block timed;
    wb_simulation result;
    require(wb_machine_load(machine_name, diagnostics, &machine), diagnostics);
    require(timed_block_from(block, machine, NULL, diagnostics, &timed), diagnostics);
    double start = seconds();
    require(
        simulate(&timed, policy_at(choose_index(policy, wb_policy_name)), NULL, NULL, diagnostics, &result),
        diagnostics);
    double spent = seconds() - start;
    printf("%-16s %-12s %4u threads, %s: %8lu warp instructions, %8lu cycles, %6.2f million warp "
           "instructions/s\n",
           machine_name, launch->kernel, launch->threads, policy, (unsigned long)result.warp_instructions,
           (unsigned long)result.cycles, (double)result.warp_instructions / spent * 1e-6);
    timed_block_free(&timed);
    wb_machine_free(machine);
}

int main(void) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module;
    require(wb_module_read("tests/data/gpgpusim/basic.ptx", diagnostics, &module), diagnostics);
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        wb_block *block = trace(module, &launches[i], diagnostics);
        bench(block, &launches[i], "gpgpusim-orin", "gto", diagnostics);
        bench(block, &launches[i], "gpgpusim-orin", "lrr", diagnostics);
        bench(block, &launches[i], "gpgpusim-orin-5l", "lrr", diagnostics);
        wb_block_free(block);
    }
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    return 0;
}
