/* Speed of covering runs: the kernels of kernels/ for all contents of their buffers, and loops of up to 10^9
 * iterations that are joined instead of run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_support.h"

/* Each kernel runs for at least this long, in processor seconds. */
#define SECONDS_MIN 0.3

struct bench_case {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    wb_facts *facts; /* or NULL */
    const wb_kernel *kernel;
};

static void close_case(struct bench_case *bench) {
    wb_facts_free(bench->facts);
    wb_launch_free(bench->launch);
    wb_module_free(bench->module);
    wb_diagnostics_free(bench->diagnostics);
}

static wb_status load(const char *ptx, const char *launch, struct bench_case *bench) {
    char path[400];
    (void)snprintf(path, sizeof path, "kernels/%s", ptx);
    wb_status status = wb_module_read(path, bench->diagnostics, &bench->module);
    (void)snprintf(path, sizeof path, "kernels/%s", launch);
    if (status == WB_OK) status = wb_launch_read(path, bench->diagnostics, &bench->launch);
    if (status == WB_OK)
        status = wb_module_find_kernel(bench->module, wb_launch_kernel(bench->launch), bench->diagnostics,
                                       &bench->kernel);
    if (status != WB_OK) return status;
    (void)snprintf(path, sizeof path, "kernels/%s.facts", wb_kernel_name(bench->kernel));
    if (access(path, R_OK) != 0) return WB_OK;
    return wb_facts_read(path, bench->kernel, bench->diagnostics, &bench->facts);
}

/* Covers block 0 again and again; counts what is on the paths. */
static wb_status measure(const struct bench_case *bench, bool cover, double *rate) {
    const wb_trace_options options = {
        .cover = cover, .unknown_contents = cover, .facts = cover ? bench->facts : NULL};
    uint64_t instructions = 0;
    double spent = 0.0;
    while (spent < SECONDS_MIN) {
        wb_block *block = NULL;
        double start = seconds();
        wb_status status = wb_block_trace(bench->kernel, bench->launch, &options, bench->diagnostics, &block);
        if (status != WB_OK) return status;
        spent += seconds() - start;
        for (uint32_t w = 0; w < wb_block_warp_count(block); w++)
            instructions += wb_block_warp_instructions(block, w);
        wb_block_free(block);
    }
    *rate = (double)instructions / spent / 1e6;
    return WB_OK;
}

static void bench_kernel(const char *name, const char *ptx, const char *launch) {
    struct bench_case bench = {.diagnostics = wb_diagnostics_new()};
    double covering = 0.0, known = 0.0;
    wb_status status = load(ptx, launch, &bench);
    if (status == WB_OK) status = measure(&bench, true, &covering);
    if (status == WB_OK) status = measure(&bench, false, &known);
    if (status != WB_OK)
        (void)fputs(wb_diagnostics_text(bench.diagnostics), stderr);
    else
        printf("covering    %-24s %7.2f million warp instructions/s (with known data %.2f)\n", name, covering,
               known);
    close_case(&bench);
}

static void bench_kernels(FILE *index) {
    char line[512], name[128], ptx[128], launch[128];
    while (fgets(line, sizeof line, index) != NULL) {
        if (line[0] == '#' || sscanf(line, "%127s %127s %127s", name, ptx, launch) != 3) continue;
        if (strstr(launch, "unknown") == NULL) bench_kernel(name, ptx, launch);
    }
}

/* A loop whose end is found by static analysis, with unknown values and loads in its body. */
#define LONG_LOOP                                                                                            \
    ".version 8.0\n.target sm_86\n.address_size 64\n"                                                        \
    ".visible .entry k(.param .u64 in, .param .u32 n)\n{\n"                                                  \
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
    struct bench_case bench = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    wb_machine *machine = NULL;
    wb_block *block = NULL;
    wb_analysis *analysis = NULL;
    wb_diagnostics *d = bench.diagnostics;
    const wb_trace_options options = {.cover = true, .unknown_contents = true, .record_accesses = true};
    double start = seconds();
    wb_status status = wb_module_parse("loop.ptx", ptx, (size_t)length, d, &bench.module);
    if (status == WB_OK) status = wb_module_find_kernel(bench.module, NULL, d, &bench.kernel);
    if (status == WB_OK) status = wb_launch_set_grid(bench.launch, "1", d);
    if (status == WB_OK) status = wb_launch_set_block(bench.launch, "256", d);
    if (status == WB_OK) status = wb_launch_add_argument(bench.launch, "buf:u32[256]", d);
    if (status == WB_OK) status = wb_launch_add_argument(bench.launch, "i32:0", d);
    if (status == WB_OK) status = wb_machine_load("orin-sm86", d, &machine);
    if (status == WB_OK) status = wb_block_trace(bench.kernel, bench.launch, &options, d, &block);
    double traced = seconds();
    if (status == WB_OK) status = wb_analysis_new(block, machine, d, &analysis);
    if (status == WB_OK) status = wb_analysis_bound(analysis, "sib,fib,elb", NULL, d);
    double end = seconds();
    if (status != WB_OK)
        (void)fputs(wb_diagnostics_text(d), stderr);
    else
        printf("long loop   %10u iterations: %7.2f ms to cover, %7.2f ms to bound (%llu cycles)\n",
               iterations, (traced - start) * 1e3, (end - traced) * 1e3,
               (unsigned long long)wb_analysis_best(analysis)->cycles);
    wb_analysis_free(analysis);
    wb_block_free(block);
    wb_machine_free(machine);
    close_case(&bench);
}

int main(void) {
    FILE *index = fopen("kernels/index.txt", "r");
    if (index == NULL) {
        perror("kernels/index.txt");
        return EXIT_FAILURE;
    }
    bench_kernels(index);
    (void)fclose(index);
    bench_loop(10000);
    bench_loop(1000000);
    bench_loop(1000000000);
    return EXIT_SUCCESS;
}
