#include "memory/requests/requests.h"

#include <stdlib.h>
#include <string.h>

#include "warp/trace/blocks.h"

/* Paths that may be too long. */
#define LONG_PATH (UINT64_C(1) << 24)

static wb_status make_code(struct timed_grid *timed, wb_diagnostics *diagnostics) {
    const struct wb_grid *grid = timed->grid;
    bool *used =
        executed_instructions(grid->paths.items, grid->paths.count, grid->instruction_count, &timed->arena);
    if (used == NULL) return diagnose_out_of_memory(diagnostics, wb_kernel_name(grid->kernel));
    const struct executed_code executed = {
        grid->kernel, grid->code_first,     grid->block_size, grid->warp_width,
        used,         &grid->cover.objects, &grid->notes};
    return timed_code_from(&executed, timed->machine, diagnostics, &timed->arena, &timed->code);
}

/* Gives the code an entry for each cost of an instruction, on a machine that times machine code. */
static void make_variants(void *context) {
    struct timed_grid *timed = context;
    struct arena scratch = {0};
    arena_bind(&scratch, &timed->arena);
    struct code_variants variants = code_variants_begin(timed->machine, &timed->code, &scratch);
    for (size_t p = 0; p < timed->traffic.patterns.count; p++) {
        struct traffic_pattern *pattern = &timed->traffic.patterns.items[p];
        pattern->entries =
            arena_array(&timed->arena, (size_t)pattern->access_count + 1, sizeof *pattern->entries);
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            const uint32_t instruction = pattern->accesses[a].instruction;
            const struct execution_cost of_class = code_variant_cost(&variants, instruction);
            const struct execution_cost cost = {.counts = pattern->counts[a]};
            if (a > 0 && pattern->accesses[a].step == pattern->accesses[a - 1].step) continue;
            if (variants.newest[instruction] == NO_VARIANT)
                (void)code_variant_of(&variants, instruction, &of_class);
            const uint32_t variant = code_variant_of(&variants, instruction, &cost);
            pattern->entries[a] = variants.items.items[variant].entry;
        }
    }
    code_variants_apply(&variants, &timed->arena);
    arena_free(&scratch);
}

/* Takes requests, and what they fill, of another grid. The entries of the code will be its own. */
static wb_status take_requests(const struct timed_grid *like, struct timed_grid *timed) {
    const struct traffic *from = &like->traffic;
    const size_t count = from->patterns.count;
    struct traffic *made = &timed->traffic;
    struct traffic_pattern *patterns = arena_array(&timed->arena, count + 1, sizeof *patterns);
    if (patterns == NULL) return WB_ERR_LIMIT;
    if (count > 0) memcpy(patterns, from->patterns.items, count * sizeof *patterns);
    *made = *from;
    made->arena = (struct arena){0};
    made->machine = timed->machine;
    made->patterns.items = patterns;
    timed_grid_take_fills(timed, like);
    return WB_OK;
}

wb_status timed_grid_make_like(const struct wb_grid *grid, const struct wb_machine *machine,
                               const struct timed_grid *like, wb_diagnostics *diagnostics,
                               struct timed_grid *timed) {
    *timed = (struct timed_grid){.grid = grid, .machine = machine};
    WB_TRY(wb_machine_check(machine, diagnostics));
    WB_TRY(grid_decline_clusters(grid, diagnostics));
    if (like == NULL)
        WB_TRY(traffic_make(grid, machine, diagnostics, &timed->traffic));
    else if (take_requests(like, timed) != WB_OK)
        return diagnose_out_of_memory(diagnostics, machine->name);
    WB_TRY(timed_grid_decide_fills(timed, diagnostics));
    WB_TRY(make_code(timed, diagnostics));
    if (!request_models[machine_isa(machine)].counts ||
        arena_protect(&timed->arena, make_variants, timed) == WB_OK)
        return WB_OK;
    return diagnose_out_of_memory(diagnostics, machine->name);
}

wb_status timed_grid_make(const struct wb_grid *grid, const struct wb_machine *machine,
                          wb_diagnostics *diagnostics, struct timed_grid *timed) {
    return timed_grid_make_like(grid, machine, NULL, diagnostics, timed);
}

void timed_grid_free(struct timed_grid *timed) {
    traffic_free(&timed->traffic);
    arena_free(&timed->arena);
}

/* Bytes that a lane accesses. */
#define MEMORY_WORD_BYTES 4u

/* Room for the block at hand: what grid_add_block takes. */
struct block_room {
    struct path *paths;
    struct access_list *accesses;
};

