#include "warp/interpret/execute.h"

#include <assert.h>
#include <stdlib.h>

#include "warp/alu/alu.h"
#include "warp/alu/lanes.h"

/* Places of the table, how many of them are used at most, and how many for one value. */
#define SLOTS (1u << 15)
#define PRODUCTS_MAX (SLOTS / 4 * 3)
#define ALIKE_MAX 8u

struct product {
    uint64_t magnitude, a, b; /* bits of the rounded product, of its factors; without signs */
    uint32_t block;           /* of another block: the place is free */
    uint8_t type;             /* enum ptx_type, of one element */
    bool ftz;
    bool approximate; /* what was rounded is not known */
};

/* The elements of a register of a form: one, or two of 16 bits. */
struct elements {
    uint8_t type;
    uint32_t bits, count;
    uint64_t ones, sign;
};

static struct elements elements_of(const struct ptx_form *form) {
    const bool pair = form->type == PTX_F16X2 || form->type == PTX_BF16X2;
    const uint8_t type = form->type == PTX_F16X2 ? PTX_F16 : form->type == PTX_BF16X2 ? PTX_BF16 : form->type;
    const uint32_t bits = 8 * ptx_type_bytes((enum ptx_type)type);
    return (struct elements){type, bits, pair ? 2 : 1, low_bits(bits), UINT64_C(1) << (bits - 1)};
}

/* Whether sums are as they are computed here from now on, whatever is a product. */
static bool is_settled(const struct run *run) {
    return (run->assumptions >> LAUNCH_ASSUME_NO_CONTRACTION & 1) != 0 &&
           (run->notes.assumed & assumed_bit(ASSUMED_NO_CONTRACTION)) != 0;
}

/* Whether the products of a form are to be remembered. */
static bool is_watched(const struct run *run, const struct elements *of) {
    return (run->program.sums >> of->type & 1) != 0 && !run->products.full && !is_settled(run);
}

/* ---- Products ------------------------------------------------------------------------------------------ */

/* Whether p is not the product of a and b, but what that is rounded to. */
static bool is_inexact(const struct elements *of, bool ftz, uint64_t a, uint64_t b, uint64_t p) {
    if (of->bits == 64) {
        const double x = double_of(a), y = double_of(b), rounded = double_of(p);
        /* The error of a product is a number, but of the smallest ones. */
        const bool small = fabs(rounded) < 0x1p-960 && x != 0.0 && y != 0.0;
        return rounded == rounded && (small || fma(x, y, -rounded) != 0.0);
    }
    const struct float_format *format = float_format_of(of->type);
    if (ftz && float_format_tiny(format, a)) a &= of->sign;
    if (ftz && float_format_tiny(format, b)) b &= of->sign;
    const double rounded = float_format_decode(format, p);
    /* at most 2 * 24 bits: exact */
    return rounded == rounded && float_format_decode(format, a) * float_format_decode(format, b) != rounded;
}

