/* Makespan problems of identical warps for benchmarks, written as a user writes them. */
#ifndef WB_BENCH_MAKESPAN_SUPPORT_H
#define WB_BENCH_MAKESPAN_SUPPORT_H

#include <string.h>

#include "bench_support.h"
#include "wings/makespan/strings/notation.h"

/* Ends the program when it cannot; freed with problem_free. */
static inline struct makespan_problem identical_warps(const char *notation, uint32_t warps,
                                                      const uint32_t capacity[UNIT_TYPES],
                                                      uint32_t issue_limit, wb_diagnostics *diagnostics) {
    struct unit_string string = {0};
    struct makespan_problem problem;
    const struct subject subject = {.where = notation};
    require(notation_parse(notation, strlen(notation), &subject, diagnostics, &string), diagnostics);
    const struct string_use use = {warps, string.units.items, (uint32_t)string.units.count};
    require(problem_make(&use, 1, capacity, issue_limit, &problem), diagnostics);
    unit_string_free(&string);
    return problem;
}

#endif
