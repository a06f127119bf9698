#include "machine_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gzip.h"

/* What stands before the texts of each kernel: numbers of 8 bytes, as this machine has them. */
enum { SEED, SM, LEVEL, THREADS, PTX_SIZE, CUBIN_SIZE, NUMBERS };

/* Most bytes of a text. */
#define TEXT_MAX (1u << 20)

static wb_status read_text(struct gzip_reader *reader, uint64_t size, void *text) {
    char *bytes = size < TEXT_MAX ? calloc(1, (size_t)size + 1) : NULL;
    memcpy(text, &bytes, sizeof bytes);
    return bytes == NULL ? WB_ERR_LIMIT : gzip_read(reader, bytes, (size_t)size);
}

static wb_status read_kernel(struct gzip_reader *reader, struct machine_sample *sample) {
    uint64_t numbers[NUMBERS];
    struct sampled_kernel kernel = {0};
    wb_status status = gzip_read(reader, numbers, sizeof numbers);
    if (status != WB_OK) return status;
    kernel.seed = numbers[SEED];
    kernel.sm = (uint32_t)numbers[SM];
    kernel.level = (uint32_t)numbers[LEVEL];
    kernel.threads = (uint32_t)numbers[THREADS];
    kernel.cubin_size = (size_t)numbers[CUBIN_SIZE];
    status = read_text(reader, numbers[PTX_SIZE], &kernel.ptx);
    if (status == WB_OK) status = read_text(reader, numbers[CUBIN_SIZE], &kernel.cubin);
    if (status == WB_OK) status = vec_push(&sample->kernels, kernel);
    if (status == WB_OK) return WB_OK;
    free(kernel.ptx);
    free(kernel.cubin);
    return status;
}

bool machine_sample_read(const char *path, struct machine_sample *sample) {
    *sample = (struct machine_sample){0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct gzip_reader reader;
    char *bytes = NULL;
    size_t size = 0;
    uint64_t count = 0;
    wb_status status = file_read(path, (size_t)1 << 30, diagnostics, &bytes, &size);
    if (status == WB_OK && (status = gzip_reader_open(path, bytes, size, diagnostics, &reader)) == WB_OK) {
        status = gzip_read(&reader, &count, sizeof count);
        for (uint64_t i = 0; status == WB_OK && i < count; i++)
            status = read_kernel(&reader, sample);
        if (status == WB_OK) status = gzip_read_end(&reader);
        gzip_reader_close(&reader);
    }
    if (status != WB_OK) fprintf(stderr, "%s: %s\n", path, wb_diagnostics_text(diagnostics));
    free(bytes);
    wb_diagnostics_free(diagnostics);
    return status == WB_OK;
}

bool machine_sample_write(const char *path, const struct machine_sample *sample) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct gzip_writer writer;
    const uint64_t count = sample->kernels.count;
    wb_status status = gzip_writer_open(path, diagnostics, &writer);
    if (status == WB_OK) {
        gzip_write(&writer, &count, sizeof count);
        for (size_t i = 0; i < sample->kernels.count; i++) {
            const struct sampled_kernel *kernel = &sample->kernels.items[i];
            const uint64_t numbers[NUMBERS] = {kernel->seed,    kernel->sm,          kernel->level,
                                               kernel->threads, strlen(kernel->ptx), kernel->cubin_size};
            gzip_write(&writer, numbers, sizeof numbers);
            gzip_write(&writer, kernel->ptx, strlen(kernel->ptx));
            gzip_write(&writer, kernel->cubin, kernel->cubin_size);
        }
        status = gzip_writer_close(&writer, true, diagnostics);
    }
    if (status != WB_OK) fprintf(stderr, "%s\n", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return status == WB_OK;
}

void machine_sample_free(struct machine_sample *sample) {
    for (size_t i = 0; i < sample->kernels.count; i++) {
        free(sample->kernels.items[i].ptx);
        free(sample->kernels.items[i].cubin);
    }
    vec_free(&sample->kernels);
}
