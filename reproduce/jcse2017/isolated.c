#include "isolated.h"

#include "bound/analysis/analysis.h"
#include "sim/gpu/gpu.h"
#include "study.h"

/* The load that the last turn was of, one warp instruction. */
struct turn_user {
    struct isolated *isolated;
    uint32_t block, warp;
    uint64_t step;
    bool any, waits;
};

/* Counts a turn of the first level: the requests of an instruction have theirs one after the other. */
static wb_status count_turn(void *user, uint32_t sm, const struct sm_access *turn) {
    struct turn_user *last = user;
    struct isolated *isolated = last->isolated;
    const bool waits = turn->outcome == L1_MISS || turn->outcome == L1_HIT_UNDER_MISS;
    const bool begins =
        !last->any || last->block != turn->block || last->warp != turn->warp || last->step != turn->step;
    (void)sm;
    if (turn->kind != TRAFFIC_LOAD) return WB_OK;
    isolated->requests++;
    isolated->misses += turn->outcome == L1_MISS;
    isolated->under_miss += turn->outcome == L1_HIT_UNDER_MISS;
    isolated->instructions += begins;
    isolated->waiting += waits && (begins || !last->waits);
    *last = (struct turn_user){isolated,   turn->block, turn->warp,
                               turn->step, true,        waits || (!begins && last->waits)};
    return WB_OK;
}

static wb_status simulate_isolated(const struct wb_gpu *gpu, wb_diagnostics *diagnostics,
                                   const struct gpu_sink *sink, uint64_t *simulated) {
    const struct gpu_options options = {.sink = sink};
    struct arena arena = {0};
    wb_gpu_simulation result;
    wb_status status =
        gpu_simulate(&gpu->timed, gpu_scheme_at(SCHEME_REORDER), &options, diagnostics, &arena, &result);
    if (status == WB_OK) *simulated = result.cycles;
    arena_free(&arena);
    return status;
}

/* The simulation and eq. (4) on a machine. */
static wb_status measure_on(const wb_grid *grid, const wb_machine *machine, wb_diagnostics *diagnostics,
                            const struct gpu_sink *sink, uint64_t *simulated, uint64_t *wcet) {
    wb_gpu *gpu = NULL;
    wb_analysis *analysis = NULL;
    wb_status status = wb_gpu_new(grid, machine, diagnostics, &gpu);
    if (status == WB_OK) status = simulate_isolated(gpu, diagnostics, sink, simulated);
    if (status == WB_OK)
        status = analysis_new_grid(grid, machine, scheme_names[SCHEME_REORDER], diagnostics, &analysis);
    if (status == WB_OK) status = wb_analysis_bound(analysis, "segments-missrate", NULL, diagnostics);
    size_t count = 0;
    if (status == WB_OK) *wcet = wb_analysis_bounds(analysis, &count)->cycles;
    wb_analysis_free(analysis);
    wb_gpu_free(gpu);
    return status;
}

wb_status isolated_measure(const wb_kernel *kernel, wb_launch *launch, wb_diagnostics *diagnostics,
                           struct isolated *isolated) {
    const wb_grid_options options = {.size = sizeof options, .allow_unmapped = false};
    /* All SMs do much the same: turns are counted on the first. */
    struct turn_user user = {.isolated = isolated};
    const struct gpu_sink sink = {.sm = 0, .access = count_turn, .user = &user};
    wb_grid *grid = NULL;
    wb_machine *machine = NULL;
    wb_status status = wb_launch_set_grid(launch, (const uint32_t[3]){15, 1, 1}, diagnostics);
    if (status == WB_OK) status = wb_grid_trace(kernel, launch, &options, diagnostics, &grid);
    if (status == WB_OK) status = wb_machine_load("jcse2017", diagnostics, &machine);
    if (status == WB_OK)
        status =
            measure_on(grid, machine, diagnostics, &sink, &isolated->simulated, &isolated->wcet_miss_rate);
    if (status == WB_OK) status = wb_machine_set(machine, "l1_latency=1", diagnostics);
    if (status == WB_OK)
        status =
            measure_on(grid, machine, diagnostics, NULL, &isolated->short_simulated, &isolated->short_wcet);
    wb_machine_free(machine);
    wb_grid_free(grid);
    return status;
}
