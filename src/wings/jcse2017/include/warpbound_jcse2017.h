#ifndef WARPBOUND_JCSE2017_H
#define WARPBOUND_JCSE2017_H

#include "warpbound.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reordering of JCSE 2017 --------------------------------------------------------------------------- */

typedef enum { WB_ORDER_TEXT, WB_ORDER_JSON, WB_ORDER_SVG } wb_order_format;

/* What of an access order is reported. */
typedef struct {
    size_t size;    /* sizeof(wb_order_options) */
    bool channels;  /* not the order, but what the reordering units are configured with */
    bool one_sm;    /* of SM number `sm` alone; a picture without it: of SM 0 */
    bool has_first; /* of each SM only the accesses up to `first`; of the configuration what they leave. A
                       picture has at most 10000, without `first` 64 */
    uint32_t sm;
    uint64_t first;
} wb_order_options;

/* The order in which the reordering extension (JCSE 2017) lets the accesses of each SM into its first level,
 * with what hits and what misses; or the configuration of its channels: which warp executes which load and
 * store (docs/access-order.md). There is no picture of the configuration. WB_ERR_INPUT when the machine has
 * no first level or no such SM. */
wb_status wb_order_report(const wb_gpu *gpu, wb_order_format format, const wb_order_options *options,
                          const wb_writer *writer, wb_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif
