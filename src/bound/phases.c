#include "bound/phases.h"

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

static wb_status phase_emit(const struct phase_walker *walker, const struct phase_sink *sink, cycles base,
                            cycles start, cycles end, bool idle) {
    if (sink == NULL || start == end) return WB_OK;
    struct phase phase = {start - base, end - base, idle};
    return sink->phase(sink->user, walker->section, &phase);
}

/* Ends the execution phase; what follows is idle until `until`, where the next one begins. */
static wb_status phase_close(struct phase_walker *walker, const struct phase_sink *sink, cycles base,
                             cycles until, struct section_profile *profile) {
    profile->exec += walker->exec_end - walker->exec_start;
    WB_TRY(phase_emit(walker, sink, base, walker->exec_start, walker->exec_end, false));
    WB_TRY(phase_emit(walker, sink, base, walker->exec_end, until, true));
    walker->exec_start = walker->exec_end = until;
    return WB_OK;
}

/* Initiates an instruction that is issued in cycle `issue`; returns when its initiation ends. */
static cycles phase_initiate(struct phase_walker *walker, const struct timed_inst *inst, cycles issue,
                             struct section_profile *profile) {
    uint32_t instance;
    cycles end = unit_queue_push(&walker->units[inst->unit], issue, inst->init, &instance) + inst->init;
    cycles charge = cycles_max(walker->charges[inst->unit], inst->init);
    walker->exec_end = cycles_max(walker->exec_end, end);
    walker->now = issue + 1;
    profile->initiations += inst->init;
    profile->charge += charge;
    if (!walker->block->machine->units[inst->unit].shared) profile->local += charge;
    return end;
}

/* One instruction of Algorithm 1, in absolute times: nothing has to be counted down. */
static wb_status phase_step(struct phase_walker *walker, const struct timed_inst *inst,
                            const struct phase_sink *sink, cycles base, struct section_profile *profile) {
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
        if (issue > walker->exec_end) WB_TRY(phase_close(walker, sink, base, issue, profile));
        end = phase_initiate(walker, inst, issue, profile);
    } else {
        walker->now = issue;
    }
    const struct phase_register result = {end + inst->latency, latency + inst->latency};
    for (uint32_t i = inst->source_count; i < count; i++)
        walker->registers[operands[i]] = result;
    walker->latency = latency;
    walker->complete = cycles_max(walker->complete, result.ready);
    walker->latency_complete = cycles_max(walker->latency_complete, result.latency);
    profile->instructions += !inst->uncounted;
    return WB_OK;
}

wb_status phase_walker_section(struct phase_walker *walker, const struct phase_sink *sink,
                               struct section_profile *profile) {
    *profile = (struct section_profile){0};
    const struct timed_inst *insts = walker->block->code.insts;
    /* Every time of older sections lies before `base`, so that registers and units are free again. */
    const cycles base = walker->complete;
    walker->now = walker->exec_start = walker->exec_end = base;
    bool at_barrier = false;
    while (!walker->ended && !at_barrier) {
        struct path_step step;
        walker->ended = !path_next(&walker->cursor, &step);
        if (walker->ended) break;
        const struct timed_inst *inst = &insts[step.instruction];
        WB_TRY(phase_step(walker, inst, sink, base, profile));
        at_barrier = inst->barrier;
    }
    WB_TRY(phase_close(walker, sink, base, walker->complete, profile));
    profile->iso = walker->complete - base;
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
    if (status != WB_OK) diagnose(diagnostics, SEVERITY_ERROR, block->machine->name, "out of memory");
    while (status == WB_OK && !walker.ended) {
        struct section_profile profile;
        status = phase_walker_section(&walker, sink, &profile);
    }
    arena_free(&arena);
    return status;
}
