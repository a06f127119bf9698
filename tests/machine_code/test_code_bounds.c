/* Bounds of machine code against the stall counts of the same code, and against simulations: every kernel for
 * sm_86, its longest lane of any block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <glob.h>

#include "bound/analysis/analysis.h"
#include "bound/analysis/verdict.h"
#include "code_methods.h"
#include "warp/path/path.h"

/* Kernels that have a launch of their name. */
#define CUBIN_FOLDER "kernels/cubin/"
#define CUBINS CUBIN_FOLDER "*.sm_86.cubin"
#define CUBIN_ENDING ".sm_86.cubin"
#define COMPARED_LEAST 35

struct analysed {
    wb_diagnostics *diagnostics;
    wb_machine *machine;
    wb_module *module;
    wb_launch *launch;
    wb_analysis *analysis;
    const wb_kernel *kernel;
};

static void expect_ok(const struct analysed *analysed, wb_status status, const char *what) {
    if (status != WB_OK) fail_msg("%s: %s", what, wb_diagnostics_text(analysed->diagnostics));
}

static void free_analysed(struct analysed *analysed) {
    wb_analysis_free(analysed->analysis);
    wb_launch_free(analysed->launch);
    wb_module_free(analysed->module);
    wb_machine_free(analysed->machine);
    wb_diagnostics_free(analysed->diagnostics);
}

/* Sets what a list of settings says, with blanks in between. */
static void set_all(struct analysed *made, const char *settings) {
    for (size_t length; *settings != '\0'; settings += length + (settings[length] == ' ')) {
        char setting[100];
        length = strcspn(settings, " ");
        (void)snprintf(setting, sizeof setting, "%.*s", (int)length, settings);
        expect_ok(made, wb_machine_set(made->machine, setting, made->diagnostics), setting);
    }
}

/* `settings`: of the machine, or NULL. */
static struct analysed analyse_on(const char *settings, const char *cubin, const char *launch,
                                  wb_analyze_options options) {
    struct analysed made = {.diagnostics = wb_diagnostics_new()};
    options.size = sizeof options;
    options.methods = CODE_METHODS;
    expect_ok(&made, wb_machine_load("rtx-a6000", made.diagnostics, &made.machine), cubin);
    if (settings != NULL) set_all(&made, settings);
    expect_ok(&made, wb_launch_read(launch, WB_FILES_BELOW, made.diagnostics, &made.launch), launch);
    expect_ok(&made, wb_module_read(cubin, made.diagnostics, &made.module), cubin);
    expect_ok(
        &made,
        wb_module_find_kernel(made.module, wb_launch_kernel(made.launch), made.diagnostics, &made.kernel),
        cubin);
    expect_ok(&made,
              wb_analyze(made.kernel, made.launch, made.machine, &options, made.diagnostics, &made.analysis),
              cubin);
    return made;
}

static struct analysed analyse(const char *cubin, const char *launch, bool one_block) {
    return analyse_on(NULL, cubin, launch, (wb_analyze_options){.one_block = one_block});
}

static const wb_bound *find_bound(const wb_analysis *analysis, const char *method) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t b = 0; b < count; b++)
        if (strcmp(bounds[b].method, method) == 0) return &bounds[b];
    return NULL;
}

static bool assumes(const wb_bound *bound, const char *id) {
    for (size_t a = 0; a < bound->assumption_count; a++)
        if (strcmp(wb_assumption_id(bound->assumptions[a]), id) == 0) return true;
    return false;
}

