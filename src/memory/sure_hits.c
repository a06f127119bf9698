#include "memory/sure_hits.h"

#include <string.h>

struct hits_maker {
    struct sure_hits *hits;
    const struct traffic *traffic;
    struct sm_share share;
    struct arena scratch;
    struct data_waits waits;
    struct l1_requests requests;
    struct sm_lines lines;
    struct set_phases set;
    struct sure_presence presence;
    struct miss_counter misses;
    uint8_t **verdicts; /* of the block being looked at, per warp and request */
};

/* Room for the verdicts of any block. */
static wb_status reserve_verdicts(struct hits_maker *maker) {
    const struct traffic *traffic = maker->traffic;
    uint32_t most = 0;
    for (size_t p = 0; p < traffic->patterns.count; p++) {
        uint32_t count = traffic->patterns.items[p].request_count;
        most = count > most ? count : most;
    }
    maker->verdicts =
        arena_array(&maker->scratch, (size_t)traffic->grid->warp_count + 1, sizeof *maker->verdicts);
    if (maker->verdicts == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < traffic->grid->warp_count; w++) {
        maker->verdicts[w] = arena_alloc(&maker->scratch, (size_t)most + 1);
        if (maker->verdicts[w] == NULL) return WB_ERR_LIMIT;
    }
    return WB_OK;
}

static wb_status prepare(struct hits_maker *maker, const struct timed_code *code) {
    struct sure_hits *hits = maker->hits;
    const struct wb_grid *grid = maker->traffic->grid;
    hits->order = port_order_of(maker->traffic, code);
    size_t blocks = sm_share_blocks(&maker->share, grid);
    hits->rows = arena_array(&hits->arena, blocks * grid->warp_count + 1, sizeof *hits->rows);
    hits->instructions =
        arena_array(&hits->arena, (size_t)grid->instruction_count + 1, sizeof *hits->instructions);
    if (hits->rows == NULL || hits->instructions == NULL) return WB_ERR_LIMIT;
    WB_TRY(reserve_verdicts(maker));
    WB_TRY(data_waits_make(grid, code, &maker->scratch, &maker->waits));
    WB_TRY(l1_requests_init(&maker->requests, maker->traffic, hits->order));
    return sm_lines_make(&maker->share, &maker->requests, &maker->lines);
}

/* Whether no request to a set can be a sure hit: other blocks fill it in every window, and no two requests of
 * one instruction are for one sector. */
static bool is_hopeless(const struct hits_maker *maker, uint32_t set) {
    const struct machine_memory *memory = &maker->traffic->machine->memory;
    return maker->share.resident > 1 && memory->l1.sector_bytes <= memory_request_bytes(memory) &&
           sm_set_is_full(&maker->lines, set);
}

/* Takes requests out of those that are to be looked at: to hopeless sets, and stores to lines that are never
 * there. */
static void skip_requests(struct hits_maker *maker) {
    struct l1_requests *requests = &maker->requests;
    size_t kept = 0;
    for (size_t i = 0; i < requests->items.count; i++) {
        const struct l1_request *request = &requests->items.items[i];
        bool is_idle = request->touch == TOUCH_STORE_UPDATES &&
                       !sm_line_may_come(&maker->lines, request->set, request->line);
        if (is_idle || is_hopeless(maker, request->set))
            miss_counter_add_unseen(&maker->misses, request);
        else
            requests->items.items[kept++] = *request;
    }
    requests->items.count = kept;
}

/* Looks at the requests of a block to one set. */
static wb_status look_at_set(struct hits_maker *maker, const struct set_slice *slice, uint32_t block) {
    struct set_phases *set = &maker->set;
    struct l1_requests *requests = &maker->requests;
    uint32_t shape = maker->traffic->grid->blocks.items[block].shape;
    WB_TRY(set_phases_make(set, requests, slice, &maker->lines, block, maker->share.resident == 1));
    WB_TRY(sure_presence_find(&maker->presence, set, requests, &maker->waits, shape));
    const uint8_t *verdicts = maker->presence.verdicts.items;
    for (size_t i = 0; i < set->request_count; i++)
        if (!set->requests[i].unknown)
            maker->verdicts[set->requests[i].warp][set->requests[i].request] = verdicts[i];
    return miss_counter_add(&maker->misses, set, verdicts, &maker->lines, requests->index.sector_mask + 1);
}

