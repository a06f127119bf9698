/* warpbound analyze: bounds of a kernel, of one thread block, of a grid under a scheme, or of the kernels of
 * a list of launches, beside simulations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_line.h"
#include "wing.h"

/* --deadline, in cycles of the machine, and --scope, which may be left out. */
static wb_status read_deadline(const struct options *options, const wb_machine *machine,
                               wb_diagnostics *diagnostics, wb_report_options *report) {
    if (options->scope == SCOPE_BLOCK) {
        report->scope = WB_SCOPE_BLOCK;
        if (options->schemes != NULL && !options->block_index.given)
            return usage_error(diagnostics,
                               "--scope block: with --scheme, name the block with --block-index");
    }
    report->has_deadline = options->deadline != NULL;
    if (!report->has_deadline) return WB_OK;
    report->unit = wb_deadline_unit(options->deadline);
    return deadline_cycles(options->deadline, machine, diagnostics, &report->deadline);
}

/* What the library is asked for. */
static wb_status read_asked(const struct options *options, const struct inputs *inputs,
                            const wb_machine *machine, wb_diagnostics *diagnostics, wb_analyze_options *asked,
                            wb_report_options *report) {
    *asked = analyze_options(options, inputs);
    wb_status status = read_deadline(options, machine, diagnostics, report);
    asked->has_deadline = report->has_deadline;
    asked->scope = report->scope;
    return status;
}

/* Says that only a block was analysed, and what to do about it: where it is one that was asked for, the
 * deadline counts as missed; else the kernel could not be analysed. */
static int refuse_block(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->block_index.given) {
        (void)usage_error(diagnostics, "the deadline is for the kernel, but --block-index selects one block: "
                                       "omit it, or judge the isolated block with --scope block");
        return EXIT_DEADLINE_MISSED;
    }
    (void)usage_error(diagnostics, "the deadline is for the kernel, but only one block has a bound; --scope "
                                   "block judges that block in isolation");
    return WB_ERR_DECLINED;
}

/* Numbers of which one is wrong end the run: whichever it is, none of them may be relied on. */
static int report_contradiction(const wb_verdict *verdict, wb_diagnostics *diagnostics) {
    const wb_contradiction *contradiction = &verdict->contradiction;
    const char *found = contradiction->found.name != NULL ? contradiction->found.name : "an execution";
    char message[400];
    (void)snprintf(message, sizeof message,
                   "contradiction: %s found %llu cycles, more than the %llu cycles that %s proves for the "
                   "same %s: one of them is wrong. Please report this command with its files",
                   found, (unsigned long long)contradiction->found.cycles,
                   (unsigned long long)contradiction->proven, contradiction->method,
                   wb_scope_name(contradiction->scope));
    (void)usage_error(diagnostics, message);
    return WB_ERR_LIMIT;
}

/* The exit status for a verdict, with a message where there is no bound to hold against it.
 */
static int judge(const struct options *options, const wb_verdict *verdict, wb_diagnostics *diagnostics) {
    if (verdict->state == WB_CONTRADICTION) return report_contradiction(verdict, diagnostics);
    if (!verdict->has_deadline) return WB_OK;
    switch (verdict->state) {
    case WB_BOUNDED:
    case WB_CONTRADICTION:
    case WB_MET: return WB_OK;
    case WB_MODEL_ONLY:
    case WB_MISSED:
    case WB_OPEN: return EXIT_DEADLINE_MISSED;
    case WB_BLOCK_ONLY: return refuse_block(options, diagnostics);
    case WB_UNPROVEN: break;
    }
    (void)usage_error(
        diagnostics, "no proven bound to compare with the deadline: choose a method or machine that has one");
    return WB_ERR_DECLINED;
}

/* Whether a setting can show in the results of an analysis, or of one of a stream. */
static bool is_read(const char *setting, const wb_analysis *analysis, const wb_stream *stream) {
    if (analysis != NULL) return wb_analysis_reads_setting(analysis, setting);
    for (size_t i = 0; i < wb_stream_count(stream); i++)
        if (wb_analysis_reads_setting(wb_stream_at(stream, i), setting)) return true;
    return false;
}

