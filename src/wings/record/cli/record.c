/* warpbound record: what a program launches, as launch files. */
#include <stdlib.h>

#include "command.h"
#include "stop.h"
#include "warpbound_record.h"
#include "wing.h"

enum { COMMAND_RECORD = COMMAND_WING_APART << 2 };

/* What the command line says; as in struct options. */
struct record_options {
    struct options common;
    const char *folder, *driver;
};

/* The program may write to the terminal: no progress is shown. */
static bool goes_on(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return !stop_requested();
}

static int command_record(const struct options *options, wb_diagnostics *diagnostics) {
    const struct record_options *own = (const struct record_options *)(const void *)options;
    const struct option_list *program = &options->operands;
    char *text = NULL;
    if (program->count == 0)
        return (int)usage_error(diagnostics, "expected a program: record -o FOLDER -- PROGRAM ARGUMENTS");
    const wb_record_options asked = {.size = sizeof asked,
                                     .folder = own->folder != NULL ? own->folder : "recorded",
                                     .driver = own->driver,
                                     .arguments = program->items,
                                     .watch = {.poll = goes_on}};
    const wb_status status = wb_record(&asked, diagnostics, &text);
    const wb_status written = text != NULL ? write_output(options, text, diagnostics) : WB_OK;
    free(text);
    return (int)(status != WB_OK ? status : written);
}

#define OWN(kind, member) INTO_OWN(kind, struct record_options, member, COMMAND_RECORD)

static const struct option_row rows[] = {
    HEADING("The machine"),
    {0, "driver", "FILE", OWN(TEXT, driver),
     .help = "library of the GPU's driver (default libcuda.so.1, as the system finds it)"},
    HEADING("What is written"),
    {'o', "output", "FOLDER", OWN(TEXT, folder), .help = "folder that is made, or empty: default `recorded`"},
    {COLOR(COMMAND_RECORD)},
};

static const struct command command = {
    "record",
    COMMAND_RECORD,
    "-- PROGRAM ARGUMENTS",
    "run a program and write what it launches as launch files",
    "runs a program",
    command_record,
    .manual = "Runs a program that uses a GPU, unchanged, and writes down which kernels it launches, with "
              "which grids, arguments and memory: the code, a launch file for each launch that differs from "
              "all before it, a list of the launches of each stream, and a sweep of all.\nA library of this "
              "command stands in front of the driver's, and passes every call on to it. The contents of "
              "memory are not recorded: bounds are for all.",
    .examples = {"record -o run -- ./app --frames 10", "analyze run/launch-1.yaml",
                 "sweep run/sweep.yaml -o run.db"},
    .before = "machine",
    .options_size = sizeof(struct record_options)};

extern const struct cli_wing cli_wing_record; /* which the build lists */

const struct cli_wing cli_wing_record = {
    .command = &command, .options = rows, .option_count = sizeof rows / sizeof *rows};
