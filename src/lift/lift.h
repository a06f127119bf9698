/* Machine instructions to groups of PTX instructions. */
#ifndef WB_LIFT_LIFT_H
#define WB_LIFT_LIFT_H

#include "base/base.h"
#include "cubin/cubin.h"
#include "ptx/opcode.h"
#include "ptx/parser.h"
#include "ptx/ptx.h"
#include "sass/sass.h"

/* Which instructions of a kernel can be executed, and where branches go. Internal functions (64-bit division,
 * device functions that were not inlined) stand behind the kernel's code and are entered by CALL.REL: each
 * call has a copy of its own, so that what follows sees a function without calls. */

#define PLAN_NONE UINT32_MAX

/* The kernel's own code, or a copy of an internal function. */
struct plan_copy {
    uint32_t first, count; /* its instructions, numbered in the kernel */
    const char *name;      /* of the internal function; NULL: the kernel */
    uint32_t caller, call; /* the copy that calls it, or PLAN_NONE, and the instruction there */
    bool *reached;         /* per instruction */
    uint32_t *label;       /* per instruction the number of its label, or PLAN_NONE */
    const char **refused;  /* per instruction why its way on is not known, or NULL */
};

struct plan {
    struct arena *arena; /* protected */
    const struct cubin *cubin;
    const struct cubin_kernel *kernel;
    const struct machine_inst *insts; /* of the kernel */
    uint32_t inst_count;
    VEC(struct plan_copy) copies;
    uint32_t label_count;
    uint32_t reached_count; /* instructions of all copies */
};

/* Follows control from the kernel's first instruction. Labels are numbered in the order of copies and
 * addresses. */
void plan_make(struct plan *plan);

/* The instruction at a byte offset, as a number in the kernel; PLAN_NONE: there is none. */
uint32_t plan_inst_at(const struct plan *plan, uint32_t address);

/* The label of an instruction of a copy; PLAN_NONE: nothing branches there. */
uint32_t plan_label(const struct plan *plan, uint32_t copy, uint32_t inst);

/* The copy that a call enters; PLAN_NONE: none. */
uint32_t plan_callee(const struct plan *plan, uint32_t copy, uint32_t call);

/* What LEPC writes to the lower register: a place in the code, counted from the kernel's first instruction.
 */
uint32_t plan_address_in_register(const struct plan *plan, uint32_t lepc);

/* Whether the instruction behind it may be executed next: of a call not by itself, but when it returns. */
bool plan_goes_on(const struct machine_inst *inst);

/* Whether it is a call of code of the file. */
bool plan_calls(const struct sass_inst *inst);

/* The targets of a BRX, or NULL. */
const struct cubin_branch_table *plan_table(const struct plan *plan, uint32_t inst);

/* The function that is being lifted: what the builder (emit.c), constants.c, control.c and module.c share. */

/* Registers made for temporaries of one type; those below `used` are taken by the group being written. */
struct lift_temps {
    VEC(uint32_t) registers;
    uint32_t used;
};

enum lift_temp_kind { LIFT_TEMP_B16, LIFT_TEMP_B32, LIFT_TEMP_B64, LIFT_TEMP_PRED, LIFT_TEMP_KINDS };

/* A constant that the function reads: in a register from its beginning on. */
struct lift_constant {
    uint32_t bank, offset, bytes;
    uint32_t reg;
};

struct lift_code {
    VEC(struct ptx_inst) insts;
};

/* The module that is made. */
struct lift_module {
    struct wb_module *module;
    const struct cubin *cubin;
    struct form_table *forms;
    VEC(struct ptx_variable) variables;
    uint32_t *symbol_variable; /* per symbol of the file its variable, or PTX_NO_INDEX */
    uint32_t first_declared,
        declared_count;    /* functions of the module that the file calls and does not have */
    bool returns_by_stack; /* machine_code.returns_by_stack */
};

struct lift {
    struct arena *arena; /* of the module, protected */
    struct lift_module *in;
    const struct cubin_kernel *kernel;
    uint32_t sm;
    uint32_t first_param; /* variable of the kernel's first parameter; the others follow */
    uint32_t stack;       /* variable in local memory, or PTX_NO_INDEX */
    uint32_t constant2;   /* variable: bank 2, or PTX_NO_INDEX */
    const struct plan *plan;
    uint32_t copy, position; /* of the instruction that is lifted: copy of the plan, number in the kernel */

