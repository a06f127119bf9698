/* Contents of buffers: TYPE[COUNT], optionally =FILL; of arguments TYPE[COUNT]+ELEMENT, too. */
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/random.h"
#include "launch/launch.h"
#include "launch/value.h"

/* What a contents text is parsed for, and where messages go. */
struct contents_parser {
    struct arena *arena;
    const char *text;
    const struct subject *subject;
    const struct launch_folder *folder;
    wb_diagnostics *diagnostics;
    uint64_t *pointed; /* or NULL: not the contents of an argument */
};

static wb_status fail(const struct contents_parser *parser, const char *message) {
    diagnose_about(parser->diagnostics, SEVERITY_ERROR, parser->subject, "'%.80s': %s", parser->text,
                   message);
    return WB_ERR_INPUT;
}

/* The element behind `+` that an argument points to, at most the one behind the last. */
static wb_status parse_pointed(const struct contents_parser *parser, const struct launch_contents *contents,
                               const char **rest) {
    const char *number = *rest + 1;
    size_t length = strcspn(number, "=");
    *rest = number + length;
    if (number_u64(number, length, parser->pointed) && *parser->pointed <= contents->count) return WB_OK;
    return fail(parser, "expected a number of elements behind '+', at most as many as the buffer has");
}

/* TYPE[COUNT] or TYPE[COUNT]+ELEMENT; *rest is what stands behind it. */
static wb_status parse_shape(const struct contents_parser *parser, struct launch_contents *contents,
                             const char **rest) {
    const char *open = strchr(parser->text, '[');
    const char *close = open == NULL ? NULL : strchr(open, ']');
    bool pointer = close != NULL && close[1] == '+' && parser->pointed != NULL;
    if (close == NULL || (close[1] != '\0' && close[1] != '=' && !pointer))
        return fail(parser, "expected TYPE[COUNT] or TYPE[COUNT]=CONTENTS, such as f32[1024]=iota");
    contents->type = value_type(parser->text, (size_t)(open - parser->text));
    if (contents->type == PTX_TYPE_NONE) {
        struct text message = {0};
        text_string(&message, "unknown element type; expected ");
        value_list_types(&message);
        wb_status status = fail(parser, message.failed ? "unknown element type" : message.data);
        text_free(&message);
        return status;
    }
    if (!number_u64(open + 1, (size_t)(close - open - 1), &contents->count) || contents->count == 0)
        return fail(parser, "expected a number of elements, at least 1, between '[' and ']'");
    uint64_t size;
    if (__builtin_mul_overflow(contents->count, ptx_type_bytes(contents->type), &size) ||
        size > LAUNCH_BUFFER_MAX)
        return fail(parser, "larger than 4 GiB");
    *rest = close + 1;
    return pointer ? parse_pointed(parser, contents, rest) : WB_OK;
}

/* Whether a path leads out of the folder that it is relative to. */
static bool leads_out(const char *path) {
    if (path[0] == '/') return true;
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return true;
    }
    return false;
}

/* The path of @FILE. What a launch file names lies in its folder or below, unless its user says otherwise: a
 * launch file of others should not get at what only its user may read. */
static wb_status file_path(const struct contents_parser *parser, const char *name, char **path) {
    const struct launch_folder *folder = parser->folder;
    if (folder != NULL && folder->files == WB_FILES_BELOW && leads_out(name))
        return fail(parser,
                    "this file is not in the launch file's folder or below: --allow-files lets launch files "
                    "name any file");
    struct text joined = {0};
    if (name[0] != '/' && folder != NULL) text_printf(&joined, "%s/", folder->path);
    text_string(&joined, name);
    *path = text_take(&joined);
    return *path == NULL ? diagnose_out_of_memory(parser->diagnostics, name) : WB_OK;
}

