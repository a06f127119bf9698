/* Images of modules as programs hand them to the driver: a pointer, which no size goes with. */
#ifndef WB_WINGS_RECORD_IMAGES_H
#define WB_WINGS_RECORD_IMAGES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define IMAGE_WRAPPER 0x466243b1u   /* what nvcc puts around a container in host code */
#define IMAGE_CONTAINER 0xba55ed50u /* a "fat binary" */

/* Bytes of an ELF file with 64 bits: to the end of its headers, and of what they speak of. */
static inline size_t image_elf_size(const unsigned char *image) {
    uint64_t programs, sections, place[2];
    uint16_t counts[4]; /* size and number of program headers, of sections */
    uint32_t type;
    memcpy(&programs, image + 32, sizeof programs);
    memcpy(&sections, image + 40, sizeof sections);
    memcpy(counts, image + 54, sizeof counts);
    uint64_t end = programs + (uint64_t)counts[0] * counts[1];
    const uint64_t sections_end = sections + (uint64_t)counts[2] * counts[3];
    if (sections_end > end) end = sections_end;
    for (unsigned i = 0; i < counts[3]; i++) {
        const unsigned char *section = image + sections + (size_t)i * counts[2];
        memcpy(&type, section + 4, sizeof type);
        memcpy(place, section + 24, sizeof place); /* offset, size */
        const uint32_t without_bytes = 8;          /* SHT_NOBITS */
        if (type != without_bytes && place[0] + place[1] > end) end = place[0] + place[1];
    }
    return end;
}

/* The size of an image, which *image leads to when it was a wrapper. */
static inline size_t image_find(const void **image) {
    uint32_t magic;
    memcpy(&magic, *image, sizeof magic);
    if (magic == IMAGE_WRAPPER) {
        memcpy(image, (const char *)*image + 8, sizeof *image);
        memcpy(&magic, *image, sizeof magic);
    }
    if (magic == IMAGE_CONTAINER) {
        uint16_t header;
        uint64_t bytes;
        memcpy(&header, (const char *)*image + 6, sizeof header);
        memcpy(&bytes, (const char *)*image + 8, sizeof bytes);
        return header + bytes;
    }
    return memcmp(*image, "\177ELF", 4) == 0 ? image_elf_size(*image) : strlen(*image);
}

#endif
