/* What a search of schedules goes through: states, each a piece of memory of one size, the choices that a
 * state leaves open, and what happens between them. Small blocks and grids of PTX are one such space
 * (search_state.h), blocks of machine code another (code_state.h). */
#ifndef WB_BOUND_SEARCH_SEARCH_SPACE_H
#define WB_BOUND_SEARCH_SEARCH_SPACE_H

#include <stddef.h>
#include <stdint.h>

/* A choice; what its members mean is the space's matter. */
struct search_choice {
    uint8_t kind;
    uint8_t sm, slot, which;
};

#define SEARCH_CHOICES_MAX 4096u

struct search_choices {
    uint32_t count;
    struct search_choice items[SEARCH_CHOICES_MAX];
};

struct search_space {
    const void *model;
    size_t state_size, key_max;
    /* The state before the first cycle, in zeroed memory. */
    void (*start)(const void *model, void *state);
    /* Lets everything happen that is not to be chosen, up to the next choices between two or more. No
     * choices: all is over. *passed: the time until then; *at_least: no schedule ends earlier than that,
     * counted from the state given; it is only made sure of for what is not kept in the state any more. */
    void (*advance)(const void *model, void *state, struct search_choices *choices, uint32_t *passed,
                    uint32_t *at_least);
    /* Makes one of the choices. */
    void (*choose)(const void *model, void *state, const struct search_choice *choice);
    /* Writes the state as bytes, equal only for states with equal futures; returns their number. `key` and
     * `scratch` have room for key_max bytes each. It may bring the state into another order. */
    size_t (*key)(const void *model, void *state, uint8_t *scratch, uint8_t *key);
};

#endif