/* What holds of machine code is said, and what does not is not. */
static void expect_assumptions(const wb_bound *bound) {
    static const char *const said[] = {"S1", "M3", "M9", "C9", "H1", "H2",
                                       "H3", "H4", "H5", "H6", "H7", "H8"};
    static const char *const unsaid[] = {"M1", "M6", "C1", "E20", "E21"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        assert_true(assumes(bound, said[i]));
    for (size_t i = 0; i < sizeof unsaid / sizeof *unsaid; i++)
        assert_false(assumes(bound, unsaid[i]));
}

/* No bound is less than what the stall counts of a lane say, no upper one less than an execution found. */
static void expect_bounds(const wb_analysis *analysis, const char *cubin, uint64_t stalls) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    uint64_t found = 0;
    assert_true(count > 0);
    for (size_t b = 0; b < count; b++)
        if (bounds[b].kind == WB_LOWER && bounds[b].cycles > found) found = bounds[b].cycles;
    for (size_t b = 0; b < count; b++) {
        if (bounds[b].cycles < stalls) fail_msg("%s: %s is below the stall counts", cubin, bounds[b].method);
        if (bounds[b].kind == WB_LOWER) continue;
        assert_int_equal(bounds[b].kind, WB_UPPER);
        expect_assumptions(&bounds[b]);
        if (bounds[b].cycles < found) fail_msg("%s: an execution is longer than %s", cubin, bounds[b].method);
    }
}

static bool launch_of(const char *cubin, char *launch, size_t size) {
    const char *name = cubin + strlen(CUBIN_FOLDER);
    (void)text_format(launch, size, "kernels/%.*s.yaml", (int)(strlen(name) - strlen(CUBIN_ENDING)), name);
    FILE *file = fopen(launch, "rb");
    if (file != NULL) (void)fclose(file);
    return file != NULL;
}

static void compare(const char *cubin, const char *launch) {
    const uint32_t first[3] = {0, 0, 0};
    wb_stalls stalls;
    struct analysed kernel = analyse(cubin, launch, false), block = analyse(cubin, launch, true);
    expect_ok(&kernel, stalls_find(kernel.kernel, kernel.launch, NULL, kernel.diagnostics, &stalls), cubin);
    assert_true(stalls.cycles > 0);
    expect_bounds(kernel.analysis, cubin, stalls.cycles);
    expect_bounds(wb_analysis_longest_block(kernel.analysis), cubin, stalls.cycles);
    expect_ok(&block, stalls_find(block.kernel, block.launch, first, block.diagnostics, &stalls), cubin);
    expect_bounds(block.analysis, cubin, stalls.cycles);
    const wb_bound *sib = find_bound(block.analysis, "sib"), *fib = find_bound(block.analysis, "fib");
    assert_non_null(sib);
    assert_non_null(fib);
    assert_true(fib->cycles <= sib->cycles);
    assert_non_null(find_bound(block.analysis, "elb"));
    free_analysed(&block);
    free_analysed(&kernel);
}

static void each_cubin(void (*one)(const char *cubin, const char *launch)) {
    glob_t cubins;
    char launch[200];
    size_t compared = 0;
    assert_int_equal(glob(CUBINS, 0, NULL, &cubins), 0);
    for (size_t i = 0; i < cubins.gl_pathc; i++) {
        if (!launch_of(cubins.gl_pathv[i], launch, sizeof launch)) continue;
        one(cubins.gl_pathv[i], launch);
        compared++;
    }
    globfree(&cubins);
    assert_true(compared >= COMPARED_LEAST);
}

static void test_bounds_are_above_stall_counts(void **state) {
    (void)state;
    each_cubin(compare);
}

/* What simulations alone count on, registers that are kept and lines that are fetched with others, leaves
 * them at or below bounds and at or above stall counts, and bounds as they are. */
