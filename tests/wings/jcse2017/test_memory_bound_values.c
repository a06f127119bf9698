/* What the bounds for machines with caches are made of: values worked out by hand on one small GPU, and grids
 * that need the term (docs/memory-bounds.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/base.h"
#include "bound/analysis/registry.h"
#include "bound/cache/memory_work.h"
#include "hand_grid.h"
#include "wings/jcse2017/methods.h"

/* The GPU: one SM, which holds one block; every instruction takes a cycle and one more; a miss takes 10 + 10
 * + 20 + 10 cycles besides three services of one cycle. */
enum { ML = 50, HIT = 5, WRITE = 30 };

struct fixture {
    struct hand_grid hand;
    struct timed_grid timed;
    struct gpu_scheme scheme;
    wb_diagnostics *diagnostics;
};

static void fixture_begin(struct fixture *fixture, const char *blocks) {
    *fixture = (struct fixture){.scheme = *gpu_scheme_at(0), .diagnostics = wb_diagnostics_new()};
    hand_grid_make(&fixture->hand, blocks);
    struct machine_memory *memory = &fixture->hand.machine.memory;
    memory->noc_latency = memory->l2_latency = 10;
    memory->dram_latency = 20;
    memory->l1_latency = HIT;
    memory->l1_victim = VICTIM_BYPASSED;
    fixture->hand.machine.limits.blocks = 1;
}

/* Behind the last change of the machine. */
static void fixture_ready(struct fixture *fixture) {
    fixture->timed = (struct timed_grid){
        .grid = &fixture->hand.grid, .machine = &fixture->hand.machine, .code = fixture->hand.code};
    wb_status status = traffic_make(&fixture->hand.grid, &fixture->hand.machine, fixture->diagnostics,
                                    &fixture->timed.traffic);
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(fixture->diagnostics));
}

static void fixture_end(struct fixture *fixture) {
    timed_grid_free(&fixture->timed);
    hand_grid_free(&fixture->hand);
    wb_diagnostics_free(fixture->diagnostics);
}

static void set_scheme(struct fixture *fixture, const char *name) {
    fixture->scheme = *gpu_scheme_at(choose_index(name, wb_scheme_name));
}

static wb_bound bound_of(const struct fixture *fixture, const struct bound_method *method) {
    struct memory_work work;
    wb_bound bound = {0};
    const char *why;
    const struct bound_input input = {.memory = &work,
                                      .scheme = &fixture->scheme,
                                      .machine = fixture->timed.machine,
                                      .diagnostics = fixture->diagnostics};
    wb_status status = memory_work_make(&fixture->timed, &fixture->scheme, fixture->diagnostics, &work);
    if (status == WB_OK && !bound_method_applies(method, &input, &why)) fail_msg("%s", why);
    if (status == WB_OK) status = method->run(&input, &bound);
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(fixture->diagnostics));
    memory_work_free(&work);
    return bound;
}

static cycles simulated(const struct fixture *fixture) {
    struct arena arena = {0};
    wb_gpu_simulation result;
    const struct gpu_options options = {0};
    if (gpu_simulate(&fixture->timed, &fixture->scheme, &options, fixture->diagnostics, &arena, &result) !=
        WB_OK)
        fail_msg("%s", wb_diagnostics_text(fixture->diagnostics));
    arena_free(&arena);
    return result.cycles;
}

/* Holds a bound against its value and against the simulated time, which a bound without the term at issue, of
 * `term` cycles, would not cover. */
static void check(const char *what, const struct fixture *fixture, const struct bound_method *method,
                  cycles value, cycles term) {
    wb_bound bound = bound_of(fixture, method);
    cycles time = simulated(fixture);
    if (bound.cycles != value || time > value || time + term <= value)
        fail_msg("%s: %s %d, expected %d; simulated %d", what, method->name, (int)bound.cycles, (int)value,
                 (int)time);
    assert_int_equal(bound.kind, WB_UPPER);
}

/* E + serving + replies + idle: a miss and its use alone; then a hit whose data is surely there. */
static void test_loads(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "L0=0 U0");
    fixture_ready(&f);
    check("a miss", &f, &bound_segment_sum, 2 + 2 + 1 + (ML + 1 + 1), 1);
    fixture_end(&f);
    fixture_begin(&f, "L0=0 U0 L1=0 U1");
    fixture_ready(&f);
    check("a hit", &f, &bound_segment_sum, 4 + 2 + 1 + (ML + 1 + HIT + 1 + 1), 1);
    fixture_end(&f);
    /* Whether the first load's data is there when the second one hits is not known: it counts as a miss in
     * the latency, but makes no request. */
    fixture_begin(&f, "L0=0 L1=0 U1");
    fixture_ready(&f);
    check("a hit under a miss", &f, &bound_segment_sum, 3 + 2 + 1 + (ML + 1 + 1), 2);
    fixture_end(&f);
    fixture_begin(&f, "S0=0");
    fixture_ready(&f);
    check("a store", &f, &bound_segment_sum, 1 + 1 + 1 + (WRITE + 1), 1);
    fixture_end(&f);
}

