#include "memory/sure_presence.h"

#include <string.h>

/* What proves that the data of a present sector has come: a wait of the warp for one of its accesses. */
#define PROVEN (UINT32_MAX - 1) /* it has come */
#define NO_PROOF UINT32_MAX

/* What is surely present of a line when a request comes. */
struct line_known {
    uint32_t sectors, arrived;
    uint32_t proofs[CACHE_SECTORS_MAX]; /* that will show it of the other sectors, or NO_PROOF */
};

static const struct set_phase *phase_at(const struct sure_presence *presence, size_t phase) {
    return &presence->set->phases.items[phase];
}

/* Starts the window of a line: other blocks can use all of their lines in it. */
static void window_begin(struct sure_presence *presence, uint32_t line) {
    struct line_window *window = &presence->window;
    window->number++;
    window->line = line;
    window->lines.count = 0;
    window->count = presence->set->others - presence->set->lines.items[line].of_others;
}

/* Whether a line that waits for its next use can have been evicted. */
static bool window_is_full(const struct sure_presence *presence) {
    return presence->window.count >= presence->set->ways;
}

/* Counts a line; there is room for all of them. */
static void window_add(struct sure_presence *presence, uint32_t line) {
    struct line_window *window = &presence->window;
    uint64_t *counted = &presence->histories.items[line].window;
    if (line == window->line || presence->set->lines.items[line].of_others || *counted == window->number)
        return;
    *counted = window->number;
    window->lines.items[window->lines.count++] = line;
    window->count++;
}

/* Takes lines back until `count` of them are left. */
static void window_shrink(struct sure_presence *presence, size_t count) {
    struct line_window *window = &presence->window;
    while (window->lines.count > count) {
        presence->histories.items[window->lines.items[--window->lines.count]].window = 0;
        window->count--;
    }
}

/* Counts the lines that warps other than `except` use in a phase; NOBODY: all. */
#define NOBODY UINT32_MAX
static void window_add_phase(struct sure_presence *presence, size_t phase, uint32_t except) {
    const struct owned_lines *lines = &phase_at(presence, phase)->lines;
    for (uint32_t i = 0; i < lines->count && !window_is_full(presence); i++) {
        if (owned_by_another(&lines->items[i], except)) window_add(presence, (uint32_t)lines->items[i].line);
    }
}

static void window_add_uses(struct sure_presence *presence, const struct line_use *uses, size_t count) {
    for (size_t i = 0; i < count && !window_is_full(presence); i++)
        window_add(presence, uses[i].line);
}

/* The use of a line in this segment that is surely made, or that perhaps is, or NULL. */
static struct line_use *use_of(const struct sure_presence *presence, uint32_t line, bool perhaps) {
    for (size_t i = presence->recent.count; i-- > 0;) {
        struct line_use *use = &presence->recent.items[i];
        if (use->line == line && use->perhaps == perhaps) return use;
    }
    return NULL;
}

static struct line_use *recent_use(const struct sure_presence *presence, uint32_t line) {
    return use_of(presence, line, false);
}

/* Whether the wait for an access of a warp comes before a request: within the warp in program order, else in
 * an earlier phase. */
static bool data_has_come(const struct sure_presence *presence, uint32_t warp, uint32_t access,
                          const struct l1_request *request) {
    const struct data_wait *wait = &data_waits_of(presence->waits, presence->shape, warp)[access];
    return warp == request->warp ? wait->access <= request->access : wait->phase < request->phase;
}

/* Adds what a use of a line by a warp, which the line has outlasted, left there. */
static void known_add(const struct sure_presence *presence, struct line_known *known,
                      const struct line_use *use, uint32_t warp, const struct l1_request *request) {
    for (uint32_t left = use->sectors; left != 0; left &= left - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(left);
        uint32_t proof = presence->proofs.items[use->proofs + sector];
        known->sectors |= 1u << sector;
        if (proof == PROVEN || (proof != NO_PROOF && data_has_come(presence, warp, proof, request)))
            known->arrived |= 1u << sector;
        else if (warp == request->warp)
            known->proofs[sector] = proof;
    }
}

/* Tries a source of an earlier phase, all of whose later phases the window has: what other warps do in that
 * phase and what its own warp does after it comes in between. */
