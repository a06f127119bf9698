#include "makespan/state_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define SET_ROOM_MIN 64u

/* As many entries as 32-bit slot numbers allow. */
#define SET_ROOM_MAX (UINT32_C(1) << 30)

void state_initial(const struct makespan_problem *problem, uint16_t *counts) {
    memset(counts, 0, problem->position_count * sizeof *counts);
    for (uint32_t g = 0; g < problem->group_count; g++)
        counts[problem->groups[g].first] = (uint16_t)problem->groups[g].warps;
}

static size_t row_bytes(const struct state_set *set) {
    return set->position_count * sizeof *set->counts;
}

static void place(struct state_set *set, uint32_t index) {
    uint32_t mask = set->slot_count - 1;
    uint32_t at = set->entries[index].hash & mask;
    while (set->slots[at] != 0)
        at = (at + 1) & mask;
    set->slots[at] = index + 1;
}

/* Puts all entries into the hash table anew. */
static void place_all(struct state_set *set) {
    memset(set->slots, 0, set->slot_count * sizeof *set->slots);
    for (uint32_t i = 0; i < set->count; i++)
        place(set, i);
}

/* Doubles the room; the hash table has twice as many slots as there is room for entries. */
static wb_status grow(struct state_set *set) {
    uint32_t room = set->room == 0 ? SET_ROOM_MIN : set->room * 2;
    if (room > SET_ROOM_MAX) return WB_ERR_LIMIT;
    struct state_entry *entries = realloc(set->entries, room * sizeof *entries);
    if (entries == NULL) return WB_ERR_LIMIT;
    set->entries = entries;
    uint16_t *counts = realloc(set->counts, room * row_bytes(set));
    if (counts == NULL) return WB_ERR_LIMIT;
    set->counts = counts;
    uint32_t *slots = realloc(set->slots, (size_t)room * 2 * sizeof *slots);
    if (slots == NULL) return WB_ERR_LIMIT;
    set->slots = slots;
    set->slot_count = room * 2;
    set->room = room;
    place_all(set);
    return WB_OK;
}

static uint32_t bunching(const struct state_set *set, const uint16_t *counts) {
    uint32_t sum = 0;
    for (uint32_t p = 0; p < set->position_count; p++)
        sum += (uint32_t)counts[p] * counts[p];
    return sum;
}

/* The entry of a state, or NULL. */
static struct state_entry *find(const struct state_set *set, const uint16_t *counts, uint32_t hash) {
    uint32_t mask = set->slot_count - 1;
    for (uint32_t at = hash & mask; set->slots[at] != 0; at = (at + 1) & mask) {
        struct state_entry *entry = &set->entries[set->slots[at] - 1];
        if (entry->hash == hash && memcmp(state_counts(set, entry), counts, row_bytes(set)) == 0)
            return entry;
    }
    return NULL;
}

wb_status state_set_add(struct state_set *set, const uint16_t *counts, const struct state_entry *entry) {
    if (set->count == set->room) WB_TRY(grow(set));
    uint32_t hash = hash_bytes(counts, row_bytes(set));
    struct state_entry *known = find(set, counts, hash);
    if (known != NULL) {
        if (entry->time > known->time || (entry->time == known->time && entry->parent < known->parent)) {
            known->time = entry->time;
            known->parent = entry->parent;
        }
        return WB_OK;
    }
    struct state_entry *added = &set->entries[set->count];
    *added = *entry;
    added->bunching = bunching(set, counts);
    added->hash = hash;
    added->counts = set->count;
    memcpy(set->counts + (uint64_t)set->count * set->position_count, counts, row_bytes(set));
    place(set, set->count++);
    return WB_OK;
}

/* Latest ends first. Of states of equal worth those whose warps stand together: they can still be driven
 * apart in more ways, and beams that prefer them find longer schedules than others of the same width. */
static int compare(const void *a, const void *b) {
    const struct state_entry *x = a;
    const struct state_entry *y = b;
    uint64_t x_end = (uint64_t)x->time + x->bound;
    uint64_t y_end = (uint64_t)y->time + y->bound;
    if (x_end != y_end) return x_end > y_end ? -1 : 1;
    if (x->bunching != y->bunching) return x->bunching > y->bunching ? -1 : 1;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->counts < y->counts ? -1 : x->counts > y->counts;
}

wb_status state_set_keep(struct state_set *set, uint32_t width) {
    if (set->count == 0) return WB_OK;
    uint16_t *counts = malloc(set->room * row_bytes(set));
    if (counts == NULL) return WB_ERR_LIMIT;
    qsort(set->entries, set->count, sizeof *set->entries, compare);
    if (set->count > width) set->count = width;
    for (uint32_t i = 0; i < set->count; i++) {
        memcpy(counts + (uint64_t)i * set->position_count, state_counts(set, &set->entries[i]),
               row_bytes(set));
        set->entries[i].counts = i;
    }
    free(set->counts);
    set->counts = counts;
    place_all(set);
    return WB_OK;
}

uint64_t state_set_bytes(const struct state_set *set) {
    return set->room * (sizeof *set->entries + row_bytes(set) + 2 * sizeof *set->slots);
}

void state_set_clear(struct state_set *set) {
    set->count = 0;
    if (set->slot_count > 0) memset(set->slots, 0, set->slot_count * sizeof *set->slots);
}

void state_set_free(struct state_set *set) {
    free(set->entries);
    free(set->counts);
    free(set->slots);
    *set = (struct state_set){.position_count = set->position_count};
}
