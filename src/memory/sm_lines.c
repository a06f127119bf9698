#include "memory/sm_lines.h"

#include <string.h>

void owned_lines_add(struct owned_lines *lines, uint32_t ways, uint64_t line, uint32_t owner) {
    uint32_t own = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        struct owned_line *listed = &lines->items[i];
        own += listed->owner == owner;
        if (listed->line != line) continue;
        listed->shared |= listed->owner != owner;
        return;
    }
    lines->cut |= own > ways || lines->count == owned_lines_capacity(ways);
    if (own > ways || lines->count == owned_lines_capacity(ways)) return;
    lines->items[lines->count++] = (struct owned_line){.line = line, .owner = owner};
}

/* A block uses a line. */
static wb_status add_use(struct sm_lines *lines, uint32_t set, uint64_t line, uint32_t block) {
    struct owned_lines *owned = &lines->sets[set];
    if (owned->items == NULL) {
        owned->items = arena_array(&lines->arena, owned_lines_capacity(lines->ways), sizeof *owned->items);
        if (owned->items == NULL) return WB_ERR_LIMIT;
    }
    owned_lines_add(owned, lines->ways, line, block);
    return WB_OK;
}

static wb_status add_drop(struct sm_lines *lines, uint64_t line) {
    uint32_t number;
    WB_TRY(line_table_number(&lines->dropped, line, &number));
    if (number == lines->drops.count) WB_TRY(vec_push(&lines->drops, (uint64_t)0));
    lines->drops.items[number]++;
    return WB_OK;
}

/* Adds a block's requests of one kind; drops are only needed of sets that are not full. */
static wb_status add_block(struct sm_lines *lines, const struct l1_requests *requests, uint32_t block,
                           enum touch_kind touch) {
    for (size_t i = 0; i < requests->items.count; i++) {
        const struct l1_request *request = &requests->items.items[i];
        if (request->touch != touch || sm_set_is_full(lines, request->set)) continue;
        if (touch == TOUCH_STORE_EVICTS)
            WB_TRY(add_drop(lines, request->line));
        else if (touch == TOUCH_LOAD || sm_line_may_come(lines, request->set, request->line))
            WB_TRY(add_use(lines, request->set, request->line, block));
    }
    return WB_OK;
}

static void add_unknown(struct unknown_requests *sum, const struct unknown_requests *of) {
    sum->loads += of->loads;
    sum->stores += of->stores;
    sum->atomics += of->atomics;
    sum->drops += of->drops;
}

/* Counts the known requests of a block by the objects that unknown ones are to. */
static void count_known(struct sm_lines *lines, const struct l1_requests *requests) {
    for (size_t i = 0; i < requests->items.count; i++) {
        const struct l1_request *request = &requests->items.items[i];
        const bool drops = request->touch == TOUCH_STORE_EVICTS;
        for (uint32_t o = 0; o < requests->objects.count && !request->unknown; o++) {
            if (o != 0 && !object_has_line(&requests->objects.objects[o], request->line)) continue;
            lines->known[o].uses += !drops;
            lines->known[o].drops += drops;
        }
    }
}

/* Reads all blocks for their requests of one kind. */
static wb_status add_blocks(struct sm_lines *lines, const struct sm_share *share,
                            struct l1_requests *requests, enum touch_kind touch) {
    size_t count = requests->traffic->grid->blocks.count;
    memset(lines->unknown, 0, requests->objects.count * sizeof *lines->unknown); /* each pass counts anew */
    for (size_t block = share->sm; block < count; block += share->sms) {
        WB_TRY(l1_requests_read(requests, (uint32_t)block));
        for (uint32_t o = 0; o < requests->objects.count; o++)
            add_unknown(&lines->unknown[o], &requests->unknown[o]);
        if (touch == TOUCH_LOAD && requests->traffic->grid->cover.covers) count_known(lines, requests);
        WB_TRY(add_block(lines, requests, (uint32_t)block, touch));
    }
    return WB_OK;
}

wb_status sm_lines_make(const struct sm_share *share, struct l1_requests *requests, struct sm_lines *lines) {
    const struct machine_memory *memory = &requests->traffic->machine->memory;
    *lines = (struct sm_lines){.ways = memory->l1.ways};
    lines->sets = arena_array(&lines->arena, requests->index.set_count, sizeof *lines->sets);
    lines->unknown = arena_array(&lines->arena, requests->objects.count, sizeof *lines->unknown);
    lines->known = arena_array(&lines->arena, requests->objects.count, sizeof *lines->known);
    if (lines->sets == NULL || lines->unknown == NULL || lines->known == NULL) return WB_ERR_LIMIT;
    lines->objects = &requests->objects;
    WB_TRY(add_blocks(lines, share, requests, TOUCH_LOAD));
    if (memory->l1_store == STORE_UPDATES) WB_TRY(add_blocks(lines, share, requests, TOUCH_STORE_UPDATES));
    return add_blocks(lines, share, requests, TOUCH_STORE_EVICTS);
}

bool sm_line_may_come(const struct sm_lines *lines, uint32_t set, uint64_t line) {
    const struct owned_lines *listed = &lines->sets[set];
    if (listed->cut) return true;
    for (uint32_t o = 0; o < lines->objects->count; o++) /* of which not all lines are listed */
        if (object_has_line(&lines->objects->objects[o], line)) return true;
    for (uint32_t i = 0; i < listed->count; i++) {
        if (listed->items[i].line == line) return true;
    }
    return false;
}

uint64_t sm_lines_drops(const struct sm_lines *lines, uint64_t line) {
    uint32_t number;
    return line_table_find(&lines->dropped, line, &number) ? lines->drops.items[number] : 0;
}

uint64_t unknown_drops(const struct objects_lines *objects, const struct unknown_requests *unknown,
                       uint64_t line) {
    uint64_t drops = 0;
    for (uint32_t o = 0; o < objects->count; o++)
        if (unknown[o].drops > 0 && object_has_line(&objects->objects[o], line)) drops += unknown[o].drops;
    return drops;
}

void sm_lines_free(struct sm_lines *lines) {
    line_table_free(&lines->dropped);
    vec_free(&lines->drops);
    arena_free(&lines->arena);
}
