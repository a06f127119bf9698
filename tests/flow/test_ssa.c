/* SSA form: by hand where the phis are known, and held to its definition on random control flow and on all
 * kernels: every use sees what the register holds, whatever path led there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow_case.h"
#include "kernel_index.h"

/* ---- By hand ------------------------------------------------------------------------------------------- */

/* The phi of a register in the block behind a label, or NULL. */
static const struct ssa_value *phi_of(const struct flow_case *flow, const char *label, const char *reg) {
    uint32_t block = flow_case_block(flow, label);
    uint32_t number = flow_case_reg(flow, reg);
    for (uint32_t p = 0; p < flow->ssa.phi_count[block]; p++) {
        const struct ssa_value *phi = &flow->ssa.values[flow->ssa.first_phi[block] + p];
        assert_int_equal(phi->kind, SSA_PHI);
        if (phi->reg == number) return phi;
    }
    return NULL;
}

static uint32_t phi_total(const struct flow_case *flow) {
    uint32_t total = 0;
    for (uint32_t block = 0; block < flow->cfg.block_count; block++)
        total += flow->ssa.phi_count[block];
    return total;
}

/* The version of an argument of a phi; -1 for none. */
static int argument_version(const struct flow_case *flow, const struct ssa_value *phi, uint32_t index) {
    assert_non_null(phi);
    assert_true(index < phi->argument_count);
    uint32_t value = flow->ssa.arguments[phi->first_argument + index];
    if (value == SSA_NONE) return -1;
    assert_int_equal(flow->ssa.values[value].reg, phi->reg);
    return (int)flow->ssa.values[value].version;
}

static void test_both_sides_of_a_branch_are_joined_where_live(void **state) {
    (void)state;
    struct flow_case flow;
    flow_case_of_body(&flow, "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra ELSE;\n"
                             "mov.u32 %r1, 1; mov.u32 %r2, 1; bra JOIN;\n"
                             "ELSE: mov.u32 %r1, 2; mov.u32 %r2, 2;\n"
                             "JOIN: add.u32 %r3, %r1, 1;\nret;\n");
    const struct ssa_value *phi = phi_of(&flow, "JOIN", "%r1");
    /* %r2 is dead there. */
    assert_int_equal(phi_total(&flow), 1);
    assert_int_equal(phi->argument_count, 2);
    assert_int_equal(argument_version(&flow, phi, 0), 0);
    assert_int_equal(argument_version(&flow, phi, 1), 1);
    assert_int_equal(phi->version, 2);
    /* Only %r0 is read before it is written. */
    assert_int_equal(flow.ssa.values[0].kind, SSA_ENTRY);
    assert_int_equal(flow.ssa.values[0].reg, flow_case_reg(&flow, "%r0"));
    assert_int_equal(flow.ssa.values[1].kind, SSA_INST);
    flow_case_free(&flow);
}

static void test_loop(void **state) {
    (void)state;
    struct flow_case flow;
    flow_case_of_body(&flow, "mov.u32 %r1, 0;\nmov.u32 %r2, 5;\n"
                             "LOOP: add.u32 %r1, %r1, %r2;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra LOOP;\n"
                             "mov.u32 %r3, %r1;\nret;\n");
    const struct ssa_value *phi = phi_of(&flow, "LOOP", "%r1");
    assert_int_equal(phi_total(&flow), 1);
    assert_int_equal(argument_version(&flow, phi, 0), 0);
    assert_int_equal(argument_version(&flow, phi, 1), 2);
    assert_int_equal(phi->version, 1);
    flow_case_free(&flow);
}

static void test_entry_in_a_loop_is_entered_from_outside_too(void **state) {
    (void)state;
    struct flow_case flow;
    flow_case_of_body(&flow, "LOOP: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra LOOP;\nret;\n");
    const struct ssa_value *phi = phi_of(&flow, "LOOP", "%r1");
    assert_int_equal(phi_total(&flow), 1);
    assert_int_equal(phi->argument_count, 2);
    assert_int_equal(argument_version(&flow, phi, 0), 2);
    assert_int_equal(argument_version(&flow, phi, 1), 0);
    flow_case_free(&flow);
}

