#include "base/files.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

/* Places behind the point of a FIELD_REAL: megahertz down to the hertz. */
#define REAL_PLACES 6u

/* Most keys of a table that suggestions look at. */
#define SUGGEST_KEYS_MAX 64

const struct field *field_find(const struct field *fields, const char *key) {
    for (; fields->key != NULL; fields++)
        if (strcmp(fields->key, key) == 0) return fields;
    return NULL;
}

static bool is_name(const char *text) {
    if (!ascii_letter(text[0])) return false;
    for (; *text != '\0'; text++)
        if (!ascii_letter(*text) && !ascii_digit(*text) && *text != '_') return false;
    return true;
}

static bool store_text(const struct field *field, const char *text, char *member) {
    size_t length = strlen(text);
    if (length == 0 || length >= field->maximum || !utf8_valid(text, length)) return false;
    if (field->kind == FIELD_NAME && !is_name(text)) return false;
    for (size_t at = 0; at < length;) {
        uint32_t point = 0;
        at += utf8_decode(text + at, length - at, &point);
        if (!text_is_printable(point) && !(field->kind == FIELD_LINES && (point == '\n' || point == '\t')))
            return false;
    }
    memset(member, 0, field->maximum);
    memcpy(member, text, length + 1);
    return true;
}

static bool store_u32(const struct field *field, const char *text, uint32_t *member) {
    if (field->words != NULL && strcmp(text, field->words[0]) == 0) {
        *member = UINT32_MAX;
        return true;
    }
    uint64_t value;
    if (!number_u64(text, strlen(text), &value)) return false;
    if (value < field->minimum || value > field->maximum) return false;
    *member = (uint32_t)value;
    return true;
}

/* A number of the field in so many bytes, with spaces around it. */
static bool interval_end(const struct field *field, const char *text, size_t length, uint32_t *end) {
    while (length > 0 && text[0] == ' ')
        text++, length--;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    uint64_t value;
    if (!number_u64(text, length, &value) || value < field->minimum || value > field->maximum) return false;
    *end = (uint32_t)value;
    return true;
}

static bool store_interval(const struct field *field, const char *text, struct field_least *least,
                           uint32_t *most) {
    size_t length = strlen(text);
    const bool list = length >= 2 && text[0] == '[' && text[length - 1] == ']';
    if (list) text++, length -= 2;
    const char *separator = list ? memchr(text, ',', length) : strstr(text, "..");
    struct field_least read = {.stated = separator != NULL};
    uint32_t end;
    if (separator == NULL) {
        if (list || !interval_end(field, text, length, &end)) return false;
    } else {
        const char *second = separator + (list ? 1 : 2);
        if (!interval_end(field, text, (size_t)(separator - text), &read.value)) return false;
        if (!interval_end(field, second, (size_t)(text + length - second), &end)) return false;
    }
    if (read.value > end) return false;
    *least = read;
    *most = end;
    return true;
}

static bool store_real(const struct field *field, const char *text, double *member) {
    struct decimal decimal;
    const size_t length = strspn(text, "0123456789.");
    double factor = 1;
    if (!number_decimal(text, length, &decimal) || decimal.scale > REAL_PLACES) return false;
    const char *const *word = text[length] != '\0' ? field->words : NULL;
    for (; word != NULL && *word != NULL && strcmp(*word, text + length) != 0; word++)
        factor *= 1000;
    if (text[length] != '\0' && (word == NULL || *word == NULL)) return false;
    const double value = (double)decimal.digits * factor / (double)number_power_of_ten(decimal.scale);
    if (decimal.digits == 0 || value > field->maximum || (word == NULL && value < field->minimum))
        return false;
    *member = value;
    return true;
}

static bool store_bool(const char *text, bool *member) {
    bool yes = strcmp(text, "true") == 0;
    if (!yes && strcmp(text, "false") != 0) return false;
    *member = yes;
    return true;
}

static bool store_word(const struct field *field, const char *text, uint32_t *member) {
    assert(field->words != NULL);
    for (uint32_t i = 0; field->words[i] != NULL; i++) {
        if (strcmp(field->words[i], text) == 0) {
            *member = i;
            return true;
        }
    }
    return false;
}

bool field_store(const struct field *field, const char *text, void *target) {
    void *member = (char *)target + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_LINES:
    case FIELD_NAME: return store_text(field, text, member);
    case FIELD_U32: return store_u32(field, text, member);
    case FIELD_INTERVAL:
        return store_interval(field, text, (struct field_least *)((char *)target + field->least_offset),
                              member);
    case FIELD_REAL: return store_real(field, text, member);
    case FIELD_BOOL: return store_bool(text, member);
    case FIELD_WORD: return store_word(field, text, member);
    case FIELD_NESTED: break;
    }
    return false;
}

