/* The kernel instruction string of a PTX kernel: what a warp of a traced block executes, a letter for every
 * instruction. ETFA'13 section VIII-B does so by hand for its Voronoi kernel. */
#ifndef WB_STRINGS_PATH_STRING_H
#define WB_STRINGS_PATH_STRING_H

#include "warp/path/path.h"
#include "wings/makespan/strings/notation.h"

/* An instruction of the kernel that the string has a letter of. */
struct mapped_instruction {
    uint32_t instruction; /* its index in paths */
    uint32_t line;        /* of the PTX, from 1 */
    uint32_t times;       /* letters of it in the string */
    uint8_t unit;
};

struct path_string {
    struct unit_string string;
    uint32_t warp;  /* whose path it is */
    uint32_t waits; /* instructions of it that wait for more than registers, at barriers, for copies or the
                       like, which the model does not know */
    VEC(struct mapped_instruction) mapping; /* in the order of the code */
};

/* How much of a path becomes a string. */
enum path_extent {
    PATH_WHOLE,
    /* Up to the first instruction that would be executed a second time: from the start of the kernel to the
     * end of the first iteration of the loop that is first repeated. */
    PATH_BRANCHLESS_PREFIX
};

/* Makes the string of the warp that executes most instructions, of the first one where several do. What ends
 * the kernel (`ret`, `exit`) has no letter, as it is not counted elsewhere either; an instruction whose guard
 * is false has one. WB_ERR_INPUT when nothing is left, WB_ERR_LIMIT when there are more than
 * MAKESPAN_LENGTH_MAX letters or memory is exhausted; all with a message. Freed with path_string_free, also
 * after an error. */
wb_status path_string_make(const struct wb_block *block, enum path_extent extent, wb_diagnostics *diagnostics,
                           struct path_string *string);
void path_string_free(struct path_string *string);

/* Appends a table: the line, letter, opcode class and opcode of every instruction, and how often the string
 * has it. */
void path_string_print_mapping(const struct wb_block *block, const struct path_string *string,
                               struct text *out);

#endif
