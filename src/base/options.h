/* Structs of options that their callers fill in and that begin with their size, so that a program compiled
 * for an older version of the library, whose structs are shorter, gets what it asked for; and the version. */
#ifndef WB_BASE_OPTIONS_H
#define WB_BASE_OPTIONS_H

#include <stddef.h>

#include "base/diagnostics.h"

/* Copies the options that a caller gave into *own, a struct of `size` bytes of this version's, `name` of
 * which the header has; members that the caller's version does not have are zero, as all are where `given` is
 * NULL. WB_ERR_INPUT with a message when their size was not set, or something is asked for that this version
 * does not have. */
wb_status options_take(const void *given, const char *name, size_t size, void *own,
                       wb_diagnostics *diagnostics);

/* The same of a struct whose type has the name `type`. */
#define OPTIONS_TAKE(type, given, own, diagnostics)                                                          \
    options_take((given), #type, sizeof(type), (own), (diagnostics))

#endif
