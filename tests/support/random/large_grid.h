/* One random grid of the size of a kernel's, too large to be searched, held to what the library promises:
 * nothing that is simulated takes longer than a proven bound, whoever dispatches and issues, also when the
 * grid turns out faster than stated. */
#ifndef WB_TESTS_LARGE_GRID_H
#define WB_TESTS_LARGE_GRID_H

#include "grid_bounds.h"

/* Most methods that bound kernels. */
#define FORMULAS_MAX 24

/* The proven bounds of a grid, in the order of grid_formula_at; CYCLES_SATURATED: not for this grid. */
struct proven_bounds {
    size_t count;
    cycles cycles[FORMULAS_MAX];
};

void proven_bounds_make(const struct random_grid *grid, struct proven_bounds *proven);

/* The grid of a seed: every second one has times like a kernel's, every third one an instruction cache. */
void large_grid_make(uint64_t seed, struct random_grid *grid);

/* Simulates the grid of a seed as its dispatcher has it and with choices by chance, as it is and with shorter
 * times; `candidates` above 0: lets k-adversary try so many, too. On a violation false, with what is wrong
 * and the grid in *violation. */
bool large_grid_check(uint64_t seed, uint32_t candidates, struct text *violation);

/* The poll of a watch that ends a search after so many looks, of which a candidate takes one; `user`: that
 * number, a uint32_t. */
bool large_grid_patience(void *user, const char *stage, uint64_t done, uint64_t total);

#endif
