/* Executing what each lane computes by itself: which lanes are computed, and which results are known. */
#include "warp/alu/alu.h"

#include "warp/interpret/execute.h"
#include "warp/interpret/half.h"
#include "warp/interpret/home.h"
#include "warp/interpret/open_result.h"
#include "warp/interpret/partial.h"

struct inputs {
    const struct lanes *lanes[MICRO_SOURCES];
    const uint64_t *values[MICRO_SOURCES];
    uint32_t known;  /* lanes in which all are known */
    uint64_t homes;  /* not 0: some source has a home */
    uint32_t halved; /* lanes in which some source is half of an address */
};

static inline struct inputs read_inputs(const struct warp *warp, const struct micro *op) {
    struct inputs in = {.known = LANES_ALL};
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        in.lanes[i] = warp_slot(warp, op->source[i]);
        in.values[i] = in.lanes[i]->value;
        in.known &= in.lanes[i]->known;
        in.homes |= in.lanes[i]->home;
        in.halved |= lanes_halves(in.lanes[i]);
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

/* The lanes in which all sources are numbers, though some have homes, and in *mixed those in which some that
 * have homes are numbers and others are not. */
static uint32_t number_lanes(const struct inputs *in, uint32_t *mixed) {
    uint32_t all = LANES_ALL, some = 0;
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        if (in->lanes[i]->home == HOME_NONE) continue;
        all &= in->lanes[i]->numbers;
        some |= in->lanes[i]->numbers;
    }
    *mixed = some & ~all;
    return all;
}

/* Of a result some of whose sources have homes: writes its home; returns which of the `known` lanes stay so.
 */
static uint32_t settle_home(struct warp *warp, const struct micro *op, const struct inputs *in,
                            struct lanes *out, uint32_t mask, uint32_t known) {
    uint64_t homes[MICRO_SOURCES], home = HOME_NONE;
    uint32_t mixed;
    const uint32_t numbers = number_lanes(in, &mixed);
    read_homes(in, homes);
    if (in->homes != 0 &&
        !home_of_result(warp->run, op, in->values, homes, mask & in->known & ~numbers, &home)) {
        known = without_open(warp, known, mask & known & ~numbers);
        home = HOME_NONE;
    }
    known = without_open(warp, known, mask & known & mixed);
    home_write(warp, out, mask, home);
    if (home != HOME_NONE) out->numbers = numbers & mask;
    return known;
}

/* Of a comparison. */
static uint32_t settle_comparison(struct warp *warp, const struct micro *op, const struct inputs *in,
                                  uint32_t mask, uint32_t known) {
    uint64_t homes[MICRO_SOURCES];
    read_homes(in, homes);
    uint32_t lanes = mask & known, mixed;
    const uint32_t numbers = number_lanes(in, &mixed);
    const uint32_t comparable = home_comparable(warp->run, op, in->values, homes, lanes) & ~mixed;
    return without_open(warp, known, lanes & ~comparable & ~numbers);
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
    if ((mask & ~known) != 0) lanes_unknown_by(out, mask & ~known, origin);
}

/* The region that all unknown lanes of a register are made from once some of `mask` are made from `home`. */
static uint64_t joined_unknown_home(const struct warp *warp, const struct lanes *out, uint32_t mask,
                                    uint64_t home) {
    const bool others =
        (warp->live & ~mask & ~out->known & ~out->halved) != 0 && out->unknown_home != HOME_NO_LANES;
    return others && out->unknown_home != home ? HOME_NONE : home;
}

/* The same once `lanes` of `mask` have become what an instruction makes of them. */
static uint64_t unknown_home_of(const struct warp *warp, const struct micro *op, const struct lanes *out,
                                uint32_t mask, uint32_t lanes) {
    return joined_unknown_home(warp, out, mask, home_of_unknown(warp, op, lanes));
}

static void alu_lanes(struct warp *warp, const struct micro *op, const struct inputs *in, uint32_t mask) {
    struct lanes *out = warp_slot(warp, op->destination);
    if (mask == warp->live) {
        op->compute.lanes(op, out->value, in->values);
    } else {
        uint64_t result[WARP_LANES];
        op->compute.lanes(op, result, in->values);
        lanes_blend(out->value, result, mask);
    }
}

