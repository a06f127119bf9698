/* warpbound init, and launch files in place of PTX files, as a user runs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

/* Shell text that must end with `status` and print these parts to standard output or error. */
struct session {
    const char *text;
    int status;
    const char *out, *err; /* or NULL */
};

static void check_session(const struct session *session) {
    struct run run = run_beside_folder(session->text);
    if (run.status != session->status)
        fail_msg("%s: status %d\n%s%s", session->text, run.status, run.out, run.err);
    if (session->out != NULL) assert_contains(run.out, session->out);
    if (session->err != NULL) assert_contains(run.err, session->err);
    run_free(&run);
}

static const struct session sessions[] = {
    {"$WB init kernels/stencil5.ptx && $WB analyze kernels/stencil5.yaml -m ecrts2025-orin --accept "
     "ptx-model --deadline 300us",
     0, "kernels/stencil5.yaml: exists and was not changed", NULL},
    {"$WB init kernels/stencil5.ptx -o $D/a.yaml", 0,
     "a.yaml: written; fill in 8 values marked ___\nthen: warpbound analyze ", NULL},
    {"cp kernels/stencil5.ptx $D/x.ptx; $WB init $D/x.ptx >&2; cat $D/x.yaml", 0, "\ncode: \"x.ptx\"\n",
     NULL},
    {"cp kernels/stencil5.ptx $D; mkdir $D/l; cd $D; $WB init stencil5.ptx -o l/x.yaml; cat l/x.yaml", 0,
     "\ncode: \"../stencil5.ptx\"\n", NULL},
    {"$WB init $PWD/kernels/stencil5.ptx -o $D/x.yaml >&2; grep -c \"^code: .$PWD/kernels/\" $D/x.yaml", 0,
     "1\n", NULL},
    {"$WB init - -o $D/x.yaml < kernels/stencil5.ptx; ! grep -q ^code: $D/x.yaml", 0, NULL, NULL},
    {"$WB init kernels/stencil5.ptx -o $D", 2, NULL, ": error: exists and is not a launch file"},
    {"cp kernels/vecadd.ptx $D/x.ptx; $WB analyze $D/x.ptx -g 1 -b 32 -o $D/x.ptx; cmp kernels/vecadd.ptx "
     "$D/x.ptx",
     0, NULL, "x.ptx: error: this input"},
    {"cp kernels/vecadd.yaml $D/x.yaml; $WB analyze kernels/vecadd.ptx -l $D/x.yaml --report "
     "$D/../${D##*/}/x.yaml",
     2, NULL, "x.yaml: error: this input"},
    {"touch $D/x.cu; $WB analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --annotate $D/x.cu", 2, NULL,
     "x.cu: error: an existing source file"},
    {"$WB analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --annotate $D/x --report $D/x", 2, NULL,
     "two outputs cannot share one file"},
    {"$WB init - < kernels/stencil5.ptx", 0, "\ngrid: ___ ", NULL},
    {"$WB init kernels/horner.ptx -o -", 2, NULL, "which kernel is meant?"},
    {"$WB init kernels/horner.ptx -k double -o -", 0,
     "# Launch of void horner<double, 5>(double const*, double const*, double*, int)\n", NULL},
    {"$WB init kernels/fir.ptx -o -", 0, "\nshared: ___ ", NULL},
    {"echo mine > $D/x.yaml; $WB init kernels/stencil5.ptx -o $D/x.yaml", 2, NULL,
     "x.yaml: error: exists and is not a launch file: name another file with -o FILE, or replace it with "
     "--force"},
    {"echo mine > $D/x.yaml; $WB init kernels/stencil5.ptx -o $D/x.yaml --force >&2; cat $D/x.yaml", 0,
     "# Launch of stencil5", NULL},
    {"echo 'grid: 7' > $D/x.yaml; $WB init kernels/fir.ptx -o $D/x.yaml >&2; cat $D/x.yaml", 0, "grid: 7\n",
     NULL},
    {"$WB init kernels/stencil5.ptx -o $D/none/x.yaml", 2, NULL, "cannot write"},
    {"$WB init kernels/stencil5.yaml", 2, NULL, "kernels/stencil5.yaml:"},
    {"$WB init", 2, NULL, "expected one PTX file"},
};

