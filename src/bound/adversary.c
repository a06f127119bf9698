/* A long schedule of a block that is too large to be searched: simulated annealing over scheduling decisions,
 * after ETFA 2013. What is annealed is not the order of all instructions but, for each of some windows of
 * issues, the choice between loose round-robin and a priority order of the warps, so that a candidate is
 * simulated at full speed. Every candidate is a work-conserving schedule: the longest is a witnessed lower
 * bound of the worst case. */
#include <string.h>

#include "base/random.h"
#include "bound/registry.h"
#include "sim/simulator.h"

/* Most windows; most instructions that the candidates issue together, about a second of simulation. */
#define ADVERSARY_WINDOWS 256u
#define ADVERSARY_INSTRUCTIONS ((uint64_t)4 << 20)

/* Most candidates, for blocks so small that they cost nothing, and the temperature to begin with (ETFA'13,
 * section VIII), in cycles. */
#define ADVERSARY_CANDIDATES 2000u
#define ADVERSARY_TEMPERATURE 0.3

#define ADVERSARY_SEED 1u

/* One in so many changes turns a window from round-robin to its order or back. */
#define ADVERSARY_TURN 8u

/* A policy that issues as the window says that the issue count falls into. */
struct priority_policy {
    struct sim_policy policy; /* first, so that pick finds the rest */
    bool *loose;              /* per window: loose round-robin, whatever its order */
    uint32_t *orders;         /* [window * warps + rank]: warps, the most preferred first */
    uint32_t windows, warps;
    uint64_t window_issues; /* issues of a sub-core in one window */
};

struct adversary {
    struct arena arena;
    const struct bound_input *input;
    struct priority_policy priorities;
    uint32_t *saved; /* the order before a change */
    struct random_state random;
    uint64_t candidates; /* that may still be simulated */
    cycles longest;
    bool stopped; /* the simulator has left a message */
};

static uint32_t priority_pick(const struct policy_view *view) {
    const struct priority_policy *own = (const struct priority_policy *)view->policy;
    uint64_t window = view->issued / own->window_issues;
    if (window >= own->windows) window = own->windows - 1;
    if (own->loose[window]) return policy_lrr.pick(view);
    const uint32_t *order = own->orders + window * own->warps;
    for (uint32_t rank = 0; rank < own->warps; rank++)
        if (warp_set_has(view->ready, order[rank]) && warp_set_has(view->members, order[rank]))
            return order[rank];
    return WARP_NONE;
}

static uint32_t *order_of(struct adversary *adversary, uint32_t window) {
    return adversary->priorities.orders + (size_t)window * adversary->priorities.warps;
}

/* Simulates the candidate at hand. */
static wb_status adversary_try(struct adversary *adversary, cycles *makespan) {
    wb_simulation simulation;
    wb_status status = simulate(adversary->input->block, &adversary->priorities.policy, NULL,
                                adversary->input->watch, adversary->input->diagnostics, &simulation);
    adversary->stopped = status != WB_OK;
    if (status != WB_OK) return status;
    *makespan = simulation.cycles;
    adversary->longest = cycles_max(adversary->longest, *makespan);
    adversary->candidates--;
    return WB_OK;
}

/* All windows alike: the victim last, the others from the one behind it on. The victim is starved until it
 * runs alone. */
static void starve(struct adversary *adversary, uint32_t victim) {
    const uint32_t warps = adversary->priorities.warps;
    memset(adversary->priorities.loose, false, adversary->priorities.windows * sizeof(bool));
    for (uint32_t window = 0; window < adversary->priorities.windows; window++)
        for (uint32_t rank = 0; rank < warps; rank++)
            order_of(adversary, window)[rank] = (victim + 1 + rank) % warps;
}

/* Loose round-robin throughout; behind it in each window an order that begins one warp further on. */
static void rotate(struct adversary *adversary) {
    const uint32_t warps = adversary->priorities.warps;
    memset(adversary->priorities.loose, true, adversary->priorities.windows * sizeof(bool));
    for (uint32_t window = 0; window < adversary->priorities.windows; window++)
        for (uint32_t rank = 0; rank < warps; rank++)
            order_of(adversary, window)[rank] = (window + rank) % warps;
}

/* Tries the starting candidates and leaves the best of them in place. */
static wb_status adversary_start(struct adversary *adversary, cycles *makespan) {
    cycles best = 0;
    uint32_t best_victim = 0;
    for (uint32_t victim = 0; victim < adversary->priorities.warps && adversary->candidates > 1; victim++) {
        cycles one;
        starve(adversary, victim);
        WB_TRY(adversary_try(adversary, &one));
        if (one > best) {
            best = one;
            best_victim = victim;
        }
    }
    rotate(adversary);
    WB_TRY(adversary_try(adversary, makespan));
    if (*makespan >= best) return WB_OK;
    starve(adversary, best_victim);
    *makespan = best;
    return WB_OK;
}

