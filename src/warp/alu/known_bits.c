#include "warp/alu/alu.h"

static bool is_known(const struct bit_source *source, uint64_t bits) {
    return (~source->known & bits) == 0;
}

/* A shift's amount, a position, a selector. */
static bool is_known_word(const struct bit_source *source) {
    return is_known(source, UINT32_MAX);
}

static uint32_t width_of(uint8_t type) {
    return 8 * ptx_type_bytes((enum ptx_type)type);
}

static bool is_signed(uint8_t type) {
    return ptx_type_kind((enum ptx_type)type) == PTX_KIND_SIGNED;
}

/* The low bits of a value, with those above them: zeros, or copies of the highest. */
static uint64_t extended(uint64_t known, uint32_t count, bool by_sign) {
    const bool above = !by_sign || count == 0 || (known >> (count - 1) & 1) != 0;
    return (known & low_bits(count)) | (above ? ~low_bits(count) : 0);
}

/* ---- Moves and logic ----------------------------------------------------------------------------------- */

static uint64_t of_copy(const struct micro *op, const struct bit_source *s) {
    (void)op;
    return s[0].known;
}

static uint64_t of_and(const struct micro *op, const struct bit_source *s) {
    (void)op;
    return (s[0].known & s[1].known) | (s[0].known & ~s[0].value) | (s[1].known & ~s[1].value);
}

static uint64_t of_or(const struct micro *op, const struct bit_source *s) {
    (void)op;
    return (s[0].known & s[1].known) | (s[0].known & s[0].value) | (s[1].known & s[1].value);
}

static uint64_t of_xor(const struct micro *op, const struct bit_source *s) {
    (void)op;
    return s[0].known & s[1].known;
}

/* A bit is known if the rows of the table that its sources allow agree. */
static uint64_t of_lop3(const struct micro *op, const struct bit_source *s) {
    uint64_t can[2] = {0, 0};
    (void)op;
    if (!is_known_word(&s[3])) return 0;
    for (uint32_t row = 0; row < 8; row++) {
        uint64_t possible = UINT64_MAX;
        for (uint32_t i = 0; i < 3; i++)
            possible &= ~s[i].known | ((row >> (2 - i) & 1) != 0 ? s[i].value : ~s[i].value);
        can[s[3].value >> row & 1] |= possible;
    }
    return ~(can[0] & can[1]);
}

static uint64_t of_selp(const struct micro *op, const struct bit_source *s) {
    (void)op;
    if (!is_known(&s[2], 1)) return s[0].known & s[1].known & ~(s[0].value ^ s[1].value);
    return (s[2].value & 1) != 0 ? s[0].known : s[1].known;
}

/* ---- Shifts, fields, bytes ----------------------------------------------------------------------------- */

static uint64_t of_shl(const struct micro *op, const struct bit_source *s) {
    const uint32_t amount = (uint32_t)s[1].value;
    (void)op;
    if (!is_known_word(&s[1])) return 0;
    return amount > 63 ? UINT64_MAX : s[0].known << amount | low_bits(amount);
}

static uint64_t of_shr(const struct micro *op, const struct bit_source *s) {
    const uint32_t width = width_of(op->form->type);
    const uint32_t amount = (uint32_t)s[1].value < width ? (uint32_t)s[1].value : width;
    if (!is_known_word(&s[1])) return 0;
    const uint64_t known = extended(s[0].known, width, is_signed(op->form->type));
    if (amount > 63) return is_signed(op->form->type) && (known >> 63) == 0 ? 0 : UINT64_MAX;
    const uint64_t above = ~(UINT64_MAX >> amount);
    return known >> amount | (!is_signed(op->form->type) || known >> 63 != 0 ? above : 0);
}

static uint64_t of_shf(const struct micro *op, const struct bit_source *s) {
    const uint8_t mode = op->form->mode;
    const bool left = mode == PTX_MODE_LEFT_CLAMP || mode == PTX_MODE_LEFT_WRAP;
    const bool wraps = mode == PTX_MODE_LEFT_WRAP || mode == PTX_MODE_RIGHT_WRAP;
    const uint64_t known = s[1].known << 32 | (s[0].known & UINT32_MAX);
    uint32_t amount = (uint32_t)s[2].value;
    if (!is_known_word(&s[2])) return 0;
    amount = wraps ? amount & 31 : amount < 32 ? amount : 32;
    return left ? known << amount >> 32 : known >> amount;
}

