/* Sums with carries: add, sub and mad with the carry flag, and machine.add3, of numbers and of halves of
 * addresses. */
#include "warp/alu/alu.h"
#include "warp/interpret/base_region.h"
#include "warp/interpret/execute.h"

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

/* The result of a sum by halves in some lanes: a word, and two carries. */
struct half_sums {
    struct half_lanes word, carry[2];
    uint32_t values[WARP_LANES], carries[2];
};

static void add_result(struct half_lanes *to, uint32_t lane, bool known, const struct half *half) {
    to->known |= (uint32_t)known << lane;
    if (known || half_kind(half) == HALF_NONE) return;
    to->halved |= 1u << lane;
    half_put(&to->half, lane, half);
}

static void sums_begin(struct half_sums *sums) {
    struct half_lanes *all[] = {&sums->word, &sums->carry[0], &sums->carry[1]};
    for (uint32_t i = 0; i < 3; i++)
        all[i]->known = all[i]->halved = 0;
    sums->carries[0] = sums->carries[1] = 0;
}

static void sum_lane(struct half_sums *sums, uint32_t lane, const struct half_term *terms, uint32_t count) {
    struct half_sum sum;
    half_add(terms, count, &sum);
    sums->values[lane] = sum.value;
    add_result(&sums->word, lane, sum.known, &sum.half);
    for (uint32_t i = 0; i < 2; i++) {
        sums->carries[i] |= (uint32_t)(sum.carries > i) << lane;
        add_result(&sums->carry[i], lane, sum.carry[i].known, &sum.carry[i].half);
    }
}

static void write_word(struct lanes *out, uint32_t mask, const struct half_sums *sums, uint32_t origin) {
    FOR_LANES_OF(l, mask) out->value[l] = sums->values[l];
    mark_known(out, mask, sums->word.known, origin);
    half_write(out, &sums->word);
}

static void write_carry(struct lanes *out, uint32_t mask, const struct half_sums *sums, uint32_t which,
                        uint32_t origin) {
    write_predicate(out, mask, sums->carries[which], sums->carry[which].known, origin);
    half_write(out, &sums->carry[which]);
}

/* A difference is the sum with the complement; borrows are carries that are not there. */
static void subtract(struct half_sums *sums, uint32_t lane, struct half_term *terms) {
    terms[1] = half_inverted(terms[1]);
    sum_lane(sums, lane, terms, 3);
    const uint32_t bit = 1u << lane;
    struct half_lanes *carry = &sums->carry[0];
    sums->carries[0] ^= bit;
    if ((carry->halved & bit) == 0) return;
    struct half half = half_get(&carry->half, lane);
    half_opposite(&half);
    half_put(&carry->half, lane, &half);
}

/* Add, sub and mad with carry of 32 bits, where some sources are halves of addresses. */
static wb_status carry_halves(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t origin) {
    const struct ptx_form *form = op->form;
    const bool subtracts = form->op == PTX_OP_SUB || form->op == PTX_OP_SUBC;
    const bool multiplies = form->op == PTX_OP_MAD || form->op == PTX_OP_MADC;
    struct lanes *flag = warp_slot(warp, op->destination2);
    struct half_sums sums;
    sums_begin(&sums);
    FOR_LANES_OF(l, mask) {
        struct half_term terms[3] = {{.known = true}, {.known = true}, {.known = true}};
        const struct half_term a = half_term_of(warp_slot(warp, op->source[0]), l);
        const struct half_term b = half_term_of(warp_slot(warp, op->source[1]), l);
        terms[0] = a, terms[1] = b;
        if (multiplies) {
            const uint64_t v[3] = {a.value, b.value, 0};
            uint32_t no_carry = 0;
            const struct ptx_form product = {.type = form->type, .op = form->op, .half = form->half};
            terms[0] = (struct half_term){.value = (uint32_t)carry_lane(&product, v, &no_carry),
                                          .known = a.known && b.known};
            terms[1] = half_term_of(warp_slot(warp, op->source[2]), l);
        }
        if (form->carry_in)
            terms[2] = half_carry_of(flag, l, subtracts);
        else
            terms[2].value = subtracts;
        if (subtracts)
            subtract(&sums, l, terms);
        else
            sum_lane(&sums, l, terms, 3);
    }
    write_word(warp_slot(warp, op->destination), mask, &sums, origin);
    if (form->carry_out) write_carry(flag, mask, &sums, 0, origin);
    return WB_OK;
}

static void add3_halves(struct warp *warp, const struct micro *op, uint32_t mask, struct half_sums *sums) {
    const struct slot carries[2] = {op->source[3], op->sum.carry};
    sums_begin(sums);
    FOR_LANES_OF(l, mask) {
        struct half_term terms[5];
        for (uint32_t i = 0; i < 3; i++)
            terms[i] = half_term_of(warp_slot(warp, op->source[i]), l);
        for (uint32_t i = 0; i < 2; i++)
            terms[3 + i] = half_carry_of(warp_slot(warp, carries[i]), l, carries[i].negated);
        sum_lane(sums, l, terms, 5);
    }
}

