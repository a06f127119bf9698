#include "bound/profile/chain.h"

#include <assert.h>
#include <string.h>

/* Links that are no steps. */
enum { LINK_MARK = CHAIN_STEPS, LINK_JUMP, LINK_BUNDLE };

void chains_free(struct chains *chains) {
    vec_free(&chains->links);
    vec_free(&chains->jumps);
    vec_free(&chains->bundles);
    arena_free(&chains->arena);
}

static uint32_t add_link(struct chains *chains, struct chain_link link) {
    chains->too_long = chains->links.count >= CHAIN_LINKS_MAX;
    if (!chains->too_long && vec_push(&chains->links, link) == WB_OK)
        return (uint32_t)chains->links.count - 1;
    chains->failed = true;
    return CHAIN_NONE;
}

struct chain_time chain_add(struct chains *chains, struct chain_time time, enum chain_step step,
                            uint32_t entry, cycles takes) {
    if (takes == 0) return time;
    assert(takes <= UINT32_MAX);
    return (struct chain_time){
        time.at + takes, add_link(chains, (struct chain_link){time.link, entry, (uint32_t)takes, step})};
}

void chain_queues_step(const struct timed_code *code, const struct timed_inst *inst,
                       struct chain_time *registers, size_t stride, struct chain_time at) {
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++) {
        const struct timed_queue *queue = &code->queues[q];
        if (queue->count == 0) continue;
        struct chain_time *all = registers + queue->first * stride;
        if (inst->joins >> q & 1) *all = chain_later(*all, at);
        for (uint32_t j = queue->count; (inst->commits >> q & 1) != 0 && j-- > 1;)
            all[j * stride] = all[(j - 1) * stride];
    }
}

uint32_t chain_mark(struct chains *chains, struct chain_time *const *times, size_t count) {
    const uint32_t first = (uint32_t)chains->links.count;
    for (size_t i = 0; i < count; i++)
        times[i]->link = add_link(chains, (struct chain_link){times[i]->link, (uint32_t)i, 0, LINK_MARK});
    return first;
}

uint32_t chain_jump(struct chains *chains, uint32_t first_mark, uint64_t periods,
                    struct chain_time *const *times, size_t count) {
    struct chain_jump jump = {first_mark, periods, arena_array(&chains->arena, count + 1, sizeof(uint32_t))};
    const uint32_t number = (uint32_t)chains->jumps.count;
    if (jump.links == NULL || vec_push(&chains->jumps, jump) != WB_OK) {
        chains->failed = true;
        return number;
    }
    for (size_t i = 0; i < count; i++) {
        jump.links[i] = times[i]->link;
        times[i]->link = add_link(chains, (struct chain_link){(uint32_t)i, number, 0, LINK_JUMP});
    }
    return number;
}

void chain_back(const struct chains *chains, uint32_t jump, struct chain_time *const *times, size_t count) {
    for (size_t i = 0; i < count && !chains->failed; i++)
        times[i]->link = chains->jumps.items[jump].links[i];
}

/* ---- The way back -------------------------------------------------------------------------------------- */

/* A way back through the links. */
struct tracer {
    struct chains *chains;
    cycles *spent;
    wb_status status;
};

/* Times that a jump passes, in this order, the last of them to come again from `back_to` on. */
struct tour {
    VEC(uint32_t) times;
    size_t back_to;
    uint32_t end; /* where it ends, if it does not come to the same time twice */
    bool returns;
};

static uint32_t trace(struct tracer *tracer, uint32_t link, const struct chain_jump *within, uint64_t weight);

/* Follows a jump back from time `from`: each time once. */
static void tour_make(struct tracer *tracer, const struct chain_jump *jump, uint32_t from,
                      struct tour *tour) {
    uint32_t at = from;
    for (uint64_t period = 0; period < jump->periods && tracer->status == WB_OK; period++) {
        for (size_t t = 0; t < tour->times.count; t++) {
            if (tour->times.items[t] != at) continue;
            tour->back_to = t;
            tour->returns = true;
            return;
        }
        if (vec_push(&tour->times, at) != WB_OK) tracer->status = WB_ERR_LIMIT;
        at = trace(tracer, jump->links[at], jump, 0);
    }
    tour->end = at;
}

