/* What the makespan methods have in common. */
#include "wings/makespan/method/method.h"

#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/base.h"

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

/* Work whose allocations do not fail. */
struct guarded {
    wb_status (*work)(void *context);
    void *context;
    wb_status status;
};

static void do_guarded(void *context) {
    struct guarded *guarded = context;
    guarded->status = guarded->work(guarded->context);
}

wb_status makespan_with_memory(const struct makespan_run *run, struct arena *arena,
                               wb_status (*work)(void *context), void *context) {
    struct guarded guarded = {work, context, WB_OK};
    wb_status status = arena_protect(arena, do_guarded, &guarded);
    return status == WB_OK ? guarded.status : makespan_no_memory(run);
}

const char *makespan_text(struct makespan_result *result, const char *format, ...) {
    char buffer[512];
    va_list arguments;
    va_start(arguments, format);
    int length = text_vformat(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    if (length < 0) return NULL;
    size_t kept = (size_t)length < sizeof buffer ? (size_t)length : sizeof buffer - 1;
    return arena_string(&result->arena, buffer, kept);
}

void makespan_assume_model(wb_bound *bound) {
    assume(bound, WB_ASSUME_ONE_CYCLE_EACH);
    assume(bound, WB_ASSUME_ONE_ISSUE_PER_WARP);
    assume(bound, WB_ASSUME_THESE_STRINGS);
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

/* A method that says a schedule takes so long must have one that does. */
static wb_status check_witness(const struct makespan_run *run, const struct makespan_result *result) {
    const struct schedule *witness = &result->witness;
    if (witness->cycle == NULL) return WB_OK;
    const char *name = result->bound.method;
    WB_TRY(schedule_check(run->problem, witness, name, run->diagnostics));
    if (witness->makespan == result->bound.lower) return WB_OK;
    diagnose(run->diagnostics, SEVERITY_ERROR, name,
             "the witness takes %u cycles where %" PRIu64 " are claimed", witness->makespan,
             result->bound.lower);
    return WB_ERR_INPUT;
}

struct solving {
    const struct makespan_method *method;
    struct makespan_run *run;
    struct makespan_result *result;
};

static wb_status run_method(void *context) {
    const struct solving *solving = context;
    struct arena scratch = {0};
    arena_bind(&scratch, &solving->result->arena);
    solving->run->arena = &scratch;
    wb_status status = solving->method->run(solving->run, solving->result);
    arena_free(&scratch);
    return status;
}

const char *makespan_method_missing(const struct makespan_method *method) {
    return method->missing == NULL ? NULL : method->missing();
}

wb_status makespan_solve(const struct makespan_method *method, struct makespan_run *run,
                         struct makespan_result *result) {
    double start = clock_elapsed();
    double limit = run->settings->time_limit;
    double processor_limit = run->settings->processor_limit;
    run->end = limit > 0 ? start + limit : 0;
    run->processor_end = processor_limit > 0 ? clock_processor() + processor_limit : 0;
    *result = (struct makespan_result){.bound = {.method = method->name}};
    const char *missing = makespan_method_missing(method);
    if (missing != NULL) {
        diagnose(run->diagnostics, SEVERITY_ERROR, method->name,
                 "it needs %s, which this program was built without", missing);
        return WB_ERR_DECLINED;
    }
    struct solving solving = {method, run, result};
    wb_status status = makespan_with_memory(run, &result->arena, run_method, &solving);
    run->arena = NULL;
    result->bound.seconds = clock_elapsed() - start;
    bool partial = status == WB_ERR_LIMIT && result->bound.cycles > 0;
    if (status != WB_OK && !partial) return status;
    WB_TRY(check_witness(run, result));
    return status;
}

void makespan_result_free(struct makespan_result *result) {
    arena_free(&result->arena);
    *result = (struct makespan_result){0};
}
