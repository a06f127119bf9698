/* Random grids of machine code: their longest execution against every bound that is proven. */
#ifndef WB_TESTS_SASS_CHECK_H
#define WB_TESTS_SASS_CHECK_H

#include <stdio.h>

#include "base/base.h"
#include "random_sass.h"

/* What was seen of a family. */
struct sass_census {
    uint64_t searched, attained; /* the least bound */
};

/* Whether the grid of a seed, with pauses or without, is within its bounds, or its search would go through
 * more states. False with the grid in `violation`. */
bool sass_check(const struct sass_family *family, uint64_t seed, bool pauses, size_t states,
                struct sass_census *census, struct text *violation);

/* Whether a time is beyond some bound of the grid, as it would be with a mistake. */
bool sass_exceeds(const struct sass_grid *grid, uint32_t time, enum sass_mutant mutant);

/* For those of other shards of a campaign to be added to (counts.h). */
void sass_census_count(const struct sass_census *census, const char *family, FILE *counts);

void sass_grid_print(const struct sass_grid *grid, struct text *out);

#endif
