#include "bound/profile/max_plus.h"

#include <stdbool.h>

/* Repetitions after which times are tried to grow evenly, one number after the other: that of the growth (the
 * cyclicity) must divide it, and each is a multiple of the one before. */
static const uint32_t periods[] = {1, 2, 6, 12, 60, 420, 840, 2520};

#define PERIOD_COUNT (sizeof periods / sizeof periods[0])

/* Fewer periods than this are done one by one: two to see the growth, one to check that it went on. */
#define PERIODS_WORTH_SKIPPING 4u

/* A map being applied. */
struct repeater {
    const struct max_plus_map *map;
    uint32_t period;     /* repetitions */
    cycles *times[3];    /* before, between and behind two periods */
    time_sum sums[2];    /* what the two returned */
    time_sum total;      /* and all */
    cycles *guess, *end; /* after the periods to be skipped, and one period later */
    uint32_t mark;       /* of the chains, before the second period */
};

static void read_times(const struct max_plus_map *map, cycles *times) {
    for (size_t i = 0; i < map->time_count; i++)
        times[i] = *map->times[i];
}

static void write_times(const struct max_plus_map *map, const cycles *times) {
    for (size_t i = 0; i < map->time_count; i++)
        *map->times[i] = times[i];
}

/* Does one period; the sum of what its repetitions returned. */
static time_sum do_period(const struct repeater *repeater) {
    time_sum sum = 0;
    for (uint32_t i = 0; i < repeater->period; i++)
        sum = time_sum_add(sum, repeater->map->once(repeater->map->user));
    return sum;
}

/* Does two periods and tells whether every time grew by the same in both. */
static bool grows_evenly(struct repeater *repeater) {
    const struct max_plus_map *map = repeater->map;
    cycles *const *times = repeater->times;
    read_times(map, times[0]);
    for (uint32_t i = 0; i < 2; i++) {
        if (i == 1 && map->chains != NULL)
            repeater->mark = chain_mark(map->chains, map->traced, map->traced_count);
        repeater->sums[i] = do_period(repeater);
        repeater->total = time_sum_add(repeater->total, repeater->sums[i]);
        read_times(map, times[i + 1]);
    }
    for (size_t i = 0; i < map->time_count; i++)
        if (times[2][i] - times[1][i] != times[1][i] - times[0][i]) return false;
    return true;
}

/* Whether the sum that a period returned is on the line through the two before. Then those of the skipped
 * ones are, too: they join the total. */
static bool sum_grew(struct repeater *repeater, uint64_t skipped, time_sum sum) {
    const time_sum *sums = repeater->sums, each = sums[1] > sums[0] ? sums[1] - sums[0] : 0;
    const time_sum pairs = (time_sum)(skipped + 1) * (skipped + 2) / 2; /* 1 + 2 + ... */
    const time_sum end = time_sum_add(sums[1], time_sum_mul(each, (time_sum)skipped + 1));
    if (sum == TIME_SUM_SATURATED || sum != end) return false;
    const time_sum level = time_sum_mul(sums[1], (time_sum)skipped + 1);
    repeater->total = time_sum_add(repeater->total, time_sum_add(level, time_sum_mul(each, pairs)));
    return true;
}

/* Skips periods and does one more. Each time is a convex function of how many were skipped: three of its
 * points on a line, the last of which this period shows, put all between them on it. False when they are not:
 * the times are then as they were. */
static bool skip(struct repeater *repeater, uint64_t skipped) {
    const struct max_plus_map *map = repeater->map;
    cycles *const *times = repeater->times;
    for (size_t i = 0; i < map->time_count; i++)
        repeater->guess[i] = times[2][i] + (times[2][i] - times[1][i]) * skipped;
    write_times(map, repeater->guess);
    uint32_t jump = 0;
    if (map->chains != NULL)
        jump = chain_jump(map->chains, repeater->mark, skipped, map->traced, map->traced_count);
    const time_sum sum = do_period(repeater);
    bool even = true;
    read_times(map, repeater->end);
    for (size_t i = 0; i < map->time_count && even; i++)
        even = repeater->end[i] - repeater->guess[i] == times[2][i] - times[1][i];
    if (even && sum_grew(repeater, skipped, sum)) return true;
    write_times(map, times[2]);
    if (map->chains != NULL) chain_back(map->chains, jump, map->traced, map->traced_count);
    return false;
}

/* Does as many of the periods as can be skipped at once; returns how many, which may be none. */
static uint64_t skip_most(struct repeater *repeater, uint64_t left) {
    for (uint64_t skipped = left - 1; skipped > 0; skipped /= 2)
        if (skip(repeater, skipped)) return skipped + 1;
    return 0;
}

wb_status max_plus_repeat(const struct max_plus_map *map, uint64_t repetitions, time_sum *sum) {
    struct arena arena = {0};
    struct repeater repeater = {.map = map};
    cycles **const vectors[] = {&repeater.times[0], &repeater.times[1], &repeater.times[2], &repeater.guess,
                                &repeater.end};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        *vectors[i] = arena_array(&arena, map->time_count + 1, sizeof **vectors[i]);
        if (*vectors[i] == NULL) {
            arena_free(&arena);
            return WB_ERR_LIMIT;
        }
    }
    size_t next = 0;
    const bool pinned = map->chains != NULL && map->chains->pinned;
    if (map->chains != NULL) map->chains->pinned = true; /* marks stay where they are */
    while (repetitions / periods[next] >= PERIODS_WORTH_SKIPPING) {
        repeater.period = periods[next];
        bool even = grows_evenly(&repeater);
        repetitions -= 2 * (uint64_t)repeater.period;
        uint64_t done = even ? skip_most(&repeater, repetitions / repeater.period) : 0;
        repetitions -= done * repeater.period;
        if (done == 0 && next + 1 < PERIOD_COUNT) next++;
    }
    if (map->chains != NULL) map->chains->pinned = pinned;
    arena_free(&arena);
    for (; repetitions > 0; repetitions--)
        repeater.total = time_sum_add(repeater.total, map->once(map->user));
    *sum = repeater.total;
    return WB_OK;
}
