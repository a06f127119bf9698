/* What the writers of launch files that are to be completed share. */
#ifndef WB_REPORT_FLOW_TEMPLATE_H
#define WB_REPORT_FLOW_TEMPLATE_H

#include "base/base.h"
#include "debug/types.h"

/* Appends a comment behind what was written: control characters, which would end it, become '?'. */
void template_comment(struct text *out, const char *comment);

/* Appends the argument for a parameter of `size` bytes that is a struct or vector, each value as a blank.
 * False: nothing is, as the type is another one, or cannot be described. */
bool template_put_type(struct text *out, const struct host_type *type, uint64_t size, const char *comment);

#endif
