#include "report/path/analyzer.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "report/parts/bounds.h"
#include "report/write/json.h"
#include "warp/timed/code_timing.h"
#include "warp/trace/grid_block.h"

/* Whether an instruction accesses global memory by what it says of itself. */
static bool names_global(const struct ptx_form *form) {
    switch (form->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST:
    case PTX_OP_ATOM:
    case PTX_OP_RED: return form->space == PTX_SPACE_GLOBAL;
    case PTX_OP_CP_ASYNC: return form->space_from == PTX_SPACE_GLOBAL;
    default: return false;
    }
}

/* Marks the instructions that were executed on global memory, whatever they say. */
static void mark_executed(const struct wb_grid *grid, bool *is_global) {
    for (size_t s = 0; s < grid->streams.count; s++) {
        const struct access_stream *stream = &grid->streams.items[s];
        for (uint32_t i = 0; i < stream->access_count; i++)
            if (stream->accesses[i].space == PTX_SPACE_GLOBAL)
                is_global[stream->accesses[i].instruction] = true;
    }
}

static bool any(const bool *flags, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++)
        if (flags[i]) return true;
    return false;
}

/* Lists the loads and stores of the kernel and of the functions that some warp enters. Addresses count
 * through these functions in the order of the module. */
static wb_status list_insts(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    const struct wb_module *module = grid->kernel->module;
    bool *used =
        executed_instructions(grid->paths.items, grid->paths.count, grid->instruction_count, &report->arena);
    bool *is_global = arena_array(&report->arena, (size_t)grid->instruction_count + 1, sizeof *is_global);
    report->listed = arena_array(&report->arena, (size_t)grid->instruction_count + 1, sizeof(uint32_t));
    if (used == NULL || is_global == NULL || report->listed == NULL) return WB_ERR_LIMIT;
    mark_executed(grid, is_global);
    memset(report->listed, 0xff, (size_t)grid->instruction_count * sizeof(uint32_t));
    uint64_t pc = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        uint32_t first = grid->code_first[f], end = grid->code_first[f + 1];
        if (f != grid->kernel->function && !any(used, first, end)) continue;
        for (uint32_t i = first; i < end; i++, pc += PC_STEP) {
            if (!is_global[i] && !names_global(module->functions[f].insts[i - first].form)) continue;
            report->listed[i] = (uint32_t)report->insts.count;
            struct analyzer_inst inst = {i, pc};
            WB_TRY(vec_push(&report->insts, inst));
        }
    }
    report->first_sorted = arena_array(&report->arena, report->insts.count + 2, sizeof(uint32_t));
    return report->first_sorted == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* The group of an entry; new ones in the order in which they appear. */
static wb_status steering_group_of(struct analyzer_report *report, const struct steered_warp *steered,
                                   struct steering_group **found) {
    for (size_t g = 0; g < report->steerings.count; g++) {
        *found = &report->steerings.items[g];
        if ((*found)->instruction == steered->instruction && (*found)->origin == steered->origin &&
            (*found)->branch == steered->branch)
            return WB_OK;
    }
    struct steering_group group = {
        .instruction = steered->instruction, .origin = steered->origin, .branch = steered->branch};
    WB_TRY(vec_push(&report->steerings, group));
    *found = &report->steerings.items[report->steerings.count - 1];
    return WB_OK;
}

/* Appends the block at hand to the list of its group, or to the entry before it if that is of the same warps
 * in the blocks just before. */
static wb_status close_block(struct steering_group *group) {
    struct steered_blocks block = group->open;
    if (block.warps == 0) return WB_OK;
    group->open.warps = 0;
    if (group->blocks.count != 0) {
        struct steered_blocks *last = &group->blocks.items[group->blocks.count - 1];
        if (last->last + 1 == block.first && last->warps == block.warps) {
            last->last = block.last;
            return WB_OK;
        }
    }
    return vec_push(&group->blocks, block);
}

/* Sums up the steered warps, which stand in the order of their blocks. */
static wb_status group_steerings(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    for (size_t i = 0; i < grid->steered.count; i++) {
        const struct steered_warp *steered = &grid->steered.items[i];
        struct steering_group *group;
        WB_TRY(steering_group_of(report, steered, &group));
        if (group->open.first != steered->block) WB_TRY(close_block(group));
        group->open.first = group->open.last = steered->block;
        group->open.warps |= 1u << steered->warp;
    }
    for (size_t g = 0; g < report->steerings.count; g++)
        WB_TRY(close_block(&report->steerings.items[g]));
    return WB_OK;
}

