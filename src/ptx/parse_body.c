/* The statements of a function. */
#include <string.h>

#include "ptx/parser.h"

/* Resolves the uses of labels in the scope that closes; those it does not know are left to the scope around
 * it. */
static wb_status resolve_labels(struct parser *parser) {
    struct body *body = &parser->body;
    size_t kept = body->first_use[parser->scopes.depth];
    for (size_t i = kept; i < body->uses.count; i++) {
        struct label_use use = body->uses.items[i];
        const struct binding *binding = scopes_find_here(&parser->scopes, use.symbol);
        if (binding == NULL || (binding->kind != BIND_LABEL && binding->kind != BIND_PROTOTYPE)) {
            body->uses.items[kept++] = use;
            continue;
        }
        if ((binding->kind == BIND_PROTOTYPE) != use.is_prototype)
            return parser_fail(parser, use.at,
                               use.is_prototype ? "this label names no targets and no prototype"
                                                : "this is no label of an instruction");
        if (use.in_targets) {
            body->prototypes.items[use.index].targets[use.position] = binding->index;
        } else {
            struct ptx_operand *operand = &body->operands.items[use.index];
            operand->kind = use.is_prototype ? PTX_OPERAND_PROTOTYPE : PTX_OPERAND_LABEL;
            operand->index = binding->index;
        }
    }
    body->uses.count = kept;
    return WB_OK;
}

/* At the end of the function: every label must be known. */
static wb_status check_labels(struct parser *parser) {
    if (parser->body.uses.count == 0) return WB_OK;
    const struct label_use *use = &parser->body.uses.items[0];
    const struct intern_entry *name = &parser->scopes.names.entries.items[use->symbol];
    int shown = name->length > 100 ? 100 : (int)name->length;
    return parser_fail(parser, use->at, "label '%.*s' is not declared", shown, name->text);
}

static wb_status scope_enter(struct parser *parser) {
    if (parser->scopes.depth == SCOPE_DEPTH_MAX)
        return parser_fail(parser, parser_offset(parser), "scopes are nested more than %d deep",
                           SCOPE_DEPTH_MAX);
    scopes_open(&parser->scopes);
    parser->body.first_use[parser->scopes.depth] = (uint32_t)parser->body.uses.count;
    lexer_next(&parser->lexer);
    return WB_OK;
}

/* `.branchtargets L1, L2;` behind its label */
static wb_status parse_branch_targets(struct parser *parser, uint32_t index) {
    VEC(struct token) names = {0};
    wb_status status = WB_OK;
    do {
        struct token name;
        lexer_next(&parser->lexer);
        name = parser->lexer.token;
        if (name.kind != TOKEN_NAME) status = parser_expected(parser, "a label");
        if (status == WB_OK) status = vec_push(&names, name);
        if (status == WB_OK) lexer_next(&parser->lexer);
    } while (status == WB_OK && parser_at(parser, ','));
    uint32_t *targets = arena_array(&parser->module->arena, names.count + 1, sizeof *targets);
    if (status == WB_OK && targets == NULL) status = WB_ERR_LIMIT;
    for (size_t i = 0; status == WB_OK && i < names.count; i++) {
        struct label_use use = {.index = index, .position = (uint32_t)i, .in_targets = true};
        use.at = (uint32_t)(names.items[i].text - parser->lexer.start);
        status = scopes_symbol(&parser->scopes, names.items[i].text, names.items[i].length, &use.symbol);
        if (status == WB_OK) status = vec_push(&parser->body.uses, use);
    }
    if (status == WB_OK) {
        parser->body.prototypes.items[index].targets = targets;
        parser->body.prototypes.items[index].target_count = (uint32_t)names.count;
    }
    vec_free(&names);
    return status;
}

/* A printable name for something declared in this function. */
static wb_status print_name(struct parser *parser, const struct token *name, const char **printed) {
    return scopes_print_name(&parser->scopes, &parser->module->arena, name->text, name->length, 0, false,
                             printed);
}

/* What stands behind `name:` when it is a directive that the name is given to. */
static wb_status parse_prototype(struct parser *parser, const struct token *name) {
    struct ptx_prototype prototype = {0};
    WB_TRY(print_name(parser, name, &prototype.name));
    uint32_t index = (uint32_t)parser->body.prototypes.count;
    struct binding binding = {.kind = BIND_PROTOTYPE, .index = index};
    WB_TRY(parser_bind(parser, name, binding));
    WB_TRY(vec_push(&parser->body.prototypes, prototype));
    if (parser_at_word(parser, ".branchtargets")) {
        WB_TRY(parse_branch_targets(parser, index));
    } else {
        WB_TRY(parse_text_until(parser, ';', &parser->body.prototypes.items[index].text));
    }
    return parser_require(parser, ';');
}

