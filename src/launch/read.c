/* A launch file becomes a launch, or the launches of a stream. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/launch.h"

/* The stream of launches that name none. */
#define DEFAULT_STREAM "default"

/* What the fields are read into. */
struct launch_reader {
    struct wb_launch *launch;
    const struct launch_folder *folder; /* of the launch file, for files that it names; or NULL */
};

/* A launch file, as YAML and as an input. */
struct launch_document {
    struct ytree tree;
    wb_input input;
    const struct launch_folder *folder;
    launch_types types; /* of the last launch so far that declares some, in its arena */
};

/* Whether a value is to be filled in, which is an error as soon as it is needed. */
static bool is_blank(const struct ytree_node *value) {
    return value->kind == YTREE_SCALAR && strcmp(value->text, LAUNCH_BLANK) == 0;
}

static struct subject subject_of(const struct ytree *document, const struct ytree_node *value) {
    return (struct subject){.source = &document->source, .offset = value->at};
}

static wb_status out_of_memory(const struct ytree *document) {
    return diagnose_out_of_memory(document->diagnostics, document->source.name);
}

static wb_status read_stream(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    if (value->kind != YTREE_SCALAR || value->text[0] == '\0')
        return ytree_expected(document, value, "the name of a stream");
    reader->launch->stream = arena_string(&reader->launch->arena, value->text, strlen(value->text));
    return reader->launch->stream == NULL ? out_of_memory(document) : WB_OK;
}

/* A number or a list of them; false when it is something else or has more than three. */
static bool read_numbers(const struct ytree_node *value, uint64_t numbers[3], size_t *count) {
    const struct ytree_node *item = value->kind == YTREE_LIST ? value->first : value;
    *count = 0;
    while (item != NULL) {
        if (item->kind != YTREE_SCALAR || item->quoted || *count == 3) return false;
        if (!number_u64(item->text, strlen(item->text), &numbers[*count])) return false;
        ++*count;
        item = value->kind == YTREE_LIST ? item->next : NULL;
    }
    return true;
}

static wb_status read_grid(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    struct subject subject = subject_of(document, value);
    if (is_blank(value)) {
        reader->launch->blanks.grid = value->at;
        return WB_OK;
    }
    uint64_t numbers[3];
    size_t count;
    if (!read_numbers(value, numbers, &count)) count = 0;
    return launch_grid_store(numbers, count, &subject, document->diagnostics, reader->launch);
}

static wb_status read_block(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    struct subject subject = subject_of(document, value);
    if (is_blank(value)) {
        reader->launch->blanks.block = value->at;
        return WB_OK;
    }
    uint64_t numbers[3];
    size_t count;
    if (!read_numbers(value, numbers, &count)) count = 0;
    return launch_block_store(numbers, count, &subject, document->diagnostics, reader->launch);
}

/* A number, or one that is beyond every limit when the value is something else. */
static uint64_t number_of(const struct ytree_node *value) {
    uint64_t number;
    const bool plain = value->kind == YTREE_SCALAR && !value->quoted;
    return plain && number_u64(value->text, strlen(value->text), &number) ? number : UINT64_MAX;
}

static wb_status read_shared(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    struct subject subject = subject_of(document, value);
    if (is_blank(value)) {
        reader->launch->blanks.shared = value->at;
        return WB_OK;
    }
    uint64_t bytes = UINT64_MAX;
    if (value->kind == YTREE_SCALAR && !value->quoted && !wb_read_bytes(value->text, &bytes))
        bytes = UINT64_MAX;
    return launch_shared_store(bytes, &subject, document->diagnostics, reader->launch);
}

static wb_status read_registers(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    struct subject subject = subject_of(document, value);
    return launch_registers_store(number_of(value), &subject, document->diagnostics, reader->launch);
}

static wb_status read_trace(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    const struct subject subject = subject_of(document, value);
    char *path = NULL;
    if (value->kind != YTREE_SCALAR || value->text[0] == '\0')
        return ytree_expected(document, value, "the name of a trace of Accel-Sim (.traceg)");
    WB_TRY(launch_file_path(value->text, &subject, reader->folder, document->diagnostics, &path));
    const wb_status status = wb_launch_set_trace(reader->launch, path, document->diagnostics);
    free(path);
    return status;
}

