#include "report/write/write.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Tables ------------------------------------------------------------------------------------------ */

/* Marks the end of a row in the list of cells. */
#define END_OF_ROW UINT32_MAX

/* The same of a style of the row that follows, which is its length. */
#define STYLE_OF_ROW (UINT32_MAX - 1)

/* A column of texts that does not fit in behind the one before it moves by so many characters at a time:
 * tables of similar runs still look alike. */
#define LEFT_STEP 7u

void sheet_column(struct sheet *sheet, enum sheet_side side, uint32_t at, const char *heading) {
    const struct sheet_place column = {.side = side, .heading = heading, .at = at};
    if (vec_push(&sheet->columns, column) != WB_OK) sheet->words.failed = true;
}

void sheet_headings(struct sheet *sheet) {
    for (size_t c = 0; c < sheet->columns.count; c++)
        sheet_text(sheet, sheet->columns.items[c].heading);
    sheet_end_row(sheet);
}

/* The characters of a text: bytes that begin one in UTF-8. */
static uint32_t text_width(const char *text, size_t length) {
    uint32_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

struct text *sheet_begin_cell(struct sheet *sheet) {
    sheet->start = sheet->words.length;
    return &sheet->words;
}

void sheet_end_cell(struct sheet *sheet, bool spans) {
    struct text *words = &sheet->words;
    const struct sheet_cell cell = {
        .start = sheet->start, .length = (uint32_t)(words->length - sheet->start), .column = sheet->column++};
    if (words->failed || cell.length == 0) return;
    assert(cell.column < sheet->columns.count);
    if (!spans) sheet_expect(sheet, cell.column, text_width(words->data + cell.start, cell.length));
    if (vec_push(&sheet->cells, cell) != WB_OK) words->failed = true;
}

void sheet_text(struct sheet *sheet, const char *text) {
    text_string(sheet_begin_cell(sheet), text);
    sheet_end_cell(sheet, false);
}

void sheet_count(struct sheet *sheet, uint64_t count) {
    text_printf(sheet_begin_cell(sheet), "%" PRIu64, count);
    sheet_end_cell(sheet, false);
}

void sheet_printf(struct sheet *sheet, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(sheet_begin_cell(sheet), format, arguments);
    va_end(arguments);
    sheet_end_cell(sheet, false);
}

void sheet_span(struct sheet *sheet, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(sheet_begin_cell(sheet), format, arguments);
    va_end(arguments);
    sheet_end_cell(sheet, true);
}

void sheet_skip(struct sheet *sheet) {
    sheet->column++;
}

void sheet_row_style(struct sheet *sheet, enum layout_style style) {
    const struct sheet_cell cell = {.column = STYLE_OF_ROW, .length = (uint32_t)style};
    assert(sheet->column == 0);
    if (sheet->layout == NULL || !sheet->layout->color) return;
    if (vec_push(&sheet->cells, cell) != WB_OK) sheet->words.failed = true;
}

void sheet_end_row(struct sheet *sheet) {
    const struct sheet_cell end = {.column = END_OF_ROW};
    if (vec_push(&sheet->cells, end) != WB_OK) sheet->words.failed = true;
    sheet->column = 0;
}

void sheet_expect(struct sheet *sheet, uint32_t column, size_t width) {
    if (column < sheet->columns.count && width > sheet->columns.items[column].width)
        sheet->columns.items[column].width = (uint32_t)width;
}

/* Finds where each column starts: one character at least behind the one before it. */
static void place_columns(struct sheet *sheet) {
    uint32_t free = 0; /* the first place that the columns so far leave */
    for (size_t c = 0; c < sheet->columns.count; c++) {
        struct sheet_place *column = &sheet->columns.items[c];
        const uint32_t at = column->at, width = column->width;
        if (column->side == SHEET_RIGHT)
            column->start = at >= free + width ? at - width : free;
        else
            column->start = at >= free ? at : at + (free - at + LEFT_STEP - 1) / LEFT_STEP * LEFT_STEP;
        if (width > 0) free = column->start + width + 1;
    }
}

void sheet_print(struct sheet *sheet, struct text *out) {
    uint32_t used = 0; /* characters of the line so far */
    enum layout_style style = STYLE_PLAIN;
    assert(sheet->column == 0);
    place_columns(sheet);
    out->failed |= sheet->words.failed;
    for (size_t i = 0; !out->failed && i < sheet->cells.count; i++) {
        const struct sheet_cell *cell = &sheet->cells.items[i];
        if (cell->column == STYLE_OF_ROW) {
            style = (enum layout_style)cell->length;
            layout_begin(out, sheet->layout, style);
            continue;
        }
        if (cell->column == END_OF_ROW) {
            if (style != STYLE_PLAIN) layout_end(out, sheet->layout, style);
            style = STYLE_PLAIN;
            text_char(out, '\n');
            used = 0;
            continue;
        }
        const struct sheet_place *column = &sheet->columns.items[cell->column];
        const char *text = sheet->words.data + cell->start;
        const uint32_t width = text_width(text, cell->length), end = column->start + column->width;
        uint32_t start = column->start;
        if (column->side == SHEET_RIGHT) start = end > width ? end - width : 0;
        if (used > 0 && start <= used) start = used + 1;
        for (; used < start; used++)
            text_char(out, ' ');
        text_append(out, text, cell->length);
        used += width;
    }
    sheet->cells.count = 0;
    sheet->words.length = 0;
}

void sheet_close(struct sheet *sheet, struct text *out) {
    sheet_print(sheet, out);
    vec_free(&sheet->columns);
    vec_free(&sheet->cells);
    text_free(&sheet->words);
}

/* ---- Records ----------------------------------------------------------------------------------------- */

static struct value value_of(const struct record_field *field, const void *record, const void *context) {
    const void *member = (const char *)record + field->offset;
    if (field->is_known != NULL && !field->is_known(context)) return (struct value){0};
    switch (field->kind) {
    case RECORD_U32: return (struct value){VALUE_COUNT, {.count = *(const uint32_t *)member}};
    case RECORD_U64: return (struct value){VALUE_COUNT, {.count = *(const uint64_t *)member}};
    case RECORD_BOOL: return (struct value){VALUE_BOOL, {.count = *(const bool *)member}};
    case RECORD_TEXT: return (struct value){VALUE_TEXT, {.text = *(const char *const *)member}};
    case RECORD_MADE: break;
    }
    assert(field->make != NULL);
    return field->make(record, context);
}

static bool is_end(const struct record_field *field) {
    return field->key == NULL && field->heading == NULL;
}

void record_json(struct json *json, const struct record_field *fields, const void *record,
                 const void *context) {
    for (const struct record_field *field = fields; !is_end(field); field++) {
        if (field->key == NULL) continue;
        const struct value value = value_of(field, record, context);
        switch (value.kind) {
        case VALUE_UNKNOWN: json_put_null(json, field->key); break;
        case VALUE_COUNT: json_put_count(json, field->key, value.count); break;
        case VALUE_PERCENT: json_put_real(json, field->key, round(value.percent * 1e4) / 1e6); break;
        case VALUE_SECONDS: json_put_real(json, field->key, value.seconds); break;
        case VALUE_TEXT: json_put_text(json, field->key, value.text); break;
        case VALUE_BOOL: json_put_bool(json, field->key, value.count != 0); break;
        }
    }
}

void record_object(struct json *json, const char *key, const struct record_field *fields, const void *record,
                   const void *context) {
    json_open_object(json, key);
    record_json(json, fields, record, context);
    json_close(json);
}

static bool is_shown(const struct record_field *field, uint32_t of_table) {
    return field->heading != NULL && (field->tables & of_table) != 0;
}

uint32_t record_columns(struct sheet *table, const struct record_field *fields, uint32_t of_table,
                        uint32_t from) {
    uint32_t at = from;
    for (const struct record_field *field = fields; !is_end(field); field++) {
        if (!is_shown(field, of_table)) continue;
        at = field->at != 0 ? field->at : at + RECORD_STEP;
        sheet_column(table, field->kind == RECORD_TEXT ? SHEET_LEFT : SHEET_RIGHT, at, field->heading);
    }
    return at;
}

void record_row(struct sheet *table, const struct record_field *fields, uint32_t of_table, const void *record,
                const void *context) {
    for (const struct record_field *field = fields; !is_end(field); field++) {
        if (!is_shown(field, of_table)) continue;
        const struct value value = value_of(field, record, context);
        switch (value.kind) {
        case VALUE_UNKNOWN: sheet_text(table, "-"); break;
        case VALUE_COUNT: sheet_count(table, value.count); break;
        case VALUE_PERCENT: sheet_printf(table, "%.2f %%", value.percent); break;
        case VALUE_SECONDS: sheet_printf(table, "%.3f s", value.seconds); break;
        case VALUE_TEXT: sheet_text(table, value.text); break;
        case VALUE_BOOL: sheet_text(table, value.count != 0 ? "yes" : "no"); break;
        }
    }
}
