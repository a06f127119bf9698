/* The kernel analyzer (JCSE'17, algorithms 1 and 2): executes the blocks of a launch and adds each to a grid.
 * With the data that is given one block after another, or on covering paths each block by itself, as what
 * others store to memory, and when, is not known (docs/covering-paths.md, section 9). */
#include "warp/trace/blocks.h"
#include "warp/trace/recorded.h"
#include "warp/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "warp/cover/cover.h"

/* Warp instructions up to which blocks are executed after one lacked flow facts. */
#define LACKING_INSTRUCTIONS_MAX (UINT64_C(1) << 22)
#define LACKING_WORK_MAX (2 * LACKING_INSTRUCTIONS_MAX) /* with what is charged besides */
/* Warp instructions of a small grid up to which its blocks are executed one by one without a try by classes.
 */
#define SMALL_INSTRUCTIONS_MAX (UINT64_C(1) << 19)

struct grid_trace {
    struct run run;
    struct wb_grid *grid;
    const wb_grid_options *options;
    /* For the given data: room for the current block, per warp. */
    struct path *paths;
    struct access_list *accesses;
    bool skips; /* passes of loops */
    /* For covering paths. */
    bool synchronises;     /* as in struct cover */
    uint64_t instructions; /* of the blocks before */
    uint64_t charged;      /* for them, besides */
    uint64_t limit;        /* of all blocks together */
    struct covering_kinds kinds;
};

static struct grid_trace trace_of(struct wb_grid *grid, const struct wb_launch *launch,
                                  const wb_grid_options *options, wb_diagnostics *diagnostics) {
    struct grid_trace trace = {
        .run = run_as_asked(grid->kernel, launch, options, diagnostics), .grid = grid, .options = options};
    trace.run.unknown_contents &= options->cover;
    trace.run.all_blocks = !options->one_block;
    return trace;
}

/* Begins the run, and notes what of the launch is the same for all blocks. */
static wb_status begin(struct grid_trace *trace) {
    struct run *run = &trace->run;
    struct wb_grid *grid = trace->grid;
    const wb_facts *facts = trace->options->cover ? trace->options->facts : NULL;
    WB_TRY(run_begin_as_asked(run, facts, &grid->arena, &grid->code_first));
    memcpy(grid->dimensions, run->grid, sizeof grid->dimensions);
    memcpy(grid->block_size, run->size, sizeof grid->block_size);
    memcpy(grid->first_index, run->index, sizeof grid->first_index);
    grid->memory_limit = run->memory_limit;
    grid->shared_bytes = run->shared_bytes;
    grid->registers = launch_registers(run->kernel, run->launch);
    grid->warp_count = run->warp_count;
    grid->warp_width = run->warp_width;
    if (launch_inputs_of(run->launch, run->unknown_contents, &grid->arena, &grid->inputs) != WB_OK ||
        grid_find_barriers(grid) != WB_OK)
        return run_no_memory(run);
    return WB_OK;
}

static void end(struct grid_trace *trace) {
    for (uint32_t w = 0; w < trace->run.warp_count; w++) {
        if (trace->paths != NULL) path_free(&trace->paths[w]);
        if (trace->accesses != NULL) access_list_free(&trace->accesses[w]);
    }
    free(trace->paths);
    free(trace->accesses);
    vec_free(&trace->kinds.hashes);
    run_end(&trace->run);
}

/* Notes which variables of the module the blocks maybe store to. */
static wb_status note_stored(const struct run *run, struct wb_grid *grid) {
    grid->changed_variables = run->changed_variables;
    for (uint32_t i = 0; i < run->module->variable_count; i++) {
        const struct ptx_variable *variable = &run->module->variables[i];
        if (variable->space != PTX_SPACE_GLOBAL || !run->program.variable_used[i]) continue;
        const struct region *region = memory_find(&run->memory, run->program.addresses[i]);
        if (region != NULL && region->stored && vec_push(&grid->stored, variable->name) != WB_OK)
            return run_no_memory(run);
    }
    return WB_OK;
}

/* ---- With the data that is given ----------------------------------------------------------------------- */

