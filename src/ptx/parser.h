/* PTX text to tokens, one at a time. */
#ifndef WB_PTX_PARSER_H
#define WB_PTX_PARSER_H

#include <stdbool.h>

#include "base/base.h"
#include "base/containers.h"
#include "ptx/opcode.h"
#include "ptx/ptx.h"

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

/* Names and what they mean: nested scopes while a module is parsed, and printable names that stay unique when
 * the scopes of a function are flattened. */

/* Deepest nesting of scopes; the module is scope 0, a function's parameters and body are scope 1. */
#define SCOPE_DEPTH_MAX 250

enum binding_kind {
    BIND_NONE,
    BIND_REG,        /* register `index`; with `numbered` the name and a number below `count` */
    BIND_VECTOR_REG, /* registers index .. index + count - 1 */
    BIND_VARIABLE,
    BIND_FUNCTION,
    BIND_LABEL,
    BIND_PROTOTYPE,
    BIND_SREG,        /* enum ptx_sreg */
    BIND_SREG_VECTOR, /* its x component; .y .z .w follow */
    BIND_WARP_SIZE
};

struct binding {
    uint8_t kind; /* enum binding_kind */
    bool numbered;
    uint16_t depth; /* of the scope */
    uint32_t index;
    uint32_t count;
    uint32_t symbol;
    uint32_t shadowed; /* binding that this one hides, or INTERN_NONE */
};

/* One name. Marks that carry the number of a function hold for that function only. */
struct symbol {
    uint32_t plain, numbered; /* newest bindings of the name and of the name as a prefix, or INTERN_NONE */
    uint32_t used_by;         /* function that has it as a printable name */
    uint32_t group_used_by;   /* function that has it as the prefix of `group_count` registers */
    uint32_t group_count;
    uint32_t suffixed_by;   /* function that has this name with a number behind it as a printable name */
    uint32_t least_suffix;  /* the least such number */
    uint32_t module_suffix; /* the same among the names of the module */
    uint32_t next_rename;   /* number to try next for a printable name */
};

struct scopes {
    struct intern names;
    VEC(struct symbol) symbols;          /* by number of the name */
    VEC(struct binding) bindings;        /* a stack, innermost scope last */
    uint32_t first[SCOPE_DEPTH_MAX + 1]; /* per open scope its first binding */
    uint32_t depth;                      /* of the innermost scope */
    uint32_t function;                   /* number of the function that is parsed, from 1; 0: none yet */
};

void scopes_free(struct scopes *scopes);

/* Starts a function: printable names are unique from here to the next call. */
void scopes_begin_function(struct scopes *scopes);

/* Opens a scope; the caller checks the depth against SCOPE_DEPTH_MAX first. */
void scopes_open(struct scopes *scopes);

/* Closes the innermost scope and forgets its names. */
void scopes_close(struct scopes *scopes);

/* Gives a name a meaning in the innermost scope: kind, numbered, index and count of `binding`. *duplicate:
 * the scope had the name already, and nothing was done. The text must outlive the table. */
wb_status scopes_bind(struct scopes *scopes, const char *name, size_t length, struct binding binding,
                      bool *duplicate);

/* What a name means here; NULL: nothing. For a numbered register *number is the number behind the prefix. */
const struct binding *scopes_find(const struct scopes *scopes, const char *name, size_t length,
                                  uint32_t *number);

/* The binding of a symbol in the innermost scope itself, or NULL. */
const struct binding *scopes_find_here(const struct scopes *scopes, uint32_t symbol);

/* The number of a name. */
wb_status scopes_symbol(struct scopes *scopes, const char *name, size_t length, uint32_t *symbol);

/* The name under which something declared in the current function is printed: the name itself, or with a
 * suffix where something visible or printed before has it. `count` registers are numbered from it; 0: it is
 * a plain name. `keep`: never rename (parameters). The result is the arena's. */
wb_status scopes_print_name(struct scopes *scopes, struct arena *arena, const char *name, size_t length,
                            uint32_t count, bool keep, const char **printed);

/* The parser's state, shared by its parts: parser.c (module level, .loc), parse_function.c, parse_variable.c,
 * parse_operand.c and parse_constant.c.
 *
 * Every part starts at the current token (parser->lexer.token) and leaves the first token that it does not
 * want as the current one. The first error ends the parse: WB_ERR_INPUT after one message, WB_ERR_LIMIT
 * (without a message) when memory is exhausted. */

/* ---- Forms ---- */

