#include "base/source.h"

#include <string.h>

struct source_place source_place_at(const struct source *source, size_t offset) {
    if (offset > source->size) offset = source->size;
    struct source_place place = {1, 1};
    const char *line = source->text;
    const char *end = source->text + offset;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        if (newline == NULL) break;
        place.line++;
        line = newline + 1;
    }
    place.column = (uint32_t)(end - line) + 1;
    return place;
}

size_t source_start(const struct source *source) {
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    return source->size >= sizeof mark && memcmp(source->text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}
