/* Covering paths of small kernels: which instructions they have, which values stay known behind them, and
 * what is asked for where they need a flow fact. */
#include "run_ptx.h"

#include "launch/launch.h"
#include "launch_text.h"

/* Every test's body may use these registers and buffers. %r0 is the lane; %r1 is loaded from `in`, which is
 * unknown, at the lane's own element; %rd31 is the address of `out`. `mov.u32 %r30, C` marks a place with the
 * character C. */
#define PROLOGUE                                                                                             \
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"                                                \
    ".reg .pred %p<16>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.shared .align 4 .b8 tile[512];\n"           \
    "ld.param.u64 %rd30, [in];\nld.param.u64 %rd31, [out];\nmov.u32 %r0, %tid.x;\n"                          \
    "mul.wide.u32 %rd0, %r0, 4;\nadd.s64 %rd1, %rd0, %rd30;\nadd.s64 %rd2, %rd0, %rd31;\n"                   \
    "ld.global.u32 %r1, [%rd1];\nsetp.ne.u32 %p1, %r1, 0;\n"

#define A "mov.u32 %r30, 65;\n"
#define B "mov.u32 %r30, 66;\n"
#define C "mov.u32 %r30, 67;\n"
#define D "mov.u32 %r30, 68;\n"
#define E "mov.u32 %r30, 69;\n"

/* A kernel that was run to cover all executions. */
struct covered {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    wb_facts *facts;
    wb_block *block; /* NULL: it failed */
    wb_status status;
};

/* Runs a body on `threads` threads; `facts` are statements without the line of the kernel, or NULL. */
static struct covered cover(const char *declarations, const char *body, const char *facts,
                            const char *threads) {
    struct covered covered = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    const wb_kernel *kernel = NULL;
    struct text ptx = {0}, statements = {0};
    text_printf(&ptx, "%s%s%s%s\nret;\n}\n", PTX_HEADER, declarations, PROLOGUE, body);
    char *text = text_take(&ptx);
    wb_diagnostics *d = covered.diagnostics;
    wb_status status = wb_module_parse("test.ptx", text, strlen(text), d, &covered.module);
    if (status == WB_OK) status = wb_module_find_kernel(covered.module, "k", d, &kernel);
    if (status == WB_OK) status = wb_launch_set_grid(covered.launch, (const uint32_t[3]){1, 1, 1}, d);
    if (status == WB_OK) status = launch_block_text(covered.launch, threads, d);
    if (status == WB_OK) status = wb_launch_add_argument(covered.launch, "buf:u32[64]", d);
    if (status == WB_OK) status = wb_launch_add_argument(covered.launch, "buf:u32[64]=zero", d);
    if (status == WB_OK && facts != NULL) {
        uint64_t checksum = 0;
        assert_int_equal(facts_checksum(kernel, &checksum), WB_OK);
        text_printf(&statements, "kernel k %016llx\n%s", (unsigned long long)checksum, facts);
        char *file = text_take(&statements);
        status = wb_facts_parse("test.facts", file, strlen(file), kernel, d, &covered.facts);
        free(file);
    }
    wb_trace_options options = {
        .size = sizeof options, .cover = true, .record_accesses = true, .facts = covered.facts};
    if (status == WB_OK) status = wb_block_trace(kernel, covered.launch, &options, d, &covered.block);
    if (status != WB_OK && status != WB_ERR_DECLINED && status != WB_ERR_INPUT)
        print_error("%s\n%s\n", text, wb_diagnostics_text(d));
    free(text);
    covered.status = status;
    return covered;
}

static void covered_free(struct covered *covered) {
    wb_block_free(covered->block);
    wb_facts_free(covered->facts);
    wb_launch_free(covered->launch);
    wb_module_free(covered->module);
    wb_diagnostics_free(covered->diagnostics);
}

/* The character that an instruction marks, or 0. */
static char mark_of(const struct wb_block *block, uint32_t index) {
    const struct ptx_function *function;
    const struct ptx_inst *inst = block_inst(block, index, &function);
    const struct ptx_operand *operands = ptx_operands(function, inst);
    if (inst->form->op != PTX_OP_MOV || operands[1].kind != PTX_OPERAND_INT) return 0;
    struct text name = {0};
    ptx_put_reg(function, operands[0].index, &name);
    bool marks = strcmp(name.data, "%r30") == 0;
    text_free(&name);
    return marks ? (char)operands[1].value : 0;
}

/* The marks along the path of a warp. */
static char *marks_of(const struct covered *covered, uint32_t warp) {
    struct text marks = {0};
    struct path_cursor cursor = path_begin(&covered->block->paths.items[covered->block->warp_path[warp]]);
    struct path_step step;
    text_string(&marks, "");
    while (path_next(&cursor, &step)) {
        char mark = mark_of(covered->block, step.instruction);
        if (mark != 0) text_char(&marks, mark);
    }
    return text_take(&marks);
}

