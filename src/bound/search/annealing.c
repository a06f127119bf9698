#include "bound/search/annealing.h"

#include <assert.h>
#include <string.h>

/* Most candidates, for what is so small that it costs nothing; the temperature to begin with (ETFA'13,
 * section VIII), in cycles. */
#define ANNEALED_CANDIDATES 2000u
#define ANNEALED_TEMPERATURE 0.3
#define ANNEALED_SEED 1u

/* Work of a simulation that is short, and of an instruction of it (in units of search_budget): more where
 * more warps share a sub-core than those of GPUs do, as each of them is looked at, and where units have
 * stages and queues. */
#define SIMULATION_WORK 10000u
#define SIMULATED_INSTRUCTION_WORK 60u
#define SIMULATED_MACHINE_INSTRUCTION_WORK 240u
#define USUAL_WARPS 64u

/* Most windows. */
#define WINDOWS_MAX 256u

/* One in so many changes turns a window from round-robin to its order or back. */
#define TURN_CHANCES 8u

static uint32_t *order_of(const struct issue_orders *orders, uint32_t window) {
    return orders->orders + (size_t)window * orders->warps;
}

static uint32_t orders_pick(const struct policy_view *view) {
    const struct issue_orders *own = (const struct issue_orders *)view->policy;
    uint64_t window = view->issued / own->window_issues;
    if (window >= own->windows) window = own->windows - 1;
    if (own->loose[window]) return pattern_pick(&own->pattern, view);
    const uint32_t *order = order_of(own, (uint32_t)window);
    for (uint32_t rank = 0; rank < own->warps; rank++) {
        const uint32_t warp = order[rank];
        if (warp / 64 >= view->words) continue; /* an SM may have fewer */
        if (warp_set_has(view->ready, warp) && warp_set_has(view->members, warp)) return warp;
    }
    return WARP_NONE;
}

static bool orders_hurry(const struct sim_policy *policy, uint32_t warp, uint64_t step) {
    (void)step;
    return pattern_hurries(&((const struct issue_orders *)policy)->pattern, warp);
}

static bool orders_yield(const struct sim_policy *policy, uint32_t warp) {
    const struct issue_orders *own = (const struct issue_orders *)policy;
    return own->starves ? warp == own->starved : pattern_yields(&own->pattern, warp);
}

/* Orders of the warps of a pattern for sub-cores that issue at most `issues` instructions; their memory is of
 * `arena`. WB_ERR_LIMIT when that is exhausted. */
static wb_status issue_orders_init(struct issue_orders *orders, const char *name,
                                   const struct pattern *pattern, uint64_t issues, struct arena *arena) {
    const uint32_t warps = pattern->warps;
    *orders = (struct issue_orders){
        .policy = {.name = name,
                   .work_conserving = true,
                   .pick = orders_pick,
                   .hurries = orders_hurry,
                   .yields = orders_yield},
        .pattern = *pattern,
        .warps = warps,
        .windows = issues < WINDOWS_MAX ? (uint32_t)issues : WINDOWS_MAX,
    };
    orders->window_issues = (issues + orders->windows - 1) / orders->windows;
    orders->orders = arena_array(arena, (size_t)orders->windows * warps, sizeof *orders->orders);
    orders->loose = arena_array(arena, orders->windows, sizeof *orders->loose);
    orders->before = arena_array(arena, warps, sizeof *orders->before);
    return orders->orders == NULL || orders->loose == NULL || orders->before == NULL ? WB_ERR_LIMIT : WB_OK;
}

struct issue_orders *issue_orders_copy(const struct issue_orders *orders, struct arena *arena) {
    struct issue_orders *copy = arena_alloc(arena, sizeof *copy);
    if (copy == NULL) return NULL;
    *copy = *orders;
    copy->orders = arena_array(arena, (size_t)orders->windows * orders->warps, sizeof *copy->orders);
    copy->loose = arena_array(arena, orders->windows, sizeof *copy->loose);
    copy->before = NULL; /* it is not changed */
    if (copy->orders == NULL || copy->loose == NULL) return NULL;
    copy->pattern = pattern_copy(&orders->pattern, arena);
    if (!pattern_has_memory(&copy->pattern)) return NULL;
    issue_orders_assign(copy, orders);
    return copy;
}

