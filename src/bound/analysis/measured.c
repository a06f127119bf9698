/* What a launch took on a GPU, beside what is proven of it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bound/analysis/verdict.h"

static wb_slowest slowest_of(const struct wb_analysis *analysis, uint64_t time) {
    return (wb_slowest){.cycles = time, .kind = WB_MEASURED, .name = analysis->measured.gpu};
}

/* Cycles of a clock in a time, rounded down. */
static uint64_t cycles_in(uint64_t ns, double clock_mhz) {
    return (uint64_t)floor((double)ns * clock_mhz / 1e3);
}

/* A slower clock than the machine's makes no latency longer in cycles, and a faster one none in time: memory
 * keeps its own. */
wb_slowest measured_cycles(const struct wb_analysis *analysis) {
    const wb_measured *measured = &analysis->measured;
    const double clock = fmin(measured->clock, analysis->machine->clock_mhz);
    return slowest_of(analysis, analysis->unmeasured == NULL ? cycles_in(measured->ns, clock) : 0);
}

wb_slowest measured_for_deadline(const struct wb_analysis *analysis) {
    const wb_measured *measured = &analysis->measured;
    return slowest_of(analysis, measured->of_times ? cycles_in(measured->ns, analysis->machine->clock_mhz)
                                                   : measured->cycles);
}

/* Says why the GPU is not the machine, as far as that is known. */
static void put_apart(struct text *out, const struct wb_machine *machine, const wb_measured *measured) {
    const uint32_t sm = wb_machine_architecture(machine), memory = machine->sass.memory_clock;
    if (measured->beside)
        text_string(out, "others ran beside the kernel, and bounds are of a kernel alone");
    else if (measured->clock == 0)
        text_string(out, "the clock of the GPU is not known");
    else if (sm != 0 && sm != measured->architecture)
        text_printf(out, "the machine is of sm_%" PRIu32 ", the GPU of sm_%" PRIu32, sm,
                    measured->architecture);
    else if (machine->memory.sms != measured->sms)
        text_printf(out, "the machine has %" PRIu32 " SMs, the GPU %" PRIu32, machine->memory.sms,
                    measured->sms);
    else if (memory > 0 && measured->memory_clock > 0 && measured->memory_clock < memory)
        text_printf(out, "the memory of the machine runs at %" PRIu32 " MHz, that of the GPU at %" PRIu32,
                    memory, measured->memory_clock);
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
