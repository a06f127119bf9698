#include "ptx/parser.h"

#include <assert.h>
#include <string.h>

/* What a byte can be part of. */
enum { CLASS_BLANK = 1, CLASS_NAME_START = 2, CLASS_NAME = 4, CLASS_DIGIT = 8, CLASS_HEX = 16 };

#define L (CLASS_NAME_START | CLASS_NAME)
#define H (CLASS_NAME_START | CLASS_NAME | CLASS_HEX)
#define D (CLASS_NAME | CLASS_DIGIT | CLASS_HEX)
#define B CLASS_BLANK

static const unsigned char classes[256] = {
    ['\t'] = B, ['\n'] = B, ['\v'] = B,
    ['\f'] = B, ['\r'] = B, [' '] = B,
    ['$'] = L,  ['_'] = L,  ['%'] = CLASS_NAME_START,
    ['0'] = D,  ['1'] = D,  ['2'] = D,
    ['3'] = D,  ['4'] = D,  ['5'] = D,
    ['6'] = D,  ['7'] = D,  ['8'] = D,
    ['9'] = D,  ['A'] = H,  ['B'] = H,
    ['C'] = H,  ['D'] = H,  ['E'] = H,
    ['F'] = H,  ['G'] = L,  ['H'] = L,
    ['I'] = L,  ['J'] = L,  ['K'] = L,
    ['L'] = L,  ['M'] = L,  ['N'] = L,
    ['O'] = L,  ['P'] = L,  ['Q'] = L,
    ['R'] = L,  ['S'] = L,  ['T'] = L,
    ['U'] = L,  ['V'] = L,  ['W'] = L,
    ['X'] = L,  ['Y'] = L,  ['Z'] = L,
    ['a'] = H,  ['b'] = H,  ['c'] = H,
    ['d'] = H,  ['e'] = H,  ['f'] = H,
    ['g'] = L,  ['h'] = L,  ['i'] = L,
    ['j'] = L,  ['k'] = L,  ['l'] = L,
    ['m'] = L,  ['n'] = L,  ['o'] = L,
    ['p'] = L,  ['q'] = L,  ['r'] = L,
    ['s'] = L,  ['t'] = L,  ['u'] = L,
    ['v'] = L,  ['w'] = L,  ['x'] = L,
    ['y'] = L,  ['z'] = L,
};

#undef L
#undef H
#undef D
#undef B

static inline bool is(char c, unsigned char class) {
    return (classes[(unsigned char)c] & class) != 0;
}

/* The byte `ahead` of `at`, or 0 behind the end. */
static inline char peek(const struct lexer *lexer, const char *at, size_t ahead) {
    return (size_t)(lexer->end - at) > ahead ? at[ahead] : '\0';
}

static const char *name_end(const struct lexer *lexer, const char *at) {
    while (at < lexer->end && is(*at, CLASS_NAME))
        at++;
    return at;
}

static const char *line_end(const struct lexer *lexer, const char *at) {
    const char *newline = memchr(at, '\n', (size_t)(lexer->end - at));
    return newline == NULL ? lexer->end : newline;
}

/* Ends the current token, which starts at token.text, before `end`. */
static void token_finish(struct lexer *lexer, enum token_kind kind, const char *end) {
    assert(lexer->token.text <= end && end <= lexer->end);
    lexer->token.kind = kind;
    lexer->token.length = (size_t)(end - lexer->token.text);
    lexer->cursor = end;
}

static void token_bad(struct lexer *lexer, const char *end, const char *problem) {
    token_finish(lexer, TOKEN_BAD, end);
    lexer->token.problem = problem;
}

