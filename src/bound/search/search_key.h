/* States as bytes, so that a search can remember those that it has seen. Slots of an SM can be exchanged if
 * their first warps are on the same sub-core, and so can SMs: they are written in order. */
#ifndef WB_BOUND_SEARCH_SEARCH_KEY_H
#define WB_BOUND_SEARCH_SEARCH_KEY_H

#include "bound/search/search_state.h"

/* Writes the state as bytes, equal only for states with equal futures; returns their number. `key` and
 * `scratch` have room for layout.key_max bytes each. */
size_t search_state_key(const struct search_model *model, const struct search_state *state, uint8_t *scratch,
                        uint8_t *key);

#endif
