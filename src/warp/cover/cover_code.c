/* Properties of the code for covering runs: loops and their limits, live registers, kinds of instructions. */

#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"

/* The cost of describing an instruction, in executed ones. */
#define DESCRIPTION_CHARGE 32u

static bool is_meeting(const struct micro *op) {
    return op->execute == bssy_execute || op->execute == bsync_execute || op->execute == break_execute ||
           op->execute == bmov_get_execute || op->execute == bmov_set_execute ||
           op->execute == warpsync_execute || op->execute == alone_execute ||
           op->execute == collective_execute;
}

static enum cover_kind kind_of(const struct micro *op) {
    if (op->execute == branch_execute || op->execute == branch_index_execute) return COVER_KIND_BRANCH;
    if (op->execute == call_execute) return COVER_KIND_CALL;
    if (op->execute == return_execute) return COVER_KIND_RETURN;
    if (op->execute == exit_execute) return COVER_KIND_EXIT;
    if (op->execute == trap_execute) return COVER_KIND_TRAP;
    if (op->execute == barrier_execute) return COVER_KIND_BARRIER;
    if (is_meeting(op)) return COVER_KIND_MEETING;
    if (op->accesses_memory) return COVER_KIND_MEMORY;
    const bool exchanges =
        op->form->exec == PTX_EXEC_WARP || op->execute == warp_sync_execute || op->execute == divided_execute;
    return exchanges ? COVER_KIND_EXCHANGE : COVER_KIND_PLAIN;
}

/* Which registers have one bit a lane. */
static void find_predicates(struct cover_function *function, struct arena *arena) {
    const struct ptx_function *of = function->cfg.function;
    function->is_predicate = arena_array(arena, (size_t)of->reg_count + 1, sizeof(bool));
    for (uint32_t r = 0; r < of->reg_count; r++)
        function->is_predicate[r] = of->groups[of->reg_group[r]].type == PTX_PRED;
    function->is_predicate[of->reg_count] = true;
}

/* Marks the headers, and finds the loops in which warps may meet: all with a barrier or a call. */
static void describe_loops(struct cover_function *function, struct arena *arena) {
    const struct loops *loops = &function->loops;
    const struct cfg *cfg = &function->cfg;
    function->limits = arena_array(arena, (size_t)loops->count + 1, sizeof *function->limits);
    function->meets_warps = arena_array(arena, (size_t)loops->count + 1, sizeof(bool));
    for (uint32_t l = 0; l < loops->count; l++)
        function->marks[cfg->blocks[loops->items[l].header].first] |= COVER_AT_HEADER;
    for (uint32_t i = 0; i < cfg->function->inst_count; i++) {
        if (function->kinds[i] != COVER_KIND_BARRIER && function->kinds[i] != COVER_KIND_CALL) continue;
        for (uint32_t l = loops->innermost[cfg->block_of[i]]; l != GRAPH_NONE; l = loops->items[l].parent)
            function->meets_warps[l] = true;
    }
}

/* Takes over the limits of loops that static analysis finds. */
static void find_limits(struct cover_function *function, const struct loop_environment *environment,
                        struct arena *arena) {
    if (function->loops.count == 0) return;
    const struct ssa ssa = ssa_build(&function->cfg, &function->dominators, &function->liveness, arena);
    const struct loop_bound *bounds =
        loop_bounds_find(&ssa, &function->dominators, &function->loops, environment, arena);
    for (uint32_t l = 0; l < function->loops.count; l++)
        function->limits[l] = (struct cover_limit){.bound = bounds[l]};
    function->waiting = waiting_find(&ssa, &function->dominators, &function->loops, arena);
}

/* Finds the branches of machine code at which lanes that execute them together may part. */
static void find_parting(struct cover_function *function, const uint32_t block[3], struct arena *arena) {
    if (!ptx_is_machine_code(function->cfg.function)) return;
    const struct ssa ssa = ssa_build(&function->cfg, &function->dominators, &function->liveness, arena);
    function->parts =
        divergence_analyse(&ssa, &function->dominators, &function->post_dominators, block, arena).branches;
}

/* Finds, for the blocks that a loop is the innermost one of, where ways from them come together. `local`
 * numbers the members of the loop, and is as before afterwards. */
