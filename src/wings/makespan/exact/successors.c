#include "wings/makespan/exact/successors.h"

#include <assert.h>
#include <string.h>

/* Lets the places from `index` on serve as few as they must. */
static void serve_fewest(struct stayers *stayers, uint32_t index) {
    for (; index < stayers->count; index++) {
        struct stayer_place *place = &stayers->places[index];
        uint32_t *left = &stayers->left[place->run];
        place->served = *left > place->behind ? *left - place->behind : 0;
        *left -= place->served;
    }
}

/* The first distribution of stay[j] warps in every run j of a state with counts[p] warps at position p; so
 * many must be there. */
static void stayers_first(const struct run_list *runs, const uint16_t *counts, const uint32_t *stay,
                          struct stayers *stayers) {
    stayers->count = 0;
    for (uint32_t j = 0; j < runs->count; j++) {
        stayers->left[j] = stay[j];
        if (stay[j] == 0) continue;
        uint32_t first = stayers->count;
        for (uint32_t p = runs->items[j].first; p + 1 < runs->items[j].first + runs->items[j].length; p++)
            if (counts[p] > 0)
                stayers->places[stayers->count++] =
                    (struct stayer_place){.position = p, .run = j, .warps = counts[p]};
        uint32_t behind = 0;
        for (uint32_t i = stayers->count; i-- > first;) {
            stayers->places[i].behind = behind;
            behind += stayers->places[i].warps;
        }
    }
    serve_fewest(stayers, 0);
}

/* The next one; false when there is none. */
static bool stayers_next(struct stayers *stayers) {
    for (uint32_t i = stayers->count; i-- > 0;) {
        struct stayer_place *place = &stayers->places[i];
        uint32_t *left = &stayers->left[place->run];
        if (place->served<place->warps && * left> 0) {
            place->served++;
            (*left)--;
            serve_fewest(stayers, i + 1);
            return true;
        }
        *left += place->served;
        place->served = 0;
    }
    return false;
}

void successors_make(const struct run_list *runs, const struct run_table *table, struct arena *arena,
                     struct successors *successors) {
    const struct makespan_problem *problem = runs->problem;
    *successors = (struct successors){.problem = problem, .runs = runs, .table = table};
    successors->next = arena_array(arena, problem->position_count, sizeof *successors->next);
    successors->stayers.places =
        arena_array(arena, problem->position_count, sizeof *successors->stayers.places);
    serve_choice_make(problem, table != NULL ? runs->count : problem->position_count, arena,
                      &successors->serve);
    remaining_bound_make(problem, arena, &successors->closed);
}

/* Moves warps from a position one further. */
static void advance(const struct makespan_problem *problem, uint16_t *counts, uint32_t position,
                    uint32_t warps) {
    assert(counts[position] >= warps);
    counts[position] = (uint16_t)(counts[position] - warps);
    if (!problem->last[position]) counts[position + 1] = (uint16_t)(counts[position + 1] + warps);
}

/* A state, where its successors come from. */
struct successor_source {
    const uint16_t *counts;
    struct composition composition;
    uint32_t slack[LAYOUT_RUNS_MAX];
    uint64_t most; /* of one kind */
};

/* The bound of the states that the moves lead to, all of one cell, and how many warps they have. */
static uint32_t target_bound(const struct successors *successors, const struct successor_source *source,
                             uint32_t *warps) {
    const struct run_table *table = successors->table;
    const struct run_moves *moves = &successors->moves;
    struct composition target;
    run_moves_target(&table->layout, &source->composition, moves, &target);
    *warps = target.warps;
    uint32_t slack[LAYOUT_RUNS_MAX];
    for (uint32_t j = 0; j < successors->runs->count; j++)
        slack[j] =
            source->slack[j] - moves->stay[j] + run_slack(&successors->runs->items[j], moves->arrive[j]);
    return run_table_cycles(table, &target, slack);
}

/* Takes the states that the moves can mean: those that leave a run stand at its last position, those that are
 * served and stay anywhere else. */
