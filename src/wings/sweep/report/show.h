/* The content of a database of sweeps, in several formats. */
#ifndef WB_WINGS_SWEEP_REPORT_SHOW_H
#define WB_WINGS_SWEEP_REPORT_SHOW_H

#include "base/base.h"
#include "wings/sweep/stored.h"

/* A report of all units: what comes before them, what is said of each, and what comes behind. */
struct show {
    const wb_results *results;
    const struct stored_units *stored;
    wb_diagnostics *diagnostics;
    struct text *out;
};

struct show_format {
    void (*begin)(const struct show *show);
    wb_status (*unit)(const struct show *show, const struct stored_unit *unit, bool is_first);
    void (*end)(const struct show *show);
};

/* Appends the text of a cell of a table in Markdown: no text of it ends the cell, or begins HTML. */
void show_put_cell(struct text *out, const char *text);

extern const struct show_format show_csv, show_json, show_json_lines, show_markdown, show_junit;

#endif
