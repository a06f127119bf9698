#include "wings/makespan/exact/layer_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/containers.h"
#include "wings/makespan/exact/successors.h"

/* ---- Sets of states ------------------------------------------------------------------------------------ */

#define SET_ROOM_MIN 64u

/* As many entries as 32-bit slot numbers allow. */
#define SET_ROOM_MAX (UINT32_C(1) << 30)

struct state_entry {
    uint32_t time;     /* cycles until the state: the latest time at which it was reached */
    uint32_t bound;    /* on those that remain */
    uint32_t parent;   /* number of the state before in the trail; of several the least */
    uint32_t bunching; /* sum of the squares of its counts */
    uint32_t hash;
    uint32_t row; /* where its counts are */
};

/* A set of states. The rows of all entries there is room for are a permutation: those behind `count` are
 * free, so that nothing is copied when entries are sorted and left out. */
struct state_set {
    struct arena memory[2]; /* of the arrays; in turns, as they grow */
    uint32_t position_count;
    uint32_t count;
    uint32_t room;
    struct state_entry *entries;
    uint16_t *counts; /* rows of position_count */
    uint32_t *slots;  /* hash table of entry numbers plus 1; 0: empty */
    uint32_t slot_count;
};

void state_initial(const struct makespan_problem *problem, uint16_t *counts) {
    memset(counts, 0, problem->position_count * sizeof *counts);
    for (uint32_t g = 0; g < problem->group_count; g++)
        counts[problem->groups[g].first] = (uint16_t)problem->groups[g].warps;
}

static size_t row_bytes(const struct state_set *set) {
    return set->position_count * sizeof *set->counts;
}

/* The counts of an entry. */
static const uint16_t *state_counts(const struct state_set *set, const struct state_entry *entry) {
    assert(entry->row < set->room);
    return set->counts + (uint64_t)entry->row * set->position_count;
}

/* Bytes taken. */
static uint64_t set_bytes(const struct state_set *set) {
    return set->room * (sizeof *set->entries + row_bytes(set) + 2 * sizeof *set->slots);
}

static void place(struct state_set *set, uint32_t index) {
    uint32_t mask = set->slot_count - 1;
    uint32_t at = set->entries[index].hash & mask;
    while (set->slots[at] != 0)
        at = (at + 1) & mask;
    set->slots[at] = index + 1;
}

/* Puts all entries into the hash table anew. */
static void place_all(struct state_set *set) {
    memset(set->slots, 0, set->slot_count * sizeof *set->slots);
    for (uint32_t i = 0; i < set->count; i++)
        place(set, i);
}

/* What is in one of two arenas goes to the other, which is made ready. */
static void take_turns(struct arena memory[2], const struct arena *protected, struct arena **from,
                       struct arena **to) {
    const bool first_holds = memory[0].chunks != NULL;
    *from = &memory[first_holds ? 0 : 1];
    *to = &memory[first_holds ? 1 : 0];
    assert((*to)->chunks == NULL);
    arena_bind(*to, protected);
}

/* Doubles the room; the hash table has twice as many slots as there is room for entries. */
static void grow(struct state_set *set, const struct arena *protected) {
    const uint32_t room = set->room == 0 ? SET_ROOM_MIN : set->room * 2;
    if (room > SET_ROOM_MAX) arena_fail(protected, WB_ERR_LIMIT);
    struct arena *from, *to;
    take_turns(set->memory, protected, &from, &to);
    struct state_entry *entries = arena_array(to, room, sizeof *entries);
    uint16_t *counts = arena_array(to, room, row_bytes(set));
    if (set->room > 0) {
        memcpy(entries, set->entries, set->room * sizeof *entries);
        memcpy(counts, set->counts, set->room * row_bytes(set));
    }
    for (uint32_t i = set->room; i < room; i++)
        entries[i].row = i;
    set->slots = arena_array(to, (size_t)room * 2, sizeof *set->slots);
    set->slot_count = room * 2;
    set->entries = entries;
    set->counts = counts;
    set->room = room;
    if (from->chunks != NULL) arena_free(from);
    place_all(set);
}

