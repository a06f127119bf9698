/* Abstract CTA simulation: the published example under every set of conventions that gives its figure, and
 * the proven bound against all schedules of random structured programs. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/analysis.h"
#include "bound_named.h"
#include "explorer.h"
#include "grid_execute.h"
#include "random_acta.h"
#include "random_block.h"
#include "random_kernel.h"
#include "sim/gpu/gpu.h"
#include "wings/abstract_cta/acta_file.h"
#include "wings/abstract_cta/acta_simulate.h"
#include "wings/abstract_cta/acta_trace.h"

static cycles slowest(const wb_analysis *analysis) {
    size_t count;
    cycles most = 0;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (simulations[i].work_conserving) most = cycles_max(most, simulations[i].cycles);
    return most;
}

/* ---- TriangleSum ------------------------------------------------------------------------------------------
 */

/* The sets of docs/abstract-cta.md: what each makes of the slide's abstract warp. The load is executed in odd
 * rows. */
static const struct {
    const char *set;
    cycles instructions, barriers, stalls, shifts;
} parameter_sets[] = {
    {"", 692, 40, 72, 0},
    {"set: [abstract_cta.header=n, abstract_cta.memory_latency=9, abstract_cta.stall_warps=all]\n", 684, 40,
     80, 0},
    {"set: [abstract_cta.header=n, abstract_cta.memory_latency=10, abstract_cta.barrier_slots=0]\n", 684, 0,
     120, 0},
    {"set: [abstract_cta.header=n, abstract_cta.memory_latency=16, abstract_cta.stall_warps=all, "
     "abstract_cta.barrier_slots=0, abstract_cta.barrier_cycles=1, abstract_cta.uniform_branch=executed, "
     "abstract_cta.shift=added, abstract_cta.stores_stall=true]\n",
     604, 16, 144, 40},
};

#define SLIDE                                                                                                \
    "abstract_warp: \"slide\"\nwarps: 4\nloops: {ROWS: [4, 8, 12, 16]}\n"                                    \
    "program: \"7 ROWS(2: 7/1 {4 m}@01 | 3) 4 w\"\n"

static void four_sets_of_conventions_give_804(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof parameter_sets / sizeof *parameter_sets; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct acta_warp_file file = {0};
        struct text text = {0};
        struct acta_time time;
        text_printf(&text, "%s%s", SLIDE, parameter_sets[i].set);
        if (acta_warp_file_parse("slide", text.data, text.length, diagnostics, &file) != WB_OK)
            fail_msg("%s", wb_diagnostics_text(diagnostics));
        struct acta_rules rules = acta_rules_stated(file.machine);
        assert_int_equal(acta_simulate(&file.cta, &rules, NULL, diagnostics, NULL, &time), WB_OK);
        assert_int_equal(time.instructions, parameter_sets[i].instructions);
        assert_int_equal(time.barriers, parameter_sets[i].barriers);
        assert_int_equal(time.stalls, parameter_sets[i].stalls);
        assert_int_equal(time.shifts, parameter_sets[i].shifts);
        assert_int_equal(acta_time_total(&time), 804);
        assert_int_equal(time.windows, 17); /* 16 that end at a barrier, and the last warp's end */
        assert_int_equal(time.widest, 1);
        acta_warp_file_free(&file);
        text_free(&text);
        wb_diagnostics_free(diagnostics);
    }
}

/* What the sum comes to for TriangleSum, counted by hand: 40 rows of four warps, 16 windows. */
static cycles triangle_by_hand(const struct machine_abstract_cta *keys) {
    const bool executed = keys->uniform_branch == BRANCH_EXECUTED_SIDE;
    cycles time = 4 * 7 + 40 * (2 + 7 + 3) + 4 * 4 + (keys->header == HEADER_TESTS_THE_EXIT ? 4 * 2 : 0);
    if (keys->shift == SHIFT_IS_ADDED) time += 40;
    for (uint32_t row = 0; row <= 16; row++) { /* the last window has no barrier */
        const uint32_t warps = row < 16 ? 4 - row / 4 : 0;
        const uint32_t hiding = keys->stall_warps == STALL_ALL_WARPS ? 4 : warps > 0 ? warps : 1;
        const bool loads = warps > 0 && (!executed || row % 2 == 1);
        const bool stores = keys->stores_stall && row > 0 && row % 4 == 0;
        if (loads) time += 4 * (cycles)warps;
        if (loads || stores) time += cycles_sub(keys->memory_latency, hiding);
        if (warps > 0) time += warps * (cycles)keys->barrier_slots + keys->barrier_cycles;
    }
    return time;
}

