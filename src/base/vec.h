/* Growable arrays of any item type. A zero-initialised array is empty; vec_free gives its memory back. */
#ifndef WB_BASE_VEC_H
#define WB_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#include "base/status.h"

#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *items;                                                                                         \
        size_t count;                                                                                        \
        size_t capacity;                                                                                     \
    }

/* Makes room for `extra` more items after `count`. */
wb_status vec_grow(void **items, size_t *capacity, size_t count, size_t extra, size_t item_size);

/* Appends one item: WB_OK, or WB_ERR_LIMIT when memory is exhausted (the array is as it was). */
#define vec_push(vec, item)                                                                                  \
    (vec_reserve(vec, 1) == WB_OK ? ((vec)->items[(vec)->count++] = (item), WB_OK) : WB_ERR_LIMIT)

#define vec_reserve(vec, extra)                                                                              \
    ((vec)->capacity - (vec)->count >= (extra)                                                               \
         ? WB_OK                                                                                             \
         : vec_grow((void **)&(vec)->items, &(vec)->capacity, (vec)->count, (extra), sizeof *(vec)->items))

#define vec_free(vec)                                                                                        \
    do {                                                                                                     \
        free((vec)->items);                                                                                  \
        (vec)->items = NULL;                                                                                 \
        (vec)->count = (vec)->capacity = 0;                                                                  \
    } while (0)

#endif
