/* The exponential function of numbers below 0, the same on every machine, bit for bit, which a library's is
 * not: chances of simulated annealing, and with them its results, rest on it. */
#ifndef WB_BASE_DECAY_H
#define WB_BASE_DECAY_H

/* exp(-x) for x >= 0, but for some 10^-12 of it: by its series where x is small, to which halving leads. Only
 * sums, products and quotients of doubles, each of which IEEE 754 determines. */
static inline double decay(double x) {
    unsigned halved = 0;
    if (!(x < 700)) return 0;
    for (; x > 0.125; halved++)
        x *= 0.5;
    double value = 1;
    for (unsigned term = 12; term > 0; term--)
        value = 1 - x / term * value;
    for (; halved > 0; halved--)
        value *= value;
    return value;
}

#endif
