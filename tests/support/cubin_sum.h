/* A look at all that was read of a cubin: sanitizers see what is not in the file. */
#ifndef WB_TESTS_CUBIN_SUM_H
#define WB_TESTS_CUBIN_SUM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubin/cubin.h"

static inline void cubin_must(bool holds, const char *what) {
    if (holds) return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

static inline uint64_t cubin_sum_of(const uint8_t *bytes, uint64_t size) {
    uint64_t sum = 0;
    for (uint64_t i = 0; bytes != NULL && i < size; i++)
        sum += bytes[i];
    return sum;
}

static inline void cubin_check_lines(const struct cubin *cubin, const struct cubin_line *lines,
                                     uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        cubin_must(lines[i].file == CUBIN_NONE || lines[i].file < cubin->file_count, "a line of no file");
        cubin_must(i == 0 || lines[i - 1].offset < lines[i].offset, "lines are not sorted");
    }
}

static inline uint64_t cubin_sum_kernel(const struct cubin *cubin, const struct cubin_kernel *kernel) {
    uint64_t sum = strlen(kernel->name) + cubin_sum_of(kernel->code, kernel->code_bytes) +
                   cubin_sum_of(kernel->constant2.bytes, kernel->constant2.size);
    cubin_check_lines(cubin, kernel->lines, kernel->line_count);
    cubin_check_lines(cubin, kernel->ptx_lines, kernel->ptx_line_count);
    for (uint32_t i = 0; i < kernel->table_count; i++) {
        cubin_must(kernel->tables[i].at < kernel->code_bytes, "a branch outside of the code");
        for (uint32_t t = 0; t < kernel->tables[i].target_count; t++)
            cubin_must(kernel->tables[i].targets[t] < kernel->code_bytes, "a target outside of the code");
    }
    for (uint32_t i = 0; i < kernel->extern_count; i++)
        sum += strlen(kernel->externs[i]);
    for (uint32_t i = 0; i < kernel->patched_count; i++)
        cubin_must(kernel->patched[i] < kernel->code_bytes, "a patch outside of the code");
    for (uint32_t i = 0; i < kernel->internal_count; i++) {
        sum += strlen(kernel->internals[i].name);
        cubin_must((uint64_t)kernel->internals[i].offset + kernel->internals[i].bytes <= kernel->code_bytes,
                   "a function outside of its kernel");
    }
    return sum;
}

static inline uint64_t cubin_sum(const struct cubin *cubin) {
    uint64_t sum = cubin->sm + cubin_sum_of(cubin->constant3.bytes, cubin->constant3.size) +
                   cubin_sum_of(cubin->constant4.bytes, cubin->constant4.size);
    for (uint32_t k = 0; k < cubin->kernel_count; k++)
        sum += cubin_sum_kernel(cubin, &cubin->kernels[k]);
    for (uint32_t i = 0; i < cubin->symbol_count; i++)
        sum += strlen(cubin->symbols[i].name) + cubin_sum_of(cubin->symbols[i].init, cubin->symbols[i].bytes);
    for (uint32_t i = 0; i < cubin->address_count; i++) {
        const struct cubin_address *address = &cubin->addresses[i];
        sum += strlen(address->name);
        cubin_must(address->symbol == CUBIN_NONE || address->symbol < cubin->symbol_count,
                   "an address of nothing");
        cubin_must(address->bank != CUBIN_NONE || address->variable < cubin->symbol_count,
                   "an address nowhere");
    }
    for (uint32_t i = 0; i < cubin->file_count; i++)
        sum += strlen(cubin->files[i]);
    return sum;
}

#endif
