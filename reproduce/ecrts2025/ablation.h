/* Table 2: one block on machines from one with everything that GPUs have to the plain one of the paper's
 * assumptions, each without a feature that the one before it has. */
#ifndef WB_REPRODUCE_ABLATION_H
#define WB_REPRODUCE_ABLATION_H

#include "measure.h"

/* The columns, in the order in which the features are taken away. */
enum column {
    COLUMN_FETCH,      /* an instruction cache; without: fetch never misses */
    COLUMN_SUB_CORES,  /* four sub-cores; without: one */
    COLUMN_DUAL_ISSUE, /* two instructions of a warp in a cycle; without: one */
    COLUMN_CACHE,      /* data caches; without: memory serves one sector a cycle */
    COLUMN_COALESCING, /* an access is as many sectors as it touches; without: one transaction, for which
                          nobody else waits */
    COLUMN_COUNT
};

/* A feature by itself, added to a plain machine. */
enum single_feature {
    SINGLE_FETCH,
    SINGLE_SUB_CORES,
    SINGLE_DUAL_ISSUE,
    SINGLE_DUAL_ISSUE_GPGPUSIM, /* the same on the machine that follows GPGPU-Sim */
    SINGLE_SECTORS,             /* sectors and bank conflicts, but no waiting in memory */
    SINGLE_MEMORY_400,          /* sectors that memory serves one by one, with a latency of 400 cycles, */
    SINGLE_MEMORY_600,          /* of 600 */
    SINGLE_COUNT
};

struct ablation {
    /* Cycles without the features of the columns before this one; last: without all. */
    uint64_t chain[COLUMN_COUNT + 1][POLICY_COUNT];
    uint64_t single[SINGLE_COUNT][POLICY_COUNT];
};

/* Settings of the preset ecrts2025-orin, KEY=VALUE, NULL behind the last: the machine that has everything,
 * and what takes the feature of each column away. */
extern const char *const ablation_everything[];
extern const char *const *const ablation_without[COLUMN_COUNT];
extern const char *const column_titles[COLUMN_COUNT];

/* A preset with a feature. */
struct single_machine {
    const char *title, *preset;
    const char *const *settings;
};
extern const struct single_machine single_features[SINGLE_COUNT];

wb_status ablation_measure(const wb_block *block, wb_diagnostics *diagnostics, struct ablation *ablation);

#endif
