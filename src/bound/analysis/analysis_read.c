/* Analyses of what is written by hand: blocks, grids, abstract warps. */
#include <stdlib.h>

#include "base/file.h"
#include "base/yaml.h"
#include "bound/analysis/analysis_kernel.h"
#include "warp/synthetic/synthetic_file.h"

/* A file describes a block, a grid of blocks, or abstract warps. */
static wb_status analysis_fill(wb_analysis *made, const char *path, const char *text, size_t size,
                               wb_diagnostics *diagnostics) {
    if (acta_warp_file_is(text, size)) {
        made->kind = SUBJECT_ABSTRACT_WARPS;
        WB_TRY(acta_warp_file_parse(path, text, size, diagnostics, &made->abstract));
        made->machine = made->abstract.machine;
        return WB_OK;
    }
    WB_TRY(synthetic_file_parse(path, text, size, diagnostics, &made->by_hand));
    if (made->by_hand.is_grid) return analysis_of_hand_grid(made, diagnostics);
    made->timed = &made->by_hand.timed;
    return WB_OK;
}

wb_status analysis_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                         wb_analysis **analysis) {
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    wb_status status = analysis_fill(made, name, text, size, diagnostics);
    return analysis_finish(made, status, diagnostics, analysis);
}

wb_status wb_analysis_read(const char *path, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, YTREE_SIZE_MAX, diagnostics, &text, &size));
    wb_status status = analysis_parse(path, text, size, diagnostics, analysis);
    free(text);
    return status;
}
