#include "report/write/uri.h"

#include <string.h>

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
