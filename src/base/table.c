#include "base/containers.h"

#include <stdlib.h>

#define SLOTS_MIN ((size_t)256)

/* ---- The table ----------------------------------------------------------------------------------------- */

static bool is_full(const struct table *table) {
    return table->used >= table->slot_count / 4 * 3;
}

static size_t next_count(const struct table *table) {
    if (!is_full(table)) return table->slot_count;
    return table->slot_count == 0 ? SLOTS_MIN : table->slot_count * 2;
}

/* Bytes that the slots take once one entry more is in the table. */
static size_t table_bytes_next(const struct table *table) {
    return next_count(table) * sizeof *table->slots;
}

static void place(struct table_slot *slots, size_t count, struct table_slot slot) {
    size_t at = slot.hash & (count - 1);
    while (slots[at].hash != 0)
        at = (at + 1) & (count - 1);
    slots[at] = slot;
}

static wb_status table_grow(struct table *table) {
    const size_t count = next_count(table);
    struct table_slot *slots = calloc(count, sizeof *slots);
    if (slots == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i].hash != 0) place(slots, count, table->slots[i]);
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    return WB_OK;
}

wb_status table_insert(struct table *table, uint32_t hash, const void *key, uint32_t value) {
    if (is_full(table)) WB_TRY(table_grow(table));
    assert(table->used < table->slot_count);
    place(table->slots, table->slot_count, (struct table_slot){key, table_hash(hash), value});
    table->used++;
    return WB_OK;
}

void table_free(struct table *table) {
    free(table->slots);
    *table = (struct table){0};
}

/* ---- Names to numbers ---------------------------------------------------------------------------------- */

struct wanted_text {
    const struct intern *intern;
    const void *text;
    size_t length;
};

static bool same_text(const struct table_slot *slot, const void *wanted) {
    const struct wanted_text *text = wanted;
    assert(slot->value < text->intern->entries.count);
    return text->intern->entries.items[slot->value].length == text->length &&
           memcmp(slot->key, text->text, text->length) == 0;
}

static const struct table_slot *find_text(const struct intern *intern, uint32_t hash, const void *text,
                                          size_t length) {
    const struct wanted_text wanted = {intern, text, length};
    return table_find(&intern->table, hash, same_text, &wanted);
}

uint32_t intern_find(const struct intern *intern, const void *text, size_t length) {
    const struct table_slot *slot = find_text(intern, hash_bytes(text, length), text, length);
    return slot == NULL ? INTERN_NONE : slot->value;
}

static wb_status add_text(struct intern *intern, const void *text, size_t length, bool copy, uint32_t *number,
                          bool *is_new) {
    const uint32_t hash = hash_bytes(text, length);
    const struct table_slot *slot = find_text(intern, hash, text, length);
    *is_new = slot == NULL;
    if (slot != NULL) {
        *number = slot->value;
        return WB_OK;
    }
    if (length > UINT32_MAX || intern->entries.count >= INTERN_NONE - 1) return WB_ERR_LIMIT;
    if (copy && (text = arena_string(&intern->copies, text, length)) == NULL) return WB_ERR_LIMIT;
    *number = (uint32_t)intern->entries.count;
    WB_TRY(vec_push(&intern->entries, ((struct intern_entry){text, (uint32_t)length})));
    const wb_status status = table_insert(&intern->table, hash, text, *number);
    if (status != WB_OK) intern->entries.count--;
    return status;
}

wb_status intern_add(struct intern *intern, const void *text, size_t length, uint32_t *number) {
    bool is_new;
    return add_text(intern, text, length, false, number, &is_new);
}

wb_status intern_copy(struct intern *intern, const void *text, size_t length, uint32_t *number,
                      bool *is_new) {
    return add_text(intern, text, length, true, number, is_new);
}

void intern_free(struct intern *intern) {
    vec_free(&intern->entries);
    table_free(&intern->table);
    arena_free(&intern->copies);
}

/* ---- Keys of a search to values ------------------------------------------------------------------------ */

/* Blocks double from the first to the last: some searches are over after a few states, and there are many of
 * them. Every block has room for a key. */
#define TABLE_BLOCK_MIN ((size_t)1 << 12)
#define TABLE_BLOCK_MAX ((size_t)1 << 20)

struct wanted_key {
    const uint8_t *key;
    size_t length;
};

static bool same_key(const struct table_slot *slot, const void *wanted) {
    const struct wanted_key *key = wanted;
    const uint8_t *kept = slot->key;
    return ((size_t)kept[0] | (size_t)kept[1] << 8) == key->length &&
           memcmp(kept + 2, key->key, key->length) == 0;
}

bool key_table_find(const struct key_table *table, const uint8_t *key, size_t length, uint32_t *hash,
                    uint32_t *value) {
    const struct wanted_key wanted = {key, length};
    *hash = hash_bytes(key, length);
    const struct table_slot *slot = table_find(&table->table, *hash, same_key, &wanted);
    if (slot != NULL) *value = slot->value;
    return slot != NULL;
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
    table->refused |= length > UINT16_MAX;
    if (length > UINT16_MAX) return NULL;
    if (table->block_left < length + 2 && !begin_block(table, length + 2)) return NULL;
    uint8_t *kept = table->block;
    kept[0] = (uint8_t)length;
    kept[1] = (uint8_t)(length >> 8);
    memcpy(kept + 2, key, length);
    table->block += length + 2;
    table->block_left -= length + 2;
    return kept;
}

wb_status key_table_insert(struct key_table *table, const uint8_t *kept, uint32_t hash, uint32_t value) {
    const size_t next = table_bytes_next(&table->table);
    if (is_full(&table->table) && !may_take(table, next)) return WB_ERR_LIMIT;
    return table_insert(&table->table, hash, kept, value);
}

void key_table_free(struct key_table *table) {
    table_free(&table->table);
    arena_free(&table->arena);
    *table = (struct key_table){0};
}
