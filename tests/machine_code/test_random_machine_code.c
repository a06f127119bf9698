/* Random kernels compiled by ptxas: what their machine code stores is what their PTX stores. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "machine_sample.h"
#include "ptxas.h"
#include "random_block.h"
#include "random_compiled.h"
#include "two_roads.h"

static const uint32_t architectures[] = {75, 80, 86, 87, 89, 90};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };

#define KERNELS 10000u

/* Machine code whose meaning is not known is refused; of so many kernels at most one. */
#define DECLINED_OF 4u

static enum two_roads compare(const struct sampled_kernel *kernel, struct text *violation) {
    static const struct road_buffer buffers[] = {{COMPILED_OUTPUT, 0}, {COMPILED_COUNTERS, 0}};
    const struct road ptx = {"random.ptx", kernel->ptx, strlen(kernel->ptx)};
    const struct road code = {"random.cubin", (const char *)kernel->cubin, kernel->cubin_size};
    wb_launch *launch = random_compiled_launch(kernel->seed, kernel->threads);
    const enum two_roads found =
        two_roads_compare(&ptx, &code, "k", launch, WB_TAKE_ALL, buffers, 2, violation);
    wb_launch_free(launch);
    return found;
}

/* What is known of the PTX must be known of its machine code. */
static bool is_wrong(enum two_roads found) {
    return found == ROADS_DIFFER || found == ROADS_VAGUE;
}

static void test_sample(void **state) {
    (void)state;
    struct machine_sample sample;
    struct text violation = {0};
    uint32_t wrong = 0, declined = 0, compared = 0;
    assert_true(machine_sample_read(MACHINE_SAMPLE_PATH, &sample));
    assert_true(sample.kernels.count >= 300);
    /* Builds with sanitizers are ten times slower. */
    for (size_t i = 0; i < sample.kernels.count; i += (ADDRESS_SANITIZER ? 4 : 1)) {
        const struct sampled_kernel *kernel = &sample.kernels.items[i];
        const enum two_roads found = compare(kernel, &violation);
        compared++;
        wrong += is_wrong(found);
        declined += found == ROADS_REFUSED;
        if (is_wrong(found))
            print_error("kernel %zu of the sample (seed %" PRIu64 ", sm_%u, -O%u): %s\n", i, kernel->seed,
                        kernel->sm, kernel->level, violation.data);
        text_free(&violation);
    }
    machine_sample_free(&sample);
    assert_int_equal(wrong, 0);
    print_message("%u kernels, %u of them declined\n", compared, declined);
    assert_true(declined * DECLINED_OF <= compared);
}

/* Makes and compiles a kernel; what ptxas refuses is no kernel. */
static enum two_roads compile_and_compare(const char *ptxas, const struct random_compiled *made, uint32_t sm,
                                          uint32_t level, struct text *violation) {
    struct sampled_kernel kernel = {
        .seed = made->seed, .sm = sm, .level = level, .threads = made->threads, .ptx = made->ptx};
    if (!ptxas_compile(ptxas, made->ptx, sm, level, &kernel.cubin, &kernel.cubin_size)) {
        text_string(violation, "ptxas refuses it\n");
        return ROADS_DIFFER;
    }
    const enum two_roads found = compare(&kernel, violation);
    free(kernel.cubin);
    return found;
}

/* The kernel of the seed without the statements that it needs not to be wrong. */
static void print_smallest(const char *ptxas, uint64_t seed, uint32_t sm, uint32_t level) {
    bool omitted[COMPILED_STATEMENTS_MAX] = {false};
    struct random_compiled kernel;
    struct text violation = {0};
    random_compiled_make(seed, sm, NULL, &kernel);
    const uint32_t statements = kernel.statements;
    for (uint32_t i = 0; i < statements; i++) {
        random_compiled_free(&kernel);
        omitted[i] = true;
        random_compiled_make(seed, sm, omitted, &kernel);
        if (!is_wrong(compile_and_compare(ptxas, &kernel, sm, level, &violation))) omitted[i] = false;
        text_free(&violation);
    }
    random_compiled_free(&kernel);
    random_compiled_make(seed, sm, omitted, &kernel);
    (void)compile_and_compare(ptxas, &kernel, sm, level, &violation);
    /* Not print_error, which cuts what is longer than a kilobyte. */
    (void)fprintf(stderr, "seed %" PRIu64 ", sm_%u, -O%u, %u threads: %s%s", seed, sm, level, kernel.threads,
                  violation.data == NULL ? "" : violation.data, kernel.ptx);
    random_compiled_free(&kernel);
    text_free(&violation);
}

/* All architectures and levels in turn; few kernels where the rounds are not all asked for, too few to say
 * how many are declined. */
static void test_compiled_here(void **state) {
    (void)state;
    const char *ptxas = ptxas_find();
    if (ptxas == NULL) {
        print_message(
            "ptxas is not installed: kernels are not compiled, only those of the sample are compared\n");
        skip();
    }
    const uint32_t rounds = random_rounds(KERNELS) == KERNELS ? KERNELS : KERNELS / 300;
    uint32_t declined = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        const uint64_t seed = UINT64_C(1000000) + i;
        const uint32_t sm = architectures[i % ARCHITECTURES], level = i / ARCHITECTURES % 4;
        struct random_compiled kernel;
        struct text violation = {0};
        random_compiled_make(seed, sm, NULL, &kernel);
        const enum two_roads found = compile_and_compare(ptxas, &kernel, sm, level, &violation);
        random_compiled_free(&kernel);
        text_free(&violation);
        declined += found == ROADS_REFUSED;
        if (!is_wrong(found)) continue;
        print_smallest(ptxas, seed, sm, level);
        fail();
    }
    print_message("%u kernels, %u of them declined\n", rounds, declined);
    assert_true(rounds < KERNELS || declined * DECLINED_OF <= rounds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_compiled_here),
    };
    return cmocka_run_group_tests_name("random machine code", tests, NULL, NULL);
}
