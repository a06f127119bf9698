/* Every method and every policy, named by itself, on everything that can be analysed: each gives a result or
 * a reason, and none keeps the others from theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/analysis.h"
#include "ptx_presets.h"
#include "warpbound.h"

/* Named searches are cut short: what is looked at here is that they end well, not what they find. */
#define STATES 300u

/* A warp whose thread 0 reads a positive number executes one instruction more. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
                          ".reg .pred %p;\n.reg .f32 %f<4>;\n.reg .b32 %r<4>;\n.reg .b64 %a<6>;\n"
                          "ld.param.u64 %a1, [in];\nld.param.u64 %a2, [out];\n"
                          "mov.u32 %r1, %tid.x;\nmul.wide.u32 %a3, %r1, 4;\n"
                          "add.s64 %a4, %a1, %a3;\nadd.s64 %a5, %a2, %a3;\n"
                          "ld.global.f32 %f1, [%a4];\nbar.sync 0;\n"
                          "setp.gt.f32 %p, %f1, 0f00000000;\n@!%p bra done;\n"
                          "fma.rn.f32 %f1, %f1, %f1, %f1;\ndone:\n"
                          "st.global.f32 [%a5], %f1;\nret;\n}\n";

struct subjects {
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *kernel;
    wb_launch *launch;
    wb_machine *machine;
    wb_block *block, *covering_block;
    wb_grid *grid, *covering_grid;
};

static void expect_ok(const struct subjects *subjects, wb_status status) {
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(subjects->diagnostics));
}

static void trace(struct subjects *made) {
    const uint32_t width = wb_machine_warp_width(made->machine);
    wb_trace_options block = {.size = sizeof block, .record_accesses = true, .warp_width = width};
    wb_grid_options grid = {.size = sizeof grid, .warp_width = width};
    expect_ok(made, wb_block_trace(made->kernel, made->launch, &block, made->diagnostics, &made->block));
    expect_ok(made, wb_grid_trace(made->kernel, made->launch, &grid, made->diagnostics, &made->grid));
    block.cover = block.unknown_contents = true;
    grid.cover = grid.unknown_contents = grid.record_accesses = true;
    expect_ok(made,
              wb_block_trace(made->kernel, made->launch, &block, made->diagnostics, &made->covering_block));
    expect_ok(made,
              wb_grid_trace(made->kernel, made->launch, &grid, made->diagnostics, &made->covering_grid));
}

static struct subjects subjects_on(const char *preset, const char *const *settings) {
    struct subjects made = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    wb_diagnostics *diagnostics = made.diagnostics;
    expect_ok(&made, wb_module_parse("k.ptx", ptx, strlen(ptx), diagnostics, &made.module));
    expect_ok(&made, wb_module_find_kernel(made.module, "k", diagnostics, &made.kernel));
    expect_ok(&made, wb_launch_set_grid(made.launch, (const uint32_t[3]){3, 1, 1}, diagnostics));
    expect_ok(&made, wb_launch_set_block(made.launch, (const uint32_t[3]){64, 1, 1}, diagnostics));
    expect_ok(&made, wb_launch_add_argument(made.launch, "buf:f32[64]=iota", diagnostics));
    expect_ok(&made, wb_launch_add_argument(made.launch, "buf:f32[64]", diagnostics));
    expect_ok(&made, wb_machine_load(preset, diagnostics, &made.machine));
    for (; *settings != NULL; settings++)
        expect_ok(&made, wb_machine_set(made.machine, *settings, diagnostics));
    trace(&made);
    return made;
}

static void subjects_free(struct subjects *subjects) {
    wb_grid_free(subjects->covering_grid);
    wb_grid_free(subjects->grid);
    wb_block_free(subjects->covering_block);
    wb_block_free(subjects->block);
    wb_machine_free(subjects->machine);
    wb_launch_free(subjects->launch);
    wb_module_free(subjects->module);
    wb_diagnostics_free(subjects->diagnostics);
}

/* Makes one analysis of the subjects; no shape has no machine. */
typedef wb_status (*make_analysis)(const struct subjects *subjects, wb_diagnostics *diagnostics,
                                   wb_analysis **analysis);

static wb_status make_block(const struct subjects *s, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    return wb_analysis_new(s->block, s->machine, diagnostics, analysis);
}

static wb_status make_covering(const struct subjects *s, wb_diagnostics *diagnostics,
                               wb_analysis **analysis) {
    return wb_analysis_new(s->covering_block, s->machine, diagnostics, analysis);
}