/* Adds the verdicts on a warp's loads to those of their instructions. */
static void count_hits(const struct traffic_pattern *pattern, const uint8_t *verdicts,
                       struct hit_counts *instructions) {
    for (uint32_t a = 0; a < pattern->access_count; a++) {
        const struct traffic_access *access = &pattern->accesses[a];
        struct hit_counts *counts = &instructions[access->instruction];
        if (access->kind != TRAFFIC_LOAD) continue;
        counts->loads += access->request_count;
        for (uint32_t r = access->first_request; r < access->first_request + access->request_count; r++) {
            counts->sure_hits += (verdicts[r] & SURE_HIT) != 0;
            counts->sure_data += (verdicts[r] & SURE_DATA) != 0;
        }
    }
}

/* Keeps the verdicts of a warp of the `position`-th block; equal rows of blocks that follow one another are
 * kept once.
 */
static wb_status keep_row(struct hits_maker *maker, size_t position, uint32_t block, uint32_t warp) {
    struct sure_hits *hits = maker->hits;
    const struct traffic *traffic = maker->traffic;
    const struct traffic_pattern *pattern = traffic_pattern_of(traffic, block, warp);
    const uint8_t **row = &hits->rows[position * hits->warp_count + warp], *verdicts = maker->verdicts[warp];
    count_hits(pattern, verdicts, hits->instructions);
    if (position > 0 && traffic_pattern_of(traffic, block - maker->share.sms, warp) == pattern &&
        memcmp(row[-(ptrdiff_t)hits->warp_count], verdicts, pattern->request_count) == 0) {
        *row = row[-(ptrdiff_t)hits->warp_count];
        return WB_OK;
    }
    uint8_t *kept = arena_alloc(&hits->arena, (size_t)pattern->request_count + 1);
    if (kept == NULL) return WB_ERR_LIMIT;
    memcpy(kept, verdicts, pattern->request_count);
    *row = kept;
    return WB_OK;
}

static wb_status look_at_block(struct hits_maker *maker, size_t position, uint32_t block) {
    struct l1_requests *requests = &maker->requests;
    WB_TRY(l1_requests_read(requests, block));
    skip_requests(maker);
    WB_TRY(l1_requests_sort(requests));
    for (uint32_t w = 0; w < maker->hits->warp_count; w++)
        memset(maker->verdicts[w], 0, traffic_pattern_of(maker->traffic, block, w)->request_count);
    for (size_t s = 0; s < requests->slices.count; s++)
        WB_TRY(look_at_set(maker, &requests->slices.items[s], block));
    const bool alone = maker->share.resident == 1;
    miss_counter_end_block(&maker->misses, alone ? requests->unknown : maker->lines.unknown,
                           requests->index.sector_mask + 1);
    for (uint32_t w = 0; w < maker->hits->warp_count; w++)
        WB_TRY(keep_row(maker, position, block, w));
    return WB_OK;
}

static wb_status make_all(struct hits_maker *maker, const struct timed_code *code) {
    WB_TRY(prepare(maker, code));
    size_t count = sm_share_blocks(&maker->share, maker->traffic->grid);
    for (size_t i = 0; i < count; i++)
        WB_TRY(look_at_block(maker, i, maker->share.sm + (uint32_t)i * maker->share.sms));
    const struct machine_memory *memory = &maker->traffic->machine->memory;
    uint32_t spread = memory_dispatch_is_dynamic(memory) ? memory->sms : 1;
    const struct cache_index *index = &maker->requests.index;
    WB_TRY(miss_counter_end(&maker->misses, &maker->lines, index->set_count, index->sector_mask + 1, spread));
    maker->hits->misses = maker->misses.bound;
    return WB_OK;
}

wb_status sure_hits_make(const struct traffic *traffic, const struct timed_code *code,
                         const struct sm_share *share, wb_diagnostics *diagnostics, struct sure_hits *hits) {
    *hits = (struct sure_hits){.warp_count = traffic->grid->warp_count, .sms = share->sms};
    struct hits_maker maker = {.hits = hits, .traffic = traffic, .share = *share};
    wb_status status = make_all(&maker, code);
    arena_free(&maker.scratch);
    l1_requests_free(&maker.requests);
    sm_lines_free(&maker.lines);
    set_phases_free(&maker.set);
    sure_presence_free(&maker.presence);
    miss_counter_free(&maker.misses);
    if (status == WB_OK) return WB_OK;
    const struct wb_kernel *kernel = traffic->grid->kernel;
    return diagnose_out_of_memory(diagnostics, kernel == NULL ? "grid" : wb_kernel_name(kernel));
}

void sure_hits_free(struct sure_hits *hits) {
    arena_free(&hits->arena);
    *hits = (struct sure_hits){0};
}