static uint64_t of_prmt(const struct micro *op, const struct bit_source *s) {
    const uint64_t bytes = s[1].known << 32 | (s[0].known & UINT32_MAX);
    uint64_t known = 0;
    if (!is_known_word(&s[2])) return 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t selector = alu_permute_selector(op->form->mode, i, (uint32_t)s[2].value);
        uint64_t byte = bytes >> (8 * (selector & 7)) & 0xff;
        if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
        known |= byte << (8 * i);
    }
    return known;
}

static uint64_t of_bfe(const struct micro *op, const struct bit_source *s) {
    const uint32_t width = width_of(op->form->type);
    const uint32_t position = s[1].value & 0xff, length = s[2].value & 0xff;
    const uint32_t end = position + length > width ? width : position + length;
    const uint32_t count = position < end ? end - position : 0;
    if (!is_known(&s[1], 0xff) || !is_known(&s[2], 0xff)) return 0;
    const bool sign_known =
        !is_signed(op->form->type) || length == 0 || (s[0].known >> (end == 0 ? 0 : end - 1) & 1) != 0;
    const uint64_t field = count == 0 ? 0 : s[0].known >> position & low_bits(count);
    return field | (sign_known ? ~low_bits(count) : 0);
}

static uint64_t of_bfi(const struct micro *op, const struct bit_source *s) {
    const uint32_t width = width_of(op->form->type);
    const uint32_t position = s[2].value & 0xff, length = s[3].value & 0xff;
    if (!is_known(&s[2], 0xff) || !is_known(&s[3], 0xff)) return 0;
    const uint64_t field = position >= width ? 0 : low_bits(length) << position;
    return (s[1].known & ~field) | (position >= width ? 0 : s[0].known << position & field);
}

static uint64_t of_szext(const struct micro *op, const struct bit_source *s) {
    const uint32_t b = (uint32_t)s[1].value;
    const uint32_t count = op->form->mode == PTX_MODE_WRAP ? b & 31 : b < 32 ? b : 32;
    return is_known_word(&s[1]) ? extended(s[0].known, count, is_signed(op->form->type)) : 0;
}

/* ---- Arithmetic ---------------------------------------------------------------------------------------- */

/* A sum with a carry: a bit is known where both terms' are, and what is carried to it is the same for the
 * least and the largest values that the terms can have. Of more than one carry that would not be so. */
static struct bit_source sum_of(struct bit_source a, struct bit_source b, bool carry) {
    const uint64_t least = (a.value & a.known) + (b.value & b.known) + carry;
    const uint64_t most = (a.value | ~a.known) + (b.value | ~b.known) + carry;
    const uint64_t carried = least ^ (a.value & a.known) ^ (b.value & b.known);
    const uint64_t not_carried = ~(most ^ (a.value | ~a.known) ^ (b.value | ~b.known));
    return (struct bit_source){a.value + b.value + carry, a.known & b.known & (carried | not_carried)};
}

static struct bit_source complement(struct bit_source source) {
    return (struct bit_source){~source.value, source.known};
}

/* Bits from the lowest on that are known, and that are known to be 0. */
static uint32_t lowest_known(const struct bit_source *source) {
    return ~source->known == 0 ? 64 : (uint32_t)__builtin_ctzll(~source->known);
}

static uint32_t lowest_zeros(const struct bit_source *source) {
    const uint64_t maybe_executed = source->value | ~source->known;
    return maybe_executed == 0 ? 64 : (uint32_t)__builtin_ctzll(maybe_executed);
}

/* A product's lowest bits: what is unknown of a factor is multiplied by the other, zeros included. */
static struct bit_source product_of(struct bit_source a, struct bit_source b) {
    const uint32_t by_a = lowest_known(&a) + lowest_zeros(&b), by_b = lowest_known(&b) + lowest_zeros(&a);
    return (struct bit_source){a.value * b.value, low_bits(by_a < by_b ? by_a : by_b)};
}

static uint64_t of_add(const struct micro *op, const struct bit_source *s) {
    (void)op;
    return sum_of(s[0], s[1], false).known;
}

static uint64_t of_sub(const struct micro *op, const struct bit_source *s) {
    (void)op;
    return sum_of(s[0], complement(s[1]), true).known;
}

