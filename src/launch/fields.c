/* Arguments by fields: structs passed by value as launches write them, laid out as compilers for x86-64 and
 * nvcc do: each field at its alignment, the whole a multiple of the largest one. docs/launch.md has the
 * language; what comes of it is a list of fields that have none of their own, at their offsets. */
#include "launch/fields.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Most bytes of the names of a field on all levels, which every element of an array repeats. */
#define PATH_BYTES_MAX 1024u

static wb_status parse_value(struct fields_parser *parser, struct launch_layout *layout);

/* ---- Messages ---- */

static struct subject subject_at(const struct fields_parser *parser, const char *at) {
    struct subject subject = *parser->site->subject;
    if (parser->places != NULL) subject.offset = parser->places[at - parser->text];
    return subject;
}

static const char *path_of(const struct fields_parser *parser) {
    return parser->path.length > 0 ? parser->path.data : "struct";
}

wb_status fields_fail_at(const struct fields_parser *parser, const char *at, const char *expected) {
    const struct subject subject = subject_at(parser, at);
    if (*at == '\0')
        diagnose_about(parser->site->diagnostics, SEVERITY_ERROR, &subject, "%s: expected %s at the end",
                       path_of(parser), expected);
    else
        diagnose_about(parser->site->diagnostics, SEVERITY_ERROR, &subject, "%s: expected %s, got '%.40s'",
                       path_of(parser), expected, at);
    return WB_ERR_INPUT;
}

wb_status fields_refuse_at(const struct fields_parser *parser, const char *at, const struct text *problem) {
    const struct subject subject = subject_at(parser, at);
    if (problem->failed) return fields_no_memory(parser);
    diagnose_about(parser->site->diagnostics, SEVERITY_ERROR, &subject, "%s: %s", path_of(parser),
                   problem->data);
    return WB_ERR_INPUT;
}

static wb_status fail(const struct fields_parser *parser, const char *expected) {
    return fields_fail_at(parser, parser->at, expected);
}

wb_status fields_no_memory(const struct fields_parser *parser) {
    return diagnose_out_of_memory(parser->site->diagnostics, "argument");
}

/* ---- Words ---- */

bool fields_accept(struct fields_parser *parser, char c) {
    while (*parser->at == ' ')
        parser->at++;
    if (*parser->at != c || c == '\0') return false;
    parser->at++;
    while (*parser->at == ' ')
        parser->at++;
    return true;
}

