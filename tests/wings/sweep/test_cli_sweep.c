/* Sweeps: whatever the number of processes, and however often they are stopped, the results are the same;
 * what a unit comes to is a row; what is wrong in a sweep file is said at its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "run_cli.h"

/* Runs a shell's text in a folder of its own, $at, with kernels copied into it. */
static struct run run_in_folder(const char *text) {
    char script[3000];
    const int length =
        snprintf(script, sizeof script,
                 "at=$(mktemp -d); cp kernels/vecadd.ptx kernels/vecadd.yaml kernels/reduce.ptx"
                 " kernels/reduce.yaml \"$at\"; cd \"$at\"; %s\nstatus=$?; cd /; rm -r \"$at\"; exit $status",
                 text);
    assert_true(length > 0 && (size_t)length < sizeof script);
    return run_shell(script);
}

/* What the text prints, without an error. */
static char *printed(const char *text) {
    struct run run = run_in_folder(text);
    if (run.status != 0) fail_msg("%s: status %d, %s", text, run.status, run.err);
    free(run.err);
    return run.out;
}

static void assert_prints(const char *text, const char *words) {
    char *out = printed(text);
    if (strstr(out, words) == NULL) fail_msg("%s: %s", text, out);
    free(out);
}

#define SWEEP                                                                                                \
    "printf '%s\\n' 'code: [vecadd.yaml, reduce.yaml]' 'machine: ecrts2025-orin' 'set: {mem_latency: "       \
    "50..200 step 50}'"                                                                                      \
    " 'methods: [k-area, k-bal]' 'policies: [lrr, gto]' > s.yaml; "

/* ---- Units
 * ------------------------------------------------------------------------------------------------------- */

static void test_dry_run(void **state) {
    (void)state;
    char *out = printed(SWEEP "\"$WB\" sweep s.yaml --dry-run");
    assert_memory_equal(out, "8 units\n", 8);
    assert_int_equal(count_of(out, "\n"), 9);
    assert_non_null(strstr(out,
                           "code=reduce.yaml machine=ecrts2025-orin methods=k-area,k-bal policies=lrr,gto "
                           "mem_latency=200\n"));
    free(out);
}

/* Files of units, and what of them --dry-run counts. */
static const struct {
    const char *file, *count;
} counted[] = {
    /* Promises are made once: a second one is for a machine of its own. */
    {"code: vecadd.yaml\\nmachine: rtx-a6000\\nset: {resident: [translations, data]}", "2 units"},
    {"code: \"*.yaml\"\\nexclude: [{code: s.yaml}]", "2 units"},
    {"code: [vecadd.yaml, \"v*.yaml\"]", "1 units"},
    {"code: vecadd.yaml\\nregisters: 16..256 times 2", "5 units"},
    {"code: vecadd.yaml\\nset: {mem_latency: 50..60}", "1 units"},
    {"code: vecadd.yaml\\ngrid: [\"1,1\", 2]\\nexclude: [{grid: \"1*\"}]", "1 units"},
    {"code: vecadd.yaml\\nregisters: [10, 20]\\ninclude: [{code: reduce.yaml}, {registers: 30}]", "5 units"},
    {"registers: [10, 20]\\ninclude: [{code: reduce.yaml, registers: [1, 2, 3]}]", "3 units"},
    {"code: vecadd.yaml\\nregisters: [10, 20]\\nexclude: [{registers: 10, code: x}]", "2 units"},
    /* a unit of two entries is one */
    {"code: vecadd.yaml\\nregisters: [10, 20]\\ninclude: [{registers: [20, 30]}, {registers: [10, 30, 40]}, "
     "{code: "
     "reduce.yaml}]",
     "6 units"},
    {"registers: [10, 20]\\ninclude: [{code: vecadd.yaml}, {code: [vecadd.yaml, reduce.yaml], shared: 0}, "
     "{code: "
     "vecadd.yaml}]",
     "6 units"},
};

static void test_counts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        char text[500];
        (void)snprintf(text, sizeof text, "printf '%s\\n' > s.yaml; \"$WB\" sweep s.yaml --dry-run",
                       counted[i].file);
        assert_prints(text, counted[i].count);
    }
}

/* Machine code that takes longer than the machine file allows leaves no number that could be taken for a
 * bound. */
static void test_refuted(void **state) {
    (void)state;
    char *out =
        printed("cp \"$OLDPWD\"/kernels/cubin/vecadd.sm_80.cubin .; printf '%s\\n' 'code: vecadd.yaml' "
                "'cubin: vecadd.sm_80.cubin' 'machine: [ecrts2025-orin, ampere-sm80]' 'set: {mem_latency: "
                "[200, 60000]}' "
                "'methods: k-area' 'policies: lrr' > s.yaml; \"$WB\" sweep s.yaml -o s.db >/dev/null; "
                "\"$WB\" sweep show s.db --csv");
    assert_int_equal(count_of(out, ",bound,kernel,estimate,"), 3);
    assert_int_equal(count_of(out, ",\"proven for the machine file, which the machine code refutes\"\n"), 3);
    assert_int_equal(count_of(out, ",bound,kernel,upper,"), 1);
    free(out);
}

/* Some units alone; units in the headings; and each method with one number, also where its bound is the
 * verdict's, which has the launch overhead. */
static void test_chosen_units(void **state) {
    (void)state;
    char *out =
        printed(SWEEP "\"$WB\" sweep s.yaml -o s.db > /dev/null; \"$WB\" sweep show s.db --where "
                      "'code=*reduce*' --where mem_latency=50 --where status=done --where verdict=bounded; "
                      "\"$WB\" sweep show s.db --where verdict=met | wc -l");
    assert_int_equal(count_of(out, "reduce.yaml | "), 1);
    assert_int_equal(count_of(out, "vecadd.yaml"), 0);
    assert_int_equal(count_of(out, "| mem_latency, cycles |"), 1);
    assert_int_equal(count_of(out, " bound, cycles | method | slowest, cycles |\n"), 1);
    assert_non_null(strstr(out, "|\n2\n"));
    free(out);
    out =
        printed("printf '%s\\n' 'code: vecadd.yaml' 'machine: ecrts2025-orin' 'set: {launch_overhead: 5000}' "
                "'methods: k-area' 'policies: lrr' > s.yaml; \"$WB\" sweep s.yaml -o s.db >/dev/null; "
                "\"$WB\" sweep show s.db --csv");
    assert_int_equal(count_of(out, ",verdict,bounded,upper,"), 1);
    assert_int_equal(count_of(out, ",kernel,upper,"), 1);
    free(out);
}

