/* Micro-operations: PTX instructions decoded for execution. Operands are resolved to slots, the computation
 * to a function over all lanes; decoding happens once, executing millions of times. */
#ifndef WB_WARP_ALU_MICRO_H
#define WB_WARP_ALU_MICRO_H

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

/* Which bits of the result are known in a lane (known_bits.h). */
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

/* Lanes whose result the PTX ISA leaves open (open_result.h). */
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
        const struct micro *fused; /* of a sum that may be fused with a product: that (contraction.h) */
    };
};

#endif
