/* Times of launches by events, of which the host is no part. */
#ifndef WB_WINGS_DEVICE_TIMER_H
#define WB_WINGS_DEVICE_TIMER_H

#include "wings/device/device.h"

struct timer {
    CUfunction wait, empty; /* kernels of our own; the second does nothing */
    CUevent start, stop;
};

wb_status timer_open(struct device *device, struct timer *timer);

/* Keeps the GPU busy until its clock has not moved for a while, or for two seconds. */
wb_status timer_settle(struct device *device, const struct timer *timer);

/* The time between events around what `launch` queues; whether the GPU came to the first one too early. */
wb_status timer_time(struct device *device, const struct timer *timer,
                     wb_status (*launch)(void *context, CUfunction function), void *context,
                     CUfunction function, uint64_t *ns, bool *early);

#endif