/* All combinations of the keys, with all latencies that matter: 38 of them give the published number. */
static void every_combination_counts_as_by_hand(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct acta_warp_file file = {0};
    uint32_t published = 0;
    static const char slide[] = "machine: hirvisalo\n" SLIDE;
    assert_int_equal(acta_warp_file_parse("slide", slide, strlen(slide), diagnostics, &file), WB_OK);
    for (uint32_t bits = 0; bits < 128 * 32; bits++) {
        struct wb_machine machine = *file.machine;
        struct acta_time time;
        machine.abstract_cta = (struct machine_abstract_cta){.header = bits & 1,
                                                             .barrier_slots = bits >> 1 & 1,
                                                             .barrier_cycles = bits >> 2 & 1,
                                                             .stall_warps = bits >> 3 & 1,
                                                             .uniform_branch = bits >> 4 & 1,
                                                             .shift = bits >> 5 & 1,
                                                             .stores_stall = (bits >> 6 & 1) != 0,
                                                             .memory_latency = 1 + (bits >> 7)};
        const struct acta_rules rules = acta_rules_stated(&machine);
        assert_int_equal(acta_simulate(&file.cta, &rules, NULL, diagnostics, NULL, &time), WB_OK);
        assert_int_equal(acta_time_total(&time), triangle_by_hand(&machine.abstract_cta));
        published += acta_time_total(&time) == 804;
    }
    assert_int_equal(published, 38);
    acta_warp_file_free(&file);
    wb_diagnostics_free(diagnostics);
}

/* TriangleSum traced and analysed on the machine of the slides. */
struct triangle {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    wb_machine *machine;
    wb_block *block;
    wb_analysis *analysis;
};

static void expect_ok(const struct triangle *triangle, wb_status status) {
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(triangle->diagnostics));
}

static struct triangle triangle_open(const char *ptx) {
    struct triangle t = {.diagnostics = wb_diagnostics_new()};
    expect_ok(&t, wb_module_read(ptx, t.diagnostics, &t.module));
    expect_ok(&t, wb_launch_read("kernels/triangle_sum.yaml", WB_FILES_BELOW, t.diagnostics, &t.launch));
    expect_ok(&t, wb_machine_load("hirvisalo", t.diagnostics, &t.machine));
    const wb_trace_options options = {.size = sizeof options, .warp_width = wb_machine_warp_width(t.machine)};
    const wb_kernel *kernel = wb_module_kernel(t.module, 0);
    expect_ok(&t, wb_block_trace(kernel, t.launch, &options, t.diagnostics, &t.block));
    expect_ok(&t, wb_analysis_new(t.block, t.machine, t.diagnostics, &t.analysis));
    expect_ok(&t, wb_analysis_bound(t.analysis, "abstract-cta,abstract-cta-safe", NULL, t.diagnostics));
    expect_ok(&t, wb_analysis_simulate(t.analysis, "all", NULL, t.diagnostics));
    return t;
}

static void triangle_close(struct triangle *t) {
    wb_analysis_free(t->analysis);
    wb_block_free(t->block);
    wb_machine_free(t->machine);
    wb_launch_free(t->launch);
    wb_module_free(t->module);
    wb_diagnostics_free(t->diagnostics);
}

static cycles simulated(const wb_analysis *analysis, const char *policy) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(simulations[i].policy, policy) == 0) return simulations[i].cycles;
    return 0;
}

/* From PTX to both published numbers: 804 estimated, 688 simulated. */
static void the_slide_comes_out_of_ptx(void **state) {
    (void)state;
    struct triangle t = triangle_open("kernels/triangle_sum_slide.ptx");
    const wb_bound *published = bound_named(t.analysis, "abstract-cta");
    const wb_bound *safe = bound_named(t.analysis, "abstract-cta-safe");
    assert_int_equal(wb_block_warp_count(t.block), 4);
    assert_int_equal(published->cycles, 804);
    assert_int_equal(published->kind, WB_ESTIMATE);
    assert_non_null(published->reason);
    assert_int_equal(simulated(t.analysis, "oldest"), 688);
    /* 692 instructions, 40 barriers with a cycle each, 16 releases, 16 waits of 7 cycles */
    assert_int_equal(safe->cycles, 692 + 40 + 16 + 16 * 7);
    assert_int_equal(safe->kind, WB_UPPER);
    triangle_close(&t);
}

