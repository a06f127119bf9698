#include "report/write/record.h"

#include <assert.h>
#include <math.h>

static struct value value_of(const struct record_field *field, const void *record, const void *context) {
    const void *member = (const char *)record + field->offset;
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
