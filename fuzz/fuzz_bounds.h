/* What must hold of every block, however odd. */
#ifndef WB_FUZZ_BOUNDS_H
#define WB_FUZZ_BOUNDS_H

#include <stdlib.h>

#include "warpbound.h"

/* Aborts when a simulation under one of the policies exceeds the least of the proven bounds `methods`, or
 * when there is none. */
static inline void require_bounds(wb_analysis *analysis, const char *methods, const char *policies,
                                  wb_diagnostics *diagnostics) {
    if (wb_analysis_bound(analysis, methods, NULL, diagnostics) != WB_OK ||
        wb_analysis_simulate(analysis, policies, NULL, diagnostics) != WB_OK)
        abort();
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    const wb_bound *best = wb_analysis_best(analysis);
    for (size_t i = 0; i < count; i++)
        if (best == NULL || best->cycles < simulations[i].cycles) abort();
}

#endif
