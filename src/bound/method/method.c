#include "bound/method/method.h"

#include "sim/gpu.h"
#include "warp/path/block.h"

void bound_assume(wb_bound *bound, const char *assumption) {
    if (bound->assumption_count < WB_ASSUMPTIONS_MAX)
        bound->assumptions[bound->assumption_count++] = assumption;
}

static bool is_covering(const struct bound_input *input) {
    return input->facts != NULL;
}

/* What covering paths rest on. */
static void assume_covering(const struct bound_input *input, wb_bound *bound) {
    if (input->work != NULL || (input->memory != NULL && input->block == NULL))
        bound_assume(bound, "the warps of all blocks execute parts of these covering paths, whatever the "
                            "unknown values are, alone on the GPU");
    else if (input->memory == NULL && input->load == NULL)
        bound_assume(bound, "the warps execute parts of these covering paths, whatever the unknown values "
                            "are, alone on the streaming multiprocessor");
    else
        bound_assume(bound, "the warps execute parts of these covering paths, whatever the unknown values "
                            "are, alone on the GPU");
    bound_assume(bound, "no data races and no invalid accesses");
    if (input->in_objects)
        bound_assume(bound,
                     "an address that is made from a pointer to a buffer or variable lies inside of it");
    if (input->facts->stated > 0) bound_assume(bound, "the flow facts are true");
}

void bound_assume_paths(const struct bound_input *input, wb_bound *bound) {
    if (is_covering(input))
        assume_covering(input, bound);
    else if (input->work != NULL)
        bound_assume(bound, "the blocks execute these paths, alone on the GPU");
    else if (input->load != NULL)
        bound_assume(bound, "the warps execute these paths, alone on the GPU");
    else if (input->memory == NULL)
        bound_assume(bound, "the warps execute these paths, alone on the streaming multiprocessor");
    else
        bound_assume(bound, "the blocks execute these paths at these addresses, alone on the GPU");
    bound_assume_execution(input, bound);
}

void bound_assume_execution(const struct bound_input *input, wb_bound *bound) {
    const char *texts[ASSUMED_COUNT];
    const size_t count = assumed_list(input->assumed, texts);
    for (size_t i = 0; i < count; i++)
        bound_assume(bound, texts[i]);
}

/* Which warps issue, by the scheme of the grid. */
static void assume_issue(const struct gpu_scheme *scheme, wb_bound *bound) {
    if (scheme == NULL || scheme->policy->work_conserving)
        bound_assume(bound, "work-conserving issue (any policy but strict round-robin)");
    else
        bound_assume(bound, "strict round-robin issue");
    if (scheme != NULL && scheme->reorder)
        bound_assume(bound, "requests reach the first-level cache in the order of the reordering unit");
}

/* What a bound says of memory. */
static void assume_memory(const struct bound_input *input, wb_bound *bound) {
    if (input->contended) {
        bound_assume(bound, "one memory of all SMs serves requests one by one, and does not stay idle while "
                            "one waits; no caches");
        return;
    }
    if (input->memory == NULL) {
        bound_assume(bound, fetch_can_stall(&input->machine->fetch)
                                ? "no misses of data caches and no memory interference beyond the stated "
                                  "latencies"
                                : "no cache misses and no memory interference beyond the stated latencies");
        return;
    }
    bound_assume(bound, "caches, interconnect and DRAM as the machine states them; at the start the first "
                        "levels are empty, and the second level holds nothing that is still to be written "
                        "back");
}

static void assume_fetch(const struct bound_input *input, wb_bound *bound) {
    if (!fetch_can_stall(&input->machine->fetch))
        bound_assume(bound, "no instruction fetch stalls");
    else
        bound_assume(bound, "instruction fetch as the machine states it, or faster; an instruction of PTX is "
                            "one of the machine, and nothing else uses the instruction caches");
}

void bound_assume_model(const struct bound_input *input, wb_bound *bound) {
    bound_assume_paths(input, bound);
    assume_issue(input->scheme, bound);
    bound_assume(bound, "initiations and latencies as the machine states them, or shorter");
    assume_memory(input, bound);
    assume_fetch(input, bound);
}

void bound_assume_grid(const struct bound_input *input, wb_bound *bound) {
    bound_assume_model(input, bound);
    bound_assume(bound, "a unit with an instruction waiting for it does not stay idle");
    if (input->scheme->reorder || !memory_dispatch_is_dynamic(&input->machine->memory))
        bound_assume(bound, "block b runs on SM b modulo their number");
    if (input->registers_ignored)
        bound_assume(bound, "registers of a thread are not known: so few that they keep no block from an SM");
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

const char *wb_kind_name(wb_kind kind) {
    switch (kind) {
    case WB_EXACT: return "exact";
    case WB_UPPER: return "upper";
    case WB_LOWER: return "lower";
    case WB_SIMULATED: return "simulated";
    case WB_ESTIMATE: break;
    }
    return "estimate";
}
