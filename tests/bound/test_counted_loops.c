/* Loops whose passes facts count in all: random sparse matrices, whose rows are as long as it happens, with
 * facts that are just true of them. What covers all matrices of which these facts are true is no less than
 * what each block, and any number of blocks, executes of the given one, and no simulation takes longer than
 * the bound; facts that are less by one are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bound/analysis/analysis.h"
#include "kernel_suite.h"
#include "warp/trace/trace.h"

#define SEED 20261129u
#define ROUNDS 40u
#define THREADS 64u
#define WARPS (THREADS / 32)
#define BLOCKS_MAX 6u
#define ELEMENTS_MAX 250000u
#define COLUMNS 65536u
#define LOOPS 2u

static const char code[] = "kernels/cubin/sparse_matvec.sm_87.cubin";

/* The loop that does 16 elements a pass, and that for up to 3 that are left. */
static const struct {
    const char *label;
    uint32_t address;
} loops[LOOPS] = {{"L_0x0510", 0x510}, {"L_0x0320", 0x320}};

/* Passes of the given matrix, and what facts say. */
struct passes {
    uint64_t of[LOOPS][FACT_SCOPES];
    uint64_t of_entry[LOOPS];
};

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint32_t below(struct random_state *random, uint32_t limit) {
    return (uint32_t)random_below(random, limit);
}

