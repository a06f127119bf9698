/* The simulator of an SM, on blocks that can be followed by hand and against a naive one on random blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "issue_rules.h"
#include "naive_sim.h"
#include "random_block.h"
#include "sim/gpu/gpu.h"

static const char *const all_policies[] = {"lrr", "gto", "rr", "oldest"};

static const struct sim_policy *policy(const char *name) {
    return policy_at(choose_index(name, wb_policy_name));
}

/* A block by hand. */
static void parse(const char *units, const char *warps, uint32_t depth, struct synthetic_block *block) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_block_parse(units, warps, diagnostics, block) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    block->machine.dispatch_depth = depth;
}

static wb_simulation run(const struct timed_block *block, const char *name, struct issue_events *schedule) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct sim_sink sink = {.event = issue_events_keep, .user = schedule};
    wb_simulation simulation;
    wb_status status =
        simulate(block, policy(name), schedule == NULL ? NULL : &sink, NULL, diagnostics, &simulation);
    assert_int_equal(status, WB_OK);
    wb_diagnostics_free(diagnostics);
    return simulation;
}

/* A block, a policy and the schedule that must come out: per event warp, issue and start. */
struct known_schedule {
    const char *units, *warps;
    uint32_t depth;
    const char *policy;
    cycles end;
    uint32_t events;
    uint32_t expected[16][3];
};

#define UNLIMITED DEPTH_UNLIMITED
#define FIGURE_2_UNITS "R(2,6) B(3,4) G(2,4)"
#define FIGURE_2_WARP "R B B G.0"

