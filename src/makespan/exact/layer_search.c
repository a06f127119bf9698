#include "makespan/exact/layer_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "makespan/exact/successors.h"

#define SET_ROOM_MIN 64u

/* As many entries as 32-bit slot numbers allow. */
#define SET_ROOM_MAX (UINT32_C(1) << 30)

void state_initial(const struct makespan_problem *problem, uint16_t *counts) {
    memset(counts, 0, problem->position_count * sizeof *counts);
    for (uint32_t g = 0; g < problem->group_count; g++)
        counts[problem->groups[g].first] = (uint16_t)problem->groups[g].warps;
}

static size_t row_bytes(const struct state_set *set) {
    return set->position_count * sizeof *set->counts;
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

/* Doubles the room; the hash table has twice as many slots as there is room for entries. */
static wb_status grow(struct state_set *set) {
    uint32_t room = set->room == 0 ? SET_ROOM_MIN : set->room * 2;
    if (room > SET_ROOM_MAX) return WB_ERR_LIMIT;
    struct state_entry *entries = realloc(set->entries, room * sizeof *entries);
    if (entries == NULL) return WB_ERR_LIMIT;
    set->entries = entries;
    uint16_t *counts = realloc(set->counts, room * row_bytes(set));
    if (counts == NULL) return WB_ERR_LIMIT;
    set->counts = counts;
    uint32_t *slots = realloc(set->slots, (size_t)room * 2 * sizeof *slots);
    if (slots == NULL) return WB_ERR_LIMIT;
    set->slots = slots;
    set->slot_count = room * 2;
    set->room = room;
    place_all(set);
    return WB_OK;
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

wb_status state_set_add(struct state_set *set, const uint16_t *counts, const struct state_entry *entry) {
    if (set->count == set->room) WB_TRY(grow(set));
    uint32_t hash = hash_bytes(counts, row_bytes(set));
    struct state_entry *known = find(set, counts, hash);
    if (known != NULL) {
        if (entry->time > known->time || (entry->time == known->time && entry->parent < known->parent)) {
            known->time = entry->time;
            known->parent = entry->parent;
        }
        return WB_OK;
    }
    struct state_entry *added = &set->entries[set->count];
    *added = *entry;
    added->bunching = bunching(set, counts);
    added->hash = hash;
    added->counts = set->count;
    memcpy(set->counts + (uint64_t)set->count * set->position_count, counts, row_bytes(set));
    place(set, set->count++);
    return WB_OK;
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
    return x->counts < y->counts ? -1 : x->counts > y->counts;
}

wb_status state_set_keep(struct state_set *set, uint32_t width) {
    if (set->count == 0) return WB_OK;
    uint16_t *counts = malloc(set->room * row_bytes(set));
    if (counts == NULL) return WB_ERR_LIMIT;
    qsort(set->entries, set->count, sizeof *set->entries, compare);
    if (set->count > width) set->count = width;
    for (uint32_t i = 0; i < set->count; i++) {
        memcpy(counts + (uint64_t)i * set->position_count, state_counts(set, &set->entries[i]),
               row_bytes(set));
        set->entries[i].counts = i;
    }
    free(set->counts);
    set->counts = counts;
    place_all(set);
    return WB_OK;
}

uint64_t state_set_bytes(const struct state_set *set) {
    return set->room * (sizeof *set->entries + row_bytes(set) + 2 * sizeof *set->slots);
}

void state_set_clear(struct state_set *set) {
    set->count = 0;
    if (set->slot_count > 0) memset(set->slots, 0, set->slot_count * sizeof *set->slots);
}

void state_set_free(struct state_set *set) {
    free(set->entries);
    free(set->counts);
    free(set->slots);
    *set = (struct state_set){.position_count = set->position_count};
}

/* A beam collects this many times its width of states before it keeps the best of them. */
#define BEAM_COLLECT 4u

/* How many states are expanded between two questions whether to go on. */
#define SEARCH_POLL 16u

#define NO_PARENT UINT32_MAX

/* States whose successors were made: what a schedule is traced back by. */
struct trail {
    VEC(uint32_t) parents;
    VEC(uint16_t) counts;
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
    bool sound; /* bounds are not only estimates */
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
static wb_status narrow(struct search *search, struct layer *layer) {
    uint32_t width = search->plan->width;
    if (layer->set.count > width) search->result->complete = false;
    WB_TRY(state_set_keep(&layer->set, width));
    if (layer->set.count == width) {
        const struct state_entry *worst = &layer->set.entries[width - 1];
        layer->least_end = (uint64_t)worst->time + worst->bound;
    }
    return WB_OK;
}

static wb_status take(void *user, uint32_t issued, uint64_t bound, const uint16_t *counts, uint32_t warps) {
    struct search *search = user;
    const struct layer_search_plan *plan = search->plan;
    search->result->successors++;
    if (warps <= plan->tail->warps) {
        uint32_t end = search->time + 1 + exact_tail_cycles(plan->tail, counts);
        if (end <= search->result->makespan) return WB_OK;
        search->result->makespan = end;
        search->last_parent = search->parent;
        memcpy(search->last, counts, plan->runs->problem->position_count * sizeof *counts);
        return WB_OK;
    }
    struct layer *layer = layer_at(search, search->layer + issued);
    const struct state_entry entry = {
        .time = search->time + 1, .bound = (uint32_t)bound, .parent = search->parent};
    WB_TRY(state_set_add(&layer->set, counts, &entry));
    if (plan->width < UINT32_MAX / BEAM_COLLECT && layer->set.count >= plan->width * BEAM_COLLECT)
        return narrow(search, layer);
    return WB_OK;
}

/* Bytes taken by the layers and the trail. */
static uint64_t bytes_taken(const struct search *search) {
    uint64_t bytes = search->trail.parents.capacity * sizeof *search->trail.parents.items +
                     search->trail.counts.capacity * sizeof *search->trail.counts.items;
    for (uint32_t i = 0; i < search->ring_length; i++)
        bytes += state_set_bytes(&search->ring[i].set);
    return bytes;
}

/* Makes the successors of one state. */
static wb_status expand(struct search *search, const struct state_set *set, const struct state_entry *entry) {
    static const uint32_t trail_max = NO_PARENT - 1;
    uint32_t positions = set->position_count;
    if (search->sound && (uint64_t)entry->time + entry->bound <= search->result->makespan) return WB_OK;
    if (search->trail.parents.count >= trail_max) return WB_ERR_LIMIT;
    WB_TRY(vec_push(&search->trail.parents, entry->parent));
    WB_TRY(vec_reserve(&search->trail.counts, positions));
    memcpy(search->trail.counts.items + search->trail.counts.count, state_counts(set, entry),
           positions * sizeof(uint16_t));
    search->trail.counts.count += positions;
    search->time = entry->time;
    search->parent = (uint32_t)search->trail.parents.count - 1;
    const struct successor_user user = {search, wants, take};
    bool all = true;
    WB_TRY(successors_visit(&search->successors, state_counts(set, entry), search->plan->most, &user, &all));
    if (!all) search->result->complete = false;
    return WB_OK;
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

/* Expands the states of one layer and empties it. *goes_on becomes false when a limit is reached. */
static wb_status expand_layer(struct search *search, bool *goes_on) {
    struct layer *layer = layer_at(search, search->layer);
    if (search->plan->width != UINT32_MAX) WB_TRY(narrow(search, layer));
    for (uint32_t i = 0; i < layer->set.count && *goes_on; i++) {
        WB_TRY(expand(search, &layer->set, &layer->set.entries[i]));
        *goes_on = goes_on_now(search);
    }
    state_set_clear(&layer->set);
    layer->least_end = 0;
    return WB_OK;
}

/* The longest schedule's states, from the initial one. */
static wb_status trace(struct search *search) {
    uint32_t positions = search->plan->runs->problem->position_count;
    size_t length = 1;
    for (uint32_t at = search->last_parent; at != NO_PARENT; at = search->trail.parents.items[at])
        length++;
    WB_TRY(vec_reserve(&search->result->states, length * positions));
    search->result->states.count = length * positions;
    uint16_t *row = search->result->states.items + (length - 1) * positions;
    memcpy(row, search->last, positions * sizeof *row);
    for (uint32_t at = search->last_parent; at != NO_PARENT; at = search->trail.parents.items[at]) {
        row -= positions;
        memcpy(row, search->trail.counts.items + (size_t)at * positions, positions * sizeof *row);
    }
    return WB_OK;
}

static wb_status search_make(struct search *search) {
    const struct makespan_problem *problem = search->plan->runs->problem;
    search->ring_length = serve_choice_most(problem) + 1;
    search->ring = calloc(search->ring_length, sizeof *search->ring);
    search->last = calloc(problem->position_count, sizeof *search->last);
    if (search->ring == NULL || search->last == NULL) return WB_ERR_LIMIT;
    for (uint32_t i = 0; i < search->ring_length; i++)
        search->ring[i].set.position_count = problem->position_count;
    return successors_make(search->plan->runs, search->plan->table, &search->successors);
}

static void search_free(struct search *search) {
    for (uint32_t i = 0; search->ring != NULL && i < search->ring_length; i++)
        state_set_free(&search->ring[i].set);
    free(search->ring);
    free(search->last);
    successors_free(&search->successors);
    vec_free(&search->trail.parents);
    vec_free(&search->trail.counts);
}

static wb_status run_search(struct search *search) {
    const struct makespan_problem *problem = search->plan->runs->problem;
    WB_TRY(search_make(search));
    state_initial(problem, search->last);
    const struct state_entry initial = {.bound = UINT32_MAX, .parent = NO_PARENT};
    WB_TRY(state_set_add(&search->ring[0].set, search->last, &initial));
    bool goes_on = true;
    for (; search->layer < problem->instruction_count && goes_on; search->layer++)
        if (layer_at(search, search->layer)->set.count > 0) WB_TRY(expand_layer(search, &goes_on));
    if (!goes_on) search->result->complete = false;
    return search->result->makespan > search->plan->target ? trace(search) : WB_OK;
}

wb_status layer_search(const struct makespan_run *run, const struct layer_search_plan *plan,
                       struct layer_search_result *result) {
    bool sound = plan->table == NULL || plan->table->full;
    *result = (struct layer_search_result){.makespan = plan->target, .complete = sound};
    struct search search = {.run = run, .plan = plan, .result = result, .sound = sound};
    wb_status status = run_search(&search);
    search_free(&search);
    return status;
}
