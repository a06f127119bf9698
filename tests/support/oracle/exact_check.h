/* One random tiny grid on any SMs that the search for its worst case covers, held to what the library
 * promises: simulated <= exact <= every proven bound of the kernel, also when its warps turn out faster than
 * stated; and the search held against one that shares nothing with it. */
#ifndef WB_TESTS_EXACT_CHECK_H
#define WB_TESTS_EXACT_CHECK_H

#include <stdio.h>

#include "large_grid.h"

/* A kind of grids. */
struct exact_family {
    const char *name;
    struct random_grid_shape shape;
};

#define EXACT_FAMILIES 8
extern const struct exact_family exact_families[EXACT_FAMILIES];

/* What was seen. */
struct exact_census {
    uint64_t searched, unsearched; /* executions, as stated and faster, whose worst case was found; was not */
    uint64_t again;                /* found by the naive search, too */
    uint64_t bounded[FORMULAS_MAX];  /* of those as stated, in the order of grid_formula_at: has a bound, */
    uint64_t attained[FORMULAS_MAX]; /* and the worst case, or that of one that is faster, equals it */
    uint64_t least[FORMULAS_MAX];    /* no other bound is less, and one is more */
};

/* Checks the grid of a seed and adds to the census. On a violation false, with what is wrong and the grid as
 * a YAML file in *violation. `naive`: let the naive search confirm the worst case, too. */
bool exact_check(const struct exact_family *family, uint64_t seed, bool naive, struct exact_census *census,
                 struct text *violation);

/* Writes what the bounds have shown. */
void exact_census_print(const struct exact_census *census, struct text *out);

/* For those of other shards of a campaign to be added to (counts.h). */
void exact_census_count(const struct exact_census *census, const char *family, FILE *counts);

#endif
