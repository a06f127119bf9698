/* What a bound is made from, what a method is, and what all methods say in the same words. */
#ifndef WB_BOUND_METHOD_METHOD_H
#define WB_BOUND_METHOD_METHOD_H

#include "bound/method/search_budget.h"
#include "bound/profile/profile.h"
#include "method/bound.h"

struct abstract_cta;
struct arena;
struct facts_used;
struct gpu_scheme;
struct grid_work;
struct memory_work;
struct request_load;
struct together_times;
struct timed_grid;

/* What every analysis works on: a block, a grid, or, on a machine with caches, a block that is a grid. */
struct bound_input {
    const struct timed_block *block; /* NULL: not one block */
    const struct block_profile *profile;
    const struct memory_work *memory; /* NULL: no caches */
    const struct grid_work *work;     /* of a grid on a machine without caches; else NULL */
    const struct request_load *load; /* of a block whose requests wait for one memory of all SMs; else NULL */
    const struct timed_grid *grid;   /* the same as it is simulated; NULL where `work` is */
    const struct abstract_cta *abstract; /* abstract warps written by hand, in place of a block; or NULL */
    const struct wb_machine *machine;
    const struct gpu_scheme *scheme; /* of access to the first level; NULL: no caches */
    const struct facts_used *facts;  /* of covering paths; NULL: the paths are real ones */
    assumed_set assumed;             /* what the execution takes for granted (warp/path/execution_notes.h) */
    bool in_objects;        /* some unknown address is taken to stay inside of what it is made from */
    bool registers_ignored; /* they are not known, and with more of them an SM would hold fewer blocks */
    bool contended;         /* requests wait for one memory that all SMs share */
    cycles fetch_time;      /* that instruction fetch adds to a bound of the block */
    const wb_watch *watch;  /* or NULL */
    wb_diagnostics *diagnostics;
    struct arena *results;           /* owns texts and lists of the bound */
    struct search_budget *budget;    /* of this method */
    struct together_times *together; /* of the kernel: what methods have found, for those behind them */
};

/* What a method bounds. */
enum bound_scope {
    BOUND_OF_BLOCK,       /* one block; on a machine with caches, what memory adds is added to it */
    BOUND_OF_KNOWN_TIMES, /* one block whose latencies are known: none on a machine with caches */
    BOUND_OF_GRID,        /* a grid, or one block as a grid, on a machine with caches */
    BOUND_OF_KERNEL,      /* a grid on a machine without caches */
};

/* The schemes of access to the first level that a method of whole grids is for, as a set of bits. */
#define BOUND_FREE 1u      /* work-conserving issue, requests as they come */
#define BOUND_IN_TURNS 2u  /* strict round-robin, requests as they come */
#define BOUND_REORDERED 4u /* work-conserving issue, reordered requests */
#define BOUND_ANY_SCHEME (BOUND_FREE | BOUND_IN_TURNS | BOUND_REORDERED)

struct bound_method {
    const char *name;
    const char *summary;
    /* Sets kind, cycles, lower, assumptions and reason of a zeroed bound. WB_ERR_LIMIT with `cycles` set:
     * what was found before the limit, to be kept. */
    wb_status (*run)(const struct bound_input *input, wb_bound *bound);
    /* Why the method is not for this input, although it is for others of its scope; or NULL. NULL: it is for
     * all of them. Nothing is run that has an objection. */
    const char *(*objection)(const struct bound_input *input);
    /* Whether "all" includes the method; NULL: always. Says to the input's diagnostics, as too_large does,
     * when memory is exhausted. */
    bool (*fits)(const struct bound_input *input);
    /* Whether "all" leaves the method to those who name it, and says so; NULL: never. */
    bool (*too_large)(const struct bound_input *input);
    /* The term that bounds one warp in one section (WUB of ECRTS'25, definition 9, for GUB); NULL for methods
     * that bound only the block. */
    section_term term;
    bool of_abstract_warps;         /* made from code, or written by hand */
    const char *const *conventions; /* keys of the machine's abstract_cta that it reads; NULL: none */
    bool searches;     /* schedules, not sums over sections: the release of barriers is counted in them */
    bool never_proven; /* on any machine */
    uint64_t
        named_work; /* that it does at most, over all blocks of a kernel; 0: what states and memory allow */
    uint64_t unasked_work; /* that "all" gives it, over all blocks of a kernel; 0: as much as it takes */
    enum bound_scope scope;
    bool monotone; /* takes covering paths: what it proves of these holds for all blocks whose warps execute
                      parts of them (docs/covering-paths.md, section 6); what it estimates, of all sides */
    uint32_t schemes;      /* BOUND_OF_GRID: which it is for */
    bool dynamic_dispatch; /* BOUND_OF_KERNEL: not for blocks that are dealt out before the grid starts */
};

extern const struct bound_method bound_sib, bound_fib, bound_aln, bound_fifo, bound_elb, bound_gub,
    bound_exhaustive, bound_adversary, bound_segment_sum, bound_reorder_chain, bound_turn_chain,
    bound_segments, bound_segments_missrate, bound_abstract_cta, bound_abstract_cta_rr,
    bound_abstract_cta_safe, bound_k_area, bound_k_bal, bound_k_sm, bound_k_exhaustive, bound_k_adversary,
    bound_waves, bound_graham, bound_one_by_one, bound_eq3;

/* Adds what every result assumes of the paths, that included. */
void bound_assume_paths(const struct bound_input *input, wb_bound *bound);

/* Adds the assumptions that every bound of this model rests on, those of the paths included. */
void bound_assume_model(const struct bound_input *input, wb_bound *bound);

/* Adds the assumptions that every bound of a grid rests on, those of the paths included. */
void bound_assume_grid(const struct bound_input *input, wb_bound *bound);

/* Whether the method is for what is analysed; if not, *why says so. */
bool bound_method_applies(const struct bound_method *method, const struct bound_input *input,
                          const char **why);

/* Makes an estimate of a bound for a machine whose model the proofs are not about. */
void bound_qualify(const struct bound_input *input, wb_bound *bound);

#endif
