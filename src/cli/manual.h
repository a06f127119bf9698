/* Manual pages, from the tables of commands and options. */
#ifndef WB_CLI_MANUAL_H
#define WB_CLI_MANUAL_H

#include <stdio.h>

#include "command.h"

/* Prints the page warpbound-COMMAND(1), or warpbound(1) when `command` is NULL, as troff: for `man -l -`. */
void manual_print(FILE *stream, const struct command *command);

#endif
