/* A small grid in the form that the search over all schedules and all dispatches wants, and what is searched
 * of it. */
#ifndef WB_BOUND_SEARCH_GRID_EXPLORE_MODEL_H
#define WB_BOUND_SEARCH_GRID_EXPLORE_MODEL_H

#include "bound/grid/grid_work.h"
#include "bound/search/explore_parts.h"

/* Most SMs, blocks of an SM at a time, warps of a block and kinds that a search covers. */
#define GRID_EXPLORE_SMS_MAX 16u
#define GRID_EXPLORE_ROOMS_MAX 16u
#define GRID_EXPLORE_WARPS_MAX 32u
#define GRID_EXPLORE_KINDS_MAX 16u
#define GRID_EXPLORE_UNITS_MAX 16u

/* A program with, per position (count + 1), the fewest cycles until its warp has ended. */
struct grid_explore_program {
    struct explore_program steps;
    uint32_t *shortest_rest;
};

struct grid_explore_kind {
    uint32_t blocks;
    uint32_t warps;
    uint16_t *paths; /* per warp its program, rising: warps of one program stand together */
    uint32_t units;  /* bit u for a unit that it uses */
};

/* What blocks come to the SMs. */
struct grid_explore_scope {
    uint32_t sms, rooms;   /* blocks that each SM holds at a time */
    uint32_t dealt;        /* blocks that are dealt out to the SMs in turn first, whichever they are */
    bool only_dealt;       /* there are no others */
    const uint32_t *order; /* if not NULL: the kinds of the blocks of the one SM, in their order ... */
    uint32_t order_count;  /* ... and their number */
    uint32_t latency;      /* cycles from the end of a block to the first issue of its successor */
    uint32_t service;      /* cycles that the one dispatcher takes for a block */
};

/* The parts of a state stand behind each other in one piece of memory. */
struct grid_explore_layout {
    size_t left, sms, units, rooms, warps; /* where each part begins */
    size_t size;
    size_t key_max;  /* most bytes of the key of a state, */
    size_t room_max; /* of a room of it, */
    size_t sm_max;   /* and of an SM */
};

struct grid_explore_model {
    struct grid_explore_scope scope;
    const struct wb_machine *machine;
    struct grid_explore_program *programs; /* of all kinds */
    struct grid_explore_kind *kinds;
    uint32_t kind_count;
    uint32_t room_warps; /* of the largest block */
    struct grid_explore_layout layout;
};

/* Why no search covers grids of this kind, or NULL. */
const char *grid_explore_objection(const struct grid_work *work);

/* Writes out the programs, into the arena. WB_ERR_DECLINED without a message when one is too long or keeps
 * too many results waiting; WB_ERR_LIMIT when memory is exhausted. */
wb_status grid_explore_model_make(const struct grid_work *work, struct arena *arena,
                                  struct grid_explore_model *model);

/* What is searched with the model: it may be changed between searches. False when its states are too large.
 */
bool grid_explore_model_set(struct grid_explore_model *model, const struct grid_explore_scope *scope);

/* Roughly how many combinations of positions of all warps there are. */
double grid_explore_positions(const struct grid_work *work, const struct grid_explore_scope *scope);

#endif
