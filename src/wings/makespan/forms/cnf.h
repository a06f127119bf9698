/* Clauses of a formula in conjunctive normal form, as they are made. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_CNF_H
#define WB_PAPERS_MAKESPAN_FORMS_CNF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* The number of a variable, from 1, or minus that number for its negation; or a constant. */
typedef int32_t literal;

#define LITERAL_TRUE INT32_MAX
#define LITERAL_FALSE (-LITERAL_TRUE)

/* No formula has more variables: small enough for every solver. */
#define CNF_VARIABLES_MAX (INT32_MAX / 4)

/* Zero-initialised it is an empty formula without a limit. After a failure `failed` stays set and further
 * calls do nothing, so that a maker of clauses checks once, at the end. */
struct cnf {
    VEC(int32_t) literals; /* every clause with a 0 behind it */
    uint64_t clause_count;
    int32_t variable_count;
    uint64_t limit; /* most bytes, 0: no limit */
    bool failed;    /* memory, the limit or the numbers of variables are exhausted */
};

/* A new variable; a constant after a failure. */
literal cnf_variable(struct cnf *cnf);

/* Adds a clause: constants are left out, and a clause with a true one is. */
void cnf_clause(struct cnf *cnf, const literal *literals, size_t count);

#define CNF_CLAUSE(cnf, ...)                                                                                 \
    cnf_clause(cnf, (const literal[]){__VA_ARGS__}, sizeof((const literal[]){__VA_ARGS__}) / sizeof(literal))

void cnf_free(struct cnf *cnf);

/* Numbers in unary, made of literals: for counting how many literals of a formula are true. */

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
