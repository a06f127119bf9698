/* A file whose images are looked for: what the parts of the reader hand to each other. */
#ifndef WB_FATBIN_WALK_H
#define WB_FATBIN_WALK_H

#include "base/base.h"

/* Bytes of the file. */
struct span {
    const uint8_t *bytes;
    size_t size;
};

/* A container with images: a translation unit of the host, or what was linked. */
struct container {
    const char *unit; /* its name, or NULL */
    size_t first;     /* of its images */
};

/* Longer names of units are cut. */
#define UNIT_NAME_MAX 256

struct fatbin_packed;

struct walk {
    const char *name;   /* of the file, in messages */
    const char *member; /* of the archive, or NULL */
    unsigned depth;     /* of archives in archives */
    wb_diagnostics *diagnostics;
    struct arena *arena; /* protected */
    VEC(wb_image) images;
    VEC(struct fatbin_packed) packed; /* of each */
    VEC(struct container) containers; /* those that have images */
    uint64_t left;                    /* bytes that images may still claim to unpack to */
    uint64_t walked, file_size; /* sections that share bytes must not make more work than the file has */
};

/* Where a container begins in its section, and the unit that it is of. */
struct unit_place {
    uint64_t at;
    const char *name;
};

/* Sorted by places. */
typedef VEC(struct unit_place) unit_places;

/* Adds an image that is so in the file. */
void walk_add_image(struct walk *walk, const wb_image *image, const struct fatbin_packed *packed);

/* The file is not as it should be: one message; ends the pass. */
_Noreturn void walk_refuse(struct walk *walk, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The name of a unit, from that of a file: of "tmpxft_00003b3e_00000000-6_k.cudafe1.cpp", which nvcc made of
 * k.cu, it is "k". */
const char *unit_name(struct walk *walk, const char *file, size_t length);

bool container_recognise(struct span span);

/* A file that begins with a container. */
void container_walk(struct walk *walk, struct span span);

/* Containers one behind the other; `places` may be NULL. */
void containers_walk(struct walk *walk, struct span span, bool relocatable, const unit_places *places);

/* The same of a file without a table of sections: containers anywhere in it. */
void containers_scan(struct walk *walk, struct span span);

/* The containers of an ELF file of the host; machine code of a GPU is an image. */
bool host_recognise(struct span span);
void host_walk(struct walk *walk, struct span span);

/* Whether a member of an archive, or the file, may hold images, and what it holds. */
bool walk_recognise(struct span span);
void walk_file(struct walk *walk, struct span span);

/* The members of an archive. */
bool archive_recognise(struct span span);
void archive_walk(struct walk *walk, struct span span);

/* Little-endian numbers at an offset that is within the span. */
uint16_t span_u16(struct span span, size_t at);
uint32_t span_u32(struct span span, size_t at);
uint64_t span_u64(struct span span, size_t at);

/* `size` bytes at `at`, called `what` in the message when the span does not have them. */
struct span span_part(struct walk *walk, struct span span, uint64_t at, uint64_t size, const char *what);

#endif
