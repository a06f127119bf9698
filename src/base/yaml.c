#include "base/files.h"

#include <string.h>
#include <yaml.h>

#include "base/base.h"

/* Longest excerpt of a wrong value in a message. */
#define SHOWN_MAX 60

/* Parser state: libyaml counts characters, messages need bytes; `index` and `byte` are the same place in both
 * and move forward together. */
struct ytree_reader {
    struct ytree *document;
    const char *read; /* what libyaml reads: the text, or the one that shields parts of it */
    yaml_parser_t parser;
    size_t start; /* bytes of the byte order mark before the text */
    size_t index;
    size_t byte;
};

/* Byte offset of a libyaml mark. Events come in the file's order; a mark before the last one starts anew. */
static uint32_t mark_offset(struct ytree_reader *reader, const yaml_mark_t *mark) {
    const struct source *source = &reader->document->source;
    if (mark->index < reader->index || reader->byte == 0) {
        reader->index = 0;
        reader->byte = reader->start;
    }
    while (reader->index < mark->index && reader->byte < source->size) {
        uint32_t point;
        size_t size = utf8_decode(source->text + reader->byte, source->size - reader->byte, &point);
        reader->byte += size == 0 ? 1 : size;
        reader->index++;
    }
    return (uint32_t)reader->byte;
}

static wb_status fail_at(struct ytree_reader *reader, size_t offset, const char *message) {
    diagnose_at(reader->document->diagnostics, SEVERITY_ERROR, &reader->document->source, offset, "%s",
                message);
    return WB_ERR_INPUT;
}

static wb_status fail_at_mark(struct ytree_reader *reader, const yaml_mark_t *mark, const char *message) {
    return fail_at(reader, mark_offset(reader, mark), message);
}

/* Reports what libyaml itself found wrong. */
static wb_status parser_failed(struct ytree_reader *reader) {
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return diagnose_out_of_memory(reader->document->diagnostics, reader->document->source.name);
    const char *problem = parser->problem != NULL ? parser->problem : "not YAML";
    char message[256];
    (void)text_format(message, sizeof message, "not valid YAML: %s", problem);
    if (parser->error == YAML_READER_ERROR)
        return fail_at(reader, reader->start + parser->problem_offset, message);
    return fail_at_mark(reader, &parser->problem_mark, message);
}

static wb_status next_event(struct ytree_reader *reader, yaml_event_t *event) {
    if (yaml_parser_parse(&reader->parser, event) == 0) return parser_failed(reader);
    return WB_OK;
}

/* Anchors, aliases and tags would make a value mean something else than its text says. */
static wb_status refuse_features(struct ytree_reader *reader, const yaml_event_t *event) {
    const yaml_char_t *anchor = NULL;
    const yaml_char_t *tag = NULL;
    if (event->type == YAML_ALIAS_EVENT)
        return fail_at_mark(reader, &event->start_mark, "YAML aliases (*name) are not supported here");
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor != NULL)
        return fail_at_mark(reader, &event->start_mark, "YAML anchors (&name) are not supported here");
    if (tag != NULL)
        return fail_at_mark(reader, &event->start_mark, "YAML tags (!name) are not supported here");
    return WB_OK;
}

static wb_status scalar_text(struct ytree_reader *reader, const yaml_event_t *event, const char **text) {
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    bool is_block = event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
                    event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE;
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
        reader->read != reader->document->source.text) {
        const size_t at = mark_offset(reader, &event->start_mark);
        is_block = memcmp(reader->document->source.text + at, reader->read + at, length) != 0;
        if (is_block) value = reader->document->source.text + at;
    }
    for (size_t at = 0; at < length;) {
        uint32_t point = 0;
        at += utf8_decode(value + at, length - at, &point); /* libyaml gives UTF-8 */
        if (!text_is_printable(point) && point != '\t' && !(is_block && point == '\n'))
            return fail_at_mark(reader, &event->start_mark,
                                "a text with a control character is not supported here");
    }
    const char *copy = arena_string(&reader->document->arena, value, length);
    if (copy == NULL)
        return diagnose_out_of_memory(reader->document->diagnostics, reader->document->source.name);
    *text = copy;
    return WB_OK;
}

