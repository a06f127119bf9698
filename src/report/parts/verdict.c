#include "report/parts/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/parts/bounds.h"
#include "report/write/output.h"

/* ---- Times in the unit of the deadline ----------------------------------------------------------------- */

static const struct {
    const char *name;
    double per_microsecond;
} units[] = {[WB_UNIT_ANY] = {"", 0},  [WB_UNIT_CYCLES] = {"", 0},  [WB_UNIT_NS] = {"ns", 1e3},
             [WB_UNIT_US] = {"us", 1}, [WB_UNIT_MS] = {"ms", 1e-3}, [WB_UNIT_S] = {"s", 1e-6}};

static void put_cycles(struct text *out, uint64_t time) {
    text_printf(out, "%" PRIu64 " cycle%s", time, time == 1 ? "" : "s");
}

/* In the chosen unit, unless too few digits remain in it. */
static void put_time(struct text *out, const struct verdict_words *words, uint64_t time) {
    if (words->unit == WB_UNIT_CYCLES) {
        put_cycles(out, time);
        return;
    }
    const double value = (double)time / words->clock_mhz * units[words->unit].per_microsecond;
    if (words->unit == WB_UNIT_ANY || value < 0.1)
        report_put_time(out, words->clock_mhz, time);
    else
        text_printf(out, "%.*f %s", value < 1 ? 3 : 2, value, units[words->unit].name);
}

/* The deadline as its user wrote it: to six digits, which hides that it is kept in whole cycles. */
static void put_deadline(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    const double value = (double)verdict->deadline / words->clock_mhz * units[words->unit].per_microsecond;
    if (words->unit == WB_UNIT_ANY || words->unit == WB_UNIT_CYCLES)
        put_time(out, words, verdict->deadline);
    else
        text_printf(out, "%.6g %s", value, units[words->unit].name);
}

static uint64_t distance(const wb_verdict *verdict, uint64_t time) {
    return time > verdict->deadline ? time - verdict->deadline : verdict->deadline - time;
}

/* How far a time is from the deadline in percent of that, rounded down: no bound makes for 100 % of margin.
 */
static void put_percent(struct text *out, const wb_verdict *verdict, uint64_t time) {
    if (verdict->deadline == 0) return;
    const double percent = report_percent(distance(verdict, time), verdict->deadline);
    text_printf(out, " (%.1f %%)", floor(percent * 10) / 10);
}

/* ---- The line ------------------------------------------------------------------------------------------ */

static const uint32_t *block_index(const struct wb_analysis *judged) {
    if (judged->kind == SUBJECT_OF_WING) return NULL;
    if (judged->timed == NULL) return judged->grid_times.grid->first_index;
    return judged->block != NULL ? judged->block->index : NULL;
}

/* A block, by itself. */
static void put_block(struct text *out, const struct wb_analysis *judged) {
    const uint32_t *index = block_index(judged);
    if (judged->kind == SUBJECT_OF_WING)
        text_printf(out, "the block of %s", judged->reader->plural);
    else if (index == NULL)
        text_string(out, "the block");
    else
        text_printf(out, "block (%u,%u,%u) alone", index[0], index[1], index[2]);
}

void verdict_put_subject(struct text *out, const wb_verdict *verdict) {
    switch (verdict->scope) {
    case WB_SCOPE_KERNEL: text_string(out, "the kernel"); return;
    case WB_SCOPE_STREAM: text_string(out, "the stream"); return;
    case WB_SCOPE_BLOCK: break;
    }
    if (verdict->every_block)
        text_string(out, "every block alone");
    else
        put_block(out, verdict->judged);
}

/* Whether times are those of a model. */
static void put_model(struct text *out, const wb_verdict *verdict) {
    static const char *const models[] = {[WB_MODEL_NONE] = "",
                                         [WB_MODEL_PTX] = "in the PTX model, ",
                                         [WB_MODEL_CLASSES] = "in a PTX model of its machine code, "};
    text_string(out, models[verdict->model]);
}

static void put_modelled(struct text *out, const wb_verdict *verdict) {
    put_model(out, verdict);
    verdict_put_subject(out, verdict);
}

