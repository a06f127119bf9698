/* No simulation of a kernel takes longer than a bound that claims to hold, and no schedule that was found is
 * longer than such a bound: every kernel of kernels/index.txt, on every machine that is shipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "address_sanitizer.h"
#include "kernel_suite.h"
#include "ptx_presets.h"

#define PRESET_OF_PAPER "ecrts2025-orin"
#define FAST_METHODS "sib,fib,aln,fifo,elb,gub"

/* A machine, what is changed of it, and the methods that are worth their time there. */
struct variant {
    const char *machine;
    const char *setting; /* "KEY=VALUE", or NULL */
    const char *methods;
};

static const struct variant changed[] = {
    {PRESET_OF_PAPER, "requests=ideal", FAST_METHODS},
    {PRESET_OF_PAPER, "mem_latency=5", FAST_METHODS},
    {PRESET_OF_PAPER, "mem_latency=400", FAST_METHODS},
};

/* Every simulation against one bound. */
static void check_bound(const struct kernel_case *entry, const struct variant *variant, const wb_bound *bound,
                        const wb_analysis *analysis) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        const wb_simulation *simulation = &simulations[i];
        if (!simulation->work_conserving || simulation->cycles <= bound->cycles) continue;
        fail_msg("%s on %s %s: %s is %" PRIu64 ", but %s takes %" PRIu64, entry->name, variant->machine,
                 variant->setting ? variant->setting : "", bound->method, bound->cycles, simulation->policy,
                 simulation->cycles);
    }
}

/* All bounds of one block on one machine. Nothing is proven of the machines whose model is another simulator.
 */
static void check_analysis(const struct kernel_case *entry, const struct variant *variant,
                           const wb_analysis *analysis) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    size_t proven = 0;
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (bounds[i].kind == WB_LOWER && bounds[i].cycles > found) found = bounds[i].cycles;
    for (size_t i = 0; i < count; i++) {
        if (bounds[i].kind != WB_UPPER && bounds[i].kind != WB_EXACT) continue;
        check_bound(entry, variant, &bounds[i], analysis);
        assert_true(bounds[i].cycles >= found);
        proven++;
    }
    assert_true(proven > 0 || strncmp(variant->machine, "gpgpusim", strlen("gpgpusim")) == 0);
}

/* A kernel with what its block executes in warps of 32. */
struct traced_case {
    const struct kernel_case *entry;
    struct loaded_kernel loaded;
    wb_block *block;
};

static wb_block *trace_in_warps(const struct traced_case *traced, uint32_t width) {
    const wb_trace_options options = {
        .size = sizeof options, .record_accesses = true, .warp_width = width}; /* a preset asks for them */
    wb_block *block = NULL;
    kernel_expect_ok(wb_block_trace(traced->loaded.kernel, traced->loaded.launch, &options,
                                    traced->loaded.diagnostics, &block),
                     traced->entry->name, traced->loaded.diagnostics);
    return block;
}

static void check_machine(const struct traced_case *traced, const struct variant *variant) {
    const struct kernel_case *entry = traced->entry;
    wb_diagnostics *diagnostics = traced->loaded.diagnostics;
    wb_machine *machine = NULL;
    wb_analysis *analysis = NULL;
    kernel_expect_ok(wb_machine_load(variant->machine, diagnostics, &machine), variant->machine, diagnostics);
    if (variant->setting)
        kernel_expect_ok(wb_machine_set(machine, variant->setting, diagnostics), variant->setting,
                         diagnostics);
    uint32_t width = wb_machine_warp_width(machine);
    wb_block *block = width == 32 ? traced->block : trace_in_warps(traced, width);
    kernel_expect_ok(wb_analysis_new(block, machine, diagnostics, &analysis), entry->name, diagnostics);
    kernel_expect_ok(wb_analysis_bound(analysis, variant->methods, NULL, diagnostics), entry->name,
                     diagnostics);
    kernel_expect_ok(wb_analysis_simulate(analysis, "all", NULL, diagnostics), entry->name, diagnostics);
    check_analysis(entry, variant, analysis);
    wb_analysis_free(analysis);
    if (block != traced->block) wb_block_free(block);
    wb_machine_free(machine);
}

static void check_machines(const struct traced_case *traced) {
    for (size_t i = 0; i < wb_machine_preset_count(); i++) {
        const char *name = wb_machine_preset_name(i);
        if (!preset_takes_ptx(name)) continue;
        bool searched = strcmp(name, PRESET_OF_PAPER) == 0;
        if (ADDRESS_SANITIZER && !searched && i % 3 != 0)
            continue; /* a third of the machines is slow enough */
        /* Searches are slow in such builds, and other tests have them. */
        const bool all = searched && !ADDRESS_SANITIZER;
        const struct variant preset = {name, NULL, all ? "all" : FAST_METHODS};
        check_machine(traced, &preset);
    }
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        check_machine(traced, &changed[i]);
}

static void test_case(void **state) {
    const struct kernel_case *entry = *state;
    struct traced_case traced = {.entry = entry, .loaded = kernel_load(entry->ptx, entry->launch)};
    traced.block = trace_in_warps(&traced, 32);
    check_machines(&traced);
    wb_block_free(traced.block);
    kernel_unload(&traced.loaded);
}

int main(void) {
    return kernel_suite_run("kernel bounds", test_case, NULL, 0);
}
