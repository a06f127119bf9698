/* Covering paths (docs/covering-paths.md): one path per warp that every real path of the warp is a
 * subsequence of, whatever the values are that are not known. A branch whose condition is unknown in some
 * lanes runs both sides with them; where the sides meet, values that differ become unknown.
 *
 * A lane runs a side as if it were active. What is unsure about that is kept beside the SIMT stack. */
#ifndef WB_WARP_COVER_COVER_H
#define WB_WARP_COVER_COVER_H

#include <assert.h>

#include "flow/bounds/bounds.h"
#include "flow/graph/graph.h"
#include "flow/values/values.h"
#include "launch/launch.h"
#include "warp/interpret/warp.h"
#include "warp/path/path.h"

/* Registers of some lanes, kept aside: those that are live at the start of a block. */
struct lane_state {
    struct run *run; /* which counts it */
    size_t size;
    uint32_t mask;
    uint32_t block;
    struct lanes registers[]; /* in the order of the liveness of the block */
};

/* Of a group of lanes: how often it has passed the header of a loop since it entered the loop, and by what
 * the current iteration's exit branches decided. Of a fact of kind FACT_PER: passes of its label. */
struct loop_pass {
    uint32_t count;
    uint64_t total; /* since it entered the outermost loop around it */
    bool decided;   /* some exit branch had a condition known in all lanes */
    bool undecided; /* some had not */
};

/* The covering run's state of an entry of the SIMT stack. */
struct cover_group {
    uint32_t maybe;           /* lanes that are here only if an unknown value says so */
    uint32_t split;           /* of them: since the function was entered */
    uint32_t leaving;         /* of `maybe`: lanes that are at `end` where they are not here */
    uint32_t gone;            /* lanes that are not here, but at `end` */
    uint32_t end;             /* of both: instruction that ends whoever comes to it; PTX_NO_INDEX: none yet */
    uint32_t ended;           /* lanes that may have left the kernel before */
    uint32_t returned;        /* lanes that may have come back from the function that it calls */
    uint32_t branch;          /* index of the newest branch that split lanes */
    uint32_t separate;        /* sides of branches that run iterations of the same loop beside it */
    uint32_t from;            /* instruction of the function executed last, or PTX_NO_INDEX */
    uint64_t entered;         /* length of the path when the function was entered */
    bool met;                 /* sides have arrived: `passes` are theirs */
    bool replays;             /* the next instruction is a call that was divided by callees */
    struct lane_state *state; /* registers to be loaded when the group goes on, or NULL */
    struct loop_pass passes[]; /* per loop of the function, then per fact of kind FACT_PER */
};

/* How an instruction is executed in a covering run. */
enum cover_kind {
    COVER_KIND_PLAIN, /* writes registers of its own lane only */
    COVER_KIND_EXCHANGE,
    COVER_KIND_MEMORY,
    COVER_KIND_BRANCH,
    COVER_KIND_CALL,
    COVER_KIND_RETURN,
    COVER_KIND_EXIT,
    COVER_KIND_TRAP,
    COVER_KIND_BARRIER,
    COVER_KIND_MEETING /* of lanes of machine code */
};

/* Special cases of arriving at an instruction. */
#define COVER_AT_HEADER 1u /* of a loop */
#define COVER_AT_NEVER 2u
#define COVER_AT_PER 4u      /* one of the labels of a fact of kind FACT_PER */
#define COVER_AT_TOGETHER 8u /* a barrier named by a fact of kind FACT_TOGETHER */

/* Most executions of a loop's header each time it is entered. */
struct cover_limit {
    struct loop_bound bound;
    bool from_fact; /* the user says so, or says more; else it was found by analysis */
};

struct cover_function {
    struct cfg cfg;
    struct dominators dominators, post_dominators;
    struct loops loops;
    struct node_regs liveness;
    uint8_t *marks;             /* per instruction: COVER_AT_... */
    uint8_t *kinds;             /* per instruction, and for the end of the body: enum cover_kind */
    bool *is_predicate;         /* per register, and of the carry flag */
    struct cover_limit *limits; /* per loop */
    enum waiting *waiting;      /* per loop */
    bool *meets_warps;          /* per loop: a barrier may be executed in it */
    uint32_t *meets_in_loop; /* per block of a loop: the block where ways from it come together again, or at
                                the latest the header; leaving the loop aside */
    uint32_t pass_count;     /* loops and facts of kind FACT_PER */
    const bool *parts; /* of machine code, per block: its last instruction may part lanes that execute it
                          together; NULL: PTX */
};

