/* Registers and bytes of which only some bits are known: whatever the others are, those that are taken for
 * known are what an execution gives in which all are known. */
#include "address_sanitizer.h"
#include "base/containers.h"
#include "run_ptx.h"
#include "warp/trace/trace.h"

#define WORDS 8u /* %r1 .. %r8, %rd1 .. %rd3, %rs1 .. %rs6: what instructions read and write */
#define PAIRS 3u
#define HALVES 6u
#define SEEDS (ADDRESS_SANITIZER ? 150u : 2500u)
#define RESULTS (WORDS * 32u) /* bits per lane, a byte each */

/* What stands in the words that are not known: nothing, and then something. */
static const char *const fillings[] = {"buf:u32[128]", "buf:u32[128]=zero", "buf:u32[128]=4294967295",
                                       "buf:u32[128]=random(7)", "buf:u32[128]=random(8)"};

#define FILLINGS (sizeof fillings / sizeof *fillings)

/* Four unknown words in %r1 .. %r4, of which %r5 and %r7 have the lower halves and %r6 and %r8 the upper
 * ones; the lane is in %r0. */
static char *kernel_of(const char *body) {
    struct text text = {0};
    text_string(&text,
                PTX_HEADER ".visible .entry k(.param .u64 unknown, .param .u64 scratch, .param .u64 out)\n{\n"
                           ".reg .pred %p<4>;\n.reg .b16 %rs<16>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<16>;\n"
                           "mov.u32 %r0, %tid.x;\nld.param.u64 %rd10, [unknown];\n"
                           "ld.param.u64 %rd11, [scratch];\nld.param.u64 %rd12, [out];\n"
                           "mul.wide.u32 %rd13, %r0, 4;\nadd.u64 %rd10, %rd10, %rd13;\n"
                           "mul.wide.u32 %rd13, %r0, 16;\nadd.u64 %rd11, %rd11, %rd13;\n"
                           "mul.wide.u32 %rd13, %r0, 256;\nadd.u64 %rd12, %rd12, %rd13;\n"
                           "and.b32 %r30, %r0, 1;\nsetp.ne.u32 %p1, %r30, 0;\nld.global.u32 %r30, [%rd10];\n"
                           "setp.gt.u32 %p2, %r30, 5;\n");
    for (uint32_t i = 0; i < 4; i++) {
        text_printf(&text, "ld.global.u32 %%r%u, [%%rd10+%u];\n", i + 1, 128 * i);
        text_printf(&text, "prmt.b32 %%r%u, %%r%u, %%r0, %s;\n", i + 5, i + 1,
                    i % 2 == 0 ? "0x5410" : "0x3254");
        text_printf(&text, "mov.b32 {%%rs%u, %%rs%u}, %%r%u;\n", i + 1, i + 2, i + 5);
    }
    text_string(&text, "mov.b64 %rd1, {%r1, %r5}; mov.b64 %rd2, {%r0, %r2}; mov.b64 %rd3, {%r6, %r7};\n"
                       "cvt.u16.u32 %rs6, %r0;\n");
    text_string(&text, body);
    for (uint32_t i = 0; i < RESULTS; i++)
        text_printf(&text, "bfe.u32 %%r30, %%r%u, %u, 1; st.global.u8 [%%rd12+%u], %%r30;\n", 1 + i / 32,
                    i % 32, i);
    text_string(&text, "ret;\n}\n");
    return text_take(&text);
}

struct contents {
    uint8_t *bytes, *known;
    size_t size;
};

