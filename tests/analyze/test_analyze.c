/* wb_analyze and its like, called as a program calls them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef WB_WING_JCSE2017
#    include "warpbound_jcse2017.h"
#endif
#include "bound/analysis/analysis.h"
#include "launch/launch.h"
#include "warpbound.h"

/* What a test works on; what is NULL was not loaded. */
struct loaded {
    wb_diagnostics *messages;
    wb_module *module;
    const wb_kernel *kernel;
    wb_launch *launch;
    wb_machine *machine;
    wb_facts *facts;
};

static void expect_ok(const struct loaded *loaded, wb_status status) {
    if (status != WB_OK) fail_msg("status %d: %s", (int)status, wb_diagnostics_text(loaded->messages));
}

static void expect_message(const struct loaded *loaded, const char *message) {
    if (strstr(wb_diagnostics_text(loaded->messages), message) == NULL)
        fail_msg("expected '%s' in:\n%s", message, wb_diagnostics_text(loaded->messages));
}

static struct loaded load(const char *ptx, const char *launch, const char *machine) {
    struct loaded loaded = {.messages = wb_diagnostics_new()};
    assert_non_null(loaded.messages);
    expect_ok(&loaded, wb_module_read(ptx, loaded.messages, &loaded.module));
    expect_ok(&loaded, wb_launch_read(launch, WB_FILES_BELOW, loaded.messages, &loaded.launch));
    expect_ok(&loaded, wb_module_find_kernel(loaded.module, wb_launch_kernel(loaded.launch), loaded.messages,
                                             &loaded.kernel));
    expect_ok(&loaded, wb_machine_load(machine, loaded.messages, &loaded.machine));
    return loaded;
}

static struct loaded load_vecadd(const char *machine) {
    return load("kernels/vecadd.ptx", "kernels/vecadd.yaml", machine);
}

static struct loaded load_bfs(void) {
    struct loaded loaded = load("kernels/bfs_level.ptx", "kernels/bfs_level.yaml", "ecrts2025-orin");
    expect_ok(&loaded,
              wb_facts_read("kernels/bfs_level.facts", loaded.kernel, loaded.messages, &loaded.facts));
    return loaded;
}

static void unload(struct loaded *loaded) {
    wb_facts_free(loaded->facts);
    wb_machine_free(loaded->machine);
    wb_launch_free(loaded->launch);
    wb_module_free(loaded->module);
    wb_diagnostics_free(loaded->messages);
}

static wb_status analyze(const struct loaded *loaded, const wb_analyze_options *options,
                         wb_analysis **analysis) {
    return wb_analyze(loaded->kernel, loaded->launch, loaded->machine, options, loaded->messages, analysis);
}

/* The call must fail with this status and message, and leave no analysis. */
static void expect_failure(const struct loaded *loaded, const wb_analyze_options *options, wb_status expected,
                           const char *message) {
    wb_analysis *analysis = NULL;
    assert_int_equal(analyze(loaded, options, &analysis), expected);
    assert_null(analysis);
    expect_message(loaded, message);
}

static char *report(const struct loaded *loaded, const wb_analysis *analysis) {
    char *text = NULL;
    expect_ok(loaded, wb_report(analysis, WB_REPORT_JSON, NULL, loaded->messages, &text));
    return text;
}

/* What it does with known data is what its steps do. */
static void test_known_data(void **state) {
    (void)state;
    struct loaded loaded = load_vecadd("ecrts2025-orin");
    wb_analysis *analysis = NULL, *step = NULL;
    wb_grid *grid = NULL;
    expect_ok(&loaded, analyze(&loaded, NULL, &analysis));
    expect_ok(&loaded, wb_grid_trace(loaded.kernel, loaded.launch, NULL, loaded.messages, &grid));
    expect_ok(&loaded, analysis_new_kernel(grid, loaded.machine, NULL, NULL, loaded.messages, &step));
    expect_ok(&loaded, wb_analysis_bound(step, "all", NULL, loaded.messages));
    expect_ok(&loaded, wb_analysis_simulate(step, NULL, NULL, loaded.messages));
    char *whole = report(&loaded, analysis), *steps = report(&loaded, step);
    assert_string_equal(whole, steps);
    assert_int_equal(wb_analysis_scope(analysis), WB_SCOPE_KERNEL);
    assert_false(wb_analysis_is_covering(analysis));
    assert_true(wb_analysis_has_results(analysis));
    assert_string_equal(wb_diagnostics_text(loaded.messages), "");
    free(whole);
    free(steps);
    wb_analysis_free(step);
    wb_grid_free(grid);
    wb_analysis_free(analysis);
    unload(&loaded);
}

