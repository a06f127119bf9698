/* Divergence analysis on random functions of any control flow, irreducible cycles included: no value and no
 * branch that it calls uniform differs between lanes that execute it together (naive_simt.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "base/random.h"
#include "base/text.h"
#include "flow/graph/loops.h"
#include "flow/values/divergence.h"
#include "naive_simt.h"
#include "papers/gated_ssa/gates.h"

#define PROGRAMS (ADDRESS_SANITIZER ? 1000u : 4000u)
#define RUNS 4u
#define FUEL 600u
#define FIRST_SEED UINT64_C(20140708)

enum { DATA_REGS = 5, PREDICATES = 4 };

static uint32_t draw(struct random_state *random, uint32_t bound) {
    return (uint32_t)random_below(random, bound);
}

/* A data register or a small number. */
static void put_operand(struct random_state *random, struct text *out) {
    if (draw(random, 3) == 0)
        text_printf(out, "%u", draw(random, 4));
    else
        text_printf(out, "%%r%u", draw(random, DATA_REGS));
}

static void put_guard(struct random_state *random, struct text *out) {
    text_printf(out, "@%s%%p%u ", draw(random, 2) == 0 ? "!" : "", draw(random, PREDICATES));
}

/* What takes numbers of lanes apart, by numbers that are or are not those of a warp's width. */
static void put_of_bits(struct random_state *random, uint32_t r, uint32_t s, struct text *out) {
    static const uint32_t masks[] = {0xffffffe0, 0xfffffff0, 0x60, 0x1f, 0x47, 0x18};
    const uint32_t shift = draw(random, 7);
    switch (draw(random, 8)) {
    case 0: text_printf(out, "mov.u32 %%r%u, %%tid.x;\n", r); break;
    case 1:
    case 2: text_printf(out, "shr.%s32 %%r%u, %%r%u, %u;\n", draw(random, 2) ? "u" : "s", r, s, shift); break;
    case 3: text_printf(out, "and.b32 %%r%u, %%r%u, %u;\n", r, s, masks[draw(random, 6)]); break;
    case 4:
        text_printf(out, "div.%s32 %%r%u, %%r%u, %u;\n", draw(random, 2) ? "u" : "s", r, s,
                    16 + 16 * draw(random, 6));
        break;
    case 5: text_printf(out, "shl.b32 %%r%u, %%r%u, %u;\n", r, s, draw(random, 3)); break;
    case 6: text_printf(out, "xor.b32 %%r%u, %%r%u, %u;\n", r, s, draw(random, 2) ? 0xffffffff : 96); break;
    default: text_printf(out, "cvt.%s.u32 %%r%u, %%r%u;\n", draw(random, 2) ? "s8" : "u16", r, s); break;
    }
}

/* One instruction; few of them are divergent by themselves, so that both kinds of values are common. */
static void put_statement(struct random_state *random, struct text *out) {
    uint32_t r = draw(random, DATA_REGS), s = draw(random, DATA_REGS), p = draw(random, PREDICATES);
    if (draw(random, 6) == 0) put_guard(random, out);
    switch (draw(random, 20)) {
    case 0: text_printf(out, "mov.u32 %%r%u, %%tid.x;\n", r); break;
    case 1: text_printf(out, "atom.global.add.u32 %%r%u, [%%r%u], 1;\n", r, s); break;
    case 2: text_printf(out, "vote.sync.ballot.b32 %%r%u, %%p%u, -1;\n", r, p); break;
    case 3: text_printf(out, "vote.sync.any.pred %%p%u, %%p%u, -1;\n", draw(random, PREDICATES), p); break;
    case 4:
        text_printf(out, "shfl.sync.idx.b32 %%r%u, %%r%u, ", r, s);
        put_operand(random, out);
        text_string(out, ", 31, -1;\n");
        break;
    case 5:
    case 6:
    case 7: text_printf(out, "ld.volatile.global.u32 %%r%u, [%%r%u];\n", r, s); break;
    case 8:
    case 9:
    case 10:
        text_printf(out, "add.u32 %%r%u, %%r%u, ", r, s);
        put_operand(random, out);
        text_string(out, ";\n");
        break;
    case 11: text_printf(out, "mov.u32 %%r%u, %u;\n", r, draw(random, 4)); break;
    case 12:
    case 13:
    case 14: put_of_bits(random, r, s, out); break;
    case 15:
        text_printf(out, "setp.%s.u32 %%p%u, %%r%u, %u;\n", draw(random, 2) == 0 ? "lt" : "gt", p, s,
                    16 * draw(random, 9) - draw(random, 2));
        break;
    default:
        text_printf(out, "setp.%s.u32 %%p%u, %%r%u, ", draw(random, 2) == 0 ? "lt" : "eq", p, s);
        put_operand(random, out);
        text_string(out, ";\n");
        break;
    }
}

