/* What a launch took on a GPU, beside what is proven of it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bound/analysis/verdict.h"

static wb_slowest slowest_of(const struct wb_analysis *analysis, uint64_t time) {
    return (wb_slowest){.cycles = time, .kind = WB_MEASURED, .name = analysis->measured.gpu};
}

wb_slowest measured_cycles(const struct wb_analysis *analysis) {
    return slowest_of(analysis, analysis->unmeasured == NULL ? analysis->measured.cycles : 0);
}

wb_slowest measured_for_deadline(const struct wb_analysis *analysis) {
    const wb_measured *measured = &analysis->measured;
    const double by_clock = floor((double)measured->ns * analysis->machine->clock_mhz / 1e3);
    return slowest_of(analysis, measured->of_times ? (uint64_t)by_clock : measured->cycles);
}

/* Says why the GPU is not the machine, as far as that is known. */
static void put_apart(struct text *out, const struct wb_machine *machine, const wb_measured *measured) {
    const uint32_t sm = wb_machine_architecture(machine);
    if (measured->cycles == 0)
        text_string(out, "the clock of the GPU is not known");
    else if (sm != 0 && sm != measured->architecture)
        text_printf(out, "the machine is of sm_%" PRIu32 ", the GPU of sm_%" PRIu32, sm,
                    measured->architecture);
    else if (machine->memory.sms != measured->sms)
        text_printf(out, "the machine has %" PRIu32 " SMs, the GPU %" PRIu32, machine->memory.sms,
                    measured->sms);
    else if (measured->clock > machine->clock_mhz)
        text_printf(out,
                    "the GPU ran at %" PRIu32 " MHz, for which the latencies of memory at %g MHz say little",
                    measured->clock, machine->clock_mhz);
}

wb_status wb_analysis_set_measured(wb_analysis *analysis, const wb_measured *measured,
                                   wb_diagnostics *diagnostics) {
    struct text apart = {0};
    if (wb_analysis_scope(analysis) != WB_SCOPE_KERNEL) {
        diagnose(diagnostics, SEVERITY_ERROR, measured->gpu, "a kernel was measured, and a block analysed");
        return WB_ERR_INPUT;
    }
    put_apart(&apart, analysis->machine, measured);
    const char *gpu = arena_string(&analysis->texts, measured->gpu, strlen(measured->gpu));
    const char *reason = apart.length > 0 ? arena_string(&analysis->texts, apart.data, apart.length) : NULL;
    const bool failed = apart.failed || gpu == NULL || (apart.length > 0 && reason == NULL);
    text_free(&apart);
    if (failed) return analysis_no_memory(diagnostics);
    analysis->measured = *measured;
    analysis->measured.gpu = gpu;
    analysis->unmeasured = reason;
    return WB_OK;
}

const char *wb_analysis_unmeasured(const wb_analysis *analysis) {
    return analysis->unmeasured;
}
