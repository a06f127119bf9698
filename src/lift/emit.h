/* Writing what a machine instruction means: a group of PTX instructions in the function that is lifted.
 *
 * Machine registers are PTX registers of 32 bits, %R0 .. %R254 and %UR0 .. %UR62; predicates are %P0 .. %P6
 * and %UP0 .. %UP6. Temporaries live inside of one group. An instruction that writes machine registers,
 * accesses memory or decides where control goes is guarded by the machine instruction's predicate; what only
 * writes temporaries is not. All sources of a group are read before it writes machine registers: whoever
 * writes a group sees to that; lift_instruction asserts it.
 *
 * One instruction of a group stands for it in times and counts: the one that accesses memory, exchanges
 * values or decides where control goes if there is one, else the last one. The others are `auxiliary`
 * (ptx.h).
 *
 * 64-bit arithmetic by halves: machine.add3.u32 d, over, over2, a, b, c, carry, carry2 is IADD3 (and the sum
 * of IMAD.X and LEA), where a negated source is its complement (not.b32) and its 1 a carry;
 * machine.setp.CMP.BOOL .TYPE p, q, a, b, lower, source is ISETP.EX. Only these, plain setp without BOOL for
 * the lower halves, add, sub, mad.lo, not, mov, selp, mov.b64 and accesses of 64 bits keep what is known of
 * addresses (half.h): additions without carries are best written as add.u32, which loop bounds know, too. */
#ifndef WB_LIFT_EMIT_H
#define WB_LIFT_EMIT_H

#include "ptx/ptx.h"
#include "sass/sass.h"

struct lift;

/* ---- What is read ---- */

/* A register as it is, of 32 bits; RZ and URZ are the literal 0. */
struct ptx_operand lift_reg(struct lift *lift, uint32_t number, bool uniform);

/* Two registers, the lower half first, as a temporary of 64 bits; number even. */
struct ptx_operand lift_pair(struct lift *lift, uint32_t number, bool uniform);

/* A source of 32 bits: register, literal, or constant (loaded to a temporary). Its sign and magnitude are not
 * applied. */
struct ptx_operand lift_source(struct lift *lift, const struct sass_source *source);

/* The same with `negated` (integer: 0 - x) or, with `invert`, ~x applied, to a temporary where it is no
 * literal. */
struct ptx_operand lift_source_int(struct lift *lift, const struct sass_source *source, bool invert);

/* An f32 source with absolute and negated applied. */
struct ptx_operand lift_source_f32(struct lift *lift, const struct sass_source *source);

/* A source of 64 bits: a pair of registers or of constants; a literal is the upper half of a double where
 * is_double, else extended by its sign. Absolute and negated are applied to doubles. */
struct ptx_operand lift_source64(struct lift *lift, const struct sass_source *source, bool is_double);

/* A constant of 4 or 8 bytes: a literal where the file has the value, else in a
 * register from the beginning of the function on. */
struct ptx_operand lift_constant(struct lift *lift, uint32_t bank, uint32_t offset, uint32_t bytes);

/* Where a byte of a constant bank is: a variable of the module and the offset in it; false, after
 * lift_refuse, where no variable has it. For accesses of other sizes and with a register in the address. */
bool lift_constant_place(struct lift *lift, uint32_t bank, uint32_t offset, struct ptx_operand *variable,
                         uint64_t *within);

/* The declaration of a function of the run-time system, as an index of the module's functions; PTX_NO_INDEX:
 * it is none. */
uint32_t lift_declared(const struct lift *lift, const char *name);

/* A predicate, negation included; PT is the literal 1, !PT 0. */
struct ptx_operand lift_predicate(struct lift *lift, const struct sass_predicate *predicate);

/* A register of 32 bits that nothing writes: what the machine leaves in bits that no source says anything of.
 */
struct ptx_operand lift_unwritten(struct lift *lift);