/* ---- Wrong files
 * ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *file, *message;
} wrong[] = {
    {"machine: ecrts2025-orin", "s.yaml:1:1: error: key 'code' is missing"},
    {"include: []\\nmachine: ecrts2025-orin", "s.yaml:1:1: error: there are no units"},
    {"code: vecad.yaml", "s.yaml:1:7: error: code: cannot read 'vecad.yaml': No such file"},
    {"code: \"*.cubin\"", "s.yaml:1:7: error: code: no file matches '*.cubin'"},
    {"code: vecadd.yaml\\nmachin: x", "s.yaml:2:1: error: unknown key 'machin'; did you mean 'machine'?"},
    {"code: vecadd.yaml\\nmachine: ecrts2025-oren",
     "s.yaml:2:10: error: machine: there is no 'ecrts2025-oren'; did you mean 'ecrts2025-orin'?"},
    {"code: vecadd.yaml\\nmachine: vecadd.yaml",
     "s.yaml:2:10: error: machine: 'vecadd.yaml' is not a machine: "},
    {"code: vecadd.yaml\\nmethods: [k-area, k-bel]",
     "s.yaml:2:19: error: methods: there is no 'k-bel'; did you mean 'k-bal'?"},
    {"code: vecadd.yaml\\npolicies: lrr,rrr", "s.yaml:2:11: error: policies: there is no 'rrr'"},
    {"code: vecadd.yaml\\nmachine: ecrts2025-orin\\nset: {mem_latncy: 50}", "s.yaml:3:19: error: set: "},
    {"code: vecadd.yaml\\nmachine: ecrts2025-orin\\nset: {mem_latency: [50, x]}",
     "s.yaml:3:25: error: set: mem_latency: expected a whole number"},
    {"code: vecadd.ptx\\nset: {mem_latncy: 50}", "s.yaml:2:19: error: set: "},
    {"code: [vecadd.yaml, reduce.yaml]\\nset: {mem_latency: [50, x]}",
     "s.yaml:2:25: error: set: mem_latency: expected a whole number"},
    {"code: vecadd.yaml\\nset: {machine: x}", "s.yaml:2:7: error: set: 'machine' is a key of sweeps"},
    {"code: vecadd.yaml\\nset: 5", "s.yaml:2:6: error: set: expected a mapping"},
    {"code: vecadd.yaml\\ngrid: 1,x", "s.yaml:2:7: error: grid: expected one to three numbers"},
    {"code: vecadd.yaml\\nregisters: many", "s.yaml:2:12: error: registers: expected a whole number"},
    {"code: vecadd.yaml\\nregisters: 50..10 step 10",
     "s.yaml:2:12: error: registers: expected a range such as"},
    {"code: vecadd.yaml\\nregisters: 10..50 step 0",
     "s.yaml:2:12: error: registers: expected a range such as"},
    {"code: vecadd.yaml\\nregisters: 0..50 times 2",
     "s.yaml:2:12: error: registers: expected a range such as"},
    {"code: vecadd.yaml\\nregisters: 1..2 step 1 x",
     "s.yaml:2:12: error: registers: expected a range such as"},
    {"code: vecadd.yaml\\nregisters: 0..99999 step 1",
     "s.yaml:2:12: error: registers: more than 10000 values"},
    {"code: vecadd.yaml\\nregisters: 1..9999 step 1\\nshared: 1..9999 step 1",
     "s.yaml:1:1: error: this product has more than 10000000 units"},
    {"code: vecadd.yaml\\nregisters: []", "s.yaml:2:12: error: registers: the list is empty"},
    {"code: vecadd.yaml\\nregisters: {a: 1}",
     "s.yaml:2:12: error: registers: expected a value, or a list of values, got a mapping"},
    {"code: vecadd.yaml\\ninputs: all", "s.yaml:2:9: error: inputs: there is no 'all'"},
    {"code: vecadd.yaml\\ndeadline: soon", "s.yaml:2:11: error: deadline: "},
    {"code: vecadd.yaml\\ntime_limit: 0", "s.yaml:2:13: error: time_limit: expected seconds"},
    {"code: vecadd.yaml\\nmemory_limit: big", "s.yaml:2:15: error: memory_limit: expected a number of bytes"},
    {"code: vecadd.yaml\\nallow_files: 1", "s.yaml:2:14: error: allow_files: expected true or false"},
    {"code: vecadd.yaml\\ninclude: {code: reduce.yaml}", "s.yaml:2:10: error: include: expected a list"},
    {"include: [{machine: jcse2017}]", "s.yaml:1:11: error: key 'code' is missing"},
    {"include: [{code: vecadd.yaml, include: []}]", "s.yaml:1:31: error: unknown key 'include'"},
    {"code: vecadd.yaml\\nexclude: [{grid: 1}]",
     "s.yaml:2:12: error: exclude: no unit has a parameter 'grid'"},
    {"code: vecadd.yaml\\nexclude: [{}]", "s.yaml:2:11: error: exclude: this entry would exclude every unit"},
    {"code: vecadd.yaml\\narguments: i32:5", "s.yaml:2:12: error: arguments: expected a list of arguments"},
    {"code: vecadd.yaml\\narguments: [[\"buf:f32[4]=@x\"]]",
     "s.yaml:2:14: error: arguments: expected an argument without a file"},
    {"simulate: vecadd.yaml\\nmethods: k-area", "s.yaml:2:10: error: methods: not for units of 'simulate'"},
#ifdef WB_WING_MAKESPAN
    {"code: vecadd.yaml\\nstring: LC", "s.yaml:2:9: error: string: not for units of 'code'"},
    {"string: LC\\nmachine: jcse2017", "s.yaml:2:10: error: machine: not for units of 'string'"},
    {"code: vecadd.yaml\\nstring_warps: 3", "s.yaml:2:15: error: string_warps: not for units of 'code'"},
    {"string: LC\\nstring_methods: [closd]", "s.yaml:2:18: error: string_methods: there is no 'closd'"},
#endif
    {"code: vecadd.yaml\\narguments: {vecadd_param_3: [5, x], m: 1..9 step 1}",
     "s.yaml:2:33: error: arguments: 'i32:x': expected a whole number"},
    {"code: vecadd.yaml\\narguments: {1: 5}",
     "s.yaml:2:16: error: arguments: argument '1' is 'buf:f32[2000]"},
    {"code: vecadd.ptx\\nlaunch: vecadd.yaml\\narguments: {n: 1..9 step 1}",
     "s.yaml:3:16: error: arguments: there is no argument 'n'; there are 1 (vecadd_param_0), "},
    {"code: vecadd.yaml\\narguments: {n: \"buf:f32[8]=@f\"}",
     "s.yaml:2:16: error: arguments.n: expected an argument "
     "without a file"},
    {"code: vecadd.yaml\\nexclude: [{code: \"v*\"}]",
     "s.yaml:2:10: error: there are no units: all of them are "
     "excluded"},
    {"code: vecadd.yaml\\ngrid: [8, 8]",
     "s.yaml:2:11: error: grid: '8' occurs twice in this list of alternatives"},
    {"code: vecadd.yaml\\narguments: {}", "s.yaml:2:12: error: arguments: the mapping is empty"},
    {"code: vecadd.yaml\\narguments: {a=b: 5}", "s.yaml:2:13: error: expected the name of an argument"},
    {"code: vecadd.yaml\\narguments.n: 5", "s.yaml:2:1: error: unknown key 'arguments.n'"},
    {"code: [vecadd.yaml", "s.yaml:2:1: error: not valid YAML"},
    {"[code]", "s.yaml:1:1: error: expected a mapping"},
};

static void test_wrong_files(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[600];
        (void)snprintf(text, sizeof text,
                       "printf '%s\\n' > s.yaml; \"$WB\" sweep s.yaml -o s.db; status=$?; test ! -e s.db || "
                       "exit 9; (exit $status)",
                       wrong[i].file);
        struct run run = run_in_folder(text);
        if (run.status != 2 || strstr(run.err, wrong[i].message) == NULL || run.out[0] != '\0')
            fail_msg("%s: status %d, %s%s", wrong[i].file, run.status, run.out, run.err);
        run_free(&run);
    }
}

static const struct failure_case refused[] = {
    {"sweep", 2, "expected: sweep FILE.yaml -o DATABASE"},
    {"sweep docs/examples/latencies.yaml", 2, "expected -o DATABASE"},
    {"sweep docs/examples/latencies.yaml --csv --dry-run", 2, "belong to sweep show"},
    {"sweep show x.db --dry-run", 2, "apply only to running a sweep"},
    {"sweep docs/examples/latencies.yaml -o -", 2, "expected -o DATABASE"},
    {"sweep show", 2, "expected one database"},
    {"sweep merge x.db -o y.db --where code=x", 2, "--where belongs to sweep show and sweep plot"},
    {"sweep diff x.db", 2, "expected two databases"},
    {"sweep merge", 2, "expected databases"},
    {"sweep merge x.db", 2, "expected -o DATABASE"},
    {"sweep diff x.db y.db --fail-above much", 2, "--fail-above: error: expected a percentage"},
    {"sweep diff x.db y.db --x code", 2, "and titles belong to sweep plot"},
    {"sweep show x.db --fail-above 5%", 2, "--fail-above belongs to sweep diff"},
    {"sweep show nowhere/x.db", 2, "nowhere/x.db: error: there is no such file or folder"},
    {"sweep docs/examples/latencies.yaml --dry-run --shard 3/2", 2, "--shard: error: expected I/N"},
    {"sweep docs/examples/latencies.yaml --dry-run --shard 0/2", 2, "--shard: error: expected I/N"},
    {"sweep show /nonexistent.db", 2, "/nonexistent.db: error: "},
    {"sweep show kernels/vecadd.ptx", 2, "kernels/vecadd.ptx: error: this is not a database of sweeps"},
    {"sweep docs/examples/latencies.yaml -o docs/examples/latencies.yaml", 2, "this input"},
};

static void test_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_failure(&refused[i]);
}

/* ---- Results
 * ------------------------------------------------------------------------------------------------------ */

