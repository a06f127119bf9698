#include "report/stream_report.h"

#include <string.h>

#include "report/analysis_report.h"

/* The simulation of a kernel under a policy, or NULL. */
static const wb_simulation *simulation_of(const struct wb_analysis *kernel, const char *policy) {
    size_t count;
    const wb_simulation *simulations =
        wb_analysis_simulations(kernel->given != NULL ? kernel->given : kernel, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(simulations[i].policy, policy) == 0) return &simulations[i];
    return NULL;
}

bool report_stream_simulated(const struct wb_stream *stream, size_t policy, cycles *simulated) {
    cycles sum = stream_overhead(stream);
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const wb_simulation *simulation =
            simulation_of(stream->kernels.items[i].analysis, wb_policy_name(policy));
        if (simulation == NULL) return false;
        sum = cycles_add(sum, simulation->cycles);
    }
    *simulated = sum;
    return stream->kernels.count > 0;
}

cycles report_stream_slowest(const struct wb_stream *stream) {
    cycles slowest = 0, simulated;
    for (size_t p = 0; policy_at(p) != NULL; p++)
        if (policy_at(p)->work_conserving && report_stream_simulated(stream, p, &simulated))
            slowest = cycles_max(slowest, simulated);
    return slowest;
}
