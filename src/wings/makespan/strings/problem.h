/* The problem of ECRTS'12 and ETFA'13: warps that execute strings of one-cycle instructions on units that
 * have room for so many warps a cycle. What the user wrote becomes one by strings/transform.h.
 *
 * Time runs in cycles from 1. In a cycle a warp executes at most one instruction, at most capacity[u] warps
 * use unit type u, and at most issue_limit warps execute at all. Schedules are work-conserving: a warp whose
 * next instruction needs unit type u waits only while all capacity[u] places are taken or issue_limit
 * instructions issue. The makespan is the cycle in which the last instruction executes. */
#ifndef WB_STRINGS_PROBLEM_H
#define WB_STRINGS_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* Load/store units, CUDA cores, special function units, double-precision units: in this order everywhere. */
#define UNIT_TYPES 4u
#define UNIT_LETTERS "LCSD"

/* No more instructions of one string, warps, and instructions of all warps. */
#define MAKESPAN_LENGTH_MAX 1000000u
#define MAKESPAN_WARPS_MAX 1000000u
#define MAKESPAN_INSTRUCTIONS_MAX UINT64_C(100000000)

/* No unit type has room for more warps. */
#define CAPACITY_MAX 65535u

#define ISSUE_UNLIMITED UINT32_MAX

/* Warps that execute the same string. */
struct string_group {
    uint32_t warps;  /* at least 1 */
    uint32_t first;  /* its first position */
    uint32_t length; /* its positions: at least 1 */
};

/* The strings of all groups stand one behind the other: a *position* p is an instruction of one of them, and
 * a warp's state is the position of its next instruction. No two groups have equal strings. */
struct makespan_problem {
    uint32_t capacity[UNIT_TYPES]; /* sigma: from 1 to CAPACITY_MAX */
    uint32_t issue_limit;          /* Omega: at least 1, or ISSUE_UNLIMITED where it cannot bind */
    struct string_group *groups;
    uint32_t group_count;
    uint8_t *unit; /* per position: index of its unit type */
    bool *last;    /* per position: whether it is the last of its string */
    uint32_t position_count;
    uint32_t warp_count;
    uint64_t instruction_count; /* of all warps */
};

/* One group of a problem to be made: `units` are indices of unit types. */
struct string_use {
    uint32_t warps;
    const uint8_t *units;
    uint32_t length;
};

/* Makes a problem; groups of equal strings become one, where the first of them stands. An issue limit that
 * cannot bind (as many as all capacities in use together, or as all warps) becomes ISSUE_UNLIMITED.
 * WB_ERR_INPUT when it is beyond the limits above or empty, WB_ERR_LIMIT when memory is exhausted; both
 * without a message. Freed with problem_free, also after an error. */
wb_status problem_make(const struct string_use *uses, uint32_t use_count, const uint32_t capacity[UNIT_TYPES],
                       uint32_t issue_limit, struct makespan_problem *problem);
void problem_free(struct makespan_problem *problem);

/* The index of a unit type's letter, upper or lower case, or UNIT_TYPES when it is none. */
uint32_t unit_of_letter(char letter);

/* Instructions of type `unit` in the string of group `group`. */
uint64_t problem_unit_count(const struct makespan_problem *problem, uint32_t group, uint32_t unit);

/* Whether some string uses the type. */
bool problem_uses(const struct makespan_problem *problem, uint32_t unit);

/* The strings of a problem as *runs*: maximal stretches of instructions of one unit type. */
struct unit_run {
    uint8_t unit;
    bool last; /* of its string */
    uint32_t group;
    uint32_t first;  /* its first position */
    uint32_t length; /* its positions */
};

struct run_list {
    const struct makespan_problem *problem;
    struct unit_run *items; /* of all groups, in the order of positions */
    uint32_t count;
    uint32_t *of_position; /* the run that a position lies in */
};

/* In a protected arena. */
void run_list_make(const struct makespan_problem *problem, struct arena *arena, struct run_list *runs);

#endif
