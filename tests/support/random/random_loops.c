#include "random_loops.h"

#include <stdio.h>

/* ---- Generation ---------------------------------------------------------------------------------------- */

struct generator {
    struct loop_program *program;
    struct random_state *random;
};

static bool one_in(struct generator *g, uint64_t n) {
    return random_below(g->random, n) == 0;
}

uint64_t random_loop_word(struct random_state *random, uint32_t bits) {
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t word = random_next(random) >> (64 - bits + random_below(random, bits));
    switch (random_below(random, 6)) {
    case 0: word = random_below(random, 9) - 4; break;
    case 1: word = mask / 2 + random_below(random, 9) - 4; break;
    case 2: word = 0 - word; break;
    default: break;
    }
    return word & mask;
}

/* A variable of that width; the first one that there is, going round from a random one. */
static uint32_t variable_of(struct generator *g, uint32_t bits) {
    uint32_t variable = (uint32_t)random_below(g->random, LOOP_VARIABLES);
    while (g->program->bits[variable] != bits)
        variable = (variable + 1) % LOOP_VARIABLES;
    return variable;
}

static struct loop_operand operand_of(struct generator *g, uint32_t bits) {
    if (one_in(g, 2)) return (struct loop_operand){.variable = variable_of(g, bits)};
    return (struct loop_operand){.is_constant = true, .constant = random_loop_word(g->random, bits)};
}

static struct loop_comparison comparison_of(struct generator *g, uint32_t variable) {
    return (struct loop_comparison){
        .relation = (uint8_t)random_below(g->random, 6),
        .is_signed = one_in(g, 2),
        .a = variable,
        .b = operand_of(g, g->program->bits[variable]),
    };
}

static struct loop_condition condition_of(struct generator *g, uint32_t variable) {
    struct loop_condition condition = {.first = comparison_of(g, variable)};
    condition.second = comparison_of(g, (uint32_t)random_below(g->random, LOOP_VARIABLES));
    condition.dress = one_in(g, 2) ? DRESS_PLAIN : (uint8_t)random_below(g->random, DRESSES);
    return condition;
}

static struct loop_condition any_condition(struct generator *g) {
    return condition_of(g, (uint32_t)random_below(g->random, LOOP_VARIABLES));
}

static uint32_t new_statement(struct generator *g, struct loop_statement statement) {
    statement.next = NO_STATEMENT;
    g->program->statements[g->program->statement_count] = statement;
    return g->program->statement_count++;
}

/* A constant that leads the counter on: small or a power of two, mostly. */
static struct loop_operand step_of(struct generator *g, uint32_t bits) {
    struct loop_operand step = operand_of(g, bits);
    if (one_in(g, 4)) return step;
    step = (struct loop_operand){.is_constant = true, .constant = 1 + random_below(g->random, 5)};
    if (one_in(g, 3)) step.constant = UINT64_C(1) << random_below(g->random, bits);
    return step;
}

/* counter = counter OP step. */
static struct loop_statement update_of(struct generator *g, uint32_t counter) {
    static const uint8_t operations[] = {LOOP_ADD, LOOP_ADD, LOOP_ADD, LOOP_SUB, LOOP_SUB,
                                         LOOP_SHL, LOOP_SHR, LOOP_MUL, LOOP_DIV};
    uint32_t bits = g->program->bits[counter];
    struct loop_statement update = {.kind = LOOP_ASSIGN, .to = counter, .is_signed = one_in(g, 2)};
    update.operation = operations[random_below(g->random, sizeof operations)];
    update.a = (struct loop_operand){.variable = counter};
    update.b = step_of(g, bits);
    if (update.operation == LOOP_SHL || update.operation == LOOP_SHR)
        update.b = (struct loop_operand){.is_constant = true, .constant = 1 + random_below(g->random, 3)};
    if (update.operation == LOOP_MUL || update.operation == LOOP_DIV)
        update.b = (struct loop_operand){.is_constant = true, .constant = 2 + random_below(g->random, 3)};
    update.guarded = one_in(g, 10);
    if (update.guarded) update.condition = any_condition(g);
    return update;
}

