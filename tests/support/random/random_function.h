/* Random functions of any control flow, irreducible cycles included, whose values and branches are uniform
 * and divergent in turn. */
#ifndef WB_TESTS_RANDOM_FUNCTION_H
#define WB_TESTS_RANDOM_FUNCTION_H

#include "base/base.h"

/* Appends a PTX module with one kernel, the same for the same seed. */
void random_function_put(uint64_t seed, struct text *out);

#endif
