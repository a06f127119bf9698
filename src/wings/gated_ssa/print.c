/* A kernel's instructions in gated SSA form: registers with versions, phis as mu, gamma and eta functions. */
#include <stdlib.h>

#include "ptx/ptx.h"
#include "report/flow/cfg.h"
#include "report/write/output.h"
#include "warpbound_gated_ssa.h"
#include "wings/gated_ssa/gates.h"

/* A node of a decision graph that is being written, and how many of its sides are. */
struct open_node {
    uint32_t node;
    uint32_t written;
};

struct ssa_printer {
    const struct cfg_report *report;
    struct gates gates;
    struct text *out;
    uint32_t *references; /* per node of decision graphs: nodes that lead to it */
    uint32_t *asked;      /* per value: the last phi whose decision graph asks it, + 1 */
    VEC(struct open_node) open;
    VEC(uint32_t) met; /* nodes of the graph at hand */
};

/* Names of registers at one instruction: each with the version that it reads or writes. */
struct versioned_names {
    struct register_names names;
    const struct cfg_report *report;
    uint32_t inst;
};

static void put_value(struct text *out, const struct cfg_report *report, uint32_t value) {
    if (value == SSA_NONE) {
        text_char(out, '?');
        return;
    }
    print_register(out, report->cfg.function, report->ssa.values[value].reg);
    text_printf(out, ".%u", report->ssa.values[value].version);
}

/* The value that an instruction writes to a register, or SSA_NONE. */
static uint32_t value_written(const struct ssa *ssa, uint32_t inst, uint32_t reg) {
    for (uint32_t d = ssa->first_def[inst]; d < ssa->first_def[inst + 1]; d++)
        if (ssa->defs[d] != SSA_NONE && ssa->values[ssa->defs[d]].reg == reg) return ssa->defs[d];
    return SSA_NONE;
}

/* "%r1.2", or "%r1.2(%r1.1)" where the old value shows in the new one. */
static void put_versioned(const struct register_names *names, struct text *out, uint32_t reg,
                          enum register_access access) {
    const struct versioned_names *versioned = (const struct versioned_names *)names;
    const struct cfg_report *report = versioned->report;
    const struct ssa *ssa = &report->ssa;
    if (access == REGISTER_READ) {
        put_value(out, report, value_read(ssa, versioned->inst, reg));
        return;
    }
    uint32_t value = value_written(ssa, versioned->inst, reg);
    uint32_t old = SSA_NONE;
    put_value(out, report, value);
    if (access == REGISTER_UPDATED) old = value_read(ssa, versioned->inst, reg);
    if (value != SSA_NONE && ssa->values[value].argument_count > 0)
        old = ssa->arguments[ssa->values[value].first_argument];
    if (old == SSA_NONE) return;
    text_char(out, '(');
    put_value(out, report, old);
    text_char(out, ')');
}

/* An instruction, and behind it the carry flag, which is no operand. */
static void put_inst(const struct ssa_printer *printer, uint32_t index) {
    const struct cfg_report *report = printer->report;
    const struct ptx_function *function = report->cfg.function;
    const struct ptx_inst *inst = &function->insts[index];
    const struct versioned_names names = {{put_versioned}, report, index};
    text_string(printer->out, "  ");
    print_inst_named(printer->out, report->kernel->module, function, inst, &names.names);
    if (inst->form->carry_in || inst->form->carry_out) text_string(printer->out, "  //");
    if (inst->form->carry_in) {
        text_string(printer->out, " reads ");
        put_versioned(&names.names, printer->out, function->reg_count, REGISTER_READ);
    }
    if (inst->form->carry_out) {
        text_string(printer->out, " writes ");
        put_versioned(&names.names, printer->out, function->reg_count, REGISTER_WRITTEN);
    }
    text_char(printer->out, '\n');
}

/* ---- Decision graphs ---------------------------------------------------------------------------------- */

static const struct gate_node *node_at(const struct ssa_printer *printer, uint32_t node) {
    return &printer->gates.nodes[node];
}

/* The side of a node on which its predicate is true, or false. */
static uint32_t side_of(const struct ssa_printer *printer, const struct gate_node *node, bool where_true) {
    bool negated = cfg_last(&printer->report->cfg, node->block)->guard_negated;
    return where_true != negated ? node->taken : node->fallen;
}

