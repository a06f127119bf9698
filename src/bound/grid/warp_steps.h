/* The instructions that a warp of a grid executes, in order, each with the requests that it makes. */
#ifndef WB_BOUND_GRID_WARP_STEPS_H
#define WB_BOUND_GRID_WARP_STEPS_H

#include "memory/requests/timed_grid.h"

struct warp_step {
    const struct timed_inst *inst;
    const struct traffic_access *access; /* that makes requests, or NULL */
    uint32_t access_index;               /* of `access` in the warp's pattern */
    bool perhaps;                        /* it is perhaps not executed */
    cycles init;                         /* cycles that its unit is busy with it if nothing stalls */
};

/* Where a reader of a warp's instructions stands. */
struct warp_steps {
    const struct timed_code *code;
    struct path_cursor cursor;
    const struct traffic_pattern *pattern;
    uint64_t step;   /* position in the path of the next instruction */
    uint32_t access; /* the next access of the pattern */
    const struct access_stream *stream;
    uint32_t perhaps; /* the next stretch of steps that are perhaps not executed */
};

/* At the first instruction of a warp. */
struct warp_steps warp_steps_begin(const struct timed_grid *timed, uint32_t block, uint32_t warp);

/* Reads the next instruction; false at the end. */
bool warp_steps_next(struct warp_steps *steps, struct warp_step *step);

#endif
