/* Speed of covering runs: the kernels of kernels/ for all contents of their buffers, and loops of up to 10^9
 * iterations that are joined instead of run. */
#include <unistd.h>

#include "index_support.h"

/* Each kernel runs for at least this long, in processor seconds. */
#define SECONDS_MIN 0.3

/* The flow facts that are beside the kernel, or NULL. */
static wb_facts *facts_of(const struct index_kernel *kernel) {
    char path[256];
    wb_facts *facts = NULL;
    (void)snprintf(path, sizeof path, "kernels/%s.facts", wb_kernel_name(kernel->kernel));
    if (access(path, R_OK) == 0)
        require(wb_facts_read(path, kernel->kernel, kernel->diagnostics, &facts), kernel->diagnostics);
    return facts;
}

static void bench_kernel(const struct index_kernel *kernel) {
    wb_facts *facts = facts_of(kernel);
    const wb_trace_options covering = {.size = sizeof covering,
                                       .cover = true,
                                       .unknown_contents = true,
                                       .facts = facts},
                           known = {.size = sizeof known};
    double covered = index_rate(kernel, &covering, SECONDS_MIN);
    printf("covering    %-24s %7.2f million warp instructions/s (with known data %.2f)\n", kernel->name,
           covered, index_rate(kernel, &known, SECONDS_MIN));
    wb_facts_free(facts);
}

/* A loop whose end is found by static analysis, with unknown values and loads in its body. */
#define LONG_LOOP                                                                                            \
    ".version 8.0\n.target sm_86\n.address_size 64\n"                                                        \
    ".visible .entry k(.param .u64 in)\n{\n"                                                                 \
    ".reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.reg .b64 %%rd<8>;\n"                                            \
    "ld.param.u64 %%rd1, [in];\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd2, %%r1, 4;\n"                      \
    "add.s64 %%rd1, %%rd1, %%rd2;\nmov.u32 %%r2, 0;\n"                                                       \
    "L: ld.global.u32 %%r3, [%%rd1];\nsetp.eq.u32 %%p1, %%r3, %%r2;\n@%%p1 bra M;\n"                         \
    "mul.lo.u32 %%r4, %%r3, %%r2;\nadd.u32 %%r4, %%r4, %%r3;\nst.global.u32 [%%rd1], %%r4;\n"                \
    "M: add.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, %u;\n@%%p2 bra L;\nret;\n}\n"

/* From PTX to the bounds of a loop of so many iterations. */
static void bench_loop(uint32_t iterations) {
    char ptx[2000];
    int length = snprintf(ptx, sizeof ptx, LONG_LOOP, iterations);
    struct index_kernel loop = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    wb_diagnostics *d = loop.diagnostics;
    wb_machine *machine = NULL;
    wb_block *block = NULL;
    wb_analysis *analysis = NULL;
    const wb_trace_options options = {
        .size = sizeof options, .cover = true, .unknown_contents = true, .record_accesses = true};
    require(wb_launch_set_grid(loop.launch, (const uint32_t[3]){1, 1, 1}, d), d);
    require(wb_launch_set_block(loop.launch, (const uint32_t[3]){256, 1, 1}, d), d);
    require(wb_launch_add_argument(loop.launch, "buf:u32[256]", d), d);
    require(wb_machine_load("ecrts2025-orin", d, &machine), d);
    double start = seconds();
    require(wb_module_parse("loop.ptx", ptx, (size_t)length, d, &loop.module), d);
    require(wb_module_find_kernel(loop.module, NULL, d, &loop.kernel), d);
    require(wb_block_trace(loop.kernel, loop.launch, &options, d, &block), d);
    double traced = seconds();
    require(wb_analysis_new(block, machine, d, &analysis), d);
    require(wb_analysis_bound(analysis, "sib,fib,elb", NULL, d), d);
    double end = seconds();
    printf("long loop   %10u iterations: %7.2f ms to cover, %7.2f ms to bound (%llu cycles)\n", iterations,
           (traced - start) * 1e3, (end - traced) * 1e3,
           (unsigned long long)wb_analysis_best(analysis)->cycles);
    wb_analysis_free(analysis);
    wb_block_free(block);
    wb_machine_free(machine);
    index_close(&loop);
}

int main(void) {
    index_each(bench_kernel);
    bench_loop(10000);
    bench_loop(1000000);
    bench_loop(1000000000);
    return EXIT_SUCCESS;
}
