/* The instructions of a kernel of a cubin: an ELF file of 64 bits, whose section .text.KERNEL has 16 bytes
 * for each. Decoded is what tells how control goes on and what the compiler says of waiting. */
#include "cubin.h"

#include <errno.h>
#include <string.h>

#define EM_CUDA 190
#define NEW_ABI 0x41 /* of CUDA 13: the architecture is the second byte of the flags */
#define VOLTA 70
#define FILE_MAX ((uint64_t)1 << 27)

/* Attributes of a kernel: a byte that says how long it is, and what it is. */
enum { BY_SIZE = 4, PARAMETER_BANK = 0x0a, PARAMETER = 0x17, LARGE_PARAMETER = 0x45 };

/* A number of the file, the least byte first. */
static uint64_t get(const struct cubin *cubin, uint64_t at, uint64_t bytes) {
    uint64_t value = 0;
    if (at > cubin->size || cubin->size - at < bytes) refuse(cubin->check, "the cubin ends too early");
    for (uint64_t i = bytes; i-- > 0;)
        value = value << 8 | cubin->bytes[at + i];
    return value;
}

void read_bytes(struct cubin *cubin, const char *path) {
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

/* The section of that kind of the kernel, or false. */
static bool find_section(const struct cubin *cubin, const char *kind, const char *kernel, uint64_t *at,
                         uint64_t *size) {
    const uint64_t length = strlen(kind);
    const uint64_t headers = get(cubin, 0x28, 8), each = get(cubin, 0x3a, 2), count = get(cubin, 0x3c, 2);
    const uint64_t names = get(cubin, add(headers, mul(each, get(cubin, 0x3e, 2)) + 0x18), 8);
    for (uint64_t h = 0; h < count; h++) {
        const uint64_t header = add(headers, mul(each, h)), name = add(names, get(cubin, header, 4));
        if (!stands_at(cubin, name, kind, length)) continue;
        if (!stands_at(cubin, name + length, kernel, strlen(kernel) + 1)) continue;
        *at = get(cubin, header + 0x18, 8);
        *size = get(cubin, header + 0x20, 8);
        if (*size > cubin->size) refuse(cubin->check, "the cubin ends too early");
        return true;
    }
    return false;
}

bool read_cubin(struct cubin *cubin, const char *kernel) {
    if (cubin->size < 64 || memcmp(cubin->bytes, "\177ELF\2\1", 6) != 0 || get(cubin, 0x12, 2) != EM_CUDA)
        return false;
    cubin->sm = get(cubin, get(cubin, 7, 1) == NEW_ABI ? 0x31 : 0x30, 1);
    if (cubin->sm < VOLTA || cubin->sm > HOPPER) return false;
    if (!find_section(cubin, ".text.", kernel, &cubin->text, &cubin->text_size))
        refuse(cubin->check, "the cubin has no kernel %s", kernel);
    return true;
}

uint64_t read_parameters(const struct cubin *cubin, const char *kernel, struct parameter *parameters) {
    uint64_t at, size, base = cubin->sm < HOPPER ? 0x160 : 0x210, count = 0;
    if (!find_section(cubin, ".nv.info.", kernel, &at, &size)) return 0;
    for (uint64_t k = 0; k < PARAMETERS_MAX; k++)
        parameters[k].size = 0;
    for (const uint64_t end = add(at, size); at < end;) {
        const uint64_t form = get(cubin, at, 1), kind = get(cubin, at + 1, 1), bytes = get(cubin, at + 2, 2);
        if (form == BY_SIZE && kind == PARAMETER_BANK && bytes >= 8) base = get(cubin, at + 8, 2);
        if (form == BY_SIZE && (kind == PARAMETER || kind == LARGE_PARAMETER) && bytes >= 12) {
            const uint64_t number = get(cubin, at + 8, 2), said = get(cubin, at + 12, 4);
            if (number >= PARAMETERS_MAX) return 0;
            parameters[number] =
                (struct parameter){get(cubin, at + 10, 2), kind == PARAMETER ? said >> 18 : said & 0xffffff};
            count = max(count, number + 1);
        }
        at = add(at, 4 + (form == BY_SIZE ? bytes : 0));
    }
    for (uint64_t k = 0; k < count; k++)
        parameters[k].at = add(parameters[k].at, base);
    return count;
}

uint64_t bits_at(const struct word *word, int first, int count) {
    return (first < 64 ? word->low >> first : word->high >> (first - 64)) & (((uint64_t)1 << count) - 1);
}

struct word word_at(const struct cubin *cubin, uint64_t address) {
    if (address % INST_BYTES != 0 || address >= cubin->text_size)
        refuse(cubin->check, "the cubin has no instruction at %" PRIu64, address);
    const uint64_t at = add(cubin->text, address);
    return (struct word){get(cubin, at, 8), get(cubin, at + 8, 8)};
}

struct machine_inst inst_at(const struct cubin *cubin, uint64_t address) {
    const struct word word = word_at(cubin, address);
    /* A distance from the next instruction, in fours: 48 bits from bit 34 on, of Hopper 8 more below them. */
    uint64_t far = word.low >> 34 | bits_at(&word, 64, 18) << 30;
    far = (far ^ (uint64_t)1 << 47) - ((uint64_t)1 << 47);
    if (cubin->sm >= HOPPER) far = far << 8 | bits_at(&word, 16, 8);
    struct machine_inst inst = {.op = bits_at(&word, 0, 9),
                                .predicate = bits_at(&word, 12, 4),
                                .target = address + INST_BYTES + far * 4,
                                .stall = bits_at(&word, 105, 4),
                                .yields = bits_at(&word, 109, 1) == 0,
                                .writes = bits_at(&word, 110, 3),
                                .reads = bits_at(&word, 113, 3),
                                .waits = bits_at(&word, 116, 6),
                                .depbar = NO_COUNTER};
    /* .DIV and .CONV go on, too. */
    if (inst.op == OP_BRA &&
        (bits_at(&word, 87, 4) != PT || bits_at(&word, 9, 3) != 4 || bits_at(&word, 32, 2) > 1))
        inst.predicate = 0;
    if (inst.op == OP_DEPBAR) {
        inst.waits |= bits_at(&word, 32, 6);
        inst.left = bits_at(&word, 38, 6);
        inst.depbar = bits_at(&word, 44, 3);
    }
    return inst;
}
