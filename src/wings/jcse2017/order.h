/* Reports of the order in which the reordering extension lets accesses into the first level of each SM, and
 * of what it is configured with (JCSE'17, Fig. 6 to 9): what the formats have in common, and one function a
 * format. They are written piece by piece, as the order of a large grid is longer than the grid in memory. */
#ifndef WB_WINGS_JCSE2017_ORDER_H
#define WB_WINGS_JCSE2017_ORDER_H

#include <assert.h>

#include "memory/caches/caches.h"
#include "memory/requests/requests.h"
#include "report/write/source.h"
#include "sim/gpu/gpu.h"
#include "warpbound_jcse2017.h"

/* An instruction that makes requests. */
struct order_inst {
    const struct ptx_inst *inst;
    struct inst_place place;
};

struct order_report {
    const struct timed_grid *timed;
    const wb_order_options *options;
    const wb_writer *writer;
    wb_diagnostics *diagnostics;
    struct text out; /* what has not been written yet */
    struct source_lines lines;
    struct arena arena;
    VEC(struct order_inst) insts; /* by their index in the code */
    uint32_t *listed;             /* per instruction of the code its place in `insts`, or PTX_NO_INDEX */
    uint32_t resident;            /* blocks of an SM at a time */
};

struct sm_share order_report_share(const struct order_report *report, uint32_t sm);

/* Where an access stands in the list of instructions. */
static inline uint32_t order_listed(const struct order_report *report, const struct ordered_access *at) {
    const uint32_t listed = report->listed[at->access->instruction];
    assert(listed < report->insts.count);
    return listed;
}

wb_status order_report_svg(struct order_report *report);

/* Whether there is a picture of what the options ask for: WB_ERR_INPUT with a message if not. */
wb_status order_svg_check(const wb_order_options *options, wb_diagnostics *diagnostics);

#endif
