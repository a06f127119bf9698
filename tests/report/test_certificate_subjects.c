/* What certificates of times are of and rest on: the checker accepts each that is written of a kernel on some
 * machines, and none from which a line is left out, or that is of other files, blocks or warps than it says.
 */
#include "certificate_check.h"

#include <stdlib.h>

#include "kernel_suite.h"

/* ---- What is left out ---------------------------------------------------------------------------------- */

/* The lines of a certificate but its title, its sum, and the one that begins at `left_out`, if any. */
static struct text lines_without(const struct text *text, const char *left_out) {
    struct text lines = {0};
    const char *end = strstr(text->data, "\nend ") + 1;
    for (const char *line = strchr(text->data, '\n') + 1, *next; line < end; line = next) {
        next = strchr(line, '\n') + 1;
        if (line != left_out) text_append(&lines, line, (size_t)(next - line));
    }
    text_char(&lines, '\0');
    return lines;
}

static bool begins(const char *line, const char *word) {
    return strncmp(line, word, strlen(word)) == 0;
}

/* What an analyst may add: nothing else tells whether there is any. */
static bool is_optional(const char *line) {
    return begins(line, "of shared ") || begins(line, "of argument ") || begins(line, "of variable ") ||
           begins(line, "of assume ") || begins(line, "of other ");
}

/* Nothing that a claim rests on can be left out. */
static void check_left_out(const struct text *text) {
    const char *end = strstr(text->data, "\nend ") + 1;
    for (const char *line = strchr(text->data, '\n') + 1; line < end; line = strchr(line, '\n') + 1) {
        if ((!begins(line, "of ") && !begins(line, "held") && !begins(line, "stalled ") &&
             !begins(line, "fetch")) ||
            is_optional(line))
            continue;
        struct text forged = lines_without(text, line);
        int status;
        const char *said = check_sum(forged.data, &status);
        if (status != 2 || (strstr(said, "not said") == NULL))
            fail_msg("without %.40s: status %d: %s", line, status, said);
        text_free(&forged);
    }
}

/* ---- Of which files ------------------------------------------------------------------------------------ */

static const char *check_of(const char *files, const struct text *text, int *status) {
    char words[512];
    (void)snprintf(words, sizeof words, "--of %s", files);
    return check_with(words, text->data, text->length, status);
}

/* The machine, as `machine show` prints it, as a file. */
static void write_machine(const wb_machine *machine, const char *path, wb_diagnostics *diagnostics) {
    char *yaml;
    kernel_expect_ok(wb_machine_report(machine, WB_REPORT_TEXT, diagnostics, &yaml), path, diagnostics);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(yaml, file) >= 0);
    assert_int_equal(fclose(file), 0);
    free(yaml);
}

/* Others than those that the certificate is of are refused, and any too few. */
static void check_files(const wb_machine *machine, const struct text *text, wb_diagnostics *diagnostics) {
    static const struct {
        const char *files, *words;
        int status;
    } compared[] = {
        {"kernels/vecadd.ptx kernels/vecadd.yaml %s", "kernels/vecadd.ptx\n", 0},
        {"%s kernels/vecadd.yaml kernels/vecadd.ptx", "kernels/vecadd.ptx\n", 0},
        {"kernels/saxpy.ptx kernels/vecadd.yaml %s", "it is not of kernels/saxpy.ptx", 2},
        {"kernels/vecadd.ptx kernels/sgemm_tiled.yaml %s", "it is not of kernels/sgemm_tiled.yaml", 2},
        {"kernels/vecadd.ptx kernels/vecadd.yaml machines/ampere-sm80.yaml %s", "not of machines/ampere", 2},
        {"kernels/vecadd.ptx kernels/vecadd.yaml", "another file, too: machine", 2},
        {"kernels/vecadd.yaml %s", "another file, too: code", 2},
        {"no/such.file kernels/vecadd.yaml %s", "no/such.file: No such file", 2},
    };
    char path[] = "/tmp/warpbound_machine_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    write_machine(machine, path, diagnostics);
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
        char files[256];
        int status;
        (void)snprintf(files, sizeof files, compared[i].files, path);
        const char *said = check_of(files, text, &status);
        if (status != compared[i].status || strstr(said, compared[i].words) == NULL)
            fail_msg("%s: status %d: %s", files, status, said);
    }
    (void)unlink(path);
}

static struct text write_certificate(const wb_analysis *analysis, wb_status *status,
                                     wb_diagnostics *diagnostics) {
    struct text text = {0};
    const wb_writer writer = {take, &text};
    *status = wb_analysis_certificate(analysis, &writer, diagnostics);
    return text;
}

