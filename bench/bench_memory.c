/* Speed of the miss-rate estimate: from the requests of a grid to its misses. Tracing the grid and making its
 * requests are timed apart. */
#include <stdio.h>
#include <stdlib.h>

#include "grid_support.h"
#include "memory/caches/caches.h"

/* Each case is estimated for at least this long, in processor seconds. */
#define SECONDS_MIN 1.0

/* Estimates again and again; the counts of all times are the same. */
static uint32_t estimate(const struct traffic *traffic, const struct bench_run *run,
                         struct miss_counts *total, double *spent) {
    double start = seconds();
    uint32_t rounds = 0;
    for (*spent = 0; *spent < SECONDS_MIN; rounds++) {
        struct miss_estimate made;
        require(miss_estimate_make(traffic, 1, run->diagnostics, &made), run->diagnostics);
        *total = made.total;
        miss_estimate_free(&made);
        *spent = seconds() - start;
    }
    return rounds;
}

static void bench_estimate(const struct bench_case *bench, struct bench_run *run) {
    struct traffic traffic;
    struct miss_counts total;
    double spent, start = seconds();
    bench_trace(bench, run);
    double traced = seconds();
    require(traffic_make(run->grid, run->machine, run->diagnostics, &traffic), run->diagnostics);
    double made = seconds();
    uint32_t rounds = estimate(&traffic, run, &total, &spent);
    printf(
        "miss estimate %-14s %7.2f million requests/s (%llu requests, %.1f %% of loads miss; tracing %.2f s, "
        "requests %.3f s)\n",
        bench->kernel, (double)total.requests * rounds / spent / 1e6, (unsigned long long)total.requests,
        100.0 * (double)total.load_misses / (double)total.load_requests, traced - start, made - traced);
    traffic_free(&traffic);
    bench_untrace(run);
}

int main(void) {
    return bench_all(bench_estimate);
}
