#include "memory/caches/misses.h"

#include <assert.h>
#include <string.h>

/* Counts requests of a kind. */
static void count_kind(struct miss_bound *bound, enum traffic_kind kind, uint64_t requests) {
    switch (kind) {
    case TRAFFIC_ON_CHIP: break;
    case TRAFFIC_LOAD:
    case TRAFFIC_UNCACHED: bound->load_requests += requests; break;
    case TRAFFIC_STORE: bound->store_requests += requests; break;
    case TRAFFIC_ATOMIC: bound->atomic_requests += requests; break;
    }
}

void miss_counter_add_unseen(struct miss_counter *counter, enum traffic_kind kind, uint64_t requests) {
    count_kind(&counter->bound, kind, requests);
    if (traffic_is_load((uint8_t)kind)) counter->bound.load_misses += requests;
}

static void count_kinds(struct miss_bound *bound, const struct set_phases *set, const uint8_t *verdicts) {
    for (size_t i = 0; i < set->request_count; i++) {
        if (set->requests[i].unknown) continue; /* these are counted by their objects */
        count_kind(bound, (enum traffic_kind)set->requests[i].kind, 1);
        bound->load_misses += set->requests[i].kind == TRAFFIC_UNCACHED;
        bound->must_hits += (verdicts[i] & MUST_HIT) != 0;
    }
}

/* Whether a request is a load that can miss. */
static bool can_miss(const struct set_phases *set, const uint8_t *verdicts, size_t index) {
    const struct l1_request *request = &set->requests[index];
    return request->kind == TRAFFIC_LOAD && !request->unknown && (verdicts[index] & MUST_HIT) == 0;
}

/* A set in which all lines of the SM have room: a sector is fetched again only when its line was dropped,
 * whatever blocks load it. */
static void add_to_sectors(struct miss_counter *counter, const struct set_phases *set,
                           const uint8_t *verdicts, uint32_t sectors) {
    for (size_t i = 0; i < set->request_count; i++) {
        const struct l1_request *request = &set->requests[i];
        if (!can_miss(set, verdicts, i)) continue;
        const uint32_t number =
            number_table_number(&counter->sectors, request->line * sectors + request->sector);
        if (number == counter->of_sectors.count)
            arena_push(counter->arena, &counter->of_sectors, ((struct sector_loads){.line = request->line}));
        counter->of_sectors.items[number].count++;
    }
}

/* How often loads of one sector miss that is fetched `first` times, and once more whenever its line is
 * dropped. */
static uint64_t misses_of(uint64_t loads, uint64_t first, uint64_t drops) {
    return loads < drops || loads - drops < first ? loads : drops + first;
}

/* Begins a sum over sectors of memory with so many objects. */
static void dropped_misses_begin(struct dropped_misses *sum, uint32_t objects, struct arena *arena) {
    *sum =
        (struct dropped_misses){.more = arena_array(arena, objects, sizeof *sum->more), .objects = objects};
}

/* Adds a sector of a line that is fetched `first` times, dropped by `drops` requests and maybe by `unknown`
 * more. */
static void dropped_misses_add(struct dropped_misses *sum, const struct objects_lines *objects,
                               const struct sector_loads *loads, uint64_t first, uint64_t drops,
                               uint64_t unknown) {
    const uint64_t without = misses_of(loads->count, first, drops);
    const uint64_t each = misses_of(loads->count, first, drops + unknown);
    sum->without += without;
    sum->each += each;
    for (uint32_t o = 0; o < objects->count && each > without; o++)
        if (object_has_line(&objects->objects[o], loads->line)) sum->more[o] += each - without;
}

/* The sum, if each of the requests in `unknown` that drop a line drops one (docs/must-hits.md, theorem 6). */
static uint64_t dropped_misses_once(const struct dropped_misses *sum, const struct unknown_requests *unknown,
                                    uint32_t sectors) {
    uint64_t once = sum->without;
    for (uint32_t o = 0; o < sum->objects; o++) {
        const uint64_t most = unknown[o].drops * sectors;
        once += sum->more[o] < most ? sum->more[o] : most;
    }
    return once < sum->each ? once : sum->each;
}

/* The end of the longest run of phases from `first` on: their lines and those of other blocks have room in
 * the set. */
static size_t longest_run(struct miss_counter *counter, const struct set_phases *set, size_t first) {
    uint32_t count = set->others;
    counter->run++;
    for (size_t p = first; p < set->phases.count; p++) {
        const struct owned_lines *lines = &set->phases.items[p].lines;
        for (uint32_t i = 0; i < lines->count; i++) {
            struct run_line *line = &counter->lines.items[lines->items[i].line];
            count += line->used_in != counter->run && !set->lines.items[lines->items[i].line].of_others;
            line->used_in = counter->run;
        }
        if (count > set->ways) return p;
    }
    return set->phases.count;
}

