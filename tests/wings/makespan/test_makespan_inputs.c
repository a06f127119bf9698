/* Makespan problems from files: the papers' configuration file and the project's YAML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "messages.h"
#include "wings/makespan/strings/spec_file.h"
#include "wings/makespan/strings/transform.h"

typedef wb_status parse_function(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                                 struct makespan_spec *spec);

/* What a file says, as the problem that it becomes: "8:L2CL2 L=1 C=1 S=1 D=1", with " issue N" behind it
 * where a limit binds; or the first message. */
static void check_file(parse_function *parse, const char *text, const char *expected) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct makespan_spec spec;
    struct makespan_problem problem;
    struct transform transform;
    spec_init(&spec);
    wb_status status = parse("f", text, strlen(text), diagnostics, &spec);
    if (status == WB_OK) status = transform_spec(&spec, diagnostics, &transform, &problem);
    if (status != WB_OK) {
        assert_first_message(diagnostics, expected, text);
    } else {
        struct text out = {0};
        for (uint32_t g = 0; g < problem.group_count; g++) {
            text_printf(&out, "%u:", problem.groups[g].warps);
            notation_print(&out, problem.unit + problem.groups[g].first, problem.groups[g].length);
            text_char(&out, ' ');
        }
        text_printf(&out, "L=%u C=%u S=%u D=%u", problem.capacity[0], problem.capacity[1],
                    problem.capacity[2], problem.capacity[3]);
        if (problem.issue_limit != ISSUE_UNLIMITED) text_printf(&out, " issue %u", problem.issue_limit);
        assert_string_equal(out.data, expected);
        text_free(&out);
        problem_free(&problem);
    }
    spec_free(&spec);
    wb_diagnostics_free(diagnostics);
}

/* An input and what check_file is to find. */
struct file_case {
    const char *text, *expected;
};

static void check_files(parse_function *parse, const struct file_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        check_file(parse, cases[i].text, cases[i].expected);
}

#define KERNEL "kernel\nlcl\n"
#define WARPS "warp_number\n8\n"
#define UNITS "ls_unit_number\n16\ncuda_core_number\n32\n"
#define SIZE "warp_size\n32\n"

/* ECRTS'12 Fig. 4 as it stands: 16 load/store units serve half a warp, so every L becomes two. */
static void test_config_of_the_paper(void **state) {
    (void)state;
    static const struct file_case cases[] = {
        {KERNEL WARPS UNITS SIZE, "8:L2CL2 L=1 C=1 S=1 D=1"},
        {SIZE UNITS KERNEL "warp_number\n8", "8:L2CL2 L=1 C=1 S=1 D=1"},
        {"\r\n  kernel \r\n\r\n\tLCL\r\nwarp_number\r\n 8 \r\n" UNITS SIZE "\r\n\n",
         "8:L2CL2 L=1 C=1 S=1 D=1"},
        {"kernel\nL2(CS)2d\nwarp_number\n3\nls_unit_number\n64\ncuda_core_number\n96\n"
         "sf_unit_number\n8\ndp_unit_number\n16\nscheduler_number\n2\n" SIZE,
         "3:L2CS4CS4D2 L=2 C=3 S=1 D=1 issue 2"},
    };
    check_files(config_file_parse, cases, sizeof cases / sizeof *cases);
}

