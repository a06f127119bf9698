/* How reports look: the verdict first, lines that fit, colours for terminals only, one line where no more is
 * asked for, all of it where everything is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "run_cli.h"

#define STENCIL "kernels/stencil5.ptx -l kernels/stencil5.yaml "
#define SMALL_STENCIL STENCIL "-g 2 " /* quickly made */
#define HISTOGRAM "kernels/histogram.ptx -l kernels/histogram.yaml "
#define BFS "kernels/bfs_level.ptx -l kernels/bfs_level.yaml --facts kernels/bfs_level.facts "
#define CODE "kernels/cubin/vecadd.sm_80.cubin -l kernels/vecadd.yaml -m a100 "
#define HORNER "kernels/horner.ptx -l kernels/horner_stream.yaml "
#define SLIDE "docs/examples/triangle-sum-slide.yaml "
#define QUICK "--method sib,kernel --policy lrr " /* searches take ten times as long */
#define LONG_NAME                                                                                            \
    "_Z88a_kernel_whose_name_is_longer_than_any_line_of_a_terminal_and_is_still_a_name_like_any_otherv"

/* Reports of every kind of subject, in every state. */
static const char *const reports[] = {
    STENCIL,
    SMALL_STENCIL QUICK "-m ecrts2025-orin --deadline 1s",
    STENCIL QUICK "-m ecrts2025-orin --deadline 8us",
    SMALL_STENCIL QUICK "-m ecrts2025-orin --deadline 100",
    SMALL_STENCIL QUICK "-m ecrts2025-orin --deadline 18446744073709551614",
    STENCIL QUICK "-i 1 -m ecrts2025-orin --deadline 1s",
    SMALL_STENCIL QUICK "-i 1",
    SMALL_STENCIL QUICK "--scope block -m ecrts2025-orin --deadline 1s",
    STENCIL "--method waves,gub",
    SMALL_STENCIL "--method exhaustive,k-area,k-exhaustive",
    SMALL_STENCIL "--policy all --timing",
    SMALL_STENCIL QUICK "--registers 32 --set launch_overhead=1000 -m ecrts2025-orin --deadline 1ms",
#ifdef WB_WING_GPGPUSIM
    SMALL_STENCIL "-m gpgpusim-orin",
#endif
    SMALL_STENCIL "-m jcse2017",
#ifdef WB_WING_JCSE2017
    SMALL_STENCIL "-m jcse2017 --scheme reorder",
    SMALL_STENCIL "-m jcse2017 --scheme pure-rr --policy all",
#endif
    STENCIL QUICK "-m hopper-sm90 --set service=4",
    HISTOGRAM "--inputs any",
    HISTOGRAM QUICK "-m jcse2017 --inputs any --deadline 1us",
    "kernels/histogram.ptx -l kernels/histogram_unknown.yaml " QUICK,
    BFS,
    HORNER QUICK "-m ecrts2025-orin --deadline 1us",
    HORNER "--method sib,kernel --set launch_overhead=500 --policy lrr,rr",
    HORNER "--method waves",
    "docs/refutations/waves.yaml",
    "docs/refutations/gub-depth0.yaml --deadline 1s",
#ifdef WB_WING_ABSTRACT_CTA
    SLIDE,
    ("kernels/triangle_sum_slide.ptx -l kernels/triangle_sum.yaml -m hirvisalo --method "
     "abstract-cta,abstract-cta-rr,abstract-cta-safe"),
#endif
};

#define REPORT_COUNT (sizeof reports / sizeof *reports)

/* Characters of a line in UTF-8. */
static size_t line_width(const char *line, size_t length) {
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += ((unsigned char)line[i] & 0xc0) != 0x80;
    return width;
}

