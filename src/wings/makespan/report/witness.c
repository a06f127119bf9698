/* A schedule of a makespan problem: as a table like Fig. 2 of ECRTS'12, a row per warp, a column per cycle,
 * letters in the cells; and as a picture of the same. */
#include <assert.h>
#include <inttypes.h>

#include "report/write/svg.h"
#include "wings/makespan/report/witness.h"

/* Schedules with fewer cycles have a number above every column of the table; others have a ruler. */
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

/* The layout of the picture, in pixels. */
enum { CELL = 16, LEFT = 72, TOP = 56, BELOW = 40, NUMBER_STEP = 5, LEGEND_STEP = 170 };

/* By unit type: colours of Okabe and Ito that carry dark text. */
static const char *const fills[UNIT_TYPES] = {"#56b4e9", "#e69f00", "#009e73", "#cc79a7"};
static const char *const unit_names[UNIT_TYPES] = {"load/store", "CUDA core", "special function",
                                                   "double precision"};

/* Cycles count from 1. */
static int64_t cell_x(uint32_t cycle) {
    assert(cycle >= 1);
    return LEFT + (int64_t)(cycle - 1) * CELL;
}

/* Numbers above the columns and a line under each of them. */
static void put_columns(struct text *out, uint32_t makespan, int64_t height) {
    for (uint32_t t = 1; t <= makespan; t++) {
        if (t != 1 && t % NUMBER_STEP != 0) continue;
        const int64_t x = cell_x(t) + CELL / 2;
        svg_text(out, x, TOP - 8, SVG_MIDDLE);
        text_printf(out, "%u", t);
        svg_text_end(out);
        svg_line(out, x, TOP, x, TOP + height, SVG_PALE);
    }
}

static void put_cell(struct text *out, int64_t x, int64_t y, uint32_t unit) {
    text_printf(out,
                "<rect x=\"%" PRId64 "\" y=\"%" PRId64
                "\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#fff\"/>",
                x, y, CELL, CELL, fills[unit]);
    svg_text(out, x + CELL / 2, y + CELL - 4, SVG_MIDDLE);
    text_char(out, UNIT_LETTERS[unit]);
    svg_text_end(out);
}

static void put_row(struct text *out, const struct makespan_problem *problem,
                    const struct string_group *group, uint32_t warp, const uint32_t *cycle) {
    const int64_t y = TOP + (int64_t)warp * CELL;
    svg_text(out, LEFT - 8, y + CELL - 4, SVG_END);
    text_printf(out, "warp %u", warp + 1);
    svg_text_end(out);
    for (uint32_t i = 0; i < group->length; i++)
        put_cell(out, cell_x(cycle[i]), y, problem->unit[group->first + i]);
}

static void put_legend(struct text *out, const struct makespan_problem *problem, int64_t y) {
    int64_t x = LEFT;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        if (!problem_uses(problem, unit)) continue;
        put_cell(out, x, y, unit);
        svg_text(out, x + CELL + 6, y + CELL - 4, "");
        text_printf(out, "%s: %u a cycle", unit_names[unit], problem->capacity[unit]);
        svg_text_end(out);
        x += LEGEND_STEP;
    }
}

void witness_svg(struct text *out, const struct makespan_problem *problem, const struct schedule *schedule) {
    const int64_t rows = (int64_t)problem->warp_count * CELL, columns = (int64_t)schedule->makespan * CELL;
    int64_t legend = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        legend += problem_uses(problem, unit) ? LEGEND_STEP : 0;
    svg_begin(out, LEFT + (columns < legend ? legend : columns) + 16, TOP + rows + BELOW, 11);
    svg_text(out, LEFT, 20, SVG_TITLE);
    text_printf(out, "A schedule of %u cycles", schedule->makespan);
    svg_text_end(out);
    put_columns(out, schedule->makespan, rows);
    const uint32_t *cycle = schedule->cycle;
    uint32_t warp = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t w = 0; w < group->warps; w++, cycle += group->length)
            put_row(out, problem, group, warp++, cycle);
    }
    put_legend(out, problem, TOP + rows + 12);
    svg_end(out);
}
