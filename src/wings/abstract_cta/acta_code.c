#include "wings/abstract_cta/acta_code.h"

#include "warp/timed/timed.h"

/* The pass: everything but the kernel. */
static void fill_flow(void *context) {
    struct kernel_flow *flow = context;
    struct arena *arena = &flow->arena;
    flow->cfg = cfg_build(kernel_function(flow->kernel), arena);
    flow->dominators = dominators_build(arena, &flow->cfg.graph, CFG_ENTRY);
    flow->post_dominators = post_dominators_build(arena, &flow->cfg.graph, flow->cfg.exit);
    flow->loops = loops_build(arena, &flow->cfg.graph, &flow->dominators);
    flow->liveness = liveness_build(&flow->cfg, arena);
    flow->ssa = ssa_build(&flow->cfg, &flow->dominators, &flow->liveness, arena);
    flow->divergence = divergence_analyse(&flow->ssa, &flow->dominators, &flow->post_dominators, NULL, arena);
}

wb_status kernel_flow_make(const struct wb_kernel *kernel, wb_diagnostics *diagnostics,
                           struct kernel_flow *flow) {
    *flow = (struct kernel_flow){.kernel = kernel};
    const wb_status status = arena_protect(&flow->arena, fill_flow, flow);
    return status == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
}

void kernel_flow_free(struct kernel_flow *flow) {
    arena_free(&flow->arena);
}

bool acta_accesses_memory(enum ptx_class class, bool *is_store) {
    *is_store = false;
    switch (class) {
    case PTX_CLASS_LOAD_GLOBAL:
    case PTX_CLASS_LOAD_SHARED:
    case PTX_CLASS_LOAD_LOCAL:
    case PTX_CLASS_LOAD_GENERIC:
    case PTX_CLASS_ATOMIC_GLOBAL:
    case PTX_CLASS_ATOMIC_SHARED:
    case PTX_CLASS_ASYNC_COPY:
    case PTX_CLASS_TEXTURE: return true;
    case PTX_CLASS_STORE_GLOBAL:
    case PTX_CLASS_STORE_SHARED:
    case PTX_CLASS_STORE_LOCAL:
    case PTX_CLASS_STORE_GENERIC: *is_store = true; return true;
    default: return false;
    }
}

/* When a register that a load writes can be read: in which stretch of code it was loaded, and how many waits
 * for memory lie before that, the one for itself included. */
struct load_mark {
    uint32_t stretch;
    uint32_t waits;
};

/* Straight-line code as nodes of an abstract warp, on the way. */
struct acta_code {
    const struct kernel_flow *flow;
    const struct acta_threads *threads;
    wb_diagnostics *diagnostics;
    struct acta_warp *warp;
    struct load_mark *marks; /* per register */
    struct ptx_regs *regs;   /* scratch */
    uint32_t stretch;        /* number of the one at hand, from 1 */
    cycles instructions;     /* of it, so far */
    uint32_t waits;          /* waits for memory in it, so far */
    uint32_t pending;        /* waits when everything that was loaded in it has arrived */
    uint32_t stores;         /* in it, so far */
};

static wb_status begin_code(struct acta_code *code, const struct kernel_flow *flow,
                            const struct acta_threads *threads, wb_diagnostics *diagnostics,
                            struct acta_warp *warp, struct arena *arena) {
    *code = (struct acta_code){
        .flow = flow, .threads = threads, .diagnostics = diagnostics, .warp = warp, .stretch = 1};
    /* One more register than the function has: the carry flag. */
    code->marks = arena_array(arena, (size_t)flow->cfg.function->reg_count + 2, sizeof *code->marks);
    code->regs = arena_alloc(arena, sizeof *code->regs);
    return code->marks == NULL || code->regs == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* Everything that the stretch has loaded so far is waited for. */
static void wait_for_all(struct acta_code *code) {
    if (code->pending > code->waits) code->waits = code->pending;
}

/* Ends the stretch at hand: its nodes go to the sequence. */
static wb_status end_stretch(struct acta_code *code, struct acta_sequence *sequence) {
    wait_for_all(code);
    const uint32_t waits = code->waits;
    WB_TRY(acta_add_time(code->warp, code->instructions, 0, sequence));
    for (uint32_t i = 0; i < waits + code->stores; i++)
        WB_TRY(acta_add_memory(code->warp, i >= waits, sequence));
    code->stretch++;
    code->instructions = 0;
    code->waits = code->pending = code->stores = 0;
    return WB_OK;
}

/* An instruction waits for the loads of the registers it reads or overwrites. */
static void wait_for(struct acta_code *code, const uint32_t *registers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const struct load_mark *mark = &code->marks[registers[i]];
        if (mark->stretch == code->stretch && mark->waits > code->waits) code->waits = mark->waits;
    }
}

