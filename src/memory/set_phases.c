#include "memory/set_phases.h"

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
