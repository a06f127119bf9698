/* Executing what each lane computes by itself: which lanes are computed, and which results are known. */
#include "warp/alu.h"

#include "warp/execute.h"

struct inputs {
    const struct lanes *lanes[MICRO_SOURCES];
    const uint64_t *values[MICRO_SOURCES];
    uint32_t known; /* lanes in which all are known */
};

static inline struct inputs read_inputs(const struct warp *warp, const struct micro *op) {
    struct inputs in = {.known = LANES_ALL};
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        in.lanes[i] = warp_slot(warp, op->source[i]);
        in.values[i] = in.lanes[i]->value;
        in.known &= in.lanes[i]->known;
    }
    return in;
}

/* The lanes of `mask` whose result is known, though some have unknown operands, and in *origin what made the
 * first of the others unknown. */
static uint32_t settle_known(const struct micro *op, const struct inputs *in, uint32_t mask,
                             uint32_t *origin) {
    uint32_t known = in->known;
    if (op->refine != NULL) {
        uint32_t each[MICRO_SOURCES];
        for (uint32_t i = 0; i < MICRO_SOURCES; i++)
            each[i] = in->lanes[i]->known;
        known |= op->refine(op, in->values, each);
    }
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        if ((mask & ~known & ~in->lanes[i]->known) == 0) continue;
        *origin = warp_origin(in->lanes[i], op);
        break;
    }
    return known;
}

/* Marks the lanes of `mask` in a register that was just written. */
static inline void mark_known(struct lanes *out, uint32_t mask, uint32_t known, uint32_t origin) {
    out->known = (out->known & ~mask) | (known & mask);
    if ((mask & ~known) != 0) out->origin = origin;
}

wb_status alu_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in = read_inputs(warp, op);
    struct lanes *out = warp_slot(warp, op->destination);
    uint32_t known = in.known, origin = 0;
    if ((mask & ~known) != 0) known = settle_known(op, &in, mask, &origin);
    if (mask == warp->live) {
        op->compute.lanes(op, out->value, in.values);
    } else {
        uint64_t result[WARP_LANES];
        op->compute.lanes(op, result, in.values);
        lanes_blend(out->value, result, mask);
    }
    mark_known(out, mask, known, origin);
    return WB_OK;
}

/* Writes the lanes of `mask` of a predicate. */
static void write_predicate(struct lanes *out, uint32_t mask, uint32_t bits, uint32_t known,
                            uint32_t origin) {
    out->value[0] = (out->value[0] & ~mask) | (bits & mask);
    mark_known(out, mask, known, origin);
}

wb_status test_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in = read_inputs(warp, op);
    uint32_t known = in.known, origin = 0;
    if ((mask & ~known) != 0) known = settle_known(op, &in, mask, &origin);
    write_predicate(warp_slot(warp, op->destination), mask, op->compute.test(op, in.values), known, origin);
    return WB_OK;
}

/* A comparison joined with a predicate by the boolean operation of setp or set. */
struct condition {
    uint32_t bits, known;
};

static struct condition join(uint8_t mode, struct condition a, struct condition b) {
    struct condition joined = {a.bits, a.known & b.known};
    if (mode == PTX_MODE_AND) {
        joined.bits = a.bits & b.bits;
        joined.known |= (a.known & ~a.bits) | (b.known & ~b.bits);
    } else if (mode == PTX_MODE_OR) {
        joined.bits = a.bits | b.bits;
        joined.known |= (a.known & a.bits) | (b.known & b.bits);
    } else if (mode == PTX_MODE_XOR) {
        joined.bits = a.bits ^ b.bits;
    }
    return joined;
}

/* The comparison of the first two sources. */
static struct condition compare(const struct micro *op, const struct inputs *in) {
    return (struct condition){op->compute.test(op, in->values), in->lanes[0]->known & in->lanes[1]->known};
}

static struct condition third_source(const struct warp *warp, const struct micro *op) {
    return (struct condition){warp_predicate(warp, op->source[2]), warp_slot(warp, op->source[2])->known};
}

wb_status setp_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in = read_inputs(warp, op);
    struct condition holds = compare(op, &in), other = third_source(warp, op);
    struct condition fails = {~holds.bits, holds.known};
    uint32_t origin = 0;
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    holds = join(op->form->mode, holds, other);
    write_predicate(warp_slot(warp, op->destination), mask, holds.bits, holds.known, origin);
    fails = join(op->form->mode, fails, other);
    write_predicate(warp_slot(warp, op->destination2), mask, fails.bits, fails.known, origin);
    return WB_OK;
}

