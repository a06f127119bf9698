/* FIFO of a block: theorem 3 of docs/proofs.md, section 9 (block/FifoPaths.v:FIFO_bound). */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* ---- What can wait in the queue of a unit (the lemma) ---- */

/* An instruction of the section at hand. */
struct issued {
    uint64_t unit, init;
    uint64_t through; /* work of the section on its unit, up to and including it */
    bool over;        /* a later one had it as operand */
};

/* A walk through a section; positions in it are counted from 1 on. */
struct pending {
    LIST(struct issued) issued;
    uint64_t *writer;                          /* per register the position of what wrote it, or 0 */
    LIST(uint64_t) joined[QUEUES_MAX];         /* positions */
    uint64_t *before;                          /* per register of a queue how many of them had joined it */
    uint64_t over_joined[QUEUES_MAX];          /* so many of the first are over */
    uint64_t work[UNITS_MAX], over[UNITS_MAX]; /* initiations so far, and those that are over */
    uint64_t *waiting;                         /* pend: most of them that are issued and not at their end */
};

/* What is over does not wait; on a unit of one instance nothing does that was issued before it. */
static void set_over(const struct block *of, struct pending *pending, uint64_t position) {
    struct issued *one = &pending->issued.items[position - 1];
    if (one->unit == NO_UNIT) return;
    uint64_t *over = &pending->over[one->unit];
    if (of->machine->instances[one->unit] == 1)
        *over = max(*over, one->through);
    else if (!one->over)
        *over = add(*over, one->init);
    one->over = true;
}

/* An operand of an instruction that is issued is complete. */
static void operand_is_over(const struct block *of, struct pending *pending, uint64_t r) {
    if (pending->writer[r] > 0) set_over(of, pending, pending->writer[r]);
    for (uint64_t q = 0; q < of->queues; q++)
        if (r >= of->queue_first[q] && r - of->queue_first[q] < of->queue_count[q])
            for (; pending->over_joined[q] < pending->before[r]; pending->over_joined[q]++)
                set_over(of, pending, pending->joined[q].items[pending->over_joined[q]]);
}

static void note_queues(const struct block *of, struct pending *pending, const struct inst *inst) {
    for (uint64_t q = 0; q < of->queues; q++) {
        uint64_t *before = pending->before + of->queue_first[q];
        if (inst->joins >> q & 1) {
            PUSH(of->check, &pending->joined[q], pending->issued.count);
            before[0]++;
        }
        if (inst->commits >> q & 1) memmove(before + 1, before, (of->queue_count[q] - 1) * sizeof *before);
    }
}

static void meet_pending(struct walk *walk, uint64_t number) {
    const struct block *of = walk->block;
    const struct inst *inst = &of->insts.items[number];
    struct pending *pending = walk->context;
    struct issued one = {.unit = inst->unit, .init = inst->init};
    for (uint64_t i = inst->first; i < inst->first + inst->operands; i++)
        operand_is_over(of, pending, of->operands.items[i]);
    if (inst->unit != NO_UNIT) {
        uint64_t *work = &pending->work[inst->unit], *waiting = &pending->waiting[inst->unit];
        one.through = *work = add(*work, inst->init);
        *waiting = max(*waiting, *work - pending->over[inst->unit]);
    }
    PUSH(of->check, &pending->issued, one);
    for (uint64_t i = inst->first + inst->sources; i < inst->first + inst->operands; i++)
        pending->writer[of->operands.items[i]] = pending->issued.count;
    note_queues(of, pending, inst);
}

/* pend of each unit. Loops are walked repetition by repetition. */
static void find_waiting(const struct block *of, const struct section *section, uint64_t *waiting) {
    struct pending pending = {.waiting = waiting};
    pending.writer = zeroed(of->check, of->registers, sizeof(uint64_t));
    pending.before = zeroed(of->check, of->registers, sizeof(uint64_t));
    walk_each(of, &section->steps, meet_pending, &pending);
    DROP(of->check, &pending.issued);
    free(pending.writer);
    free(pending.before);
    for (uint64_t q = 0; q < QUEUES_MAX; q++)
        DROP(of->check, &pending.joined[q]);
}