/* A load behind three lines that have to be written back first. */
static void test_write_backs(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "S0=0 S1=1 S2=2 L3=3 U3");
    f.hand.machine.memory.l2.bytes = f.hand.machine.memory.l2.line_bytes;
    f.hand.machine.memory.l2.ways = 1;
    f.hand.machine.memory.dram_service = 50;
    fixture_ready(&f);
    check("write-backs", &f, &bound_segment_sum, 5 + 4 + 50 * (1 + 3) + 4 + (ML + 1 + 1), 150);
    fixture_end(&f);
}

/* Sets of the second level, which its partitions divide among themselves. */
static void test_dram_demand(void **state) {
    (void)state;
    static const struct {
        const char *blocks;
        uint32_t partitions;
        uint64_t fetches, write_backs;
    } rows[] = {
        {"L0=0,1 L1=0 S2=1", 1, 2, 0},      /* sets 0 and 1 */
        {"L0=0,2 L1=0 S2=2", 1, 3, 1},      /* set 0 twice */
        {"S0=0 S1=2 S2=4 S3=1", 1, 0, 2},   /* the last line of set 0 stays */
        {"L0=0 / L0=0 / S2=1", 1, 1, 0},    /* of all blocks together */
        {"L0=0,1 L1=0 S2=1", 2, 2, 0},      /* one set in each partition */
        {"L0=0,2 L1=0 S2=2 A3=1", 2, 3, 1}, /* both in partition 0 */
        /* what comes when all sets are full and written counts by itself, also within a block */
        {"3* 2x L0=0,1,2,3 S1=0,1,2,3 / L0=4 ; S1=5 S2=6", 1, 25, 26},
        {"2* 2x L0=0,1,2,3 / 3* L0=4 ; S1=5", 1, 19, 3}, /* only one of both sets is written */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        struct dram_demand demand;
        fixture_begin(&f, rows[i].blocks);
        f.hand.machine.memory.l2.bytes = 2 * f.hand.machine.memory.l2.line_bytes;
        f.hand.machine.memory.l2.ways = 1;
        f.hand.machine.memory.l2_partitions = rows[i].partitions;
        fixture_ready(&f);
        assert_int_equal(dram_demand_of(&f.timed.traffic, &demand), WB_OK);
        if (demand.fetches != rows[i].fetches || demand.write_backs != rows[i].write_backs)
            fail_msg("row %zu: %d fetches, %d write-backs", i, (int)demand.fetches, (int)demand.write_backs);
        fixture_end(&f);
    }
}

/* Stalls for an entry: none if all loads in flight have one. */
static void test_entry_stalls(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "L0=0,1,2 U0");
    f.hand.machine.memory.l1_mshrs = 1;
    fixture_ready(&f);
    check("one entry", &f, &bound_segment_sum, 4 + 6 + 3 + 3 * ML + (ML + 1 + 1), 3 * ML);
    fixture_end(&f);
    fixture_begin(&f, "L0=0 U0 L1=1 U1");
    f.hand.machine.memory.l1_mshrs = 1;
    fixture_ready(&f);
    check("one load at a time", &f, &bound_segment_sum, 4 + 4 + 2 + (2 * (ML + 1) + 1), 1);
    fixture_end(&f);
}

/* Stalls for the data of a victim. */
static void test_victim_stalls(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "L0=0,1,2 U0");
    f.hand.machine.memory.l1.bytes = f.hand.machine.memory.l1.line_bytes;
    f.hand.machine.memory.l1.ways = 1;
    f.hand.machine.memory.l1_victim = VICTIM_STALLS;
    fixture_ready(&f);
    check("one line", &f, &bound_segment_sum, 4 + 6 + 3 + 2 * ML + (ML + 1 + 1), 2 * ML);
    fixture_end(&f);
}

