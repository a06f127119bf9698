/* The memory that blocks share and the shared memory of a block: regions of bytes, each known or unknown. */
#ifndef WB_WARP_INTERPRET_MEMORY_H
#define WB_WARP_INTERPRET_MEMORY_H

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "warp/alu/lanes.h"

/* Most bytes that all regions of a run take together; what a region does not use is never touched. */
#define MEMORY_MAX ((uint64_t)8 << 30)

/* Bytes at generic addresses base .. base + size - 1. */
struct region {
    uint64_t base, size;
    uint8_t *bytes;
    uint8_t *known;   /* bit i of byte j: byte 8 * j + i is known; NULL: all are */
    const char *name; /* for messages; not owned */
    bool writable;
    bool unknown;     /* no byte is known; false: perhaps */
    bool stored;      /* some instruction stored to it, or perhaps did */
    uint32_t modes;   /* of atomics on it, as bits, since warps have met last: enum ptx_mode */
    bool is_volatile; /* others store to it at any time: what is stored does not become known */
};

struct memory {
    VEC(struct region) regions; /* by base */
    uint64_t
        next[PTX_SPACE_REG]; /* by enum ptx_space, where the next region goes; 0: at the window's start */
    uint64_t used;           /* bytes of all regions */
};

/* Adds a region of zeros in a state space, all known or all unknown. *index is its place in the list, which
 * later additions in other spaces may move. WB_ERR_LIMIT, with a message, when MEMORY_MAX or the space's
 * window is exhausted. */
wb_status memory_add(struct memory *memory, enum ptx_space space, bool wide_addresses, uint64_t size,
                     const char *name, bool known, wb_diagnostics *diagnostics, struct region *region);

/* The region that holds the address, or NULL. */
struct region *memory_find(const struct memory *memory, uint64_t address);

/* Makes `size` bytes from `offset` on unknown, or known. WB_ERR_LIMIT, without a message, when memory is
 * exhausted. */
wb_status region_set_known(struct region *region, uint64_t offset, uint64_t size, bool known);

/* Makes all bytes of the regions that were stored to unknown, for good: of global memory, and of the shared
 * memory of the block if that is asked for. *changed says whether there are some for which this is new.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status memory_share_stored(struct memory *memory, bool of_block, bool *changed);

/* Makes all bytes unknown. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status region_forget(struct region *region);

void memory_free(struct memory *memory);

/* Up to 8 aligned bytes, in a region or in local memory. */
struct place {
    uint8_t *bytes;
    uint8_t *known;        /* the byte whose bits from `shift` on say what is known; NULL: all is */
    uint8_t shift;         /* bit of the first byte */
    struct region *region; /* or NULL: local memory */
};

static inline struct place region_place(struct region *region, uint64_t offset) {
    assert(offset < region->size);
    uint8_t *known = region->known == NULL ? NULL : region->known + offset / 8;
    return (struct place){region->bytes + offset, known, (uint8_t)(offset % 8), region};
}

/* Reads `count` bytes, 1, 2, 4 or 8; false when one of them is unknown. */
static inline bool place_read(const struct place *place, uint32_t count, uint64_t *value) {
    uint32_t bits = (1u << count) - 1;
    assert(count <= 8 && place->shift + count <= 8); /* aligned */
    if (place->known != NULL && (*place->known >> place->shift & bits) != bits) return false;
    uint64_t word = 0;
    memcpy(&word, place->bytes, count);
    *value = word;
    return true;
}

static inline void place_write(const struct place *place, uint32_t count, uint64_t value) {
    assert(count <= 8 && place->shift + count <= 8);
    if (place->region != NULL && place->region->is_volatile) return;
    memcpy(place->bytes, &value, count);
    if (place->region != NULL) place->region->unknown = false;
    if (place->known != NULL) *place->known |= (uint8_t)(((1u << count) - 1) << place->shift);
}

/* Which of `count` bytes are known. */
static inline uint32_t place_known(const struct place *place, uint32_t count) {
    const uint32_t bits = (1u << count) - 1;
    return place->known == NULL ? bits : *place->known >> place->shift & bits;
}

/* Makes `count` bytes unknown. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status place_forget(const struct place *place, uint32_t count);

/* Local memory of the threads of one warp: a stack of frames, the same addresses in every lane. It also holds
 * the .param variables of functions, through which calls pass values. */

/* Most bytes that a thread may have (CUDA's own limit). */
#define LOCAL_MAX ((uint64_t)512 << 10)

/* The lanes' memories are interleaved by units of 8 bytes: unit u of lane l is number u * 32 + l. */
struct local_memory {
    uint8_t *bytes;
    uint8_t *known; /* one byte per unit: bit i says whether byte i of it is known */
    uint64_t size;  /* bytes per lane, a multiple of 8 */
    uint64_t capacity;
};

/* Makes the stack `size` bytes tall (per lane, a multiple of 8); what is new is unknown. WB_ERR_LIMIT,
 * without a message, beyond LOCAL_MAX or when memory is exhausted. */
wb_status local_resize(struct local_memory *local, uint64_t size);

/* Makes all bytes of the lanes of `mask` unknown; whether some were known. */
bool local_forget(struct local_memory *local, uint32_t mask);

/* What it takes. */
static inline uint64_t local_bytes(const struct local_memory *local) {
    return local->capacity * WARP_LANES / 8 * 9;
}

void local_free(struct local_memory *local);

/* Up to 8 aligned bytes of a lane; offset < local->size. */
static inline struct place local_place(const struct local_memory *local, uint32_t lane, uint64_t offset) {
    assert(lane < WARP_LANES && offset < local->size);
    uint64_t unit = offset / 8 * WARP_LANES + lane;
    return (struct place){local->bytes + unit * 8 + offset % 8, local->known + unit, (uint8_t)(offset % 8),
                          NULL};
}

#endif
