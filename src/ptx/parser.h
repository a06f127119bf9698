/* The parser's state, shared by its parts: parser.c (module level, .loc), parse_function.c, parse_variable.c,
 * parse_operand.c and parse_constant.c.
 *
 * Every part starts at the current token (parser->lexer.token) and leaves the first token that it does not
 * want as the current one. The first error ends the parse: WB_ERR_INPUT after one message, WB_ERR_LIMIT
 * (without a message) when memory is exhausted. */
#ifndef WB_PTX_PARSER_H
#define WB_PTX_PARSER_H

#include "base/arena.h"
#include "ptx/lexer.h"
#include "ptx/ptx.h"
#include "ptx/scope.h"

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

/* Why the operands of the current instruction, right as they are written, do not fit its form. The
 * instruction is then kept as text: the form may be newer than this parser, and costs only the functions that
 * have it. */
struct unfit {
    const char *reason; /* NULL: they fit so far */
    uint32_t at;
};

struct parser {
    struct wb_module *module;
    struct wb_diagnostics *diagnostics;
    struct lexer lexer;
    struct scopes scopes;
    struct form_table forms;
    struct body body;
    struct location_state location;
    uint32_t depth; /* of the constant expression being parsed */
    struct unfit unfit;
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
void parser_note_unfit(struct parser *parser, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
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

/* What follows the `=` of variable `index`. */
wb_status parse_initialiser(struct parser *parser, uint32_t index, const struct dimensions *dimensions);

/* Resolves the relocations that were left to the end of the module. */
wb_status resolve_relocations(struct parser *parser);

/* ---- parse_function.c ---- */

/* A function from `.entry` or `.func` to the end of its body or prototype. */
wb_status parse_function(struct parser *parser, enum ptx_linkage linkage);

/* ---- parse_operand.c ---- */

/* The operands and the semicolon of an instruction, fitted to the roles of its form. */
wb_status parse_operands(struct parser *parser, struct ptx_inst *inst);

#endif
