#include "bound/analysis/analysis.h"

#include <assert.h>
#include <string.h>

#include "base/base.h"
#include "bound/block/block_sums.h"
#include "bound/cache/isolated_block.h"
#include "memory/requests/requests.h"
#include "warp/timed/timed.h"
#include "warp/trace/blocks.h"

wb_status analysis_no_memory(wb_diagnostics *diagnostics) {
    (void)diagnose_out_of_memory(diagnostics, "analysis");
    return WB_ERR_LIMIT;
}

wb_analysis *analysis_make(void) {
    wb_analysis *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->state_limit = ANALYSIS_STATE_LIMIT;
    made->scheme = gpu_scheme_at(0);
    return made;
}

wb_status analysis_finish(wb_analysis *made, wb_status status, wb_diagnostics *diagnostics,
                          wb_analysis **analysis) {
    if (status == WB_OK && made->timed != NULL) {
        const struct wb_block *traced = made->timed->traced;
        made->machine = made->timed->machine;
        made->facts = traced != NULL && traced->covering ? &traced->facts : NULL;
        made->assumed = made->timed->code.assumed;
        status = timed_block_check(made->timed, diagnostics);
    }
    if (status != WB_OK) {
        wb_analysis_free(made);
        return status;
    }
    if (made->name == NULL) made->name = made->machine->name;
    *analysis = made;
    return WB_OK;
}

wb_status analysis_of_timed(const struct timed_block *timed, wb_diagnostics *diagnostics,
                            wb_analysis **analysis) {
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    made->timed = timed;
    return analysis_finish(made, WB_OK, diagnostics, analysis);
}

wb_status analysis_of_synthetic(const struct synthetic_block *grid, const struct block_class *class,
                                size_t number, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    WB_TRY(analysis_of_timed(class->timed, diagnostics, analysis));
    if (!memory_is_contended(&grid->machine.memory)) return WB_OK;
    (*analysis)->kind = SUBJECT_CONTENDED_BLOCK;
    return contended_block_by_hand(grid, number, diagnostics, &(*analysis)->isolated,
                                   &(*analysis)->grid_times, &(*analysis)->load);
}

/* Looks at a block as at a grid of its own, on a machine with caches. */
static wb_status analysis_cached_block(wb_analysis *made, const wb_machine *machine,
                                       wb_diagnostics *diagnostics, struct execution_cost *costs) {
    made->kind = SUBJECT_CACHED_BLOCK;
    WB_TRY(grid_from_block(made->block, diagnostics, &made->isolated));
    WB_TRY(timed_grid_make(&made->isolated, machine, diagnostics, &made->grid_times));
    WB_TRY(memory_work_make(&made->grid_times, made->scheme, diagnostics, &made->memory));
    return isolated_block_latencies(&made->memory, diagnostics, costs);
}

