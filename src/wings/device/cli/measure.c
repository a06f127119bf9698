/* warpbound measure: runs a launch on the GPU of this machine, and holds what it took against what is proven.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "command.h"
#include "command_line.h"
#include "warpbound_device.h"
#include "wing.h"

enum { COMMAND_MEASURE = COMMAND_WING << 1 };

/* What the command line says; as in struct options. */
struct measure_options {
    struct options common;
    bool cold, warm, results;
    const char *beside;
    struct option_number runs;
    const char *driver;
    double patience; /* seconds; 0: not given */
};

static wb_status check_options(const struct options *options, wb_diagnostics *diagnostics) {
    const struct measure_options *own = (const struct measure_options *)(const void *)options;
    if (own->beside != NULL && strcmp(own->beside, "bandwidth") != 0)
        return usage_error(diagnostics, "--beside: expected bandwidth");
    if (options->block_index.given)
        return usage_error(diagnostics, "--block-index is for one block: a GPU runs all of them");
    if ((options->format == OUTPUT_JUNIT || options->report != NULL) && options->machine == NULL)
        return usage_error(diagnostics,
                           "--format junit and --report need a machine (-m) whose verdict they are of");
    return WB_OK;
}

static wb_measure_options asked_of(const struct measure_options *options) {
    return (wb_measure_options){.size = sizeof(wb_measure_options),
                                .driver = options->driver,
                                .runs = (uint32_t)options->runs.value,
                                .cold = options->cold,
                                .warm = options->warm,
                                .patience = options->patience,
                                .results = options->results,
                                .beside = options->beside != NULL,
                                .watch = watch_terminal()};
}

/* --deadline in cycles of the machine; without one, in nanoseconds, which are the cycles of 1 GHz. */
static wb_status read_deadline(const struct options *options, const wb_machine *machine,
                               wb_diagnostics *diagnostics, wb_report_options *report) {
    wb_machine *clock = NULL;
    wb_status status = WB_OK;
    report->has_deadline = options->deadline != NULL;
    if (!report->has_deadline) return WB_OK;
    report->unit = wb_deadline_unit(options->deadline);
    if (machine == NULL) status = wb_machine_load(WB_MACHINE_USUAL, diagnostics, &clock);
    if (machine == NULL && status == WB_OK) status = wb_machine_set(clock, "clock_mhz=1000", diagnostics);
    if (status == WB_OK)
        status = deadline_cycles(options->deadline, machine != NULL ? machine : clock, diagnostics,
                                 &report->deadline);
    wb_machine_free(clock);
    return status;
}

/* The bounds of the same launch on the machine, if there is one, and what was measured beside them; NULL,
 * with the status, where there are none. */
static wb_status analyze(const struct options *options, const struct inputs *inputs,
                         const wb_report_options *report, const wb_measurement *measurement,
                         wb_diagnostics *diagnostics, wb_analysis **analysis) {
    if (inputs->machine == NULL) return WB_OK;
    wb_analyze_options asked = analyze_options(options, inputs);
    wb_measured measured = *wb_measurement_longest(measurement);
    asked.has_deadline = report->has_deadline;
    measured.of_times = report->has_deadline && report->unit != WB_UNIT_CYCLES;
    const wb_status status =
        wb_analyze(inputs->kernel, inputs->launch, inputs->machine, &asked, diagnostics, analysis);
    if (*analysis == NULL) return status;
    const wb_status set = wb_analysis_set_measured(*analysis, &measured, diagnostics);
    if (set == WB_OK) return status;
    wb_analysis_free(*analysis);
    *analysis = NULL;
    return set;
}

/* What refutes a machine file; its figures stand in the report. */
static int report_contradiction(const struct inputs *inputs, const wb_contradiction *contradiction,
                                wb_diagnostics *diagnostics) {
    char message[600];
    (void)snprintf(message, sizeof message,
                   "contradiction: %s took %llu cycles, more than the %llu cycles that %s proves with the "
                   "figures of %s: some of these are too small for this GPU",
                   contradiction->found.name, (unsigned long long)contradiction->found.cycles,
                   (unsigned long long)contradiction->proven, contradiction->method,
                   wb_machine_name(inputs->machine));
    wb_diagnostics_error(diagnostics, "measure", message);
    return WB_ERR_LIMIT;
}

