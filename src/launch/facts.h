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
 *     loop $L__BB0_4 <= 8 found;                 what the analysis finds of this code, for every launch
 *     loop $L__BB0_6 <= 5 found for this launch; the same for the launch that a statement "launch" describes
 *
 * A thread passes a label when it comes to the instruction behind it, whatever that instruction's guard is.
 * Counts are of one thread, in one call of the function that the labels are in.
 */
#ifndef WB_LAUNCH_FACTS_H
#define WB_LAUNCH_FACTS_H

#include "base/arena.h"
#include "launch/launch.h"
#include "ptx/ptx.h"

struct cfg;
struct loops;
struct unrolled;

enum fact_kind { FACT_LOOP, FACT_PER, FACT_NEVER, FACT_TOGETHER };

/* Whose word a fact is. Only loops have facts that are found. */
enum fact_origin {
    FACT_STATED,          /* the user's: it is taken for true in every launch */
    FACT_FOUND,           /* the analysis's, for every launch */
    FACT_FOUND_FOR_LAUNCH /* the analysis's, for the launch that the file describes */
};

/* Largest number in a fact; largest text. */
#define FACT_LIMIT_MAX UINT32_MAX
#define FACTS_SIZE_MAX ((size_t)1 << 20)

struct flow_fact {
    enum fact_kind kind;
    enum fact_origin origin;
    uint32_t function; /* of the module */
    uint32_t at;       /* instruction of the function that the label stands before; of FACT_LOOP the first of
                          a natural loop's header */
    uint32_t per;      /* FACT_PER: that of the second label, which stands elsewhere */
    uint64_t limit;    /* FACT_LOOP: at least 1; FACT_PER; 0 while `open` */
    bool open;         /* "?" stands where the number is to be filled in, or behind what is to be confirmed */
    uint32_t place;    /* byte offset in the text */
};

/* No two facts are of the same kind and about the same labels, and there is no other fact about a label that
 * is never reached. */
struct wb_facts {
    struct arena arena; /* owns name and text of `source`, too */
    struct source source;
    const struct wb_kernel *kernel;
    uint64_t checksum;           /* of the text */
    wb_input input;              /* the text */
    VEC(struct flow_fact) facts; /* in the order of the text */
    const char *launch;    /* which launch facts were found for, as facts_put_launch describes it, or NULL */
    uint32_t launch_place; /* byte offset of that in the text */
};

/* A checksum of all code that the kernel can execute, 64 bits: changes with every instruction and with the
 * contents of variables, not with comments, line numbers or the names of registers, labels and functions.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status facts_checksum(const struct wb_kernel *kernel, uint64_t *checksum);

/* A checksum of the text of facts; one that ties the description of a launch to the code of the kernel. */
uint64_t facts_text_checksum(const char *text, size_t size);
uint64_t facts_launch_checksum(uint64_t kernel_checksum, const char *launch);

/* Appends what of a launch decides how often loops run: "grid 8 1 1 block 256 1 1 shared 0 arguments buffer
 * 2048 unknown". Contents and addresses of buffers play no part. */
void facts_put_launch(const struct wb_launch *launch, struct text *out);

/* Appends in which parts two descriptions differ: "the grid was 8 1 1 and is 9 1 1". */
void facts_put_difference(const char *was, const char *is, struct text *out);

/* WB_ERR_INPUT with a message that says what differs when some fact was found for another launch. */
wb_status facts_require_launch(const struct wb_facts *facts, const struct wb_launch *launch,
                               wb_diagnostics *diagnostics);

/* How many facts have one of two origins. */
size_t facts_count(const struct wb_facts *facts, enum fact_origin a, enum fact_origin b);

/* Appends the line that facts begin with, "kernel NAME CHECKSUM\n". */
void facts_put_header(const struct wb_kernel *kernel, uint64_t checksum, struct text *out);

/* Appends the statement that says which launch facts were found for, "launch CHECKSUM ...;\n". */
void facts_put_launch_statement(uint64_t kernel_checksum, const char *launch, struct text *out);

/* Appends a fact without a line break, such as "loop $L__BB0_3 <= 128;". */
void facts_put(const struct wb_kernel *kernel, const struct flow_fact *fact, struct text *out);

/* The first source line from an instruction up to the next branch: an index of the module's locations, or
 * PTX_NO_INDEX. */
uint32_t facts_location(const struct wb_kernel *kernel, uint32_t function, uint32_t inst);

/* Appends what a pass of a loop is to its source, where there are signs that it was unrolled; else nothing.
 */
void facts_put_unrolled(const struct wb_kernel *kernel, uint32_t function, const struct cfg *cfg,
                        const struct loops *loops, const struct unrolled *unrolled, struct text *out);

/* Appends where code comes from, such as "bfs.cu:21": the first source line from an instruction up to the
 * next branch; "PTX line 40" when there is none. */
void facts_put_place(const struct wb_kernel *kernel, uint32_t function, uint32_t inst, struct text *out);

/* All facts as text that reads back as the same facts. */
wb_status facts_print(const struct wb_facts *facts, wb_diagnostics *diagnostics, char **text);

#endif
