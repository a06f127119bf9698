#include "bound/abstract_window.h"

#include <stdlib.h>

wb_status abstract_cta_allocate(struct abstract_cta *cta, uint32_t warp_count) {
    cta->warp_count = warp_count;
    cta->iterations = calloc((size_t)warp_count * cta->warp.loops.count + 1, sizeof *cta->iterations);
    cta->enters = calloc((size_t)warp_count * cta->warp.guards.count + 1, sizeof *cta->enters);
    return cta->iterations == NULL || cta->enters == NULL ? WB_ERR_LIMIT : WB_OK;
}

void abstract_cta_free(struct abstract_cta *cta) {
    abstract_warp_free(&cta->warp);
    free(cta->iterations);
    free(cta->enters);
    *cta = (struct abstract_cta){0};
}

static const struct abstract_node *node_at(const struct abstract_cursor *cursor, uint32_t index) {
    return &cursor->cta->warp.nodes.items[index];
}

static uint64_t iterations_of(const struct abstract_cursor *cursor, const struct abstract_node *loop) {
    return cursor->cta->iterations[cursor->warp * cursor->cta->warp.loops.count + loop->number];
}

/* Whether the first part of a loop runs in iteration `iteration` (of so many and one more). */
static bool header_runs(const struct abstract_cursor *cursor, const struct abstract_node *loop,
                        uint64_t iteration) {
    uint64_t iterations = iterations_of(cursor, loop);
    if (iteration < iterations) return true;
    return iteration == iterations && loop->side[1] != ABSTRACT_NONE && !cursor->counting.header_once;
}

static void add_cost(struct abstract_cost *sum, const struct abstract_cost *cost, uint64_t times) {
    sum->instr = cycles_add(sum->instr, cycles_mul(times, cost->instr));
    sum->shift = cycles_add(sum->shift, cycles_mul(times, cost->shift));
    sum->loads = cycles_add(sum->loads, cycles_mul(times, cost->loads));
    sum->stores = cycles_add(sum->stores, cycles_mul(times, cost->stores));
}

static struct abstract_cost sequence_cost(const struct abstract_cursor *cursor, uint32_t first,
                                          uint64_t iteration);

/* Of a uniform branch each number is that of the side where it is larger (slide 9). */
static struct abstract_cost larger_cost(const struct abstract_cost *a, const struct abstract_cost *b) {
    return (struct abstract_cost){cycles_max(a->instr, b->instr), cycles_max(a->shift, b->shift),
                                  cycles_max(a->loads, b->loads), cycles_max(a->stores, b->stores)};
}

/* A branch without a barrier, in an iteration of the loop around it. */
static struct abstract_cost branch_cost(const struct abstract_cursor *cursor,
                                        const struct abstract_node *branch, uint64_t iteration) {
    if (cursor->counting.executed && branch->pattern_length != 0) {
        bool first = (branch->pattern >> (iteration % branch->pattern_length) & 1) != 0;
        return sequence_cost(cursor, branch->side[first ? 0 : 1], iteration);
    }
    struct abstract_cost a = sequence_cost(cursor, branch->side[0], iteration);
    struct abstract_cost b = sequence_cost(cursor, branch->side[1], iteration);
    if (!branch->diverges) return larger_cost(&a, &b);
    struct abstract_cost both = a;
    add_cost(&both, &b, 1);
    both.shift = cycles_max(cycles_add(a.instr, b.shift), cycles_add(b.instr, a.shift));
    return both;
}

/* A loop without a barrier: its iterations cost the same, unless patterns tell them apart. */
static struct abstract_cost loop_cost(const struct abstract_cursor *cursor,
                                      const struct abstract_node *loop) {
    struct abstract_cost sum = {0};
    uint64_t iterations = iterations_of(cursor, loop);
    bool apart = cursor->counting.executed && loop->has_pattern;
    uint64_t rounds = apart ? iterations : iterations > 0;
    for (uint64_t i = 0; i < rounds; i++) {
        struct abstract_cost header = sequence_cost(cursor, loop->side[0], i);
        struct abstract_cost rest = sequence_cost(cursor, loop->side[1], i);
        add_cost(&sum, &header, apart ? 1 : iterations);
        add_cost(&sum, &rest, apart ? 1 : iterations);
    }
    if (!header_runs(cursor, loop, iterations)) return sum;
    struct abstract_cost last = sequence_cost(cursor, loop->side[0], iterations);
    add_cost(&sum, &last, 1);
    return sum;
}