/* Whether every --set can show in the results. */
static wb_status check_settings(const struct options *options, const wb_analysis *analysis,
                                const wb_stream *stream, wb_diagnostics *diagnostics) {
    for (size_t s = 0; s < options->sets.count; s++) {
        if (is_read(options->sets.items[s], analysis, stream)) continue;
        wb_diagnostics_error(diagnostics, options->sets.items[s],
                             settings_wing_of(options->sets.items[s])->unread);
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

/* How the report is written, and where it is read. */
static wb_status report_options(const struct options *options, wb_diagnostics *diagnostics,
                                wb_report_options *report) {
    *report = (wb_report_options){.size = sizeof *report,
                                  .phases = options->phases,
                                  .timing = options->timing,
                                  .quiet = options->quiet,
                                  .all = options->all,
                                  .explain = options->explain,
                                  .lines = (size_t)options->lines.value,
                                  .lines_of = options->lines_of,
                                  .source = options->source};
    report_look(options, report);
    if (options->format != OUTPUT_TEXT && (options->quiet || options->all || options->explain != NULL))
        return usage_error(diagnostics, "--quiet, --all and --explain apply only to the text report");
    return WB_OK;
}

/* Loads and analyses what the operand describes. */
static wb_status analyze(const struct options *options, struct inputs *inputs, wb_diagnostics *diagnostics,
                         wb_report_options *report, wb_analysis **analysis) {
    wb_analyze_options asked;
    wb_status status;
    if (options->schemes == NULL && is_block_file(options)) {
        status = load_block_file(options, diagnostics, analysis);
        if (status == WB_OK)
            status = read_asked(options, inputs, wb_analysis_machine(*analysis), diagnostics, &asked, report);
        return status == WB_OK ? wb_analysis_run(*analysis, &asked, diagnostics) : status;
    }
    const char *machine = options->schemes != NULL ? WB_MACHINE_WITH_CACHES : WB_MACHINE_USUAL;
    status = inputs_load(options, machine, diagnostics, inputs);
    if (status == WB_OK) status = read_asked(options, inputs, inputs->machine, diagnostics, &asked, report);
    if (status != WB_OK) return status;
    return wb_analyze(inputs->kernel, inputs->launch, inputs->machine, &asked, diagnostics, analysis);
}

/* Fails with a message for a format that reports of verdicts do not have. */
static wb_status require_report_format(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->format == OUTPUT_JUNIT || options->format == OUTPUT_SARIF) return WB_OK;
    return require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
}

/* --format, and what goes with --schedule alone. */
static wb_status check_output(const struct options *options, wb_diagnostics *diagnostics) {
    if (!options->schedule) {
        wb_status status = require_report_format(options, diagnostics);
        return status == WB_OK ? refuse_window(options, diagnostics) : status;
    }
    wb_schedule_options asked;
    wb_status status = require_schedule_format(options, diagnostics);
    return status == WB_OK ? read_schedule_options(options, diagnostics, &asked) : status;
}

/* Warns where a longer execution is known, of which there is no schedule. */
static void warn_of_longer(const wb_schedule_info *info, wb_diagnostics *diagnostics) {
    char warning[200];
    if (info->longest_by == NULL) return;
    (void)snprintf(warning, sizeof warning,
                   "%s found an execution of %llu cycles but keeps no schedule; this is the longest schedule "
                   "kept, of %llu cycles",
                   info->longest_by, (unsigned long long)info->longest, (unsigned long long)info->cycles);
    wb_diagnostics_warning(diagnostics, "--schedule", warning);
}

/* The longest execution that was found, instead of the report. */
static wb_status write_worst_schedule(const struct options *options, const wb_analysis *analysis,
                                      wb_diagnostics *diagnostics) {
    wb_schedule_options asked;
    wb_schedule *schedule = NULL;
    wb_status status = read_schedule_options(options, diagnostics, &asked);
    if (status == WB_OK) status = wb_schedule_worst(analysis, &asked, diagnostics, &schedule);
    if (status == WB_OK) warn_of_longer(wb_schedule_describe(schedule), diagnostics);
    if (status == WB_OK) status = write_schedules(options, &(const wb_schedule *){schedule}, 1, diagnostics);
    wb_schedule_free(schedule);
    return status;
}

/* The report, or the schedule in its place. */
static wb_status write_results(const struct options *options, const wb_analysis *analysis,
                               const wb_report_options *report, wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (options->schedule) return write_worst_schedule(options, analysis, diagnostics);
    wb_status status = wb_report(analysis, report_format(options), report, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return status;
}

/* --annotate */
static wb_status annotate(const struct options *options, const wb_analysis *analysis,
                          const wb_report_options *report, wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (options->annotate == NULL) return WB_OK;
    wb_status status = wb_annotate(analysis, report, diagnostics, &text);
    if (status == WB_OK) status = wb_file_write(options->annotate, text, diagnostics);
    free(text);
    return status;
}

static wb_status make_certificate(void *analysis, const wb_writer *writer, wb_diagnostics *diagnostics) {
    return wb_analysis_certificate(*(const wb_analysis **)analysis, writer, diagnostics);
}

/* --certificate */
static wb_status write_certificate(const struct options *options, const wb_analysis *analysis,
                                   wb_diagnostics *diagnostics) {
    if (options->certificate == NULL) return WB_OK;
    return write_file(options->certificate, make_certificate, &analysis, diagnostics);
}

/* Options that say how lines are shown, where none are. */
static wb_status check_lines(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->lines.given || options->annotate != NULL) return WB_OK;
    if (options->lines_of != NULL || options->source != NULL)
        return usage_error(diagnostics, "--of and --source need --lines or --annotate");
    return WB_OK;
}

/* After a limit what was found is reported. */
static bool is_reported(int status, const wb_analysis *analysis) {
    return status == WB_OK ||
           (status == WB_ERR_LIMIT && analysis != NULL && wb_analysis_has_results(analysis));
}

/* The name of the test case, freed by the caller. */
static wb_status take_label(const struct options *options, wb_report_options *report, char **label) {
    report->label = *label = case_label(options);
    return *label != NULL ? WB_OK : WB_ERR_LIMIT;
}

/* Analyses what is no list of launches. */
static int analyze_one(const struct options *options, struct inputs *inputs, wb_diagnostics *diagnostics) {
    wb_report_options report;
    wb_analysis *analysis = NULL;
    wb_module *code = NULL;
    char *label = NULL;
    int status = (int)report_options(options, diagnostics, &report);
    if (status == WB_OK) status = (int)take_label(options, &report, &label);
    if (status == WB_OK) status = (int)check_output(options, diagnostics);
    if (status == WB_OK) status = (int)check_lines(options, diagnostics);
    if (status == WB_OK && options->schemes != NULL && options->phases)
        status =
            (int)usage_error(diagnostics, "--phases is for one block and cannot be combined with --scheme");
    if (status == WB_OK) status = (int)analyze(options, inputs, diagnostics, &report, &analysis);
    if (status == WB_OK) status = (int)check_settings(options, analysis, NULL, diagnostics);
    if (is_reported(status, analysis)) {
        const int compared = (int)compare_machine_code(options, inputs, diagnostics, &code, analysis);
        report.has_deadline = report.has_deadline && compared != WB_ERR_LIMIT; /* the code may take longer */
        if (compared != WB_OK) status = compared;
    }
    if (is_reported(status, analysis)) {
        int written = (int)write_results(options, analysis, &report, diagnostics);
        if (written == WB_OK)
            written = (int)write_html_report(options, analysis, NULL, &report, NULL, diagnostics);
        if (written == WB_OK) written = (int)annotate(options, analysis, &report, diagnostics);
        if (written == WB_OK) written = (int)write_certificate(options, analysis, diagnostics);
        if (status == WB_OK) status = written;
    }
    if (is_reported(status, analysis)) {
        const uint64_t *deadline = report.has_deadline ? &report.deadline : NULL;
        const wb_verdict verdict = wb_analysis_judge(analysis, report.scope, deadline);
        const int judged = judge(options, &verdict, diagnostics);
        if (status == WB_OK) status = judged;
    }
    wb_analysis_free(analysis);
    wb_module_free(code);
    free(label);
    return status;
}

/* Fails with a message for an option that is of one launch, or of one block. */
static wb_status refuse_options(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->kernel != NULL || options->grid != NULL || options->block != NULL ||
        options->shared != NULL || options->registers != NULL || options->ptxas_info != NULL ||
        options->assume != NULL || options->trace != NULL ||
        options->arguments.count + options->variables.count > 0)
        return usage_error(diagnostics,
                           "launch options cannot be combined with a list of launches: change the file");
    if (options->block_index.given || options->phases)
        return usage_error(diagnostics,
                           "--block-index and --phases are for one block, not for a list of launches");
    if (options->lines.given || options->annotate != NULL || options->lines_of != NULL ||
        options->source != NULL)
        return usage_error(diagnostics,
                           "--lines and --annotate are for one launch, not for a list of launches");
    if (options->certificate != NULL)
        return usage_error(diagnostics, "--certificate is for one launch, not for a list of launches");
    if (options->facts != NULL)
        return usage_error(diagnostics, "--facts is for one kernel, not for a list of launches");
    if (options->schemes != NULL)
        return usage_error(diagnostics, "--scheme is for one launch, not for a list of launches");
    if (options->schedule || options->window != NULL)
        return usage_error(diagnostics,
                           "--schedule and --window are for one launch, not for a list of launches");
    if (options->scope != 0)
        return usage_error(
            diagnostics, "--scope is for one launch: the deadline of a list covers all its kernels together");
    return WB_OK;
}