/* Warps of the largest block. */
static uint32_t most_warps(const struct synthetic_block *block) {
    uint32_t most = 0;
    for (size_t k = 0; k < block->classes.count; k++) {
        uint32_t warps = block->classes.items[k].timed.warp_count;
        most = warps > most ? warps : most;
    }
    return most;
}

/* Which instructions are barriers, and where the code begins. */
static wb_status number_code(const struct timed_code *code, struct wb_grid *grid) {
    grid->instruction_count = code->inst_count;
    grid->code_first = arena_array(&grid->arena, 2, sizeof *grid->code_first);
    grid->is_barrier = arena_array(&grid->arena, (size_t)code->inst_count + 1, sizeof *grid->is_barrier);
    if (grid->code_first == NULL || grid->is_barrier == NULL) return WB_ERR_LIMIT;
    grid->code_first[1] = code->inst_count;
    for (uint32_t i = 0; i < code->inst_count; i++)
        grid->is_barrier[i] = code->insts[i].barrier;
    return WB_OK;
}

/* The requests of a warp: each instruction of the memory unit makes one a lane, as many as it keeps the unit
 * cycles. Nothing is known of addresses, and without caches they do not matter. */
static wb_status add_accesses(const struct synthetic_block *block, const struct path *path,
                              struct access_list *list) {
    struct path_cursor cursor = path_begin(path);
    struct path_step at;
    for (uint64_t step = 0; path_next(&cursor, &at); step++) {
        const struct timed_inst *inst = &block->timed.code.insts[at.instruction];
        if (inst->unit == UNIT_NONE || inst->unit != block->memory_unit) continue;
        const struct access access = {.step = step,
                                      .stride = MEMORY_LINE_BYTES,
                                      .instruction = at.instruction,
                                      .mask = (uint32_t)((UINT64_C(1) << inst->init) - 1),
                                      .table = ACCESS_AFFINE,
                                      .bytes = MEMORY_WORD_BYTES,
                                      .space = PTX_SPACE_GLOBAL};
        WB_TRY(vec_push(&list->items, access));
    }
    return WB_OK;
}

/* Adds a block; a block with fewer warps than the largest has some that execute nothing. */
static wb_status add_block(const struct synthetic_block *block, const struct timed_block *timed,
                           struct block_room *room, struct wb_grid *grid) {
    for (uint32_t w = 0; w < grid->warp_count; w++)
        room->accesses[w].items.count = 0;
    for (uint32_t w = 0; w < timed->warp_count; w++) {
        const struct path *path = &timed->paths[timed->warp_path[w]];
        WB_TRY(add_accesses(block, path, &room->accesses[w]));
        WB_TRY(path_copy(path, &room->paths[w]));
    }
    return grid_add_block(grid, room->paths, room->accesses);
}

/* Some of the blocks: `count` of each kind from `first` on, before `end`; 0: as many as there are. */
struct block_choice {
    size_t first, end;
    uint32_t count;
};

static wb_status add_blocks(const struct synthetic_block *block, const struct block_choice *choice,
                            struct wb_grid *grid) {
    struct block_room room = {.paths = calloc((size_t)grid->warp_count + 1, sizeof *room.paths),
                              .accesses = calloc((size_t)grid->warp_count + 1, sizeof *room.accesses)};
    wb_status status = room.paths == NULL || room.accesses == NULL ? WB_ERR_LIMIT : WB_OK;
    for (size_t k = choice->first; k < choice->end; k++) {
        const uint32_t count = choice->count != 0 ? choice->count : block->classes.items[k].count;
        for (uint32_t b = 0; status == WB_OK && b < count; b++)
            status = add_block(block, &block->classes.items[k].timed, &room, grid);
    }
    for (uint32_t w = 0; room.paths != NULL && w < grid->warp_count; w++)
        path_free(&room.paths[w]);
    for (uint32_t w = 0; room.accesses != NULL && w < grid->warp_count; w++)
        vec_free(&room.accesses[w].items);
    free(room.paths);
    free(room.accesses);
    return status;
}

static wb_status fill(const struct synthetic_block *block, const struct block_choice *choice,
                      struct wb_grid *grid) {
    grid->warp_count = most_warps(block);
    grid->warp_width = MACHINE_WARP_WIDTH;
    grid->block_size[0] = grid->warp_count * MACHINE_WARP_WIDTH;
    grid->block_size[1] = grid->block_size[2] = 1;
    WB_TRY(number_code(&block->timed.code, grid));
    WB_TRY(add_blocks(block, choice, grid));
    grid->dimensions[0] = (uint32_t)grid->blocks.count;
    grid->dimensions[1] = grid->dimensions[2] = 1;
    return WB_OK;
}

