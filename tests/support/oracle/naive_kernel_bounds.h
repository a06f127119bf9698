/* The bounds of whole kernels, written down once more from theorems 5 to 7 of docs/proofs.md alone, block by
 * block; and the same with a mistake in them, to see that tests notice. */
#ifndef WB_TESTS_NAIVE_KERNEL_BOUNDS_H
#define WB_TESTS_NAIVE_KERNEL_BOUNDS_H

#include "bound/grid/grid_work.h"

#define NAIVE_BLOCKS_MAX 64

enum naive_mistake {
    MISTAKE_NONE,
    MISTAKE_INITIATIONS,   /* E less a tenth */
    MISTAKE_LATENCY,       /* lam less a tenth */
    MISTAKE_ALPHA,         /* alpha and solo less one */
    MISTAKE_BLOCK,         /* the last block forgotten */
    MISTAKE_ROOM,          /* a room too many on each SM */
    MISTAKE_SM,            /* an SM too many where work is divided among them */
    MISTAKE_SHARE,         /* no SM gets more than its share */
    MISTAKE_TURNS,         /* turns rounded down */
    MISTAKE_NO_BUSY,       /* no initiations before the tail */
    MISTAKE_NO_LATENCY,    /* no latencies before the tail */
    MISTAKE_NO_TAIL,       /* nothing behind the last dispatch */
    MISTAKE_TAIL_OF_ONE,   /* one block behind it */
    MISTAKE_TAIL_LATENCY,  /* no latencies behind it */
    MISTAKE_NO_DELAY,      /* dispatch_latency forgotten */
    MISTAKE_DELAYS,        /* one of them too few */
    MISTAKE_NO_SERVICE,    /* dispatch_service forgotten */
    MISTAKE_SERVICE_STEPS, /* one of them too few */
    MISTAKE_COUNT
};

extern const char *const naive_mistake_names[MISTAKE_COUNT];

enum naive_bound { NAIVE_AREA, NAIVE_BALANCE, NAIVE_ONE_SM, NAIVE_BOUND_COUNT };

/* A bound of a grid of at most NAIVE_BLOCKS_MAX blocks, `resident` at a time. Static dispatch: NAIVE_ONE_SM
 * only. */
cycles naive_kernel_bound(const struct grid_work *work, uint64_t resident, enum naive_bound bound,
                          enum naive_mistake mistake);

/* What they are made of, dispatch service left out: until n blocks that start together have ended, S_n; of an
 * SM that gets n blocks, h(n); until the last dispatch where another SM gets at most n, g(n). */
enum naive_term { NAIVE_TOGETHER, NAIVE_OF_SM, NAIVE_OF_OTHER };

cycles naive_kernel_term(const struct grid_work *work, uint64_t resident, enum naive_term term, uint64_t n);

#endif
