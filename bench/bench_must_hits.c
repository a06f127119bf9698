/* Speed of the analysis of must hits: requests a second, of all SMs of a grid, with as many blocks resident
 * as fit, and with one at a time, where more is left to be looked at. */
#include <stdio.h>
#include <stdlib.h>

#include "grid_support.h"
#include "machine/occupancy.h"
#include "memory/caches/misses.h"
#include "memory/requests/requests.h"

static void bench_share(const struct bench_case *bench, const struct timed_grid *timed, uint32_t resident,
                        struct bench_run *run) {
    struct miss_bound total = {0};
    double start = seconds();
    struct sm_share share = {.sms = timed->machine->memory.sms, .resident = resident};
    for (share.sm = 0; share.sm < share.sms; share.sm++) {
        struct must_hits hits;
        require(must_hits_make(&timed->traffic, &timed->code, &share, run->diagnostics, &hits),
                run->diagnostics);
        total.load_requests += hits.misses.load_requests;
        total.store_requests += hits.misses.store_requests + hits.misses.atomic_requests;
        total.must_hits += hits.misses.must_hits;
        total.load_misses += hits.misses.load_misses;
        must_hits_free(&hits);
    }
    double spent = seconds() - start;
    uint64_t requests = total.load_requests + total.store_requests;
    printf("must hits %-14s %u resident: %6.2f million requests/s (%llu requests; of the loads %.1f %% "
           "surely hit, "
           "at most %.1f %% miss)\n",
           bench->kernel, resident, (double)requests / spent / 1e6, (unsigned long long)requests,
           100.0 * (double)total.must_hits / (double)total.load_requests,
           100.0 * (double)total.load_misses / (double)total.load_requests);
}

static void bench_kernel(const struct bench_case *bench, struct bench_run *run) {
    struct timed_grid timed;
    bench_trace(bench, run);
    require(timed_grid_make(run->grid, run->machine, run->diagnostics, &timed), run->diagnostics);
    const struct block_demand demand = grid_block_demand(run->grid);
    struct resident_range resident;
    require(machine_resident_range(run->machine, &demand, false, run->diagnostics, &resident),
            run->diagnostics);
    bench_share(bench, &timed, resident.most, run);
    bench_share(bench, &timed, 1, run);
    timed_grid_free(&timed);
    bench_untrace(run);
}

int main(void) {
    return bench_all(bench_kernel);
}
