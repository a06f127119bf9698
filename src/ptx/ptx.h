/* A PTX module in memory: what the parser makes, the printer prints and every later stage reads.
 *
 * Names are resolved: an instruction refers to registers, labels, variables and functions by index. Nested
 * scopes are flattened; a register that shadows another has an index of its own and is printed under a new
 * name.
 */
#ifndef WB_PTX_PTX_H
#define WB_PTX_PTX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/files.h"
#include "ptx/opcode.h"

struct machine_code;

#define PTX_NO_INDEX UINT32_MAX

enum ptx_operand_kind {
    PTX_OPERAND_REG,       /* index: register of the function; negated: !%p */
    PTX_OPERAND_INT,       /* value: 64 bits, two's complement */
    PTX_OPERAND_F32,       /* value: the 32 bits of 0f........ */
    PTX_OPERAND_F64,       /* value: the 64 bits of 0d................ or of a decimal literal */
    PTX_OPERAND_SREG,      /* index: enum ptx_sreg */
    PTX_OPERAND_VARIABLE,  /* index: variable of the module whose address is meant; value: offset added */
    PTX_OPERAND_FUNCTION,  /* index: function of the module */
    PTX_OPERAND_LABEL,     /* index: label of the function */
    PTX_OPERAND_PROTOTYPE, /* index: prototype of the function */
    PTX_OPERAND_ADDRESS, /* [base + value]: index: operand in the pool that is the base: REG, VARIABLE, or INT
                            (of value 0) for an absolute address */
    PTX_OPERAND_VECTOR,  /* {a, b, ...} or (a, b): elements index .. index + count - 1 of the pool */
    PTX_OPERAND_TEXTURE, /* [texture, sampler, {coordinates}]: the parts, like a vector */
    PTX_OPERAND_SINK,    /* _ */
    PTX_OPERAND_NONE     /* an optional operand that was left out */
};

/* The part of a register that an operand of a video instruction selects. */
enum ptx_select {
    PTX_SELECT_NONE,
    PTX_SELECT_B0,
    PTX_SELECT_B1,
    PTX_SELECT_B2,
    PTX_SELECT_B3,
    PTX_SELECT_H0,
    PTX_SELECT_H1,
    PTX_SELECT_OTHER /* a combination, such as .b3210 or .h10: `value` has its text, 8 bits a character */
};

struct ptx_operand {
    uint8_t kind; /* enum ptx_operand_kind */
    bool negated : 1;
    uint8_t select : 4; /* enum ptx_select */
    uint16_t count;
    uint32_t index;
    uint64_t value;
};

/* Most operands of one instruction, vectors counting as one; elements of a vector; registers of a function.
 */
#define PTX_OPERANDS_MAX 16
#define PTX_VECTOR_MAX 1024
#define PTX_FUNCTION_REGS_MAX ((uint32_t)1 << 20)

/* What the result of an instruction of machine code rests on. */
enum ptx_reliance {
    PTX_RELIES_ON_NOTHING,
    PTX_RELIES_ON_REFINEMENT, /* an approximate function that a division or root is refined from: known */
    PTX_RELIES_ON_FCHK,       /* says which way a division goes */
    PTX_RELIES_ON_START       /* a register that the kernel finds when it starts */
};

struct ptx_inst {
    const struct ptx_form *form; /* the opcode with its modifiers, decoded once per distinct text */
    uint32_t first_operand;      /* in the function's pool; in PTX order, destinations first */
    uint8_t operand_count;       /* strlen(form->roles): operands left out are there as PTX_OPERAND_NONE */
    bool guard_negated : 1;      /* @!%p */
    bool untimed : 1;      /* of machine code: another one stands for the machine's instruction, this one
                                takes no slot and no time, and is not counted */
    bool group_head : 1;   /* of machine code: the first of those that are the machine's instruction */
    uint8_t relies_on : 2; /* of machine code: enum ptx_reliance */
    uint32_t guard;        /* register, or PTX_NO_INDEX */
    uint32_t at;           /* byte offset in the module's source */
    uint32_t location;     /* index into the module's locations (.loc), or PTX_NO_INDEX */
    uint32_t machine;      /* of a module with machine code: the instruction of it that this is part of */
};

