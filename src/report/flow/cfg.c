#include "report/flow/cfg.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "flow/graph/graph.h"

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

uint32_t cfg_issued(const struct cfg_report *report, uint32_t block, uint32_t *count) {
    const struct ptx_function *function = report->cfg.function;
    const struct cfg_block *range = &report->cfg.blocks[block];
    uint32_t first = ptx_issue_of(function, range->first);
    uint32_t last = ptx_issue_of(function, range->first + range->count - 1);
    /* A block may begin or end inside of a group: an instruction belongs to the block that it stands in. */
    const uint32_t end = range->first + range->count;
    if (ptx_issued(function, first) < range->first) first++;
    if (ptx_issued(function, last) >= end) last--;
    *count = last + 1 - first;
    return first;
}

void cfg_put_block(struct text *out, const struct cfg_report *report, uint32_t block) {
    text_printf(out, block == report->cfg.exit ? "exit" : "B%u", block);
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
        if (new_file)
            text_printf(out, "%s%s:", start == locations ? "" : " ", ptx_location_file(module, start));
        else
            text_char(out, ',');
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

/* The data that the pass of cfg_report_open fills. */
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
    if (report->kernel->module->code != NULL)
        report->unrolled = unrolled_find(&report->cfg, &report->loops, arena);
    report->reconvergence = ptx_is_machine_code(report->cfg.function)
                                ? convergence_points(&report->cfg, &report->dominators, arena)
                                : reconvergence_of(&report->cfg, &report->post_dominators, arena);
    report->liveness = liveness_build(&report->cfg, arena);
    report->ssa = ssa_build(&report->cfg, &report->dominators, &report->liveness, arena);
    report->divergence =
        divergence_analyse(&report->ssa, &report->dominators, &report->post_dominators, pass->block, arena);
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

wb_status cfg_report_refuse_size(const struct cfg_report *report, wb_diagnostics *diagnostics) {
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
    if (status != WB_OK) return cfg_report_refuse_size(report, diagnostics);
    return check_depth(report, diagnostics);
}

void cfg_report_close(struct cfg_report *report) {
    source_lines_close(&report->lines);
}
