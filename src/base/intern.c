#include "base/intern.h"

#include <string.h>

#include "base/hash.h"

#define SLOTS_MIN ((size_t)256)

/* The slot that holds the text, or the empty one where it belongs. */
static size_t slot_of(const struct intern *intern, const char *text, size_t length, uint32_t hash) {
    size_t slot = hash & (intern->slot_count - 1);
    while (intern->slots[slot] != 0) {
        const struct intern_entry *entry = &intern->entries.items[intern->slots[slot] - 1];
        if (entry->hash == hash && entry->length == length && memcmp(entry->text, text, length) == 0) break;
        slot = (slot + 1) & (intern->slot_count - 1);
    }
    return slot;
}

/* Doubles the slots, so that at most half of them are taken. */
static wb_status slots_grow(struct intern *intern) {
    size_t count = intern->slot_count == 0 ? SLOTS_MIN : intern->slot_count * 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL) return WB_ERR_LIMIT;
    free(intern->slots);
    intern->slots = slots;
    intern->slot_count = count;
    for (size_t i = 0; i < intern->entries.count; i++) {
        size_t slot = intern->entries.items[i].hash & (count - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        slots[slot] = (uint32_t)i + 1;
    }
    return WB_OK;
}

uint32_t intern_find(const struct intern *intern, const char *text, size_t length) {
    if (intern->slot_count == 0) return INTERN_NONE;
    size_t slot = slot_of(intern, text, length, hash_bytes(text, length));
    return intern->slots[slot] == 0 ? INTERN_NONE : intern->slots[slot] - 1;
}

wb_status intern_add(struct intern *intern, const char *text, size_t length, uint32_t *number) {
    if (length > UINT32_MAX || intern->entries.count >= INTERN_NONE - 1) return WB_ERR_LIMIT;
    if (intern->slot_count <= intern->entries.count * 2) WB_TRY(slots_grow(intern));
    uint32_t hash = hash_bytes(text, length);
    size_t slot = slot_of(intern, text, length, hash);
    if (intern->slots[slot] == 0) {
        struct intern_entry entry = {text, (uint32_t)length, hash};
        WB_TRY(vec_push(&intern->entries, entry));
        intern->slots[slot] = (uint32_t)intern->entries.count;
    }
    *number = intern->slots[slot] - 1;
    return WB_OK;
}

void intern_free(struct intern *intern) {
    vec_free(&intern->entries);
    free(intern->slots);
    *intern = (struct intern){0};
}
