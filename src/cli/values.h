/* Values of options as users write them. */
#ifndef WB_CLI_VALUES_H
#define WB_CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole number, decimal or hexadecimal (0x...), without a sign, from `least` to `most`; false, with nothing
 * stored, when the text is something else. */
bool read_number(const char *text, size_t length, uint64_t least, uint64_t most, uint64_t *number);

/* "X[,Y[,Z]]", of which those left out are `rest`; false when it is something else. */
bool read_dimensions(const char *text, uint32_t rest, uint32_t dimensions[3]);

/* Seconds above 0: digits, with a point between them. */
bool read_seconds(const char *text, double *seconds);

#endif
