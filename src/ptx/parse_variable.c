/* Declarations of variables and registers. */
#include <string.h>

#include "ptx/parser.h"

#define ALIGN_MAX (UINT64_C(1) << 30)

/* The current directive without its dot. */
static const char *directive_word(const struct parser *parser, size_t *length) {
    *length = parser->lexer.token.length - 1;
    return parser->lexer.token.text + 1;
}

/* `.align N`: of the variable, or behind .ptr of what it points to. */
static wb_status parse_align(struct parser *parser, uint32_t *align) {
    lexer_next(&parser->lexer);
    size_t at = parser_offset(parser);
    uint64_t value;
    WB_TRY(parse_count(parser, "an alignment", ALIGN_MAX, &value));
    if (value == 0 || (value & (value - 1)) != 0)
        return parser_fail(parser, at, "an alignment must be a power of two");
    *align = (uint32_t)value;
    return WB_OK;
}

/* `.v2`, `.v4`, `.v8` */
static bool vector_word(const char *word, size_t length, uint8_t *vector) {
    if (length != 2 || word[0] != 'v' || strchr("248", word[1]) == NULL) return false;
    *vector = (uint8_t)(word[1] - '0');
    return true;
}

/* One directive that is a single word; false when it is none of a declaration. */
static bool specifier_word(struct parser *parser, bool with_space, struct ptx_variable *variable) {
    size_t length;
    const char *word = directive_word(parser, &length);
    enum ptx_space space;
    enum ptx_type type = ptx_type_named(word, length);
    if (type != PTX_TYPE_NONE && variable->type == PTX_TYPE_NONE) {
        variable->type = type;
    } else if (parser_at_word(parser, ".ptr")) {
        variable->pointer = true;
    } else if (vector_word(word, length, &variable->vector)) {
    } else if (ptx_space_named(word, length, &space) && variable->pointer) {
        variable->pointer_space = space;
    } else if (ptx_space_named(word, length, &space) && with_space && variable->space == PTX_GENERIC) {
        variable->space = space;
    } else {
        return false;
    }
    lexer_next(&parser->lexer);
    return true;
}

wb_status parse_specifiers(struct parser *parser, bool with_space, struct ptx_variable *variable) {
    while (parser->lexer.token.kind == TOKEN_DIRECTIVE) {
        if (parser_at_word(parser, ".align")) {
            WB_TRY(parse_align(parser, variable->pointer ? &variable->pointer_align : &variable->align));
        } else if (parser_at_word(parser, ".attribute")) {
            lexer_next(&parser->lexer);
            WB_TRY(parse_parenthesised_text(parser, &variable->attribute));
        } else if (!specifier_word(parser, with_space, variable)) {
            return parser_expected(parser, "a type or a name");
        }
    }
    if (variable->type == PTX_TYPE_NONE) return parser_expected(parser, "a type");
    return WB_OK;
}

wb_status parse_dimensions(struct parser *parser, struct ptx_variable *variable,
                           struct dimensions *dimensions) {
    uint64_t counts[VARIABLE_DIMENSIONS_MAX];
    dimensions->count = 0;
    while (parser_at(parser, '[')) {
        if (dimensions->count == VARIABLE_DIMENSIONS_MAX)
            return parser_fail(parser, parser_offset(parser), "more than %d dimensions",
                               VARIABLE_DIMENSIONS_MAX);
        lexer_next(&parser->lexer);
        uint64_t *count = &counts[dimensions->count++];
        *count = 0;
        if (!parser_at(parser, ']')) WB_TRY(parse_count(parser, "an array's size", INT64_MAX, count));
        WB_TRY(parser_require(parser, ']'));
    }
    variable->array = dimensions->count > 0;
    uint64_t element = (uint64_t)ptx_type_bytes(variable->type) * variable->vector;
    uint64_t elements = 1;
    bool overflow = false;
    for (uint32_t i = dimensions->count; i-- > 0;) {
        dimensions->strides[i] = elements;
        overflow |= __builtin_mul_overflow(elements, counts[i], &elements);
    }
    overflow |= __builtin_mul_overflow(elements, element, &variable->size);
    if (overflow || variable->size > INT64_MAX)
        return parser_fail(parser, variable->at, "this array does not fit 63 bits");
    if (variable->align == 0) variable->align = (uint32_t)element;
    return WB_OK;
}

/* A declaration of a variable that the module declared before: one of the two must be .extern, and the other
 * one counts. *index: the variable, or PTX_NO_INDEX when the name is new. */
static wb_status find_earlier(struct parser *parser, const struct token *name, enum ptx_linkage linkage,
                              uint32_t *index) {
    *index = PTX_NO_INDEX;
    uint32_t symbol;
    WB_TRY(scopes_symbol(&parser->scopes, name->text, name->length, &symbol));
    const struct binding *binding = scopes_find_here(&parser->scopes, symbol);
    if (binding == NULL || binding->kind != BIND_VARIABLE || parser->scopes.depth > 0) return WB_OK;
    bool was_extern = parser->variables.items[binding->index].linkage == PTX_LINK_EXTERN;
    if (was_extern || linkage == PTX_LINK_EXTERN) *index = binding->index;
    return WB_OK;
}

