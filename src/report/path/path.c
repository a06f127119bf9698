#include "report/path/path.h"

#include <inttypes.h>
#include <jansson.h>

#include "report/parts/bounds.h"
#include "report/write/json.h"

wb_status path_report_open(const struct wb_block *block, struct path_report *report) {
    *report = (struct path_report){.block = block};
    return source_lines_open(block->kernel->module, &report->lines);
}

void path_report_close(struct path_report *report) {
    source_lines_close(&report->lines);
}

struct path_run path_report_run(const struct path_report *report, const struct path_entry *entry) {
    const struct ptx_function *function;
    const struct ptx_inst *first = block_inst(report->block, entry->first, &function);
    const struct ptx_inst *last = first + entry->count - 1;
    struct inst_place place = source_lines_place(&report->lines, first);
    return (struct path_run){
        .function = function->name,
        .first_line = place.line,
        .last_line = source_lines_place(&report->lines, last).line,
        .source_file = place.source_file,
        .source_line = place.source_line,
    };
}

uint64_t path_report_address(const struct access_list *list, const struct access *access, uint32_t lane) {
    if (access->table == ACCESS_AFFINE) return access->base + (uint64_t)access->stride * lane;
    uint32_t rank = (uint32_t)__builtin_popcount(access->mask & ((1u << lane) - 1));
    return list->tables.items[access->table + rank];
}

/* What the warps of a block execute, as text. */

/* Columns of the table of runs. */
enum { COLUMN_MASK = 22, COLUMN_SOURCE = 34 };

static void put_triple(struct text *out, const char *name, const uint32_t *numbers) {
    text_printf(out, "%s %u,%u,%u", name, numbers[0], numbers[1], numbers[2]);
}

/* "warps 0-3, 7" */
static void put_warps(struct text *out, const struct wb_block *block, uint32_t path) {
    const char *before = "warps ";
    for (uint32_t w = 0; w < block->warp_count; w++) {
        if (block->warp_path[w] != path) continue;
        uint32_t last = w;
        while (last + 1 < block->warp_count && block->warp_path[last + 1] == path)
            last++;
        text_printf(out, last == w ? "%s%u" : "%s%u-%u", before, w, last);
        before = ", ";
        w = last;
    }
}

/* One line a run: PTX lines, lanes, source line; a fold says what is repeated. */
static void put_entry(struct text *out, const struct path_report *report, const struct path_entry *entry) {
    if (entry->count == PATH_REPEAT) {
        text_printf(out, "  the last %u %s %u more times\n", entry->first, entry->first == 1 ? "run" : "runs",
                    entry->mask);
        return;
    }
    struct path_run run = path_report_run(report, entry);
    if (entry->count == 1)
        text_printf(out, "  line %u", run.first_line);
    else
        text_printf(out, "  lines %u-%u", run.first_line, run.last_line);
    text_pad(out, COLUMN_MASK);
    text_printf(out, "%08x", entry->mask);
    text_pad(out, COLUMN_SOURCE);
    text_printf(out, "%s", run.function);
    if (run.source_file != NULL) text_printf(out, " (%s:%u)", run.source_file, run.source_line);
    text_char(out, '\n');
}

/* "step 12: ld.global.f32, 4 bytes of global at 0x100000000 + 4 * lane, lanes ffffffff" */
static void put_access(struct text *out, const struct wb_block *block, const struct access_list *list,
                       const struct access *access) {
    const struct ptx_inst *inst = block_inst(block, access->instruction, NULL);
    text_printf(out, "  step %" PRIu64 ": %s, %u bytes of %s at", access->step, inst->form->text,
                access->bytes, ptx_space_name((enum ptx_space)access->space));
    if (access->table == ACCESS_AFFINE) {
        text_printf(out, " 0x%" PRIx64, access->base);
        if (access->stride != 0)
            text_printf(out, " %c %" PRIu64 " * lane", access->stride < 0 ? '-' : '+',
                        access->stride < 0 ? 0 - (uint64_t)access->stride : (uint64_t)access->stride);
    } else if (access->table == ACCESS_UNKNOWN) {
        text_string(out, " addresses that are not known");
    } else {
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            if ((access->mask >> lane & 1) != 0)
                text_printf(out, " 0x%" PRIx64, path_report_address(list, access, lane));
    }
    text_printf(out, ", lanes %08x\n", access->mask);
}

wb_status path_report_text(const struct path_report *report, wb_diagnostics *diagnostics, char **text) {
    struct text made = {0}, *out = &made;
    const struct wb_block *block = report->block;
    text_printf(out, "%s: ", wb_kernel_name(block->kernel));
    put_triple(out, "block", block->index);
    put_triple(out, " of grid", block->grid);
    put_triple(out, ", threads", block->size);
    text_printf(out, ", %" PRIu64 " bytes of shared memory\n", block->shared_bytes);
    if (block->covering)
        text_string(out, "covering paths: every execution of a warp is a part of its path\n");
    if ((block->notes.assumed & assumed_bit(ASSUMED_WHOLE_WARP_BARRIERS)) != 0)
        text_string(out, "a barrier is executed by part of a warp's lanes\n");
    for (uint32_t path = 0; path < block->paths.count; path++) {
        const struct path *steps = &block->paths.items[path];
        text_printf(out, "\npath %u: ", path);
        put_warps(out, block, path);
        text_printf(out, ", %" PRIu64 " steps; by lines of the PTX and lanes:\n", steps->length);
        for (size_t i = 0; i < steps->entries.count; i++)
            put_entry(out, report, &steps->entries.items[i]);
    }
    for (uint32_t w = 0; block->accesses != NULL && w < block->warp_count; w++) {
        text_printf(out, "\naccesses of warp %u:\n", w);
        for (size_t i = 0; i < block->accesses[w].items.count; i++)
            put_access(out, block, &block->accesses[w], &block->accesses[w].items.items[i]);
    }
    return report_take_text(out, diagnostics, text);
}

/* What the warps of a block execute, as JSON; docs/json.md documents every key. */

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

wb_status wb_block_report(const wb_block *block, wb_report_format format, wb_diagnostics *diagnostics,
                          char **text) {
    struct path_report report;
    wb_status status = path_report_open(block, &report);
    if (status != WB_OK)
        status = diagnose_out_of_memory(diagnostics, "report");
    else
        status = format == WB_REPORT_JSON ? path_report_json(&report, diagnostics, text)
                                          : path_report_text(&report, diagnostics, text);
    path_report_close(&report);
    return status;
}
