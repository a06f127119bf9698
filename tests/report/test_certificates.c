/* Certificates of times: the checker, which shares no code with the library, computes the same bounds of
 * random blocks; what is forged it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound/analysis/analysis.h"
#include "random_block.h"

#define BLOCKS 3000u
#define SEED UINT64_C(0xce47)

/* ---- Running the checker ---------------------------------------------------------------------------------
 */

/* What it said, as a text that is overwritten by the next run; its exit status in *status. */
static const char *check_text(const char *text, size_t length, int *status) {
    static char said[8192];
    char path[] = "/tmp/warpbound_certificate_XXXXXX", command[512];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), (ssize_t)length);
    (void)close(fd);
    (void)snprintf(command, sizeof command, "'%s' %s 2>&1", WB_CHECKER, path);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    said[fread(said, 1, sizeof said - 1, out)] = '\0';
    const int code = pclose(out);
    (void)unlink(path);
    assert_true(WIFEXITED(code));
    *status = WEXITSTATUS(code);
    return said;
}

/* The same of lines to which title and sum are added: what a forger would make of them. */
static const char *check_lines(const char *lines, int *status) {
    struct text text = {0};
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    text_printf(&text, "warpbound timing certificate 1\n%s", lines);
    for (size_t i = 0; i < text.length; i++)
        sum = (sum ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
    text_printf(&text, "end %016" PRIx64 "\n", sum);
    assert_false(text.failed);
    const char *said = check_text(text.data, text.length, status);
    text_free(&text);
    return said;
}

/* ---- Random blocks
 * ----------------------------------------------------------------------------------------- */

static bool take(void *user, const char *bytes, size_t size) {
    text_append(user, bytes, size);
    return true;
}

static struct text certificate_of(wb_analysis *analysis, const char *methods) {
    struct text text = {0};
    const wb_writer writer = {take, &text};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(wb_analysis_bound(analysis, methods, NULL, diagnostics), WB_OK);
    assert_int_equal(wb_analysis_certificate(analysis, &writer, diagnostics), WB_OK);
    wb_diagnostics_free(diagnostics);
    return text;
}

/* The checker must prove each claim, and nothing less. */
static void check_block(const struct random_block *random) {
    wb_analysis *analysis = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    int status;
    assert_int_equal(analysis_of_timed(&random->block.timed, diagnostics, &analysis), WB_OK);
    struct text text = certificate_of(analysis, "sib,fib,elb");
    const char *said = check_text(text.data, text.length, &status);
    if (status != 0 || strstr(said, "even") != NULL) fail_msg("%s\n%s%s", said, text.data, random->label);
    text_free(&text);
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
}

static void test_random_blocks_are_computed_alike(void **state) {
    (void)state;
    static const struct random_shape shape = {.units = 3,
                                              .init = 5,
                                              .latency = 9,
                                              .warps = 5,
                                              .insts = 7,
                                              .barrier_percent = 20,
                                              .real_percent = 10,
                                              .alias_percent = 30,
                                              .instances = 2,
                                              .sub_cores = 3,
                                              .width = 2,
                                              .release = 3,
                                              .copy_percent = 20,
                                              .fence_percent = 10};
    static const uint32_t depths[] = {0, 1, DEPTH_UNLIMITED};
    const uint32_t rounds = random_rounds(BLOCKS);
    for (uint32_t i = 0; i < rounds; i++) {
        struct random_block random;
        random_block_make(SEED + i, &shape, depths, 3, &random);
        check_block(&random);
        synthetic_block_free(&random.block);
    }
}

/* ---- What is no certificate
 * -------------------------------------------------------------------------------- */

#define MACHINE "machine 0 2 0\nunit own A\nunit shared B\n"
#define BLOCK MACHINE "block x 2\ninst 0 2 3 > 0\ninst 1 1 0 0 > 1\n"
#define ROWS BLOCK "section\nrun 0 2\nrow 0\nwarps 0 0 2\n"

struct forged {
    const char *lines;
    int status;
    const char *words;
};

/* One warp alone takes 2 + 3 + 1; the other adds 2 + 1. */
static const struct forged forgeries[] = {
    {ROWS "claim sib 9\n", 0, "x: sib: at most 9 cycles: proven"},
    {ROWS "claim sib 8\n", 1, "at most 8 cycles: NOT PROVEN: what can be shown is 9"},
    {ROWS "claim sib 12\n", 0, "proven, even 9"},
    {ROWS "grid 2 1 2 0 0\nclass 0 5\nclaim k-sm 1\n", 1, "kernel: k-sm: at most 1 cycles: NOT PROVEN"},
    /* docs/refutations/one-by-one.yaml: a block alone takes 4 cycles, the other initiates for 7. */
    {"machine 0 1 0\nunit own A\nunit own B\nblock x 0\ninst 0 2 0\ninst 1 3 0\nsection\nrun 0 2\nrun 0 1\n"
     "row 0\nwarps 0 0 1\ngrid 1 2 2 0 0\nclass 0 2\nclaim k-sm 11\nclaim k-area 11\n",
     0, "k-area: at most 11 cycles: proven\n"},
    {ROWS "claim aln 9\n", 2, "no claim of a block: aln"},
    {ROWS "claim sib\n", 2, "expected a time"},
    {ROWS "claim sib 9 9\n", 2, "more than was expected: 9"},
    {ROWS "claim sib -9\n", 2, "expected a time, not '-9'"},
    {ROWS "claim sib 9\nrun 0 1\n", 2, "run of no block, or behind its claims"},
    {ROWS, 2, "nothing is claimed"},
    {"", 2, "nothing is claimed"},
    {"claim sib 9\n", 2, "no claim of a kernel: sib"},
    {"bound sib 9\n", 2, "unknown: bound"},
    {"machine 0 0 0\n", 2, "no sub-cores"},
    {MACHINE "unit mine C\n", 2, "expected own or shared"},
    {BLOCK "inst 2 1 1\n", 2, "2 is more than 1"},
    {BLOCK "inst 0 0 1\n", 2, "a unit takes one cycle at least"},
    {BLOCK "inst 0 1 1 2\n", 2, "2 is more than 1"},
    {BLOCK "inst 0 1 99999999999\n", 2, "99999999999 is more than"},
    {BLOCK "run 0 1\n", 2, "no section"},
    {BLOCK "section\nrun 1 2\n", 2, "2 is more than 1"},
    {BLOCK "section\nagain 1 2\n", 2, "1 is more than 0"},
    {BLOCK "section\nrun 0 1\nagain 1 2\nagain 2 2\n", 2, "a loop in a loop"},
    {BLOCK "section\nrow 1\n", 2, "1 is more than 0"},
    {BLOCK "section\nrow 0\nrow 0 0\n", 2, "a row has a section for every path"},
    {BLOCK "section\nrow 0\nwarps 0 2 1\n", 2, "2 is more than 1"},
    {BLOCK "section\nrow 0\nsection\n", 2, "a section behind rows"},
    {BLOCK "section\nrun 0 2\nagain 1 4611686018427387903\nrow 0\nwarps 0 0 1\nclaim elb 1\n", 2,
     "is more than"},
    {BLOCK "section\nrun 0 2\nagain 1 2000000000000000000\nrow 0\nwarps 0 0 1\nclaim elb 1\n", 2,
     "larger than 2^62"},
};

static void test_forgeries_are_refused(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof forgeries / sizeof *forgeries; f++) {
        int status;
        const char *said = check_lines(forgeries[f].lines, &status);
        if (status != forgeries[f].status || strstr(said, forgeries[f].words) == NULL)
            fail_msg("%s\nstatus %d: %s", forgeries[f].lines, status, said);
    }
}

