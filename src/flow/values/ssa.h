/* Static single assignment form of one PTX function: every definition of a register is a value of its own,
 * and where several reach a block a phi joins them (Cytron et al., TOPLAS 1991). Pruned: a phi stands only
 * where its register is live. The instructions themselves stay as they are. */
#ifndef WB_FLOW_VALUES_SSA_H
#define WB_FLOW_VALUES_SSA_H

#include "flow/graph/cfg.h"
#include "flow/graph/dominators.h"
#include "flow/values/liveness.h"

enum ssa_kind {
    SSA_ENTRY, /* what the register holds when the function is entered: nothing, or a .reg parameter */
    SSA_INST,  /* written by an instruction; with a guard it keeps the old value where the guard is false */
    SSA_PHI    /* joins the values that arrive over the edges into a block */
};

struct ssa_value {
    uint32_t reg;     /* register of the function; reg_count is the carry flag */
    uint32_t version; /* numbers the values of one register, from 0, for people */
    uint8_t kind;     /* enum ssa_kind */
    uint32_t block;   /* where it is defined; of SSA_ENTRY: CFG_ENTRY */
    uint32_t inst;    /* of SSA_INST, else PTX_NO_INDEX */
    /* Into ssa.arguments. Of a phi one for each edge into its block, in the order of graph.in (SSA_NONE where
     * the edge comes from unreached code), and in block CFG_ENTRY, to which control comes from outside as
     * well, a last one behind them: what the register holds when the function is entered. Of a guarded
     * instruction one, the old value; of others none. */
    uint32_t first_argument;
    uint32_t argument_count;
};

/* Values are numbered such that those of one block follow one another, phis first, and blocks come in the
 * order of a walk down the dominator tree: a value is behind all values whose definitions dominate its own.
 * First of all come the values of SSA_ENTRY, those of the registers live at the function's start. Blocks that
 * the entry does not reach have no values, and their instructions no uses; the exit has no phis. */
struct ssa {
    const struct cfg *cfg;
    struct ssa_value *values;
    uint32_t value_count;
    uint32_t *arguments; /* values */
    uint32_t *first_phi; /* per block: its phis are values first_phi[b] .. first_phi[b] + phi_count[b] - 1 */
    uint32_t *phi_count;
    uint32_t *first_use; /* per instruction, inst_count + 1 entries: into uses */
    uint32_t *uses;      /* the values read, in the order of ptx_inst_regs().read */
    uint32_t *first_def; /* per instruction, inst_count + 1 entries: into defs */
    uint32_t *defs;      /* the values written, in the order of ptx_inst_regs().written */
};

/* No value: of unreached code. */
#define SSA_NONE UINT32_MAX

/* The form of a function whose graph has these dominators (from CFG_ENTRY) and these live registers. */
struct ssa ssa_build(const struct cfg *cfg, const struct dominators *dominators,
                     const struct node_regs *liveness, struct arena *arena);

uint32_t value_bits(const struct ssa *ssa, uint32_t value);

/* The value that an instruction reads from a register, or SSA_NONE. */
uint32_t value_read(const struct ssa *ssa, uint32_t inst, uint32_t reg);

/* The instruction that computes the value whatever its guard is: of values with a guard, phis and values at
 * the entry NULL. */
const struct ptx_inst *value_definition(const struct ssa *ssa, uint32_t value);

/* Bits of a type that integer instructions work on, 1 of predicates; 0 of others. */
uint32_t integer_bits(uint8_t type, bool *is_signed);

#endif
