/* Rules for what lanes compute by themselves: which results are flat, and which affine, on what constraints
 * (docs/block-classes.md, section 2). Whatever has no rule is flat where all that it is made of is, and bends
 * otherwise. */
#include "warp/affine/rules.h"

#include <string.h>

/* Longest step along an axis that a rule asks for. */
#define PERIOD_MAX 1024u
/* A remainder that moves by less than this part of the divisor moves nearly not. */
#define NEARLY 4096

enum shape { BENT, FLAT, AFFINE, SIGNED };

typedef enum shape (*rule_fn)(struct judging *judging, uint32_t lane);

uint32_t rules_bits(uint8_t type) {
    return 8 * ptx_type_bytes((enum ptx_type)type);
}

static bool is_signed(uint8_t type) {
    return ptx_type_kind((enum ptx_type)type) == PTX_KIND_SIGNED;
}

static bool is_integer(uint8_t type) {
    const enum ptx_type_kind kind = ptx_type_kind((enum ptx_type)type);
    const bool whole = kind == PTX_KIND_BITS || kind == PTX_KIND_UNSIGNED || kind == PTX_KIND_SIGNED;
    return whole && rules_bits(type) <= 64 && (rules_bits(type) == 8 || int_kind_of(type) != INT_KINDS);
}

