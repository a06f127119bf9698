/* Reports of a makespan problem: the problem, what the transformation did, every result and what they prove
 * together, as text and as JSON; witnesses, certificates and models for other solvers. */
#include "wings/makespan/report/witness.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cycles.h"
#include "base/files.h"
#include "base/gzip.h"
#include "report/parts/parts.h"
#include "wings/makespan/certificate/certificate.h"
#include "wings/makespan/certificate/check.h"
#include "wings/makespan/forms/ilp.h"
#include "wings/makespan/forms/ilp_program.h"
#include "wings/makespan/report/convergence.h"
#include "wings/makespan/strings/notation.h"
#include "wings/makespan/strings/path_string.h"
#include "wings/makespan/strings/witness_file.h"

/* Strings with more letters are cut in headings. */
#define HEADING_LETTERS 400u

static void put_ratio(struct text *out, const struct ratio *ratio) {
    text_printf(out, "%u", ratio->numerator);
    if (ratio->denominator != 1) text_printf(out, "/%u", ratio->denominator);
}

static void put_groups(struct text *out, const struct makespan_problem *problem) {
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        uint32_t shown = group->length < HEADING_LETTERS ? group->length : HEADING_LETTERS;
        text_printf(out, "%s%u x ", g == 0 ? "warps    " : "         ", group->warps);
        notation_print(out, problem->unit + group->first, shown);
        text_printf(out, "%s (%u instruction%s)\n", shown < group->length ? "..." : "", group->length,
                    plural(group->length));
    }
}

static void put_units(struct text *out, const struct wb_makespan *makespan) {
    const struct makespan_problem *problem = &makespan->problem;
    text_string(out, "units   ");
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (makespan->transform.of[unit].used)
            text_printf(out, " %c=%u", UNIT_LETTERS[unit], problem->capacity[unit]);
    text_string(out, " warps a cycle");
    if (problem->issue_limit != ISSUE_UNLIMITED)
        text_printf(out, ", at most %u instructions issued a cycle", problem->issue_limit);
    text_string(out, "\n");
}

/* What the transformation did to one unit type. */
static void put_unit_transform(struct text *out, uint32_t unit, const struct unit_transform *t) {
    text_printf(out, "         %c: units for ", UNIT_LETTERS[unit]);
    put_ratio(out, &t->sigma);
    text_string(out, t->sigma.numerator == t->sigma.denominator ? " warp a cycle" : " warps a cycle");
    if (t->cycles > 1) text_printf(out, ", %u cycles an instruction", t->cycles);
    text_printf(out, " -> for %u", t->capacity);
    if (t->copies > 1) text_printf(out, ", each %c is %u letters", UNIT_LETTERS[unit], t->copies);
    if (t->sigma.numerator > t->sigma.denominator && t->sigma.denominator > 1)
        text_string(out, ", rounded down");
    text_char(out, '\n');
}

static void put_transform(struct text *out, const struct transform *transform) {
    if (!transform_changes(transform)) return;
    text_string(out,
                "after the transformation of fractional capacities and instructions of several cycles:\n");
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        const struct unit_transform *t = &transform->of[unit];
        if (t->used && (t->copies > 1 || t->sigma.denominator > 1)) put_unit_transform(out, unit, t);
    }
}

/* Methods with the value, or the interval that is proven; those without a result, and why. */
static void put_results(struct text *out, const struct wb_makespan *makespan,
                        const wb_report_options *options) {
    size_t count;
    const wb_declined *declined = wb_makespan_declined(makespan, &count);
    const wb_bound *bound;
    struct sheet table = {0};
    sheet_column(&table, SHEET_LEFT, 0, "method");
    sheet_column(&table, SHEET_LEFT, 16, "kind");
    sheet_column(&table, SHEET_RIGHT, 42, "cycles");
    if (options->timing) sheet_column(&table, SHEET_RIGHT, 56, "elapsed");
    sheet_headings(&table);
    for (size_t i = 0; (bound = wb_makespan_bound(makespan, i)) != NULL; i++) {
        sheet_text(&table, bound->method);
        sheet_text(&table, wb_kind_name(bound->kind));
        if (bound->kind == WB_UPPER && bound->lower > 0)
            sheet_printf(&table, "%" PRIu64 " .. %" PRIu64, bound->lower, bound->cycles);
        else
            sheet_count(&table, bound->cycles);
        if (options->timing) sheet_printf(&table, "%.3f s", bound->seconds);
        sheet_end_row(&table);
    }
    for (size_t i = 0; i < count; i++) {
        sheet_text(&table, declined[i].method);
        sheet_span(&table, "%s: %s", report_declined_name(declined[i].status), declined[i].reason);
        sheet_end_row(&table);
    }
    sheet_close(&table, out);
}

