#include "steered_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "gpu_record.h"
#include "memory/caches/caches.h"
#include "memory/caches/misses.h"
#include "random_policy.h"
#include "steered_machine.h"

/* Larger ones are left out. */
#define COVERING_INSTRUCTIONS 40000u
#define RAISED_INSTRUCTIONS 1500000u /* of covering paths that repeat iterations */
#define REAL_INSTRUCTIONS 20000u

/* A case that was made. */
struct trial {
    const struct steered_case *of;
    struct steered_census *census;
    struct text *violation;
    wb_diagnostics *diagnostics;
    const struct steered_kernel *kernel;
    const wb_machine *machine;
    wb_module *module;
    const wb_kernel *parsed;
    wb_facts *facts;
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

static bool trial_parse(struct trial *trial) {
    const char *ptx = trial->kernel->ptx;
    if (wb_module_parse("steered.ptx", ptx, strlen(ptx), trial->diagnostics, &trial->module) != WB_OK ||
        wb_module_find_kernel(trial->module, "k", trial->diagnostics, &trial->parsed) != WB_OK)
        return violated(trial, "the kernel does not parse");
    trial->facts = steered_kernel_facts(trial->kernel, trial->parsed, trial->diagnostics);
    return trial->facts != NULL || violated(trial, "the facts are not read");
}

/* The contents of an execution. */
static void data_of(const struct steered_case *of, uint32_t d, uint32_t data[STEERED_DATA]) {
    steered_data_make(of->seed * STEERED_EXECUTIONS + d, data);
}

static wb_launch *launch_of(const struct trial *trial, uint32_t d) {
    uint32_t data[STEERED_DATA];
    data_of(trial->of, d, data);
    return steered_kernel_launch(trial->kernel, data);
}

/* ---- What is said ------------------------------------------------------------------------------------- */

static uint64_t limit_of(const struct trial *trial) {
    return trial->kernel->raised ? RAISED_INSTRUCTIONS : COVERING_INSTRUCTIONS;
}

/* The grid of all executions, or NULL where it is not covered. */
static bool cover_grid(struct trial *trial, wb_grid **grid) {
    const bool forget = trial->of->seed % 2 == 0; /* two ways to the same */
    const wb_grid_options options = {.size = sizeof options,
                                     .cover = true,
                                     .unknown_contents = forget,
                                     .record_accesses = true,
                                     .facts = trial->facts,
                                     .instruction_limit = limit_of(trial)};
    wb_launch *launch = steered_kernel_launch(trial->kernel, NULL);
    wb_status status = wb_grid_trace(trial->parsed, launch, &options, trial->diagnostics, grid);
    wb_launch_free(launch);
    trial->census->covered += status == WB_OK;
    return status != WB_ERR_INPUT || violated(trial, "the grid is not covered: status %d", status);
}

/* The same of one block by itself. */
static bool cover_block(struct trial *trial, uint32_t block, wb_block **covering) {
    const wb_trace_options options = {.size = sizeof options,
                                      .cover = true,
                                      .unknown_contents = true,
                                      .record_accesses = true,
                                      .facts = trial->facts,
                                      .block = {block},
                                      .instruction_limit = limit_of(trial)};
    wb_launch *launch = steered_kernel_launch(trial->kernel, NULL);
    wb_status status = wb_block_trace(trial->parsed, launch, &options, trial->diagnostics, covering);
    wb_launch_free(launch);
    return status != WB_ERR_INPUT || violated(trial, "block %u is not covered: status %d", block, status);
}

/* Bounds by all methods that do not search for long, or NULL where none is for it. */
static bool bounded(struct trial *trial, wb_status made, wb_analysis **analysis) {
    if (made == WB_ERR_INPUT) return violated(trial, "the analysis fails");
    if (made != WB_OK) {
        *analysis = NULL;
        return true;
    }
    wb_status status = wb_analysis_scope(*analysis) == WB_SCOPE_KERNEL
                           ? analysis_bound_kernel(*analysis, NULL, trial->diagnostics)
                           : wb_analysis_bound(*analysis, "sib,fib,aln,fifo,elb", NULL, trial->diagnostics);
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

#define SMS_MAX 16u

/* Analyses by scheme; NULL: nothing is said. */
struct claims {
    wb_analysis *grid[ANALYSED_SCHEMES];
    wb_analysis *block;
    struct timed_grid timed; /* of the grid, for: */
    struct must_hits hits[SMS_MAX];
    uint32_t resident;  /* blocks of an SM under reordering, where the order is known; else 0 */
    uint32_t hit_count; /* 0: nothing is said of hits; 1: the same of every SM; else of each */
};

static void claims_free(struct claims *claims) {
    for (size_t i = 0; i < ANALYSED_SCHEMES; i++)
        wb_analysis_free(claims->grid[i]);
    wb_analysis_free(claims->block);
    for (uint32_t s = 0; s < SMS_MAX; s++)
        must_hits_free(&claims->hits[s]);
    timed_grid_free(&claims->timed);
}

/* Whether the order of accesses under reordering is known. */
static void claim_order(struct trial *trial, struct claims *claims) {
    wb_diagnostics *messages = wb_diagnostics_new();
    if (claims->timed.grid->cover.covers &&
        order_resident_blocks(&claims->timed.traffic, messages, &claims->resident) != WB_OK)
        claims->resident = 0;
    trial->census->ordered += claims->resident > 0;
    wb_diagnostics_free(messages);
}

/* What is said of hits in a grid. */
static bool claim_hits(struct trial *trial, const wb_grid *grid, struct claims *claims) {
    const struct machine_memory *memory = &trial->machine->memory;
    const bool is_static = memory->dispatch == DISPATCH_STATIC;
    wb_status status = timed_grid_make(grid, trial->machine, trial->diagnostics, &claims->timed);
    for (uint32_t s = 0; status == WB_OK && s < (is_static ? memory->sms : 1); s++) {
        const struct sm_share share = {
            .sm = s, .sms = is_static ? memory->sms : 1, .resident = trial->machine->limits.blocks};
        status = must_hits_make(&claims->timed.traffic, &claims->timed.code, &share, trial->diagnostics,
                                &claims->hits[s]);
        claims->hit_count++;
    }
    if (status == WB_OK) claim_order(trial, claims);
    if (status == WB_OK) return true;
    claims->hit_count = 0;
    return status != WB_ERR_INPUT || violated(trial, "nothing is said of hits");
}

static bool has_caches(const struct trial *trial) {
    return trial->machine->memory.l1.bytes > 0;
}

/* What is said of a grid under every scheme. */
static bool claim_grid(struct trial *trial, const wb_grid *grid, struct claims *claims) {
    bool holds = true;
    for (size_t i = 0; holds && i < (has_caches(trial) ? ANALYSED_SCHEMES : 1); i++) {
        wb_analysis **analysis = &claims->grid[i];
        wb_status status =
            i == 0 ? analysis_new_kernel(grid, trial->machine, NULL, NULL, trial->diagnostics, analysis)
                   : analysis_new_grid(grid, trial->machine, analysed[i], trial->diagnostics, analysis);
        holds = bounded(trial, status, analysis);
    }
    if (holds && has_caches(trial)) holds = claim_hits(trial, grid, claims);
    return holds;
}

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

/* Requests of an instruction's loads on an SM. */
struct load_counts {
    uint64_t loads, misses, late; /* late: the data has not come */
};

/* What one SM did against what is said of it. */
static bool sm_hits_hold(struct trial *trial, const struct must_hits *said, const struct gpu_sm_record *sm,
                         struct load_counts *counts, const char *what, uint32_t count) {
    uint64_t misses = 0;
    memset(counts, 0, count * sizeof *counts);
    for (size_t i = 0; i < sm->turns.count; i++) {
        const struct sm_access *turn = &sm->turns.items[i];
        if (turn->kind != TRAFFIC_LOAD) continue;
        counts[turn->instruction].loads++;
        counts[turn->instruction].misses += turn->outcome == L1_MISS;
        counts[turn->instruction].late += turn->outcome != L1_HIT;
        misses += turn->outcome == L1_MISS;
    }
    if (misses > said->misses.load_misses)
        return violated(trial, "%s: %" PRIu64 " loads of an SM miss, at most %" PRIu64 " are said to", what,
                        misses, said->misses.load_misses);
    for (uint32_t i = 0; i < count; i++) {
        const struct hit_counts *of = &said->instructions[i];
        trial->census->loads += counts[i].loads;
        trial->census->sure_loads += of->must_hits;
        if (counts[i].loads > of->loads || counts[i].misses > of->loads - of->must_hits ||
            counts[i].late > of->loads - of->must_data)
            return violated(trial,
                            "%s: instruction %u makes %" PRIu64 " requests, %" PRIu64 " miss, %" PRIu64
                            " come late; of %" PRIu64 ", %" PRIu64 " are said to hit, %" PRIu64 " at once",
                            what, i, counts[i].loads, counts[i].misses, counts[i].late, of->loads,
                            of->must_hits, of->must_data);
    }
    return true;
}

/* What all SMs did. */
static bool hits_hold(struct trial *trial, const struct claims *claims, const struct gpu_record *run,
                      const char *what) {
    const uint32_t count = claims->timed.grid == NULL ? 0 : claims->timed.grid->instruction_count;
    struct load_counts *counts = calloc(count + 1, sizeof *counts);
    uint64_t at_most = 0;
    bool holds = true;
    if (counts == NULL) abort();
    for (uint32_t s = 0; holds && claims->hit_count > 0 && s < run->sm_count; s++)
        holds = sm_hits_hold(trial, &claims->hits[claims->hit_count == 1 ? 0 : s], &run->sms[s], counts, what,
                             count);
    for (uint32_t s = 0; s < claims->hit_count; s++)
        at_most += claims->hits[s].misses.load_misses_spread;
    if (holds && claims->hit_count > 0 && run->result.misses > at_most)
        holds = violated(trial, "%s: %" PRIu64 " loads miss, at most %" PRIu64 " are said to", what,
                         run->result.misses, at_most);
    free(counts);
    return holds;
}

/* One simulation against what is said, of all data and of these. */
static bool run_holds(struct trial *trial, const struct timed_grid *timed, const struct claims *claims,
                      const struct claims *known, bool alone, uint32_t d, uint32_t s) {
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
        if (!alone)
            holds = holds && hits_hold(trial, claims, &run, "of all data") &&
                    hits_hold(trial, known, &run, "of known data");
        if (holds && !alone && scheme.reorder && claims->resident > 0 &&
            !steered_order_holds(&claims->timed, claims->resident, &run, &trial->census->order))
            holds = violated(trial, "data %u: the order under reordering, or what it finds, is another", d);
        for (size_t i = 0; holds && !alone && i < ANALYSED_SCHEMES; i++)
            if (strcmp(analysed[i], scheme.name) == 0)
                holds =
                    (claims->grid[i] == NULL || bounds_hold(trial, claims->grid[i], "the grid", d, &run)) &&
                    (known->grid[i] == NULL ||
                     bounds_hold(trial, known->grid[i], "the grid of known data", d, &run));
    }
    gpu_record_free(&run);
    return holds;
}

static bool runs_hold(struct trial *trial, const struct claims *claims, const wb_grid_options *options,
                      uint32_t d) {
    struct timed_grid timed;
    struct claims known = {0};
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
    if (holds && d == 0 && !options->one_block) holds = claim_grid(trial, real, &known);
    for (uint32_t s = 0; status == WB_OK && holds && s < SCHEMES; s++)
        if (has_caches(trial) || strcmp(schemes[s].name, "default") == 0)
            holds = run_holds(trial, &timed, claims, &known, options->one_block, d, s);
    claims_free(&known);
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
    const wb_grid_options whole = {.size = sizeof whole, .instruction_limit = REAL_INSTRUCTIONS};
    const wb_grid_options alone = {
        .size = sizeof alone, .one_block = true, .block = {block}, .instruction_limit = REAL_INSTRUCTIONS};
    bool of_grid = false, holds = true;
    for (size_t i = 0; i < ANALYSED_SCHEMES; i++)
        of_grid = says_something(claims->grid[i], &trial->census->bounds) || of_grid;
    of_grid = of_grid || claims->hit_count > 0;
    trial->census->bounded += of_grid;
    const bool of_block = says_something(claims->block, &trial->census->block_bounds);
    for (uint32_t d = 0; holds && d < STEERED_EXECUTIONS; d++) {
        if ((trial->of->data >> d & 1) != 0) continue;
        if (of_grid || d == 0) holds = runs_hold(trial, claims, &whole, d);
        if (holds && of_block) holds = runs_hold(trial, claims, &alone, d);
    }
    return holds;
}

/* ---- Cases -------------------------------------------------------------------------------------------- */

static bool trial_holds(struct trial *trial) {
    const uint32_t number = (uint32_t)(trial->of->seed % trial->kernel->blocks);
    struct claims claims = {0};
    wb_grid *grid = NULL;
    wb_block *block = NULL;
    bool holds = trial_parse(trial) && cover_grid(trial, &grid) && cover_block(trial, number, &block);
    if (holds && grid != NULL) holds = claim_grid(trial, grid, &claims);
    if (holds && block != NULL)
        holds = bounded(trial, wb_analysis_new(block, trial->machine, trial->diagnostics, &claims.block),
                        &claims.block);
    holds = holds && executions_hold(trial, &claims, number);
    claims_free(&claims);
    wb_grid_free(grid);
    wb_block_free(block);
    return holds;
}

static bool check(struct trial *trial) {
    trial->diagnostics = wb_diagnostics_new();
    trial->census->kernels++;
    const bool holds = trial_holds(trial);
    wb_facts_free(trial->facts);
    wb_module_free(trial->module);
    wb_diagnostics_free(trial->diagnostics);
    return holds;
}

bool steered_check_kernel(const struct steered_kernel *kernel, const wb_machine *machine, uint64_t seed,
                          struct steered_census *census, struct text *violation) {
    const struct steered_case of = {.seed = seed};
    struct trial trial = {
        .of = &of, .census = census, .violation = violation, .kernel = kernel, .machine = machine};
    return check(&trial);
}

/* What a case stands for. */
static void case_make(const struct steered_case *input_dependent, struct steered_kernel *kernel,
                      wb_machine **machine) {
    steered_kernel_make(input_dependent->seed, input_dependent->omitted, kernel);
    if (input_dependent->blocks != 0) kernel->blocks = input_dependent->blocks;
    *machine = steered_machine_make(input_dependent->seed, input_dependent->simple);
}

bool steered_check(const struct steered_case *input_dependent, struct steered_census *census,
                   struct text *violation) {
    struct steered_kernel kernel;
    wb_machine *machine;
    case_make(input_dependent, &kernel, &machine);
    struct trial trial = {.of = input_dependent,
                          .census = census,
                          .violation = violation,
                          .kernel = &kernel,
                          .machine = machine};
    const bool holds = check(&trial);
    wb_machine_free(machine);
    steered_kernel_free(&kernel);
    return holds;
}

static bool still_fails(const struct steered_case *input_dependent) {
    struct steered_census census = {0};
    struct text violation = {0};
    const bool holds = steered_check(input_dependent, &census, &violation);
    text_free(&violation);
    return !holds;
}

void steered_case_shrink(struct steered_case *input_dependent) {
    struct steered_kernel kernel;
    for (uint32_t d = 0; d < STEERED_EXECUTIONS; d++) {
        struct steered_case smaller = *input_dependent;
        smaller.data |= 1u << d;
        if (still_fails(&smaller)) *input_dependent = smaller;
    }
    steered_kernel_make(input_dependent->seed, input_dependent->omitted, &kernel);
    const uint32_t statements = kernel.statements, blocks = kernel.blocks;
    steered_kernel_free(&kernel);
    for (uint32_t i = 0; i < statements && i < STEERED_STATEMENTS_MAX; i++) {
        struct steered_case smaller = *input_dependent;
        smaller.omitted[i] = true;
        if (still_fails(&smaller)) *input_dependent = smaller;
    }
    for (uint32_t group = 0; group < STEERED_MACHINE_GROUPS; group++) {
        struct steered_case smaller = *input_dependent;
        smaller.simple |= 1u << group;
        if (still_fails(&smaller)) *input_dependent = smaller;
    }
    for (uint32_t b = blocks - 1; b >= 1; b--) {
        struct steered_case smaller = *input_dependent;
        smaller.blocks = b;
        if (still_fails(&smaller)) *input_dependent = smaller;
    }
}

static void put_launch(const struct steered_kernel *kernel, uint32_t scalar, bool files, struct text *out) {
    text_printf(out, "grid: %u\nblock: %u\nassume: [all]\narguments:\n", kernel->blocks, kernel->threads);
    text_printf(out, "  - 'buf:u32[%u]%s'\n  - 'buf:u32[%u]+%u%s'\n  - 'u32:%u'\n", kernel->table,
                files ? "=@table.bin" : "", kernel->other + kernel->behind, kernel->behind,
                files ? "=@other.bin" : "", scalar);
    if (files) text_printf(out, "variables: {data: 'u32[%u]=@data.bin'}\n", STEERED_DATA);
}

static void put_machine(const wb_machine *machine, struct text *out) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *text = NULL;
    if (wb_machine_print(machine, diagnostics, &text) != WB_OK) abort();
    text_string(out, text);
    free(text);
    wb_diagnostics_free(diagnostics);
}

