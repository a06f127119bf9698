/* The critical chain of simulations: every cycle belongs to one instruction, on machines of every kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "cost/critical_chain.h"
#include "random_block.h"
#include "random_gpu.h"
#include "random_sass.h"
#include "sass_block.h"
#include "sim/gpu/gpu.h"

#define ENTRIES_MAX 256

/* What a chain came to. */
struct spent {
    uint64_t total;
    uint64_t by_kind[WB_PART_COUNT];
    uint64_t by_entry[ENTRIES_MAX];
    uint64_t apart;
};

static void spend(void *user, uint32_t entry, wb_part_kind what, cycles count) {
    struct spent *spent = user;
    assert_true(count > 0 && what < WB_PART_COUNT);
    spent->total += count;
    spent->by_kind[what] += count;
    if (entry == CHAIN_NO_ENTRY) {
        spent->apart += count;
    } else {
        assert_true(entry < ENTRIES_MAX);
        spent->by_entry[entry] += count;
    }
}

static void walk(struct sm_record *record, const struct wb_machine *machine, cycles end,
                 struct spent *spent) {
    const struct critical_chain chain = {record, machine, {spend, spent}};
    memset(spent, 0, sizeof *spent);
    assert_false(record->failed || record->full);
    sm_record_close(record);
    critical_chain_walk(&chain, 0, end);
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static cycles block_chain(const struct timed_block *block, const char *policy, struct spent *spent) {
    struct sm_record record = {.code = &block->code};
    const struct sim_sink sink = {
        .event = sm_record_issue, .user = &record, .land = sm_record_land, .pass = sm_record_pass};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_simulation simulation;
    const struct sim_policy *chosen = policy_at(choose_index(policy, wb_policy_name));
    assert_int_equal(simulate(block, chosen, &sink, NULL, diagnostics, &simulation), WB_OK);
    wb_diagnostics_free(diagnostics);
    walk(&record, block->machine, simulation.cycles, spent);
    sm_record_free(&record);
    return simulation.cycles;
}

static const struct random_shape shapes[] = {
    {SHAPE_BLOCK(4, 6, 9, 7, 10), .barrier_percent = 15, .real_percent = 10, .alias_percent = 40,
     SHAPE_SM(3, 3, 2), .release = 4},
    {SHAPE_BLOCK(4, 5, 20, 5, 14), .barrier_percent = 6, .alias_percent = 40, SHAPE_SM(2, 2, 2),
     .copy_percent = 60, .fence_percent = 12},
    {SHAPE_BLOCK(5, 4, 6, 6, 12), .barrier_percent = 8, .alias_percent = 40, SHAPE_SM(2, 2, 2),
     .per_warp = 4},
};

static void test_random_blocks(void **state) {
    (void)state;
    static const uint32_t every_depth[] = {0, 1, 2, 3, DEPTH_UNLIMITED};
    static const char *const policies[] = {"lrr", "gto", "rr", "oldest"};
    for (uint64_t seed = 0; seed < random_rounds(12000); seed++) {
        struct random_block random;
        struct spent spent;
        const char *policy = policies[seed % 4];
        random_block_make(seed, &shapes[seed % 3], every_depth, 5, &random);
        const cycles end = block_chain(&random.block.timed, policy, &spent);
        if (spent.total != end)
            fail_msg("%s: %llu of %llu cycles\n%s", policy, (unsigned long long)spent.total,
                     (unsigned long long)end, random.label);
        assert_int_equal(spent.apart, 0);
        synthetic_block_free(&random.block);
    }
}

/* Blocks by hand: the shares of their entries, and of all by kind. */
static void test_known_chains(void **state) {
    (void)state;
    static const struct {
        const char *units, *warps;
        uint64_t issue, unit, latency, interference;
    } known[] = {
        {"A(1,5)", "A A.0", 2, 0, 10, 0},         /* 0, wait to 6, issue, wait to 12 */
        {"A(4,0)", "A A", 2, 6, 0, 0},            /* each keeps the unit 3 cycles behind its issue */
        {"A(1,0) B(1,0)", "A B; A", 2, 0, 0, 1},  /* the other warp is issued between */
        {"A(1,0)", "A | A; A A A |", 4, 0, 0, 1}, /* the slower warp, then the last issue */
        {"A(3,0)", "A; A", 1, 2, 0, 3},           /* the second waits for the unit of the first */
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct synthetic_block block;
        struct spent spent;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(synthetic_block_parse(known[i].units, known[i].warps, diagnostics, &block), WB_OK);
        block.machine.dispatch_depth = 0;
        const cycles end = block_chain(&block.timed, "lrr", &spent);
        assert_int_equal(spent.total, end);
        assert_int_equal(spent.by_kind[WB_PART_ISSUE], known[i].issue);
        assert_int_equal(spent.by_kind[WB_PART_UNIT], known[i].unit);
        assert_int_equal(spent.by_kind[WB_PART_LATENCY], known[i].latency);
        assert_int_equal(spent.by_kind[WB_PART_INTERFERENCE], known[i].interference);
        synthetic_block_free(&block);
        wb_diagnostics_free(diagnostics);
    }
}

/* ---- Grids --------------------------------------------------------------------------------------------- */

/* The records of all SMs. */
struct records {
    struct sm_record sms[8];
};

static wb_status record_issue(void *user, uint32_t sm, const struct sim_event *event) {
    return sm_record_issue(&((struct records *)user)->sms[sm], event);
}

static void record_land(void *user, uint32_t sm, const struct sim_landing *landing) {
    sm_record_land(&((struct records *)user)->sms[sm], landing);
}

static void record_pass(void *user, uint32_t sm, const struct sim_event *event) {
    sm_record_pass(&((struct records *)user)->sms[sm], event);
}

static void check_grid(uint64_t seed, const struct timed_grid *timed, const struct gpu_scheme *scheme,
                       const char *label) {
    struct records records = {0};
    for (uint32_t s = 0; s < 8; s++)
        records.sms[s] = (struct sm_record){.code = &timed->code};
    const struct gpu_sink sink = {.sm = GPU_EVERY_SM,
                                  .issue = record_issue,
                                  .user = &records,
                                  .land = record_land,
                                  .pass = record_pass};
    const struct gpu_options options = {.sink = &sink};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct arena arena = {0};
    wb_gpu_simulation result;
    struct spent spent;
    assert_true(timed->machine->memory.sms <= 8);
    assert_int_equal(gpu_simulate(timed, scheme, &options, diagnostics, &arena, &result), WB_OK);
    walk(&records.sms[result.last_sm], timed->machine, result.cycles, &spent);
    if (spent.total != result.cycles)
        fail_msg("seed %llu, %s %s: %llu of %llu cycles\n%s", (unsigned long long)seed, scheme->name,
                 scheme->policy->name, (unsigned long long)spent.total, (unsigned long long)result.cycles,
                 label);
    assert_int_equal(spent.apart, spent.by_kind[WB_PART_DISPATCH]);
    for (uint32_t s = 0; s < 8; s++)
        sm_record_free(&records.sms[s]);
    arena_free(&arena);
    wb_diagnostics_free(diagnostics);
}

/* With caches or one memory, with an instruction cache or not, requests reordered or not, under every
 * dispatcher. */
static void test_random_grids(void **state) {
    (void)state;
    static const struct gpu_scheme schemes[] = {{.name = "default", .policy = &policy_lrr},
                                                {.name = "default", .policy = &policy_gto},
                                                {.name = "pure-rr", .policy = &policy_rr},
                                                {.name = "default", .policy = &policy_oldest},
                                                {.name = "reorder", .policy = &policy_lrr, .reorder = true}};
    static const enum block_dispatch dispatches[] = {DISPATCH_GREEDY, DISPATCH_STATIC, DISPATCH_ROUND_ROBIN,
                                                     DISPATCH_MOST_FREE};
    for (uint64_t seed = 0; seed < random_rounds(6000); seed++) {
        struct random_state random = random_seeded(~seed);
        struct random_gpu_family varied = random_small_gpus;
        struct random_gpu gpu;
        varied.contended = seed % 3 == 0;
        varied.dispatch = dispatches[seed % 4];
        random_gpu_make(seed, &varied, &gpu);
        if (seed % 7 == 0) gpu.hand.machine.fetch = random_fetch(&random);
        if (seed % 5 != 0) random_gpu_vary_code(seed, &gpu);
        check_grid(seed, &gpu.timed, &schemes[seed / 4 % (varied.contended ? 4 : 5)], gpu.label.data);
        random_gpu_free(&gpu);
    }
}

/* Machine code on a machine that times it: blocks, and grids on one or two SMs. */
static void test_random_machine_code(void **state) {
    (void)state;
    static const struct gpu_scheme schemes[] = {{.name = "default", .policy = &policy_cggty},
                                                {.name = "default", .policy = &policy_gto},
                                                {.name = "default", .policy = &policy_lrr}};
    for (uint64_t seed = 0; seed < random_rounds(12000); seed++) {
        const struct sass_family *drawn = &sass_families[seed % SASS_FAMILIES];
        struct sass_grid grid;
        struct sass_gpu gpu;
        random_sass_grid(drawn, seed, &grid);
        sass_gpu_from(&grid, &gpu);
        check_grid(seed, &gpu.timed, &schemes[seed / SASS_FAMILIES % 3], drawn->name);
        sass_gpu_free(&gpu);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_chains),
        cmocka_unit_test(test_random_blocks),
        cmocka_unit_test(test_random_grids),
        cmocka_unit_test(test_random_machine_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