static void put_interval(struct text *out, const struct wb_makespan *makespan) {
    struct makespan_interval interval = makespan_certain(makespan);
    if (interval.upper == CYCLES_SATURATED && interval.lower == 0) return;
    text_string(out, "\nworst case: ");
    if (interval.lower > interval.upper) {
        text_printf(out, "contradiction: %s found %" PRIu64 " cycles, and %s proves at most %" PRIu64 "\n\n",
                    interval.found_by, interval.lower, interval.proven_by, interval.upper);
    } else if (interval.upper == CYCLES_SATURATED) {
        text_printf(out, "at least %" PRIu64 " cycles\n\n", interval.lower);
    } else if (interval.lower == interval.upper) {
        text_printf(out, "%" PRIu64 " cycles\n\n", interval.upper);
    } else if (interval.lower == 0) {
        text_printf(out, "at most %" PRIu64 " cycles\n\n", interval.upper);
    } else {
        text_printf(out, "between %" PRIu64 " and %" PRIu64 " cycles\n\n", interval.lower, interval.upper);
    }
}

static void contradiction_json(struct json *json, const struct makespan_interval *interval) {
    if (interval->lower <= interval->upper) {
        json_put_null(json, "contradiction");
        return;
    }
    json_open_object(json, "contradiction");
    json_put_count(json, "proven", interval->upper);
    json_put_text(json, "method", interval->proven_by);
    json_put_count(json, "found", interval->lower);
    json_put_text(json, "found_by", interval->found_by);
    json_close(json);
}

static const wb_bound *bound_at(const void *owner, size_t index) {
    return wb_makespan_bound(owner, index);
}

static void put_text(struct text *out, const struct wb_makespan *makespan, const wb_report_options *options) {
    put_groups(out, &makespan->problem);
    put_units(out, makespan);
    put_transform(out, &makespan->transform);
    text_char(out, '\n');
    put_results(out, makespan, options);
    put_interval(out, makespan);
    for (size_t i = 0; bound_at(makespan, i) != NULL; i++)
        report_put_reason(out, &layout_unlimited, bound_at(makespan, i));
    report_put_conditions(out, &layout_unlimited, bound_at, makespan, NULL);
}

static void groups_json(struct json *json, const struct makespan_problem *problem) {
    json_open_array(json, "groups");
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        struct text string = {0};
        notation_print(&string, problem->unit + group->first, group->length);
        json->out->failed |= string.failed;
        json_open_object(json, NULL);
        json_put_count(json, "warps", group->warps);
        json_put_text(json, "string", string.data != NULL ? string.data : "");
        json_put_count(json, "instructions", group->length);
        json_close(json);
        text_free(&string);
    }
    json_close(json);
}

/* A whole number, or a text such as "1/2". */
static void ratio_json(struct json *json, const char *key, const struct ratio *ratio) {
    char text[32];
    (void)text_format(text, sizeof text, "%u/%u", ratio->numerator, ratio->denominator);
    if (ratio->denominator == 1)
        json_put_count(json, key, ratio->numerator);
    else
        json_put_text(json, key, text);
}

/* Per unit type in use its capacity, and what it was before the transformation. */
static void units_json(struct json *json, const struct transform *transform) {
    json_open_object(json, "units");
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        const struct unit_transform *t = &transform->of[unit];
        const char letter[] = {UNIT_LETTERS[unit], '\0'};
        if (!t->used) continue;
        json_open_object(json, letter);
        json_put_count(json, "capacity", t->capacity);
        ratio_json(json, "sigma", &t->sigma);
        json_put_count(json, "cycles", t->cycles);
        json_put_count(json, "letters", t->copies);
        json_close(json);
    }
    json_close(json);
}