/* The numbers are those of `analyze`, with their kinds. */
static void test_numbers_are_those_of_analyze(void **state) {
    (void)state;
    char *out = printed(
        SWEEP "\"$WB\" sweep s.yaml -o s.db > summary; \"$WB\" sweep show s.db --json > s.json; "
              "\"$WB\" analyze vecadd.yaml -m ecrts2025-orin --set mem_latency=150 --method k-area,k-bal "
              "--policy lrr,gto --json > a.json; "
              "jq -c '.units[] | select(.parameters.code == \"vecadd.yaml\" and .parameters.mem_latency == "
              "\"150\") | "
              "[.numbers[] | select(.scope == \"kernel\") | [.name, .kind, .cycles]]' s.json; "
              "jq -c '[(.grid.bounds[] | [.method, .kind, .cycles]), (.grid.simulations[] | [.policy, "
              "\"simulated\", .cycles])]' a.json; "
              "jq -c '[.verdict.bound, .verdict.slowest.cycles]' a.json; "
              "jq -c '.units[] | select(.parameters.code == \"vecadd.yaml\" and .parameters.mem_latency == "
              "\"150\") | "
              "[.verdict.bound, .verdict.slowest]' s.json; ls s.db*; cat summary");
    char *lines[6] = {strtok(out, "\n")};
    for (size_t i = 1; i < 6; i++)
        assert_non_null(lines[i] = strtok(NULL, "\n"));
    assert_string_equal(lines[0], lines[1]);
    assert_non_null(strstr(lines[0], "\"kernel\",\"upper\","));
    assert_string_equal(lines[2], lines[3]);
    assert_string_equal(lines[4], "s.db"); /* and nothing beside it */
    assert_non_null(strstr(lines[5], "8 units: 8 done, 0 failed; slowest "));
    free(out);
}

