#include "ptx/parser.h"

#include <stdarg.h>
#include <string.h>

#include "ptx/ptx.h"

/* ---- Errors, and what every part needs ---- */

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

void parser_note_unfit(struct parser *parser, const char *format, ...) {
    char message[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    parser->unfit = arena_string(&parser->module->arena, message, strlen(message));
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
    text_blot(copy, length); /* such bytes, zero ones too, can only stand in comments and strings */
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
    return parser_fail(parser, at, "'%.*s' is already declared", shown, name->text);
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
    *text = arena_printable(&parser->module->arena, token->text + 1, token->length - 2);
    if (*text == NULL) return WB_ERR_LIMIT;
    lexer_next(&parser->lexer);
    return WB_OK;
}

/* ---- `.loc`: the source line of the instructions that follow ---- */

/* How far back the call of inlined code is looked for; calls are near what was inlined. */
#define SEARCH_MAX 64

/* Longest chain of inlined calls that is kept. */
#define CHAIN_MAX 16

static wb_status location_add(struct parser *parser, const struct ptx_location *location, uint32_t *index) {
    *index = (uint32_t)parser->locations.count;
    return vec_push(&parser->locations, *location);
}

/* How many of the function's locations are looked at. */
static size_t search_count(const struct parser *parser) {
    size_t count = parser->locations.count - parser->location.first;
    return count < SEARCH_MAX ? count : SEARCH_MAX;
}

static bool chain_is_long(const struct parser *parser, uint32_t index) {
    int length = 0;
    while (index != PTX_NO_INDEX && length < CHAIN_MAX) {
        index = parser->locations.items[index].inlined_at;
        length++;
    }
    return length == CHAIN_MAX;
}

/* The function's last location at this place, or PTX_NO_INDEX. */
static uint32_t last_location(const struct parser *parser, const uint32_t place[3]) {
    size_t count = search_count(parser);
    for (size_t back = 1; back <= count; back++) {
        const uint32_t index = (uint32_t)(parser->locations.count - back);
        const struct ptx_location *location = &parser->locations.items[index];
        if (location->file == place[0] && location->line == place[1] && location->column == place[2])
            return index;
    }
    return PTX_NO_INDEX;
}

/* The location that code was inlined at: the one just before, the function's last one at this place, or a new
 * one. */
static wb_status location_of_call(struct parser *parser, const uint32_t place[3], uint32_t *index) {
    *index = parser->location.call != PTX_NO_INDEX ? parser->location.call : last_location(parser, place);
    if (*index != PTX_NO_INDEX && !chain_is_long(parser, *index)) return WB_OK;
    struct ptx_location call = {place[0], place[1], place[2], NULL, PTX_NO_INDEX};
    return location_add(parser, &call, index);
}

static bool same_location(const struct ptx_location *a, const struct ptx_location *b) {
    bool same_function = a->function == b->function || (a->function != NULL && b->function != NULL &&
                                                        strcmp(a->function, b->function) == 0);
    return a->file == b->file && a->line == b->line && a->column == b->column && same_function &&
           a->inlined_at == b->inlined_at;
}

/* Takes the `.loc` that was read last; the location that it was inlined at becomes known. */
static wb_status location_take(struct parser *parser, struct ptx_location *location) {
    struct location_state *state = &parser->location;
    state->pending = false;
    *location = state->next;
    if (!state->is_inlined) return WB_OK;
    return location_of_call(parser, state->inlined, &location->inlined_at);
}

/* Writes down a `.loc` without instructions because the next one was inlined there. One that is the last of
 * its place stands there already; an older one would be taken for another by what looks for the last. */
static wb_status location_keep_call(struct parser *parser, uint32_t *index) {
    struct ptx_location location;
    WB_TRY(location_take(parser, &location));
    *index = last_location(parser, (const uint32_t[3]){location.file, location.line, location.column});
    if (*index != PTX_NO_INDEX && same_location(&parser->locations.items[*index], &location)) return WB_OK;
    return location_add(parser, &location, index);
}

wb_status location_settle(struct parser *parser) {
    struct location_state *state = &parser->location;
    if (!state->pending) return WB_OK;
    struct ptx_location location;
    WB_TRY(location_take(parser, &location));
    bool again =
        state->current != PTX_NO_INDEX && same_location(&parser->locations.items[state->current], &location);
    return again ? WB_OK : location_add(parser, &location, &state->current);
}

/* file line column */
static wb_status parse_place(struct parser *parser, uint32_t place[3]) {
    for (int i = 0; i < 3; i++) {
        uint64_t value;
        WB_TRY(parse_count(parser, "a number in .loc", UINT32_MAX, &value));
        place[i] = (uint32_t)value;
    }
    return WB_OK;
}

/* label or label+offset, as text */
static wb_status parse_function_text(struct parser *parser, const char **text) {
    size_t first = parser_offset(parser);
    struct token name;
    uint64_t offset;
    WB_TRY(parser_name(parser, &name));
    WB_TRY(parse_offset(parser, &offset));
    return parser_slice(parser, first, text);
}

wb_status parse_loc(struct parser *parser) {
    struct location_state *state = &parser->location;
    uint32_t place[3];
    uint32_t inlined[3];
    const char *function = NULL;
    bool is_inlined = false;
    lexer_next(&parser->lexer);
    WB_TRY(parse_place(parser, place));
    while (parser_accept(parser, ',')) {
        bool is_function = parser_at_word(parser, "function_name");
        if (!is_function && !parser_at_word(parser, "inlined_at"))
            return parser_expected(parser, "function_name or inlined_at");
        lexer_next(&parser->lexer);
        if (is_function) {
            WB_TRY(parse_function_text(parser, &function));
        } else {
            WB_TRY(parse_place(parser, inlined));
            is_inlined = true;
        }
    }
    bool called_here = is_inlined && state->pending && state->next.file == inlined[0] &&
                       state->next.line == inlined[1] && state->next.column == inlined[2];
    uint32_t call = PTX_NO_INDEX;
    if (called_here) WB_TRY(location_keep_call(parser, &call));
    state->call = call;
    state->next = (struct ptx_location){place[0], place[1], place[2], function, PTX_NO_INDEX};
    state->pending = true;
    state->is_inlined = is_inlined;
    if (is_inlined) memcpy(state->inlined, inlined, sizeof inlined);
    return WB_OK;
}

/* ---- Module level: .version, .target, declarations ---- */

/* Tokens up to the end of a directive's arguments, as text: names joined by commas (.target sm_75, debug). */
static wb_status parse_target(struct parser *parser) {
    lexer_next(&parser->lexer);
    size_t first = parser_offset(parser);
    do {
        struct token name;
        WB_TRY(parser_name(parser, &name));
    } while (parser_accept(parser, ','));
    return parser_slice(parser, first, &parser->module->target);
}

/* .version major.minor */
static wb_status parse_version(struct parser *parser) {
    if (!parser_at_word(parser, ".version"))
        return parser_expected(parser, "a PTX module, which begins with .version");
    lexer_next(&parser->lexer);
    size_t first = parser_offset(parser);
    enum token_kind kind = parser->lexer.token.kind;
    if (kind != TOKEN_F64 && kind != TOKEN_INT) return parser_expected(parser, "a version such as 9.0");
    lexer_next(&parser->lexer);
    return parser_slice(parser, first, &parser->module->version);
}

/* .address_size 32 or 64 */
static wb_status parse_address_size(struct parser *parser) {
    lexer_next(&parser->lexer);
    size_t at = parser_offset(parser);
    uint64_t bits;
    WB_TRY(parse_count(parser, "the address size", 64, &bits));
    if (bits != 32 && bits != 64) return parser_fail(parser, at, "the address size must be 32 or 64");
    parser->module->address_size = (uint32_t)bits;
    return WB_OK;
}

/* Joins a directory and a name, as newer compilers write a file. */
static wb_status join_path(struct parser *parser, const char *directory, const char **name) {
    if (strcmp(directory, ".") == 0 || **name == '/') return WB_OK;
    size_t room = strlen(directory) + strlen(*name) + 2;
    char *path = arena_alloc(&parser->module->arena, room);
    if (path == NULL) return WB_ERR_LIMIT;
    (void)text_format(path, room, "%s/%s", directory, *name);
    *name = path;
    return WB_OK;
}

/* .file number ["directory"] "name"[, timestamp, size] */
static wb_status parse_file(struct parser *parser) {
    struct ptx_file file;
    uint64_t number;
    lexer_next(&parser->lexer);
    WB_TRY(parse_count(parser, "a file number", UINT32_MAX, &number));
    file.number = (uint32_t)number;
    WB_TRY(parse_string(parser, &file.name));
    if (parser->lexer.token.kind == TOKEN_STRING) {
        const char *directory = file.name;
        WB_TRY(parse_string(parser, &file.name));
        WB_TRY(join_path(parser, directory, &file.name));
    }
    while (parser_accept(parser, ','))
        WB_TRY(parse_count(parser, "a time or a size", UINT64_MAX, &number));
    WB_TRY(parser_item(parser, PTX_ITEM_FILE, (uint32_t)parser->files.count));
    return vec_push(&parser->files, file);
}

/* .section name { ... }: kept as it stands. */
static wb_status parse_section(struct parser *parser) {
    size_t first = parser_offset(parser);
    uint64_t depth = 0;
    const struct token *token = &parser->lexer.token;
    for (bool opened = false; !opened || depth > 0;) {
        lexer_next(&parser->lexer);
        if (token->kind == TOKEN_END || token->kind == TOKEN_BAD)
            return parser_expected(parser, opened ? "'}'" : "'{'");
        opened |= token->punct == '{';
        if (token->punct == '{') depth++;
        if (token->punct == '}' && depth > 0) depth--;
    }
    const char *text;
    lexer_next(&parser->lexer);
    WB_TRY(parser_slice(parser, first, &text));
    WB_TRY(parser_item(parser, PTX_ITEM_SECTION, (uint32_t)parser->sections.count));
    return vec_push(&parser->sections, text);
}

static wb_status parse_module_pragma(struct parser *parser) {
    do {
        const char *text;
        lexer_next(&parser->lexer);
        WB_TRY(parse_string(parser, &text));
        WB_TRY(parser_item(parser, PTX_ITEM_PRAGMA, (uint32_t)parser->pragmas.count));
        WB_TRY(vec_push(&parser->pragmas, text));
    } while (parser_at(parser, ','));
    return parser_require(parser, ';');
}

/* A name of a function that is declared already. */
static wb_status parse_function_name(struct parser *parser, uint32_t *index) {
    struct token name;
    size_t at = parser_offset(parser);
    WB_TRY(parser_name(parser, &name));
    uint32_t number;
    const struct binding *binding = scopes_find(&parser->scopes, name.text, name.length, &number);
    if (binding == NULL || binding->kind != BIND_FUNCTION)
        return parser_fail(parser, at, "function '%.*s' is not declared",
                           name.length > 100 ? 100 : (int)name.length, name.text);
    *index = binding->index;
    return WB_OK;
}

/* .alias name, function; */
static wb_status parse_alias(struct parser *parser) {
    uint32_t alias;
    uint32_t target;
    lexer_next(&parser->lexer);
    size_t at = parser_offset(parser);
    WB_TRY(parse_function_name(parser, &alias));
    WB_TRY(parser_require(parser, ','));
    WB_TRY(parse_function_name(parser, &target));
    WB_TRY(parser_require(parser, ';'));
    struct ptx_function *functions = parser->functions.items;
    if (functions[alias].has_body || functions[alias].alias_of != PTX_NO_INDEX)
        return parser_fail(parser, at, "'%s' already has a body", functions[alias].name);
    if (functions[target].alias_of != PTX_NO_INDEX) target = functions[target].alias_of;
    if (target == alias) return parser_fail(parser, at, "'%s' is an alias of itself", functions[alias].name);
    functions[alias].alias_of = target;
    return parser_item(parser, PTX_ITEM_ALIAS, alias);
}

/* The linkage directives before a declaration. */
static enum ptx_linkage parse_linkage(struct parser *parser) {
    static const struct {
        const char *word;
        enum ptx_linkage linkage;
    } table[] = {{".visible", PTX_LINK_VISIBLE},
                 {".extern", PTX_LINK_EXTERN},
                 {".weak", PTX_LINK_WEAK},
                 {".common", PTX_LINK_COMMON}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!parser_at_word(parser, table[i].word)) continue;
        lexer_next(&parser->lexer);
        return table[i].linkage;
    }
    return PTX_LINK_NONE;
}

