/* The kernel analyzer (JCSE'17, algorithms 1 to 3): which load and store instructions of global memory the
 * warps of a grid execute, with which lines of memory; in the layout of section III.D, and as JSON. Both are
 * written block by block. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "memory/requests/requests.h"
#include "report/parts/parts.h"
#include "warp/timed/timed.h"
#include "warp/trace/blocks.h"
#include "warp/trace/trace.h"

/* Bytes of the program that an instruction takes (JCSE'17 counts so). */
#define PC_STEP 8u

/* A load, store or atomic of global memory. */
struct analyzer_inst {
    uint32_t index; /* in the grid's code */
    uint64_t pc;
};

/* Consecutive blocks with warps of the same input-dependent path. */
struct steered_blocks {
    uint32_t first, last;
    uint32_t warps; /* bit w: warp w of each of the blocks */
};

/* Warps that the same value steers at the same instruction. */
struct steering_group {
    uint32_t instruction, origin;
    bool branch;
    VEC(struct steered_blocks) blocks;
};

struct analyzer_report {
    const struct wb_grid *grid;
    const wb_writer *writer;
    struct text out; /* what has not been written yet */
    struct source_lines lines;
    struct arena arena;
    VEC(struct analyzer_inst) insts; /* by pc */
    uint32_t *listed;                /* per instruction of the code its place in `insts`, or PTX_NO_INDEX */
    VEC(struct steering_group) steerings;
    /* The current warp: */
    uint32_t block, warp;
    const struct access_stream *stream;
    VEC(uint32_t) sorted;   /* its accesses by instruction */
    uint32_t *first_sorted; /* per instruction of `insts`, and one more */
};

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
    for (size_t s = 0; s < grid->streams.count; s++) {
        const struct access_stream *stream = &grid->streams.items[s];
        for (uint32_t i = 0; i < stream->access_count; i++)
            if (stream->accesses[i].space == PTX_SPACE_GLOBAL)
                is_global[stream->accesses[i].instruction] = true; /* whatever it says of itself */
    }
    memset(report->listed, 0xff, (size_t)grid->instruction_count * sizeof(uint32_t));
    uint64_t pc = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        uint32_t first = grid->code_first[f], end = grid->code_first[f + 1];
        if (f != grid->kernel->function && memchr(used + first, true, end - first) == NULL) continue;
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

/* Makes one entry of consecutive blocks with the same warps. */
static void join_blocks(struct steering_group *group) {
    size_t kept = 0;
    for (size_t b = 0; b < group->blocks.count; b++) {
        const struct steered_blocks block = group->blocks.items[b];
        struct steered_blocks *last = kept > 0 ? &group->blocks.items[kept - 1] : NULL;
        if (last != NULL && last->last + 1 == block.first && last->warps == block.warps)
            last->last = block.last;
        else
            group->blocks.items[kept++] = block;
    }
    group->blocks.count = kept;
}

/* Sums up the warps with input-dependent paths, which come in the order of their blocks. */
static wb_status group_steerings(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    for (size_t i = 0; i < grid->input_dependent.count; i++) {
        const struct steered_warp *warp = &grid->input_dependent.items[i];
        const struct steered_blocks block = {warp->block, warp->block, 0};
        const struct steering_group made = {
            .instruction = warp->instruction, .origin = warp->origin, .branch = warp->branch};
        size_t g = 0;
        for (; g < report->steerings.count; g++) {
            const struct steering_group *known = &report->steerings.items[g];
            if (known->instruction == warp->instruction && known->origin == warp->origin &&
                known->branch == warp->branch)
                break;
        }
        if (g == report->steerings.count) WB_TRY(vec_push(&report->steerings, made));
        struct steering_group *group = &report->steerings.items[g];
        const size_t count = group->blocks.count;
        if (count == 0 || group->blocks.items[count - 1].first != warp->block)
            WB_TRY(vec_push(&group->blocks, block));
        group->blocks.items[group->blocks.count - 1].warps |= 1u << warp->warp;
    }
    for (size_t g = 0; g < report->steerings.count; g++)
        join_blocks(&report->steerings.items[g]);
    return WB_OK;
}

/* The place of an access in the list of instructions; PTX_NO_INDEX when it is not of global memory. */
static uint32_t listed_at(const struct analyzer_report *report, const struct access *access) {
    return access->space == PTX_SPACE_GLOBAL ? report->listed[access->instruction] : PTX_NO_INDEX;
}

/* Turns to a warp, and sorts its accesses by instruction, those of each in their order; many warps have the
 * stream of the one before. WB_ERR_LIMIT without a message when memory is exhausted. */
