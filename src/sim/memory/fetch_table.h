/* Sectors that a cache waits for: found by address, taken and given back one by one. The miss status holding
 * registers (MSHRs) of a first-level cache, and what a partition of the second level has asked DRAM for. */
#ifndef WB_SIM_MEMORY_FETCH_TABLE_H
#define WB_SIM_MEMORY_FETCH_TABLE_H

#include <stdint.h>

#include "base/cycles.h"
#include "base/status.h"

#define FETCH_NONE UINT32_MAX

struct fetch {
    uint64_t sector;
    cycles data_at;   /* when the data is there, or CYCLES_SATURATED while that is not known */
    uint32_t waiting; /* the first of those who wait for it: the owner's */
    uint32_t later;   /* the fetch whose data comes next, of a fetch_line */
    uint32_t chain;   /* older fetch of the same bucket; of a free one the next free one */
};

/* Zero-initialised it is empty. */
struct fetch_table {
    struct fetch *items;
    uint32_t *buckets; /* the youngest fetch of each, or FETCH_NONE */
    uint32_t size;     /* of both: a power of two, or 0 */
    uint32_t shift;    /* from a hash to a bucket */
    uint32_t used;     /* fetches in the table */
    uint32_t free;     /* first free item, or FETCH_NONE */
};

/* Fetches in the order in which their data comes. */
struct fetch_line {
    uint32_t first, last; /* FETCH_NONE: there is none */
};

/* Adds a fetch of a sector whose data comes at an unknown time. WB_ERR_LIMIT when memory is exhausted. */
wb_status fetch_table_add(struct fetch_table *table, uint64_t sector, uint32_t *fetch);

void fetch_table_remove(struct fetch_table *table, uint32_t fetch);

void fetch_table_free(struct fetch_table *table);

/* The bucket of a sector of a table that is not empty: multiplicative hashing. */
static inline uint32_t fetch_table_bucket(const struct fetch_table *table, uint64_t sector) {
    return (uint32_t)((sector * UINT64_C(0x9e3779b97f4a7c15)) >> table->shift);
}

/* The youngest fetch of a sector, or FETCH_NONE. */
static inline uint32_t fetch_table_find(const struct fetch_table *table, uint64_t sector) {
    if (table->used == 0) return FETCH_NONE;
    uint32_t fetch = table->buckets[fetch_table_bucket(table, sector)];
    while (fetch != FETCH_NONE && table->items[fetch].sector != sector)
        fetch = table->items[fetch].chain;
    return fetch;
}

/* Puts a fetch behind all others of the line. */
static inline void fetch_line_append(struct fetch_line *line, struct fetch_table *table, uint32_t fetch) {
    table->items[fetch].later = FETCH_NONE;
    if (line->first == FETCH_NONE) {
        line->first = fetch;
    } else {
        table->items[line->last].later = fetch;
    }
    line->last = fetch;
}

/* When the next data of the line comes, or CYCLES_SATURATED. */
static inline cycles fetch_line_next(const struct fetch_line *line, const struct fetch_table *table) {
    return line->first == FETCH_NONE ? CYCLES_SATURATED : table->items[line->first].data_at;
}

/* Removes the fetches whose data is there in cycle `now` from line and table. */
static inline void fetch_line_release(struct fetch_line *line, struct fetch_table *table, cycles now) {
    while (fetch_line_next(line, table) <= now) {
        uint32_t fetch = line->first;
        line->first = table->items[fetch].later;
        fetch_table_remove(table, fetch);
    }
}

#endif
