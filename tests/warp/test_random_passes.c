/* Random loops: with passes that are skipped (docs/block-classes.md, section 5) their grids are, byte for
 * byte, those of which every pass is executed; those with accesses, barriers and floats by classes of blocks.
 */
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
#include "base/containers.h"
#include "ptxas.h"
#include "random_block.h"
#include "same_grid.h"

#define KERNELS (ADDRESS_SANITIZER ? 100u : 4000u)
#define LOOK_ALIKES_STEP (ADDRESS_SANITIZER ? 41u : 1u)
#define OF_CLASSES_STEP (ADDRESS_SANITIZER ? 3u : 1u)
/* A sanitizer writes the shadow of all of it. */
#define BUFFER (ADDRESS_SANITIZER ? "buf:u32[0x1000000]" : "buf:u32[0x8000000]")
#define COMPILED_OF 20u /* one of so many is compiled, too */
#define PASSES_MOST 900u
#define NEST_SEEDS 23u
#define EXECUTED_MOST 400000u /* warp instructions: some loops never end */

struct tally {
    uint32_t kernels, endless, shorter, differing, by_classes;
};

struct writer {
    struct random_state random;
    struct text body;
    uint32_t labels;
    bool by_classes; /* with what passes may have there */
};

static uint32_t below(struct writer *writer, uint32_t bound) {
    return (uint32_t)random_below(&writer->random, bound);
}

static bool chance(struct writer *writer, uint32_t percent) {
    return below(writer, 100) < percent;
}

/* $R, $L: a register of 32 or 64 bits; $r, $l: the same to read; $k, $i: a number; $P, $p: a predicate. */
static const char *const statements[] = {
    "add.u32 $R, $r, $k;",
    "add.u32 $R, $r, $r;",
    "sub.s32 $R, $r, $k;",
    "mul.lo.u32 $R, $r, $k;",
    "mad.lo.s32 $R, $r, $k, $r;",
    "mul.lo.u32 $R, $r, $r;",
    "shl.b32 $R, $r, $i;",
    "shr.u32 $R, $r, $i;",
    "shr.s32 $R, $r, $i;",
    "and.b32 $R, $r, $k;",
    "or.b32 $R, $r, $k;",
    "xor.b32 $R, $r, $k;",
    "not.b32 $R, $r;",
    "clz.b32 $R, $r;",
    "popc.b32 $R, $r;",
    "mul.hi.u32 $R, $r, $k;",
    "bfe.u32 $R, $r, $i, $i;",
    "clz.b32 $R, %n0;\nsetp.lt.u32 $P, $R, 22;",
    "min.s32 $R, $r, $k;",
    "max.u32 $R, $r, $r;",
    "rem.u32 $R, $r, $k;",
    "div.u32 $R, $r, $k;",
    "mov.u32 $R, $r;",
    "mov.u32 $R, $k;",
    "mov.u32 $R, %tid.x;",
    "selp.b32 $R, $r, $k, $p;",
    "setp.lt.s32 $P, $r, $k;",
    "setp.ne.u32 $P, $r, $r;",
    "setp.ge.u32 $P, $r, $k;",
    "@$p add.u32 $R, $r, $k;",
    "@!$p mov.u32 $R, $r;",
    "cvt.u64.u32 $L, $r;",
    "cvt.s64.s32 $L, $r;",
    "cvt.u32.u64 $R, $l;",
    "add.s64 $L, $l, $k;",
    "add.s64 $L, $l, $l;",
    "mad.wide.u32 $L, $r, $k, $l;",
    "shl.b64 $L, $l, $i;",
    "mov.b64 {$R, $R}, $l;",
    "mov.b64 $L, {$r, $r};",
    "cvt.u16.u32 %h0, $r;\ncvt.u32.u16 $R, %h0;",
    "add.cc.u32 $R, $r, $r;\naddc.u32 $R, $r, $r;",
    "cvt.rn.f32.u32 %f0, $r;",
    "add.f32 %f1, %f1, %f0;",
};