/* A preprocessor line: `#` with only blanks before it on its line. */
static bool at_line_start(const struct lexer *lexer, const char *at) {
    while (at > lexer->start && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at == lexer->start || at[-1] == '\n';
}

/* Skips blanks, comments and preprocessor lines; false at a comment that does not end. */
static bool skip_space(struct lexer *lexer) {
    const char *at = lexer->cursor;
    for (;;) {
        while (at < lexer->end && is(*at, CLASS_BLANK))
            at++;
        char c = peek(lexer, at, 0);
        char next = peek(lexer, at, 1);
        if ((c == '/' && next == '/') || (c == '#' && at_line_start(lexer, at))) {
            at = line_end(lexer, at);
        } else if (c == '/' && next == '*') {
            const char *close = memmem(at + 2, (size_t)(lexer->end - at) - 2, "*/", 2);
            if (close == NULL) {
                lexer->token.text = at;
                token_bad(lexer, at, "this comment does not end");
                return false;
            }
            at = close + 2;
        } else {
            lexer->cursor = at;
            return true;
        }
    }
}

/* 0f or 0d and exactly `digits` hexadecimal digits. */
static void lex_hex_float(struct lexer *lexer, enum token_kind kind, int digits) {
    const char *at = lexer->token.text + 2;
    uint64_t bits = 0;
    int count = 0;
    for (; at < lexer->end && is(*at, CLASS_HEX); at++, count++)
        bits = bits << 4 | (uint64_t)(is(*at, CLASS_DIGIT) ? *at - '0' : (*at | 0x20) - 'a' + 10);
    if (count != digits || (at < lexer->end && is(*at, CLASS_NAME))) {
        token_bad(lexer, name_end(lexer, at),
                  kind == TOKEN_F32 ? "0f takes 8 hexadecimal digits" : "0d takes 16 hexadecimal digits");
        return;
    }
    lexer->token.value = bits;
    token_finish(lexer, kind, at);
}

/* A decimal literal with a point or an exponent. */
static void lex_decimal_float(struct lexer *lexer) {
    const char *start = lexer->token.text;
    const char *at = start;
    while (at < lexer->end && (is(*at, CLASS_DIGIT) || *at == '.' || (*at | 0x20) == 'e' ||
                               ((*at == '+' || *at == '-') && at > start && (at[-1] | 0x20) == 'e')))
        at++;
    double number;
    if ((at < lexer->end && is(*at, CLASS_NAME)) || !number_f64(start, (size_t)(at - start), &number)) {
        token_bad(lexer, name_end(lexer, at), "this is not a number");
        return;
    }
    memcpy(&lexer->token.value, &number, sizeof number);
    token_finish(lexer, TOKEN_F64, at);
}

/* An integer literal: decimal, 0x, 0b or octal, with an optional U. */
static void lex_integer(struct lexer *lexer) {
    const char *at = lexer->token.text;
    unsigned base = 10;
    if (*at == '0' && at + 1 < lexer->end) {
        char mark = (char)(at[1] | 0x20);
        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        at += base == 8 ? 1 : 2;
    }
    const char *first = at;
    uint64_t value = 0;
    bool overflow = false;
    for (; at < lexer->end && is(*at, CLASS_HEX); at++) {
        unsigned digit = (unsigned)(is(*at, CLASS_DIGIT) ? *at - '0' : (*at | 0x20) - 'a' + 10);
        if (digit >= base) break;
        overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    bool empty = at == first && base != 8;
    bool marked = at < lexer->end && *at == 'U';
    at += marked;
    if (empty || (at < lexer->end && is(*at, CLASS_NAME))) {
        token_bad(lexer, name_end(lexer, at), "this is not a number");
    } else if (overflow) {
        token_bad(lexer, at, "this number does not fit 64 bits");
    } else {
        lexer->token.value = value;
        lexer->token.is_unsigned = marked || value > INT64_MAX;
        token_finish(lexer, TOKEN_INT, at);
    }
}

static void lex_number(struct lexer *lexer) {
    const char *at = lexer->token.text;
    char mark = (char)(peek(lexer, at, 1) | 0x20);
    if (*at == '0' && mark == 'f') {
        lex_hex_float(lexer, TOKEN_F32, 8);
    } else if (*at == '0' && mark == 'd') {
        lex_hex_float(lexer, TOKEN_F64, 16);
    } else {
        while (at < lexer->end && is(*at, CLASS_DIGIT))
            at++;
        char c = peek(lexer, at, 0);
        if (c == '.' || c == 'e' || c == 'E') {
            lex_decimal_float(lexer);
        } else {
            lex_integer(lexer);
        }
    }
}

/* A string on one line; PTX has no escapes that could hide its end but \". */
static void lex_string(struct lexer *lexer) {
    const char *at = lexer->token.text + 1;
    while (at < lexer->end && *at != '"' && *at != '\n' && *at != '\0')
        at += *at == '\\' && peek(lexer, at, 1) == '"' ? 2 : 1;
    if (at >= lexer->end || *at != '"') {
        token_bad(lexer, at < lexer->end ? at : lexer->end, "this string does not end");
    } else {
        token_finish(lexer, TOKEN_STRING, at + 1);
    }
}

/* An operator or a bracket. */
static void lex_punct(struct lexer *lexer) {
    static const struct {
        char text[3];
        int punct;
    } pairs[] = {{"<<", PUNCT_SHIFT_LEFT}, {">>", PUNCT_SHIFT_RIGHT}, {"==", PUNCT_EQUAL},
                 {"!=", PUNCT_UNEQUAL},    {"<=", PUNCT_AT_MOST},     {">=", PUNCT_AT_LEAST},
                 {"&&", PUNCT_BOTH},       {"||", PUNCT_EITHER}};
    const char *at = lexer->token.text;
    if (strchr("{}[](),;:|@!+-*/%<>=&^~?", *at) == NULL || *at == '\0') {
        token_bad(lexer, at + 1, "this byte has no meaning in PTX");
        return;
    }
    lexer->token.punct = (unsigned char)*at;
    token_finish(lexer, TOKEN_PUNCT, at + 1);
    if (strchr("<>=!&|", *at) == NULL) return;
    char next = peek(lexer, at, 1);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i].text[0] != *at || pairs[i].text[1] != next) continue;
        lexer->token.punct = pairs[i].punct;
        token_finish(lexer, TOKEN_PUNCT, at + 2);
    }
}