/* `.reg .b32 %r<82>;` is one group of 82 registers; `.reg .pred p;` one of 1 with numbered false. A vector
 * register, `.reg .v4 .f32 v;`, is a group of 4 and stands in operands as a vector of them. */
struct ptx_reg_group {
    const char *name; /* "%r", unique in the function after flattening */
    uint32_t first;   /* index of its first register */
    uint32_t count;
    bool numbered;
    bool temporary; /* of machine code: a value inside of one machine instruction, no register of the machine
                     */
    enum ptx_type type;
};

struct ptx_label {
    const char *name; /* unique in the function after flattening */
    uint32_t target;  /* instruction index; == inst_count for a label at the end of the body */
};

/* An address in an initialiser: `symbol + addend`, at bytes `offset` to `offset + bytes - 1` of the variable.
 */
struct ptx_relocation {
    uint64_t offset;
    uint32_t symbol; /* variable or function */
    bool is_function;
    bool generic;  /* generic(symbol) */
    uint8_t bytes; /* of the element */
    uint64_t addend;
    uint64_t mask; /* of `0xFF00(symbol)`: the element is these bits of the address, shifted to the right end;
                      0: all bits */
};

enum ptx_linkage { PTX_LINK_NONE, PTX_LINK_VISIBLE, PTX_LINK_EXTERN, PTX_LINK_WEAK, PTX_LINK_COMMON };

struct ptx_variable {
    const char *name; /* unique within its owner; a variable without owner within the module */
    enum ptx_space space;
    enum ptx_type type;
    enum ptx_linkage linkage;
    uint32_t align; /* bytes */
    uint32_t place; /* of machine code: where the file has it, behind the first parameter, or in bank 3 */
    bool in_bank;   /* it is one of the variables of bank 3, which indices reach from any of them */
    uint8_t vector; /* elements of a .v2/.v4 declaration, else 1 */
    uint64_t size;  /* bytes; 0 for `.extern .shared s[]` */
    bool array;     /* declared with [...] */
    bool pointer;   /* .param .u64 .ptr */
    enum ptx_space pointer_space;
    uint32_t pointer_align; /* what a .ptr points to, bytes; 0: not given */
    uint32_t owner;         /* function it was declared in, or PTX_NO_INDEX */
    const char *attribute;  /* between the parentheses of .attribute( ), or NULL */
    const char *fields;     /* of a sampler or texture: its initialiser as it stands, or NULL */
    uint8_t *init;          /* `size` bytes, or NULL: zeros for .global and .const without .extern */
    struct ptx_relocation *relocations;
    uint32_t relocation_count;
    uint32_t at; /* byte offset in the source */
};

/* A `.loc`: file index as in `.file`, line, column, and for inlined code the location of the call. */
struct ptx_location {
    uint32_t file, line, column;
    const char *function; /* text after function_name, or NULL */
    uint32_t inlined_at;  /* location index, or PTX_NO_INDEX */
};

struct ptx_file {
    uint32_t number;
    const char *name;
};

/* `.branchtargets` (labels) or `.calltargets` (functions) or `.callprototype` (text), named by a label. */
struct ptx_prototype {
    const char *name;
    const char *text;  /* of a .callprototype or .calltargets, directive included, as it stands; else NULL */
    uint32_t *targets; /* of .branchtargets: labels */
    uint32_t target_count;
};

/* Performance directives of an entry; 0: not given. */
struct ptx_tuning {
    uint32_t maxntid[3], reqntid[3], reqnctapercluster[3];
    uint32_t minnctapersm, maxnctapersm, maxnreg, maxclusterrank;
    uint32_t abi_preserve, abi_preserve_control, local_maxnreg;
    bool noreturn, explicitcluster, blocksareclusters;
};

