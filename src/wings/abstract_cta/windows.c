#include "wings/abstract_cta/windows.h"

#include <inttypes.h>

#include "cost/costs.h"
#include "report/write/write.h"

/* Most rows of a table. */
#define ROWS_MAX 40u

/* The columns of all tables, and of those of windows whose interleavings were simulated. */
enum { EVERY = 1, INTERLEAVED = 2 };

#define FIELD(key, heading, table, at, member)                                                               \
    RECORD_FIELD(key, heading, table, at, RECORD_U64, wb_window, member)

static const struct record_field fields[] = {
    FIELD("count", NULL, 0, 0, count),
    RECORD_FIELD("warps", "warps", EVERY, 16, RECORD_U32, wb_window, warps),
    RECORD_FIELD("arriving", NULL, 0, 0, RECORD_U32, wb_window, arriving),
    FIELD("cycles", NULL, 0, 0, cycles),
    FIELD("instructions", "T_instr", EVERY, 24, instructions),
    FIELD("barrier", "barrier", EVERY, 32, barrier),
    FIELD("stalls", "stalls", EVERY, 39, stalls),
    FIELD("shifts", "shift", EVERY, 45, shifts),
    FIELD(NULL, "cycles", EVERY, 53, cycles),
    FIELD("apart", "apart", EVERY, 59, apart),
    FIELD("least", "least", INTERLEAVED, 66, least),
    FIELD("interleavings", "interleavings", INTERLEAVED, 80, interleavings),
    {0}};

/* Windows that are not in the table. */
static uint64_t count_rest(const wb_bound *bound) {
    uint64_t rest = bound->windows_left_out;
    for (size_t i = ROWS_MAX; i < bound->window_count; i++)
        rest += bound->windows[i].count;
    return rest;
}

/* A row for windows that are alike: "5", or "5-8". */
static void put_table(struct text *out, const wb_bound *bound) {
    const uint64_t rest = count_rest(bound);
    struct sheet table = {0};
    uint32_t of_table = EVERY;
    uint64_t first = 1;
    for (size_t i = 0; i < bound->window_count; i++)
        if (bound->windows[i].interleavings > 0) of_table = EVERY | INTERLEAVED;
    text_printf(out, "\n%s, window by window:\n", bound->method);
    sheet_column(&table, SHEET_LEFT, 2, "windows");
    record_columns(&table, fields, of_table, 0);
    sheet_headings(&table);
    for (size_t i = 0; i < bound->window_count && i < ROWS_MAX; i++) {
        const wb_window *window = &bound->windows[i];
        if (window->count > 1)
            sheet_printf(&table, "%" PRIu64 "-%" PRIu64, first, first + window->count - 1);
        else
            sheet_count(&table, first);
        record_row(&table, fields, window->interleavings > 0 ? of_table : EVERY, window, NULL);
        sheet_end_row(&table);
        first += window->count;
    }
    if (rest > 0) {
        sheet_span(&table, "and %" PRIu64 " more", rest);
        sheet_end_row(&table);
    }
    sheet_close(&table, out);
}

void windows_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis) {
    bool put = false;
    for (size_t i = 0; i < analysis->bounds.count; i++) {
        if (analysis->bounds.items[i].window_count == 0) continue;
        put_table(out, &analysis->bounds.items[i]);
        put = true;
    }
    if (put)
        layout_printf(out, layout, 2,
                      "  apart: the analysis window, the most cycles of T_instr that divergence can have put "
                      "between two warps when they come to the barrier; none are left behind it");
}

void windows_json(struct json *json, const wb_bound *bound) {
    if (bound->window_count == 0) return;
    json_open_array(json, "windows");
    for (size_t i = 0; i < bound->window_count; i++)
        record_object(json, NULL, fields, &bound->windows[i], NULL);
    json_close(json);
    json_put_count(json, "windows_left_out", bound->windows_left_out);
}

/* ---- Costs: cycles of windows, each divided among the instructions that it counts ------------------------
 */

/* Weights: issue slots; and the latencies of instructions that wait for memory. */
static wb_status make_weights(struct cost_maker *maker, struct tally *weights) {
    const struct timed_block *timed = maker->analysis->timed;
    struct arena *arena = &maker->costs->arena;
    const uint64_t *executions = cost_executions(timed, arena);
    if (executions == NULL || tally_init(weights, maker->shares.instructions, arena) != WB_OK)
        return diagnose_out_of_memory(maker->diagnostics, "costs");
    for (uint32_t i = 0; i < timed->code.inst_count; i++) {
        const struct timed_inst *inst = &timed->code.insts[i];
        const uint32_t origin = timed_origin(&timed->code, i);
        if (inst->unit == UNIT_NONE) continue;
        tally_add(weights, origin, WB_PART_ISSUE, executions[i]);
        if (inst->memory_latency > 0)
            tally_add(weights, origin, WB_PART_LATENCY, cycles_mul(executions[i], inst->latency));
    }
    return WB_OK;
}

wb_status window_costs(struct cost_maker *maker, cycles total) {
    cycles instructions = 0, barriers = 0, stalls = 0, shifts = 0;
    struct tally *shares = &maker->shares, weights;
    for (size_t w = 0; w < maker->bound->window_count; w++) {
        const wb_window *window = &maker->bound->windows[w];
        instructions = cycles_add(instructions, cycles_mul(window->count, window->instructions));
        barriers = cycles_add(barriers, cycles_mul(window->count, window->barrier));
        stalls = cycles_add(stalls, cycles_mul(window->count, window->stalls));
        shifts = cycles_add(shifts, cycles_mul(window->count, window->shifts));
    }
    if (cycles_add(cycles_add(instructions, barriers), cycles_add(stalls, shifts)) != total)
        return cost_decline(maker, "some of its windows were left out");
    WB_TRY(make_weights(maker, &weights));
    tally_add(shares, tally_apart(shares, COST_RELEASE), WB_PART_LATENCY, barriers);
    tally_add(shares, tally_apart(shares, COST_DIVERGENCE), WB_PART_WAIT, shifts);
    WB_TRY(cost_divide(maker, WB_PART_ISSUE, instructions, &weights));
    return cost_divide(maker, WB_PART_LATENCY, stalls, &weights);
}
