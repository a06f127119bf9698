/* The memory requests of a grid on a machine: what the caches, the access order, the simulator and the bounds
 * work on. Blocks of one shape whose bases are equally aligned share their requests but for a shift. */
#ifndef WB_MEMORY_REQUESTS_TRAFFIC_H
#define WB_MEMORY_REQUESTS_TRAFFIC_H

#include "machine/machine.h"
#include "warp/trace/grid.h"
#include "warp/trace/grid_block.h"

/* When in its block each access of a warp happens, whatever the schedule: between which barriers, and in
 * which epoch of the access order (docs/access-order.md). */
struct access_position {
    uint32_t phase; /* barriers that the warp has crossed before it */
    uint32_t epoch; /* grows when the program address of a request does not, and at every barrier */
};

/* Of the blocks of one shape. */
struct shape_positions {
    struct access_position **positions; /* per warp and access of its stream */
    uint32_t phases;                    /* most barriers that a warp crosses, plus 1 */
    uint32_t epochs;                    /* the largest epoch of an access, plus 1 */
};

enum traffic_kind {
    TRAFFIC_ON_CHIP, /* shared memory, constants, parameters: no request, only cycles of its unit */
    TRAFFIC_LOAD,
    TRAFFIC_STORE,
    TRAFFIC_ATOMIC,  /* executed at the second level; evicts the line from the first */
    TRAFFIC_UNCACHED /* a load that the first level does not serve: evicts the line from it, goes below */
};

/* Whether an access waits for data that may have to come from DRAM. */
static inline bool traffic_is_load(uint8_t kind) {
    return kind == TRAFFIC_LOAD || kind == TRAFFIC_UNCACHED;
}

/* One executed memory instruction of a warp. Of a copy to shared memory (cp.async) the load and the store,
 * and of generic addresses the lanes of each state space, follow one another with the same step; on a machine
 * with caches at most one access of a step makes requests. */
struct traffic_access {
    uint64_t step;          /* position in the warp's path */
    uint32_t instruction;   /* index in the code: ascending addresses of the program */
    uint32_t group;         /* of the stream: where its base is */
    uint32_t first_request; /* its requests: the pattern's offsets[first_request ..], first lane first */
    uint32_t cycles;        /* that it adds to those of its step if nothing stalls */
    uint32_t object;        /* of unknown addresses: as in struct access */
    uint16_t request_count; /* 0 only for TRAFFIC_ON_CHIP; at most, where addresses or lanes are not known */
    uint8_t kind;           /* enum traffic_kind */
    bool is_unknown;        /* which lines its requests are of: their offsets say nothing */
    bool unordered;         /* its requests come in the order of the lanes that are really there */
    bool perhaps_none;      /* an execution may make no request, though it is executed */
};

/* A stream with its bases' alignment known. A request's address is the group's base, rounded down to whole
 * lines, plus the offset; it is a multiple of the request size. */
struct traffic_pattern {
    struct traffic_access *accesses;
    uint32_t access_count;
    uint64_t *offsets; /* modulo 2^64 */
    bool *perhaps;     /* per request: it is perhaps not made, though the paths be executed; NULL: all are */
    uint32_t request_count;
    bool *group_is_local; /* per group of the stream: its space is local memory */
    /* On a machine that times machine code, else NULL, each of the first access of a step: */
    struct access_counts *counts; /* what all accesses of the step count, */
    uint32_t *entries;            /* and the entry of the grid's code that takes so long (timed_grid_make) */
};

/* The blocks of one shape and one alignment of its bases. */
struct traffic_variant {
    uint32_t shape;
    uint32_t *patterns; /* per warp */
};

struct traffic {
    struct arena arena;
    const struct wb_grid *grid;
    const struct wb_machine *machine;
    VEC(struct traffic_pattern) patterns; /* these lists, too, are of the arena */
    VEC(struct traffic_variant) variants;
    struct shape_positions *shapes; /* per shape of the grid */
    uint32_t *block_variants;       /* per block of the grid */
};

/* Makes the requests of a grid without steered warps; of covering paths all that there can be. Both grid and
 * machine must outlive it. Errors, each with a message: WB_ERR_DECLINED as grid_decline_steered, and with
 * caches when lanes of one instruction are in global and in local memory; WB_ERR_LIMIT when memory is
 * exhausted. traffic_free in any case. */
wb_status traffic_make(const struct wb_grid *grid, const struct wb_machine *machine,
                       wb_diagnostics *diagnostics, struct traffic *traffic);

/* What a warp of a block accesses. */
static inline const struct traffic_pattern *traffic_pattern_of(const struct traffic *traffic, uint32_t block,
                                                               uint32_t warp) {
    const struct traffic_variant *variant = &traffic->variants.items[traffic->block_variants[block]];
    return &traffic->patterns.items[variant->patterns[warp]];
}

/* Where the accesses of a warp of a block stand in its block: one position an access. */
static inline const struct access_position *traffic_positions_of(const struct traffic *traffic,
                                                                 uint32_t block, uint32_t warp) {
    return traffic->shapes[traffic->grid->blocks.items[block].shape].positions[warp];
}

/* The group's base for a warp of a block, rounded down to whole lines: a request is at base + offset. Of
 * local memory, where the addresses of a warp's lanes are interleaved word by word, a place that no other
 * warp's memory shares. */
uint64_t traffic_base(const struct traffic *traffic, uint32_t block, uint32_t warp, uint32_t group);

void traffic_free(struct traffic *traffic);

#endif
