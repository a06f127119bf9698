/* reorder-chain of a kernel on a machine with caches, whose accesses are served in one known order on each
 * SM, and whose blocks go to fixed SMs: theorem 3 of docs/memory-bounds.md, on paper. */
#include "stepped.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT64_MAX

/* A warp of a block on its SM, and the next of its accesses that are served. */
struct served_warp {
    struct turning warp;
    uint64_t next, count; /* `count` were served */
    uint64_t *entries;    /* of its channel, a ring: when each is free */
};

struct served_block {
    struct served_warp *warps;
    uint64_t count;
};

/* An SM on its way. */
struct serving {
    const struct grid *grid;
    struct unrolled **paths;       /* of each class */
    const struct serve *serves;    /* its own, in their order */
    uint64_t count, sm;            /* of these */
    uint64_t *next, *done;         /* of each that of the same warp, or NONE; and when its turns are over */
    struct served_block *blocks;   /* all of the SM, but only those of a generation at a time have warps */
    uint64_t block_count, started; /* those of older generations and this one */
    uint64_t *ends;                /* the latest of older generations, as many as an SM holds, ascending */
    uint64_t latest, turned;       /* the end of the last of these; and of the last turn */
};

/* ---- Blocks of an SM ---- */

static const struct class *class_of(const struct grid *grid, uint64_t number) {
    uint64_t r = 0;
    while (grid->runs.items[r].end <= number)
        r++;
    count_work(grid->check, r);
    return &grid->classes.items[grid->runs.items[r].class];
}

/* As many accesses of each warp are served as the block says. */
static void check_served(const struct serving *sm, uint64_t index) {
    const struct grid *grid = sm->grid;
    const uint64_t number = class_of(grid, sm->sm + index * grid->sms)->block;
    uint64_t w = 0;
    for (uint64_t a = 0; a < grid->accesses.count; a++) {
        if (grid->accesses.items[a].block != number) continue;
        if (w >= sm->blocks[index].count || grid->accesses.items[a].path != sm->blocks[index].warps[w].count)
            refuse(grid->check, "other accesses are served than there are");
        w++;
    }
    count_work(grid->check, grid->accesses.count);
    if (w != sm->blocks[index].count) refuse(grid->check, "it is not said what accesses there are");
}

/* The block has its warps where its slot is free. */
static void start_block(struct serving *sm, uint64_t index, uint64_t start) {
    struct check *check = sm->grid->check;
    const struct class *class = class_of(sm->grid, sm->sm + index * sm->grid->sms);
    const struct block *of = &check->blocks.items[class->block];
    const struct unrolled *paths = sm->paths[class - sm->grid->classes.items];
    struct served_block *block = &sm->blocks[index];
    number_list order = order_of(sm->grid, of);
    for (uint64_t w = 0; w < order.count; w++) {
        struct served_warp *warp = &block->warps[w];
        warp->warp = (struct turning){.path = &paths[order.items[w]],
                                      .times = zeroed(check, times_of(of), sizeof(uint64_t))};
        warp->warp.times[NOW] = warp->warp.times[COMPLETE] = start;
        warp->entries = zeroed(check, sm->grid->channels, sizeof *warp->entries);
    }
    DROP(check, &order);
}

static void start_generation(struct serving *sm) {
    const uint64_t delay = sm->started == 0 ? 0 : sm->grid->delay; /* no older ones: all ends are 0 */
    for (uint64_t s = 0; s < sm->grid->room && sm->started < sm->block_count; s++)
        start_block(sm, sm->started++, add(sm->ends[s], delay));
}

/* ---- Between accesses ---- */

/* Goes on to its next access, its barrier or its end. */
static void follow(struct serving *sm, struct served_warp *served) {
    struct turning *warp = &served->warp;
    const uint64_t stop = served->next == NONE ? NONE : sm->serves[served->next].position;
    while (!warp->held && warp->at < warp->path->steps.count && warp->at != stop) {
        (void)issue(warp, 0);
        complete(warp);
    }
}

static bool is_at_access(const struct serving *sm, const struct served_warp *served) {
    return served->next != NONE && !served->warp.held && served->warp.at == sm->serves[served->next].position;
}

/* Opens the barrier of a block; false when it holds none, or something is to be served before. */
static bool join(struct serving *sm, struct served_block *block) {
    uint64_t latest = 0;
    bool held = false;
    for (uint64_t w = 0; w < block->count; w++) {
        follow(sm, &block->warps[w]);
        if (is_at_access(sm, &block->warps[w])) return false;
        held = held || block->warps[w].warp.held;
        latest = max(latest, block->warps[w].warp.times[NOW]);
    }
    for (uint64_t w = 0; w < block->count; w++) {
        block->warps[w].warp.times[NOW] = latest;
        block->warps[w].warp.held = false;
    }
    return held;
}

/* ---- Services and generations ---- */

