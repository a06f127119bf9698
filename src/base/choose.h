/* Choosing from a registry by names, as an option such as --method does. `name_at` gives the name of a
 * number, or NULL past the end. */
#ifndef WB_BASE_CHOOSE_H
#define WB_BASE_CHOOSE_H

#include "base/diagnostics.h"

/* The number of a name, or SIZE_MAX. */
size_t choose_index(const char *name, const char *(*name_at)(size_t));

/* The same in *index; an unknown name is WB_ERR_INPUT with a message that lists those that are known; `what`
 * is its origin. */
wb_status choose_name(const char *what, const char *name, const char *(*name_at)(size_t),
                      wb_diagnostics *diagnostics, size_t *index);

/* Chooses from a comma-separated list of names, or "all": bit i of *chosen for the name of number i. Errors
 * as choose_name. */
wb_status choose_names(const char *what, const char *list, const char *(*name_at)(size_t),
                       wb_diagnostics *diagnostics, uint64_t *chosen);

#endif