static wb_status select_warp(struct analyzer_report *report, uint32_t block, uint32_t warp) {
    const struct wb_grid *grid = report->grid;
    const struct block_shape *shape = &grid->shapes.items[grid->blocks.items[block].shape];
    const struct access_stream *stream = &grid->streams.items[shape->warps[warp].stream];
    const size_t insts = report->insts.count;
    uint32_t *first = report->first_sorted;
    const bool is_sorted = report->stream == stream;
    report->block = block;
    report->warp = warp;
    report->stream = stream;
    if (is_sorted) return WB_OK;
    report->sorted.count = 0;
    WB_TRY(vec_reserve(&report->sorted, stream->access_count));
    memset(first, 0, (insts + 2) * sizeof *first);
    for (uint32_t i = 0; i < stream->access_count; i++) {
        const uint32_t at = listed_at(report, &stream->accesses[i]);
        if (at != PTX_NO_INDEX) first[at + 2]++;
    }
    for (size_t i = 2; i < insts + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < stream->access_count; i++) {
        const uint32_t at = listed_at(report, &stream->accesses[i]);
        if (at != PTX_NO_INDEX) report->sorted.items[first[at + 1]++] = i;
    }
    return WB_OK;
}

/* The executions of an instruction of the list by the current warp: `count` places in its stream, in order.
 */
static const uint32_t *accesses_at(const struct analyzer_report *report, size_t inst, uint32_t *count) {
    const uint32_t *first = report->first_sorted + inst;
    assert(inst < report->insts.count && first[0] <= first[1]);
    *count = first[1] - first[0];
    return *count > 0 ? report->sorted.items + first[0] : NULL;
}

/* The lines of memory that an access of its stream touches, in the order of the first lane that touches each;
 * returns how many. */
static uint32_t lines_of(const struct analyzer_report *report, uint32_t access,
                         uint64_t lines[REQUESTS_MAX]) {
    const struct access_stream *stream = report->stream;
    const struct grid_block *block = &report->grid->blocks.items[report->block];
    uint64_t base = grid_base(report->grid, block, report->warp, stream->groups[access]);
    struct lane_addresses lanes;
    lane_addresses_read(&stream->accesses[access], stream->tables, base, &lanes);
    return requests_coalesce(&lanes, MEMORY_LINE_BYTES, lines);
}

/* ---- The layout of the paper: lists are "[ a , b , c ]" -------------------------------------------------
 */

static void put_triple(struct text *out, const char *name, const uint32_t *numbers) {
    text_printf(out, "%s [ %u , %u , %u ]\n", name, numbers[0], numbers[1], numbers[2]);
}

/* 1: the current warp executes the instruction; ?: maybe; 0: it does not. */
static char flag_of(const struct analyzer_report *report, size_t inst) {
    uint32_t count;
    const uint32_t *accesses = accesses_at(report, inst, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!is_access_unsure(report->stream, accesses[i])) return '1';
    return count == 0 ? '0' : '?';
}

static void put_lines(struct analyzer_report *report, uint32_t access) {
    struct text *out = &report->out;
    uint64_t lines[REQUESTS_MAX];
    if (is_access_unsure(report->stream, access)) text_string(out, "? ");
    if (report->stream->accesses[access].table == ACCESS_UNKNOWN) {
        text_string(out, "[ ? ]");
        return;
    }
    const uint32_t count = lines_of(report, access, lines);
    text_string(out, "[ ");
    for (uint32_t i = 0; i < count; i++)
        text_printf(out, "%s%" PRIu64, i == 0 ? "" : " , ", lines[i]);
    text_string(out, " ]");
}

/* The lines of every execution of an instruction and what it does, or None. */
static void put_accesses(struct analyzer_report *report, size_t inst) {
    struct text *out = &report->out;
    uint32_t count;
    const uint32_t *accesses = accesses_at(report, inst, &count);
    if (count == 0) {
        text_string(out, "None");
        return;
    }
    text_string(out, "[ ");
    for (uint32_t i = 0; i < count; i++) {
        put_lines(report, accesses[i]);
        text_string(out, " , ");
    }
    const struct access *access = &report->stream->accesses[accesses[0]];
    text_string(out, access->is_atomic ? "A ]" : access->is_store ? "S ]" : "L ]");
}

/* Which instructions the warp at hand executes, WarpAccInfo of the paper; and with which lines. */
static void put_warp(struct analyzer_report *report) {
    struct text *out = &report->out;
    text_printf(out, "Warp%u [ ", report->warp);
    for (size_t i = 0; i < report->insts.count; i++)
        text_printf(out, "%s%c", i == 0 ? "" : " , ", flag_of(report, i));
    text_printf(out, " ]\nWarp%u [ ", report->warp);
    for (size_t i = 0; i < report->insts.count; i++) {
        if (i > 0) text_string(out, " , ");
        put_accesses(report, i);
    }
    text_string(out, " ]\n");
}

