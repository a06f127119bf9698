/* A long schedule of a block that is too large to be searched: simulated annealing over scheduling decisions,
 * after ETFA 2013. Every candidate is a work-conserving schedule: the longest is a witnessed lower bound of
 * the worst case. */
#include "bound/method/method.h"
#include "bound/search/issue_orders.h"
#include "sim/gpu/simulator.h"

struct adversary {
    struct arena arena;
    const struct bound_input *input;
    struct issue_orders orders;
    struct random_state random;
    uint64_t candidates; /* that may still be simulated */
    cycles longest;
    bool stopped; /* the simulator has left a message */
};

/* Simulates the candidate at hand. */
static wb_status adversary_try(struct adversary *adversary, cycles *makespan) {
    wb_simulation simulation;
    wb_status status = simulate(adversary->input->block, &adversary->orders.policy, NULL,
                                adversary->input->watch, adversary->input->diagnostics, &simulation);
    adversary->stopped = status != WB_OK;
    if (status != WB_OK) return status;
    *makespan = simulation.cycles;
    adversary->longest = cycles_max(adversary->longest, *makespan);
    adversary->candidates--;
    return WB_OK;
}

/* Tries the starting candidates and leaves the best of them in place. */
static wb_status adversary_start(struct adversary *adversary, cycles *makespan) {
    cycles best = 0;
    uint32_t best_victim = 0;
    for (uint32_t victim = 0; victim < adversary->orders.warps && adversary->candidates > 1; victim++) {
        cycles one;
        issue_orders_starve(&adversary->orders, victim);
        WB_TRY(adversary_try(adversary, &one));
        if (one > best) {
            best = one;
            best_victim = victim;
        }
    }
    issue_orders_rotate(&adversary->orders);
    WB_TRY(adversary_try(adversary, makespan));
    if (*makespan >= best) return WB_OK;
    issue_orders_starve(&adversary->orders, best_victim);
    *makespan = best;
    return WB_OK;
}

static wb_status adversary_anneal(struct adversary *adversary) {
    cycles present;
    WB_TRY(adversary_start(adversary, &present));
    const double steps = (double)adversary->candidates;
    while (adversary->candidates > 0 && adversary->orders.warps > 1) {
        double temperature = ANNEALED_TEMPERATURE * (double)adversary->candidates / steps;
        cycles candidate;
        issue_orders_change(&adversary->orders, &adversary->random);
        WB_TRY(adversary_try(adversary, &candidate));
        if (annealing_accepts(&adversary->random, candidate, present, temperature))
            present = candidate;
        else
            issue_orders_restore(&adversary->orders);
    }
    return WB_OK;
}

static wb_status adversary_prepare(struct adversary *adversary) {
    const struct timed_block *block = adversary->input->block;
    const uint64_t instructions = adversary->input->profile->instructions;
    adversary->random = random_seeded(ANNEALED_SEED);
    adversary->candidates = annealing_candidates(instructions, adversary->input->budget);
    return issue_orders_init(&adversary->orders, "adversary", block->warp_count,
                             (instructions + 1) / block->machine->sub_cores + 1, &adversary->arena);
}

static wb_status adversary_run(const struct bound_input *input, wb_bound *bound) {
    struct adversary adversary = {.input = input};
    wb_status status = adversary_prepare(&adversary);
    if (status == WB_OK && input->block->warp_count > 0) status = adversary_anneal(&adversary);
    if (status != WB_OK && !adversary.stopped) (void)diagnose_out_of_memory(input->diagnostics, "adversary");
    arena_free(&adversary.arena);
    bound->kind = WB_LOWER;
    bound->cycles = bound->lower = adversary.longest;
    bound_assume_paths(input, bound);
    assume(bound, WB_ASSUME_TIMES_AS_STATED);
    return status;
}

static const char *adversary_objection(const struct bound_input *input) {
    return input->machine->model == MACHINE_PLAIN ? NULL : ANNEALING_NEEDS_PLAIN;
}

static bool adversary_too_large(const struct bound_input *input) {
    return input->profile->instructions > ANNEALED_INSTRUCTIONS;
}

const struct bound_method bound_adversary = {
    .name = "adversary",
    .summary = "longest schedule found by annealing over the scheduler's decisions",
    .run = adversary_run,
    .needs = FOR_BLOCKS_OF_KNOWN_TIMES | NEED_REAL_PATHS,
    .objection = adversary_objection,
    .too_large = adversary_too_large,
    .searches = true,
    .unasked_work = ANNEALED_WORK,
    .named_work = ANNEALED_WORK,
};
