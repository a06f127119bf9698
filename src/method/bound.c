#include "method/bound.h"

#include <assert.h>

/* What executions take for granted has its sentences where it is noted (warp/path/execution_notes.h,
 * ptx/opcode.h). */
static const int executed[] = {
    [WB_ASSUME_WHOLE_WARP_BARRIERS] = ASSUMED_WHOLE_WARP_BARRIERS,
    [WB_ASSUME_WARPS_AT_BARRIERS] = ASSUMED_WARPS_AT_BARRIERS,
    [WB_ASSUME_WARP_GROUPS] = ASSUMED_WARP_GROUPS,
    [WB_ASSUME_DIVIDED_LANES] = ASSUMED_DIVIDED_LANES,
    [WB_ASSUME_MEMBERS_TOGETHER] = ASSUMED_MEMBERS_TOGETHER,
    [WB_ASSUME_LAST_LANE] = ASSUMED_LAST_LANE,
    [WB_ASSUME_ATOMIC_ORDER] = ASSUMED_ATOMIC_ORDER,
    [WB_ASSUME_WARP_NUMBERS] = ASSUMED_WARP_NUMBERS,
    [WB_ASSUME_ALIGNED_BUFFERS] = ASSUMED_ALIGNED_BUFFERS,
    [WB_ASSUME_APPROXIMATE_RESULTS] = ASSUMED_APPROXIMATE_RESULTS,
    [WB_ASSUME_DIVISION_BY_ZERO] = ASSUMED_DIVISION_BY_ZERO,
    [WB_ASSUME_POINTER_ORDER] = ASSUMED_POINTER_ORDER,
    [WB_ASSUME_ELECTION] = ASSUMED_WAITS + (int)PTX_WAIT_ELECTION,
    [WB_ASSUME_CONVERGENCE] = ASSUMED_WAITS + (int)PTX_WAIT_CONVERGENCE,
    [WB_ASSUME_EARLIER_GRIDS] = ASSUMED_WAITS + (int)PTX_WAIT_EARLIER_GRIDS,
    [WB_ASSUME_OTHER_GPUS] = ASSUMED_WAITS + (int)PTX_WAIT_OTHER_GPUS,
    [WB_ASSUME_ABORT] = ASSUMED_WAITS + (int)PTX_WAIT_ABORT,
    [WB_ASSUME_ASSERTION] = ASSUMED_WAITS + (int)PTX_WAIT_ASSERTION,
    [WB_ASSUME_RUNTIME] = ASSUMED_WAITS + (int)PTX_WAIT_RUNTIME,
};

#define EXECUTED_COUNT (sizeof executed / sizeof executed[0])

