/* The page docs/reproduction/wcet2014.md. */
#ifndef WB_REPRODUCE_WCET2014_PAGE_H
#define WB_REPRODUCE_WCET2014_PAGE_H

#include "output.h"
#include "study.h"

#define PAGE_FIG6 "windows.svg"
#define PAGE_INTERLEAVINGS "interleavings.svg"
#define PAGE_WARP "abstract_warp.svg"

/* Appends the whole page. */
wb_status page_write(const struct output *output, const struct study *study, struct text *page);

#endif
