#include "thinned_block.h"

#include <stdlib.h>

static bool chance(struct random_state *random, uint32_t percent) {
    return random_below(random, 100) < percent;
}

static void expect_ok(wb_status status) {
    if (status != WB_OK) abort();
}

void reuse_registers(struct timed_block *block, uint32_t registers) {
    struct timed_code *code = &block->code;
    for (uint32_t i = 0; i < code->inst_count; i++) {
        const struct timed_inst *inst = &code->insts[i];
        uint32_t *operands = code->operands + inst->first_operand;
        for (uint32_t o = 0; o < (uint32_t)inst->source_count + inst->destination_count; o++)
            operands[o] %= registers;
    }
}

/* Executions of a block's longest program, all warps counted. */
static size_t all_executions(const struct timed_block *block) {
    size_t sum = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        sum += (size_t)block->paths[block->warp_path[w]].length;
    return sum;
}

/* Copies an execution of an instruction of the block into the thinned code, faster by chance. It stays at the
 * address of that instruction. */
static uint32_t keep_execution(const struct timed_block *block, uint32_t entry,
                               const struct thinning *thinning, struct random_state *random,
                               struct timed_code *code) {
    const struct timed_inst *inst = &block->code.insts[entry];
    code->origin[code->inst_count] = timed_origin(&block->code, entry);
    struct timed_inst *kept = &code->insts[code->inst_count];
    *kept = *inst;
    if (inst->unit != UNIT_NONE && chance(random, thinning->shorten)) {
        kept->init -= (uint32_t)random_below(random, inst->init);
        kept->latency -= (uint32_t)random_below(random, inst->latency + 1);
    }
    return code->inst_count++;
}

/* The program of one warp without what is left out. */
static struct path thinned_path(const struct timed_block *block, uint32_t warp,
                                const struct thinning *thinning, struct random_state *random,
                                struct timed_code *code) {
    const struct path *path = &block->paths[block->warp_path[warp]];
    struct path_cursor cursor = path_begin(path);
    struct path_writer writer = {0};
    struct path made;
    struct path_step step;
    uint64_t end = chance(random, thinning->end_early) ? random_below(random, path->length) : path->length;
    for (uint64_t i = 0; i < end && path_next(&cursor, &step); i++) {
        const struct timed_inst *inst = &block->code.insts[step.instruction];
        if (!inst->barrier && chance(random, thinning->leave_out)) continue;
        expect_ok(
            path_append(&writer, keep_execution(block, step.instruction, thinning, random, code), step.mask));
    }
    expect_ok(path_finish(&writer, &made));
    path_writer_free(&writer);
    return made;
}

void thinned_block_make(const struct timed_block *block, const struct thinning *thinning,
                        struct random_state *random, struct timed_block *thinned) {
    *thinned = (struct timed_block){.machine = block->machine,
                                    .code = block->code,
                                    .path_count = block->warp_count,
                                    .warp_count = block->warp_count};
    struct timed_code *code = &thinned->code;
    code->inst_count = 0;
    code->insts = arena_array(&thinned->arena, all_executions(block) + 1, sizeof *code->insts);
    code->origin = arena_array(&thinned->arena, all_executions(block) + 1, sizeof *code->origin);
    thinned->warp_path =
        arena_array(&thinned->arena, (size_t)block->warp_count + 1, sizeof *thinned->warp_path);
    if (code->insts == NULL || code->origin == NULL || thinned->warp_path == NULL) abort();
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct path path = thinned_path(block, w, thinning, random, code);
        thinned->warp_path[w] = w;
        expect_ok(vec_push(&thinned->own_paths, path));
    }
    thinned->paths = thinned->own_paths.items;
}

static void describe_inst(const struct timed_block *block, const struct timed_inst *inst, struct text *out) {
    const uint32_t *operands = block->code.operands + inst->first_operand;
    if (inst->unit != UNIT_NONE)
        text_printf(out, " %s(%u,%u)", block->machine->units[inst->unit].name, inst->init, inst->latency);
    if (inst->destination_count > 0) text_printf(out, "r%u=", operands[inst->source_count]);
    for (uint32_t i = 0; i < inst->source_count; i++)
        text_printf(out, "%sr%u", i == 0 ? "" : ",", operands[i]);
    if (inst->barrier) text_string(out, " |");
}

void timed_block_describe(const struct timed_block *block, struct text *out) {
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct path_cursor cursor = path_begin(&block->paths[block->warp_path[w]]);
        struct path_step step;
        text_printf(out, "warp %u:", w);
        while (path_next(&cursor, &step))
            describe_inst(block, &block->code.insts[step.instruction], out);
        text_char(out, '\n');
    }
}