/* A list of arguments is one value, and stands for all of the launch file's. */
static void test_arguments(void **state) {
    (void)state;
    char *out = printed(
        "printf '%s\\n' 'code: vecadd.yaml' 'machine: ecrts2025-orin' 'methods: k-area' 'arguments:' ' - "
        "[\"buf:f32[2048]\", \"buf:f32[2048]\", \"buf:f32[2048]\", \"i32:2048\"]' ' - [\"buf:f32[2048]\", "
        "\"buf:f32[2048]\", \"buf:f32[2048]\", \"i32:5\"]' > s.yaml; \"$WB\" sweep s.yaml -o s.db; \"$WB\" "
        "sweep show "
        "s.db --json | jq -c '.units[] | [.parameters.arguments, .verdict.bound]'; for n in 2048 5; do "
        "\"$WB\" analyze "
        "vecadd.yaml -m ecrts2025-orin --method k-area -a 'buf:f32[2048]' -a 'buf:f32[2048]' -a "
        "'buf:f32[2048]' -a "
        "i32:$n --json | jq -c '[\"buf:f32[2048] buf:f32[2048] buf:f32[2048] i32:'$n'\", .verdict.bound]'; "
        "done");
    char *lines[5] = {strtok(out, "\n")};
    for (size_t i = 1; i < 5; i++)
        assert_non_null(lines[i] = strtok(NULL, "\n"));
    assert_string_equal(lines[1], lines[3]);
    assert_string_equal(lines[2], lines[4]);
    assert_string_not_equal(strrchr(lines[1], ','), strrchr(lines[2], ','));
    free(out);
}

/* Single arguments by names of the launch file, parameters of the kernel and places. */
static void test_single_arguments(void **state) {
    (void)state;
    char *out = printed(
        "sed -e 's/\"i32:2000\"/n: i32:2000/' vecadd.yaml > n.yaml; printf '%s\\n' 'code: n.yaml' 'machine: "
        "ecrts2025-orin' 'methods: k-area' 'policies: gto' 'arguments: {n: 256..512 step 256}' > s.yaml; "
        "\"$WB\" sweep s.yaml -o s.db; \"$WB\" sweep show s.db --json | jq -c '.units[] | "
        "[.parameters.\"arguments.n\", .verdict.bound]'; for n in vecadd_param_3=256 4=512; do \"$WB\" "
        "analyze "
        "n.yaml -m ecrts2025-orin --method k-area --policy gto -a $n --json | jq -c "
        "'[(.launch.arguments[3] | ltrimstr(\"i32:\")), .verdict.bound]'; done; \"$WB\" sweep plot s.db --x "
        "n 2>&1 || true");
    char *lines[6] = {strtok(out, "\n")};
    for (size_t i = 1; i < 6; i++)
        assert_non_null(lines[i] = strtok(NULL, "\n"));
    assert_string_equal(lines[1], lines[3]);
    assert_string_equal(lines[2], lines[4]);
    assert_string_not_equal(strrchr(lines[1], ','), strrchr(lines[2], ','));
    assert_non_null(strstr(lines[5], "no unit has a parameter 'n'; did you mean 'arguments.n'?"));
    free(out);
    assert_prints(
        "printf '%s\\n' 'code: vecadd.yaml' 'arguments: {4: [5, 6, 7]}' 'exclude: [{arguments: {4: 5}}, "
        "{arguments.4: 6}]' 'include: [{arguments: {4: 8}}, {arguments: [\"i32:1\"]}]' > s.yaml; "
        "\"$WB\" sweep s.yaml --dry-run",
        "3 units\ncode=vecadd.yaml arguments.4=7\ncode=vecadd.yaml arguments.4=8\n"
        "code=vecadd.yaml arguments=i32:1\n");
}

/* What is one argument and what is two are different units. */
static void test_arguments_with_spaces(void **state) {
    (void)state;
    assert_prints(
        "printf '%s\\n' 'code: vecadd.yaml' 'arguments: [[\"a b\"], [a, b]]' > s.yaml; \"$WB\" sweep "
        "s.yaml --dry-run",
        "2 units\ncode=vecadd.yaml arguments=\"a b\"\ncode=vecadd.yaml arguments=a b\n");
}

/* Executions of the whole GPU, as `simulate` has them; and without caches of a block. */
static void test_simulations(void **state) {
    (void)state;
    char *out = printed("printf '%s\\n' 'simulate: [vecadd.yaml, reduce.yaml]' 'machine: jcse2017' 'scheme: "
                        "[default, reorder]' "
                        "'include: [{scheme: all}]' > s.yaml; \"$WB\" sweep s.yaml -o s.db; \"$WB\" sweep "
                        "show s.db --csv | grep "
                        "simulation; echo; \"$WB\" simulate reduce.yaml -m jcse2017 --scheme all --json | jq "
                        "-r '.simulations[] | "
                        "\"simulation,\\(.policy),simulated,\\(.cycles),,\\(.scheme)\"'");
    char *lines[12] = {NULL};
    size_t shown = 0, found = 0;
    assert_non_null(strstr(out, "6 units: 6 done, 0 failed; slowest "));
    char *own = strstr(out, "\n\n");
    assert_non_null(own);
    for (char *line = strtok(own, "\n"); line != NULL && shown < 12; line = strtok(NULL, "\n"))
        lines[shown++] = line;
    assert_true(shown >= 3);
    own[0] = '\0';
    for (size_t i = 0; i < shown; i++)
        found += count_of(out, lines[i]) >= 1;
    assert_int_equal(found, shown);
    free(out);
}

/* Byte for byte the same whatever the number of processes. */
static void test_any_number_of_jobs(void **state) {
    (void)state;
    assert_prints(SWEEP "for j in 1 5; do \"$WB\" sweep s.yaml -j $j -o $j.db > /dev/null; \"$WB\" sweep "
                        "show $j.db --csv -o $j.csv; done; "
                        "cmp 1.csv 5.csv && wc -l < 1.csv",
                  "49\n");
}

