#include "warp/interpret/base_region.h"

#include "warp/alu/alu.h"

void half_write(struct lanes *out, const struct half_lanes *halves) {
    assert((out->known & halves->halved) == 0);
    out->halved |= halves->halved;
    halves_blend(&out->half, &halves->half, halves->halved);
}

struct half half_low(uint64_t base_region) {
    return half_make(HALF_LOW, base_region, 0, 0);
}

struct half half_high(uint64_t base_region, uint64_t address) {
    return half_make(HALF_HIGH, base_region, (uint32_t)address, 0);
}

uint64_t half_common(const struct lanes *lanes, uint32_t mask) {
    if (mask == 0 || (mask & ~lanes_halves(lanes)) != 0) return 0;
    const uint64_t *base_regions = lanes->half.base_region, base_region = base_regions[__builtin_ctz(mask)];
    uint64_t differing = 0;
    if (mask == LANES_ALL)
        for (uint32_t l = 0; l < WARP_LANES; l++)
            differing |= base_regions[l] ^ base_region;
    else
        FOR_LANES_OF(l, mask) differing |= base_regions[l] ^ base_region;
    return differing == 0 ? base_region : 0;
}

void half_opposite(struct half *carry) {
    static const uint8_t opposite[] = {[HALF_CARRY] = HALF_BORROW,
                                       [HALF_BORROW] = HALF_CARRY,
                                       [HALF_CARRIES] = HALF_BORROWS,
                                       [HALF_BORROWS] = HALF_CARRIES,
                                       [HALF_COMPARED] = HALF_NONE};
    *carry =
        half_make((enum half_kind)opposite[half_kind(carry)], half_base_region(carry), carry->a, carry->b);
}

struct half_term half_carry_of(const struct lanes *lanes, uint32_t lane, bool negated) {
    struct half_term term = {.value = (uint32_t)(lanes->value[0] >> lane & 1) ^ negated,
                             .known = (lanes->known >> lane & 1) != 0};
    if ((lanes_halves(lanes) >> lane & 1) == 0) return term;
    term.half = half_get(&lanes->half, lane);
    if (negated) half_opposite(&term.half);
    return term;
}

static bool are_opposite(const struct half *a, const struct half *b) {
    return half_base_region(a) == (half_base_region(b) ^ BASE_REGION_NEGATED);
}

/* The terms of a sum by what they are. */
struct sorted_terms {
    const struct half_term *of[HALF_COMPARED + 1][2];
    uint32_t count[HALF_COMPARED + 1];
    uint64_t numbers; /* their sum */
    bool known;       /* the others are halves */
};

static struct sorted_terms sort_terms(const struct half_term *terms, uint32_t count) {
    struct sorted_terms sorted = {.known = true};
    for (uint32_t i = 0; i < count; i++) {
        if (terms[i].known) {
            sorted.numbers += terms[i].value;
            continue;
        }
        const enum half_kind kind = half_kind(&terms[i].half);
        const uint32_t n = sorted.count[kind]++;
        sorted.known &= kind != HALF_NONE && n < 2;
        if (n < 2) sorted.of[kind][n] = &terms[i];
    }
    return sorted;
}

/* A lower half and numbers. */
static void add_to_low(const struct half_term *low, uint64_t numbers, struct half_sum *sum) {
    const uint64_t base_region = half_base_region(&low->half);
    /* What the numbers carry by themselves is known. */
    const uint32_t known = (uint32_t)(numbers >> 32);
    sum->half = half_low(base_region);
    for (uint32_t i = 0; i < 2; i++) {
        sum->carry[i].known = i != known;
        if (i == known) sum->carry[i].half = half_make(HALF_CARRY, base_region, low->value, sum->value);
    }
}

/* The lower halves of an address and of the negative of another one, and numbers. */
static void add_lows(const struct half_term *a, const struct half_term *b, uint64_t numbers,
                     struct half_sum *sum) {
    const bool swapped = (a->half.base_region & BASE_REGION_NEGATED) != 0;
    const struct half_term *plus = swapped ? b : a, *minus = swapped ? a : b;
    if (!are_opposite(&a->half, &b->half)) return;
    sum->known = true;
    if (numbers > 1) return;
    sum->carry[0].half = half_make(HALF_CARRIES, half_base_region(&plus->half), plus->value, minus->value);
    sum->carry[1].known = true;
}

