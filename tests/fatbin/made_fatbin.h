/* A container of two images made by hand, of which tests change one thing. */
#ifndef WB_TESTS_MADE_FATBIN_H
#define WB_TESTS_MADE_FATBIN_H

#include <lz4.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MADE_HEADER = 16, MADE_ENTRY = 64, MADE_ROOM = 4096 };

struct made_fatbin {
    uint8_t bytes[MADE_ROOM];
    size_t size;
    size_t entries[2]; /* where they are */
};

static inline void made_put(struct made_fatbin *made, size_t at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        made->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

/* An entry with `content`, packed to `size` bytes of `unpacked` by the flags' codec. */
static inline void made_entry(struct made_fatbin *made, uint16_t kind, uint64_t flags, const void *content,
                              size_t size, uint64_t unpacked) {
    const size_t at = made->size, padded = (size + 7) / 8 * 8;
    memset(made->bytes + at, 0, MADE_ENTRY + padded);
    made_put(made, at, kind, 2);
    made_put(made, at + 0x02, 0x101, 2);
    made_put(made, at + 0x04, MADE_ENTRY, 4);
    made_put(made, at + 0x08, padded, 8);
    made_put(made, at + 0x10, unpacked != 0 ? size : 0, 4);
    made_put(made, at + 0x1c, 86, 4);
    made_put(made, at + 0x28, flags, 8);
    made_put(made, at + 0x38, unpacked, 8);
    memcpy(made->bytes + at + MADE_ENTRY, content, size);
    made->size += MADE_ENTRY + padded;
}

static inline void made_start(struct made_fatbin *made) {
    memset(made, 0, sizeof *made);
    made_put(made, 0, 0xba55ed50, 4);
    made_put(made, 4, 1, 2);
    made_put(made, 6, MADE_HEADER, 2);
    made->size = MADE_HEADER;
}

static inline void made_end(struct made_fatbin *made) {
    made_put(made, 8, made->size - MADE_HEADER, 8);
}

#define MADE_TEXT "// the same text, and the same text, and the same text"

/* PTX as it is, and in an LZ4 block. */
static inline void made_usual(struct made_fatbin *made) {
    char block[200];
    const int size = LZ4_compress_default(MADE_TEXT, block, sizeof MADE_TEXT, sizeof block);
    made_start(made);
    made->entries[0] = made->size;
    made_entry(made, 1, 0x1, "// text", 7, 0);
    made->entries[1] = made->size;
    made_entry(made, 1, 0x2001, block, (size_t)size, sizeof MADE_TEXT);
    made_end(made);
}

#endif
