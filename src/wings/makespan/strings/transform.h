/* The transformation of ECRTS'12 section 3 and ETFA'13 section III-E: fractional capacities and instructions
 * of several cycles become repeated letters. */
#ifndef WB_STRINGS_TRANSFORM_H
#define WB_STRINGS_TRANSFORM_H

#include "wings/makespan/strings/spec.h"

/* What became of one unit type. */
struct unit_transform {
    bool used; /* by some string */
    struct ratio
        sigma;         /* warps that the units serve in a cycle, before the transformation, in lowest terms */
    uint32_t cycles;   /* of an instruction, before it */
    uint32_t copies;   /* letters that replace one letter: at least 1 */
    uint32_t capacity; /* after it; less than sigma where that is no whole number above 1 */
};

struct transform {
    struct unit_transform of[UNIT_TYPES];
};

/* Makes the problem of a spec and says how. WB_ERR_INPUT with a message where the spec lacks something,
 * contradicts itself or is beyond the limits of strings/problem.h. The problem is freed by the caller only
 * after WB_OK. */
wb_status transform_spec(const struct makespan_spec *spec, wb_diagnostics *diagnostics,
                         struct transform *transform, struct makespan_problem *problem);

/* Whether some letter is repeated, and whether some capacity is rounded down. */
bool transform_repeats(const struct transform *transform);
bool transform_rounds(const struct transform *transform);

/* Whether it does either. */
bool transform_changes(const struct transform *transform);

#endif