static wb_status make_kernel(const struct subjects *s, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    return analysis_new_kernel(s->grid, s->machine, NULL, NULL, diagnostics, analysis);
}

static wb_status make_covering_kernel(const struct subjects *s, wb_diagnostics *diagnostics,
                                      wb_analysis **analysis) {
    return analysis_new_kernel(s->covering_grid, s->machine, NULL, NULL, diagnostics, analysis);
}

static wb_status make_default(const struct subjects *s, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    return analysis_new_grid(s->grid, s->machine, "default", diagnostics, analysis);
}

static wb_status make_in_turns(const struct subjects *s, wb_diagnostics *diagnostics,
                               wb_analysis **analysis) {
    return analysis_new_grid(s->grid, s->machine, "pure-rr", diagnostics, analysis);
}

static wb_status make_reordered(const struct subjects *s, wb_diagnostics *diagnostics,
                                wb_analysis **analysis) {
    return analysis_new_grid(s->grid, s->machine, "reorder", diagnostics, analysis);
}

static const make_analysis shapes[] = {make_block,   make_covering, make_kernel,   make_covering_kernel,
                                       make_default, make_in_turns, make_reordered};

/* Whether the analysis has a bound or a simulation by that name: *none where a reason stands instead. */
static bool has_result(const wb_analysis *analysis, const char *name, bool *none) {
    size_t bounds, simulations, declined;
    if (analysis == NULL) return false;
    const wb_bound *bound = wb_analysis_bounds(analysis, &bounds);
    const wb_simulation *simulation = wb_analysis_simulations(analysis, &simulations);
    const wb_declined *reason = wb_analysis_declined(analysis, &declined);
    for (size_t i = 0; i < bounds; i++)
        if (strcmp(bound[i].method, name) == 0) return true;
    for (size_t i = 0; i < simulations; i++)
        if (strcmp(simulation[i].policy, name) == 0) return true;
    for (size_t i = 0; i < declined; i++)
        if (strcmp(reason[i].method, name) == 0 && reason[i].reason[0] != '\0') *none = true;
    return has_result(wb_analysis_longest_block(analysis), name, none);
}

/* A step came to `status`: there is a result or a reason, and a message where there is no result at all. */
static void check_step(const char *what, const char *name, const wb_analysis *analysis, wb_status status,
                       const wb_diagnostics *messages) {
    bool none = false;
    const bool result = has_result(analysis, name, &none);
    if (!result && !none) fail_msg("%s, %s: neither a result nor a reason", what, name);
    if (!result && status == WB_OK) fail_msg("%s, %s: no result, but no status says so", what, name);
    if (status != WB_OK && wb_diagnostics_errors(messages) == 0)
        fail_msg("%s, %s: status %d without a message", what, name, (int)status);
}

static void check_reports(const char *what, const wb_analysis *analysis) {
    wb_diagnostics *messages = wb_diagnostics_new();
    const wb_report_options options = {.size = sizeof options, .phases = false};
    for (int format = WB_REPORT_TEXT; format <= WB_REPORT_JSON; format++) {
        char *text = NULL;
        if (wb_report(analysis, (wb_report_format)format, &options, messages, &text) != WB_OK)
            fail_msg("%s: %s", what, wb_diagnostics_text(messages));
        free(text);
    }
    wb_diagnostics_free(messages);
}

/* One method after the other, then all policies likewise, on one analysis; every one of them by itself, too.
 */
static void check_names(const char *what, wb_analysis *analysis) {
    analysis_set_state_limit(analysis, STATES);
    for (size_t i = 0; wb_method_name(i) != NULL; i++) {
        wb_diagnostics *messages = wb_diagnostics_new();
        const wb_status status = wb_analysis_bound(analysis, wb_method_name(i), NULL, messages);
        check_step(what, wb_method_name(i), analysis, status, messages);
        wb_diagnostics_free(messages);
    }
    for (size_t i = 0; wb_policy_name(i) != NULL; i++) {
        wb_diagnostics *messages = wb_diagnostics_new();
        const wb_status status = wb_analysis_simulate(analysis, wb_policy_name(i), NULL, messages);
        check_step(what, wb_policy_name(i), analysis, status, messages);
        wb_diagnostics_free(messages);
    }
    check_reports(what, analysis);
}

