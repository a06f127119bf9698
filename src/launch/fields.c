/* Arguments by fields: structs passed by value as launches write them, laid out as compilers for x86-64 and
 * nvcc do: each field at its alignment, the whole a multiple of the largest one. docs/launch.md has the
 * language; what comes of it is a list of fields that have none of their own, at their offsets. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"

#define DEPTH_MAX 16u
#define ALIGN_MAX 4096u

/* Most fields that one struct names. */
#define NAMES_MAX 1024u

/* Bytes that something takes, and what its address is a multiple of. */
struct layout {
    uint64_t size;
    uint64_t align;
    bool is_asked; /* by "align N" of a field, which holds in packed structs, too */
};

struct fields_parser {
    const struct launch_site *site;
    const char *text, *at;  /* without comments, and with single blanks only */
    const uint32_t *places; /* of each byte of it, in the source; NULL: it is in none */
    uint32_t depth;
    bool blank;         /* some field is to be filled in */
    struct text path;   /* of the field that is parsed: "p.dims.1" */
    size_t name_length; /* of the argument in it */
    VEC(struct launch_field) fields;
};

static wb_status parse_value(struct fields_parser *parser, struct layout *layout);

/* ---- Messages ---- */

static struct subject subject_at(const struct fields_parser *parser, const char *at) {
    struct subject subject = *parser->site->subject;
    if (parser->places != NULL) subject.offset = parser->places[at - parser->text];
    return subject;
}

static const char *path_of(const struct fields_parser *parser) {
    return parser->path.length > 0 ? parser->path.data : "struct";
}

static wb_status fail_at(const struct fields_parser *parser, const char *at, const char *expected) {
    const struct subject subject = subject_at(parser, at);
    if (*at == '\0')
        diagnose_about(parser->site->diagnostics, SEVERITY_ERROR, &subject, "%s: expected %s at the end",
                       path_of(parser), expected);
    else
        diagnose_about(parser->site->diagnostics, SEVERITY_ERROR, &subject, "%s: expected %s, got '%.40s'",
                       path_of(parser), expected, at);
    return WB_ERR_INPUT;
}

static wb_status fail(const struct fields_parser *parser, const char *expected) {
    return fail_at(parser, parser->at, expected);
}

static wb_status no_memory(const struct fields_parser *parser) {
    return diagnose_out_of_memory(parser->site->diagnostics, "argument");
}

/* ---- Words ---- */

