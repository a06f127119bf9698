#include "method/assumption.h"

#include <assert.h>
#include <string.h>

#include "warpbound.h"

/* The groups, by the letter of their ids, in the order in which reports list them. */
static const struct {
    char letter;
    const char *name;
} groups[] = {
    {'K', "kernel"},    {'F', "facts"},   {'E', "execution"}, {'R', "registers"}, {'S', "scheduler"},
    {'D', "dispatch"},  {'M', "machine"}, {'H', "hardware"},  {'C', "memory"},    {'P', "promises"},
    {'N', "partition"}, {'T', "task"},    {'A', "abstract"},  {'I', "strings"},   {'L', "launches"},
};

#define GROUP_COUNT (sizeof groups / sizeof *groups)

/* Ids never change, and those of what is gone are not used again: people cite them. A new assumption takes
 * the next number of its letter, and a row in docs/reading-a-bound.md. */
static const struct {
    const char *id;
    const char *text; /* NULL: that of `executed` */
    int executed;
} assumptions[WB_ASSUMPTION_COUNT] = {
    /* What the execution of the kernel takes for granted: it has its sentences where it is noted
     * (warp/path/path.h, ptx/opcode.h). */
    [WB_ASSUME_WHOLE_WARP_BARRIERS] = {.id = "E1", .executed = ASSUMED_WHOLE_WARP_BARRIERS},
    [WB_ASSUME_WARPS_AT_BARRIERS] = {.id = "E2", .executed = ASSUMED_WARPS_AT_BARRIERS},
    [WB_ASSUME_WARP_GROUPS] = {.id = "E3", .executed = ASSUMED_WARP_GROUPS},
    [WB_ASSUME_DIVIDED_LANES] = {.id = "E4", .executed = ASSUMED_DIVIDED_LANES},
    [WB_ASSUME_MEMBERS_TOGETHER] = {.id = "E5", .executed = ASSUMED_MEMBERS_TOGETHER},
    [WB_ASSUME_LAST_LANE] = {.id = "E6", .executed = ASSUMED_LAST_LANE},
    [WB_ASSUME_ATOMIC_ORDER] = {.id = "E7", .executed = ASSUMED_ATOMIC_ORDER},
    [WB_ASSUME_WARP_NUMBERS] = {.id = "E8", .executed = ASSUMED_WARP_NUMBERS},
    [WB_ASSUME_ALIGNED_BUFFERS] = {.id = "E9", .executed = ASSUMED_ALIGNED_BUFFERS},
    [WB_ASSUME_APPROXIMATE_RESULTS] = {.id = "E10", .executed = ASSUMED_APPROXIMATE_RESULTS},
    [WB_ASSUME_DIVISION_BY_ZERO] = {.id = "E11", .executed = ASSUMED_DIVISION_BY_ZERO},
    [WB_ASSUME_POINTER_ORDER] = {.id = "E12", .executed = ASSUMED_POINTER_ORDER},
    [WB_ASSUME_ELECTION] = {.id = "E13", .executed = ASSUMED_WAITS + (int)PTX_WAIT_ELECTION},
    [WB_ASSUME_CONVERGENCE] = {.id = "E14", .executed = ASSUMED_WAITS + (int)PTX_WAIT_CONVERGENCE},
    [WB_ASSUME_EARLIER_GRIDS] = {.id = "E15", .executed = ASSUMED_WAITS + (int)PTX_WAIT_EARLIER_GRIDS},
    [WB_ASSUME_OTHER_GPUS] = {.id = "E16", .executed = ASSUMED_WAITS + (int)PTX_WAIT_OTHER_GPUS},
    [WB_ASSUME_ABORT] = {.id = "E17", .executed = ASSUMED_WAITS + (int)PTX_WAIT_ABORT},
    [WB_ASSUME_ASSERTION] = {.id = "E18", .executed = ASSUMED_WAITS + (int)PTX_WAIT_ASSERTION},
    [WB_ASSUME_RUNTIME] = {.id = "E19", .executed = ASSUMED_WAITS + (int)PTX_WAIT_RUNTIME},
    [WB_ASSUME_MACHINE_CODE_CLASSES] = {.id = "E20", .executed = ASSUMED_MACHINE_CODE_CLASSES},
    [WB_ASSUME_PTX_FOR_MACHINE_CODE] = {.id = "E21", .executed = ASSUMED_PTX_FOR_MACHINE_CODE},
    [WB_ASSUME_DIVIDED_MACHINE_LANES] = {.id = "E22", .executed = ASSUMED_DIVIDED_MACHINE_LANES},
    [WB_ASSUME_REFINED_RESULTS] = {.id = "E24", .executed = ASSUMED_REFINED_RESULTS},
    [WB_ASSUME_DIVISION_CHECKS] = {.id = "E25", .executed = ASSUMED_DIVISION_CHECKS},
    [WB_ASSUME_START_OF_SM_87] = {.id = "E26", .executed = ASSUMED_START_OF_SM_87},
    [WB_ASSUME_RETURNS_BY_STACK] = {.id = "E27", .executed = ASSUMED_RETURNS_BY_STACK},
    [WB_ASSUME_INITIAL_VARIABLES] = {.id = "E28", .executed = ASSUMED_INITIAL_VARIABLES},
    [WB_ASSUME_NO_CONTRACTION] = {.id = "E29", .executed = ASSUMED_NO_CONTRACTION},
    [WB_ASSUME_NAN_BITS] = {.id = "E30", .executed = ASSUMED_NAN_BITS},
    [WB_ASSUME_TRACED] = {.id = "E31", .executed = ASSUMED_TRACED},
    /* What warps execute. */
    [WB_ASSUME_PATHS_ON_SM] = {.id = "K1",
                               .text = "nothing else runs on the SM; warps follow the analysed paths"},
    [WB_ASSUME_PATHS_ON_GPU] = {.id = "K2",
                                .text = "nothing else runs on the GPU; warps follow the analysed paths"},
    [WB_ASSUME_PATHS_OF_BLOCKS] = {.id = "K3",
                                   .text = "nothing else runs on the GPU; blocks follow the analysed paths"},
    [WB_ASSUME_PATHS_AND_ADDRESSES] = {.id = "K4",
                                       .text = "nothing else runs on the GPU; blocks follow the analysed "
                                               "paths and access the analysed addresses"},
    [WB_ASSUME_COVERING_PATHS_ON_SM] = {.id = "K5",
                                        .text = ("nothing else runs on the SM; whatever the unknown values "
                                                 "are, warps execute parts of the covering paths")},
    [WB_ASSUME_COVERING_PATHS_ON_GPU] = {.id = "K6",
                                         .text = "nothing else runs on the GPU; whatever the unknown values "
                                                 "are, warps execute parts of the covering paths"},
    [WB_ASSUME_COVERING_PATHS_OF_BLOCKS] =
        {.id = "K7",
         .text = ("nothing else runs on the GPU; whatever the unknown values are, the warps of all blocks "
                  "execute parts of the covering paths")},
    [WB_ASSUME_NO_RACES] = {.id = "K8", .text = "the kernel has no data races and makes no invalid accesses"},
    [WB_ASSUME_INSIDE_OBJECTS] =
        {.id = "K9", .text = "an address derived from a pointer to a buffer or variable stays inside it"},
    [WB_ASSUME_FLOW_FACTS] = {.id = "F1", .text = "the flow facts are true"},
    /* The machine. */
    [WB_ASSUME_WORK_CONSERVING] = {.id = "S1",
                                   .text = "issue is work-conserving (any policy but strict round-robin)"},
    [WB_ASSUME_STRICT_ROUND_ROBIN] = {.id = "S2", .text = "issue is strict round-robin"},
    [WB_ASSUME_SUB_CORES_KEPT] =
        {.id = "S3",
         .text = "warps' numbers alone decide which warps of a block share a sub-core; no warp moves"},
    [WB_ASSUME_OLDEST_FIRST] =
        {.id = "S4",
         .text = "of the ready warps of a sub-core, one of the block that came to the SM first issues"},
    [WB_ASSUME_REORDERED_REQUESTS] =
        {.id = "C8", .text = "requests reach the first-level cache in the order of the reordering unit"},
    [WB_ASSUME_TIMES_OR_SHORTER] = {.id = "M1",
                                    .text =
                                        "initiations and latencies are as the machine states, or shorter"},
    [WB_ASSUME_TIMES_AS_STATED] = {.id = "M2", .text = "initiations and latencies are exactly as stated"},
    [WB_ASSUME_UNITS_NOT_IDLE] = {.id = "M3", .text = "no unit idles while an instruction waits for it"},
    [WB_ASSUME_UNITS_IN_ISSUE_ORDER] = {.id = "M4", .text = "units start instructions in issue order"},
    [WB_ASSUME_LARGEST_INITIATIONS] =
        {.id = "M5",
         .text = "every instruction of another warp is charged the largest initiation of its unit"},
    [WB_ASSUME_NO_FETCH_STALLS] = {.id = "M6", .text = "instruction fetch never stalls"},
    [WB_ASSUME_FETCH_AS_STATED] =
        {.id = "M7",
         .text = ("instruction fetch is as the machine states, or faster; a PTX instruction is one machine "
                  "instruction; nothing else uses the instruction caches")},
    [WB_ASSUME_LATENCIES_IN_INTERVALS] =
        {.id = "M8",
         .text =
             "initiations are exactly as the machine states; latencies lie in the intervals that it states"},
    [WB_ASSUME_MACHINE_CODE_TIMES] =
        {.id = "M9",
         .text = ("machine instructions hold the issue stage and their units, and take from there until "
                  "their counters count down, no longer than the machine states")},
    /* Cores that execute machine code. */
    [WB_ASSUME_STALLS_KEPT] = {.id = "H1",
                               .text = ("a stall count of n delays the warp's next issue by exactly n cycles "
                                        "(jumps: at most as the machine states)")},
    [WB_ASSUME_CONSTANTS_MISSED_ONCE] = {.id = "H2",
                                         .text =
                                             "an instruction misses its constant at most once per execution"},
    [WB_ASSUME_CODE_STAYS_CACHED] = {.id = "H3",
                                     .text = ("instructions and constants that fit into a cache miss once "
                                              "per line; nothing else uses these caches")},
    [WB_ASSUME_FETCHED_AHEAD] = {.id = "H4",
                                 .text = ("cached instructions are fetched before their warp can issue them, "
                                          "uncached ones once the previous one issues")},
    [WB_ASSUME_FILLS_UNCONTENDED] =
        {.id = "H5",
         .text = "instruction and constant misses take no longer than stated, however many there are"},
    [WB_ASSUME_WARPS_IN_ORDER] = {.id = "H6",
                                  .text = ("a unit starts the instructions that a warp sends it along one "
                                           "path in order, except at units that the machine marks "
                                           "any_order, and those of different warps in any order")},
    [WB_ASSUME_RESULTS_NOT_STARVED] =
        {.id = "H7", .text = "results wait for a register-file port no longer than the latencies include"},
    [WB_ASSUME_COUNTERS_NOT_FULL] = {.id = "H8", .text = "no dependence counter exceeds 63"},
    [WB_ASSUME_CACHE_CONTROL] = {.id = "H9", .executed = ASSUMED_CACHE_CONTROL},
    [WB_ASSUME_BARRIER_COUNTERS] = {.id = "H11", .executed = ASSUMED_BARRIER_COUNTERS},
    [WB_ASSUME_TOUCHED] = {.id = "H12", .executed = ASSUMED_TOUCHED},
    [WB_ASSUME_NO_CACHE_MISSES] =
        {.id = "C1", .text = "cache misses and memory interference add nothing to the stated latencies"},
    [WB_ASSUME_NO_DATA_CACHE_MISSES] =
        {.id = "C2", .text = "data cache misses and memory interference add nothing to the stated latencies"},
    [WB_ASSUME_CACHES_AS_STATED] =
        {.id = "C3",
         .text = ("caches, interconnect and DRAM are as the machine states; at the start the first levels "
                  "are empty and the second level holds no dirty line")},
    [WB_ASSUME_ONE_MEMORY] = {.id = "C4",
                              .text = ("all SMs share one memory, which serves requests one by one and never "
                                       "idles while one waits; there are no caches")},
    [WB_ASSUME_MEMORY_ANY_ORDER] = {.id = "C5", .text = "the memory may serve waiting requests in any order"},
    [WB_ASSUME_MEMORY_IN_ARRIVAL_ORDER] = {.id = "C6",
                                           .text = "the memory serves requests in order of arrival"},
    [WB_ASSUME_MEMORY_ROUND_ROBIN] = {.id = "C7", .text = "the memory serves waiting SMs round-robin"},
    [WB_ASSUME_MEMORY_IN_LEVEL] =
        {.id = "C9",
         .text = ("memory answers within the most cycles that the machine states for its levels, whatever "
                  "other SMs do, except for atomics on one word")},
    [WB_ASSUME_ATOMICS_IN_TURN] =
        {.id = "C10",
         .text = ("memory serves atomics of all SMs on one word in turn, each within the cycles that the "
                  "machine states (atomic_word); waiting atomics delay no other access")},
    [WB_ASSUME_TRANSLATIONS_KEPT] =
        {.id = "C11",
         .text = ("each SM's TLB keeps the pages that a kernel touches, up to tlb_keeps pages; TLB "
                  "misses of different SMs do not delay each other; an access whose page has "
                  "arrived goes to the L1 tags next, behind only what has begun there; code, "
                  "constants and an SM's local memory are each contiguous")},
    [WB_ASSUME_SECTORS_KEPT] =
        {.id = "C12",
         .text = ("the L2 keeps the lines that a kernel touches, up to l2_keeps bytes, and any "
                  "number of its misses can be pending and hold nothing; while sectors wait, DRAM "
                  "transfers one, with what it fetches and evicts for it, in the cycles of an SM's "
                  "share divided among all SMs, or in row_cycle; `dram` includes a sector's own "
                  "transfer and parts of a cycle; code, constants and page tables take no DRAM "
                  "time; nothing else runs on the GPU")},
    [WB_ASSUME_LOADS_KEPT] =
        {.id = "C13",
         .text = ("each SM's L1 is empty when a kernel starts, keeps the lines that a kernel touches, up "
                  "to l1_keeps bytes, but for lines that are stored to, and asks the L2 once for a sector "
                  "that it loads; waiting misses hold nothing else in the L1")},
    [WB_ASSUME_RESIDENT_TRANSLATIONS] =
        {.id = "P1",
         .text = ("promised (resident: translations): those of all addresses that the kernel touches are in "
                  "the TLBs when it starts, and stay there")},
    [WB_ASSUME_RESIDENT_DATA] =
        {.id = "P2",
         .text = ("promised (resident: data): all that the kernel reads or writes, with local memory, is in "
                  "the second level when it starts, and stays there")},
    [WB_ASSUME_RESIDENT_CODE] =
        {.id = "P3",
         .text = ("promised (resident: code): code and constants are in the second level when the kernel "
                  "starts, and stay there; they come from it no later than data do")},
    [WB_ASSUME_RESIDENT_CODE_L1] =
        {.id = "P4",
         .text = ("promised (resident: code-l1): code and constants are in the L1 of instructions of each SM "
                  "when the kernel starts, and stay there")},
    [WB_ASSUME_RESIDENT_BLOCK_L1] =
        {.id = "P5",
         .text =
             ("promised (resident: block-l1): the L1 keeps the sectors that a block loads until the block "
              "ends, but for lines that are stored to, and asks the L2 once for each; waiting misses hold "
              "nothing else in the L1")},
    [WB_ASSUME_RESIDENT_BUFFERS] =
        {.id = "P6",
         .text =
             ("promised (resident: data.NAME): all that the kernel reads or writes of the named buffers is "
              "in the second level when it starts, and stays there; loads of it wait for no misses of "
              "others, and lines that were dirty at the start are not written back before the end")},
    /* Partitions. */
    [WB_ASSUME_PARTITION_GREEN_CONTEXT] =
        {.id = "N1",
         .text =
             ("the GPU is the partition: nothing else runs on its SMs (a green context sees to that), and "
              "L2, TLBs and DRAM, which it shares, serve them at their share of the rate and keep what "
              "they keep alone (it does not see to that)")},
    [WB_ASSUME_PARTITION_SM_MASK] =
        {.id = "N2",
         .text = ("the GPU is the partition: nothing else runs on its SMs (masks of all work see to that), "
                  "and L2, TLBs and DRAM, which it shares, serve them at their share of the rate and keep "
                  "what they keep alone (masks do not see to that)")},
    [WB_ASSUME_PARTITION_MPS] =
        {.id = "N3",
         .text = ("the GPU is the partition: nothing else runs on its SMs (MPS limits how many a client "
                  "takes, not who else does), and L2, TLBs and DRAM serve them at their share of the rate "
                  "and keep what they keep alone")},
    [WB_ASSUME_PARTITION_MIG] =
        {.id = "N4",
         .text = ("the GPU is the partition: a MIG instance, whose SMs and slices of L2 and DRAM are its "
                  "own; nothing else runs in it")},
    [WB_ASSUME_PARTITION_OF_SMS] =
        {.id = "N5",
         .text = ("the GPU is the partition: nothing else runs on its SMs (MPS does not see to that)")},
    [WB_ASSUME_NEIGHBOURS_IN_BUDGET] =
        {.id = "N6",
         .text = ("unlike K1 to K7 say, others may run, within the budget (interference): in any time memory "
                  "serves no more requests of theirs, each "
                  "of a sector at most or an atomic's lane, write-backs and page tables included; they "
                  "change nothing that the kernel accesses; the clock is no lower than stated")},
    [WB_ASSUME_NEIGHBOURS_SERVED] =
        {.id = "N7",
         .text =
             ("others delay the kernel, by whole cycles, only while L2 or DRAM serve a request of theirs: "
              "for no longer than a sector holds an SM's share of L2 and twice that of DRAM, divided "
              "among all SMs, as all traffic spreads, or, with row_cycle, L2 and that; rows that it "
              "closes and a line that it evicts included; their misses delay nothing else")},
    [WB_ASSUME_NEIGHBOURS_RUN_KERNEL] =
        {.id = "N8",
         .text = ("the budget's kernel runs on SMs of its own, with the data and facts of its file, as "
                  "`analyze` of that assumes, once beside this one or, with every, no sooner after its last "
                  "start and end; a translation reads 6 page tables at most; stores are written back once; "
                  "code that fits its cache is fetched "
                  "once; launching asks for nothing")},
    [WB_ASSUME_TASK_ORDER] =
        {.id = "T1",
         .text = ("a node of the task starts as soon as those before it have ended and, of a kernel, its "
                  "launch overhead has passed; copies keep to their bandwidth, whatever runs beside them, "
                  "and the host to its times; nothing else uses the GPU; while kernels that "
                  "share SMs have blocks left, no SM is without one for longer than dispatch_latency, and "
                  "nothing else means nothing but these")},
    /* The way of blocks to SMs. */
    [WB_ASSUME_DISPATCH_TO_ANY_SM] = {.id = "D1",
                                      .text = ("a block is dispatched as soon as an SM has a free slot, and "
                                               "holds the slot until all its warps have ended")},
    [WB_ASSUME_DISPATCH_ROUND_ROBIN_AT_START] =
        {.id = "D2", .text = "at the start, blocks are dispatched round-robin over the SMs"},
    [WB_ASSUME_DISPATCH_IN_ANY_ORDER] =
        {.id = "D3", .text = "blocks may be dispatched in any order, each to any SM with a free slot"},
    [WB_ASSUME_STATIC_DISPATCH] = {.id = "D4", .text = "block b runs on SM b mod (number of SMs)"},
    [WB_ASSUME_STATIC_DISPATCH_WHEN_ROOM] =
        {.id = "D5",
         .text = ("block b runs on SM b mod (number of SMs), is dispatched as soon as that SM has a free "
                  "slot, and holds the slot until all its warps have ended")},
    [WB_ASSUME_REGISTERS_IGNORED] =
        {.id = "R1",
         .text = "registers per thread are unknown and do not limit the resident blocks of an SM"},
    [WB_ASSUME_REGISTERS_ANY] = {.id = "R2",
                                 .text = "registers per thread are unknown: any number of resident blocks "
                                         "that they may allow is possible"},
    [WB_ASSUME_REGISTERS_FEWEST] =
        {.id = "R3", .text = "registers per thread are unknown: an SM holds as many blocks as fit"},
    [WB_ASSUME_TOGETHER_EXACT] = {.id = "D6",
                                  .text = "blocks that start together take their exact worst case"},
    [WB_ASSUME_TOGETHER_PROVEN] = {.id = "D7",
                                   .text = "blocks that start together take as long as their proven bound"},
    [WB_ASSUME_OTHER_CLASSES_AS_SUMMED] =
        {.id = "D8",
         .text = "block classes that were not analysed separately take at most their sib or elb bound"},
    /* Abstract CTA simulation (docs/abstract-cta.md). */
    [WB_ASSUME_UNIFORM_BRANCHES] = {.id = "A1", .text = "branches that are called uniform do not diverge"},
    [WB_ASSUME_WARPS_AS_WRITTEN] =
        {.id = "A2",
         .text = "nothing else runs on the compute unit; the warps are as the file describes them"},
    [WB_ASSUME_LOOPS_AND_SIDES_AS_TRACED] =
        {.id = "A3",
         .text = ("nothing else runs on the compute unit; warps repeat loops, and take the sides of uniform "
                  "branches, as in the traced execution")},
    [WB_ASSUME_LOOPS_AS_TRACED] = {.id = "A4",
                                   .text = ("nothing else runs on the compute unit; warps repeat loops as in "
                                            "the traced execution, whatever sides of branches they take")},
    [WB_ASSUME_CTA_CONVENTIONS] = {.id = "A5",
                                   .text = "the conventions that the machine states (abstract_cta) hold"},
    [WB_ASSUME_ROUND_ROBIN_FROM_BARRIERS] =
        {.id = "A6", .text = "issue is round-robin and restarts with the first warp after each barrier"},
    [WB_ASSUME_LATENCIES_OR_SHORTER] =
        {.id = "A7",
         .text = "latencies are as the machine states, or shorter; instruction fetch never stalls"},
    /* Kernel instruction strings (docs/makespan.md). */
    [WB_ASSUME_ONE_CYCLE_EACH] =
        {.id = "I1",
         .text = "every instruction takes one cycle of one unit, without further latency or cache misses"},
    [WB_ASSUME_ONE_ISSUE_PER_WARP] =
        {.id = "I2", .text = "issue is work-conserving, with at most one instruction per warp and cycle"},
    [WB_ASSUME_THESE_STRINGS] = {.id = "I3",
                                 .text = "nothing else runs on the SM; the warps execute these strings"},
    [WB_ASSUME_STRINGS_WITHOUT_WAITS] =
        {.id = "I4",
         .text = "the warps do not wait where their paths do (at barriers, for copies and the like)"},
    [WB_ASSUME_CAPACITY_ROUNDED_DOWN] =
        {.id = "I5", .text = "a unit type whose capacity was rounded down is at least that fast"},
    [WB_ASSUME_LETTERS_ISSUE_EACH] =
        {.id = "I6", .text = "letters that are parts of one instruction take an issue slot each"},
    [WB_ASSUME_SOLVER_ARITHMETIC] =
        {.id = "I7",
         .text = "the floating-point arithmetic of CBC, which found the upper end, is correct (unchecked)"},
    /* Kernels that are launched one after another. */
    [WB_ASSUME_LAUNCHES_IN_TURN] = {.id = "L1",
                                    .text = "a kernel starts when the previous one has ended, and finds the "
                                            "memory that its launch describes"},
    [WB_ASSUME_NOTHING_CARRIED_IN] =
        {.id = "L2",
         .text = "the second level holds no dirty line before the first kernel; later kernels also write "
                 "back those that earlier ones leave (carried)"},
};

