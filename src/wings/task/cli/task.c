/* warpbound task: how long a task of kernels, copies and work of the host takes. */
#include <stdlib.h>

#include "command.h"
#include "command_line.h"
#include "warpbound_task.h"
#include "wing.h"

enum { COMMAND_TASK = COMMAND_WING_APART << 1 };

/* What the command line says; as in struct options. */
struct task_options {
    struct options common;
    unsigned export; /* one of EXPORT_, or 0 */
    const char *preemption;
};

/* Words of --export; all but the last in the order of wb_task_format. */
enum { EXPORT_GCAPS = 1, EXPORT_RTGPU, EXPORT_DOT, EXPORT_CSV, EXPORT_JSON };

/* --deadline, or that of the file, in cycles of the machine. */
static wb_status read_deadline(const struct options *options, const wb_task *task, const wb_machine *machine,
                               wb_diagnostics *diagnostics, wb_report_options *report) {
    const char *deadline = options->deadline != NULL ? options->deadline : wb_task_deadline(task);
    report->has_deadline = deadline != NULL;
    if (deadline == NULL) return WB_OK;
    return deadline_cycles(deadline, machine, diagnostics, &report->deadline);
}

static wb_status check_options(const struct task_options *options, wb_diagnostics *diagnostics) {
    if (options->common.operands.count != 1) return usage_error(diagnostics, "expected one task file");
    if ((options->export == EXPORT_DOT || options->export == EXPORT_CSV) &&
        options->common.format != OUTPUT_TEXT)
        return usage_error(diagnostics, "--export dot and csv are no JSON");
    if (options->preemption != NULL && options->export != EXPORT_GCAPS)
        return usage_error(diagnostics, "--preemption is for --export gcaps");
    return WB_OK;
}

/* --export, but for json. */
static wb_status export(const struct task_options *options, const wb_task *task, const wb_machine *machine,
                        const wb_report_options *report, wb_diagnostics *diagnostics, char **text) {
    const uint64_t *deadline = report->has_deadline ? &report->deadline : NULL;
    uint64_t preemption = 0;
    wb_status status = WB_OK;
    if (options->preemption != NULL)
        status = deadline_cycles(options->preemption, machine, diagnostics, &preemption);
    preemption++; /* deadlines are rounded down */
    if (status != WB_OK) return status;
    return wb_task_export(task, options->export - 1, deadline,
                          options->preemption != NULL ? &preemption : NULL, diagnostics, text);
}

static wb_status write_report(const struct task_options *options, const wb_task *task,
                              const wb_machine *machine, const wb_report_options *report,
                              wb_diagnostics *diagnostics) {
    const wb_report_format format =
        options->export == EXPORT_JSON ? WB_REPORT_JSON : report_format(&options->common);
    char *text = NULL;
    wb_status status = options->export == 0 || options->export == EXPORT_JSON
                           ? wb_task_report(task, format, report, diagnostics, &text)
                           : export(options, task, machine, report, diagnostics, &text);
    if (status == WB_OK) status = write_output(&options->common, text, diagnostics);
    free(text);
    return status;
}

/* --report */
static wb_status write_page(const struct options *options, const wb_task *task,
                            const wb_report_options *report, wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (options->report == NULL) return WB_OK;
    wb_status status = wb_task_html_report(task, report, diagnostics, &text);
    if (status == WB_OK) status = wb_file_write(options->report, text, diagnostics);
    free(text);
    return status;
}