static const char *const texts[WB_ASSUMPTION_COUNT] = {
    /* What warps execute. */
    [WB_ASSUME_PATHS_ON_SM] = "the warps execute these paths, alone on the streaming multiprocessor",
    [WB_ASSUME_PATHS_ON_GPU] = "the warps execute these paths, alone on the GPU",
    [WB_ASSUME_PATHS_OF_BLOCKS] = "the blocks execute these paths, alone on the GPU",
    [WB_ASSUME_PATHS_AND_ADDRESSES] = "the blocks execute these paths at these addresses, alone on the GPU",
    [WB_ASSUME_COVERING_PATHS_ON_SM] = ("the warps execute parts of these covering paths, whatever the "
                                        "unknown values are, alone on the streaming multiprocessor"),
    [WB_ASSUME_COVERING_PATHS_ON_GPU] =
        "the warps execute parts of these covering paths, whatever the unknown values are, alone on the GPU",
    [WB_ASSUME_COVERING_PATHS_OF_BLOCKS] = ("the warps of all blocks execute parts of these covering paths, "
                                            "whatever the unknown values are, alone on the GPU"),
    [WB_ASSUME_NO_RACES] = "no data races and no invalid accesses",
    [WB_ASSUME_INSIDE_OBJECTS] =
        "an address that is made from a pointer to a buffer or variable lies inside of it",
    [WB_ASSUME_FLOW_FACTS] = "the flow facts are true",
    /* The machine. */
    [WB_ASSUME_WORK_CONSERVING] = "work-conserving issue (any policy but strict round-robin)",
    [WB_ASSUME_STRICT_ROUND_ROBIN] = "strict round-robin issue",
    [WB_ASSUME_REORDERED_REQUESTS] =
        "requests reach the first-level cache in the order of the reordering unit",
    [WB_ASSUME_TIMES_OR_SHORTER] = "initiations and latencies as the machine states them, or shorter",
    [WB_ASSUME_TIMES_AS_STATED] = "initiations and latencies exactly as stated",
    [WB_ASSUME_UNITS_NOT_IDLE] = "a unit does not idle while an instruction waits for it",
    [WB_ASSUME_UNITS_IN_ISSUE_ORDER] = "units start instructions in issue order",
    [WB_ASSUME_LARGEST_INITIATIONS] =
        "every instruction of another warp is charged the largest initiation of its unit",
    [WB_ASSUME_NO_FETCH_STALLS] = "no instruction fetch stalls",
    [WB_ASSUME_FETCH_AS_STATED] = ("instruction fetch as the machine states it, or faster; an instruction of "
                                   "PTX is one of the machine, and nothing else uses the instruction caches"),
    [WB_ASSUME_NO_CACHE_MISSES] = "no cache misses and no memory interference beyond the stated latencies",
    [WB_ASSUME_NO_DATA_CACHE_MISSES] =
        "no misses of data caches and no memory interference beyond the stated latencies",
    [WB_ASSUME_CACHES_AS_STATED] =
        ("caches, interconnect and DRAM as the machine states them; at the start the first levels are empty, "
         "and the second level holds nothing that is still to be written back"),
    [WB_ASSUME_ONE_MEMORY] = ("all SMs share one memory, which serves requests one by one and does not idle "
                              "while one waits; no caches"),
    [WB_ASSUME_MEMORY_ANY_ORDER] = "the memory may serve waiting requests in any order",
    [WB_ASSUME_MEMORY_IN_ARRIVAL_ORDER] = "the memory serves requests in the order of their arrival",
    [WB_ASSUME_MEMORY_ROUND_ROBIN] = "the memory serves waiting SMs round-robin",
    /* The way of blocks to SMs. */
    [WB_ASSUME_DISPATCH_TO_ANY_SM] = ("a block is dispatched as soon as an SM has a free slot for it, and "
                                      "holds the slot until all its warps have ended"),
    [WB_ASSUME_DISPATCH_ROUND_ROBIN_AT_START] =
        "at the start, blocks are dispatched round-robin over the SMs",
    [WB_ASSUME_DISPATCH_IN_ANY_ORDER] =
        "blocks may be dispatched in any order, each to any SM with a free slot",
    [WB_ASSUME_STATIC_DISPATCH] = "block b runs on SM b modulo the number of SMs",
    [WB_ASSUME_STATIC_DISPATCH_WHEN_ROOM] =
        ("block b runs on SM b modulo the number of SMs: it is dispatched as soon as that has a free slot, "
         "and holds the slot until all its warps have ended"),
    [WB_ASSUME_REGISTERS_IGNORED] =
        "registers per thread are not known: they are taken not to limit how many blocks an SM holds",
    [WB_ASSUME_REGISTERS_ANY] =
        "registers per thread are not known: any number of resident blocks that they may allow",
    [WB_ASSUME_REGISTERS_FEWEST] =
        "registers per thread are not known: as many resident blocks as fit on an SM",
    [WB_ASSUME_TOGETHER_EXACT] = "blocks that start together take their exact worst case",
    [WB_ASSUME_TOGETHER_PROVEN] = "blocks that start together take as long as their proven bound says",
    [WB_ASSUME_OTHER_CLASSES_AS_SUMMED] =
        "block classes that were not analysed by themselves take at most what sib or elb says",
    /* Abstract CTA simulation (docs/abstract-cta.md). */
    [WB_ASSUME_UNIFORM_BRANCHES] = "branches that are called uniform do not diverge",
    [WB_ASSUME_WARPS_AS_WRITTEN] = "the warps are as the file describes them, alone on the compute unit",
    [WB_ASSUME_LOOPS_AND_SIDES_AS_TRACED] =
        ("every warp runs its loops as often as in the traced execution, and takes the sides of uniform "
         "branches that it takes there; alone on the compute unit"),
    [WB_ASSUME_LOOPS_AS_TRACED] = ("every warp runs its loops as often as in the traced execution, whatever "
                                   "sides of branches it takes; alone on the compute unit"),
    [WB_ASSUME_CTA_CONVENTIONS] = "the conventions that the machine states (abstract_cta)",
    [WB_ASSUME_ROUND_ROBIN_FROM_BARRIERS] =
        "round-robin issue that restarts with the first warp after each barrier",
    [WB_ASSUME_LATENCIES_OR_SHORTER] =
        "latencies as the machine states them, or shorter; no instruction fetch stalls",
    /* Kernel instruction strings (docs/makespan.md). */
    [WB_ASSUME_ONE_CYCLE_EACH] =
        "every instruction takes one cycle of one unit; no latency beyond it, no cache misses",
    [WB_ASSUME_ONE_ISSUE_PER_WARP] = "work-conserving issue of at most one instruction per warp and cycle",
    [WB_ASSUME_THESE_STRINGS] = "the warps execute these strings, alone on the streaming multiprocessor",
    [WB_ASSUME_STRINGS_WITHOUT_WAITS] =
        "the warps do not wait where their path does (at barriers, for copies or the like)",
    [WB_ASSUME_CAPACITY_ROUNDED_DOWN] =
        "a unit type whose capacity was rounded down is at least as fast as that",
    [WB_ASSUME_LETTERS_ISSUE_EACH] =
        "letters that stand for parts of one instruction take an issue slot each",
    [WB_ASSUME_SOLVER_ARITHMETIC] =
        "the floating-point arithmetic of CBC, which is not checked, found the upper end",
};

