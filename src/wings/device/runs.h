/* What the child process does for a measurement, and how its parent gets to know of it. */
#ifndef WB_WINGS_DEVICE_RUNS_H
#define WB_WINGS_DEVICE_RUNS_H

#include <stdatomic.h>

#include "warpbound_device.h"
#include "wings/device/driver.h"
#include "wings/device/image.h"

/* Runs that are tried for each that is kept. */
#define RUN_ATTEMPTS 4u

struct device_facts {
    char gpu[128], driver[80]; /* of NVML "": not known */
    uint32_t cuda;             /* 12080: the driver is for CUDA 12.8 */
    uint32_t sm, sms;
    uint64_t l2_bytes;
    uint32_t memory_clock; /* MHz; 0: not known */
};

/* Memory that both processes have. The child writes it; its parent reads all but `beat` once the child is
 * gone.
 */
struct exchange {
    atomic_ullong beat; /* grows with every call of the driver that has returned */
    wb_status status;
    char where[256], message[1024]; /* of an error */
    struct device_facts facts;
    uint64_t empty_ns, swept_bytes;
    uint64_t discarded[WB_MEASURED_STATES];
    uint32_t counts[WB_MEASURED_STATES];
    wb_measured_run *runs[WB_MEASURED_STATES]; /* room for the runs that are asked for, */
    uint8_t *results; /* and for the objects of the image, one behind the other; NULL */
};

/* Runs the launch as the options ask, and leaves what came of it in `exchange`. */
wb_status runs_make(const struct launch_image *image, const wb_measure_options *options,
                    struct exchange *exchange, wb_diagnostics *diagnostics);

#endif