size_t launch_name_length(const char *text) {
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

static bool is_word(const char *at, const char *word) {
    return launch_name_length(at) == strlen(word) && strncmp(at, word, strlen(word)) == 0;
}

bool fields_accept_word(struct fields_parser *parser, const char *word) {
    if (!is_word(parser->at, word)) return false;
    parser->at += strlen(word);
    (void)fields_accept(parser, ' ');
    return true;
}

wb_status fields_enter(struct fields_parser *parser, const char *name, size_t length, size_t *before) {
    *before = parser->path.length;
    if (*before + length > PATH_BYTES_MAX) return fail(parser, "shorter names: 1024 bytes for all levels");
    text_printf(&parser->path, "%s%.*s", *before > 0 ? "." : "", (int)length, name);
    return parser->path.failed ? fields_no_memory(parser) : WB_OK;
}

void fields_leave(struct fields_parser *parser, size_t before) {
    parser->path.length = before;
    if (parser->path.data != NULL) parser->path.data[before] = '\0';
}

static wb_status enter_index(struct fields_parser *parser, uint64_t index, size_t *before) {
    char digits[24];
    (void)text_format(digits, sizeof digits, "%llu", (unsigned long long)index);
    return fields_enter(parser, digits, strlen(digits), before);
}

/* ---- Layout ---- */

/* Places the fields from `first` on, which lie behind one another from 0, behind `*whole`. */
static wb_status place(struct fields_parser *parser, size_t first, const struct launch_layout *part,
                       struct launch_layout *whole) {
    const uint64_t start = launch_layout_add(whole, part);
    if (whole->size > LAUNCH_STRUCT_MAX) return fail(parser, "at most 32764 bytes");
    for (size_t i = first; i < parser->fields.count; i++)
        parser->fields.items[i].offset += (uint32_t)start;
    return WB_OK;
}

/* The path without the argument's name; "" where the argument itself has the value. */
static const char *path_in_argument(const struct fields_parser *parser) {
    if (parser->path.length <= parser->name_length) return "";
    const char *path = parser->path.data + parser->name_length;
    return path + (*path == '.');
}

static wb_status add_field(struct fields_parser *parser, const char *at, size_t length, bool bare,
                           const struct launch_argument *value) {
    const char *path = path_in_argument(parser);
    const struct launch_field field = {
        .path = arena_string(parser->site->arena, path, strlen(path)),
        .text_at = (uint32_t)(at - parser->text),
        .text_length = (uint32_t)length,
        .bare = bare,
        .value = *value,
    };
    if (parser->fields.count == LAUNCH_STRUCT_MAX) return fail(parser, "at most 32764 fields in all");
    parser->blank |= value->blank;
    return field.path == NULL || vec_push(&parser->fields, field) != WB_OK ? fields_no_memory(parser) : WB_OK;
}

/* ---- Values without fields ---- */

size_t fields_value_length(const char *at) {
    size_t length = 0;
    int depth = 0;
    for (; at[length] != '\0'; length++) {
        if (depth == 0 && strchr(" ,}]", at[length]) != NULL) break;
        depth += strchr("[{(", at[length]) != NULL;
        depth -= strchr("]})", at[length]) != NULL;
    }
    return length;
}

/* Values of a file or by a rule become bytes: nobody needs to know which. */
static wb_status make_bytes(const struct fields_parser *parser, struct launch_contents *contents) {
    const uint64_t size = launch_contents_size(contents);
    if (contents->fill == LAUNCH_FILL_UNKNOWN) return WB_OK;
    uint8_t *bytes = arena_alloc(parser->site->arena, size);
    if (bytes == NULL) return fields_no_memory(parser);
    launch_contents_fill(contents, bytes);
    contents->fill = LAUNCH_FILL_FILE;
    contents->file_bytes = bytes;
    contents->file_size = size;
    return WB_OK;
}

/* TYPE[COUNT] or TYPE[COUNT]=CONTENTS: `value->text` is that. Contents may be a blank, and so may the count,
 * which leaves open how large the array is. */
static wb_status parse_array(const struct fields_parser *parser, const struct launch_site *site,
                             struct launch_argument *value) {
    char *shape = arena_string(site->arena, value->text, strcspn(value->text, "="));
    if (shape == NULL) return fields_no_memory(parser);
    value->blank = strstr(value->text + strlen(shape), LAUNCH_BLANK) != NULL;
    const size_t word = launch_name_length(shape);
    if (strcmp(shape + word, "[" LAUNCH_BLANK "]") == 0 && launch_type_named(shape, word) != PTX_TYPE_NONE) {
        value->blank = true;
        value->contents.type = launch_type_named(shape, word);
        return WB_OK;
    }
    WB_TRY(launch_contents_parse(site, value->blank ? shape : value->text, &value->contents, NULL));
    if (launch_contents_size(&value->contents) > LAUNCH_STRUCT_MAX)
        return fail(parser, "an array of at most 32764 bytes");
    value->known = value->contents.fill != LAUNCH_FILL_UNKNOWN;
    return make_bytes(parser, &value->contents);
}

static struct launch_layout layout_of(const struct launch_argument *value) {
    if (value->is_buffer)
        return (struct launch_layout){.size = LAUNCH_POINTER_BYTES, .align = LAUNCH_POINTER_BYTES};
    const bool is_scalar = value->type != PTX_TYPE_NONE;
    const enum ptx_type type = is_scalar ? value->type : value->contents.type;
    const uint32_t bytes = type == PTX_TYPE_NONE ? 1 : ptx_type_bytes(type);
    const uint64_t size = is_scalar ? bytes : launch_contents_size(&value->contents);
    return (struct launch_layout){.size = size, .align = bytes};
}

wb_status fields_leaf(struct fields_parser *parser, const char *at, size_t length, const char *type,
                      struct launch_layout *layout) {
    const struct subject subject = subject_at(parser, at);
    struct launch_site site = *parser->site;
    struct launch_argument value = {.at = (uint32_t)subject.offset};
    char *text = arena_alloc(site.arena, length + 24);
    if (text == NULL) return fields_no_memory(parser);
    (void)text_format(text, length + 24, "%s%.*s", type, (int)length, at);
    site.subject = &subject;
    site.field = path_of(parser);
    value.text = text;
    const size_t word = launch_name_length(text);
    const bool is_array = text[word] == '[' && !is_word(text, "bytes");
    WB_TRY(is_array ? parse_array(parser, &site, &value) : launch_value_parse(&site, text, &value));
    const struct launch_layout own = layout_of(&value);
    WB_TRY(add_field(parser, at, length, type[0] != '\0', &value));
    *layout = (struct launch_layout){.align = 1};
    return place(parser, parser->fields.count - 1, &own, layout);
}

/* ---- CUDA's vectors ---- */

const char launch_components[4][2] = {"x", "y", "z", "w"};

struct launch_vector launch_vector_named(const char *at) {
    static const struct {
        const char *name, *type;
        uint32_t bytes;
    } bases[] = {
        {"char", "i8", 1},      {"uchar", "u8", 1},      {"short", "i16", 2}, {"ushort", "u16", 2},
        {"int", "i32", 4},      {"uint", "u32", 4},      {"long", "i64", 8},  {"ulong", "u64", 8},
        {"longlong", "i64", 8}, {"ulonglong", "u64", 8}, {"float", "f32", 4}, {"double", "f64", 8},
    };
    const size_t length = launch_name_length(at);
    if (is_word(at, "dim3")) return (struct launch_vector){"u32", 3, 4, 4};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        const size_t base = strlen(bases[i].name);
        if (length != base + 1 || strncmp(at, bases[i].name, base) != 0) continue;
        if (at[base] < '1' || at[base] > '4') continue;
        const uint32_t count = (uint32_t)(at[base] - '0'), bytes = bases[i].bytes;
        const uint32_t align = count % 2 == 1 ? bytes : bytes * count;
        return (struct launch_vector){bases[i].type, count, bytes, align < 16 ? align : 16};
    }
    return (struct launch_vector){"", 0, 0, 0};
}

