#include "bound/profile/phase_fold.h"

#include "bound/profile/max_plus.h"

/* Repetitions below which walking is as quick. */
#define FOLD_WORTH_SKIPPING 8u

/* Times of the walker itself and of the profile, in fold_read. */
#define WALKER_TIMES 10u

/* A fold without a barrier, and what its body touches. */
struct fold {
    struct arena arena;
    struct phase_walker *walker;
    struct section_profile *profile;
    struct path_cursor body;
    uint32_t *registers; /* that the body has as operands */
    size_t register_count;
    uint8_t *units; /* that it uses */
    size_t unit_count;
    uint64_t initiations; /* instructions on units in the body */
    bool has_barrier;
};

/* Where the times of a walker are. The registers and units that the body does not touch stay as they are. */
static void walker_times(const struct fold *fold, cycles *times[WALKER_TIMES]) {
    struct phase_walker *walker = fold->walker;
    struct section_profile *profile = fold->profile;
    cycles *const all[WALKER_TIMES] = {&walker->now,          &walker->exec_end, &walker->complete,
                                       &profile->exec,        &walker->latency,  &walker->latency_complete,
                                       &profile->initiations, &profile->charge,  &profile->local,
                                       &profile->instructions};
    for (size_t i = 0; i < WALKER_TIMES; i++)
        times[i] = all[i];
}

/* The i-th oldest start in a unit's ring. */
static cycles *ring_start(const struct unit_queue *unit, uint32_t i) {
    return &unit->starts[((uint64_t)unit->next + i) % unit->depth];
}

static uint32_t ring_length(const struct unit_queue *unit) {
    return unit->starts == NULL ? 0 : unit->depth;
}

static void fold_read(const void *user, cycles *times) {
    const struct fold *fold = user;
    cycles *own[WALKER_TIMES];
    walker_times(fold, own);
    for (size_t i = 0; i < WALKER_TIMES; i++)
        *times++ = *own[i];
    for (size_t i = 0; i < fold->register_count; i++) {
        const struct phase_register *one = &fold->walker->registers[fold->registers[i]];
        *times++ = one->ready;
        *times++ = one->latency;
    }
    for (size_t i = 0; i < fold->unit_count; i++) {
        const struct unit_queue *unit = &fold->walker->units[fold->units[i]];
        *times++ = unit->open_from;
        *times++ = unit->free_at[0];
        for (uint32_t k = 0; k < ring_length(unit); k++)
            *times++ = *ring_start(unit, k);
    }
}

static void fold_write(void *user, const cycles *times) {
    const struct fold *fold = user;
    cycles *own[WALKER_TIMES];
    walker_times(fold, own);
    for (size_t i = 0; i < WALKER_TIMES; i++)
        *own[i] = *times++;
    for (size_t i = 0; i < fold->register_count; i++) {
        struct phase_register *one = &fold->walker->registers[fold->registers[i]];
        one->ready = *times++;
        one->latency = *times++;
    }
    for (size_t i = 0; i < fold->unit_count; i++) {
        struct unit_queue *unit = &fold->walker->units[fold->units[i]];
        unit->open_from = *times++;
        unit->free_at[0] = *times++;
        for (uint32_t k = 0; k < ring_length(unit); k++)
            *ring_start(unit, k) = *times++;
    }
}

/* Walks the body once. Two times of every initiation, none above `exec_end`, enter the sum. */
static cycles fold_once(void *user) {
    struct fold *fold = user;
    struct phase_walker *walker = fold->walker;
    struct path_cursor cursor = fold->body;
    bool at_barrier;
    walker->turns = 0;
    while (path_next_run(&cursor))
        (void)phase_walker_run(walker, &cursor, fold->profile, &at_barrier); /* fails only for a sink */
    const cycles most = cycles_mul(walker->exec_end, 2 * fold->initiations);
    return most == CYCLES_SATURATED ? most : walker->turns;
}

static void fold_touch_register(struct fold *fold, uint32_t reg, bool *known_registers) {
    if (known_registers[reg]) return;
    known_registers[reg] = true;
    fold->registers[fold->register_count++] = reg;
}

/* Notes an instruction of the body. */
static void fold_touch(struct fold *fold, const struct timed_inst *inst, bool *known_registers,
                       bool *known_units) {
    const struct timed_code *code = &fold->walker->block->code;
    const uint32_t *operands = code->operands + inst->first_operand;
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++)
        fold_touch_register(fold, operands[i], known_registers);
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++)
        for (uint32_t j = 0; ((inst->joins | inst->commits) >> q & 1) != 0 && j < code->queues[q].count; j++)
            fold_touch_register(fold, code->queues[q].first + j, known_registers);
    fold->has_barrier = fold->has_barrier || inst->barrier;
    if (inst->unit == UNIT_NONE) return;
    fold->initiations++;
    if (known_units[inst->unit]) return;
    known_units[inst->unit] = true;
    fold->units[fold->unit_count++] = inst->unit;
}

/* Looks through the body, up to a barrier. */
static wb_status fold_scan(struct fold *fold) {
    const struct timed_block *block = fold->walker->block;
    const size_t registers = (size_t)block->code.register_count + 1;
    const size_t units = (size_t)block->machine->unit_count + 1;
    bool *known_registers = arena_array(&fold->arena, registers, sizeof *known_registers);
    bool *known_units = arena_array(&fold->arena, units, sizeof *known_units);
    fold->registers = arena_array(&fold->arena, registers, sizeof *fold->registers);
    fold->units = arena_array(&fold->arena, units, sizeof *fold->units);
    if (known_registers == NULL || known_units == NULL || fold->registers == NULL || fold->units == NULL)
        return WB_ERR_LIMIT;
    struct path_cursor cursor = fold->body;
    struct path_step step;
    while (!fold->has_barrier && path_next(&cursor, &step))
        fold_touch(fold, &block->code.insts[step.instruction], known_registers, known_units);
    return WB_OK;
}

static size_t fold_time_count(const struct fold *fold) {
    size_t count = WALKER_TIMES + 2 * fold->register_count;
    for (size_t i = 0; i < fold->unit_count; i++)
        count += 2 + ring_length(&fold->walker->units[fold->units[i]]);
    return count;
}

wb_status phase_walker_fold(struct phase_walker *walker, struct section_profile *profile) {
    struct path_fold found;
    if (!path_at_fold(&walker->cursor, &found) || found.repetitions < FOLD_WORTH_SKIPPING) return WB_OK;
    struct fold fold = {.walker = walker, .profile = profile, .body = found.body};
    wb_status status = fold_scan(&fold);
    if (status == WB_OK && !fold.has_barrier) {
        const struct max_plus_map map = {&fold, fold_time_count(&fold), fold_read, fold_write, fold_once};
        status = max_plus_repeat(&map, found.repetitions);
        path_skip_fold(&walker->cursor);
    }
    arena_free(&fold.arena);
    return status;
}
