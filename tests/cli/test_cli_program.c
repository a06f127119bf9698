/* Programs where PTX is taken: executables, libraries, object files and fat binaries, by their content. Every
 * command takes them, the machine decides which code is taken, and the report says which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define FOLDER "tests/data/fatbin/"
#define ADD "-k add -g 2 -b 64 -a 'buf:f32[128]=iota' -a 'buf:f32[128]=iota' -a i32:128 "
#define FILL "-k fill -g 2 -b 64 -a 'buf:s32[128]' -a i32:7 "

/* ---- Every command ------------------------------------------------------------------------------------- */

static void test_every_command(void **state) {
    (void)state;
    static const char *const commands[] = {
        "cfg %s -k add",
        "print %s",
        "analyze %s " ADD "-m ecrts2025-orin --method sib --policy gto",
        "analyze %s " ADD "-m rtx-a6000 --method sib --policy gto",
        "simulate %s " ADD "-m rtx-a6000",
        "path %s " ADD,
        "facts %s -k add",
        "cache %s " ADD,
        "occupancy %s " ADD "-m rtx-a6000",
        "init %s -k add -o -",
        "print %s --image sm_86",
        "machine check %s -m rtx-a6000",
#ifdef WB_WING_GATED_SSA
        "cfg %s -k add --ssa",
#endif
    };
    static const char *const files[] = {"zstd.o",        "lz4.o",        "packed.o",
                                        "stored.fatbin", "lines.fatbin", "units.a"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (size_t c = 0; c < (f == 0 ? sizeof commands / sizeof *commands : 3); c++) {
            char path[100], text[400];
            (void)snprintf(path, sizeof path, FOLDER "%s", files[f]);
            (void)snprintf(text, sizeof text, commands[c], path);
            struct run run = run_command(text);
            if (run.status != 0 || run.out[0] == '\0') fail_msg("%s: %d: %s", text, run.status, run.err);
            run_free(&run);
        }
}

/* What is read by its content has any name, and may come from a pipe. */
static void test_any_name(void **state) {
    (void)state;
    static const char *const texts[] = {
        "D=$(mktemp -d); cp " FOLDER "zstd.o $D/k.ptx; $WB cfg $D/k.ptx -k add; s=$?; rm -r $D; exit $s",
        "D=$(mktemp -d); cp " FOLDER "units.a $D/app; $WB cfg $D/app -k fill; s=$?; rm -r $D; exit $s",
        "$WB cfg - -k add < " FOLDER "stored.fatbin",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct run run = run_shell(texts[i]);
        if (run.status != 0) fail_msg("%s: %s", texts[i], run.err);
        run_free(&run);
    }
}

/* ---- Which code is taken ------------------------------------------------------------------------------- */

static void test_what_is_taken(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *taken;
    } cases[] = {
        {"zstd.o " ADD "-m rtx-a6000", "code     machine code for sm_86, unit add, of " FOLDER "zstd.o\n"},
        {"zstd.o " ADD "-m ecrts2025-orin", "code     PTX for compute_86, unit add, of " FOLDER "zstd.o\n"},
        {"zstd.o " ADD "--image compute", "code     PTX for compute_86, unit add, of "},
        {"zstd.o " ADD "--image sm", "code     machine code for sm_86, unit add, of "},
        {"lines.fatbin " ADD "--image sm_86", "code     machine code for sm_86, unit add.cu, of "},
        {"stored.fatbin " ADD "-m rtx-a6000",
         "code     machine code for sm_86, of " FOLDER "stored.fatbin\n"},
        {"two.o " ADD "-m rtx-a6000", "code     machine code for sm_86, unit add, of "},
        {"two.o " ADD "--image sm_80", "code     machine code for sm_80, unit add, of "},
        {"linked " FILL "-m rtx-a6000", "code     machine code for sm_86, unit link.stub, of "},
        {"linked " FILL "--image sm", "code     machine code for sm_86, unit link.stub, of "},
        {"units.a " FILL "-m rtx-a6000", "code     machine code for sm_86, unit fill.o, of "},
        {"units.a -k scale -g 1 -b 32 -a 'buf:f32[32]' -a f32:2 --image zstd.o,sm_86",
         "code     machine code for sm_86, unit zstd.o, of "},
        {"ptx.fatbin " ADD "--image compute_80", "code     PTX for compute_80, of "},
        {"feature.fatbin " ADD "--image sm_90a", "code     machine code for sm_90a, of "},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[400];
        (void)snprintf(text, sizeof text, "analyze " FOLDER "%s --method sib --policy gto",
                       cases[c].arguments);
        struct run run = run_command(text);
        if (run.status != 0 || strstr(run.out, cases[c].taken) == NULL)
            fail_msg("%s: '%s' is not in:\n%s%s", text, cases[c].taken, run.out, run.err);
        run_free(&run);
    }
}

