/* `warpbound occupancy`, and what --registers does to bounds and simulations, as a user runs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define SGEMM "kernels/sgemm_tiled.ptx -l kernels/sgemm_tiled.yaml "
#define STENCIL "kernels/stencil5.ptx -l kernels/stencil5.yaml "
#define REGISTERS "registers: expected a number from 1 to 255"
#define NO_LIMITS                                                                                            \
    "--set limits.blocks=0 --set limits.warps=0 --set limits.threads=0 --set limits.registers=0 --set "      \
    "limits.shared_bytes=0 --set limits.threads_per_block=0 --set limits.thread_registers=0 --set "          \
    "limits.shared_per_block=0"

static const struct failure_case failures[] = {
    {"occupancy", 2, "expected one PTX file"},
    {"occupancy kernels/none.ptx -b 32", 2, "kernels/none.ptx"},
    {"occupancy kernels/sgemm_tiled.ptx", 2, "the number of threads in a block is missing"},
    {"occupancy " SGEMM "--registers 0", 2, ": error: " REGISTERS},
    {"occupancy " SGEMM "--registers 256", 2, ": error: " REGISTERS},
    {"occupancy " SGEMM "--registers -1", 2, ": error: " REGISTERS},
    {"occupancy " SGEMM "--registers 32x", 2, ": error: " REGISTERS},
    {"occupancy " SGEMM "--registers ''", 2, ": error: " REGISTERS},
    {"occupancy " SGEMM "--registers", 2, "expected a value after it"},
    {"analyze " SGEMM "--registers 999", 2, REGISTERS},
    {"simulate " SGEMM "--registers 999", 2, REGISTERS},
    {"print kernels/sgemm_tiled.ptx --registers 32", 2, "--registers: error: not an option of print"},
    {"analyze docs/examples/none.yaml --registers 32", 2, "a block file takes no kernel"},
    {"occupancy " SGEMM "-m none", 2, "none"},
    {"occupancy kernels/horner.ptx -l kernels/horner_stream.yaml", 2,
     "expected one launch, got a list of launches"},
    {"occupancy " SGEMM "--set limits.warp_unit=x", 2, "limits.warp_unit=x"},
    {"occupancy " SGEMM "--format dot", 2, "--format dot: error: expected text or json"},
    {"occupancy " SGEMM NO_LIMITS, 3, "the machine does not state the resources of an SM"},
    /* What an analysis says of a block for which there is no room. */
    {"analyze " SGEMM "--set limits.threads=128", 2,
     "ecrts2025-orin: error: an SM has no room for a block of 8 warps, 2048 bytes of shared memory and 1 or "
     "more "
     "registers a thread"},
    {"analyze " SGEMM "--registers 255 --set limits.registers=32768", 2,
     "ecrts2025-orin: error: an SM has no room for a block of 8 warps, 2048 bytes of shared memory and 255 "
     "registers a thread"},
    {"analyze " STENCIL "-m jcse2017 --scheme default --registers 255", 2, "and 255 registers a thread"},
    {"simulate " STENCIL "-m jcse2017 --scheme reorder --registers 255", 2, "and 255 registers a thread"},
    {"cache " STENCIL "--registers 255", 2, "and 255 registers a thread"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* The whole report, with registers unknown and known. */
static void test_text(void **state) {
    (void)state;
    struct run run = run_command("occupancy " SGEMM "-m ecrts2025-orin");
    assert_int_equal(run.status, 0);
    assert_string_equal(
        run.out, "kernel     sgemm_tiled (kernels/sgemm_tiled.ptx)\n"
                 "block      16x16x1 threads: 8 warps, 2048 bytes of shared memory\n"
                 "machine    ecrts2025-orin\n"
                 "registers  1 to 255 a thread: not given, at most what a thread of the machine can have\n"
                 "\n"
                 "resource               a block takes     an SM has      blocks\n"
                 "blocks                             1            16          16\n"
                 "warps                              8            48           6\n"
                 "threads                          256          1536           6\n"
                 "registers              2048 to 65536         65536     1 to 32\n"
                 "shared memory                   3072        102400          33\n"
                 "\n"
                 "resident   1 to 6 blocks, 8 to 48 of 48 warps: occupancy 16.7 to 100.0 %\n"
                 "at most limited by warps and threads, at least by registers\n"
                 "\n"
                 "room for\n"
                 "  2 blocks with at most 128 registers a thread\n"
                 "  3 blocks with at most 80 registers a thread\n"
                 "  4 blocks with at most 64 registers a thread\n"
                 "  5 blocks with at most 48 registers a thread\n"
                 "  6 blocks with at most 40 registers a thread\n");
    run_free(&run);
    run = run_command("occupancy " SGEMM "-m hopper-sm90 --registers 48 --shared 40000");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "registers  48 a thread: as given\n"));
    assert_non_null(strstr(run.out,
                           "resident   5 blocks, 40 of 64 warps: occupancy 62.5 %\n"
                           "limited by registers and shared memory\n\n"
                           "room for\n  6 blocks with at most 40 registers a thread and 37888 bytes of "
                           "shared memory\n"));
    run_free(&run);
}

