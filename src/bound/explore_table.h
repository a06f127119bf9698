/* What has been found of each state: a hash table from the bytes of a state to a number. Keys are kept whole,
 * so that two states are never taken for one. */
#ifndef WB_BOUND_EXPLORE_TABLE_H
#define WB_BOUND_EXPLORE_TABLE_H

#include "base/arena.h"
#include "base/status.h"

struct explore_slot {
    const uint8_t *key; /* its length in two bytes, then its bytes; NULL: empty */
    uint32_t hash;
    uint32_t value;
};

/* Zero-initialised it is empty. */
struct explore_table {
    struct arena arena; /* owns the keys */
    uint8_t *block;     /* keys are packed into blocks */
    size_t block_left;
    struct explore_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t used;
};

/* Whether the key is in the table; then its value is in *value. *hash is set in any case. */
bool explore_table_find(const struct explore_table *table, const uint8_t *key, size_t length, uint32_t *hash,
                        uint32_t *value);

/* Copies a key so that it can be inserted later; NULL when memory is exhausted. */
const uint8_t *explore_table_keep(struct explore_table *table, const uint8_t *key, size_t length);

/* Adds a kept key that is not in the table. WB_ERR_LIMIT when memory is exhausted. */
wb_status explore_table_insert(struct explore_table *table, const uint8_t *kept, uint32_t hash,
                               uint32_t value);

void explore_table_free(struct explore_table *table);

#endif
