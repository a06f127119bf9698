/* YAML files with the place of every value, read into structs by tables of fields (base/field.h).
 *
 * libcyaml reads by schema, too, but reports an error as a line of its log without line and column; every
 * message here names its place. Accepted is the part of YAML that plain data needs: one document of mappings,
 * sequences and scalars. Aliases, anchors and tags are refused, which also rules out files that grow without
 * bound while they are read. (The names start with ytree_, not yaml_: libyaml has a yaml_free of its own, and
 * one program can have one only.) */
#ifndef WB_BASE_YAML_H
#define WB_BASE_YAML_H

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/field.h"
#include "base/file.h"

/* Largest file, deepest nesting, most keys of one mapping. */
#define YTREE_SIZE_MAX SETTINGS_SIZE_MAX
#define YTREE_DEPTH_MAX 16u
#define YTREE_KEYS_MAX 1024u

enum ytree_kind { YTREE_SCALAR, YTREE_LIST, YTREE_MAPPING };

struct ytree_node {
    enum ytree_kind kind;
    bool quoted;      /* of a scalar: written in quotes or as a block */
    uint32_t at;      /* byte offset in the source */
    const char *text; /* of a scalar: NUL-terminated, without a NUL inside; "" when nothing is given */
    const char *key;  /* of a mapping's value */
    uint32_t key_at;  /* byte offset of the key */
    uint32_t count;   /* of a list or mapping: number of values in it */
    struct ytree_node *first; /* of a list or mapping: its values, linked by `next`, in the file's order */
    struct ytree_node *next;
};

struct ytree {
    struct source source; /* text and name are the caller's */
    wb_diagnostics *diagnostics;
    const struct ytree_node *root;
    struct arena arena;
};

/* Parses `size` bytes, which must stay valid as long as the document is used; `name` stands for the file in
 * messages. WB_ERR_INPUT for what is not the YAML described above. Freed with ytree_free, also after an
 * error.
 */
wb_status ytree_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                      struct ytree *document);
void ytree_free(struct ytree *document);

/* The value of a key in a mapping, or NULL. */
const struct ytree_node *ytree_find(const struct ytree_node *mapping, const char *key);

/* Reports an error about a value or about its key; always WB_ERR_INPUT. */
wb_status ytree_error(const struct ytree *document, const struct ytree_node *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
wb_status ytree_key_error(const struct ytree *document, const struct ytree_node *value, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

/* Reports "KEY: expected WHAT, got ..." about a value; always WB_ERR_INPUT. */
wb_status ytree_expected(const struct ytree *document, const struct ytree_node *value, const char *what);

/* WB_OK when the value is of that kind, else an error that `what` was expected. */
wb_status ytree_require(const struct ytree *document, const struct ytree_node *value, enum ytree_kind kind,
                        const char *what);

/* Reads a mapping into the struct `target` by a table of fields. Every unknown key, wrong value and missing
 * required key is reported; members without a key in the file keep their value. */
wb_status ytree_read_fields(const struct ytree *document, const struct ytree_node *mapping,
                            const struct field *fields, void *target);

#endif