/* Nothing is repeated but what depends on what has changed. */
static void test_again(void **state) {
    (void)state;
    assert_prints(SWEEP "\"$WB\" sweep s.yaml -o s.db > /dev/null; \"$WB\" sweep s.yaml -o s.db",
                  "8 units: 8 done, 0 failed; 8 of them as before\n");
    assert_prints(
        SWEEP "\"$WB\" sweep s.yaml -o s.db > /dev/null; echo >> reduce.ptx; \"$WB\" sweep s.yaml -o s.db",
        "; 4 of them as before; slowest");
    assert_prints(SWEEP "\"$WB\" sweep s.yaml -o s.db > /dev/null; sed -i 's/200 step/250 step/' s.yaml; "
                        "\"$WB\" sweep s.yaml -o s.db",
                  "10 units: 10 done, 0 failed; 8 of them as before");
    /* the launch of a kernel among the neighbours */
    char *out = printed(
        "code=vecadd.sm_86.cubin; cp \"$OLDPWD\"/kernels/cubin/$code .; sed s/vecadd.ptx/$code/ vecadd.yaml "
        "> "
        "co.yaml; { cat co.yaml; echo 'partition: {sms: 9, kind: mps}'; echo 'interference: {of: co.yaml}'; "
        "} "
        "> k.yaml; printf '%s\n' 'code: k.yaml' 'machine: rtx-a6000' 'methods: kernel' 'policies: lrr' > "
        "s.yaml; for grid in 2 2 4; do sed -i \"s/^grid: .*/grid: [$grid]/\" co.yaml; \"$WB\" sweep s.yaml "
        "-o "
        "s.db; \"$WB\" sweep show s.db --csv | grep kernel,upper | sort -u; done");
    assert_int_equal(count_of(out, "as before"), 1);
    free(out);
}

/* Keys are those of the machine that the launch file names: one that times machine code has no such class. */
static void test_machine_of_launch(void **state) {
    (void)state;
    assert_prints(
        "printf '%s\\n' 'code: vecadd.yaml' 'set: {class.int_add.latency: 5}' > s.yaml; \"$WB\" sweep "
        "s.yaml --dry-run; echo 'machine: a100' >> vecadd.yaml; \"$WB\" sweep s.yaml --dry-run 2>&1; true",
        "class.int_add.latency=5\ns.yaml:2:30: error: set: ");
}

/* Which build found a result is kept with it, as a part of the key. */
static void test_build_is_named(void **state) {
    (void)state;
    assert_prints(SWEEP "\"$WB\" sweep s.yaml -o s.db > /dev/null; python3 -c 'import sqlite3; c = "
                        "sqlite3.connect(\"s.db\"); r = c.execute(\"select distinct version from "
                        "unit\").fetchall(); print(len(r), len(r[0][0].split(\"+\")[1]))'",
                  "1 12\n");
}

/* Killed at any time it goes on, and comes to the same as without. */
static void test_killed(void **state) {
    (void)state;
    assert_prints(
        SWEEP
        "\"$WB\" sweep s.yaml -o whole.db > /dev/null; \"$WB\" sweep show whole.db --csv -o whole.csv; "
        "for wait in 0.03 0.06 0.1 0.15 0.2; do \"$WB\" sweep s.yaml -j 1 -o s.db > /dev/null & sleep $wait; "
        "kill -9 $!; wait $! 2> /dev/null; done; "
        "\"$WB\" sweep s.yaml -o s.db; \"$WB\" sweep show s.db --csv | cmp - whole.csv && echo the same",
        "the same");
}

/* A unit that is refused, that declines, that is killed or that has no time is a row. */
static void test_failures_are_rows(void **state) {
    (void)state;
    char *out = printed("printf 'kernel: none\\ngrid: 1\\nblock: 32\\ncode: vecadd.ptx\\n' > wrong.yaml; "
                        "printf '.version 7.0\\n.target sm_70\\n.address_size 64\\n.visible .entry f() { "
                        "oops; }\\n' > broken.ptx; "
                        "printf 'code: [wrong.yaml, broken.ptx, vecadd.yaml]\\nmethods: k-area\\n' > s.yaml; "
                        "\"$WB\" sweep s.yaml -o s.db; \"$WB\" sweep show s.db; \"$WB\" sweep s.yaml -o "
                        "s.db; \"$WB\" sweep s.yaml -o s.db --retry; "
                        "\"$WB\" sweep show s.db --format junit");
    assert_non_null(strstr(out, "3 units: 1 done, 2 failed; slowest "));
    assert_non_null(strstr(out, "| broken.ptx | k-area | declined | broken.ptx:4:"));
    assert_non_null(strstr(out, "| vecadd.yaml | k-area | done | bounded | "));
    assert_non_null(strstr(out, "| wrong.yaml | k-area | refused | "));
    assert_non_null(strstr(out, "3 units: 1 done, 2 failed; 3 of them as before\n"));
    assert_non_null(strstr(out, "3 units: 1 done, 2 failed; 1 of them as before; slowest"));
    assert_non_null(strstr(out, "tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"1\""));
    free(out);
}

/* A database of something else stays as it is, byte for byte. */
static void test_foreign_database(void **state) {
    (void)state;
    assert_prints(
        SWEEP "python3 -c 'import sqlite3; c = sqlite3.connect(\"x.db\"); c.execute(\"create table t(a)\"); "
              "c.commit()'; "
              "cp x.db y.db; \"$WB\" sweep s.yaml -o x.db 2>&1; \"$WB\" sweep show x.db 2>&1; cmp x.db y.db "
              "&& ls x.db*",
        "x.db: error: this is not a database of sweeps\nx.db: error: this is not a database of "
        "sweeps\nx.db\n");
}

/* What a database of sweeps has beside its tables, or in their place, is refused wherever it is opened:
 * triggers that store other numbers, views that answer with others or never end, further tables and indices.
 */
