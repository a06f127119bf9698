#include "bound/search/section_search.h"

#include <string.h>

#define NOBODY UINT32_MAX

static const struct timed_inst *inst_of(const struct block_sections *sections, struct section_code code,
                                        uint32_t at) {
    return &sections->block->code.insts[code.insts[at]];
}

static void raise_to(uint32_t *number, uint32_t least) {
    if (*number < least) *number = least;
}

void section_residue_clear(const struct block_sections *sections, struct arena *arena,
                           struct section_residue *residue) {
    const size_t registers = (size_t)sections->block->code.register_count + 1;
    residue->registers = arena_array(arena, registers, sizeof *residue->registers);
    residue->units = arena_array(arena, UNIT_NONE + 1, sizeof *residue->units);
    residue->waited_for = arena_array(arena, registers, sizeof *residue->waited_for);
}

/* An instruction behind which the warp has issued others in its section began at least as many cycles before
 * the release, and one more; a result that one of them waited for is there. */
void section_residue_raise(const struct block_sections *sections, uint32_t code,
                           struct section_residue *residue) {
    const struct section_code section = sections_code(sections, code);
    uint32_t passed = 0; /* from the issue at hand to the release, at least */
    memset(residue->waited_for, 0,
           ((size_t)sections->block->code.register_count + 1) * sizeof *residue->waited_for);
    for (uint32_t i = section.count; i-- > 0;) {
        const struct timed_inst *inst = inst_of(sections, section, i);
        if (inst->unit == UNIT_NONE) continue;
        passed++;
        const uint32_t *operands = sections->block->code.operands + inst->first_operand;
        const uint32_t *written = operands + inst->source_count;
        const uint32_t whole = inst->init + inst->latency;
        if (inst->init > passed) raise_to(&residue->units[inst->unit], inst->init - passed);
        for (uint32_t d = 0; whole > passed && d < inst->destination_count; d++)
            if (!residue->waited_for[written[d]]) raise_to(&residue->registers[written[d]], whole - passed);
        for (uint32_t o = 0; o < (uint32_t)inst->source_count + inst->destination_count; o++)
            residue->waited_for[operands[o]] = true;
    }
}

/* The state of making a program. */
struct maker {
    const struct block_sections *sections;
    struct section_code code;
    struct arena *arena;
    struct section_program *program;
    uint32_t *writer;               /* per register the result that it holds, or NOBODY */
    VEC(uint32_t) uses;             /* results that are waited for, position by position */
    uint32_t *first_use;            /* per position the first of its uses */
    uint32_t *next_use;             /* per result the next position that waits for it, or NOBODY */
    VEC(uint32_t) rests;            /* of old results */
    VEC(struct section_live) lives; /* of all positions */
};

/* Notes that the instruction at the position waits for what the register holds. */
static void use_register(struct maker *maker, uint32_t reg, const uint32_t *rests) {
    if (maker->writer[reg] == NOBODY) {
        if (rests[reg] == 0) return;
        maker->writer[reg] = (uint32_t)maker->rests.count;
        arena_push(maker->arena, &maker->rests, rests[reg]);
    }
    arena_push(maker->arena, &maker->uses, maker->writer[reg]);
}

/* Finds results and uses. Old results are numbered first: `numbered` says how many there are, or NOBODY in
 * the pass that counts them. */
