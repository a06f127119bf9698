/* How instructions come to the warps: the instruction cache of a streaming multiprocessor (SM), and the
 * instruction buffers of its warps. docs/memory-model.md, section 10, has the rules. */
#ifndef WB_MACHINE_FETCH_H
#define WB_MACHINE_FETCH_H

#include "machine/memory.h"

/* Largest instruction cache, in bytes. */
#define FETCH_BYTES_MAX (1u << 28)

struct machine_fetch {
    uint32_t size, ways, line;  /* of the instruction cache, in bytes and lines; size 0: every warp always has
                                   its next instruction */
    uint32_t instruction_bytes; /* of a machine instruction */
    uint32_t buffer;            /* instructions of a warp's buffer: a fetch brings that many, of one line */
    uint32_t per_cycle;         /* fetches of the SM that can begin in a cycle */
    uint32_t latency;      /* cycles from the beginning of a fetch to the first issue of what it brings */
    uint32_t miss_latency; /* cycles from a miss until its line is there */
    uint32_t misses;       /* lines that the SM waits for at a time */
};

/* Table of struct machine_fetch: the key `fetch` of a machine file. */
extern const struct field machine_fetch_fields[];

/* Fetch of a machine whose file says nothing of it: it makes nobody wait. */
void machine_fetch_defaults(struct machine_fetch *fetch);

/* Reads the mapping of a file on top of what *fetch says. WB_ERR_INPUT with a message when it is wrong, or
 * its parts do not fit together. */
wb_status machine_fetch_read(const struct ytree *document, const struct ytree_node *value,
                             struct machine_fetch *fetch);

/* Whether the parts fit together. False with a sentence of what is wrong in *problem. */
bool machine_fetch_check(const struct machine_fetch *fetch, struct text *problem);

/* Whether warps wait for their instructions. */
static inline bool fetch_can_stall(const struct machine_fetch *fetch) {
    return fetch->size != 0;
}

/* The instruction cache as one of data: its lines are fetched whole. */
static inline struct cache_geometry fetch_cache_geometry(const struct machine_fetch *fetch) {
    return (struct cache_geometry){
        .bytes = fetch->size, .ways = fetch->ways, .line_bytes = fetch->line, .sector_bytes = fetch->line};
}

/* Behind the last byte of what a fetch of the instruction at `address` brings. */
static inline uint64_t fetch_end(const struct machine_fetch *fetch, uint64_t address) {
    const uint64_t line_end = (address / fetch->line + 1) * fetch->line;
    const uint64_t end = address + (uint64_t)fetch->buffer * fetch->instruction_bytes;
    return end < line_end ? end : line_end;
}

/* Most cycles that a fetch keeps anybody waiting for: its own beginning, a line, and the way from it. */
static inline uint64_t fetch_longest(const struct machine_fetch *fetch) {
    return fetch_can_stall(fetch) ? (uint64_t)1 + fetch->miss_latency + fetch->latency : 0;
}

#endif
