/* Iterated dominance frontiers by the algorithm of Sreedhar and Gao (POPL 1995): the blocks that write a
 * register are taken from the deepest of the dominator tree to the highest, and of each the subtree is
 * searched for edges that leave it upwards. A node that was searched for a deeper block has nothing to add
 * for a higher one, so a register takes time linear in the graph, where sets of dominance frontiers can take
 * quadratic memory. */
#include "flow/phi_places.h"

#include <string.h>

#include "flow/reg_pairs.h"

/* A block, written by or joining the register at hand, whose subtree is to be searched. */
struct pending {
    uint32_t block;
    uint32_t next; /* of the same depth, or GRAPH_NONE; index into search.pending */
};

struct search {
    const struct cfg *cfg;
    const struct dominators *dominators;
    const struct liveness *liveness;
    uint32_t *preorder; /* by number in the tree's preorder, from 1: the node */
    uint32_t *depth;    /* by node: in the dominator tree, from 1; 0: not reached */
    uint32_t *escape;   /* by node: least depth that an edge from its subtree leads to, the tree's own edges
                           left out; UINT32_MAX: there is no such edge */
    bool *joined;       /* by register: live at some join */
    uint32_t *by_depth; /* first pending block of each depth, or GRAPH_NONE */
    uint32_t *searched; /* by node: the register that it was searched for last, + 1 */
    uint32_t *placed;   /* by node: the register that it was last found to join, + 1 */
    VEC(struct pending) pending;
    struct reg_pairs writes; /* each block once a register */
    struct reg_pairs joins;  /* by register */
};

static bool is_reached(const struct search *search, uint32_t node) {
    return search->depth[node] != 0;
}

/* Whether an edge is one of the dominator tree: it cannot lead out of a subtree. */
static bool is_tree_edge(const struct search *search, uint32_t from, uint32_t to) {
    return search->dominators->parent[to] == from;
}

static void find_depths(struct search *search) {
    const struct dominators *tree = search->dominators;
    uint32_t nodes = search->cfg->graph.node_count;
    uint32_t reached = tree->descendants[tree->root];
    for (uint32_t node = 0; node < nodes; node++) {
        if (tree->first[node] != 0) search->preorder[tree->first[node]] = node;
    }
    for (uint32_t i = 1; i <= reached; i++) {
        uint32_t node = search->preorder[i];
        search->depth[node] = node == tree->root ? 1 : search->depth[tree->parent[node]] + 1;
    }
}

/* Fills `escape`, from the leaves of the tree to its root. */
static void find_escapes(struct search *search) {
    const struct adjacency *out = &search->cfg->graph.out;
    const struct dominators *tree = search->dominators;
    memset(search->escape, 0xff, search->cfg->graph.node_count * sizeof *search->escape);
    for (uint32_t i = tree->descendants[tree->root]; i >= 1; i--) {
        uint32_t node = search->preorder[i];
        uint32_t least = search->escape[node];
        for (uint32_t e = out->first[node]; e < out->first[node + 1]; e++) {
            uint32_t to = out->nodes[e];
            if (!is_tree_edge(search, node, to) && search->depth[to] < least) least = search->depth[to];
        }
        search->escape[node] = least;
        uint32_t parent = tree->parent[node];
        if (parent != GRAPH_NONE && least < search->escape[parent]) search->escape[parent] = least;
    }
}

/* The registers live at a block that an edge other than the tree's leads to: no others have phis. */
static void find_joined(struct search *search) {
    const struct cfg *cfg = search->cfg;
    const struct adjacency *in = &cfg->graph.in;
    const struct liveness *live = search->liveness;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        bool joins = false;
        for (uint32_t e = in->first[block]; e < in->first[block + 1]; e++)
            joins |= is_reached(search, in->nodes[e]) && !is_tree_edge(search, in->nodes[e], block);
        if (!joins || !is_reached(search, block)) continue;
        for (uint32_t i = live->first[block]; i < live->first[block + 1]; i++)
            search->joined[live->regs[i]] = true;
    }
}

/* Lists which blocks write the registers that can have phis, each block once a register. */
static wb_status list_writes(struct search *search, uint32_t *written_in) {
    const struct cfg *cfg = search->cfg;
    struct ptx_regs regs;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        if (!is_reached(search, block)) continue;
        for (uint32_t i = 0; i < cfg->blocks[block].count; i++) {
            ptx_inst_regs(cfg->function, &cfg->function->insts[cfg->blocks[block].first + i], &regs);
            for (uint32_t w = 0; w < regs.written_count; w++) {
                uint32_t reg = regs.written[w];
                if (!search->joined[reg] || written_in[reg] == block + 1) continue;
                written_in[reg] = block + 1;
                WB_TRY(vec_push(&search->writes, ((struct reg_pair){reg, block})));
            }
        }
    }
    return WB_OK;
}

/* Adds a block to those whose subtree is to be searched, unless nothing leaves the subtree upwards. */
static wb_status add_pending(struct search *search, uint32_t block) {
    uint32_t depth = search->depth[block];
    if (search->escape[block] > depth) return WB_OK;
    WB_TRY(vec_push(&search->pending, ((struct pending){block, search->by_depth[depth]})));
    search->by_depth[depth] = (uint32_t)search->pending.count - 1;
    return WB_OK;
}

/* Finds the blocks that edges from the subtree of `root` lead to, no deeper than `root`: its dominance
 * frontier, as far as deeper blocks have not found it. The subtree is a range of the preorder. */
