/* One machine instruction. */
#ifndef WB_SASS_SASS_H
#define WB_SASS_SASS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* One machine instruction of an NVIDIA GPU (SASS), decoded: sm_75 to sm_90, 16 bytes each.
 *
 * What is not named here is a field of the instruction word with a name of its own (enum sass_field). Which
 * opcodes there are, where their operands and fields stand and how they are written is one table,
 * sass/opcode_table.h. */

#define SASS_BYTES 16u /* of an instruction */

#define SASS_RZ 255u  /* the register that is always zero, as it is numbered here for every architecture */
#define SASS_URZ 255u /* the uniform one */
#define SASS_PT 7u    /* the predicate that is always true; UPT, too */

struct sass_row;

/* An operand that is read. */
enum sass_source_kind {
    SASS_SOURCE_NONE,    /* the instruction has no such operand */
    SASS_SOURCE_REG,     /* number: R0 .. R254, or SASS_RZ */
    SASS_SOURCE_UREG,    /* number: UR0 .. UR62 (sm_100 and later: UR254), or SASS_URZ */
    SASS_SOURCE_IMM,     /* value: 32 bits as they stand in the word; of a double the upper half */
    SASS_SOURCE_CONST,   /* c[number][value]; value: byte offset */
    SASS_SOURCE_BINDLESS /* cx[UR number][value] */
};

struct sass_source {
    uint8_t kind; /* enum sass_source_kind */
    bool negated; /* arithmetically; of an operation with .X, bitwise */
    bool absolute;
    bool reuse;    /* kept in the register cache */
    uint8_t lanes; /* of halves: 0 both, 1 F32, 2 H0_H0, 3 H1_H1; of I2F: the part that is converted, bits 60
                      and 61 */
    uint16_t number;
    uint32_t value;
};

/* A predicate that is read or written: P0 .. P6 or SASS_PT; UP0 .. UP6 where uniform. */
struct sass_predicate {
    uint8_t number;
    bool negated; /* of one that is read */
    bool uniform;
    bool present; /* the instruction has this operand */
};

/* [R + UR + offset] */
struct sass_address {
    uint16_t reg;        /* SASS_RZ: none */
    uint16_t ureg;       /* SASS_URZ: none */
    bool wide;           /* the register is a pair: 64 bits */
    bool ureg_is_policy; /* the uniform registers say how to cache, they are no part of the address */
    uint8_t scale;       /* of the register: 1, 4, 8, 16 */
    int64_t offset;
};

/* When the instruction, and the next one of its warp, may be issued. */
struct sass_control {
    uint8_t stall;         /* cycles until the next one, 0 to 15 */
    bool yield;            /* do not issue this warp in the next cycle (the bit itself is inverted) */
    uint8_t write_counter; /* counts down when the result is written: SB0 .. SB5, or SASS_NO_COUNTER */
    uint8_t read_counter;  /* when the sources have been read */
    uint8_t waits;         /* bit i: SBi must be 0 first */
};

#define SASS_NO_COUNTER 7u

enum sass_op {
    SASS_OP_UNKNOWN,
#define SASS_OPCODE(enumerator, ...) SASS_OP_##enumerator,
#define SASS_FORM(...)
#include "sass/opcode_table.h"
#undef SASS_OPCODE
#undef SASS_FORM
    SASS_OP_COUNT
};

struct sass_inst {
    uint64_t word[2];            /* the 128 bits, the lower half first */
    const struct sass_row *row;  /* of the table; NULL: an opcode, or a field's value, that is not known */
    uint16_t op;                 /* enum sass_op */
    struct sass_predicate guard; /* PT: always executed */
    bool listed;                 /* it has a modifier of which only the text is known, not what it means */
    bool d_uniform;              /* the destination is UR d */
    bool has_d;
    uint16_t d; /* destination register, or SASS_RZ, SASS_URZ */
    /* A, B and C of the operation, wherever they stand in the word. What has two sources has A and B (FADD,
     * DADD, HADD2 and DSETP, too), what has one has B (but R2UR, MATCH, REDUX, RET, BRX, calls: A). Stores
     * and atomics: B is the data, of CAS what is compared with, and C the new value. LDC and ULDC: B is the
     * constant, A the register that is added to its offset, where there is one. BRA.DIV: A is the mask,
     * inverted where `negated`. LDGSTS: the global address is `address`, the one in shared memory A + C. */
    struct sass_source a, b, c;
    struct sass_predicate to[2];   /* Pd0, Pd1: predicates written; SASS_PT: none */
    struct sass_predicate from[3]; /* Ps, Ps2, Ps3: predicates read */
    struct sass_address address;   /* of memory instructions */
    uint32_t target;               /* of branches, calls, BSSY: byte offset in the section */
    struct sass_control control;
};

