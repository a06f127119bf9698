#include "tables.h"

#include <inttypes.h>
#include <math.h>

#include "report/write/json.h"
#include "report/write/write.h"

/* The ratios of a kernel, each with its geometric mean. */
enum ratio {
    RATIO_WITNESS,           /* bound over the slowest execution found */
    RATIO_SIMULATED,         /* bound over the slowest simulation */
    RATIO_UNKNOWN_SIMULATED, /* the bound with registers unknown over that */
    RATIO_FOUND_SIMULATED,   /* the slowest execution found over the slowest simulation */
    RATIO_COUNT
};

static const char *const ratio_keys[RATIO_COUNT] = {"bound_over_witness", "bound_over_simulated",
                                                    "unknown_over_simulated", "witness_over_simulated"};

static double ratio_of(const struct measurement *of, enum ratio ratio) {
    switch (ratio) {
    case RATIO_WITNESS: return measurement_ratio(&of->proven, &of->witness);
    case RATIO_SIMULATED: return measurement_ratio(&of->proven, &of->simulated);
    case RATIO_UNKNOWN_SIMULATED: return measurement_ratio(&of->proven_unknown, &of->simulated);
    case RATIO_FOUND_SIMULATED: return measurement_ratio(&of->witness, &of->simulated);
    case RATIO_COUNT: break;
    }
    return 0;
}

/* Causes as tables have them: issue and units together are work. */
static wb_part_kind cause_of(size_t part) {
    return part == WB_PART_ISSUE || part == WB_PART_UNIT ? WB_PART_BUSY : (wb_part_kind)part;
}

static const char *cause_name(wb_part_kind cause) {
    return cause == WB_PART_BUSY ? "work" : wb_part_name(cause);
}

/* How much of the bound has the cause, from 0 to 1. */
static double share_of(const struct measurement *of, wb_part_kind cause) {
    double cycles = 0;
    for (size_t p = 0; p < WB_PART_COUNT; p++)
        if (cause_of(p) == cause) cycles += (double)of->parts[p];
    return of->proven.cycles > 0 ? cycles / (double)of->proven.cycles : 0;
}

/* Which causes any of the bounds has. */
struct causes {
    bool any[WB_PART_COUNT];
};

static struct causes causes_of(const struct result *results, size_t count) {
    struct causes causes = {{false}};
    for (size_t r = 0; r < count; r++)
        for (size_t p = 0; p < WB_PART_COUNT; p++)
            if (results[r].measurement.parts[p] > 0) causes.any[cause_of(p)] = true;
    return causes;
}

/* Means over the results of a table. */
struct means {
    size_t kernels, searched; /* that were measured; of which executions were looked for, too */
    double ratios[RATIO_COUNT], largest[RATIO_COUNT];
    double shares[WB_PART_COUNT]; /* arithmetic */
};

static struct means means_of(const struct result *results, size_t count) {
    struct means means = {0};
    for (size_t r = 0; r < count; r++) {
        const struct measurement *of = &results[r].measurement;
        if (of->failed) continue;
        means.kernels++;
        for (size_t p = 0; p < WB_PART_COUNT; p++)
            means.shares[p] += share_of(of, (wb_part_kind)p);
        if (of->witness.name == NULL) continue;
        means.searched++;
        for (enum ratio k = 0; k < RATIO_COUNT; k++) {
            const double ratio = ratio_of(of, k);
            means.ratios[k] += log(ratio);
            if (ratio > means.largest[k]) means.largest[k] = ratio;
        }
    }
    for (enum ratio k = 0; k < RATIO_COUNT && means.searched > 0; k++)
        means.ratios[k] = exp(means.ratios[k] / (double)means.searched);
    for (size_t p = 0; p < WB_PART_COUNT && means.kernels > 0; p++)
        means.shares[p] /= (double)means.kernels;
    return means;
}

