/* What instructions wait for besides the registers they use and their unit, and what is made of that: every
 * row of opcode_table.h names one of these. docs/execution.md has them as a table, which a test holds against
 * this one. */
#ifndef WB_PTX_WAITS_H
#define WB_PTX_WAITS_H

enum ptx_answer {
    PTX_WAITS_NOT, /* there is nothing to be waited for */
    PTX_TIMED,     /* in the times: the text says how */
    PTX_ASSUMED, /* not in the times: the text is an assumption, printed of every kernel that executes one */
    PTX_DECLINED /* a kernel that executes one is declined: the text, behind the instruction, says why */
};

/* X(enumerator, answer, what is waited for, text) */
#define PTX_WAIT_TABLE(X)                                                                                    \
    X(NOTHING, WAITS_NOT, "nothing", "")                                                                     \
    X(WARPS, TIMED, "all warps of the block",                                                                \
      "a warp is held until every live warp of the block has issued its own; one that counts threads "       \
      "joins all of them, or is declined like `bar.arrive`")                                                 \
    X(SOME_WARPS, DECLINED, "some warps of the block",                                                       \
      "does not join all threads of the block; only barriers of the whole block can be bounded")             \
    X(CLUSTER, DECLINED, "other blocks of a cluster", "joins blocks of a cluster, which are not modelled")   \
    X(LANES, TIMED, "lanes of the warp",                                                                     \
      "the lanes of its member mask execute it together, so that there is nothing to wait for; where one "   \
      "that has not exited is elsewhere, the kernel is declined")                                            \
    X(ELECTION, ASSUMED, "lanes of the warp", "elect.sync: the lowest lane of the member mask is elected")   \
    X(CONVERGENCE, ASSUMED, "nothing, but depend on which lanes are there",                                  \
      "activemask, and shfl and vote without .sync: lanes that no branch has divided execute together")      \
    X(ORDER, TIMED,                                                                                          \
      "accesses before a release or after an acquire; so do all with `.acquire`, "                           \
      "`.release` or `.acq_rel`",                                                                            \
      "like a fence, whichever of the two it is")                                                            \
    X(FENCE, TIMED, "earlier accesses",                                                                      \
      "it is issued when all accesses of the warp before it are complete, and whatever the warp issues "     \
      "then waits for it")                                                                                   \
    X(COPIES, TIMED, "asynchronous copies",                                                                  \
      "it is issued when the copies of the warp that it waits for are complete")                             \
    X(PHASE, DECLINED, "the phase of an mbarrier",                                                           \
      "waits for other threads or copies to arrive at an mbarrier: for how long is not known")               \
    X(STEALING, DECLINED, "nothing, but change the grid",                                                    \
      "takes over blocks that have not started: that is not modelled")                                       \
    X(TENSOR, DECLINED, "matrix operations in the background",                                               \
      "waits for matrix operations in the background: for how long is not known")                            \
    X(TENSOR_MEMORY, DECLINED, "tensor memory that others give back",                                        \
      "waits for tensor memory that others give back: for how long is not known")                            \
    X(REGISTERS, DECLINED, "registers that other warps give back",                                           \
      "waits for registers that other warps give back: for how long is not known")                           \
    X(EARLIER_GRIDS, ASSUMED, "grids launched before",                                                       \
      "griddepcontrol.wait: the grids that this one depends on have ended when it starts")                   \
    X(OTHER_GPUS, ASSUMED, "other GPUs",                                                                     \
      "multimem: other GPUs answer within the latency that the machine states")                              \
    X(SLEEP, TIMED, "a time",                                                                                \
      "whatever the warp issues then waits for the longest that PTX allows: twice its argument, and 2 ms "   \
      "where that is more, or not known; of arguments in registers the longest that the kernel has")         \
    X(DEBUGGER, DECLINED, "a debugger", "suspends the execution for a debugger")                             \
    X(ABORT, ASSUMED, "nothing, but end the kernel", "trap: an execution that traps ends there")             \
    X(ASSERTION, ASSUMED, "nothing, but end the kernel",                                                     \
      "assert: an execution in which an assertion fails ends there")                                         \
    X(RUNTIME, ASSUMED, "the run-time system, and delay the warp as a fence does",                           \
      "vprintf, malloc, free: a call takes no longer and no other unit than the machine states of its "      \
      "class")

enum ptx_wait {
#define X(enumerator, answer, what, text) PTX_WAIT_##enumerator,
    PTX_WAIT_TABLE(X)
#undef X
        PTX_WAIT_COUNT
};

/* What is made of the waiting; what is waited for, and the text. */
enum ptx_answer ptx_wait_answer(enum ptx_wait wait);
const char *ptx_wait_what(enum ptx_wait wait);
const char *ptx_wait_text(enum ptx_wait wait);

#endif