static void test_guarded_instruction_keeps_the_old_value(void **state) {
    (void)state;
    struct flow_case flow;
    flow_case_of_body(&flow, "mov.u32 %r1, 1;\nsetp.lt.u32 %p1, %r0, 7;\n@!%p1 mov.u32 %r1, 2;\n"
                             "mov.u32 %r2, %r1;\nret;\n");
    const struct ssa *ssa = &flow.ssa;
    const struct ssa_value *kept = &ssa->values[ssa->defs[ssa->first_def[2]]];
    assert_int_equal(kept->argument_count, 1);
    assert_int_equal(ssa->arguments[kept->first_argument], ssa->defs[ssa->first_def[0]]);
    assert_int_equal(ssa->first_use[3] - ssa->first_use[2], 1);
    assert_int_equal(ssa->uses[ssa->first_use[2]], ssa->defs[ssa->first_def[1]]);
    assert_int_equal(ssa->uses[ssa->first_use[3]], ssa->defs[ssa->first_def[2]]);
    flow_case_free(&flow);
}

static void test_carry_flag_is_a_register(void **state) {
    (void)state;
    struct flow_case flow;
    flow_case_of_body(&flow, "add.cc.u32 %r1, %r0, 1;\n@%p0 bra JOIN;\nsub.cc.u32 %r2, %r0, 1;\n"
                             "JOIN: addc.u32 %r3, %r0, 0;\nret;\n");
    const struct ssa *ssa = &flow.ssa;
    uint32_t join = flow_case_block(&flow, "JOIN");
    assert_int_equal(ssa->phi_count[join], 1);
    const struct ssa_value *phi = &ssa->values[ssa->first_phi[join]];
    assert_int_equal(phi->reg, flow.function->reg_count);
    assert_int_equal(ssa->arguments[phi->first_argument], ssa->defs[ssa->first_def[0] + 1]);
    assert_int_equal(ssa->arguments[phi->first_argument + 1], ssa->defs[ssa->first_def[2] + 1]);
    flow_case_free(&flow);
}

static void test_unreached_code_has_no_values(void **state) {
    (void)state;
    struct flow_case flow;
    flow_case_of_body(&flow, "mov.u32 %r1, 1;\n@%p0 bra JOIN;\nmov.u32 %r1, 2;\nbra JOIN;\n"
                             "mov.u32 %r1, %r4;\n"
                             "JOIN: mov.u32 %r2, %r1;\nret;\n");
    const struct ssa_value *phi = phi_of(&flow, "JOIN", "%r1");
    assert_int_equal(phi->argument_count, 3);
    assert_int_equal(argument_version(&flow, phi, 0), 0);
    assert_int_equal(argument_version(&flow, phi, 1), 1);
    assert_int_equal(argument_version(&flow, phi, 2), -1);
    assert_int_equal(flow.ssa.first_use[4], flow.ssa.first_use[5]);
    assert_int_equal(flow.ssa.first_def[4], flow.ssa.first_def[5]);
    /* The predicate alone is read before it is written, by code that is reached. */
    assert_int_equal(flow.ssa.values[0].kind, SSA_ENTRY);
    assert_int_equal(flow.ssa.values[1].kind, SSA_INST);
    flow_case_free(&flow);
}

static void test_empty_function(void **state) {
    (void)state;
    struct flow_case flow;
    flow_case_of_body(&flow, "");
    assert_int_equal(flow.ssa.value_count, 0);
    flow_case_free(&flow);
}

/* ---- Against the definition ---------------------------------------------------------------------------- */

