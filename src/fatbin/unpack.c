/* Compressed images: an LZ4 block, an LZ4 frame, or zstd. */
#include <lz4.h>
#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "fatbin/fatbin.h"
#include "fatbin/walk.h"

#define LZ4_FRAME_MAGIC UINT32_C(0x184d2204)

static wb_status status_of(bool whole) {
    return whole ? WB_OK : WB_ERR_INPUT;
}

static wb_status unpack_block(const struct fatbin_packed *packed, char *out, size_t size) {
    _Static_assert(FATBIN_IMAGE_MAX <= LZ4_MAX_INPUT_SIZE, "sizes of images fit an int");
    if (packed->size > LZ4_MAX_INPUT_SIZE) return WB_ERR_INPUT;
    const int count = LZ4_decompress_safe((const char *)packed->bytes, out, (int)packed->size, (int)size);
    return status_of(count >= 0 && (size_t)count == size);
}

static wb_status unpack_frame(const struct fatbin_packed *packed, char *out, size_t size) {
    LZ4F_dctx *context = NULL;
    size_t taken = packed->size, made = size;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) return WB_ERR_LIMIT;
    const size_t more = LZ4F_decompress(context, out, &made, packed->bytes, &taken, NULL);
    (void)LZ4F_freeDecompressionContext(context);
    return status_of(more == 0 && made == size);
}

static wb_status unpack_zstd(const struct fatbin_packed *packed, char *out, size_t size) {
    const size_t made = ZSTD_decompress(out, size, packed->bytes, packed->size);
    if (ZSTD_getErrorCode(made) == ZSTD_error_memory_allocation) return WB_ERR_LIMIT;
    return status_of(!ZSTD_isError(made) && made == size);
}

static wb_status unpack(const struct fatbin_packed *packed, char *out, size_t size) {
    const struct span span = {packed->bytes, packed->size};
    switch (packed->packing) {
    case PACKED_NOT: memcpy(out, packed->bytes, size); return WB_OK;
    case PACKED_ZSTD: return unpack_zstd(packed, out, size);
    default: break;
    }
    const bool is_frame = span.size >= 4 && span_u32(span, 0) == LZ4_FRAME_MAGIC;
    return is_frame ? unpack_frame(packed, out, size) : unpack_block(packed, out, size);
}

wb_status fatbin_unpack(const char *name, const struct fatbin *fatbin, size_t index,
                        wb_diagnostics *diagnostics, char **bytes, size_t *size) {
    const struct fatbin_packed *packed = &fatbin->packed[index];
    const size_t count = fatbin->images[index].bytes;
    char *out = malloc(count + 1);
    const wb_status status = out == NULL ? WB_ERR_LIMIT : unpack(packed, out, count);
    if (status != WB_OK) free(out);
    if (status == WB_ERR_LIMIT) return diagnose_out_of_memory(diagnostics, name);
    if (status != WB_OK) {
        diagnose(diagnostics, SEVERITY_ERROR, name,
                 "damaged: an image of %zu bytes, compressed with %s, does not unpack to %zu", packed->size,
                 packed->packing == PACKED_ZSTD ? "zstd" : "LZ4", count);
        return status;
    }
    out[count] = '\0';
    *bytes = out;
    *size = count;
    return WB_OK;
}