static void serve(struct serving *sm, uint64_t number) {
    const struct serve *one = &sm->serves[number];
    struct check *check = sm->grid->check;
    struct served_block *block = &sm->blocks[one->block / sm->grid->sms];
    struct served_warp *served = &block->warps[one->warp];
    do
        follow(sm, served);
    while (served->warp.held && join(sm, block));
    if (served->next != number || !is_at_access(sm, served))
        refuse(check, "warp %" PRIu64 " of block %" PRIu64 " is not where it is served", one->warp,
               one->block);
    uint64_t *entry = &served->entries[served->count++ % sm->grid->channels];
    *entry = sm->turned = sm->done[number] = max(sm->turned, issue(&served->warp, *entry));
    complete_at(&served->warp,
                max(add(sm->turned, one->takes), add(sm->done[number - one->back], one->late)));
    served->next = sm->next[number];
}

static void keep_end(struct serving *sm, uint64_t end) {
    uint64_t at = 0;
    sm->latest = max(sm->latest, end);
    if (end <= sm->ends[0]) return;
    for (; at + 1 < sm->grid->room && sm->ends[at + 1] < end; at++)
        sm->ends[at] = sm->ends[at + 1];
    sm->ends[at] = end;
}

/* All blocks of the generation, from that one on, end before the next one starts. */
static void end_generation(struct serving *sm, uint64_t first) {
    for (uint64_t b = first; b < sm->started; b++) {
        struct served_block *block = &sm->blocks[b];
        uint64_t end = 0;
        while (join(sm, block))
            ;
        check_served(sm, b);
        for (uint64_t w = 0; w < block->count; w++) {
            struct turning *warp = &block->warps[w].warp;
            if (block->warps[w].next != NONE || warp->at < warp->path->steps.count)
                refuse(sm->grid->check, "a block is served behind one of a later generation");
            end = max(end, warp->times[COMPLETE]);
            free(warp->times);
            free(block->warps[w].entries);
        }
        keep_end(sm, end);
    }
    start_generation(sm);
}

/* Links what each warp is served. */
static void link(struct serving *sm) {
    for (uint64_t i = sm->count; i-- > 0;) {
        const struct serve *one = &sm->serves[i];
        const uint64_t index = one->block / sm->grid->sms;
        if (one->block % sm->grid->sms != sm->sm || index >= sm->block_count ||
            one->warp >= sm->blocks[index].count || one->back > i)
            refuse(sm->grid->check, "SM %" PRIu64 " serves what it has not", sm->sm);
        sm->next[i] = sm->blocks[index].warps[one->warp].next;
        sm->blocks[index].warps[one->warp].next = i;
    }
}

static uint64_t idle_of_sm(const struct grid *grid, uint64_t number, void *context) {
    struct check *check = grid->check;
    struct serving sm = {.grid = grid, .paths = context, .sm = number};
    uint64_t turns = 0, first = 0;
    while (first < grid->serves.count && grid->serves.items[first].sm < number)
        first++;
    while (first + sm.count < grid->serves.count && grid->serves.items[first + sm.count].sm == number)
        turns = add(turns, grid->serves.items[first + sm.count++].turns);
    count_work(check, first);
    sm.serves = grid->serves.items + first;
    sm.next = zeroed(check, mul(2, sm.count), sizeof *sm.next);
    sm.done = sm.next + sm.count;
    sm.ends = zeroed(check, grid->room, sizeof *sm.ends);
    sm.block_count = (grid->blocks - number - 1) / grid->sms + 1;
    sm.blocks = zeroed(check, sm.block_count, sizeof *sm.blocks);
    for (uint64_t b = 0; b < sm.block_count; b++) {
        struct served_block *block = &sm.blocks[b];
        block->count = check->blocks.items[class_of(grid, number + b * grid->sms)->block].warp_count;
        block->warps = zeroed(check, block->count, sizeof *block->warps);
        for (uint64_t w = 0; w < block->count; w++)
            block->warps[w].next = NONE;
    }
    link(&sm);
    uint64_t generation = 0; /* the first block of it */
    start_generation(&sm);
    for (uint64_t i = 0; i < sm.count; i++) {
        for (; sm.serves[i].block / grid->sms >= sm.started; generation += grid->room)
            end_generation(&sm, generation);
        if (sm.serves[i].block / grid->sms < generation)
            refuse(check, "a block is served behind one of a later generation");
        serve(&sm, i);
    }
    for (; generation < sm.block_count; generation += grid->room)
        end_generation(&sm, generation);
    for (uint64_t b = 0; b < sm.block_count; b++)
        free(sm.blocks[b].warps);
    free(sm.blocks);
    free(sm.ends);
    free(sm.next);
    return add(sm.latest, turns);
}

uint64_t reorder_chain(struct grid *grid) {
    require_subject(grid->check, "policy", "reorder");
    if (grid->channels == 0) refuse(grid->check, "it is not said what channels hold");
    if (grid->machine->release > 0) refuse(grid->check, "no claim where barriers take time");
    if (grid->least < last_room(grid))
        refuse(grid->check, "generations are of as many blocks as an SM holds");
    struct unrolled **paths = unroll_all(grid);
    const uint64_t time = by_sms(grid, idle_of_sm, paths);
    drop_paths(grid, paths);
    return time;
}
