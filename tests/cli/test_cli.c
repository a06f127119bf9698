/* The command as a user runs it: exit statuses, messages, and JSON that other programs can read. */
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

#define SGEMM "kernels/sgemm_tiled.ptx -l kernels/sgemm_tiled.yaml "
#define MANY "tests/data/methods/many-results.yaml "
#define REDUCE "kernels/reduce.ptx -l kernels/reduce.yaml "

static const struct failure_case failures[] = {
    {"analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --states 99999999999999999999999999", 2,
     "--states 99999999999999999999999999: error: expected a positive number"},
    {"analyze kernels/vecadd.ptx -l kernels/vecadd.yaml --states ' 5'", 2,
     "--states ' 5': error: expected a positive number"},
    {"path kernels/vecadd.ptx -g ''", 2,
     "grid: expected one to three numbers of blocks, from 1 to 2147483647 in x"},
    {"path kernels/vecadd.ptx -g 1,", 2, "grid: expected one to three numbers of blocks"},
    {"path kernels/vecadd.ptx -g 1,,1", 2, "grid: expected one to three numbers of blocks"},
    {"path kernels/vecadd.ptx -g 1,2,3,4", 2, "grid: expected one to three numbers of blocks"},
    {"path kernels/vecadd.ptx -g '1, 2'", 2, "grid: expected one to three numbers of blocks"},
    {"path kernels/vecadd.ptx -g -1", 2, "grid: expected one to three numbers of blocks"},
    {"path kernels/vecadd.ptx -g 4294967297", 2, "grid: expected one to three numbers of blocks"},
    {"path kernels/vecadd.ptx -b x", 2, "block: expected one to three numbers of threads"},
    {"path kernels/vecadd.ptx -b 33,32", 2, "block: expected one to three numbers of threads"},
    {"path kernels/vecadd.ptx -s 1x", 2, "shared: expected a number of bytes from 0 to 1048576"},
    {"path kernels/vecadd.ptx -s ''", 2, "shared: expected a number of bytes from 0 to 1048576"},
    {"path kernels/vecadd.ptx --assume approx,", 2,
     "--assume approx,: error: unknown name '' (known: approx, div-zero, pointer-order, no-contraction, "
     "all)"},
    {"path kernels/vecadd.ptx --assume approximate", 2, "'approximate'; did you mean 'approx'?"},
    {"path kernels/vecadd.ptx --assume 'approx, div-zero'", 2,
     "--assume 'approx, div-zero': error: unknown name ' div-zero'; did you mean 'div-zero'?"},
    {"path kernels/vecadd.ptx -l kernels/vecadd.yaml -i ' 0,0'", 2, "expected one to three numbers"},
    {"path kernels/vecadd.ptx -l kernels/vecadd.yaml -i 0,,0", 2, "expected one to three numbers"},
    {"path kernels/vecadd.ptx -l kernels/vecadd.yaml -i 0,0,0,0", 2, "expected one to three numbers"},
    {"path kernels/vecadd.ptx -l kernels/vecadd.yaml -i 4294967296", 2, "expected one to three numbers"},
    {"simulate kernels/vecadd.ptx -l kernels/vecadd.yaml --scheme all -m jcse2017 --threads +3", 2,
     "--threads +3: error: expected a number from 1 to 1024"},
    {"--help > /dev/full", 2, "cannot write to standard output"},
    {"--version > /dev/full", 2, "cannot write to standard output"},
    {"analyze --help > /dev/full", 2, "cannot write to standard output"},
    {"nonsense", 2, "unknown command 'nonsense'"},
    {"analyze", 2, "expected one PTX file"},
    {"analyze /nonexistent.ptx -g 1 -b 32", 2, "/nonexistent.ptx: error: cannot read: No such file"},
    {"analyze --frobnicate x.ptx", 2, "--frobnicate: error: unknown option"},
    {"analyze x.ptx -m", 2, "-m: error: expected a value"},
    {"analyze " SGEMM "--format svgg", 2,
     "--format svgg: error: expected text, json, junit, sarif, trace or svg"},
    {"analyze " SGEMM "--format dot", 2,
     "--format dot: error: expected text, json, junit, sarif, trace or svg"},
    {"analyze " SGEMM "--format jcse", 2,
     "--format jcse: error: expected text, json, junit, sarif, trace or svg"},
    {"analyze " SGEMM "--method nonsense", 2, "nonsense"},
    {"analyze " SGEMM "--policy nonsense", 2, "nonsense"},
    {"analyze " SGEMM "-m nonsense", 2, "nonsense"},
    {"analyze " SGEMM "--set nonsense=1", 2, "nonsense"},
    {"analyze " SGEMM "-m ecrts2025-orin --deadline soon", 2, "soon"},
    {"analyze " SGEMM "--memory perfect", 2, "--memory perfect: error: expected ideal or requests"},
    {"analyze docs/refutations/gub-lrr.yaml --memory ideal", 2, "a block file takes no kernel"},
    {"analyze " SGEMM "-k nonsense", 2, "nonsense"},
    {"path " SGEMM "-c nosuch=f32[4]=iota", 2, "nosuch"},
    {"path " SGEMM "-c nosuch", 2, "--variable: error: 'nosuch': expected NAME=CONTENTS"},
    {"path kernels/fir.ptx -l kernels/fir.yaml -c taps=f32[4]=nonsense", 2, "nonsense"},
    {"analyze " SGEMM "-i 9999,0", 2, "9999"},
    {"analyze " SGEMM "-i x", 2, "--block-index"},
    {"analyze kernels/sgemm_tiled.ptx", 2, "error"},
    {"analyze kernels/index.txt -g 1 -b 32", 2, "expected a PTX module"},
    {"analyze docs/refutations/gub-lrr.yaml -g 1 -b 32", 2, "a block file takes no kernel"},
    {"analyze docs/refutations/gub-lrr.yaml --states 0", 2, "--states"},
    {"analyze mkdocs.yml", 2, "neither a launch file (code, "},
    {"simulate kernels/histogram.ptx -l kernels/histogram_unknown.yaml", 3,
     "note: the value comes from here"},
    {"simulate " SGEMM "--schedule --policy lrr,gto", 2, "lrr,gto"},
    {"machine", 2, "machine list"},
    {"machine show nonsense", 2, "nonsense"},
    {"occupancy - -b 64 -m -", 2, "standard input can be read only once"},
    {"machine import /nonexistent", 2, "/nonexistent"},
    {"path " SGEMM "-o /nonexistent/folder/out", 2, "cannot write"},
    {"path " SGEMM "--format jcse -o /nonexistent/folder/out", 2, "cannot write"},
    {"path " SGEMM "--format jcse -i 9999,0", 2, "9999"},
    {"cfg kernels/sgemm_tiled.ptx --deadline 1", 2,
     "--deadline: error: not an option of cfg, which reads the code"},
    {"cfg kernels/sgemm_tiled.ptx --facts x", 2, "need --format dot and a launch (-l)"},
    {"cfg kernels/reduce.ptx --why L", 2, "L: error: kernel reduce has no such label; it has "},
    {"cfg kernels/reduce.ptx --why L --format dot", 2, "this command cannot write"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

static void test_garbage_gives_one_error(void **state) {
    (void)state;
    struct run run = run_shell("echo garbage | \"$WB\" analyze /dev/stdin -g 1 -b 32");
    assert_int_equal(run.status, 2);
    assert_int_equal(count_of(run.err, "error:"), 1);
    assert_non_null(strstr(run.err, "/dev/stdin:1:1: error:"));
    run_free(&run);
}

/* Read and written in one pipe, also compressed; no file is made of that name. */
static void test_dash_is_a_standard_stream(void **state) {
    (void)state;
    static const char *const pipes[] = {
        "\"$WB\" print - -o - < kernels/reduce.ptx | cmp - \"$at/printed\"",
        "\"$WB\" path kernels/voronoi.ptx -l kernels/voronoi.yaml --format jcse -o - | grep -q L",
        ("test -z \"$(k=$PWD/kernels; cd \"$at\" && \"$WB\" cfg $k/reduce.ptx -o - >/dev/null; "
         "ls \"$at\" | grep -v printed)\""),
    };
    for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "at=$(mktemp -d); \"$WB\" print kernels/reduce.ptx > \"$at/printed\"; "
                       "%s; status=$?; rm -r \"$at\"; exit $status",
                       pipes[i]);
        struct run run = run_shell(text);
        if (run.status != 0) fail_msg("%s: status %d, stderr '%s'", pipes[i], run.status, run.err);
        run_free(&run);
    }
}