static wb_status read_value(struct ytree_reader *reader, const yaml_event_t *event, uint32_t depth,
                            struct ytree_node **made);

/* Reads a mapping's key into `value`: a scalar that no earlier value of the mapping has. */
static wb_status read_key(struct ytree_reader *reader, const yaml_event_t *event,
                          const struct ytree_node *mapping, const char **key, uint32_t *at) {
    if (event->type != YAML_SCALAR_EVENT)
        return fail_at_mark(reader, &event->start_mark, "expected a plain key");
    WB_TRY(refuse_features(reader, event));
    if (mapping->count >= YTREE_KEYS_MAX)
        return fail_at_mark(reader, &event->start_mark, "too many keys in one mapping");
    WB_TRY(scalar_text(reader, event, key));
    *at = mark_offset(reader, &event->start_mark);
    if (ytree_find(mapping, *key) == NULL) return WB_OK;
    diagnose_at(reader->document->diagnostics, SEVERITY_ERROR, &reader->document->source, *at,
                "key '%s' is given twice", *key);
    return WB_ERR_INPUT;
}

/* Reads one key (of a mapping) and its value, or one value (of a list), whose first event is `event`. */
static wb_status read_item(struct ytree_reader *reader, const yaml_event_t *event, uint32_t depth,
                           const struct ytree_node *parent, struct ytree_node **made) {
    if (parent->kind == YTREE_LIST) return read_value(reader, event, depth, made);
    const char *key = "";
    uint32_t key_at = 0;
    WB_TRY(read_key(reader, event, parent, &key, &key_at));
    yaml_event_t value_event;
    WB_TRY(next_event(reader, &value_event));
    wb_status status = read_value(reader, &value_event, depth, made);
    yaml_event_delete(&value_event);
    if (status != WB_OK) return status;
    (*made)->key = key;
    (*made)->key_at = key_at;
    return WB_OK;
}

/* Reads the values of a list or mapping up to its end. */
static wb_status read_children(struct ytree_reader *reader, uint32_t depth, struct ytree_node *parent) {
    struct ytree_node **link = &parent->first;
    for (;;) {
        yaml_event_t event;
        WB_TRY(next_event(reader, &event));
        bool end = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        wb_status status = end ? WB_OK : read_item(reader, &event, depth, parent, link);
        yaml_event_delete(&event);
        if (end || status != WB_OK) return status;
        parent->count++;
        link = &(*link)->next;
    }
}

static wb_status read_value(struct ytree_reader *reader, const yaml_event_t *event, uint32_t depth,
                            struct ytree_node **made) {
    WB_TRY(refuse_features(reader, event));
    if (depth >= YTREE_DEPTH_MAX) return fail_at_mark(reader, &event->start_mark, "nested too deeply");
    struct ytree_node *value = arena_alloc(&reader->document->arena, sizeof *value);
    if (value == NULL)
        return diagnose_out_of_memory(reader->document->diagnostics, reader->document->source.name);
    value->at = mark_offset(reader, &event->start_mark);
    value->text = "";
    if (event->type == YAML_SCALAR_EVENT) {
        value->kind = YTREE_SCALAR;
        value->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        WB_TRY(scalar_text(reader, event, &value->text));
    } else {
        value->kind = event->type == YAML_SEQUENCE_START_EVENT ? YTREE_LIST : YTREE_MAPPING;
        WB_TRY(read_children(reader, depth + 1, value));
    }
    *made = value;
    return WB_OK;
}

/* Reads the only document of the stream. `%` directives and further documents have no use here. */
static wb_status read_stream(struct ytree_reader *reader) {
    struct ytree_node *root = NULL;
    for (;;) {
        yaml_event_t event;
        WB_TRY(next_event(reader, &event));
        yaml_event_type_t type = event.type;
        wb_status status = WB_OK;
        bool structure = type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_START_EVENT ||
                         type == YAML_DOCUMENT_END_EVENT || type == YAML_STREAM_END_EVENT;
        if (type == YAML_DOCUMENT_START_EVENT && root != NULL)
            status = fail_at_mark(reader, &event.start_mark, "expected one YAML document, found another");
        else if (!structure)
            status = read_value(reader, &event, 0, &root);
        yaml_event_delete(&event);
        if (status != WB_OK) return status;
        if (type == YAML_STREAM_END_EVENT) break;
    }
    if (root == NULL) return fail_at(reader, reader->start, "the file is empty");
    reader->document->root = root;
    return WB_OK;
}

