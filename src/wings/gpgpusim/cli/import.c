/* What the wing adds to the command: `warpbound machine import`. */
#include "warpbound_gpgpusim.h"
#include "wing.h"

static const struct machine_source source = {
    .verb = "import",
    .operand = "FILE.config",
    .manual = "`machine import` converts the configuration of a simulator to a machine.",
    .example = "machine import gpgpusim.config",
    .make = wb_machine_import,
};

extern const struct cli_wing cli_wing_gpgpusim; /* which the build lists */

const struct cli_wing cli_wing_gpgpusim = {.machine_source = &source};
