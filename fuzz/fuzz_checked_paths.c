/* Any bytes as a cubin that a certificate is of, with any path through it: the checker of certificates
 * refuses that or follows it. The first byte says how long the path is, and so many bytes the instructions of
 * it. */
#undef exit
#undef calloc
#undef realloc
#undef free

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check/cubin.h"

#define HELD_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the checker holds when it ends, in place of its process. */
static void *held[HELD_MAX];
static jmp_buf ended;

_Noreturn void checker_exit(int status);
void *checker_calloc(size_t count, size_t size);
void *checker_realloc(void *old, size_t size);
void checker_free(void *memory);

_Noreturn void checker_exit(int status) {
    longjmp(ended, status + 1);
}

static void **place_of(const void *memory) {
    for (size_t i = 0; i < HELD_MAX; i++)
        if (held[i] == memory) return &held[i];
    abort();
}

void *checker_calloc(size_t count, size_t size) {
    return *place_of(NULL) = calloc(count, size);
}

void *checker_realloc(void *old, size_t size) {
    void **place = place_of(old);
    return *place = realloc(old, size);
}

void checker_free(void *memory) {
    if (memory == NULL) return;
    *place_of(memory) = NULL;
    free(memory);
}

/* A block of two warps that execute the path. */
static void make_block(struct check *check, const struct cubin *cubin, const uint8_t *path, uint8_t length) {
    PUSH(check, &check->blocks, (struct block){.check = check, .machine = &check->machine, .paths = 1});
    struct block *block = &check->blocks.items[0];
    for (uint8_t i = 0; i < length; i++) {
        const uint64_t address = (uint64_t)path[i] * INST_BYTES;
        const struct machine_inst inst = inst_at(cubin, address);
        PUSH(check, &block->code,
             (struct code){.address = address,
                           .stall = inst.stall,
                           .barrier = inst.op == OP_BAR,
                           .writes = inst.op == OP_BAR  ? NO_COUNTER
                                     : inst.writes == 7 ? 8
                                                        : inst.writes,
                           .reads = inst.op == OP_BAR ? NO_COUNTER
                                    : inst.reads == 7 ? 8
                                                      : inst.reads,
                           .waits = inst.waits,
                           .depbar = inst.depbar,
                           .left = inst.left});
    }
    PUSH(check, &block->sections, (struct section){.alone = 0});
    PUSH(check, &block->sections.items[0].steps, (struct step){0, length, 0, 1});
    PUSH(check, &block->cells, 0);
    PUSH(check, &block->rows, (struct step){0, 1, 0, 1});
    PUSH(check, &block->warps, (struct warps){0, 0, 2});
    block->warp_count = 2;
    for (int i = 0; i < 5; i++)
        PUSH(check, &block->executed, 0);
}

static void follow(struct check *check, const uint8_t *data, size_t size) {
    static const char *const subject[] = {
        "kernel k",    "grid 2 1 1",           "threads 64 1 1 32", "block 0 0 0",   "inputs given",
        "launch none", "argument buf:i32[64]", "argument i32:37",   "argument u32:5"};
    struct cubin cubin = {.check = check, .size = size - 1 - data[0]};
    for (size_t i = 0; i < sizeof subject / sizeof *subject; i++) {
        char text[64] = "";
        strncpy(text, subject[i], sizeof text - 1);
        read_of(check, text);
    }
    cubin.bytes = checker_calloc(cubin.size + 1, 1);
    memcpy(cubin.bytes, data + 1 + data[0], cubin.size);
    if (read_cubin(&cubin, "k")) make_block(check, &cubin, data + 1, data[0]);
    follow_cubin(check, &cubin);
    if (check->followed.decided > check->followed.branches) abort();
}

/* Its messages go nowhere. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct check check;
    if (size == 0 || size < 1 + (size_t)data[0]) return 0;
    check = (struct check){.name = "fuzz", .machine = {.is_code = true}};
    FILE *const out = stdout, *const err = stderr;
    if ((stdout = stderr = fopen("/dev/null", "w")) == NULL) abort();
    if (setjmp(ended) == 0) follow(&check, data, size);
    fclose(stdout);
    stdout = out, stderr = err;
    for (uint64_t f = 0; f < check.facts.count; f++)
        free(check.facts.items[f].text);
    for (size_t i = 0; i < HELD_MAX; i++)
        checker_free(held[i]);
    return 0;
}
