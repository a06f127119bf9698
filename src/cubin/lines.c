/* Line tables are DWARF's (line_program.h). NVIDIA's second table, .nv_debug_line_sass, is coded alike. The
 * addresses in both are offsets in some kernel's section, so that relocations tell the kernels apart: they
 * put the section's number into their upper half. What a table says is kept by instruction, so that a table
 * takes no more memory than the code that it is about, however many rows it has. */
#include <endian.h>
#include <string.h>

#include "base/containers.h"
#include "cubin/cubin.h"
#include "cubin/line_program.h"
#include "cubin/reader.h"

#define SECTION_SHIFT 32
#define INSTRUCTION_BYTES 16

/* Most bytes of names of files: only a forged table has more. */
#define NAMES_MAX ((size_t)16 << 20)

/* What holds from an instruction on. */
struct slot {
    size_t file;         /* of those of all units; SIZE_MAX: none */
    uint32_t after_unit; /* the unit that says so, from 1; 0: none */
    uint32_t line, column;
};

/* What is gathered of a table. */
struct gathered {
    struct cubin_reader *reader;
    struct slot **slots;   /* by section, of those with code of kernels; NULL: no row yet */
    bool *has_code;        /* by section */
    uint32_t only_section; /* of addresses that no relocation gave a section; or CUBIN_NONE */
    line_files files;
    size_t name_bytes; /* of names made so far */
    uint32_t *numbers; /* of these files among the cubin's, from 1; 0: none yet. NULL: of PTX lines, whose
                          table names no files */
};

/* ---- Rows ---------------------------------------------------------------------------------------------- */

/* The slot that a row is about, or NULL. */
static struct slot *slot_of(struct gathered *gathered, uint64_t address) {
    const struct elf_file *file = &gathered->reader->file;
    const uint64_t section = address >> SECTION_SHIFT, offset = address & UINT32_MAX;
    const uint64_t of = section == 0 ? gathered->only_section : section;
    if (of >= file->section_count || !gathered->has_code[of]) return NULL;
    const uint64_t count = file->sections[of].size / INSTRUCTION_BYTES;
    if (offset % INSTRUCTION_BYTES != 0 || offset / INSTRUCTION_BYTES >= count) return NULL;
    struct slot **slots = &gathered->slots[of];
    if (*slots == NULL) *slots = arena_array(file->arena, count, sizeof **slots);
    return &(*slots)[offset / INSTRUCTION_BYTES];
}

/* Of several rows for an instruction the last one of a unit holds, but one that ends a sequence only where
 * no other begins; of several units the lowest line. */
static void take_row(void *context, const struct line_row *row) {
    struct slot *slot = slot_of(context, row->address);
    if (slot == NULL) return;
    struct slot taken = {.after_unit = row->unit + 1, .file = SIZE_MAX};
    if (!row->ends && row->line > 0 && row->line <= INT32_MAX) {
        taken.file = row->file;
        taken.line = row->line;
        taken.column = row->column <= INT32_MAX ? row->column : 0;
    }
    if (slot->after_unit == taken.after_unit ? row->ends : slot->after_unit != 0 && slot->line <= taken.line)
        return;
    *slot = taken;
}

/* The table with the addresses of kernels in it. One without a relocation is of the only kernel. */
static const uint8_t *place_addresses(struct cubin_reader *reader, uint32_t section, const uint8_t *bytes) {
    const elf_relocations relocations = elf_file_relocations(&reader->file, section);
    uint8_t *placed = arena_alloc(reader->file.arena, reader->file.sections[section].size);
    memcpy(placed, bytes, reader->file.sections[section].size);
    for (size_t i = 0; i < relocations.count; i++) {
        const struct elf_symbol *symbol = &reader->file.symbols[relocations.items[i].symbol];
        const uint64_t address = ((uint64_t)symbol->section << SECTION_SHIFT) +
                                 ((symbol->value + (uint64_t)relocations.items[i].addend) & UINT32_MAX);
        const uint64_t stored = htole64(address);
        memcpy(placed + relocations.items[i].offset, &stored, sizeof stored);
    }
    return placed;
}

static void read_table(struct gathered *gathered, const char *name) {
    struct cubin_reader *reader = gathered->reader;
    struct elf_file *file = &reader->file;
    for (uint32_t i = 0; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        size_t at;
        if (strcmp(section->name, name) != 0) continue;
        const uint8_t *bytes = elf_section_bytes(file, section);
        if (bytes == NULL || section->size == 0) continue;
        const char *wrong = line_program_read(file->arena, place_addresses(reader, i, bytes), section->size,
                                              &gathered->files, take_row, gathered, &at);
        if (wrong != NULL)
            diagnose(file->diagnostics, SEVERITY_WARNING, file->name,
                     "its line table '%s' is damaged at byte %zu of %zu (%s), so lines may be missing", name,
                     at, (size_t)section->size, wrong);
    }
}

