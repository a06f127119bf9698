/* The first-level caches as JSON; docs/json.md documents every key. */
#include <math.h>

#include "report/bound_json.h"
#include "report/cache_report.h"
#include "report/gpu_report.h"
#include "report/json_parts.h"

/* A miss rate with six places, so that the text does not depend on the last bits of a division. */
static json_t *rate_json(const struct cache_counts *counts) {
    double percent = report_percent(counts->misses_estimated, counts->loads);
    return json_real(round(percent * 1e4) / 1e6);
}

/* A count, or null where it is not known. */
static json_t *known_json(uint64_t count, bool unknown) {
    return unknown ? json_null() : json_integer((json_int_t)count);
}

/* Adds what is known of covering paths under reordering. */
static void put_order(const struct cache_summary *summary, const struct cache_counts *counts,
                      json_t **object) {
    const bool known = summary->no_order == NULL;
    if (!summary->covering) return;
    json_put(object, "least_misses_reordered", known_json(counts->misses_estimated, !known));
    json_put(object, "most_misses_reordered", known_json(counts->most_estimated, !known));
}

static json_t *counts_json(const struct cache_summary *summary, const struct cache_counts *counts) {
    const bool covering = summary->covering;
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:o}", "accesses", (json_int_t)counts->accesses,
                  "requests", (json_int_t)counts->requests, "loads", (json_int_t)counts->loads,
                  "misses_estimated", known_json(counts->misses_estimated, covering), "miss_rate_estimated",
                  covering ? json_null() : rate_json(counts), "misses_simulated",
                  known_json(counts->misses_reordered, covering), "guaranteed_hits",
                  (json_int_t)counts->guaranteed_hits, "misses_simulated_default",
                  known_json(counts->misses_default, covering));
    put_order(summary, counts, &object);
    return object;
}

static json_t *instruction_json(const struct cache_report *report, uint32_t index) {
    struct inst_place place;
    const struct ptx_inst *inst = cache_report_inst(report, index, &place);
    json_t *object = counts_json(report->summary, &report->summary->instructions[index]);
    json_put(&object, "opcode", json_string(inst->form->text));
    json_put(&object, "line", json_integer((json_int_t)place.line));
    json_put_source(&object, place.source_file, place.source_line);
    return object;
}

wb_status report_cache_json(const struct cache_report *report, wb_diagnostics *diagnostics, char **text) {
    const struct cache_summary *summary = report->summary;
    json_t *root = report_gpu_heading_json(report->timed), *instructions = json_array();
    for (uint32_t i = 0; i < summary->instruction_count; i++)
        if (summary->instructions[i].accesses > 0) json_add(&instructions, instruction_json(report, i));
    json_put_all(&root, counts_json(summary, &summary->total));
    json_put(&root, "covering", json_boolean(summary->covering));
    if (summary->covering) json_put(&root, "no_order", json_text(summary->no_order));
    json_put(&root, "most_misses_default", json_integer((json_int_t)summary->most_misses));
    json_put(&root, "instructions", instructions);
    json_put(&root, "assumptions", report_assumed_json(report->timed->code.assumed));
    return report_take_json(root, diagnostics, text);
}
