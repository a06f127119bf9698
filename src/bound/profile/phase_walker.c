#include "bound/profile/phase_walker.h"

#include "warp/timed/wait_queues.h"

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
    for (uint32_t i = 0; i < machine->unit_count; i++)
        WB_TRY(unit_queue_init(&walker->units[i], 1, machine->dispatch_depth, arena));
    return WB_OK;
}

static wb_status phase_emit(const struct phase_walker *walker, cycles start, cycles end, bool idle) {
    if (start == end) return WB_OK;
    struct phase phase = {start - walker->base, end - walker->base, idle};
    return walker->sink->phase(walker->sink->user, walker->section, &phase);
}

wb_status phase_walker_close(struct phase_walker *walker, cycles until) {
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
    walker->exec_end = cycles_max(begin, end);
    walker->now = issue + 1;
    walker->turns += begin + walker->exec_end;
    profile->exec += walker->exec_end - begin;
    profile->initiations += inst->init;
    profile->charge += charge;
    if (!walker->block->machine->units[inst->unit].shared) profile->local += charge;
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
    return WB_OK;
}

wb_status phase_walker_run(struct phase_walker *walker, struct path_cursor *cursor,
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