static void test_database_with_more_than_tables(void **state) {
    (void)state;
    static const char *const changes[][2] = {
        {"create trigger t after insert on unit begin update unit set bound = 1; end", "the trigger 't'"},
        {"create view v as select 1", "the view 'v'"},
        {"alter table unit rename to u2; create view unit as select * from u2", "the table 'u2'"},
        {"drop table claim; create table claim(id TEXT PRIMARY KEY, process TEXT NOT NULL)",
         "the table 'claim'"},
        {"create index i on unit(bound)", "the index 'i'"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char text[1500];
        (void)snprintf(
            text, sizeof text,
            "printf 'code: vecadd.yaml\\nmethods: k-area\\n' > s.yaml; "
            "\"$WB\" sweep s.yaml -o s.db >/dev/null 2>&1; cp s.db t.db; python3 -c 'import sqlite3; "
            "sqlite3.connect(\"t.db\").executescript(\"%s\")'; cp t.db u.db; "
            "for of in \"show t.db\" \"s.yaml -o t.db\" \"diff s.db t.db\" \"plot t.db --x grid\" "
            "\"merge t.db -o s.db\" \"merge s.db -o t.db\" \"s.yaml -o v.db --known t.db\"; do "
            "timeout 20 \"$WB\" sweep $of 2>&1; echo $?; done; cmp t.db u.db",
            changes[i][0]);
        char *out = printed(text), expected[1200];
        size_t length = 0;
        for (int run = 0; run < 7; run++)
            length += (size_t)snprintf(expected + length, sizeof expected - length,
                                       "t.db: error: this is not a database of sweeps: %s is foreign\n2\n",
                                       changes[i][1]);
        assert_string_equal(out, expected);
        free(out);
    }
}

/* Ctrl-C: what runs is not taken for a result. */
static void test_interrupted(void **state) {
    (void)state;
    char *out = printed(
        "printf 'code: vecadd.yaml\\nmethods: exhaustive\\nblock_index: \"0\"\\nstates: 1000000000\\n' > "
        "s.yaml; "
        "python3 -c 'import os, signal, subprocess, sys, time\n"
        "p = subprocess.Popen([sys.argv[1], \"sweep\", \"s.yaml\", \"-o\", \"s.db\"], "
        "start_new_session=True)\n"
        "time.sleep(1.5); os.killpg(p.pid, signal.SIGINT); print(\"status\", p.wait(), flush=True)' \"$WB\"; "
        "\"$WB\" sweep show s.db --csv | wc -l");
    assert_non_null(strstr(out, "1 units: 0 done, 0 failed\n"));
    assert_non_null(strstr(out, "status 4\n1\n"));
    free(out);
    /* As of a cluster that asks all processes of a job to stop: that is no result of a unit, either. */
    out = printed("printf 'code: vecadd.yaml\\nmethods: exhaustive\\nblock_index: \"0\"\\nstates: "
                  "1000000000\\ntime_limit: 1.5\\n' > s.yaml; \"$WB\" sweep s.yaml -o s.db & sleep 0.7; "
                  "kill -TERM $(cat /proc/$!/task/$!/children); wait; \"$WB\" sweep show s.db");
    assert_non_null(strstr(out, "| limit | "));
    assert_null(strstr(out, "slowest 0."));
    free(out);
}

/* A limit of time is a row; with a wider one the unit runs again. */
static void test_time_limit(void **state) {
    (void)state;
    char *out = printed("printf 'code: vecadd.yaml\\nmethods: exhaustive\\nblock_index: \"0\"\\nstates: "
                        "1000000000\\ntime_limit: 0.3\\n' > s.yaml; "
                        "\"$WB\" sweep s.yaml -o s.db; \"$WB\" sweep s.yaml -o s.db; sed -i 's/0.3/0.5/' "
                        "s.yaml; \"$WB\" sweep s.yaml -o s.db; "
                        "\"$WB\" sweep show s.db");
    assert_non_null(strstr(out, "1 units: 0 done, 1 failed; slowest"));
    assert_non_null(strstr(out, "1 units: 0 done, 1 failed; 1 of them as before\n"));
    assert_int_equal(count_of(out, "; slowest"), 2);
    assert_non_null(strstr(out, "| limit | "));
    free(out);
}

/* So is one of memory. */
static void test_memory_limit(void **state) {
    (void)state;
    if (ADDRESS_SANITIZER) skip();
    char *out = printed("printf 'code: vecadd.yaml\\nmethods: exhaustive\\nblock_index: \"0\"\\nstates: "
                        "1000000000\\nmemory_limit: 150M\\n' > s.yaml; "
                        "\"$WB\" sweep s.yaml -o s.db; \"$WB\" sweep show s.db");
    assert_non_null(strstr(out, "1 units: 0 done, 1 failed; slowest"));
    assert_non_null(strstr(out, "| limit | "));
    free(out);
}

/* A deadline that is not met is the exit status, also when nothing runs again. */
static void test_deadline(void **state) {
    (void)state;
    struct run run = run_in_folder("printf 'code: vecadd.yaml\\nmachine: ecrts2025-orin\\naccept: "
                                   "ptx-model\\nmethods: k-area\\ndeadline: [1s, 1ns]\\n' > s.yaml; "
                                   "\"$WB\" sweep s.yaml -o s.db; echo $?; \"$WB\" sweep s.yaml -o s.db");
    assert_int_equal(run.status, 1);
    assert_int_equal(count_of(run.out, "1 deadlines not proven to be met"), 2);
    assert_non_null(strstr(run.out, "\n1\n"));
    run_free(&run);
}

/* ---- Several databases
 * ------------------------------------------------------------------------------------------- */

/* Shards that are merged, in whatever order, are the whole, byte for byte. */
static void test_shards(void **state) {
    (void)state;
    assert_prints(
        SWEEP
        "\"$WB\" sweep s.yaml -o whole.db > /dev/null; "
        "for i in 1 2 3; do \"$WB\" sweep s.yaml --shard $i/3 -o $i.db; done; "
        "\"$WB\" sweep s.yaml --shard 2/3 --dry-run | head -1; "
        "\"$WB\" sweep merge 3.db 1.db 2.db 1.db -o all.db; \"$WB\" sweep show whole.db --csv > whole.csv; "
        "\"$WB\" sweep show all.db --csv | cmp - whole.csv && \"$WB\" sweep s.yaml -o all.db",
        "3 units: 3 done, 0 failed; slowest");
    assert_prints(
        SWEEP
        "\"$WB\" sweep s.yaml -o whole.db > /dev/null; "
        "for i in 1 2 3; do \"$WB\" sweep s.yaml --shard $i/3 -o $i.db > /dev/null; done; "
        "\"$WB\" sweep merge 3.db 1.db 2.db 1.db -o all.db; \"$WB\" sweep show whole.db --csv > whole.csv; "
        "\"$WB\" sweep show all.db --csv | cmp - whole.csv && \"$WB\" sweep s.yaml -o all.db",
        "8 units: 8 done, 0 failed; 8 of them as before\n");
}

/* Two sweeps into one new database: both come to the whole, and between them they run each unit once. */
static void test_two_at_once(void **state) {
    (void)state;
    assert_prints(
        SWEEP "\"$WB\" sweep s.yaml -o whole.db > /dev/null; \"$WB\" sweep show whole.db --csv > whole.csv; "
              "for round in 1 2 3; do rm -f s.db; \"$WB\" sweep s.yaml -j 2 -o s.db > a & \"$WB\" sweep "
              "s.yaml -j 2 -o s.db > b || exit 3; wait $! || exit 4; \"$WB\" sweep show s.db --csv | cmp - "
              "whole.csv || exit 5; cat a b | sed -n 's/^8 units: 8 done, 0 failed\\(; \\([0-9]*\\) of "
              "them as before\\)\\?.*/\\2/p' | awk '{ n += $1 } END { print NR, n }'; done; ls s.db*",
        "2 8\n2 8\n2 8\ns.db\n");
}

/* What one of them had begun when it was killed, the other runs. */
static void test_one_of_two_killed(void **state) {
    (void)state;
    assert_prints(
        SWEEP "\"$WB\" sweep s.yaml -o whole.db > /dev/null; \"$WB\" sweep show whole.db --csv > whole.csv; "
              "for wait in 0.03 0.1 0.2; do rm -f s.db*; \"$WB\" sweep s.yaml -j 2 -o s.db > /dev/null & "
              "killed=$!; \"$WB\" sweep s.yaml -j 1 -o s.db > /dev/null & sleep $wait; kill -9 $killed; wait "
              "$! || exit 3; wait $killed; \"$WB\" sweep show s.db --csv | cmp - whole.csv || exit 4; done; "
              "echo the same",
        "the same\n");
}

/* Merging keeps what has a result, whichever database it is in. */
static void test_merge_keeps_results(void **state) {
    (void)state;
    char *out = printed("printf 'code: vecadd.yaml\\nmethods: k-area\\n' > s.yaml; mv vecadd.ptx v; "
                        "\"$WB\" sweep s.yaml -o bad.db; mv v vecadd.ptx; \"$WB\" sweep s.yaml -o good.db; "
                        "for to in bad good; do cp $to.db $to.to.db; for from in bad good; do \"$WB\" sweep "
                        "merge $from.db -o $to.to.db; done; "
                        "\"$WB\" sweep show $to.to.db; done");
    assert_int_equal(count_of(out, "| done | bounded | "), 2);
    assert_int_equal(count_of(out, "refused"), 0);
    free(out);
}

/* A bound that grew is seen, and is the exit status where that is asked for. */
static void test_diff(void **state) {
    (void)state;
    struct run run = run_in_folder(
        "printf 'code: [vecadd.yaml, reduce.yaml]\\nmethods: k-area\\n' > s.yaml; \"$WB\" sweep s.yaml -o "
        "a.db > /dev/null; "
        "sed -i 's/^grid:.*/grid: [1]/' reduce.yaml; cp a.db b.db; \"$WB\" sweep s.yaml -o b.db > /dev/null; "
        "\"$WB\" sweep diff a.db b.db; echo $?; \"$WB\" sweep diff a.db b.db --fail-above 1000000% > "
        "/dev/null; echo $?; "
        "\"$WB\" sweep diff b.db a.db --fail-above 0 > /dev/null; echo $?; \"$WB\" sweep diff a.db b.db "
        "--fail-above 0.5%");
    if (run.status != 1) fail_msg("%d: %s%s", run.status, run.out, run.err);
    assert_int_equal(count_of(run.out, "| code=reduce.yaml methods=k-area | "), 2);
    assert_int_equal(count_of(run.out, "code=vecadd.yaml"), 0);
    assert_int_equal(count_of(run.out, "2 units in both: 1 bounds grew (at most "), 2);
    assert_int_equal(count_of(run.out, "\n0\n"), 3);
    run_free(&run);
}

/* A unit that has no bound any more, or is not there, fails. */
static void test_diff_of_lost_bounds(void **state) {
    (void)state;
    struct run run = run_in_folder("printf 'code: [vecadd.yaml, reduce.yaml]\\nmethods: k-area\\n' > s.yaml; "
                                   "\"$WB\" sweep s.yaml -o a.db > /dev/null; "
                                   "rm reduce.ptx; cp a.db b.db; \"$WB\" sweep s.yaml -o b.db > /dev/null; "
                                   "printf 'code: vecadd.yaml\\nmethods: k-area\\n' > s.yaml; "
                                   "\"$WB\" sweep s.yaml -o c.db > /dev/null; \"$WB\" sweep diff a.db b.db "
                                   "--fail-above 5%; echo $?; \"$WB\" sweep diff a.db c.db --fail-above 5%");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.out, "| refused | no bound any more |"));
    assert_non_null(strstr(run.out, "| none | only in the first |"));
    assert_non_null(strstr(run.out, "\n1\n"));
    run_free(&run);
}

