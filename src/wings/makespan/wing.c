/* What the wing adds to sweeps: makespans of strings. */
#include "base/wing.h"

#include "warpbound_makespan.h"

#define STRINGS AXIS_WING(0)

static const struct axis_row axes[] = {
    {.key = "string", .kind = AXIS_STRING, .commands = STRINGS, .command = "makespan", .limit_each = true},
    {.key = "string_warps", .option = "warps", .kind = AXIS_TEXT, .commands = STRINGS},
    {.key = "string_units", .option = "units", .kind = AXIS_TEXT, .commands = STRINGS},
    {.key = "string_cycles", .option = "cycles", .kind = AXIS_TEXT, .commands = STRINGS},
    {.key = "string_issue", .option = "issue", .kind = AXIS_NUMBER, .commands = STRINGS},
    {.key = "string_methods",
     .option = "method",
     .kind = AXIS_NAMES,
     .joined = true,
     .names = wb_makespan_method_name,
     .commands = STRINGS},
};

extern const struct wing wing_makespan; /* which the build lists */

const struct wing wing_makespan = {.axes = axes,
                                   .axis_count = sizeof axes / sizeof *axes,
                                   .problem_format = "warpbound-makespan",
                                   .problem_scope = "strings"};
