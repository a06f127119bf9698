#include "wings/makespan/strings/spec_file.h"

#include <string.h>

#include "base/base.h"
#include "base/files.h"

/* Longest key or number; a kernel string may be longer. */
#define WORD_MAX 64u

/* Longest part of an unknown key that messages show. */
#define SHOWN_MAX 60u

/* A key that sets the units of one type. */
#define UNIT_FIELD(name, unit, needed)                                                                       \
    {                                                                                                        \
        .key = (name), .kind = FIELD_U32, .required = (needed),                                              \
        .offset = offsetof(struct makespan_spec, units[unit].numerator), .minimum = 1,                       \
        .maximum = CAPACITY_MAX                                                                              \
    }

/* The five keys of ECRTS'12. ETFA'13 has two more unit types and the number of warp schedulers: what they
 * need has names of the same kind. */
static const struct field config_fields[] = {
    {.key = "kernel", .kind = FIELD_NESTED, .required = true, .what = "a kernel instruction string"},
    {.key = "warp_number",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct makespan_spec, warps),
     .minimum = 1,
     .maximum = MAKESPAN_WARPS_MAX},
    UNIT_FIELD("ls_unit_number", 0, true),
    UNIT_FIELD("cuda_core_number", 1, true),
    UNIT_FIELD("sf_unit_number", 2, false),
    UNIT_FIELD("dp_unit_number", 3, false),
    {.key = "warp_size",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct makespan_spec, warp_size),
     .minimum = 1,
     .maximum = WARP_SIZE_MAX},
    {.key = "scheduler_number",
     .kind = FIELD_U32,
     .offset = offsetof(struct makespan_spec, issue),
     .minimum = 1,
     .maximum = MAKESPAN_WARPS_MAX},
    {0},
};

#define FIELD_COUNT (sizeof config_fields / sizeof *config_fields - 1)

struct config_reader {
    struct source source;
    size_t at; /* where the next line starts */
    wb_diagnostics *diagnostics;
    struct makespan_spec *spec;
    bool given[FIELD_COUNT];
};

/* A line without the spaces around it. */
struct line {
    size_t at; /* in the source */
    size_t length;
};

/* Reads the next line that is not blank; false at the end of the file. */
static bool next_line(struct config_reader *reader, struct line *line) {
    const struct source *source = &reader->source;
    while (reader->at < source->size && ascii_space(source->text[reader->at]))
        reader->at++;
    line->at = reader->at;
    while (reader->at < source->size && source->text[reader->at] != '\n')
        reader->at++;
    size_t end = reader->at;
    while (end > line->at && ascii_space(source->text[end - 1]))
        end--;
    line->length = end - line->at;
    return line->length > 0;
}

/* The line as a string, "" when it cannot be a key or a number. */
static void copy_word(const struct config_reader *reader, const struct line *line, char word[WORD_MAX]) {
    const char *text = reader->source.text + line->at;
    bool fits = line->length < WORD_MAX && memchr(text, '\0', line->length) == NULL;
    size_t length = fits ? line->length : 0;
    memcpy(word, text, length);
    word[length] = '\0';
}

static const struct field *find_key(const struct config_reader *reader, const struct line *line) {
    char word[WORD_MAX];
    copy_word(reader, line, word);
    return field_find(config_fields, word);
}

static wb_status unknown_key(const struct config_reader *reader, const struct line *line) {
    char word[WORD_MAX];
    copy_word(reader, line, word);
    int shown = line->length < SHOWN_MAX ? (int)line->length : (int)SHOWN_MAX;
    const char *text = reader->source.text + line->at;
    const char *nearest = field_suggest(config_fields, word);
    if (nearest != NULL) {
        diagnose_at(reader->diagnostics, SEVERITY_ERROR, &reader->source, line->at,
                    "unknown key '%.*s'; did you mean '%s'?", shown, text, nearest);
        return WB_ERR_INPUT;
    }
    struct text keys = {0};
    field_list_keys(config_fields, &keys);
    diagnose_at(reader->diagnostics, SEVERITY_ERROR, &reader->source, line->at,
                "unknown key '%.*s'; expected one of: %s", shown, text, keys.failed ? "" : keys.data);
    text_free(&keys);
    return WB_ERR_INPUT;
}

/* Reports what is wrong with a key at `at`, "KEY: PROBLEM: expected WHAT"; always WB_ERR_INPUT. */
static wb_status expected(const struct config_reader *reader, const struct field *field, size_t at,
                          const char *problem) {
    struct text what = {0};
    field_describe(field, &what);
    diagnose_at(reader->diagnostics, SEVERITY_ERROR, &reader->source, at, "%s: %s: expected %s", field->key,
                problem, what.failed ? "another value" : what.data);
    text_free(&what);
    return WB_ERR_INPUT;
}

static wb_status read_kernel(const struct config_reader *reader, const struct line *line) {
    const struct subject subject = {.source = &reader->source, .offset = line->at};
    struct unit_string string = {0};
    WB_TRY(
        notation_parse(reader->source.text + line->at, line->length, &subject, reader->diagnostics, &string));
    return spec_add_string(reader->spec, 0, &string, reader->diagnostics);
}