static void put_json(struct text *out, const struct wb_makespan *makespan, const wb_report_options *options) {
    const struct makespan_problem *problem = &makespan->problem;
    const struct makespan_interval interval = makespan_certain(makespan);
    size_t count;
    const wb_declined *declined = wb_makespan_declined(makespan, &count);
    struct json json = json_begin(out, JSON_LINES);
    document_open(&json, "warpbound-makespan", 1);
    inputs_list_json(&json, makespan->spec.inputs.items, makespan->spec.inputs.count);
    json_open_object(&json, "problem");
    json_put_count(&json, "warps", problem->warp_count);
    groups_json(&json, problem);
    units_json(&json, &makespan->transform);
    json_put_count_if(&json, "issue_limit", problem->issue_limit != ISSUE_UNLIMITED, problem->issue_limit);
    json_close(&json);
    json_open_array(&json, "bounds");
    for (size_t i = 0; wb_makespan_bound(makespan, i) != NULL; i++) {
        json_open_object(&json, NULL);
        report_bound_json(&json, wb_makespan_bound(makespan, i), options);
        json_close(&json);
    }
    json_close(&json);
    report_declined_json(&json, declined, count);
    const bool is_certified = interval.upper != CYCLES_SATURATED && interval.lower <= interval.upper;
    report_certified_json(&json, is_certified, interval.lower, interval.upper);
    contradiction_json(&json, &interval);
    json_close(&json);
}

wb_status wb_makespan_report(wb_makespan *makespan, wb_report_format format, const wb_report_options *options,
                             wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    struct text out = {0};
    WB_TRY(makespan_prepare(makespan, diagnostics));
    if (format == WB_REPORT_JSON)
        put_json(&out, makespan, &asked);
    else
        put_text(&out, makespan, &asked);
    return report_take(WB_OK, &out, diagnostics, text);
}

wb_status wb_makespan_witness(const wb_makespan *makespan, const char *method, wb_witness_format format,
                              wb_diagnostics *diagnostics, char **text) {
    const struct makespan_result *result = makespan_find_result(makespan, method);
    if (result == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "witness", "no method that was run found a schedule");
        return WB_ERR_DECLINED;
    }
    const struct makespan_problem *problem = &makespan->problem;
    struct text out = {0};
    wb_status status = WB_OK;
    if (format != WB_WITNESS_FILE &&
        (uint64_t)problem->warp_count * result->witness.makespan > WITNESS_CELLS_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, "witness", "the schedule is too large to be drawn");
        return WB_ERR_LIMIT;
    }
    switch (format) {
    case WB_WITNESS_TEXT: witness_text(&out, problem, &result->witness); break;
    case WB_WITNESS_SVG: witness_svg(&out, problem, &result->witness); break;
    case WB_WITNESS_FILE: status = witness_file_print(problem, &result->witness, diagnostics, &out); break;
    }
    return report_take(status, &out, diagnostics, text);
}

/* How the string differs from one that somebody else made, such as a paper's. */
static wb_status put_difference(const struct path_string *path, const char *other,
                                wb_diagnostics *diagnostics, struct text *out) {
    struct unit_string string = {0};
    const struct subject subject = {.where = other};
    WB_TRY(notation_parse(other, strlen(other), &subject, diagnostics, &string));
    const struct string_difference difference = string_difference_of(&path->string, &string);
    text_printf(out, "\ncompared with %.200s: ", other);
    string_difference_print(&difference, out);
    text_char(out, '\n');
    unit_string_free(&string);
    return WB_OK;
}

wb_status wb_makespan_mapping(const wb_block *block, bool branchless_prefix, const char *other,
                              wb_diagnostics *diagnostics, char **text) {
    struct path_string path = {0};
    struct text out = {0};
    enum path_extent extent = branchless_prefix ? PATH_BRANCHLESS_PREFIX : PATH_WHOLE;
    wb_status status = path_string_make(block, extent, diagnostics, &path);
    if (status == WB_OK) {
        path_string_print_mapping(block, &path, &out);
        text_string(&out, "\nstring: ");
        notation_print(&out, path.string.units.items, (uint32_t)path.string.units.count);
        text_char(&out, '\n');
        if (other != NULL) status = put_difference(&path, other, diagnostics, &out);
    }
    path_string_free(&path);
    return report_take(status, &out, diagnostics, text);
}

