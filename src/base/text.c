#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool text_room(struct text *text, size_t extra) {
    if (text->failed) return false;
    assert(text->data == NULL ? text->length == 0 : text->length < text->capacity);
    size_t need;
    if (!__builtin_add_overflow(text->length, extra, &need) && need < SIZE_MAX / 2) {
        if (text->data != NULL && need < text->capacity) return true;
        size_t capacity = text->capacity < 64 ? 64 : text->capacity;
        while (capacity <= need)
            capacity *= 2;
        char *data = text->arena == NULL ? realloc(text->data, capacity)
                                         : arena_grow(text->arena, text->data, text->capacity, capacity);
        if (data != NULL) {
            text->data = data;
            text->capacity = capacity;
            return true;
        }
    }
    text->failed = true;
    return false;
}

void text_reserve(struct text *text, size_t length) {
    if (text_room(text, length)) text->data[text->length] = '\0';
}

void text_append(struct text *text, const char *bytes, size_t length) {
    if (!text_room(text, length)) return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_string(struct text *text, const char *string) {
    text_append(text, string, strlen(string));
}

void text_char(struct text *text, char c) {
    text_append(text, &c, 1);
}

void text_printf(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

void text_vprintf(struct text *text, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = text_vformat(NULL, 0, format, arguments);
    if (length < 0) text->failed = true;
    if (length >= 0 && text_room(text, (size_t)length)) {
        (void)text_vformat(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

int text_vformat(char *buffer, size_t size, const char *format, va_list arguments) {
    locale_t before = c_locale_enter();
    int length = vsnprintf(buffer, size, format, arguments);
    c_locale_leave(before);
    return length;
}

int text_format(char *buffer, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = text_vformat(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

void text_pad(struct text *text, size_t column) {
    size_t start = text->length;
    while (start > 0 && text->data[start - 1] != '\n')
        start--;
    while (!text->failed && text->length - start < column)
        text_char(text, ' ');
}

char *text_take(struct text *text) {
    if (!text->failed && text->data == NULL) text_append(text, "", 0);
    char *data = text->failed ? NULL : text->data;
    if (text->failed) text_free(text);
    *text = (struct text){.arena = text->arena};
    return data;
}

void text_free(struct text *text) {
    if (text->arena == NULL) free(text->data);
    *text = (struct text){.arena = text->arena};
}

/* ---- UTF-8 ---- */

size_t utf8_decode(const char *text, size_t length, uint32_t *point) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (length == 0) return 0;
    unsigned char lead = (unsigned char)text[0];
    size_t size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (size == 0 || size > length) return 0;
    uint32_t value = size == 1 ? lead : lead & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c & 0xc0) != 0x80) return 0;
        value = value << 6 | (c & 0x3fu);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
    *point = value;
    return size;
}

/* ---- Texts of others ---- */

bool text_is_printable(uint32_t point) {
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},     {0x200b, 0x200f},
                  {0x2028, 0x202e}, {0x2060, 0x206f}, {0xd800, 0xdfff},   {0xfeff, 0xfeff},
                  {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe007f}, {0x110000, UINT32_MAX}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (point >= hidden[i].first && point <= hidden[i].last) return false;
    return true;
}

/* How many bytes at the start of the text are printable, or else are to be replaced together. */
static size_t next_part(const char *text, size_t length, bool *is_printable, uint32_t *point) {
    const size_t size = utf8_decode(text, length, point);
    *is_printable = size > 0 && text_is_printable(*point);
    if (size == 0) *point = (unsigned char)text[0];
    return size == 0 ? 1 : size;
}

void text_printable(struct text *out, const char *string, size_t length) {
    static const char named[] = "\n\r\t", names[] = "nrt";
    for (size_t at = 0, size; at < length; at += size) {
        bool is_printable;
        uint32_t point;
        size = next_part(string + at, length - at, &is_printable, &point);
        const char *name = point != 0 && point < 0x80 ? strchr(named, (int)point) : NULL;
        if (is_printable)
            text_append(out, string + at, size);
        else if (name != NULL)
            text_printf(out, "\\%c", names[name - named]);
        else
            text_printf(out, size == 1 ? "\\x%02x" : point < 0x10000 ? "\\u%04x" : "\\U%08x", point);
    }
}

const char *arena_printable(struct arena *arena, const char *string, size_t length) {
    struct text text = {.arena = arena};
    text_printable(&text, string, length);
    return text_take(&text);
}

void text_blot(char *text, size_t length) {
    for (size_t at = 0, size; at < length; at += size) {
        bool is_printable;
        uint32_t point;
        size = next_part(text + at, length - at, &is_printable, &point);
        if (!is_printable && (size != 1 || strchr("\n\r\t", text[at]) == NULL || text[at] == '\0'))
            memset(text + at, '?', size);
    }
}

bool utf8_valid(const char *text, size_t length) {
    uint32_t point;
    while (length > 0) {
        size_t size = utf8_decode(text, length, &point);
        if (size == 0) return false;
        text += size;
        length -= size;
    }
    return true;
}

/* ---- Numbers ---- */

/* Longest text of a floating-point number: more digits than any double needs to be told apart. */
#define FLOAT_TEXT_MAX 400

/* Value of a digit in bases up to 16, or 16 for any other character. */
static uint32_t digit_value(char c) {
    if (c >= '0' && c <= '9') return (uint32_t)(c - '0');
    if (c >= 'a' && c <= 'f') return (uint32_t)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return (uint32_t)(c - 'A') + 10;
    return 16;
}

static bool parse_digits(const char *text, size_t length, uint32_t base, uint64_t *value) {
    uint64_t sum = 0;
    if (length == 0) return false;
    for (size_t i = 0; i < length; i++) {
        uint32_t digit = digit_value(text[i]);
        if (digit >= base) return false;
        if (__builtin_mul_overflow(sum, base, &sum) || __builtin_add_overflow(sum, digit, &sum)) return false;
    }
    *value = sum;
    return true;
}

bool number_u64(const char *text, size_t length, uint64_t *value) {
    bool hex = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    return hex ? parse_digits(text + 2, length - 2, 16, value) : parse_digits(text, length, 10, value);
}

bool number_hex(const char *text, size_t length, uint64_t *value) {
    return length <= 16 && parse_digits(text, length, 16, value);
}

bool number_decimal(const char *text, size_t length, struct decimal *value) {
    const char *point = memchr(text, '.', length);
    size_t whole = point == NULL ? length : (size_t)(point - text);
    struct decimal result = {0};
    if (!parse_digits(text, whole, 10, &result.digits)) return false;
    if (point != NULL) {
        size_t places = length - whole - 1;
        uint64_t fraction;
        if (places > DECIMAL_SCALE_MAX || !parse_digits(point + 1, places, 10, &fraction)) return false;
        result.scale = (uint32_t)places;
        uint64_t unit = (uint64_t)number_power_of_ten(result.scale);
        if (__builtin_mul_overflow(result.digits, unit, &result.digits)) return false;
        if (__builtin_add_overflow(result.digits, fraction, &result.digits)) return false;
    }
    *value = result;
    return true;
}

/* A number of either type, rounded once: what a float holds, a double holds, too. strtod would skip leading
 * spaces and read hexadecimal floats, which are not meant here. */
static bool parse_float(const char *text, size_t length, bool is_f32, double *value) {
    char buffer[FLOAT_TEXT_MAX], *end;
    if (length == 0 || length >= FLOAT_TEXT_MAX || ascii_space(text[0])) return false;
    if (memchr(text, '\0', length) != NULL || memchr(text, 'x', length) != NULL ||
        memchr(text, 'X', length) != NULL)
        return false;
    memcpy(buffer, text, length);
    buffer[length] = '\0';
    errno = 0;
    double result = is_f32 ? (double)strtof_l(buffer, &end, c_locale()) : strtod_l(buffer, &end, c_locale());
    bool overflow = errno == ERANGE && isinf(result);
    if (end != buffer + length || overflow) return false;
    *value = result;
    return true;
}

bool number_f32(const char *text, size_t length, float *value) {
    double result;
    if (!parse_float(text, length, true, &result)) return false;
    *value = (float)result;
    return true;
}

bool number_f64(const char *text, size_t length, double *value) {
    return parse_float(text, length, false, value);
}

unsigned __int128 number_power_of_ten(uint32_t exponent) {
    assert(exponent <= 38);
    unsigned __int128 power = 1;
    for (uint32_t i = 0; i < exponent; i++)
        power *= 10;
    return power;
}
