/* Machine code where PTX is taken: files, standard input, launch files, lists; registers from the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define SGEMM "kernels/cubin/sgemm_tiled.sm_86.cubin -l kernels/sgemm_tiled.yaml "

static const struct failure_case failures[] = {
    {"print kernels/cubin/none.cubin", 2, "kernels/cubin/none.cubin"},
    {"analyze tests/data/machine_code/chain_loop.sm_86.cubin", 2, "chain_loop.yaml is in the same folder"},
    {"analyze " SGEMM "--ptxas-info README.md", 2,
     "README.md: error: this is for PTX: the machine code itself says that kernel sgemm_tiled has 39 "
     "registers a "
     "thread"},
    {"path kernels/cubin/vecadd.sm_86.cubin -l kernels/reduce.yaml", 2, "reduce"},
    {"analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --cubin kernels/vecadd.ptx", 2,
     "there is no machine code in this file; it has PTX"},
    {"analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --cubin kernels/cubin/none.cubin", 2,
     "kernels/cubin/none.cubin"},
    {"analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --cubin kernels/cubin/reduce.sm_86.cubin", 2,
     "vecadd"},
    {"analyze " SGEMM "--cubin kernels/cubin/sgemm_tiled.sm_86.cubin", 2, "--cubin needs PTX"},
    {"path tests/data/cubin/indirect_call.sm_86.cubin -g 1 -b 32 -a 'buf:f32[4]=iota' -a i64:0", 3,
     "it calls a function whose address is in a register"},
    {"path tests/data/cubin/debug_print.sm_86.cubin -g 1 -b 32 -a 'buf:u32[32]=iota' -a 'buf:u64[32]=zero'",
     3, "it is only complete when the file is loaded"},
    {"analyze kernels/cubin/vecadd.sm_86.cubin -l kernels/vecadd.yaml -m kernels/cubin/vecadd.sm_86.cubin", 2,
     "expected a machine file, but this is machine code of a GPU (cubin)"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* Valid code that is not supported: status 3, with the instruction's name, its address, and why. */
static void test_unsupported_instructions_are_named(void **state) {
    (void)state;
    static const struct {
        const char *kernel, *instruction, *reason;
    } rows[] = {
        {"gradient", "TXD at 0x", "along gradients a filter may read many texels"},
        {"surface_atomic", "SURED at 0x", "atomics of surfaces wait for each other"},
        {"mbarrier", "SYNCS.EXCH at 0x", "it is part of an mbarrier, of which waits take an unknown time"},
        {"bulk", "UBLKPF at 0x", "bulk copies and their fences (TMA) are not modelled"},
        {"cluster", "UCGABAR_ARV at 0x", "it waits for other blocks of a cluster"},
        {"dependent", "ACQBULK at 0x", "launches that overlap (griddepcontrol) are not modelled"},
        {"warpgroup", "WARPGROUP at 0x", "matrix operations in the background (wgmma) take an unknown time"},
        {"multicast", "LDGMC at 0x", "memory of several GPUs (multimem) is not modelled"},
        {"unknown", "PMTRIG at 0x", "what it does is not known"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[256], reason[128];
        (void)snprintf(command, sizeof command,
                       "analyze tests/data/cubin/refused_code.sm_90.cubin -k %s -g 2 -b 32 "
                       "-a 'buf:u32[64]=zero' -a 'buf:u32[64]=zero' -m h100",
                       rows[i].kernel);
        (void)snprintf(reason, sizeof reason, "): not supported: %s", rows[i].reason);
        struct run run = run_command(command);
        assert_int_equal(run.status, 3);
        assert_non_null(strstr(run.err, rows[i].instruction));
        assert_non_null(strstr(run.err, reason));
        run_free(&run);
    }
}

/* That a kernel is launched in clusters is read from the file. */
static void test_kernels_in_clusters_are_not_bounded(void **state) {
    (void)state;
    struct run run =
        run_command("analyze tests/data/cubin/refused_code.sm_90.cubin -k in_clusters -g 2 -b 32 "
                    "-a 'buf:u32[64]=zero' -a 'buf:u32[64]=zero' -m h100");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "its blocks start in clusters"));
    assert_non_null(strstr(run.out, "block (0,0,0) alone takes at most"));
    run_free(&run);
}

/* What a launch promises is assumed, and is the option's where that is given, too; models of PTX take none.
 */
