/* Long executions of what is too large to be searched: patterns of issue, and simulated annealing, after ETFA
 * 2013, over what the bounds leave open. Every candidate is an execution on the machine: the longest is a
 * witnessed lower bound of the worst case, of latencies as stated or, of the methods that choose these as
 * well, of latencies as stated or shorter. */
#include <string.h>

#include "bound/grid/grid_work.h"
#include "bound/method/method.h"
#include "bound/sass/code_profile.h"
#include "bound/search/annealing.h"
#include "sim/gpu/gpu.h"

/* The simulator of a wing decides for itself. */
static const char *adversary_objection(const struct bound_input *input) {
    if (input->work != NULL && grid_work_is_counted(input->work)) return GRID_COUNTED;
    return machine_unproven(input->machine) == NULL
               ? NULL
               : "this method needs a scheduler whose decisions can be chosen (model plain)";
}

/* The common result of all of them. */
static void adversary_result(const struct bound_input *input, const struct annealing *annealing,
                             wb_status status, wb_bound *bound) {
    if (status != WB_OK && !annealing->stopped)
        (void)diagnose_out_of_memory(input->diagnostics, annealing->method);
    bound->kind = WB_LOWER;
    bound->cycles = bound->lower = annealing->longest;
    bound_assume_paths(input, bound);
    assume(bound, annealing->may_hurry ? WB_ASSUME_TIMES_OR_SHORTER : WB_ASSUME_TIMES_AS_STATED);
}

/* One in so many candidates at most is a warp to be starved; one in so many of the others is annealed, behind
 * the patterns. */
#define VICTIM_SHARE 8u
#define PATTERN_SHARE 4u

/* Fewest patterns that are tried, however little a search may do. */
#define PATTERNS_LEAST 6u

static uint64_t pattern_candidates(const struct annealing *annealing) {
    const uint64_t most = annealing->candidates - annealing->candidates / PATTERN_SHARE;
    return most > PATTERNS_LEAST ? most : PATTERNS_LEAST;
}

/* ---- A block: which warps issue ---------------------------------------------------------------------- */

struct block_adversary {
    const struct bound_input *input;
    struct annealing annealing;
    struct issue_orders *longest; /* of the longest execution so far */
};

static void block_keep(void *user) {
    struct block_adversary *adversary = user;
    issue_orders_assign(adversary->longest, &adversary->annealing.orders);
}

/* Hands the longest execution over. */
static void block_hand_over(const struct block_adversary *adversary) {
    const struct bound_input *input = adversary->input;
    struct schedule_witness *witness = arena_alloc(input->results, sizeof *witness);
    if (witness == NULL || adversary->annealing.longest == 0) return;
    *witness = (struct schedule_witness){.method = adversary->annealing.method,
                                         .cycles = adversary->annealing.longest,
                                         .policy = &adversary->longest->policy};
    *input->witness = witness;
}

static wb_status block_simulate(void *user, cycles *makespan) {
    const struct block_adversary *adversary = user;
    const struct bound_input *input = adversary->input;
    wb_simulation simulation;
    WB_TRY(simulate(input->block, &adversary->annealing.orders.policy, NULL, input->watch, input->diagnostics,
                    &simulation));
    *makespan = simulation.cycles;
    return WB_OK;
}

static void block_change(void *user) {
    struct block_adversary *adversary = user;
    issue_orders_change(&adversary->annealing.orders, &adversary->annealing.random);
}

static void block_take_back(void *user) {
    struct block_adversary *adversary = user;
    issue_orders_restore(&adversary->annealing.orders);
}

static wb_status block_anneal(struct annealing *annealing) {
    cycles present;
    issue_orders_rotate(&annealing->orders);
    WB_TRY(annealing_try(annealing, &present));
    WB_TRY(annealing_try_victims(annealing, annealing->candidates / VICTIM_SHARE, &present));
    WB_TRY(annealing_try_patterns(annealing, pattern_candidates(annealing), &present));
    return annealing->orders.warps > 1 ? annealing_run(annealing, present) : WB_OK;
}

