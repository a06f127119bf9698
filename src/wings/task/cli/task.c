/* warpbound task: how long a task of kernels, copies and work of the host takes. */
#include <stdlib.h>

#include "command.h"
#include "command_line.h"
#include "warpbound_task.h"
#include "wing.h"

enum { COMMAND_TASK = COMMAND_WING_APART << 1 };

/* --deadline, or that of the file, in cycles of the machine. */
static wb_status read_deadline(const struct options *options, const wb_task *task, const wb_machine *machine,
                               wb_diagnostics *diagnostics, wb_report_options *report) {
    const char *deadline = options->deadline != NULL ? options->deadline : wb_task_deadline(task);
    report->has_deadline = deadline != NULL;
    if (deadline == NULL) return WB_OK;
    return deadline_cycles(deadline, machine, diagnostics, &report->deadline);
}

static wb_status write_report(const struct options *options, const wb_task *task,
                              const wb_report_options *report, wb_diagnostics *diagnostics) {
    char *text = NULL;
    wb_status status = wb_task_report(task, report_format(options), report, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
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
    wb_report_options report = {.size = sizeof report, .quiet = options->quiet, .all = options->all};
    const struct inputs none = {0};
    wb_task *task = NULL;
    wb_machine *machine = NULL;
    if (options->operands.count != 1) return (int)usage_error(diagnostics, "expected one task file");
    report_look(options, &report);
    wb_status status = wb_task_read(options->operands.items[0], diagnostics, &task);
    const char *name = options->machine;
    if (status == WB_OK && name == NULL) name = wb_task_machine(task);
    if (status == WB_OK && name == NULL)
        status = usage_error(diagnostics, "no machine: name one in the task file, or with -m");
    if (status == WB_OK) status = load_machine(options, name, diagnostics, &machine);
    if (status == WB_OK) status = read_deadline(options, task, machine, diagnostics, &report);
    wb_analyze_options asked = analyze_options(options, &none);
    asked.savings = false;
    if (status == WB_OK) status = wb_task_bound(task, machine, &asked, diagnostics);
    if (status == WB_OK) status = write_report(options, task, &report, diagnostics);
    if (status == WB_OK) status = write_page(options, task, &report, diagnostics);
    const uint64_t *deadline = report.has_deadline ? &report.deadline : NULL;
    int exit_status = (int)status;
    if (status == WB_OK && deadline != NULL && wb_task_judge(task, deadline) != WB_MET)
        exit_status = EXIT_DEADLINE_MISSED;
    wb_task_free(task);
    wb_machine_free(machine);
    return exit_status;
}

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
     .help = "exit 1 unless the task is proven to take no longer than TIME: 4500, 100us, 1.5ms"},
    {0, "accept", "LIST", INTO(NAMES, accept, COMMAND_TASK),
     .help = "models whose bounds may meet the deadline: ptx-model (not your compiled code)",
     .names = wb_accept_name_at},
    HEADING("What is written"),
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
        "Bounds how long a task takes that its file describes: kernels on partitions of the SMs, copies "
        "and work of the host, with their order. Each node is bounded on what it has to itself; the "
        "task takes no longer than its longest path.",
    .examples = {"task docs/examples/task/task.yaml", "task docs/examples/task/task.yaml --deadline 10ms -q"},
    .before = "machine",
    .options_size = sizeof(struct options)};

extern const struct cli_wing cli_wing_task; /* which the build lists */

const struct cli_wing cli_wing_task = {.command = &command,
                                       .options = rows,
                                       .option_count = sizeof rows / sizeof *rows,
                                       .takes = wb_is_task_file};