/* Blocks one after another in one room. */
static void test_rooms(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "3*X");
    f.hand.machine.memory.dispatch_latency = 7;
    fixture_ready(&f);
    check("three blocks", &f, &bound_segment_sum, 3 + 3 * 1 + 2 * 7, 1);
    fixture_end(&f);
    fixture_begin(&f, "4*X");
    f.hand.machine.memory.sms = 2;
    f.hand.machine.memory.dispatch = DISPATCH_GREEDY;
    fixture_ready(&f);
    /* (4 + 1) / 2 initiations, (4 + 1) / 2 latencies. */
    check("any SM", &f, &bound_segment_sum, 5, 2);
    fixture_end(&f);
}

/* Under reordering hits are known, also those whose data is on its way; a second turn of each request counts.
 */
static void test_reordered(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "L0=0 U0 L1=0 U1");
    set_scheme(&f, "reorder");
    fixture_ready(&f);
    check("a hit", &f, &bound_reorder_chain, 4 + 2 + 2 + 1 + (ML + 1 + HIT + 1 + 1), 1);
    fixture_end(&f);
    fixture_begin(&f, "L0=0 L1=0 U1");
    set_scheme(&f, "reorder");
    fixture_ready(&f);
    check("a hit under a miss", &f, &bound_reorder_chain, 3 + 2 + 2 + 1 + (ML + 1 + 1), 3);
    fixture_end(&f);
    /* Warp 0's load is served behind warp 1's second one, which waits for its first. */
    fixture_begin(&f, "L2=2 U2; L0=0 U0 L1=1");
    set_scheme(&f, "reorder");
    fixture_ready(&f);
    check("the order", &f, &bound_reorder_chain, 5 + 3 + 6 + 3 + (2 * (ML + 1) + 1), ML);
    fixture_end(&f);
    /* The same with a channel of one entry: the X behind the second load of warp 0 waits, too. */
    fixture_begin(&f, "L2=2 L3=3 X; L0=0 U0 L1=1");
    f.hand.code.insts[f.hand.code.inst_count - 1].latency = 200;
    f.hand.machine.memory.channel_depth = 1;
    set_scheme(&f, "reorder");
    fixture_ready(&f);
    check("the channel", &f, &bound_reorder_chain, 6 + 4 + 8 + 4 + (ML + 1 + 200), ML);
    fixture_end(&f);
}

/* In turns a load can wait for another warp's; blocks that are not resident take no turns. */
static void test_turns(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "L0=0 U0 X; X L1=1 U1");
    set_scheme(&f, "pure-rr");
    fixture_ready(&f);
    check("two warps", &f, &bound_turn_chain, 6 + 4 + 2 + (2 * (ML + 1) + 1), ML);
    fixture_end(&f);
    fixture_begin(&f, "L0=0 U0 / L0=1 U0");
    set_scheme(&f, "pure-rr");
    fixture_ready(&f);
    check("two blocks", &f, &bound_turn_chain, 4 + 4 + 2 + 2 * (ML + 1 + 1), ML);
    fixture_end(&f);
    /* A round of both warps waits once: two rounds a block. */
    fixture_begin(&f, "L0=0 U0; L0=1 U0 / L0=2 U0; L0=3 U0");
    set_scheme(&f, "pure-rr");
    fixture_ready(&f);
    check("rounds", &f, &bound_turn_chain, 8 + 8 + 4 + 2 * (ML + 1 + 1), ML);
    fixture_end(&f);
    fixture_begin(&f, "L0=0 U0 X; X L1=1 U1 / L0=2 U0 X; X L1=3 U1");
    set_scheme(&f, "pure-rr");
    fixture_ready(&f);
    check("rounds in a row", &f, &bound_turn_chain, 12 + 8 + 4 + 2 * (2 * (ML + 1) + 1), ML);
    fixture_end(&f);
    /* Barriers release both warps of a block at once, whatever their sub-cores. */
    fixture_begin(&f, "L0=0 U0 | X; X | L1=1 U1");
    f.hand.machine.sub_cores = 2;
    set_scheme(&f, "pure-rr");
    fixture_ready(&f);
    check("sub-cores", &f, &bound_turn_chain, 6 + 4 + 2 + (2 * (ML + 1) + 1), ML);
    fixture_end(&f);
}

/* Segments, eq. (1) to (4): L = 1 + (53 + 1) with one request an instruction on one SM, and 1 + 54 / 2 where
 * every second load hits. */
