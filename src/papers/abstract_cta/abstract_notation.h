/* Abstract warps written by hand in one line:
 *
 *   7           time node of T_instr 7            7/1      of T_shift 1 besides
 *   m   w       memory access node: a load; a store ("write")
 *   |           barrier node
 *   {4 m; 2}    uniform branch between two sides; {4 m}: one side is empty
 *   {4 m}@01    of which the first side is executed in every second iteration of the loop around it
 *   <3; 1>      divergent branch
 *   L(2: 7 |)   loop L: 2 up to the test that leaves it, and what is behind; L(9): left behind all of it
 *
 * docs/abstract-cta.md has the whole file that it is part of. */
#ifndef WB_PAPERS_ABSTRACT_CTA_ABSTRACT_NOTATION_H
#define WB_PAPERS_ABSTRACT_CTA_ABSTRACT_NOTATION_H

#include "base/diagnostics.h"
#include "papers/abstract_cta/abstract_warp.h"

/* Longest name of a loop, with the NUL. */
#define ABSTRACT_LOOP_NAME_MAX 32u

struct abstract_loop_name {
    char text[ABSTRACT_LOOP_NAME_MAX];
};

/* The warp with the names of its loops, in the order of their numbers. Zero-initialised it is empty. */
struct abstract_notation {
    struct abstract_warp warp;
    VEC(struct abstract_loop_name) names;
};

/* Reads a program. WB_ERR_INPUT with a message that names the place in it. *notation, empty before, is to be
 * freed in any case. */
wb_status abstract_notation_parse(const char *program, wb_diagnostics *diagnostics,
                                  struct abstract_notation *notation);
void abstract_notation_free(struct abstract_notation *notation);

#endif
