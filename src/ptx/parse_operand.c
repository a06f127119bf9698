/* Operands of an instruction. */
#include <string.h>

#include "ptx/parser.h"

/* Parts in the brackets of a texture or tensor access. */
#define TEXTURE_PARTS_MAX 4

/* Operands as they stand in the text, before they are fitted to the roles. */
struct operand_list {
    struct ptx_operand items[PTX_OPERANDS_MAX];
    uint32_t count;
    bool dual; /* the first two were written `d|D` */
};

static wb_status parse_scalar(struct parser *parser, struct ptx_operand *operand);

/* Adds operands to the function's pool. */
static wb_status pool_add(struct parser *parser, const struct ptx_operand *operands, uint32_t count,
                          uint32_t *first) {
    *first = (uint32_t)parser->body.operands.count;
    if (parser->body.operands.count > UINT32_MAX - count) return WB_ERR_LIMIT;
    WB_TRY(vec_reserve(&parser->body.operands, count));
    for (uint32_t i = 0; i < count; i++)
        parser->body.operands.items[parser->body.operands.count++] = operands[i];
    return WB_OK;
}

/* A `{a, b}` whose parts are the registers of a vector register. */
static wb_status vector_register(struct parser *parser, const struct binding *binding,
                                 struct ptx_operand *operand) {
    struct ptx_operand parts[8];
    for (uint32_t i = 0; i < binding->count; i++)
        parts[i] = (struct ptx_operand){.kind = PTX_OPERAND_REG, .index = binding->index + i};
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_VECTOR, .count = (uint16_t)binding->count};
    return pool_add(parser, parts, binding->count, &operand->index);
}

/* The component of `.x` or `.r`, or 4 when it is none. */
static uint32_t component_of(const char *suffix, size_t length) {
    static const char names[] = "xyzwrgba";
    const char *found = length == 1 ? strchr(names, *suffix) : NULL;
    return found == NULL || *found == '\0' ? 4 : (uint32_t)(found - names) % 4;
}

/* The part that `.b1` or `.h0` selects; combinations keep their text. */
static bool select_part(struct ptx_operand *operand, const char *suffix, size_t length) {
    if (length < 2 || length > 8 || (suffix[0] != 'b' && suffix[0] != 'h')) return false;
    for (size_t i = 1; i < length; i++)
        if (suffix[i] < '0' || suffix[i] > '7') return false;
    if (length == 2 && suffix[1] < (suffix[0] == 'b' ? '4' : '2')) {
        operand->select = (suffix[0] == 'b' ? PTX_SELECT_B0 : PTX_SELECT_H0) + (uint32_t)(suffix[1] - '0');
    } else {
        operand->select = PTX_SELECT_OTHER;
        memcpy(&operand->value, suffix, length);
    }
    return true;
}

/* The four special registers behind a name without a component. */
static wb_status vector_sreg(struct parser *parser, const struct binding *binding,
                             struct ptx_operand *operand) {
    struct ptx_operand parts[4];
    for (uint32_t i = 0; i < 4; i++)
        parts[i] = (struct ptx_operand){.kind = PTX_OPERAND_SREG, .index = binding->index + i};
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_VECTOR, .count = 4};
    return pool_add(parser, parts, 4, &operand->index);
}

/* The operand that a binding stands for, without a suffix. */
static wb_status operand_of(struct parser *parser, const struct binding *binding, uint32_t number,
                            struct ptx_operand *operand) {
    static const uint8_t kinds[] = {
        [BIND_REG] = PTX_OPERAND_REG,           [BIND_SREG] = PTX_OPERAND_SREG,
        [BIND_VARIABLE] = PTX_OPERAND_VARIABLE, [BIND_FUNCTION] = PTX_OPERAND_FUNCTION,
        [BIND_LABEL] = PTX_OPERAND_LABEL,       [BIND_PROTOTYPE] = PTX_OPERAND_PROTOTYPE,
        [BIND_WARP_SIZE] = PTX_OPERAND_INT,
    };
    if (binding->kind == BIND_VECTOR_REG) return vector_register(parser, binding, operand);
    if (binding->kind == BIND_SREG_VECTOR) return vector_sreg(parser, binding, operand);
    *operand = (struct ptx_operand){.kind = kinds[binding->kind], .index = binding->index};
    if (binding->numbered) operand->index += number;
    if (binding->kind == BIND_WARP_SIZE) operand->value = 32;
    return WB_OK;
}

