/* Contents of buffers and arguments without fields as a launch writes them: values, TYPE[COUNT], optionally
 * =FILL; of arguments TYPE[COUNT]+ELEMENT, too. */
#include <assert.h>
#include <endian.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "launch/launch.h"

/* ---- Types and values ---- */

static const struct {
    const char *name;
    enum ptx_type type;
} types[] = {
    {"i8", PTX_S8},   {"i16", PTX_S16}, {"i32", PTX_S32}, {"i64", PTX_S64}, {"s8", PTX_S8},
    {"s16", PTX_S16}, {"s32", PTX_S32}, {"s64", PTX_S64}, {"u8", PTX_U8},   {"u16", PTX_U16},
    {"u32", PTX_U32}, {"u64", PTX_U64}, {"b8", PTX_B8},   {"b16", PTX_B16}, {"b32", PTX_B32},
    {"b64", PTX_B64}, {"f32", PTX_F32}, {"f64", PTX_F64}, {"f16", PTX_F16}, {"bf16", PTX_BF16},
};

#define TYPE_COUNT (sizeof types / sizeof *types)

enum ptx_type launch_type_named(const char *name, size_t length) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0) return types[i].type;
    return PTX_TYPE_NONE;
}

/* Appends the names of all types. */
static void value_list_types(struct text *out) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        text_printf(out, "%s%s", i == 0 ? "" : i + 1 == TYPE_COUNT ? " or " : ", ", types[i].name);
}

/* Whether values of the type can be written; of the 16-bit floats only raw bytes can be given. */
static bool value_writable(enum ptx_type type) {
    return type != PTX_F16 && type != PTX_BF16;
}

/* Largest magnitude of a value below 0, and largest value, of an integer type. */
static uint64_t most_negative(enum ptx_type type) {
    return ptx_type_kind(type) == PTX_KIND_UNSIGNED ? 0 : UINT64_C(1) << (ptx_type_bytes(type) * 8 - 1);
}

static uint64_t most_positive(enum ptx_type type) {
    uint64_t all = UINT64_MAX >> (64 - ptx_type_bytes(type) * 8);
    return ptx_type_kind(type) == PTX_KIND_SIGNED ? all >> 1 : all;
}

static bool parse_integer(enum ptx_type type, const char *text, size_t length, uint64_t *bits) {
    bool negative = length > 0 && text[0] == '-';
    uint64_t magnitude;
    if (!number_u64(text + negative, length - negative, &magnitude)) return false;
    if (magnitude > (negative ? most_negative(type) : most_positive(type))) return false;
    uint64_t all = UINT64_MAX >> (64 - ptx_type_bytes(type) * 8);
    *bits = (negative ? 0 - magnitude : magnitude) & all;
    return true;
}

/* The bits behind "0f" or "0d", as PTX writes floating-point constants. */
static bool parse_float_bits(char letter, uint32_t digits, const char *text, size_t length, uint64_t *bits) {
    return length == digits + 2 && text[0] == '0' && (text[1] | 0x20) == letter &&
           number_hex(text + 2, digits, bits);
}

static uint64_t bits_of_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits of a value of that type; false when the text is none or is out of the type's range. */
static bool value_parse(enum ptx_type type, const char *text, size_t length, uint64_t *bits) {
    if (!value_writable(type)) return false;
    if (type == PTX_F32) {
        float value;
        if (parse_float_bits('f', 8, text, length, bits)) return true;
        if (!number_f32(text, length, &value)) return false;
        *bits = bits_of_f32(value);
        return true;
    }
    if (type == PTX_F64) {
        double value;
        if (parse_float_bits('d', 16, text, length, bits)) return true;
        if (!number_f64(text, length, &value)) return false;
        *bits = bits_of_f64(value);
        return true;
    }
    return parse_integer(type, text, length, bits);
}

