/* Where the cycles of the least proven bound go, as an HTML report shows it. */
#ifndef WB_REPORT_HTML_COSTS_H
#define WB_REPORT_HTML_COSTS_H

#include "report/html/code.h"
#include "report/html/page.h"

struct html_costs {
    const char *method;
    const wb_cost *rows; /* a row for each instruction, and those of none */
    size_t count;
    uint64_t total;
    const char *found; /* the slowest execution, by its policy or its search; NULL: nothing says where its
                          cycles go, */
    const wb_cost *found_rows; /* and these likewise */
    size_t found_count;
    uint64_t found_total;
    const wb_hints *hints; /* what would lower the bound */
    struct html_code code;
};

/* Appends what most of some cycles are spent on, "latency 82 %, issue 18 %". */
void html_put_shares(struct html_page *page, const uint64_t share[WB_PART_COUNT], uint64_t cycles_of_all);

/* The source with cycles beside its lines. */
void html_source(struct html_page *page, const struct html_costs *costs);

/* The control flow of what is executed, with counts and cycles. */
void html_flow(struct html_page *page, const struct html_costs *costs);

#endif
