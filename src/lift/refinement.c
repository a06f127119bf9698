#include "lift/lift.h"

#include <string.h>

/* ---- The sequences ---- */

/* What a register of a sequence holds, of the argument x. */
enum term {
    TERM_NONE,       /* nothing of the sequence */
    TERM_SEED,       /* the approximate function: r of 1 / x, y of 1 / sqrt(x) */
    TERM_ERROR,      /* 1 - x * r, 1 - x * y * y */
    TERM_ERROR2,     /* error + error * error */
    TERM_BETTER,     /* r + r * error2; y + y * error * polynomial */
    TERM_REST,       /* 1 - x * better */
    TERM_SQUARE,     /* y * y */
    TERM_POLYNOMIAL, /* 0.375 * error + 0.5 */
    TERM_STEP,       /* y * error */
    TERM_ROOT,       /* x * y, x * better */
    TERM_HALF,       /* half of y, or of better */
    TERM_RESIDUE,    /* x - root * root */
    TERM_SCALED,     /* r of an integer, times 2^32 or 2^64, and a little less */
    TERM_END,        /* the result, which PTX states to the last bit */
    TERM_X,          /* the argument itself */
    TERM_CONSTANT    /* a constant of the sequence */
};

struct operand {
    enum term term;
    double constant;
};

/* term = a * b + c, by FFMA or DFMA (FMUL, DMUL: c is none), signs apart. */
struct step {
    enum term result;
    bool negative; /* a * b counts negative where c counts positive */
    struct operand a, b, c;
};

