/* A search for the worst case of a tiny grid on SMs with several sub-cores: every choice of issue and of
 * dispatch, each state once. Written from docs/proofs.md, sections 1 and 12, without the library's search. */
#ifndef WB_TESTS_SUB_CORE_EXPLORER_H
#define WB_TESTS_SUB_CORE_EXPLORER_H

#include "sub_core_grid.h"

/* The longest time in which the grid can end. 0: not known, as it is too large, a block of it has nothing to
 * execute, or there are more than `states` states. The times of the grid are the actual ones: a kind of block
 * that can be faster in several ways is several kinds. */
uint32_t sub_core_explore(const struct sub_core_grid *grid, uint32_t states);

#endif
