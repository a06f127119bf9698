#include "wings/abstract_cta/acta_simulate.h"

#include <stdlib.h>
#include <string.h>

/* Windows between two looks at the watch. */
#define WATCH_PERIOD ((uint64_t)1 << 14)

/* All warps at the same window. */
struct cta_run {
    const struct acta_group *cta;
    const struct acta_rules *rules;
    struct acta_cursor *cursors;  /* per warp */
    struct acta_windows *windows; /* or NULL */
    struct acta_time time;
};

wb_status acta_windows_add(struct acta_windows *windows, const wb_window *window) {
    const size_t count = windows->items.count;
    if (count > 0 && windows->left_out == 0) {
        wb_window *last = &windows->items.items[count - 1], next = *window;
        next.count = last->count;
        if (memcmp(last, &next, sizeof next) == 0) {
            last->count++;
            return WB_OK;
        }
    }
    if (count < ACTA_WINDOWS_MAX) return vec_push(&windows->items, *window);
    windows->left_out++;
    return WB_OK;
}

void acta_windows_free(struct acta_windows *windows) {
    vec_free(&windows->items);
    *windows = (struct acta_windows){0};
}

struct acta_rules acta_rules_stated(const struct wb_machine *machine) {
    const struct machine_abstract_cta *stated = &machine->abstract_cta;
    bool of_machine = stated->memory_latency == ABSTRACT_LATENCY_OF_MACHINE;
    return (struct acta_rules){
        .counting = {stated->header == HEADER_ONCE_AN_ITERATION,
                     stated->uniform_branch == BRANCH_EXECUTED_SIDE},
        .hiding = stated->stall_warps == STALL_ALL_WARPS ? HIDDEN_BY_ALL : HIDDEN_BY_ACTIVE,
        .latency = of_machine ? machine->mem_latency : stated->memory_latency,
        .barrier_slots = stated->barrier_slots,
        .barrier_cycles = stated->barrier_cycles,
        .add_shift = stated->shift == SHIFT_IS_ADDED,
        .stores_stall = stated->stores_stall,
    };
}

struct acta_rules acta_rules_safe(const struct wb_machine *machine, cycles latency) {
    const struct machine_class *barrier = &machine->classes[PTX_CLASS_BARRIER];
    return (struct acta_rules){
        .hiding = HIDDEN_BY_NONE,
        .latency = latency,
        .barrier_slots = barrier->given && barrier->unit == UNIT_NONE ? 0 : 1,
        .barrier_cycles = machine->barrier_release,
    };
}

/* What all warps of one window cost together. */
struct window_sum {
    cycles instr, shift;
    cycles accesses; /* memory access nodes that stall, of the warp with most of them */
    cycles widest;
    uint32_t active, arriving; /* warps in the window, and at its barrier */
};

static void add_window(const struct acta_rules *rules, const struct acta_window *window,
                       struct window_sum *sum) {
    const struct acta_cost *cost = &window->cost;
    sum->instr = cycles_add(sum->instr, cost->instr);
    sum->shift = cycles_add(sum->shift, cost->shift);
    sum->widest = cycles_max(sum->widest, cost->shift);
    cycles accesses = rules->stores_stall ? cycles_add(cost->loads, cost->stores) : cost->loads;
    sum->accesses = cycles_max(sum->accesses, accesses);
    sum->active++;
    sum->arriving += window->at_barrier;
}

/* max(0, T_memory - N), slide 9. */
static cycles stall_time(const struct cta_run *run, const struct window_sum *sum) {
    uint32_t hiding = 0;
    if (run->rules->hiding == HIDDEN_BY_ALL)
        hiding = run->cta->warp_count;
    else if (run->rules->hiding == HIDDEN_BY_ACTIVE)
        hiding = sum->arriving > 0 ? sum->arriving : sum->active;
    return cycles_sub(run->rules->latency, hiding);
}

static wb_status keep_window(struct cta_run *run, const struct window_sum *sum) {
    const struct acta_rules *rules = run->rules;
    struct acta_time *time = &run->time;
    cycles barrier = cycles_mul(sum->arriving, rules->barrier_slots);
    if (sum->arriving > 0) barrier = cycles_add(barrier, rules->barrier_cycles);
    const cycles stalls = cycles_mul(sum->accesses, stall_time(run, sum));
    const cycles shifts = rules->add_shift ? sum->shift : 0;
    const cycles whole = cycles_add(cycles_add(sum->instr, barrier), cycles_add(stalls, shifts));
    time->instructions = cycles_add(time->instructions, sum->instr);
    time->barriers = cycles_add(time->barriers, barrier);
    time->stalls = cycles_add(time->stalls, stalls);
    time->shifts = cycles_add(time->shifts, shifts);
    time->widest = cycles_max(time->widest, sum->widest);
    time->windows++;
    if (run->windows == NULL) return WB_OK;
    const wb_window window = {.count = 1,
                              .cycles = whole,
                              .instructions = sum->instr,
                              .barrier = barrier,
                              .stalls = stalls,
                              .shifts = shifts,
                              .apart = sum->widest,
                              .least = whole,
                              .warps = sum->active,
                              .arriving = sum->arriving};
    return acta_windows_add(run->windows, &window);
}

/* One window of every warp that has not ended; *more: there was one. */
static wb_status run_window(struct cta_run *run, bool *more) {
    struct window_sum sum = {0};
    for (uint32_t w = 0; w < run->cta->warp_count; w++) {
        struct acta_window window;
        if (acta_cursor_ended(&run->cursors[w])) continue;
        WB_TRY(acta_cursor_next(&run->cursors[w], &window));
        add_window(run->rules, &window, &sum);
    }
    *more = sum.active > 0;
    return *more ? keep_window(run, &sum) : WB_OK;
}

static wb_status run_windows(struct cta_run *run, const wb_watch *watch, wb_diagnostics *diagnostics) {
    for (bool more = true; more;) {
        if (run_window(run, &more) != WB_OK) return diagnose_out_of_memory(diagnostics, "abstract warps");
        if (watch == NULL || watch->poll == NULL || run->time.windows % WATCH_PERIOD != 0) continue;
        if (watch->poll(watch->user, "windows", run->time.windows, 0)) continue;
        diagnose(diagnostics, SEVERITY_ERROR, "abstract warps", "analysis stopped");
        return WB_ERR_LIMIT;
    }
    return WB_OK;
}

wb_status acta_simulate(const struct acta_group *cta, const struct acta_rules *rules, const wb_watch *watch,
                        wb_diagnostics *diagnostics, struct acta_windows *windows, struct acta_time *time) {
    struct cta_run run = {.cta = cta, .rules = rules, .windows = windows};
    run.cursors = calloc((size_t)cta->warp_count + 1, sizeof *run.cursors);
    wb_status status = run.cursors == NULL ? WB_ERR_LIMIT : WB_OK;
    for (uint32_t w = 0; status == WB_OK && w < cta->warp_count; w++)
        status = acta_cursor_begin(&run.cursors[w], cta, w, rules->counting);
    if (status != WB_OK)
        (void)diagnose_out_of_memory(diagnostics, "abstract warps");
    else
        status = run_windows(&run, watch, diagnostics);
    for (uint32_t w = 0; run.cursors != NULL && w < cta->warp_count; w++)
        acta_cursor_free(&run.cursors[w]);
    free(run.cursors);
    if (status == WB_OK) *time = run.time;
    return status;
}
