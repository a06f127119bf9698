/* What the makespan methods have in common. */
#include "makespan/method.h"

#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/text.h"

bool makespan_goes_on(const struct makespan_run *run, const char *stage, uint64_t done, uint64_t total) {
    if (run->end != 0 && clock_elapsed() >= run->end) return false;
    if (run->processor_end != 0 && clock_processor() >= run->processor_end) return false;
    return run->watch == NULL || run->watch->poll == NULL ||
           run->watch->poll(run->watch->user, stage, done, total);
}

bool makespan_solver_spent(const struct makespan_run *run, double seconds) {
    return run->settings->processor_limit > 0 && seconds >= run->settings->processor_limit;
}

wb_status makespan_stopped(const struct makespan_run *run, const struct makespan_result *result) {
    diagnose(
        run->diagnostics, SEVERITY_WARNING, result->bound.method,
        "stopped at a limit of time or memory or by the user; the worst case is proven to be from %" PRIu64
        " to %" PRIu64 " cycles so far",
        result->bound.lower, result->bound.cycles);
    return WB_ERR_LIMIT;
}

wb_status makespan_no_memory(const struct makespan_run *run) {
    return diagnose_out_of_memory(run->diagnostics, "makespan");
}

const char *makespan_text(const struct makespan_run *run, const char *format, ...) {
    char buffer[512];
    va_list arguments;
    va_start(arguments, format);
    int length = text_vformat(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    if (length < 0) return NULL;
    size_t kept = (size_t)length < sizeof buffer ? (size_t)length : sizeof buffer - 1;
    return arena_string(run->arena, buffer, kept);
}

void makespan_assume(wb_bound *bound, const char *assumption) {
    if (bound->assumption_count < WB_ASSUMPTIONS_MAX)
        bound->assumptions[bound->assumption_count++] = assumption;
}

void makespan_assume_model(wb_bound *bound) {
    makespan_assume(bound,
                    "every instruction takes one cycle of one unit; no latency beyond it, no cache misses");
    makespan_assume(bound, "work-conserving issue of at most one instruction per warp and cycle");
    makespan_assume(bound, "the warps execute these strings, alone on the streaming multiprocessor");
}

void makespan_set_interval(wb_bound *bound, uint64_t lower, uint64_t upper) {
    bound->kind = lower == upper ? WB_EXACT : WB_UPPER;
    bound->cycles = upper;
    bound->lower = lower;
}

uint64_t makespan_memory(const struct makespan_settings *settings) {
    return settings->memory != 0 ? settings->memory : MAKESPAN_MEMORY_DEFAULT;
}

uint32_t makespan_threads(const struct makespan_settings *settings) {
    if (settings->threads != 0) return settings->threads;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : (uint32_t)processors;
}