struct ptx_function {
    const char *name;
    bool is_entry;
    bool has_body;
    enum ptx_linkage linkage;
    uint32_t *params; /* variables (or, for .reg parameters of a .func, registers: see param_is_reg) */
    bool *param_is_reg;
    uint32_t param_count;
    uint32_t *returns; /* like params */
    bool *return_is_reg;
    uint32_t return_count;
    struct ptx_tuning tuning;
    struct ptx_reg_group *groups;
    uint32_t group_count;
    uint32_t reg_count;
    uint32_t *reg_group; /* per register the index of its group */
    struct ptx_inst *insts;
    uint32_t inst_count;
    /* Of machine code the instructions that stand for one of the machine each, in order, and per instruction
     * the place in that list of the one that stands for it (ptx_number_issued). Of PTX NULL: every
     * instruction is issued. */
    uint32_t *issued, *issue_of;
    uint32_t issued_count;
    const struct machine_code *code; /* that of the module, or NULL */
    struct ptx_operand *operands;    /* the pool */
    uint32_t operand_count;
    struct ptx_label *labels;
    uint32_t label_count;
    struct ptx_prototype *prototypes;
    uint32_t prototype_count;
    const char **pragmas;  /* texts, in order */
    uint32_t *pragma_inst; /* instruction that each stands before */
    uint32_t pragma_count;
    uint32_t
        first_unknown; /* instruction that is not known, or whose operands do not fit what is known of it
                          (it has no operands: its form's text is the whole statement), or PTX_NO_INDEX */
    const char *unknown_reason; /* of first_unknown: what is wrong with it */
    uint32_t registers;         /* of a thread, where the file says it: machine code; else 0 */
    uint32_t alias_of;          /* function that `.alias` made this a name of, or PTX_NO_INDEX */
    const char *attribute;      /* between the parentheses of .attribute( ), or NULL */
    uint32_t at;                /* byte offset of its name */
};

/* Something at module level, in the order of the text: what the printer goes through. */
enum ptx_item_kind {
    PTX_ITEM_VARIABLE,
    PTX_ITEM_PROTOTYPE, /* of function `index` */
    PTX_ITEM_BODY,      /* function `index` */
    PTX_ITEM_ALIAS,     /* function `index` and its alias_of */
    PTX_ITEM_FILE,
    PTX_ITEM_SECTION,
    PTX_ITEM_PRAGMA
};

struct ptx_item {
    enum ptx_item_kind kind;
    uint32_t index;
};

/* What wb_kernel points to: a function of its module. */
struct wb_kernel {
    const struct wb_module *module;
    uint32_t function;
};

/* Which of the images in a file a module is. */
struct ptx_origin {
    const char *text;  /* for reports; NULL: the file is the code */
    const char *image; /* "sm_86" */
    const char *unit;  /* "": the only one */
};

struct wb_module {
    struct arena arena; /* owns everything below but the text */
    char *text;         /* what was parsed, with a zero byte behind it; of machine code a listing; malloc'd */
    struct source source;
    wb_input input; /* that text, as it was given, or the file that it was taken from */
    struct ptx_origin origin;
    struct wb_module **units; /* of a program of several, whose kernels these are: nothing else of the
                                 module is of use then; else NULL */
    uint32_t unit_count;
    const struct machine_code *code; /* what the functions were lifted from (sass/sass.h); NULL: PTX */
    const char *image;               /* the cubin itself, of that code: */
    size_t image_bytes;
    const char *version; /* "9.0" */
    const char *target;  /* "sm_75, debug" */
    struct ptx_file *files;
    struct ptx_variable *variables;
    struct ptx_function *functions;
    struct ptx_location *locations;
    const char **sections; /* raw texts of `.section` blocks */
    const char **pragmas;  /* texts of those outside of functions */
    struct ptx_item *items;
    struct wb_kernel *kernels; /* entries with a body, in order */
    uint32_t address_size;     /* bits */
    uint32_t file_count, variable_count, function_count, location_count;
    uint32_t section_count, pragma_count, item_count, kernel_count;
};

/* Makes a module of a PTX text that it takes over: malloc'd, with a zero byte behind its `size` bytes. */
wb_status ptx_module_of_text(const char *name, char *text, size_t size, wb_diagnostics *diagnostics,
                             wb_module **out);

