#include "memory/requests/requests.h"

/* For a warp or block without accesses. */
#define KEY_NONE UINT64_MAX

#define GENERATION_NONE UINT64_MAX

uint32_t sm_share_blocks(const struct sm_share *share, const struct wb_grid *grid) {
    size_t count = grid->blocks.count;
    return share->sm < count ? (uint32_t)((count - share->sm - 1) / share->sms) + 1 : 0;
}

struct block_demand grid_block_demand(const struct wb_grid *grid) {
    const uint32_t *size = grid->block_size;
    return (struct block_demand){.warps = grid->warp_count,
                                 .threads = size[0] * size[1] * size[2],
                                 .shared_bytes = grid->shared_bytes,
                                 .registers = grid->registers};
}

/* The first access of a warp that is only maybe made, or NULL. */
static const struct traffic_access *first_perhaps(const struct traffic_pattern *pattern,
                                                  const struct access_stream *stream) {
    uint32_t range = 0;
    for (uint32_t a = 0; a < pattern->access_count; a++) {
        const struct traffic_access *access = &pattern->accesses[a];
        if (access->kind == TRAFFIC_ON_CHIP) continue;
        while (range < stream->maybe_count && stream->maybe_executed[range].end <= access->step)
            range++;
        const bool maybe_executed =
            range < stream->maybe_count && stream->maybe_executed[range].first <= access->step;
        if (maybe_executed || access->maybe_none) return access;
    }
    return NULL;
}

wb_status access_order_check(const struct traffic *traffic, wb_diagnostics *diagnostics) {
    const struct wb_grid *grid = traffic->grid;
    if (!grid->cover.covers) return WB_OK;
    if (grid->cover.meets_maybe) {
        diagnose(
            diagnostics, SEVERITY_ERROR, wb_kernel_name(grid->kernel),
            "whether warps wait at a barrier depends on values that are not known, and so does the order "
            "of accesses under reordering (docs/access-order.md, section 8)");
        return WB_ERR_DECLINED;
    }
    for (size_t v = 0; v < traffic->variants.count; v++) {
        const struct traffic_variant *variant = &traffic->variants.items[v];
        const struct shape_warp *warps = grid->shapes.items[variant->shape].warps;
        for (uint32_t w = 0; w < grid->warp_count; w++) {
            const struct traffic_access *access = first_perhaps(
                &traffic->patterns.items[variant->patterns[w]], &grid->streams.items[warps[w].stream]);
            if (access == NULL) continue;
            ptx_diagnose(diagnostics, SEVERITY_ERROR, grid->kernel->module,
                         grid_inst(grid, access->instruction, NULL),
                         "whether a warp makes this access depends on values that are not known: the "
                         "reordering unit would wait for one that does not come (docs/access-order.md, "
                         "section 4)");
            return WB_ERR_DECLINED;
        }
    }
    return WB_OK;
}

wb_status access_order_begin(const struct traffic *traffic, const struct sm_share *share,
                             struct access_order *order) {
    *order = (struct access_order){.traffic = traffic, .share = *share, .generation = GENERATION_NONE};
    uint32_t blocks = sm_share_blocks(share, traffic->grid);
    if (order->share.resident > blocks) order->share.resident = blocks;
    size_t slots = order->share.resident, warps = slots * traffic->grid->warp_count;
    order->cursors = arena_array(&order->arena, warps + 1, sizeof *order->cursors);
    order->keys = arena_array(&order->arena, warps + 1, sizeof *order->keys);
    order->blocks.items = arena_array(&order->arena, slots + 1, sizeof *order->blocks.items);
    return order->cursors == NULL || order->keys == NULL || order->blocks.items == NULL ? WB_ERR_LIMIT
                                                                                        : WB_OK;
}

