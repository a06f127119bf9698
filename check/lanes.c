/* What the lanes of a warp have in registers, as far as it follows from launch and code: integers that come
 * from parameters, special registers and literals. All else is unknown, and so is what is computed of it. */
#include "cubin.h"

#include <string.h>

#define ZERO 255    /* RZ */
#define UNIFORM 260 /* UR0: behind R255 and what a wide result reaches beyond it */
#define UNIFORM_ZERO 63
#define UNIFORM_TRUTHS 8
#define THREAD (UNIFORM + 68) /* three numbers, and that of the lane, which none writes */
#define LANE (THREAD + 3)

static bool is_uniform(uint64_t op) {
    return op >= 0x080 && op < 0x0c0;
}

static bool writes_uniform(uint64_t op) {
    return is_uniform(op) || op == 0x0ca || op == 0x1c2 || op == 0x1c3;
}

/* ---- Sources ---- */

static const struct lanes unknown;

static struct lanes literal(uint32_t value) {
    struct lanes lanes = {.known = ALL_LANES, .same = true};
    for (int l = 0; l < LANES; l++)
        lanes.value[l] = value;
    return lanes;
}

/* `part` 1: the upper half of a pair. */
static struct lanes register_at(const struct registers *registers, const struct word *word, int at,
                                bool uniform, uint64_t part) {
    const uint64_t number = bits_at(word, at, uniform ? 6 : 8);
    if (number == (uniform ? UNIFORM_ZERO : ZERO)) return literal(0);
    return registers->of[(uniform ? UNIFORM : 0) + number + part];
}

static struct lanes constant_at(const struct registers *registers, uint64_t bank, uint64_t at) {
    const struct constants *constants = registers->launch->constants;
    uint32_t value = 0;
    for (uint64_t i = 4; i-- > 0;) {
        if (bank != 0 || at + i >= BANK_BYTES || !constants->known[at + i])
            return (struct lanes){.same = true};
        value = value << 8 | constants->bytes[at + i];
    }
    return literal(value);
}

/* B or C: one of them is the flexible operand in bits 32 to 63, as the form says, the other one a register in
 * bits 64 to 71. */
static struct lanes operand(const struct registers *registers, const struct word *word, bool is_c,
                            uint64_t part, bool *negated) {
    const uint64_t form = bits_at(word, 9, 3);
    const bool uniform = is_uniform(bits_at(word, 0, 9)),
               flexible = is_c == (form == 2 || form == 3 || form == 7);
    *negated = !(flexible && (form == 2 || form == 4)) && bits_at(word, flexible ? 63 : 75, 1) != 0;
    if (flexible && (form == 2 || form == 4))
        return part == 0 ? literal((uint32_t)bits_at(word, 32, 32)) : unknown;
    if (!flexible || (form != 3 && form != 5))
        return register_at(registers, word, flexible ? 32 : 64, uniform || (flexible && form > 5), part);
    if (bits_at(word, 91, 1) != 0) return unknown; /* by a handle */
    return constant_at(registers, bits_at(word, 54, 5), bits_at(word, 38, 16) + 4 * part);
}

static struct lanes special(const struct registers *registers, uint64_t number) {
    if (number == 0xff) return literal(0);
    if (number >= 0x25 && number <= 0x27) return literal((uint32_t)registers->launch->index[number - 0x25]);
    if (number >= 0x21 && number <= 0x23) return registers->of[THREAD + number - 0x21];
    return number == 0 ? registers->of[LANE] : unknown;
}

/* What all lanes have that run. */
static struct lanes common(const struct registers *registers, const struct lanes *from) {
    const uint32_t live = registers->live;
    if (live == 0 || (live & ~from->known) != 0) return unknown;
    const uint32_t value = from->value[__builtin_ctz(live)];
    for (int l = 0; l < LANES; l++)
        if ((live >> l & 1) != 0 && from->value[l] != value) return unknown;
    return literal(value);
}

struct truth guard_of(const struct registers *registers, uint64_t bits, bool uniform) {
    struct truth truth = {ALL_LANES, ALL_LANES, true};
    if ((bits & 7) != PT) truth = registers->predicates[(uniform ? UNIFORM_TRUTHS : 0) + (bits & 7)];
    if ((bits & 8) != 0) truth.value = ~truth.value;
    return truth;
}

