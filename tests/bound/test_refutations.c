/* Every file of docs/refutations/ says what it says: the claim, and the schedule that breaks it. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "bound_named.h"
#include "memory/requests/requests.h"
#include "random_check.h"
#include "sim/gpu/gpu.h"
#include "synthetic_text.h"
#include "warp/synthetic/synthetic.h"

#define FOLDER "docs/refutations/"

struct refutation {
    const char *file;
    uint64_t gub, lrr, exact; /* gub, lrr 0: not part of the claim */
};

static const struct refutation refutations[] = {
    {"gub-identical.yaml", 16, 0, 17},
    {"gub-mixed.yaml", 12, 0, 13},
    {"gub-gap.yaml", 40, 0, 44},
    {"gub-depth0.yaml", 7, 0, 8},
    {"gub-depth0-identical.yaml", 8, 0, 9},
    {"gub-lrr-depth0.yaml", 22, 30, 30},
    {"gub-depth1.yaml", 8, 0, 9},
    {"gub-lrr.yaml", 18, 19, 19},
    {"gub-lrr-units.yaml", 57, 60, 60},
    {"gub-depth2.yaml", 12, 0, 13},
    {"gub-lrr-depth2.yaml", 27, 28, 28},
    {"sib-depth1-inits.yaml", 0, 0, 16},
    {"barriers-exact.yaml", 0, 0, 24},
    {"sum-of-initiations.yaml", 0, 0, 23},
    {"pair-differences.yaml", 0, 0, 37},
    {"slots-or-work.yaml", 0, 0, 16},
    {"queue-alone.yaml", 0, 0, 14},
    {"starved.yaml", 0, 0, 18},
    {"lrr-hiding.yaml", 0, 16, 16},
};

enum { REFUTATION_COUNT = sizeof refutations / sizeof *refutations };

/* A grid, and a usual formula that it breaks. */
struct grid_refutation {
    const char *file, *formula;
    bool by_lrr; /* with the times of plain loose round-robin, which exceeds the formula; else exact ones */
    uint64_t claimed, lrr, exact; /* lrr 0: not part of the claim */
};

static const struct grid_refutation grid_refutations[] = {
    {"waves.yaml", "waves", false, 14, 0, 15},
    {"waves-imbalance.yaml", "waves", false, 10, 0, 11},
    {"waves-static-time.yaml", "waves", false, 20, 0, 21},
    {"waves-lrr.yaml", "waves", true, 39, 40, 42},
    {"graham.yaml", "graham", false, 45, 0, 47},
    {"graham-slope.yaml", "graham", false, 78, 0, 92},
    {"graham-depth1.yaml", "graham", false, 112, 0, 119},
    {"graham-unlimited.yaml", "graham", false, 137, 0, 145},
    {"graham-lrr.yaml", "graham", true, 32, 33, 35},
    {"graham-lrr-slope.yaml", "graham", true, 112, 140, 168},
    {"one-by-one.yaml", "one-by-one", false, 8, 0, 9},
    {"one-by-one-lrr.yaml", "one-by-one", true, 8, 9, 10},
    {"busiest.yaml", "k-busiest", false, 22, 0, 23},
    {"busiest-slope.yaml", "k-busiest", false, 132, 0, 152},
    {"busiest-no-barriers.yaml", "k-busiest", false, 48, 0, 49},
    {"busiest-of-block.yaml", "k-busiest", false, 4, 0, 8},
    {"busiest-of-turns.yaml", "k-busiest", false, 21, 0, 27},
    {"busiest-in-one-wave.yaml", "k-busiest", false, 15, 0, 19},
};

enum { GRID_REFUTATION_COUNT = sizeof grid_refutations / sizeof *grid_refutations };

static wb_analysis *read_block(const char *path, const char *methods, wb_diagnostics *diagnostics) {
    wb_analysis *analysis = NULL;
    if (wb_analysis_read(path, diagnostics, &analysis) != WB_OK) return NULL;
    assert_int_equal(wb_analysis_bound(analysis, methods, NULL, diagnostics), WB_OK);
    assert_int_equal(wb_analysis_simulate(analysis, "lrr,gto", NULL, diagnostics), WB_OK);
    return analysis;
}

