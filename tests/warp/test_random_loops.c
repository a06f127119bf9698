/* Random loop programs run directly against the interpreter. */
#include "loop_passes.h"

#include <inttypes.h>
#include <stdio.h>

#include "random_loops.h"

#define PROGRAMS 600
#define FUEL 2000

static unsigned compared;

/* Most executions of the headers by all threads; false when one of them does not end soon. */
static bool run_directly(const struct loop_program *program, struct random_state *random,
                         uint64_t most[LOOPS_MAX]) {
    for (uint32_t thread = 0; thread < program->threads; thread++)
        if (!loop_program_run(program, thread, random, FUEL, most)) return false;
    return true;
}

static wb_block *run_interpreter(const struct loop_program *program, const struct text *text,
                                 wb_diagnostics *diagnostics, wb_module **module, wb_launch **launch) {
    char words[64];
    wb_block *block = NULL;
    *launch = wb_launch_new();
    wb_status status = wb_module_parse("random.ptx", text->data, text->length, diagnostics, module);
    if (status == WB_OK) status = wb_launch_set_grid(*launch, (const uint32_t[3]){1, 1, 1}, diagnostics);
    if (status == WB_OK)
        status = wb_launch_set_block(*launch, (const uint32_t[3]){program->threads, 1, 1}, diagnostics);
    for (uint32_t p = 0; p < LOOP_PARAMETERS && status == WB_OK; p++) {
        (void)snprintf(words, sizeof words, "u%u:%" PRIu64, program->bits[p], program->parameter[p]);
        status = wb_launch_add_argument(*launch, words, diagnostics);
    }
    if (status == WB_OK) status = wb_launch_add_argument(*launch, "buf:u64[4]=zero", diagnostics);
    if (status == WB_OK)
        status = wb_block_trace(wb_module_kernel(*module, 0), *launch, NULL, diagnostics, &block);
    if (status != WB_OK) fail_msg("%s\n%s", wb_diagnostics_text(diagnostics), text->data);
    return block;
}

static void compare_program(uint64_t seed) {
    struct random_state random = random_seeded(seed);
    struct loop_program program = random_loop_program(&random);
    uint64_t most[LOOPS_MAX] = {0};
    for (uint32_t p = 0; p < LOOP_PARAMETERS; p++)
        program.parameter_known[p] = true;
    if (program.loads || !run_directly(&program, &random, most)) return;
    struct text text = {0};
    loop_program_print(&program, &text);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_launch *launch;
    wb_block *block = run_interpreter(&program, &text, diagnostics, &module, &launch);
    struct loop_environment nothing = {0};
    struct bounded_function bounded;
    struct loop_passes passes;
    bound_function(kernel_function(wb_module_kernel(module, 0)), &nothing, &bounded);
    loop_passes_init(block, 0, &bounded, &passes);
    for (size_t p = 0; p < block->paths.count; p++)
        loop_passes_follow(&passes, &block->paths.items[p]);
    for (uint32_t l = 0; l < program.loop_count; l++) {
        char label[16];
        (void)snprintf(label, sizeof label, "H%u", l);
        uint32_t loop = loop_labelled(&bounded, label);
        if (loop != GRAPH_NONE && passes.most[loop] != most[l])
            fail_msg("seed %" PRIu64 ": %s %" PRIu64 " times, by the interpreter %" PRIu64 "\n%s", seed,
                     label, most[l], passes.most[loop], text.data);
    }
    compared++;
    loop_passes_free(&passes);
    arena_free(&bounded.arena);
    wb_block_free(block);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    text_free(&text);
}

static void test_both_execute_the_same(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        compare_program(seed);
    assert_true(compared > PROGRAMS / 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_execute_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
