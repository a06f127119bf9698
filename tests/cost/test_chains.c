/* Longest paths with what they are made of: held against all paths of a graph that is written down edge by
 * edge, and loops whose repetitions are skipped against the same loops unrolled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/analysis.h"
#include "cost/costs.h"
#include "random_block.h"

#define NODES_MAX 256u
#define EDGES_MAX 4096u
#define ENTRIES_MAX 128u
#define UNITS_MAX 8u

/* ---- All paths of a graph ------------------------------------------------------------------------------ */

/* What an edge is made of: cycles of one entry. */
struct edge {
    uint32_t from, to, entry;
    cycles spent[CHAIN_STEPS];
};

/* Nodes in an order in which edges lead forwards. */
struct graph {
    struct edge edges[EDGES_MAX];
    uint32_t edge_count, node_count;
    cycles longest[NODES_MAX];
};

static cycles weight_of(const struct edge *edge) {
    return edge->spent[CHAIN_ISSUE] + edge->spent[CHAIN_UNIT] + edge->spent[CHAIN_LATENCY];
}

static void add_edge(struct graph *graph, uint32_t from, uint32_t to, uint32_t entry, cycles issue,
                     cycles unit, cycles latency) {
    assert_true(graph->edge_count < EDGES_MAX && from < to && to < NODES_MAX && entry < ENTRIES_MAX);
    graph->edges[graph->edge_count++] = (struct edge){from, to, entry, {issue, unit, latency}};
}

static void find_longest(struct graph *graph) {
    memset(graph->longest, 0, sizeof graph->longest);
    for (uint32_t node = 0; node < graph->node_count; node++)
        for (uint32_t e = 0; e < graph->edge_count; e++)
            if (graph->edges[e].to == node)
                graph->longest[node] = cycles_max(graph->longest[node], graph->longest[graph->edges[e].from] +
                                                                            weight_of(&graph->edges[e]));
}

/* Whether some longest path to the node spends exactly `spent`, which is as it was when it does not. */
static bool is_spent(const struct graph *graph, uint32_t node, cycles (*spent)[CHAIN_STEPS]) {
    static const cycles nothing[ENTRIES_MAX][CHAIN_STEPS];
    if (graph->longest[node] == 0) return memcmp(spent, nothing, sizeof nothing) == 0;
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct edge *edge = &graph->edges[e];
        cycles *of = spent[edge->entry];
        if (edge->to != node || graph->longest[edge->from] + weight_of(edge) != graph->longest[node])
            continue;
        bool enough = true;
        for (size_t step = 0; step < CHAIN_STEPS; step++)
            enough = enough && of[step] >= edge->spent[step];
        if (!enough) continue;
        for (size_t step = 0; step < CHAIN_STEPS; step++)
            of[step] -= edge->spent[step];
        if (is_spent(graph, edge->from, spent)) return true;
        for (size_t step = 0; step < CHAIN_STEPS; step++)
            of[step] += edge->spent[step];
    }
    return false;
}

/* ---- Latencies of a block ------------------------------------------------------------------------------ */

/* The last instruction of a warp that wrote each register, as 1 + its node; and its entry. */
struct writers {
    uint32_t nodes[ENTRIES_MAX], entries[ENTRIES_MAX];
};

static void read_operands(struct graph *graph, const struct timed_code *code, uint32_t entry, uint32_t node,
                          const struct writers *writers, bool alone) {
    const struct timed_inst *inst = &code->insts[entry];
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++) {
        const uint32_t reg = code->operands[inst->first_operand + i];
        if (writers->nodes[reg] == 0) continue;
        const struct timed_inst *writer = &code->insts[writers->entries[reg]];
        const cycles init = alone ? writer->init : 0;
        add_edge(graph, writers->nodes[reg] - 1, node, writers->entries[reg], init > 0, cycles_sub(init, 1),
                 writer->latency);
    }
}

static void write_results(const struct timed_code *code, uint32_t entry, uint32_t node,
                          struct writers *writers) {
    const struct timed_inst *inst = &code->insts[entry];
    for (uint32_t i = 0; i < inst->destination_count; i++) {
        const uint32_t reg = code->operands[inst->first_operand + inst->source_count + i];
        writers->nodes[reg] = node + 1;
        writers->entries[reg] = entry;
    }
}

/* A warp of the latency graph. */
struct warp_place {
    struct path_cursor cursor;
    struct writers writers;
    uint32_t last; /* the node of its last issue, or of the barrier, or the start, that let it go */
    bool ended;
};

/* The entry of no instruction that stands for releases. */
#define RELEASE (ENTRIES_MAX - 1)

