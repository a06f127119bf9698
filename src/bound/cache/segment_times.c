#include "bound/cache/segment_times.h"

/* The printed eq. (2) takes T of the segment itself on its right side and, for i > 0, j - 1 for the warp
 * before; meant is the segment that was issued last and the previous one of the same warp:
 *
 *     T[i][j] = max(T[i'][j*] + LI[i'][j*], T[i][j-1] + LI[i][j-1] + LE[i][j-1])
 *
 * with i' = i - 1, j* = j, and for the first warp i' = N - 1, j* = j - 1. Warps that have ended are passed
 * over. */
cycles segments_in_turn(struct segment_warp *warps, size_t warp_count) {
    cycles issued = 0;   /* T + LI of the segment before in turn */
    cycles complete = 0; /* the largest T + LI + LE */
    size_t live = warp_count;
    while (live > 0) {
        for (size_t i = 0; i < warp_count; i++) {
            struct segment_warp *warp = &warps[i];
            struct segment segment;
            if (warp->ended) continue;
            if (!warp->next(warp->user, &segment)) {
                warp->ended = true;
                live--;
                continue;
            }
            issued = cycles_add(cycles_max(issued, warp->ready), segment.issue);
            warp->ready = cycles_add(issued, segment.execute);
            complete = cycles_max(complete, warp->ready);
        }
    }
    return complete;
}
