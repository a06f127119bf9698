/* YAML files with the place of every value, read into structs by tables of fields (base/field.h).
 *
 * libcyaml reads by schema, too, but reports an error as a line of its log without line and column; every
 * message here names its place. Accepted is the part of YAML that plain data needs: one document of mappings,
 * sequences and scalars. Aliases, anchors and tags are refused, which also rules out files that grow without
 * bound while they are read. */
#ifndef WB_BASE_YAML_H
#define WB_BASE_YAML_H

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/field.h"

/* Largest file, deepest nesting, most keys of one mapping. */
#define YAML_SIZE_MAX ((size_t)1 << 20)
#define YAML_DEPTH_MAX 16u
#define YAML_KEYS_MAX 1024u

enum yaml_kind { YAML_KIND_SCALAR, YAML_KIND_LIST, YAML_KIND_MAPPING };

struct yaml_value {
    enum yaml_kind kind;
    bool quoted;      /* of a scalar: written in quotes or as a block */
    uint32_t at;      /* byte offset in the source */
    const char *text; /* of a scalar: NUL-terminated, without a NUL inside; "" when nothing is given */
    const char *key;  /* of a mapping's value */
    uint32_t key_at;  /* byte offset of the key */
    uint32_t count;   /* of a list or mapping: number of values in it */
    struct yaml_value *first; /* of a list or mapping: its values, linked by `next`, in the file's order */
    struct yaml_value *next;
};

struct yaml_document {
    struct source source; /* text and name are the caller's */
    wb_diagnostics *diagnostics;
    const struct yaml_value *root;
    struct arena arena;
};

/* Parses `size` bytes, which must stay valid as long as the document is used; `name` stands for the file in
 * messages. WB_ERR_INPUT for what is not the YAML described above. Freed with yaml_free, also after an error.
 */
wb_status yaml_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                     struct yaml_document *document);
void yaml_free(struct yaml_document *document);

/* The value of a key in a mapping, or NULL. */
const struct yaml_value *yaml_find(const struct yaml_value *mapping, const char *key);

/* Reports an error about a value or about its key; always WB_ERR_INPUT. */
wb_status yaml_error(const struct yaml_document *document, const struct yaml_value *value, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));
wb_status yaml_key_error(const struct yaml_document *document, const struct yaml_value *value,
                         const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Reports "KEY: expected WHAT, got ..." about a value; always WB_ERR_INPUT. */
wb_status yaml_expected(const struct yaml_document *document, const struct yaml_value *value,
                        const char *what);

/* WB_OK when the value is of that kind, else an error that `what` was expected. */
wb_status yaml_require(const struct yaml_document *document, const struct yaml_value *value,
                       enum yaml_kind kind, const char *what);

/* Reads a mapping into the struct `target` by a table of fields. Every unknown key, wrong value and missing
 * required key is reported; members without a key in the file keep their value. */
wb_status yaml_read_fields(const struct yaml_document *document, const struct yaml_value *mapping,
                           const struct field *fields, void *target);

#endif
