/* Covering paths of random unstructured kernels, held to what the kernels execute on random data: under facts
 * that are as tight as these executions allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "covered_execution.h"
#include "covering_check.h"
#include "launch/launch.h"
#include "random_block.h"
#include "random_flow.h"

#define DATA_SEEDS 6u
#define INSTRUCTIONS 30000u

struct trial {
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *kernel;
    const struct ptx_function *function;
    struct observed_flow flow;
    char *ptx;
    wb_block *real[DATA_SEEDS]; /* NULL: the execution failed */
    wb_facts *facts;
    wb_block *covering;
};

static wb_launch *launch_of(const struct trial *trial, const char *input) {
    wb_launch *launch = wb_launch_new();
    wb_diagnostics *d = trial->diagnostics;
    bool made = wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, d) == WB_OK &&
                wb_launch_set_block(launch, (const uint32_t[3]){64, 1, 1}, d) == WB_OK &&
                wb_launch_add_argument(launch, input, d) == WB_OK &&
                wb_launch_add_argument(launch, "buf:u32[256]=zero", d) == WB_OK;
    if (!made) fail_msg("%s", wb_diagnostics_text(d));
    return launch;
}

static void trial_free(struct trial *trial) {
    for (uint32_t d = 0; d < DATA_SEEDS; d++)
        wb_block_free(trial->real[d]);
    wb_block_free(trial->covering);
    wb_facts_free(trial->facts);
    observed_flow_free(&trial->flow);
    wb_module_free(trial->module);
    wb_diagnostics_free(trial->diagnostics);
    free(trial->ptx);
}

/* Executes the kernel on the data of each seed. Values that lanes give that are not there make it fail. */
static void execute(struct trial *trial, uint64_t seed) {
    const wb_trace_options options = {
        .size = sizeof options, .record_accesses = true, .instruction_limit = INSTRUCTIONS};
    for (uint32_t d = 0; d < DATA_SEEDS; d++) {
        char input[64];
        (void)snprintf(input, sizeof input, "buf:u32[64]=random(%llu)",
                       (unsigned long long)(seed * DATA_SEEDS + d));
        wb_launch *launch = launch_of(trial, input);
        wb_diagnostics *messages = wb_diagnostics_new();
        if (wb_block_trace(trial->kernel, launch, &options, messages, &trial->real[d]) != WB_OK)
            trial->real[d] = NULL;
        wb_diagnostics_free(messages);
        wb_launch_free(launch);
    }
}

/* ---- Facts --------------------------------------------------------------------------------------------- */

/* Raises *most to the most passes of a label by a lane of a path between passes of another; with per ==
 * UINT32_MAX in all. Instructions are those of paths. */
static void count_passes(const struct path *path, uint32_t at, uint32_t per, uint32_t *most) {
    struct path_cursor cursor = path_begin(path);
    uint32_t passes[WARP_LANES] = {0};
    struct path_step step;
    while (path_next(&cursor, &step)) {
        if (step.instruction != at && step.instruction != per) continue;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            if ((step.mask >> lane & 1) == 0) continue;
            passes[lane] = step.instruction == per ? 0 : passes[lane] + 1;
            if (passes[lane] > *most) *most = passes[lane];
        }
    }
}

static uint32_t most_passes(const struct trial *trial, uint32_t at, uint32_t per) {
    uint32_t most = 0;
    for (uint32_t d = 0; d < DATA_SEEDS; d++) {
        const struct wb_block *block = trial->real[d];
        if (block == NULL) continue;
        const uint32_t first = block->code_first[block->kernel->function];
        for (size_t p = 0; p < block->paths.count; p++)
            count_passes(&block->paths.items[p], first + at, per == UINT32_MAX ? per : first + per, &most);
    }
    return most;
}

/* Blocks as facts name them: by the first label of an instruction. NULL: no label that is one of a block. */
static const char *label_at(const struct trial *trial, uint32_t inst) {
    const struct ptx_function *function = trial->function;
    for (uint32_t i = 0; i < function->label_count; i++)
        if (function->labels[i].target == inst && function->labels[i].name[0] == 'B')
            return function->labels[i].name;
    return NULL;
}

/* States that no execution comes to some of the labels that none came to, which are marked. */
static void put_never(const struct trial *trial, bool *never, struct text *facts) {
    for (uint32_t i = 0; i < trial->function->inst_count; i++) {
        const char *name = label_at(trial, i);
        never[i] = name != NULL && most_passes(trial, i, UINT32_MAX) == 0;
        if (never[i]) text_printf(facts, "never %s;\n", name);
    }
}

static void put_limits(const struct trial *trial, const bool *never, struct text *facts) {
    const struct loops *loops = &trial->flow.loops;
    uint64_t *most = calloc(loops->count + 1, sizeof *most);
    assert_non_null(most);
    for (uint32_t d = 0; d < DATA_SEEDS; d++)
        for (uint32_t w = 0; trial->real[d] != NULL && w < trial->real[d]->warp_count; w++)
            observe_headers(trial->real[d], w, &trial->flow, most);
    for (uint32_t l = 0; l < loops->count; l++) {
        const uint32_t header = trial->flow.cfg.blocks[loops->items[l].header].first;
        if (!never[header])
            text_printf(facts, "loop %s <= %llu;\n", label_at(trial, header),
                        (unsigned long long)(most[l] == 0 ? 1 : most[l]));
    }
    free(most);
}

