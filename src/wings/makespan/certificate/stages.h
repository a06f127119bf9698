/* The tables of a certificate, as its checker sees them (docs/makespan.md, "Certificates").
 *
 * The warps of a *pool* go through *stages*, each of one unit type and some positions long. A *composition*
 * says how many warps are in each stage: n_1 ... n_S, in all stages of a pool at most as many as it has. A
 * *cell* of it says how many instructions they have left in their stage beyond the one that each of them has:
 * x_j from 0 to n_j * (length_j - 1). Both are in lexicographic order.
 *
 * With runs as stages, and the warps of each group in a pool of their own, cells are those of the run
 * abstraction (docs/makespan-proofs.md, T2). With single positions as stages, and X warps in one pool, they
 * are the states of at most X unfinished warps. */
#ifndef WB_MAKESPAN_CERTIFICATE_STAGES_H
#define WB_MAKESPAN_CERTIFICATE_STAGES_H

#include "base/base.h"
#include "wings/makespan/strings/problem.h"

struct stage {
    uint8_t unit;
    bool opens;      /* the first of its pool */
    bool last;       /* of its string: who leaves it has finished; others go to the next stage */
    uint32_t first;  /* its first position */
    uint32_t length; /* its positions */
    uint32_t pool;
};

struct stage_table {
    const struct makespan_problem *problem;
    struct stage *stages; /* in the order of positions: pool after pool */
    uint32_t stage_count;
    uint32_t *long_stages; /* those of several positions: of others all x_j are 0 */
    uint32_t long_count;
    uint32_t *pools; /* warps of each */
    uint32_t pool_count;
    uint32_t width;   /* of a row of `before`: 2 more than the warps of the largest pool */
    uint64_t *before; /* see cells_before in stages.c */
    uint64_t cells;
    uint16_t *values; /* of each cell: an upper bound on the cycles that remain */
};

/* Makes a table without values in a protected arena: of the states of at most `warps` warps, or of the run
 * abstraction. False when it would take more than `memory` bytes. */
bool stage_table_of_positions(const struct makespan_problem *problem, uint32_t warps, uint64_t memory,
                              struct arena *arena, struct stage_table *table);
bool stage_table_of_runs(const struct makespan_problem *problem, uint64_t memory, struct arena *arena,
                         struct stage_table *table);

/* How many cells the composition has. */
uint64_t stage_table_extent(const struct stage_table *table, const uint32_t *counts);

/* The first cell of the composition with counts[j] warps in stage j. */
uint64_t stage_table_cell(const struct stage_table *table, const uint32_t *counts);

/* Goes through all compositions in their order. */
struct stage_walk {
    const struct stage_table *table;
    uint32_t *counts; /* of the composition */
    uint32_t *rest;   /* per pool: warps in none of its stages */
    uint32_t warps;   /* in all stages */
    uint64_t number;  /* of the composition */
    uint64_t cell;    /* its first */
};

/* Starts at the composition without warps. The arena is protected. */
void stage_walk_make(const struct stage_table *table, struct arena *arena, struct stage_walk *walk);
bool stage_walk_next(struct stage_walk *walk);

/* Whether the values of a table are more than those of all successors: V(a) >= 1 + V(a') for every abstract
 * transition a -> a' (docs/makespan-proofs.md, T2). Looks at all cells with more than `graded` warps in their
 * stages, by so many threads. Returns the number of the first composition for which a cell does not hold it,
 * UINT64_MAX when there is none. When memory is exhausted the pass that protects the arena ends. */
uint64_t certificate_inequality_check(const struct stage_table *table, uint32_t graded, uint32_t threads,
                                      const struct arena *arena);

#endif
