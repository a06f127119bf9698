/* A search for a long schedule through states, layer by layer: a layer are the states in which equally many
 * instructions have been executed. With few states kept in each layer it is a beam search. When it left
 * nothing out, and its bounds were more than estimates (run_guide.h), it is a proof (docs/makespan-proofs.md,
 * T5). */
#ifndef WB_MAKESPAN_LAYER_SEARCH_H
#define WB_MAKESPAN_LAYER_SEARCH_H

#include "base/vec.h"
#include "makespan/exact_tail.h"
#include "makespan/run_table.h"

struct layer_search_plan {
    const struct run_list *runs;
    const struct exact_tail *tail; /* ends schedules; of fewer warps than the problem has */
    const struct run_table *table; /* NULL: bounds are from the closed form */
    uint32_t target;               /* cycles: only longer schedules are looked for */
    uint32_t width;                /* states kept in each layer; UINT32_MAX: all */
    uint64_t most;                 /* successors taken of one kind (successors.h) */
    uint64_t memory;               /* bytes that may be taken */
    uint64_t successors;           /* that may be looked at */
};

struct layer_search_result {
    uint32_t makespan; /* of the longest schedule found that takes longer than the target; else the target */
    bool complete;     /* no schedule takes longer than `makespan` */
    bool stopped;      /* makespan_goes_on said no */
    uint64_t successors; /* looked at */
    VEC(uint16_t)
    states; /* of that schedule, one after another, counts per position: from the initial state
               to the first that the tail knows; none where no schedule was found */
};

/* WB_ERR_LIMIT without a message when memory is exhausted. The result is freed with vec_free(&states), also
 * after an error. */
wb_status layer_search(const struct makespan_run *run, const struct layer_search_plan *plan,
                       struct layer_search_result *result);

#endif
