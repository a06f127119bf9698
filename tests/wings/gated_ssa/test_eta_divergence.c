/* Divergence analysis against the etas of random functions: what is used behind a loop that threads leave in
 * different iterations is divergent there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "divergence_support.h"
#include "wings/gated_ssa/gates.h"

#define PROGRAMS (ADDRESS_SANITIZER ? 1000u : 4000u)
#define FIRST_SEED UINT64_C(20140708)

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
                       void *user) {
    struct eta_counts *counts = user;
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

static void test_etas(void **state) {
    (void)state;
    struct eta_counts counts = {0};
    each_random_function(FIRST_SEED, PROGRAMS, check_etas, &counts);
    print_message("etas: %u uniform, %u divergent\n", counts.uniform, counts.divergent);
    /* Otherwise the programs show little. */
    assert_true(counts.uniform > PROGRAMS / 40);
    assert_true(counts.divergent > PROGRAMS / 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_etas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
