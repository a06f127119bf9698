#include "bound/analysis/analysis.h"

#include <assert.h>
#include <string.h>

#include "base/choose.h"
#include "base/clock.h"
#include "bound/analysis/kernel_blocks.h"
#include "bound/cache/isolated_block.h"
#include "memory/requests/requests.h"
#include "sim/gpu/simulator.h"
#include "warp/timed/block_timing.h"
#include "warp/trace/grid_block.h"

/* Processor seconds of this thread so far. */
static double analysis_clock(void) {
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

wb_status analysis_no_memory(wb_diagnostics *diagnostics) {
    (void)diagnose_out_of_memory(diagnostics, "analysis");
    return WB_ERR_LIMIT;
}

wb_analysis *analysis_make(void) {
    wb_analysis *made = calloc(1, sizeof *made);
    if (made != NULL) made->state_limit = ANALYSIS_STATE_LIMIT;
    return made;
}

wb_status analysis_finish(wb_analysis *made, wb_status status, wb_diagnostics *diagnostics,
                          wb_analysis **analysis) {
    if (status == WB_OK && made->timed != NULL) {
        made->machine = made->timed->machine;
        status = timed_block_check(made->timed, diagnostics);
    }
    if (status == WB_OK) {
        *analysis = made;
    } else {
        wb_analysis_free(made);
    }
    return status;
}

wb_status analysis_of_timed(const struct timed_block *timed, wb_diagnostics *diagnostics,
                            wb_analysis **analysis) {
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    made->timed = timed;
    return analysis_finish(made, WB_OK, diagnostics, analysis);
}

wb_status analysis_of_synthetic(const struct synthetic_block *grid, const struct block_kind *kind,
                                size_t number, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    WB_TRY(analysis_of_timed(kind->timed, diagnostics, analysis));
    if (!memory_is_contended(&grid->machine.memory)) return WB_OK;
    (*analysis)->kind = SUBJECT_CONTENDED_BLOCK;
    return contended_block_by_hand(grid, number, diagnostics, &(*analysis)->contended);
}

/* Looks at a block as at a grid of its own, on a machine with caches. */
static wb_status analysis_lone_block(wb_analysis *made, const wb_machine *machine,
                                     wb_diagnostics *diagnostics, struct execution_cost *costs) {
    made->kind = SUBJECT_CACHED_BLOCK;
    WB_TRY(grid_from_block(made->block, diagnostics, &made->lone));
    WB_TRY(timed_grid_make(&made->lone, machine, diagnostics, &made->grid_times));
    WB_TRY(memory_work_make(&made->grid_times, gpu_scheme_at(0), diagnostics, &made->memory));
    return isolated_block_latencies(&made->memory, diagnostics, costs);
}

/* Gives a traced block times, with the transactions of its accesses where the machine counts them. */
static wb_status analysis_time_block(wb_analysis *made, const wb_machine *machine,
                                     wb_diagnostics *diagnostics) {
    struct execution_cost *costs;
    WB_TRY(wb_machine_check(machine, diagnostics));
    if (made->block->warp_width != machine->warp_width) {
        diagnose(
            diagnostics, SEVERITY_ERROR, machine->name,
            "warps of this machine have %u threads, those of the block %u: execute it with warp_width %u",
            machine->warp_width, made->block->warp_width, machine->warp_width);
        return WB_ERR_INPUT;
    }
    WB_TRY(access_costs_make(made->block, machine, diagnostics, &costs));
    wb_status status = WB_OK;
    if (memory_has_hierarchy(&machine->memory))
        status = analysis_lone_block(made, machine, diagnostics, costs);
    if (memory_is_contended(&machine->memory)) {
        assert(made->kind == SUBJECT_BLOCK); /* such a machine has no caches */
        made->kind = SUBJECT_CONTENDED_BLOCK;
        status = contended_block_make(made->block, machine, diagnostics, &made->contended);
    }
    if (status == WB_OK) status = timed_block_from(made->block, machine, costs, diagnostics, &made->own);
    free(costs);
    return status;
}

wb_status wb_analysis_new(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics,
                          wb_analysis **analysis) {
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    made->block = block;
    made->timed = &made->own;
    wb_status status = analysis_time_block(made, machine, diagnostics);
    return analysis_finish(made, status, diagnostics, analysis);
}

wb_status wb_analysis_new_grid(const wb_grid *grid, const wb_machine *machine, const char *scheme,
                               wb_diagnostics *diagnostics, wb_analysis **analysis) {
    size_t chosen;
    WB_TRY(choose_name("scheme", scheme, wb_scheme_name, diagnostics, &chosen));
    if (!memory_has_hierarchy(&machine->memory)) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "grids are analysed on machines with caches (l1_size); on this one analyse a block");
        return WB_ERR_INPUT;
    }
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    made->kind = SUBJECT_CACHED_GRID;
    made->machine = machine;
    wb_status status = timed_grid_make(grid, machine, diagnostics, &made->grid_times);
    if (status == WB_OK)
        status = memory_work_make(&made->grid_times, gpu_scheme_at(chosen), diagnostics, &made->memory);
    return analysis_finish(made, status, diagnostics, analysis);
}

