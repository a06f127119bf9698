/* One named value of a struct, described once in a table: how it is read from a file or an option, which
 * values it may have, and how it is printed. A table ends with an entry without a key. */
#ifndef WB_BASE_FIELD_H
#define WB_BASE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "warpbound.h"

enum field_kind {
    FIELD_TEXT,  /* char[maximum]: UTF-8 text of 1 to `maximum` - 1 bytes, on one line */
    FIELD_LINES, /* the same on any number of lines */
    FIELD_NAME,  /* like FIELD_TEXT: a letter, then letters, digits, '_' */
    FIELD_U32,   /* uint32_t from minimum to maximum, or UINT32_MAX written as words[0] where `words` is given
                  */
    FIELD_INTERVAL, /* uint32_t as FIELD_U32, the most; and a struct field_least at `least_offset`. As a text
                       "4" (no least is stated), "[3, 4]" or "3..4"; in a file also the list [3, 4] */
    FIELD_REAL,     /* double above 0, at most `maximum`, with at most six places behind the point */
    FIELD_BOOL,     /* bool */
    FIELD_WORD,     /* uint32_t: index of one of `words` (NULL-terminated) */
    FIELD_NESTED    /* anything else: read by `read` */
};

/* The least of an interval, where one is stated. */
struct field_least {
    bool stated;
    uint32_t value;
};

struct ytree;
struct ytree_node;

struct field {
    const char *key;
    enum field_kind kind;
    bool required;
    size_t offset;       /* in the struct that the table describes */
    size_t least_offset; /* of FIELD_INTERVAL */
    uint32_t minimum, maximum;
    const char *const *words;
    const char *what; /* of FIELD_NESTED: what is expected, for messages */
    /* Of FIELD_NESTED: reads the value into the struct (not into its member at `offset`). */
    wb_status (*read)(const struct ytree *document, const struct ytree_node *value, void *target);
};

/* Rows of tables of struct `owner`; what else there is to say of one stands behind: `.required = true`. */
#define NUMBER_ROW(owner, name, member, least, most, ...)                                                    \
    {                                                                                                        \
        .key = (name), .kind = FIELD_U32, .offset = offsetof(struct owner, member), .minimum = (least),      \
        .maximum = (most), __VA_ARGS__                                                                       \
    }
#define INTERVAL_ROW(owner, name, member, least_member, least, most, ...)                                    \
    {                                                                                                        \
        .key = (name), .kind = FIELD_INTERVAL, .offset = offsetof(struct owner, member),                     \
        .least_offset = offsetof(struct owner, least_member), .minimum = (least), .maximum = (most),         \
        __VA_ARGS__                                                                                          \
    }
#define WORD_ROW(owner, name, member, choices)                                                               \
    { .key = (name), .kind = FIELD_WORD, .offset = offsetof(struct owner, member), .words = (choices) }
#define BOOL_ROW(owner, name, member)                                                                        \
    { .key = (name), .kind = FIELD_BOOL, .offset = offsetof(struct owner, member) }
#define TEXT_ROW(owner, name, member, text_kind, size, ...)                                                  \
    {                                                                                                        \
        .key = (name), .kind = (text_kind), .offset = offsetof(struct owner, member), .maximum = (size),     \
        __VA_ARGS__                                                                                          \
    }
#define NESTED_ROW(name, expected, reader, ...)                                                              \
    { .key = (name), .kind = FIELD_NESTED, .what = (expected), .read = (reader), __VA_ARGS__ }

/* The table's entry of that key, or NULL. */
const struct field *field_find(const struct field *fields, const char *key);

/* Stores what `text` says into `target`. False, with nothing stored, when the text is no such value;
 * FIELD_NESTED has no text and is false, too. */
bool field_store(const struct field *field, const char *text, void *target);

/* Appends what the field expects, such as "a whole number from 1 to 64". */
void field_describe(const struct field *field, struct text *out);

/* Appends the value as YAML that reads back as the same value. Nothing for FIELD_NESTED. */
void field_print(const struct field *field, const void *target, struct text *out);

/* Appends the values of a table as a line of YAML, {key: value, ...}. The first word of a FIELD_WORD is its
 * default and not printed. */
void field_print_flow(const struct field *fields, const void *target, struct text *out);

/* Appends a text as a double-quoted YAML string in ASCII, so that no byte of it can end or change it. */
void field_print_quoted(const char *string, struct text *out);

/* Appends the keys of the table, separated by commas. */
void field_list_keys(const struct field *fields, struct text *out);

/* The key of the table that is spelt like `word`, or NULL. */
const char *field_suggest(const struct field *fields, const char *word);

#endif
