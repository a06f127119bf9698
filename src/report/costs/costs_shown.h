/* The costs that a report shows: those of one number, by line, loop and function, beside the same of the
 * slowest simulation. */
#ifndef WB_REPORT_COSTS_COSTS_SHOWN_H
#define WB_REPORT_COSTS_COSTS_SHOWN_H

#include "cost/costs.h"
#include "report/write/source.h"

/* A row with the cycles that the simulation spends in the same place. */
struct shown_row {
    const wb_cost *cost;
    uint64_t simulated;
};

struct made_costs {
    wb_costs *costs;
};

/* Rows, the costliest first; of equal ones in the order of the code. */
struct shown_rows {
    VEC(struct shown_row) items;
};

struct costs_shown {
    const struct wb_analysis *analysis; /* the kernel, or the block that is judged */
    const wb_bound *bound;              /* whose costs they are; NULL: those of an execution */
    const char *name;                   /* of that bound, or of who issues in the execution */
    const char *beside;           /* of the slowest execution found, if it is attributed beside the bound */
    const char *not_shown;        /* a lesser bound whose cycles are not attributed, or NULL */
    const wb_costs *costs;        /* of instructions */
    uint64_t total, simulated;    /* that the rows sum up to */
    VEC(struct made_costs) made;  /* owns what the rows are of */
    struct shown_rows lines;      /* of the source; what is of none by lines of the code */
    struct shown_rows code_lines; /* all by lines of the code */
    struct shown_rows loops, functions;
    struct shown_rows instructions; /* that are executed or have cycles */
    wb_hints *hints;
    struct source_texts sources;
    struct source_lines code; /* of the module */
};

/* Makes the costs that the options ask for: of the least proven bound, or where nothing is proven of the
 * slowest execution, or of the number that they name. Errors, each with a message: WB_ERR_INPUT when there is
 * no such number, WB_ERR_DECLINED when its cycles are not attributed. To be closed in any case. */
wb_status costs_shown_open(const struct wb_analysis *analysis, const wb_report_options *options,
                           wb_diagnostics *diagnostics, struct costs_shown *shown);
void costs_shown_close(struct costs_shown *shown);

/* Appends what the cycles are of: "upper aln of the kernel". */
void costs_put_subject(struct text *out, const struct costs_shown *shown);

/* Appends the text of a row's line: of the source if that is found, else of the code; of what is not
 * printable '?', of a long one the beginning. */
void costs_put_source(struct text *out, struct costs_shown *shown, const wb_cost *row, size_t most);

/* Appends a line of a text of unknown origin: blanks for tabs, '?' for what is not printable, and no more
 * than `most` characters. */
void costs_put_line(struct text *out, const char *line, size_t length, size_t most);

/* Members of "costs" (docs/json.md). */
void costs_json(struct json *json, struct costs_shown *shown);

/* The table of the `most` hottest lines, and of loops and functions. */
void costs_put_lines(struct text *out, struct costs_shown *shown, size_t most);

/* costs_report.c: the lines that the options of a report ask for; nothing where they ask for none. Where
 * nothing is attributed there is a warning, unless the number was named. With `json` they are its member
 * "costs", null where nothing is attributed. */
wb_status costs_report(struct text *out, struct json *json, const struct wb_analysis *analysis,
                       const wb_report_options *options, wb_diagnostics *diagnostics);

/* The whole source, or the code where none is found, with its costs in front. */
void costs_put_annotated(struct text *out, struct costs_shown *shown);

#endif