static void simulate_settings(const char *cubin, const char *launch) {
    static const char *const settings[] = {NULL, "sass.register_cache=reuse", "sass.l0_prefetch=8"};
    const wb_analyze_options options = {.one_block = true, .policies = "cggty,gto,lrr,oldest"};
    uint64_t least = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct analysed block = analyse_on(settings[i], cubin, launch, options);
        const uint32_t first[3] = {0, 0, 0};
        wb_stalls stalls;
        size_t count;
        expect_ok(&block, stalls_find(block.kernel, block.launch, first, block.diagnostics, &stalls), cubin);
        const uint64_t best = wb_analysis_best(block.analysis)->cycles;
        if (i == 0) least = best;
        assert_true(best == least);
        const wb_simulation *simulations = wb_analysis_simulations(block.analysis, &count);
        assert_int_equal(count, 4);
        for (size_t s = 0; s < count; s++)
            if (simulations[s].cycles > best || simulations[s].cycles < stalls.cycles)
                fail_msg("%s: %s takes %llu cycles, but the bound is %llu and stall counts say %llu", cubin,
                         simulations[s].policy, (unsigned long long)simulations[s].cycles,
                         (unsigned long long)best, (unsigned long long)stalls.cycles);
        free_analysed(&block);
    }
}

static void test_simulations_are_below_bounds(void **state) {
    (void)state;
    each_cubin(simulate_settings);
}

/* With data that is not known bounds are of covering paths: they hold for the launch's data, too. */
static void test_unknown_data(void **state) {
    static const char *const kernels[] = {"prefix_scan", "reduce", "sgemm_tiled", "bitonic"};
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char cubin[200], launch[200];
        (void)text_format(cubin, sizeof cubin, "kernels/cubin/%s.sm_86.cubin", kernels[i]);
        (void)text_format(launch, sizeof launch, "kernels/%s.yaml", kernels[i]);
        struct analysed given = analyse(cubin, launch, true);
        const wb_analyze_options options = {
            .size = sizeof options, .one_block = true, .inputs = WB_INPUTS_ANY};
        wb_analysis *any;
        expect_ok(&given,
                  wb_analyze(given.kernel, given.launch, given.machine, &options, given.diagnostics, &any),
                  cubin);
        static const char *const methods[] = {"sib", "fib", "elb"};
        for (size_t m = 0; m < 3; m++) {
            const wb_bound *known = find_bound(given.analysis, methods[m]),
                           *all = find_bound(any, methods[m]);
            assert_non_null(all);
            assert_true(all->cycles >= known->cycles);
        }
        wb_analysis_free(any);
        free_analysed(&given);
    }
}

/* Bounds of the grid with so many blocks, or of block (0,0,0) of it with none, at so many cycles an atomic.
 */
static struct analysed atomics_at(const char *kernel, uint32_t blocks, const char *setting, uint32_t turn) {
    char cubin[200], launch[200];
    (void)text_format(cubin, sizeof cubin, "kernels/cubin/%s.sm_86.cubin", kernel);
    (void)text_format(launch, sizeof launch, "kernels/%s.yaml", kernel);
    struct analysed made = analyse_on(setting, cubin, launch, (wb_analyze_options){.one_block = true});
    assert_int_equal(made.machine->sass.atomic_word, turn);
    if (blocks == 0) return made;
    wb_analysis_free(made.analysis);
    const wb_analyze_options options = {.size = sizeof options, .methods = "kernel,elb"};
    expect_ok(&made, wb_launch_set_grid(made.launch, (const uint32_t[]){blocks, 1, 1}, made.diagnostics),
              "grid");
    expect_ok(&made,
              wb_analyze(made.kernel, made.launch, made.machine, &options, made.diagnostics, &made.analysis),
              cubin);
    return made;
}

/* Bounds with atomics that wait for each other are longer than without by no less than so many atomics take,
 * and by no more unless a block's own come on top; and they say so. */
static void expect_waits(const wb_analysis *waiting, const wb_analysis *free, uint64_t least, uint64_t most) {
    size_t count, others;
    const wb_bound *bounds = wb_analysis_bounds(waiting, &count);
    (void)wb_analysis_bounds(free, &others);
    assert_true(count > 0 && count == others);
    for (size_t b = 0; b < count; b++) {
        const wb_bound *without = find_bound(free, bounds[b].method);
        uint64_t parts = 0;
        assert_non_null(without);
        assert_false(assumes(without, "C10"));
        if (bounds[b].kind == WB_LOWER) continue;
        const uint64_t more = bounds[b].cycles - without->cycles;
        if (more < least || more > most) fail_msg("%s: %u cycles more", bounds[b].method, (unsigned)more);
        assert_true(assumes(&bounds[b], "C10"));
        for (size_t p = 0; p < bounds[b].part_count; p++)
            parts += bounds[b].parts[p].cycles;
        if (bounds[b].part_count > 0) assert_int_equal(parts, bounds[b].cycles);
    }
}

