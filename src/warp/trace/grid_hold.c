/* Holding flow facts to the data that a launch gives (docs/flow-facts.md): its blocks are executed one after
 * another, as one execution of the grid does, with all lanes sure that the data determines. */
#include "base/base.h"
#include "warp/cover/cover.h"
#include "warp/trace/blocks.h"
#include "warp/trace/trace.h"

/* Executes the block run->index on what memory holds. *goes_on: what it leaves there is known as far as it is
 * taken for. */
static wb_status hold_block(struct run *run, const wb_facts *facts, bool *goes_on) {
    struct arena code = {0};
    wb_status status = cover_begin(run, facts, &code);
    if (status == WB_OK) {
        run->cover->holds = true;
        status = run_block(run, NULL);
    }
    *goes_on = status == WB_OK && run->needs.items.count == 0;
    cover_end(run);
    arena_free(&code);
    return status;
}

wb_status grid_hold_facts(const struct wb_kernel *kernel, const struct wb_launch *launch,
                          const wb_grid_options *options, wb_diagnostics *diagnostics) {
    struct wb_diagnostics messages = {0};
    struct run run = run_as_asked(kernel, launch, options, &messages);
    struct arena arena = {0};
    uint32_t *code_first = NULL;
    bool goes_on = true;
    run.all_blocks = !options->one_block;
    wb_status status = run_begin_as_asked(&run, options->facts, &arena, &code_first);
    bool begun = status == WB_OK;
    while (begun && goes_on) {
        status = hold_block(&run, options->facts, &goes_on);
        if (options->one_block || !run_next_block(&run)) break;
    }
    /* What is behind a limit, or depends on what is not known, is not held to anything. */
    const bool ends =
        begun && (status == WB_ERR_DECLINED || messages.over_limit || run.needs.items.count > 0);
    if (ends) status = WB_OK;
    if (status != WB_OK && wb_diagnostics_errors(&messages) == 0)
        (void)diagnose_out_of_memory(&messages, wb_kernel_name(kernel));
    if (!ends) wb_diagnostics_append(diagnostics, &messages);
    diagnostics_clear(&messages);
    run_end(&run);
    arena_free(&arena);
    return status;
}
