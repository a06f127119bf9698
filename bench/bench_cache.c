/* Speed of the concrete cache: loads a second for a stream that mostly hits, one that mostly misses, and one
 * in between. */
#include "base/containers.h"
#include "bench_support.h"
#include "memory/caches/caches.h"

#define LOADS 20000000u
#define ADDRESSES (1u << 16)

static uint64_t addresses[ADDRESSES];

/* Loads `repeat` times in a row from each of `lines` random lines. */
static void fill(uint64_t lines, uint32_t repeat) {
    struct random_state random = random_seeded(1);
    for (uint32_t i = 0; i < ADDRESSES; i++)
        addresses[i] = i % repeat != 0 ? addresses[i - 1] : random_below(&random, lines) * 128;
}

static void measure(const char *name, const struct cache_geometry *geometry) {
    struct arena arena = {0};
    struct cache cache;
    if (cache_init(&cache, geometry, &arena) != WB_OK) exit(1);
    double start = seconds();
    uint64_t hits = 0;
    for (uint32_t i = 0; i < LOADS; i++)
        hits += cache_load(&cache, addresses[i % ADDRESSES]).hit;
    double taken = seconds() - start;
    (void)printf("%-36s %6.1f million loads/s, %.1f %% hits\n", name, LOADS / taken / 1e6,
                 100.0 * (double)hits / LOADS);
    arena_free(&arena);
}

int main(void) {
    struct cache_geometry geometry = {.bytes = 16384, .ways = 4, .line_bytes = 128, .sector_bytes = 128};
    fill(4096, 4);
    measure("cache, 4 ways, each line 4 times", &geometry);
    fill(128, 1);
    measure("cache, 4 ways, random, fitting", &geometry);
    fill(4096, 1);
    measure("cache, 4 ways, random, not fitting", &geometry);
    geometry.ways = 16;
    geometry.hashed = true;
    measure("cache, 16 ways, hashed, not fitting", &geometry);
    return 0;
}
