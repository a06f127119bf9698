/* Hash tables, random numbers, checksums. */
#ifndef WB_BASE_CONTAINERS_H
#define WB_BASE_CONTAINERS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"

/* The hash table: open addressing over what is kept elsewhere, with an equality of the user's. On it, numbers
 * for names (struct intern) and values for byte strings that a search keeps (struct key_table).
 *
 * Where another layout is worth it, another table stands beside: memory/requests/number_table (emptied in
 * constant time), sim/fetch_table (takes out, youngest first), makespan/exact/layer_search (sorted and placed
 * anew, and memory is what limits it).
 */

/* The hash of some bytes, eight at a time: a multiplication spreads them, the shift brings the high bits
 * down. */
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

/* ---- The table ----------------------------------------------------------------------------------------- */

struct table_slot {
    const void *key; /* the user's */
    uint32_t hash;   /* 0: the slot is empty */
    uint32_t value;
};

/* Zero-initialised it is empty. */
struct table {
    struct table_slot *slots;
    size_t slot_count; /* a power of two, or 0; at most three quarters are taken */
    size_t used;
};

/* Whether an entry of the same hash is what is looked for. */
typedef bool (*table_same)(const struct table_slot *slot, const void *wanted);

/* Entries with hash 0 are kept under 1. */
static inline uint32_t table_hash(uint32_t hash) {
    return hash == 0 ? 1 : hash;
}

/* The entry that is the same as `wanted`, or NULL. */
static inline const struct table_slot *table_find(const struct table *table, uint32_t hash, table_same same,
                                                  const void *wanted) {
    hash = table_hash(hash);
    if (table->slot_count == 0) return NULL;
    assert((table->slot_count & (table->slot_count - 1)) == 0 && table->used < table->slot_count);
    for (size_t at = hash & (table->slot_count - 1); table->slots[at].hash != 0;
         at = (at + 1) & (table->slot_count - 1)) {
        const struct table_slot *slot = &table->slots[at];
        if (slot->hash == hash && same(slot, wanted)) return slot;
    }
    return NULL;
}

/* Adds an entry that is not in the table. WB_ERR_LIMIT when memory is exhausted. */
wb_status table_insert(struct table *table, uint32_t hash, const void *key, uint32_t value);

void table_free(struct table *table);

/* ---- Names to numbers ---------------------------------------------------------------------------------- */

#define INTERN_NONE UINT32_MAX

struct intern_entry {
    const char *text; /* not NUL-terminated */
    uint32_t length;
};

/* Equal texts get equal numbers, counted from 0, so that a name is hashed once and everything known of it
 * stands in an array. Zero-initialised it is empty. */
struct intern {
    VEC(struct intern_entry) entries; /* by number */
    struct table table;
    struct arena copies;
};

/* The number of a text, or INTERN_NONE when it was never added. */
uint32_t intern_find(const struct intern *intern, const void *text, size_t length);

/* The number of a text, new or old; it is not copied and must outlive the table. WB_ERR_LIMIT when memory is
 * exhausted or the text is 4 GB long. */
wb_status intern_add(struct intern *intern, const void *text, size_t length, uint32_t *number);

/* The same of a text that is copied when it is new. */
wb_status intern_copy(struct intern *intern, const void *text, size_t length, uint32_t *number, bool *is_new);

void intern_free(struct intern *intern);

/* ---- Keys of a search to values ------------------------------------------------------------------------ */

/* From byte strings, such as the states of a search, to numbers, within a limit of memory. Keys are kept
 * whole, so that two of them are never taken for one, and packed. Zero-initialised it is empty. */
struct key_table {
    struct table table; /* keys: their length in two bytes, then their bytes */
    struct arena arena; /* owns them */
    uint8_t *block;     /* they are packed into blocks */
    size_t block_size, block_left;
    uint64_t limit; /* most bytes to take, 0: no limit */
    bool refused;   /* memory, as there was no room within the limit */
};

/* Bytes that the table takes. */
static inline uint64_t key_table_bytes(const struct key_table *table) {
    return (uint64_t)table->table.slot_count * sizeof *table->table.slots + table->arena.used;
}

/* Whether the key is in the table; then its value is in *value. *hash is set in any case. */
bool key_table_find(const struct key_table *table, const uint8_t *key, size_t length, uint32_t *hash,
                    uint32_t *value);

/* Copies a key so that it can be inserted later; NULL when memory or the limit is exhausted, or the key is 64
 * KiB long. */
const uint8_t *key_table_keep(struct key_table *table, const uint8_t *key, size_t length);

/* Adds a kept key that is not in the table. WB_ERR_LIMIT when memory or the limit is exhausted. */
wb_status key_table_insert(struct key_table *table, const uint8_t *kept, uint32_t hash, uint32_t value);

void key_table_free(struct key_table *table);

/* Random numbers, and chances, for tests, searches and buffer contents: the same seed gives the same numbers
 * everywhere. */

struct random_state {
    uint64_t state;
};

static inline struct random_state random_seeded(uint64_t seed) {
    return (struct random_state){seed};
}

/* The next 64 random bits (splitmix64: Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t random_next(struct random_state *random) {
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number below `bound` (at least 1), without modulo bias that a test of this size could see. */
static inline uint64_t random_below(struct random_state *random, uint64_t bound) {
    assert(bound > 0);
    return (uint64_t)(((unsigned __int128)random_next(random) * bound) >> 64);
}

/* Chances of simulated annealing: exp(-x) for x >= 0, the same on every machine, bit for bit, which a
 * library's is not, but for some 10^-12 of it: by its series where x is small, to which halving leads. Only
 * sums, products and quotients of doubles, each of which IEEE 754 determines. */
static inline double decay(double x) {
    unsigned halved = 0;
    if (!(x < 700)) return 0;
    for (; x > 0.125; halved++)
        x *= 0.5;
    double value = 1;
    for (unsigned term = 12; term > 0; term--)
        value = 1 - x / term * value;
    for (; halved > 0; halved--)
        value *= value;
    return value;
}

/* Checksums that tell a text that was changed by mistake: FNV-1a, 64 bits. Who has to know a file again asks
 * for its SHA-256 (base.h). */

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
