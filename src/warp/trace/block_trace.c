#include "warp/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "launch/launch.h"
#include "warp/affine/affine.h"
#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"
#include "warp/path/path.h"
#include "warp/trace/blocks.h"
#include "warp/trace/recorded.h"

struct run run_as_asked(const wb_kernel *kernel, const wb_launch *launch, const wb_grid_options *options,
                        wb_diagnostics *diagnostics) {
    struct run run = {.kernel = kernel,
                      .launch = launch,
                      .diagnostics = diagnostics,
                      .watch = &options->watch,
                      .allow_unmapped = options->allow_unmapped,
                      .warp_width = options->warp_width,
                      .unknown_contents = options->unknown_contents,
                      .instruction_limit = options->instruction_limit,
                      .memory_limit = options->memory_limit};
    if (options->one_block) memcpy(run.index, options->block, sizeof run.index);
    return run;
}

/* Facts must be complete, of this kernel, and where they were found, of this launch. Errors have messages. */
static wb_status check_facts(const struct run *run, const struct wb_facts *facts) {
    wb_diagnostics *diagnostics = run->diagnostics;
    if (facts->kernel != run->kernel) {
        diagnose(diagnostics, SEVERITY_ERROR, facts->source.name,
                 "the flow facts are for another kernel than %s", wb_kernel_name(run->kernel));
        return WB_ERR_INPUT;
    }
    WB_TRY(facts_require_complete(facts, diagnostics));
    WB_TRY(facts_require_launch(facts, run->launch, diagnostics));
    return found_limits_require(facts, run->launch, diagnostics);
}

/* Loads of a loop that waits for others read what they write, in machine code also plain ones: volatile
 * accesses to shared memory are no others there. */
static void mark_waiting_loads(struct function_code *code, const struct cfg *cfg, const struct loop *loop,
                               const struct loops *loops) {
    for (uint32_t m = 0; m < loop->member_count; m++) {
        const struct cfg_block *block = &cfg->blocks[loops->members[loop->first_member + m]];
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            if (code->micros[i].form->op == PTX_OP_LD) code->micros[i].memory.is_strong = true;
    }
}

/* The function that arena_protect runs. */
struct waiting_pass {
    struct run *run;
    struct arena *arena;
};

static void find_waiting_loads(void *context) {
    const struct waiting_pass *pass = context;
    for (uint32_t f = 0; f < pass->run->module->function_count; f++) {
        struct function_code *code = &pass->run->program.functions[f];
        if (code->micros == NULL) continue;
        const struct cfg cfg = cfg_build(code->function, pass->arena);
        const struct dominators dominators = dominators_build(pass->arena, &cfg.graph, CFG_ENTRY);
        const struct loops loops = loops_build(pass->arena, &cfg.graph, &dominators);
        if (loops.count == 0) continue;
        const struct node_regs liveness = liveness_build(&cfg, pass->arena);
        const struct ssa ssa = ssa_build(&cfg, &dominators, &liveness, pass->arena);
        const enum waiting *waiting = waiting_find(&ssa, &dominators, &loops, pass->arena);
        for (uint32_t l = 0; l < loops.count; l++)
            if (waiting[l] == WAITING_FOR) mark_waiting_loads(code, &cfg, &loops.items[l], &loops);
    }
}

wb_status run_begin_as_asked(struct run *run, const wb_facts *facts, struct arena *arena,
                             uint32_t **code_first) {
    WB_TRY(code_number(run->kernel->module, arena, code_first));
    WB_TRY(run_begin(run, arena, *code_first));
    struct arena scratch = {0};
    struct waiting_pass pass = {run, &scratch};
    const wb_status found = arena_protect(&scratch, find_waiting_loads, &pass);
    arena_free(&scratch);
    if (found != WB_OK) return run_no_memory(run);
    return facts == NULL ? WB_OK : check_facts(run, facts);
}

void run_begin_alone(struct run *run, uint64_t limit, uint64_t instructions, uint64_t charged) {
    const uint64_t spent = instructions + charged;
    run->earlier_instructions = instructions;
    run->instructions = run->next_poll = run->forgotten = run->charged = 0;
    run->instruction_limit = limit > spent ? limit - spent : 0;
    run_forget_notes(run);
}

