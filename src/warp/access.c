#include "warp/access.h"

#include <inttypes.h>

#include "warp/address.h"
#include "warp/execute.h"

/* Most accesses that are recorded of one warp, and addresses that are no base and stride. */
#define RECORDS_MAX ((size_t)1 << 24)
#define TABLE_MAX ((size_t)1 << 26)

wb_status access_addresses(const struct warp *warp, const struct micro *op,
                           const struct micro_address *address, uint32_t mask,
                           uint64_t addresses[WARP_LANES]) {
    const struct lanes *from = warp_slot(warp, address->base);
    uint32_t unknown = mask & ~from->known;
    if (unknown != 0) return warp_decline(warp, op, address->base, unknown, "the address");
    uint64_t window = address_window(address->space), cut = address->mask, offset = address->offset;
    FOR_LANES(l) addresses[l] = ((from->value[l] + offset) & cut) + window;
    if (window == 0) return WB_OK;
    FOR_LANES_OF(l, mask) {
        if (in_window(addresses[l], window)) continue;
        return warp_fail(warp, op, WB_ERR_INPUT, "lane %u of warp %u: address 0x%" PRIx64 " is not in .%s", l,
                         warp->number, addresses[l] - window, ptx_space_name((enum ptx_space)address->space));
    }
    return WB_OK;
}

struct region *access_common_region(const struct warp *warp, const struct micro *op, uint32_t mask,
                                    const uint64_t addresses[WARP_LANES], uint32_t bytes, uint32_t align) {
    struct memory *memory = &warp->run->memory;
    uint32_t *hint = &warp->run->program.hints[op->index];
    uint64_t first = addresses[__builtin_ctz(mask)], misaligned = 0, outside = 0;
    struct region *region = *hint < memory->regions.count ? &memory->regions.items[*hint] : NULL;
    if (region == NULL || first - region->base >= region->size) {
        region = memory_find(memory, first);
        if (region == NULL) return NULL;
        *hint = (uint32_t)(region - memory->regions.items);
    }
    if (region->size < bytes) return NULL;
    uint64_t base = region->base, last = region->size - bytes;
    if (mask == LANES_ALL) {
        FOR_LANES(l) {
            misaligned |= addresses[l];
            outside |= addresses[l] - base > last;
        }
    } else {
        FOR_LANES_OF(l, mask) {
            misaligned |= addresses[l];
            outside |= addresses[l] - base > last;
        }
    }
    return outside != 0 || (misaligned & (align - 1)) != 0 ? NULL : region;
}

/* Says what lies nearest to an address that is in no region. */
static wb_status fail_outside(const struct warp *warp, const struct micro *op, uint32_t lane,
                              uint64_t address, uint32_t bytes, const char *verb) {
    const struct memory *memory = &warp->run->memory;
    const struct region *before = NULL;
    for (size_t i = 0; i < memory->regions.count; i++)
        if (memory->regions.items[i].base <= address) before = &memory->regions.items[i];
    if (before == NULL || address_space_of(before->base) != address_space_of(address))
        return warp_fail(warp, op, WB_ERR_INPUT,
                         "lane %u of warp %u %s %u bytes at 0x%" PRIx64 ", where nothing is", lane,
                         warp->number, verb, bytes, address);
    return warp_fail(warp, op, WB_ERR_INPUT,
                     "lane %u of warp %u %s %u bytes at offset %" PRIu64 " of %s, which has %" PRIu64
                     " bytes",
                     lane, warp->number, verb, bytes, address - before->base, before->name, before->size);
}

wb_status access_place(const struct warp *warp, const struct micro *op, uint32_t lane, uint64_t address,
                       uint32_t bytes, bool is_store, struct place *place) {
    const char *verb = is_store ? "writes" : "reads";
    if ((address & (bytes - 1)) != 0)
        return warp_fail(warp, op, WB_ERR_INPUT,
                         "lane %u of warp %u %s %u bytes at 0x%" PRIx64 ", which is not aligned to them",
                         lane, warp->number, verb, bytes, address);
    uint64_t offset = address - LOCAL_WINDOW;
    if (offset < warp->local.size && warp->local.size - offset >= bytes) {
        *place = local_place(&warp->local, lane, offset);
        return WB_OK;
    }
    struct region *region = memory_find(&warp->run->memory, address);
    if (region == NULL || region->size - (address - region->base) < bytes)
        return fail_outside(warp, op, lane, address, bytes, verb);
    if (is_store && !region->writable)
        return warp_fail(warp, op, WB_ERR_INPUT, "lane %u of warp %u writes to %s, which is read-only", lane,
                         warp->number, region->name);
    *place = region_place(region, address - region->base);
    return WB_OK;
}

/* Whether the addresses of the lanes of `mask` are base + stride * lane. */
static bool find_stride(uint32_t mask, const uint64_t addresses[WARP_LANES], struct access *access) {
    uint32_t first = (uint32_t)__builtin_ctz(mask), rest = mask & (mask - 1);
    access->stride = 0;
    if (rest != 0) {
        uint32_t second = (uint32_t)__builtin_ctz(rest);
        int64_t step = (int64_t)(addresses[second] - addresses[first]);
        access->stride = step / (int64_t)(second - first);
    }
    access->base = addresses[first] - (uint64_t)access->stride * first;
    FOR_LANES_OF(l, mask) {
        if (addresses[l] != access->base + (uint64_t)access->stride * l) return false;
    }
    return true;
}

wb_status access_record(struct warp *warp, const struct micro *op, uint32_t mask,
                        const uint64_t addresses[WARP_LANES], struct access_kind kind) {
    if (warp->accesses == NULL || mask == 0) return WB_OK;
    uint8_t space = address_space_of(addresses[__builtin_ctz(mask)]);
    struct access access = {
        .step = warp->path.path.length,
        .instruction = op->index,
        .mask = mask,
        .table = ACCESS_AFFINE,
        .bytes = (uint8_t)kind.bytes,
        .space = op->form->space == PTX_SPACE_PARAM ? PTX_SPACE_PARAM : space,
        .is_store = kind.is_store,
        .is_atomic = kind.is_atomic,
    };
    uint64_t relative[WARP_LANES];
    FOR_LANES(l) relative[l] = addresses[l] - address_window(space);
    struct access_list *list = warp->accesses;
    if (!find_stride(mask, relative, &access)) {
        access.base = 0;
        access.stride = 0;
        access.table = (uint32_t)list->tables.count;
        FOR_LANES_OF(l, mask) {
            if (vec_push(&list->tables, relative[l]) != WB_OK) return warp_no_memory(warp, op);
        }
    }
    if (list->items.count >= RECORDS_MAX || list->tables.count >= TABLE_MAX)
        return warp_fail(warp, op, WB_ERR_LIMIT, "more accesses than can be recorded");
    if (vec_push(&list->items, access) != WB_OK) return warp_no_memory(warp, op);
    return WB_OK;
}