/* A file of the folder, analysed. */
struct read_refutation {
    char path[256];
    wb_diagnostics *diagnostics;
    wb_analysis *analysis;
};

static void refutation_read(const char *file, const char *methods, struct read_refutation *read) {
    (void)snprintf(read->path, sizeof read->path, FOLDER "%s", file);
    read->diagnostics = wb_diagnostics_new();
    read->analysis = read_block(read->path, methods, read->diagnostics);
    if (read->analysis == NULL) fail_msg("%s", wb_diagnostics_text(read->diagnostics));
}

static void refutation_free(struct read_refutation *read) {
    wb_analysis_free(read->analysis);
    wb_diagnostics_free(read->diagnostics);
}

#define BLOCK_METHODS "sib,fib,aln,fifo,elb,gub,exhaustive,adversary"

/* The value of a bound or of the policy lrr, with its kind. */
static uint64_t value_of(const wb_analysis *analysis, const char *name, wb_kind *kind) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(bounds[i].method, name) != 0) continue;
        *kind = bounds[i].kind;
        return bounds[i].cycles;
    }
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(simulations[i].policy, name) != 0) continue;
        *kind = WB_SIMULATED;
        return simulations[i].cycles;
    }
    fail_msg("no %s", name);
    return 0;
}

static void check(const struct refutation *row, const wb_analysis *analysis) {
    wb_kind kind;
    uint64_t exact = value_of(analysis, "exhaustive", &kind);
    assert_int_equal(kind, WB_EXACT);
    assert_int_equal(exact, row->exact);
    uint64_t gub = value_of(analysis, "gub", &kind);
    if (row->gub != 0) {
        assert_int_equal(gub, row->gub);
        assert_int_equal(kind, WB_ESTIMATE);
        assert_true(gub < exact);
    }
    if (row->lrr != 0) assert_int_equal(value_of(analysis, "lrr", &kind), row->lrr);
    static const char *const proven[] = {"sib", "fib", "aln", "fifo", "elb"};
    for (size_t i = 0; i < 5; i++)
        assert_true(value_of(analysis, proven[i], &kind) >= exact);
    assert_true(value_of(analysis, "adversary", &kind) <= exact);
}

static void test_refutations(void **state) {
    (void)state;
    for (size_t i = 0; i < REFUTATION_COUNT; i++) {
        struct read_refutation read;
        refutation_read(refutations[i].file, BLOCK_METHODS, &read);
        check(&refutations[i], read.analysis);
        refutation_free(&read);
    }
}

/* What `blocks` blocks of a grid with one kind take under plain loose round-robin when they start together.
 */
static uint64_t lrr_together(const char *path, uint32_t blocks) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct synthetic_block block;
    struct wb_grid grid;
    struct timed_grid timed;
    struct arena arena = {0};
    wb_gpu_simulation result;
    assert_int_equal(synthetic_file_read(path, diagnostics, &block), WB_OK);
    assert_int_equal(block.classes.count, 1);
    block.classes.items[0].count = block.block_count = blocks;
    assert_int_equal(synthetic_grid_make(&block, diagnostics, &grid, &timed), WB_OK);
    struct gpu_scheme scheme = *gpu_scheme_at(0);
    scheme.policy = policy_at(choose_index("lrr", wb_policy_name));
    const struct gpu_options options = {0};
    assert_int_equal(gpu_simulate(&timed, &scheme, &options, diagnostics, &arena, &result), WB_OK);
    arena_free(&arena);
    timed_grid_free(&timed);
    grid_clear(&grid);
    synthetic_block_free(&block);
    wb_diagnostics_free(diagnostics);
    return result.cycles;
}

/* A usual formula with these times, by its definition. */
static uint64_t usual(const char *formula, const char *path, const struct grid_work *work) {
    const uint64_t blocks = work->block_count, sms = work->machine->memory.sms;
    const uint64_t rooms = sms * work->resident_most, full = lrr_together(path, work->resident_most);
    if (strcmp(formula, "waves") == 0) return (blocks + rooms - 1) / rooms * full;
    if (strcmp(formula, "graham") == 0) return (blocks - 1) * full / rooms + full;
    return (blocks + sms - 1) / sms * lrr_together(path, 1);
}

