#include "bound/search/search_model.h"

#include <assert.h>
#include <stdlib.h>

#include "warp/timed/timed.h"

#define NO_WRITER UINT32_MAX

/* Scratch while one path is written out. */
struct search_reader {
    const struct timed_block *block;
    struct search_program *program;
    uint32_t *path;              /* per position its index into the block's code */
    uint32_t *writer;            /* per register the position of its last write, or NO_WRITER */
    struct queue_members queues; /* of what was read so far */
    uint32_t *last_use;          /* per position the last position that waits for its result, itself: none */
    VEC(uint32_t) awaited;       /* the positions that the one at hand waits for */
};

static const struct timed_inst *reader_inst(const struct search_reader *reader, uint32_t position) {
    return &reader->block->code.insts[reader->path[position]];
}

/* Finds the positions that the instruction at `position` waits for: those that wrote its sources and, as
 * results must not overtake each other, its destinations, and what it waits for in queues. */
static wb_status find_awaited(struct search_reader *reader, uint32_t position) {
    const struct timed_inst *inst = reader_inst(reader, position);
    const uint32_t *operands = reader->block->code.operands + inst->first_operand;
    reader->awaited.count = 0;
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++) {
        const uint32_t writer = reader->writer[operands[i]];
        if (writer != NO_WRITER) WB_TRY(vec_push(&reader->awaited, writer));
        WB_TRY(queue_members_take(&reader->queues, &reader->block->code, operands[i]));
        for (size_t t = 0; t < reader->queues.taken.count; t++)
            WB_TRY(vec_push(&reader->awaited, reader->queues.taken.items[t]));
    }
    return WB_OK;
}

static wb_status reader_write(struct search_reader *reader, uint32_t position) {
    const struct timed_inst *inst = reader_inst(reader, position);
    const uint32_t *written = reader->block->code.operands + inst->first_operand + inst->source_count;
    for (uint32_t i = 0; i < inst->destination_count; i++)
        reader->writer[written[i]] = position;
    return queue_members_note(&reader->queues, &reader->block->code, inst, position);
}

static void reader_forget(struct search_reader *reader) {
    for (uint32_t r = 0; r < reader->block->code.register_count; r++)
        reader->writer[r] = NO_WRITER;
    queue_members_clear(&reader->queues);
}

static wb_status find_last_uses(struct search_reader *reader) {
    reader_forget(reader);
    for (uint32_t p = 0; p < reader->program->count; p++) {
        reader->last_use[p] = p;
        WB_TRY(find_awaited(reader, p));
        for (size_t a = 0; a < reader->awaited.count; a++)
            reader->last_use[reader->awaited.items[a]] = p;
        WB_TRY(reader_write(reader, p));
    }
    return WB_OK;
}

/* The live results at each position, oldest first; each instruction says which of them it waits for and which
 * stay live behind it. */
static wb_status number_live_results(struct search_reader *reader) {
    uint32_t live[SEARCH_LIVE_MAX + 1];
    uint32_t live_count = 0;
    reader_forget(reader);
    for (uint32_t p = 0; p < reader->program->count; p++) {
        struct search_inst *inst = &reader->program->insts[p];
        WB_TRY(find_awaited(reader, p));
        for (size_t a = 0; a < reader->awaited.count; a++)
            for (uint32_t l = 0; l < live_count; l++)
                if (live[l] == reader->awaited.items[a]) inst->waits |= UINT32_C(1) << l;
        uint32_t kept = 0;
        for (uint32_t l = 0; l < live_count; l++) {
            if (reader->last_use[live[l]] <= p) continue;
            inst->keeps |= UINT32_C(1) << l;
            live[kept++] = live[l];
        }
        inst->is_live = reader->last_use[p] > p;
        if (inst->is_live) live[kept++] = p;
        if (kept > SEARCH_LIVE_MAX) return WB_ERR_DECLINED;
        live_count = kept;
        WB_TRY(reader_write(reader, p));
    }
    return WB_OK;
}

/* What is behind and before each position. An instruction with a unit takes a cycle to issue, unless a warp
 * can issue several. */
static void fill_positions(struct search_program *program, bool one_a_cycle) {
    for (uint32_t p = 0; p < program->count; p++)
        program->barriers_before[p + 1] = program->barriers_before[p] + program->insts[p].barrier;
    for (uint32_t p = program->count; p-- > 0;) {
        const struct search_inst *inst = &program->insts[p];
        const bool has_unit = inst->unit != UNIT_NONE;
        const uint32_t own = inst->init + inst->latency;
        const uint32_t rest = program->shortest_rest[p + 1] + (has_unit && one_a_cycle);
        program->units_left[p] = program->units_left[p + 1] | (has_unit ? UINT32_C(1) << inst->unit : 0);
        program->shortest_rest[p] = own > rest ? own : rest;
    }
}

