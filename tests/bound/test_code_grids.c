/* code-k-sm, code-k-area, code-k-bal and code-k-chain as the library computes them against every execution of
 * small random grids of machine code, whichever block goes where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bound/grid/grid_work.h"
#include "bound/kernel/kernel_bounds.h"
#include "random_block.h"
#include "sass_block.h"
#include "sass_check.h"

#define ROUNDS 30000u
#define STATES 400

/* Kinds of blocks of a random grid at most. */
#define KINDS 2u

struct grid_sums {
    struct wb_machine machine[KINDS];
    struct timed_block blocks[KINDS];
    struct grid_work work;
};

/* Whether two blocks are stated alike. */
static bool alike(const struct sass_grid *grid, uint32_t a, uint32_t b) {
    for (uint32_t w = 0; w < grid->warps; w++) {
        const struct sass_program *x = &grid->programs[a * grid->warps + w];
        const struct sass_program *y = &grid->programs[b * grid->warps + w];
        if (x->count != y->count) return false;
        for (uint32_t k = 0; k < x->count; k++)
            if (memcmp(&x->steps[k].stated, &y->steps[k].stated, sizeof x->steps[k].stated) != 0)
                return false;
    }
    return true;
}

static void add_class(const struct sass_grid *grid, uint32_t b, struct grid_sums *sums) {
    const size_t k = sums->work.classes.count;
    struct sass_grid one = *grid;
    struct code_profile profile;
    assert_true(k < KINDS);
    memcpy(one.programs, &grid->programs[b * grid->warps], grid->warps * sizeof one.programs[0]);
    sass_block_from(&one, 1, false, &sums->machine[k], &sums->blocks[k]);
    machine_memory_defaults(&sums->machine[k].memory);
    sums->machine[k].memory.sms = grid->sms;
    sums->machine[k].memory.dispatch = grid->is_static ? DISPATCH_STATIC : DISPATCH_GREEDY;
    sums->work.machine = &sums->machine[0];
    assert_int_equal(code_profile_make(&sums->blocks[k], &profile), WB_OK);
    assert_int_equal(grid_work_add_code_class(&sums->work, &sums->blocks[k], &profile), WB_OK);
    code_profile_free(&profile);
}

static void make_sums(const struct sass_grid *grid, struct grid_sums *sums) {
    uint32_t first[KINDS] = {0};
    memset(sums, 0, sizeof *sums);
    sums->work.class_of = arena_array(&sums->work.arena, grid->blocks, sizeof *sums->work.class_of);
    assert_non_null(sums->work.class_of);
    for (uint32_t b = 0; b < grid->blocks; b++) {
        uint32_t k = 0;
        while (k < sums->work.classes.count && !alike(grid, first[k], b))
            k++;
        if (k == sums->work.classes.count) {
            first[k] = b;
            add_class(grid, b, sums);
        }
        grid_work_add_block(&sums->work, k);
    }
    sums->work.resident_least = sums->work.resident_most = sums->work.slots = grid->slots;
    assert_int_equal(grid_work_finish(&sums->work), WB_OK);
}

static void free_sums(struct grid_sums *sums) {
    for (size_t k = 0; k < sums->work.classes.count; k++)
        timed_block_free(&sums->blocks[k]);
    grid_work_free(&sums->work);
}

/* The least of the bounds that are for the grid. */
static uint64_t least_bound(const struct sass_grid *grid, const struct grid_work *work, uint32_t time) {
    struct kernel_time (*const dynamic[])(const struct grid_work *, uint64_t) = {
        kernel_one_sm, kernel_area, kernel_balance, kernel_code_chain};
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < sizeof dynamic / sizeof *dynamic; i++) {
        if (grid->is_static && i > 0) break;
        if (i == 3 && !work->code_chains) break;
        const struct kernel_time found = (grid->is_static ? kernel_static : dynamic[i])(work, grid->slots);
        const uint64_t sum = kernel_time_sum(&found);
        if (sum < time) printf("bound %zu: %" PRIu64 " below %" PRIu32 "\n", i, sum, time);
        least = sum < least ? sum : least;
    }
    return least;
}

static void test_no_execution_of_a_grid_is_beyond_a_bound(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(ROUNDS);
    const struct sass_family *family = &sass_families[SASS_FAMILY_OF_GRIDS];
    uint32_t searched = 0, attained = 0;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct sass_grid grid;
        struct grid_sums sums;
        random_sass_grid(family, seed, &grid);
        const uint32_t time = sass_explore(&grid, STATES);
        if (time == 0) continue;
        make_sums(&grid, &sums);
        const uint64_t least = least_bound(&grid, &sums.work, time);
        if (time > least) {
            struct text text = {0};
            sass_grid_print(&grid, &text);
            fprintf(stderr, "seed %" PRIu64 ": takes %" PRIu32 "\n%s", seed, time, text.data);
            text_free(&text);
            fail();
        }
        searched++;
        attained += time == least;
        free_sums(&sums);
    }
    printf("%" PRIu32 " of %" PRIu32 " grids searched, the least bound attained in %" PRIu32 "\n", searched,
           rounds, attained);
    assert_true(searched > rounds / 2);
    assert_true(attained > rounds / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_execution_of_a_grid_is_beyond_a_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