static const struct known_schedule known[] = {
    /* ECRTS'25, figure 2: issue cycles 0, 1, 2, 8, dispatch cycles 0, 1, 4, 8, end 14. */
    {FIGURE_2_UNITS, FIGURE_2_WARP, UNLIMITED, "lrr", 14, 4, {{0, 0, 0}, {0, 1, 1}, {0, 2, 4}, {0, 8, 8}}},
    /* Figure 3 as example 2 tells it: w0 issues i0, i1, i2; w1 its i0 in cycle 3, i1 in cycle 4 and i2 in
     * cycle 5, behind the initiations of w0. */
    {FIGURE_2_UNITS,
     "2x " FIGURE_2_WARP,
     UNLIMITED,
     "gto",
     17,
     8,
     {{0, 0, 0}, {0, 1, 1}, {0, 2, 4}, {1, 3, 3}, {1, 4, 7}, {1, 5, 10}, {0, 8, 8}, {1, 11, 11}}},
    /* Without a queue the second B waits with its issue. */
    {FIGURE_2_UNITS, FIGURE_2_WARP, 0, "lrr", 14, 4, {{0, 0, 0}, {0, 1, 1}, {0, 4, 4}, {0, 8, 8}}},
    /* One entry: the third A issues when the second starts. */
    {"A(3,0)", "A A A", 1, "lrr", 9, 3, {{0, 0, 0}, {0, 1, 3}, {0, 3, 6}}},
    {"A(3,0)", "A A A A", 2, "lrr", 12, 4, {{0, 0, 0}, {0, 1, 3}, {0, 2, 6}, {0, 3, 9}}},
    /* Policies on three warps of two free instructions. */
    {"A(1,0)",
     "3x A A",
     UNLIMITED,
     "lrr",
     6,
     6,
     {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 3, 3}, {1, 4, 4}, {2, 5, 5}}},
    {"A(1,0)",
     "3x A A",
     UNLIMITED,
     "gto",
     6,
     6,
     {{0, 0, 0}, {0, 1, 1}, {1, 2, 2}, {1, 3, 3}, {2, 4, 4}, {2, 5, 5}}},
    /* gto stays with the warp it chose; oldest goes back to the first as soon as it can. */
    {"A(1,1)",
     "A A.0; A A A",
     UNLIMITED,
     "gto",
     6,
     5,
     {{0, 0, 0}, {1, 1, 1}, {1, 2, 2}, {1, 3, 3}, {0, 4, 4}}},
    {"A(1,1)",
     "A A.0; A A A",
     UNLIMITED,
     "oldest",
     6,
     5,
     {{0, 0, 0}, {1, 1, 1}, {0, 2, 2}, {1, 3, 3}, {1, 4, 4}}},
    /* lrr skips the warp that waits, rr leaves slots empty for it. */
    {"A(1,3)",
     "A A.0; A A A",
     UNLIMITED,
     "lrr",
     8,
     5,
     {{0, 0, 0}, {1, 1, 1}, {1, 2, 2}, {1, 3, 3}, {0, 4, 4}}},
    {"A(1,3)",
     "A A.0; A A A",
     UNLIMITED,
     "rr",
     10,
     5,
     {{0, 0, 0}, {1, 1, 1}, {0, 4, 4}, {1, 5, 5}, {1, 6, 6}}},
    /* A barrier opens in the cycle after the last arrival's issue and does not wait for results. */
    {"A(1,5)",
     "A | A; A A | A",
     UNLIMITED,
     "oldest",
     10,
     5,
     {{0, 0, 0}, {1, 1, 1}, {1, 2, 2}, {0, 3, 3}, {1, 4, 4}}},
    /* A warp that has ended holds nobody back; a warp without instructions has ended from the start. */
    {"A(1,0)", "A; A | A | A;", UNLIMITED, "oldest", 4, 4, {{0, 0, 0}, {1, 1, 1}, {1, 2, 2}, {1, 3, 3}}},
    {"A(1,0)", "| | A; | | A", UNLIMITED, "lrr", 2, 2, {{0, 0, 0}, {1, 1, 1}}},
    /* All groups but the newest; all of them; every copy, committed or not. */
    {"A(1,9) B(1,0)",
     "A~ B^ A~ B^ B?1",
     UNLIMITED,
     "lrr",
     12,
     5,
     {{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {0, 3, 3}, {0, 10, 10}}},
    {"A(1,9) B(1,0)",
     "A~^ A~^ A~ B?0",
     UNLIMITED,
     "lrr",
     12,
     4,
     {{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {0, 11, 11}}},
    {"A(1,9) B(1,0)",
     "A~^ A~^ A~ B?*",
     UNLIMITED,
     "lrr",
     13,
     4,
     {{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {0, 12, 12}}},
    /* A commit without copies is a group. */
    {"A(1,9) B(1,0)", "A~^ B^ B?1", UNLIMITED, "lrr", 11, 3, {{0, 0, 0}, {0, 1, 1}, {0, 10, 10}}},
    /* A fence waits for accesses only, and everything waits for the fence. */
    {"A(1,9) B(1,4)", "A% B# B", UNLIMITED, "lrr", 20, 3, {{0, 0, 0}, {0, 10, 10}, {0, 15, 15}}},
    {"A(1,9) B(1,4)", "A B# B", UNLIMITED, "lrr", 11, 3, {{0, 0, 0}, {0, 1, 1}, {0, 6, 6}}},
    /* A second kind of instruction on a unit; two instances of a unit. */
    {"A(3,0) a(1,1)@A", "A a A", UNLIMITED, "lrr", 7, 3, {{0, 0, 0}, {0, 1, 3}, {0, 2, 4}}},
    {"A*2(3,0)", "A A A A", 0, "lrr", 7, 4, {{0, 0, 0}, {0, 1, 1}, {0, 3, 3}, {0, 4, 4}}},
};

/* The block of row number k is executed as the row says; frees it. */
static void expect_schedule(const struct known_schedule *row, size_t k, struct synthetic_block *block) {
    struct issue_events schedule = {0};
    wb_simulation simulation = run(&block->timed, row->policy, &schedule);
    if (schedule.events.count != row->events) fail_msg("row %zu: %zu events", k, schedule.events.count);
    for (uint32_t i = 0; i < row->events; i++) {
        const struct sim_event *event = &schedule.events.items[i];
        const uint32_t *expected = row->expected[i];
        if (event->warp != expected[0] || event->issue != expected[1] || event->start != expected[2])
            fail_msg("row %zu, event %u: warp %u issued %llu started %llu", k, i, event->warp,
                     (unsigned long long)event->issue, (unsigned long long)event->start);
    }
    if (simulation.cycles != row->end)
        fail_msg("row %zu: end %llu", k, (unsigned long long)simulation.cycles);
    assert_int_equal(simulation.last_issue, row->expected[row->events - 1][1]);
    vec_free(&schedule.events);
    synthetic_block_free(block);
}

static void test_known_schedules(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        struct synthetic_block block;
        parse(known[k].units, known[k].warps, known[k].depth, &block);
        expect_schedule(&known[k], k, &block);
    }
}

/* Two sub-cores with two issues each: warps 0 and 2, 1 and 3; unit A is shared, B is not. */
static void test_sub_cores_and_width(void **state) {
    (void)state;
    struct synthetic_block block;
    struct issue_events schedule = {0};
    parse("A(2,0) B(1,0)", "2x A B; 2x B A", UNLIMITED, &block);
    block.machine.sub_cores = block.machine.issue_width = 2;
    block.machine.units[1].shared = false;
    wb_simulation simulation = run(&block.timed, "lrr", &schedule);
    /* Cycle 0: w0 A, w2 B on sub-core 0; w1 A (behind w0's), w3 B on sub-core 1. Cycle 1: w0 B, w2 A; w1 B,
     * w3 A: A is busy for 8 cycles in a row. */
    static const uint32_t expected[8][4] = {{0, 0, 0, 0}, {2, 0, 0, 1}, {1, 0, 2, 0}, {3, 0, 0, 1},
                                            {0, 1, 1, 1}, {2, 1, 4, 0}, {1, 1, 1, 1}, {3, 1, 6, 0}};
    assert_int_equal(schedule.events.count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        const struct sim_event *event = &schedule.events.items[i];
        assert_int_equal(event->warp, expected[i][0]);
        assert_int_equal(event->issue, expected[i][1]);
        assert_int_equal(event->start, expected[i][2]);
        assert_int_equal(event->unit, expected[i][3]);
        assert_int_equal(event->sub_core, expected[i][0] % 2);
    }
    assert_int_equal(simulation.cycles, 8);
    assert_int_equal(simulation.last_issue, 1);
    assert_int_equal(simulation.warp_instructions, 8);
    vec_free(&schedule.events);
    synthetic_block_free(&block);
}

/* Two instructions of a warp in a cycle, on different units; `width` warps a cycle. */
static const struct {
    struct known_schedule schedule;
    uint32_t width, per_warp;
} known_turns[] = {
    /* A and B together; the second B needs the first one's unit, the third the result of A, complete at 5. */
    {{"A(2,3) B(1,0)", "A B B B.0", UNLIMITED, "lrr", 6, 4, {{0, 0, 0}, {0, 0, 0}, {0, 1, 1}, {0, 5, 5}}},
     1,
     2},
    /* Not to one unit, not with the result of the first, however short. */
    {{"A(1,0)", "A A", UNLIMITED, "lrr", 2, 2, {{0, 0, 0}, {0, 1, 1}}}, 1, 2},
    {{"A(1,0) B(1,0)", "A B.0", UNLIMITED, "lrr", 2, 2, {{0, 0, 0}, {0, 1, 1}}}, 1, 2},
    /* One warp a cycle: the other one comes a cycle later, although the second slot of the first is free. */
    {{"A(1,0) B(1,0)", "A; A B", UNLIMITED, "lrr", 2, 3, {{0, 0, 0}, {1, 1, 1}, {1, 1, 1}}}, 1, 2},
    {{"A(1,0) B(1,0)", "2x A B", UNLIMITED, "lrr", 2, 4, {{0, 0, 0}, {0, 0, 0}, {1, 0, 1}, {1, 0, 1}}}, 2, 2},
    /* Program order: A B and then, as C would wait behind the second A, nothing more. */
    {{"A(1,0) B(1,0) C(1,0)", "A B A C", 0, "gto", 2, 4, {{0, 0, 0}, {0, 0, 0}, {0, 1, 1}, {0, 1, 1}}}, 1, 3},
    {{"A(1,0) B(1,0) C(1,0)", "A B C A", 0, "gto", 2, 4, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 1, 1}}}, 1, 3},
    /* Without a queue B of the second warp waits for that of the first, with one entry it does not. */
    {{"A(1,0) B(3,0)", "2x A B", 0, "lrr", 6, 4, {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 3, 3}}}, 1, 2},
    {{"A(1,0) B(3,0)", "2x A B", 1, "lrr", 6, 4, {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 3}}}, 1, 2},
    /* A barrier ends the turn, one that opens at once, too. */
    {{"A(1,0) B(1,0)", "A | B", UNLIMITED, "lrr", 2, 2, {{0, 0, 0}, {0, 1, 1}}}, 1, 2},
    {{"A(1,0) B(1,0)",
      "A B | A; B A",
      UNLIMITED,
      "lrr",
      3,
      5,
      {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {0, 2, 2}}},
     1,
     2},
    /* Strict round-robin: the turn passes on behind both. */
    {{"A(1,2) B(1,0)",
      "A B A.0; A B A",
      UNLIMITED,
      "rr",
      7,
      6,
      {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {0, 3, 3}, {1, 4, 4}}},
     1,
     2},
};

