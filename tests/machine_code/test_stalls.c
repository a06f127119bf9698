/* What stall counts of machine code prove: against a sum over lanes, step by step; what they refute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/analysis.h"
#include "bound/analysis/verdict.h"
#include "naive_lane.h"
#include "sass/sass.h"
#include "warp/path/path.h"
#include "warpbound.h"

/* A kernel of kernels/ in its launch. */
struct loaded {
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *kernel;
    wb_launch *launch;
};

static void expect_ok(const struct loaded *loaded, wb_status status, const char *what) {
    if (status != WB_OK) fail_msg("%s: %s", what, wb_diagnostics_text(loaded->diagnostics));
}

static struct loaded load(const char *name, const char *ending) {
    struct loaded loaded = {.diagnostics = wb_diagnostics_new()};
    char path[200];
    (void)snprintf(path, sizeof path, "kernels/%s.yaml", name);
    expect_ok(&loaded, wb_launch_read(path, WB_FILES_BELOW, loaded.diagnostics, &loaded.launch), path);
    (void)snprintf(path, sizeof path, "kernels/%s%s.%s", strcmp(ending, "ptx") == 0 ? "" : "cubin/", name,
                   ending);
    expect_ok(&loaded, wb_module_read(path, loaded.diagnostics, &loaded.module), path);
    expect_ok(&loaded,
              wb_module_find_kernel(loaded.module, wb_launch_kernel(loaded.launch), loaded.diagnostics,
                                    &loaded.kernel),
              path);
    return loaded;
}

static void unload(struct loaded *loaded) {
    wb_launch_free(loaded->launch);
    wb_module_free(loaded->module);
    wb_diagnostics_free(loaded->diagnostics);
}

static void test_control_fields(void **state) {
    static const struct {
        uint8_t stall;
        bool yield;
        uint32_t cycles;
    } cases[] = {{0, false, 1},  {1, false, 1},  {2, false, 2},  {11, false, 11},
                 {12, false, 1}, {15, false, 1}, {0, true, 2},   {1, true, 2},
                 {2, true, 2},   {11, true, 11}, {12, true, 12}, {15, true, 15}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sass_control control = {.stall = cases[i].stall, .yield = cases[i].yield};
        assert_int_equal(stalls_of_control(&control), cases[i].cycles);
    }
}

/* The most of a lane of a block, by going through the paths of its warps step by step; without the start of
 * kernels of sm_87 that may be skipped. */
static uint64_t naive_most(const struct loaded *loaded, const wb_block *block) {
    const struct machine_code *code = loaded->module->code;
    const uint32_t start = code->sm == 87 ? code->insts[1].sass.target : 0;
    const uint32_t count = block->code_first[loaded->module->function_count];
    struct issue_rule *rules = calloc(count, sizeof *rules);
    uint64_t most = 0;
    assert_non_null(rules);
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_inst *inst = code_inst(loaded->module, block->code_first, i, NULL);
        const struct machine_inst *machine = &code->insts[inst->machine];
        rules[i] = issue_rule_of(code->sm, &machine->sass);
        if (machine->address > 0x10 && machine->address < start) rules[i].stall = 0;
    }
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t lane = 0; lane < 32; lane++)
            most = cycles_max(most, naive_lane_time(rules, &block->paths.items[block->warp_path[w]], lane));
    free(rules);
    return most;
}

static void test_sums_of_lanes(void **state) {
    static const char *const names[] = {"bfs_level", "components", "mandelbrot", "reduce", "sparse_matvec"};
    static const char *const endings[] = {"sm_75.cubin", "sm_80.cubin", "sm_86.cubin",
                                          "sm_87.cubin", "sm_89.cubin", "sm_90.cubin"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names * 6; i++) {
        struct loaded loaded = load(names[i / 6], endings[i % 6]);
        const wb_trace_options options = {.size = sizeof options};
        wb_block *block;
        wb_stalls stalls;
        expect_ok(&loaded,
                  stalls_find(loaded.kernel, loaded.launch, options.block, loaded.diagnostics, &stalls),
                  names[i / 6]);
        expect_ok(&loaded, wb_block_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &block),
                  names[i / 6]);
        assert_true(stalls.cycles > 0);
        if (stalls.cycles != naive_most(&loaded, block))
            fail_msg("%s.%s: %lu, step by step %lu", names[i / 6], endings[i % 6],
                     (unsigned long)stalls.cycles, (unsigned long)naive_most(&loaded, block));
        wb_block_free(block);
        unload(&loaded);
    }
}

