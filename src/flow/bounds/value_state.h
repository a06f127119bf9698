/* What is known of the values of an SSA form at one place of the code: a range for each value and special
 * register, and each value as a linear form of others. Conditions that hold in a part of the code refine the
 * ranges while that part is looked at, and are taken back behind it. */
#ifndef WB_FLOW_BOUNDS_VALUE_STATE_H
#define WB_FLOW_BOUNDS_VALUE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "flow/bounds/value_range.h"
#include "flow/values/ssa.h"

/* Values of one kind of special register over the threads that are asked about: [low, high]. */
struct sreg_range {
    bool known;
    uint64_t low, high;
};

/* What is known of a launch when a function is looked at. */
struct loop_environment {
    struct sreg_range sregs[PTX_SREG_COUNT]; /* by enum ptx_sreg */
    /* Whether the `bytes` bytes at `offset` of parameter variable `variable` (of the module) are known, and
     * their value; NULL: no parameter is known. */
    bool (*parameter)(const void *user, uint32_t variable, uint64_t offset, uint32_t bytes, uint64_t *value);
    const void *user;
};

#define LINEAR_TERMS_MAX 4u

/* Words as linear forms c + f1 * s1 + f2 * s2 ... modulo 2^bits of symbols: values and special registers.
 * What two words have in common cancels in their difference, however they were computed.
 * Terms are sorted by symbol, without factors of zero. What symbols are is up to the user. */
struct linear {
    uint64_t constant;
    uint64_t factors[LINEAR_TERMS_MAX];
    uint32_t symbols[LINEAR_TERMS_MAX];
    uint8_t term_count;
    uint8_t bits;
};

struct linear linear_constant(uint32_t bits, uint64_t word);
struct linear linear_symbol(uint32_t bits, uint32_t symbol);

/* a + factor * b, of forms of one width; false when that has too many terms. */
bool linear_add(const struct linear *a, const struct linear *b, uint64_t factor, struct linear *sum);

/* The factor of a symbol; 0 when it is not there. */
uint64_t linear_factor(const struct linear *form, uint32_t symbol);

/* The form without the symbol's term. */
struct linear linear_without(const struct linear *form, uint32_t symbol);

/* A range before it was refined. */
struct refined {
    uint32_t symbol;
    struct value_range before;
};

/* Symbols are the values and, behind them, the special registers that keep their value in a thread: symbol
 * value_count + sreg. */
struct value_state {
    struct arena *arena; /* of what is below */
    const struct ssa *ssa;
    const struct dominators *dominators;
    const struct loop_environment *environment;
    struct value_range *ranges; /* by symbol; a register's width, of special registers 32 bits */
    struct linear *forms;       /* by value; the value's own symbol when it is nothing else */
    VEC(struct refined) log;
    bool dead; /* the conditions contradict each other: control does not come here */
};

/* A place to take refinements back to. */
struct state_mark {
    size_t refined;
    bool dead;
};

/* An operand as an instruction reads it. */
struct operand_reading {
    uint32_t value; /* of a register read in its own width; else SSA_NONE */
    struct value_range range;
    bool has_form;
    struct linear form;
};

/* Nothing is known yet but the environment. */
void value_state_init(const struct ssa *ssa, const struct dominators *dominators,
                      const struct loop_environment *environment, struct arena *arena,
                      struct value_state *state);

/* The range of a value here. */
struct value_range state_range(const struct value_state *state, uint32_t value);

/* The range of a linear form. */
struct value_range state_linear(const struct value_state *state, const struct linear *form);

/* Whether a form is the symbol of this value and nothing else. */
bool linear_is_symbol(const struct linear *form, uint32_t value);

/* What an operand can be that an instruction takes for an integer of this width. */
struct value_range state_operand_range(const struct value_state *state, uint32_t inst,
                                       const struct ptx_operand *operand, uint32_t bits);

/* The same with the value read, and its form. */
struct operand_reading state_operand(const struct value_state *state, uint32_t inst,
                                     const struct ptx_operand *operand, uint32_t bits);

/* Refines what is known of a value: it is in `allowed`. What it was computed from is refined with it. */
void state_refine(struct value_state *state, uint32_t value, const struct value_range *allowed);

/* Sets the range of a value until it is taken back. */
void state_set(struct value_state *state, uint32_t symbol, const struct value_range *range);

struct state_mark state_mark(const struct value_state *state);
void state_undo(struct value_state *state, struct state_mark mark);

#endif
