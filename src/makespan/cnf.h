/* Clauses of a formula in conjunctive normal form, as they are made. */
#ifndef WB_MAKESPAN_CNF_H
#define WB_MAKESPAN_CNF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

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

#endif