static void test_init_as_it_is_used(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++)
        check_session(&sessions[i]);
}

/* What is read from a kernel of its parameters. */
static void test_parameters(void **state) {
    (void)state;
    static const char *const lines[] = {
        "\nblock: [32, 4, 1]         # threads of a block, as the kernel requires (.reqntid)\n",
        "\n  - \"buf:f32[___]\"        # 1, k_param_0: elements of the buffer that it points to, float "
        "const*, read\n",
        "\n  - \"buf:i32[___]\"        # 2, k_param_1: elements of the buffer that it points to, int*, read "
        "and written\n",
        "\n  - \"i32:___\"             # 3, k_param_2: int\n",
        "\n  - \"struct {___}\"        # 4, k_param_3: window; 40 bytes: fields such as in: buf:f32[1024], "
        "n: "
        "i32:7; or bytes[40] for all\n",
        "\n  - \"u64:___\"             # 5, k_param_4: unsigned long\n",
        "\n  - \"buf:b8[___]\"         # 6, k_param_5: elements of the buffer that it points to, record*\n",
        "\n  - \"i16:___\"             # 7, k_param_6: short\n",
    };
    struct run run = run_command("init tests/data/launch/parameters.ptx -o -");
    assert_int_equal(run.status, 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_contains(run.out, lines[i]);
    run_free(&run);
}

/* Everything that is missing is said at once, with its line. */
static void test_all_blanks_are_named(void **state) {
    (void)state;
    static const char *const places[] = {
        "x.yaml:6:7: error: fill in grid",
        "x.yaml:7:8: error: fill in block",
        "x.yaml:9:5: error: argument 1 of stencil5 is",
        "x.yaml:10:5: error: argument 2 of stencil5 is",
        "x.yaml:11:5: error: argument 3 of stencil5",
        "x.yaml:12:5: error: argument 4 of stencil5",
        "x.yaml:13:5: error: argument 5 of stencil5",
        "x.yaml:14:5: error: argument 6 of stencil5",
    };
    static const char *const commands[] = {"analyze", "simulate", "path", "cache", "facts"};
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        char text[200];
        (void)snprintf(text, sizeof text, "$WB init kernels/stencil5.ptx -o $D/x.yaml >&2; $WB %s $D/x.yaml",
                       commands[c]);
        struct run run = run_beside_folder(text);
        assert_int_equal(run.status, 2);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            assert_contains(run.err, places[i]);
        assert_int_equal(count_of(run.err, " error: "), 8);
        run_free(&run);
    }
}

/* Options fill blanks in. */
static void test_options_fill_in(void **state) {
    (void)state;
    static const struct session filled = {
        "$WB init kernels/stencil5.ptx -o $D/x.yaml >&2; $WB analyze $D/x.yaml -g 4 -b 32,8 -a "
        "'buf:f32[6000]' "
        "-a 'buf:f32[6000]' -a i32:100 -a i32:60 -a f32:0.6 -a f32:0.1 --method sib",
        0, "stencil5", NULL};
    check_session(&filled);
}

/* Without a file what is missing is said at once, too. */
static void test_missing_options_are_said_at_once(void **state) {
    (void)state;
    struct run run = run_command("analyze kernels/stencil5.ptx -g 4");
    assert_int_equal(run.status, 2);
    assert_contains(run.err, "the number of threads in a block is missing");
    for (int i = 1; i <= 6; i++) {
        char part[80];
        (void)snprintf(part, sizeof part, "argument %d of stencil5 is missing: ", i);
        assert_contains(run.err, part);
    }
    run_free(&run);
}

/* Machine code is for GPUs of several presets: its user names the one; until then there is none. */
static void test_the_machine_is_the_users_choice(void **state) {
    (void)state;
    struct run run = run_shell(
        "d=$(mktemp -d); $WB init kernels/cubin/vecadd.sm_87.cubin -o $d/made.yaml; cat $d/made.yaml; "
        "{ cat kernels/vecadd.yaml; grep ^machine $d/made.yaml; } >$d/l.yaml; "
        "$WB analyze kernels/cubin/vecadd.sm_87.cubin -l $d/l.yaml; status=$?; rm -r $d; exit $status");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.out, "\nmachine: ___ "));
    assert_non_null(strstr(run.out, "which GPU: jetson-agx-orin-32gb, jetson-agx-orin, jetson-orin-nano"));
    assert_non_null(strstr(run.err, "the machine is still ___"));
    run_free(&run);
}

