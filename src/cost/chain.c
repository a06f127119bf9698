#include "cost/chain.h"

#include <assert.h>

/* Links that are no steps. */
enum { LINK_MARK = CHAIN_STEPS, LINK_JUMP };

void chains_free(struct chains *chains) {
    vec_free(&chains->links);
    vec_free(&chains->jumps);
    arena_free(&chains->arena);
}

static uint32_t add_link(struct chains *chains, struct chain_link link) {
    chains->too_long = chains->links.count >= CHAIN_LINKS_MAX;
    if (!chains->too_long && vec_push(&chains->links, link) == WB_OK)
        return (uint32_t)chains->links.count - 1;
    chains->failed = true;
    return CHAIN_NONE;
}

struct chain_time chain_behind(struct chains *chains, struct chain_time time, enum chain_step step,
                               uint32_t entry, cycles takes) {
    if (takes == 0) return time;
    assert(takes <= UINT32_MAX);
    return (struct chain_time){
        time.at + takes, add_link(chains, (struct chain_link){time.link, entry, (uint32_t)takes, step})};
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

/* Times that a jump leads through, in this order, the last of them to come again from `back_to` on. */
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

/* Counts what a jump back from time `from` passes, and returns the time that it leads to. */
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

static void spend(struct tracer *tracer, const struct chain_link *link, uint64_t weight) {
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
        if (at->kind < CHAIN_STEPS) spend(tracer, at, weight);
        link = at->before;
    }
    assert(within == NULL || tracer->status != WB_OK);
    return 0;
}

wb_status chain_spend(struct chains *chains, uint32_t link, uint64_t weight, cycles *spent) {
    struct tracer tracer = {chains, spent, chains->failed ? WB_ERR_LIMIT : WB_OK};
    (void)trace(&tracer, link, NULL, weight);
    return tracer.status;
}
