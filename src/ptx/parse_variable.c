/* Declarations of variables and registers, and the initial values of variables. */
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

static wb_status parse_initialiser(struct parser *parser, uint32_t index,
                                   const struct dimensions *dimensions);

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
    struct ptx_reg_group group = {
        .first = (uint32_t)have, .count = added, .numbered = count != 0, .type = type};
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

/* ---- Initial values ---- */

#define BRACES_MAX (VARIABLE_DIMENSIONS_MAX + 1)

/* An initialiser being read. Positions and spans count scalars. */
struct initialiser {
    struct ptx_variable *variable; /* a copy, written back at the end */
    uint32_t index;
    const struct dimensions *dimensions;
    uint32_t scalar; /* bytes of one */
    uint64_t position;
    uint32_t depth;                /* open braces */
    uint64_t ends[BRACES_MAX + 1]; /* per open brace where its item ends */
    VEC(uint8_t) bytes;
};

/* Scalars in the item that a brace at `depth` (from 1) encloses; an array `[]` has no end. */
static uint64_t item_span(const struct initialiser *initialiser, uint32_t depth) {
    const struct ptx_variable *variable = initialiser->variable;
    if (depth >= 2) return initialiser->dimensions->strides[depth - 2] * variable->vector;
    return variable->size == 0 && variable->array ? UINT64_MAX : variable->size / initialiser->scalar;
}

static uint32_t depth_limit(const struct initialiser *initialiser) {
    uint32_t levels = initialiser->dimensions->count + (initialiser->variable->vector > 1);
    return levels == 0 ? 1 : levels;
}