static uint32_t bunching(const struct state_set *set, const uint16_t *counts) {
    uint32_t sum = 0;
    for (uint32_t p = 0; p < set->position_count; p++)
        sum += (uint32_t)counts[p] * counts[p];
    return sum;
}

/* The entry of a state, or NULL. */
static struct state_entry *find(const struct state_set *set, const uint16_t *counts, uint32_t hash) {
    uint32_t mask = set->slot_count - 1;
    for (uint32_t at = hash & mask; set->slots[at] != 0; at = (at + 1) & mask) {
        struct state_entry *entry = &set->entries[set->slots[at] - 1];
        if (entry->hash == hash && memcmp(state_counts(set, entry), counts, row_bytes(set)) == 0)
            return entry;
    }
    return NULL;
}

/* Adds a state with the entry's time, bound and parent, or raises its time. */
static void set_add(struct state_set *set, const struct arena *protected, const uint16_t *counts,
                    const struct state_entry *entry) {
    if (set->count == set->room) grow(set, protected);
    uint32_t hash = hash_bytes(counts, row_bytes(set));
    struct state_entry *known = find(set, counts, hash);
    if (known != NULL) {
        if (entry->time > known->time || (entry->time == known->time && entry->parent < known->parent)) {
            known->time = entry->time;
            known->parent = entry->parent;
        }
        return;
    }
    struct state_entry *added = &set->entries[set->count];
    const uint32_t row = added->row;
    *added = *entry;
    added->bunching = bunching(set, counts);
    added->hash = hash;
    added->row = row;
    memcpy(set->counts + (uint64_t)row * set->position_count, counts, row_bytes(set));
    place(set, set->count++);
}

/* Latest ends first. Of states of equal worth those whose warps stand together: they can still be driven
 * apart in more ways, and beams that prefer them find longer schedules than others of the same width. */
