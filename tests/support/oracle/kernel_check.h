/* One random tiny grid held to what the library promises of whole kernels: simulated <= exact <= every proven
 * bound, also when the grid turns out faster than stated; and bounds with a mistake in them caught at it. */
#ifndef WB_TESTS_KERNEL_CHECK_H
#define WB_TESTS_KERNEL_CHECK_H

#include "naive_kernel_bounds.h"
#include "random_grid.h"

/* A kind of grids. */
struct kernel_family {
    const char *name;
    struct random_grid_shape shape;
};

#define KERNEL_FAMILIES 12
extern const struct kernel_family kernel_families[KERNEL_FAMILIES];

/* What was seen. */
struct kernel_census {
    uint64_t searched, unsearched;                     /* grids whose worst case was found; was not */
    uint64_t again;                                    /* found by the naive search, too */
    uint64_t bounded[NAIVE_BOUND_COUNT];               /* of the former: those that a bound is for, */
    uint64_t attained[NAIVE_BOUND_COUNT];              /* and equals */
    uint64_t attained_by_least;                        /* the least bound equals it */
    double looseness;                                  /* sum of the least bound over the exact value */
    uint64_t made[NAIVE_BOUND_COUNT][MISTAKE_COUNT];   /* the mistake lowers the bound */
    uint64_t caught[NAIVE_BOUND_COUNT][MISTAKE_COUNT]; /* ... below the exact value */
};

/* Adds what one census has seen to another. */
void kernel_census_add(struct kernel_census *sum, const struct kernel_census *census);

/* The exact worst case by k-exhaustive's search, or 0 when that has an objection or gives up; and the least
 * of the proven bounds. */
cycles kernel_exact(const struct synthetic_block *grid, cycles *least);

/* Checks the grid of a seed and adds to the census. On a violation false, with what is wrong and the grid as
 * a YAML file in *violation. `naive`: let the naive search confirm the exact value, too. */
bool kernel_check(const struct kernel_family *family, uint64_t seed, bool naive, struct kernel_census *census,
                  struct text *violation);

#endif
