#include "report/parts/parts.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bound/analysis/verdict.h"
#include "machine/files.h"

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
    const double value = (double)time / words->machine->clock_mhz * units[words->unit].per_microsecond;
    if (words->unit == WB_UNIT_ANY || value < 0.1)
        report_put_time(out, words->machine->clock_mhz, time);
    else
        text_printf(out, "%.*f %s", value < 1 ? 3 : 2, value, units[words->unit].name);
}

/* The deadline as its user wrote it: to six digits, which hides that it is kept in whole cycles. */
static void put_deadline(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    const double value =
        (double)verdict->deadline / words->machine->clock_mhz * units[words->unit].per_microsecond;
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

/* A block, by itself. */
static void put_block(struct text *out, const struct wb_analysis *judged) {
    const uint32_t *index = judged->kind == SUBJECT_OF_WING ? NULL
                            : judged->timed == NULL         ? judged->grid_times.grid->first_index
                            : judged->block != NULL         ? judged->block->index
                                                            : NULL;
    if (judged->kind == SUBJECT_OF_WING)
        text_printf(out, "the block of %s", judged->reader->plural);
    else if (index == NULL)
        text_string(out, "the block");
    else
        text_printf(out, "block (%u,%u,%u) alone", index[0], index[1], index[2]);
}

static void verdict_put_subject(struct text *out, const wb_verdict *verdict) {
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
static const char *const model_words[] = {[WB_MODEL_NONE] = "",
                                          [WB_MODEL_PTX] = "in the PTX model, ",
                                          [WB_MODEL_CLASSES] = "in a PTX model of its machine code, "};

static void put_machine(struct text *out, const struct verdict_words *words) {
    const wb_machine *machine = words->machine;
    const struct machine_partition *partition = &machine->partition;
    if (machine->neighbours.stated)
        text_printf(out, ", beside neighbours within %s%s",
                    machine->neighbours.kernel != NULL ? "a budget for " : "the stated budget",
                    machine->neighbours.kernel != NULL ? machine->neighbours.kernel : "");
    else if (partition->sms > 0)
        text_string(out, ", alone in its partition");
    if (partition->sms > 0)
        text_printf(out, ", on %" PRIu32 " of %" PRIu32 " SMs (%s)", partition->sms, partition->of,
                    partition_kinds[partition->kind]);
    if (machine->name[0] != '\0')
        text_printf(out, "%s %s",
                    partition->sms > 0           ? " of"
                    : machine->neighbours.stated ? " on"
                                                 : ", alone on",
                    machine->name);
    if (words->unit != WB_UNIT_CYCLES && machine->clock_mhz > 0)
        text_printf(out, "%s at %g MHz", machine->name[0] != '\0' ? "" : ",", machine->clock_mhz);
}

/* The bound, beside it with the launch that a deadline is of, too. */
static void put_proven(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    put_time(out, words, verdict->cycles);
    if (!verdict->has_deadline || verdict_time(verdict) == verdict->cycles) return;
    text_string(out, " (");
    put_time(out, words, verdict_time(verdict));
    text_string(out, " with its launch)");
}

/* A sentence about a time, in which $t is that time, $o how far it is from the deadline $d, $p the same in
 * percent, $n the bound, $m the model, $s what is judged, $b its block, $z that the slowest execution found
 * is of zeros, and $c the machine with the clock that times in seconds are of. */
static void put_sentence(struct text *out, const wb_verdict *verdict, const struct verdict_words *words,
                         const char *sentence, uint64_t time) {
    for (; *sentence != '\0'; sentence++) {
        if (*sentence != '$') {
            text_char(out, *sentence);
            continue;
        }
        switch (*++sentence) {
        case 't': put_time(out, words, time); break;
        case 'n': put_proven(out, verdict, words); break;
        case 'o': put_time(out, words, distance(verdict, time)); break;
        case 'p': put_percent(out, verdict, time); break;
        case 'd': put_deadline(out, verdict, words); break;
        case 'm': text_string(out, model_words[verdict->model]); break;
        case 'z': text_string(out, verdict->slowest.with_zeros ? " with zeros in its buffers" : ""); break;
        case 's': verdict_put_subject(out, verdict); break;
        case 'b': put_block(out, verdict->judged); break;
        default: assert(*sentence == 'c'); put_machine(out, words);
        }
    }
}

/* Both numbers. */
static void put_contradiction(struct text *out, const wb_verdict *verdict,
                              const struct verdict_words *words) {
    const wb_contradiction *contradiction = &verdict->contradiction;
    const wb_slowest *found = &contradiction->found;
    put_sentence(out, verdict, words, "$mof the ", 0);
    const bool is_measured = found->kind == WB_MEASURED;
    text_printf(out, "%s, %s %s ", wb_scope_name(contradiction->scope),
                found->name != NULL ? found->name : "an execution", is_measured ? "took" : "found");
    put_time(out, words, found->cycles);
    text_printf(out, " (%" PRIu64 " cycles, %s), and %s proves at most ", found->cycles,
                wb_kind_name(found->kind), contradiction->method);
    put_time(out, words, contradiction->proven);
    text_printf(out, " (%" PRIu64 " cycles)", contradiction->proven);
    put_sentence(out, verdict, words,
                 is_measured ? "$c: the machine is not that GPU, and nothing here is a bound"
                             : "$c: one of them is wrong, and nothing here is a bound",
                 0);
}

static void put_unproven(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    put_sentence(out, verdict, words,
                 verdict->refuted != NULL ? "no bound of $s is proven: machine code refutes the PTX model"
                                          : "$mno bound of $s is proven",
                 0);
    if (verdict->has_deadline) put_sentence(out, verdict, words, ", deadline $d", 0);
}

void verdict_put_line(struct text *out, const wb_verdict *verdict, const struct verdict_words *words) {
    const wb_slowest *slowest = &verdict->slowest, *sure = &verdict->sure;
    const uint64_t time = verdict_time(verdict);
    uint64_t proven;
    text_printf(out, "%s: ", wb_state_name(verdict->state));
    switch (verdict->state) {
    case WB_BOUNDED:
        put_sentence(out, verdict, words, "$m$s takes at most $t", verdict->cycles);
        put_sentence(out, verdict, words,
                     slowest->cycles > 0 && !slowest->of_lane ? "; slowest found $t$z$c" : "$c",
                     slowest->cycles);
        break;
    case WB_MET:
    case WB_MODEL_ONLY: /* nobody said that the model is what the deadline is about */
        put_sentence(out, verdict, words, "$m$s takes at most $n of $d, margin $o$p$c", time);
        if (verdict->state == WB_MODEL_ONLY) text_string(out, "; nothing is proven of the code that runs");
        break;
    case WB_MISSED: /* a bound is of every block, an execution that was found of one */
        if (sure->of_code) text_string(out, "by its machine code, ");
        put_sentence(out, verdict, words, verdict->scope == WB_SCOPE_BLOCK ? "$b" : "$s", 0);
        if (sure->kind != WB_MEASURED) {
            put_sentence(out, verdict, words, " can take $t, $o more than $d$p$c", sure->cycles);
            break;
        }
        put_sentence(out, verdict, words, " took $t", sure->cycles);
        text_printf(out, " on %s", sure->name);
        put_sentence(out, verdict, words, ", $o more than $d$p", sure->cycles);
        break;
    case WB_OPEN:
        if (verdict->is_bounded)
            put_sentence(out, verdict, words, "$m$s takes at most $n, $o more than $d$p", time);
        else
            put_unproven(out, verdict, words);
        put_sentence(out, verdict, words,
                     slowest->cycles > verdict->deadline ? "; slowest found $t$z$c" : "$c", slowest->cycles);
        break;
    case WB_BLOCK_ONLY:
        put_sentence(out, verdict, words, "nothing is proven of the kernel, deadline $d", 0);
        if (wb_analysis_proven(verdict->judged, &proven))
            put_sentence(out, verdict, words, "; $m$b takes at most $t$c", proven);
        break;
    case WB_UNPROVEN:
        put_unproven(out, verdict, words);
        if (verdict->has_deadline) put_sentence(out, verdict, words, "$c", 0);
        break;
    case WB_CONTRADICTION: put_contradiction(out, verdict, words); break;
    }
}

/* ---- The details --------------------------------------------------------------------------------------- */

/* Where details stand behind their names. */
#define DETAIL_COLUMN 12u

size_t verdict_begin_detail(struct text *out, const char *name) {
    const size_t start = out->length;
    text_printf(out, "  %s", name);
    text_pad(out, DETAIL_COLUMN);
    if (strlen(name) + 2 >= DETAIL_COLUMN) text_char(out, ' ');
    return start;
}

void verdict_end_detail(struct text *out, const struct layout *layout, size_t start) {
    layout_wrap(out, layout, start, 0, DETAIL_COLUMN);
}

/* A time of the line, in the unit that stands not there; or in both. */
static void put_other_unit(struct text *out, const struct verdict_words *words, bool both, uint64_t time) {
    if (both || words->unit == WB_UNIT_CYCLES) report_put_time(out, words->machine->clock_mhz, time);
    if (both) text_string(out, " (");
    if (both || words->unit != WB_UNIT_CYCLES) put_cycles(out, time);
    if (both) text_char(out, ')');
}

static void put_bound(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                      const struct verdict_words *words) {
    const size_t start = verdict_begin_detail(out, "bound");
    put_other_unit(out, words, verdict->state == WB_MISSED || verdict->state == WB_CONTRADICTION,
                   verdict->cycles);
    if (verdict->bound == NULL)
        text_string(out, ", the sum of the least proven bounds of its kernels");
    else
        text_printf(out, ", proven by %s", verdict->bound->method);
    if (verdict->bound != NULL && verdict->bound->form != NULL)
        text_printf(out, " (form %s)", verdict->bound->form);
    if (verdict->overhead > 0 && verdict->scope == WB_SCOPE_STREAM)
        text_string(out, ", and of what passes between them");
    verdict_end_detail(out, layout, start);
}

void verdict_put_launch_source(struct text *out, const wb_machine *machine) {
    const enum figure_mark mark = machine_figure_mark(machine, "launch_overhead");
    const struct figure_source *source = machine_source_of(machine, "launch_overhead");
    if (machine->launch_overhead == 0)
        text_string(out, "not measured on this GPU");
    else if (mark <= FIGURE_GIVEN)
        text_string(out,
                    mark == FIGURE_GIVEN ? "given" : "as the machine file states, which names no source");
    else
        text_printf(out, "%s: %s", figure_mark_name(mark), source->from);
}

/* What passes before the first block starts is no part of bounds or executions. */
static void put_launch(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                       const struct verdict_words *words) {
    const size_t start = verdict_begin_detail(out, "launch");
    if (words->machine->clock_mhz > 0 && verdict->overhead > 0)
        put_other_unit(out, words, true, verdict->overhead);
    else
        put_cycles(out, verdict->overhead);
    text_string(out,
                verdict->scope == WB_SCOPE_STREAM ? ", in all times here; " : ", in no other time here; ");
    verdict_put_launch_source(out, words->machine);
    verdict_end_detail(out, layout, start);
}

const char *verdict_model(wb_model model) {
    static const char *const models[] = {
        [WB_MODEL_NONE] = NULL,
        [WB_MODEL_PTX] = "the PTX model, not your compiled code",
        [WB_MODEL_CLASSES] = "a PTX model of your machine code, which leaves out its control fields"};
    return models[model];
}

const char *report_data_words(bool has_zeros) {
    return has_zeros ? "with zeros in the buffers whose contents are not given, one input of many"
                     : "with the data that the launch gives";
}

/* Why no execution was found. */
static const char *no_execution(const wb_verdict *verdict) {
    const struct wb_analysis *judged = verdict->judged;
    if (judged != NULL && judged->kind != SUBJECT_OF_WING && wb_analysis_is_covering(judged) &&
        judged->given == NULL)
        return "none: values that the launch leaves open decide what is executed, and zeros in its buffers "
               "gave no short execution; contents behind a buffer, such as =iota, or a number for ? would "
               "give one";
    const struct wb_analysis *executed = judged != NULL && judged->given != NULL ? judged->given : judged;
    if (executed != NULL && executed->grid_times.grid != NULL && grid_is_counted(executed->grid_times.grid))
        return "none: " GRID_COUNTED;
    if (executed != NULL && executed->too_large)
        return "none: it is too long to be simulated unless --policy names how";
    return "no execution was simulated or searched for";
}

void verdict_put_first_blocks(struct text *out, const wb_verdict *verdict) {
    const wb_first_blocks *first = &verdict->first_blocks;
    const uint32_t *last = first->last;
    const double clock_mhz = verdict->judged->machine->clock_mhz;
    text_printf(out, "blocks (0,0,0) to (%u,%u,%u) without the others take ", last[0], last[1], last[2]);
    if (clock_mhz > 0) report_put_time(out, clock_mhz, first->cycles);
    text_printf(out, clock_mhz > 0 ? " (%" PRIu64 " cycles)" : "%" PRIu64 " cycles", first->cycles);
    text_printf(out, ", simulated under %s%s%s, which bounds the kernel from neither side", first->policy,
                first->with_zeros ? ", " : "", first->with_zeros ? report_data_words(true) : "");
}

static void put_slowest(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                        const struct verdict_words *words) {
    const wb_slowest *slowest = &verdict->slowest;
    const size_t start = verdict_begin_detail(out, "slowest");
    if (slowest->cycles == 0)
        text_string(out, no_execution(verdict));
    else if (slowest->of_lane)
        text_string(out, "no execution was found; one lane alone takes ");
    if (slowest->cycles > 0) put_other_unit(out, words, verdict->state != WB_BOUNDED, slowest->cycles);
    if (slowest->cycles > 0 && slowest->name == NULL)
        text_string(out, " found, the slowest of each kernel");
    else if (slowest->cycles > 0 && slowest->kind == WB_EXACT)
        text_printf(out, ", the worst case with latencies exactly as stated%s (%s)",
                    slowest->any_order ? " and blocks in any order, D3" : "", slowest->name);
    else if (slowest->of_lane)
        text_string(out, " at least");
    else if (slowest->cycles > 0)
        text_printf(out,
                    slowest->kind == WB_MEASURED    ? ", measured on %s"
                    : slowest->kind == WB_SIMULATED ? " found, simulated under %s"
                                                    : " found by %s",
                    slowest->name);
    if (slowest->cycles > 0 && slowest->with_data)
        text_printf(out, ", %s", report_data_words(slowest->with_zeros));
    if (slowest->cycles > 0 && slowest->machine != NULL)
        text_printf(out, ", of the machine code on %s", slowest->machine);
    verdict_end_detail(out, layout, start);
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
    text_char(out, ')');
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

static const char *machine_of_code(const wb_verdict *verdict) {
    return wb_machine_name(wb_analysis_machine(wb_analysis_code(verdict->judged)));
}

static void put_code_slowest(struct text *out, const wb_verdict *verdict) {
    const wb_slowest *code = &verdict->code;
    text_printf(out, "%" PRIu64 " cycles on %s, %s by %s", code->cycles, code->machine,
                wb_kind_name(code->kind), code->name);
}

void verdict_put_code(struct text *out, const wb_verdict *verdict) {
    const wb_bound *bound = verdict->code_bound;
    if (bound != NULL)
        text_printf(out, "at most %" PRIu64 " cycles on %s, proven by %s", bound->cycles,
                    machine_of_code(verdict), bound->method);
    if (bound != NULL && verdict->code.cycles > 0) text_string(out, "; slowest found ");
    if (verdict->code.cycles > 0) put_code_slowest(out, verdict);
}

void verdict_put_refuted(struct text *out, const wb_verdict *verdict) {
    const wb_bound *refuted = verdict->refuted;
    assert(refuted != NULL);
    const wb_stalls_warp *warp = verdict->stalls != NULL ? wb_stalls_refuting(verdict->stalls) : NULL;
    text_printf(out, "the machine %s, for this code: ", wb_machine_name(verdict->judged->machine));
    if (verdict->code.cycles > refuted->cycles) {
        text_printf(out, "its bound by %s, %" PRIu64 " cycles, is below ", refuted->method, refuted->cycles);
        put_code_slowest(out, verdict);
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

void verdict_put_refuted_launch(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                                size_t number, size_t refuted) {
    size_t start = verdict_begin_detail(out, "stalls");
    text_printf(out, "launch %zu: ", number);
    if (verdict->stalls != NULL) verdict_put_stalls(out, verdict);
    verdict_end_detail(out, layout, start);
    start = verdict_begin_detail(out, "refuted");
    text_printf(out, "in launch %zu", number);
    if (refuted > 1) text_printf(out, ", and in %zu other%s", refuted - 1, plural(refuted - 1));
    text_string(out, ", ");
    verdict_put_refuted(out, verdict);
    verdict_end_detail(out, layout, start);
}

/* A detail that a function writes. */
static void put_detail(struct text *out, const struct layout *layout, const char *name,
                       const wb_verdict *verdict, void put(struct text *out, const wb_verdict *verdict)) {
    const size_t start = verdict_begin_detail(out, name);
    put(out, verdict);
    verdict_end_detail(out, layout, start);
}

/* Where the cycles of the bound go; in a brief report without what hardly matters. */
static void put_breakdown(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                          const struct verdict_words *words) {
    const size_t start = verdict_begin_detail(out, "breakdown");
    report_put_parts(out, verdict->bound, false, words->brief ? 2.5 : 0.5);
    verdict_end_detail(out, layout, start);
}

static void put_scope(struct text *out, const wb_verdict *verdict) {
    text_string(out, verdict_model(verdict->model));
    if (verdict->state == WB_MODEL_ONLY)
        text_string(out, ": analyse the cubin, or say --accept ptx-model where the deadline is of the model");
    if (verdict->state == WB_MET) text_string(out, ", as --accept ptx-model says");
}

/* Why an execution that takes longer than the deadline refutes nothing. */
static const char *doubt_of(const wb_verdict *verdict) {
    if (verdict->slowest.cycles <= verdict->deadline)
        return "neither proven nor refuted: the bound is above the deadline, no execution that was found is";
    if (verdict->slowest.of_code) return "not refuted: the machine code was executed on another machine";
    return verdict->model == WB_MODEL_NONE
               ? "not refuted: the execution found has all latencies at their longest"
               : "not refuted: no GPU executes a model";
}

void verdict_put_sure(struct text *out, const wb_verdict *verdict) {
    const wb_slowest *sure = &verdict->sure;
    text_printf(out, "%" PRIu64 " cycles", sure->cycles);
    if (sure->kind == WB_MEASURED) text_printf(out, ", measured on %s", sure->name);
    if (sure->kind == WB_SIMULATED && verdict->judged != NULL && verdict->model == WB_MODEL_NONE)
        text_printf(out,
                    " under %s with every latency at the shortest that is stated, no miss of a TLB and all "
                    "data and code in the caches",
                    sure->name);
}

/* The meaning of a state whose name does not tell it all. */
static void put_meaning(struct text *out, const wb_verdict *verdict) {
    const bool has_shortest = verdict->model == WB_MODEL_NONE && verdict->sure.cycles > 0 &&
                              verdict->slowest.cycles > verdict->deadline;
    text_string(out, verdict->state == WB_OPEN ? doubt_of(verdict)
                     : verdict->state == WB_BLOCK_ONLY
                         ? "a bound of one block says nothing of the kernel that it is part of"
                     : verdict->contradiction.found.kind == WB_MEASURED
                         ? "figures of the machine that the bound rests on are too small"
                         : "both numbers are this tool's: please report the command with its files");
    if (verdict->state == WB_OPEN && has_shortest)
        text_printf(out, "; at their shortest it takes %" PRIu64 " cycles", verdict->sure.cycles);
}

void verdict_put_details(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                         const struct verdict_words *words) {
    const bool is_wrong = verdict->state == WB_CONTRADICTION;
    if (verdict->is_bounded) put_bound(out, layout, verdict, words);
    if (verdict->scope != WB_SCOPE_BLOCK && verdict->is_bounded) put_launch(out, layout, verdict, words);
    if (verdict->is_bounded && verdict_model(verdict->model) != NULL)
        put_detail(out, layout, "scope", verdict, put_scope);
    if (verdict->bound != NULL && verdict->bound->part_count > 0) put_breakdown(out, layout, verdict, words);
    if (verdict->has_deadline && !words->brief) {
        const size_t start = verdict_begin_detail(out, "deadline");
        put_other_unit(out, words, is_wrong, verdict->deadline);
        verdict_end_detail(out, layout, start);
    }
    put_slowest(out, layout, verdict, words);
    if (verdict->state == WB_MISSED && verdict->sure.cycles != verdict->slowest.cycles)
        put_detail(out, layout, verdict->sure.kind == WB_MEASURED ? "measured" : "shortest", verdict,
                   verdict_put_sure);
    if (verdict->first_blocks.cycles > 0) put_detail(out, layout, "part", verdict, verdict_put_first_blocks);
    if (verdict->stalls != NULL && (!words->brief || verdict->slowest.cycles == verdict->stalls->cycles))
        put_detail(out, layout, "stalls", verdict, verdict_put_stalls);
    if (verdict->code.cycles > 0 || verdict->code_bound != NULL)
        put_detail(out, layout, "code", verdict, verdict_put_code);
    if (verdict->refuted != NULL && verdict->judged != NULL) /* of a stream each launch says it */
        put_detail(out, layout, "refuted", verdict, verdict_put_refuted);
    if (is_wrong || verdict->state == WB_OPEN || verdict->state == WB_BLOCK_ONLY)
        put_detail(out, layout, is_wrong ? "report" : wb_state_name(verdict->state), verdict, put_meaning);
}

void verdict_put(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                 const struct verdict_words *words) {
    static const enum layout_style styles[] = {
        [WB_BOUNDED] = STYLE_BOLD,      [WB_MET] = STYLE_GREEN,      [WB_MISSED] = STYLE_RED,
        [WB_CONTRADICTION] = STYLE_RED, [WB_OPEN] = STYLE_YELLOW,    [WB_MODEL_ONLY] = STYLE_YELLOW,
        [WB_BLOCK_ONLY] = STYLE_YELLOW, [WB_UNPROVEN] = STYLE_YELLOW};
    const char *state = wb_state_name(verdict->state);
    const struct layout whole = {words->line_only ? UINT32_MAX : layout->width, layout->color};
    struct text line = {0};
    verdict_put_line(&line, verdict, words);
    out->failed |= line.failed;
    layout_styled(out, layout, styles[verdict->state], state);
    const size_t start = out->length;
    if (!line.failed) text_string(out, line.data + strlen(state));
    layout_wrap(out, &whole, start, (uint32_t)strlen(state), 2);
    text_free(&line);
    if (!words->line_only) verdict_put_details(out, layout, verdict, words);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void slowest_json(struct json *json, const char *key, const wb_slowest *slowest) {
    if (!json_open_known(json, key, slowest->cycles > 0)) return;
    json_put(json, "cycles %" PRIu64 ", kind %s, how %s, with_data %d, with_zeros %d, of_code %d, machine %s",
             slowest->cycles, wb_kind_name(slowest->kind), slowest->name, slowest->with_data,
             slowest->with_zeros, slowest->of_code, slowest->machine);
    json_close(json);
}

static void first_blocks_json(struct json *json, const wb_first_blocks *first) {
    if (!json_open_known(json, "first_blocks", first->cycles > 0)) return;
    json_put(json, "cycles %" PRIu64 ", policy %s, blocks %u", first->cycles, first->policy, first->blocks);
    json_put_counts(json, "last", first->last, 3);
    json_put(json, "with_zeros %d", first->with_zeros);
    json_close(json);
}

/* Both numbers, or null where nothing contradicts what is proven. */
static void contradiction_json(struct json *json, const wb_contradiction *contradiction) {
    if (!json_open_known(json, "contradiction", contradiction->found.cycles > 0)) return;
    json_put(json, "scope %s, proven %" PRIu64 ", method %s", wb_scope_name(contradiction->scope),
             contradiction->proven, contradiction->method);
    slowest_json(json, "found", &contradiction->found);
    json_close(json);
}

static void stalls_json(struct json *json, const wb_verdict *verdict) {
    const wb_stalls *stalls = verdict->stalls;
    if (!json_open_known(json, "stalls", stalls != NULL)) return;
    json_put(json, "cycles %" PRIu64 ", kind %s, waits %" PRIu64 ", code %s, sm %u", stalls->cycles,
             wb_kind_name(WB_LOWER), stalls->wait_cycles, stalls->code->path, stalls->sm);
    json_put_counts(json, "block", stalls->block, 3);
    json_put(json, "warp %u, lane %u", stalls->warp, stalls->lane);
    if (json_open_known(json, "loop", stalls->loop_cycles > 0)) {
        json_put_count(json, "cycles", stalls->loop_cycles);
        json_put_counts(json, "addresses", stalls->loop, 2);
        json_put_text(json, "file", stalls->loop_file);
        if (stalls->loop_file != NULL)
            json_put_counts(json, "lines", stalls->loop_lines, 2);
        else
            json_put_null(json, "lines");
        json_close(json);
    }
    json_open_array(json, "compared");
    for (size_t i = 0; i < stalls->warp_count; i++) {
        const wb_stalls_warp *warp = &stalls->warps[i];
        json_open_object(json, NULL);
        json_put_counts(json, "block", warp->block, 3);
        json_put(json, "warp %u, cycles %" PRIu64 ", stated %*" PRIu64, warp->warp, warp->cycles,
                 warp->stated > 0, warp->stated);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

/* The bound of the machine code, or null. */
static void code_bound_json(struct json *json, const wb_verdict *verdict) {
    const wb_bound *bound = verdict->code_bound;
    if (!json_open_known(json, "code_bound", bound != NULL)) return;
    json_put(json, "cycles %" PRIu64 ", method %s, machine %s", bound->cycles, bound->method,
             machine_of_code(verdict));
    json_close(json);
}

/* What the machine states of them, and the cycles of the bound for which they are served; or null. */
static void neighbours_json(struct json *json, const wb_verdict *verdict, const wb_machine *machine) {
    const struct machine_neighbours *neighbours = &machine->neighbours;
    if (!json_open_known(json, "neighbours", neighbours->stated)) return;
    const struct cycles_fraction hold = neighbours_hold(machine);
    json_put(json, "requests %u, bytes_per_us %u, kernel %s, hold %g, cycles %*" PRIu64, neighbours->requests,
             neighbours->bytes_per_us, neighbours->kernel, (double)hold.cycles / (double)hold.per,
             verdict->bound != NULL, verdict->bound != NULL ? verdict->bound->neighbours : 0);
    json_close(json);
}

void verdict_json(struct json *json, const wb_verdict *verdict, const wb_machine *machine) {
    static const char *const models[] = {[WB_MODEL_PTX] = "ptx", [WB_MODEL_CLASSES] = "ptx-classes"};
    const bool is_bounded = verdict->is_bounded, has_margin = is_bounded && verdict->has_deadline;
    const double clock_mhz = machine->clock_mhz;
    struct text source = {0};
    verdict_put_launch_source(&source, machine);
    json_open_object(json, "verdict");
    json_put(json,
             "state %s, scope %s, bound %*" PRIu64
             ", kind %s, method %s, model %s, accepted %d, of_ptx %d, clock_mhz %g, launch_overhead %" PRIu64,
             wb_state_name(verdict->state), wb_scope_name(verdict->scope), is_bounded, verdict->cycles,
             is_bounded ? wb_kind_name(WB_UPPER) : NULL,
             verdict->bound != NULL ? verdict->bound->method : NULL, models[verdict->model],
             verdict->accepted, is_bounded && verdict->model == WB_MODEL_PTX, clock_mhz, verdict->overhead);
    json_take_text(json, "launch_source", &source);
    json_put(json, "microseconds %*g, deadline %*" PRIu64 ", margin %*" PRId64, is_bounded,
             report_microseconds(clock_mhz, verdict->cycles), verdict->has_deadline, verdict->deadline,
             has_margin, verdict->margin);
    slowest_json(json, "slowest", &verdict->slowest);
    slowest_json(json, "sure", &verdict->sure);
    first_blocks_json(json, &verdict->first_blocks);
    contradiction_json(json, &verdict->contradiction);
    stalls_json(json, verdict);
    slowest_json(json, "code", &verdict->code);
    code_bound_json(json, verdict);
    neighbours_json(json, verdict, machine);
    json_put_text(json, "refuted", verdict->refuted != NULL ? verdict->refuted->method : NULL);
    json_close(json);
}
