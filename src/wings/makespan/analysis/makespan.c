#include "wings/makespan/analysis/makespan.h"

#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "base/cycles.h"
#include "base/files.h"
#include "launch/launch.h"
#include "wings/makespan/certificate/write.h"
#include "wings/makespan/forms/ilp_solution.h"
#include "wings/makespan/strings/path_string.h"
#include "wings/makespan/strings/spec_file.h"

static const struct makespan_method *const registry[] = {
    &makespan_pessimistic, &makespan_closed,         &makespan_ilp_short,
    &makespan_ilp_long,    &makespan_ilp_cumulative, &makespan_exact,
    &makespan_extrapolate, &makespan_anneal,         &makespan_brute,
};

/* The methods in the order of results; NULL past the end. */
static const struct makespan_method *makespan_method_at(size_t index) {
    return index < sizeof registry / sizeof registry[0] ? registry[index] : NULL;
}

const char *wb_makespan_method_name(size_t index) {
    const struct makespan_method *method = makespan_method_at(index);
    return method == NULL ? NULL : method->name;
}

const char *wb_makespan_method_summary(size_t index) {
    const struct makespan_method *method = makespan_method_at(index);
    return method == NULL ? NULL : method->summary;
}

const char *wb_makespan_method_missing(size_t index) {
    const struct makespan_method *method = makespan_method_at(index);
    return method == NULL ? NULL : makespan_method_missing(method);
}

wb_makespan *wb_makespan_new(void) {
    wb_makespan *made = calloc(1, sizeof *made);
    if (made != NULL) spec_init(&made->spec);
    return made;
}

void wb_makespan_free(wb_makespan *makespan) {
    if (makespan == NULL) return;
    for (size_t i = 0; i < makespan->results.count; i++)
        makespan_result_free(&makespan->results.items[i]);
    vec_free(&makespan->results);
    problem_free(&makespan->problem);
    spec_free(&makespan->spec);
    method_log_free(&makespan->log);
    free(makespan);
}

wb_status wb_makespan_read(const char *path, wb_diagnostics *diagnostics, wb_makespan **makespan) {
    wb_makespan *made = wb_makespan_new();
    if (made == NULL) return diagnose_out_of_memory(diagnostics, path);
    const wb_status status = spec_file_read(path, diagnostics, &made->spec);
    if (status == WB_OK) {
        *makespan = made;
    } else {
        wb_makespan_free(made);
    }
    return status;
}

/* What has been solved stays what it is. */
static wb_status require_open(const wb_makespan *makespan, wb_diagnostics *diagnostics) {
    if (!makespan->prepared) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, "makespan", "the problem cannot change once it has been used");
    return WB_ERR_INPUT;
}

wb_status wb_makespan_set(wb_makespan *makespan, const char *key, const char *value,
                          wb_diagnostics *diagnostics) {
    const struct subject subject = {.where = "makespan"};
    WB_TRY(require_open(makespan, diagnostics));
    return spec_set(&makespan->spec, key, value, &subject, diagnostics);
}

wb_status wb_makespan_add_warps(wb_makespan *makespan, const char *warps, wb_diagnostics *diagnostics) {
    const struct subject subject = {.where = warps[0] != '\0' ? warps : "makespan"};
    WB_TRY(require_open(makespan, diagnostics));
    return spec_add_warps(&makespan->spec, warps, &subject, diagnostics);
}

wb_status wb_makespan_add_block(wb_makespan *makespan, const wb_block *block, bool branchless_prefix,
                                wb_diagnostics *diagnostics) {
    WB_TRY(require_open(makespan, diagnostics));
    struct path_string path = {0};
    enum path_extent extent = branchless_prefix ? PATH_BRANCHLESS_PREFIX : PATH_WHOLE;
    wb_status status = path_string_make(block, extent, diagnostics, &path);
    makespan->waits |= path.waits > 0;
    if (status == WB_OK && path.waits > 0)
        diagnose(diagnostics, SEVERITY_WARNING, "makespan",
                 "the path waits %u times (at barriers, for copies and the like), which kernel instruction "
                 "strings do not model: the results are for warps that never wait",
                 path.waits);
    if (status == WB_OK) status = spec_add_string(&makespan->spec, 0, &path.string, diagnostics);
    const struct sources sources = {
        .kernel = block->kernel, .launch = &block->inputs, .facts = block->facts.from};
    const wb_input *input;
    for (size_t i = 0; status == WB_OK && (input = sources_at(&sources, i)) != NULL; i++)
        status = spec_add_input(&makespan->spec, input, diagnostics);
    if (status == WB_OK && makespan->spec.warps == 0) makespan->spec.warps = block->warp_count;
    path_string_free(&path);
    return status;
}