/* Finds out what the machine fills once for the block, unless that was decided for its kernel. */
static wb_status fill_once(wb_analysis *made, const wb_machine **machine, wb_diagnostics *diagnostics) {
    made->beside.visits = 1;
    made->beside.of_block = true;
    if (!machine_may_fill_once(*machine)) return WB_OK;
    if (made->block->unrecorded != PTX_NO_INDEX && !made->block->covering) return WB_OK;
    WB_TRY(grid_from_block(made->block, diagnostics, &made->isolated));
    WB_TRY(timed_grid_fills(&made->isolated, *machine, diagnostics, &made->grid_times));
    *machine = made->grid_times.machine;
    made->beside.sectors = made->grid_times.fills.all;
    return WB_OK;
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
    wb_status status = fill_once(made, &machine, diagnostics);
    if (status == WB_OK && memory_has_hierarchy(&machine->memory))
        status = analysis_cached_block(made, machine, diagnostics, costs);
    if (status == WB_OK && memory_is_contended(&machine->memory)) {
        assert(made->kind == SUBJECT_BLOCK); /* such a machine has no caches */
        made->kind = SUBJECT_CONTENDED_BLOCK;
        status = contended_block_make(made->block, machine, diagnostics, &made->isolated, &made->grid_times,
                                      &made->load);
    }
    if (status == WB_OK) status = timed_block_from(made->block, machine, costs, diagnostics, &made->own);
    if (made->grid_times.traffic.grid == &made->isolated && machine_fills_once(machine))
        made->own.traffic = &made->grid_times.traffic;
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

wb_status analysis_of_grid_block(const struct wb_grid *grid, uint32_t number, const wb_machine *machine,
                                 wb_diagnostics *diagnostics, wb_analysis **analysis) {
    struct wb_block *block = NULL;
    WB_TRY(grid_block_make(grid, number, diagnostics, &block));
    wb_status status = wb_analysis_new(block, machine, diagnostics, analysis);
    if (status == WB_OK)
        (*analysis)->owned.block = block;
    else
        wb_block_free(block);
    return status;
}

wb_status analysis_fill_grid(wb_analysis *made, const wb_grid *grid, wb_diagnostics *diagnostics) {
    made->kind = SUBJECT_CACHED_GRID;
    made->facts = grid->cover.covers ? &grid->cover.facts : NULL;
    WB_TRY(timed_grid_make(grid, made->machine, diagnostics, &made->grid_times));
    made->assumed = made->grid_times.code.assumed;
    return memory_work_make(&made->grid_times, made->scheme, diagnostics, &made->memory);
}

wb_status analysis_new_grid(const wb_grid *grid, const wb_machine *machine, const char *scheme,
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
    made->machine = machine;
    made->scheme = gpu_scheme_at(chosen);
    wb_status status = analysis_fill_grid(made, grid, diagnostics);
    return analysis_finish(made, status, diagnostics, analysis);
}

void wb_analysis_free(wb_analysis *analysis) {
    if (analysis == NULL) return;
    for (size_t b = 1; b < analysis->blocks.count; b++) /* the first is analysis->longest */
        wb_analysis_free(analysis->blocks.items[b].analysis);
    vec_free(&analysis->blocks);
    wb_analysis_free(analysis->longest);
    grid_work_free(&analysis->work);
    block_classes_free(&analysis->classes);
    if (analysis->prepared && analysis_is_block(analysis)) block_profile_free(&analysis->profile);
    code_profile_free(&analysis->code);
    timed_block_free(&analysis->own);
    synthetic_block_free(&analysis->by_hand);
    if (analysis->subject != NULL) analysis->reader->free(analysis->subject);
    memory_work_free(&analysis->memory);
    timed_grid_free(&analysis->grid_times);
    grid_clear(&analysis->isolated);
    arena_free(&analysis->texts);
    vec_free(&analysis->savings);
    for (size_t s = 0; s < analysis->shares.count; s++)
        wb_analysis_free(analysis->shares.items[s].analysis);
    vec_free(&analysis->shares);
    vec_free(&analysis->bounds);
    vec_free(&analysis->formulas);
    vec_free(&analysis->simulations);
    vec_free(&analysis->witnesses);
    method_log_free(&analysis->log);
    wb_analysis_free(analysis->owned.given);
    wb_analysis_free(analysis->owned.executed);
    wb_analysis_free(analysis->owned.code);
    wb_machine_free(analysis->owned.code_machine);
    free(analysis->owned.machine); /* its texts are the other one's */
    wb_grid_free(analysis->owned.grid);
    wb_block_free(analysis->owned.block);
    free(analysis);
}

/* ---- What differs by the kind of subject ----------------------------------------------------------------
 */

/* The time that instruction fetch adds to a bound, by what is fetched. */
static wb_status analysis_fetch(wb_analysis *analysis, wb_status counted, struct code_lines *lines,
                                struct fetch_demand *demand, wb_diagnostics *diagnostics) {
    demand->lines = lines;
    demand->sms = 1;
    if (counted == WB_OK) analysis->fetch_time = fetch_time(&analysis->machine->fetch, demand);
    code_lines_free(lines);
    return counted == WB_OK ? WB_OK : analysis_no_memory(diagnostics);
}

/* Whether what the machine times has a profile of its own besides. */
static const bool has_code_profile[] = {[ISA_PTX] = false, [ISA_SASS] = true};

/* The phases of a block, and what it fetches. */
static wb_status prepare_block(wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics) {
    struct code_lines lines = {0};
    struct fetch_demand demand = {.warps = analysis->timed->warp_count};
    wb_status status = code_fetches(analysis->timed, &demand.fetches);
    if (status == WB_OK) status = code_lines_add(&lines, analysis->timed);
    WB_TRY(analysis_fetch(analysis, status, &lines, &demand, diagnostics));
    WB_TRY(block_profile_make(analysis->timed, watch, diagnostics, &analysis->profile));
    analysis->prepared = true;
    if (!has_code_profile[machine_isa(analysis->machine)]) return WB_OK;
    analysis->beside.atomics = atomics_of(analysis->timed);
    status = code_profile_make(analysis->timed, MISSES_ON_PATHS, &analysis->code);
    if (status == WB_OK) status = code_profile_count_passes(&analysis->code);
    return status == WB_OK ? WB_OK : analysis_no_memory(diagnostics);
}

/* What an SM fetches for its share of the blocks of a grid. */
static wb_status prepare_cached_grid(wb_analysis *analysis, const wb_watch *watch,
                                     wb_diagnostics *diagnostics) {
    const struct memory_work *work = &analysis->memory;
    struct code_lines lines = {0};
    struct fetch_demand demand = {.warps = (uint64_t)work->resident * analysis->grid_times.grid->warp_count};
    (void)watch;
    const wb_status status = grid_fetches(&analysis->grid_times, &lines, &demand.fetches);
    demand.fetches = cycles_mul(demand.fetches, cycles_ceiling(work->block_count, work->machine->memory.sms));
    WB_TRY(analysis_fetch(analysis, status, &lines, &demand, diagnostics));
    analysis->prepared = true;
    return WB_OK;
}

static wb_status prepare_nothing(wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics) {
    (void)watch, (void)diagnostics;
    analysis->prepared = true;
    return WB_OK;
}

static void give_block(const struct wb_analysis *analysis, struct bound_input *input) {
    input->block = analysis->timed;
    input->profile = &analysis->profile;
    if (has_code_profile[machine_isa(analysis->machine)]) input->code = &analysis->code;
}

static void give_contended_block(const struct wb_analysis *analysis, struct bound_input *input) {
    give_block(analysis, input);
    input->load = &analysis->load;
    input->contended = true;
}

static void give_cached_grid(const struct wb_analysis *analysis, struct bound_input *input) {
    input->memory = &analysis->memory;
    input->scheme = analysis->scheme;
    input->in_objects = analysis->memory.in_objects;
    input->registers_ignored = analysis->memory.registers_ignored;
}

static void give_cached_block(const struct wb_analysis *analysis, struct bound_input *input) {
    give_block(analysis, input);
    give_cached_grid(analysis, input);
}

static void give_kernel(const struct wb_analysis *analysis, struct bound_input *input) {
    input->work = &analysis->work;
    input->grid = &analysis->grid_times;
    input->contended = memory_is_contended(&analysis->machine->memory);
}

static void give_wing(const struct wb_analysis *analysis, struct bound_input *input) {
    input->subject = analysis->subject;
}

static const struct {
    /* Computes once what all methods share. */
    wb_status (*prepare)(wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics);
    /* Sets what methods see of the subject. */
    void (*give)(const struct wb_analysis *analysis, struct bound_input *input);
} subjects[] = {[SUBJECT_BLOCK] = {prepare_block, give_block},
                [SUBJECT_CONTENDED_BLOCK] = {prepare_block, give_contended_block},
                [SUBJECT_CACHED_BLOCK] = {prepare_block, give_cached_block},
                [SUBJECT_CACHED_GRID] = {prepare_cached_grid, give_cached_grid},
                [SUBJECT_KERNEL] = {prepare_nothing, give_kernel},
                [SUBJECT_OF_WING] = {prepare_nothing, give_wing}};

/* ---- Methods --------------------------------------------------------------------------------------------
 */

/* Adds the cycles that are counted beside the times of warps to a sum: theorem 7 is about sums. */
static void add_beside(const struct bound_method *method, const struct bound_input *input, wb_bound *bound) {
    const struct beside_times *beside = &input->beside;
    const cycles sum = beside_sum(beside);
    const struct machine_fills *fills = &input->machine->fills; /* requests count in the sums of a kernel */
    if ((sum == 0 && fills->held == 0) || bound->kind == WB_LOWER) return;
    assert(!method->searches); /* they find lower bounds of machine code */
    bound->cycles = cycles_add(bound->cycles, sum);
    if (bound->part_count > 0) {
        bound_add_part(bound, WB_PART_MEMORY, NULL, beside->atomics);
        bound_add_part(bound, WB_PART_TRANSLATIONS, NULL, beside->translations);
        bound_add_part(bound, WB_PART_DRAM, NULL, beside->sectors);
        if (beside->requests > 0)
            bound_add_part(bound, WB_PART_UNIT, input->machine->units[fills->unit].name, beside->requests);
    }
    if (beside->atomics > 0) assume(bound, WB_ASSUME_ATOMICS_IN_TURN);
    if (beside->translations > 0) assume(bound, WB_ASSUME_TRANSLATIONS_KEPT);
    if (beside->sectors > 0) assume(bound, WB_ASSUME_SECTORS_KEPT);
    if (fills->held > 0 && !machine_promises(input->machine, RESIDENT_BLOCK_L1))
        assume(bound, WB_ASSUME_LOADS_KEPT);
}

/* Runs a method that applies, into *bound. */
static wb_status analysis_compute(const struct bound_method *method, const struct bound_input *input,
                                  wb_bound *bound) {
    wb_status status = method->run(input, bound);
    bool partial = status == WB_ERR_LIMIT && bound->kind == WB_LOWER && bound->cycles > 0;
    if (status != WB_OK && !partial) return status;
    if (input->block != NULL && bound_method_lacks_releases(method))
        bound->cycles = cycles_add(bound->cycles, profile_release_time(input->profile));
    if (input->memory != NULL && (method->needs & NEED_BLOCK) != 0)
        isolated_block_add_memory(method, input->memory, bound);
    if (input->load != NULL) contended_block_add(method, input->machine, input->load, bound);
    if (!method->searches) bound->cycles = cycles_add(bound->cycles, input->fetch_time);
    add_beside(method, input, bound);
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
    const struct bound_method *method = bound_method_on(index, analysis->machine);
    bound->method = method->name;
    wb_status status = analysis_compute(method, input, bound);
    attempt->found = status == WB_OK || (bound->kind == WB_LOWER && bound->cycles > 0);
    if (attempt->found && status != WB_OK) bound->reason = method_reason(&analysis->log, input->diagnostics);
    bound->seconds = clock_of_thread() - start;
    return status;
}

/* The analysis as methods see it. */
static struct bound_input analysis_input(wb_analysis *analysis, const struct analysis_request *request,
                                         wb_diagnostics *messages, struct analysis_attempt *attempt) {
    struct bound_input input = {.machine = analysis->machine,
                                .facts = analysis->facts,
                                .assumed = analysis->assumed,
                                .fetch_time = analysis->fetch_time,
                                .beside = beside_times_of(analysis->machine, &analysis->beside),
                                .forms = analysis->forms,
                                .watch = request->watch,
                                .diagnostics = messages,
                                .results = &analysis->log.texts,
                                .budget = request->budget,
                                .witness = &attempt->witness,
                                .together = &analysis->together};
    subjects[analysis->kind].give(analysis, &input);
    return input;
}

wb_status analysis_try(wb_analysis *analysis, size_t index, const struct analysis_request *request,
                       wb_diagnostics *messages, struct analysis_attempt *attempt) {
    const struct bound_method *method = bound_method_on(index, analysis->machine);
    const char *why;
    double start = clock_of_thread();
    if (method->searches && analysis->executed != NULL)
        return analysis_try(analysis->executed, index, request, messages, attempt);
    *attempt = (struct analysis_attempt){.found = false};
    if (!analysis->prepared) WB_TRY(subjects[analysis->kind].prepare(analysis, request->watch, messages));
    const struct bound_input input = analysis_input(analysis, request, messages, attempt);
    const bool applies = bound_method_applies(method, &input, &why);
    if (request->unasked &&
        (!applies || method->named_only || (method->fits != NULL && !method->fits(&input))))
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

/* Whether the analysis has the bound of a method, or says why there is none. */
static bool has_result_or_reason(const struct wb_analysis *analysis, size_t method) {
    bool speaks = analysis->methods_run >> method & 1;
    for (size_t d = 0; d < analysis->log.declined.count; d++)
        speaks = speaks || strcmp(analysis->log.declined.items[d].method, bound_method_at(method)->name) == 0;
    return speaks;
}

bool wb_analysis_reads_setting(const wb_analysis *analysis, const char *setting) {
    const struct bound_method *method;
    const size_t mapping = strcspn(setting, ".=") + 1, key = strcspn(setting, "=");
    bool is_convention = false;
    for (size_t i = 0; (method = bound_method_at(i)) != NULL; i++)
        for (const char *const *read = method->conventions; read != NULL && *read != NULL; read++) {
            is_convention = is_convention || strncmp(*read, setting, mapping) == 0;
            if (strlen(*read) == key && strncmp(*read, setting, key) == 0 &&
                has_result_or_reason(analysis, i))
                return true;
        }
    return !is_convention ||
           (analysis->longest != NULL && wb_analysis_reads_setting(analysis->longest, setting));
}

bool wb_analysis_is_covering(const wb_analysis *analysis) {
    return analysis->facts != NULL;
}

void analysis_set_given(wb_analysis *analysis, const wb_analysis *given) {
    analysis->given = given;
    if (analysis->longest != NULL && given != NULL) analysis->longest->given = given->longest;
}

const wb_machine *wb_analysis_machine(const wb_analysis *analysis) {
    return analysis->machine == NULL ? NULL : machine_as_stated(analysis->machine);
}

void analysis_set_state_limit(wb_analysis *analysis, uint64_t states) {
    analysis->state_limit = states;
    if (analysis->longest != NULL) analysis_set_state_limit(analysis->longest, states);
    for (size_t b = 1; b < analysis->blocks.count; b++) /* the first is the longest */
        analysis_set_state_limit(analysis->blocks.items[b].analysis, states);
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
    if (best == NULL || best->cycles == CYCLES_SATURATED) return false;
    *proven = best->cycles;
    return true;
}

bool analysis_warp_bound(const wb_analysis *analysis, size_t method, uint32_t warp, cycles *value) {
    if (!(analysis->methods_run >> method & 1) || bound_method_at(method)->term == NULL) return false;
    if (analysis->kind != SUBJECT_BLOCK || analysis->fetch_time > 0 || analysis->machine->neighbours.stated)
        return false; /* what memory, fetch or neighbours add is known of the block only */
    if (queues_are_long(analysis->machine)) return false; /* the profile is not the one of the bound */
    const struct timed_block *timed = analysis->timed;
    const struct warp_group group = {timed->warp_path[warp], warp % timed->machine->sub_cores, 1};
    *value = cycles_add(profile_sum_of_group(&analysis->profile, bound_method_at(method)->term, &group),
                        profile_release_time(&analysis->profile));
    return true;
}
