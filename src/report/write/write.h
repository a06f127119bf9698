/* What reports are written with: lines and colours, tables, records. JSON, XML and pictures have headers of
 * their own. */
#ifndef WB_REPORT_WRITE_WRITE_H
#define WB_REPORT_WRITE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "report/write/json.h"
#include "report/write/output.h"
#include "warpbound.h"

/* ---- How text for people is laid out: lines of at most some width, and colours where they can be shown. */

struct layout {
    uint32_t width; /* characters of a line */
    bool color;     /* escape sequences are written */
};

enum layout_style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_GREEN, /* these bold, too */
    STYLE_RED,
    STYLE_YELLOW
};

/* Lines as long as they are, without colours. */
extern const struct layout layout_unlimited;

/* The layout that the options of a report ask for. */
struct layout layout_of(const wb_report_options *options);

/* Begins and ends what is shown in a style. */
void layout_begin(struct text *out, const struct layout *layout, enum layout_style style);
void layout_end(struct text *out, const struct layout *layout, enum layout_style style);

/* A piece of a line in a style. */
void layout_styled(struct text *out, const struct layout *layout, enum layout_style style, const char *words);

/* Lays out the lines behind byte `start` of a text, the first of which has `column` characters before that.
 * What does not fit goes on in lines that begin with `indent` spaces; a word that is longer than a line is
 * cut. The last line is ended. */
void layout_wrap(struct text *out, const struct layout *layout, size_t start, uint32_t column,
                 uint32_t indent);

/* The same of the words that a format makes, from the start of a line. */
void layout_printf(struct text *out, const struct layout *layout, uint32_t indent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- Tables for people. A column starts (texts) or ends (numbers) at a place of its own, so that reports of
 * similar runs look alike; where what stands in it or before it is too long for that, the rest of the table
 * moves to the right as far as it has to, in all rows. */

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

/* ---- A record - a struct of results - described once for text and JSON: a table of its fields, from which
 * its members in JSON and its rows in tables are made. A table of fields ends with one that has neither key
 * nor heading. */

/* The value of a field. */
struct value {
    enum value_kind { VALUE_UNKNOWN, VALUE_COUNT, VALUE_PERCENT, VALUE_SECONDS, VALUE_TEXT, VALUE_BOOL } kind;
    union {
        uint64_t count; /* also of VALUE_BOOL */
        double percent; /* in JSON the part of 1, with six places */
        double seconds;
        const char *text;
    };
};

struct record_field {
    const char *key;     /* in JSON; NULL: not there */
    const char *heading; /* in the tables of `tables`; NULL: in none */
    uint32_t tables;     /* as bits */
    uint32_t at; /* where the column ends, of counts, or starts; 0: one step behind the one before it */
    enum record_kind { RECORD_U32, RECORD_U64, RECORD_BOOL, RECORD_TEXT, RECORD_MADE } kind;
    size_t offset;                                                 /* in the record */
    struct value (*make)(const void *record, const void *context); /* of RECORD_MADE */
    bool (*is_known)(const void *context);                         /* NULL: it always is */
};

#define RECORD_STEP 12u

/* Rows of record_field tables. */
#define RECORD_FIELD(key, heading, tables, at, kind, type, member)                                           \
    { key, heading, tables, at, kind, offsetof(type, member), NULL, NULL }
#define RECORD_FIELD_MADE(key, heading, tables, at, make)                                                    \
    { key, heading, tables, at, RECORD_MADE, 0, make, NULL }

/* Writes the fields that have a key into the innermost object. */
void record_json(struct json *json, const struct record_field *fields, const void *record,
                 const void *context);

/* The same as an object of its own. */
void record_object(struct json *json, const char *key, const struct record_field *fields, const void *record,
                   const void *context);

/* Adds the columns of one of the tables (a bit). Those without a place of their own stand at every
 * RECORD_STEP from `from` on. Returns the place of the last one. */
uint32_t record_columns(struct sheet *table, const struct record_field *fields, uint32_t of_table,
                        uint32_t from);

/* Fills as many cells of a row. */
void record_row(struct sheet *table, const struct record_field *fields, uint32_t of_table, const void *record,
                const void *context);

#endif
