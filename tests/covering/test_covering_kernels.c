/* Every kernel of kernels/index.txt, bounded for all contents of its buffers: what it executes on the given
 * ones is a part of the covering paths, and no simulation of it takes longer than a bound of them. Kernels
 * whose loops depend on data have their flow facts beside them (kernels/NAME.facts). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "covering_check.h"
#include "kernel_suite.h"

#define METHODS "sib,fib,aln,elb"

/* A machine, and what is changed of it. */
static const struct variant {
    const char *machine, *setting;
} variants[] = {
    {"ecrts2025-orin", "mem_latency=200"},  {"ecrts2025-orin", "mem_latency=5"},
    {"ecrts2025-orin", "requests=ideal"},   {"ecrts2025-orin", "dispatch_depth=0"},
    {"ecrts2025-orin", "dispatch_depth=1"}, {"jcse2017", "l1_victim=bypass"},
    {"jcse2017", "l1_victim=stall"},
};

static wb_analysis *bounded(const struct loaded_kernel *loaded, const wb_block *block,
                            const wb_machine *machine) {
    wb_analysis *analysis = NULL;
    kernel_expect_ok(wb_analysis_new(block, machine, loaded->diagnostics, &analysis), "analysis",
                     loaded->diagnostics);
    kernel_expect_ok(wb_analysis_bound(analysis, METHODS, NULL, loaded->diagnostics), METHODS,
                     loaded->diagnostics);
    return analysis;
}

/* No bound of the covering paths is exceeded by what is known of the given data, nor by any simulation. */
static void check_bounds(const char *name, const char *setting, const wb_analysis *covering,
                         const wb_analysis *given) {
    size_t count, simulated;
    const wb_bound *bounds = wb_analysis_bounds(covering, &count);
    const wb_bound *known = wb_analysis_bounds(given, &count);
    const wb_simulation *simulations = wb_analysis_simulations(given, &simulated);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(bounds[i].method, known[i].method);
        if (bounds[i].kind != WB_UPPER) continue;
        if (bounds[i].cycles < known[i].cycles)
            fail_msg("%s, %s: %s of all data is %" PRIu64 ", of the given data %" PRIu64, name, setting,
                     bounds[i].method, bounds[i].cycles, known[i].cycles);
        for (size_t s = 0; s < simulated; s++)
            if (simulations[s].work_conserving && simulations[s].cycles > bounds[i].cycles)
                fail_msg("%s, %s: %s is %" PRIu64 ", but %s takes %" PRIu64, name, setting, bounds[i].method,
                         bounds[i].cycles, simulations[s].policy, simulations[s].cycles);
    }
}

static void check_machines(const struct kernel_case *entry, const struct loaded_kernel *loaded,
                           const wb_block *covering, const wb_block *given) {
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const char *setting = variants[i].setting;
        wb_machine *machine = NULL;
        kernel_expect_ok(wb_machine_load(variants[i].machine, loaded->diagnostics, &machine), "machine",
                         loaded->diagnostics);
        kernel_expect_ok(wb_machine_set(machine, setting, loaded->diagnostics), setting, loaded->diagnostics);
        wb_analysis *all = bounded(loaded, covering, machine), *one = bounded(loaded, given, machine);
        kernel_expect_ok(wb_analysis_simulate(one, "all", NULL, loaded->diagnostics), "simulate",
                         loaded->diagnostics);
        check_bounds(entry->name, setting, all, one);
        wb_analysis_free(all);
        wb_analysis_free(one);
        wb_machine_free(machine);
    }
}

static void check_paths(const struct kernel_case *entry, const wb_block *covering, const wb_block *given) {
    for (uint32_t w = 0; w < given->warp_count; w++) {
        uint64_t step;
        const struct path *whole = &covering->paths.items[covering->warp_path[w]];
        const struct path *real = &given->paths.items[given->warp_path[w]];
        if (!path_is_covered(whole, real, &step))
            fail_msg("%s: step %" PRIu64 " of warp %u is not covered", entry->name, step, w);
    }
}

static void test_case(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    wb_facts *facts = kernel_facts(&loaded);
    wb_trace_options options = {.size = sizeof options, .record_accesses = true};
    wb_block *given = NULL, *covering = NULL, *held = NULL;
    /* as there is one execution of the given data only then, and mandelbrot would need a fact */
    kernel_expect_ok(wb_launch_assume(loaded.launch, WB_TAKE_NO_CONTRACTION, loaded.diagnostics), entry->name,
                     loaded.diagnostics);
    kernel_expect_ok(wb_block_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &given),
                     entry->name, loaded.diagnostics);
    options.cover = true;
    options.facts = facts;
    /* the facts are true of the given data */
    kernel_expect_ok(wb_block_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &held),
                     entry->name, loaded.diagnostics);
    check_paths(entry, held, given);
    options.unknown_contents = true;
    kernel_expect_ok(wb_block_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &covering),
                     entry->name, loaded.diagnostics);
    check_paths(entry, covering, held);
    check_machines(entry, &loaded, covering, given);
    wb_block_free(held);
    wb_block_free(given);
    wb_block_free(covering);
    wb_facts_free(facts);
    kernel_unload(&loaded);
}

int main(void) {
    return kernel_suite_run("covering paths of kernels", test_case, NULL, 0);
}
