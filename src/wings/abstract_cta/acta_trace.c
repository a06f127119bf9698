#include "wings/abstract_cta/acta_trace.h"

#include <stdlib.h>
#include <string.h>

#include "warp/timed/timed.h"

/* How often the header of a loop was executed each time the loop was entered, on the path at hand. */
struct loop_runs {
    uint64_t least, most; /* over the entries that have ended; least > most: none has */
    uint64_t now;         /* since the last entry; 0: not entered yet */
};

struct trace_reader {
    const struct wb_block *block;
    const struct kernel_flow *flow;
    wb_diagnostics *diagnostics;
    struct acta_group *cta;
    struct arena arena;
    uint32_t first_inst;    /* index of the kernel's first instruction in paths */
    struct loop_runs *runs; /* per loop of the flow */
    uint64_t *executions;   /* per CFG block: on the path at hand */
    uint64_t *entries;      /* the same, but of a loop's header the entries into the loop */
    uint64_t *before;       /* scratch of read_folds: what was counted so far, per depth */
    uint32_t previous;      /* CFG block executed before, or GRAPH_NONE */
};

static void end_entry(struct loop_runs *runs) {
    if (runs->now == 0) return;
    runs->least = cycles_min(runs->least, runs->now);
    runs->most = cycles_max(runs->most, runs->now);
    runs->now = 0;
}

/* A warp begins to execute a block. */
static void read_block(struct trace_reader *reader, uint32_t block) {
    const struct loops *loops = &reader->flow->loops;
    bool enters = true;
    if (loop_is_header(loops, block)) {
        uint32_t loop = loops->innermost[block];
        enters = reader->previous == GRAPH_NONE || !loop_contains(loops, loop, reader->previous);
        if (enters) end_entry(&reader->runs[loop]);
        reader->runs[loop].now++;
    }
    reader->executions[block]++;
    reader->entries[block] += enters;
    reader->previous = block;
}

/* The part of a run that is of the kernel's own code: those of its blocks whose first instruction is in it.
 */
static void read_run(struct trace_reader *reader, uint32_t first, uint32_t count) {
    const struct cfg *cfg = &reader->flow->cfg;
    uint32_t end = first + count - reader->first_inst;
    for (uint32_t i = first - reader->first_inst; i < end;) {
        uint32_t block = cfg->block_of[i];
        if (i == cfg->blocks[block].first) read_block(reader, block);
        i = cfg->blocks[block].first + cfg->blocks[block].count;
    }
}

/* The runs up to the next fold, or to the end. */
static void read_runs(struct trace_reader *reader, struct path_cursor *cursor, struct path_fold *fold,
                      bool *at_fold) {
    uint32_t inst_count = reader->flow->cfg.function->inst_count;
    for (*at_fold = false; !*at_fold && path_next_run(cursor); *at_fold = path_at_fold(cursor, fold)) {
        if (cursor->instruction - reader->first_inst < inst_count)
            read_run(reader, cursor->instruction, cursor->left);
        cursor->left = 0;
    }
}

static void read_folds(struct trace_reader *reader, struct path_cursor *cursor, uint32_t depth);

/* What is repeated counts in proportion, once it has been read a second time: a loop that is not entered anew
 * in a repetition goes on in the next. */
static void read_fold(struct trace_reader *reader, struct path_fold *fold, uint32_t depth) {
    const struct kernel_flow *flow = reader->flow;
    const uint64_t repetitions = fold->repetitions - 1;
    size_t blocks = flow->cfg.block_count;
    uint64_t *before = reader->before + depth * (2 * blocks + flow->loops.count);
    memcpy(before, reader->executions, blocks * sizeof *before);
    memcpy(before + blocks, reader->entries, blocks * sizeof *before);
    for (uint32_t l = 0; l < flow->loops.count; l++)
        before[2 * blocks + l] = reader->runs[l].now;
    read_folds(reader, &fold->body, depth + 1);
    for (uint32_t l = 0; l < flow->loops.count; l++) {
        uint32_t header = flow->loops.items[l].header;
        if (reader->entries[header] == before[blocks + header])
            reader->runs[l].now += repetitions * (reader->runs[l].now - before[2 * blocks + l]);
    }
    for (size_t b = 0; b < blocks; b++) {
        reader->executions[b] += repetitions * (reader->executions[b] - before[b]);
        reader->entries[b] += repetitions * (reader->entries[b] - before[blocks + b]);
    }
}

