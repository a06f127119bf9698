/* The abstract warps of a traced block: how often each warp runs the loops of the code. */
#ifndef WB_WINGS_ABSTRACT_CTA_ACTA_TRACE_H
#define WB_WINGS_ABSTRACT_CTA_ACTA_TRACE_H

#include "warp/path/path.h"
#include "wings/abstract_cta/acta_code.h"
#include "wings/abstract_cta/acta_window.h"

/* Makes the abstract warps of a block from its kernel's code, and from its paths the loop counts (of the
 * longest lane of each warp, slide 9); with `choices`, too, which sides of its uniform branches each warp
 * takes, which covering paths do not say. Free *cta with acta_group_free in any case. Errors as of
 * acta_warp_of_kernel; WB_ERR_DECLINED, too, when barriers stand in a loop that a warp runs through now
 * more and now less often, or in a branch whose side with the barrier it takes now and then. */
wb_status acta_group_of_block(const struct wb_block *block, bool choices, wb_diagnostics *diagnostics,
                              struct acta_group *cta);

#endif
