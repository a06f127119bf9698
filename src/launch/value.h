/* Types and values of arguments and buffer elements, as a launch writes them. */
#ifndef WB_LAUNCH_VALUE_H
#define WB_LAUNCH_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "ptx/opcode.h"

/* The type of a name such as "i32" (i: like s), PTX_TYPE_NONE for a name that a launch cannot use. */
enum ptx_type value_type(const char *name, size_t length);

/* Appends the names of all types. */
void value_list_types(struct text *out);

/* Whether values of the type can be written; of the 16-bit floats only raw bytes can be given. */
bool value_writable(enum ptx_type type);

/* The bits of a value of that type; false when the text is none or is out of the type's range. */
bool value_parse(enum ptx_type type, const char *text, size_t length, uint64_t *bits);

/* Appends what value_parse expects of that type. */
void value_describe(enum ptx_type type, struct text *out);

/* The bits of element `index` of a buffer that counts 0, 1, 2 ..., and of a random one. */
uint64_t value_iota(enum ptx_type type, uint64_t index);
uint64_t value_random(enum ptx_type type, uint64_t random);

#endif
