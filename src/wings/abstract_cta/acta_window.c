#include "wings/abstract_cta/acta_window.h"

#include <stdlib.h>
#include <string.h>

wb_status acta_group_allocate(struct acta_group *cta, uint32_t warp_count) {
    cta->warp_count = warp_count;
    cta->iterations = calloc((size_t)warp_count * cta->warp.loops.count + 1, sizeof *cta->iterations);
    cta->enters = calloc((size_t)warp_count * cta->warp.guards.count + 1, sizeof *cta->enters);
    return cta->iterations == NULL || cta->enters == NULL ? WB_ERR_LIMIT : WB_OK;
}

void acta_group_free(struct acta_group *cta) {
    acta_warp_free(&cta->warp);
    free(cta->iterations);
    free(cta->enters);
    for (uint32_t r = 0; r < cta->record_count; r++)
        vec_free(&cta->records[r].items);
    free(cta->records);
    free(cta->record_of);
    *cta = (struct acta_group){0};
}

static const struct acta_node *node_at(const struct acta_cursor *cursor, uint32_t index) {
    return &cursor->cta->warp.nodes.items[index];
}

static uint64_t iterations_of(const struct acta_cursor *cursor, const struct acta_node *loop) {
    return cursor->cta->iterations[cursor->warp * cursor->cta->warp.loops.count + loop->number];
}

/* Whether the first part of a loop runs in iteration `iteration` (of so many and one more). */
static bool header_runs(const struct acta_cursor *cursor, const struct acta_node *loop, uint64_t iteration) {
    uint64_t iterations = iterations_of(cursor, loop);
    if (iteration < iterations) return true;
    return iteration == iterations && loop->side[1] != ACTA_NONE && !cursor->counting.header_once;
}

/* ---- What a window costs ---------------------------------------------------------------------------------
 */

static void add_cost(struct acta_cost *sum, const struct acta_cost *cost) {
    sum->instr = cycles_add(sum->instr, cost->instr);
    sum->shift = cycles_add(sum->shift, cost->shift);
    sum->loads = cycles_add(sum->loads, cost->loads);
    sum->stores = cycles_add(sum->stores, cost->stores);
}

/* So many executions of a sequence, in an iteration of the loop around it. */
static struct acta_cost sequence_cost(struct acta_cursor *cursor, uint32_t first, uint64_t iteration,
                                      uint64_t times);

/* Of a uniform branch each number is that of the side where it is larger (slide 9). */
static struct acta_cost larger_cost(struct acta_cursor *cursor, const struct acta_node *branch,
                                    uint64_t iteration, uint64_t times) {
    struct acta_cost a = sequence_cost(cursor, branch->side[0], iteration, times);
    struct acta_cost b = sequence_cost(cursor, branch->side[1], iteration, times);
    return (struct acta_cost){cycles_max(a.instr, b.instr), cycles_max(a.shift, b.shift),
                              cycles_max(a.loads, b.loads), cycles_max(a.stores, b.stores)};
}

/* Each side counts as often as it is executed in this window; what the abstract warp executes more often than
 * the real one takes the larger side. */
static struct acta_cost taken_cost(struct acta_cursor *cursor, const struct acta_node *branch,
                                   uint64_t iteration, uint64_t times) {
    struct acta_cost sum = {0};
    for (uint32_t side = 0; side < 2; side++) {
        uint64_t *left = &cursor->left[branch->number][side];
        const uint64_t taken = *left < times ? *left : times;
        *left -= taken;
        times -= taken;
        struct acta_cost cost = sequence_cost(cursor, branch->side[side], iteration, taken);
        add_cost(&sum, &cost);
    }
    struct acta_cost rest = larger_cost(cursor, branch, iteration, times);
    add_cost(&sum, &rest);
    return sum;
}

/* A branch without a barrier. */
static struct acta_cost branch_cost(struct acta_cursor *cursor, const struct acta_node *branch,
                                    uint64_t iteration, uint64_t times) {
    if (cursor->counting.executed && branch->pattern_length != 0) {
        bool first = (branch->pattern >> (iteration % branch->pattern_length) & 1) != 0;
        return sequence_cost(cursor, branch->side[first ? 0 : 1], iteration, times);
    }
    if (!branch->diverges && cursor->left != NULL) return taken_cost(cursor, branch, iteration, times);
    if (!branch->diverges) return larger_cost(cursor, branch, iteration, times);
    struct acta_cost a = sequence_cost(cursor, branch->side[0], iteration, times);
    struct acta_cost b = sequence_cost(cursor, branch->side[1], iteration, times);
    struct acta_cost both = a;
    add_cost(&both, &b);
    both.shift = cycles_max(cycles_add(a.instr, b.shift), cycles_add(b.instr, a.shift));
    return both;
}

