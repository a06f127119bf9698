/* Tables for people. A column starts (texts) or ends (numbers) at a place of its own, so that reports of
 * similar runs look alike; where what stands in it or before it is too long for that, the rest of the table
 * moves to the right as far as it has to, in all rows. */
#ifndef WB_REPORT_WRITE_SHEET_H
#define WB_REPORT_WRITE_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "report/write/layout.h"

enum sheet_side { SHEET_LEFT, SHEET_RIGHT };

struct sheet_place {
    enum sheet_side side;
    const char *heading;
    uint32_t at;    /* where it starts or ends unless it has to move, in characters of the line, from 0 */
    uint32_t width; /* of the widest cell so far */
    uint32_t start; /* where it starts, once placed */
};

struct sheet_cell {
    size_t start; /* of its text in `words` */
    uint32_t length, column;
};

struct sheet {
    const struct layout *layout; /* whose styles rows can have; NULL: none have */
    VEC(struct sheet_place) columns;
    uint32_t column; /* that the next cell is in */
    size_t start;    /* of the text of that cell, where it is written piece by piece */
    struct text words;
    VEC(struct sheet_cell) cells; /* of the rows that are not printed yet */
};

/* Adds a column; its heading is "" where it has none. Zero-initialised a table has no columns. */
void sheet_column(struct sheet *sheet, enum sheet_side side, uint32_t at, const char *heading);

/* The row of all headings. */
void sheet_headings(struct sheet *sheet);

/* Fill the next cell of the row. sheet_span is for a text that may reach into the columns beside it, which
 * its row leaves empty. */
void sheet_text(struct sheet *sheet, const char *text);
void sheet_count(struct sheet *sheet, uint64_t count);
void sheet_printf(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sheet_span(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sheet_skip(struct sheet *sheet);

/* A cell that is written piece by piece: into the text, until its end. One that `spans` is like sheet_span's.
 */
struct text *sheet_begin_cell(struct sheet *sheet);
void sheet_end_cell(struct sheet *sheet, bool spans);

/* The row that is begun next has a style. */
void sheet_row_style(struct sheet *sheet, enum layout_style style);

/* Ends the row, or, when nothing was put into one, leaves a line empty. */
void sheet_end_row(struct sheet *sheet);

/* The column will have cells of that width: of a table that is printed row by row. */
void sheet_expect(struct sheet *sheet, uint32_t column, size_t width);

/* Appends the rows so far; more may follow. A table that is done with is closed. What fails shows in
 * out->failed. */
void sheet_print(struct sheet *sheet, struct text *out);
void sheet_close(struct sheet *sheet, struct text *out);

#endif
