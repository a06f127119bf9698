#include "cubin/cubin.h"

#include <string.h>

#include "cubin/reader.h"

/* Files of this size are read; the arena takes some bytes for each byte of tables. */
#define FILE_BYTES_MAX ((size_t)1 << 30)

bool cubin_is_elf(const void *bytes, size_t size) {
    return size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

static void read_all(void *context) {
    struct cubin_reader *reader = context;
    elf_file_open(&reader->file);
    reader->cubin->sm = reader->file.sm;
    cubin_read_kernels(reader);
    cubin_read_variables(reader);
    cubin_read_lines(reader);
}

wb_status cubin_read(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                     struct cubin *cubin) {
    *cubin = (struct cubin){0};
    if (size > FILE_BYTES_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "this cubin has %zu bytes; at most %zu are read", size,
                 FILE_BYTES_MAX);
        return WB_ERR_INPUT;
    }
    struct cubin_reader reader = {.file = {.name = name,
                                           .bytes = bytes,
                                           .size = size,
                                           .diagnostics = diagnostics,
                                           .arena = &cubin->arena},
                                  .cubin = cubin};
    const wb_status status = arena_protect(&cubin->arena, read_all, &reader);
    if (status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(diagnostics, name);
    if (status != WB_OK) cubin_free(cubin);
    return status;
}

void cubin_free(struct cubin *cubin) {
    arena_free(&cubin->arena);
    *cubin = (struct cubin){0};
}
