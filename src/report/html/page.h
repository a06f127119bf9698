/* What the sections of an HTML report are written with. A report is one file that needs no other: style and
 * script stand in it (page/style.css, page/script.js), pictures are SVG or drawn by the script from data that
 * stands in the file. Without the script everything but the timeline can be read. */
#ifndef WB_REPORT_HTML_PAGE_H
#define WB_REPORT_HTML_PAGE_H

#include "bound/analysis/analysis.h"
#include "report/write/json.h"
#include "report/write/xml.h"

struct html_page {
    struct text out;
    wb_report_options options;
    wb_html_options asked;
    double clock_mhz;
    size_t launch;      /* of a stream, from 1; 0: the report is of one analysis */
    size_t issues_most; /* instructions of a timeline */
    wb_diagnostics *diagnostics;
};

/* Everything in front of the first section, with `title` of the window; and everything behind the last. */
void page_begin(struct html_page *page, const char *title);
void page_end(struct html_page *page);

/* A section with a heading, in the table of contents by its id; of a stream each launch has its own. */
void page_open_section(struct html_page *page, const char *id, const char *title);
void page_close_section(struct html_page *page);

/* A heading inside a section, one level below its own; plain text. */
void page_subheading(struct html_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends ` id="..."`, another one for each launch. */
void page_id(struct html_page *page, const char *id);

/* A name of the code as its source has it, where it can be said. */
void page_name(struct html_page *page, const char *name);

/* A number with its digits in groups that copying and searching do not see; with "cycles" and as a time. */
void page_count(struct html_page *page, uint64_t number);
void page_cycles(struct html_page *page, uint64_t time);

/* A part of the whole as a length in CSS, "12.34%". */
void page_share(struct html_page *page, double part, double whole);

/* The axis of bars (class "bars"), from 0 to `end` cycles. */
void page_axis(struct html_page *page, uint64_t end);

/* A paragraph in which something is said beside the matter, such as what was left out; plain text. */
void page_note(struct html_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same: `what` is so, for the reason that the first message of a collection gives, if it has one. */
void page_reason(struct html_page *page, const char *what, const wb_diagnostics *messages);

/* Notes that memory was exhausted, if that is what the messages are about: then nothing is written. */
void page_note_failure(struct html_page *page, const wb_diagnostics *messages);

/* JSON as data for the script, under an id. The text is freed. */
void page_data(struct html_page *page, const char *id, struct text *json);

/* ---- The sections, each with its heading. */

/* summary.c: what was found, and of what. */
void html_summary(struct html_page *page, const struct wb_analysis *analysis);
void html_stream_summary(struct html_page *page, const struct wb_stream *stream);

/* bounds.c: all numbers as bars on one axis, and what the least proven one is made of. */
void html_bounds(struct html_page *page, const struct wb_analysis *analysis);

/* costs.c: the source with cycles beside each line, and the control flow. */
void html_costs(struct html_page *page, const struct wb_analysis *analysis);

/* schedule.c: the longest execution that is known: a timeline of warps and units, blocks on SMs. */
void html_executions(struct html_page *page, const struct wb_analysis *analysis);

/* conditions.c: what the numbers rest on; inputs; how the report is made again. */
void html_conditions(struct html_page *page, const struct wb_analysis *analysis);
typedef const wb_input *(*html_input_at)(const void *owner, size_t index); /* NULL past the end */
void html_origin(struct html_page *page, const struct wb_machine *machine, html_input_at at,
                 const void *owner);

#endif