static void test_promises(void **state) {
    (void)state;
    static const struct {
        const char *options, *said, *unsaid;
    } cases[] = {
        {"cubin/vecadd.sm_86.cubin -m rtx-a6000", "promises P1 P2", "P3"},
        {"cubin/vecadd.sm_86.cubin -m rtx-a6000 --resident code", "promises P3", "P2"},
        {"cubin/vecadd.sm_86.cubin -m rtx-a6000 --set partition=9,mig", "partition N4", "N1"},
        {"cubin/vecadd.sm_86.cubin -m rtx-a6000 --set resident=code-l1", "promises P4", "P1"},
        {"cubin/vecadd.sm_86.cubin -m rtx-a6000 --resident all", "promises P1 P2 P3 P4 P5", "P6"},
        {"cubin/vecadd.sm_86.cubin -m rtx-a6000 --resident data.1,code", "promises P3 P6", "P2"},
        {"vecadd.ptx -m ampere-sm80", "machine M1", "promises"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        (void)snprintf(
            text, sizeof text,
            "launch=$(mktemp --suffix .yaml); { cat kernels/vecadd.yaml; echo 'resident: "
            "[translations, data]'; } >$launch; $WB analyze kernels/%s --policy lrr -l $launch --explain; "
            "status=$?; rm $launch; exit $status",
            cases[i].options);
        struct run run = run_shell(text);
        if (run.status != 0 || !says(run.out, cases[i].said) || says(run.out, cases[i].unsaid))
            fail_msg("%s: %s%s", cases[i].options, run.out, run.err);
        run_free(&run);
    }
}

/* The launch file's partition is the GPU, whose SMs `--sms` counts. */
static void test_some_of_the_sms(void **state) {
    (void)state;
#define IN_PARTITION                                                                                         \
    "launch=$(mktemp --suffix .yaml); { cat kernels/vecadd.yaml; echo 'partition: {sms: 3, kind: mps}'; } "  \
    ">$launch; $WB analyze kernels/cubin/vecadd.sm_86.cubin -m rtx-a6000 -l $launch --deadline 1s "
#define THEN "; status=$?; rm $launch; exit $status"
    struct run run = run_shell(IN_PARTITION "--sms 1,3" THEN);
    assert_int_equal(run.status, 0);
    assert_true(says(run.out, "alone in its partition") && says(run.out, "3 of 84") &&
                says(run.out, "on some of the SMs") && says(run.out, "(N3)"));
    assert_true(says(run.out, "1 SM meets the deadline"));
    run_free(&run);
    run = run_shell(IN_PARTITION "--sms 1..4" THEN);
    assert_int_equal(run.status, 2);
    assert_true(says(run.err, "from 1 to 3"));
    run_free(&run);
    run = run_command(
        "analyze kernels/vecadd.ptx -l kernels/vecadd.yaml -m ampere-sm80 --sms 1,2 --deadline 1s");
    assert_int_equal(run.status, 1); /* of a model, which nobody accepted */
    assert_true(says(run.out, "1 SM meets the deadline in the PTX model"));
    run_free(&run);
}

/* The launch file says what others have of memory: the verdict says so, and what they could evict counts
 * nowhere. */
static void test_neighbours(void **state) {
    (void)state;
#define VECADD "kernels/cubin/vecadd.sm_86.cubin -m rtx-a6000 "
#define PARTITION "echo 'partition: {sms: 9, kind: green-context}'"
#define OTHER(rest) "interference: {of: " rest "}"
#define BUDGET "interference: {requests: 1000, bytes_per_us: 200}"
    static const struct {
        const char *also, *budget, *options;
        int status;
        const char *said, *unsaid;
    } cases[] = {
        {"true", BUDGET, VECADD, 0, "beside neighbours within the stated budget on rtx-a6000", "alone on"},
        {"true", BUDGET, VECADD, 0, "partition N6 N7", "C12"},
        {PARTITION, BUDGET, VECADD, 0, "partition N5 N6 N7", "N1"},
        {PARTITION, BUDGET, VECADD "--set interference=0,0", 0, "beside", " neighbours 1"},
        {"true", BUDGET, VECADD "--resident code-l1,block-l1", 0, "beside neighbours", "alone on"},
        {"true", BUDGET, VECADD "--resident data.1", 2,
         "others may evict what is promised (resident: data.1)", "named here\n\n"},
        {"true", "interference: {requests: 0, bytes_per_us: 4000000}", VECADD, 2,
         "others may keep memory busy for ever", "unknown"},
        {"true", "interference: {requests: 0, bytes_per_us: 4000000}", VECADD, 2,
         ":11:15: note: it is named here", "unknown"},
        {"true", BUDGET, "kernels/vecadd.ptx -m ampere-sm80", 2, "no memory that requests wait for (service)",
         "l1_size"},
        {"true", BUDGET, "kernels/vecadd.ptx -m jcse2017", 2, "beside data caches (l1_size)", "service)"},
        {"true", BUDGET, "kernels/vecadd.ptx -m ampere-sm80 --set service=2", 0, "beside neighbours", "N7"},
        {PARTITION, "", "kernels/vecadd.ptx -m ampere-sm80 --set service=2", 0, "state the memory of all SMs",
         "proven by"},
        {PARTITION, BUDGET, "kernels/vecadd.ptx -m ampere-sm80 --set service=2", 0, "N5 N6", "N1"},
        {"true", BUDGET, VECADD "--certificate /dev/null", 3, "no certificates of neighbours", "claim "},
        {PARTITION, OTHER("saxpy.yaml"), VECADD, 0, "saxpy.yaml", "stated budget"},
        {PARTITION, OTHER("saxpy.yaml, every: 1ms"), VECADD, 0, "partition N5 N6 N7 N8", "N1"},
        {PARTITION, OTHER("saxpy.yaml, every: 1xs"), VECADD, 2, "unknown unit", "bounded"},
        {PARTITION, OTHER("none.yaml"), VECADD, 2, "none.yaml", "bounded"},
        {PARTITION, OTHER("none.yaml, of: x"), VECADD, 2, "given twice", "bounded"},
        {"true", OTHER("saxpy.yaml"), VECADD, 2, "a kernel beside it needs other SMs: state a partition",
         "bounded"},
        {"echo 'partition: {sms: 84, kind: mps}'", OTHER("saxpy.yaml"), VECADD, 2,
         "the two partitions have more SMs than the GPU", "bounded"},
        {PARTITION, OTHER("saxpy.yaml"), "kernels/vecadd.ptx -m ampere-sm80 --set service=2", 2,
         "is bounded of machine code only", "N6"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        (void)snprintf(
            text, sizeof text,
            "folder=$(mktemp -d); cp kernels/cubin/saxpy.sm_86.cubin kernels/saxpy.yaml $folder; sed -i "
            "s/saxpy.ptx/saxpy.sm_86.cubin/ $folder/saxpy.yaml; { cat kernels/vecadd.yaml; echo \"%s\"; %s; "
            "} "
            ">$folder/l.yaml; $WB analyze -l $folder/l.yaml --explain %s 2>&1; status=$?; rm -r $folder; "
            "exit $status",
            cases[i].budget, cases[i].also, cases[i].options);
        struct run run = run_shell(text);
        if (run.status != cases[i].status || !says(run.out, cases[i].said) || says(run.out, cases[i].unsaid))
            fail_msg("%zu: %d, %s%s", i, run.status, run.out, run.err);
        run_free(&run);
    }
}

/* What others ask memory for does not hang on what a store takes. */
static void test_neighbours_store(void **state) {
    (void)state;
    struct run run = run_beside_folder(
        "cp kernels/cubin/saxpy.sm_86.cubin kernels/saxpy.yaml $D; "
        "sed -i s/saxpy.ptx/saxpy.sm_86.cubin/ $D/saxpy.yaml; { cat kernels/vecadd.yaml; " PARTITION
        "; echo '" OTHER("saxpy.yaml") "'; } >$D/l.yaml; for plus in memory none; do $WB analyze " VECADD
                                       "-l $D/l.yaml --set class.store_global.plus=$plus --json | grep -o "
                                       "'\"requests\": [0-9][0-9]*'; done "
                                       "| uniq -c");
    if (!says(run.out, "2 \"requests\": ")) fail_msg("%s%s", run.out, run.err);
    run_free(&run);
}

/* What others ask for rests on their facts, too. */
static void test_neighbours_facts(void **state) {
    (void)state;
    struct run run = run_beside_folder(
        "cp -r kernels/data kernels/cubin/bfs_level.sm_86.cubin kernels/bfs_level.yaml $D; "
        "sed -i s/bfs_level.ptx/bfs_level.sm_86.cubin/ $D/bfs_level.yaml; $WB facts -l $D/bfs_level.yaml "
        "$D/bfs_level.sm_86.cubin | sed 's/?;/16;/' >$D/k.facts; echo 'facts: k.facts' >>$D/bfs_level.yaml; "
        "{ cat kernels/vecadd.yaml; " PARTITION "; echo '" OTHER("bfs_level.yaml") "'; } >$D/l.yaml; "
                                                                                   "$WB analyze " VECADD
                                                                                   "-l $D/l.yaml --json");
    if (run.status != 0 || !says(run.out, "k.facts\"")) fail_msg("%d: %s%s", run.status, run.out, run.err);
    run_free(&run);
}

/* What bounds nothing does without a budget that the machine could not have. */
static void test_neighbours_of_no_bound(void **state) {
    (void)state;
    struct run run =
        run_shell("launch=$(mktemp --suffix .yaml); { cat kernels/vecadd.yaml; echo '" BUDGET "'; } "
                  ">$launch; for command in 'cache -m jcse2017' 'occupancy -m ampere-sm80'; do "
                  "$WB $command kernels/vecadd.ptx -l $launch 2>&1 || echo failed; done; rm $launch");
    assert_int_equal(run.status, 0);
    if (says(run.out, "failed") || !says(run.out, "blocks")) fail_msg("%s", run.out);
    run_free(&run);
}

/* The bound of a kernel on jetson-agx-orin. */
static json_int_t bound_on_orin(const char *kernel, const char *settings) {
    char text[400];
    json_int_t bound;
    (void)snprintf(text, sizeof text,
                   "analyze kernels/cubin/%s.sm_87.cubin -l kernels/%s.yaml -m jetson-agx-orin --json "
                   "--method kernel --policy lrr %s",
                   kernel, kernel, settings);
    json_t *root = run_json(text, 0);
    assert_int_equal(json_unpack(root, "{s:{s:I}}", "verdict", "bound", &bound), 0);
    json_decref(root);
    return bound;
}

/* Beside neighbours L2 and TLBs keep nothing; each request of theirs holds L2 and DRAM for 2.25 cycles, and
 * may have a word of atomics fetched again in 748. */
static void test_what_neighbours_cost(void **state) {
    (void)state;
    const json_int_t kept = bound_on_orin("sgemm_tiled", "");
    const json_int_t none = bound_on_orin("sgemm_tiled", "--set interference=0,0");
    assert_true(kept < none);
    assert_int_equal(none, bound_on_orin("sgemm_tiled", "--set sass.l2_keeps=0 --set sass.tlb_keeps=0"));
    assert_int_equal(bound_on_orin("sgemm_tiled", "--set interference=1000,0"), none + 2250);
    assert_int_equal(bound_on_orin("sgemm_tiled", "--set partition=8,mps --set interference=1000,0"),
                     none + 2250);
    /* 64 bytes a us at 306 MHz are one request in 153 cycles, or 2.25 cycles of them */
    assert_int_equal(bound_on_orin("sgemm_tiled", "--set interference=0,64"), none * 15300 / (15300 - 225));
    /* 200 KiB of data fit into L2, but not into a slice of it */
    assert_int_equal(bound_on_orin("sgemm_tiled", "--set partition=1,mig"),
                     bound_on_orin("sgemm_tiled", "--set partition=1,mig --set sass.l2_keeps=0"));
    assert_true(bound_on_orin("sgemm_tiled", "--set partition=1,mps") <
                bound_on_orin("sgemm_tiled", "--set partition=1,mps --set sass.l2_keeps=0"));
    const json_int_t atomics = bound_on_orin("histogram", "--set interference=0,0");
    assert_int_equal(bound_on_orin("histogram", "--set interference=1,0"), atomics + 748 + 2);
}

/* Where misses may overtake each other and merge, a block has all executions that it has otherwise. */
static void test_misses_in_any_order(void **state) {
    (void)state;
#define ONE_WARP                                                                                             \
    "analyze kernels/cubin/vecadd.sm_86.cubin -l kernels/vecadd.yaml -m rtx-a6000 -g 1 -b 32 -i 0 --scope "  \
    "block --method sib --policy lrr --json "
#define KEEPS_NOTHING "--set sass.tlb_keeps=0 --set sass.l1_keeps=0 --set sass.l2_keeps=0 "
    json_int_t found[2];
    for (int any_order = 0; any_order < 2; any_order++) {
        json_t *root = run_json(any_order ? ONE_WARP KEEPS_NOTHING
                                          : ONE_WARP KEEPS_NOTHING "--set unit.MEMORY.any_order=false",
                                0);
        found[any_order] = number(entry(root, "bounds", "method", "sib"), "cycles");
        json_decref(root);
    }
    assert_true(found[1] > found[0]);
}

#define SAXPY "analyze kernels/cubin/saxpy.sm_86.cubin -l kernels/saxpy.yaml -m rtx-a6000 --method kernel "

static json_int_t saxpy_bound(const char *promises) {
    char command[300];
    (void)snprintf(command, sizeof command, SAXPY "%s --json", promises);
    json_t *root = run_json(command, 0);
    const json_int_t cycles = json_integer_value(json_object_get(json_object_get(root, "verdict"), "bound"));
    json_decref(root);
    return cycles;
}

/* Under `said` the promise has so many cycles with it, or without. */
static void expect_saving(const char *said, const char *promise, json_int_t cycles, const char *word) {
    char expected[120], name[40];
    (void)snprintf(name, sizeof name, "\n  %s ", promise);
    (void)snprintf(expected, sizeof expected, " %%: %" JSON_INTEGER_FORMAT " cycles %s it\n", cycles, word);
    const char *line = strstr(said, name);
    assert_non_null(line);
    const char *end = strchr(line + 1, '\n') + 1;
    const size_t length = strlen(expected);
    if ((size_t)(end - line) < length || strncmp(end - length, expected, length) != 0)
        fail_msg("%s: %.*s%s", promise, (int)(end - line), line, expected);
}

/* What a promise would save, or saves, is what runs with it, or without it, differ by. */
static void test_savings(void **state) {
    (void)state;
    static const char *const promises[] = {"translations", "data", "code", "code-l1", "block-l1"};
    static const char title[] = "what promises save, or would save";
    char list[100];
    struct run run = run_command(SAXPY "--all");
    assert_non_null(strstr(run.out, title));
    for (size_t p = 0; p < sizeof promises / sizeof *promises; p++) {
        (void)snprintf(list, sizeof list, "--resident %s", promises[p]);
        expect_saving(strstr(run.out, title), promises[p], saxpy_bound(list), "with");
    }
    run_free(&run);
    run = run_command(SAXPY "--all --resident code-l1,translations --set sass.dram=650");
    expect_saving(strstr(run.out, title), "translations",
                  saxpy_bound("--set sass.dram=650 --resident code-l1"), "without");
    expect_saving(strstr(run.out, title), "code-l1",
                  saxpy_bound("--resident translations --set sass.dram=650"), "without");
    run_free(&run);
    run = run_command(SAXPY "--all --resident data.3,data.4");
    expect_saving(strstr(run.out, title), "data.3", saxpy_bound("--resident data.4"), "without");
    expect_saving(strstr(run.out, title), "data.4", saxpy_bound("--resident data.3"), "without");
    expect_saving(strstr(run.out, title), "data", saxpy_bound("--resident data"), "with");
    run_free(&run);
    run = run_command(SAXPY "--resident translations,code-l1");
    assert_non_null(strstr(run.out, "promises  save: translations "));
    assert_non_null(strstr(run.out, "; would save: data "));
    run_free(&run);
}

/* The parts of a bound, by the marks of the figures that they rest on. */
static void test_marks_of_a_bound(void **state) {
    (void)state;
    struct run run = run_command(SAXPY "--all");
    const char *said = strstr(run.out, "what the bound rests on");
    double sum = 0;
    assert_non_null(said);
    for (said = strchr(said, '\n') + 1; *said == ' '; said = strchr(said, '\n') + 1)
        sum += strtod(said + 14, NULL);
    assert_true(sum > 99.5 && sum < 100.5);
    run_free(&run);
    run = run_command(SAXPY "--all --set sass.dram=900 --set sass.l2=300");
    assert_non_null(strstr(run.out, "  given "));
    run_free(&run);
    /* Where the first level keeps what is loaded, the time of the second rests on that, too. */
#define NAIVE                                                                                                \
    "analyze kernels/cubin/sgemm_naive.sm_86.cubin -l kernels/sgemm_naive.yaml -i 0 --method elb --all "     \
    "-m rtx-a6000 "
    run = run_command(NAIVE "--set sass.l1_keeps=65536");
    assert_non_null(strstr(run.out, "\n  given "));
    run_free(&run);
    run = run_command(NAIVE "--set sass.l1_keeps=0");
    assert_non_null(strstr(run.out, "what the bound rests on"));
    assert_null(strstr(run.out, "\n  given "));
    run_free(&run);
}

/* Which figures bounds of some code rest on, those first that can be relied on least. */
static void test_figures(void **state) {
    (void)state;
    struct run run =
        run_command("machine check kernels/cubin/mandelbrot.sm_86.cubin -m rtx-a6000 --set sass.branch=20");
    const char *given = strstr(run.out, "\ngiven "), *assumed = strstr(run.out, "\nassumed ");
    const char *measured = strstr(run.out, "\nmeasured ");
    if (run.status != 0 || given == NULL || assumed == NULL || measured == NULL)
        fail_msg("%s%s", run.out, run.err);
    assert_true(given < assumed && assumed < measured);
    assert_true(says(given, "branch 20; 7 instructions"));
    assert_true(says(run.out, "fixed true") && says(run.out, "full_queue") && says(run.out, "tlb [0, 472]"));
    assert_null(strstr(run.out, "class.fp64")); /* it has none */
    assert_true(says(run.out, "class.mufu") == says(run.out, "unit.XU"));
    for (const char *line = run.out, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        assert_true(end - line <= 80);
    run_free(&run);
    static const struct {
        const char *arguments, *message;
    } refused[] = {{"kernels/cubin/mandelbrot.sm_86.cubin", "expected -m MACHINE"},
                   {"kernels/cubin/mandelbrot.sm_86.cubin -m ecrts2025-orin", "have no marks"},
                   {"kernels/mandelbrot.ptx -m rtx-a6000", "this is PTX"},
                   {"kernels/cubin/mandelbrot.sm_90.cubin -m rtx-a6000",
                    "is for sm_90; rtx-a6000 executes that for sm_86"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char arguments[200];
        (void)snprintf(arguments, sizeof arguments, "machine check %s", refused[i].arguments);
        run = run_command(arguments);
        if (run.status != 2 || strstr(run.err, refused[i].message) == NULL)
            fail_msg("%s: %s", arguments, run.err);
        run_free(&run);
    }
}

/* PTX is not what such a machine times, nor is code of another architecture. */
static void test_machines_of_machine_code(void **state) {
    (void)state;
    struct run run = run_command("analyze kernels/vecadd.ptx -l kernels/vecadd.yaml -m rtx-a6000");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "'vecadd' is PTX: --compile makes machine code of it"));
    run_free(&run);
    run = run_command("analyze kernels/cubin/vecadd.sm_80.cubin -l kernels/vecadd.yaml -m h100");
    assert_int_equal(run.status, 2);
    assert_non_null(
        strstr(run.err, "this machine executes machine code for sm_90, but 'vecadd' is for sm_80"));
    run_free(&run);
}

/* What is asked of machine code that is timed, and does not go together, is refused by name. */
static void test_wrong_requests(void **state) {
#define REDUCE "kernels/cubin/reduce.sm_86.cubin -l kernels/reduce.yaml -m rtx-a6000 "
    static const struct {
        const char *arguments;
        int status;
        const char *message;
    } refused[] = {
        {"simulate kernels/cubin/reduce.sm_87.cubin -l kernels/reduce.yaml -m rtx-a6000", 2,
         "this machine executes machine code for sm_86, but 'reduce' is for sm_87"},
        {"simulate kernels/reduce.ptx -l kernels/reduce.yaml -m rtx-a6000", 2,
         "'reduce' is PTX: --compile makes machine code of it"},
        {"analyze " REDUCE "--method aln", 3, "for machines that time PTX, not for code: sass"},
        {"analyze " REDUCE "--method code-foo", 2, "did you mean 'code-fib'?"},
        {"analyze " REDUCE "--memory ideal", 2, "requests of machine code are counted"},
        {"analyze " REDUCE "--cubin kernels/cubin/reduce.sm_86.cubin", 2, "--cubin needs PTX"},
        {"analyze " REDUCE "--lines --of code-foo", 2, "no method or policy of this name has a result"},
        {"machine show rtx-a6000 --set sass.full_queue=x", 2, "expected 'holds_issue' or 'holds_warp'"},
        {"machine show rtx-a6000 --set sass.tbl=2", 2, "did you mean sass.tlb=2?"},
        {"analyze " REDUCE "--resident l2", 2, "'l2'"},
        {"machine show rtx-a6000 --set resident=data", 2, "only `warpbound analyze` and `simulate` take it"},
        {"machine check kernels/cubin/reduce.sm_86.cubin -m rtx-a6000 --set resident=all", 2,
         "is for a launch"},
        {"occupancy " REDUCE "--set resident=code", 2, "is for a launch"},
        {"analyze " REDUCE "--set resident=data --resident code", 2, "given twice"},
        {"analyze kernels/reduce.ptx -l kernels/reduce.yaml --resident data", 2,
         "only machines that time machine code take promises"},
        {"analyze " REDUCE "--resident data --set sass.l2_size=512", 2,
         "data cannot stay resident: the launch's buffers have"},
        {"simulate " REDUCE "--resident data --set sass.l2_size=512", 2, "data cannot stay resident"},
        {"analyze " REDUCE "--resident code-l1 --set sass.l1_instruction_size=256", 2,
         "code-l1 cannot stay resident: the kernel has"},
        {"analyze " REDUCE "--resident code --set sass.l2_size=128", 2, "code cannot stay resident"},
        {"analyze " REDUCE "--resident data.5", 2, "'data.5': there is no argument of that name"},
        {"simulate " REDUCE "--resident code,data.3", 2, "'data.3': that argument is no buffer"},
        {"analyze " REDUCE "--resident data.,code", 2, "did you mean 'data'?"},
        {"analyze " REDUCE "--resident data.1 --set sass.l2_size=512", 2,
         "data cannot stay resident: the promised buffers have"},
        {"machine show rtx-a6000 --set class.mufo.write=4", 2, "did you mean 'mufu'?"},
        {"machine show rtx-a6000 --set class.mufu.write=40..10", 2, "expected a whole number"},
        {"machine show rtx-a6000 --set unit.NONE.queue=4", 2, "no unit is named 'NONE'; units: "},
        {"machine show rtx-a6000 --set mem_latency=4", 2, "is a key of machines that time PTX"},
        {"machine check kernels/cubin/no_such.cubin -m rtx-a6000", 2, "cannot read"},
        {"machine check README.md -m rtx-a6000", 2, "README.md:3:1: error: expected a PTX module"},
        {"machine calibrate sm_999 -o -", 2, "no preset of `code: sass` is for sm_999"},
        {"machine calibrate sm_86 --cubin kernels/reduce.ptx -o -", 2, "is not machine code"},
        {"machine calibrate sm_86 --ptxas /no/such -o -", 2, "is not an executable program"}};
#undef REDUCE
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct run run = run_command(refused[i].arguments);
        if (run.status != refused[i].status || strstr(run.err, refused[i].message) == NULL)
            fail_msg("%s: status %d, %s", refused[i].arguments, run.status, run.err);
        run_free(&run);
    }
}

/* Where the cycles of bounds of machine code go, by source line and by cause. */
static void test_costs(void **state) {
    static const struct {
        const char *arguments;
        const char *said[3];
    } asked[] = {{"-i 0,0,0 --of gto --lines 2", {"execution gto of the block, ", " latency ", "reduce.cu:"}},
                 {"-i 0,0,0 --of code-elb --lines 2", {"of the block, ", "breakdown", "reduce.cu:"}},
                 {"-i 0,0,0 --of code-sib --lines 2", {"upper sib of the block", " others ", "reduce.cu:"}},
                 {"--of code-k-area --lines 2", {"upper kernel of the kernel", " fetch ", "breakdown"}}};
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char command[200];
        (void)snprintf(
            command, sizeof command,
            "analyze kernels/cubin/reduce.sm_86.cubin -l kernels/reduce.yaml -m rtx-a6000 --policy gto %s",
            asked[i].arguments);
        struct run run = run_command(command);
        const char *table = strstr(run.out, "where the time goes: ");
        if (run.status != 0 || table == NULL) fail_msg("%s: %s%s", command, run.out, run.err);
        for (size_t s = 0; s < 3; s++)
            if (strstr(run.out, asked[i].said[s]) == NULL)
                fail_msg("%s: no '%s' in %s", command, asked[i].said[s], run.out);
        assert_null(strstr(table, "rounding"));
        for (const char *line = table, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
            assert_true(end - line <= 80);
        run_free(&run);
    }
}

/* Hints have the times of machine instructions. */
static void test_hints(void **state) {
    (void)state;
    struct run run =
        run_command("analyze kernels/cubin/special_functions.sm_86.cubin -l kernels/special_functions.yaml "
                    "-m rtx-a6000 --method code-k-area --policy gto --lines 1");
    const char *hints = strstr(run.out, "what would lower them");
    if (run.status != 0 || hints == NULL) fail_msg("%s%s", run.out, run.err);
    assert_non_null(strstr(hints, "MUFU.SIN keeps XU 8 cycles for a warp"));
    run_free(&run);
}

/* A call of the run-time system takes what nobody states: no bound leaves that out. */
static void test_runtime_calls_are_not_timed(void **state) {
    static const char *const kernels[][2] = {{"allocate", "malloc"}, {"print_values", "vprintf"}};
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        char command[256], message[64];
        (void)snprintf(command, sizeof command,
                       "analyze tests/data/machine_code/runtime_code.sm_86.cubin -k %s -g 1 -b 32 "
                       "-a 'buf:u32[256]=iota' -a 'buf:u32[256]=zero' -m rtx-a6000",
                       kernels[i][0]);
        (void)snprintf(message, sizeof message, "the time of a call of %s is unknown", kernels[i][1]);
        struct run run = run_command(command);
        assert_int_equal(run.status, 3);
        assert_non_null(strstr(run.err, message));
        run_free(&run);
    }
}