/* "line 14 (k.cu:9): ld.global.u32" */
static void put_inst(struct analyzer_report *report, uint32_t instruction) {
    struct text *out = &report->out;
    const struct ptx_inst *inst = grid_inst(report->grid, instruction, NULL);
    const struct inst_place place = source_lines_place(&report->lines, inst);
    text_printf(out, "line %u", place.line);
    if (place.source_file != NULL) text_printf(out, " (%s:%u)", place.source_file, place.source_line);
    text_printf(out, ": %s", inst->form->name);
}

/* "  blocks 0-3: warps 0, 2-7" */
static void put_steered_blocks(struct analyzer_report *report, const struct steered_blocks *blocks) {
    struct text *out = &report->out;
    const uint64_t first = grid_block_number(report->grid, blocks->first);
    const uint64_t last = first + (blocks->last - blocks->first);
    text_printf(out, first == last ? "  block %" PRIu64 ":" : "  blocks %" PRIu64 "-%" PRIu64 ":", first,
                last);
    const char *before = (blocks->warps & (blocks->warps - 1)) == 0 ? " warp " : " warps ";
    for (uint32_t w = 0, end; w < WARP_LANES; w = end + 1) {
        for (end = w; end + 1 < WARP_LANES && (blocks->warps >> w & blocks->warps >> (end + 1) & 1) != 0;)
            end++;
        if ((blocks->warps >> w & 1) == 0) continue;
        text_printf(out, end == w ? "%s%u" : "%s%u-%u", before, w, end);
        before = ", ";
    }
    text_char(out, '\n');
}

static void put_steering(struct analyzer_report *report, const struct steering_group *group) {
    struct text *out = &report->out;
    put_inst(report, group->instruction);
    if (group->origin == group->instruction) {
        text_string(out, ": which memory it accesses is not known");
    } else {
        text_string(out, group->branch ? ": control depends on " : ": its address depends on ");
        if (group->origin == PTX_NO_INDEX)
            text_string(out, "a register that was never written");
        else
            put_inst(report, group->origin);
    }
    text_char(out, '\n');
    for (size_t i = 0; i < group->blocks.count; i++)
        put_steered_blocks(report, &group->blocks.items[i]);
}