static void find_in_loop(struct cover_function *function, uint32_t loop, uint32_t *local,
                         struct arena *arena) {
    const struct loops *loops = &function->loops;
    const struct loop *item = &loops->items[loop];
    const uint32_t *members = &loops->members[item->first_member];
    const struct adjacency *out = &function->cfg.graph.out;
    const uint32_t count = item->member_count;
    uint32_t edge_count = 0, room = 0;
    for (uint32_t i = 0; i < count; i++) {
        local[members[i]] = i;
        room += out->first[members[i] + 1] - out->first[members[i]];
    }
    struct graph_edge *edges = arena_array(arena, room, sizeof *edges);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t e = out->first[members[i]]; e < out->first[members[i] + 1]; e++) {
            const uint32_t to = out->nodes[e];
            if (to != item->header && local[to] == GRAPH_NONE) continue;
            edges[edge_count++] = (struct graph_edge){i, to == item->header ? count : local[to]};
        }
    }
    for (uint32_t i = 0; i < count; i++)
        local[members[i]] = GRAPH_NONE;
    assert(edge_count <= room);
    const struct graph graph = graph_build(arena, count + 1, edges, edge_count);
    const struct dominators tree = post_dominators_build(arena, &graph, count);
    for (uint32_t i = 0; i < count; i++) {
        if (loops->innermost[members[i]] != loop) break; /* own blocks come first */
        const uint32_t meets = tree.parent[i];
        function->meets_in_loop[members[i]] = meets >= count ? item->header : members[meets];
    }
}

/* Where the sides of a branch that meet only behind the innermost loop around it come together in each
 * iteration. */
static void cover_find_meetings(struct cover_function *function, struct arena *arena) {
    const uint32_t nodes = function->cfg.graph.node_count;
    uint32_t *local = arena_array(arena, (size_t)nodes + 1, sizeof *local);
    function->meets_in_loop = arena_array(arena, (size_t)nodes + 1, sizeof *function->meets_in_loop);
    memset(local, 0xff, ((size_t)nodes + 1) * sizeof *local);
    for (uint32_t l = 0; l < function->loops.count; l++)
        find_in_loop(function, l, local, arena);
}

uint32_t cover_meets_in_loop(const struct cover_function *function, uint32_t block) {
    return function->cfg.blocks[function->meets_in_loop[block]].first;
}

static void describe(struct cover_function *function, const struct function_code *code,
                     const uint32_t block[3], const struct loop_environment *environment,
                     struct arena *arena) {
    uint32_t count = code->function->inst_count;
    function->marks = arena_array(arena, (size_t)count + 1, 1);
    function->kinds = arena_array(arena, (size_t)count + 1, 1);
    for (uint32_t i = 0; i <= count; i++)
        function->kinds[i] = (uint8_t)kind_of(&code->micros[i]);
    function->cfg = cfg_build(code->function, arena);
    const struct graph *graph = &function->cfg.graph;
    function->dominators = dominators_build(arena, graph, CFG_ENTRY);
    function->post_dominators = post_dominators_build(arena, graph, function->cfg.exit);
    function->loops = loops_build(arena, graph, &function->dominators);
    function->liveness = liveness_build(&function->cfg, arena);
    find_predicates(function, arena);
    describe_loops(function, arena);
    cover_find_meetings(function, arena);
    find_limits(function, environment, arena);
    find_parting(function, block, arena);
    function->pass_count = function->loops.count;
}

bool cover_equally_often(const struct cover_function *function, uint32_t first, uint32_t second) {
    return dominates(&function->dominators, first, second) &&
           dominates(&function->post_dominators, second, first) &&
           function->loops.innermost[first] == function->loops.innermost[second];
}

/* Marks the barriers that all warps execute together if they pass the fact's label together: whether there
 * are some. */
static bool apply_together(struct cover_function *function, const struct flow_fact *fact) {
    const uint32_t *block_of = function->cfg.block_of;
    bool some = false;
    for (uint32_t i = fact->at; i < function->cfg.function->inst_count; i++) {
        if (function->kinds[i] != COVER_KIND_BARRIER ||
            !cover_equally_often(function, block_of[fact->at], block_of[i]))
            continue;
        function->marks[i] |= COVER_AT_TOGETHER;
        some = true;
    }
    return some;
}