/* What nvcc makes of the source has other instruction counts. */
static void the_compiler_has_other_counts(void **state) {
    (void)state;
    struct triangle t = triangle_open("kernels/triangle_sum.ptx");
    const wb_bound *safe = bound_named(t.analysis, "abstract-cta-safe");
    assert_int_equal(bound_named(t.analysis, "abstract-cta")->cycles, 940);
    assert_int_equal(simulated(t.analysis, "oldest"), 860);
    assert_true(safe->cycles >= slowest(t.analysis));
    triangle_close(&t);
}

/* Both versions of the kernel leave the same in memory. */
static void both_versions_compute_the_same(void **state) {
    (void)state;
    static const char *const files[] = {"kernels/triangle_sum.ptx", "kernels/triangle_sum_slide.ptx"};
    static const char *const launches[] = {"kernels/triangle_sum.yaml", "kernels/triangle_sum_128.yaml"};
    for (size_t l = 0; l < 2; l++) {
        uint8_t *bytes[2], *known[2];
        size_t size[2];
        for (size_t f = 0; f < 2; f++) {
            struct triangle t = {.diagnostics = wb_diagnostics_new()};
            expect_ok(&t, wb_module_read(files[f], t.diagnostics, &t.module));
            expect_ok(&t, wb_launch_read(launches[l], WB_FILES_BELOW, t.diagnostics, &t.launch));
            expect_ok(&t, grid_execute(wb_module_kernel(t.module, 0), t.launch, 1, t.diagnostics, &bytes[f],
                                       &known[f], &size[f]));
            triangle_close(&t);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        for (size_t f = 0; f < 2; f++) {
            free(bytes[f]);
            free(known[f]);
        }
    }
}

/* ---- The stall term ---------------------------------------------------------------------------------------
 */

/* `warps` warps that work long enough to hide a load, load, and meet: 3 times. What was loaded is used before
 * the barrier or not at all. Returns the abstract warps, with 40 + 1 + uses instructions a window. */
static void make_meeting(uint32_t warps, uint32_t latency, bool uses, struct synthetic_block *block,
                         struct acta_group *cta) {
    struct text units = {0}, program = {0};
    struct acta_sequence sequence = ACTA_SEQUENCE_EMPTY;
    uint32_t executed = 0;
    text_printf(&units, "A(1,0) M(1,%u)", latency);
    text_printf(&program, "%ux ", warps);
    *cta = (struct acta_group){.warp = {.first = ACTA_NONE}};
    for (uint32_t meeting = 0; meeting < 3; meeting++) {
        for (uint32_t i = 0; i < 40; i++)
            text_string(&program, "A ");
        text_string(&program, "M ");
        if (uses) text_printf(&program, "A.%u ", executed + 40);
        executed += 41 + uses;
        /* A barrier that needs the result: the warp arrives when it is there. */
        text_printf(&program, "A.%u! ", executed - 1);
        executed++;
        assert_int_equal(acta_add_time(&cta->warp, 41 + uses, 0, &sequence), WB_OK);
        assert_int_equal(acta_add_memory(&cta->warp, false, &sequence), WB_OK);
        assert_int_equal(acta_add_barrier(&cta->warp, &sequence), WB_OK);
    }
    cta->warp.first = sequence.first;
    assert_int_equal(acta_group_allocate(cta, warps), WB_OK);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_block_parse(units.data, program.data, diagnostics, block) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    text_free(&units);
    text_free(&program);
}

static cycles simulate_oldest(const struct timed_block *timed) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_simulation simulation;
    for (size_t p = 0; policy_at(p) != NULL; p++)
        if (strcmp(policy_at(p)->name, "oldest") == 0)
            assert_int_equal(simulate(timed, policy_at(p), NULL, NULL, diagnostics, &simulation), WB_OK);
    wb_diagnostics_free(diagnostics);
    return simulation.cycles;
}

static cycles total_of(const struct acta_group *cta, const struct acta_rules *rules) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct acta_time time;
    assert_int_equal(acta_simulate(cta, rules, NULL, diagnostics, NULL, &time), WB_OK);
    wb_diagnostics_free(diagnostics);
    return acta_time_total(&time);
}

