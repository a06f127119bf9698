/* The longest execution that is known, as an HTML report shows it. */
#ifndef WB_REPORT_HTML_SCHEDULE_H
#define WB_REPORT_HTML_SCHEDULE_H

#include "report/html/code.h"
#include "report/html/page.h"

/* What is shown of an execution. */
struct html_schedule {
    const struct wb_analysis *analysis; /* that it is of */
    const wb_schedule *schedule;
    const wb_schedule_info *info;
    struct html_code code;
    bool with_data; /* bounds are of any data, and this is of that of the launch */
    uint32_t sm;    /* the one whose last block ends last */
};

/* The timeline of an SM: its warps and units. */
void html_timeline(struct html_page *page, const struct html_schedule *shown);

/* Which blocks the SMs had when. */
void html_residents(struct html_page *page, const struct html_schedule *shown);

#endif