/* name: */
static wb_status parse_label_statement(struct parser *parser, const struct token *name) {
    lexer_next(&parser->lexer);
    if (parser_at_word(parser, ".branchtargets") || parser_at_word(parser, ".callprototype") ||
        parser_at_word(parser, ".calltargets"))
        return parse_prototype(parser, name);
    struct ptx_label label = {NULL, (uint32_t)parser->body.insts.count};
    WB_TRY(print_name(parser, name, &label.name));
    struct binding binding = {.kind = BIND_LABEL, .index = (uint32_t)parser->body.labels.count};
    WB_TRY(parser_bind(parser, name, binding));
    return vec_push(&parser->body.labels, label);
}

static wb_status parse_pragma(struct parser *parser) {
    do {
        const char *text;
        lexer_next(&parser->lexer);
        WB_TRY(parse_string(parser, &text));
        WB_TRY(vec_push(&parser->body.pragmas, text));
        WB_TRY(vec_push(&parser->body.pragma_inst, (uint32_t)parser->body.insts.count));
    } while (parser_at(parser, ','));
    return parser_require(parser, ';');
}

/* A statement that starts with a dot. */
static wb_status parse_directive(struct parser *parser) {
    if (parser_at_word(parser, ".loc")) return parse_loc(parser);
    if (parser_at_word(parser, ".reg")) return parse_registers(parser);
    if (parser_at_word(parser, ".pragma")) return parse_pragma(parser);
    enum ptx_linkage linkage = PTX_LINK_NONE;
    if (parser_at_word(parser, ".extern")) {
        linkage = PTX_LINK_EXTERN;
        lexer_next(&parser->lexer);
    }
    enum ptx_space space;
    const struct token *token = &parser->lexer.token;
    if (token->kind == TOKEN_DIRECTIVE && ptx_space_named(token->text + 1, token->length - 1, &space) &&
        space != PTX_SPACE_REG)
        return parse_variables(parser, linkage);
    return parser_expected(parser, "a statement");
}

/* @p or @!p */
static wb_status parse_guard(struct parser *parser, struct ptx_inst *inst) {
    lexer_next(&parser->lexer);
    inst->guard_negated = parser_accept(parser, '!');
    struct token name;
    WB_TRY(parser_name(parser, &name));
    uint32_t number = 0;
    const struct binding *binding = scopes_find(&parser->scopes, name.text, name.length, &number);
    size_t at = (size_t)(name.text - parser->lexer.start);
    int shown = name.length > 100 ? 100 : (int)name.length;
    if (binding == NULL) return parser_fail(parser, at, "register '%.*s' is not declared", shown, name.text);
    if (binding->kind == BIND_REG) {
        inst->guard = binding->index + (binding->numbered ? number : 0);
        uint32_t group = parser->body.reg_group.items[inst->guard];
        if (parser->body.groups.items[group].type == PTX_PRED) return WB_OK;
    }
    return parser_fail(parser, at, "'%.*s' is no predicate register", shown, name.text);
}

