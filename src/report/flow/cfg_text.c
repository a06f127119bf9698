/* A kernel's control flow as text: its blocks, then its loops. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/flow/cfg.h"
#include "report/write/output.h"

/* Where the values of a block or a loop start, counted from the start of its name. */
enum { COLUMN_VALUE = 14, INDENT = 2 };

/* Starts a line "    name      ". */
static void put_name(struct text *out, size_t indent, const char *name) {
    text_pad(out, indent + INDENT);
    text_string(out, name);
    text_pad(out, indent + COLUMN_VALUE);
}

static void put_range(struct text *out, const char *what, uint32_t first, uint32_t last) {
    text_printf(out, first == last ? "%s %u" : "%ss %u-%u", what, first, last);
}

static void put_labels(struct text *out, const struct cfg_report *report, uint32_t block,
                       const char *before) {
    uint32_t label;
    uint32_t end = cfg_labels(report, block, &label);
    for (; label < end; label++)
        text_printf(out, "%s%s", before, report->cfg.function->labels[label].name);
}

/* "B2  instructions 10-15, PTX lines 43-48, source reduce.cu:9"; of machine code addresses */
static void put_heading(struct text *out, const struct cfg_report *report, uint32_t block) {
    const struct cfg_block *range = &report->cfg.blocks[block];
    const struct ptx_function *function = report->cfg.function;
    uint32_t count;
    const uint32_t first_issued = cfg_issued(report, block, &count);
    const uint32_t last_issued = count > 0 ? first_issued + count - 1 : first_issued;
    const struct inst_place first =
        source_lines_place(&report->lines, &function->insts[ptx_issued(function, first_issued)]);
    const struct inst_place last =
        source_lines_place(&report->lines, &function->insts[ptx_issued(function, last_issued)]);
    text_char(out, '\n');
    cfg_put_block(out, report, block);
    put_labels(out, report, block, " ");
    put_range(out, "  instruction", first_issued, last_issued);
    if (first.is_machine)
        text_printf(out, first.address == last.address ? ", 0x%04x" : ", 0x%04x-0x%04x", first.address,
                    last.address);
    else
        put_range(out, ", PTX line", first.line, last.line);
    text_string(out, ", source ");
    cfg_put_source_lines(out, report, block);
    text_string(out, range->reachable ? "\n" : ", unreachable\n");
}

/* An edge's target, and how control gets there. */
static void put_edge(struct text *out, const struct cfg_report *report, uint32_t from, uint32_t edge) {
    static const char *const words[] = {" fall-through", " taken", " indirect", " return"};
    const struct ptx_inst *last = cfg_last(&report->cfg, from);
    enum cfg_edge_kind kind = (enum cfg_edge_kind)report->cfg.edge_kinds[edge];
    uint32_t to = report->cfg.graph.out.nodes[edge];
    cfg_put_block(out, report, to);
    text_string(out, words[kind]);
    if (kind != CFG_FALL_THROUGH && last->guard != PTX_NO_INDEX) {
        text_char(out, ' ');
        source_lines_put_guard(out, report->cfg.function, last);
    }
    if (cfg_is_back_edge(report, from, to)) text_string(out, " (back edge)");
}

static void put_successors(struct text *out, const struct cfg_report *report, uint32_t block) {
    const uint32_t *first = report->cfg.graph.out.first;
    put_name(out, 0, "successors");
    for (uint32_t i = first[block]; i < first[block + 1]; i++) {
        if (i > first[block]) text_string(out, ", ");
        put_edge(out, report, block, i);
    }
    if (first[block] == first[block + 1]) text_string(out, "none");
    text_char(out, '\n');
}

static void put_dominator(struct text *out, const struct cfg_report *report, const char *name,
                          uint32_t node) {
    put_name(out, 0, name);
    if (node == GRAPH_NONE)
        text_string(out, "none");
    else
        cfg_put_block(out, report, node);
    text_char(out, '\n');
}

