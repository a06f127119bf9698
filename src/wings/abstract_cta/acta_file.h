/* Abstract warps written by hand: programs in one line,
 *
 *   7           time node of T_instr 7            7/1      of T_shift 1 besides
 *   m   w       memory access node: a load; a store ("write")
 *   |           barrier node
 *   {4 m; 2}    uniform branch between two sides; {4 m}: one side is empty
 *   {4 m}@01    of which the first side is executed in every second iteration of the loop around it
 *   <3; 1>      divergent branch
 *   L(2: 7 |)   loop L: 2 up to the test that leaves it, and what is behind; L(9): left behind all of it
 *
 * and the files that they are part of, in place of PTX (docs/abstract-cta.md). */
#ifndef WB_WINGS_ABSTRACT_CTA_ACTA_FILE_H
#define WB_WINGS_ABSTRACT_CTA_ACTA_FILE_H

#include "base/base.h"
#include "machine/machine.h"
#include "wings/abstract_cta/acta_warp.h"
#include "wings/abstract_cta/acta_window.h"

/* Longest name of a loop, with the NUL. */
#define ACTA_LOOP_NAME_MAX 32u

struct acta_loop_name {
    char text[ACTA_LOOP_NAME_MAX];
};

/* The warp with the names of its loops, in the order of their numbers. Zero-initialised it is empty. */
struct acta_notation {
    struct acta_warp warp;
    VEC(struct acta_loop_name) names;
};

/* Reads a program. WB_ERR_INPUT with a message that names the place in it. *notation, empty before, is to be
 * freed in any case. */
wb_status acta_notation_parse(const char *program, wb_diagnostics *diagnostics,
                              struct acta_notation *notation);
void acta_notation_free(struct acta_notation *notation);

/* What a file says. Zero-initialised it is empty. */
struct acta_warp_file {
    char name[MACHINE_NAME_MAX];
    struct wb_machine *machine;
    struct acta_group cta;
};

/* Whether a text is such a file: it has the key `abstract_warp` at the start of a line. */
bool acta_warp_file_is(const char *text, size_t size);

/* Parses a file; `name` stands for it in messages. *file, empty before, is to be freed in any case. */
wb_status acta_warp_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                               struct acta_warp_file *file);
void acta_warp_file_free(struct acta_warp_file *file);

#endif
