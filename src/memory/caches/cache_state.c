#include "memory/caches/caches.h"

#include <assert.h>
#include <string.h>

wb_status cache_state_init(struct cache_state *state, const struct cache_geometry *geometry,
                           enum cache_contents contents) {
    state->index = cache_index_of(geometry);
    state->ways = geometry->ways;
    state->all_sectors = UINT32_MAX >> (CACHE_SECTORS_MAX - 1 - state->index.sector_mask);
    state->sets = calloc(state->index.set_count, sizeof *state->sets);
    if (state->sets == NULL) return WB_ERR_LIMIT;
    for (uint32_t s = 0; s < state->index.set_count; s++)
        state->sets[s].rest_least = contents == CACHE_EMPTY ? state->ways : 0;
    return WB_OK;
}

void cache_state_free(struct cache_state *state) {
    if (state->sets == NULL) return;
    for (uint32_t s = 0; s < state->index.set_count; s++)
        vec_free(&state->sets[s].lines);
    free(state->sets);
    state->sets = NULL;
}

/* The state of a line that is not listed. */
static struct line_age rest_age(const struct cache_state *state, const struct set_state *set,
                                uint64_t number) {
    return (struct line_age){.number = number,
                             .least = set->rest_least,
                             .most = state->ways,
                             .possible_sectors = set->rest_least < state->ways ? state->all_sectors : 0};
}