/* Times in seconds are of a clock. */
static void put_clock(struct text *out, const struct verdict_words *words) {
    if (words->unit != WB_UNIT_CYCLES && words->clock_mhz > 0)
        text_printf(out, ", at %g MHz", words->clock_mhz);
}

static void put_bounded(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    put_modelled(out, verdict);
    text_string(out, " takes at most ");
    put_time(out, words, verdict->cycles);
    if (verdict->slowest.cycles > 0) {
        text_string(out, "; slowest found ");
        put_time(out, words, verdict->slowest.cycles);
    }
    put_clock(out, words);
}

static void put_met(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    put_modelled(out, verdict);
    text_string(out, " takes at most ");
    put_time(out, words, verdict->cycles);
    text_string(out, " of ");
    put_deadline(out, verdict, words);
    text_string(out, ", margin ");
    put_time(out, words, distance(verdict, verdict->cycles));
    put_percent(out, verdict, verdict->cycles);
    put_clock(out, words);
}

/* Within the deadline, but nobody said that the model is what the deadline is about. */
static void put_model_only(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    put_met(out, verdict, words);
    text_string(out, "; nothing is proven of the code that runs");
}

/* Both numbers, without launch overheads. */
static void put_contradiction(struct text *out, const wb_verdict *verdict,
                              const struct verdict_words *words) {
    const wb_contradiction *contradiction = &verdict->contradiction;
    const wb_slowest *found = &contradiction->found;
    put_model(out, verdict);
    text_printf(out, "of the %s, %s found ", wb_scope_name(contradiction->scope),
                found->name != NULL ? found->name : "an execution");
    put_time(out, words, found->cycles);
    text_printf(out, " (%" PRIu64 " cycles, %s), and %s proves at most ", found->cycles,
                wb_kind_name(found->kind), contradiction->method);
    put_time(out, words, contradiction->proven);
    text_printf(out, " (%" PRIu64 " cycles)", contradiction->proven);
    put_clock(out, words);
    text_string(out, ": one of them is wrong, and nothing here is a bound");
}

/* " can take" or " takes at most" a time, and by how much that is too long. */
static void put_over(struct text *out, const wb_verdict *verdict, const struct verdict_words *words,
                     const char *how, uint64_t time) {
    text_string(out, how);
    put_time(out, words, time);
    text_string(out, ", ");
    put_time(out, words, distance(verdict, time));
    text_string(out, " more than ");
    put_deadline(out, verdict, words);
    put_percent(out, verdict, time);
    put_clock(out, words);
}

/* A bound is of every block, an execution that was found of one. */
static void put_missed(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    if (verdict->slowest.of_code && verdict->slowest.machine != NULL)
        text_printf(out, "by its machine code on %s, ", verdict->slowest.machine);
    else if (verdict->slowest.of_code)
        text_string(out, "by its machine code, ");
    else
        put_model(out, verdict);
    if (verdict->scope == WB_SCOPE_BLOCK)
        put_block(out, verdict->judged);
    else
        verdict_put_subject(out, verdict);
    put_over(out, verdict, words, " can take ", verdict->slowest.cycles);
}

/* Adds what is known of the block, though the deadline is for the kernel. */
static void put_block_only(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    uint64_t proven;
    text_string(out, "nothing is proven of the kernel, deadline ");
    put_deadline(out, verdict, words);
    if (!wb_analysis_proven(verdict->judged, &proven)) return;
    text_string(out, "; ");
    put_model(out, verdict);
    put_block(out, verdict->judged);
    text_string(out, " takes at most ");
    put_time(out, words, proven);
    put_clock(out, words);
}

static void put_unproven(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    if (verdict->refuted == NULL) put_model(out, verdict);
    text_string(out, "no bound of ");
    verdict_put_subject(out, verdict);
    text_string(out, " is proven");
    if (verdict->refuted != NULL) text_string(out, ": machine code refutes the PTX model");
    if (!verdict->has_deadline) return;
    text_string(out, ", deadline ");
    put_deadline(out, verdict, words);
    put_clock(out, words);
}

