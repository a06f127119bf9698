/* The instructions that the warps of a block execute, with their addresses, as text and as JSON. */
#include <assert.h>
#include <inttypes.h>

#include "report/parts/parts.h"
#include "warp/path/path.h"

struct path_report {
    const struct wb_block *block;
    struct source_lines lines;
};

/* A run of instructions as a reader finds it. All are of one function. */
struct path_run {
    const char *function;
    struct inst_place first, last; /* where the first and the last one stand */
};

static struct path_run path_run(const struct path_report *report, const struct path_entry *entry) {
    const struct ptx_function *function;
    const struct ptx_inst *first = block_inst(report->block, entry->first, &function);
    const struct ptx_inst *last = block_inst(report->block, entry->first + entry->count - 1, NULL);
    return (struct path_run){.function = function->name,
                             .first = source_lines_place(&report->lines, first),
                             .last = source_lines_place(&report->lines, last)};
}

/* Whether a barrier is executed by part of a warp's lanes. */
static bool has_divergent_barrier(const struct wb_block *block) {
    return (block->notes.assumed & assumed_bit(ASSUMED_WHOLE_WARP_BARRIERS)) != 0;
}

/* ---- Text --------------------------------------------------------------------------------------------- */

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

/* One line a run: PTX lines or addresses, lanes, source line; a fold says what is repeated. */
static void put_entry(struct sheet *table, const struct path_report *report, const struct path_entry *entry) {
    if (entry->count == PATH_REPEAT) {
        sheet_span(table, "  the last %u run%s %u more times", entry->first, plural(entry->first),
                   entry->mask);
        sheet_end_row(table);
        return;
    }
    const struct path_run run = path_run(report, entry);
    if (run.first.is_machine && entry->count == 1)
        sheet_printf(table, "  0x%04x", run.first.address);
    else if (run.first.is_machine)
        sheet_printf(table, "  0x%04x-0x%04x", run.first.address, run.last.address);
    else if (entry->count == 1)
        sheet_printf(table, "  line %u", run.first.line);
    else
        sheet_printf(table, "  lines %u-%u", run.first.line, run.last.line);
    sheet_printf(table, "%08x", entry->mask);
    if (run.first.source_file != NULL)
        sheet_printf(table, "%s (%s:%u)", run.function, run.first.source_file, run.first.source_line);
    else
        sheet_text(table, run.function);
    sheet_end_row(table);
}

static void put_path(struct text *out, const struct path_report *report, uint32_t path) {
    const struct path *steps = &report->block->paths.items[path];
    struct sheet table = {0};
    text_printf(out, "\npath %u: ", path);
    put_warps(out, report->block, path);
    const bool is_machine = report->block->kernel->module->code != NULL;
    text_printf(out, ", %" PRIu64 " steps; by %s and lanes:\n", steps->length,
                is_machine ? "addresses" : "lines of the PTX");
    sheet_column(&table, SHEET_LEFT, 0, is_machine ? "addresses" : "lines");
    sheet_column(&table, SHEET_LEFT, 22, "lanes");
    sheet_column(&table, SHEET_LEFT, 34, "function");
    for (size_t i = 0; i < steps->entries.count; i++)
        put_entry(&table, report, &steps->entries.items[i]);
    sheet_close(&table, out);
}

/* "step 12: ld.global.f32, 4 bytes of global at 0x100000000 + 4 * lane, lanes ffffffff" */
static void put_access(struct text *out, const struct wb_block *block, const struct access_list *list,
                       const struct access *access) {
    const struct ptx_inst *inst = block_inst(block, access->instruction, NULL);
    text_printf(out, "  step %" PRIu64 ": %s, %u bytes of %s at", access->step, inst->form->name,
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
                text_printf(out, " 0x%" PRIx64, access_address(access, list->tables.items, lane));
    }
    text_printf(out, ", lanes %08x\n", access->mask);
}