/* Appends what value_parse expects of that type. */
static void value_describe(enum ptx_type type, struct text *out) {
    if (!value_writable(type)) {
        text_string(out, "zero or @FILE");
    } else if (type == PTX_F32) {
        text_string(out, "a number such as -0.5 or 0f3F800000");
    } else if (type == PTX_F64) {
        text_string(out, "a number such as -0.5 or 0d3FF0000000000000");
    } else {
        text_printf(out, "a whole number from %s%llu to %llu", most_negative(type) == 0 ? "" : "-",
                    (unsigned long long)most_negative(type), (unsigned long long)most_positive(type));
    }
}

/* The bits of element `index` of a buffer that counts 0, 1, 2 ..., and of a random one. */
static uint64_t value_iota(enum ptx_type type, uint64_t index) {
    if (type == PTX_F32) return bits_of_f32((float)index);
    if (type == PTX_F64) return bits_of_f64((double)index);
    return index;
}

/* Floats lie in [0, 1): as many random bits as the type's significand has, so every value is exact. */
static uint64_t value_random(enum ptx_type type, uint64_t random) {
    if (type == PTX_F32) return bits_of_f32((float)(random >> 40) * 0x1p-24f);
    if (type == PTX_F64) return bits_of_f64((double)(random >> 11) * 0x1p-53);
    return random;
}

/* ---- Contents of buffers ---- */

/* A text that is parsed, and for what. */
struct contents_parser {
    const struct launch_site *site;
    const char *text;
    uint64_t *pointed; /* or NULL: not the contents of an argument */
};

static wb_status fail(const struct contents_parser *parser, const char *message) {
    const struct launch_site *site = parser->site;
    diagnose_about(site->diagnostics, SEVERITY_ERROR, site->subject, "%s%s'%.80s': %s",
                   site->field != NULL ? site->field : "", site->field != NULL ? ": " : "", parser->text,
                   message);
    return WB_ERR_INPUT;
}

/* Reports `message` and gives its memory back. */
static wb_status fail_with(const struct contents_parser *parser, struct text *message) {
    wb_status status = fail(parser, message->failed ? OUT_OF_MEMORY : message->data);
    text_free(message);
    return status;
}

/* The element behind `+` that an argument points to, at most the one behind the last. */
static wb_status parse_pointed(const struct contents_parser *parser, const struct launch_contents *contents,
                               const char **rest) {
    const char *number = *rest + 1;
    size_t length = strcspn(number, "=");
    *rest = number + length;
    if (number_u64(number, length, parser->pointed) && *parser->pointed <= contents->count) return WB_OK;
    return fail(parser, "expected a number of elements after '+', at most as many as the buffer has");
}

