#include "makespan/precedence_string.h"

#include <stdlib.h>

#include "makespan/closed.h"

/* Instructions placed between two questions whether to go on: some milliseconds. */
#define PLACED_BETWEEN_POLLS ((uint64_t)1 << 16)

/* A warp that is being scheduled. */
struct turn {
    uint32_t position; /* of its next instruction */
    uint32_t ready;    /* the first cycle in which that can execute */
    uint64_t next;     /* where its cycle is kept in schedule.cycle */
};

/* What each cycle has room for, and for each unit type a cycle from which to look on: those in between have
 * no room. */
struct places {
    uint32_t (*unit)[UNIT_TYPES];
    uint32_t (*next)[UNIT_TYPES];
    uint32_t *issue;
};

uint64_t precedence_bytes(const struct makespan_problem *problem, uint64_t longest) {
    uint64_t cycle = (2 * UNIT_TYPES + 1) * sizeof(uint32_t);
    return problem->warp_count * sizeof(struct turn) + (longest + 1) * cycle +
           problem->instruction_count * sizeof(uint32_t);
}

/* All warps before their first instruction; NULL when memory is exhausted. */
static struct turn *first_turns(const struct makespan_problem *problem) {
    struct turn *turns = calloc(problem->warp_count, sizeof *turns);
    if (turns == NULL) return NULL;
    struct turn *turn = turns;
    uint64_t next = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t w = 0; w < group->warps; w++, next += group->length)
            *turn++ = (struct turn){group->first, 1, next};
    }
    return turns;
}

/* Cycles 1 to `last`, all empty. */
static wb_status places_make(const struct makespan_problem *problem, uint64_t last, struct places *places) {
    places->unit = malloc((last + 1) * sizeof *places->unit);
    places->next = malloc((last + 1) * sizeof *places->next);
    places->issue = malloc((last + 1) * sizeof *places->issue);
    if (places->unit == NULL || places->next == NULL || places->issue == NULL) return WB_ERR_LIMIT;
    for (uint64_t t = 0; t <= last; t++) {
        for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
            places->unit[t][unit] = problem->capacity[unit];
            places->next[t][unit] = (uint32_t)t;
        }
        places->issue[t] = problem->issue_limit;
    }
    return WB_OK;
}

static void places_free(struct places *places) {
    free(places->unit);
    free(places->next);
    free(places->issue);
}

static bool has_room(const struct places *places, uint32_t unit, uint32_t cycle) {
    return places->unit[cycle][unit] > 0 && places->issue[cycle] > 0;
}

/* The first cycle from `cycle` on with room for one more instruction of the type. What is passed points
 * farther on afterwards, so that long full stretches are not walked again (union-find with halved paths). */
static uint32_t first_room(const struct places *places, uint32_t unit, uint32_t cycle) {
    uint32_t(*next)[UNIT_TYPES] = places->next;
    while (!has_room(places, unit, cycle)) {
        if (next[cycle][unit] == cycle) next[cycle][unit] = cycle + 1;
        const uint32_t passed = cycle;
        cycle = next[passed][unit];
        next[passed][unit] = next[cycle][unit];
    }
    return cycle;
}

/* Executes a warp's next instruction as early as can be and returns the cycle. */
static uint32_t place(const struct makespan_problem *problem, struct places *places, struct turn *turn) {
    uint32_t unit = problem->unit[turn->position++];
    uint32_t cycle = first_room(places, unit, turn->ready);
    places->unit[cycle][unit]--;
    places->issue[cycle]--;
    turn->ready = cycle + 1;
    return cycle;
}

wb_status precedence_schedule(const struct makespan_problem *problem, const uint32_t *string,
                              bool (*goes_on)(void *user), void *user, struct schedule *schedule) {
    cycles longest;
    WB_TRY(closed_bound(problem, &longest));
    WB_TRY(schedule_make(problem, schedule));
    struct places places = {0};
    struct turn *turns = first_turns(problem);
    wb_status status = turns == NULL ? WB_ERR_LIMIT : places_make(problem, longest, &places);
    for (uint64_t i = 0; status == WB_OK && i < problem->instruction_count; i++) {
        struct turn *turn = &turns[string[i]];
        uint32_t cycle = place(problem, &places, turn);
        schedule->cycle[turn->next++] = cycle;
        if (cycle > schedule->makespan) schedule->makespan = cycle;
        const bool asks = goes_on != NULL && (i + 1) % PLACED_BETWEEN_POLLS == 0;
        if (asks && !goes_on(user)) status = WB_ERR_LIMIT;
    }
    places_free(&places);
    free(turns);
    if (status != WB_OK) schedule_free(schedule);
    return status;
}

wb_status precedence_cycles(const struct makespan_problem *problem, const uint32_t *string,
                            const struct schedule *schedule, uint32_t *cycle_string) {
    struct turn *turns = first_turns(problem);
    if (turns == NULL) return WB_ERR_LIMIT;
    for (uint64_t i = 0; i < problem->instruction_count; i++)
        cycle_string[i] = schedule->cycle[turns[string[i]].next++];
    free(turns);
    return WB_OK;
}