static void put_reconvergence(struct text *out, const struct cfg_report *report, uint32_t block) {
    if (!cfg_divides(report, block)) return;
    const struct cfg_block *range = &report->cfg.blocks[block];
    uint32_t point = report->reconvergence[range->first + range->count - 1];
    put_name(out, 0, "reconverges");
    if (point == PTX_NO_INDEX) {
        text_string(out, "exit\n");
        return;
    }
    uint32_t at = report->cfg.block_of[point];
    text_printf(out, "B%u, instruction %u", at, ptx_issue_of(report->cfg.function, point));
    put_labels(out, report, at, ", ");
    text_char(out, '\n');
}

static void put_membership(struct text *out, const struct cfg_report *report, uint32_t block) {
    const struct loops *loops = &report->loops;
    uint32_t loop = loops->innermost[block];
    if (loop != GRAPH_NONE) {
        put_name(out, 0, "loop");
        text_printf(out, "L%u, depth %u%s\n", loop, loops->items[loop].depth,
                    loop_is_header(loops, block) ? ", header" : "");
    }
    if (loops->region_of[block] != GRAPH_NONE) {
        put_name(out, 0, "irreducible");
        text_printf(out, "R%u\n", loops->region_of[block]);
    }
}

static void put_blocks(struct text *out, const struct cfg_report *report) {
    for (uint32_t block = 0; block < report->cfg.block_count; block++) {
        put_heading(out, report, block);
        put_successors(out, report, block);
        put_dominator(out, report, "idom", report->dominators.parent[block]);
        put_dominator(out, report, "ipdom", report->post_dominators.parent[block]);
        if (cfg_decides(report, block)) {
            put_name(out, 0, "branch");
            divergence_put_decision(out, report, block);
            text_char(out, '\n');
        }
        put_reconvergence(out, report, block);
        put_membership(out, report, block);
    }
}

