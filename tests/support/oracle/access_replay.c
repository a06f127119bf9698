#include "access_replay.h"

#include <stdlib.h>

#include "memory/caches/caches.h"

/* A cache with what it counted. */
struct replay_cache {
    struct arena arena;
    struct cache cache;
    struct miss_counts counts;
};

static void replay_access(const struct traffic *traffic, const struct ordered_access *access,
                          struct replay_cache *replay) {
    uint64_t base = traffic_base(traffic, access->block, access->warp, access->access->group);
    replay->counts.accesses++;
    for (uint32_t r = 0; r < access->access->request_count; r++) {
        uint64_t address = base + access->pattern->offsets[access->access->first_request + r];
        replay->counts.requests++;
        if (access->access->kind == TRAFFIC_LOAD) {
            replay->counts.load_requests++;
            replay->counts.load_misses += !cache_load(&replay->cache, address).hit;
        } else {
            bool updates =
                access->access->kind == TRAFFIC_STORE && traffic->machine->memory.l1_store == STORE_UPDATES;
            (void)cache_store(&replay->cache, address, updates ? STORE_UPDATES : STORE_EVICTS);
            replay->counts.load_requests += access->access->kind == TRAFFIC_UNCACHED;
            replay->counts.load_misses += access->access->kind == TRAFFIC_UNCACHED;
        }
    }
}

/* One access with all parts of its key. */
struct keyed_access {
    uint64_t key[5];
    struct ordered_access access;
};

static int compare_keys(const void *a, const void *b) {
    const struct keyed_access *left = a, *right = b;
    for (int i = 0; i < 5; i++)
        if (left->key[i] != right->key[i]) return left->key[i] < right->key[i] ? -1 : 1;
    return 0;
}

struct ordered_access *access_order_sorted(const struct traffic *traffic, const struct sm_share *share,
                                           bool warp_first, size_t *count) {
    VEC(struct keyed_access) all = {0};
    for (uint32_t b = share->sm; b < traffic->grid->blocks.count; b += share->sms) {
        for (uint32_t w = 0; w < traffic->grid->warp_count; w++) {
            const struct traffic_pattern *pattern = traffic_pattern_of(traffic, b, w);
            for (uint32_t a = 0; a < pattern->access_count; a++) {
                const struct traffic_access *access = &pattern->accesses[a];
                if (access->kind == TRAFFIC_ON_CHIP) continue;
                uint64_t generation = b / share->sms / share->resident;
                uint64_t epoch = traffic_positions_of(traffic, b, w)[a].epoch;
                struct keyed_access made = {
                    {generation, epoch, access->instruction, warp_first ? w : b, warp_first ? b : w},
                    {.block = b, .warp = w, .pattern = pattern, .access = access}};
                if (vec_push(&all, made) != WB_OK) abort();
            }
        }
    }
    if (all.count > 0) qsort(all.items, all.count, sizeof *all.items, compare_keys);
    struct ordered_access *sorted = calloc(all.count + 1, sizeof *sorted);
    if (sorted == NULL) abort();
    for (size_t i = 0; i < all.count; i++)
        sorted[i] = all.items[i].access;
    *count = all.count;
    vec_free(&all);
    return sorted;
}

/* The blocks of an SM without any order between the warps. */
struct replay_run {
    const struct traffic *traffic;
    uint32_t resident;
    uint32_t *next;   /* per block and warp the index of its next access */
    uint32_t *blocks; /* the resident ones, oldest first */
    uint32_t block_count, started;
    uint32_t *able; /* numbers block * warp_count + warp that can go on */
    uint32_t able_count;
    uint64_t last; /* the number that went on last; UINT64_MAX: none */
};

/* Moves a warp past accesses that stay on the SM; false when none is left. */
static bool has_access(const struct replay_run *run, uint32_t block, uint32_t warp) {
    const struct traffic_pattern *pattern = traffic_pattern_of(run->traffic, block, warp);
    uint32_t *next = &run->next[block * run->traffic->grid->warp_count + warp];
    while (*next < pattern->access_count && pattern->accesses[*next].kind == TRAFFIC_ON_CHIP)
        ++*next;
    return *next < pattern->access_count;
}

