/* Checksums that tell a text that was changed by mistake: FNV-1a, 64 bits. Who has to know a file again asks
 * for its SHA-256 (input.h). */
#ifndef WB_BASE_CHECKSUM_H
#define WB_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of nothing. */
#define CHECKSUM_START UINT64_C(0xcbf29ce484222325)

/* Of what `sum` is of, and these bytes behind it. */
static inline uint64_t checksum_add(uint64_t sum, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    return sum;
}

#endif
