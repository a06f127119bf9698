/* What instructions wait for, and what else is taken for granted: every row of the opcode table says what is
 * made of its waiting, and docs/execution.md says the same as the code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "method/assumption.h"
#include "ptx/parser.h"
#include "ptx/ptx.h"
#include "warp/path/execution_notes.h"
#include "warpbound.h"

static const struct {
    const char *name;
    enum ptx_wait wait;
} rows[] = {
#define OPCODE(enumerator, name, roles, modifiers, exec, class_int, class_f16, class_f32, class_f64, wait)   \
    {name, PTX_WAIT_##wait},
#define VARIANT(enumerator, name, roles, modifiers, class, wait) {name, PTX_WAIT_##wait},
#include "ptx/opcode_table.h"
#undef OPCODE
#undef VARIANT
#define X(enumerator, name, class, wait) {"call " name, PTX_WAIT_##wait},
    PTX_RUNTIME_TABLE(X)
#undef X
};

#define ROWS (sizeof rows / sizeof *rows)

/* Names that say that somebody waits. */
static const char *const waiting_words[] = {"wait",  ".sync",  "bar.",      "barrier.",
                                            "fence", "membar", "nanosleep", "brkpt"};

/* What has such a name and does not wait. */
static const char *const exceptions[] = {"mbarrier.init",          "mbarrier.inval",
                                         "mbarrier.expect_tx",     "mbarrier.complete_tx",
                                         "mbarrier.pending_count", "cp.async.mbarrier.arrive"};

/* What is waited for, in the words of the table. */
static const char *const awaited[PTX_WAIT_COUNT] = {
#define X(enumerator, answer, what, text) what,
    PTX_WAIT_TABLE(X)
#undef X
};

static bool is_listed(const char *name, const char *const *list, size_t count, bool whole) {
    for (size_t i = 0; i < count; i++)
        if (whole ? strcmp(name, list[i]) == 0 : strstr(name, list[i]) != NULL) return true;
    return false;
}

static void every_row_has_an_answer(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const char *name = rows[i].name;
        const enum ptx_wait wait = rows[i].wait;
        assert_true(wait < PTX_WAIT_COUNT);
        assert_true((wait == PTX_WAIT_NOTHING) == (ptx_wait_answer(wait) == PTX_WAITS_NOT));
        assert_true((wait == PTX_WAIT_NOTHING) == (strlen(ptx_wait_text(wait)) == 0));
        assert_true(strlen(awaited[wait]) > 0);
        const bool sounds =
            is_listed(name, waiting_words, sizeof waiting_words / sizeof *waiting_words, false);
        const bool excepted = is_listed(name, exceptions, sizeof exceptions / sizeof *exceptions, true);
        if (sounds && !excepted && wait == PTX_WAIT_NOTHING) fail_msg("%s waits for nothing", name);
    }
}

/* An instruction's modifiers can change what it waits for. */
static void modifiers_change_the_answer(void **state) {
    static const struct {
        const char *text;
        enum ptx_wait wait;
    } cases[] = {
        {"griddepcontrol.wait", PTX_WAIT_EARLIER_GRIDS},
        {"griddepcontrol.launch_dependents", PTX_WAIT_NOTHING},
        {"setmaxnreg.inc.sync.aligned.u32", PTX_WAIT_REGISTERS},
        {"setmaxnreg.dec.sync.aligned.u32", PTX_WAIT_NOTHING},
        {"ld.acquire.gpu.global.u32", PTX_WAIT_ORDER},
        {"ld.relaxed.gpu.global.u32", PTX_WAIT_NOTHING},
        {"st.release.sys.global.u32", PTX_WAIT_ORDER},
        {"atom.acq_rel.gpu.global.add.u32", PTX_WAIT_ORDER},
        {"red.async.release.global.mbarrier::complete_tx::bytes.add.u32", PTX_WAIT_ORDER},
        {"bar.warp.sync", PTX_WAIT_LANES},
        {"bar.sync", PTX_WAIT_WARPS},
        {"barrier.cta.arrive.aligned", PTX_WAIT_SOME_WARPS},
        {"barrier.cluster.wait.acquire.aligned", PTX_WAIT_CLUSTER},
        {"shfl.sync.idx.b32", PTX_WAIT_LANES},
        {"shfl.idx.b32", PTX_WAIT_CONVERGENCE},
    };
    (void)state;
    struct arena arena = {0};
    struct form_table table = {.arena = &arena};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ptx_form *form = NULL;
        assert_int_equal(form_get(&table, cases[i].text, strlen(cases[i].text), &form), WB_OK);
        assert_int_not_equal(form->op, PTX_OP_UNKNOWN);
        if (form->wait != cases[i].wait) fail_msg("%s: %u", cases[i].text, form->wait);
    }
    form_table_free(&table);
    arena_free(&arena);
}