wb_status makespan_prepare(wb_makespan *makespan, wb_diagnostics *diagnostics) {
    if (makespan->prepared) return WB_OK;
    WB_TRY(transform_spec(&makespan->spec, diagnostics, &makespan->transform, &makespan->problem));
    makespan->prepared = true;
    return WB_OK;
}

/* What the problem itself takes for granted, beside what its solution does. */
static void assume_problem(const wb_makespan *makespan, wb_bound *bound) {
    const struct transform *transform = &makespan->transform;
    if (makespan->waits) assume(bound, WB_ASSUME_STRINGS_WITHOUT_WAITS);
    if (transform_rounds(transform)) assume(bound, WB_ASSUME_CAPACITY_ROUNDED_DOWN);
    if (transform_repeats(transform) && makespan->problem.issue_limit != ISSUE_UNLIMITED)
        assume(bound, WB_ASSUME_LETTERS_ISSUE_EACH);
}

/* Methods that are asked for. */
struct asked {
    wb_makespan *makespan;
    bool all; /* only those that fit the problem */
};

/* Runs a method, if it is to be run. */
static wb_status ask_method(void *user, size_t index, struct method_run *frame) {
    const struct asked *asked = user;
    wb_makespan *makespan = asked->makespan;
    const struct makespan_method *method = makespan_method_at(index);
    if (asked->all && method->fits != NULL) {
        const bool had_memory = !frame->diagnostics->no_memory;
        const bool fits = method->fits(&makespan->problem, frame->diagnostics);
        frame->no_memory |= had_memory && frame->diagnostics->no_memory;
        if (!fits) return WB_OK;
    }
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL || vec_reserve(&makespan->results, 1) != WB_OK) {
        wb_diagnostics_free(messages);
        return diagnose_out_of_memory(frame->diagnostics, frame->where);
    }
    struct makespan_run run = {.problem = &makespan->problem,
                               .settings = &makespan->spec.settings,
                               .watch = &frame->watch,
                               .diagnostics = messages};
    struct makespan_result result;
    struct method_outcome outcome = {.method = method->name, .named = true};
    outcome.status = makespan_solve(method, &run, &result);
    outcome.has_result =
        outcome.status == WB_OK || (outcome.status == WB_ERR_LIMIT && result.bound.cycles > 0);
    if (outcome.has_result) {
        assume_problem(makespan, &result.bound);
        struct makespan_result *kept = method_place(&makespan->methods_run, index, makespan->results.items,
                                                    &makespan->results.count, sizeof result);
        *kept = result;
    } else {
        makespan_result_free(&result);
        /* Its time was over; of what does not fit otherwise the others know nothing. */
        if (outcome.status == WB_ERR_LIMIT && !makespan_goes_on(&run, frame->where, 0, 0))
            frame->limit = WB_ERR_LIMIT;
    }
    return method_run_note(frame, &makespan->log, &outcome, messages);
}

/* Says of every estimate that some schedule exceeds, once, that one does. */
static wb_status refute_estimates(wb_makespan *makespan, wb_diagnostics *diagnostics) {
    uint64_t lower = makespan_certain(makespan).lower;
    for (size_t i = 0; i < makespan->results.count; i++) {
        struct makespan_result *result = &makespan->results.items[i];
        wb_bound *bound = &result->bound;
        if (bound->kind != WB_ESTIMATE || bound->cycles >= lower || bound->lower > 0) continue;
        bound->reason = makespan_text(result, "%s; here it is too low: a schedule takes %" PRIu64 " cycles",
                                      bound->reason, lower);
        if (bound->reason == NULL) return diagnose_out_of_memory(diagnostics, "makespan");
        bound->lower = lower;
    }
    return WB_OK;
}

wb_status wb_makespan_solve(wb_makespan *makespan, const char *methods, const wb_watch *watch,
                            wb_diagnostics *diagnostics) {
    uint64_t chosen = 0;
    struct method_run run;
    struct asked asked = {.makespan = makespan, .all = strcmp(methods, "all") == 0};
    WB_TRY(choose_names("methods", methods, wb_makespan_method_name, diagnostics, &chosen));
    WB_TRY(makespan_prepare(makespan, diagnostics));
    WB_TRY(method_run_begin(&run, "makespan", watch, diagnostics));
    wb_status asking = method_run_chosen(&run, chosen, &makespan->methods_run, ask_method, &asked);
    wb_status end = method_run_end(&run);
    WB_TRY(asking);
    WB_TRY(refute_estimates(makespan, diagnostics));
    return end;
}

