/* DWARF's tables of source lines, versions 2 to 4 (chapter 6.2 of each; ptxas writes version 2): units one
 * behind the other, each with names of files and a program whose instructions make rows. What is not as it
 * should be ends the reading at its place. */
#ifndef WB_CUBIN_LINE_PROGRAM_H
#define WB_CUBIN_LINE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

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

/* Reads the `size` bytes of a table and hands out its rows in their order, which is by address within a
 * sequence. Returns what is wrong with the table, at byte *at, or NULL. `arena` is protected. */
const char *line_program_read(struct arena *arena, const uint8_t *bytes, size_t size, line_files *files,
                              void (*take)(void *context, const struct line_row *row), void *context,
                              size_t *at);

#endif