wb_status set_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in = read_inputs(warp, op);
    struct condition holds = join(op->form->mode, compare(op, &in), third_source(warp, op));
    struct lanes *out = warp_slot(warp, op->destination);
    uint64_t yes = UINT32_MAX;
    uint32_t origin = 0;
    if (op->form->type == PTX_F32) yes = float_bits(1.0f);
    if (op->form->type == PTX_F16) yes = 0x3c00;
    if (op->form->type == PTX_BF16) yes = 0x3f80;
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    FOR_LANES_OF(l, mask) out->value[l] = (holds.bits >> l & 1) != 0 ? yes & op->result_mask : 0;
    mark_known(out, mask, holds.known, origin);
    return WB_OK;
}

/* One lane of add, sub and mad with carry; *carry goes in and out. */
static uint64_t carry_lane(const struct ptx_form *form, const uint64_t *v, uint32_t *carry) {
    uint32_t bits = 8 * ptx_type_bytes((enum ptx_type)form->type);
    uint64_t ones = low_bytes_mask(bits / 8);
    unsigned __int128 in = form->carry_in ? *carry : 0, sum;
    if (form->op == PTX_OP_SUB || form->op == PTX_OP_SUBC) {
        sum = (unsigned __int128)v[0] - v[1] - in;
    } else if (form->op == PTX_OP_ADD || form->op == PTX_OP_ADDC) {
        sum = (unsigned __int128)v[0] + v[1] + in;
    } else {
        bool is_signed = ptx_type_kind((enum ptx_type)form->type) == PTX_KIND_SIGNED;
        uint32_t unused = 64 - bits;
        unsigned __int128 product = (unsigned __int128)v[0] * v[1];
        if (is_signed)
            product = (unsigned __int128)((__int128)((int64_t)(v[0] << unused) >> unused) *
                                          ((int64_t)(v[1] << unused) >> unused));
        sum = ((uint64_t)(form->half == PTX_HALF_HI ? product >> bits : product) & ones);
        sum += v[2] + in;
    }
    *carry = (sum >> bits & 1) != 0;
    return (uint64_t)sum & ones;
}

wb_status carry_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in = read_inputs(warp, op);
    struct lanes *out = warp_slot(warp, op->destination), *flag = warp_slot(warp, op->destination2);
    if (!op->form->carry_in) {
        in.known = in.lanes[0]->known & in.lanes[1]->known & in.lanes[2]->known;
        in.lanes[3] = in.lanes[0];
    }
    uint32_t origin = 0, carries = 0;
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    FOR_LANES_OF(l, mask) {
        const uint64_t v[3] = {in.values[0][l], in.values[1][l], in.values[2][l]};
        uint32_t carry = (uint32_t)(flag->value[0] >> l & 1);
        out->value[l] = carry_lane(op->form, v, &carry);
        carries |= carry << l;
    }
    mark_known(out, mask, in.known, origin);
    if (op->form->carry_out) write_predicate(flag, mask, carries, in.known, origin);
    return WB_OK;
}

wb_status pack_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct lanes *out = warp_slot(warp, op->destination);
    uint64_t result[WARP_LANES] = {0};
    uint32_t known = LANES_ALL, origin = 0;
    uint64_t ones = low_bytes_mask(op->pack.bits / 8);
    for (uint32_t i = 0; i < op->pack.count; i++) {
        const struct lanes *part = warp_slot(warp, op->pack.elements[i]);
        if ((mask & ~part->known) != 0) origin = warp_origin(part, op);
        known &= part->known;
        for (uint32_t l = 0; l < WARP_LANES; l++)
            result[l] |= (part->value[l] & ones) << (i * op->pack.bits);
    }
    lanes_blend(out->value, result, mask);
    mark_known(out, mask, known, origin);
    return WB_OK;
}

wb_status unpack_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct lanes in = *warp_slot(warp, op->source[0]); /* copied: it may be one of the outputs */
    uint64_t ones = low_bytes_mask(op->pack.bits / 8);
    for (uint32_t i = 0; i < op->pack.count; i++) {
        struct lanes *part = warp_slot(warp, op->pack.elements[i]);
        FOR_LANES_OF(l, mask) part->value[l] = in.value[l] >> (i * op->pack.bits) & ones;
        mark_known(part, mask, in.known, warp_origin(&in, op));
    }
    return WB_OK;
}
