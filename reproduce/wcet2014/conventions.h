/* The conventions that the slides leave open: all combinations of the keys of `abstract_cta`, and beside each
 * the simulations of what TriangleSum executes under all readings of its cycle-accurate simulator. */
#ifndef WB_REPRODUCE_WCET2014_CONVENTIONS_H
#define WB_REPRODUCE_WCET2014_CONVENTIONS_H

#include "base/base.h"
#include "machine/machine.h"
#include "wings/abstract_cta/acta_file.h"

/* Slide 12. */
#define PUBLISHED_ESTIMATE 804u
#define PUBLISHED_SIMULATED 688u

/* T_memory is tried from 1 to this: more than 804 cycles in every combination. */
#define LATENCY_MAX 200u

/* Where the loaded value is added to the sum. */
enum placement {
    ADD_FOLLOWS_LOAD,     /* and the barrier is behind the addition */
    BARRIER_FOLLOWS_LOAD, /* and waits for it; for barriers with a slot only */
    ADD_BEHIND_BARRIER,
    PLACEMENTS
};

extern const char *const placement_names[PLACEMENTS];

/* A reading of the simulator. The header of the loop is that of the estimate. */
struct reading {
    uint32_t later;   /* a loaded value can be used T_memory cycles after the load, or so many more: 0, 1 */
    uint32_t slots;   /* that a barrier takes of each warp: 0, 1 */
    uint32_t release; /* cycles from the last arrival until the warps go on: 0, 1 */
    enum placement placement;
    const char *policy;
};

/* A combination of keys whose estimate is the published one, and the readings that take the published time,
 * too. */
struct combination {
    struct machine_abstract_cta keys;
    cycles turns; /* longest interleaving (abstract-cta-rr); 0: these keys are not for it */
    VEC(struct reading) readings;
};

struct conventions {
    uint64_t tried;    /* combinations of keys, T_memory apart */
    uint64_t readings; /* of the simulator, of one combination */
    VEC(struct combination) found;
};

/* Goes through all of them; `file` has the abstract warp of slide 12. Freed with conventions_free in any
 * case. */
wb_status conventions_find(const struct acta_warp_file *file, wb_diagnostics *diagnostics,
                           struct conventions *conventions);
void conventions_free(struct conventions *conventions);

/* Pairs of a combination and a reading that give both numbers, and combinations with any reading. */
size_t conventions_pairs(const struct conventions *conventions);
size_t conventions_both(const struct conventions *conventions);

#endif