/* Counts the times that a jump back from `from` passes, and returns its target. */
static uint32_t trace_jump(struct tracer *tracer, const struct chain_jump *jump, uint32_t from,
                           uint64_t weight) {
    struct tour tour = {.back_to = 0};
    tour_make(tracer, jump, from, &tour);
    const size_t length = tour.times.count - tour.back_to; /* of what comes again */
    const uint64_t left = jump->periods - tour.back_to;
    uint32_t end = tour.end;
    for (size_t t = 0; t < tour.times.count && weight > 0 && tracer->status == WB_OK; t++) {
        uint64_t times = 1;
        if (tour.returns && t >= tour.back_to) times = left / length + (t - tour.back_to < left % length);
        (void)trace(tracer, jump->links[tour.times.items[t]], jump, weight * times);
    }
    if (tour.returns && tracer->status == WB_OK) end = tour.times.items[tour.back_to + left % length];
    vec_free(&tour.times);
    return end;
}

/* Counts a step, or a bundle of them. */
static void spend(struct tracer *tracer, const struct chain_link *link, uint64_t weight) {
    const struct chain_spent *bundle = tracer->chains->bundles.items;
    for (uint32_t i = 0; link->kind == LINK_BUNDLE && i < link->takes; i++)
        tracer->spent[bundle[link->entry + i].step] += bundle[link->entry + i].spent * weight;
    if (link->kind >= CHAIN_STEPS) return;
    cycles *of = tracer->spent + (size_t)link->entry * CHAIN_STEPS;
    const bool issues = link->kind == CHAIN_UNIT;
    of[CHAIN_ISSUE] += issues ? weight : 0;
    of[link->kind] += (link->takes - (uint64_t)issues) * weight;
}

/* Counts the steps of a chain; `within` a jump, up to the marks of its period: returns the time marked. */
static uint32_t trace(struct tracer *tracer, uint32_t link, const struct chain_jump *within,
                      uint64_t weight) {
    const struct chains *chains = tracer->chains;
    while (link != CHAIN_NONE && tracer->status == WB_OK) {
        const struct chain_link *at = &chains->links.items[link];
        if (at->kind == LINK_JUMP) {
            const struct chain_jump *jump = &chains->jumps.items[at->entry];
            const uint32_t time = trace_jump(tracer, jump, at->before, weight);
            link = tracer->status == WB_OK ? jump->links[time] : CHAIN_NONE;
            continue;
        }
        if (at->kind == LINK_MARK && within != NULL && link == within->first_mark + at->entry)
            return at->entry;
        spend(tracer, at, weight);
        link = at->before;
    }
    assert(within == NULL || tracer->status != WB_OK);
    return 0;
}

wb_status chain_spend(struct chains *chains, uint32_t link, uint64_t weight, cycles *spent) {
    struct tracer tracer = {.chains = chains, .status = chains->failed ? WB_ERR_LIMIT : WB_OK};
    tracer.spent = spent;
    (void)trace(&tracer, link, NULL, weight);
    return tracer.status;
}

/* ---- Fewer links --------------------------------------------------------------------------------------- */

/* Links from which on the first trimming is worth it: 64 megabytes. */
#define TRIM_LEAST ((size_t)1 << 22)

/* Links being replaced by fewer. */
struct trimmer {
    struct tracer tracer;
    uint8_t *behind;   /* per link how many stand behind it; 2: several, or a root does */
    uint32_t *renamed; /* per link that is kept its new number */
    VEC(struct chain_link) links;
    VEC(struct chain_spent) bundles;
};

/* The link behind which a link stands, through the repetitions of a jump; counts what it spends. */
static uint32_t link_before(struct tracer *tracer, uint32_t link, uint64_t weight) {
    const struct chains *chains = tracer->chains;
    const struct chain_link *at = &chains->links.items[link];
    if (at->kind != LINK_JUMP) {
        spend(tracer, at, weight);
        return at->before;
    }
    const struct chain_jump *jump = &chains->jumps.items[at->entry];
    const uint32_t time = trace_jump(tracer, jump, at->before, weight);
    return tracer->status == WB_OK ? jump->links[time] : CHAIN_NONE;
}

static void stand_behind(struct trimmer *trimmer, uint32_t link, uint8_t many) {
    if (link == CHAIN_NONE) return;
    const uint8_t sum = (uint8_t)(trimmer->behind[link] + many);
    trimmer->behind[link] = sum > 2 ? 2 : sum;
}

