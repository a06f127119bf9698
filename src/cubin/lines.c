#include "cubin/cubin.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "base/containers.h"
#include "cubin/reader.h"

/* ---- Line programs ---- */

/* DWARF's tables of source lines, versions 2 to 4 (chapter 6.2 of each; ptxas writes version 2): units one
 * behind the other, each with names of files and a program whose instructions make rows. What is not as it
 * should be ends the reading at its place. */

#define VERSION_MIN 2
#define VERSION_MAX 4 /* version 5 names files in another way, and no known ptxas writes it */

struct line_file {
    const char *directory; /* NULL: none; texts are in the table */
    const char *name;
};

typedef VEC(struct line_file) line_files;

/* What holds from `address` on. */
struct line_row {
    uint64_t address;
    uint32_t unit, line, column;
    size_t file; /* index into the files of all units; SIZE_MAX: none */
    bool ends;   /* a sequence: from here on nothing is known */
};

/* Bytes that are read one behind the other. Once something is wrong, all that is read is zero. */
struct cursor {
    const uint8_t *bytes;
    size_t at, end;
    const char *wrong; /* or NULL */
};

static uint64_t refuse(struct cursor *cursor, const char *wrong) {
    if (cursor->wrong == NULL) cursor->wrong = wrong;
    return 0;
}

static bool has(struct cursor *cursor, uint64_t count) {
    if (cursor->wrong == NULL && count <= cursor->end - cursor->at) return true;
    (void)refuse(cursor, "it is cut short");
    return false;
}

static uint64_t read_fixed(struct cursor *cursor, uint32_t count) {
    uint64_t value = 0;
    if (!has(cursor, count)) return 0;
    for (uint32_t i = 0; i < count; i++)
        value |= (uint64_t)cursor->bytes[cursor->at++] << (8 * i);
    return value;
}

/* LEB128: seven bits a byte, lowest first. Bits behind the 64th are lost. */
static uint64_t read_leb(struct cursor *cursor, bool is_signed) {
    uint64_t value = 0;
    uint8_t byte = 0;
    uint32_t shift = 0;
    do {
        byte = (uint8_t)read_fixed(cursor, 1);
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) != 0 && shift < 256);
    if (is_signed && shift < 64 && (byte & 0x40) != 0) value |= UINT64_MAX << shift;
    return value;
}

static uint64_t read_unsigned(struct cursor *cursor) {
    return read_leb(cursor, false);
}

static const char *read_text(struct cursor *cursor) {
    if (!has(cursor, 1)) return "";
    const uint8_t *text = cursor->bytes + cursor->at;
    const uint8_t *end = memchr(text, 0, cursor->end - cursor->at);
    if (end == NULL) {
        (void)refuse(cursor, "a name has no end");
        return "";
    }
    cursor->at += (size_t)(end - text) + 1;
    return (const char *)text;
}

/* ---- A unit -------------------------------------------------------------------------------------------- */

struct unit {
    struct cursor cursor;
    struct arena *arena;
    line_files *files; /* of all units */
    size_t first_file; /* number 1 of this one */
    uint64_t instruction_bytes;
    int8_t line_base;
    uint8_t line_range, opcode_base;
    const uint8_t *operand_counts; /* of opcode 1, 2, ... */
    struct line_row row;
    uint64_t file; /* as the program numbers it */
    void (*take)(void *context, const struct line_row *row);
    void *context;
};

static void add_file(struct unit *unit, const char *name, const line_files *directories) {
    const uint64_t directory = read_unsigned(&unit->cursor);
    (void)read_unsigned(&unit->cursor); /* when it was changed */
    (void)read_unsigned(&unit->cursor); /* its size */
    if (unit->cursor.wrong != NULL) return;
    if (directory > directories->count) {
        (void)refuse(&unit->cursor, "a file is in a folder without name");
        return;
    }
    assert(directory == 0 || directories->items != NULL);
    const struct line_file file = {
        .directory = directory == 0 || name[0] == '/' ? NULL : directories->items[directory - 1].name,
        .name = name};
    arena_push(unit->arena, unit->files, file);
}

