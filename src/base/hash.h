/* Hashing of bytes, for tables. */
#ifndef WB_BASE_HASH_H
#define WB_BASE_HASH_H

#include <stdint.h>
#include <string.h>

/* Eight bytes at a time: a multiplication spreads them, the shift brings the high bits down. */
static inline uint32_t hash_bytes(const void *bytes, size_t length) {
    const unsigned char *at = bytes;
    uint64_t hash = length * UINT64_C(0x9e3779b97f4a7c15);
    while (length > 0) {
        uint64_t word = 0;
        size_t taken = length < sizeof word ? length : sizeof word;
        memcpy(&word, at, taken);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
        at += taken;
        length -= taken;
    }
    return (uint32_t)(hash ^ (hash >> 15));
}

#endif
