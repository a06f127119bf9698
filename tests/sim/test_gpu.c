/* The GPU simulator on grids small enough to be followed by hand with docs/memory-model.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "gpu_record.h"
#include "hand_grid.h"

/* The machine of all examples: times that differ, so that none can stand in for another. After its turn a
 * load that misses everywhere needs 10 + 2 + 5 + 4 + 20 + 10 + 3 = 54 cycles, a hit 7. */
static const char *const base_settings[] = {
    "request_cycles=2", "l1_latency=7",    "noc_latency=10", "l2_latency=5",
    "l2_service=2",     "dram_latency=20", "dram_service=4", "reply_service=3",
};

struct example {
    struct hand_grid hand;
    struct timed_grid timed;
    wb_diagnostics *diagnostics;
};

static void set(struct example *example, const char *assignment) {
    if (wb_machine_set(&example->hand.machine, assignment, example->diagnostics) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(example->diagnostics));
}

/* Blocks on the machine of all examples, changed by settings such as "l1_mshrs=1 sms=2". */
static void begin(struct example *example, const char *blocks, const char *settings) {
    char word[64];
    int length;
    *example = (struct example){.diagnostics = wb_diagnostics_new()};
    hand_grid_make(&example->hand, blocks);
    for (size_t i = 0; i < sizeof base_settings / sizeof *base_settings; i++)
        set(example, base_settings[i]);
    for (const char *at = settings; sscanf(at, "%63s%n", word, &length) == 1; at += length)
        set(example, word);
    example->timed = (struct timed_grid){
        .grid = &example->hand.grid, .machine = &example->hand.machine, .code = example->hand.code};
    assert_int_equal(traffic_make(&example->hand.grid, &example->hand.machine, example->diagnostics,
                                  &example->timed.traffic),
                     WB_OK);
}

static void end(struct example *example) {
    timed_grid_free(&example->timed);
    hand_grid_free(&example->hand);
    wb_diagnostics_free(example->diagnostics);
}

static const struct gpu_scheme *scheme(const char *name) {
    return gpu_scheme_at(choose_index(name, wb_scheme_name));
}

/* The turns of all SMs: instruction, first cycle, outcome. */
struct known_turn {
    uint32_t instruction;
    cycles at;
    enum l1_outcome outcome;
};

struct known_grid {
    const char *blocks, *settings, *scheme;
    cycles end;
    struct known_turn turns[6];
    wb_gpu_simulation counts; /* those that are not 0, without those that follow from the turns */
};

