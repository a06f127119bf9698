/* Memory, atomics, exchange between lanes, unknown values: what kernels store, and what is refused. */
#include "run_ptx.h"

/* Expects element `l` of the output to be a known `expected` in the 32 lanes. */
#define FOR_EACH_LANE(outcome, l, expected)                                                                  \
    for (uint64_t l = 0; l < LANES; l++) {                                                                   \
        if (!(outcome).known[l] || (outcome).values[l] != (uint64_t)(expected)) {                            \
            print_error("lane %u: %s %llx, expected %llx\n", (unsigned)l,                                    \
                        (outcome).known[l] ? "got" : "unknown", (unsigned long long)(outcome).values[l],     \
                        (unsigned long long)(expected));                                                     \
            fail();                                                                                          \
        }                                                                                                    \
    }                                                                                                        \
    outcome_free(&(outcome))

#define SHARED ".shared .align 8 .b8 buffer[1024];\n"
#define CELL "mul.lo.u32 %r1, %r0, 8; mov.u32 %r2, buffer; add.u32 %r1, %r1, %r2;\n"
#define STORE "st.global.u64 [%rd0], %rd9;\n"

static void loads_extend_by_their_type(void **state) {
    (void)state;
    struct outcome outcome = run_body(".const .align 8 .b8 data[8] = {255, 128, 3, 4, 5, 6, 7, 136};\n",
                                      "ld.const.s8 %rd1, [data]; ld.const.u8 %rd2, [data+1];\n"
                                      "ld.const.s8 %r3, [data+1]; cvt.u64.u32 %rd3, %r3;\n"
                                      "ld.const.u16 %rs4, [data+6]; cvt.u64.u16 %rd4, %rs4;\n"
                                      "ld.const.v2.u8 {%rs5, %rs6}, [data+2]; cvt.u64.u16 %rd6, %rs6;\n"
                                      "add.u64 %rd9, %rd1, %rd2; add.u64 %rd9, %rd9, %rd3;\n"
                                      "add.u64 %rd9, %rd9, %rd4; add.u64 %rd9, %rd9, %rd6;\n" STORE,
                                      "32");
    FOR_EACH_LANE(outcome, l, UINT64_MAX + 128 + 0xffffff80 + 0x8807 + 4);
}

static void shared_memory_is_shared(void **state) {
    (void)state;
    struct outcome outcome =
        run_body(SHARED,
                 CELL "mul.wide.u32 %rd1, %r0, 3; st.shared.u64 [%r1], %rd1; bar.sync 0;\n"
                      "xor.b32 %r3, %r0, 32; mul.lo.u32 %r3, %r3, 8; add.u32 %r3, %r3, %r2;\n"
                      "ld.shared.u64 %rd9, [%r3];\n" STORE,
                 "64");
    FOR_EACH_LANE(outcome, l, (l ^ 32) * 3);
}

static void generic_addresses_reach_every_space(void **state) {
    (void)state;
    struct outcome outcome = run_body(
        SHARED ".global .u64 word = 40;\n",
        ".local .align 8 .b8 stack[64];\n" CELL "cvta.local.u64 %rd1, stack; mov.u64 %rd2, buffer; "
        "cvta.shared.u64 %rd3, %rd2; cvta.global.u64 %rd4, word;\n"
        "cvt.u64.u32 %rd5, %r0; st.u64 [%rd1+8], %rd5; ld.local.u64 %rd6, [stack+8];\n"
        "st.shared.u64 [buffer+16], %rd5; ld.u64 %rd7, [%rd3+16]; ld.u64 %rd8, [%rd4];\n"
        "isspacep.shared %p1, %rd3; isspacep.local %p2, %rd1; isspacep.global %p3, %rd4; isspacep.local %p4, "
        "%rd3;\n"
        "and.pred %p1, %p1, %p2; and.pred %p1, %p1, %p3; not.pred %p4, %p4; and.pred %p1, %p1, %p4;\n"
        "selp.b64 %rd10, 1000, 0, %p1; cvta.to.shared.u64 %rd11, %rd3; sub.u64 %rd11, %rd11, %rd2;\n"
        "add.u64 %rd9, %rd6, %rd7; add.u64 %rd9, %rd9, %rd8; add.u64 %rd9, %rd9, %rd10; add.u64 %rd9, %rd9, "
        "%rd11;\n" STORE,
        "32");
    FOR_EACH_LANE(outcome, l, l + 31 + 40 + 1000); /* of all that store to one place the last lane wins */
}

