#include "makespan/run_moves.h"

#include <string.h>

/* Sets how many of the warps that a run serves leave it. */
static void set_leave(const struct run_list *runs, const struct serve_place *place, uint32_t leave,
                      struct run_moves *moves) {
    uint32_t j = place->at;
    moves->leavers = moves->leavers - moves->leave[j] + leave;
    moves->leave[j] = leave;
    moves->stay[j] = place->served - leave;
    if (!runs->items[j].last) moves->arrive[j + 1] = leave;
}

void run_moves_first(const struct run_list *runs, const struct serve_choice *serve, struct run_moves *moves) {
    size_t size = runs->count * sizeof *moves->leave;
    memset(moves->leave, 0, size);
    memset(moves->arrive, 0, size);
    memset(moves->stay, 0, size);
    moves->leavers = 0;
    for (uint32_t i = 0; i < serve->count; i++)
        set_leave(runs, &serve->places[i], moves->fewest[serve->places[i].at], moves);
}

bool run_moves_next(const struct run_list *runs, const struct serve_choice *serve, struct run_moves *moves) {
    for (uint32_t i = 0; i < serve->count; i++) {
        const struct serve_place *place = &serve->places[i];
        if (moves->leave[place->at] < moves->most[place->at]) {
            set_leave(runs, place, moves->leave[place->at] + 1, moves);
            return true;
        }
        set_leave(runs, place, moves->fewest[place->at], moves);
    }
    return false;
}

void run_moves_target(const struct run_layout *layout, const struct composition *from,
                      const struct run_moves *moves, struct composition *target) {
    const struct run_list *runs = layout->runs;
    target->number = from->number;
    target->level = from->level - moves->leavers;
    target->warps = from->warps;
    uint32_t cumulative = 0;
    for (uint32_t j = 0; j < runs->count; j++) {
        const struct unit_run *run = &runs->items[j];
        cumulative += from->in_run[j];
        target->in_run[j] = from->in_run[j] - moves->leave[j] + moves->arrive[j];
        if (moves->leave[j] > 0) {
            const uint64_t *steps =
                multiset_steps(&layout->rank[run->group], j - layout->first_run[run->group]);
            target->number -=
                layout->stride[run->group] * (steps[cumulative] - steps[cumulative - moves->leave[j]]);
            if (run->last) target->warps -= moves->leave[j];
        }
        if (run->last) cumulative = 0;
    }
}
