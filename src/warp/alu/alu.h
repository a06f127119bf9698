/* Micro-operations: PTX instructions decoded for execution. Operands are resolved to slots, the computation
 * to a function over all lanes; decoding happens once, executing millions of times. */
#ifndef WB_WARP_ALU_ALU_H
#define WB_WARP_ALU_ALU_H

#include "ptx/ptx.h"
#include "warp/alu/lanes.h"

struct warp;
struct micro;
struct bit_source;

/* Where the lanes of an operand stand: warp->banks[bank][index]. */
enum slot_bank {
    BANK_FRAME,    /* registers of the function that is executed, then CC, sink and local base */
    BANK_CONSTANT, /* literals and addresses, the same for all warps */
    BANK_SPECIAL,  /* special registers of the warp */
    BANK_COUNT
};

struct slot {
    uint32_t index : 29;
    uint32_t bank : 2;    /* enum slot_bank */
    uint32_t negated : 1; /* of a predicate: !%p */
};

/* Computes a value in every lane, masked or not; must not trap on any input. */
typedef void (*lane_fn)(const struct micro *op, uint64_t *d, const uint64_t *const *s);

/* Computes a predicate: bit l is the result of lane l. */
typedef uint32_t (*test_fn)(const struct micro *op, const uint64_t *const *s);

/* Which lanes of the result are known although some operand is not; `known` has that of each source. The
 * values computed from whatever the unknown operands hold are right in those lanes. */
typedef uint32_t (*refine_fn)(const struct micro *op, const uint64_t *const *s, const uint32_t *known);

/* Which bits of the result are known in a lane. */
typedef uint64_t (*known_bits_fn)(const struct micro *op, const struct bit_source *sources);

/* Executes for the lanes of `mask`. With a guard that is unknown in the lanes of `unsure` (disjoint from
 * mask), micro.unsure is called in its place. */
typedef wb_status (*execute_fn)(struct warp *warp, const struct micro *op, uint32_t mask);
typedef wb_status (*unsure_fn)(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure);

#define MICRO_SOURCES 4

/* An operand of a call on the caller's side: a slot, or a .param variable at `offset` of the caller's frame.
 */
struct call_operand {
    bool is_param;
    struct slot slot;
    uint32_t offset; /* of a .param variable: bytes in the frame's local memory, a multiple of 8 */
    uint32_t size;   /* of a .param variable: bytes */
};

/* An address operand: base + offset, cut to `mask`. */
struct micro_address {
    struct slot base;
    uint64_t offset;
    uint64_t mask; /* bits that the base register has */
    uint8_t space; /* enum ptx_space */
};

struct micro_memory {
    struct micro_address address;
    struct micro_address from; /* of cp.async: where it reads */
    struct slot *values;       /* what is loaded or stored, one per vector element */
    uint8_t count;             /* vector elements */
    uint8_t bytes;             /* per element, in memory */
    bool is_signed;            /* sign-extended into a wider register */
    bool uniform;              /* the address is a constant */
    bool is_strong;      /* no data race with strong accesses of others: relaxed, volatile, acquire ... */
    bool may_be_address; /* of a load: an integer of the size of addresses */
    bool uncomputed;     /* of an atomic: what it makes of memory, and returns, is not known */
};

/* mov between a register of `count` * `bits` bits and `count` registers. */
struct micro_pack {
    struct slot *elements;
    uint8_t count, bits;
};

/* machine.add3: the second carry that is added, and the second that it gives; the first ones are source 3 and
 * destination2. */
struct micro_sum {
    struct slot carry, over;
};

struct micro_branch {
    uint32_t *targets; /* instruction indices in the function; one for bra */
    uint32_t target_count;
    uint32_t reconvergence; /* or PTX_NO_INDEX: the function's exit */
};

/* Where lanes of machine code meet. */
struct micro_meeting {
    uint8_t set;     /* B0 .. B15 */
    uint32_t target; /* of BSSY: instruction of the function where its lanes go on together */
};

/* Lanes whose result the PTX ISA leaves open (execute.h). */
typedef uint32_t (*open_fn)(const struct micro *op, const uint64_t *const *s);

struct micro_call {
    uint32_t callee; /* function, or PTX_NO_INDEX: called by its address, source[0] */
    struct call_operand *arguments, *results;
    uint32_t argument_count, result_count;
};

struct micro {
    execute_fn execute;
    unsure_fn unsure;
    execute_fn
        unrecorded; /* of unrecorded_execute and relying_execute: what it does to registers and memory */
    union {
        lane_fn lanes;
        test_fn test;
    } compute;
    refine_fn refine;         /* or NULL: known exactly where all sources are */
    known_bits_fn known_bits; /* or NULL: those of a lane whose sources are all known */
    open_fn open;             /* of open_execute */
    const struct ptx_form *form;
    const struct ptx_inst *inst;
    uint32_t index;                        /* through all functions of the module, as in paths */
    bool issued;                           /* a step of paths: neither auxiliary nor the end of a body */
    bool accesses_memory;                  /* in any state space */
    bool has_guard;                        /* executed only where the guard (negated or not) is true */
    struct slot guard;                     /* a predicate */
    struct slot destination, destination2; /* the second: a predicate, or the carry flag */
    struct slot source[MICRO_SOURCES];     /* those not needed are a known zero */
    uint8_t source_count;                  /* sources that the instruction has */
    uint8_t open_kind;                     /* enum launch_assumption: what makes open results known */
    uint8_t nan_type;     /* enum ptx_type of a result that may be a NaN that it makes, or 0 */
    struct slot *outputs; /* everything the instruction writes but the CC register */
    uint32_t output_count;
    uint64_t result_mask; /* bits that the first output's register has */
    uint64_t immediate;   /* what `compute` needs besides its sources */
    union {
        struct micro_memory memory;
        struct micro_pack pack;
        struct micro_sum sum;
        struct micro_branch branch;
        struct micro_call call;
        struct micro_meeting meeting;
        const struct micro *fused; /* of a sum that may be fused with a product: that (execute.h) */
    };
};