/* Nodes of one section of a warp; those of completions are collected in `completions`. */
static void add_latencies(struct graph *graph, const struct timed_block *block, struct warp_place *warp,
                          uint32_t *completions, uint32_t *completion_count) {
    struct path_step step;
    while (!warp->ended) {
        warp->ended = !path_next(&warp->cursor, &step);
        if (warp->ended) return;
        const uint32_t node = graph->node_count++, entry = step.instruction;
        add_edge(graph, warp->last, node, 0, 0, 0, 0);
        read_operands(graph, &block->code, entry, node, &warp->writers, false);
        write_results(&block->code, entry, node, &warp->writers);
        warp->last = node;
        completions[(*completion_count)++] = node;
        completions[(*completion_count)++] = entry;
        if (block->code.insts[entry].barrier) return;
    }
}

static void check_latency_chain(const struct timed_block *block, const char *label) {
    static struct graph graph;
    static struct warp_place warps[ENTRIES_MAX];
    uint32_t completions[NODES_MAX * 2], completion_count = 0;
    uint32_t barrier = 0; /* the start */
    graph.edge_count = 0;
    graph.node_count = 1;
    for (uint32_t p = 0; p < block->path_count; p++)
        warps[p] = (struct warp_place){.cursor = path_begin(&block->paths[p])};
    for (bool more = true; more;) {
        more = false;
        for (uint32_t p = 0; p < block->path_count; p++) {
            add_latencies(&graph, block, &warps[p], completions, &completion_count);
            more = more || !warps[p].ended;
        }
        if (!more) break;
        barrier = graph.node_count++;
        for (uint32_t p = 0; p < block->path_count; p++) {
            add_edge(&graph, warps[p].last, barrier, RELEASE, 0, 0, block->machine->barrier_release);
            warps[p].last = barrier;
        }
    }
    const uint32_t end = graph.node_count++;
    add_edge(&graph, barrier, end, 0, 0, 0, 0);
    for (uint32_t c = 0; c < completion_count; c += 2)
        add_edge(&graph, completions[c], end, completions[c + 1], 0, 0,
                 block->code.insts[completions[c + 1]].latency);
    find_longest(&graph);
    struct arena arena = {0};
    struct tally tally;
    cycles length, spent[ENTRIES_MAX][CHAIN_STEPS] = {{0}};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(tally_init(&tally, block->code.inst_count, &arena), WB_OK);
    assert_int_equal(latency_chain(block, 1, &tally, NULL, diagnostics, &length), WB_OK);
    for (uint32_t i = 0; i < block->code.inst_count; i++)
        spent[i][CHAIN_LATENCY] = *tally_at(&tally, i, WB_PART_LATENCY);
    spent[RELEASE][CHAIN_LATENCY] = *tally_at(&tally, tally_apart(&tally, COST_RELEASE), WB_PART_LATENCY);
    if (length != graph.longest[end] || !is_spent(&graph, end, spent))
        fail_msg("no longest path of latencies is this one\n%s", label);
    wb_diagnostics_free(diagnostics);
    arena_free(&arena);
}

/* ---- A section alone on the machine -------------------------------------------------------------------- */

/* The graph of docs/proofs.md, section 1: node 2k is I(k), node 2k + 1 is D(k). */
static void add_section(struct graph *graph, const struct timed_block *block, const uint32_t *entries,
                        uint32_t count) {
    const uint32_t depth = block->machine->dispatch_depth;
    static struct writers writers;
    uint32_t started[UNITS_MAX][NODES_MAX], starts[UNITS_MAX] = {0};
    memset(&writers, 0, sizeof writers);
    graph->edge_count = 0;
    graph->node_count = 2 * count + 1;
    for (uint32_t k = 0; k < count; k++) {
        const struct timed_inst *inst = &block->code.insts[entries[k]];
        const uint32_t issue = 2 * k, start = 2 * k + 1, unit = inst->unit;
        if (k > 0)
            add_edge(graph, issue - 2, issue, entries[k - 1],
                     block->code.insts[entries[k - 1]].unit != UNIT_NONE, 0, 0);
        read_operands(graph, &block->code, entries[k], issue, &writers, true);
        add_edge(graph, issue, start, entries[k], 0, 0, 0);
        write_results(&block->code, entries[k], start, &writers);
        add_edge(graph, start, 2 * count, entries[k], inst->unit != UNIT_NONE, u32_sub(inst->init, 1),
                 inst->latency);
        if (unit == UNIT_NONE) continue;
        const uint32_t before = starts[unit];
        if (before > 0) {
            const uint32_t own = started[unit][before - 1];
            add_edge(graph, 2 * own + 1, start, entries[own], 1, block->code.insts[entries[own]].init - 1, 0);
            if (depth == 0)
                add_edge(graph, 2 * own + 1, issue, entries[own], 1, block->code.insts[entries[own]].init - 1,
                         0);
        }
        if (depth != DEPTH_UNLIMITED && depth > 0 && before >= depth)
            add_edge(graph, 2 * started[unit][before - depth] + 1, issue, 0, 0, 0, 0);
        started[unit][starts[unit]++] = k;
    }
    find_longest(graph);
}