void wb_analysis_free(wb_analysis *analysis) {
    if (analysis == NULL) return;
    kernel_blocks_free(analysis);
    wb_analysis_free(analysis->longest);
    wb_block_free(analysis->longest_block);
    grid_work_free(&analysis->work);
    grid_kinds_free(&analysis->kinds);
    if (analysis->prepared && analysis_is_block(analysis)) block_profile_free(&analysis->profile);
    timed_block_free(&analysis->own);
    synthetic_block_free(&analysis->by_hand);
    acta_warp_file_free(&analysis->abstract);
    memory_work_free(&analysis->memory);
    contended_block_free(&analysis->contended);
    timed_grid_free(&analysis->grid_times);
    grid_clear(&analysis->lone);
    vec_free(&analysis->bounds);
    vec_free(&analysis->simulations);
    method_log_free(&analysis->log);
    wb_analysis_free(analysis->owned.given);
    wb_grid_free(analysis->owned.grid);
    wb_block_free(analysis->owned.block);
    free(analysis);
}

/* What instruction fetch adds to a bound of the block; of a grid on a machine with caches to that of an SM
 * that gets its share of the blocks. */
static wb_status analysis_fetch_time(wb_analysis *analysis) {
    struct code_lines lines = {0};
    struct fetch_demand demand = {.lines = &lines, .sms = 1};
    wb_status status;
    if (analysis->timed != NULL) {
        demand.warps = analysis->timed->warp_count;
        status = code_fetches(analysis->timed, &demand.fetches);
        if (status == WB_OK) status = code_lines_add(&lines, analysis->timed);
    } else {
        const struct memory_work *work = &analysis->memory;
        const uint64_t share = cycles_ceiling(work->block_count, work->machine->memory.sms);
        demand.warps = (uint64_t)work->resident * analysis->grid_times.grid->warp_count;
        status = grid_fetches(&analysis->grid_times, &lines, &demand.fetches);
        demand.fetches = cycles_mul(demand.fetches, share);
    }
    if (status == WB_OK) analysis->fetch_time = fetch_time(&analysis->machine->fetch, &demand);
    code_lines_free(&lines);
    return status;
}

/* The phases, and fetch: shared by all methods, computed once. */
static wb_status analysis_prepare(wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics) {
    if (analysis->prepared || !(analysis_is_block(analysis) || analysis_has_caches(analysis))) return WB_OK;
    if (analysis_fetch_time(analysis) != WB_OK) return analysis_no_memory(diagnostics);
    if (analysis_is_block(analysis))
        WB_TRY(block_profile_make(analysis->timed, watch, diagnostics, &analysis->profile));
    analysis->prepared = true;
    return WB_OK;
}

