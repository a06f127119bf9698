/* The page docs/reproduction/jcse2017.md, and the data behind it. */
#ifndef WB_REPRODUCE_JCSE2017_PAGE_H
#define WB_REPRODUCE_JCSE2017_PAGE_H

#include "output.h"
#include "study.h"

/* File names of the data. */
#define PAGE_MEASUREMENTS "measurements.csv"
#define PAGE_ISOLATED "isolated.csv"

/* Appends the page. What fails shows in page->failed. */
void page_write(const struct output *output, const struct study *study, struct text *page);

/* Writes the data, in cycles and requests: a line for each kernel and cache; and one for each kernel with one
 * block on each SM, where requests and loads are those of the first SM. */
wb_status page_write_data(const struct output *output, const struct study *study);

#endif
