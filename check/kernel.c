/* k-sm, k-area and k-bal of a kernel: theorems 5, 6 and 7 of docs/proofs.md, section 12. */
#include "kernel.h"

#include <stdlib.h>

#define CALL_WORK 30 /* steps that a call takes, about */

struct grid grid;

/* ---- Blocks ---- */

static int largest_first(const void *a, const void *b) {
    const struct amount *x = a, *y = b;
    return (x->each < y->each) - (x->each > y->each);
}

void rank(ranking *amounts) {
    if (amounts->count > 0) qsort(amounts->items, amounts->count, sizeof *amounts->items, largest_first);
}

uint64_t top(const ranking *amounts, uint64_t n) {
    uint64_t sum = 0;
    count_work(CALL_WORK);
    for (uint64_t i = 0; i < amounts->count && n > 0; i++, count_work(0)) {
        const uint64_t taken = min(n, amounts->items[i].count);
        sum = add(sum, mul(amounts->items[i].each, taken));
        n -= taken;
    }
    return sum;
}

static void measure_block(struct class *class) {
    struct block *of = &blocks.items[class->block];
    finish(of);
    class->initiations = class->held = initiations_of(of);
    class->latency = latency_of(of);
    class->alpha = class->alone = add(class->initiations, class->latency);
    if (of->sends && machine.ports > 1) return;
    if (machine.depth == 0 || machine.depth == UNLIMITED) class->alpha = min(class->alpha, sib(of));
    class->alone = min(class->alone, min(sib(of), fib(of)));
}

/* Lemma 7 of docs/proofs.md, section 15, for so many fetches on so many SMs. */
static uint64_t time_of_fetches(uint64_t fetches, uint64_t sms) {
    const struct fetching *of = &grid.fetching;
    const uint64_t misses = of->lines == UNLIMITED ? fetches : min(mul(of->lines, sms), fetches);
    const uint64_t waiting = of->per_cycle < mul(of->warps, grid.room) ? fetches / of->per_cycle : 0;
    return add(add(mul(misses, of->miss), mul(fetches, of->latency)), waiting);
}

uint64_t fetch_time(uint64_t n) {
    return time_of_fetches(min(mul(grid.fetches_most, n), grid.fetches), 1);
}

static void measure_class(struct class *class) {
    struct block *of = &blocks.items[class->block];
    (grid.method->measure != NULL ? grid.method->measure : measure_block)(class);
    if (class->method != NULL) class->alone = min(class->alone, time_of_block(class->method, of));
    class->initiations = add(class->initiations, of->stalls);
    class->held = add(class->held, of->stalls);
    class->alpha = add(class->alpha, of->stalls);
    class->alone = add(class->alone, of->stalls);
    grid.stalled = grid.stalled || of->stalls > 0;
}

uint64_t alpha_of(const struct class *class) {
    return grid.by_sums ? add(class->initiations, class->latency) : class->alpha;
}

uint64_t met_of(const struct class *class) {
    return grid.by_sums ? class->initiations : class->held;
}

void refuse_memory(void) {
    sum_up();
    if (held_in_all() > 0 || grid.stalled || grid.by_sm || grid.fetches > 0)
        refuse("no claim where everything stands still at times");
}

void sum_up(void) {
    if (grid.classes.count == 0) refuse("a kernel without a block");
    if (grid.fetching.per_cycle == 0) refuse("it is not said what fetching takes");
    for (uint64_t k = 0; k < grid.classes.count; k++)
        if (grid.classes.items[k].fetches == UNLIMITED)
            refuse("it is not said what class %" PRIu64 " fetches", k);
    for (uint64_t k = 0; grid.assigned && k < grid.classes.count; k++)
        if (grid.classes.items[k].ordered != grid.classes.items[k].blocks)
            refuse("the order has more or fewer blocks of class %" PRIu64 " than there are", k);
    require_subject("block", "all");
    require_subject("dispatch", grid.assigned ? "fixed" : "any");
    if (grid.summed) return;
    grid.blocks = grid.initiations = grid.latencies = grid.latency = 0;
    grid.fetches = grid.fetches_most = 0;
    grid.by_initiations.count = grid.by_held.count = grid.by_residency.count = grid.by_alone.count = 0;
    for (uint64_t k = 0; k < grid.classes.count; k++) {
        struct class *class = &grid.classes.items[k];
        if (!grid.measured) measure_class(class);
        grid.blocks = add(grid.blocks, class->blocks);
        grid.initiations = add(grid.initiations, mul(class->blocks, class->initiations));
        grid.latencies = add(grid.latencies, mul(class->blocks, class->latency));
        grid.latency = max(grid.latency, class->latency);
        grid.fetches = add(grid.fetches, mul(class->fetches, class->blocks));
        grid.fetches_most = max(grid.fetches_most, class->fetches);
        PUSH(&grid.by_initiations, (struct amount){class->initiations, class->blocks});
        PUSH(&grid.by_held, (struct amount){met_of(class), class->blocks});
        PUSH(&grid.by_residency, (struct amount){max(alpha_of(class), met_of(class)), class->blocks});
        PUSH(&grid.by_alone, (struct amount){class->alone, class->blocks});
    }
    const uint64_t launched = count_of_subject("grid", NULL);
    if (launched > 0 && launched != grid.blocks)
        refuse("it is of %" PRIu64 " blocks, and what follows of %" PRIu64, launched, grid.blocks);
    rank(&grid.by_initiations);
    rank(&grid.by_held);
    rank(&grid.by_residency);
    rank(&grid.by_alone);
    grid.summed = grid.measured = true;
}