static void test_known_turns(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof known_turns / sizeof known_turns[0]; k++) {
        struct synthetic_block block;
        const struct known_schedule *row = &known_turns[k].schedule;
        parse(row->units, row->warps, row->depth, &block);
        block.machine.issue_width = known_turns[k].width;
        block.machine.issue_per_warp = known_turns[k].per_warp;
        expect_schedule(row, k, &block);
    }
}

/* A barrier that is an instruction holds its warp from its issue on; `ret` counts nowhere. */
static void test_barrier_instruction_and_return(void **state) {
    (void)state;
    struct synthetic_block block;
    struct issue_events schedule = {0};
    parse("A(1,4)", "A A A; A A", UNLIMITED, &block);
    struct timed_inst *insts = block.timed.code.insts;
    insts[0].barrier = insts[4].barrier = true;
    insts[2] = (struct timed_inst){.unit = UNIT_NONE, .uncounted = true};
    wb_simulation simulation = run(&block.timed, "oldest", &schedule);
    /* w0 A! held; w1 A, A! in cycles 1, 2; w0 A in cycle 3. */
    static const uint32_t expected[4][2] = {{0, 0}, {1, 1}, {1, 2}, {0, 3}};
    assert_int_equal(schedule.events.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(schedule.events.items[i].warp, expected[i][0]);
        assert_int_equal(schedule.events.items[i].issue, expected[i][1]);
    }
    assert_int_equal(simulation.cycles, 8);
    assert_int_equal(simulation.warp_instructions, 4);
    vec_free(&schedule.events);
    synthetic_block_free(&block);
}