/* States how often one label is passed between passes of another. */
static void put_per(const struct trial *trial, const bool *never, struct random_state *random,
                    struct text *facts) {
    const uint32_t count = trial->function->inst_count;
    uint32_t labels[2], found = 0;
    for (uint32_t tries = 0; tries < 200 && found < 2; tries++) {
        const uint32_t inst = (uint32_t)random_below(random, count);
        if (label_at(trial, inst) == NULL || never[inst] || (found == 1 && labels[0] == inst)) continue;
        labels[found++] = inst;
    }
    if (found == 2)
        text_printf(facts, "at most %u of %s per %s;\n", most_passes(trial, labels[0], labels[1]),
                    label_at(trial, labels[0]), label_at(trial, labels[1]));
}

/* States what the executions allow: limits of all loops, and at times more. */
static void make_facts(struct trial *trial, struct random_state *random) {
    struct text text = {0};
    uint64_t checksum;
    bool *never = calloc(trial->function->inst_count + 1, sizeof *never);
    assert_non_null(never);
    assert_int_equal(facts_checksum(trial->kernel, &checksum), WB_OK);
    facts_put_header(trial->kernel, checksum, &text);
    if (random_below(random, 3) == 0) put_never(trial, never, &text);
    put_limits(trial, never, &text);
    if (random_below(random, 2) == 0) put_per(trial, never, random, &text);
    char *file = text_take(&text);
    if (wb_facts_parse("random.facts", file, strlen(file), trial->kernel, trial->diagnostics,
                       &trial->facts) != WB_OK)
        fail_msg("%s\n%s\n%s", trial->ptx, file, wb_diagnostics_text(trial->diagnostics));
    free(file);
    free(never);
}

/* ---- What is checked ----------------------------------------------------------------------------------- */

/* The first execution that a covering block does not cover; DATA_SEEDS: none. */
static uint32_t uncovered(const struct trial *trial) {
    for (uint32_t d = 0; d < DATA_SEEDS; d++)
        for (uint32_t w = 0; trial->real[d] != NULL && w < trial->real[d]->warp_count; w++)
            if (!warp_is_covered(trial->covering, trial->real[d], w)) return d;
    return DATA_SEEDS;
}

/* Covers the executions, if there are any: facts that are of them are not wrong then. Covering paths may be
 * declined, or be too long. Returns whether they are there. */
static bool check_covering(struct trial *trial, uint64_t seed) {
    const wb_trace_options options = {.size = sizeof options,
                                      .record_accesses = true,
                                      .cover = true,
                                      .facts = trial->facts,
                                      .instruction_limit = INSTRUCTIONS};
    wb_launch *launch = launch_of(trial, "buf:u32[64]");
    wb_status status = wb_block_trace(trial->kernel, launch, &options, trial->diagnostics, &trial->covering);
    wb_launch_free(launch);
    bool executed = false;
    for (uint32_t d = 0; d < DATA_SEEDS; d++)
        executed |= trial->real[d] != NULL;
    const uint32_t first = status == WB_OK ? uncovered(trial) : DATA_SEEDS;
    if (first != DATA_SEEDS || (executed && status == WB_ERR_INPUT))
        fail_msg("seed %llu: status %d, data %u not covered\n%s\n%s\n%s", (unsigned long long)seed, status,
                 first, trial->ptx, trial->facts->source.text, wb_diagnostics_text(trial->diagnostics));
    return status == WB_OK;
}

/* Whether the kernel of a seed has covering paths; they hold. */
static bool check(uint64_t seed) {
    struct trial trial = {.diagnostics = wb_diagnostics_new()};
    struct random_state random = random_seeded(~seed);
    const struct random_flow_shape shape = {.blocks = 3 + (uint32_t)random_below(&random, 8),
                                            .back_edges = 1 + (uint32_t)random_below(&random, 5),
                                            .operations = 1 + (uint32_t)random_below(&random, 5),
                                            .ends = random_below(&random, 3) == 0,
                                            .calls = random_below(&random, 3) == 0,
                                            .barriers = random_below(&random, 6) == 0};
    struct text ptx = {0};
    random_flow_put(seed, &shape, &ptx);
    trial.ptx = text_take(&ptx);
    if (wb_module_parse("random.ptx", trial.ptx, strlen(trial.ptx), trial.diagnostics, &trial.module) !=
            WB_OK ||
        wb_module_find_kernel(trial.module, "k", trial.diagnostics, &trial.kernel) != WB_OK)
        fail_msg("%s\n%s", trial.ptx, wb_diagnostics_text(trial.diagnostics));
    trial.function = kernel_function(trial.kernel);
    observed_flow_make(trial.function, &trial.flow);
    execute(&trial, seed);
    make_facts(&trial, &random);
    const bool covered = check_covering(&trial, seed);
    trial_free(&trial);
    return covered;
}

static void executions_are_covered(void **state) {
    (void)state;
    const uint32_t kernels = random_rounds(3000);
    uint32_t covered = 0;
    for (uint64_t seed = 0; seed < kernels; seed++)
        covered += check(seed);
    assert_true(covered > kernels / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(executions_are_covered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
