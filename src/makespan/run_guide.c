#include "makespan/run_guide.h"

#include <stdlib.h>

/* Knots are so far apart; the last cell of an axis is one, too. */
#define KNOT_STEP 8u

/* A composition's box, as planes of rows and columns. */
struct box_planes {
    uint64_t planes;
    uint32_t last_row;
    uint32_t last_column;
};

/* The last cell of an axis, counted from the innermost; 0 where there are not so many. */
static uint32_t slack_of_axis(const struct run_layout *layout, const struct composition *composition,
                              uint32_t from_innermost) {
    if (from_innermost >= layout->axis_count) return 0;
    uint32_t j = layout->axes[layout->axis_count - 1 - from_innermost];
    return run_slack(&layout->runs->items[j], composition->in_run[j]);
}

static struct box_planes planes_of(const struct run_layout *layout, const struct composition *composition) {
    struct box_planes box = {.planes = 1,
                             .last_row = slack_of_axis(layout, composition, 1),
                             .last_column = slack_of_axis(layout, composition, 0)};
    for (uint32_t axis = 2; axis < layout->axis_count; axis++)
        box.planes *= 1 + (uint64_t)slack_of_axis(layout, composition, axis);
    return box;
}

/* How many knots an axis has whose last cell is `last`. */
static uint64_t knots_of(uint32_t last) {
    return 1 + (uint64_t)(last + KNOT_STEP - 1) / KNOT_STEP;
}

static uint64_t composition_knots(const struct run_layout *layout, const struct composition *composition) {
    if (composition->warps <= layout->graded_warps) return 0;
    struct box_planes box = planes_of(layout, composition);
    return box.planes * knots_of(box.last_row) * knots_of(box.last_column);
}

/* Where the knots of each composition begin, in `offset` unless it is NULL. Returns their number. */
static uint64_t place_knots(struct run_layout *layout, uint64_t *offset) {
    uint64_t knots = 0;
    for (uint64_t number = 0; number < layout->composition_count && layout_goes_on(layout, number);
         number++) {
        struct composition composition;
        composition_at(layout, number, &composition);
        if (offset != NULL) offset[number] = knots;
        knots += composition_knots(layout, &composition);
    }
    return knots;
}

uint64_t run_guide_size(struct run_layout *layout) {
    return layout->composition_count * sizeof(uint64_t) + place_knots(layout, NULL) * sizeof(int16_t);
}

wb_status run_guide_make(struct run_layout *layout, struct run_guide *guide) {
    *guide = (struct run_guide){.offset = calloc(layout->composition_count, sizeof *guide->offset)};
    if (guide->offset == NULL) return WB_ERR_LIMIT;
    guide->knot_count = place_knots(layout, guide->offset);
    guide->knots = calloc(guide->knot_count + 1, sizeof *guide->knots); /* there may be none */
    return guide->knots == NULL ? WB_ERR_LIMIT : WB_OK;
}

void run_guide_free(struct run_guide *guide) {
    free(guide->offset);
    free(guide->knots);
    *guide = (struct run_guide){0};
}

/* The cell of an axis at which its knot is. */
static uint32_t knot_cell(uint64_t knot, uint32_t last) {
    return knot * KNOT_STEP < last ? (uint32_t)knot * KNOT_STEP : last;
}

void run_guide_keep(const struct run_guide *guide, const struct run_layout *layout,
                    const struct composition *composition, const int16_t *cells) {
    struct box_planes box = planes_of(layout, composition);
    int16_t *to = guide->knots + guide->offset[composition->number];
    uint64_t columns = 1 + (uint64_t)box.last_column;
    for (uint64_t plane = 0; plane < box.planes; plane++, cells += (1 + (uint64_t)box.last_row) * columns)
        for (uint64_t row = 0; row < knots_of(box.last_row); row++)
            for (uint64_t column = 0; column < knots_of(box.last_column); column++)
                *to++ = cells[knot_cell(row, box.last_row) * columns + knot_cell(column, box.last_column)];
}

/* A cell of an axis between two knots, or at the first of them. */
struct between {
    uint64_t knot;
    uint32_t part; /* of `whole` on the way to the next knot */
    uint32_t whole;
};

static struct between place_between(uint32_t cell, uint32_t last) {
    struct between place = {.knot = cell / KNOT_STEP, .part = cell % KNOT_STEP, .whole = KNOT_STEP};
    uint32_t start = knot_cell(place.knot, last);
    if (start < last && last - start < KNOT_STEP) place.whole = last - start;
    return place;
}

/* The estimate on the line between a knot and the next, times place->whole. */
static uint32_t on_line(const int16_t *knots, const struct between *place) {
    uint32_t value = (uint32_t)knots[place->knot] * (place->whole - place->part);
    if (place->part > 0) value += (uint32_t)knots[place->knot + 1] * place->part;
    return value;
}

uint32_t run_guide_estimate(const struct run_guide *guide, const struct run_layout *layout,
                            const struct composition *composition, const uint32_t *slack) {
    struct box_planes box = planes_of(layout, composition);
    uint32_t cell[LAYOUT_RUNS_MAX + 2] = {0}; /* by axis; also where there are less than two */
    uint64_t plane = 0;
    for (uint32_t a = 0; a < layout->axis_count; a++) {
        uint32_t from_innermost = layout->axis_count - 1 - a;
        cell[from_innermost] = slack[layout->axes[a]];
        if (from_innermost >= 2)
            plane = plane * (1 + (uint64_t)slack_of_axis(layout, composition, from_innermost)) +
                    cell[from_innermost];
    }
    struct between row = place_between(cell[1], box.last_row);
    struct between column = place_between(cell[0], box.last_column);
    uint64_t columns = knots_of(box.last_column);
    const int16_t *knots = guide->knots + guide->offset[composition->number] +
                           (plane * knots_of(box.last_row) + row.knot) * columns;
    uint32_t value = on_line(knots, &column) * (row.whole - row.part);
    if (row.part > 0) value += on_line(knots + columns, &column) * row.part;
    uint32_t whole = row.whole * column.whole;
    return (value + whole / 2) / whole;
}
