/* The miss-rate estimate: against a replay of the sorted order, and what the order does to the misses of a
 * few patterns (the table of docs/access-order.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access_patterns.h"
#include "access_replay.h"
#include "memory/caches/caches.h"

/* Counts every instruction of every SM from the sorted accesses. */
static void count_sorted(const struct traffic *traffic, uint32_t resident, struct miss_counts *counts) {
    const struct machine_memory *memory = &traffic->machine->memory;
    struct sm_share share = {.sms = memory->sms, .resident = resident};
    for (share.sm = 0; share.sm < share.sms; share.sm++) {
        struct arena arena = {0};
        struct cache cache;
        size_t count;
        struct ordered_access *sorted = access_order_sorted(traffic, &share, false, &count);
        assert_int_equal(cache_init(&cache, &memory->l1, &arena), WB_OK);
        for (size_t i = 0; i < count; i++) {
            const struct traffic_access *access = sorted[i].access;
            struct miss_counts *of = &counts[access->instruction];
            uint64_t base = traffic_base(traffic, sorted[i].block, sorted[i].warp, access->group);
            of->accesses++;
            for (uint32_t r = 0; r < access->request_count; r++) {
                uint64_t address = base + sorted[i].pattern->offsets[access->first_request + r];
                bool load = access->kind == TRAFFIC_LOAD;
                bool updates = access->kind == TRAFFIC_STORE && memory->l1_store == STORE_UPDATES;
                bool hit = cache_has(&cache, address);
                of->requests++;
                of->load_requests += traffic_is_load(access->kind);
                of->load_misses += access->kind == TRAFFIC_UNCACHED || (load && !hit);
                if (load)
                    (void)cache_load(&cache, address);
                else
                    (void)cache_store(&cache, address, updates ? STORE_UPDATES : STORE_EVICTS);
            }
        }
        free(sorted);
        arena_free(&arena);
    }
}

static void check_random(uint64_t seed) {
    struct random_state random = random_seeded(seed);
    const struct hand_shape shape = {.warps = 1 + (uint32_t)random_below(&random, 3),
                                     .accesses = 8,
                                     .instructions = 5,
                                     .lines = 12,
                                     .lanes = 3,
                                     .store_percent = 15,
                                     .atomic_percent = 10,
                                     .barrier_percent = 15};
    struct hand_grid hand;
    struct traffic traffic;
    hand_grid_begin(&hand);
    for (uint32_t b = 0; b < 7; b++)
        hand_grid_add_random(&hand, &random, &shape);
    hand.machine.limits.blocks = 1 + (uint32_t)random_below(&random, 4);
    struct machine_memory *memory = &hand.machine.memory;
    memory->sms = 1 + (uint32_t)random_below(&random, 3);
    memory->l1.ways = 1 + (uint32_t)random_below(&random, 3);
    memory->l1.bytes = memory->l1.ways * memory->l1.line_bytes * 2;
    memory->l1_store = seed % 2 == 0 ? STORE_EVICTS : STORE_UPDATES;
    assert_int_equal(traffic_make(&hand.grid, &hand.machine, NULL, &traffic), WB_OK);
    hand_uncache(&traffic);
    struct miss_counts *expected = calloc(hand.grid.instruction_count, sizeof *expected);
    assert_non_null(expected);
    count_sorted(&traffic, hand.machine.limits.blocks, expected);
    for (uint32_t threads = 1; threads <= (seed % 20 == 0 ? 3 : 1); threads++) {
        struct miss_estimate estimate;
        assert_int_equal(miss_estimate_make(&traffic, threads, NULL, &estimate), WB_OK);
        assert_int_equal(estimate.resident, hand.machine.limits.blocks);
        if (memcmp(estimate.instructions, expected, hand.grid.instruction_count * sizeof *expected) != 0)
            fail_msg("seed %llu, %u threads: %s", (unsigned long long)seed, threads, hand.text.data);
        struct miss_counts sum = {0};
        for (uint32_t i = 0; i < hand.grid.instruction_count; i++) {
            sum.accesses += expected[i].accesses;
            sum.requests += expected[i].requests;
            sum.load_requests += expected[i].load_requests;
            sum.load_misses += expected[i].load_misses;
        }
        assert_memory_equal(&sum, &estimate.total, sizeof sum);
        miss_estimate_free(&estimate);
    }
    free(expected);
    traffic_free(&traffic);
    hand_grid_free(&hand);
}

static void test_random(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++)
        check_random(seed);
}