static void find_uses(struct maker *maker, const uint32_t *rests, uint32_t old_count) {
    const struct timed_code *code = &maker->sections->block->code;
    struct section_program *program = maker->program;
    uint32_t next_result = old_count;
    memset(maker->writer, 0xff, ((size_t)code->register_count + 1) * sizeof *maker->writer);
    maker->uses.count = maker->rests.count = 0;
    program->count = 0;
    for (uint32_t i = 0; i < maker->code.count; i++) {
        const struct timed_inst *inst = inst_of(maker->sections, maker->code, i);
        if (inst->unit == UNIT_NONE) continue;
        const uint32_t *operands = code->operands + inst->first_operand;
        const uint32_t operand_count = (uint32_t)inst->source_count + inst->destination_count;
        maker->first_use[program->count] = (uint32_t)maker->uses.count;
        for (uint32_t o = 0; o < operand_count; o++)
            use_register(maker, operands[o], rests);
        struct section_position *position = &program->positions[program->count++];
        *position = (struct section_position){.unit = inst->unit,
                                              .init = inst->init,
                                              .least = inst->latency_least,
                                              .most = inst->latency,
                                              .result = SECTION_NO_RESULT};
        if (inst->destination_count == 0) continue;
        position->result = next_result++;
        for (uint32_t d = 0; d < inst->destination_count; d++)
            maker->writer[operands[inst->source_count + d]] = position->result;
    }
    maker->first_use[program->count] = (uint32_t)maker->uses.count;
    program->positions[program->count] =
        (struct section_position){.unit = UNIT_NONE, .result = SECTION_NO_RESULT};
}

/* The results under way at each position, from the last one back. */
static bool find_lives(struct maker *maker, uint32_t result_count) {
    struct section_program *program = maker->program;
    maker->next_use = arena_array(maker->arena, (size_t)result_count + 1, sizeof *maker->next_use);
    memset(maker->next_use, 0xff, ((size_t)result_count + 1) * sizeof *maker->next_use);
    VEC(uint32_t) live = {0}; /* falling: later results have higher numbers, and are born later */
    for (uint32_t k = program->count; k-- > 0;) {
        struct section_position *position = &program->positions[k];
        if (position->result != SECTION_NO_RESULT)
            for (size_t l = 0; l < live.count; l++)
                if (live.items[l] == position->result) live.items[l] = live.items[--live.count];
        for (uint32_t u = maker->first_use[k]; u < maker->first_use[k + 1]; u++) {
            const uint32_t result = maker->uses.items[u];
            size_t l = 0;
            while (l < live.count && live.items[l] != result)
                l++;
            if (l == live.count) arena_push(maker->arena, &live, result);
            maker->next_use[result] = k;
        }
        if (live.count > SECTION_LIVE_MAX) return false;
        position->first_live = (uint32_t)maker->lives.count;
        position->live_count = (uint32_t)live.count;
        for (uint32_t result = 0, left = (uint32_t)live.count; left > 0;) {
            uint32_t least = NOBODY;
            for (size_t l = 0; l < live.count; l++)
                if (live.items[l] >= result && live.items[l] < least) least = live.items[l];
            const uint32_t distance = maker->next_use[least] - k;
            const struct section_live one = {(uint16_t)least,
                                             (uint16_t)(distance < UINT16_MAX ? distance : UINT16_MAX)};
            arena_push(maker->arena, &maker->lives, one);
            result = least + 1;
            left--;
        }
    }
    return true;
}

bool section_program_make(const struct block_sections *sections, uint32_t code,
                          const struct section_residue *residue, struct arena *arena,
                          struct section_program *program) {
    struct maker maker = {
        .sections = sections, .code = sections_code(sections, code), .arena = arena, .program = program};
    const size_t count = (size_t)maker.code.count + 1;
    *program = (struct section_program){0};
    program->positions = arena_array(arena, count, sizeof *program->positions);
    maker.first_use = arena_array(arena, count, sizeof *maker.first_use);
    maker.writer = arena_array(arena, (size_t)sections->block->code.register_count + 1, sizeof *maker.writer);
    /* The first pass counts old results, whose numbers the second one's results come behind. */
    find_uses(&maker, residue->registers, UINT32_MAX / 2);
    find_uses(&maker, residue->registers, (uint32_t)maker.rests.count);
    program->old_count = (uint32_t)maker.rests.count;
    program->old_rest = maker.rests.items;
    if ((size_t)program->old_count + program->count > UINT16_MAX) return false;
    if (!find_lives(&maker, program->old_count + program->count)) return false;
    arena_reserve(arena, &maker.lives, 1); /* there where nothing waits, too: it is added to */
    program->lives = maker.lives.items;
    return true;
}