static FILE *open_file(const char *folder, const char *name) {
    char path[96];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

static void put_number(int32_t number, FILE *file) {
    assert_int_equal(fwrite(&number, sizeof number, 1, file), 1);
}

/* Row lengths: many short ones and some long; in every other round some warps have rows of one length, and
 * others none, so that passes cost what they can. */
static void write_rows(struct random_state *random, uint32_t rows, const char *folder) {
    FILE *file = open_file(folder, "rows.bin");
    int32_t at = 0;
    const uint32_t longest = 1 + below(random, 300), rare = 1 + below(random, 40);
    const bool even = below(random, 2) == 0;
    uint32_t of_warp = 0;
    for (uint32_t r = 0; r <= rows; r++) {
        put_number(at, file);
        if (r % 32 == 0) of_warp = below(random, 3) == 0 ? 16 * below(random, 200) : 0;
        at += (int32_t)(even ? of_warp : below(random, below(random, rare) == 0 ? longest : 8));
        if (at > (int32_t)ELEMENTS_MAX - 4000) at = (int32_t)ELEMENTS_MAX - 4000;
    }
    (void)fclose(file);
}

static void write_columns(struct random_state *random, const char *folder) {
    FILE *file = open_file(folder, "columns.bin");
    for (uint32_t e = 0; e < ELEMENTS_MAX; e++)
        put_number((int32_t)below(random, COLUMNS), file);
    (void)fclose(file);
}

static void write_launch(uint32_t blocks, const char *folder) {
    FILE *file = open_file(folder, "launch.yaml");
    const uint32_t rows = blocks * THREADS;
    (void)fprintf(file,
                  "kernel: sparse_matvec\ngrid: [%u]\nblock: [%u]\narguments: [\"buf:i32[%u]=@rows.bin\", "
                  "\"buf:i32[%u]=@columns.bin\", \"buf:f32[%u]=zero\", \"buf:f32[%u]=zero\", "
                  "\"buf:f32[%u]=zero\", \"i32:%u\"]\n",
                  blocks, THREADS, rows + 1, ELEMENTS_MAX, ELEMENTS_MAX, COLUMNS, rows, rows);
    (void)fclose(file);
}

/* Passes of a warp, by its path. */
static void count_path(const struct path *path, struct passes *passes, uint64_t *of_warp) {
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    uint64_t of_entry[LOOPS] = {0};
    while (path_next(&cursor, &step)) {
        for (uint32_t l = 0; l < LOOPS; l++) {
            const uint32_t header = loops[l].address / 16;
            if (step.instruction == header) of_warp[l]++, of_entry[l]++;
        }
    }
    for (uint32_t l = 0; l < LOOPS; l++)
        passes->of_entry[l] = larger(passes->of_entry[l], of_entry[l]);
}

static struct passes count_passes(const struct wb_grid *given) {
    struct passes passes = {0};
    for (uint32_t b = 0; b < given->blocks.count; b++) {
        uint64_t of_block[LOOPS] = {0};
        for (uint32_t w = 0; w < given->warp_count; w++) {
            uint64_t of_warp[LOOPS] = {0};
            count_path(grid_path_of(given, b, w), &passes, of_warp);
            for (uint32_t l = 0; l < LOOPS; l++) {
                of_block[l] += of_warp[l];
                passes.of[l][FACT_OF_WARP] = larger(passes.of[l][FACT_OF_WARP], of_warp[l]);
            }
        }
        for (uint32_t l = 0; l < LOOPS; l++) {
            passes.of[l][FACT_OF_BLOCK] = larger(passes.of[l][FACT_OF_BLOCK], of_block[l]);
            passes.of[l][FACT_OF_KERNEL] += of_block[l];
        }
    }
    return passes;
}

/* Facts as said of some scopes of each loop, `scopes` having three bits a loop, one of them less by one where
 * `wrong` counts to it. */
static wb_facts *make_facts(const struct loaded_kernel *loaded, const struct passes *passes, uint32_t scopes,
                            int wrong) {
    struct text text = {0};
    uint64_t checksum;
    wb_facts *facts = NULL;
    assert_int_equal(facts_checksum(loaded->kernel, &checksum), WB_OK);
    facts_put_header(loaded->kernel, checksum, &text);
    for (uint32_t l = 0; l < LOOPS; l++) {
        if (passes->of_entry[l] == 0) {
            text_printf(&text, "never %s;\n", loops[l].label);
            continue;
        }
        text_printf(&text, "loop %s <= %" PRIu64 ";\n", loops[l].label, passes->of_entry[l]);
        for (uint32_t s = 0; s < FACT_SCOPES; s++)
            if ((scopes >> (l * FACT_SCOPES + s) & 1) != 0)
                text_printf(&text, "loop %s <= %" PRIu64 " per %s;\n", loops[l].label,
                            passes->of[l][s] - (wrong-- == 0), fact_scope_names[s]);
    }
    kernel_expect_ok(
        wb_facts_parse("facts", text.data, text.length, loaded->kernel, loaded->diagnostics, &facts),
        text.data, loaded->diagnostics);
    text_free(&text);
    return facts;
}

static wb_analysis *bounded(const struct loaded_kernel *loaded, const wb_grid *grid,
                            const wb_machine *machine) {
    wb_analysis *analysis = NULL;
    kernel_expect_ok(analysis_new_kernel(grid, machine, NULL, NULL, loaded->diagnostics, &analysis),
                     "analysis", loaded->diagnostics);
    kernel_expect_ok(wb_analysis_bound(analysis, "kernel", NULL, loaded->diagnostics), "bound",
                     loaded->diagnostics);
    return analysis;
}

static void no_less(const char *what, uint64_t covering, uint64_t given) {
    if (covering < given) fail_msg("%s: %" PRIu64 " < %" PRIu64, what, covering, given);
}

/* Each block, and any number of blocks, by every sum that bounds of kernels are made of. */
static void check_sums(const struct grid_work *all, const struct grid_work *given) {
    const struct chain_pool *pool = &all->chains.pools[CHAIN_WHOLE], *own = &given->chains.pools[CHAIN_WHOLE];
    for (uint32_t b = 0; b < given->block_count; b++) {
        const struct block_class *covering = &all->classes.items[all->class_of[b]];
        const struct block_class *real = &given->classes.items[given->class_of[b]];
        no_less("E", covering->initiations, real->initiations);
        no_less("lam", covering->latency, real->latency);
        no_less("H", covering->held, real->held);
        no_less("W", covering->chain.shares[CHAIN_WHOLE].work, real->chain.shares[CHAIN_WHOLE].work);
        no_less("own", covering->chain.shares[CHAIN_WHOLE].own, real->chain.shares[CHAIN_WHOLE].own);
    }
    for (uint64_t n = 1; n <= given->block_count; n++) {
        no_less("E of n", grid_work_most(all, n), grid_work_most(given, n));
        no_less("H of n", grid_work_held(all, n), grid_work_held(given, n));
        no_less("W of n", class_ranking_sum(&pool->by_work, n), class_ranking_sum(&own->by_work, n));
        no_less("own of n", class_ranking_sum(&pool->by_own, n), class_ranking_sum(&own->by_own, n));
        no_less("others", class_ranking_sum(&pool->by_beyond, n), class_ranking_sum(&own->by_beyond, n));
        no_less("extras", class_ranking_sum(&pool->extras, n), class_ranking_sum(&own->extras, n));
    }
    no_less("latencies", all->latency_total, given->latency_total);
}

static void check_refused(const struct loaded_kernel *loaded, const struct passes *passes, uint32_t scopes,
                          wb_grid_options options) {
    const int count = __builtin_popcount(scopes);
    for (int wrong = 0; wrong < count; wrong++) {
        /* 0 passes are said by `never` */
        bool some = true;
        for (uint32_t l = 0; l < LOOPS; l++)
            some = some && passes->of_entry[l] > 0 && passes->of[l][FACT_OF_WARP] > 1;
        if (!some) return;
        wb_facts *facts = make_facts(loaded, passes, scopes, wrong);
        wb_diagnostics *messages = wb_diagnostics_new();
        options.facts = facts;
        assert_int_equal(grid_hold_facts(loaded->kernel, loaded->launch, &options, messages), WB_ERR_INPUT);
        assert_non_null(strstr(wb_diagnostics_text(messages), "contradicts this fact"));
        wb_diagnostics_free(messages);
        wb_facts_free(facts);
    }
}

/* The bound with facts of that many scopes; what is less than the bound without. */
static bool check_matrix(const struct loaded_kernel *loaded, const wb_grid *given, const wb_machine *machine,
                         const struct passes *passes, uint32_t scopes) {
    wb_grid_options options = {
        .size = sizeof options, .cover = true, .unknown_contents = true, .record_accesses = true};
    wb_grid *covering = NULL, *plain = NULL;
    wb_facts *facts = make_facts(loaded, passes, scopes, -1), *few = make_facts(loaded, passes, 0, -1);
    wb_grid_options real = {.size = sizeof real, .facts = facts};
    kernel_expect_ok(grid_hold_facts(loaded->kernel, loaded->launch, &real, loaded->diagnostics),
                     "true facts", loaded->diagnostics);
    check_refused(loaded, passes, scopes, real);
    options.facts = facts;
    kernel_expect_ok(wb_grid_trace(loaded->kernel, loaded->launch, &options, loaded->diagnostics, &covering),
                     "covering", loaded->diagnostics);
    options.facts = few;
    kernel_expect_ok(wb_grid_trace(loaded->kernel, loaded->launch, &options, loaded->diagnostics, &plain),
                     "covering", loaded->diagnostics);
    wb_analysis *all = bounded(loaded, covering, machine), *one = bounded(loaded, given, machine),
                *without = bounded(loaded, plain, machine);
    check_sums(&all->work, &one->work);
    kernel_expect_ok(wb_analysis_simulate(one, "all", NULL, loaded->diagnostics), "simulate",
                     loaded->diagnostics);
    const uint64_t bound = wb_analysis_best(all)->cycles, loose = wb_analysis_best(without)->cycles;
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(one, &count);
    assert_true(count > 0);
    for (size_t s = 0; s < count; s++)
        no_less("simulated", bound, simulations[s].cycles);
    no_less("with more facts", loose, bound);
    wb_analysis_free(all);
    wb_analysis_free(one);
    wb_analysis_free(without);
    wb_grid_free(covering);
    wb_grid_free(plain);
    wb_facts_free(facts);
    wb_facts_free(few);
    return bound < loose;
}

/* A random matrix on a random number of SMs: whether its bound is less by the facts. */
static bool check_round(struct random_state *random, const char *folder) {
    const uint32_t blocks = 1 + below(random, BLOCKS_MAX);
    const wb_grid_options options = {.size = sizeof options};
    char setting[32], path[96];
    wb_grid *given = NULL;
    wb_machine *machine = NULL;
    write_rows(random, blocks * THREADS, folder);
    write_launch(blocks, folder);
    (void)snprintf(path, sizeof path, "%s/launch.yaml", folder);
    struct loaded_kernel loaded = kernel_load(code, path);
    kernel_expect_ok(wb_grid_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &given),
                     "given", loaded.diagnostics);
    kernel_expect_ok(wb_machine_load("jetson-agx-orin", loaded.diagnostics, &machine), "machine",
                     loaded.diagnostics);
    (void)snprintf(setting, sizeof setting, "memory.sms=%u", 1 + below(random, 3));
    kernel_expect_ok(wb_machine_set(machine, setting, loaded.diagnostics), setting, loaded.diagnostics);
    const struct passes passes = count_passes(given);
    const uint32_t scopes = 1 + below(random, (1u << (LOOPS * FACT_SCOPES)) - 1);
    const bool less = check_matrix(&loaded, given, machine, &passes, scopes);
    wb_machine_free(machine);
    wb_grid_free(given);
    kernel_unload(&loaded);
    return less;
}

