/* Speed of the bounds of whole kernels, and the memory that they take: a launch of 10^5 blocks of 100
 * different lengths, executed and bounded; a matrix product, analysed; and the formulas alone, on grids
 * written by hand. */
#include <sys/resource.h>

#include <inttypes.h>

#include "base/base.h"
#include "bench_support.h"
#include "bound/analysis/analysis.h"
#include "bound/analysis/registry.h"
#include "bound/grid/block_classes.h"
#include "bound/kernel/kernel_bounds.h"
#include "warp/trace/trace.h"

#define BLOCKS 100000
#define LENGTHS 100
#define THREADS 128
#define METHODS "k-area,k-bal,k-sm"
#define FORMULAS 3

/* Sums up what is there, as often as the number of the block says. */
static const char kernel_text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry uneven(.param .u64 in, .param .u64 out) {\n"
    ".reg .pred %p<2>;\n.reg .f32 %f<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
    "mad.lo.s32 %r4, %r1, %r2, %r3;\n"
    "mul.wide.s32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n"
    "rem.u32 %r5, %r1, 100;\nmov.u32 %r6, 0;\nmov.f32 %f1, 0f00000000;\n"
    "again:\n"
    "ld.global.f32 %f2, [%rd4];\nfma.rn.f32 %f1, %f2, %f2, %f1;\n"
    "add.u32 %r6, %r6, 1;\nsetp.le.u32 %p1, %r6, %r5;\n@%p1 bra again;\n"
    "st.global.f32 [%rd5], %f1;\nret;\n}\n";

/* The most memory that the process has had so far. */
static double peak_megabytes(void) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

/* Prints how long a stage took; the time from here on. */
static double report(const char *what, double start) {
    double now = seconds();
    printf("kernel %-36s %6.3f s, peak %.0f MB\n", what, now - start, peak_megabytes());
    return now;
}

static wb_launch *make_launch(wb_diagnostics *diagnostics) {
    wb_launch *launch = wb_launch_new();
    char buffer[64];
    require(wb_launch_set_grid(launch, (const uint32_t[3]){BLOCKS, 1, 1}, diagnostics), diagnostics);
    require(wb_launch_set_block(launch, (const uint32_t[3]){THREADS, 1, 1}, diagnostics), diagnostics);
    (void)snprintf(buffer, sizeof buffer, "buf:f32[%d]=random(1)", BLOCKS * THREADS);
    for (int argument = 0; argument < 2; argument++)
        require(wb_launch_add_argument(launch, buffer, diagnostics), diagnostics);
    return launch;
}

/* Executes, sums up and bounds all blocks of the kernel. */
static void bench_launch(void) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_machine *machine = NULL;
    const wb_kernel *kernel = NULL;
    wb_grid *grid = NULL;
    wb_analysis *analysis = NULL;
    size_t count;
    require(wb_module_parse("uneven.ptx", kernel_text, sizeof kernel_text - 1, diagnostics, &module),
            diagnostics);
    require(wb_module_find_kernel(module, NULL, diagnostics, &kernel), diagnostics);
    require(wb_machine_load("ecrts2025-orin", diagnostics, &machine), diagnostics);
    wb_launch *launch = make_launch(diagnostics);
    double start = seconds(), now = start;
    require(wb_grid_trace(kernel, launch, NULL, diagnostics, &grid), diagnostics);
    now = report("10^5 blocks, 100 lengths: executed", now);
    require(analysis_new_kernel(grid, machine, NULL, NULL, diagnostics, &analysis), diagnostics);
    now = report("10^5 blocks, 100 lengths: summed up", now);
    require(wb_analysis_bound(analysis, METHODS, NULL, diagnostics), diagnostics);
    (void)report("10^5 blocks, 100 lengths: bounded", now);
    (void)report("10^5 blocks, 100 lengths: all", start);
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++)
        printf("kernel %s %" PRIu64 "\n", bounds[i].method, bounds[i].cycles);
    wb_analysis_free(analysis);
    wb_grid_free(grid);
    wb_launch_free(launch);
    wb_machine_free(machine);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

/* All that `analyze` does with a matrix product of 512 x 512, whose 1024 blocks execute 34 million warp
 * instructions; the program runs from the top folder. */
static void bench_gemm(void) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_machine *machine = NULL;
    wb_launch *launch = NULL;
    wb_analysis *analysis = NULL;
    const wb_kernel *kernel = NULL;
    require(wb_module_read("kernels/sgemm_naive.ptx", diagnostics, &module), diagnostics);
    require(wb_module_find_kernel(module, NULL, diagnostics, &kernel), diagnostics);
    require(wb_launch_read("docs/examples/gemm-512.yaml", WB_FILES_BELOW, diagnostics, &launch), diagnostics);
    require(wb_machine_load("ampere-sm80", diagnostics, &machine), diagnostics);
    const double start = seconds();
    require(wb_analyze(kernel, launch, machine, NULL, diagnostics, &analysis), diagnostics);
    (void)report("512 x 512 product on ampere-sm80: all", start);
    wb_analysis_free(analysis);
    wb_launch_free(launch);
    wb_machine_free(machine);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

/* Kinds of blocks of 1 to 100 instructions each, all equally often. */
static void write_blocks(uint32_t blocks, struct text *text) {
    for (uint32_t k = 0; k < LENGTHS; k++) {
        text_printf(text, "%s%u* 4x", k > 0 ? " / " : "", blocks / LENGTHS);
        for (uint32_t i = 0; i <= k; i++)
            text_printf(text, i == 0 ? " A" : " A.%u", i - 1);
    }
}

static void bench_formulas(uint32_t blocks) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct text text = {0};
    struct synthetic_block block;
    struct grid_work work = {0};
    char what[64];
    write_blocks(blocks, &text);
    require(synthetic_grid_parse("A(2,10)", text.data, diagnostics, &block), diagnostics);
    block.machine.memory.sms = 14;
    block.machine.memory.dispatch = DISPATCH_ANY;
    block.machine.limits.blocks = 6;
    double now = seconds();
    require(block_classes_by_hand(&block, NULL, diagnostics, &work), diagnostics);
    (void)snprintf(what, sizeof what, "%u blocks by hand: summed up", blocks);
    now = report(what, now);
    for (size_t m = 0; m < FORMULAS; m++) {
        const struct bound_input input = {
            .work = &work, .machine = &block.machine, .diagnostics = diagnostics};
        wb_bound bound = {0};
        require(kernel_form_at(m)->run(&input, &bound), diagnostics);
        (void)snprintf(what, sizeof what, "%u blocks by hand: %s", blocks, kernel_form_at(m)->name);
        now = report(what, now);
    }
    grid_work_free(&work);
    synthetic_block_free(&block);
    text_free(&text);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    bench_formulas(100000);
    bench_formulas(1000000);
    bench_launch();
    bench_gemm();
    return EXIT_SUCCESS;
}