/* A move of a word of which all lanes are halves of addresses; false: it is something else. */
static bool move_halves(struct warp *warp, const struct micro *op, const struct inputs *in, uint32_t mask,
                        uint32_t origin) {
    const struct lanes *from = in->lanes[0];
    struct lanes *out = warp_slot(warp, op->destination);
    const bool moves = op->form->op == PTX_OP_MOV && int_kind_of(op->form->type) == INT_U32 && from != out;
    if (!moves || (mask & ~lanes_halves(from)) != 0) return false;
    alu_lanes(warp, op, in, mask);
    mark_known(out, mask, 0, origin);
    out->halved |= mask;
    if (mask == LANES_ALL)
        memcpy(out->half, from->half, sizeof out->half);
    else
        FOR_LANES_OF(l, mask) out->half[l] = from->half[l];
    return true;
}

/* The same where some sources are halves of addresses: those of the lanes of `halved`, none of which is known
 * without. */
static void execute_halved(struct warp *warp, const struct micro *op, const struct inputs *in, uint32_t mask,
                           uint32_t known, uint32_t origin) {
    struct lanes *out = warp_slot(warp, op->destination);
    struct half_lanes halves;
    if (move_halves(warp, op, in, mask, origin)) return;
    half_of_result(warp, op, mask & in->halved & ~known, &halves);
    alu_lanes(warp, op, in, mask);
    mark_known(out, mask, known | halves.known, origin);
    half_write(out, &halves);
}

/* The same where single bits of the result may be known. */
static void execute_partial(struct warp *warp, const struct micro *op, const struct inputs *in, uint32_t mask,
                            uint32_t known, uint32_t origin) {
    struct lanes *out = warp_slot(warp, op->destination);
    struct partial_lanes partial;
    partial_of_result(warp, op, mask & ~known, &partial);
    alu_lanes(warp, op, in, mask);
    mark_known(out, mask, known | partial.known, origin);
    partial_write(out, &partial);
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
    if (in.homes != 0)
        known = settle_home(warp, op, &in, out, mask, known);
    else if (out->home != HOME_NONE)
        home_write(warp, out, mask, HOME_NONE);
    if ((mask & in.halved & ~known) != 0) {
        execute_halved(warp, op, &in, mask, known, origin);
    } else if ((mask & ~known) != 0 && op->known_bits != NULL && in.homes == 0) {
        execute_partial(warp, op, &in, mask, known, origin);
    } else {
        alu_lanes(warp, op, &in, mask);
        mark_known(out, mask, known, origin);
    }
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
    const uint32_t halved = mask & in.halved & ~holds.known;
    struct half_lanes halves, opposite;
    if (halved != 0) half_of_comparison(warp, op, halved, &halves, &opposite);
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    holds = join(op->form->mode, holds, other);
    write_predicate(warp_slot(warp, op->destination), mask, holds.bits, holds.known, origin);
    fails = join(op->form->mode, fails, other);
    write_predicate(warp_slot(warp, op->destination2), mask, fails.bits, fails.known, origin);
    if (halved == 0) return WB_OK;
    half_write(warp_slot(warp, op->destination), &halves);
    half_write(warp_slot(warp, op->destination2), &opposite);
    return WB_OK;
}

/* The comparison of upper halves: decided by them, or, where they are equal, by that of the lower ones. */
static struct condition compare_upper(const struct warp *warp, const struct micro *op,
                                      const struct inputs *in, uint32_t mask) {
    const struct condition lower = {warp_predicate(warp, op->source[2]), in->lanes[2]->known};
    const uint32_t uppers = in->lanes[0]->known & in->lanes[1]->known;
    struct condition result = {op->compute.test(op, in->values), 0};
    uint32_t equal = 0;
    FOR_LANES(l) equal |= (uint32_t)((uint32_t)in->values[0][l] == (uint32_t)in->values[1][l]) << l;
    result.bits = (result.bits & ~equal) | (lower.bits & equal);
    result.known = uppers & (~equal | lower.known);
    if ((mask & ~result.known) != 0) result.known |= half_comparison_known(warp, op, mask & ~result.known);
    return result;
}

