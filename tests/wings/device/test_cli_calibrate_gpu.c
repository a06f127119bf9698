/* `warpbound machine calibrate --gpu` as a user runs it, on a stand-in for the GPU's driver whose accesses
 * take what it is told, and that lies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"
#include "wings/device/driver.h"

/* A small GPU, of which soon all is seen. */
#define SMALL "sms=2,l1-lines=64,l2-bytes=32768,memory-bytes=16777216,cubin=" WB_PROBES

/* Runs it with STAND_IN set; freed with run_free. */
static struct run calibrate(const char *stand_in, const char *arguments) {
    char text[1200];
    (void)snprintf(text, sizeof text,
                   "STAND_IN='%s," SMALL "' \"$WB\" machine calibrate --gpu -n 100 %s --driver %s", stand_in,
                   arguments, WB_STAND_IN);
    return run_shell(text);
}

static void check(const struct run *run, int status, const char *in_out, const char *in_err) {
    if (run->status != status || strstr(run->out, in_out) == NULL || strstr(run->err, in_err) == NULL)
        print_error("%d, expected %d, %s, %s\n%s%s", run->status, status, in_out, in_err, run->out, run->err);
    assert_int_equal(run->status, status);
    assert_contains(run->out, in_out);
    assert_contains(run->err, in_err);
}

/* ---- What is measured ---------------------------------------------------------------------------------- */

struct found_case {
    const char *stand_in, *arguments, *out[9], *err[9];
};

static const struct found_case found[] = {
    /* Each latency that the stand-in has is found to the cycle. */
    {"mhz=1300,l1=34,l2=177,shared=23,atomic=31,atomic-shared=40",
     "",
     {"\n  load_shared: {write: [11, 23]}\n", "\n  l1: [20, 34]\n  l2: [140, 177]\n",
      "\n  atomic_global: {write: [0, 32]}\n", "\n  atomic_shared: {write: [0, 40]}\n"},
     {""}},
    /* On a lower clock than the machine's highest, memory takes fewer cycles than it can. The machine stands
     * on the preset of the GPU, or on one that is named. */
    {"l1=17,l2=177,shared=14,l1-lines=200",
     "",
     {" 177      223 stands\n", "  sm: 87\n  l1: [10, 17]\n", "\n  load_shared: {write: [8, 14]}\n",
      "\n# l1_keeps            25600      21504\n",
      "base: jetson-agx-orin\nname: \"jetson-agx-orin-measured-here\"\n", "memory:\n  sms: 2\n",
      "# Machine code of the kernels: what they are to time.\n"},
     {""}},
    {"sms=8,called=Jetson Orin NX,one-sm,moving-clock=3,dram=180",
     "-n 2",
     {"base: jetson-orin-nx\n"},
     {"Jetson Orin NX: warning: some figures are of 1 of 8 SMs: the others were not seen"}},
    /* What stands of the preset unless it is too small: */
    {"dram=748,tlb=400,constant-miss=1200,barrier=28,conflict=2,code-miss=1299,dispatch=200",
     "",
     {" 748      771 stands\n", "\n# barrier               200      29 "},
     {""}},
    {"dram=1300,tlb=700,tlb-pages=4,constant-miss=1300,barrier=64,conflict=5,word=300,code-miss=1400,"
     "dispatch="
     "400",
     "",
     {"\n  dram: [300, 1300]\n", "\n  tlb: [0, 700]\n", "\n  load_constant: {write: [0, 1300]}\n",
      "\nbarrier_release: 65\n", "\n  load_shared: {write: [11, 27], each_2: 6}\n", "\n  atomic_word: 300\n",
      "\n  l1_instruction_miss: 1400\n", "\n  dispatch_latency: 435\n", "\nlaunch_overhead: 20"},
     {"jetson-agx-orin: warning: sass.dram is too small for this GPU: 1300 cycles were measured, and 771 are "
      "charged",
      "sass.tlb is too small for this GPU: 880 cycles were measured",
      "class.load_constant.write is too small for this GPU", "barrier_release is too small for this GPU",
      "class.load_shared.each_2 is too small for this GPU: 184 cycles were measured, and 93 are charged",
      "sass.atomic_word is too small for this GPU",
      "sass.l1_instruction_miss is too small for this GPU: 1400 cycles were measured, and 1300 are charged",
      "memory.dispatch_latency is too small for this GPU", "launch_overhead is too small for this GPU"}},
    {"line=3,store=9000,words=200",
     "",
     {"\n  load_global: {each_2: 4}\n",
      "\n  store_global: {init_3: 9002, each_3: ", "\n  atomic_global: {write: [0, 2"},
     {"class.load_global.each_2 is too small for this GPU: ",
      "class.store_global.init_3 is too small for this GPU: ",
      "class.store_global.each_3 is too small for this GPU: ",
      "class.atomic_global.write is too small for this GPU: "}},
    {"dram=9000,barrier=200",
     "",
     {"\n  load_global: {each_3: 18}\n", "\nbarrier_release: 202\n"},
     {"class.load_global.each_3 is too small",
      "barrier_release is too small for this GPU: 202 cycles were measured, and 126 are charged"}},
    /* What levels keep: as many lines, or pages, as they have. */
    {"l1-lines=100,l2-lines=320,tlb-pages=6,sms=1",
     "",
     {"\n  l1_keeps: 12800\n", "\n  l2_keeps: ", "\n  tlb_keeps: "},
     {"sass.l2_keeps is too large for this GPU",
      "sass.l1_keeps is too large for this GPU: of more than 12800 some accesses missed",
      "sass.tlb_keeps is too large for this GPU: of more than "}},
    /* Slow ones among many are not averaged away. */
    {"tail=300",
     "--margin 10",
     {"\n  l2: [140, 528]\n"},
     {"sass.l2 is too small for this GPU: 480 cycles were measured, and 223 are charged"}},
    /* Code that nobody has looked at makes no figure smaller; hits as slow as misses show nothing of what is
     * kept. */
    {"l1=34,l2=800,no-cubin",
     "",
     {"# Machine code of the kernels: not checked: the driver gives nobody the machine code",
      "\n  sm: 87\n  l2: [140, 800]\n", "\n# l2_keeps          unknown    2097152\n"},
     {"stand-in: warning: machine code not checked: the driver gives nobody the machine code",
      "sass.l2 is too small for this GPU: 800 cycles were measured"}},
    {"sm=90,no-nvml,no-cubin,dram=180",
     "-n 2 -m h200",
     {"base: h200\n", "clock not known", "# launch                  0 ",
      "memory:\n  sms: 2\nsass:\n  sm: 90\n"},
     {""}},
};

