/* The ledger of a kernel, and k-sm, k-area and k-bal: theorems 5, 6 and 7 of docs/proofs.md, section 12
 * (kernel/Kernel.v:k_sm_bound, k_area_grid and k_sm_static_bound, kernel/Halves.v:k_bal_halves_ok). */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Amounts ---- */

void rank(ranking *amounts) {
    if (amounts->count > 0) qsort(amounts->items, amounts->count, sizeof *amounts->items, most_first);
}

uint64_t top(struct check *check, const ranking *amounts, uint64_t n) {
    uint64_t sum = 0;
    count_work(check, 30); /* about what a call takes */
    for (uint64_t i = 0; i < amounts->count && n > 0; i++, count_work(check, 0)) {
        const uint64_t taken = min(n, amounts->items[i].count);
        sum = add(sum, mul(amounts->items[i].each, taken));
        n -= taken;
    }
    return sum;
}

uint64_t largest_of(const struct grid *grid, uint64_t unit) {
    uint64_t largest = 0;
    for (uint64_t k = 0; k < grid->classes.count; k++)
        largest = max(largest, block_of(grid, k)->largest[unit]);
    return largest;
}

/* ---- The ledger ---- */

static void measure_block(struct grid *grid, struct class *class) {
    struct block *of = &grid->check->blocks.items[class->block];
    uint64_t *amounts = class->amounts;
    amounts[BUSY] = amounts[HELD] = initiations_of(of);
    amounts[LATENCY] = latency_of(of);
    amounts[ALPHA] = amounts[ALONE] = add(amounts[BUSY], amounts[LATENCY]);
    if (of->sends && of->machine->ports > 1) return;
    if (of->machine->queue != 1) amounts[ALPHA] = min(amounts[ALPHA], sib(of));
    amounts[ALONE] = min(amounts[ALONE], min(sib(of), fib(of)));
}

static void measure_sums(struct grid *grid, struct class *class) {
    struct block *of = &grid->check->blocks.items[class->block];
    finish(of);
    (of->machine->is_code ? measure_code : measure_block)(grid, class);
    uint64_t *alone = &class->amounts[ALONE];
    if (class->method != NULL) *alone = min(*alone, time_of_block(class->method, of));
    static const int held[] = {BUSY, HELD, ALPHA, ALONE};
    for (size_t k = 0; k < sizeof held / sizeof *held; k++)
        class->amounts[held[k]] = add(class->amounts[held[k]], of->stalls);
    class->amounts[STAY] = max(class->amounts[HELD], class->amounts[ALPHA]);
    class->amounts[SUM] = add(class->amounts[BUSY], class->amounts[LATENCY]);
    grid->stalled = grid->stalled || of->stalls > 0;
}

/* All is said that sums rest on. */
static void check_said(struct grid *grid) {
    struct check *check = grid->check;
    if (grid->classes.count == 0) refuse(check, "a kernel without a block");
    if (grid->fetching.per_cycle == 0) refuse(check, "it is not said what fetching takes");
    for (uint64_t k = 0; k < grid->classes.count; k++) {
        const struct class *class = &grid->classes.items[k];
        if (!class->states_fetches) refuse(check, "it is not said what class %" PRIu64 " fetches", k);
        if (grid->assigned && class->ordered != class->blocks)
            refuse(check, "the order has more or fewer blocks of class %" PRIu64 " than there are", k);
        grid->blocks = add(grid->blocks, class->blocks);
    }
    require_subject(check, "block", "all");
    require_subject(check, "dispatch", grid->assigned ? "fixed" : "any");
    const uint64_t launched = count_of_subject(check, "grid", NULL);
    if (launched > 0 && launched != grid->blocks)
        refuse(check, "it is of %" PRIu64 " blocks, and what follows of %" PRIu64, launched, grid->blocks);
}

void need(struct grid *grid, enum group group) {
    static const struct {
        void (*measure)(struct grid *grid, struct class *class);
        int first, end;
    } groups[GROUPS] = {[SUMS] = {measure_sums, BUSY, TURNS},
                        [CHAINS] = {measure_chains, TURNS, SERIAL},
                        [SERIALS] = {measure_serial, SERIAL, OLDEST},
                        [OLDESTS] = {measure_oldest, OLDEST, AMOUNTS}};
    if (grid->known[group]) return;
    grid->known[group] = true;
    if (group == SUMS) check_said(grid);
    for (uint64_t k = 0; k < grid->classes.count; k++) {
        struct class *class = &grid->classes.items[k];
        groups[group].measure(grid, class);
        for (int a = groups[group].first; a < groups[group].end; a++)
            PUSH(grid->check, &grid->by[a], (struct amount){class->amounts[a], class->blocks});
    }
    for (int a = groups[group].first; a < groups[group].end; a++)
        rank(&grid->by[a]);
}

