/* `warpbound simulate --scheme` and `warpbound cache` as a user runs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define STENCIL "kernels/stencil5.ptx -l kernels/stencil5.yaml "
#define BFS "kernels/bfs_level.ptx -l kernels/bfs_level.yaml --facts kernels/bfs_level.facts "
#define GATHER                                                                                               \
    "tests/data/covering/gather.ptx -g 2 -b 256 -a buf:u32[4096]=iota -a buf:u32[16384]=zero "               \
    "-a buf:u32[512]=zero -m jcse2017 "
#define UNKNOWN "kernels/histogram.ptx -l kernels/histogram_unknown.yaml "

static const struct failure_case failures[] = {
    {"cache", 2, "expected one PTX file"},
    {"cache " STENCIL "-m ecrts2025-orin", 2, "the machine has no first-level cache (l1_size)"},
    {"cache " STENCIL "--set l1_ways=3", 2, "l1_size: 16384 bytes are not a whole number of sets of 3 lines"},
    {"cache " STENCIL "--set l1_sector=64", 2, "l1_line and l1_sector: expected powers of two"},
    {"cache " STENCIL "--format svg", 2, "this command cannot write"},
    {"cache " STENCIL "--threads 0", 2, "--threads 0: error: expected a number from 1 to 1024"},
    {"cache " STENCIL "--threads 2x", 2, "--threads 2x: error: expected a number from 1 to 1024"},
    {"cache " STENCIL "--inputs any -i 0,0,0", 2, "--block-index"},
    {"cache " STENCIL "--inputs some", 2, "--inputs some: error: expected given or any"},
    {"cache " STENCIL "--set limits.threads=64", 2, "block"},
    {"simulate " STENCIL "-m jcse2017 --scheme fastest", 2, "unknown name 'fastest'"},
    {"simulate " STENCIL "-m jcse2017 --scheme default --policy fifo", 2, "unknown name 'fifo'"},
    {"simulate " STENCIL "-m fermi-sm20 --scheme reorder", 2, "nothing to reorder"},
    {"simulate " STENCIL "-m jcse2017 --scheme default,reorder --schedule", 2, "for one scheme, not for"},
    {"simulate " STENCIL "-m jcse2017 --scheme all --schedule", 2, "for one scheme, not for 'all'"},
    {"simulate " STENCIL "-m jcse2017 --scheme default --policy lrr,gto --schedule", 2, "for one policy"},
    {"simulate " STENCIL "-m jcse2017 --scheme default --schedule --json", 2,
     "cannot write json with these options: expected text or trace"},
    {"simulate - -l - -m jcse2017", 2, "standard input can be read only once"},
    {"cache " STENCIL "--facts - -l -", 2, "standard input can be read only once"},
    {"simulate " STENCIL "-m jcse2017 -i 0 --threads 2", 2, "--threads is for whole grids"},
    {"simulate " STENCIL "-m jcse2017 --schedule --format json", 2, "expected text or trace"},
    {"simulate " STENCIL "--window 0:10", 2, "--window needs --schedule"},
    {"analyze " STENCIL "--window 0:10", 2, "--window needs --schedule"},
    {"analyze " STENCIL "--schedule --window 10", 2, "--window: error: expected two numbers of cycles"},
    {"analyze " STENCIL "--schedule --window 10:10", 2, "the first below the second"},
    {"analyze " STENCIL "--schedule --window :", 2, "the first below the second"},
    {"analyze " STENCIL "--schedule --window -1:5", 2, "the first below the second"},
    {"analyze " STENCIL "--schedule --json", 2, "expected text or trace"},
    {"analyze " STENCIL "--schedule --format svg", 4, "a picture is of the schedule of one block"},
    {"analyze " STENCIL "--schedule --inputs any", 3, "covering paths cannot be simulated"},
    {"analyze " STENCIL "-m jcse2017 --scheme all", 2, "unknown name 'all'"},
    {"analyze " STENCIL "-m jcse2017 --scheme reorder --phases", 2, "--phases is for one block"},
    {"analyze " STENCIL "-m jcse2017 --scheme reorder --method sib", 3,
     "sib: error: this method is for one block"},
    {"analyze " STENCIL "-m jcse2017 --scheme reorder --method segment-sum", 3,
     "this method is for other schemes"},
    {"analyze " STENCIL "-m ecrts2025-orin --scheme reorder", 2, "(l1_size)"},
    {"analyze " STENCIL "-m ecrts2025-orin --method segment-sum", 3, "is for machines with caches"},
    {"simulate " UNKNOWN "-m jcse2017 --scheme all", 3, "histogram.ptx:"},
};

static void test_failures_say_what_is_wrong(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        check_failure(&failures[i]);
}

/* Totals are sums over the instructions, and what is proven holds of what is simulated. */
static void test_cache(void **state) {
    (void)state;
    static const char *const keys[] = {"accesses",         "requests",        "misses_estimated",
                                       "misses_simulated", "guaranteed_hits", "misses_simulated_default"};
    json_t *root = run_json("cache " STENCIL "-m jcse2017 --set l1_size=16384 --json", 0);
    json_t *instructions = json_object_get(root, "instructions"), *instruction;
    size_t index;
    assert_int_equal(json_array_size(instructions), 6);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        json_int_t sum = 0;
        json_array_foreach(instructions, index, instruction) sum += number(instruction, keys[k]);
        assert_int_equal(sum, number(root, keys[k]));
    }
    assert_int_equal(number(root, "accesses"), 1408);
    assert_int_equal(number(root, "loads"), 1975);
    assert_int_equal(number(root, "misses_estimated"), number(root, "misses_simulated"));
    double rate = json_real_value(json_object_get(root, "miss_rate_estimated"));
    assert_true(rate > 0.2217 && rate < 0.2218);
    json_int_t most = number(root, "most_misses_default");
    assert_true(number(root, "misses_simulated_default") <= most);
    assert_true(number(root, "guaranteed_hits") > 0);
    assert_true(most <= number(root, "loads") - number(root, "guaranteed_hits"));
    json_decref(root);
}

