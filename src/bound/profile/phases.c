#include "bound/profile/phases.h"

#include <assert.h>
#include <string.h>

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
    const uint32_t depth = machine->dispatch_depth;
    *walker = (struct phase_walker){.block = block,
                                    .cursor = path_begin(&block->paths[path]),
                                    .charges = charges,
                                    .queued = depth == DEPTH_UNLIMITED ? 0 : depth};
    walker->units = arena_array(arena, machine->unit_count, sizeof *walker->units);
    walker->registers = arena_array(arena, block->code.register_count, sizeof *walker->registers);
    if (walker->units == NULL || walker->registers == NULL) return WB_ERR_LIMIT;
    if (machine->sub_cores > 1) WB_TRY(warp_progress_init(&walker->progress, block, arena));
    for (uint32_t i = 0; i < machine->unit_count && walker->queued > 0; i++) {
        walker->units[i].starts = arena_array(arena, walker->queued, sizeof(struct chain_time));
        if (walker->units[i].starts == NULL) return WB_ERR_LIMIT;
    }
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

/* When the next instruction may be issued to a unit: A3. */
CHAIN_INLINE struct chain_time phase_open_from(const struct phase_walker *walker,
                                               const struct phase_unit *unit) {
    if (walker->block->machine->dispatch_depth == 0) return unit->free;
    /* Fewer than `queued` instructions wait once the `queued`-th last of them has started. */
    return walker->queued > 0 ? unit->starts[unit->oldest] : (struct chain_time){0, CHAIN_NONE};
}