static int compare(const void *a, const void *b) {
    const struct state_entry *x = a;
    const struct state_entry *y = b;
    uint64_t x_end = (uint64_t)x->time + x->bound;
    uint64_t y_end = (uint64_t)y->time + y->bound;
    if (x_end != y_end) return x_end > y_end ? -1 : 1;
    if (x->bunching != y->bunching) return x->bunching > y->bunching ? -1 : 1;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Sorts the entries, those with the greatest time + bound first, and keeps the first `width`. */
static void set_keep(struct state_set *set, uint32_t width) {
    if (set->count == 0) return;
    qsort(set->entries, set->count, sizeof *set->entries, compare);
    if (set->count > width) set->count = width;
    place_all(set);
}

/* Makes it empty and keeps its memory. */
static void set_clear(struct state_set *set) {
    set->count = 0;
    if (set->slot_count > 0) memset(set->slots, 0, set->slot_count * sizeof *set->slots);
}

/* ---- The search ---------------------------------------------------------------------------------------- */

/* A beam collects this many times its width of states before it keeps the best of them. */
#define BEAM_COLLECT 4u

/* How many states are expanded between two questions whether to go on. */
#define SEARCH_POLL 16u

#define NO_PARENT UINT32_MAX

/* States whose successors were made: what a schedule is traced back by. */
struct trail {
    VEC(uint32_t) parents;
    VEC(uint16_t) counts;
    struct arena parents_memory[2], counts_memory[2]; /* in turns, as they grow */
};

/* Layers are in a ring: a cycle reaches no further than the ring is long. */
struct layer {
    struct state_set set;
    uint64_t least_end; /* time + bound below which a state would not be kept */
};

struct search {
    const struct makespan_run *run;
    const struct layer_search_plan *plan;
    struct layer_search_result *result;
    struct successors successors;
    bool sound;                /* bounds are not only estimates */
    const struct arena *arena; /* protected; that of the result */
    struct arena scratch;      /* of what is as long as the search */
    struct layer *ring;
    uint32_t ring_length;
    struct trail trail;
    uint64_t layer;  /* that is being expanded */
    uint32_t time;   /* of the state that is being expanded */
    uint32_t parent; /* likewise: its number in the trail */
    uint16_t *last;  /* last state of the longest schedule found: the tail knows the rest */
    uint32_t last_parent;
};

static struct layer *layer_at(const struct search *search, uint64_t layer) {
    return &search->ring[layer % search->ring_length];
}

/* Whether a successor may be on a schedule that is longer than the longest known one. */
static bool wants(void *user, uint32_t issued, uint64_t bound) {
    struct search *search = user;
    search->result->successors++;
    uint64_t end = search->time + 1 + bound;
    if (search->sound && end <= search->result->makespan) return false;
    return end >= layer_at(search, search->layer + issued)->least_end;
}

/* Keeps what a beam keeps of a layer. */
static void narrow(struct search *search, struct layer *layer) {
    uint32_t width = search->plan->width;
    if (layer->set.count > width) search->result->complete = false;
    set_keep(&layer->set, width);
    if (layer->set.count == width) {
        const struct state_entry *worst = &layer->set.entries[width - 1];
        layer->least_end = (uint64_t)worst->time + worst->bound;
    }
}

static void take(void *user, uint32_t issued, uint64_t bound, const uint16_t *counts, uint32_t warps) {
    struct search *search = user;
    const struct layer_search_plan *plan = search->plan;
    search->result->successors++;
    if (warps <= plan->tail->warps) {
        uint32_t end = search->time + 1 + exact_tail_cycles(plan->tail, counts);
        if (end <= search->result->makespan) return;
        search->result->makespan = end;
        search->last_parent = search->parent;
        memcpy(search->last, counts, plan->runs->problem->position_count * sizeof *counts);
        return;
    }
    struct layer *layer = layer_at(search, search->layer + issued);
    const struct state_entry entry = {
        .time = search->time + 1, .bound = (uint32_t)bound, .parent = search->parent};
    set_add(&layer->set, search->arena, counts, &entry);
    if (plan->width < UINT32_MAX / BEAM_COLLECT && layer->set.count >= plan->width * BEAM_COLLECT)
        narrow(search, layer);
}

/* Bytes taken by the layers and the trail. */
static uint64_t bytes_taken(const struct search *search) {
    uint64_t bytes = search->trail.parents.capacity * sizeof *search->trail.parents.items +
                     search->trail.counts.capacity * sizeof *search->trail.counts.items;
    for (uint32_t i = 0; i < search->ring_length; i++)
        bytes += set_bytes(&search->ring[i].set);
    return bytes;
}

/* Makes room for `extra` items behind `count`: twice as many, and no more memory than for both. */
static void trail_reserve(const struct arena *protected, struct arena memory[2], void **items,
                          size_t *capacity, size_t count, size_t extra, size_t item_size) {
    if (*capacity - count >= extra) return;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < count + extra)
        wanted *= 2;
    struct arena *from, *to;
    take_turns(memory, protected, &from, &to);
    void *grown = arena_array(to, wanted, item_size);
    if (count > 0) memcpy(grown, *items, count * item_size);
    if (from->chunks != NULL) arena_free(from);
    *items = grown;
    *capacity = wanted;
}

/* Makes the successors of one state. */
static void expand(struct search *search, const struct state_set *set, const struct state_entry *entry) {
    static const uint32_t trail_max = NO_PARENT - 1;
    uint32_t positions = set->position_count;
    if (search->sound && (uint64_t)entry->time + entry->bound <= search->result->makespan) return;
    if (search->trail.parents.count >= trail_max) arena_fail(search->arena, WB_ERR_LIMIT);
    struct trail *trail = &search->trail;
    trail_reserve(search->arena, trail->parents_memory, (void **)&trail->parents.items,
                  &trail->parents.capacity, trail->parents.count, 1, sizeof *trail->parents.items);
    trail_reserve(search->arena, trail->counts_memory, (void **)&trail->counts.items, &trail->counts.capacity,
                  trail->counts.count, positions, sizeof *trail->counts.items);
    trail->parents.items[trail->parents.count++] = entry->parent;
    memcpy(trail->counts.items + trail->counts.count, state_counts(set, entry), positions * sizeof(uint16_t));
    trail->counts.count += positions;
    search->time = entry->time;
    search->parent = (uint32_t)trail->parents.count - 1;
    const struct successor_user user = {search, wants, take};
    bool all = true;
    successors_visit(&search->successors, state_counts(set, entry), search->plan->most, &user, &all);
    if (!all) search->result->complete = false;
}

