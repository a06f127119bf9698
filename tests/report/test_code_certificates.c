/* Certificates of machine code: the checker computes code-elb, code-sib and code-fib anew, of random blocks,
 * of loops, and of all kernels' code; what is forged it refuses. */
#include "certificate_check.h"

#include <stdlib.h>

#include "bound/analysis/analysis.h"
#include "loaded_code.h"
#include "random_block.h"
#include "random_code.h"
#include "sass_check.h"
#include "sass_sums.h"

#define BLOCKS 1700u
#define METHODS "code-elb,code-sib,code-fib"

/* ---- Random blocks ------------------------------------------------------------------------------------- */

/* The checker may prove less: the library looks for waits that come too soon in all of the code at once, and
 * spares no clash unit. */
static unsigned exact, random_blocks;

/* One of all families in turn, whose programs come so many times. */
static void check_random(uint64_t seed, uint32_t times) {
    struct random_code random;
    wb_analysis *analysis = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct text label = {0};
    random_code_make(seed, times, &random);
    sass_grid_print(&random.grid, &label);
    assert_int_equal(analysis_of_timed(&random.block, diagnostics, &analysis), WB_OK);
    struct text text = certificate_of(analysis, METHODS, NULL);
    assert_non_null(strstr(text.data, "\nclaim code-elb "));
    assert_non_null(strstr(text.data, "\nclaim code-sib "));
    assert_non_null(strstr(text.data, "\nclaim code-fib "));
    int status;
    const char *said = check_text(text.data, text.length, &status);
    if (status != 0) fail_msg("%s\n%s%s", said, text.data, label.data);
    exact += strstr(said, "even") == NULL;
    random_blocks++;
    text_free(&text);
    text_free(&label);
    wb_analysis_free(analysis);
    timed_block_free(&random.block);
    wb_diagnostics_free(diagnostics);
}

static void test_random_blocks_are_computed_anew(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= random_rounds(BLOCKS); seed++)
        check_random(seed, 1);
}

static void test_loops_are_walked(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= random_rounds(BLOCKS / 2); seed++)
        check_random(seed, 2 + (uint32_t)(seed % 70) * (1 + (uint32_t)(seed % 7) * 1000));
}

/* ---- Forgeries ----------------------------------------------------------------------------------------- */

/* A latch of each sub-core, and a shared unit behind one with two places. */
#define MACHINE "code-machine 2 3 1\ncode-unit 0 0 # A\ncode-unit 0 2 # B\ncode-unit 1 4 # C\n"
#define LATCH "code 4 4 1 0 0 0 1 0 8 0 8 0 0 8 0 0 2 0\n"
#define LOAD "code 1 1 1 0 0 0 0 0 0 9 8 0 0 8 0 1 2 0 2 3 0\n"
#define WAIT "code 1 1 1 0 0 0 0 0 8 0 8 0 1 8 0\n"
#define BARRIER "code 2 2 1 0 0 7 0 1 8 0 8 0 0 8 0\n"
#define BACK "code 1 1 1 0 0 0 0 0 0 9 8 0 0 8 0 2 2 0 1 3 0\n"
#define BLOCK_BACK "block 0\n" BACK "section\nrun 0 1\nrow 0\nwarps 0 0 1\n"
#define CODE MACHINE "block 0\n" LATCH LOAD WAIT BARRIER
#define ALONE CODE "section\nrun 0 3\nrow 0\nwarps 0 0 1\n"
#define TWO CODE "section\nrun 0 3\nrow 0\nwarps 0 0 1\nwarps 0 1 1\n"
#define MIXED CODE "section\nrun 1 1\nsection\nrun 0 1\nrow 0 1\nwarps 0 0 1\nwarps 1 0 1\n"
#define SECTIONS CODE "section\nrun 1 1\nrun 3 1\nsection\nrun 0 1\nrow 0\nrow 1\nwarps 0 0 2\n"
#define APART                                                                                                \
    CODE "section\nrun 1 1\nrun 3 1\nsection\nrun 1 1\nsection\nrun 0 1\n"                                   \
         "row 0 0\nrow 1 2\nwarps 0 0 1\nwarps 1 0 1\n"

