#include "flow/graph/graph.h"

#include <assert.h>
#include <string.h>

/* The state of building a function's graph. */
struct builder {
    const struct ptx_function *function;
    struct arena scratch;
    uint32_t *targets; /* of the branch looked at */
    uint32_t target_room;
    VEC(struct graph_edge) edges;
    VEC(uint8_t) kinds;
    uint32_t *named_by; /* per block: the block whose brx.idx named it last, + 1 */
};

static bool leaves_function(const struct ptx_inst *inst) {
    return inst->form->op == PTX_OP_RET || inst->form->op == PTX_OP_EXIT;
}

/* Whether nothing behind the instruction is executed in one go with it. */
static bool ends_block(const struct ptx_inst *inst) {
    return cfg_is_branch(inst) || leaves_function(inst) || ptx_ends_grid(inst->form);
}

/* Whether lanes of machine code wait for others before they go on behind the instruction: where they do, a
 * block begins. */
static bool meets_others(const struct ptx_inst *inst) {
    return inst->form->op == PTX_OP_BSYNC || inst->form->op == PTX_OP_WARPSYNC;
}

/* Fills builder->targets with where the branch goes; returns how many there are. */
static uint32_t read_targets(struct builder *builder, const struct ptx_inst *inst) {
    uint32_t found = ptx_branch_targets(builder->function, inst, builder->targets, builder->target_room);
    if (found <= builder->target_room) return found;
    builder->targets = arena_array(&builder->scratch, found, sizeof *builder->targets);
    builder->target_room = found;
    return ptx_branch_targets(builder->function, inst, builder->targets, builder->target_room);
}

/* Marks the instructions that start a block, in an array with one entry more than there are instructions. */
static void mark_leaders(struct builder *builder, bool *leads) {
    const struct ptx_function *function = builder->function;
    leads[0] = true;
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ptx_inst *inst = &function->insts[i];
        if (!ends_block(inst) && !meets_others(inst)) continue;
        leads[i + 1] = true;
        if (!cfg_is_branch(inst)) continue;
        const uint32_t count = read_targets(builder, inst);
        for (uint32_t t = 0; t < count; t++)
            leads[builder->targets[t]] = true;
    }
}

static void make_blocks(const bool *leads, struct arena *arena, struct cfg *cfg) {
    uint32_t inst_count = cfg->function->inst_count;
    for (uint32_t i = 0; i < inst_count; i++)
        cfg->block_count += leads[i];
    cfg->exit = cfg->block_count;
    cfg->blocks = arena_array(arena, cfg->block_count, sizeof *cfg->blocks);
    cfg->block_of = arena_array(arena, inst_count, sizeof *cfg->block_of);
    uint32_t block = GRAPH_NONE;
    for (uint32_t i = 0; i < inst_count; i++) {
        if (leads[i]) cfg->blocks[++block].first = i;
        assert(block < cfg->block_count && "the first instruction leads");
        cfg->blocks[block].count++;
        cfg->block_of[i] = block;
    }
}

static void add_edge(struct builder *builder, uint32_t from, uint32_t to, enum cfg_edge_kind kind) {
    if (builder->edges.count == CFG_EDGES_MAX) arena_fail(&builder->scratch, WB_ERR_LIMIT);
    arena_push(&builder->scratch, &builder->edges, ((struct graph_edge){from, to}));
    arena_push(&builder->scratch, &builder->kinds, (uint8_t)kind);
}

static void add_branch_edges(struct builder *builder, const struct cfg *cfg, uint32_t block,
                             const struct ptx_inst *branch) {
    bool indirect = branch->form->op == PTX_OP_BRX_IDX;
    const uint32_t count = read_targets(builder, branch);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t inst = builder->targets[t];
        uint32_t to = inst < cfg->function->inst_count ? cfg->block_of[inst] : cfg->exit;
        if (indirect && builder->named_by[to] == block + 1) continue;
        builder->named_by[to] = block + 1;
        add_edge(builder, block, to, indirect ? CFG_INDIRECT : CFG_TAKEN);
    }
}

/* The edges of one block: where its last instruction goes, then the block behind unless that is ruled out. */
static void add_block_edges(struct builder *builder, const struct cfg *cfg, uint32_t block) {
    const struct ptx_inst *last = cfg_last(cfg, block);
    if (cfg_is_branch(last)) add_branch_edges(builder, cfg, block, last);
    if (leaves_function(last)) add_edge(builder, block, cfg->exit, CFG_EXIT);
    if (ends_block(last) && last->guard == PTX_NO_INDEX) return;
    add_edge(builder, block, block + 1, CFG_FALL_THROUGH);
}

static void make_graph(struct builder *builder, struct arena *arena, struct cfg *cfg) {
    for (uint32_t block = 0; block < cfg->block_count; block++)
        add_block_edges(builder, cfg, block);
    uint32_t count = (uint32_t)builder->edges.count;
    cfg->edge_kinds = arena_array(arena, count, sizeof *cfg->edge_kinds);
    if (count > 0) memcpy(cfg->edge_kinds, builder->kinds.items, count);
    cfg->graph = graph_build(arena, cfg->block_count + 1, builder->edges.items, count);
}

static void mark_reachable(struct arena *scratch, struct cfg *cfg) {
    struct graph_walk walk = graph_walk_from(scratch, cfg->graph.node_count, &cfg->graph.out, CFG_ENTRY);
    for (uint32_t block = 0; block < cfg->block_count; block++)
        cfg->blocks[block].reachable = walk.number[block] != GRAPH_NONE;
}

struct cfg cfg_build(const struct ptx_function *function, struct arena *arena) {
    struct builder builder = {.function = function};
    struct arena *scratch = &builder.scratch;
    struct cfg cfg = {.function = function};
    arena_bind(scratch, arena);
    bool *leads = arena_array(scratch, (size_t)function->inst_count + 1, sizeof *leads);
    mark_leaders(&builder, leads);
    make_blocks(leads, arena, &cfg);
    builder.named_by = arena_array(scratch, (size_t)cfg.block_count + 1, sizeof *builder.named_by);
    make_graph(&builder, arena, &cfg);
    mark_reachable(scratch, &cfg);
    arena_free(scratch);
    return cfg;
}

bool cfg_has_choice(const struct cfg *cfg, uint32_t block) {
    const struct adjacency *out = &cfg->graph.out;
    for (uint32_t i = out->first[block] + 1; i < out->first[block + 1]; i++)
        if (out->nodes[i] != out->nodes[out->first[block]]) return true;
    return false;
}

uint32_t *reconvergence_of(const struct cfg *cfg, const struct dominators *post_dominators,
                           struct arena *arena) {
    uint32_t inst_count = cfg->function->inst_count;
    uint32_t *points = arena_array(arena, inst_count, sizeof *points);
    memset(points, 0xff, inst_count * sizeof *points);
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        uint32_t next = post_dominators->parent[block];
        if (next == cfg->exit || !cfg_is_branch(cfg_last(cfg, block))) continue;
        points[cfg->blocks[block].first + cfg->blocks[block].count - 1] = cfg->blocks[next].first;
    }
    return points;
}

uint32_t *flow_reconvergence(const struct ptx_function *function, struct arena *arena) {
    struct arena scratch = {0};
    arena_bind(&scratch, arena);
    const struct cfg cfg = cfg_build(function, &scratch);
    const struct dominators post_dominators = post_dominators_build(&scratch, &cfg.graph, cfg.exit);
    uint32_t *points = reconvergence_of(&cfg, &post_dominators, arena);
    arena_free(&scratch);
    return points;
}
