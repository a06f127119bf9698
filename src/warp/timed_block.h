/* A thread block with times: what the simulator executes and the analyses bound. Made from the warp paths of
 * a PTX kernel and a machine, or by hand (tests, counterexamples): nothing in it refers to PTX. */
#ifndef WB_WARP_TIMED_BLOCK_H
#define WB_WARP_TIMED_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cycles.h"
#include "machine/machine.h"
#include "warp/path.h"

/* One static instruction with its timing. Registers are numbered through the whole code; their sources stand
 * at operands[first_operand ..], their destinations behind them. */
struct timed_inst {
    uint32_t first_operand;
    uint16_t source_count;
    uint16_t destination_count;
    uint32_t init;    /* cycles that the unit is busy; 0 only with UNIT_NONE */
    uint32_t latency; /* cycles after the initiation until the result can be read */
    uint8_t unit;     /* index into the machine's units, or UNIT_NONE: no slot, no time */
    bool barrier;     /* the warp waits until every live warp of the block has issued its barrier */
};

struct timed_code {
    struct timed_inst *insts;
    uint32_t inst_count;
    uint32_t *operands; /* register numbers */
    uint32_t register_count;
};

struct timed_block {
    struct arena arena; /* owns code and warp_path */
    const struct wb_machine *machine;
    struct timed_code code;
    const struct path *paths; /* the distinct paths, owned by whoever made the block */
    uint32_t path_count;
    uint32_t *warp_path; /* per warp the index of its path */
    uint32_t warp_count;
};

void timed_block_free(struct timed_block *block);

#endif
