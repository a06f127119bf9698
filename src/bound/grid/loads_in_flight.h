/* How many requests of loads a warp can have in flight at a time: what it issues before it waits for one of
 * their registers, or for several of them together; or of all accesses, of which those that nothing waits for
 * stay in flight. */
#ifndef WB_BOUND_GRID_LOADS_IN_FLIGHT_H
#define WB_BOUND_GRID_LOADS_IN_FLIGHT_H

#include "base/vec.h"
#include "bound/grid/warp_steps.h"
#include "warp/timed/wait_queues.h"

struct flying_load {
    uint32_t requests; /* 0 when the warp has waited for it */
    uint32_t before;   /* 1 + the load of the same register that the warp has waited for, too, when it has
                          waited for this one; or 0 */
};

/* A warp on its way. */
struct loads_in_flight {
    uint32_t *last_load;         /* per register of the code, 1 + the load that wrote it last, or 0 */
    struct queue_members queues; /* of loads that are waited for together: 1 + the load, or 0 */
    VEC(struct flying_load) loads;
    bool unlimited;     /* nothing is known: which loads are waited for together is not */
    bool stores_too;    /* all accesses count, not only loads */
    uint64_t now, most; /* requests in flight; their largest number so far */
};

/* A warp at its start, of a grid with this code; to be freed in any case. WB_ERR_LIMIT when memory is
 * exhausted.
 */
wb_status loads_in_flight_init(struct loads_in_flight *flight, const struct timed_code *code);

/* The warp executes its next instruction. WB_ERR_LIMIT when memory is exhausted. */
wb_status loads_in_flight_step(struct loads_in_flight *flight, const struct timed_code *code,
                               const struct warp_step *step);

/* Puts it at the start of another warp. */
void loads_in_flight_begin(struct loads_in_flight *flight, const struct timed_code *code);

void loads_in_flight_free(struct loads_in_flight *flight);

#endif