/* Position of the first listed line whose number is at least `number`. */
static size_t lower_bound(const struct set_state *set, uint64_t number) {
    size_t low = 0, high = set->lines.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->lines.items[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct line_age age_of(const struct cache_state *state, const struct set_state *set, uint64_t number) {
    size_t at = lower_bound(set, number);
    bool listed = at < set->lines.count && set->lines.items[at].number == number;
    return listed ? set->lines.items[at] : rest_age(state, set, number);
}

/* The entry of a line, which is made unless it is listed; NULL when memory is exhausted. */
static struct line_age *list_line(const struct cache_state *state, struct set_state *set, uint64_t number) {
    size_t at = lower_bound(set, number);
    if (at < set->lines.count && set->lines.items[at].number == number) return &set->lines.items[at];
    if (vec_reserve(&set->lines, 1) != WB_OK) return NULL;
    struct line_age *entry = &set->lines.items[at];
    memmove(entry + 1, entry, (set->lines.count - at) * sizeof *entry);
    set->lines.count++;
    *entry = rest_age(state, set, number);
    return entry;
}

/* Whether an entry says no more than that the line is not listed. */
static bool is_rest(const struct cache_state *state, const struct set_state *set,
                    const struct line_age *line) {
    struct line_age rest = rest_age(state, set, line->number);
    return line->least == rest.least && line->most == rest.most &&
           line->possible_sectors == rest.possible_sectors;
}

/* Forgets the sectors of lines that are not there, and the entries that say nothing, so that states of equal
 * knowledge are equal. */
static void normalise(const struct cache_state *state, struct set_state *set) {
    size_t kept = 0;
    for (size_t i = 0; i < set->lines.count; i++) {
        struct line_age line = set->lines.items[i];
        assert(line.least <= line.most && line.most <= state->ways);
        if (line.most == state->ways) line.sure_sectors = 0, line.mark = 0;
        if (line.least == state->ways) line.possible_sectors = 0;
        if (!is_rest(state, set, &line)) set->lines.items[kept++] = line;
    }
    set->lines.count = kept;
}

/* All lines but `used` age, by a use of a line with these ages before: those that were surely younger than it
 * by one, and those that may have been by at most one. */
static void age_others(const struct cache_state *state, struct set_state *set, struct line_age used) {
    for (size_t i = 0; i < set->lines.count; i++) {
        struct line_age *line = &set->lines.items[i];
        if (line->number == used.number) continue;
        if (line->most < used.most) line->most++;
        if (line->least <= used.least && line->least < state->ways) line->least++;
    }
    if (set->rest_least <= used.least && set->rest_least < state->ways) set->rest_least++;
}

static wb_status load_line(const struct cache_state *state, struct set_state *set, uint64_t number,
                           uint32_t sector) {
    struct line_age *line = list_line(state, set, number);
    if (line == NULL) return WB_ERR_LIMIT;
    age_others(state, set, *line);
    line->least = line->most = 0;
    line->sure_sectors |= sector;
    line->possible_sectors |= sector;
    return WB_OK;
}

/* A line is dropped: those behind it become younger by one. */
static wb_status drop_line(const struct cache_state *state, struct set_state *set, uint64_t number) {
    struct line_age *dropped = list_line(state, set, number);
    if (dropped == NULL) return WB_ERR_LIMIT;
    struct line_age before = *dropped;
    for (size_t i = 0; i < set->lines.count; i++) {
        struct line_age *line = &set->lines.items[i];
        bool surely_behind = line->least >= before.most; /* no two lines have one age */
        if (surely_behind && line->most < state->ways) line->most--;
        if (line->least > before.least && line->least < state->ways) line->least--;
    }
    if (set->rest_least > before.least && set->rest_least < state->ways) set->rest_least--;
    dropped->least = dropped->most = state->ways;
    return WB_OK;
}

/* A store uses a line if it is there, and does nothing if not. */
static wb_status refresh_line(const struct cache_state *state, struct set_state *set, uint64_t number) {
    struct line_age *line = list_line(state, set, number);
    if (line == NULL) return WB_ERR_LIMIT;
    if (line->least == state->ways) return WB_OK;
    if (line->most < state->ways) {
        age_others(state, set, *line);
        line->most = 0;
    } else {
        /* Nothing is evicted: what is older than any line that is used is not among those that age. */
        for (size_t i = 0; i < set->lines.count; i++) {
            if (set->lines.items[i].most + 1 < state->ways) set->lines.items[i].most++;
        }
    }
    line->least = 0;
    return WB_OK;
}

/* Set `set` after a request of known address, whose line belongs to it. */
static wb_status touch_line(const struct cache_state *state, struct set_state *set, enum touch_kind kind,
                            uint64_t address) {
    uint64_t number = cache_line_number(&state->index, address);
    switch (kind) {
    case TOUCH_LOAD: WB_TRY(load_line(state, set, number, cache_sector_bit(&state->index, address))); break;
    case TOUCH_STORE_EVICTS: WB_TRY(drop_line(state, set, number)); break;
    case TOUCH_STORE_UPDATES: WB_TRY(refresh_line(state, set, number)); break;
    }
    normalise(state, set);
    return WB_OK;
}

/* A line of a set in which any line may have been touched, or none. */
static void age_by_any(const struct cache_state *state, enum touch_kind kind, struct line_age *line) {
    uint32_t ways = state->ways;
    bool may_be_there = line->least < ways;
    switch (kind) {
    case TOUCH_LOAD:
        if (line->most < ways) line->most++;
        line->least = 0;
        line->possible_sectors = state->all_sectors;
        break;
    case TOUCH_STORE_EVICTS:
        line->most = ways;
        if (may_be_there && line->least > 0) line->least--;
        break;
    case TOUCH_STORE_UPDATES:
        if (line->most + 1 < ways) line->most++;
        if (may_be_there) line->least = 0;
        break;
    }
}

/* A line of a set in which some other line may have been touched. */
static void age_by_other(const struct cache_state *state, enum touch_kind kind, struct line_age *line) {
    switch (kind) {
    case TOUCH_LOAD:
        if (line->most < state->ways) line->most++;
        break;
    case TOUCH_STORE_EVICTS:
        if (line->least < state->ways && line->least > 0) line->least--;
        break;
    case TOUCH_STORE_UPDATES:
        if (line->most + 1 < state->ways) line->most++;
        break;
    }
}

/* Lines, by their numbers. */
struct line_range {
    uint64_t first, count; /* UINT64_MAX: all */
};

static struct line_range touched_range(const struct cache_state *state, const struct cache_touch *touch) {
    if (touch->size == 0) return (struct line_range){0, UINT64_MAX};
    const uint64_t first = cache_line_number(&state->index, touch->first);
    return (struct line_range){first,
                               cache_line_number(&state->index, touch->first + touch->size - 1) - first + 1};
}

static bool is_in_range(const struct line_range *range, uint64_t number) {
    return range->count == UINT64_MAX || number - range->first < range->count;
}

/* Whether some line of the range belongs to the set. */
static bool set_has_some(const struct cache_state *state, const struct line_range *range, uint32_t s) {
    if (range->count >= (uint64_t)state->index.set_count * state->ways) return true;
    for (uint64_t i = 0; i < range->count; i++)
        if (cache_set_of_line(&state->index, range->first + i) == s) return true;
    return false;
}

/* The state after a request for some line of a range, or for none. */
static void touch_range(struct cache_state *state, enum touch_kind kind, const struct line_range *range) {
    for (uint32_t s = 0; s < state->index.set_count; s++) {
        struct set_state *set = &state->sets[s];
        if (!set_has_some(state, range, s)) continue;
        for (size_t i = 0; i < set->lines.count; i++) {
            if (is_in_range(range, set->lines.items[i].number))
                age_by_any(state, kind, &set->lines.items[i]);
            else
                age_by_other(state, kind, &set->lines.items[i]);
        }
        struct line_age rest = rest_age(state, set, 0);
        age_by_any(state, kind, &rest);
        set->rest_least = rest.least;
        normalise(state, set);
    }
}

static wb_status copy_set(struct set_state *to, const struct set_state *from) {
    to->lines.count = 0;
    WB_TRY(vec_reserve(&to->lines, from->lines.count));
    if (from->lines.count > 0)
        memcpy(to->lines.items, from->lines.items, from->lines.count * sizeof *from->lines.items);
    to->lines.count = from->lines.count;
    to->rest_least = from->rest_least;
    return WB_OK;
}

static struct line_age joined_age(const struct line_age *a, const struct line_age *b) {
    return (struct line_age){.number = a->number,
                             .least = a->least < b->least ? a->least : b->least,
                             .most = a->most > b->most ? a->most : b->most,
                             .sure_sectors = a->sure_sectors & b->sure_sectors,
                             .possible_sectors = a->possible_sectors | b->possible_sectors,
                             .mark = a->mark > b->mark ? a->mark : b->mark};
}

static wb_status join_sets(const struct cache_state *state, struct set_state *set,
                           const struct set_state *other) {
    for (size_t i = 0; i < other->lines.count; i++) {
        if (list_line(state, set, other->lines.items[i].number) == NULL) return WB_ERR_LIMIT;
    }
    for (size_t i = 0; i < set->lines.count; i++) {
        struct line_age *line = &set->lines.items[i], from_other = age_of(state, other, line->number);
        *line = joined_age(line, &from_other);
    }
    if (other->rest_least < set->rest_least) set->rest_least = other->rest_least;
    normalise(state, set);
    return WB_OK;
}

static bool belongs_to_set(const struct cache_state *state, uint32_t s, uint64_t address) {
    return cache_set_of_line(&state->index, cache_line_number(&state->index, address)) == s;
}

/* Set `s` after a request that has one of several addresses: the join over those that belong to it, and of
 * the set as it was if there are others. `before` and `after` are room to work in. */
static wb_status touch_one_of(struct cache_state *state, uint32_t s, const struct cache_touch *touch,
                              struct set_state *before, struct set_state *after) {
    struct set_state *set = &state->sets[s];
    size_t belonging = 0;
    WB_TRY(copy_set(before, set));
    for (size_t i = 0; i < touch->count; i++) {
        if (!belongs_to_set(state, s, touch->addresses[i])) continue;
        if (belonging++ == 0) {
            WB_TRY(touch_line(state, set, touch->kind, touch->addresses[i]));
            continue;
        }
        WB_TRY(copy_set(after, before));
        WB_TRY(touch_line(state, after, touch->kind, touch->addresses[i]));
        WB_TRY(join_sets(state, set, after));
    }
    return belonging < touch->count ? join_sets(state, set, before) : WB_OK;
}

wb_status cache_state_update(struct cache_state *state, const struct cache_touch *touch) {
    if (touch->count == 0) {
        const struct line_range range = touched_range(state, touch);
        touch_range(state, touch->kind, &range);
        return WB_OK;
    }
    if (touch->count == 1) {
        uint64_t number = cache_line_number(&state->index, touch->addresses[0]);
        struct set_state *set = &state->sets[cache_set_of_line(&state->index, number)];
        return touch_line(state, set, touch->kind, touch->addresses[0]);
    }
    struct set_state before = {0}, after = {0};
    wb_status status = WB_OK;
    for (uint32_t s = 0; s < state->index.set_count && status == WB_OK; s++)
        status = touch_one_of(state, s, touch, &before, &after);
    vec_free(&before.lines);
    vec_free(&after.lines);
    return status;
}

/* Set `s` after requests in any order, each only maybe made: for each of them that may belong to it, the join
 * of making it and not. */
static wb_status touch_some_of(struct cache_state *state, uint32_t s, const struct cache_touch *touch,
                               struct set_state *before, struct set_state *after) {
    struct set_state *set = &state->sets[s];
    size_t belonging = 0;
    for (size_t i = 0; i < touch->count; i++)
        belonging += belongs_to_set(state, s, touch->addresses[i]);
    for (size_t left = belonging; left > 0; left--) {
        WB_TRY(copy_set(before, set));
        for (size_t i = 0; i < touch->count; i++) {
            if (!belongs_to_set(state, s, touch->addresses[i])) continue;
            WB_TRY(copy_set(after, before));
            WB_TRY(touch_line(state, after, touch->kind, touch->addresses[i]));
            WB_TRY(join_sets(state, set, after));
        }
    }
    return WB_OK;
}

wb_status cache_state_update_some(struct cache_state *state, enum touch_kind kind, const uint64_t *addresses,
                                  size_t count) {
    const struct cache_touch touch = {.kind = kind, .addresses = addresses, .count = count};
    struct set_state before = {0}, after = {0};
    wb_status status = WB_OK;
    for (uint32_t s = 0; s < state->index.set_count && status == WB_OK; s++)
        status = touch_some_of(state, s, &touch, &before, &after);
    vec_free(&before.lines);
    vec_free(&after.lines);
    return status;
}

void cache_state_set_mark(struct cache_state *state, uint64_t address, uint64_t mark) {
    const uint64_t number = cache_line_number(&state->index, address);
    struct set_state *set = &state->sets[cache_set_of_line(&state->index, number)];
    const size_t at = lower_bound(set, number);
    if (at == set->lines.count || set->lines.items[at].number != number) return;
    if (set->lines.items[at].most < state->ways) set->lines.items[at].mark = mark;
}

uint64_t cache_state_mark(const struct cache_state *state, uint64_t address) {
    const uint64_t number = cache_line_number(&state->index, address);
    return age_of(state, &state->sets[cache_set_of_line(&state->index, number)], number).mark;
}

void cache_state_clear(struct cache_state *state) {
    for (uint32_t s = 0; s < state->index.set_count; s++) {
        state->sets[s].lines.count = 0;
        state->sets[s].rest_least = state->ways;
    }
}

/* Whether nothing can be in the cache. */
static bool surely_empty(const struct cache_state *state) {
    for (uint32_t s = 0; s < state->index.set_count; s++) {
        if (state->sets[s].lines.count > 0 || state->sets[s].rest_least < state->ways) return false;
    }
    return true;
}

static enum cache_class classify_address(const struct cache_state *state, uint64_t address) {
    uint64_t number = cache_line_number(&state->index, address);
    uint32_t sector = cache_sector_bit(&state->index, address);
    const struct set_state *set = &state->sets[cache_set_of_line(&state->index, number)];
    struct line_age line = age_of(state, set, number);
    if ((line.sure_sectors & sector) != 0) return CACHE_ALWAYS_HIT;
    return (line.possible_sectors & sector) != 0 ? CACHE_UNCLASSIFIED : CACHE_ALWAYS_MISS;
}

/* Most lines of a range that are looked at one by one. */
#define RANGE_LINES_MAX 256

/* The common class of the lines of a range, for a request for one of them. */
static enum cache_class classify_range(const struct cache_state *state, const struct line_range *range) {
    if (range->count > RANGE_LINES_MAX) return CACHE_UNCLASSIFIED;
    for (uint64_t i = 0; i < range->count; i++) {
        const uint64_t number = range->first + i;
        const struct line_age line =
            age_of(state, &state->sets[cache_set_of_line(&state->index, number)], number);
        if (line.sure_sectors != state->all_sectors) return CACHE_UNCLASSIFIED;
    }
    return CACHE_ALWAYS_HIT;
}

enum cache_class cache_state_classify(const struct cache_state *state, const struct cache_touch *touch) {
    if (touch->count == 0) {
        const struct line_range range = touched_range(state, touch);
        return surely_empty(state) ? CACHE_ALWAYS_MISS : classify_range(state, &range);
    }
    enum cache_class first = classify_address(state, touch->addresses[0]);
    for (size_t i = 1; i < touch->count; i++) {
        if (classify_address(state, touch->addresses[i]) != first) return CACHE_UNCLASSIFIED;
    }
    return first;
}
