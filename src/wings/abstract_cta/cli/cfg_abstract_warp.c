/* What the wing adds to the command: `warpbound cfg --abstract-warp`. */
#include "warpbound_abstract_cta.h"
#include "wing.h"

static wb_status abstract_warp(const wb_kernel *kernel, const wb_launch *launch, wb_diagnostics *diagnostics,
                               char **text) {
    (void)launch;
    return wb_kernel_abstract_warp(kernel, diagnostics, text);
}

static int print_abstract_warp(const struct options *options, wb_diagnostics *diagnostics) {
    return print_code(options, OUTPUT_DOT, diagnostics, abstract_warp);
}

static const struct option_row rows[] = {
    HEADING("What is computed"),
    {0, "abstract-warp", NULL, GIVEN(FLAG, COMMAND_CFG), .run = print_abstract_warp,
     .help = "print the abstract warp (WCET 2014), as a graph for Graphviz"},
};

extern const struct cli_wing cli_wing_abstract_cta; /* which the build lists */

const struct cli_wing cli_wing_abstract_cta = {
    .options = rows,
    .option_count = sizeof rows / sizeof *rows,
    .settings = "abstract_cta.",
    .unread =
        "has no effect: none of these methods reads it. It is for abstract CTA simulation; if that does "
        "not apply to this input, --method abstract-cta says why",
};
