#include "memory/caches/misses.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Adds a line; `items` has room for the capacity, or for all lines that there are. */
static void owned_lines_add(struct owned_lines *lines, uint32_t ways, uint64_t line, uint32_t owner) {
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
static void add_use(struct sm_lines *lines, uint32_t set, uint64_t line, uint32_t block) {
    struct owned_lines *owned = &lines->sets[set];
    if (owned->items == NULL)
        owned->items = arena_array(lines->arena, owned_lines_capacity(lines->ways), sizeof *owned->items);
    owned_lines_add(owned, lines->ways, line, block);
    lines->full += sm_set_is_full(lines, set);
}

static void add_drop(struct sm_lines *lines, uint64_t line) {
    const uint32_t number = number_table_number(&lines->dropped, line);
    if (number == lines->drops.count) arena_push(lines->arena, &lines->drops, (uint64_t)0);
    lines->drops.items[number]++;
}

/* Adds a block's requests of one kind; drops are only needed of sets that are not full. */
static void add_block(struct sm_lines *lines, const struct l1_requests *requests, uint32_t block,
                      enum touch_kind touch) {
    for (size_t i = 0; i < requests->items.count; i++) {
        const struct l1_request *request = &requests->items.items[i];
        if (request->touch != touch || sm_set_is_full(lines, request->set)) continue;
        if (touch == TOUCH_STORE_EVICTS)
            add_drop(lines, request->line);
        else if (touch == TOUCH_LOAD || sm_line_may_come(lines, request->set, request->line))
            add_use(lines, request->set, request->line, block);
    }
}

static void add_unknown(struct unknown_requests *sum, const struct unknown_requests *of) {
    sum->loads += of->loads;
    sum->stores += of->stores;
    sum->atomics += of->atomics;
    sum->uncached += of->uncached;
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

/* Reads all blocks for their requests of one kind; of known addresses, until they say nothing new. */
static void add_blocks(struct sm_lines *lines, const struct sm_share *share, struct l1_requests *requests,
                       enum touch_kind touch) {
    size_t count = requests->traffic->grid->blocks.count;
    memset(lines->unknown, 0, requests->objects.count * sizeof *lines->unknown); /* each pass counts anew */
    for (size_t block = share->sm; block < count; block += share->sms) {
        if (sm_sets_are_full(lines) && !requests->objects.some_asked) return;
        l1_requests_read(requests, (uint32_t)block);
        for (uint32_t o = 0; o < requests->objects.count; o++)
            add_unknown(&lines->unknown[o], &requests->unknown[o]);
        if (touch == TOUCH_LOAD && requests->traffic->grid->cover.covers) count_known(lines, requests);
        add_block(lines, requests, (uint32_t)block, touch);
    }
}

struct sm_lines sm_lines_make(const struct sm_share *share, struct l1_requests *requests,
                              struct arena *arena) {
    const struct machine_memory *memory = &requests->traffic->machine->memory;
    const uint32_t objects = requests->objects.count;
    struct sm_lines lines = {.arena = arena,
                             .ways = memory->l1.ways,
                             .sets = arena_array(arena, requests->index.set_count, sizeof *lines.sets),
                             .set_count = requests->index.set_count,
                             .dropped = {.arena = arena},
                             .objects = &requests->objects,
                             .unknown = arena_array(arena, objects, sizeof *lines.unknown),
                             .known = arena_array(arena, objects, sizeof *lines.known)};
    add_blocks(&lines, share, requests, TOUCH_LOAD);
    if (memory->l1_store == STORE_UPDATES) add_blocks(&lines, share, requests, TOUCH_STORE_UPDATES);
    add_blocks(&lines, share, requests, TOUCH_STORE_EVICTS);
    return lines;
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
    return number_table_find(&lines->dropped, line, &number) ? lines->drops.items[number] : 0;
}

uint64_t unknown_drops(const struct objects_lines *objects, const struct unknown_requests *unknown,
                       uint64_t line) {
    uint64_t drops = 0;
    for (uint32_t o = 0; o < objects->count; o++)
        if (unknown[o].drops > 0 && object_has_line(&objects->objects[o], line)) drops += unknown[o].drops;
    return drops;
}

/* The number of a line. */
static uint32_t number_line(struct set_phases *set, uint64_t line) {
    const uint32_t number = number_table_number(&set->numbers, line);
    if (number == set->lines.count) arena_push(set->arena, &set->lines, ((struct set_line){.line = line}));
    return number;
}

static void number_requests(struct set_phases *set) {
    set->numbers.arena = set->arena;
    number_table_clear(&set->numbers);
    set->lines.count = set->line_of.count = 0;
    for (size_t i = 0; i < set->request_count; i++)
        arena_push(set->arena, &set->line_of, number_line(set, set->requests[i].line));
}

/* Notes what the other blocks of the SM do to the set. */
static void note_others(struct set_phases *set, const struct sm_lines *sm, uint32_t block) {
    const struct owned_lines *owned = &sm->sets[set->set];
    for (size_t l = 0; l < set->lines.count; l++)
        set->lines.items[l].drops_by_others = sm_lines_drops(sm, set->lines.items[l].line);
    for (size_t i = 0; i < set->request_count; i++) {
        /* the block's own drops were counted among them, unless the set was full before */
        uint64_t *drops = &set->lines.items[set->line_of.items[i]].drops_by_others;
        if (set->requests[i].touch == TOUCH_STORE_EVICTS && *drops > 0) --*drops;
    }
    for (uint32_t i = 0; i < owned->count; i++) {
        if (!owned_by_another(&owned->items[i], block)) continue;
        const uint32_t number = number_line(set, owned->items[i].line);
        set->lines.items[number].of_others = true;
        set->others++;
    }
}

static int compare_segments(const void *left, const void *right) {
    const struct phase_segment *a = left, *b = right;
    if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
    return a->warp < b->warp ? -1 : a->warp > b->warp;
}

/* Cuts the requests into segments and puts these into the order of phases. */
static void cut_segments(struct set_phases *set) {
    set->segments.count = 0;
    for (size_t i = 0; i < set->request_count; i++) {
        const struct l1_request *request = &set->requests[i];
        bool goes_on = i > 0 && request[-1].warp == request->warp && request[-1].phase == request->phase;
        if (!goes_on)
            arena_push(set->arena, &set->segments,
                       ((struct phase_segment){request->phase, request->warp, i, 0}));
        set->segments.items[set->segments.count - 1].count++;
    }
    qsort(set->segments.items, set->segments.count, sizeof *set->segments.items, compare_segments);
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
static void make_phases(struct set_phases *set) {
    size_t room = 0, capacity = owned_lines_capacity(set->ways);
    set->phases.count = set->owned.count = 0;
    arena_reserve(set->arena, &set->owned, set->request_count);
    for (size_t s = 0; s < set->segments.count;) {
        struct set_phase phase = {.first_segment = s};
        size_t requests = 0;
        uint32_t number = set->segments.items[s].phase;
        for (; s < set->segments.count && set->segments.items[s].phase == number; s++)
            requests += set->segments.items[s].count;
        phase.segment_count = s - phase.first_segment;
        add_phase_lines(set, &phase, set->owned.items + room);
        room += requests < capacity ? requests : capacity;
        arena_push(set->arena, &set->phases, phase);
    }
    assert(room <= set->request_count);
    set->owned.count = room;
}

void set_phases_make(struct set_phases *set, const struct l1_requests *requests,
                     const struct set_slice *slice, const struct sm_lines *sm, uint32_t block, bool alone) {
    set->set = slice->set;
    set->ways = sm->ways;
    set->requests = requests->by_set.items + slice->first;
    set->request_count = slice->count;
    set->others = 0;
    number_requests(set);
    if (!alone) note_others(set, sm, block);
    const struct unknown_requests *unknown = alone ? requests->unknown : sm->unknown;
    for (size_t l = 0; l < set->lines.count; l++)
        set->lines.items[l].drops_unknown = unknown_drops(sm->objects, unknown, set->lines.items[l].line);
    cut_segments(set);
    make_phases(set);
}