static const char *const accesses[] = {
    "and.b32 %t, $r, 1020;\nmad.wide.u32 %q, %t, 1, %buf;\nld.global.u32 $R, [%q];",
    "and.b32 %t, $r, 0x3fffff8;\nmad.wide.u32 %q, %t, 1, %buf;\nst.global.u64 [%q], $l;",
    "shr.u32 %t, $r, 6;\nmad.wide.u32 %q, %t, 4, %buf;\nld.global.u32 $R, [%q];",
    "mad.wide.u32 %q, %n0, 4, %buf;\nld.global.u32 $R, [%q];",
    "mad.wide.u32 %q, %n0, 64, %ptr;\nst.global.u32 [%q], $r;",
    "add.s64 %ptr, %ptr, $S;\nld.global.v2.u32 {$R, %t}, [%ptr];",
    "add.s64 %ptr, %ptr, %c;\nst.global.u32 [%ptr], $r;",
    "add.s64 %ptr, %ptr, -64;\n@$p ld.global.u32 $R, [%ptr];",
    "and.b32 %t, $r, 124;\nadd.u32 %t, %t, %tile;\nst.shared.u32 [%t], $r;",
    "and.b32 %t, %n0, 63;\nmad.lo.u32 %t, %t, 4, %tile;\nld.shared.u32 $R, [%t];",
    "mad.lo.u32 %t, %r9, %r9, %tile;\nand.b32 %t, %t, 0xfc;\nadd.u32 %t, %t, %tile;\nld.shared.u32 $R, [%t];",
    "bar.sync 0;",
    "mul.f32 %f1, %f1, %f0;\nadd.f32 %f0, %f1, %f0;",
    "fma.rn.f32 %f1, %f1, %f0, %f0;",
    "cvt.rzi.u32.f32 $R, %f1;",
    "shfl.sync.bfly.b32 $R, $r, 1, 31, 0xffffffff;",
    "vote.sync.any.pred $P, $p, 0xffffffff;",
    "atom.global.add.u32 $R, [%buf], $r;",
    "mov.u32 $R, %ctaid.x;",
    "mov.u32 $R, %clock;",
};

static void put_operand(struct writer *writer, char kind) {
    struct text *body = &writer->body;
    static const uint32_t numbers[] = {0,  1,  2,   3,    4,          7,          8,
                                       13, 64, 255, 1000, 0x7fffffff, 0x80000000, 0xffffffff};
    switch (kind) {
    case 'R':
    case 'r': text_printf(body, "%%r%u", below(writer, 5)); break;
    case 'L':
    case 'l': text_printf(body, "%%l%u", below(writer, 3)); break;
    case 'P':
    case 'p': text_printf(body, "%%p%u", below(writer, 2)); break;
    case 'i': text_printf(body, "%u", below(writer, 9)); break;
    case 'S': text_printf(body, "%u", 8u << below(writer, 6)); break;
    default: text_printf(body, "%u", numbers[1 + below(writer, sizeof numbers / sizeof *numbers - 1)]); break;
    }
}

static void put_statement(struct writer *writer, const char *statement) {
    for (; *statement != '\0'; statement++) {
        if (*statement == '$')
            put_operand(writer, *++statement);
        else
            text_char(&writer->body, *statement);
    }
    text_char(&writer->body, '\n');
}

static void put_statements(struct writer *writer, uint32_t count) {
    while (count-- > 0)
        if (writer->by_classes && chance(writer, 40))
            put_statement(writer, accesses[below(writer, sizeof accesses / sizeof *accesses)]);
        else
            put_statement(writer, statements[below(writer, sizeof statements / sizeof *statements)]);
}

