/* Instructions by which the lanes of a warp exchange values. A lane that does not execute the instruction
 * gives nothing: what would be read from it is unknown. */
#include "warp/execute.h"

static void write_lane(struct lanes *out, uint32_t lane, uint64_t value, bool known, uint32_t origin) {
    out->value[lane] = value;
    out->known = (out->known & ~(1u << lane)) | (uint32_t)known << lane;
    if (!known) out->origin = origin;
}

static void write_predicates(struct lanes *out, uint32_t mask, uint32_t bits, uint32_t known,
                             uint32_t origin) {
    out->value[0] = (out->value[0] & ~mask) | (bits & mask);
    out->known = (out->known & ~mask) | (known & mask);
    if ((mask & ~known) != 0) out->origin = origin;
}

/* The lane that `lane` reads from, and whether that is within its segment: the pseudo-code of the PTX ISA,
 * shfl. */
static uint32_t source_lane(uint8_t mode, uint32_t lane, uint32_t b, uint32_t c, bool *inside) {
    uint32_t offset = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    uint32_t from;
    switch (mode) {
    case PTX_MODE_UP:
        from = lane - offset;
        *inside = (int32_t)from >= (int32_t)most;
        break;
    case PTX_MODE_DOWN:
        from = lane + offset;
        *inside = from <= most;
        break;
    case PTX_MODE_BFLY:
        from = lane ^ offset;
        *inside = from <= most;
        break;
    default:
        from = least | (offset & ~segment);
        *inside = from <= most;
        break;
    }
    return *inside ? from : lane;
}

wb_status shuffle_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes in = *warp_slot(warp, op->source[0]); /* copied: it may be the output */
    const struct lanes b = *warp_slot(warp, op->source[1]), c = *warp_slot(warp, op->source[2]);
    struct lanes *out = warp_slot(warp, op->destination);
    uint32_t insides = 0, steered = b.known & c.known;
    FOR_LANES_OF(l, mask) {
        bool inside = false;
        uint32_t from = source_lane(op->form->mode, l, (uint32_t)b.value[l], (uint32_t)c.value[l], &inside);
        bool active = (mask >> from & 1) != 0;
        bool known = (steered >> l & 1) != 0 && (in.known >> from & 1) != 0;
        uint32_t origin = !active                   ? op->index
                          : (steered >> l & 1) != 0 ? warp_origin(&in, op)
                          : (b.known >> l & 1) != 0 ? warp_origin(&c, op)
                                                    : warp_origin(&b, op);
        write_lane(out, l, in.value[from], known && active, origin);
        insides |= (uint32_t)inside << l;
    }
    write_predicates(warp_slot(warp, op->destination2), mask, insides, steered, op->index);
    return WB_OK;
}

/* The lanes that take part: the members that execute the instruction; false when the mask is unknown. */
static bool members_of(const struct warp *warp, const struct micro *op, uint32_t mask, uint32_t *members) {
    const struct lanes *lanes = warp_slot(warp, op->source[3]);
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    *members = (uint32_t)lanes->value[first] & mask;
    return (mask & ~lanes->known) == 0;
}

wb_status vote_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    uint32_t members, known = warp_slot(warp, op->source[0])->known;
    if (mask == 0) return WB_OK;
    bool certain = members_of(warp, op, mask, &members);
    uint32_t trues = warp_predicate(warp, op->source[0]) & members & known;
    uint32_t falses = ~warp_predicate(warp, op->source[0]) & members & known;
    bool all_known = (members & ~known) == 0, result, decided;
    uint32_t origin = warp_origin(warp_slot(warp, op->source[0]), op);
    struct lanes *out = warp_slot(warp, op->destination);
    switch (op->form->mode) {
    case PTX_MODE_ALL:
        result = falses == 0;
        decided = all_known || falses != 0;
        break;
    case PTX_MODE_ANY:
        result = trues != 0;
        decided = all_known || trues != 0;
        break;
    case PTX_MODE_UNI:
        result = trues == 0 || falses == 0;
        decided = all_known || (trues != 0 && falses != 0);
        break;
    default: FOR_LANES_OF(l, mask) write_lane(out, l, trues, all_known && certain, origin); return WB_OK;
    }
    write_predicates(out, mask, result ? LANES_ALL : 0, decided && certain ? LANES_ALL : 0, origin);
    return WB_OK;
}

/* The members whose value is that of lane `lane`. */
static uint32_t equal_lanes(const struct lanes *in, uint32_t members, uint32_t lane) {
    uint32_t equal = 0;
    FOR_LANES_OF(m, members) equal |= (uint32_t)(in->value[m] == in->value[lane]) << m;
    return equal;
}

wb_status match_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes in = *warp_slot(warp, op->source[0]);
    uint32_t members, agreed = 0;
    if (mask == 0) return WB_OK;
    bool known = members_of(warp, op, mask, &members) && (members & ~in.known) == 0;
    uint32_t origin = warp_origin(&in, op);
    bool any = op->form->mode == PTX_MODE_ANY;
    FOR_LANES_OF(l, mask) {
        uint32_t equal = equal_lanes(&in, members, l);
        bool all = equal == members;
        write_lane(warp_slot(warp, op->destination), l, any ? equal : all ? members : 0, known, origin);
        agreed |= (uint32_t)all << l;
    }
    write_predicates(warp_slot(warp, op->destination2), mask, agreed, known ? LANES_ALL : 0, origin);
    return WB_OK;
}

wb_status activemask_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct lanes *out = warp_slot(warp, op->destination);
    FOR_LANES_OF(l, mask) write_lane(out, l, mask, true, 0);
    return WB_OK;
}

static uint64_t reduced(const struct ptx_form *form, uint64_t a, uint64_t b) {
    bool b_less = form->type == PTX_S32 ? (int32_t)b < (int32_t)a : b < a;
    switch (form->mode) {
    case PTX_MODE_ADD: return (uint32_t)(a + b);
    case PTX_MODE_MIN: return b_less ? b : a;
    case PTX_MODE_MAX: return b_less ? a : b;
    case PTX_MODE_AND: return a & b;
    case PTX_MODE_OR: return a | b;
    default: return a ^ b;
    }
}

wb_status redux_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes *in = warp_slot(warp, op->source[0]);
    uint32_t members, origin = warp_origin(in, op);
    if (mask == 0) return WB_OK;
    bool known = members_of(warp, op, mask, &members) && (members & ~in->known) == 0;
    uint64_t result = 0;
    bool first = true;
    FOR_LANES_OF(m, members) {
        result = first ? in->value[m] : reduced(op->form, result, in->value[m]);
        first = false;
    }
    FOR_LANES_OF(l, mask) write_lane(warp_slot(warp, op->destination), l, result, known, origin);
    return WB_OK;
}

wb_status elect_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    uint32_t members;
    if (mask == 0) return WB_OK;
    bool known = members_of(warp, op, mask, &members);
    uint32_t leader = members == 0 ? 0 : (uint32_t)__builtin_ctz(members);
    FOR_LANES_OF(l, mask) write_lane(warp_slot(warp, op->destination), l, leader, known, op->index);
    write_predicates(warp_slot(warp, op->destination2), mask, 1u << leader, known ? LANES_ALL : 0, op->index);
    return WB_OK;
}
