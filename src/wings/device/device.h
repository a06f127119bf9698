/* The GPU that launches run on, in the child process: its driver, opened and called. */
#ifndef WB_WINGS_DEVICE_DEVICE_H
#define WB_WINGS_DEVICE_DEVICE_H

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

/* The clock of the SMs in MHz, 0: not known; *throttled becomes true if it is kept low. */
uint32_t device_clock(const struct device *device, bool *throttled);

#endif