/* Statements that some lanes, or passes, leave out; a loop of few passes; an access. */
static void put_control(struct writer *writer) {
    struct text *body = &writer->body;
    const uint32_t label = writer->labels++;
    switch (below(writer, 6)) {
    case 0: put_statement(writer, "mov.u32 %t, %tid.x;\nsetp.lt.u32 %p2, %t, $k;"); break;
    case 1: put_statement(writer, "setp.eq.u32 %p2, %n0, $k;"); break;
    case 2: put_statement(writer, "and.b32 %t, %n0, 3;\nsetp.eq.u32 %p2, %t, 0;"); break;
    case 3: put_statement(writer, "setp.gt.s32 %p2, $r, $k;"); break;
    case 4:
        text_string(body,
                    "and.b32 %t, %r0, 1023;\nmad.wide.u32 %q, %t, 4, %buf;\nst.global.u32 [%q], %r1;\n");
        return;
    default:
        text_printf(body, "mov.u32 %%m, 0;\nM%u:\n", label);
        put_statements(writer, 1 + below(writer, 2));
        text_printf(body, "add.u32 %%m, %%m, 1;\nsetp.lt.u32 %%p3, %%m, %u;\n@%%p3 bra M%u;\n",
                    2 + below(writer, 30), label);
        return;
    }
    text_printf(body, "@%%p2 bra E%u;\n", label);
    put_statements(writer, 1 + below(writer, 3));
    text_printf(body, "E%u:\n", label);
}

/* A counter, which may differ from lane to lane, goes to a bound in one of many ways, with loops within, so
 * many deep. */
static void put_loop(struct writer *writer, uint32_t counter, uint32_t passes, uint32_t within) {
    static const char *const compare[] = {"lt.u32", "lt.s32", "le.u32", "ne.s32"};
    struct text *body = &writer->body;
    const uint32_t label = writer->labels++, step = 1 + below(writer, 4), way = below(writer, 5);
    const uint32_t first = chance(writer, 30) ? 0xffffff00u + below(writer, 512) : below(writer, 100);
    text_printf(body, "mov.u32 %%n%u, %u;\n", counter, way == 4 ? first + step * passes : first);
    if (chance(writer, 30))
        text_printf(body, "mov.u32 %%t, %%tid.x;\nmad.lo.u32 %%n%u, %%t, %u, %%n%u;\n", counter, step,
                    counter);
    text_printf(body, "L%u:\n", label);
    const uint32_t at = below(writer, 4), inner = below(writer, 4);
    for (uint32_t i = 0; i < 4; i++) {
        if (i == inner && within > 0) put_loop(writer, counter + 1, 17 + below(writer, 30), within - 1);
        if (i == at)
            text_printf(body, "add.s32 %%n%u, %%n%u, %d;\n", counter, counter,
                        way == 4 ? -(int)step : (int)step);
        if (chance(writer, 12)) put_control(writer);
        if (chance(writer, 60)) put_statements(writer, 1);
    }
    if (counter > 0 && chance(writer, 10)) /* as often as the loop around says */
        text_printf(body, "setp.lt.u32 %%p3, %%n%u, %%n%u;\n", counter, counter - 1);
    else if (way < 4)
        text_printf(body, "setp.%s %%p3, %%n%u, %u;\n", compare[way], counter, first + step * passes);
    else
        text_printf(body, "setp.ne.u32 %%p3, %%n%u, %u;\n", counter, first);
    text_printf(body, "@%%p3 bra L%u;\n", label);
}

/* What is left of the registers is stored, at addresses and under conditions that are made of them. */
static void put_end(struct writer *writer) {
    struct text *body = &writer->body;
    if (chance(writer, 30)) put_statement(writer, "setp.gt.s32 %p2, $r, $k;\n@%p2 bra OUT;");
    if (chance(writer, 40))
        put_statement(writer,
                      "and.b32 %t, $r, 1023;\nmad.wide.u32 %q, %t, 4, %buf;\nst.global.u32 [%q], $r;");
    text_string(body, "mad.wide.u32 %q, %n0, 0, %buf;\n");
    for (uint32_t i = 0; i < 5; i++)
        text_printf(body, "st.global.u32 [%%q+%u], %%r%u;\n", 4 * i, i);
    text_string(body, "st.global.u64 [%q+64], %l0;\nst.global.f32 [%q+72], %f1;\nOUT:\nret;\n}\n");
}

