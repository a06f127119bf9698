/* The analyses of control flow, on a synthetic function of the size of the largest that compilers make of
 * real kernels, and on one ten times as large. */
#include "base/base.h"
#include "bench_support.h"
#include "flow/bounds/bounds.h"
#include "flow/graph/graph.h"
#include "flow/values/values.h"

/* What one iteration of the text below becomes, and the registers that it has to itself. */
enum { REPEAT_BLOCKS = 6, REPEAT_INSTS = 70, REPEAT_REGS = 20 };

/* Everything that is computed of a function. */
struct flow {
    struct arena arena;
    const struct ptx_function *function;
    struct cfg cfg;
    struct dominators dominators, post_dominators;
    struct loops loops;
    uint32_t *reconvergence;
    struct node_regs liveness;
    struct ssa ssa;
    struct divergence divergence;
    struct loop_bound *bounds;
};

static void build_graph(void *context) {
    struct flow *flow = context;
    flow->cfg = cfg_build(flow->function, &flow->arena);
}

static void build_trees(void *context) {
    struct flow *flow = context;
    flow->dominators = dominators_build(&flow->arena, &flow->cfg.graph, CFG_ENTRY);
    flow->post_dominators = post_dominators_build(&flow->arena, &flow->cfg.graph, flow->cfg.exit);
}

static void build_loops(void *context) {
    struct flow *flow = context;
    flow->loops = loops_build(&flow->arena, &flow->cfg.graph, &flow->dominators);
    flow->reconvergence = reconvergence_of(&flow->cfg, &flow->post_dominators, &flow->arena);
}

static void build_ssa(void *context) {
    struct flow *flow = context;
    flow->liveness = liveness_build(&flow->cfg, &flow->arena);
    flow->ssa = ssa_build(&flow->cfg, &flow->dominators, &flow->liveness, &flow->arena);
}

static void build_divergence(void *context) {
    struct flow *flow = context;
    flow->divergence =
        divergence_analyse(&flow->ssa, &flow->dominators, &flow->post_dominators, NULL, &flow->arena);
}

static void build_bounds(void *context) {
    static const struct loop_environment nothing_known;
    struct flow *flow = context;
    flow->bounds =
        loop_bounds_find(&flow->ssa, &flow->dominators, &flow->loops, &nothing_known, &flow->arena);
}

static const struct stage {
    const char *name;
    void (*pass)(void *flow);
} stages[] = {
    {"graph", build_graph},
    {"dominators, post-dominators", build_trees},
    {"loops, reconvergence", build_loops},
    {"liveness, SSA form", build_ssa},
    {"divergence", build_divergence},
    {"loop bounds", build_bounds},
};

enum { STAGES = sizeof stages / sizeof *stages };

/* Address arithmetic and the like on registers from `first` on, each of which is written before it is read;
 * now and then something that goes on through the whole function. */
static void write_arithmetic(struct text *out, unsigned first, unsigned count) {
    enum { OWN_REGS = REPEAT_REGS - 3 };
    for (unsigned k = 0; k < count; k++) {
        unsigned to = first + 3 + k % OWN_REGS;
        unsigned from = first + 3 + (k * 7 + 1) % OWN_REGS;
        if (k < OWN_REGS) {
            text_printf(out, "mad.lo.u32 %%r%u, %%r%u, %u, %%r%u;\n", to, first, k + 1, first + 1);
        } else if (k % 13 == 12) {
            text_printf(out, "add.u32 %%s%u, %%s%u, %%r%u;\n", k % 4, k % 4, from);
        } else {
            text_printf(out, "xor.b32 %%r%u, %%r%u, %%r%u;\n", to, to, from);
        }
    }
}

/* A loop in a loop with a condition in it, which depends on the thread. */
static void write_loops(struct text *out, unsigned i) {
    unsigned first = i * REPEAT_REGS;
    text_printf(out, "mov.u32 %%r%u, 0;\nOUTER%u:\nmov.u32 %%r%u, 0;\n", first + 1, i, first);
    text_printf(out, "INNER%u:\nadd.u32 %%r%u, %%r%u, 1;\nsetp.lt.u32 %%p0, %%r%u, %%t;\n", i, first, first,
                first);
    text_printf(out, "@%%p0 bra SKIP%u;\n", i);
    write_arithmetic(out, first, REPEAT_INSTS - 10);
    text_printf(out, "SKIP%u:\nsetp.lt.u32 %%p1, %%r%u, %u;\n@%%p1 bra INNER%u;\n", i, first, 10 + i % 7, i);
    text_printf(out, "add.u32 %%r%u, %%r%u, 4;\nsetp.lt.u32 %%p2, %%r%u, 64;\n@%%p2 bra OUTER%u;\n",
                first + 1, first + 1, first + 1, i);
}

static void write_function(struct text *out, unsigned repeats) {
    text_printf(out,
                ".version 8.0\n.target sm_80\n.entry k () {\n.reg .pred %%p<3>;\n.reg .b32 %%t;\n"
                ".reg .b32 %%s<4>;\n.reg .b32 %%r<%u>;\nmov.u32 %%t, %%tid.x;\n",
                repeats * REPEAT_REGS);
    for (unsigned s = 0; s < 4; s++)
        text_printf(out, "mov.u32 %%s%u, %u;\n", s, s);
    for (unsigned i = 0; i < repeats; i++)
        write_loops(out, i);
    text_string(out, "st.global.v4.u32 [0], {%s0, %s1, %s2, %s3};\nret;\n}\n");
}

/* Runs all stages once and adds what each took. */
static wb_status run_stages(struct flow *flow, double times[STAGES]) {
    for (size_t s = 0; s < STAGES; s++) {
        double start = seconds();
        WB_TRY(arena_protect(&flow->arena, stages[s].pass, flow));
        times[s] += seconds() - start;
    }
    return WB_OK;
}

static void print_times(const struct flow *flow, const double times[STAGES], unsigned runs) {
    double total = 0;
    uint32_t bounded = 0;
    for (uint32_t l = 0; l < flow->loops.count; l++)
        bounded += flow->bounds[l].known;
    for (size_t s = 0; s < STAGES; s++)
        total += times[s];
    printf("flow: %8.3f ms for %u instructions, %u blocks, %u loops (%u bounded), %u values\n",
           total / runs * 1e3, flow->function->inst_count, flow->cfg.block_count, flow->loops.count, bounded,
           flow->ssa.value_count);
    for (size_t s = 0; s < STAGES; s++)
        printf("flow: %8.3f ms   %s\n", times[s] / runs * 1e3, stages[s].name);
}

static void measure(unsigned repeats, unsigned runs) {
    struct text text = {0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    double times[STAGES] = {0};
    write_function(&text, repeats);
    require(wb_module_parse("bench.ptx", text.data, text.length, diagnostics, &module), diagnostics);
    for (unsigned run = 0; run < runs; run++) {
        struct flow flow = {.function = kernel_function(wb_module_kernel(module, 0))};
        require(run_stages(&flow, times), diagnostics);
        if (run + 1 == runs) print_times(&flow, times, runs);
        arena_free(&flow.arena);
    }
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    text_free(&text);
}

int main(void) {
    measure(600 / REPEAT_BLOCKS, 10);
    measure(6000 / REPEAT_BLOCKS, 1);
    return EXIT_SUCCESS;
}
