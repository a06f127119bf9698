/* The order of a task's nodes, what may run at the same time, and the longest path (docs/task.md). */
#include <assert.h>
#include <string.h>

#include "wings/task/task.h"

static uint64_t *before_of(const struct wb_task *task, uint32_t node) {
    return task->before + (size_t)node * TASK_WORDS;
}

static bool is_before(const struct wb_task *task, uint32_t first, uint32_t second) {
    return (before_of(task, second)[first / 64] >> first % 64 & 1) != 0;
}

bool task_are_ordered(const struct wb_task *task, uint32_t a, uint32_t b) {
    return a == b || is_before(task, a, b) || is_before(task, b, a);
}

/* Notes that `first` ends before `second` starts, and so does all that ends before `first` starts. */
static void put_before(struct wb_task *task, uint32_t first, uint32_t second) {
    uint64_t *before = before_of(task, second);
    for (size_t w = 0; w < TASK_WORDS; w++)
        before[w] |= before_of(task, first)[w];
    before[first / 64] |= UINT64_C(1) << first % 64;
}

/* Whether all that a node waits for is in the order already. */
static bool is_ready(const struct task_node *node, const bool *placed) {
    for (size_t a = 0; a < node->after.count; a++)
        if (!placed[node->after.items[a]]) return false;
    return true;
}

static wb_status refuse_circle(const struct wb_task *task, const bool *placed, wb_diagnostics *diagnostics) {
    uint32_t number = 0;
    while (placed[number])
        number++;
    const struct task_node *node = &task->nodes.items[number];
    diagnose_at(diagnostics, SEVERITY_ERROR, &task->source, node->at,
                "%s never starts: what it waits for waits for it, or for others that do", node->name);
    return WB_ERR_INPUT;
}

static wb_status sort_nodes(struct wb_task *task, wb_diagnostics *diagnostics) {
    const uint32_t count = (uint32_t)task->nodes.count;
    bool placed[TASK_NODES_MAX] = {false};
    while (task->order.count < count) {
        const size_t before = task->order.count;
        for (uint32_t n = 0; n < count; n++) {
            const struct task_node *node = &task->nodes.items[n];
            if (placed[n] || !is_ready(node, placed)) continue;
            for (size_t a = 0; a < node->after.count; a++)
                put_before(task, node->after.items[a], n);
            placed[n] = true;
            arena_push(&task->arena, &task->order, n);
        }
        if (task->order.count == before) return refuse_circle(task, placed, diagnostics);
    }
    return WB_OK;
}

/* Whether two nodes that may run at the same time must not: kernels share all of their SMs or none. */
static bool clash(const struct task_node *a, const struct task_node *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == TASK_KERNEL) return a->part != b->part && (a->part == WHOLE_GPU || b->part == WHOLE_GPU);
    return strcmp(a->place, b->place) == 0;
}

bool task_share(const struct wb_task *task, uint32_t a, uint32_t b) {
    const struct task_node *one = &task->nodes.items[a], *other = &task->nodes.items[b];
    return one->kind == TASK_KERNEL && other->kind == TASK_KERNEL && one->part == other->part &&
           !task_are_ordered(task, a, b);
}

static wb_status refuse_both(const struct wb_task *task, const struct task_node *a, const struct task_node *b,
                             wb_diagnostics *diagnostics) {
    static const char *const remedies[] = {[TASK_KERNEL] = "give both a partition, or neither",
                                           [TASK_COPY] = "give each an engine",
                                           [TASK_HOST] = "give each a core"};
    diagnose_at(diagnostics, SEVERITY_ERROR, &task->source, b->at,
                "%s and %s may run at the same time on the same: order them (after, stream), or %s", a->name,
                b->name, remedies[a->kind]);
    return WB_ERR_INPUT;
}

