/* What wings add to the command (base/wing.h has what they add to the library). */
#ifndef WB_CLI_WING_H
#define WB_CLI_WING_H

#include "help.h"

/* `warpbound machine VERB OPERAND`, which makes a machine. */
struct machine_source {
    const char *verb, *operand, *manual, *example;
    wb_status (*make)(const char *operand, wb_diagnostics *diagnostics, wb_machine **machine);
};

struct cli_wing {
    const struct command *command; /* a command of its own, or NULL */
    const struct option_row *options;
    size_t option_count;
    const struct registry *registry;             /* names that an option takes, or NULL */
    const struct machine_source *machine_source; /* or NULL */
    /* What settings begin with that only its methods read, and what a setting is called that no method did;
     * or NULL. */
    const char *settings, *unread;
    bool (*takes)(const char *path); /* whether `analyze` leaves the file to its command; NULL: none */
};

/* The wings of this build; NULL past the end. The build makes this table. */
const struct cli_wing *cli_wing_at(size_t index);

/* The wing whose setting this is, or NULL. */
const struct cli_wing *settings_wing_of(const char *setting);

/* Of all wings; NULL past the end. */
const struct machine_source *machine_source_at(size_t index);

#endif