static uint32_t place_of(uint64_t magnitude, uint8_t type) {
    return (uint32_t)((magnitude + type) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SLOTS;
}

/* The product number `rank` of those with a value, or NULL. */
static const struct product *find(const struct products *products, uint8_t type, uint64_t magnitude,
                                  uint32_t rank) {
    for (uint32_t i = place_of(magnitude, type);; i = (i + 1) % SLOTS) {
        const struct product *product = &products->slots[i];
        if (product->block != products->block) return NULL;
        if (product->magnitude == magnitude && product->type == type && rank-- == 0) return product;
    }
}

static wb_status remember(struct warp *warp, const struct micro *op, const struct product *made) {
    struct products *products = &warp->run->products;
    if (products->slots == NULL) {
        products->slots = calloc(SLOTS, sizeof *products->slots);
        if (products->slots == NULL) return warp_no_memory(warp, op);
    }
    const struct product *known;
    uint32_t alike = 0, place = place_of(made->magnitude, made->type);
    while ((known = find(products, made->type, made->magnitude, alike)) != NULL) {
        if (known->ftz == made->ftz && known->approximate == made->approximate &&
            ((known->a == made->a && known->b == made->b) || (known->a == made->b && known->b == made->a)))
            return WB_OK;
        alike++;
    }
    products->full = alike == ALIKE_MAX || products->count == PRODUCTS_MAX;
    if (products->full) return WB_OK;
    while (products->slots[place].block == products->block)
        place = (place + 1) % SLOTS;
    products->slots[place] = *made;
    products->slots[place].block = products->block;
    products->count++;
    return WB_OK;
}

/* Whether an element of a lane is known. */
static bool is_known(const struct elements *of, uint64_t bits, uint32_t shift) {
    return (bits >> shift & of->ones) == of->ones;
}

static wb_status product_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct elements of = elements_of(op->form);
    if (!is_watched(warp->run, &of)) return alu_execute(warp, op, mask);
    uint64_t a[WARP_LANES], b[WARP_LANES]; /* copied: one may be the destination */
    const struct lanes *out = warp_slot(warp, op->destination);
    memcpy(a, warp_slot(warp, op->source[0])->value, sizeof a);
    memcpy(b, warp_slot(warp, op->source[1])->value, sizeof b);
    assert(of.bits * of.count <= 64);
    WB_TRY(alu_execute(warp, op, mask));
    FOR_LANES_OF(l, mask & (out->known | out->partial)) {
        for (uint32_t shift = 0; shift < of.bits * of.count; shift += of.bits) {
            const uint64_t x = a[l] >> shift & of.ones, y = b[l] >> shift & of.ones;
            const uint64_t p = out->value[l] >> shift & of.ones;
            if (!is_known(&of, partial_bits(out, l), shift) || !is_inexact(&of, op->form->ftz, x, y, p))
                continue;
            const struct product made = {.magnitude = p & ~of.sign,
                                         .a = x & ~of.sign,
                                         .b = y & ~of.sign,
                                         .type = of.type,
                                         .ftz = op->form->ftz};
            WB_TRY(remember(warp, op, &made));
        }
    }
    return WB_OK;
}

wb_status contraction_approximate(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct elements of = elements_of(op->form);
    const struct lanes *out = warp_slot(warp, op->destination);
    if (!is_watched(warp->run, &of)) return WB_OK;
    FOR_LANES_OF(l, mask & out->known) {
        for (uint32_t shift = 0; shift < of.bits * of.count; shift += of.bits) {
            const struct product made = {.magnitude = out->value[l] >> shift & of.ones & ~of.sign,
                                         .type = of.type,
                                         .approximate = true};
            WB_TRY(remember(warp, op, &made));
        }
    }
    return WB_OK;
}

/* ---- Sums ---------------------------------------------------------------------------------------------- */

/* A sum that was executed: its operands, and which bits of the result are left open. */
struct sum {
    uint64_t terms[2][WARP_LANES];
    uint64_t open[WARP_LANES];
};

/* Compares the sum with the fused one, in lanes whose operand `side` is product number `rank` of those with
 * its value; false: there is none in any lane. */