static struct contents run_filled(const char *ptx, const char *filling) {
    struct contents contents = {0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_launch *launch = wb_launch_new();
    const wb_kernel *kernel = NULL;
    const char *const arguments[] = {filling, "buf:u8[512]=zero", "buf:u8[8192]=zero"};
    wb_status status = wb_module_parse("test.ptx", ptx, strlen(ptx), diagnostics, &module);
    /* Whether a sum is open depends on which products other values happen to equal. */
    if (status == WB_OK) status = wb_launch_assume(launch, WB_TAKE_NO_CONTRACTION, diagnostics);
    if (status == WB_OK) status = wb_module_find_kernel(module, "k", diagnostics, &kernel);
    if (status == WB_OK) status = launch_grid_text(launch, "1", diagnostics);
    if (status == WB_OK) status = launch_block_text(launch, "32", diagnostics);
    for (size_t i = 0; status == WB_OK && i < 3; i++)
        status = wb_launch_add_argument(launch, arguments[i], diagnostics);
    if (status == WB_OK)
        status =
            grid_execute(kernel, launch, 2, diagnostics, &contents.bytes, &contents.known, &contents.size);
    if (status != WB_OK) print_error("%.5000s\n%s\n", ptx, wb_diagnostics_text(diagnostics));
    assert_int_equal(status, WB_OK);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    return contents;
}

static void contents_free(struct contents *contents) {
    free(contents->bytes);
    free(contents->known);
}

static bool is_known(const struct contents *contents, size_t i) {
    return contents->known != NULL && (contents->known[i / 8] >> i % 8 & 1) != 0;
}

/* Runs a body with all fillings; returns how many bits are known without. */
static size_t check_body(const char *body) {
    char *ptx = kernel_of(body);
    struct contents contents[FILLINGS];
    size_t known = 0;
    for (size_t f = 0; f < FILLINGS; f++)
        contents[f] = run_filled(ptx, fillings[f]);
    for (size_t i = 0; i < contents[0].size; i++) {
        if (!is_known(&contents[0], i)) continue;
        known++;
        for (size_t f = 1; f < FILLINGS; f++) {
            if (is_known(&contents[f], i) && contents[f].bytes[i] == contents[0].bytes[i]) continue;
            print_error("%s\nbit %zu of %%r%zu in lane %zu is %u with %s, and known to be %u\n", body, i % 32,
                        1 + i % RESULTS / 32, i / RESULTS, contents[f].bytes[i], fillings[f],
                        contents[0].bytes[i]);
            fail();
        }
    }
    for (size_t f = 0; f < FILLINGS; f++)
        contents_free(&contents[f]);
    free(ptx);
    return known;
}

/* ---- Single instructions ------------------------------------------------------------------------------- */

/* Bits of %r1 that are known, of lane 3, after a body. */
struct row {
    const char *body;
    uint32_t known;
};

static const struct row rows[] = {
    {"", 0},
    {"mov.b32 %r1, %r5;", 0xffff0000},
    {"mov.b32 %r1, %r6;", 0x0000ffff},
    {"and.b32 %r1, %r1, 0xffff;", 0xffff0000},
    {"or.b32 %r1, %r1, 0xf0;", 0xf0},
    {"xor.b32 %r1, %r5, 5;", 0xffff0000},
    {"not.b32 %r1, %r5;", 0xffff0000},
    {"lop3.b32 %r1, %r5, 0xffff, %r0, 0xea;", 0xffff0003},
    {"lop3.b32 %r1, %r1, %r2, %r3, 0xff;", 0xffffffff},
    {"shl.b32 %r1, %r1, 16;", 0x0000ffff},
    {"shr.u32 %r1, %r1, 24;", 0xffffff00},
    {"shr.s32 %r1, %r1, 24;", 0},
    {"shr.s32 %r1, %r5, 24;", 0xffffffff},
    {"shl.b32 %r1, %r1, 40;", 0xffffffff},
    {"shl.b32 %r1, %r0, %r1;", 0},
    {"shf.l.wrap.b32 %r1, %r1, %r0, 8;", 0xffffff00},
    {"shf.r.clamp.b32 %r1, %r1, %r0, 8;", 0xff000000},
    {"prmt.b32 %r1, %r1, %r0, 0x7054;", 0xff00ffff},
    {"prmt.b32 %r1, %r5, 0, 0xbbbb;", 0xffffffff},
    {"prmt.b32 %r1, %r1, 0, 0xbb44;", 0x0000ffff},
    {"bfe.u32 %r1, %r5, 12, 8;", 0xfffffff0},
    {"bfe.s32 %r1, %r5, 12, 8;", 0xfffffff0},
    {"bfe.s32 %r1, %r5, 4, 8;", 0},
    {"bfe.u32 %r1, %r5, 4, 8;", 0xffffff00},
    {"bfi.b32 %r1, %r0, %r1, 4, 8;", 0x00000ff0},
    {"bfi.b32 %r1, %r1, %r0, 4, 8;", 0xfffff00f},
    {"selp.b32 %r1, %r5, 7, %p1;", 0xffff0000},
    {"selp.b32 %r1, 6, 7, %p2;", 0xfffffffe},
    {"cvt.u32.u16 %r1, %rs4;", 0xffffffff},
    {"cvt.u32.u16 %r1, %rs1;", 0xffff0000},
    {"cvt.s32.s16 %r1, %rs1;", 0},
    {"cvt.u16.u32 %rs1, %r1; mov.b32 %r1, {%rs4, %rs1};", 0x0000ffff},
    {"add.u32 %r1, %r5, 0x10000;", 0xffff0000},
    {"add.u32 %r1, %r5, 0x10001;", 0xfffe0000},
    {"shl.b32 %r1, %r1, 16; add.u32 %r1, %r1, 77;", 0x0000ffff},
    {"and.b32 %r1, %r1, 0xff00; add.u32 %r1, %r1, 0x41;", 0xffff00ff},
    {"sub.u32 %r1, %r6, %r6;", 0x0000ffff},
    {"neg.s32 %r1, %r6;", 0x0000ffff},
    {"mul.lo.u32 %r1, %r1, 256;", 0x000000ff},
    {"mad.lo.u32 %r1, %r1, 65536, 9;", 0x0000ffff},
    {"machine.add3.u32 %r1, _, 3, 0x40, %r2, 0, 0;", 0},
    {"shl.b32 %r2, %r2, 8; machine.add3.u32 %r1, _, 3, 0x40, %r2, 1, 0;", 0x000000ff},
    {"and.b32 %r1, %r1, 1; machine.add3.u32 %r1, _, %r1, %r1, -1, 1, 1;", 0xfffffffc},
    {"mov.b32 %r1, {%rs6, %rs1};", 0x0000ffff},
    {"mov.b64 {%r2, %r1}, %rd1;", 0xffff0000},
    {"add.f16x2 %r1, %r5, %r7;", 0xffff0000},
    {"fma.rn.f16x2 %r1, %r5, %r5, %r0;", 0xffff0000},
    {"cvt.rn.f16x2.f32 %r1, %r1, %r0;", 0x0000ffff},
    {"st.global.u32 [%rd11], %r1; st.global.u16 [%rd11+2], %rs6; ld.global.u32 %r1, [%rd11];", 0xffff0000},
    {"st.global.u32 [%rd11], %r5; ld.global.u16 %r1, [%rd11+2];", 0xffffffff},
    {"st.global.u32 [%rd11], %r5; ld.global.s16 %r1, [%rd11];", 0},
    {"st.global.u64 [%rd11], %rd2; ld.global.v2.u32 {%r1, %r2}, [%rd11];", 0xffffffff},
    {"shfl.sync.bfly.b32 %r1, %r5, 1, 31, -1;", 0xffff0000},
};

static void single_instructions(void **state) {
    bool right = true;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *ptx = kernel_of(rows[i].body);
        struct contents contents = run_filled(ptx, fillings[0]);
        uint32_t known = 0;
        for (uint32_t bit = 0; bit < 32; bit++)
            known |= (uint32_t)is_known(&contents, 3 * RESULTS + bit) << bit;
        contents_free(&contents);
        free(ptx);
        if (known != rows[i].known) print_error("%s\n%08x, not %08x\n", rows[i].body, known, rows[i].known);
        right &= known == rows[i].known;
        (void)check_body(rows[i].body);
    }
    assert_true(right);
}