static void try_source(struct sure_presence *presence, const struct line_source *source,
                       const struct l1_request *request, struct line_known *known) {
    size_t before = presence->window.lines.count;
    window_add_phase(presence, source->phase, source->warp);
    window_add_uses(presence, presence->ended.items + source->use + 1, source->end - source->use - 1);
    if (!window_is_full(presence))
        known_add(presence, known, &presence->ended.items[source->use], source->warp, request);
    window_shrink(presence, before);
}

/* The newest drop of a line before the current phase, or NULL. */
static const struct line_drop *earlier_drop(const struct sure_presence *presence, uint32_t line) {
    uint32_t at = presence->histories.items[line].drop;
    if (at != 0 && presence->drops.items[at - 1].phase == presence->phase)
        at = presence->drops.items[at - 1].next;
    return at == 0 ? NULL : &presence->drops.items[at - 1];
}

/* Tries the sources of earlier phases, from the newest phase on, as long as the window is not full and nobody
 * drops the line in it. The window has what comes in between in the current phase. */
static void try_earlier_phases(struct sure_presence *presence, const struct l1_request *request,
                               uint32_t line, struct line_known *known) {
    const struct line_drop *drop = earlier_drop(presence, line);
    size_t whole = presence->phase; /* phases from this one on are in the window */
    for (uint32_t at = presence->histories.items[line].source; at != 0;) {
        const struct line_source *source = &presence->sources.items[at - 1];
        at = source->next;
        if (source->phase == presence->phase) continue;
        if (drop != NULL && drop->phase > source->phase) return;
        while (whole > source->phase + 1 && !window_is_full(presence))
            window_add_phase(presence, --whole, NOBODY);
        if (window_is_full(presence)) return;
        bool others_drop =
            drop != NULL && drop->phase == source->phase && (drop->shared || drop->warp != source->warp);
        if (!others_drop) try_source(presence, source, request, known);
        if (known->sectors == presence->all_sectors) return;
    }
}

/* Whether warps other than that of the request drop the line in the current phase. */
static bool others_drop_now(const struct sure_presence *presence, const struct l1_request *request,
                            uint32_t line) {
    uint32_t at = presence->histories.items[line].drop;
    if (at == 0) return false;
    const struct line_drop *drop = &presence->drops.items[at - 1];
    return drop->phase == presence->phase && (drop->shared || drop->warp != request->warp);
}

/* What is surely present of a line when a request for it comes: theorem 1. */
static void find_known(struct sure_presence *presence, const struct l1_request *request, uint32_t line,
                       struct line_known *known) {
    const struct line_use *use = recent_use(presence, line);
    known->sectors = known->arrived = 0;
    for (uint32_t s = 0; s < presence->sectors; s++)
        known->proofs[s] = NO_PROOF;
    if (use != NULL && use->access == request->access) {
        if (request->unordered) return; /* it may come behind this one */
        /* Nothing comes in between but requests of the same instruction, each to a line of its own. */
        const size_t between = (size_t)(presence->recent.items + presence->recent.count - use - 1);
        if (between < presence->set->ways) known_add(presence, known, use, request->warp, request);
        return;
    }
    if (!presence->in_program_order) return;
    const struct set_line *of = &presence->set->lines.items[line];
    bool dropped = use == NULL && presence->histories.items[line].dropped_in == presence->segment;
    if (dropped || of->drops_by_others > 0 || of->drops_unknown > 0 ||
        others_drop_now(presence, request, line))
        return;
    window_begin(presence, line);
    window_add_phase(presence, presence->phase, request->warp);
    const struct line_use *after = use == NULL ? presence->recent.items : use + 1;
    window_add_uses(presence, after, (size_t)(presence->recent.items + presence->recent.count - after));
    if (window_is_full(presence)) return;
    if (use != NULL)
        known_add(presence, known, use, request->warp, request);
    else
        try_earlier_phases(presence, request, line, known);
}

/* Takes a use out of the recent ones. */
static void forget_use(struct sure_presence *presence, const struct line_use *use) {
    if (use == NULL) return;
    const size_t at = (size_t)(use - presence->recent.items);
    presence->recent_perhaps -= use->perhaps;
    presence->recent.count--;
    memmove(presence->recent.items + at, presence->recent.items + at + 1,
            (presence->recent.count - at) * sizeof *use);
}

