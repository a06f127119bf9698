/* The figures, in percent, of L. Jeanmougin, T. Carle and C. Rochange: "Bounding the WCET of a GPU Thread
 * Block with a Multi-Phase Representation of Warps Execution", ECRTS 2025, which is what "the paper" means in
 * this folder. */
#ifndef WB_REPRODUCE_PUBLISHED_H
#define WB_REPRODUCE_PUBLISHED_H

#include "study.h"

/* A row of table 3: how far a bound lies above the simulation. */
struct published_overestimation {
    double mean, max, weighted, deviation;
};

/* By latency, in the order of study_latencies. */
extern const struct published_overestimation published_gub[LATENCY_COUNT][POLICY_COUNT];
extern const struct published_overestimation published_single[LATENCY_COUNT];

/* Table 4: GUB above the simulation, under a policy that the paper does not name. Of the variants of a
 * product the figures of that product. */
typedef double published_warps[WARPS_COUNT];
const published_warps *published_sgemm(enum sgemm sgemm); /* [LATENCY_COUNT] */

/* Table 2: time with a feature in percent of the time without it. */
struct published_ablation {
    double mean, deviation, min, max;
};

extern const struct published_ablation published_ablation[COLUMN_COUNT];

#endif
