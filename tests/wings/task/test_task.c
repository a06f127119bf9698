/* Tasks: random ones against executions in which every node takes what it may and copies hold up kernels
 * whenever they can, and against all paths; and what is refused, with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "messages.h"
#include "random_block.h"
#include "wings/task/task.h"

#define MOST 9u
#define RUNS 40u

/* ---- Random tasks -------------------------------------------------------------------------------------- */

/* Nodes each on a place of its own, with edges from lower to higher numbers. */
static wb_task *draw(struct random_state *random, wb_diagnostics *diagnostics) {
    struct text text = {0};
    const uint32_t count = 1 + (uint32_t)random_below(random, MOST);
    wb_task *task = NULL;
    text_string(&text, "task: t\npartitions:\n");
    for (uint32_t n = 0; n < count; n++)
        text_printf(&text, "  p%u: {sms: 1, kind: mig}\n", n);
    text_string(&text, "nodes:\n");
    for (uint32_t n = 0; n < count; n++) {
        static const char *const kinds[] = {"launch: k.yaml, partition: p%u",
                                            "copy: 32, bandwidth: 1, engine: e%u", "host: 1, core: c%u"};
        text_printf(&text, "  n%u: {", n);
        text_printf(&text, kinds[random_below(random, 3)], n);
        text_string(&text, ", after: [");
        for (uint32_t a = 0, put = 0; a < n; a++)
            if (random_below(random, 3) == 0) text_printf(&text, "%sn%u", put++ > 0 ? ", " : "", a);
        text_string(&text, "]}\n");
    }
    if (task_parse("t.yaml", text.data, text.length, NULL, diagnostics, &task) != WB_OK)
        fail_msg("%s%s", text.data, wb_diagnostics_text(diagnostics));
    for (uint32_t n = 0; n < count; n++) {
        struct task_node *node = &task->nodes.items[n];
        node->time = random_below(random, 20);
        node->overhead = node->kind == TASK_KERNEL ? random_below(random, 3) : 0;
        node->held = node->kind == TASK_COPY ? random_below(random, 8) : 0;
    }
    text_free(&text);
    return task;
}

/* What is left to do in an execution. */
struct progress {
    cycles left[MOST], held[MOST]; /* of nodes; and cycles in which DRAM serves a copy */
    bool ended[MOST];
};

static bool may_start(const wb_task *task, const struct progress *progress, uint32_t number) {
    const struct task_node *node = &task->nodes.items[number];
    for (size_t a = 0; a < node->after.count; a++)
        if (!progress->ended[node->after.items[a]]) return false;
    return true;
}

static void end_what_is_done(const wb_task *task, struct progress *progress) {
    for (bool more = true; more;) {
        more = false;
        for (uint32_t n = 0; n < task->nodes.count; n++) {
            if (progress->ended[n] || progress->left[n] > 0 || !may_start(task, progress, n)) continue;
            progress->ended[n] = more = true;
        }
    }
}

/* One cycle. DRAM serves one of the copies that run, if any, mostly: kernels stand still then. */
static void step(const wb_task *task, struct progress *progress, struct random_state *random) {
    bool running[MOST], is_held = false;
    for (uint32_t n = 0; n < task->nodes.count; n++)
        running[n] = !progress->ended[n] && may_start(task, progress, n);
    for (uint32_t n = 0; n < task->nodes.count && !is_held; n++) {
        is_held = running[n] && progress->held[n] > 0 && random_below(random, 8) > 0;
        progress->held[n] -= is_held;
    }
    for (uint32_t n = 0; n < task->nodes.count; n++) {
        const bool stands = task->nodes.items[n].kind == TASK_KERNEL && is_held;
        progress->left[n] -= running[n] && !stands && progress->left[n] > 0;
    }
}

static cycles execute(const wb_task *task, bool in_full, struct random_state *random) {
    struct progress progress = {{0}, {0}, {false}};
    cycles time = 0;
    for (uint32_t n = 0; n < task->nodes.count; n++) {
        const struct task_node *node = &task->nodes.items[n];
        const cycles most = node->time + node->overhead;
        progress.left[n] = in_full ? most : random_below(random, most + 1);
        progress.held[n] = node->held;
    }
    for (end_what_is_done(task, &progress);; time++) {
        bool all = true;
        for (uint32_t n = 0; n < task->nodes.count; n++)
            all &= progress.ended[n];
        if (all) return time;
        step(task, &progress, random);
        end_what_is_done(task, &progress);
    }
}

/* The longest path to a node, by all paths. */
static cycles longest(const wb_task *task, uint32_t number) {
    const struct task_node *node = &task->nodes.items[number];
    cycles before = 0;
    for (size_t a = 0; a < node->after.count; a++)
        before = cycles_max(before, longest(task, node->after.items[a]));
    return before + node->time + node->overhead;
}

static void test_random_tasks(void **state) {
    const uint32_t rounds = random_rounds(3000);
    uint32_t attained = 0, beside = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_state random = random_seeded(seed);
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_task *task = draw(&random, diagnostics);
        cycles path = 0, most = 0;
        task_find_ends(task);
        for (uint32_t n = 0; n < task->nodes.count; n++)
            path = cycles_max(path, longest(task, n));
        for (uint32_t run = 0; run < RUNS; run++)
            most = cycles_max(most, execute(task, run % 2 == 0, &random));
        if (most > task->time || path > task->time)
            fail_msg("seed %lu: an execution takes %lu, the longest path %lu, the bound is %lu",
                     (unsigned long)seed, (unsigned long)most, (unsigned long)path,
                     (unsigned long)task->time);
        attained += most == task->time;
        beside += task->time > path;
        wb_task_free(task);
        wb_diagnostics_free(diagnostics);
    }
    printf("of %u tasks %u reach the bound, copies count in %u\n", rounds, attained, beside);
    assert_true(attained > rounds / 2 && beside > rounds / 20);
}