    /* The function so far. */
    VEC(struct ptx_reg_group) groups; /* of one register each */
    struct lift_code body, prologue;
    VEC(struct ptx_operand) operands;
    VEC(struct lift_constant) constants;
    VEC(struct ptx_prototype) prototypes; /* of BRX: their tables */
    /* Registers of the machine's files, or PTX_NO_INDEX. */
    uint32_t reg[SASS_RZ], ureg[SASS_RZ], predicate[SASS_PT], upredicate[SASS_PT];
    uint32_t barrier_result; /* what BAR.RED leaves for B2R.RESULT, or PTX_NO_INDEX */
    uint32_t unwritten;      /* lift_unwritten's, or PTX_NO_INDEX */
    struct lift_temps temps[LIFT_TEMP_KINDS];

    /* The group that is written. */
    struct lift_code *out; /* body, or prologue */
    size_t first;          /* its first instruction */
    struct ptx_inst inst;  /* guard, place and machine instruction of each of its instructions */
    const char *refused;   /* why the machine instruction has no meaning, or NULL */
};

/* A new register of its own name, which must outlive the module. */
uint32_t lift_new_register(struct lift *lift, const char *name, enum ptx_type type);

/* Machine instructions to groups of PTX instructions. */

/* Starts a function without instructions. */
void lift_begin(struct lift *lift);

/* Writes the group of a machine instruction: guard and meaning. `place` has `at`, `location` and `machine`.
 */
void lift_instruction(struct lift *lift, const struct sass_inst *sass, const struct ptx_inst *place);

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
 * addresses (warp/interpret/home.h): additions without carries are best written as add.u32, which loop bounds
 * know, too. */

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
void lift_double(struct lift *lift, const struct sass_inst *inst);   /* float.c: f64 */
void lift_half(struct lift *lift, const struct sass_inst *inst);     /* half.c: f16x2, matrices */
void lift_convert(struct lift *lift, const struct sass_inst *inst);  /* convert.c */
void lift_memory(struct lift *lift, const struct sass_inst *inst);   /* memory.c */
void lift_atomic(struct lift *lift, const struct sass_inst *inst);   /* memory.c */
void lift_special(struct lift *lift, const struct sass_inst *inst);  /* special.c: S2R, CS2R, ULDC and LDC */
void lift_exchange(struct lift *lift, const struct sass_inst *inst); /* exchange.c: SHFL VOTE MATCH REDUX */
void lift_barrier(struct lift *lift, const struct sass_inst *inst);  /* exchange.c: BAR MEMBAR DEPBAR ... */
void lift_control(struct lift *lift,
                  const struct sass_inst *inst); /* control.c: BRA BSSY BSYNC CALL RET EXIT ... */
void lift_texture(struct lift *lift, const struct sass_inst *inst); /* texture.c: TEX TLD TLD4 TXQ */
void lift_surface(struct lift *lift, const struct sass_inst *inst); /* texture.c: SULD SUST */

/* What is known by name, and not supported: each refuses with its reason (unsupported.c). */
void lift_nothing(struct lift *lift, const struct sass_inst *inst);
void lift_gradient(struct lift *lift, const struct sass_inst *inst);
void lift_surface_atomic(struct lift *lift, const struct sass_inst *inst);
void lift_mbarrier(struct lift *lift, const struct sass_inst *inst);
void lift_bulk(struct lift *lift, const struct sass_inst *inst);
void lift_cluster(struct lift *lift, const struct sass_inst *inst);
void lift_dependent(struct lift *lift, const struct sass_inst *inst);
void lift_warpgroup(struct lift *lift, const struct sass_inst *inst);
void lift_multicast(struct lift *lift, const struct sass_inst *inst);

/* What the floating-point families have in common: modifiers as PTX writes them, and comparisons. */

/* "rn", "rm", "rp", "rz": how the instruction rounds. */
const char *lift_rounding(const struct sass_inst *inst);

/* "rni", "rmi", "rpi", "rzi": how it rounds to an integer. */
const char *lift_integer_rounding(const struct sass_inst *inst);

/* `word`, such as ".ftz", where the field is set; else "". */
const char *lift_word(const struct sass_inst *inst, enum sass_field field, const char *word);

/* Emits an instruction whose opcode is formatted. */
void lift_emit_text(struct lift *lift, const struct ptx_operand *operands, uint32_t count, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));

#define LIFT_EMIT_TEXT(lift, operands, ...)                                                                  \
    lift_emit_text(lift, operands, (uint32_t)(sizeof(operands) / sizeof *(operands)), __VA_ARGS__)

/* `to` = (a compared with b) joined with the instruction's predicate; `fails`: the same of the opposite. Both
 * destinations; the type is that of PTX, such as "f32". */
void lift_compare(struct lift *lift, const struct sass_inst *inst, const char *type, struct ptx_operand to,
                  struct ptx_operand fails, struct ptx_operand a, struct ptx_operand b);

