/* Covering paths of whole grids: every kernel of kernels/index.txt, bounded for all contents of its buffers,
 * is held against simulations of the grid with the given and with other data; and blocks must not rely on
 * memory that other blocks store to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bound_named.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "certificate_check.h"
#include "covering_check.h"
#include "kernel_suite.h"
#include "warp/trace/blocks.h"

/* Larger grids are left out, by the warp instructions of all blocks: simulations take longest here. */
#define INSTRUCTIONS_MAX 60000u

/* Other data that each kernel is simulated with. */
#define SEEDS 2u

/* Machines without caches and with: a preset and what is changed of it. */
static const char *const variants[][4] = {
    {"ecrts2025-orin", "sms=1", "dispatch=greedy", "mem_latency=200"},
    {"ecrts2025-orin", "sms=2", "dispatch=greedy", "mem_latency=20"},
    {"ecrts2025-orin", "sms=2", "dispatch=greedy", "dispatch_depth=0"},
    {"ecrts2025-orin", "sms=4", "dispatch=static", "requests=ideal"},
    {"ampere-sm80", "sms=2", "dispatch=greedy", "mem_latency=100"},
    {"jcse2017", "sms=2", "l1_store=update", "l1_victim=stall"},
    {"jcse2017", "sms=1", "dispatch=greedy", "l1_size=65536"},
};

static wb_machine *machine_of(const char *const settings[4], wb_diagnostics *diagnostics) {
    wb_machine *machine = NULL;
    kernel_expect_ok(wb_machine_load(settings[0], diagnostics, &machine), "machine", diagnostics);
    for (size_t i = 1; i < 4; i++)
        kernel_expect_ok(wb_machine_set(machine, settings[i], diagnostics), settings[i], diagnostics);
    return machine;
}

static wb_analysis *bounded(const wb_grid *grid, const wb_machine *machine, wb_diagnostics *diagnostics) {
    wb_analysis *analysis = NULL;
    kernel_expect_ok(analysis_new_kernel(grid, machine, NULL, NULL, diagnostics, &analysis), "analysis",
                     diagnostics);
    const char *methods = "segment-sum";
    if (analysis->kind == SUBJECT_KERNEL)
        methods = grid_work_is_dynamic(&analysis->work) ? "k-area,k-bal,k-sm,k-chain-area,k-chain-bal,k-chain"
                                                        : "k-sm,k-chain"; /* all forms of the bound */
    kernel_expect_ok(wb_analysis_bound(analysis, methods, NULL, diagnostics), "bounds", diagnostics);
    return analysis;
}

static wb_grid *traced(const struct loaded_kernel *loaded, const wb_grid_options *options) {
    wb_grid *grid = NULL;
    kernel_expect_ok(wb_grid_trace(loaded->kernel, loaded->launch, options, loaded->diagnostics, &grid),
                     wb_kernel_name(loaded->kernel), loaded->diagnostics);
    return grid;
}

/* No bound of the covering paths is below a simulation, or, without caches, below that of the same method for
 * known data. With caches it may be: of accesses whose addresses are not known, theorem 5 of
 * docs/must-hits.md counts evictions of all lines of a buffer together, which nothing does for known ones. */
static void check_bounds(const char *name, const char *setting, const wb_analysis *covering,
                         const wb_analysis *given) {
    size_t count, simulated, held = 0;
    const wb_bound *bounds = wb_analysis_bounds(covering, &count);
    const wb_simulation *simulations = wb_analysis_simulations(given, &simulated);
    for (size_t i = 0; i < count; i++) {
        if (bounds[i].kind != WB_UPPER) continue;
        held++;
        for (size_t k = 0; !analysis_has_caches(given) && k < given->bounds.count; k++) {
            const wb_bound *known = &given->bounds.items[k];
            if (strcmp(known->method, bounds[i].method) == 0 && known->cycles > bounds[i].cycles)
                fail_msg("%s, %s: %s of all data is %" PRIu64 ", of known data %" PRIu64, name, setting,
                         known->method, bounds[i].cycles, known->cycles);
        }
        for (size_t s = 0; s < simulated; s++)
            if (simulations[s].work_conserving && simulations[s].cycles > bounds[i].cycles)
                fail_msg("%s, %s: %s is %" PRIu64 ", but %s takes %" PRIu64, name, setting, bounds[i].method,
                         bounds[i].cycles, simulations[s].policy, simulations[s].cycles);
    }
    assert_true(held > 0);
}

