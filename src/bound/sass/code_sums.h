/* The sums that bound a block of machine code on a machine that times it. */
#ifndef WB_BOUND_SASS_CODE_SUMS_H
#define WB_BOUND_SASS_CODE_SUMS_H

#include "bound/method/method.h"

/* What sib, fib and elb are there (docs/machine-code-bounds.md). */
extern const struct bound_method bound_code_sib, bound_code_fib, bound_code_elb;

#endif