static wb_status read_assume(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    const struct ytree_node *item = value->kind == YTREE_LIST ? value->first : value;
    while (item != NULL) {
        struct subject subject = subject_of(document, item);
        WB_TRY(ytree_require(document, item, YTREE_SCALAR,
                             "approx, div-zero, pointer-order, no-contraction or all"));
        WB_TRY(launch_assumption_store(item->text, strlen(item->text), &subject, document->diagnostics,
                                       reader->launch));
        item = value->kind == YTREE_LIST ? item->next : NULL;
    }
    return WB_OK;
}

/* Whether another argument has that name already. */
static bool is_name_taken(const struct wb_launch *launch, const char *name) {
    for (size_t i = 0; i < launch->arguments.count; i++)
        if (launch->arguments.items[i].name != NULL && strcmp(launch->arguments.items[i].name, name) == 0)
            return true;
    return false;
}

/* A name is a word with a letter, so that it is no place of another argument and stands before a `=`. */
static wb_status check_name(const struct ytree *document, const struct ytree_node *named,
                            const struct wb_launch *launch) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$%";
    const size_t length = strcspn(named->key, "=:[]@ ");
    if (named->key[length] != '\0' || strpbrk(named->key, letters) == NULL)
        return ytree_key_error(document, named, "'%.60s' is not an argument name, such as n", named->key);
    if (is_name_taken(launch, named->key))
        return ytree_key_error(document, named, "two arguments are called '%.60s'", named->key);
    return WB_OK;
}

/* An entry of `arguments`: one as it is, or a name and one. */
static wb_status read_argument(const struct ytree *document, const struct ytree_node *item,
                               const struct launch_reader *reader, struct launch_argument *argument) {
    struct wb_launch *launch = reader->launch;
    const bool is_named = item->kind == YTREE_MAPPING && item->count == 1;
    const struct ytree_node *value = is_named ? item->first : item;
    struct subject subject = subject_of(document, value);
    WB_TRY(ytree_require(document, value, YTREE_SCALAR,
                         "an argument such as 'i32:1024', or one with a name: 'n: i32:1024'"));
    if (is_named) WB_TRY(check_name(document, value, launch));
    const struct launch_site site = {&launch->arena,        &subject, reader->folder,
                                     document->diagnostics, NULL,     &launch->types};
    return launch_argument_parse(&site, is_named ? value->key : NULL, value->text, argument);
}

static wb_status read_arguments(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    struct wb_launch *launch = reader->launch;
    wb_status worst = WB_OK;
    WB_TRY(ytree_require(document, value, YTREE_LIST, "a list of arguments such as 'i32:1024'"));
    launch->arguments_at = value->at;
    for (const struct ytree_node *item = value->first; item != NULL; item = item->next) {
        struct launch_argument argument = {0};
        const wb_status status = read_argument(document, item, reader, &argument);
        if (status > worst) worst = status;
        if (vec_push(&launch->arguments, argument) != WB_OK) return out_of_memory(document);
    }
    launch->arguments_from_file = true;
    return worst;
}

static wb_status read_variables(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    struct wb_launch *launch = reader->launch;
    WB_TRY(ytree_require(document, value, YTREE_MAPPING,
                         "a mapping from variables of the module to contents such as 'f32[16]=iota'"));
    for (const struct ytree_node *item = value->first; item != NULL; item = item->next) {
        struct subject subject = subject_of(document, item);
        struct launch_variable variable = {0};
        WB_TRY(ytree_require(document, item, YTREE_SCALAR, "contents such as 'f32[16]=iota'"));
        const struct launch_site site = {&launch->arena,        &subject, reader->folder,
                                         document->diagnostics, NULL,     NULL};
        WB_TRY(launch_contents_parse(&site, item->text, &variable.contents, NULL));
        variable.name = arena_string(&launch->arena, item->key, strlen(item->key));
        variable.text = arena_string(&launch->arena, item->text, strlen(item->text));
        if (variable.name == NULL || variable.text == NULL || vec_push(&launch->variables, variable) != WB_OK)
            return out_of_memory(document);
    }
    return WB_OK;
}

/* What the file says in place of an option, by its key. */
#define SETTING_READER(name, setting)                                                                        \
    static wb_status read_##name(const struct ytree *document, const struct ytree_node *value,               \
                                 void *target) {                                                             \
        const struct launch_reader *reader = target;                                                         \
        return launch_setting_store((setting), document, value, reader->folder, reader->launch);             \
    }
