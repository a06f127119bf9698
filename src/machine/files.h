/* How machines are read: keys of machine files, and where they come from. */
#ifndef WB_MACHINE_FILES_H
#define WB_MACHINE_FILES_H

#include "base/files.h"
#include "machine/machine.h"

/* A machine file: all its keys, and how it becomes a machine. */

/* Table of struct wb_machine. */
extern const struct field machine_fields[];

/* How the files of machines that time PTX differ from those of machines that time machine code. */
struct isa_keys {
    const char *code, *name;             /* the value of the key `code`; what it is in messages */
    const char *line;                    /* the key as it is printed */
    const char *const *own;              /* keys that only such machines have */
    bool has_marks;                      /* its figures say where they come from */
    const struct field *units, *classes; /* table of struct machine_unit; of an entry of `classes` */
    wb_status (*read_class)(const struct ytree *document, const struct ytree_node *value,
                            struct wb_machine *machine);
    void (*print_classes)(const struct wb_machine *machine, struct text *out);
    /* The rest may be NULL. Whether a document that has been read into the machine fits together;
     * WB_ERR_INPUT with the place. */
    wb_status (*check)(const struct ytree *document, const struct wb_machine *machine);
    /* The same of a machine. False with a sentence of what is wrong in *problem. */
    bool (*fits)(const struct wb_machine *machine, struct text *problem);
    void (*print_core)(const struct wb_machine *machine, struct text *out); /* the last keys */
};

extern const struct isa_keys isa_keys[ISA_COUNT];

/* Whether the key is one of what the machine times: PTX, or machine code. */
bool machine_has_key(const struct wb_machine *machine, const char *key);

/* A machine with every default and nothing that a file must give. */
void machine_defaults(struct wb_machine *machine);

/* Parses a machine file. `name` stands for the file in messages. */
wb_status machine_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                        wb_machine **machine);

/* ---- Rows that blocks written by hand have, too (warp/synthetic), so that both have the same limits ---- */

#define SUB_CORES_ROW(owner) NUMBER_ROW(owner, "sub_cores", sub_cores, 1, 16)
#define ISSUE_WIDTH_ROW(owner) NUMBER_ROW(owner, "issue_width", issue_width, 1, 8)
#define ISSUE_PER_WARP_ROW(owner) NUMBER_ROW(owner, "issue_per_warp", issue_per_warp, 1, 8)
#define DISPATCH_DEPTH_ROW(owner, ...)                                                                       \
    NUMBER_ROW(owner, "dispatch_depth", dispatch_depth, 0, MACHINE_TIME_MAX, .words = depth_words,           \
               __VA_ARGS__)
#define POLICY_ROW(owner) WORD_ROW(owner, "policy", policy, policy_words)
#define BARRIER_RELEASE_ROW(owner) NUMBER_ROW(owner, "barrier_release", barrier_release, 0, MACHINE_TIME_MAX)

/* "unlimited": DEPTH_UNLIMITED. */
extern const char *const depth_words[];
extern const char *const policy_words[]; /* of enum machine_policy */

/* The keys of a machine file that are about machine code: units with queues, classes of machine instructions
 * and the core. */

/* Table of struct machine_unit. */
extern const struct field machine_sass_unit_fields[];

/* Reads the mapping `sass` on top of what *sass says. */
wb_status machine_sass_read(const struct ytree *document, const struct ytree_node *value,
                            struct machine_sass *sass);

/* Reads an entry of `classes`. */
wb_status machine_sass_class_read(const struct ytree *document, const struct ytree_node *value,
                                  struct wb_machine *machine);

/* Whether no circle of units can wait for places behind each other for ever: whatever is under way then goes
 * on (docs/machine-code-bounds.md, section 1). False with a sentence in *problem, and in *closing the class
 * that goes against most others. */
bool machine_sass_ways_check(const struct wb_machine *machine, struct text *problem,
                             enum sass_class *closing);

/* The same of a document that has been read into the machine: WB_ERR_INPUT with the place. */
wb_status machine_sass_ways_read(const struct ytree *document, const struct wb_machine *machine);

/* Whether the parts fit together: units and classes, and what other parts of the machine are to be. False
 * with a sentence of what is wrong in *problem. */
bool machine_sass_fits(const struct wb_machine *machine, struct text *problem);

/* The class as a machine file has it. */
struct sass_class_entry machine_sass_class_entry(const struct wb_machine *machine, enum sass_class class);

/* Whether a machine can have the class like this. False with a sentence of what is wrong in *problem. */
bool machine_sass_class_check(const struct wb_machine *machine, const struct sass_class_entry *entry,
                              struct text *problem);

/* Makes a checked entry the machine's. */
void machine_sass_class_apply(const struct sass_class_entry *entry, struct wb_machine *machine,
                              enum sass_class class);

/* `classes`, and `sass`, which stands behind them. */
void machine_sass_classes_print(const struct wb_machine *machine, struct text *out);
void machine_sass_print(const struct wb_machine *machine, struct text *out);

/* The key `sources` of a machine file: where its figures come from. */

/* Reads the list `sources`; what the machine's base says stays, for what the list does not name. */
wb_status machine_sources_read(const struct ytree *document, const struct ytree_node *value,
                               struct wb_machine *machine);

/* The source of the figure with this key, with dots as in --set, that names most of it; NULL when there is
 * none. */
const struct figure_source *machine_source_of(const struct wb_machine *machine, const char *key);

/* How much it can be relied on: FIGURE_GIVEN when a setting changed it. */
enum figure_mark machine_figure_mark(const struct wb_machine *machine, const char *key);

/* Appends the key, if anything is said. */
void machine_sources_print(const struct wb_machine *machine, struct text *out);

#endif
