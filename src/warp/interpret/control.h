/* The SIMT stack and the call frames of a warp. */
#ifndef WB_WARP_INTERPRET_CONTROL_H
#define WB_WARP_INTERPRET_CONTROL_H

#include "warp/interpret/warp.h"

/* Adds lanes to the side with that target, or opens a new one. Sides stand in the order of their targets in
 * the function, which does not depend on which lanes there are. */
void side_add(struct side *sides, uint32_t *count, uint32_t pc, uint32_t mask);

/* Enters a function for the lanes of `mask`; `call` made the frame, NULL for the kernel. WB_ERR_LIMIT with a
 * message when memory is exhausted. */
wb_status frame_push(struct warp *warp, const struct micro *call, const struct function_code *code,
                     uint32_t mask);

/* Ends the current frame: the caller goes on behind its call. */
void frame_pop(struct warp *warp);

/* Hands what the current frame's function returns to its caller, in the lanes of `mask`. */
void return_results(struct warp *warp, uint32_t mask);

/* Makes what the caller gets unknown in the lanes of `mask`, and in those of `stored` what it gets in .param
 * variables. */
void forget_results(struct warp *warp, uint32_t mask, uint32_t stored);

/* Drops entries whose lanes have ended or met the others, and frames that all lanes have left; the warp is
 * done when no frame is left. Lanes that wait for others at the top go on: WB_ERR_DECLINED with a message
 * when not all of them have come. */
wb_status simt_settle(struct warp *warp);

#endif