/* The exit status of what was found. */
static int judge(const struct inputs *inputs, const wb_report_options *report,
                 const wb_measurement *measurement, const wb_analysis *analysis,
                 wb_diagnostics *diagnostics) {
    const uint64_t *deadline = report->has_deadline ? &report->deadline : NULL;
    if (wb_measurement_differences(measurement) > 0) {
        char message[120];
        (void)snprintf(message, sizeof message,
                       "the GPU left other results in memory than the interpreter does: %llu bytes differ",
                       (unsigned long long)wb_measurement_differences(measurement));
        wb_diagnostics_error(diagnostics, "--results", message);
        return WB_ERR_LIMIT;
    }
    if (analysis == NULL) {
        if (wb_measurement_misses(measurement, report)) return EXIT_DEADLINE_MISSED;
        return report->has_deadline ? WB_ERR_DECLINED : WB_OK;
    }
    const wb_verdict verdict = wb_analysis_judge(analysis, WB_SCOPE_KERNEL, deadline);
    if (verdict.state == WB_CONTRADICTION)
        return report_contradiction(inputs, &verdict.contradiction, diagnostics);
    if (!report->has_deadline || verdict.state == WB_MET) return WB_OK;
    return verdict.state == WB_UNPROVEN || verdict.state == WB_BLOCK_ONLY ? WB_ERR_DECLINED
                                                                          : EXIT_DEADLINE_MISSED;
}

