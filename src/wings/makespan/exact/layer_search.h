/* A search for a long schedule through states, layer by layer: a layer are the states in which equally many
 * instructions have been executed. With few states kept in each layer it is a beam search. When it left
 * nothing out, and its bounds were more than estimates (run_table.h), it is a proof (docs/makespan-proofs.md,
 * T5). */
#ifndef WB_MAKESPAN_EXACT_LAYER_SEARCH_H
#define WB_MAKESPAN_EXACT_LAYER_SEARCH_H

#include "base/base.h"
#include "wings/makespan/exact/run_table.h"
#include "wings/makespan/states/exact_tail.h"
#include <stdbool.h>

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
    uint64_t successors;  /* looked at */
    uint16_t *states;     /* of that schedule, one after another, counts per position: from the initial state
                             to the first that the tail knows */
    uint32_t state_count; /* 0: no schedule was found */
};

/* The states are in the arena, which is protected. */
struct layer_search_result layer_search(const struct makespan_run *run, const struct layer_search_plan *plan,
                                        struct arena *arena);

/* Sets counts[p] to the warps at position p before the first cycle; they must fit 16 bits. */
void state_initial(const struct makespan_problem *problem, uint16_t *counts);

#endif
