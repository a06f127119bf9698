#include "flow/graph/cfg.h"

#include <string.h>

#include "base/vec.h"
#include "ptx/runtime.h"

/* What is known of a function while its graph is built. */
struct builder {
    const struct ptx_function *function;
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

/* Fills builder->targets with where the branch goes; *count of them. */
static wb_status read_targets(struct builder *builder, const struct ptx_inst *inst, uint32_t *count) {
    uint32_t found = ptx_branch_targets(builder->function, inst, builder->targets, builder->target_room);
    if (found > builder->target_room) {
        uint32_t *grown = realloc(builder->targets, found * sizeof *grown);
        if (grown == NULL) return WB_ERR_LIMIT;
        builder->targets = grown;
        builder->target_room = found;
        found = ptx_branch_targets(builder->function, inst, builder->targets, builder->target_room);
    }
    *count = found;
    return WB_OK;
}

/* Marks the instructions that start a block, in an array with one entry more than there are instructions. */
static wb_status mark_leaders(struct builder *builder, bool *leads) {
    const struct ptx_function *function = builder->function;
    leads[0] = true;
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ptx_inst *inst = &function->insts[i];
        if (!ends_block(inst)) continue;
        leads[i + 1] = true;
        if (!cfg_is_branch(inst)) continue;
        uint32_t count;
        WB_TRY(read_targets(builder, inst, &count));
        for (uint32_t t = 0; t < count; t++)
            leads[builder->targets[t]] = true;
    }
    return WB_OK;
}

static wb_status make_blocks(const bool *leads, struct arena *arena, struct cfg *cfg) {
    uint32_t inst_count = cfg->function->inst_count;
    for (uint32_t i = 0; i < inst_count; i++)
        cfg->block_count += leads[i];
    cfg->exit = cfg->block_count;
    cfg->blocks = arena_array(arena, cfg->block_count, sizeof *cfg->blocks);
    cfg->block_of = arena_array(arena, inst_count, sizeof *cfg->block_of);
    if (cfg->blocks == NULL || cfg->block_of == NULL) return WB_ERR_LIMIT;
    uint32_t block = GRAPH_NONE;
    for (uint32_t i = 0; i < inst_count; i++) {
        if (leads[i]) cfg->blocks[++block].first = i;
        cfg->blocks[block].count++;
        cfg->block_of[i] = block;
    }
    return WB_OK;
}

static wb_status add_edge(struct builder *builder, uint32_t from, uint32_t to, enum cfg_edge_kind kind) {
    if (builder->edges.count == CFG_EDGES_MAX) return WB_ERR_LIMIT;
    WB_TRY(vec_push(&builder->edges, ((struct graph_edge){from, to})));
    return vec_push(&builder->kinds, (uint8_t)kind);
}

static wb_status add_branch_edges(struct builder *builder, const struct cfg *cfg, uint32_t block,
                                  const struct ptx_inst *branch) {
    bool indirect = branch->form->op == PTX_OP_BRX_IDX;
    uint32_t count;
    WB_TRY(read_targets(builder, branch, &count));
    for (uint32_t t = 0; t < count; t++) {
        uint32_t inst = builder->targets[t];
        uint32_t to = inst < cfg->function->inst_count ? cfg->block_of[inst] : cfg->exit;
        if (indirect && builder->named_by[to] == block + 1) continue;
        builder->named_by[to] = block + 1;
        WB_TRY(add_edge(builder, block, to, indirect ? CFG_INDIRECT : CFG_TAKEN));
    }
    return WB_OK;
}

/* The edges of one block: where its last instruction goes, then the block behind unless that is ruled out. */
static wb_status add_block_edges(struct builder *builder, const struct cfg *cfg, uint32_t block) {
    const struct ptx_inst *last = cfg_last(cfg, block);
    if (cfg_is_branch(last)) WB_TRY(add_branch_edges(builder, cfg, block, last));
    if (leaves_function(last)) WB_TRY(add_edge(builder, block, cfg->exit, CFG_EXIT));
    if (ends_block(last) && last->guard == PTX_NO_INDEX) return WB_OK;
    return add_edge(builder, block, block + 1, CFG_FALL_THROUGH);
}

