/* The makespan reports of the public interface: each asks the writer of its format. */
#include "report/makespan_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/gzip.h"
#include "makespan/certificate.h"
#include "makespan/certificate_check.h"
#include "makespan/ilp.h"
#include "makespan/ilp_lp.h"
#include "makespan/ilp_mps.h"
#include "makespan/sat_export.h"
#include "report/bound_text.h"
#include "report/convergence_report.h"
#include "strings/path_string.h"
#include "strings/string_difference.h"
#include "strings/witness_file.h"

wb_status wb_makespan_report(wb_makespan *makespan, wb_report_format format, const wb_report_options *options,
                             wb_diagnostics *diagnostics, char **text) {
    WB_TRY(makespan_prepare(makespan, diagnostics));
    if (format == WB_REPORT_JSON) return report_makespan_json(makespan, options, diagnostics, text);
    return report_makespan_text(makespan, options, diagnostics, text);
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
    if (format != WB_WITNESS_FILE &&
        (uint64_t)problem->warp_count * result->witness.makespan > WITNESS_CELLS_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, "witness", "the schedule is too large to be drawn");
        return WB_ERR_LIMIT;
    }
    switch (format) {
    case WB_WITNESS_TEXT: witness_text(&out, problem, &result->witness); break;
    case WB_WITNESS_SVG: witness_svg(&out, problem, &result->witness); break;
    case WB_WITNESS_FILE: WB_TRY(witness_file_print(problem, &result->witness, diagnostics, &out)); break;
    }
    return report_take_text(&out, diagnostics, text);
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
    if (status == WB_OK) return report_take_text(&out, diagnostics, text);
    text_free(&out);
    return status;
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
    return report_take_text(&out, diagnostics, text);
}

/* The text of a model; `run` is for messages and limits. */
static wb_status put_model(const struct makespan_run *run, wb_makespan_model model, const char *method,
                           uint64_t cycles, struct text *out) {
    switch (model) {
    case WB_MODEL_DIMACS: return sat_export_dimacs(run, cycles, out);
    case WB_MODEL_OPB: return sat_export_opb(run, out);
    case WB_MODEL_LP:
    case WB_MODEL_MPS: break;
    }
    ilp_writer *write = model == WB_MODEL_MPS ? ilp_mps_write : ilp_lp_write;
    const struct ilp_form *form = ilp_form_find(method, strlen(method));
    if (form != NULL) return ilp_write(run->problem, form, write, run->settings, run->diagnostics, out);
    diagnose(run->diagnostics, SEVERITY_ERROR, "makespan",
             "expected ilp-short, ilp-long or ilp-cumulative for an integer program, got '%.40s'", method);
    return WB_ERR_INPUT;
}

wb_status wb_makespan_export(wb_makespan *makespan, wb_makespan_model model, const char *method,
                             uint64_t cycles, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    WB_TRY(makespan_prepare(makespan, diagnostics));
    const struct makespan_run run = {.problem = &makespan->problem,
                                     .settings = &makespan->spec.settings,
                                     .diagnostics = diagnostics,
                                     .arena = &makespan->arena};
    wb_status status = put_model(&run, model, method, cycles, &out);
    if (status == WB_OK) return report_take_text(&out, diagnostics, text);
    text_free(&out);
    return status;
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
        text_printf(out, "%s: proves that the worst case is ", path);
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
    if (status == WB_OK) return report_take_text(&out, diagnostics, text);
    text_free(&out);
    return status;
}