static struct abstract_cost node_cost(const struct abstract_cursor *cursor, const struct abstract_node *node,
                                      uint64_t iteration) {
    switch ((enum abstract_kind)node->kind) {
    case ABSTRACT_TIME: return (struct abstract_cost){.instr = node->instr, .shift = node->shift};
    case ABSTRACT_MEMORY: return (struct abstract_cost){.loads = !node->is_store, .stores = node->is_store};
    case ABSTRACT_BRANCH: return branch_cost(cursor, node, iteration);
    case ABSTRACT_LOOP: return loop_cost(cursor, node);
    case ABSTRACT_BARRIER: break;
    }
    return (struct abstract_cost){0};
}

/* A sequence without barriers. */
static struct abstract_cost sequence_cost(const struct abstract_cursor *cursor, uint32_t first,
                                          uint64_t iteration) {
    struct abstract_cost sum = {0};
    for (uint32_t i = first; i != ABSTRACT_NONE; i = node_at(cursor, i)->next) {
        struct abstract_cost cost = node_cost(cursor, node_at(cursor, i), iteration);
        add_cost(&sum, &cost, 1);
    }
    return sum;
}

wb_status abstract_cursor_begin(struct abstract_cursor *cursor, const struct abstract_cta *cta, uint32_t warp,
                                struct abstract_counting counting) {
    *cursor = (struct abstract_cursor){.cta = cta, .warp = warp, .counting = counting};
    return vec_push(&cursor->places,
                    ((struct abstract_place){.next = cta->warp.first, .loop = ABSTRACT_NONE}));
}

void abstract_cursor_free(struct abstract_cursor *cursor) {
    vec_free(&cursor->places);
}

/* The innermost sequence has been left: goes on to the loop's other part or next iteration, or to what is
 * around it. */
static void leave_sequence(struct abstract_cursor *cursor) {
    struct abstract_place *place = &cursor->places.items[cursor->places.count - 1];
    if (place->loop == ABSTRACT_NONE) {
        cursor->places.count--;
        return;
    }
    const struct abstract_node *loop = node_at(cursor, place->loop);
    bool to_rest =
        !place->in_rest && loop->side[1] != ABSTRACT_NONE && place->iteration < iterations_of(cursor, loop);
    if (to_rest) {
        place->next = loop->side[1];
    } else if (header_runs(cursor, loop, ++place->iteration)) {
        place->next = loop->side[0];
    } else {
        cursor->places.count--;
        return;
    }
    place->in_rest = to_rest;
}

static wb_status enter_loop(struct abstract_cursor *cursor, uint32_t index) {
    const struct abstract_node *loop = node_at(cursor, index);
    if (!header_runs(cursor, loop, 0)) return WB_OK;
    return vec_push(&cursor->places, ((struct abstract_place){.next = loop->side[0], .loop = index}));
}

/* A branch with a barrier on one side, which the warp enters always or never. */
static wb_status enter_guarded(struct abstract_cursor *cursor, const struct abstract_node *branch,
                               uint64_t iteration, struct abstract_cost *sum) {
    const struct abstract_cta *cta = cursor->cta;
    bool enters = cta->enters[cursor->warp * cta->warp.guards.count + branch->number];
    uint32_t side = branch->barrier_side;
    if (!enters || branch->diverges || cta->perhaps) {
        struct abstract_cost other = sequence_cost(cursor, branch->side[1 - side], iteration);
        add_cost(sum, &other, 1);
    }
    if (!enters) return WB_OK;
    return vec_push(&cursor->places,
                    ((struct abstract_place){.next = branch->side[side], .loop = ABSTRACT_NONE}));
}

wb_status abstract_cursor_next(struct abstract_cursor *cursor, struct abstract_window *window) {
    *window = (struct abstract_window){0};
    while (!abstract_cursor_ended(cursor)) {
        struct abstract_place *place = &cursor->places.items[cursor->places.count - 1];
        if (place->next == ABSTRACT_NONE) {
            leave_sequence(cursor);
            continue;
        }
        uint32_t index = place->next;
        const struct abstract_node *node = node_at(cursor, index);
        place->next = node->next;
        if (node->kind == ABSTRACT_BARRIER) {
            window->at_barrier = true;
            return WB_OK;
        }
        if (node->has_barrier && node->kind == ABSTRACT_LOOP) {
            WB_TRY(enter_loop(cursor, index));
        } else if (node->has_barrier) {
            WB_TRY(enter_guarded(cursor, node, place->iteration, &window->cost));
        } else {
            struct abstract_cost cost = node_cost(cursor, node, place->iteration);
            add_cost(&window->cost, &cost, 1);
        }
    }
    return WB_OK;
}
