/* A schedule as a table like Fig. 2 of ECRTS'12. */
#include <stdlib.h>
#include <string.h>

#include "report/makespan_report.h"

/* Schedules with fewer cycles have a number above every column; others have a ruler. */
#define NUMBERED_CYCLES 100u

enum { COLUMN_CELLS = 12, RULER_STEP = 10 };

static void put_ruler(struct text *out, uint32_t makespan) {
    text_string(out, "cycle");
    for (uint32_t t = 1; t <= makespan; t++) {
        if (makespan < NUMBERED_CYCLES) {
            if (t == 1) text_pad(out, COLUMN_CELLS - 2);
            text_printf(out, "%3u", t);
        } else if (t == 1 || t % RULER_STEP == 0) {
            text_pad(out, COLUMN_CELLS + t - 1);
            text_printf(out, "%u", t);
        }
    }
    text_char(out, '\n');
}

void witness_text(struct text *out, const struct makespan_problem *problem, const struct schedule *schedule) {
    const uint32_t *cycle = schedule->cycle;
    uint32_t width = schedule->makespan < NUMBERED_CYCLES ? 3 : 1;
    uint32_t number = 1;
    put_ruler(out, schedule->makespan);
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t w = 0; w < group->warps; w++, cycle += group->length) {
            text_printf(out, "warp %u", number++);
            for (uint32_t i = 0; i < group->length; i++) {
                text_pad(out, COLUMN_CELLS + (size_t)(cycle[i] - 1) * width);
                text_char(out, UNIT_LETTERS[problem->unit[group->first + i]]);
            }
            text_char(out, '\n');
        }
    }
}