wb_status machine_setp_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct inputs in = read_inputs(warp, op);
    const struct condition other = {warp_predicate(warp, op->source[3]),
                                    warp_slot(warp, op->source[3])->known};
    const struct condition holds = compare_upper(warp, op, &in, mask);
    const struct condition fails = {~holds.bits, holds.known};
    uint32_t origin = op->index;
    if ((mask & ~in.known) != 0) (void)settle_known(op, &in, mask, &origin);
    const struct condition first = join(op->form->mode, holds, other);
    const struct condition second = join(op->form->mode, fails, other);
    write_predicate(warp_slot(warp, op->destination), mask, first.bits, first.known, origin);
    write_predicate(warp_slot(warp, op->destination2), mask, second.bits, second.known, origin);
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

/* What a sum by halves gives in some lanes: a word, and two carries. */
struct half_sums {
    struct half_lanes word, carry[2];
    uint32_t values[WARP_LANES], carries[2];
};

static void add_result(struct half_lanes *to, uint32_t lane, bool known, const struct half *half) {
    to->known |= (uint32_t)known << lane;
    if (known || half_kind(half) == HALF_NONE) return;
    to->halved |= 1u << lane;
    to->half[lane] = *half;
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
    if ((carry->halved & bit) != 0) half_opposite(&carry->half[lane]);
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

/* All sources are known, or none is half of an address. */
static void add3_numbers(struct warp *warp, const struct micro *op, uint32_t mask, const struct inputs *in,
                         uint32_t known, uint32_t origin) {
    struct lanes *out = warp_slot(warp, op->destination);
    const uint32_t x = warp_predicate(warp, op->source[3]), y = warp_predicate(warp, op->sum.carry);
    uint64_t sums[WARP_LANES];
    uint32_t carries[2] = {0, 0};
    struct partial_lanes partial;
    partial.known = partial.partial = 0;
    if ((mask & ~known) != 0) partial_of_add3(warp, op, mask & ~known, &partial);
    FOR_LANES(l) {
        sums[l] = (uint64_t)(uint32_t)in->values[0][l] + (uint32_t)in->values[1][l] +
                  (uint32_t)in->values[2][l] + (x >> l & 1) + (y >> l & 1);
    }
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        carries[0] |= (uint32_t)(sums[l] >> 32 != 0) << l;
        carries[1] |= (uint32_t)(sums[l] >> 33 != 0) << l;
        sums[l] &= UINT32_MAX;
    }
    lanes_blend(out->value, sums, mask);
    mark_known(out, mask, known | partial.known, origin);
    partial_write(out, &partial);
    write_predicate(warp_slot(warp, op->destination2), mask, carries[0], known, origin);
    write_predicate(warp_slot(warp, op->sum.over), mask, carries[1], known, origin);
}

/* A sum in lanes that are all halves of one thing: what is read before anything is written. */
struct common_sum {
    uint64_t home;                /* of the half among the sources, with its kind */
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
    sum->home = half == NULL ? 0 : half_common(half, mask);
    if (sum->home == 0) return false;
    FOR_LANES(l) sum->half[l] = (uint32_t)half->value[l];
    FOR_LANES_OF(h, mask) sum->lower[h] = half->half[h].a;
    return true;
}

static void write_common(struct lanes *out, uint32_t mask, const struct common_sum *sum, uint32_t origin) {
    FOR_LANES_OF(l, mask) {
        out->value[l] = (uint32_t)(sum->half[l] + sum->numbers[l]);
        out->half[l] = (struct half){.home = sum->home, .a = sum->lower[l]};
    }
    mark_known(out, mask, 0, origin);
    out->halved |= mask;
}