void issue_orders_assign(struct issue_orders *copy, const struct issue_orders *orders) {
    assert(copy->windows == orders->windows && copy->warps == orders->warps);
    memcpy(copy->orders, orders->orders, (size_t)orders->windows * orders->warps * sizeof *copy->orders);
    memcpy(copy->loose, orders->loose, orders->windows * sizeof *copy->loose);
    copy->starves = orders->starves;
    copy->starved = orders->starved;
    pattern_assign(&copy->pattern, &orders->pattern);
}

/* All windows alike: the victim last, the others from the one behind it on. The victim waits until no other
 * runs. */
static void issue_orders_starve(struct issue_orders *orders, uint32_t victim) {
    memset(orders->loose, false, orders->windows * sizeof *orders->loose);
    orders->starves = true;
    orders->starved = victim;
    for (uint32_t window = 0; window < orders->windows; window++)
        for (uint32_t rank = 0; rank < orders->warps; rank++)
            order_of(orders, window)[rank] = (victim + 1 + rank) % orders->warps;
}

void issue_orders_rotate(struct issue_orders *orders) {
    memset(orders->loose, true, orders->windows * sizeof *orders->loose);
    orders->starves = false;
    for (uint32_t window = 0; window < orders->windows; window++)
        for (uint32_t rank = 0; rank < orders->warps; rank++)
            order_of(orders, window)[rank] = (window + rank) % orders->warps;
}

void issue_orders_change(struct issue_orders *orders, struct random_state *random) {
    orders->changed = (uint32_t)random_below(random, orders->windows);
    uint32_t *order = order_of(orders, orders->changed);
    bool *loose = &orders->loose[orders->changed];
    orders->was_loose = *loose;
    memcpy(orders->before, order, orders->warps * sizeof *order);
    if (*loose || random_below(random, TURN_CHANCES) == 0) *loose = !*loose;
    uint32_t from = (uint32_t)random_below(random, orders->warps);
    uint32_t to = (uint32_t)random_below(random, orders->warps);
    annealing_move(order, from, to);
}

void issue_orders_restore(struct issue_orders *orders) {
    orders->loose[orders->changed] = orders->was_loose;
    memcpy(order_of(orders, orders->changed), orders->before, orders->warps * sizeof *orders->before);
}

/* How many candidates may be simulated that issue so many instructions each, on sub-cores with so many warps.
 */
static uint64_t candidates_within(const struct wb_machine *machine, uint64_t instructions, uint64_t warps,
                                  struct search_budget *budget) {
    static const uint64_t one[] = {
        [ISA_PTX] = SIMULATED_INSTRUCTION_WORK, [ISA_SASS] = SIMULATED_MACHINE_INSTRUCTION_WORK};
    const uint64_t each = one[machine_isa(machine)] + cycles_sub(warps, USUAL_WARPS);
    const uint64_t work = cycles_add(SIMULATION_WORK, cycles_mul(each, instructions));
    uint64_t candidates = ANNEALED_INSTRUCTIONS / cycles_add(instructions, 1) + 2;
    if (candidates > ANNEALED_CANDIDATES) candidates = ANNEALED_CANDIDATES;
    if (candidates > budget->work / work) candidates = budget->work / work;
    (void)search_spend(budget, candidates * work);
    return candidates > 0 ? candidates : 1;
}

wb_status annealing_begin(struct annealing *annealing, const struct wb_machine *machine, uint32_t slots,
                          uint32_t block_warps, uint64_t issues, uint64_t instructions,
                          struct search_budget *budget, struct arena *arena) {
    struct pattern pattern;
    annealing->random = random_seeded(ANNEALED_SEED);
    annealing->candidates =
        candidates_within(machine, instructions, (uint64_t)slots * block_warps / machine->sub_cores, budget);
    annealing->arena = arena;
    WB_TRY(pattern_init(&pattern, machine, slots, block_warps, arena));
    return issue_orders_init(&annealing->orders, annealing->method, &pattern, issues, arena);
}

wb_status annealing_note(struct annealing *annealing, wb_status status, cycles makespan) {
    annealing->stopped = status != WB_OK;
    if (status != WB_OK) return status;
    if (makespan > annealing->longest) annealing->keep(annealing->user);
    annealing->longest = cycles_max(annealing->longest, makespan);
    annealing->candidates -= annealing->candidates > 0;
    return WB_OK;
}

