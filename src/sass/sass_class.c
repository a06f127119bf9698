#include "sass/sass.h"

#include <string.h>

/* Names and contents by class. */
static const struct {
    const char *name, *what;
} texts[SASS_CLASS_COUNT] = {
#define SASS_CLASS(enumerator, name, what) {name, what},
#include "sass/class_table.h"
#undef SASS_CLASS
};

const char *sass_class_name(enum sass_class class) {
    return texts[class].name;
}

const char *sass_class_what(enum sass_class class) {
    return texts[class].what;
}

enum sass_class sass_class_find(const char *name) {
    uint32_t class = 0;
    while (class < SASS_CLASS_COUNT && strcmp(texts[class].name, name) != 0)
        class ++;
    return (enum sass_class) class;
}

/* ---- Classes by opcode --------------------------------------------------------------------------------- */

/* 0: none. */
#define CLASS(name) (SASS_CLASS_##name + 1)

static const uint8_t classes[SASS_OP_COUNT] = {
    [SASS_OP_IADD3] = CLASS(ALU),
    [SASS_OP_VIADD] = CLASS(ALU),
    [SASS_OP_IABS] = CLASS(ALU),
    [SASS_OP_IMNMX] = CLASS(ALU),
    [SASS_OP_VIMNMX] = CLASS(ALU),
    [SASS_OP_VIMNMX3] = CLASS(ALU),
    [SASS_OP_VIADDMNMX] = CLASS(ALU),
    [SASS_OP_VABSDIFF] = CLASS(IMAD),
    [SASS_OP_VABSDIFF4] = CLASS(IMAD),
    [SASS_OP_LEA] = CLASS(ALU),
    [SASS_OP_LOP3] = CLASS(ALU),
    [SASS_OP_SHF] = CLASS(ALU),
    [SASS_OP_PRMT] = CLASS(ALU),
    [SASS_OP_SGXT] = CLASS(ALU),
    [SASS_OP_BMSK] = CLASS(ALU),
    [SASS_OP_ISETP] = CLASS(ALU),
    [SASS_OP_SEL] = CLASS(ALU),
    [SASS_OP_MOV] = CLASS(ALU),
    [SASS_OP_I2FP] = CLASS(ALU),
    [SASS_OP_F2FP] = CLASS(ALU),
    [SASS_OP_P2R] = CLASS(ALU),
    [SASS_OP_R2P] = CLASS(ALU),
    [SASS_OP_PLOP3] = CLASS(ALU),
    [SASS_OP_FMNMX] = CLASS(ALU),
    [SASS_OP_FSEL] = CLASS(ALU),
    [SASS_OP_FSETP] = CLASS(ALU),
    [SASS_OP_FSET] = CLASS(ALU),
    [SASS_OP_FADD] = CLASS(FMA),
    [SASS_OP_FMUL] = CLASS(FMA),
    [SASS_OP_FFMA] = CLASS(FMA),
    [SASS_OP_FSWZADD] = CLASS(FMA),
    [SASS_OP_IMAD] = CLASS(IMAD),
    [SASS_OP_IDP] = CLASS(IMAD),
    [SASS_OP_IMAD_WIDE] = CLASS(IMAD_WIDE),
    [SASS_OP_IMAD_HI] = CLASS(IMAD_WIDE),
    [SASS_OP_HADD2] = CLASS(FP16),
    [SASS_OP_HMUL2] = CLASS(FP16),
    [SASS_OP_HFMA2] = CLASS(FP16),
    [SASS_OP_HSETP2] = CLASS(FP16),
    [SASS_OP_HSET2] = CLASS(FP16),
    [SASS_OP_HMNMX2] = CLASS(FP16),
    [SASS_OP_DADD] = CLASS(FP64),
    [SASS_OP_DMUL] = CLASS(FP64),
    [SASS_OP_DFMA] = CLASS(FP64),
    [SASS_OP_DSETP] = CLASS(FP64),
    [SASS_OP_HMMA] = CLASS(TENSOR),
    [SASS_OP_IMMA] = CLASS(TENSOR),
    [SASS_OP_BMMA] = CLASS(TENSOR),
    [SASS_OP_DMMA] = CLASS(TENSOR_FP64),
    [SASS_OP_MUFU] = CLASS(MUFU),
    [SASS_OP_FCHK] = CLASS(MUFU),
    [SASS_OP_FRND] = CLASS(CONVERT),
    [SASS_OP_F2F] = CLASS(CONVERT),
    [SASS_OP_F2I] = CLASS(CONVERT),
    [SASS_OP_I2F] = CLASS(CONVERT),
    [SASS_OP_I2I] = CLASS(CONVERT),
    [SASS_OP_I2IP] = CLASS(CONVERT),
    [SASS_OP_POPC] = CLASS(BIT_COUNT),
    [SASS_OP_FLO] = CLASS(BIT_COUNT),
    [SASS_OP_BREV] = CLASS(BIT_COUNT),
    [SASS_OP_UIADD3] = CLASS(UNIFORM),
    [SASS_OP_UIMAD] = CLASS(UNIFORM),
    [SASS_OP_UIMAD_WIDE] = CLASS(UNIFORM),
    [SASS_OP_UIMAD_HI] = CLASS(UNIFORM),
    [SASS_OP_ULEA] = CLASS(UNIFORM),
    [SASS_OP_ULOP3] = CLASS(UNIFORM),
    [SASS_OP_USHF] = CLASS(UNIFORM),
    [SASS_OP_UISETP] = CLASS(UNIFORM),
    [SASS_OP_USEL] = CLASS(UNIFORM),
    [SASS_OP_UPRMT] = CLASS(UNIFORM),
    [SASS_OP_USGXT] = CLASS(UNIFORM),
    [SASS_OP_UBMSK] = CLASS(UNIFORM),
    [SASS_OP_UFLO] = CLASS(UNIFORM),
    [SASS_OP_UBREV] = CLASS(UNIFORM),
    [SASS_OP_UPOPC] = CLASS(UNIFORM),
    [SASS_OP_UMOV] = CLASS(UNIFORM),
    [SASS_OP_UPLOP3] = CLASS(UNIFORM),
    [SASS_OP_ULDC] = CLASS(UNIFORM_CONSTANT),
    [SASS_OP_LDCU] = CLASS(UNIFORM_CONSTANT),
    [SASS_OP_R2UR] = CLASS(TO_UNIFORM),
    [SASS_OP_REDUX] = CLASS(REDUCTION),
    [SASS_OP_VOTE] = CLASS(VOTE),
    [SASS_OP_VOTEU] = CLASS(VOTE),
    [SASS_OP_MATCH] = CLASS(MATCH),
    [SASS_OP_SHFL] = CLASS(SHUFFLE),
    [SASS_OP_MOVM] = CLASS(MATRIX_MOVE),
    [SASS_OP_S2R] = CLASS(SPECIAL),
    [SASS_OP_S2UR] = CLASS(SPECIAL),
    [SASS_OP_B2R] = CLASS(SPECIAL),
    [SASS_OP_QSPC] = CLASS(SPECIAL),
    [SASS_OP_CS2R] = CLASS(CLOCK),
    [SASS_OP_BRA] = CLASS(BRANCH),
    [SASS_OP_BRX] = CLASS(BRANCH),
    [SASS_OP_BRXU] = CLASS(BRANCH),
    [SASS_OP_CALL_REL] = CLASS(BRANCH),
    [SASS_OP_CALL_ABS] = CLASS(BRANCH),
    [SASS_OP_RET] = CLASS(BRANCH),
    [SASS_OP_EXIT] = CLASS(BRANCH),
    [SASS_OP_LEPC] = CLASS(BRANCH),
    [SASS_OP_BPT] = CLASS(BRANCH),
    [SASS_OP_BSSY] = CLASS(CONVERGENCE),
    [SASS_OP_BSYNC] = CLASS(CONVERGENCE),
    [SASS_OP_BREAK] = CLASS(CONVERGENCE),
    [SASS_OP_BMOV] = CLASS(CONVERGENCE),
    [SASS_OP_WARPSYNC] = CLASS(CONVERGENCE),
    [SASS_OP_ENDCOLLECTIVE] = CLASS(CONVERGENCE),
    [SASS_OP_YIELD] = CLASS(CONVERGENCE),
    [SASS_OP_BAR] = CLASS(BARRIER),
    [SASS_OP_DEPBAR] = CLASS(WAIT),
    [SASS_OP_MEMBAR] = CLASS(FENCE),
    [SASS_OP_NOP] = CLASS(NOP),
    [SASS_OP_ERRBAR] = CLASS(NOP),
    [SASS_OP_CGAERRBAR] = CLASS(NOP),
    [SASS_OP_CCTL] = CLASS(NOP),
    [SASS_OP_LDC] = CLASS(LOAD_CONSTANT),
    [SASS_OP_LDG] = CLASS(LOAD_GLOBAL),
    [SASS_OP_LD] = CLASS(LOAD_GENERIC),
    [SASS_OP_LDL] = CLASS(LOAD_LOCAL),
    [SASS_OP_LDS] = CLASS(LOAD_SHARED),
    [SASS_OP_LDSM] = CLASS(LOAD_SHARED),
    [SASS_OP_STG] = CLASS(STORE_GLOBAL),
    [SASS_OP_ST] = CLASS(STORE_GENERIC),
    [SASS_OP_STL] = CLASS(STORE_LOCAL),
    [SASS_OP_STS] = CLASS(STORE_SHARED),
    [SASS_OP_ATOMG] = CLASS(ATOMIC_GLOBAL),
    [SASS_OP_ATOM] = CLASS(ATOMIC_GLOBAL),
    [SASS_OP_RED] = CLASS(REDUCE_GLOBAL),
    [SASS_OP_ATOMS] = CLASS(ATOMIC_SHARED),
    [SASS_OP_LDGSTS] = CLASS(ASYNC_COPY),
    [SASS_OP_LDGDEPBAR] = CLASS(ASYNC_COPY),
};

#undef CLASS

/* The size of 64 bits in conversions. */
#define SIZE_64 3u

/* Forms of CCTL that name no line: they empty caches of which bounds take nothing for granted. All others
 * prefetch lines, or have them written back: what that takes nobody publishes. */
static bool names_no_line(const struct sass_inst *inst) {
    enum { IVALL = 4, IVALLP = 6 }; /* of the table of opcodes */
    const uint32_t operation = sass_field(inst, SASS_FIELD_OPERATION);
    return operation == IVALL || operation == IVALLP;
}

enum sass_class sass_class_of(const struct sass_inst *inst) {
    const uint8_t class = classes[inst->op];
    if (class == 0 || (inst->op == SASS_OP_CCTL && !names_no_line(inst))) return SASS_CLASS_COUNT;
    const bool wide =
        sass_field(inst, SASS_FIELD_TO_SIZE) == SIZE_64 || sass_field(inst, SASS_FIELD_FROM_SIZE) == SIZE_64;
    if (class - 1 == SASS_CLASS_CONVERT && wide) return SASS_CLASS_CONVERT_WIDE;
    return (enum sass_class)(class - 1);
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