/* The kinds of the grid are no less than each block covered by itself. */
static void check_kinds(const struct loaded_kernel *loaded, const wb_analysis *covering,
                        wb_trace_options options) {
    for (uint32_t b = 0; b < covering->work.block_count; b++) {
        const struct block_class *kind = &covering->work.classes.items[covering->work.class_of[b]];
        wb_block *block = NULL;
        wb_analysis *analysis = NULL;
        grid_block_index(covering->grid_times.grid, b, options.block);
        kernel_expect_ok(
            wb_block_trace(loaded->kernel, loaded->launch, &options, loaded->diagnostics, &block), "block",
            loaded->diagnostics);
        kernel_expect_ok(wb_analysis_new(block, covering->machine, loaded->diagnostics, &analysis), "block",
                         loaded->diagnostics);
        kernel_expect_ok(wb_analysis_bound(analysis, "elb", NULL, loaded->diagnostics), "elb",
                         loaded->diagnostics);
        if (wb_analysis_best(analysis)->cycles > kind->initiations + kind->latency)
            fail_msg("%s: block %u is less in the grid", wb_kernel_name(loaded->kernel), b);
        wb_analysis_free(analysis);
        wb_block_free(block);
    }
}

/* Other data: another seed for each buffer that is random. */
static void change_seeds(struct wb_launch *launch, uint64_t change) {
    for (size_t i = 0; i < launch->arguments.count; i++)
        launch->arguments.items[i].contents.seed += change;
}

/* Bounds of all data against what is known of some data. */
static void check_given(const char *name, const char *setting, const wb_analysis *all, const wb_grid *given,
                        const char *policies, wb_diagnostics *diagnostics) {
    wb_analysis *one = bounded(given, all->machine, diagnostics);
    kernel_expect_ok(wb_analysis_simulate(one, policies, NULL, diagnostics), "simulate", diagnostics);
    check_bounds(name, setting, all, one);
    wb_analysis_free(one);
}

/* With caches there are certificates where blocks go to fixed SMs: what is told is claimed. */
static void check_cached(const char *name, wb_analysis *analysis, const char *method) {
    if (memory_dispatch_is_dynamic(&analysis->machine->memory)) return;
    struct text text = certificate_of(analysis, method, NULL);
    assert_int_equal(strstr(text.data, "\nparts\n") != NULL, wb_analysis_is_covering(analysis));
    check_claims(&text, false, name);
    text_free(&text);
}

#ifdef WB_WING_JCSE2017
static void check_reordered(const char *name, const wb_grid *grid, const wb_machine *machine,
                            wb_diagnostics *diagnostics) {
    wb_analysis *analysis = NULL;
    if (analysis_new_grid(grid, machine, "reorder", diagnostics, &analysis) != WB_OK) return; /* greedy */
    check_cached(name, analysis, "reorder-chain");
    wb_analysis_free(analysis);
}

/* Strict round-robin on a machine with caches: no execution takes longer than all data may. */
static void check_turns(const char *name, const wb_grid *covering, const wb_grid *given,
                        const wb_machine *machine, wb_diagnostics *diagnostics) {
    wb_analysis *all = NULL, *one = NULL;
    kernel_expect_ok(analysis_new_grid(covering, machine, "pure-rr", diagnostics, &all), "all", diagnostics);
    kernel_expect_ok(analysis_new_grid(given, machine, "pure-rr", diagnostics, &one), "given", diagnostics);
    kernel_expect_ok(wb_analysis_bound(all, "turn-chain", NULL, diagnostics), "turn-chain", diagnostics);
    kernel_expect_ok(wb_analysis_simulate(one, "rr", NULL, diagnostics), "rr", diagnostics);
    const wb_bound *bound = wb_analysis_best(all);
    assert_non_null(bound);
    if (one->simulations.items[0].cycles > bound->cycles)
        fail_msg("%s: turn-chain is %" PRIu64 ", but rr takes %" PRIu64, name, bound->cycles,
                 one->simulations.items[0].cycles);
    check_cached(name, all, "turn-chain");
    check_reordered(name, given, machine, diagnostics);
    check_cached(name, one, "turn-chain");
    wb_analysis_free(all);
    wb_analysis_free(one);
}
#endif

