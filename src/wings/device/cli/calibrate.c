#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "values.h"
#include "warpbound_device.h"

static wb_status check_options(const struct options *options, wb_diagnostics *diagnostics) {
    const char *page = option_value(options, "report");
    if (options->operands.count != 1 || strcmp(options->operands.items[0], "calibrate") != 0)
        return usage_error(
            diagnostics,
            "--gpu: expected `machine calibrate` alone: the GPU says which architecture it is of");
    if (options->sets.count > 0 || options->cubin != NULL || options->ptxas != NULL)
        return usage_error(diagnostics,
                           "--gpu: --set, --cubin and --ptxas have no effect on what a GPU does");
    if (page != NULL && options->output != NULL && strcmp(page, options->output) == 0)
        return usage_error(diagnostics, "--report: two outputs cannot share one file");
    return require_format(options, OUTPUT_TEXT, OUTPUT_TEXT, diagnostics);
}

/* The value of an option that the command line has checked; 0: it is not given. */
static uint32_t number_of(const struct options *options, const char *name) {
    const char *text = option_value(options, name);
    uint64_t number = 0;
    if (text != NULL) (void)read_number(text, strlen(text), 0, UINT32_MAX, &number);
    return (uint32_t)number;
}

static wb_gpu_calibration_options asked_of(const struct options *options) {
    wb_gpu_calibration_options asked = {.size = sizeof asked,
                                        .driver = option_value(options, "driver"),
                                        .samples = number_of(options, "samples"),
                                        .margin = number_of(options, "margin"),
                                        .watch = watch_terminal()};
    const char *patience = option_value(options, "patience");
    if (patience != NULL) (void)read_seconds(patience, &asked.patience);
    return asked;
}

static wb_status write_page(const char *path, const wb_gpu_calibration *calibration,
                            const wb_machine *machine, wb_diagnostics *diagnostics) {
    char *page = NULL;
    wb_status status = wb_gpu_calibration_page(calibration, machine, diagnostics, &page);
    if (status == WB_OK) status = wb_file_write(path, page, diagnostics);
    free(page);
    return status;
}

/* What was measured, as files. */
static wb_status write_files(const struct options *options, const wb_gpu_calibration *calibration,
                             wb_diagnostics *diagnostics) {
    const char *page = option_value(options, "report");
    wb_machine *machine = NULL;
    char *text = NULL;
    wb_status status = options->machine != NULL
                           ? wb_machine_load(options->machine, diagnostics, &machine)
                           : wb_gpu_calibration_preset(calibration, diagnostics, &machine);
    if (status == WB_OK) status = wb_gpu_calibration_file(calibration, machine, diagnostics, &text);
    if (status == WB_OK && page != NULL) status = write_page(page, calibration, machine, diagnostics);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    wb_machine_free(machine);
    return status;
}

int calibrate_gpu(const struct options *options, wb_diagnostics *diagnostics) {
    wb_gpu_calibration *calibration = NULL;
    wb_status status = check_options(options, diagnostics);
    const wb_gpu_calibration_options asked = asked_of(options);
    if (status == WB_OK) status = wb_gpu_calibration_new(&asked, diagnostics, &calibration);
    if (status == WB_OK) status = write_files(options, calibration, diagnostics);
    wb_gpu_calibration_free(calibration);
    return (int)status;
}