/* The same of parts of paths. */
#define MISSED "missed-once 128 80 128 5 700 1 50\n"
#define PARTS_CODE LATCH "address 0\n" LOAD "address 128\n" WAIT "address 256\n"
#define PARTS MACHINE "block 0\nparts\n" MISSED PARTS_CODE
#define PARTS_ALONE PARTS "section\nrun 0 3\nrow 0\nwarps 0 0 1\n"
#define PARTS_ROWS                                                                                           \
    "code 2 2 1 0 0 12 0 1 8 0 8 0 0 8 0\n"                                                                  \
    "address 256\nsection\nrun 1 1\nrun 3 1\nsection\nrun 0 1\nrow 0\nrow 1\n"

static const struct forged forgeries[] = {
    /* The latch's stall, both holds of the load, its result, and the slot of what waits for it. */
    {ALONE "claim code-sib 19\n", 0, "block: code-sib: at most 19 cycles: proven\n"},
    {ALONE "claim code-sib 18\n", 1, "NOT PROVEN: what can be shown is 19"},
    {ALONE "claim code-sib 20\n", 0, "proven, even 19"},
    /* Another sub-core holds the shared unit for three cycles. */
    {TWO "claim code-sib 22\n", 0, "proven\n"},
    {TWO "claim code-sib 21\n", 1, "what can be shown is 22"},
    /* What is held, 2 + (2 + 3) + 1, and the rest of the latch's stall, the load's result. */
    {ALONE "claim code-elb 19\n", 0, "proven\n"},
    {ALONE "claim code-elb 18\n", 1, "what can be shown is 19"},
    {TWO "claim code-elb 27\n", 0, "proven\n"},
    {TWO "claim code-elb 26\n", 1, "what can be shown is 27"},
    /* The load's result by 14, and 6 + 1 of the other warp; the release; a latch, and that of the other. */
    {SECTIONS "claim code-sib 28\n", 0, "proven\n"},
    {SECTIONS "claim code-sib 27\n", 1, "what can be shown is 28"},
    /* The other warp's latch is held for a cycle beyond its slot, and this one has none. */
    {MIXED "claim code-sib 16\n", 0, "proven\n"},
    {MIXED "claim code-sib 15\n", 1, "what can be shown is 16"},
    {MIXED "claim code-fib 15\n", 0, "proven\n"},
    {MIXED "claim code-fib 14\n", 1, "what can be shown is 15"},
    /* Behind the barrier one warp loads, by 14, and the latch of the other takes a slot; of code-sib two
       cycles. */
    {APART "claim code-fib 39\n", 0, "at most 39 cycles: proven\n"},
    {APART "claim code-fib 38\n", 1, "what can be shown is 39"},
    {APART "claim code-sib 40\n", 0, "at most 40 cycles: proven\n"},
    {APART "claim code-sib 39\n", 1, "what can be shown is 40"},
    {ALONE "claim sib 100\n", 2, "no claim on this machine: sib"},
    {ALONE "claim lower 0\n", 2, "no claim on this machine: lower"},
    {"machine 0 1 1 0\nunit 0 1\nblock 1\ninst 0 1 1 0 0 0\nsection\nrun 0 1\nrow 0\nwarps 0 0 1\n"
     "claim code-elb 100\n",
     2, "no claim on this machine: code-elb"},
    {ALONE "grid 1 1 1 0 0\nclass 0 1\nclaim k-sm 100\n", 2, "no claim on this machine: k-sm"},
    {ALONE "grid 1 1 1 0 0\nclass 0 1\nclaim code-elb 100\n", 2, "no claim of a kernel: code-elb"},
    /* A block alone, and two at a time: the other holds the issue stage and units for 2 + 5 + 1 cycles. */
    {ALONE "grid 1 1 1 0 0\nclass 0 1\nclaim code-k-sm 19\nclaim code-k-bal 19\n", 0,
     "code-k-bal: at most 19 cycles: proven\n"},
    {ALONE "grid 1 1 1 0 0\nclass 0 1\nclaim code-k-sm 18\n", 1, "what can be shown is 19"},
    {ALONE "grid 1 2 2 0 0\nclass 0 2\nclaim code-k-area 0\n", 1, "what can be shown is 27"},
    {ALONE "grid 1 2 2 0 0\nclass 0 2\nclaim code-k-chain 0\n", 1, "what can be shown is 27"},
    {ALONE "grid 1 1 1 0 0\nclass 0 2\nnext 0 2\nclaim code-k-sm-static 37\n", 1, "what can be shown is 38"},
    {ALONE "grid 1 1 1 0 0\nclass 0 2\nnext 0 2\nclaim code-k-chain-static 37\n", 1,
     "what can be shown is 38"},
    {ALONE "grid 1 1 1 0 0\nclass 0 2\nnext 0 2\nclaim code-k-sm 99\n", 2, "blocks do not go to any SM"},
    {"machine 0 1 1 0\ncode-unit 0 0\n", 2, "a unit of machine code on another machine"},
    {"machine 0 1 1 0\nunit 0 1\ncode-any-order 0\n", 2, "no unit of machine code"},
    {"code-machine 1 0 0\ncode-unit 0 1\ncode-any-order -\n", 2, "no unit of machine code"},
    {"code-machine 1 0 0\ncode-unit 0 1\ncode-any-order 1\n", 2, "1 is not below 1"},
    {"machine 0 1 1 0\nunit 0 1\nblock 0\n" WAIT, 2, "machine code on another machine"},
    {CODE "inst - 0 0 0 0 0\n", 2, "an instruction that is no machine code"},
    /* Each sub-core misses its three lines for 80 cycles; behind that 5 lines, and a constant of each. */
    {PARTS_ALONE "claim code-sib 3859\nclaim code-elb 3859\n", 0, "code-elb: at most 3859 cycles: proven\n"},
    {PARTS_ALONE "claim code-fib 3858\n", 1, "what can be shown is 3859"},
    {PARTS "section\nrun 0 3\nrow 0\nwarps 0 0 1\nwarps 0 1 1\nclaim code-elb 3866\n", 1, "is 3867"},
    /* With a barrier what sub-cores miss adds up; the whole fetch behind it counts.
     */
    {PARTS PARTS_ROWS "warps 0 0 1\nclaim code-elb 3863\n", 0, "proven\n"},
    {PARTS PARTS_ROWS "warps 0 0 1\nclaim code-elb 3862\n", 1, "is 3863"},
    {PARTS PARTS_ROWS "warps 0 0 1\nwarps 0 1 1\nclaim code-elb 4110\n", 1, "is 4111"},
    /* One block first on an SM, and two behind each other. */
    {PARTS_ALONE "grid 1 1 1 0 0\nclass 0 1\nclaim code-k-sm 3859\n", 0, "proven\n"},
    {PARTS_ALONE "grid 1 1 1 0 0\nclass 0 1\nclaim code-k-sm 3858\n", 1, "is 3859"},
    {PARTS_ALONE "grid 1 1 1 0 0\nclass 0 2\nclaim code-k-chain 4117\n", 1, "is 4118"},
    {PARTS_ALONE "grid 1 1 1 0 0\nclass 0 2\nnext 0 2\nclaim code-k-sm-static 4117\n", 1, "is 4118"},
    {PARTS_ALONE "grid 1 1 1 0 0\nclass 0 1\nclaim code-k-sm 9999\n", 0, "on paper those of code-k-sm\n"},
    {PARTS_ALONE "claim code-elb 9999\n", 0, "parts of the paths, and miss a line once;"},
    {MACHINE "block 0\nparts\n" LATCH
             "address 0\nsection\nrun 0 1\nrow 0\nwarps 0 0 1\nclaim code-elb 9999\n",
     2, "it is not said what lines miss once"},
    {MACHINE "block 0\nparts\n" MISSED LATCH "section\nrun 0 1\nrow 0\nwarps 0 0 1\nclaim code-elb 9999\n", 2,
     "at which address"},
    {MACHINE "block 0\nparts\nmissed-once 128 80 128 3 700 1 50\n" PARTS_CODE
             "section\nrun 0 3\nrow 0\nwarps 0 0 1\nclaim code-elb 9999\n",
     2, "are in more lines than 3"},
    {MACHINE "block 0\nparts\nmissed-once 0 80 128 3 700 1 50\n", 2, "1 is the least"},
    {MACHINE "block 0\n" MISSED, 2, "whole paths say where they miss"},
    {PARTS_ALONE "block 0\nparts\nmissed-once 128 79 128 5 700 1 50\n", 2, "differs from block to block"},
    {PARTS_ALONE "block 0\n" LATCH "address 0\n"
                 "section\nrun 0 1\nrow 0\nwarps 0 0 1\ngrid 1 1 1 0 0\nclass 0 1\nclass 1 1\n"
                 "claim code-k-sm 9999\n",
     2, "of some blocks execute whole paths"},
    {"of inputs any\n" ALONE "claim code-elb 9999\n", 2, "whole paths, whatever the data"},
    {"code-machine 1 0 0\nunit 0 1\n", 2, "a unit that is none of machine code"},
    {MACHINE "code-machine 1 0 0\n", 2, "the machine comes first"},
    {"code-machine 0 0 0\n", 2, "1 is the least"},
    {CODE "code 4 4 1 0 0 0 1 0 8 0 8 0 0 8\n", 2, "code: less than was expected"},
    {CODE "code 4 4 1 0 0 0 1 0 8 0 8 0 0 8 0 0 2\n", 2, "stages are a unit, a hold and a transfer each"},
    {CODE "code 4 4 1 0 0 0 1 0 8 0 8 0 0 8 0 3 2 0\n", 2, "no unit: 3"},
    {CODE "code 4 4 1 0 0 0 1 0 8 0 8 0 0 8 0 0 0 0\n", 2, "a unit is held for one cycle at least"},
    {CODE "code 4 4 1 0 0 0 0 0 8 0 8 0 0 8 0 1 2 1 2 1 0\n", 2, "holds its place"},
    {CODE "code 4 4 1 0 0 0 1 0 8 0 8 0 0 8 0 0 2 0 2 1 0\n", 2, "a latch is no stage of a longer way"},
    {CODE "code 4 4 1 0 0 0 0 0 8 0 8 0 0 8 0 1 2 0 1 1 0\n", 2, "a way comes to unit 1 twice"},
    /* The load goes from B to C, another one from C to B: each can wait for the other's place for ever. */
    {CODE BACK "section\nrun 0 1\nrow 0\nwarps 0 0 1\nclaim code-sib 100\n", 2, "for itself for ever"},
    {CODE BACK "section\nrun 0 1\nrow 0\nwarps 0 0 1\nclaim code-fib 100\n", 2, "for itself for ever"},
    {CODE BACK "section\nrun 0 1\nrow 0\nwarps 0 0 1\nclaim code-elb 100\n", 2, "for itself for ever"},
    {ALONE BLOCK_BACK "grid 1 1 1 0 0\nclass 0 1\nclass 1 1\nclaim code-k-sm 100\n", 2,
     "unit 1 can wait for itself for ever"},
    {ALONE BLOCK_BACK "grid 1 1 1 0 0\nclass 0 1\nclass 1 1\nclaim code-k-chain 100\n", 2,
     "unit 1 can wait for itself for ever"},
    {ALONE BLOCK_BACK "grid 1 1 1 0 0\nclass 0 1\nclass 1 1\nnext 0 1\nnext 1 1\nclaim code-k-sm-static "
                      "100\n",
     2, "unit 1 can wait for itself for ever"},
    {CODE "code 4 5 1 0 0 0 1 0 8 0 8 0 0 8 0\n", 2, "a stall is at least longer than at most"},
    {CODE "code 0 0 1 0 0 0 1 0 8 0 8 0 0 8 0\n", 2, "an issue and a stall take a cycle"},
    {CODE "code 4 4 0 0 0 0 1 0 8 0 8 0 0 8 0\n", 2, "an issue and a stall take a cycle"},
    {CODE "code 4 4 1 0 0 0 1 0 9 0 8 0 0 8 0\n", 2, "no such counter"},
    {CODE "code 4 4 1 0 0 0 1 0 8 0 8 0 256 8 0\n", 2, "no such counter"},
    {CODE "code 4 4 1 0 0 0 1 0 8 0 8 0 0 1 65\n", 2, "more than a counter counts"},
    {CODE "code 4 4 1 0 0 5 1 0 8 0 8 0 0 8 0\n", 2, "only a barrier states what comes behind it"},
    {CODE "section\nrun 3 1\nrun 0 1\nrow 0\nwarps 0 0 1\nclaim code-elb 100\n", 2,
     "a barrier in the middle"},
    {CODE "section\nrun 3 1\nagain 1 1\nrow 0\nwarps 0 0 1\nclaim code-sib 100\n", 2,
     "a barrier in the middle"},
    {CODE "section\nrun 0 1\nrow 0\nrow 0\nwarps 0 0 1\nclaim code-elb 100\n", 2,
     "goes on without a barrier"},
    {CODE "section\nrun 0 1\nrow 0\nagain 1 1\nwarps 0 0 1\nclaim code-sib 100\n", 2,
     "goes on without a barrier"},
    {CODE "section\nsection\nrun 0 1\nrow 0\nrow 1\nwarps 0 0 1\nclaim code-elb 100\n", 2,
     "goes on without a barrier"},
};

