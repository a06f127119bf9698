#include "bound/profile/phases.h"

#include <assert.h>

#include "bound/profile/max_plus.h"
#include "warp/timed/timed.h"

const cycles *phase_charges(const struct timed_block *block, struct arena *arena) {
    const struct wb_machine *machine = block->machine;
    cycles *charges = arena_array(arena, (size_t)machine->unit_count + 1, sizeof *charges);
    if (charges == NULL || machine->dispatch_depth != 1) return charges;
    for (uint32_t i = 0; i < block->code.inst_count; i++) {
        const struct timed_inst *inst = &block->code.insts[i];
        if (inst->unit != UNIT_NONE) charges[inst->unit] = cycles_max(charges[inst->unit], inst->init);
    }
    return charges;
}

wb_status phase_walker_init(struct phase_walker *walker, const struct timed_block *block, uint32_t path,
                            const cycles *charges, struct arena *arena) {
    const struct wb_machine *machine = block->machine;
    *walker =
        (struct phase_walker){.block = block, .cursor = path_begin(&block->paths[path]), .charges = charges};
    walker->units = arena_array(arena, machine->unit_count, sizeof *walker->units);
    walker->registers = arena_array(arena, block->code.register_count, sizeof *walker->registers);
    if (walker->units == NULL || walker->registers == NULL) return WB_ERR_LIMIT;
    if (machine->sub_cores > 1) WB_TRY(warp_progress_init(&walker->progress, block, arena));
    for (uint32_t i = 0; i < machine->unit_count; i++)
        WB_TRY(unit_queue_init(&walker->units[i], 1, machine->dispatch_depth, arena));
    return WB_OK;
}

static wb_status phase_emit(const struct phase_walker *walker, cycles start, cycles end, bool idle) {
    if (start == end) return WB_OK;
    struct phase phase = {start - walker->base, end - walker->base, idle};
    return walker->sink->phase(walker->sink->user, walker->section, &phase);
}

/* Ends the execution phase; what follows is idle until `until`, where the next one begins. */
static wb_status phase_walker_close(struct phase_walker *walker, cycles until) {
    if (walker->sink != NULL) {
        WB_TRY(phase_emit(walker, walker->exec_start, walker->exec_end, false));
        WB_TRY(phase_emit(walker, walker->exec_end, until, true));
    }
    walker->exec_start = walker->exec_end = until;
    return WB_OK;
}

/* Initiates an instruction that is issued in cycle `issue`; returns when its initiation ends. */
static cycles phase_initiate(struct phase_walker *walker, const struct timed_inst *inst, cycles issue,
                             struct section_profile *profile) {
    uint32_t instance;
    const cycles end = unit_queue_push(&walker->units[inst->unit], issue, inst->init, &instance) + inst->init;
    const cycles charge = cycles_max(walker->charges[inst->unit], inst->init);
    const cycles begin = walker->exec_end;
    assert(issue >= walker->now && end >= issue + inst->init);
    walker->exec_end = cycles_max(begin, end);
    walker->now = issue + 1;
    walker->turns += begin + walker->exec_end;
    profile->exec += walker->exec_end - begin;
    profile->initiations += inst->init;
    profile->charge += charge;
    if (!walker->block->machine->units[inst->unit].shared) {
        profile->local += charge;
        profile->private_initiations += inst->init;
    }
    return end;
}

/* One instruction of Algorithm 1. */
static wb_status phase_step(struct phase_walker *walker, const struct timed_inst *inst,
                            struct section_profile *profile) {
    const uint32_t *operands = walker->block->code.operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    cycles issue = walker->now, latency = walker->latency;
    for (uint32_t i = 0; i < count; i++) { /* A2: destinations are waited for too */
        const struct phase_register *operand = &walker->registers[operands[i]];
        issue = cycles_max(issue, operand->ready);
        latency = cycles_max(latency, operand->latency);
    }
    cycles end = issue;
    if (inst->unit != UNIT_NONE) {
        issue = cycles_max(issue, walker->units[inst->unit].open_from); /* A3 */
        /* A1: operands that arrive before the units fall idle are waited for inside the phase. */
        if (issue > walker->exec_end) WB_TRY(phase_walker_close(walker, issue));
        end = phase_initiate(walker, inst, issue, profile);
    } else {
        walker->now = issue;
    }
    const struct phase_register result = {end + inst->latency, latency + inst->latency};
    for (uint32_t i = inst->source_count; i < count; i++)
        walker->registers[operands[i]] = result;
    if ((inst->joins | inst->commits) != 0) {
        const size_t stride = sizeof(struct phase_register) / sizeof(cycles);
        wait_queues_step(&walker->block->code, inst, &walker->registers->ready, stride, result.ready);
        wait_queues_step(&walker->block->code, inst, &walker->registers->latency, stride, result.latency);
    }
    walker->latency = latency;
    walker->complete = cycles_max(walker->complete, result.ready);
    walker->latency_complete = cycles_max(walker->latency_complete, result.latency);
    profile->instructions += !inst->uncounted;
    if (walker->progress.block != NULL) warp_progress_note(&walker->progress, inst);
    profile->active = true;
    return WB_OK;
}