/* Where unknown values decide neither what is executed nor an address of global memory, as much is guaranteed
 * as with known ones. */
static void test_cache_without_data(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"cache " STENCIL "--json", "cache " STENCIL "--inputs any --json"},
        {"cache kernels/histogram.ptx -l kernels/histogram.yaml --json", "cache " UNKNOWN "--json"},
    };
    static const char *const keys[] = {"accesses", "requests", "loads", "guaranteed_hits",
                                       "most_misses_default"};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        json_t *given = run_json(pairs[p][0], 0), *any = run_json(pairs[p][1], 0);
        assert_false(json_is_true(json_object_get(given, "covering")));
        assert_true(json_is_true(json_object_get(any, "covering")));
        assert_true(json_is_null(json_object_get(any, "misses_simulated")));
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            assert_int_equal(number(any, keys[k]), number(given, keys[k]));
        json_decref(given);
        json_decref(any);
    }
}

/* With addresses of global memory that nobody knows. A block makes 160 known loads and 2048 of `targets`, of
 * which each can miss. Of `levels`, whose lines take two of the four ways of each set, 64 miss first, and
 * further ones for every three uses of other lines: two of them at most, so 2 * (152 + 2048) / 3. On a first
 * level of 64 kB everything fits, and each line that is loaded misses once: 251 + 64 of these two arrays and
 * 9 of `starts`. */
static void test_cache_of_unknown_addresses(void **state) {
    (void)state;
    struct run run = run_command("cache " BFS);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "paths    covering"));
    assert_non_null(strstr(run.out, "at most 29904 loads miss")); /* 8 * (160 + 2048 + 64 + 1466) */
    assert_non_null(strstr(run.out, "; the flow facts are true"));
    run_free(&run);
    json_t *root = run_json("cache " BFS "-m jcse2017-64k --json", 0);
    assert_int_equal(number(root, "most_misses_default"), 8 * (251 + 64 + 9));
    json_decref(root);
}

/* Data whose addresses are the worst that there are: it misses as often, and its bound is as large, as is
 * said of all data. */
