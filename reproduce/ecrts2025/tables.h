/* The tables of the reproduction as Markdown, each with the published figures beside its own. */
#ifndef WB_REPRODUCE_TABLES_H
#define WB_REPRODUCE_TABLES_H

#include "base/text.h"
#include "statistics.h"
#include "study.h"

/* Overestimation of a bound over all kernels, weighted with the simulated times. */
struct sample sample_method(const struct study *study, enum model model, size_t latency, enum method method,
                            enum policy policy);

/* Overestimation of the profile of warp 0 alone. */
struct sample sample_single(const struct study *study, enum model model, size_t latency);

/* Table 3: profiles of single warps; one bound by latency and policy. */
void table_single(struct text *out, const struct study *study, enum model model);
void table_method(struct text *out, const struct study *study, enum model model, enum method method);

/* Table 4: a bound of one matrix product by latency and number of warps. */
void table_sgemm(struct text *out, const struct study *study, enum sgemm sgemm, enum method method);

/* Bounds and times of the products' blocks of the fewest warps, in cycles, at some latencies. */
void table_sgemm_cycles(struct text *out, const struct study *study);

/* Table 2: each column with and without its feature, the features of the columns before taken away; and
 * features by themselves on a plain machine. */
void table_ablation(struct text *out, const struct study *study);
void table_lone_features(struct text *out, const struct study *study);

/* Simulations that took longer than a bound of the block: returns how many pairs of them there are on a
 * model, and lists those of MODEL_GPGPUSIM. */
size_t count_exceeded(const struct study *study, enum model model);
void table_exceeded(struct text *out, const struct study *study);

/* Simulations of warp 0 that took longer than its profile, likewise. */
size_t count_profiles_exceeded(const struct study *study, enum model model);

/* By how many cycles an excess over a profile is larger than the number of jumps of the path, at most; the
 * configuration with narrow stores left out. */
uint64_t profile_excess_beyond_jumps(const struct study *study);

void table_profiles_exceeded(struct text *out, const struct study *study);

/* Each kernel at the typical latency. */
void table_kernels(struct text *out, const struct study *study);

#endif