/* Reads to the end. */
static void read_folds(struct trace_reader *reader, struct path_cursor *cursor, uint32_t depth) {
    struct path_fold fold;
    for (bool at_fold = true; at_fold;) {
        read_runs(reader, cursor, &fold, &at_fold);
        for (bool again = at_fold; again; again = path_at_fold(cursor, &fold)) {
            read_fold(reader, &fold, depth);
            path_skip_fold(cursor);
        }
    }
}

/* Counts what a path executes. */
static void read_path(struct trace_reader *reader, const struct path *path) {
    const struct kernel_flow *flow = reader->flow;
    for (uint32_t l = 0; l < flow->loops.count; l++)
        reader->runs[l] = (struct loop_runs){.least = UINT64_MAX};
    for (uint32_t b = 0; b < flow->cfg.block_count; b++)
        reader->executions[b] = reader->entries[b] = 0;
    reader->previous = GRAPH_NONE;
    struct path_cursor cursor = path_begin(path);
    read_folds(reader, &cursor, 0);
    for (uint32_t l = 0; l < flow->loops.count; l++)
        end_entry(&reader->runs[l]);
}

static wb_status decline(const struct trace_reader *reader, uint32_t block, const char *message) {
    const struct cfg *cfg = &reader->flow->cfg;
    ptx_diagnose(reader->diagnostics, SEVERITY_ERROR, reader->block->kernel->module, cfg_last(cfg, block),
                 "%s", message);
    return WB_ERR_DECLINED;
}

/* The counts of loop number `number` for a warp with the path at hand. */
static wb_status keep_loop(struct trace_reader *reader, uint32_t number, uint32_t warp) {
    struct acta_group *cta = reader->cta;
    const struct acta_node *loop = &cta->warp.nodes.items[cta->warp.loops.items[number]];
    const struct loop_runs *runs = &reader->runs[reader->flow->loops.innermost[loop->block]];
    uint64_t iterations = runs->most;
    if (loop->has_barrier && runs->least < runs->most)
        return decline(reader, loop->block,
                       "a warp runs this loop, which has a barrier, a varying number of times, which "
                       "abstract warps do not support");
    if (loop->side[1] != ACTA_NONE && iterations > 0) iterations--;
    cta->iterations[warp * cta->warp.loops.count + number] = iterations;
    return WB_OK;
}

/* The side that a warp with the path at hand takes at guard number `number`. */
static wb_status keep_guard(struct trace_reader *reader, uint32_t number, uint32_t warp) {
    struct acta_group *cta = reader->cta;
    const struct acta_node *branch = &cta->warp.nodes.items[cta->warp.guards.items[number]];
    const uint32_t entry = branch->side_block[branch->barrier_side];
    uint64_t decisions = reader->executions[branch->block], taken = reader->entries[entry];
    if (taken != 0 && taken != decisions)
        return decline(
            reader, branch->block,
            "a warp takes the side with the barrier only sometimes, which abstract warps do not support");
    cta->enters[warp * cta->warp.guards.count + number] = taken != 0;
    return WB_OK;
}

/* Which sides of the choices a path takes, window by window. */
struct choice_reader {
    const struct trace_reader *trace;
    struct acta_record *record;
    uint32_t *choice_of;  /* per CFG block: the choice at its end, or ACTA_NONE */
    uint32_t *barriers;   /* per CFG block: that are in it */
    uint64_t (*times)[2]; /* per choice: in the window at hand */
    uint64_t window;
    uint32_t previous; /* CFG block executed before, or GRAPH_NONE */
};

