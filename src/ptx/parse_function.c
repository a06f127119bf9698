/* Functions: header, performance directives, prototypes, statements, and handing the body over to the module.
 */
#include <string.h>

#include "ptx/parser.h"

/* ---- Statements ---- */

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
                                                : "this is not a label of an instruction");
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
    return parser_fail(parser, at, "'%.*s' is not a predicate register", shown, name.text);
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

static wb_status find_form(struct parser *parser, const struct token *opcode, struct ptx_inst *inst) {
    WB_TRY(form_get(&parser->forms, opcode->text, opcode->length, &inst->form));
    bool callee = !parser->functions.items[parser->body.function].is_entry;
    if (inst->form->op == PTX_OP_RET && callee)
        return form_callee_ret(&parser->forms, inst->form, &inst->form);
    return WB_OK;
}

/* Refuses more registers than struct ptx_regs holds; no machine has an instruction with so many. */
static wb_status check_register_count(struct parser *parser, size_t first) {
    size_t count = 0;
    for (size_t i = first; i < parser->body.operands.count; i++)
        count += parser->body.operands.items[i].kind == PTX_OPERAND_REG;
    if (count + 2 <= PTX_REGS_MAX) return WB_OK;
    return parser_unfit(parser, "an instruction with %zu registers", count);
}

/* The operands of a known opcode. Where they do not fit it, the instruction is read again as text. */
static wb_status parse_known(struct parser *parser, struct ptx_inst *inst) {
    const struct lexer before = parser->lexer;
    const size_t operands = parser->body.operands.count, uses = parser->body.uses.count;
    parser->unfit = NULL;
    wb_status status = parse_operands(parser, inst);
    if (status == WB_OK) status = check_register_count(parser, operands);
    if (status != WB_ERR_INPUT || parser->unfit == NULL) return status;
    parser->lexer = before;
    parser->body.operands.count = operands;
    parser->body.uses.count = uses;
    inst->operand_count = 0;
    return parse_unknown(parser, parser->unfit, inst);
}

