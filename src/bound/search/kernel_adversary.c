/* A long execution of a whole grid: simulated annealing over what the bounds of kernels leave open, which
 * block comes next, which of the SMs with room gets it, and which warps issue. Every candidate is an
 * execution on the machine: the longest is a witnessed lower bound of the worst case. */
#include "bound/grid/grid_work.h"
#include "bound/method/method.h"
#include "bound/search/issue_orders.h"
#include "sim/gpu/gpu.h"

/* Least candidates that "all" finds worth their time. */
#define WORTHWHILE_CANDIDATES 32u

/* One in so many candidates at most is a warp to be starved. */
#define VICTIM_SHARE 4u

enum move_kind { MOVE_ISSUE, MOVE_BLOCK, MOVE_CHOICE, MOVE_KINDS };

/* A change of the candidate at hand. */
struct move {
    enum move_kind kind;
    uint32_t from, to;  /* places in the order of blocks */
    uint32_t at, value; /* a dispatch, and what was chosen there */
};

struct kernel_adversary {
    struct arena arena;
    const struct bound_input *input;
    uint64_t instructions;     /* of the grid */
    struct wb_machine machine; /* the input's, for other dispatchers */
    struct timed_grid grid;    /* the input's, on that machine */
    struct issue_orders orders;
    uint32_t *blocks, *choices; /* struct dispatch_plan, under dispatchers that may choose */
    bool may_move[MOVE_KINDS];
    struct random_state random;
    uint64_t candidates; /* that may still be simulated */
    cycles longest;
    bool stopped; /* the simulator has left a message */
};

/* Simulates the grid under a policy, with a plan or as the dispatcher has it. */
static wb_status simulate_grid(struct kernel_adversary *adversary, const struct sim_policy *policy,
                               const struct dispatch_plan *plan, cycles *makespan) {
    const struct gpu_scheme scheme = {.name = "k-adversary", .policy = policy};
    const struct gpu_options options = {.watch = adversary->input->watch, .plan = plan};
    struct arena arena = {0};
    wb_gpu_simulation result;
    wb_status status =
        gpu_simulate(&adversary->grid, &scheme, &options, adversary->input->diagnostics, &arena, &result);
    arena_free(&arena);
    adversary->stopped = status != WB_OK;
    if (status != WB_OK) return status;
    *makespan = result.cycles;
    adversary->longest = cycles_max(adversary->longest, *makespan);
    adversary->candidates -= adversary->candidates > 0;
    return WB_OK;
}

/* Simulates the candidate at hand. */
static wb_status try_candidate(struct kernel_adversary *adversary, cycles *makespan) {
    const struct dispatch_plan plan = {adversary->blocks, adversary->choices};
    return simulate_grid(adversary, &adversary->orders.policy, &plan, makespan);
}

/* Every policy that is shipped under every dispatcher that the bounds are about. */
static wb_status try_shipped(struct kernel_adversary *adversary) {
    const uint32_t given = adversary->machine.memory.dispatch;
    const bool dynamic = grid_work_is_dynamic(adversary->input->work);
    for (size_t p = 0; policy_at(p) != NULL; p++) {
        if (!policy_at(p)->work_conserving) continue;
        for (uint32_t d = DISPATCH_STATIC; d <= DISPATCH_MOST_FREE; d++) {
            cycles makespan;
            if (dynamic != (d != DISPATCH_STATIC)) continue;
            adversary->machine.memory.dispatch = d;
            WB_TRY(simulate_grid(adversary, policy_at(p), NULL, &makespan));
        }
    }
    adversary->machine.memory.dispatch = given;
    return WB_OK;
}

/* The blocks in the order of their initiations: those of the kinds with most come first, or last. */
static void sort_blocks(struct kernel_adversary *adversary, bool most_first) {
    const struct grid_work *work = adversary->input->work;
    const size_t kinds = work->kinds.count;
    uint32_t place = 0;
    for (size_t k = 0; k < kinds; k++) {
        uint32_t kind = work->by_initiations.kinds[most_first ? k : kinds - 1 - k];
        for (uint32_t b = 0; b < work->block_count; b++)
            if (work->kind_of[b] == kind) adversary->blocks[place++] = b;
    }
}