/* "all", and lists of one that applies with one that does not: what applies has its result. */
static void check_all(const char *what, wb_analysis *analysis) {
    wb_diagnostics *messages = wb_diagnostics_new();
    const wb_status status = wb_analysis_bound(analysis, "all", NULL, messages);
    if (status != WB_OK || wb_diagnostics_errors(messages) > 0)
        fail_msg("%s, all: %d, %s", what, (int)status, wb_diagnostics_text(messages));
    check_reports(what, analysis);
    wb_diagnostics_free(messages);
}

/* Both on analyses of their own, where the shape is one of the machine. Returns whether it is. */
static bool check_shape(const char *what, const struct subjects *subjects, make_analysis make) {
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_analysis *analysis = NULL;
    const bool exists = make(subjects, messages, &analysis) == WB_OK;
    if (exists) check_names(what, analysis);
    wb_analysis_free(analysis);
    analysis = NULL;
    if (exists && make(subjects, messages, &analysis) == WB_OK) check_all(what, analysis);
    wb_analysis_free(analysis);
    wb_diagnostics_free(messages);
    return exists;
}

/* One memory of all SMs, one sub-core and static dispatch are in no preset. */
static const char *const plain[] = {NULL};
static const char *const one_sub_core[] = {"sub_cores=1", NULL};
static const char *const contended[] = {"sub_cores=1", "service=3", NULL};
static const char *const dealt_out[] = {"dispatch=static", NULL};
static const char *const *const settings[] = {plain, one_sub_core, contended, dealt_out};

static void test_every_machine(void **state) {
    (void)state;
    size_t exist = 0;
    for (size_t m = 0; m < wb_machine_preset_count(); m++) {
        const char *preset = wb_machine_preset_name(m);
        if (!preset_takes_ptx(preset)) continue;
        for (size_t v = 0; v < sizeof settings / sizeof *settings; v++) {
            struct subjects subjects = subjects_on(preset, settings[v]);
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
                char what[100];
                (void)snprintf(what, sizeof what, "%s, settings %zu, shape %zu", preset, v, s);
                exist += check_shape(what, &subjects, shapes[s]);
            }
            subjects_free(&subjects);
        }
    }
    assert_true(exist > 100);
}

/* Blocks, a grid, a grid with one memory, and abstract warps, all written by hand. */
static const char *const files[] = {"docs/refutations/gub-gap.yaml",
                                    "docs/refutations/starved.yaml",
                                    "docs/refutations/waves.yaml",
                                    "docs/refutations/eq3.yaml",
#ifdef WB_WING_ABSTRACT_CTA
                                    "docs/examples/triangle-sum-slide.yaml",
#endif
                                    "docs/refutations/waves-static-time.yaml"};

static void test_every_file(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof files / sizeof *files); i++) {
        wb_diagnostics *messages = wb_diagnostics_new();
        wb_analysis *analysis = NULL;
        if (wb_analysis_read(files[i / 2], messages, &analysis) != WB_OK)
            fail_msg("%s", wb_diagnostics_text(messages));
        if (i % 2 == 0)
            check_names(files[i / 2], analysis);
        else
            check_all(files[i / 2], analysis);
        wb_analysis_free(analysis);
        wb_diagnostics_free(messages);
    }
}

#ifdef WB_WING_GPGPUSIM
/* One name that does not apply costs the others nothing, and has its row. */
static void test_one_declined_method_is_a_row(void **state) {
    (void)state;
    struct subjects subjects = subjects_on("gpgpusim-orin", plain);
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_analysis *analysis = NULL;
    size_t count;
    assert_int_equal(make_block(&subjects, messages, &analysis), WB_OK);
    assert_int_equal(wb_analysis_bound(analysis, "adversary,k-sm,sib", NULL, messages), WB_OK);
    assert_int_equal(wb_diagnostics_errors(messages), 0);
    (void)wb_analysis_bounds(analysis, &count);
    assert_int_equal(count, 1);
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    assert_int_equal(count, 2);
    assert_string_equal(declined[0].method, "adversary");
    assert_int_equal(declined[0].status, WB_ERR_DECLINED);
    assert_string_equal(declined[1].method, "kernel");
    assert_int_equal(wb_analysis_bound(analysis, "k-area", NULL, messages), WB_ERR_DECLINED);
    assert_int_equal(wb_diagnostics_errors(messages), 1);
    wb_analysis_free(analysis);
    wb_diagnostics_free(messages);
    subjects_free(&subjects);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef WB_WING_GPGPUSIM
        cmocka_unit_test(test_one_declined_method_is_a_row),
#endif
        cmocka_unit_test(test_every_file),
        cmocka_unit_test(test_every_machine),
    };
    return cmocka_run_group_tests_name("all methods", tests, NULL, NULL);
}
