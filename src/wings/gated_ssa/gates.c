/* How phis choose.
 *
 * A join's gate is found by one search against the edges (decisions.c), from the edges into the join up
 * to its immediate dominator D, every edge being the end "this argument". The nodes that decide, with the
 * labels behind their edges, are the gamma's decision graph: it starts at the label of D. A loop's header is
 * two such joins, of its back edges below the header itself, and of the edges that enter it.
 *
 * The predicates are those of the nodes that decide, and of every loop directly inside the join's own that is
 * left to different labels: all that decide when and how that loop is left (predicate_lists_init).
 *
 * They are complete, in a graph without irreducible regions. Let threads t and u arrive at the join J in the
 * same iteration of every loop around J, by edges with different arguments. Let C be the last block that both
 * executed in the same iteration of every loop around C; behind it they go different ways, so its predicate
 * differed in them. If they both entered a loop behind C, they would both have executed its header in its
 * first iteration, contrary to the choice of C (unless the header is J); if both started another iteration
 * of a loop around C, likewise. So J is in no loop that C is not in, but those it heads.
 *   (1) If every loop around C is around J, the ways of t and u from C to J, without their rounds through
 *       loops that only one of them entered, have no block in common: two disjoint paths without back edges
 *       of loops around J, to different ends. So C decides. (The search takes a loop's last iteration for the
 *       loop. Its header has one label exactly if all its exits have, and then the loop has that label, else
 *       the label is a block inside it, and no path around the loop has it.)
 *   (2) Otherwise let K be the outermost loop around C but not around J. It is directly inside J's innermost
 *       loop, and as in (1), the ways of t and u behind K are disjoint paths from two of its exits to
 *       different ends. (D may be inside K: all ways out of K to J lead through D then, and K's header has
 *       the label of D.) So K is left to different labels, and it remains to be shown that C is among its
 *       predicates. At most one of t and u started another iteration of K, so that their ways inside K lead
 *       to two different exits, or one to an exit and the other to K's header again. These ways are disjoint
 *       as in (1) if no loop inside K is around C; then C decides between ends of K. If one is, it takes the
 *       place of K in the argument, with K's ends for those of J, and its predicates are among K's.
 *
 * Irreducible regions have no iterations to speak of. There, and where different labels are behind a region,
 * all of its branches are taken. */
#include "wings/gated_ssa/gates.h"

#include <assert.h>
#include <string.h>

/* A list: items[first] .. items[first + count - 1] of the lists it belongs to. */
struct predicate_list {
    uint32_t first, count;
};

/* Lists of predicates: what decides a gate. */
struct predicate_lists {
    struct arena *arena;
    const struct ssa *ssa;
    const struct loops *loops;
    struct decisions *decisions;
    VEC(uint32_t) items; /* values */
    uint32_t *listed;    /* per value: the list it was added to last */
    uint32_t list;       /* number of the list that is being made, from 1 */
    /* What decides when and by which edge a loop, or an irreducible region, is left. */
    struct predicate_list *of_loops, *of_regions;
};

/* Numbers of the ends of a loop: going round again, then one for each edge that leaves it. Edges to the same
 * block are told apart, since they can bring different values to its phis. */
enum { END_AGAIN, END_FIRST_EXIT };

/* Starts a list, behind all others. */
static void predicate_list_start(struct predicate_lists *lists, struct predicate_list *list) {
    lists->list++;
    list->first = (uint32_t)lists->items.count;
    list->count = 0;
}

/* Ends the list that was started last. */
static void predicate_list_end(const struct predicate_lists *lists, struct predicate_list *list) {
    if (lists->items.count >= UINT32_MAX) arena_fail(lists->arena, WB_ERR_LIMIT);
    list->count = (uint32_t)lists->items.count - list->first;
}

static void add_value(struct predicate_lists *lists, uint32_t value) {
    if (lists->listed[value] == lists->list) return;
    lists->listed[value] = lists->list;
    arena_push(lists->arena, &lists->items, value);
}

/* Adds what a block's last instruction reads, if control can go on from it in more than one way: that
 * instruction is a branch, `ret` or `exit`, and reads its guard and, if it is `brx.idx`, the index. */