static void test_worst_data_is_bounded_exactly(void **state) {
    (void)state;
    json_t *given = run_json("cache " GATHER "--json", 0),
           *any = run_json("cache " GATHER "--inputs any --json", 0);
    assert_int_equal(number(given, "misses_simulated_default"), 4224);
    assert_int_equal(number(any, "most_misses_default"), 4224);
    json_decref(given);
    json_decref(any);
    json_t *grid = json_object_get(any = run_json("analyze " GATHER "--inputs any --json", 0), "grid");
    given = json_object_get(grid, "given");
    assert_int_equal(number(entry(grid, "bounds", "method", "segment-sum"), "cycles"),
                     number(entry(given, "bounds", "method", "segment-sum"), "cycles"));
    assert_int_equal(number(entry(given, "simulations", "policy", "lrr"), "cycles"), 10978);
    json_decref(any);
}

/* A graph that is in its own way: far above the one that is shipped, and below what is said of all graphs. */
static void test_conflicts(void **state) {
    (void)state;
    json_t *any = run_json("analyze " BFS "-m jcse2017 --json", 0),
           *worse = run_json("analyze kernels/bfs_level.ptx -l tests/data/covering/bfs_conflicts.yaml "
                             "-m jcse2017 --json",
                             0);
    json_t *all_graphs = json_object_get(any, "grid"), *graph = json_object_get(worse, "grid");
    const json_int_t simulated = number(entry(graph, "simulations", "policy", "gto"), "cycles");
    const json_int_t bound = number(entry(graph, "bounds", "method", "segment-sum"), "cycles");
    assert_int_equal(simulated, 17755);
    assert_int_equal(bound, 43426);
    assert_true(bound <= number(entry(all_graphs, "bounds", "method", "segment-sum"), "cycles"));
    json_decref(any);
    json_decref(worse);
}

/* The misses of each instruction under reordering are those that were estimated, on every cache. */
static void test_estimates(void **state) {
    (void)state;
    static const char *const machines[] = {"jcse2017", "jcse2017-32k", "jcse2017-64k"};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        char arguments[160];
        (void)snprintf(arguments, sizeof arguments,
                       "cache kernels/sgemm_naive.ptx -l kernels/sgemm_naive.yaml -m %s --set sms=1 --json",
                       machines[m]);
        json_t *root = run_json(arguments, 0), *instruction;
        size_t index;
        json_array_foreach(json_object_get(root, "instructions"), index, instruction) assert_int_equal(
            number(instruction, "misses_estimated"), number(instruction, "misses_simulated"));
        json_decref(root);
    }
}

static void test_schemes(void **state) {
    (void)state;
    json_t *root = run_json("simulate " STENCIL "-m jcse2017 --scheme default,pure-rr,reorder --json", 0);
    json_t *simulations = json_object_get(root, "simulations"), *simulation;
    size_t index;
    assert_int_equal(json_array_size(simulations), 3);
    json_array_foreach(simulations, index, simulation) {
        assert_int_equal(number(simulation, "warp_instructions"), 7888);
        assert_int_equal(number(simulation, "loads"), 1975);
        assert_int_equal(number(simulation, "hits") + number(simulation, "misses"), 1975);
        assert_int_equal(number(simulation, "l2_hits") + number(simulation, "l2_misses"),
                         number(simulation, "misses"));
    }
    json_t *fast = entry(root, "simulations", "scheme", "default");
    json_t *slow = entry(root, "simulations", "scheme", "pure-rr");
    assert_true(json_is_true(json_object_get(fast, "work_conserving")));
    assert_true(json_is_false(json_object_get(slow, "work_conserving")));
    assert_true(number(fast, "cycles") < number(slow, "cycles"));
    json_decref(root);
}

#ifdef WB_WING_JCSE2017
/* Under every scheme some bound of the grid is proven, and no simulation that it is about exceeds it. */
static void test_bounds_of_grids(void **state) {
    (void)state;
    static const char *const schemes[] = {"default", "pure-rr", "reorder"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        char arguments[256];
        (void)snprintf(arguments, sizeof arguments,
                       "analyze " STENCIL "-m jcse2017 --scheme %s --json --method "
                       "segments,segments-missrate,segment-sum,reorder-chain,turn-chain",
                       schemes[s]);
        json_t *root = run_json(arguments, 0), *simulation;
        size_t index;
        assert_string_is(root, "scheme", schemes[s]);
        assert_true(json_array_size(json_object_get(root, "simulations")) > 0);
        json_array_foreach(json_object_get(root, "simulations"), index, simulation)
            assert_true(number(simulation, "cycles") <= number(root, "best_upper"));
        assert_string_is(entry(root, "bounds", "method", "segments"), "kind", "estimate");
        assert_string_is(entry(root, "bounds", "method", "segments-missrate"), "kind", "estimate");
        json_decref(root);
    }
}

