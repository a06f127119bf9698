/* Reports of the order in which the reordering extension lets accesses into the first level of each SM, and
 * of what it is configured with (JCSE'17, Fig. 6 to 9): what the formats have in common, and one function a
 * format. They are written piece by piece, as the order of a large grid is longer than the grid in memory. */
#ifndef WB_REPORT_GPU_ORDER_H
#define WB_REPORT_GPU_ORDER_H

#include <assert.h>

#include "base/text.h"
#include "memory/caches/order_replay.h"
#include "memory/requests/timed_grid.h"
#include "report/write/source_lines.h"
#include "sim/gpu/gpu_results.h"

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

/* Finds the instructions. What it is given must outlive the report, which is closed with order_report_close,
 * also after an error: WB_ERR_INPUT with a message when the machine has no first level, or no such SM;
 * WB_ERR_LIMIT without one when memory is exhausted. */
wb_status order_report_open(const struct timed_grid *timed, const wb_order_options *options,
                            const wb_writer *writer, wb_diagnostics *diagnostics,
                            struct order_report *report);
void order_report_close(struct order_report *report);

/* The SMs that are reported have numbers from *first up to *end, but for it. */
void order_report_sms(const struct order_report *report, uint32_t *first, uint32_t *end);

struct sm_share order_report_share(const struct order_report *report, uint32_t sm);

/* Where an access stands in the list of instructions. */
static inline uint32_t order_listed(const struct order_report *report, const struct ordered_access *at) {
    const uint32_t listed = report->listed[at->access->instruction];
    assert(listed < report->insts.count);
    return listed;
}

/* The configuration of an SM's reordering unit: how often the warp of each channel still executes each
 * instruction. */
struct order_channels {
    struct access_order order; /* behind the last access that is counted */
    struct ordered_access next;
    bool has_next;
    uint64_t turn;       /* of `next`, counted from 0 */
    uint64_t generation; /* that the counts are of */
    uint32_t blocks;     /* of the generation */
    uint32_t *counts;    /* [channel * insts.count + instruction] */
};

/* Stands before the first generation. WB_ERR_LIMIT without a message when memory is exhausted;
 * order_channels_end in any case. */
wb_status order_channels_begin(struct order_report *report, uint32_t sm, struct order_channels *channels);

/* Goes to the next generation that has accesses: as it begins; of options->first accesses that have had
 * their turn, only to the one of the access behind them, as it is then. False behind the last. */
bool order_channels_next(const struct order_report *report, struct order_channels *channels);
void order_channels_end(struct order_channels *channels);

/* The block and the warp of a channel. */
uint32_t order_channel_block(const struct order_channels *channels, uint32_t channel);
uint32_t order_channel_warp(const struct order_channels *channels, uint32_t channel);

wb_status order_report_svg(struct order_report *report);

/* Whether there is a picture of what the options ask for: WB_ERR_INPUT with a message if not. */
wb_status order_svg_check(const wb_order_options *options, wb_diagnostics *diagnostics);

#endif
