#include "report/write/source_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"

struct source_texts source_texts_open(const struct wb_module *module) {
    return (struct source_texts){.module = module};
}

void source_texts_close(struct source_texts *texts) {
    for (size_t i = 0; i < texts->files.count; i++) {
        free(texts->files.items[i].text);
        vec_free(&texts->files.items[i].starts);
    }
    vec_free(&texts->files);
}

/* Whether a file of that name is source. */
static bool is_source(const char *name) {
    static const char *const endings[] = {".cu",  ".cuh", ".cl", ".c",   ".cc",  ".cpp",
                                          ".cxx", ".h",   ".hh", ".hpp", ".inl", ".hip",
                                          ".py",  ".jl",  ".rs", ".f90", ".cuf", ".ptx"};
    const char *ending = strrchr(name, '.');
    for (size_t i = 0; ending != NULL && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(ending, endings[i]) == 0) return true;
    return false;
}

/* Reads a regular file into `file`, if there is one. An unreadable file is no error; WB_ERR_LIMIT if memory
 * is exhausted. */
static wb_status read_text(struct source_text *file, const char *path) {
    struct stat found;
    if (file->text != NULL || stat(path, &found) != 0 || !S_ISREG(found.st_mode)) return WB_OK;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return WB_ERR_LIMIT;
    const wb_status status = file_read(path, SOURCE_TEXT_SIZE_MAX, messages, &file->text, &file->size);
    wb_diagnostics_free(messages);
    return status == WB_ERR_LIMIT ? WB_ERR_LIMIT : WB_OK;
}

/* Reads the file of that name in a folder, of whose name `length` bytes are given. */
static wb_status read_in(struct source_text *file, const char *folder, size_t length, const char *name) {
    struct text path = {0};
    text_append(&path, folder, length);
    if (length > 0 && folder[length - 1] != '/') text_char(&path, '/');
    text_string(&path, name);
    const wb_status status = path.failed ? WB_ERR_LIMIT : read_text(file, path.data);
    text_free(&path);
    return status;
}

/* Looks for the file in all places. */
static wb_status find_text(struct source_text *file, const char *folder, const char *code) {
    const char *slash = strrchr(code, '/'), *last = strrchr(file->name, '/');
    const size_t beside = slash != NULL ? (size_t)(slash - code) + 1 : 0;
    last = last != NULL ? last + 1 : file->name;
    if (!is_source(file->name)) return WB_OK;
    if (folder != NULL) {
        WB_TRY(read_in(file, folder, strlen(folder), file->name));
        WB_TRY(read_in(file, folder, strlen(folder), last));
    }
    if (file->name[0] != '/') WB_TRY(read_in(file, code, beside, file->name));
    WB_TRY(read_text(file, file->name));
    return read_in(file, code, beside, last);
}

/* Makes the text printable, and finds where its lines start. */
static wb_status find_lines(struct source_text *file) {
    if (file->text != NULL) text_blot(file->text, file->size);
    for (size_t at = 0; file->text != NULL && at < file->size;) {
        WB_TRY(vec_push(&file->starts, at));
        const char *end = memchr(file->text + at, '\n', file->size - at);
        at = end != NULL ? (size_t)(end - file->text) + 1 : file->size;
    }
    return WB_OK;
}

/* The file of that name, read the first time; NULL when memory is exhausted. */
static const struct source_text *file_of(struct source_texts *texts, const char *name) {
    for (size_t i = 0; i < texts->files.count; i++)
        if (strcmp(texts->files.items[i].name, name) == 0) return &texts->files.items[i];
    struct source_text file = {.name = name};
    const char *path = texts->module->input.path; /* NULL: it was parsed in memory */
    const char *code = path != NULL ? path : texts->module->source.name;
    if (find_text(&file, texts->folder, code) != WB_OK || find_lines(&file) != WB_OK ||
        vec_push(&texts->files, file) != WB_OK) {
        free(file.text);
        vec_free(&file.starts);
        texts->failed = true;
        return NULL;
    }
    return &texts->files.items[texts->files.count - 1];
}

const char *source_texts_line(struct source_texts *texts, const char *file, uint32_t line, size_t *length) {
    const struct source_text *found = file_of(texts, file);
    if (found == NULL || line == 0 || line > found->starts.count) return NULL;
    const size_t start = found->starts.items[line - 1];
    const char *end = memchr(found->text + start, '\n', found->size - start);
    *length = end != NULL ? (size_t)(end - found->text) - start : found->size - start;
    while (*length > 0 && found->text[start + *length - 1] == '\r')
        --*length;
    return found->text + start;
}

size_t source_texts_line_count(struct source_texts *texts, const char *file) {
    const struct source_text *found = file_of(texts, file);
    return found != NULL ? found->starts.count : 0;
}
