#include "bound/search/code_state.h"

#include "bound/sass/cold_lines.h"
#include "bound/search/search_state.h"

/* ---- Programs ------------------------------------------------------------------------------------------ */

struct code_maker {
    struct code_model *model;
    struct arena *arena;
};

static struct code_span at_most(const struct code_model *model, uint32_t least, uint32_t most) {
    if (!model->freedom.shorter || least > most) least = most;
    return (struct code_span){least, most};
}

static void make_inst(const struct code_model *model, const struct sass_timed *timed,
                      struct code_inst *inst) {
    const struct wb_machine *machine = model->machine;
    *inst = (struct code_inst){.timed = *timed,
                               .stall = {timed->stall_least, timed->stall},
                               .slot = at_most(model, 1, timed->slot),
                               .fetch = at_most(model, 0, timed->fetch),
                               .write = {timed->write_least, timed->write_most},
                               .read = {timed->read_least, timed->read_most}};
    if (timed->operand > 0) {
        inst->probe = machine->sass.constant_probe;
        if (inst->probe > timed->slot - 1) inst->probe = timed->slot - 1;
        inst->operand = at_most(model, 0, timed->operand);
    }
    for (uint32_t i = 0; i < timed->stage_count; i++) {
        inst->init[i] = at_most(model, 1, timed->stages[i].init);
        inst->transfer[i] = at_most(model, 0, timed->stages[i].transfer);
    }
    inst->starts_at_issue =
        timed->stage_count > 0 && (timed->fixed || machine->units[timed->stages[0].unit].queue == 0);
    const bool counts = timed->write_counter != SASS_NO_COUNTER || timed->read_counter != SASS_NO_COUNTER ||
                        timed->write_most > 0 || timed->read_most > 0;
    inst->on_its_way = counts || (timed->stage_count > 0 &&
                                  (!inst->starts_at_issue || timed->stage_count > 1 || timed->barrier));
}

static void make_awaited(const struct code_program *program) {
    uint8_t awaited = 0;
    for (uint32_t k = program->count + 1; k-- > 0;) {
        if (k < program->count) {
            const struct sass_timed *timed = &program->insts[k].timed;
            awaited |= timed->waits;
            if (timed->left_counter != SASS_NO_COUNTER) awaited |= (uint8_t)(1u << timed->left_counter);
        }
        program->awaited[k] = awaited;
    }
}

/* A path while it is written out. */
struct program_writer {
    struct path_cursor cursor;
    struct cold_path cold;
    struct path_step step; /* the next, if there is one */
    bool more;
    uint32_t missed; /* what keeps it back, as it was asked for in the section before */
};

static void write_inst(const struct code_maker *maker, struct program_writer *writer,
                       struct code_program *program) {
    const struct sass_timed *timed = &maker->model->block->code.sass[writer->step.instruction];
    struct sass_timed missed = *timed;
    if (maker->model->cold) (void)cold_executes(&writer->cold, timed, &missed);
    missed.fetch += writer->missed;
    writer->missed = 0;
    make_inst(maker->model, &missed, &program->insts[program->count++]);
}

/* Writes the instructions up to the next barrier; what is behind that is asked for. */
static void write_section(const struct code_maker *maker, struct program_writer *writer,
                          struct code_program *program) {
    bool is_barrier = false;
    while (writer->more && !is_barrier) {
        write_inst(maker, writer, program);
        is_barrier = program->insts[program->count - 1].timed.barrier;
        writer->more = path_next(&writer->cursor, &writer->step);
    }
    if (writer->more && maker->model->cold)
        writer->missed = cold_asks(&writer->cold, &maker->model->block->code.sass[writer->step.instruction]);
}

static void begin_program(const struct code_maker *maker, struct cold_block *cold, uint32_t p,
                          struct program_writer *writer) {
    const struct path *path = &maker->model->block->paths[p];
    struct code_program *program = &maker->model->programs[p];
    program->insts = arena_array(maker->arena, path->length + 1, sizeof *program->insts);
    program->awaited = arena_array(maker->arena, path->length + 1, sizeof *program->awaited);
    program->barriers = arena_array(maker->arena, path->length + 1, sizeof *program->barriers);
    writer->cursor = path_begin(path);
    writer->more = path_next(&writer->cursor, &writer->step);
    if (maker->model->cold && cold_path_init(&writer->cold, cold, maker->arena) != WB_OK)
        arena_fail(maker->arena, WB_ERR_LIMIT);
}

/* Writes all paths, a section of each at a time, as one warp's misses spare those of others behind barriers.
 */