static void add_block(struct predicate_lists *lists, uint32_t block) {
    const struct ssa *ssa = lists->ssa;
    const struct cfg *cfg = ssa->cfg;
    if (cfg->graph.out.first[block + 1] - cfg->graph.out.first[block] < 2) return;
    uint32_t last = cfg->blocks[block].first + cfg->blocks[block].count - 1;
    for (uint32_t u = ssa->first_use[last]; u < ssa->first_use[last + 1]; u++)
        add_value(lists, ssa->uses[u]);
}

/* Adds what a list that is complete has. */
static void predicate_list_add(struct predicate_lists *lists, struct predicate_list from) {
    for (uint32_t i = from.first; i < from.first + from.count; i++) {
        uint32_t value = lists->items.items[i];
        add_value(lists, value);
    }
}

/* Adds what the last search found to decide. */
static void predicate_list_add_found(struct predicate_lists *lists) {
    const struct decisions *decisions = lists->decisions;
    for (size_t i = 0; i < decisions->deciders.count; i++)
        add_block(lists, decisions->deciders.items[i]);
    for (size_t i = 0; i < decisions->loops_deciding.count; i++)
        predicate_list_add(lists, lists->of_loops[decisions->loops_deciding.items[i]]);
    for (size_t i = 0; i < decisions->regions_deciding.count; i++)
        predicate_list_add(lists, lists->of_regions[decisions->regions_deciding.items[i]]);
}

static void add_loop_members(struct predicate_lists *lists, const struct loop *loop) {
    for (uint32_t m = 0; m < loop->member_count; m++)
        add_block(lists, lists->loops->members[loop->first_member + m]);
}

static void make_region(struct predicate_lists *lists, uint32_t number) {
    const struct loops *loops = lists->loops;
    const struct irreducible_region *region = &loops->regions[number];
    struct predicate_list *list = &lists->of_regions[number];
    predicate_list_start(lists, list);
    for (uint32_t m = 0; m < region->member_count; m++) {
        uint32_t block = loops->region_members[region->first_member + m];
        add_block(lists, block);
        if (loop_is_header(loops, block)) add_loop_members(lists, &loops->items[loops->innermost[block]]);
    }
    predicate_list_end(lists, list);
}

static void add_loop_ends(struct predicate_lists *lists, uint32_t number) {
    const struct loops *loops = lists->loops;
    const struct loop *loop = &loops->items[number];
    const struct adjacency *out = &lists->ssa->cfg->graph.out;
    uint32_t next_exit = END_FIRST_EXIT;
    for (uint32_t m = 0; m < loop->member_count; m++) {
        uint32_t block = loops->members[loop->first_member + m];
        for (uint32_t e = out->first[block]; e < out->first[block + 1]; e++) {
            uint32_t to = out->nodes[e];
            if (to == loop->header) decisions_add_end(lists->decisions, e, END_AGAIN);
            if (!loop_contains(loops, number, to)) decisions_add_end(lists->decisions, e, next_exit++);
        }
    }
}

/* Makes the list of a loop; those of the loops inside it are complete. */
static void make_loop(struct predicate_lists *lists, uint32_t number) {
    const struct loop *loop = &lists->loops->items[number];
    decisions_start(lists->decisions);
    add_loop_ends(lists, number);
    decisions_take(lists->decisions, lists->loops->members + loop->first_member, loop->member_count);
    decisions_find(lists->decisions, number);
    predicate_list_start(lists, &lists->of_loops[number]);
    predicate_list_add_found(lists);
    predicate_list_end(lists, &lists->of_loops[number]);
}

/* Makes the lists of all loops and regions. The predicates of a loop are the branches in it from which two
 * disjoint paths lead to different ones of its ends, which are the edges that leave it and going round again;
 * where a loop inside it is left to different ends, also that loop's predicates. Of an irreducible region all
 * its branches are taken, and those of the loops whose headers are in it. */
static void predicate_lists_init(const struct ssa *ssa, const struct loops *loops,
                                 struct decisions *decisions, struct arena *arena,
                                 struct predicate_lists *lists) {
    *lists = (struct predicate_lists){.arena = arena, .ssa = ssa, .loops = loops, .decisions = decisions};
    lists->listed = arena_array(arena, ssa->value_count, sizeof *lists->listed);
    lists->of_loops = arena_array(arena, loops->count, sizeof *lists->of_loops);
    lists->of_regions = arena_array(arena, loops->region_count, sizeof *lists->of_regions);
    for (uint32_t region = 0; region < loops->region_count; region++)
        make_region(lists, region);
    /* Loops are numbered before those inside them. */
    for (uint32_t loop = loops->count; loop-- > 0;)
        make_loop(lists, loop);
}