/* ---- What is refused ----------------------------------------------------------------------------------- */

static void expect_error(const char *text, const char *dot, const char *message) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_task *task = NULL;
    const wb_status status = task_parse("t.yaml", text, strlen(text), dot, diagnostics, &task);
    if (status != WB_ERR_INPUT || strstr(wb_diagnostics_text(diagnostics), message) == NULL)
        fail_msg("%s%s", text, wb_diagnostics_text(diagnostics));
    wb_task_free(task);
    wb_diagnostics_free(diagnostics);
}

static void test_errors(void **state) {
#define TASK "task: t\nnodes:\n"
#define PARTS "task: t\npartitions: {p: {sms: 2, kind: mig}}\nnodes:\n"
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"[]\n", "t.yaml:1:1: error: expected a task"},
        {"nodes: {}\n", "key 'task' is missing"},
        {"task: t\n", "key 'nodes' is missing"},
        {"task: t\nnodes: {}\n", "2:8: error: expected nodes"},
        {"task: t\nnodes: []\n", "expected nodes by their names"},
        {TASK "  a: 7\n", "3:6: error: a: expected a node"},
        {TASK "  a: {}\n", "3:6: error: expected one of launch (a kernel), copy (bytes) and host (a time)"},
        {TASK "  a: {launch: x.yaml, host: 1us}\n", "expected one of launch"},
        {TASK "  a: {copy: 64}\n", "expected a bandwidth"},
        {TASK "  a: {copy: 0, bandwidth: 1}\n", "copy: expected a whole number"},
        {TASK "  a: {host: 1us, bandwidth: 4}\n", "3:18: error: bandwidth: only with copy"},
        {TASK "  a: {copy: 64, bandwidth: 4, core: x}\n", "core: only with host"},
        {TASK "  a: {launch: x.yaml, partition: q}\n", "3:34: error: 'q' is none of the partitions"},
        {TASK "  a: {host: 1us, after: b}\n", "3:25: error: 'b' is none of the nodes"},
        {TASK "  a: {host: 1us, after: a}\n", "3:3: error: a never starts"},
        {TASK "  a: {host: 1us, after: b}\n  b: {host: 1us, after: [a]}\n", "3:3: error: a never starts"},
        {TASK "  a: {host: 1us, stream: s, after: b}\n  b: {host: 1us, stream: s}\n", "never starts"},
        {TASK "  a: {host: 1us}\n  b: {host: 1us}\n",
         "4:3: error: a and b may run at the same time on the same: order them (after, stream), or give each "
         "a core"},
        {PARTS "  a: {launch: x.yaml, partition: p}\n  b: {launch: x.yaml}\n",
         "or give both a partition, or neither"},
        {TASK "  a: {copy: 4, bandwidth: 4}\n  b: {copy: 4, bandwidth: 4}\n", "or give each an engine"},
        {"task: t\npartitions: {p: {sms: 2}}\nnodes:\n  a: {host: 1us}\n", "expected SMs and a kind"},
        {"task: t\npartitions: {p: 2}\nnodes:\n  a: {host: 1us}\n", "expected SMs and a kind"},
        {TASK "  a: {host: 1us, colour: red}\n", "unknown key 'colour'"},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        expect_error(rows[r].text, "", rows[r].message);
}

static void test_errors_of_graphs(void **state) {
#define DOT "task: t\norder: d/g.dot\nnodes:\n  a: {host: 1us, core: x}\n  b: {host: 1us, core: y}\n"
    static const struct {
        const char *text, *message, *dot;
    } rows[] = {
        {DOT, "d/g.dot:2:2: error: 'c' is none of the nodes of t.yaml",
         "digraph dot {\n \"c\"[style=bold]\n"},
        {DOT, "d/g.dot:1:8: error: 'c' is none of the nodes", "\"a\" -> \"c\";\n"},
        {DOT, "d/g.dot:1:1: error: 'a' is none of the nodes", "\"a\n"},
        {DOT, "d/g.dot:1:7: error: expected the name of a node", "\"a\"-> x;\n"},
        {DOT, "4:3: error: a never starts", "\"a\" -> \"b\" [headlabel=0];\n\"b\"->\"a\""},
        {DOT, "d/g.dot: error: cannot read", NULL},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        expect_error(rows[r].text, rows[r].dot, rows[r].message);
}

/* The graph as CUDA writes it, beside `after`. */
static void test_graph(void **state) {
    static const char text[] = "task: t\norder: g.dot\nnodes:\n  g0: {copy: 64, bandwidth: 4}\n"
                               "  g1: {launch: k.yaml}\n  h: {host: 1us, after: g1}\n";
    static const char dot[] =
        "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n"
        "\"g0\"[style=\"solid\" shape=\"record\" label=\"{\nMEMCPY\n| {{ID}}}\"];\n"
        "\"g1\"[shape=\"record\" label=\"{KERNEL\n| {ID | 1 | _Z1kv\\<\\<1\\>\\>}\n}\"];\n"
        "\"g0\" -> \"g1\" [headlabel=0];\n}\n}\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_task *task = NULL;
    (void)state;
    assert_int_equal(task_parse("t.yaml", text, strlen(text), dot, diagnostics, &task), WB_OK);
    assert_int_equal(task->nodes.items[1].after.count, 1);
    assert_true(task_are_ordered(task, 0, 2));
    wb_task_free(task);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_tasks), cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_errors_of_graphs), cmocka_unit_test(test_graph)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