static const struct known_grid known[] = {
    /* A load that misses everywhere; U0 issues in cycle 57 and takes 2. */
    {"L0=0 U0", "", "default", 59, {{0, 0, L1_MISS}}, {.l2_misses = 1, .dram_reads = 1}},
    {"L0=0 U0 L1=0 U1",
     "",
     "default",
     70,
     {{0, 0, L1_MISS}, {1, 58, L1_HIT}},
     {.l2_misses = 1, .dram_reads = 1}},
    {"L0=0 L1=0 U1",
     "",
     "default",
     59,
     {{0, 0, L1_MISS}, {1, 2, L1_HIT_UNDER_MISS}},
     {.l2_misses = 1, .dram_reads = 1}},
    /* One entry: the second load waits for the data of the first, which comes at 56. */
    {"L0=0 L1=1 U1",
     "l1_mshrs=1",
     "default",
     115,
     {{0, 0, L1_MISS}, {1, 56, L1_MISS}},
     {.l2_misses = 2, .dram_reads = 2, .mshr_stalls = 54}},
    /* Two requests of one load queue at DRAM: served there until 23 and until 27. */
    {"L0=0,1 U0", "", "default", 63, {{0, 0, L1_MISS}, {0, 2, L1_MISS}}, {.l2_misses = 2, .dram_reads = 2}},
    /* With a partition each only the answers queue: the second is taken from 56 to 59. */
    {"L0=0,1 U0",
     "l2_partitions=2",
     "default",
     62,
     {{0, 0, L1_MISS}, {0, 2, L1_MISS}},
     {.l2_misses = 2, .dram_reads = 2}},
    /* One line: it is let go while it waits. The third request is answered with the data of the first. */
    {"L0=0 L1=1 L2=0 U2",
     "l1_ways=1 l1_size=128",
     "default",
     63,
     {{0, 0, L1_MISS}, {1, 2, L1_MISS}, {2, 4, L1_MISS}},
     {.l2_hits = 1, .l2_misses = 2, .dram_reads = 2}},
    /* The same, waiting for the victim's data, at 56 and at 112. */
    {"L0=0 L1=1 L2=0 U2",
     "l1_ways=1 l1_size=128 l1_victim=stall",
     "default",
     147,
     {{0, 0, L1_MISS}, {1, 56, L1_MISS}, {2, 112, L1_MISS}},
     {.l2_hits = 1, .l2_misses = 2, .dram_reads = 2, .victim_stalls = 108}},
    /* A store drops the line, or leaves it; it is acknowledged at 90. */
    {"L0=0 U0 S1=0 L2=0 U2",
     "",
     "default",
     96,
     {{0, 0, L1_MISS}, {1, 58, L1_PASSED}, {2, 60, L1_MISS}},
     {.l2_hits = 1, .l2_misses = 1, .dram_reads = 1}},
    {"L0=0 U0 S1=0 L2=0 U2",
     "l1_store=update",
     "default",
     91,
     {{0, 0, L1_MISS}, {1, 58, L1_PASSED}, {2, 60, L1_HIT}},
     {.l2_misses = 1, .dram_reads = 1}},
    {"L0=0 U0 A1=0 U1 L2=0 U2",
     "l1_store=update",
     "default",
     127,
     {{0, 0, L1_MISS}, {1, 58, L1_PASSED}, {2, 92, L1_MISS}},
     {.l2_hits = 1, .l2_misses = 1, .dram_reads = 1}},
    /* Two SMs ask for one line at the same time: one fetch, both have the data at 56. */
    {"2*L0=0 U0",
     "sms=2",
     "default",
     59,
     {{0, 0, L1_MISS}, {0, 0, L1_MISS}},
     {.l2_hits = 1, .l2_misses = 1, .dram_reads = 1}},
    /* A second level of one line: two dirty ones go, one before and one behind the fetch (25 to 29). */
    {"S0=0 S1=1 L2=2 U2",
     "l2_ways=1 l2_size=128",
     "default",
     65,
     {{0, 0, L1_PASSED}, {1, 2, L1_PASSED}, {2, 4, L1_MISS}},
     {.l2_misses = 1, .dram_reads = 1, .dram_writes = 2}},
    /* Strict round-robin: the second warp's load waits for its turn, behind L0 and before U0. */
    {"L0=0 U0; X L1=0",
     "",
     "pure-rr",
     68,
     {{0, 0, L1_MISS}, {1, 58, L1_HIT}},
     {.l2_misses = 1, .dram_reads = 1}},
    {"L0=0 U0; X L1=0",
     "",
     "default",
     59,
     {{0, 0, L1_MISS}, {1, 2, L1_HIT_UNDER_MISS}},
     {.l2_misses = 1, .dram_reads = 1}},
    /* Reordering: instruction 0 comes first, although it is issued in cycle 2 and is in its channel at 4. */
    {"L1=0; L0=1",
     "",
     "reorder",
     65,
     {{0, 4, L1_MISS}, {1, 6, L1_MISS}},
     {.l2_misses = 2, .dram_reads = 2, .reorder_stalls = 2}},
    /* One entry a channel: it is free at 4. */
    {"L0=0 L1=1",
     "channel_depth=1",
     "reorder",
     63,
     {{0, 2, L1_MISS}, {1, 6, L1_MISS}},
     {.l2_misses = 2, .dram_reads = 2, .channel_stalls = 3}},
};