/* A branch that divides lanes. */
struct division {
    const struct micro *op;
    struct side *sides; /* lanes of `mask` go on there only, those of `unknown` everywhere */
    uint32_t count;
    uint32_t unknown;  /* lanes that take every side */
    uint32_t meets_at; /* instruction where sides meet, and the entry of the stack that waits there */
    size_t meeting;
    uint32_t
        until; /* where those that do not come there end, and the entry that waits there: mostly the same */
    size_t until_meeting;
};

/* Where a warp has come to a barrier last. */
struct barrier_place {
    uint32_t warp, instruction;
    bool maybe_executed;              /* only if an unknown value says so */
    bool sure;                        /* some lane does whatever the unknown values are */
    const struct flow_fact *together; /* which is about the barrier, or NULL */
    uint64_t entered;                 /* as in struct cover_group */
    uint32_t *counts;                 /* passes of the loops around it, the outermost first */
    uint32_t loops;
};

/* Code that groups of lanes may execute one after another, from a branch whose sides meet only behind the
 * loop around it up to where they do. It is executed once, with sides that meet in each iteration, and then
 * appended for every lane (docs/covering-paths.md, section 3). */
struct separate_region {
    bool open;
    uint32_t depth;     /* frame */
    uint32_t end;       /* instruction where the sides really meet */
    size_t meeting;     /* entry of the SIMT stack that waits there */
    size_t base;        /* lowest entry of the stack that the group has */
    uint32_t lanes;     /* that came to the branch */
    uint64_t start;     /* length of the path then */
    uint64_t forgotten; /* run.forgotten then */
};

/* A loop whose values are joined from iteration to iteration, until nothing changes. */
struct widening {
    uint32_t depth, loop;     /* frame and loop */
    struct lane_state *state; /* at the header */
    uint64_t length;          /* of the path when the header was passed last */
    uint64_t forgotten;       /* run.forgotten then */
    uint32_t unsure;          /* lanes that maybe were not here then */
    size_t entries;           /* of the SIMT stack then */
    uint32_t repetitions;     /* iterations since then in which nothing changed */
};

struct cover {
    const struct wb_facts *facts;     /* or NULL */
    struct cover_function *functions; /* per function of the module; what is not reached is empty */
    VEC(struct widening) widenings;   /* of the warp that runs: a warp that waits has none */
    struct separate_region region;    /* likewise */
    bool settles;                     /* all sides of a branch have arrived at once: entries below go on */
    const struct micro *leaves;       /* where the warp may end at once behind the branch at hand, or NULL */
    VEC(struct barrier_place) places; /* the latest of each warp at each barrier */
    VEC(struct cover_cause) causes;
    uint8_t *caused;   /* per instruction: a bit per enum cover_need that `causes` has */
    bool synchronises; /* warps may pass values to each other without a barrier, and without a data race */
    bool repeats;      /* see struct wb_block */
    uint64_t maybe_executed;    /* instructions of groups none of whose lanes is certain to be there */
    bool meets_maybe;           /* warps came to a barrier that they only maybe wait at */
    bool meets_together;        /* some barrier is named by a fact of kind FACT_TOGETHER */
    bool has_totals;            /* some fact counts all passes of a loop, by lanes that are sure: */
    uint64_t *passes_of_warps;  /* per fact and warp, and behind the warps of the block, */
    uint64_t *passes_of_kernel; /* and per fact of all blocks that are executed one after another */
    bool holds;                 /* facts are held to one execution: each iteration of a loop is run */
    uint64_t joined;            /* of a class of blocks: hash of which lanes were kept in joins */
    uint32_t before;            /* of the top group: instruction of the function executed before the last, or
                                   PTX_NO_INDEX */
    uint32_t *ended_in; /* per warp: the block of the kernel in which it ended, surely, or GRAPH_NONE */
};

/* Prepares a run whose code is decoded to cover everything that depends on unknown values; facts (or NULL)
 * must outlive it: cover_run_warp runs its warps. Errors have messages. End it with cover_end in any case,
 * before the run. */
wb_status cover_begin(struct run *run, const struct wb_facts *facts, struct arena *arena);
void cover_end(struct run *run);

/* Runs a warp until it waits or is done (cover_run.c). */
wb_status cover_run_warp(struct warp *warp);

/* The same by steps: *op is the instruction that the warp's lanes come to next, NULL: it waits or is done;
 * executes that. */
wb_status cover_next(struct warp *warp, const struct micro **op);
wb_status cover_execute(struct warp *warp, const struct micro *op);

/* ---- What the files of covering runs share ---- */

/* The function that the warp executes. */
static inline struct cover_function *cover_function_of(const struct warp *warp) {
    return &warp->run->cover->functions[warp->frame->code - warp->run->program.functions];
}

/* The node of the graph that an instruction is in; the end of the body is the exit. */
static inline uint32_t cover_node_of(const struct cover_function *function, uint32_t pc) {
    return pc < function->cfg.function->inst_count ? function->cfg.block_of[pc] : function->cfg.exit;
}

