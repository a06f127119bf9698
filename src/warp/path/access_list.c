#include "warp/path/path.h"

#include <assert.h>
#include <stdlib.h>

#include "base/containers.h"
#include "ptx/opcode.h"

/* Whether its addresses are in the table. */
static bool access_has_table(const struct access *access) {
    return access->table != ACCESS_AFFINE && access->table != ACCESS_UNKNOWN;
}

_Static_assert(sizeof(struct access_key) == 3 * 8 + 4 * 4 + 8, "keys are compared as bytes: no padding");

struct access_key access_key_of(const struct access *access, const uint64_t *tables) {
    const bool is_table = access_has_table(access);
    assert(access->mask != 0 && (access->unsure & ~access->mask) == 0);
    const uint64_t address = is_table ? tables[access->table] : access->base;
    struct access_key key = {.step = access->step,
                             .stride = (uint64_t)access->stride,
                             .instruction = access->instruction,
                             .mask = access->mask,
                             .unsure = access->unsure,
                             .object = access->object,
                             .bytes = access->bytes,
                             .space = access->space,
                             .kind = (uint8_t)(access->is_store + 2 * access->is_atomic),
                             .addresses = (uint8_t)(is_table + 2 * (access->table == ACCESS_UNKNOWN))};
    key.address = access->space == PTX_SPACE_GLOBAL ? address % REQUEST_ALIGN : address;
    return key;
}

wb_status step_range_add(struct access_list *list, const struct step_range *range) {
    assert(range->first < range->end);
    while (list->perhaps.count > 0 && list->perhaps.items[list->perhaps.count - 1].first >= range->first)
        list->perhaps.count--; /* it lies within */
    if (list->perhaps.count > 0) {
        struct step_range *last = &list->perhaps.items[list->perhaps.count - 1];
        if (range->first <= last->end) {
            if (range->end > last->end) last->end = range->end;
            return WB_OK;
        }
    }
    return vec_push(&list->perhaps, *range);
}

uint64_t access_list_bytes(const struct access_list *list) {
    return list->items.count * sizeof *list->items.items + list->tables.count * sizeof *list->tables.items +
           list->perhaps.count * sizeof *list->perhaps.items;
}

void access_list_free(struct access_list *list) {
    vec_free(&list->items);
    vec_free(&list->tables);
    vec_free(&list->perhaps);
}

/* Whether the record is the only one of its step. */
static bool is_alone(const struct access_list *list, size_t record) {
    const struct access *items = list->items.items;
    bool shares_before = record > 0 && items[record - 1].step == items[record].step;
    bool shares_behind = record + 1 < list->items.count && items[record + 1].step == items[record].step;
    return !shares_before && !shares_behind;
}

/* Whether an earlier record of the table makes the same requests; and from now on one does. */
static wb_status was_seen(struct intern *seen, const struct access *access, bool *found) {
    struct access_key key = access_key_of(access, NULL);
    uint32_t number;
    bool is_new;
    key.step = 0;
    WB_TRY(intern_copy(seen, &key, sizeof key, &number, &is_new));
    *found = !is_new;
    return WB_OK;
}

wb_status access_list_thin(struct access_list *list) {
    struct intern seen = {0};
    wb_status status = WB_OK;
    size_t kept = 0;
    bool *drop = calloc(list->items.count + 1, sizeof *drop);
    if (drop == NULL) return WB_ERR_LIMIT;
    for (size_t r = 0; status == WB_OK && r < list->items.count; r++)
        if (is_alone(list, r) && !access_has_table(&list->items.items[r]))
            status = was_seen(&seen, &list->items.items[r], &drop[r]);
    for (size_t r = 0; status == WB_OK && r < list->items.count; r++)
        if (!drop[r]) list->items.items[kept++] = list->items.items[r];
    if (status == WB_OK) list->items.count = kept;
    free(drop);
    intern_free(&seen);
    return status;
}
