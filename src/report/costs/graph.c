/* The control flow graph of a kernel with the costs of its blocks, for Graphviz. */
#include "base/base.h"
#include "report/costs/costs_shown.h"
#include "report/flow/cfg.h"
#include "report/write/output.h"
#include "warp/trace/trace.h"

/* The state of the pass that sums up costs. */
struct graph_pass {
    const struct cfg_report *report;
    const struct costs_shown *shown;
    struct arena *arena;
    struct cfg_costs *costs;
    uint32_t first; /* index of the kernel's first instruction */
};

/* Adds what instructions do to their blocks; what a called function does is not in the graph. */
static void sum_up(void *context) {
    const struct graph_pass *pass = context;
    const struct cfg *cfg = &pass->report->cfg;
    struct cfg_costs *costs = pass->costs;
    costs->warps = arena_array(pass->arena, (size_t)cfg->graph.node_count + 1, sizeof *costs->warps);
    costs->cycles = arena_array(pass->arena, (size_t)cfg->graph.node_count + 1, sizeof *costs->cycles);
    for (size_t r = 0; r < pass->shown->costs->rows.count; r++) {
        const wb_cost *row = &pass->shown->costs->rows.items[r];
        if (row->instruction - pass->first >= ptx_issued_count(cfg->function)) continue;
        const uint32_t block =
            cfg->block_of[ptx_issued(cfg->function, (uint32_t)row->instruction - pass->first)];
        costs->cycles[block] += row->cycles;
        if (costs->warps[block] == 0) costs->warps[block] = WARPS_UNKNOWN;
        if (row->executions > 0 &&
            (costs->warps[block] == WARPS_UNKNOWN || row->executions > costs->warps[block]))
            costs->warps[block] = row->executions;
    }
    cfg_costs_complete(pass->report, pass->arena, costs);
}

static wb_status put_graph(struct costs_shown *shown, const struct wb_kernel *kernel, const wb_launch *launch,
                           wb_diagnostics *diagnostics, struct text *out) {
    struct arena arena = {0};
    struct cfg_report report;
    struct cfg_costs costs = {.total = shown->total, .texts = &shown->sources};
    struct text number = {0};
    struct graph_pass pass = {.report = &report, .shown = shown, .arena = &arena, .costs = &costs};
    costs_put_subject(&number, shown);
    costs.number = number.failed ? "" : number.data;
    out->failed |= number.failed;
    wb_status status = cfg_report_open(kernel, launch, &arena, diagnostics, &report);
    if (status == WB_OK) {
        pass.first = shown->costs->code_first[report.cfg.function - kernel->module->functions];
        status = arena_protect(&arena, sum_up, &pass);
        if (status != WB_OK) (void)diagnose_out_of_memory(diagnostics, "costs");
    }
    report.costs = &costs;
    if (status == WB_OK) cfg_report_dot(&report, out);
    cfg_report_close(&report);
    arena_free(&arena);
    text_free(&number);
    return status;
}

wb_status wb_analysis_cfg(const wb_analysis *analysis, const wb_launch *launch,
                          const wb_report_options *options, wb_diagnostics *diagnostics, char **text) {
    const struct wb_kernel *kernel = analysis_sources(analysis).kernel;
    wb_report_options asked;
    struct costs_shown shown = {0};
    struct text out = {0};
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    if (kernel == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, analysis->machine->name,
                 "there is no kernel whose graph could be shown");
        return WB_ERR_DECLINED;
    }
    wb_status status = costs_shown_open(analysis, &asked, diagnostics, &shown);
    if (status == WB_OK) status = put_graph(&shown, kernel, launch, diagnostics, &out);
    costs_shown_close(&shown);
    return report_take(status, &out, diagnostics, text);
}
