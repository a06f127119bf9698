/* Traces that xz packed, by liblzma. */
#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"

#define TEXT_FIRST ((size_t)1 << 16)

#ifdef WB_HAVE_LZMA
#    include <lzma.h>

/* What a decoder may take: xz -9 needs 65 MiB. */
#    define DECODER_BYTES_MAX ((uint64_t)256 << 20)

static wb_status grow(char **out, size_t *room, size_t most, const char *name, wb_diagnostics *diagnostics) {
    if (*room >= most) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "unpacked it is larger than %zu bytes", most);
        return WB_ERR_LIMIT;
    }
    const size_t twice = *room > 0 ? *room * 2 : TEXT_FIRST, wanted = twice < most ? twice : most;
    char *larger = realloc(*out, wanted);
    if (larger == NULL) return diagnose_out_of_memory(diagnostics, name);
    *out = larger;
    *room = wanted;
    return WB_OK;
}

/* Takes all of the stream's input to *out, of `*room` bytes. */
static wb_status decode(lzma_stream *stream, char **out, size_t *room, size_t most, const char *name,
                        wb_diagnostics *diagnostics) {
    for (lzma_ret result = LZMA_OK; result != LZMA_STREAM_END;) {
        if (result == LZMA_MEM_ERROR) return diagnose_out_of_memory(diagnostics, name);
        if (result != LZMA_OK) {
            diagnose(diagnostics, SEVERITY_ERROR, name, "damaged: xz does not unpack it");
            return WB_ERR_INPUT;
        }
        if (stream->total_out == *room) WB_TRY(grow(out, room, most, name, diagnostics));
        stream->next_out = (uint8_t *)*out + stream->total_out;
        stream->avail_out = *room - stream->total_out;
        result = lzma_code(stream, LZMA_FINISH);
    }
    return WB_OK;
}

static wb_status unpack(const char *name, char **text, size_t *size, size_t most,
                        wb_diagnostics *diagnostics) {
    lzma_stream stream = LZMA_STREAM_INIT;
    char *out = NULL;
    size_t room = 0;
    if (lzma_stream_decoder(&stream, DECODER_BYTES_MAX, LZMA_CONCATENATED) != LZMA_OK)
        return diagnose_out_of_memory(diagnostics, name);
    stream.next_in = (const uint8_t *)*text;
    stream.avail_in = *size;
    const wb_status status = decode(&stream, &out, &room, most, name, diagnostics);
    const size_t made = (size_t)stream.total_out;
    lzma_end(&stream);
    char *exact = status == WB_OK ? realloc(out, made + 1) : NULL;
    if (exact == NULL) free(out);
    if (status == WB_OK && exact == NULL) return diagnose_out_of_memory(diagnostics, name);
    if (status != WB_OK) return status;
    free(*text);
    *text = exact;
    *size = made;
    return WB_OK;
}
#else
static wb_status unpack(const char *name, char **text, size_t *size, size_t most,
                        wb_diagnostics *diagnostics) {
    (void)text, (void)size, (void)most;
    diagnose(diagnostics, SEVERITY_ERROR, name,
             "this trace is compressed, and this warpbound was built without liblzma: unpack it with xz -dk");
    return WB_ERR_INPUT;
}
#endif

wb_status launch_trace_unpack(const char *name, char **text, size_t *size, size_t most,
                              wb_diagnostics *diagnostics) {
    static const char xz[] = "\xfd"
                             "7zXZ";
    if (*size >= sizeof xz - 1 && memcmp(*text, xz, sizeof xz - 1) == 0)
        return unpack(name, text, size, most, diagnostics);
    return WB_OK;
}
