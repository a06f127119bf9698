/* Values of types that a launch declares in C: they say only what the declaration leaves open, in any order
 * of the fields, and lie where that has them. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "launch/fields.h"

/* Most fields that a message lists. */
#define LISTED_MAX 16u

/* Names of fields in a message. */
struct listing {
    struct text text;
    uint32_t count;
};

static void list(struct listing *listing, const char *name) {
    if (listing->count < LISTED_MAX)
        text_printf(&listing->text, "%s%s", listing->count > 0 ? ", " : "", name);
    if (listing->count++ == LISTED_MAX) text_string(&listing->text, ", ...");
}

static wb_status refuse(const struct fields_parser *parser, const char *at, struct text *problem) {
    const wb_status status = fields_refuse_at(parser, at, problem);
    text_free(problem);
    return status;
}

/* "struct params", or what else a type is called. */
static void put_name(struct text *out, const struct host_type *type) {
    text_printf(out, "struct%s%s", type->name[0] != '\0' ? " " : "", type->name);
}

/* ---- Numbers, pointers and arrays of numbers ----------------------------------------------------------- */

/* Whether a type of launch files may stand for one of C, which launch files call `own`. */
static bool agrees(enum ptx_type given, const char *own) {
    const enum ptx_type type = launch_type_named(own, strlen(own));
    const bool is_any = ptx_type_kind(given) == PTX_KIND_BITS || ptx_type_kind(type) == PTX_KIND_BITS;
    return given == type || (is_any && ptx_type_bytes(given) == ptx_type_bytes(type));
}

/* Bytes behind a pointer can be anything; other data is what the kernel takes it for. */
static bool pointer_agrees(const struct launch_argument *value, const struct host_type *type) {
    const enum ptx_type own = launch_type_named(type->data, strlen(type->data));
    if (!value->is_buffer) return value->type != PTX_TYPE_NONE && agrees(value->type, "b64");
    const bool is_open = value->blank || value->same_as != NULL;
    return is_open || ptx_type_bytes(own) == 1 || agrees(value->contents.type, type->data);
}

static wb_status expected(const struct fields_parser *parser, const char *at, const struct host_type *type) {
    const bool is_pointer = type->kind == HOST_POINTER;
    char what[120];
    (void)text_format(what, sizeof what,
                      is_pointer ? "an address such as buf:%s[1024]" : "a value of type %s", type->data);
    return fields_fail_at(parser, at, what);
}

/* A value, whose type may stand in front of it. */
static wb_status parse_scalar(struct fields_parser *parser, const struct host_type *type,
                              struct launch_layout *layout) {
    const bool is_pointer = type->kind == HOST_POINTER;
    const char *at = parser->at;
    const size_t length = fields_value_length(at);
    char bare[8] = "";
    if (length == 0) return expected(parser, at, type);
    if (memchr(at, ':', length) == NULL)
        (void)text_format(bare, sizeof bare, "%s:", is_pointer ? "u64" : type->data);
    parser->at += length;
    WB_TRY(fields_leaf(parser, at, length, bare, layout));
    struct launch_field *field = &parser->fields.items[parser->fields.count - 1];
    const struct launch_argument *value = &field->value;
    field->bare = false; /* another value may stand there with its type */
    const bool fits =
        is_pointer ? pointer_agrees(value, type)
                   : value->type != PTX_TYPE_NONE && !value->is_buffer && agrees(value->type, type->data);
    return fits ? WB_OK : expected(parser, at, type);
}

/* The numbers that an array of them consists of, over all its dimensions; NULL: it is of something else. */
static const struct host_type *numbers_of(const struct host_type *type, uint64_t *count) {
    for (*count = 1; type->kind == HOST_ARRAY; type = type->element)
        *count *= type->count;
    return type->kind == HOST_NUMBER ? type : NULL;
}