static wb_status parse_file(const struct contents_parser *parser, const char *name,
                            struct launch_contents *contents) {
    if (name[0] == '\0') return fail(parser, "expected a file name behind '@'");
    char *path = NULL;
    WB_TRY(file_path(parser, name, &path));
    char *bytes = NULL;
    size_t size = 0;
    const uint64_t room = launch_contents_size(contents);
    wb_status status = file_read(path, room, parser->diagnostics, &bytes, &size);
    if (status != WB_OK) {
        diagnose_about(parser->diagnostics, SEVERITY_NOTE, parser->subject,
                       "the file is named here, for a buffer of %" PRIu64 " bytes", room);
    } else {
        contents->file_bytes = arena_alloc(parser->arena, size > 0 ? size : 1);
        if (contents->file_bytes == NULL)
            status = diagnose_out_of_memory(parser->diagnostics, path);
        else
            memcpy(contents->file_bytes, bytes, size);
        contents->fill = LAUNCH_FILL_FILE;
        contents->file_size = size;
    }
    free(bytes);
    free(path);
    return status;
}

/* The number in "random(SEED)". */
static bool parse_seed(const char *fill, uint64_t *seed) {
    static const char open[] = "random(";
    size_t length = strlen(fill);
    size_t prefix = sizeof open - 1;
    if (length <= prefix || strncmp(fill, open, prefix) != 0 || fill[length - 1] != ')') return false;
    return number_u64(fill + prefix, length - prefix - 1, seed);
}

static wb_status bad_fill(const struct contents_parser *parser, enum ptx_type type) {
    struct text message = {0};
    text_string(&message, "expected ");
    if (value_writable(type)) text_string(&message, "zero, iota, random(SEED), @FILE or ");
    value_describe(type, &message);
    text_string(&message, " behind '='");
    wb_status status = fail(parser, message.failed ? "wrong contents" : message.data);
    text_free(&message);
    return status;
}

static wb_status parse_fill(const struct contents_parser *parser, const char *fill,
                            struct launch_contents *contents) {
    bool writable = value_writable(contents->type);
    if (fill[0] == '@') return parse_file(parser, fill + 1, contents);
    if (strcmp(fill, "zero") == 0)
        contents->fill = LAUNCH_FILL_ZERO;
    else if (writable && strcmp(fill, "iota") == 0)
        contents->fill = LAUNCH_FILL_IOTA;
    else if (writable && parse_seed(fill, &contents->seed))
        contents->fill = LAUNCH_FILL_RANDOM;
    else if (value_parse(contents->type, fill, strlen(fill), &contents->value))
        contents->fill = LAUNCH_FILL_VALUE;
    else
        return bad_fill(parser, contents->type);
    return WB_OK;
}

wb_status launch_contents_parse(struct arena *arena, const char *text, const struct subject *subject,
                                const struct launch_folder *folder, wb_diagnostics *diagnostics,
                                struct launch_contents *contents, uint64_t *pointed) {
    struct contents_parser parser = {arena, text, subject, folder, diagnostics, NULL};
    parser.pointed = pointed;
    struct launch_contents parsed = {0};
    const char *rest = NULL;
    WB_TRY(parse_shape(&parser, &parsed, &rest));
    if (rest[0] == '=') WB_TRY(parse_fill(&parser, rest + 1, &parsed));
    *contents = parsed;
    return WB_OK;
}

uint64_t launch_contents_size(const struct launch_contents *contents) {
    return contents->count * ptx_type_bytes(contents->type);
}

/* Stores the low `size` bytes (1, 2, 4 or 8), lowest first. */
static void store_element(uint8_t *bytes, uint64_t bits, uint32_t size) {
    uint64_t little = htole64(bits);
    memcpy(bytes, &little, size);
}

void launch_contents_fill(const struct launch_contents *contents, uint8_t *bytes) {
    uint32_t size = ptx_type_bytes(contents->type);
    struct random_state random = random_seeded(contents->seed);
    switch (contents->fill) {
    case LAUNCH_FILL_UNKNOWN:
    case LAUNCH_FILL_ZERO: return;
    case LAUNCH_FILL_FILE: memcpy(bytes, contents->file_bytes, contents->file_size); return;
    case LAUNCH_FILL_IOTA:
        for (uint64_t i = 0; i < contents->count; i++)
            store_element(bytes + i * size, value_iota(contents->type, i), size);
        return;
    case LAUNCH_FILL_VALUE:
        for (uint64_t i = 0; i < contents->count; i++)
            store_element(bytes + i * size, contents->value, size);
        return;
    case LAUNCH_FILL_RANDOM:
        for (uint64_t i = 0; i < contents->count; i++)
            store_element(bytes + i * size, value_random(contents->type, random_next(&random)), size);
        return;
    }
}
