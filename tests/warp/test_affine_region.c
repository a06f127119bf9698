/* The blocks of a class by its constraints (docs/block-classes.md), against trying every block of a grid. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_block.h"
#include "warp/affine/affine.h"

#define SPACES 20000u
#define CONSTRAINTS 4u

struct asked {
    __int128 v, c[AXES], low, high;
};

struct trial {
    struct random_state random;
    struct affine_space space;
    uint32_t grid[AXES];
    struct asked asked[CONSTRAINTS];
    uint32_t count; /* of those that hold */
};

static int64_t between(struct trial *trial, int64_t low, int64_t high) {
    return low + (int64_t)random_below(&trial->random, (uint64_t)(high - low) + 1);
}

/* Small coefficients, and some near the largest that there are. */
static __int128 some_coefficient(struct trial *trial) {
    const __int128 huge = (__int128)1 << 62;
    switch (random_below(&trial->random, 4)) {
    case 0: return 0;
    case 1: return huge - between(trial, 0, 3);
    case 2: return between(trial, -40, 40);
    default: return between(trial, -1, 1) * (huge + between(trial, 0, 3));
    }
}

static __int128 sum_of(const struct asked *asked, const int64_t q[AXES]) {
    __int128 sum = asked->v;
    for (uint32_t j = 0; j < AXES; j++)
        sum += asked->c[j] * q[j];
    return sum;
}

static bool holds(const struct asked *asked, const int64_t q[AXES]) {
    return asked->low <= sum_of(asked, q) && sum_of(asked, q) <= asked->high;
}

/* Adds a constraint unless a neighbour does not meet it, as affine_require must say. */
static void require_one(struct trial *trial) {
    struct affine_space *space = &trial->space;
    struct asked asked = {.v = between(trial, -1000, 1000)};
    uint8_t expected = 0, axes = 0;
    for (uint32_t j = 0; j < AXES; j++)
        asked.c[j] = some_coefficient(trial);
    const __int128 scale = random_below(&trial->random, 2) == 0 ? 1 : (__int128)1 << 61;
    asked.low = asked.v - between(trial, 0, 300) * scale;
    asked.high = asked.v + between(trial, 0, 300) * scale;
    for (uint32_t j = 0; j < AXES; j++) {
        const int64_t q[AXES] = {j == 0, j == 1, j == 2};
        if (space->step[j] != 0 && !holds(&asked, q)) expected |= (uint8_t)(1u << j);
    }
    const bool met = affine_require(space, asked.v, asked.c, asked.low, asked.high, &axes);
    assert_int_equal(axes, expected);
    assert_int_equal(met, expected == 0);
    if (met) trial->asked[trial->count++] = asked;
}

/* Whether a block is of the class: whole steps away, and it meets all constraints. */
static bool is_member(const struct trial *trial, const uint32_t index[AXES]) {
    int64_t q[AXES];
    bool member = true;
    for (uint32_t j = 0; j < AXES; j++) {
        const int64_t away = (int64_t)index[j] - trial->space.origin[j], step = trial->space.step[j];
        if (step == 0 ? away != 0 : away % step != 0) return false;
        q[j] = step == 0 ? 0 : away / step;
    }
    for (uint32_t i = 0; i < trial->count; i++)
        member &= holds(&trial->asked[i], q);
    return member;
}

static void check_row(const struct trial *trial, uint32_t index[AXES], uint64_t seed) {
    const struct affine_space *space = &trial->space;
    int64_t first, last, q[AXES];
    const bool some = affine_row(space, trial->grid, index, &first, &last, q);
    for (index[0] = 0; index[0] < trial->grid[0]; index[0]++) {
        const int64_t away = (int64_t)index[0] - space->origin[0], step = space->step[0];
        const bool whole = step == 0 ? away == 0 : away % step == 0;
        const int64_t k = step == 0 ? 0 : away / step;
        const bool found = some && whole && first <= k && k <= last;
        if (found != is_member(trial, index))
            fail_msg("seed %" PRIu64 ": block %u,%u,%u", seed, index[0], index[1], index[2]);
    }
}

static void test_rows(void **state) {
    const uint32_t rounds = random_rounds(SPACES);
    (void)state;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct trial trial = {.random = random_seeded(seed)};
        for (uint32_t j = 0; j < AXES; j++) {
            trial.grid[j] = (uint32_t)between(&trial, 1, 9);
            trial.space.origin[j] = (uint32_t)between(&trial, 0, trial.grid[j] - 1);
            trial.space.step[j] = (uint32_t)between(&trial, 0, 3);
        }
        for (uint32_t i = 0; i < CONSTRAINTS; i++)
            require_one(&trial);
        uint32_t index[AXES];
        for (index[2] = 0; index[2] < trial.grid[2]; index[2]++)
            for (index[1] = 0; index[1] < trial.grid[1]; index[1]++)
                check_row(&trial, index, seed);
        assert_false(trial.space.failed);
        vec_free(&trial.space.constraints);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests_name("affine regions", tests, NULL, NULL);
}
