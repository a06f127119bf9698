#include "naive_kernel_bounds.h"

#include <stdlib.h>

const char *const naive_mistake_names[MISTAKE_COUNT] = {
    "none",
    "E less a tenth",
    "lam less a tenth",
    "alpha less one",
    "a block forgotten",
    "R + 1",
    "M for M - 1",
    "even shares",
    "turns rounded down",
    "no busy cycles",
    "no latencies",
    "no tail",
    "tail of one block",
    "tail without latency",
    "no dispatch_latency",
    "a dispatch_latency too few",
    "no dispatch_service",
    "a dispatch_service too few",
};

/* Of one block. */
struct block {
    uint64_t e, lam, alpha, isolated;
};

struct grid {
    struct block blocks[NAIVE_BLOCKS_MAX];
    uint64_t b, m, r, delta, service;
    bool is_static;
    enum naive_mistake mistake;
};

static uint64_t min(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t max(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t without(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}

static void fill(const struct grid_work *work, uint64_t resident, enum naive_mistake mistake,
                 struct grid *grid) {
    const struct machine_memory *memory = &work->machine->memory;
    if (work->block_count > NAIVE_BLOCKS_MAX) abort();
    *grid = (struct grid){.b = work->block_count,
                          .m = memory->sms,
                          .r = resident,
                          .delta = memory->dispatch_latency,
                          .service = memory->dispatch_service,
                          .is_static = memory->dispatch == DISPATCH_STATIC,
                          .mistake = mistake};
    for (uint32_t b = 0; b < work->block_count; b++) {
        const struct block_class *kind = &work->classes.items[work->class_of[b]];
        struct block *block = &grid->blocks[b];
        *block = (struct block){kind->initiations, kind->latency, kind->residency, kind->isolated};
        if (mistake == MISTAKE_INITIATIONS) {
            uint64_t less = block->e - block->e * 9 / 10;
            *block = (struct block){block->e - less, block->lam, without(block->alpha, less),
                                    without(block->isolated, less)};
        }
        if (mistake == MISTAKE_LATENCY) {
            uint64_t less = block->lam - block->lam * 9 / 10;
            *block = (struct block){block->e, block->lam - less, without(block->alpha, less),
                                    without(block->isolated, less)};
        }
        if (mistake == MISTAKE_ALPHA) {
            block->alpha = without(block->alpha, 1);
            block->isolated = without(block->isolated, 1);
        }
    }
    if (mistake == MISTAKE_BLOCK && grid->b > 1) grid->b--;
    if (mistake == MISTAKE_ROOM) grid->r++;
    if (mistake == MISTAKE_NO_DELAY) grid->delta = 0;
    if (mistake == MISTAKE_NO_SERVICE) grid->service = 0;
}

static int falling(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* E^n. */
static uint64_t most(const struct grid *grid, uint64_t n) {
    uint64_t e[NAIVE_BLOCKS_MAX], sum = 0;
    for (uint64_t b = 0; b < grid->b; b++)
        e[b] = grid->blocks[b].e;
    qsort(e, grid->b, sizeof *e, falling);
    for (uint64_t i = 0; i < n && i < grid->b; i++)
        sum += e[i];
    return sum;
}

/* S_n: a block's alpha with the n - 1 largest E of the others. */
static uint64_t together(const struct grid *grid, uint64_t n) {
    uint64_t longest = 0;
    for (uint64_t b = 0; b < grid->b; b++) {
        uint64_t e[NAIVE_BLOCKS_MAX], count = 0;
        uint64_t sum = n == 1 ? grid->blocks[b].isolated : grid->blocks[b].alpha;
        for (uint64_t other = 0; other < grid->b; other++)
            if (other != b) e[count++] = grid->blocks[other].e;
        qsort(e, count, sizeof *e, falling);
        for (uint64_t i = 0; i + 1 < n && i < count; i++)
            sum += e[i];
        longest = max(longest, sum);
    }
    return longest;
}

static uint64_t largest_lam(const struct grid *grid) {
    uint64_t largest = 0;
    for (uint64_t b = 0; b < grid->b; b++)
        largest = max(largest, grid->blocks[b].lam);
    return largest;
}

static uint64_t turns_of(const struct grid *grid, uint64_t n) {
    return n / grid->r + (n % grid->r != 0 && grid->mistake != MISTAKE_TURNS);
}

/* A^n: the n longest stays, of blocks that share their SM or not. */
static uint64_t residencies(const struct grid *grid, uint64_t n) {
    uint64_t stay[NAIVE_BLOCKS_MAX], sum = 0;
    for (uint64_t b = 0; b < grid->b; b++) {
        const struct block *block = &grid->blocks[b];
        stay[b] = grid->r == 1 ? block->isolated : max(block->alpha, block->e);
    }
    qsort(stay, grid->b, sizeof *stay, falling);
    for (uint64_t i = 0; i < n && i < grid->b; i++)
        sum += stay[i];
    return sum;
}

/* What n blocks take of which a room takes f, one behind the other. */
static uint64_t room_takes(const struct grid *grid, uint64_t n, uint64_t f) {
    uint64_t e = most(grid, n), rest = most(grid, n - f), lam = largest_lam(grid),
             stay = residencies(grid, f);
    if (grid->mistake == MISTAKE_NO_LATENCY) return e;
    if (grid->mistake == MISTAKE_NO_BUSY) return f * lam;
    return min(e + f * lam, stay + rest);
}

static uint64_t delays(const struct grid *grid, uint64_t count) {
    return without(count, grid->mistake == MISTAKE_DELAYS) * grid->delta;
}

static uint64_t h(const struct grid *grid, uint64_t n) {
    if (n <= grid->r) return together(grid, n);
    const uint64_t wait = delays(grid, (n + grid->r - 1) / grid->r - 1);
    const uint64_t f = turns_of(grid, n) - 1;
    if (grid->r == 1) return room_takes(grid, n, n) + wait;
    return room_takes(grid, n, f) + (grid->mistake == MISTAKE_NO_LATENCY ? 0 : largest_lam(grid)) + wait;
}

/* The tail of K-BAL. */
static uint64_t tail_of_other(const struct grid *grid) {
    switch (grid->mistake) {
    case MISTAKE_NO_TAIL: return 0;
    case MISTAKE_TAIL_OF_ONE: return together(grid, 1);
    case MISTAKE_TAIL_LATENCY: return without(together(grid, grid->r), largest_lam(grid));
    default: return together(grid, grid->r);
    }
}

static uint64_t g(const struct grid *grid, uint64_t q) {
    const uint64_t f = q / grid->r - (grid->mistake == MISTAKE_TURNS);
    return room_takes(grid, q, f) + delays(grid, q / grid->r);
}

/* Blocks of the SM that ends last. */
static uint64_t most_blocks(const struct grid *grid) {
    if (grid->b <= grid->m * grid->r || grid->mistake == MISTAKE_SHARE)
        return (grid->b + grid->m - 1) / grid->m;
    return grid->b - (grid->m - 1) * grid->r;
}

static uint64_t static_sm(const struct grid *grid, uint64_t sm) {
    uint64_t n = 0, e = 0, lam = 0, slack = 0, lack = UINT64_MAX, isolated = 0, isolated_sum = 0;
    for (uint64_t b = sm; b < grid->b; b += grid->m, n++) {
        const struct block *block = &grid->blocks[b];
        e += block->e;
        lam = max(lam, block->lam);
        isolated = max(isolated, block->isolated);
        isolated_sum += block->isolated;
        slack = max(slack, without(block->alpha, block->e));
        lack = min(lack, without(block->e, block->alpha));
    }
    if (n == 0) return 0;
    if (n == 1 && grid->r > 0) return isolated;
    if (n <= grid->r) return e + slack - lack + (grid->service > 0 ? grid->delta : 0);
    uint64_t turns = turns_of(grid, n), busy = grid->mistake == MISTAKE_NO_BUSY ? 0 : e;
    if (grid->mistake == MISTAKE_NO_LATENCY) lam = 0;
    uint64_t time = busy + turns * lam;
    if (grid->r == 1 && grid->mistake != MISTAKE_NO_LATENCY) time = min(time, isolated_sum);
    return time + delays(grid, (n + grid->r - 1) / grid->r - 1);
}

static uint64_t one_sm(const struct grid *grid) {
    uint64_t longest = 0;
    if (!grid->is_static) return h(grid, most_blocks(grid));
    for (uint64_t sm = 0; sm < grid->m; sm++)
        longest = max(longest, static_sm(grid, sm));
    return longest;
}

static uint64_t balance(const struct grid *grid) {
    uint64_t longest = 0;
    if (grid->m == 1 || grid->b <= grid->m * grid->r) return one_sm(grid);
    for (uint64_t n = grid->r; n <= most_blocks(grid); n++) {
        const uint64_t q = (grid->b - n) / (grid->mistake == MISTAKE_SM ? grid->m : grid->m - 1);
        longest = max(longest, min(h(grid, n), g(grid, q) + tail_of_other(grid)));
    }
    return longest;
}

/* K-AREA where blocks that have an SM to themselves follow each other. */
static uint64_t area_of_isolated(const struct grid *grid) {
    const uint64_t all = residencies(grid, grid->b) + delays(grid, grid->b - grid->m);
    return (all + (grid->m - 1) * (residencies(grid, 1) + grid->delta)) / grid->m;
}

static uint64_t area(const struct grid *grid) {
    if (grid->b <= grid->m * grid->r) return one_sm(grid);
    const uint64_t rooms = grid->m * grid->r, n = without(grid->b, rooms), lam = largest_lam(grid);
    uint64_t x = min(most(grid, grid->r), without(together(grid, grid->r), lam));
    uint64_t e = most(grid, grid->b), latencies = 0, tail_latency = lam + (n > 0 ? grid->delta : 0);
    for (uint64_t b = 0; b < grid->b; b++)
        latencies += grid->blocks[b].lam;
    if (grid->mistake == MISTAKE_TAIL_OF_ONE) x = min(x, most(grid, 1));
    if (grid->mistake == MISTAKE_NO_TAIL) x = tail_latency = 0;
    if (grid->mistake == MISTAKE_TAIL_LATENCY) tail_latency = 0;
    if (grid->mistake == MISTAKE_NO_BUSY) e = 0;
    if (grid->mistake == MISTAKE_NO_LATENCY) latencies = 0;
    const uint64_t sms = grid->m + (grid->mistake == MISTAKE_SM);
    const uint64_t work = (e + (grid->m - 1) * x) * grid->r;
    const uint64_t idle = latencies + delays(grid, n) + (rooms - 1) * tail_latency;
    const uint64_t spread = (work + idle) / (sms * grid->r);
    return grid->r == 1 ? min(spread, area_of_isolated(grid)) : spread;
}

cycles naive_kernel_bound(const struct grid_work *work, uint64_t resident, enum naive_bound bound,
                          enum naive_mistake mistake) {
    struct grid grid;
    fill(work, resident, mistake, &grid);
    const uint64_t service = without(grid.b, mistake == MISTAKE_SERVICE_STEPS) * grid.service;
    switch (bound) {
    case NAIVE_AREA: return area(&grid) + service;
    case NAIVE_BALANCE: return balance(&grid) + service;
    default: return one_sm(&grid) + service;
    }
}

cycles naive_kernel_term(const struct grid_work *work, uint64_t resident, enum naive_term term, uint64_t n) {
    struct grid grid;
    fill(work, resident, MISTAKE_NONE, &grid);
    switch (term) {
    case NAIVE_TOGETHER: return together(&grid, n);
    case NAIVE_OF_SM: return h(&grid, n);
    default: return g(&grid, n);
    }
}
