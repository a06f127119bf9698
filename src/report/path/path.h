/* Reports of what the warps of a block execute: what the formats have in common, and one function per format.
 */
#ifndef WB_REPORT_PATH_PATH_H
#define WB_REPORT_PATH_PATH_H

#include "base/text.h"
#include "report/write/source_lines.h"
#include "warp/path/block.h"

struct path_report {
    const struct wb_block *block;
    struct source_lines lines;
};

/* A run of instructions as a reader finds it. */
struct path_run {
    const char *function;
    uint32_t first_line, last_line; /* of the PTX, from 1 */
    const char *source_file;        /* of the .loc of the first instruction, or NULL */
    uint32_t source_line;
};

/* Finds where the lines of the PTX start. Closed with path_report_close, also after an error (WB_ERR_LIMIT,
 * without a message). */
wb_status path_report_open(const struct wb_block *block, struct path_report *report);
void path_report_close(struct path_report *report);

/* Where the run of `entry` stands. Its instructions are all of one function. */
struct path_run path_report_run(const struct path_report *report, const struct path_entry *entry);

/* The address of the access in a lane of its mask. */
uint64_t path_report_address(const struct access_list *list, const struct access *access, uint32_t lane);

/* The report in each format; *text is malloc'd. WB_ERR_LIMIT with a message when memory is exhausted. */
wb_status path_report_text(const struct path_report *report, wb_diagnostics *diagnostics, char **text);
wb_status path_report_json(const struct path_report *report, wb_diagnostics *diagnostics, char **text);

#endif