/* Who looks at the sections of a block. */
struct section_check {
    const struct timed_block *block;
    struct profile_trace trace;
    const char *label;
};

static void check_block(const struct timed_block *block, const char *label,
                        wb_status (*row)(void *user, const struct phase_walker *walkers,
                                         const struct section_profile *cells, uint64_t times)) {
    struct section_check check = {.block = block, .trace = {.row = row, .user = &check}, .label = label};
    assert_int_equal(block_profile_trace(block, &check.trace), WB_OK);
    chains_free(&check.trace.chains);
}

static wb_status check_section(void *user, const struct phase_walker *walkers,
                               const struct section_profile *cells, uint64_t times) {
    static struct graph graph;
    struct section_check *check = user;
    (void)times;
    for (uint32_t p = 0; p < check->block->path_count; p++) {
        struct section_reader reader = {.code = &check->block->code, .cursor = walkers[p].begin};
        struct section_run run;
        uint32_t entries[NODES_MAX], count = 0;
        cycles spent[ENTRIES_MAX][CHAIN_STEPS] = {{0}};
        while (section_next_run(&reader, &run))
            for (uint32_t i = 0; i < run.count; i++)
                entries[count++] = run.first + i;
        add_section(&graph, check->block, entries, count);
        assert_int_equal(chain_spend(&check->trace.chains, walkers[p].complete.link, 1, &spent[0][0]), WB_OK);
        if (cells[p].iso != graph.longest[2 * count] || !is_spent(&graph, 2 * count, spent))
            fail_msg("no longest path of a section of path %u is this one\n%s", p, check->label);
    }
    return WB_OK;
}

/* Chains say the same when their links have been made fewer. */
static wb_status check_trimmed(void *user, const struct phase_walker *walkers,
                               const struct section_profile *cells, uint64_t times) {
    struct section_check *check = user;
    const size_t steps = (size_t)check->block->code.inst_count * CHAIN_STEPS;
    struct chains *chains = &check->trace.chains;
    cycles before[ENTRIES_MAX][CHAIN_STEPS], after[ENTRIES_MAX][CHAIN_STEPS];
    (void)cells, (void)times;
    assert_true(check->block->code.inst_count <= ENTRIES_MAX);
    for (uint32_t p = 0; p < check->block->path_count; p++) {
        memset(before, 0, sizeof before);
        memset(after, 0, sizeof after);
        assert_int_equal(chain_spend(chains, walkers[p].complete.link, 1, &before[0][0]), WB_OK);
        chains_trim(chains);
        assert_true(chains->links.count <= 2 * chains->root_count && chains->jumps.count == 0);
        assert_int_equal(chain_spend(chains, walkers[p].complete.link, 1, &after[0][0]), WB_OK);
        if (memcmp(before, after, steps * sizeof before[0][0]) != 0)
            fail_msg("trimmed chains are others\n%s", check->label);
    }
    return WB_OK;
}

static void test_all_paths(void **state) {
    static const uint32_t depths[] = {0, 1, 2, 3, DEPTH_UNLIMITED};
    struct random_shape shape = {SHAPE_BLOCK(3, 4, 9, 3, 10), .barrier_percent = 15, .alias_percent = 40,
                                 SHAPE_SM(1, 2, 1), .release = 7};
    (void)state;
    for (uint32_t i = 0; i < random_rounds(3000); i++) {
        struct random_block random;
        shape.real_percent = i % 3 == 0 ? 20 : 0;
        random_block_make(810000000 + i, &shape, depths, sizeof depths / sizeof depths[0], &random);
        const struct timed_block *block = &random.block.timed;
        assert_true(block->code.inst_count < ENTRIES_MAX && block->code.register_count < ENTRIES_MAX);
        check_latency_chain(block, random.label);
        check_block(block, random.label, check_section);
        synthetic_block_free(&random.block);
    }
}

/* ---- Loops --------------------------------------------------------------------------------------------- */

