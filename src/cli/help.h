/* Help texts, from the tables of commands and options. */
#ifndef WB_CLI_HELP_H
#define WB_CLI_HELP_H

#include <stdio.h>

#include "command.h"

/* What the commands are. */
void help_print(FILE *stream);

/* What one command does, and the options that it takes, to stdout. */
void help_print_command(const struct command *command);

/* An exit status and what it means; NULL past the last. Manual pages have them, too. */
struct exit_meaning {
    const char *status, *meaning;
};

const struct exit_meaning *help_exit_status(size_t index);

/* Names that options of some commands take, each with what it is; NULL past the last. As above. */
struct registry {
    unsigned commands; /* bits of them */
    const char *title; /* "methods" */
    const char *(*name)(size_t);
    const char *(*summary)(size_t);
    const char *(*missing)(size_t); /* what a name needs and this build lacks, else NULL; or NULL */
};

const struct registry *help_registry(size_t index);

#endif
