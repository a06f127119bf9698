/* What is known of the first level (docs/must-hits.md) against every order of small grids, and random orders
 * of larger ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sure_case.h"

/* A kind of cases. */
struct sure_family {
    enum order_cache cache;
    enum port_order order;
    uint32_t cases;
    uint32_t walks;           /* 0: all orders */
    uint32_t resident;        /* at most */
    uint32_t blocks;          /* 0: mostly one */
    uint32_t lanes, accesses; /* of an access, of a warp: at most */
};

static uint32_t up_to(struct random_state *random, uint32_t most) {
    return 1 + (uint32_t)random_below(random, most);
}

/* A random cache, which some sets and ways make small enough that lines compete. */
static struct sure_setting random_setting(struct random_state *random, const struct sure_family *family) {
    static const uint32_t sector_bytes[] = {0, 0, 32, 64, 128};
    return (struct sure_setting){.sets = up_to(random, 2),
                                 .ways = up_to(random, 3),
                                 .sector_bytes = sector_bytes[random_below(random, 5)],
                                 .store = (uint32_t)random_below(random, 2),
                                 .resident = family->resident == 0 ? 0 : up_to(random, family->resident),
                                 .hashed = random_below(random, 4) == 0,
                                 .depth = family->order == PORT_ISSUE_ORDER ? 0 : 4,
                                 .sub_cores = family->order == PORT_PROGRAM_ORDER ? 2 : 1,
                                 .two_units = family->order == PORT_ANY_ORDER};
}

/* What random blocks look like, so that one grid has a few thousand orders, unless only some are walked. */
static struct hand_shape random_shape(struct random_state *random, const struct sure_family *family,
                                      const struct sure_setting *setting, uint32_t blocks) {
    static const uint32_t accesses[] = {0, 12, 7, 5, 4};
    struct hand_shape shape = {.warps = up_to(random, blocks == 1 ? 3 : 2),
                               .instructions = 10,
                               .lines = up_to(random, setting->sets * (setting->sector_bytes == 0 ? 5 : 3)),
                               .lanes = up_to(random, family->lanes),
                               .sectors = setting->sector_bytes == 0 ? 1 : up_to(random, 4),
                               .store_percent = (uint32_t)random_below(random, 3) * 20,
                               .atomic_percent = (uint32_t)random_below(random, 2) * 10,
                               .use_percent = 60,
                               .barrier_percent = (uint32_t)random_below(random, 3) * 25};
    shape.accesses = accesses[blocks * shape.warps <= 4 ? blocks * shape.warps : 4];
    if (family->walks > 0 || shape.accesses > family->accesses) shape.accesses = family->accesses;
    return shape;
}

static void random_case(struct sure_case *known, uint64_t seed, const struct sure_family *family) {
    struct random_state random = random_seeded(seed ^ 0x5eed);
    struct sure_setting setting = random_setting(&random, family);
    setting.uncached = seed % 2 == 1;
    uint32_t blocks = random_below(&random, 3) != 0 ? 1 : family->walks > 0 ? up_to(&random, 5) : 2;
    if (family->blocks > 0) blocks = family->blocks;
    struct hand_shape shape = random_shape(&random, family, &setting, blocks);
    sure_case_random(known, seed, &shape, blocks, &setting);
}

/* Holds what is known of random cases against their orders. */
static struct sure_census check_cases(const struct sure_family *family) {
    struct sure_census census = {0};
    for (uint64_t seed = 0; seed < family->cases; seed++) {
        struct sure_case known;
        struct order_answer answer;
        random_case(&known, seed, family);
        assert_true(known.hits.order >= family->order); /* fewer units, fewer orders */
        sure_case_ask(&known, family->cache, known.hits.order, family->walks, &answer);
        if (!sure_case_holds(&known, &answer, &census)) fail_msg("%s", sure_case_text(&known));
        order_answer_free(&answer);
        sure_case_free(&known);
    }
    assert_int_equal(census.incomplete, family->walks > 0 ? family->cases : 0);
    return census;
}