/* More warps than a word of a set has bits. */
static void test_many_warps(void **state) {
    (void)state;
    struct synthetic_block block;
    parse("A(1,0)", "130x A A", UNLIMITED, &block);
    for (size_t p = 0; p < sizeof all_policies / sizeof all_policies[0]; p++) {
        struct issue_events schedule = {0};
        bool rounds = strcmp(all_policies[p], "lrr") == 0 || strcmp(all_policies[p], "rr") == 0;
        wb_simulation simulation = run(&block.timed, all_policies[p], &schedule);
        assert_int_equal(simulation.cycles, 260);
        for (uint32_t i = 0; i < 260; i++)
            assert_int_equal(schedule.events.items[i].warp, rounds ? i % 130 : i / 2);
        vec_free(&schedule.events);
    }
    synthetic_block_free(&block);
}

static bool stop_at_once(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    ++*(int *)user;
    return false;
}

static void test_watch_stops(void **state) {
    (void)state;
    struct synthetic_block block;
    parse("A(1,0)", "A", UNLIMITED, &block);
    int asked = 0;
    wb_watch watch = {stop_at_once, &asked};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_simulation simulation;
    assert_int_equal(simulate(&block.timed, policy("lrr"), NULL, &watch, diagnostics, &simulation),
                     WB_ERR_LIMIT);
    assert_int_equal(asked, 1);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 1);
    wb_diagnostics_free(diagnostics);
    synthetic_block_free(&block);
}

