/* warpbound sweep: many analyses, as a file names them, and their results in a database. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

/* ---- --dry-run -------------------------------------------------------------------------------------------
 */

static bool put_line(const wb_writer *writer, const char *line) {
    return writer->write(writer->user, line, strlen(line)) && writer->write(writer->user, "\n", 1);
}

/* The units, a line each, behind their number. */
static wb_status list_units(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    wb_sweep *sweep = user;
    wb_sweep_unit *unit = NULL;
    char line[64];
    bool written;
    (void)snprintf(line, sizeof line, "%" PRIu64 " units", wb_sweep_count(sweep));
    written = put_line(writer, line);
    wb_status status = wb_sweep_next(sweep, diagnostics, &unit);
    while (status == WB_OK && unit != NULL && written) {
        written = put_line(writer, unit->name);
        wb_sweep_unit_free(unit);
        status = wb_sweep_next(sweep, diagnostics, &unit);
    }
    if (status == WB_OK) wb_sweep_unit_free(unit);
    return written || status != WB_OK ? status : usage_error(diagnostics, "cannot write the list of units");
}

/* ---- show ------------------------------------------------------------------------------------------------
 */

static wb_results_format results_format(const struct options *options) {
    switch (options->format) {
    case OUTPUT_CSV: return WB_RESULTS_CSV;
    case OUTPUT_JSON: return WB_RESULTS_JSON;
    case OUTPUT_JSON_LINES: return WB_RESULTS_JSON_LINES;
    case OUTPUT_JUNIT: return WB_RESULTS_JUNIT;
    default: return WB_RESULTS_MARKDOWN;
    }
}

/* What is shown of which results. */
struct shown {
    const wb_results *results;
    wb_results_format format;
};

static wb_status write_results(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct shown *shown = user;
    return wb_results_report(shown->results, shown->format, writer, diagnostics);
}

static int show(const struct options *options, wb_diagnostics *diagnostics) {
    wb_results *results = NULL;
    if (options->operands.count != 2)
        return (int)usage_error(diagnostics, "sweep show: expected one database");
    wb_status status = wb_results_open(options->operands.items[1], false, diagnostics, &results);
    struct shown shown = {results, results_format(options)};
    if (status == WB_OK) status = write_as_made(options, write_results, &shown, diagnostics);
    wb_results_free(results);
    return (int)status;
}

/* ---- The command -----------------------------------------------------------------------------------------
 */

static int run(const struct options *options, wb_diagnostics *diagnostics) {
    wb_sweep *sweep = NULL;
    wb_results *results = NULL;
    int status = (int)wb_sweep_read(options->operands.items[0], diagnostics, &sweep);
    if (status == WB_OK && options->dry_run) {
        status = (int)write_as_made(options, list_units, sweep, diagnostics);
    } else if (status == WB_OK) {
        if (options->output == NULL)
            status = (int)usage_error(diagnostics,
                                      "expected -o DATABASE, which the results are written to; or --dry-run");
        if (status == WB_OK) status = (int)wb_results_open(options->output, true, diagnostics, &results);
        if (status == WB_OK) status = run_sweep(options, sweep, results, diagnostics);
    }
    wb_results_free(results);
    wb_sweep_free(sweep);
    return status;
}

int command_sweep(const struct options *options, wb_diagnostics *diagnostics) {
    const char *verb = options->operands.count > 0 ? options->operands.items[0] : "";
    const bool is_run = options->operands.count == 1 && strcmp(verb, "show") != 0;
    if (strcmp(verb, "show") != 0 && !is_run)
        return (int)usage_error(
            diagnostics, "expected: sweep FILE.yaml -o DATABASE | FILE.yaml --dry-run | show DATABASE");
    if (is_run && options->format != OUTPUT_TEXT)
        return (int)usage_error(diagnostics, "--format, --csv and --json are of sweep show");
    if (!is_run && (options->dry_run || options->retry || options->jobs.given))
        return (int)usage_error(diagnostics, "--dry-run, --jobs and --retry are of running a sweep");
    return is_run ? run(options, diagnostics) : show(options, diagnostics);
}