/* Machine code is not passed over for PTX where no machine is named: its GPUs are. */
static void test_no_machine_is_guessed(void **state) {
    (void)state;
    static const char *const texts[] = {"analyze " FOLDER "zstd.o " ADD, "simulate " FOLDER "units.a " ADD};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct run run = run_command(texts[i]);
        assert_int_equal(run.status, 2);
        assert_non_null(
            strstr(run.err, "which GPU executes its machine code (sm_86)? Name it with -m: a10, "));
        assert_non_null(strstr(run.err, "rtx-a6000; --image compute takes PTX\n"));
        assert_null(strstr(run.err, "a100"));
        run_free(&run);
    }
}

/* Where a machine for PTX is named, the machine code beside the PTX is bounded, too, and the report says
 * both; where one for machine code is, only that is. */
static void test_both_are_bounded(void **state) {
    (void)state;
    static const char both[] =
        "analyze " FOLDER "zstd.o " ADD "-m ampere-sm80 --method sib,kernel --policy gto ";
    char text[400];
    (void)snprintf(text, sizeof text, "%s--json", both);
    json_t *model = run_json(text, 0), *verdict = json_object_get(model, "verdict");
    json_t *bound = json_object_get(verdict, "code_bound"), *found = json_object_get(verdict, "code");
    json_t *code = run_json("analyze " FOLDER "zstd.o " ADD "-m rtx-a6000 --set sms=108 --json", 0);
    assert_string_is(verdict, "model", "ptx");
    assert_string_is(bound, "machine", "rtx-a6000");
    assert_int_equal(number(bound, "cycles"), number(json_object_get(code, "verdict"), "bound"));
    assert_true(number(found, "cycles") <= number(bound, "cycles"));
    assert_true(json_is_null(json_object_get(json_object_get(code, "verdict"), "code_bound")));
    json_decref(model);
    json_decref(code);
    struct run run = run_command(both);
    assert_true(says(run.out, " code at most "));
    run_free(&run);
}

/* PTX with its cubin, on a machine that times the cubin: the verdict is the machine code's. */
static void test_the_cubin_in_place_of_its_ptx(void **state) {
    (void)state;
    struct run run = run_command("analyze docs/examples/blur/blur.yaml --cubin docs/examples/blur/blur.cubin "
                                 "-m jetson-agx-orin --method kernel --policy lrr --deadline 2ms -q");
    struct run cubin = run_command("analyze docs/examples/blur/blur.cubin -l docs/examples/blur/blur.yaml "
                                   "-m jetson-agx-orin --method kernel --policy lrr --deadline 2ms -q");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, cubin.out);
    assert_true(says(run.out, "met: the kernel takes at most "));
    run_free(&run);
    run_free(&cubin);
}

/* The machine code is described, of several architectures the first. */
static void test_init_describes_machine_code(void **state) {
    (void)state;
    struct run run = run_command("init " FOLDER "zstd.o -k add -o -");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "machine: ___              # which GPU: a10, "));
    run_free(&run);
    run = run_command("init " FOLDER "two.o -k add -o -");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "machine: ___              # which GPU: a100-80gb, "));
    run_free(&run);
}

/* The same numbers as of the code that is in the file. */
static void test_same_as_the_code(void **state) {
    (void)state;
    json_t *program =
        run_json("analyze " FOLDER "packed.o " ADD "-m rtx-a6000 --method sib --policy gto --json", 0);
    json_t *cubin =
        run_json("analyze " FOLDER "add.cubin " ADD "-m rtx-a6000 --method sib --policy gto --json", 0);
    json_t *image = json_object_get(program, "image");
    assert_string_is(image, "name", "sm_86");
    assert_string_is(image, "unit", "add");
    assert_string_is(program, "file", FOLDER "packed.o");
    assert_null(json_object_get(cubin, "image"));
    assert_true(json_equal(json_object_get(program, "bounds"), json_object_get(cubin, "bounds")));
    assert_string_is(json_array_get(json_object_get(program, "inputs"), 0), "role", "program");
    json_decref(program);
    json_decref(cubin);
}

static void test_launches_of_several_units(void **state) {
    (void)state;
    struct run run = run_shell(
        "D=$(mktemp -d); cat > $D/list.yaml <<'E'\n"
        "- {kernel: add, grid: 2, block: 64, arguments: ['buf:f32[128]', 'buf:f32[128]', 'i32:128']}\n"
        "- {kernel: fill, grid: 2, block: 64, arguments: ['buf:s32[128]', 'i32:1']}\n"
        "E\n"
        "$WB analyze " FOLDER
        "units.a -l $D/list.yaml -m rtx-a6000 --method k-area; s=$?; rm -r $D; exit $s");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "code     machine code for sm_86, unit zstd.o, of " FOLDER "units.a\n"
                                    "code     machine code for sm_86, unit fill.o, of " FOLDER "units.a\n"));
    run_free(&run);
}

/* ---- Lists --------------------------------------------------------------------------------------------- */

static void test_print_lists_the_code(void **state) {
    (void)state;
    struct run run = run_command("print " FOLDER "linked");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "sm_86: machine code, unit link.stub, 4136 bytes\n"
                                 "    _Z4fillPii  fill(int*, int)\n"
                                 "sm_86: machine code, unit add, 4544 bytes, not linked\n"
                                 "compute_86: PTX, unit add, 1165 bytes, not linked\n"
                                 "sm_86: machine code, unit fill, 4544 bytes, not linked\n"
                                 "compute_86: PTX, unit fill, 894 bytes, not linked\n");
    run_free(&run);
    json_t *listed = run_json("print " FOLDER "units.a --json", 0);
    assert_int_equal(json_array_size(json_object_get(listed, "images")), 4);
    json_decref(listed);
}

