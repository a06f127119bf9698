#include "base/key_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define TABLE_SLOTS_MIN ((size_t)1 << 8)

/* Blocks double from the first to the last: some searches are over after a few states, and there are many of
 * them. Every block has room for a key. */
#define TABLE_BLOCK_MIN ((size_t)1 << 12)
#define TABLE_BLOCK_MAX ((size_t)1 << 20)

static size_t kept_length(const uint8_t *kept) {
    return (size_t)kept[0] | (size_t)kept[1] << 8;
}

bool key_table_find(const struct key_table *table, const uint8_t *key, size_t length, uint32_t *hash,
                    uint32_t *value) {
    *hash = hash_bytes(key, length);
    if (table->slot_count == 0) return false;
    for (size_t at = *hash & (table->slot_count - 1); table->slots[at].key != NULL;
         at = (at + 1) & (table->slot_count - 1)) {
        const struct key_slot *slot = &table->slots[at];
        if (slot->hash != *hash || kept_length(slot->key) != length ||
            memcmp(slot->key + 2, key, length) != 0)
            continue;
        *value = slot->value;
        return true;
    }
    return false;
}

/* Whether so many bytes more are within the limit. */
static bool may_take(struct key_table *table, uint64_t bytes) {
    const bool may = table->limit == 0 || key_table_bytes(table) + bytes <= table->limit;
    table->refused |= !may;
    return may;
}

/* Begins a block that has room for `size` bytes. */
static bool begin_block(struct key_table *table, size_t size) {
    size_t next = table->block_size == 0 ? TABLE_BLOCK_MIN : table->block_size * 2;
    if (next > TABLE_BLOCK_MAX) next = TABLE_BLOCK_MAX;
    if (next < size) next = size;
    table->block = may_take(table, next) ? arena_alloc(&table->arena, next) : NULL;
    if (table->block == NULL) return false;
    table->block_size = table->block_left = next;
    return true;
}

const uint8_t *key_table_keep(struct key_table *table, const uint8_t *key, size_t length) {
    if (table->block_left < length + 2 && !begin_block(table, length + 2)) return NULL;
    uint8_t *kept = table->block;
    kept[0] = (uint8_t)length;
    kept[1] = (uint8_t)(length >> 8);
    memcpy(kept + 2, key, length);
    table->block += length + 2;
    table->block_left -= length + 2;
    return kept;
}

static void place(struct key_slot *slots, size_t count, struct key_slot slot) {
    size_t at = slot.hash & (count - 1);
    while (slots[at].key != NULL)
        at = (at + 1) & (count - 1);
    slots[at] = slot;
}

static wb_status table_grow(struct key_table *table) {
    size_t count = table->slot_count == 0 ? TABLE_SLOTS_MIN : table->slot_count * 2;
    struct key_slot *slots = may_take(table, count * sizeof *slots) ? calloc(count, sizeof *slots) : NULL;
    if (slots == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i].key != NULL) place(slots, count, table->slots[i]);
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    return WB_OK;
}

wb_status key_table_insert(struct key_table *table, const uint8_t *kept, uint32_t hash, uint32_t value) {
    if (table->used >= table->slot_count / 4 * 3) WB_TRY(table_grow(table));
    place(table->slots, table->slot_count, (struct key_slot){kept, hash, value});
    table->used++;
    return WB_OK;
}

void key_table_free(struct key_table *table) {
    free(table->slots);
    arena_free(&table->arena);
    *table = (struct key_table){0};
}
