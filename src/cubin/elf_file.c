#include "cubin/reader.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "cubin/cubin.h"

_Noreturn void elf_file_refuse(struct elf_file *file, const char *format, ...) {
    struct text message = {.arena = file->arena};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&message, format, arguments);
    va_end(arguments);
    diagnose(file->diagnostics, SEVERITY_ERROR, file->name, "%s", message.data);
    arena_fail(file->arena, WB_ERR_INPUT);
}

uint16_t elf_u16(const uint8_t *bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return le16toh(value);
}

uint32_t elf_u32(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return le32toh(value);
}

uint64_t elf_u64(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return le64toh(value);
}

/* ---- The header ---------------------------------------------------------------------------------------- */

#define ABI_OLD                                                                                              \
    7 /* e_ident[EI_ABIVERSION] up to CUDA 12: the architecture is in the lowest byte of e_flags */
#define ABI_NEW 8 /* from CUDA 13: in the second one */

static bool architecture_known(uint32_t sm) {
    static const uint8_t known[] = {75, 80, 86, 87, 89, 90, 100, 120};
    return memchr(known, (int)(sm & 0xff), sizeof known) != NULL && sm <= 0xff;
}

static uint32_t architecture_in(const Elf64_Ehdr *header) {
    const uint32_t flags = le32toh(header->e_flags);
    return header->e_ident[EI_ABIVERSION] == ABI_OLD ? flags & 0xff : (flags >> 8) & 0xff;
}

uint32_t cubin_architecture(const void *bytes, size_t size) {
    Elf64_Ehdr header;
    if (size < sizeof header) return 0;
    memcpy(&header, bytes, sizeof header);
    return le16toh(header.e_machine) == EM_CUDA ? architecture_in(&header) : 0;
}

static uint32_t architecture_of(struct elf_file *file, const Elf64_Ehdr *header) {
    const uint8_t version = header->e_ident[EI_ABIVERSION];
    if (version != ABI_OLD && version != ABI_NEW)
        elf_file_refuse(file,
                        "this is machine code of a GPU in version %u of its file format; versions %u and %u "
                        "(up to CUDA 13) can be read",
                        version, ABI_OLD, ABI_NEW);
    const uint32_t sm = architecture_in(header);
    if (!architecture_known(sm))
        elf_file_refuse(file,
                        "this is machine code for sm_%u, which cannot be read: compile its source or its PTX "
                        "for sm_75, sm_80, sm_86, sm_87, sm_89 or sm_90",
                        sm);
    return sm;
}

/* A table of `count` headers is within the file. */
static void check_table(struct elf_file *file, const char *what, uint64_t at, uint64_t count, size_t bytes) {
    if (at > file->size || count * bytes > file->size - at)
        elf_file_refuse(
            file,
            "this cubin is cut short: its table of %llu %s at byte %llu ends after the %zu bytes of the file",
            (unsigned long long)count, what, (unsigned long long)at, file->size);
}

/* Segments are not needed, but stand behind all else in the file. */
static void check_tables(struct elf_file *file, const Elf64_Ehdr *header) {
    const uint32_t sections = le16toh(header->e_shnum), segments = le16toh(header->e_phnum);
    if (header->e_shoff == 0 || sections == 0) elf_file_refuse(file, "this cubin has no sections");
    if (le16toh(header->e_shentsize) != sizeof(Elf64_Shdr))
        elf_file_refuse(file, "this cubin is damaged: its section headers have %u bytes",
                        le16toh(header->e_shentsize));
    check_table(file, "sections", le64toh(header->e_shoff), sections, sizeof(Elf64_Shdr));
    if (segments > 0) check_table(file, "segments", le64toh(header->e_phoff), segments, sizeof(Elf64_Phdr));
}