/* Claims of blocks that execute parts of paths: no less is reported. */
static void check_certificate(const char *name, wb_analysis *all) {
    struct text text = certificate_of(all, "k-sm", NULL);
    uint32_t claims = 0;
    static const struct {
        const char *claim, *form;
    } forms[] = {{"k-area", "area"},      {"k-bal", "balance"},           {"k-sm", "sm"},
                 {"k-chain", "chain-sm"}, {"k-chain-area", "chain-area"}, {"k-chain-bal", "chain-balance"}};
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        char words[64];
        (void)snprintf(words, sizeof words, "\nclaim %s ", forms[f].claim);
        const char *claim = strstr(text.data, words);
        if (claim == NULL) continue;
        if (strtoull(claim + strlen(words), NULL, 10) > form_named(all, forms[f].form))
            fail_msg("%s: more is claimed than reported: %s", name, text.data);
        claims++;
    }
    if (grid_work_is_dynamic(&all->work)) assert_int_equal(claims, all->machine->sub_cores > 1 ? 6 : 3);
    assert_non_null(strstr(text.data, "\nparts\n"));
    check_claims(&text, false, name);
    text_free(&text);
}

/* The given data under all policies on the machines in turn, other data on the first and on those with
 * caches. */
static void check_machines(const struct kernel_case *entry, struct loaded_kernel *loaded,
                           const wb_grid *covering, const wb_grid *given, const wb_trace_options *block) {
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        wb_machine *machine = machine_of(variants[v], loaded->diagnostics);
        wb_analysis *all = bounded(covering, machine, loaded->diagnostics);
        assert_true(wb_analysis_is_covering(all));
        assert_int_equal(wb_analysis_simulate(all, "lrr", NULL, loaded->diagnostics), WB_ERR_DECLINED);
        const bool first = v == 0 || analysis_has_caches(all);
        check_given(entry->name, variants[v][0], all, given, v == 0 ? "all" : "gto", loaded->diagnostics);
        if (v == 0) check_kinds(loaded, all, *block);
        if (!analysis_has_caches(all)) check_certificate(entry->name, all);
        if (analysis_has_caches(all)) check_cached(entry->name, all, "segment-sum");
#ifdef WB_WING_JCSE2017
        if (analysis_has_caches(all)) check_turns(entry->name, covering, given, machine, loaded->diagnostics);
#endif
        for (uint64_t s = 0; first && s < SEEDS; s++) {
            change_seeds(loaded->launch, 1000003);
            wb_grid *other = traced(loaded, NULL);
            check_given(entry->name, "other data", all, other, "gto", loaded->diagnostics);
            wb_grid_free(other);
        }
        wb_analysis_free(all);
        wb_machine_free(machine);
    }
}

/* Warp instructions of all blocks of a grid of real paths. */
static uint64_t instructions_of(const wb_grid *grid) {
    uint64_t sum = 0;
    for (size_t b = 0; b < grid->blocks.count; b++)
        for (uint32_t w = 0; w < grid->warp_count; w++)
            sum += grid->paths.items[grid->shapes.items[grid->blocks.items[b].shape].warps[w].path].length;
    return sum;
}

static void test_case(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    wb_facts *facts = kernel_facts(&loaded);
    /* as there is one execution of the given data only then, and mandelbrot would need a fact */
    kernel_expect_ok(wb_launch_assume(loaded.launch, WB_TAKE_NO_CONTRACTION, loaded.diagnostics), "assume",
                     loaded.diagnostics);
    wb_grid *given = traced(&loaded, NULL);
    const wb_trace_options block = {.size = sizeof block,
                                    .cover = true,
                                    .unknown_contents = true,
                                    .record_accesses = true,
                                    .facts = facts};
    const wb_grid_options options = {.size = sizeof options,
                                     .cover = true,
                                     .unknown_contents = true,
                                     .record_accesses = true,
                                     .facts = facts};
    if (given->input_dependent.count == 0 && instructions_of(given) <= INSTRUCTIONS_MAX) {
        wb_grid *covering = traced(&loaded, &options);
        check_machines(entry, &loaded, covering, given, &block);
        wb_grid_free(covering);
    }
    wb_grid_free(given);
    wb_facts_free(facts);
    kernel_unload(&loaded);
}

/* ---- Blocks that read what others wrote ---------------------------------------------------------------- */

/* Each thread does as many iterations as in[0] says, at most 7; one block then stores 6 there: which one, and
 * how, is what the cases differ in. */