/* Keeps a schedule that was read, as a result beside those of the methods. */
static wb_status keep_solution(wb_makespan *makespan, struct makespan_result *result) {
    const uint64_t makespan_found = result->witness.makespan;
    result->bound =
        (wb_bound){.method = "solution", .kind = WB_LOWER, .cycles = makespan_found, .lower = makespan_found};
    makespan_assume_model(&result->bound);
    assume_problem(makespan, &result->bound);
    return vec_push(&makespan->results, *result);
}

/* A solution file that is being read. */
struct solution_reader {
    struct makespan_run run;
    struct source source;
    struct makespan_result result;
};

static wb_status read_solution(void *context) {
    struct solution_reader *reader = context;
    struct arena scratch = {0};
    arena_bind(&scratch, &reader->result.arena);
    reader->run.arena = &scratch;
    wb_status status =
        ilp_read_back(&reader->run, &reader->source, &reader->result.arena, &reader->result.witness);
    arena_free(&scratch);
    return status;
}

wb_status wb_makespan_read_solution(wb_makespan *makespan, const char *path, wb_diagnostics *diagnostics) {
    char *text = NULL;
    size_t size = 0;
    WB_TRY(makespan_prepare(makespan, diagnostics));
    WB_TRY(file_read(path, ILP_SOLUTION_SIZE_MAX, diagnostics, &text, &size));
    struct solution_reader reader = {.run = {.problem = &makespan->problem,
                                             .settings = &makespan->spec.settings,
                                             .diagnostics = diagnostics},
                                     .source = {.name = path, .text = text, .size = size}};
    wb_status status = makespan_with_memory(&reader.run, &reader.result.arena, read_solution, &reader);
    if (status == WB_OK && keep_solution(makespan, &reader.result) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, path);
    if (status != WB_OK) makespan_result_free(&reader.result);
    free(text);
    return status;
}

const wb_declined *wb_makespan_declined(const wb_makespan *makespan, size_t *count) {
    *count = makespan->log.declined.count;
    return makespan->log.declined.items;
}

const wb_bound *wb_makespan_bound(const wb_makespan *makespan, size_t index) {
    return index < makespan->results.count ? &makespan->results.items[index].bound : NULL;
}

const struct makespan_result *makespan_find_result(const wb_makespan *makespan, const char *method) {
    const struct makespan_result *found = NULL;
    for (size_t i = 0; i < makespan->results.count; i++) {
        const struct makespan_result *result = &makespan->results.items[i];
        if (method != NULL && strcmp(result->bound.method, method) != 0) continue;
        if (result->witness.cycle == NULL) continue;
        if (found == NULL || result->witness.makespan > found->witness.makespan) found = result;
    }
    return found;
}

struct makespan_interval makespan_certain(const wb_makespan *makespan) {
    struct makespan_interval interval = {.upper = CYCLES_SATURATED};
    for (size_t i = 0; i < makespan->results.count; i++) {
        const wb_bound *bound = &makespan->results.items[i].bound;
        if (bound->kind == WB_ESTIMATE) continue;
        if (bound->lower > interval.lower) {
            interval.lower = bound->lower;
            interval.found_by = bound->method;
        }
        if (bound->kind == WB_LOWER || bound->cycles >= interval.upper) continue;
        interval.upper = bound->cycles;
        interval.proven_by = bound->method;
    }
    return interval;
}

wb_status wb_makespan_hold(const wb_makespan *makespan, wb_diagnostics *diagnostics) {
    const struct makespan_interval interval = makespan_certain(makespan);
    if (interval.lower <= interval.upper) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, "makespan",
             "contradiction: %s found a schedule of %" PRIu64 " cycles, and %s proves at most %" PRIu64
             ": one of them is wrong. Please report this command with its files",
             interval.found_by, interval.lower, interval.proven_by, interval.upper);
    return WB_ERR_LIMIT;
}

wb_status wb_makespan_write_certificate(wb_makespan *makespan, const char *path, const wb_watch *watch,
                                        wb_diagnostics *diagnostics) {
    static const struct exact_limits limits = EXACT_LIMITS_DEFAULTS;
    const struct makespan_result *found = makespan_find_result(makespan, NULL);
    if (found == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, path,
                 "a certificate needs a schedule, but no method that was run found one");
        return WB_ERR_DECLINED;
    }
    const struct makespan_run run = {.problem = &makespan->problem,
                                     .settings = &makespan->spec.settings,
                                     .watch = watch,
                                     .diagnostics = diagnostics};
    uint32_t upper = 0;
    WB_TRY(certificate_write(&run, &limits, &found->witness, path, &upper));
    if (upper != found->witness.makespan)
        diagnose(diagnostics, SEVERITY_WARNING, path,
                 "the certificate proves no more than that the worst case is from %u to %u cycles",
                 found->witness.makespan, upper);
    return WB_OK;
}
