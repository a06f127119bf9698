#include "warp/path/path.h"

#include <assert.h>
#include <stdlib.h>

#include "base/containers.h"
#include "ptx/opcode.h"
#include "warp/path/execution_notes.h"

wb_status code_number(const struct wb_module *module, struct arena *arena, uint32_t **code_first) {
    uint32_t *first = arena_array(arena, (size_t)module->function_count + 1, sizeof *first);
    if (first == NULL) return WB_ERR_LIMIT;
    for (uint32_t f = 0; f < module->function_count; f++)
        first[f + 1] = first[f] + ptx_issued_count(&module->functions[f]);
    *code_first = first;
    return WB_OK;
}

void block_forget(struct wb_block *block) {
    for (uint32_t w = 0; block->accesses != NULL && w < block->warp_count; w++)
        access_list_free(&block->accesses[w]);
    vec_free(&block->objects.items);
    for (size_t i = 0; i < block->paths.count; i++)
        path_free(&block->paths.items[i]);
    vec_free(&block->paths);
    vec_free(&block->causes);
}

void wb_block_free(struct wb_block *block) {
    if (block == NULL) return;
    block_forget(block);
    arena_free(&block->arena);
    free(block);
}

uint64_t block_bytes(const struct wb_block *block) {
    uint64_t bytes = block->arena.used;
    for (size_t p = 0; p < block->paths.count; p++)
        bytes += path_bytes(&block->paths.items[p]);
    for (uint32_t w = 0; block->accesses != NULL && w < block->warp_count; w++)
        bytes += access_list_bytes(&block->accesses[w]);
    return bytes;
}

uint32_t wb_block_warp_count(const struct wb_block *block) {
    return block->warp_count;
}

const struct ptx_inst *code_inst(const struct wb_module *module, const uint32_t *code_first, uint32_t index,
                                 const struct ptx_function **function) {
    uint32_t low = 0, high = module->function_count;
    assert(index < code_first[high]);
    while (high - low > 1) { /* code_first[low] <= index < code_first[high] */
        uint32_t middle = low + (high - low) / 2;
        if (code_first[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    const struct ptx_function *found = &module->functions[low];
    if (function != NULL) *function = found;
    return &found->insts[ptx_issued(found, index - code_first[low])];
}

const struct ptx_inst *block_inst(const struct wb_block *block, uint32_t index,
                                  const struct ptx_function **function) {
    return code_inst(block->kernel->module, block->code_first, index, function);
}

/* Whether an instruction ends lanes of the kernel: those are steps of a path, but not counted. */
static bool is_end(const struct wb_block *block, uint32_t index) {
    return block_inst(block, index, NULL)->form->class_ == PTX_CLASS_EXIT;
}

uint64_t wb_block_warp_instructions(const struct wb_block *block, uint32_t warp) {
    if (warp >= block->warp_count) return 0;
    const struct path *path = &block->paths.items[block->warp_path[warp]];
    struct path_runs runs = path_runs_of(path);
    struct path_entry run;
    uint64_t count = path->length;
    for (uint64_t times; path_runs_next(&runs, &run, &times);)
        for (uint32_t k = 0; k < run.count; k++)
            if (is_end(block, run.first + k)) count -= times;
    return count;
}

/* ---- Accesses ---- */

/* Whether its addresses are in the table. */
static bool access_has_table(const struct access *access) {
    return access->table != ACCESS_AFFINE && access->table != ACCESS_UNKNOWN;
}

_Static_assert(sizeof(struct access_key) == 3 * 8 + 4 * 4 + 8, "keys are compared as bytes: no padding");

struct access_key access_key_of(const struct access *access, const uint64_t *tables) {
    const bool is_table = access_has_table(access);
    assert(access->mask != 0 && (access->unsure & ~access->mask) == 0);
    const uint64_t address = access->base + (is_table ? tables[access->table] : 0);
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
    while (list->maybe_executed.count > 0 &&
           list->maybe_executed.items[list->maybe_executed.count - 1].first >= range->first)
        list->maybe_executed.count--; /* it lies within */
    if (list->maybe_executed.count > 0) {
        struct step_range *last = &list->maybe_executed.items[list->maybe_executed.count - 1];
        if (range->first <= last->end) {
            if (range->end > last->end) last->end = range->end;
            return WB_OK;
        }
    }
    return vec_push(&list->maybe_executed, *range);
}

uint64_t access_list_bytes(const struct access_list *list) {
    return list->items.count * sizeof *list->items.items + list->tables.count * sizeof *list->tables.items +
           list->maybe_executed.count * sizeof *list->maybe_executed.items;
}

void access_list_free(struct access_list *list) {
    vec_free(&list->items);
    vec_free(&list->tables);
    vec_free(&list->maybe_executed);
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

/* ---- Promised buffers ---------------------------------------------------------------------------------- */

/* Whether a name is that of an object: of its argument, with the field behind a dot where it is one. */
static bool is_called(const struct memory_object *object, const char *name) {
    uint64_t place;
    size_t length = strlen(name);
    if (object->argument == 0) return false;
    if (object->field != NULL) {
        const char *dot = strchr(name, '.');
        if (dot == NULL || strcmp(dot + 1, object->field) != 0) return false;
        length = (size_t)(dot - name);
    }
    if (number_u64(name, length, &place)) return place == object->argument;
    return object->called != NULL && strlen(object->called) == length &&
           memcmp(object->called, name, length) == 0;
}

bool memory_object_is_promised(const struct wb_machine *machine, const struct memory_object *object) {
    if (!machine_promises(machine, RESIDENT_BUFFERS)) return false;
    for (uint32_t n = 0; n < machine->buffers.count; n++) {
        const char *promise = machine->buffers.promises[n];
        if (is_called(object, promised_buffer(promise, strlen(promise)))) return true;
    }
    return false;
}

/* ---- Notes of executions ---- */

_Static_assert(ASSUMED_COUNT <= 64, "one bit each");

const char *assumed_text(enum assumed what) {
    static const char *const texts[ASSUMED_WAITS] = {
#define X(enumerator, text, where) [ASSUMED_##enumerator] = (text),
        ASSUMED_TABLE(X)
#undef X
    };
    if (what < ASSUMED_WAITS) return texts[what];
    return ptx_wait_text((enum ptx_wait)(what - ASSUMED_WAITS));
}