/* ---- Pictures
 * ----------------------------------------------------------------------------------------------------- */

/* A line for each kernel and number, with a marker at each latency; the bounds are where the numbers are. */
static void test_plot(void **state) {
    (void)state;
    char *out = printed(SWEEP "\"$WB\" sweep s.yaml -o s.db > /dev/null; \"$WB\" sweep plot s.db --x "
                              "mem_latency -o p.svg; xmllint --noout p.svg 2> /dev/null || python3 -c "
                              "'import xml.dom.minidom as x; x.parse(\"p.svg\")'; cat p.svg; "
                              "\"$WB\" sweep plot s.db -x code --of k-area,lrr --where mem_latency=50");
    assert_int_equal(count_of(out, "<polyline"), 4);
    assert_non_null(strstr(out, ">reduce.yaml: bound<"));
    assert_non_null(strstr(out, ">vecadd.yaml: slowest<"));
    assert_non_null(strstr(out, ">mem_latency, cycles<"));
    assert_non_null(strstr(out, ">lrr (simulated)<"));
    free(out);
}

/* A cell for each pair of values, the number in it; and a point for each unit with both numbers, of which one
 * that is refused has none. */
static void test_two_parameters(void **state) {
    (void)state;
    char *out =
        printed(SWEEP "\"$WB\" sweep s.yaml -o s.db > /dev/null; \"$WB\" sweep plot s.db -x mem_latency -y "
                      "code --of k-area --title 'A & B' --y-title kernel");
    assert_int_equal(count_of(out, "font-size=\"11\""), 8);
    assert_non_null(strstr(out, ">A &amp; B<"));
    assert_non_null(strstr(out, ">kernel<"));
    assert_non_null(strstr(out, ">k-area (upper), cycles<"));
    free(out);
    out =
        printed("printf 'code: [vecadd.yaml, reduce.yaml]\\ngrid: [1, 0]\\nmethods: k-area\\n' > s.yaml; "
                "\"$WB\" sweep s.yaml -o s.db > /dev/null; "
                "\"$WB\" sweep plot s.db --x slowest --y bound --by code --log cycles -o p.svg; xmllint "
                "--noout p.svg 2> /dev/null || python3 -c 'import xml.dom.minidom as x; x.parse(\"p.svg\")'; "
                "cat p.svg");
    assert_int_equal(count_of(out, "<circle"), 1 + 1); /* and one in the legend */
    assert_int_equal(count_of(out, "<rect x"), 1 + 1);
    assert_non_null(strstr(out, ">2 of 4 units have both<"));
    free(out);
}