/* Notes that the path of a warp of the next block depends on an unknown value. */
static wb_status keep_steering(struct wb_grid *grid, const struct warp *warp) {
    const struct steering *steering = &warp->steering;
    struct steered_warp input_dependent = {
        .block = (uint32_t)grid->blocks.count,
        .warp = warp->number,
        .instruction = steering->instruction,
        .origin = steering->origin == ORIGIN_UNWRITTEN ? PTX_NO_INDEX : steering->origin,
        .branch = steering->branch,
    };
    return vec_push(&grid->input_dependent, input_dependent);
}

static wb_status trace_block(struct grid_trace *trace) {
    struct run *run = &trace->run;
    for (uint32_t w = 0; w < run->warp_count; w++)
        trace->accesses[w].items.count = trace->accesses[w].tables.count = 0;
    WB_TRY(run_block(run, trace->accesses));
    for (uint32_t w = 0; w < run->warp_count; w++) {
        WB_TRY(path_hand_over(&run->warps[w].path, &trace->paths[w]));
        if (run->warps[w].input_dependent) WB_TRY(keep_steering(trace->grid, &run->warps[w]));
    }
    WB_TRY(grid_add_block(trace->grid, trace->paths, trace->accesses));
    run->kept = grid_bytes(trace->grid);
    return run_check_memory(run);
}

/* Whether the path of a warp maybe depends on what the PTX ISA leaves open: it is assumed then, all over
 * again. */
static bool needs_assumptions(const struct grid_trace *trace) {
    return trace->grid->input_dependent.count > 0 && (trace->run.left_open & ~trace->run.assumptions) != 0;
}

/* As run_needs_passes. */
static bool needs_passes(const struct grid_trace *trace, wb_status status) {
    return run_needs_passes(&trace->run, trace->grid->input_dependent.count > 0 ? WB_ERR_DECLINED : status);
}

/* Whether no more blocks are to be executed: all will be once more, or something is not known. */
static bool is_decided(const struct grid_trace *trace) {
    return needs_assumptions(trace) || needs_passes(trace, WB_OK) ||
           (trace->options->until_unknown && trace->grid->input_dependent.count > 0);
}

wb_status grid_note_memory(struct wb_grid *grid, const struct run *run) {
    if (memory_objects_of(run, &grid->cover.objects) != WB_OK) return run_no_memory(run);
    grid_find_local_bytes(grid);
    if (grid_find_uses(grid) != WB_OK) return run_no_memory(run);
    return note_stored(run, grid);
}

static wb_status trace_given(struct grid_trace *trace) {
    struct run *run = &trace->run;
    WB_TRY(begin(trace));
    const uint64_t most = trace->options->first_blocks != 0 ? trace->options->first_blocks : UINT64_MAX;
    const wb_status status =
        most < UINT64_MAX ? WB_ERR_DECLINED : grid_add_classes(trace->grid, run, trace->options);
    if (status != WB_ERR_DECLINED) return status;
    if (trace->skips) run_skip_passes(run, trace->options);
    trace->paths = calloc((size_t)run->warp_count + 1, sizeof *trace->paths);
    trace->accesses = calloc((size_t)run->warp_count + 1, sizeof *trace->accesses);
    if (trace->paths == NULL || trace->accesses == NULL) return run_no_memory(run);
    do {
        WB_TRY(trace_block(trace));
    } while (!trace->options->one_block && trace->grid->blocks.count < most && !is_decided(trace) &&
             run_next_block(run));
    trace->grid->notes = run->notes;
    return grid_note_memory(trace->grid, run);
}

/* ---- On covering paths --------------------------------------------------------------------------------- */

/* Takes a block over as the grid's next one. */
static wb_status add_block(struct grid_trace *trace, struct wb_block *block) {
    wb_status status = covering_place(trace->grid, block, 0);
    if (status != WB_OK) {
        wb_block_free(block);
        return status;
    }
    return covering_keep(trace->grid, &trace->kinds, block);
}

/* Each block begins as if it were the only one. */
static void begin_block(struct grid_trace *trace) {
    struct run *run = &trace->run;
    trace->instructions += run->instructions;
    trace->charged += run->charged;
    run_begin_alone(run, trace->limit, trace->instructions, trace->charged);
}

