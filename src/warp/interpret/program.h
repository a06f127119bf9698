/* The code of a run: every function that the kernel can reach, decoded to micro-operations; the addresses of
 * what they refer to; the constants they use. */
#ifndef WB_WARP_INTERPRET_PROGRAM_H
#define WB_WARP_INTERPRET_PROGRAM_H

#include "base/arena.h"
#include "launch/launch.h"
#include "warp/alu/micro.h"

/* Frame slots behind a function's registers. */
enum { SLOT_CARRY, SLOT_SINK, SLOT_LOCAL_BASE, FRAME_EXTRA_SLOTS };

struct function_code {
    const struct ptx_function *function;
    struct micro *micros; /* inst_count of them, and one for falling off the end; NULL: not reached */
    uint32_t first;       /* index of its first issued instruction in paths */
    uint32_t slot_count;  /* registers and FRAME_EXTRA_SLOTS */
    uint32_t local_size;  /* bytes of .local and .param variables per lane, a multiple of 8 */
    bool uses_local;      /* SLOT_LOCAL_BASE is needed */
    struct call_operand *params, *returns; /* param_count, return_count */
};

struct program {
    const struct wb_module *module;
    struct arena *arena;             /* the caller's */
    struct function_code *functions; /* per function of the module */
    bool *variable_used;             /* per variable: a reachable function or a used variable refers to it */
    uint64_t *addresses; /* per variable; of .local and of functions' .param: offset in the frame */
    uint64_t shared_static, shared_dynamic_base; /* bytes */
    bool has_dynamic_shared;                     /* a variable in use has as many bytes as the launch says */
    VEC(struct lanes) constants;                 /* constant 0 is a zero */
    uint32_t *constant_of; /* hash of a value to 1 + index of a constant, perhaps of another value */
    VEC(uint8_t) sregs;    /* special registers in use: slot i of BANK_SPECIAL */
    uint64_t sums;         /* bit per enum ptx_type: some code may fuse sums of it with products */
    uint32_t *hints;       /* per instruction: index of the region it accessed last */
};

/* Finds what the kernel reaches and lays out its shared and local variables; *program must be zero. The
 * arena keeps what is made. A function without a body is reported only when a call of it is executed. */
wb_status program_scan(struct program *program, const struct wb_kernel *kernel, struct arena *arena,
                       const uint32_t *code_first, wb_diagnostics *diagnostics);

/* Bytes of shared memory of a block, static and dynamic. */
uint64_t program_shared_bytes(const struct program *program, const struct wb_launch *launch);

/* Decodes all functions that are reached. Addresses of global and constant variables must be set. */
wb_status program_decode(struct program *program, wb_diagnostics *diagnostics);

/* The slot of a constant. These three end the pass that protects the arena when memory is exhausted. */
void program_constant(struct program *program, uint64_t value, struct slot *slot);

/* The slot of an address in a region of global memory, its home (home.h). */
void program_address(struct program *program, uint64_t value, uint64_t home, struct slot *slot);

/* The slot of a special register. */
void program_special(struct program *program, uint32_t sreg, struct slot *slot);

/* The issued instruction behind an index of paths; any reached one. */
const struct ptx_inst *program_inst(const struct program *program, uint32_t index);

void program_free(struct program *program);

/* Whether a variable belongs to a function's frame: .local, and .param of functions that are no entries. */
bool program_in_frame(const struct wb_module *module, const struct ptx_variable *variable);

#endif
