/* What is known of the values of an SSA form at one place of the code: a range for each value and special
 * register, and each value as a linear form of others. Conditions that hold in a part of the code refine the
 * ranges while that part is looked at, and are taken back behind it. */
#ifndef WB_FLOW_VALUE_STATE_H
#define WB_FLOW_VALUE_STATE_H

#include "base/vec.h"
#include "flow/linear.h"
#include "flow/loop_bounds.h"
#include "flow/value_range.h"

/* A range before it was refined. */
struct refined {
    uint32_t symbol;
    struct value_range before;
};

/* Symbols are the values and, behind them, the special registers that keep their value in a thread: symbol
 * value_count + sreg. */
struct value_state {
    const struct ssa *ssa;
    const struct dominators *dominators;
    const struct loop_environment *environment;
    struct value_range *ranges; /* by symbol; a register's width, of special registers 32 bits */
    struct linear *forms;       /* by value; the value's own symbol when it is nothing else */
    VEC(struct refined) log;
    bool dead;   /* the conditions contradict each other: control does not come here */
    bool failed; /* memory was exhausted */
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

/* Nothing is known yet but the environment. WB_ERR_LIMIT when memory is exhausted. The log is freed by
 * value_state_free. */
wb_status value_state_init(const struct ssa *ssa, const struct dominators *dominators,
                           const struct loop_environment *environment, struct arena *arena,
                           struct value_state *state);
void value_state_free(struct value_state *state);

/* Bits of a register, at most 64; 1 of predicates and of the carry flag. */
uint32_t register_bits(const struct ptx_function *function, uint32_t reg);
uint32_t value_bits(const struct ssa *ssa, uint32_t value);

/* The range of a value here. */
struct value_range state_range(const struct value_state *state, uint32_t value);

/* The range of a linear form. */
struct value_range state_linear(const struct value_state *state, const struct linear *form);

/* Whether a form is the symbol of this value and nothing else. */
bool linear_is_symbol(const struct linear *form, uint32_t value);

/* The value that an instruction reads from a register, or SSA_NONE. */
uint32_t value_read(const struct ssa *ssa, uint32_t inst, uint32_t reg);

/* The instruction that computes the value whatever its guard is: of values with a guard, phis and values at
 * the entry NULL. */
const struct ptx_inst *value_definition(const struct ssa *ssa, uint32_t value);

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