/* How many lines the recent uses are of. */
static uint32_t recent_lines(const struct sure_presence *presence) {
    if (presence->recent_perhaps == 0) return (uint32_t)presence->recent.count;
    uint32_t count = 0;
    for (size_t i = 0; i < presence->recent.count; i++) {
        const struct line_use *use = &presence->recent.items[i];
        count += !use->perhaps || recent_use(presence, use->line) == NULL;
    }
    return count;
}

/* Makes a use the most recent one; what all ways are used behind is forgotten. The lines that are left are
 * enough for all ways, whichever of them a window does not count. */
static void add_use(struct sure_presence *presence, struct line_use use) {
    presence->recent.items[presence->recent.count++] = use;
    presence->recent_perhaps += use.perhaps;
    while (recent_lines(presence) > presence->set->ways + 1)
        forget_use(presence, &presence->recent.items[0]);
}

/* Makes a request's use of a line the most recent one. */
static void note_use(struct sure_presence *presence, const struct l1_request *request, uint32_t line,
                     const struct line_known *known) {
    const struct line_use *before = recent_use(presence, line);
    struct line_use use = {.line = line, .access = request->access, .sectors = known->sectors};
    use.proofs = before != NULL ? before->proofs : (uint32_t)presence->proofs.count;
    if (before == NULL) presence->proofs.count += presence->sectors;
    for (uint32_t s = 0; s < presence->sectors; s++) {
        bool arrived = (known->arrived >> s & 1) != 0;
        presence->proofs.items[use.proofs + s] = arrived ? PROVEN : known->proofs[s];
    }
    forget_use(presence, use_of(presence, line, true));
    forget_use(presence, recent_use(presence, line));
    add_use(presence, use);
}

/* The line is perhaps used: the last use that is surely made stays where it is. */
static void note_possible_use(struct sure_presence *presence, const struct l1_request *request,
                              uint32_t line) {
    forget_use(presence, use_of(presence, line, true));
    add_use(presence, (struct line_use){.line = line, .access = request->access, .perhaps = true});
}

/* A load brings its sector; its own data proves that the sector has come, unless another wait does so sooner.
 */
static void add_loaded_sector(const struct sure_presence *presence, const struct l1_request *request,
                              struct line_known *known) {
    const struct data_wait *waits = data_waits_of(presence->waits, presence->shape, request->warp);
    uint32_t *proof = &known->proofs[request->sector];
    known->sectors |= 1u << request->sector;
    if (*proof == NO_PROOF || waits[request->access].access < waits[*proof].access) *proof = request->access;
}

/* Nothing is present of a line that is dropped; that it was used still counts in the windows of others. */
static void drop_line(struct sure_presence *presence, uint32_t line) {
    struct line_use *use = recent_use(presence, line);
    if (use != NULL) use->sectors = 0;
    presence->histories.items[line].dropped_in = presence->segment;
}

/* Goes over one request. */
static void read_request(struct sure_presence *presence, size_t index) {
    const struct l1_request *request = &presence->set->requests[index];
    uint32_t line = presence->set->line_of.items[index];
    struct line_known known = {0};
    presence->verdicts.items[index] = 0;
    if (request->touch == TOUCH_STORE_EVICTS) {
        drop_line(presence, line);
        return;
    }
    if (!request->unknown) find_known(presence, request, line, &known);
    if (request->touch == TOUCH_LOAD && !request->unknown) {
        bool present = (known.sectors >> request->sector & 1) != 0;
        bool arrived = (known.arrived >> request->sector & 1) != 0;
        presence->verdicts.items[index] = (uint8_t)((present ? SURE_HIT : 0) | (arrived ? SURE_DATA : 0));
        if (!request->perhaps) add_loaded_sector(presence, request, &known);
    }
    if (request->perhaps)
        note_possible_use(presence, request, line);
    else
        note_use(presence, request, line, &known);
}