static void test_analyze_json_has_the_documented_shape(void **state) {
    (void)state;
    json_t *root =
        run_json("analyze " SGEMM "-m ecrts2025-orin --json --method sib,gub,kernel --policy lrr,gto,rr", 0);
    assert_true(json_is_string(json_object_get(root, "warpbound")));
    assert_string_is(root, "kernel", "sgemm_tiled");
    assert_non_null(json_object_get(root, "machine"));
    assert_non_null(json_object_get(root, "launch"));
    json_t *sib = entry(root, "bounds", "method", "sib");
    json_t *gub = entry(root, "bounds", "method", "gub");
    assert_string_is(sib, "kind", "upper");
    assert_true(json_array_size(json_object_get(sib, "assumptions")) > 0);
    assert_true(json_is_null(json_object_get(sib, "seconds")));
    assert_string_is(gub, "kind", "estimate");
    assert_true(json_is_string(json_object_get(gub, "reason")));
    assert_true(number(gub, "cycles") <= number(sib, "cycles"));
    json_t *lrr = entry(root, "simulations", "policy", "lrr");
    json_t *gto = entry(root, "simulations", "policy", "gto");
    assert_true(number(lrr, "cycles") <= number(sib, "cycles"));
    assert_true(number(gto, "cycles") <= number(sib, "cycles"));
    assert_true(number(lrr, "warp_instructions") > 1000);
    json_t *rr = entry(root, "simulations", "policy", "rr");
    assert_true(json_is_false(json_object_get(rr, "work_conserving")));
    json_decref(root);
}

