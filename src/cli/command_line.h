/* Reads the command line by the table of options. */
#ifndef WB_CLI_COMMAND_LINE_H
#define WB_CLI_COMMAND_LINE_H

#include "options.h"

/* Parses argv (argv[0] is the sub-command's name) into *options. Options may stand anywhere before "--", and
 * are written out: abbreviations would change their meaning with every option that is added. The caller frees
 * with options_free, also after an error. */
wb_status options_parse(unsigned command, int argc, char **argv, wb_diagnostics *diagnostics,
                        struct options *options);

/* What messages are about: an option as it is written, "--grid 0", its value in quotes where the shell needs
 * them, and cut where it is long; or without a value. */
enum { ABOUT_MAX = 128 };

/* From here on messages without a place in a file are about this option, until wb_diagnostics_about is given
 * NULL. The text is kept in `about`. */
void about_option(const char *option, const char *value, char about[ABOUT_MAX], wb_diagnostics *diagnostics);

void options_free(struct options *options);

#endif
