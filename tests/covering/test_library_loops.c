/* Loops of CUDA's mathematical library: the slow paths that huge arguments take are bounded without flow
 * facts, and no argument passes a loop more often than its bound says. */
#include "loop_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "address_sanitizer.h"
#include "base/containers.h"
#include "loop_passes.h"
#include "ptx/ptx.h"
#include "traced_kernel.h"

#define LIBRARY "tests/data/library/library_math.ptx"
#define THREADS 64
#define TRIALS (ADDRESS_SANITIZER ? 4 : 25)

/* A kernel, the sum of the bounds of its loops and of those of what it calls, and how much of it arguments
 * reach.
 */
static const struct library_case {
    const char *kernel;
    bool is_double;
    uint64_t bounds, reached;
} cases[] = {
    {"sin_f64", true, 4, 4},          {"tan_f64", true, 4, 4},  {"fmod_f64", true, 262, 137},
    {"pow_f64", true, 0, 0},          {"j0_f64", true, 4, 4},   {"cos_f32", false, 6, 6},
    {"fmod_f32", false, 23, 12},      {"pow_f32", false, 0, 0}, {"j0_f32", false, 6, 6},
    {"remainder_f32", false, 23, 12},
};

/* Numbers of every size, and those at the ends: subnormal ones, infinities, NaN. */
static uint64_t random_number(struct random_state *random, bool is_double) {
    static const uint64_t doubles[] = {0,
                                       1,
                                       UINT64_C(0x000fffffffffffff),
                                       UINT64_C(0x0010000000000000),
                                       UINT64_C(0x7fefffffffffffff),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0x7ff8000000000000),
                                       UINT64_C(0xffefffffffffffff)};
    static const uint32_t floats[] = {0,          1,          0x007fffff, 0x00800000,
                                      0x7f7fffff, 0x7f800000, 0x7fc00000, 0xff7fffff};
    uint64_t choice = random_below(random, 24);
    if (choice < 8) return is_double ? doubles[choice] : floats[choice];
    return random_next(random);
}

/* A file with an array of numbers; the first two arrays make fmod as long as it can be. */
static void write_numbers(const char *path, struct random_state *random, bool is_double, uint64_t first) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint64_t number = i == 0 ? first : random_number(random, is_double);
        assert_int_equal(fwrite(&number, is_double ? 8 : 4, 1, file), 1);
    }
    assert_int_equal(fclose(file), 0);
}

/* Follows what the block executes in one function, and adds up bounds and passes of its loops. */
static void add_function(const wb_block *block, const wb_module *module, uint32_t function, uint64_t *bounds,
                         uint64_t most[], uint32_t *loop_count) {
    static const struct loop_environment nothing = {0};
    struct bounded_function bounded;
    struct loop_passes passes;
    bound_function(&module->functions[function], &nothing, &bounded);
    loop_passes_init(block, function, &bounded, &passes);
    for (size_t p = 0; p < block->paths.count; p++)
        loop_passes_follow(&passes, &block->paths.items[p]);
    for (uint32_t l = 0; l < bounded.loops.count; l++) {
        assert_true(loop_bound_is_telling(&bounded.bounds[l]));
        if (passes.most[l] > bounded.bounds[l].headers)
            fail_msg("%s: passed %" PRIu64 " times, bound %" PRIu64, module->functions[function].name,
                     passes.most[l], bounded.bounds[l].headers);
        *bounds += bounded.bounds[l].headers;
        if (passes.most[l] > most[*loop_count]) most[*loop_count] = passes.most[l];
        (*loop_count)++;
    }
    loop_passes_free(&passes);
    arena_free(&bounded.arena);
}

static void check_case(const struct library_case *given, const char *const files[2]) {
    enum { LOOPS_MAX = 8 };
    uint64_t most[LOOPS_MAX] = {0}, bounds = 0, reached = 0;
    struct random_state random = random_seeded(7);
    char x[96], y[96], out[32];
    const char *type = given->is_double ? "f64" : "f32";
    (void)snprintf(x, sizeof x, "buf:%s[%d]=@%s", type, THREADS, files[0]);
    (void)snprintf(y, sizeof y, "buf:%s[%d]=@%s", type, THREADS, files[1]);
    (void)snprintf(out, sizeof out, "buf:%s[%d]", type, THREADS);
    static const char *const none[] = {NULL};
    const char *const arguments[] = {x, y, out, "i32:64", NULL};
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        uint32_t loop_count = 0;
        bounds = 0;
        write_numbers(files[0], &random, given->is_double,
                      given->is_double ? UINT64_C(0x7fefffffffffffff) : 0x7f7fffff);
        write_numbers(files[1], &random, given->is_double, trial % 2 == 0 ? 1 : 3);
        struct traced_kernel traced = traced_kernel_open(&(struct traced_launch){.file = LIBRARY,
                                                                                 .kernel = given->kernel,
                                                                                 .threads = "64",
                                                                                 .arguments = arguments,
                                                                                 .machine = "ecrts2025-orin",
                                                                                 .settings = none});
        struct arena arena = {0};
        struct ptx_reach reach;
        assert_int_equal(ptx_reach(traced.block->kernel, &arena, &reach), WB_OK);
        for (uint32_t i = 0; i < reach.count; i++)
            add_function(traced.block, traced.module, reach.functions[i], &bounds, most, &loop_count);
        arena_free(&arena);
        traced_kernel_close(&traced);
    }
    for (uint32_t l = 0; l < LOOPS_MAX; l++)
        reached += most[l];
    if (bounds != given->bounds || reached < given->reached)
        fail_msg("%s: bounds %" PRIu64 ", expected %" PRIu64 ", reached %" PRIu64 " (seed 7)", given->kernel,
                 bounds, given->bounds, reached);
}

static void test_no_argument_passes_a_loop_more_often(void **state) {
    (void)state;
    char x[] = "/tmp/library-x-XXXXXX", y[] = "/tmp/library-y-XXXXXX";
    const char *const files[] = {x, y};
    assert_true(close(mkstemp(x)) == 0 && close(mkstemp(y)) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], files);
    (void)unlink(x);
    (void)unlink(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_argument_passes_a_loop_more_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
