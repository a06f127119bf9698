/* The state of a small grid in the middle of a schedule, and the steps that a schedule can take from it. All
 * times are cycles from now; what cannot matter any more is not kept. */
#ifndef WB_BOUND_SEARCH_GRID_EXPLORE_STATE_H
#define WB_BOUND_SEARCH_GRID_EXPLORE_STATE_H

#include "bound/search/grid_explore_model.h"

/* No block is in a room. */
#define ROOM_EMPTY UINT32_MAX

/* The blocks that are still to come, and the one dispatcher of all SMs. */
struct grid_dispatch {
    uint32_t left;    /* blocks that no SM has got yet */
    uint32_t to_deal; /* of them, those that are dealt out in turn */
    uint32_t busy;    /* until the dispatcher has done with the last block */
};

struct grid_sm {
    uint32_t decided; /* it issues nothing more in this cycle */
    uint32_t issued;  /* instructions, in this cycle, while not decided */
    uint32_t dealt;   /* blocks that it got while blocks are dealt out */
};

struct grid_room {
    uint32_t kind; /* of its block; or ROOM_EMPTY */
    uint32_t used; /* it is empty, a block was in it before, and that makes a difference to the next one */
    uint32_t held; /* until its warps may issue: not yet started, or a barrier that opens */
    uint32_t
        drains; /* until the results of what was issued are complete; 0 where something later counts anyway */
    uint32_t opened; /* barriers that have let its warps go */
    uint32_t issued; /* bit w: warp w has issued in this cycle, while its SM is not decided */
};

/* Most bytes of them in a key, without units and warps. */
#define NUMBER_KEY_MAX 5u
#define DISPATCH_KEY_MAX (3 * NUMBER_KEY_MAX)
#define SM_KEY_MAX (3 * NUMBER_KEY_MAX)
#define ROOM_KEY_MAX (5 * NUMBER_KEY_MAX)

/* The parts of a state in their memory. */
struct grid_state {
    struct grid_dispatch *dispatch;
    uint32_t *left;             /* per kind */
    struct grid_sm *sms;        /* scope.sms */
    struct explore_unit *units; /* per SM and unit */
    struct grid_room *rooms;    /* per SM and room */
    struct explore_warp *warps; /* per SM, room and warp */
};

/* The state that is kept in `memory`, of layout.size bytes. */
struct grid_state grid_state_in(const struct grid_explore_model *model, void *memory);

/* The state before the first cycle, in zeroed memory. */
void grid_state_start(const struct grid_explore_model *model, struct grid_state *state);

enum grid_choice_kind {
    CHOICE_DISPATCH, /* a block of kind `which` goes to a room of the SM */
    CHOICE_ALONE,    /* no blocks are left: what is the longest on the SM by itself */
    CHOICE_ISSUE,    /* warp `which` of a room of the SM */
};

struct grid_choice {
    uint8_t kind; /* enum grid_choice_kind */
    uint8_t sm, room, which;
};

#define GRID_CHOICES_MAX (GRID_EXPLORE_ROOMS_MAX * GRID_EXPLORE_WARPS_MAX)

struct grid_choices {
    uint32_t count;
    struct grid_choice items[GRID_CHOICES_MAX];
};

/* Lets everything happen that is not to be chosen, up to the next choices between two or more. No choices:
 * every block has ended. *passed: the time until then; *at_least: no schedule ends earlier than that, counted
 * from the state given; it is only made sure of for results that are not kept in the state any more. */
void grid_state_settle(const struct grid_explore_model *model, struct grid_state *state,
                       struct grid_choices *choices, uint32_t *passed, uint32_t *at_least);

/* Makes one of the choices. */
void grid_state_choose(const struct grid_explore_model *model, struct grid_state *state,
                       const struct grid_choice *choice);

/* Writes the state as bytes, equal only for states with equal futures; returns their number. `key` and
 * `scratch` have room for layout.key_max bytes each. */
size_t grid_state_key(const struct grid_explore_model *model, const struct grid_state *state,
                      uint8_t *scratch, uint8_t *key);

#endif
