/* Gates by hand, where they are known, and of large functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "gates_case.h"

/* ---- By hand ------------------------------------------------------------------------------------------- */

/* The phi of a register in the block behind a label. */
static uint32_t phi_of(const struct flow_case *flow, const char *label, const char *reg) {
    uint32_t block = flow_case_block(flow, label);
    uint32_t number = flow_case_reg(flow, reg);
    for (uint32_t p = 0; p < flow->ssa.phi_count[block]; p++) {
        if (flow->ssa.values[flow->ssa.first_phi[block] + p].reg == number)
            return flow->ssa.first_phi[block] + p;
    }
    fail_msg("no phi of %s at %s", reg, label);
    return SSA_NONE;
}

/* Appends "%r1.2". */
static void put_value(struct text *out, const struct flow_case *flow, uint32_t value) {
    ptx_put_reg(flow->function, flow->ssa.values[value].reg, out);
    text_printf(out, ".%u", flow->ssa.values[value].version);
}

static void put_predicates(struct text *out, const struct flow_case *flow, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        text_string(out, i == 0 ? " by " : " ");
        put_value(out, flow, flow->gates->predicates[first + i]);
    }
}

/* Appends a decision graph in prefix notation; those of the tests are small. */
static void put_node(struct text *out, const struct flow_case *flow, uint32_t index) {
    const struct gate_node *node = &flow->gates->nodes[index];
    if (node->block == GRAPH_NONE) {
        put_value(out, flow, node->predicate);
        return;
    }
    put_value(out, flow, node->predicate);
    text_string(out, " ? ");
    put_node(out, flow, node->taken);
    text_string(out, " : ");
    put_node(out, flow, node->fallen);
}

static void assert_gate(const struct flow_case *flow, const char *label, const char *reg,
                        const char *expected) {
    const struct gate *gate = &flow->gates->phis[phi_of(flow, label, reg)];
    struct text text = {0};
    if (gate->kind == GATE_GAMMA) put_node(&text, flow, gate->root);
    if (gate->kind == GATE_MU) text_string(&text, "mu");
    if (gate->kind == GATE_OPAQUE) text_string(&text, "opaque");
    put_predicates(&text, flow, gate->first_predicate, gate->predicate_count);
    assert_string_equal(text.data, expected);
    text_free(&text);
}

/* The etas of a register, one behind the other. */
static void assert_etas(const struct flow_case *flow, const char *reg, const char *expected) {
    struct text text = {0};
    for (uint32_t i = 0; i < flow->gates->eta_count; i++) {
        const struct eta *eta = &flow->gates->etas[i];
        if (flow->ssa.values[eta->value].reg != flow_case_reg(flow, reg)) continue;
        put_value(&text, flow, eta->value);
        text_printf(&text, " L%u", eta->loop);
        put_predicates(&text, flow, eta->first_predicate, eta->predicate_count);
        text_char(&text, ';');
    }
    assert_string_equal(text.data == NULL ? "" : text.data, expected);
    text_free(&text);
}

static void test_both_sides_of_a_branch(void **state) {
    (void)state;
    struct flow_case flow;
    gates_case_of_body(&flow, "@!%p1 bra ELSE;\nmov.u32 %r1, 1; bra JOIN;\nELSE: mov.u32 %r1, 2;\n"
                              "JOIN: st.global.u32 [%r0], %r1;\nret;\n");
    assert_gate(&flow, "JOIN", "%r1", "%p1.0 ? %r1.1 : %r1.0 by %p1.0");
    flow_case_free(&flow);
}

static void test_a_condition_inside_one_side_does_not_decide(void **state) {
    (void)state;
    struct flow_case flow;
    gates_case_of_body(&flow, "@%p1 bra ELSE;\nmov.u32 %r1, 1;\n@%p2 bra SKIP;\nst.global.u32 [%r0], %r0;\n"
                              "SKIP: bra JOIN;\nELSE: mov.u32 %r1, 2;\n"
                              "JOIN: st.global.u32 [%r0], %r1;\nret;\n");
    assert_gate(&flow, "JOIN", "%r1", "%p1.0 ? %r1.1 : %r1.0 by %p1.0");
    flow_case_free(&flow);
}