/* The first of the enumeration are those of executions. */
static bool is_of_execution(wb_assumption what) {
    return assumptions[what].text == NULL;
}

bool assumption_is_of_launch(wb_assumption what) {
    static const char groups_of_launch[] = "KFRLNT";
    const char *id = wb_assumption_id(what);
    switch (what) {
    case WB_ASSUME_ALIGNED_BUFFERS:
    case WB_ASSUME_POINTER_ORDER:
    case WB_ASSUME_EARLIER_GRIDS:
    case WB_ASSUME_INITIAL_VARIABLES:
    case WB_ASSUME_TIMES_OR_SHORTER:
    case WB_ASSUME_NO_CACHE_MISSES:
    case WB_ASSUME_MEMORY_IN_LEVEL:
    case WB_ASSUME_MACHINE_CODE_CLASSES:
    case WB_ASSUME_PTX_FOR_MACHINE_CODE: return true;
    default: return strchr(groups_of_launch, id[0]) != NULL;
    }
}

const char *wb_assumption_text(wb_assumption what) {
    assert(what < WB_ASSUMPTION_COUNT);
    return is_of_execution(what) ? assumed_text((enum assumed)assumptions[what].executed)
                                 : assumptions[what].text;
}

const char *wb_assumption_id(wb_assumption what) {
    assert(what < WB_ASSUMPTION_COUNT);
    return assumptions[what].id;
}