static void test_config_errors(void **state) {
    (void)state;
    static const struct file_case cases[] = {
        {"", "f:1:1: error: kernel: the key is missing: expected a kernel instruction string"},
        {KERNEL WARPS UNITS,
         "f:9:1: error: warp_size: the key is missing: expected a whole number from 1 to 1024"},
        {KERNEL "warps_number\n8\n", "f:3:1: error: unknown key 'warps_number'; did you mean 'warp_number'?"},
        {"\n  Kernel\nlcl\n", "f:2:3: error: unknown key 'Kernel'; did you mean 'kernel'?"},
        {"8\n", "f:1:1: error: unknown key '8'; expected one of: kernel, warp_number, ls_unit_number, "
                "cuda_core_number, sf_unit_number, dp_unit_number, warp_size, scheduler_number"},
        {KERNEL KERNEL, "f:3:1: error: key 'kernel' is given twice"},
        {KERNEL "warp_number\n",
         "f:3:1: error: warp_number: no value follows: expected a whole number from 1 to 1000000"},
        {"kernel\n" WARPS, "f:2:1: error: kernel: another key follows instead of a value: expected a kernel "
                           "instruction string"},
        {"kernel\nlxl\n", "f:2:2: error: kernel instruction string: expected L, C, S, D or '('"},
        {"kernel\nl(c\n", "f:2:4: error: kernel instruction string: expected ')'"},
        {"warp_number\n0\n",
         "f:2:1: error: warp_number: wrong value: expected a whole number from 1 to 1000000"},
        {"warp_number\n1000000000\n",
         "f:2:1: error: warp_number: wrong value: expected a whole number from 1 to 1000000"},
        {"ls_unit_number\n 0\n",
         "f:2:2: error: ls_unit_number: wrong value: expected a whole number from 1 to 65535"},
        {"cuda_core_number\n1/2\n",
         "f:2:1: error: cuda_core_number: wrong value: expected a whole number from 1 to 65535"},
        {"warp_size\n32 32\n",
         "f:2:1: error: warp_size: wrong value: expected a whole number from 1 to 1024"},
        {KERNEL WARPS SIZE "ls_unit_number\n24\ncuda_core_number\n32\n",
         "makespan: error: unit type L: 24 units do not divide a warp of 32 lanes; fewer units than lanes "
         "must"},
        {"kernel\nlsl\n" WARPS UNITS SIZE,
         "makespan: error: the units of S are not given; for example: -u L=16,S=32"},
    };
    check_files(config_file_parse, cases, sizeof cases / sizeof *cases);
}

/* A key with a NUL in it is no key, and neither is a long line. */
static void test_config_of_bytes(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct makespan_spec spec;
    spec_init(&spec);
    static const char nul[] = "kernel\0\nlcl\n";
    assert_int_equal(config_file_parse("f", nul, sizeof nul - 1, diagnostics, &spec), WB_ERR_INPUT);
    char line[500];
    memset(line, 'k', sizeof line);
    assert_int_equal(config_file_parse("f", line, sizeof line, diagnostics, &spec), WB_ERR_INPUT);
    spec_free(&spec);
    wb_diagnostics_free(diagnostics);
}

#define P "problem: p\n"
#define W "warps: [\"4:LCL\"]\n"
#define U "units: L=1, C=1\n"

static void test_problem_files(void **state) {
    (void)state;
    static const struct file_case cases[] = {
        {P W U, "4:LCL L=1 C=1 S=1 D=1"},
        {P "about: \"Voronoi\"\nwarps:\n  - 12:L5C9L2C9\n  - '4:(LC)2'\nunits: L=1,C=4\nissue: 4\n",
         "12:L5C9L2C9 4:LCLC L=1 C=4 S=1 D=1 issue 4"},
        {P W "units: L=1/2, C=0.25\n", "4:L2C4L2 L=1 C=1 S=1 D=1"},
        {P W "units: L=16, C=64\nwarp_size: 32\ncycles: L=3\n", "4:L6CL6 L=1 C=2 S=1 D=1"},
        {P W U "issue: unlimited\n", "4:LCL L=1 C=1 S=1 D=1"},
    };
    check_files(problem_file_parse, cases, sizeof cases / sizeof *cases);
}