/* A deadline of the whole grid. */
static void test_deadline(void **state) {
    (void)state;
    struct run run =
        run_command("analyze " STENCIL "-m jcse2017 --scheme reorder --accept ptx-model --deadline 1ms");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "proven by reorder-chain"));
    run_free(&run);
    run = run_command("analyze " STENCIL "-m jcse2017 --scheme reorder --deadline 1us");
    assert_int_equal(run.status, 1);
    run_free(&run);
}
#endif

/* Every scheme but strict round-robin goes with every policy. */
static void test_policies(void **state) {
    (void)state;
    json_t *root = run_json("simulate " STENCIL "--scheme all --policy lrr,gto --json", 0);
    assert_int_equal(json_array_size(json_object_get(root, "simulations")), 5);
    json_decref(root);
}

/* The same bytes whatever the number of threads, on a machine on which SMs wait for each other's requests. */
static void test_threads_do_not_matter(void **state) {
    (void)state;
    struct run run = run_shell(
        "a=\"simulate kernels/sgemm_naive.ptx -l kernels/sgemm_naive.yaml -m jcse2017 --scheme all --json\"\n"
        "$WB $a --set sms=5 --set dispatch=greedy --threads 1 > /tmp/wb_one.$$\n"
        "$WB $a --set sms=5 --set dispatch=greedy --threads 3 | cmp - /tmp/wb_one.$$; echo $?\n"
        "rm /tmp/wb_one.$$");
    assert_string_equal(run.out, "0\n");
    run_free(&run);
}

/* An issue of the trace: by a warp of a block; it starts no sooner, and has its result later. */
static void check_issue(json_t *event, json_int_t *last) {
    json_t *args = json_object_get(event, "args");
    json_int_t at = number(args, "cycle"), result = number(args, "result");
    *last = result > *last ? result : *last;
    assert_true(number(args, "block") < 4);
    assert_true(number(args, "start") >= at);
    assert_true(result > number(args, "start"));
}

/* The schedule of a grid has all its instructions, with times that the memory system knows at the end only:
 * the last result is there when the simulation ends. */
static void check_schedule(const char *options) {
    char arguments[240];
    (void)snprintf(arguments, sizeof arguments, "simulate " STENCIL "%s --json", options);
    json_t *root = run_json(arguments, 0);
    json_t *simulation = json_array_get(json_object_get(root, "simulations"), 0), *event;
    (void)snprintf(arguments, sizeof arguments, "simulate " STENCIL "%s --schedule --format trace", options);
    json_t *trace = run_json(arguments, 0);
    json_int_t last = 0, issues = 0;
    size_t index;
    json_array_foreach(json_object_get(trace, "traceEvents"), index, event) {
        if (json_object_get(json_object_get(event, "args"), "text") == NULL) continue;
        check_issue(event, &last);
        issues += strcmp(json_string_value(json_object_get(event, "name")), "ret") != 0;
    }
    assert_int_equal(last, number(simulation, "cycles"));
    assert_int_equal(issues, number(simulation, "warp_instructions"));
    json_decref(trace);
    json_decref(root);
}

static void test_schedules(void **state) {
    (void)state;
    check_schedule("-m jcse2017 --scheme default");
    check_schedule("-m jcse2017 --scheme pure-rr");
    check_schedule("-m jcse2017 --scheme reorder --set sms=2 --set limits.blocks=1");
    check_schedule("-m jcse2017 --scheme reorder --policy gto --set sms=1");
    check_schedule("-m ecrts2025-orin --scheme default --set service=4 --set sms=2");
    check_schedule("-m ecrts2025-orin --scheme default");
}