static void test_one_block(void **state) {
    (void)state;
    struct loaded loaded = load_vecadd("ecrts2025-orin");
    wb_analysis *analysis = NULL;
    const wb_analyze_options options = {
        .size = sizeof options, .one_block = true, .block = {1, 0, 0}, .methods = "sib,gub"};
    expect_ok(&loaded, analyze(&loaded, &options, &analysis));
    size_t count;
    (void)wb_analysis_bounds(analysis, &count);
    assert_int_equal(count, 2);
    assert_int_equal(wb_analysis_scope(analysis), WB_SCOPE_BLOCK);
    assert_null(wb_analysis_longest_block(analysis));
    wb_analysis_free(analysis);
    unload(&loaded);
}

static void assert_state(const wb_analysis *analysis, wb_scope scope, uint64_t deadline, wb_state state) {
    assert_int_equal(wb_analysis_judge(analysis, scope, &deadline).state, state);
}

/* The deadline is met from the proven number on. Methods of blocks alone prove nothing of the kernel, unless
 * there is a deadline of it. */
static void test_deadline(void **state) {
    (void)state;
    struct loaded loaded = load_vecadd("ecrts2025-orin");
    wb_analyze_options options = {.size = sizeof options, .methods = "sib", .has_deadline = true};
    wb_analysis *analysis = NULL;
    uint64_t proven;
    expect_ok(&loaded, analyze(&loaded, &options, &analysis));
    assert_true(wb_analysis_proven(analysis, &proven));
    assert_state(analysis, WB_SCOPE_KERNEL, proven, WB_MODEL_ONLY);
    assert_state(analysis, (wb_scope)77, UINT64_MAX, WB_UNPROVEN);
    const wb_report_options units = {.size = sizeof units, .unit = (wb_unit)99};
    char *text = NULL;
    assert_int_equal(wb_report(analysis, WB_REPORT_TEXT, &units, loaded.messages, &text), WB_ERR_INPUT);
    expect_message(&loaded, "wb_report_options: error: unit: expected at most 5, not 99");
    wb_analysis_free(analysis);
    options.accept = WB_ACCEPT_PTX_MODEL;
    expect_ok(&loaded, analyze(&loaded, &options, &analysis));
    assert_state(analysis, WB_SCOPE_KERNEL, proven, WB_MET);
    assert_state(analysis, WB_SCOPE_KERNEL, proven - 1, WB_OPEN);
    const wb_verdict verdict = wb_analysis_judge(analysis, WB_SCOPE_KERNEL, NULL);
    assert_int_equal(verdict.state, WB_BOUNDED);
    assert_int_equal(verdict.cycles, proven);
    assert_ptr_equal(verdict.bound, wb_analysis_best(analysis));
    assert_int_equal(verdict.margin, 0);
    assert_in_range(verdict.slowest.cycles, 1, proven);
    assert_state(analysis, WB_SCOPE_KERNEL, verdict.slowest.cycles, WB_OPEN);
    assert_state(analysis, WB_SCOPE_KERNEL, verdict.slowest.cycles - 1, WB_OPEN);
    assert_int_equal(wb_analysis_judge(analysis, WB_SCOPE_KERNEL, &proven).margin, 0);
    wb_analysis_free(analysis);
    options.scope = WB_SCOPE_BLOCK;
    expect_ok(&loaded, analyze(&loaded, &options, &analysis));
    assert_int_equal(wb_analysis_scope(analysis), WB_SCOPE_BLOCK);
    assert_state(analysis, WB_SCOPE_BLOCK, proven, WB_MET);
    assert_state(analysis, WB_SCOPE_KERNEL, proven, WB_BLOCK_ONLY);
    wb_analysis_free(analysis);
    unload(&loaded);
}