/* A function in a section of its own stands behind the kernel that calls it. */
static void test_function_of_another_section(void **state) {
    (void)state;
    struct run run =
        run_command("path tests/data/cubin/other_section.sm_86.cubin -g 1 -b 32 -a 'buf:f32[4]=iota'");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "0x0000-0x00a0"));
    assert_non_null(strstr(run.out, "0x0180-0x0190"));
    run_free(&run);
}

/* Files that are damaged end with one line, wherever the damage is. */
static void test_cut_short(void **state) {
    (void)state;
    struct run run =
        run_shell("for bytes in 20 40 200 1000 3000 5000; do head -c $bytes "
                  "kernels/cubin/vecadd.sm_86.cubin | \"$WB\" print - 2>&1; echo \"status $?\"; done");
    assert_int_equal(count_of(run.out, "-: error: "), 6);
    assert_int_equal(count_of(run.out, "status 2"), 6);
    assert_non_null(strstr(run.out, "this cubin is cut short"));
    run_free(&run);
}

static void test_standard_input(void **state) {
    (void)state;
    struct run file = run_command("print kernels/cubin/vecadd.sm_86.cubin");
    struct run stream = run_shell("\"$WB\" print - < kernels/cubin/vecadd.sm_86.cubin");
    assert_int_equal(file.status, 0);
    assert_int_equal(stream.status, 0);
    assert_string_equal(file.out, stream.out);
    assert_non_null(strstr(file.out, "IMAD.WIDE"));
    run_free(&file);
    run_free(&stream);
}