/* Initiates an instruction that is issued in cycle `issue`; returns when its initiation ends. */
CHAIN_INLINE struct chain_time phase_initiate(struct phase_walker *walker, uint32_t entry,
                                              struct chain_time issue, struct section_profile *profile,
                                              struct chains *chains) {
    const struct timed_inst *inst = &walker->block->code.insts[entry];
    struct phase_unit *unit = &walker->units[inst->unit];
    const struct chain_time start = chain_later(issue, unit->free);
    const struct chain_time end = chain_behind(chains, start, CHAIN_UNIT, entry, inst->init);
    const cycles charge = cycles_max(walker->charges[inst->unit], inst->init);
    const cycles begin = walker->exec_end;
    assert(issue.at >= walker->now.at);
    unit->free = end;
    if (walker->queued > 0) {
        unit->starts[unit->oldest] = start;
        unit->oldest = unit->oldest + 1 == walker->queued ? 0 : unit->oldest + 1;
    }
    walker->exec_end = cycles_max(begin, end.at);
    walker->now = chain_behind(chains, issue, CHAIN_ISSUE, entry, 1);
    walker->turns += (time_sum)begin + walker->exec_end;
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
CHAIN_INLINE wb_status phase_step(struct phase_walker *walker, uint32_t entry,
                                  struct section_profile *profile, struct chains *alone_chains,
                                  struct chains *latency_chains) {
    const struct timed_inst *inst = &walker->block->code.insts[entry];
    const uint32_t *operands = walker->block->code.operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    struct chain_time issue = walker->now, latency = walker->latency;
    for (uint32_t i = 0; i < count; i++) { /* A2: destinations are waited for too */
        const struct phase_register *operand = &walker->registers[operands[i]];
        issue = chain_later(issue, operand->ready);
        latency = chain_later(latency, operand->latency);
    }
    struct chain_time end = issue;
    if (inst->unit != UNIT_NONE) {
        issue = chain_later(issue, phase_open_from(walker, &walker->units[inst->unit]));
        /* A1: operands that arrive before the units fall idle are waited for inside the phase. */
        if (issue.at > walker->exec_end) WB_TRY(phase_walker_close(walker, issue.at));
        end = phase_initiate(walker, entry, issue, profile, alone_chains);
    } else {
        walker->now = issue;
    }
    const struct phase_register result = {
        chain_behind(alone_chains, end, CHAIN_LATENCY, entry, inst->latency),
        chain_behind(latency_chains, latency, CHAIN_LATENCY, entry, inst->latency)};
    for (uint32_t i = inst->source_count; i < count; i++)
        walker->registers[operands[i]] = result;
    if ((inst->joins | inst->commits) != 0) {
        chain_queues_step(&walker->block->code, inst, &walker->registers->ready, 2, result.ready);
        chain_queues_step(&walker->block->code, inst, &walker->registers->latency, 2, result.latency);
    }
    walker->latency = latency;
    walker->complete = chain_later(walker->complete, result.ready);
    walker->latency_complete = chain_later(walker->latency_complete, result.latency);
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
    const bool traced = walker->alone_chains != NULL || walker->latency_chains != NULL;
    *at_barrier = false;
    while (cursor->left > 0 && !*at_barrier) {
        const uint32_t entry = cursor->instruction++;
        cursor->left--;
        if (traced) /* apart, so that who asks for no chains pays for none */
            WB_TRY(phase_step(walker, entry, profile, walker->alone_chains, walker->latency_chains));
        else
            WB_TRY(phase_step(walker, entry, profile, NULL, NULL));
        *at_barrier = insts[entry].barrier;
    }
    return WB_OK;
}

/* Repetitions below which walking is as quick. */
#define FOLD_WORTH_SKIPPING 8u

/* A fold without a barrier, and what its body touches. */
struct fold {
    struct arena arena;
    struct phase_walker *walker;
    struct path_cursor *cursor; /* that is at it */
    struct section_profile *profile;
    struct path_fold found;
    bool *known_registers, *known_units;
    VEC(cycles *) times;  /* that the body changes; what it does not touch stays as it is */
    time_list traced;     /* those of them whose chains are followed */
    VEC(uint8_t) units;   /* that it uses */
    uint64_t initiations; /* instructions on units in the body */
    bool has_barrier;
    wb_status status;
};

static void fold_push(struct fold *fold, struct chain_time *time, const struct chains *chains) {
    arena_push(&fold->arena, &fold->times, &time->at);
    if (chains != NULL) arena_push(&fold->arena, &fold->traced, time);
}

/* Turns the rings of the units so that the oldest start is the first: where they stand is the same then
 * before and behind each repetition. */
static void turn_rings(struct fold *fold) {
    const uint32_t count = fold->walker->queued;
    for (size_t u = 0; u < fold->units.count && count > 1; u++) {
        struct phase_unit *unit = &fold->walker->units[fold->units.items[u]];
        for (; unit->oldest > 0; unit->oldest--) {
            const struct chain_time first = unit->starts[0];
            memmove(unit->starts, unit->starts + 1, (count - 1) * sizeof first);
            unit->starts[count - 1] = first;
        }
    }
}

static wb_status phase_walker_fold(struct phase_walker *walker, struct path_cursor *cursor,
                                   struct section_profile *profile);

/* Walks the body once. Two times of every initiation, none above `exec_end`, enter the sum. */
static time_sum fold_once(void *user) {
    struct fold *fold = user;
    struct phase_walker *walker = fold->walker;
    struct path_cursor cursor = fold->found.body;
    bool at_barrier, more = true;
    walker->turns = 0;
    while (more && fold->status == WB_OK) {
        fold->status = phase_walker_fold(walker, &cursor, fold->profile);
        more = path_next_run(&cursor);
        (void)phase_walker_run(walker, &cursor, fold->profile, &at_barrier); /* fails only for a sink */
    }
    turn_rings(fold);
    const time_sum most = time_sum_mul(walker->exec_end, 2 * (time_sum)fold->initiations);
    return most == TIME_SUM_SATURATED ? most : walker->turns;
}

static void fold_touch_register(struct fold *fold, uint32_t number) {
    struct phase_register *one = &fold->walker->registers[number];
    if (fold->known_registers[number]) return;
    fold->known_registers[number] = true;
    fold_push(fold, &one->ready, fold->walker->alone_chains);
    fold_push(fold, &one->latency, fold->walker->latency_chains);
}

static void fold_touch_unit(struct fold *fold, uint8_t number, uint64_t times) {
    struct phase_unit *unit = &fold->walker->units[number];
    fold->initiations += times;
    if (fold->known_units[number]) return;
    fold->known_units[number] = true;
    arena_push(&fold->arena, &fold->units, number);
    fold_push(fold, &unit->free, fold->walker->alone_chains);
    for (uint32_t k = 0; k < fold->walker->queued; k++)
        fold_push(fold, &unit->starts[k], fold->walker->alone_chains);
}

/* Notes an instruction of the body, which is executed so often. */
static void fold_touch(struct fold *fold, const struct timed_inst *inst, uint64_t times) {
    const struct timed_code *code = &fold->walker->block->code;
    const uint32_t *operands = code->operands + inst->first_operand;
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++)
        fold_touch_register(fold, operands[i]);
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++)
        for (uint32_t j = 0; ((inst->joins | inst->commits) >> q & 1) != 0 && j < code->queues[q].count; j++)
            fold_touch_register(fold, code->queues[q].first + j);
    fold->has_barrier = fold->has_barrier || inst->barrier;
    if (inst->unit != UNIT_NONE) fold_touch_unit(fold, inst->unit, times);
}