/* A kernel's code to a function of the module. */

/* What a function is made from. */
struct lift_source_code {
    const struct cubin_kernel *kernel;
    const struct machine_inst *insts; /* decoded, of the kernel */
    uint32_t inst_count, first;       /* first: number of its first one in the module */
    const uint32_t *at;               /* per instruction its place in the module's text */
    uint32_t first_location;          /* of the first row of the kernel's line table */
    uint32_t index;                   /* of the function in the module */
    uint32_t first_param;             /* variables */
    uint32_t stack, constant2;        /* variables, or PTX_NO_INDEX */
    const uint32_t *shared;           /* variables that stand for shared memory */
    uint32_t shared_count;
};

/* Fills what the code says of a function; the rest is the caller's. */
void lift_function(struct lift_module *in, const struct lift_source_code *code,
                   struct ptx_function *function);

/* What stands for a machine instruction in times and reports: the number, the opcode class and the name of
 * the issued instruction of each group. */

/* Numbers the issued instructions of all functions (ptx_number_issued), and gives each a form of its own with
 * the class that fits what the machine instruction does and its opcode as the listing has it. To be called
 * once, when the module is complete but for that. WB_ERR_LIMIT when memory is exhausted. */
wb_status lift_issued(struct wb_module *module);

/* The class whose times an instruction has under machines that state times by classes of PTX, given the form
 * of what stands for it: what accesses memory, synchronises or ends lanes has the class of that. */
enum ptx_class lift_class(const struct sass_inst *inst, const struct ptx_form *form);

/* Addresses of accesses to memory, as operands of PTX instructions. */

/* Modules of machine code. */

/* Makes a module of a cubin file's `size` bytes: each kernel is a function of PTX instructions that mean what
 * its machine instructions do. What is no cubin, or a damaged one, is WB_ERR_INPUT with one message; a kernel
 * with instructions that are not known is refused when it is used. */
wb_status lift_module(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                      wb_module **out);

/* Which approximate functions are refined to the correctly rounded, or exact, result of a division or root:
 * ptxas makes sequences of them, of which PTX states the result to the last bit.
 *
 * Such a function is known: what is computed here, correctly rounded, leads to that result, too. What else
 * could see its last bits must not exist: the value, and all that is computed of it, is read by nothing but
 * the sequence until it is overwritten. */

/* Marks them in the functions of a module of machine code whose issued instructions are numbered (relies_on,
 * ptx.h). WB_ERR_LIMIT when memory is exhausted. */
wb_status lift_mark_refinements(struct wb_module *module);

/* Where control goes by an address in a register: returns, and calls of functions that the file does not
 * have. */

/* Whether a RET of a copy goes behind the call that the copy is for, on every way that leads to it; in
 * *by_stack whether local memory says so, on the stack. */
bool target_is_caller(const struct plan *plan, uint32_t copy, uint32_t inst, bool *by_stack);

/* What a register contains before an instruction, on every way that leads to it; false: not always the same
 * number. */
bool target_number(const struct plan *plan, uint32_t copy, uint32_t inst, uint16_t reg, bool uniform,
                   uint32_t *number);

/* The name of the function outside of the file that a CALL.ABS goes to, on every way that leads to it; NULL:
 * that is not known. */
const char *target_name(const struct plan *plan, uint32_t copy, uint32_t inst);

/* Whether what a CALL.ABS calls comes back behind it: the address is in R20, as NVIDIA's compilers pass it.
 */
bool target_comes_back(const struct plan *plan, uint32_t copy, uint32_t inst);

/* Which images of a program are wanted (wb_program_module). */
struct program_wish {
    const char *image;   /* the list of names, or NULL */
    const char *machine; /* its name, or NULL */
    uint32_t sm;         /* its architecture, where it times machine code; else 0 */
};

wb_status program_module(const wb_program *program, const struct program_wish *wish,
                         wb_diagnostics *diagnostics, wb_module **module);

/* A module of one image, however it is linked. */
wb_status program_image_module(const wb_program *program, const wb_image *image, wb_diagnostics *diagnostics,
                               wb_module **module);

/* Adds the names of its kernels, in memory of the arena, which is not protected. */
typedef VEC(const char *) kernel_names;
wb_status program_image_kernels(const wb_program *program, const wb_image *image, struct arena *arena,
                                wb_diagnostics *diagnostics, kernel_names *names);

size_t program_image_count(const wb_program *program);

/* The file's name, printable, and the file. */
const char *program_name(const wb_program *program);
const wb_input *program_input(const wb_program *program);

#endif
