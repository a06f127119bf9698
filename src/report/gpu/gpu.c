/* Simulations of a grid on a GPU, as tables for people and as JSON. */
#include "sim/gpu/gpu.h"
#include "report/parts/parts.h"

/* The tables: without caches one, with them three. Their names of scheme and policy stand in front of the
 * numbers. */
enum { NO_CACHES = 1, FIRST_LEVEL = 2, BELOW = 4, STALLS = 8 };
enum { AT_POLICY = 10, AT_NUMBERS = 18 };

static struct value miss_rate(const void *record, const void *context) {
    const wb_gpu_simulation *simulation = record;
    (void)context;
    return (struct value){VALUE_PERCENT, {.percent = report_percent(simulation->misses, simulation->loads)}};
}

#define COUNT(key, heading, tables, member)                                                                  \
    RECORD_FIELD(key, heading, tables, 0, RECORD_U64, wb_gpu_simulation, member)

static const struct record_field simulation_fields[] = {
    RECORD_FIELD("scheme", NULL, 0, 0, RECORD_TEXT, wb_gpu_simulation, scheme),
    RECORD_FIELD("policy", NULL, 0, 0, RECORD_TEXT, wb_gpu_simulation, policy),
    RECORD_FIELD("work_conserving", NULL, 0, 0, RECORD_BOOL, wb_gpu_simulation, work_conserving),
    COUNT("cycles", "cycles", NO_CACHES | FIRST_LEVEL, cycles),
    COUNT("warp_instructions", "instr.", NO_CACHES | FIRST_LEVEL, warp_instructions),
    COUNT("loads", "loads", NO_CACHES | FIRST_LEVEL, loads),
    COUNT("hits", NULL, 0, hits),
    COUNT("misses", "misses", FIRST_LEVEL, misses),
    RECORD_FIELD_MADE(NULL, "miss rate", FIRST_LEVEL, 0, miss_rate),
    COUNT("hits_under_miss", NULL, 0, hits_under_miss),
    COUNT("stores", "stores", NO_CACHES | BELOW, stores),
    COUNT("atomics", "atomics", NO_CACHES | BELOW, atomics),
    COUNT("l2_hits", "L2 hits", BELOW, l2_hits),
    COUNT("l2_misses", "L2 misses", BELOW, l2_misses),
    COUNT("dram_reads", "DRAM reads", BELOW, dram_reads),
    COUNT("dram_writes", "writes", BELOW, dram_writes),
    COUNT(NULL, "held back", NO_CACHES, mshr_stalls),
    {0}};

/* Cycles that first levels, or warps, waited, by what for. */
static const struct record_field stall_fields[] = {COUNT("mshr", "no entry", STALLS, mshr_stalls),
                                                   COUNT("victim", "victim", STALLS, victim_stalls),
                                                   COUNT("reorder", "out of turn", STALLS, reorder_stalls),
                                                   COUNT("channel", "channel", STALLS, channel_stalls),
                                                   {0}};

static struct value elapsed(const void *record, const void *context) {
    (void)context;
    return (struct value){VALUE_SECONDS, {.seconds = ((const wb_gpu_simulation *)record)->seconds}};
}

static const struct record_field timing_fields[] = {
    RECORD_FIELD_MADE(NULL, "elapsed", NO_CACHES | FIRST_LEVEL, 0, elapsed), {0}};

/* One of the tables, with the elapsed time where there is one to be shown. */
static void put_table(struct text *out, const struct wb_gpu *gpu, const struct record_field *fields,
                      uint32_t of_table, bool timing) {
    struct sheet table = {0};
    sheet_column(&table, SHEET_LEFT, 0, "scheme");
    sheet_column(&table, SHEET_LEFT, AT_POLICY, "policy");
    const uint32_t last = record_columns(&table, fields, of_table, AT_NUMBERS);
    if (timing) record_columns(&table, timing_fields, of_table, last);
    sheet_headings(&table);
    for (size_t i = 0; i < gpu->simulations.count; i++) {
        const wb_gpu_simulation *simulation = &gpu->simulations.items[i];
        sheet_text(&table, simulation->scheme);
        sheet_text(&table, simulation->policy);
        record_row(&table, fields, of_table, simulation, NULL);
        if (timing) record_row(&table, timing_fields, of_table, simulation, NULL);
        sheet_end_row(&table);
    }
    sheet_close(&table, out);
}

static void put_text(struct text *out, const struct wb_gpu *gpu, const wb_report_options *options) {
    const struct report_executed executed[] = {{"simulations", gpu->timed.code.assumed}, {NULL, 0}};
    heading_put_gpu(out, &gpu->timed);
    text_char(out, '\n');
    if (memory_has_hierarchy(&gpu->timed.machine->memory)) {
        put_table(out, gpu, simulation_fields, FIRST_LEVEL, options->timing);
        text_string(out, "\nbelow the first level, requests:\n");
        put_table(out, gpu, simulation_fields, BELOW, false);
        text_string(out, "\nstalls, cycles of all SMs:\n");
        put_table(out, gpu, stall_fields, STALLS, false);
    } else {
        put_table(out, gpu, simulation_fields, NO_CACHES, options->timing);
    }
    if (gpu->timed.code.assumed != 0) text_char(out, '\n');
    report_put_conditions(out, &layout_unlimited, NULL, NULL, executed);
}

static void put_json(struct text *out, const struct wb_gpu *gpu, const wb_report_options *options) {
    struct json json = json_begin(out, JSON_LINES);
    document_open(&json, "warpbound-simulate", 1);
    heading_gpu_json(&json, &gpu->timed);
    heading_gpu_inputs_json(&json, &gpu->timed);
    json_open_array(&json, "simulations");
    for (size_t i = 0; i < gpu->simulations.count; i++) {
        const wb_gpu_simulation *simulation = &gpu->simulations.items[i];
        json_open_object(&json, NULL);
        record_json(&json, simulation_fields, simulation, NULL);
        record_object(&json, "stalls", stall_fields, simulation, NULL);
        heading_fetches_json(&json, gpu->timed.machine, simulation->fetches, simulation->fetch_misses);
        report_assumed_json(&json, gpu->timed.code.assumed);
        report_seconds_json(&json, simulation->seconds, options);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

wb_status wb_gpu_report(const wb_gpu *gpu, wb_report_format format, const wb_report_options *options,
                        wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    struct text out = {0};
    if (format == WB_REPORT_JSON)
        put_json(&out, gpu, &asked);
    else
        put_text(&out, gpu, &asked);
    return report_take(WB_OK, &out, diagnostics, text);
}
