/* The page docs/reproduction/ecrts2012.md. */
#ifndef WB_REPRODUCE_ECRTS2012_PAGE_H
#define WB_REPRODUCE_ECRTS2012_PAGE_H

#include "output.h"
#include "study.h"

/* File names of the pictures. */
#define PAGE_FIG2 "fig2.svg"
#define PAGE_FIG5 "fig5.svg"
extern const char *const page_convergence_charts[CONVERGENCE_FIGURES];

/* The command of Fig. 2. */
extern const struct example page_fig2;

/* Appends the whole page. */
wb_status page_write(const struct output *output, const struct study *study, struct text *page);

#endif