static void initialisers_hold_addresses(void **state) {
    (void)state;
    struct outcome outcome = run_body(
        ".global .u32 words[4] = {1, 2, 3, 4};\n.global .u64 table[2] = {words, generic(words)+8};\n",
        "ld.global.u64 %rd1, [table+8]; ld.u32 %r1, [%rd1]; ld.global.u64 %rd2, [table];\n"
        "ld.global.u32 %r2, [%rd2+4]; mad.lo.u32 %r3, %r1, 10, %r2; cvt.u64.u32 %rd9, %r3;\n" STORE,
        "32");
    FOR_EACH_LANE(outcome, l, 32);
}

static void atomics_take_effect_in_the_order_of_lanes(void **state) {
    (void)state;
    static const struct {
        const char *atom;
        uint64_t start, first, end; /* what lane 0 gets, what memory holds afterwards */
    } rows[] = {
        {"atom.shared.add.u32 %r9, [buffer], %r0;", 5, 5, 5 + 496},
        {"atom.shared.min.s32 %r9, [buffer], %r0;", 7, 7, 0},
        {"atom.shared.max.u32 %r9, [buffer], %r0;", 7, 7, 31},
        {"atom.shared.exch.b32 %r9, [buffer], %r0;", 7, 7, 31},
        {"atom.shared.cas.b32 %r9, [buffer], %r0, 77;", 0, 0, 77},
        {"atom.shared.inc.u32 %r9, [buffer], 9;", 0, 0, 2},
        {"atom.shared.dec.u32 %r9, [buffer], 9;", 0, 0, 8},
        {"atom.shared.or.b32 %r9, [buffer], %r0;", 32, 32, 63},
        {"atom.shared.and.b32 %r9, [buffer], %r0;", 63, 63, 0},
        {"atom.shared.xor.b32 %r9, [buffer], %r0;", 1, 1, 1},
        {"cvt.rn.f32.u32 %f1, %r0; atom.shared.add.f32 %f9, [buffer], %f1; mov.b32 %r9, %f9;", 0, 0,
         0x43f80000},
        {"red.shared.add.u32 [buffer], 2; mov.u32 %r9, 0;", 1, 0, 65},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text body = {0};
        text_printf(&body, "mov.u32 %%r5, %u; st.shared.u32 [buffer], %%r5;\n%s\n", (unsigned)rows[i].start,
                    rows[i].atom);
        text_string(&body, "ld.shared.u32 %r8, [buffer]; mov.b64 %rd9, {%r9, %r8};\n" STORE);
        char *text = text_take(&body);
        struct outcome outcome = run_body(SHARED, text, "32");
        if (outcome.values[0] != (rows[i].first | rows[i].end << 32)) print_error("%s\n", rows[i].atom);
        assert_true(outcome.known[0]);
        assert_int_equal(outcome.values[0], rows[i].first | rows[i].end << 32);
        outcome_free(&outcome);
        free(text);
    }
}

static void asynchronous_copies_arrive(void **state) {
    (void)state;
    struct outcome outcome =
        run_body(".shared .align 16 .b8 buffer[1024];\n.global .align 16 .u32 words[4] = {1, 2, 3, 4};\n",
                 "shl.b32 %r1, %r0, 4; mov.u32 %r2, buffer; add.u32 %r1, %r1, %r2;\n"
                 "mov.u64 %rd1, words; cp.async.cg.shared.global [%r1], [%rd1], 16, 8;\n"
                 "cp.async.commit_group; cp.async.wait_group 0;\n"
                 "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1];\n"
                 "mad.lo.u32 %r3, %r3, 10, %r4; mad.lo.u32 %r3, %r3, 10, %r5; mad.lo.u32 %r3, %r3, 10, %r6;\n"
                 "cvt.u64.u32 %rd9, %r3;\n" STORE,
                 "32");
    FOR_EACH_LANE(outcome, l, 1200);
}