/* ---- Registers and shared memory ----------------------------------------------------------------------- */

static void check_occupancy(const char *arguments, const char *registers, const char *shared) {
    struct run run = run_command(arguments);
    char line[128];
    (void)snprintf(line, sizeof line, "registers  %s a thread: as the machine code says\n", registers);
    if (run.status != 0 || strstr(run.out, line) == NULL || strstr(run.out, shared) == NULL)
        fail_msg("%s: %s%s", arguments, run.out, run.err);
    run_free(&run);
}

/* What sm_90 keeps of shared memory is counted once, and other architectures have it only in the machine. */
static void test_occupancy(void **state) {
    (void)state;
    check_occupancy("occupancy " SGEMM, "39", " 2048 bytes of shared memory");
    check_occupancy(
        "occupancy kernels/cubin/sgemm_tiled.sm_90.cubin -l kernels/sgemm_tiled.yaml -m hopper-sm90", "32",
        " 2048 bytes of shared memory");
    check_occupancy("occupancy kernels/cubin/fir.sm_90.cubin -l kernels/fir.yaml -m hopper-sm90", "26",
                    " 572 bytes of shared memory");
    check_occupancy("occupancy kernels/cubin/vecadd.sm_90.cubin -l kernels/vecadd.yaml -m hopper-sm90", "12",
                    " 0 bytes of shared memory");
}

