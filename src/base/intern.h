/* Names to small numbers: equal texts get equal numbers, counted from 0, so that a name is hashed once and
 * everything known of it stands in an array. */
#ifndef WB_BASE_INTERN_H
#define WB_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define INTERN_NONE UINT32_MAX

struct intern_entry {
    const char *text; /* not copied: it must outlive the table; not NUL-terminated */
    uint32_t length;
    uint32_t hash;
};

/* Zero-initialised it is empty. */
struct intern {
    VEC(struct intern_entry) entries; /* by number */
    uint32_t *slots;                  /* open addressing: number + 1, or 0 */
    size_t slot_count;                /* a power of two, or 0 */
};

/* The number of a text, or INTERN_NONE when it was never added. */
uint32_t intern_find(const struct intern *intern, const char *text, size_t length);

/* The number of a text, new or old. WB_ERR_LIMIT when memory is exhausted or the text is 4 GB long. */
wb_status intern_add(struct intern *intern, const char *text, size_t length, uint32_t *number);

void intern_free(struct intern *intern);

#endif