static uint64_t instructions_of(const struct bound_input *input) {
    return input->code != NULL ? input->code->instructions : input->profile->instructions;
}

static wb_status search_block(const struct bound_input *input, const char *method, bool may_hurry,
                              wb_bound *bound) {
    const uint64_t instructions = instructions_of(input);
    struct block_adversary adversary = {.input = input,
                                        .annealing = {.method = method,
                                                      .may_hurry = may_hurry,
                                                      .user = &adversary,
                                                      .simulate = block_simulate,
                                                      .change = block_change,
                                                      .take_back = block_take_back,
                                                      .keep = block_keep}};
    struct arena arena = {0};
    wb_status status = annealing_begin(
        &adversary.annealing, input->block->machine, 1, input->block->warp_count,
        (instructions + 1) / input->block->machine->sub_cores + 1, instructions, input->budget, &arena);
    if (status == WB_OK) {
        adversary.longest = issue_orders_copy(&adversary.annealing.orders, input->results);
        if (adversary.longest == NULL) status = WB_ERR_LIMIT;
    }
    if (status == WB_OK && input->block->warp_count > 0) status = block_anneal(&adversary.annealing);
    if (adversary.longest != NULL) block_hand_over(&adversary);
    adversary_result(input, &adversary.annealing, status, bound);
    arena_free(&arena);
    return status;
}

static wb_status adversary_run(const struct bound_input *input, wb_bound *bound) {
    return search_block(input, "adversary", false, bound);
}

static wb_status adversary_short_run(const struct bound_input *input, wb_bound *bound) {
    return search_block(input, "adversary-short", true, bound);
}

static bool adversary_too_large(const struct bound_input *input) {
    return instructions_of(input) > ANNEALED_INSTRUCTIONS;
}

const struct bound_method bound_adversary = {
    .name = "adversary",
    .summary = "longest schedule found by annealing over the scheduler's decisions",
    .run = adversary_run,
    .needs = FOR_ALL_BLOCKS_OF_KNOWN_TIMES | NEED_REAL_PATHS,
    .objection = adversary_objection,
    .too_large = adversary_too_large,
    .searches = true,
    .default_budget = ANNEALED_WORK,
    .explicit_budget = ANNEALED_WORK,
};

const struct bound_method bound_adversary_short = {
    .name = "adversary-short",
    .summary = "the same, with latencies as stated or shorter",
    .run = adversary_short_run,
    .needs = FOR_ALL_BLOCKS_OF_KNOWN_TIMES | NEED_REAL_PATHS,
    .objection = adversary_objection,
    .named_only = true,
    .searches = true,
    .default_budget = ANNEALED_WORK,
    .explicit_budget = ANNEALED_WORK,
};

/* ---- A grid: which block comes next, which SM gets it, and which warps issue ------------------------- */

/* Least candidates that "all" finds worth their time. */
#define WORTHWHILE_CANDIDATES 32u

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
    struct annealing annealing;
    struct move move;           /* the last change */
    uint32_t *blocks, *choices; /* struct dispatch_plan, under dispatchers that may choose */
    bool may_move[MOVE_KINDS];
    const struct sim_policy *shipped; /* the candidate at hand is this policy without a plan; or NULL */
    struct kernel_witness *longest;   /* the longest execution so far */
};

/* An execution to be kept, in memory of its own. */
struct kernel_witness {
    struct schedule_witness found; /* first: it is what is handed over */
    struct issue_orders *orders;
    struct dispatch_plan plan;
    uint32_t *blocks, *choices;
};

/* Whether blocks may come in any order, each to any SM with a free slot. */
static bool dispatches_anyhow(const struct kernel_adversary *adversary) {
    return adversary->input->machine->memory.dispatch == DISPATCH_ANY;
}

