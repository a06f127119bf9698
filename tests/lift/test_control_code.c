/* Control flow of machine code: what compiled shapes of it leave in memory is what the same text leaves that
 * is compiled as C here, on six architectures and two levels; and control that goes nowhere is one error with
 * its address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/containers.h"
#include "launch_text.h"
#include "machine_words.h"
#include "warpbound.h"

#include "../data/machine_code/control_shapes.h"
#include "warp/trace/trace.h"

#define FOLDER "tests/data/machine_code/"
#define TABLE 64u /* words at the start of the input */
#define BLOCK 64u /* threads */
#define BLOCKS 4u
#define THREADS (BLOCK * BLOCKS)
#define LANES 32u
#define SEED 19

static uint32_t input[TABLE + THREADS];
static char input_file[] = "/tmp/warpbound-control-XXXXXX";

/* ---- What shapes leave
 * -------------------------------------------------------------------------------------- */

typedef void (*reference_fn)(const uint32_t *x, uint32_t *out);

#define OF_EACH_THREAD(name)                                                                                 \
    static void leave_##name(const uint32_t *x, uint32_t *out) {                                             \
        for (uint32_t i = 0; i < THREADS; i++)                                                               \
            out[i] = shape_##name(x[i], input);                                                              \
    }

OF_EACH_THREAD(nest)
OF_EACH_THREAD(breaks)
OF_EACH_THREAD(exits_of_a_loop)
OF_EACH_THREAD(tables)
OF_EACH_THREAD(calls)

static void leave_ends(const uint32_t *x, uint32_t *out) {
    for (uint32_t i = 0; i < THREADS; i++)
        shape_ends(x[i], input, &out[i]);
}

static void leave_twice(const uint32_t *x, uint32_t *out) {
    memcpy(out, x, THREADS * sizeof *x);
}

/* The lower half of a warp, after the exchange of all. */
static void meet_low(const uint32_t *r, uint32_t *out) {
    bool any = false;
    for (uint32_t l = 0; l < LANES / 2; l++) {
        out[l] = r[l] ^ r[l + 3 < LANES / 2 ? l + 3 : l];
        any |= out[l] % 11 == 0;
    }
    for (uint32_t l = 0; l < LANES / 2 && any; l++)
        out[l] = step(out[l]);
}

static void meet_high(const uint32_t *r, uint32_t *out) {
    bool all = true;
    uint32_t odd = 0;
    for (uint32_t l = LANES / 2; l < LANES; l++) {
        all &= r[l] != 0;
        odd += r[l] & 1;
    }
    for (uint32_t l = LANES / 2; l < LANES; l++)
        out[l] = all ? r[l] - input[odd] : r[l];
}

static void leave_meetings(const uint32_t *x, uint32_t *out) {
    for (uint32_t warp = 0; warp < THREADS; warp += LANES) {
        uint32_t before[LANES], r[LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            const uint32_t value = x[warp + l];
            before[l] = (value & 1) != 0 ? shape_breaks(value, input) : shape_nest(value, input);
        }
        for (uint32_t l = 0; l < LANES; l++)
            r[l] = before[l] + before[l ^ 5];
        meet_low(r, &out[warp]);
        meet_high(r, &out[warp]);
    }
}

static const struct shape {
    const char *kernel;
    reference_fn reference;
} shapes[] = {
    {"nest", leave_nest},     {"breaks", leave_breaks},     {"exits_of_a_loop", leave_exits_of_a_loop},
    {"tables", leave_tables}, {"calls", leave_calls},       {"ends", leave_ends},
    {"twice", leave_twice},   {"meetings", leave_meetings},
};

static void make_input(void) {
    struct random_state random = random_seeded(SEED);
    for (uint32_t i = 0; i < TABLE + THREADS; i++)
        input[i] = (uint32_t)random_next(&random);
    const int file = mkstemp(input_file);
    assert_true(file >= 0);
    assert_int_equal(write(file, input, sizeof input), sizeof input);
    assert_int_equal(close(file), 0);
}

/* ---- What machine code leaves
 * ------------------------------------------------------------------------------- */

static wb_status execute(const char *path, const char *name, wb_diagnostics *diagnostics, uint32_t **out,
                         uint8_t **known) {
    char in[160], to[64], blocks[16], block[16];
    size_t size = 0;
    wb_module *module = NULL;
    const wb_kernel *kernel = NULL;
    wb_launch *launch = wb_launch_new();
    (void)snprintf(in, sizeof in, "buf:u32[%u]=@%s", TABLE + THREADS, input_file);
    (void)snprintf(to, sizeof to, "buf:u32[%u]=zero", THREADS);
    (void)snprintf(blocks, sizeof blocks, "%u", BLOCKS);
    (void)snprintf(block, sizeof block, "%u", BLOCK);
    wb_status status = wb_module_read(path, diagnostics, &module);
    if (status == WB_OK) status = wb_module_find_kernel(module, name, diagnostics, &kernel);
    if (status == WB_OK) status = launch_grid_text(launch, blocks, diagnostics);
    if (status == WB_OK) status = launch_block_text(launch, block, diagnostics);
    if (status == WB_OK) status = wb_launch_add_argument(launch, in, diagnostics);
    if (status == WB_OK) status = wb_launch_add_argument(launch, to, diagnostics);
    if (status == WB_OK) status = grid_execute(kernel, launch, 1, diagnostics, (uint8_t **)out, known, &size);
    assert_true(status != WB_OK || size == THREADS * sizeof **out);
    wb_launch_free(launch);
    wb_module_free(module);
    return status;
}

