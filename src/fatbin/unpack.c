/* Compressed images: an LZ4 block, an LZ4 frame, or zstd. */
#include <lz4.h>
#include <lz4frame.h>
#include <string.h>
#include <zstd.h>

#include "fatbin/fatbin.h"
#include "fatbin/walk.h"

#define LZ4_FRAME_MAGIC UINT32_C(0x184d2204)

static bool unpack_block(struct span packed, uint8_t *out, size_t size) {
    _Static_assert(FATBIN_IMAGE_MAX <= LZ4_MAX_INPUT_SIZE, "sizes of images fit an int");
    if (packed.size > LZ4_MAX_INPUT_SIZE) return false;
    const int count =
        LZ4_decompress_safe((const char *)packed.bytes, (char *)out, (int)packed.size, (int)size);
    return count >= 0 && (size_t)count == size;
}

static bool unpack_frame(struct span packed, uint8_t *out, size_t size) {
    LZ4F_dctx *context = NULL;
    size_t taken = packed.size, made = size;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) return false;
    const size_t more = LZ4F_decompress(context, out, &made, packed.bytes, &taken, NULL);
    (void)LZ4F_freeDecompressionContext(context);
    return more == 0 && made == size;
}

static bool unpack_zstd(struct span packed, uint8_t *out, size_t size) {
    const size_t made = ZSTD_decompress(out, size, packed.bytes, packed.size);
    return !ZSTD_isError(made) && made == size;
}

struct span unpack(struct walk *walk, struct span packed, enum packing packing, uint64_t size) {
    if (size > FATBIN_IMAGE_MAX || size > walk->left)
        walk_refuse(walk, "an image of %zu bytes claims to unpack to %llu, which is too much", packed.size,
                    (unsigned long long)size);
    walk->left -= size;
    uint8_t *out = arena_alloc(walk->arena, size);
    const bool is_frame = packed.size >= 4 && span_u32(packed, 0) == LZ4_FRAME_MAGIC;
    const bool whole = packing == PACKED_ZSTD ? unpack_zstd(packed, out, size)
                       : is_frame             ? unpack_frame(packed, out, size)
                                              : unpack_block(packed, out, size);
    if (!whole)
        walk_refuse(walk, "damaged: an image of %zu bytes, compressed with %s, does not unpack to %llu",
                    packed.size, packing == PACKED_ZSTD ? "zstd" : "LZ4", (unsigned long long)size);
    return (struct span){out, size};
}