bool number_in(const struct registers *registers, uint64_t first, uint32_t lanes, uint64_t *number) {
    const struct lanes *low = &registers->of[first], *high = &registers->of[first + 1];
    const int one = __builtin_ctz(lanes);
    if (first + 1 >= ZERO || (lanes & ~(low->known & high->known)) != 0) return false;
    for (int l = one; l < LANES; l++)
        if ((lanes >> l & 1) != 0 && (low->value[l] != low->value[one] || high->value[l] != high->value[one]))
            return false;
    *number = (uint64_t)high->value[one] << 32 | low->value[one];
    return true;
}

/* ---- Operations ---- */

/* What one lane reads and writes; `upper` stands above B or C. Operations are false where the result is
 * unknown. */
struct lane {
    uint32_t a, b, c, upper;
    bool negated[3], p, q, s;
    uint32_t to[2];
    bool truth[2], truths; /* predicates, where these are known */
};

static uint32_t signed_by(uint32_t value, bool negated) {
    return negated ? 0 - value : value;
}

static bool holds_of(uint64_t comparison, int64_t a, int64_t b) {
    const bool less_than = (comparison & 1) != 0 && a < b;
    return less_than || ((comparison & 2) != 0 && a == b) || ((comparison & 4) != 0 && a > b);
}

/* .EX: of the upper halves, where the predicate says it of the lower ones. */
static bool compare(const struct word *word, struct lane *lane) {
    const bool is_signed = bits_at(word, 73, 1) != 0, extends = bits_at(word, 72, 1) != 0;
    const int64_t a = is_signed ? (int32_t)lane->a : (int64_t)lane->a;
    const int64_t b = is_signed ? (int32_t)lane->b : (int64_t)lane->b;
    const uint64_t comparison = bits_at(word, 76, 3);
    const bool by_lower = extends && a == b && comparison != 0 && comparison != 7;
    const bool holds = by_lower ? lane->s : holds_of(comparison, a, b);
    for (int i = 0; i < 2; i++) {
        const bool one = holds == (i == 0);
        const uint64_t with = bits_at(word, 74, 2);
        lane->truth[i] = with == 0 ? one && lane->p : with == 1 ? one || lane->p : one != lane->p;
    }
    lane->truths = bits_at(word, 74, 2) < 3;
    return true;
}

static bool shift_sum(const struct word *word, struct lane *lane) {
    const uint64_t shift = bits_at(word, 75, 5), pair = (uint64_t)lane->c << 32 | lane->a;
    const bool high = bits_at(word, 80, 1) != 0;
    if (bits_at(word, 73, 2) != 0 || (high && lane->negated[0])) return false; /* .SX32, .X */
    const uint32_t shifted =
        high ? (uint32_t)(pair << shift >> 32) : signed_by(lane->a, lane->negated[0]) << shift;
    lane->to[0] = shifted + signed_by(lane->b, lane->negated[1]);
    return true;
}

/* With .X a negated term is its complement, and carries are added; else it has 1 of its own. */
static bool sum_up(const struct word *word, struct lane *lane) {
    const uint32_t terms[3] = {lane->a, lane->b, lane->c};
    const bool extends = bits_at(word, 74, 1) != 0;
    uint64_t sum = extends ? (uint64_t)lane->p + lane->q : 0;
    for (int i = 0; i < 3; i++)
        sum += (lane->negated[i] ? ~terms[i] : terms[i]) + (uint64_t)(lane->negated[i] && !extends);
    lane->to[0] = (uint32_t)sum;
    lane->truth[0] = sum >> 32 != 0;
    lane->truths = lane->c == 0 && !lane->negated[2] && bits_at(word, 84, 3) == PT; /* one carry */
    return bits_at(word, 73, 1) == 0;
}

static uint32_t table_of(uint64_t table, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t result = 0;
    for (int i = 0; i < 8; i++)
        if ((table >> i & 1) != 0)
            result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
    return result;
}

