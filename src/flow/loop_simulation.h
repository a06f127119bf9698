/* Loops run on ranges, iteration by iteration: for values that are shifted, multiplied or divided, which come
 * to an end within as many iterations as a word has bits. */
#ifndef WB_FLOW_LOOP_SIMULATION_H
#define WB_FLOW_LOOP_SIMULATION_H

#include "flow/conditions.h"
#include "flow/induction.h"

/* Most iterations that are run: two for each bit of the widest word, and some. */
#define SIMULATED_ITERATIONS_MAX 130u

/* Phis of a header, and what must be computed to know them one iteration later. */
#define SIMULATED_PHIS_MAX 4u
#define SIMULATED_VALUES_MAX 48u

struct loop_simulation {
    uint32_t phis[SIMULATED_PHIS_MAX];
    struct value_range reached[SIMULATED_PHIS_MAX];
    uint32_t phi_count;
    uint32_t values[SIMULATED_VALUES_MAX]; /* what is computed in an iteration, operands first */
    uint32_t value_count;
    uint32_t pending; /* values whose operands are being added */
    bool overflow;    /* not everything that is needed found room */
};

/* Adds what an iteration must compute for `value`. */
void simulation_include(const struct loop_view *view, uint32_t value, struct loop_simulation *simulation);

/* Runs the loop until `staying`, conditions that hold in every iteration behind which another comes, cannot
 * hold, or the header was executed `limit` times (at most SIMULATED_ITERATIONS_MAX). `reached` is what the
 * phis can be in the first *headers executions. True when the loop cannot go on behind these. */
bool simulation_run(const struct loop_view *view, const struct conditions *staying, uint64_t limit,
                    struct loop_simulation *simulation, uint64_t *headers);

#endif
