#include "papers/abstract_cta/abstract_region.h"

#include "papers/abstract_cta/abstract_code.h"

/* Deepest nesting of branches and loops. */
#define REGION_DEPTH_MAX 256u

struct region_parser {
    const struct kernel_flow *flow;
    struct abstract_code code; /* turns instructions into nodes */
    struct abstract_warp *warp;
    wb_diagnostics *diagnostics;
    bool *visited;  /* per block: it stands in the abstract warp */
    uint32_t *ends; /* per block: sequences being parsed that end in front of it */
    uint32_t depth;
};

static wb_status decline(const struct region_parser *parser, uint32_t block, const char *message) {
    const struct cfg *cfg = &parser->flow->cfg;
    uint32_t shown = block == cfg->exit ? CFG_ENTRY : block;
    ptx_diagnose(parser->diagnostics, SEVERITY_ERROR, parser->flow->kernel->module, cfg_last(cfg, shown),
                 "%s", message);
    return WB_ERR_DECLINED;
}

#define UNSTRUCTURED "the control flow around this is not structured: no abstract warp can be built of it"

static uint32_t successor_count(const struct region_parser *parser, uint32_t block) {
    const uint32_t *first = parser->flow->cfg.graph.out.first;
    return first[block + 1] - first[block];
}

static uint32_t successor(const struct region_parser *parser, uint32_t block, uint32_t index) {
    const struct graph *graph = &parser->flow->cfg.graph;
    return graph->out.nodes[graph->out.first[block] + index];
}

static wb_status parse_sequence(struct region_parser *parser, uint32_t start, uint32_t end, uint32_t loop,
                                struct abstract_sequence *sequence);

/* Takes a block of loop `loop` (or of none) into the sequence: in structured control flow once. */
static wb_status parse_block(struct region_parser *parser, uint32_t block, uint32_t loop,
                             struct abstract_sequence *sequence) {
    const struct kernel_flow *flow = parser->flow;
    if (block == flow->cfg.exit || parser->visited[block] || parser->ends[block] > 0 ||
        flow->loops.innermost[block] != loop)
        return decline(parser, block, UNSTRUCTURED);
    parser->visited[block] = true;
    return abstract_code_add(&parser->code, &flow->cfg.blocks[block], sequence);
}

/* The two sides of the branch at the end of a block, up to where they meet, which is put into *meet. */
static wb_status parse_branch(struct region_parser *parser, uint32_t block, uint32_t loop, uint32_t *meet,
                              struct abstract_sequence *sequence) {
    const struct kernel_flow *flow = parser->flow;
    struct abstract_sequence sides[2] = {ABSTRACT_SEQUENCE_EMPTY, ABSTRACT_SEQUENCE_EMPTY};
    struct abstract_node branch = {.diverges = flow->divergence.branches[block], .block = block};
    *meet = flow->post_dominators.parent[block];
    if (*meet == GRAPH_NONE) return decline(parser, block, UNSTRUCTURED);
    for (uint32_t i = 0; i < 2; i++) {
        branch.side_block[i] = successor(parser, block, i);
        WB_TRY(parse_sequence(parser, branch.side_block[i], *meet, loop, &sides[i]));
    }
    if (sides[0].has_barrier && sides[1].has_barrier)
        return decline(parser, block, "both sides of this branch have barriers: no abstract warp has that");
    return abstract_add_branch(parser->warp, &branch, sides, sequence);
}

/* The only edge that leaves a loop: from block *from, to block *to. */
static wb_status find_exit(const struct region_parser *parser, uint32_t loop, uint32_t *from, uint32_t *to) {
    const struct loops *loops = &parser->flow->loops;
    const struct loop *item = &loops->items[loop];
    uint32_t found = 0;
    for (uint32_t m = 0; m < item->member_count; m++) {
        uint32_t block = loops->members[item->first_member + m];
        for (uint32_t i = 0; i < successor_count(parser, block); i++) {
            uint32_t next = successor(parser, block, i);
            if (next != parser->flow->cfg.exit && loop_contains(loops, loop, next)) continue;
            found++;
            *from = block;
            *to = next;
        }
    }
    if (found == 1 && loops->innermost[*from] == loop && successor_count(parser, *from) == 2) return WB_OK;
    return decline(parser, item->header,
                   "this loop is left at more than one place, or never: no abstract warp can be built of it");
}

