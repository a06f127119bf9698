/* The table of analyses. A new one is a file with a `struct bound_method` and a line in registry.c. */
#ifndef WB_BOUND_ANALYSIS_REGISTRY_H
#define WB_BOUND_ANALYSIS_REGISTRY_H

#include "bound/method/method.h"
#include "method/run.h"

/* The methods in the order of results; NULL past the end. */
const struct bound_method *bound_method_at(size_t index);

#endif
