#include "makespan/segment_layout.h"

#include <stdlib.h>

#include "makespan/multiset_rank.h"

#define COMPOSITIONS_MAX 1000000u

/* No composition has more rows in a layer. */
#define ROWS_MAX 100000000u

/* A row of this many cells takes twice the time of an empty one. */
#define CELLS_PER_ROW_COST 2000.0

/* The places of one group stand together. */
struct place_range {
    uint32_t first;
    uint32_t count;
};

static struct place_range places_of(const struct segment_abstraction *abstraction, uint32_t group) {
    struct place_range range = {.count = 0};
    for (uint32_t i = abstraction->place_count; i-- > 0;)
        if (abstraction->places[i].group == group) {
            range.first = i;
            range.count++;
        }
    return range;
}

/* The number of all compositions, or of groups from 0 on; 0: too many. */
static uint64_t count_compositions(const struct segment_abstraction *abstraction, uint32_t groups) {
    uint64_t count = 1;
    for (uint32_t g = 0; g < groups; g++) {
        uint64_t more =
            multiset_count(places_of(abstraction, g).count, abstraction->problem->groups[g].warps);
        if (more > COMPOSITIONS_MAX) return 0;
        count *= more;
        if (count > COMPOSITIONS_MAX) return 0;
    }
    return count;
}

/* Fills the steps of a group's places and lists, for every composition, its warps at them. Compositions are
 * numbered with the first group fastest. */
static wb_status lay_group(struct segment_layout *layout, uint32_t group, uint64_t *steps) {
    const struct segment_abstraction *abstraction = layout->abstraction;
    struct place_range range = places_of(abstraction, group);
    uint64_t stride = count_compositions(abstraction, group);
    struct multiset_rank rank;
    wb_status status = multiset_rank_make(range.count, abstraction->problem->groups[group].warps, &rank);
    if (status == WB_OK) {
        uint64_t width = (uint64_t)rank.size + 1;
        for (uint32_t i = 0; i < range.count; i++) {
            layout->first_step[range.first + i] = (uint64_t)(steps - layout->steps) + i * width;
            for (uint32_t c = 0; c <= rank.size; c++)
                steps[i * width + c] = multiset_steps(&rank, i)[c] * stride;
        }
        uint64_t row = abstraction->place_count;
        for (uint64_t k = 0; k < layout->composition_count; k++)
            multiset_at(&rank, k / stride % rank.count, layout->warps + k * row + range.first);
    }
    multiset_rank_free(&rank);
    return status;
}

/* The greatest product of a direction with what the warps of a composition have left. */
static int32_t reach_of(const struct segment_abstraction *abstraction, const uint32_t *warps,
                        uint32_t direction) {
    int32_t reach = 0;
    for (uint32_t i = 0; i < abstraction->place_count; i++)
        reach += (int32_t)warps[i] * abstraction->places[i].reach[direction];
    return reach;
}

/* Fills a box. False: it has too many rows. */
static bool make_box(const struct segment_layout *layout, const uint32_t *warps, struct segment_box *box) {
    const struct segment_abstraction *abstraction = layout->abstraction;
    box->first_layer = (uint32_t)-reach_of(abstraction, warps, SEGMENT_SUM_NEGATIVE);
    box->last_layer = (uint32_t)reach_of(abstraction, warps, SEGMENT_SUM);
    box->class = (uint32_t)segment_class(abstraction, layout->choices, warps);
    for (uint32_t i = 0; i < abstraction->place_count; i++)
        box->warps += warps[i];
    uint64_t rows = 1;
    for (uint32_t h = SEGMENT_OUTER; h < abstraction->counter_count; h++) {
        box->low[h] = -reach_of(abstraction, warps, SEGMENT_COUNTER_NEGATIVE(h));
        box->extent[h] = reach_of(abstraction, warps, SEGMENT_COUNTER(h)) - box->low[h] + 1;
        rows *= (uint64_t)box->extent[h];
        if (rows > ROWS_MAX) return false;
    }
    box->rows = (uint32_t)rows;
    return true;
}