SETTING_READER(code, WB_LAUNCH_CODE)
SETTING_READER(facts, WB_LAUNCH_FACTS)
SETTING_READER(ptxas_info, WB_LAUNCH_PTXAS_INFO)
SETTING_READER(machine, WB_LAUNCH_MACHINE)
SETTING_READER(deadline, WB_LAUNCH_DEADLINE)
SETTING_READER(accept, WB_LAUNCH_ACCEPT)
SETTING_READER(compile, WB_LAUNCH_COMPILE)
SETTING_READER(resident, WB_LAUNCH_RESIDENT)
SETTING_READER(partition, WB_LAUNCH_PARTITION)
SETTING_READER(interference, WB_LAUNCH_INTERFERENCE)
SETTING_READER(image, WB_LAUNCH_IMAGE)
SETTING_READER(kernel, WB_LAUNCH_KERNEL)

/* What is read before all other keys. */
static wb_status read_before(const struct ytree *document, const struct ytree_node *value, void *target) {
    (void)document, (void)value, (void)target;
    return WB_OK;
}

static const struct field launch_fields[] = {
    {.key = "code", .kind = FIELD_NESTED, .read = read_code},
    {.key = "image", .kind = FIELD_NESTED, .read = read_image},
    {.key = "kernel", .kind = FIELD_NESTED, .read = read_kernel},
    {.key = "stream", .kind = FIELD_NESTED, .read = read_stream},
    {.key = "grid", .kind = FIELD_NESTED, .read = read_grid},
    {.key = "block", .kind = FIELD_NESTED, .read = read_block},
    {.key = "shared", .kind = FIELD_NESTED, .read = read_shared},
    {.key = "registers", .kind = FIELD_NESTED, .read = read_registers},
    {.key = "assume", .kind = FIELD_NESTED, .read = read_assume},
    {.key = "trace", .kind = FIELD_NESTED, .read = read_trace},
    {.key = "types", .kind = FIELD_NESTED, .read = read_before},
    {.key = "arguments", .kind = FIELD_NESTED, .read = read_arguments},
    {.key = "variables", .kind = FIELD_NESTED, .read = read_variables},
    {.key = "facts", .kind = FIELD_NESTED, .read = read_facts},
    {.key = "ptxas_info", .kind = FIELD_NESTED, .read = read_ptxas_info},
    {.key = "machine", .kind = FIELD_NESTED, .read = read_machine},
    {.key = "deadline", .kind = FIELD_NESTED, .read = read_deadline},
    {.key = "accept", .kind = FIELD_NESTED, .read = read_accept},
    {.key = "compile", .kind = FIELD_NESTED, .read = read_compile},
    {.key = "resident", .kind = FIELD_NESTED, .read = read_resident},
    {.key = "partition", .kind = FIELD_NESTED, .read = read_partition},
    {.key = "interference", .kind = FIELD_NESTED, .read = read_interference},
    {0},
};

/* Behind "- " or "- NAME: " at the start of a line: where an argument begins; NULL: none does. */
static const char *argument_on(const char *line, const char *end) {
    const char *at = line;
    while (at < end && *at == ' ')
        at++;
    if (end - at < 2 || at[0] != '-' || at[1] != ' ') return NULL;
    for (at += 2; at < end && *at == ' ';)
        at++;
    const char *name = at;
    while (at < end && *at != ' ' && *at != ':' && *at != '#')
        at++;
    if (end - at < 2 || at[0] != ':' || at[1] != ' ') return name;
    while (++at < end && *at == ' ') {
    }
    return at;
}

/* The end of a struct that stands there without quotes: behind its last brace, or that of the file where it
 * has none; NULL: it is something else. */
static const char *struct_end(const char *at, const char *end) {
    static const char *const starts[] = {"struct", "packed", "align"};
    bool is_struct = false;
    int depth = 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const size_t length = strlen(starts[i]);
        is_struct |= (size_t)(end - at) > length && memcmp(at, starts[i], length) == 0 &&
                     (at[length] == ' ' || at[length] == '{');
    }
    for (bool comment = false; is_struct && at < end; at++) {
        if (*at == '\n' || (*at == '#' && (at[-1] == ' ' || at[-1] == '\n'))) comment = *at == '#';
        if (comment) continue;
        depth += (*at == '{') - (*at == '}');
        if (*at == '}' && depth <= 0) return at + 1;
    }
    return is_struct ? end : NULL;
}