void verdict_put_line(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    text_printf(out, "%s: ", wb_state_name(verdict->state));
    switch (verdict->state) {
    case WB_BOUNDED: put_bounded(out, verdict, words); break;
    case WB_MET: put_met(out, verdict, words); break;
    case WB_MISSED: put_missed(out, verdict, words); break;
    case WB_OPEN:
        put_modelled(out, verdict);
        put_over(out, verdict, words, " takes at most ", verdict->cycles);
        break;
    case WB_BLOCK_ONLY: put_block_only(out, verdict, words); break;
    case WB_UNPROVEN: put_unproven(out, verdict, words); break;
    case WB_MODEL_ONLY: put_model_only(out, verdict, words); break;
    case WB_CONTRADICTION: put_contradiction(out, verdict, words); break;
    }
}

/* ---- The details --------------------------------------------------------------------------------------- */

/* Where details stand behind their names. */
#define DETAIL_COLUMN 12u

void verdict_put_detail(struct text *out, const struct layout *layout, const char *name, struct text *words) {
    const size_t start = out->length;
    text_printf(out, "  %s", name);
    text_pad(out, DETAIL_COLUMN);
    if (strlen(name) + 2 >= DETAIL_COLUMN) text_char(out, ' ');
    out->failed |= words->failed;
    if (words->data != NULL && !out->failed)
        layout_words(out, layout, (uint32_t)(out->length - start), DETAIL_COLUMN, words->data);
    text_free(words);
}

/* A time of the line, in the unit that stands not there. */
static void put_other_unit(struct text *out, const struct verdict_words *words, uint64_t time) {
    if (words->unit == WB_UNIT_CYCLES)
        report_put_time(out, words->clock_mhz, time);
    else
        put_cycles(out, time);
}

/* A time that does not stand in the line, in both units. */
static void put_both(struct text *out, const struct verdict_words *words, uint64_t time) {
    report_put_time(out, words->clock_mhz, time);
    text_string(out, " (");
    put_cycles(out, time);
    text_char(out, ')');
}

static void put_bound(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                      const struct verdict_words *words) {
    struct text line = {0};
    if (!verdict->is_bounded) return;
    (verdict->state == WB_MISSED || verdict->state == WB_CONTRADICTION ? put_both : put_other_unit)(
        &line, words, verdict->cycles);
    if (verdict->bound != NULL)
        report_put_proof(&line, verdict->bound);
    else
        text_string(&line, ", the sum of the least proven bounds of its kernels");
    if (verdict->overhead > 0) {
        text_string(&line, ", with the launch overhead of ");
        put_cycles(&line, verdict->overhead);
    }
    verdict_put_detail(out, layout, "bound", &line);
}

const char *verdict_model(wb_model model) {
    switch (model) {
    case WB_MODEL_PTX: return "the PTX model, not your compiled code";
    case WB_MODEL_CLASSES: return "a PTX model of your machine code, which leaves out its control fields";
    case WB_MODEL_NONE: break;
    }
    return NULL;
}

static void put_scope(struct text *out, const struct layout *layout, const wb_verdict *verdict) {
    struct text line = {0};
    const char *model = verdict_model(verdict->model);
    if (model == NULL || !verdict->is_bounded) return;
    text_printf(&line, "%s%s", model,
                verdict->state == WB_MODEL_ONLY
                    ? ": analyse the cubin, or say --accept ptx-model where the deadline is of the model"
                : verdict->state == WB_MET ? ", as --accept ptx-model says"
                                           : "");
    verdict_put_detail(out, layout, "scope", &line);
}

static void put_parts(struct text *out, const struct layout *layout, const wb_verdict *verdict) {
    struct text line = {0};
    if (verdict->bound == NULL || verdict->bound->part_count == 0) return;
    report_put_parts(&line, verdict->bound, false);
    verdict_put_detail(out, layout, "breakdown", &line);
}

static void put_slowest(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                        const struct verdict_words *words) {
    const wb_slowest *slowest = &verdict->slowest;
    struct text line = {0};
    const bool in_line = verdict->state == WB_BOUNDED || verdict->state == WB_MISSED;
    if (slowest->cycles > 0) {
        (in_line ? put_other_unit : put_both)(&line, words, slowest->cycles);
        if (slowest->name == NULL)
            text_string(&line, " found, the slowest of each kernel");
        else if (slowest->kind == WB_SIMULATED)
            text_printf(&line, " found, simulated under %s", slowest->name);
        else if (slowest->kind == WB_EXACT)
            text_printf(&line, ", the worst case with latencies exactly as stated%s (%s)",
                        slowest->any_order ? " and blocks in any order, D3" : "", slowest->name);
        else
            text_printf(&line, " found by %s", slowest->name);
        if (slowest->with_data) text_string(&line, ", with the data that the launch gives");
        if (slowest->machine != NULL) text_printf(&line, ", of the machine code on %s", slowest->machine);
    } else {
        text_string(&line, "no execution was simulated or searched for");
    }
    verdict_put_detail(out, layout, "slowest", &line);
}

