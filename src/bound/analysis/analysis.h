/* A timed block, or a whole grid, with the bounds and simulations computed of it so far. */
#ifndef WB_BOUND_ANALYSIS_ANALYSIS_H
#define WB_BOUND_ANALYSIS_ANALYSIS_H

#include "bound/analysis/registry.h"
#include "bound/cache/memory_work.h"
#include "bound/grid/block_classes.h"
#include "bound/grid/contention.h"
#include "bound/sass/code_profile.h"
#include "bound/search/annealing.h"
#include "bound/search/grid_search.h"
#include "launch/launch.h"
#include "method/run.h"
#include "sim/sm/host.h"
#include "warp/path/path.h"
#include "warp/synthetic/synthetic.h"

/* States that a search keeps by default: some two gigabytes. */
#define ANALYSIS_STATE_LIMIT UINT64_C(30000000)

/* Most warp instructions that are simulated without being asked for, under all policies together: half a
 * second, on machines with caches a second. */
#define ANALYSIS_SIMULATED_MAX UINT64_C(12000000)
#define ZEROS_SIMULATED_MAX UINT64_C(4000000) /* of an execution with zeros, which nobody asked for */

/* The subject of an analysis. */
enum subject_kind {
    SUBJECT_BLOCK,           /* a block on a machine without caches */
    SUBJECT_CONTENDED_BLOCK, /* the same, its requests waiting for one memory that all SMs share */
    SUBJECT_CACHED_BLOCK,    /* a block in isolation on a machine with caches: a grid of its own, too */
    SUBJECT_CACHED_GRID,     /* a grid on a machine with caches */
    SUBJECT_KERNEL,          /* a grid on a machine without caches */
    SUBJECT_OF_WING,         /* no block, but something without instructions that a wing read from a file */
};

/* One of the blocks of a kernel that are bounded by themselves, of a class each. */
struct kernel_block {
    struct wb_analysis *analysis;
    uint32_t class;   /* its number in grid_work */
    cycles cap;       /* it takes no longer: proven, whatever method is asked; or CYCLES_SATURATED */
    cycles least;     /* the least that any method proved of it so far; or CYCLES_SATURATED */
    uint64_t decides; /* bit i: what method i says of it is what it says of all */
};

/* The kernel on so many SMs of its machine. */
struct kernel_share {
    uint32_t sms;
    struct wb_analysis *analysis;
};

/* The sources of an analysis that it frees with itself; each or NULL. */
struct analysis_owned {
    struct wb_block *block;
    struct wb_grid *grid;
    struct wb_analysis *given;       /* that stands beside it, too */
    struct wb_analysis *code;        /* of the machine code of the same launch, on a machine that times it, */
    struct wb_machine *code_machine; /* which is this */
    struct wb_machine *machine;      /* that is analysed in place of the one that was given */
    struct wb_analysis *executed;    /* wb_analysis.executed */
};

/* The request, in the options of a whole analysis (wb_analyze_options); empty for an analysis that was made
 * and bounded step by step. */
struct analysis_asked {
    wb_inputs inputs;
    bool one_block;
    uint32_t block[3];
    const char *scheme, *methods, *policies; /* each or NULL */
    uint64_t state_limit;                    /* 0: the default */
    unsigned accept;                         /* of wb_accept */
};

/* Reads files that stand in place of those of blocks: a wing's. */
struct analysis_reader {
    const char *plural;       /* "abstract warps" */
    const char *unsimulated;  /* why they are not simulated, */
    const char *unattributed; /* and why bounds of them are not attributed */
    bool (*is)(const char *text, size_t size);
    /* Sets *subject, and *name and *machine, which are part of it; `path` stands for the file in messages. */
    wb_status (*read)(const char *path, const char *text, size_t size, wb_diagnostics *diagnostics,
                      void **subject, const char **name, const struct wb_machine **machine);
    void (*free)(void *subject);
    void (*put_heading)(struct text *out, const void *subject);
};

struct wb_analysis {
    enum subject_kind kind;
    struct arena texts;     /* of the next two */
    wb_input by_hand_input; /* what it was read from; its path is NULL where it was not written by hand */
    struct analysis_asked asked;
    const char *name; /* in messages: the wing's name for its subject, or the machine's */
    const struct wb_machine *machine;
    const struct facts_used *facts;  /* of covering paths; NULL: the paths are real ones */
    assumed_set assumed;             /* of executing the block or the kernel (warp/path/path.h) */
    const struct wb_analysis *given; /* of covering paths: the same launch with its data, or NULL */
    wb_stalls stalls;                /* of the machine code of the same launch; 0 cycles: not known */
    wb_measured measured;            /* on a GPU; 0 ns: it was not */
    const char *unmeasured;          /* wb_analysis_unmeasured */

