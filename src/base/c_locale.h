/* What the C library does as the locale says, done as the "C" locale has it: a program that links the library
 * may have set another locale, in which numbers have a decimal comma and more bytes are letters. */
#ifndef WB_BASE_C_LOCALE_H
#define WB_BASE_C_LOCALE_H

#include <locale.h>
#include <stdbool.h>

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

#endif