/* A body whose covering path of warp 0 has exactly these marks. */
static void expect_marks_of(const char *threads, const char *body, const char *facts, const char *expected) {
    struct covered covered = cover("", body, facts, threads);
    if (covered.status != WB_OK) fail_msg("%s\n%s", body, wb_diagnostics_text(covered.diagnostics));
    char *marks = marks_of(&covered, 0);
    if (strcmp(marks, expected) != 0) fail_msg("%s\nhas the path %s, expected %s", body, marks, expected);
    free(marks);
    covered_free(&covered);
}

/* The same of a block of one warp. */
static void expect_marks(const char *body, const char *facts, const char *expected) {
    expect_marks_of("32", body, facts, expected);
}

static void expect_failure(const char *declarations, const char *body, const char *facts, const char *threads,
                           wb_status status, const char *message) {
    struct covered covered = cover(declarations, body, facts, threads);
    const char *messages = wb_diagnostics_text(covered.diagnostics);
    if (covered.status != status || strstr(messages, message) == NULL)
        fail_msg("%s\nstatus %d, expected %d and '%s':\n%s", body, covered.status, status, message, messages);
    covered_free(&covered);
}

static void both_sides_of_an_unknown_branch_are_run(void **state) {
    (void)state;
    expect_marks("@%p1 bra L;\n" A "bra.uni M;\nL: " B "M: " C, NULL, "BAC");
    expect_marks("@%p1 bra M;\n" A "M: " C, NULL, "AC");
    expect_marks("@!%p1 bra M;\n" A "M: " C, NULL, "AC");
    /* known for some lanes: the others take both sides with them */
    expect_marks("setp.lt.u32 %p2, %r0, 7; @%p2 mov.u32 %r1, 0; setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n" A
                 "bra.uni M;\nL: " B "M: " C,
                 NULL, "BAC");
    expect_marks("@%p1 bra L;\n@%p1 bra K;\n" A "K: " B "bra.uni M;\nL: " C "@%p1 bra M;\n" D "M: " E, NULL,
                 "CDABE");
    expect_marks("t: .branchtargets X, Y, Z;\nbrx.idx %r1, t;\nX: " A "bra.uni M;\nY: " B "bra.uni M;\nZ: " C
                 "M: " D,
                 NULL, "ABCD");
}

static void values_that_differ_become_unknown(void **state) {
    (void)state;
    /* %r2 is 5 on both sides, %r3 is not: the branch on %r2 is decided, that on %r3 runs both sides */
    const char *join =
        "@%p1 bra L;\nmov.u32 %r2, 5; mov.u32 %r3, 1;\nbra.uni M;\n"
        "L: mov.u32 %r2, 5; mov.u32 %r3, 2;\nM: setp.eq.u32 %p2, %r2, 5; setp.eq.u32 %p3, %r3, 1;\n";
    char decided[1000], open[1000];
    (void)snprintf(decided, sizeof decided, "%s%s", join, "@%p2 bra N;\n" A "N: " B);
    (void)snprintf(open, sizeof open, "%s%s", join, "@%p3 bra N;\n" A "N: " B);
    expect_marks(decided, NULL, "B");
    expect_marks(open, NULL, "AB");
    /* predicates are joined lane by lane, too */
    expect_marks("setp.eq.u32 %p2, %r0, %r0; setp.ne.u32 %p3, %r0, %r0;\n@%p1 bra M;\n"
                 "setp.ne.u32 %p3, %r0, 99;\nM: @%p2 bra N;\n" A "N: @%p3 bra O;\n" B "O: " C,
                 NULL, "BC");
}

static void each_side_starts_with_the_values_before_the_branch(void **state) {
    (void)state;
    /* the first side changes %r2, which the second side must not see */
    expect_marks("mov.u32 %r2, 1;\n@%p1 bra L;\nsetp.eq.u32 %p2, %r2, 1; @%p2 bra M;\n" A
                 "bra.uni M;\nL: mov.u32 %r2, 2;\n" B "M: " C,
                 NULL, "BC");
}

static void stores_of_unsure_lanes_make_memory_unknown(void **state) {
    (void)state;
    /* out[lane] is 0; one side writes 1: then what is loaded is either */
    expect_marks("@%p1 bra M;\nmov.u32 %r2, 1; st.global.u32 [%rd2], %r2;\nM: ld.global.u32 %r3, [%rd2];\n"
                 "setp.eq.u32 %p2, %r3, 0; @%p2 bra N;\n" A "N: " B,
                 NULL, "AB");
    /* but neighbouring bytes stay known */
    expect_marks("@%p1 bra M;\nmov.u32 %r2, 1; st.global.u32 [%rd2], %r2;\n"
                 "M: ld.global.u32 %r3, [%rd2+128];\nsetp.eq.u32 %p2, %r3, 0; @%p2 bra N;\n" A "N: " B,
                 NULL, "B");
}