/* What is said of an opcode that has no form. */
static wb_status parse_unknown_opcode(struct parser *parser, struct ptx_inst *inst) {
    struct text reason = {0};
    text_printf(&reason, "unknown instruction '%.100s'", inst->form->text);
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

/* The statements from behind `{` to the closing `}`. */
static wb_status parse_body(struct parser *parser) {
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

/* ---- Headers, and the end of a function ---- */

/* Parameters of a header before the function's name is known: results first. */
struct header {
    bool is_entry;
    enum ptx_linkage linkage;
    const char *attribute;
    struct token name;
    VEC(struct ptx_variable) params;
    VEC(struct token) names;
    size_t result_count;
};

/* One parameter: .param or .reg, then like a variable. */
static wb_status parse_param(struct parser *parser, struct header *header) {
    struct ptx_variable param = {.vector = 1};
    WB_TRY(parse_specifiers(parser, true, &param));
    if (param.space != PTX_SPACE_PARAM && param.space != PTX_SPACE_REG)
        return parser_expected(parser, "a .param or .reg before the parameter");
    struct token name = parser->lexer.token;
    struct dimensions dimensions;
    param.at = (uint32_t)parser_offset(parser);
    WB_TRY(parser_name(parser, &name));
    if (param.space == PTX_SPACE_REG && param.vector > 1)
        return parser_fail(parser, param.at, "a vector register cannot be a parameter");
    WB_TRY(parse_dimensions(parser, &param, &dimensions));
    WB_TRY(vec_push(&header->names, name));
    return vec_push(&header->params, param);
}

/* ( parameter, ... ) */
static wb_status parse_params(struct parser *parser, struct header *header) {
    WB_TRY(parser_require(parser, '('));
    if (parser_accept(parser, ')')) return WB_OK;
    do {
        WB_TRY(parse_param(parser, header));
    } while (parser_accept(parser, ','));
    return parser_require(parser, ')');
}

/* Everything from behind .entry or .func to before the performance directives. */
static wb_status parse_header(struct parser *parser, struct header *header) {
    while (parser_at_word(parser, ".attribute")) {
        lexer_next(&parser->lexer);
        WB_TRY(parse_parenthesised_text(parser, &header->attribute));
    }
    if (parser_at(parser, '(')) {
        if (header->is_entry) return parser_expected(parser, "the name of an entry");
        WB_TRY(parse_params(parser, header));
    }
    header->result_count = header->params.count;
    WB_TRY(parser_name(parser, &header->name));
    return parser_at(parser, '(') ? parse_params(parser, header) : WB_OK;
}

/* Up to three numbers `x[, y[, z]]`; those that are not given are 1. */
static wb_status parse_triple(struct parser *parser, uint32_t triple[3]) {
    for (int i = 0; i < 3; i++)
        triple[i] = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t value;
        WB_TRY(parse_count(parser, "a size", UINT32_MAX, &value));
        triple[i] = (uint32_t)value;
        if (i == 2 || !parser_accept(parser, ',')) break;
    }
    return WB_OK;
}

static wb_status parse_single(struct parser *parser, uint32_t *number) {
    uint64_t value;
    WB_TRY(parse_count(parser, "a number", UINT32_MAX, &value));
    *number = (uint32_t)value;
    return WB_OK;
}

/* A performance directive; *known: whether the current token was one. */
static wb_status parse_tuning_directive(struct parser *parser, struct ptx_tuning *tuning, bool *known) {
    const struct {
        const char *word;
        uint32_t *triple, *single;
        bool *flag;
    } table[] = {
        {".maxntid", tuning->maxntid, NULL, NULL},
        {".reqntid", tuning->reqntid, NULL, NULL},
        {".reqnctapercluster", tuning->reqnctapercluster, NULL, NULL},
        {".minnctapersm", NULL, &tuning->minnctapersm, NULL},
        {".maxnctapersm", NULL, &tuning->maxnctapersm, NULL},
        {".maxnreg", NULL, &tuning->maxnreg, NULL},
        {".maxclusterrank", NULL, &tuning->maxclusterrank, NULL},
        {".abi_preserve", NULL, &tuning->abi_preserve, NULL},
        {".abi_preserve_control", NULL, &tuning->abi_preserve_control, NULL},
        {".local_maxnreg", NULL, &tuning->local_maxnreg, NULL},
        {".noreturn", NULL, NULL, &tuning->noreturn},
        {".explicitcluster", NULL, NULL, &tuning->explicitcluster},
        {".blocksareclusters", NULL, NULL, &tuning->blocksareclusters},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!parser_at_word(parser, table[i].word)) continue;
        *known = true;
        lexer_next(&parser->lexer);
        if (table[i].triple != NULL) return parse_triple(parser, table[i].triple);
        if (table[i].single != NULL) return parse_single(parser, table[i].single);
        *table[i].flag = true;
        return WB_OK;
    }
    *known = false;
    return WB_OK;
}

/* .pragma "text"; before a body: it stands before the first instruction. */
static wb_status parse_header_pragma(struct parser *parser) {
    do {
        const char *text;
        lexer_next(&parser->lexer);
        WB_TRY(parse_string(parser, &text));
        WB_TRY(vec_push(&parser->body.pragmas, text));
        WB_TRY(vec_push(&parser->body.pragma_inst, 0));
    } while (parser_at(parser, ','));
    return parser_require(parser, ';');
}

static wb_status parse_tuning(struct parser *parser, struct ptx_tuning *tuning) {
    bool known = true;
    while (known && parser->lexer.token.kind == TOKEN_DIRECTIVE) {
        if (parser_at_word(parser, ".pragma")) {
            WB_TRY(parse_header_pragma(parser));
        } else {
            WB_TRY(parse_tuning_directive(parser, tuning, &known));
        }
    }
    return WB_OK;
}

static int shown(const struct token *name) {
    return name->length > 100 ? 100 : (int)name->length;
}

/* The function of this name: new, or declared before by a prototype. */
static wb_status find_function(struct parser *parser, const struct header *header, uint32_t *index) {
    const struct token *name = &header->name;
    uint32_t symbol;
    WB_TRY(scopes_symbol(&parser->scopes, name->text, name->length, &symbol));
    const struct binding *binding = scopes_find_here(&parser->scopes, symbol);
    if (binding != NULL && binding->kind == BIND_FUNCTION) {
        *index = binding->index;
        return WB_OK;
    }
    struct ptx_function function = {.is_entry = header->is_entry, .first_unknown = PTX_NO_INDEX};
    function.alias_of = PTX_NO_INDEX;
    function.at = (uint32_t)(name->text - parser->lexer.start);
    function.name = arena_string(&parser->module->arena, name->text, name->length);
    if (function.name == NULL) return WB_ERR_LIMIT;
    *index = (uint32_t)parser->functions.count;
    WB_TRY(parser_bind(parser, name, (struct binding){.kind = BIND_FUNCTION, .index = *index}));
    return vec_push(&parser->functions, function);
}