/* Runs a method that applies, into *bound. */
static wb_status analysis_compute(const struct bound_method *method, const struct bound_input *input,
                                  wb_bound *bound) {
    wb_status status = method->run(input, bound);
    bool partial = status == WB_ERR_LIMIT && bound->kind == WB_LOWER && bound->cycles > 0;
    if (status != WB_OK && !partial) return status;
    if (input->block != NULL && !method->searches)
        bound->cycles = cycles_add(bound->cycles, profile_release_time(input->profile));
    if (input->memory != NULL && (method->needs & NEED_BLOCK) != 0)
        isolated_block_add_memory(method, input->memory, bound);
    if (input->load != NULL) contended_block_add(method, input->machine, input->load, bound);
    if (!method->searches) bound->cycles = cycles_add(bound->cycles, input->fetch_time);
    if (bound->cycles == CYCLES_SATURATED) {
        bound->cycles = 0;
        diagnose(input->diagnostics, SEVERITY_ERROR, method->name, "the bound does not fit 64 bits");
        return WB_ERR_LIMIT;
    }
    bound_qualify(input, bound);
    return status;
}

/* Runs a method that applies. One that a limit stopped has the message that says so for its reason. */
static wb_status analysis_run_admitted(wb_analysis *analysis, size_t index, const struct bound_input *input,
                                       double start, struct analysis_attempt *attempt) {
    wb_bound *bound = &attempt->bound;
    bound->method = bound_method_at(index)->name;
    wb_status status = analysis_compute(bound_method_at(index), input, bound);
    attempt->found = status == WB_OK || (bound->kind == WB_LOWER && bound->cycles > 0);
    if (attempt->found && status != WB_OK) bound->reason = method_reason(&analysis->log, input->diagnostics);
    bound->seconds = analysis_clock() - start;
    return status;
}

/* A block whose paths, if they are covering ones, are those of what is analysed; or NULL. */
static const struct wb_block *analysis_traced(const struct wb_analysis *analysis) {
    if (analysis->kind == SUBJECT_KERNEL) return analysis->work.covering;
    return analysis->timed == NULL ? NULL : analysis->timed->traced;
}

/* The flow facts of covering paths; NULL: the paths are real ones. */
static const struct facts_used *analysis_facts(const struct wb_analysis *analysis) {
    if (analysis_has_caches(analysis)) {
        const struct grid_covering *cover = &analysis->memory.timed->grid->cover;
        return cover->covers ? &cover->facts : NULL;
    }
    const struct wb_block *block = analysis_traced(analysis);
    return block != NULL && block->covering ? &block->facts : NULL;
}

/* What methods see of it. */
static struct bound_input analysis_input(wb_analysis *analysis, const struct analysis_request *request,
                                         wb_diagnostics *messages) {
    struct bound_input input = {.machine = analysis->machine,
                                .facts = analysis_facts(analysis),
                                .assumed = analysis_assumed(analysis),
                                .contended = analysis_is_contended(analysis),
                                .fetch_time = analysis->fetch_time,
                                .watch = request->watch,
                                .diagnostics = messages,
                                .results = &analysis->log.texts,
                                .budget = request->budget,
                                .together = &analysis->together};
    if (analysis_is_block(analysis)) {
        input.block = analysis->timed;
        input.profile = &analysis->profile;
    }
    if (analysis_has_caches(analysis)) {
        input.memory = &analysis->memory;
        input.scheme = analysis->memory.scheme;
        input.in_objects = analysis->memory.in_objects;
        input.registers_ignored = analysis->memory.registers_ignored;
    }
    if (analysis->kind == SUBJECT_CONTENDED_BLOCK) input.load = &analysis->contended.load;
    if (analysis->kind == SUBJECT_ABSTRACT_WARPS) input.abstract = &analysis->abstract.cta;
    if (analysis->kind == SUBJECT_KERNEL) {
        input.work = &analysis->work;
        input.grid = &analysis->grid_times;
    }
    return input;
}

