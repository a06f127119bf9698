/* From when on the data of a load is surely there: instructions that read or overwrite the register of a load
 * wait for all of its data (docs/proofs.md, R2), so that whatever its warp issues behind them comes after the
 * data. */
#ifndef WB_MEMORY_DATA_WAITS_H
#define WB_MEMORY_DATA_WAITS_H

#include "base/arena.h"
#include "warp/path/grid.h"
#include "warp/timed/timed_block.h"

/* The first instruction of a warp that waits for an access of it. */
struct data_wait {
    uint32_t access; /* the first access of the warp that is issued no sooner; NEVER_WAITED: none */
    uint32_t phase;  /* barriers that the warp has crossed before it; NEVER_WAITED: there is none */
};

#define NEVER_WAITED UINT32_MAX

struct wait_row {
    const struct data_wait *waits; /* per access of a stream */
};

struct data_waits {
    uint32_t warp_count;
    struct wait_row *rows; /* per shape and warp */
};

/* The waits of all shapes of a grid with the registers of its code, from the arena. WB_ERR_LIMIT without a
 * message when memory is exhausted. */
wb_status data_waits_make(const struct wb_grid *grid, const struct timed_code *code, struct arena *arena,
                          struct data_waits *waits);

/* Per access of a warp of a shape. */
static inline const struct data_wait *data_waits_of(const struct data_waits *waits, uint32_t shape,
                                                    uint32_t warp) {
    return waits->rows[(size_t)shape * waits->warp_count + warp].waits;
}

#endif