static void test_random_matrices(void **state) {
    struct random_state random = random_seeded(SEED);
    static const char *const files[] = {"rows.bin", "columns.bin", "launch.yaml"};
    char folder[] = "/tmp/counted-XXXXXX", path[96];
    uint32_t less = 0;
    (void)state;
    print_message("seed %u\n", SEED);
    assert_non_null(mkdtemp(folder));
    write_columns(&random, folder);
    for (uint32_t round = 0; round < ROUNDS; round++)
        less += check_round(&random, folder);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, files[f]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    print_message("%u of %u bounds are less by facts that count passes in all\n", less, ROUNDS);
    assert_true(less > ROUNDS / 4);
}

/* The bound for all data under facts. */
static uint64_t covered(const struct loaded_kernel *loaded, const wb_machine *machine,
                        const wb_facts *facts) {
    const wb_grid_options options = {.size = sizeof options,
                                     .cover = true,
                                     .unknown_contents = true,
                                     .record_accesses = true,
                                     .facts = facts};
    wb_grid *grid = NULL;
    kernel_expect_ok(wb_grid_trace(loaded->kernel, loaded->launch, &options, loaded->diagnostics, &grid),
                     "covering", loaded->diagnostics);
    wb_analysis *analysis = bounded(loaded, grid, machine);
    const uint64_t bound = wb_analysis_best(analysis)->cycles;
    wb_analysis_free(analysis);
    wb_grid_free(grid);
    return bound;
}

