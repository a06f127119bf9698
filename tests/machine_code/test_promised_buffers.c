/* Machine code of all kernels with some of their buffers promised to be in the second level: no bound is
 * longer than with fewer of them, none shorter than with all data, and no execution is longer than its bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/containers.h"
#include "bound/analysis/analysis.h"
#include "code_methods.h"
#include "kernel_suite.h"

/* What is asked for of a launch, whatever is promised. */
struct trial {
    const struct loaded_kernel *loaded;
    const char *path, *setting, *promises; /* of the machine; others, with a comma behind each */
    bool one_block, any_inputs;
    uint64_t seed;
};

static unsigned compared, shorter;

static wb_analysis *analyse(const struct trial *trial, const char *buffers, wb_machine **machine) {
    struct text promise = {0};
    wb_analysis *analysis;
    wb_diagnostics *diagnostics = trial->loaded->diagnostics;
    const wb_analyze_options options = {.size = sizeof options,
                                        .methods = CODE_METHODS,
                                        .one_block = trial->one_block,
                                        .inputs = trial->any_inputs ? WB_INPUTS_ANY : WB_INPUTS_USUAL};
    kernel_expect_ok(
        wb_calibration_machine(wb_module_architecture(trial->loaded->module), diagnostics, machine),
        trial->path, diagnostics);
    if (trial->setting != NULL)
        kernel_expect_ok(wb_machine_set(*machine, trial->setting, diagnostics), trial->path, diagnostics);
    text_printf(&promise, "resident=%s%s", trial->promises, buffers);
    if (promise.length > strlen("resident=")) {
        promise.data[promise.length - 1] = '\0'; /* a comma */
        kernel_expect_ok(wb_machine_set(*machine, promise.data, diagnostics), trial->path, diagnostics);
    }
    text_free(&promise);
    const wb_status status =
        wb_analyze(trial->loaded->kernel, trial->loaded->launch, *machine, &options, diagnostics, &analysis);
    if (status != WB_ERR_DECLINED) kernel_expect_ok(status, trial->path, diagnostics);
    return status == WB_OK ? analysis : NULL;
}

/* No bound of `less`, for which less is promised, is shorter than that of `more`. */
static void compare(const struct trial *trial, const wb_analysis *less, const wb_analysis *more,
                    const char *what) {
    size_t count, more_count;
    if (less == NULL || more == NULL) return;
    const wb_bound *before = wb_analysis_bounds(less, &count),
                   *bounds = wb_analysis_bounds(more, &more_count);
    assert_int_equal(count, more_count);
    for (size_t b = 0; b < count; b++) {
        if (bounds[b].kind != WB_UPPER || before[b].kind != WB_UPPER) continue;
        /* Forms of kernels weigh chains against sums, so that a shorter latency may make one a little longer.
         */
        const bool is_kernel = strcmp(bounds[b].method, "kernel") == 0;
        if (bounds[b].cycles > before[b].cycles + (is_kernel ? before[b].cycles / 100 : 0))
            fail_msg("seed %lu: %s, %s: %s is %lu longer than %lu", (unsigned long)trial->seed, trial->path,
                     what, bounds[b].method, (unsigned long)(bounds[b].cycles - before[b].cycles),
                     (unsigned long)before[b].cycles);
        shorter += bounds[b].cycles < before[b].cycles;
    }
}

static void compare_executed(const struct trial *trial, const wb_analysis *analysis) {
    size_t count, bound_count;
    if (analysis == NULL) return;
    const wb_simulation *found = wb_analysis_simulations(analysis, &count);
    const wb_bound *bounds = wb_analysis_bounds(analysis, &bound_count);
    for (size_t b = 0; b < bound_count; b++)
        for (size_t s = 0; s < count; s++)
            if (bounds[b].kind == WB_UPPER && bounds[b].cycles < found[s].cycles)
                fail_msg("seed %lu: %s: %s takes %lu cycles, %s says at most %lu", (unsigned long)trial->seed,
                         trial->path, found[s].policy, (unsigned long)found[s].cycles, bounds[b].method,
                         (unsigned long)bounds[b].cycles);
    compared += count > 0;
}

/* Adds to both lists, or to the second one only, some of the buffers. */
static void choose(const struct wb_launch *launch, struct random_state *random, struct text *some,
                   struct text *more) {
    for (size_t a = 0; a < launch->arguments.count; a++) {
        const struct launch_argument *argument = &launch->arguments.items[a];
        for (size_t p = 0; p < launch_part_count(argument); p++) {
            uint64_t offset;
            const uint64_t draw = random_below(random, 3);
            if (!launch_part(argument, p, &offset)->is_buffer || draw == 0) continue;
            struct text *const lists[] = {more, some};
            for (size_t l = 0; l < draw; l++) {
                text_printf(lists[l], "data.%zu", a + 1);
                if (argument->fields != NULL) text_printf(lists[l], ".%s", argument->fields[p].path);
                text_char(lists[l], ',');
            }
        }
    }
}

static void check(const struct trial *trial, struct random_state *random) {
    struct text some = {0}, more = {0};
    wb_machine *machines[4];
    wb_analysis *made[4];
    choose(trial->loaded->launch, random, &some, &more);
    const char *const buffers[] = {"", some.length > 0 ? some.data : "", more.length > 0 ? more.data : "",
                                   "data,"};
    for (size_t i = 0; i < 4; i++)
        made[i] = analyse(trial, buffers[i], &machines[i]);
    for (size_t i = 0; i < 4; i++) {
        compare_executed(trial, made[i]);
        if (i > 0) compare(trial, made[i - 1], made[i], buffers[i]);
        if (made[i] == NULL || wb_analysis_longest_block(made[i]) == NULL) continue;
        compare_executed(trial, wb_analysis_longest_block(made[i]));
    }
    for (size_t i = 0; i < 4; i++) {
        wb_analysis_free(made[i]);
        wb_machine_free(machines[i]);
    }
    text_free(&some);
    text_free(&more);
}

