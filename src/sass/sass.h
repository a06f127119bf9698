/* One machine instruction of an NVIDIA GPU (SASS), decoded: sm_75 to sm_90, 16 bytes each.
 *
 * What is not named here is a field of the instruction word with a name of its own (enum sass_field). Which
 * opcodes there are, where their operands and fields stand and how they are written is one table,
 * sass/opcode_table.h. */
#ifndef WB_SASS_SASS_H
#define WB_SASS_SASS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

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

#endif
