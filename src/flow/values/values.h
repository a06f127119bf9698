/* Which registers of a function are read later without being written before; and pairs of a register and a
 * node of the graph, in which that, and what is defined where, is counted. */
#ifndef WB_FLOW_VALUES_VALUES_H
#define WB_FLOW_VALUES_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "flow/graph/graph.h"
#include "ptx/ptx.h"

/* A node of the graph that reads, writes or joins a register. */
struct reg_pair {
    uint32_t reg, node;
};

struct reg_pairs {
    VEC(struct reg_pair) list; /* filled by arena_push */
};

enum reg_pair_key { REG_PAIR_REG, REG_PAIR_NODE };

/* Pairs, sorted by one of the two: those of key k are items[first[k]] .. items[first[k + 1] - 1]. */
struct sorted_pairs {
    uint32_t *first;
    struct reg_pair *items;
};

/* Sorts pairs, stably, by one of the two, which are below `keys`. */
struct sorted_pairs reg_pairs_sort(const struct reg_pairs *pairs, enum reg_pair_key by, uint32_t keys,
                                   struct arena *arena);

/* Registers of each node n of the graph: regs[first[n]] .. regs[first[n + 1] - 1]. */
struct node_regs {
    uint32_t *first; /* node_count + 1 entries */
    uint32_t *regs;
};

/* The registers that each of `nodes` nodes is paired with, in the order of the pairs. */
struct node_regs reg_pairs_by_node(const struct reg_pairs *pairs, uint32_t nodes, struct arena *arena);

/* The registers live at the start of every node, in order; of the exit, they are those that a caller reads
 * (.reg results). The carry flag is register reg_count of the function. A guarded instruction reads what it
 * writes. */
struct node_regs liveness_build(const struct cfg *cfg, struct arena *arena);

/* Whether a register is live at the start of a block. */
bool live_at_start(const struct node_regs *liveness, uint32_t block, uint32_t reg);

/* Static single assignment form of one PTX function: every definition of a register is a value of its own,
 * and where several reach a block a phi joins them (Cytron et al., TOPLAS 1991). Pruned: a phi stands only
 * where its register is live. The instructions themselves stay as they are. */

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

/* Who reads each value of an SSA form, and which values decide where control goes. */

/* An instruction; or a value that takes the one read over: a phi, or what a guarded instruction writes. */
struct ssa_reader {
    uint32_t index; /* instruction, or value */
    uint32_t block; /* where it reads: of a value ssa_argument_block, or CFG_ENTRY where that is none */
    bool is_value;
};

/* The readers of value v are items[first[v]] .. items[first[v + 1] - 1]. */
struct ssa_readers {
    uint32_t *first; /* value_count + 1 entries */
    struct ssa_reader *items;
};

/* Where a value takes its argument `a` over: of a phi the block that the edge comes from, GRAPH_NONE of the
 * argument that stands for entering the function; else the value's own block. */
uint32_t ssa_argument_block(const struct ssa *ssa, const struct ssa_value *value, uint32_t a);

/* The readers of all values. */
struct ssa_readers ssa_readers_build(const struct ssa *ssa, struct arena *arena);

/* By value, whether the conditions of branches depend on it: the guards of instructions that end blocks, and
 * their operands through arithmetic, phis and guarded instructions. Loaded or exchanged values are included,
 * but not those that they depend on. */
bool *branch_slice_find(const struct ssa *ssa, struct arena *arena);

/* The divergence rules of instructions: results that differ between threads by themselves, and operands that
 * show in results. docs/control-flow.md has the reasons. */

/* Why a value is divergent. */
enum divergence_cause {
    DIVERGENCE_NONE,   /* it is uniform: the same in all threads of a warp that compute it together */
    DIVERGENCE_SOURCE, /* its instruction gives each thread a value of its own: %tid, an atomic's result */
    DIVERGENCE_MEMORY, /* a load of what may differ between threads, although the address does not */
    DIVERGENCE_DATA,   /* an operand is divergent: `from` */
    DIVERGENCE_GATE    /* which operand it takes, or in which iteration that was computed, depends on the
                          divergent predicate `from` */
};