#define GRID_METHODS "kernel,k-exhaustive,waves,graham,one-by-one,k-busiest"

/* Each of them is an upper bound, and not below what can happen. */
static void check_kernel_bounds(const wb_analysis *analysis, uint64_t time) {
    static const char *const proven[] = {"area",          "balance",  "sm",    "chain-area",
                                         "chain-balance", "chain-sm", "serial"};
    wb_kind kind = WB_ESTIMATE;
    const struct wb_machine *machine = analysis->work.machine;
    const size_t count = machine->sub_cores == 1 ? 3 : memory_is_contended(&machine->memory) ? 6 : 7;
    for (size_t i = 0; i < count; i++)
        assert_true(form_named(analysis, proven[i]) >= time);
    assert_true(value_of(analysis, "kernel", &kind) >= time);
    assert_int_equal(kind, WB_UPPER);
}

/* Grids whose SMs share one memory, and a claim that both policies exceed: equation (3), or `one_way`. */
struct memory_refutation {
    const char *file;
    bool equation3;
    uint64_t claimed, simulated;
};

static const struct memory_refutation memory_refutations[] = {
    {"eq3.yaml", true, 7, 8},
    {"eq3-gap.yaml", true, 72, 149},
    {"stalls-per-sub-core.yaml", false, 164, 192},
};

/* A block on an SM whose units of requests are private: the busiest sub-core's work, each request's way back
 * shared among as many as may be under way, latencies, services. */
static uint64_t one_way(const wb_analysis *analysis) {
    const struct grid_work *work = &analysis->work;
    const struct machine_memory *memory = &work->machine->memory;
    const struct block_class *class = &work->classes.items[0];
    const uint64_t back = class->load.returns / memory->outstanding;
    const uint64_t all = class->initiations - class->stalls; /* of both sub-cores */
    return all - class->chain.shares[CHAIN_WHOLE].beyond + back + class->latency +
           memory->service * work->contention.requests;
}

enum { MEMORY_REFUTATION_COUNT = sizeof memory_refutations / sizeof *memory_refutations };

static void check_memory(const struct memory_refutation *row, const wb_analysis *analysis) {
    wb_kind kind = WB_ESTIMATE;
    assert_int_equal(row->equation3 ? value_of(analysis, "eq3", &kind) : one_way(analysis), row->claimed);
    assert_int_equal(kind, WB_ESTIMATE);
    assert_int_equal(value_of(analysis, "lrr", &kind), row->simulated);
    assert_int_equal(value_of(analysis, "gto", &kind), row->simulated);
    assert_true(row->simulated > row->claimed);
    check_kernel_bounds(analysis, row->simulated);
}

static void test_memory_refutations(void **state) {
    (void)state;
    for (size_t i = 0; i < MEMORY_REFUTATION_COUNT; i++) {
        struct read_refutation read;
        refutation_read(memory_refutations[i].file, "kernel,eq3", &read);
        check_memory(&memory_refutations[i], read.analysis);
        refutation_free(&read);
    }
}

static void check_grid(const struct grid_refutation *row, const char *path, const wb_analysis *analysis) {
    wb_kind kind = WB_ESTIMATE;
    const uint64_t exact = value_of(analysis, "k-exhaustive", &kind);
    assert_int_equal(kind, WB_EXACT);
    assert_int_equal(exact, row->exact);
    const uint64_t estimate = value_of(analysis, row->formula, &kind);
    assert_int_equal(kind, WB_ESTIMATE);
    if (row->by_lrr) {
        assert_int_equal(usual(row->formula, path, &analysis->work), row->claimed);
        assert_int_equal(value_of(analysis, "lrr", &kind), row->lrr);
        assert_true(row->lrr > row->claimed && row->lrr <= exact);
    } else {
        assert_int_equal(estimate, row->claimed);
        assert_true(exact > estimate);
    }
    check_kernel_bounds(analysis, exact);
    assert_true(value_of(analysis, "gto", &kind) <= exact);
}