/* The window ends: what was taken in it goes to the record. */
static wb_status end_window(struct choice_reader *reader) {
    const uint32_t choices = (uint32_t)reader->trace->cta->warp.choices.count;
    for (uint32_t c = 0; c < choices; c++) {
        uint64_t *times = reader->times[c];
        if (times[0] == 0 && times[1] == 0) continue;
        const struct acta_taken taken = {(uint32_t)reader->window, c, {times[0], times[1]}};
        WB_TRY(vec_push(&reader->record->items, taken));
        times[0] = times[1] = 0;
    }
    return WB_OK;
}

/* The side of a branch that was taken when `block` is executed behind it: an empty one where it is the first
 * block of neither, since threads that wait where sides of a divergent branch meet let others go on. */
static uint32_t side_taken(const struct acta_node *branch, uint32_t block) {
    for (uint32_t side = 0; side < 2; side++)
        if (branch->side[side] != ACTA_NONE && branch->side_block[side] == block) return side;
    return branch->side[0] == ACTA_NONE ? 0 : 1;
}

/* A warp begins to execute a block, by a side of the branch before it. */
static wb_status read_choice(struct choice_reader *reader, uint32_t block) {
    const struct acta_warp *warp = &reader->trace->cta->warp;
    const uint32_t choice = reader->previous == GRAPH_NONE ? ACTA_NONE : reader->choice_of[reader->previous];
    if (choice != ACTA_NONE) {
        const struct acta_node *branch = &warp->nodes.items[warp->choices.items[choice]];
        reader->times[choice][side_taken(branch, block)]++;
    }
    reader->previous = block;
    if (reader->barriers[block] == 0) return WB_OK;
    WB_TRY(end_window(reader));
    reader->window += reader->barriers[block];
    return reader->window < UINT32_MAX ? WB_OK : WB_ERR_LIMIT;
}

/* Reads a path with all its repetitions. */
static wb_status read_choices(struct choice_reader *reader, const struct path *path) {
    const struct cfg *cfg = &reader->trace->flow->cfg;
    struct path_cursor cursor = path_begin(path);
    reader->previous = GRAPH_NONE;
    reader->window = 0;
    for (; path_next_run(&cursor); cursor.left = 0) {
        uint32_t i = cursor.instruction - reader->trace->first_inst;
        if (i >= cfg->function->inst_count) continue;
        for (uint32_t end = i + cursor.left; i < end;) {
            const uint32_t block = cfg->block_of[i];
            if (i == cfg->blocks[block].first) WB_TRY(read_choice(reader, block));
            i = cfg->blocks[block].first + cfg->blocks[block].count;
        }
    }
    return end_window(reader);
}

/* Where the choices and the barriers are. */
static void find_choices(struct choice_reader *reader) {
    const struct cfg *cfg = &reader->trace->flow->cfg;
    const struct wb_block *block = reader->trace->block;
    const struct acta_warp *warp = &reader->trace->cta->warp;
    for (uint32_t b = 0; b < cfg->block_count; b++) {
        reader->choice_of[b] = ACTA_NONE;
        for (uint32_t i = cfg->blocks[b].first; i < cfg->blocks[b].first + cfg->blocks[b].count; i++)
            reader->barriers[b] += barrier_scope_of(cfg->function, &cfg->function->insts[i], block->size,
                                                    block->warp_width) != BARRIER_NONE;
    }
    for (uint32_t c = 0; c < warp->choices.count; c++)
        reader->choice_of[warp->nodes.items[warp->choices.items[c]].block] = c;
}

