/* The page docs/reproduction/etfa2013.md, and the data behind it. */
#ifndef WB_REPRODUCE_ETFA2013_PAGE_H
#define WB_REPRODUCE_ETFA2013_PAGE_H

#include "output.h"
#include "study.h"

#define PAGE_FIG12_SECONDS "fig12-seconds.svg"
#define PAGE_FIG12_ITERATIONS "fig12.svg"
#define PAGE_FIG12_DATA "fig12.csv"
#define PAGE_WORST_CASES "worst-cases.csv"

/* Appends the whole page and writes the schedules that it shows. */
wb_status page_write(const struct output *output, const struct study *study, struct text *page);

/* Write the worst cases by warps, and what each instance of the annealing found, as CSV files. */
wb_status page_write_worst_cases(const struct output *output, const struct study *study);
wb_status page_write_fig12(const struct output *output, const struct study *study);

#endif