/* The names of all rows of PTX with this answer. */
static void put_names(enum ptx_wait wait, struct text *out) {
    const char *separator = "";
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].wait != wait || strncmp(rows[i].name, "machine", 7) == 0) continue;
        text_printf(out, "%s`%s`", separator, rows[i].name);
        separator = ", ";
    }
}

/* The id of the assumption that an instruction does not wait. */
static const char *assumption_id(enum ptx_wait wait) {
    wb_assumption assumed[WB_ASSUMPTION_COUNT];
    const assumed_set set = (assumed_set)1 << (ASSUMED_WAITS + (int)wait);
    assert_int_equal(assumptions_of_execution(set, assumed), 1);
    return wb_assumption_id(assumed[0]);
}

/* The table of docs/execution.md. */
static void put_table(struct text *out) {
    static const char *const answers[] = {[PTX_WAITS_NOT] = "nothing to wait for",
                                          [PTX_TIMED] = "timed",
                                          [PTX_ASSUMED] = "assumed",
                                          [PTX_DECLINED] = "declined"};
    text_string(out, "| instructions | wait for | answer | that is |\n| --- | --- | --- | --- |\n");
    for (int wait = 0; wait < PTX_WAIT_COUNT; wait++) {
        const enum ptx_answer answer = ptx_wait_answer((enum ptx_wait)wait);
        if (answer == PTX_WAITS_NOT) continue;
        text_string(out, "| ");
        put_names((enum ptx_wait)wait, out);
        text_printf(out, " | %s | %s | %s |\n", awaited[wait], answers[answer],
                    answer == PTX_ASSUMED ? assumption_id((enum ptx_wait)wait)
                                          : ptx_wait_text((enum ptx_wait)wait));
    }
    text_string(out,
                "\nAll other instructions wait for nothing but the registers they use and their unit.\n");
}

/* The other one: what executions take for granted. */
static void put_assumptions(struct text *out) {
    text_string(out, "| assumption | printed where |\n| --- | --- |\n");
#define X(enumerator, text, where)                                                                           \
    text_printf(out, "| %s | %s |\n", wb_assumption_id(WB_ASSUME_##enumerator), where);
    ASSUMED_TABLE(X)
#undef X
}

/* Lines of a page may be broken anywhere. */
static char *one_line(char *text) {
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n') *c = ' ';
    return text;
}

/* docs/execution.md must have what `put` writes. */
static void expect_documented(void (*put)(struct text *out)) {
    FILE *file = fopen("docs/execution.md", "rb");
    assert_non_null(file);
    char *page = calloc(1, 1 << 20);
    assert_non_null(page);
    assert_true(fread(page, 1, (1 << 20) - 1, file) > 0);
    (void)fclose(file);
    struct text table = {0};
    put(&table);
    assert_false(table.failed);
    const bool is_there = strstr(one_line(page), one_line(table.data)) != NULL;
    if (!is_there) (void)printf("%s", table.data);
    if (!is_there) fail_msg("docs/execution.md does not have this table of the code");
    text_free(&table);
    free(page);
}

static void the_documented_tables_are_these(void **state) {
    (void)state;
    expect_documented(put_table);
    expect_documented(put_assumptions);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_an_answer),
        cmocka_unit_test(modifiers_change_the_answer),
        cmocka_unit_test(the_documented_tables_are_these),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
