/* Machine instructions one at a time, against C: a thread's operands, what it leaves, and the comparison. */
#ifndef WB_TESTS_WORD_LANES_H
#define WB_TESTS_WORD_LANES_H

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/containers.h"
#include "machine_words.h"

#define THREADS 1024u

static uint32_t inputs[THREADS][WORDS_INPUTS];
static char input_file[] = "/tmp/warpbound-words-XXXXXX";

static const struct words_place ampere = {"kernels/cubin/vecadd.sm_86.cubin", 0x118, 0x160};
static const struct words_place hopper = {"kernels/cubin/vecadd.sm_90.cubin", 0x208, 0x210};

/* A = R4 (pair R4, R5), B = R6 (pair R6, R7), C = R8 (pair R8, R9). */
enum { A = 4, B = 6, C = 8, D = 12, RZ = 255 };

/* UR d = R a, and R d = UR a: around instructions of uniform registers, of which each lane has its own here.
 */
static inline struct machine_word word_to_uniform(uint32_t d, uint32_t a) {
    return word_of(0x3c2, d, a, 0, 7u << 17);
}
static inline struct machine_word word_from_uniform(uint32_t d, uint32_t a) {
    return word_of(0xc02, d, 0, a, 0x08000f00);
}

static inline void make_inputs(void) {
    static const uint32_t corners[] = {0,          1,          2,          3,          31,
                                       32,         0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
                                       0xfffffffe, 0x0000ffff, 0x00010000, 0x7f80ff01};
    struct random_state random = random_seeded(19);
    for (uint32_t i = 0; i < THREADS; i++) {
        for (uint32_t k = 0; k < WORDS_INPUTS; k++) {
            const bool corner = random_below(&random, 2) == 0;
            inputs[i][k] = corner ? corners[random_below(&random, sizeof corners / sizeof *corners)]
                                  : (uint32_t)random_next(&random);
        }
        /* Equal upper and lower halves are what comparisons by halves are about. */
        if (random_below(&random, 3) == 0) inputs[i][2] = inputs[i][0];
        if (random_below(&random, 3) == 0) inputs[i][3] = inputs[i][1];
        inputs[i][6] = (uint32_t)random_below(&random, 2);
        inputs[i][7] = (uint32_t)random_below(&random, 2);
    }
    const int file = mkstemp(input_file);
    assert_true(file >= 0);
    assert_int_equal(write(file, inputs, sizeof inputs), sizeof inputs);
    assert_int_equal(close(file), 0);
}

/* What a thread's instruction reads, and what is expected afterwards. */
struct lane {
    uint32_t a, a_high, b, b_high, c, c_high;
    bool p0, p1;
    uint32_t d, d_high;
    bool p2, p3;
    uint32_t index; /* of the thread */
};

static inline uint64_t pair(uint32_t low, uint32_t high) {
    return (uint64_t)high << 32 | low;
}

struct expectation {
    const char *what;
    const struct words_place *place;
    struct machine_word words[WORDS_MAX];
    void (*reference)(struct lane *lane);
};

static inline void check(const struct expectation *expected) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    uint32_t count = 0, wrong = 0, *results = NULL;
    uint8_t *known = NULL;
    while (count < WORDS_MAX && expected->words[count].half[0] != 0)
        count++;
    wb_module *module = words_module(expected->place, expected->words, count, diagnostics);
    if (module == NULL || words_run(module, input_file, THREADS, diagnostics, &results, &known) != WB_OK) {
        print_error("%s: %s\n", expected->what, wb_diagnostics_text(diagnostics));
        fail();
    }
    assert(results != NULL && known != NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        const uint32_t *in = inputs[i], *out = &results[(size_t)i * WORDS_RESULTS];
        struct lane lane = {in[0],      in[1],     in[2],     in[3], in[4], in[5], in[6] != 0,
                            in[7] != 0, WORDS_R12, WORDS_R13, false, false, i};
        expected->reference(&lane);
        const bool right = known[2 * i] == 0xff && known[2 * i + 1] == 0xff && out[0] == lane.d &&
                           out[1] == lane.d_high && out[2] == lane.p2 && out[3] == lane.p3;
        if (right || wrong++ >= 3) continue;
        print_error("%s of %08x %08x, %08x %08x, %08x %08x, %d %d: %08x %08x %u %u, not %08x %08x %d %d\n",
                    expected->what, in[0], in[1], in[2], in[3], in[4], in[5], lane.p0, lane.p1, out[0],
                    out[1], out[2], out[3], lane.d, lane.d_high, lane.p2, lane.p3);
    }
    assert_int_equal(wrong, 0);
    free(results);
    free(known);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

#define CHECK(where, what, reference, ...)                                                                   \
    check(&(const struct expectation){what, &(where), {__VA_ARGS__}, reference})

#endif
