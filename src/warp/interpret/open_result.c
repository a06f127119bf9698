#include "warp/interpret/execute.h"

#include "warp/alu/alu.h"
#include "warp/alu/lanes.h"

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

/* What makes the open results of a form known; LAUNCH_ASSUMPTIONS: it has none. */
static enum launch_assumption kind_of(const struct ptx_form *form) {
    bool divides = form->op == PTX_OP_DIV || form->op == PTX_OP_REM;
    if (ptx_type_kind((enum ptx_type)form->type) == PTX_KIND_FLOAT)
        return is_approximate(form) ? LAUNCH_ASSUME_APPROX : LAUNCH_ASSUMPTIONS;
    return divides ? LAUNCH_ASSUME_DIV_ZERO : LAUNCH_ASSUMPTIONS;
}

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

wb_status open_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
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
