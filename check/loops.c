/* Walks through programs with loops of any number of repetitions: theorem 4 of docs/proofs.md, section 11
 * (loops/MaxPlus.v:times_apply). */
#include "check.h"

#include <stdlib.h>
#include <string.h>

static void play(struct walk *walk, uint64_t from, uint64_t to);

static void play_often(struct walk *walk, uint64_t from, uint64_t to, uint64_t often) {
    for (; often > 0 && !walk->stopped; often--, count_work(walk->block->check, 15)) /* of nothing, too */
        play(walk, from, to);
}

/* Whether the times, `skipped` periods after c, can be had from the growth between b and c: they are no more
 * than this growth says at one more point of the line. */
static bool jump(struct walk *walk, uint64_t from, uint64_t to, uint64_t period, uint64_t skipped,
                 const uint64_t *b, const uint64_t *c) {
    bool even = true;
    for (uint64_t i = 0; i < walk->time_count; i++)
        walk->times[i] = add(c[i], mul(c[i] - b[i], skipped));
    play_often(walk, from, to, period);
    for (uint64_t i = 0; i < walk->time_count; i++) {
        const uint64_t line = add(c[i], mul(c[i] - b[i], skipped + 1));
        even = even && walk->times[i] <= line;
        walk->times[i] = line;
    }
    if (!even) memcpy(walk->times, c, walk->time_count * sizeof *c);
    return even;
}

/* Walks a period twice. If all times grow by the same in both, skips what can be skipped; returns how many
 * repetitions that were. */
static uint64_t skip(struct walk *walk, uint64_t from, uint64_t to, uint64_t period, uint64_t often) {
    const uint64_t n = walk->time_count;
    uint64_t *a = zeroed(walk->block->check, 3 * n, sizeof *a), *b = a + n, *c = b + n,
             skipped = often / period - 1;
    bool even = true;
    memcpy(a, walk->times, n * sizeof *a);
    play_often(walk, from, to, period);
    memcpy(b, walk->times, n * sizeof *a);
    play_often(walk, from, to, period);
    memcpy(c, walk->times, n * sizeof *a);
    for (uint64_t i = 0; i < n && even; i++)
        even = a[i] <= b[i] && b[i] <= c[i] && c[i] - b[i] == b[i] - a[i];
    while (even && skipped > 0 && !jump(walk, from, to, period, skipped, b, c))
        skipped /= 2;
    free(a);
    return even && skipped > 0 ? period * (skipped + 1) : 0;
}

/* Walks the steps from .. to `often` times. */
static void repeat(struct walk *walk, uint64_t from, uint64_t to, uint64_t often) {
    static const uint64_t periods[] = {1, 2, 6, 12, 60, 420};
    if (walk->again > 0) often = min(often, walk->again);
    for (size_t p = 0; p < sizeof periods / sizeof periods[0] && walk->again == 0;) {
        if (often / periods[p] < 4) break;
        often -= 2 * periods[p];
        const uint64_t skipped = skip(walk, from, to, periods[p], often);
        often -= skipped;
        p += skipped == 0;
    }
    play_often(walk, from, to, often);
}

static void play(struct walk *walk, uint64_t from, uint64_t to) {
    for (uint64_t s = from; s < to && !walk->stopped; s++) {
        const struct step *step = &walk->steps->items[s];
        for (uint64_t i = 0; i < step->count && !walk->stopped; i++)
            walk->meet(walk, step->first + i);
        if (step->count == 0) repeat(walk, s - step->first, s, step->times);
        count_work(walk->block->check, step->count);
    }
}

void walk_all(struct walk *walk) {
    play(walk, 0, walk->steps->count);
}

void walk_in(struct walk *outer, const program *steps, meeting meet, uint64_t *times, uint64_t count,
             void *context) {
    struct walk walk = {outer->block, steps, meet, times, count, context, outer->again, false};
    walk_all(&walk);
    outer->stopped = walk.stopped;
}

uint64_t *times_behind(const struct block *of, const program *steps, meeting meet, uint64_t count,
                       void *context) {
    struct walk walk = {of,    steps,   meet, zeroed(of->check, count, sizeof(uint64_t)),
                        count, context, 0,    false};
    walk_all(&walk);
    return walk.times;
}

bool walk_each(const struct block *of, const program *steps, meeting meet, void *context) {
    struct walk walk = {of, steps, meet, NULL, 0, context, UNLIMITED, false};
    walk_all(&walk);
    return !walk.stopped;
}

bool next_of(const program *steps, struct place *at) {
    for (; at->step < steps->count; at->step++, at->behind = 0) {
        const struct step *step = &steps->items[at->step];
        if (at->behind == step->count) continue;
        at->thing = step->first + at->behind++;
        at->often = step->often;
        return true;
    }
    return false;
}