static void add_instruction(struct acta_code *code, const struct ptx_inst *inst) {
    const struct wait_role role = wait_role_of(code->flow->cfg.function, inst);
    struct ptx_regs *regs = code->regs;
    bool is_store;
    if (role.queue != QUEUE_COUNT) wait_for_all(code);
    ptx_inst_regs(code->flow->cfg.function, inst, regs);
    wait_for(code, regs->read, regs->read_count);
    wait_for(code, regs->written, regs->written_count);
    code->instructions++;
    if (!acta_accesses_memory((enum ptx_class)inst->form->class_, &is_store)) return;
    code->stores += is_store;
    if (is_store) return;
    code->pending = code->waits + 1;
    for (uint32_t i = 0; i < regs->written_count; i++)
        code->marks[regs->written[i]] = (struct load_mark){code->stretch, code->pending};
    if (role.fence) wait_for_all(code);
}

static wb_status decline_inst(const struct acta_code *code, const struct ptx_inst *inst,
                              const char *message) {
    ptx_diagnose(code->diagnostics, SEVERITY_ERROR, code->flow->kernel->module, inst, "%s", message);
    return WB_ERR_DECLINED;
}

static wb_status add_barrier(struct acta_code *code, const struct ptx_inst *inst,
                             struct acta_sequence *sequence) {
    const struct acta_threads *threads = code->threads;
    enum barrier_scope scope =
        barrier_scope_of(code->flow->cfg.function, inst, threads->size, threads->warp_width);
    if (scope != BARRIER_WHOLE)
        return decline_inst(
            code, inst,
            "this barrier does not join all threads of the block, which abstract warps do not support");
    if (inst->guard != PTX_NO_INDEX)
        return decline_inst(code, inst, "this barrier has a guard, which abstract warps do not support");
    struct ptx_regs *regs = code->regs;
    ptx_inst_regs(code->flow->cfg.function, inst, regs);
    wait_for(code, regs->read, regs->read_count);
    WB_TRY(end_stretch(code, sequence));
    return acta_add_barrier(code->warp, sequence);
}

/* Whether instructions with this wait are what abstract warps make of them: they wait for registers, for
 * loads together and at barriers. */
static bool waits_as_modelled(enum ptx_wait wait) {
    const enum ptx_answer answer = ptx_wait_answer(wait);
    return answer == PTX_WAITS_NOT || answer == PTX_ASSUMED || wait == PTX_WAIT_WARPS ||
           wait == PTX_WAIT_LANES || wait == PTX_WAIT_COPIES || wait == PTX_WAIT_FENCE ||
           wait == PTX_WAIT_ORDER;
}

/* Appends a block: of each stretch between barriers a time node with its instructions, then a memory access
 * node for each time that it may have to wait for loads. Loads that are waited for together make one node;
 * what was loaded is taken to be waited for at the end of the stretch at the latest. `ret` and `exit` are no
 * instructions here, barriers are nodes of their own. */