static void matrices_are_loaded_by_rows(void **state) {
    (void)state;
    struct outcome outcome = run_body(
        ".shared .align 16 .b8 buffer[1024];\n",
        "shl.b32 %r1, %r0, 2; mov.u32 %r2, buffer; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %r0;\n"
        "shl.b32 %r3, %r0, 4; and.b32 %r3, %r3, 127; add.u32 %r3, %r3, %r2;\n"
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r3]; cvt.u64.u32 %rd9, %r4;\n" STORE,
        "32");
    FOR_EACH_LANE(outcome, l, l);
}

static struct outcome store_matrix(const char *modifier) {
    struct text body = {0};
    text_string(&body, "shl.b32 %r1, %r0, 2; mov.u32 %r2, buffer; add.u32 %r1, %r1, %r2;\n"
                       "shl.b32 %r3, %r0, 4; and.b32 %r3, %r3, 127; add.u32 %r3, %r3, %r2;\n"
                       "stmatrix.sync.aligned.m8n8.x1");
    text_string(&body, modifier);
    text_string(&body, ".shared.b16 [%r3], {%r0}; ld.shared.u32 %r4, [%r1]; cvt.u64.u32 %rd9, %r4;\n" STORE);
    struct outcome outcome = run_body(".shared .align 16 .b8 buffer[1024];\n", body.data, "32");
    text_free(&body);
    return outcome;
}

/* Lane l has l and 0 in row l / 4, from column 2 (l % 4) on. Transposed its row is the column: word w, in row
 * w / 4, has elements of columns w / 4 of two rows. */
static void matrices_are_stored_by_rows(void **state) {
    (void)state;
    struct outcome outcome = store_matrix("");
    FOR_EACH_LANE(outcome, l, l);
    outcome = store_matrix(".trans");
    FOR_EACH_LANE(outcome, l, l / 4 % 2 != 0 ? 0 : (l % 4 * 8 + l / 8) | (l % 4 * 8 + 4 + l / 8) << 16);
}

/* The lanes of each half of a warp have a member mask of their own. */
#define HALVES "setp.lt.u32 %p2, %r0, 16; selp.b32 %r1, 0xffff, 0xffff0000, %p2;\n"

