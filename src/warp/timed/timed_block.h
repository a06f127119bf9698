/* A thread block with times: what the simulator executes and the analyses bound. Made from the warp paths of
 * a PTX kernel and a machine (block_timing.h), or by hand (synthetic_block.h): nothing that
 * the analyses and the plain model need of it refers to PTX. */
#ifndef WB_WARP_TIMED_TIMED_BLOCK_H
#define WB_WARP_TIMED_TIMED_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cycles.h"
#include "base/diagnostics.h"
#include "machine/machine.h"
#include "warp/path/execution_notes.h"
#include "warp/path/path.h"
#include "warp/timed/sass_timing.h"

/* What instructions of a warp can be waited for together, however many they are: asynchronous copies by the
 * groups that they are committed in, and accesses of memory, by fences (docs/execution.md). */
enum wait_queue { QUEUE_COPIES, QUEUE_BULK_COPIES, QUEUE_ACCESSES, QUEUE_COUNT };

/* The registers of a queue: register first + j can be read when every instruction is complete that joined the
 * queue before the j-th last commit; of j = 0, every one that joined. Waiting is reading such a register.
 * count 0: nothing waits for the queue. */
struct timed_queue {
    uint32_t first, count;
};

/* One static instruction with its timing. Registers are numbered through the whole code; its sources stand
 * at operands[first_operand ..], its destinations behind them. */
struct timed_inst {
    uint32_t first_operand;
    uint16_t source_count;
    uint16_t destination_count;
    uint32_t init;           /* cycles that the unit is busy; 0 only with UNIT_NONE */
    uint32_t latency;        /* most cycles after the initiation until the result can be read */
    uint32_t latency_least;  /* least of them: the machine's promise, 0 where it makes none */
    uint32_t memory_latency; /* the part of it that stands for the way to memory where none is modelled */
    uint8_t unit;            /* index into the machine's units, or UNIT_NONE: no slot, no time */
    bool barrier;            /* the warp waits until every live warp of the block has issued its barrier */
    uint8_t joins;           /* bit q: later waits for queue q are for this instruction, too */
    uint8_t commits;         /* bit q: it ends a group of queue q, itself included if it joins */
    bool uncounted; /* left out of instruction counts: `ret` and its like, a barrier without a slot */
};

/* An instruction of a kernel whose executions take different times has an entry for each of them. */
struct timed_code {
    struct timed_inst *insts;
    uint32_t inst_count;
    uint32_t *origin;    /* per entry the instruction of the kernel that it is of; NULL: entry i is of i */
    uint32_t *addresses; /* per instruction of the kernel its byte offset in the machine's code; NULL: PTX */
    uint32_t *operands;  /* register numbers */
    uint32_t register_count;
    assumed_set assumed; /* what its times, and the paths through it, take for granted */
    struct timed_queue queues[QUEUE_COUNT];
    struct sass_timed *sass; /* per entry; NULL on machines that time PTX */
    struct sass_footprint footprint;
    const struct timed_code *beside; /* the code of all blocks that share an SM with these; NULL: this */
};

struct wb_block;

struct timed_block {
    struct arena arena; /* owns the code; of a block written by hand also warp_path */
    const struct wb_machine *machine;
    const struct wb_block *traced; /* the PTX block it was made from, or NULL */
    struct timed_code code;
    const struct path *paths; /* the distinct paths: own_paths, or owned by whoever made the block */
    uint32_t path_count;
    VEC(struct path) own_paths;
    uint32_t *warp_path; /* per warp the index of its path */
    uint32_t warp_count;
};

/* The instruction of the kernel that an entry of the code is of. */
static inline uint32_t timed_origin(const struct timed_code *code, uint32_t entry) {
    return code->origin == NULL ? entry : code->origin[entry];
}

/* Where the instruction of an entry of the code lies among the machine's instructions, in bytes. PTX has no
 * addresses: each of its instructions stands for one of the machine, in the order of the module. Copies of a
 * function that were put in the place of calls of it have its addresses. */
static inline uint64_t timed_address(const struct timed_code *code, uint32_t entry,
                                     uint32_t instruction_bytes) {
    const uint32_t origin = timed_origin(code, entry);
    return code->addresses != NULL ? code->addresses[origin] : (uint64_t)origin * instruction_bytes;
}

/* Instructions that all warps of the block execute. */
uint64_t timed_block_length(const struct timed_block *block);

/* Most cycles that any schedule or bound of the block can reach: the sum over all instructions of all warps
 * of the largest initiation, latency, one issue slot, and a fetch where it can stall. Saturated when it does
 * not fit. */
cycles timed_block_horizon(const struct timed_block *block);

/* WB_ERR_LIMIT with a message when the horizon is above INT64_MAX; when it is not, no sum of times over the
 * block's instructions can overflow, and simulator and analyses add without checks. */
wb_status timed_block_check(const struct timed_block *block, wb_diagnostics *diagnostics);

void timed_block_free(struct timed_block *block);

#endif