wb_status launch_tree_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                            struct ytree *document) {
    const char *end = text + size;
    char *shielded = size < YTREE_SIZE_MAX ? malloc(size + 1) : NULL;
    if (shielded == NULL) return ytree_parse(name, text, size, diagnostics, document);
    memcpy(shielded, text, size);
    for (const char *line = text; line != NULL && line < end;) {
        const char *at = argument_on(line, end), *behind = at != NULL ? struct_end(at, end) : NULL;
        for (; behind != NULL && at < behind; at++)
            if ((*at & 0x80) == 0) shielded[at - text] = 'x';
        line = memchr(behind != NULL ? behind : line, '\n', (size_t)(end - (behind != NULL ? behind : line)));
        line = line != NULL ? line + 1 : NULL;
    }
    const wb_status status = ytree_parse_shielded(name, text, shielded, size, diagnostics, document);
    free(shielded);
    return status;
}

/* Parses a launch file; ytree_free(&document->tree) in any case. */
static wb_status open_document(const char *name, const char *text, size_t size,
                               const struct launch_folder *folder, wb_diagnostics *diagnostics,
                               struct launch_document *document) {
    document->input = input_of(WB_INPUT_LAUNCH, name, text, size);
    document->folder = folder;
    document->tree = (struct ytree){0};
    document->types = (launch_types){0};
    WB_TRY(content_expect(CONTENT_LAUNCH, name, text, size, diagnostics));
    return launch_tree_parse(name, text, size, diagnostics, &document->tree);
}

/* Declarations of C in a block of lines, which are read as they stand in the file. */
static wb_status read_types(const struct ytree *document, const struct ytree_node *value,
                            struct wb_launch *launch) {
    const struct source *source = &document->source;
    if (value->kind != YTREE_SCALAR || !value->quoted || source->text[value->at] != '|')
        return ytree_expected(document, value, "declarations of structs in lines behind '|'");
    const char *const end = source->text + source->size;
    const char *start = memchr(source->text + value->at, '\n', source->size - value->at), *line = start;
    for (const char *at = value->text; line != NULL && *at != '\0'; at++)
        if (*at == '\n' || at[1] == '\0') line = memchr(line + 1, '\n', (size_t)(end - line - 1));
    if (start == NULL) start = end;
    struct scanner scan =
        scanner_of(source, SCAN_SPACES | SCAN_SLASH_COMMENTS | SCAN_STAR_COMMENTS, document->diagnostics);
    scan.text = start;
    scan.size = (size_t)((line != NULL ? line : end) - start);
    scan.subject.offset = (size_t)(start - source->text);
    return launch_types_parse(&scan, &launch->arena, &launch->types);
}

/* The launch that a mapping describes; in a list, what one declares is known to those behind it while they
 * are read. */
static wb_status read_launch(struct launch_document *document, const struct ytree_node *mapping,
                             wb_launch **launch) {
    struct launch_reader reader = {wb_launch_new(), document->folder};
    if (reader.launch == NULL) return out_of_memory(&document->tree);
    const struct ytree_node *types = mapping->kind == YTREE_MAPPING ? ytree_find(mapping, "types") : NULL;
    reader.launch->types = document->types;
    wb_status status = types != NULL ? read_types(&document->tree, types, reader.launch) : WB_OK;
    document->types = reader.launch->types;
    if (status == WB_OK) status = ytree_read_fields(&document->tree, mapping, launch_fields, &reader);
    if (types == NULL) reader.launch->types = (launch_types){0};
    if (status == WB_OK) status = launch_check_promises(reader.launch, &document->tree, mapping);
    if (status == WB_OK &&
        input_copy(&document->input, &reader.launch->arena, &reader.launch->input) != WB_OK)
        status = out_of_memory(&document->tree);
    reader.launch->file = reader.launch->input.path;
    if (status != WB_OK) {
        wb_launch_free(reader.launch);
        return status;
    }
    *launch = reader.launch;
    return WB_OK;
}

/* A launch that is no part of a list, with the text that it was read from, for messages about it. */
static wb_status read_one(struct launch_document *document, wb_launch **launch) {
    const struct source *source = &document->tree.source;
    wb_launch *made = NULL;
    WB_TRY(read_launch(document, document->tree.root, &made));
    assert(made != NULL);
    const char *text = arena_string(&made->arena, source->text, source->size);
    made->source = (struct source){made->file, text, source->size};
    if (text == NULL) {
        wb_launch_free(made);
        return out_of_memory(&document->tree);
    }
    *launch = made;
    return WB_OK;
}

