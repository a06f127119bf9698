#include "wings/makespan/segment/abstraction.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wings/makespan/strings/problem.h"

/* Which counter the runs of each unit type have, and of a split type the later half of a string's runs. */
struct counter_plan {
    uint32_t of_type[UNIT_TYPES];
    uint32_t of_later_half;
};

/* Numbers the unit types by the work they have, most first. */
static void sort_types(const struct makespan_problem *problem, uint32_t type_at[UNIT_TYPES]) {
    uint64_t work[UNIT_TYPES] = {0};
    for (uint32_t u = 0; u < UNIT_TYPES; u++)
        for (uint32_t g = 0; g < problem->group_count; g++)
            work[u] += problem_unit_count(problem, g, u) * problem->groups[g].warps;
    for (uint32_t u = 0; u < UNIT_TYPES; u++) {
        uint32_t at = u;
        for (; at > 0 && work[type_at[at - 1]] < work[u]; at--)
            type_at[at] = type_at[at - 1];
        type_at[at] = u;
    }
}

/* The types with the most work have counters 0, 1, ..., the others one together. */
static void plan_counters(struct segment_abstraction *abstraction, const struct segment_cut *cut,
                          struct counter_plan *plan) {
    uint32_t type_at[UNIT_TYPES];
    sort_types(abstraction->problem, type_at);
    uint32_t count = 0;
    for (uint32_t i = 0; i < UNIT_TYPES; i++) {
        plan->of_type[type_at[i]] = i < cut->counted_types ? i : cut->counted_types;
        if (problem_uses(abstraction->problem, type_at[i])) count = plan->of_type[type_at[i]] + 1;
    }
    plan->of_later_half = count;
    if (cut->split_type < UNIT_TYPES) count++;
    abstraction->counter_count = count < 2 ? 2 : count;
}

/* The number of the place with these properties, made if there is none; SEGMENT_PLACES_MAX: no room. */
static uint32_t find_place(struct segment_abstraction *abstraction, const struct segment_place *wanted,
                           uint32_t segment, uint32_t segment_of[SEGMENT_PLACES_MAX]) {
    uint32_t i = 0;
    for (; i < abstraction->place_count; i++) {
        const struct segment_place *place = &abstraction->places[i];
        if (segment_of[i] == segment && place->unit == wanted->unit && place->group == wanted->group &&
            place->counter == wanted->counter)
            return i;
    }
    if (i == SEGMENT_PLACES_MAX) return i;
    segment_of[i] = segment;
    abstraction->places[abstraction->place_count++] = *wanted;
    return i;
}

/* Puts the positions of one group's runs into places. False: too many. */
static bool place_group(struct segment_abstraction *abstraction, const struct segment_cut *cut,
                        const struct counter_plan *plan, const struct unit_run *runs, uint32_t run_count) {
    uint32_t segment_of[SEGMENT_PLACES_MAX];
    uint32_t of_type[UNIT_TYPES] = {0};
    uint32_t seen[UNIT_TYPES] = {0};
    for (uint32_t j = 0; j < run_count; j++)
        of_type[runs[j].unit]++;
    for (uint32_t i = 0; i < abstraction->place_count; i++)
        segment_of[i] = UINT32_MAX;
    uint64_t segments = cut->segments < run_count ? cut->segments : run_count;
    for (uint32_t j = 0; j < run_count; j++) {
        struct segment_place wanted = {.unit = runs[j].unit, .group = runs[j].group};
        bool later = 2 * seen[wanted.unit]++ >= of_type[wanted.unit];
        wanted.counter =
            later && wanted.unit == cut->split_type ? plan->of_later_half : plan->of_type[wanted.unit];
        uint32_t segment = (uint32_t)(j * segments / run_count);
        uint32_t place = find_place(abstraction, &wanted, segment, segment_of);
        if (place == SEGMENT_PLACES_MAX) return false;
        for (uint32_t i = 0; i < runs[j].length; i++)
            abstraction->place[runs[j].first + i] = place;
    }
    return true;
}

static bool make_places(struct segment_abstraction *abstraction, const struct segment_cut *cut,
                        const struct run_list *runs) {
    struct counter_plan plan;
    plan_counters(abstraction, cut, &plan);
    for (uint32_t j = 0; j < runs->count;) {
        uint32_t end = j;
        while (!runs->items[end].last)
            end++;
        end++;
        if (!place_group(abstraction, cut, &plan, runs->items + j, end - j)) return false;
        j = end;
    }
    return true;
}

/* Where a warp is after it has executed a position. */
static uint32_t next_place(const struct segment_abstraction *abstraction, uint32_t position) {
    return abstraction->problem->last[position] ? SEGMENT_OUT : abstraction->place[position + 1];
}

/* The number of a place's move to `to`, or moves.count. */
static size_t find_move(const struct segment_abstraction *abstraction, uint32_t from, uint32_t to) {
    size_t i = 0;
    while (i < abstraction->moves.count &&
           (abstraction->moves.items[i].from != from || abstraction->moves.items[i].to != to))
        i++;
    return i;
}