static void lanes_exchange_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t lane0, lane5, lane31;
    } rows[] = {
        {"shfl.sync.up.b32 %r9|%p9, %r0, 2, 0, -1;", 0, 3 | 100, 29 | 100},
        {"shfl.sync.down.b32 %r9|%p9, %r0, 2, 31, -1;", 2 | 100, 7 | 100, 31},
        {"shfl.sync.bfly.b32 %r9|%p9, %r0, 1, 31, -1;", 1 | 100, 4 | 100, 30 | 100},
        {"shfl.sync.idx.b32 %r9|%p9, %r0, 33, 31, -1;", 1 | 100, 1 | 100, 1 | 100},
        {"shfl.sync.down.b32 %r9|%p9, %r0, 3, 0x181f, -1;", 3 | 100, 5, 31},
        {"shfl.sync.idx.b32 %r9|%p9, %r0, 2, 0x181f, -1;", 2 | 100, 6 | 100, 30 | 100},
        {"setp.gt.u32 %p1, %r0, 29; vote.sync.ballot.b32 %r9, %p1, -1; mov.pred %p9, 0;", 0xc0000000,
         0xc0000000, 0xc0000000},
        {HALVES "setp.gt.u32 %p1, %r0, 29; vote.ballot.sync.b32 %r9, %p1, %r1; mov.pred %p9, 0;", 0, 0,
         0xc0000000},
        {"setp.lt.u32 %p1, %r0, 8; vote.ballot.sync.b32 %r9, %p1, -1; mov.pred %p9, 0;", 0xff, 0xff, 0xff},
        {"setp.gt.u32 %p1, %r0, 29; vote.any.sync.pred %p9, %p1, -1; mov.u32 %r9, 0;", 100, 100, 100},
        {"setp.gt.u32 %p1, %r0, 29; vote.sync.any.pred %p9, %p1, -1; mov.u32 %r9, 0;", 100, 100, 100},
        {HALVES "setp.gt.u32 %p1, %r0, 29; vote.sync.all.pred %p9, !%p1, %r1; mov.u32 %r9, 0;", 100, 100, 0},
        {"setp.gt.u32 %p1, %r0, 29; vote.sync.uni.pred %p9, %p1, -1; mov.u32 %r9, 1;", 1, 1, 1},
        {"and.b32 %r1, %r0, 1; match.any.sync.b32 %r9, %r1, -1; mov.pred %p9, 0;", 0x55555555, 0xaaaaaaaa,
         0xaaaaaaaa},
        {"match.all.sync.b32 %r9|%p9, %r0, -1;", 0, 0, 0},
        {"activemask.b32 %r9; mov.pred %p9, 0;", 0xffffffff, 0xffffffff, 0xffffffff},
        {"redux.sync.add.s32 %r9, %r0, -1; mov.pred %p9, 0;", 496, 496, 496},
        {HALVES "redux.sync.max.u32 %r9, %r0, %r1; mov.pred %p9, 0;", 15, 15, 31},
        {"setp.lt.u32 %p1, %r0, 8; mov.u32 %r9, 9; @%p1 redux.sync.max.u32 %r9, %r0, 0xff;"
         "mov.pred %p9, 0;",
         7, 7, 9},
        {HALVES "and.b32 %r2, %r0, 1; match.any.sync.b32 %r9, %r2, %r1; mov.pred %p9, 0;", 0x5555, 0xaaaa,
         0xaaaa0000},
        {"elect.sync %r9|%p9, -1;", 100, 0, 0},
        {HALVES "elect.sync %r9|%p9, %r1;", 100, 0, 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text body = {0};
        text_string(&body, rows[i].text);
        text_string(&body,
                    "\nselp.b32 %r8, 100, 0, %p9; or.b32 %r9, %r9, %r8; cvt.u64.u32 %rd9, %r9;\n" STORE);
        char *text = text_take(&body);
        struct outcome outcome = run_body("", text, "32");
        if (outcome.values[0] != rows[i].lane0) print_error("%s\n", rows[i].text);
        assert_true(outcome.known[0] && outcome.known[5] && outcome.known[31]);
        assert_int_equal(outcome.values[0], rows[i].lane0);
        assert_int_equal(outcome.values[5], rows[i].lane5);
        assert_int_equal(outcome.values[31], rows[i].lane31);
        outcome_free(&outcome);
        free(text);
    }
}

static void special_registers_say_where_a_thread_is(void **state) {
    (void)state;
    const char *const arguments[] = {"buf:u64[1024]=zero", NULL};
    char *ptx = module_of(
        "",
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %laneid;\n"
        "mov.u32 %r5, %warpid; mov.u32 %r6, %ctaid.y; mov.u32 %r7, %nctaid.x; mov.u32 %r8, %ntid.y;\n"
        "mov.u32 %r9, %lanemask_lt; popc.b32 %r9, %r9;\n"
        "mad.lo.u32 %r10, %r3, 10, %r2; mad.lo.u32 %r10, %r10, 10, %r1; mad.lo.u32 %r10, %r10, 100, %r4;\n"
        "mad.lo.u32 %r10, %r10, 10, %r5; mad.lo.u32 %r10, %r10, 10, %r6; mad.lo.u32 %r10, %r10, 10, %r7;\n"
        "mad.lo.u32 %r10, %r10, 10, %r8; sub.u32 %r9, %r9, %r4; add.u32 %r10, %r10, %r9;\n"
        "shl.b32 %r11, %r3, 2; add.u32 %r11, %r11, %r2; shl.b32 %r11, %r11, 3; add.u32 %r11, %r11, %r1;\n"
        "shl.b32 %r12, %r6, 6; add.u32 %r11, %r11, %r12; mul.wide.u32 %rd1, %r11, 8; add.s64 %rd1, %rd1, "
        "%rd31;\n"
        "cvt.u64.u32 %rd9, %r10; st.global.u64 [%rd1], %rd9;\n");
    struct outcome outcome = run_module_in(ptx, "1,2", "8,4,2", arguments);
    assert_int_equal(outcome.status, WB_OK);
    /* thread (3, 1, 1) of block (0, 1): thread 43 of its block, lane 11 of warp 1 */
    assert_int_equal(outcome.values[64 + 43], 113 * 1000000 + 11 * 10000 + 1114);
    outcome_free(&outcome);
    free(ptx);
}

