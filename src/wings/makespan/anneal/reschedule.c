#include "wings/makespan/anneal/reschedule.h"

#include <assert.h>
#include <string.h>

#include "wings/makespan/anneal/precedence_string.h"

/* Identifiers placed between two questions whether to go on: some milliseconds, in schedules of a million
 * cycles some more. */
#define PLACED_BETWEEN_POLLS 16384

static inline uint32_t cycle_of(uint32_t place) {
    return place / UNIT_TYPES;
}

static inline uint32_t unit_of(uint32_t place) {
    return place % UNIT_TYPES;
}

/* Entries of rescheduler.place. */
static uint64_t entry_count(const struct makespan_problem *problem) {
    return problem->instruction_count + problem->warp_count;
}

uint64_t rescheduler_bytes(const struct makespan_problem *problem, uint64_t longest) {
    uint64_t partial = problem->warp_count * sizeof(struct warp_progress) +
                       (longest / 64 + 1) * (UNIT_TYPES + 1) * sizeof(uint64_t);
    uint64_t cycle = UNIT_TYPES * sizeof(struct place_use) + sizeof(uint32_t);
    uint64_t string = problem->instruction_count * sizeof(struct string_item);
    uint64_t own =
        2 * partial + (longest / 64 + 1) * 64 * cycle + string + entry_count(problem) * sizeof(uint32_t);
    return own + precedence_bytes(problem, longest);
}

static void partial_make(const struct makespan_problem *problem, uint64_t word_count, struct arena *arena,
                         struct partial_schedule *partial) {
    partial->warps = arena_array(arena, problem->warp_count, sizeof *partial->warps);
    partial->unit_room = arena_array(arena, word_count * UNIT_TYPES, sizeof *partial->unit_room);
    partial->issue_room = arena_array(arena, word_count, sizeof *partial->issue_room);
}

/* Empties a partial schedule up to a word; types that no string uses have no room. */
static void partial_clear(const struct makespan_problem *problem, struct partial_schedule *partial,
                          uint64_t last_word) {
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        uint64_t room = problem_uses(problem, unit) ? UINT64_MAX : 0;
        partial->unit_room[unit] = room & ~UINT64_C(1); /* there is no cycle 0 */
        for (uint64_t word = 1; word <= last_word; word++)
            partial->unit_room[word * UNIT_TYPES + unit] = room;
    }
    for (uint64_t word = 0; word <= last_word; word++)
        partial->issue_room[word] = UINT64_MAX;
    struct warp_progress *warp = partial->warps;
    uint32_t next = 1;
    for (uint32_t g = 0; g < problem->group_count; g++)
        for (uint32_t w = 0; w < problem->groups[g].warps; w++, next += problem->groups[g].length + 1)
            *warp++ = (struct warp_progress){.next = next};
}

/* Frees all places up to a word of 64 cycles. */
static void empty_places(struct rescheduler *r, uint64_t last_word) {
    partial_clear(r->problem, &r->before, last_word);
    partial_clear(r->problem, &r->candidate.placed, last_word);
    for (uint64_t t = 0; t < (last_word + 1) * 64; t++) {
        for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
            r->use[t * UNIT_TYPES + unit].left = r->problem->capacity[unit];
        r->issue_left[t] = r->problem->issue_limit;
    }
}

static void allocate(struct rescheduler *r, uint64_t word_count, struct arena *arena) {
    partial_make(r->problem, word_count, arena, &r->before);
    partial_make(r->problem, word_count, arena, &r->candidate.placed);
    r->string = arena_array(arena, r->count, sizeof *r->string);
    r->place = arena_array(arena, entry_count(r->problem), sizeof *r->place);
    r->use = arena_array(arena, word_count * 64 * UNIT_TYPES, sizeof *r->use);
    r->issue_left = arena_array(arena, word_count * 64, sizeof *r->issue_left);
}

/* Takes the places of the current solution from its schedule. */
static void take_current(struct rescheduler *r, const struct schedule *schedule) {
    const uint32_t *cycle = schedule->cycle;
    uint32_t *place = r->place;
    for (uint32_t g = 0; g < r->problem->group_count; g++) {
        const struct string_group *group = &r->problem->groups[g];
        for (uint32_t w = 0; w < group->warps; w++) {
            *place++ = 0;
            for (uint32_t i = 0; i < group->length; i++)
                *place++ = *cycle++ * UNIT_TYPES + r->problem->unit[group->first + i];
        }
    }
    assert(place == r->place + entry_count(r->problem));
    r->makespan = schedule->makespan;
}