/* Fields of instruction words: modifiers and small numbers. A field that the row does not have is 0. */
enum sass_field {
#define SASS_FIELD(enumerator, comment) SASS_FIELD_##enumerator,
#include "sass/field_table.h"
#undef SASS_FIELD
    SASS_FIELDS
};

uint32_t sass_field(const struct sass_inst *inst, enum sass_field field);

/* Decodes the instruction at byte `at` of a section's code for architecture `sm` (75, 80, ...). An opcode or
 * a field's value that is not known: false, *reason says what (a constant text); the control field and the
 * guard are decoded in any case. */
bool sass_decode(uint32_t sm, const uint8_t bytes[SASS_BYTES], uint32_t at, struct sass_inst *inst,
                 const char **reason);

/* Writes the instruction, such as "@!P0 IADD3.X R3, R3, R5, RZ, P0, !PT", without its control field; targets
 * as labels, L_0x0230. Of what is not known: its bytes. */
void sass_put(const struct sass_inst *inst, struct text *text);

/* Writes the control field: "B0--3-5:R1:W0:Y:S04", counters waited for, read and write counter, yield,
 * stall. */
void sass_put_control(const struct sass_control *control, struct text *text);

/* The mnemonic of an opcode, such as "IADD3". */
const char *sass_op_name(enum sass_op op);

/* Rows of the opcode table in memory: what each bit of an instruction word is. */

/* Architectures that code instructions alike. */
enum {
    SASS_TURING = 1, /* sm_75 */
    SASS_AMPERE = 2, /* sm_80 to sm_89 */
    SASS_HOPPER = 4, /* sm_90 */
    SASS_LATER = 8   /* sm_100 and later */
};

enum sass_item_kind {
    ITEM_FIELD,     /* a field; `names` are the texts of its values, behind the opcode's name, or NULL */
    ITEM_TEXT,      /* the same for bits that are other items' fields too, or no field */
    ITEM_NUMBER,    /* a field that is printed as an operand */
    ITEM_NUMBER_IF, /* the same, left out where it is 0 */
    ITEM_WORD,      /* a field that is printed as an operand, by its names */
    ITEM_CONSTANT,  /* a field with one value, `value`: no bits */
    ITEM_PLAIN,     /* names[0] behind the name, always: no bits */
    ITEM_FIXED,     /* bits whose value is `value` */
    ITEM_REGISTER,  /* a register that is printed and no more: of instructions that are only listed */
    ITEM_D,         /* destination: register at `low` */
    ITEM_A,         /* register at `low`, which is source A; signs at 72 and 73 as `signs` has it */
    ITEM_B,     /* source B where the form has it: registers, constants and immediates at 32, else at 64 */
    ITEM_C,     /* source C, likewise */
    ITEM_REG_B, /* B is the register at `low` */
    ITEM_REG_C,
    ITEM_IMM_B, /* B is a small immediate */
    ITEM_IMM_C,
    ITEM_CONSTANT_BANK, /* B is c[..][..]; `value`: which register is its index (enum sass_index) */
    ITEM_HANDLE,  /* C is where the handle of a texture or surface is: a constant, or a uniform register */
    ITEM_TO,      /* predicate written: to[value] */
    ITEM_FROM,    /* predicate read: from[value], inverted by the bit at `high` */
    ITEM_ADDRESS, /* register at 24, offset at `low` */
    ITEM_ADDRESS_UREG, /* uniform register of the address */
    ITEM_ADDRESS_WIDE, /* bit that says that the register is a pair */
    ITEM_ADDRESS_POLICY,
    ITEM_ADDRESS_SCALE,
    ITEM_TARGET,
    ITEM_GUARD, /* the guard is a uniform predicate: no bits */
    ITEM_COUNTERS,
    ITEM_PREDICATES /* the text `PR` */
};

/* Where operands have bits of their own for sign and magnitude. */
enum sass_signs {
    SIGNS_NONE,
    SIGNS_NEG,
    SIGNS_FLOAT, /* negated, absolute */
    SIGNS_HALF,  /* those and which half */
    SIGNS_LANE,  /* the same of a conversion */
    SIGNS_NOT,   /* inverted */
    SIGNS_PART,  /* which byte or half of an integer; of numbers: B registers */
    SIGNS_MASK,  /* inverted by bit 30 */
    SIGNS_UPPER, /* of a number; the bit at `high`: its upper half */
    SIGNS_DESC,  /* none, printed as desc[] */
    SIGNS_ROW,   /* of matrices: none, printed as .ROW and .COL */
    SIGNS_COL,
    SIGNS_SHARED /* of LDGSTS: an address, with an offset that is source C */
};

