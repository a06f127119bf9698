/* The result of one method, for tests. Include what cmocka needs first. */
#ifndef WB_TESTS_BOUND_NAMED_H
#define WB_TESTS_BOUND_NAMED_H

#include <string.h>

#include "warpbound.h"

/* What the method says of the analysis; the test fails when it was not run. */
static inline const wb_bound *bound_named(const wb_analysis *analysis, const char *method) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(bounds[i].method, method) == 0) return &bounds[i];
    fail_msg("no bound %s", method);
    return NULL;
}

/* What a form of the bound of a kernel says, likewise. */
static inline uint64_t form_named(const wb_analysis *analysis, const char *form) {
    const wb_bound *bound = bound_named(analysis, "kernel");
    for (size_t i = 0; i < bound->form_count; i++)
        if (strcmp(bound->forms[i].name, form) == 0 && bound->forms[i].cycles > 0)
            return bound->forms[i].cycles;
    fail_msg("no form %s", form);
    return 0;
}

#endif