static wb_status put_text(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    text_printf(&report->out, "-num_pcs %zu\n-pc_addrs [ ", report->insts.count);
    for (size_t i = 0; i < report->insts.count; i++)
        text_printf(&report->out, "%s%" PRIu64, i == 0 ? "" : " , ", report->insts.items[i].pc);
    text_string(&report->out, " ]\n");
    put_triple(&report->out, "-grid", grid->dimensions);
    put_triple(&report->out, "-block", grid->block_size);
    for (uint32_t b = 0; b < grid->blocks.count; b++) {
        uint32_t index[3];
        grid_block_index(grid, b, index);
        put_triple(&report->out, "Block", index);
        for (uint32_t w = 0; w < grid->warp_count; w++) {
            WB_TRY(select_warp(report, b, w));
            put_warp(report);
        }
        WB_TRY(report_flush(&report->out, report->writer, false));
    }
    if (grid->cover.covers)
        text_string(&report->out, "-covering (? depends on data: whether a warp executes it, or where)\n");
    if (report->steerings.count != 0)
        text_printf(&report->out, "-num_steered_warps %zu (what they execute from there on is not listed)\n",
                    grid->input_dependent.count);
    for (size_t g = 0; g < report->steerings.count; g++) {
        put_steering(report, &report->steerings.items[g]);
        WB_TRY(report_flush(&report->out, report->writer, false));
    }
    return report_flush(&report->out, report->writer, true);
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

/* Where an instruction stands, and its address in the program where that is given; null: it is none. */
static void place_json(struct json *json, const char *key, const struct analyzer_report *report,
                       uint32_t instruction, const uint64_t *pc) {
    const struct ptx_function *function;
    if (!json_open_known(json, key, instruction != PTX_NO_INDEX)) return;
    const struct ptx_inst *inst = grid_inst(report->grid, instruction, &function);
    const struct inst_place place = source_lines_place(&report->lines, inst);
    json_put(json, "opcode %s, function %s, line %u", inst->form->name, function->name, place.line);
    source_lines_json(json, &place);
    if (pc != NULL) json_put_count(json, "pc", *pc);
    json_close(json);
}

static void steering_json(struct json *json, const struct analyzer_report *report,
                          const struct steering_group *group) {
    json_open_object(json, NULL);
    place_json(json, "instruction", report, group->instruction, NULL);
    place_json(json, "origin", report, group->origin, NULL);
    json_put_text(json, "steers", group->branch ? "control" : "address");
    json_open_array(json, "blocks");
    for (size_t i = 0; i < group->blocks.count; i++) {
        const struct steered_blocks *blocks = &group->blocks.items[i];
        const uint64_t first = grid_block_number(report->grid, blocks->first);
        json_open_object(json, NULL);
        json_put(json, "first_block %" PRIu64 ", last_block %" PRIu64, first,
                 first + (blocks->last - blocks->first));
        json_open_array(json, "warps");
        for (uint32_t w = 0; w < WARP_LANES; w++)
            if ((blocks->warps >> w & 1) != 0) json_put_count(json, NULL, w);
        json_close(json);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

/* The executions of an instruction by the current warp: an array of lines for each. */
static void accesses_json(struct json *json, const struct analyzer_report *report, size_t inst) {
    uint32_t count;
    const uint32_t *accesses = accesses_at(report, inst, &count);
    if (count == 0) return;
    const struct access *access = &report->stream->accesses[accesses[0]];
    json_open_object(json, NULL);
    json_put(json, "pc %" PRIu64 ", kind %s", report->insts.items[inst].pc,
             access->is_atomic  ? "atomic"
             : access->is_store ? "store"
                                : "load");
    json_open_array(json, "requests");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t lines[REQUESTS_MAX];
        if (report->stream->accesses[accesses[i]].table == ACCESS_UNKNOWN) {
            json_put_null(json, NULL);
            continue;
        }
        const uint32_t line_count = lines_of(report, accesses[i], lines);
        json_open_array(json, NULL);
        for (uint32_t k = 0; k < line_count; k++)
            json_put_count(json, NULL, lines[k]);
        json_close(json);
    }
    json_close(json);
    if (report->grid->cover.covers) {
        json_open_array(json, "perhaps");
        for (uint32_t i = 0; i < count; i++)
            json_put_bool(json, NULL, is_access_unsure(report->stream, accesses[i]));
        json_close(json);
    }
    json_close(json);
}

static wb_status put_json(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    struct json json = json_begin(&report->out, JSON_MEMBERS);
    document_open(&json, "warpbound-requests", 1);
    const struct sources sources = {
        .kernel = grid->kernel, .launch = &grid->inputs, .facts = grid->cover.facts.from};
    heading_kernel_json(&json, grid->kernel);
    inputs_json(&json, &sources);
    json_put_counts(&json, "grid", grid->dimensions, 3);
    json_put_counts(&json, "block", grid->block_size, 3);
    json_put(&json, "line_bytes %u, covering %d", MEMORY_LINE_BYTES, grid->cover.covers);
    json_open_array(&json, "instructions");
    for (size_t i = 0; i < report->insts.count; i++)
        place_json(&json, NULL, report, report->insts.items[i].index, &report->insts.items[i].pc);
    json_close(&json);
    json_open_array(&json, "steered");
    for (size_t g = 0; g < report->steerings.count; g++)
        steering_json(&json, report, &report->steerings.items[g]);
    json_close(&json);
    json_open_array(&json, "blocks");
    for (uint32_t b = 0; b < grid->blocks.count; b++) {
        uint32_t index[3];
        grid_block_index(grid, b, index);
        json_break(&json, 4);
        json_open_object(&json, NULL);
        json_put_counts(&json, "index", index, 3);
        json_put_count(&json, "shape", grid->blocks.items[b].shape);
        json_open_array(&json, "warps");
        for (uint32_t w = 0; w < grid->warp_count; w++) {
            WB_TRY(select_warp(report, b, w));
            json_open_array(&json, NULL);
            for (size_t i = 0; i < report->insts.count; i++)
                accesses_json(&json, report, i);
            json_close(&json);
        }
        json_close(&json);
        json_close(&json);
        WB_TRY(report_flush(&report->out, report->writer, false));
    }
    json_break(&json, 2);
    json_close(&json);
    json_close(&json);
    text_char(&report->out, '\n');
    return report_flush(&report->out, report->writer, true);
}

wb_status wb_grid_report(const wb_grid *grid, wb_report_format format, const wb_writer *writer,
                         wb_diagnostics *diagnostics) {
    struct analyzer_report report = {.grid = grid, .writer = writer};
    if (grid_is_counted(grid)) {
        diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(grid->kernel), GRID_COUNTED);
        return WB_ERR_DECLINED;
    }
    if (grid->cover.covers) WB_TRY(grid_decline_steered(grid, diagnostics));
    wb_status status = source_lines_open(grid->kernel->module, &report.lines);
    if (status == WB_OK) status = list_insts(&report);
    if (status == WB_OK) status = group_steerings(&report);
    if (status == WB_OK) status = format == WB_REPORT_JSON ? put_json(&report) : put_text(&report);
    for (size_t g = 0; g < report.steerings.count; g++)
        vec_free(&report.steerings.items[g].blocks);
    vec_free(&report.steerings);
    vec_free(&report.insts);
    vec_free(&report.sorted);
    source_lines_close(&report.lines);
    text_free(&report.out);
    arena_free(&report.arena);
    return report_written(status, diagnostics);
}