/* Computations of each lane by itself: PTX forms to functions over all lanes. */

/* Each finder returns the function that computes the form, or NULL when the form is not one of its kind. A
 * form that no finder knows has an unknown result. */
lane_fn alu_int_find(const struct ptx_form *form);    /* integer arithmetic, logic, shifts, bit fields */
lane_fn alu_float_find(const struct ptx_form *form);  /* floating-point arithmetic */
lane_fn alu_select_find(const struct ptx_form *form); /* mov, selp, slct, set, cvta */
lane_fn convert_find(const struct ptx_form *form);    /* cvt */
test_fn compare_find(const struct ptx_form *form);    /* results that are predicates */

/* When the result of a form is known in spite of an unknown operand, or NULL. */
refine_fn alu_refine_find(const struct ptx_form *form);

/* The comparison that setp and set make, without the boolean operation. */
test_fn compare_operator(const struct ptx_form *form, enum ptx_type type);

/* A lane function that is no form's own: source 0 + op->immediate, cut to op->result_mask. */
void alu_offset(const struct micro *op, uint64_t *d, const uint64_t *const *s);

/* Which of the eight bytes of b:a stands at byte `i` of what prmt gives in a mode; bit 3 set: its sign. */
uint32_t alu_permute_selector(uint8_t mode, uint32_t i, uint32_t control);

/* Integer types in the order of the function tables. */
enum int_kind { INT_U16, INT_S16, INT_U32, INT_S32, INT_U64, INT_S64, INT_KINDS };

/* The table column of a type: bits count as unsigned; INT_KINDS for a type that is no integer of these. */
static inline enum int_kind int_kind_of(uint8_t type) {
    switch (type) {
    case PTX_U16:
    case PTX_B16: return INT_U16;
    case PTX_S16: return INT_S16;
    case PTX_U32:
    case PTX_B32: return INT_U32;
    case PTX_S32: return INT_S32;
    case PTX_U64:
    case PTX_B64: return INT_U64;
    case PTX_S64: return INT_S64;
    default: return INT_KINDS;
    }
}

/* Defines a lane function: the body computes lane l of d from a, b and c. */
#define LANE_FUNCTION(name, ...)                                                                             \
    static void name(const struct micro *op, uint64_t *d, const uint64_t *const *s) {                        \
        const uint64_t *a = s[0], *b = s[1], *c = s[2];                                                      \
        (void)op, (void)a, (void)b, (void)c;                                                                 \
        FOR_LANES(l) {                                                                                       \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

/* Defines `name` for the integer types: x, y and z are the operands as T, and the value of the expression,
 * cut to T, is the result. */
#define INT_FUNCTION(name, T, U, expression)                                                                 \
    LANE_FUNCTION(name, T x = (T)a[l]; T y = (T)b[l]; T z = (T)c[l]; (void)x, (void)y, (void)z;              \
                  d[l] = (U)(expression);)
#define INT_FUNCTIONS_16(name, expression)                                                                   \
    INT_FUNCTION(name##_u16, uint16_t, uint16_t, expression)                                                 \
    INT_FUNCTION(name##_s16, int16_t, uint16_t, expression)
#define INT_FUNCTIONS_32(name, expression)                                                                   \
    INT_FUNCTION(name##_u32, uint32_t, uint32_t, expression)                                                 \
    INT_FUNCTION(name##_s32, int32_t, uint32_t, expression)
#define INT_FUNCTIONS_64(name, expression)                                                                   \
    INT_FUNCTION(name##_u64, uint64_t, uint64_t, expression)                                                 \
    INT_FUNCTION(name##_s64, int64_t, uint64_t, expression)
#define INT_FUNCTIONS(name, expression)                                                                      \
    INT_FUNCTIONS_16(name, expression)                                                                       \
    INT_FUNCTIONS_32(name, expression)                                                                       \
    INT_FUNCTIONS_64(name, expression)
#define INT_TABLE(name)                                                                                      \
    { name##_u16, name##_s16, name##_u32, name##_s32, name##_u64, name##_s64 }

/* Which bits of a result are known when of some source only single bits are: halves and bytes that programs
 * put into registers which were never written as a whole. */

/* A source in one lane: where a bit of `known` is set, that bit of the value is known. */
struct bit_source {
    uint64_t value, known;
};

/* How the known bits of a result follow from those of its sources: they are those that are the same whatever
 * the others of the sources are, so that the value computed from what these hold is right in them. Bits that
 * the register does not have count for nothing. NULL: all bits of all sources are needed. */
known_bits_fn known_bits_find(const struct ptx_form *form);

/* The known bits of the sum of three words and two carries. */
uint64_t known_bits_of_add3(const struct bit_source *sources, bool first, bool second);

#endif