/* The modules that a module consists of: itself, or its units. */
static inline uint32_t ptx_unit_count(const struct wb_module *module) {
    return module->units == NULL ? 1 : module->unit_count;
}

static inline const struct wb_module *ptx_unit(const struct wb_module *module, uint32_t index) {
    return module->units == NULL ? module : module->units[index];
}

static inline const struct ptx_function *kernel_function(const struct wb_kernel *kernel) {
    return &kernel->module->functions[kernel->function];
}

/* Whether a kernel says that it is launched in clusters of blocks; how large they are at run time is not said
 * by it alone. */
static inline bool ptx_in_clusters(const struct ptx_function *function) {
    const struct ptx_tuning *tuning = &function->tuning;
    return tuning->explicitcluster || tuning->blocksareclusters || tuning->reqnctapercluster[0] != 0;
}

/* Whether a function was lifted from machine code, in which lanes that were divided meet at barriers instead
 * of at post-dominators (flow/graph/graph.h). */
static inline bool ptx_is_machine_code(const struct ptx_function *function) {
    return function->registers != 0;
}

/* The operands of an instruction: form->roles says what each of them is. */
static inline const struct ptx_operand *ptx_operands(const struct ptx_function *function,
                                                     const struct ptx_inst *inst) {
    return &function->operands[inst->first_operand];
}

/* How many instructions of a function are issued: take a slot and time, and are counted. */
static inline uint32_t ptx_issued_count(const struct ptx_function *function) {
    return function->issued == NULL ? function->inst_count : function->issued_count;
}

/* The n-th issued instruction. */
static inline uint32_t ptx_issued(const struct ptx_function *function, uint32_t n) {
    return function->issued == NULL ? n : function->issued[n];
}

/* Which of the issued instructions stands for instruction `inst`: itself, or the one of its group. */
static inline uint32_t ptx_issue_of(const struct ptx_function *function, uint32_t inst) {
    return function->issued == NULL ? inst : function->issue_of[inst];
}

/* The instructions of the group that an issued one stands for: *count from the one returned on. */
uint32_t ptx_issue_group(const struct ptx_function *function, uint32_t n, uint32_t *count);

/* Numbers the issued instructions of a function of machine code, in which the instructions of one of the
 * machine stand together and one of them is not auxiliary; what stands before them and is all auxiliary
 * belongs to the next one. WB_ERR_LIMIT when memory is exhausted. */
wb_status ptx_number_issued(struct ptx_function *function, struct arena *arena);

/* The function that a FUNCTION operand calls: aliases are followed. */
static inline uint32_t ptx_callee(const struct wb_module *module, uint32_t function) {
    uint32_t target = module->functions[function].alias_of;
    return target == PTX_NO_INDEX ? function : target;
}

/* The name of a location's file, "?" when no `.file` gives its number. */
const char *ptx_location_file(const struct wb_module *module, const struct ptx_location *location);

/* The byte offset of the machine instruction that an instruction is part of, in a module of machine code. */
uint32_t ptx_address(const struct wb_module *module, const struct ptx_inst *inst);

/* Appends a location, such as "kernel.cu:12" or, of inlined code, "kernel.cu:12, inlined at kernel.cu:40". */
void ptx_put_location(const struct wb_module *module, uint32_t index, struct text *out);

/* The first label that stands before instruction `inst` or a later one; label_count when there is none.
 * Labels are in the order of their targets. */
uint32_t ptx_first_label_from(const struct ptx_function *function, uint32_t inst);

/* Appends a register's name, such as "%r12"; of a vector register the name without the element. */
void ptx_put_reg(const struct ptx_function *function, uint32_t reg, struct text *out);