/* The facts about the whole function that the rules need. */
struct divergence_rules {
    const struct ptx_function *function;
    bool has_calls;
    bool has_private_addresses; /* some generic addresses may be those of local memory or of parameters */
};

struct divergence_rules divergence_rules_of(const struct ptx_function *function);

/* Why register `reg`, which the instruction writes, differs between the threads that execute it together even
 * if all that it reads is the same in them: DIVERGENCE_SOURCE or _MEMORY; DIVERGENCE_NONE: it does not. */
enum divergence_cause divergence_rule_result(const struct divergence_rules *rules,
                                             const struct ptx_inst *inst, uint32_t reg);

/* Whether results can differ because register `reg`, which the instruction reads otherwise than as its guard,
 * does. False for the values that lanes only vote on: all of them get the same result. */
bool divergence_rule_passes(const struct divergence_rules *rules, const struct ptx_inst *inst, uint32_t reg);

/* Whether the special register can differ between the threads of a warp that read it together. */
bool divergence_rule_sreg(enum ptx_sreg sreg);

/* Divergence analysis (Hirvisalo, WCET 2014): which values and branches can differ between the threads of a
 * warp. docs/control-flow.md defines "uniform" and proves the rules. */

struct divergence_reason {
    uint8_t cause;   /* enum divergence_cause */
    uint32_t from;   /* a divergent value, or SSA_NONE */
    uint32_t branch; /* of DIVERGENCE_GATE: the block whose branch parts the threads; GRAPH_NONE: none, the
                        predicate is the guard of the value's own instruction */
    uint32_t late;   /* of DIVERGENCE_GATE: the value that threads read which computed it in different
                        iterations (behind the loop, the eta of `from` and it); SSA_NONE: a phi's choice */
};

/* A uniform value can still differ between threads that left the loop it is computed in at different times:
 * what reads it there is divergent by DIVERGENCE_GATE (the eta functions of gated SSA). */
struct divergence {
    struct divergence_reason *values; /* per value of the SSA form */
    uint32_t *parting; /* per value that is uniform itself: a block in a cycle with it whose branch parts
                          threads that go on with different ones behind that; GRAPH_NONE: there is none */
    struct divergence_reason *decisions; /* per block: why its threads can part at its end */
    bool *branches; /* per block: they can, at its branch or at its guarded `ret` or `exit` */
};

/* Analyses a function given its SSA form, the dominators of its graph (from CFG_ENTRY) and the
 * post-dominators (to the exit), where threads meet again. `block` has the threads of a block in each
 * dimension; NULL: they are not known but by the function itself (.reqntid). Every chain of `from` ends at a
 * cause without one, by about as few steps as possible. */
struct divergence divergence_analyse(const struct ssa *ssa, const struct dominators *dominators,
                                     const struct dominators *post_dominators, const uint32_t block[3],
                                     struct arena *arena);

/* Values that say where in its block a warp is, such as %tid.x / 32: the same in all its threads, where the
 * shape of the block puts them side by side. docs/control-flow.md has the proof.
 *
 * Whether the threads of every warp of a block of that shape have equal %tid.y and %tid.z, and equal bits of
 * %tid.x but for the low five. `block` has the threads in each dimension: 0 in the first: not known; 0 in
 * others: 1. */
bool thread_rows_in_block(const uint32_t block[3]);

/* In such blocks: whether each value is the same in all threads of a warp, whenever they computed it, since
 * it depends only on those bits and on constants. */
bool *thread_rows_same(const struct ssa *ssa, struct arena *arena);

/* The plain uses of a kernel's parameters and of the addresses that they pass: they help users to describe
 * the buffers behind them. A hint: no proof uses it. */

/* The uses of one parameter. */
struct pointed {
    bool is_address;      /* memory is accessed at it, or it is made an address of a state space */
    bool read, written;   /* in what the kernel itself executes, not in functions that it calls */
    enum ptx_type type;   /* of the elements accessed; PTX_TYPE_NONE: there are none, or of several types */
    enum ptx_type number; /* PTX_F32 or PTX_F64: the parameter itself is calculated with as such a number */
};

/* By parameter of the kernel; in memory of the arena, which is protected. */
struct pointed *pointed_find(const struct wb_kernel *kernel, struct arena *arena);

#endif
