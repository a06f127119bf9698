#include "sass_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sass_block.h"

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

static void make_all(const struct sass_grid *grid, struct sass_sums *sums) {
    struct sass_grid whole = *grid;
    whole.warps *= whole.blocks;
    whole.blocks = 1;
    sass_block_from(&whole, 1, false, &sums->machine_of_all, &sums->all);
}

/* The code of block b is part of the code of all. */
static void share_code(const struct sass_grid *grid, uint32_t b, const struct timed_code *all,
                       struct timed_block *block) {
    struct timed_code *code = &block->code;
    uint32_t before = 0;
    for (uint32_t w = 0; w < b * grid->warps; w++)
        before += grid->programs[w].count;
    code->origin = arena_array(&block->arena, (size_t)code->inst_count + 1, sizeof *code->origin);
    assert_non_null(code->origin);
    for (uint32_t i = 0; i < code->inst_count; i++)
        code->origin[i] = before + i;
    code->beside = all;
}

static void add_class(const struct sass_grid *grid, uint32_t b, struct sass_sums *sums) {
    const size_t k = sums->work.classes.count;
    struct sass_grid one = *grid;
    struct code_profile profile, cold;
    assert_true(k < SASS_KINDS);
    memcpy(one.programs, &grid->programs[b * grid->warps], grid->warps * sizeof one.programs[0]);
    sass_block_from(&one, 1, false, &sums->machine[k], &sums->blocks[k]);
    share_code(grid, b, &sums->all.code, &sums->blocks[k]);
    machine_memory_defaults(&sums->machine[k].memory);
    sums->machine[k].memory.sms = grid->sms;
    sums->machine[k].memory.dispatch = grid->is_static ? DISPATCH_STATIC : DISPATCH_ANY;
    sums->work.machine = &sums->machine[0];
    assert_int_equal(code_profile_make(&sums->blocks[k], MISSES_BESIDE, &profile), WB_OK);
    assert_int_equal(code_profile_make(&sums->blocks[k], MISSES_ON_PATHS, &cold), WB_OK);
    assert_int_equal(grid_work_add_code_class(&sums->work, &sums->blocks[k], &profile, &cold), WB_OK);
    code_profile_free(&cold);
    code_profile_free(&profile);
}

void sass_sums_make(const struct sass_grid *grid, struct sass_sums *sums) {
    uint32_t first[SASS_KINDS] = {0};
    memset(sums, 0, sizeof *sums);
    sums->work.class_of = arena_array(&sums->work.arena, grid->blocks, sizeof *sums->work.class_of);
    assert_non_null(sums->work.class_of);
    make_all(grid, sums);
    for (uint32_t b = 0; b < grid->blocks; b++) {
        uint32_t k = 0;
        while (k < sums->work.classes.count && !alike(grid, first[k], b))
            k++;
        if (k == sums->work.classes.count) {
            first[k] = b;
            add_class(grid, b, sums);
        }
        grid_work_add_block(&sums->work, k, 1);
    }
    sums->work.resident_least = sums->work.resident_most = sums->work.slots = grid->slots;
    assert_int_equal(grid_work_finish(&sums->work), WB_OK);
}

void sass_sums_free(struct sass_sums *sums) {
    for (size_t k = 0; k < sums->work.classes.count; k++)
        timed_block_free(&sums->blocks[k]);
    timed_block_free(&sums->all);
    grid_work_free(&sums->work);
}