static struct loop_statement assignment(struct generator *g) {
    uint32_t to = (uint32_t)random_below(g->random, LOOP_VARIABLES), bits = g->program->bits[to];
    struct loop_statement s = {.kind = LOOP_ASSIGN, .to = to, .is_signed = one_in(g, 2)};
    s.operation = (uint8_t)random_below(g->random, LOOP_OPERATIONS);
    s.a = (struct loop_operand){.variable = variable_of(g, bits)};
    s.b = operand_of(g, bits);
    if (s.operation == LOOP_SHL || s.operation == LOOP_SHR)
        s.b = (struct loop_operand){.is_constant = true, .constant = random_below(g->random, bits + 2)};
    if ((s.operation == LOOP_DIV || s.operation == LOOP_REM) && (!s.b.is_constant || s.b.constant == 0))
        s.b = (struct loop_operand){.is_constant = true, .constant = 1 + random_below(g->random, 9)};
    s.guarded = s.operation != LOOP_SELECT && one_in(g, 5);
    if (s.guarded || s.operation == LOOP_SELECT) s.condition = any_condition(g);
    return s;
}

static uint32_t statements(struct generator *g, uint32_t depth, bool in_loop);

/* A loop whose counter is set in front of it, mostly, changed at the end of its body and tested. The variable
 * it is set from may be any, so that loops inside depend on those around them. */
static uint32_t counted_loop(struct generator *g, uint32_t depth) {
    uint32_t counter = (uint32_t)random_below(g->random, LOOP_VARIABLES), bits = g->program->bits[counter];
    uint32_t number = g->program->loop_count++;
    uint32_t start = new_statement(
        g, (struct loop_statement){.kind = LOOP_ASSIGN, .to = counter, .a = operand_of(g, bits)});
    struct loop_statement loop = {.kind = LOOP_LOOP, .loop = number, .tests_first = one_in(g, 3)};
    loop.condition = one_in(g, 4) ? any_condition(g) : condition_of(g, counter);
    uint32_t at = new_statement(g, loop);
    g->program->statements[start].next = at;
    if (one_in(g, 4)) start = at; /* it goes on from what it is */
    uint32_t body = one_in(g, 3) ? NO_STATEMENT : statements(g, depth + 1, true);
    uint32_t update = new_statement(g, update_of(g, counter)), last = body;
    while (last != NO_STATEMENT && g->program->statements[last].next != NO_STATEMENT)
        last = g->program->statements[last].next;
    if (last != NO_STATEMENT) g->program->statements[last].next = update;
    g->program->statements[at].body = body == NO_STATEMENT ? update : body;
    return start;
}

static uint32_t statement(struct generator *g, uint32_t depth, bool in_loop) {
    uint32_t room = LOOP_STATEMENTS_MAX - g->program->statement_count;
    uint64_t kind = random_below(g->random, 10);
    if (kind < 3 && depth < 3 && room > 12 && g->program->loop_count < LOOPS_MAX)
        return counted_loop(g, depth);
    if (kind == 3 && depth < 3 && room > 12) {
        uint32_t at =
            new_statement(g, (struct loop_statement){.kind = LOOP_IF, .condition = any_condition(g)});
        uint32_t body = statements(g, depth + 1, in_loop);
        uint32_t otherwise = one_in(g, 2) ? statements(g, depth + 1, in_loop) : NO_STATEMENT;
        g->program->statements[at].body = body;
        g->program->statements[at].otherwise = otherwise;
        return at;
    }
    uint32_t variable = (uint32_t)random_below(g->random, LOOP_VARIABLES);
    if (kind == 4 && in_loop)
        return new_statement(g, (struct loop_statement){.kind = one_in(g, 4) ? LOOP_CONTINUE : LOOP_BREAK,
                                                        .condition = any_condition(g)});
    if (kind == 5)
        return new_statement(g, (struct loop_statement){.kind = LOOP_CONVERT,
                                                        .to = variable,
                                                        .is_signed = one_in(g, 2),
                                                        .a = {.variable = (variable + 1) % LOOP_VARIABLES}});
    if (kind == 6) {
        g->program->loads = true;
        return new_statement(g, (struct loop_statement){.kind = LOOP_LOAD,
                                                        .to = variable,
                                                        .is_signed = one_in(g, 2),
                                                        .load_bits = one_in(g, 2) ? 8 : 16});
    }
    return new_statement(g, assignment(g));
}

/* One to three statements, linked; there is room for them. */
static uint32_t statements(struct generator *g, uint32_t depth, bool in_loop) {
    uint32_t first = NO_STATEMENT, last = NO_STATEMENT;
    uint64_t count = 1 + random_below(g->random, 3);
    for (uint64_t i = 0; i < count && g->program->statement_count + 8 < LOOP_STATEMENTS_MAX; i++) {
        uint32_t one = statement(g, depth, in_loop);
        if (first == NO_STATEMENT)
            first = one;
        else
            g->program->statements[last].next = one;
        last = one;
        while (g->program->statements[last].next != NO_STATEMENT)
            last = g->program->statements[last].next;
    }
    return first;
}

