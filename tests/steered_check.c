#include "steered_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis.h"
#include "gpu_record.h"
#include "random_policy.h"
#include "steered_machine.h"

/* Larger ones are left out. */
#define COVERING_INSTRUCTIONS 40000u
#define REAL_INSTRUCTIONS 20000u

/* A case that was made. */
struct trial {
    const struct steered_case *of;
    struct steered_census *census;
    struct text *violation;
    wb_diagnostics *diagnostics;
    struct steered_kernel kernel;
    wb_module *module;
    const wb_kernel *parsed;
    wb_facts *facts;
    wb_machine *machine;
};

static bool violated(struct trial *trial, const char *format, ...) {
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_printf(trial->violation, "seed %" PRIu64 ": %s\n%s", trial->of->seed, message,
                wb_diagnostics_text(trial->diagnostics));
    return false;
}

static void trial_begin(struct trial *trial) {
    trial->diagnostics = wb_diagnostics_new();
    steered_kernel_make(trial->of->seed, trial->of->omitted, &trial->kernel);
    if (trial->of->blocks != 0) trial->kernel.blocks = trial->of->blocks;
    trial->machine = steered_machine_make(trial->of->seed, trial->of->simple);
}

static bool trial_parse(struct trial *trial) {
    const char *ptx = trial->kernel.ptx;
    if (wb_module_parse("steered.ptx", ptx, strlen(ptx), trial->diagnostics, &trial->module) != WB_OK ||
        wb_module_find_kernel(trial->module, "k", trial->diagnostics, &trial->parsed) != WB_OK)
        return violated(trial, "the kernel does not parse");
    trial->facts = steered_kernel_facts(&trial->kernel, trial->parsed, trial->diagnostics);
    return trial->facts != NULL || violated(trial, "the facts are not read");
}

static void trial_end(struct trial *trial) {
    wb_facts_free(trial->facts);
    wb_module_free(trial->module);
    wb_machine_free(trial->machine);
    wb_diagnostics_free(trial->diagnostics);
    steered_kernel_free(&trial->kernel);
}

/* The contents of an execution. */
static void data_of(const struct steered_case *of, uint32_t d, uint32_t data[STEERED_DATA]) {
    steered_data_make(of->seed * STEERED_EXECUTIONS + d, data);
}

static wb_launch *launch_of(const struct trial *trial, uint32_t d) {
    uint32_t data[STEERED_DATA];
    data_of(trial->of, d, data);
    return steered_kernel_launch(&trial->kernel, data);
}

/* ---- What is said ------------------------------------------------------------------------------------- */

/* The grid of all executions, or NULL where it is not covered. */
static bool cover_grid(struct trial *trial, wb_grid **grid) {
    const bool forget = trial->of->seed % 2 == 0; /* two ways to the same */
    const wb_grid_options options = {.cover = true,
                                     .unknown_contents = forget,
                                     .record_accesses = true,
                                     .facts = trial->facts,
                                     .instruction_limit = COVERING_INSTRUCTIONS};
    wb_launch *launch = steered_kernel_launch(&trial->kernel, NULL);
    wb_status status = wb_grid_trace(trial->parsed, launch, &options, trial->diagnostics, grid);
    wb_launch_free(launch);
    trial->census->covered += status == WB_OK;
    return status != WB_ERR_INPUT || violated(trial, "the grid is not covered: status %d", status);
}

/* The same of one block by itself. */
static bool cover_block(struct trial *trial, uint32_t block, wb_block **covering) {
    const wb_trace_options options = {.cover = true,
                                      .unknown_contents = true,
                                      .record_accesses = true,
                                      .facts = trial->facts,
                                      .block = {block},
                                      .instruction_limit = COVERING_INSTRUCTIONS};
    wb_launch *launch = steered_kernel_launch(&trial->kernel, NULL);
    wb_status status = wb_block_trace(trial->parsed, launch, &options, trial->diagnostics, covering);
    wb_launch_free(launch);
    return status != WB_ERR_INPUT || violated(trial, "block %u is not covered: status %d", block, status);
}

