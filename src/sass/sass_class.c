#include "sass/sass.h"

#include <string.h>

static const char *const names[SASS_CLASS_COUNT] = {
#define SASS_CLASS(enumerator, name, what) name,
#include "sass/class_table.h"
#undef SASS_CLASS
};

const char *sass_class_name(enum sass_class class) {
    return names[class];
}

enum sass_class sass_class_find(const char *name) {
    uint32_t class = 0;
    while (class < SASS_CLASS_COUNT && strcmp(names[class], name) != 0)
        class ++;
    return (enum sass_class) class;
}

/* ---- Classes by opcode --------------------------------------------------------------------------------- */

#define SASS_CLASS_NONE SASS_CLASS_COUNT

static const uint8_t classes[SASS_OP_COUNT] = {
    [SASS_OP_UNKNOWN] = SASS_CLASS_NONE,
#define SASS_OPCODE(enumerator, name, class, ptx_class, family) SASS_CLASS_##class,
#define SASS_FORM(...)
#include "sass/opcode_table.h"
#undef SASS_OPCODE
#undef SASS_FORM
};

/* The size of 64 bits in conversions. */
#define SIZE_64 3u

/* CCTL empties caches of which bounds take nothing for granted, brings a line of each lane, or sets how long
 * it is kept. All other forms have lines written back, or thrown away: what that takes nobody publishes. */
static enum sass_class class_of_control(const struct sass_inst *inst) {
    switch (sass_field(inst, SASS_FIELD_OPERATION)) {
    case SASS_CCTL_PF1:
    case SASS_CCTL_PF2:
    case SASS_CCTL_PML2:
    case SASS_CCTL_DML2: return SASS_CLASS_PREFETCH;
    case SASS_CCTL_IVALL:
    case SASS_CCTL_IVALLP: return SASS_CLASS_NOP;
    default: return SASS_CLASS_COUNT;
    }
}

enum sass_class sass_class_of(const struct sass_inst *inst) {
    const enum sass_class class = classes[inst->op];
    if (inst->op == SASS_OP_CCTL) return class_of_control(inst);
    const bool wide =
        sass_field(inst, SASS_FIELD_TO_SIZE) == SIZE_64 || sass_field(inst, SASS_FIELD_FROM_SIZE) == SIZE_64;
    return class == SASS_CLASS_CONVERT && wide ? SASS_CLASS_CONVERT_WIDE : class;
}

/* ---- Memory without known addresses ---- */

#define LANES 32u
#define LINE_SECTORS 4u

/* Texels that a lane reads at most: those next to a place in each dimension, on two levels of detail. */
static uint32_t texels_of(const struct sass_inst *inst) {
    static const uint8_t next_to[8] = {2, 4, 8, 4, 2, 4, 8, 4}; /* by shape */
    enum { LEVEL_ZERO = 1 };
    const uint32_t levels = sass_field(inst, SASS_FIELD_MODE) == LEVEL_ZERO ? 1 : 2;
    switch ((enum sass_op)inst->op) {
    case SASS_OP_TEX: return levels * next_to[sass_field(inst, SASS_FIELD_SHAPE)];
    case SASS_OP_TLD4: return 4;
    case SASS_OP_TLD:
    case SASS_OP_SULD:
    case SASS_OP_SUST:
    case SASS_OP_SUST_P: return 1;
    default: return 0;
    }
}

struct sass_touched sass_touched_of(const struct sass_inst *inst) {
    const enum sass_class class = sass_class_of(inst);
    if (class == SASS_CLASS_PREFETCH) return (struct sass_touched){LANES, LANES * LINE_SECTORS};
    if (class != SASS_CLASS_TEXTURE && class != SASS_CLASS_SURFACE) return (struct sass_touched){0};
    /* Of a handle that lanes may have each its own, what describes the texture and its sampler. */
    const bool one_handle = inst->c.kind == SASS_SOURCE_CONST || inst->c.kind == SASS_SOURCE_UREG;
    const uint32_t places = LANES * texels_of(inst) + 2 * (one_handle ? 1 : LANES);
    return (struct sass_touched){places, places};
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

/* Registers of each of A, B and C. */
static uint32_t operand_registers(const struct sass_inst *inst, uint32_t operand) {
    switch (inst->op) {
    case SASS_OP_DADD:
    case SASS_OP_DMUL:
    case SASS_OP_DFMA:
    case SASS_OP_DSETP: return 2;
    case SASS_OP_IMAD_WIDE:
    case SASS_OP_IMAD_HI: return operand == 2 ? 2 : 1;
    case SASS_OP_HMMA:
    case SASS_OP_IMMA:
    case SASS_OP_DMMA: return operand == 1 ? 2 : 4; /* or fewer */
    default: return 1;
    }
}

void sass_operands(const struct sass_inst *inst, struct sass_operand operands[SASS_OPERANDS]) {
    const struct sass_source *sources[SASS_OPERANDS] = {&inst->a, &inst->b, &inst->c};
    for (uint32_t i = 0; i < SASS_OPERANDS; i++) {
        const struct sass_source *source = sources[i];
        const bool reads = source->kind == SASS_SOURCE_REG && source->number != SASS_RZ;
        operands[i] = (struct sass_operand){0};
        if (reads)
            operands[i] = (struct sass_operand){(uint8_t)source->number, (uint8_t)operand_registers(inst, i),
                                                source->reuse};
    }
}

void sass_bank_reads(const struct sass_operand operands[SASS_OPERANDS], uint32_t banks,
                     uint8_t reads[SASS_BANKS_MAX]) {
    memset(reads, 0, SASS_BANKS_MAX * sizeof *reads);
    for (uint32_t i = 0; i < SASS_OPERANDS; i++)
        for (uint32_t r = 0; r < operands[i].count; r++)
            reads[(operands[i].number + r) % banks]++;
}

bool sass_constant_is_indexed(const struct sass_inst *inst) {
    const bool loads = inst->op == SASS_OP_ULDC || inst->op == SASS_OP_LDCU || inst->op == SASS_OP_LDC;
    const struct sass_source *index = &inst->a;
    return loads && ((index->kind == SASS_SOURCE_REG && index->number != SASS_RZ) ||
                     (index->kind == SASS_SOURCE_UREG && index->number != SASS_URZ));
}

const struct sass_source *sass_constant_operand(const struct sass_inst *inst) {
    const struct sass_source *sources[] = {&inst->a, &inst->b, &inst->c};
    if (inst->op == SASS_OP_LDC) return NULL;
    for (uint32_t operand = 0; operand < 3; operand++)
        if (sources[operand]->kind == SASS_SOURCE_CONST || sources[operand]->kind == SASS_SOURCE_BINDLESS)
            return sources[operand];
    return NULL;
}
