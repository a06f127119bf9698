#include "flow/graph/graph.h"

#include <assert.h>
#include <string.h>

/* The state of Lengauer and Tarjan's algorithm. Everything is counted in numbers of the depth-first walk, so
 * that "earlier in the walk" is "less". */
struct lengauer {
    struct graph_walk walk;
    uint32_t *semi;     /* semidominator */
    uint32_t *ancestor; /* parent in the forest of nodes already processed, paths compressed */
    uint32_t *label;    /* the node of least semidominator on the compressed path */
    uint32_t *idom;
    uint32_t *bucket; /* by number s: first node whose semidominator is s and whose idom is open */
    uint32_t *next;   /* by node: the next of its bucket */
    uint32_t *stack;
};

static struct lengauer lengauer_start(struct arena *arena, const struct graph *graph, uint32_t root) {
    struct lengauer state = {.walk = graph_walk_from(arena, graph->node_count, &graph->out, root)};
    size_t count = state.walk.count;
    uint32_t *scratch = arena_array(arena, count, 7 * sizeof *scratch);
    state.semi = scratch;
    state.ancestor = scratch + count;
    state.label = scratch + 2 * count;
    state.idom = scratch + 3 * count;
    state.bucket = scratch + 4 * count;
    state.next = scratch + 5 * count;
    state.stack = scratch + 6 * count;
    for (uint32_t n = 0; n < count; n++) {
        state.semi[n] = state.label[n] = n;
        state.ancestor[n] = state.bucket[n] = GRAPH_NONE;
    }
    return state;
}

/* The node of least semidominator among `n` and its ancestors in the forest, without the forest's root. */
static uint32_t lengauer_eval(struct lengauer *state, uint32_t n) {
    uint32_t *ancestor = state->ancestor;
    if (ancestor[n] == GRAPH_NONE) return n;
    uint32_t depth = 0;
    for (uint32_t u = n; ancestor[ancestor[u]] != GRAPH_NONE; u = ancestor[u])
        state->stack[depth++] = u;
    while (depth > 0) {
        uint32_t u = state->stack[--depth];
        uint32_t above = ancestor[u];
        if (state->semi[state->label[above]] < state->semi[state->label[u]])
            state->label[u] = state->label[above];
        ancestor[u] = ancestor[above];
    }
    return state->label[n];
}

/* Immediate dominators, by number; those found as "the same as u's" are resolved by the second loop. */
static void lengauer_run(struct lengauer *state, const struct adjacency *in) {
    const struct graph_walk *walk = &state->walk;
    for (uint32_t n = walk->count - 1; n > 0; n--) {
        uint32_t node = walk->node[n];
        for (uint32_t i = in->first[node]; i < in->first[node + 1]; i++) {
            uint32_t before = walk->number[in->nodes[i]];
            if (before == GRAPH_NONE) continue;
            uint32_t least = state->semi[lengauer_eval(state, before)];
            if (least < state->semi[n]) state->semi[n] = least;
        }
        state->next[n] = state->bucket[state->semi[n]];
        state->bucket[state->semi[n]] = n;
        uint32_t parent = walk->parent[n];
        state->ancestor[n] = parent;
        for (uint32_t b = state->bucket[parent]; b != GRAPH_NONE; b = state->next[b]) {
            uint32_t u = lengauer_eval(state, b);
            state->idom[b] = state->semi[u] < state->semi[b] ? u : parent;
        }
        state->bucket[parent] = GRAPH_NONE;
    }
    for (uint32_t n = 1; n < walk->count; n++) {
        if (state->idom[n] != state->semi[n]) state->idom[n] = state->idom[state->idom[n]];
    }
}

/* Fills the tree in from immediate dominators. A dominator comes earlier in the walk than what it dominates,
 * so one pass against and one along the walk number the tree without descending into it. */
static void tree_fill(const struct lengauer *state, struct dominators *tree) {
    const struct graph_walk *walk = &state->walk;
    for (uint32_t n = walk->count - 1; n > 0; n--) {
        uint32_t node = walk->node[n];
        tree->parent[node] = walk->node[state->idom[n]];
        tree->descendants[node]++;
        tree->descendants[tree->parent[node]] += tree->descendants[node];
    }
    tree->descendants[tree->root]++;
    tree->first[tree->root] = 1;
    uint32_t *unused = state->stack; /* by number: the next number below that node */
    unused[0] = 2;
    for (uint32_t n = 1; n < walk->count; n++) {
        uint32_t node = walk->node[n];
        tree->first[node] = unused[state->idom[n]];
        unused[state->idom[n]] += tree->descendants[node];
        unused[n] = tree->first[node] + 1;
    }
}