static void a_store_to_an_unknown_address_may_write_anything(void **state) {
    (void)state;
    const char *body = "and.b32 %r2, %r1, 60; cvt.u64.u32 %rd3, %r2; add.s64 %rd3, %rd3, %rd31;\n"
                       "st.global.u32 [%rd3], %r0;\nld.global.u32 %r3, [%rd2+128];\n"
                       "setp.eq.u32 %p2, %r3, 0; @%p2 bra N;\n" A "N: " B;
    expect_marks(body, NULL, "AB");
    struct covered covered = cover("", body, NULL, "32");
    const struct access_list *list = &covered.block->accesses[0];
    uint32_t unknown = 0;
    for (size_t i = 0; i < list->items.count; i++)
        unknown += list->items.items[i].table == ACCESS_UNKNOWN && list->items.items[i].is_store;
    assert_int_equal(unknown, 1);
    covered_free(&covered);
}

/* Shared memory is another space: it stays as it was. */
static void an_unknown_address_stays_in_its_state_space(void **state) {
    (void)state;
    expect_marks("mov.u32 %r5, tile; shl.b32 %r6, %r0, 2; add.u32 %r5, %r5, %r6; st.shared.u32 [%r5], %r0;\n"
                 "and.b32 %r2, %r1, 60; cvt.u64.u32 %rd3, %r2; add.s64 %rd3, %rd3, %rd31;\n"
                 "st.global.u32 [%rd3], %r0;\nld.shared.u32 %r3, [%r5];\n"
                 "setp.eq.u32 %p2, %r3, %r0; @%p2 bra N;\n" A "N: " B,
                 NULL, "B");
}

/* %p2 holds in warp 1, which stores after warp 0 has read, though nothing says so; %r3 is 0 for B alone. */
#define TWO_WARPS                                                                                            \
    "setp.gt.u32 %p2, %r0, 31;\n@!%p2 st.shared.u32 [tile+64], 0;\n"                                         \
    "@!%p2 st.relaxed.cta.shared.u32 [tile], 0;\nbar.sync 0;\n"
#define TELL_ZERO "setp.eq.u32 %p3, %r3, 0; @%p3 bra N;\n" A "N: " B

static void expect_marks_of_two_warps(const char *body, const char *expected) {
    char whole[1000];
    (void)snprintf(whole, sizeof whole, "%s%s%s", TWO_WARPS, body, TELL_ZERO);
    expect_marks_of("64", whole, NULL, expected);
}

static void what_other_warps_store_without_a_race_is_unknown(void **state) {
    (void)state;
    expect_marks_of_two_warps(
        "@%p2 st.relaxed.cta.shared.u32 [tile], 1;\nld.relaxed.cta.shared.u32 %r3, [tile];\n", "AB");
    expect_marks_of_two_warps("@%p2 st.volatile.shared.u32 [tile], 1;\nld.volatile.shared.u32 %r3, [tile];\n",
                              "AB");
    expect_marks_of_two_warps(
        "@%p2 st.release.cta.shared.u32 [tile], 1;\nld.acquire.cta.shared.u32 %r3, [tile];\n", "AB");
    expect_marks_of_two_warps("@%p2 st.mmio.relaxed.sys.global.u32 [%rd31], 1;\n"
                              "ld.mmio.relaxed.sys.global.u32 %r3, [%rd31];\n",
                              "AB");
    /* with a plain store and load it would be a race */
    expect_marks_of_two_warps("@%p2 st.shared.u32 [tile+64], 1;\nld.shared.u32 %r3, [tile+64];\n", "B");
    /* behind the barrier it is not known either which of the stores was the last */
    expect_marks_of_two_warps("@%p2 st.relaxed.cta.shared.u32 [tile], 1;\n@!%p2 st.relaxed.cta.shared.u32 "
                              "[tile], 0;\nbar.sync 0;\nld.shared.u32 %r3, [tile];\n",
                              "AB");
    /* a warp alone in its block shares shared memory with nobody */
    expect_marks("st.volatile.shared.u32 [tile], 7;\nld.volatile.shared.u32 %r3, [tile];\n"
                 "setp.eq.u32 %p3, %r3, 7; @%p3 bra N;\n" A "N: " B,
                 NULL, "B");
}

