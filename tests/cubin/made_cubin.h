/* A small cubin made by hand: kernel `k` of sm_86 with one instruction, a function inside of it, a parameter,
 * a variable and its address. Tests change one thing of it before it is put together. */
#ifndef WB_TESTS_MADE_CUBIN_H
#define WB_TESTS_MADE_CUBIN_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum made_section {
    MADE_NULL,
    MADE_SECTION_NAMES,
    MADE_NAMES,
    MADE_SYMBOLS,
    MADE_FILE_INFO,
    MADE_INFO,
    MADE_CODE,
    MADE_SHARED,
    MADE_GLOBAL,
    MADE_ADDRESSES,
    MADE_RELOCATIONS,
    MADE_LINES,
    MADE_SECTIONS
};

enum made_symbol { MADE_NO_SYMBOL, MADE_KERNEL, MADE_FUNCTION, MADE_VARIABLE, MADE_SYMBOL_COUNT };

#ifndef MADE_SECTION_BYTES
#    define MADE_SECTION_BYTES 256 /* at most, of each */
#endif

struct made_cubin {
    Elf64_Ehdr header;
    Elf64_Shdr sections[MADE_SECTIONS];
    uint8_t contents[MADE_SECTIONS][MADE_SECTION_BYTES];
    uint8_t bytes[MADE_SECTIONS * (MADE_SECTION_BYTES + sizeof(Elf64_Shdr)) + sizeof(Elf64_Ehdr)];
    size_t size; /* of bytes */
};

/* Puts a text behind those of a string table; its place. */
static inline uint32_t made_text(struct made_cubin *made, enum made_section table, const char *text) {
    Elf64_Shdr *section = &made->sections[table];
    const uint32_t at = section->sh_size == 0 ? 1 : (uint32_t)section->sh_size;
    memcpy(made->contents[table] + at, text, strlen(text) + 1);
    section->sh_size = at + strlen(text) + 1;
    return at;
}

static inline void made_section(struct made_cubin *made, enum made_section index, const char *name,
                                uint32_t type, uint32_t link, uint32_t info) {
    const uint32_t at = made_text(made, MADE_SECTION_NAMES, name);
    Elf64_Shdr *section = &made->sections[index];
    section->sh_name = at;
    section->sh_type = type;
    section->sh_link = link;
    section->sh_info = info;
}

/* Appends bytes to a section. */
static inline void made_append(struct made_cubin *made, enum made_section index, const void *bytes,
                               size_t size) {
    memcpy(made->contents[index] + made->sections[index].sh_size, bytes, size);
    made->sections[index].sh_size += size;
}

static inline void made_symbol(struct made_cubin *made, const char *name, uint32_t info, uint32_t other,
                               uint16_t section, uint64_t value, uint64_t size) {
    const Elf64_Sym symbol = {.st_name = made_text(made, MADE_NAMES, name),
                              .st_info = (uint8_t)info,
                              .st_other = (uint8_t)other,
                              .st_shndx = section,
                              .st_value = value,
                              .st_size = size};
    made_append(made, MADE_SYMBOLS, &symbol, sizeof symbol);
}

/* A record of .nv.info with bytes of its own. */
static inline void made_record(struct made_cubin *made, enum made_section section, uint8_t kind,
                               const uint32_t *numbers, uint16_t count) {
    const uint8_t head[4] = {4, kind, (uint8_t)(count * 4), 0};
    made_append(made, section, head, sizeof head);
    made_append(made, section, numbers, count * sizeof *numbers);
}

