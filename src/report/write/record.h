/* A record - a struct of results - described once for text and JSON: a table of its fields, from which its
 * members in JSON and its rows in tables are made. A table of fields ends with one that has neither key nor
 * heading. */
#ifndef WB_REPORT_WRITE_RECORD_H
#define WB_REPORT_WRITE_RECORD_H

#include <stddef.h>

#include "report/write/json.h"
#include "report/write/sheet.h"

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
};

#define RECORD_STEP 12u

/* Rows of record_field tables. */
#define RECORD_FIELD(key, heading, tables, at, kind, type, member)                                           \
    { key, heading, tables, at, kind, offsetof(type, member), NULL }
#define RECORD_FIELD_MADE(key, heading, tables, at, make)                                                    \
    { key, heading, tables, at, RECORD_MADE, 0, make }

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