static inline struct simt_entry *cover_top(const struct warp *warp) {
    assert(warp->stack.count > warp->frame->stack_base);
    return &warp->stack.items[warp->stack.count - 1];
}

/* The registers that are live at the start of a block, and how many there are. */
static inline const uint32_t *cover_live(const struct cover_function *function, uint32_t block,
                                         uint32_t *count) {
    const struct node_regs *liveness = &function->liveness;
    assert(block < function->cfg.graph.node_count);
    *count = liveness->first[block + 1] - liveness->first[block];
    return liveness->regs + liveness->first[block];
}

/* Lanes of a group are here only if an unknown value says so, and else anywhere. */
static inline void cover_doubt(struct cover_group *group, uint32_t lanes) {
    group->maybe |= lanes;
    group->split |= lanes;
    group->leaving &= ~lanes;
}

/* Lanes of a group that may not really execute what it executes. */
static inline uint32_t cover_unsure(const struct cover_group *group) {
    return group->maybe | group->ended;
}

/* ---- cover_code.c -------------------------------------------------------------------------------------- */

/* Whether two blocks are executed equally often by every thread, the first one first. */
bool cover_equally_often(const struct cover_function *function, uint32_t first, uint32_t second);

/* Where the sides of a branch that meet only behind the innermost loop around it come together in each
 * iteration, as an instruction. */
uint32_t cover_meets_in_loop(const struct cover_function *function, uint32_t block);

/* ---- cover_hold.c: facts that executions contradict ---------------------------------------------------- */

/* The fact of a kind about an instruction of the warp's function, or the one of kind FACT_TOGETHER that names
 * a barrier; NULL: none. */
const struct flow_fact *cover_fact_about(const struct warp *warp, enum fact_kind kind, uint32_t pc);