/* What a name followed by `.suffix` means, given what the name means. */
static wb_status apply_suffix(struct parser *parser, const struct binding *binding, uint32_t number,
                              const char *suffix, size_t length, struct ptx_operand *operand) {
    uint32_t component = component_of(suffix, length);
    size_t at = (size_t)(suffix - parser->lexer.start);
    bool has_parts = binding->kind == BIND_SREG_VECTOR || binding->kind == BIND_VECTOR_REG;
    if (has_parts && component < (binding->kind == BIND_SREG_VECTOR ? 4 : binding->count)) {
        uint8_t kind = binding->kind == BIND_SREG_VECTOR ? PTX_OPERAND_SREG : PTX_OPERAND_REG;
        *operand = (struct ptx_operand){.kind = kind, .index = binding->index + component};
        return WB_OK;
    }
    if (binding->kind == BIND_REG) {
        WB_TRY(operand_of(parser, binding, number, operand));
        if (select_part(operand, suffix, length)) return WB_OK;
    }
    return parser_fail(parser, at, "there is no part '.%.*s' of this operand",
                       length > 100 ? 100 : (int)length, suffix);
}

static wb_status name_unknown(struct parser *parser) {
    const struct token *name = &parser->lexer.token;
    int shown = name->length > 100 ? 100 : (int)name->length;
    return parser_fail(parser, parser_offset(parser), "%s '%.*s' is not declared",
                       *name->text == '%' ? "register" : "symbol", shown, name->text);
}

/* A name, with its suffix but without an offset. */
static wb_status parse_name_operand(struct parser *parser, struct ptx_operand *operand) {
    const struct token *name = &parser->lexer.token;
    if (name->length == 1 && *name->text == '_') {
        *operand = (struct ptx_operand){.kind = PTX_OPERAND_SINK};
        lexer_next(&parser->lexer);
        return WB_OK;
    }
    uint32_t number;
    const struct binding *binding = scopes_find(&parser->scopes, name->text, name->length, &number);
    if (binding == NULL) return name_unknown(parser);
    const char *suffix;
    size_t length;
    lexer_suffix(&parser->lexer, &suffix, &length);
    if (length == 0) {
        WB_TRY(operand_of(parser, binding, number, operand));
    } else {
        WB_TRY(apply_suffix(parser, binding, number, suffix, length, operand));
    }
    lexer_next(&parser->lexer);
    return WB_OK;
}

static wb_status parse_constant_operand(struct parser *parser, struct ptx_operand *operand) {
    struct constant constant;
    WB_TRY(parse_constant(parser, &constant));
    uint8_t kind = constant.kind == TOKEN_INT   ? PTX_OPERAND_INT
                   : constant.kind == TOKEN_F32 ? PTX_OPERAND_F32
                                                : PTX_OPERAND_F64;
    *operand = (struct ptx_operand){.kind = kind, .value = constant.bits};
    return WB_OK;
}

static bool is_predicate(const struct parser *parser, const struct ptx_operand *operand) {
    if (operand->kind != PTX_OPERAND_REG) return false;
    uint32_t group = parser->body.reg_group.items[operand->index];
    return parser->body.groups.items[group].type == PTX_PRED;
}

/* A register, special register, symbol with offset, constant, `!predicate` or `_`. */
static wb_status parse_scalar(struct parser *parser, struct ptx_operand *operand) {
    const struct token *token = &parser->lexer.token;
    if (token->kind == TOKEN_NAME) {
        WB_TRY(parse_name_operand(parser, operand));
        if (operand->kind != PTX_OPERAND_VARIABLE) return WB_OK;
        return parse_offset(parser, &operand->value);
    }
    if (token->punct == '!') {
        struct lexer before = parser->lexer;
        lexer_next(&parser->lexer);
        if (token->kind == TOKEN_NAME) {
            WB_TRY(parse_name_operand(parser, operand));
            if (!is_predicate(parser, operand))
                return parser_fail(parser, (size_t)(before.token.text - before.start),
                                   "only a predicate register can be negated");
            operand->negated = true;
            return WB_OK;
        }
        parser->lexer = before;
    }
    if (token->kind == TOKEN_INT || token->kind == TOKEN_F32 || token->kind == TOKEN_F64 ||
        (token->punct != 0 && strchr("(+-!~", token->punct) != NULL))
        return parse_constant_operand(parser, operand);
    return parser_expected(parser, "an operand");
}