/* What stands for an amount where SIB and H do not count. */
static int seen(const struct grid *grid, int amount) {
    if (!grid->by_sums) return amount;
    return amount == HELD ? BUSY : amount == ALPHA || amount == STAY ? SUM : amount;
}

uint64_t most(struct grid *grid, int amount, uint64_t n) {
    return top(grid->check, &grid->by[seen(grid, amount)], n);
}

void refuse_memory(struct grid *grid) {
    need(grid, SUMS);
    if (held_in_all(grid->machine) > 0 || grid->stalled || grid->held_of.count > 0 ||
        most(grid, FETCHES, 1) > 0)
        refuse(grid->check, "no claim where everything stands still at times");
}

/* ---- Formulas ---- */

/* Lemma 7 of docs/proofs.md, section 15, for so many fetches on so many SMs. */
static uint64_t time_of_fetches(const struct grid *grid, uint64_t fetches, uint64_t sms) {
    const struct fetching *of = &grid->fetching;
    const uint64_t misses = of->lines == UNLIMITED ? fetches : min(mul(of->lines, sms), fetches);
    const uint64_t waiting = of->per_cycle < mul(of->warps, grid->room) ? fetches / of->per_cycle : 0;
    return add(add(mul(misses, of->miss), mul(fetches, of->latency)), waiting);
}

/* zeta(n): that n blocks of an SM wait for instructions; with what lines miss once. */
static uint64_t fetch_time(struct grid *grid, uint64_t n) {
    const uint64_t fetches = min(mul(most(grid, FETCHES, 1), n), most(grid, FETCHES, grid->blocks));
    return add(time_of_fetches(grid, fetches, 1), n <= grid->room ? grid->first_misses : grid->misses);
}

/* The most of n blocks beside one that counts `own`. */
static uint64_t beside(struct grid *grid, int amount, uint64_t own, uint64_t n) {
    return min(most(grid, amount, n), most(grid, amount, n + 1) - own);
}

static uint64_t together_time(struct grid *grid, uint64_t n) {
    const int held = seen(grid, HELD), alpha = seen(grid, ALPHA);
    uint64_t longest = 0;
    n = min(n, grid->blocks);
    for (uint64_t k = 0; k < grid->classes.count && n > 1; k++) {
        const uint64_t *own = grid->classes.items[k].amounts;
        const uint64_t stay = add(own[alpha], beside(grid, held, own[held], n - 1));
        const uint64_t sum = add(own[SUM], beside(grid, BUSY, own[BUSY], n - 1));
        longest = max(longest, min(stay, sum));
    }
    return n > 1 ? longest : most(grid, ALONE, n);
}

uint64_t start_time(struct grid *grid, uint64_t n) {
    const uint64_t time = together_time(grid, n);
    return grid->chained ? min(time, chain_start(grid, min(n, grid->blocks))) : time;
}

/* W(n, f): n blocks of an SM, f of them one behind the other in a slot. */
static uint64_t slot_time(struct grid *grid, uint64_t n, uint64_t f) {
    const uint64_t stays = most(grid, grid->room == 1 ? ALONE : STAY, f);
    return min(add(most(grid, BUSY, n), mul(f, most(grid, LATENCY, 1))), add(stays, most(grid, HELD, n - f)));
}

/* h(n): an SM that gets n blocks. */
static uint64_t sm_time(struct grid *grid, uint64_t n) {
    const uint64_t waves = rounded_up(n, grid->room);
    if (waves <= 1) return add(start_time(grid, n), fetch_time(grid, n));
    uint64_t time =
        grid->room == 1 ? slot_time(grid, n, n) : add(slot_time(grid, n, waves - 1), most(grid, LATENCY, 1));
    if (grid->chained) time = min(time, chain_sm(grid, n, waves));
    return add(add(time, mul(waves - 1, grid->delay)), fetch_time(grid, n));
}

uint64_t most_of_an_sm(const struct grid *grid) {
    return grid->blocks > grid->slots ? grid->blocks - (grid->sms - 1) * grid->room
                                      : rounded_up(grid->blocks, grid->sms);
}