    /* For a block: */
    const struct wb_block *block;    /* what it was traced from; NULL for a block written by hand */
    const struct timed_block *timed; /* what is analysed; NULL: no block */
    struct timed_block own;          /* *timed, where it was made from `block` */
    struct synthetic_block by_hand;  /* *timed is in it, where it was read from a block file */
    struct block_profile profile;    /* if `prepared` */
    struct code_profile code;        /* likewise, of machine code that its machine times */

    /* For a grid, and for a block as a grid where SMs have caches or share a memory: */
    struct wb_grid isolated;         /* of an isolated `block`; or the handwritten grid */
    struct timed_grid grid_times;    /* of the grid, or of `isolated` */
    const struct gpu_scheme *scheme; /* of access to the first level */
    struct memory_work memory;       /* on a machine with caches */
    struct request_load load;        /* of an isolated block on a machine whose SMs share a memory */

    /* For a kernel, which also sets grid_times; by_hand and isolated, if it is handwritten: */
    struct block_classes classes;
    struct grid_work work;
    VEC(struct kernel_block) blocks; /* the first is `longest` */
    cycles rest;                     /* the largest cap of the block classes that are not among them */
    uint64_t block_methods;          /* bit i: method i has been asked of all of them */
    struct together_times together;

    /* For a whole grid on any machine: */
    const struct wb_analysis *kernel; /* of the `longest` of a kernel: that */
    struct wb_analysis *executed;     /* of the same on the machine that executes it, where bounds charge more
                                         than that: searches and simulations are its; NULL: of this */
    struct wb_analysis *longest;      /* of the block that takes longest; else NULL. A kernel's bounds are the
                                         largest of all `blocks` */

    /* Of SUBJECT_OF_WING: who read it, and what it is, which the methods of the wing know. */
    const struct analysis_reader *reader;
    void *subject;

    bool prepared;               /* the profile of a block, and fetch_time, have been made */
    struct beside_counts beside; /* of machine code; the atomics of a block once prepared */
    cycles fetch_time;           /* what instruction fetch adds to a bound, but to one of a kernel */
    uint64_t state_limit;        /* of searches */
    uint64_t unasked;            /* bit i: method i was run for "all" */
    uint32_t forms;              /* of `kernel` that were asked for (struct chosen_methods) */
    uint64_t methods_run;        /* bit i: method i of the registry has a bound */
    uint64_t policies_run;       /* bit i: policy i has a simulation */
    VEC(wb_bound) bounds;        /* in the registry's order */
    VEC(wb_bound)
    formulas; /* of a kernel of machine code: those whose parts say more now than formulas do, with
                 what these say */
    VEC(struct schedule_witness) witnesses; /* what searches found, in the order of their methods */
    VEC(wb_simulation) simulations;         /* in the order of the policies */
    bool too_large;                         /* to be simulated unless a policy is named; */
    wb_first_blocks first_blocks;           /* then, of a kernel, these were */
    wb_slowest shortest;             /* of machine code: found with every latency as short as it is stated */
    VEC(wb_saving) savings;          /* wb_analysis_savings */
    VEC(struct kernel_share) shares; /* wb_analysis_share */
    struct method_log log; /* why others were declined; owns the reasons and windows of bounds, too */
    struct analysis_owned owned;
};

static inline bool analysis_has_caches(const struct wb_analysis *analysis) {
    return analysis->kind == SUBJECT_CACHED_BLOCK || analysis->kind == SUBJECT_CACHED_GRID;
}

static inline bool analysis_is_block(const struct wb_analysis *analysis) {
    return analysis->kind <= SUBJECT_CACHED_BLOCK;
}

static inline const struct wb_analysis *analysis_executed(const struct wb_analysis *analysis) {
    return analysis->executed != NULL ? analysis->executed : analysis;
}

/* Makes an empty analysis, or NULL when memory is exhausted. */
wb_analysis *analysis_make(void);