wb_status fields_vector(struct fields_parser *parser, const struct launch_vector *type,
                        struct launch_layout *layout) {
    char bare[8];
    (void)text_format(bare, sizeof bare, "%s:", type->type);
    const bool is_named = launch_vector_named(parser->at).count > 0;
    if (is_named) parser->at += launch_name_length(parser->at);
    if (is_named && !fields_accept(parser, ':')) return fail(parser, "':' and {the vector's components}");
    const bool is_list = fields_accept(parser, '{');
    const char *start = parser->at;
    *layout = (struct launch_layout){.align = 1};
    for (uint32_t i = 0; i < type->count; i++) {
        if (is_list && i > 0 && !fields_accept(parser, ','))
            return fail(parser, "',' and the next component");
        if (!is_list) parser->at = start;
        const size_t first = parser->fields.count, length = fields_value_length(parser->at);
        size_t before;
        struct launch_layout part = {.align = 1};
        WB_TRY(fields_enter(parser, launch_components[i], 1, &before));
        if (!is_list && !(length == 1 && *start == '?') && strncmp(start, LAUNCH_BLANK, length) != 0)
            return fail(parser, "{the components}, or ? for unknown ones");
        WB_TRY(fields_leaf(parser, parser->at, length, bare, &part));
        if (!is_list) parser->fields.items[first].text_length = 0; /* all have one text */
        parser->at += length;
        WB_TRY(place(parser, first, &part, layout));
        fields_leave(parser, before);
    }
    if (is_list && !fields_accept(parser, '}')) return fail(parser, "'}' behind the last component");
    layout->align = type->align;
    return WB_OK;
}