/* A walk through the function: every write makes a token that no other write makes. */
struct walk {
    const struct flow_case *flow;
    struct random_state random;
    uint64_t next_token;
    uint64_t *regs;   /* per register: the token it holds */
    uint64_t *values; /* per value: the token it had last */
};

static void walk_inst(struct walk *walk, uint32_t index) {
    const struct ssa *ssa = &walk->flow->ssa;
    const struct ptx_inst *inst = &walk->flow->function->insts[index];
    struct ptx_regs regs;
    ptx_inst_regs(walk->flow->function, inst, &regs);
    assert_int_equal(ssa->first_use[index + 1] - ssa->first_use[index], regs.read_count);
    assert_int_equal(ssa->first_def[index + 1] - ssa->first_def[index], regs.written_count);
    for (uint32_t r = 0; r < regs.read_count; r++) {
        uint32_t value = ssa->uses[ssa->first_use[index] + r];
        assert_true(value < ssa->value_count);
        assert_int_equal(walk->values[value], walk->regs[regs.read[r]]);
    }
    bool executed = inst->guard == PTX_NO_INDEX || random_below(&walk->random, 2) == 0;
    for (uint32_t w = 0; w < regs.written_count; w++) {
        uint32_t number = ssa->defs[ssa->first_def[index] + w];
        const struct ssa_value *value = &ssa->values[number];
        assert_int_equal(value->inst, index);
        assert_int_equal(value->argument_count, inst->guard != PTX_NO_INDEX);
        if (executed) {
            walk->values[number] = walk->regs[regs.written[w]] = walk->next_token++;
        } else {
            walk->values[number] = walk->values[ssa->arguments[value->first_argument]];
            assert_int_equal(walk->values[number], walk->regs[regs.written[w]]);
        }
    }
}

/* Enters a block by one of the edges into it: phis take their arguments all at once. */
static void walk_phis(struct walk *walk, uint32_t block, uint32_t arrival) {
    const struct ssa *ssa = &walk->flow->ssa;
    uint32_t count = ssa->phi_count[block];
    uint64_t *taken = calloc(count + 1, sizeof *taken);
    for (uint32_t p = 0; p < count; p++) {
        const struct ssa_value *phi = &ssa->values[ssa->first_phi[block] + p];
        assert_true(arrival < phi->argument_count);
        assert_true(live_at_start(&walk->flow->liveness, block, phi->reg));
        taken[p] = walk->values[ssa->arguments[phi->first_argument + arrival]];
    }
    for (uint32_t p = 0; p < count; p++)
        walk->values[ssa->first_phi[block] + p] = taken[p];
    free(taken);
}

static void walk_once(struct walk *walk, uint32_t steps) {
    const struct flow_case *flow = walk->flow;
    const struct cfg *cfg = &flow->cfg;
    for (uint32_t reg = 0; reg <= flow->function->reg_count; reg++)
        walk->regs[reg] = walk->next_token++;
    for (uint32_t v = 0; v < flow->ssa.value_count && flow->ssa.values[v].kind == SSA_ENTRY; v++)
        walk->values[v] = walk->regs[flow->ssa.values[v].reg];
    uint32_t block = CFG_ENTRY;
    uint32_t arrival = cfg->graph.in.first[1] - cfg->graph.in.first[0];
    while (block != cfg->exit && steps-- > 0) {
        walk_phis(walk, block, arrival);
        for (uint32_t i = 0; i < cfg->blocks[block].count; i++)
            walk_inst(walk, cfg->blocks[block].first + i);
        uint32_t first = cfg->graph.out.first[block];
        uint32_t count = cfg->graph.out.first[block + 1] - first;
        if (count == 0) return;
        uint32_t edge = first + (uint32_t)random_below(&walk->random, count);
        arrival = flow_case_arrival(flow, block, edge);
        block = cfg->graph.out.nodes[edge];
    }
}

