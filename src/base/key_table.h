/* A hash table from byte strings, such as the states of a search, to numbers. Keys are kept whole, so that
 * two of them are never taken for one. */
#ifndef WB_BASE_KEY_TABLE_H
#define WB_BASE_KEY_TABLE_H

#include "base/arena.h"
#include "base/status.h"

struct key_slot {
    const uint8_t *key; /* its length in two bytes, then its bytes; NULL: empty */
    uint32_t hash;
    uint32_t value;
};

/* Zero-initialised it is empty. */
struct key_table {
    struct arena arena; /* owns the keys */
    uint8_t *block;     /* keys are packed into blocks */
    size_t block_size, block_left;
    struct key_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t used;
    uint64_t limit; /* most bytes to take, 0: no limit */
    bool refused;   /* memory, as there was no room within the limit */
};

/* Bytes that the table takes. */
static inline uint64_t key_table_bytes(const struct key_table *table) {
    return (uint64_t)table->slot_count * sizeof *table->slots + table->arena.used;
}

/* Whether the key is in the table; then its value is in *value. *hash is set in any case. */
bool key_table_find(const struct key_table *table, const uint8_t *key, size_t length, uint32_t *hash,
                    uint32_t *value);

/* Copies a key so that it can be inserted later; NULL when memory or the limit is exhausted. */
const uint8_t *key_table_keep(struct key_table *table, const uint8_t *key, size_t length);

/* Adds a kept key that is not in the table. WB_ERR_LIMIT when memory or the limit is exhausted. */
wb_status key_table_insert(struct key_table *table, const uint8_t *kept, uint32_t hash, uint32_t value);

void key_table_free(struct key_table *table);

#endif