static void put_begin(struct writer *writer) {
    text_string(&writer->body,
                ".version 8.0\n.target sm_75\n.address_size 64\n"
                ".visible .entry k(.param .u64 buffer)\n{\n.reg .pred %p<4>;\n.reg .b16 %h<1>;\n"
                ".reg .b32 %r<10>, %n<3>, %m, %t, %tile;\n.reg .b64 %l<3>, %q, %buf, %ptr, %c;\n"
                ".reg .f32 %f<2>;\n.shared .align 8 .b8 shared[512];\n"
                "ld.param.u64 %buf, [buffer];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 7;\n"
                "mov.u32 %r9, %tid.x;\nmov.u32 %tile, shared;\nadd.s64 %ptr, %buf, 0x1000000;\n"
                "mov.u32 %r4, %ctaid.x;\nmad.wide.u32 %c, %r4, 8, 8;\n"
                "mov.u32 %r2, 0;\nshl.b32 %r3, %r0, 3;\nmov.u32 %r4, %ctaid.x;\nmov.u64 %l0, 5;\n"
                "mov.u64 %l1, 0;\ncvt.u64.u32 %l2, %r0;\nmov.u32 %n0, 0;\nmov.u32 %n1, 0;\nmov.u32 %n2, 0;\n"
                "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\nsetp.eq.u32 %p0, %r0, 3;\n"
                "setp.ne.u32 %p1, %r0, %r0;\n");
}

static char *kernel_make(uint64_t seed, bool by_classes) {
    struct writer writer = {.random = random_seeded(seed), .by_classes = by_classes};
    put_begin(&writer);
    const uint32_t within = below(&writer, 3) == 0 ? 1 + below(&writer, 2) : 0;
    for (uint32_t loops = within > 0 ? 1 : 1 + below(&writer, 2); loops > 0; loops--)
        put_loop(&writer, within > 0 ? 0 : below(&writer, 2),
                 20 + below(&writer, within == 0   ? PASSES_MOST
                                     : within == 1 ? 300
                                                   : 20),
                 within);
    put_end(&writer);
    return text_take(&writer.body);
}

static wb_grid *trace(const wb_kernel *kernel, const wb_launch *launch, uint32_t classes_from,
                      uint64_t passes_from, uint64_t limit, wb_diagnostics *diagnostics) {
    const wb_grid_options options = {.size = sizeof options,
                                     .classes_from = classes_from,
                                     .passes_from = passes_from,
                                     .instruction_limit = limit};
    wb_grid *grid = NULL;
    (void)wb_grid_trace(kernel, launch, &options, diagnostics, &grid);
    return grid;
}

static uint64_t instructions_of(const wb_grid *grid) {
    uint64_t sum = 0;
    for (uint32_t b = 0; b < grid->blocks.count; b++)
        for (uint32_t w = 0; w < grid->warp_count; w++)
            sum += grid_path_of(grid, b, w)->length;
    return sum;
}