static Elf64_Ehdr read_header(struct elf_file *file) {
    Elf64_Ehdr header;
    if (file->size < sizeof header || memcmp(file->bytes, ELFMAG, SELFMAG) != 0)
        elf_file_refuse(file, "this is not a cubin: %s",
                        file->size < sizeof header ? "it is cut short within the header of an ELF file"
                                                   : "it is not an ELF file");
    memcpy(&header, file->bytes, sizeof header);
    const uint32_t machine = le16toh(header.e_machine), type = le16toh(header.e_type);
    if (header.e_ident[EI_CLASS] == ELFCLASS32 && machine == EM_CUDA)
        elf_file_refuse(file, "this is machine code of a GPU with 32-bit addresses, which cannot be read");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        machine != EM_CUDA)
        elf_file_refuse(
            file,
            "this is an ELF file, but holds no machine code of an NVIDIA GPU (its machine is %u, not %u)",
            machine, EM_CUDA);
    file->sm = architecture_of(file, &header);
    if (type == ET_REL)
        elf_file_refuse(file,
                        "this machine code is not linked yet (compiled with -rdc=true, -dc or -c): link it: "
                        "nvcc -dlink -cubin -arch=sm_%u -o linked.cubin %s",
                        file->sm, file->name);
    if (type != ET_EXEC) elf_file_refuse(file, "a GPU cannot run this cubin: its ELF type is %u", type);
    check_tables(file, &header);
    return header;
}

/* ---- Sections ------------------------------------------------------------------------------------------ */

/* The text at `offset` of a string table, which ends in a zero byte, made printable; NULL: there is none. */
static const char *string_in(const struct elf_file *file, size_t section, uint64_t offset) {
    if (section >= file->section_count) return NULL;
    const struct elf_section *table = &file->sections[section];
    if (table->type != SHT_STRTAB || offset >= table->size || table->bytes[table->size - 1] != '\0')
        return NULL;
    const char *string = (const char *)table->bytes + offset, *end = string;
    while (ascii_printable(*end))
        end++;
    return *end == '\0' ? string : arena_printable(file->arena, string, strlen(string));
}

static void read_section(struct elf_file *file, uint64_t headers_at, uint32_t index) {
    struct elf_section *section = &file->sections[index];
    Elf64_Shdr header;
    memcpy(&header, file->bytes + headers_at + index * sizeof header, sizeof header);
    const uint64_t offset = le64toh(header.sh_offset);
    *section = (struct elf_section){.name = "",
                                    .name_at = le32toh(header.sh_name),
                                    .size = le64toh(header.sh_size),
                                    .type = le32toh(header.sh_type),
                                    .link = le32toh(header.sh_link),
                                    .info = le32toh(header.sh_info)};
    if (section->type == SHT_NOBITS || section->type == SHT_NULL) return;
    if (offset > file->size || section->size > file->size - offset)
        elf_file_refuse(file,
                        "this cubin is cut short: section %u of %llu bytes at byte %llu ends after the %zu "
                        "bytes of the file",
                        index, (unsigned long long)section->size, (unsigned long long)offset, file->size);
    section->bytes = file->bytes + offset;
}

static void read_sections(struct elf_file *file, const Elf64_Ehdr *header) {
    const uint32_t count = le16toh(header->e_shnum), names = le16toh(header->e_shstrndx);
    file->sections = arena_array(file->arena, count, sizeof *file->sections);
    file->section_count = count;
    for (uint32_t i = 0; i < count; i++)
        read_section(file, le64toh(header->e_shoff), i);
    for (uint32_t i = 1; i < count; i++) {
        struct elf_section *section = &file->sections[i];
        section->name = string_in(file, names, section->name_at);
        if (section->name == NULL) elf_file_refuse(file, "this cubin is damaged: section %u has no name", i);
        if ((section->type != SHT_REL && section->type != SHT_RELA) || section->info >= count) continue;
        section->next_table = file->sections[section->info].relocated_by;
        file->sections[section->info].relocated_by = i;
    }
}

bool elf_section_is(const struct elf_section *section, const char *prefix, const char **suffix) {
    const size_t length = strlen(prefix);
    const char *rest = section->name + length;
    if (strncmp(section->name, prefix, length) != 0 || (*rest != '\0' && *rest != '.')) return false;
    if (suffix != NULL) *suffix = *rest == '.' ? rest + 1 : NULL;
    return true;
}

const uint8_t *elf_section_bytes(struct elf_file *file, const struct elf_section *section) {
    if (section->bytes == NULL) return NULL;
    file->bytes_read += section->size;
    if (file->bytes_read > file->size)
        elf_file_refuse(file, "this cubin is damaged: its sections overlap (at '%s')", section->name);
    return section->bytes;
}

/* ---- Symbols ------------------------------------------------------------------------------------------- */