/* A launch file stands for its code, machine, deadline and flow facts; options override it. */
static const struct session launch_files[] = {
    {"$WB cfg kernels/stencil5.yaml", 0, "kernel stencil5 (kernels/stencil5.ptx)", NULL},
    {"$WB cfg kernels/stencil5.ptx -l kernels/stencil5.yaml", 0, "kernel stencil5", NULL},
    {"$WB occupancy kernels/stencil5.yaml", 0, "block      32x8x1", NULL},
    {"$WB facts kernels/stencil5.yaml", 0, "kernel stencil5 ", NULL},
    {"$WB simulate kernels/stencil5.yaml", 0, "stencil5", NULL},
    {"$WB path kernels/stencil5.yaml", 0, "stencil5: block 0,0,0", NULL},
    {"$WB cache kernels/stencil5.yaml", 0, "stencil5", NULL},
#ifdef WB_WING_ABSTRACT_CTA
    {"$WB analyze kernels/triangle_sum.yaml -m hirvisalo --method sib", 0, "triangle_sum", NULL},
#endif
    {"$WB analyze kernels/horner_stream.yaml --method k-area", 0, "3 kernels, one after another", NULL},
    {"$WB analyze -l kernels/stencil5.yaml --method sib", 0, "stencil5", NULL},
    {"$WB analyze -l - --method sib < kernels/triangle_sum.yaml", 2, NULL,
     "triangle_sum.ptx: error: cannot read"},
    {"grep -v ^code: kernels/horner_f32.yaml > $D/x.yaml; $WB analyze $D/x.yaml", 2, NULL,
     "does not name its code"},
    {"$WB analyze kernels/stencil5.yaml -l kernels/saxpy.yaml", 2, NULL, "a second launch file"},
    {"$WB analyze kernels/stencil5.ptx -l kernels/none.yaml", 2, NULL,
     "kernels/none.yaml: error: cannot read"},
    {"ln -s /etc/hostname $D/x.ptx; { echo code: x.ptx; grep -v ^code: kernels/saxpy.yaml; } > $D/x.yaml; "
     "$WB analyze $D/x.yaml",
     2, NULL, "'x.ptx': this is a link out of the launch file's folder: --allow-files"},
    {"ln -s /etc/hostname $D/b; { echo code: $PWD/kernels/saxpy.ptx; echo 'arguments: [\"buf:u8[4]=@b\"]'; } "
     "> $D/x.yaml; $WB analyze $D/x.yaml",
     2, NULL, "'b': this is a link out of the launch file's folder"},
    {"{ echo code: none.ptx; grep -v ^code: kernels/saxpy.yaml; } > $D/x.yaml; $WB analyze $D/x.yaml", 2,
     NULL, "none.ptx: error: cannot read"},
    {"{ echo code: $PWD/kernels/saxpy.ptx; grep -v ^code: kernels/saxpy.yaml; echo 'machine: "
     "ampere-sm80\ndeadline: "
     "9ns'; "
     "} > "
     "$D/x.yaml; $WB analyze $D/x.yaml --method k-area",
     1, "ampere-sm80", NULL},
    {"{ echo code: $PWD/kernels/saxpy.ptx; grep -v ^code: kernels/saxpy.yaml; echo 'machine: "
     "ampere-sm80\ndeadline: "
     "9ns\naccept: [ptx-model]'; "
     "} > "
     "$D/x.yaml; $WB analyze $D/x.yaml --method k-area --deadline 1s -m ecrts2025-orin",
     0, "ecrts2025-orin", NULL},
    {"{ echo code: $PWD/kernels/saxpy.ptx; grep -v ^code: kernels/saxpy.yaml; echo 'machine: orin'; } > "
     "$D/x.yaml; $WB "
     "analyze "
     "$D/x.yaml",
     2, NULL, "orin"},
    {"sed '/^facts:/d; /^code:/d; s/=@.*\"/\"/' kernels/bfs_level.yaml > $D/x.yaml; cp "
     "kernels/bfs_level.facts $D; echo "
     "'facts: "
     "bfs_level.facts' >> $D/x.yaml; $WB analyze kernels/bfs_level.ptx -l $D/x.yaml --method k-area "
     "--explain",
     0, "bfs_level.facts (checksum", NULL},
    {"{ grep -v ^code: kernels/saxpy.yaml; echo 'code: /etc/passwd'; } > $D/x.yaml; $WB analyze $D/x.yaml", 2,
     NULL, "--allow-files"},
};