/* Classes from so many blocks on, UINT32_MAX: none. */
static void compare_from(uint32_t classes, uint64_t seed, const char *bytes, size_t size, struct tally *tally,
                         struct text *difference) {
    static const uint32_t grids[] = {1, 2}, threads[] = {1, 7, 32, 33};
    const bool by_classes = classes != UINT32_MAX;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_launch *launch = wb_launch_new();
    const uint32_t grid[3] = {grids[seed % 2] + (by_classes ? 3 : 0), 1, 1},
                   block[3] = {threads[seed / 2 % 4], 1, 1};
    const uint64_t from = 1 + seed % 97;
    /* Assumed of values; of values that were forgotten, and nothing depends on, maybe other ones. */
    const assumed_set of_values = assumed_bit(ASSUMED_LAST_LANE) | assumed_bit(ASSUMED_NAN_BITS);
    if (wb_launch_set_grid(launch, grid, diagnostics) != WB_OK ||
        wb_launch_set_block(launch, block, diagnostics) != WB_OK ||
        wb_launch_add_argument(launch, by_classes ? BUFFER : "buf:u32[4096]=zero", diagnostics) != WB_OK ||
        wb_launch_assume(launch, WB_TAKE_DIV_ZERO, diagnostics) != WB_OK ||
        wb_module_parse("random", bytes, size, diagnostics, &module) != WB_OK)
        fail_msg("%s\n%s", wb_diagnostics_text(diagnostics), bytes);
    const wb_kernel *kernel = wb_module_kernel(module, 0);
    wb_grid *whole = trace(kernel, launch, UINT32_MAX, UINT64_MAX, EXECUTED_MOST, diagnostics);
    const bool limited = diagnostics->over_limit;
    const uint64_t most = (by_classes ? 16 : 2) * EXECUTED_MOST; /* classes are tried several times */
    wb_grid *skipping = NULL, *shorter = NULL;
    if (!limited) skipping = trace(kernel, launch, classes, from, most, diagnostics);
    if (whole == NULL) {
        tally->endless++; /* within what may be executed, or with an error */
        if (skipping != NULL && !limited) text_string(difference, "an error is skipped");
    } else if (skipping == NULL) {
        text_printf(difference, "%s", wb_diagnostics_text(diagnostics));
    } else {
        tally->kernels++;
        tally->by_classes += skipping->executed != 0;
        if ((whole->notes.assumed & ~skipping->notes.assumed & assumed_bit(ASSUMED_NO_CONTRACTION)) != 0)
            text_string(difference, "rounded products are forgotten");
        skipping->notes.assumed |= of_values;
        whole->notes.assumed |= of_values;
        (void)same_grid(skipping, whole, difference);
        const uint64_t executed = skipping->executed == 0 ? grid[0] : skipping->executed;
        shorter = trace(kernel, launch, classes, from, instructions_of(whole) * executed / grid[0] / 2 + 1,
                        diagnostics);
        tally->shorter += shorter != NULL && (!by_classes || skipping->executed != 0);
    }
    wb_grid_free(shorter);
    wb_grid_free(whole);
    wb_grid_free(skipping);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

static void compare(uint64_t seed, const char *bytes, size_t size, struct tally *tally,
                    struct text *difference) {
    compare_from(UINT32_MAX, seed, bytes, size, tally, difference);
}

static void report(uint64_t seed, const char *of, const char *ptx, struct text *difference,
                   struct tally *tally) {
    if (difference->length == 0) return;
    tally->differing++;
    (void)fprintf(stderr, "seed %" PRIu64 ", %s: %.400s\n%s", seed, of, difference->data, ptx);
    text_free(difference);
}

static void print_tally(const char *of, const struct tally *tally) {
    print_message("%s: %u kernels, %u of them with half of the instructions or fewer; %u have no end\n", of,
                  tally->kernels, tally->shorter, tally->endless);
    assert_int_equal(tally->differing, 0);
    assert_true(tally->kernels < 20 ||
                tally->shorter * 20 > tally->kernels); /* a part of the kernels skips none */
}

/* What looks like a constant, or like a sum that grows by one, for some passes: bodies of a loop in which %n0
 * grows by 1 from 20 to 900, and whose %r1 is an address behind it. */
static const char *const look_alikes[] = {
    "add.u32 %r1, %r1, %r4;\nclz.b32 %r4, %n0;\n",
    "clz.b32 %r4, %n0;\nadd.u32 %r1, %r1, %r4;\n",
    "add.u32 %r1, %r1, %r2;\nshl.b32 %r2, %n0, 24;\nmul.hi.u32 %r2, %r2, 2;\n",
    "mul.wide.u32 %l0, %n0, 0x1000000;\nadd.s64 %l1, %l1, %l0;\nmov.b64 {%r2, %r1}, %l1;\n",
    ("add.u32 %r2, %r2, 0x1000000;\nadd.cc.u32 %r2, %r2, 0;\naddc.u32 %r1, %r1, 0;\n"
     "add.cc.u32 %t, %r2, 0x1000000;\naddc.u32 %r1, %r1, 0;\n"),
    ("add.u32 %r2, %r2, 0x1000000;\ncvt.u64.u32 %l0, %r2;\nshr.u64 %l1, %l1, 24;\n"
     "add.s64 %l1, %l1, %l0;\ncvt.u32.u64 %r1, %l1;\n"),
};

static void compare_look_alikes(uint32_t classes) {
    struct tally tally = {0};
    for (uint64_t i = 0; i < 97 * sizeof look_alikes / sizeof *look_alikes; i += LOOK_ALIKES_STEP) {
        struct writer writer = {.labels = 0};
        struct text difference = {0};
        put_begin(&writer);
        text_printf(
            &writer.body,
            "mov.u32 %%n0, 20;\nL:\n%sadd.s32 %%n0, %%n0, 1;\nsetp.lt.s32 %%p3, %%n0, 900;\n@%%p3 bra L;\n"
            "and.b32 %%t, %%r1, 1023;\nmad.wide.u32 %%q, %%t, 4, %%buf;\nst.global.u32 [%%q], %%r0;\n"
            "OUT:\nret;\n}\n",
            look_alikes[i / 97]);
        char *ptx = text_take(&writer.body);
        compare_from(classes, i, ptx, strlen(ptx), &tally, &difference);
        report(i, "look-alikes", ptx, &difference, &tally);
        free(ptx);
    }
    assert_int_equal(tally.differing, 0);
}

static void test_look_alikes(void **state) {
    (void)state;
    compare_look_alikes(UINT32_MAX);
    compare_look_alikes(1);
}

/* Loops of classes, in which %n0 goes from 20 to 900, whose last pass makes nothing but the test; and what
 * follows them. */
static const struct of_classes {
    const char *what, *body, *behind;
    bool executes_all; /* there are no classes */
} of_classes[] = {
    {"a pass that later blocks do not make",
     "mad.lo.u32 %t, %r4, -20, 950;\nsetp.lt.s32 %p2, %n0, %t;\n@%p2 st.global.u32 [%buf], %r0;\n", "",
     false},
    {"addresses that leave the buffer", "mad.wide.u32 %q, %n0, 0x97000, %buf;\nst.global.u32 [%q], %r0;\n",
     "", true},
    {"those of later blocks do",
     "mul.lo.u32 %t, %r4, 0x940000;\nmad.wide.u32 %q, %n0, 0x90000, %buf;\ncvt.u64.u32 %l0, %t;\n"
     "add.s64 %q, %q, %l0;\nld.global.u8 %t, [%q];\n",
     "", true},
    {"a product of a skipped pass", "cvt.rn.f32.u32 %f0, %n0;\nmul.f32 %f0, %f0, 0f3f8ccccd;\n",
     "mov.f32 %f0, 0f43dc0000;\nadd.f32 %f0, %f0, 0f3e99999a;\nmov.b32 %t, %f0;\n"
     "setp.eq.u32 %p2, %t, 0x43dc2666;\n@%p2 bra OUT;\n",
     false},
    {"control by what passes compute", "clz.b32 %t, %n0;\nadd.u32 %r1, %r1, %t;\n",
     "setp.gt.u32 %p2, %r1, 1000;\n@%p2 bra OUT;\nst.global.u32 [%buf], %r1;\n", false},
    {"barriers that some warps only come to",
     "setp.lt.u32 %p2, %r0, 32;\n@%p2 bar.arrive 1, 64;\n@!%p2 bar.sync 1, 64;\n"
     "st.shared.u32 [%tile], %n0;\nbar.sync 0;\n",
     "", false},
    {"lanes whose addresses grow by different steps",
     "mul.lo.u32 %t, %n0, %r0;\nmad.wide.u32 %q, %t, 4, %ptr;\nld.global.u32 %r1, [%q];\n"
     "mad.lo.u32 %r2, %r0, 4, %r2;\nmad.wide.u32 %q, %r2, 1, %buf;\nst.global.u32 [%q], %r1;\n",
     "", false},
    {"memory that passes hand on",
     "st.shared.u32 [%tile], %n0;\nld.shared.u32 %t, [%tile];\nmad.wide.u32 %q, %t, 4, %buf;\n"
     "st.global.u32 [%q], %r0;\n",
     "", true},
};

static void test_of_classes(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 8 * sizeof of_classes / sizeof *of_classes; i += OF_CLASSES_STEP) {
        const struct of_classes *of = &of_classes[i / 8];
        struct tally tally = {0};
        struct writer writer = {.labels = 0};
        struct text difference = {0};
        put_begin(&writer);
        text_printf(&writer.body,
                    "mov.u32 %%n0, 20;\nL:\nsetp.ge.u32 %%p3, %%n0, 900;\n@%%p3 bra DONE;\n%s"
                    "add.s32 %%n0, %%n0, 1;\nbra L;\nDONE:\n%sOUT:\nret;\n}\n",
                    of->body, of->behind);
        char *ptx = text_take(&writer.body);
        compare_from(1, i, ptx, strlen(ptx), &tally, &difference);
        report(i, of->what, ptx, &difference, &tally);
        if (tally.differing != 0 || (tally.by_classes == 0) != of->executes_all)
            fail_msg("%s, %" PRIu64 ": %u by classes\n%s", of->what, i, tally.by_classes, ptx);
        free(ptx);
    }
}

