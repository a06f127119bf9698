/* The method "sections" against the exact worst case over schedules and latencies inside their intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "bound_named.h"
#include "interval_explorer.h"
#include "messages.h"
#include "random_block.h"
#include "synthetic_text.h"

#define STATES 30000

/* Blocks whose exact worst case was found, those where the bound is that, and those where it is below every
 * other bound. */
static uint64_t searched, attained, gained;

static void fail_at(const struct random_block *random, uint64_t bound, uint64_t exact) {
    struct text text = {0};
    synthetic_block_print(&random->block, &text);
    fail_msg("sections %" PRIu64 " < exact %" PRIu64 "\n%s\n%s", bound, exact, text.data, random->label);
}

/* The bound, and the least of the others; 0 when the method is not for the block. */
static cycles bound_of(const struct timed_block *timed, cycles *others) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_analysis *analysis = NULL;
    assert_int_equal(analysis_of_timed(timed, diagnostics, &analysis), WB_OK);
    (void)wb_analysis_bound(analysis, "sib,fib,aln,fifo,elb,sections", NULL, diagnostics);
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    cycles found = 0;
    *others = CYCLES_SATURATED;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bounds[i].kind, WB_UPPER);
        if (strcmp(bounds[i].method, "sections") == 0)
            found = bounds[i].cycles;
        else
            *others = cycles_min(*others, bounds[i].cycles);
    }
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
    return found;
}

/* Least latencies by chance, most of them exact. */
static void draw_leasts(struct random_state *random, struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++) {
        struct timed_inst *inst = &code->insts[i];
        inst->latency_least = inst->latency;
        if (random_below(random, 3) == 0)
            inst->latency_least = (uint32_t)random_below(random, (uint64_t)inst->latency + 1);
    }
}

/* How near the exact worst case comes to the bound, in millionths; 0 where it is not found. */
static uint64_t check(const struct random_block *random) {
    cycles others;
    const struct timed_block *timed = &random->block.timed;
    const cycles exact = explore_intervals(timed, STATES), bound = bound_of(timed, &others);
    if (exact == 0 || bound == 0) return 0;
    if (bound < exact) fail_at(random, bound, exact);
    searched++;
    attained += bound == exact;
    gained += bound < others;
    return exact * 1000000 / bound;
}

/* Changes one time of one instruction by a little. */
static void change(struct random_state *random, struct timed_code *code) {
    struct timed_inst *inst = &code->insts[random_below(random, code->inst_count)];
    if (inst->unit == UNIT_NONE) return;
    if (random_below(random, 3) == 0) inst->init = 1 + (uint32_t)random_below(random, 4);
    if (random_below(random, 2) == 0) inst->latency = (uint32_t)random_below(random, 9);
    inst->latency_least = random_below(random, 2) == 0
                              ? inst->latency
                              : (uint32_t)random_below(random, (uint64_t)inst->latency + 1);
}

/* Climbs towards blocks whose worst case is near the bound, or beyond. */
static void climb(struct random_state *random, struct random_block *made, uint32_t steps) {
    uint64_t best = check(made);
    struct timed_code *code = &made->block.timed.code;
    for (; steps > 0; steps--) {
        struct timed_inst before[64];
        if (code->inst_count > 64) return;
        memcpy(before, code->insts, code->inst_count * sizeof *before);
        change(random, code);
        const uint64_t now = check(made);
        if (now < best)
            memcpy(code->insts, before, code->inst_count * sizeof *before);
        else
            best = now;
    }
}

static void run(const struct random_shape *shape, uint32_t depth, uint32_t rounds, uint32_t steps) {
    searched = attained = gained = 0;
    for (uint64_t seed = 1; seed <= random_rounds(rounds); seed++) {
        struct random_block made;
        struct random_state random = random_seeded(seed);
        random_block_make(seed, shape, &depth, 1, &made);
        for (uint32_t u = 0; u < made.block.machine.unit_count; u++)
            made.block.machine.units[u].shared = made.block.machine.sub_cores == 1;
        draw_leasts(&random, &made.block.timed.code);
        climb(&random, &made, steps);
        synthetic_block_free(&made.block);
    }
    print_message("%" PRIu64 " searched, %" PRIu64 " attained, %" PRIu64 " below all others\n", searched,
                  attained, gained);
    assert_true(searched > 0 && attained > searched / 20 && gained > searched / 20);
}

static const struct random_shape one_section = {.units = 2,
                                                .init = 3,
                                                .latency = 6,
                                                .warps = 4,
                                                .insts = 5,
                                                .alias_percent = 40,
                                                .instances = 1,
                                                .sub_cores = 2,
                                                .width = 1};

static void test_one_section(void **state) {
    (void)state;
    run(&one_section, 0, 600, 5);
    run(&one_section, DEPTH_UNLIMITED, 600, 5);
}

static void test_barriers(void **state) {
    (void)state;
    struct random_shape shape = one_section;
    shape.barrier_percent = 25;
    shape.real_percent = 10;
    run(&shape, 0, 1800, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_section),
        cmocka_unit_test(test_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
