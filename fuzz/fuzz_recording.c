/* Any bytes as the log of a recording: what is read hangs together, and every launch that is described, be it
 * of another kernel, is a launch file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"
#include "warpbound.h"
#include "wings/record/describe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char code[] = ".version 7.0\n.target sm_75\n.address_size 64\n.global .u32 count;\n"
                           ".visible .entry k(.param .align 8 .b8 s[24], .param .f32 a, .param .s16 b, "
                           ".param .u64 p)\n{ .reg .u32 %r; ld.global.u32 %r, [count]; ret; }\n";

struct fuzzed {
    const struct recording *recording;
    const wb_kernel *kernel;
    wb_diagnostics *diagnostics;
    struct arena arena;
};

/* Whether grid, block and shared memory are within what launch files take. */
static bool is_launchable(const struct recorded_launch *launch) {
    const uint32_t *grid = launch->grid, *block = launch->block;
    for (int i = 0; i < 3; i++)
        if (grid[i] == 0 || grid[i] > 65535 || block[i] == 0 || block[i] > 64) return false;
    return (uint64_t)block[0] * block[1] * block[2] <= LAUNCH_THREADS_MAX &&
           launch->shared <= LAUNCH_SHARED_MAX && launch->registers <= LAUNCH_REGISTERS_MAX;
}

static void check_launch(struct fuzzed *fuzzed, const struct recorded_launch *launch, const char *variables) {
    const struct recording *recording = fuzzed->recording;
    struct text text = {.arena = &fuzzed->arena};
    wb_launch *parsed = NULL;
    if (launch->function != RECORDED_NONE && launch->function >= recording->functions.count) abort();
    if (launch->stream != RECORDED_NONE && launch->stream >= recording->streams.count) abort();
    for (size_t i = 0; i < launch->pointer_count; i++) {
        const struct recorded_pointer *pointer = &launch->pointers[i];
        if (pointer->offset > pointer->size || pointer->at + 8 > launch->param_bytes) abort();
        if (i > 0 && pointer->at <= launch->pointers[i - 1].at) abort();
    }
    if (describe_launch(launch, fuzzed->kernel, variables, &text) != DESCRIBED) return;
    const wb_status status =
        launch_parse("launch.yaml", text.data, text.length, NULL, fuzzed->diagnostics, &parsed);
    /* Shapes may be beyond CUDA's limits. */
    if (status != WB_OK && wb_diagnostics_errors(fuzzed->diagnostics) == 0) abort();
    if (status != WB_OK && is_launchable(launch)) abort();
    wb_launch_free(parsed);
}

static void check(void *context) {
    struct fuzzed *fuzzed = context;
    const char *variables = describe_variables(fuzzed->kernel, &fuzzed->arena, fuzzed->diagnostics);
    if (variables == NULL) abort();
    for (size_t i = 0; i < fuzzed->recording->launches.count && i < 8; i++)
        check_launch(fuzzed, &fuzzed->recording->launches.items[i], variables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct recording recording;
    wb_module *module = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (wb_module_parse("k.ptx", code, sizeof code - 1, diagnostics, &module) != WB_OK) abort();
    const wb_status status = recording_read("log", data, size, diagnostics, &recording);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    struct fuzzed fuzzed = {&recording, wb_module_kernel(module, 0), diagnostics, {0}};
    if (status == WB_OK && arena_protect(&fuzzed.arena, check, &fuzzed) != WB_OK) abort();
    arena_free(&fuzzed.arena);
    recording_free(&recording);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    return 0;
}
