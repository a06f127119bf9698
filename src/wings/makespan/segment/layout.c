#include "wings/makespan/segment/layout.h"

#include <assert.h>

#include "wings/makespan/states/multiset_rank.h"
#include "wings/makespan/states/serve_choice.h"

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
static void add_way(const struct segment_abstraction *abstraction, const uint32_t *moves, struct arena *arena,
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
    arena_push(arena, &choices->ways, way);
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
static void add_class(const struct segment_abstraction *abstraction, struct serve_choice *serve,
                      uint32_t *moves, struct arena *arena, struct segment_choices *choices) {
    if (serve->count == 0) return;
    serve_choice_first(serve);
    do {
        for (size_t m = 0; m < abstraction->moves.count; m++)
            moves[m] = 0;
        for (uint32_t i = 0; i < serve->count; i++)
            moves[abstraction->places[serve->places[i].at].first_move] = serve->places[i].served;
        do
            add_way(abstraction, moves, arena, choices);
        while (choices->ways.count <= WAYS_MAX && next_division(abstraction, moves));
    } while (choices->ways.count <= WAYS_MAX && serve_choice_next(serve));
}

static void add_classes(const struct segment_abstraction *abstraction, struct arena *arena,
                        struct segment_choices *choices) {
    struct serve_choice serve;
    serve_choice_make(abstraction->problem, abstraction->place_count, arena, &serve);
    uint32_t *moves = arena_array(arena, abstraction->moves.count, sizeof *moves);
    for (size_t class = 0; class < choices->class_count; class ++) {
        choices->first[class] = choices->ways.count;
        serve_choice_clear(&serve);
        size_t rest = class;
        for (uint32_t i = 0; i < abstraction->place_count; i++) {
            uint32_t warps = (uint32_t)(rest % choices->radix[i]);
            rest /= choices->radix[i];
            if (warps > 0) serve_choice_add(&serve, i, abstraction->places[i].unit, warps);
        }
        add_class(abstraction, &serve, moves, arena, choices);
        if (choices->ways.count > WAYS_MAX) return;
    }
    choices->first[choices->class_count] = choices->ways.count;
}

bool segment_choices_make(const struct segment_abstraction *abstraction, struct arena *arena,
                          struct segment_choices *choices) {
    *choices = (struct segment_choices){.class_count = 0};
    if (!count_classes(abstraction, choices)) return false;
    choices->first = arena_array(arena, choices->class_count + 1, sizeof *choices->first);
    add_classes(abstraction, arena, choices);
    return choices->ways.count <= WAYS_MAX;
}

/* The class of cells with these warps at the places. */
static size_t segment_class(const struct segment_abstraction *abstraction,
                            const struct segment_choices *choices, const uint32_t *warps) {
    size_t class = 0;
    for (uint32_t i = abstraction->place_count; i-- > 0;) {
        uint32_t most = choices->radix[i] - 1;
        class = class * choices->radix[i] + (warps[i] < most ? warps[i] : most);
    }
    return class;
}

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
static void lay_group(struct segment_layout *layout, uint32_t group, uint64_t *steps, struct arena *arena) {
    const struct segment_abstraction *abstraction = layout->abstraction;
    struct place_range range = places_of(abstraction, group);
    uint64_t stride = count_compositions(abstraction, group);
    struct multiset_rank rank;
    multiset_rank_make(range.count, abstraction->problem->groups[group].warps, arena, &rank);
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

bool segment_layout_make(const struct segment_abstraction *abstraction, const struct segment_choices *choices,
                         struct arena *arena, struct segment_layout *layout) {
    const struct makespan_problem *problem = abstraction->problem;
    *layout = (struct segment_layout){.abstraction = abstraction, .choices = choices};
    layout->composition_count = (uint32_t)count_compositions(abstraction, problem->group_count);
    if (layout->composition_count == 0) return false;
    size_t warps = (size_t)layout->composition_count * abstraction->place_count;
    layout->steps = arena_array(arena, count_steps(abstraction, problem->group_count), sizeof *layout->steps);
    layout->boxes = arena_array(arena, layout->composition_count, sizeof *layout->boxes);
    layout->warps = arena_array(arena, warps, sizeof *layout->warps);
    for (uint32_t g = 0; g < problem->group_count; g++)
        lay_group(layout, g, layout->steps + count_steps(abstraction, g), arena);
    return make_boxes(layout);
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
    assert(number < layout->composition_count);
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
