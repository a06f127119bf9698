/* Reading whole files and writing them so that no reader ever sees half of one. */
#ifndef WB_BASE_FILE_H
#define WB_BASE_FILE_H

#include "base/diagnostics.h"

/* Reads `path` (a file, a pipe or /dev/stdin) to its end. On success *text is malloc'd, NUL-terminated behind
 * its *size bytes, and the caller's to free. WB_ERR_INPUT when it cannot be read or is larger than
 * SOURCE_SIZE_MAX, WB_ERR_LIMIT when memory is exhausted; both with a message. */
wb_status file_read(const char *path, wb_diagnostics *diagnostics, char **text, size_t *size);

#endif