/* vecadd on a machine, or its first block. */
static void check_vecadd(const char *name, const wb_analyze_options *options, bool compares) {
    struct loaded_kernel loaded = kernel_load("kernels/vecadd.ptx", "kernels/vecadd.yaml");
    wb_machine *machine;
    wb_analysis *analysis = NULL;
    wb_status status;
    kernel_expect_ok(wb_machine_load(name, loaded.diagnostics, &machine), name, loaded.diagnostics);
    if (compares)
        kernel_expect_ok(wb_machine_set(machine, "barrier_release=7", loaded.diagnostics), name,
                         loaded.diagnostics);
    kernel_expect_ok(
        wb_analyze(loaded.kernel, loaded.launch, machine, options, loaded.diagnostics, &analysis), name,
        loaded.diagnostics);
    struct text text = write_certificate(analysis, &status, loaded.diagnostics);
    kernel_expect_ok(status, name, loaded.diagnostics);
    check_left_out(&text);
    if (compares) check_files(machine, &text, loaded.diagnostics);
    text_free(&text);
    wb_analysis_free(analysis);
    wb_machine_free(machine);
    kernel_unload(&loaded);
}

static void test_nothing_is_left_out(void **state) {
    (void)state;
    const size_t size = sizeof(wb_analyze_options);
    check_vecadd("ampere-sm80", &(wb_analyze_options){.size = size, .methods = "k-sm"}, true);
    check_vecadd("ampere-sm80", &(wb_analyze_options){.size = size, .one_block = true, .methods = "elb"},
                 false);
    check_vecadd("jcse2017",
                 &(wb_analyze_options){.size = size, .scheme = "default", .methods = "segment-sum"}, false);
}

/* ---- Data that is not of the subject ------------------------------------------------------------------- */

#define MACHINE "machine 0 1 1 0\nunit 0 1\n"
#define BLOCK "block 1\ninst 0 1 10 0 0 0 0\nsection\nrun 0 1\nrow 0\nwarps 0 0 2\n"
#define FIXED "grid 1 1 1 0 0\nclass 0 8\nnext 0 8\nclaim k-sm-static 99\n"
#define ANY "grid 1 1 1 0 0\nclass 0 8\nclaim k-sm 99\n"
#define HUGE_TIME "4000000000000000000"

static const struct forged forgeries[] = {
    {"of grid 4 2 1\nof threads 33 1 1 32\n" MACHINE BLOCK ANY, 0, "at most 99 cycles: proven"},
    /* A small kernel's blocks in place of a large one's. */
    {"of grid 4 2 2\n" MACHINE BLOCK ANY, 2, "it is of 16 blocks, and what follows of 8"},
    {"of threads 16 16 1 32\n" MACHINE BLOCK ANY, 2, "of 256 threads, and what follows of 2 warps"},
    {"of threads 65 1 1 32\n" MACHINE BLOCK "claim sib 99\n", 2, "of 65 threads, and what follows of 2"},
    /* One block for all, a schedule for another. */
    {"of block all\n" MACHINE BLOCK "claim sib 99\n", 2, "one block is not all"},
    {"of block 0 0 0\n" MACHINE BLOCK ANY, 2, "of block 0 0 0, and what follows of all"},
    {"of dispatch any\n" MACHINE BLOCK FIXED, 2, "of dispatch any, and what follows of fixed"},
    {"of dispatch fixed\n" MACHINE BLOCK ANY, 2, "of dispatch fixed, and what follows of any"},
    {"of dispatch any\n" MACHINE BLOCK "claim sib 99\n", 2, "of dispatch any, and what follows of none"},
    {MACHINE BLOCK "claim sib 99\n" BLOCK "claim sib 99\n", 2, "block behind a claim"},
    {MACHINE BLOCK BLOCK "claim sib 99\n", 2, "several blocks, and no grid of them"},
    {MACHINE BLOCK "of other none\nclaim sib 99\n", 2, "of behind a block"},
    {"of kernel a\nof kernel b\n", 2, "of two: kernel"},
    {"of shared\n", 2, "of nothing: shared"},
    {"of gpu a\n", 2, "of what: gpu"},
    {"of machine none\n", 2, "no SHA-256: none"},
    {"of launch abc\n", 2, "no SHA-256: abc"},
    {"of grid 4 2\n" MACHINE BLOCK ANY, 2, "numbers from 1 on: grid 4 2"},
    {"of grid 4 2 1 1\n" MACHINE BLOCK ANY, 2, "more than was expected: 1"},
    {"of grid 4294967296 4294967296 1\n" MACHINE BLOCK ANY, 2, "larger than 2^62"},
    {"of grid 99999999999999999999 1 1\n" MACHINE BLOCK ANY, 2, "numbers from 1 on"},
    /* Numbers of any size. */
    {MACHINE "held fetch 3 " HUGE_TIME "\n", 2, "larger than 2^62"},
    {MACHINE "held fetch 1 1\nheld fetch 0 0\n", 2, "said twice: what is held by fetch"},
    {MACHINE "held luck 0 0\n", 2, "nothing is held by luck"},
    /* A block alone: 2 + 10, 3 misses of 7 cycles each, 5 fetches of 2. */
    {MACHINE BLOCK "grid 1 1 1 0 0\nfetching 3 7 2 9 2\nclass 0 1\nfetches 5\nclaim k-sm 43\n", 0,
     "k-sm: at most 43 cycles: proven\n"},
    {MACHINE BLOCK "grid 1 1 1 0 0\nfetching unlimited 7 2 1 2\nclass 0 1\nfetches 5\nclaim k-area 1\n", 1,
     "what can be shown is 62"},
    {MACHINE BLOCK "grid 1 1 1 0 0\nfetching 3 7 2 9 2\nclass 0 1\nfetches 5\nclaim k-wave-sib 99\n", 2,
     "everything stands still at times"},
    {MACHINE BLOCK "grid 1 1 1 0 0\nfetches 5\n", 2, "fetches of no class"},
    {MACHINE BLOCK "stalled " HUGE_TIME " " HUGE_TIME " 1 -\nclaim sib 99\n", 2, "larger than 2^62"},
    {MACHINE BLOCK "warps 0 0 " HUGE_TIME "\nwarps 0 0 " HUGE_TIME "\nwarps 0 0 9\nclaim sib 1\n", 2,
     "larger than 2^62"},
    {MACHINE BLOCK "grid 1 1 1 0 0\nclass 0 " HUGE_TIME "\nclass 0 " HUGE_TIME "\nclaim k-sm 1\n", 2,
     "larger than 2^62"},
    {MACHINE BLOCK "grid 3 1 1000000000000 0 0\nclass 0 1000000000000\nclaim k-bal 1\n", 2, "takes too long"},
};

