#include "memory/data_waits.h"

#include "base/key_table.h"

/* A path being read with the accesses of a stream. */
struct wait_reader {
    const struct wb_grid *grid;
    const struct timed_code *code;
    const struct access_stream *stream;
    struct data_wait *waits;
    uint32_t *pending; /* per register 1 + the access whose data it waits for, or 0 */
    uint32_t access;   /* the next one of the stream */
    uint32_t phase;
    uint32_t perhaps; /* the next stretch of steps that are perhaps not executed */
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
    while (reader->perhaps < stream->perhaps_count && stream->perhaps[reader->perhaps].end <= step)
        reader->perhaps++;
    return reader->perhaps == stream->perhaps_count || step < stream->perhaps[reader->perhaps].first;
}

/* Goes over one step of the path, which may be accesses of the stream. */
static void read_step(struct wait_reader *reader, uint64_t step, uint32_t instruction) {
    const struct timed_inst *inst = &reader->code->insts[instruction];
    const uint32_t *destinations = reader->code->operands + inst->first_operand + inst->source_count;
    const bool sure = is_sure(reader, step);
    /* Where a step is perhaps not executed, what is written before it is waited for at the latest by the next
     * one that surely is: if it is executed and writes the same register, it has waited itself. */
    if (sure) wait_for_registers(reader, inst);
    for (; reader->access < reader->stream->access_count &&
           reader->stream->accesses[reader->access].step == step;
         reader->access++) {
        for (uint32_t i = 0; sure && i < inst->destination_count; i++)
            reader->pending[destinations[i]] = reader->access + 1;
    }
    reader->phase += reader->grid->is_barrier[instruction];
}

static void read_path(struct wait_reader *reader, const struct path *path) {
    for (uint32_t a = 0; a < reader->stream->access_count; a++)
        reader->waits[a] = (struct data_wait){NEVER_WAITED, NEVER_WAITED};
    for (uint32_t r = 0; r < reader->code->register_count; r++)
        reader->pending[r] = 0;
    reader->access = reader->phase = reader->perhaps = 0;
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    for (uint64_t at = 0; path_next(&cursor, &step); at++)
        read_step(reader, at, step.instruction);
}

/* The waits of a path with a stream, old or new: rows of the table. */
static wb_status find_row(struct wait_reader *reader, const struct shape_warp *warp, struct key_table *table,
                          struct arena *arena, struct wait_row *rows, size_t row) {
    uint32_t key[2] = {warp->path, warp->stream}, hash, known;
    if (key_table_find(table, (const uint8_t *)key, sizeof key, &hash, &known)) {
        rows[row] = rows[known];
        return WB_OK;
    }
    reader->stream = &reader->grid->streams.items[warp->stream];
    reader->waits = arena_array(arena, (size_t)reader->stream->access_count + 1, sizeof *reader->waits);
    const uint8_t *kept = key_table_keep(table, (const uint8_t *)key, sizeof key);
    if (reader->waits == NULL || kept == NULL || row > UINT32_MAX) return WB_ERR_LIMIT;
    read_path(reader, &reader->grid->paths.items[warp->path]);
    rows[row].waits = reader->waits;
    return key_table_insert(table, kept, hash, (uint32_t)row);
}

wb_status data_waits_make(const struct wb_grid *grid, const struct timed_code *code, struct arena *arena,
                          struct data_waits *waits) {
    waits->warp_count = grid->warp_count;
    waits->rows = arena_array(arena, grid->shapes.count * grid->warp_count + 1, sizeof *waits->rows);
    struct key_table table = {0};
    struct arena scratch = {0};
    struct wait_reader reader = {.grid = grid, .code = code};
    reader.pending = arena_array(&scratch, (size_t)code->register_count + 1, sizeof *reader.pending);
    wb_status status = waits->rows == NULL || reader.pending == NULL ? WB_ERR_LIMIT : WB_OK;
    for (size_t row = 0; row < grid->shapes.count * grid->warp_count && status == WB_OK; row++) {
        const struct shape_warp *warp =
            &grid->shapes.items[row / grid->warp_count].warps[row % grid->warp_count];
        status = find_row(&reader, warp, &table, arena, waits->rows, row);
    }
    key_table_free(&table);
    arena_free(&scratch);
    return status;
}