/* 129,024 atomics of 2016 blocks, which may all be on one word, take no less than that many times what one
 * takes. A block has as many as lanes of it execute; where there are none nothing changes. */
static void test_atomics_wait_for_each_other(void **state) {
    (void)state;
    struct analysed free = atomics_at("histogram", 2016, "sass.atomic_word=0", 0);
    struct analysed preset = atomics_at("histogram", 2016, NULL, 2);
    expect_waits(preset.analysis, free.analysis, 129024 * 2, 129024 * 2);
    expect_waits(wb_analysis_longest_block(preset.analysis), wb_analysis_longest_block(free.analysis), 128,
                 128);
    free_analysed(&free);
    free_analysed(&preset);
    free = atomics_at("histogram", 0, "sass.atomic_word=0", 0);
    preset = atomics_at("histogram", 0, "sass.atomic_word=7", 7);
    const struct wb_block *block = preset.analysis->block;
    uint64_t lanes = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (size_t a = 0; a < block->accesses[w].items.count; a++) {
            const struct access *access = &block->accesses[w].items.items[a];
            const bool is_global = access->space == PTX_SPACE_GLOBAL;
            lanes += access->is_atomic && is_global ? (uint64_t)__builtin_popcount(access->mask) : 0;
        }
    assert_int_equal(lanes, 64);
    expect_waits(preset.analysis, free.analysis, lanes * 7, lanes * 7);
    free_analysed(&free);
    free_analysed(&preset);
    preset = atomics_at("vecadd", 0, "sass.atomic_word=7", 7);
    assert_false(assumes(find_bound(preset.analysis, "elb"), "C10"));
    free_analysed(&preset);
}

/* ---- What caches fill once ----------------------------------------------------------------------------- */

/* A block of vecadd, by elb, on a machine of which only some caches are said to keep what is touched, and
 * that counts all of it once. */
static struct analysed vecadd_on(const char *const *settings) {
    struct analysed made = analyse_on("sass.tlb_keeps=0", "kernels/cubin/vecadd.sm_86.cubin",
                                      "kernels/vecadd.yaml", (wb_analyze_options){.one_block = true});
    wb_analysis *first = made.analysis;
    expect_ok(&made, wb_machine_set(made.machine, "sass.l2_keeps=0", made.diagnostics), "l2_keeps");
    for (; *settings != NULL; settings++)
        expect_ok(&made, wb_machine_set(made.machine, *settings, made.diagnostics), *settings);
    expect_ok(&made, wb_analysis_new(first->block, made.machine, made.diagnostics, &made.analysis), "vecadd");
    made.analysis->owned.block = first->owned.block;
    first->owned.block = NULL;
    wb_analysis_free(first);
    expect_ok(&made, wb_analysis_bound(made.analysis, "elb", NULL, made.diagnostics), "vecadd");
    return made;
}

/* By elb; sets what is filled once. */
static uint64_t elb_of(const char *const *settings, struct machine_fills *fills, uint64_t *sectors) {
    struct analysed made = vecadd_on(settings);
    const wb_bound *bound = find_bound(made.analysis, "elb");
    *fills = made.analysis->machine->fills;
    *sectors = made.analysis->beside.sectors;
    const uint64_t least = bound->cycles;
    assert_int_equal(assumes(bound, "C11"), fills->pages > 0);
    assert_int_equal(assumes(bound, "C12"), fills->sector > 0);
    free_analysed(&made);
    return least;
}