void steered_case_print(const struct steered_case *input_dependent, struct text *out) {
    struct steered_kernel kernel;
    wb_machine *machine;
    case_make(input_dependent, &kernel, &machine);
    text_printf(out, "%s\n", kernel.ptx);
    put_launch(&kernel, 0, false, out);
    steered_kernel_put_facts(&kernel, out);
    put_machine(machine, out);
    wb_machine_free(machine);
    steered_kernel_free(&kernel);
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

bool steered_case_write(const struct steered_case *input_dependent, const char *folder, struct text *out) {
    struct steered_kernel kernel;
    wb_machine *machine;
    struct text launch = {0}, facts = {0}, keys = {0};
    uint32_t data[STEERED_DATA], d = 0;
    case_make(input_dependent, &kernel, &machine);
    while (d + 1 < STEERED_EXECUTIONS && (input_dependent->data >> d & 1) != 0)
        d++;
    data_of(input_dependent, d, data);
    put_launch(&kernel, data[STEERED_DATA - 1], true, &launch);
    steered_kernel_put_facts(&kernel, &facts);
    put_machine(machine, &keys);
    bool written = write_file(folder, "k.ptx", kernel.ptx, strlen(kernel.ptx));
    written = write_text(folder, "k.yaml", &launch) && written;
    written = write_text(folder, "k.limits", &facts) && written;
    written = write_text(folder, "machine.yaml", &keys) && written;
    written = written && write_file(folder, "data.bin", data, sizeof data) &&
              write_file(folder, "table.bin", data + 7, kernel.table * sizeof *data) &&
              write_file(folder, "other.bin", data + 300, (kernel.other + kernel.behind) * sizeof *data);
    text_printf(out,
                "cd %s && warpbound facts k.ptx -l k.yaml > k.facts  # then the limits of k.limits\n"
                "warpbound analyze k.ptx -l k.yaml --inputs any --facts k.facts -m machine.yaml\n"
                "warpbound simulate k.ptx -l k.yaml -m machine.yaml\n",
                folder);
    wb_machine_free(machine);
    steered_kernel_free(&kernel);
    return written;
}