static bool shift(const struct word *word, struct lane *lane) {
    const uint64_t type = bits_at(word, 73, 2), width = type < 2 ? 64 : 32;
    const uint64_t by = bits_at(word, 75, 1) != 0 ? lane->b & (width - 1) : min(lane->b, width);
    uint64_t pair = (uint64_t)lane->c << 32 | lane->a;
    const uint64_t fill = type % 2 == 0 && (pair >> 63) != 0 ? UINT64_MAX : 0;
    if (bits_at(word, 76, 1) == 0)
        pair = by < 64 ? pair << by : 0;
    else
        pair = by == 0 ? pair : by < 64 ? pair >> by | fill << (64 - by) : fill;
    lane->to[0] = (uint32_t)(bits_at(word, 80, 1) != 0 ? pair >> 32 : pair);
    return true;
}

static bool product(const struct word *word, struct lane *lane) {
    const bool complement = bits_at(word, 74, 1) != 0 && lane->negated[2];
    lane->to[0] =
        lane->a * lane->b + lane->p + (complement ? ~lane->c : signed_by(lane->c, lane->negated[2]));
    return true;
}

static bool wide_product(const struct word *word, struct lane *lane) {
    const uint64_t wide = (uint64_t)lane->upper << 32 | lane->c;
    uint64_t sum = lane->negated[2] ? 0 - wide : wide;
    if (bits_at(word, 73, 1) == 0)
        sum += (uint64_t)lane->a * lane->b;
    else
        sum += (uint64_t)((int64_t)(int32_t)lane->a * (int32_t)lane->b);
    lane->to[0] = (uint32_t)sum, lane->to[1] = (uint32_t)(sum >> 32);
    return bits_at(word, 74, 1) == 0;
}

static bool high_product(const struct word *word, struct lane *lane) {
    const bool is_known = wide_product(word, lane);
    lane->to[0] = lane->to[1];
    return is_known;
}

/* HFMA2 D, -RZ, RZ, literal: a constant, if no half of it is above all numbers. */
static bool loads_halves(const struct word *word, struct lane *lane) {
    lane->to[0] = lane->c;
    return bits_at(word, 9, 3) == 2 && bits_at(word, 24, 8) == ZERO && bits_at(word, 64, 8) == ZERO &&
           bits_at(word, 72, 2) == 1 && bits_at(word, 74, 7) == 0 && bits_at(word, 81, 10) == 0 &&
           (lane->c & 0x7c00) != 0x7c00 && (lane->c >> 16 & 0x7c00) != 0x7c00;
}

static bool copy(const struct word *word, struct lane *lane) {
    (void)word;
    lane->to[0] = lane->b, lane->to[1] = lane->upper;
    return true;
}

static bool move(const struct word *word, struct lane *lane) {
    return copy(word, lane) && (bits_at(word, 0, 9) != 0x002 || bits_at(word, 72, 4) == 15);
}

static bool choose(const struct word *word, struct lane *lane) {
    (void)word;
    lane->to[0] = lane->p ? lane->a : lane->b;
    return true;
}

static bool combine(const struct word *word, struct lane *lane) {
    const uint32_t made = table_of(bits_at(word, 72, 8), lane->a, lane->b, lane->c);
    lane->to[0] = made;
    lane->truth[0] = bits_at(word, 80, 1) != 0 ? made != 0 && lane->p : made != 0 || lane->p;
    return lane->truths = true;
}

static bool absolute(const struct word *word, struct lane *lane) {
    (void)word;
    lane->to[0] = signed_by(lane->b, (int32_t)lane->b < 0);
    return true;
}

static bool least(const struct word *word, struct lane *lane) {
    const bool is_new = bits_at(word, 0, 9) == 0x048, is_signed = bits_at(word, is_new ? 72 : 73, 1) != 0;
    const bool is_less = is_signed ? (int32_t)lane->a < (int32_t)lane->b : lane->a < lane->b;
    lane->to[0] = is_less == lane->p ? lane->a : lane->b;
    return !is_new || (bits_at(word, 73, 1) == 0 && bits_at(word, 76, 1) == 0);
}

static bool combine_truths(const struct word *word, struct lane *lane) {
    const unsigned input = (unsigned)lane->p << 2 | (unsigned)lane->q << 1 | lane->s;
    lane->truth[0] = ((bits_at(word, 64, 3) | bits_at(word, 72, 5) << 3) >> input & 1) != 0;
    lane->truth[1] = (bits_at(word, 16, 8) >> input & 1) != 0;
    return lane->truths = true;
}