/* What cannot be estimated, and why. */
static void test_declined(void **state) {
    (void)state;
    struct hand_grid hand;
    struct traffic traffic;
    struct miss_estimate estimate;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    hand_grid_make(&hand, "2x L0=0");
    assert_int_equal(traffic_make(&hand.grid, &hand.machine, diagnostics, &traffic), WB_OK);
    hand.machine.limits.warps = 1;
    assert_int_equal(miss_estimate_make(&traffic, 1, diagnostics, &estimate), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "2 warps"));
    hand.machine.limits.warps = 2;
    hand.machine.memory.l1.bytes = 0;
    assert_int_equal(miss_estimate_make(&traffic, 1, diagnostics, &estimate), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "l1_size"));
    miss_estimate_free(&estimate);
    traffic_free(&traffic);
    wb_diagnostics_free(diagnostics);
    hand_grid_free(&hand);
}

#define RESIDENT 6u
#define RANDOM_ORDERS 5u

/* Misses in percent of load requests, in tenths. */
struct rates {
    uint32_t fixed, warp_first, round_robin, greedy, random_least, random_most;
};

static uint32_t tenths(const struct miss_counts *counts) {
    const double rate = (double)counts->load_misses / (double)counts->load_requests;
    return counts->load_requests == 0 ? 0 : (uint32_t)(1000.0 * rate + 0.5);
}

static uint32_t replayed(const struct traffic *traffic, enum replay_order order, uint64_t seed) {
    struct miss_counts counts = access_replay(traffic, RESIDENT, order, seed);
    return tenths(&counts);
}

/* Ends the grid that a pattern began: on one SM with 6 resident blocks and 16 kB in 4 ways. */
static struct rates rates_of(struct hand_grid *hand) {
    struct traffic traffic;
    struct miss_estimate estimate;
    hand->machine.limits.blocks = RESIDENT;
    assert_int_equal(traffic_make(&hand->grid, &hand->machine, NULL, &traffic), WB_OK);
    assert_int_equal(miss_estimate_make(&traffic, 1, NULL, &estimate), WB_OK);
    struct rates rates = {.fixed = tenths(&estimate.total),
                          .warp_first = replayed(&traffic, REPLAY_WARP_FIRST, 0),
                          .round_robin = replayed(&traffic, REPLAY_ROUND_ROBIN, 0),
                          .greedy = replayed(&traffic, REPLAY_GREEDY, 0),
                          .random_least = UINT32_MAX};
    for (uint64_t seed = 1; seed <= RANDOM_ORDERS; seed++) {
        uint32_t rate = replayed(&traffic, REPLAY_RANDOM, seed);
        rates.random_least = rate < rates.random_least ? rate : rates.random_least;
        rates.random_most = rate > rates.random_most ? rate : rates.random_most;
    }
    miss_estimate_free(&estimate);
    traffic_free(&traffic);
    hand_grid_free(hand);
    return rates;
}

static void make_vecadd(struct hand_grid *hand) {
    pattern_vecadd(hand, 24);
}

static void make_stencil(struct hand_grid *hand) {
    pattern_stencil(hand, 384, 8);
}

static void make_matmul(struct hand_grid *hand) {
    pattern_matmul(hand, 128);
}

static void make_matmul_tiled(struct hand_grid *hand) {
    pattern_matmul_tiled(hand, 128);
}

static void make_transpose(struct hand_grid *hand) {
    pattern_transpose(hand, 12, 288);
}

static void make_private(struct hand_grid *hand) {
    pattern_private(hand, 24, 8);
}

/* The table of docs/access-order.md, section 7. */
static const struct row {
    const char *name;
    void (*make)(struct hand_grid *hand);
    struct rates rates;
} rows[] = {
    {"vecadd", make_vecadd, {1000, 1000, 1000, 1000, 1000, 1000}},
    {"stencil", make_stencil, {186, 186, 186, 186, 186, 186}},
    {"matmul", make_matmul, {36, 36, 36, 342, 110, 117}},
    {"matmul, tiled", make_matmul_tiled, {342, 342, 342, 623, 490, 600}},
    {"transpose", make_transpose, {125, 1000, 125, 125, 260, 354}},
    {"private lines", make_private, {1000, 1000, 1000, 125, 513, 568}},
};

static void test_patterns(void **state) {
    (void)state;
    bool same = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hand_grid hand;
        hand_grid_begin(&hand);
        rows[i].make(&hand);
        struct rates got = rates_of(&hand);
        if (memcmp(&got, &rows[i].rates, sizeof got) == 0) continue;
        print_error("%s: fixed %u, warp first %u, round robin %u, greedy %u, random %u..%u\n", rows[i].name,
                    got.fixed, got.warp_first, got.round_robin, got.greedy, got.random_least,
                    got.random_most);
        same = false;
    }
    assert_true(same);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_declined),
                                       cmocka_unit_test(test_patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