bool rescheduler_make(const struct makespan_problem *problem, uint64_t longest, const uint32_t *string,
                      bool (*goes_on)(void *user), void *user, struct arena *arena, struct rescheduler *r) {
    *r = (struct rescheduler){.problem = problem,
                              .goes_on = goes_on,
                              .user = user,
                              .count = (uint32_t)problem->instruction_count,
                              .limited = problem->issue_limit != ISSUE_UNLIMITED};
    const uint64_t word_count = longest / 64 + 1;
    struct schedule schedule = {0};
    allocate(r, word_count, arena);
    for (uint32_t i = 0; i < r->count; i++)
        r->string[i].warp = string[i];
    if (!precedence_schedule(problem, string, goes_on, user, arena, &schedule)) return false;
    assert(schedule.makespan <= longest);
    take_current(r, &schedule);
    empty_places(r, word_count - 1);
    r->last_word = r->makespan / 64;
    return true;
}

/* Whether no cycle of a word has room for any instruction. */
static bool word_is_full(const struct partial_schedule *partial, uint32_t word) {
    if (partial->issue_room[word] == 0) return true;
    uint64_t room = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        room |= partial->unit_room[word * UNIT_TYPES + unit];
    return room == 0;
}

/* Takes one of what is left of a place: in the words of room, too. */
static inline void take(const struct rescheduler *r, const struct partial_schedule *partial, uint32_t cycle,
                        uint32_t unit, bool limited) {
    uint32_t word = cycle / 64;
    uint64_t unit_full = --r->use[cycle * UNIT_TYPES + unit].left == 0;
    partial->unit_room[word * UNIT_TYPES + unit] ^= unit_full << cycle % 64;
    if (!limited) return;
    uint64_t issue_full = --r->issue_left[cycle] == 0;
    partial->issue_room[word] ^= issue_full << cycle % 64;
}

void rescheduler_step(struct rescheduler *r) {
    if (r->index + 2 >= r->count) {
        empty_places(r, r->last_word);
        r->first_word = 0;
        r->index = 0;
        return;
    }
    struct warp_progress *warp = &r->before.warps[r->string[r->index++].warp];
    warp->last = r->place[warp->next++];
    take(r, &r->before, cycle_of(warp->last), unit_of(warp->last), r->limited);
    while (word_is_full(&r->before, r->first_word))
        r->first_word++;
}

/* Copies what the candidate has in common with the current solution. */
static void begin_candidate(struct rescheduler *r) {
    struct partial_schedule *placed = &r->candidate.placed;
    memcpy(placed->warps, r->before.warps, r->problem->warp_count * sizeof *placed->warps);
    size_t first = r->first_word;
    size_t words = r->last_word + 1 - first;
    memcpy(placed->unit_room + first * UNIT_TYPES, r->before.unit_room + first * UNIT_TYPES,
           words * UNIT_TYPES * sizeof *placed->unit_room);
    if (r->limited)
        memcpy(placed->issue_room + first, r->before.issue_room + first, words * sizeof *placed->issue_room);
}

/* The words of room for one unit type in 64 cycles. */
static inline uint64_t room_in(const struct partial_schedule *partial, uint32_t word, uint32_t unit,
                               bool limited) {
    uint64_t room = partial->unit_room[word * UNIT_TYPES + unit];
    return limited ? room & partial->issue_room[word] : room;
}

/* The first cycle from `ready` on with room for one more instruction of the unit type; takes it. */
static inline uint32_t take_first(const struct rescheduler *r, uint32_t ready, uint32_t unit, bool limited) {
    const struct partial_schedule *placed = &r->candidate.placed;
    uint32_t word = ready / 64;
    uint64_t room = room_in(placed, word, unit, limited) & UINT64_MAX << ready % 64;
    while (room == 0) {
        word = word + 1 < r->first_word ? r->first_word : word + 1;
        room = room_in(placed, word, unit, limited);
    }
    uint32_t cycle = word * 64 + (uint32_t)__builtin_ctzll(room);
    take(r, placed, cycle, unit, limited);
    return cycle;
}

/* Places what an identifier of the candidate means. Returns by how much more the candidate differs from the
 * current solution: the sum of the warps whose last instructions are in different cycles and, for each place,
 * of half the square of its difference, which grows by 1/2 +- difference when an instruction comes or goes.
 */