/* A loop without a barrier: its iterations cost the same, unless patterns tell them apart; then those do that
 * are a period of the patterns apart. */
static struct acta_cost loop_cost(struct acta_cursor *cursor, const struct acta_node *loop, uint64_t times) {
    struct acta_cost sum = {0};
    const uint64_t iterations = iterations_of(cursor, loop);
    const uint64_t period = cursor->counting.executed && loop->period != 0 ? loop->period : 1;
    for (uint64_t i = 0; i < iterations && i < period; i++) {
        const uint64_t executions = cycles_mul(times, (iterations - 1 - i) / period + 1);
        struct acta_cost header = sequence_cost(cursor, loop->side[0], i, executions);
        struct acta_cost rest = sequence_cost(cursor, loop->side[1], i, executions);
        add_cost(&sum, &header);
        add_cost(&sum, &rest);
    }
    if (!header_runs(cursor, loop, iterations)) return sum;
    struct acta_cost last = sequence_cost(cursor, loop->side[0], iterations, times);
    add_cost(&sum, &last);
    return sum;
}

static struct acta_cost node_cost(struct acta_cursor *cursor, const struct acta_node *node,
                                  uint64_t iteration, uint64_t times) {
    switch ((enum acta_kind)node->kind) {
    case ACTA_TIME:
        return (struct acta_cost){.instr = cycles_mul(times, node->instr),
                                  .shift = cycles_mul(times, node->shift)};
    case ACTA_MEMORY:
        return (struct acta_cost){.loads = node->is_store ? 0 : times, .stores = node->is_store ? times : 0};
    case ACTA_BRANCH: return branch_cost(cursor, node, iteration, times);
    case ACTA_LOOP: return loop_cost(cursor, node, times);
    case ACTA_BARRIER: break;
    }
    return (struct acta_cost){0};
}

/* A sequence without barriers. */
static struct acta_cost sequence_cost(struct acta_cursor *cursor, uint32_t first, uint64_t iteration,
                                      uint64_t times) {
    struct acta_cost sum = {0};
    if (times == 0) return sum;
    for (uint32_t i = first; i != ACTA_NONE; i = node_at(cursor, i)->next) {
        struct acta_cost cost = node_cost(cursor, node_at(cursor, i), iteration, times);
        add_cost(&sum, &cost);
    }
    return sum;
}

/* ---- What a window consists of ---------------------------------------------------------------------------
 */

static wb_status list_sequence(struct acta_cursor *cursor, uint32_t first, uint64_t iteration,
                               struct acta_events *events);

static wb_status add_event(struct acta_events *events, struct acta_event event) {
    events->too_many = events->items.count >= ACTA_EVENTS_MAX;
    return events->too_many ? WB_ERR_LIMIT : vec_push(&events->items, event);
}

static wb_status add_time(struct acta_events *events, cycles instr, cycles shift) {
    const size_t count = events->items.count;
    if (count > events->mergeable && events->items.items[count - 1].kind == EVENT_TIME) {
        struct acta_event *last = &events->items.items[count - 1];
        last->instr = cycles_add(last->instr, instr);
        last->shift = cycles_add(last->shift, shift);
        return WB_OK;
    }
    if (instr == 0 && shift == 0) return WB_OK;
    return add_event(events, (struct acta_event){.kind = EVENT_TIME, .instr = instr, .shift = shift});
}

static wb_status list_larger(struct acta_cursor *cursor, const struct acta_node *branch, uint64_t iteration,
                             struct acta_events *events) {
    for (uint32_t side = 0; side < 2; side++)
        if (branch->side[1 - side] == ACTA_NONE)
            return list_sequence(cursor, branch->side[side], iteration, events);
    const struct acta_cost cost = larger_cost(cursor, branch, iteration, 1);
    WB_TRY(add_time(events, cost.instr, cost.shift));
    for (cycles i = 0; i < cycles_add(cost.loads, cost.stores); i++)
        WB_TRY(add_event(events, (struct acta_event){.kind = EVENT_WAIT, .is_store = i >= cost.loads}));
    return WB_OK;
}