/* Walks through a function `times` times: every use has to see the token that its register holds. */
static void check_walks(const struct flow_case *flow, uint64_t seed, uint32_t times, uint32_t steps) {
    struct walk walk = {.flow = flow, .random = random_seeded(seed), .next_token = 1};
    walk.regs = calloc((size_t)flow->function->reg_count + 1, sizeof *walk.regs);
    walk.values = calloc((size_t)flow->ssa.value_count + 1, sizeof *walk.values);
    for (uint32_t t = 0; t < times; t++)
        walk_once(&walk, steps);
    free(walk.regs);
    free(walk.values);
}

/* Whether the definition of a value comes before the end of a block on every path to it. */
static void check_dominates_end(const struct flow_case *flow, uint32_t value, uint32_t block) {
    assert_true(value < flow->ssa.value_count);
    assert_true(dominates(&flow->dominators, flow->ssa.values[value].block, block));
}

/* Every use has a definition that dominates it, and values are numbered down the dominator tree. */
static void check_dominance(const struct flow_case *flow) {
    const struct ssa *ssa = &flow->ssa;
    const struct adjacency *in = &flow->cfg.graph.in;
    for (uint32_t i = 0; i < flow->function->inst_count; i++) {
        uint32_t block = flow->cfg.block_of[i];
        for (uint32_t u = ssa->first_use[i]; u < ssa->first_use[i + 1]; u++) {
            check_dominates_end(flow, ssa->uses[u], block);
            const struct ssa_value *value = &ssa->values[ssa->uses[u]];
            assert_true(value->block != block || value->kind != SSA_INST || value->inst < i);
        }
    }
    for (uint32_t v = 0; v < ssa->value_count; v++) {
        const struct ssa_value *value = &ssa->values[v];
        for (uint32_t a = 0; a < value->argument_count; a++) {
            uint32_t argument = ssa->arguments[value->first_argument + a];
            if (value->kind == SSA_INST) {
                assert_true(argument < v);
            } else if (a < in->first[value->block + 1] - in->first[value->block]) {
                uint32_t from = in->nodes[in->first[value->block] + a];
                assert_int_equal(argument != SSA_NONE, flow->cfg.blocks[from].reachable);
                if (argument != SSA_NONE) check_dominates_end(flow, argument, from);
            } else {
                assert_int_equal(ssa->values[argument].kind, SSA_ENTRY);
            }
        }
        if (v > 0)
            assert_true(flow->dominators.first[value->block] >=
                        flow->dominators.first[ssa->values[v - 1].block]);
    }
}

static void test_random_functions(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct random_state random = random_seeded(seed);
        struct text body = {0};
        struct flow_case flow;
        flow_case_random_body(&random, 14, false, &body);
        flow_case_of_body(&flow, body.data);
        check_dominance(&flow);
        check_walks(&flow, seed, 20, 60);
        flow_case_free(&flow);
        text_free(&body);
    }
}

static void test_all_kernels(void **state) {
    (void)state;
    struct kernel_index index;
    assert_true(kernel_index_read(&index));
    for (size_t i = 0; i < index.cases.count; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_module *module;
        assert_int_equal(wb_module_read(index.cases.items[i].ptx, diagnostics, &module), WB_OK);
        struct flow_case flow;
        flow_case_of_module(&flow, module, 0);
        check_dominance(&flow);
        check_walks(&flow, i, 5, 200);
        flow_case_free(&flow);
        wb_diagnostics_free(diagnostics);
    }
    kernel_index_free(&index);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_sides_of_a_branch_are_joined_where_live),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_entry_in_a_loop_is_entered_from_outside_too),
        cmocka_unit_test(test_guarded_instruction_keeps_the_old_value),
        cmocka_unit_test(test_carry_flag_is_a_register),
        cmocka_unit_test(test_unreached_code_has_no_values),
        cmocka_unit_test(test_empty_function),
        cmocka_unit_test(test_random_functions),
        cmocka_unit_test(test_all_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