struct loop_program random_loop_program(struct random_state *random) {
    static const uint8_t widths[] = {16, 32, 32, 64};
    struct loop_program program = {.threads = 1 + (uint32_t)random_below(random, 64)};
    struct generator g = {&program, random};
    uint8_t main_width = widths[random_below(random, sizeof widths)];
    for (uint32_t v = 0; v < LOOP_VARIABLES; v++) {
        program.bits[v] = one_in(&g, 5) ? widths[random_below(random, sizeof widths)] : main_width;
        program.from_parameter[v] = v < LOOP_PARAMETERS;
        program.from_thread[v] = v == LOOP_PARAMETERS;
        program.initial[v] = random_loop_word(random, program.bits[v]);
    }
    for (uint32_t p = 0; p < LOOP_PARAMETERS; p++) {
        program.parameter_known[p] = !one_in(&g, 3);
        program.parameter[p] = random_loop_word(random, program.bits[p]);
    }
    uint32_t head = one_in(&g, 2) ? statements(&g, 2, false) : NO_STATEMENT;
    uint32_t loop = counted_loop(&g, 0), tail = statements(&g, 1, false), last = head;
    program.first = head == NO_STATEMENT ? loop : head;
    while (last != NO_STATEMENT && program.statements[last].next != NO_STATEMENT)
        last = program.statements[last].next;
    if (last != NO_STATEMENT) program.statements[last].next = loop;
    for (last = loop; program.statements[last].next != NO_STATEMENT;)
        last = program.statements[last].next;
    program.statements[last].next = tail;
    return program;
}

/* ---- Printing ------------------------------------------------------------------------------------------ */

struct printer {
    const struct loop_program *program;
    struct text *out;
    uint32_t predicates, labels;
};

static const char *const relation_names[] = {"eq", "ne", "lt", "le", "gt", "ge"};

static void put_operand(struct printer *p, const struct loop_operand *operand) {
    if (operand->is_constant)
        text_printf(p->out, "0x%llx", (unsigned long long)operand->constant);
    else
        text_printf(p->out, "%%v%u", operand->variable);
}

/* ---- In halves: %l<n> and %h<n> are those of variable n, %w0 .. %w2 of 64 bits */

static bool is_halved(const struct printer *p, uint32_t variable) {
    return p->program->in_halves && p->program->bits[variable] == 64;
}

static void put_half(struct printer *p, const struct loop_operand *operand, bool high) {
    if (operand->is_constant)
        text_printf(p->out, "0x%x", (unsigned)(operand->constant >> (high ? 32 : 0)));
    else
        text_printf(p->out, "%%%c%u", high ? 'h' : 'l', operand->variable);
}

static void put_text(struct printer *p, const char *text) {
    text_string(p->out, text);
}

/* %w<n> = the variable, where the operand is one. */
static void put_packed(struct printer *p, const struct loop_operand *operand, uint32_t n) {
    if (!operand->is_constant)
        text_printf(p->out, "mov.b64 %%w%u, {%%l%u, %%h%u};\n", n, operand->variable, operand->variable);
}

static void put_unpacked(struct printer *p, const char *guard, uint32_t to) {
    text_printf(p->out, "%smov.b64 {%%l%u, %%h%u}, %%w2;\n", guard, to, to);
}

/* One half of a comparison or sum, with the operands in either order. */
static void put_two_halves(struct printer *p, const struct loop_operand *a, const struct loop_operand *b,
                           bool high, bool swapped) {
    put_half(p, swapped ? b : a, high);
    put_text(p, ", ");
    put_half(p, swapped ? a : b, high);
}

/* setp of lower halves, and of upper ones with its result; some lower ones the other way round. */
static void put_setp_of_halves(struct printer *p, const struct loop_comparison *c, uint32_t relation,
                               uint32_t to, uint32_t with) {
    static const uint8_t swapped_relations[] = {0, 1, 4, 5, 2, 3};
    const struct loop_operand a = {.variable = c->a};
    const bool swapped = p->predicates % 3 == 1;
    text_printf(p->out, "setp.%s.u32 %%q, ",
                relation_names[swapped ? swapped_relations[relation] : relation]);
    put_two_halves(p, &a, &c->b, false, swapped);
    text_printf(p->out, ";\nmachine.setp.%s.and.%c32 %%p%u, ", relation_names[relation],
                c->is_signed ? 's' : 'u', to);
    put_two_halves(p, &a, &c->b, true, false);
    put_text(p, ", %q, ");
    if (with != NO_STATEMENT)
        text_printf(p->out, "%%p%u;\n", with);
    else
        put_text(p, "1;\n");
}