static const struct {
    const char *options, *message;
} plots[] = {
    {"--x mem_latncy", "--x: error: no unit has a parameter 'mem_latncy'; did you mean 'mem_latency'?"},
    {"", "expected --x NAME"},
    {"--x mem_latency --where x", "--where: error: expected NAME=VALUE, got 'x'"},
    {"--x mem_latency --where cod=x", "--where: error: no unit has a parameter 'cod'; did you mean 'code'?"},
    {"--x mem_latency --where code=x", "there is no such unit"},
    {"--x mem_latency --of sib", "none of these units has such a number"},
    {"--x mem_latency --of k-area,k-bal,lrr", "6 lines cannot be told apart"},
    {"--x mem_latency --log y", "--log: error: expected x, cycles or both, got 'y'"},
    {"--x code --log cycles", "--log: error: bars, as over code, have no logarithmic axes"},
    {"--x mem_latency --y cod", "--y: error: no unit has a parameter 'cod'; did you mean 'code'?"},
    {"--x mem_latency --y mem_latency", "--y: error: expected another parameter than --x"},
    {"--x mem_latency --y machine", "the units differ in code, too"},
    {"--x mem_latency --y code --of k-area,k-bal", "--of: error: a heat map is of one number"},
    {"--x mem_latency --y code --by code", "--by: error: points of two numbers"},
    {"--x slowest --y sib", "none of these units has both numbers, slowest and sib"},
    {"--x slowest --y bound --log x", "--log: error: both axes are of cycles"},
    {"--x slowest --y bound --of lrr", "--of: error: --x and --y name the numbers"},
};

static void test_plots_refused(void **state) {
    (void)state;
    char text[2500] = SWEEP "\"$WB\" sweep s.yaml -o s.db > /dev/null";
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "; \"$WB\" sweep plot s.db %s",
                       plots[i].options);
    struct run run = run_in_folder(text);
    const char *line = run.err;
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++) { /* a line each, in this order */
        const char *end = strchr(line, '\n');
        assert_non_null(end);
        if (memmem(line, (size_t)(end - line), plots[i].message, strlen(plots[i].message)) == NULL)
            fail_msg("%s: %.*s", plots[i].options, (int)(end - line), line);
        line = end + 1;
    }
    assert_string_equal(line, "");
    run_free(&run);
}

/* Databases where nothing can be written. */
static void test_unwritable_databases(void **state) {
    (void)state;
    struct run run = run_shell(
        "at=$(mktemp -d); printf 'code: %s/kernels/vecadd.yaml\\nmethods: sib\\n' \"$PWD\" > $at/s.yaml; "
        "trap '' XFSZ; \"$WB\" sweep $at/s.yaml -o $at/none/x.db; (ulimit -f 0; \"$WB\" sweep $at/s.yaml -o "
        "$at/full.db >/dev/null 2>&1; echo $?); ls $at; rm -r $at");
    assert_non_null(strstr(run.err, "/none/x.db: error: cannot write: No such file or directory\n"));
    assert_string_equal(run.out, "2\ns.yaml\n");
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dry_run),
        cmocka_unit_test(test_refuted),
        cmocka_unit_test(test_chosen_units),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_numbers_are_those_of_analyze),
        cmocka_unit_test(test_any_number_of_jobs),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_build_is_named),
        cmocka_unit_test(test_machine_of_launch),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_failures_are_rows),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_foreign_database),
        cmocka_unit_test(test_database_with_more_than_tables),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_two_at_once),
        cmocka_unit_test(test_one_of_two_killed),
        cmocka_unit_test(test_merge_keeps_results),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_single_arguments),
        cmocka_unit_test(test_arguments_with_spaces),
        cmocka_unit_test(test_simulations),
        cmocka_unit_test(test_diff),
        cmocka_unit_test(test_diff_of_lost_bounds),
        cmocka_unit_test(test_plot),
        cmocka_unit_test(test_two_parameters),
        cmocka_unit_test(test_plots_refused),
        cmocka_unit_test(test_unwritable_databases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
