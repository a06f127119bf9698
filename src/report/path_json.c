/* What the warps of a block execute, as JSON; docs/json.md documents every key. */
#include <jansson.h>

#include "report/bound_json.h"
#include "report/json_parts.h"
#include "report/path_report.h"

static json_t *run_json(const struct path_report *report, const struct path_entry *entry) {
    if (entry->count == PATH_REPEAT)
        return json_pack("{s:I, s:I}", "repeat_last", (json_int_t)entry->first, "times",
                         (json_int_t)entry->mask);
    struct path_run run = path_report_run(report, entry);
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:s, s:I, s:I}", "first", (json_int_t)entry->first, "count",
                  (json_int_t)entry->count, "mask", (json_int_t)entry->mask, "function", run.function,
                  "first_line", (json_int_t)run.first_line, "last_line", (json_int_t)run.last_line);
    json_put_source(&object, run.source_file, run.source_line);
    return object;
}

static json_t *path_json(const struct path_report *report, uint32_t path) {
    const struct wb_block *block = report->block;
    const struct path *steps = &block->paths.items[path];
    json_t *warps = json_array(), *runs = json_array();
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (block->warp_path[w] == path) json_add(&warps, json_integer((json_int_t)w));
    for (size_t i = 0; i < steps->entries.count; i++)
        json_add(&runs, run_json(report, &steps->entries.items[i]));
    return json_pack("{s:o, s:I, s:o}", "warps", warps, "steps", (json_int_t)steps->length, "runs", runs);
}

static json_t *access_json(const struct wb_block *block, const struct access_list *list,
                           const struct access *access) {
    json_t *object = json_pack(
        "{s:I, s:I, s:s, s:s, s:I, s:I, s:b, s:b}", "step", (json_int_t)access->step, "instruction",
        (json_int_t)access->instruction, "opcode", block_inst(block, access->instruction, NULL)->form->text,
        "space", ptx_space_name((enum ptx_space)access->space), "bytes", (json_int_t)access->bytes, "mask",
        (json_int_t)access->mask, "store", (int)access->is_store, "atomic", (int)access->is_atomic);
    if (access->table == ACCESS_AFFINE) {
        json_put(&object, "base", json_integer((json_int_t)access->base));
        json_put(&object, "stride", json_integer((json_int_t)access->stride));
        return object;
    }
    json_t *addresses = access->table == ACCESS_UNKNOWN ? json_null() : json_array();
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if ((access->mask >> lane & 1) == 0 || access->table == ACCESS_UNKNOWN) continue;
        json_int_t address = (json_int_t)path_report_address(list, access, lane);
        json_add(&addresses, json_integer(address));
    }
    json_put(&object, "addresses", addresses);
    return object;
}

/* Per warp the array of its accesses. */
static json_t *accesses_json(const struct wb_block *block) {
    json_t *warps = json_array();
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct access_list *list = &block->accesses[w];
        json_t *accesses = json_array();
        for (size_t i = 0; i < list->items.count; i++)
            json_add(&accesses, access_json(block, list, &list->items.items[i]));
        json_add(&warps, accesses);
    }
    return warps;
}

wb_status path_report_json(const struct path_report *report, wb_diagnostics *diagnostics, char **text) {
    const struct wb_block *block = report->block;
    json_t *paths = json_array();
    for (uint32_t path = 0; path < block->paths.count; path++)
        json_add(&paths, path_json(report, path));
    json_t *root =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:I, s:b, s:o}", "warpbound", wb_version(), "kernel",
                  wb_kernel_name(block->kernel), "grid", json_three_numbers(block->grid), "block",
                  json_three_numbers(block->size), "block_index", json_three_numbers(block->index),
                  "shared_bytes", (json_int_t)block->shared_bytes, "divergent_barrier",
                  (block->notes.assumed & assumed_bit(ASSUMED_WHOLE_WARP_BARRIERS)) != 0, "paths", paths);
    if (block->accesses != NULL) json_put(&root, "accesses", accesses_json(block));
    return report_take_json(root, diagnostics, text);
}
