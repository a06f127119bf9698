/* Instructions that no kernel of kernels/ has, on the presets of their architecture: no execution that is
 * found takes longer than the bounds, a sleep takes twice what it is told on the fastest clock, and memory of
 * which nobody knows where every lane touches. Barriers of a part of the block are declined. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "code_methods.h"
#include "launch_text.h"
#include "ptx/ptx.h"
#include "sass/sass.h"
#include "warpbound.h"

#define FOLDER "tests/data/machine_code/"

static const uint32_t architectures[] = {75, 80, 86, 87, 89, 90};

struct timed_kernel {
    const char *file, *name;
    uint32_t sm;            /* the first architecture */
    uint64_t nanoseconds;   /* that the longest way of a warp is told to sleep */
    enum sass_op uncounted; /* loses its counters before it is analysed; SASS_OP_UNKNOWN: none does */
};

static const struct timed_kernel kernels[] = {
    {"waits_code", "sleeps", 75, 500, SASS_OP_UNKNOWN},
    {"waits_code", "sleeps_by_lane", 75, 540, SASS_OP_UNKNOWN},
    {"waits_code", "named_barriers", 75, 0, SASS_OP_UNKNOWN},
    {"access_code", "prefetches", 75, 0, SASS_OP_UNKNOWN},
    {"access_code", "half_atomics", 75, 0, SASS_OP_UNKNOWN},
    {"access_code", "textures", 75, 0, SASS_OP_UNKNOWN},
    {"access_code", "surfaces", 75, 0, SASS_OP_UNKNOWN},
    {"access_code", "queries", 75, 0, SASS_OP_UNKNOWN},
    {"hopper_code", "store_matrices", 90, 0, SASS_OP_UNKNOWN},
    {"hopper_code", "vector_atomics", 90, 0, SASS_OP_UNKNOWN},
    {"hopper_code", "elects", 90, 0, SASS_OP_UNKNOWN},
};

struct analysed {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_machine *machine;
    wb_launch *launch;
    wb_analysis *analysis;
};

static void expect_ok(const struct analysed *analysed, wb_status status, const char *what) {
    if (status != WB_OK) fail_msg("%s: %s", what, wb_diagnostics_text(analysed->diagnostics));
}

static void take_counters(const wb_module *module, enum sass_op op) {
    for (uint32_t i = 0; op != SASS_OP_UNKNOWN && i < module->code->inst_count; i++)
        if (module->code->insts[i].sass.op == op)
            module->code->insts[i].sass.control.write_counter = SASS_NO_COUNTER;
}

/* `setting`: of the machine, or NULL; *status: of the analysis. */
static struct analysed try_analyse(const struct timed_kernel *kernel, uint32_t sm, const char *setting,
                                   wb_status *status) {
    struct analysed made = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    const wb_analyze_options options = {.size = sizeof options,
                                        .methods = CODE_METHODS ",k-adversary,k-adversary-short"};
    const wb_kernel *found;
    char path[96];
    (void)text_format(path, sizeof path, FOLDER "%s.sm_%u.cubin", kernel->file, sm);
    expect_ok(&made, wb_module_read(path, made.diagnostics, &made.module), path);
    expect_ok(&made, wb_module_find_kernel(made.module, kernel->name, made.diagnostics, &found), path);
    take_counters(made.module, kernel->uncounted);
    expect_ok(&made, wb_calibration_machine(sm, made.diagnostics, &made.machine), path);
    if (setting != NULL) expect_ok(&made, wb_machine_set(made.machine, setting, made.diagnostics), path);
    expect_ok(&made, launch_grid_text(made.launch, "3", made.diagnostics), path);
    expect_ok(&made, launch_block_text(made.launch, "96", made.diagnostics), path);
    expect_ok(&made, wb_launch_add_argument(made.launch, "buf:u32[1024]=random(7)", made.diagnostics), path);
    expect_ok(&made, wb_launch_add_argument(made.launch, "buf:u64[2048]=zero", made.diagnostics), path);
    *status = wb_analyze(found, made.launch, made.machine, &options, made.diagnostics, &made.analysis);
    return made;
}

static struct analysed analyse(const struct timed_kernel *kernel, uint32_t sm, const char *setting) {
    wb_status status;
    const struct analysed made = try_analyse(kernel, sm, setting, &status);
    expect_ok(&made, status, kernel->name);
    return made;
}

static void free_analysed(struct analysed *analysed) {
    wb_analysis_free(analysed->analysis);
    wb_launch_free(analysed->launch);
    wb_module_free(analysed->module);
    wb_machine_free(analysed->machine);
    wb_diagnostics_free(analysed->diagnostics);
}