/* Hands the paths over to the block: equal ones once. */
static wb_status collect_paths(struct wb_block *block, struct run *run) {
    for (uint32_t w = 0; w < run->warp_count; w++) {
        struct path path;
        size_t known = 0;
        if (path_finish(&run->warps[w].path, &path) != WB_OK) return WB_ERR_LIMIT;
        while (known < block->paths.count && !path_equal(&block->paths.items[known], &path))
            known++;
        block->warp_path[w] = (uint32_t)known;
        if (known < block->paths.count) {
            path_free(&path);
        } else if (vec_push(&block->paths, path) != WB_OK) {
            path_free(&path);
            return WB_ERR_LIMIT;
        }
    }
    return WB_OK;
}

/* Room for what is kept of each warp. */
static wb_status block_allocate(struct wb_block *block, const struct run *run, bool record_accesses) {
    block->warp_count = run->warp_count;
    block->warp_width = run->warp_width;
    block->warp_path = arena_array(&block->arena, run->warp_count, sizeof *block->warp_path);
    if (record_accesses)
        block->accesses = arena_array(&block->arena, run->warp_count, sizeof *block->accesses);
    bool failed = block->warp_path == NULL || (record_accesses && block->accesses == NULL);
    return failed ? run_no_memory(run) : WB_OK;
}

/* The results of a covering run beside the paths. */
static void collect_cover(struct wb_block *block, struct cover *cover) {
    const struct wb_facts *facts = cover->facts;
    block->covering = true;
    if (facts != NULL) {
        block->facts.from = facts;
        block->facts.stated = facts_count(facts, FACT_STATED, FACT_STATED);
        block->facts.found = facts_count(facts, FACT_FOUND, FACT_FOUND_FOR_LAUNCH);
    }
    block->repeats = cover->repeats;
    block->meets_maybe = cover->meets_maybe;
    block->causes.items = cover->causes.items;
    block->causes.count = cover->causes.count;
    block->causes.capacity = cover->causes.capacity;
    memset(&cover->causes, 0, sizeof cover->causes);
}

wb_status memory_objects_of(const struct run *run, struct memory_objects *objects) {
    WB_TRY(vec_reserve(&objects->items, run->memory.regions.count));
    objects->items.count = 0;
    for (size_t r = 0; r < run->memory.regions.count; r++) {
        const struct region *region = &run->memory.regions.items[r];
        const struct argument_buffer *buffer = image_argument_of(run, region);
        struct memory_object object = {.base = region->base, .size = region->size, .name = region->name};
        if (buffer != NULL) {
            object.argument = buffer->argument;
            object.called = buffer->called;
            object.field = buffer->field;
        }
        objects->items.items[objects->items.count++] = object;
    }
    return WB_OK;
}

wb_status block_begin(struct wb_block *block, const struct run *run, bool record_accesses) {
    WB_TRY(block_allocate(block, run, record_accesses));
    memcpy(block->grid, run->grid, sizeof block->grid);
    memcpy(block->size, run->size, sizeof block->size);
    memcpy(block->index, run->index, sizeof block->index);
    block->memory_limit = run->memory_limit;
    block->shared_bytes = run->shared_bytes;
    block->registers = launch_registers(run->kernel, run->launch);
    if (launch_inputs_of(run->launch, run->unknown_contents, &block->arena, &block->inputs) != WB_OK)
        return run_no_memory(run);
    return WB_OK;
}

wb_status block_collect(struct wb_block *block, struct run *run) {
    block->notes = run->notes;
    block->unrecorded = run->unrecorded;
    block->uncounted = run->uncounted;
    if (run->needs.items.count > 0) return WB_ERR_DECLINED;
    if (run->cover != NULL) collect_cover(block, run->cover);
    if (block->accesses != NULL) WB_TRY(memory_objects_of(run, &block->objects));
    if (block->accesses != NULL && block_find_uses(block) != WB_OK) return run_no_memory(run);
    return collect_paths(block, run);
}

wb_status block_execute(struct wb_block *block, struct run *run, bool record_accesses) {
    WB_TRY(block_begin(block, run, record_accesses));
    WB_TRY(run_block(run, block->accesses));
    return block_collect(block, run);
}