static inline int64_t place_item(const struct rescheduler *r, struct string_item *item, bool limited) {
    struct warp_progress *warp = &r->candidate.placed.warps[item->warp];
    uint32_t entry = warp->next++;
    uint32_t last = warp->last;
    uint32_t current = r->place[entry];
    uint32_t unit = unit_of(current);
    uint32_t place = take_first(r, cycle_of(last) + 1, unit, limited) * UNIT_TYPES + unit;
    warp->last = place;
    item->entry = entry;
    item->place = place;
    int64_t more = (int64_t)(place != current) - (last != r->place[entry - 1]);
    more += 1 - (int64_t)r->use[current].difference--;
    more += r->use[place].difference++;
    return more;
}

/* Places the candidate from `index` to `other` and then on until its schedule is the current one again, or
 * up to `end`. `*difference` says how much they differ. `limited` is a constant, so that the compiler makes
 * loops for each case. */
__attribute__((always_inline)) static inline void
place_until_equal(struct rescheduler *r, const uint32_t end_index, int64_t *difference, bool limited) {
    const struct rescheduler local = *r; /* not written through any pointer: stays in registers */
    struct string_item *item = local.string + local.candidate.end;
    const struct string_item *other = local.string + local.candidate.other;
    const struct string_item *end = local.string + end_index;
    int64_t sum = *difference;
    while (item <= other && item < end)
        sum += place_item(&local, item++, limited);
    while (sum != 0 && item < end)
        sum += place_item(&local, item++, limited);
    *difference = sum;
    r->candidate.end = (uint32_t)(item - local.string);
}

enum candidate_end { CANDIDATE_EQUAL, CANDIDATE_DIFFERS, CANDIDATE_STOPPED };

/* Places the candidate, a part at a time. */
static enum candidate_end place_candidate(struct rescheduler *r) {
    int64_t difference = 0;
    r->candidate.end = r->index;
    for (;;) {
        const uint32_t left = r->count - r->candidate.end;
        const uint32_t end = r->candidate.end + (left < PLACED_BETWEEN_POLLS ? left : PLACED_BETWEEN_POLLS);
        if (r->limited)
            place_until_equal(r, end, &difference, true);
        else
            place_until_equal(r, end, &difference, false);
        if (r->candidate.end > r->candidate.other && difference == 0) return CANDIDATE_EQUAL;
        if (end == r->count) return CANDIDATE_DIFFERS;
        if (r->goes_on != NULL && !r->goes_on(r->user)) return CANDIDATE_STOPPED;
    }
}

/* Forgets the differences of a candidate that did not become equal. */
static void clear_differences(struct rescheduler *r) {
    for (uint32_t i = r->index; i < r->candidate.end; i++) {
        r->use[r->string[i].place].difference = 0;
        r->use[r->place[r->string[i].entry]].difference = 0;
    }
}

/* The last cycle of a complete schedule. */
static uint32_t last_cycle(const struct rescheduler *r) {
    uint32_t last = 0;
    for (uint32_t w = 0; w < r->problem->warp_count; w++)
        if (r->candidate.placed.warps[w].last > last) last = r->candidate.placed.warps[w].last;
    return cycle_of(last);
}

static void exchange(struct rescheduler *r) {
    uint32_t warp = r->string[r->index].warp;
    r->string[r->index].warp = r->string[r->candidate.other].warp;
    r->string[r->candidate.other].warp = warp;
}

uint32_t rescheduler_exchange(struct rescheduler *r, uint32_t other) {
    assert(other > r->index && other < r->count);
    r->candidate.other = other;
    exchange(r);
    begin_candidate(r);
    r->candidate.makespan = r->makespan;
    const enum candidate_end end = place_candidate(r);
    if (end == CANDIDATE_EQUAL) return r->candidate.makespan;
    clear_differences(r);
    r->candidate.makespan = end == CANDIDATE_STOPPED ? 0 : last_cycle(r);
    if (r->candidate.makespan / 64 > r->last_word) r->last_word = r->candidate.makespan / 64;
    return r->candidate.makespan;
}

/* Gives back what the candidate took of a place. */
static inline void give_back(struct rescheduler *r, uint32_t place) {
    r->use[place].left++;
    if (r->limited) r->issue_left[cycle_of(place)]++;
}

void rescheduler_keep(struct rescheduler *r) {
    for (uint32_t i = r->index; i < r->candidate.end; i++) {
        const struct string_item *item = &r->string[i];
        r->place[item->entry] = item->place;
        give_back(r, item->place);
    }
    r->makespan = r->candidate.makespan;
}

void rescheduler_drop(struct rescheduler *r) {
    for (uint32_t i = r->index; i < r->candidate.end; i++)
        give_back(r, r->string[i].place);
    exchange(r);
}