/* The records of all paths. */
static wb_status keep_choices(struct trace_reader *trace) {
    const struct wb_block *block = trace->block;
    const size_t blocks = (size_t)trace->flow->cfg.block_count + 1;
    struct acta_group *cta = trace->cta;
    struct choice_reader reader = {.trace = trace};
    reader.choice_of = arena_array(&trace->arena, blocks, sizeof *reader.choice_of);
    reader.barriers = arena_array(&trace->arena, blocks, sizeof *reader.barriers);
    reader.times = arena_array(&trace->arena, cta->warp.choices.count + 1, sizeof *reader.times);
    cta->records = calloc(block->paths.count + 1, sizeof *cta->records);
    cta->record_of = calloc((size_t)cta->warp_count + 1, sizeof *cta->record_of);
    if (reader.choice_of == NULL || reader.barriers == NULL || reader.times == NULL || cta->records == NULL ||
        cta->record_of == NULL)
        return WB_ERR_LIMIT;
    find_choices(&reader);
    cta->record_count = (uint32_t)block->paths.count;
    memcpy(cta->record_of, block->warp_path, cta->warp_count * sizeof *cta->record_of);
    for (size_t p = 0; p < block->paths.count; p++) {
        reader.record = &cta->records[p];
        WB_TRY(read_choices(&reader, &block->paths.items[p]));
    }
    return WB_OK;
}

static wb_status read_paths(struct trace_reader *reader) {
    const struct wb_block *block = reader->block;
    for (size_t p = 0; p < block->paths.count; p++) {
        read_path(reader, &block->paths.items[p]);
        for (uint32_t w = 0; w < block->warp_count; w++) {
            if (block->warp_path[w] != p) continue;
            for (uint32_t l = 0; l < reader->cta->warp.loops.count; l++)
                WB_TRY(keep_loop(reader, l, w));
            for (uint32_t g = 0; g < reader->cta->warp.guards.count; g++)
                WB_TRY(keep_guard(reader, g, w));
        }
    }
    return WB_OK;
}

/* Reads the paths with room for the counts. */
static wb_status read_counts(struct trace_reader *reader) {
    const struct kernel_flow *flow = reader->flow;
    reader->first_inst = reader->block->code_first[reader->block->kernel->function];
    reader->runs = arena_array(&reader->arena, (size_t)flow->loops.count + 1, sizeof *reader->runs);
    reader->executions =
        arena_array(&reader->arena, (size_t)flow->cfg.block_count + 1, sizeof *reader->executions);
    reader->entries = arena_array(&reader->arena, (size_t)flow->cfg.block_count + 1, sizeof *reader->entries);
    size_t counters = PATH_DEPTH_MAX * (2 * (size_t)flow->cfg.block_count + flow->loops.count);
    reader->before = arena_array(&reader->arena, counters + 1, sizeof *reader->before);
    wb_status status = acta_group_allocate(reader->cta, reader->block->warp_count);
    if (status != WB_OK || reader->runs == NULL || reader->executions == NULL || reader->entries == NULL ||
        reader->before == NULL)
        status = diagnose_out_of_memory(reader->diagnostics, wb_kernel_name(reader->block->kernel));
    if (status == WB_OK) status = read_paths(reader);
    if (status == WB_OK && reader->cta->warp.keeps_choices && keep_choices(reader) != WB_OK)
        status = diagnose_out_of_memory(reader->diagnostics, wb_kernel_name(reader->block->kernel));
    arena_free(&reader->arena);
    return status;
}

wb_status acta_group_of_block(const struct wb_block *block, bool choices, wb_diagnostics *diagnostics,
                              struct acta_group *cta) {
    *cta = (struct acta_group){.warp = {.first = ACTA_NONE}, .maybe_executed = block->covering};
    const struct acta_threads threads = {{block->size[0], block->size[1], block->size[2]}, block->warp_width};
    struct kernel_flow flow;
    wb_status status = kernel_flow_make(block->kernel, diagnostics, &flow);
    if (status == WB_OK) status = acta_warp_of_kernel(&flow, &threads, choices, diagnostics, &cta->warp);
    struct trace_reader reader = {.block = block, .flow = &flow, .diagnostics = diagnostics, .cta = cta};
    if (status == WB_OK) status = read_counts(&reader);
    kernel_flow_free(&flow);
    return status;
}
