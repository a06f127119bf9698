#include "covered_execution.h"

#include "memory/requests/requests.h"

/* Reads a path with its records. */
struct reader {
    const struct wb_block *block;
    const struct access_list *list;
    struct path_cursor cursor;
    struct path_step step;
    uint64_t position;
    size_t record, end; /* those of the step */
};

static struct reader reader_of(const struct wb_block *block, uint32_t warp) {
    return (struct reader){.block = block,
                           .list = &block->accesses[warp],
                           .cursor = path_begin(&block->paths.items[block->warp_path[warp]])};
}

static bool read_step(struct reader *reader) {
    if (!path_next(&reader->cursor, &reader->step)) return false;
    reader->record = reader->end;
    while (reader->end < reader->list->items.count &&
           reader->list->items.items[reader->end].step == reader->position)
        reader->end++;
    reader->position++;
    return true;
}

static bool is_barrier(const struct reader *reader) {
    return block_inst(reader->block, reader->step.instruction, NULL)->form->op == PTX_OP_BAR;
}

/* Requests and passes of a step. */
static void transactions_of(const struct reader *reader, uint32_t granule, uint32_t *requests,
                            uint32_t *passes) {
    *requests = *passes = 0;
    for (size_t r = reader->record; r < reader->end; r++) {
        const struct access *access = &reader->list->items.items[r];
        *requests += access_request_count(access, reader->list->tables.items, granule);
        *passes += access_wavefront_count(access, reader->list->tables.items);
    }
}

/* Whether a step of the covering path is one of a real one: more lanes, at least the transactions. */
static bool covers(const struct reader *covering, const struct reader *real) {
    if (covering->step.instruction != real->step.instruction) return false;
    if ((real->step.mask & ~covering->step.mask) != 0) return false;
    if (covering->block->repeats || covering->block->uncounted != PTX_NO_INDEX) return true;
    for (uint32_t granule = 32; granule <= 128; granule *= 4) {
        uint32_t offered, offered_passes, needed, needed_passes;
        transactions_of(covering, granule, &offered, &offered_passes);
        transactions_of(real, granule, &needed, &needed_passes);
        if (needed > offered || needed_passes > offered_passes) return false;
    }
    return true;
}

bool warp_is_covered(const struct wb_block *covering, const struct wb_block *block, uint32_t warp) {
    struct reader cover = reader_of(covering, warp), real = reader_of(block, warp);
    while (read_step(&real)) {
        for (;;) {
            if (!read_step(&cover)) return false;
            if (covers(&cover, &real)) break;
            if (is_barrier(&cover)) return false;
        }
    }
    return true;
}
