/* Deadlocks of readings of JCSE 2017 and of channels without credit, and that the access order of
 * docs/access-order.md has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "hand_grid.h"
#include "order_explorer.h"

#define STATES_MAX 300000u
#define ROUNDS (ADDRESS_SANITIZER ? 400u : 2000u)

/* A grid with its requests. */
struct sample {
    struct hand_grid hand;
    struct traffic traffic;
};

static void sample_end(struct sample *sample) {
    assert_int_equal(traffic_make(&sample->hand.grid, &sample->hand.machine, NULL, &sample->traffic), WB_OK);
}

static void sample_free(struct sample *sample) {
    traffic_free(&sample->traffic);
    hand_grid_free(&sample->hand);
}

static struct exploration explore(const struct sample *sample, enum order_reading reading, uint32_t resident,
                                  struct channel_rules rules, uint64_t seed) {
    static struct order_model model;
    order_model_make(&sample->traffic, reading, resident, &rules, seed, &model);
    return order_explore(&model, STATES_MAX);
}

/* The rules that are proven, with the rest as given. */
static struct channel_rules proven(struct channel_rules rules) {
    rules.credit = true;
    rules.groups = false;
    return rules;
}

/* One row of the table: what deadlocks, with which reading and rules; `enough`: the depth with which it does
 * not, 0: none. */
static const struct row {
    const char *name, *grid;
    enum order_reading reading;
    uint32_t resident, enough;
    struct channel_rules rules;
} rows[] = {
    {"one flag per warp and address", "L1=0 L1=0", READING_ONE_SHOT, 1, 0, {true, true, false, 10, 4}},
    {"lowest address", "L2=0 L2=0 L1=0", READING_LOWEST_ADDRESS, 1, 3, {true, true, false, 2, 4}},
    {"lowest address, use",
     "L1=0 L2=0 U1 L1=0 L2=0",
     READING_LOWEST_ADDRESS,
     1,
     0,
     {true, true, false, 10, 4}},
    {"lowest address, loop with barrier",
     "2x L1=0 U1 | L1=0",
     READING_LOWEST_ADDRESS,
     1,
     0,
     {true, true, false, 10, 4}},
    {"lowest address, other side first",
     "L2=0 U2 L1=0",
     READING_LOWEST_ADDRESS,
     1,
     0,
     {true, true, false, 10, 4}},
    {"lowest address, barriers on two paths",
     "| L1=0; L2=0 U2 |",
     READING_LOWEST_ADDRESS,
     1,
     0,
     {true, true, false, 10, 4}},
    {"k-th access",
     "L1=0 U1 L1=0 U1 L1=0 U1 |; L1=0 U1 | L2=0",
     READING_KTH_ACCESS,
     1,
     0,
     {true, true, false, 10, 4}},
    {"no join at barriers", "| L1=0; L1=0 U1 |", READING_WITHOUT_JOIN, 1, 0, {true, true, false, 10, 4}},
    {"no generations", "2*L1=0 L2=0", READING_WITHOUT_GENERATION, 1, 0, {true, true, false, 10, 4}},
    {"flag that nobody clears", "L1=0", READING_WITH_PHANTOM, 1, 0, {true, true, false, 10, 4}},
    {"entries for requests", "L1=0,1,2,3,4,5,6,7,8,9,10", READING_KEYS, 1, 11, {true, true, true, 10, 4}},
    {"no credit, one unit", "L1=0; L1=0 L2=0", READING_KEYS, 1, 2, {false, true, false, 1, 4}},
    {"no credit, any arrival", "L1=0 L2=0 L3=0", READING_KEYS, 1, 3, {false, false, false, 2, 0}},
};

static void test_naive_readings(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct sample sample;
        hand_grid_make(&sample.hand, row->grid);
        sample_end(&sample);
        struct exploration naive = explore(&sample, row->reading, row->resident, row->rules, 0);
        struct exploration ours = explore(&sample, READING_KEYS, row->resident, proven(row->rules), 0);
        if (!naive.complete || !naive.deadlock) fail_msg("%s: no deadlock", row->name);
        if (!ours.complete || ours.deadlock) fail_msg("%s: the proven order deadlocks", row->name);
        if (row->enough != 0) {
            struct channel_rules rules = row->rules;
            rules.depth = row->enough;
            struct exploration deep = explore(&sample, row->reading, row->resident, rules, 0);
            if (!deep.complete || deep.deadlock)
                fail_msg("%s: deadlock with depth %u", row->name, rules.depth);
        }
        sample_free(&sample);
    }
}

/* What a random machine is. */
struct setting {
    uint32_t resident;
    struct channel_rules rules;
};

#define LANES_MAX 3u

static struct setting random_setting(struct random_state *random) {
    struct setting setting = {
        .resident = 1 + (uint32_t)random_below(random, 3),
        .rules = {.credit = true,
                  .in_order = random_below(random, 3) != 0,
                  .groups = random_below(random, 4) == 0,
                  .depth = 1 + (uint32_t)random_below(random, 3),
                  .unit_entries = 1 + (uint32_t)random_below(random, 2)},
    };
    if (setting.rules.groups && setting.rules.depth < LANES_MAX) setting.rules.depth = LANES_MAX;
    return setting;
}

static void random_sample(struct random_state *random, struct sample *sample) {
    const struct hand_shape shape = {.warps = 1 + (uint32_t)random_below(random, 3),
                                     .accesses = 4,
                                     .instructions = 1 + (uint32_t)random_below(random, 3),
                                     .lines = 5,
                                     .lanes = LANES_MAX,
                                     .use_percent = 40,
                                     .barrier_percent = 30};
    uint32_t blocks = 1 + (uint32_t)random_below(random, shape.warps == 3 ? 2 : 4);
    hand_grid_begin(&sample->hand);
    for (uint32_t b = 0; b < blocks; b++)
        hand_grid_add_random(&sample->hand, random, &shape);
    sample_end(sample);
}

/* The proven order and any other that extends program, barrier and generation order never deadlock, and no
 * channel is searched behind its oldest entry. */
static void test_random_grids(void **state) {
    (void)state;
    static const enum order_reading naive[] = {READING_LOWEST_ADDRESS, READING_KTH_ACCESS,
                                               READING_WITHOUT_JOIN, READING_WITHOUT_GENERATION};
    uint32_t complete = 0, deadlocks[4] = {0};
    uint64_t states = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct random_state random = random_seeded(seed);
        struct setting setting = random_setting(&random);
        struct sample sample;
        random_sample(&random, &sample);
        enum order_reading reading = seed % 2 == 0 ? READING_KEYS : READING_ANY_EXTENSION;
        struct exploration found = explore(&sample, reading, setting.resident, setting.rules, seed);
        if (found.deadlock || !found.head_only)
            fail_msg("seed %llu: %s: %s", (unsigned long long)seed,
                     found.deadlock ? "deadlock" : "not the oldest of its channel", sample.hand.text.data);
        complete += found.complete;
        states += found.states;
        uint32_t n = (uint32_t)(seed % 4);
        deadlocks[n] += explore(&sample, naive[n], setting.resident, setting.rules, 0).deadlock;
        sample_free(&sample);
    }
    print_message("%u of %u grids completely, %llu states\n", complete, ROUNDS, (unsigned long long)states);
    assert_true(complete >= ROUNDS / 10 * 9);
    for (uint32_t n = 0; n < 4; n++)
        assert_true(deadlocks[n] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_naive_readings),
                                       cmocka_unit_test(test_random_grids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