/* Times that say too little of hopper-sm90. */
#define TOO_FAST "hopper-sm90 --set class.compare.latency=0 --set class.fp32.latency=1 "

/* Stall counts of machine code refute a machine: no deadline is met by what rests on it. */
static void test_refuted_machine(void **state) {
    (void)state;
    struct run run = run_command("analyze kernels/mandelbrot.ptx -l kernels/mandelbrot.yaml -m " TOO_FAST
                                 "--cubin kernels/cubin/mandelbrot.sm_90.cubin --method k-area --policy gto "
                                 "--deadline 1ms");
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.out, "machine code refutes the PTX"));
    assert_non_null(strstr(run.out, "  stalls    "));
    assert_non_null(strstr(run.out, "(src/mandelbrot.cu:7-11)"));
    assert_non_null(strstr(run.out, "  refuted   the machine hopper-sm90, for this code: "));
    assert_non_null(strstr(run.err, "no proven bound to compare with the deadline"));
    run_free(&run);
    json_t *json = run_json(
        "analyze kernels/mandelbrot.yaml --cubin kernels/cubin/mandelbrot.sm_90.cubin --method k-area "
        "--policy gto --json",
        0);
    const json_t *input = json_array_get(json_object_get(json, "inputs"), 1);
    assert_string_equal(json_string_value(json_object_get(input, "role")), "cubin");
    assert_string_equal(json_string_value(json_object_get(input, "path")),
                        "kernels/cubin/mandelbrot.sm_90.cubin");
    json_decref(json);
}

