#include "report/flow/cfg.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "report/flow/divergence.h"

bool cfg_is_back_edge(const struct cfg_report *report, uint32_t from, uint32_t to) {
    return loop_is_back_edge(&report->dominators, from, to);
}

bool cfg_divides(const struct cfg_report *report, uint32_t block) {
    const uint32_t *first = report->cfg.graph.out.first;
    return cfg_is_branch(cfg_last(&report->cfg, block)) && first[block + 1] - first[block] > 1;
}

bool cfg_decides(const struct cfg_report *report, uint32_t block) {
    return report->cfg.blocks[block].reachable && cfg_has_choice(&report->cfg, block);
}

uint32_t cfg_labels(const struct cfg_report *report, uint32_t block, uint32_t *first) {
    uint32_t inst = report->cfg.blocks[block].first;
    *first = ptx_first_label_from(report->cfg.function, inst);
    return ptx_first_label_from(report->cfg.function, inst + 1);
}

void cfg_put_block(struct text *out, const struct cfg_report *report, uint32_t block) {
    if (block == report->cfg.exit) {
        text_string(out, "exit");
    } else {
        text_printf(out, "B%u", block);
    }
}

void cfg_put_guard(struct text *out, const struct cfg_report *report, const struct ptx_inst *inst) {
    if (inst->guard == PTX_NO_INDEX) return;
    text_string(out, inst->guard_negated ? "@!" : "@");
    ptx_put_reg(report->cfg.function, inst->guard, out);
}

static int location_order(const void *a, const void *b) {
    const struct ptx_location *x = a;
    const struct ptx_location *y = b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Appends sorted locations: each file once, each line once, neighbouring lines as a range. */
static void put_locations(struct text *out, const struct wb_module *module,
                          const struct ptx_location *locations, size_t count) {
    for (size_t i = 0; i < count;) {
        const struct ptx_location *start = &locations[i];
        uint32_t end = start->line;
        bool new_file = i == 0 || locations[i - 1].file != start->file;
        while (i < count && locations[i].file == start->file && locations[i].line - end <= 1)
            end = locations[i++].line;
        if (new_file) {
            text_printf(out, "%s%s:", start == locations ? "" : " ", ptx_location_file(module, start));
        } else {
            text_char(out, ',');
        }
        text_printf(out, "%u", start->line);
        if (end != start->line) text_printf(out, "-%u", end);
    }
}

void cfg_put_source_lines(struct text *out, const struct cfg_report *report, uint32_t block) {
    const struct wb_module *module = report->kernel->module;
    const struct cfg_block *range = &report->cfg.blocks[block];
    VEC(struct ptx_location) locations = {0};
    uint32_t last = PTX_NO_INDEX;
    for (uint32_t i = range->first; i < range->first + range->count; i++) {
        uint32_t location = report->cfg.function->insts[i].location;
        if (location == last || location == PTX_NO_INDEX) continue;
        last = location;
        /* Line 0 is the compiler's word for "from no line". */
        if (module->locations[location].line == 0) continue;
        if (vec_push(&locations, module->locations[location]) != WB_OK) out->failed = true;
    }
    if (locations.count > 0) {
        qsort(locations.items, locations.count, sizeof *locations.items, location_order);
        put_locations(out, module, locations.items, locations.count);
    } else {
        text_string(out, "unknown");
    }
    vec_free(&locations);
}

/* Longest instruction that is shown whole. */
enum { INST_LENGTH_MAX = 62 };

void cfg_put_inst(struct text *out, const struct cfg_report *report, const struct ptx_inst *inst) {
    const struct source *source = &report->kernel->module->source;
    bool blank = false;
    size_t at = inst->at;
    cfg_put_guard(out, report, inst);
    if (inst->guard != PTX_NO_INDEX) text_char(out, ' ');
    for (size_t length = 0; at < source->size && source->text[at] != ';' && length < INST_LENGTH_MAX; at++) {
        char c = source->text[at];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            blank = true;
            continue;
        }
        if (blank) text_char(out, ' ');
        length += 1 + (size_t)blank;
        blank = false;
        text_char(out, c >= ' ' && c <= '~' ? c : '?');
    }
    if (at < source->size && source->text[at] != ';') text_string(out, "...");
}

