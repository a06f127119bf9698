/* Any bytes as a compressed file, read in pieces: data, or an error with a message. */
#include <stdint.h>
#include <stdlib.h>

#include "base/gzip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes that are read of a file: a bomb may have any number. */
#define READ_MAX (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct gzip_reader reader;
    uint8_t piece[4096];
    wb_status status = gzip_reader_open("fuzz.gz", (const char *)data, size, diagnostics, &reader);
    if (status != WB_OK) abort();
    for (size_t read = 0, next = 1; status == WB_OK && read < READ_MAX;
         read += next, next = next * 2 % 4095 + 1)
        status = gzip_read(&reader, piece, next);
    if (status == WB_OK) status = gzip_read_end(&reader);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    gzip_reader_close(&reader);
    wb_diagnostics_free(diagnostics);
    return 0;
}
