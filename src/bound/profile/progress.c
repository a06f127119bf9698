#include "bound/profile/progress.h"

wb_status warp_progress_init(struct warp_progress *progress, const struct timed_block *block,
                             struct arena *arena) {
    const size_t registers = (size_t)block->code.register_count + 1;
    *progress = (struct warp_progress){.block = block};
    progress->units = arena_array(arena, (size_t)block->machine->unit_count + 1, sizeof *progress->units);
    progress->writers = arena_array(arena, registers, sizeof *progress->writers);
    if (progress->units == NULL || progress->writers == NULL) return WB_ERR_LIMIT;
    for (size_t r = 0; r < registers; r++)
        progress->writers[r].unit = UNIT_NONE;
    return WB_OK;
}

/* What is sent to a unit of one instance initiates in the order of issue: with a result that is there,
 * everything that was sent before. Of a unit with several instances it says nothing of others. */
static void note_result(struct warp_progress *progress, struct register_writer *writer) {
    if (writer->unit == UNIT_NONE) return;
    struct unit_progress *unit = &progress->units[writer->unit];
    unit->done = cycles_max(unit->done, writer->sent) + writer->alone;
    writer->alone = 0;
}

/* Sends an instruction to its unit. */
static struct register_writer send(struct warp_progress *progress, const struct timed_inst *inst) {
    struct unit_progress *unit = &progress->units[inst->unit];
    unit->sent += inst->init;
    unit->largest = u32_max(unit->largest, inst->init);
    if (progress->block->machine->units[inst->unit].count == 1)
        return (struct register_writer){.sent = unit->sent, .unit = inst->unit};
    return (struct register_writer){.alone = inst->init, .unit = inst->unit};
}

void warp_progress_note(struct warp_progress *progress, const struct timed_inst *inst) {
    const uint32_t *operands = progress->block->code.operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    struct register_writer result = {.unit = UNIT_NONE};
    for (uint32_t i = 0; i < count; i++)
        note_result(progress, &progress->writers[operands[i]]);
    if (inst->unit != UNIT_NONE) result = send(progress, inst);
    for (uint32_t i = inst->source_count; i < count; i++) {
        progress->writers[operands[i]] = result;
        result.alone = 0; /* counted once, when the first of its results is read */
    }
}

size_t warp_progress_count(const struct warp_progress *progress) {
    if (progress->block == NULL) return 0;
    return 2 * (size_t)progress->block->machine->unit_count + progress->block->code.register_count;
}

cycles *warp_progress_time(const struct warp_progress *progress, size_t index) {
    const size_t units = progress->block->machine->unit_count;
    if (index < units) return &progress->units[index].sent;
    if (index < 2 * units) return &progress->units[index - units].done;
    return &progress->writers[index - 2 * units].sent;
}
