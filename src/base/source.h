/* A text that was read and the places in it that messages point to. */
#ifndef WB_BASE_SOURCE_H
#define WB_BASE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

/* Texts larger than this are refused, so that an offset fits 32 bits. */
#define SOURCE_SIZE_MAX ((size_t)2 << 30)

struct source {
    const char *name; /* file name as the user gave it */
    const char *text; /* not NUL-terminated in general */
    size_t size;      /* bytes */
};

/* Line and column of a place, both counted from 1; the column counts bytes. */
struct source_place {
    uint32_t line;
    uint32_t column;
};

/* Where byte `offset` of the source stands; an offset past the end stands behind the last byte. */
struct source_place source_place_at(const struct source *source, size_t offset);

/* The offset of the first byte of the text: behind the byte order mark of UTF-8 that some editors write. */
size_t source_start(const struct source *source);

#endif