/* Hands out an analysis when `status` is WB_OK and its times fit, else frees it; returns what it came to. */
wb_status analysis_finish(wb_analysis *made, wb_status status, wb_diagnostics *diagnostics,
                          wb_analysis **analysis);

/* WB_ERR_LIMIT, with a message that memory is exhausted. */
wb_status analysis_no_memory(wb_diagnostics *diagnostics);

/* The analysis of a file in memory (wb_analysis_read); `name` stands for it in messages. */
wb_status analysis_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                         wb_analysis **analysis);

/* An analysis of a block that the caller keeps, as it is on a machine without caches whose SMs share no
 * memory. WB_ERR_LIMIT with a message when memory is exhausted or the block's times do not fit. */
wb_status analysis_of_timed(const struct timed_block *timed, wb_diagnostics *diagnostics,
                            wb_analysis **analysis);

/* Makes an analysis with a machine and a scheme one of a grid on a machine with caches. Errors as
 * analysis_new_grid. */
wb_status analysis_fill_grid(wb_analysis *made, const wb_grid *grid, wb_diagnostics *diagnostics);

/* An analysis of block number `number` of a launched grid, of real paths. Errors as wb_analysis_new. */
wb_status analysis_of_grid_block(const struct wb_grid *grid, uint32_t number, const wb_machine *machine,
                                 wb_diagnostics *diagnostics, wb_analysis **analysis);

/* An analysis of a block of a grid written by hand, which outlives it: of class number `number`. Errors as
 * wb_analysis_new. */
wb_status analysis_of_synthetic(const struct synthetic_block *grid, const struct block_class *class,
                                size_t number, wb_diagnostics *diagnostics, wb_analysis **analysis);

/* The cycles of a kernel before its first block is dispatched, which its bounds exclude, or 0. */
static inline cycles analysis_overhead(const struct wb_analysis *analysis) {
    return wb_analysis_scope(analysis) == WB_SCOPE_KERNEL ? analysis->machine->launch_overhead : 0;
}

/* Warp instructions of the block or the grid; of a grid on a machine with caches the cycles that they take
 * units for, which are no fewer. */
uint64_t analysis_instructions(const struct wb_analysis *analysis);

/* Why the analysis cannot be simulated, or NULL. */
const char *analysis_unsimulated(const struct wb_analysis *analysis);

/* The sources of the analysis. */
struct sources analysis_sources(const wb_analysis *analysis);

/* Whether it is of an execution with zeros where the launch leaves contents open, which decides nothing. */
bool analysis_has_zeros(const wb_analysis *analysis);

/* Keeps what was asked for, for reports. WB_ERR_LIMIT with a message when memory is exhausted. */
wb_status analysis_note_asked(wb_analysis *analysis, const wb_analyze_options *asked,
                              wb_diagnostics *diagnostics);

/* How a method is run. */
struct analysis_request {
    bool unasked; /* not unless it is meant for what is analysed, and not too large */
    struct search_budget *budget;
    const wb_watch *watch;
};

/* The result of a method. */
struct analysis_attempt {
    wb_bound bound;
    bool found;                             /* there is a bound */
    const struct schedule_witness *witness; /* of a search, the schedule that takes so long; or NULL */
    const char *left_out;                   /* why a method that is meant for it was not run; or NULL */
};

/* Runs method `index` of the registry without keeping its bound. Errors leave a message; WB_ERR_LIMIT with a
 * bound: what was found before a limit. */
wb_status analysis_try(wb_analysis *analysis, size_t index, const struct analysis_request *request,
                       wb_diagnostics *messages, struct analysis_attempt *attempt);

/* The bound of method `method` of the registry for one warp, in *value: false when the method has not been
 * run or bounds only whole blocks. */
bool analysis_warp_bound(const wb_analysis *analysis, size_t method, uint32_t warp, cycles *value);

/* ---- kernel_blocks.c: the blocks of a kernel by themselves, one of each class, every method asked of all of
 * them, so that what is said of "the block that takes longest" is true whichever that is. */

/* Most classes of which a block is looked at by itself; of the others their cap is taken for what a method
 * would say. */
#define KERNEL_BLOCKS_MAX 64u

/* Most classes that are searched where searches were not asked for by name: each takes a second or so. */
#define KERNEL_BLOCKS_SEARCHED 4u

/* Fills in kernel->blocks: kernel->longest, a block of class `longest`, and others, those with the largest
 * caps first. Errors as wb_analysis_new. */
