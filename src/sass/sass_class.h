/* What timing needs to know of a machine instruction: its class, the registers that it reads from each bank,
 * and the constants that it reads before it is issued. */
#ifndef WB_SASS_SASS_CLASS_H
#define WB_SASS_SASS_CLASS_H

#include "sass/sass.h"

enum sass_class {
#define SASS_CLASS(enumerator, name, what) SASS_CLASS_##enumerator,
#include "sass/class_table.h"
#undef SASS_CLASS
    SASS_CLASS_COUNT
};

/* Its name in machine files. */
const char *sass_class_name(enum sass_class class);

/* What is in it, for people. */
const char *sass_class_what(enum sass_class class);

/* The class of a name; SASS_CLASS_COUNT when there is none. */
enum sass_class sass_class_find(const char *name);

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

#endif