static void check_turns(size_t row, const struct known_grid *wanted, const struct gpu_record *record) {
    size_t turn = 0;
    uint64_t outcomes[4] = {0};
    for (uint32_t s = 0; s < record->sm_count; s++) {
        for (size_t t = 0; t < record->sms[s].turns.count; t++) {
            const struct sm_access *access = &record->sms[s].turns.items[t];
            const struct known_turn *expected = &wanted->turns[turn++];
            outcomes[access->outcome]++;
            if (access->instruction != expected->instruction || access->at != expected->at ||
                access->outcome != expected->outcome)
                fail_msg("row %zu, turn %zu: instruction %u at %llu, outcome %u", row, turn - 1,
                         access->instruction, (unsigned long long)access->at, access->outcome);
        }
    }
    const wb_gpu_simulation *result = &record->result;
    assert_int_equal(result->misses, outcomes[L1_MISS]);
    assert_int_equal(result->hits, outcomes[L1_HIT] + outcomes[L1_HIT_UNDER_MISS]);
    assert_int_equal(result->hits_under_miss, outcomes[L1_HIT_UNDER_MISS]);
    assert_int_equal(result->loads, result->hits + result->misses);
    assert_int_equal(result->stores + result->atomics, outcomes[L1_PASSED]);
}

static void check_counts(size_t row, const wb_gpu_simulation *is, const wb_gpu_simulation *wanted) {
    if (is->l2_hits != wanted->l2_hits || is->l2_misses != wanted->l2_misses ||
        is->dram_reads != wanted->dram_reads || is->dram_writes != wanted->dram_writes)
        fail_msg("row %zu: second level", row);
    if (is->mshr_stalls != wanted->mshr_stalls || is->victim_stalls != wanted->victim_stalls ||
        is->reorder_stalls != wanted->reorder_stalls || is->channel_stalls != wanted->channel_stalls)
        fail_msg("row %zu: stalls %llu, %llu, %llu, %llu", row, (unsigned long long)is->mshr_stalls,
                 (unsigned long long)is->victim_stalls, (unsigned long long)is->reorder_stalls,
                 (unsigned long long)is->channel_stalls);
}

static void test_known_grids(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct example example;
        struct gpu_record record;
        begin(&example, known[k].blocks, known[k].settings);
        if (gpu_record_make(&example.timed, scheme(known[k].scheme), 1, example.diagnostics, &record) !=
            WB_OK)
            fail_msg("row %zu: %s", k, wb_diagnostics_text(example.diagnostics));
        check_turns(k, &known[k], &record);
        check_counts(k, &record.result, &known[k].counts);
        if (record.result.cycles != known[k].end)
            fail_msg("row %zu: ends at %llu", k, (unsigned long long)record.result.cycles);
        gpu_record_free(&record);
        end(&example);
    }
}

/* Which cycles blocks start and end in. Of the three blocks the first issues in 0, 1, 2, the second in 0. */
static void check_dispatch(const char *settings, uint32_t resident, const struct block_times expected[3]) {
    struct example example;
    struct gpu_record record;
    begin(&example, "X X X / X / X X", settings);
    example.hand.machine.limits.blocks = resident;
    assert_int_equal(gpu_record_make(&example.timed, scheme("default"), 1, example.diagnostics, &record),
                     WB_OK);
    for (int b = 0; b < 3; b++) {
        assert_int_equal(record.blocks[b].start, expected[b].start);
        assert_int_equal(record.blocks[b].end, expected[b].end);
    }
    assert_int_equal(record.result.warp_instructions, 6);
    gpu_record_free(&record);
    end(&example);
}