/* ---- Structs and arrays ---- */

bool fields_is_taken(const struct fields_parser *parser, size_t first) {
    const char *path = path_in_argument(parser);
    const size_t length = strlen(path);
    for (size_t i = first; i < parser->fields.count; i++) {
        const char *other = parser->fields.items[i].path;
        if (strncmp(other, path, length) == 0 && (other[length] == '.' || other[length] == '\0')) return true;
    }
    return false;
}

wb_status fields_name(struct fields_parser *parser, size_t start, const char **name, size_t *length,
                      size_t *before) {
    *name = parser->at;
    *length = launch_name_length(parser->at);
    if (*length == 0) return fail(parser, "a field such as n: i32:1024");
    WB_TRY(fields_enter(parser, *name, *length, before));
    if (fields_is_taken(parser, start)) return fail(parser, "another name: a field before has this one");
    parser->at += *length;
    return WB_OK;
}

/* NAME: VALUE, of the struct whose fields begin at `start`; a blank stands for all that are to come. */
static wb_status parse_field(struct fields_parser *parser, size_t start, struct launch_layout *part) {
    const char *name;
    size_t length, before;
    WB_TRY(fields_name(parser, start, &name, &length, &before));
    if (is_word(name, LAUNCH_BLANK))
        WB_TRY(fields_leaf(parser, name, length, "", part));
    else if (!fields_accept(parser, ':'))
        return fail(parser, "':' behind the name of a field");
    else
        WB_TRY(parse_value(parser, part));
    fields_leave(parser, before);
    return WB_OK;
}

static wb_status parse_struct(struct fields_parser *parser, bool packed, struct launch_layout *layout) {
    const size_t start = parser->fields.count;
    uint32_t names = 0;
    *layout = (struct launch_layout){.align = 1};
    if (!fields_accept(parser, '{')) return fail(parser, "'{' behind struct");
    do {
        const size_t first = parser->fields.count;
        struct launch_layout part = {.align = 1};
        if (names++ == LAUNCH_NAMES_MAX) return fail(parser, "at most 1024 fields");
        WB_TRY(parse_field(parser, start, &part));
        if (packed && !part.is_asked) part.align = 1;
        WB_TRY(place(parser, first, &part, layout));
    } while (fields_accept(parser, ','));
    if (!fields_accept(parser, '}')) return fail(parser, "',' or '}' behind a field");
    layout->size = launch_aligned(layout->size, layout->align);
    return WB_OK;
}

/* Element `index`, with its index in the path, behind the others, which have the layout of the first. */
static wb_status parse_element(struct fields_parser *parser, const struct host_type *type, uint64_t index,
                               struct launch_layout *first, struct launch_layout *whole) {
    const size_t start = parser->fields.count;
    const char *at = parser->at;
    struct launch_layout part = {.align = 1};
    size_t before;
    WB_TRY(enter_index(parser, index, &before));
    WB_TRY(type != NULL ? fields_declared(parser, type, &part) : parse_value(parser, &part));
    part.size = launch_aligned(part.size, part.align);
    if (index == 0) *first = part;
    if (part.size != first->size || part.align != first->align)
        return fields_fail_at(parser, at, "an element of the size and alignment of the first");
    WB_TRY(place(parser, start, &part, whole));
    fields_leave(parser, before);
    return WB_OK;
}