/* A value, and the outermost loop that one of its uses is outside of. */
struct left_loop {
    uint32_t value, loop;
};

/* The predicates that decide leaving the loops from `inner` to `outer`, around it. */
struct left_loops {
    uint32_t outer;
    uint32_t next; /* with the same inner loop, or GRAPH_NONE */
    struct predicate_list list;
};

struct eta_finder {
    struct arena *scratch;
    const struct ssa *ssa;
    const struct loops *loops;
    struct predicate_lists *lists;
    VEC(struct left_loop) found;
    VEC(struct left_loops) made;
    uint32_t *first_made; /* per loop: the first of `made` of which it is the inner one, or GRAPH_NONE */
};

/* Notes that a value is used in a block. */
static void note_use(struct eta_finder *finder, uint32_t value, uint32_t block) {
    const struct loops *loops = finder->loops;
    if (value == SSA_NONE) return;
    uint32_t loop = loops->innermost[finder->ssa->values[value].block];
    if (loop == GRAPH_NONE || loop_contains(loops, loop, block)) return;
    for (;;) {
        uint32_t parent = loops->items[loop].parent;
        if (parent == GRAPH_NONE || loop_contains(loops, parent, block)) break;
        loop = parent;
    }
    arena_push(finder->scratch, &finder->found, ((struct left_loop){value, loop}));
}

static void note_uses(struct eta_finder *finder) {
    const struct ssa *ssa = finder->ssa;
    for (uint32_t i = 0; i < ssa->cfg->function->inst_count; i++) {
        for (uint32_t u = ssa->first_use[i]; u < ssa->first_use[i + 1]; u++)
            note_use(finder, ssa->uses[u], ssa->cfg->block_of[i]);
    }
    for (uint32_t v = 0; v < ssa->value_count; v++) {
        const struct ssa_value *value = &ssa->values[v];
        for (uint32_t a = 0; a < value->argument_count; a++)
            note_use(finder, ssa->arguments[value->first_argument + a], value->block);
    }
}

static int left_loop_order(const void *a, const void *b) {
    const struct left_loop *x = a;
    const struct left_loop *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->loop < y->loop ? -1 : x->loop > y->loop;
}

/* The predicates of leaving the loops from `inner` to `outer`. They are listed once. */
static void list_of(struct eta_finder *finder, uint32_t inner, uint32_t outer, struct predicate_list *list) {
    struct predicate_lists *lists = finder->lists;
    for (uint32_t m = finder->first_made[inner]; m != GRAPH_NONE; m = finder->made.items[m].next) {
        if (finder->made.items[m].outer != outer) continue;
        *list = finder->made.items[m].list;
        return;
    }
    predicate_list_start(lists, list);
    for (uint32_t loop = inner;; loop = finder->loops->items[loop].parent) {
        predicate_list_add(lists, lists->of_loops[loop]);
        if (loop == outer) break;
    }
    predicate_list_end(lists, list);
    arena_push(finder->scratch, &finder->made,
               ((struct left_loops){outer, finder->first_made[inner], *list}));
    finder->first_made[inner] = (uint32_t)finder->made.count - 1;
}

static void write_etas(struct eta_finder *finder, struct arena *arena, struct gates *gates) {
    const struct left_loop *found = finder->found.items;
    size_t count = finder->found.count;
    if (count > 0) qsort(finder->found.items, count, sizeof *found, left_loop_order);
    gates->etas = arena_array(arena, count, sizeof *gates->etas);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && left_loop_order(&found[i - 1], &found[i]) == 0) continue;
        uint32_t inner = finder->loops->innermost[finder->ssa->values[found[i].value].block];
        struct predicate_list list;
        list_of(finder, inner, found[i].loop, &list);
        gates->etas[gates->eta_count++] = (struct eta){found[i].value, found[i].loop, list.first, list.count};
    }
}

