#include "conventions.h"

#include <string.h>

#include "base/base.h"
#include "sim/gpu/gpu.h"
#include "warp/synthetic/synthetic.h"
#include "wings/abstract_cta/acta_turns.h"

/* TriangleSum, slide 4: rows of each warp, the load in odd ones, `s += 1` in the first. */
#define WARPS 4u
static const uint32_t rows_of[WARPS] = {4, 8, 12, 16};

const char *const placement_names[PLACEMENTS] = {"load, add, barrier", "load, barrier that waits for it",
                                                 "load, barrier, add"};

/* ---- What is executed
 * --------------------------------------------------------------------------------------
 */

/* Writes the program of a warp; `executed` counts its instructions as operands do, without slotless barriers.
 */
struct execution {
    const struct reading *reading;
    struct text *program;
    uint32_t executed;
    uint32_t loaded; /* instruction whose value is still to be added */
    bool is_pending;
};

static void put_work(struct execution *execution, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        text_string(execution->program, "A ");
    execution->executed += count;
}

static void put_load(struct execution *execution) {
    execution->loaded = execution->executed;
    text_string(execution->program, "M ");
    execution->executed++;
    execution->is_pending = true;
}

/* The addition of what was loaded. */
static void put_addition(struct execution *execution) {
    text_printf(execution->program, "A.%u ", execution->loaded);
    execution->executed++;
    execution->is_pending = false;
}

static void put_barrier(struct execution *execution) {
    const bool waits = execution->is_pending && execution->reading->placement == BARRIER_FOLLOWS_LOAD;
    if (execution->reading->slots == 0) {
        text_string(execution->program, "| ");
        return;
    }
    text_string(execution->program, "A");
    if (waits) text_printf(execution->program, ".%u", execution->loaded);
    text_string(execution->program, "! ");
    execution->executed++;
}

/* A row: 6 instructions, one more in the first; of an odd row 4 more with the load; the barrier, and 3. */
static void put_row(struct execution *execution, uint32_t row) {
    put_work(execution, row == 0 ? 7 : 6);
    if (row % 2 == 1) {
        const bool before = execution->reading->placement == BARRIER_FOLLOWS_LOAD;
        put_work(execution, before ? 3 : 2);
        put_load(execution);
        if (execution->reading->placement == ADD_FOLLOWS_LOAD) put_addition(execution);
    }
    put_barrier(execution);
    if (execution->is_pending && execution->reading->placement == ADD_BEHIND_BARRIER) put_addition(execution);
    execution->is_pending = false;
    put_work(execution, 3);
}

static void put_warp(const struct reading *reading, uint32_t header, uint32_t rows, struct text *program) {
    struct execution execution = {.reading = reading, .program = program};
    put_work(&execution, 7);
    for (uint32_t row = 0; row < rows; row++) {
        put_work(&execution, 2);
        put_row(&execution, row);
    }
    put_work(&execution, header == HEADER_TESTS_THE_EXIT ? 2 + 4 : 4);
}

static wb_status simulate_block(const struct timed_block *block, const char *policy,
                                wb_diagnostics *diagnostics, cycles *time) {
    wb_simulation simulation;
    size_t p = 0;
    while (strcmp(policy_at(p)->name, policy) != 0)
        p++;
    WB_TRY(simulate(block, policy_at(p), NULL, NULL, diagnostics, &simulation));
    *time = simulation.cycles;
    return WB_OK;
}

/* What the four warps take under a reading, which gives all but the policy, and each policy. */
static wb_status simulate_reading(const struct machine_abstract_cta *keys, const struct reading *reading,
                                  wb_diagnostics *diagnostics, struct combination *combination) {
    struct text program = {0}, units = {0};
    struct synthetic_block block;
    /* A result can be used `latency` + 1 cycles after the issue. */
    text_printf(&units, "A(1,0) M(1,%u)", keys->memory_latency - 1 + reading->later);
    for (uint32_t w = 0; w < WARPS; w++) {
        if (w > 0) text_string(&program, "; ");
        put_warp(reading, keys->header, rows_of[w], &program);
    }
    wb_status status = synthetic_block_parse(units.data, program.data, diagnostics, &block);
    block.machine.barrier_release = reading->release;
    for (size_t p = 0; status == WB_OK && policy_at(p) != NULL; p++) {
        cycles time;
        if (policy_misfit(policy_at(p), &block.machine) != NULL) continue;
        status = simulate_block(&block.timed, policy_at(p)->name, diagnostics, &time);
        if (status != WB_OK || time != PUBLISHED_SIMULATED) continue;
        struct reading found = *reading;
        found.policy = policy_at(p)->name;
        status = vec_push(&combination->readings, found);
    }
    synthetic_block_free(&block);
    text_free(&program);
    text_free(&units);
    return status;
}

