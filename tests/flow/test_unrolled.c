/* Which loops look as if the compiler had unrolled them, and which do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/bounds/bounds.h"
#include "warpbound.h"

/* Code of loops, the text between the braces; L0, L1 ... are headers. What is expected of loops by number. */
#define LOADS(step) "ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f2, %f1; add.s64 %rd1, %rd1, " #step "; "
#define LOADS4                                                                                               \
    "ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f2, %f1; ld.global.f32 %f1, [%rd1+4]; add.f32 %f2, %f2, %f1; " \
    "ld.global.f32 %f1, [%rd1+8]; add.f32 %f2, %f2, %f1; ld.global.f32 %f1, [%rd1+12]; add.f32 %f2, %f2, "   \
    "%f1; "
#define AGAIN(label) "setp.lt.s32 %p1, %r1, %r2; @%p1 bra " #label "; "

static const struct {
    const char *code;
    uint32_t count;
    struct unrolled expected[3];
} cases[] = {
    {"L0: " LOADS(4) "add.s32 %r1, %r1, 1; " AGAIN(L0), 1, {{UNROLLED_NOT, 1, 0}}},
    /* The remainder may stand before or behind. */
    {"L0: " LOADS(4) "add.s32 %r1, %r1, 1; " AGAIN(
         L0) "L1: " LOADS4 "add.s64 %rd1, %rd1, 16; add.s32 %r1, %r1, 4; " AGAIN(L1),
     2,
     {{UNROLLED_REMAINDER, 4, 1}, {UNROLLED_MAIN, 4, 1}}},
    {"L0: " LOADS4 "add.s64 %rd1, %rd1, 16; add.s32 %r1, %r1, 4; " AGAIN(L0) "L1: " LOADS(
         4) "add.s32 %r1, %r1, 1; " AGAIN(L1),
     2,
     {{UNROLLED_MAIN, 4, 0}, {UNROLLED_REMAINDER, 4, 0}}},
    /* Steps are not plain to see, but the compiler says that the remainder is to stay as it is. */
    {"L0: .pragma \"nounroll\"; ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f2, %f1; add.s64 %rd1, %rd1, "
     "%rd2; " AGAIN(L0) "L1: " LOADS4 "add.s64 %rd1, %rd1, %rd2; " AGAIN(L1),
     2,
     {{UNROLLED_REMAINDER, 4, 1}, {UNROLLED_MAIN, 4, 1}}},
    /* Twice the work in steps of one: two loops that were written so. */
    {"L0: " LOADS(4) "add.s32 %r1, %r1, 1; " AGAIN(
         L0) "L1: ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f2, %f1; ld.global.f32 %f1, [%rd1+4]; add.f32 "
             "%f2, %f2, "
             "%f1; add.s64 %rd1, %rd1, 4; add.s32 %r1, %r1, 1; " AGAIN(L1),
     2,
     {{UNROLLED_NOT, 1, 0}, {UNROLLED_NOT, 1, 1}}},
    /* Other work. */
    {"L0: st.global.f32 [%rd1], %f2; add.s64 %rd1, %rd1, 4; add.s32 %r1, %r1, 1; " AGAIN(
         L0) "L1: " LOADS4 "add.s64 %rd1, %rd1, 20; add.s32 %r1, %r1, 1; " AGAIN(L1),
     2,
     {{UNROLLED_NOT, 1, 0}, {UNROLLED_NOT, 1, 1}}},
    /* A counter in steps of 4 and four copies: by the compiler or by hand. Without the copies: by hand. */
    {"L0: " LOADS4 "add.s64 %rd1, %rd1, 16; add.s32 %r1, %r1, 4; " AGAIN(L0), 1, {{UNROLLED_PERHAPS, 4, 0}}},
    {"L0: ld.global.f32 %f1, [%rd1]; add.s32 %r1, %r1, 4; " AGAIN(L0), 1, {{UNROLLED_NOT, 1, 0}}},
    {"L0: add.s32 %r1, %r1, 4; " AGAIN(L0), 1, {{UNROLLED_NOT, 1, 0}}},
    /* Five loads of an inner loop that is gone do not count for the outer one, whose steps are of 1. */
    {"L0: ld.global.f32 %f1, [%rd1]; ld.global.f32 %f1, [%rd1+4]; ld.global.f32 %f1, [%rd1+8]; ld.global.f32 "
     "%f1, [%rd1+12]; ld.global.f32 %f1, [%rd1+16]; add.s32 %r1, %r1, 1; " AGAIN(L0),
     1,
     {{UNROLLED_NOT, 1, 0}}},
    /* Loops with others inside. */
    {"L0: add.s32 %r3, %r3, 1; L1: " LOADS(4) "add.s32 %r1, %r1, 1; " AGAIN(
         L1) "add.s32 %r1, %r1, 4; add.s32 %r3, %r3, 1; "
             "setp.lt.s32 %p2, %r3, 9; @%p2 bra L0; L2: " LOADS4
             "add.s64 %rd1, %rd1, 16; add.s32 %r1, %r1, 1; " AGAIN(L2),
     3,
     {{UNROLLED_NOT, 1, 0}, {UNROLLED_NOT, 1, 1}, {UNROLLED_NOT, 1, 2}}},
};

