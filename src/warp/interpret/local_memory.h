/* Local memory of the threads of one warp: a stack of frames, the same addresses in every lane. It also holds
 * the .param variables of functions, through which calls pass values. */
#ifndef WB_WARP_INTERPRET_LOCAL_MEMORY_H
#define WB_WARP_INTERPRET_LOCAL_MEMORY_H

#include "warp/interpret/memory.h"

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

void local_free(struct local_memory *local);

/* Up to 8 aligned bytes of a lane; offset < local->size. */
static inline struct place local_place(const struct local_memory *local, uint32_t lane, uint64_t offset) {
    uint64_t unit = offset / 8 * WARP_LANES + lane;
    return (struct place){local->bytes + unit * 8 + offset % 8, local->known + unit, (uint8_t)(offset % 8),
                          NULL};
}

#endif