/* Keeps the last uses of a segment as sources for later phases. */
static wb_status end_segment(struct sure_presence *presence, uint32_t warp) {
    size_t first = presence->ended.count, count = presence->recent.count;
    WB_TRY(vec_reserve(&presence->ended, count));
    for (size_t i = 0; i < count; i++) {
        const struct line_use *use = &presence->recent.items[i];
        presence->ended.items[presence->ended.count++] = *use;
        if (use->sectors == 0) continue;
        uint32_t *newest = &presence->histories.items[use->line].source;
        WB_TRY(vec_push(&presence->sources, ((struct line_source){.phase = presence->phase,
                                                                  .warp = warp,
                                                                  .next = *newest,
                                                                  .use = first + i,
                                                                  .end = first + count})));
        *newest = (uint32_t)presence->sources.count;
    }
    return WB_OK;
}

/* Notes which lines are dropped in the current phase. */
static void note_drops(struct sure_presence *presence, const struct phase_segment *segment) {
    for (size_t i = segment->first; i < segment->first + segment->count; i++) {
        if (presence->set->requests[i].touch != TOUCH_STORE_EVICTS) continue;
        uint32_t *newest = &presence->histories.items[presence->set->line_of.items[i]].drop;
        if (*newest != 0 && presence->drops.items[*newest - 1].phase == presence->phase) {
            struct line_drop *drop = &presence->drops.items[*newest - 1];
            drop->shared |= drop->warp != segment->warp;
            continue;
        }
        presence->drops.items[presence->drops.count++] =
            (struct line_drop){.phase = presence->phase, .warp = segment->warp, .next = *newest};
        *newest = (uint32_t)presence->drops.count;
    }
}

static wb_status read_phase(struct sure_presence *presence) {
    const struct set_phase *phase = phase_at(presence, presence->phase);
    const struct phase_segment *segments = presence->set->segments.items + phase->first_segment;
    for (size_t s = 0; s < phase->segment_count; s++)
        note_drops(presence, &segments[s]);
    for (size_t s = 0; s < phase->segment_count; s++) {
        presence->recent.count = presence->recent_perhaps = 0;
        presence->segment++;
        for (size_t i = 0; i < segments[s].count; i++)
            read_request(presence, segments[s].first + i);
        WB_TRY(end_segment(presence, segments[s].warp));
    }
    return WB_OK;
}

/* Empties what is kept of a set, and makes room for what grows request by request. */
static wb_status begin_set(struct sure_presence *presence) {
    const struct set_phases *set = presence->set;
    presence->ended.count = presence->sources.count = presence->drops.count = 0;
    presence->histories.count = presence->proofs.count = presence->verdicts.count = 0;
    size_t room = set->request_count;
    if (room > UINT32_MAX / presence->sectors) return WB_ERR_LIMIT;
    WB_TRY(vec_reserve(&presence->verdicts, room));
    WB_TRY(vec_reserve(&presence->drops, room));
    WB_TRY(vec_reserve(&presence->proofs, room * presence->sectors));
    presence->recent.count = presence->recent_perhaps = presence->window.lines.count = 0;
    WB_TRY(vec_reserve(&presence->recent, (size_t)2 * (set->ways + 2)));
    WB_TRY(vec_reserve(&presence->histories, set->lines.count));
    WB_TRY(vec_reserve(&presence->window.lines, set->lines.count));
    memset(presence->histories.items, 0, set->lines.count * sizeof *presence->histories.items);
    presence->histories.count = set->lines.count;
    presence->verdicts.count = room;
    return WB_OK;
}

wb_status sure_presence_find(struct sure_presence *presence, const struct set_phases *set,
                             const struct l1_requests *requests, const struct data_waits *waits,
                             uint32_t shape) {
    presence->set = set;
    presence->waits = waits;
    presence->shape = shape;
    presence->in_program_order = requests->order != PORT_ANY_ORDER;
    presence->sectors = requests->index.sector_mask + 1;
    presence->all_sectors = UINT32_MAX >> (CACHE_SECTORS_MAX - 1 - requests->index.sector_mask);
    WB_TRY(begin_set(presence));
    for (presence->phase = 0; presence->phase < set->phases.count; presence->phase++)
        WB_TRY(read_phase(presence));
    return WB_OK;
}

void sure_presence_free(struct sure_presence *presence) {
    vec_free(&presence->recent);
    vec_free(&presence->ended);
    vec_free(&presence->sources);
    vec_free(&presence->drops);
    vec_free(&presence->histories);
    vec_free(&presence->proofs);
    vec_free(&presence->window.lines);
    vec_free(&presence->verdicts);
}