/* Bounds by all methods, or NULL where none is for it. */
static bool bounded(struct trial *trial, wb_status made, wb_analysis **analysis) {
    if (made == WB_ERR_INPUT) return violated(trial, "the analysis fails");
    if (made != WB_OK) {
        *analysis = NULL;
        return true;
    }
    wb_status status = wb_analysis_bound(*analysis, "all", NULL, trial->diagnostics);
    return status != WB_ERR_INPUT || violated(trial, "the bounds fail");
}

/* ---- What is executed --------------------------------------------------------------------------------- */

/* Schemes with their policies; a policy by chance stands in for NULL. */
static const struct gpu_scheme schemes[] = {
    {.name = "default", .policy = &policy_lrr},
    {.name = "default", .policy = &policy_gto},
    {.name = "default", .policy = &policy_oldest},
    {.name = "default"},
    {.name = "default"},
    {.name = "pure-rr", .policy = &policy_rr},
    {.name = "reorder", .policy = &policy_lrr, .reorder = true},
    {.name = "reorder", .reorder = true},
};

enum { SCHEMES = sizeof schemes / sizeof *schemes, ANALYSED_SCHEMES = 3 };

static const char *const analysed[ANALYSED_SCHEMES] = {"default", "pure-rr", "reorder"};

/* Analyses by scheme; NULL: nothing is said. */
struct claims {
    wb_analysis *grid[ANALYSED_SCHEMES];
    wb_analysis *block;
};

static bool bounds_hold(struct trial *trial, const wb_analysis *analysis, const char *what, uint32_t d,
                        const struct gpu_record *run) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t b = 0; b < count; b++) {
        if (bounds[b].kind != WB_UPPER && bounds[b].kind != WB_EXACT) continue;
        if (run->result.cycles > bounds[b].cycles)
            return violated(trial, "data %u: %s takes %" PRIu64 " under %s, %s; %s is %" PRIu64, d, what,
                            run->result.cycles, run->result.scheme, run->result.policy, bounds[b].method,
                            bounds[b].cycles);
        const uint64_t ratio = run->result.cycles * 1000 / (bounds[b].cycles + 1);
        trial->census->ratio_sum += ratio;
        trial->census->ratios++;
        if (ratio > trial->census->tightest_per_mille) trial->census->tightest_per_mille = ratio;
    }
    return true;
}

/* One simulation against what is said. */
static bool run_holds(struct trial *trial, const struct timed_grid *timed, const struct claims *claims,
                      bool alone, uint32_t d, uint32_t s) {
    const struct random_policy by_chance = random_policy_seeded(trial->of->seed + s);
    struct gpu_scheme scheme = schemes[s];
    struct gpu_record run;
    bool holds = true;
    if (scheme.policy == NULL) scheme.policy = &by_chance.policy;
    wb_status status = gpu_record_make(timed, &scheme, 1, trial->diagnostics, &run);
    if (status == WB_OK) {
        trial->census->simulations++;
        if (alone && strcmp(scheme.name, "default") == 0 && claims->block != NULL)
            holds = bounds_hold(trial, claims->block, "a block", d, &run);
        for (size_t i = 0; holds && !alone && i < ANALYSED_SCHEMES; i++)
            if (claims->grid[i] != NULL && strcmp(analysed[i], scheme.name) == 0)
                holds = bounds_hold(trial, claims->grid[i], "the grid", d, &run);
    }
    gpu_record_free(&run);
    return holds;
}

static bool runs_hold(struct trial *trial, const struct claims *claims, const wb_grid_options *options,
                      uint32_t d) {
    struct timed_grid timed;
    wb_grid *real = NULL;
    wb_launch *launch = launch_of(trial, d);
    bool holds = true;
    wb_status status = wb_grid_trace(trial->parsed, launch, options, trial->diagnostics, &real);
    wb_launch_free(launch);
    if (status == WB_ERR_LIMIT) return true;
    if (status != WB_OK) return violated(trial, "data %u is not executed: status %d", d, status);
    trial->census->executions++;
    status = timed_grid_make(real, trial->machine, trial->diagnostics, &timed);
    if (status == WB_ERR_INPUT) holds = violated(trial, "data %u is not timed", d);
    for (uint32_t s = 0; status == WB_OK && holds && s < SCHEMES; s++)
        holds = run_holds(trial, &timed, claims, options->one_block, d, s);
    timed_grid_free(&timed);
    wb_grid_free(real);
    return holds;
}