struct form_entry {
    const struct ptx_form *form; /* NULL: memory was exhausted */
};

/* The forms met so far. */
struct form_table {
    struct arena *arena; /* owns the forms */
    struct intern texts;
    VEC(struct form_entry) forms;      /* by number of their text */
    const struct ptx_form *callee_ret; /* `ret` of class CALL, or NULL as long as none was needed */
};

/* The form of an opcode with its modifiers, decoded when the text is new; an unknown one's is of
 * PTX_OP_UNKNOWN. `text` must outlive the table. WB_ERR_LIMIT when memory is exhausted. */
wb_status form_get(struct form_table *table, const char *text, size_t length, const struct ptx_form **form);

/* The `ret` of a function that is called, given the one of an entry. */
wb_status form_callee_ret(struct form_table *table, const struct ptx_form *ret, const struct ptx_form **form);

/* A new form of PTX_OP_UNKNOWN whose text is a whole statement. */
wb_status form_unknown(struct form_table *table, const char *text, size_t length,
                       const struct ptx_form **form);

void form_table_free(struct form_table *table);

/* ---- The parser ---- */

/* A label that was used: resolved when its scope, or one around it, closes. */
struct label_use {
    uint32_t symbol;
    uint32_t at;
    uint32_t index;    /* operand in the pool; with in_targets: prototype */
    uint32_t position; /* with in_targets: which target */
    bool in_targets;   /* of a .branchtargets */
    bool is_prototype; /* a .branchtargets, .calltargets or .callprototype is meant */
};

/* The function that is parsed; the arrays are reused for the next one. */
struct body {
    uint32_t function; /* its index */
    VEC(struct ptx_reg_group) groups;
    VEC(uint32_t) reg_group;
    VEC(struct ptx_inst) insts;
    VEC(struct ptx_operand) operands;
    VEC(struct ptx_label) labels;
    VEC(struct ptx_prototype) prototypes;
    VEC(const char *) pragmas;
    VEC(uint32_t) pragma_inst;
    VEC(struct label_use) uses;
    uint32_t first_use[SCOPE_DEPTH_MAX + 1]; /* per open scope its first use of a label */
    uint32_t first_unknown;
    const char *unknown_reason; /* of first_unknown */
};

/* A relocation whose symbol was not declared before it: resolved at the end of the module. */
struct relocation_use {
    uint32_t symbol;
    uint32_t at;
    uint32_t variable;
    uint32_t position;
};

/* Where `.loc` stands: written to the module's locations when an instruction follows. */
struct location_state {
    bool pending;
    struct ptx_location next; /* with inlined_at not yet known */
    uint32_t inlined[3];      /* file, line, column of the call */
    bool is_inlined;
    uint32_t call;    /* the location just before, where the next one was inlined at that, or PTX_NO_INDEX */
    uint32_t current; /* of the next instruction: location, or PTX_NO_INDEX */
    size_t first;     /* the first location of the function */
};

struct parser {
    struct wb_module *module;
    struct wb_diagnostics *diagnostics;
    struct lexer lexer;
    struct scopes scopes;
    struct form_table forms;
    struct body body;
    struct location_state location;
    uint32_t depth;    /* of the constant expression being parsed */
    const char *unfit; /* why the operands of the current instruction, right as they are written, do not fit
                          its form; NULL: they fit so far. The instruction is then kept as text: the form may
                          be newer than this parser, and costs only the functions that have it */
    VEC(struct ptx_variable) variables;
    VEC(struct ptx_function) functions;
    VEC(struct ptx_file) files;
    VEC(struct ptx_location) locations;
    VEC(const char *) sections;
    VEC(const char *) pragmas;
    VEC(struct ptx_item) items;
    VEC(struct relocation_use) relocation_uses;
    VEC(struct ptx_relocation) relocations; /* of the variable being parsed */
};

/* Parses module->source into the rest of the module. */
wb_status parse_module(struct wb_module *module, struct wb_diagnostics *diagnostics);

/* ---- Errors and what every part needs ---- */