static void test_json_of_a_file_whose_name_is_not_utf8(void **state) {
    (void)state;
    struct run run =
        run_shell("d=$(mktemp -d) && f=$d/$(printf 'v\\377.ptx') && cp kernels/vecadd.ptx \"$f\" &&"
                  "\"$WB\" analyze \"$f\" -l kernels/vecadd.yaml --json; s=$?; rm -r $d; exit $s");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    json_t *root = json_loads(run.out, 0, NULL);
    assert_non_null(root);
    const char *file = json_string_value(json_object_get(root, "file"));
    assert_non_null(strstr(file, "/v\xef\xbf\xbd.ptx"));
    json_decref(root);
    run_free(&run);
}

static void test_simulate_json_has_the_documented_shape(void **state) {
    (void)state;
    json_t *root = run_json(
        "simulate " REDUCE "-i 0 -m ecrts2025-orin --set mem_latency=200 --policy lrr,gto,rr --json", 0);
    static const char *const policies[] = {"lrr", "gto", "rr"};
    for (size_t i = 0; i < 3; i++) {
        json_t *simulation = entry(root, "simulations", "policy", policies[i]);
        assert_true(number(simulation, "cycles") >= number(simulation, "last_commit"));
        assert_true(number(simulation, "last_commit") > number(simulation, "last_issue"));
        assert_true(number(simulation, "warp_instructions") > 0);
    }
    json_decref(root);
}

/* Lane 0 of that load is switched off, and what it would access lies in front of the block's array. */
static void test_path_json_has_bases_below_zero(void **state) {
    (void)state;
    json_t *root = run_json("path kernels/pathfinder.ptx -l kernels/pathfinder.yaml --accesses --json", 0);
    bool below_zero = false;
    size_t p, i;
    json_t *path, *access;
    json_array_foreach(json_object_get(root, "accesses"), p, path) json_array_foreach(path, i, access)
        below_zero |= json_is_integer(json_object_get(access, "base")) && number(access, "base") == -4;
    assert_true(below_zero);
    json_decref(root);
}

/* Help comes whatever else is wrong with values; an unknown option is told before a wrong value. */
static void test_help_comes_before_wrong_values(void **state) {
    (void)state;
    static const char *const commands[] = {"analyze --states x --help", "analyze -h --inputs x",
                                           "print --help --time-limit 10us", "cache --format x -h -"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct run run = run_command(commands[i]);
        assert_int_equal(run.status, 0);
        assert_non_null(strstr(run.out, "usage: warpbound "));
        assert_string_equal(run.err, "");
        run_free(&run);
    }
    const struct failure_case unknown = {"analyze --states x --nonsense", 2,
                                         "--nonsense: error: unknown option"};
    check_failure(&unknown);
    const struct failure_case first = {"analyze --inputs x --states x", 2,
                                       "--inputs x: error: expected given"};
    check_failure(&first);
}

