/* A whole GPU that executes a grid: SMs with their first-level caches, the second level, DRAM, the block
 * dispatcher. docs/memory-model.md states the rules. */
#ifndef WB_SIM_GPU_GPU_H
#define WB_SIM_GPU_GPU_H

#include "memory/requests/timed_grid.h"
#include "sim/sm/policy.h"
#include "sim/sm/sm_memory.h"

/* How warps get at the first level (JCSE'17, Fig. 8): a warp scheduling policy, and whether requests are
 * reordered. */
struct gpu_scheme {
    const char *name, *summary;
    const struct sim_policy *policy;
    bool reorder;
};

/* The schemes in the order of help texts and of results; NULL past the end. */
const struct gpu_scheme *gpu_scheme_at(size_t index);

/* All SMs, of a sink. */
#define GPU_EVERY_SM UINT32_MAX

/* Takes what happens on one SM, each kind of event in its order; each may be NULL, `land`, `pass` and
 * `block` go with `issue` (see struct sim_sink).
 * Of every SM, SMs may call at the same time when there are several threads. */
struct gpu_sink {
    uint32_t sm;
    wb_status (*issue)(void *user, uint32_t sm, const struct sim_event *event);
    wb_status (*access)(void *user, uint32_t sm, const struct sm_access *access);
    void *user;
    void (*land)(void *user, uint32_t sm, const struct sim_landing *landing);
    void (*pass)(void *user, uint32_t sm, const struct sim_event *event);
    void (*block)(void *user, uint32_t sm, const struct sim_block *block);
};

/* Choices of somebody who wants to see what a dispatcher might do. Where all blocks fit at the start, they
 * are dealt out to the SMs in turn whatever the choices say. */
struct dispatch_plan {
    const uint32_t *blocks; /* in the order in which they are dispatched */
    const uint32_t
        *choices; /* per dispatch: of the n SMs with a free slot the one of number choice mod n, from 0 */
};

struct gpu_options {
    uint32_t threads; /* 0: one */
    const struct gpu_sink *sink;
    const wb_watch *watch;
    struct block_times *block_times;  /* room for those of every block, or NULL */
    const struct dispatch_plan *plan; /* of DISPATCH_ANY, or NULL */
};

/* Instructions that all warps of a grid execute. */
uint64_t gpu_instructions(const struct wb_grid *grid);

/* Simulates a grid; the arrays of *result are of `arena`. The result does not depend on the number of
 * threads. Errors, each with a message: WB_ERR_DECLINED of covering paths; WB_ERR_INPUT when the machine or
 * the scheme does not fit, or no room for a block; WB_ERR_LIMIT when memory is exhausted or the watch stopped
 * it; else what the sink answers. */
wb_status gpu_simulate(const struct timed_grid *grid, const struct gpu_scheme *scheme,
                       const struct gpu_options *options, wb_diagnostics *diagnostics, struct arena *arena,
                       wb_gpu_simulation *result);

#endif
