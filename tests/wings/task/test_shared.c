/* Kernels that share SMs: random small tasks against executions in which a hostile dispatcher leaves room on
 * SMs that hold a block, in any order of blocks, and units take any warp that is ready; and usual formulas
 * that executions exceed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/registry.h"
#include "messages.h"
#include "random_block.h"
#include "wings/task/task.h"
#include "written_grid.h"

#define NODES 5u
#define SMS 3u
#define ROOM 4u /* of an SM */
#define HELD 4u /* blocks of an SM, at most */
#define WARPS 2u
#define STEPS 4u
#define RUNS 30u

/* ---- Random tasks -------------------------------------------------------------------------------------- */

/* A kernel whose warps do the same, an instruction behind the other, all on one unit. */
struct kernel {
    uint32_t blocks, warps, steps, size; /* size: of a block, in the room of an SM */
    uint32_t init[STEPS], latency[STEPS];
    cycles alone; /* the least bound of it by itself */
};

struct case_ {
    uint32_t sms, delay;
    struct kernel kernels[NODES];
    wb_task *task;
};

static cycles bound_of(const struct written_grid *grid, const struct bound_method *method) {
    struct arena results = {0};
    struct search_budget budget = search_budget_of(1000000);
    const struct bound_input input = {.work = &grid->work,
                                      .machine = &grid->block.machine,
                                      .diagnostics = grid->diagnostics,
                                      .results = &results,
                                      .budget = &budget};
    const char *why;
    wb_bound bound = {.method = method->name};
    if (!bound_method_applies(method, &input, &why)) fail_msg("%s: %s", method->name, why);
    assert_int_equal(method->run(&input, &bound), WB_OK);
    assert_int_equal(bound.kind, WB_UPPER);
    arena_free(&results);
    return bound.cycles;
}

/* The kernel as a grid (docs/blocks.md), for its bounds. */
static cycles bound_kernel_of(const struct case_ *made, struct kernel *kernel) {
    struct text text = {0};
    struct written_grid grid;
    text_string(&text, "block: k\ndispatch_depth: 0\nunits: \"U(1,0)");
    for (uint32_t s = 0; s < kernel->steps; s++)
        text_printf(&text, " %c(%u,%u)@U", 'a' + (int)s, kernel->init[s], kernel->latency[s]);
    text_printf(&text, "\"\nblocks: [\"%u* %ux", kernel->blocks, kernel->warps);
    for (uint32_t s = 0; s < kernel->steps; s++)
        text_printf(&text, s == 0 ? " %c" : " %c.%u", 'a' + (int)s, s - 1);
    text_printf(&text, "\"]\nresident: %u\nmemory: {sms: %u, dispatch: any, dispatch_latency: %u}\n",
                ROOM / kernel->size, made->sms, made->delay);
    written_grid_open(&grid, text.data);
    kernel->alone = bound_of(&grid, &bound_kernel);
    const cycles time = bound_of(&grid, &bound_shared);
    written_grid_close(&grid);
    text_free(&text);
    return time;
}

static uint32_t draw(struct random_state *random, uint32_t most) {
    return 1 + (uint32_t)random_below(random, most);
}

static void make_case(struct random_state *random, wb_diagnostics *diagnostics, struct case_ *made) {
    const uint32_t count = draw(random, NODES);
    struct text text = {0};
    *made = (struct case_){.sms = draw(random, SMS), .delay = (uint32_t)random_below(random, 3)};
    text_string(&text, "task: t\nnodes:\n");
    for (uint32_t n = 0; n < count; n++) {
        const uint64_t kind = random_below(random, 8);
        text_printf(&text,
                    kind == 0   ? "  n%u: {host: 1, core: c%u, after: ["
                    : kind == 1 ? "  n%u: {copy: 32, bandwidth: 1, engine: e%u, after: ["
                                : "  n%u: {launch: k%u.yaml, after: [",
                    n, n);
        for (uint32_t a = 0, put = 0; a < n; a++)
            if (random_below(random, 3) == 0) text_printf(&text, "%sn%u", put++ > 0 ? ", " : "", a);
        text_string(&text, "]}\n");
    }
    if (task_parse("t.yaml", text.data, text.length, NULL, diagnostics, &made->task) != WB_OK)
        fail_msg("%s%s", text.data, wb_diagnostics_text(diagnostics));
    text_free(&text);
    for (uint32_t n = 0; n < count; n++) {
        struct task_node *node = &made->task->nodes.items[n];
        struct kernel *kernel = &made->kernels[n];
        *kernel = (struct kernel){.blocks = draw(random, 6), .warps = draw(random, WARPS)};
        kernel->steps = draw(random, STEPS);
        kernel->size = draw(random, ROOM);
        for (uint32_t s = 0; s < kernel->steps; s++) {
            kernel->init[s] = draw(random, 3);
            kernel->latency[s] = (uint32_t)random_below(random, 5);
        }
        node->time = node->kind == TASK_KERNEL ? bound_kernel_of(made, kernel) : draw(random, 8);
        node->overhead = node->kind == TASK_KERNEL ? random_below(random, 3) : 0;
        node->held = node->kind == TASK_COPY ? random_below(random, 4) : 0;
    }
}