/* Beside the program, under the kernel's name. */
static void test_init_names_the_file(void **state) {
    (void)state;
    struct run run = run_shell("D=$(mktemp -d); cp " FOLDER "units.a $D/app; $WB init $D/app -k fill; s=$?; "
                               "cat $D/fill.yaml; rm -r $D; exit $s");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "\ncode: \"app\"\nkernel: \"_Z4fillPii\"\n"));
    run_free(&run);
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

static const struct failure_case failures[] = {
    {"analyze " FOLDER "zstd.o " ADD "-m a100", 2,
     "zstd.o: error: machine a100 executes machine code for sm_80, and this file has sm_86 (machine "
     "code), compute_86 (PTX)"},
    {"analyze " FOLDER "ptx.fatbin " ADD "-m rtx-a6000", 2,
     "executes machine code for sm_86, and this file has compute_80 (PTX), compute_90 (PTX): compile it with "
     "-arch=sm_86"},
    {"cfg " FOLDER "ptx.fatbin -k add", 2, "which code is meant? There are compute_80 and compute_90"},
    {"cfg " FOLDER "two.o -k add", 2, "which code is meant of unit add? There are sm_80 and sm_86"},
    {"cfg " FOLDER "feature.fatbin -k add", 2, "name one, such as --image sm_90"},
    {"cfg " FOLDER "units.a -k scale", 2,
     "_Z5scalePff  scale(float*, float)  (PTX for compute_86, unit fill.o"},
    {"cfg " FOLDER "units.a -k scale", 2, "note: name the unit, such as --image zstd.o"},
    {"cfg " FOLDER "units.a", 2, "which kernel is meant? There are:"},
    {"init " FOLDER "units.a", 2,
     "fill(int*, int)  (machine code for sm_86, unit fill.o, of " FOLDER "units.a)"},
    {"cfg " FOLDER "units.a --image other.o", 2, "units.a: error: there is no code 'other.o' in this file"},
    {"cfg " FOLDER "units.a --image sm_86,", 2, "there is no code 'sm_86,' in this file"},
    {"cfg " FOLDER "units.a -k fill --image zstd.o", 2, "there is no kernel 'fill'"},
    {"cfg " FOLDER "add.cubin -k add --image sm_80", 2,
     "there is no code 'sm_80' in this file; it has sm_86"},
    {"cfg kernels/vecadd.ptx --image sm_80", 2, "there is no code 'sm_80' in this file; it has PTX\n"},
    {"analyze " FOLDER "unlinked.o " ADD, 2,
     "unlinked.o: error: the GPU code in this file is not linked yet (compiled with -rdc=true or -dc): give "
     "the executable or library that nvcc links it into"},
    {"analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --cubin " FOLDER "two.o", 2,
     "which code is meant of unit add? There are sm_80 and sm_86"},
    {"analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --cubin " FOLDER "ptx.fatbin", 2,
     "there is no machine code in this file; it has compute_80 (PTX), compute_90 (PTX)"},
    {"machine check " FOLDER "ptx.fatbin -m rtx-a6000", 2, "compile it with -arch=sm_86"},
    {"print " FOLDER "units.a --image sm_86 --json", 2, "code of one unit alone is printed as JSON"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* A unit that is damaged keeps no other one from being used. */
static void test_a_damaged_unit(void **state) {
    (void)state;
    struct run run = run_shell(
        "D=$(mktemp -d); cp " FOLDER
        "units.a $D/k.a; at=$(grep -obUaP '\\x7fELF\\x02\\x01\\x01A' $D/k.a | head -1 | "
        "cut -d: -f1); printf '\\377' | dd of=$D/k.a bs=1 seek=$((at + 60)) conv=notrunc 2>/dev/null; "
        "$WB cfg $D/k.a -k fill --image sm_86; s=$?; $WB print $D/k.a; rm -r $D; exit $s");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "warning: this unit is left out: this cubin"));
    assert_non_null(strstr(run.out, "unit zstd.o, 4712 bytes; this cubin"));
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_command),
                                       cmocka_unit_test(test_any_name),
                                       cmocka_unit_test(test_what_is_taken),
                                       cmocka_unit_test(test_no_machine_is_guessed),
                                       cmocka_unit_test(test_both_are_bounded),
                                       cmocka_unit_test(test_the_cubin_in_place_of_its_ptx),
                                       cmocka_unit_test(test_init_describes_machine_code),
                                       cmocka_unit_test(test_same_as_the_code),
                                       cmocka_unit_test(test_launches_of_several_units),
                                       cmocka_unit_test(test_print_lists_the_code),
                                       cmocka_unit_test(test_init_names_the_file),
                                       cmocka_unit_test(test_failures_say_what_is_wrong),
                                       cmocka_unit_test(test_a_damaged_unit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