/* TYPE[COUNT] or TYPE[COUNT]+ELEMENT; *rest is what stands behind it. */
static wb_status parse_shape(const struct contents_parser *parser, struct launch_contents *contents,
                             const char **rest) {
    const char *open = strchr(parser->text, '[');
    const char *close = open == NULL ? NULL : strchr(open, ']');
    bool pointer = close != NULL && close[1] == '+' && parser->pointed != NULL;
    if (close == NULL || (close[1] != '\0' && close[1] != '=' && !pointer))
        return fail(parser, "expected TYPE[COUNT] or TYPE[COUNT]=CONTENTS, such as f32[1024]=iota");
    contents->type = launch_type_named(parser->text, (size_t)(open - parser->text));
    if (contents->type == PTX_TYPE_NONE) {
        struct text message = {0};
        text_string(&message, "unknown element type; expected ");
        value_list_types(&message);
        return fail_with(parser, &message);
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

static wb_status parse_file(const struct contents_parser *parser, const char *name,
                            struct launch_contents *contents) {
    if (name[0] == '\0') return fail(parser, "expected a file name after '@'");
    char *path = NULL;
    WB_TRY(launch_file_path(name, parser->site->subject, parser->site->folder, parser->site->diagnostics,
                            &path));
    char *bytes = NULL;
    size_t size = 0;
    const uint64_t room = launch_contents_size(contents);
    wb_status status = file_read(path, room, parser->site->diagnostics, &bytes, &size);
    if (status != WB_OK) {
        diagnose_about(parser->site->diagnostics, SEVERITY_NOTE, parser->site->subject,
                       "'%s' is named here, for a buffer of %" PRIu64 " bytes", path, room);
    } else {
        contents->file_bytes = arena_alloc(parser->site->arena, size > 0 ? size : 1);
        if (contents->file_bytes == NULL)
            status = diagnose_out_of_memory(parser->site->diagnostics, path);
        else
            memcpy(contents->file_bytes, bytes, size);
        const wb_input input = input_of(WB_INPUT_DATA, path, bytes, size);
        if (status == WB_OK && input_copy(&input, parser->site->arena, &contents->data) != WB_OK)
            status = diagnose_out_of_memory(parser->site->diagnostics, path);
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
    if (value_writable(type)) text_string(&message, "zero, iota, random(SEED), @FILE, {VALUE, ...} or ");
    value_describe(type, &message);
    text_string(&message, " after '='");
    return fail_with(parser, &message);
}

/* Stores the low `size` bytes (1, 2, 4 or 8), lowest first. */
static void store_element(uint8_t *bytes, uint64_t bits, uint32_t size) {
    assert(size <= sizeof bits);
    uint64_t little = htole64(bits);
    memcpy(bytes, &little, size);
}

/* {VALUE, VALUE ...}, one for each element. */
static wb_status parse_list(const struct contents_parser *parser, const char *list,
                            struct launch_contents *contents) {
    const uint32_t bytes = ptx_type_bytes(contents->type);
    const size_t length = strlen(list);
    uint64_t count = 1, done = 0, bits;
    for (const char *c = list; *c != '\0'; c++)
        count += *c == ',';
    if (list[length - 1] != '}' || count != contents->count)
        return fail(parser, "expected {VALUE, VALUE ...} with a value for each element");
    contents->file_size = count * bytes;
    contents->file_bytes = arena_alloc(parser->site->arena, contents->file_size);
    if (contents->file_bytes == NULL) return diagnose_out_of_memory(parser->site->diagnostics, "contents");
    for (const char *at = list + 1; done < count; done++) {
        at += strspn(at, " ");
        const size_t end = strcspn(at, ",}"), size = strcspn(at, " ,}");
        if (!value_parse(contents->type, at, size, &bits) || strspn(at + size, " ") != end - size)
            return bad_fill(parser, contents->type);
        store_element(contents->file_bytes + done * bytes, bits, bytes);
        at += end + 1;
    }
    contents->fill = LAUNCH_FILL_FILE;
    return WB_OK;
}

static wb_status parse_fill(const struct contents_parser *parser, const char *fill,
                            struct launch_contents *contents) {
    bool writable = value_writable(contents->type);
    if (fill[0] == '@') return parse_file(parser, fill + 1, contents);
    if (fill[0] == '{') return parse_list(parser, fill, contents);
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

wb_status launch_contents_parse(const struct launch_site *site, const char *text,
                                struct launch_contents *contents, uint64_t *pointed) {
    struct contents_parser parser = {.site = site, .text = text};
    struct launch_contents parsed = {0};
    const char *rest = NULL;
    parser.pointed = pointed;
    WB_TRY(parse_shape(&parser, &parsed, &rest));
    assert(rest != NULL);
    if (rest[0] == '=') WB_TRY(parse_fill(&parser, rest + 1, &parsed));
    *contents = parsed;
    return WB_OK;
}

uint64_t launch_contents_size(const struct launch_contents *contents) {
    return contents->count * ptx_type_bytes(contents->type);
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

/* ---- Arguments of kernels: a scalar, a buffer or the bytes of a struct ---- */

/* TYPE:VALUE or TYPE:? */
static wb_status parse_scalar(const struct contents_parser *parser, struct launch_argument *argument) {
    struct text message = {0};
    const char *colon = strchr(parser->text, ':');
    uint64_t unused;
    if (value_parse(PTX_F64, parser->text, strlen(parser->text), &unused))
        return fail(parser, "expected its type in front, such as i32:7 or f32:0.5");
    if (colon == NULL)
        return fail(parser, "expected TYPE:VALUE, buf:TYPE[COUNT], struct {...}, bytes:HEX or bytes[SIZE]");
    argument->type = launch_type_named(parser->text, (size_t)(colon - parser->text));
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
static wb_status parse_hex_bytes(const struct contents_parser *parser, const char *digits,
                                 struct launch_argument *argument) {
    size_t length = strlen(digits);
    size_t size = length / 2;
    if (length == 0 || length % 2 != 0 || size > LAUNCH_STRUCT_MAX)
        return fail(parser,
                    "expected two hexadecimal digits a byte, for 1 to 32764 bytes; a struct of 100 bytes "
                    "of unknown contents is bytes[100]");
    uint8_t *bytes = arena_alloc(parser->site->arena, size);
    if (bytes == NULL) return diagnose_out_of_memory(parser->site->diagnostics, "bytes");
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
static wb_status parse_unknown_bytes(const struct contents_parser *parser, const char *size_text,
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

/* "buf:f32[___]", "i32:___" or "___": how large or what it is stands out. */
static bool is_blank(const char *text) {
    const size_t length = strlen(text), blank = strlen(LAUNCH_BLANK);
    if (strstr(text, "[" LAUNCH_BLANK "]") != NULL) return true;
    if (length < blank || strcmp(text + length - blank, LAUNCH_BLANK) != 0) return false;
    return length == blank || text[length - blank - 1] == ':';
}

/* Whether "buf:NAME" or "buf:NAME+ELEMENT" stands there, rather than a shape that is not complete. */
static bool names_argument(const char *text) {
    const size_t length = strcspn(text, "+");
    return length > 0 && strpbrk(text, "[]=: ") == NULL && launch_type_named(text, length) == PTX_TYPE_NONE;
}

static wb_status parse_same(const struct contents_parser *parser, const char *name,
                            struct launch_argument *argument) {
    const size_t length = strcspn(name, "+");
    const char *element = name + length;
    if (*element == '+' && !number_u64(element + 1, strlen(element + 1), &argument->offset))
        return fail(parser, "expected a number of elements after '+'");
    argument->same_as = arena_string(parser->site->arena, name, length);
    return argument->same_as != NULL ? WB_OK : diagnose_out_of_memory(parser->site->diagnostics, "argument");
}

/* What stands for a value. */
static wb_status parse_argument(const struct contents_parser *parser, struct launch_argument *argument) {
    const char *rest;
    if ((rest = behind(parser->text, "buf:")) != NULL) {
        argument->is_buffer = true;
        if (names_argument(rest)) return parse_same(parser, rest, argument);
        return launch_contents_parse(parser->site, rest, &argument->contents, &argument->offset);
    }
    if ((rest = behind(parser->text, "bytes:")) != NULL) return parse_hex_bytes(parser, rest, argument);
    if ((rest = behind(parser->text, "bytes[")) != NULL) return parse_unknown_bytes(parser, rest, argument);
    return parse_scalar(parser, argument);
}

wb_status launch_value_parse(const struct launch_site *site, const char *text,
                             struct launch_argument *argument) {
    const struct contents_parser parser = {site, text, NULL};
    struct launch_argument parsed = {.at = (uint32_t)site->subject->offset, .blank = is_blank(text)};
    if (parsed.blank) { /* how large it is may be known */
        parsed.is_buffer = behind(text, "buf:") != NULL;
        parsed.type = launch_type_named(text, strcspn(text, ":"));
    } else {
        WB_TRY(parse_argument(&parser, &parsed));
    }
    parsed.text = arena_string(site->arena, text, strlen(text));
    if (parsed.text == NULL) return diagnose_out_of_memory(site->diagnostics, "argument");
    *argument = parsed;
    return WB_OK;
}
