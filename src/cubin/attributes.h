/* The sections .nv.info of a cubin: what ptxas says of kernels and functions besides their code. */
#ifndef WB_CUBIN_ATTRIBUTES_H
#define WB_CUBIN_ATTRIBUTES_H

#include "cubin/elf_file.h"

enum attribute_kind {
    ATTRIBUTE_MAX_THREADS = 0x05,
    ATTRIBUTE_PARAM_BANK = 0x0a,
    ATTRIBUTE_EXTERNS = 0x0f,
    ATTRIBUTE_REQUIRED_THREADS = 0x10,
    ATTRIBUTE_FRAME_SIZE = 0x11,
    ATTRIBUTE_MIN_STACK_SIZE = 0x12,
    ATTRIBUTE_PARAM = 0x17,
    ATTRIBUTE_MAX_REGISTERS = 0x1b,
    ATTRIBUTE_MAX_STACK_SIZE = 0x23,
    ATTRIBUTE_REGISTERS = 0x2f,
    ATTRIBUTE_BRANCH_TARGETS = 0x34,
    ATTRIBUTE_LARGE_PARAM = 0x45,
    ATTRIBUTE_BARRIERS = 0x4c
};

struct attribute {
    uint8_t kind;         /* enum attribute_kind, or another that means nothing here */
    uint32_t value;       /* of those that have no bytes of their own */
    const uint8_t *bytes; /* `size` of them */
    uint32_t size;
};

/* The attributes in a section one after another: `at` starts at 0. False: there are no more. */
bool attribute_next(struct elf_file *file, const struct elf_section *section, uint64_t *at,
                    struct attribute *attribute);

/* Number `index` of the attribute's bytes taken as 4-byte numbers, which must be there. */
uint32_t attribute_u32(struct elf_file *file, const struct attribute *attribute, uint32_t index);

#endif
