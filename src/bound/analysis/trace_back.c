/* The sources and the request of an analysis. */
#include <string.h>

#include "bound/analysis/analysis.h"
#include "bound/analysis/stream.h"

struct sources analysis_sources(const wb_analysis *analysis) {
    const struct wb_block *block = analysis->block;
    const struct wb_grid *grid = analysis->grid_times.grid;
    struct sources sources = {.facts = analysis->facts != NULL ? analysis->facts->from : NULL,
                              .machine = analysis->machine,
                              .code = analysis->stalls.code};
    if (analysis->by_hand_input.path != NULL) sources.by_hand = &analysis->by_hand_input;
    if (block == NULL && grid == NULL) return sources;
    sources.kernel = block != NULL ? block->kernel : grid->kernel;
    sources.code_first = block != NULL ? block->code_first : grid->code_first;
    sources.launch = block != NULL ? &block->inputs : &grid->inputs;
    return sources;
}

bool analysis_has_zeros(const wb_analysis *analysis) {
    const struct launch_inputs *inputs = analysis_sources(analysis).launch;
    return inputs != NULL && inputs->with_zeros;
}

const wb_input *wb_analysis_input(const wb_analysis *analysis, size_t index) {
    const struct sources sources = analysis_sources(analysis);
    return sources_at(&sources, index);
}

const wb_input *wb_stream_input(const wb_stream *stream, size_t index) {
    return index < stream->inputs.count ? &stream->inputs.items[index] : NULL;
}

/* A copy of a text that may be NULL. */
static wb_status keep(const char *text, struct arena *arena, const char **copy) {
    if (text != NULL) *copy = arena_string(arena, text, strlen(text));
    return text != NULL && *copy == NULL ? WB_ERR_LIMIT : WB_OK;
}

static wb_status note(wb_analysis *analysis, const wb_analyze_options *asked) {
    struct analysis_asked *noted = &analysis->asked;
    *noted = (struct analysis_asked){.inputs = asked->inputs,
                                     .one_block = asked->one_block,
                                     .state_limit = asked->state_limit,
                                     .accept = asked->accept};
    memcpy(noted->block, asked->block, sizeof noted->block);
    WB_TRY(keep(asked->scheme, &analysis->texts, &noted->scheme));
    WB_TRY(keep(asked->methods, &analysis->texts, &noted->methods));
    return keep(asked->policies, &analysis->texts, &noted->policies);
}

wb_status analysis_note_asked(wb_analysis *analysis, const wb_analyze_options *asked,
                              wb_diagnostics *diagnostics) {
    return note(analysis, asked) == WB_OK ? WB_OK : analysis_no_memory(diagnostics);
}
