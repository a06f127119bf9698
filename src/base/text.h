/* Text that grows while it is written, and what there is to know of characters. */
#ifndef WB_BASE_TEXT_H
#define WB_BASE_TEXT_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Text that grows while it is written: every report, message and printer writes into one of these.
 * Zero-initialised it is empty. After a failed allocation `failed` stays set and further writes do nothing,
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

/* ---- The C locale ----------------------------------------------------------------------------------------
 */

/* What the C library does as the locale says, done as the "C" locale has it: a program that links the library
 * may have set another locale, in which numbers have a decimal comma and more bytes are letters. */

/* A constant of the C library: it takes no memory, cannot fail and need not be freed. */
static inline locale_t c_locale(void) {
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Gives the calling thread the "C" locale until c_locale_leave is given what this returned. Other threads
 * keep theirs. */
static inline locale_t c_locale_enter(void) {
    return uselocale(c_locale());
}

static inline void c_locale_leave(locale_t before) {
    (void)uselocale(before);
}

static inline bool ascii_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool ascii_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static inline char ascii_lower(char c) {
    return ascii_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static inline bool ascii_letter(char c) {
    return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

static inline bool ascii_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool ascii_printable(char c) {
    return c >= ' ' && c <= '~';
}

/* ---- UTF-8 -----------------------------------------------------------------------------------------------
 */

/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */

/* Decodes the code point at the start of `text`: the bytes it takes (1 to 4), or 0 when `length` is 0 or the
 * bytes are not UTF-8. */
size_t utf8_decode(const char *text, size_t length, uint32_t *point);

/* Whether all of the text is UTF-8. */
bool utf8_valid(const char *text, size_t length);

/* ---- Texts of others
 * ---------------------------------------------------------------------------------------
 */

/* Names and texts of files that somebody else wrote are shown on terminals. A control character of theirs
 * could clear the screen, a line break forge a line, and a character that turns the direction of writing (UAX
 * #9) show other code than is there. Readers make names printable, so that all behind them is, in every
 * format. */

/* Whether a code point is neither: no control character, line or paragraph separator, mark of direction, of
 * no width, or tag. */
bool text_is_printable(uint32_t point);

/* Appends text with every other code point, and every byte that is not UTF-8, as an escape: \n, \x1b,
 * \u202e. */
void text_printable(struct text *out, const char *string, size_t length);

/* A copy made so; NULL when memory is exhausted. */
const char *arena_printable(struct arena *arena, const char *string, size_t length);

/* Puts '?' in place of each byte of them, but of tabs and the ends of lines: of texts in which places matter.
 */
void text_blot(char *text, size_t length);

#endif
