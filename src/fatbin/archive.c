/* Archives of ar: members one behind the other, each with a header of text. */
#include <string.h>

#include "fatbin/walk.h"

/* Archives in archives. */
#define DEPTH_MAX 4

#define MAGIC_BYTES 8
static const char magic[] = "!<arch>\n", thin_magic[] = "!<thin>\n";

/* The header of a member: 0 its name in 16 bytes, 48 its size in 10, 58 two bytes that are always the same.
 */
enum {
    HEADER_NAME = 0,
    NAME_BYTES = 16,
    HEADER_SIZE = 48,
    SIZE_BYTES = 10,
    HEADER_END = 58,
    HEADER_BYTES = 60
};

bool archive_recognise(struct span span) {
    return span.size >= MAGIC_BYTES &&
           (memcmp(span.bytes, magic, MAGIC_BYTES) == 0 || memcmp(span.bytes, thin_magic, MAGIC_BYTES) == 0);
}

/* A number in decimal digits with spaces behind it. */
static uint64_t number_in(struct walk *walk, struct span field, const char *what) {
    uint64_t number = 0;
    size_t digits = 0;
    _Static_assert(NAME_BYTES < 20, "a number in a header fits 64 bits");
    for (; digits < field.size && ascii_digit((char)field.bytes[digits]); digits++)
        number = number * 10 + (uint64_t)(field.bytes[digits] - '0');
    for (size_t i = digits; i < field.size; i++)
        if (digits == 0 || field.bytes[i] != ' ') digits = 0;
    if (digits == 0) walk_refuse(walk, "damaged: %s in a member's header is no number", what);
    return number;
}

/* The name of a member: in its header, or, where that is "/NUMBER", in the table of long names. */
static const char *member_name(struct walk *walk, struct span header, struct span long_names) {
    struct span name = {header.bytes + HEADER_NAME, NAME_BYTES};
    if (name.bytes[0] == '/') {
        const struct span digits = {name.bytes + 1, NAME_BYTES - 1};
        const uint64_t at = number_in(walk, digits, "the place of a name");
        if (at >= long_names.size) walk_refuse(walk, "damaged: the name of a member is not there");
        name = (struct span){long_names.bytes + at, long_names.size - at};
    }
    if (name.size > UNIT_NAME_MAX) name.size = UNIT_NAME_MAX;
    const uint8_t *end = memchr(name.bytes, '\n', name.size);
    if (end != NULL) name.size = (size_t)(end - name.bytes);
    while (name.size > 0 && (name.bytes[name.size - 1] == ' ' || name.bytes[name.size - 1] == '/'))
        name.size--;
    return unit_name(walk, (const char *)name.bytes, name.size);
}

static bool is_special(struct span header, const char *name) {
    const size_t length = strlen(name);
    return memcmp(header.bytes, name, length) == 0 && header.bytes[length] == ' ';
}

static void walk_member(struct walk *walk, const char *name, struct span content) {
    const char *outer = walk->member;
    struct text text = {.arena = walk->arena};
    text_printf(&text, outer != NULL ? "%s(%s)" : "%s%s", outer != NULL ? outer : "", name);
    walk->member = text_take(&text);
    if (++walk->depth > DEPTH_MAX) walk_refuse(walk, "archives are nested too deep");
    walk_file(walk, content);
    walk->depth--;
    walk->member = outer;
}

void archive_walk(struct walk *walk, struct span span) {
    struct span long_names = {0};
    if (memcmp(span.bytes, thin_magic, MAGIC_BYTES) == 0)
        walk_refuse(walk, "a thin archive holds the names of its members alone: give a member, or make an "
                          "ordinary archive of them with ar rcs");
    size_t at = MAGIC_BYTES;
    while (at < span.size) {
        const struct span header = span_part(walk, span, at, HEADER_BYTES, "a member's header");
        if (memcmp(header.bytes + HEADER_END, "`\n", 2) != 0)
            walk_refuse(walk, "damaged: no member begins at byte %zu", at);
        const struct span size = {header.bytes + HEADER_SIZE, SIZE_BYTES};
        const struct span content =
            span_part(walk, span, at + HEADER_BYTES, number_in(walk, size, "the size"), "a member");
        at += HEADER_BYTES + content.size;
        at += content.size % 2;
        if (is_special(header, "//"))
            long_names = content;
        else if (walk_recognise(content) && !is_special(header, "/") && !is_special(header, "/SYM64/"))
            walk_member(walk, member_name(walk, header, long_names), content);
    }
}