/* Whether a limit lets the search go on; a search of all states that left one out proves nothing more. */
static bool goes_on_now(struct search *search) {
    const struct layer_search_plan *plan = search->plan;
    struct layer_search_result *result = search->result;
    if (plan->width == UINT32_MAX && !result->complete) return false;
    if (result->successors >= plan->successors) return false;
    if (search->trail.parents.count % SEARCH_POLL != 0) return true;
    result->stopped = !makespan_goes_on(search->run, "exact: states", search->layer,
                                        plan->runs->problem->instruction_count);
    return !result->stopped && bytes_taken(search) <= plan->memory;
}

/* Expands the states of one layer and empties it. False when a limit is reached. */
static bool expand_layer(struct search *search) {
    struct layer *layer = layer_at(search, search->layer);
    bool goes_on = true;
    if (search->plan->width != UINT32_MAX) narrow(search, layer);
    for (uint32_t i = 0; i < layer->set.count && goes_on; i++) {
        expand(search, &layer->set, &layer->set.entries[i]);
        goes_on = goes_on_now(search);
    }
    set_clear(&layer->set);
    layer->least_end = 0;
    return goes_on;
}

/* The longest schedule's states, from the initial one. */
static void trace(const struct search *search, struct arena *arena) {
    const uint32_t positions = search->plan->runs->problem->position_count;
    uint32_t length = 1;
    for (uint32_t at = search->last_parent; at != NO_PARENT; at = search->trail.parents.items[at])
        length++;
    search->result->states = arena_array(arena, (size_t)length * positions, sizeof *search->result->states);
    search->result->state_count = length;
    uint16_t *row = search->result->states + (size_t)(length - 1) * positions;
    memcpy(row, search->last, positions * sizeof *row);
    for (uint32_t at = search->last_parent; at != NO_PARENT; at = search->trail.parents.items[at]) {
        row -= positions;
        memcpy(row, search->trail.counts.items + (size_t)at * positions, positions * sizeof *row);
    }
    assert(row == search->result->states);
}

static void search_make(struct search *search) {
    const struct makespan_problem *problem = search->plan->runs->problem;
    struct arena *arena = &search->scratch;
    search->ring_length = serve_choice_most(problem) + 1;
    search->ring = arena_array(arena, search->ring_length, sizeof *search->ring);
    search->last = arena_array(arena, problem->position_count, sizeof *search->last);
    for (uint32_t i = 0; i < search->ring_length; i++)
        search->ring[i].set.position_count = problem->position_count;
    successors_make(search->plan->runs, search->plan->table, arena, &search->successors);
    state_initial(problem, search->last);
    const struct state_entry initial = {.bound = UINT32_MAX, .parent = NO_PARENT};
    set_add(&search->ring[0].set, search->arena, search->last, &initial);
}

static void search_free(struct search *search) {
    for (uint32_t i = 0; i < search->ring_length; i++)
        for (uint32_t side = 0; side < 2; side++)
            arena_free(&search->ring[i].set.memory[side]);
    for (uint32_t side = 0; side < 2; side++) {
        arena_free(&search->trail.parents_memory[side]);
        arena_free(&search->trail.counts_memory[side]);
    }
    arena_free(&search->scratch);
}

struct layer_search_result layer_search(const struct makespan_run *run, const struct layer_search_plan *plan,
                                        struct arena *arena) {
    const uint64_t layers = plan->runs->problem->instruction_count;
    const bool sound = plan->table == NULL || plan->table->full;
    struct layer_search_result result = {.makespan = plan->target, .complete = sound};
    struct search search = {.run = run, .plan = plan, .result = &result, .sound = sound, .arena = arena};
    arena_bind(&search.scratch, arena);
    search_make(&search);
    bool goes_on = true;
    for (; search.layer < layers && goes_on; search.layer++)
        if (layer_at(&search, search.layer)->set.count > 0) goes_on = expand_layer(&search);
    if (!goes_on) result.complete = false;
    if (result.makespan > plan->target) trace(&search, arena);
    search_free(&search);
    return result;
}
