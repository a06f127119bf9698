#include "makespan/anneal_start.h"

#include <stdlib.h>

enum anneal_start anneal_start_of(uint32_t instance) {
    return (enum anneal_start)(instance % ANNEAL_STARTS);
}

const char *anneal_start_name(enum anneal_start start) {
    static const char *const names[ANNEAL_STARTS] = {"round-robin", "fixed-priority", "most-pending",
                                                     "random"};
    return names[start];
}

/* 1 2 .. W, 1 2 .. W, ..: warps of shorter strings drop out when they have had all their turns. */
static void round_robin(const struct makespan_problem *problem, uint32_t *string) {
    uint64_t written = 0;
    for (uint32_t i = 0; written < problem->instruction_count; i++) {
        uint32_t warp = 0;
        for (uint32_t g = 0; g < problem->group_count; g++) {
            const struct string_group *group = &problem->groups[g];
            for (uint32_t w = 0; i < group->length && w < group->warps; w++)
                string[written++] = warp + w;
            warp += group->warps;
        }
    }
}

/* 1 1 .. 1, 2 2 .. 2, ..: all of a warp before the next. */
static void fixed_priority(const struct makespan_problem *problem, uint32_t *string) {
    uint32_t warp = 0;
    for (uint32_t g = 0; g < problem->group_count; g++)
        for (uint32_t w = 0; w < problem->groups[g].warps; w++, warp++)
            for (uint32_t i = 0; i < problem->groups[g].length; i++)
                *string++ = warp;
}

/* Every order of the identifiers with the same probability. */
static void shuffle(const struct makespan_problem *problem, struct random_state *random, uint32_t *string) {
    fixed_priority(problem, string);
    for (uint64_t i = problem->instruction_count; i > 1; i--) {
        uint64_t other = random_below(random, i);
        uint32_t warp = string[i - 1];
        string[i - 1] = string[other];
        string[other] = warp;
    }
}

/* A warp in the list of Fig. 8. */
struct pending {
    uint32_t position; /* of its next instruction */
    uint32_t behind;   /* the next warp in the list that waits for the same unit type; NOBODY: none */
    uint64_t ticket;   /* grows along the list */
};

#define NOBODY UINT32_MAX

/* The list of Fig. 8, as one queue per unit type: a warp that executes goes to the end of the list, so each
 * queue stays in the order of the list, and the first of the list that can execute is the head of a queue. */
struct pending_list {
    struct pending *warps;
    uint32_t head[UNIT_TYPES], tail[UNIT_TYPES];
    uint64_t tickets; /* given out so far */
};

/* Puts a warp at the end of the list. */
static void append_pending(const struct makespan_problem *problem, struct pending_list *list, uint32_t warp) {
    struct pending *pending = &list->warps[warp];
    uint32_t unit = problem->unit[pending->position];
    pending->ticket = list->tickets++;
    pending->behind = NOBODY;
    if (list->head[unit] == NOBODY)
        list->head[unit] = warp;
    else
        list->warps[list->tail[unit]].behind = warp;
    list->tail[unit] = warp;
}

/* The unit type whose first warp stands first in the list, of those with places left and among warps whose
 * ticket is below `end`; UNIT_TYPES when nobody can execute. */
static uint32_t first_served(const struct pending_list *list, const uint32_t left[UNIT_TYPES], uint64_t end) {
    uint32_t served = UNIT_TYPES;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        if (left[unit] == 0 || list->head[unit] == NOBODY) continue;
        uint64_t ticket = list->warps[list->head[unit]].ticket;
        if (ticket >= end) continue;
        end = ticket;
        served = unit;
    }
    return served;
}

/* One cycle of Fig. 8: reads the list as it stands at the start of the cycle from its head to its end. */
static uint32_t *pending_cycle(const struct makespan_problem *problem, struct pending_list *list,
                               uint32_t *string) {
    uint32_t left[UNIT_TYPES];
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        left[unit] = problem->capacity[unit];
    uint64_t end = list->tickets;
    for (uint32_t issued = 0; issued < problem->issue_limit; issued++) {
        uint32_t unit = first_served(list, left, end);
        if (unit == UNIT_TYPES) break;
        uint32_t warp = list->head[unit];
        list->head[unit] = list->warps[warp].behind;
        left[unit]--;
        *string++ = warp;
        if (!problem->last[list->warps[warp].position++]) append_pending(problem, list, warp);
    }
    return string;
}

/* "Most pending warp executes first": Fig. 8. */
static wb_status most_pending(const struct makespan_problem *problem, uint32_t *string) {
    struct pending_list list = {.head = {NOBODY, NOBODY, NOBODY, NOBODY}};
    list.warps = calloc(problem->warp_count, sizeof *list.warps);
    if (list.warps == NULL) return WB_ERR_LIMIT;
    uint32_t warp = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        for (uint32_t w = 0; w < problem->groups[g].warps; w++, warp++) {
            list.warps[warp].position = problem->groups[g].first;
            append_pending(problem, &list, warp);
        }
    }
    const uint32_t *end = string + problem->instruction_count;
    while (string < end)
        string = pending_cycle(problem, &list, string);
    free(list.warps);
    return WB_OK;
}

wb_status anneal_start_string(const struct makespan_problem *problem, enum anneal_start start,
                              struct random_state *random, uint32_t *string) {
    switch (start) {
    case START_ROUND_ROBIN: round_robin(problem, string); break;
    case START_FIXED_PRIORITY: fixed_priority(problem, string); break;
    case START_MOST_PENDING: return most_pending(problem, string);
    default: shuffle(problem, random, string);
    }
    return WB_OK;
}
