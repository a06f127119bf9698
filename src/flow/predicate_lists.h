/* Lists of predicates: what decides a gate. */
#ifndef WB_FLOW_PREDICATE_LISTS_H
#define WB_FLOW_PREDICATE_LISTS_H

#include "flow/decisions.h"
#include "flow/ssa.h"

/* A list: items[first] .. items[first + count - 1] of the lists it belongs to. */
struct predicate_list {
    uint32_t first, count;
};

struct predicate_lists {
    const struct ssa *ssa;
    const struct loops *loops;
    struct decisions *decisions;
    VEC(uint32_t) items; /* values */
    uint32_t *listed;    /* per value: the list it was added to last */
    uint32_t list;       /* number of the list that is being made, from 1 */
    /* What decides when and by which edge a loop, or an irreducible region, is left. */
    struct predicate_list *of_loops, *of_regions;
};

/* Makes the lists of all loops and regions. The predicates of a loop are the branches in it from which two
 * disjoint paths lead to different ones of its ends, which are the edges that leave it and going round again;
 * where a loop inside it is left to different ends, also that loop's predicates. Of an irreducible region all
 * its branches are taken, and those of the loops whose headers are in it. Afterwards, predicate_lists_free,
 * also after an error. */
wb_status predicate_lists_init(const struct ssa *ssa, const struct loops *loops, struct decisions *decisions,
                               struct arena *arena, struct predicate_lists *lists);
void predicate_lists_free(struct predicate_lists *lists);

/* Starts a list, behind all others. */
void predicate_list_start(struct predicate_lists *lists, struct predicate_list *list);

/* Adds what a list that is complete has. */
wb_status predicate_list_add(struct predicate_lists *lists, struct predicate_list from);

/* Adds what the last search found to decide. */
wb_status predicate_list_add_found(struct predicate_lists *lists);

/* Ends the list that was started last. WB_ERR_LIMIT when there are too many predicates for 32 bits. */
wb_status predicate_list_end(const struct predicate_lists *lists, struct predicate_list *list);

#endif
