#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow_case.h"

static void build(void *context) {
    struct flow_case *flow = context;
    struct arena *arena = &flow->arena;
    flow->cfg = cfg_build(flow->function, arena);
    const struct graph *graph = &flow->cfg.graph;
    flow->dominators = dominators_build(arena, graph, CFG_ENTRY);
    flow->post_dominators = post_dominators_build(arena, graph, flow->cfg.exit);
    flow->loops = loops_build(arena, graph, &flow->dominators);
    flow->liveness = liveness_build(&flow->cfg, arena);
    flow->ssa = ssa_build(&flow->cfg, &flow->dominators, &flow->liveness, arena);
}

void flow_case_of_module(struct flow_case *flow, wb_module *module, size_t index) {
    *flow =
        (struct flow_case){.module = module, .function = kernel_function(wb_module_kernel(module, index))};
    assert_int_equal(arena_protect(&flow->arena, build, flow), WB_OK);
}

void flow_case_of_body(struct flow_case *flow, const char *body) {
    struct text text = {0};
    text_string(&text, ".version 8.0\n.target sm_80\n.address_size 64\n"
                       ".visible .entry k ()\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n");
    text_string(&text, body);
    text_string(&text, "\n}\n");
    assert_false(text.failed);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module;
    if (wb_module_parse("test.ptx", text.data, text.length, diagnostics, &module) != WB_OK)
        fail_msg("%s\n%s", wb_diagnostics_text(diagnostics), text.data);
    text_free(&text);
    wb_diagnostics_free(diagnostics);
    flow_case_of_module(flow, module, 0);
}

void flow_case_free(struct flow_case *flow) {
    arena_free(&flow->arena);
    wb_module_free(flow->module);
}

static uint32_t below(struct random_state *random, uint32_t bound) {
    return (uint32_t)random_below(random, bound);
}

/* Registers 0 to 3 of each type are enough for several definitions of each. */
static void put_random_inst(struct random_state *random, struct text *body) {
    uint32_t a = below(random, 4), b = below(random, 4), c = below(random, 4);
    if (below(random, 4) == 0)
        text_printf(body, "@%s%%p%u ", below(random, 2) == 0 ? "" : "!", below(random, 4));
    switch (below(random, 6)) {
    case 0: text_printf(body, "mov.u32 %%r%u, %u;\n", a, b); break;
    case 1: text_printf(body, "add.u32 %%r%u, %%r%u, %%r%u;\n", a, b, c); break;
    case 2: text_printf(body, "add.cc.u32 %%r%u, %%r%u, %%r%u;\n", a, b, c); break;
    case 3: text_printf(body, "addc.u32 %%r%u, %%r%u, %%r%u;\n", a, b, c); break;
    default: text_printf(body, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", a, b, c); break;
    }
}

/* Somewhere that a block can branch to: label L<blocks> stands at the end. */
static uint32_t random_target(struct random_state *random, uint32_t blocks, uint32_t block, bool forwards) {
    return forwards ? block + 1 + below(random, blocks - block) : below(random, blocks);
}

/* How a block ends; sometimes it just runs into the next one. */
static void put_random_end(struct random_state *random, uint32_t blocks, uint32_t block, bool forwards,
                           struct text *body) {
    uint32_t kind = below(random, 16);
    uint32_t to = random_target(random, blocks, block, forwards);
    const char *negated = below(random, 2) == 0 ? "" : "!";
    if (kind < 10) {
        text_printf(body, "@%s%%p%u bra L%u;\n", negated, below(random, 4), to);
    } else if (kind < 12) {
        text_printf(body, "bra L%u;\n", to);
    } else if (kind == 12) {
        const char *guard = below(random, 2) == 0 ? "" : "@%p1 ";
        text_printf(body, "T%u: .branchtargets L%u, L%u, L%u;\n%sbrx.idx %%r%u, T%u;\n", block, to,
                    random_target(random, blocks, block, forwards),
                    random_target(random, blocks, block, forwards), guard, below(random, 4), block);
    } else if (kind == 13) {
        text_printf(body, "@%s%%p%u ret;\n", negated, below(random, 4));
    }
}

void flow_case_random_body(struct random_state *random, uint32_t blocks, bool forwards, struct text *body) {
    uint32_t count = 1 + below(random, blocks);
    for (uint32_t block = 0; block < count; block++) {
        text_printf(body, "L%u:\n", block);
        for (uint32_t insts = below(random, 4); insts > 0; insts--)
            put_random_inst(random, body);
        put_random_end(random, count, block, forwards, body);
    }
    text_printf(body, "L%u:\nst.global.u32 [%%r0], %%r1;\nst.global.u32 [%%r2], %%r3;\nret;\n", count);
}

uint32_t flow_case_block(const struct flow_case *flow, const char *label) {
    for (uint32_t i = 0; i < flow->function->label_count; i++) {
        if (strcmp(flow->function->labels[i].name, label) == 0)
            return flow->cfg.block_of[flow->function->labels[i].target];
    }
    fail_msg("no label %s", label);
    return 0;
}

uint32_t flow_case_reg(const struct flow_case *flow, const char *name) {
    for (uint32_t reg = 0; reg < flow->function->reg_count; reg++) {
        struct text text = {0};
        ptx_put_reg(flow->function, reg, &text);
        bool equal = strcmp(text.data, name) == 0;
        text_free(&text);
        if (equal) return reg;
    }
    fail_msg("no register %s", name);
    return 0;
}

uint32_t flow_case_arrival(const struct flow_case *flow, uint32_t from, uint32_t edge) {
    const struct graph *graph = &flow->cfg.graph;
    uint32_t to = graph->out.nodes[edge];
    uint32_t same_before = 0;
    for (uint32_t e = graph->out.first[from]; e < edge; e++)
        same_before += graph->out.nodes[e] == to;
    for (uint32_t i = graph->in.first[to];; i++) {
        if (graph->in.nodes[i] == from && same_before-- == 0) return i - graph->in.first[to];
    }
}