#define TWICE "-l tests/data/stream/mandelbrot_twice.yaml --method k-area --policy gto "

/* Of a list each launch is held against its kernel of the file; one that is refuted leaves no bound. */
static void test_refuted_list(void **state) {
    static const struct {
        const char *machine, *state;
        bool refuted;
    } cases[] = {{TOO_FAST, "unproven", true}, {"fermi-sm20 --set mem_latency=60000", "bounded", false}};
    char command[300];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(command, sizeof command,
                       "analyze kernels/mandelbrot.ptx --cubin kernels/cubin/mandelbrot.sm_90.cubin " TWICE
                       "--json -m %s",
                       cases[i].machine);
        json_t *json = run_json(command, 0);
        assert_string_is(json_object_get(json, "verdict"), "state", cases[i].state);
        const json_t *launches = json_object_get(json, "launches");
        assert_int_equal(json_array_size(launches), 2);
        for (size_t l = 0; l < 2; l++) {
            const json_t *verdict = json_object_get(json_array_get(launches, l), "verdict");
            json_t *stalls = json_object_get(verdict, "stalls");
            assert_true(number(stalls, "cycles") > 3700 && number(stalls, "waits") < 100);
            assert_int_equal(json_is_string(json_object_get(verdict, "refuted")), cases[i].refuted);
        }
        json_decref(json);
    }
    struct run run =
        run_command("analyze kernels/mandelbrot.ptx --cubin kernels/cubin/mandelbrot.sm_90.cubin " TWICE
                    "-m " TOO_FAST "--deadline 1ms");
    assert_int_equal(run.status, 3);
    assert_non_null(strstr(run.out, "  stalls    launch 1: "));
    assert_non_null(strstr(run.out, "  refuted   in launch 1, and in 1 other, the machine hopper-sm90"));
    run_free(&run);
    run = run_command("analyze kernels/mandelbrot.ptx --cubin kernels/cubin/reduce.sm_90.cubin " TWICE);
    assert_int_equal(run.status, 2);
    run_free(&run);
}

static void test_other_numbers_of_registers(void **state) {
    (void)state;
    struct run run = run_command("occupancy " SGEMM "--registers 40");
    assert_int_equal(run.status, 0);
    assert_non_null(
        strstr(run.err, "--registers: warning: 40 registers a thread are ignored: the machine code has 39"));
    run_free(&run);
    run = run_command("occupancy " SGEMM "-m ecrts2025-orin --registers 39");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    run_free(&run);
}

static void test_json(void **state) {
    (void)state;
    json_t *root = run_json("occupancy " SGEMM "--json", 0);
    json_t *registers = json_object_get(root, "registers");
    assert_string_is(registers, "source", "code");
    assert_int_equal(number(registers, "least"), 39);
    assert_int_equal(number(registers, "most"), 39);
    json_decref(root);
}

