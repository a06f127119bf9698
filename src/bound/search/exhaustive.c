/* The exact worst case of what is small: all work-conserving schedules of a block, and all schedules of all
 * SMs under all dispatches of a grid. */
#include "bound/grid/contention.h"

#include "bound/method/method.h"
#include "bound/search/grid_search.h"
#include "bound/search/schedule_search.h"
#include "bound/search/search_state.h"

/* "all" does not begin the search of a block whose warps can stand at more combinations of positions,
 * identical warps taken as one set: each stands for some states. */
#define BLOCK_SHORT 100000.0

/* The budget of "all" for searches of blocks, and the cost of a step, which looks at every warp and unit (in
 * units of search_budget). */
#define BLOCK_WORK 250000000u
#define BLOCK_STEP_WORK 150u
#define BLOCK_PART_WORK 20u

/* The common result of both methods. */
static void search_result(const struct bound_input *input, const char *method,
                          const struct schedule_search *search, wb_status status, wb_bound *bound) {
    bound->kind = status == WB_OK ? WB_EXACT : WB_LOWER;
    bound->cycles = bound->lower = search->longest;
    bound_assume_paths(input, bound);
    assume(bound, WB_ASSUME_WORK_CONSERVING);
    assume(bound, WB_ASSUME_TIMES_AS_STATED);
    assume(bound, WB_ASSUME_UNITS_IN_ISSUE_ORDER);
    if (status == WB_OK) return;
    if (schedule_search_had_no_memory(search)) (void)diagnose_out_of_memory(input->diagnostics, method);
    diagnose(input->diagnostics, SEVERITY_ERROR, method,
             "%s after %llu states: not all schedules were tried, the longest so far took %llu cycles",
             schedule_search_end_name(search), (unsigned long long)search->states,
             (unsigned long long)search->longest);
}

static const char *exhaustive_objection(const struct bound_input *input) {
    const struct timed_block *block = input->block;
    const struct wb_machine *machine = block->machine;
    if (fetch_can_stall(&machine->fetch)) return "the search does not model an instruction cache (fetch)";
    if (block->warp_count > SEARCH_WARPS_MAX) return "the search covers at most 32 warps";
    const char *objection = search_units_objection(machine);
    if (objection != NULL) return objection;
    return timed_block_horizon(block) > UINT32_MAX / 2 ? "the block is too long for the search" : NULL;
}

static bool exhaustive_too_large(const struct bound_input *input) {
    return search_positions(input->block) > BLOCK_SHORT;
}

/* A block is a grid of one: each of its issues is a state, so that --states counts them. */
static wb_status exhaustive_run(const struct bound_input *input, wb_bound *bound) {
    const struct wb_machine *machine = input->block->machine;
    const struct search_blocks blocks = {input->block, 1};
    const struct search_scope scope = {
        .sms = 1, .rule = DISPATCH_ANY, .slots = 1, .dealt = 1, .only_dealt = true, .every_issue = true};
    struct schedule_search search = {
        .watch = input->watch,
        .stage = "schedules",
        .budget = input->budget,
        .step_work =
            BLOCK_STEP_WORK + BLOCK_PART_WORK * ((uint64_t)input->block->warp_count + machine->unit_count)};
    struct arena arena = {0};
    struct search_model model;
    wb_status status = search_model_make(machine, &blocks, 1, &arena, &model);
    if (status == WB_OK) {
        (void)search_model_set(&model, &scope); /* the states of one block are not too large */
        status = schedule_search_run(&model, &search);
        search_result(input, "exhaustive", &search, status, bound);
    } else if (status == WB_ERR_DECLINED) {
        diagnose(input->diagnostics, SEVERITY_ERROR, "exhaustive",
                 "a program is too long or keeps too many results waiting");
    } else {
        (void)diagnose_out_of_memory(input->diagnostics, "exhaustive");
    }
    arena_free(&arena);
    return status;
}

const struct bound_method bound_exhaustive = {
    .name = "exhaustive",
    .summary = "exact worst case over all schedules, for small blocks",
    .run = exhaustive_run,
    .needs = FOR_BLOCKS_OF_KNOWN_TIMES | NEED_REAL_PATHS,
    .objection = exhaustive_objection,
    .too_large = exhaustive_too_large,
    .searches = true,
    .default_budget = BLOCK_WORK,
};

static const char *kernel_exhaustive_objection(const struct bound_input *input) {
    return grid_search_objection(input->work);
}

static bool kernel_exhaustive_too_large(const struct bound_input *input) {
    return !grid_search_is_short(input->work, input->diagnostics);
}

static wb_status kernel_exhaustive_run(const struct bound_input *input, wb_bound *bound) {
    struct schedule_search search = {.watch = input->watch, .budget = input->budget};
    wb_status status = grid_search_run(input->work, &search);
    if (status != WB_ERR_DECLINED) {
        search_result(input, "k-exhaustive", &search, status, bound);
        grid_assume_dispatch(input->work, bound);
        if (input->machine->memory.dispatch == DISPATCH_ANY) assume(bound, WB_ASSUME_DISPATCH_IN_ANY_ORDER);
        return status;
    }
    diagnose(input->diagnostics, SEVERITY_ERROR, "k-exhaustive",
             "the programs are too long or keep too many results waiting");
    return status;
}

const struct bound_method bound_k_exhaustive = {
    .name = "k-exhaustive",
    .summary = "kernel: exact worst case over all schedules, and dispatches that the machine allows, for "
               "small grids",
    .run = kernel_exhaustive_run,
    .needs = FOR_KERNELS | NEED_KNOWN_TIMES | NEED_REAL_PATHS,
    .objection = kernel_exhaustive_objection,
    .too_large = kernel_exhaustive_too_large,
    .searches = true,
    .default_budget = KERNEL_SEARCH_WORK,
};
