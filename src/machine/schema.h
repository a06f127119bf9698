/* The parts of a machine file - units, classes, limits -, described once: reading, printing and overriding a
 * machine all go through these tables. */
#ifndef WB_MACHINE_SCHEMA_H
#define WB_MACHINE_SCHEMA_H

#include "base/field.h"
#include "machine/machine.h"

/* Table of struct wb_machine: the keys of `limits`. */
extern const struct field machine_limit_fields[];

/* Table of struct machine_unit. */
extern const struct field machine_unit_fields[];

/* A class as the file has it: the unit by its name. */
struct class_entry {
    char unit[MACHINE_NAME_MAX];
    uint32_t init, latency;
    uint32_t plus; /* enum latency_base */
};

/* Table of it; `{unit: none}` is a whole entry without the keys that the table requires. */
extern const struct field machine_class_fields[];

/* The class with the table's enumerator as the file has it. */
struct class_entry class_entry_of(const struct wb_machine *machine, enum ptx_class class);

/* Whether a machine can have the class like this. False with a sentence of what is wrong in *problem. */
bool class_entry_check(const struct wb_machine *machine, const struct class_entry *entry,
                       struct text *problem);

/* Makes a checked entry the machine's. */
void class_entry_apply(const struct class_entry *entry, struct wb_machine *machine, enum ptx_class class);

/* The index of a unit, UNIT_NONE for "none"; false when the machine has no such unit. */
bool machine_unit_find(const struct wb_machine *machine, const char *name, uint8_t *index);

/* The class of a name; PTX_CLASS_COUNT when there is none. */
enum ptx_class machine_class_find(const char *name);

/* Appends "unknown class 'x'; did you mean 'y'?" or, when nothing is near, all classes. */
void machine_class_unknown(const char *name, struct text *out);

#endif
