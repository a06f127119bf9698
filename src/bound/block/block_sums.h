/* The bounds of a block that are sums over its sections: sib, elb, gub, fib and aln. */
#ifndef WB_BOUND_BLOCK_BLOCK_SUMS_H
#define WB_BOUND_BLOCK_BLOCK_SUMS_H

#include "bound/method/method.h"

/* Methods that others start from, or fall back to. */
extern const struct bound_method bound_sib, bound_fib, bound_fifo;

/* iso_s(w) + sum over u != w of E_s(u|w), 0 for iso_s(w) = 0 (docs/proofs.md, theorem 1) */
cycles sib_term(const struct section_profile *warp, const struct row_sums *sums);

/* Whether several instructions, but not any number, can wait for a unit: sib, fib and aln are those of one
 * that can, which are proven for all of these (docs/proofs.md, section 5). */
bool queues_are_long(const struct wb_machine *machine);

/* The sum over all sections of the most, for any warp w, of what align_s(w, u, m) adds up to over the other
 * warps u: ALN before it is divided by m, for an m that counts warps of other blocks, too. *sum stays as it
 * is where the block has too many instructions; *cut_short: sections were too long to be aligned. Errors
 * leave a message. */
wb_status block_aligned_sum(const struct bound_input *input, uint64_t m, cycles *sum, bool *cut_short);

#endif