/* Writes a carry that somebody may read. */
static void write_read_carry(const struct warp *warp, struct slot to, uint32_t mask, uint32_t bits,
                             uint32_t known, uint32_t origin) {
    if (!slot_is_sink(warp, to)) write_predicate(warp_slot(warp, to), mask, bits, known, origin);
}

/* All sources are known, or none is half of an address. */
static void add3_numbers(struct warp *warp, const struct micro *op, uint32_t mask, const struct inputs *in,
                         uint32_t known, uint32_t origin) {
    struct lanes *out = warp_slot(warp, op->destination);
    const uint32_t x = warp_predicate(warp, op->source[3]), y = warp_predicate(warp, op->sum.carry);
    uint64_t sums[WARP_LANES];
    uint8_t over[WARP_LANES];
    struct partial_lanes partial;
    partial.known = partial.partial = 0;
    if ((mask & ~known) != 0) partial_of_add3(warp, op, mask & ~known, &partial);
    FOR_LANES(l) {
        sums[l] =
            (uint64_t)(uint32_t)in->values[0][l] + (uint32_t)in->values[1][l] + (uint32_t)in->values[2][l];
    }
    if ((x | y) != 0)
        for (uint32_t l = 0; l < WARP_LANES; l++)
            sums[l] += (x >> l & 1) + (y >> l & 1);
    FOR_LANES(l) {
        over[l] = (uint8_t)(sums[l] >> 32);
        sums[l] &= UINT32_MAX;
    }
    lanes_blend(out->value, sums, mask);
    mark_known(out, mask, known | partial.known, origin);
    partial_write(out, &partial);
    const uint32_t twice = lanes_bits(over, 1);
    write_read_carry(warp, op->destination2, mask, lanes_bits(over, 0) | twice, known, origin);
    write_read_carry(warp, op->sum.over, mask, twice, known, origin);
}

/* A sum in lanes that are all halves of one thing: what is read before anything is written. */
struct common_sum {
    uint64_t base_region;         /* of the half among the sources, with its kind */
    uint64_t numbers[WARP_LANES]; /* the sum of the others */
    uint32_t half[WARP_LANES],
        lower[WARP_LANES]; /* its value; of an upper one: the lower half of the result */
};

/* The half and the numbers among the three words; false: it is something else. */
static bool read_common_sum(const struct inputs *in, uint32_t mask, uint32_t x, uint32_t y,
                            struct common_sum *sum) {
    const struct lanes *half = NULL;
    FOR_LANES(l) sum->numbers[l] = (x >> l & 1) + (y >> l & 1);
    for (uint32_t i = 0; i < 3; i++) {
        if ((mask & ~in->lanes[i]->known) == 0) {
            FOR_LANES(l) sum->numbers[l] += (uint32_t)in->values[i][l];
            continue;
        }
        if (half != NULL) return false;
        half = in->lanes[i];
    }
    sum->base_region = half == NULL ? 0 : half_common(half, mask);
    if (sum->base_region == 0) return false;
    FOR_LANES(l) sum->half[l] = (uint32_t)half->value[l];
    FOR_LANES(h) sum->lower[h] = half->half.a[h];
    return true;
}

static void write_common(struct lanes *out, uint32_t mask, const struct common_sum *sum, uint32_t origin) {
    struct half_lanes_of halves;
    uint64_t values[WARP_LANES];
    FOR_LANES(l) {
        values[l] = (uint32_t)(sum->half[l] + sum->numbers[l]);
        halves.base_region[l] = sum->base_region;
        halves.other[l] = 0;
        halves.a[l] = sum->lower[l];
        halves.b[l] = 0;
    }
    lanes_blend(out->value, values, mask);
    halves_blend(&out->half, &halves, mask);
    mark_known(out, mask, 0, origin);
    out->halved |= mask;
}

/* Whether the sum is `most` times 2^32 or more: known where the numbers say it by themselves. */
static void write_common_carry(struct lanes *out, uint32_t mask, const struct common_sum *sum, uint32_t most,
                               uint32_t origin) {
    const uint64_t base_region =
        half_make(HALF_CARRY, half_base_region(&(struct half){.base_region = sum->base_region}), 0, 0)
            .base_region;
    struct half_lanes_of halves;
    uint8_t carried[WARP_LANES], open[WARP_LANES];
    FOR_LANES(l) {
        const uint64_t total = sum->half[l] + sum->numbers[l];
        carried[l] = (uint32_t)(total >> 32) >= most;
        open[l] = (uint32_t)(sum->numbers[l] >> 32) == most - 1;
        halves.base_region[l] = base_region;
        halves.other[l] = 0;
        halves.a[l] = sum->half[l];
        halves.b[l] = (uint32_t)total;
    }
    const uint32_t by_half = mask & lanes_bits(open, 0);
    halves_blend(&out->half, &halves, by_half);
    write_predicate(out, mask, lanes_bits(carried, 0), ~by_half, origin);
    out->halved |= by_half;
}