/* WB_ERR_LIMIT without a message when memory is exhausted. */
static wb_status make_witness(struct kernel_adversary *adversary) {
    const uint32_t blocks = adversary->input->work->block_count;
    struct arena *arena = adversary->input->results;
    struct kernel_witness *made = arena_alloc(arena, sizeof *made);
    if (made == NULL) return WB_ERR_LIMIT;
    made->orders = issue_orders_copy(&adversary->annealing.orders, arena);
    made->blocks = arena_array(arena, (size_t)blocks + 1, sizeof *made->blocks);
    made->choices = arena_array(arena, (size_t)blocks + 1, sizeof *made->choices);
    made->plan = (struct dispatch_plan){made->blocks, made->choices};
    made->found.method = adversary->annealing.method;
    adversary->longest = made;
    return made->orders == NULL || made->blocks == NULL || made->choices == NULL ? WB_ERR_LIMIT : WB_OK;
}

static void kernel_keep(void *user) {
    struct kernel_adversary *adversary = user;
    struct kernel_witness *longest = adversary->longest;
    longest->found.dispatch = adversary->machine.memory.dispatch;
    longest->found.policy = adversary->shipped;
    longest->found.plan = NULL;
    if (adversary->shipped != NULL) return;
    const size_t blocks = adversary->input->work->block_count;
    longest->found.policy = &longest->orders->policy;
    if (dispatches_anyhow(adversary)) longest->found.plan = &longest->plan;
    issue_orders_assign(longest->orders, &adversary->annealing.orders);
    memcpy(longest->blocks, adversary->blocks, blocks * sizeof *longest->blocks);
    memcpy(longest->choices, adversary->choices, blocks * sizeof *longest->choices);
}

/* Simulates the grid under a policy, with a plan or as the dispatcher has it. */
static wb_status simulate_grid(struct kernel_adversary *adversary, const struct sim_policy *policy,
                               const struct dispatch_plan *plan, cycles *makespan) {
    const struct gpu_scheme scheme = {.name = adversary->annealing.method, .policy = policy};
    const struct gpu_options options = {.watch = adversary->input->watch, .plan = plan};
    struct arena arena = {0};
    wb_gpu_simulation result = {0};
    wb_status status =
        gpu_simulate(&adversary->grid, &scheme, &options, adversary->input->diagnostics, &arena, &result);
    arena_free(&arena);
    *makespan = result.cycles;
    return status;
}

static wb_status kernel_simulate(void *user, cycles *makespan) {
    struct kernel_adversary *adversary = user;
    const struct dispatch_plan plan = {adversary->blocks, adversary->choices};
    return simulate_grid(adversary, &adversary->annealing.orders.policy,
                         dispatches_anyhow(adversary) ? &plan : NULL, makespan);
}

/* Every policy that is shipped, under the machine's dispatcher, or where that may do anything under each. */
static wb_status try_shipped(struct kernel_adversary *adversary) {
    const uint32_t given = adversary->machine.memory.dispatch;
    const bool anyhow = dispatches_anyhow(adversary), alone = adversary->machine.memory.sms == 1;
    const uint32_t first = anyhow ? DISPATCH_GREEDY : given;
    const uint32_t last = !anyhow ? given : alone ? DISPATCH_GREEDY : DISPATCH_MOST_FREE;
    for (size_t p = 0; policy_at(p) != NULL; p++) {
        if (!policy_at(p)->work_conserving || policy_misfit(policy_at(p), &adversary->machine) != NULL)
            continue;
        for (uint32_t d = first; d <= last; d++) {
            cycles makespan;
            adversary->machine.memory.dispatch = d;
            adversary->shipped = policy_at(p);
            const wb_status status = simulate_grid(adversary, policy_at(p), NULL, &makespan);
            WB_TRY(annealing_note(&adversary->annealing, status, makespan));
        }
    }
    adversary->machine.memory.dispatch = given;
    adversary->shipped = NULL;
    return WB_OK;
}