/* All readings of a combination; a row costs an execution of the header, less one in all. */
static wb_status simulate_readings(wb_diagnostics *diagnostics, struct combination *combination,
                                   uint64_t *count) {
    *count = 0;
    for (uint32_t bits = 0; bits < 8; bits++) {
        for (enum placement placement = 0; placement < PLACEMENTS; placement++) {
            const struct reading reading = {bits & 1, bits >> 1 & 1, bits >> 2 & 1, placement, NULL};
            if (placement == BARRIER_FOLLOWS_LOAD && reading.slots == 0) continue;
            (*count)++;
            WB_TRY(simulate_reading(&combination->keys, &reading, diagnostics, combination));
        }
    }
    return WB_OK;
}

/* ---- What is estimated ------------------------------------------------------------------------------------
 */

static wb_status estimate(const struct acta_warp_file *file, const struct machine_abstract_cta *keys,
                          wb_diagnostics *diagnostics, cycles *time) {
    struct wb_machine machine = *file->machine;
    struct acta_time parts;
    machine.abstract_cta = *keys;
    const struct acta_rules rules = acta_rules_stated(&machine);
    WB_TRY(acta_simulate(&file->cta, &rules, NULL, diagnostics, NULL, &parts));
    *time = acta_time_total(&parts);
    return WB_OK;
}

/* The same warps in turn, where the keys leave to them what they do. */
static wb_status take_turns(const struct acta_warp_file *file, wb_diagnostics *diagnostics,
                            struct combination *combination) {
    const struct machine_abstract_cta *keys = &combination->keys;
    struct wb_machine machine = *file->machine;
    struct search_budget budget = search_budget_of(0);
    struct acta_turns turns;
    if (keys->stall_warps == STALL_ALL_WARPS || keys->shift == SHIFT_IS_ADDED) return WB_OK;
    machine.abstract_cta = *keys;
    const struct acta_rules rules = acta_rules_stated(&machine);
    WB_TRY(acta_turns_simulate(&file->cta, &rules, &budget, NULL, diagnostics, NULL, &turns));
    combination->turns = turns.most;
    return WB_OK;
}

/* The latencies with which the keys give the published estimate: it never falls with the latency. */
static wb_status try_latencies(const struct acta_warp_file *file, struct machine_abstract_cta keys,
                               wb_diagnostics *diagnostics, struct conventions *conventions) {
    for (uint32_t latency = 1; latency <= LATENCY_MAX; latency++) {
        cycles time;
        keys.memory_latency = latency;
        WB_TRY(estimate(file, &keys, diagnostics, &time));
        if (time > PUBLISHED_ESTIMATE) return WB_OK;
        if (time < PUBLISHED_ESTIMATE) continue;
        struct combination found = {.keys = keys};
        wb_status status = take_turns(file, diagnostics, &found);
        if (status == WB_OK) status = simulate_readings(diagnostics, &found, &conventions->readings);
        if (status == WB_OK) status = vec_push(&conventions->found, found);
        if (status != WB_OK) {
            vec_free(&found.readings);
            return status;
        }
    }
    return WB_OK;
}

wb_status conventions_find(const struct acta_warp_file *file, wb_diagnostics *diagnostics,
                           struct conventions *conventions) {
    *conventions = (struct conventions){0};
    for (uint32_t bits = 0; bits < 128; bits++) {
        const struct machine_abstract_cta keys = {.stated = true,
                                                  .header = bits & 1,
                                                  .barrier_slots = bits >> 1 & 1,
                                                  .barrier_cycles = bits >> 2 & 1,
                                                  .stall_warps = bits >> 3 & 1,
                                                  .uniform_branch = bits >> 4 & 1,
                                                  .shift = bits >> 5 & 1,
                                                  .stores_stall = (bits >> 6 & 1) != 0};
        conventions->tried++;
        WB_TRY(try_latencies(file, keys, diagnostics, conventions));
    }
    return WB_OK;
}

void conventions_free(struct conventions *conventions) {
    for (size_t i = 0; i < conventions->found.count; i++)
        vec_free(&conventions->found.items[i].readings);
    vec_free(&conventions->found);
}

size_t conventions_pairs(const struct conventions *conventions) {
    size_t pairs = 0;
    for (size_t i = 0; i < conventions->found.count; i++)
        pairs += conventions->found.items[i].readings.count;
    return pairs;
}

size_t conventions_both(const struct conventions *conventions) {
    size_t both = 0;
    for (size_t i = 0; i < conventions->found.count; i++)
        both += conventions->found.items[i].readings.count > 0;
    return both;
}
