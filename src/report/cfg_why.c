/* Why the branches at a label are uniform or divergent. */
#include <string.h>

#include "report/divergence_text.h"

/* Names that a message about an unknown label lists. */
enum { LABELS_LISTED = 30 };

/* The label of that name, or PTX_NO_INDEX. */
static uint32_t find_label(const struct ptx_function *function, const char *name) {
    for (uint32_t i = 0; i < function->label_count; i++)
        if (strcmp(function->labels[i].name, name) == 0) return i;
    return PTX_NO_INDEX;
}

static wb_status unknown_label(const struct wb_kernel *kernel, const char *name,
                               wb_diagnostics *diagnostics) {
    const struct ptx_function *function = kernel_function(kernel);
    struct text names = {0};
    for (uint32_t i = 0; i < function->label_count && i < LABELS_LISTED; i++)
        text_printf(&names, "%s%s", i == 0 ? ": " : ", ", function->labels[i].name);
    if (function->label_count > LABELS_LISTED)
        text_printf(&names, " and %u more", function->label_count - LABELS_LISTED);
    diagnose(diagnostics, SEVERITY_ERROR, name, "kernel %s has no such label; it has %u%s",
             wb_kernel_name(kernel), function->label_count, names.data != NULL ? names.data : "");
    text_free(&names);
    return WB_ERR_INPUT;
}

/* "B1 @%p1 bra $L__BB0_4, PTX line 43, source reduce.cu:9: divergent: %tid.x, PTX line 30" and its reasons.
 */
static void put_branch(struct text *out, const struct cfg_report *report, uint32_t block) {
    const struct ptx_inst *last = cfg_last(&report->cfg, block);
    text_printf(out, "\nB%u ", block);
    cfg_put_inst(out, report, last);
    divergence_put_place(out, report, last);
    text_string(out, ": ");
    divergence_put_decision(out, report, block);
    text_char(out, '\n');
    divergence_put_chain(out, report, block);
}

/* Whether the branch that ends a block names the instruction among its targets. */
static bool branches_to(const struct cfg *cfg, uint32_t block, uint32_t inst) {
    if (!cfg_is_branch(cfg_last(cfg, block))) return false;
    for (uint32_t i = cfg->graph.out.first[block]; i < cfg->graph.out.first[block + 1]; i++) {
        uint32_t to = cfg->graph.out.nodes[i];
        uint32_t first = to == cfg->exit ? cfg->function->inst_count : cfg->blocks[to].first;
        if (cfg->edge_kinds[i] != CFG_FALL_THROUGH && first == inst) return true;
    }
    return false;
}

/* Explains every branch that decides whether to go to the label, and the one that ends the label's block. */
static void put_branches(struct text *out, const struct cfg_report *report, uint32_t target) {
    const struct cfg *cfg = &report->cfg;
    uint32_t own = target < cfg->function->inst_count ? cfg->block_of[target] : cfg->exit;
    uint32_t count = 0;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        bool wanted = block == own || branches_to(cfg, block, target);
        if (!wanted || !cfg_decides(report, block)) continue;
        put_branch(out, report, block);
        count++;
    }
    if (count == 0) text_string(out, "\nno branch decides anything there\n");
}

wb_status wb_kernel_why(const wb_kernel *kernel, const wb_launch *launch, const char *label,
                        wb_diagnostics *diagnostics, char **text) {
    struct arena arena = {0};
    struct cfg_report report;
    struct text out = {0};
    uint32_t found = find_label(kernel_function(kernel), label);
    if (found == PTX_NO_INDEX) return unknown_label(kernel, label, diagnostics);
    wb_status status = cfg_report_open(kernel, launch, &arena, diagnostics, &report);
    if (status == WB_OK) {
        text_printf(&out, "kernel %s (%s): branches to %s, and the one that ends its block\n",
                    wb_kernel_name(kernel), kernel->module->source.name, label);
        put_branches(&out, &report, report.cfg.function->labels[found].target);
        status = cfg_report_take(&report, &out, diagnostics, text);
    }
    cfg_report_close(&report);
    arena_free(&arena);
    return status;
}
