#include "warp/cover/cover.h"

#include <inttypes.h>

/* One byte of a part of an argument; false when it is not known. */
static bool known_byte(const struct launch_argument *part, uint64_t at, uint8_t *byte) {
    const struct launch_contents *contents = &part->contents;
    if (part->is_buffer) return false;
    if (part->type == PTX_TYPE_NONE) {
        if (contents->fill != LAUNCH_FILL_FILE || at >= launch_contents_size(contents)) return false;
        *byte = at < contents->file_size ? contents->file_bytes[at] : 0;
        return true;
    }
    *byte = (uint8_t)(part->bits >> (8 * (at & 7)));
    return part->known && at < ptx_type_bytes(part->type);
}

/* Bytes of an argument from `offset` on; false when they are not known. */
static bool argument_bytes(const struct launch_argument *argument, uint64_t offset, uint32_t bytes,
                           uint64_t *value) {
    uint64_t found = 0, start;
    uint8_t have = 0, byte;
    if (bytes > sizeof *value) return false;
    for (size_t p = 0; p < launch_part_count(argument); p++) {
        const struct launch_argument *part = launch_part(argument, p, &start);
        for (uint32_t i = 0; i < bytes; i++) {
            if (offset + i < start || !known_byte(part, offset + i - start, &byte)) continue;
            found |= (uint64_t)byte << (8 * i);
            have |= (uint8_t)(1u << i);
        }
    }
    *value = found;
    return have == (1u << bytes) - 1;
}

/* The environment's callback: the parameters of the kernel, in the order of the arguments. */
static bool known_parameter(const void *user, uint32_t variable, uint64_t offset, uint32_t bytes,
                            uint64_t *value) {
    const struct launch_environment *filled = user;
    const struct ptx_function *kernel = kernel_function(filled->kernel);
    for (uint32_t i = 0; i < kernel->param_count && i < filled->launch->arguments.count; i++) {
        if (kernel->params[i] != variable || kernel->param_is_reg[i]) continue;
        return argument_bytes(&filled->launch->arguments.items[i], offset, bytes, value);
    }
    return false;
}

static struct sreg_range between(uint64_t low, uint64_t high) {
    return (struct sreg_range){true, low, high};
}

/* The thread indices along one axis that threads first .. last have, `inner` threads making one step of it.
 */
static struct sreg_range thread_indices(const struct thread_span *threads, uint32_t inner, uint32_t size) {
    uint32_t low = threads->first / inner, high = threads->last / inner;
    if (high / size != low / size) return between(0, size - 1);
    return between(low % size, high % size);
}

void launch_environment_fill(const struct wb_kernel *kernel, const struct wb_launch *launch,
                             const struct launch_scope *scope, struct launch_environment *filled) {
    *filled = (struct launch_environment){.kernel = kernel, .launch = launch};
    struct sreg_range *sregs = filled->environment.sregs;
    struct thread_span all = {0, launch->block[0] * launch->block[1] * launch->block[2] - 1};
    const struct thread_span *threads = scope->threads != NULL ? scope->threads : &all;
    uint32_t inner = 1;
    for (uint32_t axis = 0; axis < 3; axis++) {
        uint32_t size = launch->block[axis], blocks = launch->grid[axis];
        sregs[PTX_SREG_TID_X + axis] = thread_indices(threads, inner, size);
        sregs[PTX_SREG_NTID_X + axis] = between(size, size);
        sregs[PTX_SREG_CTAID_X + axis] =
            scope->block != NULL ? between(scope->block[axis], scope->block[axis]) : between(0, blocks - 1);
        sregs[PTX_SREG_NCTAID_X + axis] = between(blocks, blocks);
        inner *= size;
    }
    sregs[PTX_SREG_LANEID] = between(0, WARP_LANES - 1);
    sregs[PTX_SREG_DYNAMIC_SMEM_SIZE] = between(launch->shared_bytes, launch->shared_bytes);
    filled->environment.parameter = known_parameter;
    filled->environment.user = filled;
}

/* A search, and what it finds. */
struct limits_search {
    const struct ptx_function *function;
    const struct loop_environment *launched;
    struct arena *arena;
    struct found_limits *found;
};

static void search_limits(void *context) {
    static const struct loop_environment nothing = {0};
    const struct limits_search *search = context;
    struct arena *arena = search->arena;
    struct found_limits *found = search->found;
    found->cfg = cfg_build(search->function, arena);
    found->dominators = dominators_build(arena, &found->cfg.graph, CFG_ENTRY);
    found->loops = loops_build(arena, &found->cfg.graph, &found->dominators);
    const struct node_regs liveness = liveness_build(&found->cfg, arena);
    const struct ssa ssa = ssa_build(&found->cfg, &found->dominators, &liveness, arena);
    found->always = loop_bounds_find(&ssa, &found->dominators, &found->loops, &nothing, arena);
    found->launched = loop_bounds_find(&ssa, &found->dominators, &found->loops, search->launched, arena);
    found->waiting = waiting_find(&ssa, &found->dominators, &found->loops, arena);
    found->unrolled = unrolled_find(&found->cfg, &found->loops, arena);
}

wb_status found_limits_find(const struct ptx_function *function, const struct loop_environment *launched,
                            struct arena *arena, struct found_limits *found) {
    struct limits_search search = {function, launched, arena, found};
    return arena_protect(arena, search_limits, &search);
}

/* Holds one fact to what was found of its function. */
static wb_status require(const struct wb_facts *facts, const struct flow_fact *fact,
                         const struct found_limits *found, wb_diagnostics *diagnostics) {
    const uint32_t loop = found->loops.innermost[found->cfg.block_of[fact->at]];
    const struct loop_bound *bounds = fact->origin == FACT_FOUND ? found->always : found->launched;
    if (bounds[loop].known && bounds[loop].headers <= fact->limit) return WB_OK;
    if (bounds[loop].known)
        diagnose_at(diagnostics, SEVERITY_ERROR, &facts->source, fact->place,
                    "the analysis finds %" PRIu64 " here, not %" PRIu64
                    ": write your own limits without 'found'",
                    bounds[loop].headers, fact->limit);
    else
        diagnose_at(diagnostics, SEVERITY_ERROR, &facts->source, fact->place,
                    "the analysis finds no limit here: write your own limits without 'found'");
    return WB_ERR_INPUT;
}

/* Holds all facts about a function to what analysis finds of it. */
static wb_status require_of_function(const struct wb_facts *facts, uint32_t function,
                                     const struct loop_environment *launched, wb_diagnostics *diagnostics) {
    struct arena arena = {0};
    struct found_limits found;
    bool looked = false;
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < facts->facts.count; i++) {
        const struct flow_fact *fact = &facts->facts.items[i];
        if (fact->function != function || fact->origin == FACT_STATED) continue;
        if (!looked)
            status = found_limits_find(&facts->kernel->module->functions[function], launched, &arena, &found);
        if (status != WB_OK) (void)diagnose_out_of_memory(diagnostics, facts->source.name);
        if (status == WB_OK) status = require(facts, fact, &found, diagnostics);
        looked = true;
    }
    arena_free(&arena);
    return status;
}

wb_status found_limits_require(const struct wb_facts *facts, const struct wb_launch *launch,
                               wb_diagnostics *diagnostics) {
    static const struct launch_scope all = {0};
    struct launch_environment filled;
    launch_environment_fill(facts->kernel, launch, &all, &filled);
    for (uint32_t f = 0; f < facts->kernel->module->function_count; f++)
        WB_TRY(require_of_function(facts, f, &filled.environment, diagnostics));
    return WB_OK;
}