static wb_status write_report(const struct options *options, const wb_measurement *measurement,
                              const wb_analysis *analysis, const wb_report_options *report,
                              wb_diagnostics *diagnostics) {
    const wb_report_format format = report_format(options);
    char *text = NULL;
    wb_status status;
    if (options->format == OUTPUT_SVG)
        status = wb_measurement_picture(measurement, diagnostics, &text);
    else if (format == WB_REPORT_JUNIT)
        status = wb_report(analysis, format, report, diagnostics, &text);
    else
        status = wb_measurement_report(measurement, analysis, format, report, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return status;
}

/* --report */
static wb_status write_page(const struct options *options, const wb_measurement *measurement,
                            const wb_analysis *analysis, const wb_report_options *report,
                            wb_diagnostics *diagnostics) {
    char *picture = NULL;
    if (options->report == NULL) return WB_OK;
    wb_status status = wb_measurement_picture(measurement, diagnostics, &picture);
    if (status == WB_OK) status = write_html_report(options, analysis, NULL, report, picture, diagnostics);
    free(picture);
    return status;
}

/* Measures, analyses and reports. What was measured is reported, too, where nothing can be bounded. */
static int measure(const struct options *options, const struct inputs *inputs, wb_report_options *report,
                   wb_diagnostics *diagnostics, wb_measurement **measurement, wb_analysis **analysis) {
    const wb_measure_options asked = asked_of((const struct measure_options *)(const void *)options);
    wb_status status = wb_measurement_new(inputs->kernel, inputs->launch, &asked, diagnostics, measurement);
    if (status != WB_OK) return (int)status;
    const wb_status analyzed = analyze(options, inputs, report, *measurement, diagnostics, analysis);
    if (analyzed != WB_OK && *analysis == NULL) {
        if (options->format == OUTPUT_JUNIT) return (int)analyzed;
        report->has_deadline = false; /* in cycles of the machine */
    }
    status = write_report(options, *measurement, *analysis, report, diagnostics);
    if (status == WB_OK && *analysis != NULL)
        status = write_page(options, *measurement, *analysis, report, diagnostics);
    if (status == WB_OK) status = analyzed;
    return status != WB_OK ? (int)status : judge(inputs, report, *measurement, *analysis, diagnostics);
}

/* The launches of a list: each by itself, and all. A machine that the file names is for `analyze`. */
static int measure_list(const struct options *options, struct inputs *inputs, wb_report_options *report,
                        wb_diagnostics *diagnostics, wb_measurement **measurement) {
    const struct measure_options *own = (const struct measure_options *)(const void *)options;
    const wb_measure_options asked = asked_of(own);
    const bool is_named =
        options->machine != NULL && options->machine != options->of_launch[WB_LAUNCH_MACHINE];
    if (is_named || own->results || options->format == OUTPUT_JUNIT || options->report != NULL)
        return (int)usage_error(diagnostics,
                                "-m, --results, --report and junit are for one launch, not for a "
                                "list of launches");
    wb_status status = load_module(options, NULL, diagnostics, inputs);
    if (status == WB_OK) status = read_deadline(options, NULL, diagnostics, report);
    if (status == WB_OK)
        status =
            wb_measurement_new_list(inputs->module, options->launch_file, &asked, diagnostics, measurement);
    if (status == WB_OK) status = write_report(options, *measurement, NULL, report, diagnostics);
    return status != WB_OK ? (int)status : judge(inputs, report, *measurement, NULL, diagnostics);
}

static int command_measure(const struct options *options, wb_diagnostics *diagnostics) {
    const bool is_list = options->launch_file != NULL && wb_launches_is_list(options->launch_file);
    wb_report_options report = {.size = sizeof report, .quiet = options->quiet};
    struct inputs inputs = {0};
    wb_measurement *measurement = NULL;
    wb_analysis *analysis = NULL;
    char *label = case_label(options);
    report.label = label;
    report_look(options, &report);
    int status = (int)check_options(options, diagnostics);
    if (status == WB_OK && is_list)
        status = measure_list(options, &inputs, &report, diagnostics, &measurement);
    if (status == WB_OK && !is_list)
        status = (int)inputs_load(options, options->machine, diagnostics, &inputs);
    if (status == WB_OK && !is_list)
        status = (int)read_deadline(options, inputs.machine, diagnostics, &report);
    if (status == WB_OK && !is_list)
        status = measure(options, &inputs, &report, diagnostics, &measurement, &analysis);
    wb_analysis_free(analysis);
    wb_measurement_free(measurement);
    inputs_free(&inputs);
    free(label);
    return status;
}

#define NEEDS .needs = "--driver, -n, --margin, --patience and --report of `machine` are for --gpu"
#define OF_GPU(kind) GIVEN(kind, COMMAND_MACHINE), NEEDS

#define OWN(kind, member) INTO_OWN(kind, struct measure_options, member, COMMAND_MEASURE)

static const struct option_row rows[] = {
    HEADING("The machine"),
    {'m', "machine", "MACHINE", INTO(TEXT, machine, COMMAND_MEASURE),
     .help = "preset name or YAML file whose bounds are held against the times (default: none)"},
    {0, "set", "KEY=VALUE", INTO(LIST, sets, COMMAND_MEASURE),
     .help = "override one key of the machine, such as mem_latency=200"},
    {0, "compile", NULL, INTO(FLAG, compile, COMMAND_MEASURE),
     .help =
         "where the file has PTX only: compile it with ptxas for the machine's architecture, and run that"},
    {0, "ptxas", "PROGRAM", INTO(TEXT, ptxas, COMMAND_MEASURE),
     .help =
         "for --compile: the ptxas to run (default: that of PATH, CUDA_HOME, CUDA_PATH or /usr/local/cuda)"},
    {0, "driver", "FILE", OWN(TEXT, driver),
     .help = "library of the GPU's driver (default libcuda.so.1, as the system finds it)"},
    {0, "gpu", NULL, GIVEN(FLAG, COMMAND_MACHINE), .run = calibrate_gpu,
     .help = "for `calibrate`: measure this machine's GPU, and write a machine file with what it showed"},
    {0, "driver", "FILE", OF_GPU(TEXT),
     .help = "for --gpu: library of the GPU's driver (default libcuda.so.1, as the system finds it)"},
    HEADING("What is computed"),
    {'n', "samples", "N", OF_GPU(NUMBER),
     .help = "for --gpu: accesses of each kind that each SM times (default 4096)", .least = 1,
     .most = WB_CALIBRATION_SAMPLES_MAX, .expected = "a number from 1 to 10000000"},
    {0, "margin", "PERCENT", OF_GPU(NUMBER),
     .help = "for --gpu: how much larger figures are than the slowest access (default 0)",
     .most = WB_CALIBRATION_MARGIN_MAX, .expected = "percent, from 0 to 1000"},
    {'n', "runs", "N", OWN(NUMBER, runs), .help = "runs that are kept, cold and warm each (default 100)",
     .least = 1, .most = WB_MEASURE_RUNS_MAX, .expected = "a number from 1 to 1000000"},
    {0, "cold", NULL, OWN(FLAG, cold), .help = "measure only with cold caches; with --warm both, as without"},
    {0, "warm", NULL, OWN(FLAG, warm), .help = "measure only with what the same launch left in the caches"},
    {0, "results", NULL, OWN(FLAG, results),
     .help = "compare what the GPU leaves in memory with what the interpreter leaves, byte for byte"},
    {0, "beside", "WHAT", OWN(TEXT, beside),
     .help = "what runs on the GPU meanwhile: bandwidth, a kernel on every other SM that reads and writes "
             "memory",
     .words = {"bandwidth"}},
    {0, "deadline", "TIME", INTO(TEXT, deadline, COMMAND_MEASURE),
     .help =
         "exit 1 if a run takes longer; 0 only if a proven bound of the machine is within it: 4500, 100us"},
    HEADING("Limits"),
    {0, "time-limit", "SECONDS", INTO(SECONDS, time_limit, COMMAND_MEASURE), .help = "stop after this time",
     .expected = "a number of seconds above 0, such as 60 or 0.5"},
    {0, "patience", "SECONDS", OWN(SECONDS, patience),
     .help = "how long a call of the driver may take before its process is ended (default 30)",
     .expected = "a number of seconds above 0, such as 60 or 0.5"},
    {0, "patience", "SECONDS", OF_GPU(SECONDS),
     .help = "for --gpu: how long a call of the driver may take before its process is ended (default 30)",
     .expected = "a number of seconds above 0, such as 60 or 0.5"},
    HEADING("What is written"),
    {0, "report", "FILE", OF_GPU(TEXT),
     .help = "for --gpu: also write how times are spread as one HTML file"},
    {0, "format", "FORMAT", INTO(FORMAT, format, COMMAND_MEASURE),
     .help = "text (default), json, svg, the distribution of the times, or junit, the verdict as a test case",
     .words = {"text", "json", "svg", "junit"}},
    {0, "json", NULL, INTO(JSON, format, COMMAND_MEASURE), .help = "same as --format json"},
    {0, "report", "FILE", INTO(TEXT, report, COMMAND_MEASURE),
     .help = "also write the report of the analysis as one HTML file, with the distribution as a picture"},
    {'q', "quiet", NULL, INTO(FLAG, quiet, COMMAND_MEASURE), .help = "print only the verdict line"},
};

static const struct command command = {
    "measure",
    COMMAND_MEASURE,
    "FILE.ptx | LAUNCH.yaml",
    "run a kernel on this machine's GPU, and hold its times against bounds",
    "measures what a GPU takes",
    command_measure,
    .manual =
        "Runs the kernel as its launch file says, or a list of launches, again and again, on the first GPU "
        "of "
        "this machine, and "
        "prints how long it took: the least time, the median, the 99th percentile and the largest, cold "
        "and warm. The driver is opened at run time, in a process of its own, which is ended when it "
        "hangs.\nA measured time is a witness: it can refute a deadline or a bound, and proves "
        "neither. With `-m` the bounds of that machine stand beside it.",
    .examples = {"measure kernels/sgemm_tiled.yaml -n 1000", "measure k.cubin -l k.yaml -m my-gpu.yaml",
                 "measure k.yaml --results --deadline 100us"},
    .before = "machine",
    .options_size = sizeof(struct measure_options)};

extern const struct cli_wing cli_wing_device; /* which the build lists */

const struct cli_wing cli_wing_device = {
    .command = &command, .options = rows, .option_count = sizeof rows / sizeof *rows};