/* The end of block `b`: it falls through, branches, chooses from a table, or returns. */
static void put_end(struct random_state *random, uint32_t b, uint32_t blocks, struct text *out) {
    uint32_t target = draw(random, blocks), other = draw(random, blocks);
    switch (draw(random, 10)) {
    case 0: break;
    case 1: text_printf(out, "bra L%u;\n", target); break;
    case 2:
        text_printf(out, "and.b32 %%i, %%r%u, 1;\nT%u: .branchtargets L%u, L%u;\n", draw(random, DATA_REGS),
                    b, target, other);
        if (draw(random, 2) == 0) put_guard(random, out);
        text_printf(out, "brx.idx %%i, T%u;\n", b);
        break;
    case 3:
        put_guard(random, out);
        text_string(out, "ret;\n");
        break;
    default:
        put_guard(random, out);
        text_printf(out, "bra L%u;\n", target);
        break;
    }
}

static void put_program(uint64_t seed, struct text *out) {
    struct random_state random = random_seeded(seed);
    uint32_t blocks = 3 + draw(&random, 9);
    static const char *const shapes[] = {"", ".reqntid 256\n", ".reqntid 32, 4\n", ".reqntid 16, 8\n"};
    text_printf(out,
                ".version 8.0\n.target sm_80\n.address_size 32\n.entry k ()\n%s{\n.reg .b32 %%r<5>;\n"
                ".reg .b32 %%i;\n.reg .pred %%p<4>;\n",
                shapes[draw(&random, 4)]);
    /* Registers that are not written are divergent: most are. */
    for (uint32_t r = 0; r < DATA_REGS; r++)
        if (draw(&random, 5) != 0) text_printf(out, "mov.u32 %%r%u, %u;\n", r, draw(&random, 4));
    for (uint32_t p = 0; p < PREDICATES; p++)
        if (draw(&random, 8) != 0)
            text_printf(out, "setp.lt.u32 %%p%u, %%ntid.x, %u;\n", p, draw(&random, 64));
    for (uint32_t b = 0; b < blocks; b++) {
        text_printf(out, "L%u:\n", b);
        for (uint32_t s = draw(&random, 4); s > 0; s--)
            put_statement(&random, out);
        put_end(&random, b, blocks, out);
    }
    text_string(out, "ret;\n}\n");
}

/* Executed branches with a choice, by what was said of them and what they did. */
struct branch_counts {
    uint32_t uniform, divided, undivided;
};

static void count_branches(const struct simt *simt, struct branch_counts *counts) {
    for (uint32_t b = 0; b < simt->analysed->cfg.block_count; b++) {
        if (!simt->executed[b] || !cfg_has_choice(&simt->analysed->cfg, b)) continue;
        bool divergent = simt->analysed->divergence.branches[b];
        counts->uniform += !divergent;
        counts->divided += divergent && simt->parted[b];
        counts->undivided += divergent && !simt->parted[b];
    }
}

/* Runs a function from several states of memory. */
static void check_function(const struct analysed_function *analysed, uint64_t seed, const char *text,
                           struct branch_counts *counts) {
    static const char *const faults[] = {"", "a branch that is said to be uniform parted lanes",
                                         "a phi that is said to be uniform differs",
                                         "a result that is said to be uniform differs"};
    struct simt simt;
    if (!simt_open(analysed, &simt)) return;
    for (uint32_t run = 0; run < RUNS; run++) {
        simt_run(&simt, seed * RUNS + run, FUEL);
        if (simt.fault != SIMT_FINE)
            fail_msg("seed %llu: instruction %u: %s\n%s", (unsigned long long)seed, simt.fault_inst,
                     faults[simt.fault], text);
    }
    count_branches(&simt, counts);
}

/* Etas of values that are uniform in each iteration, of loops with one exit behind which all threads meet. */
struct eta_counts {
    uint32_t uniform, divergent;
};