/* Rows and ways, each row counted with its cells. */
static double work_of(const struct segment_layout *layout, const uint32_t *warps,
                      const struct segment_box *box) {
    const struct segment_abstraction *abstraction = layout->abstraction;
    size_t ways = layout->choices->first[box->class + 1] - layout->choices->first[box->class];
    double swapped = (double)reach_of(abstraction, warps, SEGMENT_COUNTER(0)) +
                     (double)reach_of(abstraction, warps, SEGMENT_COUNTER_NEGATIVE(0));
    double rows = ((double)box->last_layer - box->first_layer + 1) * box->rows;
    return rows * (double)ways * (1 + swapped / CELLS_PER_ROW_COST);
}

/* Fills all boxes. False: one has too many rows. */
static bool make_boxes(struct segment_layout *layout) {
    for (uint32_t k = 0; k < layout->composition_count; k++) {
        const uint32_t *warps = layout->warps + (size_t)k * layout->abstraction->place_count;
        if (!make_box(layout, warps, &layout->boxes[k])) return false;
        layout->work += work_of(layout, warps, &layout->boxes[k]);
    }
    return true;
}

static uint64_t count_steps(const struct segment_abstraction *abstraction, uint32_t groups) {
    uint64_t count = 0;
    for (uint32_t g = 0; g < groups; g++)
        count += places_of(abstraction, g).count * ((uint64_t)abstraction->problem->groups[g].warps + 1);
    return count;
}

wb_status segment_layout_make(const struct segment_abstraction *abstraction,
                              const struct segment_choices *choices, struct segment_layout *layout,
                              bool *fits) {
    *layout = (struct segment_layout){.abstraction = abstraction, .choices = choices};
    const struct makespan_problem *problem = abstraction->problem;
    layout->composition_count = (uint32_t)count_compositions(abstraction, problem->group_count);
    *fits = layout->composition_count > 0;
    if (!*fits) return WB_OK;
    layout->steps = calloc(count_steps(abstraction, problem->group_count) + 1, sizeof *layout->steps);
    layout->boxes = calloc(layout->composition_count, sizeof *layout->boxes);
    layout->warps =
        calloc((size_t)layout->composition_count * abstraction->place_count, sizeof *layout->warps);
    if (layout->steps == NULL || layout->boxes == NULL || layout->warps == NULL) return WB_ERR_LIMIT;
    for (uint32_t g = 0; g < problem->group_count; g++)
        WB_TRY(lay_group(layout, g, layout->steps + count_steps(abstraction, g)));
    *fits = make_boxes(layout);
    return WB_OK;
}

void segment_layout_free(struct segment_layout *layout) {
    free(layout->steps);
    free(layout->boxes);
    free(layout->warps);
    *layout = (struct segment_layout){.composition_count = 0};
}

uint64_t segment_layout_size(const struct segment_layout *layout) {
    return layout->composition_count *
           (sizeof *layout->boxes + layout->abstraction->place_count * sizeof *layout->warps);
}

uint32_t segment_composition(const struct segment_layout *layout, const uint32_t *warps,
                             const int32_t *change) {
    const struct segment_abstraction *abstraction = layout->abstraction;
    uint64_t number = 0;
    uint32_t cumulative = 0;
    for (uint32_t i = 0; i < abstraction->place_count; i++) {
        if (i > 0 && abstraction->places[i].group != abstraction->places[i - 1].group) cumulative = 0;
        cumulative += warps[i];
        if (change != NULL) cumulative += (uint32_t)change[i];
        number += layout->steps[layout->first_step[i] + cumulative];
    }
    return (uint32_t)number;
}

uint32_t segment_row_index(const struct segment_layout *layout, const struct segment_box *box,
                           const int32_t *left, const int32_t *executed) {
    uint32_t index = 0;
    uint32_t stride = 1;
    for (uint32_t h = SEGMENT_OUTER; h < layout->abstraction->counter_count; h++) {
        int32_t at = left[h] - box->low[h];
        if (executed != NULL) at -= executed[h];
        if (at < 0 || at >= box->extent[h]) return UINT32_MAX;
        index += (uint32_t)at * stride;
        stride *= (uint32_t)box->extent[h];
    }
    return index;
}
