/* The GPU that launches run on, in the child process: its driver, opened and called. */
#ifndef WB_WINGS_DEVICE_DEVICE_H
#define WB_WINGS_DEVICE_DEVICE_H

#include <time.h>

#include "wings/device/child.h"
#include "wings/device/driver.h"

struct device_facts {
    char gpu[128], driver[80]; /* of NVML "": not known */
    uint32_t cuda;             /* 12080: the driver is for CUDA 12.8 */
    uint32_t sm, sms;
    uint64_t l2_bytes;
    uint32_t memory_clock; /* MHz; 0: not known */
};

struct device {
    struct driver driver;
    struct nvml nvml;
    nvmlDevice_t nvml_device;
    CUstream stream;
    struct child_state *state;
    wb_diagnostics *diagnostics;
};

/* Calls a function of the driver; returns from the enclosing function unless it succeeds. What returns does
 * not hang. */
#define DEVICE_CALL(device, name, ...)                                                                       \
    do {                                                                                                     \
        DRIVER_CALL(&(device)->driver, (device)->diagnostics, name, __VA_ARGS__);                            \
        (void)atomic_fetch_add(&(device)->state->beat, 1);                                                   \
    } while (0)

/* Opens the first GPU by the driver in `file` (driver_open), with a stream of its own. */
wb_status device_open(const char *file, struct child_state *state, wb_diagnostics *diagnostics,
                      struct device *device, struct device_facts *facts);

/* Memory to be written, by which nothing else stays in the caches: as much as there is, at most what is
 * enough for any GPU, at least what is for a second level of that size. */
wb_status device_sweep_memory(struct device *device, uint64_t l2_bytes, uint64_t *address, uint64_t *bytes);

/* The clock of the SMs in MHz, 0: not known; *throttled becomes true if it is kept low. */
uint32_t device_clock(const struct device *device, bool *throttled);

#define DATE_MAX 32u

/* When it was measured, in UTC; a date, or a moment. Not by strftime, which asks the locale. */
void device_date(time_t time, bool is_moment, char date[static DATE_MAX]);

#endif