wb_status launch_parse(const char *name, const char *text, size_t size, const struct launch_folder *folder,
                       wb_diagnostics *diagnostics, wb_launch **launch) {
    struct launch_document document;
    wb_status status = open_document(name, text, size, folder, diagnostics, &document);
    const struct ytree_node *root = status == WB_OK ? document.tree.root : NULL;
    if (status == WB_OK && root->kind == YTREE_LIST)
        status = ytree_error(&document.tree, root,
                             "expected one launch, got a list of launches, which only analyze takes");
    if (status == WB_OK) status = read_one(&document, launch);
    ytree_free(&document.tree);
    return status;
}

/* WB_ERR_DECLINED with a message about the mapping that `launch` was read from, unless it runs in the same
 * stream as `first`. */
static wb_status require_stream(const struct ytree *document, const struct ytree_node *mapping,
                                const wb_launch *launch, const wb_launch *first) {
    const char *stream = launch->stream != NULL ? launch->stream : DEFAULT_STREAM;
    const char *expected = first->stream != NULL ? first->stream : DEFAULT_STREAM;
    if (strcmp(stream, expected) == 0) return WB_OK;
    const struct ytree_node *place = ytree_find(mapping, "stream");
    (void)ytree_error(document, place != NULL ? place : mapping,
                      "stream '%.60s', but that of the first launch is '%.60s': kernels of different streams "
                      "may run at the same time, which no bound covers",
                      stream, expected);
    return WB_ERR_DECLINED;
}

/* The launches of a list are of one PTX file, on one machine, and have one deadline; flow facts are of one
 * kernel. */
static wb_status require_same(const struct ytree *document, const struct ytree_node *mapping,
                              const wb_launch *launch, const wb_launches *launches) {
    assert(launch != NULL);
    static const wb_launch_setting same[] = {WB_LAUNCH_CODE,      WB_LAUNCH_MACHINE,      WB_LAUNCH_DEADLINE,
                                             WB_LAUNCH_ACCEPT,    WB_LAUNCH_COMPILE,      WB_LAUNCH_RESIDENT,
                                             WB_LAUNCH_PARTITION, WB_LAUNCH_INTERFERENCE, WB_LAUNCH_IMAGE};
    if (launch->settings[WB_LAUNCH_PTXAS_INFO] != NULL)
        return ytree_error(
            document, ytree_find(mapping, "ptxas_info"),
            "ptxas_info: not allowed in a list of launches: give the registers of each launch");
    if (launch->settings[WB_LAUNCH_FACTS] != NULL)
        return ytree_error(
            document, ytree_find(mapping, "facts"),
            "facts: not allowed in a list of launches, whose kernels are bounded without them");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const char *own = launch->settings[same[i]];
        if (own == NULL || strcmp(own, wb_launches_setting(launches, same[i])) == 0) continue;
        const char *key = launch_setting_key(same[i]);
        return ytree_error(document, ytree_find(mapping, key),
                           "%s: differs from an earlier one: give one for the whole list", key);
    }
    return WB_OK;
}

/* All launches of a list. */
static wb_status read_list(struct launch_document *document, struct wb_launches *launches) {
    const struct ytree *tree = &document->tree;
    launches->is_list = true;
    if (tree->root->count == 0) return ytree_error(tree, tree->root, "the list has no launch");
    if (tree->root->count > LAUNCHES_MAX)
        return ytree_error(tree, tree->root, "more than %u launches", LAUNCHES_MAX);
    for (const struct ytree_node *item = tree->root->first; item != NULL; item = item->next) {
        WB_TRY(read_launch(document, item, &launches->items[launches->count]));
        launches->count++;
    }
    size_t launch = 0;
    for (const struct ytree_node *item = tree->root->first; item != NULL; item = item->next) {
        WB_TRY(require_same(tree, item, launches->items[launch], launches));
        WB_TRY(require_stream(tree, item, launches->items[launch++], launches->items[0]));
    }
    return WB_OK;
}