/* to = a + b, by halves. */
static void put_sum_of_halves(struct printer *p, const char *guard, uint32_t to, const struct loop_operand *a,
                              const struct loop_operand *b) {
    text_printf(p->out, "%smachine.add3.u32 %%l%u|%%c, _, ", guard, to);
    put_two_halves(p, a, b, false, false);
    text_printf(p->out, ", 0, 0, 0;\n%smachine.add3.u32 %%h%u, _, ", guard, to);
    put_two_halves(p, a, b, true, p->predicates % 2 == 1);
    put_text(p, ", 0, %c, 0;\n");
}

/* to = a - b */
static void put_difference_of_halves(struct printer *p, const char *guard, uint32_t to,
                                     const struct loop_operand *a, const struct loop_operand *b) {
    for (int high = 0; high < 2; high++) {
        put_text(p, "not.b32 %s, ");
        put_half(p, b, high != 0);
        text_printf(p->out, ";\n%smachine.add3.u32 %%%c%u%s, _, ", guard, high ? 'h' : 'l', to,
                    high ? "" : "|%c");
        put_half(p, a, high != 0);
        put_text(p, high ? ", %s, 0, %c, 0;\n" : ", %s, 0, 1, 0;\n");
    }
}

/* to = a, of 64 or fewer bits. */
static void put_converted_halves(struct printer *p, const struct loop_statement *s) {
    const uint32_t from = s->a.variable, from_bits = p->program->bits[from];
    const char type = s->is_signed ? 's' : 'u';
    if (from_bits == 32 && is_halved(p, s->to)) {
        text_printf(p->out, "mov.b32 %%l%u, %%v%u;\n", s->to, from);
        text_printf(p->out, s->is_signed ? "shr.s32 %%h%u, %%v%u, 31;\n" : "mov.b32 %%h%u, 0;\n", s->to,
                    from);
        return;
    }
    if (is_halved(p, from)) put_packed(p, &s->a, 0);
    if (!is_halved(p, s->to))
        text_printf(p->out, "cvt.%c%u.%c64 %%v%u, %%w0;\n", type, p->program->bits[s->to], type, s->to);
    else if (is_halved(p, from))
        text_printf(p->out, "mov.b64 %%w2, %%w0;\n");
    else
        text_printf(p->out, "cvt.%c64.%c%u %%w2, %%v%u;\n", type, type, from_bits, from);
    if (is_halved(p, s->to)) put_unpacked(p, "", s->to);
}

/* Loads a word of 8 or 16 bits and extends it by prmt, as machine code does, with other bits in front of it.
 */
static void put_permuted_load(struct printer *p, const struct loop_statement *s) {
    static const char *const selectors[2][2][2] = {{{"0x4440", "0x0004"}, {"0x4410", "0x0054"}},
                                                   {{"0x8880", "0xccc4"}, {"0x9910", "0xdd54"}}};
    const bool second = p->predicates % 2 == 1;
    const char *selector = selectors[s->is_signed][s->load_bits == 16][second];
    text_printf(p->out, "ld.global.u%u %%s, [%%out];\nor.b32 %%s, %%s, 0x5a830000;\n", s->load_bits);
    text_printf(p->out, second ? "prmt.b32 %%v%u, 0, %%s, %s;\n" : "prmt.b32 %%v%u, %%s, 0, %s;\n", s->to,
                selector);
}

/* The first values of a variable. */
static void put_initial_halves(const struct loop_program *program, uint32_t v, struct text *out) {
    if (program->from_parameter[v])
        text_printf(out, "ld.param.u64 %%w0, [p%u];\nmov.b64 {%%l%u, %%h%u}, %%w0;\n", v, v, v);
    else if (program->from_thread[v])
        text_printf(out, "mov.b32 %%l%u, %%s;\nmov.b32 %%h%u, 0;\n", v, v);
    else
        text_printf(out, "mov.b32 %%l%u, 0x%x;\nmov.b32 %%h%u, 0x%x;\n", v, (unsigned)program->initial[v], v,
                    (unsigned)(program->initial[v] >> 32));
}

