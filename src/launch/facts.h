/* Flow facts: what is known of a kernel's control flow beyond what the analyses find (docs/flow-facts.md).
 *
 *     kernel bfs_level 8c1d5e0f2a934b77          name and checksum of the code that the facts are about
 *     loop $L__BB0_3 <= 128; // bfs.cu:21        the label is passed at most 128 times each time the loop is
 *                                                entered
 *     at most 3 of $L__BB0_5 per $L__BB0_3;      the first label is passed at most 3 times between two passes
 *                                                of the second
 *     never $L__BB0_7;                           the label is never reached
 *     together $L__BB0_9;                        all warps of a block that have not ended pass the label
 *                                                equally often, by the same iterations of the loops around it
 *
 * A thread passes a label when it comes to the instruction behind it, whatever that instruction's guard is.
 * Counts are of one thread, in one call of the function that the labels are in.
 */
#ifndef WB_LAUNCH_FACTS_H
#define WB_LAUNCH_FACTS_H

#include "base/arena.h"
#include "base/vec.h"
#include "ptx/ptx.h"

enum fact_kind { FACT_LOOP, FACT_PER, FACT_NEVER, FACT_TOGETHER };

/* Largest number in a fact; largest text. */
#define FACT_LIMIT_MAX UINT32_MAX
#define FACTS_SIZE_MAX ((size_t)1 << 20)

struct flow_fact {
    enum fact_kind kind;
    uint32_t function; /* of the module */
    uint32_t at;       /* instruction of the function that the label stands before; of FACT_LOOP the first of
                          a natural loop's header */
    uint32_t per;      /* FACT_PER: that of the second label, which stands elsewhere */
    uint64_t limit;    /* FACT_LOOP: at least 1; FACT_PER; 0 while `open` */
    bool open;         /* "?" stands where the number is to be filled in */
    uint32_t place;    /* byte offset in the text */
};

/* No two facts are of the same kind and about the same labels, and there is no other fact about a label that
 * is never reached. */
struct wb_facts {
    struct arena arena; /* owns name and text of `source`, too */
    struct source source;
    const struct wb_kernel *kernel;
    VEC(struct flow_fact) facts; /* in the order of the text */
};

/* A checksum of all code that the kernel can execute, 64 bits: changes with every instruction and with the
 * contents of variables, not with comments, line numbers or the names of registers, labels and functions.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status facts_checksum(const struct wb_kernel *kernel, uint64_t *checksum);

/* Appends the line that facts begin with, "kernel NAME CHECKSUM\n". */
void facts_put_header(const struct wb_kernel *kernel, uint64_t checksum, struct text *out);

/* Appends a fact without a line break, such as "loop $L__BB0_3 <= 128;". */
void facts_put(const struct wb_kernel *kernel, const struct flow_fact *fact, struct text *out);

/* Appends where code comes from, such as "bfs.cu:21": the first source line from an instruction up to the
 * next branch; "PTX line 40" when there is none. */
void facts_put_place(const struct wb_kernel *kernel, uint32_t function, uint32_t inst, struct text *out);

/* All facts as text that reads back as the same facts. */
wb_status facts_print(const struct wb_facts *facts, wb_diagnostics *diagnostics, char **text);

#endif