wb_status task_order(struct wb_task *task, wb_diagnostics *diagnostics) {
    const uint32_t count = (uint32_t)task->nodes.count;
    assert(arena_is_protected(&task->arena));
    task->before = arena_array(&task->arena, count, TASK_WORDS * sizeof *task->before);
    WB_TRY(sort_nodes(task, diagnostics));
    for (uint32_t b = 0; b < count; b++) {
        struct task_node *node = &task->nodes.items[b];
        for (uint32_t a = 0; a < count; a++) {
            node->shared |= task_share(task, a, b);
            if (a < b && !task_are_ordered(task, a, b) && clash(&task->nodes.items[a], node))
                return refuse_both(task, &task->nodes.items[a], node, diagnostics);
        }
    }
    return WB_OK;
}

/* ---- The longest path ---------------------------------------------------------------------------------- */

/* What the node `other` adds while the kernel runs, if they may run at the same time: DRAM serves a copy, or
 * its own blocks run on the same SMs. */
static cycles delay_of(const struct wb_task *task, uint32_t other, uint32_t kernel) {
    const struct task_node *node = &task->nodes.items[other];
    if (task_share(task, other, kernel)) return node->time;
    const bool beside =
        task->nodes.items[kernel].kind == TASK_KERNEL && !task_are_ordered(task, other, kernel);
    return beside && node->kind == TASK_COPY ? node->held : 0;
}

static cycles delays_of(const struct wb_task *task, uint32_t kernel) {
    cycles sum = 0;
    for (uint32_t n = 0; n < task->nodes.count; n++)
        sum = cycles_add(sum, delay_of(task, n, kernel));
    return sum;
}

/* What counts once up to the end of a node, however many it delays: all that may run beside it or any before
 * it; and the kernels among these that share their SMs, which the paths do not count then. */
static cycles delays_until(const struct wb_task *task, uint32_t node) {
    cycles sum = 0;
    for (uint32_t other = 0; other < task->nodes.count; other++) {
        const struct task_node *that = &task->nodes.items[other];
        cycles delay = that->shared && (other == node || is_before(task, other, node)) ? that->time : 0;
        for (uint32_t n = 0; n < task->nodes.count && delay == 0; n++)
            if (n == node || is_before(task, n, node)) delay = delay_of(task, other, n);
        sum = cycles_add(sum, delay);
    }
    return sum;
}

/* A node starts when all that it waits for has ended. What others add is counted by kernel, or once. */
static void find_end(struct wb_task *task, uint32_t number) {
    struct task_node *node = &task->nodes.items[number];
    cycles start = 0, alone = 0, slowest = 0;
    node->waits_for = TASK_NODES_MAX;
    node->beside = delays_of(task, number);
    for (size_t a = 0; a < node->after.count; a++) {
        const struct task_node *first = &task->nodes.items[node->after.items[a]];
        slowest = cycles_max(slowest, first->slowest_end);
        alone = cycles_max(alone, first->alone_end);
        if (node->waits_for != TASK_NODES_MAX && first->end <= start) continue;
        start = first->end;
        node->waits_for = node->after.items[a];
    }
    const cycles time = cycles_add(node->time, node->overhead);
    node->slowest_end = cycles_add(slowest, node->slowest);
    node->alone_end = cycles_add(alone, node->shared ? node->overhead : time);
    node->end = cycles_min(cycles_add(start, cycles_add(time, node->beside)),
                           cycles_add(node->alone_end, delays_until(task, number)));
}

void task_find_ends(struct wb_task *task) {
    uint32_t last = TASK_NODES_MAX;
    for (size_t i = 0; i < task->order.count; i++) {
        const uint32_t number = task->order.items[i];
        const struct task_node *node = &task->nodes.items[number];
        find_end(task, number);
        task->slowest = cycles_max(task->slowest, node->slowest_end);
        if (last != TASK_NODES_MAX && node->end <= task->time) continue;
        task->time = node->end;
        last = number;
    }
    while (last != TASK_NODES_MAX) {
        task->nodes.items[last].critical = true;
        last = task->nodes.items[last].waits_for;
    }
}
