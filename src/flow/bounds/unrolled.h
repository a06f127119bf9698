/* Signs that the compiler unrolled a loop: a pass of it then does several iterations of the source's loop.
 * For those who are to say how often it runs; nothing that is proven rests on it. */
#ifndef WB_FLOW_BOUNDS_UNROLLED_H
#define WB_FLOW_BOUNDS_UNROLLED_H

#include "flow/graph/cfg.h"
#include "flow/graph/loops.h"

/* How sure it is. */
enum unrolled_sign {
    UNROLLED_NOT,      /* nothing speaks for it */
    UNROLLED_PERHAPS,  /* a counter advances by `factor`, and what accesses memory stands there `factor` times
                          each, or a multiple of that */
    UNROLLED_COPIES,   /* of machine code: in a pass every access to memory of the PTX, by the line of it that
                          the file names, is made `factor` times: of iterations of the PTX's loop */
    UNROLLED_MAIN,     /* the same code stands in another loop once, which does what is left over */
    UNROLLED_REMAINDER /* this is that other loop */
};

struct unrolled {
    enum unrolled_sign sign;
    uint32_t factor; /* iterations of the source in a pass of the unrolled loop, which is ... */
    uint32_t main;   /* ... this one */
};

/* By loop. Loops with others inside them are taken for not unrolled. In memory of the arena, which is
 * protected. */
struct unrolled *unrolled_find(const struct cfg *cfg, const struct loops *loops, struct arena *arena);

#endif