static void check_case(const struct kernel_case *entry, const char *path, void *user) {
    static const char *const settings[] = {NULL, "sass.l2_keeps=0", "sass.row_cycle=60", "memory.sms=2"};
    static const char *const promises[] = {"", "translations,", "block-l1,", "translations,code-l1,"};
    static uint64_t seed;
    (void)user;
    if (strstr(path, "sm_100") != NULL || strstr(path, "/o1/") != NULL) return;
    struct random_state random = random_seeded(++seed);
    struct loaded_kernel loaded = kernel_load(path, entry->launch);
    struct trial trial = {&loaded,
                          path,
                          settings[random_below(&random, 4)],
                          promises[random_below(&random, 4)],
                          random_below(&random, 2) == 0,
                          random_below(&random, 4) == 0,
                          seed};
    check(&trial, &random);
    kernel_unload(&loaded);
}

static void test_kernel(void **state) {
    kernel_each_code(*state, check_case, NULL);
}

/* ---- Which instructions load what is promised ---------------------------------------------------------- */

struct use_case {
    const char *kernel, *promises;
    bool one_block;
    uint32_t sooner, loads; /* instructions whose results come sooner; and hold no DRAM either */
};

static void count_uses(const struct timed_code *code, const struct wb_machine *machine, uint32_t *sooner,
                       uint32_t *loads) {
    *sooner = *loads = 0;
    for (uint32_t e = 0; e < code->inst_count; e++) {
        const struct sass_timed *timed = &code->sass[e];
        const struct machine_sass_class *class = &machine->sass.classes[timed->class_];
        if (timed->stage_count == 0 || class->plus != SASS_PLUS_MEMORY || timed_origin(code, e) != e)
            continue;
        *sooner += timed->write_most < class->write_most + sass_memory_most(&machine->sass);
        *loads += timed->in_l2;
    }
}

static void expect_uses(const struct use_case *use) {
    static const char path[] = "tests/data/levels/buffers.sm_86.cubin";
    struct loaded_kernel loaded = {.diagnostics = wb_diagnostics_new()};
    wb_diagnostics *diagnostics = loaded.diagnostics;
    const bool is_struct = strcmp(use->kernel, "fields") == 0;
    const char *launch = is_struct ? "tests/data/levels/fields.yaml" : "tests/data/levels/buffers.yaml";
    kernel_expect_ok(wb_module_read(path, diagnostics, &loaded.module), path, diagnostics);
    kernel_expect_ok(wb_launch_read(launch, WB_FILES_BELOW, diagnostics, &loaded.launch), path, diagnostics);
    kernel_expect_ok(wb_module_find_kernel(loaded.module, use->kernel, diagnostics, &loaded.kernel), path,
                     diagnostics);
    const struct trial trial = {&loaded, use->kernel, "sass.l2_keeps=0", "", use->one_block, false, 0};
    wb_machine *machine, *unpromised;
    wb_analysis *analysis = analyse(&trial, use->promises, &machine),
                *before = analyse(&trial, "", &unpromised);
    uint32_t sooner, loads;
    const wb_analysis *block = use->one_block ? analysis : wb_analysis_longest_block(analysis);
    compare_executed(&trial, analysis);
    compare_executed(&trial, block);
    compare(&trial, before, analysis, use->promises);
    count_uses(&block->timed->code, block->machine, &sooner, &loads);
    if (sooner != use->sooner || loads != use->loads)
        fail_msg("%s, %s: %u sooner, %u loads", use->kernel, use->promises, sooner, loads);
    wb_analysis_free(before);
    wb_analysis_free(analysis);
    wb_machine_free(unpromised);
    wb_machine_free(machine);
    kernel_unload(&loaded);
}

static void test_uses(void **state) {
    (void)state;
    static const struct use_case uses[] = {
        {"one", "data.a,", false, 1, 1},         {"one", "data.b,", false, 0, 0},
        {"one", "data.out,", false, 1, 0},       {"one", "data.1,data.4,", false, 2, 1},
        {"by_block", "data.a,", false, 0, 0},    {"by_block", "data.a,", true, 1, 1},
        {"by_block", "data.b,", true, 0, 0},     {"by_warp", "data.a,", false, 0, 0},
        {"by_lane", "data.a,", false, 0, 0},     {"by_data", "data.a,", false, 0, 0},
        {"by_data", "data.b,", true, 0, 0},      {"by_data", "data.index,", false, 1, 1},
        {"by_round", "data.a,", false, 0, 0},    {"gather", "data.a,", false, 0, 0},
        {"gather", "data.index,", true, 1, 1},   {"changed", "data.a,", false, 2, 1},
        {"changed", "data.index,", false, 1, 0}, {"fields", "data.p.in,", false, 1, 1},
        {"fields", "data.1.out,", true, 1, 0},   {"last_block", "data.a,", false, 1, 1},
    };
    for (size_t u = 0; u < sizeof uses / sizeof *uses; u++)
        expect_uses(&uses[u]);
}

/* Last: most of the suite was looked at. */
static void test_how_many_were_compared(void **state) {
    (void)state;
    printf("%u compared, %u bounds shorter\n", compared, shorter);
    assert_true(compared >= 400 / kernel_suite_step());
    assert_true(shorter >= 400 / kernel_suite_step());
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_uses),
                                        cmocka_unit_test(test_how_many_were_compared)};
    return kernel_suite_run("promised buffers", test_kernel, others, sizeof others / sizeof *others);
}