static wb_status make(const struct synthetic_block *block, const struct block_choice *choice,
                      wb_diagnostics *diagnostics, struct wb_grid *grid, struct timed_grid *timed) {
    *grid = (struct wb_grid){0};
    *timed = (struct timed_grid){.grid = grid, .machine = &block->machine, .code = block->timed.code};
    if (fill(block, choice, grid) != WB_OK) return diagnose_out_of_memory(diagnostics, block->machine.name);
    return traffic_make(grid, timed->machine, diagnostics, &timed->traffic);
}

wb_status synthetic_grid_make(const struct synthetic_block *block, wb_diagnostics *diagnostics,
                              struct wb_grid *grid, struct timed_grid *timed) {
    return make(block, &(struct block_choice){0, block->classes.count, 0}, diagnostics, grid, timed);
}

wb_status synthetic_grid_make_block(const struct synthetic_block *block, size_t kind,
                                    wb_diagnostics *diagnostics, struct wb_grid *grid,
                                    struct timed_grid *timed) {
    return make(block, &(struct block_choice){kind, kind + 1, 1}, diagnostics, grid, timed);
}

/* The instructions of a body; 0 where one of them is a barrier, or of a queue. */
static uint64_t quiet_length(const struct timed_code *code, const struct path_fold *fold) {
    struct path_runs runs = path_runs_of_body(fold);
    struct path_entry run;
    uint64_t length = 0;
    for (uint64_t times; path_runs_next(&runs, &run, &times); length += run.count * times)
        for (uint32_t i = run.first; i < run.first + run.count; i++)
            if (code->insts[i].barrier || (code->insts[i].joins | code->insts[i].commits) != 0) return 0;
    return length;
}

bool fold_is_quiet(const struct path_place *place, const struct path_fold *fold, uint64_t *length) {
    const struct access_stream *stream = place->stream;
    *length = quiet_length(place->code, fold) * fold->repetitions;
    uint32_t maybe = place->maybe_executed;
    while (maybe < stream->maybe_count && stream->maybe_executed[maybe].end <= place->step)
        maybe++;
    const uint64_t end = place->step + *length;
    return *length > 0 && place->access_step >= end &&
           (maybe == stream->maybe_count || stream->maybe_executed[maybe].first >= end);
}

/* The steps of a warp that readers walk one by one: not the repetitions of quiet folds. */
static uint64_t walked_steps(const struct timed_grid *timed, const struct shape_warp *warp) {
    const struct access_stream *stream = &timed->grid->streams.items[warp->stream];
    struct path_cursor cursor = path_begin(&timed->grid->paths.items[warp->path]);
    struct path_place place = {.code = &timed->code, .stream = stream};
    uint64_t walked = 0, length;
    for (uint32_t access = 0; walked <= WALKED_MAX && path_next_run(&cursor);) {
        struct path_fold fold;
        walked += cursor.left;
        place.step += cursor.left;
        cursor.left = 0;
        while (access < stream->access_count && stream->accesses[access].step < place.step)
            access++;
        place.access_step = access < stream->access_count ? stream->accesses[access].step : UINT64_MAX;
        for (; path_at_fold(&cursor, &fold) && fold_is_quiet(&place, &fold, &length); place.step += length)
            path_skip_fold(&cursor);
    }
    return walked;
}

wb_status timed_grid_decline_long(const struct timed_grid *timed, wb_diagnostics *diagnostics) {
    const struct wb_grid *grid = timed->grid;
    uint64_t walked = 0;
    for (size_t s = 0; s < grid->shapes.count && walked <= WALKED_MAX; s++)
        for (uint32_t w = 0; w < grid->warp_count && walked <= WALKED_MAX; w++) {
            const struct shape_warp *warp = &grid->shapes.items[s].warps[w];
            if (grid->paths.items[warp->path].length > LONG_PATH) walked += walked_steps(timed, warp);
        }
    if (walked <= WALKED_MAX) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, timed->machine->name,
             "warps execute too many instructions to count the requests of each");
    return WB_ERR_DECLINED;
}

/* A path being read with the accesses of a stream. */
struct wait_reader {
    const struct wb_grid *grid;
    const struct timed_code *code;
    const struct access_stream *stream;
    struct data_wait *waits;
    uint32_t *pending; /* per register 1 + the access whose data it waits for, or 0 */
    uint32_t access;   /* the next one of the stream */
    uint32_t phase;
    uint32_t maybe_executed; /* the next stretch of steps that are only maybe executed */
};

