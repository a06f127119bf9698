/* Statistics over a sample of blocks, as table 3 of ECRTS 2025 has them. */
#ifndef WB_REPRODUCE_STATISTICS_H
#define WB_REPRODUCE_STATISTICS_H

#include <stddef.h>

/* Running sums over a sample. Zero-initialised it is empty. */
struct sample {
    size_t count;
    double sum, squares;           /* of the values about `first` */
    double first, least, greatest; /* values */
    double weights, weighted;      /* sum of the weights, and of value times weight */
};

/* Adds a value with its weight, at least 0. */
void sample_add(struct sample *sample, double value, double weight);

/* The statistics of a sample that is not empty; the weighted mean needs a weight above 0. */
double sample_mean(const struct sample *sample);
double sample_weighted_mean(const struct sample *sample);

/* The standard deviation of the sample itself: the divisor is the number of values. */
double sample_deviation(const struct sample *sample);

#endif
