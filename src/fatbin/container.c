/* The containers that hold images: a header, then entries, each with a header of its own. Their layout is
 * nowhere documented; these are the fields that nvcc of CUDA 13 and earlier ones fill. */
#include <elf.h>
#include <string.h>

#include "fatbin/fatbin.h"
#include "fatbin/walk.h"

#define MAGIC UINT32_C(0xba55ed50)
#define VERSION 1
#define ALIGNMENT 8

/* The header of a container: 0 magic, 4 version, 6 bytes of the header, 8 bytes behind it. */
#define HEADER_BYTES 16

/* The header of an entry, by offsets. */
enum {
    ENTRY_KIND = 0x00,
    ENTRY_HEADER = 0x04,  /* its bytes */
    ENTRY_PAYLOAD = 0x08, /* bytes behind it */
    ENTRY_PACKED = 0x10,  /* bytes of those that count; 0: it is not compressed */
    ENTRY_ARCHITECTURE = 0x1c,
    ENTRY_NAME = 0x20, /* where, from the entry on; 0: none */
    ENTRY_NAME_LENGTH = 0x24,
    ENTRY_FLAGS = 0x28,
    ENTRY_UNPACKED = 0x38,
    ENTRY_BYTES = 0x40
};

enum { KIND_PTX = 1, KIND_ELF = 2, KIND_LTO = 8 };

#define FLAG_LZ4 UINT64_C(0x2000)
#define FLAG_ZSTD UINT64_C(0x8000)
#define FLAG_OBFUSCATED UINT64_C(0x10000)
#define FLAG_FEATURE_A UINT64_C(0x100000)
#define FLAG_FEATURE_F UINT64_C(0x200000)

bool container_recognise(struct span span) {
    return span.size >= 4 && span_u32(span, 0) == MAGIC;
}

/* ---- Entries ------------------------------------------------------------------------------------------- */

static wb_image_kind kind_of(struct span entry) {
    const uint16_t kind = span_u16(entry, ENTRY_KIND);
    if ((span_u64(entry, ENTRY_FLAGS) & FLAG_OBFUSCATED) != 0) return WB_IMAGE_OTHER;
    return kind == KIND_PTX ? WB_IMAGE_PTX : kind == KIND_ELF ? WB_IMAGE_CODE : WB_IMAGE_OTHER;
}

static enum fatbin_packing packing_of(struct walk *walk, struct span entry) {
    const uint64_t flags = span_u64(entry, ENTRY_FLAGS) & (FLAG_LZ4 | FLAG_ZSTD);
    const bool packed = span_u32(entry, ENTRY_PACKED) != 0;
    if (flags == (FLAG_LZ4 | FLAG_ZSTD) || packed != (flags != 0))
        walk_refuse(walk, "damaged: how an image is compressed contradicts itself");
    return flags == 0 ? PACKED_NOT : flags == FLAG_LZ4 ? PACKED_LZ4 : PACKED_ZSTD;
}

/* How an entry holds its image. What is neither PTX nor machine code stays as it is. */
static struct fatbin_packed packed_in(struct walk *walk, struct span entry, struct span payload) {
    struct fatbin_packed packed = {payload.bytes, payload.size, PACKED_NOT};
    if (kind_of(entry) == WB_IMAGE_OTHER) return packed;
    packed.packing = packing_of(walk, entry);
    if (packed.packing != PACKED_NOT)
        packed.size = span_part(walk, payload, 0, span_u32(entry, ENTRY_PACKED), "a compressed image").size;
    return packed;
}

/* The name of the source, which is only there where the compiler was asked for debug information. */
static const char *name_in(struct walk *walk, struct span entry) {
    const uint32_t at = span_u32(entry, ENTRY_NAME);
    if (at == 0) return NULL;
    const struct span name = span_part(walk, entry, at, span_u32(entry, ENTRY_NAME_LENGTH), "a name");
    const size_t most = name.size < UNIT_NAME_MAX ? name.size : UNIT_NAME_MAX;
    const size_t length = strnlen((const char *)name.bytes, most);
    return length == 0 ? NULL : unit_name(walk, (const char *)name.bytes, length);
}

static const char *image_name(struct walk *walk, const wb_image *image, uint16_t kind) {
    struct text text = {.arena = walk->arena};
    text_printf(&text, "%s_%u",
                image->kind == WB_IMAGE_PTX    ? "compute"
                : image->kind == WB_IMAGE_CODE ? "sm"
                : kind == KIND_LTO             ? "lto"
                                               : "other",
                image->architecture);
    if (image->feature != 0) text_char(&text, image->feature);
    return text_take(&text);
}

static bool is_unlinked(struct span content) {
    return content.size >= sizeof(Elf64_Ehdr) && memcmp(content.bytes, ELFMAG, SELFMAG) == 0 &&
           span_u16(content, offsetof(Elf64_Ehdr, e_type)) == ET_REL;
}