wb_status analysis_try(wb_analysis *analysis, size_t index, const struct analysis_request *request,
                       wb_diagnostics *messages, struct analysis_attempt *attempt) {
    const struct bound_method *method = bound_method_at(index);
    const char *why;
    double start = analysis_clock();
    *attempt = (struct analysis_attempt){.found = false};
    WB_TRY(analysis_prepare(analysis, request->watch, messages));
    const struct bound_input input = analysis_input(analysis, request, messages);
    const bool applies = bound_method_applies(method, &input, &why);
    if (request->unasked && (!applies || (method->fits != NULL && !method->fits(&input))))
        return messages->no_memory ? WB_ERR_LIMIT : WB_OK;
    if (request->unasked && method->too_large != NULL && method->too_large(&input)) {
        if (messages->no_memory) return WB_ERR_LIMIT;
        attempt->left_out = "too large to be searched unless it is named";
        return WB_OK;
    }
    if (applies) return analysis_run_admitted(analysis, index, &input, start, attempt);
    diagnose(messages, SEVERITY_ERROR, method->name, "%s", why);
    return WB_ERR_DECLINED;
}

/* What methods are run for: an analysis, or, beside that of a kernel, its blocks by themselves. */
struct analysis_task {
    wb_analysis *analysis; /* that keeps the results */
    wb_analysis *kernel;   /* whose blocks they are of; or NULL */
    uint64_t *work_left;   /* of "all": by the number of a method, of its share; NULL: they are named */
};

/* Runs a method, of a kernel's blocks of all of them, and keeps its bound. */
static wb_status analysis_run_task(const struct analysis_task *task, size_t index,
                                   const struct analysis_request *request, wb_diagnostics *messages) {
    wb_analysis *analysis = task->analysis;
    struct analysis_attempt attempt;
    if (vec_reserve(&analysis->bounds, 1) != WB_OK) return analysis_no_memory(messages);
    wb_status status = task->kernel != NULL
                           ? kernel_blocks_try(task->kernel, index, request, messages, &attempt)
                           : analysis_try(analysis, index, request, messages, &attempt);
    if (attempt.found) {
        wb_bound *slot = method_place(&analysis->methods_run, index, analysis->bounds.items,
                                      &analysis->bounds.count, sizeof *slot);
        *slot = attempt.bound;
    } else if (attempt.left_out != NULL) {
        WB_TRY(method_decline(&analysis->log, bound_method_at(index)->name, WB_OK, attempt.left_out));
    }
    return status;
}

/* What a method may do: when it is named, as much as the user's states, memory and its own limit allow, of
 * "all" what is left of its share. */
static struct search_budget analysis_budget(const struct wb_analysis *analysis, size_t index,
                                            const uint64_t *left) {
    const uint64_t named = bound_method_at(index)->named_work;
    struct search_budget budget = {analysis->state_limit, SEARCH_BYTES_NAMED,
                                   named == 0 ? WORK_UNLIMITED : named};
    if (left == NULL) return budget;
    budget.bytes = SEARCH_BYTES_UNASKED;
    budget.work = *left;
    return budget;
}

/* Asks a method, within what it may do. */
static wb_status analysis_run_method(void *user, size_t index, struct method_run *run) {
    const struct analysis_task *task = user;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return analysis_no_memory(run->diagnostics);
    uint64_t *left = task->work_left == NULL ? NULL : &task->work_left[index];
    struct search_budget budget = analysis_budget(task->analysis, index, left);
    const struct analysis_request request = {
        .unasked = left != NULL, .budget = &budget, .watch = &run->watch};
    struct method_outcome outcome = {.method = bound_method_at(index)->name, .named = left == NULL};
    outcome.status = analysis_run_task(task, index, &request, messages);
    outcome.has_result = task->analysis->methods_run >> index & 1;
    if (left != NULL) *left = budget.work;
    if (left != NULL && outcome.has_result) task->analysis->unasked |= UINT64_C(1) << index;
    return method_run_note(run, &task->analysis->log, &outcome, messages);
}