#define ELB(...) elb_of((const char *const[]){__VA_ARGS__, NULL}, &fills, &sectors)

/* Three buffers, of which a block touches 4 KiB each, code and constants: two pages each, each filled in 472
 * cycles, with two passes of the tags, of which none takes more than 4. Sums have them in place of 472 cycles
 * for each access. */
static void test_pages_are_filled_once(void **state) {
    (void)state;
    struct machine_fills fills;
    uint64_t sectors;
    const uint64_t without = ELB("resident=translations");
    assert_int_equal(fills.pages, 0);
    assert_int_equal(ELB("sass.tlb_keeps=10"), without + 10 * (472 + 2 * 4));
    assert_int_equal(fills.pages, 10);
    assert_int_equal(ELB("sass.tlb_keeps=10", "sass.align=2097152"), without + UINT64_C(5) * (472 + 2 * 4));
    assert_int_equal(ELB("sass.tlb_keeps=25", "sass.page_size=4096"), without + 10 * (472 + 2 * 4));
    (void)ELB("sass.tlb_keeps=9");
    assert_int_equal(fills.pages, 0);
    (void)ELB("sass.tlb_keeps=10", "unit.MEMORY.any_order=false");
    assert_int_equal(fills.pages, 0);
}

/* 1024 threads load from two buffers and store to a third, 8 of them to a sector: 384 sectors, each of which
 * DRAM passes once, and the 128 that are stored to once more, at 84 in the time of one SM's share. */
static void test_sectors_are_filled_once(void **state) {
    (void)state;
    struct machine_fills fills;
    uint64_t sectors;
    static const char *const holds[] = {"class.load_global.init_3=4", "class.load_global.each_3=4",
                                        "class.store_global.init_3=4", "class.store_global.each_3=4"};
    const uint64_t without = ELB(holds[0], holds[1], holds[2], holds[3]);
    assert_int_equal(ELB("sass.l2_keeps=1572864"), without + (512 * 14 + 83) / 84);
    assert_int_equal(fills.sector, 14);
    assert_int_equal(sectors, 512);
    assert_int_equal(ELB("sass.l2_keeps=1572864", "sass.row_cycle=1"), without + 512);
    assert_int_equal(ELB("sass.l2_keeps=1024"), ELB("sass.l2_keeps=0"));
    assert_int_equal(fills.sector, 0);
    /* Not counted once, each of 384 requests may wait for one of every SM. */
    assert_int_equal(ELB("sass.row_cycle=1"), ELB("sass.l2_keeps=0") + UINT64_C(384) * (84 - 14));
    (void)ELB("sass.l2_keeps=1572864", "sass.l2_sector=14"); /* nothing would be gained */
    assert_int_equal(fills.sector, 0);
}

/* 4,000 loads that wait for each other, each of a new sector, which takes the sixth part of a cycle: it is in
 * the latency of the load, and delays the next one by no whole cycle. */
static void test_a_sector_does_not_wait_for_itself(void **state) {
    (void)state;
    size_t count;
    struct analysed made = analyse_on("resident=translations,code-l1", "tests/data/levels/chase.sm_86.cubin",
                                      "tests/data/levels/chase.yaml",
                                      (wb_analyze_options){.one_block = true, .policies = "lrr"});
    const wb_analysis *given =
        made.analysis->owned.given != NULL ? made.analysis->owned.given : made.analysis;
    const wb_simulation *found = wb_analysis_simulations(given, &count);
    assert_int_equal(count, 1);
    assert_true(given->machine->fills.sector > 0);
    assert_true(given->beside.sectors > 4000);
    assert_true(find_bound(given, "elb")->cycles >= found->cycles);
    assert_true(find_bound(made.analysis, "elb")->cycles >= found->cycles);
    assert_true(found->cycles > UINT64_C(4000) * 598);
    free_analysed(&made);
}

static uint64_t part_of(const wb_bound *bound, wb_part_kind what) {
    uint64_t sum = 0;
    for (size_t p = 0; p < bound->part_count; p++)
        if (bound->parts[p].what == what) sum += bound->parts[p].cycles;
    return sum;
}

