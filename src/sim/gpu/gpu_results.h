/* A grid on a GPU with what was simulated of it so far. */
#ifndef WB_SIM_GPU_GPU_RESULTS_H
#define WB_SIM_GPU_GPU_RESULTS_H

#include "sim/gpu/gpu.h"

/* A scheme under a policy, by their places in the registries. */
struct gpu_run {
    size_t scheme, policy;
};

struct wb_gpu {
    struct timed_grid timed;
    struct wb_grid *owned; /* that it frees with itself; or NULL */
    struct arena arena;    /* of the simulations' arrays */
    uint32_t threads;
    VEC(wb_gpu_simulation) simulations; /* by scheme, then by policy, in the order of their registries */
    VEC(struct gpu_run) runs;           /* which each of them is */
};

/* The simulation of a scheme with its own policy; it is run when it has not been. */
wb_status gpu_simulation_of(struct wb_gpu *gpu, const char *scheme, const wb_watch *watch,
                            wb_diagnostics *diagnostics, const wb_gpu_simulation **simulation);

#endif
