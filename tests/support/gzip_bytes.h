/* Bytes as a gzip file, for tests and fuzz targets of readers that take one. */
#ifndef WB_TESTS_GZIP_BYTES_H
#define WB_TESTS_GZIP_BYTES_H

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The file is malloc'd and *packed_size bytes long. */
static inline char *gzip_bytes(const char *bytes, size_t size, size_t *packed_size) {
    z_stream stream = {0};
    if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
    size_t room = deflateBound(&stream, size);
    char *packed = malloc(room);
    char *copy = malloc(size + 1); /* zlib wants what it reads not to be const */
    if (packed == NULL || copy == NULL) abort();
    memcpy(copy, bytes, size);
    stream.next_in = (Bytef *)copy;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)packed;
    stream.avail_out = (uInt)room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) abort();
    *packed_size = stream.total_out;
    (void)deflateEnd(&stream);
    free(copy);
    return packed;
}

#endif
