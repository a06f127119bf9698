#include "warp/alu/alu.h"
#include "warp/alu/lanes.h"
#include "warp/interpret/execute.h"

/* Lanes in which source `index` is an integer zero. */
static uint32_t zeros(const uint64_t *source) {
    uint32_t found = 0;
    FOR_LANES(l) found |= (uint32_t)(source[l] == 0) << l;
    return found;
}

/* A quotient, or a remainder, of a division by zero. */
static uint32_t divides_by_zero(const struct micro *op, const uint64_t *const *s) {
    (void)op;
    return zeros(s[1]);
}

/* An approximate function of one f32: for zeros, infinities and NaN the ISA states what it gives. */
static uint32_t approximates(const struct micro *op, const uint64_t *const *s) {
    uint32_t open = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        float x = float_of(s[0][l]);
        if (op->form->ftz) x = flush_f32(x);
        open |= (uint32_t)(x != 0.0f && isfinite(x)) << l;
    }
    return open;
}

static uint32_t approximates_always(const struct micro *op, const uint64_t *const *s) {
    (void)op, (void)s;
    return LANES_ALL;
}

/* Whether a form of floating-point type is an approximation: division, reciprocal and root are where they
 * name no rounding (in old PTX of f32 also where they name nothing). */
static bool is_approximate(const struct ptx_form *form) {
    switch (form->op) {
    case PTX_OP_RSQRT:
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_LG2:
    case PTX_OP_EX2:
    case PTX_OP_TANH: return true;
    case PTX_OP_DIV:
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
        return form->approx || form->full || (form->type == PTX_F32 && form->round == PTX_ROUND_NONE);
    default: return false;
    }
}

/* The assumption that makes the open results of a form known; LAUNCH_ASSUMPTIONS: it has none. */
static enum launch_assumption kind_of(const struct ptx_form *form) {
    bool divides = form->op == PTX_OP_DIV || form->op == PTX_OP_REM;
    if (ptx_type_kind((enum ptx_type)form->type) == PTX_KIND_FLOAT)
        return is_approximate(form) ? LAUNCH_ASSUME_APPROX : LAUNCH_ASSUMPTIONS;
    return divides ? LAUNCH_ASSUME_DIV_ZERO : LAUNCH_ASSUMPTIONS;
}

static wb_status open_execute(struct warp *warp, const struct micro *op, uint32_t mask);

void open_result_decode(struct micro *op) {
    const struct ptx_form *form = op->form;
    enum launch_assumption kind = kind_of(form);
    if (op->execute != alu_execute || kind == LAUNCH_ASSUMPTIONS) return;
    op->open_kind = (uint8_t)kind;
    bool tabulated = form->type == PTX_F32 && form->op != PTX_OP_DIV;
    op->open = kind == LAUNCH_ASSUME_DIV_ZERO ? divides_by_zero
               : tabulated                    ? approximates
                                              : approximates_always;
    op->execute = open_execute;
}

static wb_status relying_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    static const enum assumed assumed[] = {[PTX_RELIES_ON_REFINEMENT] = ASSUMED_REFINED_RESULTS,
                                           [PTX_RELIES_ON_FCHK] = ASSUMED_DIVISION_CHECKS,
                                           [PTX_RELIES_ON_START] = ASSUMED_START_OF_SM_87};
    run_assume(warp->run, assumed[op->inst->relies_on]);
    return op->unrecorded(warp, op, mask);
}

void relying_decode(struct micro *op) {
    if (op->execute == NULL) return;
    op->unrecorded = op->execute;
    op->execute = relying_execute;
}

const char *open_result_assumption(const struct ptx_form *form) {
    enum launch_assumption kind = kind_of(form);
    return kind == LAUNCH_ASSUMPTIONS ? NULL : launch_assumption_name(kind);
}

