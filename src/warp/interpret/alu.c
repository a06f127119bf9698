/* Executing what each lane computes by itself: which lanes are computed, and which results are known. */
#include "warp/alu/alu.h"

#include "warp/interpret/execute.h"
#include "warp/interpret/home.h"
#include "warp/interpret/open_result.h"

struct inputs {
    const struct lanes *lanes[MICRO_SOURCES];
    const uint64_t *values[MICRO_SOURCES];
    uint32_t known; /* lanes in which all are known */
    uint64_t homes; /* not 0: some source has a home */
};

static inline struct inputs read_inputs(const struct warp *warp, const struct micro *op) {
    struct inputs in = {.known = LANES_ALL};
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        in.lanes[i] = warp_slot(warp, op->source[i]);
        in.values[i] = in.lanes[i]->value;
        in.known &= in.lanes[i]->known;
        in.homes |= in.lanes[i]->home;
    }
    return in;
}

/* Takes the lanes of `open` from those that are known, because they depend on where memory stands, unless
 * that is assumed. */
static uint32_t without_open(struct warp *warp, uint32_t known, uint32_t open) {
    if (open == 0 || open_is_assumed(warp->run, LAUNCH_ASSUME_POINTER_ORDER)) return known;
    warp->run->left_open |= 1u << LAUNCH_ASSUME_POINTER_ORDER;
    return known & ~open;
}

static void read_homes(const struct inputs *in, uint64_t *homes) {
    for (uint32_t i = 0; i < MICRO_SOURCES; i++)
        homes[i] = in->lanes[i]->home;
}

/* Of a result some of whose sources have homes: writes its home; returns which of the `known` lanes stay so.
 */
static uint32_t settle_home(struct warp *warp, const struct micro *op, const struct inputs *in,
                            struct lanes *out, uint32_t mask, uint32_t known) {
    uint64_t homes[MICRO_SOURCES], home = HOME_NONE;
    read_homes(in, homes);
    if (!home_of_result(warp->run, op, in->values, homes, mask & in->known, &home)) {
        known = without_open(warp, known, mask & known);
        home = HOME_NONE;
    }
    home_write(warp, out, mask, home);
    return known;
}

/* Of a comparison. */
static uint32_t settle_comparison(struct warp *warp, const struct micro *op, const struct inputs *in,
                                  uint32_t mask, uint32_t known) {
    uint64_t homes[MICRO_SOURCES];
    read_homes(in, homes);
    uint32_t lanes = mask & known;
    return without_open(warp, known, lanes & ~home_comparable(warp->run, op, in->values, homes, lanes));
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
    if ((mask & ~known) != 0) lanes_unknown_by(out, origin);
}

/* The region that all unknown lanes of a register are made from once `lanes` of `mask` have become so. */
static uint64_t unknown_home_of(const struct warp *warp, const struct micro *op, const struct lanes *out,
                                uint32_t mask, uint32_t lanes) {
    const uint64_t home = home_of_unknown(warp, op, lanes);
    const bool others = (warp->live & ~mask & ~out->known) != 0 && out->unknown_home != HOME_NO_LANES;
    return others && out->unknown_home != home ? HOME_NONE : home;
}

wb_status alu_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in = read_inputs(warp, op);
    struct lanes *out = warp_slot(warp, op->destination);
    uint32_t known = in.known, origin = op->index;
    if ((mask & ~known) != 0) known = settle_known(op, &in, mask, &origin);
    uint64_t unknown_home = HOME_NONE;
    if (warp->run->cover != NULL && (mask & ~known) != 0)
        unknown_home = unknown_home_of(warp, op, out, mask, mask & ~known);
    const uint32_t settled = mask & known;
    if ((in.homes | out->home) != 0) known = settle_home(warp, op, &in, out, mask, known);
    if (mask == warp->live) {
        op->compute.lanes(op, out->value, in.values);
    } else {
        uint64_t result[WARP_LANES];
        op->compute.lanes(op, result, in.values);
        lanes_blend(out->value, result, mask);
    }
    mark_known(out, mask, known, origin);
    if (unknown_home != HOME_NONE && settled == (mask & known)) out->unknown_home = unknown_home;
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
    uint32_t known = in.known, origin = op->index;
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
static struct condition compare(struct warp *warp, const struct micro *op, const struct inputs *in,
                                uint32_t mask) {
    uint32_t known = in->lanes[0]->known & in->lanes[1]->known;
    if (in->homes != 0) known = settle_comparison(warp, op, in, mask, known);
    return (struct condition){op->compute.test(op, in->values), known};
}

static struct condition third_source(const struct warp *warp, const struct micro *op) {
    return (struct condition){warp_predicate(warp, op->source[2]), warp_slot(warp, op->source[2])->known};
}

wb_status setp_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in = read_inputs(warp, op);
    struct condition holds = compare(warp, op, &in, mask), other = third_source(warp, op);
    struct condition fails = {~holds.bits, holds.known};
    uint32_t origin = op->index;
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    holds = join(op->form->mode, holds, other);
    write_predicate(warp_slot(warp, op->destination), mask, holds.bits, holds.known, origin);
    fails = join(op->form->mode, fails, other);
    write_predicate(warp_slot(warp, op->destination2), mask, fails.bits, fails.known, origin);
    return WB_OK;
}

wb_status set_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in = read_inputs(warp, op);
    struct condition holds = join(op->form->mode, compare(warp, op, &in, mask), third_source(warp, op));
    struct lanes *out = warp_slot(warp, op->destination);
    uint64_t yes = UINT32_MAX;
    uint32_t origin = op->index;
    if (op->form->type == PTX_F32) yes = float_bits(1.0f);
    if (op->form->type == PTX_F16) yes = 0x3c00;
    if (op->form->type == PTX_BF16) yes = 0x3f80;
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    home_write(warp, out, mask, HOME_NONE);
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
    uint32_t origin = op->index, carries = 0;
    if (in.homes != 0) in.known = without_open(warp, in.known, mask & in.known);
    home_write(warp, out, mask, HOME_NONE);
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
    uint32_t known = LANES_ALL, origin = op->index;
    uint64_t ones = low_bytes_mask(op->pack.bits / 8), homes = 0;
    for (uint32_t i = 0; i < op->pack.count; i++) {
        const struct lanes *part = warp_slot(warp, op->pack.elements[i]);
        homes |= part->home;
        if ((mask & ~part->known) != 0) origin = warp_origin(part, op);
        known &= part->known;
        for (uint32_t l = 0; l < WARP_LANES; l++)
            result[l] |= (part->value[l] & ones) << (i * op->pack.bits);
    }
    if (homes != 0) known = without_open(warp, known, mask & known);
    home_write(warp, out, mask, HOME_NONE);
    lanes_blend(out->value, result, mask);
    mark_known(out, mask, known, origin);
    return WB_OK;
}

wb_status unpack_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct lanes in = *warp_slot(warp, op->source[0]); /* copied: it may be one of the outputs */
    uint64_t ones = low_bytes_mask(op->pack.bits / 8);
    uint32_t origin = (mask & ~in.known) != 0 ? warp_origin(&in, op) : op->index;
    if (in.home != 0) in.known = without_open(warp, in.known, mask & in.known);
    for (uint32_t i = 0; i < op->pack.count; i++) {
        struct lanes *part = warp_slot(warp, op->pack.elements[i]);
        FOR_LANES_OF(l, mask) part->value[l] = in.value[l] >> (i * op->pack.bits) & ones;
        home_write(warp, part, mask, HOME_NONE);
        mark_known(part, mask, in.known, origin);
    }
    return WB_OK;
}