static wb_status add_code(struct acta_code *code, const struct cfg_block *block,
                          struct acta_sequence *sequence) {
    const struct ptx_function *function = code->flow->cfg.function;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct ptx_inst *inst = &function->insts[i];
        enum barrier_scope scope =
            barrier_scope_of(function, inst, code->threads->size, code->threads->warp_width);
        if (inst->form->op == PTX_OP_CALL)
            return decline_inst(code, inst, "abstract warps do not follow calls");
        if (!waits_as_modelled((enum ptx_wait)inst->form->wait) && scope == BARRIER_NONE)
            return decline_inst(code, inst, "abstract warps do not support the wait of this instruction");
        if (scope != BARRIER_NONE)
            WB_TRY(add_barrier(code, inst, sequence));
        else if (inst->form->class_ != PTX_CLASS_EXIT)
            add_instruction(code, inst);
    }
    return end_stretch(code, sequence);
}

/* Deepest nesting of branches and loops. */
#define REGION_DEPTH_MAX 256u

struct region_parser {
    const struct kernel_flow *flow;
    struct acta_code code; /* turns instructions into nodes */
    struct acta_warp *warp;
    wb_diagnostics *diagnostics;
    bool *visited;  /* per block: it stands in the abstract warp */
    uint32_t *ends; /* per block: sequences being parsed that end in front of it */
    uint32_t depth;
};

static wb_status decline_block(const struct region_parser *parser, uint32_t block, const char *message) {
    const struct cfg *cfg = &parser->flow->cfg;
    uint32_t shown = block == cfg->exit ? CFG_ENTRY : block;
    ptx_diagnose(parser->diagnostics, SEVERITY_ERROR, parser->flow->kernel->module, cfg_last(cfg, shown),
                 "%s", message);
    return WB_ERR_DECLINED;
}

#define UNSTRUCTURED "the control flow around this is not structured: it has no abstract warp"

static uint32_t successor_count(const struct region_parser *parser, uint32_t block) {
    const uint32_t *first = parser->flow->cfg.graph.out.first;
    return first[block + 1] - first[block];
}

static uint32_t successor(const struct region_parser *parser, uint32_t block, uint32_t index) {
    const struct graph *graph = &parser->flow->cfg.graph;
    return graph->out.nodes[graph->out.first[block] + index];
}

static wb_status parse_sequence(struct region_parser *parser, uint32_t start, uint32_t end, uint32_t loop,
                                struct acta_sequence *sequence);

/* Takes a block of loop `loop` (or of none) into the sequence: in structured control flow once. */
static wb_status parse_block(struct region_parser *parser, uint32_t block, uint32_t loop,
                             struct acta_sequence *sequence) {
    const struct kernel_flow *flow = parser->flow;
    if (block == flow->cfg.exit || parser->visited[block] || parser->ends[block] > 0 ||
        flow->loops.innermost[block] != loop)
        return decline_block(parser, block, UNSTRUCTURED);
    parser->visited[block] = true;
    return add_code(&parser->code, &flow->cfg.blocks[block], sequence);
}

/* The two sides of the branch at the end of a block, up to where they meet, which is put into *meet. */
static wb_status parse_branch(struct region_parser *parser, uint32_t block, uint32_t loop, uint32_t *meet,
                              struct acta_sequence *sequence) {
    const struct kernel_flow *flow = parser->flow;
    struct acta_sequence sides[2] = {ACTA_SEQUENCE_EMPTY, ACTA_SEQUENCE_EMPTY};
    struct acta_node branch = {.diverges = flow->divergence.branches[block], .block = block};
    *meet = flow->post_dominators.parent[block];
    if (*meet == GRAPH_NONE) return decline_block(parser, block, UNSTRUCTURED);
    for (uint32_t i = 0; i < 2; i++) {
        branch.side_block[i] = successor(parser, block, i);
        WB_TRY(parse_sequence(parser, branch.side_block[i], *meet, loop, &sides[i]));
    }
    if (sides[0].has_barrier && sides[1].has_barrier)
        return decline_block(parser, block,
                             "both sides of this branch have barriers, which abstract warps do not support");
    return acta_add_branch(parser->warp, &branch, sides, sequence);
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
    return decline_block(parser, item->header,
                         "this loop has several exits, or none: it has no abstract warp");
}

