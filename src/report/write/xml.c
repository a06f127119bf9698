#include "report/write/xml.h"

#include <string.h>

/* Whether XML has the character: of the control characters only blanks, and no half of a pair. */
static bool is_allowed(uint32_t point) {
    if (point < 0x20) return point == '\t' || point == '\n' || point == '\r';
    return text_is_printable(point);
}

/* The escape of a reserved character; in an attribute also of a blank that a reader would take for a space;
 * or NULL. */
static const char *escape_of(char c, bool in_attribute) {
    static const struct {
        char c;
        const char *escape;
    } escapes[] = {{'&', "&amp;"},  {'<', "&lt;"},  {'>', "&gt;"},   {'"', "&quot;"},
                   {'\'', "&#39;"}, {'\t', "&#9;"}, {'\n', "&#10;"}, {'\r', "&#13;"}};
    for (size_t i = 0; i < (in_attribute ? 8u : 5u); i++)
        if (escapes[i].c == c) return escapes[i].escape;
    return NULL;
}

static void put_escaped(struct text *out, const char *string, size_t length, bool in_attribute) {
    while (length > 0) {
        uint32_t point;
        const size_t size = utf8_decode(string, length, &point), taken = size == 0 ? 1 : size;
        const char *escaped = size == 1 ? escape_of(*string, in_attribute) : NULL;
        if (size == 0 || !is_allowed(point)) escaped = "\xef\xbf\xbd";
        if (escaped != NULL)
            text_string(out, escaped);
        else
            text_append(out, string, size);
        string += taken;
        length -= taken;
    }
}

void xml_text_part(struct text *out, const char *string, size_t length) {
    put_escaped(out, string, length, false);
}

void xml_text(struct text *out, const char *string) {
    if (string != NULL) xml_text_part(out, string, strlen(string));
}

void xml_attribute(struct text *out, const char *name, const char *value) {
    text_printf(out, " %s=\"", name);
    if (value != NULL) put_escaped(out, value, strlen(value), true);
    text_char(out, '"');
}

/* ---- URIs -------------------------------------------------------------------------------------------- */

/* Whether a path may have the character as it is. A colon in the first part of a relative one would end a
 * scheme: it is always escaped. */
static bool is_plain(char c) {
    return ascii_letter(c) || ascii_digit(c) || strchr("-._~/!$&'()*+,;=@", c) != NULL;
}

void uri_of_path(struct text *out, const char *path) {
    if (path[0] == '/') text_string(out, "file://");
    for (; *path != '\0'; path++) {
        if (is_plain(*path))
            text_char(out, *path);
        else
            text_printf(out, "%%%02X", (unsigned)(unsigned char)*path);
    }
}