/* Contents such as zero or {1, 2}, with or without TYPE[COUNT] in front; ? for unknown ones. */
static wb_status parse_contents(struct fields_parser *parser, const struct host_type *number, uint64_t count,
                                struct launch_layout *layout) {
    const char *at = parser->at;
    const size_t length = fields_value_length(at);
    const bool is_open = length == 1 && *at == '?';
    const bool has_type = at[launch_name_length(at)] == '[';
    char bare[40] = "", what[60];
    (void)text_format(what, sizeof what, "contents of %s[%" PRIu64 "], such as zero or {1, 2}", number->data,
                      count);
    if (length == 0) return fields_fail_at(parser, at, what);
    if (!has_type)
        (void)text_format(bare, sizeof bare, "%s[%" PRIu64 "]%s", number->data, count, is_open ? "" : "=");
    parser->at += length;
    WB_TRY(fields_leaf(parser, at, is_open ? 0 : length, bare, layout));
    const struct launch_argument *value = &parser->fields.items[parser->fields.count - 1].value;
    const struct launch_contents *contents = &value->contents;
    const bool fits = contents->count == count && agrees(contents->type, number->data);
    return fits && !value->is_buffer ? WB_OK : fields_fail_at(parser, at, what);
}

static wb_status parse_array(struct fields_parser *parser, const struct host_type *type,
                             struct launch_layout *layout) {
    const char *at = parser->at;
    uint64_t count = fields_accept_count(parser), numbers;
    const struct host_type *number = numbers_of(type, &numbers);
    const bool repeated = count > 0;
    char what[60];
    (void)text_format(what, sizeof what, "%" PRIu64 " elements: [VALUE, ...] or %" PRIu64 " * VALUE",
                      type->count, type->count);
    if (repeated && count != type->count) return fields_fail_at(parser, at, what);
    if (repeated) return fields_repeated(parser, type->element, count, layout);
    if (fields_accept(parser, '['))
        WB_TRY(fields_list(parser, type->element, &count, layout));
    else if (number != NULL)
        return parse_contents(parser, number, numbers, layout);
    return count == type->count ? WB_OK : fields_fail_at(parser, at, what);
}

/* ---- Structs ------------------------------------------------------------------------------------------- */

static const struct host_member *find_member(const struct host_type *type, const char *name, size_t length) {
    for (uint32_t i = 0; i < type->member_count; i++)
        if (strlen(type->members[i].name) == length && memcmp(type->members[i].name, name, length) == 0)
            return &type->members[i];
    return NULL;
}

static wb_status no_such_field(const struct fields_parser *parser, const char *at,
                               const struct host_type *type) {
    struct listing fields = {0};
    text_string(&fields.text, "no field of that name: ");
    put_name(&fields.text, type);
    text_string(&fields.text, " has ");
    for (uint32_t i = 0; i < type->member_count; i++)
        list(&fields, type->members[i].name);
    return refuse(parser, at, &fields.text);
}

/* NAME: VALUE, of the struct whose fields begin at `start`. */
static wb_status parse_member(struct fields_parser *parser, const struct host_type *type, size_t start) {
    const size_t first = parser->fields.count;
    struct launch_layout part = {.align = 1};
    const char *name;
    size_t length, before;
    WB_TRY(fields_name(parser, start, &name, &length, &before));
    const struct host_member *member = find_member(type, name, length);
    if (member == NULL) return no_such_field(parser, name, type);
    if (!fields_accept(parser, ':'))
        return fields_fail_at(parser, parser->at, "':' behind the name of a field");
    WB_TRY(fields_declared(parser, member->type, &part));
    for (size_t i = first; i < parser->fields.count; i++)
        parser->fields.items[i].offset += (uint32_t)member->offset;
    fields_leave(parser, before);
    return WB_OK;
}

/* Every field has a value. */
static wb_status check_complete(struct fields_parser *parser, const struct host_type *type, size_t start) {
    struct listing missing = {0};
    for (uint32_t i = 0; i < type->member_count; i++) {
        size_t before;
        WB_TRY(fields_enter(parser, type->members[i].name, strlen(type->members[i].name), &before));
        if (!fields_is_taken(parser, start)) list(&missing, type->members[i].name);
        fields_leave(parser, before);
    }
    if (missing.count == 0) return WB_OK;
    text_string(&missing.text, missing.count == 1 ? ": this field of " : ": these fields of ");
    put_name(&missing.text, type);
    text_string(&missing.text, missing.count == 1 ? " has no value" : " have no values");
    return refuse(parser, parser->at, &missing.text);
}

