/* Reads the command line by the table of options. */
#ifndef WB_CLI_COMMAND_LINE_H
#define WB_CLI_COMMAND_LINE_H

#include "options.h"

/* Parses argv (argv[0] is the sub-command's name) into *options. Options may stand anywhere before "--", and
 * are written out: abbreviations would change their meaning with every option that is added. The caller frees
 * with options_free, also after an error. */
wb_status options_parse(enum command_bit command, int argc, char **argv, wb_diagnostics *diagnostics,
                        struct options *options);

void options_free(struct options *options);

#endif