static void test_forgeries_are_refused(void **state) {
    (void)state;
    int status;
    check_forgeries(forgeries, sizeof forgeries / sizeof *forgeries);
    const char old[] = "warpbound timing certificate 2\n";
    assert_non_null(strstr(check_text(old, sizeof old - 1, &status), "does not say of what it is"));
    assert_int_equal(status, 2);
    const char *said =
        check_lines(MACHINE "held fetch 3 4\n" BLOCK "stalled 7 0 2 -\nclaim sib 99\n", &status);
    assert_non_null(strstr(said, "\nnot checked: that instructions"));
    assert_non_null(strstr(said, " fetch 12, in a block 4, an SM 0; "));
}

/* ---- What is written ----------------------------------------------------------------------------------- */

static const struct {
    const char *machine, *setting, *scheme, *methods;
    bool one_block;
} cases[] = {
    {"ampere-sm80", NULL, NULL, "kernel", false},
    {"ampere-sm80", "dispatch_depth=1", NULL, "sib,fib,aln,fifo,elb", true},
    {"ampere-sm80", "dispatch=static", NULL, "k-sm", false},
    {"ecrts2025-orin", "service=2", NULL, "kernel", false},
    {"ecrts2025-orin", "fetch.size=32768", NULL, "sib,fib,aln,fifo,elb", true},
    {"ecrts2025-orin", "fetch.size=4096", NULL, "kernel", false},
    {"jcse2017", NULL, "default", "segment-sum", false},
};
static unsigned written;

static void check_case(const struct loaded_kernel *loaded, size_t c, const char *name) {
    wb_machine *machine;
    wb_analysis *analysis = NULL;
    const wb_analyze_options options = {.size = sizeof options,
                                        .one_block = cases[c].one_block,
                                        .scheme = cases[c].scheme,
                                        .methods = cases[c].methods};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    kernel_expect_ok(wb_machine_load(cases[c].machine, diagnostics, &machine), name, diagnostics);
    if (cases[c].setting != NULL)
        kernel_expect_ok(wb_machine_set(machine, cases[c].setting, diagnostics), name, diagnostics);
    wb_status status = wb_analyze(loaded->kernel, loaded->launch, machine, &options, diagnostics, &analysis);
    if (status == WB_OK) {
        struct text text = write_certificate(analysis, &status, diagnostics);
        if (status == WB_OK && strstr(text.data, "\nclaim ") != NULL) {
            int judged;
            const char *said = check_text(text.data, text.length, &judged);
            if (judged != 0) fail_msg("%s on %s: status %d: %s", name, cases[c].machine, judged, said);
            written++;
        }
        text_free(&text);
    }
    wb_analysis_free(analysis);
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
}

static void test_kernel(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        check_case(&loaded, c, entry->name);
    kernel_unload(&loaded);
}

static void test_how_many_were_written(void **state) {
    (void)state;
    printf("%u certificates written and accepted\n", written);
    assert_true(written >= 200 / kernel_suite_step());
}

int main(void) {
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_nothing_is_left_out),
        cmocka_unit_test(test_forgeries_are_refused),
        cmocka_unit_test(test_how_many_were_written),
    };
    return kernel_suite_run("what certificates are of", test_kernel, others, sizeof others / sizeof *others);
}