uint64_t k_one_sm(struct grid *grid) {
    return sm_time(grid, most_of_an_sm(grid));
}

uint64_t k_all_sms(struct grid *grid) {
    const uint64_t sms = grid->sms, blocks = grid->blocks;
    if (blocks <= grid->slots) return k_one_sm(grid);
    const uint64_t all = most(grid, BUSY, grid->room), latency = most(grid, LATENCY, 1);
    const uint64_t tail = min(all, less(together_time(grid, grid->room), latency));
    const uint64_t delays = mul(blocks - grid->slots, grid->delay);
    const uint64_t busy = add(most(grid, BUSY, blocks), mul(sms - 1, tail));
    uint64_t latencies = add(add(most(grid, LATENCY, blocks), delays), mul(busy % sms, grid->room));
    latencies = add(latencies, mul(grid->slots - 1, add(latency, grid->delay)));
    uint64_t time = add(busy / sms, latencies / grid->slots);
    if (grid->chained) time = min(time, chain_area(grid, start_time(grid, grid->room)));
    const uint64_t fetches = time_of_fetches(grid, most(grid, FETCHES, blocks), min(sms, blocks));
    const uint64_t fetch = add(add(rounded_up(fetches, sms), grid->misses), fetch_time(grid, grid->room));
    if (grid->room != 1) return add(time, fetch);
    const uint64_t last = add(most(grid, ALONE, 1), grid->delay), stays = most(grid, ALONE, blocks);
    return add(min(time, add(add(stays, delays), mul(sms - 1, last)) / sms), fetch);
}

/* The SM that ends last gets n blocks: h(n), or what the others take, one of which gets few, and then S_R. */
static uint64_t balanced(struct grid *grid, uint64_t n) {
    const uint64_t q = (grid->blocks - n) / (grid->sms - 1), f = q / grid->room;
    const uint64_t chains = grid->chained ? chain_other(grid, q, f) : UNLIMITED;
    const uint64_t other = add(min(slot_time(grid, q, f), chains), mul(f, grid->delay));
    const uint64_t fetch = add(fetch_time(grid, q), fetch_time(grid, grid->room));
    return min(sm_time(grid, n), add(add(other, start_time(grid, grid->room)), fetch));
}

uint64_t first_with(struct grid *grid, bool (*holds)(struct grid *grid, uint64_t n)) {
    uint64_t low = grid->room, high = most_of_an_sm(grid);
    while (low < high) {
        const uint64_t n = low + (high - low) / 2;
        if (holds(grid, n))
            high = n;
        else
            low = n + 1;
    }
    return high;
}

static bool is_balanced(struct grid *grid, uint64_t n) {
    return balanced(grid, n) < sm_time(grid, n);
}

uint64_t k_balanced(struct grid *grid) {
    if (grid->blocks <= grid->slots || grid->sms == 1) return k_one_sm(grid);
    const uint64_t n = first_with(grid, is_balanced);
    return max(balanced(grid, n), n > grid->room ? balanced(grid, n - 1) : 0);
}

/* ---- Blocks that go to fixed SMs: block b to SM b modulo their number ---- */

bool next_share(const struct grid *grid, uint64_t sm, struct share *at) {
    const uint64_t sms = grid->sms, before = sms - 1 - sm;
    for (at->blocks = 0; at->blocks == 0 && at->run < grid->runs.count; at->run++) {
        const struct run *run = &grid->runs.items[at->run];
        at->class = run->class;
        at->blocks = (run->end + before) / sms - (run->first + before) / sms;
    }
    return at->blocks > 0;
}

struct sm sm_of(struct grid *grid, uint64_t sm) {
    const int held = seen(grid, HELD), alpha = seen(grid, ALPHA);
    struct sm of = {.start = 0};
    for (struct share at = {0}; next_share(grid, sm, &at);) {
        const uint64_t *amounts = grid->classes.items[at.class].amounts;
        of.blocks = add(of.blocks, at.blocks);
        for (int a = 0; a < SERIAL; a++) {
            of.sum[a] = add(of.sum[a], mul(amounts[a], at.blocks));
            of.most[a] = max(of.most[a], amounts[a]);
        }
    }
    for (struct share at = {0}; next_share(grid, sm, &at);) {
        const uint64_t *amounts = grid->classes.items[at.class].amounts;
        of.start = max(of.start, add(of.sum[held] - amounts[held], amounts[alpha]));
    }
    count_work(grid->check, 2 * grid->runs.count);
    return of;
}