/* Executes an instruction whose results may be open in some lanes. */
static wb_status open_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const uint64_t *values[MICRO_SOURCES];
    uint32_t known = mask;
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        const struct lanes *source = warp_slot(warp, op->source[i]);
        values[i] = source->value;
        known &= source->known;
    }
    uint32_t open = known == 0 ? 0 : op->open(op, values) & known;
    const bool assumed = open != 0 && open_is_assumed(warp->run, (enum launch_assumption)op->open_kind);
    if (open != mask || assumed) WB_TRY(alu_execute(warp, op, assumed ? mask : mask & ~open));
    if (assumed && op->open_kind == LAUNCH_ASSUME_APPROX) return contraction_approximate(warp, op, open);
    if (open == 0 || assumed) return WB_OK;
    warp->run->left_open |= 1u << op->open_kind;
    lanes_forget(warp_slot(warp, op->destination), open, op->index);
    return WB_OK;
}

/* ---- Single bits ---- */

/* A predicate in one lane: all bits of the source are what it is. */
static struct bit_source predicate_source(const struct warp *warp, struct slot slot, uint32_t lane) {
    const bool known = (warp_slot(warp, slot)->known >> lane & 1) != 0;
    return (struct bit_source){0 - (uint64_t)(warp_predicate(warp, slot) >> lane & 1),
                               known ? UINT64_MAX : 0};
}

static struct bit_source source_of(const struct lanes *lanes, uint32_t lane) {
    return (struct bit_source){lanes->value[lane], partial_bits(lanes, lane)};
}

void partial_of_result(const struct warp *warp, const struct micro *op, uint32_t mask,
                       struct partial_lanes *out) {
    const bool selects = op->form->op == PTX_OP_SELP;
    const struct lanes *in[MICRO_SOURCES];
    for (uint32_t i = 0; i < MICRO_SOURCES; i++)
        in[i] = warp_slot(warp, op->source[i]);
    out->known = out->partial = 0;
    FOR_LANES_OF(l, mask) {
        struct bit_source sources[MICRO_SOURCES];
        for (uint32_t i = 0; i < MICRO_SOURCES; i++)
            sources[i] = source_of(in[i], l);
        if (selects) sources[2] = predicate_source(warp, op->source[2], l);
        partial_add(out, l, op->known_bits(op, sources), op->result_mask);
    }
}

void partial_of_add3(const struct warp *warp, const struct micro *op, uint32_t mask,
                     struct partial_lanes *out) {
    const uint32_t carries = warp_slot(warp, op->source[3])->known & warp_slot(warp, op->sum.carry)->known;
    const uint32_t x = warp_predicate(warp, op->source[3]), y = warp_predicate(warp, op->sum.carry);
    out->known = out->partial = 0;
    FOR_LANES_OF(l, mask & carries) {
        struct bit_source sources[3];
        for (uint32_t i = 0; i < 3; i++)
            sources[i] = source_of(warp_slot(warp, op->source[i]), l);
        partial_add(out, l, known_bits_of_add3(sources, (x >> l & 1) != 0, (y >> l & 1) != 0),
                    op->result_mask);
    }
}

void partial_of_pack(const struct warp *warp, const struct micro *op, uint32_t mask,
                     struct partial_lanes *out) {
    const uint64_t ones = low_bytes_mask(op->pack.bits / 8);
    out->known = out->partial = 0;
    FOR_LANES_OF(l, mask) {
        uint64_t bits = 0;
        for (uint32_t i = 0; i < op->pack.count; i++)
            bits |= (partial_bits(warp_slot(warp, op->pack.elements[i]), l) & ones) << (i * op->pack.bits);
        partial_add(out, l, bits, low_bytes_mask(op->pack.count * op->pack.bits / 8u));
    }
}

void partial_of_part(const struct lanes *in, const struct micro *op, uint32_t index, uint32_t mask,
                     struct partial_lanes *out) {
    out->known = out->partial = 0;
    FOR_LANES_OF(l, mask)
    partial_add(out, l, in->half.bits[l] >> (index * op->pack.bits), low_bytes_mask(op->pack.bits / 8));
}

void partial_write_lane(struct lanes *out, uint32_t lane, uint64_t bits) {
    assert(((out->known | out->halved) >> lane & 1) == 0);
    out->partial |= 1u << lane;
    out->half.bits[lane] = bits;
}

void partial_write(struct lanes *out, const struct partial_lanes *lanes) {
    FOR_LANES_OF(l, lanes->partial) partial_write_lane(out, l, lanes->bits[l]);
}