/* Whether the sum is `most` times 2^32 or more: known where the numbers say it by themselves. */
static void write_common_carry(struct lanes *out, uint32_t mask, const struct common_sum *sum, uint32_t most,
                               uint32_t origin) {
    uint32_t bits = 0, by_half = 0;
    FOR_LANES_OF(l, mask) {
        const uint64_t total = sum->half[l] + sum->numbers[l];
        bits |= (uint32_t)(total >> 32 >= most) << l;
        if (sum->numbers[l] >> 32 != most - 1) continue;
        by_half |= 1u << l;
        out->half[l] = half_make(HALF_CARRY, half_home(&(struct half){.home = sum->home}), sum->half[l],
                                 (uint32_t)total);
    }
    write_predicate(out, mask, bits, ~by_half, origin);
    out->halved |= by_half;
}

/* Upper halves with the carry that belongs to them: the lower halves of the result; false: it does not. */
static bool carry_common(const struct lanes *carry, uint32_t mask, struct common_sum *sum) {
    const uint64_t home = half_common(carry, mask);
    const struct half of_carry = {.home = home}, of_sum = {.home = sum->home};
    if (home == 0 || half_kind(&of_carry) != HALF_CARRY || half_home(&of_carry) != half_home(&of_sum))
        return false;
    FOR_LANES_OF(l, mask) {
        if (!half_same_low(carry->half[l].a, sum->lower[l])) return false;
        sum->lower[l] = carry->half[l].b;
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
    const enum half_kind kind = half_kind(&(struct half){.home = sum.home});
    if (kind == HALF_LOW ? !carry_known : kind != HALF_HIGH) return false;
    if (!carry_known && !carry_common(carry, mask, &sum)) return false;
    write_common(warp_slot(warp, op->destination), mask, &sum, origin);
    struct lanes *carries[] = {warp_slot(warp, op->destination2), warp_slot(warp, op->sum.over)};
    for (uint32_t i = 0; i < 2; i++) {
        if (kind == HALF_LOW)
            write_common_carry(carries[i], mask, &sum, i + 1, origin);
        else
            write_predicate(carries[i], mask, 0, 0, origin);
    }
    return true;
}

wb_status machine_add3_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct inputs in = read_inputs(warp, op);
    const struct lanes *second = warp_slot(warp, op->sum.carry);
    struct lanes *out = warp_slot(warp, op->destination);
    const uint32_t known = in.known & second->known, halved = (in.halved | lanes_halves(second)) & ~known;
    uint32_t origin = op->index;
    uint64_t unknown_home = HOME_NONE;
    if ((mask & ~known) != 0) (void)settle_known(op, &in, mask, &origin);
    if (warp->run->cover != NULL && (mask & ~known) != 0)
        unknown_home = unknown_home_of(warp, op, out, mask, mask & ~known);
    if ((mask & halved) == 0) {
        add3_numbers(warp, op, mask, &in, known, origin);
    } else if (!add3_common(warp, op, mask, &in, origin)) {
        struct half_sums sums;
        add3_halves(warp, op, mask, &sums);
        write_word(out, mask, &sums, origin);
        write_carry(warp_slot(warp, op->destination2), mask, &sums, 0, origin);
        write_carry(warp_slot(warp, op->sum.over), mask, &sums, 1, origin);
    }
    if (unknown_home != HOME_NONE) out->unknown_home = unknown_home;
    return WB_OK;
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

/* The region that the unknown lanes of halves are made from, of all of them. */
static uint64_t unknown_home_of_parts(const struct warp *warp, const struct micro *op, uint32_t lanes) {
    uint64_t home = HOME_NO_LANES;
    for (uint32_t i = 0; i < op->pack.count; i++)
        home_of_lanes(warp->run, warp_slot(warp, op->pack.elements[i]), lanes, &home);
    return home;
}

/* The same where all lanes are halves of addresses in one region; false: nothing was done. */
static bool join_common(const struct warp *warp, const struct micro *op, uint32_t mask, uint64_t *home) {
    const struct lanes *low = warp_slot(warp, op->pack.elements[0]);
    const struct lanes *high = warp_slot(warp, op->pack.elements[1]);
    const struct half of_low = {.home = half_common(low, mask)};
    const struct half of_high = {.home = half_common(high, mask)};
    bool same = half_kind(&of_low) == HALF_LOW && half_kind(&of_high) == HALF_HIGH &&
                half_home(&of_low) == half_home(&of_high);
    if (!same) return false;
    FOR_LANES_OF(l, mask) same &= half_same_low((uint32_t)low->value[l], high->half[l].a);
    if (same) *home = half_home(&of_low);
    return same;
}

/* The addresses that halves of them make: the lanes that are known, their home, and which are numbers. Among
 * addresses there are no negative ones: those are taken for unknown. */
static uint32_t join_halves(const struct warp *warp, const struct micro *op, uint32_t mask, uint64_t *home,
                            uint32_t *numbers) {
    uint64_t homes[WARP_LANES] = {0};
    uint32_t known = 0;
    *home = HOME_NONE;
    *numbers = 0;
    if (join_common(warp, op, mask, home)) return mask;
    FOR_LANES_OF(l, mask) {
        const struct half_term low = half_term_of(warp_slot(warp, op->pack.elements[0]), l);
        const struct half_term high = half_term_of(warp_slot(warp, op->pack.elements[1]), l);
        const bool joined = half_join(&low, &high, &homes[l]);
        const bool mixed = homes[l] != HOME_NONE && *home != HOME_NONE && homes[l] != *home &&
                           ((homes[l] | *home) & HOME_NEGATED) != 0;
        if (!joined || mixed) continue;
        known |= 1u << l;
        *numbers |= (uint32_t)(homes[l] == HOME_NONE) << l;
        *home = home_joined(*home, homes[l]);
    }
    return known;
}

/* Two words that are numbers make one of 64 bits: nearly all packs of machine code. False: they are not, and
 * nothing was done. */
static bool pack_words(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (op->pack.count != 2 || op->pack.bits != 32) return false;
    struct lanes *out = warp_slot(warp, op->destination);
    const struct lanes *low = warp_slot(warp, op->pack.elements[0]);
    const struct lanes *high = warp_slot(warp, op->pack.elements[1]);
    if ((mask & ~(low->known & high->known)) != 0 || (low->home | high->home) != 0) return false;
    uint64_t result[WARP_LANES];
    FOR_LANES(l) result[l] = (uint32_t)low->value[l] | high->value[l] << 32;
    lanes_blend(out->value, result, mask);
    home_write(warp, out, mask, HOME_NONE);
    out->known |= mask;
    return true;
}

/* The other way round. */
static bool unpack_words(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes *in = warp_slot(warp, op->source[0]);
    if (op->pack.count != 2 || op->pack.bits != 32 || (mask & ~in->known) != 0 || in->home != 0) return false;
    uint64_t parts[2][WARP_LANES];
    FOR_LANES(l) {
        parts[0][l] = (uint32_t)in->value[l];
        parts[1][l] = in->value[l] >> 32;
    }
    for (uint32_t i = 0; i < 2; i++) {
        struct lanes *out = warp_slot(warp, op->pack.elements[i]);
        lanes_blend(out->value, parts[i], mask);
        home_write(warp, out, mask, HOME_NONE);
        out->known |= mask;
    }
    return true;
}

wb_status pack_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (pack_words(warp, op, mask)) return WB_OK;
    struct lanes *out = warp_slot(warp, op->destination);
    uint64_t result[WARP_LANES] = {0};
    uint32_t known = LANES_ALL, origin = op->index, halved = 0, numbers = 0;
    uint64_t ones = low_bytes_mask(op->pack.bits / 8), homes = 0, home = HOME_NONE, unknown_home = HOME_NONE;
    for (uint32_t i = 0; i < op->pack.count; i++) {
        const struct lanes *part = warp_slot(warp, op->pack.elements[i]);
        homes |= part->home;
        halved |= lanes_halves(part);
        if ((mask & ~part->known) != 0) origin = warp_origin(part, op);
        known &= part->known;
        const uint32_t shift = i * op->pack.bits;
        FOR_LANES(l) result[l] |= (part->value[l] & ones) << shift;
    }
    if (homes != 0) known = without_open(warp, known, mask & known);
    if ((mask & halved) != 0 && op->pack.count == 2 && op->pack.bits == 32)
        known = join_halves(warp, op, mask, &home, &numbers);
    if (warp->run->cover != NULL && (mask & ~known) != 0)
        unknown_home = joined_unknown_home(warp, out, mask, unknown_home_of_parts(warp, op, mask & ~known));
    struct partial_lanes partial;
    partial.known = partial.partial = 0;
    if ((mask & ~known) != 0 && (mask & halved) == 0 && homes == 0)
        partial_of_pack(warp, op, mask & ~known, &partial);
    home_write(warp, out, mask, home);
    if (home != HOME_NONE) out->numbers = numbers;
    lanes_blend(out->value, result, mask);
    mark_known(out, mask, known | partial.known, origin);
    partial_write(out, &partial);
    if (unknown_home != HOME_NONE) out->unknown_home = unknown_home;
    return WB_OK;
}

