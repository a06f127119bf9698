/* Loops written by hand, each with the bound that it must get. */
#ifndef WB_TESTS_LOOP_CASES_H
#define WB_TESTS_LOOP_CASES_H

#include "loop_support.h"

#define NO_BOUND UINT64_MAX

/* A kernel with parameters n (32 bits), m (32 bits) and w (64 bits), launched in blocks of 64 threads. Of the
 * parameters those are known whose value is not negative. */
struct loop_case {
    const char *name;
    const char *body;     /* the loops' headers have the labels A, B, ... */
    uint64_t expected[3]; /* most executions of the headers A, B, C; 0 behind the last */
    int64_t n, m;         /* parameters; -1: not known */
};

#define UNKNOWN (-1)

/* Bounds the loops of every case, and compares. */
void loop_cases_check(const struct loop_case *cases, size_t count);

#define CHECK(cases) loop_cases_check(cases, sizeof(cases) / sizeof *(cases))

#endif