struct dominators dominators_build(struct arena *arena, const struct graph *graph, uint32_t root) {
    struct arena scratch = {0};
    size_t count = graph->node_count;
    struct dominators tree = {.root = root,
                              .parent = arena_array(arena, count, sizeof(uint32_t)),
                              .first = arena_array(arena, count, sizeof(uint32_t)),
                              .descendants = arena_array(arena, count, sizeof(uint32_t))};
    memset(tree.parent, 0xff, count * sizeof *tree.parent);
    arena_bind(&scratch, arena);
    struct lengauer state = lengauer_start(&scratch, graph, root);
    lengauer_run(&state, &graph->in);
    tree_fill(&state, &tree);
    assert(tree.descendants[root] == state.walk.count);
    arena_free(&scratch);
    return tree;
}

/* The node of a component that control cannot leave from which an edge to the exit is added. */
static uint32_t last_node(const struct graph *graph, const struct graph_components *components,
                          uint32_t component) {
    uint32_t entry = components->entry[component];
    uint32_t last = GRAPH_NONE;
    for (uint32_t i = graph->in.first[entry]; i < graph->in.first[entry + 1]; i++) {
        uint32_t node = graph->in.nodes[i];
        if (components->of[node] == component && (last == GRAPH_NONE || node > last)) last = node;
    }
    return last == GRAPH_NONE ? entry : last;
}

/* Appends to `edges` (`*count` of them) a reversed edge for each component without a way out. */
static void add_missing_exits(struct arena *scratch, const struct graph *graph, uint32_t exit,
                              struct graph_edge *edges, uint32_t *count) {
    struct graph_components components = graph_find_components(scratch, graph);
    bool *left = arena_array(scratch, components.count, sizeof *left);
    left[components.of[exit]] = true;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        for (uint32_t i = graph->out.first[node]; i < graph->out.first[node + 1]; i++) {
            if (components.of[graph->out.nodes[i]] != components.of[node]) left[components.of[node]] = true;
        }
    }
    for (uint32_t c = 0; c < components.count; c++) {
        if (!left[c]) edges[(*count)++] = (struct graph_edge){exit, last_node(graph, &components, c)};
    }
}

/* The graph with its edges reversed, changed as post_dominators_build documents. */
static struct graph reverse(struct arena *scratch, const struct graph *graph, uint32_t exit) {
    struct graph_walk to_exit = graph_walk_from(scratch, graph->node_count, &graph->in, exit);
    size_t room = (size_t)graph->edge_count + graph->node_count;
    struct graph_edge *edges = arena_array(scratch, room, sizeof *edges);
    uint32_t count = 0;
    for (uint32_t node = 0; node < graph->node_count; node++) {
        bool returns = to_exit.number[node] != GRAPH_NONE;
        for (uint32_t i = graph->out.first[node]; i < graph->out.first[node + 1]; i++) {
            uint32_t to = graph->out.nodes[i];
            if (returns && to_exit.number[to] == GRAPH_NONE) continue;
            edges[count++] = (struct graph_edge){to, node};
        }
    }
    if (to_exit.count < graph->node_count) add_missing_exits(scratch, graph, exit, edges, &count);
    assert(count <= room);
    return graph_build(scratch, graph->node_count, edges, count);
}

struct dominators post_dominators_build(struct arena *arena, const struct graph *graph, uint32_t exit) {
    struct arena scratch = {0};
    arena_bind(&scratch, arena);
    struct graph reversed = reverse(&scratch, graph, exit);
    struct dominators tree = dominators_build(arena, &reversed, exit);
    arena_free(&scratch);
    return tree;
}

bool dominates(const struct dominators *tree, uint32_t dominator, uint32_t node) {
    if (tree->first[dominator] == 0 || tree->first[node] == 0) return false;
    return tree->first[node] - tree->first[dominator] < tree->descendants[dominator];
}