static int compare_fields(const void *a, const void *b) {
    const struct launch_field *first = a, *second = b;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

static wb_status parse_members(struct fields_parser *parser, const struct host_type *type) {
    const size_t start = parser->fields.count;
    if (!fields_accept(parser, '{'))
        return fields_fail_at(parser, parser->at, "'{' and the fields of the struct");
    do
        WB_TRY(parse_member(parser, type, start));
    while (fields_accept(parser, ','));
    if (*parser->at != '}') return fields_fail_at(parser, parser->at, "',' or '}' behind a field");
    WB_TRY(check_complete(parser, type, start));
    (void)fields_accept(parser, '}');
    qsort(parser->fields.items + start, parser->fields.count - start, sizeof *parser->fields.items,
          compare_fields);
    return WB_OK;
}

/* {...}, struct {...} or struct NAME {...} */
static wb_status parse_struct(struct fields_parser *parser, const struct host_type *type) {
    const char *at = parser->at;
    const struct host_type *named = type;
    if (fields_accept_word(parser, "struct") && *parser->at != '{')
        WB_TRY(fields_declared_type(parser, &named));
    struct text problem = {0};
    if (named == type) return parse_members(parser, type);
    text_string(&problem, "this field is declared as ");
    put_name(&problem, type);
    return refuse(parser, at, &problem);
}

static wb_status parse_vector(struct fields_parser *parser, const struct host_type *type,
                              struct launch_layout *layout) {
    const struct launch_vector own = launch_vector_named(type->name), given = launch_vector_named(parser->at);
    char what[80];
    (void)text_format(what, sizeof what, "a value of type %s", type->name);
    if (given.count > 0 && (given.count != own.count || strcmp(given.type, own.type) != 0))
        return fields_fail_at(parser, parser->at, what);
    return fields_vector(parser, &own, layout);
}

wb_status fields_declared(struct fields_parser *parser, const struct host_type *type,
                          struct launch_layout *layout) {
    wb_status status;
    if (parser->depth == LAUNCH_FIELDS_DEEP)
        return fields_fail_at(parser, parser->at, "at most 16 levels of fields");
    parser->depth++;
    if (type->kind == HOST_STRUCT && launch_vector_named(type->name).count > 0)
        status = parse_vector(parser, type, layout);
    else if (type->kind == HOST_STRUCT)
        status = parse_struct(parser, type);
    else if (type->kind == HOST_ARRAY)
        status = parse_array(parser, type, layout);
    else
        status = parse_scalar(parser, type, layout);
    parser->depth--;
    *layout = (struct launch_layout){.size = type->size, .align = type->align};
    return status;
}

wb_status fields_declared_type(struct fields_parser *parser, const struct host_type **type) {
    const launch_types *types = parser->site->types;
    const char *at = parser->at;
    const size_t length = launch_name_length(at);
    struct listing names = {0};
    if (length == 0) return fields_fail_at(parser, at, "'{' or the name of a declared type behind struct");
    parser->at += length;
    (void)fields_accept(parser, ' ');
    for (size_t i = 0; types != NULL && i < types->count; i++) {
        const struct launch_type *item = &types->items[i];
        const bool is_it = strlen(item->name) == length && memcmp(item->name, at, length) == 0;
        if (item->type->kind != HOST_STRUCT || item->type->size == 0) continue;
        if (is_it) *type = item->type;
        if (is_it) text_free(&names.text);
        if (is_it) return WB_OK;
        list(&names, item->name);
    }
    struct text problem = {0};
    text_printf(&problem, "struct %.*s is not declared under 'types'", (int)(length < 60 ? length : 60), at);
    if (names.count > 0) text_printf(&problem, ", which has %s", names.text.data);
    problem.failed |= names.text.failed;
    text_free(&names.text);
    return refuse(parser, at, &problem);
}