static int compare_moves(const void *left, const void *right) {
    const struct segment_move *a = left;
    const struct segment_move *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

/* Collects what warps can do, by place. */
static void make_moves(struct segment_abstraction *abstraction, struct arena *arena) {
    for (uint32_t p = 0; p < abstraction->problem->position_count; p++) {
        struct segment_move move = {.from = abstraction->place[p], .to = next_place(abstraction, p)};
        if (find_move(abstraction, move.from, move.to) < abstraction->moves.count) continue;
        arena_push(arena, &abstraction->moves, move);
    }
    qsort(abstraction->moves.items, abstraction->moves.count, sizeof *abstraction->moves.items,
          compare_moves);
    for (size_t i = abstraction->moves.count; i-- > 0;) {
        struct segment_place *place = &abstraction->places[abstraction->moves.items[i].from];
        place->first_move = (uint32_t)i;
        place->move_count++;
    }
}

/* Counts what a warp at each position has left. */
static void count_left(struct segment_abstraction *abstraction) {
    const struct makespan_problem *problem = abstraction->problem;
    for (uint32_t p = problem->position_count; p-- > 0;) {
        if (!problem->last[p])
            memcpy(abstraction->left[p], abstraction->left[p + 1], sizeof *abstraction->left);
        abstraction->left[p][abstraction->places[abstraction->place[p]].counter]++;
    }
}

static int32_t product(const struct segment_abstraction *abstraction, uint32_t direction, uint32_t position) {
    int64_t sum = 0;
    for (uint32_t h = 0; h < abstraction->counter_count; h++)
        sum += (int64_t)abstraction->directions[direction][h] * abstraction->left[position][h];
    assert(llabs(sum) <= (int64_t)SEGMENT_FACTORS_MAX * SEGMENT_INSTRUCTIONS_MAX);
    return (int32_t)sum; /* at most SEGMENT_FACTORS_MAX * SEGMENT_INSTRUCTIONS_MAX */
}

static void raise(int32_t *reach, int32_t value) {
    if (value > *reach) *reach = value;
}

/* How far places and moves reach in each direction. */
static void measure_reach(struct segment_abstraction *abstraction) {
    for (uint32_t d = 0; d < abstraction->direction_count; d++) {
        for (uint32_t i = 0; i < abstraction->place_count; i++)
            abstraction->places[i].reach[d] = INT32_MIN;
        for (size_t i = 0; i < abstraction->moves.count; i++)
            abstraction->moves.items[i].reach[d] = INT32_MIN;
        for (uint32_t p = 0; p < abstraction->problem->position_count; p++) {
            int32_t value = product(abstraction, d, p);
            size_t move = find_move(abstraction, abstraction->place[p], next_place(abstraction, p));
            raise(&abstraction->places[abstraction->place[p]].reach[d], value);
            raise(&abstraction->moves.items[move].reach[d], value);
        }
        abstraction->slope[d] = abstraction->directions[d][0] - abstraction->directions[d][1];
    }
}

/* A direction that could be used, and how much of the hulls' edges it is normal to. */
struct normal {
    int32_t factors[SEGMENT_COUNTERS_MAX];
    uint64_t edges;
    size_t number; /* in the order of their finding */
};

struct normal_list {
    struct arena *arena;
    VEC(struct normal) found;
};

/* What warps at some positions of one string have left, in the plane of two counters. */
struct point {
    int64_t x;
    int64_t y;
};

static int64_t divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Notes the normal (x, y) in the plane of two counters of an edge. */
static void note_normal(struct normal_list *list, const uint32_t counters[2], int64_t x, int64_t y,
                        uint64_t edge) {
    if (llabs(x) + llabs(y) > SEGMENT_FACTORS_MAX) return;
    struct normal normal = {.edges = edge, .number = list->found.count};
    normal.factors[counters[0]] = (int32_t)x;
    normal.factors[counters[1]] = (int32_t)y;
    for (size_t i = 0; i < list->found.count; i++) {
        struct normal *known = &list->found.items[i];
        if (memcmp(known->factors, normal.factors, sizeof normal.factors) != 0) continue;
        known->edges += edge;
        return;
    }
    arena_push(list->arena, &list->found, normal);
}

/* Whether b is not strictly on the hull's side of the line from a to c: side 1 for the lower hull, -1 for the
 * upper one. */
static bool hides(const struct point *a, const struct point *b, const struct point *c, int64_t side) {
    return side * ((b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x)) <= 0;
}

/* Notes the normals of the lower (side 1) or upper (side -1) hull of points in lexicographic order, by
 * Andrew's monotone chain (1979). `chain` has room for all. */
static void note_hull(struct normal_list *list, const uint32_t counters[2], const struct point *points,
                      size_t count, int64_t side, struct point *chain) {
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        while (length >= 2 && hides(&chain[length - 2], &chain[length - 1], &points[i], side))
            length--;
        chain[length++] = points[i];
    }
    for (size_t i = 1; i < length; i++) {
        int64_t x = chain[i].x - chain[i - 1].x;
        int64_t y = chain[i].y - chain[i - 1].y;
        int64_t shared = divisor(x, y);
        if (shared == 0) continue;
        note_normal(list, counters, side * y / shared, -side * x / shared, (uint64_t)(x + y));
    }
}