static void plain_values_behind_a_flag_are_unknown(void **state) {
    (void)state;
    expect_marks_of_two_warps("@%p2 st.shared.u32 [tile+64], 1;\n@%p2 st.release.cta.shared.u32 [tile], 1;\n"
                              "ld.acquire.cta.shared.u32 %r4, [tile];\nld.shared.u32 %r3, [tile+64];\n",
                              "AB");
    expect_marks_of_two_warps("@%p2 st.shared.u32 [tile+64], 1;\nmembar.cta;\n"
                              "@%p2 st.volatile.shared.u32 [tile], 1;\nld.volatile.shared.u32 %r4, [tile];\n"
                              "membar.cta;\nld.shared.u32 %r3, [tile+64];\n",
                              "AB");
    expect_marks_of_two_warps("@%p2 st.shared.u32 [tile+64], 1;\nfence.acq_rel.cta;\n"
                              "atom.shared.exch.b32 %r4, [tile], 1;\nfence.acq_rel.cta;\n"
                              "ld.shared.u32 %r3, [tile+64];\n",
                              "AB");
    /* without anything that orders accesses it would be a race */
    expect_marks_of_two_warps("@%p2 st.shared.u32 [tile+64], 1;\n@%p2 st.relaxed.cta.shared.u32 [tile], 1;\n"
                              "ld.relaxed.cta.shared.u32 %r4, [tile];\nld.shared.u32 %r3, [tile+64];\n",
                              "B");
}

/* The marks of a branch on %r2 != 0 behind some instructions. */
static void expect_choice(const char *instructions, const char *expected) {
    char body[1000];
    (void)snprintf(body, sizeof body, ".reg .f32 %%f<9>; .reg .f64 %%fd<9>;\n%s%s%s", instructions,
                   "setp.ne.u32 %p2, %r2, 0; @%p2 bra N;\n" A, "N: " B);
    expect_marks(body, NULL, expected);
}

static void results_that_are_left_open_are_unknown(void **state) {
    (void)state;
    static const char *const open[] = {
        "rcp.approx.f32 %f1, 0f40400000;",
        "sqrt.approx.ftz.f32 %f1, 0f40400000;",
        "rsqrt.approx.f32 %f1, 0f40800000;",
        "sin.approx.f32 %f1, 0f3F800000;",
        "ex2.approx.f32 %f1, 0f3F800000;",
        "lg2.approx.f32 %f1, 0f40000000;",
        "tanh.approx.f32 %f1, 0f3F800000;",
        "div.full.f32 %f1, 0f3F800000, 0f40000000;",
        "div.approx.f32 %f1, 0f3F800000, 0f40000000;",
        "rcp.approx.ftz.f64 %fd1, 0d4000000000000000; cvt.rn.f32.f64 %f1, %fd1;",
        "rsqrt.approx.f64 %fd1, 0d4010000000000000; cvt.rn.f32.f64 %f1, %fd1;",
    };
    char body[500];
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        (void)snprintf(body, sizeof body, "%s mov.b32 %%r2, %%f1;\n", open[i]);
        expect_choice(body, "AB");
    }
    /* what the ISA does say, and rounded functions */
    expect_choice("rcp.approx.f32 %f1, 0f80000000; mov.b32 %r2, %f1;\n", "B");
    expect_choice("lg2.approx.ftz.f32 %f1, 0f00000001; mov.b32 %r2, %f1;\n", "B");
    expect_choice("rcp.rn.f32 %f1, 0f40400000; mov.b32 %r2, %f1;\n", "B");
    expect_choice("div.rn.f32 %f1, 0f3F800000, 0f40400000; mov.b32 %r2, %f1;\n", "B");
    /* lane 0 alone divides by zero */
    expect_choice("add.u32 %r3, %r0, 1; div.u32 %r2, 99, %r3;\n", "B");
    expect_choice("div.u32 %r2, 99, %r0;\n", "AB");
    expect_choice("rem.s32 %r2, -99, %r0; or.b32 %r2, %r2, 0;\n", "AB");
}

#define IF(comparison) comparison " selp.b32 %r2, 1, 0, %p3;\n"
#define NUMBER "add.s64 %rd3, %rd3, 1; cvt.u32.u64 %r2, %rd3;\n" /* not 0 by accident */
/* Where a lane keeps an address: its own 8 bytes. */
#define TELL "mul.wide.u32 %rd4, %r0, 8; mov.u64 %rd6, tile; add.s64 %rd4, %rd4, %rd6;\n"