/* The halves of the addresses in the lanes of `mask` of a register. */
static void split_addresses(const struct run *run, const struct lanes *in, uint32_t mask,
                            struct half_lanes parts[2]) {
    parts[0].known = parts[0].halved = 0;
    FOR_LANES_OF(l, mask) {
        const uint64_t home = in->home != HOME_SEVERAL ? in->home : home_of_value(run, in->value[l]);
        if (in->value[l] == 0 || (in->numbers >> l & 1) != 0) { /* null */
            parts[0].known |= 1u << l;
        } else if (home != HOME_NONE) {
            parts[0].halved |= 1u << l;
            parts[0].half[l] = half_low(home);
            parts[1].half[l] = half_high(home, in->value[l]);
        }
    }
    parts[1].known = parts[0].known;
    parts[1].halved = parts[0].halved;
}

wb_status unpack_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (unpack_words(warp, op, mask)) return WB_OK;
    struct lanes in; /* copied: it may be one of the outputs */
    lanes_copy(&in, warp_slot(warp, op->source[0]));
    uint64_t ones = low_bytes_mask(op->pack.bits / 8), unknown_home = HOME_NONE;
    uint32_t origin = (mask & ~in.known) != 0 ? warp_origin(&in, op) : op->index, addresses = 0;
    struct half_lanes parts[2];
    struct partial_lanes partial;
    const bool by_halves = op->pack.count == 2 && op->pack.bits == 32;
    const uint32_t by_bits = mask & lanes_partial(&in);
    if (warp->run->cover != NULL && by_halves && (mask & ~in.known) != 0) {
        unknown_home = HOME_NO_LANES;
        home_of_lanes(warp->run, &in, mask & ~in.known, &unknown_home);
    }
    if (in.home != 0) {
        const uint32_t known = without_open(warp, in.known, mask & in.known);
        if (by_halves) addresses = mask & in.known & ~known;
        in.known = known;
    }
    if (addresses != 0) split_addresses(warp->run, &in, addresses, parts);
    for (uint32_t i = 0; i < op->pack.count; i++) {
        struct lanes *part = warp_slot(warp, op->pack.elements[i]);
        const uint64_t made_from =
            unknown_home == HOME_NONE ? unknown_home : joined_unknown_home(warp, part, mask, unknown_home);
        const uint32_t shift = i * op->pack.bits;
        uint64_t values[WARP_LANES];
        FOR_LANES(l) values[l] = in.value[l] >> shift & ones;
        lanes_blend(part->value, values, mask);
        home_write(warp, part, mask, HOME_NONE);
        partial_of_part(&in, op, i, by_bits, &partial);
        mark_known(part, mask, in.known | partial.known | (addresses == 0 ? 0 : parts[i].known), origin);
        if (addresses != 0) half_write(part, &parts[i]);
        partial_write(part, &partial);
        if (made_from != HOME_NONE) part->unknown_home = made_from;
    }
    return WB_OK;
}