/* Until the blocks of an SM have ended. */
static uint64_t fixed_time(struct grid *grid, uint64_t number) {
    const struct sm sm = sm_of(grid, number);
    const uint64_t waves = rounded_up(sm.blocks, grid->room);
    const uint64_t chains = grid->chained ? chain_fixed(grid, &sm) : UNLIMITED;
    uint64_t time = add(sm.sum[BUSY], mul(waves, sm.most[LATENCY]));
    if (waves <= 1) time = sm.blocks == 1 ? sm.sum[ALONE] : min(sm.start, time);
    if (waves > 1 && grid->room == 1) time = min(time, sm.sum[ALONE]);
    const uint64_t delays = waves <= 1 ? grid->service > 0 && sm.blocks > 1 : waves - 1;
    return add(add(min(chains, time), mul(delays, grid->delay)), fetch_time(grid, sm.blocks));
}

uint64_t k_fixed(struct grid *grid) {
    uint64_t latest = 0;
    for (uint64_t sm = 0; sm < min(grid->sms, grid->blocks); sm++)
        latest = max(latest, fixed_time(grid, sm));
    return latest;
}

/* ---- Lines and claims ---- */

uint64_t last_room(const struct grid *grid) {
    return min(grid->most, max(grid->least, grid->blocks));
}

/* The most for any number of blocks that an SM holds, and what the dispatcher takes. */
static uint64_t worst_room(const struct method *method, struct grid *grid) {
    uint64_t longest = 0;
    const bool fixed = method->of_grid == k_fixed;
    if (fixed && !grid->assigned) refuse(grid->check, "no SM is said to get a block");
    if (!fixed && grid->assigned) refuse(grid->check, "blocks do not go to any SM");
    if (grid->held_of.count > 0) refuse(grid->check, "no claim where single SMs stand still at times");
    need(grid, SUMS);
    grid->chained = method->chains;
    if (grid->chained) need(grid, CHAINS);
    for (grid->room = grid->least; grid->room <= last_room(grid); grid->room++) {
        grid->slots = mul(grid->sms, grid->room);
        longest = max(longest, method->of_grid(grid));
        count_work(grid->check, grid->classes.count);
    }
    return add(longest, mul(grid->service, grid->blocks));
}

void require_policy(const struct check *check, const struct method *method) {
    const char *policy = subject_of(check, "policy");
    if (!method->of_scheme && strcmp(policy, "any") != 0 && strcmp(policy, "oldest") != 0)
        refuse(check, "no claim of a scheme: %s", method->name);
}

uint64_t time_of_grid(const struct method *method, struct grid *grid) {
    const block_list *blocks = &grid->check->blocks;
    if (method->of_code != grid->machine->is_code)
        refuse(grid->check, "no claim on this machine: %s", method->name);
    if (method->of_grid == NULL) refuse(grid->check, "no claim of a kernel: %s", method->name);
    for (uint64_t b = 0; b < blocks->count; b++)
        if (method->of_whole && blocks->items[b].parts)
            refuse(grid->check, "no claim of parts of paths: %s", method->name);
    return method->at_once ? method->of_grid(grid) : worst_room(method, grid);
}

/* That chains pay for what is held back in single blocks is on paper. */
static uint64_t time_by_sums(const struct method *method, struct grid *grid) {
    if (method->chains && grid->stalled) return UNLIMITED;
    grid->by_sums = true;
    const uint64_t time = time_of_grid(method, grid);
    grid->by_sums = false;
    return time;
}

void note_theorem(struct check *check, uint64_t number, uint64_t claim, uint64_t held) {
    const struct method *method = method_at(number);
    /* That warps may execute parts of paths is on paper there. */
    const bool parts = (method->of_code || method->whole_proof) && check->blocks.items[0].parts;
    if (method->theorem != NULL && !parts) return;
    const bool by_sums = method->by_sums != NULL && !parts;
    const uint64_t time = by_sums ? time_by_sums(method, check->grid) : UNLIMITED;
    const uint64_t shown = time == UNLIMITED ? time : add(time, held);
    if (shown <= claim) return;
    PUSH(check, &check->on_paper, number);
    PUSH(check, &check->shown, shown);
}