static int64_t as_signed(uint64_t value, uint32_t bits) {
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* ---- Sources ------------------------------------------------------------------------------------------- */

/* A source in one lane: v + sum of c[j] q[j] modulo 2^bits, the coefficients nearest to 0. */
struct form {
    uint64_t v;
    __int128 c[AXES];
};

/* An upper half is no word of its own that grows by a constant. */
static bool form_of(const struct judging *judging, uint32_t source, uint32_t lane, uint32_t bits,
                    struct form *form) {
    const struct affine_shadow *shadow = &judging->shadow[source];
    const struct lanes *const *lanes = judging->lanes[source];
    *form = (struct form){.v = lanes[0]->value[lane] & low_bits(bits)};
    if (lane_in(shadow->flat, lane)) return true;
    if (!lane_in(shadow->affine, lane) || shadow->bits < bits) return false;
    if (!lane_in(lanes[0]->known, lane) && rules_half_kind(judging, source, lane) != HALF_LOW) return false;
    for (uint32_t r = 1; r < judging->lockstep->count; r++)
        form->c[judging->lockstep->axis[r]] = as_signed(lanes[r]->value[lane] - form->v, bits);
    return true;
}

/* Whether a source is an upper half that moves with the lower one that it names. */
static bool is_upper(const struct judging *judging, uint32_t source, uint32_t lane) {
    return lane_in(judging->shadow[source].affine, lane) &&
           rules_half_kind(judging, source, lane) == HALF_HIGH;
}

bool rules_is_word(const struct judging *judging, uint32_t source, uint32_t lane, uint32_t bits) {
    struct form form;
    return form_of(judging, source, lane, bits, &form);
}

static bool is_flat(const struct judging *judging, uint32_t source, uint32_t lane) {
    return lane_in(judging->shadow[source].flat, lane);
}

static bool require(struct judging *judging, __int128 v, const __int128 c[AXES], __int128 low,
                    __int128 high) {
    return affine_require(judging->lockstep->space, v, c, low, high, &judging->bend.axes);
}

/* The integer that a form of `bits` bits is, which must not wrap around. */
static bool integer_of(struct judging *judging, const struct form *form, uint32_t bits, bool with_sign,
                       __int128 *v) {
    const __int128 low = with_sign ? -((__int128)1 << (bits - 1)) : 0;
    *v = with_sign ? (__int128)as_signed(form->v, bits) : (__int128)form->v;
    return require(judging, *v, form->c, low, low + ((__int128)1 << bits) - 1);
}

bool rules_unsigned(struct judging *judging, uint32_t source, uint32_t lane, __int128 *sum,
                    __int128 sum_c[AXES]) {
    struct form form;
    __int128 v;
    if (!form_of(judging, source, lane, 32, &form) || !integer_of(judging, &form, 32, false, &v))
        return false;
    *sum += v;
    for (uint32_t j = 0; j < AXES; j++)
        sum_c[j] += form.c[j];
    return true;
}

bool rules_within(struct judging *judging, __int128 v, const __int128 c[AXES], __int128 d) {
    const __int128 low = v / d * d;
    return require(judging, v, c, low, low + d - 1);
}

static __int128 remainder_of(__int128 a, __int128 d) {
    return a % d < 0 ? a % d + d : a % d;
}

/* The least number of steps of c after which the remainder is what it was, or nearly: divisions by what is
 * not a power of two are made of products that are not exact. 0: none. */
static uint32_t period_of(__int128 c, __int128 d, uint32_t most) {
    uint32_t nearly = 0;
    for (uint32_t m = 2; m <= most; m++) {
        const __int128 rest = remainder_of(c * m, d);
        if (rest == 0) return m;
        if (nearly == 0 && (rest < d / NEARLY || d - rest < d / NEARLY)) nearly = m;
    }
    return nearly;
}

/* The remainder of v + sum of c q divided by d is its own at the origin plus the sum of rest[j] q[j]. */
static bool remainder_rule(struct judging *judging, __int128 v, const __int128 c[AXES], __int128 d,
                           __int128 rest[AXES]) {
    const struct affine_space *space = judging->lockstep->space;
    uint8_t beyond = 0;
    for (uint32_t j = 0; j < AXES; j++) {
        rest[j] = remainder_of(c[j], d);
        if (rest[j] > d / 2) rest[j] -= d;
    }
    if (affine_require(judging->lockstep->space, remainder_of(v, d), rest, 0, d - 1, &beyond)) return true;
    judging->bend.axes |= beyond;
    for (uint32_t j = 0; j < AXES; j++) {
        if ((beyond >> j & 1) == 0) continue;
        const uint32_t period = period_of(c[j], d, PERIOD_MAX / space->step[j]);
        if (period > judging->bend.period[j]) judging->bend.period[j] = period;
    }
    return false;
}

bool rules_quotient(struct judging *judging, __int128 v, const __int128 c[AXES], __int128 d) {
    __int128 rest[AXES];
    return remainder_rule(judging, v, c, d, rest);
}

/* ---- Rules --------------------------------------------------------------------------------------------- */

/* Sums and products modulo a power of two. */
static enum shape rule_add(struct judging *judging, uint32_t lane) {
    const uint32_t bits = rules_bits(judging->op->form->type);
    const bool a = rules_is_word(judging, 0, lane, bits), b = rules_is_word(judging, 1, lane, bits);
    if (a && b) return AFFINE;
    const bool high_a = is_upper(judging, 0, lane), high_b = is_upper(judging, 1, lane);
    const bool numbers = lane_in(judging->lanes[a ? 0 : 1][0]->known, lane);
    return bits == 32 && ((high_a && b) || (a && high_b)) && numbers ? AFFINE : BENT;
}

/* A product of which one factor is flat. */
static bool is_product(const struct judging *judging, uint32_t lane, uint32_t bits) {
    const bool flat = is_flat(judging, 0, lane) || is_flat(judging, 1, lane);
    return flat && rules_is_word(judging, 0, lane, bits) && rules_is_word(judging, 1, lane, bits);
}

/* The factors of a wide product, which must not wrap around. */
static bool is_wide_product(struct judging *judging, uint32_t lane, uint32_t bits, bool with_sign) {
    for (uint32_t i = 0; i < 2; i++) {
        struct form form;
        __int128 v;
        if (!form_of(judging, i, lane, bits, &form) || !integer_of(judging, &form, bits, with_sign, &v))
            return false;
    }
    return is_flat(judging, 0, lane) || is_flat(judging, 1, lane);
}

/* The upper word of a product: a quotient. */
static bool is_upper_product(struct judging *judging, uint32_t lane, uint32_t bits, bool with_sign) {
    const uint32_t flat = is_flat(judging, 0, lane) ? 0 : 1;
    struct form factor, x;
    __int128 v, f, c[AXES], rest[AXES];
    if (bits != 32 || !is_flat(judging, flat, lane) || !form_of(judging, flat, lane, bits, &factor) ||
        !form_of(judging, 1 - flat, lane, bits, &x) || !integer_of(judging, &factor, bits, with_sign, &f) ||
        !integer_of(judging, &x, bits, with_sign, &v))
        return false;
    for (uint32_t j = 0; j < AXES; j++)
        c[j] = x.c[j] * f;
    return remainder_rule(judging, v * f, c, (__int128)1 << bits, rest);
}

static enum shape rule_mul(struct judging *judging, uint32_t lane) {
    const struct ptx_form *form = judging->op->form;
    const uint32_t bits = rules_bits(form->type);
    if (form->half == PTX_HALF_HI)
        return is_upper_product(judging, lane, bits, is_signed(form->type)) ? AFFINE : BENT;
    if (form->half == PTX_HALF_WIDE)
        return is_wide_product(judging, lane, bits, is_signed(form->type)) ? AFFINE : BENT;
    return is_product(judging, lane, bits) ? AFFINE : BENT;
}

static enum shape rule_mad(struct judging *judging, uint32_t lane) {
    const struct ptx_form *form = judging->op->form;
    const uint32_t bits = rules_bits(form->type), sum = form->half == PTX_HALF_WIDE ? 2 * bits : bits;
    const bool high = bits == 32 && form->half == PTX_HALF_LO && is_upper(judging, 2, lane);
    return high || rules_is_word(judging, 2, lane, sum) ? rule_mul(judging, lane) : BENT;
}

static enum shape rule_shl(struct judging *judging, uint32_t lane) {
    const uint32_t bits = rules_bits(judging->op->form->type);
    return is_flat(judging, 1, lane) && rules_is_word(judging, 0, lane, bits) ? AFFINE : BENT;
}

/* -x, ~x = -1 - x, and copies of halves. */
static enum shape rule_one(struct judging *judging, uint32_t lane) {
    const uint32_t bits = rules_bits(judging->op->form->type);
    const bool half = bits == 32 && judging->op->form->op != PTX_OP_NEG && is_upper(judging, 0, lane);
    return half || rules_is_word(judging, 0, lane, bits) ? AFFINE : BENT;
}

static enum shape rule_shr(struct judging *judging, uint32_t lane) {
    const uint8_t type = judging->op->form->type;
    const uint32_t bits = rules_bits(type), most = is_signed(type) ? bits - 1 : bits;
    const uint64_t amount = judging->lanes[1][0]->value[lane] & UINT32_MAX;
    const __int128 d = (__int128)1 << (amount < most ? amount : most);
    struct form x;
    __int128 v, rest[AXES];
    if (!is_flat(judging, 1, lane) || !form_of(judging, 0, lane, bits, &x)) return BENT;
    if (!integer_of(judging, &x, bits, is_signed(type), &v)) return BENT;
    return remainder_rule(judging, v, x.c, d, rest) ? AFFINE : BENT;
}

/* div and rem of numbers that are not negative. */
static enum shape rule_div(struct judging *judging, uint32_t lane) {
    const uint8_t type = judging->op->form->type;
    const uint32_t bits = rules_bits(type);
    struct form x, y;
    __int128 v, rest[AXES];
    if (!is_flat(judging, 1, lane) || !form_of(judging, 0, lane, bits, &x)) return BENT;
    if (!form_of(judging, 1, lane, bits, &y)) return BENT;
    const __int128 d = is_signed(type) ? (__int128)as_signed(y.v, bits) : (__int128)y.v;
    const uint32_t used = is_signed(type) ? bits - 1 : bits;
    if (d <= 0 || x.v > low_bits(used)) return BENT;
    v = x.v;
    if (!require(judging, v, x.c, 0, ((__int128)1 << used) - 1)) return BENT;
    return remainder_rule(judging, v, x.c, d, rest) ? AFFINE : BENT;
}

/* x & mask: what the coefficients reach of the mask is one stretch of ones, of which the remainders at both
 * ends move evenly. Modulo 2^bits nothing needs to be known of the upper end. */
static enum shape and_rule(struct judging *judging, const struct form *x, uint64_t mask, uint32_t bits) {
    uint32_t reach = bits;
    __int128 rest[AXES];
    for (uint32_t j = 0; j < AXES; j++) {
        const uint64_t c = (uint64_t)x->c[j] & low_bits(bits);
        if (c != 0 && (uint32_t)__builtin_ctzll(c) < reach) reach = (uint32_t)__builtin_ctzll(c);
    }
    if (reach >= 64 || mask >> reach == 0) return FLAT;
    const uint32_t first = reach + (uint32_t)__builtin_ctzll(mask >> reach);
    const uint64_t above = ~(mask >> first);
    const uint32_t end = above == 0 ? 64 : first + (uint32_t)__builtin_ctzll(above);
    if (end < bits && mask >> end != 0) return BENT;
    if (end < bits && !remainder_rule(judging, (__int128)x->v, x->c, (__int128)1 << end, rest)) return BENT;
    if (first > reach && !remainder_rule(judging, (__int128)x->v, x->c, (__int128)1 << first, rest))
        return BENT;
    return AFFINE;
}

/* (x & mask) ^ flip, where the bits of flip are beside those of mask, or cover them: a sum or a difference.
 * Bits that do not move may be flipped as they like. */
static enum shape bits_rule(struct judging *judging, const struct form *x, uint64_t mask, uint64_t flip,
                            uint32_t bits) {
    uint64_t moving = 0;
    for (uint32_t j = 0; j < AXES; j++) {
        const uint64_t c = (uint64_t)x->c[j] & low_bits(bits);
        if (c != 0) moving |= low_bits(bits) & ~low_bits((uint32_t)__builtin_ctzll(c));
    }
    const uint64_t of_mask = mask & moving, of_flip = flip & moving;
    const bool apart = (of_mask & of_flip) == 0, covers = (of_mask & ~of_flip) == 0;
    if (apart || covers) {
        const enum shape shape = and_rule(judging, x, mask, bits);
        if (shape != BENT) return shape;
    }
    /* x | flip and x ^ flip above all bits of x are sums, too. */
    const uint32_t low = flip == 0 ? bits : (uint32_t)__builtin_ctzll(flip);
    if (low >= bits || x->v >> low != 0 || (~mask & low_bits(low)) != 0) return BENT;
    return require(judging, (__int128)x->v, x->c, 0, ((__int128)1 << low) - 1) ? AFFINE : BENT;
}

/* Whether a comparison with a value, 0 or -1, asks for nothing but the sign. */
static bool asks_sign(uint64_t value, uint32_t bits, uint8_t compare) {
    const int64_t y = as_signed(value, bits);
    return (y == 0 && (compare == PTX_CMP_LT || compare == PTX_CMP_GE)) ||
           (y == -1 && (compare == PTX_CMP_GT || compare == PTX_CMP_LE));
}

/* Whether the sign of a source is the same in all blocks. */
static bool has_sign(struct judging *judging, uint32_t source, uint32_t lane, uint32_t bits) {
    const struct affine_shadow *shadow = &judging->shadow[source];
    struct form x;
    __int128 v;
    if (lane_in(shadow->signs, lane) && shadow->bits == bits) return true;
    if (!form_of(judging, source, lane, bits, &x) || !integer_of(judging, &x, bits, true, &v)) return false;
    const __int128 half = (__int128)1 << (bits - 1);
    return v < 0 ? require(judging, v, x.c, -half, -1) : require(judging, v, x.c, 0, half - 1);
}

/* |x| is x or -x. */
static enum shape rule_abs(struct judging *judging, uint32_t lane) {
    const uint32_t bits = rules_bits(judging->op->form->type);
    return rules_is_word(judging, 0, lane, bits) && has_sign(judging, 0, lane, bits) ? AFFINE : BENT;
}

/* Instructions behind a bit operation in which the test of its sign is looked for. */
#define SIGN_TEST_WITHIN 12u

/* Whether the first instruction that reads the result asks for nothing but its sign, in straight code: the
 * result need not be affine then. */
static bool is_for_sign(const struct judging *judging) {
    const struct slot result = judging->op->destination;
    const struct micro *next =
        judging->op + 1; /* there is one behind the last, too, which is no arithmetic */
    for (uint32_t k = 0; k < SIGN_TEST_WITHIN; k++, next++) {
        if (next->form->exec != PTX_EXEC_ALU && next->execute != bssy_execute) return false;
        const bool tests = next->execute == setp_execute || next->execute == machine_setp_execute;
        for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
            if (next->source[i].bank != result.bank || next->source[i].index != result.index) continue;
            return tests && i == 0 && is_signed(next->form->type) && next->source[1].bank == BANK_CONSTANT &&
                   asks_sign(warp_slot(judging->origin, next->source[1])->value[0],
                             rules_bits(next->form->type), next->form->compare);
        }
    }
    return false;
}

