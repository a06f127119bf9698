/* How many blocks an SM holds at a time, and why no more, for people and as JSON (docs/occupancy.md). */
#ifndef WB_REPORT_MACHINE_OCCUPANCY_H
#define WB_REPORT_MACHINE_OCCUPANCY_H

#include "base/diagnostics.h"

wb_status report_occupancy_text(const wb_occupancy *occupancy, wb_diagnostics *diagnostics, char **text);
wb_status report_occupancy_json(const wb_occupancy *occupancy, wb_diagnostics *diagnostics, char **text);

#endif