/* Whether anything is said. */
static bool says_something(const wb_analysis *analysis, uint64_t *bounds) {
    size_t count = 0, upper = 0;
    const wb_bound *items = analysis != NULL ? wb_analysis_bounds(analysis, &count) : NULL;
    for (size_t b = 0; b < count; b++)
        upper += items[b].kind == WB_UPPER || items[b].kind == WB_EXACT;
    *bounds += upper;
    return upper > 0;
}

static bool executions_hold(struct trial *trial, const struct claims *claims, uint32_t block) {
    const wb_grid_options whole = {.instruction_limit = REAL_INSTRUCTIONS};
    const wb_grid_options alone = {
        .one_block = true, .block = {block}, .instruction_limit = REAL_INSTRUCTIONS};
    bool of_grid = false, holds = true;
    for (size_t i = 0; i < ANALYSED_SCHEMES; i++)
        of_grid = says_something(claims->grid[i], &trial->census->bounds) || of_grid;
    trial->census->bounded += of_grid;
    const bool of_block = says_something(claims->block, &trial->census->block_bounds);
    for (uint32_t d = 0; holds && d < STEERED_EXECUTIONS; d++) {
        if ((trial->of->data >> d & 1) != 0) continue;
        if (of_grid) holds = runs_hold(trial, claims, &whole, d);
        if (holds && of_block) holds = runs_hold(trial, claims, &alone, d);
    }
    return holds;
}

/* ---- Cases -------------------------------------------------------------------------------------------- */

static bool trial_holds(struct trial *trial) {
    const uint32_t number = (uint32_t)(trial->of->seed % trial->kernel.blocks);
    struct claims claims = {0};
    wb_grid *grid = NULL;
    wb_block *block = NULL;
    bool holds = trial_parse(trial) && cover_grid(trial, &grid) && cover_block(trial, number, &block);
    for (size_t i = 0; holds && grid != NULL && i < ANALYSED_SCHEMES; i++) {
        wb_status status =
            i == 0 ? wb_analysis_new_kernel(grid, trial->machine, NULL, trial->diagnostics, &claims.grid[i])
                   : wb_analysis_new_grid(grid, trial->machine, analysed[i], trial->diagnostics,
                                          &claims.grid[i]);
        holds = bounded(trial, status, &claims.grid[i]);
    }
    if (holds && block != NULL)
        holds = bounded(trial, wb_analysis_new(block, trial->machine, trial->diagnostics, &claims.block),
                        &claims.block);
    holds = holds && executions_hold(trial, &claims, number);
    for (size_t i = 0; i < ANALYSED_SCHEMES; i++)
        wb_analysis_free(claims.grid[i]);
    wb_analysis_free(claims.block);
    wb_grid_free(grid);
    wb_block_free(block);
    return holds;
}

bool steered_check(const struct steered_case *steered, struct steered_census *census,
                   struct text *violation) {
    struct trial trial = {.of = steered, .census = census, .violation = violation};
    trial_begin(&trial);
    census->kernels++;
    const bool holds = trial_holds(&trial);
    trial_end(&trial);
    return holds;
}

static bool still_fails(const struct steered_case *steered) {
    struct steered_census census = {0};
    struct text violation = {0};
    const bool holds = steered_check(steered, &census, &violation);
    text_free(&violation);
    return !holds;
}

void steered_case_shrink(struct steered_case *steered) {
    struct steered_kernel kernel;
    for (uint32_t d = 0; d < STEERED_EXECUTIONS; d++) {
        struct steered_case smaller = *steered;
        smaller.data |= 1u << d;
        if (still_fails(&smaller)) *steered = smaller;
    }
    steered_kernel_make(steered->seed, steered->omitted, &kernel);
    const uint32_t statements = kernel.statements, blocks = kernel.blocks;
    steered_kernel_free(&kernel);
    for (uint32_t i = 0; i < statements && i < STEERED_STATEMENTS_MAX; i++) {
        struct steered_case smaller = *steered;
        smaller.omitted[i] = true;
        if (still_fails(&smaller)) *steered = smaller;
    }
    for (uint32_t group = 0; group < STEERED_MACHINE_GROUPS; group++) {
        struct steered_case smaller = *steered;
        smaller.simple |= 1u << group;
        if (still_fails(&smaller)) *steered = smaller;
    }
    for (uint32_t b = blocks - 1; b >= 1; b--) {
        struct steered_case smaller = *steered;
        smaller.blocks = b;
        if (still_fails(&smaller)) *steered = smaller;
    }
}