void verdict_put_stalls(struct text *out, const wb_verdict *verdict) {
    const wb_stalls *stalls = verdict->stalls;
    assert(stalls != NULL);
    text_printf(out,
                "%" PRIu64 " cycles at least, lower: lane %u of warp %u of block (%u,%u,%u), by its stall "
                "counts",
                stalls->cycles, stalls->lane, stalls->warp, stalls->block[0], stalls->block[1],
                stalls->block[2]);
    if (stalls->wait_cycles == 0)
        text_string(out, " alone");
    else
        text_printf(out, " and %" PRIu64 " of waits for counters, with the shortest latencies known",
                    stalls->wait_cycles);
    text_printf(out, " (sm_%u, ", stalls->sm);
    text_printable(out, stalls->code->path, strlen(stalls->code->path));
    text_char(out, ')');
    if (stalls->loop_cycles == 0) return;
    text_printf(out, "; %" PRIu64 " of them in the loop 0x%04x-0x%04x", stalls->loop_cycles, stalls->loop[0],
                stalls->loop[1]);
    if (stalls->loop_file == NULL) return;
    text_printf(out, " (%s:%u", stalls->loop_file, stalls->loop_lines[0]);
    if (stalls->loop_lines[1] != stalls->loop_lines[0]) text_printf(out, "-%u", stalls->loop_lines[1]);
    text_string(out, ")");
}

/* The machine's time for a warp that refutes it. */
static void put_refuting(struct text *out, const wb_stalls *stalls, const wb_stalls_warp *warp) {
    if (warp == &stalls->warps[0])
        text_printf(out, "by its times that warp takes %" PRIu64 " cycles alone, less than that",
                    warp->stated);
    else
        text_printf(out,
                    "by its times warp %u of block (%u,%u,%u) takes %" PRIu64
                    " cycles alone, and by its machine code %" PRIu64 " at least",
                    warp->warp, warp->block[0], warp->block[1], warp->block[2], warp->stated, warp->cycles);
}

void verdict_put_code(struct text *out, const wb_verdict *verdict) {
    const wb_slowest *code = &verdict->code;
    text_printf(out, "%" PRIu64 " cycles on %s, %s by %s", code->cycles, code->machine,
                wb_kind_name(code->kind), code->name);
}

void verdict_put_refuted(struct text *out, const wb_verdict *verdict) {
    const wb_bound *refuted = verdict->refuted;
    assert(refuted != NULL);
    const wb_stalls_warp *warp = verdict->stalls != NULL ? wb_stalls_refuting(verdict->stalls) : NULL;
    text_printf(out, "the machine %s, for this code: ", wb_machine_name(verdict->judged->machine));
    if (verdict->code.cycles > refuted->cycles) {
        text_printf(out, "its bound by %s, %" PRIu64 " cycles, is below ", refuted->method, refuted->cycles);
        verdict_put_code(out, verdict);
        text_string(out, ", an execution of the machine code");
        return;
    }
    if (warp == NULL || (verdict->stalls != NULL && refuted->cycles < verdict->stalls->cycles)) {
        text_printf(out, "its bound of kind upper by %s, %" PRIu64 " cycles, is below that", refuted->method,
                    refuted->cycles);
        return;
    }
    put_refuting(out, verdict->stalls, warp);
    text_printf(
        out, "; what is proven with these times, such as %" PRIu64 " cycles by %s, says nothing of the GPU",
        refuted->cycles, refuted->method);
}

