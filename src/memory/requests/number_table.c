#include "memory/requests/requests.h"

#include <assert.h>
#include <string.h>

#define SLOTS_MIN ((size_t)64)

/* The slot of a key, or the empty one where it belongs. The table has an empty one. */
static struct number_slot *slot_of(const struct number_table *table, uint64_t key) {
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash ^ (hash >> 32)) & (table->slot_count - 1);
    assert(table->count < table->slot_count);
    while (table->slots[at].filling == table->filling && table->slots[at].key != key)
        at = (at + 1) & (table->slot_count - 1);
    return &table->slots[at];
}

static void grow(struct number_table *table) {
    struct number_table larger = {.arena = table->arena,
                                  .slot_count = table->slot_count == 0 ? SLOTS_MIN : table->slot_count * 2,
                                  .count = table->count,
                                  .filling = 1};
    larger.slots = arena_array(larger.arena, larger.slot_count, sizeof *larger.slots);
    for (size_t i = 0; i < table->slot_count; i++) {
        if (table->slots[i].filling != table->filling) continue;
        struct number_slot *slot = slot_of(&larger, table->slots[i].key);
        *slot = table->slots[i];
        slot->filling = larger.filling;
    }
    *table = larger;
}

uint32_t number_table_number(struct number_table *table, uint64_t key) {
    if (table->count >= table->slot_count / 2) grow(table);
    struct number_slot *slot = slot_of(table, key);
    if (slot->filling != table->filling)
        *slot = (struct number_slot){.key = key, .number = table->count++, .filling = table->filling};
    assert(slot->key == key && slot->number < table->count);
    return slot->number;
}

bool number_table_find(const struct number_table *table, uint64_t key, uint32_t *number) {
    if (table->slot_count == 0) return false;
    const struct number_slot *slot = slot_of(table, key);
    if (slot->filling != table->filling) return false;
    *number = slot->number;
    return true;
}

void number_table_clear(struct number_table *table) {
    table->count = 0;
    if (++table->filling != 0 || table->slot_count == 0) return;
    memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    table->filling = 1;
}
