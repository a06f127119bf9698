#include "report/write/source.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "sass/sass.h"

/* ---- Places of instructions -------------------------------------------------------------------------- */

/* Finds where the lines of a text start. */
static wb_status find_starts(const char *text, size_t size, line_starts *starts) {
    for (size_t at = 0; at < size;) {
        WB_TRY(vec_push(starts, at));
        const char *end = memchr(text + at, '\n', size - at);
        at = end != NULL ? (size_t)(end - text) + 1 : size;
    }
    return WB_OK;
}

/* A line of such a text without its end, or NULL. */
static const char *line_text(const char *text, size_t size, const line_starts *starts, uint32_t line,
                             size_t *length) {
    if (line == 0 || line > starts->count) return NULL;
    const size_t start = starts->items[line - 1];
    const char *end = memchr(text + start, '\n', size - start);
    *length = end != NULL ? (size_t)(end - text) - start : size - start;
    return text + start;
}

wb_status source_lines_open(const struct wb_module *module, struct source_lines *lines) {
    *lines = (struct source_lines){.module = module};
    return find_starts(module->source.text, module->source.size, &lines->starts);
}

void source_lines_close(struct source_lines *lines) {
    vec_free(&lines->starts);
}

const char *source_lines_text(const struct source_lines *lines, uint32_t line, size_t *length) {
    return line_text(lines->module->source.text, lines->module->source.size, &lines->starts, line, length);
}

/* The number of the line, from 1, that holds byte `offset`. */
static uint32_t line_of(const struct source_lines *lines, size_t offset) {
    size_t low = 0, high = lines->starts.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->starts.items[middle] <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low > 0 || lines->starts.count == 0);
    return (uint32_t)low;
}

struct inst_place source_lines_place(const struct source_lines *lines, const struct ptx_inst *inst) {
    struct inst_place place = {.line = line_of(lines, inst->at)};
    if (lines->module->code != NULL) {
        place.is_machine = true;
        place.address = ptx_address(lines->module, inst);
    }
    if (inst->location != PTX_NO_INDEX) {
        const struct ptx_location *location = &lines->module->locations[inst->location];
        place.source_file = ptx_location_file(lines->module, location);
        place.source_line = location->line;
    }
    return place;
}

void source_lines_put_code(struct text *out, const struct inst_place *place) {
    if (place->is_machine)
        text_printf(out, "0x%04x", place->address);
    else
        text_printf(out, "PTX line %u", place->line);
}

void source_lines_cell(struct sheet *table, const struct inst_place *place) {
    if (place->is_machine)
        sheet_printf(table, "0x%04x", place->address);
    else
        sheet_count(table, place->line);
}

void source_lines_json(struct json *json, const struct inst_place *place) {
    if (place->is_machine) json_put_count(json, "address", place->address);
    if (place->source_file == NULL) return;
    json_put(json, "source_file %s, source_line %u", place->source_file, place->source_line);
}

void source_lines_put_guard(struct text *out, const struct ptx_function *function,
                            const struct ptx_inst *inst) {
    if (inst->guard == PTX_NO_INDEX) return;
    text_string(out, inst->guard_negated ? "@!" : "@");
    ptx_put_reg(function, inst->guard, out);
}

/* Longest instruction that is shown whole. */
enum { INST_LENGTH_MAX = 62 };

void source_lines_put_inst(struct text *out, const struct wb_module *module,
                           const struct ptx_function *function, const struct ptx_inst *inst) {
    const struct source *source = &module->source;
    bool blank = false;
    size_t at = inst->at;
    if (module->code != NULL) {
        sass_put(&module->code->insts[inst->machine].sass, out);
        return;
    }
    source_lines_put_guard(out, function, inst);
    if (inst->guard != PTX_NO_INDEX) text_char(out, ' ');
    for (size_t length = 0; at < source->size && source->text[at] != ';' && length < INST_LENGTH_MAX; at++) {
        char c = source->text[at];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            blank = true;
            continue;
        }
        if (blank) text_char(out, ' ');
        length += 1 + (size_t)blank;
        blank = false;
        text_char(out, c >= ' ' && c <= '~' ? c : '?');
    }
    if (at < source->size && source->text[at] != ';') text_string(out, "...");
}

/* ---- Text of the sources ----------------------------------------------------------------------------- */

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

/* Replaces `path` by the file of that name in a folder, of whose name `length` bytes are given, and says
 * whether there is one that is not too large. */
static bool is_in(const char *folder, size_t length, const char *name, struct text *path) {
    struct stat found;
    path->length = 0;
    text_append(path, folder, length);
    if (length > 0 && folder[length - 1] != '/') text_char(path, '/');
    text_string(path, name);
    return !path->failed && stat(path->data, &found) == 0 && S_ISREG(found.st_mode) &&
           found.st_size <= (off_t)SOURCE_TEXT_SIZE_MAX;
}

bool source_find(const char *folder, const char *code, const char *name, struct text *path) {
    const char *slash = strrchr(code, '/'), *last = strrchr(name, '/');
    const size_t beside = slash != NULL ? (size_t)(slash - code) + 1 : 0;
    last = last != NULL ? last + 1 : name;
    if (!is_source(name)) return false;
    return (folder != NULL &&
            (is_in(folder, strlen(folder), name, path) || is_in(folder, strlen(folder), last, path))) ||
           (name[0] != '/' && is_in(code, beside, name, path)) || is_in("", 0, name, path) ||
           is_in(code, beside, last, path);
}

/* Reads the file, if there is one. An unreadable file is no error; WB_ERR_LIMIT if memory is exhausted. */
static wb_status find_text(struct source_text *file, const char *folder, const char *code) {
    struct text path = {0};
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_status status = messages == NULL ? WB_ERR_LIMIT : WB_OK;
    if (status == WB_OK && source_find(folder, code, file->name, &path))
        status = file_read(path.data, SOURCE_TEXT_SIZE_MAX, messages, &file->text, &file->size);
    if (path.failed) status = WB_ERR_LIMIT;
    text_free(&path);
    wb_diagnostics_free(messages);
    return status == WB_ERR_LIMIT ? WB_ERR_LIMIT : WB_OK;
}

/* Makes the text printable, and finds where its lines start. */
static wb_status find_lines(struct source_text *file) {
    if (file->text == NULL) return WB_OK;
    text_blot(file->text, file->size);
    return find_starts(file->text, file->size, &file->starts);
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
    const char *text =
        found != NULL ? line_text(found->text, found->size, &found->starts, line, length) : NULL;
    while (text != NULL && *length > 0 && text[*length - 1] == '\r')
        --*length;
    return text;
}

size_t source_texts_line_count(struct source_texts *texts, const char *file) {
    const struct source_text *found = file_of(texts, file);
    return found != NULL ? found->starts.count : 0;
}
