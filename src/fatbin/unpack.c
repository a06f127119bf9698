/* Compressed images: an LZ4 block, an LZ4 frame, or zstd. */
#include <lz4.h>
#include <lz4frame.h>
#include <stdlib.h>
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

static bool unpack(const struct fatbin_packed *packed, uint8_t *out, size_t size) {
    const struct span span = {packed->bytes, packed->size};
    switch (packed->packing) {
    case PACKED_NOT: memcpy(out, packed->bytes, size); return true;
    case PACKED_ZSTD: return unpack_zstd(span, out, size);
    default: break;
    }
    const bool is_frame = span.size >= 4 && span_u32(span, 0) == LZ4_FRAME_MAGIC;
    return is_frame ? unpack_frame(span, out, size) : unpack_block(span, out, size);
}

wb_status fatbin_unpack(const char *name, const struct fatbin *fatbin, size_t index,
                        wb_diagnostics *diagnostics, char **bytes, size_t *size) {
    const struct fatbin_packed *packed = &fatbin->packed[index];
    const size_t count = fatbin->images[index].bytes;
    char *out = malloc(count + 1);
    if (out == NULL) return diagnose_out_of_memory(diagnostics, name);
    if (!unpack(packed, (uint8_t *)out, count)) {
        free(out);
        diagnose(diagnostics, SEVERITY_ERROR, name,
                 "damaged: an image of %zu bytes, compressed with %s, does not unpack to %zu", packed->size,
                 packed->packing == PACKED_ZSTD ? "zstd" : "LZ4", count);
        return WB_ERR_INPUT;
    }
    out[count] = '\0';
    *bytes = out;
    *size = count;
    return WB_OK;
}
