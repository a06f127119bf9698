#include "papers/abstract_cta/abstract_notation.h"

#include <inttypes.h>
#include <string.h>

#include "base/c_locale.h"
#include "machine/machine.h"

/* Deepest nesting of branches and loops, longest pattern. */
#define NOTATION_DEPTH_MAX 64u
#define PATTERN_MAX 64u

struct notation_parser {
    const char *text;
    size_t at;
    uint32_t depth;
    wb_diagnostics *diagnostics;
    struct abstract_notation *notation;
};

static wb_status fail(const struct notation_parser *parser, const char *message) {
    diagnose(parser->diagnostics, SEVERITY_ERROR, "program", "column %zu: %s", parser->at + 1, message);
    return WB_ERR_INPUT;
}

static char peek(struct notation_parser *parser) {
    while (parser->text[parser->at] == ' ')
        parser->at++;
    return parser->text[parser->at];
}

static bool take(struct notation_parser *parser, char expected) {
    if (peek(parser) != expected) return false;
    parser->at++;
    return true;
}

static wb_status parse_number(struct notation_parser *parser, cycles *number) {
    *number = 0;
    if (!ascii_digit(peek(parser))) return fail(parser, "expected a number of cycles");
    for (; ascii_digit(parser->text[parser->at]); parser->at++) {
        *number = *number * 10 + (cycles)(parser->text[parser->at] - '0');
        if (*number > MACHINE_TIME_MAX) return fail(parser, "expected at most 1000000 cycles");
    }
    return WB_OK;
}

static wb_status parse_sequence(struct notation_parser *parser, struct abstract_sequence *sequence);

static wb_status parse_time(struct notation_parser *parser, struct abstract_sequence *sequence) {
    cycles instr, shift = 0;
    WB_TRY(parse_number(parser, &instr));
    if (parser->text[parser->at] == '/') {
        parser->at++;
        WB_TRY(parse_number(parser, &shift));
    }
    return abstract_add_time(&parser->notation->warp, instr, shift, sequence);
}

/* "@0110": in which iterations the first side is executed. */
static wb_status parse_pattern(struct notation_parser *parser, struct abstract_node *branch) {
    if (!take(parser, '@')) return WB_OK;
    for (char c; (c = parser->text[parser->at]) == '0' || c == '1'; parser->at++) {
        if (branch->pattern_length == PATTERN_MAX) return fail(parser, "expected at most 64 iterations");
        branch->pattern |= (uint64_t)(c == '1') << branch->pattern_length++;
    }
    return branch->pattern_length > 0 ? WB_OK : fail(parser, "expected a 0 or 1 for each iteration");
}

static wb_status parse_branch(struct notation_parser *parser, char close,
                              struct abstract_sequence *sequence) {
    struct abstract_sequence sides[2] = {ABSTRACT_SEQUENCE_EMPTY, ABSTRACT_SEQUENCE_EMPTY};
    struct abstract_node branch = {.diverges = close == '>', .block = ABSTRACT_NONE};
    parser->at++;
    WB_TRY(parse_sequence(parser, &sides[0]));
    if (take(parser, ';')) WB_TRY(parse_sequence(parser, &sides[1]));
    if (!take(parser, close)) return fail(parser, "expected the end of the branch, '}' or '>'");
    if (close == '}') WB_TRY(parse_pattern(parser, &branch));
    if (sides[0].has_barrier || sides[1].has_barrier)
        return fail(parser, "a branch cannot have barriers: warps would not meet");
    return abstract_add_branch(&parser->notation->warp, &branch, sides, sequence);
}

static wb_status parse_name(struct notation_parser *parser, struct abstract_loop_name *name) {
    size_t length = 0;
    *name = (struct abstract_loop_name){0};
    for (char c; c = parser->text[parser->at], ascii_letter(c) || ascii_digit(c) || c == '_'; parser->at++) {
        if (length + 1 == sizeof name->text) return fail(parser, "the name of a loop has at most 31 letters");
        name->text[length++] = c;
    }
    for (size_t i = 0; i < parser->notation->names.count; i++)
        if (strcmp(parser->notation->names.items[i].text, name->text) == 0)
            return fail(parser, "there is a loop of that name already");
    return WB_OK;
}

static wb_status parse_loop(struct notation_parser *parser, struct abstract_sequence *sequence) {
    struct abstract_sequence header = ABSTRACT_SEQUENCE_EMPTY, rest = ABSTRACT_SEQUENCE_EMPTY;
    struct abstract_loop_name name;
    WB_TRY(parse_name(parser, &name));
    if (!take(parser, '(')) return fail(parser, "expected '(' behind the name of a loop");
    WB_TRY(parse_sequence(parser, &header));
    if (take(parser, ':')) WB_TRY(parse_sequence(parser, &rest));
    if (!take(parser, ')')) return fail(parser, "expected ')' at the end of the loop");
    WB_TRY(vec_push(&parser->notation->names, name)); /* numbered as loops are: when they end */
    return abstract_add_loop(&parser->notation->warp, ABSTRACT_NONE, &header, &rest, sequence);
}

static wb_status parse_element(struct notation_parser *parser, char c, struct abstract_sequence *sequence) {
    struct abstract_warp *warp = &parser->notation->warp;
    if (ascii_digit(c)) return parse_time(parser, sequence);
    if (ascii_upper(c)) return parse_loop(parser, sequence);
    switch (c) {
    case 'm':
    case 'w': parser->at++; return abstract_add_memory(warp, c == 'w', sequence);
    case '|': parser->at++; return abstract_add_barrier(warp, sequence);
    case '{': return parse_branch(parser, '}', sequence);
    case '<': return parse_branch(parser, '>', sequence);
    default: return fail(parser, "expected a number, m, w, |, {...}, <...> or LOOP(...)");
    }
}

static wb_status parse_sequence(struct notation_parser *parser, struct abstract_sequence *sequence) {
    wb_status status = WB_OK;
    if (++parser->depth > NOTATION_DEPTH_MAX) return fail(parser, "nested too deeply");
    for (char c; status == WB_OK && (c = peek(parser)) != '\0' && strchr(";:)}>", c) == NULL;)
        status = parse_element(parser, c, sequence);
    parser->depth--;
    return status;
}

wb_status abstract_notation_parse(const char *program, wb_diagnostics *diagnostics,
                                  struct abstract_notation *notation) {
    struct notation_parser parser = {.text = program, .diagnostics = diagnostics, .notation = notation};
    struct abstract_sequence sequence = ABSTRACT_SEQUENCE_EMPTY;
    size_t errors = wb_diagnostics_errors(diagnostics);
    *notation = (struct abstract_notation){.warp = {.first = ABSTRACT_NONE}};
    wb_status status = parse_sequence(&parser, &sequence);
    if (status == WB_OK && program[parser.at] != '\0') status = fail(&parser, "nothing is open here");
    if (status == WB_ERR_LIMIT && wb_diagnostics_errors(diagnostics) == errors)
        return diagnose_out_of_memory(diagnostics, "program");
    notation->warp.first = sequence.first;
    return status;
}

void abstract_notation_free(struct abstract_notation *notation) {
    abstract_warp_free(&notation->warp);
    vec_free(&notation->names);
}