/* Starves one warp of each SM after the other, and leaves the worst in place if it is worse than round-robin.
 */
static wb_status try_victims(struct kernel_adversary *adversary, cycles *makespan) {
    const uint64_t share = adversary->candidates / VICTIM_SHARE;
    cycles best = 0;
    uint32_t best_victim = 0;
    for (uint32_t victim = 0; victim < adversary->orders.warps && victim < share; victim++) {
        cycles one;
        issue_orders_starve(&adversary->orders, victim);
        WB_TRY(try_candidate(adversary, &one));
        if (one > best) {
            best = one;
            best_victim = victim;
        }
    }
    if (best > *makespan)
        issue_orders_starve(&adversary->orders, best_victim);
    else
        issue_orders_rotate(&adversary->orders);
    *makespan = cycles_max(*makespan, best);
    return WB_OK;
}

/* Tries the starting candidates and leaves one of the best in place. */
static wb_status start(struct kernel_adversary *adversary, cycles *makespan) {
    cycles most_first;
    WB_TRY(try_shipped(adversary));
    issue_orders_rotate(&adversary->orders);
    sort_blocks(adversary, true);
    WB_TRY(try_candidate(adversary, &most_first));
    sort_blocks(adversary, false);
    WB_TRY(try_candidate(adversary, makespan));
    if (most_first > *makespan) {
        sort_blocks(adversary, true);
        *makespan = most_first;
    }
    return try_victims(adversary, makespan);
}

/* Changes the candidate at hand; there is a kind of moves that may be made. */
static struct move change(struct kernel_adversary *adversary) {
    struct random_state *random = &adversary->random;
    const uint32_t blocks = adversary->input->work->block_count;
    struct move move;
    do
        move = (struct move){.kind = (enum move_kind)random_below(random, MOVE_KINDS)};
    while (!adversary->may_move[move.kind]);
    switch (move.kind) {
    case MOVE_BLOCK:
        move.from = (uint32_t)random_below(random, blocks);
        move.to = (uint32_t)random_below(random, blocks);
        annealing_move(adversary->blocks, move.from, move.to);
        break;
    case MOVE_CHOICE:
        move.at = (uint32_t)random_below(random, blocks);
        move.value = adversary->choices[move.at];
        adversary->choices[move.at] = (uint32_t)random_below(random, adversary->machine.memory.sms);
        break;
    case MOVE_ISSUE:
    case MOVE_KINDS: issue_orders_change(&adversary->orders, random); break;
    }
    return move;
}

static void take_back(struct kernel_adversary *adversary, const struct move *move) {
    switch (move->kind) {
    case MOVE_BLOCK: annealing_move(adversary->blocks, move->to, move->from); break;
    case MOVE_CHOICE: adversary->choices[move->at] = move->value; break;
    case MOVE_ISSUE:
    case MOVE_KINDS: issue_orders_restore(&adversary->orders); break;
    }
}

static wb_status anneal(struct kernel_adversary *adversary) {
    cycles present;
    WB_TRY(start(adversary, &present));
    const double steps = (double)adversary->candidates;
    if (!adversary->may_move[MOVE_ISSUE] && !adversary->may_move[MOVE_BLOCK] &&
        !adversary->may_move[MOVE_CHOICE])
        return WB_OK;
    while (adversary->candidates > 0) {
        double temperature = ANNEALED_TEMPERATURE * (double)adversary->candidates / steps;
        const struct move move = change(adversary);
        cycles candidate;
        WB_TRY(try_candidate(adversary, &candidate));
        if (annealing_accepts(&adversary->random, candidate, present, temperature))
            present = candidate;
        else
            take_back(adversary, &move);
    }
    return WB_OK;
}

