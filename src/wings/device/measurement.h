/* A measurement, for its report. */
#ifndef WB_WINGS_DEVICE_MEASUREMENT_H
#define WB_WINGS_DEVICE_MEASUREMENT_H

#include <time.h>

#include "wings/device/runs.h"

/* How what the GPU left in an object is other than what the interpreter left there. */
struct difference {
    uint64_t count, unknown;  /* bytes; that the interpreter does not know */
    uint64_t first;           /* the offset of the first such byte, */
    uint8_t gpu, interpreter; /* and what it is */
};

struct wb_measurement {
    struct launch_image *images; /* of the launches that were measured together */
    size_t image_count;
    wb_measurement **parts;    /* of a list: of each launch by itself; else NULL */
    char gpu[160];             /* and what ran beside it */
    struct exchange *exchange; /* `shared_bytes` that were mapped */
    size_t shared_bytes;
    wb_measured longest;
    time_t when;
    struct difference *differences; /* per object of the image; NULL: nobody asked */
    uint64_t difference_count;      /* bytes */
};

#endif