/* With facts results hold for any inputs, and bound those of the given ones. */
static void test_unknown_data_with_facts(void **state) {
    (void)state;
    struct loaded loaded = load_bfs();
    wb_analyze_options options = {.size = sizeof options, .facts = loaded.facts};
    wb_analysis *any = NULL, *given = NULL;
    uint64_t any_proven, given_proven;
    expect_ok(&loaded, analyze(&loaded, &options, &any));
    options.inputs = WB_INPUTS_GIVEN;
    expect_ok(&loaded, analyze(&loaded, &options, &given));
    assert_true(wb_analysis_is_covering(any) && !wb_analysis_is_covering(given));
    assert_true(wb_analysis_proven(any, &any_proven));
    assert_true(wb_analysis_proven(given, &given_proven));
    assert_true(any_proven > given_proven);
    char *text = report(&loaded, any);
    assert_non_null(strstr(text, "\"given\": {"));
    free(text);
    wb_analysis_free(given);
    wb_analysis_free(any);
    options = (wb_analyze_options){.size = sizeof options, .inputs = WB_INPUTS_ANY};
    expect_failure(&loaded, &options, WB_ERR_DECLINED, "loop $L__BB0_4 <= ?");
    assert_true(wb_diagnostics_needs_facts(loaded.messages));
    unload(&loaded);
}

/* Facts are held to the given data, and have to be complete. */
static void test_bad_facts(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
        wb_status status;
    } cases[] = {
        {"kernel bfs_level d54a1f262ec908b0\nloop $L__BB0_4 <= 1;\n", "although a flow fact says",
         WB_ERR_INPUT},
        {"kernel bfs_level d54a1f262ec908b0\nloop $L__BB0_4 <= ?;\n", "?", WB_ERR_DECLINED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded loaded = load("kernels/bfs_level.ptx", "kernels/bfs_level.yaml", "ecrts2025-orin");
        expect_ok(&loaded, wb_facts_parse("bad.facts", cases[i].text, strlen(cases[i].text), loaded.kernel,
                                          loaded.messages, &loaded.facts));
        const wb_analyze_options options = {.size = sizeof options, .facts = loaded.facts};
        expect_failure(&loaded, &options, cases[i].status, cases[i].message);
        unload(&loaded);
    }
}

