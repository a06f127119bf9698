/* Line tables are DWARF's, which libdw reads from a section .debug_line of an ELF file. A file of its own is
 * made for it in memory, with one table in it: so it reads NVIDIA's second table, .nv_debug_line_sass, too,
 * which is coded alike, and the addresses in it, which are all offsets in some kernel's section, can tell the
 * kernels apart: the section's number is put into their upper half. */
#include <elfutils/libdw.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "cubin/cubin.h"
#include "cubin/reader.h"

#define SECTION_SHIFT 32

/* The file made for libdw: a header, the table, names of sections, and headers of sections. */
enum image_section { IMAGE_NONE, IMAGE_LINES, IMAGE_NAMES, IMAGE_SECTIONS };
static const char image_names[] = "\0.debug_line\0.shstrtab";

struct image {
    char *bytes;
    size_t size;
    uint8_t *table; /* in it */
};

static Elf64_Shdr image_section(uint32_t name, uint32_t type, uint64_t offset, uint64_t size) {
    return (Elf64_Shdr){.sh_name = htole32(name),
                        .sh_type = htole32(type),
                        .sh_offset = htole64(offset),
                        .sh_size = htole64(size),
                        .sh_addralign = htole64(1)};
}

static struct image make_image(struct arena *arena, const uint8_t *table, uint64_t table_size) {
    const uint64_t names_at = sizeof(Elf64_Ehdr) + table_size;
    const uint64_t headers_at = (names_at + sizeof image_names + 7) / 8 * 8;
    Elf64_Shdr headers[IMAGE_SECTIONS] = {
        [IMAGE_LINES] = image_section(1, SHT_PROGBITS, sizeof(Elf64_Ehdr), table_size),
        [IMAGE_NAMES] = image_section(13, SHT_STRTAB, names_at, sizeof image_names)};
    Elf64_Ehdr header = {.e_ident = ELFMAG,
                         .e_type = htole16(ET_EXEC),
                         .e_machine = htole16(EM_CUDA),
                         .e_version = htole32(EV_CURRENT),
                         .e_shoff = htole64(headers_at),
                         .e_ehsize = htole16(sizeof header),
                         .e_shentsize = htole16(sizeof(Elf64_Shdr)),
                         .e_shnum = htole16(IMAGE_SECTIONS),
                         .e_shstrndx = htole16(IMAGE_NAMES)};
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    struct image image = {.size = headers_at + sizeof headers};
    image.bytes = arena_alloc(arena, image.size);
    image.table = (uint8_t *)image.bytes + sizeof header;
    memcpy(image.bytes, &header, sizeof header);
    memcpy(image.table, table, table_size);
    memcpy(image.bytes + names_at, image_names, sizeof image_names);
    memcpy(image.bytes + headers_at, headers, sizeof headers);
    return image;
}

