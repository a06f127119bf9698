/* A machine file: all its keys, and how it becomes a machine. */
#ifndef WB_MACHINE_KEYS_H
#define WB_MACHINE_KEYS_H

#include "base/field.h"
#include "machine/machine.h"

/* Table of struct wb_machine. */
extern const struct field machine_fields[];

/* A machine with every default and nothing that a file must give. */
void machine_defaults(struct wb_machine *machine);

/* Parses a machine file. `name` stands for the file in messages. */
wb_status machine_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                        wb_machine **machine);

#endif