/* The class of positions: a place, or where `move` says one of its moves. */
static bool in_class(const struct segment_abstraction *abstraction, uint32_t position, uint32_t place,
                     const struct segment_move *move) {
    if (abstraction->place[position] != place) return false;
    if (move == NULL) return true;
    uint32_t next = abstraction->problem->last[position] ? SEGMENT_OUT : abstraction->place[position + 1];
    return next == move->to;
}

/* Notes the normals of the positions of a place or move, in all planes of two counters. A string's positions
 * from its end have ever more left by every counter, so their points are in lexicographic order. `points`
 * has room for all positions twice. */
static void note_class(const struct segment_abstraction *abstraction, uint32_t place,
                       const struct segment_move *move, struct point *points, struct normal_list *list) {
    for (uint32_t a = 0; a < abstraction->counter_count; a++)
        for (uint32_t b = a + 1; b < abstraction->counter_count; b++) {
            size_t count = 0;
            for (uint32_t p = abstraction->problem->position_count; p-- > 0;)
                if (in_class(abstraction, p, place, move))
                    points[count++] = (struct point){abstraction->left[p][a], abstraction->left[p][b]};
            const uint32_t counters[2] = {a, b};
            note_hull(list, counters, points, count, 1, points + count);
            note_hull(list, counters, points, count, -1, points + count);
        }
}

static void note_all(const struct segment_abstraction *abstraction, struct normal_list *list) {
    size_t room = (size_t)abstraction->problem->position_count * 2;
    struct point *points = arena_array(list->arena, room, sizeof *points);
    for (uint32_t i = 0; i < abstraction->place_count; i++)
        note_class(abstraction, i, NULL, points, list);
    for (size_t i = 0; i < abstraction->moves.count; i++) {
        const struct segment_move *move = &abstraction->moves.items[i];
        note_class(abstraction, move->from, move, points, list);
    }
}

static int compare_normals(const void *left, const void *right) {
    const struct normal *a = left;
    const struct normal *b = right;
    if (a->edges != b->edges) return a->edges > b->edges ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* The directions that are always there. */
static void add_fixed(struct segment_abstraction *abstraction) {
    for (uint32_t h = 0; h < abstraction->counter_count; h++) {
        abstraction->directions[SEGMENT_SUM][h] = 1;
        abstraction->directions[SEGMENT_SUM_NEGATIVE][h] = -1;
        abstraction->directions[SEGMENT_COUNTER(h)][h] = 1;
        abstraction->directions[SEGMENT_COUNTER_NEGATIVE(h)][h] = -1;
    }
    abstraction->direction_count = 2 + 2 * abstraction->counter_count;
}

/* Whether the direction is the multiple of one counter: those are fixed ones. */
static bool along_axis(const struct normal *normal) {
    uint32_t used = 0;
    for (uint32_t h = 0; h < SEGMENT_COUNTERS_MAX; h++)
        used += normal->factors[h] != 0;
    return used == 1;
}

static void choose_directions(struct segment_abstraction *abstraction, const struct arena *arena) {
    struct arena scratch = {0};
    struct normal_list list = {.arena = &scratch};
    arena_bind(&scratch, arena);
    note_all(abstraction, &list);
    if (list.found.count > 0)
        qsort(list.found.items, list.found.count, sizeof *list.found.items, compare_normals);
    add_fixed(abstraction);
    for (size_t i = 0; i < list.found.count; i++) {
        if (abstraction->direction_count == SEGMENT_DIRECTIONS_MAX) break;
        if (along_axis(&list.found.items[i])) continue;
        memcpy(abstraction->directions[abstraction->direction_count++], list.found.items[i].factors,
               sizeof *abstraction->directions);
    }
    arena_free(&scratch);
}

bool segment_abstraction_make(const struct makespan_problem *problem, const struct segment_cut *cut,
                              struct arena *arena, struct segment_abstraction *abstraction) {
    assert(problem->instruction_count <= SEGMENT_INSTRUCTIONS_MAX && cut->counted_types > 0);
    *abstraction = (struct segment_abstraction){.problem = problem};
    abstraction->place = arena_array(arena, problem->position_count, sizeof *abstraction->place);
    abstraction->left = arena_array(arena, problem->position_count, sizeof *abstraction->left);
    struct run_list runs;
    run_list_make(problem, arena, &runs);
    if (!make_places(abstraction, cut, &runs)) return false;
    make_moves(abstraction, arena);
    count_left(abstraction);
    choose_directions(abstraction, arena);
    measure_reach(abstraction);
    return true;
}