/* Says that a fact is wrong, and at an instruction what contradicts it: WB_ERR_INPUT. */
wb_status cover_refuse(const struct warp *warp, const struct flow_fact *fact, uint32_t pc, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

/* WB_ERR_INPUT with a message when a warp surely comes to a barrier, and another one is surely elsewhere,
 * although a fact says that they meet. */
wb_status cover_hold_place(struct warp *warp, uint32_t pc, const struct barrier_place *place);

/* The same when the warp's last lanes surely end. */
wb_status cover_hold_end(struct warp *warp);

/* ---- cover_groups.c ------------------------------------------------------------------------------------ */

/* Keeps the registers of the lanes of `mask` that are live at the start of a block. WB_ERR_LIMIT, with a
 * message, when memory or the run's limit is exhausted. */
wb_status lane_state_save(const struct warp *warp, uint32_t block, uint32_t mask, struct lane_state **state);
void lane_state_free(struct lane_state *state);

/* Writes them back. */
void lane_state_load(const struct warp *warp, const struct lane_state *state);

/* Joins lanes that the state has: whether some of its values became unknown, whose origin is then `origin`
 * unless it was unknown before. */
bool lane_state_join(const struct warp *warp, struct lane_state *state, uint32_t mask, uint32_t origin);

/* Gives a new entry of the stack its group; takes it away. */
wb_status cover_group_open(struct warp *warp, size_t entry);
void cover_group_free(struct simt_entry *entry);

/* A copy for a side that lanes of `mask` take, without registers kept aside. NULL: memory is exhausted. */
struct cover_group *cover_group_clone(const struct warp *warp, const struct cover_group *group);

/* The entry, below entry `above`, that goes on at instruction `pc` where sides above it end, and not where
 * lanes wait for each other; SIZE_MAX: none. */
size_t cover_meeting(const struct warp *warp, size_t above, uint32_t pc);

/* Lanes arrive where entry `meeting` goes on, from a group. */
wb_status cover_meet(struct warp *warp, size_t meeting, uint32_t lanes, const struct cover_group *from);

/* Ends the top entry's lanes of `lanes`: they arrive nowhere, at least of entries from `base` on. Returns the
 * lanes that are in no entry any more that they could go on in. */
uint32_t cover_remove(struct warp *warp, uint32_t lanes, size_t base);

/* Drops entries whose lanes have ended or arrived, and frames that all lanes have left; loads the registers
 * of the group that goes on. */
wb_status cover_settle(struct warp *warp);

/* ---- cover_run.c --------------------------------------------------------------------------------------- */

/* The latest place of a warp at a barrier, or NULL. */
struct barrier_place *cover_latest_place(const struct cover *cover, uint32_t warp, uint32_t instruction);

/* Notes that what an instruction does depends on a value that is not known. */
wb_status cover_note(struct warp *warp, const struct micro *op, enum cover_need need, struct slot slot);

/* Makes all memory unknown that an instruction may write to at any address; that any may. */
wb_status cover_forget_written(struct warp *warp, const struct micro *op);
wb_status cover_forget_all(struct warp *warp, const struct micro *op);

/* ---- cover_control.c: instructions that lanes of `mask` execute, and lanes of `unsure` maybe ----------- */

wb_status cover_branch(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);
wb_status cover_return(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);
wb_status cover_exit(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);
wb_status cover_trap(struct warp *warp, const struct micro *op, uint32_t mask);

/* ---- cover_converge.c ---------------------------------------------------------------------------------- */

/* BSSY, BSYNC, BREAK, BMOV and WARPSYNC. */
wb_status cover_meeting_place(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);

/* The lanes of the top entry go on in entry `meeting` of machine code, which may be below others that they
 * were to go on in. */
wb_status cover_meet_below(struct warp *warp, size_t meeting);

/* WB_ERR_DECLINED with a message when the top entry, which is about to go on, lacks lanes that it waits for.
 */
wb_status cover_parts_met(struct warp *warp);

/* WB_ERR_DECLINED with a message when lanes that are elsewhere may come to the barrier of the block, too. */
wb_status cover_whole_warp(struct warp *warp, const struct micro *op);

/* Where sides of a branch of machine code would meet next: an instruction, or PTX_NO_INDEX. */
uint32_t cover_next_meeting(const struct warp *warp);

/* Divides the top entry: of lanes that may part the sides take its place; others will meet at the branch's
 * post-dominator, whoever they are. */
void cover_part(struct warp *warp, struct division *division);

/* ---- cover_loops.c ------------------------------------------------------------------------------------- */

/* The top group arrives at a marked instruction; what facts exclude is removed. */
wb_status cover_arrive(struct warp *warp, uint32_t pc);

/* Ends the widening of loops that the warp has left: it goes on at `pc`. */
void cover_end_widenings(struct warp *warp, uint32_t pc);

/* Whether the warp is in code of which each group of lanes may execute a part by itself, and the branch's
 * sides meet at its end. */
bool cover_in_region(const struct warp *warp, uint32_t meets_at);

/* Whether warps may meet in the code between the top entry's last instruction and `end`. */
wb_status cover_meets_before(struct warp *warp, uint32_t end, bool *meets);

/* The top entry, which waits where the sides of the branch really meet or is above the entry that does,
 * begins such code behind its last instruction. What is stored in it becomes unknown at once: groups do so in
 * any order. */
wb_status cover_open_region(struct warp *warp, uint32_t end, size_t meeting, uint32_t lanes);

/* Whether the top entry has come to the end of such code before it came to where it would meet others. */
bool cover_leaves_region(const struct warp *warp);

/* Appends the code for every other lane, if no lane is in it any more. */
wb_status cover_close_region(struct warp *warp);

/* The loops of a kernel in a launch: what the launch says of special registers and parameters, as the bounds
 * of loops need it, and what analysis finds with that. */

/* Threads of a block, numbered along x first: those of a warp, or all. */
struct thread_span {
    uint32_t first, last;
};

/* Which threads are asked about. */
struct launch_scope {
    const uint32_t *block;             /* index of a block in the grid, three numbers; NULL: any block */
    const struct thread_span *threads; /* of the block; NULL: all */
};

/* An environment with what its callback needs: it must stay where it is. Nothing of it is to be freed. */
struct launch_environment {
    const struct wb_kernel *kernel;
    const struct wb_launch *launch;
    struct loop_environment environment;
};

/* Fills the environment of a launch that fits the kernel. Arguments that are scalars or structs by value are
 * known where the launch gives them; addresses of buffers are not. Kernel and launch must outlive it. */
void launch_environment_fill(const struct wb_kernel *kernel, const struct wb_launch *launch,
                             const struct launch_scope *scope, struct launch_environment *filled);

/* What analysis finds of the loops of one function, for every launch and for one: what facts that were found
 * are held to, and what a template of facts states. */
struct found_limits {
    struct cfg cfg;
    struct dominators dominators;
    struct loops loops;
    struct loop_bound *always;   /* per loop, whatever is launched */
    struct loop_bound *launched; /* per loop, in the launch that is given */
    enum waiting *waiting;       /* per loop */
    struct unrolled *unrolled;   /* per loop: signs that the compiler unrolled it */
};

/* WB_ERR_LIMIT, without a message, when memory is exhausted. All memory is the arena's. */
wb_status found_limits_find(const struct ptx_function *function, const struct loop_environment *launched,
                            struct arena *arena, struct found_limits *found);

/* WB_ERR_INPUT with a message when a fact calls found what analysis does not find. The launch fits the
 * kernel.
 */
wb_status found_limits_require(const struct wb_facts *facts, const struct wb_launch *launch,
                               wb_diagnostics *diagnostics);

#endif