static void where_buffers_stand_is_unknown(void **state) {
    (void)state;
    static const char *const open[] = {
        IF("setp.lt.u64 %p3, %rd30, %rd31;"),
        IF("setp.ge.s64 %p3, %rd31, %rd30;"),
        IF("setp.gt.u64 %p3, %rd31, 4096;"),
        "set.lo.u32.u64 %r2, %rd30, %rd31;\n",
        "sub.s64 %rd3, %rd31, %rd30; " NUMBER,
        "add.s64 %rd3, %rd31, %rd30; " NUMBER,
        "not.b64 %rd3, %rd30; add.s64 %rd3, %rd3, %rd31; " NUMBER,
        "shr.u64 %rd3, %rd31, 4; " NUMBER,
        "and.b64 %rd3, %rd31, 4095; " NUMBER,
        "and.b64 %rd3, %rd31, -4096; sub.s64 %rd3, %rd31, %rd3; " NUMBER,
        "xor.b64 %rd3, %rd31, %rd30; " NUMBER,
        "mul.lo.s64 %rd3, %rd31, 3; " NUMBER,
        "rem.u64 %rd3, %rd31, 4096; " NUMBER,
        "min.u64 %rd3, %rd31, %rd30; sub.s64 %rd3, %rd31, %rd3; " NUMBER,
        "cvt.u32.u64 %r2, %rd31; add.u32 %r2, %r2, 1;\n",
        "mov.b64 {%r2, %r3}, %rd31; add.u32 %r2, %r2, %r3;\n",
        /* by way of memory, of another lane and of either side of a branch */
        TELL "st.shared.u64 [%rd4], %rd30; ld.shared.u64 %rd5, [%rd4];\n" IF("setp.lt.u64 %p3, %rd5, %rd31;"),
        TELL "st.shared.u32 [%rd4], %rd30; ld.shared.u32 %r2, [%rd4];\n",
        TELL "not.b64 %rd5, %rd30; st.shared.u64 [%rd4], %rd5; ld.shared.u64 %rd3, [%rd4];\n"
             "add.s64 %rd3, %rd3, %rd31; " NUMBER,
        "setp.lt.u32 %p4, %r0, 16; selp.b64 %rd5, %rd30, %rd31, %p4;\n" IF("setp.lt.u64 %p3, %rd5, %rd30;"),
        "mov.u64 %rd5, %rd30;\n@%p1 bra K;\nmov.u64 %rd5, %rd31;\nK: " IF("setp.lt.u64 %p3, %rd5, %rd30;"),
        "mov.u64 %rd5, %rd30;\nsetp.lt.u32 %p4, %r0, 16;\n@%p4 mov.u64 %rd5, %rd31;\n" IF(
            "setp.lt.u64 %p3, %rd5, %rd30;"),
    };
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        expect_choice(open[i], "AB");
}

