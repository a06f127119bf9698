/* Machine code of the kernels of kernels/index.txt: how many instructions warps issue, where they divide, by
 * figures that another interpreter of machine code counted; and that covering paths for all contents of
 * buffers have what is executed on the given ones. */
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

#include "covering_check.h"
#include "kernel_suite.h"

static const unsigned architectures[] = {80, 90, 75, 86, 87, 89};

/* How many of them are gone through. */
static size_t architecture_count(void) {
    const char *rounds = getenv("WB_ROUNDS");
    return rounds != NULL && strcmp(rounds, "all") == 0 ? sizeof architectures / sizeof *architectures : 2;
}

static uint64_t instructions(const struct wb_block *block) {
    uint64_t sum = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        sum += block->paths.items[block->warp_path[w]].length;
    return sum;
}

/* Instructions of the first block where parts meet only at BSYNC, WARPSYNC and BAR. */
static void counts_are_those_of_another_interpreter(void **state) {
    static const struct {
        const char *cubin, *launch;
        uint64_t instructions;
    } cases[] = {
        {"kernels/cubin/bfs_level.sm_80.cubin", "kernels/bfs_level.yaml", 1236},
        {"kernels/cubin/mandelbrot.sm_80.cubin", "kernels/mandelbrot.yaml", 3710},
        {"kernels/cubin/sparse_matvec.sm_80.cubin", "kernels/sparse_matvec.yaml", 516},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct loaded_kernel loaded = kernel_load(cases[i].cubin, cases[i].launch);
        const wb_trace_options options = {.size = sizeof options};
        wb_block *block = NULL;
        kernel_expect_ok(wb_block_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &block),
                         cases[i].cubin, loaded.diagnostics);
        if (instructions(block) != cases[i].instructions)
            fail_msg("%s: %" PRIu64 " instructions", cases[i].cubin, instructions(block));
        wb_block_free(block);
        kernel_unload(&loaded);
    }
}

/* Kernels whose machine code has covering paths without flow facts, and those looked at. */
static uint32_t covered, looked_at;

static void check(const char *cubin, const char *launch) {
    struct loaded_kernel loaded = kernel_load(cubin, launch);
    wb_trace_options options = {.size = sizeof options, .instruction_limit = UINT64_C(50000000)};
    wb_block *given = NULL, *covering = NULL;
    const wb_status traced =
        wb_block_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &given);
    options.cover = options.unknown_contents = true;
    const wb_status status =
        wb_block_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &covering);
    if (status != WB_OK && status != WB_ERR_DECLINED && status != WB_ERR_LIMIT)
        kernel_expect_ok(status, cubin, loaded.diagnostics);
    looked_at++;
    covered += status == WB_OK;
    for (uint32_t w = 0; traced == WB_OK && status == WB_OK && w < given->warp_count; w++) {
        uint64_t step;
        if (!path_is_covered(&covering->paths.items[covering->warp_path[w]],
                             &given->paths.items[given->warp_path[w]], &step))
            fail_msg("%s: step %" PRIu64 " of warp %u is not covered", cubin, step, w);
    }
    wb_block_free(given);
    wb_block_free(covering);
    kernel_unload(&loaded);
}

static void test_case(void **state) {
    const struct kernel_case *entry = *state;
    for (size_t a = 0; a < architecture_count(); a++) {
        char cubin[KERNEL_CODE_MAX];
        kernel_code(entry, "", architectures[a], cubin);
        if (access(cubin, R_OK) == 0) check(cubin, entry->launch);
    }
}

static void most_kernels_are_covered(void **state) {
    (void)state;
    assert_true(covered * 2 > looked_at);
}

int main(void) {
    const struct CMUnitTest others[] = {
        cmocka_unit_test(counts_are_those_of_another_interpreter),
        cmocka_unit_test(most_kernels_are_covered),
    };
    return kernel_suite_run("covering paths of machine code", test_case, others,
                            sizeof others / sizeof *others);
}