/* Does all repetitions, if there is no barrier in the body. */
static void fold_skip(void *context) {
    struct fold *fold = context;
    struct phase_walker *walker = fold->walker;
    struct section_profile *profile = fold->profile;
    struct path_runs runs = path_runs_of_body(&fold->found);
    struct path_entry run;
    time_sum turns;
    cycles *const sums[] = {
        &walker->exec_end, &profile->exec,         &profile->initiations,        &profile->charge,
        &profile->local,   &profile->instructions, &profile->private_initiations};
    fold->known_registers =
        arena_array(&fold->arena, (size_t)walker->block->code.register_count + 1, sizeof(bool));
    fold->known_units =
        arena_array(&fold->arena, (size_t)walker->block->machine->unit_count + 1, sizeof(bool));
    fold_push(fold, &walker->now, walker->alone_chains);
    fold_push(fold, &walker->complete, walker->alone_chains);
    fold_push(fold, &walker->latency, walker->latency_chains);
    fold_push(fold, &walker->latency_complete, walker->latency_chains);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        arena_push(&fold->arena, &fold->times, sums[i]);
    for (uint64_t times; path_runs_next(&runs, &run, &times);)
        for (uint32_t i = run.first; i < run.first + run.count && !fold->has_barrier; i++)
            fold_touch(fold, &walker->block->code.insts[i], times);
    if (fold->has_barrier) return;
    for (size_t i = 0; i < warp_progress_count(&walker->progress); i++)
        arena_push(&fold->arena, &fold->times, warp_progress_time(&walker->progress, i));
    const struct max_plus_map map = {fold,
                                     fold->times.items,
                                     fold->times.count,
                                     fold_once,
                                     walker->alone_chains != NULL ? walker->alone_chains
                                                                  : walker->latency_chains,
                                     fold->traced.items,
                                     fold->traced.count};
    turn_rings(fold);
    const time_sum before = walker->turns;
    const wb_status status = max_plus_repeat(&map, fold->found.repetitions, &turns);
    walker->turns = before + turns;
    if (fold->status == WB_OK) fold->status = status;
    path_skip_fold(fold->cursor);
}

/* Takes a walker whose cursor is at folds without barriers, and of enough repetitions to be worth it, behind
 * them (exactly as walking would); others are left where they are. WB_ERR_LIMIT when memory is exhausted. */
static wb_status phase_walker_fold(struct phase_walker *walker, struct path_cursor *cursor,
                                   struct section_profile *profile) {
    wb_status status = WB_OK;
    for (bool has_barrier = false; status == WB_OK && !has_barrier;) {
        struct fold fold = {.walker = walker, .cursor = cursor, .profile = profile};
        if (!path_at_fold(cursor, &fold.found) || fold.found.repetitions < FOLD_WORTH_SKIPPING) return WB_OK;
        status = arena_protect(&fold.arena, fold_skip, &fold);
        arena_free(&fold.arena);
        if (status == WB_OK) status = fold.status;
        has_barrier = fold.has_barrier;
    }
    return status;
}

/* Walks to behind the next barrier, or to the end of the path. */
static wb_status walk_to_barrier(struct phase_walker *walker, struct section_profile *profile) {
    struct chains *chains = walker->alone_chains != NULL ? walker->alone_chains : walker->latency_chains;
    bool at_barrier = false;
    while (!walker->ended && !at_barrier) {
        if (walker->cursor.left == 0) {
            if (walker->sink == NULL) WB_TRY(phase_walker_fold(walker, &walker->cursor, profile));
            walker->ended = !path_next_run(&walker->cursor);
        }
        WB_TRY(phase_walker_run(walker, &walker->cursor, profile, &at_barrier));
        if (chains != NULL && !chains_compact(chains)) return WB_ERR_LIMIT;
    }
    return WB_OK;
}

wb_status phase_walker_section(struct phase_walker *walker, struct section_profile *profile) {
    *profile = (struct section_profile){0};
    walker->begin = walker->cursor;
    /* Every time of older sections lies before `base`, so that registers and units are free again. */
    walker->base = walker->exec_start = walker->exec_end = walker->complete.at;
    walker->now = walker->complete = (struct chain_time){walker->base, CHAIN_NONE};
    WB_TRY(walk_to_barrier(walker, profile));
    WB_TRY(phase_walker_close(walker, walker->complete.at));
    profile->iso = walker->complete.at - walker->base;
    assert(profile->exec <= profile->iso && profile->initiations <= profile->charge);
    walker->section++;
    return WB_OK;
}

void phase_walker_times(struct phase_walker *walker, bool alone, struct arena *arena, time_list *list) {
    arena_push(arena, list, alone ? &walker->now : &walker->latency);
    arena_push(arena, list, alone ? &walker->complete : &walker->latency_complete);
    for (uint32_t r = 0; r < walker->block->code.register_count; r++)
        arena_push(arena, list, alone ? &walker->registers[r].ready : &walker->registers[r].latency);
    for (uint32_t u = 0; u < walker->block->machine->unit_count && alone; u++) {
        arena_push(arena, list, &walker->units[u].free);
        for (uint32_t i = 0; i < walker->queued; i++)
            arena_push(arena, list, &walker->units[u].starts[i]);
    }
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