/* Instructions that take one way of those that an unknown value leaves open, without being steered: %t names
 * all lanes, %r1 is any number. */
static const char *const guesses[] = {"nanosleep.u32 %r1;\n", "bar.warp.sync %t;\n",
                                      "vote.sync.all.pred %p3, %p3, %t;\n",
                                      "shfl.sync.idx.b32 %r3, %r0, 0, 31, %t;\n"};

static void test_guesses(void **state) {
    struct tally tally = {0};
    (void)state;
    for (uint64_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
        struct writer writer = {.labels = 0};
        struct text difference = {0};
        put_begin(&writer);
        text_printf(
            &writer.body,
            "mov.u32 %%n0, 20;\nL:\n%sadd.s32 %%n0, %%n0, 1;\nsetp.lt.s32 %%p3, %%n0, 900;\n"
            "@%%p3 bra L;\nsetp.ge.u32 %%p3, %%r1, 0;\nselp.b32 %%t, 0xffffffff, 1, %%p3;\n%sOUT:\nret;\n}\n",
            look_alikes[1], guesses[i]);
        char *ptx = text_take(&writer.body);
        compare(i, ptx, strlen(ptx), &tally, &difference);
        report(i, "guesses", ptx, &difference, &tally);
        free(ptx);
    }
    assert_int_equal(tally.kernels, sizeof guesses / sizeof *guesses);
    assert_int_equal(tally.differing, 0);
}

