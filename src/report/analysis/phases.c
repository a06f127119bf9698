/* The phases of every distinct path, and what methods say of single warps. */
#include "report/analysis/analysis.h"

#include <inttypes.h>

/* Writes one phase on the line of its section. */
struct phase_lines {
    struct text *out;
    uint64_t section; /* being written */
    bool open;
};

static wb_status put_phase(void *user, uint64_t section, const struct phase *phase) {
    struct phase_lines *lines = user;
    if (!lines->open || lines->section != section) {
        text_printf(lines->out, "%s    section %" PRIu64 ":", lines->open ? "\n" : "", section);
        lines->section = section;
        lines->open = true;
    }
    text_printf(lines->out, " %s[%" PRIu64 ",%" PRIu64 ")", phase->idle ? "idle" : "exec", phase->start,
                phase->end);
    return lines->out->failed ? WB_ERR_LIMIT : WB_OK;
}

/* The result of each method for one warp, and the warp's path. */
static void put_warp(struct text *out, const struct wb_analysis *analysis, uint32_t warp) {
    text_printf(out, "  warp %u: path %u", warp, analysis->timed->warp_path[warp]);
    for (size_t method = 0; bound_method_at(method) != NULL; method++) {
        cycles value;
        if (analysis_warp_bound(analysis, method, warp, &value))
            text_printf(out, ", %s %" PRIu64, bound_method_at(method)->name, value);
    }
    text_char(out, '\n');
}

wb_status phases_put(struct text *out, const struct wb_analysis *analysis, wb_diagnostics *diagnostics) {
    text_string(out, "\nbounds of single warps, all sections summed:\n");
    for (uint32_t warp = 0; warp < analysis->timed->warp_count; warp++)
        put_warp(out, analysis, warp);
    text_string(out, "\nphases of a warp alone, cycles from the start of each section between barriers:\n");
    for (uint32_t path = 0; path < analysis->timed->path_count; path++) {
        struct phase_lines lines = {.out = out};
        struct phase_sink sink = {.phase = put_phase, .user = &lines};
        const uint64_t length = analysis->timed->paths[path].length;
        text_printf(out, "  path %u\n", path);
        if (length > PHASES_LISTED_MAX) {
            text_printf(out, "    too many to be listed: %" PRIu64 " steps\n", length);
            continue;
        }
        WB_TRY(phases_of_path(analysis->timed, path, &sink, diagnostics));
        text_char(out, '\n');
    }
    return WB_OK;
}