wb_status analyzer_report_open(const struct wb_grid *grid, const wb_writer *writer,
                               struct analyzer_report *report) {
    *report = (struct analyzer_report){.grid = grid, .writer = writer};
    WB_TRY(source_lines_open(grid->kernel->module, &report->lines));
    WB_TRY(list_insts(report));
    return group_steerings(report);
}

void analyzer_report_close(struct analyzer_report *report) {
    for (size_t g = 0; g < report->steerings.count; g++)
        vec_free(&report->steerings.items[g].blocks);
    vec_free(&report->steerings);
    vec_free(&report->insts);
    vec_free(&report->sorted);
    source_lines_close(&report->lines);
    text_free(&report->out);
    arena_free(&report->arena);
}

/* The place of an access in the list of instructions; PTX_NO_INDEX when it is not of global memory. */
static uint32_t listed_at(const struct analyzer_report *report, const struct access *access) {
    return access->space == PTX_SPACE_GLOBAL ? report->listed[access->instruction] : PTX_NO_INDEX;
}

/* Sorts the accesses of the warp at hand by instruction, those of each in their order. */
static wb_status sort_accesses(struct analyzer_report *report) {
    const struct access_stream *stream = report->stream;
    uint32_t *first = report->first_sorted;
    size_t insts = report->insts.count;
    report->sorted.count = 0;
    WB_TRY(vec_reserve(&report->sorted, stream->access_count));
    memset(first, 0, (insts + 2) * sizeof *first);
    for (uint32_t i = 0; i < stream->access_count; i++) {
        uint32_t at = listed_at(report, &stream->accesses[i]);
        if (at != PTX_NO_INDEX) first[at + 2]++;
    }
    for (size_t i = 2; i < insts + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < stream->access_count; i++) {
        uint32_t at = listed_at(report, &stream->accesses[i]);
        if (at != PTX_NO_INDEX) report->sorted.items[first[at + 1]++] = i;
    }
    return WB_OK;
}

wb_status analyzer_select_warp(struct analyzer_report *report, uint32_t block, uint32_t warp) {
    const struct wb_grid *grid = report->grid;
    const struct block_shape *shape = &grid->shapes.items[grid->blocks.items[block].shape];
    const struct access_stream *stream = &grid->streams.items[shape->warps[warp].stream];
    bool sorted = report->stream == stream; /* warps often have the stream of the one before */
    report->block = block;
    report->warp = warp;
    report->stream = stream;
    return sorted ? WB_OK : sort_accesses(report);
}

struct analyzer_accesses analyzer_accesses_at(const struct analyzer_report *report, uint32_t inst) {
    const uint32_t *first = report->first_sorted + inst;
    struct analyzer_accesses accesses = {.count = first[1] - first[0]};
    if (accesses.count != 0) accesses.items = report->sorted.items + first[0];
    return accesses;
}

bool analyzer_is_perhaps(const struct analyzer_report *report, uint32_t access) {
    const struct access_stream *stream = report->stream;
    const struct access *of = &stream->accesses[access];
    uint32_t low = 0, high = stream->perhaps_count; /* the first stretch that does not end before its step */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (stream->perhaps[middle].end <= of->step)
            low = middle + 1;
        else
            high = middle;
    }
    return (of->mask & ~of->unsure) == 0 ||
           (low < stream->perhaps_count && stream->perhaps[low].first <= of->step);
}

uint32_t analyzer_lines(const struct analyzer_report *report, uint32_t access, uint64_t lines[REQUESTS_MAX]) {
    const struct access_stream *stream = report->stream;
    const struct grid_block *block = &report->grid->blocks.items[report->block];
    uint64_t base = grid_base(report->grid, block, report->warp, stream->groups[access]);
    struct lane_addresses lanes;
    lane_addresses_read(&stream->accesses[access], stream->tables, base, &lanes);
    return requests_coalesce(&lanes, MEMORY_LINE_BYTES, lines);
}

uint64_t analyzer_block_number(const struct wb_grid *grid, uint32_t block) {
    uint32_t index[3];
    grid_block_index(grid, block, index);
    return ((uint64_t)index[2] * grid->dimensions[1] + index[1]) * grid->dimensions[0] + index[0];
}

/* The kernel analyzer's results in the layout of JCSE'17, section III.D. */

/* "[ a , b , c ]" of any items. */
static void put_begin(struct text *out) {
    text_string(out, "[ ");
}