/* ---- Random programs ----------------------------------------------------------------------------------- */

static uint32_t pick(struct random_state *random, uint32_t count) {
    return (uint32_t)random_below(random, count);
}

/* A source or, with `to`, a destination: w words, h halves, d pairs; n a small number, x any, p a predicate.
 */
static void put_operand(struct text *body, struct random_state *random, char what, bool to) {
    static const char *const numbers[] = {"0",          "-1",  "0xff",   "0xffff0000",
                                          "0x00ff00ff", "%r0", "0x8000", "77"};
    switch (what) {
    case 'w':
        if (!to && pick(random, 4) == 0)
            text_string(body, numbers[pick(random, 8)]);
        else
            text_printf(body, "%%r%u", 1 + pick(random, WORDS));
        break;
    case 'h': text_printf(body, "%%rs%u", 1 + pick(random, HALVES)); break;
    case 'd': text_printf(body, "%%rd%u", 1 + pick(random, PAIRS)); break;
    case 'n':
        if (pick(random, 12) == 0)
            text_printf(body, "%%r%u", 1 + pick(random, WORDS));
        else
            text_printf(body, "%u", pick(random, 3) == 0 ? pick(random, 70) : 8 * pick(random, 5));
        break;
    case 'x': text_printf(body, "%u", pick(random, 65536)); break;
    case 't': text_printf(body, "%u", pick(random, 256)); break;
    case 'm': text_printf(body, "%u", 8 * pick(random, 2)); break;
    default: text_printf(body, "%%p%u", 1 + pick(random, 2)); break;
    }
}

