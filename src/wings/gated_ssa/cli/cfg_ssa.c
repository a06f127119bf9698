/* What the wing adds to the command: `warpbound cfg --ssa`. */
#include "warpbound_gated_ssa.h"
#include "wing.h"

static int print_ssa(const struct options *options, wb_diagnostics *diagnostics) {
    return print_code(options, OUTPUT_TEXT, diagnostics, wb_kernel_ssa);
}

static const struct option_row rows[] = {
    HEADING("What is computed"),
    {0, "ssa", NULL, GIVEN(FLAG, COMMAND_CFG), .run = print_ssa,
     .help = "print the instructions in gated SSA form: versions, mu, gamma and eta functions"},
};

extern const struct cli_wing cli_wing_gated_ssa; /* which the build lists */

const struct cli_wing cli_wing_gated_ssa = {.options = rows, .option_count = sizeof rows / sizeof *rows};
