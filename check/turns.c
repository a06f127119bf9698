/* turn-chain of a kernel on a machine with caches, whose sub-cores issue in strict turns of their warps, and
 * whose blocks go to fixed SMs: theorems 4, 5 and 12 of docs/memory-bounds.md, on paper. */
#include "stepped.h"

#include <stdlib.h>

/* Goes on to what takes a slot, unless a barrier or the end comes before; *reached: the latest that it waited
 * for, with `next` what takes the slot included. */
static bool reach(struct turning *warp, uint64_t *reached, bool next) {
    warp->held = false;
    while (!warp->held && warp->at < warp->path->steps.count) {
        const bool slot = inst_of(warp)->unit != NO_UNIT;
        if (!slot || next) *reached = max(*reached, issue(warp, 0));
        if (slot) return true;
        complete(warp);
    }
    return false;
}

/* ---- Rounds of a block: theorem 4, or of parts of paths each warp by itself, theorem 12 ---- */

/* Every warp that is not held or at its end issues once; false if there is none. */
static bool take_round(struct turning *warps, uint64_t count, uint64_t *time) {
    bool any = false;
    for (uint64_t w = 0; w < count; w++)
        if (warps[w].running) warps[w].running = reach(&warps[w], time, true);
    for (uint64_t w = 0; w < count; w++) {
        if (!warps[w].running) continue;
        warps[w].times[NOW] = *time;
        complete(&warps[w]);
        warps[w].running = !warps[w].held;
        any = true;
    }
    return any;
}

/* The idle cycles of a sub-core, in whatever order warps issue in a round. */
static uint64_t rounds_of(struct turning *warps, uint64_t count) {
    uint64_t time = 0, completion = 0;
    for (bool more = count > 0; more;) {
        while (take_round(warps, count, &time))
            count_work(warps->path->of->check, count);
        more = false;
        for (uint64_t w = 0; w < count; w++) {
            warps[w].running = warps[w].held;
            more = more || warps[w].held;
        }
    }
    for (uint64_t w = 0; w < count; w++)
        completion = max(completion, warps[w].times[COMPLETE]);
    return max(completion, time);
}

static uint64_t alone(struct turning *warp) {
    for (; warp->at < warp->path->steps.count; complete(warp))
        (void)issue(warp, 0);
    return max(warp->times[NOW], warp->times[COMPLETE]);
}

static uint64_t idle_of(const struct block *of, const struct unrolled *paths) {
    const uint64_t size = times_of(of);
    struct turning *warps = zeroed(of->check, of->warps.count, sizeof *warps);
    uint64_t *times = zeroed(of->check, mul(of->warps.count, size), sizeof *times), sum = 0;
    for (uint64_t c = 0; c < of->machine->sub_cores; c++) {
        uint64_t count = 0;
        for (uint64_t g = 0; g < of->warps.count; g++) {
            const struct warps *group = &of->warps.items[g];
            const struct turning warp = {&paths[group->path], times + g * size, 0, 0, c, true, false};
            if (group->sub_core != c) continue;
            warps[count++] = warp;
            if (of->parts) sum = add(sum, mul(alone(&warps[count - 1]), group->count));
        }
        if (!of->parts) sum = add(sum, rounds_of(warps, count));
    }
    free(warps);
    free(times);
    return sum;
}

/* ---- Turns of an SM whose blocks are all there from the start: theorem 5 ---- */

struct turns {
    struct turning *warps; /* block by block */
    uint64_t count, sub_cores;
    uint64_t *next, *issued; /* of sub-cores: where the next turn is looked for; the last issue */
};

/* What instructions without a slot wait for counts as if the next turn did. */
static void proceed(struct turns *turns, struct turning *warp) {
    warp->running = reach(warp, &turns->issued[warp->sub_core], false);
}

/* Opens the barrier of the block that has those warps as long as it holds all that have not ended. */
static void open_barrier(struct turns *turns, struct turning *warps, uint64_t count) {
    for (bool held = true; held;) {
        uint64_t latest = 0;
        held = false;
        for (uint64_t w = 0; w < count; w++) {
            count_work(warps->path->of->check, 0);
            if (warps[w].running) return;
            held = held || warps[w].held;
            latest = max(latest, warps[w].times[NOW]);
        }
        for (uint64_t w = 0; w < count; w++) {
            warps[w].times[NOW] = latest;
            if (warps[w].held) proceed(turns, &warps[w]);
        }
    }
}

/* The warp whose turn it is, or NULL. */
static struct turning *pick(struct turns *turns, uint64_t core) {
    const uint64_t members = (turns->count + turns->sub_cores - 1 - core) / turns->sub_cores;
    for (uint64_t i = 0; i < members; i++) {
        const uint64_t place = (turns->next[core] + i) % members;
        struct turning *warp = &turns->warps[core + place * turns->sub_cores];
        if (!warp->running) continue;
        turns->next[core] = (place + 1) % members;
        count_work(warp->path->of->check, i);
        return warp;
    }
    return NULL;
}

