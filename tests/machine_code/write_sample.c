/* write_sample FILE [COUNT]: compiles random kernels, for the sample that tests read where ptxas is not
 * installed. write_sample FOLDER FIRST COUNT: writes PTX and cubin files of seeds, for whoever looks into
 * one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine_sample.h"
#include "ptxas.h"
#include "random_compiled.h"

static const uint32_t architectures[] = {75, 80, 86, 87, 89, 90};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

/* All architectures; the default level mostly. */
static bool make(const char *ptxas, uint64_t seed, struct sampled_kernel *made) {
    static const uint32_t levels[] = {3, 1, 3, 0, 3, 3, 2, 1};
    struct random_compiled kernel;
    *made = (struct sampled_kernel){.seed = seed,
                                    .sm = architectures[seed % ARCHITECTURES],
                                    .level = levels[seed / ARCHITECTURES % (sizeof levels / sizeof *levels)]};
    random_compiled_make(seed, made->sm, NULL, &kernel);
    made->threads = kernel.threads;
    made->ptx = kernel.ptx;
    return ptxas_compile(ptxas, made->ptx, made->sm, made->level, &made->cubin, &made->cubin_size);
}

static void write_file(const char *folder, const struct sampled_kernel *kernel, const char *kind,
                       const void *bytes, size_t size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%" PRIu64 ".sm_%u.O%u.t%u.%s", folder, kernel->seed, kernel->sm,
             kernel->level, kernel->threads, kind);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) abort();
}

int main(int count, char **arguments) {
    const char *ptxas = ptxas_find();
    struct machine_sample sample = {0};
    if (count < 2 || ptxas == NULL) {
        fputs("write_sample FILE [COUNT], or write_sample FOLDER FIRST COUNT; needs ptxas\n", stderr);
        return 2;
    }
    const bool files = count > 3;
    const uint64_t first = files ? strtoull(arguments[2], NULL, 10) : 0;
    const uint64_t kernels = count > 2 ? strtoull(arguments[files ? 3 : 2], NULL, 10) : 300;
    for (uint64_t seed = first; seed < first + kernels; seed++) {
        struct sampled_kernel kernel;
        const bool made = make(ptxas, seed, &kernel);
        if (!made) fprintf(stderr, "seed %" PRIu64 " does not compile\n", seed);
        if (files) write_file(arguments[1], &kernel, "ptx", kernel.ptx, strlen(kernel.ptx));
        if (files && made) write_file(arguments[1], &kernel, "cubin", kernel.cubin, kernel.cubin_size);
        if (made && vec_push(&sample.kernels, kernel) != WB_OK) abort();
    }
    const bool written = files || machine_sample_write(arguments[1], &sample);
    machine_sample_free(&sample);
    return written ? 0 : 1;
}