/* As in launch files. */
static void test_numbers_may_be_hexadecimal(void **state) {
    (void)state;
    struct run run = run_command("path kernels/vecadd.ptx -l kernels/vecadd.yaml -g 0x2 -b 32,0X2 -s 0x1c");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "of grid 2,1,1, threads 32,2,1, 28 bytes of shared memory"));
    run_free(&run);
    run = run_command("occupancy kernels/vecadd.ptx -b 32 --registers 0x2F");
    assert_non_null(strstr(run.out, "47 a thread"));
    run_free(&run);
    const struct failure_case bare = {"path kernels/vecadd.ptx -g 0x", 2,
                                      "grid: expected one to three numbers"};
    check_failure(&bare);
}

static void test_set_changes_the_machine(void **state) {
    (void)state;
    json_t *near = run_json("simulate " REDUCE "--set mem_latency=5 --policy lrr --json", 0);
    json_t *far = run_json("simulate " REDUCE "--set mem_latency=400 --policy lrr --json", 0);
    json_int_t difference = number(entry(far, "simulations", "policy", "lrr"), "cycles") -
                            number(entry(near, "simulations", "policy", "lrr"), "cycles");
    assert_true(difference >= 395);
    json_decref(near);
    json_decref(far);
}

/* What is known of a block on the machine of ECRTS 2025, where each access is one transaction, and on
 * machines that count them. */
struct memory_case {
    const char *arguments, *requests;
    json_int_t sib, lrr, gto;
};

static const struct memory_case memory_cases[] = {
    {SGEMM "--memory ideal", "ideal", 32904, 28999, 29693},
    {SGEMM "--memory ideal -m fermi-sm20", "ideal", 53029, 36953, 35740},
    {REDUCE "--memory ideal", "ideal", 4094, 3303, 3092},
    {SGEMM "", "volta", 34488, 29462, 30049},
    {SGEMM "--memory requests", "volta", 34488, 29462, 30049},
    {SGEMM "--memory requests -m jcse2017", "fermi", 48318, 43211, 36178},
};

static void test_memory_model_is_chosen(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof memory_cases / sizeof *memory_cases; i++) {
        const struct memory_case *expected = &memory_cases[i];
        char command[256];
        (void)snprintf(command, sizeof command, "analyze %s --method sib --json", expected->arguments);
        json_t *root = run_json(command, 0);
        assert_string_is(json_object_get(root, "machine"), "requests", expected->requests);
        assert_int_equal(number(entry(root, "bounds", "method", "sib"), "cycles"), expected->sib);
        assert_int_equal(number(entry(root, "simulations", "policy", "lrr"), "cycles"), expected->lrr);
        assert_int_equal(number(entry(root, "simulations", "policy", "gto"), "cycles"), expected->gto);
        json_decref(root);
    }
}

static void test_deadline_decides_the_exit_status(void **state) {
    (void)state;
    struct run met =
        run_command("analyze " SGEMM "-m ecrts2025-orin --accept ptx-model --method sib,k-bal --deadline 1s");
    struct run missed = run_command("analyze " SGEMM "-m ecrts2025-orin --method sib,k-bal --deadline 1ns");
    struct run unproven =
        run_command("analyze " SGEMM "-m ecrts2025-orin --method waves --set dispatch_depth=3 --deadline 1s");
    assert_int_equal(met.status, 0);
    assert_int_equal(missed.status, 1);
    assert_int_equal(unproven.status, 3);
    assert_non_null(strstr(unproven.err, "no proven bound"));
    run_free(&met);
    run_free(&missed);
    run_free(&unproven);
}

/* The example of JCSE 2017, to standard output and to a file; one block of it by its index. */
static void test_kernel_analyzer(void **state) {
    (void)state;
    const char *command = "\"$WB\" path tests/data/jcse_example.ptx -k _example -g 1,2 -b 16,4 -a u64:0 "
                          "--format jcse";
    char text[512];
    (void)snprintf(text, sizeof text, "%s | diff tests/data/jcse_example.txt -", command);
    struct run printed = run_shell(text);
    (void)snprintf(text, sizeof text,
                   "f=$(mktemp) && %s -o $f && diff tests/data/jcse_example.txt $f; s=$?; rm -f $f; exit $s",
                   command);
    struct run written = run_shell(text);
    (void)snprintf(text, sizeof text, "%s -i 0,1,0 | grep -A1 Block", command);
    struct run one = run_shell(text);
    assert_string_equal(printed.out, "");
    assert_int_equal(written.status, 0);
    assert_string_equal(one.out, "Block [ 0 , 1 , 0 ]\nWarp0 [ 0 , 1 ]\n");
    run_free(&printed);
    run_free(&written);
    run_free(&one);
}