/* Executes the block so that it covers all executions: once more where warps may pass what they store on to
 * others, until none stores to memory that was taken for its own so far. */
static wb_status trace_covering(struct wb_block *block, struct run *run, const wb_grid_options *options) {
    for (bool changed = true; changed;) {
        changed = false;
        cover_end(run);
        block_forget(block);
        run_forget_notes(run);
        WB_TRY(cover_begin(run, options->facts, &block->arena));
        WB_TRY(block_execute(block, run, options->record_accesses));
        if (run->cover->synchronises) WB_TRY(memory_share_stored(&run->memory, true, &changed));
    }
    return WB_OK;
}

static wb_status trace(struct wb_block *block, struct run *run, const wb_grid_options *options) {
    WB_TRY(run_begin_as_asked(run, options->facts, &block->arena, &block->code_first));
    wb_status status = options->cover ? trace_covering(block, run, options)
                                      : block_execute(block, run, options->record_accesses);
    if (status != WB_ERR_INPUT) WB_TRY(fact_needs_report(&run->needs, run->kernel, run->diagnostics));
    return status;
}

void run_skip_passes(struct run *run, const wb_grid_options *options) {
    run->skip = affine_skip_passes;
    run->poll_interval = options->passes_from;
}

bool run_needs_passes(const struct run *run, wb_status status) {
    return run->forgot && (run->guessed || (status != WB_OK && status != WB_ERR_LIMIT));
}

/* Executes the block once. What the next time is to assume is added to *left_open, and *skips is whether it
 * may skip passes of loops, as it may now. */
static wb_status trace_once(const wb_kernel *kernel, const wb_launch *launch, const wb_grid_options *options,
                            wb_diagnostics *diagnostics, uint32_t *left_open, bool *skips, wb_block **block) {
    struct run run = run_as_asked(kernel, launch, options, diagnostics);
    run.assumptions = *left_open;
    if (*skips) run_skip_passes(&run, options);
    struct wb_block *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
    size_t errors = wb_diagnostics_errors(diagnostics);
    made->kernel = kernel;
    wb_status status = trace(made, &run, options);
    const bool again = run_needs_passes(&run, status);
    if (again)
        *skips = false;
    else
        *left_open = open_assumed_next(run.assumptions, run.left_open, options->any_order);
    cover_end(&run);
    run_end(&run);
    if (status == WB_OK && !again) {
        *block = made;
        return WB_OK;
    }
    if (wb_diagnostics_errors(diagnostics) == errors)
        (void)diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
    wb_block_free(made);
    return status;
}

/* Executes the block with the data that the launch gives: when it depends on passes that were skipped, or on
 * what the PTX ISA leaves open, once more, with each executed, or that assumed. */
static wb_status trace_given(const wb_kernel *kernel, const wb_launch *launch, const wb_grid_options *options,
                             wb_diagnostics *diagnostics, wb_block **block) {
    uint32_t assumed, open = 0;
    bool skipped, skips = options->passes_from != UINT64_MAX;
    wb_status status;
    wb_diagnostics *messages = NULL;
    do {
        assumed = open;
        skipped = skips;
        wb_diagnostics_free(messages);
        messages = wb_diagnostics_new();
        if (messages == NULL) return diagnose_out_of_memory(diagnostics, wb_kernel_name(kernel));
        status = trace_once(kernel, launch, options, messages, &open, &skips, block);
    } while (skips != skipped || (status == WB_ERR_DECLINED && open != assumed));
    wb_diagnostics_append(diagnostics, messages);
    wb_diagnostics_free(messages);
    return status;
}

/* The block as the trace of its grid recorded it. */
static wb_status block_of_recorded(const wb_kernel *kernel, const wb_launch *launch,
                                   const wb_grid_options *options, wb_diagnostics *diagnostics,
                                   wb_block **block) {
    wb_grid_options all = *options;
    struct wb_grid *grid = NULL;
    const uint32_t *at = options->block, *size = launch->trace.grid;
    all.one_block = false;
    if (at[0] >= size[0] || at[1] >= size[1] || at[2] >= size[2]) {
        diagnose(diagnostics, SEVERITY_ERROR, launch->trace.source.name,
                 "the grid of the trace has no block %u,%u,%u", at[0], at[1], at[2]);
        return WB_ERR_INPUT;
    }
    WB_TRY(recorded_grid(kernel, launch, &all, diagnostics, &grid));
    wb_status status = grid_block_make(grid, at[0] + size[0] * (at[1] + size[1] * at[2]), diagnostics, block);
    wb_grid_free(grid);
    if (status != WB_OK) return status;
    if (launch_inputs_of(launch, false, &(*block)->arena, &(*block)->inputs) == WB_OK &&
        block_find_uses(*block) == WB_OK)
        return WB_OK;
    wb_block_free(*block);
    *block = NULL;
    return diagnose_out_of_memory(diagnostics, launch->trace.source.name);
}

