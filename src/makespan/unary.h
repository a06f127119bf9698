/* Numbers in unary, made of literals: for counting how many literals of a formula are true. */
#ifndef WB_MAKESPAN_UNARY_H
#define WB_MAKESPAN_UNARY_H

#include "base/arena.h"
#include "makespan/cnf.h"

/* A number from 0 to count. */
struct unary {
    literal *at_least; /* [k - 1]: the number is at least k */
    uint32_t count;
};

/* A new number from 0 to `count`, with variables and clauses for their order. */
struct unary unary_make(struct cnf *cnf, struct arena *arena, uint32_t count);

/* "The number is at least k": true for k = 0, false for k beyond its count. */
literal unary_at_least(const struct unary *number, uint32_t k);

/* The sum of the numbers, which are used up, and clauses that it is at most `limit`: a totalizer (Bailleux,
 * Boufkhad, CP 2003) with both directions, so that the sum is the numbers' and not only a bound of it. */
struct unary unary_sum(struct cnf *cnf, struct arena *arena, struct unary *numbers, size_t count,
                       uint32_t limit);

#endif
