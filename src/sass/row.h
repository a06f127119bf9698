/* Rows of the opcode table in memory: what each bit of an instruction word is. */
#ifndef WB_SASS_ROW_H
#define WB_SASS_ROW_H

#include "sass/sass.h"

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

#endif