/* Whether all sources have signs that are the same in all blocks, and so has the result. */
static bool have_signs(struct judging *judging, uint32_t lane, uint32_t sources, uint32_t bits) {
    bool have = true;
    for (uint32_t i = 0; i < sources && have; i++)
        have = has_sign(judging, i, lane, bits);
    return have;
}

/* Bit operations of two sources, one flat; of others the sign: compilers join tests of bounds so. What a
 * number makes of the bits of an address is known only while it is small. */
static enum shape rule_bits(struct judging *judging, uint32_t lane) {
    const uint8_t op = judging->op->form->op;
    const uint32_t bits = rules_bits(judging->op->form->type), flat = is_flat(judging, 0, lane) ? 0 : 1;
    const uint64_t f = judging->lanes[flat][0]->value[lane] & low_bits(bits);
    struct form x;
    if (judging->for_sign && have_signs(judging, lane, 2, bits)) return SIGNED;
    const bool of_number = judging->lanes[flat][0]->base_region == BASE_REGION_NONE;
    if (of_number && is_flat(judging, flat, lane) && form_of(judging, 1 - flat, lane, bits, &x)) {
        const uint64_t mask = op == PTX_OP_AND ? f : op == PTX_OP_OR ? ~f & low_bits(bits) : low_bits(bits);
        const enum shape shape = bits_rule(judging, &x, mask, op == PTX_OP_AND ? 0 : f, bits);
        if (shape != BENT) return shape;
    }
    return have_signs(judging, lane, 2, bits) ? SIGNED : BENT;
}