static void meet(struct ssa_printer *printer, uint32_t node) {
    if (printer->references[node]++ > 0) return;
    if (vec_push(&printer->met, node) != WB_OK) printer->out->failed = true;
}

/* Finds the nodes of a phi's decision graph, how often each is led to, and what they ask. */
static void meet_graph(struct ssa_printer *printer, uint32_t phi, uint32_t root) {
    printer->met.count = 0;
    meet(printer, root);
    for (size_t i = 0; i < printer->met.count; i++) {
        const struct gate_node *node = node_at(printer, printer->met.items[i]);
        if (node->block == GRAPH_NONE) continue;
        printer->asked[node->predicate] = phi + 1;
        meet(printer, node->taken);
        meet(printer, node->fallen);
    }
}

/* Whether a node is written on a line of its own, under a name, since several others lead to it. */
static bool is_named(const struct ssa_printer *printer, uint32_t node) {
    return node_at(printer, node)->block != GRAPH_NONE && printer->references[node] > 1;
}

/* Starts a node that asks; its two sides are written next. */
static void open_node(struct ssa_printer *printer, uint32_t node) {
    text_string(printer->out, "gamma(");
    put_value(printer->out, printer->report, node_at(printer, node)->predicate);
    if (vec_push(&printer->open, ((struct open_node){node, 0})) != WB_OK) printer->out->failed = true;
}

/* Writes what stands for a node where another leads to it, or opens it to be written in full. */
static void put_side(struct ssa_printer *printer, uint32_t index) {
    const struct gate_node *node = node_at(printer, index);
    if (node->block == GRAPH_NONE) {
        put_value(printer->out, printer->report, node->predicate);
    } else if (is_named(printer, index)) {
        text_printf(printer->out, "g%u", node->block);
    } else {
        open_node(printer, index);
    }
}

/* Writes the choice of a node that asks: "gamma(%p1.0, %r1.0, gamma(%p2.0, %r1.1, %r1.2))". */
static void put_gamma(struct ssa_printer *printer, uint32_t root) {
    printer->open.count = 0;
    open_node(printer, root);
    while (printer->open.count > 0) {
        struct open_node *top = &printer->open.items[printer->open.count - 1];
        if (top->written == 2) {
            text_char(printer->out, ')');
            printer->open.count--;
            continue;
        }
        text_string(printer->out, ", ");
        put_side(printer, side_of(printer, node_at(printer, top->node), top->written++ == 0));
    }
}

static int descending(const void *a, const void *b) {
    const uint32_t *x = a;
    const uint32_t *y = b;
    return *x > *y ? -1 : *x < *y;
}

/* Writes the named nodes of a graph, those that others lead to first. */
static void put_named(struct ssa_printer *printer) {
    if (printer->met.count > 0)
        qsort(printer->met.items, printer->met.count, sizeof *printer->met.items, descending);
    for (size_t i = printer->met.count; i-- > 0;) {
        uint32_t node = printer->met.items[i];
        if (!is_named(printer, node)) continue;
        text_printf(printer->out, "  g%u = ", node_at(printer, node)->block);
        put_gamma(printer, node);
        text_char(printer->out, '\n');
    }
}

/* ---- Phis --------------------------------------------------------------------------------------------- */

/* Writes "  // by %p1.0, %p2.0": predicates, those left out that the phi's decision graph asks. */
static void put_predicates(const struct ssa_printer *printer, const struct gate *gate, uint32_t phi) {
    const char *before = gate->kind == GATE_GAMMA ? "  // also by " : "  // by ";
    for (uint32_t i = 0; i < gate->predicate_count; i++) {
        uint32_t predicate = printer->gates.predicates[gate->first_predicate + i];
        if (printer->asked[predicate] == phi + 1) continue;
        text_string(printer->out, before);
        put_value(printer->out, printer->report, predicate);
        before = ", ";
    }
}

