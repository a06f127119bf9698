/* Random kernels whose values grow with the number of the block: their grids by classes of blocks
 * (docs/block-classes.md) are, byte for byte, those of which every block is executed. */
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
#include "ptxas.h"
#include "random_block.h"
#include "random_classes.h"
#include "same_grid.h"

#define KERNELS 10000u
#define COMPILED_OF 20u /* one of so many is compiled, too */

struct tally {
    uint32_t kernels, by_classes, counted, differing;
    uint64_t blocks, executed;
};

static void compare(const char *bytes, size_t size, const struct random_classes *made, struct tally *tally,
                    struct text *difference) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_launch *launch = random_classes_launch(made, NULL);
    wb_grid *by_classes = NULL, *counted = NULL, *whole = NULL;
    const wb_status status = wb_module_parse("random", bytes, size, diagnostics, &module);
    if (status == WB_OK) {
        const wb_kernel *kernel = wb_module_kernel(module, 0);
        whole = same_grid_trace(kernel, launch, GRID_EXECUTED, diagnostics);
        by_classes = same_grid_trace(kernel, launch, GRID_BY_CLASSES, diagnostics);
        counted = same_grid_trace(kernel, launch, GRID_COUNTED_BLOCKS, diagnostics);
    }
    if (status != WB_OK || whole == NULL || by_classes == NULL || counted == NULL) {
        text_printf(difference, "status %d: %s", (int)status, wb_diagnostics_text(diagnostics));
    } else {
        tally->kernels++;
        tally->by_classes += by_classes->executed != 0;
        if (by_classes->executed != 0) tally->blocks += by_classes->blocks.count;
        tally->executed += by_classes->executed;
        tally->counted += grid_is_counted(counted);
        if (same_grid(by_classes, whole, difference) && grid_is_counted(counted))
            (void)same_grid_counted(counted, whole, difference);
    }
    wb_grid_free(by_classes);
    wb_grid_free(counted);
    wb_grid_free(whole);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

static void report(uint64_t seed, const struct random_classes *made, const char *of, struct text *difference,
                   struct tally *tally) {
    if (difference->length == 0) return;
    tally->differing++;
    /* Not print_error, which cuts what is longer than a kilobyte. */
    (void)fprintf(stderr, "seed %" PRIu64 ", %s, grid %u,%u,%u, %u threads: %.400s\n%s", seed, of,
                  made->grid[0], made->grid[1], made->grid[2], made->threads, difference->data, made->ptx);
    text_free(difference);
}

static void print_tally(const char *of, const struct tally *tally) {
    print_message("%s: %u kernels, %u by classes: %" PRIu64 " of %" PRIu64 " blocks executed; %u counted\n",
                  of, tally->kernels, tally->by_classes, tally->executed, tally->blocks, tally->counted);
    assert_int_equal(tally->differing, 0);
}

static void compile_and_compare(const char *ptxas, const struct random_classes *made, uint32_t sm,
                                uint32_t level, struct tally *tally, struct text *difference) {
    uint8_t *cubin = NULL;
    size_t size = 0;
    if (ptxas_compile(ptxas, made->ptx, sm, level, &cubin, &size))
        compare((const char *)cubin, size, made, tally, difference);
    else
        text_string(difference, "ptxas refuses it");
    free(cubin);
}

/* What was wrong once: grids of one axis, and stores to byte `%t` of the buffer. */
static const struct hand_written {
    const char *what, *body;
    unsigned assumed;
} hand_written[] = {
    {"a byte in a wider register is moved", "cvt.u8.u32 %r1, %r0;\nmov.b32 %t, %r1;\n", WB_TAKE_DIV_ZERO},
    {"its complement", "cvt.s8.s32 %r1, %r0;\nnot.b32 %t, %r1;\nand.b32 %t, %t, 0xffff;\n", WB_TAKE_DIV_ZERO},
    {"it is selected", "cvt.u8.u32 %r1, %r0;\nsetp.lt.u32 %p, %c, 100;\nselp.b32 %t, %r1, %c, %p;\n",
     WB_TAKE_DIV_ZERO},
    {"an instruction that is not modelled writes two registers",
     "mov.b128 %o, {%l0, %l0};\nmov.b128 {%l0, %l1}, %o;\nmov.b32 %t, %r0;\nand.b32 %r1, %r0, 1;\n"
     "mad.lo.u32 %t, %r1, 64, %t;\n",
     WB_TAKE_DIV_ZERO},
    {"addresses of two buffers are compared",
     "mad.wide.u32 %l0, %r0, 512, %other;\nsetp.ne.u64 %p, %l0, %buf;\nselp.b32 %t, %r0, 7, %p;\n",
     WB_TAKE_DIV_ZERO},
    {"a sum of words of which the lower one wraps around",
     "cvt.u64.u32 %l0, %r0;\nshl.b64 %l0, %l0, 22;\nld.param.u32 %r1, [n];\nmul.wide.u32 %l1, %r1, "
     "0x4000000;\n"
     "add.s64 %l0, %l0, %l1;\nld.param.u64 %l1, [m];\nadd.s64 %l0, %l0, %l1;\nmov.b64 {%r1, %t}, %l0;\n",
     WB_TAKE_DIV_ZERO},
    {"a carry that only later blocks have",
     "shl.b32 %r1, %r0, 22;\ncvt.u64.u32 %l0, %r1;\nld.param.u64 %l1, [m];\nand.b64 %l1, %l1, 0xff;\n"
     "add.s64 %l1, %l1, 0x7fffff00;\nadd.s64 %l0, %l0, %l1;\nmov.b64 {%r1, %t}, %l0;\n",
     WB_TAKE_DIV_ZERO},
    {"the upper word of an address, where memory is taken to stand",
     "mad.wide.u32 %l0, %r0, 0x800000, %buf;\nmov.b64 {%t, %r1}, %l0;\nand.b32 %t, %r1, 0xffff;\n",
     WB_TAKE_ALL},
};