wb_status kernel_blocks_make(wb_analysis *kernel, uint32_t longest, wb_diagnostics *diagnostics);

/* Asks every block by method `index` of the registry: *attempt has the largest bound, of the kind that it has
 * for all of them. Otherwise as analysis_try. */
wb_status kernel_blocks_try(wb_analysis *kernel, size_t index, const struct analysis_request *request,
                            wb_diagnostics *messages, struct analysis_attempt *attempt);

/* Lets the formulas for kernels know the least that is proven of each block that has an SM to itself, by the
 * tightest methods and by those that were asked. `work_left` says, by the number of a method, what it may do
 * unasked, and is counted down. WB_ERR_LIMIT with a message when memory is exhausted. */
wb_status kernel_blocks_sharpen(wb_analysis *kernel, uint64_t *work_left, const wb_watch *watch,
                                wb_diagnostics *diagnostics);

/* The model between bounds of this analysis and the real code, and whether its user accepts it. */
wb_model analysis_model(const struct wb_analysis *analysis);
bool analysis_accepts_model(const struct wb_analysis *analysis);

/* The longest schedule of a block that is known and that rules R1 to R7 of docs/proofs.md allow, recorded; or
 * NULL. Errors leave a message. */
wb_status analysis_longest_by_rules(const wb_analysis *analysis, wb_diagnostics *diagnostics,
                                    wb_schedule **schedule);

/* Runs the methods that bounded `model`, such as covering paths of the same launch, within the same limits.
 * Errors as wb_analysis_bound. */
wb_status analysis_bound_alike(wb_analysis *analysis, const wb_analysis *model, const wb_watch *watch,
                               wb_diagnostics *diagnostics);

/* Of a kernel, runs every method that proves a bound of the whole kernel without searching schedules; of
 * anything else, none. Errors as wb_analysis_bound. */
wb_status analysis_bound_kernel(wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics);

/* The same of a grid of real paths, to stand beside `covering`, the analysis of covering paths of the same
 * launch (analysis_set_given): its wb_analysis_longest_block is the block that takes longest there. */
wb_status analysis_new_given(const wb_grid *grid, const wb_analysis *covering, const wb_watch *watch,
                             wb_diagnostics *diagnostics, wb_analysis **analysis);

/* A whole grid on a machine with caches (key l1_size), under a scheme of access to the first level
 * ("default", "pure-rr", "reorder"): ready to be bounded, by the methods for grids only. WB_ERR_DECLINED when
 * a value that is not known steers a warp, WB_ERR_INPUT when the machine lacks caches or a class that is
 * needed. */
wb_status analysis_new_grid(const wb_grid *grid, const wb_machine *machine, const char *scheme,
                            wb_diagnostics *diagnostics, wb_analysis **analysis);

/* A whole kernel: all blocks of a grid on all SMs of a machine, and beside it the block that takes longest
 * (wb_analysis_longest_block). Methods of blocks are asked of a block of each kind, and the largest number is
 * kept; methods of kernels bound the grid; simulations are of the grid. On a machine with caches the scheme
 * is "default", and methods of blocks bound the block with the most initiations only. `like`, or NULL, is an
 * analysis of the grid on a machine that only makes other promises, or counts something else once, and
 * outlives it. `watch` may be NULL. Errors as analysis_new_grid; WB_ERR_INPUT, too, when a block does not fit
 * on an SM. */
wb_status analysis_new_kernel(const wb_grid *grid, const wb_machine *machine, const wb_analysis *like,
                              const wb_watch *watch, wb_diagnostics *diagnostics, wb_analysis **analysis);

/* Reports of an analysis of covering paths show `given` beside it, which must outlive it: the same launch on
 * the same machine with all data that was given, bounded and simulated like any other; of a kernel made by
 * analysis_new_given. */
void analysis_set_given(wb_analysis *analysis, const wb_analysis *given);

/* Gives an analysis what is known of the machine code that its launch executes. Where that takes longer than
 * a bound of kind upper, or a compared warp longer than the machine says of it alone, what bounds of
 * this code on this machine rest on is refuted, and no verdict rests on them. */
void analysis_set_stalls(wb_analysis *analysis, const wb_stalls *stalls);

/* Most states that a search over schedules keeps (default 30 million, some two gigabytes). */
void analysis_set_state_limit(wb_analysis *analysis, uint64_t states);

#endif