/* The arguments of a mu that come over edges of one kind; one that several edges in turn bring, once. */
static void put_mu_arguments(const struct ssa_printer *printer, const struct ssa_value *phi, bool back) {
    const struct cfg_report *report = printer->report;
    const struct adjacency *in = &report->cfg.graph.in;
    uint32_t edges = in->first[phi->block + 1] - in->first[phi->block];
    const char *before = "";
    uint32_t last = SSA_NONE;
    for (uint32_t a = 0; a < phi->argument_count; a++) {
        uint32_t argument = report->ssa.arguments[phi->first_argument + a];
        bool is_back =
            a < edges && cfg_is_back_edge(report, in->nodes[in->first[phi->block] + a], phi->block);
        if (argument == SSA_NONE || is_back != back || argument == last) continue;
        text_string(printer->out, before);
        put_value(printer->out, report, argument);
        before = "; ";
        last = argument;
    }
}

static void put_mu(const struct ssa_printer *printer, const struct ssa_value *phi) {
    text_string(printer->out, "mu(");
    put_mu_arguments(printer, phi, false);
    text_string(printer->out, ", ");
    put_mu_arguments(printer, phi, true);
    text_char(printer->out, ')');
}

/* "phi(B1: %r1.0, B4: %r1.3)" */
static void put_opaque(const struct ssa_printer *printer, const struct ssa_value *phi) {
    const struct cfg_report *report = printer->report;
    const struct adjacency *in = &report->cfg.graph.in;
    const char *before = "phi(";
    for (uint32_t a = 0; a < phi->argument_count; a++) {
        uint32_t argument = report->ssa.arguments[phi->first_argument + a];
        if (argument == SSA_NONE) continue;
        text_printf(printer->out, "%sB%u: ", before, in->nodes[in->first[phi->block] + a]);
        put_value(printer->out, report, argument);
        before = ", ";
    }
    text_char(printer->out, ')');
}

/* What a gamma chooses: a value where there is nothing to decide, as all arguments are the same. */
static void put_choice(struct ssa_printer *printer, uint32_t root) {
    if (node_at(printer, root)->block == GRAPH_NONE) {
        put_side(printer, root);
    } else {
        put_gamma(printer, root);
    }
}

static void put_phi(struct ssa_printer *printer, uint32_t number) {
    struct text *out = printer->out;
    const struct ssa_value *phi = &printer->report->ssa.values[number];
    const struct gate *gate = &printer->gates.phis[number];
    if (gate->kind == GATE_GAMMA) {
        meet_graph(printer, number, gate->root);
        put_named(printer);
    }
    text_string(out, "  ");
    put_value(out, printer->report, number);
    text_string(out, " = ");
    switch (gate->kind) {
    case GATE_GAMMA: put_choice(printer, gate->root); break;
    case GATE_MU: put_mu(printer, phi); break;
    default: put_opaque(printer, phi); break;
    }
    put_predicates(printer, gate, number);
    text_char(out, '\n');
}

/* ---- Blocks and loops --------------------------------------------------------------------------------- */

/* "B3 $L__BB0_2, header of L0, from B1, B5" */
static void put_heading(const struct ssa_printer *printer, uint32_t block) {
    const struct cfg_report *report = printer->report;
    const struct adjacency *in = &report->cfg.graph.in;
    uint32_t loop = report->loops.innermost[block];
    uint32_t label;
    uint32_t end = cfg_labels(report, block, &label);
    text_printf(printer->out, "\nB%u", block);
    for (; label < end; label++)
        text_printf(printer->out, " %s", report->cfg.function->labels[label].name);
    if (loop != GRAPH_NONE)
        text_printf(printer->out, ", %s L%u", loop_is_header(&report->loops, block) ? "header of" : "in",
                    loop);
    for (uint32_t i = in->first[block]; i < in->first[block + 1]; i++)
        text_printf(printer->out, "%sB%u", i == in->first[block] ? ", from " : ", ", in->nodes[i]);
    text_string(printer->out, report->cfg.blocks[block].reachable ? "\n" : ", unreachable\n");
}

/* The registers whose values are those from before the function: of a kernel, ones that were not written. */
static void put_entry_values(const struct ssa_printer *printer) {
    const struct ssa *ssa = &printer->report->ssa;
    for (uint32_t v = 0; v < ssa->value_count && ssa->values[v].kind == SSA_ENTRY; v++) {
        text_string(printer->out, v == 0 ? "\non entry: " : ", ");
        put_value(printer->out, printer->report, v);
    }
    if (ssa->value_count > 0 && ssa->values[0].kind == SSA_ENTRY) text_char(printer->out, '\n');
}