static void put_launch(const struct steered_kernel *kernel, uint32_t scalar, bool files, struct text *out) {
    text_printf(out, "grid: %u\nblock: %u\nassume: [all]\narguments:\n", kernel->blocks, kernel->threads);
    text_printf(out, "  - 'buf:u32[%u]%s'\n  - 'buf:u32[%u]%s'\n  - 'u32:%u'\n", kernel->table,
                files ? "=@table.bin" : "", kernel->other, files ? "=@other.bin" : "", scalar);
    if (files) text_printf(out, "variables: {data: 'u32[%u]=@data.bin'}\n", STEERED_DATA);
}

static void put_facts(const struct steered_kernel *kernel, struct text *out) {
    for (size_t i = 0; i < kernel->together.count; i++)
        text_printf(out, "together $L%u;\n", kernel->together.items[i]);
    for (size_t i = 0; i < kernel->loops.count; i++)
        text_printf(out, "loop $L%u <= %u;\n", kernel->loops.items[i].label, kernel->loops.items[i].headers);
}

static void put_machine(struct trial *trial, struct text *out) {
    char *machine = NULL;
    if (wb_machine_print(trial->machine, trial->diagnostics, &machine) != WB_OK) abort();
    text_string(out, machine);
    free(machine);
}

void steered_case_print(const struct steered_case *steered, struct text *out) {
    struct trial trial = {.of = steered};
    trial_begin(&trial);
    text_printf(out, "%s\n", trial.kernel.ptx);
    put_launch(&trial.kernel, 0, false, out);
    put_facts(&trial.kernel, out);
    put_machine(&trial, out);
    trial_end(&trial);
}

static bool write_file(const char *folder, const char *name, const void *bytes, size_t size) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return false;
    const bool written = size == 0 || fwrite(bytes, size, 1, file) == 1;
    return fclose(file) == 0 && written;
}

static bool write_text(const char *folder, const char *name, struct text *text) {
    const bool written = !text->failed && write_file(folder, name, text->data, text->length);
    text_free(text);
    return written;
}

bool steered_case_write(const struct steered_case *steered, const char *folder, struct text *out) {
    struct trial trial = {.of = steered};
    struct text launch = {0}, facts = {0}, machine = {0};
    uint32_t data[STEERED_DATA], d = 0;
    trial_begin(&trial);
    while (d + 1 < STEERED_EXECUTIONS && (steered->data >> d & 1) != 0)
        d++;
    data_of(steered, d, data);
    put_launch(&trial.kernel, data[STEERED_DATA - 1], true, &launch);
    put_facts(&trial.kernel, &facts);
    put_machine(&trial, &machine);
    const char *ptx = trial.kernel.ptx;
    bool written = write_file(folder, "k.ptx", ptx, strlen(ptx)) && write_text(folder, "k.yaml", &launch);
    written = write_text(folder, "k.limits", &facts) && written;
    written = write_text(folder, "machine.yaml", &machine) && written;
    written = written && write_file(folder, "data.bin", data, sizeof data) &&
              write_file(folder, "table.bin", data + 7, trial.kernel.table * sizeof *data) &&
              write_file(folder, "other.bin", data + 300, trial.kernel.other * sizeof *data);
    text_printf(out,
                "cd %s && warpbound facts k.ptx -l k.yaml > k.facts  # then the limits of k.limits\n"
                "warpbound analyze k.ptx -l k.yaml --inputs any --facts k.facts -m machine.yaml\n"
                "warpbound simulate k.ptx -l k.yaml -m machine.yaml\n",
                folder);
    trial_end(&trial);
    return written;
}
