/* What each instruction is to the model that follows GPGPU-Sim: its unit and times, the registers that its
 * scoreboard and its register banks know, what it does in the load/store unit. */
#ifndef WB_WINGS_GPGPUSIM_CODE_H
#define WB_WINGS_GPGPUSIM_CODE_H

#include "machine/machine.h"
#include "warp/path/path.h"
#include "warp/timed/timed.h"

/* What an instruction does in the LSU. */
enum gs_kind {
    GS_NOT_LSU,
    GS_FENCE,
    GS_STORE,       /* to any space */
    GS_LOAD_SHARED, /* loads from shared memory */
    GS_ATOMIC       /* on shared or global memory */
};

/* One instruction. Its operands stand in the code's pool behind each other: registers that must not be
 * pending at its issue; registers whose results it makes pending; numbers of the registers that it reads, and
 * that it writes, modulo the number of banks. */
struct gs_inst {
    uint32_t first;
    uint16_t checked_count, result_count, read_count, written_count;
    uint32_t init;
    uint32_t latency;   /* without the stages around the unit */
    uint8_t unit;       /* enum gpgpusim_unit */
    uint8_t kind;       /* enum gs_kind */
    uint8_t space;      /* enum ptx_space as the text has it */
    uint8_t data_bytes; /* of one element: the simulator knows no more of vectors */
    bool barrier;
    bool uncounted;
};

struct gs_code {
    struct gs_inst *insts; /* indices as in the paths */
    uint32_t *pool;
    uint32_t register_count; /* registers are numbered from 0 within each function */
    uint32_t longest;        /* largest latency of an instruction */
};

/* Most registers that an instruction reads or writes as the simulator sees it. */
#define GS_OPERANDS_MAX 32u

/* Decodes all functions that the block's paths touch; the memory is from `arena`. WB_ERR_INPUT with a message
 * when the machine's units or classes do not fit the model, WB_ERR_LIMIT when memory is exhausted. */
wb_status gs_code_make(const struct wb_block *block, const struct timed_block *timed, struct arena *arena,
                       wb_diagnostics *diagnostics, struct gs_code *code);

static inline const uint32_t *gs_checked(const struct gs_code *code, const struct gs_inst *inst) {
    return code->pool + inst->first;
}

static inline const uint32_t *gs_results(const struct gs_code *code, const struct gs_inst *inst) {
    return code->pool + inst->first + inst->checked_count;
}

static inline const uint32_t *gs_reads(const struct gs_code *code, const struct gs_inst *inst) {
    return gs_results(code, inst) + inst->result_count;
}

static inline const uint32_t *gs_writes(const struct gs_code *code, const struct gs_inst *inst) {
    return gs_reads(code, inst) + inst->read_count;
}

#endif
