/* The kernel analyzer's results as JSON, written block by block; docs/json.md documents every key. */
#include <inttypes.h>
#include <jansson.h>

#include "report/analyzer_report.h"
#include "report/bound_text.h"
#include "report/json_parts.h"

/* Where an instruction stands, without its address. */
static json_t *place_json(const struct analyzer_report *report, uint32_t instruction) {
    const struct ptx_function *function;
    const struct ptx_inst *inst = grid_inst(report->grid, instruction, &function);
    struct inst_place place = source_lines_place(&report->lines, inst);
    json_t *object = json_pack("{s:s, s:s, s:I}", "opcode", inst->form->text, "function", function->name,
                               "line", (json_int_t)place.line);
    json_put_source(&object, place.source_file, place.source_line);
    return object;
}

static json_t *insts_json(const struct analyzer_report *report) {
    json_t *array = json_array();
    for (size_t i = 0; i < report->insts.count; i++) {
        json_t *object = place_json(report, report->insts.items[i].index);
        json_put(&object, "pc", json_integer((json_int_t)report->insts.items[i].pc));
        json_add(&array, object);
    }
    return array;
}

/* {"first", "last", "warps"} of consecutive blocks with the same warps. */
static json_t *steered_blocks_json(const struct analyzer_report *report,
                                   const struct steered_blocks *blocks) {
    json_t *warps = json_array();
    for (uint32_t w = 0; w < WARP_LANES; w++)
        if ((blocks->warps >> w & 1) != 0) json_add(&warps, json_integer((json_int_t)w));
    json_int_t first = (json_int_t)analyzer_block_number(report->grid, blocks->first);
    return json_pack("{s:I, s:I, s:o}", "first_block", first, "last_block",
                     first + (json_int_t)(blocks->last - blocks->first), "warps", warps);
}

static json_t *steerings_json(const struct analyzer_report *report) {
    json_t *array = json_array();
    for (size_t g = 0; g < report->steerings.count; g++) {
        const struct steering_group *group = &report->steerings.items[g];
        json_t *blocks = json_array();
        for (size_t i = 0; i < group->blocks.count; i++)
            json_add(&blocks, steered_blocks_json(report, &group->blocks.items[i]));
        json_t *origin = group->origin == PTX_NO_INDEX ? json_null() : place_json(report, group->origin);
        json_add(&array, json_pack("{s:o, s:o, s:s, s:o}", "instruction",
                                   place_json(report, group->instruction), "origin", origin, "steers",
                                   group->branch ? "control" : "address", "blocks", blocks));
    }
    return array;
}

static const char *kind_of(const struct access *access) {
    if (access->is_atomic) return "atomic";
    return access->is_store ? "store" : "load";
}

/* One array of lines for every execution of an instruction by the warp at hand. */
static void put_accesses(struct analyzer_report *report, uint32_t inst,
                         const struct analyzer_accesses *accesses) {
    struct text *out = &report->out;
    text_printf(out, "{\"pc\":%" PRIu64 ",\"kind\":\"%s\",\"requests\":[", report->insts.items[inst].pc,
                kind_of(&report->stream->accesses[accesses->items[0]]));
    for (uint32_t i = 0; i < accesses->count; i++) {
        uint64_t lines[REQUESTS_MAX];
        if (analyzer_is_unknown(report, accesses->items[i])) {
            text_string(out, i == 0 ? "null" : ",null");
            continue;
        }
        uint32_t count = analyzer_lines(report, accesses->items[i], lines);
        text_string(out, i == 0 ? "[" : ",[");
        for (uint32_t k = 0; k < count; k++)
            text_printf(out, "%s%" PRIu64, k == 0 ? "" : ",", lines[k]);
        text_char(out, ']');
    }
    text_char(out, ']');
    for (uint32_t i = 0; report->grid->cover.covers && i < accesses->count; i++)
        text_printf(out, "%s%s", i == 0 ? ",\"perhaps\":[" : ",",
                    analyzer_is_perhaps(report, accesses->items[i]) ? "true" : "false");
    text_string(out, report->grid->cover.covers ? "]}" : "}");
}

static void put_warp(struct analyzer_report *report) {
    bool first = true;
    text_string(&report->out, report->warp == 0 ? "[" : ",[");
    for (uint32_t i = 0; i < report->insts.count; i++) {
        struct analyzer_accesses accesses = analyzer_accesses_at(report, i);
        if (accesses.count == 0) continue;
        if (!first) text_char(&report->out, ',');
        put_accesses(report, i, &accesses);
        first = false;
    }
    text_char(&report->out, ']');
}

static wb_status put_block(struct analyzer_report *report, uint32_t block) {
    const struct wb_grid *grid = report->grid;
    uint32_t index[3];
    grid_block_index(grid, block, index);
    text_printf(&report->out, "%s\n    {\"index\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "],\"shape\":%" PRIu32,
                block == 0 ? "" : ",", index[0], index[1], index[2], grid->blocks.items[block].shape);
    text_string(&report->out, ",\"warps\":[");
    for (uint32_t w = 0; w < grid->warp_count; w++) {
        WB_TRY(analyzer_select_warp(report, block, w));
        put_warp(report);
    }
    text_string(&report->out, "]}");
    return report_flush(&report->out, report->writer, false);
}

wb_status analyzer_report_json(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    text_string(&report->out, "{\n");
    json_write_member(&report->out, "warpbound", json_string(wb_version()));
    json_write_member(&report->out, "kernel", json_string(wb_kernel_name(grid->kernel)));
    json_write_member(&report->out, "grid", json_three_numbers(grid->dimensions));
    json_write_member(&report->out, "block", json_three_numbers(grid->block_size));
    json_write_member(&report->out, "line_bytes", json_integer(MEMORY_LINE_BYTES));
    json_write_member(&report->out, "covering", json_boolean(grid->cover.covers));
    json_write_member(&report->out, "instructions", insts_json(report));
    json_write_member(&report->out, "steered", steerings_json(report));
    text_string(&report->out, "  \"blocks\": [");
    for (uint32_t b = 0; b < grid->blocks.count; b++)
        WB_TRY(put_block(report, b));
    text_string(&report->out, "\n  ]\n}\n");
    return report_flush(&report->out, report->writer, true);
}