/* Where decisions are possible: among warps; of blocks that differ; of SMs, when a block waits for room. */
static void find_moves(struct kernel_adversary *adversary) {
    const struct grid_work *work = adversary->input->work;
    const bool dynamic = grid_work_is_dynamic(work);
    const uint64_t rooms = (uint64_t)adversary->machine.memory.sms * work->resident_most;
    adversary->may_move[MOVE_ISSUE] = adversary->orders.warps > 1;
    adversary->may_move[MOVE_BLOCK] = dynamic && work->kinds.count > 1;
    adversary->may_move[MOVE_CHOICE] =
        dynamic && adversary->machine.memory.sms > 1 && work->block_count > rooms;
}

static uint64_t count_instructions(const struct grid_work *work) {
    uint64_t instructions = 0;
    for (size_t k = 0; k < work->kinds.count; k++) {
        const struct block_kind *kind = &work->kinds.items[k];
        instructions = cycles_add(instructions, cycles_mul(kind->instructions, kind->blocks));
    }
    return instructions;
}

static wb_status prepare(struct kernel_adversary *adversary) {
    const struct bound_input *input = adversary->input;
    const uint32_t blocks = input->work->block_count;
    adversary->machine = *input->machine;
    adversary->grid = *input->grid;
    adversary->grid.machine = &adversary->machine;
    adversary->random = random_seeded(ANNEALED_SEED);
    adversary->instructions = count_instructions(input->work);
    adversary->candidates = annealing_candidates(adversary->instructions, input->budget);
    adversary->blocks = arena_array(&adversary->arena, (size_t)blocks + 1, sizeof *adversary->blocks);
    adversary->choices = arena_array(&adversary->arena, (size_t)blocks + 1, sizeof *adversary->choices);
    if (adversary->blocks == NULL || adversary->choices == NULL) return WB_ERR_LIMIT;
    const uint64_t sub_cores = (uint64_t)adversary->machine.memory.sms * adversary->machine.sub_cores;
    WB_TRY(issue_orders_init(&adversary->orders, "k-adversary",
                             input->work->resident_most * input->grid->grid->warp_count,
                             adversary->instructions / sub_cores + 1, &adversary->arena));
    find_moves(adversary);
    return WB_OK;
}

static wb_status kernel_adversary_run(const struct bound_input *input, wb_bound *bound) {
    struct kernel_adversary adversary = {.input = input};
    wb_status status = prepare(&adversary);
    if (status == WB_OK && input->work->block_count > 0) status = anneal(&adversary);
    if (status != WB_OK && !adversary.stopped)
        (void)diagnose_out_of_memory(input->diagnostics, "k-adversary");
    arena_free(&adversary.arena);
    bound->kind = WB_LOWER;
    bound->cycles = bound->lower = adversary.longest;
    bound_assume_paths(input, bound);
    assume(bound, WB_ASSUME_TIMES_AS_STATED);
    if (grid_work_is_dynamic(input->work)) assume(bound, WB_ASSUME_DISPATCH_IN_ANY_ORDER);
    if (input->work->resident_least != input->work->resident_most) assume(bound, WB_ASSUME_REGISTERS_FEWEST);
    return status;
}

static const char *kernel_adversary_objection(const struct bound_input *input) {
    return input->machine->model == MACHINE_PLAIN ? NULL : ANNEALING_NEEDS_PLAIN;
}

static bool kernel_adversary_too_large(const struct bound_input *input) {
    return count_instructions(input->work) > ANNEALED_INSTRUCTIONS / WORTHWHILE_CANDIDATES;
}

const struct bound_method bound_k_adversary = {
    .name = "k-adversary",
    .summary = "kernel: longest execution found by annealing over dispatch and issue",
    .run = kernel_adversary_run,
    .needs = FOR_KERNELS | NEED_KNOWN_TIMES | NEED_REAL_PATHS,
    .objection = kernel_adversary_objection,
    .too_large = kernel_adversary_too_large,
    .searches = true,
    .unasked_work = ANNEALED_WORK,
    .named_work = ANNEALED_WORK,
};
