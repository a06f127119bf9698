/* One kernel on one machine: what is proven of it, and how long executions take that were found. */
#ifndef WB_BENCH_TIGHTNESS_MEASURE_H
#define WB_BENCH_TIGHTNESS_MEASURE_H

#include "sweep.h"

/* Registers of a thread where they are known: so few that they never limit how many blocks an SM holds. */
#define KNOWN_REGISTERS 32

/* Cycles, and what they are of: a method or a policy. Without a name there are none. */
struct timed_by {
    uint64_t cycles;
    const char *name;
};

struct measurement {
    bool failed;                    /* nothing below is known, */
    char *why;                      /* for this reason; malloced */
    uint32_t blocks;                /* of the grid */
    uint32_t rooms;                 /* blocks that an SM holds at a time */
    uint64_t instructions;          /* that all warps execute */
    struct timed_by proven;         /* the least proven bound, registers known, */
    struct timed_by proven_unknown; /* and unknown */
    struct timed_by witness;        /* the slowest execution found, by whatever means */
    struct timed_by simulated;      /* under the slowest of the policies that are shipped */
    uint64_t parts[WB_PART_COUNT];  /* cycles of `proven` by cause */
    double seconds;                 /* processor time */
};

/* Measures a case. What fails is noted. */
void measure(const struct sweep_case *one, struct measurement *measurement);

/* Ratios, or 0 where one of the two is not known. */
double measurement_ratio(const struct timed_by *numerator, const struct timed_by *denominator);

#endif
