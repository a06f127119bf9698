/* A launch file becomes a launch. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/yaml.h"
#include "launch/launch.h"

/* What the fields are read into. */
struct launch_reader {
    struct wb_launch *launch;
    const char *directory; /* of the launch file, for @FILE; or NULL */
};

static struct subject subject_of(const struct ytree *document, const struct ytree_node *value) {
    return (struct subject){.source = &document->source, .offset = value->at};
}

static wb_status out_of_memory(const struct ytree *document) {
    return diagnose_out_of_memory(document->diagnostics, document->source.name);
}

static wb_status read_kernel(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    if (value->kind != YTREE_SCALAR || value->text[0] == '\0')
        return ytree_expected(document, value, "the name of a kernel");
    reader->launch->kernel = arena_string(&reader->launch->arena, value->text, strlen(value->text));
    return reader->launch->kernel == NULL ? out_of_memory(document) : WB_OK;
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
    uint64_t numbers[3];
    size_t count;
    if (!read_numbers(value, numbers, &count)) count = 0;
    return launch_grid_store(numbers, count, &subject, document->diagnostics, reader->launch);
}

static wb_status read_block(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    struct subject subject = subject_of(document, value);
    uint64_t numbers[3];
    size_t count;
    if (!read_numbers(value, numbers, &count)) count = 0;
    return launch_block_store(numbers, count, &subject, document->diagnostics, reader->launch);
}

static wb_status read_shared(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    struct subject subject = subject_of(document, value);
    const char *text = value->kind == YTREE_SCALAR && !value->quoted ? value->text : "";
    return launch_shared_store(text, &subject, document->diagnostics, reader->launch);
}

static wb_status read_arguments(const struct ytree *document, const struct ytree_node *value, void *target) {
    const struct launch_reader *reader = target;
    struct wb_launch *launch = reader->launch;
    WB_TRY(ytree_require(document, value, YTREE_LIST, "a list of arguments such as 'i32:1024'"));
    for (const struct ytree_node *item = value->first; item != NULL; item = item->next) {
        struct subject subject = subject_of(document, item);
        struct launch_argument argument;
        WB_TRY(ytree_require(document, item, YTREE_SCALAR, "an argument such as 'i32:1024'"));
        WB_TRY(launch_argument_parse(&launch->arena, item->text, &subject, reader->directory,
                                     document->diagnostics, &argument));
        if (vec_push(&launch->arguments, argument) != WB_OK) return out_of_memory(document);
    }
    launch->arguments_from_file = true;
    return WB_OK;
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
        WB_TRY(launch_contents_parse(&launch->arena, item->text, &subject, reader->directory,
                                     document->diagnostics, &variable.contents));
        variable.name = arena_string(&launch->arena, item->key, strlen(item->key));
        if (variable.name == NULL || vec_push(&launch->variables, variable) != WB_OK)
            return out_of_memory(document);
    }
    return WB_OK;
}

static const struct field launch_fields[] = {
    {.key = "kernel", .kind = FIELD_NESTED, .read = read_kernel},
    {.key = "grid", .kind = FIELD_NESTED, .read = read_grid},
    {.key = "block", .kind = FIELD_NESTED, .read = read_block},
    {.key = "shared", .kind = FIELD_NESTED, .read = read_shared},
    {.key = "arguments", .kind = FIELD_NESTED, .read = read_arguments},
    {.key = "variables", .kind = FIELD_NESTED, .read = read_variables},
    {0},
};

wb_status launch_parse(const char *name, const char *text, size_t size, const char *directory,
                       wb_diagnostics *diagnostics, wb_launch **launch) {
    struct launch_reader reader = {wb_launch_new(), directory};
    if (reader.launch == NULL) return diagnose_out_of_memory(diagnostics, name);
    struct ytree document;
    wb_status status = ytree_parse(name, text, size, diagnostics, &document);
    if (status == WB_OK) status = ytree_read_fields(&document, document.root, launch_fields, &reader);
    if (status == WB_OK) {
        reader.launch->file = arena_string(&reader.launch->arena, name, strlen(name));
        if (reader.launch->file == NULL) status = out_of_memory(&document);
    }
    ytree_free(&document);
    if (status != WB_OK) {
        wb_launch_free(reader.launch);
        return status;
    }
    *launch = reader.launch;
    return WB_OK;
}

/* The folder of a path without its last part; NULL when memory is exhausted. */
static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

wb_status wb_launch_read(const char *path, wb_diagnostics *diagnostics, wb_launch **launch) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, diagnostics, &text, &size));
    char *directory = directory_of(path);
    wb_status status = directory == NULL ? diagnose_out_of_memory(diagnostics, path)
                                         : launch_parse(path, text, size, directory, diagnostics, launch);
    free(directory);
    free(text);
    return status;
}
