/* Blocks, edges and reconvergence points of PTX text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "flow/graph/graph.h"

/* A kernel with a given body, and its control flow. */
struct flow {
    wb_diagnostics *diagnostics;
    wb_module *module;
    const struct ptx_function *function;
    struct arena arena;
    struct cfg cfg;
    uint32_t *reconvergence;
};

static void build(void *context) {
    struct flow *flow = context;
    flow->cfg = cfg_build(flow->function, &flow->arena);
    flow->reconvergence = flow_reconvergence(flow->function, &flow->arena);
}

static void flow_of(struct flow *flow, const char *body) {
    struct text text = {0};
    text_string(&text, ".version 8.0\n.target sm_80\n.address_size 64\n"
                       ".extern .func report ();\n"
                       ".visible .entry k ()\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n");
    text_string(&text, body);
    text_string(&text, "\n}\n");
    assert_false(text.failed);
    *flow = (struct flow){.diagnostics = wb_diagnostics_new()};
    const wb_kernel *kernel;
    if (wb_module_parse("test.ptx", text.data, text.length, flow->diagnostics, &flow->module) != WB_OK ||
        wb_module_find_kernel(flow->module, "k", flow->diagnostics, &kernel) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(flow->diagnostics));
    text_free(&text);
    flow->function = kernel_function(kernel);
    assert_int_equal(arena_protect(&flow->arena, build, flow), WB_OK);
}

static void flow_free(struct flow *flow) {
    arena_free(&flow->arena);
    wb_module_free(flow->module);
    wb_diagnostics_free(flow->diagnostics);
}

/* The instruction behind a label; PTX_NO_INDEX for NULL. */
static uint32_t at_label(const struct flow *flow, const char *label) {
    if (label == NULL) return PTX_NO_INDEX;
    for (uint32_t i = 0; i < flow->function->label_count; i++) {
        if (strcmp(flow->function->labels[i].name, label) == 0) return flow->function->labels[i].target;
    }
    fail_msg("no label %s", label);
    return 0;
}

/* The branch behind the first label reconverges behind the second, or at the exit (NULL). */
static void assert_reconverges(const struct flow *flow, const char *branch, const char *point) {
    uint32_t found = flow->reconvergence[at_label(flow, branch)];
    if (found != at_label(flow, point))
        fail_msg("%s reconverges at instruction %d, not %d", branch, (int)found, (int)at_label(flow, point));
}

/* "from>to" of all edges, with a letter for the kind, in the graph's order. */
static void assert_edges(const struct flow *flow, const char *expected) {
    struct text edges = {0};
    const struct adjacency *out = &flow->cfg.graph.out;
    for (uint32_t block = 0; block < flow->cfg.block_count; block++) {
        for (uint32_t i = out->first[block]; i < out->first[block + 1]; i++) {
            text_printf(&edges, "%s%u", edges.length == 0 ? "" : " ", block);
            text_printf(&edges, "%c%u", "ftix"[flow->cfg.edge_kinds[i]], out -> nodes[i]);
        }
    }
    assert_string_equal(edges.data == NULL ? "" : edges.data, expected);
    text_free(&edges);
}

static void test_blocks_end_at_branches_and_in_front_of_their_targets(void **state) {
    (void)state;
    struct flow flow;
    flow_of(&flow, "mov.u32 %r1, 0;\n"
                   "call report, ();\n" /* does not end a block */
                   "NOT_BRANCHED_TO: mov.u32 %r2, 0;\n"
                   "@%p1 mov.u32 %r2, 1;\n"
                   "LOOP: add.u32 %r1, %r1, 1;\n"
                   "@!%p1 bra LOOP;\n"
                   "@%p2 ret;\n"
                   "bra END;\n"
                   "mov.u32 %r2, 2;\n"
                   "@%p3 trap;\n"
                   "@%p4 exit;\n"
                   "trap;\n"
                   "END:");
    assert_edges(&flow, "0f1 1t1 1f2 2x7 2f3 3t7 4f5 5x7 5f6");
    const uint32_t first[] = {0, 4, 6, 7, 8, 10, 11};
    assert_int_equal(flow.cfg.block_count, 7);
    for (uint32_t block = 0; block < 7; block++) {
        assert_int_equal(flow.cfg.blocks[block].first, first[block]);
        assert_int_equal(flow.cfg.block_of[first[block]], block);
        assert_int_equal(flow.cfg.blocks[block].reachable, block < 4);
    }
    assert_int_equal(flow.cfg.blocks[0].count, 4);
    assert_int_equal(flow.cfg.block_of[3], 0);
    assert_int_equal(flow.cfg.exit, 7);
    flow_free(&flow);
}