static void test_dispatch(void **state) {
    (void)state;
    static const struct block_times statically[] = {{0, 4}, {0, 2}, {9, 12}};
    static const struct block_times greedily[] = {{0, 4}, {0, 2}, {7, 10}};
    static const struct block_times at_once[] = {{0, 4}, {0, 2}, {2, 5}};
    /* Both rooms of an SM: one of its warps issues a cycle, in turns; block 2 shares SM 0 with block 0. */
    static const struct block_times together[] = {{0, 6}, {0, 2}, {0, 5}};
    check_dispatch("sms=2 dispatch_latency=5", 1, statically);
    check_dispatch("sms=2 dispatch_latency=5 dispatch=greedy", 1, greedily);
    check_dispatch("sms=2 dispatch_latency=0 dispatch=greedy", 1, at_once);
    check_dispatch("sms=2 dispatch_latency=5", 2, together);
    check_dispatch("sms=2 dispatch_latency=5 dispatch=greedy", 2, together);
}

/* Accesses that readings of the paper other than ours wait for in vain (docs/access-order.md, section 4). */
static void test_reordering_does_not_deadlock(void **state) {
    (void)state;
    static const char *const grids[] = {
        "L6=0 L6=0",
        "L8=0 L8=1 L6=0",
        "L6=0 L8=1 U8 L6=0 U6 L8=2",
        "L6=0 U6 | L6=1; L6=0 U6 | L6=1",
        "L6=0 U6 | L6=1; L6=0 |",
        "L8=0 U8 L6=1",
        "| L6=0; L8=0 U8 |",
        "L6=0 U6 L6=1 U6 L6=2 U6 |; L6=0 U6 | L8=1",
        "| L6=0; L6=1 U6 |",
        "L6=0 L8=1 / L6=2 L8=3",
        "L6=0; L6=1 L8=2",
        "L6=0 L7=1 L8=2 L9=3",
        "L6=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    };
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        for (uint32_t depth = 1; depth <= 3; depth++) {
            struct example example;
            struct gpu_record record;
            begin(&example, grids[g], "");
            example.hand.machine.limits.blocks = 1;
            example.hand.machine.memory.channel_depth = depth;
            if (gpu_record_make(&example.timed, scheme("reorder"), 1, example.diagnostics, &record) != WB_OK)
                fail_msg("%s: %s", grids[g], wb_diagnostics_text(example.diagnostics));
            gpu_record_free(&record);
            end(&example);
        }
    }
}

struct refusal {
    const char *blocks, *settings;
    struct gpu_scheme scheme;
    uint32_t threads_per_block; /* that the machine allows; 0: any */
    uint8_t unit;               /* of the loads */
    const char *message;
};

static const struct refusal refusals[] = {
    {"L0=0",
     "",
     {.name = "reorder", .policy = &policy_rr, .reorder = true},
     0,
     1,
     "reordering can deadlock under a policy that waits for one warp"},
    {"L0=0",
     "l1_size=0",
     {.name = "reorder", .policy = &policy_lrr, .reorder = true},
     0,
     1,
     "no first-level cache"},
    {"2x L0=0", "", {.name = "default", .policy = &policy_lrr}, 32, 1, "no room for a block of 2 warps"},
    {"L0=0", "l1_ways=3", {.name = "default", .policy = &policy_lrr}, 0, 1, "not a whole number of sets"},
    {"2x L0=0",
     "channels=1",
     {.name = "reorder", .policy = &policy_lrr, .reorder = true},
     0,
     1,
     "no room for a block"},
    {"L0=0",
     "",
     {.name = "default", .policy = &policy_lrr},
     0,
     UNIT_NONE,
     "an instruction without a unit makes memory requests"},
};

static void test_refusals(void **state) {
    (void)state;
    for (size_t r = 0; r < sizeof refusals / sizeof *refusals; r++) {
        struct example example;
        struct gpu_record record;
        begin(&example, refusals[r].blocks, refusals[r].settings);
        example.hand.machine.limits.threads_per_block = refusals[r].threads_per_block;
        example.hand.code.insts[0].unit = refusals[r].unit;
        assert_int_equal(
            gpu_record_make(&example.timed, &refusals[r].scheme, 1, example.diagnostics, &record),
            WB_ERR_INPUT);
        if (strstr(wb_diagnostics_text(example.diagnostics), refusals[r].message) == NULL)
            fail_msg("row %zu: %s", r, wb_diagnostics_text(example.diagnostics));
        gpu_record_free(&record);
        end(&example);
    }
}

