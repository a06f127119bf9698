/* Choosing from a registry by names, as an option such as --method does. */
#ifndef WB_BASE_CHOOSE_H
#define WB_BASE_CHOOSE_H

#include "base/diagnostics.h"

/* Chooses from a comma-separated list of names, or "all": bit i of *chosen for the name of number i. `find`
 * gives the number of a name (of so many bytes) or SIZE_MAX, `name_at` the name of a number or NULL past the
 * end. An unknown name is WB_ERR_INPUT with a message that lists those that are known; `what` is its origin.
 */
wb_status choose_names(const char *what, const char *list, size_t (*find)(const char *, size_t),
                       const char *(*name_at)(size_t), wb_diagnostics *diagnostics, uint64_t *chosen);

#endif