/* Where no machine is named, the one that is taken is of another architecture than the code may be. */
static void test_architecture_of_the_machine(void **state) {
    (void)state;
    struct run run =
        run_command("occupancy kernels/cubin/sgemm_tiled.sm_90.cubin -l kernels/sgemm_tiled.yaml");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(
        run.err, "kernels/cubin/sgemm_tiled.sm_90.cubin: note: this machine code is for sm_90, but the "
                 "default machine is ecrts2025-orin; a preset that times it: -m h100\n"));
    run_free(&run);
    run = run_command("occupancy kernels/cubin/sgemm_tiled.sm_75.cubin -l kernels/sgemm_tiled.yaml");
    assert_non_null(strstr(run.err, "note: this machine code is for sm_75, but the default machine is "
                                    "ecrts2025-orin; a preset that times it: -m turing-rtx2080\n"));
    run_free(&run);
    run = run_command("occupancy " SGEMM);
    assert_string_equal(run.err,
                        "kernels/cubin/sgemm_tiled.sm_86.cubin: note: this machine code is for sm_86, but "
                        "the default machine is ecrts2025-orin; a preset that times it: "
                        "-m rtx-a6000\n");
    run_free(&run);
    run = run_command(
        "occupancy kernels/cubin/sgemm_tiled.sm_90.cubin -l kernels/sgemm_tiled.yaml -m hopper-sm90");
    assert_string_equal(run.err, "");
    run_free(&run);
    run = run_command(
        "occupancy kernels/cubin/sgemm_tiled.sm_87.cubin -l kernels/sgemm_tiled.yaml -m ecrts2025-orin");
    assert_string_equal(run.err, "");
    run_free(&run);
#ifdef WB_WING_ABSTRACT_CTA
    run = run_command(
        "occupancy kernels/cubin/sgemm_tiled.sm_90.cubin -l kernels/sgemm_tiled.yaml -m hirvisalo");
    assert_string_equal(run.err, "");
    run_free(&run);
#endif
    run = run_command(
        "occupancy kernels/cubin/sgemm_tiled.sm_86.cubin -l kernels/sgemm_tiled.yaml -m ampere-sm80");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err,
                        "kernels/cubin/sgemm_tiled.sm_86.cubin: note: this machine code is for sm_86, but "
                        "the machine ampere-sm80 has another architecture; a preset that times it: "
                        "-m rtx-a6000\n");
    run_free(&run);
}

