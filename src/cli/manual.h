/* Manual pages, from the tables of commands and options. */
#ifndef WB_CLI_MANUAL_H
#define WB_CLI_MANUAL_H

#include <stdio.h>

#include "command.h"

/* Prints the page warpbound-COMMAND(1), or warpbound(1) when `command` is NULL, as troff: for `man -l -`. */
void manual_print(FILE *stream, const struct command *command);

/* manual_text.c: what the page of a command says beside its options, of all of them together when it is NULL:
 * paragraphs, a line each; what stands in backticks is bold. */
const char *manual_text(const struct command *command);

#endif