static void test_segments(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "L0=0 U0 L1=0 U1; X");
    fixture_ready(&f);
    wb_bound bound = bound_of(&f, &bound_segments);
    /* w0: [L0] at 0, [U0 L1] at 57, [U1] at 57 + 2 + 56; w1 in between. */
    assert_int_equal(bound.cycles, 57 + 58 + 1 + 1);
    assert_int_equal(bound.kind, WB_ESTIMATE);
    assert_non_null(bound.reason);
    bound = bound_of(&f, &bound_segments_missrate);
    assert_int_equal(bound.cycles, 30 + 31 + 1 + 1);
    assert_int_equal(bound.kind, WB_ESTIMATE);
    fixture_end(&f);
    /* A second write of a register and a barrier cut, too; blocks that are not resident follow. */
    fixture_begin(&f, "2*L0=0 L0=1 | X");
    fixture_ready(&f);
    assert_int_equal(bound_of(&f, &bound_segments).cycles, 2 * (57 + 57 + 1 + 1));
    fixture_end(&f);
    fixture_begin(&f, "X");
    fixture_ready(&f);
    assert_int_equal(bound_of(&f, &bound_segments_missrate).cycles, 2);
    fixture_end(&f);
}

/* Which methods are for which schemes. */
static void test_schemes(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "X");
    fixture_ready(&f);
    for (size_t s = 0; gpu_scheme_at(s) != NULL; s++) {
        const struct memory_work work = {.timed = &f.timed, .scheme = gpu_scheme_at(s)};
        const struct bound_input input = {.memory = &work, .scheme = work.scheme, .machine = f.timed.machine};
        const struct bound_method *own[] = {&bound_segment_sum, &bound_turn_chain, &bound_reorder_chain};
        const char *why;
        for (size_t m = 0; bound_method_at(m) != NULL; m++) {
            const struct bound_method *method = bound_method_at(m);
            bool expected =
                method == own[s] || method == &bound_segments || method == &bound_segments_missrate;
            assert_int_equal(bound_method_applies(method, &input, &why), expected);
        }
    }
    fixture_end(&f);
}

/* Instruction 0 keeps its unit for so long, longer than its data takes. */
static void keep_unit(struct fixture *fixture, uint32_t busy) {
    for (size_t p = 0; p < fixture->timed.traffic.patterns.count; p++) {
        const struct traffic_pattern *pattern = &fixture->timed.traffic.patterns.items[p];
        for (uint32_t a = 0; a < pattern->access_count; a++)
            if (pattern->accesses[a].instruction == 0) pattern->accesses[a].cycles = busy;
    }
}

/* Data that is there before the initiation ends: the block must not end, and its successor not start, before
 * its unit is free, or three blocks on two SMs take longer than theorem 2 says. */
static void test_initiations_outlast_data(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "L0=0 / L2=1 / L1=2 U1");
    struct machine_memory *memory = &f.hand.machine.memory;
    memory->dispatch = DISPATCH_GREEDY;
    memory->sms = 2;
    memory->noc_latency = 1;
    memory->l1_latency = memory->l2_latency = memory->dram_latency = 0;
    f.hand.code.insts[HAND_USE_OF(1)].init = 1000;
    fixture_ready(&f);
    keep_unit(&f, 1000);
    wb_bound bound = bound_of(&f, &bound_segment_sum);
    assert_int_equal(bound.kind, WB_UPPER);
    assert_true(simulated(&f) >= 1000);
    assert_true(simulated(&f) <= bound.cycles);
    fixture_end(&f);
}

/* A use without a slot in front of a barrier: the barrier opens when the data comes, and the turns of the
 * other block's warps shift by it. With a slot for the use the turns are known, without they are not. */
static void test_waits_between_turns(void **state) {
    (void)state;
    static const char blocks[] = "L0=0 U0 | ; | X L1=1 U1 X L1=2 U1 X L1=3 U1"
                                 " / L2=5 U2 X L2=6 U2 X L2=7 U2 X ;";
    for (unsigned without = 0; without < 2; without++) {
        struct fixture f;
        fixture_begin(&f, blocks);
        f.hand.machine.limits.blocks = 2;
        f.hand.machine.memory.noc_latency = 100;
        struct timed_inst *use = &f.hand.code.insts[HAND_USE_OF(0)];
        if (without) use->unit = UNIT_NONE, use->init = 0;
        fixture_ready(&f);
        set_scheme(&f, "pure-rr");
        wb_bound bound = bound_of(&f, &bound_turn_chain);
        assert_int_equal(bound.kind, WB_UPPER);
        assert_true(simulated(&f) <= bound.cycles);
        fixture_end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_write_backs),
        cmocka_unit_test(test_dram_demand),
        cmocka_unit_test(test_entry_stalls),
        cmocka_unit_test(test_victim_stalls),
        cmocka_unit_test(test_rooms),
        cmocka_unit_test(test_reordered),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_initiations_outlast_data),
        cmocka_unit_test(test_waits_between_turns),
    };
    return cmocka_run_group_tests_name("memory bound values", tests, NULL, NULL);
}