/* 4,000 loads of one warp that wait for each other, and what of their latency each level is for; the L1 of
 * instructions misses nothing that is promised to be there. */
static void test_parts_name_levels(void **state) {
    static const struct {
        const char *settings;
        uint64_t l1, l2, dram, translations;
        bool code;
    } known[] = {{"sass.tlb_keeps=0", 33, 294 - 33, 598 - 294, 472, true},
                 {"resident=translations,code-l1", 33, 294 - 33, 598 - 294, 0, false},
                 {"resident=translations,data,code", 33, 294 - 33, 0, 0, true}};
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct analysed made = analyse_on(
            known[k].settings, "tests/data/levels/chase.sm_86.cubin", "tests/data/levels/chase.yaml",
            (wb_analyze_options){.one_block = true, .methods = "sib", .policies = "lrr"});
        const wb_bound *bound = find_bound(made.analysis, "sib");
        const uint64_t loads = part_of(bound, WB_PART_L1) / 33;
        const uint64_t passing =
            (made.analysis->beside.sectors * made.analysis->machine->fills.sector + 83) / 84;
        assert_true(loads >= 4000 && loads < 4010);
        assert_int_equal(part_of(bound, WB_PART_L2), loads * known[k].l2);
        assert_int_equal(part_of(bound, WB_PART_DRAM), loads * known[k].dram + passing);
        assert_int_equal(part_of(bound, WB_PART_TRANSLATIONS), loads * known[k].translations);
        assert_int_equal(part_of(bound, WB_PART_CODE) > 0, known[k].code);
        free_analysed(&made);
    }
}

/* The least bound of a kernel of the suite, or of its block 0. */
static uint64_t least_on(const char *settings, const char *kernel, bool one_block) {
    char cubin[100], launch[100];
    (void)snprintf(cubin, sizeof cubin, "kernels/cubin/%s.sm_86.cubin", kernel);
    (void)snprintf(launch, sizeof launch, "kernels/%s.yaml", kernel);
    struct analysed made =
        analyse_on(settings, cubin, launch, (wb_analyze_options){.one_block = one_block, .policies = "lrr"});
    const uint64_t least = wb_analysis_best(made.analysis)->cycles;
    free_analysed(&made);
    return least;
}

/* What is counted once, though each access would take less, is not counted so: two pages a buffer of a kernel
 * whose warps make two accesses one behind the other; what a block loads, of which it loads little twice. So
 * the promise that the first level keeps that costs nothing. It saves something where sectors of DRAM, once
 * each, take less on the SM that gets two blocks, but not on an average one. */
static void test_the_lesser_way_counts(void **state) {
    (void)state;
    assert_int_equal(least_on(NULL, "vecadd", true), least_on("sass.tlb_keeps=0", "vecadd", true));
    assert_true(least_on(NULL, "sgemm_naive", true) < least_on("sass.tlb_keeps=0", "sgemm_naive", true));
    assert_int_equal(least_on("memory.sms=1 sass.l2_keeps=0 resident=block-l1", "streamcluster_gain", false),
                     least_on("memory.sms=1 sass.l2_keeps=0", "streamcluster_gain", false));
    assert_true(least_on("memory.sms=14 resident=block-l1", "gaussian_step", false) <
                least_on("memory.sms=14", "gaussian_step", false));
}

