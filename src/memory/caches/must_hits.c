#include "memory/caches/misses.h"

#include <assert.h>
#include <string.h>

/* The proof that the data of a present sector has come: a wait of the warp for one of its accesses. */
#define PROVEN (UINT32_MAX - 1) /* it has come */
#define NO_PROOF UINT32_MAX

/* The last use of a line by a warp in a phase: the last sure one, and behind it a maybe executed one, if any.
 * */
struct line_use {
    uint32_t line;       /* its number in the set */
    uint32_t access;     /* of the warp */
    uint32_t sectors;    /* surely present right after it */
    uint32_t proofs;     /* first of their proofs, one a sector */
    bool maybe_executed; /* it is only maybe made: then nothing is known after it */
};

/* A use that was the last one of its warp in its phase. */
struct line_source {
    size_t phase; /* index into the phases of the set */
    uint32_t warp;
    uint32_t next;   /* 1 + the source of the line that was found before it, or 0 */
    size_t use, end; /* it and the uses of other lines behind it, of `ended` */
};

/* A phase in which a line is dropped. */
struct line_drop {
    size_t phase;
    uint32_t warp;
    bool shared;   /* by other warps, too */
    uint32_t next; /* 1 + that of an earlier phase, or 0 */
};

struct line_history {
    uint32_t source, drop; /* 1 + the newest, or 0 */
    uint64_t dropped_in;   /* the last segment that dropped it before its current request */
    uint64_t window;       /* the last window that counted it */
};

/* Distinct lines that may be used between two uses of a line. */
struct line_window {
    uint64_t number;
    uint32_t line;       /* which does not count */
    uint32_t count;      /* of other lines, up to ways */
    VEC(uint32_t) lines; /* those of them that no other block uses */
};

/* Which requests of a block to one set of the first-level cache surely find their sector there, whatever the
 * interleaving of warps and blocks: theorem 1 of docs/must-hits.md.
 * With nothing but its arena set it is ready. */
struct must_presence {
    struct arena *arena;
    const struct set_phases *set;
    const struct data_waits *waits;
    uint32_t shape;              /* of the block */
    bool in_program_order;       /* requests of a warp come so */
    uint32_t sectors;            /* of a line */
    uint32_t all_sectors;        /* their bits */
    size_t phase;                /* being looked at */
    uint64_t segment;            /* being looked at, counted over all sets */
    size_t recent_maybe;         /* how many of these are only maybe made */
    VEC(struct line_use) recent; /* uses of the segment so far, oldest first, of at most `ways` + 1 lines */
    VEC(struct line_use) ended;  /* of all earlier segments */
    VEC(struct line_source) sources;
    VEC(struct line_drop) drops;
    VEC(struct line_history) histories; /* per line */
    VEC(uint32_t) proofs;               /* of uses */
    struct line_window window;
    VEC(uint8_t) verdicts; /* per request, enum must_verdict */
};

/* The sectors of a line that are surely present when a request comes. */
struct line_known {
    uint32_t sectors, arrived;
    uint32_t proofs[CACHE_SECTORS_MAX]; /* that will show it of the other sectors, or NO_PROOF */
};

static const struct set_phase *phase_at(const struct must_presence *presence, size_t phase) {
    return &presence->set->phases.items[phase];
}

/* Starts the window of a line: other blocks can use all of their lines in it. */
static void window_begin(struct must_presence *presence, uint32_t line) {
    struct line_window *window = &presence->window;
    window->number++;
    window->line = line;
    window->lines.count = 0;
    window->count = presence->set->others - presence->set->lines.items[line].of_others;
}

/* Whether a line that waits for its next use can have been evicted. */
static bool window_is_full(const struct must_presence *presence) {
    return presence->window.count >= presence->set->ways;
}

/* Counts a line; there is room for all of them. */
static void window_add(struct must_presence *presence, uint32_t line) {
    struct line_window *window = &presence->window;
    uint64_t *counted = &presence->histories.items[line].window;
    if (line == window->line || presence->set->lines.items[line].of_others || *counted == window->number)
        return;
    *counted = window->number;
    window->lines.items[window->lines.count++] = line;
    window->count++;
}

