#include "memory/requests.h"

#include "warp/lanes.h"

/* A word of shared memory, of the constant cache, and of interleaved local memory. */
#define WORD_BYTES 4u

void lane_addresses_read(const struct access *access, const uint64_t *tables, uint64_t base,
                         struct lane_addresses *lanes) {
    lanes->mask = access->mask;
    lanes->bytes = access->bytes;
    if (access->table == ACCESS_AFFINE) {
        for (uint32_t l = 0; l < WARP_LANES; l++)
            lanes->address[l] = base + access->base + (uint64_t)access->stride * l;
        return;
    }
    const uint64_t *next = tables + access->table;
    FOR_LANES_OF(l, access->mask) lanes->address[l] = base + *next++;
}

/* Adds a block to the list unless it is there. The last one is looked at first: neighbouring lanes mostly
 * touch the same or the next block. */
static uint32_t add_distinct(uint64_t *list, uint32_t count, uint64_t value) {
    for (uint32_t i = count; i-- > 0;) {
        if (list[i] == value) return count;
    }
    list[count] = value;
    return count + 1;
}

uint32_t requests_coalesce(const struct lane_addresses *lanes, uint32_t granule,
                           uint64_t requests[REQUESTS_MAX]) {
    uint64_t align = ~(uint64_t)(granule - 1);
    uint32_t count = 0;
    FOR_LANES_OF(l, lanes->mask) {
        uint64_t first = lanes->address[l] & align;
        uint64_t last = (lanes->address[l] + lanes->bytes - 1) & align;
        count = add_distinct(requests, count, first);
        if (last != first) count = add_distinct(requests, count, last);
    }
    return count;
}

void lane_addresses_interleave(struct lane_addresses *lanes) {
    FOR_LANES_OF(l, lanes->mask) {
        uint64_t address = lanes->address[l];
        lanes->address[l] = (address / WORD_BYTES * WARP_LANES + l) * WORD_BYTES + address % WORD_BYTES;
    }
}

uint32_t transaction_cycles(const struct machine_memory *memory, uint32_t init, uint32_t transactions) {
    uint32_t passing = transactions * memory->request_cycles;
    return passing > init ? passing : init;
}