static void test_hand_written(void **state) {
    const char *ptxas = ptxas_find();
    struct tally tally = {0};
    (void)state;
    for (size_t i = 0; i < sizeof hand_written / sizeof *hand_written; i++) {
        struct text text = {0}, difference = {0};
        text_string(&text, ".version 8.3\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k(.param .u64 buffer, .param .u64 other, .param .u32 n, "
                           ".param .u64 m)\n{\n.reg .b32 %r<2>, %c, %t;\n.reg .b64 %l<2>, %buf, %other;\n"
                           ".reg .b128 %o;\n.reg .pred %p;\nld.param.u64 %buf, [buffer];\n"
                           "ld.param.u64 %other, [other];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %c, %tid.x;\n"
                           "mov.b64 %l0, 0;\n");
        text_string(&text, hand_written[i].body);
        text_string(&text, "mad.wide.u32 %l1, %t, 1, %buf;\nst.global.u8 [%l1], %r0;\nret;\n}\n");
        struct random_classes made = {text_take(&text), {600, 1, 1}, 32, hand_written[i].assumed, false};
        compare(made.ptx, strlen(made.ptx), &made, &tally, &difference);
        report(i, &made, hand_written[i].what, &difference, &tally);
        if (ptxas != NULL) compile_and_compare(ptxas, &made, 86, 3, &tally, &difference);
        report(i, &made, hand_written[i].what, &difference, &tally);
        random_classes_free(&made);
    }
    print_tally("hand-written", &tally);
}

static void test_kernels(void **state) {
    const uint32_t rounds = random_rounds(KERNELS);
    const char *first = getenv("WB_SEED");
    struct tally ptx = {0};
    (void)state;
    for (uint32_t i = 0; i < rounds; i++) {
        const uint64_t seed = (first == NULL ? 1 : strtoull(first, NULL, 10)) + i;
        struct random_classes made;
        struct text difference = {0};
        random_classes_make(seed, &made);
        compare(made.ptx, strlen(made.ptx), &made, &ptx, &difference);
        report(seed, &made, "PTX", &difference, &ptx);
        random_classes_free(&made);
    }
    print_tally("PTX", &ptx);
    assert_true(ptx.by_classes * 2 > ptx.kernels);
}

static void test_machine_code(void **state) {
    static const uint32_t architectures[] = {86, 75, 90, 80}, levels[] = {3, 1, 3, 0};
    const uint32_t rounds = random_rounds(KERNELS) / COMPILED_OF + 1;
    const char *first = getenv("WB_SEED"), *ptxas = ptxas_find();
    struct tally code = {0};
    (void)state;
    if (ptxas == NULL) skip();
    for (uint32_t i = 0; i < rounds; i++) {
        const uint64_t seed = (first == NULL ? 1 : strtoull(first, NULL, 10)) + i;
        struct random_classes made;
        struct text difference = {0};
        random_classes_make(seed, &made);
        compile_and_compare(ptxas, &made, architectures[seed / 2 % 4], levels[seed / 8 % 4], &code,
                            &difference);
        report(seed, &made, "machine code", &difference, &code);
        random_classes_free(&made);
    }
    print_tally("machine code", &code);
}

/* Each kernel has memory of 4 GB, which sanitizers touch: with them test_random_passes has classes alone. */
int main(void) {
    if (ADDRESS_SANITIZER) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hand_written),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_machine_code),
    };
    return cmocka_run_group_tests_name("random classes", tests, NULL, NULL);
}