/* Takes lines back until `count` of them are left. */
static void window_shrink(struct must_presence *presence, size_t count) {
    struct line_window *window = &presence->window;
    while (window->lines.count > count) {
        presence->histories.items[window->lines.items[--window->lines.count]].window = 0;
        window->count--;
    }
}

/* Counts the lines that warps other than `except` use in a phase; NOBODY: all. */
#define NOBODY UINT32_MAX
static void window_add_phase(struct must_presence *presence, size_t phase, uint32_t except) {
    const struct owned_lines *lines = &phase_at(presence, phase)->lines;
    for (uint32_t i = 0; i < lines->count && !window_is_full(presence); i++) {
        if (owned_by_another(&lines->items[i], except)) window_add(presence, (uint32_t)lines->items[i].line);
    }
}

static void window_add_uses(struct must_presence *presence, const struct line_use *uses, size_t count) {
    for (size_t i = 0; i < count && !window_is_full(presence); i++)
        window_add(presence, uses[i].line);
}

/* The sure use of a line in this segment, or the maybe executed one, or NULL. */
static struct line_use *use_of(const struct must_presence *presence, uint32_t line, bool maybe_executed) {
    for (size_t i = presence->recent.count; i-- > 0;) {
        struct line_use *use = &presence->recent.items[i];
        if (use->line == line && use->maybe_executed == maybe_executed) return use;
    }
    return NULL;
}

static struct line_use *recent_use(const struct must_presence *presence, uint32_t line) {
    return use_of(presence, line, false);
}

/* Whether the wait for an access of a warp comes before a request: within the warp in program order, else in
 * an earlier phase. */
static bool data_has_come(const struct must_presence *presence, uint32_t warp, uint32_t access,
                          const struct l1_request *request) {
    const struct data_wait *wait = &data_waits_of(presence->waits, presence->shape, warp)[access];
    return warp == request->warp ? wait->access <= request->access : wait->phase < request->phase;
}