static uint32_t next_phase(const struct replay_run *run, uint32_t block, uint32_t warp) {
    uint32_t next = run->next[block * run->traffic->grid->warp_count + warp];
    return traffic_positions_of(run->traffic, block, warp)[next].phase;
}

/* Notes the warps of a block that are in its earliest phase; false when it has ended. */
static bool note_able(struct replay_run *run, uint32_t block) {
    uint32_t warp_count = run->traffic->grid->warp_count, earliest = UINT32_MAX;
    for (uint32_t w = 0; w < warp_count; w++)
        if (has_access(run, block, w) && next_phase(run, block, w) < earliest)
            earliest = next_phase(run, block, w);
    for (uint32_t w = 0; w < warp_count; w++)
        if (has_access(run, block, w) && next_phase(run, block, w) == earliest)
            run->able[run->able_count++] = block * warp_count + w;
    return earliest != UINT32_MAX;
}

/* Ends blocks, starts others in their place, and notes who can go on; false at the end. */
static bool settle(struct replay_run *run) {
    run->able_count = 0;
    for (uint32_t i = 0; i < run->resident; i++) {
        while (i >= run->block_count || !note_able(run, run->blocks[i])) {
            if (i < run->block_count) {
                run->block_count--;
                for (uint32_t j = i; j < run->block_count; j++)
                    run->blocks[j] = run->blocks[j + 1];
                continue;
            }
            if (run->started == run->traffic->grid->blocks.count) return run->able_count > 0;
            run->blocks[run->block_count++] = run->started++;
        }
    }
    return true;
}

/* Which of those that can goes on. */
static uint32_t choose(const struct replay_run *run, enum replay_order order, struct random_state *random) {
    if (order == REPLAY_RANDOM) return run->able[random_below(random, run->able_count)];
    for (uint32_t i = 0; i < run->able_count && run->last != UINT64_MAX; i++) {
        bool suits = order == REPLAY_GREEDY ? run->able[i] == run->last : run->able[i] > run->last;
        if (suits) return run->able[i];
    }
    return run->able[0];
}

static void replay_unordered(const struct traffic *traffic, uint32_t resident, enum replay_order order,
                             uint64_t seed, struct replay_cache *replay) {
    uint32_t warp_count = traffic->grid->warp_count;
    size_t warps = traffic->grid->blocks.count * warp_count;
    struct replay_run run = {.traffic = traffic, .resident = resident, .last = UINT64_MAX};
    struct random_state random = random_seeded(seed);
    run.next = arena_array(&replay->arena, warps + 1, sizeof *run.next);
    run.blocks = arena_array(&replay->arena, (size_t)resident + 1, sizeof *run.blocks);
    run.able = arena_array(&replay->arena, (size_t)resident * warp_count + 1, sizeof *run.able);
    if (run.next == NULL || run.blocks == NULL || run.able == NULL) abort();
    while (settle(&run)) {
        uint32_t chosen = choose(&run, order, &random), block = chosen / warp_count;
        const struct traffic_pattern *pattern = traffic_pattern_of(traffic, block, chosen % warp_count);
        const struct ordered_access access = {.block = block,
                                              .warp = chosen % warp_count,
                                              .pattern = pattern,
                                              .access = &pattern->accesses[run.next[chosen]++]};
        replay_access(traffic, &access, replay);
        run.last = chosen;
    }
}

struct miss_counts access_replay(const struct traffic *traffic, uint32_t resident, enum replay_order order,
                                 uint64_t seed) {
    struct replay_cache replay = {0};
    if (cache_init(&replay.cache, &traffic->machine->memory.l1, &replay.arena) != WB_OK) abort();
    if (order == REPLAY_WARP_FIRST) {
        const struct sm_share share = {.sms = 1, .resident = resident};
        size_t count;
        struct ordered_access *sorted = access_order_sorted(traffic, &share, true, &count);
        for (size_t i = 0; i < count; i++)
            replay_access(traffic, &sorted[i], &replay);
        free(sorted);
    } else {
        replay_unordered(traffic, resident, order, seed, &replay);
    }
    arena_free(&replay.arena);
    return replay.counts;
}
