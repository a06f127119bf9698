/* What the iterations of a loop do to its values: which change by bounded steps from one to the next
 * (induction), how often such a value can pass a test (trip_count), and, where the steps are not known, loops
 * run on ranges (loop_simulation). */
#ifndef WB_FLOW_BOUNDS_LOOP_ITERATIONS_H
#define WB_FLOW_BOUNDS_LOOP_ITERATIONS_H

#include "flow/bounds/conditions.h"
#include "flow/bounds/value_state.h"
#include "flow/graph/loops.h"

/* A loop, and what is known where it is entered. Bounds of the loops inside it are found before its own. */
struct loop_view {
    struct value_state *state;
    const struct loops *loops;
    uint32_t loop;
    const struct loop_bound *bounds;     /* per loop */
    const bool *edge_live;               /* per entry of graph.in: control may come that way */
    const struct value_range *arguments; /* per argument of the SSA form: its range where it is taken over */
};

/* A value as iterations 0, 1, ... of the loop find it: start, and a step more each time. */
struct induction {
    struct value_range start;
    struct value_range step; /* the difference of two neighbours; a full range when it is not known */
    bool has_form;           /* start_form is the value in iteration 0 */
    struct linear start_form;
};

/* The edges into the loop's header: which of them are back edges and may be taken. */
bool loop_edge_enters(const struct loop_view *view, uint32_t argument);
bool loop_edge_returns(const struct loop_view *view, uint32_t argument);

/* The range of a phi of the header where the loop is entered. */
struct value_range induction_start(const struct loop_view *view, uint32_t phi);

/* What the loop adds to a phi of its header in one iteration. */
struct value_range induction_step(const struct loop_view *view, uint32_t phi);

/* Whether the symbols of a form keep their values in the loop. */
bool linear_is_invariant(const struct loop_view *view, const struct linear *form);

/* The value as iterations find it; false when it is no linear function of one phi of the header. */
bool induction_of(const struct loop_view *view, const struct operand_reading *value,
                  struct induction *induction);

/* How often a value that walks round the circle of words can pass a test (docs/control-flow.md, the walk
 * round the circle): what it is compared with. */
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

/* Loops run on ranges, iteration by iteration: for values that are shifted, multiplied or divided, which come
 * to an end within as many iterations as a word has bits. Most that are run: two for each bit of the widest
 * word, and some. */
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