#define READER(store)                                                                                        \
    ".version 7.0\n.target sm_80\n.address_size 64\n"                                                        \
    ".visible .entry pass(.param .u64 in, .param .u64 out) {\n"                                              \
    "  .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<5>;\n"                                                \
    "  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];\n"                                                   \
    "  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;\n"                                          \
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, 6; mov.u32 %r6, 0;\n"                                             \
    "  ld.global.u32 %r3, [%d1]; and.b32 %r3, %r3, 7; mov.u32 %r4, 0;\n"                                     \
    "$HEAD: setp.ge.u32 %p1, %r4, %r3; @%p1 bra $DONE;\n"                                                    \
    "  setp.ge.u32 %p3, %r4, 7; @%p3 bra $DONE;\n"                                                           \
    "  mul.lo.u32 %r6, %r6, 5; add.u32 %r4, %r4, 1; bra $HEAD;\n"                                            \
    "$DONE:\n" store "  st.global.u32 [%d2], %r6;\n  ret;\n}\n"

static const struct passing {
    const char *name, *ptx;
} passings[] = {
    {"the first block stores",
     READER("setp.ne.u32 %p2, %r1, 0; @%p2 bra $END; st.global.u32 [%d1], %r2; $END:\n")},
    {"the last block stores",
     READER("setp.ne.u32 %p2, %r1, 3; @%p2 bra $END; st.global.u32 [%d1], %r2; $END:\n")},
    {"all blocks store under a guard that is not known",
     READER("ld.global.u32 %r7, [%d2]; setp.eq.u32 %p2, %r7, 1; @%p2 st.global.u32 [%d1], %r2;\n")},
    {"a store to an address that is not known",
     READER("ld.global.u32 %r7, [%d2]; and.b32 %r7, %r7, 4; cvt.u64.u32 %d3, %r7; add.u64 %d3, %d1, %d3;\n"
            "st.global.u32 [%d3], %r2;\n")},
    {"an atomic", READER("atom.global.exch.b32 %r7, [%d1], %r2;\n")},
    {"a block stores, and reads it again",
     READER("st.global.u32 [%d1], %r1; ld.global.u32 %r7, [%d1]; setp.gt.u32 %p2, %r7, 1; @%p2 bra $END;\n"
            "mul.lo.u32 %r6, %r6, 7; mul.lo.u32 %r6, %r6, 7; $END:\n")},
};

/* A kernel from its text; in[0] is `first` to begin with. */
static struct loaded_kernel passing_load(const struct passing *passing, const char *first, const char *out) {
    struct loaded_kernel loaded = {.diagnostics = wb_diagnostics_new()};
    wb_diagnostics *diagnostics = loaded.diagnostics;
    kernel_expect_ok(
        wb_module_parse(passing->name, passing->ptx, strlen(passing->ptx), diagnostics, &loaded.module),
        passing->name, diagnostics);
    kernel_expect_ok(wb_module_find_kernel(loaded.module, NULL, diagnostics, &loaded.kernel), passing->name,
                     diagnostics);
    loaded.launch = wb_launch_new();
    kernel_expect_ok(wb_launch_set_grid(loaded.launch, (const uint32_t[3]){4, 1, 1}, diagnostics), "grid",
                     diagnostics);
    kernel_expect_ok(wb_launch_set_block(loaded.launch, (const uint32_t[3]){32, 1, 1}, diagnostics), "block",
                     diagnostics);
    kernel_expect_ok(wb_launch_add_argument(loaded.launch, first, diagnostics), first, diagnostics);
    kernel_expect_ok(wb_launch_add_argument(loaded.launch, out, diagnostics), out, diagnostics);
    return loaded;
}

/* The grid as its blocks run one after another: each block's path is covered by that of the grid. */
static void check_passing(const struct passing *passing, const wb_grid *covering, const char *first,
                          const char *out) {
    struct loaded_kernel loaded = passing_load(passing, first, out);
    wb_grid *real = traced(&loaded, NULL);
    wb_machine *machine = machine_of(variants[1], loaded.diagnostics);
    wb_analysis *all = bounded(covering, machine, loaded.diagnostics);
    wb_analysis *one = bounded(real, machine, loaded.diagnostics);
    kernel_expect_ok(wb_analysis_simulate(one, "all", NULL, loaded.diagnostics), "simulate",
                     loaded.diagnostics);
    check_bounds(passing->name, first, all, one);
    for (uint32_t b = 0; b < real->blocks.count; b++) {
        const struct wb_block *whole = covering->covering.items[covering->blocks.items[b].covering].block;
        wb_block *block = NULL;
        uint64_t step;
        kernel_expect_ok(grid_block_make(real, b, loaded.diagnostics, &block), "block", loaded.diagnostics);
        if (!path_is_covered(&whole->paths.items[whole->warp_path[0]],
                             &block->paths.items[block->warp_path[0]], &step))
            fail_msg("%s, %s: step %" PRIu64 " of block %u is not covered", passing->name, first, step, b);
        wb_block_free(block);
    }
    wb_analysis_free(all);
    wb_analysis_free(one);
    wb_machine_free(machine);
    wb_grid_free(real);
    kernel_unload(&loaded);
}