/* What is known of the machine code, and whether it refutes the machine. */
static void put_machine_code(struct text *out, const struct layout *layout, const wb_verdict *verdict) {
    struct text stalls = {0}, code = {0}, refuted = {0};
    if (verdict->stalls != NULL) verdict_put_stalls(&stalls, verdict);
    if (verdict->stalls != NULL) verdict_put_detail(out, layout, "stalls", &stalls);
    if (verdict->code.cycles > 0) verdict_put_code(&code, verdict);
    if (verdict->code.cycles > 0) verdict_put_detail(out, layout, "code", &code);
    if (verdict->refuted == NULL || verdict->judged == NULL) return; /* of a stream each launch says it */
    verdict_put_refuted(&refuted, verdict);
    verdict_put_detail(out, layout, "refuted", &refuted);
}

void verdict_put_refuted_launch(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                                size_t number, size_t refuted) {
    struct text stalls = {0}, line = {0};
    text_printf(&stalls, "launch %zu: ", number);
    if (verdict->stalls != NULL) verdict_put_stalls(&stalls, verdict);
    verdict_put_detail(out, layout, "stalls", &stalls);
    text_printf(&line, "in launch %zu", number);
    if (refuted > 1) text_printf(&line, ", and in %zu other%s", refuted - 1, plural(refuted - 1));
    text_string(&line, ", ");
    verdict_put_refuted(&line, verdict);
    verdict_put_detail(out, layout, "refuted", &line);
}

/* The meaning of a state whose name does not tell it all. */
static void put_meaning(struct text *out, const struct layout *layout, const wb_verdict *verdict) {
    static const char *const meanings[] = {
        [WB_OPEN] = ("neither proven nor refuted: the bound is above the deadline, no execution that was "
                     "found is"),
        [WB_BLOCK_ONLY] = "a bound of one block says nothing of the kernel that it is part of",
        [WB_CONTRADICTION] = "both numbers are this tool's: please report the command with its files"};
    struct text line = {0};
    if (verdict->state >= sizeof meanings / sizeof *meanings || meanings[verdict->state] == NULL) return;
    text_string(&line, meanings[verdict->state]);
    verdict_put_detail(out, layout,
                       verdict->state == WB_CONTRADICTION ? "report" : wb_state_name(verdict->state), &line);
}

static enum layout_style style_of(wb_state state) {
    switch (state) {
    case WB_MET: return STYLE_GREEN;
    case WB_CONTRADICTION:
    case WB_MISSED: return STYLE_RED;
    case WB_MODEL_ONLY:
    case WB_OPEN:
    case WB_BLOCK_ONLY:
    case WB_UNPROVEN: return STYLE_YELLOW;
    case WB_BOUNDED: break;
    }
    return STYLE_BOLD;
}

void verdict_put_details(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                         const struct verdict_words *words) {
    struct text deadline = {0};
    put_bound(out, layout, verdict, words);
    put_scope(out, layout, verdict);
    put_parts(out, layout, verdict);
    if (verdict->has_deadline) {
        (verdict->state == WB_CONTRADICTION ? put_both : put_other_unit)(&deadline, words, verdict->deadline);
        verdict_put_detail(out, layout, "deadline", &deadline);
    }
    put_slowest(out, layout, verdict, words);
    put_machine_code(out, layout, verdict);
    put_meaning(out, layout, verdict);
}

