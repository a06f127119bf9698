/* One argument of a kernel: a scalar, a buffer or the bytes of a struct. */
#include <string.h>

#include "base/number.h"
#include "launch/launch.h"
#include "launch/value.h"

/* What an argument text is parsed for, and where messages go. */
struct argument_parser {
    struct arena *arena;
    const char *text;
    const struct subject *subject;
    wb_diagnostics *diagnostics;
};

static wb_status fail(const struct argument_parser *parser, const char *message) {
    diagnose_about(parser->diagnostics, SEVERITY_ERROR, parser->subject, "'%.80s': %s", parser->text,
                   message);
    return WB_ERR_INPUT;
}

/* Reports `message` and gives its memory back. */
static wb_status fail_with(const struct argument_parser *parser, struct text *message) {
    wb_status status = fail(parser, message->failed ? "out of memory" : message->data);
    text_free(message);
    return status;
}

/* TYPE:VALUE or TYPE:? */
static wb_status parse_scalar(const struct argument_parser *parser, struct launch_argument *argument) {
    struct text message = {0};
    const char *colon = strchr(parser->text, ':');
    if (colon == NULL) return fail(parser, "expected TYPE:VALUE, buf:TYPE[COUNT], bytes:HEX or bytes[SIZE]");
    argument->type = value_type(parser->text, (size_t)(colon - parser->text));
    if (argument->type == PTX_TYPE_NONE) {
        text_string(&message, "unknown type; expected buf, bytes, ");
        value_list_types(&message);
        return fail_with(parser, &message);
    }
    const char *value = colon + 1;
    if (strcmp(value, "?") == 0) return WB_OK;
    argument->known = true;
    if (value_parse(argument->type, value, strlen(value), &argument->bits)) return WB_OK;
    text_string(&message, "expected ");
    if (value_writable(argument->type)) {
        value_describe(argument->type, &message);
        text_string(&message, ", or ? for an unknown value");
    } else {
        text_string(&message, "? for an unknown value, or the bits as b16");
    }
    return fail_with(parser, &message);
}

/* The bytes of a struct, two hexadecimal digits each, in memory order. */
static wb_status parse_hex_bytes(const struct argument_parser *parser, const char *digits,
                                 struct launch_argument *argument) {
    size_t length = strlen(digits);
    size_t size = length / 2;
    if (length == 0 || length % 2 != 0 || size > LAUNCH_STRUCT_MAX)
        return fail(parser, "expected two hexadecimal digits a byte, for 1 to 32764 bytes");
    uint8_t *bytes = arena_alloc(parser->arena, size);
    if (bytes == NULL) return diagnose_out_of_memory(parser->diagnostics, "bytes");
    for (size_t i = 0; i < size; i++) {
        uint64_t byte;
        if (!number_hex(digits + 2 * i, 2, &byte)) return fail(parser, "expected hexadecimal digits");
        bytes[i] = (uint8_t)byte;
    }
    argument->known = true;
    argument->contents = (struct launch_contents){
        .type = PTX_B8, .count = size, .fill = LAUNCH_FILL_FILE, .file_bytes = bytes, .file_size = size};
    return WB_OK;
}

/* bytes[SIZE]: a struct of which nothing is known but its size. */
static wb_status parse_unknown_bytes(const struct argument_parser *parser, const char *size_text,
                                     struct launch_argument *argument) {
    size_t length = strlen(size_text);
    uint64_t size;
    if (length < 2 || size_text[length - 1] != ']' || !number_u64(size_text, length - 1, &size) ||
        size == 0 || size > LAUNCH_STRUCT_MAX)
        return fail(parser, "expected bytes[SIZE] with a size from 1 to 32764");
    argument->contents = (struct launch_contents){.type = PTX_B8, .count = size, .fill = LAUNCH_FILL_UNKNOWN};
    return WB_OK;
}

/* The text behind a prefix, or NULL. */
static const char *behind(const char *text, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

wb_status launch_argument_parse(struct arena *arena, const char *text, const struct subject *subject,
                                const struct launch_folder *folder, wb_diagnostics *diagnostics,
                                struct launch_argument *argument) {
    struct argument_parser parser = {arena, text, subject, diagnostics};
    struct launch_argument parsed = {0};
    const char *rest;
    if ((rest = behind(text, "buf:")) != NULL) {
        uint64_t pointed = 0;
        parsed.is_buffer = true;
        WB_TRY(launch_contents_parse(arena, rest, subject, folder, diagnostics, &parsed.contents, &pointed));
        parsed.offset = pointed * ptx_type_bytes(parsed.contents.type);
    } else if ((rest = behind(text, "bytes:")) != NULL) {
        WB_TRY(parse_hex_bytes(&parser, rest, &parsed));
    } else if ((rest = behind(text, "bytes[")) != NULL) {
        WB_TRY(parse_unknown_bytes(&parser, rest, &parsed));
    } else {
        WB_TRY(parse_scalar(&parser, &parsed));
    }
    parsed.text = arena_string(arena, text, strlen(text));
    if (parsed.text == NULL) return diagnose_out_of_memory(diagnostics, "argument");
    *argument = parsed;
    return WB_OK;
}
