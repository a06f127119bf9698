/* The inputs of a bound, the interface of methods, and their common messages. */
#ifndef WB_BOUND_METHOD_METHOD_H
#define WB_BOUND_METHOD_METHOD_H

#include "bound/method/beside.h"
#include "bound/method/search_budget.h"
#include "bound/profile/profile.h"
#include "method/bound.h"

struct arena;
struct code_profile;
struct cost_maker;
struct facts_used;
struct gpu_scheme;
struct grid_work;
struct memory_work;
struct request_load;
struct schedule_witness;
struct sm_work;
struct text;
struct together_times;
struct timed_grid;

/* The input of every analysis: a block, a grid, or, on a machine with caches, a block that is a grid. */
struct bound_input {
    const struct timed_block *block; /* NULL: not one block */
    const struct block_profile *profile;
    const struct code_profile *code;  /* of a block of machine code that its machine times; else NULL */
    const struct memory_work *memory; /* NULL: no caches */
    const struct grid_work *work;     /* of a grid on a machine without caches; else NULL */
    const struct request_load *load; /* of a block whose requests wait for one memory of all SMs; else NULL */
    const struct timed_grid *grid;   /* the same as it is simulated; NULL where `work` is */
    const void *subject;             /* what a wing read from a file, in place of a block; or NULL */
    const struct wb_machine *machine;
    const struct gpu_scheme *scheme; /* of access to the first level; NULL: no caches */
    const struct facts_used *facts;  /* of covering paths; NULL: the paths are real ones */
    assumed_set assumed;             /* what the execution takes for granted (warp/path/path.h) */
    bool in_objects;            /* some unknown address is taken to stay inside of what it is made from */
    bool registers_ignored;     /* they are not known, and with more of them an SM would hold fewer blocks */
    bool contended;             /* requests wait for one memory that all SMs share */
    cycles fetch_time;          /* that instruction fetch adds to a bound of the block */
    uint32_t forms;             /* of the bound of a kernel: bit i: form i is asked for; 0: whichever fits */
    struct beside_times beside; /* that is counted beside the times of warps */
    const wb_watch *watch;      /* or NULL */
    wb_diagnostics *diagnostics;
    struct arena *results;                   /* owns texts and lists of the bound */
    struct search_budget *budget;            /* of this method */
    const struct schedule_witness **witness; /* takes the schedule that a search found, of `results` */
    struct together_times *together; /* of the kernel: what methods have found, for those behind them */
};

/* The needs of a method, as bits; the first missing one is the reason why it is declined. */
enum bound_need {
    NEED_REAL_PATHS = 1u << 0, /* else the method is monotone: what it proves of covering paths holds for all
                                  blocks whose warps execute parts of them (docs/covering-paths.md, section
                                  6); what it estimates is of all sides */
    NEED_NO_FETCH_STALLS = 1u << 1,
    NEED_INSTRUCTIONS = 1u << 2,
    NEED_BLOCK = 1u << 3, /* on a machine with caches, what memory adds is added to its bound */
    NEED_NO_CACHES = 1u << 4,
    NEED_KNOWN_TIMES = 1u << 5, /* no requests wait for a memory that all SMs share */
    NEED_KERNEL = 1u << 6,      /* a grid on a machine without caches */
    NEED_DYNAMIC_DISPATCH = 1u << 7,
    NEED_CACHES = 1u << 8, /* a grid, or one block as a grid, on a machine with caches */
    NEED_DEFAULT_SCHEME = 1u << 9,
    NEED_PURE_RR = 1u << 10,
    NEED_REORDER = 1u << 11,
    NEED_PTX_MODEL = 1u << 12,  /* a machine that times PTX, or any code by classes of PTX */
    NEED_SASS_MODEL = 1u << 13, /* a machine that times machine code by its control fields (code: sass) */
};

#define BOUND_NEEDS 14u