enum sass_index { INDEX_NONE, INDEX_REG, INDEX_UREG, INDEX_LDCU };

/* When an operand takes part; elsewhere its bits have a value of their own and it is not printed. */
enum sass_when {
    WHEN_ALWAYS,
    WHEN_PT,         /* always; what it means where it is not PT is not known */
    WHEN_USED,       /* always; not printed where it is PT, RZ or 0 */
    WHEN_BIT,        /* the bit `bit` is set; else PT */
    WHEN_BIT_NOT_PT, /* the bit is set; else !PT */
    WHEN_LEA,        /* C of LEA: HIGH is set and SX32 is not; else RZ */
    WHEN_MERGE,      /* C of F2FP: MERGE_C is set; else RZ */
    WHEN_COLLECTIVE, /* bit 86 is set */
    WHEN_ALONE,      /* bit 86 is not set */
    WHEN_RED,        /* of BAR: RED and SCAN; else all bits 0, or PT */
    WHEN_DIVERGENT,  /* of BRA: .DIV and .CONV; else 0 */
    WHEN_NO_UREG,    /* bit 91 is not set */
    WHEN_UREG        /* bit 91 is set */
};

struct sass_item {
    uint8_t kind; /* enum sass_item_kind */
    uint8_t field;
    uint8_t low, width;
    uint8_t high, high_width; /* further bits, above those, or a bit of inversion */
    uint8_t when, bit;        /* enum sass_when */
    uint8_t signs;            /* enum sass_signs */
    bool uniform;             /* register or predicate */
    uint16_t value;
    uint64_t listed;          /* set of values of which only the text is known, not what they mean */
    const char *const *names; /* 1 << (width + high_width) of them; NULL: a value that is not known */
    const uint8_t *values;    /* what the field's value is for each of them; NULL: the bits themselves */
};

struct sass_row {
    uint16_t op;         /* enum sass_op */
    uint8_t generations; /* set of SASS_TURING ... */
    bool also;           /* of the same operation as the row before */
    bool second_at_b;  /* the second of two operands is coded as C where it is no register: B all the same */
    bool second_at_64; /* and a register stands at 64 */
    uint8_t forms;     /* set of 1 << form */
    uint8_t item_count;
    const struct sass_item *items;
};

/* Of SASS_TURING ...; 0: an architecture that is not known. */
uint32_t sass_generation(uint32_t sm);

static inline uint64_t sass_bits(const uint64_t word[2], uint32_t low, uint32_t width) {
    uint64_t value = low >= 64 ? word[1] >> (low - 64) : word[0] >> low;
    if (low < 64 && low + width > 64) value |= word[1] << (64 - low);
    return value & (UINT64_MAX >> (64 - width));
}

/* The value of an item's bits. */
static inline uint32_t sass_item_bits(const uint64_t word[2], const struct sass_item *item) {
    uint64_t value = sass_bits(word, item->low, item->width);
    if (item->high_width) value |= sass_bits(word, item->high, item->high_width) << item->width;
    return (uint32_t)value;
}

/* Whether the operand takes part. */
bool sass_item_used(const struct sass_inst *inst, const struct sass_item *item);

/* The row of the opcode table that an instruction word belongs to. */

/* The row of the opcode in bits 0 to 11, or NULL. */
const struct sass_row *find_row(uint32_t generation, uint32_t opcode);

/* How soon a dependence counter goes down at the earliest: the shortest latencies known of the instructions
 * that take no fixed time. docs/machine-code.md has the table with its sources. */

/* Cycles from the issue of an instruction to that of one that waits for its counter, where nothing is known:
 * sooner the waiting one would not even see that the counter has gone up. */
#define SASS_COUNTER_SEEN 2u

/* Cycles from the issue of an instruction to the earliest issue of one that waits for its counter. */
struct sass_latency {
    uint8_t written; /* for the counter that goes down when the result is written */
    uint8_t read;    /* for the one that goes down when the sources have been read */
};

/* Of an instruction that has a lane for which it does something; of one that may do nothing for the lane, as
 * its guard or another predicate can be false, or as nothing is to be written: SASS_COUNTER_SEEN. */
struct sass_latency sass_least_latency(uint32_t sm, const struct sass_inst *inst);

/* The machine code of a module: what its lifted functions were made from (lift/), and what they are timed by.
 */