static void test_figures_are_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        struct run run = calibrate(found[i].stand_in, found[i].arguments);
        for (size_t t = 0; t < 9; t++)
            check(&run, 0, found[i].out[t] != NULL ? found[i].out[t] : "",
                  found[i].err[t] != NULL ? found[i].err[t] : "");
        run_free(&run);
    }
}

/* A source for each figure, which says how it was measured. */
static void test_the_file_is_a_machine(void **state) {
    (void)state;
    struct run run = run_beside_folder(
        "STAND_IN=" SMALL ",mhz=1300,l2=190 \"$WB\" machine calibrate --gpu -n 100 --driver " WB_STAND_IN
        " -o \"$D/m.yaml\" && \"$WB\" machine show \"$D/m.yaml\"");
    check(&run, 0, "  l2: [140, 190]\n", "launch_overhead is too small");
    assert_true(says(run.out, "measured here: l2, n 200 on 2 SMs, largest 190, p99 190, least 190; stand-in "
                              "(sm_87, 2 SMs), driver 570.0, CUDA 12.8, SMs at 1300 MHz"));
    run_free(&run);
}

/* Machine code of other kernels is not run. */
static void test_machine_code_is_checked(void **state) {
    (void)state;
    struct run run = calibrate("cubin=tests/data/calibration/sm_87.cubin", "");
    check(&run, 3, "",
          "empty: error: the machine code of this kernel is not what it is to time: it is not there");
    run_free(&run);
}

static void test_the_page_has_pictures(void **state) {
    (void)state;
    struct run run = run_beside_folder(
        "STAND_IN=" SMALL ",no-cubin,tail=300 \"$WB\" machine calibrate --gpu -n 100 --driver " WB_STAND_IN
        " --report \"$D/p.html\" 2>&1 >&- ; cat \"$D/p.html\"");
    assert_contains(run.out, "<h1>Measured here: stand-in (sm_87, 2 SMs)");
    assert_contains(run.out, "<strong>Machine code not checked:</strong>");
    assert_contains(run.out, "<strong>too small</strong>");
    assert_contains(run.out, "<figure><svg ");
    assert_contains(run.out, "</html>\n");
    run_free(&run);
}