/* What the pass of cfg_report_open fills. */
struct cfg_pass {
    const uint32_t *block;
    struct arena *arena;
    struct cfg_report *report;
};

static void fill(void *context) {
    const struct cfg_pass *pass = context;
    struct arena *arena = pass->arena;
    struct cfg_report *report = pass->report;
    report->cfg = cfg_build(kernel_function(report->kernel), arena);
    const struct graph *graph = &report->cfg.graph;
    report->dominators = dominators_build(arena, graph, CFG_ENTRY);
    report->post_dominators = post_dominators_build(arena, graph, report->cfg.exit);
    report->loops = loops_build(arena, graph, &report->dominators);
    report->reconvergence = reconvergence_of(&report->cfg, &report->post_dominators, arena);
    report->liveness = liveness_build(&report->cfg, arena);
    report->ssa = ssa_build(&report->cfg, &report->dominators, &report->liveness, arena);
    report->divergence =
        divergence_analyse(&report->ssa, &report->dominators, &report->post_dominators, pass->block, arena);
}

/* The same for the gates. */
static void fill_gates(void *context) {
    const struct cfg_pass *pass = context;
    struct cfg_report *report = pass->report;
    report->gates = gates_build(&report->ssa, &report->dominators, &report->loops, pass->arena);
}

/* WB_ERR_LIMIT with a message when the nesting is deeper than reports show. */
static wb_status check_depth(const struct cfg_report *report, wb_diagnostics *diagnostics) {
    for (uint32_t l = 0; l < report->loops.count; l++) {
        if (report->loops.items[l].depth <= CFG_REPORT_DEPTH_MAX) continue;
        uint32_t header = report->cfg.blocks[report->loops.items[l].header].first;
        ptx_diagnose(diagnostics, SEVERITY_ERROR, report->kernel->module,
                     &report->cfg.function->insts[header], "loops are nested more than %u deep",
                     CFG_REPORT_DEPTH_MAX);
        return WB_ERR_LIMIT;
    }
    return WB_OK;
}

static wb_status too_large(const struct cfg_report *report, wb_diagnostics *diagnostics) {
    diagnose(diagnostics, SEVERITY_ERROR, report->kernel->module->source.name,
             "the control flow of kernel %s needs too much memory", wb_kernel_name(report->kernel));
    return WB_ERR_LIMIT;
}

wb_status cfg_report_open(const struct wb_kernel *kernel, const struct wb_launch *launch, struct arena *arena,
                          wb_diagnostics *diagnostics, struct cfg_report *report) {
    *report = (struct cfg_report){.kernel = kernel};
    const uint32_t *block = launch != NULL && launch->has_block ? launch->block : NULL;
    wb_status status = arena_protect(arena, fill, &(struct cfg_pass){block, arena, report});
    if (status == WB_OK) status = source_lines_open(kernel->module, &report->lines);
    if (status != WB_OK) return too_large(report, diagnostics);
    return check_depth(report, diagnostics);
}

void cfg_report_close(struct cfg_report *report) {
    source_lines_close(&report->lines);
}

wb_status cfg_report_take(const struct cfg_report *report, struct text *out, wb_diagnostics *diagnostics,
                          char **text) {
    char *taken = text_take(out);
    if (taken == NULL) return diagnose_out_of_memory(diagnostics, report->kernel->module->source.name);
    *text = taken;
    return WB_OK;
}

/* Writes the report in a format; the gates are not computed for formats that do not show them. */
static wb_status write_format(struct cfg_report *report, wb_cfg_format format, struct arena *arena,
                              wb_diagnostics *diagnostics, struct text *out) {
    if (format == WB_CFG_SSA &&
        arena_protect(arena, fill_gates, &(struct cfg_pass){NULL, arena, report}) != WB_OK)
        return too_large(report, diagnostics);
    switch (format) {
    case WB_CFG_TEXT: cfg_report_text(report, out); break;
    case WB_CFG_DOT: cfg_report_dot(report, out); break;
    case WB_CFG_SSA: cfg_report_ssa(report, out); break;
    }
    return WB_OK;
}