/* As a table: SM and block beside the warp, in the order of time, the same whatever the number of threads. */
static void test_schedule_text(void **state) {
    (void)state;
    struct run run =
        run_shell("a=\"simulate " STENCIL "-m jcse2017 --scheme reorder --schedule\"\n"
                  "$WB $a --threads 1 > /tmp/wb_one.$$\n"
                  "$WB $a --threads 3 | cmp - /tmp/wb_one.$$ && head -4 /tmp/wb_one.$$ | tr -s ' '\n"
                  "tail -n +3 /tmp/wb_one.$$ | sort -c -n -s -k1,1 -k2,2 && wc -l < /tmp/wb_one.$$\n"
                  "rm /tmp/wb_one.$$");
    assert_string_equal(run.out,
                        "scheme reorder, policy lrr, machine jcse2017, 8 warps a block; times in cycles\n"
                        " issue SM block warp unit start free result step instruction\n"
                        " 0 0 0 0 SP 0 1 5 0 ld.param.u64\n"
                        " 0 1 1 0 SP 0 1 5 0 ld.param.u64\n"
                        "7922\n");
    run_free(&run);
}

/* The longest execution that is found, of the kernel and of a block: as long as the report says. */
static void test_worst_schedule(void **state) {
    (void)state;
    static const char *const options[] = {"", "-i 1 ", "-m jcse2017 --policy lrr,oldest "};
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        char arguments[240];
        (void)snprintf(arguments, sizeof arguments, "analyze " STENCIL "%s--schedule --format trace",
                       options[o]);
        json_t *trace = run_json(arguments, 0), *event;
        const json_t *about = json_object_get(trace, "otherData");
        const bool found = json_object_get(about, "method") != NULL;
        json_int_t last = 0;
        size_t index;
        assert_string_equal(json_string_value(json_object_get(about, "kind")), found ? "lower" : "simulated");
        json_array_foreach(json_object_get(trace, "traceEvents"), index, event) {
            const json_t *result = json_object_get(json_object_get(event, "args"), "result");
            if (json_integer_value(result) > last) last = json_integer_value(result);
        }
        assert_int_equal(last, json_integer_value(json_object_get(about, "cycles")));
        json_decref(trace);
    }
}

/* The schedules of several policies in one trace, each in processes of its own, and as long as that says. */
static void test_trace_of_several_policies(void **state) {
    (void)state;
    static const char *const policies[] = {"cggty", "gto", "lrr"};
    json_t *trace =
        run_json("simulate kernels/cubin/reduce.sm_86.cubin -l kernels/reduce.yaml -m rtx-a6000 -i 0 "
                 "--policy cggty,gto,lrr --schedule --format trace",
                 0);
    json_t *event;
    size_t index;
    const json_t *about = json_object_get(json_object_get(trace, "otherData"), "schedules");
    assert_int_equal(json_array_size(about), 3);
    json_int_t last[4] = {0};
    json_array_foreach(json_object_get(trace, "traceEvents"), index, event) {
        const json_t *result = json_object_get(json_object_get(event, "args"), "result");
        const json_int_t of = (json_integer_value(json_object_get(event, "pid")) - 1) / 2;
        assert_in_range(of, 0, 2);
        if (json_integer_value(result) > last[of]) last[of] = json_integer_value(result);
    }
    for (size_t i = 0; i < 3; i++) {
        const json_t *one = json_array_get(about, i);
        assert_string_equal(json_string_value(json_object_get(one, "policy")), policies[i]);
        assert_int_equal(json_integer_value(json_object_get(one, "cycles")), last[i]);
    }
    json_decref(trace);
}

/* A large trace is announced with its size, which is about that of the file; a small one is not. */
static void test_size_of_a_trace(void **state) {
    (void)state;
    struct run run =
        run_shell("a=\"simulate kernels/cubin/sgemm_tiled.sm_87.cubin -l kernels/sgemm_tiled.yaml -m "
                  "jetson-agx-orin --schedule --format trace\"; $WB $a | wc -c; "
                  "$WB $a --window 0:500 >/dev/null");
    unsigned long bytes = 0, announced = 0;
    assert_int_equal(sscanf(run.out, "%lu", &bytes), 1);
    if (sscanf(run.err, "warpbound: note: the trace takes about %lu MB", &announced) != 1)
        fail_msg("%s", run.err);
    assert_in_range(announced, bytes / 1250000, bytes / 800000);
    assert_null(strchr(strchr(run.err, '\n') + 1, '\n'));
    run_free(&run);
}