/* The blocks in the order of their initiations: those of the kinds with most come first, or last. */
static void sort_blocks(struct kernel_adversary *adversary, bool most_first) {
    const struct grid_work *work = adversary->input->work;
    const size_t classes = work->classes.count;
    uint32_t place = 0;
    for (size_t k = 0; k < classes; k++) {
        uint32_t kind = work->by_initiations.classes[most_first ? k : classes - 1 - k];
        for (uint32_t b = 0; b < work->block_count; b++)
            if (work->class_of[b] == kind) adversary->blocks[place++] = b;
    }
}

/* Tries the starting candidates and leaves one of the best in place. */
static wb_status start(struct kernel_adversary *adversary, cycles *makespan) {
    struct annealing *annealing = &adversary->annealing;
    cycles most_first;
    WB_TRY(try_shipped(adversary));
    issue_orders_rotate(&annealing->orders);
    sort_blocks(adversary, true);
    WB_TRY(annealing_try(annealing, &most_first));
    sort_blocks(adversary, false);
    WB_TRY(annealing_try(annealing, makespan));
    if (most_first > *makespan) {
        sort_blocks(adversary, true);
        *makespan = most_first;
    }
    WB_TRY(annealing_try_patterns(annealing, pattern_candidates(annealing), makespan));
    return annealing_try_victims(annealing, annealing->candidates / VICTIM_SHARE, makespan);
}

/* Changes the candidate at hand; there is a kind of moves that may be made. */
static void kernel_change(void *user) {
    struct kernel_adversary *adversary = user;
    struct random_state *random = &adversary->annealing.random;
    const uint32_t blocks = adversary->input->work->block_count;
    struct move *move = &adversary->move;
    do
        *move = (struct move){.kind = (enum move_kind)random_below(random, MOVE_KINDS)};
    while (!adversary->may_move[move->kind]);
    switch (move->kind) {
    case MOVE_BLOCK:
        move->from = (uint32_t)random_below(random, blocks);
        move->to = (uint32_t)random_below(random, blocks);
        annealing_move(adversary->blocks, move->from, move->to);
        break;
    case MOVE_CHOICE:
        move->at = (uint32_t)random_below(random, blocks);
        move->value = adversary->choices[move->at];
        adversary->choices[move->at] = (uint32_t)random_below(random, adversary->machine.memory.sms);
        break;
    case MOVE_ISSUE:
    case MOVE_KINDS: issue_orders_change(&adversary->annealing.orders, random); break;
    }
}

static void kernel_take_back(void *user) {
    struct kernel_adversary *adversary = user;
    const struct move *move = &adversary->move;
    switch (move->kind) {
    case MOVE_BLOCK: annealing_move(adversary->blocks, move->to, move->from); break;
    case MOVE_CHOICE: adversary->choices[move->at] = move->value; break;
    case MOVE_ISSUE:
    case MOVE_KINDS: issue_orders_restore(&adversary->annealing.orders); break;
    }
}

static wb_status kernel_anneal(struct kernel_adversary *adversary) {
    cycles present;
    WB_TRY(start(adversary, &present));
    bool may_move = false;
    for (uint32_t m = 0; m < MOVE_KINDS; m++)
        may_move = may_move || adversary->may_move[m];
    return may_move ? annealing_run(&adversary->annealing, present) : WB_OK;
}

/* Where decisions are possible: among warps; of blocks that differ; of SMs, when a block waits for a slot. */
static void find_moves(struct kernel_adversary *adversary) {
    const struct grid_work *work = adversary->input->work;
    const bool anyhow = dispatches_anyhow(adversary);
    const uint64_t slots = (uint64_t)adversary->machine.memory.sms * work->resident_most;
    adversary->may_move[MOVE_ISSUE] = adversary->annealing.orders.warps > 1;
    adversary->may_move[MOVE_BLOCK] = anyhow && work->classes.count > 1;
    adversary->may_move[MOVE_CHOICE] =
        anyhow && adversary->machine.memory.sms > 1 && work->block_count > slots;
}

