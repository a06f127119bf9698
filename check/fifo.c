/* FIFO of a block: theorem 3 of docs/proofs.md, section 9 (block/FifoPaths.v:FIFO_bound). */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* What a section asks of a unit, or others of one that a warp uses. */
struct load {
    uint64_t work, count;
    uint64_t waiting; /* pend: most cycles of initiations that are issued and not at their end */
};

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
    uint64_t *writer;                  /* per register the position of what wrote it, or 0 */
    LIST(uint64_t) joined[QUEUES_MAX]; /* positions */
    uint64_t *before;                  /* per register of a queue how many of them had joined it */
    uint64_t over_joined[QUEUES_MAX];  /* so many of the first are over */
    uint64_t over[UNITS_MAX];          /* initiations that are over */
    struct load *loads;
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
        struct load *load = &pending->loads[inst->unit];
        one.through = load->work = add(load->work, inst->init);
        load->count++;
        load->waiting = max(load->waiting, load->work - pending->over[inst->unit]);
    }
    PUSH(of->check, &pending->issued, one);
    for (uint64_t i = inst->first + inst->sources; i < inst->first + inst->operands; i++)
        pending->writer[of->operands.items[i]] = pending->issued.count;
    note_queues(of, pending, inst);
}

/* Loops are walked repetition by repetition. */
static void load_section(const struct block *of, const struct section *section, struct load *loads) {
    struct pending pending = {.loads = loads};
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

/* A warp in a row; units of the set F are charged by what can be in their queues. */
struct warp {
    const struct block *of;
    const struct section *own;
    const struct load *loads; /* its own */
    struct load others[UNITS_MAX];
    bool queued[UNITS_MAX]; /* F */
};

/* The bound of a warp for its set F: each start on a unit of it takes what can be in the queue before it. */
static uint64_t charged(const struct warp *warp) {
    uint64_t waits[UNITS_MAX] = {0}, sum = 0;
    struct cost cost = {.waits = waits};
    for (uint64_t u = 0; u < warp->of->machine->units; u++) {
        const bool by_work = warp->loads[u].count > 0 && !warp->queued[u];
        if (warp->queued[u]) waits[u] = warp->others[u].waiting;
        sum = add(sum, by_work ? warp->others[u].work : warp->others[u].count);
    }
    uint64_t *times = times_behind(warp->of, &warp->own->steps, meet_inst, times_of(warp->of), &cost);
    sum = add(sum, times[COMPLETE]);
    free(times);
    return sum;
}

/* What the other warps of a row can cost one of group g at each unit. */
static void gather_others(struct warp *warp, uint64_t row, uint64_t g, const struct load *loads) {
    const struct block *of = warp->of;
    const struct warps *warps = of->warps.items;
    memset(warp->others, 0, sizeof warp->others);
    for (uint64_t u = 0; u < of->machine->units; u++) {
        struct load *sum = &warp->others[u];
        for (uint64_t h = 0; h < of->warps.count; h++) {
            const uint64_t section = cell(of, row, warps[h].path);
            const struct load *load = &loads[section * of->machine->units + u];
            const bool together = warps[g].sub_core == warps[h].sub_core;
            const uint64_t often = warps[h].count - (g == h);
            if (together) sum->count = add(sum->count, mul(often, load->count));
            if (!together && !of->machine->shared[u]) continue;
            sum->work = add(sum->work, mul(often, load->work));
            sum->waiting = add(sum->waiting, mul(often, load->waiting));
        }
        sum->waiting /= of->machine->instances[u]; /* each has its share */
    }
}

/* Any set F gives a bound. Tried are none and all units where slots cost less than initiations, and from
 * there on one unit after the other. */
static uint64_t least_charged(struct warp *warp) {
    uint64_t least = UNLIMITED;
    for (int all = 0; all < 2; all++) {
        bool candidate[UNITS_MAX] = {false};
        for (uint64_t u = 0; u < warp->of->machine->units; u++) {
            candidate[u] = warp->loads[u].count > 0 && warp->others[u].count < warp->others[u].work;
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

/* The most that any warp takes in a row that has anything to wait for. */
static uint64_t row_time(const struct block *of, uint64_t row, const struct load *loads) {
    uint64_t most = 0;
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const uint64_t number = cell(of, row, of->warps.items[g].path);
        struct warp warp = {
            of, &of->sections.items[number], loads + number * of->machine->units, {{0}}, {false}};
        if (warp.own->alone == 0) continue;
        gather_others(&warp, row, g, loads);
        most = max(most, least_charged(&warp));
    }
    return most;
}

/* The sum over all rows. Where queues have limits that is FIB. */
uint64_t fifo(struct block *of) {
    uint64_t sum = releases_of(of);
    if (of->machine->depth != UNLIMITED) return fib(of);
    struct load *loads = zeroed(of->check, mul(of->sections.count, of->machine->units), sizeof *loads);
    for (uint64_t s = 0; s < of->sections.count; s++)
        load_section(of, &of->sections.items[s], loads + s * of->machine->units);
    for (struct place at = {0}; next_row(of, &at);)
        sum = add(sum, mul(row_time(of, at.thing, loads), at.often));
    free(loads);
    return sum;
}
