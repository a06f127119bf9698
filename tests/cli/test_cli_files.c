/* Files in place of others: what is given is recognised by its content, with one error and what to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

/* How a file is made, in the folder $at, and what is said of it where code is expected. */
struct wrong_file {
    const char *make, *error, *note; /* `note` NULL: there is none */
};

static const struct wrong_file files[] = {
    {"printf '__global__ void f(float *x) { x[threadIdx.x] = 1; }\\n'", "but this is CUDA source",
     "nvcc -cubin -lineinfo -arch=sm_XX -o k.cubin "},
    {"printf '// .version\\n#include <stdio.h>\\n'", "but this is CUDA source", "nvcc -cubin"},
    {"printf 'BC\\300\\336'", "LLVM bitcode", "llc -march=nvptx64 -mcpu=sm_XX -o k.ptx "},
    {"printf '; ModuleID = \"x\"\\ntarget triple = \"nvptx64\"\\n'", "LLVM assembly", "llc -march=nvptx64"},
    {"printf '\\nFatbin ptx code:\\n====\\narch = sm_70\\n\\n.version 7.0\\n'", "cuobjdump output",
     "sed -n '/^\\.version/,$p' "},
    {"printf ' \\n\\t\\n'", "an empty file", NULL},
    {"\"$WB\" machine show ecrts2025-orin", "a machine file", "give a machine with --machine"},
    {"\"$WB\" facts kernels/reduce.ptx -l kernels/reduce.yaml", "a file of flow facts", "with --facts"},
#ifdef WB_WING_GPGPUSIM
    {"printf -- '-gpgpu_n_clusters 4\\n'", "a configuration of GPGPU-Sim", "warpbound machine import "},
#endif
};

static void test_files_that_are_no_code(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "at=$(mktemp -d); %s > \"$at/file\"; \"$WB\" print \"$at/file\"; status=$?; rm -r "
                       "\"$at\"; exit $status",
                       files[i].make);
        struct run run = run_shell(text);
        if (run.status != 2 ||
            strstr(run.err, "/file: error: expected PTX or machine code, but this is ") == NULL ||
            strstr(run.err, files[i].error) == NULL ||
            (files[i].note != NULL && strstr(run.err, files[i].note) == NULL))
            fail_msg("%s: status %d, %s", files[i].make, run.status, run.err);
        assert_int_equal(count_of(run.err, "\n"), files[i].note != NULL ? 2 : 1);
        run_free(&run);
    }
}

static const struct failure_case misplaced[] = {
    {"analyze kernels/reduce.ptx -l machines/ecrts2025-orin.yaml", 2,
     "ecrts2025-orin.yaml: error: expected a launch file, but this is a machine file"},
    {"analyze kernels/reduce.ptx -l kernels/reduce.ptx", 2, "expected a launch file, but this is PTX"},
    {"analyze kernels/reduce.ptx -l kernels/cubin/reduce.sm_86.cubin", 2,
     "expected a launch file, but this is machine code of a GPU (cubin)"},
    {"analyze kernels/reduce.ptx -l kernels/reduce.yaml -m kernels/cubin/reduce.sm_86.cubin", 2,
     "expected a machine file, but this is machine code of a GPU (cubin)"},
    {"analyze kernels/reduce.ptx -l kernels/reduce.yaml -m kernels/reduce.yaml", 2,
     "expected a machine file, but this is a launch file"},
    {"analyze kernels/reduce.ptx -l kernels/reduce.yaml -m kernels/reduce.ptx", 2,
     "expected a machine file, but this is PTX"},
    {"analyze kernels/reduce.ptx -l kernels/reduce.yaml --facts kernels/reduce.yaml", 2,
     "expected a file of flow facts, but this is a launch file"},
    {"analyze kernels/reduce.ptx -l tests/data/fatbin/zstd.o", 2,
     "expected a launch file, but this is an object file or program of the host"},
    {"analyze kernels/reduce.ptx -l tests/data/fatbin/units.a", 2,
     "expected a launch file, but this is a library"},
    {"analyze kernels/reduce.ptx -l kernels/reduce.yaml -m tests/data/fatbin/stored.fatbin", 2,
     "code comes first: warpbound analyze tests/data/fatbin/stored.fatbin"},
    {"analyze machines/ecrts2025-orin.yaml", 2, "give a machine with --machine"},
    {"analyze tests/data/launch/twice.yaml", 2, "twice.yaml:3:1: error: "},
    {"print tests", 2, "tests: error: cannot read: Is a directory"},
};

static void test_files_in_place_of_others(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof misplaced / sizeof *misplaced; i++)
        check_failure(&misplaced[i]);
}

/* What stands in comments does not make a file another. */
static void test_comments_do_not_mislead(void **state) {
    (void)state;
    struct run run = run_shell(
        "at=$(mktemp -d); { echo '# of __global__ void reduce, threadIdx'; cat kernels/reduce.yaml; } > "
        "\"$at/l.yaml\"; { echo '// #include __global__'; cat kernels/reduce.ptx; } > \"$at/k.ptx\"; \"$WB\" "
        "path \"$at/k.ptx\" -l \"$at/l.yaml\"; status=$?; rm -r \"$at\"; exit $status");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    run_free(&run);
}

/* No output takes the place of an input: each of them onto each. */
static void test_outputs_leave_inputs(void **state) {
    (void)state;
    struct run run = run_shell(
        "at=$(mktemp -d); cp kernels/vecadd.ptx kernels/vecadd.yaml kernels/cubin/vecadd.sm_86.cubin "
        "machines/ecrts2025-orin.yaml $at; cp $at/ecrts2025-orin.yaml $at/m.yaml; head -c 512 /dev/zero > "
        "$at/d.bin; cp -r $at $at.kept; n=0; for output in -o --report --annotate --certificate; do for "
        "input "
        "in vecadd.ptx vecadd.yaml vecadd.sm_86.cubin m.yaml d.bin; do \"$WB\" analyze $at/vecadd.ptx -l "
        "$at/vecadd.yaml -m $at/m.yaml --cubin $at/vecadd.sm_86.cubin -a \"1=buf:f32[128]=@$at/d.bin\" -q "
        "$output $at/$input >/dev/null 2>$at.err; [ $? = 2 ] && grep -q 'would be overwritten' $at.err && "
        "n=$((n + 1)); done; done; diff -r $at $at.kept; echo $n; rm -r $at $at.kept $at.err");
    assert_string_equal(run.out, "20\n");
    run_free(&run);
}

/* Pipes are outputs by the names of their links. */
static void test_outputs(void **state) {
    (void)state;
    struct run run = run_shell("\"$WB\" machine list -o /dev/stdout | cat");
    struct run same = run_shell("\"$WB\" machine list");
    assert_string_equal(run.out, same.out);
    run_free(&same);
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_that_are_no_code),  cmocka_unit_test(test_files_in_place_of_others),
        cmocka_unit_test(test_comments_do_not_mislead), cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_outputs_leave_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