/* Keeps the text and where the settings stand in it, for messages about what they name. */
static wb_status keep_places(const struct launch_document *document, struct wb_launches *launches) {
    const struct source *source = &document->tree.source;
    struct arena *arena = &launches->arena;
    launches->source = (struct source){arena_string(arena, source->name, strlen(source->name)),
                                       arena_string(arena, source->text, source->size), source->size};
    for (size_t i = launches->count; i-- > 0;)
        for (size_t s = 0; s < LAUNCH_SETTINGS; s++)
            if (launches->items[i]->settings_at[s] > 0)
                launches->settings_at[s] = launches->items[i]->settings_at[s];
    const bool failed = launches->source.name == NULL || launches->source.text == NULL;
    return failed ? out_of_memory(&document->tree) : WB_OK;
}

/* A list, or a launch alone. */
static wb_status fill_launches(struct launch_document *document, struct wb_launches *launches) {
    const struct ytree_node *root = document->tree.root;
    const bool is_list = root->kind == YTREE_LIST;
    launches->items = calloc(is_list ? root->count + 1 : 1, sizeof(struct wb_launch *));
    if (launches->items == NULL) return out_of_memory(&document->tree);
    if (is_list) return read_list(document, launches);
    WB_TRY(read_one(document, &launches->items[0]));
    launches->count = 1;
    return WB_OK;
}

wb_status launches_parse(const char *name, const char *text, size_t size, const struct launch_folder *folder,
                         wb_diagnostics *diagnostics, wb_launches **launches) {
    struct wb_launches *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, name);
    struct launch_document document;
    wb_status status = open_document(name, text, size, folder, diagnostics, &document);
    if (status == WB_OK) status = fill_launches(&document, made);
    if (status == WB_OK) status = keep_places(&document, made);
    ytree_free(&document.tree);
    if (status != WB_OK) {
        wb_launches_free(made);
        return status;
    }
    *launches = made;
    return WB_OK;
}

/* The folder of a path without its last part; NULL when memory is exhausted. */
static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* A launch file in memory, and where it lies; freed with launch_file_free in any case. */
struct launch_file {
    char *text, *directory;
    size_t size;
    struct launch_folder folder;
};

static wb_status launch_file_read(const char *path, wb_launch_files files, wb_diagnostics *diagnostics,
                                  struct launch_file *file) {
    WB_TRY(file_read(path, YTREE_SIZE_MAX, diagnostics, &file->text, &file->size));
    file->directory = directory_of(path);
    file->folder = (struct launch_folder){file->directory, files};
    return file->directory == NULL ? diagnose_out_of_memory(diagnostics, path) : WB_OK;
}

static void launch_file_free(struct launch_file *file) {
    free(file->directory);
    free(file->text);
}

wb_status wb_launch_read(const char *path, wb_launch_files files, wb_diagnostics *diagnostics,
                         wb_launch **launch) {
    struct launch_file file = {0};
    wb_status status = launch_file_read(path, files, diagnostics, &file);
    if (status == WB_OK) status = launch_parse(path, file.text, file.size, &file.folder, diagnostics, launch);
    launch_file_free(&file);
    return status;
}

/* Finds the code beside a launch file. */
static wb_status find_beside(const char *path, wb_diagnostics *diagnostics, char **beside) {
    static const char *const endings[] = {"ptx", "cubin"};
    const char *dot = strrchr(path, '.');
    if (!file_ends_with(path, ".yaml") && !file_ends_with(path, ".yml")) return WB_OK;
    for (size_t i = 0; *beside == NULL && i < sizeof endings / sizeof *endings; i++) {
        struct text name = {0};
        text_printf(&name, "%.*s.%s", (int)(dot - path), path, endings[i]);
        if (name.failed) {
            text_free(&name);
            return diagnose_out_of_memory(diagnostics, path);
        }
        if (access(name.data, R_OK) == 0)
            *beside = text_take(&name);
        else
            text_free(&name);
    }
    return WB_OK;
}

wb_status wb_launches_read(const char *path, wb_launch_files files, wb_diagnostics *diagnostics,
                           wb_launches **launches) {
    struct launch_file file = {0};
    char *beside = NULL;
    wb_status status = launch_file_read(path, files, diagnostics, &file);
    if (status == WB_OK) status = find_beside(path, diagnostics, &beside);
    if (status == WB_OK)
        status = launches_parse(path, file.text, file.size, &file.folder, diagnostics, launches);
    if (status == WB_OK)
        (*launches)->beside = beside;
    else
        free(beside);
    launch_file_free(&file);
    return status;
}

const char *wb_launches_code(const wb_launches *launches) {
    const char *named = wb_launches_setting(launches, WB_LAUNCH_CODE);
    return named != NULL ? named : launches->beside;
}