/* All blocks have no less than one of them. */
static void test_all_blocks(void **state) {
    struct loaded loaded = load("bfs_level", "sm_86.cubin");
    wb_stalls all, one;
    (void)state;
    expect_ok(&loaded, stalls_find(loaded.kernel, loaded.launch, NULL, loaded.diagnostics, &all), "all");
    expect_ok(&loaded, stalls_find(loaded.kernel, loaded.launch, all.block, loaded.diagnostics, &one),
              "the one that takes longest");
    assert_int_equal(all.cycles, one.cycles);
    assert_int_equal(all.warp, one.warp);
    for (uint32_t b = 0; b < 8; b++) {
        const uint32_t block[3] = {b, 0, 0};
        expect_ok(&loaded, stalls_find(loaded.kernel, loaded.launch, block, loaded.diagnostics, &one), "one");
        assert_true(one.cycles <= all.cycles);
    }
    unload(&loaded);
}

static void test_ptx_has_none(void **state) {
    struct loaded loaded = load("vecadd", "ptx");
    wb_stalls stalls;
    (void)state;
    assert_int_equal(stalls_find(loaded.kernel, loaded.launch, NULL, loaded.diagnostics, &stalls),
                     WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(loaded.diagnostics), "it is PTX, which has no stall counts"));
    unload(&loaded);
}

/* The loop of mandelbrot takes the machine code of sm_90 36 cycles an iteration: no verdict rests on a
 * machine whose comparisons and arithmetic of floats take 2 cycles. One that is slower is not refuted. */
static void test_refutes(void **state) {
    static const struct {
        const char *sets[2];
        bool refuted;
    } machines[] = {{{"class.compare.latency=0", "class.fp32.latency=1"}, true}, {{NULL, NULL}, false}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct loaded ptx = load("mandelbrot", "ptx"), code = load("mandelbrot", "sm_90.cubin");
        const wb_analyze_options options = {
            .size = sizeof options, .methods = "k-area", .policies = "gto", .accept = WB_ACCEPT_PTX_MODEL};
        const uint64_t deadline = 1000000;
        wb_machine *machine = NULL;
        wb_analysis *analysis = NULL;
        wb_stalls stalls;
        expect_ok(&ptx, wb_machine_load("hopper-sm90", ptx.diagnostics, &machine), "hopper-sm90");
        for (size_t s = 0; s < 2 && machines[i].sets[s] != NULL; s++)
            expect_ok(&ptx, wb_machine_set(machine, machines[i].sets[s], ptx.diagnostics),
                      machines[i].sets[s]);
        expect_ok(&ptx, wb_analyze(ptx.kernel, ptx.launch, machine, &options, ptx.diagnostics, &analysis),
                  "analysis");
        expect_ok(&code, stalls_find(code.kernel, code.launch, NULL, code.diagnostics, &stalls), "stalls");
        expect_ok(&ptx, stalls_compare(ptx.kernel, ptx.launch, machine, ptx.diagnostics, &stalls),
                  "compared");
        assert_true(stalls.loop_cycles >= 3600 && stalls.cycles > stalls.loop_cycles);
        assert_string_equal(stalls.loop_file, "src/mandelbrot.cu");
        const wb_stalls_warp *refuting = wb_stalls_refuting(&stalls);
        assert_true(stalls.warp_count > 1 && stalls.warps[0].cycles == stalls.cycles);
        assert_int_equal(refuting != NULL, machines[i].refuted);
        assert_true(refuting == NULL || refuting->stated < refuting->cycles);
        assert_int_equal(wb_analysis_judge(analysis, WB_SCOPE_KERNEL, &deadline).state, WB_MET);
        analysis_set_stalls(analysis, &stalls);
        const wb_verdict verdict = wb_analysis_judge(analysis, WB_SCOPE_KERNEL, &deadline);
        assert_int_equal(verdict.state, machines[i].refuted ? WB_UNPROVEN : WB_MET);
        assert_int_equal(verdict.refuted != NULL, machines[i].refuted);
        /* Far above every bound, whatever the machine says of the warp alone. */
        stalls.cycles = UINT64_C(1) << 40;
        stalls.warp_count = 0;
        analysis_set_stalls(analysis, &stalls);
        assert_int_equal(wb_analysis_judge(analysis, WB_SCOPE_KERNEL, &deadline).state, WB_MISSED);
        wb_analysis_free(analysis);
        wb_machine_free(machine);
        unload(&code);
        unload(&ptx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_control_fields), cmocka_unit_test(test_sums_of_lanes),
        cmocka_unit_test(test_all_blocks),     cmocka_unit_test(test_ptx_has_none),
        cmocka_unit_test(test_refutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
