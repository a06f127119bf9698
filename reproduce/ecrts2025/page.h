/* The page docs/reproduction/ecrts2025.md. */
#ifndef WB_REPRODUCE_PAGE_H
#define WB_REPRODUCE_PAGE_H

#include "output.h"
#include "study.h"

/* File names of the charts. */
extern const char *const page_policy_charts[POLICY_COUNT];
extern const char *const page_sgemm_charts[SGEMM_COUNT];

/* Appends the whole page. */
void page_write(const struct output *output, struct text *page, const struct study *study);

#endif
