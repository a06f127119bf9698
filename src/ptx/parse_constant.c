/* Constant expressions: operands, array sizes, initialisers. */
#include <string.h>

#include "ptx/parser.h"

/* Deepest nesting of parentheses and unary operators. */
#define CONSTANT_DEPTH_MAX 100

/* Binary operators by binding strength, `||` weakest. */
enum { STRENGTH_NONE, STRENGTH_EITHER, STRENGTH_SUM = 9, STRENGTH_PRODUCT };

static int strength_of(int punct) {
    switch (punct) {
    case PUNCT_EITHER: return STRENGTH_EITHER;
    case PUNCT_BOTH: return 2;
    case '|': return 3;
    case '^': return 4;
    case '&': return 5;
    case PUNCT_EQUAL:
    case PUNCT_UNEQUAL: return 6;
    case '<':
    case '>':
    case PUNCT_AT_MOST:
    case PUNCT_AT_LEAST: return 7;
    case PUNCT_SHIFT_LEFT:
    case PUNCT_SHIFT_RIGHT: return 8;
    case '+':
    case '-': return STRENGTH_SUM;
    case '*':
    case '/':
    case '%': return STRENGTH_PRODUCT;
    default: return STRENGTH_NONE;
    }
}

static wb_status parse_binary(struct parser *parser, int weakest, struct constant *constant);
static wb_status parse_ternary(struct parser *parser, struct constant *constant);

static wb_status require_integer(struct parser *parser, const struct constant *constant, size_t at) {
    if (constant->kind == TOKEN_INT) return WB_OK;
    return parser_fail(parser, at, "an integer is needed here, not a float");
}

/* Enters one more level of nesting. */
static wb_status constant_enter(struct parser *parser) {
    if (parser->depth >= CONSTANT_DEPTH_MAX)
        return parser_fail(parser, parser_offset(parser), "this expression is nested more than %d deep",
                           CONSTANT_DEPTH_MAX);
    parser->depth++;
    return WB_OK;
}

/* `(expression)`, or `(.s64) operand`: a cast. */
static wb_status parse_unary(struct parser *parser, struct constant *constant);

static wb_status parse_parenthesised(struct parser *parser, struct constant *constant) {
    lexer_next(&parser->lexer);
    bool is_signed = parser_at_word(parser, ".s64");
    if (is_signed || parser_at_word(parser, ".u64")) {
        lexer_next(&parser->lexer);
        WB_TRY(parser_require(parser, ')'));
        size_t at = parser_offset(parser);
        WB_TRY(parse_unary(parser, constant));
        constant->is_unsigned = !is_signed;
        return require_integer(parser, constant, at);
    }
    WB_TRY(parse_ternary(parser, constant));
    return parser_require(parser, ')');
}

static wb_status apply_sign(struct parser *parser, int sign, size_t at, struct constant *constant) {
    if (sign == '+') return WB_OK;
    if (sign == '-' && constant->kind == TOKEN_F32) {
        constant->bits ^= UINT64_C(1) << 31;
    } else if (sign == '-' && constant->kind == TOKEN_F64) {
        constant->bits ^= UINT64_C(1) << 63;
    } else {
        WB_TRY(require_integer(parser, constant, at));
        if (sign == '-') constant->bits = -constant->bits;
        if (sign == '~') constant->bits = ~constant->bits;
        if (sign == '!') constant->bits = constant->bits == 0;
    }
    return WB_OK;
}

static wb_status parse_unary(struct parser *parser, struct constant *constant) {
    const struct token *token = &parser->lexer.token;
    if (token->kind == TOKEN_INT || token->kind == TOKEN_F32 || token->kind == TOKEN_F64) {
        *constant = (struct constant){token->kind, token->value, token->is_unsigned};
        lexer_next(&parser->lexer);
        return WB_OK;
    }
    WB_TRY(constant_enter(parser));
    if (parser_at(parser, '(')) {
        WB_TRY(parse_parenthesised(parser, constant));
    } else if (token->punct == '+' || token->punct == '-' || token->punct == '!' || token->punct == '~') {
        int sign = token->punct;
        lexer_next(&parser->lexer);
        size_t at = parser_offset(parser);
        WB_TRY(parse_unary(parser, constant));
        WB_TRY(apply_sign(parser, sign, at, constant));
    } else {
        return parser_expected(parser, "a constant");
    }
    parser->depth--;
    return WB_OK;
}

static bool compares(int punct, const struct constant *a, const struct constant *b) {
    bool less = a->is_unsigned || b->is_unsigned ? a->bits < b->bits : (int64_t)a->bits < (int64_t)b->bits;
    bool equal = a->bits == b->bits;
    switch (punct) {
    case '<': return less;
    case '>': return !less && !equal;
    case PUNCT_AT_MOST: return less || equal;
    case PUNCT_AT_LEAST: return !less;
    case PUNCT_EQUAL: return equal;
    default: return !equal;
    }
}