/* Whatever `in` is to begin with and although the launch says so, blocks take for unknown what others store
 * there. */
static void test_blocks_do_not_rely_on_what_others_store(void **state) {
    (void)state;
    static const char *const firsts[] = {"buf:u32[8]=zero", "buf:u32[8]=6", "buf:u32[8]=3"};
    for (size_t p = 0; p < sizeof passings / sizeof *passings; p++) {
        struct loaded_kernel loaded = passing_load(&passings[p], firsts[0], "buf:u32[8]");
        const wb_grid_options options = {.size = sizeof options, .cover = true, .record_accesses = true};
        wb_grid *covering = traced(&loaded, &options);
        for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++)
            for (const char *out = "01"; *out != '\0'; out++) {
                char buffer[32];
                (void)snprintf(buffer, sizeof buffer, "buf:u32[8]=%c", *out);
                check_passing(&passings[p], covering, firsts[f], buffer);
            }
        wb_grid_free(covering);
        kernel_unload(&loaded);
    }
}

/* Another block may store there between the two, so that a block does not know what it reads back. */
static void test_what_is_stored_does_not_become_known(void **state) {
    (void)state;
    const struct passing *again = &passings[sizeof passings / sizeof *passings - 1];
    struct loaded_kernel loaded = passing_load(again, "buf:u32[8]=zero", "buf:u32[8]");
    const wb_grid_options options = {.size = sizeof options, .cover = true, .record_accesses = true};
    wb_grid *covering = traced(&loaded, &options);
    assert_int_equal(covering->covering.count, 1); /* else blocks 0 and 1 would differ from 2 and 3 */
    wb_grid_free(covering);
    kernel_unload(&loaded);
}

/* What no block stores to stays as the launch gives it. */
static void test_what_nobody_stores_to_stays_known(void **state) {
    (void)state;
    static const struct passing constant = {"nobody stores", READER("")};
    struct loaded_kernel loaded = passing_load(&constant, "buf:u32[8]=2", "buf:u32[8]");
    const wb_grid_options options = {.size = sizeof options, .cover = true, .record_accesses = true};
    wb_grid *covering = traced(&loaded, &options), *real = traced(&loaded, NULL);
    assert_int_equal(covering->covering.count, 1);
    assert_int_equal(covering->blocks.count, 4);
    assert_int_equal(covering->covering.items[0].block->paths.items[0].length, real->paths.items[0].length);
    wb_grid_free(real);
    wb_grid_free(covering);
    kernel_unload(&loaded);
}

/* Each block's threads read at an offset of their own, so that the blocks make different requests: two lines
 * that a warp of an odd block reads are one of an even block. */
#define SHIFTED                                                                                              \
    ".version 7.0\n.target sm_80\n.address_size 64\n"                                                        \
    ".visible .entry shift(.param .u64 in, .param .u64 out) {\n"                                             \
    "  .reg .b32 %r<9>; .reg .b64 %d<5>;\n"                                                                  \
    "  ld.param.u64 %d1, [in]; cvta.to.global.u64 %d1, %d1;\n"                                               \
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 16, %r2; mul.wide.u32 %d2, %r3, "    \
    "4;\n"                                                                                                   \
    "  add.u64 %d1, %d1, %d2; ld.global.u32 %r4, [%d1]; ret;\n}\n"

static void test_blocks_of_one_kind_make_the_same_requests(void **state) {
    (void)state;
    static const struct passing shifted = {"shifted", SHIFTED};
    struct loaded_kernel loaded = passing_load(&shifted, "buf:u32[256]", "buf:u32[8]");
    const wb_grid_options options = {.size = sizeof options, .cover = true, .record_accesses = true};
    wb_grid *covering = traced(&loaded, &options);
    assert_int_equal(covering->covering.count, 2);
    for (uint32_t b = 0; b < 4; b++)
        assert_int_equal(covering->blocks.items[b].covering, b % 2);
    wb_grid_free(covering);
    kernel_unload(&loaded);
}

