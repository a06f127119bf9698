#include "study.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "example.h"
#include "timing.h"

/* The tables for all warps of Fig. 6 and 7 are as large as the memory allows; this makes the page the same on
 * every machine. */
#define CONVERGENCE_MEMORY "1G"

const char *const fig5_methods[FIG5_METHODS] = {"ilp-short", "ilp-long", "ilp-cumulative", "exact"};

const struct convergence_setting convergence_settings[CONVERGENCE_FIGURES] = {
    {"LLCLL", "L=1,C=1", 600},
    {"LCLCL", "L=1/2,C=1", 420},
};

/* One cell of Fig. 5. An answer must be the one that the other methods gave. */
static wb_status time_solver(unsigned warps, enum fig5_method method, uint64_t worst,
                             wb_diagnostics *diagnostics, struct solver_time *time) {
    char number[16];
    char limit[16];
    wb_bound bound;
    (void)snprintf(number, sizeof number, "%u", warps);
    (void)snprintf(limit, sizeof limit, "%d", FIG5_TIME_LIMIT);
    const struct example example = {.operand = FIG5_STRING,
                                    .warps = number,
                                    .units = FIG5_UNITS,
                                    .processor_limit = limit,
                                    .methods = fig5_methods[method]};
    double start = timing_seconds();
    WB_TRY(example_bound(&example, diagnostics, &bound));
    *time = (struct solver_time){.solved = bound.kind == WB_EXACT, .seconds = FIG5_TIME_LIMIT};
    if (time->solved) time->seconds = timing_seconds() - start;
    if (!time->solved || bound.cycles == worst) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, fig5_methods[method],
             "found %" PRIu64 " cycles for %u warps, not %" PRIu64, bound.cycles, warps, worst);
    return WB_ERR_INPUT;
}

/* What is said of all warps together. */
static wb_status bound_all(const struct convergence_setting *setting, wb_diagnostics *diagnostics,
                           struct convergence *convergence) {
    char number[16];
    wb_bound bound;
    (void)snprintf(number, sizeof number, "%u", setting->warps);
    struct example example = {.operand = setting->string,
                              .warps = number,
                              .units = setting->units,
                              .memory = CONVERGENCE_MEMORY,
                              .methods = "pessimistic"};
    WB_TRY(example_bound(&example, diagnostics, &bound));
    convergence->pessimistic = bound.cycles;
    example.methods = "closed";
    WB_TRY(example_bound(&example, diagnostics, &bound));
    convergence->closed = bound.cycles;
    example.methods = "exact";
    double start = timing_seconds();
    WB_TRY(example_bound(&example, diagnostics, &bound));
    convergence->interval_seconds = timing_seconds() - start;
    convergence->lower = bound.lower;
    convergence->upper = bound.cycles;
    return WB_OK;
}

static wb_status run_convergence(const struct convergence_setting *setting, wb_diagnostics *diagnostics,
                                 struct convergence *convergence) {
    for (unsigned y = 1; y <= CONVERGENCE_X; y++) {
        double start = timing_seconds();
        WB_TRY(example_worst_case(setting->string, setting->units, NULL, y, diagnostics,
                                  &convergence->worst[y - 1]));
        convergence->seconds[y - 1] = timing_seconds() - start;
    }
    return bound_all(setting, diagnostics, convergence);
}

uint64_t convergence_scaled(const struct convergence *convergence, enum convergence_figure figure,
                            unsigned y) {
    return (convergence_settings[figure].warps + y - 1) / y * convergence->worst[y - 1];
}

uint64_t convergence_estimate(const struct convergence *convergence, enum convergence_figure figure,
                              unsigned x) {
    uint64_t least = convergence_scaled(convergence, figure, 1);
    for (unsigned y = 2; y <= x; y++) {
        uint64_t scaled = convergence_scaled(convergence, figure, y);
        if (scaled < least) least = scaled;
    }
    return least;
}

/* One part of the study: a cell of Fig. 5, or all of Fig. 6 or 7, which follow behind the cells. */
enum { CELLS = FIG5_WARPS * FIG5_METHODS, PARTS = CELLS + CONVERGENCE_FIGURES };

static wb_status run_part(unsigned part, wb_diagnostics *diagnostics, struct study *study) {
    if (part >= CELLS)
        return run_convergence(&convergence_settings[part - CELLS], diagnostics,
                               &study->convergence[part - CELLS]);
    const unsigned w = part / FIG5_METHODS, method = part % FIG5_METHODS;
    return time_solver(w + 1, (enum fig5_method)method, study->fig5_worst[w], diagnostics,
                       &study->fig5[w][method]);
}

/* Starts a part in a process of its own, whose processor time is that of the part alone. */
static pid_t start_part(unsigned part, struct study *study) {
    pid_t child = fork();
    if (child != 0) return child;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_status status = run_part(part, diagnostics, study);
    if (status != WB_OK) fputs(wb_diagnostics_text(diagnostics), stderr);
    _exit((int)status);
}

/* Waits for parts until so many are left. */
static wb_status await_parts(unsigned left, unsigned *running) {
    for (; *running > left; --*running) {
        int status = 0;
        if (wait(&status) < 0 || !WIFEXITED(status)) return WB_ERR_LIMIT;
        if (WEXITSTATUS(status) != WB_OK) return (wb_status)WEXITSTATUS(status);
    }
    return WB_OK;
}

/* Runs all parts, as many at a time as there are processors. */
static wb_status run_parts(struct study *study) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned running = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        if (start_part(part, study) < 0) return WB_ERR_LIMIT;
        running++;
        WB_TRY(await_parts(processors > 1 ? (unsigned)processors - 1 : 0, &running));
    }
    return await_parts(0, &running);
}

wb_status study_run(wb_diagnostics *diagnostics, struct study *study) {
    void *memory = mmap(NULL, sizeof *study, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return diagnose_out_of_memory(diagnostics, FIG5_STRING);
    struct study *shared = memory; /* by all processes */
    wb_status status = WB_OK;
    for (unsigned w = 1; status == WB_OK && w <= FIG5_WARPS; w++)
        status =
            example_worst_case(FIG5_STRING, FIG5_UNITS, NULL, w, diagnostics, &shared->fig5_worst[w - 1]);
    if (status == WB_OK) status = run_parts(shared);
    *study = *shared;
    (void)munmap(memory, sizeof *study);
    return status;
}
