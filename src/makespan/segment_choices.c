#include "makespan/segment_choices.h"

#include <stdlib.h>

#include "makespan/serve_choice.h"

/* No more classes, and ways of all classes: more would not be worked off in time. */
#define CLASSES_MAX 100000u
#define WAYS_MAX 100000u

/* The numbers of warps that count at each place. False: too many classes. */
static bool count_classes(const struct segment_abstraction *abstraction, struct segment_choices *choices) {
    const struct makespan_problem *problem = abstraction->problem;
    choices->class_count = 1;
    for (uint32_t i = 0; i < abstraction->place_count; i++) {
        const struct segment_place *place = &abstraction->places[i];
        uint32_t room = problem->capacity[place->unit];
        uint32_t warps = problem->groups[place->group].warps;
        choices->radix[i] = (room < warps ? room : warps) + 1;
        choices->class_count *= choices->radix[i];
        if (choices->class_count > CLASSES_MAX) return false;
    }
    return true;
}

/* Adds the way in which moves[m] warps make move m. */
static wb_status add_way(const struct segment_abstraction *abstraction, const uint32_t *moves,
                         struct segment_choices *choices) {
    struct segment_cycle way = {.issues = 0};
    for (size_t m = 0; m < abstraction->moves.count; m++) {
        if (moves[m] == 0) continue;
        const struct segment_move *move = &abstraction->moves.items[m];
        const struct segment_place *from = &abstraction->places[move->from];
        int32_t warps = (int32_t)moves[m];
        way.change[move->from] -= warps;
        if (move->to != SEGMENT_OUT) way.change[move->to] += warps;
        way.executed[from->counter] += warps;
        way.issues += moves[m];
        for (uint32_t d = 0; d < abstraction->direction_count; d++)
            way.correction[d] += warps * (move->reach[d] - from->reach[d]);
    }
    return vec_push(&choices->ways, way);
}

/* Divides the served warps of each place among its moves in the next way; false when there is none. At first
 * all make the place's first move. */
static bool next_division(const struct segment_abstraction *abstraction, uint32_t *moves) {
    for (uint32_t i = 0; i < abstraction->place_count; i++) {
        const struct segment_place *place = &abstraction->places[i];
        uint32_t *of_place = moves + place->first_move;
        uint32_t last = place->move_count - 1;
        uint32_t m = 0; /* the first move that some make */
        while (m < last && of_place[m] == 0)
            m++;
        uint32_t warps = of_place[m];
        of_place[m] = 0;
        if (m < last && warps > 0) {
            of_place[0] = warps - 1;
            of_place[m + 1]++;
            return true;
        }
        of_place[0] = warps;
    }
    return false;
}

/* Adds all ways of a class: who is served, and what the served do. `moves` has an item for each move. */
static wb_status add_class(const struct segment_abstraction *abstraction, struct serve_choice *serve,
                           uint32_t *moves, struct segment_choices *choices) {
    if (serve->count == 0) return WB_OK;
    serve_choice_first(serve);
    do {
        for (size_t m = 0; m < abstraction->moves.count; m++)
            moves[m] = 0;
        for (uint32_t i = 0; i < serve->count; i++)
            moves[abstraction->places[serve->places[i].at].first_move] = serve->places[i].served;
        do
            WB_TRY(add_way(abstraction, moves, choices));
        while (choices->ways.count <= WAYS_MAX && next_division(abstraction, moves));
    } while (choices->ways.count <= WAYS_MAX && serve_choice_next(serve));
    return WB_OK;
}

static wb_status add_classes(const struct segment_abstraction *abstraction, struct serve_choice *serve,
                             uint32_t *moves, struct segment_choices *choices) {
    for (size_t class = 0; class < choices->class_count; class ++) {
        choices->first[class] = choices->ways.count;
        serve_choice_clear(serve);
        size_t rest = class;
        for (uint32_t i = 0; i < abstraction->place_count; i++) {
            uint32_t warps = (uint32_t)(rest % choices->radix[i]);
            rest /= choices->radix[i];
            if (warps > 0) serve_choice_add(serve, i, abstraction->places[i].unit, warps);
        }
        WB_TRY(add_class(abstraction, serve, moves, choices));
        if (choices->ways.count > WAYS_MAX) return WB_OK;
    }
    choices->first[choices->class_count] = choices->ways.count;
    return WB_OK;
}

wb_status segment_choices_make(const struct segment_abstraction *abstraction, struct segment_choices *choices,
                               bool *fits) {
    *choices = (struct segment_choices){.class_count = 0};
    *fits = count_classes(abstraction, choices);
    if (!*fits) return WB_OK;
    choices->first = calloc(choices->class_count + 1, sizeof *choices->first);
    uint32_t *moves = calloc(abstraction->moves.count, sizeof *moves);
    struct serve_choice serve = {0};
    wb_status status = choices->first == NULL || moves == NULL ? WB_ERR_LIMIT : WB_OK;
    if (status == WB_OK) status = serve_choice_make(abstraction->problem, abstraction->place_count, &serve);
    if (status == WB_OK) status = add_classes(abstraction, &serve, moves, choices);
    *fits = choices->ways.count <= WAYS_MAX;
    serve_choice_free(&serve);
    free(moves);
    return status;
}

void segment_choices_free(struct segment_choices *choices) {
    free(choices->first);
    vec_free(&choices->ways);
    *choices = (struct segment_choices){.class_count = 0};
}

size_t segment_class(const struct segment_abstraction *abstraction, const struct segment_choices *choices,
                     const uint32_t *warps) {
    size_t class = 0;
    for (uint32_t i = abstraction->place_count; i-- > 0;) {
        uint32_t most = choices->radix[i] - 1;
        class = class * choices->radix[i] + (warps[i] < most ? warps[i] : most);
    }
    return class;
}