/* Requests of a block to the second level, by a kernel of kept.cu; 0: each access counts for itself. */
static uint64_t requests_beside(const char *kernel, const char *setting) {
    struct analysed made = {.diagnostics = wb_diagnostics_new()};
    const wb_analyze_options options = {.size = sizeof options, .methods = "elb", .one_block = true};
    expect_ok(&made, wb_machine_load("rtx-a6000", made.diagnostics, &made.machine), kernel);
    expect_ok(&made, wb_machine_set(made.machine, setting, made.diagnostics), setting);
    expect_ok(&made,
              wb_launch_read("tests/data/levels/kept.yaml", WB_FILES_BELOW, made.diagnostics, &made.launch),
              kernel);
    expect_ok(&made, wb_module_read("tests/data/levels/kept.sm_86.cubin", made.diagnostics, &made.module),
              kernel);
    expect_ok(&made, wb_module_find_kernel(made.module, kernel, made.diagnostics, &made.kernel), kernel);
    expect_ok(&made,
              wb_analyze(made.kernel, made.launch, made.machine, &options, made.diagnostics, &made.analysis),
              kernel);
    const struct machine_fills *fills = &made.analysis->machine->fills;
    const uint64_t requests = fills->asked;
    free_analysed(&made);
    return requests;
}

/* Four sectors are loaded twice, and four stored; others are in another line. */
static void test_which_loads_are_kept(void **state) {
    (void)state;
    static const struct {
        const char *kernel;
        uint64_t requests;
    } kernels[] = {{"plain_loads", 8},          {"readonly_loads", 8},  {"behind_barrier", 8},
                   {"last_level_loads", 0},     {"streaming_loads", 0}, {"last_use_loads", 0},
                   {"fresh_loads", 0},          {"volatile_loads", 0},  {"behind_fence", 0},
                   {"behind_store", 12},        {"behind_atomic", 12},  {"behind_store_to_line", 0},
                   {"behind_atomic_of_line", 0}};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        assert_int_equal(requests_beside(kernels[k].kernel, "sass.l1_keeps=512"), kernels[k].requests);
        assert_int_equal(requests_beside(kernels[k].kernel, "resident=block-l1"), kernels[k].requests);
    }
    assert_int_equal(requests_beside("plain_loads", "sass.l1_keeps=255"), 0); /* of two lines */
    assert_int_equal(requests_beside("plain_loads", "unit.MEMORY.any_order=false"), 0);
    assert_int_equal(requests_beside("local_loads", "resident=block-l1"), 0); /* what STL stores to between */
}

/* What passes on the way to the second level is no part of its hold: then each access counts for itself. */
static void test_ways_to_the_second_level(void **state) {
    (void)state;
    static const char *const settings[] = {"unit.MEMORY.queue=unlimited", "class.store_global.transfer_2=1"};
    struct wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine;
    assert_int_equal(wb_machine_load("rtx-a6000", diagnostics, &machine), WB_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_true(machine_can_count_requests(machine));
        assert_int_equal(wb_machine_set(machine, settings[i], diagnostics), WB_OK);
    }
    assert_false(machine_can_count_requests(machine));
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
}

/* The block's elb without and with what its first level keeps. Of 2,520 sectors that its 8 warps ask for it
 * loads 128 of A and 176 of B, of whose rows three in four begin inside of a sector, again and again; of C it
 * loads 44 once, and stores them. */
static void test_loads_hold_the_second_level_once(void **state) {
    (void)state;
    static const char *const settings[] = {"sass.l1_keeps=0", "sass.l1_keeps=65536", "resident=block-l1"};
    uint64_t elbs[3];
    for (size_t i = 0; i < 3; i++) {
        struct analysed made =
            analyse_on("sass.l2_keeps=0", "kernels/cubin/sgemm_naive.sm_86.cubin", "kernels/sgemm_naive.yaml",
                       (wb_analyze_options){.one_block = true});
        wb_analysis_free(made.analysis);
        made.analysis = NULL;
        const wb_analyze_options options = {.size = sizeof options, .methods = "elb", .one_block = true};
        expect_ok(&made, wb_machine_set(made.machine, settings[i], made.diagnostics), settings[i]);
        expect_ok(
            &made,
            wb_analyze(made.kernel, made.launch, made.machine, &options, made.diagnostics, &made.analysis),
            settings[i]);
        const wb_bound *bound = find_bound(made.analysis, "elb");
        elbs[i] = bound->cycles;
        assert_int_equal(assumes(bound, "C13"), i == 1);
        assert_int_equal(assumes(bound, "P5"), i == 2);
        free_analysed(&made);
    }
    assert_int_equal(elbs[0] - elbs[1], 14 * (2520 - (128 + 176 + 2 * 44)));
    assert_int_equal(elbs[2], elbs[1]);
}

