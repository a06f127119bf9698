/* The keys of a machine file that are about machine code: units with queues, classes of machine instructions
 * and the core. */
#ifndef WB_MACHINE_SASS_KEYS_H
#define WB_MACHINE_SASS_KEYS_H

#include "base/yaml.h"
#include "machine/machine.h"

/* Table of struct machine_unit: machine_unit_fields, or that of machines that time machine code. */
const struct field *machine_unit_table(const struct wb_machine *machine);

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

/* Appends "unknown class 'x'; did you mean 'y'?" or, when nothing is near, all classes. */
void machine_sass_class_unknown(const char *name, struct text *out);

/* `classes`, and `sass`, which stands behind them. */
void machine_sass_classes_print(const struct wb_machine *machine, struct text *out);
void machine_sass_print(const struct wb_machine *machine, struct text *out);

#endif
