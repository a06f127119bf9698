/* The page docs/reproduction.md. */
#ifndef WB_REPRODUCE_PAGE_H
#define WB_REPRODUCE_PAGE_H

#include "base/text.h"
#include "study.h"

/* Folder of the charts, relative to the page. */
#define PAGE_CHART_FOLDER "reproduction"

/* File names of the charts. */
extern const char *const page_policy_charts[POLICY_COUNT];
extern const char *const page_sgemm_charts[SGEMM_COUNT];

/* Appends the whole page. */
void page_write(struct text *out, const struct study *study);

#endif
