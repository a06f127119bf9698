/* Machine instructions by hand, in a kernel around them: eight numbers of each thread come in R4 to R11, P0
 * and P1 are whether the last two of them are not 0, and R12, R13, P2 and P3 are what is looked at
 * afterwards. */
#ifndef WB_TESTS_MACHINE_WORDS_H
#define WB_TESTS_MACHINE_WORDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cubin/cubin.h"
#include "grid_execute.h"
#include "launch_text.h"
#include "warpbound.h"

#define WORDS_INPUTS 8u  /* of a thread */
#define WORDS_RESULTS 4u /* R12, R13, P2, P3 */
#define WORDS_MAX 8u     /* instructions that are tried */
#define WORDS_R12 UINT32_C(0x11111111)
#define WORDS_R13 UINT32_C(0x22222222)

struct machine_word {
    uint64_t half[2];
};

/* The word with `value` in `width` bits from `low` on. */
static inline struct machine_word word_with(struct machine_word word, uint32_t low, uint32_t width,
                                            uint64_t value) {
    for (uint32_t i = 0; i < width; i++) {
        const uint64_t bit = UINT64_C(1) << ((low + i) % 64);
        word.half[(low + i) / 64] &= ~bit;
        if ((value >> i & 1) != 0) word.half[(low + i) / 64] |= bit;
    }
    return word;
}

/* An instruction of all lanes: 12 bits of opcode, registers D and A, what stands in bits 32 to 63, and bits
 * 64 to 95. */
static inline struct machine_word word_of(uint32_t opcode, uint32_t d, uint32_t a, uint32_t b,
                                          uint32_t upper) {
    return (struct machine_word){
        {opcode | UINT64_C(7) << 12 | (uint64_t)d << 16 | (uint64_t)a << 24 | (uint64_t)b << 32,
         UINT64_C(0x000fe40000000000) | upper}};
}

/* Constants of the launch stand elsewhere from sm_90 on. */
struct words_place {
    const char *path; /* a cubin of vecadd */
    uint32_t policy, param;
};

static inline struct machine_word word_move(uint32_t d, uint32_t value) {
    return word_of(0x802, d, 0, value, 0xf00);
}

static inline struct machine_word word_not_zero(uint32_t predicate, uint32_t reg) {
    return word_of(0x20c, 0, reg, 255, 0x03f05270 | predicate << 17);
}

/* The result of a predicate: RZ if not, else 1. */
static inline struct machine_word word_select(uint32_t d, uint32_t predicate) {
    return word_of(0x807, d, 255, 1, 0x04000000 | predicate << 23);
}

/* Puts the kernel around `count` words. */
static inline void words_put(uint8_t *code, uint32_t room, const struct words_place *place,
                             const struct machine_word *words, uint32_t count) {
    struct machine_word all[32];
    uint32_t n = 0;
    all[n++] = word_of(0x919, 0, 0, 0, 0x2100); /* R0: the thread */
    all[n++] = word_of(0xab9, 4, 0, place->policy << 6, 0xa00);
    all[n++] = word_move(1, 4 * WORDS_INPUTS);
    all[n++] = word_of(0x625, 2, 0, place->param << 6, 0x078e0201);
    all[n++] = word_of(0x981, 4, 2, 4, 0x0c1e1d00);
    all[n++] = word_of(0x981, 8, 2, 4 | 16 << 8, 0x0c1e1d00);
    all[n++] = word_move(1, 4 * WORDS_RESULTS);
    all[n++] = word_of(0x625, 2, 0, (place->param + 16) << 6, 0x078e0201);
    all[n++] = word_not_zero(0, 10);
    all[n++] = word_not_zero(1, 11);
    all[n++] = word_not_zero(2, 255);
    all[n++] = word_not_zero(3, 255);
    all[n++] = word_move(12, WORDS_R12);
    all[n++] = word_move(13, WORDS_R13);
    for (uint32_t i = 0; i < count; i++)
        all[n++] = words[i];
    all[n++] = word_select(14, 2);
    all[n++] = word_select(15, 3);
    all[n++] = word_of(0x986, 0, 2, 12, 0x0c101d04);
    all[n++] = word_of(0x94d, 0, 0, 0, 0x03800000);
    while (n < room)
        all[n++] = word_of(0x918, 0, 0, 0, 0);
    memcpy(code, all, n * sizeof *all);
}

/* The bytes of a file. */
static inline uint8_t *words_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    uint8_t *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* Makes a module of the words; NULL after messages. */
static inline wb_module *words_module(const struct words_place *place, const struct machine_word *words,
                                      uint32_t count, wb_diagnostics *diagnostics) {
    size_t size = 0;
    struct cubin cubin;
    wb_module *module = NULL;
    uint8_t *bytes = words_file(place->path, &size);
    if (bytes != NULL && cubin_read(place->path, bytes, size, diagnostics, &cubin) == WB_OK) {
        const struct cubin_kernel *kernel = &cubin.kernels[0];
        words_put(bytes + (kernel->code - bytes), kernel->code_bytes / 16, place, words, count);
        cubin_free(&cubin);
        (void)wb_module_parse("words.cubin", (const char *)bytes, size, diagnostics, &module);
    }
    free(bytes);
    return module;
}

/* Executes the words by `threads` threads on the file of their inputs (a launch's "@FILE"). */
static inline wb_status words_run(const wb_module *module, const char *file, uint32_t threads,
                                  wb_diagnostics *diagnostics, uint32_t **results, uint8_t **known) {
    char in[160], out[64], block[16];
    size_t size = 0;
    wb_launch *launch = wb_launch_new();
    (void)snprintf(in, sizeof in, "buf:u32[%u]=@%s", threads * WORDS_INPUTS, file);
    (void)snprintf(out, sizeof out, "buf:u32[%u]=zero", threads * WORDS_RESULTS);
    (void)snprintf(block, sizeof block, "%u", threads);
    const char *const arguments[] = {in, in, out, "i32:0"};
    wb_status status = launch_grid_text(launch, "1", diagnostics);
    if (status == WB_OK) status = launch_block_text(launch, block, diagnostics);
    for (size_t i = 0; i < 4 && status == WB_OK; i++)
        status = wb_launch_add_argument(launch, arguments[i], diagnostics);
    if (status == WB_OK)
        status = grid_execute(wb_module_kernel(module, 0), launch, 2, diagnostics, (uint8_t **)results, known,
                              &size);
    wb_launch_free(launch);
    return status;
}

#endif
