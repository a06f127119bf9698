/* Bounds of the loops of all kernels of kernels/ against what their warps execute. */
#include "loop_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel_suite.h"
#include "warp/block.h"
#include "warp/launch_environment.h"

#define LANES 32

/* Loops of all kernels together that were executed: how many, with a bound, with one that is reached. */
static unsigned executed_loops, bounded_loops, tight_loops;

/* Most executions of each header since its loop was entered, over all lanes. */
struct passes {
    const struct bounded_function *bounded;
    uint32_t first;             /* index of the function's first instruction in paths */
    uint32_t last_block[LANES]; /* that each lane executed in the function */
    uint64_t (*count)[LANES];   /* per loop: in the current entry */
    uint64_t *most;             /* per loop */
};

/* A lane starts a block: if it is the header of a loop, one more pass, or the first of a new entry. */
static void pass_block(struct passes *passes, uint32_t block, uint32_t lane) {
    const struct loops *loops = &passes->bounded->loops;
    uint32_t from = passes->last_block[lane], loop = loops->innermost[block];
    passes->last_block[lane] = block;
    if (loop == GRAPH_NONE || loops->items[loop].header != block) return;
    bool inside = from != GRAPH_NONE && loop_contains(loops, loop, from);
    passes->count[loop][lane] = inside ? passes->count[loop][lane] + 1 : 1;
    if (passes->count[loop][lane] > passes->most[loop]) passes->most[loop] = passes->count[loop][lane];
}

static void follow_path(struct passes *passes, const struct path *path) {
    const struct cfg *cfg = &passes->bounded->cfg;
    uint32_t inst_count = cfg->function->inst_count;
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    for (uint32_t l = 0; l < LANES; l++)
        passes->last_block[l] = GRAPH_NONE;
    while (path_next(&cursor, &step)) {
        if (step.instruction < passes->first || step.instruction - passes->first >= inst_count) continue;
        uint32_t inst = step.instruction - passes->first, block = cfg->block_of[inst];
        if (cfg->blocks[block].first != inst) continue;
        for (uint32_t l = 0; l < LANES; l++)
            if ((step.mask >> l & 1) != 0) pass_block(passes, block, l);
    }
}

/* The label in front of a loop, for messages. */
static const char *label_of(const struct ptx_function *function, uint32_t inst) {
    for (uint32_t i = 0; i < function->label_count; i++)
        if (function->labels[i].target == inst) return function->labels[i].name;
    return "?";
}

static void check_loop(const char *name, const struct passes *passes, uint32_t loop) {
    const struct cfg *cfg = &passes->bounded->cfg;
    const struct loop_bound *bound = &passes->bounded->bounds[loop];
    uint64_t most = passes->most[loop];
    uint32_t inst = cfg->blocks[passes->bounded->loops.items[loop].header].first;
    if (most == 0) return;
    executed_loops++;
    bounded_loops += bound->known;
    tight_loops += bound->known && bound->headers == most;
    if (!bound->known || bound->headers != most)
        print_message("  %s %s: executed %" PRIu64 ", bound %" PRIu64 "%s\n", name,
                      label_of(cfg->function, inst), most, bound->headers, bound->known ? "" : " (none)");
    if (bound->known && most > bound->headers)
        fail_msg("%s: header executed %" PRIu64 " times, bound %" PRIu64, label_of(cfg->function, inst), most,
                 bound->headers);
}

static void check_function(const char *name, const wb_block *block, uint32_t function,
                           const struct loop_environment *environment) {
    const struct wb_module *module = block->kernel->module;
    struct bounded_function bounded;
    if (!module->functions[function].has_body) return;
    bound_function(&module->functions[function], environment, &bounded);
    struct passes passes = {.bounded = &bounded, .first = block->code_first[function]};
    passes.count = calloc(bounded.loops.count + 1, sizeof *passes.count);
    passes.most = calloc(bounded.loops.count + 1, sizeof *passes.most);
    assert_true(passes.count != NULL && passes.most != NULL);
    for (size_t p = 0; p < block->paths.count; p++)
        follow_path(&passes, &block->paths.items[p]);
    for (uint32_t loop = 0; loop < bounded.loops.count; loop++)
        check_loop(name, &passes, loop);
    free(passes.count);
    free(passes.most);
    arena_free(&bounded.arena);
}

/* The block at the grid's start, by what is known of it alone. */
static void test_bounds_hold_in_execution(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    wb_block *block = NULL;
    wb_status status =
        wb_block_trace(loaded.kernel, loaded.launch, &(wb_trace_options){0}, loaded.diagnostics, &block);
    if (status != WB_ERR_DECLINED) {
        kernel_expect_ok(status, entry->name, loaded.diagnostics);
        struct launch_environment environment;
        struct launch_scope scope = {.block = block->index};
        launch_environment_fill(loaded.kernel, loaded.launch, &scope, &environment);
        for (uint32_t f = 0; f < loaded.module->function_count; f++)
            check_function(entry->name, block, f, &environment.environment);
    }
    wb_block_free(block);
    kernel_unload(&loaded);
}

static void test_most_loops_have_tight_bounds(void **state) {
    (void)state;
    print_message("  %u loops executed, %u bounded, %u of them reached\n", executed_loops, bounded_loops,
                  tight_loops);
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_most_loops_have_tight_bounds)};
    return kernel_suite_run("loop bounds of kernels", test_bounds_hold_in_execution, others, 1);
}
