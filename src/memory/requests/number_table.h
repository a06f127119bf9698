/* Numbers for keys of 64 bits, such as lines of memory: 0, 1, 2, ... in the order in which they are first
 * asked for. */
#ifndef WB_MEMORY_REQUESTS_NUMBER_TABLE_H
#define WB_MEMORY_REQUESTS_NUMBER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct number_slot {
    uint64_t key;
    uint32_t number;
    uint32_t filling; /* that it belongs to; 0: empty */
};

/* With nothing but its arena set, which is protected, it is empty. */
struct number_table {
    struct arena *arena;
    struct number_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    uint32_t count;    /* keys that have numbers */
    uint32_t filling;  /* grows when the table is emptied, which leaves the slots alone */
};

/* The number of a key, which gets the next one if it has none. */
uint32_t number_table_number(struct number_table *table, uint64_t key);

/* Whether a key has a number; then it is in *number. */
bool number_table_find(const struct number_table *table, uint64_t key, uint32_t *number);

/* Empties the table in constant time. */
void number_table_clear(struct number_table *table);

#endif