/* Without a scheme it is the kernel that is simulated, as analyze has it. */
static void test_kernels_are_simulated_whole(void **state) {
    (void)state;
    static const char *const machines[] = {"-m ecrts2025-orin --set sms=2", "-m jcse2017"};
    for (size_t m = 0; m < 2; m++) {
        char arguments[240];
        (void)snprintf(arguments, sizeof arguments, "simulate " STENCIL "%s --json", machines[m]);
        json_t *simulated = run_json(arguments, 0);
        (void)snprintf(arguments, sizeof arguments, "analyze " STENCIL "%s --policy lrr,gto --json",
                       machines[m]);
        json_t *root = run_json(arguments, 0), *analysed = json_object_get(root, "grid");
        static const char *const policies[] = {"lrr", "gto"};
        assert_int_equal(number(json_object_get(simulated, "launch"), "blocks"), 4);
        assert_int_equal(json_array_size(json_object_get(simulated, "simulations")), 2);
        for (size_t p = 0; p < 2; p++)
            assert_int_equal(number(entry(simulated, "simulations", "policy", policies[p]), "cycles"),
                             number(entry(analysed, "simulations", "policy", policies[p]), "cycles"));
        json_decref(simulated);
        json_decref(root);
    }
    json_t *block = run_json("simulate " STENCIL "-m ecrts2025-orin -i 0 --json", 0);
    assert_int_equal(number(entry(block, "simulations", "policy", "gto"), "cycles"), 6331);
    json_decref(block);
}

/* A kernel of whose accesses nobody knows where they go: its first block is simulated, and the user is told.
 */
static void test_one_block_in_place_of_the_kernel(void **state) {
    (void)state;
    static const char text[] =
        "\"$WB\" simulate /dev/stdin -g 2 -b 32 -a 'buf:u32[64]' %s <<'END'\n"
        ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 data) {\n"
        ".reg .b32 %%r0;\n.reg .b64 %%x;\nld.param.u64 %%x, [data];\nmov.u32 %%r0, %%tid.x;\n"
        "multimem.red.relaxed.sys.global.add.u32 [%%x], %%r0;\nret;\n}\nEND\n";
    char command[1000];
    (void)snprintf(command, sizeof command, text, "-m hopper-sm90 --memory ideal --policy gto");
    struct run run = run_shell(command);
    assert_int_equal(run.status, 0);
    assert_non_null(
        strstr(run.err, "simulate: warning: only block 0,0,0 is simulated, not the kernel: /dev/"));
    assert_non_null(strstr(run.out, "block    (0,0,0) of grid 2x1x1"));
    run_free(&run);
    (void)snprintf(command, sizeof command, text, "-m hopper-sm90 --memory ideal --scheme default");
    run = run_shell(command);
    assert_int_equal(run.status, 3);
    assert_string_equal(run.out, "");
    run_free(&run);
}

/* One block of the grid can be looked at alone. */
static void test_one_block(void **state) {
    (void)state;
    json_t *root = run_json("simulate " STENCIL "--scheme default -i 3 --json", 0);
    assert_int_equal(number(json_object_get(root, "launch"), "blocks"), 1);
    json_decref(root);
}

static void test_text(void **state) {
    (void)state;
    struct run run = run_command("cache " STENCIL);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "with reordering"));
    assert_int_equal(count_of(run.out, "ld.global.f32"), 5);
    assert_non_null(strstr(run.out, "without reordering, in every order: at least "));
    run_free(&run);
    run = run_command("simulate " STENCIL "--scheme all --timing");
    assert_int_equal(run.status, 0);
    assert_int_equal(count_of(run.out, "pure-rr"), 3);
    assert_non_null(strstr(run.out, "elapsed"));
    run_free(&run);
}

#define REDUCE "kernels/reduce.ptx -l kernels/reduce.yaml --json --policy lrr "
#define FETCH "--set fetch.size=2048 --set fetch.miss_latency=50 "

/* Whether an assumption of the bound begins like this. */
static bool assumes(json_t *bound, const char *start) {
    json_t *assumption;
    size_t index;
    json_array_foreach(json_object_get(bound, "assumptions"), index, assumption) {
        if (strncmp(json_string_value(assumption), start, strlen(start)) == 0) return true;
    }
    return false;
}