static wb_status make_graph(struct builder *builder, struct arena *arena, struct cfg *cfg) {
    for (uint32_t block = 0; block < cfg->block_count; block++)
        WB_TRY(add_block_edges(builder, cfg, block));
    uint32_t count = (uint32_t)builder->edges.count;
    cfg->edge_kinds = arena_array(arena, count, sizeof *cfg->edge_kinds);
    if (cfg->edge_kinds == NULL) return WB_ERR_LIMIT;
    if (count > 0) memcpy(cfg->edge_kinds, builder->kinds.items, count);
    return graph_build(arena, cfg->block_count + 1, builder->edges.items, count, &cfg->graph);
}

static wb_status mark_reachable(struct arena *scratch, struct cfg *cfg) {
    struct graph_walk walk;
    WB_TRY(graph_walk_from(scratch, cfg->graph.node_count, &cfg->graph.out, CFG_ENTRY, &walk));
    for (uint32_t block = 0; block < cfg->block_count; block++)
        cfg->blocks[block].reachable = walk.number[block] != GRAPH_NONE;
    return WB_OK;
}

static wb_status build(struct builder *builder, struct arena *arena, struct arena *scratch, struct cfg *cfg) {
    bool *leads = arena_array(scratch, (size_t)builder->function->inst_count + 1, sizeof *leads);
    if (leads == NULL) return WB_ERR_LIMIT;
    WB_TRY(mark_leaders(builder, leads));
    WB_TRY(make_blocks(leads, arena, cfg));
    builder->named_by = arena_array(scratch, (size_t)cfg->block_count + 1, sizeof *builder->named_by);
    if (builder->named_by == NULL) return WB_ERR_LIMIT;
    WB_TRY(make_graph(builder, arena, cfg));
    return mark_reachable(scratch, cfg);
}

wb_status cfg_build(const struct ptx_function *function, struct arena *arena, struct cfg *cfg) {
    struct arena scratch = {0};
    struct builder builder = {.function = function};
    struct cfg built = {.function = function};
    wb_status status = build(&builder, arena, &scratch, &built);
    free(builder.targets);
    vec_free(&builder.edges);
    vec_free(&builder.kinds);
    arena_free(&scratch);
    if (status == WB_OK) *cfg = built;
    return status;
}

bool cfg_has_choice(const struct cfg *cfg, uint32_t block) {
    const struct adjacency *out = &cfg->graph.out;
    for (uint32_t i = out->first[block] + 1; i < out->first[block + 1]; i++)
        if (out->nodes[i] != out->nodes[out->first[block]]) return true;
    return false;
}

wb_status reconvergence_of(const struct cfg *cfg, const struct dominators *post_dominators,
                           struct arena *arena, uint32_t **per_instruction) {
    uint32_t inst_count = cfg->function->inst_count;
    uint32_t *points = arena_array(arena, inst_count, sizeof *points);
    if (points == NULL) return WB_ERR_LIMIT;
    memset(points, 0xff, inst_count * sizeof *points);
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        uint32_t next = post_dominators->parent[block];
        if (next == cfg->exit || !cfg_is_branch(cfg_last(cfg, block))) continue;
        points[cfg->blocks[block].first + cfg->blocks[block].count - 1] = cfg->blocks[next].first;
    }
    *per_instruction = points;
    return WB_OK;
}

static wb_status find(const struct ptx_function *function, struct arena *scratch, struct arena *arena,
                      uint32_t **per_instruction) {
    struct cfg cfg;
    struct dominators post_dominators;
    WB_TRY(cfg_build(function, scratch, &cfg));
    WB_TRY(post_dominators_build(scratch, &cfg.graph, cfg.exit, &post_dominators));
    return reconvergence_of(&cfg, &post_dominators, arena, per_instruction);
}

wb_status flow_reconvergence(const struct ptx_function *function, struct arena *arena,
                             uint32_t **per_instruction) {
    struct arena scratch = {0};
    wb_status status = find(function, &scratch, arena, per_instruction);
    arena_free(&scratch);
    return status;
}