static wb_status read_value(const struct config_reader *reader, const struct field *field,
                            const struct line *line) {
    if (field->kind == FIELD_NESTED) return read_kernel(reader, line);
    char word[WORD_MAX];
    copy_word(reader, line, word);
    if (field_store(field, word, reader->spec)) return WB_OK;
    return expected(reader, field, line->at, "wrong value");
}

/* Reads one key and its value. */
static wb_status read_entry(struct config_reader *reader, const struct line *key_line) {
    const struct field *field = find_key(reader, key_line);
    if (field == NULL) return unknown_key(reader, key_line);
    size_t index = (size_t)(field - config_fields);
    if (reader->given[index]) {
        diagnose_at(reader->diagnostics, SEVERITY_ERROR, &reader->source, key_line->at,
                    "key '%s' is given twice", field->key);
        return WB_ERR_INPUT;
    }
    reader->given[index] = true;
    struct line value;
    if (!next_line(reader, &value)) return expected(reader, field, key_line->at, "no value follows");
    if (find_key(reader, &value) != NULL)
        return expected(reader, field, value.at, "another key follows instead of a value");
    return read_value(reader, field, &value);
}

/* Reports every required key that the file lacks, about its end. */
static wb_status require_keys(const struct config_reader *reader) {
    wb_status status = WB_OK;
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (config_fields[i].required && !reader->given[i])
            status = expected(reader, &config_fields[i], reader->source.size, "the key is missing");
    return status;
}

wb_status config_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                            struct makespan_spec *spec) {
    struct config_reader reader = {.source = {name, text, size}, .diagnostics = diagnostics, .spec = spec};
    struct line line;
    while (next_line(&reader, &line))
        WB_TRY(read_entry(&reader, &line));
    WB_TRY(require_keys(&reader));
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (spec->units[unit].numerator != 0) spec->units[unit].denominator = 1;
    return WB_OK;
}

#define NAME_MAX_BYTES 64u
#define ABOUT_MAX 4096u

/* What the file says: the spec, and texts for its readers. */
struct problem_file {
    struct spec_target target; /* first, so that the readers of fields find it */
    char name[NAME_MAX_BYTES];
    char about[ABOUT_MAX];
};

static const struct field problem_fields[] = {
    {.key = "problem",
     .kind = FIELD_TEXT,
     .required = true,
     .offset = offsetof(struct problem_file, name),
     .maximum = NAME_MAX_BYTES},
    {.key = "about",
     .kind = FIELD_LINES,
     .offset = offsetof(struct problem_file, about),
     .maximum = ABOUT_MAX},
    PROBLEM_WARPS_FIELD,
    PROBLEM_UNITS_FIELD,
    {.key = "warp_size", .kind = FIELD_NESTED, .read = problem_read_option},
    {.key = "cycles", .kind = FIELD_NESTED, .read = problem_read_option},
    PROBLEM_ISSUE_FIELD,
    {0},
};

struct subject problem_value_subject(const struct ytree *document, const struct ytree_node *value) {
    return (struct subject){.source = &document->source, .offset = value->at + (value->quoted ? 1u : 0u)};
}

wb_status problem_read_warps(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct makespan_spec *spec = ((struct spec_target *)target)->spec;
    WB_TRY(ytree_require(document, value, YTREE_LIST, PROBLEM_WARPS_WHAT));
    if (value->count == 0) return ytree_error(document, value, "warps: expected at least one string");
    for (const struct ytree_node *entry = value->first; entry != NULL; entry = entry->next) {
        WB_TRY(ytree_require(document, entry, YTREE_SCALAR, "warps such as \"12:LLC\""));
        if (strchr(entry->text, ':') == NULL)
            return ytree_error(document, entry, "expected how many warps there are before '%.40s' and a ':'",
                               entry->text);
        const struct subject subject = problem_value_subject(document, entry);
        WB_TRY(spec_add_warps(spec, entry->text, &subject, document->diagnostics));
    }
    return WB_OK;
}

wb_status problem_read_option(const struct ytree *document, const struct ytree_node *value, void *target) {
    struct makespan_spec *spec = ((struct spec_target *)target)->spec;
    WB_TRY(ytree_require(document, value, YTREE_SCALAR, "one value, as the option of that name takes it"));
    const struct subject subject = problem_value_subject(document, value);
    return spec_set(spec, value->key, value->text, &subject, document->diagnostics);
}

wb_status problem_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                             struct makespan_spec *spec) {
    struct problem_file file = {.target = {spec}};
    struct ytree document;
    wb_status status = ytree_parse(name, text, size, diagnostics, &document);
    if (status == WB_OK) status = ytree_read_fields(&document, document.root, problem_fields, &file);
    ytree_free(&document);
    return status;
}

static bool is_yaml(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

wb_status spec_file_read(const char *path, wb_diagnostics *diagnostics, struct makespan_spec *spec) {
    spec_file_parser *const parse = is_yaml(path) ? problem_file_parse : config_file_parse;
    char *text;
    size_t size;
    WB_TRY(file_read(path, SETTINGS_SIZE_MAX, diagnostics, &text, &size));
    const wb_input input = input_of(WB_INPUT_PROBLEM, path, text, size);
    wb_status status = spec_add_input(spec, &input, diagnostics);
    if (status == WB_OK) status = parse(path, text, size, diagnostics, spec);
    free(text);
    return status;
}