static int number_order(const void *a, const void *b) {
    const uint32_t *x = a;
    const uint32_t *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* "B2-B5 B7" */
static void put_block_set(struct text *out, const uint32_t *blocks, uint32_t count) {
    uint32_t *sorted = malloc((size_t)count * sizeof *sorted);
    if (sorted == NULL) {
        out->failed = true;
        return;
    }
    memcpy(sorted, blocks, (size_t)count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, number_order);
    for (uint32_t i = 0; i < count;) {
        uint32_t first = i;
        while (i + 1 < count && sorted[i + 1] == sorted[i] + 1)
            i++;
        text_printf(out, first == 0 ? "B%u" : " B%u", sorted[first]);
        if (i > first) text_printf(out, "-B%u", sorted[i]);
        i++;
    }
    free(sorted);
}

/* "B5->B2", after a comma unless it is the first of its line. */
static void put_pair(struct text *out, const struct cfg_report *report, uint32_t *count, uint32_t from,
                     uint32_t to) {
    if ((*count)++ > 0) text_string(out, ", ");
    cfg_put_block(out, report, from);
    text_string(out, "->");
    cfg_put_block(out, report, to);
}

/* The loop's edges to its header, or those that leave it. */
static void put_loop_edges(struct text *out, const struct cfg_report *report, uint32_t number, bool leaving) {
    const struct adjacency *edges = &report->cfg.graph.out;
    const struct loop *loop = &report->loops.items[number];
    uint32_t count = 0;
    for (uint32_t m = 0; m < loop->member_count; m++) {
        uint32_t from = report->loops.members[loop->first_member + m];
        for (uint32_t i = edges->first[from]; i < edges->first[from + 1]; i++) {
            uint32_t to = edges->nodes[i];
            bool wanted = leaving ? !loop_contains(&report->loops, number, to) : to == loop->header;
            if (wanted) put_pair(out, report, &count, from, to);
        }
    }
    text_string(out, count == 0 ? "none\n" : "\n");
}

/* The iteration of the source's loop that a pass corresponds to, if machine code shows it. */
static void put_unrolled(struct text *out, size_t indent, const struct cfg_report *report, uint32_t number) {
    const struct unrolled *unrolled = report->unrolled == NULL ? NULL : &report->unrolled[number];
    if (unrolled == NULL || unrolled->sign == UNROLLED_NOT || unrolled->sign == UNROLLED_PERHAPS) return;
    put_name(out, indent, "unrolled");
    if (unrolled->sign == UNROLLED_REMAINDER)
        text_printf(out, "does what loop L%u leaves over, which is unrolled by %u\n", unrolled->main,
                    unrolled->factor);
    else
        text_printf(out, "by %u\n", unrolled->factor);
}

static void put_loop(struct text *out, const struct cfg_report *report, uint32_t number) {
    const struct loop *loop = &report->loops.items[number];
    size_t indent = (size_t)(loop->depth - 1) * INDENT * 2;
    text_char(out, '\n');
    text_pad(out, indent);
    text_printf(out, "loop L%u, depth %u, header B%u", number, loop->depth, loop->header);
    put_labels(out, report, loop->header, " ");
    text_string(out, ", source ");
    cfg_put_source_lines(out, report, loop->header);
    text_char(out, '\n');
    put_unrolled(out, indent, report, number);
    put_name(out, indent, "blocks");
    put_block_set(out, report->loops.members + loop->first_member, loop->member_count);
    text_char(out, '\n');
    put_name(out, indent, "back edges");
    put_loop_edges(out, report, number, false);
    put_name(out, indent, "exits");
    put_loop_edges(out, report, number, true);
}

/* A region's blocks, and the edges by which control comes into it. */
static void put_region(struct text *out, const struct cfg_report *report, uint32_t number) {
    const struct loops *loops = &report->loops;
    const struct irreducible_region *region = &loops->regions[number];
    const struct adjacency *edges = &report->cfg.graph.in;
    uint32_t count = 0;
    text_printf(out, "\nirreducible region R%u\n", number);
    put_name(out, 0, "blocks");
    put_block_set(out, loops->region_members + region->first_member, region->member_count);
    text_char(out, '\n');
    put_name(out, 0, "entered by");
    for (uint32_t m = 0; m < region->member_count; m++) {
        uint32_t to = loops->region_members[region->first_member + m];
        for (uint32_t i = edges->first[to]; i < edges->first[to + 1]; i++) {
            uint32_t from = edges->nodes[i];
            bool inside = loops->region_of[from] == number;
            if (report->cfg.blocks[from].reachable && !inside && !cfg_is_back_edge(report, from, to))
                put_pair(out, report, &count, from, to);
        }
    }
    text_char(out, '\n');
}

static void put_text(const struct cfg_report *report, struct text *out) {
    const struct cfg *cfg = &report->cfg;
    const struct loops *loops = &report->loops;
    text_printf(out, "kernel %s (%s): %u instruction%s, %u block%s, %u loop%s",
                wb_kernel_name(report->kernel), report->kernel->module->source.name,
                ptx_issued_count(cfg->function), plural(ptx_issued_count(cfg->function)), cfg->block_count,
                plural(cfg->block_count), loops->count, plural(loops->count));
    if (loops->region_count > 0)
        text_printf(out, ", %u irreducible region%s", loops->region_count, plural(loops->region_count));
    text_char(out, '\n');
    put_blocks(out, report);
    for (uint32_t l = 0; l < loops->count; l++)
        put_loop(out, report, l);
    for (uint32_t r = 0; r < loops->region_count; r++)
        put_region(out, report, r);
}

wb_status wb_kernel_cfg(const wb_kernel *kernel, const wb_launch *launch, wb_cfg_format format,
                        wb_diagnostics *diagnostics, char **text) {
    struct arena arena = {0};
    struct cfg_report report;
    struct text out = {0};
    wb_status status = cfg_report_open(kernel, launch, &arena, diagnostics, &report);
    if (status == WB_OK) {
        switch (format) {
        case WB_CFG_TEXT: put_text(&report, &out); break;
        case WB_CFG_DOT: cfg_report_dot(&report, &out); break;
        }
    }
    status = report_take(status, &out, diagnostics, text);
    cfg_report_close(&report);
    arena_free(&arena);
    return status;
}
