/* Intervals by which pictures show how numbers are spread. */
#ifndef WB_WINGS_DEVICE_BINS_H
#define WB_WINGS_DEVICE_BINS_H

#include <stdint.h>

#define BINS 20u
#define BIN_LABEL_MAX 32u

/* BINS of `width` each, from `from` on. */
struct bins {
    uint64_t from, width;
    char labels[BINS][BIN_LABEL_MAX];
    const char *shown[BINS];
    double values[2][BINS]; /* how many there are in each, of one or two series */
};

/* picture.c: covers `least` to `most`; labels are in `unit`s. */
void bins_lay_out(struct bins *bins, uint64_t least, uint64_t most, double unit, int decimals);

#endif