/* ---- Executions ---------------------------------------------------------------------------------------- */

struct block {
    uint32_t node, start; /* cycles until it starts */
    struct {
        uint32_t step, wait; /* cycles until its next step, or its end */
    } warps[WARPS];
};

struct processor {
    uint32_t count, busy, used; /* blocks; cycles until the unit is free; room taken */
    struct block blocks[HELD];
};

struct execution {
    const struct case_ *made;
    struct random_state *random;
    struct processor sms[SMS];
    uint32_t left[NODES], running[NODES]; /* blocks */
    cycles wait[NODES], held[NODES];      /* of launches, copies and the host; of copies by DRAM */
    bool ended[NODES];
    uint32_t lazy, turn; /* habits: how rarely room is filled, which node comes first: 0: any */
};

static bool may_start(const struct execution *run, uint32_t n) {
    const struct task_node *node = &run->made->task->nodes.items[n];
    for (size_t a = 0; a < node->after.count; a++)
        if (!run->ended[node->after.items[a]]) return false;
    return !run->ended[n];
}

/* One of `count` things. */
static uint32_t choose(const struct execution *run, uint32_t count) {
    return run->turn == 0 ? (uint32_t)random_below(run->random, count) : run->turn == 1 ? 0 : count - 1;
}

/* A kernel with a block that may go to the SM now; NODES: none. */
static uint32_t next_kernel(const struct execution *run, const struct processor *sm) {
    uint32_t found[NODES], count = 0;
    for (uint32_t n = 0; n < run->made->task->nodes.count; n++)
        if (run->left[n] > 0 && may_start(run, n) && run->wait[n] == 0 &&
            sm->used + run->made->kernels[n].size <= ROOM)
            found[count++] = n;
    return count == 0 ? NODES : found[choose(run, count)];
}

static void dispatch(struct execution *run) {
    for (uint32_t s = 0; s < run->made->sms; s++) {
        struct processor *sm = &run->sms[s];
        while (sm->count < HELD && (sm->count == 0 || random_below(run->random, run->lazy) == 0)) {
            const uint32_t n = next_kernel(run, sm);
            if (n == NODES) break;
            struct block *block = &sm->blocks[sm->count++];
            *block = (struct block){.node = n};
            block->start = (uint32_t)random_below(run->random, run->made->delay + 1);
            sm->used += run->made->kernels[n].size;
            run->left[n]--;
            run->running[n]++;
        }
    }
}

/* A cycle of an SM: its unit takes a warp that is ready, if there is one. */
static void step_sm(struct execution *run, struct processor *sm) {
    uint32_t ready[HELD * WARPS], count = 0;
    for (uint32_t b = 0; b < sm->count; b++) {
        const struct kernel *kernel = &run->made->kernels[sm->blocks[b].node];
        for (uint32_t w = 0; w < kernel->warps; w++)
            if (sm->blocks[b].start == 0 && sm->blocks[b].warps[w].wait == 0 &&
                sm->blocks[b].warps[w].step < kernel->steps)
                ready[count++] = b * WARPS + w;
    }
    if (sm->busy == 0 && count > 0) {
        const uint32_t chosen = ready[choose(run, count)];
        struct block *block = &sm->blocks[chosen / WARPS];
        const struct kernel *kernel = &run->made->kernels[block->node];
        const uint32_t step = block->warps[chosen % WARPS].step++;
        sm->busy = kernel->init[step];
        block->warps[chosen % WARPS].wait = kernel->init[step] + kernel->latency[step];
    }
    sm->busy -= sm->busy > 0;
    for (uint32_t b = 0; b < sm->count; b++) {
        sm->blocks[b].start -= sm->blocks[b].start > 0;
        for (uint32_t w = 0; w < WARPS; w++)
            sm->blocks[b].warps[w].wait -= sm->blocks[b].warps[w].wait > 0;
    }
}

static bool has_ended(const struct execution *run, const struct block *block) {
    const struct kernel *kernel = &run->made->kernels[block->node];
    for (uint32_t w = 0; w < kernel->warps; w++)
        if (block->warps[w].step < kernel->steps || block->warps[w].wait > 0) return false;
    return true;
}

