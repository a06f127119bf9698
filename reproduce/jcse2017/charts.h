/* The charts of the page: Fig. 12 to 16 of the paper, on the kernels of this project. */
#ifndef WB_REPRODUCE_JCSE2017_CHARTS_H
#define WB_REPRODUCE_JCSE2017_CHARTS_H

#include "output.h"
#include "study.h"

/* Writes fig12.svg to fig16.svg. */
wb_status charts_write(const struct output *output, const struct study *study);

#endif
