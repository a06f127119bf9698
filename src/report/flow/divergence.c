#include "report/flow/cfg.h"

#include <string.h>

#include "flow/values/values.h"
#include "report/write/output.h"

static void put_reg(struct text *out, const struct cfg_report *report, uint32_t value) {
    uint32_t reg = report->ssa.values[value].reg;
    if (reg == report->cfg.function->reg_count)
        text_string(out, "carry");
    else
        ptx_put_reg(report->cfg.function, reg, out);
}

/* Appends "%r18.2": one of the values that a register has in the course of the function. */
static void put_value(struct text *out, const struct cfg_report *report, uint32_t value) {
    put_reg(out, report, value);
    text_printf(out, ".%u", report->ssa.values[value].version);
}

/* Appends ", PTX line 24, source reduce.cu:9" of an instruction; of machine code ", 0x0230, source ...". */
static void put_place(struct text *out, const struct cfg_report *report, const struct ptx_inst *inst,
                      bool with_source) {
    struct inst_place place = source_lines_place(&report->lines, inst);
    text_string(out, ", ");
    source_lines_put_code(out, &place);
    /* Line 0 is the compiler's word for "from no line". */
    if (with_source && place.source_file != NULL && place.source_line != 0)
        text_printf(out, ", source %s:%u", place.source_file, place.source_line);
}

/* The special register that makes an instruction a source, or NULL. */
static const char *source_sreg(const struct ptx_function *function, const struct ptx_inst *inst) {
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct ptx_operand *operand = &ptx_operands(function, inst)[i];
        bool differs =
            operand->kind == PTX_OPERAND_SREG && divergence_rule_sreg((enum ptx_sreg)operand->index);
        if (differs) return ptx_sreg_name((enum ptx_sreg)operand->index);
    }
    return NULL;
}

/* Appends what a value without a further reason is: a special register, an opcode, an unwritten register. */
static void put_source(struct text *out, const struct cfg_report *report, uint32_t value) {
    const struct ssa_value *source = &report->ssa.values[value];
    if (source->kind != SSA_INST) {
        put_reg(out, report, value);
        text_string(out, ", which may be unwritten");
        return;
    }
    const struct ptx_inst *inst = &report->cfg.function->insts[source->inst];
    const char *sreg = source_sreg(report->cfg.function, inst);
    text_string(out, sreg != NULL ? sreg : inst->form->name);
    put_place(out, report, inst, false);
}

void divergence_put_decision(struct text *out, const struct cfg_report *report, uint32_t block) {
    if (!report->divergence.branches[block]) {
        text_string(out, "uniform");
        return;
    }
    uint32_t value = report->divergence.decisions[block].from;
    while (report->divergence.values[value].from != SSA_NONE)
        value = report->divergence.values[value].from;
    text_string(out, "divergent: ");
    put_source(out, report, value);
}

/* Appends "threads that part at B4 and meet at B7". */
static void put_parting(struct text *out, const struct cfg_report *report, uint32_t branch) {
    text_printf(out, "threads that part at B%u", branch);
    text_string(out, " and meet at ");
    cfg_put_block(out, report, report->post_dominators.parent[branch]);
}

/* Appends why a value without a further reason differs. */
static void put_cause(struct text *out, const struct cfg_report *report, uint32_t value) {
    const struct ssa_value *source = &report->ssa.values[value];
    if (report->divergence.values[value].cause == DIVERGENCE_MEMORY) {
        text_string(out, "each thread reads memory of its own");
    } else if (source->kind == SSA_ENTRY) {
        text_string(out, "never written: each thread may find something else");
    } else {
        const struct ptx_inst *inst = &report->cfg.function->insts[source->inst];
        const char *sreg = source_sreg(report->cfg.function, inst);
        text_printf(out, "each thread gets %s of its own", sreg != NULL ? sreg : "a result");
    }
}

/* Appends "eta(%p1.0, %r3.2), of different iterations for threads that ...": what is read behind a loop that
 * threads leave at different times, or, in it, read anew. */