/* Fills gates->etas and adds their predicates to the lists. */
static void etas_find(const struct ssa *ssa, const struct loops *loops, struct predicate_lists *lists,
                      struct arena *arena, struct gates *gates) {
    struct eta_finder finder = {.scratch = lists->arena, .ssa = ssa, .loops = loops, .lists = lists};
    finder.first_made = arena_array(finder.scratch, loops->count, sizeof *finder.first_made);
    memset(finder.first_made, 0xff, loops->count * sizeof *finder.first_made);
    note_uses(&finder);
    write_etas(&finder, arena, gates);
}

/* What the gates of a function are made with. */
struct gate_builder {
    struct arena scratch;
    const struct ssa *ssa;
    const struct cfg *cfg;
    const struct dominators *dominators;
    const struct loops *loops;
    struct decisions decisions;
    struct predicate_lists lists;
    uint32_t *edge_in;    /* per edge in the order of graph.in: its place in graph.out */
    uint32_t *end_of;     /* per value that is an argument of the phi at hand: its end */
    uint32_t *end_phi;    /* per value: the last phi that it was found an argument of, + 1 */
    uint32_t *ends;       /* per edge into the block at hand: its end, or GRAPH_NONE; room for any block */
    uint32_t *node_of;    /* per block that decides: its node */
    VEC(uint32_t) values; /* per end of the phi at hand: the argument */
    VEC(struct gate_node) nodes;
    struct predicate_list *of_joins; /* per irreducible region: the predicates of joins in it */
    struct gates gates;
};

/* Which of the edges into a block a search is about. */
enum arrivals { ARRIVE_ENTERING, ARRIVE_BACK };

static bool is_back_edge_into(const struct gate_builder *builder, uint32_t block, uint32_t arrival) {
    const struct adjacency *in = &builder->cfg->graph.in;
    return loop_is_back_edge(builder->dominators, in->nodes[in->first[block] + arrival], block);
}

static uint32_t edges_into(const struct gate_builder *builder, uint32_t block) {
    return builder->cfg->graph.in.first[block + 1] - builder->cfg->graph.in.first[block];
}

/* Numbers the different arguments of a phi: fills builder->values, and builder->ends by edge. Says whether
 * the edges fall into the same groups as those of the phi before. */
static void number_ends(struct gate_builder *builder, uint32_t number, bool *same) {
    const struct ssa_value *phi = &builder->ssa->values[number];
    *same = true;
    builder->values.count = 0;
    for (uint32_t a = 0; a < edges_into(builder, phi->block); a++) {
        uint32_t argument = builder->ssa->arguments[phi->first_argument + a];
        uint32_t end = GRAPH_NONE;
        if (argument != SSA_NONE && builder->end_phi[argument] != number + 1) {
            builder->end_phi[argument] = number + 1;
            builder->end_of[argument] = (uint32_t)builder->values.count;
            arena_push(&builder->scratch, &builder->values, argument);
        }
        if (argument != SSA_NONE) end = builder->end_of[argument];
        *same &= builder->ends[a] == end;
        builder->ends[a] = end;
    }
}

/* Searches for what decides by which of the edges into a block, those of one kind, threads arrive. */
static void search_arrivals(struct gate_builder *builder, uint32_t block, enum arrivals kind, uint32_t first,
                            uint32_t around) {
    const struct adjacency *in = &builder->cfg->graph.in;
    uint32_t different = 0;
    uint32_t last = GRAPH_NONE;
    decisions_start(&builder->decisions);
    for (uint32_t a = 0; a < edges_into(builder, block); a++) {
        uint32_t end = builder->ends[a];
        if (end == GRAPH_NONE || is_back_edge_into(builder, block, a) != (kind == ARRIVE_BACK)) continue;
        different += end != last;
        last = end;
        decisions_add_end(&builder->decisions, builder->edge_in[in->first[block] + a], end);
    }
    if (different < 2) return;
    decisions_take_between(&builder->decisions, first);
    decisions_find(&builder->decisions, around);
}

static bool is_indirect(const struct gate_builder *builder, uint32_t block) {
    return cfg_last(builder->cfg, block)->form->op == PTX_OP_BRX_IDX;
}

/* Whether the last search found what a decision graph can show: branches with two sides each. */
static bool is_graph(const struct gate_builder *builder) {
    const struct decisions *decisions = &builder->decisions;
    if (decisions->regions_deciding.count > 0) return false;
    for (size_t i = 0; i < decisions->deciders.count; i++) {
        if (is_indirect(builder, decisions->deciders.items[i])) return false;
    }
    return true;
}

