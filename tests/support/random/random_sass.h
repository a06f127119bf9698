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
    bool chains;       /* of these two in two slots, with a warp in each of two sub-cores */
    bool lines;        /* caches in which each line is missed once, in blocks or grids */
    bool chosen_inits; /* few instructions, whose actual times are drawn anew several times */
    bool presets;      /* one way of three stages, of which instructions go a part, and latches, as in the
                          machines of machines/ */
    bool any_order;    /* behind the first unit of such a way */
    bool four_cores;   /* sub-cores, with a warp or two each */
    bool loose_stalls; /* that may be shorter than they are stated, as behind jumps */
    bool barrier_unit; /* barrier instructions hold a latch, too */
};

#define SASS_FAMILIES 19u
extern const struct sass_family sass_families[SASS_FAMILIES];

void random_sass_grid(const struct sass_family *family, uint64_t seed, struct sass_grid *grid);

/* Gives the grid of a seed some pauses (naive_sass.h). */
void random_sass_pauses(uint64_t seed, struct sass_grid *grid);

#endif
