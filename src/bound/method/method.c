#include "bound/method/method.h"

#include "sim/gpu/gpu.h"
#include "warp/path/path.h"
#include <assert.h>

static bool is_covering(const struct bound_input *input) {
    return input->facts != NULL;
}

/* The assumptions of covering paths. */
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

/* What sets some of the SMs apart. */
static void assume_partition(const struct wb_machine *machine, wb_bound *bound) {
    const struct machine_partition *partition = machine != NULL ? &machine->partition : NULL;
    if (partition == NULL || partition->sms == 0) return;
    if (machine->neighbours.stated && partition->kind != PARTITION_MIG)
        assume(bound, WB_ASSUME_PARTITION_OF_SMS);
    else
        assume(bound, (wb_assumption)((uint32_t)WB_ASSUME_PARTITION_GREEN_CONTEXT + partition->kind));
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
    assume_partition(input->machine, bound);
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

/* The memory assumptions of a bound. */
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

void bound_assume_machine_code(const struct bound_input *input, wb_bound *bound) {
    static const wb_assumption assumed[] = {
        WB_ASSUME_WORK_CONSERVING,   WB_ASSUME_UNITS_NOT_IDLE,      WB_ASSUME_MACHINE_CODE_TIMES,
        WB_ASSUME_MEMORY_IN_LEVEL,   WB_ASSUME_STALLS_KEPT,         WB_ASSUME_CONSTANTS_MISSED_ONCE,
        WB_ASSUME_CODE_STAYS_CACHED, WB_ASSUME_FETCHED_AHEAD,       WB_ASSUME_FILLS_UNCONTENDED,
        WB_ASSUME_WARPS_IN_ORDER,    WB_ASSUME_RESULTS_NOT_STARVED, WB_ASSUME_COUNTERS_NOT_FULL,
    };
    bound_assume_paths(input, bound);
    for (size_t i = 0; i < sizeof assumed / sizeof *assumed; i++)
        assume(bound, assumed[i]);
    if (input->machine->sub_cores > 1) assume(bound, WB_ASSUME_SUB_CORES_KEPT);
    for (int r = 0; r < RESIDENTS; r++)
        if (machine_promises(input->machine, (enum resident)r))
            assume(bound, (wb_assumption)((int)WB_ASSUME_RESIDENT_TRANSLATIONS + r));
}

void bound_assume_grid(const struct bound_input *input, wb_bound *bound) {
    assert(input->scheme != NULL); /* kernels without caches say what they assume of dispatch themselves */
    bound_assume_model(input, bound);
    assume(bound, WB_ASSUME_UNITS_NOT_IDLE);
    if (input->scheme->reorder || !memory_dispatch_is_dynamic(&input->machine->memory))
        assume(bound, WB_ASSUME_STATIC_DISPATCH);
    if (input->registers_ignored) assume(bound, WB_ASSUME_REGISTERS_IGNORED);
}

/* Why a method is not for what lacks a need, by its bit. */
static const char *const reasons[BOUND_NEEDS] = {
    "this method needs the path that a warp really executes, which depends on unknown values",
    "this method knows no instruction cache (fetch)",
    "this method needs the instructions of a block",
    "this method is for one block, not for a grid",
    "this method needs known latencies, which a machine with caches does not have",
    ("this method needs known latencies, which requests that wait for one memory (service) do not have"),
    "this method is for whole kernels, on machines without caches",
    "this method needs blocks that go to any SM with a free slot, not dispatch: static",
    "this method is for machines with caches (l1_size)",
    "this method is for other schemes",
    "this method is for other schemes",
    "this method is for other schemes",
    "this method is for machines that time PTX, not for code: sass",
    "this method is for machines that time machine code (code: sass)",
};

static uint32_t need_if(bool given, enum bound_need need) {
    return given ? (uint32_t)need : 0;
}

/* The need that only grids under this scheme meet. */
static uint32_t need_of_scheme(const struct gpu_scheme *scheme) {
    assert(scheme->policy->work_conserving || !scheme->reorder);
    if (scheme->reorder) return NEED_REORDER;
    return scheme->policy->work_conserving ? NEED_DEFAULT_SCHEME : NEED_PURE_RR;
}

/* The need that machines meet by what they time. */
static const uint32_t isa_needs[] = {[ISA_PTX] = NEED_PTX_MODEL, [ISA_SASS] = NEED_SASS_MODEL};

/* The needs that an input meets. */
static uint32_t needs_met(const struct bound_input *input) {
    const bool is_of_wing = input->subject != NULL, is_block = input->block != NULL;
    assert(is_of_wing + is_block + (input->work != NULL) + (!is_block && input->memory != NULL) == 1);
    assert((input->scheme != NULL) == (input->memory != NULL));
    return need_if(input->facts == NULL, NEED_REAL_PATHS) |
           need_if(!fetch_can_stall(&input->machine->fetch), NEED_NO_FETCH_STALLS) |
           need_if(!is_of_wing, NEED_INSTRUCTIONS) | need_if(is_of_wing || is_block, NEED_BLOCK) |
           need_if(input->memory == NULL, NEED_NO_CACHES) | need_if(!input->contended, NEED_KNOWN_TIMES) |
           need_if(input->work != NULL, NEED_KERNEL) |
           need_if(memory_dispatch_is_dynamic(&input->machine->memory), NEED_DYNAMIC_DISPATCH) |
           need_if(input->memory != NULL, NEED_CACHES) | isa_needs[machine_isa(input->machine)] |
           (input->scheme == NULL ? 0 : need_of_scheme(input->scheme));
}

bool bound_method_applies(const struct bound_method *method, const struct bound_input *input,
                          const char **why) {
    const uint32_t missing = method->needs & ~needs_met(input);
    assert(missing >> BOUND_NEEDS == 0);
    *why = NULL;
    if (missing != 0)
        *why = reasons[__builtin_ctz(missing)];
    else if (method->searches && input->machine->policy != MACHINE_POLICY_ANY)
        *why = "the machine says which warps issue first (policy), but this method tries all orders";
    else if (method->objection != NULL)
        *why = method->objection(input);
    return *why == NULL;
}

void bound_qualify(const struct bound_input *input, wb_bound *bound) {
    const bool has_memory = input->memory != NULL || input->contended;
    if ((input->assumed & assumed_bit(ASSUMED_ATOMIC_ORDER)) != 0 && bound->kind != WB_LOWER) {
        bound->reason = "these paths are for one order of atomics and of accesses to other warps' memory: in "
                        "another order, control or addresses differ";
    } else if (machine_unproven(input->machine) != NULL) {
        bound->reason = machine_unproven(input->machine);
    } else if (has_memory && fetch_can_stall(&input->machine->fetch)) {
        bound->reason = "no proof covers an instruction cache (fetch) together with data caches or with one "
                        "memory of all SMs";
    } else {
        return;
    }
    bound->kind = WB_ESTIMATE;
    bound->lower = 0;
}
