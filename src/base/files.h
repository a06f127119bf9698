/* Files and what is read from them: text, compressed contents, small languages, YAML by tables of fields. */
#ifndef WB_BASE_FILES_H
#define WB_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "warpbound.h"

/* What results are made from: files and texts, with checksums by which they are known again. */

typedef VEC(wb_input) input_list;

/* The description of a text that was read; its path is the caller's. */
wb_input input_of(wb_input_role role, const char *path, const void *bytes, size_t size);

/* The same description with a path of its own in `arena`. WB_ERR_LIMIT, without a message, when memory is
 * exhausted. */
wb_status input_copy(const wb_input *input, struct arena *arena, wb_input *copy);

/* Whether both are the same text in the same role under the same name. */
bool input_equal(const wb_input *a, const wb_input *b);

/* Reading whole files and writing them so that no reader ever sees half of one. */

/* Most bytes of a file of settings. */
#define SETTINGS_SIZE_MAX ((size_t)1 << 20)

/* The path that stands for the standard streams of the process: input where a file is read, output where one
 * is written. */
#define FILE_STREAM "-"

/* Reads `path` (a file, a pipe or FILE_STREAM) to its end, which must come within `most` bytes: no more are
 * read, of a device neither. On success *text is malloc'd, NUL-terminated behind its *size bytes, and the
 * caller's to free. WB_ERR_INPUT when it cannot be read or is larger, WB_ERR_LIMIT when memory is exhausted;
 * both with a message. */
wb_status file_read(const char *path, size_t most, wb_diagnostics *diagnostics, char **text, size_t *size);

/* A file being written: what is written to `fd` stands in a temporary file in the folder of the one at `path`
 * until it is complete, without a name where the file system has such files. Links are followed: the file
 * that they lead to is the one that is replaced, and keeps its rights. Pipes, devices and FILE_STREAM are
 * written at once. */
struct file_output {
    const char *path;
    int fd;
    struct text target;    /* the path with links followed */
    bool unnamed;          /* the temporary file has no name yet */
    struct text temporary; /* its name; empty where there is none */
};

/* Returns 0 or an errno value; only after 0 is there something to be closed. */
int file_output_open(const char *path, struct file_output *output);

/* Puts the file in its place if `error` is 0, else takes it away. Returns `error`, or what went wrong. */
int file_output_close(struct file_output *output, int error);

/* The message that writing failed: WB_ERR_LIMIT where memory is exhausted, else WB_ERR_INPUT. */
wb_status file_write_failed(wb_diagnostics *diagnostics, const char *path, int error);

/* Whether a name ends so, as ".ptx". */
bool file_ends_with(const char *name, const char *ending);

/* What a file is, by its content, where it is given in place of another: a source instead of PTX, a launch
 * file instead of a machine. */

enum content {
    CONTENT_UNKNOWN, /* anything, or too little to tell */
    CONTENT_EMPTY,
    CONTENT_PTX,
    CONTENT_LAUNCH,
    CONTENT_MACHINE,
    CONTENT_FACTS,
    CONTENT_BLOCK, /* written by hand, in YAML: expected, never told */
    CONTENT_CUDA,
    CONTENT_LLVM,
    CONTENT_BITCODE,
    CONTENT_CUBIN,
    CONTENT_FATBIN,
    CONTENT_ELF, /* of the host */
    CONTENT_ARCHIVE,
    CONTENT_LISTING, /* of cuobjdump: PTX with a heading */
    CONTENT_OF_WING  /* which reads such files (base/wing.h) */
};

enum content content_of(const char *text, size_t size);

/* Fails when the text of the file `name` is known to be something else than `expected`: with a message that
 * says what it is, and a note what to do with it. Where PTX is expected, machine code would do, too, and the
 * message says so: whoever asks has seen that it is none. */
wb_status content_expect(enum content expected, const char *name, const char *text, size_t size,
                         wb_diagnostics *diagnostics);

/* Files that the build puts inside the library (cmake/embed.cmake). */

/* One file: its name without directory and extension, its NUL-terminated bytes. */
struct embedded_file {
    const char *name;
    const char *text;
    size_t size;
};

