/* Grids: what blocks have in common is kept once, and comes back as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/containers.h"
#include "grid_check.h"
#include "warp/alu/lanes.h"

#define INSTRUCTIONS 12u
#define WARPS 3u
#define BLOCKS 8u

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

static struct path copied(const struct path *from) {
    struct path copy = {0};
    assert_int_equal(path_copy(from, &copy), WB_OK);
    return copy;
}

/* The same accesses with the global addresses of instruction i moved by amounts[i]. */
static struct access_list moved_accesses(const struct access_list *from, const uint64_t *amounts) {
    struct access_list moved = {0};
    for (size_t i = 0; i < from->tables.count; i++)
        assert_int_equal(vec_push(&moved.tables, from->tables.items[i]), WB_OK);
    for (size_t i = 0; i < from->items.count; i++) {
        struct access access = from->items.items[i];
        access.base += access.space == PTX_SPACE_GLOBAL ? amounts[access.instruction] : 0;
        assert_int_equal(vec_push(&moved.items, access), WB_OK);
    }
    return moved;
}

static struct sample sample_moved(struct random_state *random, const struct sample *from) {
    struct sample moved = {0};
    uint64_t amounts[INSTRUCTIONS];
    for (uint32_t i = 0; i < INSTRUCTIONS; i++)
        amounts[i] = random_next(random);
    for (uint32_t w = 0; w < WARPS; w++) {
        moved.paths[w] = copied(&from->paths[w]);
        moved.accesses[w] = moved_accesses(&from->accesses[w], amounts);
    }
    return moved;
}

/* Adds a block and keeps the sample, to be compared with. */
static void add_sample(struct wb_grid *grid, const struct sample *sample) {
    struct path paths[WARPS];
    for (uint32_t w = 0; w < WARPS; w++)
        paths[w] = copied(&sample->paths[w]);
    assert_int_equal(grid_add_block(grid, paths, sample->accesses), WB_OK);
    for (uint32_t w = 0; w < WARPS; w++)
        assert_null(paths[w].entries.items);
}

/* Random blocks, every second one a moved copy of the one before: all are found again in the grid, and a copy
 * has the shape of its original. */
static void check_random_grid(uint64_t seed) {
    struct random_state random = random_seeded(seed);
    struct wb_grid grid = {.warp_count = WARPS, .instruction_count = INSTRUCTIONS};
    struct sample samples[BLOCKS];
    for (uint32_t b = 0; b < BLOCKS; b++) {
        samples[b] = b % 2 == 0 ? sample_make(&random) : sample_moved(&random, &samples[b - 1]);
        add_sample(&grid, &samples[b]);
    }
    for (uint32_t b = 0; b < BLOCKS; b++) {
        for (uint32_t w = 0; w < WARPS; w++)
            check_grid_warp(&grid, b, w, &samples[b].paths[w], &samples[b].accesses[w]);
        assert_int_equal(grid.blocks.items[b].shape, grid.blocks.items[b / 2 * 2].shape);
        sample_free(&samples[b]);
    }
    grid_clear(&grid);
}

static void test_blocks_come_back(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        print_message("seed %llu\n", (unsigned long long)seed);
        check_random_grid(seed);
    }
}

/* Accesses of one instruction to two state spaces are two groups; those of fixed spaces are absolute. */
static void test_bases(void **state) {
    (void)state;
    struct wb_grid grid = {.warp_count = 1, .instruction_count = 2};
    struct access_list list = {0};
    const struct access accesses[] = {
        {.base = 1000,
         .stride = 4,
         .instruction = 1,
         .mask = 0xff0,
         .table = ACCESS_AFFINE,
         .bytes = 4,
         .space = PTX_SPACE_GLOBAL},
        {.step = 1,
         .base = 64,
         .stride = 4,
         .instruction = 1,
         .mask = 0xf,
         .table = ACCESS_AFFINE,
         .bytes = 4,
         .space = PTX_SPACE_SHARED},
        {.step = 2,
         .base = 5000,
         .stride = 4,
         .instruction = 1,
         .mask = 0xff,
         .table = ACCESS_AFFINE,
         .bytes = 4,
         .space = PTX_SPACE_GLOBAL},
    };
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(vec_push(&list.items, accesses[i]), WB_OK);
    struct path path = {0};
    assert_int_equal(grid_add_block(&grid, &path, &list), WB_OK);
    const struct access_stream *stream = &grid.streams.items[0];
    assert_int_equal(stream->group_count, 2);
    assert_int_equal(stream->groups[0], 0);
    assert_int_equal(stream->groups[1], 1);
    assert_int_equal(stream->groups[2], 0);
    assert_int_equal(grid_base(&grid, &grid.blocks.items[0], 0, 0), 1016); /* of its first active lane */
    assert_int_equal(grid_base(&grid, &grid.blocks.items[0], 0, 1), 0);
    assert_int_equal(stream->accesses[1].base, 64);
    assert_int_equal(stream->accesses[2].base, 5000 - 1016);
    vec_free(&list.items);
    grid_clear(&grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_come_back),
        cmocka_unit_test(test_bases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