/* At least `percent` of what there is must be found: an analysis that knows nothing contradicts nothing. */
static void assert_found(uint32_t found, uint32_t all, uint32_t percent) {
    if ((uint64_t)found * 100 < (uint64_t)all * percent || found > all)
        fail_msg("found %u of %u, expected %u %%", found, all, percent);
}

/* Accesses of one line each, no blocks that follow one another: nearly all must hits are found. */
static void test_every_order_of_single_requests(void **state) {
    (void)state;
    const struct sure_family family = {.order = PORT_ISSUE_ORDER, .cases = 1000, .lanes = 1, .accesses = 12};
    struct sure_census census = check_cases(&family);
    assert_found(census.found, census.hits, 98);
    assert_found(census.bounds_exact, census.cases, 85);
}

static void test_every_order(void **state) {
    (void)state;
    const struct sure_family family = {
        .order = PORT_ISSUE_ORDER, .cases = 1000, .resident = 3, .lanes = 2, .accesses = 12};
    struct sure_census census = check_cases(&family);
    assert_found(census.found, census.hits, 90);
    assert_found(census.bounds_exact, census.cases, 80);
}

/* What one block does between the accesses of another one. */
static void test_every_order_of_two_blocks(void **state) {
    (void)state;
    const struct sure_family family = {
        .order = PORT_ISSUE_ORDER, .cases = 1000, .resident = 2, .blocks = 2, .lanes = 1, .accesses = 5};
    struct sure_census census = check_cases(&family);
    assert_found(census.found, census.hits, 60); /* those of one block after the other are not looked for */
    assert_found(census.bounds_exact, census.cases, 80);
}

/* Whenever data comes, and whatever becomes of lines that it was meant for. */
static void test_every_arrival(void **state) {
    (void)state;
    struct sure_family family = {.cache = CACHE_BYPASSES,
                                 .order = PORT_ISSUE_ORDER,
                                 .cases = 100,
                                 .resident = 2,
                                 .lanes = 2,
                                 .accesses = 4};
    for (uint32_t i = 0; i < 2; i++) {
        struct sure_census census = check_cases(&family);
        assert_found(census.found, census.hits, 85);
        assert_found(census.prompt_found, census.prompt, 85);
        family.cache = CACHE_STALLS;
    }
}

/* Units of their own for each sub-core: barriers order nothing, and requests of one instruction come apart.
 */
static void test_program_order(void **state) {
    (void)state;
    const struct sure_family family = {
        .order = PORT_PROGRAM_ORDER, .cases = 300, .resident = 2, .lanes = 2, .accesses = 6};
    struct sure_census census = check_cases(&family);
    assert_found(census.found, census.hits, 90);
}

/* No order but that of the requests of one instruction. */
static void test_any_order(void **state) {
    (void)state;
    const struct sure_family family = {
        .order = PORT_ANY_ORDER, .cases = 200, .resident = 2, .lanes = 2, .accesses = 3};
    struct sure_census census = check_cases(&family);
    assert_found(census.bounds_exact, census.cases, 85);
}

/* Larger grids, of which only some orders are tried. */
static void test_some_orders_of_larger_grids(void **state) {
    (void)state;
    const struct sure_family family = {
        .order = PORT_ISSUE_ORDER, .cases = 400, .walks = 20, .resident = 4, .lanes = 2, .accesses = 10};
    struct sure_census census = check_cases(&family);
    assert_found(census.found, census.hits, 75); /* of those that were seen to miss in no order */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_order_of_single_requests),
        cmocka_unit_test(test_every_order),
        cmocka_unit_test(test_every_order_of_two_blocks),
        cmocka_unit_test(test_every_arrival),
        cmocka_unit_test(test_program_order),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_some_orders_of_larger_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