/* A block that fits nowhere has an occupancy, too: none, with what would help. */
static void test_no_room(void **state) {
    (void)state;
    struct run run = run_command("occupancy kernels/sgemm_tiled.ptx -b 32,32 --registers 100");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "resident   0 blocks, 0 of 48 warps: occupancy 0.0 %\n"
                                    "no block fits: limited by registers\n\n"
                                    "room for\n  1 block with at most 64 registers a thread\n"));
    run_free(&run);
    run = run_command("occupancy kernels/sgemm_tiled.ptx -b 32,32 --set limits.warps=16");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out,
                           "no block fits: limited by warps\n\n"
                           "no fewer registers and no less shared memory make room for more blocks\n"));
    run_free(&run);
    run = run_command("occupancy kernels/sgemm_tiled.ptx -b 256 --shared 102000");
    assert_non_null(strstr(run.out, "room for\n  1 block with at most 101376 bytes of shared memory\n"));
    run_free(&run);
}

static void test_json(void **state) {
    (void)state;
    json_t *root = run_json("occupancy " SGEMM "-m ecrts2025-orin --json", 0);
    assert_string_is(root, "kernel", "sgemm_tiled");
    assert_string_is(json_object_get(root, "machine"), "name", "ecrts2025-orin");
    assert_int_equal(number(root, "threads"), 256);
    assert_int_equal(number(root, "warps"), 8);
    assert_int_equal(number(root, "shared_bytes"), 2048);
    json_t *registers = json_object_get(root, "registers");
    assert_int_equal(number(registers, "least"), 1);
    assert_int_equal(number(registers, "most"), 255);
    assert_string_is(registers, "source", "machine");
    json_t *resident = json_object_get(root, "resident");
    assert_int_equal(number(resident, "blocks_least"), 1);
    assert_int_equal(number(resident, "blocks_most"), 6);
    assert_int_equal(number(resident, "warps_most"), 48);
    assert_true(json_real_value(json_object_get(resident, "occupancy_percent_most")) == 100.0);
    json_t *shared = entry(root, "resources", "name", "shared memory");
    assert_int_equal(number(shared, "block_least"), 3072);
    assert_int_equal(number(shared, "block_limit"), 101376);
    assert_int_equal(number(shared, "sm"), 102400);
    assert_int_equal(number(shared, "blocks_most"), 33);
    assert_true(json_is_false(json_object_get(shared, "binds_most")));
    json_t *of_registers = entry(root, "resources", "name", "registers");
    assert_true(json_is_true(json_object_get(of_registers, "binds_least")));
    assert_true(json_is_false(json_object_get(of_registers, "binds_most")));
    json_t *steps = json_object_get(root, "steps"), *last = json_array_get(steps, 4);
    assert_int_equal(json_array_size(steps), 5);
    assert_int_equal(number(last, "blocks"), 6);
    assert_int_equal(number(last, "registers"), 40);
    assert_true(json_is_null(json_object_get(last, "shared_bytes")));
    json_decref(root);
#ifdef WB_WING_ABSTRACT_CTA
    root = run_json("occupancy " SGEMM "-m hirvisalo -b 256 --set limits.warps=0 --json", 0);
    assert_true(json_is_null(json_object_get(json_object_get(root, "registers"), "most")));
    assert_string_is(json_object_get(root, "registers"), "source", "unknown");
    assert_true(json_is_null(json_object_get(json_object_get(root, "resident"), "occupancy_percent_most")));
    json_decref(root);
#endif
}

/* A kernel that says how many registers it may have. */
#define DIRECTIVES(directives)                                                                               \
    "printf '%s\\n' '.version 7.0' '.target sm_86' '.address_size 64' '.visible .entry k() " directives      \
    " { ret; }' > \"$T\" && $WB occupancy \"$T\" -b 256 -m ecrts2025-orin"

