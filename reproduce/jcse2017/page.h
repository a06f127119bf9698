/* The page docs/reproduction/jcse2017.md, and the table with all numbers. */
#ifndef WB_REPRODUCE_JCSE2017_PAGE_H
#define WB_REPRODUCE_JCSE2017_PAGE_H

#include "output.h"
#include "study.h"

/* Appends the page. What fails shows in page->failed. */
void page_write(const struct output *output, const struct study *study, struct text *page);

/* Writes measurements.csv: a line a kernel and cache, in cycles and requests. */
wb_status page_write_table(const struct output *output, const struct study *study);

#endif
