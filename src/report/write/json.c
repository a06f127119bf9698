#include "report/write/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"

/* Longest name of a member in a format. */
#define KEY_MAX ((size_t)40)

struct json json_begin(struct text *out, enum json_layout layout) {
    return (struct json){.out = out, .layout = layout};
}

/* Whether what is open has its values on lines of their own. */
static bool stands_on_lines(const struct json *json) {
    return json->layout == JSON_LINES || (json->layout == JSON_MEMBERS && json->depth == 1);
}

/* Goes to the line of the next value, or of the end of what is open. */
static void put_break(struct json *json, uint32_t indent) {
    text_char(json->out, '\n');
    text_pad(json->out, json->breaks ? json->indent : indent);
    json->breaks = false;
}

/* A text in quotes, in which only JSON's own characters are escaped. */
static void put_string(struct text *out, const char *text) {
    static const char named[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    text_char(out, '"');
    for (size_t left = strlen(text); left > 0;) {
        uint32_t point;
        const size_t size = utf8_decode(text, left, &point), taken = size == 0 ? 1 : size;
        const char *name = size == 1 ? strchr(named, *text) : NULL;
        if (size == 0) {
            text_string(out, "\xef\xbf\xbd");
        } else if (name != NULL) {
            text_char(out, '\\');
            text_char(out, names[name - named]);
        } else if (!text_is_printable(point) && point < 0x10000) {
            text_printf(out, "\\u%04X", point);
        } else {
            text_append(out, text, size);
        }
        text += taken;
        left -= taken;
    }
    text_char(out, '"');
}

/* Everything in front of a value. */
static void begin_value(struct json *json, const char *key) {
    assert((key != NULL) == (json->depth > 0 && (json->objects >> (json->depth - 1) & 1) != 0));
    assert(json->depth > 0 || !json->has_value);
    if (json->has_value) text_char(json->out, ',');
    if (json->breaks || (json->depth > 0 && stands_on_lines(json))) put_break(json, 2 * json->depth);
    if (key != NULL) {
        put_string(json->out, key);
        text_string(json->out, stands_on_lines(json) ? ": " : ":");
    }
    json->has_value = true;
}

static void open_value(struct json *json, const char *key, bool is_object) {
    begin_value(json, key);
    assert(json->depth < JSON_DEPTH_MAX);
    json->objects &= ~(UINT32_C(1) << json->depth);
    json->objects |= (uint32_t)is_object << json->depth;
    json->depth++;
    json->has_value = false;
    text_char(json->out, is_object ? '{' : '[');
}

void json_open_object(struct json *json, const char *key) {
    open_value(json, key, true);
}

void json_open_array(struct json *json, const char *key) {
    open_value(json, key, false);
}

void json_close(struct json *json) {
    assert(json->depth > 0);
    const bool on_line = json->breaks || (json->has_value && stands_on_lines(json));
    json->depth--;
    if (on_line) put_break(json, 2 * json->depth);
    text_char(json->out, (json->objects >> json->depth & 1) != 0 ? '}' : ']');
    json->has_value = true;
}

void json_put_null(struct json *json, const char *key) {
    begin_value(json, key);
    text_string(json->out, "null");
}

void json_put_bool(struct json *json, const char *key, bool value) {
    begin_value(json, key);
    text_string(json->out, value ? "true" : "false");
}

void json_put_count(struct json *json, const char *key, uint64_t value) {
    begin_value(json, key);
    text_printf(json->out, "%" PRIu64, value);
}

void json_put_integer(struct json *json, const char *key, int64_t value) {
    begin_value(json, key);
    text_printf(json->out, "%" PRId64, value);
}

void json_put_real(struct json *json, const char *key, double value) {
    char digits[40];
    assert(isfinite(value));
    begin_value(json, key);
    (void)text_format(digits, sizeof digits, "%.12g", value);
    /* The shortest form of the exponent; and a point where there is none, so that it reads back as a real
     * number. */
    char *exponent = strchr(digits, 'e');
    if (exponent != NULL) *exponent++ = '\0';
    text_string(json->out, digits);
    if (exponent != NULL)
        text_printf(json->out, "e%s%s", *exponent == '-' ? "-" : "", exponent + strspn(exponent, "+-0"));
    else if (strchr(digits, '.') == NULL)
        text_string(json->out, ".0");
}

void json_put_text(struct json *json, const char *key, const char *text) {
    begin_value(json, key);
    if (text != NULL)
        put_string(json->out, text);
    else
        text_string(json->out, "null");
}

void json_take_text(struct json *json, const char *key, struct text *text) {
    json->out->failed |= text->failed;
    json_put_text(json, key, text->failed ? NULL : text->data);
    text_free(text);
}

void json_put_count_if(struct json *json, const char *key, bool is_known, uint64_t value) {
    if (is_known)
        json_put_count(json, key, value);
    else
        json_put_null(json, key);
}

/* The value of a conversion, which begins at its length. */
static void put_converted(struct json *json, const char *key, const char *conversion, bool is_known,
                          va_list *arguments) {
    const size_t length = strspn(conversion, "lz");
    const char kind = conversion[length];
    uint64_t count = 0;
    double real = 0;
    const char *text = NULL;
    if (kind == 's')
        text = va_arg(*arguments, const char *);
    else if (kind == 'g')
        real = va_arg(*arguments, double);
    else if (length == 0)
        count = va_arg(*arguments, unsigned);
    else if (conversion[0] == 'z')
        count = va_arg(*arguments, size_t);
    else
        count = length == 1 ? va_arg(*arguments, unsigned long) : va_arg(*arguments, unsigned long long);
    assert(kind == 's' || kind == 'g' || kind == 'u' || kind == 'd');
    if (!is_known || kind == 's')
        json_put_text(json, key, is_known ? text : NULL);
    else if (kind == 'g')
        json_put_real(json, key, real);
    else if (kind == 'u')
        json_put_count(json, key, count);
    else if (length == 0)
        json_put_bool(json, key, count != 0);
    else
        json_put_integer(json, key, (int64_t)count);
}

static void put_values(struct json *json, const char *format, va_list *arguments) {
    while (*format != '\0') {
        char key[KEY_MAX];
        const size_t length = strcspn(format, " %");
        assert(length < KEY_MAX);
        memcpy(key, format, length);
        key[length] = '\0';
        format = strchr(format, '%') + 1;
        const bool is_known = *format != '*' || va_arg(*arguments, int) != 0;
        format += *format == '*';
        put_converted(json, length > 0 ? key : NULL, format, is_known, arguments);
        format += strspn(format, "lz") + 1;
        format += strspn(format, ", ");
    }
}

void json_put(struct json *json, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_values(json, format, &arguments);
    va_end(arguments);
}

void json_put_object(struct json *json, const char *key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    json_open_object(json, key);
    put_values(json, format, &arguments);
    json_close(json);
    va_end(arguments);
}

void json_put_counts(struct json *json, const char *key, const uint32_t *values, uint32_t count) {
    json_open_array(json, key);
    for (uint32_t i = 0; i < count; i++)
        json_put_count(json, NULL, values[i]);
    json_close(json);
}

void json_put_texts(struct json *json, const char *key, const char *const *texts, size_t count) {
    json_open_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_put_text(json, NULL, texts[i]);
    json_close(json);
}

void json_break(struct json *json, uint32_t indent) {
    json->breaks = true;
    json->indent = indent;
}
