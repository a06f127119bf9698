/* The initial solutions of ETFA'13 section VI, as warp pseudo-precedence strings. */
#ifndef WB_MAKESPAN_ANNEAL_START_H
#define WB_MAKESPAN_ANNEAL_START_H

#include "base/random.h"
#include "strings/problem.h"

enum anneal_start {
    START_ROUND_ROBIN,
    START_FIXED_PRIORITY,
    START_MOST_PENDING,
    START_RANDOM,
    ANNEAL_STARTS /* how many there are */
};

/* The kind that an instance of the annealing starts from: they take turns. */
enum anneal_start anneal_start_of(uint32_t instance);

/* What the kind is called in reports. */
const char *anneal_start_name(enum anneal_start start);

/* Writes the string of that kind; `random` is used by START_RANDOM only. WB_ERR_LIMIT without a message. */
wb_status anneal_start_string(const struct makespan_problem *problem, enum anneal_start start,
                              struct random_state *random, uint32_t *string);

#endif