/* Counts the loads and drops of the requests of a segment. */
static void count_segment(struct miss_counter *counter, const struct set_phases *set, const uint8_t *verdicts,
                          const struct phase_segment *segment, uint32_t sectors) {
    for (size_t i = segment->first; i < segment->first + segment->count; i++) {
        uint32_t number = set->line_of.items[i];
        struct run_line *line = &counter->lines.items[number];
        if (line->run != counter->run) line->drops = 0;
        line->run = counter->run;
        if (set->requests[i].touch == TOUCH_STORE_EVICTS) line->drops++;
        if (can_miss(set, verdicts, i))
            counter->loads.items[(size_t)number * sectors + set->requests[i].sector]++;
    }
}

/* Adds what a segment's sectors can miss in the run, and forgets their counts. */
static void charge_segment(struct miss_counter *counter, const struct set_phases *set,
                           const struct phase_segment *segment, const struct sm_lines *sm, uint32_t sectors) {
    for (size_t i = segment->first; i < segment->first + segment->count; i++) {
        const uint32_t number = set->line_of.items[i];
        const struct set_line *line = &set->lines.items[number];
        uint64_t *loads = &counter->loads.items[(size_t)number * sectors + set->requests[i].sector];
        const uint64_t drops = counter->lines.items[number].drops + line->drops_by_others;
        dropped_misses_add(&counter->runs, sm->objects, &(struct sector_loads){line->line, *loads}, 1, drops,
                           line->drops_unknown);
        *loads = 0;
    }
}

/* Adds the misses of a run of phases, of segments [first, end). */
static void charge_run(struct miss_counter *counter, const struct set_phases *set, const uint8_t *verdicts,
                       size_t first, size_t end, const struct sm_lines *sm, uint32_t sectors) {
    for (size_t s = first; s < end; s++)
        count_segment(counter, set, verdicts, &set->segments.items[s], sectors);
    for (size_t s = first; s < end; s++)
        charge_segment(counter, set, &set->segments.items[s], sm, sectors);
}

/* Adds the misses of a phase whose lines have no room: any load that is no must hit. */
static void charge_phase(struct miss_counter *counter, const struct set_phases *set, const uint8_t *verdicts,
                         const struct set_phase *phase) {
    for (size_t s = 0; s < phase->segment_count; s++) {
        const struct phase_segment *segment = &set->segments.items[phase->first_segment + s];
        for (size_t i = segment->first; i < segment->first + segment->count; i++)
            counter->bound.load_misses += can_miss(set, verdicts, i);
    }
}

static void add_runs(struct miss_counter *counter, const struct set_phases *set, const uint8_t *verdicts,
                     const struct sm_lines *sm, uint32_t sectors) {
    for (size_t first = 0; first < set->phases.count;) {
        const struct set_phase *phase = &set->phases.items[first];
        size_t end = longest_run(counter, set, first);
        if (end == first) {
            charge_phase(counter, set, verdicts, phase);
            first++;
            continue;
        }
        const struct set_phase *last = &set->phases.items[end - 1];
        charge_run(counter, set, verdicts, phase->first_segment, last->first_segment + last->segment_count,
                   sm, sectors);
        first = end;
    }
}

void miss_counter_add(struct miss_counter *counter, const struct set_phases *set, const uint8_t *verdicts,
                      const struct sm_lines *sm, uint32_t sectors) {
    count_kinds(&counter->bound, set, verdicts);
    if (sm_set_fits(sm, set->set)) {
        add_to_sectors(counter, set, verdicts, sectors);
        return;
    }
    counter->lines.count = counter->loads.count = 0;
    arena_reserve(counter->arena, &counter->lines, set->lines.count);
    arena_reserve(counter->arena, &counter->loads, set->lines.count * sectors);
    counter->lines.count = set->lines.count;
    counter->loads.count = set->lines.count * sectors;
    memset(counter->lines.items, 0, counter->lines.count * sizeof *counter->lines.items);
    memset(counter->loads.items, 0, counter->loads.count * sizeof *counter->loads.items);
    if (counter->runs.more == NULL) dropped_misses_begin(&counter->runs, sm->objects->count, counter->arena);
    add_runs(counter, set, verdicts, sm, sectors);
}

void miss_counter_end_block(struct miss_counter *counter, const struct unknown_requests *unknown,
                            uint32_t sectors) {
    struct dropped_misses *runs = &counter->runs;
    counter->bound.load_misses += dropped_misses_once(runs, unknown, sectors);
    runs->each = runs->without = 0;
    for (uint32_t o = 0; o < runs->objects; o++)
        runs->more[o] = 0;
}

/* Whether all lines of an object have room in the sets that they belong to, together with all others. */
static bool object_fits(const struct sm_lines *sm, const struct object_lines *object, uint32_t set_count) {
    for (uint32_t set = 0; !object->anywhere && set < set_count; set++)
        if (object->set_counts[set] > 0 && !sm_set_fits(sm, set)) return false;
    return !object->anywhere;
}

/* How many requests at unknown addresses may drop a line of an object. */
static uint64_t object_unknown_drops(const struct sm_lines *sm, const struct object_lines *object) {
    uint64_t drops = 0;
    for (uint32_t o = 0; o < sm->objects->count; o++)
        if (object_meets(object, &sm->objects->objects[o])) drops += sm->unknown[o].drops;
    return drops;
}

