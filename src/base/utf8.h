/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef WB_BASE_UTF8_H
#define WB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the code point at the start of `text`: the bytes it takes (1 to 4), or 0 when `length` is 0 or the
 * bytes are not UTF-8. */
size_t utf8_decode(const char *text, size_t length, uint32_t *point);

/* Whether all of the text is UTF-8. */
bool utf8_valid(const char *text, size_t length);

#endif