/* a / b or a % b; b is not zero. The one quotient that overflows, -2^63 / -1, wraps. */
static uint64_t divide(int punct, const struct constant *a, const struct constant *b) {
    bool quotient = punct == '/';
    if (a->is_unsigned || b->is_unsigned) return quotient ? a->bits / b->bits : a->bits % b->bits;
    if (b->bits == UINT64_MAX) return quotient ? -a->bits : 0;
    int64_t x = (int64_t)a->bits;
    int64_t y = (int64_t)b->bits;
    return (uint64_t)(quotient ? x / y : x % y);
}

/* Shifts by 64 or more give what shifting bit by bit would. */
static uint64_t shift(int punct, const struct constant *a, uint64_t by) {
    bool negative = !a->is_unsigned && (int64_t)a->bits < 0;
    if (by >= 64) return punct == PUNCT_SHIFT_RIGHT && negative ? UINT64_MAX : 0;
    if (punct == PUNCT_SHIFT_LEFT) return a->bits << by;
    return negative ? ~(~a->bits >> by) : a->bits >> by;
}

/* a = a <punct> b, on 64 bits. */
static void apply_binary(int punct, struct constant *a, const struct constant *b) {
    bool is_unsigned = a->is_unsigned || b->is_unsigned;
    switch (punct) {
    case '+': a->bits += b->bits; break;
    case '-': a->bits -= b->bits; break;
    case '*': a->bits *= b->bits; break;
    case '/':
    case '%': a->bits = divide(punct, a, b); break;
    case '&': a->bits &= b->bits; break;
    case '|': a->bits |= b->bits; break;
    case '^': a->bits ^= b->bits; break;
    case PUNCT_SHIFT_LEFT:
    case PUNCT_SHIFT_RIGHT:
        a->bits = shift(punct, a, b->bits);
        is_unsigned = a->is_unsigned;
        break;
    case PUNCT_BOTH:
    case PUNCT_EITHER:
        a->bits = punct == PUNCT_BOTH ? a->bits != 0 && b->bits != 0 : a->bits != 0 || b->bits != 0;
        is_unsigned = false;
        break;
    default:
        a->bits = compares(punct, a, b);
        is_unsigned = false;
        break;
    }
    a->is_unsigned = is_unsigned;
}

/* Operands joined by operators that bind at least as strongly as `weakest`. */
static wb_status parse_binary(struct parser *parser, int weakest, struct constant *constant) {
    size_t at = parser_offset(parser);
    WB_TRY(parse_unary(parser, constant));
    int strength;
    while ((strength = strength_of(parser->lexer.token.punct)) >= weakest) {
        int punct = parser->lexer.token.punct;
        lexer_next(&parser->lexer);
        size_t right_at = parser_offset(parser);
        struct constant right;
        WB_TRY(parse_binary(parser, strength + 1, &right));
        WB_TRY(require_integer(parser, constant, at));
        WB_TRY(require_integer(parser, &right, right_at));
        if ((punct == '/' || punct == '%') && right.bits == 0)
            return parser_fail(parser, right_at, "division by zero");
        apply_binary(punct, constant, &right);
    }
    return WB_OK;
}

/* condition ? a : b */
static wb_status parse_ternary(struct parser *parser, struct constant *constant) {
    size_t at = parser_offset(parser);
    WB_TRY(parse_binary(parser, STRENGTH_EITHER, constant));
    if (!parser_at(parser, '?')) return WB_OK;
    WB_TRY(require_integer(parser, constant, at));
    WB_TRY(constant_enter(parser));
    lexer_next(&parser->lexer);
    struct constant yes;
    struct constant no;
    WB_TRY(parse_ternary(parser, &yes));
    WB_TRY(parser_require(parser, ':'));
    WB_TRY(parse_ternary(parser, &no));
    *constant = constant->bits != 0 ? yes : no;
    parser->depth--;
    return WB_OK;
}

wb_status parse_constant(struct parser *parser, struct constant *constant) {
    parser->depth = 0;
    return parse_ternary(parser, constant);
}

wb_status parse_count(struct parser *parser, const char *what, uint64_t limit, uint64_t *value) {
    size_t at = parser_offset(parser);
    struct constant constant;
    WB_TRY(parse_constant(parser, &constant));
    WB_TRY(require_integer(parser, &constant, at));
    if (constant.bits > limit)
        return parser_fail(parser, at, "%s must be from 0 to %llu", what, (unsigned long long)limit);
    *value = constant.bits;
    return WB_OK;
}

wb_status parse_offset(struct parser *parser, uint64_t *offset) {
    *offset = 0;
    while (parser_at(parser, '+') || parser_at(parser, '-')) {
        bool minus = parser_at(parser, '-');
        lexer_next(&parser->lexer);
        size_t at = parser_offset(parser);
        struct constant term;
        parser->depth = 0;
        WB_TRY(parse_binary(parser, STRENGTH_PRODUCT, &term));
        WB_TRY(require_integer(parser, &term, at));
        *offset += minus ? -term.bits : term.bits;
    }
    return WB_OK;
}