/* The elements of `{...}` or `(...)` from behind the opening bracket to behind `close`. */
static wb_status parse_elements(struct parser *parser, char close, struct ptx_operand *operand) {
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_VECTOR};
    uint32_t first = (uint32_t)parser->body.operands.count;
    while (!parser_at(parser, close)) {
        struct ptx_operand element;
        size_t at = parser_offset(parser);
        if (operand->count == PTX_VECTOR_MAX)
            return parser_fail(parser, at, "more than %d elements", PTX_VECTOR_MAX);
        WB_TRY(parse_scalar(parser, &element));
        if (element.kind == PTX_OPERAND_VECTOR)
            return parser_fail(parser, at, "a vector cannot be part of a vector");
        uint32_t ignored;
        WB_TRY(pool_add(parser, &element, 1, &ignored));
        operand->count++;
        if (!parser_accept(parser, ',')) break;
        if (parser_at(parser, close)) return parser_expected(parser, "an operand");
    }
    operand->index = first;
    return parser_require(parser, close);
}

static wb_status parse_vector_or_scalar(struct parser *parser, struct ptx_operand *operand) {
    if (!parser_accept(parser, '{')) return parse_scalar(parser, operand);
    return parse_elements(parser, '}', operand);
}

/* The rest of `[texture, sampler, {coordinates}]` behind its first part. */
static wb_status parse_texture(struct parser *parser, const struct ptx_operand *first,
                               struct ptx_operand *operand) {
    struct ptx_operand parts[TEXTURE_PARTS_MAX] = {*first};
    uint32_t count = 1;
    while (parser_accept(parser, ',')) {
        if (count == TEXTURE_PARTS_MAX) return parser_expected(parser, "']'");
        WB_TRY(parse_vector_or_scalar(parser, &parts[count++]));
    }
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_TEXTURE, .count = (uint16_t)count};
    return pool_add(parser, parts, count, &operand->index);
}

/* [register + offset], [symbol + offset], [constant], or a texture access */
static wb_status parse_address(struct parser *parser, struct ptx_operand *operand) {
    size_t at = parser_offset(parser);
    lexer_next(&parser->lexer);
    struct ptx_operand base = {0};
    uint64_t offset = 0;
    if (parser->lexer.token.kind == TOKEN_NAME) {
        WB_TRY(parse_name_operand(parser, &base));
        WB_TRY(parse_offset(parser, &offset));
    } else {
        WB_TRY(parse_scalar(parser, &base));
        if (base.kind != PTX_OPERAND_INT) return parser_fail(parser, at, "this is not an address");
        offset = base.value;
        base.value = 0;
    }
    if (parser_at(parser, ',')) {
        if (offset != 0) return parser_expected(parser, "']'");
        WB_TRY(parse_texture(parser, &base, operand));
        return parser_require(parser, ']');
    }
    if (base.kind != PTX_OPERAND_REG && base.kind != PTX_OPERAND_VARIABLE && base.kind != PTX_OPERAND_INT)
        return parser_fail(parser, at, "this is not an address");
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_ADDRESS, .value = offset};
    WB_TRY(pool_add(parser, &base, 1, &operand->index));
    return parser_require(parser, ']');
}

/* Notes the use of a label; the current token is its name. */
static wb_status parse_label_use(struct parser *parser, struct label_use use) {
    struct token name;
    use.at = (uint32_t)parser_offset(parser);
    WB_TRY(parser_name(parser, &name));
    WB_TRY(scopes_symbol(&parser->scopes, name.text, name.length, &use.symbol));
    return vec_push(&parser->body.uses, use);
}

static wb_status parse_operand(struct parser *parser, struct ptx_operand *operand) {
    return parser_at(parser, '[') ? parse_address(parser, operand) : parse_vector_or_scalar(parser, operand);
}