/* A second header of a function must have the parameters of the first. */
static wb_status check_prototype(struct parser *parser, const struct header *header,
                                 const struct ptx_function *function) {
    size_t at = (size_t)(header->name.text - parser->lexer.start);
    size_t count = header->params.count;
    bool same = function->is_entry == header->is_entry && function->return_count == header->result_count &&
                function->return_count + function->param_count == count;
    for (size_t i = 0; same && i < count; i++) {
        size_t p = i - header->result_count;
        bool result = i < header->result_count;
        bool is_reg = result ? function->return_is_reg[i] : function->param_is_reg[p];
        const struct ptx_variable *param = &header->params.items[i];
        same = is_reg == (param->space == PTX_SPACE_REG);
        if (!same || is_reg) continue;
        uint32_t index = result ? function->returns[i] : function->params[p];
        const struct ptx_variable *earlier = &parser->variables.items[index];
        same = earlier->type == param->type && earlier->size == param->size && earlier->array == param->array;
    }
    if (same) return WB_OK;
    return parser_fail(parser, at, "'%.*s' differs from its earlier declaration", shown(&header->name),
                       header->name.text);
}

/* Declares parameter `i` in the function's scope; `slot` holds the variable of an earlier prototype or
 * PTX_NO_INDEX, and then the variable or register. */
static wb_status declare_param(struct parser *parser, struct header *header, size_t i, uint32_t *slot) {
    struct ptx_variable *param = &header->params.items[i];
    const struct token *name = &header->names.items[i];
    struct binding binding = {.kind = BIND_REG, .count = 1};
    if (param->space == PTX_SPACE_REG) {
        WB_TRY(parser_add_registers(parser, name, param->type, 0, true, slot));
        binding.index = *slot;
        return parser_bind(parser, name, binding);
    }
    param->owner = parser->body.function;
    WB_TRY(scopes_print_name(&parser->scopes, &parser->module->arena, name->text, name->length, 0, true,
                             &param->name));
    if (*slot == PTX_NO_INDEX) {
        *slot = (uint32_t)parser->variables.count;
        WB_TRY(vec_push(&parser->variables, *param));
    } else {
        parser->variables.items[*slot] = *param;
    }
    binding = (struct binding){.kind = BIND_VARIABLE, .index = *slot};
    return parser_bind(parser, name, binding);
}