static void build_mu(struct gate_builder *builder, uint32_t block, struct gate *gate) {
    uint32_t loop = builder->loops->innermost[block];
    struct predicate_list list;
    gate->kind = GATE_MU;
    predicate_list_start(&builder->lists, &list);
    search_arrivals(builder, block, ARRIVE_BACK, block, loop);
    predicate_list_add_found(&builder->lists);
    if (block != CFG_ENTRY) {
        uint32_t dominator = builder->dominators->parent[block];

        search_arrivals(builder, block, ARRIVE_ENTERING, dominator, builder->loops->items[loop].parent);
        predicate_list_add_found(&builder->lists);
    }
    predicate_list_end(&builder->lists, &list);
    gate->first_predicate = list.first;
    gate->predicate_count = list.count;
}

static void build_gamma(struct gate_builder *builder, uint32_t block, struct gate *gate) {
    struct predicate_list list;
    predicate_list_start(&builder->lists, &list);
    search_arrivals(builder, block, ARRIVE_ENTERING, builder->dominators->parent[block],
                    builder->loops->innermost[block]);
    predicate_list_add_found(&builder->lists);
    predicate_list_end(&builder->lists, &list);
    gate->kind = is_graph(builder) ? GATE_GAMMA : GATE_OPAQUE;
    gate->first_predicate = list.first;
    gate->predicate_count = list.count;
}

static void use_region(const struct gate_builder *builder, uint32_t region, struct gate *gate) {
    gate->kind = GATE_OPAQUE;
    gate->first_predicate = builder->of_joins[region].first;
    gate->predicate_count = builder->of_joins[region].count;
}

/* The node that stands for a label in the decision graph whose leaves start at `first_leaf`. */
static uint32_t node_of_label(const struct gate_builder *builder, uint32_t label, uint32_t first_leaf) {
    uint32_t blocks = decision_end_label(builder->cfg, 0);
    return label < blocks ? builder->node_of[label] : first_leaf + (label - blocks);
}

/* Writes a phi's decision graph, whose ends the last search was about: leaves, then what decides, from the
 * join upwards, so that every node leads to earlier ones. */
static void write_graph(struct gate_builder *builder, uint32_t block, struct gate *gate) {
    const struct decisions *decisions = &builder->decisions;
    const struct ssa *ssa = builder->ssa;
    uint32_t first_leaf = (uint32_t)builder->nodes.count;
    if (builder->nodes.count + builder->values.count + decisions->deciders.count >= UINT32_MAX)
        arena_fail(&builder->scratch, WB_ERR_LIMIT);
    for (size_t i = 0; i < builder->values.count; i++)
        arena_push(&builder->scratch, &builder->nodes,
                   ((struct gate_node){GRAPH_NONE, builder->values.items[i], 0, 0}));
    for (size_t i = 0; i < decisions->deciders.count; i++) {
        uint32_t decider = decisions->deciders.items[i];
        const struct cfg_block *range = &builder->cfg->blocks[decider];
        uint32_t edge = builder->cfg->graph.out.first[decider];
        uint32_t taken = decisions_edge_label(decisions, decider, edge);
        uint32_t fallen = decisions_edge_label(decisions, decider, edge + 1);
        struct gate_node node = {.block = decider,
                                 .predicate = ssa->uses[ssa->first_use[range->first + range->count - 1]],
                                 .taken = node_of_label(builder, taken, first_leaf),
                                 .fallen = node_of_label(builder, fallen, first_leaf)};
        builder->node_of[decider] = (uint32_t)builder->nodes.count;
        arena_push(&builder->scratch, &builder->nodes, node);
    }
    gate->root = first_leaf;
    if (decisions->nodes.count > 0)
        gate->root = node_of_label(builder, decisions->label[builder->dominators->parent[block]], first_leaf);
}

/* The gates of a block's phis. Those whose equal arguments come by the same edges share a search. */
static void build_block(struct gate_builder *builder, uint32_t block) {
    const struct ssa *ssa = builder->ssa;
    uint32_t region = builder->loops->region_of[block];
    bool heads_loop = loop_is_header(builder->loops, block);
    struct gate gate = {0};
    for (uint32_t p = 0; p < ssa->phi_count[block]; p++) {
        bool same;
        number_ends(builder, ssa->first_phi[block] + p, &same);
        if (region != GRAPH_NONE) {
            use_region(builder, region, &gate);
        } else if (p == 0 || !same) {
            (heads_loop ? build_mu : build_gamma)(builder, block, &gate);
        }
        if (gate.kind == GATE_GAMMA) write_graph(builder, block, &gate);
        builder->gates.phis[ssa->first_phi[block] + p] = gate;
    }
}

