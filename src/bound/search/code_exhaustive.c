/* The exact worst case of small blocks of machine code: all executions of machine M
 * (docs/machine-code-bounds.md, section 1). */
#include <inttypes.h>

#include "bound/method/method.h"
#include "bound/sass/code_profile.h"
#include "bound/search/code_state.h"
#include "bound/search/schedule_search.h"

/* What a step of the search costs (in units of search_budget). */
#define CODE_STEP_WORK 300u
#define CODE_PART_WORK 40u

/* "all" does not begin the search of a block whose warps stand at more combinations of positions. */
#define CODE_SHORT 100000.0

static const char *objection(const struct bound_input *input) {
    const struct timed_block *block = input->block;
    if (block->warp_count > CODE_WARPS_MAX) return "the search covers at most 32 warps";
    if (block->machine->sub_cores > CODE_CORES_MAX) return "the search covers at most 8 sub-cores";
    if (block->machine->sass.constant_probe >= UINT8_MAX)
        return "the search covers no such probes for constants";
    return timed_block_horizon(block) > UINT32_MAX / 2 ? "the block is too long for the search" : NULL;
}

static bool too_large(const struct bound_input *input) {
    double positions = 1;
    for (uint32_t w = 0; w < input->block->warp_count; w++)
        positions *= (double)input->block->paths[input->block->warp_path[w]].length + 1;
    return positions > CODE_SHORT;
}

/* Where lines are missed once every warp that comes to one is taken to miss it by itself: what is longest
 * then is not exact, and what was found no execution. */
static void set_bound(const struct bound_input *input, const struct code_model *model, cycles longest,
                      bool complete, wb_bound *bound) {
    if (!complete && model->cold) return;
    bound->kind = !complete ? WB_LOWER : model->cold ? WB_UPPER : WB_EXACT;
    bound->cycles = longest;
    if (!model->cold) bound->lower = longest;
    bound_assume_machine_code(input, bound);
    assume(bound, WB_ASSUME_NOT_SOONER);
}

static wb_status run(const struct bound_input *input, wb_bound *bound) {
    static const struct code_freedom all = {true, true, true, true, true, true, true, true, true, true, true};
    struct schedule_search search = {.watch = input->watch,
                                     .stage = "executions",
                                     .budget = input->budget,
                                     .step_work = CODE_STEP_WORK + CODE_PART_WORK * input->block->warp_count};
    struct arena arena = {0};
    struct code_model model = {.stuck = NULL};
    wb_status status = code_model_make(input->block, input->code->rules.clash, &all, &arena, &model);
    if (status == WB_OK) {
        const struct search_space space = code_space(&model);
        status = schedule_search_through(&space, &search);
        if (status == WB_OK && *model.crowded) status = WB_ERR_DECLINED;
        set_bound(input, &model, search.longest, status == WB_OK, bound);
    }
    if (status == WB_ERR_DECLINED && model.stuck != NULL && *model.stuck)
        status = diagnose_stuck(input->diagnostics, "exhaustive");
    else if (status == WB_ERR_DECLINED)
        diagnose(input->diagnostics, SEVERITY_ERROR, "exhaustive",
                 "a path is too long, or a warp keeps too much pending");
    else if (status != WB_OK && schedule_search_had_no_memory(&search))
        (void)diagnose_out_of_memory(input->diagnostics, "exhaustive");
    else if (status != WB_OK)
        diagnose(input->diagnostics, SEVERITY_ERROR, "exhaustive",
                 "%s after %" PRIu64
                 " states: not all executions were tried, the longest so far took %" PRIu64 " cycles",
                 schedule_search_end_name(&search), search.states, search.longest);
    arena_free(&arena);
    return status;
}

const struct bound_method bound_code_exhaustive = {
    .name = "exhaustive",
    .run = run,
    .needs = FOR_CODE_BLOCKS | NEED_REAL_PATHS,
    .objection = objection,
    .too_large = too_large,
    .searches = true,
};
