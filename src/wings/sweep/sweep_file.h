/* The reader of sweep files. */
#ifndef WB_WINGS_SWEEP_SWEEP_FILE_H
#define WB_WINGS_SWEEP_SWEEP_FILE_H

#include "wings/sweep/sweep.h"

/* Parses a sweep file; paths in it are relative to `folder`, and `name` stands for it in messages. */
wb_status sweep_parse(const char *name, const char *folder, const char *text, size_t size,
                      wb_diagnostics *diagnostics, wb_sweep **sweep);

#endif
