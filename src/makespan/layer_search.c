#include "makespan/layer_search.h"

#include <string.h>

#include "makespan/state_set.h"
#include "makespan/successors.h"

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
