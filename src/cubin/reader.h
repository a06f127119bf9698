/* A cubin that is being read: the ELF file that it is, and what the parts of the reader hand to each other.
 */
#ifndef WB_CUBIN_READER_H
#define WB_CUBIN_READER_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* The ELF file that a cubin is: its sections, symbols and relocations, checked so that whoever reads them
 * need not. Errors end the pass that protects the arena. */

struct elf_section {
    const char *name;     /* in the file, as all texts are */
    const uint8_t *bytes; /* NULL: none in the file (NOBITS, or none at all) */
    uint64_t size;
    uint32_t type, link, info, name_at;
    uint32_t relocated_by; /* a section of relocations for this one, 0: none */
    uint32_t next_table;   /* of one of relocations: another for the same section, 0: none */
};

struct elf_symbol {
    const char *name;
    uint64_t value, size;
    uint32_t section; /* 0: not defined here */
    uint8_t type, other;
};

struct elf_relocation {
    uint64_t offset; /* in the section that it is about; there are so many bytes that 8 can be filled */
    uint32_t symbol, type;
    int64_t addend;
    bool in_place; /* the addend is what stands in the 8 bytes */
};

typedef VEC(struct elf_relocation) elf_relocations;

struct elf_file {
    const char *name; /* in messages */
    const uint8_t *bytes;
    size_t size;
    wb_diagnostics *diagnostics;
    struct arena *arena; /* protected */
    uint32_t sm;
    struct elf_section *sections;
    uint32_t section_count;
    struct elf_symbol *symbols;
    uint32_t symbol_count;
    uint64_t bytes_read; /* of all sections whose content was asked for */
};

/* Looks at the header of file->bytes and reads sections and symbols. */
void elf_file_open(struct elf_file *file);

/* The file is not as it should be: one message; ends the pass. */
_Noreturn void elf_file_refuse(struct elf_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the section's name is `prefix`, or that with ".SUFFIX"; *suffix (may be NULL): behind the point, or
 * NULL. */
bool elf_section_is(const struct elf_section *section, const char *prefix, const char **suffix);

/* The section's content; to be asked for once a section, so that sections which share bytes cannot make the
 * work quadratic. */
const uint8_t *elf_section_bytes(struct elf_file *file, const struct elf_section *section);

/* The relocations of section `index`, sorted by offset. */
elf_relocations elf_file_relocations(struct elf_file *file, uint32_t index);

/* Little-endian numbers. */
uint16_t elf_u16(const uint8_t *bytes);
uint32_t elf_u32(const uint8_t *bytes);
uint64_t elf_u64(const uint8_t *bytes);

/* The sections .nv.info of a cubin: what ptxas says of kernels and functions besides their code. */

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
    ATTRIBUTE_CLUSTER = 0x3d,
    ATTRIBUTE_EXPLICIT_CLUSTER = 0x3e,
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

/* A cubin that is being read: what the parts of the reader hand to each other. */

struct cubin;

/* The code of a section as a part of a kernel's: its own at 0, functions that it calls behind it. */
struct cubin_placement {
    uint32_t section, kernel, offset;
};

struct cubin_reader {
    struct elf_file file;
    struct cubin *cubin;
    uint32_t *kernel_of_section;        /* of sections with a kernel's code; else CUBIN_NONE */
    uint32_t *kernel_symbols;           /* by kernel */
    VEC(struct cubin_placement) placed; /* those of a kernel together, by offset */
    size_t *first_placed;               /* by kernel */
};

/* Puts functions of other sections behind the kernels that call them, and says what of the code only the
 * loader completes. */
void cubin_join_callees(struct cubin_reader *reader);

/* Variables, and addresses that are filled in when the file is loaded. */
void cubin_read_variables(struct cubin_reader *reader);

/* Line tables. One that cannot be read is a warning: lines are not known then. */
void cubin_read_lines(struct cubin_reader *reader);

/* The kernel whose code is in section `section`, or CUBIN_NONE. */
uint32_t cubin_kernel_of_section(const struct cubin_reader *reader, uint64_t section);

#endif