/* Upper halves. */
static void add_highs(const struct sorted_terms *terms, struct half_sum *sum) {
    const struct half_term *high = terms->of[HALF_HIGH][0], *other = terms->of[HALF_HIGH][1];
    const struct half_term *carry = terms->of[HALF_CARRY][0], *carries = terms->of[HALF_CARRIES][0];
    const uint64_t base_region = half_base_region(&high->half);
    const uint32_t carried = terms->count[HALF_CARRY] + terms->count[HALF_CARRIES];
    if (other == NULL && carried == 0) {
        sum->half = half_high(base_region, high->half.a);
    } else if (other == NULL) {
        const bool fits = carried == 1 && carry != NULL && half_base_region(&carry->half) == base_region &&
                          half_same_low(carry->half.a, high->half.a);
        if (fits) sum->half = half_high(base_region, carry->half.b);
    } else if (carried == 1 && carries != NULL && are_opposite(&high->half, &other->half)) {
        const bool swapped = (base_region & BASE_REGION_NEGATED) != 0;
        const struct half_term *plus = swapped ? other : high, *minus = swapped ? high : other;
        sum->known = half_base_region(&carries->half) == half_base_region(&plus->half) &&
                     half_same_low(carries->half.a, plus->half.a) &&
                     half_same_low(carries->half.b, minus->half.a);
    }
}

void half_add(const struct half_term *terms, uint32_t count, struct half_sum *sum) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += terms[i].value;
    *sum = (struct half_sum){.value = (uint32_t)total, .carries = (uint32_t)(total >> 32)};
    const struct sorted_terms sorted = sort_terms(terms, count);
    const uint32_t lows = sorted.count[HALF_LOW], highs = sorted.count[HALF_HIGH];
    const uint32_t carries = sorted.count[HALF_CARRY] + sorted.count[HALF_CARRIES];
    const uint32_t others =
        sorted.count[HALF_BORROW] + sorted.count[HALF_BORROWS] + sorted.count[HALF_COMPARED];
    if (!sorted.known || others != 0) return;
    if (lows + highs + carries == 0) {
        sum->known = sum->carry[0].known = sum->carry[1].known = true;
    } else if (highs == 0 && carries == 0) {
        const struct half_term *first = sorted.of[HALF_LOW][0], *second = sorted.of[HALF_LOW][1];
        if (first != NULL && second == NULL) add_to_low(first, sorted.numbers, sum);
        if (first != NULL && second != NULL) add_lows(first, second, sorted.numbers, sum);
    } else if (lows == 0 && sorted.of[HALF_HIGH][0] != NULL) {
        add_highs(&sorted, sum);
    }
}

bool half_join(const struct half_term *low, const struct half_term *high, uint64_t *base_region) {
    *base_region = BASE_REGION_NONE;
    if (low->known && high->known) return true;
    if (low->known || high->known || half_kind(&low->half) != HALF_LOW || half_kind(&high->half) != HALF_HIGH)
        return false;
    *base_region = half_base_region(&low->half);
    return *base_region == half_base_region(&high->half) && half_same_low(low->value, high->half.a);
}

/* ---- Instructions -------------------------------------------------------------------------------------- */

struct half_term half_inverted(struct half_term term) {
    const enum half_kind kind = half_kind(&term.half);
    term.value = ~term.value;
    if (kind == HALF_LOW || kind == HALF_HIGH)
        term.half = half_make(kind, half_base_region(&term.half) ^ BASE_REGION_NEGATED, ~term.half.a, 0);
    else
        term.half = (struct half){0};
    return term;
}