static void describe_words(const char *const *words, struct text *out) {
    for (size_t i = 0; words[i] != NULL; i++)
        text_printf(out, "%s'%s'", i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ", words[i]);
}

void field_describe(const struct field *field, struct text *out) {
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_LINES: text_printf(out, "a text of 1 to %u bytes", field->maximum - 1); break;
    case FIELD_NAME:
        text_printf(out, "a name of letters, digits and '_', at most %u long", field->maximum - 1);
        break;
    case FIELD_U32:
        text_printf(out, "a whole number from %u to %u", field->minimum, field->maximum);
        if (field->words != NULL) text_printf(out, " or '%s'", field->words[0]);
        break;
    case FIELD_INTERVAL:
        text_printf(out, "a whole number from %u to %u, or an interval [least, most] of them", field->minimum,
                    field->maximum);
        break;
    case FIELD_REAL:
        if (field->words == NULL)
            text_string(out, "a number above 0 and up to");
        else
            text_printf(out, "a number of %s from %u to", field->words[0], field->minimum);
        text_printf(out, " %u, with at most %u decimal places", field->maximum, REAL_PLACES);
        for (size_t i = 0; field->words != NULL && field->words[i] != NULL; i++)
            text_printf(out, "%s%s", i == 0 ? ", or with a unit, " : " or ", field->words[i]);
        break;
    case FIELD_BOOL: text_string(out, "'true' or 'false'"); break;
    case FIELD_WORD: describe_words(field->words, out); break;
    case FIELD_NESTED: text_string(out, field->what); break;
    }
}

void field_print_quoted(const char *string, struct text *out) {
    size_t length = strlen(string);
    text_char(out, '"');
    while (length > 0) {
        uint32_t point = '?';
        size_t size = utf8_decode(string, length, &point);
        if (point == '"' || point == '\\')
            text_printf(out, "\\%c", (int)point);
        else if (point >= 0x20 && point < 0x7f)
            text_char(out, (char)point);
        else
            text_printf(out, "\\U%08X", point);
        size = size == 0 ? 1 : size;
        string += size;
        length -= size;
    }
    text_char(out, '"');
}

/* Prints without the locale's decimal point. */
static void print_real(double value, struct text *out) {
    uint64_t unit = (uint64_t)number_power_of_ten(REAL_PLACES);
    uint64_t millionths = (uint64_t)llround(value * (double)unit);
    text_printf(out, "%llu", (unsigned long long)(millionths / unit));
    uint64_t fraction = millionths % unit;
    if (fraction == 0) return;
    char digits[REAL_PLACES + 1] = {0};
    for (size_t i = REAL_PLACES; i-- > 0; fraction /= 10)
        digits[i] = (char)('0' + fraction % 10);
    for (size_t i = REAL_PLACES; digits[i - 1] == '0'; i--)
        digits[i - 1] = '\0';
    text_printf(out, ".%s", digits);
}

void field_print(const struct field *field, const void *target, struct text *out) {
    const void *member = (const char *)target + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_LINES: field_print_quoted(member, out); break;
    case FIELD_NAME: text_string(out, member); break;
    case FIELD_U32: {
        uint32_t value = *(const uint32_t *)member;
        if (field->words != NULL && value == UINT32_MAX)
            text_string(out, field->words[0]);
        else
            text_printf(out, "%u", value);
        break;
    }
    case FIELD_INTERVAL: {
        const struct field_least *least =
            (const struct field_least *)((const char *)target + field->least_offset);
        const uint32_t most = *(const uint32_t *)member;
        if (least->stated)
            text_printf(out, "[%u, %u]", least->value, most);
        else
            text_printf(out, "%u", most);
        break;
    }
    case FIELD_REAL:
        print_real(*(const double *)member, out);
        if (field->words != NULL && *(const double *)member < field->minimum)
            text_string(out, field->words[0]);
        break;
    case FIELD_BOOL: text_string(out, *(const bool *)member ? "true" : "false"); break;
    case FIELD_WORD: text_string(out, field->words[*(const uint32_t *)member]); break;
    case FIELD_NESTED: break;
    }
}

void field_print_flow(const struct field *fields, const void *target, struct text *out) {
    const char *separator = "";
    text_char(out, '{');
    for (size_t i = 0; fields[i].key != NULL; i++) {
        const uint32_t *word = (const uint32_t *)((const char *)target + fields[i].offset);
        if (fields[i].kind == FIELD_WORD && *word == 0) continue;
        text_printf(out, "%s%s: ", separator, fields[i].key);
        separator = ", ";
        field_print(&fields[i], target, out);
    }
    text_string(out, "}\n");
}

void field_list_keys(const struct field *fields, struct text *out) {
    for (size_t i = 0; fields[i].key != NULL; i++)
        text_printf(out, "%s%s", i == 0 ? "" : ", ", fields[i].key);
}

const char *field_suggest(const struct field *fields, const char *word) {
    const char *keys[SUGGEST_KEYS_MAX];
    size_t count = 0;
    for (; fields[count].key != NULL && count < SUGGEST_KEYS_MAX; count++)
        keys[count] = fields[count].key;
    return wb_nearest_name(word, keys, count);
}