#define FOR_BLOCKS (NEED_INSTRUCTIONS | NEED_BLOCK | NEED_PTX_MODEL)
#define FOR_ALL_BLOCKS_OF_KNOWN_TIMES (NEED_INSTRUCTIONS | NEED_BLOCK | NEED_NO_CACHES | NEED_KNOWN_TIMES)
#define FOR_BLOCKS_OF_KNOWN_TIMES (FOR_BLOCKS | NEED_NO_CACHES | NEED_KNOWN_TIMES)
#define FOR_CACHED_GRIDS (NEED_INSTRUCTIONS | NEED_CACHES | NEED_PTX_MODEL)
#define FOR_KERNELS (NEED_INSTRUCTIONS | NEED_KERNEL | NEED_PTX_MODEL)
#define FOR_CODE_BLOCKS (NEED_INSTRUCTIONS | NEED_BLOCK | NEED_NO_CACHES | NEED_KNOWN_TIMES | NEED_SASS_MODEL)

struct bound_method {
    const char *name;
    const char *summary;
    /* Sets kind, cycles, lower, assumptions and reason of a zeroed bound. `cycles` may be saturated: then it
     * is no bound, and the caller says so. WB_ERR_LIMIT with `cycles` set: what was found before the limit,
     * to be kept. */
    wb_status (*run)(const struct bound_input *input, wb_bound *bound);
    /* Why the method is not for this input, although it has what the method needs; or NULL. NULL: that is
     * enough. Nothing is run that has an objection. */
    const char *(*objection)(const struct bound_input *input);
    /* Whether "all" includes the method; NULL: always. Says to the input's diagnostics, as too_large does,
     * when memory is exhausted. */
    bool (*fits)(const struct bound_input *input);
    /* Whether "all" leaves the method to those who name it, and says so; NULL: never. */
    bool (*too_large)(const struct bound_input *input);
    /* The term that bounds one warp in one section (WUB of ECRTS'25, definition 9, for GUB); NULL for methods
     * that bound only the block. */
    section_term term;
    /* Settings of the machine ("abstract_cta.header") that only methods read that list them; NULL: none. */
    const char *const *conventions;
    /* Attributes the cycles of a bound (cost/costs.h), less what is added to bounds of blocks; NULL: the
     * folder cost does. */
    wb_status (*attribute)(struct cost_maker *maker, cycles total);
    /* Writes what a certificate says of each SM of a grid, and finds their misses and turns; NULL: nothing.
     */
    wb_status (*certify)(const struct memory_work *work, wb_diagnostics *diagnostics, struct text *out,
                         struct sm_work *sms);
    uint32_t needs;           /* enum bound_need */
    bool any_order;           /* holds in whatever order units start the instructions that wait for them */
    bool tightest;            /* as tight a sum as there is: asked of blocks that have an SM to themselves */
    bool searches;            /* schedules, not sums over sections */
    bool counts_releases;     /* of barriers; what does not search either is given them on top */
    bool never_proven;        /* on any machine */
    bool named_only;          /* a published or usual formula: "all" leaves it out */
    uint64_t explicit_budget; /* that it does at most, over all blocks of a kernel; 0: what states and memory
                                 allow */
    uint64_t default_budget;  /* that "all" gives it, over all blocks of a kernel; 0: as much as it takes */
};

/* Adds what every result assumes of the paths, that included. */
void bound_assume_paths(const struct bound_input *input, wb_bound *bound);

/* Adds the assumptions of every bound of this model, those of the paths included. */
void bound_assume_model(const struct bound_input *input, wb_bound *bound);

/* Adds the assumptions of every bound of machine code on a machine that times it, those of the paths included
 * (docs/machine-code-bounds.md). */
void bound_assume_machine_code(const struct bound_input *input, wb_bound *bound);

/* Adds the assumptions of every bound of a grid on a machine with caches, those of the paths included. */
void bound_assume_grid(const struct bound_input *input, wb_bound *bound);

/* Whether the method is for what is analysed; if not, *why says so. */
bool bound_method_applies(const struct bound_method *method, const struct bound_input *input,
                          const char **why);

/* Whether the release of barriers is to be added to what the method says of a block. */
static inline bool bound_method_lacks_releases(const struct bound_method *method) {
    return !method->searches && !method->counts_releases;
}

/* Makes an estimate of a bound for a machine whose model the proofs are not about. */
void bound_qualify(const struct bound_input *input, wb_bound *bound);

#endif