/* Executes the block run->index into *block. */
static wb_status cover_block(struct grid_trace *trace, struct wb_block **block) {
    struct run *run = &trace->run;
    struct arena code = {0}; /* what is known of the code when this block executes it */
    struct wb_block *made = calloc(1, sizeof *made);
    if (made == NULL) return WB_ERR_LIMIT;
    made->kernel = run->kernel;
    made->code_first = trace->grid->code_first;
    begin_block(trace);
    wb_status status = cover_begin(run, trace->options->facts, &code);
    if (status == WB_OK) status = block_execute(made, run, trace->options->record_accesses);
    trace->synchronises = run->cover != NULL && run->cover->synchronises;
    cover_end(run);
    arena_free(&code);
    if (status == WB_OK)
        *block = made;
    else
        wb_block_free(made);
    return status;
}

/* Starts again with the first block. */
static void restart(struct grid_trace *trace) {
    struct wb_grid *grid = trace->grid;
    memset(trace->run.index, 0, sizeof trace->run.index);
    trace->kinds.hashes.count = 0;
    grid_restart(grid);
    grid->notes = (struct execution_notes){0};
    struct memory_objects objects = grid->cover.objects;
    objects.items.count = 0;
    objects.uses = NULL;
    grid->cover = (struct grid_covering){.objects = objects};
}

/* Executes the next block and takes it over. It skips one that lacks facts: others may lack more, and all of
 * them are to be asked for at once, as long as that takes no more than a moment. */
static wb_status next_block(struct grid_trace *trace) {
    struct wb_block *block = NULL;
    wb_status status = cover_block(trace, &block);
    if (status == WB_ERR_DECLINED && trace->run.needs.items.count > 0 &&
        trace->instructions + trace->run.instructions < LACKING_INSTRUCTIONS_MAX)
        return WB_OK;
    return status == WB_OK ? add_block(trace, block) : status;
}

/* Every block; all of them once more when one stores to memory that was taken for constant so far.
 * WB_ERR_DECLINED without a message when facts are lacking. */
static wb_status cover_blocks(struct grid_trace *trace) {
    bool more = true;
    while (more) {
        bool changed;
        WB_TRY(next_block(trace));
        trace->run.kept = grid_bytes(trace->grid);
        WB_TRY(memory_share_stored(&trace->run.memory, trace->synchronises, &changed));
        if (changed)
            restart(trace);
        else
            more = run_next_block(&trace->run);
    }
    return trace->run.needs.items.count > 0 ? WB_ERR_DECLINED : WB_OK;
}

static wb_status trace_covering(struct grid_trace *trace) {
    WB_TRY(begin(trace));
    trace->limit = trace->run.instruction_limit;
    wb_status status = grid_cover_classes(trace->grid, &trace->run, trace->options, &trace->kinds);
    if (status == WB_ERR_DECLINED) {
        restart(trace);
        status = cover_blocks(trace);
    }
    WB_TRY(status);
    grid_find_local_bytes(trace->grid);
    if (grid_find_uses(trace->grid) != WB_OK) return run_no_memory(&trace->run);
    return note_stored(&trace->run, trace->grid);
}

wb_status grid_cover_needs(const struct wb_kernel *kernel, const struct wb_launch *launch,
                           struct fact_needs *needs, bool *complete) {
    const wb_grid_options options = {
        .cover = true, .unknown_contents = true, .instruction_limit = LACKING_WORK_MAX};
    wb_diagnostics *unread = wb_diagnostics_new();
    struct wb_grid grid = {.kernel = kernel};
    if (unread == NULL) return WB_ERR_LIMIT;
    struct grid_trace trace = trace_of(&grid, launch, &options, unread);
    wb_status status = trace_covering(&trace);
    const bool no_memory =
        unread->no_memory || (status == WB_ERR_LIMIT && wb_diagnostics_errors(unread) == 0);
    *needs = trace.run.needs;
    trace.run.needs = (struct fact_needs){0};
    *complete = status == WB_OK || (status == WB_ERR_DECLINED && wb_diagnostics_errors(unread) == 0);
    end(&trace);
    grid_clear(&grid);
    wb_diagnostics_free(unread);
    return no_memory ? WB_ERR_LIMIT : WB_OK;
}