/* The results from `first` on that are in one table. */
static size_t table_length(const struct result *results, size_t count, size_t first) {
    size_t length = 1;
    while (first + length < count && sweep_same_table(results[first].one, results[first + length].one))
        length++;
    return length;
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

/* From the end of a share to that of the next. */
#define SHARE_STEP 9u

static void share_columns(struct sheet *sheet, const struct causes *causes, uint32_t at) {
    for (size_t p = 0; p < WB_PART_COUNT; p++)
        if (causes->any[p]) sheet_column(sheet, SHEET_RIGHT, at += SHARE_STEP, cause_name((wb_part_kind)p));
}

static void share_cells(struct sheet *sheet, const struct causes *causes, const double *shares) {
    for (size_t p = 0; p < WB_PART_COUNT; p++)
        if (causes->any[p]) sheet_printf(sheet, "%.0f %%", 100 * shares[p]);
}

static void ratio_cell(struct sheet *sheet, double ratio) {
    if (ratio > 0)
        sheet_printf(sheet, "%.2f", ratio);
    else
        sheet_text(sheet, "-");
}

static void timed_cell(struct sheet *sheet, const struct timed_by *timed) {
    if (timed->name != NULL)
        sheet_count(sheet, timed->cycles);
    else
        sheet_text(sheet, "-");
}

static void result_row(const struct result *result, const struct causes *causes, struct sheet *sheet) {
    const struct measurement *of = &result->measurement;
    double shares[WB_PART_COUNT];
    sheet_text(sheet, result->one->kernel->name);
    if (of->failed) {
        sheet_span(sheet, "not measured");
        sheet_end_row(sheet);
        return;
    }
    sheet_count(sheet, of->blocks);
    sheet_count(sheet, of->rooms);
    timed_cell(sheet, &of->proven);
    sheet_text(sheet, of->proven.name != NULL ? of->proven.name : "");
    timed_cell(sheet, &of->proven_unknown);
    timed_cell(sheet, &of->witness);
    sheet_text(sheet, of->witness.name != NULL ? of->witness.name : "");
    timed_cell(sheet, &of->simulated);
    for (enum ratio k = 0; k < RATIO_COUNT; k++)
        ratio_cell(sheet, ratio_of(of, k));
    for (size_t p = 0; p < WB_PART_COUNT; p++)
        shares[p] = share_of(of, (wb_part_kind)p);
    share_cells(sheet, causes, shares);
    sheet_end_row(sheet);
}

static void table_columns(struct sheet *sheet, const struct causes *causes) {
    sheet_column(sheet, SHEET_LEFT, 0, "kernel");
    sheet_column(sheet, SHEET_RIGHT, 30, "blocks");
    sheet_column(sheet, SHEET_RIGHT, 37, "an SM");
    sheet_column(sheet, SHEET_RIGHT, 48, "bound");
    sheet_column(sheet, SHEET_LEFT, 50, "by");
    sheet_column(sheet, SHEET_RIGHT, 74, "unknown");
    sheet_column(sheet, SHEET_RIGHT, 85, "witness");
    sheet_column(sheet, SHEET_LEFT, 87, "by");
    sheet_column(sheet, SHEET_RIGHT, 109, "simulated");
    sheet_column(sheet, SHEET_RIGHT, 116, "b/w");
    sheet_column(sheet, SHEET_RIGHT, 123, "b/s");
    sheet_column(sheet, SHEET_RIGHT, 130, "u/s");
    sheet_column(sheet, SHEET_RIGHT, 137, "w/s");
    share_columns(sheet, causes, 138);
}

static void means_row(const struct means *means, const struct causes *causes, struct sheet *sheet) {
    sheet_printf(sheet, "mean of %zu", means->searched);
    for (int empty = 0; empty < 8; empty++)
        sheet_skip(sheet);
    for (enum ratio k = 0; k < RATIO_COUNT; k++)
        ratio_cell(sheet, means->ratios[k]);
    share_cells(sheet, causes, means->shares);
    sheet_end_row(sheet);
}

static void write_table(const struct result *results, size_t count, struct text *out) {
    struct sheet sheet = {0};
    const struct sweep_case *one = results->one;
    const struct causes causes = causes_of(results, count);
    const struct means means = means_of(results, count);
    text_printf(out, "%s, SMs: %s, %s\n\n", one->machine->name, one->sms, one->size->name);
    table_columns(&sheet, &causes);
    sheet_headings(&sheet);
    for (size_t r = 0; r < count; r++)
        result_row(&results[r], &causes, &sheet);
    means_row(&means, &causes, &sheet);
    sheet_close(&sheet, out);
    text_char(out, '\n');
}

void tables_write(const struct result *results, size_t count, struct text *out) {
    text_printf(out,
                "Cycles. bound: the least that is proven, with %d registers a thread; unknown: the same with "
                "registers unknown.\nwitness: the slowest execution found, with latencies as stated or "
                "shorter; simulated: the slowest under a "
                "policy that is shipped. b/w, b/s, u/s, w/s: their ratios;\nmeans are geometric. Behind them "
                "what the bound is made of, on average of its parts.\n\n",
                KNOWN_REGISTERS);
    for (size_t r = 0, length; r < count; r += length)
        write_table(results + r, length = table_length(results, count, r), out);
}

void tables_write_means(const struct result *results, size_t count, struct text *out) {
    struct sheet sheet = {0};
    const struct causes causes = causes_of(results, count);
    static const char *const headings[RATIO_COUNT] = {"b/w", "b/s", "u/s", "w/s"};
    sheet_column(&sheet, SHEET_LEFT, 0, "machine");
    sheet_column(&sheet, SHEET_LEFT, 14, "SMs");
    sheet_column(&sheet, SHEET_LEFT, 19, "grid");
    sheet_column(&sheet, SHEET_RIGHT, 36, "kernels");
    for (uint32_t k = 0; k < RATIO_COUNT; k++)
        sheet_column(&sheet, SHEET_RIGHT, 43 + 7 * k, headings[k]);
    sheet_column(&sheet, SHEET_RIGHT, 76, "max b/w");
    share_columns(&sheet, &causes, 78);
    sheet_headings(&sheet);
    for (size_t r = 0, length; r < count; r += length) {
        const struct sweep_case *one = results[r].one;
        length = table_length(results, count, r);
        const struct means means = means_of(results + r, length);
        sheet_text(&sheet, one->machine->name);
        sheet_text(&sheet, one->sms);
        sheet_text(&sheet, one->size->name);
        sheet_count(&sheet, means.searched);
        for (enum ratio k = 0; k < RATIO_COUNT; k++)
            ratio_cell(&sheet, means.ratios[k]);
        ratio_cell(&sheet, means.largest[RATIO_WITNESS]);
        share_cells(&sheet, &causes, means.shares);
        sheet_end_row(&sheet);
    }
    sheet_close(&sheet, out);
}

/* ---- For programs -------------------------------------------------------------------------------------- */

static void csv_timed(const struct timed_by *timed, struct text *out) {
    if (timed->name != NULL)
        text_printf(out, ",%" PRIu64 ",%s", timed->cycles, timed->name);
    else
        text_string(out, ",,");
}

void tables_write_csv(const struct result *results, size_t count, struct text *out) {
    text_string(out, "machine,sms,grid,kernel,blocks,rooms,instructions,bound,bound_by,unknown,unknown_by,"
                     "witness,witness_by,simulated,simulated_by");
    for (size_t p = 0; p < WB_PART_COUNT; p++)
        text_printf(out, ",%s", wb_part_name((wb_part_kind)p));
    text_char(out, '\n');
    for (size_t r = 0; r < count; r++) {
        const struct sweep_case *one = results[r].one;
        const struct measurement *of = &results[r].measurement;
        if (of->failed) continue;
        text_printf(out, "%s,%s,%s,%s,%u,%u,%" PRIu64, one->machine->name, one->sms, one->size->name,
                    one->kernel->name, of->blocks, of->rooms, of->instructions);
        csv_timed(&of->proven, out);
        csv_timed(&of->proven_unknown, out);
        csv_timed(&of->witness, out);
        csv_timed(&of->simulated, out);
        for (size_t p = 0; p < WB_PART_COUNT; p++)
            text_printf(out, ",%" PRIu64, of->parts[p]);
        text_char(out, '\n');
    }
}

static void json_timed(struct json *json, const char *key, const struct timed_by *timed) {
    if (timed->name == NULL) {
        json_put_null(json, key);
        return;
    }
    json_open_object(json, key);
    json_put_count(json, "cycles", timed->cycles);
    json_put_text(json, "by", timed->name);
    json_close(json);
}

static void json_result(struct json *json, const struct result *result) {
    const struct measurement *of = &result->measurement;
    json_open_object(json, NULL);
    json_put_text(json, "machine", result->one->machine->name);
    json_put_text(json, "sms", result->one->sms);
    json_put_text(json, "grid", result->one->size->name);
    json_put_text(json, "kernel", result->one->kernel->name);
    if (of->failed) {
        json_put_text(json, "failed", of->why);
        json_close(json);
        return;
    }
    json_put_count(json, "blocks", of->blocks);
    json_put_count(json, "rooms", of->rooms);
    json_put_count(json, "instructions", of->instructions);
    json_timed(json, "bound", &of->proven);
    json_timed(json, "unknown", &of->proven_unknown);
    json_timed(json, "witness", &of->witness);
    json_timed(json, "simulated", &of->simulated);
    for (enum ratio k = 0; k < RATIO_COUNT; k++)
        if (ratio_of(of, k) > 0) json_put_real(json, ratio_keys[k], ratio_of(of, k));
    json_open_object(json, "parts");
    for (size_t p = 0; p < WB_PART_COUNT; p++)
        if (of->parts[p] > 0) json_put_count(json, wb_part_name((wb_part_kind)p), of->parts[p]);
    json_close(json);
    json_close(json);
}

void tables_write_json(const struct result *results, size_t count, struct text *out) {
    struct json json = json_begin(out, JSON_MEMBERS);
    json_open_object(&json, NULL);
    json_open_array(&json, "results");
    for (size_t r = 0; r < count; r++) {
        json_break(&json, 4);
        json_result(&json, &results[r]);
    }
    json_close(&json);
    json_close(&json);
    text_char(out, '\n');
}
