/* The order in which the reordering extension lets the memory instructions of an SM into its first-level
 * cache: by generation, epoch, program address, block, warp (docs/access-order.md). It depends on the program
 * and the number of resident blocks alone, not on times. */
#ifndef WB_MEMORY_REQUESTS_ACCESS_ORDER_H
#define WB_MEMORY_REQUESTS_ACCESS_ORDER_H

#include "base/heap.h"
#include "machine/occupancy.h"
#include "memory/requests/traffic.h"

/* Which blocks run where: block b on SM b mod sms, `resident` of them at a time. */
struct sm_share {
    uint32_t sm, sms;
    uint32_t resident; /* at least 1 */
};

/* One memory instruction of the order: all its requests go one after the other. */
struct ordered_access {
    uint32_t block, warp;
    uint32_t epoch;
    const struct traffic_pattern *pattern;
    const struct traffic_access *access; /* makes requests */
};

/* A warp's next access. */
struct order_cursor {
    const struct traffic_pattern *pattern;
    const struct access_position *positions;
    uint32_t index; /* into both */
};

/* An enumeration under way. */
struct access_order {
    struct arena arena;
    const struct traffic *traffic;
    struct sm_share share;
    uint64_t generation;          /* of the blocks in the slots; UINT64_MAX: none yet */
    struct order_cursor *cursors; /* per slot and warp */
    uint64_t *keys;               /* per slot and warp, of its next access */
    struct heap blocks; /* with accesses left, by slot; key: epoch and program address of the next one */
    uint32_t warp;      /* of the first of them, where to look for more accesses of its key */
};

/* Whether the order is known: of real paths always; of covering paths where every access with requests is
 * surely made, so that the unit waits for none that does not come, and every barrier is one for all.
 * WB_ERR_DECLINED with a message at the line of the PTX if not. */
wb_status access_order_check(const struct traffic *traffic, wb_diagnostics *diagnostics);

/* Stands before the first access of an SM. WB_ERR_LIMIT without a message when memory is exhausted;
 * access_order_end in any case. */
wb_status access_order_begin(const struct traffic *traffic, const struct sm_share *share,
                             struct access_order *order);

/* Goes to the next access; false at the end. */
bool access_order_next(struct access_order *order, struct ordered_access *next);

void access_order_end(struct access_order *order);

/* The channel of a warp: those of the blocks of a generation are numbered in the order of blocks and warps.
 * (Which slot a block of a later generation gets, and so which channel, is a matter of time; the order does
 * not depend on it.) */
uint32_t order_channel(const struct access_order *order, uint32_t block, uint32_t warp);

/* Blocks of the grid that run on an SM. */
uint32_t sm_share_blocks(const struct sm_share *share, const struct wb_grid *grid);

/* What a block of the grid takes of its SM. */
struct block_demand grid_block_demand(const struct wb_grid *grid);

#endif
