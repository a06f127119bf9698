/* Rounded products that a block has made, which a compiler may fuse with sums of them (contraction.h). */
#ifndef WB_WARP_INTERPRET_PRODUCTS_H
#define WB_WARP_INTERPRET_PRODUCTS_H

#include <stdbool.h>
#include <stdint.h>

/* Those of the block at hand: a hash table by their value. */
struct products {
    struct product *slots; /* owned, or NULL: there were none yet */
    uint32_t count;
    uint32_t block; /* counts blocks: products of others are forgotten */
    bool full;      /* not all could be remembered: any operand may be a product */
};

/* Forgets those of the block before. */
static inline void products_begin(struct products *products) {
    products->block++;
    products->count = 0;
    products->full = false;
}

#endif