static void test_conditions_connected_by_and(void **state) {
    (void)state;
    struct flow_case flow;
    gates_case_of_body(&flow, "mov.u32 %r1, 1;\n@%p1 bra JOIN;\n@%p2 bra JOIN;\nmov.u32 %r1, 2;\n"
                              "JOIN: st.global.u32 [%r0], %r1;\nret;\n");
    /* Two edges bring the same value: between them there is nothing to decide. */
    assert_gate(&flow, "JOIN", "%r1", "%p1.0 ? %r1.0 : %p2.0 ? %r1.0 : %r1.1 by %p2.0 %p1.0");
    flow_case_free(&flow);
}

static void test_loop_with_two_exits(void **state) {
    (void)state;
    struct flow_case flow;
    gates_case_of_body(&flow, "mov.u32 %r1, 0;\n"
                              "LOOP: add.u32 %r1, %r1, 1;\nsetp.eq.u32 %p1, %r1, 7;\n@%p1 bra FIRST;\n"
                              "setp.lt.u32 %p2, %r1, %r0;\n@%p2 bra LOOP;\nmov.u32 %r2, 2; bra JOIN;\n"
                              "FIRST: mov.u32 %r2, 1;\n"
                              "JOIN: add.u32 %r3, %r1, %r2; st.global.u32 [%r0], %r3;\nret;\n");
    assert_gate(&flow, "LOOP", "%r1", "mu");
    assert_gate(&flow, "JOIN", "%r2", "%p1.0 ? %r2.1 : %r2.0 by %p1.0 %p2.0");
    assert_etas(&flow, "%r1", "%r1.2 L0 by %p2.0 %p1.0;");
    flow_case_free(&flow);
}

/* A branch that decides whether the exits are reached decides at which iteration the loop is left, and so
 * which of them is taken: %p1, although all ways from it to JOIN lead through M. */
static void test_branch_in_front_of_all_exits_decides(void **state) {
    (void)state;
    struct flow_case flow;
    gates_case_of_body(&flow, "HEAD: @%p1 bra M;\nLATCH: bra HEAD;\n"
                              "M: @%p2 bra M1;\n@%p3 bra LATCH;\nmov.u32 %r2, 2; bra JOIN;\n"
                              "M1: @%p4 bra LATCH;\nmov.u32 %r2, 1;\n"
                              "JOIN: st.global.u32 [%r0], %r2;\nret;\n");
    assert_gate(&flow, "JOIN", "%r2", "%p2.0 ? %r2.1 : %r2.0 by %p2.0 %p4.0 %p3.0 %p1.0");
    flow_case_free(&flow);
}

static void test_loop_entered_and_repeated_by_several_edges(void **state) {
    (void)state;
    struct flow_case flow;
    gates_case_of_body(&flow, "mov.u32 %r1, 0;\n@%p1 bra HEAD;\nmov.u32 %r1, 1;\n"
                              "HEAD: @%p2 bra OTHER;\nadd.u32 %r1, %r1, 1;\n@%p3 bra HEAD;\nbra END;\n"
                              "OTHER: add.u32 %r1, %r1, 2;\nbra HEAD;\n"
                              "END: st.global.u32 [%r0], %r1;\nret;\n");
    assert_gate(&flow, "HEAD", "%r1", "mu by %p2.0 %p1.0");
    flow_case_free(&flow);
}

static void test_eta_of_nested_loops(void **state) {
    (void)state;
    struct flow_case flow;
    gates_case_of_body(&flow, "OUTER: mov.u32 %r1, 0;\n"
                              "INNER: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r0;\n@%p1 bra INNER;\n"
                              "st.global.u32 [%r0], %r1;\nsetp.lt.u32 %p2, %r0, 5;\n@%p2 bra OUTER;\n"
                              "st.global.u32 [%r0], %r1;\nret;\n");
    assert_etas(&flow, "%r1", "%r1.2 L0 by %p1.0 %p2.0;%r1.2 L1 by %p1.0;");
    flow_case_free(&flow);
}

static void test_indirect_branch_is_opaque(void **state) {
    (void)state;
    struct flow_case flow;
    gates_case_of_body(&flow, "TABLE: .branchtargets A, B, C;\n@%p1 brx.idx %r0, TABLE;\nret;\n"
                              "A: mov.u32 %r1, 1; bra JOIN;\nB: mov.u32 %r1, 2; bra JOIN;\n"
                              "C: mov.u32 %r1, 3;\nJOIN: st.global.u32 [%r0], %r1;\nret;\n");
    assert_gate(&flow, "JOIN", "%r1", "opaque by %p1.0 %r0.0");
    flow_case_free(&flow);
}

