/* The configuration file of ECRTS'12, Fig. 4: every key stands on a line and its value on the next one.
 *
 *     kernel
 *     lcl
 *     warp_number
 *     8
 *
 * docs/makespan.md lists the keys. Blank lines, spaces around a line and CRLF line ends are allowed. */
#ifndef WB_STRINGS_CONFIG_FILE_H
#define WB_STRINGS_CONFIG_FILE_H

#include "strings/spec.h"

/* Reads `size` bytes into a spec fresh from spec_init; `name` stands for the file in messages. WB_ERR_INPUT
 * with a message that names the place. The caller frees the spec, also after an error. */
wb_status config_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                            struct makespan_spec *spec);
wb_status config_file_read(const char *path, wb_diagnostics *diagnostics, struct makespan_spec *spec);

#endif