/* Block b goes through its loop b times. */
#define COUNTER                                                                                              \
    ".version 7.0\n.target sm_80\n.address_size 64\n"                                                        \
    ".visible .entry count(.param .u64 in, .param .u64 out) {\n"                                             \
    "  .reg .pred %p<2>; .reg .b32 %r<4>;\n"                                                                 \
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0;\n"                                                             \
    "$HEAD: setp.ge.u32 %p1, %r2, %r1; @%p1 bra $DONE; add.u32 %r2, %r2, 1; bra $HEAD;\n$DONE: ret;\n}\n"

#define KINDS (CLASSES_KEPT_MAX + 6)

/* Of known data, too, a certificate has blocks that are not kept. */
static void test_more_kinds_than_are_kept_have_certificates(void **state) {
    (void)state;
    static const struct passing counter = {"counter", COUNTER};
    struct loaded_kernel loaded = passing_load(&counter, "buf:u32[8]", "buf:u32[8]");
    kernel_expect_ok(wb_launch_set_grid(loaded.launch, (const uint32_t[3]){KINDS, 1, 1}, loaded.diagnostics),
                     "grid", loaded.diagnostics);
    wb_grid *grid = traced(&loaded, NULL);
    wb_machine *machine = machine_of(variants[4], loaded.diagnostics);
    wb_analysis *analysis = bounded(grid, machine, loaded.diagnostics);
    assert_int_equal(analysis->work.classes.count, KINDS);
    struct text text = certificate_of(analysis, "k-sm", NULL);
    char last[32];
    (void)snprintf(last, sizeof last, "\nclass %u 1\n", KINDS - 1);
    assert_non_null(strstr(text.data, last));
    assert_null(strstr(text.data, "\nparts\n"));
    check_claims(&text, false, counter.name);
    text_free(&text);
    wb_analysis_free(analysis);
    wb_machine_free(machine);
    wb_grid_free(grid);
    kernel_unload(&loaded);
}

/* What grids of covering paths are not for is declined with a message. */
static void test_other_uses_are_declined(void **state) {
    (void)state;
    struct loaded_kernel loaded = passing_load(&passings[0], "buf:u32[8]", "buf:u32[8]");
    const wb_grid_options options = {.size = sizeof options, .cover = true, .record_accesses = true};
    wb_grid *covering = traced(&loaded, &options);
    wb_machine *machine = NULL;
    wb_analysis *analysis = NULL;
    wb_gpu *gpu = NULL;
    wb_diagnostics *diagnostics = loaded.diagnostics;
    kernel_expect_ok(wb_machine_load("jcse2017", diagnostics, &machine), "machine", diagnostics);
    kernel_expect_ok(wb_gpu_new(covering, machine, diagnostics, &gpu), "caches", diagnostics);
    assert_int_equal(wb_gpu_simulate(gpu, "default", NULL, NULL, diagnostics), WB_ERR_DECLINED);
    wb_gpu_free(gpu);
    assert_int_equal(wb_diagnostics_errors(diagnostics), 1);
    kernel_expect_ok(analysis_new_kernel(covering, machine, NULL, NULL, diagnostics, &analysis), "analysis",
                     diagnostics);
    assert_int_equal(wb_analysis_simulate(analysis, "lrr", NULL, diagnostics), WB_ERR_DECLINED);
    wb_analysis_free(analysis);
    wb_machine_free(machine);
    wb_grid_free(covering);
    kernel_unload(&loaded);
}

static bool stop(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    return ++*(int *)user < 3;
}

static void test_a_watch_stops_it(void **state) {
    (void)state;
    struct loaded_kernel loaded = passing_load(&passings[0], "buf:u32[8]", "buf:u32[8]");
    int asked = 0;
    const wb_grid_options options = {.size = sizeof options, .cover = true, .watch = {stop, &asked}};
    wb_grid *covering = NULL;
    assert_int_equal(wb_grid_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &covering),
                     WB_ERR_LIMIT);
    assert_null(covering);
    assert_int_equal(asked, 3);
    kernel_unload(&loaded);
}

int main(void) {
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_blocks_do_not_rely_on_what_others_store),
        cmocka_unit_test(test_what_is_stored_does_not_become_known),
        cmocka_unit_test(test_what_nobody_stores_to_stays_known),
        cmocka_unit_test(test_blocks_of_one_kind_make_the_same_requests),
        cmocka_unit_test(test_more_kinds_than_are_kept_have_certificates),
        cmocka_unit_test(test_other_uses_are_declined),
        cmocka_unit_test(test_a_watch_stops_it),
    };
    return kernel_suite_run("covering paths of grids", test_case, others, sizeof others / sizeof *others);
}