static void put_separator(struct text *out, bool first) {
    if (!first) text_string(out, " , ");
}

static void put_end(struct text *out) {
    text_string(out, " ]");
}

static void put_triple(struct text *out, const char *name, const uint32_t *numbers) {
    text_printf(out, "%s [ %" PRIu32 " , %" PRIu32 " , %" PRIu32 " ]\n", name, numbers[0], numbers[1],
                numbers[2]);
}

static void put_header(struct analyzer_report *report) {
    struct text *out = &report->out;
    text_printf(out, "-num_pcs %zu\n-pc_addrs ", report->insts.count);
    put_begin(out);
    for (size_t i = 0; i < report->insts.count; i++) {
        put_separator(out, i == 0);
        text_printf(out, "%" PRIu64, report->insts.items[i].pc);
    }
    put_end(out);
    text_char(out, '\n');
    put_triple(out, "-grid", report->grid->dimensions);
    put_triple(out, "-block", report->grid->block_size);
}

/* 1: the warp at hand executes the instruction; ?: perhaps; 0: it does not. */
static char flag_of(const struct analyzer_report *report, uint32_t inst) {
    const struct analyzer_accesses accesses = analyzer_accesses_at(report, inst);
    for (uint32_t i = 0; i < accesses.count; i++)
        if (!analyzer_is_perhaps(report, accesses.items[i])) return '1';
    return accesses.count == 0 ? '0' : '?';
}

/* Which instructions the warp at hand executes: WarpAccInfo of the paper. */
static void put_flags(struct analyzer_report *report) {
    struct text *out = &report->out;
    text_printf(out, "Warp%" PRIu32 " ", report->warp);
    put_begin(out);
    for (uint32_t i = 0; i < report->insts.count; i++) {
        put_separator(out, i == 0);
        text_char(out, flag_of(report, i));
    }
    put_end(out);
    text_char(out, '\n');
}

static void put_lines(struct analyzer_report *report, uint32_t access) {
    struct text *out = &report->out;
    uint64_t lines[REQUESTS_MAX];
    if (analyzer_is_perhaps(report, access)) text_string(out, "? ");
    if (analyzer_is_unknown(report, access)) {
        text_string(out, "[ ? ]");
        return;
    }
    uint32_t count = analyzer_lines(report, access, lines);
    put_begin(out);
    for (uint32_t i = 0; i < count; i++) {
        put_separator(out, i == 0);
        text_printf(out, "%" PRIu64, lines[i]);
    }
    put_end(out);
}

static char letter_of(const struct access *access) {
    if (access->is_atomic) return 'A';
    return access->is_store ? 'S' : 'L';
}

/* The lines of every execution of an instruction and what it does, or None. */
static void put_accesses(struct analyzer_report *report, uint32_t inst) {
    struct text *out = &report->out;
    struct analyzer_accesses accesses = analyzer_accesses_at(report, inst);
    if (accesses.count == 0) {
        text_string(out, "None");
        return;
    }
    put_begin(out);
    for (uint32_t i = 0; i < accesses.count; i++) {
        put_lines(report, accesses.items[i]);
        text_string(out, " , ");
    }
    text_char(out, letter_of(&report->stream->accesses[accesses.items[0]]));
    put_end(out);
}

static void put_warp(struct analyzer_report *report) {
    struct text *out = &report->out;
    put_flags(report);
    text_printf(out, "Warp%" PRIu32 " ", report->warp);
    put_begin(out);
    for (uint32_t i = 0; i < report->insts.count; i++) {
        put_separator(out, i == 0);
        put_accesses(report, i);
    }
    put_end(out);
    text_char(out, '\n');
}

/* "line 14 (k.cu:9): ld.global.u32" */
static void put_inst(struct analyzer_report *report, uint32_t instruction) {
    struct text *out = &report->out;
    const struct ptx_inst *inst = grid_inst(report->grid, instruction, NULL);
    struct inst_place place = source_lines_place(&report->lines, inst);
    text_printf(out, "line %" PRIu32, place.line);
    if (place.source_file != NULL)
        text_printf(out, " (%s:%" PRIu32 ")", place.source_file, place.source_line);
    text_printf(out, ": %s", inst->form->text);
}