static uint64_t count_instructions(const struct grid_work *work) {
    uint64_t instructions = 0;
    for (size_t k = 0; k < work->classes.count; k++) {
        const struct block_class *kind = &work->classes.items[k];
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
    adversary->instructions = count_instructions(input->work);
    adversary->blocks = arena_array(&adversary->arena, (size_t)blocks + 1, sizeof *adversary->blocks);
    adversary->choices = arena_array(&adversary->arena, (size_t)blocks + 1, sizeof *adversary->choices);
    if (adversary->blocks == NULL || adversary->choices == NULL) return WB_ERR_LIMIT;
    const uint64_t sub_cores = (uint64_t)adversary->machine.memory.sms * adversary->machine.sub_cores;
    WB_TRY(annealing_begin(&adversary->annealing, input->machine, input->work->resident_most,
                           input->grid->grid->warp_count, adversary->instructions / sub_cores + 1,
                           adversary->instructions, input->budget, &adversary->arena));
    find_moves(adversary);
    return make_witness(adversary);
}

static wb_status search_kernel(const struct bound_input *input, const char *method, bool may_hurry,
                               wb_bound *bound) {
    struct kernel_adversary adversary = {.input = input,
                                         .annealing = {.method = method,
                                                       .may_hurry = may_hurry,
                                                       .user = &adversary,
                                                       .simulate = kernel_simulate,
                                                       .change = kernel_change,
                                                       .take_back = kernel_take_back,
                                                       .keep = kernel_keep}};
    wb_status status = prepare(&adversary);
    if (status == WB_OK && input->work->block_count > 0) status = kernel_anneal(&adversary);
    adversary_result(input, &adversary.annealing, status, bound);
    if (adversary.annealing.longest > 0) {
        adversary.longest->found.cycles = adversary.annealing.longest;
        *input->witness = &adversary.longest->found;
    }
    arena_free(&adversary.arena);
    if (dispatches_anyhow(&adversary)) assume(bound, WB_ASSUME_DISPATCH_IN_ANY_ORDER);
    if (input->work->resident_least != input->work->resident_most) assume(bound, WB_ASSUME_REGISTERS_FEWEST);
    return status;
}

static wb_status kernel_adversary_run(const struct bound_input *input, wb_bound *bound) {
    return search_kernel(input, "k-adversary", false, bound);
}

static wb_status kernel_adversary_short_run(const struct bound_input *input, wb_bound *bound) {
    return search_kernel(input, "k-adversary-short", true, bound);
}

static bool kernel_adversary_too_large(const struct bound_input *input) {
    return count_instructions(input->work) > ANNEALED_INSTRUCTIONS / WORTHWHILE_CANDIDATES;
}

const struct bound_method bound_k_adversary = {
    .name = "k-adversary",
    .summary = "kernel: longest execution found by annealing over dispatch and issue",
    .run = kernel_adversary_run,
    .needs = NEED_INSTRUCTIONS | NEED_KERNEL | NEED_KNOWN_TIMES | NEED_REAL_PATHS,
    .objection = adversary_objection,
    .too_large = kernel_adversary_too_large,
    .searches = true,
    .default_budget = ANNEALED_WORK,
    .explicit_budget = ANNEALED_WORK,
};

const struct bound_method bound_k_adversary_short = {
    .name = "k-adversary-short",
    .summary = "kernel: the same, with latencies as stated or shorter",
    .run = kernel_adversary_short_run,
    .needs = NEED_INSTRUCTIONS | NEED_KERNEL | NEED_KNOWN_TIMES | NEED_REAL_PATHS,
    .objection = adversary_objection,
    .named_only = true,
    .searches = true,
    .default_budget = ANNEALED_WORK,
    .explicit_budget = ANNEALED_WORK,
};
