/* The kernel analyzer's results in the layout of JCSE'17, section III.D. */
#include <inttypes.h>

#include "report/analyzer_report.h"
#include "report/bound_text.h"

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
