/* atom and red: lanes take effect in their order. */
#include "warp/alu/float_value.h"
#include "warp/interpret/access.h"
#include "warp/interpret/address.h"
#include "warp/interpret/execute.h"
#include "warp/interpret/home.h"

static bool less(const struct ptx_form *form, uint64_t a, uint64_t b) {
    switch (form->type) {
    case PTX_S32: return (int32_t)a < (int32_t)b;
    case PTX_S64: return (int64_t)a < (int64_t)b;
    default: return a < b;
    }
}

/* atom.add.f32 flushes subnormal numbers in global memory, not in shared memory (PTX ISA, atom). */
static uint64_t add_f32(uint64_t a, uint64_t b, bool flush) {
    float x = float_of(a), y = float_of(b);
    if (!flush) return result_f32(x + y);
    return result_f32(flush_f32(flush_f32(x) + flush_f32(y)));
}

/* The value that memory holds afterwards. */
static uint64_t updated(const struct ptx_form *form, uint64_t old, uint64_t b, uint64_t c, bool flush) {
    switch (form->mode) {
    case PTX_MODE_ADD:
        if (form->type == PTX_F32) return add_f32(old, b, flush);
        if (form->type == PTX_F64) return result_f64(double_of(old) + double_of(b));
        return old + b;
    case PTX_MODE_AND: return old & b;
    case PTX_MODE_OR: return old | b;
    case PTX_MODE_XOR: return old ^ b;
    case PTX_MODE_MIN: return less(form, b, old) ? b : old;
    case PTX_MODE_MAX: return less(form, old, b) ? b : old;
    case PTX_MODE_INC: return old >= b ? 0 : old + 1;
    case PTX_MODE_DEC: return old == 0 || old > b ? b : old - 1;
    case PTX_MODE_CAS: return old == b ? c : old;
    default: return b; /* exch */
    }
}

/* Whether the new value is known: that of exch needs no old one. */
static bool update_known(const struct ptx_form *form, bool old_known, bool b_known, bool c_known) {
    if (form->mode == PTX_MODE_EXCH) return b_known;
    return old_known && b_known && c_known;
}

static wb_status atomic_lane(struct warp *warp, const struct micro *op, uint32_t lane, uint64_t address) {
    const struct lanes *b = warp_slot(warp, op->source[0]), *c = warp_slot(warp, op->source[1]);
    uint32_t bytes = op->memory.bytes;
    struct place place;
    uint64_t old = 0;
    WB_TRY(access_place(warp, op, lane, address, bytes, true, &place));
    bool old_known = place_read(&place, bytes, &old);
    bool flush = !in_window(address, SHARED_WINDOW);
    uint64_t value = updated(op->form, old, b->value[lane], c->value[lane], flush);
    bool b_known = (b->known >> lane & 1) != 0 && home_is_kept(warp, b, lane, bytes);
    bool c_known = (c->known >> lane & 1) != 0 && home_is_kept(warp, c, lane, bytes);
    if (update_known(op->form, old_known, b_known, c_known))
        place_write(&place, bytes, value);
    else if (place_forget(&place, bytes) != WB_OK)
        return warp_no_memory(warp, op);
    struct lanes *out = warp_slot(warp, op->destination);
    out->value[lane] = old;
    out->known = (out->known & ~(1u << lane)) | (uint32_t)old_known << lane;
    if (!old_known) lanes_unknown_by(out, op->index);
    if (old_known && bytes == 8) out->home = home_joined(out->home, home_of_value(warp->run, old));
    return WB_OK;
}

/* Whether the order of atomics shows: in what they return, in rounding, and in which of several values stays.
 */
static bool order_matters(const struct micro *op) {
    const bool rounds = ptx_type_kind((enum ptx_type)op->form->type) == PTX_KIND_FLOAT;
    const uint8_t mode = op->form->mode;
    return op->output_count > 0 || rounds || mode == PTX_MODE_EXCH || mode == PTX_MODE_CAS ||
           mode == PTX_MODE_INC || mode == PTX_MODE_DEC;
}

wb_status atomic_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    uint64_t addresses[WARP_LANES];
    if (mask == 0) return WB_OK;
    WB_TRY(access_addresses(warp, op, &op->memory.address, mask, addresses));
    WB_TRY(
        access_record(warp, op, &op->memory.address, mask, addresses,
                      (struct access_kind){.bytes = op->memory.bytes, .is_store = true, .is_atomic = true}));
    if (order_matters(op)) run_assume(warp->run, ASSUMED_ATOMIC_ORDER);
    FOR_LANES_OF(l, mask) WB_TRY(atomic_lane(warp, op, l, addresses[l]));
    return WB_OK;
}