/* Where a load is waited for right before a barrier the last warp waits alone. With the latency L of the
 * machine a result is there L + 1 cycles after the issue, T_memory of the slides, and L = T_memory - 1 cycles
 * are idle: N - 1 more than T_memory - N. The proven term counts them all, and no more. */
static void the_published_stall_is_too_short_before_a_barrier(void **state) {
    (void)state;
    for (uint32_t latency = 4; latency < 30; latency++) {
        for (uint32_t warps = 1; warps <= 4; warps++) {
            struct synthetic_block block;
            struct acta_group cta;
            make_meeting(warps, latency, latency % 2 == 0, &block, &cta);
            const struct acta_rules published = {
                .hiding = HIDDEN_BY_ACTIVE, .latency = latency + 1, .barrier_slots = 1};
            const struct acta_rules safe = {.hiding = HIDDEN_BY_NONE, .latency = latency, .barrier_slots = 1};
            cycles time = simulate_oldest(&block.timed);
            assert_int_equal(total_of(&cta, &published) + 3 * (cycles)(warps - 1), time);
            assert_true(total_of(&cta, &safe) == time);
            acta_group_free(&cta);
            synthetic_block_free(&block);
        }
    }
}

/* ---- Random programs
 * ---------------------------------------------------------------------------------------- */

/* The proven rules on a machine of a block written by hand: barriers take a slot. */
static struct acta_rules safe_rules(const struct synthetic_block *block) {
    cycles latency = 0;
    for (uint32_t i = 0; i < block->timed.code.inst_count; i++)
        latency = cycles_max(latency, block->timed.code.insts[i].latency);
    return (struct acta_rules){.hiding = HIDDEN_BY_NONE,
                               .latency = latency,
                               .barrier_slots = 1,
                               .barrier_cycles = block->machine.barrier_release};
}

static void check_simulations(const struct random_acta *random, cycles bound) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_analysis *analysis = NULL;
    assert_int_equal(analysis_of_timed(&random->block.timed, diagnostics, &analysis), WB_OK);
    assert_int_equal(wb_analysis_simulate(analysis, "all", NULL, diagnostics), WB_OK);
    if (slowest(analysis) > bound)
        fail_msg("simulated %" PRIu64 " > %" PRIu64 "\n%s", slowest(analysis), bound, random->label.data);
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
}

struct census {
    uint32_t made, tight;
    uint64_t bounds, worst;
};

/* One execution of the abstract warps of a seed: no schedule of it takes longer than the bound. */
static void check_random(uint64_t seed, const struct random_acta_shape *shape, bool searches,
                         struct census *census) {
    struct random_acta random;
    if (random_acta_make(seed, shape, &random)) {
        struct acta_rules rules = safe_rules(&random.block);
        cycles bound = total_of(&random.cta, &rules);
        check_simulations(&random, bound);
        cycles exact = searches ? explore(&random.block.timed, 20000) : 0;
        if (exact > bound) fail_msg("exact %" PRIu64 " > %" PRIu64 "\n%s", exact, bound, random.label.data);
        census->made += exact > 0 || !searches;
        census->tight += exact == bound;
        census->bounds += exact > 0 ? bound : 0;
        census->worst += exact;
    }
    random_acta_free(&random);
}

static void no_schedule_exceeds_the_bound(void **state) {
    (void)state;
    const struct random_acta_shape shape = {.warps = 4, .latency = 8, .release = 2, .insts = 14};
    const uint32_t rounds = random_rounds(4000);
    struct census census = {0};
    for (uint64_t seed = 1; seed <= rounds; seed++)
        check_random(seed, &shape, true, &census);
    assert_true(census.made > rounds / 6);
    assert_true(census.tight > census.made / 10); /* the bound is met, too */
    assert_true(census.bounds < 3 * census.worst);
}

static void no_simulation_exceeds_the_bound(void **state) {
    (void)state;
    const struct random_acta_shape shape = {.warps = 12, .latency = 30, .release = 3, .insts = 500};
    const uint32_t rounds = random_rounds(1500);
    struct census census = {0};
    for (uint64_t seed = 1000000; seed < 1000000 + rounds; seed++)
        check_random(seed, &shape, false, &census);
    assert_true(census.made > rounds / 2);
}

/* ---- Random kernels
 * ---------------------------------------------------------------------------------------- */

/* What the abstract warps of a block execute, with one slot a barrier, of uniform branches the larger or the
 * executed sides. */