/* ---- Lines of kernels ---------------------------------------------------------------------------------- */

/* Numbers files in the order in which kernels use them. */
static uint32_t number_of_file(struct gathered *gathered, struct intern *files, size_t index) {
    struct arena *arena = gathered->reader->file.arena;
    if (index == SIZE_MAX || gathered->numbers == NULL) return CUBIN_NONE;
    uint32_t *number = &gathered->numbers[index];
    if (*number != 0) return *number - 1;
    const struct line_file *file = &gathered->files.items[index];
    const size_t folder = file->directory == NULL ? 0 : strlen(file->directory) + 1;
    const size_t length = folder + strlen(file->name);
    if (length > NAMES_MAX - gathered->name_bytes) return CUBIN_NONE;
    gathered->name_bytes += length;
    char *name = arena_alloc(arena, length + 1);
    if (folder > 0) {
        memcpy(name, file->directory, folder - 1);
        name[folder - 1] = '/';
    }
    memcpy(name + folder, file->name, length - folder);
    const char *shown = arena_printable(arena, name, length);
    if (intern_add(files, shown, strlen(shown), number) != WB_OK) arena_fail(arena, WB_ERR_LIMIT);
    return (*number)++;
}

typedef VEC(struct cubin_line) line_list;

/* The rows of kernel `kernel`: those of its own section, and of the functions behind it. */
static line_list lines_of(struct gathered *gathered, struct intern *files, uint32_t kernel) {
    const struct cubin_reader *reader = gathered->reader;
    line_list lines = {0};
    for (size_t i = reader->first_placed[kernel];
         i < reader->placed.count && reader->placed.items[i].kernel == kernel; i++) {
        const struct cubin_placement *from = &reader->placed.items[i];
        const struct slot *slots = gathered->slots[from->section];
        const uint64_t size = slots == NULL ? 0 : reader->file.sections[from->section].size;
        for (uint32_t at = 0; at + INSTRUCTION_BYTES <= size; at += INSTRUCTION_BYTES) {
            const struct slot *slot = &slots[at / INSTRUCTION_BYTES];
            if (slot->after_unit == 0) continue;
            const struct cubin_line line = {.offset = from->offset + at,
                                            .file = number_of_file(gathered, files, slot->file),
                                            .line = slot->line,
                                            .column = slot->column};
            arena_push(reader->file.arena, &lines, line);
        }
    }
    return lines;
}

/* ---- Both tables --------------------------------------------------------------------------------------- */

static void gather(struct gathered *gathered, struct cubin_reader *reader, const char *name) {
    struct elf_file *file = &reader->file;
    *gathered = (struct gathered){.reader = reader,
                                  .slots = arena_array(file->arena, file->section_count, sizeof(void *)),
                                  .has_code = arena_array(file->arena, file->section_count, sizeof(bool)),
                                  .only_section = CUBIN_NONE};
    for (size_t i = 0; i < reader->placed.count; i++)
        gathered->has_code[reader->placed.items[i].section] = true;
    if (reader->cubin->kernel_count == 1)
        gathered->only_section = file->symbols[reader->kernel_symbols[0]].section;
    read_table(gathered, name);
}

struct tables_pass {
    struct cubin_reader *reader;
    struct intern files;
};

static void read_tables(void *context) {
    struct tables_pass *pass = context;
    struct cubin *cubin = pass->reader->cubin;
    struct arena *arena = pass->reader->file.arena;
    struct gathered of_source, of_ptx;
    gather(&of_source, pass->reader, ".debug_line");
    gather(&of_ptx, pass->reader, ".nv_debug_line_sass");
    of_source.numbers = arena_array(arena, of_source.files.count, sizeof *of_source.numbers);
    for (uint32_t k = 0; k < cubin->kernel_count; k++) {
        const line_list lines = lines_of(&of_source, &pass->files, k);
        const line_list ptx_lines = lines_of(&of_ptx, &pass->files, k);
        cubin->kernels[k].lines = lines.items;
        cubin->kernels[k].line_count = (uint32_t)lines.count;
        cubin->kernels[k].ptx_lines = ptx_lines.items;
        cubin->kernels[k].ptx_line_count = (uint32_t)ptx_lines.count;
    }
    cubin->file_count = (uint32_t)pass->files.entries.count;
    cubin->files = arena_array(arena, cubin->file_count, sizeof *cubin->files);
    for (uint32_t i = 0; i < cubin->file_count; i++)
        cubin->files[i] = pass->files.entries.items[i].text;
}

void cubin_read_lines(struct cubin_reader *reader) {
    struct tables_pass pass = {.reader = reader};
    const wb_status status = arena_protect(reader->file.arena, read_tables, &pass);
    intern_free(&pass.files);
    if (status != WB_OK) arena_fail(reader->file.arena, status);
}
