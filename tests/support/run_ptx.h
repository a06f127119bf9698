/* Helpers of the interpreter's tests: run PTX text and look at what it stores. */
#ifndef WB_TESTS_RUN_PTX_H
#define WB_TESTS_RUN_PTX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "grid_execute.h"
#include "launch_text.h"
#include "warp/path/path.h"

#define LANES 32

/* What a run left behind. */
struct outcome {
    wb_status status;
    uint64_t values[1024]; /* element i of the output buffer */
    bool known[1024];
    char *messages;
};

static inline void outcome_free(struct outcome *outcome) {
    free(outcome->messages);
}

/* What the PTX ISA leaves open is known in these runs. Runs kernel `k` of a module on one block (or `grid`
 * blocks) with the given arguments, NULL-terminated; the last of them is a buffer of u64, which is read into
 * the outcome. */
static inline struct outcome run_module_in(const char *ptx, const char *grid, const char *block,
                                           const char *const *arguments) {
    struct outcome outcome = {0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_launch *launch = wb_launch_new();
    const wb_kernel *kernel = NULL;
    uint8_t *bytes = NULL, *known = NULL;
    size_t size = 0, count = 0;
    wb_status status = wb_module_parse("test.ptx", ptx, strlen(ptx), diagnostics, &module);
    if (status == WB_OK) status = wb_module_find_kernel(module, "k", diagnostics, &kernel);
    if (status == WB_OK) status = launch_grid_text(launch, grid, diagnostics);
    if (status == WB_OK) status = launch_block_text(launch, block, diagnostics);
    if (status == WB_OK) status = wb_launch_assume(launch, WB_TAKE_APPROX | WB_TAKE_DIV_ZERO, diagnostics);
    for (; status == WB_OK && arguments[count] != NULL; count++)
        status = wb_launch_add_argument(launch, arguments[count], diagnostics);
    if (status == WB_OK) status = grid_execute(kernel, launch, count - 1, diagnostics, &bytes, &known, &size);
    for (size_t i = 0; status == WB_OK && i < size / 8 && i < 1024; i++) {
        memcpy(&outcome.values[i], bytes + 8 * i, 8);
        outcome.known[i] = known[i] == 0xff;
    }
    outcome.status = status;
    outcome.messages = strdup(wb_diagnostics_text(diagnostics));
    free(bytes);
    free(known);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    return outcome;
}

/* One block of `threads` threads with one output buffer of 1024 zeros. */
static inline struct outcome run_module(const char *ptx, const char *threads) {
    const char *const arguments[] = {"buf:u64[1024]=zero", NULL};
    return run_module_in(ptx, "1", threads, arguments);
}

#define PTX_HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

/* Registers that every test body may use. %r0 is the lane, %rd0 the address of the lane's result, %rd31 the
 * output buffer. */
#define BODY_REGISTERS                                                                                       \
    ".reg .pred %p<16>;\n.reg .b16 %rs<32>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n"                        \
    ".reg .f32 %f<32>;\n.reg .f64 %fd<32>;\n"                                                                \
    "ld.param.u64 %rd31, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd0, %r0, 8;\n"                         \
    "add.s64 %rd0, %rd0, %rd31;\n"

/* A module with kernel `k` around a body (and declarations before it). The caller frees it. */
static inline char *module_of(const char *declarations, const char *body) {
    struct text text = {0};
    text_string(&text, PTX_HEADER);
    text_string(&text, declarations);
    text_string(&text, ".visible .entry k(.param .u64 out)\n{\n" BODY_REGISTERS);
    text_string(&text, body);
    text_string(&text, "\nret;\n}\n");
    return text_take(&text);
}

/* Runs a body by `threads` threads; it has to end well. */
static inline struct outcome run_body(const char *declarations, const char *body, const char *threads) {
    char *ptx = module_of(declarations, body);
    struct outcome outcome = run_module(ptx, threads);
    if (outcome.status != WB_OK) print_error("%s\nstatus %d\n%s\n", body, outcome.status, outcome.messages);
    free(ptx);
    assert_int_equal(outcome.status, WB_OK);
    return outcome;
}

/* Runs a body that has to fail with the status, its messages containing `message`. */
static inline void assert_fails(const char *declarations, const char *body, const char *threads,
                                wb_status status, const char *message) {
    char *ptx = module_of(declarations, body);
    struct outcome outcome = run_module(ptx, threads);
    if (outcome.status != status || strstr(outcome.messages, message) == NULL) {
        print_error("%s\nstatus %d, expected %d and '%s':\n%s\n", body, outcome.status, status, message,
                    outcome.messages);
        fail();
    }
    outcome_free(&outcome);
    free(ptx);
}

/* One instruction on given operands. The operands are in %r1.., %rs1.., %f1.., %rd1.., %fd1.. at once (the
 * low bits of the 64); `result` says which register 9 has the result: r s f d (64 bits) g (f64) p. */
struct instruction_row {
    const char *text;
    char result;
    uint64_t a, b, c;
    uint64_t expected;
};

/* Moves the 64 bits in %rd<i> to the other registers <i>. */
static inline void spread_operand(struct text *body, unsigned i) {
    text_printf(body, "mov.b64 {%%r%u, %%r20}, %%rd%u;\n", i, i);
    text_printf(body, "mov.b32 {%%rs%u, %%rs20}, %%r%u;\n", i, i);
    text_printf(body, "mov.b32 %%f%u, %%r%u;\nmov.b64 %%fd%u, %%rd%u;\n", i, i, i, i);
    text_printf(body, "setp.ne.u64 %%p%u, %%rd%u, 0;\n", i, i);
}

/* Stores the register 9 of a kind. */
static inline void store_result(struct text *body, char kind) {
    switch (kind) {
    case 'r': text_string(body, "mov.b64 %rd9, {%r9, 0};\n"); break;
    case 's': text_string(body, "mov.b64 %rd9, {%rs9, 0, 0, 0};\n"); break;
    case 'f': text_string(body, "mov.b32 %r9, %f9;\nmov.b64 %rd9, {%r9, 0};\n"); break;
    case 'g': text_string(body, "mov.b64 %rd9, %fd9;\n"); break;
    case 'p': text_string(body, "selp.b64 %rd9, 1, 0, %p9;\n"); break;
    default: break;
    }
    text_string(body, "st.global.u64 [%rd0], %rd9;\n");
}

static inline void body_of_row(struct text *body, const struct instruction_row *row) {
    const uint64_t operands[3] = {row->a, row->b, row->c};
    for (unsigned i = 0; i < 3; i++) {
        text_printf(body, "mov.b64 %%rd%u, 0x%llx;\n", i + 1, (unsigned long long)operands[i]);
        spread_operand(body, i + 1);
    }
    text_printf(body, "%s\n", row->text);
    store_result(body, row->result);
}

/* Runs every row by 32 lanes and compares the result of each lane. */
static inline void check_rows(const struct instruction_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct text body = {0};
        body_of_row(&body, &rows[i]);
        char *text = text_take(&body);
        struct outcome outcome = run_body("", text, "32");
        for (unsigned l = 0; l < LANES; l++) {
            if (outcome.known[l] && outcome.values[l] == rows[i].expected) continue;
            print_error("row %zu: %s on %llx, %llx, %llx: lane %u %s %llx, expected %llx\n", i, rows[i].text,
                        (unsigned long long)rows[i].a, (unsigned long long)rows[i].b,
                        (unsigned long long)rows[i].c, l, outcome.known[l] ? "got" : "unknown",
                        (unsigned long long)outcome.values[l], (unsigned long long)rows[i].expected);
            fail();
        }
        outcome_free(&outcome);
        free(text);
    }
}

#endif