static int command_task(const struct options *options, wb_diagnostics *diagnostics) {
    const struct task_options *own = (const struct task_options *)options;
    wb_report_options report = {.size = sizeof report, .quiet = options->quiet, .all = options->all};
    const struct inputs none = {0};
    wb_task *task = NULL;
    wb_machine *machine = NULL;
    report_look(options, &report);
    wb_status status = check_options(own, diagnostics);
    if (status == WB_OK) status = wb_task_read(options->operands.items[0], diagnostics, &task);
    const char *name = options->machine;
    if (status == WB_OK && name == NULL) name = wb_task_machine(task);
    if (status == WB_OK && name == NULL)
        status = usage_error(diagnostics, "no machine: name one in the task file, or with -m");
    if (status == WB_OK) status = load_machine(options, name, diagnostics, &machine);
    if (status == WB_OK) status = read_deadline(options, task, machine, diagnostics, &report);
    wb_analyze_options asked = analyze_options(options, &none);
    asked.savings = false;
    if (status == WB_OK && own->export == EXPORT_RTGPU) wb_task_federate(task);
    if (status == WB_OK) status = wb_task_bound(task, machine, &asked, diagnostics);
    if (status == WB_OK) status = write_report(own, task, machine, &report, diagnostics);
    if (status == WB_OK) status = write_page(options, task, &report, diagnostics);
    const uint64_t *deadline = report.has_deadline ? &report.deadline : NULL;
    int exit_status = (int)status;
    if (status == WB_OK && own->export == 0 && deadline != NULL && wb_task_judge(task, deadline) != WB_MET)
        exit_status = EXIT_DEADLINE_MISSED;
    wb_task_free(task);
    wb_machine_free(machine);
    return exit_status;
}

#define OWN(kind, member) INTO_OWN(kind, struct task_options, member, COMMAND_TASK)

static const struct option_row rows[] = {
    HEADING("The machine"),
    {'m', "machine", "MACHINE", INTO(TEXT, machine, COMMAND_TASK),
     .help = "preset name or YAML file, in place of the task file's"},
    {0, "set", "KEY=VALUE", INTO(LIST, sets, COMMAND_TASK),
     .help = "override one key of the machine, such as mem_latency=200"},
    HEADING("What is computed"),
    {0, "method", "LIST", INTO(NAMES, methods, COMMAND_TASK),
     .help = "bounds of kernels to compute, separated by commas (default all)", .names = wb_method_name},
    {0, "deadline", "TIME", INTO(TEXT, deadline, COMMAND_TASK),
     .help = "exit 1, but of exports, unless the task is proven to take no longer than TIME: 4500, 1.5ms"},
    {0, "accept", "LIST", INTO(NAMES, accept, COMMAND_TASK),
     .help = "models whose bounds may meet the deadline: ptx-model (not your compiled code)",
     .names = wb_accept_name_at},
    HEADING("What is written"),
    {0, "export", "FORMAT", OWN(WORD, export),
     .help = "in place of the report: segments (gcaps), work and span (rtgpu), the graph (dot, csv, json)",
     .words = {"gcaps", "rtgpu", "dot", "csv", "json"}},
    {0, "preemption", "TIME", OWN(TEXT, preemption),
     .help = "for --export gcaps: what a preemption costs, with the caches that it empties (epsilon)"},
    {0, "format", "FORMAT", INTO(FORMAT, format, COMMAND_TASK), .help = "text (default) or json",
     .words = {"text", "json"}},
    {0, "json", NULL, INTO(JSON, format, COMMAND_TASK), .help = "same as --format json"},
    {'o', "output", "FILE", INTO(TEXT, output, COMMAND_TASK),
     .help = "file to be written, which appears only when complete"},
    {0, "report", "FILE", INTO(TEXT, report, COMMAND_TASK),
     .help = "also write a report with a picture in HTML"},
    {'q', "quiet", NULL, INTO(FLAG, quiet, COMMAND_TASK), .help = "print only the verdict line"},
    {0, "all", NULL, INTO(FLAG, all, COMMAND_TASK), .help = "also print all assumptions in words"},
    {COLOR(COMMAND_TASK)},
};

static const struct command command = {
    "task",
    COMMAND_TASK,
    "TASK.yaml",
    "bound a task of kernels, copies and work of the host",
    "bounds tasks",
    command_task,
    .manual =
        "Bounds how long a task takes that its file describes: kernels on partitions of the SMs or side by "
        "side on the same, copies and work of the host, with their order. `analyze` of a task file is the "
        "same.",
    .examples = {"task docs/examples/task/task.yaml", "task docs/examples/task/task.yaml --deadline 10ms -q"},
    .before = "machine",
    .options_size = sizeof(struct task_options)};

extern const struct cli_wing cli_wing_task; /* which the build lists */

const struct cli_wing cli_wing_task = {.command = &command,
                                       .options = rows,
                                       .option_count = sizeof rows / sizeof *rows,
                                       .takes = wb_is_task_file};
