/* What the wing adds to the command: `warpbound cache --order` and `--channels`, the order in which the
 * reordering extension lets accesses into the first-level caches. */
#include <string.h>

#include "values.h"
#include "warpbound_jcse2017.h"
#include "wing.h"

static bool is_given(const struct options *options, const char *name) {
    return option_value(options, name) != NULL;
}

/* Of an option that is given, else 0. */
static uint64_t number_of(const struct options *options, const char *name) {
    const char *text = option_value(options, name);
    uint64_t number = 0;
    if (text != NULL) (void)read_number(text, strlen(text), 0, UINT64_MAX, &number);
    return number;
}

/* What write_as_made makes. */
struct order_output {
    const wb_gpu *gpu;
    wb_order_format format;
    wb_order_options options;
};

static wb_status make_order(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct order_output *output = user;
    return wb_order_report(output->gpu, output->format, &output->options, writer, diagnostics);
}

static wb_status read_format(const struct options *options, wb_diagnostics *diagnostics,
                             wb_order_format *format) {
    *format = options->format == OUTPUT_SVG    ? WB_ORDER_SVG
              : options->format == OUTPUT_JSON ? WB_ORDER_JSON
                                               : WB_ORDER_TEXT;
    return *format == WB_ORDER_SVG ? WB_OK : require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
}

/* Pointers may be given as plain numbers, as for the kernel analyzer. */
static int print_order(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    wb_gpu *gpu = NULL;
    struct order_output output = {.options = {.size = sizeof(wb_order_options),
                                              .channels = is_given(options, "channels"),
                                              .one_sm = is_given(options, "sm"),
                                              .sm = (uint32_t)number_of(options, "sm"),
                                              .has_first = is_given(options, "first"),
                                              .first = number_of(options, "first")}};
    wb_status status = read_format(options, diagnostics, &output.format);
    if (status == WB_OK) status = load_gpu(options, true, &inputs, diagnostics, &gpu);
    output.gpu = gpu;
    if (status == WB_OK) status = write_as_made(options, make_order, &output, diagnostics);
    wb_gpu_free(gpu);
    inputs_free(&inputs);
    return (int)status;
}

#define NEEDS .needs = "--sm and --first need --order or --channels"

static const struct option_row rows[] = {
    HEADING("What is computed"),
    {0, "order", NULL, GIVEN(FLAG, COMMAND_CACHE), .run = print_order,
     .help = "print the order of accesses under reordering instead, SM by SM, and which of them hit"},
    {0, "channels", NULL, GIVEN(FLAG, COMMAND_CACHE), .run = print_order,
     .help =
         "print which warp executes which load and store instead: the configuration of the reordering unit"},
    {0, "sm", "N", GIVEN(NUMBER, COMMAND_CACHE), NEEDS,
     .help = "with --order and --channels: only SM N, counted from 0", .most = UINT32_MAX,
     .expected = "a number from 0 on"},
    {0, "first", "N", GIVEN(NUMBER, COMMAND_CACHE), NEEDS,
     .help = "with --order: only the first N accesses of each SM (default for pictures: 64); with "
             "--channels: what is left after them",
     .least = 1, .most = UINT64_MAX, .expected = "a number from 1 on"},
};

extern const struct cli_wing cli_wing_jcse2017; /* which the build lists */

const struct cli_wing cli_wing_jcse2017 = {.options = rows, .option_count = sizeof rows / sizeof *rows};
