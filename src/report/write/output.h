/* The destination of a finished report. */
#ifndef WB_REPORT_WRITE_OUTPUT_H
#define WB_REPORT_WRITE_OUTPUT_H

#include "base/base.h"

/* "s" unless there is one. */
static inline const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

/* Hands the text over when everything went well so far; else, and when memory was exhausted on the way (which
 * is WB_ERR_LIMIT with a message), drops it. Returns the status. */
wb_status report_take(wb_status status, struct text *out, wb_diagnostics *diagnostics, char **text);

/* For a report that is written as it is made: hands the text so far to the writer once there is enough of it,
 * or all of it, and forgets it. WB_ERR_LIMIT if memory was exhausted, WB_ERR_INPUT if the writer failed; both
 * without a message. */
wb_status report_flush(struct text *out, const wb_writer *writer, bool all);

/* Gives the status of such a report its message; returns it. */
wb_status report_written(wb_status status, wb_diagnostics *diagnostics);

#endif