static void test_forgeries_are_refused(void **state) {
    (void)state;
    check_forgeries(forgeries, sizeof forgeries / sizeof *forgeries);
}

/* ---- Random grids -------------------------------------------------------------------------------------- */

#define GRIDS 200u
#define STATES 400

/* The certificate of a grid; all misses are on the paths, so that less is claimed than told. */
static struct text certificate_of_sums(const struct sass_sums *sums) {
    wb_analysis analysis = {.kind = SUBJECT_KERNEL,
                            .machine = sums->work.machine,
                            .scheme = gpu_scheme_at(0),
                            .work = sums->work,
                            .beside.atomics = grid_work_atomics(&sums->work)};
    struct text text = {0};
    const wb_writer writer = {take, &text};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(wb_analysis_certificate(&analysis, &writer, diagnostics), WB_OK);
    wb_diagnostics_free(diagnostics);
    return text;
}

/* The least that is claimed of a kernel. */
static uint64_t least_claim(const char *text) {
    uint64_t least = UINT64_MAX;
    for (const char *claim = text; (claim = strstr(claim, "\nclaim code-k-")) != NULL; claim++) {
        const uint64_t claimed = strtoull(strchr(claim + strlen("\nclaim "), ' '), NULL, 10);
        if (claimed < least) least = claimed;
    }
    return least;
}