/* ---- Formulas ---- */

/* The most of n blocks beside one that counts `own`. */
static uint64_t beside(const ranking *amounts, uint64_t own, uint64_t n) {
    return min(top(amounts, n), top(amounts, n + 1) - own);
}

static uint64_t together(uint64_t n) {
    uint64_t most = 0;
    n = min(n, grid.blocks);
    for (uint64_t k = 0; k < grid.classes.count && n > 1; k++) {
        const struct class *class = &grid.classes.items[k];
        const uint64_t stay = add(alpha_of(class), beside(&grid.by_held, met_of(class), n - 1));
        const uint64_t own = add(class->initiations, class->latency);
        const uint64_t sum = add(own, beside(&grid.by_initiations, class->initiations, n - 1));
        most = max(most, min(stay, sum));
    }
    return n > 1 ? most : top(&grid.by_alone, n);
}

uint64_t start_time(uint64_t n) {
    return grid.chains == NULL ? together(n) : min(together(n), grid.chains->start(min(n, grid.blocks)));
}

/* W(n, f): n blocks of an SM, f of them one behind the other in a slot. */
static uint64_t slot_time(uint64_t n, uint64_t f) {
    const ranking *stays = grid.room == 1 ? &grid.by_alone : &grid.by_residency;
    return min(add(top(&grid.by_initiations, n), mul(f, grid.latency)),
               add(top(stays, f), top(&grid.by_held, n - f)));
}

/* h(n): an SM that gets n blocks. */
static uint64_t sm_time(uint64_t n) {
    const uint64_t waves = rounded_up(n, grid.room);
    if (waves <= 1) return add(start_time(n), fetch_time(n));
    uint64_t time = grid.room == 1 ? slot_time(n, n) : add(slot_time(n, waves - 1), grid.latency);
    if (grid.chains != NULL) time = min(time, grid.chains->sm(n, waves));
    return add(add(time, mul(waves - 1, grid.delay)), fetch_time(n));
}

uint64_t most_of_an_sm(void) {
    return grid.blocks > grid.slots ? grid.blocks - (grid.sms - 1) * grid.room
                                    : rounded_up(grid.blocks, grid.sms);
}

uint64_t k_one_sm(void) {
    return sm_time(most_of_an_sm());
}

uint64_t k_all_sms(void) {
    if (grid.blocks <= grid.slots) return k_one_sm();
    const uint64_t all = top(&grid.by_initiations, grid.room), start = together(grid.room);
    const uint64_t tail = min(all, start - min(start, grid.latency));
    const uint64_t delays = mul(grid.blocks - grid.slots, grid.delay);
    const uint64_t busy = add(grid.initiations, mul(grid.sms - 1, tail));
    uint64_t latencies = add(add(grid.latencies, delays), mul(busy % grid.sms, grid.room));
    latencies = add(latencies, mul(grid.slots - 1, add(grid.latency, grid.delay)));
    uint64_t time = add(busy / grid.sms, latencies / grid.slots);
    if (grid.chains != NULL) time = min(time, grid.chains->area(start_time(grid.room)));
    const uint64_t all_fetches = time_of_fetches(grid.fetches, min(grid.sms, grid.blocks));
    const uint64_t fetch = add(rounded_up(all_fetches, grid.sms), fetch_time(grid.room));
    if (grid.room != 1) return add(time, fetch);
    const uint64_t last = add(top(&grid.by_alone, 1), grid.delay), stays = top(&grid.by_alone, grid.blocks);
    return add(min(time, add(add(stays, delays), mul(grid.sms - 1, last)) / grid.sms), fetch);
}

