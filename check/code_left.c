/* Q: what a section of a warp leaves behind the release of its barrier (docs/machine-code-bounds.md, section
 * 4). */
#include "code.h"

#include <string.h>

/* The times: what has passed since the section began, at the least; when each latch is free; and holds that
 * nobody has waited for, of each counter and of those without, by pipe, of none, and of these by unit. */
#define PASSED 0
#define LATCHES 1
#define COLUMNS (2 * units + 1)
#define ROW(row) (LATCHES + units + (row)*COLUMNS)

uint64_t times_of_left(const struct block *of) {
    const uint64_t units = of->machine->units;
    return ROW(COUNTERS + 1);
}

static void add_pending(const struct passage *passage, uint64_t units, uint64_t *times,
                        const struct code *code) {
    uint64_t *row = times + ROW(code->writes != NO_COUNTER ? code->writes : code->reads);
    uint64_t column = code->way[0].unit;
    for (uint64_t s = 1; s < code->stages; s++)
        if (!has(passage->units->blocking[code->way[0].unit], code->way[s].unit)) column = units;
    row[column] = add(row[column], holds(code, UINT64_MAX));
    for (uint64_t s = 0; s < code->stages && column == units; s++) {
        uint64_t *unit = &row[units + 1 + code->way[s].unit];
        *unit = add(*unit, code->way[s].hold);
    }
}

static bool is_pending(const struct code *code) {
    return code->stages > 0 && !code->fixed;
}

/* What waits for a counter may not see that the instruction just before has counted it up. */
static void meet_waits(const struct passage *passage, uint64_t units, uint64_t *times,
                       const struct code *code) {
    const struct code *last = passage->last;
    const bool soon = last != NULL && last->least < 2 && is_pending(last);
    for (uint64_t c = 0; c < COUNTERS; c++) {
        if (!has(code->waits, c) && (code->depbar != c || code->left > 0)) continue;
        memset(times + ROW(c), 0, COLUMNS * sizeof *times);
        if (soon && c == (last->writes != NO_COUNTER ? last->writes : last->reads))
            add_pending(passage, units, times, last);
    }
}

/* What passes behind it at the least; nobody waits for the stall of a barrier. */
static uint64_t least_behind(const struct code *code) {
    return code->barrier ? 0 : code->least;
}

/* What waits, or passes, may be no part of what a warp executes, but for an instruction's own stall. */
void meet_left(const struct block *of, const struct passage *passage, uint64_t *times,
               const struct code *code) {
    const uint64_t units = of->machine->units;
    const struct code *last = passage->last;
    if (!of->parts) meet_waits(passage, units, times, code);
    if (is_pending(code)) add_pending(passage, units, times, code);
    if (last != NULL && !of->parts) times[PASSED] = add(times[PASSED], last->least);
    if (!code->fixed || code->stages == 0) return;
    uint64_t *latch = &times[LATCHES + code->way[0].unit];
    const uint64_t hold = less(code->way[0].hold, of->parts ? least_behind(code) : 0);
    *latch = max(*latch, add(times[PASSED], hold));
}

/* All that is pending, but the most of one pipe or unit; and what latches and the last slot are held beyond
 * the last issue. */
uint64_t left_behind(const struct block *of, const struct passage *passage, const uint64_t *times) {
    const uint64_t units = of->machine->units;
    const struct code *last = passage->last;
    uint64_t sum = 0, most = 0;
    if (last == NULL) return 0;
    for (uint64_t column = 0; column < COLUMNS; column++) {
        uint64_t one = 0;
        for (uint64_t row = 0; row <= COUNTERS; row++)
            one = add(one, times[ROW(row) + column]);
        if (column <= units) sum = add(sum, one);
        if (column != units) most = max(most, one);
    }
    sum = add(sum - most, is_pending(last) ? last->slot : last->slot - 1);
    if (of->parts && last->fixed) sum = add(sum, least_behind(last));
    for (uint64_t u = 0; u < units; u++)
        sum = add(sum, less(times[LATCHES + u], times[PASSED] + 1));
    return sum;
}
