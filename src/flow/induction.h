/* Values that change by bounded steps from one iteration of a loop to the next. */
#ifndef WB_FLOW_INDUCTION_H
#define WB_FLOW_INDUCTION_H

#include "flow/loops.h"
#include "flow/value_state.h"

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

#endif