/* Walks the rest of the run that `cursor` is in, up to behind the first barrier in it; *at_barrier says
 * whether there is one. Adds to `profile`, except for iso. Fails only if the sink does. */
static wb_status phase_walker_run(struct phase_walker *walker, struct path_cursor *cursor,
                                  struct section_profile *profile, bool *at_barrier) {
    const struct timed_inst *insts = walker->block->code.insts;
    *at_barrier = false;
    while (cursor->left > 0 && !*at_barrier) {
        const struct timed_inst *inst = &insts[cursor->instruction++];
        cursor->left--;
        WB_TRY(phase_step(walker, inst, profile));
        *at_barrier = inst->barrier;
    }
    return WB_OK;
}

/* Repetitions below which walking is as quick. */
#define FOLD_WORTH_SKIPPING 8u

/* Times of the walker itself and of the profile, in fold_read. */
#define WALKER_TIMES 11u

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
    cycles *const all[WALKER_TIMES] = {&walker->now,
                                       &walker->exec_end,
                                       &walker->complete,
                                       &profile->exec,
                                       &walker->latency,
                                       &walker->latency_complete,
                                       &profile->initiations,
                                       &profile->charge,
                                       &profile->local,
                                       &profile->instructions,
                                       &profile->private_initiations};
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
    (void)warp_progress_read(&fold->walker->progress, times);
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
    (void)warp_progress_write(&fold->walker->progress, times);
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
    size_t count = WALKER_TIMES + 2 * fold->register_count + warp_progress_count(&fold->walker->progress);
    for (size_t i = 0; i < fold->unit_count; i++)
        count += 2 + ring_length(&fold->walker->units[fold->units[i]]);
    return count;
}

/* Takes a walker that is at a fold without a barrier, and of enough repetitions to be worth it, behind the
 * fold (exactly as walking would); others are left where they are. WB_ERR_LIMIT when memory is exhausted. */
static wb_status phase_walker_fold(struct phase_walker *walker, struct section_profile *profile) {
    struct path_fold found;
    if (!path_at_fold(&walker->cursor, &found) || found.repetitions < FOLD_WORTH_SKIPPING) return WB_OK;
    struct fold fold = {.walker = walker, .profile = profile, .body = found.body};
    wb_status status = fold_scan(&fold);
    if (status == WB_OK && !fold.has_barrier) {
        const struct max_plus_map map = {&fold, fold_time_count(&fold), fold_read, fold_write, fold_once,
                                         NULL};
        status = max_plus_repeat(&map, found.repetitions);
        path_skip_fold(&walker->cursor);
    }
    arena_free(&fold.arena);
    return status;
}

/* Walks to behind the next barrier, or to the end of the path. */
static wb_status walk_to_barrier(struct phase_walker *walker, struct section_profile *profile) {
    bool at_barrier = false;
    while (!walker->ended && !at_barrier) {
        if (walker->cursor.left == 0) {
            if (walker->sink == NULL) WB_TRY(phase_walker_fold(walker, profile));
            walker->ended = !path_next_run(&walker->cursor);
        }
        WB_TRY(phase_walker_run(walker, &walker->cursor, profile, &at_barrier));
    }
    return WB_OK;
}

wb_status phase_walker_section(struct phase_walker *walker, struct section_profile *profile) {
    *profile = (struct section_profile){0};
    /* Every time of older sections lies before `base`, so that registers and units are free again. */
    walker->base = walker->complete;
    walker->now = walker->exec_start = walker->exec_end = walker->base;
    WB_TRY(walk_to_barrier(walker, profile));
    WB_TRY(phase_walker_close(walker, walker->complete));
    profile->iso = walker->complete - walker->base;
    assert(profile->exec <= profile->iso && profile->initiations <= profile->charge);
    walker->section++;
    return WB_OK;
}

wb_status phases_of_path(const struct timed_block *block, uint32_t path, const struct phase_sink *sink,
                         wb_diagnostics *diagnostics) {
    struct arena arena = {0};
    struct phase_walker walker;
    const cycles *charges = phase_charges(block, &arena);
    wb_status status = WB_ERR_LIMIT;
    if (charges != NULL) status = phase_walker_init(&walker, block, path, charges, &arena);
    if (status != WB_OK) (void)diagnose_out_of_memory(diagnostics, block->machine->name);
    walker.sink = sink;
    while (status == WB_OK && !walker.ended) {
        struct section_profile profile;
        status = phase_walker_section(&walker, &profile);
    }
    arena_free(&arena);
    return status;
}
