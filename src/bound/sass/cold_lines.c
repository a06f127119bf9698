#include "bound/sass/cold_lines.h"

#include <string.h>

/* The lines of the L1 that have some of line `line` of the L0: *first and how many. */
static uint32_t l1_lines(const struct cold_block *block, uint32_t line, uint32_t *first) {
    const uint64_t from = (uint64_t)line * block->l0_bytes;
    *first = (uint32_t)(from / block->l1_bytes);
    return (uint32_t)((from + block->l0_bytes - 1) / block->l1_bytes) - *first + 1;
}

wb_status cold_block_init(struct cold_block *block, const struct timed_block *timed, struct arena *arena) {
    const struct timed_code *code = &timed->code;
    const struct machine_sass *sass = &timed->machine->sass;
    uint32_t first = UINT32_MAX, last = 0;
    *block = (struct cold_block){
        .code = code, .l0_bytes = sass->l0.line_bytes, .l1_bytes = sass->l1_instructions.line_bytes};
    for (uint32_t e = 0; e < code->inst_count; e++) {
        const struct sass_timed *entry = &code->sass[e];
        first = entry->line < first ? entry->line : first;
        last = entry->line > last ? entry->line : last;
        if (entry->constant_line != SASS_NO_LINE && entry->constant_line >= block->constants)
            block->constants = entry->constant_line + 1;
    }
    if (first <= last) {
        uint32_t last_l1;
        const uint32_t more = l1_lines(block, last, &last_l1);
        (void)l1_lines(block, first, &block->first_l1_line);
        block->first_line = first;
        block->line_count = last - first + 1;
        block->l1_line_count = last_l1 + more - block->first_l1_line;
    }
    const size_t count = (size_t)block->l1_line_count + block->constants + 1;
    block->there = arena_array(arena, count, sizeof *block->there);
    block->coming = arena_array(arena, count, sizeof *block->coming);
    return block->there == NULL || block->coming == NULL ? WB_ERR_LIMIT : WB_OK;
}

wb_status cold_path_init(struct cold_path *path, struct cold_block *block, struct arena *arena) {
    const size_t l1_count = (size_t)block->l1_line_count + block->constants + 1;
    *path = (struct cold_path){
        .block = block,
        .asked = arena_array(arena, (size_t)block->line_count + 1, sizeof *path->asked),
        .asked_l1 = arena_array(arena, l1_count, sizeof *path->asked_l1),
        .asked_constant = arena_array(arena, (size_t)block->constants + 1, sizeof *path->asked_constant)};
    return path->asked == NULL || path->asked_l1 == NULL || path->asked_constant == NULL ? WB_ERR_LIMIT
                                                                                         : WB_OK;
}

/* The time to ask the L1 for one of its lines. */
static uint32_t ask_l1(struct cold_path *path, uint32_t line) {
    const struct sass_cached *l1 = &path->block->code->footprint.l1_instructions;
    if (!l1->fits || path->block->there[line] || path->asked_l1[line]) return 0;
    path->asked_l1[line] = true;
    return l1->miss;
}

uint32_t cold_asks(struct cold_path *path, const struct sass_timed *inst) {
    struct cold_block *block = path->block;
    const struct sass_cached *l0 = &block->code->footprint.instructions;
    bool *asked = &path->asked[inst->line - block->first_line];
    if (*asked) return 0;
    *asked = true;
    uint32_t line;
    uint32_t miss = l0->fits ? l0->miss : 0;
    for (uint32_t left = l1_lines(block, inst->line, &line); left > 0; left--, line++)
        miss += ask_l1(path, line - block->first_l1_line);
    return miss;
}

void cold_executed(struct cold_path *path, const struct sass_timed *inst) {
    struct cold_block *block = path->block;
    uint32_t line;
    for (uint32_t left = l1_lines(block, inst->line, &line); left > 0; left--, line++)
        block->coming[line - block->first_l1_line] = true;
}

/* A constant that may not be there is looked for whenever its instruction is, so that each warp can hold the
 * issue stage for that. */
static void miss_constant(struct cold_path *path, struct sass_timed *missed) {
    struct cold_block *block = path->block;
    const struct sass_cached *constants = &block->code->footprint.constants;
    if (missed->constant_line == SASS_NO_LINE || path->asked_constant[missed->constant_line]) return;
    path->asked_constant[missed->constant_line] = true;
    const uint32_t in_l1 = block->l1_line_count + missed->constant_line;
    missed->operand += ask_l1(path, in_l1);
    block->coming[in_l1] = true;
    if (!constants->fits) return;
    missed->operand += constants->miss;
    missed->slot += constants->hold;
}

const struct sass_timed *cold_executes(struct cold_path *path, const struct sass_timed *inst,
                                       struct sass_timed *missed) {
    *missed = *inst;
    missed->fetch += cold_asks(path, inst);
    cold_executed(path, inst);
    miss_constant(path, missed);
    return missed;
}

void cold_section_ends(struct cold_block *block) {
    memcpy(block->there, block->coming,
           ((size_t)block->l1_line_count + block->constants) * sizeof *block->there);
}
