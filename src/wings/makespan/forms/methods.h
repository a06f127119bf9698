/* Makespan methods that stand beside the core: the integer programs and the extrapolation
 * of ECRTS 2012, and plain enumeration, which checks the others. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_METHODS_H
#define WB_PAPERS_MAKESPAN_FORMS_METHODS_H

#include "wings/makespan/method/method.h"

extern const struct makespan_method makespan_ilp_short, makespan_ilp_long, makespan_ilp_cumulative,
    makespan_extrapolate, makespan_brute;

#endif
