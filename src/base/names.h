/* Names that users write: choosing from a registry, and what was probably meant. */
#ifndef WB_BASE_NAMES_H
#define WB_BASE_NAMES_H

#include <stddef.h>

#include "base/diagnostics.h"

/* ---- Choosing from a registry, as an option such as --method does ----------------------------------------
 */

/* The number of a name, or SIZE_MAX; `name_at` gives the name of a number, or NULL past the end. */
size_t choose_index(const char *name, const char *(*name_at)(size_t));

/* The same in *index; an unknown name is WB_ERR_INPUT with a message that lists those that are known; `what`
 * is its origin. */
wb_status choose_name(const char *what, const char *name, const char *(*name_at)(size_t),
                      wb_diagnostics *diagnostics, size_t *index);

/* Chooses from a comma-separated list of names, or "all": bit i of *chosen for the name of number i. Errors
 * as choose_name. */
wb_status choose_names(const char *what, const char *list, const char *(*name_at)(size_t),
                       wb_diagnostics *diagnostics, uint64_t *chosen);

/* ---- Did you mean ...? -----------------------------------------------------------------------------------
 */

/* wb_nearest_name gives the name with the least edit distance to a word (at most a third of its length,
 * rounded to nearest), or else the only one that begins with the word, or one that the word begins
 * with, or else that has it inside. Names
 * longer than SUGGEST_LENGTH_MAX are passed over. */

#define SUGGEST_LENGTH_MAX 64

#endif
