/* How often a value that walks round the circle of words can pass a test (docs/control-flow.md, the walk
 * round the circle).
 */
#ifndef WB_FLOW_TRIP_COUNT_H
#define WB_FLOW_TRIP_COUNT_H

#include "flow/induction.h"

/* What the value is compared with. */
struct walk_limit {
    enum relation relation; /* value `relation` limit, as long as the loop goes on */
    bool is_signed;
    bool is_invariant; /* the same word in all iterations, with this form */
    struct value_range range;
    struct linear form;
};

/* The most k such that the walk's first k values stand in the relation to the limit; false when no number is
 * proven. Forms are taken where the loop is entered. */
bool trip_count(struct value_state *state, const struct induction *walk, const struct walk_limit *limit,
                uint64_t *count);

#endif