void require_classes(const struct check *check) {
    const struct grid *grid = check->grid;
    for (uint64_t b = 0; b < check->blocks.count; b++) {
        bool is_used = false;
        for (uint64_t k = 0; k < grid->classes.count; k++)
            is_used = is_used || grid->classes.items[k].block == b;
        if (!is_used && grid->classes.count > 0) refuse(check, "block %" PRIu64 " is of no class", b);
        if (check->blocks.items[b].parts != check->blocks.items[0].parts)
            refuse(check, "warps of some blocks execute whole paths, of others parts");
    }
}

void print_on_paper(const struct check *check) {
    uint64_t stalls = 0;
    for (uint64_t b = 0; b < check->blocks.count; b++)
        stalls = max(stalls, check->blocks.items[b].stalls);
    printf(" in a block %" PRIu64 ", an SM %" PRIu64, stalls, check->grid->of_sm);
    if (check->blocks.items[0].parts) printf("; that what warps execute are parts of the paths");
    if (check->missed != NULL) printf(", and miss a line once");
    const struct grid *grid = check->grid;
    if (grid->channels > 0 || grid->serves.count > 0)
        printf("; that requests are made and served as it says");
    if (grid->turns.count > 0) printf("; that warps have their turns in that order");
    if (!check->machine.is_code) printf("; that a warp issues one instruction in a cycle");
    if (check->block == NULL && grid->least == grid->most)
        printf("; that an SM holds %" PRIu64 " blocks", grid->most);
    if (check->block == NULL && grid->least < grid->most)
        printf("; that an SM holds %" PRIu64 " to %" PRIu64 " blocks", grid->least, grid->most);
    printf("; that the theorems are right");
    for (uint64_t p = 0; p < check->on_paper.count; p++) {
        printf("%s %s", p == 0 ? ", on paper those of" : ",", method_at(check->on_paper.items[p])->name);
        if (check->shown.items[p] != UNLIMITED) printf(" (else at most %" PRIu64 ")", check->shown.items[p]);
    }
}

static void read_grid(struct check *check, const uint64_t *n) {
    struct grid *grid = check->grid;
    grid->sms = n[0], grid->least = n[1], grid->most = n[2], grid->delay = n[3], grid->service = n[4];
    if (n[1] > n[2]) refuse(check, "no number of blocks is from %" PRIu64 " to %" PRIu64, n[1], n[2]);
}

static void read_class(struct check *check, const uint64_t *n) {
    PUSH(check, &check->grid->classes, (struct class){.block = n[0], .blocks = n[1]});
}

static struct class *last_class(struct check *check, const char *what) {
    const struct grid *grid = check->grid;
    if (grid->classes.count == 0) refuse(check, "%s of no class", what);
    return &grid->classes.items[grid->classes.count - 1];
}

static void read_fetching(struct check *check, const uint64_t *n) {
    check->grid->fetching = (struct fetching){n[0], n[1], n[2], n[3], n[4]};
}

static void read_fetches(struct check *check, const uint64_t *n) {
    struct class *class = last_class(check, "fetches");
    class->states_fetches = true;
    class->amounts[FETCHES] = n[0];
}

static void read_alone(struct check *check, const uint64_t *n) {
    struct class *class = last_class(check, "alone");
    class->method = method_at(n[0]);
    if (class->method->is_lower) refuse(check, "no bound from above: %s", class->method->name);
}

static void read_next(struct check *check, const uint64_t *n) {
    struct grid *grid = check->grid;
    const uint64_t first = grid->runs.count > 0 ? grid->runs.items[grid->runs.count - 1].end : 0;
    if (n[0] >= grid->classes.count) refuse(check, "no class %" PRIu64, n[0]);
    struct class *class = &grid->classes.items[n[0]];
    class->ordered = add(class->ordered, n[1]);
    grid->assigned = true;
    PUSH(check, &grid->runs, (struct run){n[0], first, add(first, n[1])});
}

const struct key kernel_keys[] = {
    {"grid", "nnntt", BEGINS_GRID,
     read_grid}, /* SMs, blocks that one holds at a time, from .. to, dispatch latency, service */
    {"fetching", "dttnt", OF_GRID, read_fetching}, /* as in struct fetching */
    {"class", "bn", OF_GRID, read_class},          /* block, how many blocks are like it */
    {"fetches", "t", OF_GRID, read_fetches},       /* of a block of the last class */
    {"alone", "m", OF_GRID, read_alone},           /* what shows most of such a block alone on an SM */
    {"next", "tn", OF_GRID, read_next},            /* class, how many blocks: blocks go to fixed SMs */
    {.name = NULL},
};