static void test_irreducible_region_is_opaque(void **state) {
    (void)state;
    struct flow_case flow;
    gates_case_of_body(&flow, "mov.u32 %r1, 1;\n@%p1 bra B;\n"
                              "A: add.u32 %r1, %r1, 1;\n@%p2 bra END;\n"
                              "B: add.u32 %r1, %r1, 2;\n@%p3 bra A;\n"
                              "END: st.global.u32 [%r0], %r1;\nret;\n");
    assert_gate(&flow, "A", "%r1", "opaque by %p2.0 %p3.0 %p1.0");
    assert_gate(&flow, "B", "%r1", "opaque by %p2.0 %p3.0 %p1.0");
    assert_gate(&flow, "END", "%r1", "opaque by %p1.0 %p2.0 %p3.0");
    flow_case_free(&flow);
}

/* ---- Large functions: no recursion, no quadratic time where people's programs are large ---------------- */

static void test_long_chain(void **state) {
    (void)state;
    enum { CHAIN = 100000 };
    struct text body = {0};
    struct flow_case flow;
    text_string(&body, "mov.u32 %r1, 0;\nHEAD: add.u32 %r1, %r1, 1;\n");
    for (uint32_t i = 0; i < CHAIN; i++)
        text_printf(&body, "@%%p1 bra L%u;\nL%u:\n", i, i);
    text_string(&body, "@%p2 bra HEAD;\nst.global.u32 [%r0], %r1;\nret;\n");
    gates_case_of_body(&flow, body.data);
    assert_int_equal(flow.cfg.block_count, CHAIN + 3);
    assert_gate(&flow, "HEAD", "%r1", "mu");
    assert_etas(&flow, "%r1", "%r1.2 L0 by %p2.0;");
    flow_case_free(&flow);
    text_free(&body);
}

static void test_deep_nest_of_conditions(void **state) {
    (void)state;
    enum { DEPTH = 1500 };
    struct text body = {0};
    struct flow_case flow;
    for (uint32_t i = 0; i < DEPTH; i++)
        text_printf(&body, "mov.u32 %%r1, %u;\nsetp.eq.u32 %%p1, %%r0, %u;\n@%%p1 bra L%u;\n", i, i, i);
    for (uint32_t i = DEPTH; i-- > 0;)
        text_printf(&body, "L%u: st.global.u32 [%%r0], %%r1;\n", i);
    text_string(&body, "ret;\n");
    gates_case_of_body(&flow, body.data);
    for (uint32_t v = 0; v < flow.ssa.value_count; v++) {
        const struct gate *gate = &flow.gates->phis[v];
        if (flow.ssa.values[v].kind != SSA_PHI) continue;
        assert_int_equal(gate->kind, GATE_GAMMA);
        assert_int_equal(gate->predicate_count, 1);
    }
    flow_case_free(&flow);
    text_free(&body);
}

/* Steps of one and of two: each of n branches decides at each of n joins. With sanitizers it takes as long as
 * a dozen other tests until that is refused; the chain and the nest go the same way there. */
static void test_too_much_to_decide_is_refused(void **state) {
    (void)state;
    if (ADDRESS_SANITIZER) skip();
    enum { STEPS = 6000 };
    struct text body = {0};
    struct flow_case flow;
    for (uint32_t i = 0; i < STEPS; i++)
        text_printf(&body, "L%u: add.u32 %%r1, %%r1, 1;\nsetp.eq.u32 %%p1, %%r1, %u;\n@%%p1 bra L%u;\n", i, i,
                    i + 2);
    text_printf(&body, "L%u: L%u: st.global.u32 [%%r0], %%r1;\nret;\n", STEPS, STEPS + 1);
    flow_case_of_body(&flow, body.data);
    assert_int_equal(gates_case_make(&flow), WB_ERR_LIMIT);
    flow_case_free(&flow);
    text_free(&body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_sides_of_a_branch),
        cmocka_unit_test(test_a_condition_inside_one_side_does_not_decide),
        cmocka_unit_test(test_conditions_connected_by_and),
        cmocka_unit_test(test_loop_with_two_exits),
        cmocka_unit_test(test_branch_in_front_of_all_exits_decides),
        cmocka_unit_test(test_loop_entered_and_repeated_by_several_edges),
        cmocka_unit_test(test_eta_of_nested_loops),
        cmocka_unit_test(test_indirect_branch_is_opaque),
        cmocka_unit_test(test_irreducible_region_is_opaque),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_deep_nest_of_conditions),
        cmocka_unit_test(test_too_much_to_decide_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
