/* Memory in a covering run: stores of lanes that may not be here make what they write unknown, accesses to
 * unknown addresses all memory that they may reach. */
#include "warp/cover/cover.h"
#include "warp/interpret/access.h"
#include "warp/interpret/address.h"
#include "warp/interpret/execute.h"

/* Whether the instruction's address operand says where it accesses memory. */
static bool has_address(const struct micro *op) {
    return op->execute == load_execute || op->execute == store_execute || op->execute == atomic_execute ||
           op->execute == copy_execute || op->execute == ldmatrix_execute ||
           op->unrecorded == opaque_store_execute;
}

static bool writes_memory(const struct micro *op) {
    return op->execute != load_execute && op->execute != ldmatrix_execute;
}

/* Makes all that an access to an unknown address in a state space may write unknown. */
static wb_status forget_space(struct warp *warp, const struct micro *op, uint8_t space, uint32_t mask) {
    struct run *run = warp->run;
    for (size_t i = 0; i < run->memory.regions.count; i++) {
        struct region *region = &run->memory.regions.items[i];
        bool reached = space == PTX_GENERIC || address_in_space(region->base, space);
        if (!reached || !region->writable) continue;
        region->stored = true;
        if (region->unknown) continue;
        if (region_forget(region) != WB_OK) return warp_no_memory(warp, op);
        run->forgotten++;
    }
    bool local = space == PTX_GENERIC || space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM;
    if (local) run->forgotten += local_forget(&warp->local, mask);
    return WB_OK;
}

static wb_status access_unknown(struct warp *warp, const struct micro *op, uint32_t lanes,
                                const struct micro_address *unknown) {
    uint32_t bytes = op->memory.bytes * op->memory.count;
    struct access_kind kind = {
        .bytes = bytes, .is_store = writes_memory(op), .is_atomic = op->execute == atomic_execute};
    warp->run->unrecorded = op->index;
    WB_TRY(cover_note(warp, op, COVER_ADDRESS, unknown->base));
    if (op->unrecorded == opaque_store_execute) {
        run_note_uncounted(warp->run, op);
        warp_forget_outputs(warp, op, lanes, op->index);
        return forget_space(warp, op, op->memory.address.space, lanes);
    }
    if (op->execute == copy_execute)
        WB_TRY(
            access_record_unknown(warp, op, &op->memory.from, lanes, (struct access_kind){.bytes = bytes}));
    WB_TRY(access_record_unknown(warp, op, &op->memory.address, lanes, kind));
    warp_forget_outputs(warp, op, lanes, op->index);
    return writes_memory(op) ? forget_space(warp, op, op->memory.address.space, lanes) : WB_OK;
}

/* The lanes of `lanes` that would access what is not there: they are not really here. */
static uint32_t impossible_lanes(const struct warp *warp, const struct micro *op, uint32_t lanes) {
    uint64_t addresses[WARP_LANES];
    uint32_t possible = 0, bytes = op->memory.bytes * op->memory.count;
    if (op->execute == ldmatrix_execute) return 0; /* lanes give the addresses of rows for each other */
    if (op->unrecorded == opaque_store_execute) bytes = 1;
    FOR_LANES_OF(l, lanes) {
        bool inside = access_addresses_known(warp, &op->memory.address, 1u << l, addresses) &&
                      access_is_possible(warp, addresses[l], bytes, writes_memory(op));
        possible |= (uint32_t)inside << l;
    }
    return lanes & ~possible;
}

/* The address operand of an instruction whose address is unknown in some lane, or NULL. */
static const struct micro_address *unknown_address(const struct warp *warp, const struct micro *op,
                                                   uint32_t lanes) {
    const struct micro_memory *memory = &op->memory;
    if ((lanes & ~warp_slot(warp, memory->address.base)->known) != 0) return &memory->address;
    bool copies = op->execute == copy_execute;
    if (copies && (lanes & ~warp_slot(warp, memory->from.base)->known) != 0) return &memory->from;
    return NULL;
}

wb_status cover_access(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    uint32_t lanes = mask | unsure, doubtful = unsure | (mask & warp->unsure);
    if (lanes == 0) return WB_OK;
    warp->doubtful = doubtful;
    if (op->execute == copy_execute) warp->doubtful |= lanes & ~warp_slot(warp, op->source[0])->known;
    if (!has_address(op))
        return unsure == 0 ? op->execute(warp, op, mask) : unsure_access(warp, op, mask, unsure);
    const struct micro_address *unknown = unknown_address(warp, op, lanes);
    if (unknown != NULL) return access_unknown(warp, op, lanes, unknown);
    if (unsure != 0) WB_TRY(cover_note(warp, op, COVER_GUARD, op->guard));
    lanes &= ~impossible_lanes(warp, op, doubtful);
    if (lanes == 0) return WB_OK;
    bool widens = warp->run->cover->widenings.count != 0; /* memory only becomes unknown then */
    uint32_t sure = writes_memory(op) ? lanes & ~doubtful : lanes & ~unsure;
    bool size_known = op->execute != copy_execute || (lanes & ~warp_slot(warp, op->source[0])->known) == 0;
    bool shared = op->memory.is_strong && access_is_shared(warp->run, op);
    if (op->execute == atomic_execute || ((widens || shared) && writes_memory(op)) || !size_known) sure = 0;
    if (op->execute == ldmatrix_execute && doubtful != 0) sure = 0;
    uint64_t addresses[WARP_LANES];
    if (op->execute == store_execute && access_addresses_known(warp, &op->memory.address, sure, addresses) &&
        store_conflicts(warp, op, sure, addresses))
        sure = 0;
    if (sure != lanes)
        WB_TRY(unsure_access(warp, op, sure, lanes & ~sure));
    else
        WB_TRY(op->execute(warp, op, lanes));
    if (shared) warp_forget_outputs(warp, op, lanes, op->index);
    return WB_OK;
}

wb_status cover_forget_written(struct warp *warp, const struct micro *op) {
    if (!writes_memory(op)) return WB_OK;
    return forget_space(warp, op, has_address(op) ? op->memory.address.space : PTX_GENERIC, LANES_ALL);
}

wb_status cover_forget_all(struct warp *warp, const struct micro *op) {
    return forget_space(warp, op, PTX_GENERIC, LANES_ALL);
}