static void add_run(struct path *path, uint32_t first, uint32_t count) {
    const struct path_entry entry = {first, count, UINT32_MAX};
    assert_int_equal(vec_push(&path->entries, entry), WB_OK);
    path->length += count;
}

/* A path with a loop, or two, of random code, and the same without folds. */
static void random_loops(struct random_state *random, uint32_t inst_count, struct path *folded,
                         struct path *unrolled) {
    path_free(folded);
    *folded = (struct path){0};
    for (uint32_t part = 0; part < 2; part++) {
        const uint32_t first = (uint32_t)random_below(random, inst_count),
                       count = 1 + (uint32_t)random_below(random, inst_count - first),
                       before = (uint32_t)random_below(random, inst_count),
                       repetitions = (uint32_t)random_below(random, 150);
        const struct path_entry fold = {1, PATH_REPEAT, repetitions};
        add_run(folded, before, 1);
        add_run(unrolled, before, 1);
        add_run(folded, first, count);
        assert_int_equal(vec_push(&folded->entries, fold), WB_OK);
        folded->length += (uint64_t)count * repetitions;
        for (uint32_t i = 0; i <= repetitions; i++)
            add_run(unrolled, first, count);
    }
}

/* Times so different that no two paths are equally long. */
static void random_times(struct random_state *random, struct timed_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++) {
        struct timed_inst *inst = &code->insts[i];
        for (uint32_t o = 0; o < (uint32_t)inst->source_count + inst->destination_count; o++)
            code->operands[inst->first_operand + o] = (uint32_t)random_below(random, code->register_count);
        inst->latency = 1 + (uint32_t)random_below(random, 1 << 20);
        if (inst->unit != UNIT_NONE) inst->init = 2 + (uint32_t)random_below(random, 1 << 18);
    }
}

/* The rows of two costs are the same. */
static void expect_same(const wb_costs *a, const wb_costs *b, const char *method, const char *label) {
    size_t a_count, b_count;
    const wb_cost *a_rows = wb_costs_rows(a, &a_count), *b_rows = wb_costs_rows(b, &b_count);
    bool same = a_count == b_count;
    for (size_t r = 0; same && r < a_count; r++)
        same = a_rows[r].instruction == b_rows[r].instruction &&
               a_rows[r].executions == b_rows[r].executions &&
               memcmp(a_rows[r].share, b_rows[r].share, sizeof a_rows[r].share) == 0;
    if (!same) fail_msg("%s: folded and unrolled loops cost different things\n%s", method, label);
}

static wb_costs *costs_of(const struct timed_block *block, const char *method, wb_analysis **analysis) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_costs *costs = NULL;
    wb_status status = analysis_of_timed(block, diagnostics, analysis);
    if (status == WB_OK) status = wb_analysis_bound(*analysis, method, NULL, diagnostics);
    if (status == WB_OK) status = wb_costs_of_bound(*analysis, method, NULL, diagnostics, &costs);
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return costs;
}

static void compare_loops(uint64_t seed, const struct random_shape *shape) {
    static const char *const methods[] = {"elb", "sib", "fib"};
    static const uint32_t depths[] = {0, 1, 2, 3, DEPTH_UNLIMITED};
    struct random_state random = random_seeded(seed);
    struct random_block made;
    struct path paths[8] = {{{0}, 0, 0}};
    random_block_make(seed, shape, depths, sizeof depths / sizeof depths[0], &made);
    struct timed_block unrolled = made.block.timed;
    assert_true(made.block.paths.count <= 8);
    random_times(&random, &made.block.timed.code);
    for (size_t p = 0; p < made.block.paths.count; p++)
        random_loops(&random, unrolled.code.inst_count, &made.block.paths.items[p], &paths[p]);
    unrolled.paths = paths;
    check_block(&made.block.timed, made.label, check_trimmed);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        wb_analysis *of[2];
        wb_costs *a = costs_of(&made.block.timed, methods[m], &of[0]),
                 *b = costs_of(&unrolled, methods[m], &of[1]);
        expect_same(a, b, methods[m], made.label);
        wb_costs_free(a);
        wb_costs_free(b);
        wb_analysis_free(of[0]);
        wb_analysis_free(of[1]);
    }
    for (size_t p = 0; p < made.block.paths.count; p++)
        path_free(&paths[p]);
    synthetic_block_free(&made.block);
}

static void test_loops(void **state) {
    struct random_shape shape = {SHAPE_BLOCK(3, 9, 40, 3, 8), .alias_percent = 60, SHAPE_SM(1, 2, 1)};
    (void)state;
    for (uint32_t i = 0; i < random_rounds(1500); i++) {
        shape.real_percent = i % 2 == 0 ? 0 : 15;
        compare_loops(820000000 + i, &shape);
    }
}