static void put_late(struct text *out, const struct cfg_report *report, struct divergence_reason reason,
                     uint32_t block) {
    const uint32_t loop = report->loops.innermost[report->ssa.values[reason.late].block];
    const bool behind = loop != GRAPH_NONE && !loop_contains(&report->loops, loop, block);
    if (behind) {
        text_string(out, "eta(");
        put_value(out, report, reason.from);
        text_string(out, ", ");
    }
    put_value(out, report, reason.late);
    text_string(out, behind ? "), of different iterations for " : ", of different iterations for ");
    put_parting(out, report, reason.branch);
}

/* Appends why a value or a decision of a block differs that does so because of another value. */
static void put_reason(struct text *out, const struct cfg_report *report, struct divergence_reason reason,
                       uint32_t block, bool joins) {
    if (reason.late != SSA_NONE) {
        text_string(out, joins ? "takes over " : "reads ");
        put_late(out, report, reason, block);
        text_string(out, ", by ");
    } else if (reason.cause == DIVERGENCE_DATA) {
        text_string(out, joins ? "takes over " : "reads ");
    } else if (reason.branch == GRAPH_NONE) {
        text_string(out, "is written only in threads with ");
    } else {
        text_string(out, "joins values of ");
        put_parting(out, report, reason.branch);
        text_string(out, ", by ");
    }
    put_value(out, report, reason.from);
}

/* Appends a step: the value, the instruction or join that makes it, and why it differs. */
static void put_step(struct text *out, const struct cfg_report *report, uint32_t value) {
    const struct ssa_value *step = &report->ssa.values[value];
    const struct divergence_reason reason = report->divergence.values[value];
    text_string(out, "    ");
    put_value(out, report, value);
    if (step->kind == SSA_INST) {
        const struct ptx_inst *inst = &report->cfg.function->insts[step->inst];
        text_string(out, ": ");
        source_lines_put_inst(out, report->kernel->module, report->cfg.function, inst);
        put_place(out, report, inst, true);
    } else {
        text_string(out, step->kind == SSA_PHI ? " where control comes to " : " at ");
        text_printf(out, "B%u", step->block);
    }
    text_string(out, ": ");
    if (reason.from == SSA_NONE) {
        put_cause(out, report, value);
    } else {
        put_reason(out, report, reason, step->block, step->kind == SSA_PHI);
    }
    text_char(out, '\n');
}

/* Appends the chain of reasons for which a block's branch is divergent, a line a step, down to what differs
 * between threads by itself; one line for a branch that is uniform. */
static void divergence_put_chain(struct text *out, const struct cfg_report *report, uint32_t block) {
    if (!report->divergence.branches[block]) {
        text_string(out, "    all threads of a warp that execute it together go the same way\n");
        return;
    }
    const struct divergence_reason reason = report->divergence.decisions[block];
    text_string(out, "    the branch ");
    put_reason(out, report, reason, block, false);
    text_char(out, '\n');
    for (uint32_t value = reason.from; value != SSA_NONE; value = report->divergence.values[value].from)
        put_step(out, report, value);
}

/* Why the branches at a label are uniform or divergent. */

/* Names that a message about an unknown label lists. */
enum { LABELS_LISTED = 30 };

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
    source_lines_put_inst(out, report->kernel->module, report->cfg.function, last);
    put_place(out, report, last, true);
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
    const struct ptx_function *function = kernel_function(kernel);
    uint32_t found = 0;
    while (found < function->label_count && strcmp(function->labels[found].name, label) != 0)
        found++;
    if (found == function->label_count) return unknown_label(kernel, label, diagnostics);
    wb_status status = cfg_report_open(kernel, launch, &arena, diagnostics, &report);
    if (status == WB_OK) {
        text_printf(&out, "kernel %s (%s): branches to %s, and the one that ends its block\n",
                    wb_kernel_name(kernel), kernel->module->source.name, label);
        put_branches(&out, &report, report.cfg.function->labels[found].target);
    }
    status = report_take(status, &out, diagnostics, text);
    cfg_report_close(&report);
    arena_free(&arena);
    return status;
}
