/* Divergence analysis on every kernel of kernels/index.txt: no branch that it calls uniform divides a warp of
 * any block, and few of those that it calls divergent never do. Prints the numbers of
 * docs/control-flow.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "divergence_support.h"
#include "kernel_suite.h"
#include "warp/trace/trace.h"

/* Branches that any case executed, by what was said of them and what they did. */
struct branch_counts {
    size_t uniform, divided, undivided; /* divergent ones: that divided a warp, that never did */
};

static struct branch_counts totals;

/* Of all executed branches that can part threads as far as the analysis knows, how many may never have done
 * so. */
#define UNDIVIDED_MAX 46

/* What the execution of a grid shows of an instruction. */
struct observation {
    bool executed, divided;
};

/* Marks the instructions behind which a warp was divided: the next step is executed by some of the lanes, but
 * not by all. (When all lanes go on together, the next step has their mask; or, where they wait for others at
 * a reconvergence point, the mask of lanes that are not among them, or a mask that includes all of them.) */
static void observe_path(const struct path *path, struct observation *observations) {
    struct path_cursor cursor = path_begin(path);
    struct path_step last = {0}, step;
    for (bool first = true; path_next(&cursor, &step); first = false) {
        observations[step.instruction].executed = true;
        bool some = (step.mask & last.mask) != 0, all = (last.mask & ~step.mask) == 0;
        if (!first && some && !all) observations[last.instruction].divided = true;
        last = step;
    }
}

/* Counts the branches of one function, and fails when one that is said to be uniform divided a warp. */
static void check_function(const struct ptx_function *function, const struct observation *observations,
                           struct branch_counts *counts) {
    struct analysed_function analysed;
    analysed_function_open(function, &analysed);
    check_reasons(&analysed);
    for (uint32_t i = 0; i < function->inst_count; i++) {
        bool divergent = may_part(&analysed, i);
        bool is_call = function->insts[i].form->op == PTX_OP_CALL;
        if (observations[i].divided && !divergent && !is_call)
            fail_msg("%s: instruction %u divided a warp", function->name, i);
        if (!observations[i].executed || !has_choice_behind(&analysed, i)) continue;
        counts->uniform += !divergent;
        counts->divided += divergent && observations[i].divided;
        counts->undivided += divergent && !observations[i].divided;
    }
    analysed_function_close(&analysed);
}

static void test_case(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    const wb_grid_options options = {.size = sizeof options};
    wb_grid *grid = NULL;
    kernel_expect_ok(wb_grid_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &grid),
                     entry->name, loaded.diagnostics);
    struct observation *observations = calloc((size_t)grid->instruction_count + 1, sizeof *observations);
    assert_non_null(observations);
    for (size_t p = 0; p < grid->paths.count; p++)
        observe_path(&grid->paths.items[p], observations);
    struct branch_counts counts = {0};
    for (uint32_t f = 0; f < loaded.module->function_count; f++)
        if (loaded.module->functions[f].has_body)
            check_function(&loaded.module->functions[f], observations + grid->code_first[f], &counts);
    print_message("%-24s uniform %3zu, divergent and divided %3zu, divergent but never divided %3zu\n",
                  entry->name, counts.uniform, counts.divided, counts.undivided);
    totals.uniform += counts.uniform;
    totals.divided += counts.divided;
    totals.undivided += counts.undivided;
    free(observations);
    wb_grid_free(grid);
    kernel_unload(&loaded);
}

/* Runs behind all cases. */
static void test_few_branches_are_called_divergent_without_need(void **state) {
    (void)state;
    print_message("%-24s uniform %3zu, divergent and divided %3zu, divergent but never divided %3zu\n", "all",
                  totals.uniform, totals.divided, totals.undivided);
    assert_true(totals.undivided <= UNDIVIDED_MAX);
}

int main(void) {
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_few_branches_are_called_divergent_without_need),
    };
    return kernel_suite_run("divergence_kernels", test_case, others, sizeof others / sizeof *others);
}