static wb_status parse_declaration(struct parser *parser) {
    enum ptx_linkage linkage = parse_linkage(parser);
    if (parser_at_word(parser, ".entry") || parser_at_word(parser, ".func"))
        return parse_function(parser, linkage);
    const struct token *token = &parser->lexer.token;
    enum ptx_space space;
    if (token->kind == TOKEN_DIRECTIVE && ptx_space_named(token->text + 1, token->length - 1, &space) &&
        space != PTX_SPACE_REG && space != PTX_SPACE_PARAM && space != PTX_SPACE_LOCAL)
        return parse_variables(parser, linkage);
    return parser_expected(parser, "a directive");
}

static wb_status parse_top_level(struct parser *parser) {
    static const struct {
        const char *word;
        wb_status (*parse)(struct parser *parser);
    } table[] = {
        {".target", parse_target},   {".address_size", parse_address_size}, {".file", parse_file},
        {".section", parse_section}, {".pragma", parse_module_pragma},      {".alias", parse_alias},
        {".loc", parse_loc},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (parser_at_word(parser, table[i].word)) return table[i].parse(parser);
    return parser_accept(parser, ';') ? WB_OK : parse_declaration(parser);
}

static wb_status declare(struct parser *parser, const char *name, size_t length, struct binding binding) {
    bool duplicate;
    return scopes_bind(&parser->scopes, name, length, binding, &duplicate);
}

/* Special registers and WARP_SZ are names of the module's scope. */
static wb_status declare_special(struct parser *parser) {
    for (uint32_t sreg = 0; sreg <= PTX_SREG_ENVREG0; sreg++) {
        const char *name = ptx_sreg_name((enum ptx_sreg)sreg);
        size_t length = strlen(name);
        struct binding binding = {.kind = BIND_SREG, .index = sreg};
        if (sreg == PTX_SREG_ENVREG0) {
            binding.numbered = true;
            binding.count = PTX_ENVREG_COUNT;
        } else if (length > 2 && name[length - 2] == '.') {
            if (name[length - 1] != 'x') continue;
            binding.kind = BIND_SREG_VECTOR;
            length -= 2;
        }
        WB_TRY(declare(parser, name, length, binding));
    }
    return declare(parser, "WARP_SZ", strlen("WARP_SZ"), (struct binding){.kind = BIND_WARP_SIZE});
}

/* Moves a list of the parser into the arena. */
#define MODULE_MOVE(field, count_field)                                                                      \
    do {                                                                                                     \
        module->field = arena_array(&module->arena, parser->field.count, sizeof *parser->field.items);       \
        if (module->field == NULL) return WB_ERR_LIMIT;                                                      \
        if (parser->field.count > 0)                                                                         \
            memcpy(module->field, parser->field.items, parser->field.count * sizeof *parser->field.items);   \
        module->count_field = (uint32_t)parser->field.count;                                                 \
    } while (0)

static wb_status finish_module(struct parser *parser) {
    struct wb_module *module = parser->module;
    MODULE_MOVE(variables, variable_count);
    MODULE_MOVE(functions, function_count);
    MODULE_MOVE(files, file_count);
    MODULE_MOVE(locations, location_count);
    MODULE_MOVE(sections, section_count);
    MODULE_MOVE(pragmas, pragma_count);
    MODULE_MOVE(items, item_count);
    module->kernels = arena_array(&module->arena, module->function_count, sizeof *module->kernels);
    if (module->kernels == NULL) return WB_ERR_LIMIT;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *function = &module->functions[i];
        if (!function->is_entry || !function->has_body) continue;
        module->kernels[module->kernel_count++] = (struct wb_kernel){module, i};
    }
    return WB_OK;
}

