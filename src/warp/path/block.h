/* What the warps of one thread block execute: the result of running the block on known and unknown values. */
#ifndef WB_WARP_PATH_BLOCK_H
#define WB_WARP_PATH_BLOCK_H

#include "launch/launch.h"
#include "machine/occupancy.h"
#include "ptx/ptx.h"
#include "warp/path/access_list.h"
#include "warp/path/execution_notes.h"
#include "warp/path/path.h"
#include <stdint.h>

/* What of an instruction a covering path takes for possible because it is not known. */
enum cover_need {
    COVER_CONDITION, /* which way a branch goes */
    COVER_GUARD,     /* whether it is executed */
    COVER_ADDRESS,   /* which memory it accesses */
    COVER_NEED_COUNT
};

struct cover_cause {
    uint32_t instruction; /* index as in paths */
    uint32_t origin;      /* the instruction that the unknown value comes from, or UINT32_MAX */
    enum cover_need need;
};

/* Flow facts as reports name them. */
struct facts_used {
    const struct wb_facts *from; /* which outlive the block; NULL: there are none */
    size_t stated;               /* of them by the user, to be taken for true */
    size_t found;                /* and by analysis, which finds them again */
};

/* Instruction indices in paths run through all functions of the module: the i-th issued instruction of
 * function f has index code_first[f] + i. Of PTX that is its instruction i; of machine code an instruction of
 * the machine, whatever it was lifted to. */
struct wb_block {
    struct arena arena;
    const struct wb_kernel *kernel;
    uint32_t grid[3], size[3], index[3]; /* blocks in the grid, threads in the block, which block */
    uint64_t shared_bytes;               /* static and dynamic */
    struct register_facts registers;     /* of a thread */
    struct launch_inputs inputs;         /* that it was executed with */
    uint32_t *code_first;                /* function_count + 1 entries */
    VEC(struct path) paths;              /* the distinct ones, in order of the first warp that has each */
    uint32_t warp_count;
    uint32_t warp_width;           /* threads of a warp */
    uint32_t *warp_path;           /* per warp the index of its path */
    struct access_list *accesses;  /* per warp, or NULL when not recorded */
    struct memory_objects objects; /* that the accesses refer to; empty when not recorded */
    struct execution_notes notes;
    uint32_t unrecorded;     /* an instruction not all of whose accesses are known, or PTX_NO_INDEX */
    bool covering;           /* the paths cover those of all executions (docs/covering-paths.md) */
    struct facts_used facts; /* of such a block: the flow facts that it rests on */
    bool repeats;            /* of such a block: some path repeats iterations without records of accesses */
    bool meets_perhaps;      /* of such a block: warps wait at some barrier only perhaps */
    VEC(struct cover_cause) causes; /* of such a block: what was not known, in the order it was met */
    uint32_t uncounted; /* such a one whose records do not have all lanes that may take part, though
                           it is served in transactions, or PTX_NO_INDEX */
};

/* Numbers the issued instructions of a module: number i of function f has index (*code_first)[f] + i; one
 * more entry is the number of all. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status code_number(const struct wb_module *module, struct arena *arena, uint32_t **code_first);

/* The function and the issued instruction behind an instruction index; `function` may be NULL. */
const struct ptx_inst *code_inst(const struct wb_module *module, const uint32_t *code_first, uint32_t index,
                                 const struct ptx_function **function);
const struct ptx_inst *block_inst(const struct wb_block *block, uint32_t index,
                                  const struct ptx_function **function);

/* Frees paths, accesses and all else that an execution has left in the block, but for its arena. */
void block_forget(struct wb_block *block);

/* Bytes that the block takes. */
uint64_t block_bytes(const struct wb_block *block);

#endif