static void test_output_is_the_same_every_time(void **state) {
    (void)state;
    static const char *const commands[] = {"analyze " SGEMM "--json",
                                           "analyze " SGEMM "--method sib,gub,elb --phases --policy all",
                                           "path " REDUCE "--accesses", "cfg kernels/reduce.ptx",
                                           "simulate " REDUCE "--schedule --format trace"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct run first = run_command(commands[i]);
        struct run second = run_command(commands[i]);
        assert_int_equal(first.status, 0);
        assert_true(strlen(first.out) > 100);
        assert_string_equal(first.out, second.out);
        run_free(&first);
        run_free(&second);
    }
}

static void test_block_files_are_analysed(void **state) {
    (void)state;
    json_t *root =
        run_json("analyze docs/refutations/gub-lrr.yaml --method sib,gub,exhaustive --policy lrr --json", 0);
    assert_int_equal(number(entry(root, "bounds", "method", "gub"), "cycles"), 18);
    assert_string_is(entry(root, "bounds", "method", "gub"), "kind", "estimate");
    assert_int_equal(number(entry(root, "bounds", "method", "exhaustive"), "cycles"), 19);
    assert_string_is(entry(root, "bounds", "method", "exhaustive"), "kind", "exact");
    assert_int_equal(number(entry(root, "simulations", "policy", "lrr"), "cycles"), 19);
    assert_true(number(root, "best_upper") >= 19);
    json_decref(root);
}

/* A search that ends at its limit leaves what it found, says so, and has a status of its own. */
static void test_state_limit_leaves_a_partial_result(void **state) {
    (void)state;
    const char *command = "analyze docs/refutations/gub-gap.yaml --method exhaustive,sib --states 10 --json";
    json_t *root = run_json(command, 4);
    json_t *search = entry(root, "bounds", "method", "exhaustive");
    assert_string_is(search, "kind", "lower");
    assert_in_range(number(search, "cycles"), 1, 44);
    assert_true(number(entry(root, "bounds", "method", "sib"), "cycles") >= 44);
    json_decref(root);
}

/* A search that a block keeps too many results waiting for is a row of the report, named or not, and costs
 * the other methods nothing; by itself it is an error. */
static void test_declined_search_costs_the_others_nothing(void **state) {
    (void)state;
    static const char *const chosen[] = {"", "--method exhaustive,sib "};
    for (size_t i = 0; i < 2; i++) {
        char command[100];
        (void)snprintf(command, sizeof command, "analyze " MANY "%s--json", chosen[i]);
        json_t *root = run_json(command, 0);
        assert_true(number(entry(root, "bounds", "method", "sib"), "cycles") > 0);
        json_t *declined = entry(root, "declined", "method", "exhaustive");
        assert_string_is(declined, "status", "declined");
        assert_string_is(declined, "reason", "a program is too long or keeps too many results waiting");
        json_decref(root);
    }
    struct failure_case alone = {"analyze " MANY "--method exhaustive", 3,
                                 "exhaustive: error: a program is too long or keeps too many results"};
    check_failure(&alone);
}

/* The example of the README is what the demo prints: its lines, in their order, and "..." for those between.
 */