wb_status wb_block_trace(const wb_kernel *kernel, const wb_launch *launch, const wb_trace_options *options,
                         wb_diagnostics *diagnostics, wb_block **block) {
    wb_trace_options asked;
    WB_TRY(OPTIONS_TAKE(wb_trace_options, options, &asked, diagnostics));
    const wb_grid_options of_grid = {.one_block = true,
                                     .block = {asked.block[0], asked.block[1], asked.block[2]},
                                     .warp_width = asked.warp_width,
                                     .cover = asked.cover,
                                     .unknown_contents = asked.unknown_contents,
                                     .record_accesses = asked.record_accesses,
                                     .facts = asked.facts,
                                     .instruction_limit = asked.instruction_limit,
                                     .memory_limit = asked.memory_limit,
                                     .watch = asked.watch,
                                     .any_order = asked.any_order,
                                     .passes_from = asked.passes_from};
    uint32_t open = 0;
    bool skips = false;
    if (launch->trace.text != NULL) return block_of_recorded(kernel, launch, &of_grid, diagnostics, block);
    return of_grid.cover ? trace_once(kernel, launch, &of_grid, diagnostics, &open, &skips, block)
                         : trace_given(kernel, launch, &of_grid, diagnostics, block);
}

/* ---- Facts held to data ---- */

/* Holding flow facts to the data that a launch gives (docs/flow-facts.md): its blocks are executed one after
 * another, as one execution of the grid does, with all lanes sure that the data determines. */

/* Executes the block run->index on what memory holds, and counts its passes of loops per fact. *goes_on: what
 * it leaves there is known as far as it is taken for. */
static wb_status hold_block(struct run *run, const wb_facts *facts, uint64_t *passes, bool *goes_on) {
    struct arena code = {0};
    wb_status status = cover_begin(run, facts, &code);
    if (status == WB_OK) {
        run->cover->holds = true;
        run->cover->passes_of_kernel = passes;
        status = run_block(run, NULL);
    }
    *goes_on = status == WB_OK && run->needs.items.count == 0;
    cover_end(run);
    arena_free(&code);
    return status;
}

wb_status grid_hold_facts(const struct wb_kernel *kernel, const struct wb_launch *launch,
                          const wb_grid_options *options, wb_diagnostics *diagnostics) {
    struct wb_diagnostics messages = {0};
    struct run run = run_as_asked(kernel, launch, options, &messages);
    struct arena arena = {0};
    uint32_t *code_first = NULL;
    bool goes_on = true;
    run.all_blocks = !options->one_block;
    wb_status status = run_begin_as_asked(&run, options->facts, &arena, &code_first);
    uint64_t *passes = arena_array(&arena, options->facts->facts.count + 1, sizeof *passes);
    if (status == WB_OK && passes == NULL) status = run_no_memory(&run);
    bool begun = status == WB_OK;
    while (begun && goes_on) {
        status = hold_block(&run, options->facts, passes, &goes_on);
        if (options->one_block || !run_next_block(&run)) break;
    }
    /* What is behind a limit, or depends on what is not known, is not held to anything. */
    const bool ends =
        begun && (status == WB_ERR_DECLINED || messages.over_limit || run.needs.items.count > 0);
    if (ends) status = WB_ERR_DECLINED;
    if (status != WB_OK && !ends && wb_diagnostics_errors(&messages) == 0)
        (void)diagnose_out_of_memory(&messages, wb_kernel_name(kernel));
    if (!ends) wb_diagnostics_append(diagnostics, &messages);
    diagnostics_clear(&messages);
    run_end(&run);
    arena_free(&arena);
    return status;
}