/* An opcode whose modifiers stand apart, `ld .u32`: joins them in the arena. */
static wb_status join_opcode(struct parser *parser, struct token *opcode) {
    struct text joined = {0};
    text_append(&joined, opcode->text, opcode->length);
    while (parser->lexer.token.kind == TOKEN_DIRECTIVE) {
        text_append(&joined, parser->lexer.token.text, parser->lexer.token.length);
        lexer_next(&parser->lexer);
    }
    opcode->text = joined.failed ? NULL : arena_string(&parser->module->arena, joined.data, joined.length);
    opcode->length = joined.length;
    text_free(&joined);
    return opcode->text == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* An instruction that is not known: kept as text up to its semicolon, so that it can be printed. */
static wb_status parse_unknown(struct parser *parser, const char *reason, struct ptx_inst *inst) {
    const char *operands;
    const char *text;
    WB_TRY(parse_text_until(parser, ';', &operands));
    WB_TRY(parser_slice(parser, inst->at, &text));
    WB_TRY(form_unknown(&parser->forms, text, strlen(text), &inst->form));
    if (parser->body.first_unknown == PTX_NO_INDEX) {
        parser->body.first_unknown = (uint32_t)parser->body.insts.count;
        parser->body.unknown_reason = reason;
    }
    inst->first_operand = (uint32_t)parser->body.operands.count;
    return parser_require(parser, ';');
}

/* Finds the form of an opcode; the first time that an unknown one is met, a warning says so. */
static wb_status find_form(struct parser *parser, const struct token *opcode, struct ptx_inst *inst) {
    struct form_problem problem;
    WB_TRY(form_get(&parser->forms, opcode->text, opcode->length, &problem, &inst->form));
    if (problem.what != NULL) {
        int shown = problem.length > 100 ? 100 : (int)problem.length;
        diagnose_at(parser->diagnostics, SEVERITY_WARNING, &parser->module->source, inst->at + problem.offset,
                    "%s '%.*s'", problem.what, shown, opcode->text + problem.offset);
    }
    bool callee = !parser->functions.items[parser->body.function].is_entry;
    if (inst->form->op == PTX_OP_RET && callee)
        return form_callee_ret(&parser->forms, inst->form, &inst->form);
    return WB_OK;
}

/* Refuses more registers than struct ptx_regs holds; no machine has an instruction with so many. */
static wb_status check_register_count(struct parser *parser, const struct ptx_inst *inst, size_t first) {
    size_t count = 0;
    for (size_t i = first; i < parser->body.operands.count; i++)
        count += parser->body.operands.items[i].kind == PTX_OPERAND_REG;
    if (count + 2 <= PTX_REGS_MAX) return WB_OK;
    return parser_unfit(parser, inst->at, "an instruction with %zu registers", count);
}

/* The operands of a known opcode. Where they do not fit it, the instruction is read again as text; a warning
 * says so of the first one of a function. */
static wb_status parse_known(struct parser *parser, struct ptx_inst *inst) {
    const struct lexer before = parser->lexer;
    const size_t operands = parser->body.operands.count, uses = parser->body.uses.count;
    parser->unfit = (struct unfit){0};
    wb_status status = parse_operands(parser, inst);
    if (status == WB_OK) status = check_register_count(parser, inst, operands);
    if (status != WB_ERR_INPUT || parser->unfit.reason == NULL) return status;
    if (parser->body.first_unknown == PTX_NO_INDEX)
        diagnose_at(parser->diagnostics, SEVERITY_WARNING, &parser->module->source, parser->unfit.at, "%s",
                    parser->unfit.reason);
    parser->lexer = before;
    parser->body.operands.count = operands;
    parser->body.uses.count = uses;
    inst->operand_count = 0;
    return parse_unknown(parser, parser->unfit.reason, inst);
}

/* What is said of an opcode that has no form. */
static wb_status parse_unknown_opcode(struct parser *parser, struct ptx_inst *inst) {
    struct text reason = {0};
    text_printf(&reason, "instruction '%.100s' is not known", inst->form->text);
    const char *kept =
        reason.failed ? NULL : arena_string(&parser->module->arena, reason.data, reason.length);
    text_free(&reason);
    return kept == NULL ? WB_ERR_LIMIT : parse_unknown(parser, kept, inst);
}

/* An instruction from its opcode on; the opcode is behind the parser already. */
static wb_status parse_instruction(struct parser *parser, struct token *opcode, struct ptx_inst *inst) {
    inst->at = (uint32_t)(opcode->text - parser->lexer.start);
    if (parser->lexer.token.kind == TOKEN_DIRECTIVE) WB_TRY(join_opcode(parser, opcode));
    WB_TRY(location_settle(parser));
    inst->location = parser->location.current;
    WB_TRY(find_form(parser, opcode, inst));
    WB_TRY(inst->form->op == PTX_OP_UNKNOWN ? parse_unknown_opcode(parser, inst) : parse_known(parser, inst));
    return vec_push(&parser->body.insts, *inst);
}

/* A label or an instruction. */
static wb_status parse_statement(struct parser *parser) {
    struct ptx_inst inst = {.guard = PTX_NO_INDEX};
    bool guarded = parser_at(parser, '@');
    if (guarded) WB_TRY(parse_guard(parser, &inst));
    if (parser->lexer.token.kind != TOKEN_NAME) return parser_expected(parser, "a statement");
    lexer_extend_opcode(&parser->lexer);
    struct token first = parser->lexer.token;
    lexer_next(&parser->lexer);
    if (!guarded && parser_at(parser, ':')) return parse_label_statement(parser, &first);
    return parse_instruction(parser, &first, &inst);
}

wb_status parse_body(struct parser *parser) {
    uint32_t outermost = parser->scopes.depth;
    for (;;) {
        if (parser->lexer.token.kind == TOKEN_DIRECTIVE) {
            WB_TRY(parse_directive(parser));
        } else if (parser_at(parser, '{')) {
            WB_TRY(scope_enter(parser));
        } else if (parser_at(parser, '}')) {
            WB_TRY(resolve_labels(parser));
            lexer_next(&parser->lexer);
            if (parser->scopes.depth == outermost) return check_labels(parser);
            scopes_close(&parser->scopes);
        } else if (parser_at(parser, ';')) {
            lexer_next(&parser->lexer);
        } else {
            WB_TRY(parse_statement(parser));
        }
    }
}