/* Of the first block nothing depends on the data; the others wait for a value that nobody knows. */
static const char late_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry late(.param .u64 p)\n{\n"
    "    .reg .pred %p<3>;\n    .reg .b32 %r<3>;\n    .reg .b64 %rd<3>;\n"
    "    mov.u32 %r1, %ctaid.x;\n    setp.eq.s32 %p1, %r1, 0;\n    @%p1 bra DONE;\n"
    "    ld.param.u64 %rd1, [p];\n    cvta.to.global.u64 %rd2, %rd1;\n"
    "WAIT:\n    ld.volatile.global.u32 %r2, [%rd2];\n    setp.ne.s32 %p2, %r2, 0;\n    @%p2 bra WAIT;\n"
    "DONE:\n    ret;\n}\n";

static struct loaded load_late(void) {
    struct loaded loaded = {.messages = wb_diagnostics_new(), .launch = wb_launch_new()};
    const uint32_t blocks[] = {2, 1, 1}, threads[] = {32, 1, 1};
    assert_true(loaded.messages != NULL && loaded.launch != NULL);
    expect_ok(&loaded,
              wb_module_parse("late.ptx", late_ptx, strlen(late_ptx), loaded.messages, &loaded.module));
    expect_ok(&loaded, wb_module_find_kernel(loaded.module, NULL, loaded.messages, &loaded.kernel));
    expect_ok(&loaded, wb_launch_set_grid(loaded.launch, blocks, loaded.messages));
    expect_ok(&loaded, wb_launch_set_block(loaded.launch, threads, loaded.messages));
    expect_ok(&loaded, wb_launch_add_argument(loaded.launch, "buf:u32[1]", loaded.messages));
    expect_ok(&loaded, wb_machine_load("ecrts2025-orin", loaded.messages, &loaded.machine));
    return loaded;
}

static void test_fallback_to_a_block(void **state) {
    (void)state;
    struct loaded loaded = load_late();
    wb_analysis *analysis = NULL;
    expect_ok(&loaded, analyze(&loaded, NULL, &analysis));
    expect_message(&loaded, "analyze: warning: only one block is bounded, not the kernel: ");
    assert_int_equal(wb_diagnostics_errors(loaded.messages), 0);
    assert_int_equal(wb_analysis_scope(analysis), WB_SCOPE_BLOCK);
    assert_state(analysis, WB_SCOPE_KERNEL, UINT64_MAX, WB_BLOCK_ONLY);
    wb_analysis_free(analysis);
    unload(&loaded);
    loaded = load_late();
    const wb_analyze_options named = {.size = sizeof named, .methods = "sib,k-area"};
    expect_failure(&loaded, &named, WB_ERR_DECLINED, "this loop waits for other threads");
    unload(&loaded);
    loaded = load_late();
    const wb_analyze_options other = {.size = sizeof other, .one_block = true, .block = {1, 0, 0}};
    expect_failure(&loaded, &other, WB_ERR_DECLINED, "this loop waits for other threads");
    unload(&loaded);
}

static void test_bad_options(void **state) {
    (void)state;
    static const struct {
        wb_analyze_options options;
        const char *message;
    } cases[] = {
        {{.size = 0}, "wb_analyze_options: error: size: expected sizeof(wb_analyze_options), "},
        {{.size = 12}, "size: expected sizeof(wb_analyze_options), "},
        {{.size = (size_t)1 << 40}, "size: expected sizeof(wb_analyze_options), "},
        {{.size = sizeof(wb_analyze_options), .methods = "sib,nonsense"}, "nonsense"},
        {{.size = sizeof(wb_analyze_options), .policies = "nonsense"}, "nonsense"},
        {{.size = sizeof(wb_analyze_options), .scheme = "nonsense"}, "nonsense"},
        {{.size = sizeof(wb_analyze_options), .inputs = (wb_inputs)7}, "inputs: expected at most 2, not 7"},
        {{.size = sizeof(wb_analyze_options), .scope = (wb_scope)77}, "scope: expected at most 1, not 77"},
        {{.size = sizeof(wb_analyze_options), .accept = 2}, "accept: expected at most 1, not 2"},
        {{.size = sizeof(wb_analyze_options), .scheme = "default"},
         "grids are analysed on machines with caches"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded loaded = load_vecadd("ecrts2025-orin");
        expect_failure(&loaded, &cases[i].options, WB_ERR_INPUT, cases[i].message);
        unload(&loaded);
    }
    struct loaded loaded = load_vecadd("jcse2017");
    wb_gpu *gpu = NULL;
    const wb_analyze_options block = {.size = sizeof block, .inputs = WB_INPUTS_ANY, .one_block = true};
    assert_int_equal(
        wb_analyze_caches(loaded.kernel, loaded.launch, loaded.machine, &block, loaded.messages, &gpu),
        WB_ERR_INPUT);
    assert_null(gpu);
    const wb_analyze_options any = {.size = sizeof any, .inputs = WB_INPUTS_ANY};
    wb_grid *grid = NULL;
    assert_int_equal(wb_analyze_accesses(loaded.kernel, loaded.launch, &any, loaded.messages, &grid),
                     WB_ERR_INPUT);
    assert_null(grid);
    unload(&loaded);
}

/* A program compiled for a shorter struct gets what it asked for; one compiled for a longer struct, too,
 * while it asks for nothing that is new. */
static void test_options_of_other_versions(void **state) {
    (void)state;
    struct loaded loaded = load_vecadd("ecrts2025-orin");
    struct {
        wb_analyze_options known;
        uint64_t unknown;
    } later = {.known = {.size = sizeof later, .methods = "k-area"}};
    wb_analyze_options earlier = {.size = offsetof(wb_analyze_options, watch), .methods = "k-area"};
    memset(&earlier.watch, 0x5a, sizeof earlier.watch);
    for (int i = 0; i < 2; i++) {
        wb_analysis *analysis = NULL;
        expect_ok(&loaded, analyze(&loaded, i == 0 ? &later.known : &earlier, &analysis));
        assert_non_null(wb_analysis_best(analysis));
        wb_analysis_free(analysis);
    }
    later.unknown = 1;
    expect_failure(&loaded, &later.known, WB_ERR_INPUT, "an option is set that version ");
    unload(&loaded);
}

/* Every struct of options is refused without its size. */
static void test_sizes_of_other_options(void **state) {
    (void)state;
    struct loaded loaded = load_vecadd("jcse2017");
    const wb_trace_options trace = {.record_accesses = true};
    const wb_grid_options grid_options = {.one_block = true};
    const wb_report_options report_options = {.timing = true};
    wb_block *block = NULL;
    wb_grid *grid = NULL;
    wb_gpu *gpu = NULL;
    char *text = NULL;
    assert_int_equal(wb_block_trace(loaded.kernel, loaded.launch, &trace, loaded.messages, &block),
                     WB_ERR_INPUT);
    assert_int_equal(wb_grid_trace(loaded.kernel, loaded.launch, &grid_options, loaded.messages, &grid),
                     WB_ERR_INPUT);
    expect_ok(&loaded,
              wb_analyze_caches(loaded.kernel, loaded.launch, loaded.machine, NULL, loaded.messages, &gpu));
    assert_int_equal(wb_gpu_report(gpu, WB_REPORT_TEXT, &report_options, loaded.messages, &text),
                     WB_ERR_INPUT);
    assert_true(block == NULL && grid == NULL && text == NULL);
    assert_int_equal(wb_diagnostics_errors(loaded.messages), 3);
#ifdef WB_WING_JCSE2017
    const wb_order_options order = {.channels = true};
    const wb_writer nobody = {0};
    assert_int_equal(wb_order_report(gpu, WB_ORDER_TEXT, &order, &nobody, loaded.messages), WB_ERR_INPUT);
    assert_int_equal(wb_diagnostics_errors(loaded.messages), 4);
#endif
    wb_gpu_free(gpu);
    unload(&loaded);
}

static bool refuse(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return false;
}

static void test_progress_callback_stops_it(void **state) {
    (void)state;
    struct loaded loaded = load_vecadd("ecrts2025-orin");
    const wb_analyze_options options = {.size = sizeof options, .watch = {.poll = refuse}};
    expect_failure(&loaded, &options, WB_ERR_LIMIT, "interrupted");
    unload(&loaded);
}

/* What a limit left is handed out with it. */
static void test_results_before_a_limit(void **state) {
    (void)state;
    struct loaded loaded = load_vecadd("ecrts2025-orin");
    wb_analysis *analysis = NULL;
    const wb_analyze_options options = {
        .size = sizeof options, .methods = "sib,exhaustive", .state_limit = 1, .one_block = true};
    assert_int_equal(analyze(&loaded, &options, &analysis), WB_ERR_LIMIT);
    assert_non_null(analysis);
    assert_non_null(wb_analysis_best(analysis));
    wb_analysis_free(analysis);
    unload(&loaded);
}

static void test_list_of_launches(void **state) {
    (void)state;
    struct loaded loaded = {.messages = wb_diagnostics_new()};
    wb_launches *launches = NULL;
    wb_stream *stream = NULL;
    uint64_t proven, sum = 0;
    expect_ok(&loaded, wb_module_read("kernels/horner.ptx", loaded.messages, &loaded.module));
    expect_ok(&loaded, wb_machine_load("ecrts2025-orin", loaded.messages, &loaded.machine));
    expect_ok(&loaded,
              wb_launches_read("kernels/horner_stream.yaml", WB_FILES_BELOW, loaded.messages, &launches));
    const wb_analyze_options accepting = {.size = sizeof accepting, .accept = WB_ACCEPT_PTX_MODEL};
    expect_ok(&loaded, wb_analyze_launches(loaded.module, launches, loaded.machine, &accepting,
                                           loaded.messages, &stream));
    assert_int_equal(wb_stream_count(stream), wb_launches_count(launches));
    for (size_t i = 0; i < wb_stream_count(stream); i++) {
        assert_true(wb_analysis_proven(wb_stream_at(stream, i), &proven));
        sum += proven;
    }
    assert_null(wb_stream_at(stream, wb_stream_count(stream)));
    assert_true(wb_stream_proven(stream, &proven));
    assert_int_equal(proven, sum);
    const uint64_t below = proven - 1, nothing = 0;
    assert_int_equal(wb_stream_judge(stream, NULL).state, WB_BOUNDED);
    assert_int_equal(wb_stream_judge(stream, &proven).state, WB_MET);
    assert_int_equal(wb_stream_judge(stream, &below).state, WB_OPEN);
    assert_int_equal(wb_stream_judge(stream, &below).margin, -1);
    assert_int_equal(wb_stream_judge(stream, &nothing).state, WB_OPEN);
    assert_int_equal(wb_stream_judge(stream, NULL).scope, WB_SCOPE_STREAM);
    wb_stream_free(stream);
    stream = NULL;
    const wb_analyze_options block = {.size = sizeof block, .one_block = true};
    assert_int_equal(
        wb_analyze_launches(loaded.module, launches, loaded.machine, &block, loaded.messages, &stream),
        WB_ERR_INPUT);
    assert_null(stream);
    wb_launches_free(launches);
    unload(&loaded);
}

/* Caches of covering paths, where the given data leaves open what is executed, and of any inputs. */
static void test_caches(void **state) {
    (void)state;
    struct loaded loaded = load("kernels/histogram.ptx", "kernels/histogram_unknown.yaml", "jcse2017");
    const wb_analyze_options any = {.size = sizeof any, .inputs = WB_INPUTS_ANY};
    const wb_analyze_options *const options[] = {NULL, &any};
    for (size_t i = 0; i < 2; i++) {
        wb_gpu *gpu = NULL;
        char *text = NULL;
        expect_ok(&loaded, wb_analyze_caches(loaded.kernel, loaded.launch, loaded.machine, options[i],
                                             loaded.messages, &gpu));
        expect_ok(&loaded, wb_cache_report(gpu, WB_REPORT_JSON, NULL, loaded.messages, &text));
        free(text);
        wb_gpu_free(gpu);
    }
    unload(&loaded);
}

#define THREADS 6

/* Threads share a module, a launch, a machine and facts, and come to the same. */
/* Translations count for each page or for each access, whichever gives the lesser bound. */
static void test_translations_count_as_is_less(void **state) {
    static const char *const kernels[][2] = {{"kernels/cubin/vecadd.sm_86.cubin", "kernels/vecadd.yaml"},
                                             {"kernels/cubin/reduce.sm_86.cubin", "kernels/reduce.yaml"}};
    const wb_analyze_options options = {.size = sizeof options, .methods = "kernel", .policies = "rr"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct loaded loaded = load(kernels[k][0], kernels[k][1], "rtx-a6000");
        wb_analysis *either = NULL, *accesses = NULL;
        expect_ok(&loaded, analyze(&loaded, &options, &either));
        const bool counts_pages = either->machine->fills.pages > 0;
        assert_int_equal(counts_pages, k == 1);
        expect_ok(&loaded, wb_machine_set(loaded.machine, "sass.tlb_keeps=0", loaded.messages));
        expect_ok(&loaded, analyze(&loaded, &options, &accesses));
        const uint64_t less = wb_analysis_best(either)->cycles, each = wb_analysis_best(accesses)->cycles;
        assert_true(counts_pages ? less < each : less == each);
        wb_analysis_free(either);
        wb_analysis_free(accesses);
        unload(&loaded);
    }
}

/* The slowest simulation of a kernel; 0: there is none. */
static uint64_t simulated(const wb_analysis *analysis) {
    size_t count;
    uint64_t slowest = 0;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (simulations[i].cycles > slowest) slowest = simulations[i].cycles;
    return slowest;
}

/* Of kernels that are too large to be simulated, whose blocks are listed, or only counted, or executed on
 * covering paths alone, the first blocks are: alone they take what a kernel of just these takes, and decide
 * nothing. */
static void test_first_blocks_of_large_kernels(void **state) {
    (void)state;
    static const uint32_t few[] = {84, 1, 1}, grids[][3] = {{65535, 1, 1}, {60000, 100, 1}, {300000, 1, 1}};
    for (size_t g = 0; g < 3; g++) {
        const bool unknown = g == 2;
        struct loaded loaded =
            load(unknown ? "kernels/histogram.ptx" : "kernels/saxpy.ptx",
                 unknown ? "kernels/histogram_unknown.yaml" : "kernels/saxpy.yaml", "ecrts2025-orin");
        wb_analysis *small = NULL, *large = NULL;
        char *text = NULL;
        expect_ok(&loaded, wb_launch_set_grid(loaded.launch, few, loaded.messages));
        expect_ok(&loaded, analyze(&loaded, NULL, &small));
        expect_ok(&loaded, wb_launch_set_grid(loaded.launch, grids[g], loaded.messages));
        expect_ok(&loaded, analyze(&loaded, NULL, &large));
        const wb_verdict verdict = wb_analysis_judge(large, WB_SCOPE_KERNEL, NULL);
        const wb_first_blocks *first = &verdict.first_blocks;
        const uint64_t deadline = first->cycles - 1;
        assert_int_equal(first->cycles, simulated(unknown ? small->owned.given : small));
        assert_int_equal(first->blocks, 84);
        assert_int_equal(first->last[0], 83);
        assert_int_equal(first->with_zeros, unknown);
        assert_int_equal(verdict.slowest.cycles + verdict.sure.cycles, 0);
        assert_int_equal(wb_analysis_judge(large, WB_SCOPE_KERNEL, &deadline).state, WB_OPEN);
        assert_int_equal(wb_analysis_judge(small, WB_SCOPE_KERNEL, NULL).first_blocks.cycles, 0);
        expect_ok(&loaded, wb_report(large, WB_REPORT_TEXT, NULL, loaded.messages, &text));
        assert_non_null(strstr(text, "\n  part      blocks (0,0,0) to (83,0,0) without the others take "));
        assert_null(strstr(text, "slowest found"));
        free(text);
        wb_analysis_free(small);
        wb_analysis_free(large);
        unload(&loaded);
    }
}

static void test_threads_share_what_is_const(void **state) {
    (void)state;
    struct loaded loaded = load_bfs();
    const wb_analyze_options options = {.size = sizeof options, .facts = loaded.facts};
    char *texts[THREADS] = {NULL};
    wb_status statuses[THREADS];
#pragma omp parallel for num_threads(THREADS) schedule(static, 1)
    for (int i = 0; i < THREADS; i++) {
        wb_diagnostics *messages = wb_diagnostics_new();
        wb_analysis *analysis = NULL;
        statuses[i] = wb_analyze(loaded.kernel, loaded.launch, loaded.machine, &options, messages, &analysis);
        if (statuses[i] == WB_OK)
            statuses[i] = wb_report(analysis, WB_REPORT_JSON, NULL, messages, &texts[i]);
        wb_analysis_free(analysis);
        wb_diagnostics_free(messages);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(statuses[i], WB_OK);
        assert_string_equal(texts[i], texts[0]);
    }
    for (int i = 0; i < THREADS; i++)
        free(texts[i]);
    unload(&loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_data),
        cmocka_unit_test(test_one_block),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_unknown_data_with_facts),
        cmocka_unit_test(test_bad_facts),
        cmocka_unit_test(test_fallback_to_a_block),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_options_of_other_versions),
        cmocka_unit_test(test_sizes_of_other_options),
        cmocka_unit_test(test_progress_callback_stops_it),
        cmocka_unit_test(test_results_before_a_limit),
        cmocka_unit_test(test_list_of_launches),
        cmocka_unit_test(test_caches),
        cmocka_unit_test(test_translations_count_as_is_less),
        cmocka_unit_test(test_first_blocks_of_large_kernels),
        cmocka_unit_test(test_threads_share_what_is_const),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