static bool accept(struct fields_parser *parser, char c) {
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

static bool accept_word(struct fields_parser *parser, const char *word) {
    if (!is_word(parser->at, word)) return false;
    parser->at += strlen(word);
    (void)accept(parser, ' ');
    return true;
}

/* Appends a part to the path; returns the length to go back to. */
static size_t enter(struct fields_parser *parser, const char *name, size_t length) {
    const size_t before = parser->path.length;
    text_printf(&parser->path, "%s%.*s", before > 0 ? "." : "", (int)length, name);
    return before;
}

static void leave(struct fields_parser *parser, size_t before) {
    parser->path.length = before;
    if (parser->path.data != NULL) parser->path.data[before] = '\0';
}

static size_t enter_index(struct fields_parser *parser, uint64_t index) {
    char digits[24];
    (void)text_format(digits, sizeof digits, "%llu", (unsigned long long)index);
    return enter(parser, digits, strlen(digits));
}

/* ---- Layout ---- */

static uint64_t aligned(uint64_t offset, uint64_t align) {
    return (offset + align - 1) / align * align;
}

/* Places the fields from `first` on, which lie behind one another from 0, behind `*whole`. */
static wb_status place(struct fields_parser *parser, size_t first, const struct layout *part,
                       struct layout *whole) {
    const uint64_t start = aligned(whole->size, part->align);
    if (start + part->size > LAUNCH_STRUCT_MAX) return fail(parser, "at most 32764 bytes");
    for (size_t i = first; i < parser->fields.count; i++)
        parser->fields.items[i].offset += (uint32_t)start;
    whole->size = start + part->size;
    if (part->align > whole->align) whole->align = part->align;
    return WB_OK;
}

static wb_status add_field(struct fields_parser *parser, const char *at, size_t length, bool bare,
                           const struct launch_argument *value) {
    const char *path = parser->path.data + parser->name_length;
    path += *path == '.';
    const struct launch_field field = {
        .path = arena_string(parser->site->arena, path, strlen(path)),
        .text_at = (uint32_t)(at - parser->text),
        .text_length = (uint32_t)length,
        .bare = bare,
        .value = *value,
    };
    if (parser->fields.count == LAUNCH_STRUCT_MAX) return fail(parser, "at most 32764 fields in all");
    parser->blank |= value->blank;
    return field.path == NULL || vec_push(&parser->fields, field) != WB_OK ? no_memory(parser) : WB_OK;
}

/* ---- Values without fields ---- */

/* Up to what ends a value: the blank, comma or bracket behind it. */
static size_t value_length(const char *at) {
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
    if (bytes == NULL) return no_memory(parser);
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
    if (shape == NULL) return no_memory(parser);
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

static struct layout layout_of(const struct launch_argument *value) {
    if (value->is_buffer) return (struct layout){.size = LAUNCH_POINTER_BYTES, .align = LAUNCH_POINTER_BYTES};
    const bool is_scalar = value->type != PTX_TYPE_NONE;
    const enum ptx_type type = is_scalar ? value->type : value->contents.type;
    const uint32_t bytes = type == PTX_TYPE_NONE ? 1 : ptx_type_bytes(type);
    const uint64_t size = is_scalar ? bytes : launch_contents_size(&value->contents);
    return (struct layout){.size = size, .align = bytes};
}

/* A scalar, buffer, array or bytes: `length` bytes at `at`, behind `type` if that is given. */
static wb_status parse_leaf(struct fields_parser *parser, const char *at, size_t length, const char *type,
                            struct layout *layout) {
    const struct subject subject = subject_at(parser, at);
    struct launch_site site = *parser->site;
    struct launch_argument value = {.at = (uint32_t)subject.offset};
    char *text = arena_alloc(site.arena, length + 24);
    if (text == NULL) return no_memory(parser);
    (void)text_format(text, length + 24, "%s%.*s", type, (int)length, at);
    site.subject = &subject;
    site.field = path_of(parser);
    value.text = text;
    const size_t word = launch_name_length(text);
    const bool is_array = text[word] == '[' && !is_word(text, "bytes");
    WB_TRY(is_array ? parse_array(parser, &site, &value) : launch_value_parse(&site, text, &value));
    const struct layout own = layout_of(&value);
    WB_TRY(add_field(parser, at, length, type[0] != '\0', &value));
    *layout = (struct layout){.align = 1};
    return place(parser, parser->fields.count - 1, &own, layout);
}

/* ---- CUDA's vectors ---- */

struct launch_vector launch_vector_named(const char *at) {
    static const struct {
        const char *name, *type;
        uint32_t bytes;
    } bases[] = {
        {"char", "i8:", 1},      {"uchar", "u8:", 1},      {"short", "i16:", 2}, {"ushort", "u16:", 2},
        {"int", "i32:", 4},      {"uint", "u32:", 4},      {"long", "i64:", 8},  {"ulong", "u64:", 8},
        {"longlong", "i64:", 8}, {"ulonglong", "u64:", 8}, {"float", "f32:", 4}, {"double", "f64:", 8},
    };
    const size_t length = launch_name_length(at);
    if (is_word(at, "dim3")) return (struct launch_vector){"u32:", 3, 4, 4};
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

/* float4:{1, 2, 3, 4}, or float4:? and float4:___ */
static wb_status parse_vector(struct fields_parser *parser, const struct launch_vector *type,
                              struct layout *layout) {
    static const char components[4][2] = {"x", "y", "z", "w"};
    parser->at += launch_name_length(parser->at);
    if (!accept(parser, ':')) return fail(parser, "':' and {the vector's components}");
    const bool is_list = accept(parser, '{');
    const char *start = parser->at;
    *layout = (struct layout){.align = 1};
    for (uint32_t i = 0; i < type->count; i++) {
        if (is_list && i > 0 && !accept(parser, ',')) return fail(parser, "',' and the next component");
        if (!is_list) parser->at = start;
        const size_t first = parser->fields.count, length = value_length(parser->at);
        const size_t before = enter(parser, components[i], 1);
        struct layout part = {.align = 1};
        if (parser->path.failed) return no_memory(parser);
        if (!is_list && !(length == 1 && *start == '?') && strncmp(start, LAUNCH_BLANK, length) != 0)
            return fail(parser, "{the components}, or ? for unknown ones");
        WB_TRY(parse_leaf(parser, parser->at, length, type->type, &part));
        if (!is_list) parser->fields.items[first].text_length = 0; /* all have one text */
        parser->at += length;
        WB_TRY(place(parser, first, &part, layout));
        leave(parser, before);
    }
    if (is_list && !accept(parser, '}')) return fail(parser, "'}' behind the last component");
    layout->align = type->align;
    return WB_OK;
}

/* ---- Structs and arrays ---- */

/* Whether the struct whose fields begin at `first` has a field of the current path. */
static bool is_taken(const struct fields_parser *parser, size_t first) {
    const char *path = parser->path.data + parser->name_length;
    path += *path == '.';
    const size_t length = strlen(path);
    for (size_t i = first; i < parser->fields.count; i++) {
        const char *other = parser->fields.items[i].path;
        if (strncmp(other, path, length) == 0 && (other[length] == '.' || other[length] == '\0')) return true;
    }
    return false;
}

/* NAME: VALUE, of the struct whose fields begin at `start`; a blank stands for all that are to come. */
static wb_status parse_field(struct fields_parser *parser, size_t start, struct layout *part) {
    const char *name = parser->at;
    const size_t length = launch_name_length(name);
    if (length == 0) return fail(parser, "a field such as n: i32:1024");
    const size_t before = enter(parser, name, length);
    if (parser->path.failed) return no_memory(parser);
    if (is_taken(parser, start)) return fail(parser, "another name: a field before has this one");
    const bool is_blank = is_word(name, LAUNCH_BLANK);
    parser->at += length;
    if (is_blank)
        WB_TRY(parse_leaf(parser, name, length, "", part));
    else if (!accept(parser, ':'))
        return fail(parser, "':' behind the name of a field");
    else
        WB_TRY(parse_value(parser, part));
    leave(parser, before);
    return WB_OK;
}

static wb_status parse_struct(struct fields_parser *parser, bool packed, struct layout *layout) {
    const size_t start = parser->fields.count;
    uint32_t names = 0;
    *layout = (struct layout){.align = 1};
    if (!accept(parser, '{')) return fail(parser, "'{' behind struct");
    do {
        const size_t first = parser->fields.count;
        struct layout part = {.align = 1};
        if (names++ == NAMES_MAX) return fail(parser, "at most 1024 fields");
        WB_TRY(parse_field(parser, start, &part));
        if (packed && !part.is_asked) part.align = 1;
        WB_TRY(place(parser, first, &part, layout));
    } while (accept(parser, ','));
    if (!accept(parser, '}')) return fail(parser, "',' or '}' behind a field");
    layout->size = aligned(layout->size, layout->align);
    return WB_OK;
}

/* [VALUE, VALUE ...]: elements of one layout. */
static wb_status parse_list(struct fields_parser *parser, struct layout *layout) {
    struct layout element = {.align = 1}, part = element;
    *layout = (struct layout){.align = 1};
    for (uint64_t i = 0; i == 0 || accept(parser, ','); i++) {
        const size_t first = parser->fields.count, before = enter_index(parser, i);
        const char *at = parser->at;
        if (parser->path.failed) return no_memory(parser);
        WB_TRY(parse_value(parser, &part));
        if (i == 0) element = part;
        if (part.size != element.size || part.align != element.align)
            return fail_at(parser, at, "an element of the size and alignment of the first");
        WB_TRY(place(parser, first, &part, layout));
        leave(parser, before);
    }
    return accept(parser, ']') ? WB_OK : fail(parser, "',' or ']' behind an element");
}

/* One more element like the first, whose fields are those from `first` to `last`. */
static wb_status copy_element(struct fields_parser *parser, size_t first, size_t last, size_t prefix,
                              uint64_t offset) {
    const char *own = parser->path.data + parser->name_length;
    own += *own == '.';
    for (size_t i = first; i < last; i++) {
        struct launch_field field = parser->fields.items[i];
        struct text path = {0};
        text_printf(&path, "%s%s", own, field.path + prefix);
        field.path = path.failed ? NULL : arena_string(parser->site->arena, path.data, path.length);
        text_free(&path);
        field.offset += (uint32_t)offset;
        if (field.path == NULL || vec_push(&parser->fields, field) != WB_OK) return no_memory(parser);
    }
    return WB_OK;
}

/* COUNT * VALUE */
static wb_status parse_repeated(struct fields_parser *parser, uint64_t count, struct layout *layout) {
    const size_t first = parser->fields.count;
    size_t before = enter_index(parser, 0);
    if (parser->path.failed) return no_memory(parser);
    const size_t skipped = parser->name_length + (parser->name_length > 0);
    const size_t prefix = parser->path.length - skipped;
    const char *at = parser->at;
    WB_TRY(parse_value(parser, layout));
    leave(parser, before);
    layout->size = aligned(layout->size, layout->align);
    if (layout->size == 0) return WB_OK; /* to be filled in */
    if (count > LAUNCH_STRUCT_MAX / layout->size) return fail_at(parser, at, "at most 32764 bytes in all");
    const size_t last = parser->fields.count;
    for (size_t i = first; i < last; i++)
        parser->fields.items[i].text_length = 0; /* all have one text */
    for (uint64_t n = 1; n < count; n++) {
        before = enter_index(parser, n);
        if (parser->path.failed) return no_memory(parser);
        WB_TRY(copy_element(parser, first, last, prefix, n * layout->size));
        leave(parser, before);
    }
    layout->size *= count;
    return WB_OK;
}

/* The number of "COUNT * VALUE" in front of that; 0: it is something else. */
static uint64_t accept_count(struct fields_parser *parser) {
    const char *at = parser->at;
    const size_t length = strspn(at, "0123456789");
    uint64_t count = 0;
    if (length == 0 || !number_u64(at, length, &count)) return 0;
    parser->at += length;
    if (count > 0 && accept(parser, '*')) return count;
    parser->at = at;
    return 0;
}

static wb_status parse_unaligned(struct fields_parser *parser, struct layout *layout) {
    const struct launch_vector vector = launch_vector_named(parser->at);
    const char *start = parser->at;
    const uint64_t count = accept_count(parser);
    if (count > 0) return parse_repeated(parser, count, layout);
    if (accept(parser, '[')) return parse_list(parser, layout);
    if (vector.count > 0) return parse_vector(parser, &vector, layout);
    const bool packed = accept_word(parser, "packed");
    if (accept_word(parser, "struct")) return parse_struct(parser, packed, layout);
    if (packed) return fail(parser, "struct behind packed");
    const size_t length = value_length(start);
    if (length == 0) return fail(parser, "a value such as i32:1024 or buf:f32[1024]");
    parser->at = start + length;
    return parse_leaf(parser, start, length, "", layout);
}

/* A value, maybe behind "align N", which a struct's size is a multiple of, too. */
static wb_status parse_value(struct fields_parser *parser, struct layout *layout) {
    uint64_t align = 0;
    if (parser->depth == DEPTH_MAX) return fail(parser, "at most 16 levels of fields");
    if (accept_word(parser, "align")) {
        const size_t length = launch_name_length(parser->at);
        const bool is_power =
            number_u64(parser->at, length, &align) && align > 0 && (align & (align - 1)) == 0;
        if (!is_power || align > ALIGN_MAX) return fail(parser, "a power of two up to 4096 behind align");
        parser->at += length;
        (void)accept(parser, ' ');
    }
    const bool is_struct = is_word(parser->at, "struct") || is_word(parser->at, "packed");
    const char *at = parser->at;
    parser->depth++;
    WB_TRY(parse_unaligned(parser, layout));
    parser->depth--;
    if (align == 0) return WB_OK;
    if (align < layout->align) return fail_at(parser, at, "what needs no larger alignment");
    layout->align = align;
    layout->is_asked = !is_struct;
    if (is_struct) layout->size = aligned(layout->size, align);
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
    if (compact == NULL || places == NULL) return no_memory(parser);
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
    struct layout layout = {.align = 1};
    assert(parser->at != NULL);
    WB_TRY(parse_value(parser, &layout));
    if (*parser->at != '\0') return fail(parser, "nothing behind the argument");
    struct launch_field *fields =
        arena_array(parser->site->arena, parser->fields.count, sizeof *parser->fields.items);
    if (fields == NULL) return no_memory(parser);
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
        wb_status status = parser.path.failed ? no_memory(&parser) : make_compact(&parser, text);
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