static void wrong_accesses_are_refused(void **state) {
    (void)state;
    assert_fails("", "ld.global.u64 %rd9, [%rd31+8192];", "32", WB_ERR_INPUT,
                 "lane 0 of warp 0 reads 8 bytes at offset 8192 of argument 1 (buf:u64[1024]=zero), which "
                 "has 8192 bytes");
    assert_fails("", "st.global.u32 [%rd0+8000], %r0;", "32", WB_ERR_INPUT,
                 "lane 24 of warp 0 writes 4 bytes");
    assert_fails("", "ld.global.u32 %r9, [%rd31+2];", "32", WB_ERR_INPUT, "which is not aligned to them");
    assert_fails("", "ld.global.u32 %r9, [4096];", "32", WB_ERR_INPUT, "where nothing is");
    assert_fails(SHARED, "st.shared.u64 [buffer+1024], %rd0;", "32", WB_ERR_INPUT, "of shared memory");
    assert_fails(".const .u32 c = 1;", "mov.u64 %rd1, c; st.u32 [%rd1], %r0;", "32", WB_ERR_INPUT,
                 "which is read-only");
    assert_fails("", "trap;", "32", WB_ERR_INPUT, "lane 0 of warp 0 executes 'trap'");
    assert_fails(SHARED, "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd31, {%r0}], [buffer];",
                 "32", WB_ERR_DECLINED,
                 "the memory that 'cp.async.bulk.tensor.1d.global.shared::cta.bulk_group' writes is unknown");
}

/* What a kernel with a buffer beside the output reads at `address`, an expression with its pointer %rd1. */
static struct outcome read_beside(const char *argument, const char *address) {
    struct text ptx = {0};
    text_printf(&ptx,
                PTX_HEADER
                ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %%rd<9>;\n"
                "ld.param.u64 %%rd1, [in];\nld.param.u64 %%rd2, [out];\nld.global.u64 %%rd3, [%s];\n"
                "st.global.u64 [%%rd2], %%rd3;\nret;\n}\n",
                address);
    const char *const arguments[] = {argument, "buf:u64[1]=zero", NULL};
    struct outcome outcome = run_module_in(ptx.data, "1", "1", arguments);
    text_free(&ptx);
    return outcome;
}