struct search {
    const struct ptx_function *function;
    struct arena arena;
    uint32_t count;
    struct unrolled *found;
};

static void search(void *context) {
    struct search *search = context;
    const struct cfg cfg = cfg_build(search->function, &search->arena);
    const struct dominators dominators = dominators_build(&search->arena, &cfg.graph, CFG_ENTRY);
    const struct loops loops = loops_build(&search->arena, &cfg.graph, &dominators);
    search->count = loops.count;
    search->found = unrolled_find(&cfg, &loops, &search->arena);
}

static void test_loops(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4000];
        (void)snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .pred %%p<4>; .reg "
            ".b32 %%r<4>; .reg .f32 %%f<4>; .reg .b64 %%rd<4>;\nmov.u32 %%r1, 0; mov.u32 %%r3, "
            "0;\n%s\nret;\n}\n",
            cases[i].code);
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_module *module = NULL;
        if (wb_module_parse("k.ptx", text, strlen(text), diagnostics, &module) != WB_OK)
            fail_msg("%zu: %s", i, wb_diagnostics_text(diagnostics));
        struct search found = {.function = kernel_function(wb_module_kernel(module, 0))};
        assert_int_equal(arena_protect(&found.arena, search, &found), WB_OK);
        assert_int_equal(found.count, cases[i].count);
        for (uint32_t loop = 0; loop < found.count; loop++)
            if (found.found[loop].sign != cases[i].expected[loop].sign ||
                found.found[loop].factor != cases[i].expected[loop].factor ||
                found.found[loop].main != cases[i].expected[loop].main)
                fail_msg("case %zu, loop %u: sign %d, factor %u, main %u", i, loop,
                         (int)found.found[loop].sign, found.found[loop].factor, found.found[loop].main);
        arena_free(&found.arena);
        wb_module_free(module);
        wb_diagnostics_free(diagnostics);
    }
}

/* Machine code whose lines of PTX are known: ptxas unrolled the loop over the tiles, and left that alone
 * which nvcc had unrolled. */
static void test_machine_code(void **state) {
    static const struct {
        const char *path;
        uint32_t loop;
        struct unrolled expected;
    } files[] = {
        {"kernels/cubin/sgemm_tiled.sm_75.cubin", 0, {UNROLLED_COPIES, 4, 0}},
        {"kernels/cubin/sgemm_tiled.sm_86.cubin", 0, {UNROLLED_COPIES, 4, 0}},
        {"kernels/cubin/sgemm_tiled.sm_90.cubin", 0, {UNROLLED_COPIES, 4, 0}},
        {"kernels/cubin/reduce.sm_86.cubin", 0, {UNROLLED_NOT, 1, 0}},
        {"kernels/cubin/voronoi.sm_90.cubin", 0, {UNROLLED_NOT, 1, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_module *module = NULL;
        if (wb_module_read(files[i].path, diagnostics, &module) != WB_OK)
            fail_msg("%s", wb_diagnostics_text(diagnostics));
        struct search found = {.function = kernel_function(wb_module_kernel(module, 0))};
        assert_int_equal(arena_protect(&found.arena, search, &found), WB_OK);
        assert_true(files[i].loop < found.count);
        const struct unrolled *loop = &found.found[files[i].loop];
        if (loop->sign != files[i].expected.sign || loop->factor != files[i].expected.factor)
            fail_msg("%s: sign %d, factor %u", files[i].path, (int)loop->sign, loop->factor);
        arena_free(&found.arena);
        wb_module_free(module);
        wb_diagnostics_free(diagnostics);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops), cmocka_unit_test(test_machine_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
