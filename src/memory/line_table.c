#include "memory/line_table.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN ((size_t)64)

/* The slot of a line, or the empty one where it belongs. The table has an empty one. */
static struct line_slot *slot_of(const struct line_table *table, uint64_t line) {
    uint64_t hash = line * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash ^ (hash >> 32)) & (table->slot_count - 1);
    while (table->slots[at].filling == table->filling && table->slots[at].line != line)
        at = (at + 1) & (table->slot_count - 1);
    return &table->slots[at];
}

static wb_status grow(struct line_table *table) {
    struct line_table larger = {.slot_count = table->slot_count == 0 ? SLOTS_MIN : table->slot_count * 2,
                                .count = table->count,
                                .filling = 1};
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (larger.slots == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; i < table->slot_count; i++) {
        if (table->slots[i].filling != table->filling) continue;
        struct line_slot *slot = slot_of(&larger, table->slots[i].line);
        *slot = table->slots[i];
        slot->filling = larger.filling;
    }
    free(table->slots);
    *table = larger;
    return WB_OK;
}

wb_status line_table_number(struct line_table *table, uint64_t line, uint32_t *number) {
    if (table->count >= table->slot_count / 2) WB_TRY(grow(table));
    struct line_slot *slot = slot_of(table, line);
    if (slot->filling != table->filling)
        *slot = (struct line_slot){.line = line, .number = table->count++, .filling = table->filling};
    *number = slot->number;
    return WB_OK;
}

bool line_table_find(const struct line_table *table, uint64_t line, uint32_t *number) {
    if (table->slot_count == 0) return false;
    const struct line_slot *slot = slot_of(table, line);
    if (slot->filling != table->filling) return false;
    *number = slot->number;
    return true;
}

void line_table_clear(struct line_table *table) {
    table->count = 0;
    if (++table->filling != 0 || table->slot_count == 0) return;
    memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    table->filling = 1;
}

void line_table_free(struct line_table *table) {
    free(table->slots);
    *table = (struct line_table){0};
}