/* Inner bodies of two loops, %n0 from 20 to 600 and %n1 from 0 to 40; %r3 is 0 when the inner one begins.
 * What differs late does so in the last inner passes first. */
static const char *const nests[] = {
    "add.u32 %r1, %r1, %n1;\n",
    "add.u32 %r1, %r1, %n0;\nsetp.lt.u32 %p2, %r1, 400000;\n@%p2 add.u32 %r2, %r2, 1;\n",
    "add.u32 %r3, %r3, %n0;\nsetp.gt.u32 %p2, %r3, 20000;\n@%p2 add.u32 %r1, %r1, 1;\n",
    "add.u32 %r3, %r3, 7;\nmul.lo.u32 %t, %n0, %r3;\nadd.u32 %r1, %r1, %t;\n",
    "add.u32 %t, %n0, %n1;\nsetp.eq.u32 %p2, %t, 577;\n@%p2 add.u32 %r1, %r1, 1;\n",
    "add.u32 %t, %n0, %n1;\nsetp.eq.u32 %p2, %t, 630;\n@%p2 bra OUT;\n",
    "add.u32 %t, %n0, %n1;\nadd.u32 %t, %t, %r0;\nsetp.gt.u32 %p2, %t, 640;\n@%p2 bra OUT;\n",
    "mad.lo.u32 %t, %n0, 7600000, %n1;\nsetp.lt.s32 %p2, %t, 0;\n@%p2 add.u32 %r1, %r1, 1;\n",
    "mad.lo.u32 %t, %n0, 64, %n1;\nclz.b32 %t, %t;\nadd.u32 %r1, %r1, %t;\n",
    "setp.gt.u32 %p2, %n1, %n0;\n@%p2 add.u32 %r1, %r1, 1;\n",
    "shl.b32 %t, %n0, 23;\nadd.u32 %r3, %r3, %t;\nadd.u32 %r1, %r1, %r3;\n",
    "sub.u32 %t, %n0, %n1;\nshr.u32 %t, %t, 9;\nadd.u32 %r1, %r1, %t;\n",
};

