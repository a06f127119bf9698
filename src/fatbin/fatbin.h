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

struct fatbin {
    struct arena arena; /* owns names and what was compressed; other bytes are the file's */
    wb_image *images;   /* those of a unit together */
    size_t image_count;
};

/* Finds and unpacks the images of a file of `size` bytes, which must outlive them. A file that is damaged, or
 * unpacks to too much, is WB_ERR_INPUT with one message; `name` stands for the file. */
wb_status fatbin_read(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                      struct fatbin *fatbin);
void fatbin_free(struct fatbin *fatbin);

#endif
