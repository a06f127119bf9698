/* Divergence analysis by hand-made cases: what each instruction gives, and what control flow does to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "divergence_support.h"

/* A kernel or function with a given body, and what the analysis says of it. */
struct body {
    wb_diagnostics *diagnostics;
    wb_module *module;
    struct analysed_function analysed;
};

/* Every body starts with the uniform %n (a parameter), the address %a, which is uniform too, and the
 * divergent %t. */
#define KERNEL_START                                                                                         \
    ".visible .entry f (.param .u64 buffer, .param .u32 count)\n{\n" REGISTERS                               \
    "ld.param.u64 %a, [buffer];\nld.param.u32 %n, [count];\nmov.u32 %t, %tid.x;\n"
#define KERNEL_OF_SHAPE                                                                                      \
    ".visible .entry f (.param .u64 buffer, .param .u32 count)\n.reqntid %s\n{\n.reg .pred %%p<9>;\n"        \
    ".reg .b16 %%h<3>;\n.reg .b32 %%n;\n.reg .b32 %%t;\n.reg .b32 %%r<9>;\n.reg .b64 %%a;\n.reg .b64 "       \
    "%%d<9>;\n"                                                                                              \
    "ld.param.u64 %%a, [buffer];\nld.param.u32 %%n, [count];\nmov.u32 %%t, %%tid.x;\n"
#define REGISTERS                                                                                            \
    ".reg .pred %p<9>;\n.reg .b16 %h<3>;\n.reg .b32 %n;\n.reg .b32 %t;\n.reg .b32 %r<9>;\n"                  \
    ".reg .b64 %a;\n.reg .b64 %d<9>;\n"
#define MODULE_START                                                                                         \
    ".version 8.0\n.target sm_90\n.address_size 64\n.const .b32 table[4];\n.shared .b32 tile[4];\n"          \
    ".func (.reg .b32 %x) callee (.reg .b32 %y) { mov.b32 %x, 1; ret; }\n"                                   \
    ".func (.param .b32 x) parameter_callee () { st.param.b32 [x], 1; ret; }\n"

static void open_module(struct body *body, const char *start, const char *statements) {
    struct text text = {0};
    text_printf(&text, "%s%s%s\n}\n", MODULE_START, start, statements);
    assert_false(text.failed);
    body->diagnostics = wb_diagnostics_new();
    if (wb_module_parse("test.ptx", text.data, text.length, body->diagnostics, &body->module) != WB_OK)
        fail_msg("%s%s", text.data, wb_diagnostics_text(body->diagnostics));
    text_free(&text);
    const struct ptx_function *function = &body->module->functions[body->module->function_count - 1];
    assert_string_equal(function->name, "f");
    analysed_function_open(function, &body->analysed);
    check_reasons(&body->analysed);
}

static void open_body(struct body *body, const char *statements) {
    open_module(body, KERNEL_START, statements);
}

static void close_body(struct body *body) {
    analysed_function_close(&body->analysed);
    wb_module_free(body->module);
    wb_diagnostics_free(body->diagnostics);
}

/* The instruction behind a label: a branch. */
static uint32_t at_label(const struct body *body, const char *label) {
    const struct ptx_function *function = body->analysed.cfg.function;
    for (uint32_t i = 0; i < function->label_count; i++)
        if (strcmp(function->labels[i].name, label) == 0) return function->labels[i].target;
    fail_msg("no label %s", label);
    return 0;
}

/* The words say of the branches behind labels "U1", "D2" ... that they are uniform or divergent. */
static void expect_branches(const char *statements, const char *labels) {
    struct body body;
    char list[128];
    open_body(&body, statements);
    assert_true(strlen(labels) < sizeof list);
    (void)strcpy(list, labels);
    char *rest = NULL;
    for (char *label = strtok_r(list, " ", &rest); label != NULL; label = strtok_r(NULL, " ", &rest)) {
        bool divergent = may_part(&body.analysed, at_label(&body, label));
        if (divergent != (label[0] == 'D'))
            fail_msg("%s\n%s is %s", statements, label, divergent ? "divergent" : "uniform");
    }
    close_body(&body);
}

/* Statements that compute %p1 or, where they end in another register, one from which %p1 is made. */
struct rule_row {
    const char *statements;
    const char *result; /* "%p1", or a register of 32 or 64 bits */
    bool divergent;
};

