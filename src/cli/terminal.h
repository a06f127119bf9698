/* What a stream can show: the one place that knows widths and colours. */
#ifndef WB_CLI_TERMINAL_H
#define WB_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "options.h"

/* Columns of what is no terminal, so that its text is the same everywhere. */
#define TERMINAL_WIDTH_USUAL 80

/* Columns of the terminal that `stream` writes to, at least 40; TERMINAL_WIDTH_USUAL where it is none. */
size_t terminal_width(FILE *stream);

/* Whether colours and bold type do good on `stream`: it is a terminal that has them (TERM), and nobody asked
 * for none (NO_COLOR). */
bool terminal_has_colors(FILE *stream);

/* The same where `when`, of --color, does not say it. */
bool terminal_colors(FILE *stream, unsigned when);

/* Prints messages of the library to standard error: with colours what each line is, an error or a warning. */
void terminal_print_messages(const char *messages, unsigned color);

#endif