/* and, or, xor of a half with a number: the lowest bits of addresses are numbers. */
static struct half_sum masked(const struct ptx_form *form, const struct half_term *of, uint32_t number) {
    struct half_sum result = {0};
    if (half_kind(&of->half) != HALF_LOW) return result;
    const bool lowest = number < BASE_REGION_ALIGN, all_but = ~number < BASE_REGION_ALIGN;
    result.known = form->op == PTX_OP_AND && lowest;
    if (form->op == PTX_OP_AND ? all_but : lowest) result.half = of->half;
    return result;
}

static struct half_sum sum_of_two(struct half_term a, struct half_term b) {
    const struct half_term terms[2] = {a, b};
    struct half_sum sum;
    half_add(terms, 2, &sum);
    return sum;
}

static struct half_sum difference(struct half_term a, struct half_term b) {
    const struct half_term terms[3] = {a, half_inverted(b), {.value = 1, .known = true}};
    struct half_sum sum;
    half_add(terms, 3, &sum);
    /* Of upper halves alone it is not that of the whole: the 1 belongs to the lower ones. */
    if (half_kind(&b.half) == HALF_HIGH) sum = (struct half_sum){0};
    return sum;
}

static struct half_sum result_of_lane(const struct micro *op, const struct half_term *s) {
    const struct ptx_form *form = op->form;
    struct half_sum result = {0};
    switch (form->op) {
    case PTX_OP_MOV: result.half = s[0].half; break;
    case PTX_OP_NOT: result.half = half_inverted(s[0]).half; break;
    case PTX_OP_NEG: return difference((struct half_term){.known = true}, s[0]);
    case PTX_OP_ADD: return sum_of_two(s[0], s[1]);
    case PTX_OP_SUB: return difference(s[0], s[1]);
    case PTX_OP_MAD:
        if (form->half == PTX_HALF_LO && s[0].known && s[1].known)
            return sum_of_two((struct half_term){.value = s[0].value * s[1].value, .known = true}, s[2]);
        break;
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
        if (s[1].known) return masked(form, &s[0], s[1].value);
        if (s[0].known) return masked(form, &s[1], s[0].value);
        break;
    default: break;
    }
    return result;
}

/* One or the other of two sources. */
static void choose(const struct warp *warp, const struct micro *op, uint32_t mask, struct half_lanes *out) {
    const struct lanes *a = warp_slot(warp, op->source[0]), *b = warp_slot(warp, op->source[1]);
    const uint32_t first = warp_predicate(warp, op->source[2]);
    const uint32_t decided = mask & warp_slot(warp, op->source[2])->known;
    out->known = decided & ((first & a->known) | (~first & b->known));
    out->halved = decided & ((first & lanes_halves(a)) | (~first & lanes_halves(b)));
    halves_blend(&out->half, &a->half, out->halved & first);
    halves_blend(&out->half, &b->half, out->halved & ~first);
}

void half_of_result(const struct warp *warp, const struct micro *op, uint32_t mask, struct half_lanes *out) {
    const struct ptx_form *form = op->form;
    const bool is_half = int_kind_of(form->type) == INT_U32 || int_kind_of(form->type) == INT_S32;
    out->known = out->halved = 0;
    if (!is_half || form->sat) return;
    if (form->op == PTX_OP_SELP) {
        choose(warp, op, mask, out);
        return;
    }
    FOR_LANES_OF(l, mask) {
        struct half_term terms[3];
        for (uint32_t i = 0; i < 3; i++)
            terms[i] = half_term_of(warp_slot(warp, op->source[i]), l);
        const struct half_sum result = result_of_lane(op, terms);
        out->known |= (uint32_t)result.known << l;
        if (result.known || half_kind(&result.half) == HALF_NONE) continue;
        out->halved |= 1u << l;
        half_put(&out->half, l, &result.half);
    }
}

/* ---- Comparisons --------------------------------------------------------------------------------------- */

/* The same comparison, whatever it is called. */
static enum ptx_compare plain_compare(uint8_t compare) {
    switch (compare) {
    case PTX_CMP_LO: return PTX_CMP_LT;
    case PTX_CMP_LS: return PTX_CMP_LE;
    case PTX_CMP_HI: return PTX_CMP_GT;
    case PTX_CMP_HS: return PTX_CMP_GE;
    default: return (enum ptx_compare)compare;
    }
}