/* How often the sectors of an object that fits are fetched for loads at unknown addresses, if known ones are
 * first: each `first` times, and once more whenever its line is dropped. `once`: requests at unknown
 * addresses drop one line each, not every line of their memory. */
static uint64_t unknown_fetches(const struct miss_counter *counter, const struct sm_lines *sm,
                                const struct object_lines *object, uint32_t sectors, uint64_t first,
                                bool once) {
    uint64_t fetches = once ? sectors * object_unknown_drops(sm, object) : 0;
    for (uint64_t l = 0; l < object->count; l++) {
        fetches += sectors * (first + sm_lines_drops(sm, object->first + l));
        if (!once) fetches += sectors * unknown_drops(sm->objects, sm->unknown, object->first + l);
    }
    for (size_t i = 0; i < counter->of_sectors.count; i++) {
        const struct sector_loads *loads = &counter->of_sectors.items[i];
        if (!object_has_line(object, loads->line)) continue;
        uint64_t drops = sm_lines_drops(sm, loads->line);
        if (!once) drops += unknown_drops(sm->objects, sm->unknown, loads->line);
        fetches -= misses_of(loads->count, first, drops);
    }
    return fetches;
}

/* The same of an object that does not fit, but of whose lines no set has more than ways: a line goes only
 * when so many lines of other memory have been used since its last use as its set has ways besides those of
 * the others of the object. UINT64_MAX: of some set it has more. */
static uint64_t contended_fetches(const struct sm_lines *sm, uint32_t number, uint32_t set_count,
                                  uint32_t sectors, uint64_t first) {
    const struct object_lines *object = &sm->objects->objects[number];
    uint64_t most = 0, others = sm->known[0].uses - sm->known[number].uses;
    const uint64_t drops = sm->known[number].drops + object_unknown_drops(sm, object);
    for (uint32_t set = 0; set < set_count; set++)
        most = object->set_counts[set] > most ? object->set_counts[set] : most;
    if (number == 0 || object->anywhere || most > sm->ways) return UINT64_MAX;
    for (uint32_t o = 0; o < sm->objects->count; o++) {
        const struct unknown_requests *asked = &sm->unknown[o];
        if (o == number) continue;
        others += asked->loads + asked->stores + asked->atomics + asked->uncached - asked->drops;
    }
    return sectors * (object->count * first + others * most / (sm->ways - most + 1) + drops);
}

/* How often all loads at unknown addresses miss. */
static uint64_t unknown_misses(const struct miss_counter *counter, const struct sm_lines *sm,
                               uint32_t set_count, uint32_t sectors, uint64_t first, bool once) {
    uint64_t misses = 0;
    for (uint32_t o = 0; o < sm->objects->count; o++) {
        const struct object_lines *object = &sm->objects->objects[o];
        const uint64_t loads = sm->unknown[o].loads;
        if (loads == 0) continue;
        const uint64_t fetches = object_fits(sm, object, set_count)
                                     ? unknown_fetches(counter, sm, object, sectors, first, once)
                                     : contended_fetches(sm, o, set_count, sectors, first);
        misses += fetches < loads ? fetches : loads;
    }
    return misses;
}

/* How often loads miss in sets with room for all lines of the SM, and loads at unknown addresses, if each
 * sector of such a set is fetched `first` times without drops. */
static uint64_t misses_with_room(const struct miss_counter *counter, const struct sm_lines *sm,
                                 uint32_t set_count, uint32_t sectors, uint64_t first) {
    struct dropped_misses known;
    dropped_misses_begin(&known, sm->objects->count, counter->arena);
    for (size_t i = 0; i < counter->of_sectors.count; i++) {
        const struct sector_loads *loads = &counter->of_sectors.items[i];
        dropped_misses_add(&known, sm->objects, loads, first, sm_lines_drops(sm, loads->line),
                           unknown_drops(sm->objects, sm->unknown, loads->line));
    }
    const uint64_t each = known.each + unknown_misses(counter, sm, set_count, sectors, first, false);
    const uint64_t once = dropped_misses_once(&known, sm->unknown, sectors) +
                          unknown_misses(counter, sm, set_count, sectors, first, true);
    return once < each ? once : each;
}

void miss_counter_end(struct miss_counter *counter, const struct sm_lines *sm, uint32_t set_count,
                      uint32_t sectors, uint32_t sms) {
    struct miss_bound *bound = &counter->bound;
    for (uint32_t o = 0; o < sm->objects->count; o++) {
        bound->load_requests += sm->unknown[o].loads + sm->unknown[o].uncached;
        bound->load_misses += sm->unknown[o].uncached;
        bound->store_requests += sm->unknown[o].stores;
        bound->atomic_requests += sm->unknown[o].atomics;
    }
    bound->load_misses_spread = bound->load_misses + misses_with_room(counter, sm, set_count, sectors, sms);
    bound->load_misses += misses_with_room(counter, sm, set_count, sectors, 1);
    assert(bound->load_misses + bound->must_hits <= bound->load_requests);
}