/* The SM that ends last gets n blocks: h(n), or what the others take, one of which gets few, and then S_R. */
static uint64_t balanced(uint64_t n) {
    const uint64_t q = (grid.blocks - n) / (grid.sms - 1), f = q / grid.room;
    const uint64_t chains = grid.chains == NULL ? UNLIMITED : grid.chains->other(q, f);
    const uint64_t other = add(min(slot_time(q, f), chains), mul(f, grid.delay));
    const uint64_t fetch = add(fetch_time(q), fetch_time(grid.room));
    return min(sm_time(n), add(add(other, start_time(grid.room)), fetch));
}

uint64_t k_balanced(void) {
    if (grid.blocks <= grid.slots || grid.sms == 1) return k_one_sm();
    uint64_t low = grid.room, high = most_of_an_sm();
    while (low < high) { /* to the least n at which h(n) is not the lesser */
        const uint64_t n = low + (high - low) / 2;
        if (balanced(n) < sm_time(n))
            high = n;
        else
            low = n + 1;
    }
    return max(balanced(high), high > grid.room ? balanced(high - 1) : 0);
}

/* ---- Lines and claims ---- */

uint64_t time_of_grid(const struct method *method) {
    if (method->of_code != machine.is_code) refuse("no claim on this machine: %s", method->name);
    if (method->of_grid == NULL && method->with == NULL) refuse("no claim of a kernel: %s", method->name);
    for (uint64_t b = 0; b < blocks.count; b++)
        if (method->of_whole && blocks.items[b].parts) refuse("no claim of parts of paths: %s", method->name);
    grid.method = method;
    return method->with != NULL ? method->with(method->formula) : method->of_grid();
}

/* That chains pay for what is held back in single blocks is on paper. */
uint64_t time_by_sums(const struct method *method) {
    if (method->share != NULL && grid.stalled) return UNLIMITED;
    grid.summed = false;
    grid.by_sums = true;
    const uint64_t time = time_of_grid(method);
    grid.summed = grid.by_sums = false;
    return time;
}

uint64_t last_room(void) {
    return min(grid.most, max(grid.least, grid.blocks));
}

uint64_t worst_room(uint64_t (*formula)(void)) {
    uint64_t most = 0;
    if (grid.by_sm) refuse("no claim where single SMs stand still at times");
    for (grid.room = grid.least; grid.room <= last_room(); grid.room++) {
        grid.slots = mul(grid.sms, grid.room);
        most = max(most, formula());
        count_work(grid.classes.count);
    }
    return add(most, mul(grid.service, grid.blocks));
}

uint64_t for_all_rooms(uint64_t (*formula)(void)) {
    if (grid.assigned) refuse("blocks do not go to any SM");
    sum_up();
    return worst_room(formula);
}

static void read_grid(const uint64_t *n) {
    grid.sms = n[0], grid.least = n[1], grid.most = n[2], grid.delay = n[3], grid.service = n[4];
    if (grid.least > grid.most) refuse("no number of blocks is from %" PRIu64 " to %" PRIu64, n[1], n[2]);
}

static void read_class(const uint64_t *n) {
    PUSH(&grid.classes, (struct class){.block = n[0], .blocks = n[1], .fetches = UNLIMITED});
}

static void read_fetching(const uint64_t *n) {
    grid.fetching = (struct fetching){n[0], n[1], n[2], n[3], n[4]};
}

static void read_fetches(const uint64_t *n) {
    if (grid.classes.count == 0) refuse("fetches of no class");
    grid.classes.items[grid.classes.count - 1].fetches = n[0];
}

static void read_alone(const uint64_t *n) {
    const struct method *method = method_at(n[0]);
    if (grid.classes.count == 0) refuse("alone of no class");
    if (method->is_lower) refuse("no bound from above: %s", method->name);
    grid.classes.items[grid.classes.count - 1].method = method;
}

const struct key kernel_keys[] = {
    {"grid", "nnntt", BEGINS_GRID,
     read_grid}, /* SMs, blocks that one holds at a time, from .. to, dispatch latency, service */
    {"fetching", "dttnt", OF_GRID, read_fetching}, /* as in struct fetching */
    {"class", "bn", OF_GRID, read_class},          /* block, how many blocks are like it */
    {"fetches", "t", OF_GRID, read_fetches},       /* of a block of the last class */
    {"alone", "m", OF_GRID, read_alone},           /* what shows most of such a block alone on an SM */
    {.name = NULL},
};