static void test_grid_refutations(void **state) {
    (void)state;
    for (size_t i = 0; i < GRID_REFUTATION_COUNT; i++) {
        struct read_refutation read;
        refutation_read(grid_refutations[i].file, GRID_METHODS, &read);
        check_grid(&grid_refutations[i], read.path, read.analysis);
        refutation_free(&read);
    }
}

/* Grids each kind of whose blocks is a kernel, side by side with the others in streams (docs/task.md):
 * claimed is the sum of what the kernels take alone, or the longest of these and all initiations over the
 * SMs. */
struct stream_refutation {
    const char *file;
    bool longest;
    uint64_t claimed, exact;
};

static const struct stream_refutation stream_refutations[] = {
    {"streams.yaml", false, 9, 12},
    {"streams-longest.yaml", true, 8, 10},
};

enum { STREAM_REFUTATION_COUNT = sizeof stream_refutations / sizeof *stream_refutations };

/* What blocks of one kind take without the others. */
static uint64_t alone(const char *path, uint32_t class) {
    char name[] = "/tmp/warpbound_block_XXXXXX";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct synthetic_block block;
    struct text text = {0};
    wb_kind kind;
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(synthetic_file_read(path, diagnostics, &block), WB_OK);
    block.classes.items[0] = block.classes.items[class];
    block.classes.count = 1;
    block.block_count = block.classes.items[0].count;
    synthetic_block_print(&block, &text);
    assert_int_equal(wb_file_write(name, text.data, diagnostics), WB_OK);
    wb_analysis *analysis = read_block(name, "k-exhaustive", diagnostics);
    const uint64_t time = value_of(analysis, "k-exhaustive", &kind);
    wb_analysis_free(analysis);
    synthetic_block_free(&block);
    text_free(&text);
    wb_diagnostics_free(diagnostics);
    (void)unlink(name);
    return time;
}

static void test_stream_refutations(void **state) {
    (void)state;
    for (size_t i = 0; i < STREAM_REFUTATION_COUNT; i++) {
        const struct stream_refutation *row = &stream_refutations[i];
        struct read_refutation read;
        wb_kind kind;
        refutation_read(row->file, "kernel,k-exhaustive", &read);
        const struct grid_work *work = &read.analysis->work;
        uint64_t sum = 0, longest = 0, initiations = 0;
        for (uint32_t k = 0; k < work->classes.count; k++) {
            const uint64_t time = alone(read.path, k);
            sum += time;
            longest = cycles_max(longest, time);
            initiations += work->classes.items[k].initiations * work->classes.items[k].blocks;
        }
        const uint64_t spread = longest + cycles_ceiling(initiations, work->machine->memory.sms);
        assert_int_equal(row->longest ? spread : sum, row->claimed);
        assert_int_equal(value_of(read.analysis, "k-exhaustive", &kind), row->exact);
        assert_true(row->exact > row->claimed);
        refutation_free(&read);
    }
}

/* No file without a row above. */
static void test_every_file_is_checked(void **state) {
    (void)state;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    size_t files = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        files += strstr(entry->d_name, ".yaml") != NULL;
    (void)closedir(folder);
    assert_int_equal(files, REFUTATION_COUNT + GRID_REFUTATION_COUNT + MEMORY_REFUTATION_COUNT +
                                STREAM_REFUTATION_COUNT);
}

struct malformed {
    const char *text, *message;
};