/* Analyses the kernels of a list of launches. */
static int analyze_list(const struct options *options, struct inputs *inputs, wb_diagnostics *diagnostics) {
    wb_report_options report;
    wb_analyze_options asked;
    wb_stream *stream = NULL;
    wb_module *code = NULL;
    char *text = NULL, *label = NULL;
    int status = (int)report_options(options, diagnostics, &report);
    if (status == WB_OK) status = (int)take_label(options, &report, &label);
    if (status == WB_OK) status = (int)require_report_format(options, diagnostics);
    if (status == WB_OK) status = (int)refuse_options(options, diagnostics);
    if (status == WB_OK) status = (int)load_module(options, WB_MACHINE_USUAL, diagnostics, inputs);
    if (status == WB_OK)
        status = (int)read_asked(options, inputs, inputs->machine, diagnostics, &asked, &report);
    if (status == WB_OK)
        status = (int)wb_analyze_launches(inputs->module, options->launch_file, inputs->machine, &asked,
                                          diagnostics, &stream);
    if (status == WB_OK) status = (int)check_settings(options, NULL, stream, diagnostics);
    if (status == WB_OK || (status == WB_ERR_LIMIT && stream != NULL)) {
        const int compared = (int)compare_machine_code_of_list(options, inputs, diagnostics, &code, stream);
        report.has_deadline = report.has_deadline && compared != WB_ERR_LIMIT; /* the code may take longer */
        if (compared != WB_OK) status = compared;
    }
    if (status == WB_OK || (status == WB_ERR_LIMIT && stream != NULL)) {
        int written = (int)wb_stream_report(stream, report_format(options), &report, diagnostics, &text);
        if (written == WB_OK) written = (int)write_output(options, text, diagnostics);
        if (written == WB_OK)
            written = (int)write_html_report(options, NULL, stream, &report, NULL, diagnostics);
        if (written == WB_OK) {
            const wb_verdict verdict = wb_stream_judge(stream, report.has_deadline ? &report.deadline : NULL);
            written = judge(options, &verdict, diagnostics);
        }
        if (status == WB_OK) status = written;
    }
    free(text);
    free(label);
    wb_stream_free(stream);
    wb_module_free(code);
    return status;
}

int command_analyze(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    const bool is_list = options->launch_file != NULL && wb_launches_is_list(options->launch_file);
    const int status =
        is_list ? analyze_list(options, &inputs, diagnostics) : analyze_one(options, &inputs, diagnostics);
    inputs_free(&inputs);
    return status;
}
