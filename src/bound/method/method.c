#include "bound/method/method.h"

#include "sim/gpu.h"
#include "warp/path/block.h"

static bool is_covering(const struct bound_input *input) {
    return input->facts != NULL;
}

/* What covering paths rest on. */
static void assume_covering(const struct bound_input *input, wb_bound *bound) {
    if (input->work != NULL || (input->memory != NULL && input->block == NULL))
        assume(bound, WB_ASSUME_COVERING_PATHS_OF_BLOCKS);
    else if (input->memory == NULL && input->load == NULL)
        assume(bound, WB_ASSUME_COVERING_PATHS_ON_SM);
    else
        assume(bound, WB_ASSUME_COVERING_PATHS_ON_GPU);
    assume(bound, WB_ASSUME_NO_RACES);
    if (input->in_objects) assume(bound, WB_ASSUME_INSIDE_OBJECTS);
    if (input->facts->stated > 0) assume(bound, WB_ASSUME_FLOW_FACTS);
}

void bound_assume_paths(const struct bound_input *input, wb_bound *bound) {
    if (is_covering(input))
        assume_covering(input, bound);
    else if (input->work != NULL)
        assume(bound, WB_ASSUME_PATHS_OF_BLOCKS);
    else if (input->load != NULL)
        assume(bound, WB_ASSUME_PATHS_ON_GPU);
    else if (input->memory == NULL)
        assume(bound, WB_ASSUME_PATHS_ON_SM);
    else
        assume(bound, WB_ASSUME_PATHS_AND_ADDRESSES);
    assume_execution(bound, input->assumed);
}

/* Which warps issue, by the scheme of the grid. */
static void assume_issue(const struct gpu_scheme *scheme, wb_bound *bound) {
    if (scheme == NULL || scheme->policy->work_conserving)
        assume(bound, WB_ASSUME_WORK_CONSERVING);
    else
        assume(bound, WB_ASSUME_STRICT_ROUND_ROBIN);
    if (scheme != NULL && scheme->reorder) assume(bound, WB_ASSUME_REORDERED_REQUESTS);
}

/* What a bound says of memory. */
static void assume_memory(const struct bound_input *input, wb_bound *bound) {
    if (input->contended) {
        assume(bound, WB_ASSUME_ONE_MEMORY);
        return;
    }
    if (input->memory == NULL) {
        assume(bound, fetch_can_stall(&input->machine->fetch) ? WB_ASSUME_NO_DATA_CACHE_MISSES
                                                              : WB_ASSUME_NO_CACHE_MISSES);
        return;
    }
    assume(bound, WB_ASSUME_CACHES_AS_STATED);
}

static void assume_fetch(const struct bound_input *input, wb_bound *bound) {
    if (!fetch_can_stall(&input->machine->fetch))
        assume(bound, WB_ASSUME_NO_FETCH_STALLS);
    else
        assume(bound, WB_ASSUME_FETCH_AS_STATED);
}

void bound_assume_model(const struct bound_input *input, wb_bound *bound) {
    bound_assume_paths(input, bound);
    assume_issue(input->scheme, bound);
    assume(bound, WB_ASSUME_TIMES_OR_SHORTER);
    assume_memory(input, bound);
    assume_fetch(input, bound);
}

void bound_assume_grid(const struct bound_input *input, wb_bound *bound) {
    bound_assume_model(input, bound);
    assume(bound, WB_ASSUME_UNITS_NOT_IDLE);
    if (input->scheme->reorder || !memory_dispatch_is_dynamic(&input->machine->memory))
        assume(bound, WB_ASSUME_STATIC_DISPATCH);
    if (input->registers_ignored) assume(bound, WB_ASSUME_REGISTERS_IGNORED);
}

/* Why searches over schedules are not for machines whose SMs share one memory. */
#define TIMES_UNKNOWN                                                                                        \
    "this method needs latencies that are known, which those of requests that wait for one memory "          \
    "(service) are not"

/* The bit of a scheme. */
static uint32_t scheme_bit(const struct gpu_scheme *scheme) {
    if (!scheme->policy->work_conserving) return scheme->reorder ? 0 : BOUND_IN_TURNS;
    return scheme->reorder ? BOUND_REORDERED : BOUND_FREE;
}

/* Whether the input is of the method's scope; if not, *why says so. */
static bool is_in_scope(const struct bound_method *method, const struct bound_input *input,
                        const char **why) {
    if (is_covering(input) && !method->monotone) {
        *why = "this method needs the path that a warp really executes, which depends on values that are not "
               "known";
        return false;
    }
    if (method->of_abstract_warps && fetch_can_stall(&input->machine->fetch)) {
        *why = "abstract warps know no instruction cache (fetch)";
        return false;
    }
    if (input->abstract != NULL) {
        *why = "this method needs the instructions of a block, not abstract warps";
        return method->of_abstract_warps;
    }
    if (method->scope == BOUND_OF_KERNEL) {
        if (method->searches && input->contended) {
            *why = TIMES_UNKNOWN;
            return false;
        }
        *why = input->work == NULL
                   ? "this method is for whole kernels, on machines without caches"
                   : "this method needs blocks that go to any SM that has room, not dispatch: static";
        return input->work != NULL &&
               (!method->dynamic_dispatch || memory_dispatch_is_dynamic(&input->machine->memory));
    }
    if (method->scope == BOUND_OF_GRID) {
        *why = input->scheme == NULL ? "this method is for machines with caches (l1_size)"
                                     : "this method is for other schemes";
        return input->scheme != NULL && (method->schemes & scheme_bit(input->scheme)) != 0;
    }
    if (input->block == NULL) {
        *why = "this method is for one block, not for a grid";
        return false;
    }
    if (method->of_abstract_warps && input->block->traced == NULL) {
        *why = "this method is for kernels and abstract warps, not for blocks written by hand";
        return false;
    }
    *why = input->memory != NULL
               ? "this method needs latencies that are known, which those of a machine with caches are not"
               : TIMES_UNKNOWN;
    return (input->memory == NULL && input->load == NULL) || method->scope == BOUND_OF_BLOCK;
}

bool bound_method_applies(const struct bound_method *method, const struct bound_input *input,
                          const char **why) {
    if (!is_in_scope(method, input, why)) return false;
    *why = method->objection == NULL ? NULL : method->objection(input);
    return *why == NULL;
}

void bound_qualify(const struct bound_input *input, wb_bound *bound) {
    const bool has_memory = input->memory != NULL || input->contended;
    if (input->machine->model == MACHINE_GPGPUSIM) {
        bound->reason = "no proof covers the operand collectors of this profile, and acknowledgements of "
                        "stores are not counted";
    } else if (has_memory && fetch_can_stall(&input->machine->fetch)) {
        bound->reason = "no proof covers an instruction cache (fetch) beside caches of data, or beside one "
                        "memory of all SMs";
    } else {
        return;
    }
    bound->kind = WB_ESTIMATE;
    bound->lower = 0;
}