static cycles instructions_of(const struct wb_block *block, bool executed) {
    const struct acta_rules rules = {.counting.executed = executed, .barrier_slots = 1};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct acta_group cta;
    if (acta_group_of_block(block, executed, diagnostics, &cta) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    cycles total = total_of(&cta, &rules);
    acta_group_free(&cta);
    wb_diagnostics_free(diagnostics);
    return total;
}

/* Executed sides of uniform branches count no less than what was executed, as divergent branches count both
 * sides and loops the longest entry, and no more than larger sides do. Returns whether they are sharper. */
static bool check_executed_sides(const struct wb_block *block, const char *ptx) {
    cycles executed = 0, sides = instructions_of(block, true), larger = instructions_of(block, false);
    for (uint32_t w = 0; w < block->warp_count; w++)
        executed += wb_block_warp_instructions(block, w);
    if (executed > sides || sides > larger)
        fail_msg("executed %" PRIu64 ", with executed sides %" PRIu64 ", with larger sides %" PRIu64 "\n%s",
                 executed, sides, larger, ptx);
    return sides < larger;
}

/* A random kernel from PTX: false when it has no abstract warp, or no path. */
static bool check_kernel(uint64_t seed, uint32_t *sharper) {
    const struct random_kernel_shape shape = {.length = 3, .depth = 2, .trips = 7, .warps = 1};
    const uint64_t contents[RANDOM_BUFFERS] = {seed + 1, seed + 2, seed + 3};
    struct random_kernel kernel;
    struct triangle t = {.diagnostics = wb_diagnostics_new()};
    random_kernel_make(seed, &shape, NULL, &kernel);
    t.launch = random_kernel_launch(&kernel, contents);
    expect_ok(&t, wb_module_parse("k.ptx", kernel.ptx, strlen(kernel.ptx), t.diagnostics, &t.module));
    expect_ok(&t, wb_machine_load("hirvisalo", t.diagnostics, &t.machine));
    const wb_trace_options options = {.size = sizeof options, .warp_width = wb_machine_warp_width(t.machine)};
    const wb_kernel *entry = wb_module_kernel(t.module, 0);
    wb_status status = wb_block_trace(entry, t.launch, &options, t.diagnostics, &t.block);
    if (status == WB_OK) expect_ok(&t, wb_analysis_new(t.block, t.machine, t.diagnostics, &t.analysis));
    if (status == WB_OK)
        status = wb_analysis_bound(t.analysis, "abstract-cta,abstract-cta-safe", NULL, t.diagnostics);
    if (status != WB_OK && status != WB_ERR_DECLINED)
        fail_msg("seed %" PRIu64 ": %s", seed, wb_diagnostics_text(t.diagnostics));
    if (status == WB_OK) {
        expect_ok(&t, wb_analysis_simulate(t.analysis, "all", NULL, t.diagnostics));
        cycles bound = bound_named(t.analysis, "abstract-cta-safe")->cycles;
        if (slowest(t.analysis) > bound)
            fail_msg("seed %" PRIu64 ": simulated %" PRIu64 " > %" PRIu64 "\n%s", seed, slowest(t.analysis),
                     bound, kernel.ptx);
        *sharper += check_executed_sides(t.block, kernel.ptx);
    }
    triangle_close(&t);
    random_kernel_free(&kernel);
    return status == WB_OK;
}

static void random_kernels_stay_within_the_bound(void **state) {
    (void)state;
    const uint32_t rounds = 300; /* with sanitizers, too: of fewer, too few happen to be structured */
    uint32_t bounded = 0, sharper = 0;
    for (uint64_t seed = 1; seed <= rounds; seed++)
        bounded += check_kernel(seed, &sharper);
    assert_true(bounded > rounds / 3);
    assert_true(sharper > bounded / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_sets_of_conventions_give_804),
        cmocka_unit_test(every_combination_counts_as_by_hand),
        cmocka_unit_test(the_slide_comes_out_of_ptx),
        cmocka_unit_test(the_compiler_has_other_counts),
        cmocka_unit_test(both_versions_compute_the_same),
        cmocka_unit_test(the_published_stall_is_too_short_before_a_barrier),
        cmocka_unit_test(no_schedule_exceeds_the_bound),
        cmocka_unit_test(no_simulation_exceeds_the_bound),
        cmocka_unit_test(random_kernels_stay_within_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