/* Room for the parameters of a new function. */
static wb_status make_slots(struct parser *parser, size_t count, uint32_t **slots, bool **is_reg) {
    *slots = arena_array(&parser->module->arena, count, sizeof **slots);
    *is_reg = arena_array(&parser->module->arena, count, sizeof **is_reg);
    for (size_t i = 0; *slots != NULL && i < count; i++)
        (*slots)[i] = PTX_NO_INDEX;
    return *slots == NULL || *is_reg == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* Declares results and parameters; `first`: the function's first header. */
static wb_status declare_params(struct parser *parser, struct header *header, bool first) {
    struct ptx_function *function = &parser->functions.items[parser->body.function];
    size_t results = header->result_count;
    size_t params = header->params.count - results;
    if (first) {
        WB_TRY(make_slots(parser, results, &function->returns, &function->return_is_reg));
        WB_TRY(make_slots(parser, params, &function->params, &function->param_is_reg));
        function->return_count = (uint32_t)results;
        function->param_count = (uint32_t)params;
    }
    for (size_t i = 0; i < results + params; i++) {
        bool is_reg = header->params.items[i].space == PTX_SPACE_REG;
        uint32_t *slot = i < results ? &function->returns[i] : &function->params[i - results];
        if (i < results) {
            function->return_is_reg[i] = is_reg;
        } else {
            function->param_is_reg[i - results] = is_reg;
        }
        WB_TRY(declare_param(parser, header, i, slot));
    }
    return WB_OK;
}

/* Moves an array of the body into the arena, sized exactly. */
#define BODY_MOVE(function, field, count_field, vec)                                                         \
    do {                                                                                                     \
        (function)->field = arena_array(&parser->module->arena, (vec).count, sizeof *(vec).items);           \
        if ((function)->field == NULL) return WB_ERR_LIMIT;                                                  \
        if ((vec).count > 0) memcpy((function)->field, (vec).items, (vec).count * sizeof *(vec).items);      \
        (function)->count_field = (uint32_t)(vec).count;                                                     \
    } while (0)

static wb_status finish_function(struct parser *parser) {
    struct body *body = &parser->body;
    struct ptx_function *function = &parser->functions.items[body->function];
    BODY_MOVE(function, groups, group_count, body->groups);
    BODY_MOVE(function, reg_group, reg_count, body->reg_group);
    BODY_MOVE(function, insts, inst_count, body->insts);
    BODY_MOVE(function, operands, operand_count, body->operands);
    BODY_MOVE(function, labels, label_count, body->labels);
    BODY_MOVE(function, prototypes, prototype_count, body->prototypes);
    BODY_MOVE(function, pragmas, pragma_count, body->pragmas);
    BODY_MOVE(function, pragma_inst, pragma_count, body->pragma_inst);
    function->first_unknown = body->first_unknown;
    function->unknown_reason = body->unknown_reason;
    return WB_OK;
}

static void begin_body(struct parser *parser, uint32_t index) {
    struct body *body = &parser->body;
    body->function = index;
    body->groups.count = body->reg_group.count = body->insts.count = body->operands.count = 0;
    body->labels.count = body->prototypes.count = 0;
    body->pragmas.count = body->pragma_inst.count = body->uses.count = 0;
    body->first_unknown = PTX_NO_INDEX;
    body->first_use[1] = 0;
    parser->location.pending = false;
    parser->location.current = PTX_NO_INDEX;
    parser->location.first = parser->locations.count;
    scopes_begin_function(&parser->scopes);
}

/* What follows the parameters: a semicolon, or the body. */
static wb_status parse_rest(struct parser *parser, struct header *header) {
    uint32_t index = parser->body.function;
    struct ptx_tuning tuning = {0};
    WB_TRY(parse_tuning(parser, &tuning));
    struct ptx_function *function = &parser->functions.items[index];
    bool has_body = parser_at(parser, '{');
    if (!has_body && !parser_at(parser, ';')) return parser_expected(parser, "'{' or ';'");
    if (has_body && function->has_body)
        return parser_fail(parser, (size_t)(header->name.text - parser->lexer.start),
                           "'%s' already has a body", function->name);
    lexer_next(&parser->lexer);
    if (function->has_body) return WB_OK;
    function->tuning = tuning;
    function->linkage = header->linkage;
    function->attribute = header->attribute;
    function->has_body = has_body;
    if (has_body) WB_TRY(parse_body(parser));
    WB_TRY(finish_function(parser));
    return parser_item(parser, has_body ? PTX_ITEM_BODY : PTX_ITEM_PROTOTYPE, index);
}

static wb_status parse_named_function(struct parser *parser, struct header *header) {
    uint32_t index;
    size_t known = parser->functions.count;
    WB_TRY(find_function(parser, header, &index));
    bool first = index == known;
    const struct ptx_function *function = &parser->functions.items[index];
    if (!first) WB_TRY(check_prototype(parser, header, function));
    parser->body.function = index;
    scopes_open(&parser->scopes);
    if (!first && function->has_body) {
        header->params.count = header->result_count = 0;
    } else {
        WB_TRY(declare_params(parser, header, first));
    }
    WB_TRY(parse_rest(parser, header));
    scopes_close(&parser->scopes);
    return WB_OK;
}

wb_status parse_function(struct parser *parser, enum ptx_linkage linkage) {
    struct header header = {.is_entry = parser_at_word(parser, ".entry"), .linkage = linkage};
    lexer_next(&parser->lexer);
    begin_body(parser, 0);
    wb_status status = parse_header(parser, &header);
    if (status == WB_OK) status = parse_named_function(parser, &header);
    vec_free(&header.params);
    vec_free(&header.names);
    return status;
}
