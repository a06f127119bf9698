#include "warp/interpret/local_memory.h"

wb_status local_resize(struct local_memory *local, uint64_t size) {
    if (size > LOCAL_MAX) return WB_ERR_LIMIT;
    if (size > local->capacity) {
        uint64_t capacity = size < 1024 ? 1024 : size * 2;
        uint8_t *bytes = realloc(local->bytes, capacity * WARP_LANES);
        if (bytes == NULL) return WB_ERR_LIMIT;
        local->bytes = bytes;
        uint8_t *known = realloc(local->known, capacity / 8 * WARP_LANES);
        if (known == NULL) return WB_ERR_LIMIT;
        local->known = known;
        local->capacity = capacity;
    }
    if (size > local->size)
        memset(local->known + local->size / 8 * WARP_LANES, 0, (size - local->size) / 8 * WARP_LANES);
    local->size = size;
    return WB_OK;
}

bool local_forget(struct local_memory *local, uint32_t mask) {
    bool known = false;
    for (uint64_t unit = 0; unit < local->size / 8; unit++) {
        FOR_LANES_OF(l, mask) {
            uint8_t *bits = &local->known[unit * WARP_LANES + l];
            known |= *bits != 0;
            *bits = 0;
        }
    }
    return known;
}

void local_free(struct local_memory *local) {
    free(local->bytes);
    free(local->known);
    memset(local, 0, sizeof *local);
}