static uint32_t check_shape(const char *path, const struct shape *shape) {
    uint32_t expected[THREADS], *out = NULL, wrong = 0;
    uint8_t *known = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    shape->reference(&input[TABLE], expected);
    if (execute(path, shape->kernel, diagnostics, &out, &known) != WB_OK) {
        print_error("%s, %s: %s", path, shape->kernel, wb_diagnostics_text(diagnostics));
        wb_diagnostics_free(diagnostics);
        return 1;
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        const bool is_known = (known[i / 2] >> i % 2 * 4 & 15) == 15;
        if (is_known && out[i] == expected[i]) continue;
        if (wrong++ == 0)
            print_error("%s, %s, seed %d: thread %u, of %08x, leaves %08x%s, not %08x\n", path, shape->kernel,
                        SEED, i, input[TABLE + i], out[i], is_known ? "" : " (not known)", expected[i]);
    }
    free(out);
    free(known);
    wb_diagnostics_free(diagnostics);
    return wrong;
}

static void test_shapes(void **state) {
    (void)state;
    static const unsigned architectures[] = {75, 80, 86, 87, 89, 90};
    uint32_t wrong = 0;
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++)
        for (int level = 0; level < 2; level++)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
                char path[80];
                (void)text_format(path, sizeof path, FOLDER "control_code%s.sm_%u.cubin",
                                  level == 0 ? "" : "_o1", architectures[a]);
                wrong += check_shape(path, &shapes[s]);
            }
    assert_int_equal(wrong, 0);
}

/* ---- Control that goes nowhere
 * ------------------------------------------------------------------------------ */

#define FIRST_WORD 14u /* words_put has so many instructions before those that are tried */

static struct machine_word to_place(uint32_t opcode, uint32_t d, int32_t offset) {
    return word_of(opcode, d, 0, (uint32_t)offset, 0x03800000 | (offset < 0 ? 0x3ffff : 0));
}

static uint32_t expect_refusal(const char *what, struct machine_word word, const char *message) {
    static const struct words_place ampere = {"kernels/cubin/vecadd.sm_86.cubin", 0x118, 0x160};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const wb_kernel *kernel = NULL;
    char place[16];
    wb_module *module = words_module(&ampere, &word, 1, diagnostics);
    const wb_status status =
        module == NULL ? WB_ERR_INPUT : wb_module_find_kernel(module, NULL, diagnostics, &kernel);
    const char *text = wb_diagnostics_text(diagnostics);
    (void)snprintf(place, sizeof place, "0x%04x", FIRST_WORD * 16);
    const bool right = status != WB_OK && wb_diagnostics_errors(diagnostics) == 1 &&
                       strstr(text, place) != NULL && strstr(text, message) != NULL;
    if (!right) print_error("%s: status %d, %s", what, (int)status, text);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    return !right;
}

static void test_nowhere(void **state) {
    (void)state;
    enum { BRA = 0x947, BSSY = 0x945, CALL = 0x944, BRX = 0x949, RET = 0x950 };
    const char *leaves = "control leaves its function here", *inside = "a target that is no instruction";
    uint32_t wrong = 0;
    wrong += expect_refusal("a branch behind the code", to_place(BRA, 0, 0x100000), leaves);
    wrong += expect_refusal("a branch before the code", to_place(BRA, 0, -0x1000), inside);
    wrong += expect_refusal("a branch into an instruction", to_place(BRA, 0, 8), inside);
    wrong += expect_refusal("a meeting behind the code", to_place(BSSY, 0, 0x100000), leaves);
    wrong += expect_refusal("a meeting in an instruction", to_place(BSSY, 0, 0x18), inside);
    wrong += expect_refusal("a call behind the code", to_place(CALL, 0, 0x100000), leaves);
    wrong += expect_refusal("a return", to_place(RET, 0, -0xf0), "it returns without a call");
    wrong += expect_refusal("a jump without a table", to_place(BRX, 0, -0xf0),
                            "the file does not state its targets");
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_nowhere),
    };
    make_input();
    const int failed = cmocka_run_group_tests_name("control code", tests, NULL, NULL);
    (void)unlink(input_file);
    return failed;
}