/* Whole kernels count what their blocks ask for block by block; executions are no longer. */
static void test_kernels_whose_blocks_keep_loads(void **state) {
    (void)state;
    static const char *const kernels[] = {"sgemm_naive", "stencil5", "saxpy"};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        char cubin[64], launch[64];
        (void)snprintf(cubin, sizeof cubin, "kernels/cubin/%s.sm_86.cubin", kernels[k]);
        (void)snprintf(launch, sizeof launch, "kernels/%s.yaml", kernels[k]);
        struct analysed without = analyse_on("sass.l1_keeps=0", cubin, launch, (wb_analyze_options){0});
        struct analysed with =
            analyse_on("resident=block-l1", cubin, launch, (wb_analyze_options){.policies = "all"});
        const uint64_t bound = wb_analysis_best(with.analysis)->cycles;
        assert_true(bound < wb_analysis_best(without.analysis)->cycles || k == 2);
        size_t count;
        const wb_simulation *found = wb_analysis_simulations(with.analysis, &count);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++)
            assert_true(found[i].cycles <= bound);
        free_analysed(&without);
        free_analysed(&with);
    }
}

/* A block cannot keep more than the first level has. */
static void test_promises_that_blocks_break(void **state) {
    (void)state;
    struct analysed made = analyse_on("sass.l1_size=4096", "kernels/cubin/sgemm_naive.sm_86.cubin",
                                      "kernels/sgemm_naive.yaml", (wb_analyze_options){.one_block = true});
    const wb_analyze_options options = {.size = sizeof options, .methods = "elb"};
    wb_analysis *analysis = NULL;
    expect_ok(&made, wb_machine_set(made.machine, "resident=block-l1", made.diagnostics), "block-l1");
    assert_int_equal(
        wb_analyze(made.kernel, made.launch, made.machine, &options, made.diagnostics, &analysis),
        WB_ERR_INPUT);
    wb_analysis_free(analysis);
    free_analysed(&made);
}

/* Barriers of ptxas -O0 have dependence counters: they are bounded, and what is taken for granted is said. */
static void test_counters_of_barriers(void **state) {
    (void)state;
    struct analysed plain = analyse("tests/data/machine_code/plain_code.sm_86.cubin",
                                    "tests/data/machine_code/plain_code.yaml", true);
    struct analysed usual = analyse("kernels/cubin/reduce.sm_86.cubin", "kernels/reduce.yaml", true);
    assert_true(assumes(find_bound(plain.analysis, "sib"), "H11"));
    assert_false(assumes(find_bound(usual.analysis, "sib"), "H11"));
    free_analysed(&plain);
    free_analysed(&usual);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_are_above_stall_counts),
        cmocka_unit_test(test_simulations_are_below_bounds),
        cmocka_unit_test(test_unknown_data),
        cmocka_unit_test(test_atomics_wait_for_each_other),
        cmocka_unit_test(test_pages_are_filled_once),
        cmocka_unit_test(test_sectors_are_filled_once),
        cmocka_unit_test(test_a_sector_does_not_wait_for_itself),
        cmocka_unit_test(test_parts_name_levels),
        cmocka_unit_test(test_the_lesser_way_counts),
        cmocka_unit_test(test_which_loads_are_kept),
        cmocka_unit_test(test_ways_to_the_second_level),
        cmocka_unit_test(test_loads_hold_the_second_level_once),
        cmocka_unit_test(test_kernels_whose_blocks_keep_loads),
        cmocka_unit_test(test_promises_that_blocks_break),
        cmocka_unit_test(test_counters_of_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