static void take_turns(struct turns *turns) {
    for (bool moved = true; moved;) {
        moved = false;
        for (uint64_t c = 0; c < turns->sub_cores; c++)
            for (struct turning *warp; (warp = pick(turns, c)) != NULL; moved = true) {
                turns->issued[c] = issue(warp, turns->issued[c]);
                complete(warp);
                warp->running = false;
                if (!warp->held) proceed(turns, warp);
                open_barrier(turns, turns->warps + warp->first, warp->path->of->warp_count);
            }
    }
}

/* ---- Kernels ---- */

struct chains {
    struct grid *grid;
    struct unrolled **paths; /* of each class */
    uint64_t *idle;          /* likewise: of its rounds */
    bool barriers, waits;    /* there are such, and what waits without a slot */
};

/* Warps of a block, behind those of others. */
static void add_warps(struct turns *turns, const struct grid *grid, const struct block *of,
                      const struct unrolled *paths) {
    number_list order = order_of(grid, of);
    const uint64_t first = turns->count;
    for (uint64_t w = 0; w < order.count; w++, turns->count++)
        turns->warps[turns->count] =
            (struct turning){.path = &paths[order.items[w]],
                             .times = zeroed(of->check, times_of(of), sizeof(uint64_t)),
                             .first = first,
                             .sub_core = turns->count % turns->sub_cores};
    for (uint64_t w = first; w < turns->count; w++)
        proceed(turns, &turns->warps[w]);
    open_barrier(turns, turns->warps + first, order.count);
    DROP(of->check, &order);
}

static uint64_t turns_of_sm(const struct chains *chains, uint64_t sm) {
    const struct grid *grid = chains->grid;
    const uint64_t cores = grid->machine->sub_cores;
    uint64_t warps = 0, completion = 0;
    for (struct share at = {0}; next_share(grid, sm, &at);)
        warps = add(warps, mul(at.blocks, block_of(grid, at.class)->warp_count));
    uint64_t *next = zeroed(grid->check, mul(2, cores), sizeof *next);
    struct turns turns = {.sub_cores = cores, .next = next, .issued = next + cores};
    turns.warps = zeroed(grid->check, warps, sizeof *turns.warps);
    for (struct share at = {0}; next_share(grid, sm, &at);)
        for (; at.blocks > 0; at.blocks--)
            add_warps(&turns, grid, block_of(grid, at.class), chains->paths[at.class]);
    take_turns(&turns);
    for (uint64_t w = 0; w < turns.count; w++) {
        completion = max(completion, turns.warps[w].times[COMPLETE]);
        free(turns.warps[w].times);
    }
    free(turns.warps);
    free(next);
    return completion;
}

/* Lambda. */
static uint64_t idle_of_sm(const struct grid *grid, uint64_t sm, void *context) {
    const struct chains *chains = context;
    uint64_t blocks = 0, sum = 0;
    for (struct share at = {0}; next_share(grid, sm, &at);) {
        blocks = add(blocks, at.blocks);
        sum = add(sum, mul(chains->idle[at.class], at.blocks));
    }
    sum = add(sum, mul(less(blocks, grid->room), grid->delay));
    const bool in_order = grid->machine->sub_cores == 1 && !chains->waits;
    const bool known = blocks <= grid->room && (blocks == 1 || !chains->barriers || in_order);
    if (!known || grid->check->blocks.items[0].parts) return sum;
    return min(sum, turns_of_sm(chains, sm));
}

uint64_t turn_chain(struct grid *grid) {
    struct check *check = grid->check;
    const uint64_t count = grid->classes.count;
    struct chains chains = {
        .grid = grid, .paths = unroll_all(grid), .idle = zeroed(check, count, sizeof *chains.idle)};
    require_subject(check, "policy", "pure-rr");
    if (grid->machine->width > 1) refuse(check, "no claim where turns have several instructions");
    if (grid->machine->release > 0) refuse(check, "no claim where barriers take time");
    for (uint64_t k = 0; k < count; k++) {
        const struct block *of = block_of(grid, k);
        chains.idle[k] = idle_of(of, chains.paths[k]);
        chains.barriers = chains.barriers || of->rows.count > 1;
        for (uint64_t i = 0; i < of->insts.count; i++)
            chains.waits =
                chains.waits || (of->insts.items[i].unit == NO_UNIT && of->insts.items[i].operands > 0);
        if (of->parts != check->blocks.items[0].parts) refuse(check, "some blocks are of parts of paths");
    }
    const uint64_t time = by_sms(grid, idle_of_sm, &chains);
    drop_paths(grid, chains.paths);
    free(chains.idle);
    return time;
}