/* A label operand: what it means is known when the scope closes, so its place in the pool is noted. */
static wb_status parse_label(struct parser *parser, const struct ptx_form *form, uint32_t pool_index,
                             struct ptx_operand *operand) {
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_LABEL, .index = PTX_NO_INDEX};
    struct label_use use = {.index = pool_index, .is_prototype = form->op != PTX_OP_BRA};
    return parse_label_use(parser, use);
}

static wb_status list_next(struct parser *parser, struct operand_list *list, struct ptx_operand **operand) {
    if (list->count == PTX_OPERANDS_MAX)
        return parser_unfit(parser, "more than %d operands", PTX_OPERANDS_MAX);
    *operand = &list->items[list->count++];
    return WB_OK;
}

/* All operands up to the semicolon. */
static wb_status parse_list(struct parser *parser, const struct ptx_form *form, struct operand_list *list) {
    list->count = 0;
    list->dual = false;
    if (parser_at(parser, ';')) return WB_OK;
    do {
        struct ptx_operand *operand;
        WB_TRY(list_next(parser, list, &operand));
        WB_TRY(parse_operand(parser, operand));
        if (!parser_at(parser, '|') || list->count != 1) continue;
        if (!form->dual) return parser_unfit(parser, "'%s' takes no second destination", form->text);
        lexer_next(&parser->lexer);
        list->dual = true;
        WB_TRY(list_next(parser, list, &operand));
        WB_TRY(parse_operand(parser, operand));
    } while (parser_accept(parser, ','));
    return WB_OK;
}

static bool is_optional(char role) {
    return role == 'D' || role == 'O' || role == 'o' || role == 'L';
}

/* Gives every role its operand: the optional ones from left to right as long as there are enough. */
static wb_status fit_roles(struct parser *parser, const struct ptx_inst *inst, struct operand_list *list) {
    const char *roles = inst->form->roles;
    uint32_t total = (uint32_t)strlen(roles);
    uint32_t required = 0;
    for (uint32_t i = 0; i < total; i++)
        required += !is_optional(roles[i]);
    uint32_t most = total - (inst->form->dual && !list->dual);
    uint32_t given = list->count;
    if (given < required + list->dual || given > most) {
        uint32_t wanted = given > most ? most : required + list->dual;
        return parser_unfit(parser, "'%s' takes %s%u operand%s, not %u", inst->form->text,
                            most == required + list->dual ? "" : (given > most ? "at most " : "at least "),
                            wanted, wanted == 1 ? "" : "s", given);
    }
    uint32_t spare = given - required - list->dual;
    uint32_t from = given;
    uint32_t optional = total - required - inst->form->dual;
    for (uint32_t i = total; i-- > 0;) {
        bool present = !is_optional(roles[i]);
        if (roles[i] == 'D') {
            present = list->dual;
        } else if (!present) {
            present = --optional < spare;
        }
        list->items[i] = present ? list->items[--from] : (struct ptx_operand){.kind = PTX_OPERAND_NONE};
    }
    list->count = total;
    return WB_OK;
}

/* True when an operand of this kind can have the role. */
static bool role_allows(char role, uint8_t kind) {
    switch (role) {
    case 'd':
    case 'D':
    case 'x': return kind == PTX_OPERAND_REG || kind == PTX_OPERAND_VECTOR || kind == PTX_OPERAND_SINK;
    case 'm': return kind == PTX_OPERAND_ADDRESS || kind == PTX_OPERAND_TEXTURE;
    case 's':
    case 'o': return kind != PTX_OPERAND_ADDRESS && kind != PTX_OPERAND_TEXTURE && kind != PTX_OPERAND_LABEL;
    default: return true;
    }
}

static const char *role_name(char role) {
    return role == 'm' ? "an address in brackets" : role == 's' || role == 'o' ? "a value" : "a register";
}

/* Refuses what the interpreter could give no meaning to. Instructions that are only classed are not checked:
 * some have brackets where others have plain registers. */