static wb_status list_fork(struct acta_cursor *cursor, const struct acta_node *branch, uint64_t iteration,
                           struct acta_events *events) {
    const size_t fork = events->items.count;
    WB_TRY(add_event(events, (struct acta_event){.kind = EVENT_FORK}));
    for (uint32_t side = 0; side < 2; side++) {
        const size_t first = events->mergeable = events->items.count;
        WB_TRY(list_sequence(cursor, branch->side[side], iteration, events));
        events->items.items[fork].length[side] = (uint32_t)(events->items.count - first);
    }
    events->mergeable = events->items.count;
    return WB_OK;
}

static wb_status list_branch(struct acta_cursor *cursor, const struct acta_node *branch, uint64_t iteration,
                             struct acta_events *events) {
    if (branch->diverges) return list_fork(cursor, branch, iteration, events);
    if (cursor->counting.executed && branch->pattern_length != 0) {
        bool first = (branch->pattern >> (iteration % branch->pattern_length) & 1) != 0;
        return list_sequence(cursor, branch->side[first ? 0 : 1], iteration, events);
    }
    for (uint32_t side = 0; cursor->left != NULL && side < 2; side++) {
        if (cursor->left[branch->number][side] == 0) continue;
        cursor->left[branch->number][side]--;
        return list_sequence(cursor, branch->side[side], iteration, events);
    }
    return list_larger(cursor, branch, iteration, events);
}

static wb_status list_loop(struct acta_cursor *cursor, const struct acta_node *loop,
                           struct acta_events *events) {
    const uint64_t iterations = iterations_of(cursor, loop);
    if (loop->side[0] == ACTA_NONE && loop->side[1] == ACTA_NONE) return WB_OK;
    for (uint64_t i = 0; i < iterations; i++) {
        WB_TRY(list_sequence(cursor, loop->side[0], i, events));
        WB_TRY(list_sequence(cursor, loop->side[1], i, events));
    }
    return header_runs(cursor, loop, iterations) ? list_sequence(cursor, loop->side[0], iterations, events)
                                                 : WB_OK;
}

static wb_status list_node(struct acta_cursor *cursor, const struct acta_node *node, uint64_t iteration,
                           struct acta_events *events) {
    events->too_many = ++events->steps > ACTA_STEPS_MAX;
    if (events->too_many) return WB_ERR_LIMIT;
    switch ((enum acta_kind)node->kind) {
    case ACTA_TIME: return add_time(events, node->instr, node->shift);
    case ACTA_MEMORY:
        return add_event(events, (struct acta_event){.kind = EVENT_WAIT, .is_store = node->is_store});
    case ACTA_BRANCH: return list_branch(cursor, node, iteration, events);
    case ACTA_LOOP: return list_loop(cursor, node, events);
    case ACTA_BARRIER: break;
    }
    return WB_OK;
}

static wb_status list_sequence(struct acta_cursor *cursor, uint32_t first, uint64_t iteration,
                               struct acta_events *events) {
    for (uint32_t i = first; i != ACTA_NONE; i = node_at(cursor, i)->next)
        WB_TRY(list_node(cursor, node_at(cursor, i), iteration, events));
    return WB_OK;
}

/* ---- From barrier to barrier -----------------------------------------------------------------------------
 */

/* What becomes of the nodes of a window: they are summed, or listed. */
struct window_sink {
    struct acta_cost sum;
    struct acta_events *events; /* NULL: summed */
};

static wb_status take_node(struct acta_cursor *cursor, const struct acta_node *node, uint64_t iteration,
                           struct window_sink *sink) {
    if (sink->events != NULL) return list_node(cursor, node, iteration, sink->events);
    const struct acta_cost cost = node_cost(cursor, node, iteration, 1);
    add_cost(&sink->sum, &cost);
    return WB_OK;
}

static wb_status take_sequence(struct acta_cursor *cursor, uint32_t first, uint64_t iteration,
                               struct window_sink *sink) {
    for (uint32_t i = first; i != ACTA_NONE; i = node_at(cursor, i)->next)
        WB_TRY(take_node(cursor, node_at(cursor, i), iteration, sink));
    return WB_OK;
}