/* The least bound, which no execution that was found exceeds. */
static uint64_t bound_of(const wb_analysis *analysis, const char *name) {
    size_t count, simulated;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &simulated);
    uint64_t least = UINT64_MAX, found = 0;
    for (size_t b = 0; b < count; b++) {
        if (bounds[b].kind == WB_UPPER && bounds[b].cycles < least) least = bounds[b].cycles;
        if (bounds[b].kind == WB_LOWER && bounds[b].cycles > found) found = bounds[b].cycles;
    }
    for (size_t s = 0; s < simulated; s++)
        if (simulations[s].cycles > found) found = simulations[s].cycles;
    assert_true(found > 0 && least < UINT64_MAX);
    if (found > least)
        fail_msg("%s: an execution takes %lu cycles, bounds say %lu", name, (unsigned long)found,
                 (unsigned long)least);
    return least;
}

static void test_executions_are_within_bounds(void **state) {
    (void)state;
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            static const char *const settings[] = {NULL, "memory.sms=1", "resident=all"};
            if (kernels[k].sm > architectures[a]) continue;
            for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
                struct analysed analysed = analyse(&kernels[k], architectures[a], settings[s]);
                (void)bound_of(analysed.analysis, kernels[k].name);
                free_analysed(&analysed);
            }
        }
    }
}

/* A cycle of a fast clock is short, so that the same time takes more of them. */
static void test_sleeps_take_their_time(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (kernels[k].nanoseconds == 0) continue;
        struct analysed slow = analyse(&kernels[k], 86, "sass.clock=1410..1410");
        struct analysed fast = analyse(&kernels[k], 86, "sass.clock=1410..2410");
        const uint64_t more =
            bound_of(fast.analysis, kernels[k].name) - bound_of(slow.analysis, kernels[k].name);
        assert_in_range(more, 2 * kernels[k].nanoseconds, 2 * kernels[k].nanoseconds + 2);
        free_analysed(&slow);
        free_analysed(&fast);
    }
}

/* A prefetch holds the unit MEMORY for the four sectors of a line of each lane: 128, and one more cycle of
 * each is so many cycles more of three warps. */
static void test_all_lanes_touch_memory(void **state) {
    (void)state;
    static const struct {
        const char *name, *slow, *fast;
        uint64_t sectors; /* of a warp beyond the first of each instruction */
    } rows[] = {
        {"prefetches", "class.prefetch.each_3=34", "class.prefetch.each_3=14", 4 * 127},
        {"surfaces", "class.surface.each_3=34", "class.surface.each_3=14", 4 * 33},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct timed_kernel kernel = {"access_code", rows[r].name, 75, 0, SASS_OP_UNKNOWN};
        struct analysed slow = analyse(&kernel, 86, rows[r].slow), fast = analyse(&kernel, 86, rows[r].fast);
        assert_true(bound_of(slow.analysis, rows[r].name) - bound_of(fast.analysis, rows[r].name) >=
                    20 * 3 * rows[r].sectors);
        free_analysed(&slow);
        free_analysed(&fast);
    }
}

/* Of textures the last counts for those before it. If only those before it counted, nobody would say when its
 * result is there. */
static void test_textures_come_back_in_order(void **state) {
    (void)state;
    const struct timed_kernel all = {"access_code", "textures", 75, 0, SASS_OP_UNKNOWN};
    struct timed_kernel kernel = all;
    wb_status status;
    struct analysed counted = analyse(&all, 86, NULL);
    kernel.uncounted = SASS_OP_TEX;
    struct analysed behind = analyse(&kernel, 86, NULL);
    assert_int_equal(bound_of(counted.analysis, all.name), bound_of(behind.analysis, all.name));
    kernel.uncounted = SASS_OP_TLD4;
    struct analysed refused = try_analyse(&kernel, 86, NULL, &status);
    assert_int_equal(status, WB_ERR_DECLINED);
    assert_non_null(strstr(wb_diagnostics_text(refused.diagnostics), "no counter says when its result"));
    free_analysed(&counted);
    free_analysed(&behind);
    free_analysed(&refused);
}

/* How many threads a barrier joins is known when it is executed. */
static void test_barriers_of_a_part_are_declined(void **state) {
    (void)state;
    static const struct timed_kernel part = {"waits_code", "counted_part", 75, 0, SASS_OP_UNKNOWN};
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        wb_status status;
        struct analysed analysed = try_analyse(&part, architectures[a], NULL, &status);
        assert_int_equal(status, WB_ERR_DECLINED);
        assert_non_null(
            strstr(wb_diagnostics_text(analysed.diagnostics), "this barrier does not join all threads"));
        free_analysed(&analysed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_executions_are_within_bounds),
        cmocka_unit_test(test_sleeps_take_their_time),
        cmocka_unit_test(test_all_lanes_touch_memory),
        cmocka_unit_test(test_textures_come_back_in_order),
        cmocka_unit_test(test_barriers_of_a_part_are_declined),
    };
    return cmocka_run_group_tests_name("waits of machine code", tests, NULL, NULL);
}
