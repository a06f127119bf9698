/* What the methods for whole kernels say of random grids, for tests. */
#ifndef WB_TESTS_GRID_BOUNDS_H
#define WB_TESTS_GRID_BOUNDS_H

#include "bound/analysis/registry.h"
#include "bound/grid/block_classes.h"
#include "random_grid.h"

/* The sums of a grid, which is not to be changed as long as they are used. */
struct grid_bounds {
    const struct random_grid *grid;
    struct grid_work work;
    struct arena results; /* owns texts and lists of the results */
    wb_diagnostics *diagnostics;
};

void grid_bounds_begin(struct grid_bounds *bounds, const struct random_grid *grid);

/* The result of a method, false when it does not apply. `watch` may stop it, or be NULL. */
bool grid_bounds_of(struct grid_bounds *bounds, const struct bound_method *method, const wb_watch *watch,
                    wb_bound *bound);

/* The worst case that k-exhaustive finds within so many states, else 0. */
cycles grid_bounds_exact(const struct grid_bounds *bounds, uint64_t states);

/* The forms of the bound of a kernel, whichever there are; NULL past the end. */
const struct bound_method *grid_formula_at(size_t index);
const struct bound_method *grid_formula_named(const char *form);

void grid_bounds_end(struct grid_bounds *bounds);

#endif
