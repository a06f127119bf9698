#include "makespan/stayers.h"

#include <stdlib.h>

wb_status stayers_make(const struct run_list *runs, struct stayers *stayers) {
    *stayers = (struct stayers){.places = calloc(runs->problem->position_count, sizeof *stayers->places)};
    return stayers->places == NULL ? WB_ERR_LIMIT : WB_OK;
}

void stayers_free(struct stayers *stayers) {
    free(stayers->places);
    *stayers = (struct stayers){0};
}

/* Lets the places from `index` on serve as few as they must. */
static void serve_fewest(struct stayers *stayers, uint32_t index) {
    for (; index < stayers->count; index++) {
        struct stayer_place *place = &stayers->places[index];
        uint32_t *left = &stayers->left[place->run];
        place->served = *left > place->behind ? *left - place->behind : 0;
        *left -= place->served;
    }
}

void stayers_first(const struct run_list *runs, const uint16_t *counts, const uint32_t *stay,
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

bool stayers_next(struct stayers *stayers) {
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