/* The key of the first access from a cursor on that makes requests; the cursor stops there. */
static uint64_t settle(struct order_cursor *cursor) {
    const struct traffic_pattern *pattern = cursor->pattern;
    for (; cursor->index < pattern->access_count; cursor->index++) {
        const struct traffic_access *access = &pattern->accesses[cursor->index];
        if (access->kind == TRAFFIC_ON_CHIP) continue;
        return (uint64_t)cursor->positions[cursor->index].epoch << 32 | access->instruction;
    }
    return KEY_NONE;
}

/* The least key of a block's warps. */
static uint64_t least_key(const struct access_order *order, uint32_t slot) {
    uint32_t warp_count = order->traffic->grid->warp_count;
    const uint64_t *keys = order->keys + (size_t)slot * warp_count;
    uint64_t least = KEY_NONE;
    for (uint32_t w = 0; w < warp_count; w++)
        least = keys[w] < least ? keys[w] : least;
    return least;
}

static uint32_t block_of(const struct access_order *order, uint32_t slot) {
    uint64_t local = order->generation * order->share.resident + slot;
    return (uint32_t)(local * order->share.sms + order->share.sm);
}

/* Puts a block into a slot; one without accesses does not come into the heap. */
static void place_block(struct access_order *order, uint32_t slot) {
    uint32_t warp_count = order->traffic->grid->warp_count, block = block_of(order, slot);
    for (uint32_t w = 0; w < warp_count; w++) {
        size_t at = (size_t)slot * warp_count + w;
        order->cursors[at] =
            (struct order_cursor){.pattern = traffic_pattern_of(order->traffic, block, w),
                                  .positions = traffic_positions_of(order->traffic, block, w)};
        order->keys[at] = settle(&order->cursors[at]);
    }
    const uint64_t key = least_key(order, slot);
    if (key != KEY_NONE) heap_push(&order->blocks, key, slot, slot);
}

/* Fills the slots with the next generation; false behind the last. */
static bool next_generation(struct access_order *order) {
    uint32_t resident = order->share.resident;
    uint32_t blocks = sm_share_blocks(&order->share, order->traffic->grid);
    order->generation++; /* GENERATION_NONE + 1 is 0 */
    uint64_t first = order->generation * resident;
    if (first >= blocks) return false;
    for (uint32_t slot = 0; slot < resident && first + slot < blocks; slot++)
        place_block(order, slot);
    return true;
}

/* Moves the first block of the heap to where its new least key belongs, or out. */
static void pass_on(struct access_order *order) {
    const uint64_t key = least_key(order, order->blocks.items[0].id);
    order->warp = 0;
    if (key == KEY_NONE)
        (void)heap_pop(&order->blocks);
    else
        heap_change_first(&order->blocks, key);
}

bool access_order_next(struct access_order *order, struct ordered_access *next) {
    uint32_t warp_count = order->traffic->grid->warp_count;
    for (;;) {
        while (order->blocks.count == 0) {
            if (!next_generation(order)) return false;
        }
        const uint64_t key = order->blocks.items[0].key;
        const uint32_t slot = order->blocks.items[0].id;
        uint64_t *keys = order->keys + (size_t)slot * warp_count;
        for (uint32_t w = order->warp; w < warp_count; w++) {
            if (keys[w] != key) continue;
            struct order_cursor *cursor = &order->cursors[(size_t)slot * warp_count + w];
            *next = (struct ordered_access){.block = block_of(order, slot),
                                            .warp = w,
                                            .epoch = (uint32_t)(key >> 32),
                                            .pattern = cursor->pattern,
                                            .access = &cursor->pattern->accesses[cursor->index++]};
            keys[w] = settle(cursor);
            order->warp = w + 1;
            return true;
        }
        pass_on(order);
    }
}

uint32_t order_channel(const struct access_order *order, uint32_t block, uint32_t warp) {
    uint32_t local = block / order->share.sms;
    return local % order->share.resident * order->traffic->grid->warp_count + warp;
}

void access_order_end(struct access_order *order) {
    arena_free(&order->arena);
}