/* A message about an instruction: its place in the PTX, and its source line (.loc) in the text when known. */
void ptx_diagnose(struct wb_diagnostics *diagnostics, enum severity severity, const struct wb_module *module,
                  const struct ptx_inst *inst, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The registers that an instruction reads (guard, address bases and vector elements included) and writes
 * (dual destinations, vector elements and the carry flag included). The carry flag is register `reg_count` of
 * the function. Each list has room for PTX_REGS_MAX. */
#define PTX_REGS_MAX 160

struct ptx_regs {
    uint32_t read[PTX_REGS_MAX], written[PTX_REGS_MAX];
    uint32_t read_count, written_count;
};

void ptx_inst_regs(const struct ptx_function *function, const struct ptx_inst *inst, struct ptx_regs *regs);

/* The same of the n-th issued instruction: of machine code the registers of the machine that the instruction
 * reads or writes, all of its group, without temporaries. */
void ptx_issue_regs(const struct ptx_function *function, uint32_t n, struct ptx_regs *regs);

/* Where a branch goes: fills `targets` (room for `room`) with instruction indices and returns how many there
 * are, which may be more than `room`; 0 for an instruction that is no branch. */
uint32_t ptx_branch_targets(const struct ptx_function *function, const struct ptx_inst *inst,
                            uint32_t *targets, uint32_t room);

/* Which functions of a module a kernel can execute. */

struct ptx_reach {
    uint32_t
        *functions; /* of the module, in the order in which their calls are met: the kernel's own first */
    uint32_t count;
};

/* The kernel and all that it can call, directly or not; a call through a register can reach every function
 * that is no entry. In memory of the arena. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status ptx_reach(const struct wb_kernel *kernel, struct arena *arena, struct ptx_reach *reach);

/* The functions of CUDA's run-time system: modules call them, but do not have their bodies. */

/* X(enumerator, name, class, wait): the opcode class of a call, and what it waits for. */
#define PTX_RUNTIME_TABLE(X)                                                                                 \
    X(ASSERTFAIL, "__assertfail", CALL, ASSERTION)                                                           \
    X(VPRINTF, "vprintf", VPRINTF, RUNTIME)                                                                  \
    X(MALLOC, "malloc", MALLOC, RUNTIME)                                                                     \
    X(FREE, "free", FREE, RUNTIME)

enum ptx_runtime {
    PTX_RUNTIME_NONE,
#define X(enumerator, name, class, wait) PTX_RUNTIME_##enumerator,
    PTX_RUNTIME_TABLE(X)
#undef X
        PTX_RUNTIME_COUNT
};

/* The name of a function of the run-time system. */
const char *ptx_runtime_name(enum ptx_runtime runtime);

/* Gives calls of the run-time system forms of their own: form->runtime says which function is called.
 * WB_ERR_LIMIT when memory is exhausted. */
wb_status runtime_resolve(struct wb_module *module);

/* Whether an instruction ends the whole grid where it is executed. */
static inline bool ptx_ends_grid(const struct ptx_form *form) {
    return form->op == PTX_OP_TRAP || form->runtime == PTX_RUNTIME_ASSERTFAIL;
}

/* PTX text from a module. */

/* The name of a register, such as "%r5"; "CC" for the carry flag. */
void print_register(struct text *out, const struct ptx_function *function, uint32_t reg);

/* What an instruction does with a register. */
enum register_access { REGISTER_READ, REGISTER_WRITTEN, REGISTER_UPDATED /* read, then written */ };

/* Other names for registers than those of the PTX, such as names with versions. */
struct register_names {
    void (*put)(const struct register_names *names, struct text *out, uint32_t reg,
                enum register_access access);
};

/* The same with other names for registers; NULL: with those of the PTX. */
void print_inst_named(struct text *out, const struct wb_module *module, const struct ptx_function *function,
                      const struct ptx_inst *inst, const struct register_names *names);

/* The C++ names behind mangled ones (Itanium C++ ABI, chapter 5.1): those that kernels and the types of their
 * parameters have. A few letters can stand for a name of any size, so that memory, and with it the work, has
 * a limit: what does not fit stays mangled. */

/* The readable name, malloc'd. NULL for a name that is not mangled, is too large, or has what is not
 * understood (expressions, operators, constructors), and when memory is exhausted. */
char *demangle(const char *name);

#endif