/* One error at byte `offset`. */
void parser_report(struct parser *parser, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The error "expected <what>, not <current token>", or what is wrong with the current token. */
void parser_report_expected(struct parser *parser, const char *what);

/* The same as expressions for `return`: a compiler sees that they are never WB_OK. */
#define parser_fail(...) (parser_report(__VA_ARGS__), WB_ERR_INPUT)
#define parser_expected(parser, what) (parser_report_expected(parser, what), WB_ERR_INPUT)

static inline bool parser_at(const struct parser *parser, int punct) {
    return parser->lexer.token.punct == punct;
}

static inline size_t parser_offset(const struct parser *parser) {
    return lexer_offset(&parser->lexer);
}

/* Notes that the operands do not fit the form. */
void parser_note_unfit(struct parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define parser_unfit(...) (parser_note_unfit(__VA_ARGS__), WB_ERR_INPUT)

/* Goes past the current token if it is this punctuation. */
bool parser_accept(struct parser *parser, int punct);

/* Goes past this punctuation, or fails. */
wb_status parser_require(struct parser *parser, char punct);

/* True when the current token is this name or directive (dot included). */
bool parser_at_word(const struct parser *parser, const char *word);

/* Goes past a name and hands it out, or fails. */
wb_status parser_name(struct parser *parser, struct token *name);

/* The source text from byte `first` to the end of the token before the current one, in the arena. */
wb_status parser_slice(struct parser *parser, size_t first, const char **text);

/* Goes on to the next `punct` and hands out the text before it; fails when there is none. */
wb_status parse_text_until(struct parser *parser, char punct, const char **text);

/* Binds a name in the innermost scope; one that the scope has already is an error. */
wb_status parser_bind(struct parser *parser, const struct token *name, struct binding binding);

/* Records something at module level. */
wb_status parser_item(struct parser *parser, enum ptx_item_kind kind, uint32_t index);

/* Parses `( ... )` and hands out the text between. */
wb_status parse_parenthesised_text(struct parser *parser, const char **text);

/* Parses `"text"` and hands out what is between the quotes. */
wb_status parse_string(struct parser *parser, const char **text);

/* ---- Source lines ---- */

/* A `.loc` directive: .loc file line column[, function_name label][, inlined_at file line column] */
wb_status parse_loc(struct parser *parser);

/* Makes the last `.loc` the location of the instructions that follow: location.current. */
wb_status location_settle(struct parser *parser);

/* ---- parse_constant.c ---- */

struct constant {
    enum token_kind kind; /* TOKEN_INT, TOKEN_F32 or TOKEN_F64 */
    uint64_t bits;
    bool is_unsigned;
};

/* A constant expression: integers with C's operators, casts .s64 and .u64; a float with signs. */
wb_status parse_constant(struct parser *parser, struct constant *constant);

/* An integer constant expression from 0 to `limit`, called `what` in messages. */
wb_status parse_count(struct parser *parser, const char *what, uint64_t limit, uint64_t *value);

/* `+ term - term ...` behind a symbol; zero when nothing follows. */
wb_status parse_offset(struct parser *parser, uint64_t *offset);

/* ---- parse_variable.c ---- */

/* The directives before a variable's or parameter's name: state space (if `with_space`), .align, .v2, type,
 * .ptr, .attribute. */
wb_status parse_specifiers(struct parser *parser, bool with_space, struct ptx_variable *variable);

/* The array dimensions behind a name; fills array, size and, where they were not given, alignment. The
 * sizes of the inner dimensions in elements go to `strides` (room for VARIABLE_DIMENSIONS_MAX). */
#define VARIABLE_DIMENSIONS_MAX 16

struct dimensions {
    uint64_t strides[VARIABLE_DIMENSIONS_MAX]; /* elements in one item of dimension i */
    uint32_t count;
};

wb_status parse_dimensions(struct parser *parser, struct ptx_variable *variable,
                           struct dimensions *dimensions);

/* A whole variable declaration, from its state space to the semicolon, at module level or in a body. */
wb_status parse_variables(struct parser *parser, enum ptx_linkage linkage);

/* A `.reg` declaration. */
wb_status parse_registers(struct parser *parser);

/* Adds registers to the current function under a printable name; `count` 0: one plain register.
 * `keep`: a parameter, which keeps its name. */
wb_status parser_add_registers(struct parser *parser, const struct token *name, enum ptx_type type,
                               uint32_t count, bool keep, uint32_t *first);

/* Resolves the relocations that were left to the end of the module. */
wb_status resolve_relocations(struct parser *parser);

/* ---- parse_function.c ---- */

/* A function from `.entry` or `.func` to the end of its body or prototype. */
wb_status parse_function(struct parser *parser, enum ptx_linkage linkage);

/* ---- parse_operand.c ---- */

/* The operands and the semicolon of an instruction, fitted to the roles of its form. */
wb_status parse_operands(struct parser *parser, struct ptx_inst *inst);

#endif