/* Finds the links that are kept: those of roots, and those that several stand behind. */
static void find_kept(struct trimmer *trimmer) {
    const struct chains *chains = trimmer->tracer.chains;
    for (size_t r = 0; r < chains->root_count; r++)
        stand_behind(trimmer, chains->roots[r]->link, 2);
    for (size_t l = chains->links.count; l-- > 0 && trimmer->tracer.status == WB_OK;)
        if (trimmer->behind[l] > 0) stand_behind(trimmer, link_before(&trimmer->tracer, (uint32_t)l, 0), 1);
}

/* Puts one link in the place of a kept one and of all between it and the kept one before. */
static wb_status bundle_link(struct trimmer *trimmer, uint32_t link) {
    struct tracer *tracer = &trimmer->tracer;
    const size_t steps = (size_t)tracer->chains->entries * CHAIN_STEPS;
    struct chain_link bundle = {.entry = (uint32_t)trimmer->bundles.count, .kind = LINK_BUNDLE};
    memset(tracer->spent, 0, steps * sizeof *tracer->spent);
    trimmer->renamed[link] = (uint32_t)trimmer->links.count;
    do {
        link = link_before(tracer, link, 1);
    } while (link != CHAIN_NONE && trimmer->behind[link] < 2);
    bundle.before = link == CHAIN_NONE ? CHAIN_NONE : trimmer->renamed[link];
    for (size_t step = 0; step < steps; step++) {
        const struct chain_spent spent = {step, tracer->spent[step]};
        if (spent.spent > 0) WB_TRY(vec_push(&trimmer->bundles, spent));
    }
    bundle.takes = (uint32_t)trimmer->bundles.count - bundle.entry;
    WB_TRY(vec_push(&trimmer->links, bundle));
    return tracer->status;
}

static wb_status trim(struct trimmer *trimmer, struct arena *arena) {
    const struct chains *chains = trimmer->tracer.chains;
    trimmer->behind = arena_array(arena, chains->links.count + 1, sizeof *trimmer->behind);
    trimmer->renamed = arena_array(arena, chains->links.count + 1, sizeof *trimmer->renamed);
    trimmer->tracer.spent = arena_array(arena, (size_t)chains->entries * CHAIN_STEPS + 1, sizeof(cycles));
    if (trimmer->behind == NULL || trimmer->renamed == NULL || trimmer->tracer.spent == NULL)
        return WB_ERR_LIMIT;
    find_kept(trimmer);
    for (uint32_t l = 0; l < chains->links.count && trimmer->tracer.status == WB_OK; l++)
        if (trimmer->behind[l] == 2) WB_TRY(bundle_link(trimmer, l));
    return trimmer->tracer.status;
}

/* Takes the new links in place of the old ones. */
static void take_trimmed(struct chains *chains, const struct trimmer *trimmer) {
    for (size_t r = 0; r < chains->root_count; r++)
        if (chains->roots[r]->link != CHAIN_NONE)
            chains->roots[r]->link = trimmer->renamed[chains->roots[r]->link];
    vec_free(&chains->links);
    vec_free(&chains->bundles);
    memcpy(&chains->links, &trimmer->links, sizeof chains->links);
    memcpy(&chains->bundles, &trimmer->bundles, sizeof chains->bundles);
    chains->jumps.count = 0;
    arena_free(&chains->arena);
}

void chains_trim(struct chains *chains) {
    struct trimmer trimmer = {.tracer = {chains, NULL, WB_OK}};
    struct arena arena = {0};
    assert(!chains->pinned);
    if (trim(&trimmer, &arena) == WB_OK) {
        take_trimmed(chains, &trimmer);
    } else {
        chains->failed = true;
        vec_free(&trimmer.links);
        vec_free(&trimmer.bundles);
    }
    arena_free(&arena);
}

bool chains_compact(struct chains *chains) {
    const size_t count = chains->links.count;
    if (!chains->pinned && !chains->failed && count >= TRIM_LEAST && count >= chains->trim_at) {
        chains_trim(chains);
        chains->trim_at = 2 * chains->links.count;
    }
    return !chains->failed;
}

void chains_clear(struct chains *chains) {
    for (size_t r = 0; r < chains->root_count; r++)
        chains->roots[r]->link = CHAIN_NONE;
    chains->links.count = chains->jumps.count = chains->bundles.count = 0;
    arena_free(&chains->arena);
}