/* Fails on a line that is wider, on one that ends with a space, and on escape sequences. */
static void check_lines(const char *command, const char *text, size_t width) {
    assert_null(strchr(text, '\033'));
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (line_width(line, length) > width || (length > 0 && line[length - 1] == ' '))
            fail_msg("%s: %.*s", command, (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* Reports that were made, so that none is made twice; freed when all tests have run. */
static struct {
    char command[512];
    struct run run;
} made[128];
static size_t made_count;

static const struct run *run_report(const char *report, const char *options) {
    char command[sizeof made->command];
    (void)snprintf(command, sizeof command, "analyze %s %s", report, options);
    for (size_t i = 0; i < made_count; i++)
        if (strcmp(made[i].command, command) == 0) return &made[i].run;
    assert_true(made_count < sizeof made / sizeof *made);
    (void)snprintf(made[made_count].command, sizeof command, "%s", command);
    made[made_count].run = run_command(command);
    return &made[made_count++].run;
}

static int free_reports(void **state) {
    (void)state;
    while (made_count > 0)
        run_free(&made[--made_count].run);
    return 0;
}

/* Begins with the word of a state. */
static void check_first_word(const char *command, const char *text) {
    static const char *const states[] = {"bounded",    "met",      "missed",    "open",
                                         "block-only", "unproven", "model-only"};
    for (size_t s = 0; s < sizeof states / sizeof *states; s++)
        if (strncmp(text, states[s], strlen(states[s])) == 0) return;
    fail_msg("%s: %s", command, text);
}

/* One line, of the whole report. */
static void check_quiet(const char *command, const struct run *quiet, const struct run *whole) {
    assert_int_equal(quiet->status, whole->status);
    assert_int_equal(count_of(quiet->out, "\n"), 1);
    if (!says(whole->out, quiet->out)) fail_msg("%s: %s%s", command, quiet->out, whole->out);
}

static void test_reports_begin_with_their_verdict_and_fit_80_columns(void **state) {
    (void)state;
    for (size_t i = 0; i < REPORT_COUNT; i += ADDRESS_SANITIZER ? 3 : 1) {
        const struct run *whole = run_report(reports[i], ""), *quiet = run_report(reports[i], "--quiet"),
                         *all = run_report(reports[i], "--all --explain all");
        if (whole->status == 2 || all->out[0] == '\0') fail_msg("%s: %s", reports[i], whole->err);
        check_lines(reports[i], whole->out, 80);
        check_lines(reports[i], all->out, 80);
        check_first_word(reports[i], whole->out);
        check_quiet(reports[i], quiet, whole);
    }
}

/* A name that no line has room for is broken, not cut. */
static void test_long_names_fit(void **state) {
    (void)state;
    struct run run =
        run_shell("printf '.version 7.0\\n.target sm_80\\n.address_size 64\\n.visible .entry " LONG_NAME
                  "()\\n{\\nret;\\n}\\n' | \"$WB\" analyze - -g 1 -b 32 --all");
    if (run.status != 0) fail_msg("%s", run.err);
    check_lines("a long name", run.out, 80);
    assert_non_null(strstr(run.out, "_Z88a_kernel_whose_name_is_longer"));
    run_free(&run);
}

/* What is said when nobody asks for more is enough to judge by. */
static void test_nothing_that_matters_is_left_out(void **state) {
    (void)state;
    static const struct {
        const char *report, *words;
    } cases[] = {
        {STENCIL, "registers 1 to 255 a thread: not given"},
        {STENCIL, "registers R2"},
        {STENCIL, "scheduler S1"},
        {STENCIL "--registers 32", "registers 32 a thread: as given"},
        {HISTOGRAM "--inputs any", "paths covering: of every execution"},
        {HISTOGRAM "--inputs any", "1 instruction uses unknown values (assumed arbitrary), at"},
        {BFS, "F1"},
        {BFS, "facts kernels/bfs_level.facts (checksum"},
        {STENCIL "--method k-area,k-exhaustive", "k-exhaustive declined: "},
        {STENCIL "--method waves", "waves is not proven: "},
        {STENCIL "--method waves,k-area", "estimates: not proven, so that no deadline rests on them"},
        {STENCIL "--policy lrr,rr", "not work-conserving, so that no bound above holds for it:"},
        {STENCIL "--set launch_overhead=1000",
         "launch    1.08 us (1000 cycles), in no other time here; given"},
        {STENCIL, "launch    0 cycles, in no other time here; not measured on this GPU"},
        {STENCIL "-m ecrts2025-orin --deadline 100", "refuted: no GPU executes a model"},
        {CODE "--deadline 100", "that execution rests on"},
        {CODE "--deadline 100", "machine M2"},
        {CODE "--deadline 100", "under lrr with every latency at the shortest that is stated"},
        {CODE "--deadline 6us", "not refuted: the execution found has all latencies at their longest"},
        {HORNER, "the sum of the least proven bounds of its kernels"},
        {HORNER, "dispatch D1 D2"},
        {HORNER " --all", "post-dominator (launches 1, 2)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct run *run = run_report(cases[i].report, "--explain");
        if (!says(run->out, cases[i].words))
            fail_msg("%s: %s\n%s", cases[i].report, cases[i].words, run->out);
    }
}

/* A report of a kernel has 25 lines: what decides, what it rests on in words, what would lower it. */
static void test_short_by_default(void **state) {
    (void)state;
    static const struct {
        const char *report, *words;
    } cases[] = {
        {STENCIL, "holds if nothing else runs on the GPU; blocks follow the analysed paths (K3); buffers"},
        {STENCIL,
         "what is published or promised holds: E4 S1 D1 D2 M3 M4 M6 (--all says them in words) lower "},
        {STENCIL "-m ecrts2025-orin --deadline 100", "refuted: no GPU executes a model"},
        {HISTOGRAM "--inputs any", "1 instruction uses unknown values (assumed arbitrary), at"},
        {"kernels/histogram.ptx -l kernels/histogram_unknown.yaml ",
         "slowest 3032 cycles found, simulated under lrr, with zeros in the buffers whose contents are not "
         "given, one input of many"},
        {CODE, "% of the bound rests on assumed figures: "},
        {CODE, "promises would save: "},
        {CODE "--deadline 100", "that execution rests on"},
        {CODE "--deadline 6us", "longest; at their shortest it takes "},
        {"docs/examples/blur/blur-orin.yaml --deadline 100us", "longest; at their shortest it takes "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct run *run = run_report(cases[i].report, ""),
                         *long_one = run_report(cases[i].report, "--explain");
        if (!says(run->out, cases[i].words) || count_of(run->out, "\n") > 25)
            fail_msg("%s: %s\n%s", cases[i].report, cases[i].words, run->out);
        assert_null(strstr(run->out, "machine  "));
        assert_non_null(strstr(long_one->out, "machine  "));
    }
}

static void test_more_is_said_on_request(void **state) {
    (void)state;
    static const struct {
        const char *report, *options, *words;
    } cases[] = {
        {STENCIL "--method waves,kernel", "--explain waves",
         "waves is not proven: blocks that start at different times"},
        {STENCIL, "--explain k-area",
         "kernel, of the kernel: 9.70 us (9023 cycles), upper breakdown latency 5197"},
        {STENCIL, "--explain sib", "sib, of a block alone: "},
        {STENCIL, "--explain gto", "gto, of the kernel: 6.81 us (6332 cycles), simulated rests on"},
        {STENCIL, "--explain k-exhaustive", "k-exhaustive, of the kernel: left out: "},
        {STENCIL, "--explain oldest", "oldest was not asked"},
        {STENCIL, "--all", "what each number assumes"},
        {STENCIL, "--all", "units busy for"},
        {STENCIL, "--all", "the block that takes longest"},
        {HISTOGRAM "--inputs any", "--all", "(which memory this instruction accesses) from line"},
        {HORNER, "--explain k-area", "launch 3 kernel, of the kernel"},
        {HORNER, "--all", "launch 3 bounded: in the PTX model, the kernel"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct run *run = run_report(cases[i].report, cases[i].options),
                         *less = run_report(cases[i].report, "");
        if (!says(run->out, cases[i].words))
            fail_msg("%s %s: %s\n%s", cases[i].report, cases[i].options, cases[i].words, run->out);
        assert_false(says(less->out, cases[i].words));
    }
}

/* The text without its escape sequences, in place. */
static void drop_colors(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (*from == '\033')
            from += strcspn(from, "m");
        else
            *to++ = *from;
    *to = '\0';
}

/* What one lane takes is no execution of a kernel of which none was found. */
static void test_lanes_are_no_executions(void **state) {
    (void)state;
    struct run run = run_command("analyze kernels/cubin/vecadd.sm_87.cubin -k vecadd -g 390625 -b 256 "
                                 "-a buf:f32[100000000] -a buf:f32[100000000] -a buf:f32[100000000] "
                                 "-a i32:100000000 -m jetson-agx-orin --method sib,kernel");
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, "slowest found"));
    assert_non_null(strstr(run.out, "no execution was found; one lane alone takes "));
    run_free(&run);
}

/* Colours add escape sequences, and nothing else. */
static void test_colors(void **state) {
    (void)state;
    const struct run *report = run_report(STENCIL, "");
    struct run colored = run_command("analyze " STENCIL "--color always");
    assert_null(strchr(report->out, '\033'));
    assert_non_null(strstr(colored.out, "\033[1mbounded\033[0m: in the PTX model, the kernel"));
    drop_colors(colored.out);
    assert_string_equal(report->out, colored.out);
    run_free(&colored);
    static const struct {
        const char *options, *verdict;
    } verdicts[] = {{"-m ecrts2025-orin --accept ptx-model --deadline 1s", "\033[1;32mmet\033[0m: "},
                    {"-m ecrts2025-orin --accept ptx-model --deadline 8us", "\033[1;33mopen\033[0m: "},
                    {"-m ecrts2025-orin --accept ptx-model --deadline 1us", "\033[1;33mopen\033[0m: "}};
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        char options[128];
        (void)snprintf(options, sizeof options, "%s --color always -q", verdicts[i].options);
        report = run_report(STENCIL, options);
        assert_memory_equal(report->out, verdicts[i].verdict, strlen(verdicts[i].verdict));
    }
    colored = run_command("analyze nothing.ptx --color always");
    assert_non_null(strstr(colored.err, "\033[1;31merror:\033[0m"));
    run_free(&colored);
    struct run plain = run_command("analyze nothing.ptx");
    assert_null(strchr(plain.err, '\033'));
    run_free(&plain);
}

/* On a terminal, of which script(1) is one. */
static void test_terminals(void **state) {
    (void)state;
    static const struct {
        const char *environment, *options;
        bool has_colors;
    } cases[] = {{"TERM=xterm", "", true},
                 {"TERM=xterm NO_COLOR=1", "", false},
                 {"TERM=dumb", "", false},
                 {"TERM=xterm", "--color never", false},
                 {"TERM=xterm NO_COLOR=1", "--color always", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[512];
        (void)snprintf(command, sizeof command,
                       "env -u NO_COLOR %s script -qec \"$WB analyze " STENCIL
                       "-g 2 %s 2> /dev/null\" /dev/null < /dev/null",
                       cases[i].environment, cases[i].options);
        struct run run = run_shell(command);
        assert_int_equal(strchr(run.out, '\033') != NULL, cases[i].has_colors);
        run_free(&run);
    }
    struct run run = run_shell("TERM=dumb script -qec \"stty cols 120; $WB analyze " STENCIL
                               "-g 2 --all 2> /dev/null\" /dev/null < /dev/null");
    assert_non_null(
        strstr(run.out, "D1  a block is dispatched as soon as an SM has a free slot, and holds the slot"));
    run_free(&run);
}

static const struct failure_case failures[] = {
    {"analyze " STENCIL "--quiet --json", 2, "--quiet, --all and --explain apply only to the text report"},
    {"analyze " STENCIL "--explain k-are", 2, "k-area"},
    {"analyze " STENCIL "--color sometimes", 2, "auto, always"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports_begin_with_their_verdict_and_fit_80_columns),
        cmocka_unit_test(test_long_names_fit),
        cmocka_unit_test(test_nothing_that_matters_is_left_out),
        cmocka_unit_test(test_short_by_default),
        cmocka_unit_test(test_more_is_said_on_request),
        cmocka_unit_test(test_lanes_are_no_executions),
        cmocka_unit_test(test_colors),
        cmocka_unit_test(test_terminals),
        cmocka_unit_test(test_failures_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, free_reports);
}