/* Instructions; an operand is ^ and a letter of put_operand, a destination one of the upper-case letters. */
static const char *const forms[] = {
    "mov.b32 ^W, ^w;",
    "and.b32 ^W, ^w, ^w;",
    "or.b32 ^W, ^w, ^w;",
    "xor.b32 ^W, ^w, ^w;",
    "not.b32 ^W, ^w;",
    "lop3.b32 ^W, ^w, ^w, ^w, ^t;",
    "and.b64 ^D, ^d, ^d;",
    "or.b16 ^H, ^h, ^h;",
    "xor.b64 ^D, ^d, ^d;",
    "shl.b32 ^W, ^w, ^n;",
    "shr.u32 ^W, ^w, ^n;",
    "shr.s32 ^W, ^w, ^n;",
    "shl.b64 ^D, ^d, ^n;",
    "shr.u64 ^D, ^d, ^n;",
    "shr.s64 ^D, ^d, ^n;",
    "shl.b16 ^H, ^h, ^n;",
    "shr.u16 ^H, ^h, ^n;",
    "shr.s16 ^H, ^h, ^n;",
    "shf.l.wrap.b32 ^W, ^w, ^w, ^n;",
    "shf.l.clamp.b32 ^W, ^w, ^w, ^n;",
    "shf.r.wrap.b32 ^W, ^w, ^w, ^n;",
    "shf.r.clamp.b32 ^W, ^w, ^w, ^n;",
    "prmt.b32 ^W, ^w, ^w, ^x;",
    "prmt.b32 ^W, ^w, ^w, ^x;",
    "prmt.b32.rc16 ^W, ^w, ^w, ^n;",
    "prmt.b32.f4e ^W, ^w, ^w, ^t;",
    "bfe.u32 ^W, ^w, ^n, ^n;",
    "bfe.s32 ^W, ^w, ^n, ^n;",
    "bfe.u64 ^D, ^d, ^n, ^n;",
    "bfe.s64 ^D, ^d, ^n, ^n;",
    "bfi.b32 ^W, ^w, ^w, ^n, ^n;",
    "bfi.b64 ^D, ^d, ^d, ^n, ^n;",
    "szext.clamp.s32 ^W, ^w, ^n;",
    "szext.wrap.u32 ^W, ^w, ^n;",
    "selp.b32 ^W, ^w, ^w, ^p;",
    "selp.b64 ^D, ^d, ^d, ^p;",
    "cvt.u32.u16 ^W, ^h;",
    "cvt.s32.s16 ^W, ^h;",
    "cvt.u16.u32 ^H, ^w;",
    "cvt.u32.u8 ^W, ^w;",
    "cvt.s32.s8 ^W, ^w;",
    "cvt.u64.u32 ^D, ^w;",
    "cvt.s64.s32 ^D, ^w;",
    "cvt.u32.u64 ^W, ^d;",
    "add.u32 ^W, ^w, ^w;",
    "add.u64 ^D, ^d, ^d;",
    "add.u16 ^H, ^h, ^h;",
    "sub.u32 ^W, ^w, ^w;",
    "sub.s64 ^D, ^d, ^d;",
    "neg.s32 ^W, ^w;",
    "mul.lo.u32 ^W, ^w, ^w;",
    "mul.lo.s64 ^D, ^d, ^d;",
    "mul.wide.s32 ^D, ^w, ^w;",
    "mul.wide.u16 ^W, ^h, ^h;",
    "mad.lo.s32 ^W, ^w, ^w, ^w;",
    "mad.wide.u32 ^D, ^w, ^w, ^d;",
    "machine.add3.u32 ^W|%p3, _, ^w, ^w, ^w, 0, 0;",
    "machine.add3.u32 ^W, _, ^w, ^w, ^w, ^p, 1;",
    "mov.b32 ^W, {^h, ^h};",
    "mov.b32 {^H, _}, ^w;",
    "mov.b32 {_, ^H}, ^w;",
    "mov.b64 ^D, {^w, ^w};",
    "mov.b64 {^W, _}, ^d;",
    "mov.b64 {_, ^W}, ^d;",
    "mov.b64 ^D, {^h, ^h, ^h, ^h};",
    "add.f16x2 ^W, ^w, ^w;",
    "mul.f16x2 ^W, ^w, ^w;",
    "fma.rn.f16x2 ^W, ^w, ^w, ^w;",
    "min.f16x2 ^W, ^w, ^w;",
    "neg.f16x2 ^W, ^w;",
    "max.bf16x2 ^W, ^w, ^w;",
    "min.s16x2 ^W, ^w, ^w;",
    "cvt.rn.f16x2.f32 ^W, ^w, ^w;",
    "st.global.u32 [%rd11+^m], ^w;",
    "st.global.u8 [%rd11+^m], ^w;",
    "st.global.u16 [%rd11+2], ^h;",
    "st.global.u64 [%rd11+^m], ^d;",
    "st.global.v2.u32 [%rd11+^m], {^w, ^w};",
    "ld.global.u32 ^W, [%rd11+^m];",
    "ld.global.u8 ^W, [%rd11+^m];",
    "ld.global.s8 ^W, [%rd11+1];",
    "ld.global.s16 ^W, [%rd11+2];",
    "ld.global.u64 ^D, [%rd11+^m];",
    "shfl.sync.bfly.b32 ^W, ^w, 3, 31, -1;",
    "shfl.sync.up.b32 ^W, ^w, 5, 0, -1;",
    "add.cc.u32 ^W, ^w, ^w;",
    "popc.b32 ^W, ^w;",
};