/* The table's result where all bits of source `moving` are `ones`. */
static uint64_t lop3_with(const struct judging *judging, uint32_t lane, uint32_t moving, uint64_t ones) {
    const uint64_t table = judging->lanes[3][0]->value[0];
    uint64_t s[3], result = 0;
    for (uint32_t i = 0; i < 3; i++)
        s[i] = i == moving ? ones : judging->lanes[i][0]->value[lane];
    for (uint32_t i = 0; i < 8; i++)
        result |=
            (i & 4 ? s[0] : ~s[0]) & (i & 2 ? s[1] : ~s[1]) & (i & 1 ? s[2] : ~s[2]) & (0 - (table >> i & 1));
    return (uint32_t)result;
}

static enum shape rule_lop3(struct judging *judging, uint32_t lane) {
    uint32_t moving = 3, count = 0;
    for (uint32_t i = 0; i < 3; i++)
        if (!is_flat(judging, i, lane)) moving = i, count++;
    struct form x;
    if (judging->for_sign && have_signs(judging, lane, 3, 32)) return SIGNED;
    if (count == 1 && form_of(judging, moving, lane, 32, &x)) {
        const uint64_t zeros = lop3_with(judging, lane, moving, 0);
        const uint64_t ones = lop3_with(judging, lane, moving, UINT64_MAX);
        const enum shape shape = bits_rule(judging, &x, zeros ^ ones, zeros, 32);
        if (shape != BENT) return shape;
    }
    return have_signs(judging, lane, 3, 32) ? SIGNED : BENT;
}