static void what_does_not_depend_on_where_buffers_stand_is_known(void **state) {
    (void)state;
    static const char *const known[] = {
        IF("setp.ne.u64 %p3, %rd30, %rd31;"),
        IF("setp.ne.u64 %p3, %rd30, 0;"),
        IF("setp.gt.u64 %p3, %rd30, 0;"),
        "add.s64 %rd5, %rd30, 256;\n" IF("setp.lt.u64 %p3, %rd1, %rd5;"),
        "add.s64 %rd5, %rd30, 256; sub.s64 %rd3, %rd5, %rd1; " NUMBER,
        "not.b64 %rd5, %rd30; add.s64 %rd5, %rd5, 300; add.s64 %rd3, %rd5, %rd30; " NUMBER,
        "mad.wide.u32 %rd5, %r0, 4, %rd30; sub.s64 %rd3, %rd5, %rd30; " NUMBER,
        "and.b64 %rd3, %rd30, 15; " NUMBER,
        "and.b64 %rd5, %rd1, -16; sub.s64 %rd3, %rd5, %rd30; " NUMBER,
        "or.b64 %rd5, %rd30, 4; sub.s64 %rd3, %rd5, %rd30; " NUMBER,
        "add.s64 %rd5, %rd30, 64; min.u64 %rd5, %rd5, %rd30; sub.s64 %rd3, %rd5, %rd30; " NUMBER,
        "cvta.to.global.u64 %rd5, %rd30; sub.s64 %rd3, %rd30, %rd5; " NUMBER,
        TELL "st.shared.u64 [%rd4], %rd1; ld.shared.u64 %rd5, [%rd4]; sub.s64 %rd3, %rd5, %rd30; " NUMBER,
        "setp.lt.u32 %p4, %r0, 16; selp.b64 %rd5, %rd30, 0, %p4; selp.b64 %rd5, %rd5, %rd31, %p4;\n" IF(
            "setp.ne.u64 %p3, %rd5, 0;"),
        "setp.lt.u32 %p4, %r0, 16; selp.b64 %rd5, %rd30, %rd31, %p4; st.global.u32 [%rd5], 7;\n"
        "ld.global.u32 %r2, [%rd5];\n",
        /* addresses of shared memory are numbers */
        TELL "shr.u64 %rd3, %rd4, 2; " NUMBER,
        "mov.u64 %rd3, 4294967296; shr.u64 %rd3, %rd3, 20; " NUMBER,
        /* and so are other values of 64 bits in memory */
        TELL "st.shared.u64 [%rd4], 4294967295; ld.shared.u64 %rd5, [%rd4]; shr.u64 %rd3, %rd5, 20; " NUMBER,
        TELL "st.shared.u64 [%rd4], 4294967296; ld.shared.u64 %rd5, [%rd4]; shr.u64 %rd3, %rd5, 20; " NUMBER,
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        expect_choice(known[i], "B");
}

#define COUNTED "mov.u32 %r2, 0;\nL: " A "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, %r1; @%p2 bra L;\n" B

static void loops_run_to_their_limits(void **state) {
    (void)state;
    expect_marks(COUNTED, "loop L <= 3;", "AAAB");
    expect_marks(COUNTED, "loop L <= 1;", "AB");
    expect_failure("", COUNTED, NULL, "32", WB_ERR_DECLINED, "loop L <= ?;");
    /* a known exit that is never taken bounds nothing */
    expect_failure("",
                   "mov.u32 %r2, 0;\nL: setp.eq.u32 %p3, %r0, 99; @%p3 bra M;\n"
                   "ld.global.u32 %r3, [%rd1]; setp.ne.u32 %p2, %r3, 0; @%p2 bra L;\nM: " B,
                   NULL, "32", WB_ERR_DECLINED, "loop L <= ?;");
    /* a second, known exit ends the loop without a fact; a fact only makes it shorter */
    const char *capped =
        "mov.u32 %r2, 0;\nL: " A "add.u32 %r2, %r2, 1; ld.global.u32 %r1, [%rd1];\n"
        "setp.eq.u32 %p2, %r1, %r2; @%p2 bra M;\nsetp.lt.u32 %p3, %r2, 5; @%p3 bra L;\nM: " B;
    expect_marks(capped, NULL, "AAAAAB");
    expect_marks(capped, "loop L <= 2;", "AAB");
    /* entered again, it is counted anew */
    expect_marks("mov.u32 %r4, 0;\nK: " C "mov.u32 %r2, 0;\nL: " A
                 "add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r1; @%p2 bra L;\n"
                 "add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 2; @%p3 bra K;\n" B,
                 "loop L <= 2;", "CAACAAB");
    /* an exit with code of its own runs that code in every iteration */
    expect_marks("mov.u32 %r2, 0;\nL: " A "add.u32 %r2, %r2, 1; setp.gt.u32 %p2, %r2, %r1; @%p2 bra X;\n"
                 "bra.uni L;\nX: " D B,
                 "loop L <= 2;", "AADB");
}

static void every_loop_without_a_limit_is_named(void **state) {
    (void)state;
    struct covered covered = cover(
        "", COUNTED "K: " C "ld.global.u32 %r3, [%rd1]; setp.ne.u32 %p3, %r3, 0;\n@%p3 bra K;\n", NULL, "32");
    assert_int_equal(covered.status, WB_ERR_DECLINED);
    assert_int_equal(wb_diagnostics_errors(covered.diagnostics), 2);
    assert_non_null(strstr(wb_diagnostics_text(covered.diagnostics), "loop L <= ?;"));
    assert_non_null(strstr(wb_diagnostics_text(covered.diagnostics), "loop K <= ?;"));
    covered_free(&covered);
}

static void facts_exclude_sides(void **state) {
    (void)state;
    expect_marks("@%p1 bra L;\n" A "bra.uni M;\nL: " B "M: " C, "never L;", "AC");
    expect_marks("mov.u32 %r4, 0;\nK: " A
                 "ld.global.u32 %r3, [%rd1]; setp.ne.u32 %p3, %r3, 0;\n@!%p3 bra M;\n"
                 "L: " B "M: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 5; @%p2 bra K;\n" C,
                 "at most 2 of L per K;", "ABABABABABC");
    /* the inner loop's header is passed at most 3 times for each pass of the outer's */
    expect_marks("mov.u32 %r4, 0;\nK: " A "\nL: " B
                 "ld.global.u32 %r3, [%rd1]; setp.ne.u32 %p3, %r3, 0;\n@%p3 bra L;\n"
                 "add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 2; @%p2 bra K;\n" C,
                 "loop L <= 9; at most 3 of L per K;", "ABBBABBBC");
}

static void wrong_facts_are_noticed_where_control_is_known(void **state) {
    (void)state;
    const char *known = "mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 5; @%p2 bra L;\n";
    expect_failure("", known, "loop L <= 4;", "32", WB_ERR_INPUT, "a flow fact says");
    expect_failure("", known, "never L;", "32", WB_ERR_INPUT, "a flow fact says");
    expect_failure("", known, "loop L <= 9; at most 4 of L per L;", "32", WB_ERR_INPUT, "");
}

static void lanes_may_end_early(void **state) {
    (void)state;
    expect_marks("@%p1 exit;\n" A, NULL, "A");
    expect_marks("@%p1 bra L;\n" A "ret;\nL: " B, NULL, "BA");
    /* what they store later is written perhaps */
    expect_marks("@%p1 exit;\nmov.u32 %r2, 1; st.global.u32 [%rd2], %r2;\nld.global.u32 %r3, [%rd2];\n"
                 "setp.eq.u32 %p2, %r3, 1; @%p2 bra N;\n" A "N: " B,
                 NULL, "AB");
    /* warps that have not ended wait for each other */
    expect_marks("@%p1 exit;\n" A "bar.sync 0;\n" B, NULL, "AB");
}

static void barriers_must_be_certain(void **state) {
    (void)state;
    const char *unsure = "@%p1 bra M;\nL: bar.sync 0;\n" A "M: " B;
    expect_failure("", unsure, NULL, "64", WB_ERR_DECLINED, "together L;");
    expect_marks(unsure, "together L;", "AB");
    /* no fact speaks of guards */
    expect_failure("", "@%p1 bar.sync 0;\n", NULL, "64", WB_ERR_DECLINED, "of its guard");
    expect_failure("", "L: @%p1 bar.sync 0;\n", "together L;", "64", WB_ERR_DECLINED, "of its guard");
    /* lanes below 8 are certain to be there, but may have ended, while others may pass by */
    expect_failure("",
                   "setp.lt.u32 %p2, %r0, 8; and.pred %p3, %p1, %p2; @%p3 exit;\n"
                   "ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p4, %r3, 7; or.pred %p4, %p4, %p2;\n"
                   "@!%p4 bra M;\nL: bar.sync 0;\nM: " B,
                   NULL, "64", WB_ERR_DECLINED, "together L;");
    /* one lane of the warp is certain to be there */
    expect_marks("setp.eq.u32 %p2, %r0, 3; or.pred %p1, %p1, %p2; @!%p1 bra M;\nbar.sync 0;\n" A "M: " B,
                 NULL, "AB");
}

static void exchanges_of_unsure_lanes_are_unknown(void **state) {
    (void)state;
    expect_marks("@%p1 bra M;\nactivemask.b32 %r2; setp.eq.u32 %p2, %r2, -1; @%p2 bra M;\n" A "M: " B, NULL,
                 "AB");
    expect_marks("@%p1 bra M;\nM: activemask.b32 %r2; setp.eq.u32 %p2, %r2, -1; @%p2 bra N;\n" A "N: " B,
                 NULL, "B");
}

#define TWICE                                                                                                \
    ".func (.reg .b32 %res) twice(.reg .b32 %arg)\n{\n.reg .pred %q;\n"                                      \
    "setp.eq.u32 %q, %arg, 0;\n@%q bra Z;\nadd.u32 %res, %arg, %arg;\nret;\nZ: mov.u32 %res, 7;\nret;\n}\n"

/* The marks of a body with function `twice`. */
static void expect_marks_with_calls(const char *body, const char *expected) {
    struct covered covered = cover(TWICE, body, NULL, "32");
    if (covered.status != WB_OK) fail_msg("%s\n%s", body, wb_diagnostics_text(covered.diagnostics));
    char *marks = marks_of(&covered, 0);
    assert_string_equal(marks, expected);
    free(marks);
    covered_free(&covered);
}

static void functions_are_covered(void **state) {
    (void)state;
    /* of a known argument the result is known, also on an unsure side */
    expect_marks_with_calls("@%p1 bra M;\nmov.u32 %r2, 4; call (%r3), twice, (%r2);\n"
                            "setp.eq.u32 %p2, %r3, 8; @%p2 bra M;\n" A "M: " B,
                            "B");
    /* of an unknown one it is not: lanes return on either side */
    expect_marks_with_calls("call (%r3), twice, (%r1); setp.eq.u32 %p2, %r3, 8; @%p2 bra M;\n" A "M: " B,
                            "AB");
    /* the caller's lanes are as sure as before */
    expect_marks_with_calls("call (%r3), twice, (%r1); mov.u32 %r2, 1; st.global.u32 [%rd2], %r2;\n"
                            "ld.global.u32 %r4, [%rd2]; setp.eq.u32 %p2, %r4, 1; @%p2 bra M;\n" A "M: " B,
                            "B");
}

static void an_access_that_cannot_be_is_no_execution(void **state) {
    (void)state;
    /* the side would read far behind the buffer: whoever takes it does not exist */
    expect_marks("@%p1 bra M;\nld.global.u32 %r3, [%rd1+1048576];\n" A "M: " B, NULL, "AB");
    expect_failure("", "ld.global.u32 %r3, [%rd1+1048576];\n", NULL, "32", WB_ERR_INPUT, "");
}

/* Instructions on the path of warp 0. */
static uint64_t length_of(const char *body, const char *facts) {
    struct covered covered = cover("", body, facts, "32");
    if (covered.status != WB_OK) fail_msg("%s\n%s", body, wb_diagnostics_text(covered.diagnostics));
    uint64_t length = covered.block->paths.items[0].length;
    covered_free(&covered);
    return length;
}

static void long_loops_are_not_unrolled(void **state) {
    (void)state;
    /* the same number of instructions an iteration, however many there are */
    uint64_t one = length_of(COUNTED, "loop L <= 1;"), two = length_of(COUNTED, "loop L <= 2;");
    assert_int_equal(two - one, 4);
    assert_int_equal(length_of(COUNTED, "loop L <= 1000000000;"), one + UINT64_C(999999999) * 4);
    assert_int_equal(length_of(COUNTED, "loop L <= 4294967295;"), one + UINT64_C(4294967294) * 4);
    /* an inner loop with its own count, and a value that changes only after some iterations */
    const char *nested =
        "mov.u32 %r2, 0; mov.u32 %r7, 0; mov.u32 %r8, 0; mov.u32 %r9, 0;\n"
        "L: mov.u32 %r7, %r8; mov.u32 %r8, %r9; mov.u32 %r9, %r2; mov.u32 %r4, 0;\n"
        "K: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 3; @%p3 bra K;\n"
        "setp.eq.u32 %p4, %r7, 0; @%p4 bra S;\n" A "S: add.u32 %r2, %r2, 1; ld.global.u32 %r1, [%rd1];\n"
        "setp.lt.u32 %p2, %r2, %r1; @%p2 bra L;\n" B;
    uint64_t first = length_of(nested, "loop L <= 1;"), third = length_of(nested, "loop L <= 5;");
    uint64_t more = length_of(nested, "loop L <= 6;") - third;
    assert_int_equal(more, 4 + 9 + 2 + 1 + 4); /* once %r7 is not 0, A is executed */
    uint64_t longest = length_of(nested, "loop L <= 1000000000;");
    assert_true(longest >= third + UINT64_C(999999995) * more);
    assert_true(longest <= first + UINT64_C(999999999) * (more + 1));
}

/* Of a loop whose iterations are not all run the records say which requests an access may make, each once. */
static void records_of_long_loops_are_few(void **state) {
    (void)state;
    const char *body = "mov.u32 %r2, 0;\nL: and.b32 %r3, %r2, 31; mul.wide.u32 %rd3, %r3, 4;\n"
                       "add.s64 %rd4, %rd3, %rd30; ld.global.u32 %r4, [%rd4]; add.u32 %r2, %r2, 1;\n"
                       "setp.lt.u32 %p2, %r2, %r1; @%p2 bra L;\n";
    struct covered covered = cover("", body, "loop L <= 100000;", "32");
    assert_int_equal(covered.status, WB_OK);
    assert_false(covered.block->repeats);
    assert_int_equal(covered.block->accesses[0].items.count, 3 + 100000); /* three before the loop */
    covered_free(&covered);
    covered = cover("", body, "loop L <= 1000000;", "32");
    assert_int_equal(covered.status, WB_OK);
    assert_true(covered.block->repeats);
    const struct access_list *list = &covered.block->accesses[0];
    bool seen[32] = {false}, unknown = false;
    for (size_t r = 0; r < list->items.count; r++) {
        if (list->items.items[r].stride != 0 || list->items.items[r].space != PTX_SPACE_GLOBAL) continue;
        unknown |= list->items.items[r].table == ACCESS_UNKNOWN;
        if (list->items.items[r].table == ACCESS_AFFINE) seen[list->items.items[r].base % 128 / 4] = true;
    }
    for (uint32_t i = 0; i < 32; i++)
        assert_true(seen[i]);
    assert_true(unknown);
    assert_true(list->items.count <= 3 + 32 + 2);
    covered_free(&covered);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_of_an_unknown_branch_are_run),
        cmocka_unit_test(values_that_differ_become_unknown),
        cmocka_unit_test(each_side_starts_with_the_values_before_the_branch),
        cmocka_unit_test(stores_of_unsure_lanes_make_memory_unknown),
        cmocka_unit_test(a_store_to_an_unknown_address_may_write_anything),
        cmocka_unit_test(an_unknown_address_stays_in_its_state_space),
        cmocka_unit_test(what_other_warps_store_without_a_race_is_unknown),
        cmocka_unit_test(plain_values_behind_a_flag_are_unknown),
        cmocka_unit_test(results_that_are_left_open_are_unknown),
        cmocka_unit_test(where_buffers_stand_is_unknown),
        cmocka_unit_test(what_does_not_depend_on_where_buffers_stand_is_known),
        cmocka_unit_test(loops_run_to_their_limits),
        cmocka_unit_test(every_loop_without_a_limit_is_named),
        cmocka_unit_test(facts_exclude_sides),
        cmocka_unit_test(wrong_facts_are_noticed_where_control_is_known),
        cmocka_unit_test(lanes_may_end_early),
        cmocka_unit_test(barriers_must_be_certain),
        cmocka_unit_test(exchanges_of_unsure_lanes_are_unknown),
        cmocka_unit_test(functions_are_covered),
        cmocka_unit_test(an_access_that_cannot_be_is_no_execution),
        cmocka_unit_test(long_loops_are_not_unrolled),
        cmocka_unit_test(records_of_long_loops_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