static void check_row(const char *start, const struct rule_row *row) {
    struct text text = {0};
    struct body body;
    text_printf(&text, "%s\n", row->statements);
    if (strcmp(row->result, "%p1") != 0)
        text_printf(&text, "setp.eq.b%s %%p1, %s, 7;\n", row->result[1] == 'd' ? "64" : "32", row->result);
    text_string(&text, "BRANCH: @%p1 bra END;\nst.global.u32 [%a], %n;\nEND: ret;");
    open_module(&body, start, text.data);
    if (may_part(&body.analysed, at_label(&body, "BRANCH")) != row->divergent)
        fail_msg("%s: %s", row->statements, row->divergent ? "said to be uniform" : "said to be divergent");
    text_free(&text);
    close_body(&body);
}

static void test_special_registers(void **state) {
    (void)state;
    static const struct rule_row rows[] = {
        {"mov.u32 %r1, %tid.x;", "%r1", true},
        {"mov.u32 %r1, %tid.y;", "%r1", true},
        {"mov.u32 %r1, %tid.z;", "%r1", true},
        {"mov.u32 %r1, %ntid.x;", "%r1", false},
        {"mov.u32 %r1, %ctaid.x;", "%r1", false},
        {"mov.u32 %r1, %nctaid.y;", "%r1", false},
        {"mov.u32 %r1, %laneid;", "%r1", true},
        {"mov.u32 %r1, %warpid;", "%r1", false},
        {"mov.u32 %r1, %smid;", "%r1", false},
        {"mov.u32 %r1, %lanemask_lt;", "%r1", true},
        {"mov.u32 %r1, %clock;", "%r1", true},
        {"mov.u64 %d1, %clock64;", "%d1", true},
        {"mov.u64 %d1, %globaltimer;", "%d1", true},
        {"mov.u64 %d1, %gridid;", "%d1", false},
        {"cvt.u64.u32 %d1, %tid.x;", "%d1", true},
        {"add.u32 %r1, %ctaid.x, 1;", "%r1", false},
        {"mov.u32 %r1, %pm0;", "%r1", true},
        {"mov.u32 %r1, %cluster_ctarank;", "%r1", false},
        {"mov.b32 {%h1, %h2}, %t; cvt.u32.u16 %r1, %h2;", "%r1", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(KERNEL_START, &rows[i]);
}

/* What of %tid.x is the same in a warp, in blocks in which its threads stand side by side. */
static void test_rows_of_threads(void **state) {
    (void)state;
    static const struct rule_row rows[] = {
        {"mov.u32 %r1, %tid.y;", "%r1", false},
        {"mov.u32 %r1, %tid.z;", "%r1", false},
        {"mov.u32 %r1, %laneid;", "%r1", true},
        {"shr.u32 %r1, %t, 5;", "%r1", false},
        {"shr.u32 %r1, %t, 9;", "%r1", false},
        {"shr.s32 %r1, %t, 5;", "%r1", false},
        {"shr.b32 %r1, %t, 40;", "%r1", false},
        {"shr.u32 %r1, %t, 4;", "%r1", true},
        {"shr.u32 %r1, %t, %n;", "%r1", true},
        {"shr.u32 %r1, %t, 0x100000020;", "%r1", false},
        {"shr.u32 %r1, %t, 0x100000002;", "%r1", true},
        {"shr.u32 %r1, %t, 3; shr.u32 %r2, %r1, 2;", "%r2", false},
        {"shl.b32 %r1, %t, 2; shr.u32 %r2, %r1, 7;", "%r2", false},
        {"shl.b32 %r1, %t, 2; shr.u32 %r2, %r1, 6;", "%r2", true},
        {"shl.b32 %r1, %t, 27; shr.s32 %r2, %r1, 31;", "%r2", true},
        {"and.b32 %r1, %t, -32;", "%r1", false},
        {"and.b32 %r1, 96, %t;", "%r1", false},
        {"and.b32 %r1, %t, 31;", "%r1", true},
        {"and.b32 %r1, %t, 48;", "%r1", true},
        {"and.b32 %r1, %t, 7; shr.u32 %r2, %r1, 3;", "%r2", false},
        {"or.b32 %r1, %t, 1; shr.u32 %r2, %r1, 5;", "%r2", false},
        {"not.b32 %r1, %t; shr.u32 %r2, %r1, 5;", "%r2", false},
        {"add.u32 %r1, %t, 1; shr.u32 %r2, %r1, 5;", "%r2", true},
        {"shr.u32 %r1, %t, 5; add.u32 %r2, %r1, %n;", "%r2", false},
        {"div.u32 %r1, %t, 32;", "%r1", false},
        {"div.u32 %r1, %t, 96;", "%r1", false},
        {"div.u32 %r1, %t, 48;", "%r1", true},
        {"div.u32 %r1, 96, %t;", "%r1", true},
        {"not.b32 %r1, %t; div.s32 %r2, %r1, 32;", "%r2", true},
        {"rem.u32 %r1, %t, 32;", "%r1", true},
        {"cvt.u64.u32 %d1, %t; shr.u64 %d2, %d1, 5;", "%d2", false},
        {"cvt.u64.u32 %d1, %tid.x; and.b64 %d2, %d1, -32;", "%d2", false},
        {"shl.b32 %r1, %t, 4; cvt.s8.s32 %r2, %r1; shr.u32 %r3, %r2, 9;", "%r3", true},
        {"setp.lt.u32 %p1, %t, 32;", "%p1", false},
        {"setp.gt.u32 %p1, %t, 31;", "%p1", false},
        {"setp.ge.s32 %p1, %t, 64;", "%p1", false},
        {"setp.le.s32 %p1, %t, 63;", "%p1", false},
        {"setp.lt.u32 %p1, %t, 33;", "%p1", true},
        {"setp.gt.u32 %p1, %t, 32;", "%p1", true},
        {"setp.eq.u32 %p1, %t, 32;", "%p1", true},
        {"setp.lt.u32 %p1, %t, %n;", "%p1", true},

        {"setp.eq.u32 %p2, %t, 1; mov.u32 %r1, 3; @%p2 shr.u32 %r1, %t, 5;", "%r1", true},
    };
    static const char *const in_rows[] = {"256", "96, 1, 1", "32, 8", "64, 2, 2"};
    static const char *const others[] = {"16, 16", "48, 2", "1, 64"};
    char start[1024];
    for (size_t s = 0; s < sizeof in_rows / sizeof *in_rows; s++) {
        (void)snprintf(start, sizeof start, KERNEL_OF_SHAPE, in_rows[s]);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            check_row(start, &rows[i]);
    }
    for (size_t s = 0; s < sizeof others / sizeof *others; s++) {
        const struct rule_row row = {"shr.u32 %r1, %t, 5;", "%r1", true};
        (void)snprintf(start, sizeof start, KERNEL_OF_SHAPE, others[s]);
        check_row(start, &row);
    }
    check_row(KERNEL_START, &(struct rule_row){"shr.u32 %r1, %t, 5;", "%r1", true});
}

static void test_arithmetic(void **state) {
    (void)state;
    static const struct rule_row rows[] = {
        {"add.u32 %r1, %n, 3;", "%r1", false},
        {"add.u32 %r1, %n, %t;", "%r1", true},
        {"mov.u32 %r1, 3;", "%r1", false},
        {"mov.u64 %d1, tile;", "%d1", false},
        {"setp.lt.u32 %p1, %t, 31;", "%p1", true},
        {"setp.lt.u32 %p1|%p2, %n, 31;", "%p1", false},
        {"selp.b32 %r1, 1, 2, %p1;", "%r1", true}, /* %p1 is not written */
        {"setp.lt.u32 %p2, %n, 31; selp.b32 %r1, 1, 2, %p2;", "%r1", false},
        {"setp.lt.u32 %p2, %t, 31; selp.b32 %r1, 1, 2, %p2;", "%r1", true},
        {"add.cc.u32 %r2, %n, %t; addc.u32 %r1, %n, 0;", "%r1", true}, /* by the carry flag */
        {"add.cc.u32 %r2, %n, %n; addc.u32 %r1, %n, 0;", "%r1", false},
        {"vadd.s32.u32.u32 %r1, %n, 1;", "%r1", false},
        {"vadd.s32.u32.u32 %r1, %t, 1;", "%r1", true},
        /* Another value of the same register. */
        {"mov.u32 %r1, %t; mov.u32 %r1, %n;", "%r1", false},
        {"mov.u32 %r1, %n; mov.u32 %r1, %t;", "%r1", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(KERNEL_START, &rows[i]);
}

static void test_guards(void **state) {
    (void)state;
    static const struct rule_row rows[] = {
        {"setp.lt.u32 %p2, %n, 3; mov.u32 %r1, 1; @%p2 mov.u32 %r1, 2;", "%r1", false},
        {"setp.lt.u32 %p2, %t, 3; mov.u32 %r1, 1; @%p2 mov.u32 %r1, 2;", "%r1", true},
        {"setp.lt.u32 %p2, %t, 3; mov.u32 %r1, 1; @!%p2 mov.u32 %r1, 2;", "%r1", true},
        {"setp.lt.u32 %p2, %n, 3; mov.u32 %r1, %t; @%p2 mov.u32 %r1, 2;", "%r1", true},
        {"setp.lt.u32 %p2, %n, 3; @%p2 mov.u32 %r1, 2;", "%r1", true}, /* the old value is anything */
        {"mov.u32 %r1, %r2;", "%r1", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(KERNEL_START, &rows[i]);
}

static void test_loads(void **state) {
    (void)state;
    static const struct rule_row rows[] = {
        {"ld.global.u32 %r1, [%a];", "%r1", false},
        {"ld.volatile.global.u32 %r1, [%a];", "%r1", false},
        {"ld.global.nc.v2.u32 {%r1, %r2}, [%a];", "%r2", false},
        {"cvt.u64.u32 %d1, %t; ld.global.u32 %r1, [%d1];", "%r1", true},
        {"ld.shared.u32 %r1, [tile];", "%r1", false},
        {"ld.shared.u32 %r1, [%t];", "%r1", true},
        {"ld.const.u32 %r1, [table+4];", "%r1", false},
        {"ld.const.u32 %r1, [%t];", "%r1", true},
        {"ld.param.u32 %r1, [count];", "%r1", false},
        {"mov.b64 %d1, count; ld.param.u32 %r1, [%d1];", "%r1", false},
        {".local .b32 own[2]; ld.local.u32 %r1, [own];", "%r1", true},
        {"ld.u32 %r1, [%a];", "%r1", false}, /* generic, and no generic address of local memory exists */
        {".local .b32 own[2]; mov.u64 %d1, own; cvta.local.u64 %d2, %d1; ld.u32 %r1, [%d2];", "%r1", true},
        {"cvta.to.global.u64 %d1, %a; ld.global.u32 %r1, [%d1];", "%r1", false},
        {"{ .param .b32 x; call.uni (x), parameter_callee, (); ld.param.b32 %r1, [x]; }", "%r1", true},
        {"atom.global.add.u32 %r1, [%a], 1;", "%r1", true},
        {"atom.global.exch.b32 %r1, [%a], 1;", "%r1", true},
        {"call (%r1), callee, (%n);", "%r1", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(KERNEL_START, &rows[i]);
}

static void test_exchanges(void **state) {
    (void)state;
    static const struct rule_row rows[] = {
        {"setp.eq.u32 %p2, %t, 3; vote.sync.any.pred %p1, %p2, -1;", "%p1", false},
        {"setp.eq.u32 %p2, %t, 3; vote.sync.all.pred %p1, !%p2, %n;", "%p1", false},
        {"setp.eq.u32 %p2, %t, 3; vote.sync.uni.pred %p1, %p2, -1;", "%p1", false},
        {"setp.eq.u32 %p2, %t, 3; vote.sync.ballot.b32 %r1, %p2, -1;", "%r1", false},
        {"setp.eq.u32 %p2, %t, 3; vote.sync.ballot.b32 %r1, %p2, %t;", "%r1", true}, /* groups of their own */
        {"setp.eq.u32 %p2, %t, 3; vote.all.pred %p1, %p2;", "%p1", false},
        {"setp.eq.u32 %p2, %t, 3; mov.u32 %r1, 0; @%p2 vote.sync.ballot.b32 %r1, %p2, -1;", "%r1", true},
        {"redux.sync.add.u32 %r1, %t, -1;", "%r1", false},
        {"redux.sync.add.u32 %r1, %n, %t;", "%r1", true},
        {"match.any.sync.b32 %r1, %t, -1;", "%r1", true},
        {"match.any.sync.b32 %r1, %n, -1;", "%r1", false},
        {"match.all.sync.b32 %r1|%p1, %t, -1;", "%r1", false},
        {"match.all.sync.b32 %r1|%p1, %t, -1;", "%p1", false},
        {"activemask.b32 %r1;", "%r1", false},
        {"elect.sync %r1|%p1, -1;", "%r1", false},
        {"elect.sync %r1|%p1, -1;", "%p1", true},
        {"setp.eq.u32 %p2, %t, 3; bar.red.and.pred %p1, 0, %p2;", "%p1", false},
        {"setp.eq.u32 %p2, %t, 3; bar.red.popc.u32 %r1, 0, %p2;", "%r1", false},
        {"setp.eq.u32 %p2, %t, 3; bar.red.popc.u32 %r1, %t, 64, %p2;", "%r1", true},
        {"shfl.sync.bfly.b32 %r1, %n, 1, 31, -1;", "%r1", true},
        {"shfl.sync.idx.b32 %r1, %t, 0, 31, -1;", "%r1", false}, /* lane 0's value for all */
        {"shfl.sync.idx.b32 %r1|%p1, %t, %n, 31, -1;", "%p1", false},
        {"shfl.sync.idx.b32 %r1, %n, %t, 31, -1;", "%r1", true},
        {"shfl.sync.idx.b32 %r1, %t, 0, 0x101f, -1;", "%r1", true}, /* of each half of the warp */
        {"shfl.sync.idx.b32 %r1, %t, 3, 1, -1;", "%r1", true},      /* out of range: its own value */
        {"shfl.sync.idx.b32 %r1, %t, 0, %n, -1;", "%r1", true},
        {"shfl.sync.idx.b32 %r1, %t, 0, 31, %t;", "%r1", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(KERNEL_START, &rows[i]);
}

/* Arguments of a function, and memory that its caller may have made private, differ. */
static void test_called_functions(void **state) {
    (void)state;
    static const char start[] =
        ".func f (.reg .b32 %y, .param .b32 z)\n{\n" REGISTERS "mov.u64 %a, 64;\nmov.u32 %n, 7;\n";
    static const struct rule_row rows[] = {
        {"mov.b32 %r1, %y;", "%r1", true},     {"ld.param.b32 %r1, [z];", "%r1", true},
        {"ld.u32 %r1, [%a];", "%r1", true},    {"ld.global.u32 %r1, [%a];", "%r1", false},
        {"add.u32 %r1, %n, 1;", "%r1", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(start, &rows[i]);
}

#define UNIFORM_P "setp.lt.u32 %p1, %n, 9;\n"
#define DIVERGENT_P "setp.lt.u32 %p2, %t, 9;\n"

/* Which of two constants arrives decides; not that a divergent branch was on the way. */
static void test_joins(void **state) {
    (void)state;
    expect_branches(UNIFORM_P "mov.u32 %r1, 1; U1: @%p1 bra J; mov.u32 %r1, 2; J:\n"
                              "setp.eq.u32 %p3, %r1, 1; U2: @%p3 bra END; st.global.u32 [%a], 1; END: ret;",
                    "U1 U2");
    expect_branches(DIVERGENT_P "mov.u32 %r1, 1; D1: @%p2 bra J; mov.u32 %r1, 2; J:\n"
                                "setp.eq.u32 %p3, %r1, 1; D2: @%p3 bra END; st.global.u32 [%a], 1; END: ret;",
                    "D1 D2");
    expect_branches(DIVERGENT_P "mov.u32 %r1, 1; D1: @%p2 bra J; mov.u32 %r2, 2; J:\n"
                                "setp.eq.u32 %p3, %r1, 1; U2: @%p3 bra END; st.global.u32 [%a], 1; END: ret;",
                    "D1 U2");
    /* Of three ways that meet, the divergent branch leads to two, which bring the same. */
    expect_branches(UNIFORM_P DIVERGENT_P
                    "mov.u32 %r1, 1; U1: @%p1 bra SET; D1: @%p2 bra J; st.global.u32 [%a], 1; bra J;\n"
                    "SET: mov.u32 %r1, 2; J: setp.eq.u32 %p3, %r1, 1; U2: @%p3 bra END;\n"
                    "st.global.u32 [%a], 1; END: ret;",
                    "U1 D1 U2");
    /* brx.idx by a divergent index. */
    expect_branches("and.b32 %r2, %t, 1; mov.u32 %r1, 1; T: .branchtargets J, K; D1: brx.idx %r2, T;\n"
                    "K: mov.u32 %r1, 2; J: setp.eq.u32 %p3, %r1, 1; D2: @%p3 bra END;\n"
                    "st.global.u32 [%a], 1; END: ret;",
                    "D1 D2");
}

/* Threads that come to a block apart from each other execute it twice: what it joins is uniform each time,
 * and differs only behind the block where they meet. */
static void test_join_before_threads_meet(void **state) {
    (void)state;
    expect_branches(UNIFORM_P DIVERGENT_P
                    "mov.u32 %r1, 1; D1: @%p2 bra SECOND; mov.u32 %r1, 2; U1: @%p1 bra MEET;\n"
                    "SECOND: setp.eq.u32 %p3, %r1, 1; U2: @%p3 bra MEET; st.global.u32 [%a], 1;\n"
                    "MEET: setp.eq.u32 %p4, %r1, 1; D2: @%p4 bra END; st.global.u32 [%a], 1; END: ret;",
                    "D1 U1 U2 D2");
}

/* A counter that is uniform inside of a loop and not behind it, because threads leave in different rounds. */
static void test_value_of_a_loop_that_threads_leave_apart(void **state) {
    (void)state;
    expect_branches("mov.u32 %r1, 0;\n"
                    "L: add.u32 %r1, %r1, 1; setp.gt.u32 %p1, %r1, 50; U1: @%p1 bra OUT;\n"
                    "setp.lt.u32 %p2, %r1, %t; D1: @%p2 bra L;\n"
                    "OUT: setp.eq.u32 %p3, %r1, 3; D2: @%p3 bra END; st.global.u32 [%a], 1; END: ret;",
                    "U1 D1 D2");
    expect_branches("mov.u32 %r1, 0;\n"
                    "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, %n; U1: @%p2 bra L;\n"
                    "setp.eq.u32 %p3, %r1, 3; U2: @%p3 bra END; st.global.u32 [%a], 1; END: ret;",
                    "U1 U2");
    /* The predicate itself is the loop's. */
    expect_branches("mov.u32 %r1, 0;\n"
                    "L: add.u32 %r1, %r1, 1; setp.eq.u32 %p3, %r1, 3; setp.lt.u32 %p2, %r1, %t;\n"
                    "D1: @%p2 bra L; D2: @%p3 bra END; st.global.u32 [%a], 1; END: ret;",
                    "D1 D2");
}

/* The branch that leaves the loop is uniform; but a divergent one decides who comes to it in which round. */
static void test_uniform_exit_that_threads_reach_apart(void **state) {
    (void)state;
    expect_branches("mov.u32 %r1, 0;\n"
                    "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, %t; D1: @%p2 bra NEXT;\n"
                    "setp.gt.u32 %p1, %n, 5; U1: @%p1 bra OUT;\n"
                    "NEXT: setp.lt.u32 %p4, %r1, 99; U2: @%p4 bra L;\n"
                    "OUT: setp.eq.u32 %p3, %r1, 3; D2: @%p3 bra END; st.global.u32 [%a], 1; END: ret;",
                    "D1 U1 U2 D2");
}

/* `continue`: threads meet behind it in different rounds of one loop, though no value has two back edges.
 * What each round loads is uniform there, and differs where they meet. */
static void test_threads_that_meet_within_a_loop(void **state) {
    (void)state;
    expect_branches("L: ld.volatile.global.u32 %r1, [%a]; setp.gt.u32 %p1, %r1, 50; U1: @%p1 bra NEXT;\n"
                    "setp.lt.u32 %p2, %r1, %t; D1: @%p2 bra NEXT;\n"
                    "setp.eq.u32 %p3, %r1, 3; D2: @%p3 bra END;\n"
                    "NEXT: bra L;\nEND: ret;",
                    "U1 D1 D2");
    /* What they bring to the next round differs from there on. */
    expect_branches("mov.u32 %r1, 0;\n"
                    "L: add.u32 %r1, %r1, 1; setp.gt.u32 %p1, %r1, 50; D3: @%p1 bra NEXT;\n"
                    "setp.lt.u32 %p2, %r1, %t; D1: @%p2 bra NEXT;\n"
                    "setp.eq.u32 %p3, %r1, 3; D2: @%p3 bra END;\n"
                    "NEXT: bra L;\nEND: ret;",
                    "D1 D2 D3");
}

/* Some threads go round the inner loop, others round the outer one; all meet at the inner loop's header,
 * which stands between the outer one's and the branch. */
static void test_threads_that_meet_at_an_inner_header(void **state) {
    (void)state;
    expect_branches(DIVERGENT_P "OUTER: ld.volatile.global.u32 %r1, [%a];\n"
                                "INNER: setp.eq.u32 %p3, %r1, 3; D2: @%p3 bra END;\n"
                                "D1: @%p2 bra INNER; bra OUTER;\nEND: ret;",
                    "D1 D2");
}

/* A cycle that is no natural loop. */
static void test_irreducible_cycle(void **state) {
    (void)state;
    expect_branches(UNIFORM_P "mov.u32 %r1, 0; U1: @%p1 bra SECOND;\n"
                              "FIRST: add.u32 %r1, %r1, 1;\n"
                              "SECOND: add.u32 %r1, %r1, 2; setp.lt.u32 %p2, %r1, %t; D1: @%p2 bra FIRST;\n"
                              "setp.eq.u32 %p3, %r1, 3; D2: @%p3 bra END; st.global.u32 [%a], 1; END: ret;",
                    "U1 D1 D2");
}

/* Threads that leave the function do not meet again; the others go on as before. */
static void test_exits(void **state) {
    (void)state;
    expect_branches(DIVERGENT_P "D1: @%p2 ret; mov.u32 %r1, 1; setp.eq.u32 %p3, %r1, 1; U1: @%p3 bra END;\n"
                                "st.global.u32 [%a], 1; END: ret;",
                    "D1 U1");
    expect_branches(DIVERGENT_P "mov.u32 %r1, 1; D1: @%p2 bra OTHER; mov.u32 %r1, 2;\n"
                                "setp.eq.u32 %p3, %r1, 1; U1: @%p3 bra END; st.global.u32 [%a], 1; ret;\n"
                                "OTHER: setp.eq.u32 %p4, %r1, 1; U2: @%p4 bra END;\n"
                                "st.global.u32 [%a], 2; END: exit;",
                    "D1 U1 U2");
}

/* The shortest of several ways from a source is the reason that is given. */
static void test_reasons_are_short(void **state) {
    (void)state;
    struct body body;
    open_body(&body, "add.u32 %r1, %t, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;\n"
                     "mov.u32 %r4, %laneid; add.u32 %r5, %r3, %r4; setp.eq.u32 %p1, %r5, 1;\n"
                     "BRANCH: @%p1 bra END; st.global.u32 [%a], 1; END: ret;");
    const struct divergence *divergence = &body.analysed.divergence;
    uint32_t block = body.analysed.cfg.block_of[at_label(&body, "BRANCH")];
    uint32_t steps = 0;
    for (uint32_t v = divergence->decisions[block].from; v != SSA_NONE; v = divergence->values[v].from)
        steps++;
    assert_int_equal(steps, 3); /* %p1, %r5, %r4 */
    close_body(&body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_special_registers),
        cmocka_unit_test(test_rows_of_threads),
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_exchanges),
        cmocka_unit_test(test_called_functions),
        cmocka_unit_test(test_joins),
        cmocka_unit_test(test_join_before_threads_meet),
        cmocka_unit_test(test_value_of_a_loop_that_threads_leave_apart),
        cmocka_unit_test(test_uniform_exit_that_threads_reach_apart),
        cmocka_unit_test(test_threads_that_meet_within_a_loop),
        cmocka_unit_test(test_threads_that_meet_at_an_inner_header),
        cmocka_unit_test(test_irreducible_cycle),
        cmocka_unit_test(test_exits),
        cmocka_unit_test(test_reasons_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