/* setp of a comparison, or of the opposite one, into predicate `to`; combined with `with` if that is one. */
static void put_setp(struct printer *p, const struct loop_comparison *c, bool opposite, uint32_t to,
                     uint32_t with) {
    static const uint8_t opposites[] = {1, 0, 5, 4, 3, 2};
    const uint32_t relation = opposite ? opposites[c->relation] : c->relation;
    const char *name = relation_names[relation];
    if (is_halved(p, c->a)) {
        put_setp_of_halves(p, c, relation, to, with);
        return;
    }
    text_printf(p->out, "setp.%s%s.%c%u %%p%u, %%v%u, ", name, with != NO_STATEMENT ? ".and" : "",
                c->is_signed ? 's' : 'u', p->program->bits[c->a], to, c->a);
    put_operand(p, &c->b);
    if (with != NO_STATEMENT) text_printf(p->out, ", %%p%u", with);
    text_string(p->out, ";\n");
}

/* The predicate by way of a branch: moves that meet. */
static void put_joined(struct printer *p, uint32_t branch, bool otherwise, uint32_t from, uint32_t to) {
    uint32_t label = p->labels++;
    text_printf(p->out, "@%%p%u bra J%u;\nmov.pred %%p%u, %d;\nbra.uni K%u;\nJ%u:\n", branch, label, to,
                otherwise ? -1 : 0, label, label);
    if (from == branch)
        text_printf(p->out, "mov.pred %%p%u, -1;\nK%u:\n", to, label);
    else
        text_printf(p->out, "mov.pred %%p%u, %%p%u;\nK%u:\n", to, from, label);
}

/* Computes a condition; returns the number of its predicate. */
static uint32_t put_condition(struct printer *p, const struct loop_condition *condition) {
    uint32_t first = p->predicates, second = first + 1, result = first + 2;
    p->predicates += 3;
    put_setp(p, &condition->first, condition->dress == DRESS_NOT, first, NO_STATEMENT);
    switch (condition->dress) {
    case DRESS_NOT: text_printf(p->out, "not.pred %%p%u, %%p%u;\n", result, first); return result;
    case DRESS_XOR:
        text_printf(p->out, "mov.pred %%p%u, 0;\nxor.pred %%p%u, %%p%u, %%p%u;\n", second, result, first,
                    second);
        return result;
    case DRESS_SELECTED:
        text_printf(p->out, "selp.u32 %%s, 1, 0, %%p%u;\nsetp.ne.s32 %%p%u, %%s, 0;\n", first, result);
        return result;
    case DRESS_JOINED: put_joined(p, first, false, first, result); return result;
    case DRESS_CHOSEN:
        put_setp(p, &condition->second, false, second, NO_STATEMENT);
        put_joined(p, second, true, first, result);
        return result;
    case DRESS_AND:
    case DRESS_OR:
        put_setp(p, &condition->second, false, second, NO_STATEMENT);
        text_printf(p->out, "%s.pred %%p%u, %%p%u, %%p%u;\n", condition->dress == DRESS_AND ? "and" : "or",
                    result, first, second);
        return result;
    case DRESS_SETP_AND: put_setp(p, &condition->second, false, second, first); return second;
    default: return first;
    }
}

/* The type that the operation is written with: not all work on words of either kind. */
static char type_letter(const struct loop_statement *s) {
    switch (s->operation) {
    case LOOP_MOVE:
    case LOOP_AND:
    case LOOP_OR:
    case LOOP_XOR:
    case LOOP_SHL:
    case LOOP_NOT:
    case LOOP_SELECT: return 'b';
    case LOOP_NEG:
    case LOOP_ABS: return 's';
    default: return s->is_signed ? 's' : 'u';
    }
}

static const char *const names[LOOP_OPERATIONS] = {"mov", "add",    "sub", "mul.lo", "and", "or",
                                                   "xor", "shl",    "shr", "min",    "max", "div",
                                                   "rem", "mul.hi", "neg", "not",    "abs", "selp"};

/* An operation of 64 bits, between registers that are put together and taken apart. */
static void put_packed_operation(struct printer *p, const char *guard, const struct loop_statement *s,
                                 bool unary, uint32_t predicate) {
    put_packed(p, &s->a, 0);
    if (!unary) put_packed(p, &s->b, 1);
    text_printf(p->out, "%s.%c64 %%w2, ", names[s->operation], type_letter(s));
    if (s->a.is_constant)
        put_operand(p, &s->a);
    else
        put_text(p, "%w0");
    if (!unary) put_text(p, ", ");
    if (!unary && s->b.is_constant)
        put_operand(p, &s->b);
    else if (!unary)
        put_text(p, "%w1");
    if (s->operation == LOOP_SELECT) text_printf(p->out, ", %%p%u", predicate);
    put_text(p, ";\n");
    put_unpacked(p, guard, s->to);
}

