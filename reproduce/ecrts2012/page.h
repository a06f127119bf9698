/* The page docs/reproduction/ecrts2012.md, and the data behind it. */
#ifndef WB_REPRODUCE_ECRTS2012_PAGE_H
#define WB_REPRODUCE_ECRTS2012_PAGE_H

#include "output.h"
#include "study.h"

/* File names. */
#define PAGE_FIG5 "fig5.svg"
#define PAGE_FIG5_DATA "fig5.csv"
extern const char *const page_convergence_charts[CONVERGENCE_FIGURES];

/* Appends the whole page. */
wb_status page_write(const struct output *output, const struct study *study, struct text *page);

/* Write the data of Fig. 5, and of Fig. 6 or 7, as CSV files. */
wb_status page_write_fig5(const struct output *output, const struct study *study);
wb_status page_write_convergence(const struct output *output, const struct study *study,
                                 enum convergence_figure figure);

#endif
