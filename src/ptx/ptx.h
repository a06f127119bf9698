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

#include "base/arena.h"
#include "base/diagnostics.h"
#include "ptx/form.h"
#include "ptx/opcode.h"

#define PTX_NO_INDEX UINT32_MAX

enum ptx_operand_kind {
    PTX_OPERAND_REG,      /* index: register of the function; negated: !%p */
    PTX_OPERAND_INT,      /* value: 64 bits, two's complement */
    PTX_OPERAND_F32,      /* value: the 32 bits of 0f........ */
    PTX_OPERAND_F64,      /* value: the 64 bits of 0d................ or of a decimal literal */
    PTX_OPERAND_SREG,     /* index: enum ptx_sreg */
    PTX_OPERAND_VARIABLE, /* index: variable of the module whose address is meant; value: offset added */
    PTX_OPERAND_FUNCTION, /* index: function of the module */
    PTX_OPERAND_LABEL,    /* index: label of the function */
    PTX_OPERAND_ADDRESS, /* [base + value]: index: operand in the pool that is the base (REG, VARIABLE or INT)
                          */
    PTX_OPERAND_VECTOR,  /* {a, b, ...} or (a, b): elements index .. index + count - 1 of the pool */
    PTX_OPERAND_TEXTURE, /* [texture, sampler, {coordinates}]: the parts, like a vector */
    PTX_OPERAND_SINK     /* _ */
};

struct ptx_operand {
    uint8_t kind; /* enum ptx_operand_kind */
    bool negated;
    uint16_t count;
    uint32_t index;
    uint64_t value;
};

/* Most operands of one instruction, vectors counting as one. */
#define PTX_OPERANDS_MAX 16

struct ptx_inst {
    const struct ptx_form *form; /* the opcode with its modifiers, decoded once per distinct text */
    uint32_t first_operand;      /* in the function's pool; in PTX order, destinations first. `a|b` (dual
                                    destination) is two operands, the second optional (form->dual says so) */
    uint8_t operand_count;
    bool guard_negated; /* @!%p */
    uint32_t guard;     /* register, or PTX_NO_INDEX */
    uint32_t at;        /* byte offset in the module's source */
    uint32_t location;  /* index into the module's locations (.loc), or PTX_NO_INDEX */
};

/* `.reg .b32 %r<82>;` is one group of 82 registers; `.reg .pred p;` one of 1 with numbered false. */
struct ptx_reg_group {
    const char *name; /* "%r", unique in the function after flattening */
    uint32_t first;   /* index of its first register */
    uint32_t count;
    bool numbered;
    enum ptx_type type;
};

struct ptx_label {
    const char *name; /* unique in the function after flattening */
    uint32_t target;  /* instruction index; == inst_count for a label at the end of the body */
};

/* An address in an initialiser: `symbol + addend`, at byte `offset` of the variable. */
struct ptx_relocation {
    uint32_t offset;
    uint32_t symbol; /* variable or function */
    bool is_function;
    bool generic; /* generic(symbol) */
    uint64_t addend;
};

enum ptx_linkage { PTX_LINK_NONE, PTX_LINK_VISIBLE, PTX_LINK_EXTERN, PTX_LINK_WEAK, PTX_LINK_COMMON };

struct ptx_variable {
    const char *name; /* unique in the module after flattening, parameters within their function */
    enum ptx_space space;
    enum ptx_type type;
    enum ptx_linkage linkage;
    uint32_t align; /* bytes */
    uint8_t vector; /* elements of a .v2/.v4 declaration, else 1 */
    uint64_t size;  /* bytes; 0 for `.extern .shared s[]` */
    bool array;     /* declared with [...] */
    bool pointer;   /* .param .u64 .ptr */
    uint32_t owner; /* function it was declared in, or PTX_NO_INDEX */
    uint8_t *init;  /* `size` bytes, or NULL */
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
    const char *text;  /* of a .callprototype or .calltargets, as it stands */
    uint32_t *targets; /* of .branchtargets: labels */
    uint32_t target_count;
};

/* Performance directives of an entry; 0: not given. */
struct ptx_tuning {
    uint32_t maxntid[3], reqntid[3];
    uint32_t minnctapersm, maxnreg;
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
    struct ptx_operand *operands; /* the pool */
    uint32_t operand_count;
    struct ptx_label *labels;
    uint32_t label_count;
    struct ptx_prototype *prototypes;
    uint32_t prototype_count;
    const char **pragmas;  /* texts, in order */
    uint32_t *pragma_inst; /* instruction that each stands before */
    uint32_t pragma_count;
    uint32_t first_unknown; /* instruction with an unknown opcode, or PTX_NO_INDEX */
    uint32_t at;            /* byte offset of its name */
};

/* What wb_kernel points to: a function of its module. */
struct wb_kernel {
    const struct wb_module *module;
    uint32_t function;
};

struct wb_module {
    struct arena arena; /* owns everything below */
    struct source source;
    const char *version; /* "9.0" */
    const char *target;  /* "sm_75, debug" */
    uint32_t address_size;
    struct ptx_file *files;
    uint32_t file_count;
    struct ptx_variable *variables;
    uint32_t variable_count;
    struct ptx_function *functions;
    uint32_t function_count;
    struct ptx_location *locations;
    uint32_t location_count;
    const char **sections; /* raw texts of `.section` blocks */
    uint32_t section_count;
    struct wb_kernel *kernels; /* entries with a body, in order */
    uint32_t kernel_count;
};

static inline const struct ptx_function *kernel_function(const struct wb_kernel *kernel) {
    return &kernel->module->functions[kernel->function];
}

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

/* Where a branch goes: fills `targets` (room for `room`) with instruction indices and returns how many there
 * are, which may be more than `room`; 0 for an instruction that is no branch. */
uint32_t ptx_branch_targets(const struct ptx_function *function, const struct ptx_inst *inst,
                            uint32_t *targets, uint32_t room);

#endif