static uint64_t of_neg(const struct micro *op, const struct bit_source *s) {
    (void)op;
    return sum_of((struct bit_source){0, UINT64_MAX}, complement(s[0]), true).known;
}

static uint64_t of_product(const struct micro *op, const struct bit_source *s) {
    struct bit_source product = product_of(s[0], s[1]);
    /* Above the factors it depends on their signs. */
    if (op->form->half == PTX_HALF_WIDE) product.known &= low_bits(width_of(op->form->type));
    return op->form->op == PTX_OP_MAD ? sum_of(product, s[2], false).known : product.known;
}

uint64_t known_bits_of_add3(const struct bit_source *s, bool first, bool second) {
    return sum_of(sum_of(s[0], s[1], first), s[2], second).known;
}

/* Pairs of 16-bit numbers: each half of the result is that of the sources. */
static uint64_t of_pair(const struct micro *op, const struct bit_source *s) {
    const uint64_t all = s[0].known & s[1].known & s[2].known;
    (void)op;
    return ((all & 0xffff) == 0xffff ? UINT64_C(0xffff) : 0) |
           ((all >> 16 & 0xffff) == 0xffff ? UINT64_C(0xffff0000) : 0);
}

/* ---- Conversions --------------------------------------------------------------------------------------- */

static uint64_t of_convert(const struct micro *op, const struct bit_source *s) {
    const uint8_t from = op->form->type2, to = op->form->type;
    const uint64_t known = extended(s[0].known, width_of(from), is_signed(from));
    return extended(known, width_of(to), is_signed(to));
}

static uint64_t of_convert_pair(const struct micro *op, const struct bit_source *s) {
    (void)op;
    return (is_known_word(&s[0]) ? UINT64_C(0xffff0000) : 0) | (is_known_word(&s[1]) ? UINT64_C(0xffff) : 0);
}

/* ---- By form ------------------------------------------------------------------------------------------- */

static bool is_pair(uint8_t type) {
    return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_U16X2 || type == PTX_S16X2;
}

static bool is_integer(uint8_t type) {
    return int_kind_of(type) != INT_KINDS || type == PTX_U8 || type == PTX_S8 || type == PTX_B8;
}

static known_bits_fn find_convert(const struct ptx_form *form) {
    if (form->sat || form->relu) return NULL;
    if (is_integer(form->type) && is_integer(form->type2)) return of_convert;
    const bool pair = form->type == PTX_F16X2 || form->type == PTX_BF16X2;
    return pair && form->type2 == PTX_F32 ? of_convert_pair : NULL;
}

static known_bits_fn find_arithmetic(const struct ptx_form *form) {
    const bool lowest_count = form->half == PTX_HALF_LO || form->half == PTX_HALF_WIDE;
    if (is_pair(form->type)) return of_pair;
    if (form->sat || !is_integer(form->type)) return NULL;
    switch (form->op) {
    case PTX_OP_ADD: return of_add;
    case PTX_OP_SUB: return of_sub;
    case PTX_OP_NEG: return of_neg;
    case PTX_OP_MUL:
    case PTX_OP_MAD: return lowest_count ? of_product : NULL;
    default: return NULL;
    }
}

known_bits_fn known_bits_find(const struct ptx_form *form) {
    if (form->type == PTX_PRED) return NULL;
    switch (form->op) {
    case PTX_OP_MOV:
    case PTX_OP_NOT: return of_copy;
    case PTX_OP_AND: return of_and;
    case PTX_OP_OR: return of_or;
    case PTX_OP_XOR: return of_xor;
    case PTX_OP_LOP3: return form->mode == PTX_MODE_NONE ? of_lop3 : NULL;
    case PTX_OP_SELP: return of_selp;
    case PTX_OP_SHL: return of_shl;
    case PTX_OP_SHR: return of_shr;
    case PTX_OP_SHF: return of_shf;
    case PTX_OP_PRMT: return of_prmt;
    case PTX_OP_BFE: return of_bfe;
    case PTX_OP_BFI: return of_bfi;
    case PTX_OP_SZEXT: return of_szext;
    case PTX_OP_CVT: return find_convert(form);
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_FMA:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_NEG:
    case PTX_OP_ABS: return find_arithmetic(form);
    default: return NULL;
    }
}
