/* The ELF file that a cubin is: its sections, symbols and relocations, checked so that whoever reads them
 * need not. Errors end the pass that protects the arena. */
#ifndef WB_CUBIN_ELF_FILE_H
#define WB_CUBIN_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diagnostics.h"

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

#endif