static bool compare_fused(const struct warp *warp, const struct micro *op, uint32_t mask, struct sum *sum,
                          uint32_t side, uint32_t rank) {
    const struct elements of = elements_of(op->form);
    const struct lanes *out = warp_slot(warp, op->destination);
    const bool subtracts = op->form->op == PTX_OP_SUB;
    uint64_t a[WARP_LANES] = {0}, b[WARP_LANES] = {0}, c[WARP_LANES] = {0}, fused[WARP_LANES];
    uint64_t compared[WARP_LANES] = {0};
    bool found = false;
    FOR_LANES_OF(l, mask) {
        for (uint32_t shift = 0; shift < of.bits * of.count; shift += of.bits) {
            const uint64_t x = sum->terms[side][l] >> shift & of.ones;
            const uint64_t y = sum->terms[1 - side][l] >> shift & of.ones;
            const struct product *product = find(&warp->run->products, of.type, x & ~of.sign, rank);
            if (product == NULL) continue;
            found = true;
            compared[l] |= of.ones << shift;
            /* where one flushes and the other does not, neither is as a fused one is */
            if (product->approximate || product->ftz != op->form->ftz) sum->open[l] |= of.ones << shift;
            a[l] |= (product->a | ((x ^ (subtracts && side == 1 ? of.sign : 0)) & of.sign)) << shift;
            b[l] |= product->b << shift;
            c[l] |= (y ^ (subtracts && side == 0 ? of.sign : 0)) << shift;
        }
    }
    if (!found) return false;
    const uint64_t *sources[MICRO_SOURCES] = {a, b, c, c};
    op->fused->compute.lanes(op->fused, fused, sources);
    FOR_LANES_OF(k, mask) {
        const uint64_t differing = (fused[k] ^ out->value[k]) & compared[k];
        for (uint32_t shift = 0; shift < of.bits * of.count; shift += of.bits)
            if ((differing >> shift & of.ones) != 0) sum->open[k] |= of.ones << shift;
    }
    return true;
}

/* Makes what is left open unknown, but for the other element of a pair. */
static void leave_open(struct warp *warp, const struct micro *op, uint32_t lanes, const uint64_t *open) {
    struct lanes *out = warp_slot(warp, op->destination);
    uint64_t bits[WARP_LANES];
    warp->run->left_open |= 1u << LAUNCH_ASSUME_NO_CONTRACTION;
    FOR_LANES_OF(l, lanes) bits[l] = partial_bits(out, l) & ~open[l] & op->result_mask;
    lanes_forget(out, lanes, op->index);
    FOR_LANES_OF(k, lanes) if (bits[k] != 0) partial_write_lane(out, k, bits[k]);
}

static wb_status sum_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct products *products = &warp->run->products;
    struct sum sum;
    if ((products->count == 0 && !products->full) || is_settled(warp->run))
        return alu_execute(warp, op, mask);
    for (uint32_t side = 0; side < 2; side++) /* copied: one may be the destination */
        memcpy(sum.terms[side], warp_slot(warp, op->source[side])->value, sizeof sum.terms[side]);
    WB_TRY(alu_execute(warp, op, mask));
    const struct lanes *out = warp_slot(warp, op->destination);
    const uint32_t known = mask & (out->known | out->partial);
    uint32_t open = 0;
    memset(sum.open, products->full ? 0xff : 0, sizeof sum.open);
    for (uint32_t side = 0; side < 2 && !products->full; side++)
        for (uint32_t rank = 0; compare_fused(warp, op, known, &sum, side, rank);)
            rank++;
    FOR_LANES_OF(l, known) open |= (uint32_t)(sum.open[l] != 0) << l;
    if (open != 0 && !open_is_assumed(warp->run, LAUNCH_ASSUME_NO_CONTRACTION))
        leave_open(warp, op, open, sum.open);
    return WB_OK;
}

/* ---- Decoding ------------------------------------------------------------------------------------------ */

void contraction_decode(struct program *program, struct micro *op) {
    const struct ptx_form *form = op->form;
    const bool sums = form->op == PTX_OP_ADD || form->op == PTX_OP_SUB;
    if (op->execute != alu_execute || ptx_type_kind((enum ptx_type)form->type) != PTX_KIND_FLOAT ||
        form->round != PTX_ROUND_NONE)
        return;
    if (form->op == PTX_OP_MUL) op->execute = product_execute;
    if (!sums) return;
    struct ptx_form *fused = arena_array(program->arena, 1, sizeof *fused);
    struct micro *micro = arena_array(program->arena, 1, sizeof *micro);
    *fused = *form;
    fused->op = PTX_OP_FMA;
    *micro = (struct micro){.form = fused, .compute.lanes = alu_float_find(fused), .source_count = 3};
    program->sums |= UINT64_C(1) << elements_of(form).type;
    op->fused = micro;
    op->execute = sum_execute;
}
