/* The page docs/reproduction/etfa2013.md. */
#ifndef WB_REPRODUCE_ETFA2013_PAGE_H
#define WB_REPRODUCE_ETFA2013_PAGE_H

#include "output.h"
#include "study.h"

#define PAGE_FIG12_SECONDS "fig12-seconds.svg"
#define PAGE_FIG12_ITERATIONS "fig12.svg"

/* Appends the whole page and writes the schedules that it shows. */
wb_status page_write(const struct output *output, const struct study *study, struct text *page);

#endif