/* Makes room for the next scalar, written at byte `at` of the source, and goes past it. */
static wb_status claim_scalar(struct parser *parser, struct initialiser *initialiser, size_t at,
                              uint64_t *offset) {
    if (initialiser->position >= initialiser->ends[initialiser->depth])
        return parser_fail(parser, at, "more values than the variable holds");
    uint64_t end;
    if (__builtin_mul_overflow(initialiser->position + 1, (uint64_t)initialiser->scalar, &end) ||
        end > parser->module->arena.limit)
        return WB_ERR_LIMIT;
    *offset = end - initialiser->scalar;
    size_t missing = end > initialiser->bytes.count ? (size_t)end - initialiser->bytes.count : 0;
    if (missing > 0) {
        WB_TRY(vec_reserve(&initialiser->bytes, missing));
        memset(initialiser->bytes.items + initialiser->bytes.count, 0, missing);
        initialiser->bytes.count += missing;
    }
    initialiser->position++;
    /* Never NULL here; says so to static analysis. */
    return initialiser->bytes.items == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* The bits of a constant as a value of `type`; false when it cannot be one. */
static bool convert(const struct constant *constant, enum ptx_type type, uint64_t *bits) {
    bool is_float = ptx_type_kind(type) == PTX_KIND_FLOAT;
    uint32_t bytes = ptx_type_bytes(type);
    double wide = 0;
    float narrow = 0;
    if (constant->kind == TOKEN_F32) {
        memcpy(&narrow, &constant->bits, sizeof narrow);
        wide = (double)narrow;
    } else if (constant->kind == TOKEN_F64) {
        memcpy(&wide, &constant->bits, sizeof wide);
    } else if (is_float) {
        wide = constant->is_unsigned ? (double)constant->bits : (double)(int64_t)constant->bits;
    }
    *bits = 0;
    if (type == PTX_F64) {
        memcpy(bits, &wide, sizeof wide);
    } else if (type == PTX_F32) {
        if (constant->kind != TOKEN_F32) narrow = (float)wide;
        memcpy(bits, &narrow, sizeof narrow);
    } else {
        *bits = constant->bits;
        if (constant->kind == TOKEN_INT) return true;
        return ptx_type_kind(type) == PTX_KIND_BITS && bytes == (constant->kind == TOKEN_F32 ? 4 : 8);
    }
    return true;
}

static wb_status put_constant(struct parser *parser, struct initialiser *initialiser,
                              const struct constant *constant, size_t at) {
    uint64_t offset;
    uint64_t bits;
    if (!convert(constant, initialiser->variable->type, &bits))
        return parser_fail(parser, at, "this value does not fit type .%s",
                           ptx_type_name(initialiser->variable->type));
    WB_TRY(claim_scalar(parser, initialiser, at, &offset));
    for (uint32_t i = 0; i < initialiser->scalar && i < sizeof bits; i++)
        initialiser->bytes.items[offset + i] = (uint8_t)(bits >> (8 * i));
    return WB_OK;
}

/* True when a binding can stand in an initialiser; fills in what it is. */
static bool relocation_target(const struct binding *binding, struct ptx_relocation *relocation) {
    if (binding == NULL || (binding->kind != BIND_VARIABLE && binding->kind != BIND_FUNCTION)) return false;
    relocation->symbol = binding->index;
    relocation->is_function = binding->kind == BIND_FUNCTION;
    return true;
}

/* symbol + offset, or generic(symbol + offset) + offset */
static wb_status parse_symbol(struct parser *parser, struct initialiser *initialiser,
                              struct ptx_relocation *relocation) {
    struct token name;
    uint64_t inner = 0;
    WB_TRY(parser_name(parser, &name));
    bool is_generic = name.length == 7 && memcmp(name.text, "generic", 7) == 0 && parser_at(parser, '(');
    if (is_generic) {
        lexer_next(&parser->lexer);
        WB_TRY(parser_name(parser, &name));
        WB_TRY(parse_offset(parser, &inner));
        WB_TRY(parser_require(parser, ')'));
    }
    relocation->generic |= is_generic;
    WB_TRY(parse_offset(parser, &relocation->addend));
    relocation->addend += inner;
    uint32_t number;
    if (relocation_target(scopes_find(&parser->scopes, name.text, name.length, &number), relocation))
        return WB_OK;
    struct relocation_use use = {.at = (uint32_t)(name.text - parser->lexer.start),
                                 .variable = initialiser->index,
                                 .position = (uint32_t)parser->relocations.count};
    WB_TRY(scopes_symbol(&parser->scopes, name.text, name.length, &use.symbol));
    return vec_push(&parser->relocation_uses, use);
}

/* One scalar: a constant, the address of a symbol, or `mask(symbol)`. */
static wb_status parse_scalar(struct parser *parser, struct initialiser *initialiser) {
    size_t at = parser_offset(parser);
    struct ptx_relocation relocation = {.bytes = (uint8_t)initialiser->scalar};
    if (parser->lexer.token.kind == TOKEN_NAME) {
        WB_TRY(parse_symbol(parser, initialiser, &relocation));
    } else {
        struct constant constant;
        WB_TRY(parse_constant(parser, &constant));
        if (!parser_at(parser, '(')) return put_constant(parser, initialiser, &constant, at);
        if (constant.kind != TOKEN_INT || constant.bits == 0)
            return parser_fail(parser, at, "a mask must be an integer other than 0");
        relocation.mask = constant.bits;
        lexer_next(&parser->lexer);
        WB_TRY(parse_symbol(parser, initialiser, &relocation));
        WB_TRY(parser_require(parser, ')'));
    }
    WB_TRY(claim_scalar(parser, initialiser, at, &relocation.offset));
    return vec_push(&parser->relocations, relocation);
}

static wb_status open_brace(struct parser *parser, struct initialiser *initialiser) {
    if (initialiser->depth >= depth_limit(initialiser))
        return parser_fail(parser, parser_offset(parser), "more braces than the variable has dimensions");
    uint64_t span = item_span(initialiser, initialiser->depth + 1);
    uint64_t end;
    if (__builtin_add_overflow(initialiser->position, span, &end)) end = UINT64_MAX;
    if (initialiser->depth > 0 && end > initialiser->ends[initialiser->depth])
        return parser_fail(parser, parser_offset(parser), "more values than the variable holds");
    initialiser->ends[++initialiser->depth] = end;
    lexer_next(&parser->lexer);
    return WB_OK;
}

/* { value, {value, ...}, ... }: what a brace leaves out is zero. */
static wb_status parse_braces(struct parser *parser, struct initialiser *initialiser) {
    WB_TRY(open_brace(parser, initialiser));
    while (initialiser->depth > 0) {
        if (parser_at(parser, '{')) {
            WB_TRY(open_brace(parser, initialiser));
            continue;
        }
        if (!parser_at(parser, '}')) WB_TRY(parse_scalar(parser, initialiser));
        while (initialiser->depth > 0 && parser_accept(parser, '}')) {
            uint64_t end = initialiser->ends[initialiser->depth--];
            if (initialiser->depth > 0) initialiser->position = end;
        }
        if (initialiser->depth > 0) WB_TRY(parser_require(parser, ','));
    }
    return WB_OK;
}

/* Fixes the size of an array declared with [] and moves the bytes to the arena. */
static wb_status store_bytes(struct parser *parser, struct initialiser *initialiser) {
    struct ptx_variable *variable = initialiser->variable;
    if (variable->size == 0) variable->size = initialiser->bytes.count;
    if (variable->size > SIZE_MAX) return WB_ERR_LIMIT;
    variable->init = arena_array(&parser->module->arena, (size_t)variable->size, 1);
    if (variable->init == NULL) return WB_ERR_LIMIT;
    if (initialiser->bytes.count > 0)
        memcpy(variable->init, initialiser->bytes.items, initialiser->bytes.count);
    size_t count = parser->relocations.count;
    if (count == 0) return WB_OK;
    variable->relocations = arena_array(&parser->module->arena, count, sizeof *variable->relocations);
    if (variable->relocations == NULL) return WB_ERR_LIMIT;
    memcpy(variable->relocations, parser->relocations.items, count * sizeof *variable->relocations);
    variable->relocation_count = (uint32_t)count;
    return WB_OK;
}

/* `{ addr_mode_0 = wrap, ... }` of a sampler or texture: kept as text. */
static wb_status parse_fields(struct parser *parser, struct ptx_variable *variable) {
    size_t first = parser_offset(parser);
    const char *inner;
    WB_TRY(parser_require(parser, '{'));
    WB_TRY(parse_text_until(parser, '}', &inner));
    lexer_next(&parser->lexer);
    return parser_slice(parser, first, &variable->fields);
}

/* What follows the `=` of variable `index`. */
static wb_status parse_initialiser(struct parser *parser, uint32_t index,
                                   const struct dimensions *dimensions) {
    struct ptx_variable variable = parser->variables.items[index];
    struct initialiser initialiser = {.variable = &variable, .index = index, .dimensions = dimensions};
    initialiser.scalar = ptx_type_bytes(variable.type);
    initialiser.ends[0] = 1;
    wb_status status;
    parser->relocations.count = 0;
    if (variable.init != NULL || variable.fields != NULL) {
        return parser_fail(parser, parser_offset(parser), "'%s' already has an initial value", variable.name);
    } else if (ptx_type_kind(variable.type) == PTX_KIND_OPAQUE) {
        status = parse_fields(parser, &variable);
    } else {
        status =
            parser_at(parser, '{') ? parse_braces(parser, &initialiser) : parse_scalar(parser, &initialiser);
        if (status == WB_OK) status = store_bytes(parser, &initialiser);
    }
    vec_free(&initialiser.bytes);
    parser->variables.items[index] = variable;
    return status;
}

wb_status resolve_relocations(struct parser *parser) {
    for (size_t i = 0; i < parser->relocation_uses.count; i++) {
        const struct relocation_use *use = &parser->relocation_uses.items[i];
        const struct binding *binding = scopes_find_here(&parser->scopes, use->symbol);
        struct ptx_variable *variable = &parser->variables.items[use->variable];
        if (relocation_target(binding, &variable->relocations[use->position])) continue;
        const struct intern_entry *name = &parser->scopes.names.entries.items[use->symbol];
        return parser_fail(parser, use->at, "'%.*s' is not declared", (int)name->length, name->text);
    }
    return WB_OK;
}
