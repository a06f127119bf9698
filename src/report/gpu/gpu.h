/* Reports of simulations of a grid on a GPU: one function a format. */
#ifndef WB_REPORT_GPU_GPU_H
#define WB_REPORT_GPU_GPU_H

#include <jansson.h>

#include "report/parts/bounds.h"
#include "sim/gpu/gpu_results.h"

/* Appends kernel, grid and machine, a line each. */
void report_put_gpu(struct text *out, const struct timed_grid *timed);

/* The same as JSON: an object with version, kernel, file, machine and launch; NULL when memory is exhausted.
 */
json_t *report_gpu_heading_json(const struct timed_grid *timed);

wb_status report_gpu_text(const struct wb_gpu *gpu, const wb_report_options *options,
                          wb_diagnostics *diagnostics, char **text);
wb_status report_gpu_json(const struct wb_gpu *gpu, const wb_report_options *options,
                          wb_diagnostics *diagnostics, char **text);

#endif