/* An instruction cache: proven without caches of data, with its part of the bound of a kernel. */
static void test_instruction_cache(void **state) {
    (void)state;
    json_t *without = run_json("analyze " REDUCE "-m ecrts2025-orin --method sib,k-bal", 0);
    json_t *with = run_json("analyze " REDUCE "-m ecrts2025-orin --method sib,exhaustive,k-bal " FETCH, 0);
    assert_null(json_object_get(json_object_get(without, "machine"), "fetch"));
    assert_null(json_object_get(entry(without, "simulations", "policy", "lrr"), "fetches"));
    assert_true(assumes(entry(without, "bounds", "method", "sib"), "instruction fetch never stalls"));
    assert_int_equal(number(json_object_get(json_object_get(with, "machine"), "fetch"), "miss_latency"), 50);
    json_t *simulation = entry(with, "simulations", "policy", "lrr");
    assert_true(number(simulation, "fetches") > number(simulation, "fetch_misses"));
    assert_true(number(simulation, "fetch_misses") > 0);
    json_t *sib = entry(with, "bounds", "method", "sib");
    assert_string_is(sib, "kind", "upper");
    assert_true(assumes(sib, "instruction fetch is as the machine states"));
    assert_false(assumes(sib, "instruction fetch never stalls"));
    assert_true(number(sib, "cycles") > number(entry(without, "bounds", "method", "sib"), "cycles"));
    assert_true(number(sib, "cycles") >= number(simulation, "cycles"));
    assert_string_is(entry(with, "declined", "method", "exhaustive"), "reason",
                     "the search does not model an instruction cache (fetch)");
    json_t *kernel = entry(json_object_get(with, "grid"), "bounds", "method", "kernel");
    json_t *parts = json_object_get(kernel, "parts"), *part;
    json_int_t sum = 0, fetch = 0;
    size_t index;
    json_array_foreach(parts, index, part) {
        sum += number(part, "cycles");
        if (strcmp(json_string_value(json_object_get(part, "what")), "fetch") == 0)
            fetch += number(part, "cycles");
    }
    assert_string_is(kernel, "kind", "upper");
    assert_int_equal(sum, number(kernel, "cycles"));
    assert_int_equal(sum - fetch,
                     number(entry(json_object_get(without, "grid"), "bounds", "method", "kernel"), "cycles"));
    json_decref(without);
    json_decref(with);
}

/* Beside caches of data nothing is proven. */
static void test_both_caches(void **state) {
    (void)state;
    json_t *root =
        run_json("analyze " STENCIL "--json --policy lrr -m jcse2017 --method sib,segment-sum " FETCH, 0);
    json_t *bounds[] = {entry(root, "bounds", "method", "sib"),
                        entry(root, "bounds", "method", "segment-sum")};
    for (size_t b = 0; b < 2; b++) {
        assert_string_is(bounds[b], "kind", "estimate");
        assert_non_null(strstr(json_string_value(json_object_get(bounds[b], "reason")), "instruction cache"));
    }
    assert_true(json_is_null(json_object_get(root, "best_upper")));
    assert_true(number(bounds[1], "cycles") > number(entry(root, "simulations", "policy", "lrr"), "cycles"));
    json_decref(root);
    root = run_json("simulate " STENCIL "--json -m jcse2017 --scheme default " FETCH, 0);
    assert_true(number(entry(root, "simulations", "scheme", "default"), "fetch_misses") > 0);
    json_decref(root);
    struct run run = run_command("simulate " STENCIL "-m jcse2017 --scheme default " FETCH);
    assert_non_null(strstr(run.out, ", instruction cache 2048 bytes in 4 ways\n"));
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_say_what_is_wrong),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_cache_without_data),
        cmocka_unit_test(test_cache_of_unknown_addresses),
        cmocka_unit_test(test_worst_data_is_bounded_exactly),
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_schemes),
#ifdef WB_WING_JCSE2017
        cmocka_unit_test(test_bounds_of_grids),
        cmocka_unit_test(test_deadline),
#endif
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_schedule_text),
        cmocka_unit_test(test_worst_schedule),
        cmocka_unit_test(test_kernels_are_simulated_whole),
        cmocka_unit_test(test_one_block_in_place_of_the_kernel),
        cmocka_unit_test(test_one_block),
        cmocka_unit_test(test_instruction_cache),
        cmocka_unit_test(test_both_caches),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_trace_of_several_policies),
        cmocka_unit_test(test_size_of_a_trace),
    };
    return cmocka_run_group_tests_name("gpu at the command line", tests, NULL, NULL);
}