static wb_status reader_prepare(struct search_reader *reader, const struct path *path, struct arena *arena) {
    struct search_program *program = reader->program;
    const size_t count = (size_t)path->length + 1;
    program->insts = arena_array(arena, count, sizeof *program->insts);
    program->barriers_before = arena_array(arena, count, sizeof *program->barriers_before);
    program->units_left = arena_array(arena, count, sizeof *program->units_left);
    program->shortest_rest = arena_array(arena, count, sizeof *program->shortest_rest);
    reader->path = arena_array(arena, count, sizeof *reader->path);
    reader->last_use = arena_array(arena, count, sizeof *reader->last_use);
    reader->writer =
        arena_array(arena, (size_t)reader->block->code.register_count + 1, sizeof *reader->writer);
    if (program->insts == NULL || program->barriers_before == NULL || program->units_left == NULL ||
        program->shortest_rest == NULL || reader->path == NULL || reader->last_use == NULL ||
        reader->writer == NULL)
        return WB_ERR_LIMIT;
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    while (path_next(&cursor, &step)) {
        const struct timed_inst *inst = &reader->block->code.insts[step.instruction];
        program->insts[program->count] = (struct search_inst){
            .unit = inst->unit, .barrier = inst->barrier, .init = inst->init, .latency = inst->latency};
        reader->path[program->count++] = step.instruction;
    }
    return WB_OK;
}

/* Writes out the path number `path`. WB_ERR_DECLINED without a message when it is too long or has too many
 * live results or units; WB_ERR_LIMIT when memory is exhausted. */
static wb_status make_program(const struct timed_block *block, uint32_t path, struct arena *arena,
                              struct search_program *program) {
    *program = (struct search_program){0};
    if (block->paths[path].length > SEARCH_PROGRAM_MAX || block->machine->unit_count > 32)
        return WB_ERR_DECLINED;
    struct search_reader reader = {.block = block, .program = program};
    wb_status status = reader_prepare(&reader, &block->paths[path], arena);
    if (status == WB_OK) status = find_last_uses(&reader);
    if (status == WB_OK) status = number_live_results(&reader);
    if (status == WB_OK) fill_positions(program, block->machine->issue_per_warp <= 1);
    queue_members_free(&reader.queues);
    vec_free(&reader.awaited);
    return status;
}

double search_positions(const struct timed_block *block) {
    const uint32_t sub_cores = block->machine->sub_cores;
    double positions = 1;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        uint32_t warps = 1; /* with those before it that can be exchanged with it */
        for (uint32_t v = w % sub_cores; v < w; v += sub_cores)
            warps += block->warp_path[v] == block->warp_path[w];
        positions *= ((double)block->paths[block->warp_path[w]].length + warps) / warps;
    }
    return positions;
}

const char *search_units_objection(const struct wb_machine *machine) {
    if (machine->unit_count > SEARCH_UNITS_MAX) return "the search covers at most 16 units";
    if (machine->sub_cores > SEARCH_SUB_CORES_MAX) return "the search covers SMs of at most 16 sub-cores";
    for (uint32_t u = 0; u < machine->unit_count; u++)
        if (machine->units[u].count > SEARCH_INSTANCES_MAX)
            return "the search covers at most 4 instances of a unit";
    if (machine->dispatch_depth > SEARCH_DEPTH_MAX && machine->dispatch_depth != DEPTH_UNLIMITED)
        return "the search covers dispatch depths 0 to 8 and unlimited";
    return NULL;
}

static int rising(const void *a, const void *b) {
    const struct search_place *first = a, *second = b;
    if (first->sub_core != second->sub_core) return (int)first->sub_core - (int)second->sub_core;
    return (int)first->path - (int)second->path;
}

/* Writes out a class of blocks, its programs behind those of the classes before it. */
static wb_status add_class(const struct search_blocks *blocks, struct arena *arena,
                           struct search_model *model) {
    const struct timed_block *block = blocks->timed;
    const uint32_t first = model->program_count;
    struct search_class *made = &model->classes[model->class_count++];
    assert(block->warp_count <= SEARCH_WARPS_MAX);
    *made = (struct search_class){.blocks = (uint32_t)blocks->count, .warps = block->warp_count};
    if (model->slot_warps < made->warps) model->slot_warps = made->warps;
    for (uint32_t p = 0; p < block->path_count; p++)
        WB_TRY(make_program(block, p, arena, &model->programs[model->program_count++]));
    made->places = arena_array(arena, (size_t)block->warp_count + 1, sizeof *made->places);
    if (made->places == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        made->places[w].sub_core = (uint16_t)(w % model->machine->sub_cores);
        made->places[w].path = (uint16_t)(first + block->warp_path[w]);
        made->units |= model->programs[made->places[w].path].units_left[0];
    }
    qsort(made->places, made->warps, sizeof *made->places, rising);
    made->first_of = arena_array(arena, (size_t)model->machine->sub_cores + 1, sizeof *made->first_of);
    if (made->first_of == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < made->warps; w++)
        made->first_of[made->places[w].sub_core + 1]++;
    for (uint32_t c = 0; c < model->machine->sub_cores; c++)
        made->first_of[c + 1] += made->first_of[c];
    return WB_OK;
}

wb_status search_model_make(const struct wb_machine *machine, const struct search_blocks *blocks,
                            size_t count, struct arena *arena, struct search_model *model) {
    *model = (struct search_model){.machine = machine};
    size_t programs = 0;
    assert(search_units_objection(machine) == NULL && count <= SEARCH_CLASSES_MAX);
    for (size_t c = 0; c < count; c++)
        programs += blocks[c].timed->path_count;
    if (programs > UINT16_MAX) return WB_ERR_DECLINED;
    model->programs = arena_array(arena, programs + 1, sizeof *model->programs);
    model->classes = arena_array(arena, count + 1, sizeof *model->classes);
    if (model->programs == NULL || model->classes == NULL) return WB_ERR_LIMIT;
    for (size_t c = 0; c < count; c++)
        WB_TRY(add_class(&blocks[c], arena, model));
    return WB_OK;
}
