#include "cubin/line_program.h"

#include <assert.h>
#include <string.h>

#include "cubin/reader.h"

#define VERSION_MIN 2
#define VERSION_MAX 4 /* version 5 names files in another way, and no known ptxas writes it */

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

const char *line_program_read(struct arena *arena, const uint8_t *bytes, size_t size, line_files *files,
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