/* Whatever byte is changed, the sum at the end tells. */
static void test_changes_are_noticed(void **state) {
    (void)state;
    static const struct random_shape shape = {.units = 2,
                                              .init = 3,
                                              .latency = 5,
                                              .warps = 2,
                                              .insts = 3,
                                              .instances = 1,
                                              .sub_cores = 1,
                                              .width = 1};
    static const uint32_t depths[] = {0};
    struct random_block random;
    wb_analysis *analysis = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    int status;
    random_block_make(SEED, &shape, depths, 1, &random);
    assert_int_equal(analysis_of_timed(&random.block.timed, diagnostics, &analysis), WB_OK);
    struct text text = certificate_of(analysis, "sib");
    for (size_t i = 0; i < text.length; i++) {
        const char was = text.data[i];
        text.data[i] = (char)(was ^ 1);
        const char *said = check_text(text.data, text.length, &status);
        if (status != 2) fail_msg("byte %zu: status %d: %s", i, status, said);
        text.data[i] = was;
    }
    (void)check_text(text.data, text.length - 1, &status);
    assert_int_equal(status, 2);
    text_free(&text);
    wb_analysis_free(analysis);
    synthetic_block_free(&random.block);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_blocks_are_computed_alike),
        cmocka_unit_test(test_forgeries_are_refused),
        cmocka_unit_test(test_changes_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