/* Addresses in the table become those of kernels. One without a relocation is of the only kernel. */
static void place_addresses(struct cubin_reader *reader, uint32_t section, struct image *image) {
    const elf_relocations relocations = elf_file_relocations(&reader->file, section);
    for (size_t i = 0; i < relocations.count; i++) {
        const struct elf_symbol *symbol = &reader->file.symbols[relocations.items[i].symbol];
        const uint64_t address = ((uint64_t)symbol->section << SECTION_SHIFT) +
                                 ((symbol->value + (uint64_t)relocations.items[i].addend) & UINT32_MAX);
        const uint64_t stored = htole64(address);
        memcpy(image->table + relocations.items[i].offset, &stored, sizeof stored);
    }
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

typedef VEC(struct cubin_line) line_list;

/* What is gathered of a table. */
struct gathered {
    struct cubin_reader *reader;
    line_list *lines;      /* by section */
    struct intern *files;  /* NULL: of PTX lines, whose table names no files */
    uint32_t only_section; /* of addresses that no relocation gave a section; or CUBIN_NONE */
};

static uint32_t number_of_file(struct gathered *gathered, Dwarf_Line *line) {
    const char *name = gathered->files == NULL ? NULL : dwarf_linesrc(line, NULL, NULL);
    uint32_t number = CUBIN_NONE;
    bool is_new;
    if (name == NULL) return CUBIN_NONE;
    if (intern_copy(gathered->files, name, strlen(name), &number, &is_new) != WB_OK)
        arena_fail(gathered->reader->file.arena, WB_ERR_LIMIT);
    return number;
}

static void add_row(struct gathered *gathered, Dwarf_Line *row) {
    Dwarf_Addr address = 0;
    int line = 0, column = 0;
    bool ends = false;
    if (dwarf_lineaddr(row, &address) != 0 || dwarf_lineendsequence(row, &ends) != 0) return;
    const uint64_t section = address >> SECTION_SHIFT;
    const struct elf_file *file = &gathered->reader->file;
    const uint64_t of = section == 0 ? gathered->only_section : section;
    const uint32_t offset = (uint32_t)(address & UINT32_MAX);
    if (of >= file->section_count || offset >= file->sections[of].size) return;
    struct cubin_line added = {.offset = offset, .file = CUBIN_NONE};
    if (!ends && dwarf_lineno(row, &line) == 0 && line > 0) {
        added.line = (uint32_t)line;
        if (dwarf_linecol(row, &column) == 0 && column > 0) added.column = (uint32_t)column;
        added.file = number_of_file(gathered, row);
    }
    line_list *lines = &gathered->lines[of];
    if (lines->count > 0 && lines->items[lines->count - 1].offset == offset)
        lines->items[lines->count - 1] = added;
    else
        arena_push(gathered->reader->file.arena, lines, added);
}

/* All rows, which libdw has sorted by address within each unit. False: the table is damaged. */
static bool add_units(struct gathered *gathered, Dwarf *dwarf) {
    Dwarf_Off offset = 0, next = 0;
    for (;; offset = next) {
        Dwarf_CU *unit = NULL;
        Dwarf_Files *files = NULL;
        Dwarf_Lines *lines = NULL;
        size_t file_count = 0, line_count = 0;
        const int result =
            dwarf_next_lines(dwarf, offset, &next, &unit, &files, &file_count, &lines, &line_count);
        if (result != 0) return result > 0;
        for (size_t i = 0; i < line_count; i++)
            add_row(gathered, dwarf_onesrcline(lines, i));
        if (next <= offset) return true;
    }
}

static int compare_lines(const void *a, const void *b) {
    const struct cubin_line *first = a, *second = b;
    if (first->offset != second->offset) return first->offset < second->offset ? -1 : 1;
    return (first->line > second->line) - (first->line < second->line);
}

/* Units may repeat and mix offsets: each stays once. */
static void sort_lines(line_list *lines) {
    size_t kept = 0;
    bool sorted = true;
    for (size_t i = 1; i < lines->count; i++)
        sorted = sorted && lines->items[i - 1].offset < lines->items[i].offset;
    if (sorted) return;
    qsort(lines->items, lines->count, sizeof *lines->items, compare_lines);
    for (size_t i = 0; i < lines->count; i++)
        if (kept == 0 || lines->items[kept - 1].offset != lines->items[i].offset)
            lines->items[kept++] = lines->items[i];
    lines->count = kept;
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

/* A table and what libdw holds of it, which outlives a pass that ends early. */
struct table_pass {
    struct gathered gathered;
    Dwarf *dwarf;
    bool damaged;
};

static void read_units(void *context) {
    struct table_pass *pass = context;
    pass->damaged = !add_units(&pass->gathered, pass->dwarf);
}

static void read_table(struct cubin_reader *reader, uint32_t section, line_list *lines,
                       struct intern *files) {
    struct elf_file *file = &reader->file;
    const uint8_t *bytes = elf_section_bytes(file, &file->sections[section]);
    struct table_pass pass = {
        .gathered = {.reader = reader, .lines = lines, .files = files, .only_section = CUBIN_NONE}};
    if (reader->cubin->kernel_count == 1)
        pass.gathered.only_section = file->symbols[reader->kernel_symbols[0]].section;
    if (bytes == NULL || file->sections[section].size == 0) return;
    struct image image = make_image(file->arena, bytes, file->sections[section].size);
    place_addresses(reader, section, &image);
    Elf *elf = elf_memory(image.bytes, image.size);
    pass.dwarf = elf == NULL ? NULL : dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    pass.damaged = pass.dwarf == NULL;
    const wb_status status = pass.dwarf == NULL ? WB_OK : arena_protect(file->arena, read_units, &pass);
    if (pass.damaged && status == WB_OK)
        diagnose(file->diagnostics, SEVERITY_WARNING, file->name,
                 "its line table '%s' is damaged (%s), so that lines may be missing",
                 file->sections[section].name, dwarf_errmsg(-1));
    if (pass.dwarf != NULL) dwarf_end(pass.dwarf);
    if (elf != NULL) elf_end(elf);
    if (status != WB_OK) arena_fail(file->arena, status);
}

static void keep_files(struct cubin_reader *reader, const struct intern *files) {
    struct arena *arena = reader->file.arena;
    reader->cubin->file_count = (uint32_t)files->entries.count;
    reader->cubin->files = arena_array(arena, files->entries.count, sizeof *reader->cubin->files);
    for (size_t i = 0; i < files->entries.count; i++)
        reader->cubin->files[i] =
            arena_string(arena, files->entries.items[i].text, files->entries.items[i].length);
}

/* The rows of kernel `kernel`: those of its own section, and of the functions behind it. */
static line_list lines_of(struct cubin_reader *reader, const line_list *of_section, uint32_t kernel) {
    line_list lines = {0};
    for (size_t i = reader->first_placed[kernel];
         i < reader->placed.count && reader->placed.items[i].kernel == kernel; i++) {
        const struct cubin_placement *from = &reader->placed.items[i];
        const line_list *own = &of_section[from->section];
        for (size_t row = 0; row < own->count; row++) {
            struct cubin_line line = own->items[row];
            line.offset += from->offset;
            arena_push(reader->file.arena, &lines, line);
        }
    }
    return lines;
}

/* Both tables; `files` is the caller's to free. */
static void read_tables(struct cubin_reader *reader, struct intern *files) {
    struct cubin *cubin = reader->cubin;
    const uint32_t sections = reader->file.section_count;
    line_list *lines = arena_array(reader->file.arena, sections, sizeof *lines);
    line_list *ptx_lines = arena_array(reader->file.arena, sections, sizeof *ptx_lines);
    for (uint32_t i = 0; i < reader->file.section_count; i++) {
        if (strcmp(reader->file.sections[i].name, ".debug_line") == 0) read_table(reader, i, lines, files);
        if (strcmp(reader->file.sections[i].name, ".nv_debug_line_sass") == 0)
            read_table(reader, i, ptx_lines, NULL);
    }
    for (uint32_t s = 0; s < sections; s++) {
        sort_lines(&lines[s]);
        sort_lines(&ptx_lines[s]);
    }
    for (uint32_t k = 0; k < cubin->kernel_count; k++) {
        const line_list own = lines_of(reader, lines, k), of_ptx = lines_of(reader, ptx_lines, k);
        cubin->kernels[k].lines = own.items;
        cubin->kernels[k].line_count = (uint32_t)own.count;
        cubin->kernels[k].ptx_lines = of_ptx.items;
        cubin->kernels[k].ptx_line_count = (uint32_t)of_ptx.count;
    }
    keep_files(reader, files);
}

struct files_pass {
    struct cubin_reader *reader;
    struct intern files;
};

static void read_with_files(void *context) {
    struct files_pass *pass = context;
    read_tables(pass->reader, &pass->files);
}

void cubin_read_lines(struct cubin_reader *reader) {
    struct files_pass pass = {.reader = reader};
    const wb_status status = arena_protect(reader->file.arena, read_with_files, &pass);
    intern_free(&pass.files);
    if (status != WB_OK) arena_fail(reader->file.arena, status);
}
