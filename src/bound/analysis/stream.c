#include "bound/analysis/stream.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "bound/analysis/verdict.h"
#include "warp/trace/trace.h"

wb_stream *stream_new(const wb_machine *machine) {
    wb_stream *made = calloc(1, sizeof *made);
    if (made != NULL) made->machine = machine;
    return made;
}

void wb_stream_free(wb_stream *stream) {
    if (stream == NULL) return;
    for (size_t i = 0; i < stream->kernels.count; i++)
        wb_analysis_free(stream->kernels.items[i].owned);
    vec_free(&stream->kernels);
    vec_free(&stream->inputs);
    free(stream);
}

static bool has_input(const struct wb_stream *stream, const wb_input *input) {
    for (size_t i = 0; i < stream->inputs.count; i++)
        if (input_equal(&stream->inputs.items[i], input)) return true;
    return false;
}

/* Adds what a kernel was made from, as far as others were not. */
static wb_status add_inputs(struct wb_stream *stream, const wb_analysis *kernel) {
    const wb_input *input;
    for (size_t i = 0; (input = wb_analysis_input(kernel, i)) != NULL; i++)
        if (!has_input(stream, input)) WB_TRY(vec_push(&stream->inputs, *input));
    return WB_OK;
}

wb_status stream_add(wb_stream *stream, const wb_analysis *kernel, wb_diagnostics *diagnostics) {
    if (wb_analysis_longest_block(kernel) == NULL ||
        machine_as_stated(kernel->machine) != machine_as_stated(stream->machine)) {
        diagnose(diagnostics, SEVERITY_ERROR, stream->machine->name,
                 "a stream consists of analyses of whole kernels on one machine");
        return WB_ERR_INPUT;
    }
    const struct stream_kernel added = {.analysis = kernel};
    if (add_inputs(stream, kernel) == WB_OK && vec_push(&stream->kernels, added) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(diagnostics, stream->machine->name);
}

cycles stream_overhead(const struct wb_stream *stream) {
    return cycles_mul(stream->machine->launch_overhead, stream->kernels.count);
}

cycles stream_carried(const struct wb_stream *stream) {
    uint64_t lines = 0;
    for (size_t i = 0; i + 1 < stream->kernels.count; i++)
        lines = cycles_add(lines, stream->kernels.items[i].analysis->memory.demand.left_dirty);
    return cycles_mul(lines, stream->machine->memory.dram_service);
}

wb_status stream_set_stalls(wb_stream *stream, size_t index, const wb_stalls *stalls,
                            wb_diagnostics *diagnostics) {
    assert(index < stream->kernels.count && stream->kernels.items[index].owned != NULL);
    const struct wb_grid *grid = stream->kernels.items[index].owned->owned.grid;
    /* They were found with the contents that variables have before all launches. */
    if (grid == NULL || !grid->changed_variables)
        analysis_set_stalls(stream->kernels.items[index].owned, stalls);
    if (add_inputs(stream, stream->kernels.items[index].analysis) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(diagnostics, stream->machine->name);
}

const wb_bound *stream_refuted(const struct wb_stream *stream) {
    const wb_bound *refuted = NULL;
    for (size_t i = 0; i < stream->kernels.count && refuted == NULL; i++)
        refuted = wb_analysis_judge(stream->kernels.items[i].analysis, WB_SCOPE_KERNEL, NULL).refuted;
    return refuted;
}

bool wb_stream_proven(const wb_stream *stream, uint64_t *proven) {
    cycles sum = cycles_add(stream_overhead(stream), stream_carried(stream));
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const wb_bound *best = wb_analysis_best(stream->kernels.items[i].analysis);
        if (best == NULL) return false;
        sum = cycles_add(sum, best->cycles);
    }
    if (stream->kernels.count == 0 || sum == CYCLES_SATURATED || stream_refuted(stream) != NULL) return false;
    *proven = sum;
    return true;
}

/* The sum of the slowest executions of all kernels, as `of_kernel` has them. None on a machine with caches,
 * where a kernel does not find them as its simulation does; unless it is the only one. */
static wb_slowest stream_slowest(const struct wb_stream *stream,
                                 wb_slowest of_kernel(const struct wb_analysis *kernel)) {
    wb_slowest sum = {0};
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const struct wb_analysis *kernel = stream->kernels.items[i].analysis;
        const wb_slowest slowest = of_kernel(kernel);
        const bool alone = stream->kernels.count == 1;
        if (slowest.cycles == 0 || (analysis_has_caches(kernel) && !alone)) return (wb_slowest){0};
        const bool alike =
            i == 0 || (sum.name != NULL && sum.kind == slowest.kind && strcmp(sum.name, slowest.name) == 0);
        sum.name = alike ? slowest.name : NULL;
        sum.kind = alike ? slowest.kind : WB_LOWER;
        sum.with_data |= slowest.with_data;
        sum.with_zeros |= slowest.with_zeros;
        sum.any_order |= slowest.any_order;
        sum.of_code |= slowest.of_code;
        if (slowest.machine != NULL) sum.machine = slowest.machine;
        sum.cycles = cycles_add(sum.cycles, slowest.cycles);
    }
    if (sum.cycles > 0) sum.cycles = cycles_add(sum.cycles, stream_overhead(stream));
    return sum;
}

wb_verdict wb_stream_judge(const wb_stream *stream, const uint64_t *deadline) {
    wb_verdict verdict = {.scope = WB_SCOPE_STREAM, .overhead = stream_overhead(stream), .accepted = true};
    verdict.is_bounded = wb_stream_proven(stream, &verdict.cycles);
    verdict.slowest = stream_slowest(stream, analysis_slowest_with_code);
    verdict.sure = stream_slowest(stream, analysis_sure);
    verdict.refuted = stream_refuted(stream);
    for (size_t i = 0; i < stream->kernels.count; i++) {
        const struct wb_analysis *kernel = stream->kernels.items[i].analysis;
        verdict.model = analysis_model(kernel); /* one module has all kernels */
        verdict.accepted &= analysis_accepts_model(kernel);
        if (verdict.contradiction.found.cycles == 0) verdict.contradiction = analysis_contradiction(kernel);
    }
    verdict_decide(&verdict, deadline);
    return verdict;
}

size_t wb_stream_count(const wb_stream *stream) {
    return stream->kernels.count;
}

const wb_analysis *wb_stream_at(const wb_stream *stream, size_t index) {
    return index < stream->kernels.count ? stream->kernels.items[index].analysis : NULL;
}

size_t stream_longest(const struct wb_stream *stream) {
    size_t longest = 0;
    for (size_t i = 1; i < stream->kernels.count; i++)
        if (wb_analysis_best(stream->kernels.items[i].analysis)->cycles >
            wb_analysis_best(stream->kernels.items[longest].analysis)->cycles)
            longest = i;
    return longest;
}
