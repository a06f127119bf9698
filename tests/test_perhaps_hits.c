/* What is said of hits where requests are perhaps made and addresses are not known, against every order of
 * them, every choice and every address, and these against the simulator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu_record.h"
#include "perhaps_kernel.h"
#include "random_block.h"
#include "random_policy.h"

#define GRIDS 150u
#define EXECUTIONS 6u

/* A kernel with what is known of it from its definition. */
struct known {
    uint64_t seed;
    struct perhaps_kernel kernel;
    struct perhaps_truth truth;
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *parsed;
    wb_machine *machine;
};

static void known_begin(uint64_t seed, struct known *known) {
    *known = (struct known){.seed = seed, .diagnostics = wb_diagnostics_new()};
    perhaps_kernel_make(seed, &known->kernel);
    perhaps_explore(&known->kernel.grid, &known->truth);
    known->machine = perhaps_kernel_machine(&known->kernel.grid);
    const char *ptx = known->kernel.ptx;
    if (wb_module_parse("perhaps.ptx", ptx, strlen(ptx), known->diagnostics, &known->module) != WB_OK ||
        wb_module_find_kernel(known->module, "k", known->diagnostics, &known->parsed) != WB_OK)
        fail_msg("%s%s", ptx, wb_diagnostics_text(known->diagnostics));
}

static void known_end(struct known *known) {
    wb_machine_free(known->machine);
    wb_module_free(known->module);
    wb_diagnostics_free(known->diagnostics);
    perhaps_kernel_free(&known->kernel);
}

/* Which access of the grid's programs an instruction is. */
static bool op_of(const struct known *known, const struct ptx_inst *inst, uint32_t *warp, uint32_t *op) {
    for (*warp = 0; *warp < known->kernel.grid.warps; ++*warp)
        for (*op = 0; *op < known->kernel.grid.program[*warp].count; ++*op)
            if (known->kernel.at[*warp][*op] == inst->at) return true;
    return false;
}

/* The misses of one simulation are some that the orders have. */
static void check_run(const struct known *known, const struct wb_grid *grid, const struct gpu_record *run) {
    uint64_t misses[PERHAPS_BLOCKS][PERHAPS_WARPS][PERHAPS_OPS] = {0};
    uint32_t warp = 0, op = 0, all = 0;
    const struct gpu_sm_record *sm = run->sms;
    for (size_t i = 0; sm != NULL && i < sm->turns.count; i++) {
        const struct sm_access *turn = &sm->turns.items[i];
        if (turn->outcome != L1_MISS) continue;
        const struct ptx_inst *inst = grid_inst(grid, turn->instruction, NULL);
        if (!op_of(known, inst, &warp, &op)) fail_msg("seed %u: a turn of no access", (unsigned)known->seed);
        all++;
        if (++misses[turn->block][warp][op] > known->truth.most[turn->block][warp][op])
            fail_msg("seed %u: block %u, warp %u, access %u misses %u times, %u are possible\n%s",
                     (unsigned)known->seed, turn->block, warp, op, (unsigned)misses[turn->block][warp][op],
                     known->truth.most[turn->block][warp][op], known->kernel.ptx);
    }
    if (all > known->truth.misses)
        fail_msg("seed %u: %u misses, %u are possible\n%s", (unsigned)known->seed, all, known->truth.misses,
                 known->kernel.ptx);
}

/* The model of this test allows all that the simulator does. */
static void check_simulations(struct known *known, uint32_t execution) {
    struct timed_grid timed;
    struct gpu_record run = {0};
    wb_grid *grid = NULL;
    const struct random_policy by_chance = random_policy_seeded(execution);
    const struct gpu_scheme scheme = {.name = "default", .policy = &by_chance.policy};
    wb_launch *launch = perhaps_kernel_launch(&known->kernel, known->seed * EXECUTIONS + execution + 1);
    wb_diagnostics *diagnostics = known->diagnostics;
    if (wb_grid_trace(known->parsed, launch, NULL, diagnostics, &grid) != WB_OK ||
        timed_grid_make(grid, known->machine, diagnostics, &timed) != WB_OK ||
        gpu_record_make(&timed, &scheme, 1, diagnostics, &run) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    check_run(known, grid, &run);
    gpu_record_free(&run);
    timed_grid_free(&timed);
    wb_grid_free(grid);
    wb_launch_free(launch);
}

static void test_simulations(void **state) {
    (void)state;
    uint64_t states = 0;
    uint32_t complete = 0;
    for (uint64_t seed = 1; seed <= random_rounds(GRIDS); seed++) {
        struct known known;
        known_begin(seed, &known);
        states += known.truth.states;
        complete += known.truth.complete;
        for (uint32_t e = 0; e < EXECUTIONS && known.truth.complete; e++)
            check_simulations(&known, e);
        known_end(&known);
    }
    print_message("%u of %u grids gone through, %u states\n", complete, random_rounds(GRIDS),
                  (unsigned)states);
    assert_true(complete > random_rounds(GRIDS) * 9 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_simulations)};
    return cmocka_run_group_tests_name("hits of requests that are perhaps made", tests, NULL, NULL);
}
