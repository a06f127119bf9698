/* JSON that is written as it is made (docs/json.md documents every key). What fails shows in out->failed, so
 * that whoever takes the text checks once; nothing else can fail. */
#ifndef WB_REPORT_WRITE_JSON_H
#define WB_REPORT_WRITE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* The values that get lines of their own. */
enum json_layout {
    JSON_ONE_LINE, /* nothing */
    JSON_MEMBERS,  /* the members of the outermost object */
    JSON_LINES     /* every value, indented by its depth */
};

/* Deepest nesting. */
#define JSON_DEPTH_MAX 32u

struct json {
    struct text *out;
    enum json_layout layout;
    uint32_t depth;   /* objects and arrays that are open */
    uint32_t objects; /* bit d: that at depth d + 1 is an object */
    bool has_value;   /* the innermost has one already */
    bool breaks;      /* the next value stands on a line of its own whatever the layout, */
    uint32_t indent;  /* with so many spaces in front */
};

/* A writer at the start of a document. */
struct json json_begin(struct text *out, enum json_layout layout);

/* Each of these writes a value: a member of the innermost object under `key`, or, with key NULL, the next
 * element of the innermost array or the document itself. Objects and arrays stay open until json_close. */
void json_open_object(struct json *json, const char *key);
void json_open_array(struct json *json, const char *key);

void json_close(struct json *json);
void json_put_null(struct json *json, const char *key);

/* Opens an object that is known, and says so; else writes null. */
static inline bool json_open_known(struct json *json, const char *key, bool is_known) {
    if (is_known)
        json_open_object(json, key);
    else
        json_put_null(json, key);
    return is_known;
}

void json_put_bool(struct json *json, const char *key, bool value);
void json_put_count(struct json *json, const char *key, uint64_t value);
void json_put_integer(struct json *json, const char *key, int64_t value);

/* A finite number, to 12 digits. */
void json_put_real(struct json *json, const char *key, double value);

/* A text; what is not UTF-8 in it, as it may come from outside (a file's name), becomes U+FFFD. NULL is null.
 */
void json_put_text(struct json *json, const char *key, const char *text);

/* A text that was put together, which is freed; of one without any character null. */
void json_take_text(struct json *json, const char *key, struct text *text);

/* A count, or null where it is not known. */
void json_put_count_if(struct json *json, const char *key, bool is_known, uint64_t value);

/* Several values at once, as a format says: members of the innermost object, "cycles %" PRIu64 ", method %s",
 * or elements of the innermost array, "%u, %u". Of the conversions of printf, %u is a count, %s a text, %g a
 * real number, %d true or false, and with PRId64 an integer, both with any length. One with a star takes an
 * int in front of its value, and is null where that is 0. */
void json_put(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same as an object of its own. */
void json_put_object(struct json *json, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An array of counts: three of them are a place in a grid, or a size. */
void json_put_counts(struct json *json, const char *key, const uint32_t *values, uint32_t count);

/* The same of texts. */
void json_put_texts(struct json *json, const char *key, const char *const *texts, size_t count);

/* Lets the next value, or the end of what is open, stand on a line of its own. */
void json_break(struct json *json, uint32_t indent);

#endif
