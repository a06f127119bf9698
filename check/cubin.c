/* The instructions of a kernel of a cubin: an ELF file of 64 bits, whose section .text.KERNEL has 16 bytes
 * for each. Decoded is what tells how control goes on and what the compiler says of waiting. */
#include "code.h"

#include <errno.h>
#include <string.h>

#define EM_CUDA 190
#define NEW_ABI 0x41 /* of CUDA 13: the architecture is the second byte of the flags */
#define VOLTA 70
#define HOPPER 90
#define FILE_MAX ((uint64_t)1 << 27)

/* A number of the file, the least byte first. */
static uint64_t get(const struct cubin *cubin, uint64_t at, uint64_t bytes) {
    uint64_t value = 0;
    if (at > cubin->size || cubin->size - at < bytes) refuse(cubin->check, "the cubin ends too early");
    for (uint64_t i = bytes; i-- > 0;)
        value = value << 8 | cubin->bytes[at + i];
    return value;
}

static void read_bytes(struct cubin *cubin, const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL) refuse(cubin->check, "%s: %s", path, strerror(errno));
    cubin->bytes = zeroed(cubin->check, FILE_MAX, 1);
    cubin->size = fread(cubin->bytes, 1, FILE_MAX, file);
    if (ferror(file) || cubin->size == FILE_MAX) refuse(cubin->check, "%s: cannot be read whole", path);
    fclose(file);
}

static bool stands_at(const struct cubin *cubin, uint64_t at, const char *text, uint64_t length) {
    return at <= cubin->size && cubin->size - at >= length && memcmp(cubin->bytes + at, text, length) == 0;
}

static void find_text(struct cubin *cubin, const char *kernel) {
    const uint64_t headers = get(cubin, 0x28, 8), each = get(cubin, 0x3a, 2), count = get(cubin, 0x3c, 2);
    const uint64_t names = get(cubin, add(headers, mul(each, get(cubin, 0x3e, 2)) + 0x18), 8);
    for (uint64_t h = 0; h < count; h++) {
        const uint64_t header = add(headers, mul(each, h)), name = add(names, get(cubin, header, 4));
        if (!stands_at(cubin, name, ".text.", 6)) continue;
        if (!stands_at(cubin, name + 6, kernel, strlen(kernel) + 1)) continue;
        cubin->text = get(cubin, header + 0x18, 8);
        cubin->text_size = get(cubin, header + 0x20, 8);
        if (cubin->text_size > cubin->size) refuse(cubin->check, "the cubin ends too early");
        return;
    }
    refuse(cubin->check, "the cubin has no kernel %s", kernel);
}

bool read_cubin(const struct check *check, const char *path, const char *kernel, struct cubin *cubin) {
    *cubin = (struct cubin){.check = check};
    read_bytes(cubin, path);
    if (cubin->size < 64 || memcmp(cubin->bytes, "\177ELF\2\1", 6) != 0 || get(cubin, 0x12, 2) != EM_CUDA)
        return false;
    cubin->sm = get(cubin, get(cubin, 7, 1) == NEW_ABI ? 0x31 : 0x30, 1);
    if (cubin->sm < VOLTA || cubin->sm > HOPPER) return false;
    find_text(cubin, kernel);
    return true;
}

static uint64_t bits(uint64_t word, int first, int count) {
    return word >> first & (((uint64_t)1 << count) - 1);
}

struct machine_inst inst_at(const struct cubin *cubin, uint64_t address) {
    if (address % INST_BYTES != 0 || address >= cubin->text_size)
        refuse(cubin->check, "the cubin has no instruction at %" PRIu64, address);
    const uint64_t low = get(cubin, add(cubin->text, address), 8);
    const uint64_t high = get(cubin, add(cubin->text, address) + 8, 8);
    /* A distance from the next instruction, in fours: 48 bits from bit 34 on, of Hopper 8 more below them. */
    uint64_t far = low >> 34 | bits(high, 0, 18) << 30;
    far = (far ^ (uint64_t)1 << 47) - ((uint64_t)1 << 47);
    if (cubin->sm >= HOPPER) far = far << 8 | bits(low, 16, 8);
    struct machine_inst inst = {.op = bits(low, 0, 9),
                                .predicate = bits(low, 12, 4),
                                .target = address + INST_BYTES + far * 4,
                                .stall = bits(high, 41, 4),
                                .yields = bits(high, 45, 1) == 0,
                                .writes = bits(high, 46, 3),
                                .reads = bits(high, 49, 3),
                                .waits = bits(high, 52, 6),
                                .depbar = NO_COUNTER};
    if (inst.op == OP_BRA && (bits(high, 23, 4) != PT || bits(low, 9, 3) != 4)) inst.predicate = 0;
    if (inst.op == OP_DEPBAR) {
        inst.waits |= bits(low, 32, 6);
        inst.left = bits(low, 38, 6);
        inst.depbar = bits(low, 44, 3);
    }
    return inst;
}