/* ---- Lies ---------------------------------------------------------------------------------------------- */

struct lie {
    const char *stand_in, *message;
};

static const struct lie lies[] = {
    {"no-device", "the driver has no GPU"},
    {"late-host", "launches of launch the clock moved or was throttled, or the host was late"},
    {"moving-clock=1",
     "stand-in: error: in all of 4 launches of empty the clock moved or was throttled, or the host "
     "was late: no time is known"},
    {"throttle", "the clock moved or was throttled"},
    {"clock-back=700", "error: the clock of SM "},
    {"clock-stops", "stand-in: error: the clock of an SM stood still between two reads"},
    {"wrong-result", "went another way through memory than its chain leads"},
    {"hang=cuStreamSynchronize", "driver: error: a call did not return within 0.5 seconds"},
    {"crash=cuLaunchKernel", "driver: error: the process that calls it died of signal"},
    {"sms=0", "stand-in: error: has 0 SMs"},
    {"sms=2000", "stand-in: error: has 2000 SMs"},
};

static void test_lies_are_noticed(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct run run = calibrate(lies[i].stand_in, "--patience 0.5");
        check(&run, 3, "", lies[i].message);
        assert_string_equal(run.out, "");
        run_free(&run);
    }
}

/* Calls that this command makes, and `measure` does not. */
static void test_each_failing_call_is_named(void **state) {
    (void)state;
#define CALL(name, suffix, parameters) {#name, suffix},
    static const struct {
        const char *name, *suffix;
    } calls[] = {
        LINKER_FUNCTIONS(CALL){"cuMemAlloc", "_v2"}, {"cuModuleGetGlobal", "_v2"}, {"cuCtxSynchronize", ""}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char lie[400], message[120];
        (void)snprintf(lie, sizeof lie, "cubin=" WB_PROBES ",error=%s%s:999", calls[i].name, calls[i].suffix);
        (void)snprintf(message, sizeof message, "error: %s failed: CUDA_ERROR_UNKNOWN (999)", calls[i].name);
        struct run run = calibrate(lie, "");
        check(&run, 3, "", message);
        run_free(&run);
    }
}

/* ---- Without a GPU ------------------------------------------------------------------------------------- */

static const struct failure_case failures[] = {
    {"machine calibrate --gpu --driver no-such-driver.so.1", 3,
     "no-such-driver.so.1: error: the GPU's driver cannot be opened, without which nothing is measured"},
    {"machine calibrate sm_87 --gpu", 2, "--gpu: expected `machine calibrate` alone"},
    {"machine list --gpu", 2, "--gpu: expected `machine calibrate` alone"},
    {"machine calibrate sm_87 --driver x", 2, "--driver, -n, --margin, --patience and --report"},
    {"machine calibrate --gpu --set clock_mhz=1", 2, "--set, --cubin and --ptxas have no effect"},
    {"machine calibrate --gpu -n 0", 2, "a number from 1 to 10000000"},
    {"machine calibrate --gpu --margin 1001", 2, "percent, from 0 to 1000"},
    {"machine calibrate --gpu -o x.yaml --report x.yaml", 2, "two outputs cannot share one file"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
    struct run run = calibrate("sm=60,dram=180", "-n 2");
    check(&run, 2, "", "no preset of `code: sass` is for sm_60");
    run_free(&run);
    run = calibrate("dram=180", "-n 2 -m h100");
    check(&run, 2, "", "h100: error: is a machine for sm_90, but this GPU is of sm_87");
    run_free(&run);
    run = calibrate("dram=180", "-n 2 -m jcse2017");
    check(&run, 2, "", "times PTX");
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_are_found),          cmocka_unit_test(test_the_file_is_a_machine),
        cmocka_unit_test(test_machine_code_is_checked),    cmocka_unit_test(test_the_page_has_pictures),
        cmocka_unit_test(test_lies_are_noticed),           cmocka_unit_test(test_each_failing_call_is_named),
        cmocka_unit_test(test_failures_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