/* A loop with one exit: what runs up to the test that leaves it, and what is behind that test. *behind is
 * where control goes on. */
static wb_status parse_loop(struct region_parser *parser, uint32_t loop, uint32_t *behind,
                            struct acta_sequence *sequence) {
    struct acta_sequence header = ACTA_SEQUENCE_EMPTY, rest = ACTA_SEQUENCE_EMPTY;
    uint32_t first = parser->flow->loops.items[loop].header, last = first;
    WB_TRY(find_exit(parser, loop, &last, behind));
    WB_TRY(parse_sequence(parser, first, last, loop, &header));
    WB_TRY(parse_block(parser, last, loop, &header));
    uint32_t next = successor(parser, last, successor(parser, last, 0) == *behind ? 1 : 0);
    WB_TRY(parse_sequence(parser, next, first, loop, &rest));
    return acta_add_loop(parser->warp, first, &header, &rest, sequence);
}

/* One block, or a whole loop or branch that begins at it; *block is then where control goes on. */
static wb_status parse_step(struct region_parser *parser, uint32_t loop, uint32_t *block,
                            struct acta_sequence *sequence) {
    const struct loops *loops = &parser->flow->loops;
    uint32_t inner = *block == parser->flow->cfg.exit ? GRAPH_NONE : loops->innermost[*block];
    if (inner != GRAPH_NONE && inner != loop && loops->items[inner].header == *block &&
        loops->items[inner].parent == loop)
        return parse_loop(parser, inner, block, sequence);
    WB_TRY(parse_block(parser, *block, loop, sequence));
    uint32_t count = successor_count(parser, *block);
    if (count == 2) return parse_branch(parser, *block, loop, block, sequence);
    if (count != 1) return decline_block(parser, *block, UNSTRUCTURED);
    *block = successor(parser, *block, 0);
    return WB_OK;
}

/* Everything from block `start` up to, and without, block `end`, in loop `loop`. */
static wb_status parse_sequence(struct region_parser *parser, uint32_t start, uint32_t end, uint32_t loop,
                                struct acta_sequence *sequence) {
    if (parser->depth == REGION_DEPTH_MAX)
        return decline_block(parser, start, "branches and loops are nested too deeply for an abstract warp");
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
    struct acta_sequence program = ACTA_SEQUENCE_EMPTY;
    if (flow->loops.region_count > 0)
        return decline_block(parser, flow->loops.region_members[flow->loops.regions[0].first_member],
                             UNSTRUCTURED);
    WB_TRY(parse_sequence(parser, CFG_ENTRY, flow->cfg.exit, GRAPH_NONE, &program));
    parser->warp->first = program.first;
    return WB_OK;
}

wb_status acta_warp_of_kernel(const struct kernel_flow *flow, const struct acta_threads *threads,
                              bool choices, wb_diagnostics *diagnostics, struct acta_warp *warp) {
    struct region_parser parser = {.flow = flow, .warp = warp, .diagnostics = diagnostics};
    struct arena arena = {0};
    size_t errors = wb_diagnostics_errors(diagnostics);
    *warp = (struct acta_warp){.first = ACTA_NONE, .keeps_choices = choices};
    parser.visited = arena_array(&arena, (size_t)flow->cfg.block_count + 1, sizeof *parser.visited);
    parser.ends = arena_array(&arena, (size_t)flow->cfg.block_count + 1, sizeof *parser.ends);
    wb_status status = begin_code(&parser.code, flow, threads, diagnostics, warp, &arena);
    if (parser.visited == NULL || parser.ends == NULL) status = WB_ERR_LIMIT;
    if (status == WB_OK) status = parse_kernel(&parser);
    arena_free(&arena);
    if (status == WB_ERR_LIMIT && wb_diagnostics_errors(diagnostics) == errors)
        return diagnose_out_of_memory(diagnostics, wb_kernel_name(flow->kernel));
    return status;
}