/* ---- A warp beside others ---- */

/* What other warps ask of a unit that this one can meet there. */
struct load {
    uint64_t work, count, waiting;
};

/* A warp in a row; units of the set F are charged by what can be in their queues. */
struct warp {
    const struct block *of;
    const struct section *own;
    struct load others[UNITS_MAX];
    bool queued[UNITS_MAX]; /* F */
};

/* The bound of a warp for its set F: each start on a unit of it takes what can be in the queue before it. */
static uint64_t charged(const struct warp *warp) {
    uint64_t waits[UNITS_MAX] = {0}, sum = 0;
    struct cost cost = {.waits = waits};
    for (uint64_t u = 0; u < warp->of->machine->units; u++) {
        const bool by_work = warp->own->count[u] > 0 && !warp->queued[u];
        if (warp->queued[u]) waits[u] = warp->others[u].waiting;
        sum = add(sum, by_work ? warp->others[u].work : warp->others[u].count);
    }
    uint64_t *times = times_behind(warp->of, &warp->own->steps, meet_inst, times_of(warp->of), &cost);
    sum = add(sum, times[COMPLETE]);
    free(times);
    return sum;
}

/* Any set F gives a bound. Tried are none and all units where slots cost less than initiations, and from
 * there on one unit after the other. */
static uint64_t least_charged(struct warp *warp) {
    uint64_t least = UNLIMITED;
    for (int all = 0; all < 2; all++) {
        bool candidate[UNITS_MAX] = {false};
        for (uint64_t u = 0; u < warp->of->machine->units; u++) {
            candidate[u] = warp->own->count[u] > 0 && warp->others[u].count < warp->others[u].work;
            warp->queued[u] = all == 1 && candidate[u];
        }
        uint64_t best = charged(warp);
        for (uint64_t u = 0; u < warp->of->machine->units; u++) {
            if (!candidate[u]) continue;
            warp->queued[u] = !warp->queued[u];
            const uint64_t changed = charged(warp);
            if (changed >= best) warp->queued[u] = !warp->queued[u];
            best = min(best, changed);
        }
        least = min(least, best);
    }
    return least;
}

/* Of what has anything to wait for; the context is what can wait of each section, by unit. */
static uint64_t queued_time(const struct block *of, const struct place *at, uint64_t group, void *context) {
    const struct machine *machine = of->machine;
    const uint64_t *waiting = context;
    struct warp warp = {.of = of, .own = section_of(of, at->thing, of->warps.items[group].path)};
    if (warp.own->alone == 0) return 0;
    for (struct beside other = {0}; next_beside(of, at->thing, group, &other);) {
        const struct section *section = &of->sections.items[other.section];
        for (uint64_t u = 0; u < machine->units; u++) {
            struct load *sum = &warp.others[u];
            if (other.together) sum->count = add(sum->count, mul(other.count, section->count[u]));
            if (!other.together && !machine->shared[u]) continue;
            const uint64_t one = waiting[other.section * machine->units + u];
            sum->work = add(sum->work, mul(other.count, section->work[u]));
            sum->waiting = add(sum->waiting, mul(other.count, one));
        }
    }
    for (uint64_t u = 0; u < machine->units; u++)
        warp.others[u].waiting /= machine->instances[u]; /* each has its share */
    return least_charged(&warp);
}

/* Where queues have limits that is FIB. */
uint64_t fifo(struct block *of) {
    if (of->machine->depth != UNLIMITED) return fib(of);
    uint64_t *waiting = zeroed(of->check, mul(of->sections.count, of->machine->units), sizeof *waiting);
    for (uint64_t s = 0; s < of->sections.count; s++)
        find_waiting(of, &of->sections.items[s], waiting + s * of->machine->units);
    const uint64_t sum = add(sum_of_rows(of, queued_time, waiting), releases_of(of));
    free(waiting);
    return sum;
}