/* The place of an assumption's group in the order of reports. */
static size_t group_of(wb_assumption what) {
    size_t group = 0;
    while (group < GROUP_COUNT && groups[group].letter != assumptions[what].id[0])
        group++;
    assert(group < GROUP_COUNT);
    return group;
}

const char *wb_assumption_group(wb_assumption what) {
    assert(what < WB_ASSUMPTION_COUNT);
    return groups[group_of(what)].name;
}

/* Whether a stands before b in lists. */
static bool stands_before(wb_assumption a, wb_assumption b) {
    const size_t group_a = group_of(a), group_b = group_of(b);
    if (group_a != group_b) return group_a < group_b;
    const size_t length_a = strlen(assumptions[a].id), length_b = strlen(assumptions[b].id);
    if (length_a != length_b) return length_a < length_b;
    return strcmp(assumptions[a].id, assumptions[b].id) < 0;
}

void assumptions_sort(wb_assumption *list, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const wb_assumption moved = list[i];
        size_t at = i;
        for (; at > 0 && stands_before(moved, list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

size_t assumptions_of_execution(assumed_set set, wb_assumption list[WB_ASSUMPTION_COUNT]) {
    size_t count = 0;
    for (size_t what = 0; what < WB_ASSUMPTION_COUNT; what++)
        if (is_of_execution((wb_assumption)what) && (set >> assumptions[what].executed & 1))
            list[count++] = (wb_assumption)what;
    assert(count == (size_t)__builtin_popcountll(set)); /* each has an id */
    return count;
}