/* Applies one fact. A label at the end of the body has no instruction: nothing can be said of it. */
static void apply_fact(struct cover *cover, const struct flow_fact *fact) {
    struct cover_function *function = &cover->functions[fact->function];
    if (function->marks == NULL || fact->at >= function->cfg.function->inst_count) return;
    switch (fact->kind) {
    case FACT_TOTAL: /* of one entry, too */
    case FACT_LOOP:
        if ((function->marks[fact->at] & COVER_AT_HEADER) == 0) return;
        uint32_t loop = function->loops.innermost[function->cfg.block_of[fact->at]];
        struct cover_limit *limit = &function->limits[loop];
        const bool less = !limit->bound.known || fact->limit < limit->bound.headers;
        if (fact->kind == FACT_TOTAL) cover->has_totals = true;
        if (less) limit->bound.headers = fact->limit;
        if (less || fact->kind == FACT_LOOP) limit->from_fact = fact->origin == FACT_STATED;
        limit->bound.known = true;
        return;
    case FACT_PER:
        function->marks[fact->at] |= COVER_AT_PER;
        if (fact->per < function->cfg.function->inst_count) function->marks[fact->per] |= COVER_AT_PER;
        function->pass_count++;
        return;
    case FACT_NEVER: function->marks[fact->at] |= COVER_AT_NEVER; return;
    case FACT_TOGETHER: cover->meets_together |= apply_together(function, fact); return;
    }
}

/* The instruction being described, and the place of its description. */
struct description {
    struct run *run;
    const struct wb_facts *facts;
    struct arena *arena;
};

/* The pass of cover_begin. */
static void cover_describe(void *context) {
    const struct description *description = context;
    struct run *run = description->run;
    const struct wb_facts *facts = description->facts;
    struct arena *arena = description->arena;
    struct cover *cover = run->cover;
    const struct program *program = &run->program;
    uint32_t inst_count = 0;
    cover->facts = facts;
    const struct launch_scope scope = {.block = run->of_class ? NULL : run->index};
    struct launch_environment launched;
    launch_environment_fill(run->kernel, run->launch, &scope, &launched);
    cover->functions = arena_array(arena, run->module->function_count, sizeof *cover->functions);
    for (uint32_t f = 0; f < run->module->function_count; f++) {
        const struct function_code *code = &program->functions[f];
        inst_count += run->module->functions[f].inst_count;
        if (code->micros == NULL) continue;
        describe(&cover->functions[f], code, run->size, &launched.environment, arena);
        run->charged += DESCRIPTION_CHARGE * (uint64_t)code->function->inst_count;
    }
    for (size_t i = 0; facts != NULL && i < facts->facts.count; i++)
        apply_fact(cover, &facts->facts.items[i]);
    cover->ended_in = arena_array(arena, (size_t)run->warp_count + 1, sizeof *cover->ended_in);
    memset(cover->ended_in, 0xff, run->warp_count * sizeof *cover->ended_in); /* GRAPH_NONE */
    cover->caused = arena_array(arena, (size_t)inst_count + 1, 1);
    if (!cover->has_totals) return;
    assert(facts != NULL);
    cover->passes_of_warps =
        arena_array(arena, facts->facts.count * ((size_t)run->warp_count + 1), sizeof(uint64_t));
    cover->passes_of_kernel = arena_array(arena, facts->facts.count, sizeof(uint64_t));
}

/* Whether an instruction orders what its warp reads behind what another warp wrote before: a fence, or an
 * access that acquires or releases. */
static bool orders_accesses(const struct ptx_form *form) {
    return form->op == PTX_OP_FENCE || form->op == PTX_OP_MEMBAR || form->ordered;
}

/* Whether plain loads can read what another warp stored since the last barrier: without such an instruction
 * that is a data race. */
static bool warps_synchronise(const struct run *run) {
    if (run->warp_count == 1) return false;
    for (uint32_t f = 0; f < run->module->function_count; f++) {
        const struct function_code *code = &run->program.functions[f];
        for (uint32_t i = 0; code->micros != NULL && i < code->function->inst_count; i++)
            if (orders_accesses(code->micros[i].form)) return true;
    }
    return false;
}

wb_status cover_begin(struct run *run, const struct wb_facts *facts, struct arena *arena) {
    run->cover = calloc(1, sizeof *run->cover);
    struct description description = {run, facts, arena};
    if (run->cover == NULL || arena_protect(arena, cover_describe, &description) != WB_OK)
        return run_no_memory(run);
    run->cover->synchronises = warps_synchronise(run);
    run->run_warp = cover_run_warp;
    return WB_OK;
}

void cover_end(struct run *run) {
    struct cover *cover = run->cover;
    if (cover == NULL) return;
    for (uint32_t w = 0; w < run->warp_count; w++)
        for (size_t i = 0; i < run->warps[w].stack.count; i++)
            cover_group_free(&run->warps[w].stack.items[i]);
    for (size_t i = 0; i < cover->widenings.count; i++)
        lane_state_free(cover->widenings.items[i].state);
    for (size_t i = 0; i < cover->places.count; i++)
        free(cover->places.items[i].counts);
    vec_free(&cover->widenings);
    vec_free(&cover->places);
    vec_free(&cover->causes);
    free(cover);
    run->cover = NULL;
    run->run_warp = NULL;
}
