#include "wings/makespan/anneal/precedence_string.h"

#include <assert.h>

#include "wings/makespan/method/closed.h"

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

/* All warps before their first instruction. */
static struct turn *first_turns(const struct makespan_problem *problem, struct arena *arena) {
    struct turn *turns = arena_array(arena, problem->warp_count, sizeof *turns);
    struct turn *turn = turns;
    uint64_t next = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t w = 0; w < group->warps; w++, next += group->length)
            *turn++ = (struct turn){group->first, 1, next};
    }
    assert(turn == turns + problem->warp_count && next == problem->instruction_count);
    return turns;
}

/* Cycles 1 to `last`, all empty. */
static struct places places_make(const struct makespan_problem *problem, uint64_t last, struct arena *arena) {
    struct places places = {.unit = arena_array(arena, last + 1, sizeof *places.unit),
                            .next = arena_array(arena, last + 1, sizeof *places.next),
                            .issue = arena_array(arena, last + 1, sizeof *places.issue)};
    for (uint64_t t = 0; t <= last; t++) {
        for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
            places.unit[t][unit] = problem->capacity[unit];
            places.next[t][unit] = (uint32_t)t;
        }
        places.issue[t] = problem->issue_limit;
    }
    return places;
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

bool precedence_schedule(const struct makespan_problem *problem, const uint32_t *string,
                         bool (*goes_on)(void *user), void *user, struct arena *arena,
                         struct schedule *schedule) {
    if (schedule->cycle == NULL) schedule_make(problem, arena, schedule);
    schedule->makespan = 0;
    const uint64_t longest = closed_bound(problem);
    struct places places = places_make(problem, longest, arena);
    struct turn *turns = first_turns(problem, arena);
    for (uint64_t i = 0; i < problem->instruction_count; i++) {
        assert(string[i] < problem->warp_count);
        struct turn *turn = &turns[string[i]];
        uint32_t cycle = place(problem, &places, turn);
        schedule->cycle[turn->next++] = cycle;
        if (cycle > schedule->makespan) schedule->makespan = cycle;
        const bool asks = goes_on != NULL && (i + 1) % PLACED_BETWEEN_POLLS == 0;
        if (asks && !goes_on(user)) return false;
    }
    assert(schedule->makespan <= longest);
    return true;
}

void precedence_cycles(const struct makespan_problem *problem, const uint32_t *string,
                       const struct schedule *schedule, struct arena *arena, uint32_t *cycle_string) {
    struct turn *turns = first_turns(problem, arena);
    for (uint64_t i = 0; i < problem->instruction_count; i++)
        cycle_string[i] = schedule->cycle[turns[string[i]].next++];
}

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
static void most_pending(const struct makespan_problem *problem, struct arena *arena, uint32_t *string) {
    struct pending_list list = {.head = {NOBODY, NOBODY, NOBODY, NOBODY}};
    list.warps = arena_array(arena, problem->warp_count, sizeof *list.warps);
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
    assert(string == end);
}

void anneal_start_string(const struct makespan_problem *problem, enum anneal_start start,
                         struct random_state *random, struct arena *arena, uint32_t *string) {
    switch (start) {
    case START_ROUND_ROBIN: round_robin(problem, string); break;
    case START_FIXED_PRIORITY: fixed_priority(problem, string); break;
    case START_MOST_PENDING: most_pending(problem, arena, string); break;
    default: shuffle(problem, random, string);
    }
}
