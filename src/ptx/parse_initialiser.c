/* Initial values of variables. */
#include <string.h>

#include "ptx/parser.h"

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

wb_status parse_initialiser(struct parser *parser, uint32_t index, const struct dimensions *dimensions) {
    struct ptx_variable variable = parser->variables.items[index];
    struct initialiser initialiser = {.variable = &variable, .index = index, .dimensions = dimensions};
    initialiser.scalar = ptx_type_bytes(variable.type);
    initialiser.ends[0] = 1;
    wb_status status;
    parser->relocations.count = 0;
    if (variable.init != NULL || variable.fields != NULL) {
        return parser_fail(parser, parser_offset(parser), "'%s' has an initial value already", variable.name);
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
