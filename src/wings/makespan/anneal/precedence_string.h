/* Warp pseudo-precedence strings (ETFA'13 section IV): a schedule as the order in which the warps get their
 * places. Such a string has every warp's identifier once for each of its instructions, in any order; the k-th
 * time that an identifier stands there it means the warp's k-th instruction. Identifiers count from 0, in the
 * order of the problem's groups; the paper counts from 1.
 *
 * The schedule of a string gives each instruction, in the order of the string, the earliest cycle that is
 * behind the warp's instruction before it and still has room at its unit type and, with an issue limit, for
 * one more instruction. It is always work-conserving: when an instruction is placed, every cycle in which it
 * waits has its unit type full or all instructions issued, and places that are taken stay taken. And every
 * work-conserving schedule comes from a string, the one that reads it cycle by cycle: an instruction's waits
 * are full with instructions of earlier cycles of the schedule, which the string has placed before it. */
#ifndef WB_MAKESPAN_ANNEAL_PRECEDENCE_STRING_H
#define WB_MAKESPAN_ANNEAL_PRECEDENCE_STRING_H

#include "base/containers.h"
#include "wings/makespan/strings/problem.h"
#include "wings/makespan/strings/schedule.h"

/* Bytes that precedence_schedule takes, with its result; `longest` bounds the makespan of every schedule. */
uint64_t precedence_bytes(const struct makespan_problem *problem, uint64_t longest);

/* Makes the schedule of a string (Fig. 4), in place of *schedule, if that has cycles. The arena, here and
 * below, is protected or has the memory. False when `goes_on` (NULL: none), which is asked regularly for long
 * strings, says no. */
bool precedence_schedule(const struct makespan_problem *problem, const uint32_t *string,
                         bool (*goes_on)(void *user), void *user, struct arena *arena,
                         struct schedule *schedule);

/* The warp cycle string (section VII): for each identifier of the string the cycle in which the schedule
 * executes what it means. `cycle_string` has room for problem->instruction_count. */
void precedence_cycles(const struct makespan_problem *problem, const uint32_t *string,
                       const struct schedule *schedule, struct arena *arena, uint32_t *cycle_string);

/* The initial solutions of ETFA'13 section VI, as warp pseudo-precedence strings. */
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

/* Writes the string of that kind; `random` is used by START_RANDOM only. */
void anneal_start_string(const struct makespan_problem *problem, enum anneal_start start,
                         struct random_state *random, struct arena *arena, uint32_t *string);

#endif