/* Behind the names joined by `::` that start at `at`. */
static const char *joined_end(const struct lexer *lexer, const char *at) {
    at = name_end(lexer, at);
    while (peek(lexer, at, 0) == ':' && peek(lexer, at, 1) == ':' && is(peek(lexer, at, 2), CLASS_NAME))
        at = name_end(lexer, at + 2);
    return at;
}

void lexer_next(struct lexer *lexer) {
    if (lexer->token.kind == TOKEN_BAD) return;
    lexer->token.punct = 0;
    lexer->behind = lexer->cursor;
    if (!skip_space(lexer)) return;
    const char *at = lexer->cursor;
    lexer->token.text = at;
    if (at == lexer->end) {
        token_finish(lexer, TOKEN_END, at);
        return;
    }
    char c = *at;
    char next = peek(lexer, at, 1);
    if (is(c, CLASS_NAME_START) && (c != '%' || is(next, CLASS_NAME))) {
        token_finish(lexer, TOKEN_NAME, name_end(lexer, at + 1));
    } else if (is(c, CLASS_DIGIT) || (c == '.' && is(next, CLASS_DIGIT))) {
        lex_number(lexer);
    } else if (c == '.' && is(next, CLASS_NAME)) {
        token_finish(lexer, TOKEN_DIRECTIVE, joined_end(lexer, at + 1));
    } else if (c == '"') {
        lex_string(lexer);
    } else {
        lex_punct(lexer);
    }
}

void lexer_init(struct lexer *lexer, const struct source *source) {
    const char *first = source->text + source_start(source);
    *lexer = (struct lexer){first, source->text, source->text + source->size, first, {0}};
    lexer_next(lexer);
}

void lexer_extend_opcode(struct lexer *lexer) {
    const char *at = joined_end(lexer, lexer->cursor);
    while (peek(lexer, at, 0) == '.' && is(peek(lexer, at, 1), CLASS_NAME))
        at = joined_end(lexer, at + 1);
    token_finish(lexer, TOKEN_NAME, at);
}

void lexer_suffix(struct lexer *lexer, const char **text, size_t *length) {
    const char *at = lexer->cursor;
    *text = at;
    *length = 0;
    if (peek(lexer, at, 0) != '.' || !is(peek(lexer, at, 1), CLASS_NAME_START)) return;
    *text = at + 1;
    lexer->cursor = name_end(lexer, at + 1);
    *length = (size_t)(lexer->cursor - *text);
}