static unsigned exact_grids, random_grids, longest_grids;

/* No execution takes longer than is claimed. */
static void check_grid(const struct sass_family *family, uint64_t seed) {
    struct sass_grid grid;
    struct sass_sums sums;
    struct text label = {0};
    int status;
    random_sass_grid(family, seed, &grid);
    sass_grid_print(&grid, &label);
    sass_sums_make(&grid, &sums);
    struct text text = certificate_of_sums(&sums);
    const char *said = check_text(text.data, text.length, &status);
    const uint32_t longest = sass_explore(&grid, STATES);
    if (status != 0 || least_claim(text.data) < longest)
        fail_msg("%s takes %" PRIu32 "\n%s\n%s%s", family->name, longest, said, text.data, label.data);
    assert_non_null(strstr(text.data, grid.is_static ? "\nclaim code-k-sm-static " : "\nclaim code-k-bal "));
    exact_grids += strstr(said, "even") == NULL;
    longest_grids += longest == least_claim(text.data);
    random_grids++;
    text_free(&text);
    text_free(&label);
    sass_sums_free(&sums);
}

static void test_random_grids_are_computed_anew(void **state) {
    (void)state;
    for (size_t f = 0; f < SASS_FAMILIES; f++)
        for (uint64_t seed = 1; sass_families[f].several && seed <= random_rounds(GRIDS); seed++)
            check_grid(&sass_families[f], seed);
    printf("%u of %u random grids with equality, %u take as long as the least claim\n", exact_grids,
           random_grids, longest_grids);
    assert_true(exact_grids > random_grids / 10 * 9);
    assert_true(longest_grids > random_grids / 20);
}