static void test_problem_errors(void **state) {
    (void)state;
    static const struct file_case cases[] = {
        {W U, "f:1:1: error: key 'problem' is missing: expected a text of 1 to 63 bytes"},
        {P U, "f:1:1: error: key 'warps' is missing: expected a list of warps such as \"12:LLC\""},
        {P W, "f:1:1: error: key 'units' is missing: expected unit types with their capacity, such as "
              "L=1,C=4"},
        {P W U "unit: L=1\n", "f:4:1: error: unknown key 'unit'; did you mean 'units'?"},
        {P W U "seed: 1\n",
         "f:4:1: error: unknown key 'seed'; expected one of: problem, about, warps, units, "
         "warp_size, cycles, issue"},
        {P W W U, "f:3:1: error: key 'warps' is given twice"},
        {P "warps: 4:LCL\n" U,
         "f:2:8: error: warps: expected a list of warps such as \"12:LLC\", got '4:LCL'"},
        {P "warps: []\n" U, "f:2:8: error: warps: expected at least one string"},
        {P "warps: [[1]]\n" U, "f:2:9: error: expected warps such as \"12:LLC\", got a list"},
        {P "warps: [LCL]\n" U, "f:2:9: error: expected how many warps there are before 'LCL' and a ':'"},
        {P "warps: [\"4:\"]\n" U,
         "f:2:12: error: kernel instruction string: expected at least one instruction"},
        {P "warps: [\"4:LXL\"]\n" U, "f:2:13: error: kernel instruction string: expected L, C, S, D or '('"},
        {P "warps: [\"0:LCL\"]\n" U,
         "f:2:10: error: expected a number of warps from 1 to 1000000 before the ':' of '0:LCL'"},
        {P "warps: [\"1000000000:L\"]\n" U,
         "f:2:10: error: expected a number of warps from 1 to 1000000 before the ':' of '1000000000:L'"},
        {P "warps: [\"1000:L1000000\"]\n" U,
         "makespan: error: too large: at most 1000000 warps, 1000000 letters of all strings and 100000000 "
         "instructions of all warps"},
        {P W "units: L=0,C=1\n", "f:3:8: error: units: expected unit types with their capacity, such as "
                                 "L=1,C=4 or L=1/2, got 'L=0,C=1'"},
        {P W "units: {L: 1}\n",
         "f:3:8: error: units: expected one value, as the option of that name takes it, got a mapping"},
        {P W "units: L=3,C=4\nwarp_size: 32\n",
         "makespan: error: unit type L: 3 units do not divide a warp of 32 lanes; fewer units than lanes "
         "must"},
        {P W "units: L=2/3, C=1\n",
         "makespan: error: unit type L: a capacity of 2/3 is below 1 and not 1 divided by a whole number"},
        {P W "units: L=1/2, C=1\nwarp_size: 32\n",
         "makespan: error: unit type L: with a warp size, expected a whole number of units"},
        {P W U "issue: 0\n",
         "f:4:8: error: issue: expected a whole number from 1 to 1000000 or 'unlimited', got '0'"},
        {P W U "cycles: L=x\n", "f:4:9: error: cycles: expected unit types with the cycles of an "
                                "instruction, such as S=4,D=2, got 'L=x'"},
        {"warps", "f:1:1: error: expected a mapping with the keys problem, about, warps, units, warp_size, "
                  "cycles, issue, got 'warps'"},
        {P "warps: *a\n", "f:2:8: error: YAML aliases (*name) are not supported here"},
    };
    check_files(problem_file_parse, cases, sizeof cases / sizeof *cases);
}

/* A number of warps for a string and one for all contradict each other. */
static void test_contradicting_warps(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const struct subject subject = {.where = "-w"};
    struct makespan_spec spec;
    struct makespan_problem problem;
    struct transform transform;
    spec_init(&spec);
    assert_int_equal(problem_file_parse("f", P W U, strlen(P W U), diagnostics, &spec), WB_OK);
    assert_int_equal(spec_set(&spec, "warps", "8", &subject, diagnostics), WB_OK);
    assert_int_equal(transform_spec(&spec, diagnostics, &transform, &problem), WB_ERR_INPUT);
    assert_first_message(diagnostics,
                         "makespan: error: a number of warps is given (-w N), but every string has its own",
                         "-w 8");
    spec_free(&spec);
    wb_diagnostics_free(diagnostics);
}

static void test_files_that_are_not_there(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct makespan_spec spec;
    spec_init(&spec);
    assert_int_equal(spec_file_read("no/such/file", diagnostics, &spec), WB_ERR_INPUT);
    assert_int_equal(spec_file_read("no/such/file.yaml", diagnostics, &spec), WB_ERR_INPUT);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 2);
    spec_free(&spec);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_config_of_the_paper),      cmocka_unit_test(test_config_errors),
        cmocka_unit_test(test_config_of_bytes),          cmocka_unit_test(test_problem_files),
        cmocka_unit_test(test_problem_errors),           cmocka_unit_test(test_contradicting_warps),
        cmocka_unit_test(test_files_that_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