/* ---- What instructions are ---- */

/* What an instruction reads, a bit each: A, B and C, a pair in place of C, and predicates: with .X only those
 * that are carries. Or, as B, a special register, a constant, or what A is in all lanes. */
enum {
    A = 1,
    B = 2,
    C = 4,
    PAIR = 8,
    P = 16,
    Q = 32,
    S = 64,
    X = 128,
    SPECIAL = 256,
    CONSTANT = 512,
    ALL_ALIKE = 1024
};

/* How many words it writes, as some of its bits say. */
enum { BY_ACCESS = 8, BY_SIZE, BY_PAIR };

struct operation {
    unsigned op;
    bool (*compute)(const struct word *word, struct lane *lane); /* NULL: only what it writes is known */
    unsigned reads, words, predicates;
    bool has_twin; /* of the uniform datapath, with bit 7 */
};

static const struct operation operations[] = {
    {0x002, move, B, 1, 0, true},
    {0x005, copy, SPECIAL, BY_PAIR, 0, false},
    {0x007, choose, A | B | P, 1, 0, true},
    {0x00c, compare, A | B | P | S, 0, 2, true},
    {0x010, sum_up, A | B | C | P | Q | X, 1, 2, true},
    {0x011, shift_sum, A | B | C, 1, 1, true},
    {0x012, combine, A | B | C | P, 1, 1, true},
    {0x013, absolute, B, 1, 0, false},
    {0x017, least, A | B | P, 1, 0, false},
    {0x019, shift, A | B | C, 1, 0, true},
    {0x01c, combine_truths, P | Q | S, 0, 2, true},
    {0x024, product, A | B | C | P | X, 1, 1, true},
    {0x025, wide_product, A | B | C | PAIR, 2, 1, true},
    {0x027, high_product, A | B | C | PAIR, 1, 1, true},
    {0x031, loads_halves, C, 1, 0, false},
    {0x035, loads_halves, C, 1, 0, false},
    {0x036, sum_up, A | B, 1, 0, false},
    {0x048, least, A | B | P, 1, 2, false},
    {0x0b9, copy, CONSTANT, BY_ACCESS, 0, false},
    {0x0ca, copy, A | ALL_ALIKE, 1, 1, false},
    {0x119, copy, SPECIAL, 1, 0, false},
    {0x182, copy, A | CONSTANT, BY_ACCESS, 0, false},
    {0x1c2, copy, A | ALL_ALIKE, 1, 1, false},
    {0x1c3, copy, SPECIAL, 1, 0, false},
};

/* Operations of which it is only known what they write. */
static const struct {
    unsigned words, predicates, ops[32];
} others[] = {
    {0, 0, {0x118, 0x11a, 0x11d, 0x141, 0x142, 0x144, 0x145, 0x146, 0x147, 0x148, 0x149, 0x14d, 0x150,
            0x156, 0x15d, 0x185, 0x186, 0x187, 0x188, 0x18e, 0x18f, 0x192, 0x1ab, 0x1ae, 0x1af}},
    {1, 0, {0x003, 0x00f, 0x046, 0x008, 0x009, 0x00a, 0x014, 0x016, 0x01a, 0x01b,
            0x020, 0x021, 0x023, 0x026, 0x030, 0x032, 0x03e, 0x045, 0x096, 0x09a,
            0x09b, 0x0bd, 0x0be, 0x0bf, 0x100, 0x101, 0x108, 0x109, 0x155}},
    {2, 0, {0x028, 0x029, 0x02b, 0x18c, 0x18d}},
    {4, 0, {0x03b, 0x03c, 0x0bb}},
    {BY_SIZE, 0, {0x104, 0x105, 0x106, 0x107, 0x110, 0x111, 0x112, 0x113}},
    {BY_ACCESS, 0, {0x180, 0x181, 0x183, 0x184}},
    {0, 2, {0x00b, 0x02a}},
    {0, 1, {0x102}},
    {1, 1, {0x006, 0x086, 0x11c, 0x189}},
    {4, 1, {0x18a, 0x18b, 0x1a8, 0x1a9}},
};