static void test_malformed_blocks(void **state) {
    (void)state;
    static const char *const bad[][3] = {
        {"A(1,0)", "B", "warps:1:2: error: no unit of this name"},
        {"A(1,0)", "A.0", "error: an instruction reads only earlier results"},
        {"A(1,0)", "A ;; A.", "warps:1:8: error: expected a number"},
        {"A(0,0)", "A", "error: an initiation takes 1 cycle or more"},
        {"A(1,0) A(2,0)", "A", "error: a second unit of this name"},
        {"A(1 0)", "A", "error: expected ','"},
        {"A(1,0)@B", "A", "error: no earlier instruction has a unit of this name"},
        {"A(99999999999999999999,0)", "A", "error: expected a number from 0 to 1000000"},
        {"A(1,0)", "99999x A", "error: expected a number from 0 to 4096"},
        {"A(1,0)", "2 A", "error: expected 'x'"},
        {"A(1,0", "A", "error: expected ')'"},
        {"A(1,5..3)", "A", "units:1:5: error: the least latency is above the most"},
        {"A(1,5..)", "A", "units:1:8: error: expected a number"},
        {"A(1,5.6)", "A", "units:1:7: error: expected '.'"},
        {"A(1..2,5)", "A", "error: expected ','"},
        {"A(1,0)", "A~ A^ A?", "warps:1:9: error: expected a number"},
        {"A(1,0)", "A?65", "error: expected a number from 0 to 64"},
        {"A(1,0)", "A#%", "warps:1:3: error: expected the name of a unit"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct synthetic_block block;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(synthetic_block_parse(bad[i][0], bad[i][1], diagnostics, &block), WB_ERR_INPUT);
        if (strstr(wb_diagnostics_text(diagnostics), bad[i][2]) == NULL)
            fail_msg("'%s' not in: %s", bad[i][2], wb_diagnostics_text(diagnostics));
        assert_int_equal(block.timed.warp_count, 0);
        wb_diagnostics_free(diagnostics);
    }
}

/* Every schedule of every policy keeps every rule, and the naive simulator agrees on its end. */
static void check_random(const struct random_shape *shape, const uint32_t *depths, uint32_t depth_count,
                         uint64_t first_seed, uint32_t rounds) {
    for (uint32_t i = 0; i < random_rounds(rounds); i++) {
        struct random_block random;
        random_block_make(first_seed + i, shape, depths, depth_count, &random);
        for (size_t p = 0; p < sizeof all_policies / sizeof all_policies[0]; p++) {
            struct issue_events schedule = {0};
            wb_simulation simulation = run(&random.block.timed, all_policies[p], &schedule);
            const char *broken = issue_rules_broken(&random.block.timed, &schedule, &simulation);
            if (broken != NULL) fail_msg("%s: %s\n%s", all_policies[p], broken, random.label);
            struct naive_result naive = naive_simulate(&random.block.timed, all_policies[p]);
            if (naive.end != simulation.cycles || naive.last_issue != simulation.last_issue ||
                naive.issued != schedule.events.count)
                fail_msg("%s: ends at %llu, naively %llu\n%s", all_policies[p],
                         (unsigned long long)simulation.cycles, (unsigned long long)naive.end, random.label);
            vec_free(&schedule.events);
        }
        synthetic_block_free(&random.block);
    }
}

static const uint32_t every_depth[] = {0, 1, 2, 3, DEPTH_UNLIMITED};

static void test_random_simple(void **state) {
    (void)state;
    static const struct random_shape shape = {SHAPE_BLOCK(3, 5, 8, 4, 8), SHAPE_SM(1, 1, 1)};
    check_random(&shape, every_depth, 5, 1000, 20000);
}

static void test_random_everything(void **state) {
    (void)state;
    static const struct random_shape shape = {SHAPE_BLOCK(4, 6, 9, 7, 10), .barrier_percent = 15,
                                              .real_percent = 10, .alias_percent = 40, SHAPE_SM(3, 3, 2)};
    check_random(&shape, every_depth, 5, 500000, 20000);
}

static void test_random_waits(void **state) {
    (void)state;
    static const struct random_shape shape = {SHAPE_BLOCK(4, 5, 20, 5, 14), .barrier_percent = 6,
                                              .alias_percent = 40,          SHAPE_SM(2, 2, 2),
                                              .copy_percent = 60,           .fence_percent = 12};
    check_random(&shape, every_depth, 5, 900000, 10000);
}

static void test_random_turns(void **state) {
    (void)state;
    static const struct random_shape shape = {
        SHAPE_BLOCK(5, 4, 6, 6, 12), .barrier_percent = 8, .real_percent = 8, .alias_percent = 40,
        SHAPE_SM(2, 2, 2),           .per_warp = 4,        .copy_percent = 10};
    check_random(&shape, every_depth, 5, 1300000, 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_schedules),   cmocka_unit_test(test_sub_cores_and_width),
        cmocka_unit_test(test_known_turns),       cmocka_unit_test(test_barrier_instruction_and_return),
        cmocka_unit_test(test_many_warps),        cmocka_unit_test(test_watch_stops),
        cmocka_unit_test(test_malformed_blocks),  cmocka_unit_test(test_random_simple),
        cmocka_unit_test(test_random_everything), cmocka_unit_test(test_random_waits),
        cmocka_unit_test(test_random_turns),
    };
    return cmocka_run_group_tests_name("simulator", tests, NULL, NULL);
}
