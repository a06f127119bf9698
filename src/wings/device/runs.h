/* What the child process does for a measurement, and how its parent gets to know of it. */
#ifndef WB_WINGS_DEVICE_RUNS_H
#define WB_WINGS_DEVICE_RUNS_H

#include "warpbound_device.h"
#include "wings/device/device.h"
#include "wings/device/image.h"

/* Runs that are tried for each that is kept. */
#define RUN_ATTEMPTS 4u

/* Memory that both processes have: what the child finds. */
struct exchange {
    struct child_state state;
    struct device_facts facts;
    uint64_t empty_ns, swept_bytes;
    uint64_t discarded[WB_MEASURED_STATES];
    uint32_t counts[WB_MEASURED_STATES];
    wb_measured_run *runs[WB_MEASURED_STATES]; /* room for the runs that are asked for, */
    uint8_t *results; /* and for the objects of the image, one behind the other; NULL */
};

/* Runs launches of one module, one after another, as the options ask, and leaves what came of it in
 * `exchange`; results are of one launch. */
wb_status runs_make(const struct launch_image *images, size_t count, const wb_measure_options *options,
                    struct exchange *exchange, wb_diagnostics *diagnostics);

#endif