/* Machine descriptions of machines/, sorted by name; the last entry has no name. */
extern const struct embedded_file embedded_presets[];

/* Kernels whose machine code shows what a compiler keeps to, src/calibrate/ptx/, likewise. */
extern const struct embedded_file embedded_calibration[];

/* Style and script of HTML reports, src/report/html/page/, likewise. */
extern const struct embedded_file embedded_html_page[];

/* The reader of small languages: units and programs of blocks written by hand, kernel instruction strings,
 * abstract warps, flow facts, flags. It looks at one character, takes it, or says in one style what is wrong
 * with it: with the line and a caret where the text stands in a file, with the column where it does not. */

/* What may stand between two things and means nothing. */
enum scan_skips {
    SCAN_SPACES = 1,         /* spaces, tabs, line breaks */
    SCAN_HASH_COMMENTS = 2,  /* # to the end of the line */
    SCAN_SLASH_COMMENTS = 4, /* // to the end of the line */
    SCAN_STAR_COMMENTS = 8   /* from / * to * /, as in C */
};

struct scanner {
    const char *text; /* not NUL-terminated in general */
    size_t size;
    size_t at;              /* of the next character */
    unsigned skips;         /* enum scan_skips */
    struct subject subject; /* where the text begins, or who messages are about */
    const char *topic;      /* stands before messages, or NULL */
    wb_diagnostics *diagnostics;
};

/* Reads all of a source. */
struct scanner scanner_of(const struct source *source, unsigned skips, wb_diagnostics *diagnostics);

