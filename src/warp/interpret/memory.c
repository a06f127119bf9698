#include "warp/interpret/warp.h"

#include <inttypes.h>

/* Bytes between regions, so that a small step past the end of one is noticed. */
#define REGION_GAP 4096u
#define REGION_ALIGN 256u

static uint64_t window_start(enum ptx_space space, bool wide_addresses) {
    switch (space) {
    case PTX_SPACE_SHARED: return SHARED_WINDOW;
    case PTX_SPACE_PARAM: return PARAM_WINDOW;
    case PTX_SPACE_CONST: return CONST_WINDOW;
    default: return wide_addresses ? GLOBAL_START_64 : GLOBAL_START;
    }
}

static uint64_t window_end(enum ptx_space space, bool wide_addresses) {
    if (space != PTX_SPACE_GLOBAL) return window_start(space, wide_addresses) + WINDOW_SIZE;
    return wide_addresses ? UINT64_C(1) << 47 : UINT32_MAX;
}

static uint64_t bitmap_size(uint64_t size) {
    return size / 8 + 1;
}

/* Allocates the contents; an empty region gets one byte, so that it has an address. */
static wb_status region_allocate(struct region *region, bool known) {
    region->bytes = calloc(region->size + 1, 1);
    if (!known) region->known = calloc(bitmap_size(region->size), 1);
    if (region->bytes != NULL && (known || region->known != NULL)) return WB_OK;
    free(region->bytes);
    free(region->known);
    return WB_ERR_LIMIT;
}

/* Keeps the list sorted by address. */
static wb_status insert_region(struct memory *memory, const struct region *region) {
    WB_TRY(vec_reserve(&memory->regions, 1));
    size_t at = memory->regions.count++;
    for (; at > 0 && memory->regions.items[at - 1].base > region->base; at--)
        memory->regions.items[at] = memory->regions.items[at - 1];
    memory->regions.items[at] = *region;
    return WB_OK;
}

wb_status memory_add(struct memory *memory, enum ptx_space space, bool wide_addresses, uint64_t size,
                     const char *name, bool known, wb_diagnostics *diagnostics, struct region *region) {
    struct region made = {.size = size, .name = name, .writable = true, .unknown = !known};
    made.writable = space == PTX_SPACE_SHARED || space == PTX_SPACE_GLOBAL;
    made.base = memory->next[space] != 0 ? memory->next[space] : window_start(space, wide_addresses);
    uint64_t room = window_end(space, wide_addresses) - made.base;
    if (size > MEMORY_MAX - memory->used || size > room || room - size < REGION_GAP + REGION_ALIGN) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "%" PRIu64 " bytes are more than the run may take", size);
        return WB_ERR_LIMIT;
    }
    wb_status status = region_allocate(&made, known);
    if (status == WB_OK && insert_region(memory, &made) != WB_OK) {
        free(made.bytes);
        free(made.known);
        status = WB_ERR_LIMIT;
    }
    if (status != WB_OK) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "no memory for %" PRIu64 " bytes", size);
        return WB_ERR_LIMIT;
    }
    memory->used += size;
    memory->next[space] = (made.base + size + REGION_GAP + REGION_ALIGN - 1) / REGION_ALIGN * REGION_ALIGN;
    *region = made;
    return WB_OK;
}

struct region *memory_find(const struct memory *memory, uint64_t address) {
    size_t low = 0, high = memory->regions.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->regions.items[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return NULL;
    struct region *region = &memory->regions.items[low - 1];
    return address - region->base < region->size ? region : NULL;
}

wb_status region_set_known(struct region *region, uint64_t offset, uint64_t size, bool known) {
    assert(offset <= region->size && size <= region->size - offset);
    if (known) region->unknown = false;
    if (region->known == NULL) {
        if (known) return WB_OK;
        region->known = malloc(bitmap_size(region->size));
        if (region->known == NULL) return WB_ERR_LIMIT;
        memset(region->known, 0xff, bitmap_size(region->size));
    }
    for (uint64_t i = offset; i < offset + size;) {
        if (i % 8 == 0 && offset + size - i >= 8) {
            uint64_t whole = (offset + size - i) / 8;
            memset(region->known + i / 8, known ? 0xff : 0, whole);
            i += whole * 8;
        } else {
            uint8_t bit = (uint8_t)(1u << i % 8);
            region->known[i / 8] = known ? region->known[i / 8] | bit : region->known[i / 8] & (uint8_t)~bit;
            i++;
        }
    }
    return WB_OK;
}

wb_status region_forget(struct region *region) {
    if (region->unknown) return WB_OK;
    WB_TRY(region_set_known(region, 0, region->size, false));
    region->unknown = true;
    return WB_OK;
}

wb_status memory_share_stored(struct memory *memory, bool of_block, bool *changed) {
    *changed = false;
    for (size_t i = 0; i < memory->regions.count; i++) {
        struct region *region = &memory->regions.items[i];
        bool visible = address_in_space(region->base, PTX_SPACE_GLOBAL) ||
                       (of_block && address_in_space(region->base, PTX_SPACE_SHARED));
        if (!region->stored || region->is_volatile || !visible) continue;
        WB_TRY(region_forget(region));
        region->is_volatile = *changed = true;
    }
    return WB_OK;
}

wb_status place_forget(const struct place *place, uint32_t count) {
    if (place->known == NULL)
        return region_set_known(place->region, (uint64_t)(place->bytes - place->region->bytes), count, false);
    *place->known &= (uint8_t) ~(((1u << count) - 1) << place->shift);
    return WB_OK;
}

void memory_free(struct memory *memory) {
    for (size_t i = 0; i < memory->regions.count; i++) {
        free(memory->regions.items[i].bytes);
        free(memory->regions.items[i].known);
    }
    vec_free(&memory->regions);
}

wb_status local_resize(struct local_memory *local, uint64_t size) {
    assert(size % 8 == 0);
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