/* The block whose branch is the only one to leave the loop, when its threads meet where it leads to; or
 * GRAPH_NONE. */
static uint32_t only_exit(const struct analysed_function *analysed, const struct loops *loops,
                          uint32_t loop) {
    const struct graph *graph = &analysed->cfg.graph;
    uint32_t exit = GRAPH_NONE, exits = 0;
    for (uint32_t m = 0; m < loops->items[loop].member_count; m++) {
        const uint32_t block = loops->members[loops->items[loop].first_member + m];
        for (uint32_t i = graph->out.first[block]; i < graph->out.first[block + 1]; i++) {
            const uint32_t to = graph->out.nodes[i];
            if (to != analysed->cfg.exit && loop_contains(loops, loop, to)) continue;
            exits++;
            if (to != analysed->cfg.exit && to == analysed->post_dominators.parent[block]) exit = block;
        }
    }
    return exits == 1 ? exit : GRAPH_NONE;
}

/* The etas of a function; beyond what gates_build allows there are none. */
struct eta_search {
    struct arena arena;
    const struct analysed_function *analysed;
    struct loops loops;
    struct gates gates;
    bool *same;
};

static void find_etas(void *context) {
    struct eta_search *search = context;
    const struct analysed_function *analysed = search->analysed;
    search->loops = loops_build(&search->arena, &analysed->cfg.graph, &analysed->dominators);
    if (thread_rows_in_block(analysed->cfg.function->tuning.reqntid))
        search->same = thread_rows_same(&analysed->ssa, &search->arena);
    search->gates = gates_build(&analysed->ssa, &analysed->dominators, &search->loops, &search->arena);
}

/* What is used behind such a loop is divergent when its exit is (WCET 2014, slide 10: eta), unless it only
 * says where in the block the warp is. */
static void check_etas(const struct analysed_function *analysed, uint64_t seed, const char *text,
                       struct eta_counts *counts) {
    struct eta_search search = {.analysed = analysed};
    wb_status status = arena_protect(&search.arena, find_etas, &search);
    const struct loops loops = search.loops;
    const struct gates gates = search.gates;
    const bool *same = search.same;
    for (uint32_t i = 0; status == WB_OK && i < gates.eta_count; i++) {
        const struct eta *eta = &gates.etas[i];
        const uint32_t exit = only_exit(analysed, &loops, eta->loop);
        if (analysed->divergence.values[eta->value].cause != DIVERGENCE_NONE || exit == GRAPH_NONE) continue;
        if (same != NULL && same[eta->value]) continue;
        const bool parts = analysed->divergence.branches[exit];
        if (parts && analysed->divergence.parting[eta->value] == GRAPH_NONE)
            fail_msg("seed %llu: value %u is called uniform behind the loop\n%s", (unsigned long long)seed,
                     eta->value, text);
        counts->divergent += parts;
        counts->uniform += analysed->divergence.parting[eta->value] == GRAPH_NONE;
    }
    arena_free(&search.arena);
}

static void test_random_functions(void **state) {
    (void)state;
    struct branch_counts counts = {0};
    struct eta_counts etas = {0};
    for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + PROGRAMS; seed++) {
        struct text text = {0};
        wb_module *module = NULL;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct analysed_function analysed;
        put_program(seed, &text);
        assert_false(text.failed);
        if (wb_module_parse("random.ptx", text.data, text.length, diagnostics, &module) != WB_OK)
            fail_msg("seed %llu:\n%s\n%s", (unsigned long long)seed, text.data,
                     wb_diagnostics_text(diagnostics));
        analysed_function_open(&module->functions[0], &analysed);
        check_reasons(&analysed);
        check_function(&analysed, seed, text.data, &counts);
        check_etas(&analysed, seed, text.data, &etas);
        analysed_function_close(&analysed);
        wb_module_free(module);
        wb_diagnostics_free(diagnostics);
        text_free(&text);
    }
    print_message("branches: %u uniform, %u divergent and divided, %u divergent but never divided\n",
                  counts.uniform, counts.divided, counts.undivided);
    print_message("etas: %u uniform, %u divergent\n", etas.uniform, etas.divergent);
    /* Otherwise the programs show little. */
    assert_true(counts.uniform > PROGRAMS);
    assert_true(counts.divided > PROGRAMS / 5);
    assert_true(etas.uniform > PROGRAMS / 40);
    assert_true(etas.divergent > PROGRAMS / 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
