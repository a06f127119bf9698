/* Costs of simulations: which instruction each cycle of the critical chain belongs to. The simulation is made
 * anew, as nobody keeps what it did: of a grid that of the SM whose block ends last. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cost/costs.h"
#include "cost/critical_chain.h"
#include "sim/gpu/gpu.h"

/* An execution that is simulated once more, with what it tells. */
struct simulated {
    struct cost_maker *maker;
    const struct sim_policy *policy;
    const struct schedule_witness *witness; /* of what a search found; else NULL */
    cycles length;                          /* when it was simulated first */
    struct sm_record record;
    cycles start; /* of a block whose own time begins when it has been dispatched */
};

static wb_status keep_issue(void *user, uint32_t sm, const struct sim_event *event) {
    (void)sm;
    return sm_record_issue(user, event);
}

static void keep_landing(void *user, uint32_t sm, const struct sim_landing *landing) {
    (void)sm;
    sm_record_land(user, landing);
}

static void keep_pass(void *user, uint32_t sm, const struct sim_event *event) {
    (void)sm;
    sm_record_pass(user, event);
}

/* Simulates what bound/analysis/simulate.c and the searches simulate. */
static wb_status simulate_grid(struct simulated *again, const struct gpu_sink *sink,
                               wb_gpu_simulation *result) {
    const struct wb_analysis *analysis = again->maker->analysis;
    struct gpu_scheme scheme = *analysis->scheme;
    struct wb_machine machine = *analysis->machine;
    struct timed_grid grid = analysis->grid_times;
    struct block_times isolated = {0};
    struct gpu_options options = {.watch = again->maker->watch, .sink = sink};
    struct arena arena = {0};
    scheme.policy = again->policy;
    if (analysis->kind == SUBJECT_CONTENDED_BLOCK) options.block_times = &isolated;
    if (again->witness != NULL) {
        machine.memory.dispatch = again->witness->dispatch;
        grid.machine = &machine;
        options.plan = again->witness->plan;
    }
    wb_status status = gpu_simulate(&grid, &scheme, &options, again->maker->diagnostics, &arena, result);
    arena_free(&arena);
    again->start = isolated.start;
    return status;
}

/* Twice: which SM is the one to be recorded is known when it is over. */
static wb_status record_grid(struct simulated *again) {
    wb_gpu_simulation result;
    WB_TRY(simulate_grid(again, NULL, &result));
    const struct gpu_sink sink = {.sm = result.last_sm,
                                  .issue = keep_issue,
                                  .user = &again->record,
                                  .land = keep_landing,
                                  .pass = keep_pass};
    again->record.code = &again->maker->analysis->grid_times.code;
    return simulate_grid(again, &sink, &result);
}

static wb_status record_block(struct simulated *again) {
    const struct timed_block *timed = again->maker->analysis->timed;
    const struct sim_sink sink = {
        .event = sm_record_issue, .user = &again->record, .land = sm_record_land, .pass = sm_record_pass};
    wb_simulation result;
    again->record.code = &timed->code;
    return simulate(timed, again->policy, &sink, again->maker->watch, again->maker->diagnostics, &result);
}

static void spend(void *user, uint32_t entry, wb_part_kind what, cycles count) {
    const struct simulated *again = user;
    struct tally *shares = &again->maker->shares;
    const size_t row = entry == CHAIN_NO_ENTRY ? tally_apart(shares, COST_DISPATCH)
                                               : timed_origin(again->record.code, entry);
    tally_add(shares, row, what, count);
}

/* Attributes the cycles of the record. */
static wb_status attribute(struct simulated *again) {
    const struct critical_chain chain = {&again->record, again->maker->analysis->machine, {spend, again}};
    if (again->record.failed) return diagnose_out_of_memory(again->maker->diagnostics, "costs");
    if (again->record.full)
        return cost_decline(again->maker, "more instructions were executed on an SM than are kept");
    sm_record_close(&again->record);
    critical_chain_walk(&chain, again->start, again->start + again->length);
    return WB_OK;
}

/* ---- What all warps do --------------------------------------------------------------------------------- */

/* Adds the work of all blocks of a grid, those of each variant at once. */
static wb_status add_grid(struct cost_maker *maker, const struct timed_grid *timed) {
    const size_t count = timed->grid->blocks.count;
    struct arena arena = {0};
    uint64_t *blocks = arena_array(&arena, count + 1, sizeof *blocks);
    if (blocks == NULL) return diagnose_out_of_memory(maker->diagnostics, "costs");
    for (size_t b = 0; b < count; b++)
        blocks[timed->traffic.block_variants[b]]++;
    for (uint32_t b = 0; b < count; b++) {
        uint64_t *times = &blocks[timed->traffic.block_variants[b]];
        if (*times > 0) cost_work_add_block(timed, b, *times, maker->work);
        *times = 0;
    }
    arena_free(&arena);
    return WB_OK;
}

static wb_status add_work(struct cost_maker *maker) {
    const struct wb_analysis *analysis = maker->analysis;
    if (analysis->timed == NULL) return add_grid(maker, &analysis->grid_times);
    if (cost_work_add(analysis->timed, 0, 1, maker->work) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(maker->diagnostics, "costs");
}

/* ---- The whole ----------------------------------------------------------------------------------------- */

static wb_status make(struct simulated *again) {
    struct cost_maker *maker = again->maker;
    WB_TRY(costs_begin(maker));
    if (machine_unproven(maker->analysis->machine) != NULL)
        return cost_decline(maker, "the machine's model does not say what instructions wait for");
    WB_TRY(add_work(maker));
    wb_status status = maker->analysis->kind == SUBJECT_BLOCK ? record_block(again) : record_grid(again);
    if (status == WB_OK) status = attribute(again);
    sm_record_free(&again->record);
    return status == WB_OK ? cost_rows_make(maker) : status;
}

/* Finds the simulation of a policy, or what the search of a method found. */
static bool find_execution(const struct wb_analysis *analysis, const char *name, struct simulated *found) {
    for (size_t i = 0; i < analysis->simulations.count; i++) {
        const wb_simulation *simulation = &analysis->simulations.items[i];
        if (strcmp(simulation->policy, name) != 0) continue;
        found->policy = policy_at(choose_index(name, wb_policy_name));
        found->length = simulation->cycles;
        found->maker->name = simulation->policy;
        return true;
    }
    for (size_t i = 0; i < analysis->witnesses.count; i++) {
        const struct schedule_witness *witness = &analysis->witnesses.items[i];
        if (strcmp(witness->method, name) != 0) continue;
        found->witness = witness;
        found->policy = witness->policy;
        found->length = witness->cycles;
        found->maker->name = witness->method;
        return true;
    }
    return false;
}

wb_status wb_costs_of_simulation(const wb_analysis *analysis, const char *name, const wb_watch *watch,
                                 wb_diagnostics *diagnostics, wb_costs **costs) {
    struct cost_maker maker = {.analysis = analysis, .watch = watch, .diagnostics = diagnostics};
    struct simulated again = {.maker = &maker};
    if (!find_execution(analysis, name, &again)) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "no execution of this name was simulated or found");
        return WB_ERR_INPUT;
    }
    maker.costs = calloc(1, sizeof *maker.costs);
    if (maker.costs == NULL) return diagnose_out_of_memory(diagnostics, "costs");
    const wb_status status = make(&again);
    if (status == WB_OK)
        *costs = maker.costs;
    else
        wb_costs_free(maker.costs);
    return status;
}
