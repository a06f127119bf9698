#include "fatbin/fatbin.h"

#include <endian.h>
#include <string.h>

#include "base/containers.h"
#include "fatbin/walk.h"

/* The images of a file may claim so many times its size, and so much in any file: code of compilers is packed
 * to a third, seldom to a fiftieth. */
#define UNPACKED_PER_BYTE ((uint64_t)64)
#define UNPACKED_BASE ((uint64_t)64 << 20)

/* Memory for names and lists. */
#define MEMORY_PER_BYTE ((size_t)32)
#define MEMORY_BASE ((size_t)64 << 20)

_Noreturn void walk_refuse(struct walk *walk, const char *format, ...) {
    struct text message = {.arena = walk->arena};
    va_list arguments;
    if (walk->member != NULL) text_printf(&message, "member '%s': ", walk->member);
    va_start(arguments, format);
    text_vprintf(&message, format, arguments);
    va_end(arguments);
    diagnose(walk->diagnostics, SEVERITY_ERROR, walk->name, "%s", message.data);
    arena_fail(walk->arena, WB_ERR_INPUT);
}

uint16_t span_u16(struct span span, size_t at) {
    uint16_t value;
    assert(at <= span.size && sizeof value <= span.size - at);
    memcpy(&value, span.bytes + at, sizeof value);
    return le16toh(value);
}

uint32_t span_u32(struct span span, size_t at) {
    uint32_t value;
    assert(at <= span.size && sizeof value <= span.size - at);
    memcpy(&value, span.bytes + at, sizeof value);
    return le32toh(value);
}

uint64_t span_u64(struct span span, size_t at) {
    uint64_t value;
    assert(at <= span.size && sizeof value <= span.size - at);
    memcpy(&value, span.bytes + at, sizeof value);
    return le64toh(value);
}

struct span span_part(struct walk *walk, struct span span, uint64_t at, uint64_t size, const char *what) {
    if (at > span.size || size > span.size - at)
        walk_refuse(walk,
                    "cut short or damaged: %s of %llu bytes at byte %llu ends after the %zu bytes there are",
                    what, (unsigned long long)size, (unsigned long long)at, span.size);
    return (struct span){span.bytes + at, size};
}

/* What may hold images. */
static const struct {
    bool (*recognise)(struct span span);
    void (*walk)(struct walk *walk, struct span span);
} formats[] = {
    {archive_recognise, archive_walk}, {container_recognise, container_walk}, {host_recognise, host_walk}};

bool walk_recognise(struct span span) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].recognise(span)) return true;
    return false;
}

void walk_file(struct walk *walk, struct span span) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].recognise(span)) {
            formats[i].walk(walk, span);
            return;
        }
}

void walk_add_image(struct walk *walk, const wb_image *image, const struct fatbin_packed *packed) {
    if (image->bytes > FATBIN_IMAGE_MAX || image->bytes > walk->left)
        walk_refuse(walk, "an image of %zu bytes claims to unpack to %llu, which is too much", packed->size,
                    (unsigned long long)image->bytes);
    if (walk->images.count == FATBIN_IMAGES_MAX)
        walk_refuse(walk, "there are more than %zu images in this file", FATBIN_IMAGES_MAX);
    walk->left -= image->bytes;
    arena_push(walk->arena, &walk->images, *image);
    arena_push(walk->arena, &walk->packed, *packed);
}

/* ---- Names of units ------------------------------------------------------------------------------------ */

/* What stands behind the name of a source in files that nvcc makes of it. */
static const char *const endings[] = {".cudafe1.cpp", ".compute_"};

const char *unit_name(struct walk *walk, const char *file, size_t length) {
    static const char start[] = "tmpxft_";
    const char *dash = memchr(file, '-', length);
    const char *name = dash == NULL ? NULL : memchr(dash, '_', length - (size_t)(dash - file));
    const bool is_of_nvcc = length >= sizeof start - 1 && memcmp(file, start, sizeof start - 1) == 0;
    if (name != NULL && is_of_nvcc) {
        length -= (size_t)(name + 1 - file);
        file = name + 1;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *end = memmem(file, length, endings[i], strlen(endings[i]));
        if (end != NULL && end != file) length = (size_t)(end - file);
    }
    while (length > 0 && file[length - 1] == ' ')
        length--;
    return arena_printable(walk->arena, file, length);
}

static const char *numbered(struct walk *walk, const char *name, size_t number) {
    struct text text = {.arena = walk->arena};
    text_printf(&text, "%s#%zu", name, number);
    return text_take(&text);
}

/* Gives each unit a name that no other one has; the only one needs none. */
static wb_status name_units(struct walk *walk, struct intern *names) {
    const size_t count = walk->containers.count;
    for (size_t c = 0; c < count; c++) {
        const struct container *container = &walk->containers.items[c];
        const size_t end = c + 1 < count ? walk->containers.items[c + 1].first : walk->images.count;
        const char *name = container->unit;
        uint32_t number;
        if (name == NULL) name = count == 1 ? "" : numbered(walk, "", c + 1);
        const bool taken = intern_find(names, name, strlen(name)) != INTERN_NONE;
        if (taken) name = numbered(walk, name, c + 1);
        WB_TRY(intern_add(names, name, strlen(name), &number));
        for (size_t i = container->first; i < end; i++)
            walk->images.items[i].unit = name;
    }
    return WB_OK;
}

/* ---- The file ------------------------------------------------------------------------------------------ */

struct reading {
    struct walk walk;
    struct span file;
    struct intern names;
};

static void read_all(void *context) {
    struct reading *reading = context;
    walk_file(&reading->walk, reading->file);
    if (name_units(&reading->walk, &reading->names) != WB_OK) arena_fail(reading->walk.arena, WB_ERR_LIMIT);
}

wb_status fatbin_read(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                      struct fatbin *fatbin) {
    *fatbin = (struct fatbin){0};
    fatbin->arena.limit = MEMORY_BASE + size * MEMORY_PER_BYTE;
    struct reading reading = {.walk = {.name = name,
                                       .diagnostics = diagnostics,
                                       .arena = &fatbin->arena,
                                       .left = UNPACKED_BASE + size * UNPACKED_PER_BYTE,
                                       .file_size = size},
                              .file = {bytes, size}};
    const wb_status status = arena_protect(&fatbin->arena, read_all, &reading);
    intern_free(&reading.names);
    if (status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(diagnostics, name);
    if (status != WB_OK) {
        fatbin_free(fatbin);
        return status;
    }
    fatbin->images = reading.walk.images.items;
    fatbin->packed = reading.walk.packed.items;
    fatbin->image_count = reading.walk.images.count;
    return WB_OK;
}

void fatbin_free(struct fatbin *fatbin) {
    arena_free(&fatbin->arena);
    *fatbin = (struct fatbin){0};
}
