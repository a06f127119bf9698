/* Integers of 64 bits whose halves stand in two registers, as machine code has them: which instructions,
 * taken together, are an addition or a comparison of 64 bits, and what is known of the whole
 * (docs/control-flow.md, counters in two registers). */
#ifndef WB_FLOW_BOUNDS_HALVES_H
#define WB_FLOW_BOUNDS_HALVES_H

#include "flow/bounds/value_state.h"

/* A word of 32 bits: a value of the SSA form, or a number. */
struct half {
    uint32_t value; /* SSA_NONE: the number */
    uint32_t number;
};

struct halves {
    struct half low, high;
};

/* A value of 32 bits as a half: a number, or the value that it is a copy of, where that is known. */
struct half half_of_value(const struct value_state *state, uint32_t value);

/* Two words as an instruction reads them, one as the lower half; false when these are not of 32 bits. */
bool halves_read(const struct value_state *state, uint32_t inst, const struct ptx_operand *low,
                 const struct ptx_operand *high, struct halves *whole);

/* What the two can be, put together, whatever they have to do with one another. */
struct value_range halves_joined(const struct value_range *low, const struct value_range *high);

/* The whole as an instruction of 64 bits would read it. */
struct operand_reading halves_reading(const struct value_state *state, const struct halves *whole);

/* Whether the whole is the sum of two others, modulo 2^64: the lower half by an addition whose carry the
 * upper one reads. Which upper half goes with which lower one does not matter to the sum: `crossed` says
 * which way they are put together. */
bool halves_sum(const struct value_state *state, const struct halves *whole, bool crossed,
                struct halves terms[2]);

/* The operands of a machine.setp as a comparison of 64 bits, the relation and sign being the instruction's;
 * false when what it reads is not the same comparison of lower halves. */
bool halves_compared(const struct value_state *state, uint32_t inst, struct halves *a, struct halves *b);

#endif
