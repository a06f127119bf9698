/* Simulations of a GPU with everything that they report, for tests. */
#ifndef WB_TESTS_GPU_RECORD_H
#define WB_TESTS_GPU_RECORD_H

#include "sim/gpu/gpu.h"

/* What one SM did. */
struct gpu_sm_record {
    VEC(struct sim_event) issues;
    VEC(struct sm_access) turns;
};

struct gpu_record {
    struct arena arena;
    struct gpu_sm_record *sms;
    uint32_t sm_count;
    struct block_times *blocks;
    wb_gpu_simulation result;
};

/* Simulates and keeps all events; the status of the simulation. Free the record in any case. */
wb_status gpu_record_make(const struct timed_grid *grid, const struct gpu_scheme *scheme, uint32_t threads,
                          wb_diagnostics *diagnostics, struct gpu_record *record);

void gpu_record_free(struct gpu_record *record);

#endif
