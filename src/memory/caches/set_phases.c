#include "memory/caches/set_phases.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN ((size_t)64)

/* The slot of a line, or the empty one where it belongs. The table has an empty one. */
static struct line_slot *slot_of(const struct line_table *table, uint64_t line) {
    uint64_t hash = line * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash ^ (hash >> 32)) & (table->slot_count - 1);
    while (table->slots[at].filling == table->filling && table->slots[at].line != line)
        at = (at + 1) & (table->slot_count - 1);
    return &table->slots[at];
}

static wb_status grow(struct line_table *table) {
    struct line_table larger = {.slot_count = table->slot_count == 0 ? SLOTS_MIN : table->slot_count * 2,
                                .count = table->count,
                                .filling = 1};
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (larger.slots == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; i < table->slot_count; i++) {
        if (table->slots[i].filling != table->filling) continue;
        struct line_slot *slot = slot_of(&larger, table->slots[i].line);
        *slot = table->slots[i];
        slot->filling = larger.filling;
    }
    free(table->slots);
    *table = larger;
    return WB_OK;
}

wb_status line_table_number(struct line_table *table, uint64_t line, uint32_t *number) {
    if (table->count >= table->slot_count / 2) WB_TRY(grow(table));
    struct line_slot *slot = slot_of(table, line);
    if (slot->filling != table->filling)
        *slot = (struct line_slot){.line = line, .number = table->count++, .filling = table->filling};
    *number = slot->number;
    return WB_OK;
}

bool line_table_find(const struct line_table *table, uint64_t line, uint32_t *number) {
    if (table->slot_count == 0) return false;
    const struct line_slot *slot = slot_of(table, line);
    if (slot->filling != table->filling) return false;
    *number = slot->number;
    return true;
}

void line_table_clear(struct line_table *table) {
    table->count = 0;
    if (++table->filling != 0 || table->slot_count == 0) return;
    memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    table->filling = 1;
}

void line_table_free(struct line_table *table) {
    free(table->slots);
    *table = (struct line_table){0};
}

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

/* The number of a line. */
static wb_status number_line(struct set_phases *set, uint64_t line, uint32_t *number) {
    WB_TRY(line_table_number(&set->numbers, line, number));
    if (*number < set->lines.count) return WB_OK;
    return vec_push(&set->lines, ((struct set_line){.line = line}));
}

static wb_status number_requests(struct set_phases *set) {
    line_table_clear(&set->numbers);
    set->lines.count = set->line_of.count = 0;
    WB_TRY(vec_reserve(&set->line_of, set->request_count));
    for (size_t i = 0; i < set->request_count; i++)
        WB_TRY(number_line(set, set->requests[i].line, &set->line_of.items[i]));
    set->line_of.count = set->request_count;
    return WB_OK;
}

/* Notes what the other blocks of the SM do to the set. */
static wb_status note_others(struct set_phases *set, const struct sm_lines *sm, uint32_t block) {
    const struct owned_lines *owned = &sm->sets[set->set];
    for (size_t l = 0; l < set->lines.count; l++)
        set->lines.items[l].drops_by_others = sm_lines_drops(sm, set->lines.items[l].line);
    for (size_t i = 0; i < set->request_count; i++) {
        /* the block's own drops were counted among them, unless the set was full before */
        uint64_t *drops = &set->lines.items[set->line_of.items[i]].drops_by_others;
        if (set->requests[i].touch == TOUCH_STORE_EVICTS && *drops > 0) --*drops;
    }
    for (uint32_t i = 0; i < owned->count; i++) {
        uint32_t number;
        if (!owned_by_another(&owned->items[i], block)) continue;
        WB_TRY(number_line(set, owned->items[i].line, &number));
        set->lines.items[number].of_others = true;
        set->others++;
    }
    return WB_OK;
}

static int compare_segments(const void *left, const void *right) {
    const struct phase_segment *a = left, *b = right;
    if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
    return a->warp < b->warp ? -1 : a->warp > b->warp;
}

/* Cuts the requests into segments and puts these into the order of phases. */
static wb_status cut_segments(struct set_phases *set) {
    set->segments.count = 0;
    for (size_t i = 0; i < set->request_count; i++) {
        const struct l1_request *request = &set->requests[i];
        bool goes_on = i > 0 && request[-1].warp == request->warp && request[-1].phase == request->phase;
        if (!goes_on)
            WB_TRY(vec_push(&set->segments, ((struct phase_segment){request->phase, request->warp, i, 0})));
        set->segments.items[set->segments.count - 1].count++;
    }
    qsort(set->segments.items, set->segments.count, sizeof *set->segments.items, compare_segments);
    return WB_OK;
}

/* Adds the lines of a phase, of which `items` has room for. */
static void add_phase_lines(const struct set_phases *set, struct set_phase *phase, struct owned_line *items) {
    phase->lines = (struct owned_lines){.items = items};
    for (size_t s = 0; s < phase->segment_count; s++) {
        const struct phase_segment *segment = &set->segments.items[phase->first_segment + s];
        for (size_t i = segment->first; i < segment->first + segment->count; i++) {
            if (set->requests[i].touch != TOUCH_STORE_EVICTS)
                owned_lines_add(&phase->lines, set->ways, set->line_of.items[i], segment->warp);
        }
    }
}

/* Makes the phases; each has room for as many lines as it has requests, but no more than a list takes. */
static wb_status make_phases(struct set_phases *set) {
    size_t room = 0, capacity = owned_lines_capacity(set->ways);
    set->phases.count = set->owned.count = 0;
    WB_TRY(vec_reserve(&set->owned, set->request_count));
    for (size_t s = 0; s < set->segments.count;) {
        struct set_phase phase = {.first_segment = s};
        size_t requests = 0;
        uint32_t number = set->segments.items[s].phase;
        for (; s < set->segments.count && set->segments.items[s].phase == number; s++)
            requests += set->segments.items[s].count;
        phase.segment_count = s - phase.first_segment;
        add_phase_lines(set, &phase, set->owned.items + room);
        room += requests < capacity ? requests : capacity;
        WB_TRY(vec_push(&set->phases, phase));
    }
    set->owned.count = room;
    return WB_OK;
}

wb_status set_phases_make(struct set_phases *set, const struct l1_requests *requests,
                          const struct set_slice *slice, const struct sm_lines *sm, uint32_t block,
                          bool alone) {
    set->set = slice->set;
    set->ways = sm->ways;
    set->requests = requests->by_set.items + slice->first;
    set->request_count = slice->count;
    set->others = 0;
    WB_TRY(number_requests(set));
    if (!alone) WB_TRY(note_others(set, sm, block));
    const struct unknown_requests *unknown = alone ? requests->unknown : sm->unknown;
    for (size_t l = 0; l < set->lines.count; l++)
        set->lines.items[l].drops_unknown = unknown_drops(sm->objects, unknown, set->lines.items[l].line);
    WB_TRY(cut_segments(set));
    return make_phases(set);
}

void set_phases_free(struct set_phases *set) {
    vec_free(&set->line_of);
    line_table_free(&set->numbers);
    vec_free(&set->lines);
    vec_free(&set->segments);
    vec_free(&set->phases);
    vec_free(&set->owned);
}