struct machine_inst {
    struct sass_inst sass;
    uint32_t kernel;     /* index into kernels */
    uint32_t address;    /* byte offset in the kernel's section */
    uint32_t file, line; /* source line (file: index into files); line 0: not known */
    uint32_t ptx_line;   /* of the PTX text that ptxas read; 0: not known */
    const char *unknown; /* what of it is not known, or NULL */
};

struct machine_kernel {
    const char *name;
    uint32_t first, count; /* instructions */
    uint32_t registers;    /* of a thread */
    uint64_t shared_bytes; /* static */
    uint32_t stack_bytes;
    uint32_t function; /* of the module */
};

struct machine_code {
    uint32_t sm; /* architecture: 75, 80, ... */
    struct machine_inst *insts;
    uint32_t inst_count;
    struct machine_kernel *kernels;
    uint32_t kernel_count;
    const char **files; /* of source lines */
    uint32_t file_count;
    bool returns_by_stack;  /* some RET goes where local memory says */
    uint64_t address_bytes; /* of the constants that are addresses of variables (bank 4) */
};

/* Writes all kernels with addresses, control codes, labels and source lines, an instruction a line; at[i] is
 * where instruction i of the code begins in the text. Uses memory of the arena, which is protected. */
void machine_code_list(const struct machine_code *code, struct arena *arena, struct text *text, uint32_t *at);

/* Shared memory from 0 on that belongs to the system, on sm_90 and later. The file counts it as the kernel's;
 * a machine states it by itself (shared_reserved). */
#define MACHINE_SYSTEM_SHARED 1024u

/* Of bytes of shared memory, counted from address 0, those that the launch takes. */
static inline uint64_t machine_code_shared(const struct machine_code *code, uint64_t bytes) {
    const uint64_t system = code != NULL && code->sm >= 90 ? MACHINE_SYSTEM_SHARED : 0;
    return bytes > system ? bytes - system : 0;
}

/* What timing needs to know of a machine instruction: its class, the registers that it reads from each bank,
 * and the constants that it reads before it is issued. */

enum sass_class {
#define SASS_CLASS(enumerator, name, what) SASS_CLASS_##enumerator,
#include "sass/class_table.h"
#undef SASS_CLASS
    SASS_CLASS_COUNT
};

/* Its name in machine files. */
const char *sass_class_name(enum sass_class class);

/* The class of a name; SASS_CLASS_COUNT when there is none. */
enum sass_class sass_class_find(const char *name);

/* Operations of CCTL. */
enum sass_cctl {
    SASS_CCTL_PF1,
    SASS_CCTL_PF2,
    SASS_CCTL_IVALL = 4,
    SASS_CCTL_IVALLP = 6,
    SASS_CCTL_PML2 = 9,
    SASS_CCTL_DML2
};

/* What the lanes of a warp touch at most of memory of which nobody knows where: lines of 128 bytes, and
 * sectors of 32. 0: nothing, or at addresses that can be known. A texel lies in one sector. */
struct sass_touched {
    uint16_t lines, sectors;
};
struct sass_touched sass_touched_of(const struct sass_inst *inst);

static inline bool sass_touches_anything(const struct sass_inst *inst) {
    return sass_touched_of(inst).lines > 0;
}

/* The class of an instruction; SASS_CLASS_COUNT of one whose time nothing states. */
enum sass_class sass_class_of(const struct sass_inst *inst);

/* Most banks of a register file. */
#define SASS_BANKS_MAX 4u

/* Operands A, B and C of an instruction. */
#define SASS_OPERANDS 3u

/* The registers that one of them is read from. */
struct sass_operand {
    uint8_t number, count; /* from this one on; none: 0 */
    bool kept;             /* reuse: the register cache keeps it */
};

void sass_operands(const struct sass_inst *inst, struct sass_operand operands[SASS_OPERANDS]);

/* Counts what is read from each of `banks` banks: register r is in bank r mod banks, an operand of several
 * registers in each of theirs. What the register cache keeps counts, too. */
void sass_bank_reads(const struct sass_operand operands[SASS_OPERANDS], uint32_t banks,
                     uint8_t reads[SASS_BANKS_MAX]);

/* Whether a register is added to where the constant operand stands. */
bool sass_constant_is_indexed(const struct sass_inst *inst);

/* The operand of an arithmetic or uniform instruction that is in a constant bank; NULL: none is. LDC, which
 * reads constants by way of memory, has none. */
const struct sass_source *sass_constant_operand(const struct sass_inst *inst);

/* Whether that is a constant without a bank, of which nothing is known. */
static inline bool sass_reads_bindless(const struct sass_inst *inst) {
    const struct sass_source *constant = sass_constant_operand(inst);
    return constant != NULL && constant->kind == SASS_SOURCE_BINDLESS;
}

#endif