static void test_body_without_instructions(void **state) {
    (void)state;
    struct flow flow;
    flow_of(&flow, "");
    assert_int_equal(flow.cfg.block_count, 0);
    assert_int_equal(flow.cfg.exit, CFG_ENTRY);
    flow_free(&flow);
}

static void test_end_of_body_is_the_exit(void **state) {
    (void)state;
    struct flow flow;
    flow_of(&flow, "B: @%p1 bra END;\nmov.u32 %r1, 0;\nEND:");
    assert_edges(&flow, "0t2 0f1 1f2");
    assert_reconverges(&flow, "B", NULL);
    flow_free(&flow);
}

static void test_nested_conditions_reconverge_inside_out(void **state) {
    (void)state;
    struct flow flow;
    flow_of(&flow, "OUTER: @%p1 bra ELSE;\n"
                   "INNER: @%p2 bra INNER_ELSE;\n"
                   "mov.u32 %r1, 1;\n"
                   "SKIP: bra.uni INNER_END;\n"
                   "INNER_ELSE: mov.u32 %r1, 2;\n"
                   "INNER_END: mov.u32 %r2, 1;\n"
                   "bra END;\n"
                   "ELSE: mov.u32 %r2, 2;\n"
                   "END: ret;");
    assert_reconverges(&flow, "OUTER", "END");
    assert_reconverges(&flow, "INNER", "INNER_END");
    assert_reconverges(&flow, "SKIP", "INNER_END");
    assert_int_equal(flow.reconvergence[at_label(&flow, "ELSE")], PTX_NO_INDEX);
    assert_int_equal(flow.reconvergence[at_label(&flow, "END")], PTX_NO_INDEX);
    flow_free(&flow);
}

static void test_loop_with_break_and_continue(void **state) {
    (void)state;
    struct flow flow;
    flow_of(&flow, "HEAD: mov.u32 %r1, 0;\n"
                   "BREAK: @%p1 bra END;\n"
                   "CONTINUE: @%p2 bra NEXT;\n"
                   "mov.u32 %r2, 0;\n"
                   "NEXT: mov.u32 %r3, 0;\n"
                   "BACK: @%p3 bra HEAD;\n"
                   "END: ret;");
    assert_reconverges(&flow, "BREAK", "END");
    assert_reconverges(&flow, "CONTINUE", "NEXT");
    assert_reconverges(&flow, "BACK", "END");
    flow_free(&flow);
}

static void test_indirect_branch_has_each_target_once(void **state) {
    (void)state;
    struct flow flow;
    flow_of(&flow, "TABLE: .branchtargets ONE, TWO, ONE, END;\n"
                   "SWITCH: @%p1 brx.idx %r1, TABLE;\n"
                   "mov.u32 %r2, 0;\n"
                   "ONE: mov.u32 %r2, 1;\n"
                   "bra END;\n"
                   "TWO: mov.u32 %r2, 2;\n"
                   "END: mov.u32 %r3, 0;\n"
                   "ret;");
    assert_edges(&flow, "0i2 0i3 0i4 0f1 1f2 2t4 3f4 4x5");
    assert_reconverges(&flow, "SWITCH", "END");
    flow_free(&flow);
}

static void test_tables_may_be_large(void **state) {
    (void)state;
    enum { CASES = 300 };
    struct text body = {0};
    text_string(&body, "TABLE: .branchtargets ");
    for (int i = 0; i < CASES; i++)
        text_printf(&body, "%sL%d", i == 0 ? "" : ", ", i);
    text_string(&body, ";\nSWITCH: brx.idx %r1, TABLE;\n");
    for (int i = 0; i < CASES; i++)
        text_printf(&body, "L%d: mov.u32 %%r2, %d;\nbra END;\n", i, i);
    text_string(&body, "END: ret;");
    struct flow flow;
    flow_of(&flow, body.data);
    assert_int_equal(flow.cfg.graph.out.first[1], CASES);
    assert_int_equal(flow.cfg.graph.edge_count, 2 * CASES + 1);
    assert_reconverges(&flow, "SWITCH", "END");
    flow_free(&flow);
    text_free(&body);
}