wb_status wb_kernel_cfg(const wb_kernel *kernel, const wb_launch *launch, wb_cfg_format format,
                        wb_diagnostics *diagnostics, char **text) {
    struct arena arena = {0};
    struct cfg_report report;
    struct text out = {0};
    wb_status status = cfg_report_open(kernel, launch, &arena, diagnostics, &report);
    if (status == WB_OK) status = write_format(&report, format, &arena, diagnostics, &out);
    if (status == WB_OK) status = cfg_report_take(&report, &out, diagnostics, text);
    cfg_report_close(&report);
    arena_free(&arena);
    return status;
}

/* A kernel's control flow as text: its blocks, then its loops. */

/* Where the values of a block or a loop start, counted from the start of its name. */
enum { COLUMN_VALUE = 14, INDENT = 2 };

/* Starts a line "    name      ". */
static void put_name(struct text *out, size_t indent, const char *name) {
    text_pad(out, indent + INDENT);
    text_string(out, name);
    text_pad(out, indent + COLUMN_VALUE);
}

static void put_range(struct text *out, const char *what, uint32_t first, uint32_t last) {
    if (first == last) {
        text_printf(out, "%s %u", what, first);
    } else {
        text_printf(out, "%ss %u-%u", what, first, last);
    }
}

static void put_labels(struct text *out, const struct cfg_report *report, uint32_t block,
                       const char *before) {
    uint32_t label;
    uint32_t end = cfg_labels(report, block, &label);
    for (; label < end; label++)
        text_printf(out, "%s%s", before, report->cfg.function->labels[label].name);
}

/* "B2  instructions 10-15, PTX lines 43-48, source reduce.cu:9" */
static void put_heading(struct text *out, const struct cfg_report *report, uint32_t block) {
    const struct cfg_block *range = &report->cfg.blocks[block];
    uint32_t last = range->first + range->count - 1;
    const struct ptx_inst *insts = report->cfg.function->insts;
    uint32_t first_line = source_lines_place(&report->lines, &insts[range->first]).line;
    uint32_t last_line = source_lines_place(&report->lines, &insts[last]).line;
    text_char(out, '\n');
    cfg_put_block(out, report, block);
    put_labels(out, report, block, " ");
    put_range(out, "  instruction", range->first, last);
    put_range(out, ", PTX line", first_line, last_line);
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
        cfg_put_guard(out, report, last);
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
    if (node == GRAPH_NONE) {
        text_string(out, "none");
    } else {
        cfg_put_block(out, report, node);
    }
    text_char(out, '\n');
}

static void put_decision(struct text *out, const struct cfg_report *report, uint32_t block) {
    if (!cfg_decides(report, block)) return;
    put_name(out, 0, "branch");
    divergence_put_decision(out, report, block);
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
    text_printf(out, "B%u, instruction %u", at, point);
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
        put_decision(out, report, block);
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

void cfg_report_text(const struct cfg_report *report, struct text *out) {
    const struct cfg *cfg = &report->cfg;
    const struct loops *loops = &report->loops;
    text_printf(out, "kernel %s (%s): %u instruction%s, %u block%s, %u loop%s",
                wb_kernel_name(report->kernel), report->kernel->module->source.name,
                cfg->function->inst_count, cfg->function->inst_count == 1 ? "" : "s", cfg->block_count,
                cfg->block_count == 1 ? "" : "s", loops->count, loops->count == 1 ? "" : "s");
    if (loops->region_count > 0)
        text_printf(out, ", %u irreducible region%s", loops->region_count,
                    loops->region_count == 1 ? "" : "s");
    text_char(out, '\n');
    put_blocks(out, report);
    for (uint32_t l = 0; l < loops->count; l++)
        put_loop(out, report, l);
    for (uint32_t r = 0; r < loops->region_count; r++)
        put_region(out, report, r);
}
