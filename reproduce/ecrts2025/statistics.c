#include "statistics.h"

#include <math.h>

void sample_add(struct sample *sample, double value, double weight) {
    if (sample->count == 0) sample->first = sample->least = sample->greatest = value;
    /* Sums about a value of the sample: squares of large values would cancel each other badly. */
    double distance = value - sample->first;
    sample->count++;
    sample->sum += distance;
    sample->squares += distance * distance;
    sample->least = fmin(sample->least, value);
    sample->greatest = fmax(sample->greatest, value);
    sample->weights += weight;
    sample->weighted += weight * value;
}

double sample_mean(const struct sample *sample) {
    return sample->first + sample->sum / (double)sample->count;
}

double sample_weighted_mean(const struct sample *sample) {
    return sample->weighted / sample->weights;
}

double sample_deviation(const struct sample *sample) {
    double mean = sample->sum / (double)sample->count;
    return sqrt(fmax(sample->squares / (double)sample->count - mean * mean, 0.0));
}