static bool find_operation(uint64_t op, struct operation *found) {
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        *found = operations[i];
        if (found->op == op || (found->has_twin && (found->op | 0x80) == op)) return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (size_t k = 0; k < sizeof others[i].ops / sizeof(unsigned) && others[i].ops[k] != 0; k++)
            if (others[i].ops[k] == op) {
                *found = (struct operation){.words = others[i].words, .predicates = others[i].predicates};
                return true;
            }
    return false;
}

/* ---- Execution ---- */

/* What an instruction reads: A, B, C, and what stands above B or C; and predicates. */
struct reading {
    struct lanes of[4];
    bool negated[4];
    struct truth truths[3];
};

static uint64_t words_of(const struct operation *of, const struct word *word) {
    switch (of->words) {
    case BY_ACCESS: return bits_at(word, 73, 3) >= 6 ? 4 : bits_at(word, 73, 3) == 5 ? 2 : 1;
    case BY_SIZE: return bits_at(word, 75, 2) == 3 ? 2 : 1;
    case BY_PAIR: return bits_at(word, 80, 1) != 0 ? 2 : 1;
    default: return of->words;
    }
}

/* Of the constants: without an index, and no part of a word. */
static struct lanes loaded(const struct registers *registers, const struct word *word, bool is_indexed,
                           uint64_t part) {
    const bool plain = bits_at(word, 91, 1) == 0 && bits_at(word, 73, 3) >= 4 &&
                       (!is_indexed || (bits_at(word, 24, 8) == ZERO && bits_at(word, 78, 2) == 0));
    return plain ? constant_at(registers, bits_at(word, 54, 5), bits_at(word, 38, 16) + 4 * part) : unknown;
}

static struct reading read_all(const struct registers *registers, const struct operation *of,
                               const struct word *word) {
    const bool uniform = is_uniform(bits_at(word, 0, 9));
    const struct truth none = {0, ALL_LANES, true};
    const struct lanes zero = literal(0);
    struct reading r = {.of = {zero, zero, zero, zero}, .truths = {none, none, none}};
    if ((of->reads & A) != 0) r.of[0] = register_at(registers, word, 24, uniform, 0);
    r.negated[0] = bits_at(word, 72, 1) != 0;
    if ((of->reads & B) != 0) r.of[1] = operand(registers, word, false, 0, &r.negated[1]);
    if ((of->reads & C) != 0) r.of[2] = operand(registers, word, true, 0, &r.negated[2]);
    if ((of->reads & PAIR) != 0) r.of[3] = operand(registers, word, true, 1, &r.negated[3]);
    for (uint64_t part = 0; part < min(2, words_of(of, word)); part++) {
        struct lanes *to = &r.of[part == 0 ? 1 : 3];
        if ((of->reads & CONSTANT) != 0) *to = loaded(registers, word, (of->reads & A) != 0, part);
        if ((of->reads & SPECIAL) != 0 && part <= bits_at(word, 80, 1))
            *to = special(registers, bits_at(word, 72, 8));
    }
    if ((of->reads & ALL_ALIKE) != 0) r.of[1] = common(registers, &r.of[0]);
    const bool carries = (of->reads & X) == 0 || bits_at(word, 74, 1) != 0;
    if ((of->reads & P) != 0 && carries) r.truths[0] = guard_of(registers, bits_at(word, 87, 4), uniform);
    if ((of->reads & Q) != 0 && carries) r.truths[1] = guard_of(registers, bits_at(word, 77, 4), uniform);
    if ((of->reads & S) != 0 && (of->compute != compare || bits_at(word, 72, 1) != 0))
        r.truths[2] = guard_of(registers, bits_at(word, 68, 4),
                               uniform || (of->compute == combine_truths && bits_at(word, 67, 1) != 0));
    return r;
}

/* What lanes write. */
struct written {
    struct lanes to[2];
    struct truth truth[2];
};

