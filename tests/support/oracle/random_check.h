/* One random block held to what the library promises: simulated <= exact <= every proven bound, and nothing
 * found by annealing beyond the exact worst case; also when the block turns out faster than stated. */
#ifndef WB_TESTS_RANDOM_CHECK_H
#define WB_TESTS_RANDOM_CHECK_H

#include "random_block.h"

/* A block class. */
struct random_family {
    const char *name;
    struct random_shape shape;
    const uint32_t *depths;
    uint32_t depth_count;
};

/* The families that tests and campaign go through. */
#define RANDOM_FAMILIES 5
extern const struct random_family random_families[RANDOM_FAMILIES];

/* What was seen: blocks whose exact worst case was found, and those of them that exceed GUB. */
struct random_census {
    uint64_t searched, beyond_gub;
};

/* Checks the block of a seed and adds to the census. On a violation false, with what is wrong and the block
 * as a YAML file in *violation. `adversary`: anneal, too, which takes a thousand times longer. */
bool random_check(const struct random_family *family, uint64_t seed, bool adversary,
                  struct random_census *census, struct text *violation);

#endif