wb_status acta_cursor_begin(struct acta_cursor *cursor, const struct acta_group *cta, uint32_t warp,
                            struct acta_counting counting) {
    *cursor = (struct acta_cursor){.cta = cta, .warp = warp, .counting = counting};
    if (counting.executed && cta->records != NULL) {
        cursor->left = calloc(cta->warp.choices.count + 1, sizeof *cursor->left);
        if (cursor->left == NULL) return WB_ERR_LIMIT;
    }
    return vec_push(&cursor->places, ((struct acta_place){.next = cta->warp.first, .loop = ACTA_NONE}));
}

void acta_cursor_free(struct acta_cursor *cursor) {
    vec_free(&cursor->places);
    free(cursor->left);
}

/* What the execution took in the window at hand. */
static void begin_window(struct acta_cursor *cursor) {
    const struct acta_group *cta = cursor->cta;
    const uint32_t window = cursor->window++;
    if (cursor->left == NULL) return;
    const struct acta_record *record = &cta->records[cta->record_of[cursor->warp]];
    memset(cursor->left, 0, cta->warp.choices.count * sizeof *cursor->left);
    for (; cursor->recorded < record->items.count; cursor->recorded++) {
        const struct acta_taken *taken = &record->items.items[cursor->recorded];
        if (taken->window != window) break;
        memcpy(cursor->left[taken->choice], taken->times, sizeof taken->times);
    }
}

/* The innermost sequence has been left: goes on to the loop's other part or next iteration, or to what is
 * around it. */
static void leave_sequence(struct acta_cursor *cursor) {
    struct acta_place *place = &cursor->places.items[cursor->places.count - 1];
    if (place->loop == ACTA_NONE) {
        cursor->places.count--;
        return;
    }
    const struct acta_node *loop = node_at(cursor, place->loop);
    bool to_rest =
        !place->in_rest && loop->side[1] != ACTA_NONE && place->iteration < iterations_of(cursor, loop);
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

static wb_status enter_loop(struct acta_cursor *cursor, uint32_t index) {
    const struct acta_node *loop = node_at(cursor, index);
    if (!header_runs(cursor, loop, 0)) return WB_OK;
    return vec_push(&cursor->places, ((struct acta_place){.next = loop->side[0], .loop = index}));
}

/* A branch with a barrier on one side, which the warp enters always or never. */
static wb_status enter_guarded(struct acta_cursor *cursor, const struct acta_node *branch, uint64_t iteration,
                               struct window_sink *sink) {
    const struct acta_group *cta = cursor->cta;
    bool enters = cta->enters[cursor->warp * cta->warp.guards.count + branch->number];
    uint32_t side = branch->barrier_side;
    if (!enters || branch->diverges || cta->maybe_executed)
        WB_TRY(take_sequence(cursor, branch->side[1 - side], iteration, sink));
    if (!enters) return WB_OK;
    return vec_push(&cursor->places, ((struct acta_place){.next = branch->side[side], .loop = ACTA_NONE}));
}

/* Goes on to the next barrier or to the end. */
static wb_status go_on(struct acta_cursor *cursor, struct window_sink *sink, bool *at_barrier) {
    *at_barrier = false;
    begin_window(cursor);
    while (!acta_cursor_ended(cursor)) {
        struct acta_place *place = &cursor->places.items[cursor->places.count - 1];
        if (place->next == ACTA_NONE) {
            leave_sequence(cursor);
            continue;
        }
        uint32_t index = place->next;
        const struct acta_node *node = node_at(cursor, index);
        place->next = node->next;
        *at_barrier = node->kind == ACTA_BARRIER;
        if (*at_barrier) return WB_OK;
        if (node->has_barrier && node->kind == ACTA_LOOP)
            WB_TRY(enter_loop(cursor, index));
        else if (node->has_barrier)
            WB_TRY(enter_guarded(cursor, node, place->iteration, sink));
        else
            WB_TRY(take_node(cursor, node, place->iteration, sink));
    }
    return WB_OK;
}

wb_status acta_cursor_next(struct acta_cursor *cursor, struct acta_window *window) {
    struct window_sink sink = {0};
    wb_status status = go_on(cursor, &sink, &window->at_barrier);
    window->cost = sink.sum;
    return status;
}

wb_status acta_cursor_list(struct acta_cursor *cursor, struct acta_events *events, bool *at_barrier) {
    struct window_sink sink = {.events = events};
    events->items.count = events->mergeable = 0;
    events->steps = 0;
    events->too_many = false;
    return go_on(cursor, &sink, at_barrier);
}