wb_status ytree_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                      struct ytree *document) {
    return ytree_parse_shielded(name, text, text, size, diagnostics, document);
}

wb_status ytree_parse_shielded(const char *name, const char *text, const char *shielded, size_t size,
                               wb_diagnostics *diagnostics, struct ytree *document) {
    *document = (struct ytree){.source = {name, text, size}, .diagnostics = diagnostics};
    struct ytree_reader reader = {.document = document, .read = shielded};
    if (size > YTREE_SIZE_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "larger than %zu bytes", YTREE_SIZE_MAX);
        return WB_ERR_INPUT;
    }
    reader.start = source_start(&document->source);
    if (yaml_parser_initialize(&reader.parser) == 0) return diagnose_out_of_memory(diagnostics, name);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)shielded + reader.start,
                                 size - reader.start);
    wb_status status = read_stream(&reader);
    yaml_parser_delete(&reader.parser);
    return status;
}

void ytree_free(struct ytree *document) {
    arena_free(&document->arena);
}

const struct ytree_node *ytree_find(const struct ytree_node *mapping, const char *key) {
    for (const struct ytree_node *value = mapping->first; value != NULL; value = value->next)
        if (strcmp(value->key, key) == 0) return value;
    return NULL;
}

static wb_status error_at(const struct ytree *document, size_t offset, const char *format,
                          va_list arguments) {
    char message[512];
    (void)text_vformat(message, sizeof message, format, arguments);
    diagnose_at(document->diagnostics, SEVERITY_ERROR, &document->source, offset, "%s", message);
    return WB_ERR_INPUT;
}

wb_status ytree_error(const struct ytree *document, const struct ytree_node *value, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    wb_status status = error_at(document, value->at, format, arguments);
    va_end(arguments);
    return status;
}

wb_status ytree_key_error(const struct ytree *document, const struct ytree_node *value, const char *format,
                          ...) {
    va_list arguments;
    va_start(arguments, format);
    wb_status status = error_at(document, value->key_at, format, arguments);
    va_end(arguments);
    return status;
}

wb_status ytree_expected(const struct ytree *document, const struct ytree_node *value, const char *what) {
    const char *key = value->key != NULL ? value->key : "";
    const char *colon = value->key != NULL ? ": " : "";
    if (value->kind != YTREE_SCALAR) {
        const char *got = value->kind == YTREE_LIST ? "a list" : "a mapping";
        return ytree_error(document, value, "%s%sexpected %s, got %s", key, colon, what, got);
    }
    if (value->text[0] == '\0' && !value->quoted)
        return ytree_error(document, value, "%s%sexpected %s, got nothing", key, colon, what);
    return ytree_error(document, value, "%s%sexpected %s, got '%.*s'%s", key, colon, what, SHOWN_MAX,
                       value->text, value->quoted ? " in quotes" : "");
}

wb_status ytree_require(const struct ytree *document, const struct ytree_node *value, enum ytree_kind kind,
                        const char *what) {
    return value->kind == kind ? WB_OK : ytree_expected(document, value, what);
}

/* Reports a key that the table does not have, with the key that was probably meant or all keys. */
static wb_status unknown_key(const struct ytree *document, const struct ytree_node *value,
                             const struct field *fields) {
    const char *nearest = field_suggest(fields, value->key);
    if (nearest != NULL)
        return ytree_key_error(document, value, "unknown key '%.*s'; did you mean '%s'?", SHOWN_MAX,
                               value->key, nearest);
    struct text keys = {0};
    field_list_keys(fields, &keys);
    wb_status status = ytree_key_error(document, value, "unknown key '%.*s'; expected one of: %s", SHOWN_MAX,
                                       value->key, keys.failed ? "" : keys.data);
    text_free(&keys);
    return status;
}

