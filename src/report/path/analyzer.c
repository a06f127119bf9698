/* The kernel analyzer (JCSE'17, algorithms 1 to 3): which load and store instructions of global memory the
 * warps of a grid execute, with which lines of memory; in the layout of section III.D, and as JSON. Both are
 * written block by block. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "memory/requests/requests.h"
#include "report/parts/document.h"
#include "report/parts/heading.h"
#include "report/parts/inputs.h"
#include "report/write/output.h"
#include "report/write/source_lines.h"
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
    struct steered_blocks open; /* while it is made: the block at hand; of no warps: none */
};

/* The executions of one instruction by a warp: places in its stream, in order. */
struct analyzer_accesses {
    const uint32_t *items;
    uint32_t count;
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
static wb_status steering_group_of(struct analyzer_report *report, const struct steered_warp *input_dependent,
                                   struct steering_group **found) {
    for (size_t g = 0; g < report->steerings.count; g++) {
        *found = &report->steerings.items[g];
        if ((*found)->instruction == input_dependent->instruction &&
            (*found)->origin == input_dependent->origin && (*found)->branch == input_dependent->branch)
            return WB_OK;
    }
    struct steering_group group = {.instruction = input_dependent->instruction,
                                   .origin = input_dependent->origin,
                                   .branch = input_dependent->branch};
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

/* Sums up the warps with input-dependent paths, in the order of their blocks. */
static wb_status group_steerings(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    for (size_t i = 0; i < grid->input_dependent.count; i++) {
        const struct steered_warp *input_dependent = &grid->input_dependent.items[i];
        struct steering_group *group;
        WB_TRY(steering_group_of(report, input_dependent, &group));
        if (group->open.first != input_dependent->block) WB_TRY(close_block(group));
        group->open.first = group->open.last = input_dependent->block;
        group->open.warps |= 1u << input_dependent->warp;
    }
    for (size_t g = 0; g < report->steerings.count; g++)
        WB_TRY(close_block(&report->steerings.items[g]));
    return WB_OK;
}

/* Finds the instructions. The writer must outlive the report; it is closed with report_close, also after an
 * error (WB_ERR_LIMIT, without a message). */
static wb_status report_open(const struct wb_grid *grid, const wb_writer *writer,
                             struct analyzer_report *report) {
    *report = (struct analyzer_report){.grid = grid, .writer = writer};
    WB_TRY(source_lines_open(grid->kernel->module, &report->lines));
    WB_TRY(list_insts(report));
    return group_steerings(report);
}

static void report_close(struct analyzer_report *report) {
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

/* Turns to a warp. WB_ERR_LIMIT without a message when memory is exhausted. */
static wb_status select_warp(struct analyzer_report *report, uint32_t block, uint32_t warp) {
    const struct wb_grid *grid = report->grid;
    assert(block < grid->blocks.count && warp < grid->warp_count);
    const struct block_shape *shape = &grid->shapes.items[grid->blocks.items[block].shape];
    const struct access_stream *stream = &grid->streams.items[shape->warps[warp].stream];
    bool sorted = report->stream == stream; /* warps often have the stream of the one before */
    report->block = block;
    report->warp = warp;
    report->stream = stream;
    return sorted ? WB_OK : sort_accesses(report);
}

/* How the current warp executes an instruction of the list. */
static struct analyzer_accesses accesses_at(const struct analyzer_report *report, uint32_t inst) {
    const uint32_t *first = report->first_sorted + inst;
    assert(inst < report->insts.count && first[0] <= first[1]);
    struct analyzer_accesses accesses = {.count = first[1] - first[0]};
    if (accesses.count != 0) accesses.items = report->sorted.items + first[0];
    return accesses;
}

/* Whether the current warp only maybe executes an access of its stream. */
static bool is_perhaps(const struct analyzer_report *report, uint32_t access) {
    const struct access_stream *stream = report->stream;
    const struct access *of = &stream->accesses[access];
    uint32_t low = 0, high = stream->maybe_count; /* the first stretch that does not end before its step */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (stream->maybe_executed[middle].end <= of->step)
            low = middle + 1;
        else
            high = middle;
    }
    return (of->mask & ~of->unsure) == 0 ||
           (low < stream->maybe_count && stream->maybe_executed[low].first <= of->step);
}

/* Whether which memory an access is to depends on data. */
static bool is_unknown(const struct analyzer_report *report, uint32_t access) {
    return report->stream->accesses[access].table == ACCESS_UNKNOWN;
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

/* The number of a block in the launch, x first. */
static uint64_t block_number(const struct wb_grid *grid, uint32_t block) {
    uint32_t index[3];
    grid_block_index(grid, block, index);
    return ((uint64_t)index[2] * grid->dimensions[1] + index[1]) * grid->dimensions[0] + index[0];
}

/* The kernel analyzer's results in the layout of JCSE'17, section III.D. */

/* ---- The layout of the paper -------------------------------------------------------------------------- */

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

/* 1: the current warp executes the instruction; ?: maybe; 0: it does not. */
static char flag_of(const struct analyzer_report *report, uint32_t inst) {
    const struct analyzer_accesses accesses = accesses_at(report, inst);
    for (uint32_t i = 0; i < accesses.count; i++)
        if (!is_perhaps(report, accesses.items[i])) return '1';
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
    if (is_perhaps(report, access)) text_string(out, "? ");
    if (is_unknown(report, access)) {
        text_string(out, "[ ? ]");
        return;
    }
    uint32_t count = lines_of(report, access, lines);
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
    struct analyzer_accesses accesses = accesses_at(report, inst);
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
    text_printf(out, ": %s", inst->form->name);
}

/* "  blocks 0-3: warps 0, 2-7" */
static void put_steered_blocks(struct analyzer_report *report, const struct steered_blocks *blocks) {
    struct text *out = &report->out;
    uint64_t first = block_number(report->grid, blocks->first);
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

static wb_status put_text(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    put_header(report);
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

/* Where an instruction stands, without its address: members of the innermost object. */
static void place_json(struct json *json, const struct analyzer_report *report, uint32_t instruction) {
    const struct ptx_function *function;
    const struct ptx_inst *inst = grid_inst(report->grid, instruction, &function);
    const struct inst_place place = source_lines_place(&report->lines, inst);
    json_put_text(json, "opcode", inst->form->name);
    json_put_text(json, "function", function->name);
    json_put_count(json, "line", place.line);
    source_lines_json(json, &place);
}

static void insts_json(struct json *json, const struct analyzer_report *report) {
    json_open_array(json, "instructions");
    for (size_t i = 0; i < report->insts.count; i++) {
        json_open_object(json, NULL);
        place_json(json, report, report->insts.items[i].index);
        json_put_count(json, "pc", report->insts.items[i].pc);
        json_close(json);
    }
    json_close(json);
}

/* Consecutive blocks with the same warps. */
static void steered_blocks_json(struct json *json, const struct analyzer_report *report,
                                const struct steered_blocks *blocks) {
    const uint64_t first = block_number(report->grid, blocks->first);
    json_open_object(json, NULL);
    json_put_count(json, "first_block", first);
    json_put_count(json, "last_block", first + (blocks->last - blocks->first));
    json_open_array(json, "warps");
    for (uint32_t w = 0; w < WARP_LANES; w++)
        if ((blocks->warps >> w & 1) != 0) json_put_count(json, NULL, w);
    json_close(json);
    json_close(json);
}

static void steering_json(struct json *json, const struct analyzer_report *report,
                          const struct steering_group *group) {
    json_open_object(json, NULL);
    json_open_object(json, "instruction");
    place_json(json, report, group->instruction);
    json_close(json);
    if (group->origin == PTX_NO_INDEX) {
        json_put_null(json, "origin");
    } else {
        json_open_object(json, "origin");
        place_json(json, report, group->origin);
        json_close(json);
    }
    json_put_text(json, "steers", group->branch ? "control" : "address");
    json_open_array(json, "blocks");
    for (size_t i = 0; i < group->blocks.count; i++)
        steered_blocks_json(json, report, &group->blocks.items[i]);
    json_close(json);
    json_close(json);
}

static const char *kind_of(const struct access *access) {
    if (access->is_atomic) return "atomic";
    return access->is_store ? "store" : "load";
}

/* The executions of an instruction by the current warp: an array of lines for each. */
static void accesses_json(struct json *json, const struct analyzer_report *report, uint32_t inst) {
    const struct analyzer_accesses accesses = accesses_at(report, inst);
    if (accesses.count == 0) return;
    json_open_object(json, NULL);
    json_put_count(json, "pc", report->insts.items[inst].pc);
    json_put_text(json, "kind", kind_of(&report->stream->accesses[accesses.items[0]]));
    json_open_array(json, "requests");
    for (uint32_t i = 0; i < accesses.count; i++) {
        uint64_t lines[REQUESTS_MAX];
        if (is_unknown(report, accesses.items[i])) {
            json_put_null(json, NULL);
            continue;
        }
        const uint32_t count = lines_of(report, accesses.items[i], lines);
        json_open_array(json, NULL);
        for (uint32_t k = 0; k < count; k++)
            json_put_count(json, NULL, lines[k]);
        json_close(json);
    }
    json_close(json);
    if (report->grid->cover.covers) {
        json_open_array(json, "perhaps");
        for (uint32_t i = 0; i < accesses.count; i++)
            json_put_bool(json, NULL, is_perhaps(report, accesses.items[i]));
        json_close(json);
    }
    json_close(json);
}

static wb_status block_json(struct json *json, struct analyzer_report *report, uint32_t block) {
    const struct wb_grid *grid = report->grid;
    uint32_t index[3];
    grid_block_index(grid, block, index);
    json_break(json, 4);
    json_open_object(json, NULL);
    json_put_counts(json, "index", index, 3);
    json_put_count(json, "shape", grid->blocks.items[block].shape);
    json_open_array(json, "warps");
    for (uint32_t w = 0; w < grid->warp_count; w++) {
        WB_TRY(select_warp(report, block, w));
        json_open_array(json, NULL);
        for (uint32_t i = 0; i < report->insts.count; i++)
            accesses_json(json, report, i);
        json_close(json);
    }
    json_close(json);
    json_close(json);
    return report_flush(&report->out, report->writer, false);
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
    json_put_count(&json, "line_bytes", MEMORY_LINE_BYTES);
    json_put_bool(&json, "covering", grid->cover.covers);
    insts_json(&json, report);
    json_open_array(&json, "steered");
    for (size_t g = 0; g < report->steerings.count; g++)
        steering_json(&json, report, &report->steerings.items[g]);
    json_close(&json);
    json_open_array(&json, "blocks");
    for (uint32_t b = 0; b < grid->blocks.count; b++)
        WB_TRY(block_json(&json, report, b));
    json_break(&json, 2);
    json_close(&json);
    json_close(&json);
    text_char(&report->out, '\n');
    return report_flush(&report->out, report->writer, true);
}

wb_status wb_grid_report(const wb_grid *grid, wb_report_format format, const wb_writer *writer,
                         wb_diagnostics *diagnostics) {
    struct analyzer_report report;
    if (grid->cover.covers) WB_TRY(grid_decline_steered(grid, diagnostics));
    wb_status status = report_open(grid, writer, &report);
    if (status == WB_OK) status = format == WB_REPORT_JSON ? put_json(&report) : put_text(&report);
    report_close(&report);
    return report_written(status, diagnostics);
}