static void put_instruction(struct text *body, struct random_state *random) {
    const char *form = forms[pick(random, sizeof forms / sizeof *forms)];
    const bool shuffles = strncmp(form, "shfl", 4) == 0;
    if (!shuffles && pick(random, 4) == 0) text_string(body, pick(random, 2) != 0 ? "@%p1 " : "@!%p1 ");
    for (; *form != '\0'; form++) {
        if (*form != '^') {
            text_printf(body, "%c", *form);
            continue;
        }
        form++;
        const bool to = *form < 'a';
        put_operand(body, random, to ? (char)(*form - 'A' + 'a') : *form, to);
    }
    text_string(body, "\n");
}

static void known_bits_do_not_depend_on_the_others(void **state) {
    (void)state;
    size_t known = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct random_state random = random_seeded(seed);
        struct text body = {0};
        const uint32_t count = 4 + pick(&random, 24);
        for (uint32_t i = 0; i < count; i++)
            put_instruction(&body, &random);
        known += check_body(body.data);
        text_free(&body);
    }
    print_message("known: %zu of %zu bits\n", known, (size_t)SEEDS * RESULTS * LANES);
    assert_true(known > (size_t)SEEDS * RESULTS * LANES / 3);
    assert_true(known < (size_t)SEEDS * RESULTS * LANES * 2 / 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_instructions),
        cmocka_unit_test(known_bits_do_not_depend_on_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