/* A loop with one exit: what runs up to the test that leaves it, and what is behind that test. *behind is
 * where control goes on. */
static wb_status parse_loop(struct region_parser *parser, uint32_t loop, uint32_t *behind,
                            struct abstract_sequence *sequence) {
    struct abstract_sequence header = ABSTRACT_SEQUENCE_EMPTY, rest = ABSTRACT_SEQUENCE_EMPTY;
    uint32_t first = parser->flow->loops.items[loop].header, last = first;
    WB_TRY(find_exit(parser, loop, &last, behind));
    WB_TRY(parse_sequence(parser, first, last, loop, &header));
    WB_TRY(parse_block(parser, last, loop, &header));
    uint32_t next = successor(parser, last, successor(parser, last, 0) == *behind ? 1 : 0);
    WB_TRY(parse_sequence(parser, next, first, loop, &rest));
    return abstract_add_loop(parser->warp, first, &header, &rest, sequence);
}

/* One block, or a whole loop or branch that begins at it; *block is then where control goes on. */
static wb_status parse_step(struct region_parser *parser, uint32_t loop, uint32_t *block,
                            struct abstract_sequence *sequence) {
    const struct loops *loops = &parser->flow->loops;
    uint32_t inner = *block == parser->flow->cfg.exit ? GRAPH_NONE : loops->innermost[*block];
    if (inner != GRAPH_NONE && inner != loop && loops->items[inner].header == *block &&
        loops->items[inner].parent == loop)
        return parse_loop(parser, inner, block, sequence);
    WB_TRY(parse_block(parser, *block, loop, sequence));
    uint32_t count = successor_count(parser, *block);
    if (count == 2) return parse_branch(parser, *block, loop, block, sequence);
    if (count != 1) return decline(parser, *block, UNSTRUCTURED);
    *block = successor(parser, *block, 0);
    return WB_OK;
}

/* Everything from block `start` up to, and without, block `end`, in loop `loop`. */
static wb_status parse_sequence(struct region_parser *parser, uint32_t start, uint32_t end, uint32_t loop,
                                struct abstract_sequence *sequence) {
    if (parser->depth == REGION_DEPTH_MAX)
        return decline(parser, start, "branches and loops are nested too deeply for an abstract warp");
    parser->depth++;
    parser->ends[end]++;
    wb_status status = WB_OK;
    for (uint32_t block = start; status == WB_OK && block != end;)
        status = parse_step(parser, loop, &block, sequence);
    parser->ends[end]--;
    parser->depth--;
    return status;
}

static wb_status parse_kernel(struct region_parser *parser) {
    const struct kernel_flow *flow = parser->flow;
    struct abstract_sequence program = ABSTRACT_SEQUENCE_EMPTY;
    if (flow->loops.region_count > 0)
        return decline(parser, flow->loops.region_members[flow->loops.regions[0].first_member], UNSTRUCTURED);
    WB_TRY(parse_sequence(parser, CFG_ENTRY, flow->cfg.exit, GRAPH_NONE, &program));
    parser->warp->first = program.first;
    return WB_OK;
}

wb_status abstract_warp_of_kernel(const struct kernel_flow *flow, const struct abstract_threads *threads,
                                  bool choices, wb_diagnostics *diagnostics, struct abstract_warp *warp) {
    struct region_parser parser = {.flow = flow, .warp = warp, .diagnostics = diagnostics};
    struct arena arena = {0};
    size_t errors = wb_diagnostics_errors(diagnostics);
    *warp = (struct abstract_warp){.first = ABSTRACT_NONE, .keeps_choices = choices};
    parser.visited = arena_array(&arena, (size_t)flow->cfg.block_count + 1, sizeof *parser.visited);
    parser.ends = arena_array(&arena, (size_t)flow->cfg.block_count + 1, sizeof *parser.ends);
    wb_status status = abstract_code_begin(&parser.code, flow, threads, diagnostics, warp, &arena);
    if (parser.visited == NULL || parser.ends == NULL) status = WB_ERR_LIMIT;
    if (status == WB_OK) status = parse_kernel(&parser);
    arena_free(&arena);
    if (status == WB_ERR_LIMIT && wb_diagnostics_errors(diagnostics) == errors)
        return diagnose_out_of_memory(diagnostics, wb_kernel_name(flow->kernel));
    return status;
}