static wb_machine *orin(const struct loaded_kernel *loaded) {
    wb_machine *machine = NULL;
    kernel_expect_ok(wb_machine_load("jetson-agx-orin", loaded->diagnostics, &machine), "machine",
                     loaded->diagnostics);
    return machine;
}

/* The loop has a branch inside: parts of a warp could execute what is behind it one after the other, so that
 * its passes say nothing of that. */
static void test_only_chains_are_counted(void **state) {
    static const char *const statements[] = {"loop L_0x02b0 <= 16;", "loop L_0x02b0 <= 16 per kernel;"};
    struct loaded_kernel loaded =
        kernel_load("kernels/cubin/bfs_level.sm_87.cubin", "kernels/bfs_level.yaml");
    wb_machine *machine = orin(&loaded);
    uint64_t bounds[2], checksum;
    (void)state;
    assert_int_equal(facts_checksum(loaded.kernel, &checksum), WB_OK);
    for (size_t i = 0; i < 2; i++) {
        struct text text = {0};
        wb_facts *facts = NULL;
        facts_put_header(loaded.kernel, checksum, &text);
        text_string(&text, statements[i]);
        kernel_expect_ok(
            wb_facts_parse("facts", text.data, text.length, loaded.kernel, loaded.diagnostics, &facts),
            statements[i], loaded.diagnostics);
        bounds[i] = covered(&loaded, machine, facts);
        wb_facts_free(facts);
        text_free(&text);
    }
    assert_int_equal(bounds[0], bounds[1]);
    wb_machine_free(machine);
    kernel_unload(&loaded);
}

/* The figures of docs/flow-facts.md. */
static void test_page(void **state) {
    static const struct {
        uint64_t passes[FACT_SCOPES]; /* 0: no fact */
        uint64_t cycles;
    } cases[] = {{{0, 0, 0}, 228773920}, {{0, 0, 8192}, 228773920}, {{0, 256, 8192}, 29687840}};
    (void)state;
    struct loaded_kernel loaded = kernel_load(code, "kernels/sparse_matvec.yaml");
    wb_machine *machine = orin(&loaded);
    static const char *const arguments[] = {"buf:i32[8193]", "buf:i32[131072]", "buf:f32[131072]",
                                            "buf:f32[8192]", "buf:f32[8192]",   "i32:8192"};
    const uint32_t blocks[3] = {64, 1, 1};
    kernel_expect_ok(wb_launch_set_grid(loaded.launch, blocks, loaded.diagnostics), "grid",
                     loaded.diagnostics);
    for (size_t a = 0; a < sizeof arguments / sizeof *arguments; a++)
        kernel_expect_ok(wb_launch_add_argument(loaded.launch, arguments[a], loaded.diagnostics),
                         arguments[a], loaded.diagnostics);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct passes passes = {.of_entry = {512, 3}};
        uint32_t scopes = 0;
        for (uint32_t s = 0; s < FACT_SCOPES; s++) {
            passes.of[0][s] = cases[i].passes[s];
            scopes |= (uint32_t)(cases[i].passes[s] > 0) << s;
        }
        wb_facts *facts = make_facts(&loaded, &passes, scopes, -1);
        assert_int_equal(covered(&loaded, machine, facts), cases[i].cycles);
        wb_facts_free(facts);
    }
    wb_machine_free(machine);
    kernel_unload(&loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_matrices),
        cmocka_unit_test(test_only_chains_are_counted),
        cmocka_unit_test(test_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