/* What ptxas printed of sgemm_tiled, with N registers and so many bytes of shared memory and spills. */
#define LOG(n, shared, spills)                                                                               \
    "printf \"ptxas info : Compiling entry function 'sgemm_tiled' for 'sm_86'\\nptxas info : Function "      \
    "properties "                                                                                            \
    "for sgemm_tiled\\n    0 bytes stack frame, " spills                                                     \
    " bytes spill stores, 0 bytes spill loads\\nptxas info : "                                               \
    "Used " n " registers, used 1 barriers, " shared " bytes smem, 392 bytes cmem[0]\\n\" > $D/log; "

#define TILED "kernels/sgemm_tiled.yaml"

static const struct session registers[] = {
    {LOG("39", "2048", "0") "$WB occupancy " TILED " --ptxas-info $D/log", 0,
     "registers  39 a thread: as given", NULL},
    {LOG("39", "2048", "0") "$WB occupancy " TILED " --ptxas-info - < $D/log", 0, "registers  39 a thread",
     NULL},
    {LOG("39", "2048", "0") "$WB occupancy " TILED " --ptxas-info $D/log --registers 64", 0,
     "registers  64 a thread", NULL},
    {LOG("39", "2048", "0") "cp kernels/sgemm_tiled.ptx $D/x.ptx; { grep -v ^code: " TILED
                            "; echo ptxas_info: log; } > $D/x.yaml; "
                            "$WB occupancy $D/x.yaml",
     0, "registers  39 a thread", NULL},
    {LOG("39", "2048", "0") "$WB analyze " TILED " --ptxas-info $D/log --method k-area --json", 0,
     "ptxas-info", NULL},
    {LOG("39", "2048", "0") "$WB init kernels/sgemm_tiled.ptx --ptxas-info $D/log -o -", 0,
     "\nregisters: 39 ", NULL},
    {LOG("39", "4096", "0") "$WB occupancy " TILED " --ptxas-info $D/log", 0, "registers  39 a thread",
     "warning: kernel sgemm_tiled has 4096 bytes of static shared memory there, and 2048 in the PTX"},
    {LOG("39", "2048", "24") "$WB occupancy " TILED " --ptxas-info $D/log", 0, "registers  39 a thread",
     "24 bytes are stored, 0 loaded"},
    {LOG("999", "2048", "0") "$WB occupancy " TILED " --ptxas-info $D/log", 2, NULL,
     "log: error: registers: expected a number from 1 to 255"},
    {LOG("39", "2048", "0") "$WB occupancy kernels/stencil5.yaml --ptxas-info $D/log", 2, NULL,
     "log: error: does not describe kernel stencil5, but sgemm_tiled"},
    {"$WB occupancy " TILED " --ptxas-info /nonexistent", 2, NULL, "/nonexistent: error: cannot read"},
    {"$WB occupancy " TILED " --ptxas-info kernels/sgemm_tiled.ptx", 2, NULL, "describes no kernel"},
    {"$WB analyze kernels/horner_stream.yaml --ptxas-info x", 2, NULL,
     "cannot be combined with a list of launches"},
    {"$WB occupancy - --ptxas-info - -b 32", 2, NULL, "standard input can be read only once"},
};

static void test_registers_from_ptxas(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        check_session(&registers[i]);
}

static void test_launch_files_stand_for_kernels(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof launch_files / sizeof *launch_files; i++)
        check_session(&launch_files[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_init_as_it_is_used),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_all_blanks_are_named),
        cmocka_unit_test(test_options_fill_in),
        cmocka_unit_test(test_missing_options_are_said_at_once),
        cmocka_unit_test(test_registers_from_ptxas),
        cmocka_unit_test(test_the_machine_is_the_users_choice),
        cmocka_unit_test(test_launch_files_stand_for_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