static void put_text(struct text *out, const struct path_report *report) {
    const struct wb_block *block = report->block;
    text_printf(out, "%s: ", wb_kernel_name(block->kernel));
    put_triple(out, "block", block->index);
    put_triple(out, " of grid", block->grid);
    put_triple(out, ", threads", block->size);
    text_printf(out, ", %" PRIu64 " bytes of shared memory\n", block->shared_bytes);
    if (block->covering)
        text_string(out, "covering paths: every execution of a warp is a part of its path\n");
    if (has_divergent_barrier(block)) text_string(out, "a barrier is executed by part of a warp's lanes\n");
    for (uint32_t path = 0; path < block->paths.count; path++)
        put_path(out, report, path);
    for (uint32_t w = 0; block->accesses != NULL && w < block->warp_count; w++) {
        text_printf(out, "\naccesses of warp %u:\n", w);
        for (size_t i = 0; i < block->accesses[w].items.count; i++)
            put_access(out, block, &block->accesses[w], &block->accesses[w].items.items[i]);
    }
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

static void entry_json(struct json *json, const struct path_report *report, const struct path_entry *entry) {
    json_open_object(json, NULL);
    if (entry->count == PATH_REPEAT) {
        json_put(json, "repeat_last %u, times %u", entry->first, entry->mask);
    } else {
        const struct path_run run = path_run(report, entry);
        json_put(json, "first %u, count %u, mask %u, function %s, first_line %u, last_line %u", entry->first,
                 entry->count, entry->mask, run.function, run.first.line, run.last.line);
        if (run.last.is_machine) json_put_count(json, "last_address", run.last.address);
        source_lines_json(json, &run.first);
    }
    json_close(json);
}

static void path_json(struct json *json, const struct path_report *report, uint32_t path) {
    const struct wb_block *block = report->block;
    const struct path *steps = &block->paths.items[path];
    json_open_object(json, NULL);
    json_open_array(json, "warps");
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (block->warp_path[w] == path) json_put_count(json, NULL, w);
    json_close(json);
    json_put_count(json, "steps", steps->length);
    json_open_array(json, "runs");
    for (size_t i = 0; i < steps->entries.count; i++)
        entry_json(json, report, &steps->entries.items[i]);
    json_close(json);
    json_close(json);
}

static void access_json(struct json *json, const struct wb_block *block, const struct access_list *list,
                        const struct access *access) {
    json_open_object(json, NULL);
    json_put(json,
             "step %" PRIu64 ", instruction %u, opcode %s, space %s, bytes %u, mask %u, store %d, atomic %d",
             access->step, access->instruction, block_inst(block, access->instruction, NULL)->form->name,
             ptx_space_name((enum ptx_space)access->space), access->bytes, access->mask, access->is_store,
             access->is_atomic);
    if (access->table == ACCESS_AFFINE) {
        /* An address that no lane need have: that of lane 0 may lie below 0. */
        json_put(json, "base %" PRId64 ", stride %" PRId64, (int64_t)access->base, access->stride);
    } else if (access->table == ACCESS_UNKNOWN) {
        json_put_null(json, "addresses");
    } else {
        json_open_array(json, "addresses");
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            if ((access->mask >> lane & 1) != 0)
                json_put_count(json, NULL, access_address(access, list->tables.items, lane));
        json_close(json);
    }
    json_close(json);
}

static void put_json(struct text *out, const struct path_report *report) {
    const struct wb_block *block = report->block;
    struct json json = json_begin(out, JSON_LINES);
    document_open(&json, "warpbound-path", 1);
    const struct sources sources = {
        .kernel = block->kernel, .launch = &block->inputs, .facts = block->facts.from};
    heading_kernel_json(&json, block->kernel);
    inputs_json(&json, &sources);
    json_put_counts(&json, "grid", block->grid, 3);
    json_put_counts(&json, "block", block->size, 3);
    json_put_counts(&json, "block_index", block->index, 3);
    json_put(&json, "shared_bytes %" PRIu64 ", divergent_barrier %d", block->shared_bytes,
             has_divergent_barrier(block));
    json_open_array(&json, "paths");
    for (uint32_t path = 0; path < block->paths.count; path++)
        path_json(&json, report, path);
    json_close(&json);
    if (block->accesses != NULL) {
        json_open_array(&json, "accesses"); /* per warp */
        for (uint32_t w = 0; w < block->warp_count; w++) {
            const struct access_list *list = &block->accesses[w];
            json_open_array(&json, NULL);
            for (size_t i = 0; i < list->items.count; i++)
                access_json(&json, block, list, &list->items.items[i]);
            json_close(&json);
        }
        json_close(&json);
    }
    json_close(&json);
}

wb_status wb_block_report(const wb_block *block, wb_report_format format, wb_diagnostics *diagnostics,
                          char **text) {
    struct path_report report = {.block = block};
    struct text out = {0};
    if (source_lines_open(block->kernel->module, &report.lines) != WB_OK)
        out.failed = true;
    else if (format == WB_REPORT_JSON)
        put_json(&out, &report);
    else
        put_text(&out, &report);
    source_lines_close(&report.lines);
    return report_take(WB_OK, &out, diagnostics, text);
}
