#include "random_trial.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_block.h"

static const struct random_kernel_shape shapes[] = {
    {.length = 4, .depth = 2, .trips = 3, .warps = 2},
    {.length = 8, .depth = 2, .trips = 7, .warps = 4},
    {.length = 5, .depth = 3, .trips = 3, .warps = 8},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

bool trial_violated(struct trial *trial, const char *format, ...) {
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_printf(&trial->violation, "%s\n%s", message, wb_diagnostics_text(trial->diagnostics));
    return false;
}

/* The seed of a buffer's contents: its own one for every seed of data, unless they are given. */
static uint64_t contents_of(const struct trial *trial, uint32_t buffer, uint32_t d) {
    const uint64_t first = trial->kernel.seed * TRIAL_DATA_SEEDS * RANDOM_BUFFERS;
    return first + buffer * TRIAL_DATA_SEEDS + ((trial->given >> buffer & 1) != 0 ? 0 : d);
}

wb_launch *trial_launch(const struct trial *trial, uint32_t d) {
    uint64_t contents[RANDOM_BUFFERS];
    for (uint32_t b = 0; b < RANDOM_BUFFERS; b++)
        contents[b] = contents_of(trial, b, d);
    return random_kernel_launch(&trial->kernel, contents);
}

wb_launch *trial_execution(const struct trial *trial, uint32_t d) {
    wb_launch *launch = trial_launch(trial, d);
    (void)wb_launch_assume(launch, WB_TAKE_ALL, trial->diagnostics);
    return launch;
}

wb_launch *trial_launch_unknown(const struct trial *trial, uint32_t known) {
    uint64_t contents[RANDOM_BUFFERS];
    for (uint32_t b = 0; b < RANDOM_BUFFERS; b++)
        contents[b] = (known >> b & 1) != 0 ? contents_of(trial, b, 0) : RANDOM_UNKNOWN;
    return random_kernel_launch(&trial->kernel, contents);
}

static bool execute(struct trial *trial) {
    const wb_trace_options options = {.size = sizeof options, .record_accesses = true};
    for (uint32_t d = 0; d < TRIAL_DATA_SEEDS; d++) {
        wb_launch *launch = trial_execution(trial, d);
        wb_status status =
            wb_block_trace(trial->parsed, launch, &options, trial->diagnostics, &trial->blocks[d]);
        wb_launch_free(launch);
        if (status != WB_OK) return trial_violated(trial, "is not executed: status %d", status);
    }
    return true;
}

/* Makes a kernel, executes it and checks it. */
static bool holds(uint64_t seed, const struct random_kernel_shape *shape, const bool *omitted,
                  trial_check check, struct trial *trial) {
    *trial = (struct trial){.diagnostics = wb_diagnostics_new()};
    random_kernel_make(seed, shape, omitted, &trial->kernel);
    trial->given = seed % 2 == 0 ? 0 : (uint32_t)(seed / 2 % (1u << RANDOM_BUFFERS));
    const char *ptx = trial->kernel.ptx;
    if (wb_module_parse("random.ptx", ptx, strlen(ptx), trial->diagnostics, &trial->module) != WB_OK ||
        wb_module_find_kernel(trial->module, "k", trial->diagnostics, &trial->parsed) != WB_OK)
        return trial_violated(trial, "does not parse");
    observed_flow_make(kernel_function(trial->parsed), &trial->flow);
    return execute(trial) && check(trial);
}

static void forget(struct trial *trial) {
    for (uint32_t d = 0; d < TRIAL_DATA_SEEDS; d++)
        wb_block_free(trial->blocks[d]);
    observed_flow_free(&trial->flow);
    wb_module_free(trial->module);
    wb_diagnostics_free(trial->diagnostics);
    random_kernel_free(&trial->kernel);
    text_free(&trial->violation);
}

static void print_smallest(uint64_t seed, const struct random_kernel_shape *shape, uint32_t statements,
                           trial_check check) {
    bool omitted[RANDOM_STATEMENTS_MAX] = {false};
    struct trial trial;
    for (uint32_t i = 0; i < statements && i < RANDOM_STATEMENTS_MAX; i++) {
        omitted[i] = true;
        if (holds(seed, shape, omitted, check, &trial)) omitted[i] = false;
        forget(&trial);
    }
    (void)holds(seed, shape, omitted, check, &trial);
    fprintf(stderr, "seed %" PRIu64 ", %u threads, n %u, m %u: %s\n%s", seed, trial.kernel.threads,
            trial.kernel.scalars[0], trial.kernel.scalars[1], trial.violation.data, trial.kernel.ptx);
    forget(&trial);
}

bool trials_hold(uint32_t kernels, trial_check check) {
    for (uint32_t i = 0; i < random_rounds(kernels); i++) {
        const struct random_kernel_shape *shape = &shapes[i % SHAPES];
        struct trial trial;
        const bool held = holds(i, shape, NULL, check, &trial);
        const uint32_t statements = trial.kernel.statements;
        forget(&trial);
        if (held) continue;
        print_smallest(i, shape, statements, check);
        return false;
    }
    return true;
}
