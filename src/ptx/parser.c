#include "ptx/parser.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

/* Longest piece of the source quoted in a message. */
#define QUOTE_MAX 40
#define MESSAGE_MAX 512

void parser_report(struct parser *parser, size_t offset, const char *format, ...) {
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    diagnose_at(parser->diagnostics, SEVERITY_ERROR, &parser->module->source, offset, "%s", message);
}

void parser_note_unfit(struct parser *parser, size_t offset, const char *format, ...) {
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    parser->unfit.reason = arena_string(&parser->module->arena, message, strlen(message));
    parser->unfit.at = (uint32_t)offset;
}

void parser_report_expected(struct parser *parser, const char *what) {
    const struct token *token = &parser->lexer.token;
    size_t at = parser_offset(parser);
    bool cut = token->length > QUOTE_MAX;
    int shown = cut ? QUOTE_MAX : (int)token->length;
    if (token->kind == TOKEN_BAD) {
        parser_report(parser, at, "%s", token->problem);
    } else if (token->kind == TOKEN_END) {
        parser_report(parser, at, "expected %s, not the end of the text", what);
    } else {
        parser_report(parser, at, "expected %s, not '%.*s%s'", what, shown, token->text, cut ? "..." : "");
    }
}

bool parser_accept(struct parser *parser, int punct) {
    if (!parser_at(parser, punct)) return false;
    lexer_next(&parser->lexer);
    return true;
}

wb_status parser_require(struct parser *parser, char punct) {
    if (parser_accept(parser, punct)) return WB_OK;
    char what[] = {'\'', punct, '\'', '\0'};
    return parser_expected(parser, what);
}

bool parser_at_word(const struct parser *parser, const char *word) {
    const struct token *token = &parser->lexer.token;
    if (token->kind != TOKEN_NAME && token->kind != TOKEN_DIRECTIVE) return false;
    return strncmp(word, token->text, token->length) == 0 && word[token->length] == '\0';
}

wb_status parser_name(struct parser *parser, struct token *name) {
    if (parser->lexer.token.kind != TOKEN_NAME) return parser_expected(parser, "a name");
    *name = parser->lexer.token;
    lexer_next(&parser->lexer);
    return WB_OK;
}

wb_status parser_slice(struct parser *parser, size_t first, const char **text) {
    const char *start = parser->lexer.start + first;
    size_t length = parser->lexer.behind > start ? (size_t)(parser->lexer.behind - start) : 0;
    char *copy = arena_string(&parser->module->arena, start, length);
    if (copy == NULL) return WB_ERR_LIMIT;
    /* Zero bytes can only stand in comments. */
    for (char *zero = copy; (zero = memchr(zero, '\0', length - (size_t)(zero - copy))) != NULL;)
        *zero = ' ';
    *text = copy;
    return WB_OK;
}

wb_status parse_text_until(struct parser *parser, char punct, const char **text) {
    const char expected[] = {'\'', punct, '\'', '\0'};
    size_t first = parser_offset(parser);
    while (!parser_at(parser, punct)) {
        enum token_kind kind = parser->lexer.token.kind;
        if (kind == TOKEN_END || kind == TOKEN_BAD) return parser_expected(parser, expected);
        lexer_next(&parser->lexer);
    }
    return parser_slice(parser, first, text);
}

wb_status parser_bind(struct parser *parser, const struct token *name, struct binding binding) {
    bool duplicate;
    WB_TRY(scopes_bind(&parser->scopes, name->text, name->length, binding, &duplicate));
    if (!duplicate) return WB_OK;
    size_t at = (size_t)(name->text - parser->lexer.start);
    int shown = name->length > QUOTE_MAX ? QUOTE_MAX : (int)name->length;
    return parser_fail(parser, at, "'%.*s' is declared already", shown, name->text);
}

wb_status parser_item(struct parser *parser, enum ptx_item_kind kind, uint32_t index) {
    struct ptx_item item = {kind, index};
    return vec_push(&parser->items, item);
}

wb_status parse_parenthesised_text(struct parser *parser, const char **text) {
    WB_TRY(parser_require(parser, '('));
    size_t first = parser_offset(parser);
    uint32_t inner = 0;
    while (inner > 0 || !parser_at(parser, ')')) {
        enum token_kind kind = parser->lexer.token.kind;
        if (kind == TOKEN_END || kind == TOKEN_BAD) return parser_expected(parser, "')'");
        if (parser_at(parser, '(')) inner++;
        if (parser_at(parser, ')')) inner--;
        lexer_next(&parser->lexer);
    }
    WB_TRY(parser_slice(parser, first, text));
    return parser_require(parser, ')');
}

wb_status parse_string(struct parser *parser, const char **text) {
    if (parser->lexer.token.kind != TOKEN_STRING) return parser_expected(parser, "a string");
    const struct token *token = &parser->lexer.token;
    *text = arena_string(&parser->module->arena, token->text + 1, token->length - 2);
    if (*text == NULL) return WB_ERR_LIMIT;
    lexer_next(&parser->lexer);
    return WB_OK;
}