static void put_assign_halves(struct printer *p, const struct loop_statement *s, bool unary,
                              uint32_t predicate) {
    char guard[16] = "";
    if (s->guarded) (void)snprintf(guard, sizeof guard, "@%%p%u ", predicate);
    if (s->operation == LOOP_MOVE) {
        for (int high = 0; high < 2; high++) {
            text_printf(p->out, "%smov.b32 %%%c%u, ", guard, high ? 'h' : 'l', s->to);
            put_half(p, &s->a, high != 0);
            put_text(p, ";\n");
        }
    } else if (s->operation == LOOP_ADD) {
        put_sum_of_halves(p, guard, s->to, &s->a, &s->b);
    } else if (s->operation == LOOP_SUB && s->b.is_constant) {
        const struct loop_operand negative = {.is_constant = true, .constant = 0 - s->b.constant};
        put_sum_of_halves(p, guard, s->to, &s->a, &negative);
    } else if (s->operation == LOOP_SUB) {
        put_difference_of_halves(p, guard, s->to, &s->a, &s->b);
    } else {
        put_packed_operation(p, guard, s, unary, predicate);
    }
}

static void put_assign(struct printer *p, const struct loop_statement *s) {
    bool unary = s->operation == LOOP_MOVE || (s->operation >= LOOP_NEG && s->operation <= LOOP_ABS);
    bool conditional = s->guarded || s->operation == LOOP_SELECT;
    uint32_t predicate = conditional ? put_condition(p, &s->condition) : NO_STATEMENT;
    if (is_halved(p, s->to)) {
        put_assign_halves(p, s, unary, predicate);
        return;
    }
    if (s->guarded) text_printf(p->out, "@%%p%u ", predicate);
    text_printf(p->out, "%s.%c%u %%v%u, ", names[s->operation], type_letter(s), p->program->bits[s->to],
                s->to);
    put_operand(p, &s->a);
    if (!unary) {
        text_string(p->out, ", ");
        put_operand(p, &s->b);
    }
    if (s->operation == LOOP_SELECT) text_printf(p->out, ", %%p%u", predicate);
    text_string(p->out, ";\n");
}

static void put_statements(struct printer *p, uint32_t first, uint32_t loop);

static void put_if(struct printer *p, const struct loop_statement *s, uint32_t loop) {
    uint32_t label = p->labels++, predicate = put_condition(p, &s->condition);
    text_printf(p->out, "@!%%p%u bra E%u;\n", predicate, label);
    put_statements(p, s->body, loop);
    text_printf(p->out, "bra.uni F%u;\nE%u:\n", label, label);
    put_statements(p, s->otherwise, loop);
    text_printf(p->out, "F%u:\n", label);
}

/* The move makes each header a block of its own. */
static void put_loop(struct printer *p, const struct loop_statement *s) {
    text_printf(p->out, "H%u:\nmov.u32 %%t, %u;\n", s->loop, s->loop);
    if (s->tests_first) {
        uint32_t predicate = put_condition(p, &s->condition);
        text_printf(p->out, "@!%%p%u bra X%u;\n", predicate, s->loop);
    }
    put_statements(p, s->body, s->loop);
    if (s->tests_first) {
        text_printf(p->out, "bra.uni H%u;\n", s->loop);
    } else {
        uint32_t predicate = put_condition(p, &s->condition);
        text_printf(p->out, "@%%p%u bra H%u;\n", predicate, s->loop);
    }
    text_printf(p->out, "X%u:\n", s->loop);
}

static void put_statements(struct printer *p, uint32_t first, uint32_t loop) {
    for (uint32_t at = first; at != NO_STATEMENT; at = p->program->statements[at].next) {
        const struct loop_statement *s = &p->program->statements[at];
        switch (s->kind) {
        case LOOP_ASSIGN: put_assign(p, s); break;
        case LOOP_CONVERT:
            if (is_halved(p, s->to) || is_halved(p, s->a.variable)) {
                put_converted_halves(p, s);
                break;
            }
            text_printf(p->out, "cvt.%c%u.%c%u %%v%u, %%v%u;\n", s->is_signed ? 's' : 'u',
                        p->program->bits[s->to], s->is_signed ? 's' : 'u', p->program->bits[s->a.variable],
                        s->to, s->a.variable);
            break;
        case LOOP_LOAD:
            if (p->program->in_halves && p->program->bits[s->to] == 32) {
                put_permuted_load(p, s);
                break;
            }
            text_printf(p->out, "ld.global.%c%u %%%c%u, [%%out];\n", s->is_signed ? 's' : 'u', s->load_bits,
                        is_halved(p, s->to) ? 'w' : 'v', is_halved(p, s->to) ? 2 : s->to);
            if (is_halved(p, s->to)) put_unpacked(p, "", s->to);
            break;
        case LOOP_IF: put_if(p, s, loop); break;
        case LOOP_LOOP: put_loop(p, s); break;
        default: {
            uint32_t predicate = put_condition(p, &s->condition);
            text_printf(p->out, "@%%p%u bra %c%u;\n", predicate, s->kind == LOOP_BREAK ? 'X' : 'H', loop);
        }
        }
    }
}