static void read_symbol(struct elf_file *file, const struct elf_section *table, uint32_t index) {
    Elf64_Sym entry;
    memcpy(&entry, table->bytes + (size_t)index * sizeof entry, sizeof entry);
    const uint32_t section = le16toh(entry.st_shndx);
    const char *name = string_in(file, table->link, le32toh(entry.st_name));
    if (name == NULL) elf_file_refuse(file, "this cubin is damaged: symbol %u has no name", index);
    if (section >= file->section_count && section < SHN_LORESERVE)
        elf_file_refuse(file, "this cubin is damaged: symbol '%s' is in section %u of %u", name, section,
                        file->section_count);
    file->symbols[index] = (struct elf_symbol){.name = name,
                                               .value = le64toh(entry.st_value),
                                               .size = le64toh(entry.st_size),
                                               .section = section < SHN_LORESERVE ? section : 0,
                                               .type = ELF64_ST_TYPE(entry.st_info),
                                               .other = entry.st_other};
}

static void read_symbols(struct elf_file *file) {
    const struct elf_section *table = NULL;
    for (uint32_t i = 0; i < file->section_count; i++) {
        if (file->sections[i].type != SHT_SYMTAB) continue;
        if (table != NULL) elf_file_refuse(file, "this cubin is damaged: it has two tables of symbols");
        table = &file->sections[i];
    }
    if (table == NULL)
        elf_file_refuse(file, "this cubin has no table of symbols, so its kernels have no names");
    if (table->size % sizeof(Elf64_Sym) != 0 || table->size / sizeof(Elf64_Sym) > UINT32_MAX)
        elf_file_refuse(file, "this cubin is damaged: its table of symbols has %llu bytes",
                        (unsigned long long)table->size);
    elf_section_bytes(file, table);
    file->symbol_count = (uint32_t)(table->size / sizeof(Elf64_Sym));
    file->symbols = arena_array(file->arena, file->symbol_count, sizeof *file->symbols);
    for (uint32_t i = 0; i < file->symbol_count; i++)
        read_symbol(file, table, i);
}

void elf_file_open(struct elf_file *file) {
    const Elf64_Ehdr header = read_header(file);
    read_sections(file, &header);
    read_symbols(file);
}

/* ---- Relocations --------------------------------------------------------------------------------------- */

static int compare_relocations(const void *a, const void *b) {
    const struct elf_relocation *first = a, *second = b;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

/* Those of REL have their addend in the 8 bytes that they fill. */
static struct elf_relocation relocation_at(const struct elf_section *table, uint64_t at,
                                           const struct elf_section *about) {
    struct elf_relocation relocation = {.offset = elf_u64(table->bytes + at),
                                        .symbol = elf_u32(table->bytes + at + 12),
                                        .type = elf_u32(table->bytes + at + 8),
                                        .in_place = table->type != SHT_RELA};
    if (table->type == SHT_RELA)
        relocation.addend = (int64_t)elf_u64(table->bytes + at + 16);
    else if (about->size >= 8 && relocation.offset <= about->size - 8)
        relocation.addend = (int64_t)elf_u64(about->bytes + relocation.offset);
    return relocation;
}

elf_relocations elf_file_relocations(struct elf_file *file, uint32_t index) {
    elf_relocations list = {0};
    const struct elf_section *about = &file->sections[index];
    if (about->bytes == NULL) return list;
    for (uint32_t i = about->relocated_by; i != 0; i = file->sections[i].next_table) {
        const struct elf_section *table = &file->sections[i];
        const size_t entry = table->type == SHT_REL ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);
        elf_section_bytes(file, table);
        for (uint64_t at = 0; table->size - at >= entry; at += entry) {
            const struct elf_relocation relocation = relocation_at(table, at, about);
            if (relocation.symbol >= file->symbol_count || about->size < 8 ||
                relocation.offset > about->size - 8)
                elf_file_refuse(file,
                                "this cubin is damaged: relocation %llu of '%s' is for byte %llu of %llu, "
                                "symbol %u of %u",
                                (unsigned long long)(at / entry), table->name,
                                (unsigned long long)relocation.offset, (unsigned long long)about->size,
                                relocation.symbol, file->symbol_count);
            arena_push(file->arena, &list, relocation);
        }
    }
    if (list.count > 0) qsort(list.items, list.count, sizeof *list.items, compare_relocations);
    return list;
}