static void put_block(struct ssa_printer *printer, uint32_t block) {
    const struct cfg_report *report = printer->report;
    const struct cfg_block *range = &report->cfg.blocks[block];
    put_heading(printer, block);
    if (!range->reachable) return;
    for (uint32_t p = 0; p < report->ssa.phi_count[block]; p++)
        put_phi(printer, report->ssa.first_phi[block] + p);
    for (uint32_t i = range->first; i < range->first + range->count; i++)
        put_inst(printer, i);
}

/* Whether threads that read a value behind its loop together can have different ones. */
static void put_eta_divergence(struct text *out, const struct cfg_report *report, uint32_t value) {
    const struct divergence *divergence = &report->divergence;
    const uint32_t parting = divergence->parting[value];
    if (divergence->values[value].cause != DIVERGENCE_NONE)
        text_string(out, ", divergent in each iteration");
    else if (parting != GRAPH_NONE)
        text_printf(out, ", divergent: threads part at B%u", parting);
    else
        text_string(out, ", uniform");
}

/* "  L0: eta(%p1.0, %r1.2) of B3, uniform" for every value that is used behind a loop. */
static void put_etas(const struct ssa_printer *printer) {
    const struct cfg_report *report = printer->report;
    struct text *out = printer->out;
    if (printer->gates.eta_count > 0) text_string(out, "\nbehind loops\n");
    for (uint32_t i = 0; i < printer->gates.eta_count; i++) {
        const struct eta *eta = &printer->gates.etas[i];
        text_printf(out, "  L%u: eta(", eta->loop);
        for (uint32_t p = 0; p < eta->predicate_count; p++) {
            put_value(out, report, printer->gates.predicates[eta->first_predicate + p]);
            text_string(out, ", ");
        }
        put_value(out, report, eta->value);
        text_printf(out, ") of B%u", report->ssa.values[eta->value].block);
        put_eta_divergence(out, report, eta->value);
        text_char(out, '\n');
    }
}

static uint32_t phi_total(const struct cfg_report *report) {
    uint32_t total = 0;
    for (uint32_t block = 0; block < report->cfg.block_count; block++)
        total += report->ssa.phi_count[block];
    return total;
}

static void put_kernel(struct ssa_printer *printer, struct text *out) {
    const struct cfg_report *report = printer->report;
    printer->out = out;
    printer->references = calloc((size_t)printer->gates.node_count + 1, sizeof *printer->references);
    printer->asked = calloc((size_t)report->ssa.value_count + 1, sizeof *printer->asked);
    if (printer->references == NULL || printer->asked == NULL) {
        out->failed = true;
    } else {
        text_printf(out, "kernel %s (%s): %u values, %u phis, %u etas\n", wb_kernel_name(report->kernel),
                    report->kernel->module->source.name, report->ssa.value_count, phi_total(report),
                    printer->gates.eta_count);
        put_entry_values(printer);
        for (uint32_t block = 0; block < report->cfg.block_count; block++)
            put_block(printer, block);
        put_etas(printer);
    }
    free(printer->references);
    free(printer->asked);
    vec_free(&printer->open);
    vec_free(&printer->met);
}

/* What the pass that makes the gates fills. */
struct gates_pass {
    const struct cfg_report *report;
    struct arena *arena;
    struct gates gates;
};

static void make_gates(void *context) {
    struct gates_pass *pass = context;
    const struct cfg_report *report = pass->report;
    pass->gates = gates_build(&report->ssa, &report->dominators, &report->loops, pass->arena);
}

wb_status wb_kernel_ssa(const wb_kernel *kernel, const wb_launch *launch, wb_diagnostics *diagnostics,
                        char **text) {
    struct arena arena = {0};
    struct cfg_report report;
    struct gates_pass pass = {.report = &report, .arena = &arena};
    struct text out = {0};
    wb_status status = cfg_report_open(kernel, launch, &arena, diagnostics, &report);
    if (status == WB_OK && arena_protect(&arena, make_gates, &pass) != WB_OK)
        status = cfg_report_refuse_size(&report, diagnostics);
    if (status == WB_OK) put_kernel(&(struct ssa_printer){.report = &report, .gates = pass.gates}, &out);
    status = report_take(status, &out, diagnostics, text);
    cfg_report_close(&report);
    arena_free(&arena);
    return status;
}
