#include "wings/makespan/states/serve_choice.h"
#include "base/cycles.h"

void serve_choice_make(const struct makespan_problem *problem, uint32_t room, struct arena *arena,
                       struct serve_choice *choice) {
    *choice = (struct serve_choice){.problem = problem, .room = room};
    choice->places = arena_array(arena, room, sizeof *choice->places);
}

uint32_t serve_choice_most(const struct makespan_problem *problem) {
    uint64_t room = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (problem_uses(problem, unit)) room += problem->capacity[unit];
    if (room > problem->issue_limit) room = problem->issue_limit;
    return room < problem->warp_count ? (uint32_t)room : problem->warp_count;
}

/* The fewest warps the place must serve so that the places behind it can serve what is then left. */
static uint32_t fewest(const struct serve_choice *choice, const struct serve_place *place) {
    uint64_t behind = place->behind[place->unit];
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (unit != place->unit) behind += u32_min(choice->unit_left[unit], place->behind[unit]);
    return choice->issue_left > behind ? (uint32_t)(choice->issue_left - behind) : 0;
}

static void serve(struct serve_choice *choice, struct serve_place *place, uint32_t warps) {
    place->served += warps;
    choice->unit_left[place->unit] -= warps;
    choice->issue_left -= warps;
}

/* Lets the places from `index` on serve as few as they must. */
static void serve_fewest(struct serve_choice *choice, uint32_t index) {
    for (; index < choice->count; index++) {
        struct serve_place *place = &choice->places[index];
        place->served = 0;
        serve(choice, place, fewest(choice, place));
    }
}

void serve_choice_first(struct serve_choice *choice) {
    uint32_t ready[UNIT_TYPES] = {0};
    for (uint32_t i = choice->count; i-- > 0;) {
        struct serve_place *place = &choice->places[i];
        for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
            place->behind[unit] = ready[unit];
        ready[place->unit] += place->warps;
    }
    choice->issues = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        choice->unit_left[unit] = u32_min(ready[unit], choice->problem->capacity[unit]);
        choice->issues += choice->unit_left[unit];
    }
    choice->issues = u32_min(choice->issues, choice->problem->issue_limit);
    choice->issue_left = choice->issues;
    serve_fewest(choice, 0);
}

bool serve_choice_next(struct serve_choice *choice) {
    for (uint32_t i = choice->count; i-- > 0;) {
        struct serve_place *place = &choice->places[i];
        bool more =
            place->served < place->warps && choice->unit_left[place->unit] > 0 && choice->issue_left > 0;
        if (more) {
            serve(choice, place, 1);
            serve_fewest(choice, i + 1);
            return true;
        }
        choice->unit_left[place->unit] += place->served;
        choice->issue_left += place->served;
        place->served = 0;
    }
    return false;
}