/* ---- Kernels ------------------------------------------------------------------------------------------- */

static unsigned proven, covered;

/* The whole kernel, for all contents of buffers, unless facts are asked for. */
static void check_covered(const struct loaded_code *code, const char *path) {
    const wb_grid_options options = {.size = sizeof options,
                                     .cover = true,
                                     .unknown_contents = true,
                                     .record_accesses = wb_machine_needs_accesses(code->machine)};
    wb_diagnostics *diagnostics = code->kernel.diagnostics;
    wb_grid *grid = NULL;
    wb_analysis *analysis = NULL;
    if (wb_grid_trace(code->kernel.kernel, code->kernel.launch, &options, diagnostics, &grid) != WB_OK)
        return;
    kernel_expect_ok(analysis_new_kernel(grid, code->machine, NULL, NULL, diagnostics, &analysis), path,
                     diagnostics);
    struct text text = certificate_of(analysis, "kernel", NULL);
    assert_non_null(strstr(text.data, "\nparts\n"));
    check_claims(&text, false, path);
    text_free(&text);
    wb_analysis_free(analysis);
    wb_grid_free(grid);
    covered++;
}

static void check_code(const struct kernel_case *entry, const char *path, void *user) {
    (void)user;
    struct loaded_code code = code_load(path, entry->launch);
    check_covered(&code, path);
    if (code.block != NULL) {
        struct text text = certificate_of(code.analysis, METHODS, NULL);
        check_claims(&text, false, path);
        text_free(&text);
        proven++;
    }
    code_unload(&code);
}

static void test_kernel(void **state) {
    kernel_each_code(*state, check_code, NULL);
}

static void test_how_many_were_proven(void **state) {
    (void)state;
    printf("%u certificates of kernels proven, %u of %u of random blocks with equality\n", proven, exact,
           random_blocks);
    assert_true(exact > random_blocks / 10 * 9);
    assert_true(proven >= 300 / kernel_suite_step());
    printf("%u of kernels on covering paths\n", covered);
    assert_true(covered >= 150 / kernel_suite_step());
}

int main(void) {
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_random_blocks_are_computed_anew),
        cmocka_unit_test(test_loops_are_walked),
        cmocka_unit_test(test_random_grids_are_computed_anew),
        cmocka_unit_test(test_forgeries_are_refused),
        cmocka_unit_test(test_how_many_were_proven),
    };
    return kernel_suite_run("certificates of machine code", test_kernel, others,
                            sizeof others / sizeof *others);
}
