/* What follows from the direction that control takes: the comparisons behind a branch's predicate, and what
 * they say about the values compared. */
#ifndef WB_FLOW_BOUNDS_CONDITIONS_H
#define WB_FLOW_BOUNDS_CONDITIONS_H

#include "flow/bounds/value_state.h"

/* Either a predicate that is true or false, or a `setp` whose comparison holds or does not. */
struct condition {
    bool is_comparison;
    bool holds;
    uint32_t index; /* of a comparison the instruction, else the value */
};

#define CONDITIONS_MAX 24u

/* Conditions that all hold. What does not fit is left out. */
struct conditions {
    struct condition items[CONDITIONS_MAX];
    uint32_t count;
};

/* A comparison of two integers as it holds: a `relation` b. */
struct comparison {
    enum relation relation;
    bool is_signed;
    struct operand_reading a, b;
};

/* Adds what holds when control goes from one block to the other by that edge; nothing when several edges lead
 * there. */
void conditions_of_edge(const struct value_state *state, uint32_t from, uint32_t to, struct conditions *list);

/* Adds what follows from a predicate's value. */
void conditions_of_predicate(const struct value_state *state, uint32_t predicate, bool holds,
                             struct conditions *list);

/* What the condition says of two integers; false when it is no comparison of integers. */
bool comparison_of(const struct value_state *state, const struct condition *condition,
                   struct comparison *comparison);

/* Refines the state by all of them. */
void conditions_apply(struct value_state *state, const struct conditions *list);

/* The operand of a setp, or of one of upper halves, that the comparison is joined with. */
uint32_t setp_joined_operand(const struct ptx_form *form);

/* Words that an instruction chooses between two others: selp, min and max (docs/control-flow.md, choices). */

/* The range of a linear form. Where a symbol of it is one of two words, the form is looked at with either in
 * its place, under what holds when that one is chosen: what they have in common with the rest cancels. The
 * state is as before afterwards. */
struct value_range choices_linear(struct value_state *state, const struct linear *form);

#endif
