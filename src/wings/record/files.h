/* The folder that a recording leaves. */
#ifndef WB_WINGS_RECORD_FILES_H
#define WB_WINGS_RECORD_FILES_H

#include "wings/record/recording.h"

/* Writes the code, a launch file for each launch that differs from all before it, lists of the launches of
 * streams, and a sweep of all launch files into a folder that exists. *text: what there is, to be freed.
 * WB_ERR_DECLINED, with a message for each reason, when some of the launches are not in the files; *text is
 * made then, too. */
wb_status files_write(const struct recording *recording, const char *folder, wb_diagnostics *diagnostics,
                      char **text);

/* Writes a file of these bytes, whole or not at all. */
wb_status files_write_bytes(const char *path, const void *bytes, size_t size, wb_diagnostics *diagnostics);

#endif
