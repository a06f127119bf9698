#include "makespan/segment_hull.h"

#include <stdlib.h>
#include <string.h>

/* A direction that could be used, and how much of the hulls' edges it is normal to. */
struct normal {
    int32_t factors[SEGMENT_COUNTERS_MAX];
    uint64_t edges;
    size_t number; /* in the order of their finding */
};

struct normal_list {
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
static wb_status note_normal(struct normal_list *list, const uint32_t counters[2], int64_t x, int64_t y,
                             uint64_t edge) {
    if (llabs(x) + llabs(y) > SEGMENT_FACTORS_MAX) return WB_OK;
    struct normal normal = {.edges = edge, .number = list->found.count};
    normal.factors[counters[0]] = (int32_t)x;
    normal.factors[counters[1]] = (int32_t)y;
    for (size_t i = 0; i < list->found.count; i++) {
        struct normal *known = &list->found.items[i];
        if (memcmp(known->factors, normal.factors, sizeof normal.factors) != 0) continue;
        known->edges += edge;
        return WB_OK;
    }
    return vec_push(&list->found, normal);
}

/* Whether b is not strictly on the hull's side of the line from a to c: side 1 for the lower hull, -1 for the
 * upper one. */
static bool hides(const struct point *a, const struct point *b, const struct point *c, int64_t side) {
    return side * ((b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x)) <= 0;
}

/* Notes the normals of the lower (side 1) or upper (side -1) hull of points in lexicographic order, by
 * Andrew's monotone chain (1979). `chain` has room for all. */
static wb_status note_hull(struct normal_list *list, const uint32_t counters[2], const struct point *points,
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
        WB_TRY(note_normal(list, counters, side * y / shared, -side * x / shared, (uint64_t)(x + y)));
    }
    return WB_OK;
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
static wb_status note_class(const struct segment_abstraction *abstraction, uint32_t place,
                            const struct segment_move *move, struct point *points, struct normal_list *list) {
    for (uint32_t a = 0; a < abstraction->counter_count; a++)
        for (uint32_t b = a + 1; b < abstraction->counter_count; b++) {
            size_t count = 0;
            for (uint32_t p = abstraction->problem->position_count; p-- > 0;)
                if (in_class(abstraction, p, place, move))
                    points[count++] = (struct point){abstraction->left[p][a], abstraction->left[p][b]};
            const uint32_t counters[2] = {a, b};
            WB_TRY(note_hull(list, counters, points, count, 1, points + count));
            WB_TRY(note_hull(list, counters, points, count, -1, points + count));
        }
    return WB_OK;
}

static wb_status note_all(const struct segment_abstraction *abstraction, struct normal_list *list) {
    size_t room = (size_t)abstraction->problem->position_count * 2;
    struct point *points = calloc(room, sizeof *points);
    if (points == NULL) return WB_ERR_LIMIT;
    wb_status status = WB_OK;
    for (uint32_t i = 0; status == WB_OK && i < abstraction->place_count; i++)
        status = note_class(abstraction, i, NULL, points, list);
    for (size_t i = 0; status == WB_OK && i < abstraction->moves.count; i++) {
        const struct segment_move *move = &abstraction->moves.items[i];
        status = note_class(abstraction, move->from, move, points, list);
    }
    free(points);
    return status;
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

wb_status segment_directions_choose(struct segment_abstraction *abstraction) {
    struct normal_list list = {0};
    wb_status status = note_all(abstraction, &list);
    if (status == WB_OK) {
        if (list.found.count > 0)
            qsort(list.found.items, list.found.count, sizeof *list.found.items, compare_normals);
        add_fixed(abstraction);
        for (size_t i = 0; i < list.found.count; i++) {
            if (abstraction->direction_count == SEGMENT_DIRECTIONS_MAX) break;
            if (along_axis(&list.found.items[i])) continue;
            memcpy(abstraction->directions[abstraction->direction_count++], list.found.items[i].factors,
                   sizeof *abstraction->directions);
        }
    }
    vec_free(&list.found);
    return status;
}
