/* Records of a warp's accesses that make the same requests but for where these are as a whole: what was
 * computed of one of them holds for all, as the passes of a loop have mostly few kinds. */
#ifndef WB_MEMORY_REQUESTS_ACCESS_LIKES_H
#define WB_MEMORY_REQUESTS_ACCESS_LIKES_H

#include "warp/path/path.h"

#define LIKE_SLOTS 1024u

/* Zero-initialised it knows of no record. */
struct access_likes {
    uint32_t slots[LIKE_SLOTS]; /* 1 + a record that is the only one of its step; 0: none */
};

/* A record before `index` of the list that is like it, both the only ones of their steps: its addresses are
 * all the same multiple of REQUEST_ALIGN away. None is known: `index`, which may be found from now on. */
uint32_t access_like(struct access_likes *likes, const struct access *accesses, uint32_t count,
                     uint32_t index);

#endif