static const struct {
    const char *command, *expected[2];
} directives[] = {
    {DIRECTIVES(""), {"registers  1 to 255 a thread: not given, at most what a thread", "1 to 6 blocks"}},
    {DIRECTIVES(".maxnreg 64"),
     {"registers  1 to 64 a thread: not given, at most what .maxnreg says", "4 to 6"}},
    {DIRECTIVES(".maxntid 1024"),
     {"registers  1 to 64 a thread: not given, at most what .maxntid", "4 to 6"}},
    {DIRECTIVES(".maxntid 32, 32"),
     {"registers  1 to 64 a thread: not given, at most what .maxntid", "4 to 6"}},
    {DIRECTIVES(".maxntid 256 .minnctapersm 5"), {"registers  1 to 48 a thread", "5 to 6 blocks"}},
    {DIRECTIVES(".reqntid 256 .minnctapersm 6"), {"registers  1 to 40 a thread", "resident   6 blocks"}},
    {DIRECTIVES(".maxntid 256 .minnctapersm 5") " --registers 64",
     {"registers  64 a thread: as given", "resident   4 blocks"}},
};

static void test_directives(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        char command[1024];
        (void)snprintf(command, sizeof command, "T=$(mktemp); { %s; }; S=$?; rm -f \"$T\"; exit $S",
                       directives[i].command);
        struct run run = run_shell(command);
        assert_int_equal(run.status, 0);
        for (size_t e = 0; e < 2; e++)
            if (strstr(run.out, directives[i].expected[e]) == NULL)
                fail_msg("case %zu: no '%s' in\n%s", i, directives[i].expected[e], run.out);
        run_free(&run);
    }
}

/* Cycles that a method, or a policy, has for the grid. */
static json_int_t cycles_of(json_t *root, const char *array, const char *key, const char *name) {
    return number(entry(json_object_get(root, "grid"), array, key, name), "cycles");
}

/* Blocks that an SM holds at a time, at least or at most. */
static json_int_t resident(json_t *root, const char *end) {
    return number(json_object_get(json_object_get(root, "grid"), "resident_blocks"), end);
}

/* What is proven without knowing the registers holds for each number of them: for its bounds, and for what is
 * simulated with it. */
static void test_every_number_of_registers(void **state) {
    (void)state;
    static const char *const policies[] = {"lrr", "gto"};
    static const unsigned registers[] = {1, 48, 80, 255};
    static const json_int_t blocks[] = {6, 5, 3, 1};
    static const char command[] =
        "analyze " SGEMM "-m ecrts2025-orin --set memory.sms=1 --method k-area,k-bal,k-sm --json ";
    json_t *unknown = run_json(command, 0);
    json_int_t slowest = 0;
    assert_int_equal(resident(unknown, "least"), 1);
    assert_int_equal(resident(unknown, "most"), 6);
    for (size_t r = 0; r < sizeof registers / sizeof *registers; r++) {
        char arguments[256];
        (void)snprintf(arguments, sizeof arguments, "%s--registers %u", command, registers[r]);
        json_t *root = run_json(arguments, 0);
        assert_int_equal(resident(root, "least"), blocks[r]);
        assert_int_equal(resident(root, "most"), blocks[r]);
        const json_int_t bound = cycles_of(root, "bounds", "method", "kernel");
        assert_true(bound <= cycles_of(unknown, "bounds", "method", "kernel"));
        for (size_t p = 0; p < 2; p++)
            assert_true(cycles_of(root, "simulations", "policy", policies[p]) <= bound);
        json_int_t simulated = cycles_of(root, "simulations", "policy", "lrr");
        if (simulated > slowest) slowest = simulated;
        json_decref(root);
    }
    /* The registers matter: the simulation without them, which takes the most blocks, is not the slowest. */
    assert_true(cycles_of(unknown, "simulations", "policy", "lrr") < slowest);
    json_decref(unknown);
}

/* On machines with caches bounds take registers for few unless they are given, and say so. */
static void test_caches(void **state) {
    (void)state;
    static const char assumption[] = "registers per thread are unknown";
    struct run run =
        run_command("analyze " STENCIL "-m jcse2017 --scheme default --all --method segment-sum");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, assumption));
    run_free(&run);
    run = run_command("analyze " STENCIL
                      "-m jcse2017 --scheme default --all --method segment-sum --registers 32");
    assert_int_equal(run.status, 0);
    assert_null(strstr(run.out, assumption));
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_directives),
        cmocka_unit_test(test_every_number_of_registers),
        cmocka_unit_test(test_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
