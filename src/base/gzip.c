#include "base/gzip.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* zlib: the largest window, a gzip header and trailer. */
#define GZIP_WINDOW_BITS (15 + 16)

/* zlib counts in unsigned int. */
#define PIECE_MAX ((size_t)UINT_MAX)

bool gzip_recognise(const char *bytes, size_t size) {
    return size >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

static wb_status read_error(const struct gzip_reader *reader, const char *what) {
    diagnose(reader->diagnostics, SEVERITY_ERROR, reader->name, "%s", what);
    return WB_ERR_INPUT;
}

wb_status gzip_reader_open(const char *name, const char *bytes, size_t size, wb_diagnostics *diagnostics,
                           struct gzip_reader *reader) {
    _Static_assert(SOURCE_SIZE_MAX <= PIECE_MAX, "a file that was read can be given to zlib at once");
    *reader = (struct gzip_reader){.name = name, .diagnostics = diagnostics};
    /* zlib does not write through next_in, but has no const here. */
    union {
        const char *constant;
        Bytef *variable;
    } input = {.constant = bytes};
    reader->stream.next_in = input.variable;
    reader->stream.avail_in = (uInt)size;
    if (inflateInit2(&reader->stream, GZIP_WINDOW_BITS) == Z_OK) return WB_OK;
    return diagnose_out_of_memory(diagnostics, name);
}

/* Reads what is there, at most `size` bytes. */
static wb_status read_some(struct gzip_reader *reader, void *bytes, size_t size, size_t *got) {
    z_stream *stream = &reader->stream;
    stream->next_out = bytes;
    stream->avail_out = (uInt)size;
    while (stream->avail_out > 0 && !reader->ended) {
        int result = inflate(stream, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR) return diagnose_out_of_memory(reader->diagnostics, reader->name);
        if (result == Z_BUF_ERROR) return read_error(reader, "the file ends too early");
        if (result != Z_OK && result != Z_STREAM_END) return read_error(reader, "damaged: not a gzip file");
        reader->ended = result == Z_STREAM_END;
    }
    *got = size - stream->avail_out;
    return WB_OK;
}

wb_status gzip_read(struct gzip_reader *reader, void *bytes, size_t size) {
    for (char *at = bytes; size > 0;) {
        size_t got = 0;
        WB_TRY(read_some(reader, at, size < PIECE_MAX ? size : PIECE_MAX, &got));
        if (got == 0) return read_error(reader, "the contents end too early");
        at += got;
        size -= got;
    }
    return WB_OK;
}

wb_status gzip_read_end(struct gzip_reader *reader) {
    char byte;
    size_t got = 0;
    WB_TRY(read_some(reader, &byte, 1, &got));
    if (got == 0 && reader->stream.avail_in == 0) return WB_OK;
    return read_error(reader, "data follow its end");
}

void gzip_reader_close(struct gzip_reader *reader) {
    (void)inflateEnd(&reader->stream);
}

wb_status gzip_writer_open(const char *path, wb_diagnostics *diagnostics, struct gzip_writer *writer) {
    *writer = (struct gzip_writer){0};
    int error = file_output_open(path, &writer->output);
    if (error != 0) return file_write_failed(diagnostics, path, error);
    int copy = dup(writer->output.fd); /* gzclose closes what it writes to */
    if (copy >= 0) writer->stream = gzdopen(copy, "wb");
    if (writer->stream != NULL) return WB_OK;
    error = copy < 0 ? errno : ENOMEM;
    if (copy >= 0) (void)close(copy);
    return file_write_failed(diagnostics, path, file_output_close(&writer->output, error));
}

static int last_error(void) {
    return errno != 0 ? errno : EIO;
}

void gzip_write(struct gzip_writer *writer, const void *bytes, size_t size) {
    if (writer->error != 0 || size == 0) return;
    errno = 0;
    if (gzfwrite(bytes, size, 1, writer->stream) != 1) writer->error = last_error();
}

wb_status gzip_writer_close(struct gzip_writer *writer, bool keep, wb_diagnostics *diagnostics) {
    const char *path = writer->output.path;
    errno = 0;
    if (gzclose(writer->stream) != Z_OK && writer->error == 0) writer->error = last_error();
    int error = file_output_close(&writer->output, keep ? writer->error : ECANCELED);
    return error == 0 || !keep ? WB_OK : file_write_failed(diagnostics, path, error);
}