/* An error about byte `at` of the text; always WB_ERR_INPUT. */
wb_status scan_fail_at(const struct scanner *scanner, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about the next character. */
#define scan_fail(scanner, ...) scan_fail_at((scanner), (scanner)->at, __VA_ARGS__)

/* The next character, or NUL at the end, behind what is skipped. */
char scan_peek(struct scanner *scanner);

/* The next character as it stands: nothing is skipped. */
static inline char scan_here(const struct scanner *scanner) {
    return scanner->at < scanner->size ? scanner->text[scanner->at] : '\0';
}

static inline bool scan_at_end(const struct scanner *scanner) {
    return scanner->at == scanner->size;
}

/* Whether `c` comes next; it is then taken. */
bool scan_accept(struct scanner *scanner, char c);

/* Takes `c`, or fails: "expected 'c'". */
wb_status scan_expect(struct scanner *scanner, char c);

/* Takes a decimal number from `least` to `most`, called `what` in messages. */
wb_status scan_number(struct scanner *scanner, const char *what, uint64_t least, uint64_t most,
                      uint64_t *number);
wb_status scan_u32(struct scanner *scanner, const char *what, uint32_t least, uint32_t most,
                   uint32_t *number);

/* Takes as many characters as belong to a word; the word's length, and its text in *word. */
size_t scan_word(struct scanner *scanner, bool (*belongs)(char c), const char **word);

/* One named value of a struct, described once in a table: how it is read from a file or an option, which
 * values it may have, and how it is printed. A table ends with an entry without a key. */

enum field_kind {
    FIELD_TEXT,  /* char[maximum]: UTF-8 text of 1 to `maximum` - 1 bytes, on one line */
    FIELD_LINES, /* the same on any number of lines */
    FIELD_NAME,  /* like FIELD_TEXT: a letter, then letters, digits, '_' */
    FIELD_U32,   /* uint32_t from minimum to maximum, or UINT32_MAX written as words[0] where `words` is given
                  */
    FIELD_INTERVAL, /* uint32_t as FIELD_U32, the most; and a struct field_least at `least_offset`. As a text
                       "4" (no least is stated), "[3, 4]" or "3..4"; in a file also the list [3, 4] */
    FIELD_REAL,  /* double above 0, at most `maximum`, with at most six places behind the point. Behind it one
                    of `words` may stand, of which each is 1000 of the one before; without one it is
                    `minimum` at least */
    FIELD_BOOL,  /* bool */
    FIELD_WORD,  /* uint32_t: index of one of `words` (NULL-terminated) */
    FIELD_NESTED /* anything else: read by `read` */
};

/* The least of an interval, where one is stated. */
struct field_least {
    bool stated;
    uint32_t value;
};

struct ytree;
struct ytree_node;

struct field {
    const char *key;
    enum field_kind kind;
    bool required;
    size_t offset;       /* in the struct that the table describes */
    size_t least_offset; /* of FIELD_INTERVAL */
    uint32_t minimum, maximum;
    const char *const *words;
    const char *what; /* of FIELD_NESTED: what is expected, for messages */
    /* Of FIELD_NESTED: reads the value into the struct (not into its member at `offset`). */
    wb_status (*read)(const struct ytree *document, const struct ytree_node *value, void *target);
};

/* Rows of tables of struct `owner`; what else there is to say of one stands behind: `.required = true`. */
#define NUMBER_ROW(owner, name, member, least, most, ...)                                                    \
    {                                                                                                        \
        .key = (name), .kind = FIELD_U32, .offset = offsetof(struct owner, member), .minimum = (least),      \
        .maximum = (most), __VA_ARGS__                                                                       \
    }
#define INTERVAL_ROW(owner, name, member, least_member, least, most, ...)                                    \
    {                                                                                                        \
        .key = (name), .kind = FIELD_INTERVAL, .offset = offsetof(struct owner, member),                     \
        .least_offset = offsetof(struct owner, least_member), .minimum = (least), .maximum = (most),         \
        __VA_ARGS__                                                                                          \
    }
#define WORD_ROW(owner, name, member, choices)                                                               \
    { .key = (name), .kind = FIELD_WORD, .offset = offsetof(struct owner, member), .words = (choices) }
#define BOOL_ROW(owner, name, member)                                                                        \
    { .key = (name), .kind = FIELD_BOOL, .offset = offsetof(struct owner, member) }
#define TEXT_ROW(owner, name, member, text_kind, size, ...)                                                  \
    {                                                                                                        \
        .key = (name), .kind = (text_kind), .offset = offsetof(struct owner, member), .maximum = (size),     \
        __VA_ARGS__                                                                                          \
    }
#define NESTED_ROW(name, expected, reader, ...)                                                              \
    { .key = (name), .kind = FIELD_NESTED, .what = (expected), .read = (reader), __VA_ARGS__ }

/* The table's entry of that key, or NULL. */
const struct field *field_find(const struct field *fields, const char *key);

/* Stores what `text` says into `target`. False, with nothing stored, when the text is no such value;
 * FIELD_NESTED has no text and is false, too. */
bool field_store(const struct field *field, const char *text, void *target);

/* Appends what the field expects, such as "a whole number from 1 to 64". */
void field_describe(const struct field *field, struct text *out);

/* Appends the value as YAML that reads back as the same value. Nothing for FIELD_NESTED. */
void field_print(const struct field *field, const void *target, struct text *out);

/* Appends the values of a table as a line of YAML, {key: value, ...}. The first word of a FIELD_WORD is its
 * default and not printed. */
void field_print_flow(const struct field *fields, const void *target, struct text *out);

/* Appends a text as a double-quoted YAML string in ASCII, so that no byte of it can end or change it. */
void field_print_quoted(const char *string, struct text *out);

/* Appends the keys of the table, separated by commas. */
void field_list_keys(const struct field *fields, struct text *out);

/* The key of the table that is spelt like `word`, or NULL. */
const char *field_suggest(const struct field *fields, const char *word);

/* YAML files with the place of every value, read into structs by tables of fields.
 *
 * libcyaml reads by schema, too, but reports an error as a line of its log without line and column; every
 * message here names its place. Accepted is the part of YAML that plain data needs: one document of mappings,
 * sequences and scalars. Aliases, anchors and tags are refused, which also rules out files that grow without
 * bound while they are read. (The names start with ytree_, not yaml_: libyaml has a yaml_free of its own, and
 * one program can have one only.) */

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

/* The same of a text with plain scalars that are no YAML: `shielded` is the text with any YAML of the same
 * size, byte by byte and character by character, in their place; their texts are those of `text`. */
wb_status ytree_parse_shielded(const char *name, const char *text, const char *shielded, size_t size,
                               wb_diagnostics *diagnostics, struct ytree *document);
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