static wb_status parse_all(struct parser *parser) {
    WB_TRY(declare_special(parser));
    WB_TRY(parse_version(parser));
    while (parser->lexer.token.kind != TOKEN_END)
        WB_TRY(parse_top_level(parser));
    if (parser->module->target == NULL) return parser_expected(parser, "a .target directive");
    WB_TRY(resolve_relocations(parser));
    WB_TRY(finish_module(parser));
    return runtime_resolve(parser->module);
}

static void parser_free(struct parser *parser) {
    scopes_free(&parser->scopes);
    form_table_free(&parser->forms);
    struct body *body = &parser->body;
    vec_free(&body->groups);
    vec_free(&body->reg_group);
    vec_free(&body->insts);
    vec_free(&body->operands);
    vec_free(&body->labels);
    vec_free(&body->prototypes);
    vec_free(&body->pragmas);
    vec_free(&body->pragma_inst);
    vec_free(&body->uses);
    vec_free(&parser->variables);
    vec_free(&parser->functions);
    vec_free(&parser->files);
    vec_free(&parser->locations);
    vec_free(&parser->sections);
    vec_free(&parser->pragmas);
    vec_free(&parser->items);
    vec_free(&parser->relocation_uses);
    vec_free(&parser->relocations);
}

wb_status parse_module(struct wb_module *module, struct wb_diagnostics *diagnostics) {
    struct parser *parser = calloc(1, sizeof *parser);
    if (parser == NULL) return WB_ERR_LIMIT;
    parser->module = module;
    parser->diagnostics = diagnostics;
    parser->forms.arena = &module->arena;
    parser->location.current = PTX_NO_INDEX;
    module->address_size = 32;
    lexer_init(&parser->lexer, &module->source);
    wb_status status = parse_all(parser);
    parser_free(parser);
    free(parser);
    return status;
}