/* (high : low) shifted, by words: the part of the sum of both that is above the bits that are cut off. */
static enum shape rule_shf(struct judging *judging, uint32_t lane) {
    const struct ptx_form *of = judging->op->form;
    const bool left = of->mode == PTX_MODE_LEFT_WRAP || of->mode == PTX_MODE_LEFT_CLAMP;
    const bool wraps = of->mode == PTX_MODE_LEFT_WRAP || of->mode == PTX_MODE_RIGHT_WRAP;
    uint64_t amount = judging->lanes[2][0]->value[lane] & UINT32_MAX;
    struct form low, high;
    __int128 v, c[AXES], rest[AXES];
    if (!is_flat(judging, 2, lane) || !form_of(judging, 0, lane, 32, &low) ||
        !form_of(judging, 1, lane, 32, &high) || !integer_of(judging, &low, 32, false, &v))
        return BENT;
    amount = wraps ? amount & 31 : amount > 32 ? 32 : amount;
    for (uint32_t j = 0; j < AXES; j++)
        c[j] = low.c[j] + high.c[j] * ((__int128)1 << 32);
    v += (__int128)high.v << 32;
    return remainder_rule(judging, v, c, (__int128)1 << (left ? 32 - amount : amount), rest) ? AFFINE : BENT;
}