/* Notes that the instruction waits for what its registers wait for. */
static void wait_for_registers(struct wait_reader *reader, const struct timed_inst *inst) {
    const uint32_t *operands = reader->code->operands + inst->first_operand;
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++) {
        uint32_t *pending = &reader->pending[operands[i]];
        if (*pending == 0) continue;
        struct data_wait *wait = &reader->waits[*pending - 1];
        if (wait->phase == NEVER_WAITED) *wait = (struct data_wait){reader->access, reader->phase};
        *pending = 0;
    }
}

/* Whether a step is surely executed. Steps are asked for in order. */
static bool is_sure(struct wait_reader *reader, uint64_t step) {
    const struct access_stream *stream = reader->stream;
    while (reader->maybe_executed < stream->maybe_count &&
           stream->maybe_executed[reader->maybe_executed].end <= step)
        reader->maybe_executed++;
    return reader->maybe_executed == stream->maybe_count ||
           step < stream->maybe_executed[reader->maybe_executed].first;
}

/* Goes over one step of the path, which may be accesses of the stream. */
static void read_step(struct wait_reader *reader, uint64_t step, uint32_t instruction) {
    const struct timed_inst *inst = &reader->code->insts[instruction];
    const uint32_t *destinations = reader->code->operands + inst->first_operand + inst->source_count;
    const bool sure = is_sure(reader, step);
    /* If a step is only maybe executed, the next sure step at the latest waits for what is written before it:
     * a step that is executed and writes the same register has waited itself. */
    if (sure) wait_for_registers(reader, inst);
    for (; reader->access < reader->stream->access_count &&
           reader->stream->accesses[reader->access].step == step;
         reader->access++) {
        for (uint32_t i = 0; sure && i < inst->destination_count; i++)
            reader->pending[destinations[i]] = reader->access + 1;
    }
    reader->phase += reader->grid->is_barrier[instruction];
}

/* Takes the cursor behind a quiet fold whose body was read: its other repetitions wait for nothing more.
 * Returns their steps. */
static uint64_t skip_quiet(const struct wait_reader *reader, struct path_cursor *cursor, uint64_t step) {
    const struct access_stream *stream = reader->stream;
    const struct path_place place = {.code = reader->code,
                                     .stream = stream,
                                     .step = step,
                                     .access_step = reader->access < stream->access_count
                                                        ? stream->accesses[reader->access].step
                                                        : UINT64_MAX,
                                     .maybe_executed = reader->maybe_executed};
    struct path_fold fold;
    uint64_t length = 0;
    if (!path_at_fold(cursor, &fold) || !fold_is_quiet(&place, &fold, &length)) return 0;
    path_skip_fold(cursor);
    return length;
}

static void read_path(struct wait_reader *reader, const struct path *path) {
    for (uint32_t a = 0; a < reader->stream->access_count; a++)
        reader->waits[a] = (struct data_wait){NEVER_WAITED, NEVER_WAITED};
    for (uint32_t r = 0; r < reader->code->register_count; r++)
        reader->pending[r] = 0;
    reader->access = reader->phase = reader->maybe_executed = 0;
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    for (uint64_t at = 0; path_next(&cursor, &step); at++) {
        read_step(reader, at, step.instruction);
        for (uint64_t length; (length = skip_quiet(reader, &cursor, at + 1)) > 0;)
            at += length;
    }
}

struct data_waits data_waits_make(const struct wb_grid *grid, const struct timed_code *code,
                                  struct arena *arena) {
    const size_t rows = grid->shapes.count * grid->warp_count;
    struct data_waits waits = {.warp_count = grid->warp_count,
                               .rows = arena_array(arena, rows, sizeof *waits.rows)};
    struct arena scratch = {0};
    struct number_table table = {.arena = &scratch}; /* of paths with streams */
    VEC(struct wait_row) known = {0};                /* by number */
    struct wait_reader reader = {.grid = grid, .code = code};
    arena_bind(&scratch, arena);
    reader.pending = arena_array(&scratch, code->register_count, sizeof *reader.pending);
    for (size_t row = 0; row < rows; row++) {
        const struct shape_warp *warp =
            &grid->shapes.items[row / grid->warp_count].warps[row % grid->warp_count];
        const uint32_t number = number_table_number(&table, (uint64_t)warp->path << 32 | warp->stream);
        if (number >= known.count) {
            reader.stream = &grid->streams.items[warp->stream];
            reader.waits = arena_array(arena, reader.stream->access_count, sizeof *reader.waits);
            read_path(&reader, &grid->paths.items[warp->path]);
            arena_push(&scratch, &known, ((struct wait_row){reader.waits}));
        }
        waits.rows[row] = known.items[number];
    }
    arena_free(&scratch);
    return waits;
}