/* Loops of 2^32 repetitions take no time. A(2,3) B(4,1): in every repetition A waits for B and B for A, so
 * that each is on the chain every time. */
static void test_most_repetitions(void **state) {
    (void)state;
    const uint64_t all = (uint64_t)UINT32_MAX + 1;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct synthetic_block block;
    wb_analysis *analysis;
    size_t count;
    assert_int_equal(synthetic_block_parse("A(2,3) B(4,1)", "2x A B.0", diagnostics, &block), WB_OK);
    block.timed.code.operands[0] = 1; /* A writes what B wrote before */
    block.timed.code.operands[block.timed.code.insts[1].first_operand] = 1;
    path_free(&block.paths.items[0]);
    block.paths.items[0] = (struct path){0};
    add_run(&block.paths.items[0], 0, 2);
    const struct path_entry fold = {1, PATH_REPEAT, UINT32_MAX};
    assert_int_equal(vec_push(&block.paths.items[0].entries, fold), WB_OK);
    block.paths.items[0].length += 2 * (uint64_t)UINT32_MAX;
    wb_costs *costs = costs_of(&block.timed, "sib", &analysis);
    const wb_cost *rows = wb_costs_rows(costs, &count);
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].share[WB_PART_ISSUE], all);
    assert_int_equal(rows[0].share[WB_PART_UNIT], all);
    assert_int_equal(rows[0].share[WB_PART_LATENCY], 3 * all);
    assert_int_equal(rows[0].share[WB_PART_INTERFERENCE], 2 * all);
    assert_int_equal(rows[1].share[WB_PART_UNIT], 3 * all);
    assert_int_equal(rows[1].share[WB_PART_LATENCY], all);
    assert_int_equal(rows[1].share[WB_PART_INTERFERENCE], 4 * all);
    wb_costs_free(costs);
    wb_analysis_free(analysis);
    synthetic_block_free(&block);
    wb_diagnostics_free(diagnostics);
}

/* Two registers that take turns. P and Q write r0 and r1 once; in every repetition A reads r0 (4 cycles until
 * r2 can be read), B reads r1 and writes r0 (6), C reads r2 and writes r1 (6). r0 is there at 1, r1 at 3. A
 * is issued with r0, B with r1, 2 later, C when r2 is there, 4 after A: so r0 is there again 8 cycles after
 * it was, by B, and r1 10 after r0 was, by A and C. Every repetition takes 8 cycles, and the chain, back from
 * the last C, goes through A and C of one repetition and B of that before, and so on, to P or to Q. */
static void check_turns(uint64_t repetitions) {
    const uint64_t odd = repetitions % 2, half = repetitions / 2;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct synthetic_block block;
    struct arena arena = {0};
    struct tally tally;
    cycles length;
    assert_int_equal(
        synthetic_block_parse("P(1,1) Q(1,3) A(1,4) B(1,6) C(1,6)", "P Q A.0 B.1 C.2", diagnostics, &block),
        WB_OK);
    block.timed.code.operands[block.timed.code.insts[3].first_operand + 1] = 0;
    block.timed.code.operands[block.timed.code.insts[4].first_operand + 1] = 1;
    path_free(&block.paths.items[0]);
    block.paths.items[0] = (struct path){0};
    add_run(&block.paths.items[0], 0, 2);
    add_run(&block.paths.items[0], 2, 3);
    const struct path_entry fold = {1, PATH_REPEAT, (uint32_t)(repetitions - 1)};
    assert_int_equal(vec_push(&block.paths.items[0].entries, fold), WB_OK);
    block.paths.items[0].length += 3 * (repetitions - 1);
    assert_int_equal(tally_init(&tally, block.timed.code.inst_count, &arena), WB_OK);
    assert_int_equal(latency_chain(&block.timed, 1, &tally, NULL, diagnostics, &length), WB_OK);
    assert_int_equal(length, 3 + 8 * repetitions);
    const uint64_t expected[] = {odd, odd ? 0 : 3, 4 * (half + odd), 6 * half, 6 * (half + odd)};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(*tally_at(&tally, i, WB_PART_LATENCY), expected[i]);
    arena_free(&arena);
    synthetic_block_free(&block);
    wb_diagnostics_free(diagnostics);
}

static void test_turns(void **state) {
    (void)state;
    for (uint64_t repetitions = 1; repetitions < 60; repetitions++)
        check_turns(repetitions);
    check_turns(UINT32_MAX);
    check_turns((uint64_t)UINT32_MAX + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_paths),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_most_repetitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