static void write_programs(const struct code_maker *maker) {
    struct code_model *model = maker->model;
    const uint32_t count = model->block->path_count;
    struct program_writer *writers = arena_array(maker->arena, (size_t)count + 1, sizeof *writers);
    struct cold_block cold;
    bool more = count > 0;
    if (model->cold && cold_block_init(&cold, model->block, maker->arena) != WB_OK)
        arena_fail(maker->arena, WB_ERR_LIMIT);
    for (uint32_t p = 0; p < count; p++)
        begin_program(maker, &cold, p, &writers[p]);
    while (more) {
        more = false;
        for (uint32_t p = 0; p < count; p++) {
            write_section(maker, &writers[p], &model->programs[p]);
            more = more || writers[p].more;
        }
        if (model->cold) cold_section_ends(&cold);
    }
}

static void make_programs(void *context) {
    const struct code_maker *maker = context;
    struct code_model *model = maker->model;
    model->entries_overflow = arena_array(maker->arena, 1, sizeof *model->entries_overflow);
    model->stuck = arena_array(maker->arena, 1, sizeof *model->stuck);
    model->programs =
        arena_array(maker->arena, (size_t)model->block->path_count + 1, sizeof *model->programs);
    write_programs(maker);
    for (uint32_t p = 0; p < model->block->path_count; p++) {
        const struct code_program *program = &model->programs[p];
        uint32_t on_their_way = 0;
        make_awaited(program);
        for (uint32_t k = 0; k < program->count; k++) {
            on_their_way += program->insts[k].on_its_way;
            program->barriers[k + 1] = (uint16_t)(program->barriers[k] + program->insts[k].timed.barrier);
        }
        if (2 * on_their_way > model->entries) model->entries = 2 * on_their_way;
    }
    if (model->entries > CODE_ENTRIES_MAX) model->entries = CODE_ENTRIES_MAX;
}

/* ---- What need not be distinguished ----------------------------------------------------------------------
 * */

static void look_at_units(struct code_model *model) {
    const struct machine_unit *units = model->machine->units;
    uint32_t latches = 0, queues = 0;
    for (uint32_t p = 0; p < model->block->path_count; p++)
        for (uint32_t k = 0; k < model->programs[p].count; k++) {
            const struct code_inst *inst = &model->programs[p].insts[k];
            const struct sass_timed *timed = &inst->timed;
            for (uint32_t i = 0; i < timed->stage_count; i++) {
                const uint8_t unit = timed->stages[i].unit;
                const bool latch = i == 0 && inst->starts_at_issue;
                *(latch ? &latches : &queues) |= UINT32_C(1) << unit;
                if (i > 0 || (!latch && units[unit].queue == DEPTH_UNLIMITED)) continue;
                model->order_matters |= units[unit].shared;
                model->start_matters |= !latch;
            }
        }
    model->start_matters |= (latches & queues) != 0;
    model->order_matters &= model->cores > 1;
}

static void lay_out(struct code_model *model) {
    const size_t word = sizeof(uint64_t);
    model->core_at = sizeof(struct code_state);
    model->unit_at = model->core_at + model->cores * sizeof(struct code_core);
    model->warp_at = (model->unit_at + model->units * sizeof(struct code_unit) + word - 1) / word * word;
    model->warp_size =
        (sizeof(struct code_warp) + model->entries * sizeof(struct code_entry) + word - 1) / word * word;
    model->state_size = model->warp_at + model->warps * model->warp_size;
    model->key_max = 8 + (size_t)(model->cores + model->units) * (1 + 2 * SEARCH_NUMBER_KEY_MAX) +
                     model->warps * (4 + (size_t)(8 + 4 * model->entries) * SEARCH_NUMBER_KEY_MAX);
}

wb_status code_model_make(const struct timed_block *block, uint32_t clash, const struct code_freedom *freedom,
                          struct arena *arena, struct code_model *model) {
    const struct wb_machine *machine = block->machine;
    *model = (struct code_model){.machine = machine,
                                 .block = block,
                                 .freedom = *freedom,
                                 .clash = clash,
                                 .warps = block->warp_count,
                                 .cores = machine->sub_cores,
                                 .units = machine->unit_count * machine->sub_cores};
    if (model->warps > CODE_WARPS_MAX || model->cores > CODE_CORES_MAX || block->path_count > UINT8_MAX)
        return WB_ERR_DECLINED;
    for (uint32_t p = 0; p < block->path_count; p++)
        if (block->paths[p].length > CODE_PROGRAM_MAX) return WB_ERR_DECLINED;
    model->release = at_most(model, 0, machine->barrier_release);
    const struct sass_footprint *footprint = &block->code.footprint;
    model->cold =
        footprint->instructions.lines + footprint->l1_instructions.lines + footprint->constants.lines > 0;
    struct code_maker maker = {model, arena};
    WB_TRY(arena_protect(arena, make_programs, &maker));
    look_at_units(model);
    lay_out(model);
    return model->key_max > UINT16_MAX ? WB_ERR_DECLINED : WB_OK;
}
