/* What an HTML report shows beside the JSON document of its analysis: member "page" of that document, which
 * the script of the page draws (page/page.js). */
#ifndef WB_REPORT_HTML_PAGE_H
#define WB_REPORT_HTML_PAGE_H

#include "report/html/code.h"
#include "report/write/json.h"

struct html_page {
    struct json json; /* the document so far */
    wb_report_options options;
    wb_html_options asked;
    size_t issues_most; /* instructions of a timeline */
    size_t launches;    /* of a stream: those with pictures */
    wb_diagnostics *diagnostics;
};

/* Member `key`: `what` is so, for the reason that the first message of a collection gives, if it has one. */
void page_reason_json(struct html_page *page, const char *key, const char *what,
                      const wb_diagnostics *messages);

/* costs.c: the costs of the least proven bound by line and by instruction, the source around those lines, and
 * the control flow; or why there are none. */
void page_costs_json(struct html_page *page, const struct wb_analysis *analysis);

/* flow.c: the blocks of the kernel that are executed, with these costs, and where they are drawn. */
void page_flow_json(struct html_page *page, const wb_costs *costs, const struct html_code *code);

/* timeline.c: the longest execution that is known: what the warps and units of an SM do, and which blocks the
 * SMs have when; or why there is none. */
void page_executions_json(struct html_page *page, const struct wb_analysis *analysis);

#endif