static wb_status check_roles(struct parser *parser, const struct ptx_inst *inst,
                             const struct operand_list *list) {
    const struct ptx_form *form = inst->form;
    if (form->exec == PTX_EXEC_NONE) return WB_OK;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ptx_operand *operand = &list->items[i];
        if (operand->kind == PTX_OPERAND_NONE) continue;
        if (!role_allows(form->roles[i], operand->kind))
            return parser_unfit(parser, "operand %u of '%s' must be %s", i + 1, form->text,
                                role_name(form->roles[i]));
        bool access = form->exec == PTX_EXEC_MEMORY && form->op != PTX_OP_CP_ASYNC;
        uint32_t elements = operand->kind == PTX_OPERAND_VECTOR ? operand->count : 1;
        bool data = form->roles[i] == 'd' || (form->roles[i] == 's' && form->roles[0] == 'm');
        if (access && data && i < 2 && elements != form->vector)
            return parser_unfit(parser, "'%s' needs %u element%s here, not %u", form->text, form->vector,
                                form->vector == 1 ? "" : "s", elements);
    }
    return WB_OK;
}

/* Puts the fitted operands into the pool, in a row. */
static wb_status store_list(struct parser *parser, struct ptx_inst *inst, const struct operand_list *list) {
    inst->operand_count = (uint8_t)list->count;
    return pool_add(parser, list->items, list->count, &inst->first_operand);
}

/* bra, brx.idx: at the end stands a label. */
static wb_status parse_branch(struct parser *parser, struct ptx_inst *inst) {
    struct operand_list list = {.count = 0};
    struct ptx_operand *operand;
    if (inst->form->op == PTX_OP_BRX_IDX) {
        WB_TRY(list_next(parser, &list, &operand));
        WB_TRY(parse_scalar(parser, operand));
        WB_TRY(parser_require(parser, ','));
    }
    WB_TRY(list_next(parser, &list, &operand));
    uint32_t place = (uint32_t)parser->body.operands.count + list.count - 1;
    WB_TRY(parse_label(parser, inst->form, place, operand));
    return store_list(parser, inst, &list);
}

/* (elements), or nothing */
static wb_status parse_call_list(struct parser *parser, struct ptx_operand *operand) {
    lexer_next(&parser->lexer);
    return parse_elements(parser, ')', operand);
}

/* The callee of a call: a function or a register. */
static wb_status parse_callee(struct parser *parser, struct ptx_operand *operand) {
    size_t at = parser_offset(parser);
    WB_TRY(parse_scalar(parser, operand));
    if (operand->kind == PTX_OPERAND_FUNCTION || operand->kind == PTX_OPERAND_REG) return WB_OK;
    return parser_fail(parser, at, "a call needs a function or a register");
}

/* call (results), callee, (arguments), prototype; each but the callee may be missing */
static wb_status parse_call(struct parser *parser, struct ptx_inst *inst) {
    struct operand_list list = {.count = 4};
    for (uint32_t i = 0; i < list.count; i++)
        list.items[i] = (struct ptx_operand){.kind = PTX_OPERAND_NONE};
    if (parser_at(parser, '(')) {
        WB_TRY(parse_call_list(parser, &list.items[0]));
        WB_TRY(parser_require(parser, ','));
    }
    WB_TRY(parse_callee(parser, &list.items[1]));
    if (parser_accept(parser, ',')) {
        bool arguments = parser_at(parser, '(');
        if (arguments) WB_TRY(parse_call_list(parser, &list.items[2]));
        if (!arguments || parser_accept(parser, ',')) {
            uint32_t place = (uint32_t)parser->body.operands.count + 3;
            WB_TRY(parse_label(parser, inst->form, place, &list.items[3]));
        }
    }
    return store_list(parser, inst, &list);
}

wb_status parse_operands(struct parser *parser, struct ptx_inst *inst) {
    const struct ptx_form *form = inst->form;
    if (form->op == PTX_OP_CALL) {
        WB_TRY(parse_call(parser, inst));
    } else if (form->op == PTX_OP_BRA || form->op == PTX_OP_BRX_IDX) {
        WB_TRY(parse_branch(parser, inst));
    } else {
        struct operand_list list;
        WB_TRY(parse_list(parser, form, &list));
        if (!parser_at(parser, ';')) return parser_expected(parser, "',' or ';'");
        WB_TRY(fit_roles(parser, inst, &list));
        WB_TRY(check_roles(parser, inst, &list));
        WB_TRY(store_list(parser, inst, &list));
    }
    return parser_require(parser, ';');
}