static void read_names(struct unit *unit, line_files *directories) {
    struct cursor *cursor = &unit->cursor;
    for (const char *name; *(name = read_text(cursor)) != '\0';)
        arena_push(unit->arena, directories, ((struct line_file){.name = name}));
    for (const char *name; *(name = read_text(cursor)) != '\0';)
        add_file(unit, name, directories);
}

/* Up to the program. */
static void read_header(struct unit *unit, uint32_t offset_bytes, line_files *directories) {
    struct cursor *cursor = &unit->cursor;
    const uint64_t version = read_fixed(cursor, 2);
    if (version < VERSION_MIN || version > VERSION_MAX) (void)refuse(cursor, "its version is not 2, 3 or 4");
    const uint64_t rest = read_fixed(cursor, offset_bytes);
    if (!has(cursor, rest)) return;
    const size_t program = cursor->at + (size_t)rest, end = cursor->end;
    cursor->end = program;
    unit->instruction_bytes = read_fixed(cursor, 1);
    if (version >= 4 && read_fixed(cursor, 1) != 1)
        (void)refuse(cursor, "its instructions have several operations");
    (void)read_fixed(cursor, 1); /* whether rows are beginnings of statements */
    unit->line_base = (int8_t)read_fixed(cursor, 1);
    unit->line_range = (uint8_t)read_fixed(cursor, 1);
    unit->opcode_base = (uint8_t)read_fixed(cursor, 1);
    if (unit->line_range == 0 || unit->opcode_base == 0) (void)refuse(cursor, "its header has zeros");
    if (!has(cursor, unit->opcode_base - UINT64_C(1))) return;
    unit->operand_counts = cursor->bytes + cursor->at;
    cursor->at += unit->opcode_base - 1u;
    read_names(unit, directories);
    cursor->at = program;
    cursor->end = end;
}

/* ---- Its program --------------------------------------------------------------------------------------- */

static void restart(struct unit *unit) {
    unit->row = (struct line_row){.unit = unit->row.unit, .line = 1};
    unit->file = 1;
}

static void take_row(struct unit *unit) {
    const size_t files = unit->files->count - unit->first_file;
    unit->row.file =
        unit->file == 0 || unit->file > files ? SIZE_MAX : unit->first_file + (size_t)unit->file - 1;
    if (unit->cursor.wrong == NULL) unit->take(unit->context, &unit->row);
}

static void advance(struct unit *unit, uint64_t instructions) {
    unit->row.address += instructions * unit->instruction_bytes;
}

static void run_special(struct unit *unit, uint32_t opcode) {
    const uint32_t by = opcode - unit->opcode_base;
    advance(unit, by / unit->line_range);
    unit->row.line += (uint32_t)(unit->line_base + (int32_t)(by % unit->line_range));
    take_row(unit);
}

enum { EXTENDED_END = 1, EXTENDED_ADDRESS = 2, EXTENDED_FILE = 3 };

/* Those of NVIDIA, about functions that were inlined, are passed over as others are. */
static void run_extended(struct unit *unit, const line_files *directories) {
    struct cursor *cursor = &unit->cursor;
    const uint64_t length = read_unsigned(cursor);
    if (length == 0 || !has(cursor, length)) {
        (void)refuse(cursor, "an instruction has no length");
        return;
    }
    const size_t next = cursor->at + (size_t)length;
    const uint64_t opcode = read_fixed(cursor, 1);
    if (opcode == EXTENDED_END) {
        unit->row.ends = true;
        take_row(unit);
        restart(unit);
    } else if (opcode == EXTENDED_ADDRESS) {
        if (length != 9)
            (void)refuse(cursor, "an address does not have 8 bytes");
        else
            unit->row.address = read_fixed(cursor, 8);
    } else if (opcode == EXTENDED_FILE) {
        add_file(unit, read_text(cursor), directories);
    }
    cursor->at = next;
}

