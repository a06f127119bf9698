/* The state of some blocks in the middle of a schedule, and the steps that a schedule can take from it. All
 * times are cycles from now; what cannot matter any more is not kept, so that equal futures have equal
 * states. */
#ifndef WB_BOUND_SEARCH_SEARCH_STATE_H
#define WB_BOUND_SEARCH_SEARCH_STATE_H

#include "bound/search/search_model.h"
#include "bound/search/search_parts.h"
#include "bound/search/search_space.h"

/* What is searched with the model, which may be changed between searches. False when its states are too
 * large. */
bool search_model_set(struct search_model *model, const struct search_scope *scope);

/* The state that is kept in `memory`, of layout.size bytes. */
struct search_state search_state_in(const struct search_model *model, void *memory);

/* The state before the first cycle, in zeroed memory. */
void search_state_start(const struct search_model *model, struct search_state *state);

enum search_choice_kind {
    CHOICE_DISPATCH,  /* a block of class `which` goes to a slot of the SM */
    CHOICE_ISOLATION, /* no blocks are left: what is the longest on the SM in isolation */
    CHOICE_ISSUE,     /* warp `which` of a slot of the SM uses a slot of its sub-core */
};

/* A block of any class to any slot of any SM. */
_Static_assert(SEARCH_SMS_MAX *SEARCH_SLOTS_MAX *SEARCH_CLASSES_MAX <= SEARCH_CHOICES_MAX,
               "all choices have room");

/* Lets everything happen that is not to be chosen, up to the next choices between two or more (of a scope
 * with every_issue, the next issue). No choices: every block has ended. *passed: the time until then;
 * *at_least: no schedule ends earlier than that, counted from the state given; it is only made sure of for
 * results that are not kept in the state any more. */
void search_state_advance(const struct search_model *model, struct search_state *state,
                          struct search_choices *choices, uint32_t *passed, uint32_t *at_least);

/* Makes one of the choices. */
void search_state_choose(const struct search_model *model, struct search_state *state,
                         const struct search_choice *choice);

#endif