wb_status wb_makespan_convergence(const wb_makespan *makespan, wb_convergence_format format,
                                  wb_diagnostics *diagnostics, char **text) {
    const struct makespan_result *result = makespan_find_result(makespan, makespan_anneal.name);
    struct text out = {0};
    if (result == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "convergence", "the method anneal has not been run");
        return WB_ERR_DECLINED;
    }
    if (format == WB_CONVERGENCE_CSV) {
        convergence_csv(&out, &result->anneal_log);
    } else {
        convergence_svg(&out, &result->anneal_log, CONVERGENCE_SECONDS);
    }
    return report_take(WB_OK, &out, diagnostics, text);
}

/* A model in the making. */
struct export {
    struct makespan_run run;
    wb_makespan_model model;
    const char *method;
    struct text out;
};

static wb_status put_model(void *context) {
    struct export *export = context;
    const struct makespan_run *run = &export->run;
    ilp_writer *write = export->model == WB_MODEL_MPS ? ilp_mps_write : ilp_lp_write;
    const struct ilp_form *form = ilp_form_find(export->method, strlen(export->method));
    if (form != NULL) return ilp_write(run, form, write, &export->out);
    diagnose(run->diagnostics, SEVERITY_ERROR, "makespan",
             "expected ilp-short, ilp-long or ilp-cumulative for an integer program, got '%.40s'",
             export->method);
    return WB_ERR_INPUT;
}

wb_status wb_makespan_export(wb_makespan *makespan, wb_makespan_model model, const char *method,
                             wb_diagnostics *diagnostics, char **text) {
    WB_TRY(makespan_prepare(makespan, diagnostics));
    struct arena arena = {0};
    struct export export = {.run = {.problem = &makespan->problem,
                                    .settings = &makespan->spec.settings,
                                    .diagnostics = diagnostics,
                                    .arena = &arena},
                            .model = model,
                            .method = method};
    wb_status status = makespan_with_memory(&export.run, &arena, put_model, &export);
    arena_free(&arena);
    return report_take(status, &export.out, diagnostics, text);
}

/* Checks a witness file; says what it proves. */
static wb_status check_witness(const char *path, const char *bytes, size_t size, wb_diagnostics *diagnostics,
                               struct text *out) {
    struct witness witness;
    wb_status status = witness_file_parse(path, bytes, size, diagnostics, &witness);
    if (status == WB_OK) status = schedule_check(&witness.problem, &witness.schedule, path, diagnostics);
    if (status == WB_OK)
        text_printf(out, "%s: a schedule of %u warps that takes %u cycles\n", path,
                    witness.problem.warp_count, witness.schedule.makespan);
    witness_free(&witness);
    return status;
}

/* Checks a certificate within the memory and by the threads that the methods take by default. */
static wb_status check_certificate(const char *path, const char *bytes, size_t size,
                                   wb_diagnostics *diagnostics, struct text *out) {
    static const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    struct certificate_proof proof;
    wb_status status = certificate_check(path, bytes, size, makespan_memory(&settings),
                                         makespan_threads(&settings), diagnostics, &proof);
    if (status == WB_OK) {
        uint32_t lower = proof.witness.schedule.makespan;
        text_printable(out, path, strlen(path));
        text_string(out, ": proves that the worst case is ");
        if (lower == proof.upper)
            text_printf(out, "exactly %u cycles", lower);
        else
            text_printf(out, "from %u to %u cycles", lower, proof.upper);
        text_printf(out, " (tables of %" PRIu64 " states and %" PRIu64 " cells)\n", proof.states,
                    proof.cells);
        witness_file_print_problem(&proof.witness.problem, out);
    }
    certificate_proof_free(&proof);
    return status;
}

wb_status wb_makespan_check(const char *path, wb_diagnostics *diagnostics, char **text) {
    char *bytes;
    size_t size;
    struct text out = {0};
    WB_TRY(file_read(path, CERTIFICATE_SIZE_MAX, diagnostics, &bytes, &size));
    wb_status status = gzip_recognise(bytes, size) ? check_certificate(path, bytes, size, diagnostics, &out)
                                                   : check_witness(path, bytes, size, diagnostics, &out);
    free(bytes);
    return report_take(status, &out, diagnostics, text);
}