static void add_image(struct walk *walk, struct span entry, struct span payload, bool relocatable) {
    const uint64_t flags = span_u64(entry, ENTRY_FLAGS);
    wb_image image = {.kind = kind_of(entry),
                      .architecture = span_u32(entry, ENTRY_ARCHITECTURE),
                      .feature = (flags & FLAG_FEATURE_A) != 0   ? 'a'
                                 : (flags & FLAG_FEATURE_F) != 0 ? 'f'
                                                                 : '\0'};
    const struct fatbin_packed packed = packed_in(walk, entry, payload);
    image.name = image_name(walk, &image, span_u16(entry, ENTRY_KIND));
    image.relocatable =
        relocatable || (image.kind == WB_IMAGE_CODE && packed.packing == PACKED_NOT && is_unlinked(payload));
    image.bytes = packed.packing == PACKED_NOT ? packed.size : span_u64(entry, ENTRY_UNPACKED);
    walk_add_image(walk, &image, &packed);
}

/* ---- Containers ---------------------------------------------------------------------------------------- */

/* The entries of a container, one behind the other. */
static void walk_entries(struct walk *walk, struct span entries, bool relocatable,
                         struct container *container) {
    while (entries.size > 0) {
        struct span entry = span_part(walk, entries, 0, ENTRY_BYTES, "an entry");
        const uint32_t header = span_u32(entry, ENTRY_HEADER);
        const uint64_t size = span_u64(entry, ENTRY_PAYLOAD);
        if (header < ENTRY_BYTES) walk_refuse(walk, "damaged: an entry's header has %u bytes", header);
        entry = span_part(walk, entries, 0, header, "an entry's header");
        const struct span payload = span_part(walk, entries, header, size, "an image");
        add_image(walk, entry, payload, relocatable);
        if (container->unit == NULL) container->unit = name_in(walk, entry);
        entries.bytes = payload.bytes + payload.size;
        entries.size -= header + payload.size;
    }
}

/* The bytes of the container that the span begins with, its header included. */
static struct span container_at(struct walk *walk, struct span span) {
    const struct span header =
        span_part(walk, span, 0, HEADER_BYTES, "the header of a container of GPU code");
    const uint16_t version = span_u16(header, 4), bytes = span_u16(header, 6);
    if (span_u32(header, 0) != MAGIC) walk_refuse(walk, "damaged: GPU code was expected, and there is none");
    if (version != VERSION || bytes < HEADER_BYTES)
        walk_refuse(walk, "its GPU code is in version %u of its container, of which version %u can be read",
                    version, VERSION);
    const size_t behind = span_part(walk, span, 0, bytes, "the header of a container of GPU code").size;
    const struct span rest = {span.bytes + behind, span.size - behind};
    const struct span body = span_part(walk, rest, 0, span_u64(header, 8), "a container of GPU code");
    return (struct span){span.bytes, behind + body.size};
}

static void walk_container(struct walk *walk, struct span whole, bool relocatable, const char *unit) {
    const uint16_t header = span_u16(whole, 6);
    struct container container = {.unit = walk->member, .first = walk->images.count};
    walk_entries(walk, (struct span){whole.bytes + header, whole.size - header}, relocatable, &container);
    if (container.unit == NULL) container.unit = unit;
    if (walk->images.count > container.first) arena_push(walk->arena, &walk->containers, container);
}

void containers_walk(struct walk *walk, struct span span, bool relocatable, const unit_places *places) {
    const size_t place_count = places == NULL ? 0 : places->count;
    size_t at = 0, place = 0;
    while (at < span.size) {
        const struct span rest = {span.bytes + at, span.size - at};
        if (rest.size < ALIGNMENT || span_u64(rest, 0) == 0) { /* padding */
            at += rest.size < ALIGNMENT ? rest.size : ALIGNMENT;
            continue;
        }
        const struct span whole = container_at(walk, rest);
        while (place < place_count && places->items[place].at < at)
            place++;
        const bool named = place < place_count && places->items[place].at == at;
        walk_container(walk, whole, relocatable, named ? places->items[place].name : NULL);
        at += whole.size;
        if (at % ALIGNMENT != 0) at += ALIGNMENT - at % ALIGNMENT;
    }
}

void container_walk(struct walk *walk, struct span span) {
    containers_walk(walk, span, false, NULL);
}

void containers_scan(struct walk *walk, struct span span) {
    static const uint8_t magic[] = {0x50, 0xed, 0x55, 0xba, VERSION, 0};
    const uint8_t *end = span.bytes + span.size, *at = span.bytes;
    while ((at = memmem(at, (size_t)(end - at), magic, sizeof magic)) != NULL) {
        const struct span rest = {at, (size_t)(end - at)};
        const bool fits = rest.size >= HEADER_BYTES && span_u16(rest, 6) >= HEADER_BYTES &&
                          span_u16(rest, 6) <= rest.size &&
                          span_u64(rest, 8) <= rest.size - span_u16(rest, 6);
        const size_t size = fits ? container_at(walk, rest).size : sizeof magic;
        if (fits) walk_container(walk, (struct span){at, size}, false, NULL);
        at += size;
    }
}
