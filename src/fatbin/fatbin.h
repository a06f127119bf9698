/* The device code in files of the host: archives, ELF files, and the containers that nvcc puts into both. */
#ifndef WB_FATBIN_FATBIN_H
#define WB_FATBIN_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

/* Most images of a file, and most bytes of one. */
#define FATBIN_IMAGES_MAX ((size_t)1 << 16)
#define FATBIN_IMAGE_MAX ((size_t)256 << 20)

enum fatbin_packing { PACKED_NOT, PACKED_LZ4, PACKED_ZSTD };

/* An image as it is in the file. */
struct fatbin_packed {
    const uint8_t *bytes; /* `size` of them */
    size_t size;
    enum fatbin_packing packing;
};

struct fatbin {
    struct arena arena;           /* owns all but the bytes of images */
    wb_image *images;             /* those of a unit together */
    struct fatbin_packed *packed; /* of each */
    size_t image_count;
};

/* Finds the images of a file of `size` bytes, which must outlive them. A file that is damaged, or claims to
 * unpack to too much, is WB_ERR_INPUT with one message; `name` stands for the file. */
wb_status fatbin_read(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                      struct fatbin *fatbin);
void fatbin_free(struct fatbin *fatbin);

/* The bytes of an image, malloc'd, with a zero byte behind them. What does not unpack to as many bytes as it
 * claims is WB_ERR_INPUT with a message. */
wb_status fatbin_unpack(const char *name, const struct fatbin *fatbin, size_t index,
                        wb_diagnostics *diagnostics, char **bytes, size_t *size);

#endif