static void test_readme_shows_the_demo(void **state) {
    (void)state;
    FILE *file = fopen("README.md", "r");
    assert_non_null(file);
    char *readme = read_stream(file);
    (void)fclose(file);
    struct run run =
        run_command("analyze kernels/cubin/sgemm_tiled.sm_87.cubin -l kernels/sgemm_tiled.yaml -m "
                    "jetson-agx-orin --set clock_mhz=1300 --deadline 120us");
    assert_int_equal(run.status, 0);
    char *example = strstr(readme, "    met: the kernel takes at most "),
         *end = example != NULL ? strstr(example, "\n\n") : NULL;
    assert_non_null(end);
    *end = '\0';
    const char *rest = run.out;
    size_t shown = 0;
    for (char *line = strtok(example, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_memory_equal(line, "    ", 4);
        if (strcmp(line + 4, "...") == 0) continue;
        const char *found = strstr(rest, line + 4);
        if (found == NULL) fail_msg("not in the demo, or not in this order: %s", line);
        rest = found + strlen(line + 4);
        shown++;
    }
    assert_true(shown >= 10);
    free(readme);
    run_free(&run);
}

static void test_help_names_methods_and_policies(void **state) {
    (void)state;
    struct run run = run_command("analyze --help");
    assert_int_equal(run.status, 0);
    static const char *const words[] = {"--deadline", "--set", "sib", "gub", "lrr", "gto", "oldest"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_non_null(strstr(run.out, words[i]));
    run_free(&run);
}

/* What the command prints, given to it again, prints the same. */
static void assert_prints_itself(const char *verb, const char *operand) {
    char text[512];
    (void)snprintf(text, sizeof text, "%s %s", verb, operand);
    struct run first = run_command(text);
    (void)snprintf(text, sizeof text, "\"$WB\" %s %s | \"$WB\" %s /dev/stdin", verb, operand, verb);
    struct run second = run_shell(text);
    if (first.status != 0 || second.status != 0 || strlen(first.out) < 500 ||
        strcmp(first.out, second.out) != 0)
        fail_msg("%s %s: %s%s", verb, operand, first.err, second.err);
    run_free(&first);
    run_free(&second);
}

static void test_printed_module_prints_the_same(void **state) {
    (void)state;
    assert_prints_itself("print", "kernels/sgemm_tiled.ptx");
}

static void test_every_preset_prints_the_same(void **state) {
    (void)state;
    struct run list = run_command("machine list");
    assert_int_equal(list.status, 0);
    size_t presets = 0;
    assert_int_equal(strncmp(list.out, "name ", 5), 0);
    for (char *name = list.out; *(name = strchr(name, '\n') + 1) != '\0'; presets++) {
        char of_row[64];
        assert_int_equal(sscanf(name, "%63s", of_row), 1);
        assert_prints_itself("machine show", of_row);
    }
    assert_true(presets >= 30);
    run_free(&list);
}

/* Files of editors that begin with the byte order mark of UTF-8. */
static void test_byte_order_marks_are_skipped(void **state) {
    (void)state;
    struct run run = run_shell(
        "D=$(mktemp -d)\nfor f in bfs_level.ptx bfs_level.yaml bfs_level.facts; do\n"
        "  { printf '\\357\\273\\277'; sed \"s|@data|@$PWD/kernels/data|\" kernels/$f; } > $D/$f; done\n"
        "\"$WB\" path $D/bfs_level.ptx -l $D/bfs_level.yaml --facts $D/bfs_level.facts --allow-files > "
        "$D/marked\n"
        "\"$WB\" path kernels/bfs_level.ptx -l kernels/bfs_level.yaml --facts kernels/bfs_level.facts > "
        "$D/plain\n"
        "cmp $D/marked $D/plain; s=$?; rm -r $D; exit $s");
    if (run.status != 0) fail_msg("%s%s", run.out, run.err);
    run_free(&run);
}

static void test_machines_come_from_standard_input(void **state) {
    (void)state;
    struct run run = run_shell(
        "\"$WB\" machine show jcse2017 | \"$WB\" occupancy kernels/saxpy.ptx -b 64 -m - | grep machine");
    assert_non_null(strstr(run.out, "jcse2017"));
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_garbage_gives_one_error),
        cmocka_unit_test(test_dash_is_a_standard_stream),
        cmocka_unit_test(test_analyze_json_has_the_documented_shape),
        cmocka_unit_test(test_simulate_json_has_the_documented_shape),
        cmocka_unit_test(test_path_json_has_bases_below_zero),
        cmocka_unit_test(test_help_comes_before_wrong_values),
        cmocka_unit_test(test_numbers_may_be_hexadecimal),
        cmocka_unit_test(test_set_changes_the_machine),
        cmocka_unit_test(test_memory_model_is_chosen),
        cmocka_unit_test(test_deadline_decides_the_exit_status),
        cmocka_unit_test(test_kernel_analyzer),
        cmocka_unit_test(test_output_is_the_same_every_time),
        cmocka_unit_test(test_block_files_are_analysed),
        cmocka_unit_test(test_json_of_a_file_whose_name_is_not_utf8),
        cmocka_unit_test(test_state_limit_leaves_a_partial_result),
        cmocka_unit_test(test_declined_search_costs_the_others_nothing),
        cmocka_unit_test(test_readme_shows_the_demo),
        cmocka_unit_test(test_help_names_methods_and_policies),
        cmocka_unit_test(test_printed_module_prints_the_same),
        cmocka_unit_test(test_every_preset_prints_the_same),
        cmocka_unit_test(test_byte_order_marks_are_skipped),
        cmocka_unit_test(test_machines_come_from_standard_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