#define T(name)                                                                                              \
    { TERM_##name, 0.0 }
#define K(value)                                                                                             \
    { TERM_CONSTANT, value }

static const struct step reciprocal32[] = {
    {TERM_ERROR, true, T(X), T(SEED), K(1.0)},
    {TERM_END, false, T(SEED), T(ERROR), T(SEED)},
    {TERM_NONE, false, T(NONE), T(NONE), T(NONE)},
};

static const struct step root32[] = {
    {TERM_ROOT, false, T(X), T(SEED), T(NONE)},    {TERM_HALF, false, T(SEED), K(0.5), T(NONE)},
    {TERM_RESIDUE, true, T(ROOT), T(ROOT), T(X)},  {TERM_END, false, T(RESIDUE), T(HALF), T(ROOT)},
    {TERM_NONE, false, T(NONE), T(NONE), T(NONE)},
};

static const struct step reciprocal64[] = {
    {TERM_ERROR, true, T(X), T(SEED), K(1.0)},         {TERM_ERROR2, false, T(ERROR), T(ERROR), T(ERROR)},
    {TERM_BETTER, false, T(SEED), T(ERROR2), T(SEED)}, {TERM_REST, true, T(X), T(BETTER), K(1.0)},
    {TERM_END, false, T(BETTER), T(REST), T(BETTER)},  {TERM_NONE, false, T(NONE), T(NONE), T(NONE)},
};

static const struct step root64[] = {
    {TERM_SQUARE, false, T(SEED), T(SEED), T(NONE)},       {TERM_ERROR, true, T(X), T(SQUARE), K(1.0)},
    {TERM_POLYNOMIAL, false, T(ERROR), K(0.375), K(0.5)},  {TERM_STEP, false, T(SEED), T(ERROR), T(NONE)},
    {TERM_BETTER, false, T(POLYNOMIAL), T(STEP), T(SEED)}, {TERM_ROOT, false, T(X), T(BETTER), T(NONE)},
    {TERM_RESIDUE, true, T(ROOT), T(ROOT), T(X)},          {TERM_END, false, T(RESIDUE), T(HALF), T(ROOT)},
    {TERM_NONE, false, T(NONE), T(NONE), T(NONE)},
};

/* What makes a reciprocal that of an integer division: times 2^32 or 2^64 and rounded down by more than its
 * error. */
static bool is_integer_scale(uint32_t addend) {
    return addend == 0x0ffffffe || addend == 0x1ffffffe;
}

/* Half of a double: 1 less in its exponent. */
#define HALVED UINT32_C(0xfff00000)

/* ---- What registers hold ---- */

#define HELD_MAX 24     /* registers that hold something of a sequence */
#define VISITS_MAX 8192 /* instructions that are looked at for one function */
#define BACK_MAX 64     /* instructions in which a constant is looked for */

/* What a register holds; of a pair each register by itself. */
struct held {
    uint8_t reg;
    uint8_t term; /* enum term */
    bool negated, upper;
    uint8_t unless; /* guard_code of a guard: where that is true something else was written; 0: none */
};

/* What is held in front of an instruction. */
struct state {
    uint32_t at;    /* issued instruction */
    uint32_t lower; /* register that the lower half of x was read from, of f64; SASS_RZ: none yet */
    bool guarded;   /* the seed's guard still is what it was */
    uint8_t count;
    struct held held[HELD_MAX];
};

struct search {
    const struct ptx_function *function;
    const struct machine_code *code;
    const struct sass_inst *seed;
    uint32_t seed_at;         /* issued instruction */
    const struct step *steps; /* ended by one of TERM_NONE */
    bool wide;                /* of f64 */
    bool ended;               /* a sequence came to its end */
    VEC(struct state) open;
    uint64_t *seen; /* per issued instruction: hash of the state that it was last looked at with */
    uint32_t visits;
    struct arena *arena;
};

static const struct ptx_inst *issued_inst(const struct search *search, uint32_t at) {
    return &search->function->insts[ptx_issued(search->function, at)];
}

static const struct sass_inst *machine_inst(const struct search *search, uint32_t at) {
    return &search->code->insts[issued_inst(search, at)->machine].sass;
}

/* The number that ends the name of a register or predicate; SASS_RZ where none does. */
static uint32_t number_in_name(const char *digits) {
    uint64_t number;
    return number_u64(digits, strlen(digits), &number) ? (uint32_t)number : SASS_RZ;
}

/* The machine's number of a register, SASS_RZ for what is none of R0 .. R254. */
static uint32_t machine_number(const struct ptx_function *function, uint32_t reg) {
    if (reg >= function->reg_count) return SASS_RZ;
    const char *name = function->groups[function->reg_group[reg]].name;
    return name[1] == 'R' ? number_in_name(name + 2) : SASS_RZ;
}

static const struct held *find(const struct state *state, uint32_t reg) {
    for (uint32_t i = 0; i < state->count; i++)
        if (state->held[i].reg == reg) return &state->held[i];
    return NULL;
}

static void forget(struct state *state, uint32_t reg) {
    for (uint32_t i = 0; i < state->count; i++)
        if (state->held[i].reg == reg) state->held[i--] = state->held[--state->count];
    if (state->lower == reg) state->lower = SASS_RZ;
}

#define GUARD_NEGATED 32u

/* A number for the guard of an instruction; 0: none. */
static uint8_t guard_code(const struct sass_predicate *guard) {
    if (guard->number == SASS_PT) return 0;
    return (uint8_t)(16u + guard->number + (guard->uniform ? 8u : 0u) +
                     (guard->negated ? GUARD_NEGATED : 0u));
}

static bool hold(struct state *state, struct held held) {
    forget(state, held.reg);
    if (held.reg == SASS_RZ) return true;
    if (state->count == HELD_MAX) return false;
    state->held[state->count++] = held;
    return true;
}

/* Whether something that depends on the seed's last bits is held. */
static bool is_tainted(const struct state *state) {
    for (uint32_t i = 0; i < state->count; i++)
        if (state->held[i].term != TERM_X) return true;
    return false;
}

static bool is_register(const struct sass_source *source) {
    return source->kind == SASS_SOURCE_REG && source->number != SASS_RZ;
}

static bool is_zero(const struct sass_source *source) {
    return (source->kind == SASS_SOURCE_REG && source->number == SASS_RZ) ||
           (source->kind == SASS_SOURCE_IMM && source->value == 0);
}

/* The last instruction before `at` that writes a register, if control passes from it to `at` alone and it is
 * always executed; NULL: not found. */
static const struct sass_inst *written_by(const struct search *search, uint32_t at, uint32_t reg) {
    const struct ptx_function *function = search->function;
    for (uint32_t i = at; i > 0 && at - i < BACK_MAX; i--) {
        uint32_t count;
        const uint32_t here = ptx_issue_group(function, i, &count);
        const uint32_t label = ptx_first_label_from(function, here);
        if (label < function->label_count && function->labels[label].target < here + count) return NULL;
        const struct sass_inst *inst = machine_inst(search, i - 1);
        struct ptx_regs regs;
        ptx_issue_regs(function, i - 1, &regs);
        for (uint32_t k = 0; k < regs.written_count; k++)
            if (machine_number(function, regs.written[k]) == reg)
                return inst->guard.number == SASS_PT ? inst : NULL;
    }
    return NULL;
}

/* The source that an instruction copies, or NULL. */
static const struct sass_source *copied(const struct sass_inst *inst) {
    if (inst->op == SASS_OP_MOV) return &inst->b;
    const bool of_zero = inst->op == SASS_OP_IMAD && (is_zero(&inst->a) || is_zero(&inst->b)) &&
                         sass_field(inst, SASS_FIELD_X) == 0 && !inst->c.negated;
    if (of_zero) return &inst->c;
    const bool loads = inst->op == SASS_OP_HFMA2 && is_zero(&inst->a) && is_zero(&inst->b) &&
                       inst->c.kind == SASS_SOURCE_IMM;
    return loads ? &inst->c : NULL;
}

/* Whether a register was given these bits. */
static bool holds_bits(const struct search *search, uint32_t at, uint32_t reg, uint32_t bits) {
    if (reg == SASS_RZ) return bits == 0;
    const struct sass_inst *inst = written_by(search, at, reg);
    const struct sass_source *source = inst == NULL ? NULL : copied(inst);
    if (source == NULL) return false;
    return source->kind == SASS_SOURCE_IMM ? source->value == bits : bits == 0 && is_zero(source);
}

/* ---- Whether an instruction is a step
 * ---------------------------------------------------------------------- */

static bool is_constant(const struct search *search, uint32_t at, const struct sass_source *source,
                        double constant, bool *negative) {
    uint32_t bits = 0, lower = 0;
    if (search->wide) {
        uint64_t whole;
        memcpy(&whole, &constant, sizeof whole);
        bits = (uint32_t)(whole >> 32);
        lower = (uint32_t)whole;
    } else {
        const float narrow = (float)constant;
        memcpy(&bits, &narrow, sizeof bits);
    }
    *negative = source->negated;
    if (source->kind == SASS_SOURCE_IMM) {
        *negative = source->value >> 31 != 0;
        return (source->value & INT32_MAX) == bits && lower == 0;
    }
    if (!is_register(source)) return false;
    if (!search->wide) return holds_bits(search, at, source->number, bits);
    return holds_bits(search, at, source->number, lower) && holds_bits(search, at, source->number + 1u, bits);
}

/* The register of the upper half of a wide source; the only one of a narrow one. */
static uint32_t upper_of(const struct search *search, const struct sass_source *source) {
    return source->number + (search->wide ? 1u : 0u);
}

static bool is_same_constant(const struct sass_source *source, const struct sass_source *x, bool wide) {
    return source->kind == x->kind &&
           (x->kind == SASS_SOURCE_CONST || (x->kind == SASS_SOURCE_IMM && !wide)) &&
           source->number == x->number && source->value + (wide ? 4u : 0u) == x->value;
}

/* Whether a source is the seed's argument. */
static bool is_argument(const struct search *search, struct state *state, uint32_t at,
                        const struct sass_source *source, bool *negative) {
    const struct sass_source *x = &search->seed->b;
    *negative = source->negated != x->negated;
    if (x->absolute) return false;
    if (is_same_constant(source, x, search->wide)) return true;
    if (!is_register(source)) return false;
    const struct held *held = find(state, upper_of(search, source));
    if (held != NULL && held->term == TERM_X) {
        *negative ^= held->negated;
        if (!search->wide) return true;
        if (state->lower == SASS_RZ) state->lower = source->number;
        return state->lower == source->number;
    }
    /* -x, which was computed before. */
    const struct sass_inst *inst =
        search->wide || held != NULL ? NULL : written_by(search, at, source->number);
    if (inst == NULL || inst->op != SASS_OP_FADD || !is_zero(&inst->b) || inst->a.absolute) return false;
    if (!is_register(&inst->a) || !is_register(x) || inst->a.number != x->number) return false;
    held = find(state, x->number);
    if (held == NULL || held->term != TERM_X ||
        written_by(search, at, x->number) != written_by(search, search->seed_at, x->number))
        return false;
    *negative ^= inst->a.negated;
    return true;
}

/* Whether a source is an operand of a step; its sign, beside what the term is. */
static bool is_operand(const struct search *search, struct state *state, uint32_t at,
                       const struct sass_source *source, struct operand operand, bool *negative) {
    if (source->absolute) return false;
    if (operand.term == TERM_X) return is_argument(search, state, at, source, negative);
    if (operand.term == TERM_CONSTANT) return is_constant(search, at, source, operand.constant, negative);
    if (!is_register(source)) return false;
    const struct held *held = find(state, upper_of(search, source));
    if (held == NULL || held->term != operand.term || held->upper != search->wide || held->unless != 0)
        return false;
    *negative = source->negated != held->negated;
    if (!search->wide) return true;
    const struct held *lower = find(state, source->number);
    if (operand.term == TERM_SEED) return lower == NULL;
    if (lower == NULL || lower->upper || lower->unless != 0) return false;
    return lower->term == operand.term || (operand.term == TERM_HALF && lower->term == TERM_BETTER);
}

/* Whether an instruction is the step; *negated: its result is that of the step with the other sign. */
static bool is_step(const struct search *search, struct state *state, uint32_t at,
                    const struct sass_inst *inst, const struct step *step, bool *negated) {
    const bool adds = step->c.term != TERM_NONE;
    const uint16_t op =
        adds ? (search->wide ? SASS_OP_DFMA : SASS_OP_FFMA) : (search->wide ? SASS_OP_DMUL : SASS_OP_FMUL);
    if (inst->op != op || sass_field(inst, SASS_FIELD_SAT) != 0) return false;
    if (op == SASS_OP_FMUL && sass_field(inst, SASS_FIELD_SCALE) != 4) return false;
    if (step->result != TERM_END && sass_field(inst, SASS_FIELD_ROUND) != 0) return false;
    bool a = false, b = false, c = false;
    const bool straight = is_operand(search, state, at, &inst->a, step->a, &a) &&
                          is_operand(search, state, at, &inst->b, step->b, &b);
    if (!straight && !(is_operand(search, state, at, &inst->a, step->b, &a) &&
                       is_operand(search, state, at, &inst->b, step->a, &b)))
        return false;
    if (adds && !is_operand(search, state, at, &inst->c, step->c, &c)) return false;
    *negated = (a != b) != step->negative;
    return !adds || *negated == c;
}

/* Holds the result of an instruction in its registers. */
static bool hold_result(const struct search *search, struct state *state, const struct sass_inst *inst,
                        enum term term, bool negated) {
    if (!search->wide) return hold(state, (struct held){(uint8_t)inst->d, (uint8_t)term, negated, false, 0});
    return hold(state, (struct held){(uint8_t)inst->d, (uint8_t)term, negated, false, 0}) &&
           hold(state, (struct held){(uint8_t)(inst->d + 1u), (uint8_t)term, negated, true, 0});
}

enum outcome { OUTCOME_NONE, OUTCOME_HELD, OUTCOME_ENDED, OUTCOME_FAILED };

static enum outcome do_step(const struct search *search, struct state *state, uint32_t at,
                            const struct sass_inst *inst) {
    for (const struct step *step = search->steps; step->result != TERM_NONE; step++) {
        bool negated;
        if (!is_step(search, state, at, inst, step, &negated)) continue;
        if (step->result == TERM_END) return OUTCOME_ENDED;
        return hold_result(search, state, inst, step->result, negated) ? OUTCOME_HELD : OUTCOME_FAILED;
    }
    return OUTCOME_NONE;
}

/* A copy of what is held, or with the other sign by FADD D, -A, -RZ. */
static enum outcome do_copy(struct state *state, const struct sass_inst *inst, bool always) {
    const struct sass_source *source = copied(inst);
    const bool adds = inst->op == SASS_OP_FADD && is_zero(&inst->b) &&
                      sass_field(inst, SASS_FIELD_ROUND) == 0 && sass_field(inst, SASS_FIELD_SAT) == 0;
    if (adds) source = &inst->a;
    if (source == NULL || !is_register(source) || source->absolute) return OUTCOME_NONE;
    const struct held *held = find(state, source->number);
    if (held == NULL || held->unless != 0 || (held->upper && adds)) return OUTCOME_NONE;
    if (held->term == TERM_X && !always) return OUTCOME_NONE;
    struct held copy = *held;
    copy.reg = (uint8_t)inst->d;
    if (adds) copy.negated ^= source->negated;
    return hold(state, copy) ? OUTCOME_HELD : OUTCOME_FAILED;
}

static bool writes_predicate(const struct sass_inst *inst) {
    return (inst->to[0].present && inst->to[0].number != SASS_PT) ||
           (inst->to[1].present && inst->to[1].number != SASS_PT);
}

/* Sums with a literal: of integer division, and half of a double. */
static enum outcome do_sum(const struct search *search, struct state *state, const struct sass_inst *inst) {
    const bool sums = inst->op == SASS_OP_VIADD ||
                      (inst->op == SASS_OP_IADD3 && is_zero(&inst->c) && sass_field(inst, SASS_FIELD_X) == 0);
    if (!sums || writes_predicate(inst) || !is_register(&inst->a) || inst->a.negated ||
        inst->b.kind != SASS_SOURCE_IMM)
        return OUTCOME_NONE;
    const struct held *held = find(state, inst->a.number);
    if (held == NULL || held->negated || held->unless != 0) return OUTCOME_NONE;
    struct held sum = {.reg = (uint8_t)inst->d, .upper = held->upper};
    if (held->term == TERM_SEED && !search->wide && is_integer_scale(inst->b.value)) sum.term = TERM_SCALED;
    if (held->term == TERM_BETTER && held->upper && inst->b.value == HALVED) sum.term = TERM_HALF;
    if (sum.term == TERM_NONE) return OUTCOME_NONE;
    return hold(state, sum) ? OUTCOME_HELD : OUTCOME_FAILED;
}

/* The end of the beginning of an integer division. */
static bool is_integer_reciprocal(const struct state *state, const struct sass_inst *inst) {
    if (inst->op != SASS_OP_F2I || !is_register(&inst->b) || inst->b.negated || inst->b.absolute)
        return false;
    const struct held *held = find(state, inst->b.number);
    return held != NULL && held->term == TERM_SCALED && held->unless == 0;
}

/* ---- Following control
 * ------------------------------------------------------------------------------------- */

static bool has_guard_of(const struct search *search, const struct state *state,
                         const struct sass_inst *inst) {
    const struct sass_predicate *guard = &inst->guard, *of = &search->seed->guard;
    if (guard->number == SASS_PT) return !guard->negated;
    return state->guarded && guard->number == of->number && guard->uniform == of->uniform &&
           guard->negated == of->negated;
}

/* What an instruction of no sequence reads: false where that depends on the seed. */
static bool reads_others(const struct search *search, const struct state *state, const struct sass_inst *inst,
                         const struct ptx_regs *regs) {
    for (uint32_t i = 0; i < regs->read_count; i++) {
        const struct held *held = find(state, machine_number(search->function, regs->read[i]));
        if (held == NULL || held->term == TERM_X) continue;
        if (held->unless == 0 || held->unless != guard_code(&inst->guard)) return false;
    }
    return true;
}

/* What it writes; `always`: wherever the seed is there. What is written where a guard is true, and before
 * where it is false, is written. */
static void write_others(const struct search *search, struct state *state, const struct sass_inst *inst,
                         const struct ptx_regs *regs, bool always) {
    for (uint32_t i = 0; i < regs->written_count; i++) {
        const uint32_t number = machine_number(search->function, regs->written[i]);
        const struct held *held = find(state, number);
        const uint8_t guard = guard_code(&inst->guard);
        const bool otherwise = held != NULL && held->unless != 0 && held->unless == (guard ^ GUARD_NEGATED);
        if (held == NULL || always || otherwise || held->term == TERM_X) {
            forget(state, number);
        } else if (held->unless == 0) {
            state->held[held - state->held].unless = guard;
        }
    }
}

/* A predicate that is written is no longer that of `unless`. */
static void write_predicates(const struct search *search, struct state *state, const struct ptx_regs *regs) {
    const uint32_t guard = issued_inst(search, search->seed_at)->guard;
    for (uint32_t i = 0; i < regs->written_count; i++) {
        if (regs->written[i] == guard) state->guarded = false;
        if (regs->written[i] >= search->function->reg_count) continue;
        const char *name = search->function->groups[search->function->reg_group[regs->written[i]]].name;
        const bool uniform = name[1] == 'U' && name[2] == 'P';
        if (!uniform && name[1] != 'P') continue;
        const uint32_t number = number_in_name(name + (uniform ? 3 : 2)) + (uniform ? 8u : 0u);
        for (uint32_t k = 0; k < state->count; k++)
            if (state->held[k].unless != 0 && (state->held[k].unless & 15u) == number)
                state->held[k].unless = 0;
    }
}

/* Executes the instruction at state->at; false: what it makes of the seed is not known. */
static bool execute(struct search *search, struct state *state) {
    const struct sass_inst *inst = machine_inst(search, state->at);
    const bool always = has_guard_of(search, state, inst);
    struct state after = *state;
    struct ptx_regs regs;
    ptx_issue_regs(search->function, state->at, &regs);
    enum outcome outcome = do_step(search, &after, state->at, inst);
    if (outcome == OUTCOME_NONE) outcome = do_copy(&after, inst, always);
    if (outcome == OUTCOME_NONE) outcome = do_sum(search, &after, inst);
    if (outcome == OUTCOME_NONE && is_integer_reciprocal(state, inst)) outcome = OUTCOME_ENDED;
    if (outcome == OUTCOME_FAILED || (outcome == OUTCOME_HELD && !always)) return false;
    if (outcome == OUTCOME_ENDED) {
        search->ended = true;
        for (uint32_t i = 0; always && i < regs.written_count; i++)
            forget(&after, machine_number(search->function, regs.written[i]));
    }
    *state = after;
    if (outcome == OUTCOME_NONE) {
        if (!reads_others(search, state, inst, &regs)) return false;
        write_others(search, state, inst, &regs, always);
    }
    write_predicates(search, state, &regs);
    return true;
}

static uint64_t hash_of(const struct state *state) {
    uint64_t hash = state->guarded + 2u + 4u * (uint64_t)state->lower;
    for (uint32_t i = 0; i < state->count; i++) {
        const struct held *held = &state->held[i];
        hash = (hash ^ (held->reg | (uint64_t)held->term << 8 | (uint64_t)held->negated << 16 |
                        (uint64_t)held->upper << 17 | (uint64_t)held->unless << 18)) *
               UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash | 1;
}

/* Goes on at an instruction, in lanes in which the guard of that code is true; 0: in all. */
static void go_on(struct search *search, const struct state *state, uint32_t at, uint8_t guard) {
    struct state next = *state;
    next.at = at;
    for (uint32_t i = 0; i < next.count; i++)
        if (guard != 0 && next.held[i].unless == guard) next.held[i--] = next.held[--next.count];
    arena_push(search->arena, &search->open, next);
}

#define TARGETS_MAX 256u

/* Goes on wherever control can go behind an instruction; false: it is not known where. */
static bool leave(struct search *search, const struct state *state) {
    const struct ptx_function *function = search->function;
    uint32_t count, targets[TARGETS_MAX];
    const uint32_t first = ptx_issue_group(function, state->at, &count);
    const struct sass_inst *machine = machine_inst(search, state->at);
    const uint8_t guard = guard_code(&machine->guard);
    const bool alone = !machine->from[0].present || machine->from[0].number == SASS_PT;
    bool falls_through = true, branches = false;
    for (uint32_t i = first; i < first + count; i++) {
        const struct ptx_inst *inst = &function->insts[i];
        if (inst->form->op == PTX_OP_CALL && inst->form->runtime == PTX_RUNTIME_NONE) return false;
        const uint32_t found = ptx_branch_targets(function, inst, targets, TARGETS_MAX);
        if (found > TARGETS_MAX) return false;
        for (uint32_t k = 0; k < found; k++)
            if (targets[k] < function->inst_count)
                go_on(search, state, ptx_issue_of(function, targets[k]), guard);
        const bool leaves = found != 0 || inst->form->op == PTX_OP_EXIT || inst->form->op == PTX_OP_RET ||
                            ptx_ends_grid(inst->form);
        branches |= leaves;
        if (leaves && inst->guard == PTX_NO_INDEX) falls_through = false;
    }
    const uint8_t opposite = branches && alone && guard != 0 ? guard ^ GUARD_NEGATED : 0;
    if (falls_through && state->at + 1 < ptx_issued_count(function))
        go_on(search, state, state->at + 1, opposite);
    return true;
}

static struct state first_state(const struct search *search) {
    const struct sass_source *x = &search->seed->b;
    struct state state = {.at = search->seed_at, .lower = SASS_RZ, .guarded = true};
    if (is_register(x)) (void)hold(&state, (struct held){(uint8_t)x->number, TERM_X, false, search->wide, 0});
    (void)hold(&state, (struct held){(uint8_t)search->seed->d, TERM_SEED, false, search->wide, 0});
    return state;
}

/* Whether all that is made of the seed is a step of its sequence. */
static bool is_refined(struct search *search) {
    const struct state first = first_state(search);
    if (!leave(search, &first)) return false;
    while (search->open.count > 0) {
        struct state state = search->open.items[--search->open.count];
        const uint64_t hash = hash_of(&state);
        if (!is_tainted(&state) || search->seen[state.at] == hash) continue;
        search->seen[state.at] = hash;
        if (++search->visits > VISITS_MAX || !execute(search, &state) || !leave(search, &state)) return false;
    }
    return search->ended;
}

enum { MUFU_RCP = 4, MUFU_RSQ = 5, MUFU_RCP64H = 6, MUFU_RSQ64H = 7 };

static const struct step *steps_of(const struct sass_inst *inst) {
    if (inst->op != SASS_OP_MUFU) return NULL;
    switch (sass_field(inst, SASS_FIELD_FUNCTION)) {
    case MUFU_RCP: return reciprocal32;
    case MUFU_RSQ: return root32;
    case MUFU_RCP64H: return reciprocal64;
    case MUFU_RSQ64H: return root64;
    default: return NULL;
    }
}

/* The instruction of a group that computes the function. */
static void mark(struct ptx_function *function, uint32_t at) {
    uint32_t count;
    const uint32_t first = ptx_issue_group(function, at, &count);
    for (uint32_t i = first; i < first + count; i++) {
        const uint8_t op = function->insts[i].form->op;
        if (op == PTX_OP_RCP || op == PTX_OP_RSQRT) function->insts[i].relies_on = PTX_RELIES_ON_REFINEMENT;
    }
}

static void mark_in_function(struct search *search, struct ptx_function *function) {
    const uint32_t count = ptx_issued_count(function);
    search->function = function;
    search->seen = NULL;
    for (uint32_t at = 0; at < count; at++) {
        const struct sass_inst *inst = machine_inst(search, at);
        const struct step *steps = steps_of(inst);
        if (steps == NULL) continue;
        if (search->seen == NULL) search->seen = arena_array(search->arena, count, sizeof *search->seen);
        memset(search->seen, 0, count * sizeof *search->seen);
        search->seed = inst;
        search->seed_at = at;
        search->steps = steps;
        search->wide = steps == reciprocal64 || steps == root64;
        search->ended = false;
        search->visits = 0;
        search->open.count = 0;
        if (is_refined(search)) mark(function, at);
    }
}

struct marking {
    struct wb_module *module;
    struct arena arena;
};

static void mark_in_module(void *context) {
    struct marking *marking = context;
    struct search search = {.code = marking->module->code, .arena = &marking->arena};
    for (uint32_t f = 0; f < marking->module->function_count; f++)
        if (marking->module->functions[f].has_body) mark_in_function(&search, &marking->module->functions[f]);
}

wb_status lift_mark_refinements(struct wb_module *module) {
    struct marking marking = {.module = module};
    const wb_status status = arena_protect(&marking.arena, mark_in_module, &marking);
    arena_free(&marking.arena);
    return status;
}
