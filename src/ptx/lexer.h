/* PTX text to tokens, one at a time. */
#ifndef WB_PTX_LEXER_H
#define WB_PTX_LEXER_H

#include <stdbool.h>

#include "base/diagnostics.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,      /* an identifier, such as %r1, $L__BB0_2, or a lone _ */
    TOKEN_DIRECTIVE, /* .name, the dot included; also a modifier that stands by itself */
    TOKEN_INT,       /* value */
    TOKEN_F32,       /* value: bits of 0f........ */
    TOKEN_F64,       /* value: bits of 0d................ or of a decimal literal */
    TOKEN_STRING,    /* quotes included */
    TOKEN_PUNCT,     /* punct */
    TOKEN_BAD        /* problem says what is wrong with it */
};

/* Operators of two characters; those of one are themselves. */
enum token_punct {
    PUNCT_SHIFT_LEFT = 256,
    PUNCT_SHIFT_RIGHT,
    PUNCT_EQUAL,
    PUNCT_UNEQUAL,
    PUNCT_AT_MOST,
    PUNCT_AT_LEAST,
    PUNCT_BOTH,
    PUNCT_EITHER
};

struct token {
    enum token_kind kind;
    int punct;        /* of a TOKEN_PUNCT: the character or enum token_punct; else 0 */
    const char *text; /* in the source */
    size_t length;
    uint64_t value;
    bool is_unsigned;    /* of a TOKEN_INT: written with U, or too large for 63 bits */
    const char *problem; /* of a TOKEN_BAD */
};

struct lexer {
    const char *cursor; /* behind the current token */
    const char *start;
    const char *end;
    const char *behind; /* end of the token before the current one */
    struct token token; /* the current one */
};

/* Starts at the first token of the source. */
void lexer_init(struct lexer *lexer, const struct source *source);

/* Goes on to the next token. At the end it stays at TOKEN_END, at a bad one on TOKEN_BAD. */
void lexer_next(struct lexer *lexer);

/* Makes the current name an opcode: extends it over the `.modifier` parts that follow without a space. */
void lexer_extend_opcode(struct lexer *lexer);

/* Reads the `.x` that follows the current name without a space: its text without the dot, length 0 where
 * there is none. The name remains the current token; lexer_next goes on behind the suffix. */
void lexer_suffix(struct lexer *lexer, const char **text, size_t *length);

/* Byte offset of the current token in the source. */
static inline size_t lexer_offset(const struct lexer *lexer) {
    return (size_t)(lexer->token.text - lexer->start);
}

#endif