static void test_early_return(void **state) {
    (void)state;
    struct flow flow;
    /* With a common ret, lanes meet at it; a ret of their own ends them, so the others meet at the exit only.
     */
    flow_of(&flow, "COMMON: @%p1 bra DONE;\n"
                   "OUTER: @%p2 bra ELSE;\n"
                   "@%p3 ret;\n"
                   "mov.u32 %r1, 0;\n"
                   "ELSE: mov.u32 %r2, 0;\n"
                   "INNER: @%p4 bra DONE;\n"
                   "mov.u32 %r3, 0;\n"
                   "DONE: ret;");
    assert_reconverges(&flow, "COMMON", NULL);
    assert_reconverges(&flow, "OUTER", NULL);
    assert_reconverges(&flow, "INNER", "DONE");
    flow_free(&flow);
    flow_of(&flow, "COMMON: @%p1 bra DONE;\n"
                   "mov.u32 %r1, 0;\n"
                   "DONE: ret;");
    assert_reconverges(&flow, "COMMON", "DONE");
    flow_free(&flow);
}

static void test_trap_does_not_delay_reconvergence(void **state) {
    (void)state;
    struct flow flow;
    flow_of(&flow, "OUTER: @%p1 bra END;\n"
                   "CHECK: @%p2 bra GOOD;\n"
                   "call report, ();\n"
                   "trap;\n"
                   "GOOD: mov.u32 %r1, 0;\n"
                   "@%p3 trap;\n"
                   "mov.u32 %r1, 1;\n"
                   "END: ret;");
    assert_reconverges(&flow, "CHECK", "GOOD");
    assert_reconverges(&flow, "OUTER", "END");
    flow_free(&flow);
}

static void test_infinite_loop(void **state) {
    (void)state;
    struct flow flow;
    flow_of(&flow, "OUTER: @%p1 bra END;\n"
                   "FOREVER: mov.u32 %r1, 0;\n"
                   "CHOICE: @%p2 bra JOIN;\n"
                   "mov.u32 %r2, 0;\n"
                   "JOIN: mov.u32 %r3, 0;\n"
                   "bra FOREVER;\n"
                   "END: ret;");
    assert_reconverges(&flow, "OUTER", "END");
    assert_reconverges(&flow, "CHOICE", "JOIN");
    flow_free(&flow);
}

static void test_too_many_edges_are_refused(void **state) {
    (void)state;
    /* 4,097 branches over one table of 4,096 targets: more than 2^24 edges from 100 kB of text. */
    struct text body = {0};
    text_string(&body, "TABLE: .branchtargets L0");
    for (int i = 1; i < 4096; i++)
        text_printf(&body, ", L%d", i);
    text_string(&body, ";\n");
    for (int i = 0; i < 4096; i++)
        text_printf(&body, "L%d: brx.idx %%r1, TABLE;\n", i);
    text_string(&body, "brx.idx %r1, TABLE;\n");
    struct text module = {0};
    text_printf(&module, ".version 8.0\n.target sm_80\n.entry k () {\n.reg .b32 %%r<9>;\n%s}\n", body.data);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *parsed;
    assert_int_equal(wb_module_parse("test.ptx", module.data, module.length, diagnostics, &parsed), WB_OK);
    struct flow flow = {.function = kernel_function(wb_module_kernel(parsed, 0))};
    assert_int_equal(arena_protect(&flow.arena, build, &flow), WB_ERR_LIMIT);
    arena_free(&flow.arena);
    wb_module_free(parsed);
    wb_diagnostics_free(diagnostics);
    text_free(&module);
    text_free(&body);
}

static void test_exhausted_memory_is_an_error(void **state) {
    (void)state;
    struct flow flow;
    flow_of(&flow, "LOOP: @%p1 bra LOOP;\nret;");
    struct flow full = {.arena = {.limit = 1}, .function = flow.function};
    assert_int_equal(arena_protect(&full.arena, build, &full), WB_ERR_LIMIT);
    assert_null(full.reconvergence);
    flow_free(&flow);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_end_at_branches_and_in_front_of_their_targets),
        cmocka_unit_test(test_body_without_instructions),
        cmocka_unit_test(test_end_of_body_is_the_exit),
        cmocka_unit_test(test_nested_conditions_reconverge_inside_out),
        cmocka_unit_test(test_loop_with_break_and_continue),
        cmocka_unit_test(test_indirect_branch_has_each_target_once),
        cmocka_unit_test(test_tables_may_be_large),
        cmocka_unit_test(test_early_return),
        cmocka_unit_test(test_trap_does_not_delay_reconvergence),
        cmocka_unit_test(test_infinite_loop),
        cmocka_unit_test(test_too_many_edges_are_refused),
        cmocka_unit_test(test_exhausted_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
