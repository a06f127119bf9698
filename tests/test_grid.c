/* Grids: what blocks have in common is kept once, and comes back as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "warp/grid.h"
#include "warp/lanes.h"

#define INSTRUCTIONS 12u
#define WARPS 3u

/* A block made by hand. */
struct sample {
    struct path paths[WARPS];
    struct access_list accesses[WARPS];
};

static void sample_free(struct sample *sample) {
    for (uint32_t w = 0; w < WARPS; w++) {
        path_free(&sample->paths[w]);
        vec_free(&sample->accesses[w].items);
        vec_free(&sample->accesses[w].tables);
    }
}

/* An access of some lanes, half of them with a stride; few kinds, so that equal ones meet. */
static void add_access(struct random_state *random, uint64_t step, struct access_list *list) {
    static const uint8_t spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL};
    uint32_t instruction = (uint32_t)random_below(random, INSTRUCTIONS);
    struct access access = {
        .step = step,
        .base = random_below(random, 4) * 1000,
        .stride = (int64_t)random_below(random, 3) * 4 - 4,
        .instruction = instruction,
        .mask = random_below(random, 2) == 0 ? LANES_ALL : (uint32_t)random_next(random) | 1u << 7,
        .table = ACCESS_AFFINE,
        .bytes = 4,
        .space = spaces[random_below(random, 4)],
        .is_store = instruction % 2 == 0,
    };
    if (random_below(random, 2) == 0) {
        access.base = 0;
        access.stride = 0;
        access.table = (uint32_t)list->tables.count;
        FOR_LANES_OF(l, access.mask)
        assert_int_equal(vec_push(&list->tables, random_below(random, 8) * l), WB_OK);
    }
    assert_int_equal(vec_push(&list->items, access), WB_OK);
}

static void make_path(struct random_state *random, struct path *path) {
    struct path_writer writer = {0};
    uint64_t length = random_below(random, 4);
    for (uint64_t i = 0; i < length; i++) {
        uint32_t instruction = (uint32_t)random_below(random, INSTRUCTIONS);
        assert_int_equal(path_append(&writer, instruction, LANES_ALL), WB_OK);
    }
    assert_int_equal(path_finish(&writer, path), WB_OK);
}

static struct sample sample_make(struct random_state *random) {
    struct sample sample = {0};
    for (uint32_t w = 0; w < WARPS; w++) {
        uint64_t count = random_below(random, 6);
        make_path(random, &sample.paths[w]);
        for (uint64_t i = 0; i < count; i++)
            add_access(random, i, &sample.accesses[w]);
    }
    return sample;
}

/* The same block with the global addresses of each instruction moved by an amount of its own. */
static struct sample sample_moved(struct random_state *random, const struct sample *from) {
    struct sample moved = {0};
    uint64_t amount[INSTRUCTIONS];
    for (uint32_t i = 0; i < INSTRUCTIONS; i++)
        amount[i] = random_next(random);
    for (uint32_t w = 0; w < WARPS; w++) {
        const struct access_list *list = &from->accesses[w];
        for (size_t i = 0; i < from->paths[w].entries.count; i++)
            assert_int_equal(vec_push(&moved.paths[w].entries, from->paths[w].entries.items[i]), WB_OK);
        moved.paths[w].length = from->paths[w].length;
        moved.paths[w].hash = from->paths[w].hash;
        for (size_t i = 0; i < list->tables.count; i++)
            assert_int_equal(vec_push(&moved.accesses[w].tables, list->tables.items[i]), WB_OK);
        for (size_t i = 0; i < list->items.count; i++) {
            struct access access = list->items.items[i];
            uint64_t by = access.space == PTX_SPACE_GLOBAL ? amount[access.instruction] : 0;
            uint32_t lanes = (uint32_t)__builtin_popcount(access.mask);
            if (access.table == ACCESS_AFFINE) access.base += by;
            for (uint32_t j = 0; access.table != ACCESS_AFFINE && j < lanes; j++)
                moved.accesses[w].tables.items[access.table + j] += by;
            assert_int_equal(vec_push(&moved.accesses[w].items, access), WB_OK);
        }
    }
    return moved;
}

static uint64_t lane_address(const struct access *access, const uint64_t *tables, uint32_t lane) {
    if (access->table == ACCESS_AFFINE) return access->base + (uint64_t)access->stride * lane;
    return tables[access->table + (uint32_t)__builtin_popcount(access->mask & ((1u << lane) - 1))];
}

/* The warp of the grid has these accesses, lane by lane. */
static void check_accesses(const struct wb_grid *grid, uint32_t block, uint32_t warp,
                           const struct access_list *list) {
    const struct grid_block *at = &grid->blocks.items[block];
    uint32_t index = grid->shapes.items[at->shape].warps[warp].stream;
    const struct access_stream *stream = &grid->streams.items[index];
    assert_int_equal(stream->access_count, list->items.count);
    for (uint32_t i = 0; i < stream->access_count; i++) {
        const struct access *made = &stream->accesses[i], *given = &list->items.items[i];
        uint64_t base = grid_base(grid, at, warp, stream->groups[i]);
        assert_int_equal(made->step, given->step);
        assert_int_equal(made->instruction, given->instruction);
        assert_int_equal(made->mask, given->mask);
        assert_int_equal(made->bytes, given->bytes);
        assert_int_equal(made->space, given->space);
        assert_int_equal(made->is_store, given->is_store);
        assert_int_equal(made->is_atomic, given->is_atomic);
        if (made->space != PTX_SPACE_GLOBAL) assert_int_equal(base, 0);
        FOR_LANES_OF(l, given->mask)
        assert_int_equal(base + lane_address(made, stream->tables, l),
                         lane_address(given, list->tables.items, l));
    }
}

/* Random blocks and moved copies of them: every one is found again in the grid, and a copy has the shape of
 * the block it was made from. */
static void test_blocks_come_back(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_state random = random_seeded(seed);
        struct wb_grid grid = {.warp_count = WARPS, .instruction_count = INSTRUCTIONS};
        struct sample samples[8];
        print_message("%s", seed == 1 ? "seeds 1 to 200\n" : "");
        for (uint32_t b = 0; b < 8; b++) {
            struct path paths[WARPS];
            samples[b] = b % 2 == 0 ? sample_make(&random) : sample_moved(&random, &samples[b - 1]);
            struct random_state same = {0};
            struct sample copy = sample_moved(&same, &samples[b]);
            for (uint32_t w = 0; w < WARPS; w++) {
                paths[w] = copy.paths[w];
                copy.paths[w] = (struct path){0};
            }
            assert_int_equal(grid_add_block(&grid, paths, samples[b].accesses), WB_OK);
            for (uint32_t w = 0; w < WARPS; w++)
                assert_int_equal(paths[w].entries.count, 0);
            sample_free(&copy);
        }
        for (uint32_t b = 0; b < 8; b++) {
            const struct block_shape *shape = &grid.shapes.items[grid.blocks.items[b].shape];
            for (uint32_t w = 0; w < WARPS; w++) {
                assert_true(path_equal(&grid.paths.items[shape->warps[w].path], &samples[b].paths[w]));
                check_accesses(&grid, b, w, &samples[b].accesses[w]);
            }
            assert_int_equal(grid.blocks.items[b].shape, grid.blocks.items[b / 2 * 2].shape);
        }
        for (uint32_t b = 0; b < 8; b++)
            sample_free(&samples[b]);
        grid_clear(&grid);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