wb_status fields_list(struct fields_parser *parser, const struct host_type *element, uint64_t *count,
                      struct launch_layout *layout) {
    struct launch_layout first = {.align = 1};
    *layout = first;
    *count = 0;
    do
        WB_TRY(parse_element(parser, element, (*count)++, &first, layout));
    while (fields_accept(parser, ','));
    return fields_accept(parser, ']') ? WB_OK : fail(parser, "',' or ']' behind an element");
}

wb_status fields_repeated(struct fields_parser *parser, const struct host_type *element, uint64_t count,
                          struct launch_layout *layout) {
    const size_t start = parser->fields.count;
    const char *at = parser->at;
    struct launch_layout first = {.align = 1};
    *layout = first;
    for (uint64_t n = 0; n == 0 || (n < count && first.size > 0); n++) { /* 0: to be filled in */
        parser->at = at;
        WB_TRY(parse_element(parser, element, n, &first, layout));
        if (first.size > 0 && count > LAUNCH_STRUCT_MAX / first.size)
            return fields_fail_at(parser, at, "at most 32764 bytes in all");
    }
    for (size_t i = start; i < parser->fields.count; i++)
        parser->fields.items[i].text_length = 0; /* all have one text */
    return WB_OK;
}

uint64_t fields_accept_count(struct fields_parser *parser) {
    const char *at = parser->at;
    const size_t length = strspn(at, "0123456789");
    uint64_t count = 0;
    if (length == 0 || !number_u64(at, length, &count)) return 0;
    parser->at += length;
    if (count > 0 && fields_accept(parser, '*')) return count;
    parser->at = at;
    return 0;
}

static wb_status parse_unaligned(struct fields_parser *parser, struct launch_layout *layout) {
    const struct launch_vector vector = launch_vector_named(parser->at);
    const char *start = parser->at;
    const uint64_t count = fields_accept_count(parser);
    const struct host_type *declared = NULL;
    uint64_t listed;
    if (count > 0) return fields_repeated(parser, NULL, count, layout);
    if (fields_accept(parser, '[')) return fields_list(parser, NULL, &listed, layout);
    if (vector.count > 0) return fields_vector(parser, &vector, layout);
    const bool packed = fields_accept_word(parser, "packed");
    if (fields_accept_word(parser, "struct")) {
        if (packed || *parser->at == '{') return parse_struct(parser, packed, layout);
        WB_TRY(fields_declared_type(parser, &declared));
        return fields_declared(parser, declared, layout);
    }
    if (packed) return fail(parser, "struct behind packed");
    const size_t length = fields_value_length(start);
    if (length == 0) return fail(parser, "a value such as i32:1024 or buf:f32[1024]");
    parser->at = start + length;
    return fields_leaf(parser, start, length, "", layout);
}

/* A value, maybe behind "align N", which a struct's size is a multiple of, too. */
static wb_status parse_value(struct fields_parser *parser, struct launch_layout *layout) {
    uint64_t align = 0;
    if (parser->depth == LAUNCH_FIELDS_DEEP) return fail(parser, "at most 16 levels of fields");
    if (fields_accept_word(parser, "align")) {
        const size_t length = launch_name_length(parser->at);
        const bool is_power =
            number_u64(parser->at, length, &align) && align > 0 && (align & (align - 1)) == 0;
        if (!is_power || align > LAUNCH_ALIGN_MAX)
            return fail(parser, "a power of two up to 4096 behind align");
        parser->at += length;
        (void)fields_accept(parser, ' ');
    }
    const bool is_struct = is_word(parser->at, "struct") || is_word(parser->at, "packed");
    const char *at = parser->at;
    parser->depth++;
    WB_TRY(parse_unaligned(parser, layout));
    parser->depth--;
    if (align == 0) return WB_OK;
    if (align < layout->align) return fields_fail_at(parser, at, "what needs no larger alignment");
    layout->align = align;
    layout->is_asked = !is_struct;
    if (is_struct) layout->size = launch_aligned(layout->size, align);
    return WB_OK;
}