void loop_program_print(const struct loop_program *program, struct text *out) {
    struct text body = {0};
    struct printer p = {.program = program, .out = &body};
    put_statements(&p, program->first, NO_STATEMENT);
    text_string(out, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(");
    for (uint32_t v = 0; v < LOOP_PARAMETERS; v++)
        text_printf(out, ".param .u%u p%u, ", program->bits[v], v);
    text_printf(out, ".param .u64 out)\n{\n.reg .pred %%p<%u>;\n.reg .b32 %%s, %%t;\n.reg .b64 %%out;\n",
                p.predicates + 1);
    if (program->in_halves) text_string(out, ".reg .pred %q, %c;\n.reg .b64 %w<3>;\n");
    for (uint32_t v = 0; v < LOOP_VARIABLES; v++) {
        if (is_halved(&p, v))
            text_printf(out, ".reg .b32 %%l%u, %%h%u;\n", v, v);
        else
            text_printf(out, ".reg .b%u %%v%u;\n", program->bits[v], v);
    }
    text_string(out, "ld.param.u64 %out, [out];\nmov.u32 %s, %tid.x;\n");
    for (uint32_t v = 0; v < LOOP_VARIABLES; v++) {
        if (is_halved(&p, v))
            put_initial_halves(program, v, out);
        else if (program->from_parameter[v])
            text_printf(out, "ld.param.u%u %%v%u, [p%u];\n", program->bits[v], v, v);
        else if (program->from_thread[v])
            text_printf(out, "cvt.u%u.u32 %%v%u, %%s;\n", program->bits[v], v);
        else
            text_printf(out, "mov.b%u %%v%u, 0x%llx;\n", program->bits[v], v,
                        (unsigned long long)program->initial[v]);
    }
    if (!body.failed && body.data != NULL) text_append(out, body.data, body.length);
    text_string(out, "ret;\n}\n");
    text_free(&body);
}

/* ---- Execution ----------------------------------------------------------------------------------------- */

enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_STOP };

struct execution {
    const struct loop_program *program;
    struct random_state *random;
    uint64_t variables[LOOP_VARIABLES];
    uint64_t fuel;
    uint64_t *most;
};

static int64_t signed_word(uint64_t word, uint32_t bits) {
    return (int64_t)(word << (64 - bits)) >> (64 - bits);
}

static uint64_t cut(uint64_t word, uint32_t bits) {
    return word << (64 - bits) >> (64 - bits);
}

static uint64_t value_of(const struct execution *e, const struct loop_operand *operand, uint32_t bits) {
    return operand->is_constant ? cut(operand->constant, bits) : e->variables[operand->variable];
}

static bool compare(const struct execution *e, const struct loop_comparison *c) {
    uint32_t bits = e->program->bits[c->a];
    uint64_t a = e->variables[c->a], b = value_of(e, &c->b, bits);
    int64_t x = signed_word(a, bits), y = signed_word(b, bits);
    bool less = c->is_signed ? x < y : a < b, equal = a == b;
    const bool results[] = {equal, !equal, less, less || equal, !less && !equal, !less};
    return results[c->relation];
}

static bool holds(const struct execution *e, const struct loop_condition *condition) {
    bool first = compare(e, &condition->first), second = compare(e, &condition->second);
    if (condition->dress == DRESS_AND || condition->dress == DRESS_SETP_AND) return first && second;
    if (condition->dress == DRESS_CHOSEN) return first || !second;
    return condition->dress == DRESS_OR ? first || second : first;
}

static uint64_t quotient(uint64_t a, uint64_t b, uint32_t bits, bool is_signed, bool remainder) {
    if (!is_signed) return remainder ? a % b : a / b;
    int64_t x = signed_word(a, bits), y = signed_word(b, bits);
    if (y == -1) return remainder ? 0 : 0 - (uint64_t)x;
    return (uint64_t)(remainder ? x % y : x / y);
}

static uint64_t high_half(uint64_t a, uint64_t b, uint32_t bits, bool is_signed) {
    __int128 x = signed_word(a, bits), y = signed_word(b, bits);
    if (is_signed) return (uint64_t)(x * y >> bits);
    return (uint64_t)((unsigned __int128)a * b >> bits);
}

static uint64_t compute(const struct execution *e, const struct loop_statement *s) {
    uint32_t bits = e->program->bits[s->to];
    uint64_t a = value_of(e, &s->a, bits), b = value_of(e, &s->b, bits);
    int64_t x = signed_word(a, bits), y = signed_word(b, bits);
    bool less = s->is_signed ? x < y : a < b;
    switch (s->operation) {
    case LOOP_ADD: return a + b;
    case LOOP_SUB: return a - b;
    case LOOP_MUL: return a * b;
    case LOOP_AND: return a & b;
    case LOOP_OR: return a | b;
    case LOOP_XOR: return a ^ b;
    case LOOP_SHL: return s->b.constant >= bits ? 0 : a << s->b.constant;
    case LOOP_SHR:
        if (s->is_signed) return (uint64_t)(x >> (s->b.constant >= bits ? bits - 1 : s->b.constant));
        return s->b.constant >= bits ? 0 : a >> s->b.constant;
    case LOOP_MIN: return less ? a : b;
    case LOOP_MAX: return less ? b : a;
    case LOOP_MUL_HIGH: return high_half(a, b, bits, s->is_signed);
    case LOOP_NEG: return 0 - a;
    case LOOP_NOT: return ~a;
    case LOOP_ABS: return x < 0 ? 0 - a : a;
    case LOOP_SELECT: return holds(e, &s->condition) ? a : b;
    case LOOP_DIV: return quotient(a, b, bits, s->is_signed, false);
    case LOOP_REM: return quotient(a, b, bits, s->is_signed, true);
    default: return a;
    }
}

static enum flow execute(struct execution *e, uint32_t first);

static enum flow execute_loop(struct execution *e, const struct loop_statement *s) {
    for (uint64_t count = 1;; count++) {
        if (count > e->most[s->loop]) e->most[s->loop] = count;
        if (e->fuel == 0) return FLOW_STOP;
        e->fuel--;
        if (s->tests_first && !holds(e, &s->condition)) return FLOW_ON;
        enum flow flow = execute(e, s->body);
        if (flow == FLOW_STOP) return flow;
        if (flow == FLOW_BREAK) return FLOW_ON;
        if (flow == FLOW_ON && !s->tests_first && !holds(e, &s->condition)) return FLOW_ON;
    }
}

static enum flow execute_one(struct execution *e, const struct loop_statement *s) {
    uint32_t bits = e->program->bits[s->to];
    switch (s->kind) {
    case LOOP_ASSIGN:
        if (!s->guarded || holds(e, &s->condition)) e->variables[s->to] = cut(compute(e, s), bits);
        return FLOW_ON;
    case LOOP_CONVERT: {
        uint64_t word = e->variables[s->a.variable];
        if (s->is_signed) word = (uint64_t)signed_word(word, e->program->bits[s->a.variable]);
        e->variables[s->to] = cut(word, bits);
        return FLOW_ON;
    }
    case LOOP_LOAD: {
        uint64_t word = random_loop_word(e->random, s->load_bits);
        if (s->is_signed) word = (uint64_t)signed_word(word, s->load_bits);
        e->variables[s->to] = cut(word, bits);
        return FLOW_ON;
    }
    case LOOP_IF: return execute(e, holds(e, &s->condition) ? s->body : s->otherwise);
    case LOOP_LOOP: return execute_loop(e, s);
    default:
        if (!holds(e, &s->condition)) return FLOW_ON;
        return s->kind == LOOP_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
    }
}

static enum flow execute(struct execution *e, uint32_t first) {
    for (uint32_t at = first; at != NO_STATEMENT; at = e->program->statements[at].next) {
        if (e->fuel == 0) return FLOW_STOP;
        e->fuel--;
        enum flow flow = execute_one(e, &e->program->statements[at]);
        if (flow != FLOW_ON) return flow;
    }
    return FLOW_ON;
}

bool loop_program_run(const struct loop_program *program, uint32_t thread, struct random_state *random,
                      uint64_t fuel, uint64_t most[LOOPS_MAX]) {
    struct execution e = {.program = program, .random = random, .fuel = fuel, .most = most};
    for (uint32_t v = 0; v < LOOP_VARIABLES; v++) {
        e.variables[v] = program->initial[v];
        if (program->from_thread[v]) e.variables[v] = thread;
        if (program->from_parameter[v])
            e.variables[v] = program->parameter_known[v] ? program->parameter[v]
                                                         : random_loop_word(random, program->bits[v]);
    }
    return execute(&e, program->first) == FLOW_ON;
}
