/* What is known of what was asked about: what was found, what of it contradicts bounds, the verdict. */
#ifndef WB_BOUND_ANALYSIS_VERDICT_H
#define WB_BOUND_ANALYSIS_VERDICT_H

#include "bound/analysis/analysis.h"

/* Executions that were found: by searches, as the exact worst case, by simulation. */

/* Whether the bounds of the analysis are about this simulation: those of a scheme of strict round-robin hold
 * for strict round-robin only, all others for work-conserving policies only. */
bool found_is_covered(const struct wb_analysis *analysis, const wb_simulation *simulation);

/* The slowest execution of an analysis by itself that its bounds are about, without the launch overhead; an
 * exact worst case is one, too. `with_shorter_times`: also of those with latencies shorter than stated, which
 * upper bounds cover. */
wb_slowest analysis_found(const struct wb_analysis *analysis, bool with_shorter_times);

/* Compares proven bounds with executions found: the last step of every analysis. */

/* An execution that takes longer than what is proven of the same subject, the furthest above; of a kernel
 * also of its blocks, of covering paths also of the given data. `found.cycles` is 0 where there is none. */
wb_contradiction analysis_contradiction(const struct wb_analysis *analysis);

/* The bound that stall counts of machine code prove: no execution of a lane's path is shorter. */

/* The bound of kind upper that the analysis' stall counts refute within the scope of a verdict, or NULL. */
const wb_bound *stalls_refute(const struct wb_analysis *analysis, const wb_verdict *verdict);

/* measured.c: what was measured of the kernel, in cycles that bounds can be held against; or as the deadline
 * is in. 0 cycles: there is none. */
wb_slowest measured_cycles(const struct wb_analysis *analysis);
wb_slowest measured_for_deadline(const struct wb_analysis *analysis);

/* The state of a question, and whether it meets a deadline: a block's bound proves nothing for its kernel. */

/* The scope of a verdict with a deadline: `scope`, unless there is no kernel. */
wb_scope verdict_scope(const struct wb_analysis *analysis, wb_scope scope);

/* The verdict that the options of a report ask for: without a deadline it is on what was analysed, unless
 * that is said to be a block. */
wb_verdict verdict_of(const struct wb_analysis *analysis, const wb_report_options *options);

/* The slowest execution of what is analysed that its bounds are about (found.h); of covering paths with the
 * data that the launch gives. */
wb_slowest analysis_slowest(const struct wb_analysis *analysis);

/* The same of a kernel, or of its machine code, or what that takes at least, where these are longer. */
wb_slowest analysis_slowest_with_code(const struct wb_analysis *analysis);

/* What a kernel takes for sure, be its memory as fast as it may: what "missed" rests on. */
wb_slowest analysis_sure(const struct wb_analysis *analysis);

/* What is held against the deadline: the bound, and the launch. */
uint64_t verdict_time(const wb_verdict *verdict);

/* The part of a verdict that is the same of analyses and streams: the state and the margin, from what is
 * known. */
void verdict_decide(wb_verdict *verdict, const uint64_t *deadline);

/* Executes a launch of machine code with the data that it gives, all blocks or, where `block` is not NULL,
 * that one, and sums up stalls. `code` and `loop_file` live as long as the kernel's module. WB_ERR_INPUT for
 * PTX, which has none; other errors as wb_grid_trace: WB_ERR_DECLINED where the data leaves open what is
 * executed. */
wb_status stalls_find(const wb_kernel *kernel, const wb_launch *launch, const uint32_t *block,
                      wb_diagnostics *diagnostics, wb_stalls *stalls);

/* The same of a grid of machine code that was executed on real paths. WB_ERR_LIMIT with a message when memory
 * is exhausted. */
wb_status stalls_of_grid(const wb_grid *grid, wb_diagnostics *diagnostics, wb_stalls *stalls);

/* How long a machine says that each of the compared warps takes by itself: what it gives the code of
 * `kernel`, PTX or machine code, of the same launch. Errors as wb_block_trace and wb_analysis_new. */
wb_status stalls_compare(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                         wb_diagnostics *diagnostics, wb_stalls *stalls);

#endif