bool wb_analysis_is_abstract(const wb_analysis *analysis) {
    return analysis->kind == SUBJECT_ABSTRACT_WARPS;
}

/* Whether a method reads a convention of abstract CTA simulation. */
static bool method_reads(const struct bound_method *method, const char *convention) {
    const char *const *read = method->conventions;
    while (read != NULL && *read != NULL && strcmp(*read, convention) != 0)
        read++;
    return read != NULL && *read != NULL;
}

/* Whether the analysis has the bound of a method, or says why there is none. */
static bool speaks_of(const struct wb_analysis *analysis, size_t method) {
    bool speaks = analysis->methods_run >> method & 1;
    for (size_t d = 0; d < analysis->log.declined.count; d++)
        speaks = speaks || strcmp(analysis->log.declined.items[d].method, bound_method_at(method)->name) == 0;
    return speaks;
}

bool wb_analysis_reads_setting(const wb_analysis *analysis, const char *setting) {
    static const char mapping[] = "abstract_cta.";
    const size_t length = sizeof mapping - 1;
    char key[64];
    if (strncmp(setting, mapping, length) != 0) return true;
    (void)text_format(key, sizeof key, "%.*s", (int)strcspn(setting + length, "="), setting + length);
    for (size_t i = 0; bound_method_at(i) != NULL; i++)
        if (method_reads(bound_method_at(i), key) && speaks_of(analysis, i)) return true;
    return analysis->longest != NULL && wb_analysis_reads_setting(analysis->longest, setting);
}

bool wb_analysis_is_covering(const wb_analysis *analysis) {
    return analysis_facts(analysis) != NULL;
}

void wb_analysis_set_given(wb_analysis *analysis, const wb_analysis *given) {
    analysis->given = given;
    if (analysis->longest != NULL && given != NULL) analysis->longest->given = given->longest;
}

const wb_machine *wb_analysis_machine(const wb_analysis *analysis) {
    return analysis->machine;
}

void wb_analysis_set_state_limit(wb_analysis *analysis, uint64_t states) {
    analysis->state_limit = states;
    if (analysis->longest != NULL) wb_analysis_set_state_limit(analysis->longest, states);
    for (size_t b = 1; b < analysis->blocks.count; b++) /* the first is the longest */
        wb_analysis_set_state_limit(analysis->blocks.items[b].analysis, states);
}

/* The methods that bound blocks, as bits. */
static uint64_t analysis_block_methods(void) {
    uint64_t methods = 0;
    for (size_t i = 0; bound_method_at(i) != NULL; i++)
        if ((bound_method_at(i)->needs & NEED_BLOCK) != 0) methods |= UINT64_C(1) << i;
    return methods;
}

/* What each method may do for "all", by its number. */
static void analysis_shares(uint64_t work[METHODS_MAX]) {
    for (size_t i = 0; bound_method_at(i) != NULL; i++) {
        const uint64_t share = bound_method_at(i)->unasked_work;
        work[i] = share == 0 ? WORK_UNLIMITED : share;
    }
}

/* Runs some methods of the analysis, and of the blocks of a kernel before; `unasked`: for "all". */
static wb_status analysis_run_both(wb_analysis *analysis, uint64_t chosen, uint64_t shares[METHODS_MAX],
                                   bool unasked, struct method_run *run) {
    const uint64_t of_blocks = analysis->longest == NULL ? 0 : analysis_block_methods();
    wb_analysis *kernel = analysis->kind == SUBJECT_KERNEL ? analysis : NULL;
    uint64_t *work_left = unasked ? shares : NULL;
    struct analysis_task blocks = {analysis->longest, kernel, work_left};
    struct analysis_task itself = {analysis, NULL, work_left};
    if ((chosen & of_blocks) != 0)
        WB_TRY(method_run_chosen(run, chosen & of_blocks, &analysis->longest->methods_run,
                                 analysis_run_method, &blocks));
    chosen &= ~of_blocks;
    if (kernel != NULL && (chosen & ~analysis->methods_run) != 0)
        WB_TRY(kernel_blocks_sharpen(kernel, shares, &run->watch, run->diagnostics));
    return method_run_chosen(run, chosen, &analysis->methods_run, analysis_run_method, &itself);
}

