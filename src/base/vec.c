#include "base/vec.h"

#include <stdint.h>

wb_status vec_grow(void **items, size_t *capacity, size_t count, size_t extra, size_t item_size) {
    size_t need;
    if (__builtin_add_overflow(count, extra, &need)) return WB_ERR_LIMIT;
    if (need <= *capacity) return WB_OK;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < need) {
        if (__builtin_mul_overflow(wanted, (size_t)2, &wanted)) return WB_ERR_LIMIT;
    }
    size_t bytes;
    if (__builtin_mul_overflow(wanted, item_size, &bytes)) return WB_ERR_LIMIT;
    void *grown = realloc(*items, bytes);
    if (grown == NULL) return WB_ERR_LIMIT;
    *items = grown;
    *capacity = wanted;
    return WB_OK;
}
