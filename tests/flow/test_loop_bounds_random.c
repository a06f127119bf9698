/* Bounds of the loops of random programs against what the programs do. */
#include "loop_support.h"

#include <stdio.h>
#include <stdlib.h>

#include "address_sanitizer.h"
#include "random_loops.h"

#define PROGRAMS (ADDRESS_SANITIZER ? 2000 : 20000)
#define RUNS 4
#define FUEL 1000

/* Of programs with 64-bit variables in one register, and in two. */
static uint64_t loops_seen[2], loops_bounded[2], loops_reached[2];

static bool known_parameter(const void *user, uint32_t variable, uint64_t offset, uint32_t bytes,
                            uint64_t *value) {
    const struct loop_program *program = user;
    if (variable >= LOOP_PARAMETERS || !program->parameter_known[variable]) return false;
    if (offset != 0 || bytes * 8 != program->bits[variable]) return false;
    *value = program->parameter[variable];
    return true;
}

static struct loop_environment environment_of(const struct loop_program *program) {
    struct loop_environment environment = {.parameter = known_parameter, .user = program};
    environment.sregs[PTX_SREG_TID_X] = (struct sreg_range){true, 0, program->threads - 1};
    return environment;
}

static void check_program(uint64_t seed, bool in_halves) {
    struct random_state random = random_seeded(seed);
    struct loop_program program = random_loop_program(&random);
    program.in_halves = in_halves;
    struct text text = {0};
    loop_program_print(&program, &text);
    assert_false(text.failed);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    if (wb_module_parse("random.ptx", text.data, text.length, diagnostics, &module) != WB_OK)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, wb_diagnostics_text(diagnostics), text.data);
    struct loop_environment environment = environment_of(&program);
    struct bounded_function bounded;
    bound_function(kernel_function(wb_module_kernel(module, 0)), &environment, &bounded);
    uint64_t most[LOOPS_MAX] = {0};
    for (uint32_t run = 0; run < RUNS; run++) {
        uint32_t thread = run == 0   ? 0
                          : run == 1 ? program.threads - 1
                                     : (uint32_t)random_below(&random, program.threads);
        (void)loop_program_run(&program, thread, &random, FUEL, most);
    }
    for (uint32_t l = 0; l < program.loop_count; l++) {
        char label[16];
        (void)snprintf(label, sizeof label, "H%u", l);
        uint32_t loop = loop_labelled(&bounded, label);
        if (loop == GRAPH_NONE || most[l] == 0) continue;
        const struct loop_bound *bound = &bounded.bounds[loop];
        loops_seen[in_halves]++;
        loops_bounded[in_halves] += bound->known;
        loops_reached[in_halves] += bound->known && bound->headers == most[l];
        if (bound->known && bound->headers < most[l])
            fail_msg("seed %llu: H%u executed %llu times, bound %llu\n%s", (unsigned long long)seed, l,
                     (unsigned long long)most[l], (unsigned long long)bound->headers, text.data);
    }
    arena_free(&bounded.arena);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    text_free(&text);
}

static void test_bounds_are_never_exceeded(void **state) {
    (void)state;
    const char *chosen = getenv("WB_SEED");
    uint64_t first = chosen != NULL ? strtoull(chosen, NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + (chosen != NULL ? 1 : PROGRAMS); seed++)
        for (int in_halves = 0; in_halves < 2; in_halves++)
            check_program(seed, in_halves != 0);
    for (int i = 0; i < 2; i++)
        print_message("  %s: %llu loops, %llu bounded, %llu of them reached\n",
                      i == 0 ? "64 bits in one register" : "in two", (unsigned long long)loops_seen[i],
                      (unsigned long long)loops_bounded[i], (unsigned long long)loops_reached[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds_are_never_exceeded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