const char *wb_assumption_text(wb_assumption what) {
    assert(what < WB_ASSUMPTION_COUNT);
    return what < EXECUTED_COUNT ? assumed_text((enum assumed)executed[what]) : texts[what];
}

void assume(wb_bound *bound, wb_assumption what) {
    assert(what < WB_ASSUMPTION_COUNT);
    for (size_t i = 0; i < bound->assumption_count; i++)
        if (bound->assumptions[i] == what) return;
    assert(bound->assumption_count < WB_ASSUMPTION_COUNT);
    bound->assumptions[bound->assumption_count++] = what;
}

size_t assumptions_of_execution(assumed_set set, wb_assumption list[WB_ASSUMPTION_COUNT]) {
    size_t count = 0;
    for (size_t what = 0; what < EXECUTED_COUNT; what++)
        if (set >> executed[what] & 1) list[count++] = (wb_assumption)what;
    assert(count == (size_t)__builtin_popcountll(set)); /* each has an id */
    return count;
}

void assume_execution(wb_bound *bound, assumed_set set) {
    wb_assumption list[WB_ASSUMPTION_COUNT];
    const size_t count = assumptions_of_execution(set, list);
    for (size_t i = 0; i < count; i++)
        assume(bound, list[i]);
}

void bound_add_part(wb_bound *bound, wb_part_kind what, const char *unit, uint64_t value) {
    if (value == 0) return;
    assert(bound->part_count < WB_PARTS_MAX);
    size_t at = bound->part_count++;
    for (; at > 0 && bound->parts[at - 1].cycles < value; at--)
        bound->parts[at] = bound->parts[at - 1];
    bound->parts[at] = (wb_part){what, unit, value};
}

const char *wb_part_name(wb_part_kind what) {
    switch (what) {
    case WB_PART_ISSUE: return "issue";
    case WB_PART_UNIT: return "unit";
    case WB_PART_BUSY: return "busy";
    case WB_PART_LATENCY: return "latency";
    case WB_PART_MEMORY: return "memory";
    case WB_PART_FETCH: return "fetch";
    case WB_PART_DISPATCH: return "dispatch";
    case WB_PART_TAIL: return "tail";
    case WB_PART_INTERFERENCE: return "interference";
    case WB_PART_WAIT: return "wait";
    case WB_PART_LAUNCH:
    case WB_PART_COUNT: break;
    }
    return "launch";
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
