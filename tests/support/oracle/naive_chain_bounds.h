/* The bounds of whole kernels on several sub-cores (docs/sub-core-bounds.md), written down once more from
 * their definitions alone, block by block and instruction by instruction; and the same with one term dropped
 * or weakened, to see that tests notice. */
#ifndef WB_TESTS_NAIVE_CHAIN_BOUNDS_H
#define WB_TESTS_NAIVE_CHAIN_BOUNDS_H

#include "sub_core_grid.h"

#define CHAIN_BLOCKS_MAX 64

enum chain_bound { CHAIN_ONE_SM, CHAIN_BALANCE, CHAIN_AREA, CHAIN_BOUND_COUNT };

enum chain_mutant {
    CHAIN_AS_PROVEN,
    CHAIN_NO_SIGMA,           /* nothing of older sections initiates behind a release */
    CHAIN_NO_SIGMA_ELEMENTS,  /* ... but beside the extras of a section */
    CHAIN_NO_SIGMA_IN_EXTRAS, /* ... but in place of them */
    CHAIN_SIGMA_NO_QUEUE,     /* what waits in queues left out of it */
    CHAIN_SIGMA_NO_UNIT,      /* what is under way left out of it */
    CHAIN_SIGMA_READ_ALL,     /* a result that is read stands for what comes behind it, too */
    CHAIN_NO_EXTRAS,
    CHAIN_HALF_PICKS,
    CHAIN_PICK_FEWER,       /* one of them */
    CHAIN_PICKS_OF_TURNS,   /* those of a turn fewer */
    CHAIN_PICK_FEWER_LATER, /* ... of those for blocks that follow each other */
    CHAIN_LAST_IS_OWN,      /* of the last block what its stay takes beside its work, no more */
    CHAIN_REST_OF_FEWER,    /* all other work of a block fewer */
    CHAIN_CHANGE_FEWER,     /* a change of the chain too few */
    CHAIN_ONE_SECTION,      /* no change within a block */
    CHAIN_NO_LAST,          /* no latencies of the last block */
    CHAIN_LAST_IS_LATENCY,  /* of its latencies, not of what it takes beside its work */
    CHAIN_NO_OWN,           /* no latencies of the blocks before it */
    CHAIN_OWN_FEWER,        /* of one of them */
    CHAIN_LATENCY_CUT,      /* latencies do not reach across barriers */
    CHAIN_NO_RELEASE,       /* of barriers */
    CHAIN_WORK_OF_FIRST,    /* the loads of sub-core 0 in place of the largest */
    CHAIN_WORK_COARSE,      /* the largest load of the whole block where sections are told apart */
    CHAIN_NO_SHARED,        /* work of shared units left out */
    CHAIN_SHARED_APART,     /* shared units counted like one more sub-core */
    CHAIN_BLOCK_FEWER,      /* the work of one block left out */
    CHAIN_NO_DELAY,
    CHAIN_DELAY_FEWER,
    CHAIN_NO_SERVICE,
    CHAIN_SERVICE_FEWER,
    CHAIN_NO_TAIL,     /* nothing behind the last dispatch */
    CHAIN_TAIL_OF_ONE, /* one block behind it */
    CHAIN_SM_MORE,     /* work divided among one SM too many */
    CHAIN_ROOM_MORE,
    CHAIN_MUTANTS
};

extern const char *const chain_mutant_names[CHAIN_MUTANTS];

/* What is known of blocks. */
struct chain_view {
    bool covering;      /* warps may execute less than the programs say, but every barrier */
    bool largest_sigma; /* one sigma for all sections */
    bool larger_last;   /* latencies of the last block in the mean: its stay less its work, if that is more */
};

/* A bound of a grid of at most CHAIN_BLOCKS_MAX blocks. */
uint64_t naive_chain_bound(const struct sub_core_grid *from, const struct chain_view *view,
                           enum chain_bound bound, enum chain_mutant mutant);

/* What they are made of, dispatch service left out. */
enum chain_term {
    CHAIN_TOGETHER, /* S'_n */
    CHAIN_OF_SM,    /* h'(n) */
    CHAIN_OF_OTHER, /* g'(n) */
    CHAIN_OF_AREA,  /* theorem D with n for S'_R */
};

uint64_t naive_chain_term(const struct sub_core_grid *from, const struct chain_view *view,
                          enum chain_term term, uint64_t n);

#endif