wb_status annealing_try(struct annealing *annealing, cycles *makespan) {
    *makespan = 0;
    const wb_status status = annealing->simulate(annealing->user, makespan);
    return annealing_note(annealing, status, *makespan);
}

wb_status annealing_try_victims(struct annealing *annealing, uint64_t most, cycles *makespan) {
    struct issue_orders *orders = &annealing->orders;
    cycles best = 0;
    uint32_t best_victim = 0;
    for (uint32_t victim = 0; victim < orders->warps && victim < most; victim++) {
        cycles one;
        issue_orders_starve(orders, victim);
        WB_TRY(annealing_try(annealing, &one));
        if (one > best) {
            best = one;
            best_victim = victim;
        }
    }
    if (best > *makespan)
        issue_orders_starve(orders, best_victim);
    else
        issue_orders_rotate(orders);
    *makespan = cycles_max(*makespan, best);
    return WB_OK;
}

/* Patterns to begin with, one after the other; the best is left in *best. */
static wb_status try_beginnings(struct annealing *annealing, uint64_t *most, struct pattern *best,
                                cycles *longest) {
    struct pattern *pattern = &annealing->orders.pattern;
    for (uint32_t p = 0; *most > 0 && pattern_begin(pattern, p, annealing->may_hurry); p++) {
        cycles one;
        (*most)--;
        WB_TRY(annealing_try(annealing, &one));
        if (one <= *longest) continue;
        *longest = one;
        pattern_assign(best, pattern);
    }
    return WB_OK;
}

wb_status annealing_try_patterns(struct annealing *annealing, uint64_t most, cycles *makespan) {
    struct pattern *pattern = &annealing->orders.pattern;
    struct pattern best = pattern_copy(pattern, annealing->arena);
    cycles longest = 0;
    if (!pattern_has_memory(&best)) return WB_ERR_LIMIT;
    struct issue_orders *orders = &annealing->orders;
    struct issue_orders *before = issue_orders_copy(orders, annealing->arena);
    if (before == NULL) return WB_ERR_LIMIT;
    issue_orders_rotate(orders);
    WB_TRY(try_beginnings(annealing, &most, &best, &longest));
    for (; most > 0; most--) {
        cycles one;
        pattern_assign(pattern, &best);
        pattern_change(pattern, annealing->may_hurry, &annealing->random);
        WB_TRY(annealing_try(annealing, &one));
        if (one < longest) continue;
        longest = one;
        pattern_assign(&best, pattern);
    }
    if (longest > *makespan)
        pattern_assign(pattern, &best);
    else
        issue_orders_assign(orders, before);
    *makespan = cycles_max(*makespan, longest);
    return WB_OK;
}

/* Whether a candidate takes the place of the present one (ETFA'13, eq. (3)). The first terms of the series of
 * exp(x) suffice: unlike a library's exp they are the same on every machine, bit for bit, and with them the
 * result. */
static bool accepts(struct random_state *random, cycles candidate, cycles present, double temperature) {
    if (candidate >= present) return true;
    double x = (double)(present - candidate) / temperature;
    double chance = 1 / (1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4))));
    return (double)(random_next(random) >> 11) * 0x1p-53 < chance;
}

wb_status annealing_run(struct annealing *annealing, cycles present) {
    const double steps = (double)annealing->candidates;
    while (annealing->candidates > 0) {
        const double temperature = ANNEALED_TEMPERATURE * (double)annealing->candidates / steps;
        cycles candidate;
        annealing->change(annealing->user);
        WB_TRY(annealing_try(annealing, &candidate));
        assert(candidate <= annealing->longest);
        if (accepts(&annealing->random, candidate, present, temperature))
            present = candidate;
        else
            annealing->take_back(annealing->user);
    }
    return WB_OK;
}

void annealing_move(uint32_t *list, uint32_t from, uint32_t to) {
    uint32_t moved = list[from];
    if (from < to) memmove(list + from, list + from + 1, (to - from) * sizeof *list);
    if (from > to) memmove(list + to + 1, list + to, (from - to) * sizeof *list);
    list[to] = moved;
}
