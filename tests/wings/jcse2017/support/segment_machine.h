/* A machine that executes warp instruction segments cycle by cycle: one issue a cycle, LI instructions of one
 * cycle a segment, the next segment of a warp LE cycles after the last of them. Independent of the library's
 * formulas. */
#ifndef WB_TESTS_SEGMENT_MACHINE_H
#define WB_TESTS_SEGMENT_MACHINE_H

#include "wings/jcse2017/segments.h"

#define SEGMENT_WARPS_MAX 8u
#define SEGMENTS_MAX 8u

/* The matrices LI and LE; warp i has counts[i] segments. */
struct segment_program {
    struct segment segments[SEGMENT_WARPS_MAX][SEGMENTS_MAX];
    size_t counts[SEGMENT_WARPS_MAX];
    size_t warp_count;
};

enum segment_policy {
    SEGMENT_TURNS,     /* a whole segment a turn; the warp whose turn it is is waited for */
    INSTRUCTION_TURNS, /* one instruction a turn; the warp whose turn it is is waited for */
    LOOSE_ROUND_ROBIN, /* the next ready warp behind the last one */
    GREEDY_OLDEST,     /* the last warp while it is ready, else the lowest ready one */
    ANY_READY,         /* a ready warp by chance */
};

/* When all segments are complete. `seed` is of ANY_READY. */
cycles segment_machine_run(const struct segment_program *program, enum segment_policy policy, uint64_t seed);

/* What the library computes for the matrices: segments_in_turn. */
cycles segment_program_in_turn(const struct segment_program *program);

/* The sum of all LI plus the largest sum of LE of a warp. */
cycles segment_program_sum(const struct segment_program *program);

#endif
