/* Any bytes as a solution file of another solver: an error with a message, or a schedule of the problem that
 * is no longer than the worst case. */
#include <stdint.h>
#include <stdlib.h>

#include "wings/makespan/forms/ilp_solution.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two warps of LC on one unit of each type take 3 cycles at most. */
#define WORST 3u

struct reading {
    struct makespan_run run;
    struct source source;
    struct schedule schedule;
};

static wb_status read_back(void *context) {
    struct reading *reading = context;
    return ilp_read_back(&reading->run, &reading->source, reading->run.arena, &reading->schedule);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t units[] = {0, 1};
    static const uint32_t capacity[UNIT_TYPES] = {1, 1, 1, 1};
    const struct string_use use = {2, units, 2};
    const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    struct makespan_problem problem;
    struct arena arena = {0};
    if (problem_make(&use, 1, capacity, ISSUE_UNLIMITED, &problem) != WB_OK) abort();
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct reading reading = {
        .run = {.problem = &problem, .settings = &settings, .diagnostics = diagnostics, .arena = &arena},
        .source = {.name = "fuzz", .text = (const char *)data, .size = size}};
    wb_status status = makespan_with_memory(&reading.run, &arena, read_back, &reading);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (status == WB_OK && (schedule_check(&problem, &reading.schedule, "fuzz", diagnostics) != WB_OK ||
                            reading.schedule.makespan > WORST))
        abort();
    arena_free(&arena);
    wb_diagnostics_free(diagnostics);
    problem_free(&problem);
    return 0;
}