/* Adds what a use of a line by a warp, which the line has outlasted, left there. */
static void known_add(const struct must_presence *presence, struct line_known *known,
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
static void try_source(struct must_presence *presence, const struct line_source *source,
                       const struct l1_request *request, struct line_known *known) {
    size_t before = presence->window.lines.count;
    window_add_phase(presence, source->phase, source->warp);
    window_add_uses(presence, presence->ended.items + source->use + 1, source->end - source->use - 1);
    if (!window_is_full(presence))
        known_add(presence, known, &presence->ended.items[source->use], source->warp, request);
    window_shrink(presence, before);
}

/* The newest drop of a line before the current phase, or NULL. */
static const struct line_drop *earlier_drop(const struct must_presence *presence, uint32_t line) {
    uint32_t at = presence->histories.items[line].drop;
    if (at != 0 && presence->drops.items[at - 1].phase == presence->phase)
        at = presence->drops.items[at - 1].next;
    return at == 0 ? NULL : &presence->drops.items[at - 1];
}

/* Tries the sources of earlier phases, from the newest phase on, as long as the window is not full and nobody
 * drops the line in it. The window has what comes in between in the current phase. */
static void try_earlier_phases(struct must_presence *presence, const struct l1_request *request,
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
static bool others_drop_now(const struct must_presence *presence, const struct l1_request *request,
                            uint32_t line) {
    uint32_t at = presence->histories.items[line].drop;
    if (at == 0) return false;
    const struct line_drop *drop = &presence->drops.items[at - 1];
    return drop->phase == presence->phase && (drop->shared || drop->warp != request->warp);
}

/* The sectors of a line that are surely present when a request for it comes: theorem 1. */
static void find_known(struct must_presence *presence, const struct l1_request *request, uint32_t line,
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
static void forget_use(struct must_presence *presence, const struct line_use *use) {
    if (use == NULL) return;
    const size_t at = (size_t)(use - presence->recent.items);
    presence->recent_maybe -= use->maybe_executed;
    presence->recent.count--;
    memmove(presence->recent.items + at, presence->recent.items + at + 1,
            (presence->recent.count - at) * sizeof *use);
}

/* How many lines the recent uses are of. */
static uint32_t recent_lines(const struct must_presence *presence) {
    if (presence->recent_maybe == 0) return (uint32_t)presence->recent.count;
    uint32_t count = 0;
    for (size_t i = 0; i < presence->recent.count; i++) {
        const struct line_use *use = &presence->recent.items[i];
        count += !use->maybe_executed || recent_use(presence, use->line) == NULL;
    }
    return count;
}

/* Makes a use the most recent one; what all ways are used behind is forgotten. The lines that are left are
 * enough for all ways, whichever of them a window does not count. */
static void add_use(struct must_presence *presence, struct line_use use) {
    presence->recent.items[presence->recent.count++] = use;
    presence->recent_maybe += use.maybe_executed;
    while (recent_lines(presence) > presence->set->ways + 1)
        forget_use(presence, &presence->recent.items[0]);
}

/* Makes a request's use of a line the most recent one. */
static void note_use(struct must_presence *presence, const struct l1_request *request, uint32_t line,
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

/* The line is maybe used: the last sure use stays where it is. */
static void note_possible_use(struct must_presence *presence, const struct l1_request *request,
                              uint32_t line) {
    forget_use(presence, use_of(presence, line, true));
    add_use(presence, (struct line_use){.line = line, .access = request->access, .maybe_executed = true});
}

/* A load brings its sector; its own data proves that the sector has come, unless another wait does so sooner.
 */
static void add_loaded_sector(const struct must_presence *presence, const struct l1_request *request,
                              struct line_known *known) {
    const struct data_wait *waits = data_waits_of(presence->waits, presence->shape, request->warp);
    uint32_t *proof = &known->proofs[request->sector];
    known->sectors |= 1u << request->sector;
    if (*proof == NO_PROOF || waits[request->access].access < waits[*proof].access) *proof = request->access;
}

/* Nothing is present of a line that is dropped; that it was used still counts in the windows of others. */
static void drop_line(struct must_presence *presence, uint32_t line) {
    struct line_use *use = recent_use(presence, line);
    if (use != NULL) use->sectors = 0;
    presence->histories.items[line].dropped_in = presence->segment;
}

/* Goes over one request. */
static void read_request(struct must_presence *presence, size_t index) {
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
        assert(present || !arrived);
        presence->verdicts.items[index] = (uint8_t)((present ? MUST_HIT : 0) | (arrived ? MUST_DATA : 0));
        if (!request->maybe_executed) add_loaded_sector(presence, request, &known);
    }
    if (request->maybe_executed)
        note_possible_use(presence, request, line);
    else
        note_use(presence, request, line, &known);
}

/* Keeps the last uses of a segment as sources for later phases. */
static void end_segment(struct must_presence *presence, uint32_t warp) {
    size_t first = presence->ended.count, count = presence->recent.count;
    arena_reserve(presence->arena, &presence->ended, count);
    for (size_t i = 0; i < count; i++) {
        const struct line_use *use = &presence->recent.items[i];
        presence->ended.items[presence->ended.count++] = *use;
        if (use->sectors == 0) continue;
        uint32_t *newest = &presence->histories.items[use->line].source;
        arena_push(presence->arena, &presence->sources,
                   ((struct line_source){.phase = presence->phase,
                                         .warp = warp,
                                         .next = *newest,
                                         .use = first + i,
                                         .end = first + count}));
        *newest = (uint32_t)presence->sources.count;
    }
}

/* Notes which lines are dropped in the current phase. */
static void note_drops(struct must_presence *presence, const struct phase_segment *segment) {
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

static void read_phase(struct must_presence *presence) {
    const struct set_phase *phase = phase_at(presence, presence->phase);
    const struct phase_segment *segments = presence->set->segments.items + phase->first_segment;
    for (size_t s = 0; s < phase->segment_count; s++)
        note_drops(presence, &segments[s]);
    for (size_t s = 0; s < phase->segment_count; s++) {
        presence->recent.count = presence->recent_maybe = 0;
        presence->segment++;
        for (size_t i = 0; i < segments[s].count; i++)
            read_request(presence, segments[s].first + i);
        end_segment(presence, segments[s].warp);
    }
}

/* Empties what is kept of a set, and makes room for what grows request by request. */
static void begin_set(struct must_presence *presence) {
    const struct set_phases *set = presence->set;
    presence->ended.count = presence->sources.count = presence->drops.count = 0;
    presence->histories.count = presence->proofs.count = presence->verdicts.count = 0;
    size_t room = set->request_count;
    if (room > UINT32_MAX / presence->sectors) arena_fail(presence->arena, WB_ERR_LIMIT);
    arena_reserve(presence->arena, &presence->verdicts, room);
    arena_reserve(presence->arena, &presence->drops, room);
    arena_reserve(presence->arena, &presence->proofs, room * presence->sectors);
    presence->recent.count = presence->recent_maybe = presence->window.lines.count = 0;
    arena_reserve(presence->arena, &presence->recent, (size_t)2 * (set->ways + 2));
    arena_reserve(presence->arena, &presence->histories, set->lines.count);
    arena_reserve(presence->arena, &presence->window.lines, set->lines.count);
    memset(presence->histories.items, 0, set->lines.count * sizeof *presence->histories.items);
    presence->histories.count = set->lines.count;
    presence->verdicts.count = room;
}

/* Fills the verdicts of a set of a block whose shape is `shape`. */
static void must_presence_find(struct must_presence *presence, const struct set_phases *set,
                               const struct l1_requests *requests, const struct data_waits *waits,
                               uint32_t shape) {
    presence->set = set;
    presence->waits = waits;
    presence->shape = shape;
    presence->in_program_order = requests->order != PORT_ANY_ORDER;
    presence->sectors = requests->index.sector_mask + 1;
    presence->all_sectors = UINT32_MAX >> (CACHE_SECTORS_MAX - 1 - requests->index.sector_mask);
    begin_set(presence);
    for (presence->phase = 0; presence->phase < set->phases.count; presence->phase++)
        read_phase(presence);
}

/* The analysis under way. */
struct hits_maker {
    struct must_hits *hits;
    const struct traffic *traffic;
    const struct timed_code *code;
    struct sm_share share;
    struct arena scratch;
    struct data_waits waits;
    struct l1_requests requests;
    struct sm_lines lines;
    struct set_phases set;
    struct must_presence presence;
    struct miss_counter misses;
    uint8_t **verdicts;     /* of the block being looked at, per warp and request */
    uint32_t most_requests; /* of a warp */
};

/* Room for the verdicts of any block. */
static void reserve_verdicts(struct hits_maker *maker) {
    const struct traffic *traffic = maker->traffic;
    uint32_t most = 0;
    for (size_t p = 0; p < traffic->patterns.count; p++) {
        uint32_t count = traffic->patterns.items[p].request_count;
        most = count > most ? count : most;
    }
    maker->most_requests = most;
    maker->verdicts =
        arena_array(&maker->scratch, (size_t)traffic->grid->warp_count + 1, sizeof *maker->verdicts);
    for (uint32_t w = 0; w < traffic->grid->warp_count; w++) {
        maker->verdicts[w] = arena_array(&maker->scratch, most, sizeof(uint8_t));
    }
}

static void prepare(struct hits_maker *maker) {
    struct must_hits *hits = maker->hits;
    struct arena *scratch = &maker->scratch;
    const struct wb_grid *grid = maker->traffic->grid;
    const size_t blocks = sm_share_blocks(&maker->share, grid);
    hits->order = port_order_of(maker->traffic, maker->code);
    hits->rows = arena_array(&hits->arena, blocks * grid->warp_count, sizeof *hits->rows);
    hits->instructions = arena_array(&hits->arena, grid->instruction_count, sizeof *hits->instructions);
    reserve_verdicts(maker);
    maker->waits = data_waits_make(grid, maker->code, scratch);
    maker->requests = l1_requests_make(maker->traffic, hits->order, scratch);
    maker->lines = sm_lines_make(&maker->share, &maker->requests, scratch);
    maker->set.arena = maker->presence.arena = maker->misses.arena = maker->misses.sectors.arena = scratch;
}

/* Whether no request to a set that is full can be a must hit: other blocks fill it in every window, and no
 * two requests of one instruction are for one sector. */
static bool full_is_hopeless(const struct hits_maker *maker) {
    const struct machine_memory *memory = &maker->traffic->machine->memory;
    return maker->share.resident > 1 && memory->l1.sector_bytes <= memory_request_bytes(memory);
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
        if (is_idle || (full_is_hopeless(maker) && sm_set_is_full(&maker->lines, request->set)))
            miss_counter_add_unseen(&maker->misses, (enum traffic_kind)request->kind, !request->unknown);
        else
            requests->items.items[kept++] = *request;
    }
    requests->items.count = kept;
}

/* Looks at the requests of a block to one set. */
static void look_at_set(struct hits_maker *maker, const struct set_slice *slice, uint32_t block) {
    struct set_phases *set = &maker->set;
    struct l1_requests *requests = &maker->requests;
    uint32_t shape = maker->traffic->grid->blocks.items[block].shape;
    set_phases_make(set, requests, slice, &maker->lines, block, maker->share.resident == 1);
    must_presence_find(&maker->presence, set, requests, &maker->waits, shape);
    const uint8_t *verdicts = maker->presence.verdicts.items;
    for (size_t i = 0; i < set->request_count; i++)
        if (!set->requests[i].unknown)
            maker->verdicts[set->requests[i].warp][set->requests[i].request] = verdicts[i];
    miss_counter_add(&maker->misses, set, verdicts, &maker->lines, requests->index.sector_mask + 1);
}

/* Adds the verdicts on a warp's loads in each of `blocks` blocks to those of their instructions. */
static void count_hits(const struct traffic_pattern *pattern, const uint8_t *verdicts, uint64_t blocks,
                       struct hit_counts *instructions) {
    for (uint32_t a = 0; a < pattern->access_count; a++) {
        const struct traffic_access *access = &pattern->accesses[a];
        struct hit_counts *counts = &instructions[access->instruction];
        if (!traffic_is_load(access->kind)) continue;
        counts->loads += blocks * access->request_count;
        for (uint32_t r = access->first_request; r < access->first_request + access->request_count; r++) {
            counts->must_hits += (verdicts[r] & MUST_HIT) != 0 ? blocks : 0;
            counts->must_data += (verdicts[r] & MUST_DATA) != 0 ? blocks : 0;
        }
    }
}

/* Keeps the verdicts of a warp of the `position`-th block; equal rows of blocks that follow one another are
 * kept once.
 */
static void keep_row(struct hits_maker *maker, size_t position, uint32_t block, uint32_t warp) {
    struct must_hits *hits = maker->hits;
    const struct traffic *traffic = maker->traffic;
    const struct traffic_pattern *pattern = traffic_pattern_of(traffic, block, warp);
    const uint8_t **row = &hits->rows[position * hits->warp_count + warp], *verdicts = maker->verdicts[warp];
    count_hits(pattern, verdicts, 1, hits->instructions);
    if (position > 0 && traffic_pattern_of(traffic, block - maker->share.sms, warp) == pattern &&
        memcmp(row[-(ptrdiff_t)hits->warp_count], verdicts, pattern->request_count) == 0) {
        *row = row[-(ptrdiff_t)hits->warp_count];
        return;
    }
    uint8_t *kept = arena_array(&hits->arena, pattern->request_count, sizeof *kept);
    memcpy(kept, verdicts, pattern->request_count);
    *row = kept;
}

static void look_at_block(struct hits_maker *maker, size_t position, uint32_t block) {
    struct l1_requests *requests = &maker->requests;
    l1_requests_read(requests, block);
    skip_requests(maker);
    l1_requests_sort(requests);
    for (uint32_t w = 0; w < maker->hits->warp_count; w++)
        memset(maker->verdicts[w], 0, traffic_pattern_of(maker->traffic, block, w)->request_count);
    for (size_t s = 0; s < requests->slices.count; s++)
        look_at_set(maker, &requests->slices.items[s], block);
    const bool alone = maker->share.resident == 1;
    miss_counter_end_block(&maker->misses, alone ? requests->unknown : maker->lines.unknown,
                           requests->index.sector_mask + 1);
    for (uint32_t w = 0; w < maker->hits->warp_count; w++)
        keep_row(maker, position, block, w);
}

/* Adds all blocks where no request can be a must hit, whatever its address. */
static void add_hopeless(struct hits_maker *maker, size_t count) {
    const struct traffic *traffic = maker->traffic;
    struct must_hits *hits = maker->hits;
    uint64_t *blocks = arena_array(&maker->scratch, traffic->variants.count + 1, sizeof *blocks);
    const uint8_t *none = arena_array(&hits->arena, maker->most_requests, sizeof *none);
    for (size_t i = 0; i < count; i++)
        blocks[traffic->block_variants[maker->share.sm + i * maker->share.sms]]++;
    for (size_t r = 0; r < count * hits->warp_count; r++)
        hits->rows[r] = none;
    for (size_t v = 0; v < traffic->variants.count; v++)
        for (uint32_t w = 0; w < hits->warp_count && blocks[v] > 0; w++) {
            const struct traffic_pattern *pattern =
                &traffic->patterns.items[traffic->variants.items[v].patterns[w]];
            count_hits(pattern, none, blocks[v], hits->instructions);
            for (uint32_t a = 0; a < pattern->access_count; a++) {
                const struct traffic_access *access = &pattern->accesses[a];
                miss_counter_add_unseen(&maker->misses, (enum traffic_kind)access->kind,
                                        blocks[v] * access->request_count);
            }
        }
}

/* The pass of must_hits_make. */
static void make_all(void *context) {
    struct hits_maker *maker = context;
    const struct machine_memory *memory = &maker->traffic->machine->memory;
    arena_bind(&maker->scratch, &maker->hits->arena);
    prepare(maker);
    const size_t count = sm_share_blocks(&maker->share, maker->traffic->grid);
    const bool hopeless =
        full_is_hopeless(maker) && sm_sets_are_full(&maker->lines) && !maker->requests.objects.some_asked;
    if (hopeless) add_hopeless(maker, count);
    for (size_t i = 0; i < count && !hopeless; i++)
        look_at_block(maker, i, maker->share.sm + (uint32_t)i * maker->share.sms);
    const uint32_t spread = memory_dispatch_is_dynamic(memory) ? memory->sms : 1;
    const struct cache_index *index = &maker->requests.index;
    miss_counter_end(&maker->misses, &maker->lines, index->set_count, index->sector_mask + 1, spread);
    maker->hits->misses = maker->misses.bound;
    arena_free(&maker->scratch);
}

wb_status must_hits_make(const struct traffic *traffic, const struct timed_code *code,
                         const struct sm_share *share, wb_diagnostics *diagnostics, struct must_hits *hits) {
    *hits = (struct must_hits){.warp_count = traffic->grid->warp_count, .sms = share->sms};
    struct hits_maker maker = {.hits = hits, .traffic = traffic, .code = code, .share = *share};
    hits->arena.limit = maker.scratch.limit = traffic->grid->memory_limit;
    if (arena_protect(&hits->arena, make_all, &maker) == WB_OK) return WB_OK;
    return traffic_no_memory(traffic->grid, hits->arena.refused || maker.scratch.refused, diagnostics);
}

void must_hits_free(struct must_hits *hits) {
    arena_free(&hits->arena);
    *hits = (struct must_hits){0};
}
