/* A schedule as a table like Fig. 2 of ECRTS'12. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/makespan/makespan.h"

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

/* A schedule as a picture: a row per warp, a column per cycle, a coloured cell with a letter per instruction.
 */

/* The layout, in pixels. */
enum { CELL = 16, LEFT = 72, TOP = 56, BELOW = 40, NUMBER_STEP = 5, LEGEND_STEP = 170 };

/* By unit type: colours of Okabe and Ito that carry dark text. */
static const char *const fills[UNIT_TYPES] = {"#56b4e9", "#e69f00", "#009e73", "#cc79a7"};
static const char *const unit_names[UNIT_TYPES] = {"load/store", "CUDA core", "special function",
                                                   "double precision"};

static uint64_t cell_x(uint32_t cycle) {
    return LEFT + (uint64_t)(cycle - 1) * CELL;
}

/* Numbers above the columns and a line under each of them. */
static void put_columns(struct text *out, uint32_t makespan, uint64_t height) {
    for (uint32_t t = 1; t <= makespan; t++) {
        if (t != 1 && t % NUMBER_STEP != 0) continue;
        text_printf(out, "<text x=\"%" PRIu64 "\" y=\"%d\" text-anchor=\"middle\">%u</text>\n",
                    cell_x(t) + CELL / 2, TOP - 8, t);
        text_printf(out,
                    "<line x1=\"%" PRIu64 "\" y1=\"%d\" x2=\"%" PRIu64 "\" y2=\"%" PRIu64
                    "\" stroke=\"#ddd\"/>\n",
                    cell_x(t) + CELL / 2, TOP, cell_x(t) + CELL / 2, TOP + height);
    }
}

static void put_cell(struct text *out, uint64_t x, uint64_t y, uint32_t unit) {
    text_printf(out,
                "<rect x=\"%" PRIu64 "\" y=\"%" PRIu64 "\" width=\"%d\" height=\"%d\" fill=\"%s\" "
                "stroke=\"#fff\"/>"
                "<text x=\"%" PRIu64 "\" y=\"%" PRIu64 "\" text-anchor=\"middle\">%c</text>\n",
                x, y, CELL, CELL, fills[unit], x + CELL / 2, y + CELL - 4, UNIT_LETTERS[unit]);
}

static void put_row(struct text *out, const struct makespan_problem *problem,
                    const struct string_group *group, uint32_t warp, const uint32_t *cycle) {
    uint64_t y = TOP + (uint64_t)warp * CELL;
    text_printf(out, "<text x=\"%d\" y=\"%" PRIu64 "\" text-anchor=\"end\">warp %u</text>\n", LEFT - 8,
                y + CELL - 4, warp + 1);
    for (uint32_t i = 0; i < group->length; i++)
        put_cell(out, cell_x(cycle[i]), y, problem->unit[group->first + i]);
}

static void put_legend(struct text *out, const struct makespan_problem *problem, uint64_t y) {
    uint64_t x = LEFT;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        if (!problem_uses(problem, unit)) continue;
        put_cell(out, x, y, unit);
        text_printf(out, "<text x=\"%" PRIu64 "\" y=\"%" PRIu64 "\">%s: %u a cycle</text>\n", x + CELL + 6,
                    y + CELL - 4, unit_names[unit], problem->capacity[unit]);
        x += LEGEND_STEP;
    }
}

void witness_svg(struct text *out, const struct makespan_problem *problem, const struct schedule *schedule) {
    uint64_t rows = (uint64_t)problem->warp_count * CELL;
    uint64_t columns = (uint64_t)schedule->makespan * CELL;
    uint64_t legend = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        legend += problem_uses(problem, unit) ? LEGEND_STEP : 0;
    uint64_t width = LEFT + (columns < legend ? legend : columns) + 16;
    uint64_t height = TOP + rows + BELOW;
    text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %" PRIu64 " %" PRIu64 "\" width=\"%" PRIu64
        "\" height=\"%" PRIu64 "\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222\">\n"
        "<rect width=\"%" PRIu64 "\" height=\"%" PRIu64 "\" fill=\"#fff\"/>\n"
        "<text x=\"%d\" y=\"20\" font-size=\"14\" font-weight=\"bold\">A schedule of %u cycles</text>\n",
        width, height, width, height, width, height, LEFT, schedule->makespan);
    put_columns(out, schedule->makespan, rows);
    const uint32_t *cycle = schedule->cycle;
    uint32_t warp = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t w = 0; w < group->warps; w++, cycle += group->length)
            put_row(out, problem, group, warp++, cycle);
    }
    put_legend(out, problem, TOP + rows + 12);
    text_string(out, "</svg>\n");
}