/* A number or truth value in quotes is a text. */
static bool quotes_matter(const struct field *field) {
    return field->kind == FIELD_U32 || field->kind == FIELD_INTERVAL || field->kind == FIELD_REAL ||
           field->kind == FIELD_BOOL;
}

/* Stores the list [least, most]; *stored: it is such a list. */
static wb_status store_ends(const struct ytree *document, const struct ytree_node *list,
                            const struct field *field, void *target, bool *stored) {
    const struct ytree_node *least = list->first;
    *stored = false;
    if (list->count != 2 || least->kind != YTREE_SCALAR || least->next->kind != YTREE_SCALAR) return WB_OK;
    if (least->quoted || least->next->quoted) return WB_OK;
    struct text ends = {0};
    text_printf(&ends, "[%s, %s]", least->text, least->next->text);
    const wb_status status =
        ends.failed ? diagnose_out_of_memory(document->diagnostics, document->source.name) : WB_OK;
    *stored = status == WB_OK && field_store(field, ends.data, target);
    text_free(&ends);
    return status;
}

/* What a list of two numbers says that is no interval. */
static wb_status interval_expected(const struct ytree *document, const struct ytree_node *list,
                                   const char *what) {
    const struct ytree_node *least = list->first;
    if (list->count != 2 || least->kind != YTREE_SCALAR || least->next->kind != YTREE_SCALAR)
        return ytree_expected(document, list, what);
    const char *quotes[] = {least->quoted ? "'" : "", least->next->quoted ? "'" : ""};
    return ytree_error(document, list, "%s: expected %s, got [%s%.*s%s, %s%.*s%s]",
                       list->key != NULL ? list->key : "", what, quotes[0], SHOWN_MAX, least->text, quotes[0],
                       quotes[1], SHOWN_MAX, least->next->text, quotes[1]);
}

static wb_status read_field(const struct ytree *document, const struct ytree_node *value,
                            const struct field *field, void *target) {
    if (field->kind == FIELD_NESTED) return field->read(document, value, target);
    bool text = value->kind == YTREE_SCALAR && !(value->quoted && quotes_matter(field));
    if (text && field_store(field, value->text, target)) return WB_OK;
    const bool ends = field->kind == FIELD_INTERVAL && value->kind == YTREE_LIST;
    bool stored = false;
    if (ends) WB_TRY(store_ends(document, value, field, target, &stored));
    if (stored) return WB_OK;
    struct text what = {0};
    field_describe(field, &what);
    wb_status status = (ends ? interval_expected : ytree_expected)(document, value,
                                                                   what.failed ? "another value" : what.data);
    text_free(&what);
    return status;
}

static wb_status missing_key(const struct ytree *document, const struct ytree_node *mapping,
                             const struct field *field) {
    struct text what = {0};
    field_describe(field, &what);
    wb_status status = ytree_error(document, mapping, "key '%s' is missing: expected %s", field->key,
                                   what.failed ? "a value" : what.data);
    text_free(&what);
    return status;
}

wb_status ytree_read_fields(const struct ytree *document, const struct ytree_node *mapping,
                            const struct field *fields, void *target) {
    if (mapping->kind != YTREE_MAPPING) {
        struct text what = {0};
        text_string(&what, "a mapping with the keys ");
        field_list_keys(fields, &what);
        wb_status status = ytree_expected(document, mapping, what.failed ? "a mapping" : what.data);
        text_free(&what);
        return status;
    }
    wb_status worst = WB_OK;
    for (const struct ytree_node *value = mapping->first; value != NULL; value = value->next) {
        const struct field *field = field_find(fields, value->key);
        wb_status status =
            field == NULL ? unknown_key(document, value, fields) : read_field(document, value, field, target);
        if (status > worst) worst = status;
    }
    for (const struct field *field = fields; field->key != NULL; field++) {
        if (!field->required || ytree_find(mapping, field->key) != NULL) continue;
        wb_status status = missing_key(document, mapping, field);
        if (status > worst) worst = status;
    }
    return worst;
}