/* Runs some methods: those of `unasked` within what "all" gives them. */
static wb_status analysis_run(wb_analysis *analysis, uint64_t chosen, uint64_t unasked, const wb_watch *watch,
                              wb_diagnostics *diagnostics) {
    uint64_t shares[METHODS_MAX];
    struct method_run run;
    WB_TRY(method_run_begin(&run, "analysis", watch, diagnostics));
    analysis_shares(shares);
    wb_status status = analysis_run_both(analysis, chosen & ~unasked, shares, false, &run);
    if (status == WB_OK) status = analysis_run_both(analysis, chosen & unasked, shares, true, &run);
    wb_status ended = method_run_end(&run);
    return status != WB_OK ? status : ended;
}

wb_status wb_analysis_bound(wb_analysis *analysis, const char *methods, const wb_watch *watch,
                            wb_diagnostics *diagnostics) {
    uint64_t chosen = 0;
    WB_TRY(choose_names("methods", methods, wb_method_name, diagnostics, &chosen));
    return analysis_run(analysis, chosen, strcmp(methods, "all") == 0 ? chosen : 0, watch, diagnostics);
}

wb_status wb_analysis_bound_alike(wb_analysis *analysis, const wb_analysis *model, const wb_watch *watch,
                                  wb_diagnostics *diagnostics) {
    const wb_analysis *block = model->longest;
    const uint64_t of_block = block == NULL ? 0 : block->methods_run;
    const uint64_t unasked = model->unasked | (block == NULL ? 0 : block->unasked);
    return analysis_run(analysis, model->methods_run | of_block, unasked, watch, diagnostics);
}

wb_status wb_analysis_bound_kernel(wb_analysis *analysis, const wb_watch *watch,
                                   wb_diagnostics *diagnostics) {
    uint64_t chosen = 0;
    if (wb_analysis_scope(analysis) != WB_SCOPE_KERNEL) return WB_OK;
    for (size_t i = 0; bound_method_at(i) != NULL; i++)
        if (!bound_method_at(i)->searches && !bound_method_at(i)->never_proven) chosen |= UINT64_C(1) << i;
    chosen &= ~analysis_block_methods();
    return analysis_run(analysis, chosen, chosen, watch, diagnostics);
}

/* Simulates the grid, or the block alone, on the GPU. */
static wb_status analysis_simulate_gpu(const wb_analysis *analysis, const struct sim_policy *policy,
                                       const wb_watch *watch, wb_diagnostics *diagnostics,
                                       wb_simulation *simulation) {
    struct gpu_scheme scheme = analysis_has_caches(analysis) ? *analysis->memory.scheme : *gpu_scheme_at(0);
    scheme.policy = policy;
    const bool alone = analysis->kind == SUBJECT_CONTENDED_BLOCK;
    struct block_times lone = {0};
    const struct gpu_options options = {.watch = watch, .block_times = alone ? &lone : NULL};
    struct arena arena = {0};
    wb_gpu_simulation result;
    *simulation = (wb_simulation){.policy = policy->name, .work_conserving = policy->work_conserving};
    const struct timed_grid *grid = alone ? &analysis->contended.timed : &analysis->grid_times;
    wb_status status = gpu_simulate(grid, &scheme, &options, diagnostics, &arena, &result);
    if (status == WB_OK) {
        /* The block's own time begins when it has been dispatched. */
        simulation->cycles = simulation->last_commit = result.cycles - lone.start;
        simulation->last_issue = cycles_sub(result.last_issue, lone.start);
        simulation->warp_instructions = result.warp_instructions;
        simulation->fetches = result.fetches;
        simulation->fetch_misses = result.fetch_misses;
    }
    arena_free(&arena);
    return status;
}