static enum ptx_compare opposite_compare(enum ptx_compare compare) {
    switch (compare) {
    case PTX_CMP_EQ: return PTX_CMP_NE;
    case PTX_CMP_NE: return PTX_CMP_EQ;
    case PTX_CMP_LT: return PTX_CMP_GE;
    case PTX_CMP_GE: return PTX_CMP_LT;
    case PTX_CMP_LE: return PTX_CMP_GT;
    default: return PTX_CMP_LE;
    }
}

/* The comparison stands in bits of the other base region that regions do not have. */
#define COMPARE_SHIFT 2u

static struct half compared(enum ptx_compare compare, const struct half_term *a, const struct half_term *b) {
    struct half half = half_make(HALF_COMPARED, a->known ? BASE_REGION_NONE : half_base_region(&a->half),
                                 a->value, b->value);
    half.other = (b->known ? BASE_REGION_NONE : half_base_region(&b->half)) | (uint64_t)compare
                                                                                  << COMPARE_SHIFT;
    return half;
}

static bool is_low_or_number(const struct half_term *term) {
    return term->known || half_kind(&term->half) == HALF_LOW;
}

void half_of_comparison(const struct warp *warp, const struct micro *op, uint32_t mask,
                        struct half_lanes *out, struct half_lanes *opposite) {
    const struct ptx_form *form = op->form;
    const enum ptx_compare compare = plain_compare(form->compare);
    const bool is_order = compare != PTX_CMP_EQ && compare != PTX_CMP_NE;
    const enum int_kind kind = int_kind_of(form->type);
    *out = *opposite = (struct half_lanes){0};
    if (form->mode != PTX_MODE_NONE || (kind != INT_U32 && (kind != INT_S32 || is_order))) return;
    FOR_LANES_OF(l, mask) {
        const struct half_term a = half_term_of(warp_slot(warp, op->source[0]), l);
        const struct half_term b = half_term_of(warp_slot(warp, op->source[1]), l);
        if (!is_low_or_number(&a) || !is_low_or_number(&b) || (a.known && b.known)) continue;
        out->halved |= 1u << l;
        const struct half holds = compared(compare, &a, &b);
        const struct half fails = compared(opposite_compare(compare), &a, &b);
        half_put(&out->half, l, &holds);
        half_put(&opposite->half, l, &fails);
    }
    opposite->halved = out->halved;
}

/* Whether an upper half, or number, is that of the address whose lower half was compared. */
static bool is_upper_of(const struct half_term *high, uint64_t base_region, uint32_t low) {
    if (high->known) return base_region == BASE_REGION_NONE;
    return half_kind(&high->half) == HALF_HIGH && half_base_region(&high->half) == base_region &&
           half_same_low(high->half.a, low);
}

uint32_t half_comparison_known(const struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes *lower = warp_slot(warp, op->source[2]);
    uint32_t known = 0;
    if (op->source[2].negated) return 0;
    FOR_LANES_OF(l, mask & lanes_halves(lower)) {
        const struct half_term a = half_term_of(warp_slot(warp, op->source[0]), l);
        const struct half_term b = half_term_of(warp_slot(warp, op->source[1]), l);
        const struct half half = half_get(&lower->half, l);
        const uint64_t compares = UINT64_C(31) << COMPARE_SHIFT, other = half.other & ~compares;
        if (half_kind(&half) != HALF_COMPARED ||
            (half.other & compares) >> COMPARE_SHIFT != plain_compare(op->form->compare) ||
            !is_upper_of(&a, half_base_region(&half), half.a) || !is_upper_of(&b, other, half.b))
            continue;
        const uint64_t x = (uint64_t)a.value << 32 | half.a, y = (uint64_t)b.value << 32 | half.b;
        known |= (uint32_t)base_region_lane_comparable(warp->run, op, x, half_base_region(&half), y, other)
                 << l;
    }
    return known;
}