/* ---- Arguments ---- */

static bool has_fields(const char *text) {
    return is_word(text, "struct") || is_word(text, "packed") || is_word(text, "align") ||
           (launch_vector_named(text).count > 0 && text[launch_name_length(text)] == ':');
}

/* Where the text stands in the source as it is; 0: it does not. */
static size_t place_of(const struct subject *subject, const char *text) {
    const struct source *source = subject->source;
    const size_t length = strlen(text);
    if (source == NULL || subject->offset >= source->size) return 0;
    const char first = source->text[subject->offset];
    const size_t at = subject->offset + (first == '"' || first == '\'');
    return source->size - at >= length && memcmp(source->text + at, text, length) == 0 ? at : 0;
}

/* Leaves comments and all blanks but single ones out of a text. */
static wb_status make_compact(struct fields_parser *parser, const char *text) {
    const struct subject *subject = parser->site->subject;
    const size_t length = strlen(text), start = place_of(subject, text);
    char *compact = arena_alloc(parser->site->arena, length + 1);
    uint32_t *places = arena_array(parser->site->arena, length + 1, sizeof *places);
    size_t used = 0;
    if (compact == NULL || places == NULL) return fields_no_memory(parser);
    for (size_t i = 0; i < length; i++) {
        const bool behind_blank = used > 0 && compact[used - 1] == ' ';
        if (text[i] == '#' && behind_blank) i += strcspn(text + i, "\n"); /* at the latest the NUL */
        const bool is_blank = strchr(" \n\t\r", text[i]) != NULL;
        if (is_blank && behind_blank) continue;
        places[used] = (uint32_t)(start > 0 ? start + i : subject->offset);
        compact[used++] = is_blank ? ' ' : text[i];
    }
    if (used > 0 && compact[used - 1] == ' ') used--;
    compact[used] = '\0';
    places[used] = (uint32_t)(start > 0 ? start + length - 1 : subject->offset);
    parser->text = parser->at = compact;
    if (subject->source != NULL) parser->places = places;
    return WB_OK;
}

static wb_status parse_fields(struct fields_parser *parser, struct launch_argument *argument) {
    struct launch_layout layout = {.align = 1};
    assert(parser->at != NULL);
    WB_TRY(parse_value(parser, &layout));
    if (*parser->at != '\0') return fail(parser, "nothing behind the argument");
    struct launch_field *fields =
        arena_array(parser->site->arena, parser->fields.count, sizeof *parser->fields.items);
    if (fields == NULL) return fields_no_memory(parser);
    memcpy(fields, parser->fields.items, parser->fields.count * sizeof *fields);
    argument->fields = fields;
    argument->field_count = parser->fields.count;
    argument->contents = (struct launch_contents){.type = PTX_B8, .count = layout.size};
    argument->blank = parser->blank;
    argument->text = parser->text;
    return WB_OK;
}

wb_status launch_argument_parse(const struct launch_site *site, const char *name, const char *text,
                                struct launch_argument *argument) {
    struct launch_argument parsed = {.at = (uint32_t)site->subject->offset};
    if (has_fields(text)) {
        struct fields_parser parser = {.site = site, .name_length = name != NULL ? strlen(name) : 0};
        if (name != NULL) text_string(&parser.path, name);
        wb_status status = parser.path.failed ? fields_no_memory(&parser) : make_compact(&parser, text);
        if (status == WB_OK) status = parse_fields(&parser, &parsed);
        vec_free(&parser.fields);
        text_free(&parser.path);
        WB_TRY(status);
    } else {
        WB_TRY(launch_value_parse(site, text, &parsed));
    }
    if (name != NULL) {
        parsed.name = arena_string(site->arena, name, strlen(name));
        if (parsed.name == NULL) return diagnose_out_of_memory(site->diagnostics, "argument");
    }
    *argument = parsed;
    return WB_OK;
}