static const struct malformed malformed_files[] = {
    {"", "error"},
    {"block: x\nunits: \"A(1,1)\"\nwarps: A\n", "warps: expected a list of warp programs"},
    {"block: x\nunits: \"A(1,1)\"\nwarps: []\n", ":3:"},
    {"block: x\nunits: \"A(1,1)\"\n", "warps"},
    {"block: x\nunits: \"A(1,1)\"\nwarps: [A]\ncolour: red\n", ":4:1: error: unknown key 'colour'"},
    {"block: x\ndispatch_depth: -1\nunits: \"A(1,1)\"\nwarps: [A]\n", ":2:17: error: dispatch_depth"},
    {"block: x\nunits: \"A(1,1)\"\nwarps: [A]\nfetch: {size: 100}\n",
     ":4:8: error: fetch: size: 100 bytes are not a whole number of sets"},
    {"block: x\nunits: \"A(0,1)\"\nwarps: [A]\n", "error"},
    {"block: x\nunits: \"A(1,1)\"\nwarps: [A]\nmemory_unit: A\n", ":4:1: error: memory_unit is for a grid"},
    {"block: x\nunits: \"A(1,1)\"\nblocks: [A]\nmemory_unit: B\n", ":4:14: error: memory_unit: no unit"},
    {"block: x\nunits: \"A(1,0)\"\nblocks: [A]\nmemory_unit: A\n", "needs a latency"},
    {"block: x\nunits: \"A(33,1)\"\nblocks: [A]\nmemory_unit: A\n", "32 at most"},
    {"block: x\nunits: \"A(1,1)\"\nblocks: [A]\nmemory: {service: 1}\n", "also expected memory_unit"},
    {"block: x\nunits: \"A(1,1)\"\nblocks: [A]\nmemory_unit: A\nmemory: {outstanding: 1}\n",
     "expected service above 0"},
    {"block: x\nunits: \"A(1,1)\"\nblocks: [A]\nmemory_unit: A\nmemory: {request_cycles: 2}\n",
     "a request a cycle"},
    {"block: x\nunits: \"A(1,1)\"\nwarps: [A B]\n", "error"},
    {"block: x\nunits: \" \"\nwarps: [\"\"]\n", "expected the name of a unit"},
    {"block: x\nunits: \"A(1,1)\"\nwarps: [0x A]\n", "a program has one warp or more"},
    {"block: x\nunits: \"A(1,1)\"\nwarps: [A.0]\n", "error"},
    {"block: x\nunits: \"A(1,1)\"\nwarps: [999999x A]\n", "error"},
};

static void test_malformed_files_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof malformed_files / sizeof *malformed_files; i++) {
        char path[] = "/tmp/warpbound_block_XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        size_t length = strlen(malformed_files[i].text);
        assert_int_equal(write(fd, malformed_files[i].text, length), length);
        (void)close(fd);
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_analysis *analysis = NULL;
        wb_status status = wb_analysis_read(path, diagnostics, &analysis);
        if (status != WB_ERR_INPUT || analysis != NULL ||
            strstr(wb_diagnostics_text(diagnostics), malformed_files[i].message) == NULL)
            fail_msg("case %zu: status %d, %s", i, (int)status, wb_diagnostics_text(diagnostics));
        wb_diagnostics_free(diagnostics);
        (void)unlink(path);
    }
}

/* A block printed as a file reads back as the same block: it prints the same and runs the same. */
static void check_round_trip(struct random_block *random) {
    struct text printed = {0}, again = {0};
    synthetic_block_print(&random->block, &printed);
    char path[] = "/tmp/warpbound_block_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(wb_file_write(path, printed.data, diagnostics), WB_OK);
    struct synthetic_block block;
    if (synthetic_file_read(path, diagnostics, &block) != WB_OK)
        fail_msg("%s%s", printed.data, wb_diagnostics_text(diagnostics));
    synthetic_block_print(&block, &again);
    assert_string_equal(printed.data, again.data);
    wb_simulation first, second;
    assert_int_equal(simulate(&random->block.timed, policy_at(0), NULL, NULL, diagnostics, &first), WB_OK);
    assert_int_equal(simulate(&block.timed, policy_at(0), NULL, NULL, diagnostics, &second), WB_OK);
    if (first.cycles != second.cycles) fail_msg("%s", printed.data);
    synthetic_block_free(&block);
    wb_diagnostics_free(diagnostics);
    (void)unlink(path);
    text_free(&printed);
    text_free(&again);
}