enum { COPY = 1, ADVANCE_ADDRESS, ADVANCE_LINE, SET_FILE, SET_COLUMN, ADD_MOST = 8, ADD_FIXED = 9 };

static void run_standard(struct unit *unit, uint32_t opcode) {
    struct cursor *cursor = &unit->cursor;
    switch (opcode) {
    case COPY: take_row(unit); break;
    case ADVANCE_ADDRESS: advance(unit, read_unsigned(cursor)); break;
    case ADVANCE_LINE: unit->row.line += (uint32_t)read_leb(cursor, true); break;
    case SET_FILE: unit->file = read_unsigned(cursor); break;
    case SET_COLUMN: unit->row.column = (uint32_t)read_unsigned(cursor); break;
    case ADD_MOST: advance(unit, (255u - unit->opcode_base) / unit->line_range); break;
    case ADD_FIXED: unit->row.address += read_fixed(cursor, 2); break;
    default: /* says nothing about lines */
        for (uint32_t i = unit->operand_counts[opcode - 1]; i-- > 0;)
            (void)read_unsigned(cursor);
    }
}

static void run_program(struct unit *unit, const line_files *directories) {
    struct cursor *cursor = &unit->cursor;
    restart(unit);
    while (cursor->wrong == NULL && cursor->at < cursor->end) {
        const uint32_t opcode = (uint32_t)read_fixed(cursor, 1);
        if (opcode >= unit->opcode_base)
            run_special(unit, opcode);
        else if (opcode == 0)
            run_extended(unit, directories);
        else
            run_standard(unit, opcode);
    }
}

/* ---- All units ----------------------------------------------------------------------------------------- */

#define LONG_UNIT UINT32_MAX /* the length proper follows, in 8 bytes */

/* Reads the `size` bytes of a table and hands out its rows in their order, which is by address within a
 * sequence. Returns what is wrong with the table, at byte *at, or NULL. `arena` is protected. */
static const char *line_program_read(struct arena *arena, const uint8_t *bytes, size_t size,
                                     line_files *files,
                                     void (*take)(void *context, const struct line_row *row), void *context,
                                     size_t *at) {
    struct cursor all = {.bytes = bytes, .end = size};
    for (uint32_t number = 0; all.wrong == NULL && all.at < size; number++) {
        uint32_t offset_bytes = 4;
        uint64_t length = read_fixed(&all, 4);
        if (length == LONG_UNIT) {
            offset_bytes = 8;
            length = read_fixed(&all, 8);
        }
        if (!has(&all, length)) break;
        struct unit unit = {.cursor = {.bytes = bytes, .at = all.at, .end = all.at + (size_t)length},
                            .arena = arena,
                            .files = files,
                            .first_file = files->count,
                            .row.unit = number,
                            .take = take,
                            .context = context};
        line_files directories = {0};
        read_header(&unit, offset_bytes, &directories);
        run_program(&unit, &directories);
        all.at = unit.cursor.wrong != NULL ? unit.cursor.at : unit.cursor.end;
        all.wrong = unit.cursor.wrong;
    }
    *at = all.at;
    return all.wrong;
}

/* ---- Lines of sections ---- */

/* Line tables are DWARF's. NVIDIA's second table, .nv_debug_line_sass, is coded alike. The
 * addresses in both are offsets in some kernel's section, so that relocations tell the kernels apart: they
 * put the section's number into their upper half. What a table says is kept by instruction, so that a table
 * takes no more memory than the code that it is about, however many rows it has. */

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
static void take_line(void *context, const struct line_row *row) {
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
                                              &gathered->files, take_line, gathered, &at);
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
    assert(gathered->files.items != NULL);
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
