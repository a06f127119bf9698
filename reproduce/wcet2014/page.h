/* The page docs/reproduction/wcet2014.md, and the data behind it. */
#ifndef WB_REPRODUCE_WCET2014_PAGE_H
#define WB_REPRODUCE_WCET2014_PAGE_H

#include "output.h"
#include "study.h"

#define PAGE_FIG6 "windows.svg"
#define PAGE_INTERLEAVINGS "interleavings.svg"
#define PAGE_WARP "abstract_warp.svg"
#define PAGE_FORMULAS "formulas.csv"
#define PAGE_CONVENTIONS "conventions.csv"
#define PAGE_KERNELS "kernels.csv"

/* Appends the whole page. */
void page_write(const struct output *output, const struct study *study, struct text *page);

/* Writes the formulas, the conventions that give the published estimate, and the kernels as CSV files. */
wb_status page_write_data(const struct output *output, const struct study *study);

#endif