static void take_refinements(struct successors *successors, const struct successor_source *source,
                             const struct successor_user *user, uint32_t bound, uint32_t warps, bool *all) {
    const struct makespan_problem *problem = successors->problem;
    struct stayers *stayers = &successors->stayers;
    uint64_t made = 0;
    stayers_first(successors->runs, source->counts, successors->moves.stay, stayers);
    do {
        if (made++ == source->most) {
            *all = false;
            return;
        }
        memcpy(successors->next, source->counts, problem->position_count * sizeof *successors->next);
        for (uint32_t i = 0; i < successors->serve.count; i++) {
            const struct unit_run *run = &successors->runs->items[successors->serve.places[i].at];
            advance(problem, successors->next, run->first + run->length - 1,
                    successors->moves.leave[successors->serve.places[i].at]);
        }
        for (uint32_t i = 0; i < stayers->count; i++)
            advance(problem, successors->next, stayers->places[i].position, stayers->places[i].served);
        user->take(user->user, successors->serve.issues, bound, successors->next, warps);
    } while (stayers_next(stayers));
}

/* Sets the bounds of how many of the warps that the runs serve leave them in this state; false when that many
 * cannot be served. */
static void limit_leavers(struct successors *successors, const struct successor_source *source) {
    for (uint32_t i = 0; i < successors->serve.count; i++) {
        const struct serve_place *place = &successors->serve.places[i];
        const struct unit_run *run = &successors->runs->items[place->at];
        uint32_t ready = source->counts[run->first + run->length - 1];
        uint32_t others = place->warps - ready;
        successors->moves.fewest[place->at] = place->served > others ? place->served - others : 0;
        successors->moves.most[place->at] = place->served < ready ? place->served : ready;
    }
}

static void visit_with_table(struct successors *successors, struct successor_source *source,
                             const struct successor_user *user, bool *all) {
    const struct run_list *runs = successors->runs;
    run_table_place(successors->table, source->counts, &source->composition, source->slack);
    serve_choice_clear(&successors->serve);
    for (uint32_t j = 0; j < runs->count; j++)
        if (source->composition.in_run[j] > 0)
            serve_choice_add(&successors->serve, j, runs->items[j].unit, source->composition.in_run[j]);
    serve_choice_first(&successors->serve);
    do {
        limit_leavers(successors, source);
        run_moves_first(runs, &successors->serve, &successors->moves);
        do {
            uint32_t warps;
            uint32_t bound = target_bound(successors, source, &warps);
            if (user->wants(user->user, successors->serve.issues, bound))
                take_refinements(successors, source, user, bound, warps, all);
        } while (run_moves_next(runs, &successors->serve, &successors->moves));
    } while (serve_choice_next(&successors->serve));
}

static void visit_without_table(struct successors *successors, const struct successor_source *source,
                                const struct successor_user *user, bool *all) {
    const struct makespan_problem *problem = successors->problem;
    struct serve_choice *serve = &successors->serve;
    uint32_t warps = 0;
    serve_choice_clear(serve);
    for (uint32_t p = 0; p < problem->position_count; p++) {
        if (source->counts[p] == 0) continue;
        serve_choice_add(serve, p, problem->unit[p], source->counts[p]);
        warps += source->counts[p];
    }
    uint64_t made = 0;
    serve_choice_first(serve);
    do {
        if (made++ == source->most) {
            *all = false;
            return;
        }
        uint32_t ended = 0;
        memcpy(successors->next, source->counts, problem->position_count * sizeof *successors->next);
        for (uint32_t i = 0; i < serve->count; i++) {
            advance(problem, successors->next, serve->places[i].at, serve->places[i].served);
            if (problem->last[serve->places[i].at]) ended += serve->places[i].served;
        }
        uint64_t bound = remaining_cycles(&successors->closed, successors->next);
        if (user->wants(user->user, serve->issues, bound))
            user->take(user->user, serve->issues, bound, successors->next, warps - ended);
    } while (serve_choice_next(serve));
}

void successors_visit(struct successors *successors, const uint16_t *counts, uint64_t most,
                      const struct successor_user *user, bool *all) {
    struct successor_source source = {.counts = counts, .most = most};
    if (successors->table != NULL)
        visit_with_table(successors, &source, user, all);
    else
        visit_without_table(successors, &source, user, all);
}
