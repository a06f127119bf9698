/* Bounds of the loops of all kernels of kernels/ against what their warps execute. */
#include "loop_support.h"

#include <inttypes.h>

#include "kernel_suite.h"
#include "loop_passes.h"
#include "warp/cover/cover.h"

/* Loops of all kernels together that were executed: how many, with a bound, with one that is reached. */
static unsigned executed_loops, bounded_loops, tight_loops;

/* What is executed and what it is bounded by. */
struct bound_pair {
    const struct kernel_case *kernel;
    const wb_block *block;
    uint32_t function;
    const struct launch_scope *scope;
    bool counts; /* for the numbers of loops above */
};

/* The label in front of a loop, for messages. */
static const char *label_of(const struct ptx_function *function, uint32_t inst) {
    for (uint32_t i = 0; i < function->label_count; i++)
        if (function->labels[i].target == inst) return function->labels[i].name;
    return "?";
}

static void check_loop(const struct bound_pair *comparison, const struct loop_passes *passes, uint32_t loop) {
    const struct cfg *cfg = &passes->bounded->cfg;
    const struct loop_bound *bound = &passes->bounded->bounds[loop];
    uint64_t most = passes->most[loop];
    const char *label = label_of(cfg->function, cfg->blocks[passes->bounded->loops.items[loop].header].first);
    if (bound->known && most > bound->headers)
        fail_msg("%s: header executed %" PRIu64 " times, bound %" PRIu64, label, most, bound->headers);
    bool tight = bound->known && bound->headers == most;
    if (most == 0 || !comparison->counts) return;
    executed_loops++;
    bounded_loops += bound->known;
    tight_loops += tight;
    if (tight) return;
    print_message("  %s %s: executed %" PRIu64 " times, ", comparison->kernel->name, label, most);
    if (bound->known)
        print_message("bound %" PRIu64 "\n", bound->headers);
    else
        print_message("no bound\n");
}

/* Compares along one path, or all (NULL), by what the launch says of the threads asked about. */
static void compare(const struct bound_pair *comparison, const struct loaded_kernel *loaded,
                    const struct path *path) {
    const wb_block *block = comparison->block;
    struct launch_environment environment;
    struct bounded_function bounded;
    struct loop_passes passes;
    launch_environment_fill(loaded->kernel, loaded->launch, comparison->scope, &environment);
    bound_function(&loaded->module->functions[comparison->function], &environment.environment, &bounded);
    loop_passes_init(block, comparison->function, &bounded, &passes);
    for (size_t p = 0; p < block->paths.count; p++)
        if (path == NULL || path == &block->paths.items[p])
            loop_passes_follow(&passes, &block->paths.items[p]);
    for (uint32_t loop = 0; loop < bounded.loops.count; loop++)
        check_loop(comparison, &passes, loop);
    loop_passes_free(&passes);
    arena_free(&bounded.arena);
}

/* Bounds for all blocks, for this one, and for its first and its last warp. */
static void compare_scopes(const struct kernel_case *kernel, const struct loaded_kernel *loaded,
                           const wb_block *block, uint32_t function) {
    struct launch_scope scope = {.block = block->index};
    struct bound_pair comparison = {kernel, block, function, &scope, true};
    compare(&comparison, loaded, NULL);
    comparison.counts = false;
    for (uint32_t warp = 0;
         warp<block->warp_count; warp += block->warp_count> 1 ? block->warp_count - 1 : 1) {
        uint32_t threads = block->size[0] * block->size[1] * block->size[2], first = warp * LANES;
        struct thread_span span = {first, first + LANES < threads ? first + LANES - 1 : threads - 1};
        scope.threads = &span;
        compare(&comparison, loaded, &block->paths.items[block->warp_path[warp]]);
    }
    scope = (struct launch_scope){0};
    compare(&comparison, loaded, NULL);
}

static void test_bounds_hold_in_execution(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    wb_block *block = NULL;
    wb_status status = wb_block_trace(loaded.kernel, loaded.launch, NULL, loaded.diagnostics, &block);
    if (status != WB_ERR_DECLINED) kernel_expect_ok(status, entry->name, loaded.diagnostics);
    for (uint32_t f = 0; status == WB_OK && f < loaded.module->function_count; f++)
        if (loaded.module->functions[f].has_body) compare_scopes(entry, &loaded, block, f);
    wb_block_free(block);
    kernel_unload(&loaded);
}

/* The five others: docs/control-flow.md says why. */
static void test_most_bounds_are_reached(void **state) {
    (void)state;
    print_message("  %u loops executed, %u bounded, %u of them reached\n", executed_loops, bounded_loops,
                  tight_loops);
    assert_true(executed_loops * kernel_suite_step() + 8 * (kernel_suite_step() - 1) >= 50);
    assert_true(tight_loops + 5 >= executed_loops);
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_most_bounds_are_reached)};
    return kernel_suite_run("loop bounds of kernels", test_bounds_hold_in_execution, others, 1);
}
