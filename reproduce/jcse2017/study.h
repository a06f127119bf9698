/* Everything that is measured: kernels of kernels/index.txt on the GPU of JCSE 2017, table 2, under its three
 * schemes and with its three first-level caches. */
#ifndef WB_REPRODUCE_JCSE2017_STUDY_H
#define WB_REPRODUCE_JCSE2017_STUDY_H

#include "base/base.h"
#include "isolated.h"
#include "warpbound.h"

/* The schemes of Fig. 8, in the order of the tables. */
enum scheme { SCHEME_DEFAULT, SCHEME_PURE_RR, SCHEME_REORDER, SCHEME_COUNT };
extern const char *const scheme_names[SCHEME_COUNT];

/* The first-level caches of table 2: 16 kB with 4 ways, 32 with 8, 64 with 16. */
enum { SIZE_COUNT = 3 };
extern const char *const size_names[SIZE_COUNT];

/* A kernel with one first-level cache. */
struct measurement {
    uint64_t simulated[SCHEME_COUNT]; /* cycles */
    uint64_t misses[SCHEME_COUNT];    /* of loads, simulated */
    uint64_t loads;                   /* requests of loads */
    uint64_t misses_estimated;        /* by replaying the access order */
    uint64_t wcet_all_miss;           /* segments with eq. (3), cycles */
    uint64_t wcet_miss_rate;          /* segments with eq. (4) */
    uint64_t upper_default;           /* least proven bound under the scheme, cycles */
    uint64_t upper_reorder;
};

struct study_kernel {
    const char *name;
    uint32_t blocks, warps; /* of the grid; of a block */
    uint64_t instructions;  /* of all warps */
    struct measurement at[SIZE_COUNT];
    struct isolated isolated;
};

struct study {
    struct study_kernel *kernels;
    size_t kernel_count;
};

/* Runs everything, from the project's top folder. The study is freed in any case. */
wb_status study_run(wb_diagnostics *diagnostics, struct study *study);
void study_free(struct study *study);

/* A number of each kernel at one cache. */
typedef double study_value(const struct measurement *measurement);

/* The mean over all kernels. */
double study_mean(const struct study *study, size_t size, study_value *value);

/* Misses of loads, simulated under reordering and estimated, in percent of the loads. */
double value_miss_rate(const struct measurement *measurement);
double value_miss_rate_estimated(const struct measurement *measurement);

/* Estimated above simulated misses (1: as estimated). */
double value_estimate_ratio(const struct measurement *measurement);

/* How far a WCET estimate, or a proven bound, lies above the simulation under reordering, in percent. */
double value_over_all_miss(const struct measurement *measurement);
double value_over_miss_rate(const struct measurement *measurement);
double value_over_upper(const struct measurement *measurement);

#endif