/* Upper halves with the carry that belongs to them: the lower halves of the result; false: it does not. */
static bool carry_common(const struct lanes *carry, uint32_t mask, struct common_sum *sum) {
    const uint64_t base_region = half_common(carry, mask);
    const struct half of_carry = {.base_region = base_region}, of_sum = {.base_region = sum->base_region};
    if (base_region == 0 || half_kind(&of_carry) != HALF_CARRY ||
        half_base_region(&of_carry) != half_base_region(&of_sum))
        return false;
    FOR_LANES_OF(l, mask) {
        if (!half_same_low(carry->half.a[l], sum->lower[l])) return false;
        sum->lower[l] = carry->half.b[l];
        sum->numbers[l] += carry->value[0] >> l & 1;
    }
    return true;
}

/* machine.add3 where all lanes add numbers to halves of one region's addresses: as half_add does it, lane by
 * lane, in one go. False: it is another sum, and nothing was done. */
static bool add3_common(struct warp *warp, const struct micro *op, uint32_t mask, const struct inputs *in,
                        uint32_t origin) {
    const struct lanes *carry = in->lanes[3], *second = warp_slot(warp, op->sum.carry);
    const bool carry_known = (mask & ~carry->known) == 0, second_known = (mask & ~second->known) == 0;
    const uint32_t x = carry_known ? warp_predicate(warp, op->source[3]) : 0;
    const uint32_t y = second_known ? warp_predicate(warp, op->sum.carry) : 0;
    struct common_sum sum;
    if ((!carry_known && op->source[3].negated) || !second_known) return false;
    if (!read_common_sum(in, mask, x, y, &sum)) return false;
    const enum half_kind kind = half_kind(&(struct half){.base_region = sum.base_region});
    if (kind == HALF_LOW ? !carry_known : kind != HALF_HIGH) return false;
    if (!carry_known && !carry_common(carry, mask, &sum)) return false;
    write_common(warp_slot(warp, op->destination), mask, &sum, origin);
    const struct slot carries[] = {op->destination2, op->sum.over};
    for (uint32_t i = 0; i < 2; i++) {
        if (slot_is_sink(warp, carries[i])) continue;
        if (kind == HALF_LOW)
            write_common_carry(warp_slot(warp, carries[i]), mask, &sum, i + 1, origin);
        else
            write_predicate(warp_slot(warp, carries[i]), mask, 0, 0, origin);
    }
    return true;
}

wb_status machine_add3_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in;
    read_inputs(warp, op, &in);
    const struct lanes *second = warp_slot(warp, op->sum.carry);
    struct lanes *out = warp_slot(warp, op->destination);
    const uint32_t known = in.known & second->known, halved = (in.halved | lanes_halves(second)) & ~known;
    uint32_t origin = op->index;
    uint64_t unknown_base_region = BASE_REGION_NONE;
    if ((mask & ~known) != 0) (void)settle_known(op, &in, mask, &origin);
    if (warp->run->cover != NULL && (mask & ~known) != 0)
        unknown_base_region = settle_unknown_base_region(warp, op, out, mask, mask & ~known);
    if ((mask & halved) == 0) {
        add3_numbers(warp, op, mask, &in, known, origin);
    } else if (!add3_common(warp, op, mask, &in, origin)) {
        struct half_sums sums;
        add3_halves(warp, op, mask, &sums);
        write_word(out, mask, &sums, origin);
        write_carry(warp_slot(warp, op->destination2), mask, &sums, 0, origin);
        write_carry(warp_slot(warp, op->sum.over), mask, &sums, 1, origin);
    }
    if (unknown_base_region != BASE_REGION_NONE) out->unknown_base_region = unknown_base_region;
    return WB_OK;
}

wb_status carry_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct inputs in;
    read_inputs(warp, op, &in);
    struct lanes *out = warp_slot(warp, op->destination), *flag = warp_slot(warp, op->destination2);
    if (!op->form->carry_in) {
        in.known = in.lanes[0]->known & in.lanes[1]->known & in.lanes[2]->known;
        in.lanes[3] = in.lanes[0];
    }
    uint32_t origin = op->index, carries = 0;
    if (in.base_regions != 0) in.known = settle_open(warp, in.known, mask & in.known);
    base_region_write(warp, out, mask, BASE_REGION_NONE);
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    if ((mask & in.halved & ~in.known) != 0 && int_kind_of(op->form->type) <= INT_S32)
        return carry_halves(warp, op, mask, origin);
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