/* A bound says whether it is one of PTX. */
static void test_what_is_bounded(void **state) {
    (void)state;
    static const struct {
        const char *arguments;
        bool of_ptx;
    } cases[] = {
        {"kernels/vecadd.ptx -l kernels/vecadd.yaml -m ampere-sm80 --method k-area", true},
        {"kernels/cubin/vecadd.sm_80.cubin -l kernels/vecadd.yaml -m ampere-sm80 --method k-area", false},
        {"kernels/cubin/vecadd.sm_80.cubin -l kernels/vecadd.yaml -m a100 --method code-k-area", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[200];
        (void)snprintf(command, sizeof command, "analyze %s --json", cases[i].arguments);
        json_t *root = run_json(command, 0);
        const json_t *verdict = json_object_get(root, "verdict");
        assert_int_equal(json_is_true(json_object_get(verdict, "of_ptx")), cases[i].of_ptx);
        json_decref(root);
        (void)snprintf(command, sizeof command, "analyze %s", cases[i].arguments);
        struct run run = run_command(command);
        assert_int_equal(count_of(run.out, "scope     the PTX model, not your compiled code"),
                         cases[i].of_ptx);
        run_free(&run);
    }
}

/* ---- Launch files -------------------------------------------------------------------------------------- */

/* A launch file names a cubin, and one of the same name is found without that; `init` writes one. */
static void test_launch_files(void **state) {
    (void)state;
    struct run run = run_shell(
        "set -e; at=$(mktemp -d); trap 'rm -r \"$at\"' EXIT; cp kernels/cubin/vecadd.sm_86.cubin \"$at\"\n"
        "sed 's/^code:.*/code: vecadd.sm_86.cubin/' kernels/vecadd.yaml > \"$at/named.yaml\"\n"
        "sed '/^code:/d' kernels/vecadd.yaml > \"$at/vecadd.sm_86.yaml\"\n"
        "for file in named vecadd.sm_86; do \"$WB\" path \"$at/$file.yaml\" | head -1; done\n"
        "cd \"$at\"; rm vecadd.sm_86.yaml; \"$WB\" init vecadd.sm_86.cubin | head -1; cat vecadd.sm_86.yaml");
    assert_int_equal(run.status, 0);
    assert_int_equal(count_of(run.out, "vecadd: block 0,0,0 of grid 2,1,1"), 2);
    assert_non_null(strstr(run.out, "vecadd.sm_86.yaml: written"));
    assert_non_null(strstr(run.out, "code: \"vecadd.sm_86.cubin\""));
    assert_null(strstr(run.out, "registers"));
    run_free(&run);
}

/* What `init` makes of parameters that have no types in the file: what the code does with them. */
static void test_parameters(void **state) {
    (void)state;
    static const struct {
        const char *cubin, *expected;
    } cases[] = {
        {"saxpy.sm_75", "b32 f32 buf:f32,read buf:f32,read&written"},
        {"saxpy.sm_90", "b32 f32 buf:f32,read buf:f32,read&written"},
        {"nbody_f64.sm_86", "buf:f64,read buf:f64,read buf:f64,read b32 f64 buf:b64,written buf:b64,written "
                            "buf:b32,written"},
        {"bfs_level.sm_80", "buf:b32,read buf:b32,read buf:b32,read buf:u8,written b32 b32"},
        {"histogram.sm_89", "buf:u8,read buf:u32,read&written b32"},
        {"stencil5.sm_87", "buf:f32,read buf:f32,written b32 b32 f32 f32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char script[300];
        (void)snprintf(script, sizeof script,
                       "\"$WB\" init kernels/cubin/%s.cubin -o - | sed -n '/^  - /{s/ and /\\&/;"
                       "s/.*\"\\([a-z0-9:]*\\)[:[]___.*, \\([a-z&]*\\)$/\\1,\\2/;"
                       "s/.*\"\\([a-z0-9]*\\):___.*/\\1/;p;}' | tr '\\n' ' '",
                       cases[i].cubin);
        struct run run = run_shell(script);
        run.out[strlen(run.out) - 1] = '\0';
        assert_string_equal(run.out, cases[i].expected);
        run_free(&run);
    }
    struct run run = run_shell(
        "set -e; at=$(mktemp -d); trap 'rm -r \"$at\"' EXIT; cp kernels/cubin/saxpy.sm_86.cubin \"$at\"\n"
        "cd \"$at\"; \"$WB\" init saxpy.sm_86.cubin -o - | sed 's/^grid: ___/grid: 2/; "
        "s/block: ___/block: 64/; s/___/100/' > s.yaml; \"$WB\" analyze s.yaml -m rtx-a6000 --inputs any");
    if (run.status != 0) fail_msg("%s", run.err);
    assert_non_null(strstr(run.out, "bounded: the kernel takes at most"));
    run_free(&run);
}

/* A kernel of several is found by its name, demangled or not, in a list of launches, too. */
static void test_several_kernels(void **state) {
    (void)state;
    struct run run =
        run_command("analyze kernels/cubin/horner.sm_86.cubin -l kernels/horner_stream.yaml --method k-area");
    if (run.status != 0) fail_msg("%s", run.err);
    assert_non_null(strstr(run.out, "horner"));
    run_free(&run);
    run = run_command("path kernels/cubin/horner.sm_86.cubin -l kernels/horner_f64.yaml");
    if (run.status != 0) fail_msg("%s", run.err);
    run_free(&run);
}

static void test_inputs_of_results(void **state) {
    (void)state;
    json_t *root =
        run_json("analyze kernels/cubin/vecadd.sm_86.cubin -l kernels/vecadd.yaml --method k-area --json", 0);
    json_t *code = entry(root, "inputs", "role", "cubin");
    assert_string_is(code, "path", "kernels/cubin/vecadd.sm_86.cubin");
    json_decref(root);
}

/* ---- Traces -------------------------------------------------------------------------------------------- */

#define CODE_OF_TRACE "kernels/cubin/vecadd.sm_87.cubin "
#define TRACE "tests/kernels/data/vecadd.traceg"
#define TRACED CODE_OF_TRACE "--trace " TRACE " -m jetson-agx-orin"
#define GIVEN                                                                                                \
    CODE_OF_TRACE "-m jetson-agx-orin -g 2 -b 32 -a 'buf:f32[40]=random(1)' -a 'buf:f32[40]=random(2)' -a "  \
                  "'buf:f32[40]=zero' -a i32:40"

/* The number of a member, of an object in another one. */
static json_int_t number_in(const json_t *document, const char *object, const char *key) {
    return json_integer_value(json_object_get(json_object_get(document, object), key));
}

/* A trace says what the same launch does: the numbers are the same, and what they hold for is said. */
static void test_a_trace_in_place_of_arguments(void **state) {
    (void)state;
    struct run traced = run_command("analyze " TRACED " --json"),
               given = run_command("analyze " GIVEN " --json");
    assert_int_equal(traced.status, 0);
    json_t *a = json_loads(traced.out, 0, NULL), *b = json_loads(given.out, 0, NULL);
    assert_true(number_in(b, "verdict", "bound") > 0);
    assert_int_equal(number_in(a, "verdict", "bound"), number_in(b, "verdict", "bound"));
    assert_string_equal(json_string_value(json_object_get(json_object_get(a, "launch"), "inputs")), "traced");
    json_decref(a);
    json_decref(b);
    run_free(&traced);
    run_free(&given);
    struct run run = run_command("analyze " TRACED " --all");
    assert_contains(run.out, "inputs   one execution, which was recorded in " TRACE "\n");
    assert_contains(run.out, "E31");
    run_free(&run);
    traced = run_command("analyze " TRACED " -i 1 -q");
    given = run_command("analyze " GIVEN " -i 1 -q");
    assert_int_equal(traced.status, 0);
    assert_string_equal(traced.out, given.out);
    run_free(&traced);
    run_free(&given);
    run =
        run_beside_folder("cp " CODE_OF_TRACE " $D/k.cubin; cp " TRACE " $D; printf 'code: k.cubin\ntrace: "
                          "vecadd.traceg\n' > $D/l.yaml; \"$WB\" simulate $D/l.yaml -m jetson-agx-orin 2>&1");
    assert_int_equal(run.status, 0);
    run_free(&run);
}

static const struct failure_case traces[] = {
    {"analyze " TRACED " --inputs any", 2, "a trace is one execution: it says nothing of other inputs"},
    {"analyze " TRACED " -a i32:40", 2, "omit arguments, variables and shared memory"},
    {"analyze " TRACED " -g 3", 2, "the trace has another grid or block than the launch"},
    {"analyze " TRACED " -i 2", 2, "the grid of the trace has no block 2,0,0"},
    {"analyze " TRACED " --set resident=data", 2, "a trace does not say how large buffers are"},
    {"analyze kernels/vecadd.ptx --trace " TRACE, 2,
     "a trace is of machine code: name the cubin that was traced"},
    {"analyze kernels/cubin/saxpy.sm_87.cubin -k saxpy --trace " TRACE " -m jetson-agx-orin", 2,
     "it is of other code"},
};

static void test_traces_that_do_not_fit(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
        check_failure(&traces[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_trace_in_place_of_arguments),
        cmocka_unit_test(test_traces_that_do_not_fit),
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_unsupported_instructions_are_named),
        cmocka_unit_test(test_kernels_in_clusters_are_not_bounded),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_some_of_the_sms),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_neighbours_store),
        cmocka_unit_test(test_neighbours_facts),
        cmocka_unit_test(test_neighbours_of_no_bound),
        cmocka_unit_test(test_what_neighbours_cost),
        cmocka_unit_test(test_misses_in_any_order),
        cmocka_unit_test(test_savings),
        cmocka_unit_test(test_marks_of_a_bound),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_machines_of_machine_code),
        cmocka_unit_test(test_wrong_requests),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_hints),
        cmocka_unit_test(test_runtime_calls_are_not_timed),
        cmocka_unit_test(test_function_of_another_section),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_occupancy),
        cmocka_unit_test(test_refuted_machine),
        cmocka_unit_test(test_refuted_list),
        cmocka_unit_test(test_other_numbers_of_registers),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_architecture_of_the_machine),
        cmocka_unit_test(test_what_is_bounded),
        cmocka_unit_test(test_launch_files),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_several_kernels),
        cmocka_unit_test(test_inputs_of_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
