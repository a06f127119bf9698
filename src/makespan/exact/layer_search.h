/* A set of states of a search, each with the latest time at which it was reached. */
#ifndef WB_MAKESPAN_EXACT_LAYER_SEARCH_H
#define WB_MAKESPAN_EXACT_LAYER_SEARCH_H

#include <stdbool.h>

#include "base/vec.h"
#include "makespan/exact/run_table.h"
#include "makespan/states/exact_tail.h"
#include "strings/problem.h"

struct state_entry {
    uint32_t time;     /* cycles until the state */
    uint32_t bound;    /* on those that remain */
    uint32_t parent;   /* the caller's number of the state before; of several the least */
    uint32_t bunching; /* sum of the squares of its counts */
    uint32_t hash;
    uint32_t counts; /* where its counts are, in states */
};

/* Zero-initialised, but for position_count, it is empty. */
struct state_set {
    uint32_t position_count;
    struct state_entry *entries;
    uint32_t count;
    uint32_t room;
    uint16_t *counts; /* position_count of each entry */
    uint32_t *slots;  /* hash table of entry numbers plus 1; 0: empty */
    uint32_t slot_count;
};

/* Adds a state with the entry's time, bound and parent, or raises its time. WB_ERR_LIMIT without a message
 * when memory is exhausted. */
wb_status state_set_add(struct state_set *set, const uint16_t *counts, const struct state_entry *entry);

/* Sorts the entries, those with the greatest time + bound first, and keeps the first `width`. WB_ERR_LIMIT
 * without a message when memory is exhausted. */
wb_status state_set_keep(struct state_set *set, uint32_t width);

/* Sets counts[p] to the warps at position p before the first cycle; they must fit 16 bits. */
void state_initial(const struct makespan_problem *problem, uint16_t *counts);

/* The counts of an entry. */
static inline const uint16_t *state_counts(const struct state_set *set, const struct state_entry *entry) {
    return set->counts + (uint64_t)entry->counts * set->position_count;
}

/* Bytes taken. */
uint64_t state_set_bytes(const struct state_set *set);

/* Makes it empty and keeps its memory. */
void state_set_clear(struct state_set *set);

void state_set_free(struct state_set *set);

/* A search for a long schedule through states, layer by layer: a layer are the states in which equally many
 * instructions have been executed. With few states kept in each layer it is a beam search. When it left
 * nothing out, and its bounds were more than estimates (run_table.h), it is a proof (docs/makespan-proofs.md,
 * T5). */

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