/* More warps than a word of a set has bits, in four blocks: one issues a cycle. */
static void test_many_warps(void **state) {
    (void)state;
    struct example example;
    struct gpu_record record;
    begin(&example, "4*20x X X X", "");
    assert_int_equal(gpu_record_make(&example.timed, scheme("default"), 1, example.diagnostics, &record),
                     WB_OK);
    assert_int_equal(record.result.cycles, 241);
    assert_int_equal(record.result.warp_instructions, 240);
    for (size_t i = 0; i < record.sms[0].issues.count; i++)
        assert_int_equal(record.sms[0].issues.items[i].block * 20 + record.sms[0].issues.items[i].warp,
                         i % 80);
    gpu_record_free(&record);
    end(&example);
}

/* The older block comes first, whatever slot it is in: block 0 ends first, block 2 takes slot 0. */
static void test_age_is_that_of_blocks(void **state) {
    (void)state;
    struct example example;
    struct gpu_record record;
    begin(&example, "X / X X X X X X / X X", "");
    example.hand.machine.limits.blocks = 2;
    const struct gpu_scheme oldest = {.name = "default", .policy = &policy_oldest};
    assert_int_equal(gpu_record_make(&example.timed, &oldest, 1, example.diagnostics, &record), WB_OK);
    static const uint32_t blocks[] = {0, 1, 1, 1, 1, 1, 1, 2, 2};
    for (size_t i = 0; i < record.sms[0].issues.count; i++)
        assert_int_equal(record.sms[0].issues.items[i].block, blocks[i]);
    gpu_record_free(&record);
    end(&example);
}

static bool stop_at_once(void *user, const char *stage, uint64_t done, uint64_t total) {
    assert_string_equal(stage, "default");
    assert_int_equal(total, 4);
    ++*(int *)user;
    return done == total;
}

static void test_watch_stops(void **state) {
    (void)state;
    struct example example;
    struct arena arena = {0};
    wb_gpu_simulation result;
    int asked = 0;
    const wb_watch watch = {stop_at_once, &asked};
    const struct gpu_options options = {.watch = &watch};
    begin(&example, "2*L0=0 U0", "");
    assert_int_equal(
        gpu_simulate(&example.timed, scheme("default"), &options, example.diagnostics, &arena, &result),
        WB_ERR_LIMIT);
    assert_int_equal(asked, 1);
    assert_int_equal(wb_diagnostics_errors(example.diagnostics), 1);
    arena_free(&arena);
    end(&example);
}

static wb_status count_issue(void *user, uint32_t sm, const struct sim_event *event) {
    (void)event;
    assert_int_equal(sm, 1);
    ++*(int *)user;
    return WB_OK;
}

static void test_sink_of_one_sm(void **state) {
    (void)state;
    struct example example;
    struct arena arena = {0};
    wb_gpu_simulation result;
    int issues = 0;
    const struct gpu_sink sink = {.sm = 1, .issue = count_issue, .user = &issues};
    const struct gpu_options options = {.sink = &sink};
    begin(&example, "3*L0=0 U0", "sms=2");
    assert_int_equal(
        gpu_simulate(&example.timed, scheme("default"), &options, example.diagnostics, &arena, &result),
        WB_OK);
    assert_int_equal(issues, 2);
    assert_int_equal(result.warp_instructions, 6);
    assert_int_equal(result.instructions[0].accesses, 3);
    arena_free(&arena);
    end(&example);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_grids),
        cmocka_unit_test(test_dispatch),
        cmocka_unit_test(test_reordering_does_not_deadlock),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_many_warps),
        cmocka_unit_test(test_age_is_that_of_blocks),
        cmocka_unit_test(test_watch_stops),
        cmocka_unit_test(test_sink_of_one_sm),
    };
    return cmocka_run_group_tests_name("GPU", tests, NULL, NULL);
}