/* Why the analysis cannot be simulated, or NULL. */
static const char *analysis_unsimulated(const struct wb_analysis *analysis) {
    if (analysis->kind == SUBJECT_ABSTRACT_WARPS)
        return "abstract warps cannot be simulated: they have no instructions";
    if (wb_analysis_is_covering(analysis))
        return "covering paths cannot be simulated: no warp executes all of them";
    return NULL;
}

/* Simulates one policy and keeps the result. */
static wb_status analysis_try_policy(wb_analysis *analysis, size_t index, const wb_watch *watch,
                                     wb_diagnostics *messages) {
    if (vec_reserve(&analysis->simulations, 1) != WB_OK) return analysis_no_memory(messages);
    const struct sim_policy *policy = policy_at(index);
    const char *objection = analysis_unsimulated(analysis);
    double start = analysis_clock();
    wb_simulation simulation;
    if (objection != NULL) {
        diagnose(messages, SEVERITY_ERROR,
                 analysis->kind == SUBJECT_ABSTRACT_WARPS ? analysis->abstract.name : analysis->machine->name,
                 "%s", objection);
        return WB_ERR_DECLINED;
    }
    if (analysis->kind == SUBJECT_BLOCK)
        WB_TRY(simulate(analysis->timed, policy, NULL, watch, messages, &simulation));
    else
        WB_TRY(analysis_simulate_gpu(analysis, policy, watch, messages, &simulation));
    simulation.seconds = analysis_clock() - start;
    wb_simulation *slot = method_place(&analysis->policies_run, index, analysis->simulations.items,
                                       &analysis->simulations.count, sizeof *slot);
    *slot = simulation;
    return WB_OK;
}

static wb_status analysis_run_policy(void *user, size_t index, struct method_run *run) {
    wb_analysis *analysis = user;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return analysis_no_memory(run->diagnostics);
    struct method_outcome outcome = {.method = policy_at(index)->name, .named = true};
    outcome.status = analysis_try_policy(analysis, index, &run->watch, messages);
    outcome.has_result = outcome.status == WB_OK;
    return method_run_note(run, &analysis->log, &outcome, messages);
}

/* Warp instructions of the block or the grid; of a grid on a machine with caches the cycles that they take
 * units for, which are no fewer. */
static uint64_t analysis_instructions(const struct wb_analysis *analysis) {
    const struct timed_block *timed = analysis->timed;
    if (analysis->kind == SUBJECT_CACHED_GRID) return analysis->memory.total.initiations;
    uint64_t instructions = 0;
    for (uint32_t w = 0; timed != NULL && w < timed->warp_count; w++)
        instructions = cycles_add(instructions, timed->paths[timed->warp_path[w]].length);
    for (size_t k = 0; k < analysis->work.kinds.count; k++) {
        const struct block_kind *kind = &analysis->work.kinds.items[k];
        instructions = cycles_add(instructions, cycles_mul(kind->instructions, kind->blocks));
    }
    return instructions;
}

/* Simulates the chosen policies. */
static wb_status analysis_run_policies(wb_analysis *analysis, const char *policies, struct method_run *run) {
    uint64_t chosen = 0;
    WB_TRY(choose_names("policies", policies, wb_policy_name, run->diagnostics, &chosen));
    return method_run_chosen(run, chosen, &analysis->policies_run, analysis_run_policy, analysis);
}

/* Simulates the policies that the bounds are about and are usually held against, unless more than `*left`
 * instructions would be simulated for them. */
