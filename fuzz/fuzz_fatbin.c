/* Any bytes as a file with code of a GPU: images all of whose bytes are there, each once readable or refused,
 * or one error. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "fatbin/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what, const wb_diagnostics *diagnostics) {
    if (holds) return;
    (void)fprintf(stderr, "%s: %s\n", what, wb_diagnostics_text(diagnostics));
    abort();
}

static void unpack_image(const struct fatbin *fatbin, size_t index, wb_diagnostics *diagnostics) {
    const size_t before = wb_diagnostics_errors(diagnostics);
    char *bytes = NULL;
    size_t size = 0;
    const wb_status status = fatbin_unpack("fuzz.o", fatbin, index, diagnostics, &bytes, &size);
    must(wb_diagnostics_errors(diagnostics) - before == (status != WB_OK), "bytes", diagnostics);
    if (status != WB_OK) return;
    must(size == fatbin->images[index].bytes, "a size", diagnostics);
    (void)hash_bytes(bytes, size + 1);
    free(bytes);
}

static void read_images(const uint8_t *data, size_t size, wb_diagnostics *diagnostics) {
    struct fatbin fatbin;
    const wb_status status = fatbin_read("fuzz.o", data, size, diagnostics, &fatbin);
    must(wb_diagnostics_errors(diagnostics) == (status != WB_OK), "images", diagnostics);
    for (size_t i = 0; status == WB_OK && i < fatbin.image_count; i++) {
        const wb_image *image = &fatbin.images[i];
        must(utf8_valid(image->unit, strlen(image->unit)) && image->name != NULL, "a name", diagnostics);
        unpack_image(&fatbin, i, diagnostics);
    }
    if (status == WB_OK) fatbin_free(&fatbin);
}

/* As a module, of whatever is taken. */
static void read_module(const uint8_t *data, size_t size, wb_diagnostics *diagnostics) {
    wb_module *module = NULL;
    const size_t before = wb_diagnostics_errors(diagnostics);
    const wb_status status = wb_module_parse("fuzz.o", (const char *)data, size, diagnostics, &module);
    must((wb_diagnostics_errors(diagnostics) > before) == (status != WB_OK), "module", diagnostics);
    for (size_t i = 0; status == WB_OK && i < wb_module_kernel_count(module); i++)
        must(wb_kernel_name(wb_module_kernel(module, i)) != NULL, "a kernel", diagnostics);
    wb_module_free(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    read_images(data, size, diagnostics);
    read_module(data, size, diagnostics);
    wb_diagnostics_free(diagnostics);
    return 0;
}
