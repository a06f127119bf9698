/* What divergence analysis found, in words: shared by the reports of control flow. */
#ifndef WB_REPORT_FLOW_DIVERGENCE_H
#define WB_REPORT_FLOW_DIVERGENCE_H

#include "report/flow/cfg.h"

/* Appends what is known of a block's last instruction: "uniform", or "divergent: %tid.x, PTX line 24" with
 * what it comes from. */
void divergence_put_decision(struct text *out, const struct cfg_report *report, uint32_t block);

/* Appends the chain of reasons for which a block's branch is divergent, a line a step, down to what differs
 * between threads by itself; one line for a branch that is uniform. */
void divergence_put_chain(struct text *out, const struct cfg_report *report, uint32_t block);

/* Appends ", PTX line 24, source reduce.cu:9" of an instruction. */
void divergence_put_place(struct text *out, const struct cfg_report *report, const struct ptx_inst *inst);

#endif