static wb_status search_subtree(struct search *search, uint32_t root, uint32_t reg) {
    const struct dominators *tree = search->dominators;
    const struct adjacency *out = &search->cfg->graph.out;
    uint32_t depth = search->depth[root];
    uint32_t end = tree->first[root] + tree->descendants[root];
    for (uint32_t i = tree->first[root]; i < end;) {
        uint32_t node = search->preorder[i];
        if (search->searched[node] == reg + 1 || search->escape[node] > depth) {
            i += tree->descendants[node];
            continue;
        }
        search->searched[node] = reg + 1;
        i++;
        for (uint32_t e = out->first[node]; e < out->first[node + 1]; e++) {
            uint32_t to = out->nodes[e];
            if (is_tree_edge(search, node, to) || search->depth[to] > depth) continue;
            if (to == search->cfg->exit || search->placed[to] == reg + 1) continue;
            if (!live_at_start(search->liveness, to, reg)) continue;
            search->placed[to] = reg + 1;
            WB_TRY(vec_push(&search->joins, ((struct reg_pair){reg, to})));
            WB_TRY(add_pending(search, to));
        }
    }
    return WB_OK;
}

/* Finds all joins of one register, which `count` blocks write. Joins are no deeper than what they are found
 * from, so depths are gone through once. */
static wb_status place_reg(struct search *search, const struct reg_pair *writes, size_t count) {
    uint32_t deepest = 0;
    search->pending.count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = search->pending.count;
        WB_TRY(add_pending(search, writes[i].node));
        uint32_t depth = search->depth[writes[i].node];
        if (search->pending.count > before && depth > deepest) deepest = depth;
    }
    size_t done = 0;
    for (uint32_t depth = deepest; done < search->pending.count; depth--) {
        while (search->by_depth[depth] != GRAPH_NONE) {
            struct pending taken = search->pending.items[search->by_depth[depth]];
            search->by_depth[depth] = taken.next;
            done++;
            WB_TRY(search_subtree(search, taken.block, writes[0].reg));
        }
    }
    return WB_OK;
}

static wb_status place_all(struct search *search, struct arena *scratch) {
    uint32_t regs = search->cfg->function->reg_count + 1;
    uint32_t *written_in = arena_array(scratch, regs, sizeof *written_in);
    uint32_t *first = arena_array(scratch, (size_t)regs + 1, sizeof *first);
    if (written_in == NULL || first == NULL) return WB_ERR_LIMIT;
    WB_TRY(list_writes(search, written_in));
    struct reg_pair *sorted = arena_array(scratch, search->writes.count, sizeof *sorted);
    if (sorted == NULL) return WB_ERR_LIMIT;
    reg_pairs_sort(&search->writes, REG_PAIR_REG, regs, first, sorted);
    for (uint32_t reg = 0; reg < regs; reg++) {
        if (first[reg + 1] > first[reg])
            WB_TRY(place_reg(search, sorted + first[reg], first[reg + 1] - first[reg]));
    }
    return WB_OK;
}

/* Writes the joins by block; within one they stay in the order of registers. */
static wb_status write_places(const struct search *search, struct arena *arena, struct arena *scratch,
                              struct phi_places *places) {
    uint32_t blocks = search->cfg->block_count;
    size_t count = search->joins.count;
    if (count >= UINT32_MAX) return WB_ERR_LIMIT;
    struct reg_pair *sorted = arena_array(scratch, count, sizeof *sorted);
    struct phi_places made = {.first = arena_array(arena, (size_t)blocks + 1, sizeof(uint32_t)),
                              .regs = arena_array(arena, count, sizeof(uint32_t))};
    if (sorted == NULL || made.first == NULL || made.regs == NULL) return WB_ERR_LIMIT;
    reg_pairs_sort(&search->joins, REG_PAIR_NODE, blocks, made.first, sorted);
    for (size_t i = 0; i < count; i++)
        made.regs[i] = sorted[i].reg;
    *places = made;
    return WB_OK;
}

static wb_status search_start(struct search *search, struct arena *scratch) {
    size_t nodes = search->cfg->graph.node_count;
    uint32_t *arrays = arena_array(scratch, nodes + 1, 6 * sizeof *arrays);
    search->joined =
        arena_array(scratch, (size_t)search->cfg->function->reg_count + 1, sizeof *search->joined);
    if (arrays == NULL || search->joined == NULL) return WB_ERR_LIMIT;
    search->preorder = arrays;
    search->depth = arrays + (nodes + 1);
    search->escape = arrays + 2 * (nodes + 1);
    search->by_depth = arrays + 3 * (nodes + 1);
    search->searched = arrays + 4 * (nodes + 1);
    search->placed = arrays + 5 * (nodes + 1);
    memset(search->by_depth, 0xff, (nodes + 1) * sizeof *search->by_depth);
    find_depths(search);
    find_escapes(search);
    find_joined(search);
    return WB_OK;
}

wb_status phi_places_find(const struct cfg *cfg, const struct dominators *dominators,
                          const struct liveness *liveness, struct arena *arena, struct phi_places *places) {
    struct arena scratch = {0};
    struct search search = {.cfg = cfg, .dominators = dominators, .liveness = liveness};
    wb_status status = search_start(&search, &scratch);
    if (status == WB_OK) status = place_all(&search, &scratch);
    if (status == WB_OK) status = write_places(&search, arena, &scratch, places);
    vec_free(&search.pending);
    vec_free(&search.writes);
    vec_free(&search.joins);
    arena_free(&scratch);
    return status;
}
