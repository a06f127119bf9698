#include "flow/graph/graph.h"

#include <string.h>

/* A BSSY: lanes go on together at the block `target`. */
struct opening {
    uint32_t block, inst, target;
    bool *inside; /* per node: control can be there before it is at the target */
};

struct finder {
    const struct cfg *cfg;
    const struct dominators *dominators;
    struct arena *arena;
    VEC(struct opening) openings;
    bool *met;       /* per node, of a walk */
    uint32_t *queue; /* nodes of the walk */
    uint32_t count;
};

static void reach(struct finder *finder, bool *met, uint32_t node) {
    if (met[node]) return;
    met[node] = true;
    finder->queue[finder->count++] = node;
}

/* Goes from a block's successors wherever control can go, but not into `avoided`; marks what it meets. */
static void walk(struct finder *finder, uint32_t from, uint32_t avoided, bool *met) {
    const struct adjacency *out = &finder->cfg->graph.out;
    finder->count = 0;
    for (uint32_t e = out->first[from]; e < out->first[from + 1]; e++)
        if (out->nodes[e] != avoided) reach(finder, met, out->nodes[e]);
    for (uint32_t i = 0; i < finder->count; i++) {
        const uint32_t node = finder->queue[i];
        for (uint32_t e = out->first[node]; e < out->first[node + 1]; e++)
            if (out->nodes[e] != avoided) reach(finder, met, out->nodes[e]);
    }
}

static void find_openings(struct finder *finder) {
    const struct cfg *cfg = finder->cfg;
    const struct ptx_function *function = cfg->function;
    for (uint32_t i = 0; i < function->inst_count; i++) {
        if (function->insts[i].form->op != PTX_OP_BSSY) continue;
        const uint32_t target = function->labels[ptx_operands(function, &function->insts[i])[1].index].target;
        struct opening opening = {.block = cfg->block_of[i],
                                  .inst = i,
                                  .target = target < function->inst_count ? cfg->block_of[target] : cfg->exit,
                                  .inside = arena_array(finder->arena, cfg->graph.node_count, sizeof(bool))};
        opening.inside[opening.block] = true;
        walk(finder, opening.block, opening.target, opening.inside);
        arena_push(finder->arena, &finder->openings, opening);
    }
}

/* Whether lanes that come to the end of a block are in the set of an opening, unless they have left it. */
static bool is_open(const struct finder *finder, const struct opening *opening, uint32_t block) {
    return opening->inside[block] && dominates(finder->dominators, opening->block, block);
}

/* Whether a block has what lanes of several parts may meet at besides the ends of sets. */
static bool joins_otherwise(const struct cfg *cfg, uint32_t node) {
    if (node == cfg->exit) return false;
    for (uint32_t i = cfg->blocks[node].first; i < cfg->blocks[node].first + cfg->blocks[node].count; i++) {
        const uint8_t op = cfg->function->insts[i].form->op;
        if (op == PTX_OP_WARPSYNC || op == PTX_OP_BAR) return true;
    }
    return false;
}

/* Whether an opening is executed behind another one, both on every way to some block. */
static bool is_inner(const struct finder *finder, const struct opening *a, const struct opening *b) {
    if (a->block == b->block) return a->inst > b->inst;
    return dominates(finder->dominators, b->block, a->block);
}

/* Whether lanes that a block's branch divides meet at the target of an opening if they meet at all. */
static bool meets_at(struct finder *finder, uint32_t block, const struct opening *opening) {
    const uint32_t nodes = finder->cfg->graph.node_count;
    memset(finder->met, 0, nodes * sizeof *finder->met);
    walk(finder, block, opening->target, finder->met);
    if (opening->target == finder->cfg->exit || finder->met[opening->block]) return false;
    for (size_t i = 0; i < finder->openings.count; i++) {
        const struct opening *other = &finder->openings.items[i];
        if (!is_open(finder, other, block) || is_inner(finder, other, opening)) continue;
        if (other->target != opening->target && finder->met[other->target]) return false;
    }
    for (uint32_t i = 0; i < finder->count; i++)
        if (joins_otherwise(finder->cfg, finder->queue[i])) return false;
    return true;
}

/* The innermost opening around a block, inside of which `inner` is or which is no other one; NULL: none. */
static const struct opening *next_outer(const struct finder *finder, uint32_t block,
                                        const struct opening *inner) {
    const struct opening *best = NULL;
    for (size_t i = 0; i < finder->openings.count; i++) {
        const struct opening *opening = &finder->openings.items[i];
        if (!is_open(finder, opening, block)) continue;
        if (inner != NULL && (opening == inner || !is_inner(finder, inner, opening))) continue;
        if (best == NULL || is_inner(finder, opening, best)) best = opening;
    }
    return best;
}

uint32_t *convergence_find(const struct cfg *cfg, const struct dominators *dominators, struct arena *arena) {
    struct arena scratch = {0};
    arena_bind(&scratch, arena);
    const uint32_t nodes = cfg->graph.node_count;
    struct finder finder = {.cfg = cfg, .dominators = dominators, .arena = &scratch};
    finder.met = arena_array(&scratch, nodes, sizeof *finder.met);
    finder.queue = arena_array(&scratch, nodes, sizeof *finder.queue);
    uint32_t *meetings = arena_array(arena, nodes, sizeof *meetings);
    find_openings(&finder);
    for (uint32_t b = 0; b < nodes; b++) {
        meetings[b] = cfg->exit;
        if (b == cfg->exit || !cfg_has_choice(cfg, b) || !cfg_is_branch(cfg_last(cfg, b))) continue;
        const struct opening *opening = next_outer(&finder, b, NULL);
        while (opening != NULL && !meets_at(&finder, b, opening))
            opening = next_outer(&finder, b, opening);
        if (opening != NULL) meetings[b] = opening->target;
    }
    arena_free(&scratch);
    return meetings;
}

uint32_t *convergence_points(const struct cfg *cfg, const struct dominators *dominators,
                             struct arena *arena) {
    const uint32_t inst_count = cfg->function->inst_count;
    const uint32_t *meetings = convergence_find(cfg, dominators, arena);
    uint32_t *points = arena_array(arena, inst_count, sizeof *points);
    memset(points, 0xff, inst_count * sizeof *points);
    for (uint32_t b = 0; b < cfg->block_count; b++)
        if (meetings[b] != cfg->exit)
            points[cfg->blocks[b].first + cfg->blocks[b].count - 1] = cfg->blocks[meetings[b]].first;
    return points;
}