static void end_blocks(struct execution *run, struct processor *sm) {
    for (uint32_t b = sm->count; b-- > 0;) {
        if (!has_ended(run, &sm->blocks[b])) continue;
        run->running[sm->blocks[b].node]--;
        sm->used -= run->made->kernels[sm->blocks[b].node].size;
        sm->count--;
        memmove(&sm->blocks[b], &sm->blocks[b + 1], (sm->count - b) * sizeof *sm->blocks);
    }
}

/* Notes what has ended; whether all has. `time` is checked against what is said of each. */
static bool end_nodes(struct execution *run, cycles time) {
    const wb_task *task = run->made->task;
    bool all = true;
    for (size_t i = 0; i < task->order.count; i++) {
        const uint32_t n = task->order.items[i];
        if (!may_start(run, n)) {
            all &= run->ended[n];
            continue;
        }
        run->ended[n] = run->wait[n] == 0 && run->left[n] == 0 && run->running[n] == 0;
        all &= run->ended[n];
        if (run->ended[n] && time > task->nodes.items[n].end)
            fail_msg("node %u ends at %lu, the bound is %lu", n, (unsigned long)time,
                     (unsigned long)task->nodes.items[n].end);
    }
    return all;
}

/* Whether DRAM serves a copy in this cycle: kernels stand still then. */
static bool serves_copy(struct execution *run) {
    for (uint32_t n = 0; n < run->made->task->nodes.count; n++)
        if (run->held[n] > 0 && may_start(run, n) && random_below(run->random, 4) > 0) {
            run->held[n]--;
            return true;
        }
    return false;
}

static cycles execute(const struct case_ *made, struct random_state *random) {
    struct execution run = {.made = made, .random = random};
    run.lazy = 1 + 7 * (uint32_t)random_below(random, 3);
    run.turn = (uint32_t)random_below(random, 3);
    for (uint32_t n = 0; n < made->task->nodes.count; n++) {
        const struct task_node *node = &made->task->nodes.items[n];
        run.left[n] = node->kind == TASK_KERNEL ? made->kernels[n].blocks : 0;
        run.wait[n] = node->kind == TASK_KERNEL ? node->overhead : node->time;
        run.held[n] = node->held;
    }
    for (cycles time = 0;; time++) {
        if (end_nodes(&run, time)) return time;
        dispatch(&run);
        const bool stands = serves_copy(&run);
        for (uint32_t n = 0; n < made->task->nodes.count; n++)
            run.wait[n] -= run.wait[n] > 0 && may_start(&run, n);
        for (uint32_t s = 0; s < made->sms && !stands; s++) {
            step_sm(&run, &run.sms[s]);
            end_blocks(&run, &run.sms[s]);
        }
    }
}

/* Bounds of the kernels by themselves, one after another, in place of those that hold side by side: that is
 * no bound of a task whose kernels share SMs. */
static cycles one_by_one(const struct case_ *made) {
    cycles sum = 0;
    for (uint32_t n = 0; n < made->task->nodes.count; n++) {
        const struct task_node *node = &made->task->nodes.items[n];
        sum +=
            node->overhead + node->held + (node->kind == TASK_KERNEL ? made->kernels[n].alone : node->time);
    }
    return sum;
}

static void test_random_tasks(void **state) {
    const uint32_t rounds = random_rounds(4000);
    uint32_t shared = 0, exceeded = 0;
    double closest = 0, sum = 0;
    (void)state;
    print_message("seeds 1 to %u\n", rounds);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_state random = random_seeded(seed);
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct case_ made;
        cycles most = 0;
        make_case(&random, diagnostics, &made);
        task_find_ends(made.task);
        for (uint32_t r = 0; r < RUNS; r++)
            most = cycles_max(most, execute(&made, &random));
        if (most > made.task->time)
            fail_msg("seed %lu: an execution takes %lu, the bound is %lu", (unsigned long)seed,
                     (unsigned long)most, (unsigned long)made.task->time);
        bool shares = false;
        for (uint32_t n = 0; n < made.task->nodes.count; n++)
            shares |= made.task->nodes.items[n].shared;
        if (shares) {
            const double ratio = (double)most / (double)made.task->time;
            shared++;
            sum += ratio;
            closest = ratio > closest ? ratio : closest;
            exceeded += most > one_by_one(&made);
        }
        wb_task_free(made.task);
        wb_diagnostics_free(diagnostics);
    }
    print_message("of %u tasks with shared SMs %u take longer than one kernel after another; executions take "
                  "%.2f of the bound, %.2f at most\n",
                  shared, exceeded, sum / shared, closest);
    assert_true(exceeded > 0 && closest > 0.9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_tasks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