/* ---- Either -------------------------------------------------------------------------------------------- */

/* Executes what the options ask for into a grid that is empty but for its kernel. *assumptions (bits of enum
 * launch_assumption) are made; it becomes larger when more are needed. *skips: passes of loops may be
 * skipped; it becomes false when they may not. */
static wb_status trace_grid(struct wb_grid *grid, const wb_launch *launch, const wb_grid_options *options,
                            wb_diagnostics *diagnostics, uint32_t *assumptions, bool *skips) {
    struct grid_trace trace = trace_of(grid, launch, options, diagnostics);
    struct run *run = &trace.run;
    wb_status status;
    if (options->cover) {
        status = trace_covering(&trace);
        if (status != WB_ERR_INPUT && fact_needs_report(&run->needs, grid->kernel, diagnostics) != WB_OK)
            status = WB_ERR_LIMIT;
    } else {
        run->steers = true;
        run->assumptions = *assumptions;
        trace.skips = *skips;
        status = trace_given(&trace);
        *skips = *skips && !needs_passes(&trace, status);
        grid->order_open = (run->left_open >> OPEN_ATOMIC_ORDER & 1) != 0;
        if (status == WB_OK && *skips == trace.skips && needs_assumptions(&trace))
            *assumptions = open_assumed_next(run->assumptions, run->left_open, options->any_order);
    }
    end(&trace);
    return status;
}

/* Whether what is asked for is to be tried by classes only if it takes long. */
static bool is_small(const wb_launch *launch, const wb_grid_options *asked) {
    uint64_t blocks = 1;
    for (uint32_t j = 0; j < 3 && blocks < CLASSES_FROM; j++)
        blocks *= launch->grid[j];
    return !asked->cover && !asked->one_block && asked->first_blocks == 0 && asked->classes_from == 0 &&
           blocks < CLASSES_FROM &&
           (asked->instruction_limit == 0 || asked->instruction_limit > SMALL_INSTRUCTIONS_MAX);
}

wb_status wb_grid_trace(const wb_kernel *kernel, const wb_launch *launch, const wb_grid_options *options,
                        wb_diagnostics *diagnostics, wb_grid **grid) {
    wb_grid_options asked;
    struct wb_diagnostics messages = {0};
    struct wb_grid *made = NULL;
    wb_status status = WB_OK;
    uint32_t assumed, assumptions = 0;
    bool skipped, skips, long_one;
    WB_TRY(OPTIONS_TAKE(wb_grid_options, options, &asked, diagnostics));
    if (launch->trace.text != NULL) return recorded_grid(kernel, launch, &asked, diagnostics, grid);
    skips = asked.passes_from != UINT64_MAX;
    bool small = is_small(launch, &asked);
    const uint64_t limit = asked.instruction_limit;
    if (small) asked.instruction_limit = SMALL_INSTRUCTIONS_MAX;
    do {
        assumed = assumptions;
        skipped = skips;
        wb_grid_free(made);
        diagnostics_clear(&messages);
        messages = (struct wb_diagnostics){0};
        made = calloc(1, sizeof *made);
        if (made == NULL) {
            status = WB_ERR_LIMIT;
        } else {
            made->kernel = kernel;
            status = trace_grid(made, launch, &asked, &messages, &assumptions, &skips);
        }
        long_one = small && status == WB_ERR_LIMIT && messages.over_limit;
        if (long_one) {
            small = false;
            asked.instruction_limit = limit;
            asked.classes_from = 1;
        }
    } while (long_one || skips != skipped || (status == WB_OK && assumptions != assumed));
    if (status != WB_OK && wb_diagnostics_errors(&messages) == 0)
        (void)diagnose_out_of_memory(&messages, wb_kernel_name(kernel));
    wb_diagnostics_append(diagnostics, &messages);
    diagnostics_clear(&messages);
    if (status == WB_OK)
        *grid = made;
    else
        wb_grid_free(made);
    return status;
}