void verdict_put(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                 const struct verdict_words *words) {
    const char *state = wb_state_name(verdict->state);
    const struct layout whole = {words->line_only ? UINT32_MAX : layout->width, layout->color};
    struct text line = {0};
    verdict_put_line(&line, verdict, words);
    out->failed |= line.failed;
    layout_styled(out, layout, style_of(verdict->state), state);
    if (line.data != NULL) layout_words(out, &whole, (uint32_t)strlen(state), 2, line.data + strlen(state));
    text_free(&line);
    if (!words->line_only) verdict_put_details(out, layout, verdict, words);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void slowest_json(struct json *json, const char *key, const wb_slowest *slowest) {
    if (slowest->cycles == 0) {
        json_put_null(json, key);
        return;
    }
    json_open_object(json, key);
    json_put_count(json, "cycles", slowest->cycles);
    json_put_text(json, "kind", wb_kind_name(slowest->kind));
    json_put_text(json, "how", slowest->name);
    json_put_bool(json, "with_data", slowest->with_data);
    json_put_bool(json, "of_code", slowest->of_code);
    json_put_text(json, "machine", slowest->machine);
    json_close(json);
}

/* Both numbers, or null where nothing contradicts what is proven. */
static void contradiction_json(struct json *json, const wb_contradiction *contradiction) {
    if (contradiction->found.cycles == 0) {
        json_put_null(json, "contradiction");
        return;
    }
    json_open_object(json, "contradiction");
    json_put_text(json, "scope", wb_scope_name(contradiction->scope));
    json_put_count(json, "proven", contradiction->proven);
    json_put_text(json, "method", contradiction->method);
    slowest_json(json, "found", &contradiction->found);
    json_close(json);
}

static void compared_json(struct json *json, const wb_stalls_warp *warp) {
    json_open_object(json, NULL);
    json_put_counts(json, "block", warp->block, 3);
    json_put_count(json, "warp", warp->warp);
    json_put_count(json, "cycles", warp->cycles);
    json_put_count_if(json, "stated", warp->stated > 0, warp->stated);
    json_close(json);
}

static void stalls_json(struct json *json, const wb_verdict *verdict) {
    const wb_stalls *stalls = verdict->stalls;
    if (stalls == NULL) {
        json_put_null(json, "stalls");
        return;
    }
    json_open_object(json, "stalls");
    json_put_count(json, "cycles", stalls->cycles);
    json_put_text(json, "kind", wb_kind_name(WB_LOWER));
    json_put_count(json, "waits", stalls->wait_cycles);
    json_put_text(json, "code", stalls->code->path);
    json_put_count(json, "sm", stalls->sm);
    json_put_counts(json, "block", stalls->block, 3);
    json_put_count(json, "warp", stalls->warp);
    json_put_count(json, "lane", stalls->lane);
    if (stalls->loop_cycles > 0) {
        json_open_object(json, "loop");
        json_put_count(json, "cycles", stalls->loop_cycles);
        json_put_counts(json, "addresses", stalls->loop, 2);
        json_put_text(json, "file", stalls->loop_file);
        if (stalls->loop_file != NULL)
            json_put_counts(json, "lines", stalls->loop_lines, 2);
        else
            json_put_null(json, "lines");
        json_close(json);
    } else {
        json_put_null(json, "loop");
    }
    json_open_array(json, "compared");
    for (size_t i = 0; i < stalls->warp_count; i++)
        compared_json(json, &stalls->warps[i]);
    json_close(json);
    json_close(json);
}

void verdict_json(struct json *json, const wb_verdict *verdict, double clock_mhz) {
    static const char *const models[] = {[WB_MODEL_PTX] = "ptx", [WB_MODEL_CLASSES] = "ptx-classes"};
    const bool is_bounded = verdict->is_bounded, has_margin = is_bounded && verdict->has_deadline;
    json_open_object(json, "verdict");
    json_put_text(json, "state", wb_state_name(verdict->state));
    json_put_text(json, "scope", wb_scope_name(verdict->scope));
    json_put_count_if(json, "bound", is_bounded, verdict->cycles);
    json_put_text(json, "kind", is_bounded ? wb_kind_name(WB_UPPER) : NULL);
    json_put_text(json, "method", verdict->bound != NULL ? verdict->bound->method : NULL);
    json_put_text(json, "model", models[verdict->model]);
    json_put_bool(json, "accepted", verdict->accepted);
    json_put_bool(json, "of_ptx", is_bounded && verdict->model == WB_MODEL_PTX);
    json_put_real(json, "clock_mhz", clock_mhz);
    json_put_count(json, "launch_overhead", verdict->overhead);
    if (is_bounded)
        report_time_json(json, "microseconds", clock_mhz, verdict->cycles);
    else
        json_put_null(json, "microseconds");
    json_put_count_if(json, "deadline", verdict->has_deadline, verdict->deadline);
    if (has_margin)
        json_put_integer(json, "margin", verdict->margin);
    else
        json_put_null(json, "margin");
    slowest_json(json, "slowest", &verdict->slowest);
    contradiction_json(json, &verdict->contradiction);
    stalls_json(json, verdict);
    slowest_json(json, "code", &verdict->code);
    json_put_text(json, "refuted", verdict->refuted != NULL ? verdict->refuted->method : NULL);
    json_close(json);
}
