/* Products that a compiler may join with a sum of them to one fused multiply-add, which rounds once: the PTX
 * ISA allows it where neither names a rounding (mul, and add), and ptxas does it (-fmad=true is its default),
 * where it likes. The sum then has one of two results, and is left open where they differ (open_result.h).
 *
 * What can be a product is decided by value, so that it does not matter on which way it came to the sum,
 * through moves, halves, calls, memory or other lanes: an operand that is equal, but for the sign, to a
 * product that some thread of the block has rounded is taken for that product. Products that are exact
 * are not remembered, as rounding once makes no difference to them. */
#ifndef WB_WARP_INTERPRET_CONTRACTION_H
#define WB_WARP_INTERPRET_CONTRACTION_H

#include <stdint.h>

#include "warpbound.h"

struct micro;
struct program;
struct warp;

/* Makes an instruction of PTX remember its products, or look at those it adds. To be called when op->execute
 * is set. */
void contraction_decode(struct program *program, struct micro *op);

/* Remembers results of an approximate function in the lanes of `mask`: the last step of one may be a
 * multiplication (x / y is x times the reciprocal of y), of which is not known what it rounds. */
wb_status contraction_approximate(struct warp *warp, const struct micro *op, uint32_t mask);

#endif