static void arguments_point_into_buffers(void **state) {
    (void)state;
    static const struct {
        const char *argument, *address;
        uint64_t value;
    } cases[] = {
        {"buf:u64[10]+3=iota", "%rd1", 3},    {"buf:u64[10]+3=iota", "%rd1+-24", 0},
        {"buf:u64[10]+3=iota", "%rd1+48", 9}, {"buf:u64[10]+10=iota", "%rd1+-8", 9},
        {"buf:u64[10]+0=iota", "%rd1+8", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome = read_beside(cases[i].argument, cases[i].address);
        if (outcome.status != WB_OK || outcome.values[0] != cases[i].value)
            fail_msg("%s: %llu\n%s", cases[i].address, (unsigned long long)outcome.values[0],
                     outcome.messages);
        outcome_free(&outcome);
    }
}

/* An address in no buffer is told from the buffers on both sides of it, the nearer one first. */
static void nearest_buffers_are_named(void **state) {
    (void)state;
    static const struct {
        const char *address, *message;
    } cases[] = {
        {"%rd1+-8", "reads 8 bytes 8 bytes before argument 1 (buf:u64[512]); buf:TYPE[COUNT]+ELEMENT passes"},
        {"%rd1+4096", "at offset 4096 of argument 1 (buf:u64[512]), which has 4096 bytes, 4096 bytes before "
                      "argument 2 (buf:u64[1]=zero)\n"},
        {"%rd2+-64",
         "reads 8 bytes 64 bytes before argument 2 (buf:u64[1]=zero), at offset 8128 of argument 1 "
         "(buf:u64[512]), which has 4096 bytes; buf:TYPE[COUNT]+ELEMENT passes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome = read_beside("buf:u64[512]", cases[i].address);
        if (outcome.status != WB_ERR_INPUT || strstr(outcome.messages, cases[i].message) == NULL)
            fail_msg("%s: %s", cases[i].address, outcome.messages);
        outcome_free(&outcome);
    }
}

static void unknown_values_do_not_steer(void **state) {
    (void)state;
    assert_fails(
        ".const .u32 c;",
        "ld.const.u32 %r1, [c];\nadd.u32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nL:", "32",
        WB_ERR_DECLINED, "the condition of this branch depends on an unknown value (lane 0 of warp 0)");
    assert_fails(".const .u32 c;",
                 "ld.const.u32 %r1, [c];\nadd.u32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nL:",
                 "32", WB_ERR_DECLINED, "note: the value comes from here\n  ld.const.u32 %r1, [c];");
    assert_fails(".const .u32 c;",
                 "ld.const.u32 %r1, [c];\nmul.wide.u32 %rd1, %r1, 8;\nadd.u64 %rd1, %rd1, "
                 "%rd31;\nst.global.u64 [%rd1], 0;",
                 "32", WB_ERR_DECLINED, "the address depends on an unknown value");
    assert_fails("", "setp.eq.u32 %p1, %r5, 0;\n@%p1 bra L;\nL:", "32", WB_ERR_DECLINED,
                 "it comes from a register that was never written");
    assert_fails("", "mov.u32 %r1, %clock;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 exit;", "32", WB_ERR_DECLINED,
                 "note: the value comes from here\n  mov.u32 %r1, %clock;");
    assert_fails(SHARED, "ld.shared.u32 %r1, [buffer];\nbar.sync %r1;", "32", WB_ERR_DECLINED,
                 "the number of the barrier depends on an unknown value");
}

static void unknown_values_flow_where_they_must_and_no_further(void **state) {
    (void)state;
    static const struct {
        const char *text; /* %r1 and %p1 are unknown, the result is in %r9 */
        bool known;
        uint64_t value;
    } rows[] = {
        {"add.u32 %r9, %r1, 1;", false, 0},
        {"and.b32 %r9, %r1, 0;", true, 0},
        {"mul.lo.u32 %r9, %r1, 0;", true, 0},
        {"mad.lo.u32 %r9, 0, %r1, 7;", true, 7},
        {"mad.lo.u32 %r9, 0, 1, %r1;", false, 0},
        {"or.b32 %r9, %r1, -1;", true, 0xffffffff},
        {"or.b32 %r9, %r1, 1;", false, 0},
        {"selp.b32 %r9, 4, 4, %p1;", true, 4},
        {"selp.b32 %r9, 4, 5, %p1;", false, 0},
        {"setp.eq.u32 %p2, 1, 1; selp.b32 %r9, 4, %r1, %p2;", true, 4},
        {"setp.eq.and.u32 %p2, 0, 1, %p1; selp.b32 %r9, 4, 5, %p2;", true, 5},
        {"mov.pred %p2, -1; or.pred %p2, %p2, %p1; selp.b32 %r9, 4, 5, %p2;", true, 4},
        {"mov.u32 %r9, 3; @%p1 mov.u32 %r9, 3;", false, 0},
        {"mov.u32 %r9, 3; @!%p1 ld.global.u32 %r9, [%rd31];", false, 0},
        {"mov.u32 %r9, 3; setp.lt.u32 %p2, %r0, 32; @!%p2 add.u32 %r9, %r1, 1;", true, 3},
        {"st.shared.u32 [buffer], %r1; ld.shared.u32 %r9, [buffer];", false, 0},
        {"st.shared.u32 [buffer], %r1; st.shared.u32 [buffer], 6; ld.shared.u32 %r9, [buffer];", true, 6},
        {"st.shared.u32 [buffer], 6; @%p1 st.shared.u32 [buffer], 6; ld.shared.u32 %r9, [buffer];", false, 0},
        {"st.shared.u32 [buffer], 6; atom.shared.add.u32 %r8, [buffer], %r1; mov.u32 %r9, 1; @%p1 mov.u32 "
         "%r9, %r8;",
         false, 0},
        {"st.shared.u32 [buffer], 6; atom.shared.exch.b32 %r9, [buffer], %r1;", false, 0},
        {"shfl.sync.idx.b32 %r9, %r1, 0, 31, -1;", false, 0},
        {"st.shared.u32 [buffer], 6; stmatrix.sync.aligned.m8n8.x1.shared.b16 [buffer], {%r0}; ld.shared.u32 "
         "%r9, [buffer+512];",
         false, 0},
        {"st.shared.u32 [buffer], 6; prefetch.global.L2 [%rd31]; membar.gl; nanosleep.u32 5; ld.shared.u32 "
         "%r9, [buffer];",
         true, 6},
        {"vote.sync.any.pred %p2, %p1, -1; selp.b32 %r9, 1, 0, %p2;", false, 0},
        {"st.shared.u64 [buffer], %rd31; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, "
         "{%fd3}, {%fd4}, {%fd5, %fd6}; "
         "mov.b64 {%r9, %r8}, %fd1;",
         false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text body = {0};
        text_string(&body, "ld.const.u32 %r1, [unknown]; setp.eq.u32 %p1, %r1, 0;\n");
        text_string(&body, rows[i].text);
        text_string(&body, "\ncvt.u64.u32 %rd9, %r9;\n" STORE);
        char *text = text_take(&body);
        struct outcome outcome = run_body(SHARED ".const .u32 unknown;\n", text, "32");
        if (outcome.known[1] != rows[i].known) print_error("%s\n", rows[i].text);
        assert_int_equal(outcome.known[1], rows[i].known);
        if (rows[i].known) assert_int_equal(outcome.values[1], rows[i].value);
        outcome_free(&outcome);
        free(text);
    }
}

static void launches_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *params, *directive, *block;
        const char *arguments[4];
        const char *message;
    } rows[] = {
        {".param .u64 a, .param .u32 n", "", "32", {"buf:u64[4]"}, "argument 2 of k is missing: .u32 n"},
        {".param .u64 a", "", "32", {"i32:4"}, "argument 1 of k is 'i32:4', which does not fit .u64 a"},
        {".param .f32 x", "", "32", {"i32:4"}, "argument 1 of k is 'i32:4', which does not fit .f32 x"},
        {".param .align 4 .b8 s[12]", "", "32", {"i32:4"}, "which does not fit .b8 s[12]"},
        {".param .u32 n", "", "32", {"i32:4", "i32:5"}, "k has 1 parameters, not 2"},
        {"",
         ".maxntid 64, 1, 1",
         "128",
         {NULL},
         "k is made for blocks of at most 64 threads (.maxntid), not 128"},
        {"",
         ".reqntid 64, 2, 1",
         "128",
         {NULL},
         "k is made for blocks of 64,2,1 threads (.reqntid), not 128,1,1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0};
        text_printf(&text, PTX_HEADER ".visible .entry k(%s)\n%s\n{\nret;\n}\n", rows[i].params,
                    rows[i].directive);
        char *ptx = text_take(&text);
        struct outcome outcome = run_module_in(ptx, "1", rows[i].block, rows[i].arguments);
        if (strstr(outcome.messages, rows[i].message) == NULL) print_error("%s\n", outcome.messages);
        assert_int_equal(outcome.status, WB_ERR_INPUT);
        assert_non_null(strstr(outcome.messages, rows[i].message));
        outcome_free(&outcome);
        free(ptx);
    }
}

static void parameters_by_value_are_read(void **state) {
    (void)state;
    const char *const arguments[] = {"f32:2.5", "i32:-3", "buf:u64[1024]=zero", NULL};
    char *ptx = module_of("", "");
    free(ptx);
    ptx = strdup(PTX_HEADER
                 ".visible .entry k(.param .f32 x, .param .u32 n, .param .u64 out)\n{\n" BODY_REGISTERS
                 "ld.param.f32 %f1, [x]; cvt.rzi.u64.f32 %rd1, %f1; ld.param.s32 %rd2, [n];\n"
                 "mov.b64 %rd3, n; cvta.param.u64 %rd3, %rd3; ld.u32 %r4, [%rd3]; cvt.s64.s32 %rd4, %r4;\n"
                 "add.u64 %rd9, %rd1, %rd2; add.u64 %rd9, %rd9, %rd4;\n" STORE "ret;\n}\n");
    struct outcome outcome = run_module_in(ptx, "1", "32", arguments);
    if (outcome.status != WB_OK) print_error("%s\n", outcome.messages);
    assert_int_equal(outcome.status, WB_OK);
    free(ptx);
    FOR_EACH_LANE(outcome, l, 2 - 6);
}

/* Two arguments of one buffer: what is stored through one is loaded through the other. */
static void arguments_share_a_buffer(void **state) {
    (void)state;
    static const char ptx[] = PTX_HEADER
        ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %r<3>; .reg .b64 %d<9>;\n"
        "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x;\n"
        "mul.wide.u32 %d3, %r1, 8; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;\n"
        "ld.global.u64 %d6, [%d4]; mul.lo.u64 %d6, %d6, 3; st.global.u64 [%d5], %d6;\n"
        "ld.global.u64 %d7, [%d4+16]; add.u64 %d7, %d7, %d6; st.global.u64 [%d5], %d7;\nret;\n}\n";
    static const char *const arguments[] = {"buf:u64[64]=iota", "buf:1+2", NULL};
    struct outcome outcome = run_module_in(ptx, "1", "32", arguments);
    if (outcome.status != WB_OK) fail_msg("%s", outcome.messages);
    assert_int_equal(outcome.values[1], 1);
    for (uint64_t l = 0; l < LANES; l++)
        assert_int_equal(outcome.values[l + 2], 6 * l);
    outcome_free(&outcome);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_extend_by_their_type),
        cmocka_unit_test(shared_memory_is_shared),
        cmocka_unit_test(generic_addresses_reach_every_space),
        cmocka_unit_test(initialisers_hold_addresses),
        cmocka_unit_test(atomics_take_effect_in_the_order_of_lanes),
        cmocka_unit_test(asynchronous_copies_arrive),
        cmocka_unit_test(matrices_are_loaded_by_rows),
        cmocka_unit_test(matrices_are_stored_by_rows),
        cmocka_unit_test(lanes_exchange_values),
        cmocka_unit_test(special_registers_say_where_a_thread_is),
        cmocka_unit_test(wrong_accesses_are_refused),
        cmocka_unit_test(arguments_share_a_buffer),
        cmocka_unit_test(arguments_point_into_buffers),
        cmocka_unit_test(nearest_buffers_are_named),
        cmocka_unit_test(unknown_values_do_not_steer),
        cmocka_unit_test(unknown_values_flow_where_they_must_and_no_further),
        cmocka_unit_test(launches_that_do_not_fit_are_refused),
        cmocka_unit_test(parameters_by_value_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