static void test_printed_blocks_read_back(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        const struct random_family *family = &random_families[seed % RANDOM_FAMILIES];
        struct random_block random;
        struct random_state fetch = random_seeded(seed);
        random_block_make(seed, &family->shape, family->depths, family->depth_count, &random);
        if (seed % 3 == 0) random.block.machine.fetch = random_fetch(&fetch);
        check_round_trip(&random);
        synthetic_block_free(&random.block);
    }
}

/* A name that needs quotes, units that nothing uses, a warp without instructions. */
static void check_reads_back(const char *text, const char *name, bool has_memory) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct synthetic_block block, read;
    struct text printed = {0}, again = {0};
    assert_int_equal(synthetic_file_parse("text", text, strlen(text), diagnostics, &block), WB_OK);
    synthetic_block_print(&block, &printed);
    if (synthetic_file_parse("printed", printed.data, printed.length, diagnostics, &read) != WB_OK)
        fail_msg("%s%s", printed.data, wb_diagnostics_text(diagnostics));
    synthetic_block_print(&read, &again);
    assert_string_equal(printed.data, again.data);
    assert_string_equal(read.machine.name, name);
    assert_int_equal(read.memory_unit != UNIT_NONE, has_memory);
    assert_int_equal(memory_is_contended(&read.machine.memory), has_memory);
    synthetic_block_free(&block);
    synthetic_block_free(&read);
    text_free(&printed);
    text_free(&again);
    wb_diagnostics_free(diagnostics);
}

static void test_odd_blocks_read_back(void **state) {
    (void)state;
    check_reads_back("block: 'a: \"b\" # c'\nunits: \"A(3,0) C(4,0)\"\nwarps: [\"1x \", \"A\"]\n",
                     "a: \"b\" # c", false);
    check_reads_back("block: shared\nunits: \"X(1,0) mem(2,7) n(3,9)@mem\"\nblocks: [\"3* X mem n.1; mem\"]\n"
                     "memory_unit: mem\nmemory: {sms: 2, service: 3, arbiter: round_robin, outstanding: 4}\n",
                     "shared", true);
    check_reads_back("block: fetched\nunits: \"X(1,0)\"\nblocks: [\"3* 2x X X.0; X; 2x X\"]\n"
                     "fetch: {size: 64, ways: 2, line: 16, miss_latency: 9}\n",
                     "fetched", false);
}

/* Reads a file whose blocks, or warps of the one block, are `count`. */
static void check_count(const char *text, bool is_grid, uint32_t count) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct synthetic_block block;
    if (synthetic_file_parse("text", text, strlen(text), diagnostics, &block) != WB_OK)
        fail_msg("%s%s", text, wb_diagnostics_text(diagnostics));
    assert_int_equal(block.is_grid, is_grid);
    assert_int_equal(is_grid ? block.block_count : block.timed.warp_count, count);
    synthetic_block_free(&block);
    wb_diagnostics_free(diagnostics);
}

#define ONE_UNIT "block: b\nunits: \"A(1,0)\"\n"

/* An empty program is a warp without instructions, also where it is the first one or alone. */
static void test_empty_programs_are_warps(void **state) {
    (void)state;
    check_count(ONE_UNIT "warps: [\"\"]\n", false, 1);
    check_count(ONE_UNIT "warps: [\"\", \"A\"]\n", false, 2);
    check_count(ONE_UNIT "warps: [\"A\", \"\"]\n", false, 2);
    check_count(ONE_UNIT "blocks: [\"\"]\n", true, 1);
    check_count(ONE_UNIT "blocks: [\"\", \"2* A\"]\n", true, 3);
    check_count(ONE_UNIT "blocks: [\"2* A\", \"\"]\n", true, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refutations),
        cmocka_unit_test(test_grid_refutations),
        cmocka_unit_test(test_memory_refutations),
        cmocka_unit_test(test_stream_refutations),
        cmocka_unit_test(test_every_file_is_checked),
        cmocka_unit_test(test_malformed_files_are_refused),
        cmocka_unit_test(test_printed_blocks_read_back),
        cmocka_unit_test(test_odd_blocks_read_back),
        cmocka_unit_test(test_empty_programs_are_warps),
    };
    return cmocka_run_group_tests_name("refutations", tests, NULL, NULL);
}
