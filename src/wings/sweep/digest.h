/* Checksums of the files that a unit is made from. */
#ifndef WB_WINGS_SWEEP_DIGEST_H
#define WB_WINGS_SWEEP_DIGEST_H

#include "wings/sweep/sweep.h"

/* One checksum of all files behind a value of an axis of files: of a launch file those of the files that it
 * names or that stand beside it, too; of a machine those of its bases. Files that cannot be read have one of
 * their own. NULL when memory is exhausted. */
const char *digest_value(wb_sweep *sweep, const struct axis_row *row, struct axis_value *value);

/* The checksum of a text, into 65 bytes. */
void digest_text(const char *text, size_t length, char digest[WB_SHA256_DIGITS + 1]);

#endif