/* The predicates of all joins in an irreducible region: all that decide inside it, and what decides by which
 * edge it is entered. Blocks that it is entered at have the same immediate dominator, outside of it. */
static void build_region(struct gate_builder *builder, uint32_t number) {
    const struct loops *loops = builder->loops;
    const struct irreducible_region *region = &loops->regions[number];
    const struct adjacency *in = &builder->cfg->graph.in;
    struct predicate_list *list = &builder->of_joins[number];
    uint32_t first = GRAPH_NONE;
    uint32_t end = 0;
    decisions_start(&builder->decisions);
    for (uint32_t m = 0; m < region->member_count; m++) {
        uint32_t block = loops->region_members[region->first_member + m];
        for (uint32_t i = in->first[block]; i < in->first[block + 1]; i++) {
            uint32_t from = in->nodes[i];
            if (builder->decisions.rank[from] == GRAPH_NONE || loops->region_of[from] == number ||
                loop_is_back_edge(builder->dominators, from, block))
                continue;
            first = builder->dominators->parent[block];
            decisions_add_end(&builder->decisions, builder->edge_in[i], end++);
        }
    }
    decisions_take_between(&builder->decisions, first);
    decisions_find(&builder->decisions, decisions_loop_around(loops, number));
    predicate_list_start(&builder->lists, list);
    predicate_list_add(&builder->lists, builder->lists.of_regions[number]);
    predicate_list_add_found(&builder->lists);
    predicate_list_end(&builder->lists, list);
}

/* A copy of items in the arena. */
static void *keep(struct arena *arena, const void *items, size_t count, size_t size) {
    void *copy = arena_array(arena, count, size);
    if (count > 0) memcpy(copy, items, count * size);
    return copy;
}

static void prepare(struct gate_builder *builder, struct arena *arena) {
    const uint32_t values = builder->ssa->value_count;
    const struct graph *graph = &builder->cfg->graph;
    struct arena *scratch = &builder->scratch;
    builder->gates.phis = arena_array(arena, values, sizeof *builder->gates.phis);
    builder->end_of = arena_array(scratch, values, sizeof *builder->end_of);
    builder->end_phi = arena_array(scratch, values, sizeof *builder->end_phi);
    builder->ends = arena_array(scratch, graph->edge_count, sizeof *builder->ends);
    builder->node_of = arena_array(scratch, graph->node_count, sizeof *builder->node_of);
    builder->of_joins = arena_array(scratch, builder->loops->region_count, sizeof *builder->of_joins);
    builder->edge_in = arena_array(scratch, graph->edge_count, sizeof *builder->edge_in);
    const uint32_t *arrivals = graph_arrivals(scratch, graph);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        builder->edge_in[arrivals[e]] = e;
    decisions_init(builder->cfg, builder->dominators, builder->loops, scratch, &builder->decisions);
    predicate_lists_init(builder->ssa, builder->loops, &builder->decisions, scratch, &builder->lists);
}

struct gates gates_build(const struct ssa *ssa, const struct dominators *dominators,
                         const struct loops *loops, struct arena *arena) {
    struct gate_builder builder = {.ssa = ssa, .cfg = ssa->cfg, .dominators = dominators, .loops = loops};
    struct gates *gates = &builder.gates;
    arena_bind(&builder.scratch, arena);
    prepare(&builder, arena);
    for (uint32_t region = 0; region < loops->region_count; region++)
        build_region(&builder, region);
    for (uint32_t block = 0; block < ssa->cfg->block_count; block++)
        build_block(&builder, block);
    etas_find(ssa, loops, &builder.lists, arena, gates);
    const struct predicate_lists *lists = &builder.lists;
    gates->node_count = (uint32_t)builder.nodes.count;
    gates->nodes = keep(arena, builder.nodes.items, builder.nodes.count, sizeof *gates->nodes);
    gates->predicates = keep(arena, lists->items.items, lists->items.count, sizeof *gates->predicates);
    arena_free(&builder.scratch);
    return builder.gates;
}
