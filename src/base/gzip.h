/* Compressed files (RFC 1952), written and read piece by piece. */
#ifndef WB_BASE_GZIP_H
#define WB_BASE_GZIP_H

#include <zlib.h>

#include "base/files.h"

/* Whether the bytes start like a gzip file. */
bool gzip_recognise(const char *bytes, size_t size);

/* Reads a file that is in memory. It is not trusted: it must be one member, complete, with nothing behind. */
struct gzip_reader {
    z_stream stream;
    const char *name; /* of the file, for messages */
    wb_diagnostics *diagnostics;
    bool ended; /* the last byte has been read, its checksum is right */
};

/* WB_ERR_LIMIT when memory is exhausted. */
wb_status gzip_reader_open(const char *name, const char *bytes, size_t size, wb_diagnostics *diagnostics,
                           struct gzip_reader *reader);

/* Reads exactly `size` bytes. WB_ERR_INPUT when there are fewer or they are damaged. */
wb_status gzip_read(struct gzip_reader *reader, void *bytes, size_t size);

/* WB_ERR_INPUT unless all has been read. */
wb_status gzip_read_end(struct gzip_reader *reader);
void gzip_reader_close(struct gzip_reader *reader);

/* Writes a file that appears only when complete (base/files.h). */
struct gzip_writer {
    struct file_output output;
    gzFile stream;
    int error; /* 0, or the errno value of what went wrong first: further writes do nothing */
};

/* WB_ERR_INPUT when the file cannot be made. */
wb_status gzip_writer_open(const char *path, wb_diagnostics *diagnostics, struct gzip_writer *writer);

/* An error shows when the writer is closed. */
void gzip_write(struct gzip_writer *writer, const void *bytes, size_t size);

/* Completes the file, or takes it away unless `keep`. WB_ERR_INPUT when it could not be written. */
wb_status gzip_writer_close(struct gzip_writer *writer, bool keep, wb_diagnostics *diagnostics);

#endif
