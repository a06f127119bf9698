/* How the instances of the annealing came to their longest schedules, as ETFA'13, Fig. 12, shows it. */
#ifndef WB_REPORT_MAKESPAN_CONVERGENCE_H
#define WB_REPORT_MAKESPAN_CONVERGENCE_H

#include "base/base.h"
#include "wings/makespan/method/method.h"

/* Appends a table with commas: instance (from 1), initial solution, iteration, processor seconds, makespan; a
 * row for every improvement and, as the last of each instance, its end. What fails shows in out->failed, here
 * and below. */
void convergence_csv(struct text *out, const struct anneal_log *log);

/* What the horizontal axis of the chart measures. Iterations are the same in every run, processor
 * seconds are not. */
enum convergence_axis { CONVERGENCE_SECONDS, CONVERGENCE_ITERATIONS };

/* Appends a chart: a line for each instance, up to CONVERGENCE_LINES_MAX of them, and one for the longest
 * schedule of all. */
#define CONVERGENCE_LINES_MAX 16u
void convergence_svg(struct text *out, const struct anneal_log *log, enum convergence_axis axis);

#endif
