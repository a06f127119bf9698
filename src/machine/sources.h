/* The key `sources` of a machine file: where its figures come from. */
#ifndef WB_MACHINE_SOURCES_H
#define WB_MACHINE_SOURCES_H

#include "base/yaml.h"
#include "machine/machine.h"

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