#define MADE_RECORD(made, section, kind, ...)                                                                \
    made_record(made, section, kind, (const uint32_t[]){__VA_ARGS__},                                        \
                (uint16_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

/* A line table: line 7 from byte 0 on, line 9 from byte 16, and nothing behind byte 32. */
static inline void made_line_table(struct made_cubin *made) {
    static const uint8_t table[] = {
        54, 0,   0,   0,   2,   0,          /* bytes behind these four, version */
        24, 0,   0,   0,                    /* bytes of the header behind these */
        1,  1,   251, 14,  10,              /* shortest code, is_stmt, line base and range, first special */
        0,  1,   1,   1,   1,   0, 0, 0, 1, /* operands of the others */
        0,  'k', '.', 'c', 'u', 0, 0, 0, 0, 0,           /* no folders, one file */
        0,  9,   2,   0,   0,   0, 0, 0, 0, 0,  0,       /* address 0 */
        3,  6,   1,   2,   16,  3, 2, 1, 2, 16, 0, 1, 1, /* rows, end */
    };
    made_append(made, MADE_LINES, table, sizeof table);
}

/* The cubin as it should be, not put together yet. */
static inline void made_begin(struct made_cubin *made) {
    *made = (struct made_cubin){0};
    made->header =
        (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 0x41, 8},
                     .e_type = ET_EXEC,
                     .e_machine = EM_CUDA,
                     .e_version = EV_CURRENT,
                     .e_flags = 0x6005604,
                     .e_ehsize = sizeof(Elf64_Ehdr),
                     .e_shentsize = sizeof(Elf64_Shdr),
                     .e_shnum = MADE_SECTIONS,
                     .e_shstrndx = MADE_SECTION_NAMES};
    made_section(made, MADE_SECTION_NAMES, ".shstrtab", SHT_STRTAB, 0, 0);
    made_section(made, MADE_NAMES, ".strtab", SHT_STRTAB, 0, 0);
    made_section(made, MADE_SYMBOLS, ".symtab", SHT_SYMTAB, MADE_NAMES, 1);
    made_section(made, MADE_FILE_INFO, ".nv.info", SHT_LOPROC, MADE_SYMBOLS, 0);
    made_section(made, MADE_INFO, ".nv.info.k", SHT_LOPROC, MADE_SYMBOLS, MADE_CODE);
    made_section(made, MADE_CODE, ".text.k", SHT_PROGBITS, MADE_SYMBOLS, 10u << 24 | MADE_KERNEL);
    made_section(made, MADE_SHARED, ".nv.shared.k", SHT_NOBITS, 0, MADE_CODE);
    made_section(made, MADE_GLOBAL, ".nv.global.init", SHT_PROGBITS, 0, 0);
    made_section(made, MADE_ADDRESSES, ".nv.constant4", SHT_PROGBITS, 0, 0);
    made_section(made, MADE_RELOCATIONS, ".rel.nv.constant4", SHT_REL, MADE_SYMBOLS, MADE_ADDRESSES);
    made_section(made, MADE_LINES, ".debug_line", SHT_PROGBITS, 0, 0);
    made_symbol(made, "", 0, 0, 0, 0, 0);
    made_symbol(made, "k", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0x10, MADE_CODE, 0, 64);
    made_symbol(made, "$k$f", ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, MADE_CODE, 32, 32);
    made_symbol(made, "table", ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), 0, MADE_GLOBAL, 8, 4);
    made->sections[MADE_CODE].sh_size = 64;
    made->sections[MADE_SHARED].sh_size = 256;
    made_append(made, MADE_GLOBAL, "01234567abcd", 12);
    made->sections[MADE_ADDRESSES].sh_size = 8;
    const Elf64_Rel relocation = {.r_offset = 0, .r_info = ELF64_R_INFO(MADE_VARIABLE, 2)};
    made_append(made, MADE_RELOCATIONS, &relocation, sizeof relocation);
    MADE_RECORD(made, MADE_FILE_INFO, 0x2f, MADE_KERNEL, 24);
    MADE_RECORD(made, MADE_FILE_INFO, 0x12, MADE_KERNEL, 16);
    MADE_RECORD(made, MADE_INFO, 0x0a, 0, 8u << 16 | 0x160);
    MADE_RECORD(made, MADE_INFO, 0x17, 0, 0, 0x21f000);
    made_line_table(made);
}

/* The symbol as it stands in its table. */
static inline Elf64_Sym made_get_symbol(const struct made_cubin *made, enum made_symbol index) {
    Elf64_Sym symbol;
    memcpy(&symbol, made->contents[MADE_SYMBOLS] + index * sizeof symbol, sizeof symbol);
    return symbol;
}

static inline void made_set_symbol(struct made_cubin *made, enum made_symbol index, Elf64_Sym symbol) {
    memcpy(made->contents[MADE_SYMBOLS] + index * sizeof symbol, &symbol, sizeof symbol);
}

/* Puts the file together: header, sections one behind the other, their headers. Places and sizes that a test
 * has set in sections (not 0) stay; of names and contents so many bytes are there as the section has. */
static inline void made_end(struct made_cubin *made) {
    size_t at = sizeof made->header;
    for (int i = 1; i < MADE_SECTIONS; i++) {
        Elf64_Shdr *section = &made->sections[i];
        if (section->sh_offset == 0) section->sh_offset = at;
        if (section->sh_type == SHT_NOBITS || section->sh_size > MADE_SECTION_BYTES) continue;
        memcpy(made->bytes + at, made->contents[i], section->sh_size);
        at += section->sh_size;
    }
    if (made->header.e_shoff == 0) made->header.e_shoff = at;
    memcpy(made->bytes, &made->header, sizeof made->header);
    memcpy(made->bytes + at, made->sections, sizeof made->sections);
    made->size = at + sizeof made->sections;
}

#endif