/* "  blocks 0-3: warps 0, 2-7" */
static void put_steered_blocks(struct analyzer_report *report, const struct steered_blocks *blocks) {
    struct text *out = &report->out;
    uint64_t first = analyzer_block_number(report->grid, blocks->first);
    uint64_t last = first + (blocks->last - blocks->first);
    text_printf(out, first == last ? "  block %" PRIu64 ":" : "  blocks %" PRIu64 "-%" PRIu64 ":", first,
                last);
    const char *before = (blocks->warps & (blocks->warps - 1)) == 0 ? " warp " : " warps ";
    for (uint32_t w = 0; w < WARP_LANES; w++) {
        if ((blocks->warps >> w & 1) == 0) continue;
        uint32_t end = w;
        while (end + 1 < WARP_LANES && (blocks->warps >> (end + 1) & 1) != 0)
            end++;
        text_printf(out, end == w ? "%s%" PRIu32 : "%s%" PRIu32 "-%" PRIu32, before, w, end);
        before = ", ";
        w = end;
    }
    text_char(out, '\n');
}

static void put_steering(struct analyzer_report *report, const struct steering_group *group) {
    struct text *out = &report->out;
    put_inst(report, group->instruction);
    if (group->origin == group->instruction) {
        text_string(out, ": which memory it accesses is not known\n");
    } else {
        text_string(out, group->branch ? ": control depends on " : ": its address depends on ");
        if (group->origin == PTX_NO_INDEX)
            text_string(out, "a register that was never written");
        else
            put_inst(report, group->origin);
        text_char(out, '\n');
    }
    for (size_t i = 0; i < group->blocks.count; i++)
        put_steered_blocks(report, &group->blocks.items[i]);
}

wb_status analyzer_report_text(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    put_header(report);
    for (uint32_t b = 0; b < grid->blocks.count; b++) {
        uint32_t index[3];
        grid_block_index(grid, b, index);
        put_triple(&report->out, "Block", index);
        for (uint32_t w = 0; w < grid->warp_count; w++) {
            WB_TRY(analyzer_select_warp(report, b, w));
            put_warp(report);
        }
        WB_TRY(report_flush(&report->out, report->writer, false));
    }
    if (grid->cover.covers)
        text_string(&report->out, "-covering (? depends on data: whether a warp executes it, or where)\n");
    if (report->steerings.count != 0)
        text_printf(&report->out, "-num_steered_warps %zu (what they execute from there on is not listed)\n",
                    grid->steered.count);
    for (size_t g = 0; g < report->steerings.count; g++) {
        put_steering(report, &report->steerings.items[g]);
        WB_TRY(report_flush(&report->out, report->writer, false));
    }
    return report_flush(&report->out, report->writer, true);
}

/* The kernel analyzer's results as JSON, written block by block; docs/json.md documents every key. */

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
static void put_accesses_json(struct analyzer_report *report, uint32_t inst,
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

static void put_warp_json(struct analyzer_report *report) {
    bool first = true;
    text_string(&report->out, report->warp == 0 ? "[" : ",[");
    for (uint32_t i = 0; i < report->insts.count; i++) {
        struct analyzer_accesses accesses = analyzer_accesses_at(report, i);
        if (accesses.count == 0) continue;
        if (!first) text_char(&report->out, ',');
        put_accesses_json(report, i, &accesses);
        first = false;
    }
    text_char(&report->out, ']');
}

static wb_status put_block_json(struct analyzer_report *report, uint32_t block) {
    const struct wb_grid *grid = report->grid;
    uint32_t index[3];
    grid_block_index(grid, block, index);
    text_printf(&report->out, "%s\n    {\"index\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "],\"shape\":%" PRIu32,
                block == 0 ? "" : ",", index[0], index[1], index[2], grid->blocks.items[block].shape);
    text_string(&report->out, ",\"warps\":[");
    for (uint32_t w = 0; w < grid->warp_count; w++) {
        WB_TRY(analyzer_select_warp(report, block, w));
        put_warp_json(report);
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
        WB_TRY(put_block_json(report, b));
    text_string(&report->out, "\n  ]\n}\n");
    return report_flush(&report->out, report->writer, true);
}

wb_status wb_grid_report(const wb_grid *grid, wb_report_format format, const wb_writer *writer,
                         wb_diagnostics *diagnostics) {
    struct analyzer_report report;
    if (grid->cover.covers) WB_TRY(grid_decline_steered(grid, diagnostics));
    wb_status status = analyzer_report_open(grid, writer, &report);
    if (status == WB_OK)
        status = format == WB_REPORT_JSON ? analyzer_report_json(&report) : analyzer_report_text(&report);
    analyzer_report_close(&report);
    return report_written(status, diagnostics);
}
