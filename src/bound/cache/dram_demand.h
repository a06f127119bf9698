/* How often the requests of a grid can reach DRAM: sets of the second level that all their lines fit in fetch
 * each sector once and write nothing back, in whatever order the requests come. */
#ifndef WB_BOUND_CACHE_DRAM_DEMAND_H
#define WB_BOUND_CACHE_DRAM_DEMAND_H

#include "memory/requests/traffic.h"

struct dram_demand {
    uint64_t fetches;     /* of sectors that loads miss, whatever the first levels let through */
    uint64_t write_backs; /* of dirty lines that are evicted */
    uint64_t left_dirty;  /* lines written that can still be there in the end, to be written back later */
};

/* Bounds of them for all blocks of the grid together. WB_ERR_LIMIT without a message when memory is
 * exhausted. */
wb_status dram_demand_of(const struct traffic *traffic, struct dram_demand *demand);

#endif