/* The difference of two integers. */
static bool difference_of(struct judging *judging, uint32_t lane, uint32_t bits, bool with_sign, __int128 *d,
                          __int128 c[AXES]) {
    struct form a, b;
    __int128 x, y;
    if (!form_of(judging, 0, lane, bits, &a) || !form_of(judging, 1, lane, bits, &b)) return false;
    if (!integer_of(judging, &a, bits, with_sign, &x) || !integer_of(judging, &b, bits, with_sign, &y))
        return false;
    *d = x - y;
    for (uint32_t j = 0; j < AXES; j++)
        c[j] = a.c[j] - b.c[j];
    return true;
}

#define ANY ((__int128)1 << 100)

static enum shape rule_choice(struct judging *judging, uint32_t lane, uint32_t chosen, uint32_t bits) {
    if (is_flat(judging, chosen, lane)) return FLAT;
    const bool half = bits == 32 && is_upper(judging, chosen, lane);
    return half || rules_is_word(judging, chosen, lane, bits) ? AFFINE : BENT;
}

static enum shape rule_min_max(struct judging *judging, uint32_t lane) {
    const struct ptx_form *form = judging->op->form;
    const uint32_t bits = rules_bits(form->type);
    __int128 d, c[AXES];
    if (!difference_of(judging, lane, bits, is_signed(form->type), &d, c)) return BENT;
    if (!(d <= 0 ? require(judging, d, c, -ANY, 0) : require(judging, d, c, 0, ANY))) return BENT;
    return rule_choice(judging, lane, (d <= 0) == (form->op == PTX_OP_MIN) ? 0 : 1, bits);
}

static enum shape rule_selp(struct judging *judging, uint32_t lane) {
    const bool first = lane_in(judging->predicate[2], lane);
    if (!is_flat(judging, 2, lane)) return BENT;
    return rule_choice(judging, lane, first ? 0 : 1, rules_bits(judging->op->form->type));
}

/* Between integers: wider ones must not wrap around. */
static enum shape rule_cvt(struct judging *judging, uint32_t lane) {
    const struct ptx_form *form = judging->op->form;
    const uint32_t to = rules_bits(form->type), from = rules_bits(form->type2);
    struct form x;
    __int128 v;
    if (!is_integer(form->type2) || !form_of(judging, 0, lane, from < to ? from : to, &x)) return BENT;
    return to <= from || integer_of(judging, &x, from, is_signed(form->type2), &v) ? AFFINE : BENT;
}

/* ---- Comparisons --------------------------------------------------------------------------------------- */

static bool is_unsigned_order(uint8_t compare) {
    return compare == PTX_CMP_LO || compare == PTX_CMP_LS || compare == PTX_CMP_HI || compare == PTX_CMP_HS;
}

bool rules_equality_is_flat(struct judging *judging, uint32_t lane, uint32_t bits) {
    struct form a, b, d = {0};
    if (!form_of(judging, 0, lane, bits, &a) || !form_of(judging, 1, lane, bits, &b)) return false;
    d.v = (a.v - b.v) & low_bits(bits);
    for (uint32_t j = 0; j < AXES; j++)
        d.c[j] = as_signed((uint64_t)(a.c[j] - b.c[j]), bits);
    const __int128 end = ((__int128)1 << bits) - 1;
    if (d.v == 0) return require(judging, 0, d.c, 0, 0);
    const int64_t v = as_signed(d.v, bits);
    return v > 0 ? require(judging, v, d.c, 1, end) : require(judging, v, d.c, -end, -1);
}

