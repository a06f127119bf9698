/* Text that grows while it is written: every report, message and printer writes into one of these. */
#ifndef WB_BASE_TEXT_H
#define WB_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Zero-initialised it is empty. After a failed allocation `failed` stays set and further writes do nothing,
 * so a writer checks once, at the end. In a protected arena ({.arena = arena}) no write fails. */
struct text {
    char *data; /* NUL-terminated, or NULL while empty */
    size_t length;
    size_t capacity;
    bool failed;
    struct arena *arena; /* where it lies, or NULL: it is malloced */
};

/* Makes room for so many bytes. */
void text_reserve(struct text *text, size_t length);

void text_append(struct text *text, const char *bytes, size_t length);
void text_string(struct text *text, const char *string);
void text_char(struct text *text, char c);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* snprintf and vsnprintf whatever the locale: numbers have a decimal point. */
int text_format(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int text_vformat(char *buffer, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Pads with spaces until the text is `column` characters after its last line break. */
void text_pad(struct text *text, size_t column);

/* Hands the text to the caller, who frees it unless it lies in an arena: a valid string even when nothing was
 * written, NULL when any write failed. The text is empty afterwards. */
char *text_take(struct text *text);

void text_free(struct text *text);

#endif