/* Changes one window: a warp goes to another rank, or the order stops or begins to count. */
static void mutate(struct adversary *adversary, uint32_t window) {
    const uint32_t warps = adversary->priorities.warps;
    bool *loose = &adversary->priorities.loose[window];
    if (*loose || random_below(&adversary->random, ADVERSARY_TURN) == 0) *loose = !*loose;
    uint32_t *order = order_of(adversary, window);
    uint32_t from = (uint32_t)random_below(&adversary->random, warps);
    uint32_t to = (uint32_t)random_below(&adversary->random, warps);
    uint32_t moved = order[from];
    if (from < to) memmove(order + from, order + from + 1, (to - from) * sizeof *order);
    if (from > to) memmove(order + to + 1, order + to, (from - to) * sizeof *order);
    order[to] = moved;
}

/* Whether a candidate takes the place of the present one (ETFA'13, eq. (3)). Of exp(x) the first terms of its
 * series do: unlike a library's exp they are the same on every machine, bit for bit, and with them the
 * result. */
static bool accepted(struct adversary *adversary, cycles candidate, cycles present, double temperature) {
    if (candidate >= present) return true;
    double x = (double)(present - candidate) / temperature;
    double chance = 1 / (1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4))));
    return (double)(random_next(&adversary->random) >> 11) * 0x1p-53 < chance;
}

static wb_status adversary_anneal(struct adversary *adversary) {
    cycles present;
    WB_TRY(adversary_start(adversary, &present));
    const struct priority_policy *priorities = &adversary->priorities;
    const double steps = (double)adversary->candidates;
    while (adversary->candidates > 0 && priorities->warps > 1) {
        double temperature = ADVERSARY_TEMPERATURE * (double)adversary->candidates / steps;
        uint32_t window = (uint32_t)random_below(&adversary->random, priorities->windows);
        const bool was_loose = priorities->loose[window];
        memcpy(adversary->saved, order_of(adversary, window), priorities->warps * sizeof *adversary->saved);
        mutate(adversary, window);
        cycles candidate;
        WB_TRY(adversary_try(adversary, &candidate));
        if (accepted(adversary, candidate, present, temperature)) {
            present = candidate;
        } else {
            priorities->loose[window] = was_loose;
            memcpy(order_of(adversary, window), adversary->saved,
                   priorities->warps * sizeof *adversary->saved);
        }
    }
    return WB_OK;
}

static wb_status adversary_prepare(struct adversary *adversary) {
    const struct timed_block *block = adversary->input->block;
    struct priority_policy *priorities = &adversary->priorities;
    const uint64_t issues = adversary->input->profile->instructions + 1;
    const uint64_t per_sub_core = issues / block->machine->sub_cores + 1;
    priorities->policy =
        (struct sim_policy){.name = "adversary", .work_conserving = true, .pick = priority_pick};
    priorities->warps = block->warp_count;
    priorities->windows = per_sub_core < ADVERSARY_WINDOWS ? (uint32_t)per_sub_core : ADVERSARY_WINDOWS;
    priorities->window_issues = (per_sub_core + priorities->windows - 1) / priorities->windows;
    priorities->orders = arena_array(&adversary->arena, (size_t)priorities->windows * priorities->warps,
                                     sizeof *priorities->orders);
    priorities->loose = arena_array(&adversary->arena, priorities->windows, sizeof *priorities->loose);
    adversary->saved = arena_array(&adversary->arena, priorities->warps, sizeof *adversary->saved);
    adversary->random = random_seeded(ADVERSARY_SEED);
    adversary->candidates = ADVERSARY_INSTRUCTIONS / issues + 2;
    if (adversary->candidates > ADVERSARY_CANDIDATES) adversary->candidates = ADVERSARY_CANDIDATES;
    if (priorities->orders == NULL || priorities->loose == NULL || adversary->saved == NULL)
        return WB_ERR_LIMIT;
    return WB_OK;
}

static wb_status adversary_run(const struct bound_input *input, wb_bound *bound) {
    struct adversary adversary = {.input = input};
    wb_status status = adversary_prepare(&adversary);
    if (status == WB_OK && input->block->warp_count > 0) status = adversary_anneal(&adversary);
    if (status != WB_OK && !adversary.stopped)
        diagnose(input->diagnostics, SEVERITY_ERROR, "adversary", "out of memory");
    arena_free(&adversary.arena);
    bound->kind = WB_LOWER;
    bound->cycles = bound->lower = adversary.longest;
    bound_assume_paths(input, bound);
    bound_assume(bound, "initiations and latencies as stated, not shorter");
    return status;
}

static bool adversary_fits(const struct bound_input *input) {
    return input->block->machine->model == MACHINE_PLAIN &&
           input->profile->instructions <= ADVERSARY_INSTRUCTIONS;
}

const struct bound_method bound_adversary = {
    .name = "adversary",
    .summary = "longest schedule found by annealing over the scheduler's decisions",
    .run = adversary_run,
    .fits = adversary_fits,
    .searches = true,
    .scope = BOUND_OF_KNOWN_TIMES,
};