static void test_nests(void **state) {
    struct tally tally = {0};
    (void)state;
    for (uint64_t i = 0; i < NEST_SEEDS * sizeof nests / sizeof *nests; i++) {
        struct writer writer = {.labels = 0};
        struct text difference = {0};
        put_begin(&writer);
        text_printf(&writer.body,
                    "mov.u32 %%n0, 20;\nL:\nmov.u32 %%n1, 0;\nmov.u32 %%r3, 0;\nM:\n%s"
                    "add.s32 %%n1, %%n1, 1;\nsetp.lt.s32 %%p3, %%n1, 40;\n@%%p3 bra M;\n"
                    "add.s32 %%n0, %%n0, 1;\nsetp.lt.s32 %%p3, %%n0, 600;\n@%%p3 bra L;\nOUT:\n"
                    "and.b32 %%t, %%r1, 1023;\nmad.wide.u32 %%q, %%t, 4, %%buf;\n"
                    "st.global.u32 [%%q], %%n0;\nst.global.u32 [%%q+4], %%r2;\nret;\n}\n",
                    nests[i / NEST_SEEDS]);
        char *ptx = text_take(&writer.body);
        compare(i, ptx, strlen(ptx), &tally, &difference);
        report(i, "nests", ptx, &difference, &tally);
        free(ptx);
    }
    print_tally("nests", &tally);
}

static uint64_t first_seed(void) {
    const char *first = getenv("WB_SEED");
    return first == NULL ? 1 : strtoull(first, NULL, 10);
}

/* Compares kernels with seeds from the first on, and those compiled that come by chance. */
static void compare_kernels(const char *of, uint32_t classes, uint32_t rounds, bool compiled) {
    const char *ptxas = ptxas_find();
    struct tally tally = {0};
    if (compiled && ptxas == NULL) skip();
    for (uint64_t seed = first_seed(); seed < first_seed() + rounds; seed++) {
        char *ptx = kernel_make(seed, classes != UINT32_MAX);
        struct text difference = {0};
        uint8_t *cubin = NULL;
        size_t size = 0;
        if (!compiled)
            compare_from(classes, seed, ptx, strlen(ptx), &tally, &difference);
        else if (!ptxas_compile(ptxas, ptx, 86, seed % 3 == 0 ? 1 : 3, &cubin, &size))
            text_string(&difference, "ptxas refuses it");
        else
            compare_from(classes, seed, (const char *)cubin, size, &tally, &difference);
        report(seed, of, ptx, &difference, &tally);
        free(cubin);
        free(ptx);
    }
    print_tally(of, &tally);
}

static void test_kernels(void **state) {
    (void)state;
    compare_kernels("PTX", UINT32_MAX, random_rounds(KERNELS), false);
}

static void test_machine_code(void **state) {
    (void)state;
    compare_kernels("machine code", UINT32_MAX, random_rounds(KERNELS) / COMPILED_OF + 1, true);
}

static void test_classes(void **state) {
    (void)state;
    compare_kernels("PTX by classes", 1, random_rounds(KERNELS), false);
}

static void test_classes_of_code(void **state) {
    (void)state;
    compare_kernels("machine code by classes", 1, random_rounds(KERNELS) / COMPILED_OF + 1, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_classes), cmocka_unit_test(test_look_alikes),
        cmocka_unit_test(test_guesses),    cmocka_unit_test(test_nests),
        cmocka_unit_test(test_kernels),    cmocka_unit_test(test_machine_code),
        cmocka_unit_test(test_classes),    cmocka_unit_test(test_classes_of_code),
    };
    return cmocka_run_group_tests_name("random passes", tests, NULL, NULL);
}
