#include "sim/memory/memory.h"

#include <assert.h>
#include <stdlib.h>

/* Size of the first table, a power of two; largest size. */
#define FETCH_TABLE_MIN 64u
#define FETCH_TABLE_MAX (1u << 30)

static void link_fetch(struct fetch_table *table, uint32_t fetch) {
    uint32_t *bucket = &table->buckets[fetch_table_bucket(table, table->items[fetch].sector)];
    table->items[fetch].chain = *bucket;
    *bucket = fetch;
}

/* Doubles a full table. Fetches have the numbers 0, 1, ... in any order of age then, so the chains are made
 * again from the old ones, oldest first. */
static wb_status grow(struct fetch_table *table) {
    if (table->size >= FETCH_TABLE_MAX) return WB_ERR_LIMIT;
    uint32_t old_size = table->size, *old = table->buckets;
    uint32_t size = old_size == 0 ? FETCH_TABLE_MIN : old_size * 2;
    struct fetch *items = realloc(table->items, size * sizeof *items);
    if (items == NULL) return WB_ERR_LIMIT;
    table->items = items;
    uint32_t *buckets = malloc(size * sizeof *buckets);
    if (buckets == NULL) return WB_ERR_LIMIT;
    for (uint32_t i = 0; i < size; i++)
        buckets[i] = FETCH_NONE;
    table->buckets = buckets;
    table->size = size;
    table->shift = 64 - (uint32_t)__builtin_ctz(size);
    for (uint32_t b = 0; b < old_size; b++) {
        uint32_t reversed = FETCH_NONE;
        for (uint32_t fetch = old[b], next; fetch != FETCH_NONE; fetch = next) {
            next = items[fetch].chain;
            items[fetch].chain = reversed;
            reversed = fetch;
        }
        for (uint32_t fetch = reversed, next; fetch != FETCH_NONE; fetch = next) {
            next = items[fetch].chain;
            link_fetch(table, fetch);
        }
    }
    free(old);
    table->free = old_size;
    for (uint32_t i = old_size; i < size; i++)
        items[i].chain = i + 1 < size ? i + 1 : FETCH_NONE;
    return WB_OK;
}

wb_status fetch_table_add(struct fetch_table *table, uint64_t sector, uint32_t *fetch) {
    if (table->used == table->size) WB_TRY(grow(table));
    uint32_t taken = table->free;
    table->free = table->items[taken].chain;
    table->used++;
    table->items[taken] = (struct fetch){
        .sector = sector, .data_at = CYCLES_SATURATED, .waiting = FETCH_NONE, .later = FETCH_NONE};
    link_fetch(table, taken);
    *fetch = taken;
    return WB_OK;
}

void fetch_table_remove(struct fetch_table *table, uint32_t fetch) {
    assert(table->used > 0 && fetch < table->size);
    uint32_t *at = &table->buckets[fetch_table_bucket(table, table->items[fetch].sector)];
    while (*at != fetch) {
        assert(*at != FETCH_NONE);
        at = &table->items[*at].chain;
    }
    *at = table->items[fetch].chain;
    table->items[fetch].chain = table->free;
    table->free = fetch;
    table->used--;
}

void fetch_table_free(struct fetch_table *table) {
    free(table->items);
    free(table->buckets);
    *table = (struct fetch_table){0};
}