static wb_status analysis_simulate_usual(wb_analysis *analysis, uint64_t *left, struct method_run *run) {
    const bool in_turns = analysis_has_caches(analysis) && !analysis->memory.scheme->policy->work_conserving;
    const uint64_t instructions = cycles_mul(analysis_instructions(analysis), in_turns ? 1 : 2);
    if (instructions <= *left) {
        *left -= instructions;
        return analysis_run_policies(analysis, in_turns ? "rr" : "lrr,gto", run);
    }
    static const char reason[] = "more instructions than are simulated unless it is named";
    if (in_turns) return method_decline(&analysis->log, policy_rr.name, WB_OK, reason);
    WB_TRY(method_decline(&analysis->log, policy_lrr.name, WB_OK, reason));
    return method_decline(&analysis->log, policy_gto.name, WB_OK, reason);
}

wb_status wb_analysis_simulate(wb_analysis *analysis, const char *policies, const wb_watch *watch,
                               wb_diagnostics *diagnostics) {
    struct wb_analysis *const analyses[] = {analysis->longest, analysis};
    uint64_t left = ANALYSIS_SIMULATED_MAX;
    struct method_run run;
    WB_TRY(method_run_begin(&run, "analysis", watch, diagnostics));
    wb_status status = WB_OK;
    for (size_t i = 0; i < 2 && status == WB_OK; i++) {
        if (analyses[i] == NULL) continue;
        status = policies == NULL ? analysis_simulate_usual(analyses[i], &left, &run)
                                  : analysis_run_policies(analyses[i], policies, &run);
    }
    wb_status ended = method_run_end(&run);
    return status != WB_OK ? status : ended;
}

const wb_analysis *wb_analysis_longest_block(const wb_analysis *analysis) {
    return analysis->longest;
}

const wb_bound *wb_analysis_bounds(const wb_analysis *analysis, size_t *count) {
    *count = analysis->bounds.count;
    return analysis->bounds.items;
}

const wb_declined *wb_analysis_declined(const wb_analysis *analysis, size_t *count) {
    *count = analysis->log.declined.count;
    return analysis->log.declined.items;
}

const wb_simulation *wb_analysis_simulations(const wb_analysis *analysis, size_t *count) {
    *count = analysis->simulations.count;
    return analysis->simulations.items;
}

const wb_bound *wb_analysis_best(const wb_analysis *analysis) {
    const wb_bound *best = NULL;
    for (size_t i = 0; i < analysis->bounds.count; i++) {
        const wb_bound *bound = &analysis->bounds.items[i];
        if (bound->kind == WB_UPPER && (best == NULL || bound->cycles < best->cycles)) best = bound;
    }
    return best;
}

bool wb_analysis_proven(const wb_analysis *analysis, uint64_t *proven) {
    const wb_bound *best = wb_analysis_best(analysis);
    if (best == NULL) return false;
    cycles sum = cycles_add(best->cycles, analysis_overhead(analysis));
    if (sum == CYCLES_SATURATED) return false;
    *proven = sum;
    return true;
}

assumed_set analysis_assumed(const wb_analysis *analysis) {
    if (analysis->kind == SUBJECT_KERNEL) return analysis->work.assumed;
    return analysis->timed != NULL ? analysis->timed->code.assumed : analysis->grid_times.code.assumed;
}

size_t wb_analysis_assumptions(const wb_analysis *analysis, wb_assumption list[WB_ASSUMPTION_COUNT]) {
    return assumptions_of_execution(analysis_assumed(analysis), list);
}

bool analysis_warp_bound(const wb_analysis *analysis, size_t method, uint32_t warp, cycles *value) {
    if (!(analysis->methods_run >> method & 1) || bound_method_at(method)->term == NULL) return false;
    if (analysis->kind != SUBJECT_BLOCK || analysis->fetch_time > 0)
        return false; /* what memory or fetch adds is known of the block only */
    const struct timed_block *timed = analysis->timed;
    const struct warp_group group = {timed->warp_path[warp], warp % timed->machine->sub_cores, 1};
    *value = cycles_add(profile_sum_of_group(&analysis->profile, bound_method_at(method)->term, &group),
                        profile_release_time(&analysis->profile));
    return true;
}