/* Whether x is less than y in all blocks, or in none; the same for at most, greater and at least. */
static bool order_is_flat(struct judging *judging, uint32_t lane, uint32_t bits, bool with_sign,
                          uint8_t compare) {
    const bool strict = compare == PTX_CMP_LT || compare == PTX_CMP_LO || compare == PTX_CMP_GE ||
                        compare == PTX_CMP_HS; /* the line is between -1 and 0, not between 0 and 1 */
    const __int128 line = strict ? 0 : 1;
    __int128 d, c[AXES];
    if (!difference_of(judging, lane, bits, with_sign, &d, c)) return false;
    return d < line ? require(judging, d, c, -ANY, line - 1) : require(judging, d, c, line, ANY);
}

/* Whether the sign of x is all that the comparison asks for, and is known. */
static bool sign_is_asked(struct judging *judging, uint32_t lane, uint32_t bits, uint8_t compare) {
    const struct affine_shadow *shadow = &judging->shadow[0];
    return lane_in(shadow->signs, lane) && shadow->bits == bits && is_flat(judging, 1, lane) &&
           asks_sign(judging->lanes[1][0]->value[lane], bits, compare);
}

bool rules_comparison_is_flat(struct judging *judging, uint32_t lane, uint8_t type) {
    const uint32_t bits = rules_bits(type);
    const uint8_t compare = judging->op->form->compare;
    const bool with_sign = is_signed(type) && !is_unsigned_order(compare);
    if (!is_integer(type)) return false;
    if (with_sign && sign_is_asked(judging, lane, bits, compare)) return true;
    if (compare == PTX_CMP_EQ || compare == PTX_CMP_NE) return rules_equality_is_flat(judging, lane, bits);
    return order_is_flat(judging, lane, bits, with_sign, compare);
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static rule_fn rule_of(const struct ptx_form *form) {
    if (!is_integer(form->type) || form->sat || form->carry_in || form->carry_out || form->relu ||
        form->abs || form->xorsign)
        return NULL;
    switch (form->op) {
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
    case PTX_OP_NOT:
    case PTX_OP_NEG: return rule_one;
    case PTX_OP_ABS: return rule_abs;
    case PTX_OP_ADD:
    case PTX_OP_SUB: return rule_add;
    case PTX_OP_MUL: return rule_mul;
    case PTX_OP_MAD: return rule_mad;
    case PTX_OP_SHL: return rule_shl;
    case PTX_OP_SHR: return rule_shr;
    case PTX_OP_DIV:
    case PTX_OP_REM: return rule_div;
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR: return rule_bits;
    case PTX_OP_LOP3: return form->mode == PTX_MODE_NONE ? rule_lop3 : NULL;
    case PTX_OP_SHF: return rule_shf;
    case PTX_OP_MIN:
    case PTX_OP_MAX: return rule_min_max;
    case PTX_OP_SELP: return rule_selp;
    case PTX_OP_CVT: return rule_cvt;
    default: return NULL;
    }
}

/* Bits of a result, of which its form holds. */
static uint32_t result_bits(const struct ptx_form *form) {
    const uint32_t bits = rules_bits(form->type);
    return (form->op == PTX_OP_MUL || form->op == PTX_OP_MAD) && form->half == PTX_HALF_WIDE ? 2 * bits
                                                                                             : bits;
}

void rules_of_value(struct judging *judging, struct affine_shadow *result) {
    const rule_fn rule = rule_of(judging->op->form);
    if (rule == NULL) return;
    result->bits = (uint8_t)result_bits(judging->op->form);
    judging->for_sign = (rule == rule_bits || rule == rule_lop3) && is_for_sign(judging);
    FOR_LANES_OF(l, judging->mask & ~result->flat) {
        const enum shape shape = rule(judging, l);
        result->flat |= (uint32_t)(shape == FLAT) << l;
        result->affine |= (uint32_t)(shape == AFFINE) << l;
        result->signs |= (uint32_t)(shape == SIGNED) << l;
    }
}
