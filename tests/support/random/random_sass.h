/* Random small grids of machine code with times, for the explorer of docs/machine-code-bounds.md. */
#ifndef WB_TESTS_RANDOM_SASS_H
#define WB_TESTS_RANDOM_SASS_H

#include "naive_sass.h"

/* What a family of grids has more of. */
struct sass_family {
    const char *name;
    bool full_queues;  /* hold up the issue stage */
    bool barriers;     /* two or three sections each */
    bool two_stages;   /* private, then shared */
    bool clashes;      /* pipes that meet behind different stages */
    bool several;      /* blocks, one after the other in the slots of one or two SMs */
    bool chosen_inits; /* few instructions, whose actual times are drawn anew several times */
};

#define SASS_FAMILIES 7u
#define SASS_FAMILY_OF_GRIDS 5u
extern const struct sass_family sass_families[SASS_FAMILIES];

void random_sass_grid(const struct sass_family *family, uint64_t seed, struct sass_grid *grid);

#endif
