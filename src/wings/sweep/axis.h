/* What a sweep can vary: options of the commands that units run, and keys of the machine. */
#ifndef WB_WINGS_SWEEP_AXIS_H
#define WB_WINGS_SWEEP_AXIS_H

#include "base/wing.h"

/* The rows, in the order in which parameters are listed; NULL past the end. The last one is that of the keys
 * of the machine, which have no key of their own here. */
const struct axis_row *axis_at(size_t index);

/* The row of a parameter that is no key of the machine, or NULL. */
const struct axis_row *axis_named(const char *key);

/* The row of all parameters that have names of their own: single arguments, keys of the machine. */
const struct axis_row *axis_of_kind(enum axis_kind kind);

/* The unit of a parameter, be it of a row or a key of the machine; NULL: it has none. */
const char *axis_unit(const char *name);

/* How two names of parameters are ordered: those of rows as the rows are, keys of the machine behind them by
 * their names. Less than, equal to, or greater than 0. */
int axis_compare(const char *a, const char *b);

#endif
