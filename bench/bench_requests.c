/* Speed of counting transactions: recorded accesses a second, by their kind. */
#include <stdio.h>
#include <stdlib.h>

#include "base/containers.h"
#include "bench_support.h"
#include "memory/requests/requests.h"

#define SECONDS_MIN 0.5
#define ACCESSES 1024u

struct bench_case {
    const char *name;
    enum ptx_space space;
    uint32_t bytes;
    int64_t stride;
    bool scattered; /* a table of random addresses */
};

static const struct bench_case cases[] = {
    {"unit stride", PTX_SPACE_GLOBAL, 4, 4, false},
    {"unit stride of 16 bytes", PTX_SPACE_GLOBAL, 16, 16, false},
    {"one address", PTX_SPACE_GLOBAL, 4, 0, false},
    {"a line a lane", PTX_SPACE_GLOBAL, 4, 128, false},
    {"scattered", PTX_SPACE_GLOBAL, 4, 0, true},
    {"local scalar", PTX_SPACE_LOCAL, 4, 0, false},
    {"shared row", PTX_SPACE_SHARED, 4, 4, false},
    {"shared column", PTX_SPACE_SHARED, 4, 132, false},
    {"shared scattered", PTX_SPACE_SHARED, 4, 0, true},
};

static uint64_t tables[ACCESSES * WARP_LANES];

/* Accesses at different places; sectors of all of them are counted. */
static uint64_t count_all(const struct access *accesses, uint32_t granule) {
    uint64_t requests[REQUESTS_MAX], sum = 0;
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const struct access *access = &accesses[i];
        sum += access->space == PTX_SPACE_SHARED
                   ? access_wavefronts(access, tables, 0)
                   : access_requests(access, tables, (uint64_t)i * 4096, granule, requests);
    }
    return sum;
}

static void bench(const struct bench_case *bench, uint32_t granule) {
    static struct access accesses[ACCESSES];
    for (uint32_t i = 0; i < ACCESSES; i++)
        accesses[i] = (struct access){.space = (uint8_t)bench->space,
                                      .bytes = (uint8_t)bench->bytes,
                                      .base = (uint64_t)(i % 8) * 64,
                                      .stride = bench->stride,
                                      .mask = UINT32_MAX,
                                      .table = bench->scattered ? i * WARP_LANES : ACCESS_AFFINE};
    double start = seconds(), spent = 0;
    uint64_t done = 0, sum = 0;
    for (; spent < SECONDS_MIN; spent = seconds() - start) {
        sum += count_all(accesses, granule);
        done += ACCESSES;
    }
    printf("transactions %-24s %7.1f million accesses/s (%.1f each)\n", bench->name,
           (double)done / spent / 1e6, (double)sum / (double)done);
}

int main(void) {
    struct random_state random = random_seeded(1);
    for (uint32_t i = 0; i < ACCESSES * WARP_LANES; i++)
        tables[i] = random_below(&random, 1 << 16) * 4;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        bench(&cases[i], MEMORY_SECTOR_BYTES);
    return EXIT_SUCCESS;
}
