#include "grid_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "warp/alu/lanes.h"

static void check_access(const struct access *kept, const uint64_t *kept_tables, uint64_t base,
                         const struct access *given, const uint64_t *tables) {
    assert_int_equal(kept->step, given->step);
    assert_int_equal(kept->instruction, given->instruction);
    assert_int_equal(kept->mask, given->mask);
    assert_int_equal(kept->bytes, given->bytes);
    assert_int_equal(kept->space, given->space);
    assert_int_equal(kept->is_store, given->is_store);
    assert_int_equal(kept->is_atomic, given->is_atomic);
    if (kept->space != PTX_SPACE_GLOBAL) assert_int_equal(base, 0);
    FOR_LANES_OF(l, given->mask) {
        uint64_t address = base + access_address(kept, kept_tables, l);
        assert_int_equal(address, access_address(given, tables, l));
    }
}

void check_grid_warp(const struct wb_grid *grid, uint32_t block, uint32_t warp, const struct path *path,
                     const struct access_list *list) {
    const struct grid_block *at = &grid->blocks.items[block];
    const struct shape_warp *kept = &grid->shapes.items[at->shape].warps[warp];
    const struct access_stream *stream = &grid->streams.items[kept->stream];
    assert_true(path_equal(&grid->paths.items[kept->path], path));
    assert_int_equal(stream->access_count, list->items.count);
    for (uint32_t i = 0; i < stream->access_count; i++)
        check_access(&stream->accesses[i], stream->tables, grid_base(grid, at, warp, stream->groups[i]),
                     &list->items.items[i], list->tables.items);
}
