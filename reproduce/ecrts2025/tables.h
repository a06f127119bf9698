/* What the measurements say together, and all of them as CSV files, with the published figures beside their
 * own. */
#ifndef WB_REPRODUCE_TABLES_H
#define WB_REPRODUCE_TABLES_H

#include "output.h"
#include "statistics.h"
#include "study.h"

/* File names. */
#define TABLES_BLOCKS "blocks.csv"
#define TABLES_TABLE3 "table3.csv"
#define TABLES_PRODUCTS "products.csv"
#define TABLES_ABLATION "ablation.csv"

/* Overestimation of a bound over all kernels, weighted with the simulated times. */
struct sample sample_method(const struct study *study, enum model model, size_t latency, enum method method,
                            enum policy policy);

/* Overestimation of the profile of warp 0, isolated. */
struct sample sample_single(const struct study *study, enum model model, size_t latency);

/* Time with the feature of a column in percent of that without, the features of the columns before taken
 * away; and with a feature by itself on a plain machine. */
struct sample sample_ablation(const struct study *study, enum column column, enum policy policy);
struct sample sample_single_feature(const struct study *study, enum single_feature feature,
                                    enum policy policy);

/* How many pairs of a bound and a simulation of the block on a model there are in which the simulation takes
 * longer; and of the profile and the simulation of warp 0. */
size_t count_exceeded(const struct study *study, enum model model);
size_t count_profiles_exceeded(const struct study *study, enum model model);

/* By how many cycles an excess over a profile is larger than the number of jumps of the path, at most; the
 * configuration with narrow stores is skipped. */
uint64_t profile_excess_beyond_jumps(const struct study *study);

/* Writes all CSV files. */
wb_status tables_write(const struct output *output, const struct study *study);

#endif