/* Adds a variable under its name; at module level an .extern one and its definition become one. */
static wb_status add_variable(struct parser *parser, const struct token *name, struct ptx_variable *variable,
                              uint32_t *index) {
    WB_TRY(find_earlier(parser, name, variable->linkage, index));
    if (*index != PTX_NO_INDEX) {
        struct ptx_variable *earlier = &parser->variables.items[*index];
        variable->name = earlier->name;
        if (earlier->linkage == PTX_LINK_EXTERN) *earlier = *variable;
        return WB_OK;
    }
    struct arena *arena = &parser->module->arena;
    bool in_module = variable->owner == PTX_NO_INDEX;
    if (in_module) {
        variable->name = arena_string(arena, name->text, name->length);
        if (variable->name == NULL) return WB_ERR_LIMIT;
    } else {
        WB_TRY(
            scopes_print_name(&parser->scopes, arena, name->text, name->length, 0, false, &variable->name));
    }
    *index = (uint32_t)parser->variables.count;
    struct binding binding = {.kind = BIND_VARIABLE, .index = *index};
    WB_TRY(parser_bind(parser, name, binding));
    WB_TRY(vec_push(&parser->variables, *variable));
    return in_module ? parser_item(parser, PTX_ITEM_VARIABLE, *index) : WB_OK;
}

/* name[dimensions] = initialiser */
static wb_status parse_declarator(struct parser *parser, const struct ptx_variable *specifiers) {
    struct ptx_variable variable = *specifiers;
    struct token name;
    struct dimensions dimensions;
    variable.at = (uint32_t)parser_offset(parser);
    WB_TRY(parser_name(parser, &name));
    WB_TRY(parse_dimensions(parser, &variable, &dimensions));
    uint32_t index;
    WB_TRY(add_variable(parser, &name, &variable, &index));
    if (!parser_at(parser, '=')) return WB_OK;
    lexer_next(&parser->lexer);
    return parse_initialiser(parser, index, &dimensions);
}

wb_status parse_variables(struct parser *parser, enum ptx_linkage linkage) {
    struct ptx_variable specifiers = {.linkage = linkage, .vector = 1, .owner = PTX_NO_INDEX};
    if (parser->scopes.depth > 0) specifiers.owner = parser->body.function;
    WB_TRY(parse_specifiers(parser, true, &specifiers));
    do {
        WB_TRY(parse_declarator(parser, &specifiers));
    } while (parser_accept(parser, ','));
    return parser_require(parser, ';');
}

wb_status parser_add_registers(struct parser *parser, const struct token *name, enum ptx_type type,
                               uint32_t count, bool keep, uint32_t *first) {
    struct body *body = &parser->body;
    size_t have = body->reg_group.count;
    uint32_t added = count == 0 ? 1 : count;
    if (added > PTX_FUNCTION_REGS_MAX - have)
        return parser_fail(parser, (size_t)(name->text - parser->lexer.start),
                           "a function with more than %u registers", PTX_FUNCTION_REGS_MAX);
    struct ptx_reg_group group = {NULL, (uint32_t)have, added, count != 0, type};
    WB_TRY(scopes_print_name(&parser->scopes, &parser->module->arena, name->text, name->length, count, keep,
                             &group.name));
    WB_TRY(vec_reserve(&body->reg_group, added));
    for (uint32_t i = 0; i < added; i++)
        body->reg_group.items[body->reg_group.count++] = (uint32_t)body->groups.count;
    *first = group.first;
    return vec_push(&body->groups, group);
}

/* One name of a .reg declaration: `name`, `name<count>`, or a vector register. */
static wb_status parse_register(struct parser *parser, const struct ptx_variable *specifiers) {
    struct token name;
    WB_TRY(parser_name(parser, &name));
    struct binding binding = {.kind = BIND_REG, .count = 1};
    uint32_t count = 0;
    if (parser_accept(parser, '<')) {
        const struct token *token = &parser->lexer.token;
        if (token->kind != TOKEN_INT || token->value == 0 || token->value > PTX_FUNCTION_REGS_MAX)
            return parser_expected(parser, "a number of registers");
        count = (uint32_t)token->value;
        binding.numbered = true;
        binding.count = count;
        lexer_next(&parser->lexer);
        WB_TRY(parser_require(parser, '>'));
    }
    if (specifiers->vector > 1) {
        if (binding.numbered) return parser_expected(parser, "one vector register at a time");
        count = specifiers->vector;
        binding.kind = BIND_VECTOR_REG;
        binding.count = count;
    }
    WB_TRY(parser_add_registers(parser, &name, specifiers->type, count, false, &binding.index));
    return parser_bind(parser, &name, binding);
}

wb_status parse_registers(struct parser *parser) {
    struct ptx_variable specifiers = {.vector = 1};
    lexer_next(&parser->lexer);
    WB_TRY(parse_specifiers(parser, false, &specifiers));
    do {
        WB_TRY(parse_register(parser, &specifiers));
    } while (parser_accept(parser, ','));
    return parser_require(parser, ';');
}