struct ptx_operand lift_int(uint64_t value);
struct ptx_operand lift_special_register(uint32_t sreg);              /* enum ptx_sreg */
struct ptx_operand lift_variable(uint32_t variable, uint64_t offset); /* its address */
struct ptx_operand lift_none(void); /* an operand that is left out before others */

/* ---- What is written ---- */

struct ptx_operand lift_to_reg(struct lift *lift, uint32_t number, bool uniform);                /* RZ: `_` */
struct ptx_operand lift_to_predicate(struct lift *lift, const struct sass_predicate *predicate); /* PT: `_` */
struct ptx_operand lift_temp(struct lift *lift, enum ptx_type type); /* PTX_B32, PTX_B64, PTX_B16, PTX_PRED */

/* Writes a value of 64 bits to a pair of registers: mov.b64 {lo, hi}, value. */
void lift_write_pair(struct lift *lift, uint32_t number, bool uniform, struct ptx_operand value);

/* ---- Instructions ---- */

/* [base + offset], and {a, b, ...} */
struct ptx_operand lift_address(struct lift *lift, struct ptx_operand base, int64_t offset);
struct ptx_operand lift_vector(struct lift *lift, const struct ptx_operand *elements, uint32_t count);

/* Appends an instruction; `opcode` is PTX with its modifiers, such as "mad.lo.u32": a text that outlives the
 * module, be it of lift_text. Optional operands that are left out at the end may be left out here; the `D` of
 * `d|D` stands behind `d`, be it lift_none. */
void lift_emit(struct lift *lift, const char *opcode, const struct ptx_operand *operands, uint32_t count);

#define LIFT_EMIT(lift, opcode, ...)                                                                         \
    lift_emit(lift, opcode, (const struct ptx_operand[]){__VA_ARGS__},                                       \
              (uint32_t)(sizeof((const struct ptx_operand[]){__VA_ARGS__}) / sizeof(struct ptx_operand)))

/* Lets the rest of the group be executed where, besides the guard, a predicate holds that the instruction
 * reads; nothing where it reads none. */
void lift_narrow(struct lift *lift, struct ptx_operand predicate);

/* Says what the result of the instruction that was emitted last relies on. */
void lift_relies_on(struct lift *lift, enum ptx_reliance what);

/* Formats a text that outlives the module. */
const char *lift_text(struct lift *lift, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The architecture: 75, 80, ... */
uint32_t lift_sm(const struct lift *lift);

/* The machine instruction has no meaning here: kernels that reach it are refused, with its address and bytes.
 * `reason` is a constant text. */
void lift_refuse(struct lift *lift, const char *reason);

/* What the instructions of a family mean, by files; each handles the opcodes that lift.c sends it. */
void lift_integer(struct lift *lift, const struct sass_inst *inst); /* integer.c: c1 and its uniform twins */
void lift_logic(struct lift *lift,
                const struct sass_inst *inst); /* logic.c: LOP3 SHF PRMT ... PLOP3 SEL MOV P2R */
void lift_float(struct lift *lift, const struct sass_inst *inst);    /* float.c: f32 */
void lift_double(struct lift *lift, const struct sass_inst *inst);   /* double.c: f64 */
void lift_half(struct lift *lift, const struct sass_inst *inst);     /* half.c: f16x2, matrices */
void lift_convert(struct lift *lift, const struct sass_inst *inst);  /* convert.c */
void lift_memory(struct lift *lift, const struct sass_inst *inst);   /* memory.c */
void lift_atomic(struct lift *lift, const struct sass_inst *inst);   /* atomic.c */
void lift_special(struct lift *lift, const struct sass_inst *inst);  /* special.c: S2R, CS2R, ULDC and LDC */
void lift_exchange(struct lift *lift, const struct sass_inst *inst); /* exchange.c: SHFL VOTE MATCH REDUX */
void lift_barrier(struct lift *lift, const struct sass_inst *inst);  /* barrier.c: BAR MEMBAR DEPBAR ... */
void lift_control(struct lift *lift,
                  const struct sass_inst *inst); /* control.c: BRA BSSY BSYNC CALL RET EXIT ... */

#endif
