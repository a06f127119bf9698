/* Speed of decoding machine code: the words of kernels, over and over. */
#include <stdio.h>
#include <stdlib.h>

#include "base/files.h"
#include "bench_support.h"
#include "cubin/cubin.h"
#include "sass/sass.h"

#define DECODED_MIN 20000000u
#define FILE_BYTES_MAX ((size_t)1 << 24)

static const char *const files[] = {
    "kernels/cubin/sgemm_tiled.sm_86.cubin", "kernels/cubin/bfs_level.sm_90.cubin",
    "kernels/cubin/voronoi.sm_75.cubin", "kernels/cubin/mandelbrot.sm_80.cubin"};

/* Decodes a file's kernels until `total` instructions are done; returns how many were. */
static uint64_t decode_file(const struct cubin *cubin, uint64_t total, uint64_t *sum) {
    uint64_t decoded = 0;
    while (decoded < total)
        for (uint32_t k = 0; k < cubin->kernel_count; k++) {
            const struct cubin_kernel *kernel = &cubin->kernels[k];
            for (uint32_t at = 0; at + SASS_BYTES <= kernel->code_bytes; at += SASS_BYTES, decoded++) {
                struct sass_inst inst;
                const char *reason;
                if (!sass_decode(cubin->sm, kernel->code + at, at, &inst, &reason)) exit(1);
                *sum += inst.op + inst.control.stall;
            }
        }
    return decoded;
}

int main(void) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    uint64_t decoded = 0, sum = 0;
    double used = 0;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char *bytes = NULL;
        size_t size = 0;
        struct cubin cubin;
        require(file_read(files[f], FILE_BYTES_MAX, diagnostics, &bytes, &size), diagnostics);
        require(cubin_read(files[f], bytes, size, diagnostics, &cubin), diagnostics);
        const double start = seconds();
        decoded += decode_file(&cubin, DECODED_MIN / 4, &sum);
        used += seconds() - start;
        cubin_free(&cubin);
        free(bytes);
    }
    wb_diagnostics_free(diagnostics);
    const double rate = (double)decoded / used;
    printf("decode        %.1f million instructions/s (%.0f ns each, checksum %llu)\n", rate / 1e6,
           1e9 / rate, (unsigned long long)sum);
    return 0;
}