static void compute_lanes(const struct operation *of, const struct word *word, const struct reading *r,
                          struct written *made) {
    uint32_t known = of->compute == NULL ? 0 : ALL_LANES;
    bool same = of->compute != NULL;
    for (int i = 0; i < 4; i++)
        known &= r->of[i].known, same = same && r->of[i].same;
    for (int i = 0; i < 3; i++)
        known &= r->truths[i].known, same = same && r->truths[i].same;
    for (int l = 0; l < LANES; l++) {
        struct lane lane = {.a = r->of[0].value[l],
                            .b = r->of[1].value[l],
                            .c = r->of[2].value[l],
                            .upper = r->of[3].value[l],
                            .negated = {r->negated[0], r->negated[1], r->negated[2]},
                            .p = (r->truths[0].value >> l & 1) != 0,
                            .q = (r->truths[1].value >> l & 1) != 0,
                            .s = (r->truths[2].value >> l & 1) != 0};
        const uint32_t bit = (uint32_t)1 << l;
        if ((known & bit) == 0 || !of->compute(word, &lane)) continue;
        for (int i = 0; i < 2; i++) {
            made->to[i].value[l] = lane.to[i], made->to[i].known |= bit;
            if (!lane.truths) continue;
            made->truth[i].value |= lane.truth[i] ? bit : 0, made->truth[i].known |= bit;
        }
    }
    made->to[0].same = made->to[1].same = made->truth[0].same = made->truth[1].same = same;
}

static void forget_all(struct registers *registers) {
    for (int r = 0; r < THREAD; r++)
        registers->of[r].known = 0, registers->of[r].same = r >= UNIFORM;
    for (int p = 0; p < 16; p++)
        registers->predicates[p] = (struct truth){0, 0, p >= UNIFORM_TRUTHS};
}

void execute_word(struct registers *registers, const struct word *word, uint32_t lanes, bool certain) {
    struct operation of;
    struct written made = {0};
    const uint64_t op = bits_at(word, 0, 9);
    const bool uniform = writes_uniform(op);
    const struct truth guard = guard_of(registers, bits_at(word, 12, 4), is_uniform(op) && op != 0x086);
    if (!find_operation(op, &of)) {
        forget_all(registers);
        return;
    }
    if (uniform && lanes != 0) lanes = ALL_LANES;
    /* Those that write, and those that maybe do. */
    uint32_t sure = certain ? lanes & guard.known & guard.value : 0;
    uint32_t maybe = lanes & ~(guard.known & ~guard.value) & ~sure;
    const bool whole = (sure & registers->live) == registers->live;
    if (uniform && !whole) maybe |= sure, sure = 0;
    if ((sure | maybe) == 0) return;
    if (sure != 0) {
        const struct reading reading = read_all(registers, &of, word);
        compute_lanes(&of, word, &reading, &made);
    }
    for (uint64_t w = 0; w < words_of(&of, word); w++) {
        const uint64_t number = bits_at(word, 16, uniform ? 6 : 8);
        struct lanes *to = &registers->of[(uniform ? UNIFORM : 0) + number + w];
        const struct lanes *from = w < 2 ? &made.to[w] : &unknown;
        if (number == (uniform ? UNIFORM_ZERO : ZERO)) break;
        for (int l = 0; l < LANES; l++)
            if ((sure >> l & 1) != 0) to->value[l] = from->value[l];
        to->known = (to->known & ~(sure | maybe)) | (from->known & sure);
        to->same = uniform || (whole && from->same);
    }
    for (unsigned i = 0; i < of.predicates; i++) {
        const uint64_t number = bits_at(word, i == 0 ? 81 : 84, 3);
        struct truth *to = &registers->predicates[(is_uniform(op) ? UNIFORM_TRUTHS : 0) + number];
        if (number == PT) continue;
        to->value = (to->value & ~sure) | (made.truth[i].value & sure);
        to->known = (to->known & ~(sure | maybe)) | (made.truth[i].known & sure);
        to->same = is_uniform(op) || (whole && made.truth[i].same);
    }
}

void begin_registers(struct registers *registers, const struct launched *launch, uint64_t warp) {
    const uint64_t *threads = launch->threads;
    *registers = (struct registers){.launch = launch, .warp = warp};
    forget_all(registers);
    for (uint32_t l = 0; l < LANES; l++) {
        const uint64_t thread = warp * LANES + l, row = thread / threads[0];
        const uint64_t numbers[] = {thread % threads[0], row % threads[1], row / threads[1], l};
        if (row / threads[1] < threads[2]) registers->live |= (uint32_t)1 << l;
        for (int n = 0; n < 4; n++)
            registers->of[THREAD + n].value[l] = (uint32_t)numbers[n],
                                   registers->of[THREAD + n].known |= (uint32_t)1 << l;
    }
}
