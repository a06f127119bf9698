/* How long each instruction of a kernel takes: the code of a module on a machine. */
#ifndef WB_WARP_TIMED_CODE_TIMING_H
#define WB_WARP_TIMED_CODE_TIMING_H

#include "ptx/ptx.h"
#include "warp/path/execution_notes.h"
#include "warp/path/path.h"
#include "warp/timed/timed_block.h"

/* What of a kernel's module warps execute. */
struct executed_code {
    const struct wb_kernel *kernel;
    const uint32_t *code_first; /* issued instruction i of function f has index code_first[f] + i */
    const uint32_t *block_size; /* threads of a block, three dimensions */
    uint32_t warp_width;        /* threads of a warp */
    const bool *used;           /* per instruction: on some path */
    const struct execution_notes *notes;
};

/* Per instruction whether some path executes it; NULL when memory is exhausted. The work depends on the
 * number of runs and not on their lengths. */
bool *executed_instructions(const struct path *paths, size_t path_count, uint32_t inst_count,
                            struct arena *arena);

/* Gives the used instructions their unit, registers, initiation and latency by class; all memory is the
 * arena's. Errors, each with a message: WB_ERR_INPUT when the machine does not give a class that is needed
 * (every missing class is reported first); WB_ERR_DECLINED as joins_block; WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status timed_code_from(const struct executed_code *executed, const struct wb_machine *machine,
                          wb_diagnostics *diagnostics, struct arena *arena, struct timed_code *code);

#endif
